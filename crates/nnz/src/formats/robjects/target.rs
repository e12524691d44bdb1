//! Writing one matrix as an object.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use nnz_container::rds::{NewFile, RdsOptions};
use nnz_core::{
    Annotations, Axis, AxisKind, Batch, Error, Header, MatrixSink, MatrixSource, Metadata, Names,
    Place, Result, SinkCapabilities, Written,
};
use nnz_robjects::write::{
    self, AxisNames, MatrixForm, NewAxes, NewStudy, ObjectClass, SeuratVersion, SpooledSink,
};
use nnz_storage::staging::{StagedFile, WriteOptions};

use super::layers::{self, MainName};
use super::{ObjectFamily, RObjects, split};
use crate::container_target::{ends_in, ends_in_rds, rds_options};
use crate::formats::target::without_group;
use crate::formats::{FormatOption, MatrixTarget};
use crate::{Context, ConvertOptions, Location};

const VERSION: &str = "format-version";

/// Options of targets.
pub(super) const SEURAT_OPTIONS: &[FormatOption] = &[FormatOption::parsed::<Version>(
    VERSION,
    "N",
    "Seurat: version of the class of assays, 3 or 5 [default: 3, which SeuratObject 3 to 5 read]",
)];

/// A version of assays.
struct Version(SeuratVersion);

impl FromStr for Version {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "3" => Ok(Self(SeuratVersion::V3)),
            "5" => Ok(Self(SeuratVersion::V5)),
            _ => Err("expected 3 or 5".to_owned()),
        }
    }
}

/// The name of the assay of a matrix that has none.
pub(super) const ASSAY: &str = "RNA";

/// A new file with one object.
pub(super) struct ObjectTarget {
    pub(super) class: ObjectClass,
    pub(super) path: PathBuf,
    rds: RdsOptions,
    write: WriteOptions,
    memory: u64,
    /// Annotations that are not stored.
    dropped: Vec<String>,
    notes: Vec<String>,
    /// Whether features of several types become several assays.
    divides: bool,
}

impl ObjectTarget {
    pub(super) fn new(
        format: &RObjects,
        to: &Location,
        options: &ConvertOptions,
        context: &Context,
    ) -> Result<Self> {
        let info = format.info;
        let path = without_group(to, info.name.as_str())?.to_path_buf();
        if ends_in(&path, super::OTHER_INFO.extensions) {
            let what = "one object is written as .rds, which readRDS reads; .RData is not written";
            return Err(Error::unsupported(Place::path(&path), what));
        }
        // BPCells has the extension of R objects, too.
        if !ends_in_rds(&path) {
            context.check_name(&path, info, &[])?;
        }
        let version: Option<Version> = options.format_options.parse(VERSION)?;
        Ok(Self {
            class: match format.family {
                ObjectFamily::Experiment => ObjectClass::Experiment,
                _ => ObjectClass::Seurat(version.map_or(SeuratVersion::V3, |version| version.0)),
            },
            path,
            rds: rds_options(options.compress)?,
            write: options.output(context),
            memory: context.memory(),
            dropped: Vec::new(),
            notes: Vec::new(),
            divides: false,
        })
    }

    /// Leaves out annotations of a source that R does not support, and finds what happens to its names.
    pub(super) fn of_source(mut self, source: &dyn MatrixSource) -> Result<Self> {
        let cells = AxisKind::cell_axis(source.header().axis_kinds).unwrap_or(Axis::Cols);
        let axes = [cells.other(), cells];
        for ((axis, name), rules) in
            axes.into_iter().zip(self.class.tables()).zip(self.class.rules())
        {
            if let Some(table) = source.annotations(axis)? {
                let dropped = write::unsupported_columns(name, &*table, self.memory)
                    .map_err(|error| error.with_context(&source.place()))?;
                self.dropped.extend(dropped);
            }
            self.notes.extend(AxisNames::read(source, axis, rules, self.memory)?.note);
        }
        self.divides = split::is_divided(source)?;
        Ok(self)
    }

    /// Checks that the target can be written.
    pub(super) fn check(&self) -> Result<()> {
        StagedFile::create(&self.path, &self.write).map(drop)
    }

    /// Starts the file.
    pub(super) fn file(&self) -> Result<NewFile> {
        NewFile::create(&self.path, &self.write, self.rds)
    }
}

impl MatrixTarget for ObjectTarget {
    fn capabilities(&self) -> SinkCapabilities {
        write::capabilities(MatrixForm::Sparse, 0).names(true).annotations(true)
    }

    fn path(&self) -> Option<&Path> {
        Some(&self.path)
    }

    fn check(&self) -> Result<()> {
        Self::check(self)
    }

    fn check_header(&self, header: &Header) -> Result<()> {
        write::check_size(header, MatrixForm::Sparse, &self.place())
    }

    fn axis_kinds(&self) -> [AxisKind; 2] {
        [AxisKind::Features, AxisKind::Cells]
    }

    fn min_bytes(&self, header: &Header) -> u64 {
        // One pointer for each column; compressed data is buffered uncompressed.
        header.shape.major(header.order).saturating_mul(4)
    }

    fn note(&self) -> Option<String> {
        (!self.notes.is_empty()).then(|| self.notes.join("; "))
    }

    fn unsupported(&self, metadata: Metadata) -> Vec<String> {
        metadata.named().into_iter().chain(self.dropped.iter().cloned()).collect()
    }

    fn create(
        &self,
        header: &Header,
        names: [Option<Names<'_>>; 2],
    ) -> Result<Box<dyn MatrixSink>> {
        self.create_annotated(header, names, [None, None])
    }

    fn create_annotated(
        &self,
        header: &Header,
        names: [Option<Names<'_>>; 2],
        tables: [Option<&dyn Annotations>; 2],
    ) -> Result<Box<dyn MatrixSink>> {
        let file = self.file()?;
        let [rows, cols] = names
            .map(|names| names.map(|mut names| names.list_with_limit(self.memory)).transpose());
        let place = self.place();
        let names = [rows?, cols?];
        if let Some(table) = tables[0].filter(|_| self.divides)
            && let Some(groups) = split::groups(table, self.memory)?
        {
            let source = split::SplitAxes { header, names, tables };
            let memory = (self.memory, &place);
            let sink = split::SplitSink::new(self.class, file, &groups, source, memory)?;
            return Ok(Box::new(sink));
        }
        let axes = NewAxes { shape: header.shape, names, tables, place: place.clone() };
        let spool = file.spool().clone();
        let (study, _) = NewStudy::start(self.class, ASSAY, axes, (&spool, self.memory))?;
        let matrix = SpooledSink::new(header, MatrixForm::Sparse, &spool, place)?;
        Ok(Box::new(ObjectSink { class: self.class, file, study, matrix }))
    }
}

struct ObjectSink {
    class: ObjectClass,
    file: NewFile,
    study: NewStudy,
    matrix: SpooledSink,
}

impl MatrixSink for ObjectSink {
    fn write(&mut self, batch: &Batch) -> Result<()> {
        self.matrix.put(batch)
    }

    fn finish(self: Box<Self>) -> Result<Written> {
        let Self { class, file, mut study, matrix } = *self;
        let part = matrix.complete()?;
        let name = layers::name_of(class, &MainName::Unknown, &part);
        study.layers.push((name, part));
        write_study(class, file, &study, None).map(Written::new)
    }
}

/// Writes the object of a study, and returns its size in bytes.
pub(super) fn write_study(
    class: ObjectClass,
    file: NewFile,
    study: &NewStudy,
    main: Option<&str>,
) -> Result<u64> {
    let spool = file.spool().clone();
    let object = match class {
        ObjectClass::Seurat(version) => write::seurat(study, version, &spool)?,
        ObjectClass::Experiment => write::experiment(study, main, &spool)?,
    };
    file.finish(&object)
}

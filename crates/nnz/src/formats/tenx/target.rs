//! Writing 10x matrices: an HDF5 file if the extension is `.h5`, `.hdf5` or similar, otherwise a folder.

use crate::Context;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use nnz_container::Compression;
use nnz_core::{
    Axis, AxisKind, ColumnInfo, ColumnType, Error, Header, MatrixSink, MatrixSource, Metadata,
    Names, Order, Place, Result, SinkCapabilities, StringList, ValueType,
};
use nnz_matrix_market::tenx_folder::{self, FeatureColumns, FolderVersion};
use nnz_singlecell::tenx::{self, Features, FormatVersion, SinkOptions};
use nnz_storage::staging::{StagedDirectory, StagedFile, WriteOptions};

use crate::container_target::goes_to_hdf5;
use crate::formats::target::{named, uncompressed, without_group};
use crate::formats::{FormatOption, MatrixTarget};
use crate::{ConvertOptions, Location};

const VERSION: &str = "format-version";
const GENOME: &str = "genome";

/// Options of targets.
pub(super) const OPTIONS: &[FormatOption] = &[
    FormatOption::parsed::<Version>(VERSION, "N", "10x: layout of Cell Ranger 2 or 3 [default: 3]"),
    FormatOption::parsed::<String>(
        GENOME,
        "NAME",
        "Genome of the features in an HDF5 file [default: genome of SRC]",
    ),
];

/// The layout to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Version(FormatVersion);

impl FromStr for Version {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "2" => Ok(Self(FormatVersion::V2)),
            "3" => Ok(Self(FormatVersion::V3)),
            _ => Err("expected 2 or 3".to_owned()),
        }
    }
}

/// The target of a file or folder.
pub(super) struct TenxTarget {
    path: PathBuf,
    features: Features,
    /// Ids of features, if rows are named by another column.
    ids: Option<StringList>,
    /// Elements that the target does not store.
    dropped: Vec<String>,
    options: SinkOptions,
    /// An axis without names.
    unnamed: Option<Axis>,
    /// Whether it is an HDF5 file.
    hdf5: bool,
    /// Whether integers of 64 bits are requested.
    wide: bool,
    write: WriteOptions,
}

impl TenxTarget {
    pub(super) fn new(
        to: &Location,
        options: &ConvertOptions,
        source: &dyn MatrixSource,
        context: &Context,
    ) -> Result<Self> {
        let (path, group) = named(to, "10x")?;
        let path = path.to_path_buf();
        context.check_name(&path, &super::INFO, &[nnz_container::kinds::HDF5])?;
        let hdf5 = goes_to_hdf5(&path)?;
        let group = group.map(|group| group.trim_matches('/')).filter(|group| !group.is_empty());
        if group.is_some() && !hdf5 {
            without_group(to, "10x")?;
        }
        let version: Option<Version> = options.format_options.parse(VERSION)?;
        let mut genome: Option<String> = options.format_options.parse(GENOME)?;
        // In version 2, each genome is a group.
        let mut format_version = version.map_or(FormatVersion::V3, |version| version.0);
        if let Some(group) = group {
            check_genome(group, (version, genome.as_deref()), to)?;
            (format_version, genome) = (FormatVersion::V2, Some(group.to_owned()));
        }
        if !hdf5 {
            uncompressed(options.compress, "a 10x directory")?;
            if genome.is_some() {
                return Err(Error::argument(format!(
                    "the option {GENOME} does not apply to a 10x directory"
                )));
            }
        }
        let names = context.memory() / 4;
        let Metadata { file, format, .. } = source.metadata();
        let sink = SinkOptions {
            format_version,
            genome,
            add: group.is_some() && path.symlink_metadata().is_ok(),
            compress: options.compress.unwrap_or(Compression::Gzip(1)),
            attributes: [file, format].concat(),
        };
        let wide = options.value_type == Some(ValueType::I64);
        let v3 = sink.format_version == FormatVersion::V3;
        let kept = |name: &str, column: &ColumnInfo| {
            let text = !matches!(column.column_type, ColumnType::Number(_) | ColumnType::Time(_));
            match name {
                "id" | "name" => true,
                "feature_type" => v3,
                "genome" => hdf5,
                other => v3 && hdf5 && text && !other.contains('/') && !other.is_empty(),
            }
        };
        let FeatureAnnotations { features, ids, dropped } =
            FeatureAnnotations::read(source, names, kept)?;
        let mut unnamed = None;
        for axis in [Axis::Cols, Axis::Rows] {
            let has_ids = axis == Axis::Rows && ids.is_some();
            if !has_ids && source.read_names(axis)?.is_none() {
                unnamed = Some(axis);
            }
        }
        let write = options.output(context);
        Ok(Self { path, features, ids, dropped, unnamed, options: sink, hdf5, wide, write })
    }
}

/// Refuses a group that is not a genome of version 2.
fn check_genome(
    group: &str,
    (version, genome): (Option<Version>, Option<&str>),
    to: &Location,
) -> Result<()> {
    let what = match (version, genome) {
        (Some(Version(FormatVersion::V3)), _) => "version 3 has no groups of genomes",
        (_, Some(genome)) if genome != group => "the genome is given twice",
        _ if group.contains('/') => "the name of a genome has no slash",
        _ if group == "matrix" => "a group of this name would be version 3",
        _ => return Ok(()),
    };
    Err(Error::argument(format!("{to}: {what}")))
}

/// Returns the 10x name of a column; scanpy uses other names for some.
fn known_name(name: &str) -> &str {
    match name {
        "gene_ids" | "feature_ids" => "id",
        "gene_symbols" | "gene_names" | "gene_name" | "feature_name" => "name",
        "feature_types" => "feature_type",
        other => other,
    }
}

/// The annotations of features.
#[derive(Default)]
struct FeatureAnnotations {
    features: Features,
    /// Ids, if rows are named by another column.
    ids: Option<StringList>,
    /// Elements that are not stored.
    dropped: Vec<String>,
}

impl FeatureAnnotations {
    /// Reads the annotations of features that are stored.
    fn read(
        source: &dyn MatrixSource,
        memory: u64,
        kept: impl Fn(&str, &ColumnInfo) -> bool,
    ) -> Result<Self> {
        let mut described = Self::default();
        if let Some(table) = source.annotations(Axis::Rows)? {
            let has = |wanted: &str| table.columns().iter().any(|c| known_name(&c.name) == wanted);
            // If there is a column of names, the names of rows are ids.
            let named = has("name");
            let mut left = Vec::new();
            let mut known: Vec<&str> = Vec::new();
            for (number, column) in table.columns().iter().enumerate() {
                let name = known_name(&column.name);
                if !kept(name, column) || (name == "id" && named) || known.contains(&name) {
                    left.push(&*column.name);
                    continue;
                }
                known.push(name);
                let values = table.read_column(number, memory)?;
                let mut strings = StringList::new();
                let mut text = Vec::new();
                for row in 0..values.len() {
                    text.clear();
                    values.write_text(row, &mut text);
                    strings.try_push(&text)?;
                }
                match name {
                    "id" => described.ids = Some(strings),
                    name => described.features.set(name, strings),
                }
            }
            described.drop(Axis::Rows, &left);
        }
        if let Some(table) = source.annotations(Axis::Cols)? {
            let names: Vec<&str> = table.columns().iter().map(|column| &*column.name).collect();
            described.drop(Axis::Cols, &names);
        }
        Ok(described)
    }

    fn drop(&mut self, axis: Axis, names: &[&str]) {
        if !names.is_empty() {
            let one = if axis == Axis::Rows { "row" } else { "column" };
            self.dropped.push(format!("{one} annotations ({})", names.join(", ")));
        }
    }
}

impl MatrixTarget for TenxTarget {
    fn capabilities(&self) -> SinkCapabilities {
        match (self.hdf5, self.wide) {
            (false, _) => tenx_folder::CAPABILITIES,
            (true, false) => tenx::CAPABILITIES,
            (true, true) => tenx::WIDE_CAPABILITIES,
        }
    }

    fn path(&self) -> Option<&Path> {
        Some(&self.path)
    }

    fn check(&self) -> Result<()> {
        match self.hdf5 {
            // The file is copied only once, when it is changed.
            true if self.options.add => Ok(()),
            true => StagedFile::create(&self.path, &self.write).map(drop),
            false => StagedDirectory::create(&self.path, &self.write.clone(), tenx_folder::MEMBERS)
                .map(drop),
        }?;
        // Before all entries are sorted.
        match self.unnamed {
            Some(axis) => Err(tenx::unnamed(&Place::path(&*self.path), axis)),
            None => Ok(()),
        }
    }

    fn unsupported_order(&self, order: Order) -> String {
        format!("a 10x matrix is written by column, not by {order}")
    }

    fn axis_kinds(&self) -> [AxisKind; 2] {
        [AxisKind::Features, AxisKind::Cells]
    }

    fn unsupported(&self, mut metadata: Metadata) -> Vec<String> {
        if self.hdf5 {
            metadata.file.clear();
        }
        [self.dropped.clone(), metadata.named()].concat()
    }

    fn create(
        &self,
        header: &Header,
        names: [Option<Names<'_>>; 2],
    ) -> Result<Box<dyn MatrixSink>> {
        let mut features = self.features.clone();
        let [mut rows, cols] = names;
        if let Some(ids) = &self.ids {
            let names = rows
                .map(|mut rows| rows.list_with_limit(self.write.context.memory() / 4))
                .transpose()?;
            features.names = names;
            rows = Some(ids.reader());
        }
        let names = [rows, cols];
        if self.hdf5 {
            let sink = tenx::create(
                &self.path,
                header,
                names,
                features,
                self.write.clone(),
                &self.options,
            );
            return Ok(Box::new(sink?));
        }
        let version = match self.options.format_version {
            FormatVersion::V2 => FolderVersion::V2,
            FormatVersion::V3 => FolderVersion::V3,
        };
        let columns = FeatureColumns { names: features.names, types: features.types };
        tenx_folder::create(&self.path, header, names, &columns, version, self.write.clone())
    }
}

impl fmt::Debug for TenxTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TenxTarget").field("path", &self.path).finish_non_exhaustive()
    }
}

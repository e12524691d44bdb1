//! SVMlight.

use crate::Context;
use std::path::Path;

use nnz_core::{
    Annotations, Axis, Header, MatrixSink, MatrixSource, Metadata, Names, Result, Rounding,
    SinkCapabilities,
};
use nnz_storage::InputDirectory;
use nnz_text::svmlight::{self, LABEL, QUERY, ReadOptions, WEIGHT};
use nnz_text::{Base, Size};

use super::text::{self, TextPath, YesOrNo, other_annotations};
use super::{
    Confidence, DatasetKind, Format, FormatInfo, FormatName, FormatOption, MatrixTarget, Probe,
};
use crate::{ConvertOptions, Dataset, Location, OpenOptions};

/// SVMlight or libsvm: text, plain or gzipped.
pub(super) struct Svmlight;

static INFO: FormatInfo = FormatInfo {
    name: FormatName::new("svmlight"),
    aliases: &["libsvm"],
    extensions: &["svm", "svmlight", "libsvm", "svm.gz", "svmlight.gz", "libsvm.gz"],
    summary: "SVMlight and libsvm: rows with labels as text, plain or gzipped",
    reads: &[DatasetKind::Matrix],
    writes: &[DatasetKind::Matrix],
    containers: false,
    hdf5: false,
    options: &[text::to_base("Index of the first column, 0 or 1 [default: 1]")],
    read_options: &[
        text::base(
            "Index of the first column, 0 or 1 [default: from the comment of scikit-learn; otherwise 0 if an \
             index is 0, else 1]",
        ),
        FormatOption::parsed::<Size>(
            "shape",
            "ROWSxCOLS",
            "Shape; either number may be omitted, as in x300 [default: as many columns as the largest \
             index requires]",
        ),
        FormatOption::parsed::<YesOrNo>(
            "label-weights",
            "yes|no",
            "Whether rows begin with a label and a weight, LABEL:WEIGHT, as XGBoost reads them [default: yes if all \
             do]",
        ),
    ],
    streams: true,
    ..FormatInfo::new("", "")
};

impl Format for Svmlight {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn probe(&self, _: &Probe) -> Result<Option<Confidence>> {
        Ok(None)
    }

    fn open(&self, probe: Probe, options: &OpenOptions) -> Result<Dataset> {
        let context = &probe.context().clone();
        let given = &options.format_options;
        let options = ReadOptions::default()
            .keep(text::kept(context.memory()))
            .base(given.parse("base")?)
            .size(given.parse("shape")?.unwrap_or_default())
            .label_weights(given.parse::<YesOrNo>("label-weights")?.map(|choice| choice.0));
        let source = match probe.opened() {
            Some(opened) => svmlight::from_opened(opened, &options)?,
            None => svmlight::open_stdin(&options, context)?,
        };
        Ok(Dataset::Matrix(Box::new(source)))
    }

    fn is_entry(&self, path: &Path, _: Option<&InputDirectory>) -> Result<bool> {
        Ok(INFO.is_extension_of(path))
    }

    fn target(
        &self,
        to: &Location,
        options: &ConvertOptions,
        source: &dyn MatrixSource,
        context: &Context,
    ) -> Result<Box<dyn MatrixTarget>> {
        let weighted =
            source.annotations(Axis::Rows)?.is_some_and(|rows| svmlight::has_weights(&*rows));
        let stored = [LABEL, QUERY, WEIGHT];
        let stored = if weighted { &stored[..] } else { &stored[..2] };
        Ok(Box::new(SvmlightTarget {
            to: TextPath::new(to, options, &INFO, context)?,
            options: svmlight::WriteOptions::default()
                .base(options.format_options.parse("to-base")?.unwrap_or(Base::One))
                .lossy(options.rounding == Rounding::Nearest),
            others: other_annotations(source, stored)?,
        }))
    }
}

/// The target of a text.
struct SvmlightTarget {
    to: TextPath,
    options: svmlight::WriteOptions,
    /// Annotations that are not stored.
    others: Vec<String>,
}

impl MatrixTarget for SvmlightTarget {
    fn capabilities(&self) -> SinkCapabilities {
        svmlight::capabilities()
    }

    fn path(&self) -> Option<&Path> {
        self.to.path()
    }

    fn check(&self) -> Result<()> {
        self.to.check()
    }

    fn min_bytes(&self, header: &Header) -> u64 {
        // A label and a line break for each row.
        header.shape.rows.saturating_mul(2)
    }

    fn unsupported(&self, metadata: Metadata) -> Vec<String> {
        let others = self.others.iter().cloned();
        metadata
            .named()
            .into_iter()
            .chain(others)
            .chain(["the number of columns".to_owned()])
            .collect()
    }

    fn create(&self, header: &Header, _: [Option<Names<'_>>; 2]) -> Result<Box<dyn MatrixSink>> {
        svmlight::create(self.to.target(), header, None, self.options)
    }

    fn create_annotated(
        &self,
        header: &Header,
        _: [Option<Names<'_>>; 2],
        [rows, _]: [Option<&dyn Annotations>; 2],
    ) -> Result<Box<dyn MatrixSink>> {
        svmlight::create(self.to.target(), header, rows, self.options)
    }
}

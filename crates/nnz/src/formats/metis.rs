//! METIS graphs.

use crate::Context;
use std::path::Path;

use nnz_core::{
    Annotations, Header, MatrixSink, MatrixSource, Metadata, Names, Result, SinkCapabilities,
};
use nnz_storage::InputDirectory;
use nnz_text::metis::{self, SIZE, WEIGHT};

use super::text::{TextPath, other_annotations};
use super::{Confidence, DatasetKind, Format, FormatInfo, FormatName, MatrixTarget, Probe};
use crate::{ConvertOptions, Dataset, Location, OpenOptions};

/// METIS graphs: text, plain or gzipped.
pub(super) struct Metis;

static INFO: FormatInfo = FormatInfo {
    name: FormatName::new("metis"),
    aliases: &[],
    extensions: &["graph", "metis", "graph.gz", "metis.gz"],
    summary: "METIS graphs: the neighbours of each vertex as text, plain or gzipped",
    reads: &[DatasetKind::Matrix],
    writes: &[DatasetKind::Matrix],
    containers: false,
    hdf5: false,
    options: &[],
    read_options: &[],
    streams: true,
    ..FormatInfo::new("", "")
};

impl Format for Metis {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn probe(&self, _: &Probe) -> Result<Option<Confidence>> {
        Ok(None)
    }

    fn open(&self, probe: Probe, _: &OpenOptions) -> Result<Dataset> {
        let context = &probe.context().clone();
        let source = match probe.opened() {
            Some(opened) => metis::from_opened(opened)?,
            None => metis::open_stdin(context)?,
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
        let weights: Vec<String> = (0..1024).map(|at| format!("{WEIGHT}_{at}")).collect();
        let kept: Vec<&str> =
            [SIZE, WEIGHT].into_iter().chain(weights.iter().map(String::as_str)).collect();
        let others = other_annotations(source, &kept)?;
        Ok(Box::new(MetisTarget { to: TextPath::new(to, options, &INFO, context)?, others }))
    }
}

/// The target of a text.
struct MetisTarget {
    to: TextPath,
    /// Annotations that are not stored.
    others: Vec<String>,
}

impl MatrixTarget for MetisTarget {
    fn capabilities(&self) -> SinkCapabilities {
        metis::capabilities()
    }

    fn path(&self) -> Option<&Path> {
        self.to.path()
    }

    fn check(&self) -> Result<()> {
        self.to.check()
    }

    fn min_bytes(&self, header: &Header) -> u64 {
        // A line break for each vertex.
        header.shape.rows
    }

    fn unsupported(&self, metadata: Metadata) -> Vec<String> {
        metadata.named().into_iter().chain(self.others.iter().cloned()).collect()
    }

    fn create(&self, header: &Header, _: [Option<Names<'_>>; 2]) -> Result<Box<dyn MatrixSink>> {
        metis::create(self.to.target(), header, None)
    }

    fn create_annotated(
        &self,
        header: &Header,
        _: [Option<Names<'_>>; 2],
        [rows, _]: [Option<&dyn Annotations>; 2],
    ) -> Result<Box<dyn MatrixSink>> {
        metis::create(self.to.target(), header, rows)
    }
}

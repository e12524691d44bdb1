//! Edge lists.

use crate::Context;
use std::path::Path;

use nnz_core::{
    Header, MatrixSink, MatrixSource, Metadata, Names, Order, Result, Rounding, SinkCapabilities,
};
use nnz_storage::InputDirectory;
use nnz_text::edges::{self, Nodes, ReadOptions, Weight};
use nnz_text::{Base, Size};

use super::text::{self, TextPath};
use super::{
    Confidence, DatasetKind, Format, FormatInfo, FormatName, FormatOption, MatrixTarget, Probe,
};
use crate::{ConvertOptions, Dataset, Location, OpenOptions};

/// Edge lists: text, plain or gzipped.
pub(super) struct Edges;

static INFO: FormatInfo = FormatInfo {
    name: FormatName::new("edges"),
    aliases: &["edgelist", "edge-list"],
    extensions: &["el", "wel", "edges", "ncol", "el.gz", "wel.gz", "edges.gz", "ncol.gz"],
    summary: "Edge lists of SNAP, KONECT, GAP, networkx and igraph: text, plain or gzipped",
    reads: &[DatasetKind::Matrix],
    writes: &[DatasetKind::Matrix],
    containers: false,
    hdf5: false,
    options: &[
        text::to_base("Id of the first node, 0 or 1 [default: 0]"),
        FormatOption::flag(
            "node-names",
            "Write the names of nodes instead of ids; rows and columns must have the same names",
        ),
    ],
    read_options: &[
        text::base("Id of the first node, 0 or 1 [default: 0; 1 for files of KONECT]"),
        FormatOption::parsed::<Size>(
            "shape",
            "ROWSxCOLS",
            "Shape; one number sets both rows and columns [default: square, as large as the greatest id requires, \
             or as a header of KONECT states]",
        ),
        FormatOption::flag(
            "undirected",
            "Edges have no direction and are listed once: the matrix is symmetric",
        ),
        FormatOption::flag(
            "bipartite",
            "The first and the second node of edges are different sets: rows and columns are numbered separately",
        ),
        FormatOption::parsed::<Nodes>(
            "nodes",
            "ids|names",
            "Whether nodes are ids or names [default: names if the first one is not a number]",
        ),
        FormatOption::parsed::<Weight>(
            "weight",
            "FIELD",
            "Field of the weights, counted from 1, or none; other fields are ignored [default: 3 if there are \
             three; more are an error]",
        ),
        FormatOption::flag(
            "ignore-counts",
            "Accept other numbers of edges or nodes than in the header of KONECT or SNAP",
        ),
    ],
    streams: true,
    ..FormatInfo::new("", "")
};

impl Format for Edges {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn probe(&self, probe: &Probe) -> Result<Option<Confidence>> {
        let konect = probe.file().is_some_and(|(_, start)| edges::is_konect(start));
        Ok(konect.then_some(Confidence::Certain))
    }

    fn open(&self, probe: Probe, options: &OpenOptions) -> Result<Dataset> {
        let context = &probe.context().clone();
        let given = &options.format_options;
        let options = ReadOptions::default()
            .base(given.parse("base")?)
            .size(given.parse("shape")?.unwrap_or_default())
            .undirected(given.flag("undirected")?)
            .bipartite(given.flag("bipartite")?)
            .nodes(given.parse("nodes")?)
            .weight(given.parse("weight")?)
            .ignore_counts(given.flag("ignore-counts")?);
        let source = match probe.opened() {
            Some(opened) => edges::from_opened(opened, &options)?,
            None => edges::open_stdin(&options, context)?,
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
        let to = TextPath::new(to, options, &INFO, context)?;
        let extension = to.path().and_then(|path| INFO.extension_of(path)).unwrap_or_default();
        let weights = match extension {
            "el" | "el.gz" => false,
            "wel" | "wel.gz" => true,
            _ => !source.header().iso,
        };
        let given = &options.format_options;
        let options = edges::WriteOptions::default()
            .base(given.parse("to-base")?.unwrap_or(Base::Zero))
            .weights(weights)
            .names(given.flag("node-names")?)
            .lossy(options.rounding == Rounding::Nearest);
        Ok(Box::new(EdgesTarget { to, options }))
    }
}

/// The target of a text.
struct EdgesTarget {
    to: TextPath,
    options: edges::WriteOptions,
}

impl MatrixTarget for EdgesTarget {
    fn capabilities(&self) -> SinkCapabilities {
        edges::capabilities(self.options)
    }

    fn path(&self) -> Option<&Path> {
        self.to.path()
    }

    fn check(&self) -> Result<()> {
        self.to.check()
    }

    fn unsupported_order(&self, order: Order) -> String {
        format!("the target is not stored by {order}")
    }

    fn unsupported(&self, metadata: Metadata) -> Vec<String> {
        let shape = match self.options.names {
            true => "nodes without edges",
            false => "the shape",
        };
        metadata.named().into_iter().chain([shape.to_owned()]).collect()
    }

    fn create(
        &self,
        header: &Header,
        names: [Option<Names<'_>>; 2],
    ) -> Result<Box<dyn MatrixSink>> {
        edges::create(self.to.target(), header, names, self.options)
    }
}

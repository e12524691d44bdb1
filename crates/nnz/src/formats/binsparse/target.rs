//! Writing Binsparse matrices.

use crate::Context;
use std::path::Path;

use nnz_binsparse::{Format, Keys, Layout, LevelKind, MatrixSink, Options, Version};
use nnz_core::{
    Header, MatrixSink as Sink, MatrixSource, Metadata, Names, Order, Result, SinkCapabilities,
    Storage,
};

use crate::container_target::{ContainerTarget, DirectoryKind};
use crate::formats::MatrixTarget;
use crate::formats::target::{check_pointers, named};
use crate::formats::{FormatOption, FormatOptions};
use crate::{ConvertOptions, Location};

/// The option that `--to CSR` sets.
pub(super) const LEVELS: &str = "levels";

/// Options of targets.
pub(super) const OPTIONS: &[FormatOption] = &[
    FormatOption::parsed::<Layout>(
        LEVELS,
        "FORMAT",
        "Binsparse format, such as CSR or \"dense(sparse(element))\", of a target that is Binsparse by its \
         extension or --to binsparse; --to CSR sets both [default: the format of SRC if it is Binsparse; \
         otherwise CSR or CSC, and DMATR or DMATC if all elements are stored]",
    ),
    FormatOption::parsed::<Version>(
        "binsparse-version",
        "VERSION",
        "Specification version to write; the Python package binsparse needs 0.1.0 [default: 0.1]",
    ),
    FormatOption::flag(
        "minimize",
        "Store indices, pointers and values in the smallest types that can represent the whole matrix",
    ),
];

/// The target of a Binsparse matrix, in any container.
pub(super) struct BinsparseTarget {
    container: ContainerTarget,
    layout: Layout,
    /// Whether the layout was set. Otherwise it follows from the order of the entries.
    asked: bool,
    capabilities: SinkCapabilities,
    options: Options,
}

impl BinsparseTarget {
    pub(super) fn new(
        to: &Location,
        options: &ConvertOptions,
        source: &dyn MatrixSource,
        context: &Context,
    ) -> Result<Self> {
        let (path, group) = named(to, "binsparse")?;
        let container = ContainerTarget::new(path, group, DirectoryKind::Npy, options, context)?;
        let asked = options.format_options.parse(LEVELS)?;
        let layout = asked.clone().unwrap_or_else(|| own_layout(source));
        let asked = asked.is_some();
        let mut capabilities = nnz_binsparse::capabilities(&layout)?;
        if !asked && !source.is_vector() {
            capabilities.orders = &[Order::Row, Order::Col];
        }
        let options = write_options(&options.format_options, &source.metadata())?;
        Ok(Self { container, layout, asked, capabilities, options })
    }

    /// Returns the layout for entries in an order.
    fn layout(&self, order: Order) -> Layout {
        if self.asked { self.layout.clone() } else { self.layout.in_order(order) }
    }
}

impl MatrixTarget for BinsparseTarget {
    fn capabilities(&self) -> SinkCapabilities {
        self.capabilities.clone()
    }

    fn path(&self) -> Option<&Path> {
        Some(self.container.path())
    }

    fn check(&self) -> Result<()> {
        self.container.check(&[])
    }

    fn min_bytes(&self, header: &Header) -> u64 {
        let levels = self.layout(header.order).levels().to_vec();
        let all_dense = levels.iter().all(|level| level.kind == LevelKind::Dense);
        match levels.first() {
            // One value for all elements.
            _ if header.iso && all_dense => 0,
            _ if all_dense => u64::try_from(header.shape.elements()).unwrap_or(u64::MAX),
            // One pointer per major vector.
            Some(level) if level.kind == LevelKind::Dense => header.shape.major(header.order),
            // All elements of a vector that has an entry.
            _ if levels.last().is_some_and(|level| level.kind == LevelKind::Dense)
                && header.nnz.is_some_and(|stored| stored > 0)
                && !header.iso =>
            {
                header.shape.minor(header.order)
            }
            _ => 0,
        }
    }

    fn smaller_format(&self, header: &Header) -> Option<(String, String)> {
        let layout = self.layout(header.order);
        let (first, last) = (layout.levels().first()?, layout.levels().last()?);
        let compressed = first.kind == LevelKind::Dense && last.kind == LevelKind::Sparse;
        compressed.then(|| {
            let (axis, order) = (header.order.major(), header.order);
            let other = Layout::from(Format::Coor).in_order(order);
            (format!("pointers for all {axis}"), other.to_string())
        })
    }

    fn narrows_value_type(&self) -> bool {
        self.options.minimize
    }

    fn note(&self) -> Option<String> {
        self.container.groups_lost()
    }

    fn unsupported(&self, _: Metadata) -> Vec<String> {
        Vec::new()
    }

    fn check_header(&self, header: &Header) -> Result<()> {
        match (self.asked, self.smaller_format(header)) {
            (false, Some((_, other))) => {
                let layout = self.layout(header.order);
                check_pointers(header, "format", &format!("{other} has none, {layout} writes them"))
            }
            _ => Ok(()),
        }
    }

    fn create(&self, header: &Header, _: [Option<Names<'_>>; 2]) -> Result<Box<dyn Sink>> {
        let layout = self.layout(header.order);
        let container = self.container.writer(&[])?;
        Ok(Box::new(MatrixSink::create(container, header, &layout, &self.options)?))
    }
}

/// Returns the layout if none is set: the layout of the source, if it is suitable.
fn own_layout(source: &dyn MatrixSource) -> Layout {
    let dense = source.header().storage == Storage::Dense;
    let default = match (source.is_vector(), dense) {
        (true, false) => Format::Cvec,
        (true, true) => Format::Dvec,
        (false, false) => Format::Csr,
        (false, true) => Format::Dmatr,
    };
    let default = Layout::from(default);
    let kept = source.levels().and_then(|levels| levels.parse::<Layout>().ok());
    let suits = |kept: &Layout| {
        let all_dense = kept.levels().iter().all(|level| level.kind == LevelKind::Dense);
        kept.rank() == default.rank() && all_dense == dense
    };
    kept.filter(suits).unwrap_or(default)
}

/// Returns the options of writing, with the metadata of the user.
pub(super) fn write_options(options: &FormatOptions, metadata: &Metadata) -> Result<Options> {
    let keys = |pairs: &[(String, String)]| -> Result<Keys> {
        let mut keys = Keys::default();
        for (key, json) in pairs {
            keys.set(key, json)?;
        }
        Ok(keys)
    };
    Ok(Options {
        version: options.parse("binsparse-version")?.unwrap_or_default(),
        minimize: options.flag("minimize")?,
        user: keys(&metadata.keys)?,
        attributes: keys(&metadata.attributes)?,
        ..Options::default()
    })
}

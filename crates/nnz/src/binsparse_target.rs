//! How a matrix becomes one of Binsparse.

use nnz_binsparse::{Format, Keys, Layout, LevelKind, MatrixSink, Options};
use nnz_container::ContainerWriter;
use nnz_core::{
    Header, MatrixSink as Sink, MatrixSource, Metadata, Order, Result, SinkCapabilities, Storage,
};

use crate::BinsparseOptions;

/// What is decided before anything is written.
pub(crate) struct Binsparse {
    layout: Layout,
    /// Whether the layout was asked for. Otherwise it is made to fit the order entries come in.
    asked: bool,
    needs: SinkCapabilities,
    options: Options,
}

impl Binsparse {
    pub(crate) fn new(how: &BinsparseOptions, source: &dyn MatrixSource) -> Result<Self> {
        let asked = how.layout.is_some();
        let layout = how.layout.clone().unwrap_or_else(|| own_layout(source));
        let mut needs = nnz_binsparse::needs(&layout)?;
        if !asked && !source.is_vector() {
            needs.orders = &[Order::Row, Order::Col];
        }
        Ok(Self { layout, asked, needs, options: options(how, &source.metadata())? })
    }

    pub(crate) fn needs(&self) -> SinkCapabilities {
        self.needs.clone()
    }

    /// Whether types are the smallest that hold what comes.
    pub(crate) fn minimizes(&self) -> bool {
        self.options.minimize
    }

    /// Returns the layout of what comes in an order.
    fn layout(&self, order: Order) -> Layout {
        if self.asked { self.layout.clone() } else { self.layout.in_order(order) }
    }

    /// Returns the bytes that a matrix takes however few entries it has.
    pub(crate) fn least_bytes(&self, header: &Header) -> u64 {
        let levels = self.layout(header.order).levels().to_vec();
        let all_dense = levels.iter().all(|level| level.kind == LevelKind::Dense);
        match levels.first() {
            // One value stands for all cells.
            _ if header.iso && all_dense => 0,
            _ if all_dense => u64::try_from(header.shape.cells()).unwrap_or(u64::MAX),
            // A pointer for each major vector.
            Some(level) if level.kind == LevelKind::Dense => header.shape.major(header.order),
            // Every cell of a vector that has an entry.
            _ if levels.last().is_some_and(|level| level.kind == LevelKind::Dense)
                && header.stored.is_some_and(|stored| stored > 0)
                && !header.iso =>
            {
                header.shape.minor(header.order)
            }
            _ => 0,
        }
    }

    /// Says what to do without where a matrix with few entries is large all the same.
    pub(crate) fn bulk(&self, header: &Header) -> Option<String> {
        let layout = self.layout(header.order);
        let (first, last) = (layout.levels().first()?, layout.levels().last()?);
        let compressed = first.kind == LevelKind::Dense && last.kind == LevelKind::Sparse;
        compressed.then(|| {
            let (axis, order) = (header.order.major(), header.order);
            let other = Layout::from(Format::Coor).in_order(order);
            format!("pointers for all {axis} (--to {other} does without)")
        })
    }

    /// Starts writing.
    pub(crate) fn create(
        &self,
        container: Box<dyn ContainerWriter>,
        header: &Header,
    ) -> Result<Box<dyn Sink>> {
        let layout = self.layout(header.order);
        Ok(Box::new(MatrixSink::create(container, header, &layout, &self.options)?))
    }
}

/// Returns the layout where none is asked for: that of the source, if it has one that suits.
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

/// Returns how it is written, with what users keep beside it.
pub(crate) fn options(how: &BinsparseOptions, metadata: &Metadata) -> Result<Options> {
    let keys = |pairs: &[(String, String)]| -> Result<Keys> {
        let mut keys = Keys::default();
        for (key, json) in pairs {
            keys.set(key, json)?;
        }
        Ok(keys)
    };
    Ok(Options {
        version: how.version.clone().unwrap_or_default(),
        minimize: how.minimize,
        user: keys(&metadata.keys)?,
        attributes: keys(&metadata.attributes)?,
        ..Options::default()
    })
}

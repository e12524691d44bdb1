//! How a matrix becomes one of Binsparse.

use nnz_binsparse::{Format, Keys, Layout, LevelKind, MatrixSink, Options};
use nnz_container::ContainerWriter;
use nnz_core::{Header, MatrixSink as Sink, MatrixSource, Metadata, Needs, Order, Result, Storage};

use crate::BinsparseOptions;

/// What is decided before anything is written.
pub(crate) struct Binsparse {
    /// The layout, unless it follows from the order entries come in.
    layout: Option<Layout>,
    dense: bool,
    vector: bool,
    needs: Needs,
    options: Options,
}

impl Binsparse {
    pub(crate) fn new(how: &BinsparseOptions, source: &dyn MatrixSource) -> Result<Self> {
        let dense = source.header().storage == Storage::Dense;
        let vector = source.is_vector();
        let layout = how.layout.clone();
        let needs = match &layout {
            Some(layout) => nnz_binsparse::needs(layout)?,
            None => {
                let either = nnz_binsparse::needs(&layout_for(Order::Row, dense, vector))?;
                Needs {
                    orders: if vector { &[Order::Col] } else { &[Order::Row, Order::Col] },
                    ..either
                }
            }
        };
        Ok(Self { layout, dense, vector, needs, options: options(how, &source.metadata())? })
    }

    pub(crate) fn needs(&self) -> Needs {
        self.needs.clone()
    }

    /// Whether types are the smallest that hold what comes.
    pub(crate) fn minimizes(&self) -> bool {
        self.options.minimize
    }

    /// Returns the layout of what comes in an order.
    fn layout(&self, order: Order) -> Layout {
        let own = || layout_for(order, self.dense, self.vector);
        self.layout.clone().unwrap_or_else(own)
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

/// Returns the layout of matrices that come in an order, where none is asked for.
fn layout_for(order: Order, dense: bool, vector: bool) -> Layout {
    Layout::from(match (vector, dense, order) {
        (true, false, _) => Format::Cvec,
        (true, true, _) => Format::Dvec,
        (false, false, Order::Row) => Format::Csr,
        (false, false, Order::Col) => Format::Csc,
        (false, true, Order::Row) => Format::Dmatr,
        (false, true, Order::Col) => Format::Dmatc,
    })
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

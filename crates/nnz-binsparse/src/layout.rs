//! How a matrix or tensor is cut into levels: dense and sparse ones down to the elements.

mod text;

use nnz_core::Order;

use crate::Format;

/// The most dimensions that are handled.
pub const MOST_DIMENSIONS: usize = 64;

/// Says whether a level stores all of its slices or lists those that it stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LevelKind {
    /// Every slice is stored.
    Dense,
    /// Indices say which slices are stored.
    Sparse,
}

/// A level of a tree, for one dimension or for several at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Level {
    /// Whether all slices are stored.
    pub kind: LevelKind,
    /// The number of dimensions.
    pub rank: usize,
}

/// The levels from the outermost to the last one above the elements, and which dimension each of
/// theirs is.
///
/// ```
/// use nnz_binsparse::{Format, Layout};
/// let layout: Layout = "dense(sparse(element))".parse()?;
/// assert_eq!(layout.format(), Some(Format::Csr));
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Layout {
    levels: Vec<Level>,
    /// The dimension that each dimension of the levels is; empty where none change places.
    transpose: Vec<usize>,
}

impl Layout {
    /// Makes a layout; without a `transpose` no dimensions change places.
    ///
    /// `None` where a level has no dimension, there are more than [`MOST_DIMENSIONS`], or
    /// `transpose` does not name each of them once.
    #[must_use]
    pub fn new(levels: Vec<Level>, transpose: Option<Vec<usize>>) -> Option<Self> {
        let rank = levels.iter().try_fold(0_usize, |rank, level| rank.checked_add(level.rank))?;
        if rank > MOST_DIMENSIONS || levels.iter().any(|level| level.rank == 0) {
            return None;
        }
        let transpose = match transpose {
            Some(order) => {
                let mut sorted = order.clone();
                sorted.sort_unstable();
                if !sorted.into_iter().eq(0..rank) {
                    return None;
                }
                if order.is_sorted() { Vec::new() } else { order }
            }
            None => Vec::new(),
        };
        Some(Self { levels, transpose })
    }

    /// Returns the layout of a single value, which has no dimension.
    #[must_use]
    pub fn element() -> Self {
        Self { levels: Vec::new(), transpose: Vec::new() }
    }

    /// Returns the levels, the outermost first.
    #[must_use]
    pub fn levels(&self) -> &[Level] {
        &self.levels
    }

    /// Returns the number of dimensions.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.levels.iter().map(|level| level.rank).sum()
    }

    /// Returns which dimension the dimension `stored` of the levels is.
    #[must_use]
    pub fn dimension(&self, stored: usize) -> usize {
        self.transpose.get(stored).copied().unwrap_or(stored)
    }

    /// Returns whether dimensions change places.
    #[must_use]
    pub fn is_transposed(&self) -> bool {
        !self.transpose.is_empty()
    }

    /// Returns the dimensions in the order of the levels, where they change places.
    #[must_use]
    pub fn transpose(&self) -> Option<&[usize]> {
        self.is_transposed().then_some(&self.transpose)
    }

    /// Puts what belongs to each dimension into the order of the levels.
    #[must_use]
    pub fn stored<T: Copy>(&self, logical: &[T]) -> Vec<T> {
        (0..logical.len())
            .filter_map(|stored| logical.get(self.dimension(stored)).copied())
            .collect()
    }

    /// Returns the same levels for a matrix whose entries come in an order. Others than matrices stay
    /// as they are.
    #[must_use]
    pub fn in_order(&self, order: Order) -> Self {
        let transpose = match (self.rank(), order) {
            (2, Order::Row) => Vec::new(),
            (2, Order::Col) => vec![1, 0],
            _ => self.transpose.clone(),
        };
        Self { levels: self.levels.clone(), transpose }
    }

    /// Returns the same with neighbouring dense levels as one: they are stored alike.
    #[must_use]
    pub fn merged(&self) -> Self {
        let mut levels: Vec<Level> = Vec::with_capacity(self.levels.len());
        for &level in &self.levels {
            match levels.last_mut() {
                Some(last) if last.kind == LevelKind::Dense && level.kind == LevelKind::Dense => {
                    last.rank += level.rank;
                }
                _ => levels.push(level),
            }
        }
        Self { levels, transpose: self.transpose.clone() }
    }

    /// Returns the short name of this layout, or of one that is stored alike.
    #[must_use]
    pub fn format(&self) -> Option<Format> {
        let merged = self.merged();
        Format::ALL.iter().copied().find(|format| format.layout().merged() == merged)
    }

    /// Lists the arrays a matrix or tensor is made of besides `fill_value`, `values` last.
    #[must_use]
    pub fn arrays(&self) -> Vec<String> {
        let mut names = Vec::new();
        let mut dimension = 0;
        for (number, level) in self.levels.iter().enumerate() {
            if level.kind == LevelKind::Sparse {
                if number > 0 {
                    names.push(pointers(dimension));
                }
                names.extend((dimension..dimension + level.rank).map(indices));
            }
            dimension += level.rank;
        }
        names.push("values".to_owned());
        names
    }
}

impl From<Format> for Layout {
    fn from(format: Format) -> Self {
        format.layout()
    }
}

/// Names the pointers of the sparse level that starts with a dimension.
pub(crate) fn pointers(dimension: usize) -> String {
    format!("pointers_to_{dimension}")
}

/// Names the indices along a dimension.
pub(crate) fn indices(dimension: usize) -> String {
    format!("indices_{dimension}")
}

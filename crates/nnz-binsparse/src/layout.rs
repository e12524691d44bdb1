//! The levels of a matrix or tensor: dense and sparse ones down to the elements.

mod text;

use nnz_core::Order;

use crate::Format;

/// The largest supported number of dimensions.
pub const MAX_DIMENSIONS: usize = 64;

/// Whether a level stores all of its slices or lists the stored ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LevelKind {
    /// Every slice is stored.
    Dense,
    /// Indices list the stored slices.
    Sparse,
}

/// A level of a tree, for one or more dimensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Level {
    /// Whether all slices are stored.
    pub kind: LevelKind,
    /// The number of dimensions.
    pub rank: usize,
}

/// The levels from the outermost to the innermost, and the order of their dimensions.
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
    /// The logical dimension of each dimension of the levels; empty if they are in order.
    transpose: Vec<usize>,
}

impl Layout {
    /// Creates a layout; without a `transpose`, dimensions are in order.
    ///
    /// Returns `None` if a level has no dimension, there are more than [`MAX_DIMENSIONS`], or
    /// `transpose` is not a permutation.
    #[must_use]
    pub fn new(levels: Vec<Level>, transpose: Option<Vec<usize>>) -> Option<Self> {
        let rank = levels.iter().try_fold(0_usize, |rank, level| rank.checked_add(level.rank))?;
        if rank > MAX_DIMENSIONS || levels.iter().any(|level| level.rank == 0) {
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

    /// Returns the levels, outermost first.
    #[must_use]
    pub fn levels(&self) -> &[Level] {
        &self.levels
    }

    /// Returns the number of dimensions.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.levels.iter().map(|level| level.rank).sum()
    }

    /// Returns the logical dimension of the dimension `stored` of the levels.
    #[must_use]
    pub fn dimension(&self, stored: usize) -> usize {
        self.transpose.get(stored).copied().unwrap_or(stored)
    }

    /// Returns whether the order of dimensions differs from the logical one.
    #[must_use]
    pub fn is_transposed(&self) -> bool {
        !self.transpose.is_empty()
    }

    /// Returns the dimensions in the order of the levels, if it differs from the logical one.
    #[must_use]
    pub fn transpose(&self) -> Option<&[usize]> {
        self.is_transposed().then_some(&self.transpose)
    }

    /// Reorders one item per dimension into the order of the levels.
    #[must_use]
    pub fn stored<T: Copy>(&self, logical: &[T]) -> Vec<T> {
        (0..logical.len())
            .filter_map(|stored| logical.get(self.dimension(stored)).copied())
            .collect()
    }

    /// Returns the same levels for a matrix in another storage order. Layouts of vectors and
    /// tensors are returned unchanged.
    #[must_use]
    pub fn in_order(&self, order: Order) -> Self {
        let transpose = match (self.rank(), order) {
            (2, Order::Row) => Vec::new(),
            (2, Order::Col) => vec![1, 0],
            _ => self.transpose.clone(),
        };
        Self { levels: self.levels.clone(), transpose }
    }

    /// Merges consecutive dense levels, which are stored like a single one.
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

    /// Returns the format of this layout, or of one that is stored the same way.
    #[must_use]
    pub fn format(&self) -> Option<Format> {
        let merged = self.merged();
        Format::ALL.iter().copied().find(|format| format.layout().merged() == merged)
    }

    /// Lists the arrays of a matrix or tensor except `fill_value`; `values` is last.
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

/// Returns the name of the pointers of the sparse level that starts with a dimension.
pub(crate) fn pointers(dimension: usize) -> String {
    format!("pointers_to_{dimension}")
}

/// Returns the name of the indices along a dimension.
pub(crate) fn indices(dimension: usize) -> String {
    format!("indices_{dimension}")
}

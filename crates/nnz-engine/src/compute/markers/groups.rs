//! Groups of cells, and what is known of the values of a feature in each.

use nnz_core::{Error, Result};

/// The groups of cells.
#[derive(Debug)]
pub(super) struct Groups {
    /// The group of each cell. Cells without one have the number after the last.
    pub(super) codes: Vec<u32>,
    /// The number of cells of each group, and of those without one.
    pub(super) sizes: Vec<u64>,
}

/// The greatest number of cells for which sums of ranks have 64 bits.
const MOST_CELLS: usize = 1 << 31;

impl Groups {
    /// Counts the cells of groups.
    ///
    /// # Errors
    ///
    /// Fails if a group has fewer than two cells, or all.
    pub(super) fn new(codes: &[Option<u32>], groups: u32) -> Result<Self> {
        if codes.len() > MOST_CELLS {
            let what = format!("{} cells: expected at most 2^31", codes.len());
            return Err(Error::argument(what));
        }
        // Each has cells. Checked before anything of this length is allocated.
        if groups as usize > codes.len() {
            let what =
                format!("{groups} groups of {} cells: expected at least 2 each", codes.len());
            return Err(Error::argument(what));
        }
        let codes: Vec<u32> = codes.iter().map(|code| code.unwrap_or(groups)).collect();
        let mut sizes = vec![0; groups as usize + 1];
        codes.iter().for_each(|code| sizes[*code as usize] += 1);
        for (group, size) in (0..groups).zip(&sizes) {
            let what = match *size {
                0 => "no cells",
                1 => "1 cell",
                size if size == codes.len() as u64 => {
                    let what = format!("group {group} has all cells: there are no others");
                    return Err(Error::argument(what));
                }
                _ => continue,
            };
            let what = format!("group {group} has {what}: expected at least 2");
            return Err(Error::argument(what));
        }
        Ok(Self { codes, sizes })
    }

    /// Returns the number of groups, without the cells that have none.
    pub(super) fn count(&self) -> usize {
        self.sizes.len() - 1
    }
}

/// The values of a feature in some cells.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Moments {
    pub(super) cells: u64,
    /// How many values are not zero.
    pub(super) nonzero: u64,
    pub(super) sum: f64,
    /// The sum of the squared differences from the mean.
    pub(super) squares: f64,
}

#[allow(clippy::cast_precision_loss, reason = "there are fewer than 2^53 cells")]
impl Moments {
    pub(super) fn len(&self) -> f64 {
        self.cells as f64
    }

    pub(super) fn mean(&self) -> f64 {
        self.sum / self.len()
    }

    /// Returns the fraction of cells with a value other than zero.
    pub(super) fn fraction(&self) -> f64 {
        self.nonzero as f64 / self.len()
    }

    /// Returns the variance of the mean: that of the values, with n - 1 in the denominator, divided by n.
    pub(super) fn variance_of_mean(&self) -> f64 {
        self.squares / (self.len() - 1.0).max(1.0) / self.len()
    }

    /// Returns the moments of these and other cells.
    pub(super) fn joined(&self, other: &Self) -> Self {
        if self.cells == 0 {
            return *other;
        }
        if other.cells == 0 {
            return *self;
        }
        let difference = other.mean() - self.mean();
        let cells = self.cells + other.cells;
        let between = difference * difference * self.len() * (other.len() / cells as f64);
        Self {
            cells,
            nonzero: self.nonzero + other.nonzero,
            sum: self.sum + other.sum,
            squares: self.squares + other.squares + between,
        }
    }
}

//! Comparing the values of one feature in each group with those in all other cells.

use nnz_core::{Error, Result};

use super::groups::{Groups, Moments};
use super::{MarkerOptions, MarkerTest, distribution};
use crate::compute::lines::{Layout, Line, LineWork, Ranked};

/// Numbers that are found for each group and feature.
pub(super) const NUMBERS: usize = 5;

/// How features are compared.
#[derive(Debug)]
pub(super) struct Comparison<'a> {
    pub(super) groups: &'a Groups,
    pub(super) options: &'a MarkerOptions,
}

impl LineWork for Comparison<'_> {
    type Scratch<T: Ranked> = Scratch<T>;

    /// Compares the values of a feature, and appends score, p-value, fold change and the fractions of cells of each group.
    ///
    /// # Errors
    ///
    /// Fails for values that are not finite.
    fn process<T: Ranked>(
        &self,
        layout: &Layout,
        scratch: &mut Scratch<T>,
        feature: &Line<T>,
        found: &mut Vec<f64>,
    ) -> Result<()> {
        layout.check_exact(feature, "groups are compared by")?;
        scratch.compare(self, feature, found).map_err(|NotFinite { cell, number }| {
            let what = format!("a value of {number}: groups are compared by finite values");
            Error::unsupported(layout.place(feature.position, cell), what)
        })
    }
}

/// A value that cannot be compared.
struct NotFinite {
    cell: u32,
    number: f64,
}

/// The buffers of a thread.
pub(super) struct Scratch<T: Ranked> {
    keys: Vec<T::Key>,
    groups: Vec<Moments>,
    rest: Vec<Moments>,
    /// Twice the sum of the ranks of each group.
    ranks: Vec<u64>,
}

impl<T: Ranked> Default for Scratch<T> {
    fn default() -> Self {
        Self { keys: Vec::new(), groups: Vec::new(), rest: Vec::new(), ranks: Vec::new() }
    }
}

impl<T: Ranked> Scratch<T> {
    /// Compares the values of a feature.
    fn compare(
        &mut self,
        how: &Comparison<'_>,
        feature: &Line<T>,
        found: &mut Vec<f64>,
    ) -> std::result::Result<(), NotFinite> {
        self.add_up(how, feature)?;
        let ties = match how.options.test {
            MarkerTest::Wilcoxon => self.rank(how.groups),
            MarkerTest::TTest => {
                self.add_squares(how.groups, feature);
                0
            }
        };
        self.find_rest();
        let variance = rank_variance(how.groups.codes.len() as u64, ties, how.options);
        let groups = self.groups.iter().zip(&self.rest).zip(&self.ranks);
        for ((group, rest), ranks) in groups.take(how.groups.count()) {
            let (score, p_value) = match how.options.test {
                MarkerTest::Wilcoxon => rank_sum_test(group, rest, *ranks, variance),
                MarkerTest::TTest => t_test(group, rest),
            };
            found.extend([score, p_value, fold_change(group, rest)]);
            found.extend([group.fraction(), rest.fraction()]);
        }
        Ok(())
    }

    /// Counts and adds up the values in each group, and collects those that are ranked.
    fn add_up(
        &mut self,
        how: &Comparison<'_>,
        feature: &Line<T>,
    ) -> std::result::Result<(), NotFinite> {
        let Groups { codes, sizes } = how.groups;
        self.groups.clear();
        self.groups
            .extend(sizes.iter().map(|cells| Moments { cells: *cells, ..Moments::default() }));
        self.keys.clear();
        let ranked = how.options.test == MarkerTest::Wilcoxon;
        for (value, cell) in feature.values.iter().zip(&feature.minors) {
            let number: f64 = (*value).into();
            if !number.is_finite() {
                return Err(NotFinite { cell: *cell, number });
            }
            if number == 0.0 {
                continue;
            }
            let code = codes[*cell as usize];
            let group = &mut self.groups[code as usize];
            group.nonzero += 1;
            group.sum += number;
            if ranked {
                self.keys.push(value.key(code));
            }
        }
        Ok(())
    }

    /// Adds up the ranks of each group, and returns the sum of `n^3 - n` of the numbers of equal values. All zeros are equal,
    /// and come after the negative values.
    fn rank(&mut self, groups: &Groups) -> u128 {
        self.ranks.clear();
        self.ranks.resize(groups.sizes.len(), 0);
        self.keys.sort_unstable();
        let nonzero = self.keys.len() as u64;
        let zeros = groups.codes.len() as u64 - nonzero;
        let negative = self.keys.partition_point(|key| T::is_negative(*key)) as u64;
        let mut before = 0;
        let mut ties = tied(zeros);
        for equal in self.keys.chunk_by(|one, other| T::have_equal_values(*one, *other)) {
            let len = equal.len() as u64;
            let lower = if before < negative { before } else { before + zeros };
            // Twice the mean of the ranks from `lower + 1` to `lower + len`.
            let rank = 2 * lower + len + 1;
            equal.iter().for_each(|key| self.ranks[T::code(*key) as usize] += rank);
            if len > 1 {
                ties += tied(len);
            }
            before += len;
        }
        let rank = 2 * negative + zeros + 1;
        for (ranks, group) in self.ranks.iter_mut().zip(&self.groups) {
            *ranks += (group.cells - group.nonzero) * rank;
        }
        ties
    }

    /// Adds up the squared differences from the mean of each group.
    #[allow(clippy::cast_precision_loss, reason = "there are fewer than 2^53 cells")]
    fn add_squares(&mut self, groups: &Groups, feature: &Line<T>) {
        self.ranks.resize(groups.sizes.len(), 0);
        // Until the end of the loop, `rest` has the means.
        self.rest.clone_from(&self.groups);
        self.rest.iter_mut().for_each(|group| group.sum = group.mean());
        for (value, cell) in feature.values.iter().zip(&feature.minors) {
            let number: f64 = (*value).into();
            if number != 0.0 {
                let code = groups.codes[*cell as usize] as usize;
                let difference = number - self.rest[code].sum;
                self.groups[code].squares += difference * difference;
            }
        }
        for group in self.groups.iter_mut().filter(|group| group.cells > 0) {
            let mean = group.mean();
            group.squares += (group.cells - group.nonzero) as f64 * mean * mean;
        }
    }

    /// Joins all groups but one, for each of them. Nothing is subtracted, so that no digits are lost.
    fn find_rest(&mut self) {
        self.rest.clear();
        self.rest.resize(self.groups.len(), Moments::default());
        let mut after = Moments::default();
        for (rest, group) in self.rest.iter_mut().zip(&self.groups).rev() {
            *rest = after;
            after = group.joined(&after);
        }
        let mut before = Moments::default();
        for (rest, group) in self.rest.iter_mut().zip(&self.groups) {
            *rest = before.joined(rest);
            before = before.joined(group);
        }
    }
}

/// Returns `n^3 - n`.
fn tied(n: u64) -> u128 {
    let n = u128::from(n);
    n * n * n - n
}

/// Returns the variance of the sum of the ranks of a group, divided by the numbers of cells in it and outside of it.
#[allow(clippy::cast_precision_loss, reason = "it rounds")]
fn rank_variance(cells: u64, ties: u128, options: &MarkerOptions) -> f64 {
    let all = tied(cells);
    let untied = match options.tie_correction {
        true => (all - ties) as f64 / all as f64,
        false => 1.0,
    };
    untied * (cells + 1) as f64 / 12.0
}

/// Returns the standardized sum of ranks, of which twice the sum is given, and its p-value.
#[allow(clippy::cast_precision_loss, reason = "it rounds")]
fn rank_sum_test(group: &Moments, rest: &Moments, ranks: u64, variance: f64) -> (f64, f64) {
    let expected = i128::from(group.cells) * i128::from(group.cells + rest.cells + 1);
    let difference = (i128::from(ranks) - expected) as f64 / 2.0;
    let score = difference / (variance * group.len() * rest.len()).sqrt();
    // All values are equal.
    let score = if score.is_nan() { 0.0 } else { score };
    (score, distribution::normal(score))
}

/// Returns Welch's t and its p-value.
fn t_test(group: &Moments, rest: &Moments) -> (f64, f64) {
    let [own, other] = [group.variance_of_mean(), rest.variance_of_mean()];
    let parts = own * own / (group.len() - 1.0) + other * other / (rest.len() - 1.0);
    let freedom = (own + other) * (own + other) / parts;
    // As SciPy, if there is no variance, or a single other cell.
    let freedom = if freedom.is_nan() { 1.0 } else { freedom };
    let score = (group.mean() - rest.mean()) / (own + other).sqrt();
    match score.is_nan() {
        true => (0.0, 1.0),
        false => (score, distribution::student(score, freedom)),
    }
}

/// Returns the binary logarithm of the ratio of means, which are taken for logarithms of 1 plus a number.
fn fold_change(group: &Moments, rest: &Moments) -> f64 {
    let [own, other] = [group, rest].map(|cells| cells.mean().exp_m1() + 1e-9);
    (own / other).log2()
}

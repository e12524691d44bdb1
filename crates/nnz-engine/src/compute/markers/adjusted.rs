//! P-values that are adjusted for the number of tests.

use nnz_core::{Result, parallel};

use super::Markers;

impl Markers {
    /// Adjusts the p-values of each group.
    pub(super) fn adjust(&mut self, threads: usize) -> Result<()> {
        self.adjusted_p_values = self.p_values.clone();
        let groups = self.adjusted_p_values.chunks_mut(self.features.max(1));
        parallel::for_each(threads, groups, |group| {
            adjust(group);
            Ok(())
        })
    }
}

/// Adjusts p-values by the method of Benjamini and Hochberg: each is divided by the fraction of p-values that are not greater, and
/// is at most that of the next greater one.
#[allow(clippy::cast_precision_loss, reason = "there are fewer than 2^53")]
fn adjust(p_values: &mut [f64]) {
    let mut order: Vec<(f64, usize)> = p_values.iter().copied().zip(0..).collect();
    order.sort_unstable_by(|one, other| one.0.total_cmp(&other.0));
    let count = order.len() as f64;
    let mut least = 1.0_f64;
    for (rank, (p_value, at)) in order.into_iter().enumerate().rev() {
        least = least.min(p_value / ((rank + 1) as f64 / count));
        p_values[at] = least;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn p_values_are_adjusted_in_any_order() {
        let mut p_values = [0.04, 0.01, 0.5, 0.03, 0.02];
        adjust(&mut p_values);
        // 0.01, 0.02, 0.03 and 0.04 are all 0.05, and the greatest stays.
        let expected = [0.05, 0.05, 0.5, 0.05, 0.05];
        assert!(p_values.iter().zip(expected).all(|(found, one)| (found - one).abs() < 1e-15));
        adjust(&mut []);
    }
}

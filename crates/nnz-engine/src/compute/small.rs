//! Computing each small integer of a row or column once.

use nnz_bitpack::{SMALL, look_up_f32};
use nnz_core::{Batch, Minors, Values};

use super::step::ValueStep;

/// Entries of a row or column, on average, for which a table is worth it.
const LEAST: usize = 4 * SMALL;

/// Returns whether there are fewer values to compute if each small integer of a row or column is computed once, and they take
/// long.
pub(super) fn is_worth_it(steps: &[ValueStep], batch: &Batch) -> bool {
    let major = batch.order.major();
    batch.entries() / LEAST >= batch.runs()
        && u32::try_from(batch.entries()).is_ok()
        && steps.iter().any(|step| matches!(step, ValueStep::Log1p | ValueStep::Expm1))
        && !steps.iter().any(|step| step.needs_minors(major))
}

/// Applies steps that need no minor indices to the integers of a batch.
#[allow(clippy::cast_precision_loss, reason = "it rounds, as without a table")]
pub(super) fn apply(steps: &[ValueStep], batch: &Batch, numbers: &[u32], into: &mut Vec<f32>) {
    let runs = batch.runs();
    let offsets = (0..=runs).map(|run| run * SMALL).collect();
    let tables: Vec<f32> = (0..runs * SMALL).map(|at| (at % SMALL) as f32).collect();
    let tables = applied(steps, batch, offsets, tables);
    into.resize(numbers.len(), 0.0);
    let (mut others, mut ends) = (vec![0; numbers.len()], vec![0]);
    let mut count = 0;
    for (run, table) in tables.as_chunks::<SMALL>().0.iter().enumerate() {
        let entries = batch.run(run);
        // Indices are those in the run.
        let others = &mut others[count..][..entries.len()];
        let found =
            look_up_f32(&numbers[entries.clone()], table, &mut into[entries.clone()], others);
        let first = u32::try_from(entries.start).unwrap_or(u32::MAX);
        others[..found].iter_mut().for_each(|at| *at += first);
        count += found;
        ends.push(count);
    }
    others.truncate(count);
    let large = others.iter().map(|at| numbers[*at as usize] as f32).collect();
    for (at, value) in others.iter().zip(applied(steps, batch, ends, large)) {
        into[*at as usize] = value;
    }
}

/// Applies steps to other values in the rows or columns of a batch.
fn applied(
    steps: &[ValueStep],
    batch: &Batch,
    offsets: Vec<usize>,
    mut values: Vec<f32>,
) -> Vec<f32> {
    let (order, majors) = (batch.order, batch.majors.clone());
    let minors = Minors::U32(Vec::new());
    let rows = Batch { order, majors, offsets, minors, values: Values::default() };
    steps.iter().for_each(|step| step.apply(&rows, &mut values));
    values
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use nnz_core::{Axis, Majors, Order};

    use super::*;

    #[test]
    #[allow(clippy::cast_precision_loss, reason = "numbers are small")]
    fn values_are_those_without_a_table() {
        let factors: Arc<[f64]> = (1..9).map(|n| 1.0 / f64::from(n)).collect();
        let steps = [ValueStep::ScaleAxis(Axis::Cols, factors), ValueStep::Log1p];
        for large in [0, 3, 50] {
            let numbers: Vec<u32> = (0..1000_u32)
                .map(|n| if n % 100 < large { n * 7919 % 100_000 } else { n * 31 % 16 })
                .collect();
            let batch = Batch {
                order: Order::Col,
                majors: Majors::Listed(vec![7, 2, 3]),
                offsets: vec![0, 500, 507, 1000],
                minors: Minors::U32(vec![0; 1000]),
                values: Values::from(numbers.clone()),
            };
            assert!(is_worth_it(&steps, &batch));
            let mut expected: Vec<f32> = numbers.iter().map(|number| *number as f32).collect();
            steps.iter().for_each(|step| step.apply(&batch, &mut expected));
            let mut found = vec![9.0; 3];
            apply(&steps, &batch, &numbers, &mut found);
            assert_eq!(found, expected, "{large}");
        }
        let by_row = [ValueStep::ScaleAxis(Axis::Rows, Arc::default()), ValueStep::Log1p];
        let batch = Batch { offsets: vec![0, 500], ..Batch::new(Order::Col, Values::default()) };
        assert!(!is_worth_it(&by_row, &batch) && !is_worth_it(&steps[..1], &batch));
    }
}

//! How values are distributed.

mod scale;

use nnz_engine::plot::ValueCounts;
use nnz_plot::{Bar, Figure, Marks, Panel, format_grouped};

use super::bars::counts_axis;
use super::names::{counted, number_text};
use scale::ValueScale;

/// Makes a figure of the distribution of values.
#[must_use]
pub fn values(counts: &ValueCounts, title: &str) -> Figure {
    values_alike(&[counts], title).pop().unwrap_or_default()
}

/// Makes a figure of each distribution, with the same bins and scales.
pub(crate) fn values_alike(counts: &[&ValueCounts], title: &str) -> Vec<Figure> {
    let Some((first, others)) = counts.split_first() else { return Vec::new() };
    let all = others.iter().fold((*first).clone(), |all, other| all.joined(other));
    let scale = ValueScale::of(&all);
    let bars: Vec<Vec<Bar>> = counts.iter().map(|one| scale.bars(one, &all)).collect();
    let y = counts_axis("entries", bars.iter().flatten());
    let figures = counts.iter().zip(bars).map(|(counts, bars)| {
        let marks = match (counts.entries, bars.is_empty()) {
            (0, _) => Marks::Nothing("no entries".to_owned()),
            (_, true) => Marks::Nothing("no finite values".to_owned()),
            (_, false) => Marks::Bars(bars),
        };
        let figure = Figure::new(title).subtitle(subtitle(counts));
        let figure = figure.panel(Panel::new(scale.axis.clone(), y.clone(), marks));
        match note(counts) {
            Some(note) => figure.note(note),
            None => figure,
        }
    });
    figures.collect()
}

fn subtitle(counts: &ValueCounts) -> String {
    let entries = counted(counts.entries, "entry", "entries");
    match (counts.min, counts.max) {
        (Some(min), Some(max)) => {
            format!("{entries}, values from {} to {}", number_text(min), number_text(max))
        }
        _ => entries,
    }
}

/// Describes values that have no place on the axis.
fn note(counts: &ValueCounts) -> Option<String> {
    let apart = [
        (counts.nan, "NaN"),
        (counts.negative_infinity, "negative infinity"),
        (counts.positive_infinity, "positive infinity"),
        (zeros(counts), "stored zeros"),
    ];
    let apart = apart.into_iter().filter(|(count, _)| *count > 0);
    let apart: Vec<String> =
        apart.map(|(count, what)| format!("{what}: {}", format_grouped(count))).collect();
    (!apart.is_empty()).then(|| apart.join("; "))
}

fn zeros(counts: &ValueCounts) -> u64 {
    counts.integers.first().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use nnz_core::{Order, Shape, Values};
    use nnz_engine::{CsMatrix, TaskContext};

    use nnz_plot::Axis;

    use super::*;

    fn of(values: Vec<f64>) -> ValueCounts {
        let shape = Shape { rows: 1, cols: values.len() as u64 };
        let (indptr, indices) = (vec![0, shape.cols], (0..shape.cols).collect::<Vec<u64>>());
        let values = Values::F64(values);
        let matrix = CsMatrix::from_parts(shape, Order::Row, indptr, indices, values).unwrap();
        nnz_engine::plot::values(&*matrix.into_source().unwrap(), &TaskContext::default()).unwrap()
    }

    fn panel(counts: &ValueCounts) -> Panel {
        values(counts, "").panels.pop().unwrap()
    }

    fn bars(panel: &Panel) -> &[Bar] {
        match &panel.marks {
            Marks::Bars(bars) => bars,
            other => panic!("{other:?}"),
        }
    }

    /// Checks that zero and both ends have labels, which are short.
    fn check_ticks(axis: &Axis, ends: [&str; 2]) {
        let ticks = axis.ticks.as_ref().unwrap();
        let label = |at: f64| ticks.iter().find(|tick| (tick.at - at).abs() < 1e-9);
        for (end, expected) in axis.range.into_iter().zip(ends) {
            let found = label(end).map(|tick| (&*tick.label, tick.important));
            assert_eq!(found, Some((expected, true)), "{ticks:?}");
        }
        for tick in ticks {
            let digits = tick.label.split('e').next().unwrap();
            assert!(digits.chars().filter(char::is_ascii_digit).count() < 5, "{tick:?}");
        }
        assert!(ticks.is_sorted_by(|a, b| a.at < b.at), "{ticks:?}");
    }

    #[test]
    fn both_sides_of_zero_are_drawn_alike() {
        // Quantiles of a normal distribution, nearly, and their negatives.
        let half = (1..5000).map(|at| (-2.0 * (f64::from(at) / 5000.0).ln()).sqrt() * 0.9);
        let both: Vec<f64> = half.clone().chain(half.map(|value| -value)).collect();
        let panel = panel(&of(both));
        check_ticks(&panel.x, ["-4", "4"]);
        assert!(
            panel.x.ticks.as_ref().unwrap().iter().any(|tick| tick.at == 0.0 && tick.important)
        );
        let bars = bars(&panel);
        assert!(bars.len() > 20);
        for bar in bars {
            let mirrored = [-bar.range[1], -bar.range[0]];
            let other = bars.iter().find(|other| other.range == mirrored);
            assert_eq!(other.map(|other| other.value), Some(bar.value), "{bar:?}");
        }
    }

    #[test]
    fn values_of_different_orders_have_zero_in_the_middle() {
        let sizes = (0..5000).map(|at| 10_f64.powf(f64::from(at) / 1000.0 - 2.5));
        let all: Vec<f64> =
            sizes.clone().chain(sizes.map(|value| -value)).chain([0.0; 7]).collect();
        let panel = panel(&of(all));
        check_ticks(&panel.x, ["-500", "500"]);
        let middle = panel.x.range[1] / 2.0;
        let zero = panel.x.ticks.as_ref().unwrap().iter().find(|tick| tick.label == "0").unwrap();
        assert!(zero.important && (zero.at - middle).abs() < 1e-9);
        let bars = bars(&panel);
        let zeros = bars.iter().find(|bar| bar.title == "0: 7 entries").unwrap();
        assert!(zeros.range[0] < zero.at && zero.at < zeros.range[1]);
        for bar in bars {
            let mirrored = bar.range.map(|end| 2.0 * middle - end);
            let is_other = |other: &&Bar| (other.range[0] - mirrored[1]).abs() < 1e-9;
            assert_eq!(
                bars.iter().find(is_other).map(|other| other.value),
                Some(bar.value),
                "{bar:?}"
            );
        }
    }

    #[test]
    fn integers_are_in_the_middle_of_their_bars() {
        let panel = panel(&of(vec![0.0, 1.0, 1.0, 3.0]));
        let ranges: Vec<[f64; 2]> = bars(&panel).iter().map(|bar| bar.range).collect();
        assert_eq!(ranges, [[-0.5, 0.5], [0.5, 1.5], [2.5, 3.5]]);
        let labels = panel.x.ticks.unwrap().into_iter().map(|tick| tick.label);
        assert_eq!(labels.collect::<Vec<_>>(), ["0", "1", "2", "3"]);
        let mut many = vec![1.0; 500];
        many.extend((1..100).map(|value| f64::from(value * value)));
        let panel = self::panel(&of(many));
        let ticks = panel.x.ticks.as_ref().unwrap();
        assert_eq!([&*ticks[0].label, &*ticks[ticks.len() - 1].label], ["1", "10,000"]);
        // One is drawn around its tick.
        let one = &bars(&panel)[0];
        assert!(one.range[0] < ticks[0].at && ticks[0].at < one.range[1], "{one:?}");
    }

    #[test]
    fn any_values_have_a_figure_with_short_labels() {
        let tiny = f64::from_bits(1);
        for values in [
            vec![],
            vec![f64::NAN, f64::INFINITY],
            vec![0.0],
            vec![tiny],
            vec![tiny, -tiny],
            vec![tiny, 1e300],
            vec![-f64::MAX, f64::MAX, tiny],
            vec![2.638e-228, 1.0, -1.0, 1e5],
            vec![1e-310, 2e-310, 5e-309],
            vec![0.3; 4],
            vec![-7.0; 4],
            vec![1e18, 3.0],
        ] {
            let shown = format!("{values:?}");
            let panel = panel(&of(values));
            let [from, to] = panel.x.range;
            assert!(
                from.is_finite() && to.is_finite() && from < to,
                "{shown}: {:?}",
                panel.x.range
            );
            for tick in panel.x.ticks.iter().flatten() {
                let digits = tick.label.split('e').next().unwrap();
                assert!(
                    digits.chars().filter(char::is_ascii_digit).count() <= 5,
                    "{shown}: {tick:?}"
                );
            }
            if let Marks::Bars(bars) = &panel.marks {
                let ends = bars.iter().flat_map(|bar| bar.range);
                assert!(
                    ends.into_iter().all(|end| (from..=to).contains(&end)),
                    "{shown}: {bars:?}"
                );
            }
        }
    }

    #[test]
    fn two_distributions_have_the_same_bins_and_scales() {
        let few = of((0..100).map(|at| f64::from(at) / 100.0).collect());
        let many = of((0..3000).map(|at| f64::from(at) / 500.0 - 3.0).collect());
        let figures = values_alike(&[&few, &many], "");
        let [few, many] = [0, 1].map(|at: usize| figures[at].panels[0].clone());
        assert_eq!((&few.x, &few.y), (&many.x, &many.y));
        let width = |panel: &Panel| bars(panel)[1].range[1] - bars(panel)[1].range[0];
        assert_eq!(width(&few), width(&many));
    }
}

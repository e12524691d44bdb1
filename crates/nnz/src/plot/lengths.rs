//! How entries and sums of rows or columns are distributed.
#![expect(clippy::cast_precision_loss, reason = "positions on a picture are rounded")]

use nnz_core::{Axis, AxisKind};
use nnz_engine::plot::{LengthMeasure, Lengths, ValueBin};
use nnz_plot::{Axis as PlotAxis, Bar, Figure, Line, Marks, Panel, format_short};

use super::bars::counts_axis;
use super::names::{counted, percentage};

/// Returns the names of one row or column, and of several, by their kind if it is known.
fn names(lengths: &Lengths) -> [&'static str; 2] {
    match (lengths.axis_kind, lengths.axis) {
        (AxisKind::Cells, _) => ["cell", "cells"],
        (AxisKind::Features, _) => ["feature", "features"],
        (AxisKind::Unknown, Axis::Rows) => ["row", "rows"],
        (AxisKind::Unknown, Axis::Cols) => ["column", "columns"],
    }
}

/// Makes a figure of a distribution of entries or sums: a histogram, and the numbers from the largest on, whose *knee* separates
/// cells from empty barcodes.
#[must_use]
pub fn distribution(lengths: &Lengths, title: &str) -> Figure {
    let [one, more] = names(lengths);
    let (what, measured) = match lengths.measure {
        LengthMeasure::Nnz => ("entries", format!("entries per {one}")),
        _ => ("sum", format!("sum per {one}")),
    };
    let number = |part: f64| lengths.quantile(part).map_or("none".to_owned(), format_short);
    let all = counted(lengths.count, one, more);
    let subtitle = match (lengths.quantile(0.0), lengths.quantile(1.0)) {
        (Some(min), Some(max)) if min == max => {
            format!("{all}, {measured}: {} each", format_short(min))
        }
        (Some(min), Some(max)) => format!(
            "{all}, {measured}: median {}, half of them from {} to {}, all from {} to {}",
            number(0.5),
            number(0.25),
            number(0.75),
            format_short(min),
            format_short(max)
        ),
        _ => all,
    };
    let mut figure = Figure::new(title)
        .subtitle(subtitle)
        .panel(histogram(lengths, &measured, more))
        .panel(ranks(lengths, &measured, more));
    let zeros =
        lengths.values.iter().find(|(value, _)| *value == 0.0).map_or(0, |(_, count)| *count);
    if zeros > 0 {
        let share = percentage(zeros, lengths.count.into()).unwrap_or_default();
        let zero =
            if lengths.measure == LengthMeasure::Nnz { "without entries" } else { "with sum 0" };
        let drawn = match lengths.bins().logarithmic {
            true => "not drawn",
            false => "drawn on the left only",
        };
        figure = figure.note(format!("{} {zero} ({share}), {drawn}", counted(zeros, one, more)));
    }
    if lengths.nan > 0 {
        figure = figure.note(format!("{} whose {what} is NaN", counted(lengths.nan, one, more)));
    }
    figure
}

/// Describes a bin of numbers.
fn range_of(bin: &ValueBin, integral: bool) -> String {
    match integral {
        true if bin.to - bin.from <= 1.0 => format_short(bin.from),
        true => format!("{}\u{2013}{}", format_short(bin.from), format_short(bin.to - 1.0)),
        false => format!("{} to {}", format_short(bin.from), format_short(bin.to)),
    }
}

fn histogram(lengths: &Lengths, measured: &str, more: &str) -> Panel {
    let found = lengths.bins();
    let bars: Vec<Bar> = found
        .bins
        .iter()
        .map(|bin| {
            let title = format!("{}: {} {more}", range_of(bin, lengths.integral), bin.count);
            Bar::new([bin.from, bin.to], bin.count as f64, title)
        })
        .collect();
    let range = match (found.bins.first(), found.bins.last()) {
        (Some(first), Some(last)) => [first.from, last.to],
        _ => [0.0, 1.0],
    };
    let x = match found.logarithmic {
        true => PlotAxis::log(format!("{measured} (log scale)"), range),
        false if lengths.integral => PlotAxis::linear(measured, range).whole(),
        false => PlotAxis::linear(measured, range),
    };
    let y = counts_axis(more, &bars);
    let marks = if bars.is_empty() { nothing(lengths.count, more) } else { Marks::Bars(bars) };
    Panel::new(x, y, marks).titled("Distribution")
}

fn ranks(lengths: &Lengths, measured: &str, more: &str) -> Panel {
    let ranks = lengths.ranks();
    let finite = || ranks.iter().filter(|(_, number)| number.is_finite());
    let negative = finite().any(|(_, number)| *number < 0.0);
    let shown: Vec<[f64; 2]> = finite()
        .filter(|(_, number)| negative || *number > 0.0)
        .map(|(rank, number)| [*rank as f64, *number])
        .collect();
    let last = shown.last().map_or(1.0, |[rank, _]| *rank);
    let least = shown.iter().map(|[_, number]| *number).fold(f64::INFINITY, f64::min);
    let most = shown.iter().map(|[_, number]| *number).fold(f64::NEG_INFINITY, f64::max);
    let x = PlotAxis::log(format!("rank of the {more} (log scale)"), [1.0, last.max(2.0)]);
    let y = match (shown.is_empty(), negative) {
        (true, _) => PlotAxis::linear(measured, [0.0, 1.0]).whole(),
        (_, true) => {
            PlotAxis::linear(measured, [least, if most > least { most } else { least + 1.0 }])
        }
        (_, false) => PlotAxis::log(format!("{measured} (log scale)"), [least * 0.9, most * 1.1]),
    };
    let y = if lengths.integral { y.whole() } else { y };
    let title = format!("{measured}, from the largest");
    let line = Line { name: measured.to_owned(), points: shown, title: title.clone() };
    let marks = if line.points.is_empty() {
        nothing(lengths.count, more)
    } else {
        Marks::Lines(vec![line])
    };
    Panel::new(x, y, marks).titled("Sorted, largest first")
}

fn nothing(count: u64, more: &str) -> Marks {
    Marks::Nothing(match count {
        0 => format!("no {more}"),
        _ => format!("no {more} with a finite number other than 0"),
    })
}

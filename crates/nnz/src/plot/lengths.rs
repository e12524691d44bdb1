//! How entries and sums of rows or columns are distributed.
#![expect(clippy::cast_precision_loss, reason = "positions on a picture are rounded")]

use nnz_core::{Axis, AxisKind};
use nnz_engine::plot::{LengthMeasure, Lengths, ValueBin};
use nnz_plot::{Axis as PlotAxis, Bar, Figure, Line, Marks, Panel, format_grouped, format_number};

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
    distributions(&[lengths], title).pop().unwrap_or_default()
}

/// Makes a figure of each distribution, with the same bins and scales.
pub(crate) fn distributions(lengths: &[&Lengths], title: &str) -> Vec<Figure> {
    let Some((first, others)) = lengths.split_first() else { return Vec::new() };
    let all = others.iter().fold((*first).clone(), |all, other| all.joined(other));
    let panels = histograms(lengths, &all).into_iter().zip(ranks(lengths, &all));
    let figures = lengths.iter().zip(panels).map(|(lengths, (histogram, ranks))| {
        let figure = Figure::new(title).subtitle(subtitle(lengths)).panel(histogram).panel(ranks);
        notes(lengths, &all).into_iter().fold(figure, Figure::note)
    });
    figures.collect()
}

fn measured(lengths: &Lengths) -> String {
    let [one, _] = names(lengths);
    match lengths.measure {
        LengthMeasure::Nnz => format!("entries per {one}"),
        _ => format!("sum per {one}"),
    }
}

fn subtitle(lengths: &Lengths) -> String {
    let ([one, more], measured) = (names(lengths), measured(lengths));
    let all = counted(lengths.count, one, more);
    let quartiles = [0.0, 0.25, 0.5, 0.75, 1.0].map(|part| lengths.quantile(part));
    match quartiles.map(|number| number.map(format_number)) {
        [Some(min), .., Some(max)] if min == max => format!("{all}, {measured}: {min} each"),
        [Some(min), Some(lower), Some(median), Some(upper), Some(max)] => format!(
            "{all}, {measured}: median {median}, half of them from {lower} to {upper}, all from {min} to {max}"
        ),
        _ => all,
    }
}

fn notes(lengths: &Lengths, all: &Lengths) -> Vec<String> {
    let [one, more] = names(lengths);
    let mut notes = Vec::new();
    let zeros =
        lengths.values.iter().find(|(value, _)| *value == 0.0).map_or(0, |(_, count)| *count);
    if zeros > 0 {
        let share = percentage(zeros, lengths.count.into()).unwrap_or_default();
        let zero =
            if lengths.measure == LengthMeasure::Nnz { "without entries" } else { "with sum 0" };
        let drawn = match all.bins().logarithmic {
            true => "not drawn",
            false => "drawn on the left only",
        };
        notes.push(format!("{} {zero} ({share}), {drawn}", counted(zeros, one, more)));
    }
    if lengths.nan > 0 {
        let what = if lengths.measure == LengthMeasure::Nnz { "entries" } else { "sum" };
        notes.push(format!("{} whose {what} is NaN", counted(lengths.nan, one, more)));
    }
    notes
}

/// Describes a bin of numbers.
fn range_of(bin: &ValueBin, integral: bool) -> String {
    match integral {
        true if bin.to - bin.from <= 1.0 => format_number(bin.from),
        true => format!("{}\u{2013}{}", format_number(bin.from), format_number(bin.to - 1.0)),
        false => format!("{} to {}", format_number(bin.from), format_number(bin.to)),
    }
}

/// Draws histograms with the bins that `all` distributions have together.
fn histograms(lengths: &[&Lengths], all: &Lengths) -> Vec<Panel> {
    let ([_, more], measured) = (names(all), measured(all));
    // Integers are in the middle of their bin.
    let half = if all.integral { 0.5 } else { 0.0 };
    let drawn = |bin: &ValueBin| [bin.from - half, bin.to - half];
    let bars = lengths.iter().map(|lengths| {
        let bar = |bin: &ValueBin| {
            let title = format!("{}: {}", range_of(bin, all.integral), format_grouped(bin.count));
            Bar::new(drawn(bin), bin.count as f64, format!("{title} {more}"))
        };
        lengths.bins_as(all).bins.iter().map(bar).collect::<Vec<Bar>>()
    });
    let bars: Vec<Vec<Bar>> = bars.collect();
    let found = all.bins();
    let range = match (found.bins.first(), found.bins.last()) {
        (Some(first), Some(last)) => [drawn(first)[0], drawn(last)[1]],
        _ => [0.0, 1.0],
    };
    let x = match found.logarithmic {
        true => PlotAxis::log(format!("{measured} (log scale)"), range),
        false => PlotAxis::linear(measured, range),
    };
    let x = if all.integral { x.whole() } else { x };
    let y = counts_axis(more, bars.iter().flatten());
    let panels = lengths.iter().zip(bars).map(|(lengths, bars)| {
        let marks = match bars.is_empty() {
            true => nothing(lengths.count, more),
            false => Marks::Bars(bars),
        };
        Panel::new(x.clone(), y.clone(), marks).titled("Distribution")
    });
    panels.collect()
}

/// Draws the numbers from the largest on, on the scales that `all` distributions have together.
fn ranks(lengths: &[&Lengths], all: &Lengths) -> Vec<Panel> {
    let ([_, more], measured) = (names(all), measured(all));
    let negative = all.values.iter().any(|(number, _)| number.is_finite() && *number < 0.0);
    let points = lengths.iter().map(|lengths| {
        let is_shown = |number: f64| number.is_finite() && (negative || number > 0.0);
        let ranks = lengths.ranks().into_iter().filter(|(_, number)| is_shown(*number));
        ranks.map(|(rank, number)| [rank as f64, number]).collect::<Vec<[f64; 2]>>()
    });
    let points: Vec<Vec<[f64; 2]>> = points.collect();
    let (mut last, mut least, mut most) = (2.0_f64, f64::INFINITY, f64::NEG_INFINITY);
    for [rank, number] in points.iter().flatten() {
        (last, least, most) = (last.max(*rank), least.min(*number), most.max(*number));
    }
    let x = PlotAxis::log(format!("rank of the {more} (log scale)"), [1.0, last]);
    let y = match (least <= most, negative) {
        (false, _) => PlotAxis::linear(&*measured, [0.0, 1.0]).whole(),
        (_, true) => {
            PlotAxis::linear(&*measured, [least, if most > least { most } else { least + 1.0 }])
        }
        (_, false) => PlotAxis::log(format!("{measured} (log scale)"), [least * 0.9, most * 1.1]),
    };
    let y = if all.integral { y.whole() } else { y };
    let title = format!("{measured}, from the largest");
    let panels = lengths.iter().zip(points).map(|(lengths, points)| {
        let marks = match points.is_empty() {
            true => nothing(lengths.count, more),
            false => {
                let (name, title) = (measured.clone(), title.clone());
                Marks::Lines(vec![Line { name, points, title }])
            }
        };
        Panel::new(x.clone(), y.clone(), marks).titled("Sorted, largest first")
    });
    panels.collect()
}

fn nothing(count: u64, more: &str) -> Marks {
    Marks::Nothing(match count {
        0 => format!("no {more}"),
        _ => format!("no {more} with a finite number other than 0"),
    })
}

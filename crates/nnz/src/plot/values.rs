//! How values are distributed.
#![expect(clippy::cast_precision_loss, reason = "positions on a picture are rounded")]

use nnz_engine::Number;
use nnz_engine::plot::{ValueBin, ValueCounts};
use nnz_plot::{Axis, Bar, Figure, Marks, Panel, Tick, format_grouped, format_short};

use super::bars::counts_axis;
use super::names::counted;

/// Bars at most, before bins are joined.
const MOST: usize = 72;

/// A bar with the text below it, or at its left end.
struct Group {
    /// The values, with a sign.
    from: f64,
    to: f64,
    count: u64,
    label: String,
    /// Whether the label belongs to the left end.
    at_edge: bool,
    /// Whether it is a single value beside bins: zero, NaN or infinity.
    is_special: bool,
}

/// Makes a figure of the distribution of values.
#[must_use]
pub fn values(counts: &ValueCounts, title: &str) -> Figure {
    let mut subtitle = counted(counts.entries, "entry", "entries");
    if let (Some(min), Some(max)) = (counts.min, counts.max) {
        let text = |number: Number| match number {
            Number::Integer(_) => number.to_string(),
            Number::Float(number) => format_short(number),
        };
        subtitle = format!("{subtitle}, values from {} to {}", text(min), text(max));
    }
    let groups = groups(counts);
    let mut ticks = Vec::new();
    let mut bars = Vec::new();
    for (position, group) in groups.iter().enumerate() {
        let left = position as f64;
        if group.count > 0 {
            let name = if group.at_edge {
                format!("{} to {}", format_short(group.from), format_short(group.to))
            } else {
                group.label.clone()
            };
            let title = format!("{name}: {}", counted(group.count, "entry", "entries"));
            bars.push(Bar::new([left, left + 1.0], group.count as f64, title));
        }
        if !group.label.is_empty() {
            let at = if group.at_edge { left } else { left + 0.5 };
            let important = group.is_special;
            ticks.push(Tick { important, ..Tick::new(at, &*group.label) });
        }
    }
    let x = Axis::linear("value", [0.0, groups.len().max(1) as f64]).with_ticks(ticks);
    let y = counts_axis("entries", &bars);
    let marks = match bars.is_empty() {
        true => Marks::Nothing("no entries".to_owned()),
        false => Marks::Bars(bars),
    };
    let mut figure = Figure::new(title).subtitle(subtitle).panel(Panel::new(x, y, marks));
    let apart = [
        (counts.nan, "NaN"),
        (counts.negative_infinity, "negative infinity"),
        (counts.positive_infinity, "positive infinity"),
        (counts.integers.first().copied().unwrap_or(0), "stored zeros"),
    ];
    let apart: Vec<String> = apart
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{what}: {}", format_grouped(count)))
        .collect();
    if !apart.is_empty() {
        figure = figure.note(apart.join("; "));
    }
    figure
}

/// Returns the bars, from the least value on.
fn groups(counts: &ValueCounts) -> Vec<Group> {
    let special = |count: u64, label: &str| {
        let group = Group {
            from: 0.0,
            to: 0.0,
            count,
            label: label.to_owned(),
            at_edge: false,
            is_special: true,
        };
        (count > 0).then_some(group)
    };
    let mut negative: Vec<ValueBin> = Vec::new();
    let mut positive: Vec<ValueBin> = Vec::new();
    for bin in &counts.bins {
        if bin.from < 0.0 { negative.push(*bin) } else { positive.push(*bin) }
    }
    let zeros = counts.integers.first().copied().unwrap_or(0);
    let mut groups = Vec::new();
    groups.extend(special(counts.negative_infinity, "-inf"));
    if counts.integral {
        groups.extend(octaves(&negative));
        let last = counts.integers.iter().rposition(|count| *count > 0);
        let last = if positive.is_empty() { last } else { Some(counts.integers.len() - 1) };
        let first = if groups.is_empty() {
            counts.integers.iter().position(|count| *count > 0)
        } else {
            Some(0)
        };
        let first = first.map_or(0, |first| first.min(1));
        for (value, &count) in
            counts.integers.iter().enumerate().take(last.map_or(0, |last| last + 1)).skip(first)
        {
            let from = value as f64;
            groups.push(Group {
                from,
                to: from,
                count,
                label: value.to_string(),
                at_edge: false,
                is_special: false,
            });
        }
        groups.extend(octaves(&positive));
    } else {
        // Small integers are in the bins of the other values.
        for (value, &count) in counts.integers.iter().enumerate().skip(1).filter(|(_, n)| **n > 0) {
            let from = value as f64;
            let (from, to) = quarter(from);
            match positive.iter_mut().find(|bin| bin.from == from) {
                Some(bin) => bin.count += count,
                None => positive.push(ValueBin { from, to, count }),
            }
        }
        positive.sort_by(|a, b| a.from.total_cmp(&b.from));
        groups.extend(joined(&negative));
        groups.extend(special(zeros, "0"));
        groups.extend(joined(&positive));
    }
    groups.extend(special(counts.positive_infinity, "inf"));
    groups.extend(special(counts.nan, "NaN"));
    groups
}

/// Returns the bin of a positive number.
fn quarter(number: f64) -> (f64, f64) {
    let power = 2_f64.powi(exponent(number));
    let part = ((number / power - 1.0) * 4.0).floor();
    let from = power * (1.0 + part / 4.0);
    (from, from + power / 4.0)
}

/// Returns the exponent of the greatest power of two that is not greater; one for all subnormal numbers, whose first bin
/// starts at zero.
#[expect(clippy::cast_possible_truncation, reason = "an exponent of a float")]
fn exponent(number: f64) -> i32 {
    if number.abs() < f64::MIN_POSITIVE {
        return f64::MIN_EXP - 2;
    }
    let guess = number.abs().log2().floor() as i32;
    // The logarithm is rounded.
    match 2_f64.powi(guess) {
        power if power > number.abs() => guess - 1,
        power if power * 2.0 <= number.abs() => guess + 1,
        _ => guess,
    }
}

/// Joins bins of integers between powers of two.
fn octaves(bins: &[ValueBin]) -> Vec<Group> {
    let mut groups = by_powers(bins, 1);
    for group in &mut groups {
        let (low, high) = match group.from < 0.0 {
            true => (group.to + 1.0, group.from),
            false => (group.from, group.to - 1.0),
        };
        group.at_edge = false;
        group.label = match (low == high, low < 0.0) {
            (true, _) => shorter(low),
            (_, true) => format!("{} to {}", shorter(low), shorter(high)),
            (_, false) if high >= 10_000.0 => {
                format!("{}\u{2013}{}", shorter(low), shorter(high + 1.0))
            }
            _ => format!("{}\u{2013}{}", format_short(low), format_short(high)),
        };
    }
    groups
}

/// Joins bins, if there are too many, and fills gaps between them.
fn joined(bins: &[ValueBin]) -> Vec<Group> {
    let (Some(first), Some(last)) = (bins.first(), bins.last()) else { return Vec::new() };
    let powers = exponent(last.from).abs_diff(exponent(first.from)) as usize + 1;
    match powers {
        few if few * 4 <= MOST => quarters(bins),
        _ => by_powers(bins, powers.div_ceil(MOST)),
    }
}

/// Returns each bin, with the empty ones between them.
fn quarters(bins: &[ValueBin]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let sign = bins.first().map_or(1.0, |bin| bin.from.signum());
    let mut ascending: Vec<&ValueBin> = bins.iter().collect();
    ascending.sort_by(|a, b| a.from.abs().total_cmp(&b.from.abs()));
    let mut next = ascending.first().map_or(0.0, |bin| bin.from.abs());
    for bin in ascending {
        loop {
            let (from, to) = quarter(next);
            let is_bin = from >= bin.from.abs();
            let count = if is_bin { bin.count } else { 0 };
            groups.push(edge(sign * from, sign * to, count));
            next = to;
            if is_bin {
                break;
            }
        }
    }
    if sign < 0.0 {
        groups.reverse();
    }
    groups
}

/// Returns groups of some powers of two.
fn by_powers(bins: &[ValueBin], powers: usize) -> Vec<Group> {
    let powers = i32::try_from(powers).unwrap_or(i32::MAX);
    let place = |bin: &ValueBin| exponent(bin.from).div_euclid(powers);
    let places = || bins.iter().map(place);
    let (Some(first), Some(last)) = (places().min(), places().max()) else { return Vec::new() };
    let sign = bins.first().map_or(1.0, |bin| bin.from.signum());
    let mut groups: Vec<Group> = (first..=last)
        .map(|place| {
            let [from, to] = [place, place + 1].map(|place| sign * 2_f64.powi(place * powers));
            edge(from, to, 0)
        })
        .collect();
    for bin in bins {
        let at = usize::try_from(place(bin) - first).unwrap_or(0);
        if let Some(group) = groups.get_mut(at) {
            group.count += bin.count;
        }
    }
    if sign < 0.0 {
        groups.reverse();
    }
    groups
}

/// Formats a large number with three digits.
fn shorter(number: f64) -> String {
    if number.abs() < 1e4 {
        return format_short(number);
    }
    // Numbers with few digits are parsed exactly enough for a label.
    format_short(format!("{number:.2e}").parse().unwrap_or(number))
}

/// Returns a group of values, labelled at its left end if that is a power of two.
fn edge(from: f64, to: f64, count: u64) -> Group {
    let left = if from < 0.0 { to } else { from };
    let is_power = left.abs() == 2_f64.powi(exponent(left));
    let label = if is_power { shorter(left) } else { String::new() };
    Group { from, to, count, label, at_edge: true, is_special: false }
}

//! The horizontal axis of values, and bars on it.
#![expect(clippy::cast_possible_truncation, reason = "positions on a picture are rounded")]

use nnz_engine::plot::{ValueBin, ValueCounts, ValueHistogram};
use nnz_plot::{Axis, Bar, Tick, format_number, format_short};

use super::zeros;
use crate::plot::names::counted;

/// Smaller absolute values have no position of their own.
const LEAST: f64 = 1e-307;

/// The horizontal axis. Integers are in the middle of their bin: a bin from 3 to 4 is drawn from 2.5 to 3.5.
pub(super) struct ValueScale {
    pub(super) axis: Axis,
    half: f64,
    logarithmic: Option<Logarithmic>,
}

/// Positions on an axis that is logarithmic on both sides of zero, in decades.
struct Logarithmic {
    /// The absolute value nearest to zero that has a position of its own.
    least: f64,
    /// The width of the negative side, and of zero.
    negative: f64,
    zero: f64,
}

impl Logarithmic {
    /// Returns the position of an absolute value on one side.
    fn place(&self, size: f64, is_negative: bool) -> f64 {
        let decades = size.max(self.least).log10() - self.least.log10();
        if is_negative { self.negative - decades } else { self.negative + self.zero + decades }
    }
}

impl ValueScale {
    /// Creates the axis of one or more distributions, which `all` has together.
    pub(super) fn of(all: &ValueCounts) -> Self {
        let found = all.histogram();
        let half = if all.integral { 0.5 } else { 0.0 };
        let ends = |bin: &ValueBin| drawn_ends(bin, half);
        let low = found.bins.iter().map(|bin| ends(bin)[0]).fold(f64::INFINITY, f64::min);
        let high = found.bins.iter().map(|bin| ends(bin)[1]).fold(f64::NEG_INFINITY, f64::max);
        if found.logarithmic {
            return Self::logarithmic(all, &found, [low, high], half);
        }
        let [low, high] = if low < high { [low, high] } else { [0.0, 1.0] };
        let step = round(((high - low) / 10.0).max(2.0 * half), true);
        let first = ((low + half) / step).floor() as i64;
        let last = ((high - half) / step).ceil() as i64;
        #[expect(clippy::cast_precision_loss, reason = "a few steps")]
        let value = |at: i64| at as f64 * step;
        let ticks = (first..=last).map(|at| {
            let important = at == first || at == last || at == 0;
            Tick { important, ..Tick::new(value(at), format_short(value(at))) }
        });
        let ticks: Vec<Tick> = ticks.collect();
        let range = [low.min(value(first)), high.max(value(last))];
        let axis = Axis::linear("value", range).with_ticks(ticks);
        Self { axis, half, logarithmic: None }
    }

    fn logarithmic(
        all: &ValueCounts,
        found: &ValueHistogram,
        [low, high]: [f64; 2],
        half: f64,
    ) -> Self {
        let inner = round(found.least - half, false).max(LEAST);
        // A place for the few values that are nearer to zero.
        let has_small = found.bins.iter().any(|bin| bin.from == 0.0);
        let least = if has_small { inner * 0.1 } else { inner };
        let outer = |size: f64| if size > 0.0 { round(size, true) } else { 0.0 };
        let [negative, positive] = [outer(-low), outer(high)];
        let decades = |end: f64| (end.log10() - least.log10()).max(1.0);
        let decades = |end: f64| if end > 0.0 { decades(end) } else { 0.0 };
        let [left, right] = [negative, positive].map(decades);
        let has_zero = zeros(all) > 0 || (left > 0.0 && right > 0.0);
        let zero = if has_zero { (left + right) * 0.04 } else { 0.0 };
        let places = Logarithmic { least, negative: left, zero };
        let tick = |at: f64, value: f64, important: bool| Tick {
            important,
            ..Tick::new(at, format_short(value))
        };
        let mut ticks = Vec::new();
        for (end, is_negative) in [(negative, true), (positive, false)] {
            if end <= 0.0 {
                continue;
            }
            let sign = if is_negative { -1.0 } else { 1.0 };
            let place = |size: f64| places.place(size, is_negative);
            ticks.push(tick(place(end), sign * end, true));
            if !has_zero {
                // The other end: of integers, the smallest one.
                let value = match (has_small, half > 0.0) {
                    (true, _) => 0.0,
                    (_, true) => found.least,
                    (_, false) => least,
                };
                ticks.push(tick(place(value), sign * value, true));
            }
            ticks
                .extend(decade_ticks(inner, end).map(|size| tick(place(size), sign * size, false)));
        }
        if has_zero {
            ticks.push(tick(left + zero / 2.0, 0.0, true));
        }
        // A power of ten at an end has one tick.
        ticks.sort_by(|a, b| a.at.total_cmp(&b.at));
        ticks.dedup_by(|next, tick| {
            let is_same = next.label == tick.label;
            tick.important |= is_same && next.important;
            is_same
        });
        let range = [0.0, left + zero + right];
        let axis = Axis::linear("value (log scale)", range).with_ticks(ticks);
        Self { axis, half, logarithmic: Some(places) }
    }

    /// Returns the bars of a distribution, with the bins of all together.
    pub(super) fn bars(&self, counts: &ValueCounts, all: &ValueCounts) -> Vec<Bar> {
        let title =
            |values: &str, count: u64| format!("{values}: {}", counted(count, "entry", "entries"));
        let found = counts.histogram_as(all);
        let mut bars: Vec<Bar> = Vec::new();
        for bin in &found.bins {
            let [low, high] = drawn_ends(bin, self.half);
            let range = match &self.logarithmic {
                None => [low, high],
                Some(places) => {
                    let is_negative = bin.to < 0.0;
                    [low, high].map(|end| places.place(end.abs(), is_negative))
                }
            };
            bars.push(Bar::new(range, float(bin.count), title(&self.values_of(bin), bin.count)));
        }
        if let Some(places) = &self.logarithmic
            && zeros(counts) > 0
        {
            let range = [places.negative, places.negative + places.zero];
            bars.push(Bar::new(range, float(zeros(counts)), title("0", zeros(counts))));
        }
        bars
    }

    /// Describes the values of a bin.
    fn values_of(&self, bin: &ValueBin) -> String {
        if self.half == 0.0 {
            return format!("{} to {}", format_number(bin.from), format_number(bin.to));
        }
        // The last integer of the bin.
        match [bin.from, bin.to - 1_f64.copysign(bin.to)].map(format_number) {
            [from, to] if from == to => from,
            [from, to] => format!("{from} to {to}"),
        }
    }
}

/// Returns the ends of a bin, ascending, between the values that are in it and others.
fn drawn_ends(bin: &ValueBin, half: f64) -> [f64; 2] {
    if bin.to > 0.0 {
        return [bin.from - half, bin.to - half];
    }
    // Zero is in the bin on its other side.
    [bin.to + half, if bin.from < 0.0 { bin.from + half } else { -half }]
}

/// Returns powers of ten between two values: at most about six.
fn decade_ticks(least: f64, end: f64) -> impl Iterator<Item = f64> {
    let [first, last] = [least.log10().ceil() as i32, end.log10().floor() as i32];
    let every = ((last - first) / 5 + 1).max(1);
    let powers = (first..=last).filter(move |power| power.rem_euclid(every) == 0);
    powers.map(|power| format!("1e{power}").parse().unwrap_or(0.0)).filter(|power| *power > 0.0)
}

/// Returns the nearest of 1, 2, 5, 10, ... that is not smaller than a positive number, or not larger.
fn round(number: f64, up: bool) -> f64 {
    let power = number.max(LEAST).log10().floor() as i32;
    let powers = (power - 1)..=(power + 1);
    let digits = |power| [1, 2, 5].map(|digit| format!("{digit}e{power}").parse::<f64>());
    let all = powers.flat_map(digits);
    // A number that was computed may differ a little from a round one.
    let mut all = all.filter_map(Result::ok).filter(|round| round.is_finite() && *round > 0.0);
    let found = match up {
        true => all.find(|round| *round >= number * (1.0 - 1e-9)),
        false => all.rfind(|round| *round <= number * (1.0 + 1e-9)),
    };
    found.unwrap_or(number)
}

#[expect(clippy::cast_precision_loss, reason = "the height of a bar")]
fn float(count: u64) -> f64 {
    count as f64
}

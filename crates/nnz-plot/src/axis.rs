//! Axes and their ticks.

use crate::cast;
use crate::number::format_short;

/// Scale of an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Scale {
    /// With the value.
    #[default]
    Linear,
    /// With its logarithm; the range is positive.
    Log,
}

/// A labelled position on an axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    /// The value.
    pub at: f64,
    /// The label.
    pub label: String,
    /// Whether it is shown if there is not enough space for all.
    pub important: bool,
}

impl Tick {
    /// Creates a tick.
    #[must_use]
    pub fn new(at: f64, label: impl Into<String>) -> Self {
        Self { at, label: label.into(), important: false }
    }
}

/// An axis: a label, the values at its ends, and how positions follow from values.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Axis {
    /// Name of the values, with their unit.
    pub label: String,
    /// The scale.
    pub scale: Scale,
    /// The values at both ends, ascending.
    pub range: [f64; 2],
    /// Whether the first value is at the right or at the top.
    pub reversed: bool,
    /// Whether only integers have ticks.
    pub whole: bool,
    /// The ticks, instead of round numbers.
    pub ticks: Option<Vec<Tick>>,
}

impl Axis {
    /// Creates a linear axis.
    #[must_use]
    pub fn linear(label: impl Into<String>, range: [f64; 2]) -> Self {
        let (label, scale) = (label.into(), Scale::Linear);
        Self { label, scale, range, reversed: false, whole: false, ticks: None }
    }

    /// Creates a logarithmic axis.
    #[must_use]
    pub fn log(label: impl Into<String>, range: [f64; 2]) -> Self {
        Self { scale: Scale::Log, ..Self::linear(label, range) }
    }

    /// Puts the first value at the right or at the top.
    #[must_use]
    pub fn reversed(self) -> Self {
        Self { reversed: true, ..self }
    }

    /// Puts ticks at integers only.
    #[must_use]
    pub fn whole(self) -> Self {
        Self { whole: true, ..self }
    }

    /// Sets the ticks.
    #[must_use]
    pub fn with_ticks(self, ticks: Vec<Tick>) -> Self {
        Self { ticks: Some(ticks), ..self }
    }

    /// Returns where a value is: 0 at the left or at the bottom, 1 at the other end. Values out of range are at an end.
    #[must_use]
    pub fn position(&self, value: f64) -> f64 {
        let [from, to] = self.range;
        let scaled = |value: f64| match self.scale {
            Scale::Linear => value,
            Scale::Log => value.max(f64::MIN_POSITIVE).log10(),
        };
        let (from, to) = (scaled(from), scaled(to));
        let part = (scaled(value) - from) / (to - from);
        let part = if part.is_finite() { part.clamp(0.0, 1.0) } else { 0.0 };
        if self.reversed { 1.0 - part } else { part }
    }

    /// Returns ticks at round numbers, at most some, or all ticks that were set.
    #[must_use]
    pub fn ticks(&self, most: usize) -> Vec<Tick> {
        let most = most.max(2);
        let tick = |at: f64| Tick::new(at, format_short(at));
        match (&self.ticks, self.scale) {
            (Some(ticks), _) => ticks.clone(),
            (None, Scale::Linear) => self.linear_ticks(most).into_iter().map(tick).collect(),
            (None, Scale::Log) => self.log_ticks(most).into_iter().map(tick).collect(),
        }
    }

    fn linear_ticks(&self, most: usize) -> Vec<f64> {
        let [from, to] = self.range;
        let span = to - from;
        if !(span.is_finite() && span > 0.0) {
            return vec![from];
        }
        let least = span / cast::float(most);
        let power = 10_f64.powi(cast::exponent(least.log10().floor()));
        let steps = [1.0, 2.0, 5.0, 10.0].map(|step| step * power);
        let step = steps.into_iter().find(|step| *step >= least * 0.999).unwrap_or(least);
        let step = if self.whole { step.max(1.0).round() } else { step };
        let first = (from / step - 1e-9).ceil();
        let count = cast::floor((to / step + 1e-9).floor() - first);
        (0..=count.min(most + 1)).map(|n| (first + cast::float(n)) * step).collect()
    }

    fn log_ticks(&self, most: usize) -> Vec<f64> {
        let [from, to] = self.range.map(|end| end.max(f64::MIN_POSITIVE));
        let (low, high) = (from.log10() - 1e-9, to.log10() + 1e-9);
        let first = (from.log10() + 1e-9).floor();
        let decades = cast::floor(high.floor() - first) + 1;
        let every = decades.div_ceil(most);
        let within: &[f64] = match (decades * 3 <= most, decades * 2 <= most) {
            (true, _) => &[1.0, 2.0, 5.0],
            (_, true) => &[1.0, 3.0],
            _ => &[1.0],
        };
        let powers = (0..=decades).step_by(every).map(|n| {
            let exponent = cast::exponent(first + cast::float(n));
            // Division gives 0.1 exactly, where a power with a negative exponent may not.
            if exponent < 0 { 1.0 / 10_f64.powi(-exponent) } else { 10_f64.powi(exponent) }
        });
        let all = powers.flat_map(|power| within.iter().map(move |digit| digit * power));
        let fits = |at: &f64| (low..=high).contains(&at.log10()) && (!self.whole || *at >= 1.0);
        let found: Vec<f64> = all.filter(fits).collect();
        if found.len() < 2 && to < from * 10.0 { self.linear_ticks(most) } else { found }
    }
}

/// Returns ticks that do not overlap: the important ones, and as many others at equal distances as possible. `place` returns
/// the middle and the length of a label.
pub(crate) fn apart(ticks: &[Tick], place: impl Fn(&Tick) -> (f64, f64)) -> Vec<Tick> {
    let overlap = |a: &Tick, b: &Tick| {
        let ((a, a_length), (b, b_length)) = (place(a), place(b));
        (a - b).abs() < (a_length + b_length) / 2.0
    };
    let mut kept: Vec<Tick> = Vec::new();
    for tick in ticks.iter().filter(|tick| tick.important) {
        if !kept.iter().any(|other| overlap(other, tick)) {
            kept.push(tick.clone());
        }
    }
    // Others are counted from the important one in the middle, so that they are at equal distances from it.
    let middle = kept.get(kept.len().saturating_sub(1) / 2);
    let middle = middle.and_then(|middle| ticks.iter().position(|tick| tick == middle));
    let middle = middle.unwrap_or(0);
    for step in 1..=ticks.len() {
        let some: Vec<&Tick> = ticks.iter().skip(middle % step).step_by(step).collect();
        let is_close =
            |pair: &[&Tick]| !pair[0].important && !pair[1].important && overlap(pair[0], pair[1]);
        if !some.windows(2).any(is_close) {
            let is_free = |tick: &&Tick| !kept.iter().any(|other| overlap(other, tick));
            let free: Vec<Tick> = some.into_iter().filter(is_free).cloned().collect();
            kept.extend(free);
            break;
        }
    }
    kept.sort_by(|a, b| a.at.total_cmp(&b.at));
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis, most: usize) -> Vec<String> {
        axis.ticks(most).into_iter().map(|tick| tick.label).collect()
    }

    #[test]
    fn ticks_are_round_numbers() {
        assert_eq!(
            labels(&Axis::linear("", [0.0, 32_738.0]), 6),
            ["0", "10,000", "20,000", "30,000"]
        );
        assert_eq!(
            labels(&Axis::linear("", [0.0, 1.0]), 5),
            ["0", "0.2", "0.4", "0.6", "0.8", "1"]
        );
        assert_eq!(labels(&Axis::linear("", [0.0, 1.0]).whole(), 5), ["0", "1"]);
        assert_eq!(labels(&Axis::linear("", [-5.0, 5.0]), 4), ["-5", "0", "5"]);
        assert_eq!(labels(&Axis::linear("", [0.0, 1e9]), 4), ["0", "500 M", "1 G"]);
        assert_eq!(labels(&Axis::linear("", [3.0, 3.0]), 4), ["3"]);
        assert_eq!(labels(&Axis::log("", [1.0, 100.0]), 3), ["1", "10", "100"]);
        assert_eq!(labels(&Axis::log("", [18.0, 22.0]), 2), ["18", "20", "22"]);
        assert_eq!(labels(&Axis::log("", [1.0, 20.0]), 8), ["1", "2", "5", "10", "20"]);
        assert_eq!(labels(&Axis::log("", [0.01, 1e6]), 5), ["0.01", "1", "100", "10,000", "1 M"]);
    }

    #[test]
    fn ticks_that_overlap_are_left_out() {
        let ticks: Vec<Tick> = (0..10).map(|at| Tick::new(f64::from(at), "abc")).collect();
        let kept = |ticks: &[Tick], length: f64| {
            let kept = apart(ticks, |tick| (tick.at, length));
            kept.into_iter().map(|tick| tick.at).collect::<Vec<f64>>()
        };
        assert_eq!(kept(&ticks, 1.0).len(), 10);
        assert_eq!(kept(&ticks, 3.0), [0.0, 3.0, 6.0, 9.0]);
        let mut marked = ticks.clone();
        marked[8].important = true;
        assert_eq!(kept(&marked, 3.0), [2.0, 5.0, 8.0]);
        marked[0].important = true;
        marked[9].important = true;
        assert_eq!(kept(&marked, 1.0).len(), 10);
        assert_eq!(kept(&marked, 4.0), [0.0, 4.0, 8.0]);
        assert_eq!(kept(&[], 3.0), [] as [f64; 0]);
    }

    #[test]
    fn positions_are_between_the_ends() {
        let axis = Axis::log("", [1.0, 100.0]);
        assert_eq!(
            [0.0, 1.0, 10.0, 100.0, 1e9].map(|v| axis.position(v)),
            [0.0, 0.0, 0.5, 1.0, 1.0]
        );
        assert_eq!(Axis::linear("", [0.0, 4.0]).reversed().position(1.0), 0.75);
        assert_eq!(Axis::linear("", [4.0, 4.0]).position(4.0), 0.0);
        assert_eq!(axis.position(f64::NAN), 0.0);
    }
}

//! The goals of a row.

use super::row::{Figure, Row};
use super::table::{bytes, rate, seconds};

/// A goal of a contender.
pub(super) struct Goal {
    /// The contender.
    pub(super) who: &'static str,
    pub(super) bar: Bar,
}

/// A limit to reach.
pub(super) enum Bar {
    /// Minimum entries per second.
    Rate(f64),
    /// Maximum seconds.
    Seconds(f64),
    /// Maximum bytes of memory.
    Peak(f64),
    /// Minimum speed relative to another contender.
    Over(&'static str, f64),
    /// Minimum speed relative to copying the result with as many threads.
    OverCopy(f64),
}

/// The evaluation of a goal.
#[derive(Debug, PartialEq)]
pub(super) struct Verdict {
    /// The goal as text.
    pub(super) goal: String,
    /// The result as text.
    pub(super) reached: String,
    /// The result relative to the goal: less than one is a miss. `None` if there is nothing to
    /// compare.
    pub(super) ratio: Option<f64>,
    /// Whether the goal applies to inputs of this size, and the machine was idle.
    pub(super) judged: bool,
}

impl Verdict {
    /// Returns whether the goal was met.
    pub(super) fn met(&self) -> bool {
        self.judged && self.ratio.is_some_and(|ratio| ratio >= 1.0)
    }

    /// Returns the evaluation as a word.
    pub(super) fn word(&self) -> &'static str {
        match (self.judged, self.met()) {
            (false, _) => "not evaluated",
            (true, true) => "met",
            (true, false) => "MISSED",
        }
    }
}

/// Evaluates the goals of a row.
pub(super) fn judge(row: &Row, figures: &[Figure], judged: bool) -> Vec<Verdict> {
    let find = |name: &str| {
        let place = row.contenders.iter().position(|contender| contender.name == name)?;
        figures.get(place).filter(|figure| figure.failed.is_none())
    };
    let verdict = |goal: &Goal| {
        let found = find(goal.who).and_then(|ours| reach(row, goal, ours, find));
        let (ratio, reached) = found.unzip();
        Verdict {
            goal: goal.words(),
            reached: reached.unwrap_or_else(|| "not measured".to_owned()),
            // A result that is not a number does not meet a goal.
            ratio: ratio.filter(|ratio| ratio.is_finite()),
            judged,
        }
    };
    row.goals.iter().map(verdict).collect()
}

/// Returns the result relative to the goal, and as text.
fn reach<'f>(
    row: &Row,
    goal: &Goal,
    ours: &Figure,
    find: impl Fn(&str) -> Option<&'f Figure>,
) -> Option<(f64, String)> {
    Some(match goal.bar {
        Bar::Rate(least) => {
            let reached = per_second(row.entries, ours.seconds);
            (reached / least, rate(reached))
        }
        Bar::Seconds(most) => (most / ours.seconds, format!("{} s", seconds(ours.seconds))),
        Bar::Peak(most) => (most / ours.peak, bytes(ours.peak)),
        Bar::Over(whom, least) => {
            let times = find(whom)?.seconds / ours.seconds;
            (times / least, format!("{times:.2}"))
        }
        Bar::OverCopy(least) => {
            let times = ours.copy? / ours.seconds;
            (times / least, format!("{times:.2}"))
        }
    })
}

/// Returns a rate.
#[allow(clippy::cast_precision_loss, reason = "a figure for people")]
pub(super) fn per_second(entries: u64, seconds: f64) -> f64 {
    entries as f64 / seconds
}

impl Goal {
    fn words(&self) -> String {
        let who = self.who;
        match self.bar {
            Bar::Rate(least) => format!("{who}: at least {}", rate(least)),
            Bar::Seconds(most) => format!("{who}: less than {most} s"),
            Bar::Peak(most) => format!("{who}: less than {}", bytes(most)),
            Bar::Over(whom, least) => format!("{who}: at least {least} times as fast as {whom}"),
            Bar::OverCopy(least) => {
                format!("{who}: at least {least} times as fast as a copy of the result")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::compare::row::{Clock, Contender};

    fn row(bar: Bar) -> Row {
        let contender = |name| Contender {
            name,
            clock: Clock::Call,
            command: Vec::new(),
            output: None,
            no_sync: None,
        };
        Row {
            name: "sums".to_owned(),
            entries: 1_000_000,
            note: "",
            contenders: vec![contender("ours"), contender("theirs")],
            goals: vec![Goal { who: "ours", bar }],
            inputs: Vec::new(),
            at_hand: 0,
        }
    }

    fn figures() -> Vec<Figure> {
        let ours = Figure { seconds: 0.5, peak: 1e6, copy: Some(0.4), ..Figure::default() };
        vec![ours, Figure { seconds: 1.0, peak: 2e6, ..Figure::default() }]
    }

    fn met(bar: Bar) -> bool {
        judge(&row(bar), &figures(), true)[0].met()
    }

    #[test]
    fn goals_are_met_at_their_limit() {
        assert!(met(Bar::Rate(2e6)) && !met(Bar::Rate(2.1e6)));
        assert!(met(Bar::Seconds(0.51)) && !met(Bar::Seconds(0.49)));
        assert!(met(Bar::Peak(1.1e6)) && !met(Bar::Peak(0.9e6)));
        assert!(met(Bar::Over("theirs", 2.0)) && !met(Bar::Over("theirs", 2.1)));
        assert!(met(Bar::OverCopy(0.8)) && !met(Bar::OverCopy(0.9)));
    }

    #[test]
    fn missing_results_do_not_meet_goals() {
        let row = row(Bar::Over("theirs", 1.0));
        let mut failed = figures();
        failed[1].failed = Some("no wheel".to_owned());
        let verdicts = judge(&row, &failed, true);
        assert!(!verdicts[0].met());
        assert_eq!((verdicts[0].word(), verdicts[0].reached.as_str()), ("MISSED", "not measured"));
        let mut odd = figures();
        odd[0].seconds = f64::NAN;
        assert!(!judge(&row, &odd, true)[0].met());
        odd[0].seconds = 0.0;
        assert!(!judge(&row, &odd, true)[0].met());
        assert!(!met(Bar::Over("nobody", 0.1)));
    }

    #[test]
    fn goals_are_not_evaluated_at_other_sizes() {
        let verdicts = judge(&row(Bar::Rate(1.0)), &figures(), false);
        assert_eq!((verdicts[0].met(), verdicts[0].word()), (false, "not evaluated"));
    }
}

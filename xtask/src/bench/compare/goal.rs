//! The goals of a row.

use super::row::{Figure, Row};
use super::table::{bytes, rate, seconds};

/// A goal of a contender.
pub(super) struct Goal {
    /// The goal as text.
    text: String,
    /// The contender.
    pub(super) who: String,
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
    Over(String, f64),
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
        let found = find(&goal.who).and_then(|ours| reach(row, goal, ours, find));
        let (ratio, reached) = found.unzip();
        Verdict {
            goal: goal.text.clone(),
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
    Some(match &goal.bar {
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
    /// Reads a goal: the name of a contender, and what it has to reach.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (who, limit) = text.split_once(": ")?;
        let (least, limit) = match limit.strip_prefix("at least ") {
            Some(limit) => (true, limit),
            None => (false, limit.strip_prefix("less than ")?),
        };
        let (number, unit) = limit.split_once(' ')?;
        let number: f64 = number.parse().ok()?;
        let bar = match (least, unit) {
            (true, "G/s") => Bar::Rate(number * 1e9),
            (true, "M/s") => Bar::Rate(number * 1e6),
            (false, "s") => Bar::Seconds(number),
            (false, "MB") => Bar::Peak(number * 1e6),
            (true, "times as fast as a copy of the result") => Bar::OverCopy(number),
            (true, _) => Bar::Over(unit.strip_prefix("times as fast as ")?.to_owned(), number),
            _ => return None,
        };
        Some(Self { text: text.to_owned(), who: who.to_owned(), bar })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::compare::row::Contender;

    fn row(bar: &str) -> Row {
        let contender = |name: &str| Contender { name: name.to_owned(), ..Contender::default() };
        Row {
            entries: 1_000_000,
            contenders: vec![contender("ours"), contender("theirs")],
            goals: vec![Goal::parse(&format!("ours: {bar}")).unwrap()],
            ..Row::default()
        }
    }

    fn figures() -> Vec<Figure> {
        let ours = Figure { seconds: 0.5, peak: 1e6, copy: Some(0.4), ..Figure::default() };
        vec![ours, Figure { seconds: 1.0, peak: 2e6, ..Figure::default() }]
    }

    fn met(bar: &str) -> bool {
        judge(&row(bar), &figures(), true)[0].met()
    }

    #[test]
    fn goals_are_met_at_their_limit() {
        assert!(met("at least 2 M/s") && !met("at least 2.1 M/s"));
        assert!(met("less than 0.51 s") && !met("less than 0.49 s"));
        assert!(met("less than 1.1 MB") && !met("less than 0.9 MB"));
        assert!(met("at least 2 times as fast as theirs"));
        assert!(!met("at least 2.1 times as fast as theirs"));
        assert!(met("at least 0.8 times as fast as a copy of the result"));
        assert!(!met("at least 0.9 times as fast as a copy of the result"));
    }

    #[test]
    fn missing_results_do_not_meet_goals() {
        let row = row("at least 1 times as fast as theirs");
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
        assert!(!met("at least 0.1 times as fast as nobody"));
    }

    #[test]
    fn goals_are_not_evaluated_at_other_sizes() {
        let verdicts = judge(&row("at least 1 M/s"), &figures(), false);
        assert_eq!((verdicts[0].met(), verdicts[0].word()), (false, "not evaluated"));
    }
}

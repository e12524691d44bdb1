//! Findings of the rounds, and their summary.

use std::collections::BTreeMap;

/// Directories that are kept per class of findings.
const KEPT: u64 = 3;

/// A failure.
#[derive(Debug)]
pub(super) struct Finding {
    /// A description that is the same each time.
    pub(super) class: String,
    pub(super) detail: String,
}

/// How often something happened, out of how many possible times.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rate {
    pub(super) hits: u64,
    pub(super) of: u64,
}

/// The counts of one round.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) checks: u64,
    pub(super) findings: Vec<Finding>,
    pub(super) rates: BTreeMap<String, Rate>,
}

/// The counts of all rounds of one kind.
#[derive(Debug, Default)]
struct KindTally {
    rounds: u64,
    checks: u64,
    rates: BTreeMap<String, Rate>,
    /// The number of rounds with findings of a class.
    findings: BTreeMap<String, u64>,
    skipped: Option<String>,
}

/// The counts of all rounds.
#[derive(Debug, Default)]
pub(super) struct Report(BTreeMap<&'static str, KindTally>);

impl Tally {
    /// Counts one possible time.
    pub(super) fn rate(&mut self, name: impl Into<String>, hit: bool) {
        self.rates_of(name, u64::from(hit), 1);
    }

    /// Counts several times at once.
    pub(super) fn rates_of(&mut self, name: impl Into<String>, hits: u64, of: u64) {
        let rate = self.rates.entry(name.into()).or_default();
        rate.hits += hits;
        rate.of += of;
    }
}

impl Report {
    /// Adds one or more rounds, and returns whether the directory is kept.
    pub(super) fn add(&mut self, kind: &'static str, rounds: u64, tally: &Tally) -> bool {
        let total = self.0.entry(kind).or_default();
        total.rounds += rounds;
        total.checks += tally.checks;
        for (name, rate) in &tally.rates {
            let sum = total.rates.entry(name.clone()).or_default();
            sum.hits += rate.hits;
            sum.of += rate.of;
        }
        let mut keep = false;
        let mut classes: Vec<_> = tally.findings.iter().map(|found| &found.class).collect();
        if rounds == 1 {
            // Rounds are counted, not findings.
            classes.sort();
            classes.dedup();
        }
        for class in classes {
            let count = total.findings.entry(class.clone()).or_default();
            *count += 1;
            keep |= *count <= KEPT;
        }
        keep
    }

    /// Notes that a kind of rounds cannot run.
    pub(super) fn skip(&mut self, kind: &'static str, why: String) {
        self.0.entry(kind).or_default().skipped = Some(why);
    }

    /// Returns the number of rounds with a finding.
    pub(super) fn findings(&self) -> u64 {
        self.0.values().flat_map(|kind| kind.findings.values()).sum()
    }

    /// Prints the figures.
    pub(super) fn print(&self) {
        println!("\n{:<10} {:>8} {:>9} {:>9}", "", "rounds", "checks", "findings");
        for (name, kind) in &self.0 {
            let findings: u64 = kind.findings.values().sum();
            println!("{name:<10} {:>8} {:>9} {findings:>9}", kind.rounds, kind.checks);
        }
        for (name, kind) in &self.0 {
            if let Some(why) = &kind.skipped {
                println!("\n{name}: skipped in whole or in part: {why}");
            }
            if !kind.rates.is_empty() {
                println!("\n{name}: how often");
                for (what, rate) in &kind.rates {
                    println!("  {:>6} of {:>6}  {what}", rate.hits, rate.of);
                }
            }
            if !kind.findings.is_empty() {
                println!("\n{name}: FINDINGS, and the rounds that had them");
                for (class, count) in &kind.findings {
                    println!("  {count:>6}  {class}");
                }
            }
        }
    }
}

//! Pipelines, which `tests/stress/pipelines.py` runs and checks.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use super::report::{Finding, Tally};
use super::setup::Setup;
use crate::cargo::{output, root};
use crate::error::{Error, Result};

/// The result of one process of Python.
pub(super) struct Batch {
    pub(super) rounds: u64,
    checks: u64,
    /// Findings, with the number of the round.
    pub(super) found: Vec<(u64, Finding)>,
    refused: u64,
}

/// Runs pipelines for some time, from a round on; or only that round.
pub(super) fn run(
    setup: &Setup,
    python: &Path,
    first: u64,
    time: Duration,
    once: bool,
) -> Result<Batch> {
    let mut command = Command::new(python);
    command
        .arg(root().join("tests").join("stress").join("pipelines.py"))
        .arg("--nnz")
        .arg(setup.binary())
        .args(["--seed", &setup.seed.to_string(), "--first", &first.to_string()])
        .args(["--seconds", &time.as_secs_f64().to_string(), "--directory"])
        .arg(setup.directory.join("rounds"))
        .env("PYTHONDONTWRITEBYTECODE", "1");
    if once {
        command.arg("--once");
    }
    let text = output(&mut command)?;
    let summary: Value = text
        .lines()
        .next_back()
        .and_then(|line| serde_json::from_str(line).ok())
        .ok_or_else(|| Error::new(format!("pipelines.py has no summary: {text}")))?;
    let number = |value: &Value, name: &str| value.get(name).and_then(Value::as_u64).unwrap_or(0);
    let words = |value: &Value, name: &str| {
        value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let found = summary.get("findings").and_then(Value::as_array).into_iter().flatten();
    let found = found.map(|found| {
        let (class, detail) = (words(found, "class"), words(found, "detail"));
        (number(found, "round"), Finding { class, detail })
    });
    let refused = summary.get("refused").and_then(Value::as_object).into_iter().flatten();
    Ok(Batch {
        rounds: number(&summary, "rounds"),
        checks: number(&summary, "checks"),
        found: found.collect(),
        refused: refused.filter_map(|(_, count)| count.as_u64()).sum(),
    })
}

impl Batch {
    /// The counts of all rounds.
    pub(super) fn tally(self) -> Tally {
        let mut tally = Tally { checks: self.checks, ..Tally::default() };
        tally.rates_of("ended by an expected error", self.refused, self.rounds);
        tally.findings = self.found.into_iter().map(|(_, found)| found).collect();
        tally
    }
}

//! One measurement: a command in a process of its own.

use std::ffi::OsString;
use std::process::{Command, Stdio};

use serde_json::Value;

use super::others::busy;
use super::tools::Tools;
use crate::error::{Error, Result};

/// What one run took.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Run {
    /// From start to end of the process.
    pub(super) wall: f64,
    /// What the process says the measured call took.
    pub(super) call: Option<f64>,
    /// The same and waiting until everything is on disk.
    pub(super) synced: Option<f64>,
    /// A copy of the result, by as many threads.
    pub(super) copy: Option<f64>,
    /// The most memory used, in bytes.
    pub(super) peak: f64,
    /// What every contender has to agree on.
    pub(super) check: Option<f64>,
    /// Processor seconds of the process.
    pub(super) cpu: f64,
    /// Processor seconds of everything meanwhile, where the system tells.
    pub(super) all_cpu: Option<f64>,
}

/// Runs a command to its end and returns what it took.
pub(super) fn run(command: &[OsString], tools: &Tools) -> Result<Run> {
    let mut child = Command::new(&tools.python);
    // Without site packages, an interpreter starts small.
    child.args(["-I", "-S"]).arg(super::tools::benches().join("peers").join("child.py"));
    child.args(command).stdin(Stdio::null()).env("PYTHONDONTWRITEBYTECODE", "1");
    let before = busy();
    let output = child.output().map_err(|error| Error::new(format!("cannot start: {error}")))?;
    let all_cpu = before.zip(busy()).map(|(before, after)| after - before);
    let said = String::from_utf8_lossy(&output.stdout);
    let run = parse(&said).map_err(|error| {
        let why = String::from_utf8_lossy(&output.stderr);
        let why = why.trim().lines().next_back().unwrap_or_default();
        Error::new(format!("{error} {why}").trim().to_owned())
    })?;
    Ok(Run { all_cpu, ..run })
}

/// Reads what the process said, in lines of JSON: its own if it has any, and then that of its
/// parent.
fn parse(said: &str) -> Result<Run> {
    let lines: Vec<Value> =
        said.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let Some((parent, own)) = lines.split_last() else {
        return Err(Error::new("said nothing."));
    };
    let status = parent.get("status").and_then(Value::as_i64);
    if status != Some(0) {
        return Err(Error::new(format!("ended with {}.", status.unwrap_or(-1))));
    }
    let said = |name: &str| own.iter().rev().find_map(|line| line.get(name));
    let own = |name: &str| said(name).and_then(Value::as_f64);
    let parent = |name: &str| {
        let number = parent.get(name).and_then(Value::as_f64);
        number.ok_or_else(|| Error::new(format!("did not say {name}.")))
    };
    Ok(Run {
        wall: parent("wall")?,
        call: own("seconds"),
        synced: own("synced_seconds"),
        copy: own("copy_seconds"),
        peak: own("peak_rss").map_or_else(|| parent("peak_rss"), Ok)?,
        // JSON has no NaN; what is there and no number must not pass for nothing to check.
        check: said("check").map(|check| check.as_f64().unwrap_or(f64::NAN)),
        cpu: parent("cpu")?,
        all_cpu: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARENT: &str = r#"{"wall": 2.5, "cpu": 2.0, "peak_rss": 1000, "status": 0}"#;

    #[test]
    fn what_a_process_says_of_itself_comes_before_what_its_parent_says() {
        let own = r#"{"seconds": 2.0, "check": 7.0, "peak_rss": 900}"#;
        let run = parse(&format!("a warning\n{own}\n{PARENT}\n")).unwrap();
        assert_eq!((run.wall, run.call, run.peak), (2.5, Some(2.0), 900.0));
        assert_eq!((run.check, run.copy, run.synced), (Some(7.0), None, None));
        let run = parse(&format!(
            r#"{{"seconds": 2.0, "check": null}}
{PARENT}"#
        ))
        .unwrap();
        assert!(run.check.is_some_and(f64::is_nan));
        let run = parse(PARENT).unwrap();
        assert_eq!((run.wall, run.call, run.peak), (2.5, None, 1000.0));
    }

    #[test]
    fn a_process_that_fails_is_no_measurement() {
        let failed = PARENT.replace(r#""status": 0"#, r#""status": -9"#);
        let own = r#"{"seconds": 0.1}"#;
        assert!(parse(&format!("{own}\n{failed}")).is_err());
        assert!(parse("").is_err());
        assert!(parse(own).is_err());
        assert!(parse(r#"{"status": 0, "wall": 1.0}"#).is_err());
    }
}

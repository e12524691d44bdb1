//! One measurement: a command in a separate process.

use std::ffi::OsString;
use std::process::{Command, Stdio};

use serde_json::Value;

use super::others::busy;
use super::tools::Tools;
use crate::error::{Error, Result};

/// The result of a run.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Run {
    /// The time from start to end of the process.
    pub(super) wall: f64,
    /// The time of the measured call, as reported by the process.
    pub(super) call: Option<f64>,
    /// The same, including the final sync.
    pub(super) synced: Option<f64>,
    /// The time of copying the result with as many threads.
    pub(super) copy: Option<f64>,
    /// Peak memory in bytes.
    pub(super) peak: f64,
    /// A checksum that must be the same for all contenders.
    pub(super) check: Option<f64>,
    /// CPU seconds of the process.
    pub(super) cpu: f64,
    /// CPU seconds of all processes meanwhile, if the system reports them.
    pub(super) all_cpu: Option<f64>,
}

/// Runs a command to its end and returns its result.
pub(super) fn run(command: &[OsString], tools: &Tools) -> Result<Run> {
    let mut child = Command::new(&tools.python);
    // Without site packages, an interpreter starts with little memory.
    child.args(["-I", "-S"]).arg(super::tools::benches().join("peers").join("child.py"));
    child.args(command).stdin(Stdio::null()).env("PYTHONDONTWRITEBYTECODE", "1");
    let before = busy();
    let output = child.output().map_err(|error| Error::new(format!("cannot start: {error}")))?;
    let all_cpu = before.zip(busy()).map(|(before, after)| after - before);
    let text = String::from_utf8_lossy(&output.stdout);
    let run = parse(&text).map_err(|error| {
        let why = String::from_utf8_lossy(&output.stderr);
        let why = why.trim().lines().next_back().unwrap_or_default();
        Error::new(format!("{error} {why}").trim().to_owned())
    })?;
    Ok(Run { all_cpu, ..run })
}

/// Parses the output of the process, in lines of JSON: its own time, if any, and the time measured by its parent.
fn parse(output: &str) -> Result<Run> {
    let lines: Vec<Value> =
        output.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let Some((parent, own)) = lines.split_last() else {
        return Err(Error::new("no output"));
    };
    let status = parent.get("status").and_then(Value::as_i64);
    if status != Some(0) {
        return Err(Error::new(format!("ended with {}", status.unwrap_or(-1))));
    }
    let value = |name: &str| own.iter().rev().find_map(|line| line.get(name));
    let own = |name: &str| value(name).and_then(Value::as_f64);
    let parent = |name: &str| {
        let number = parent.get(name).and_then(Value::as_f64);
        number.ok_or_else(|| Error::new(format!("no {name} in the output")))
    };
    Ok(Run {
        wall: parent("wall")?,
        call: own("seconds"),
        synced: own("synced_seconds"),
        copy: own("copy_seconds"),
        peak: own("peak_rss").map_or_else(|| parent("peak_rss"), Ok)?,
        // JSON has no NaN. A value that is not a number must not be treated as missing.
        check: value("check").map(|check| check.as_f64().unwrap_or(f64::NAN)),
        cpu: parent("cpu")?,
        all_cpu: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARENT: &str = r#"{"wall": 2.5, "cpu": 2.0, "peak_rss": 1000, "status": 0}"#;

    #[test]
    fn values_of_the_process_take_precedence_over_its_parent() {
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
    fn failed_processes_are_errors() {
        let failed = PARENT.replace(r#""status": 0"#, r#""status": -9"#);
        let own = r#"{"seconds": 0.1}"#;
        assert!(parse(&format!("{own}\n{failed}")).is_err());
        assert!(parse("").is_err());
        assert!(parse(own).is_err());
        assert!(parse(r#"{"status": 0, "wall": 1.0}"#).is_err());
    }
}

//! Steps that all run, also after one has failed.

use std::fs;
use std::time::Instant;

use crate::error::{Error, Result};

/// Results of the steps so far.
#[derive(Default)]
pub(crate) struct Summary {
    lines: Vec<String>,
    failed: bool,
}

impl Summary {
    /// Runs a step and keeps what became of it.
    pub(crate) fn step(&mut self, name: &str, step: impl FnOnce() -> Result<()>) {
        println!("\n==> {name}");
        let (start, cpu) = (Instant::now(), cpu_seconds());
        let done = step();
        let mut took = format!("{:.1} s", start.elapsed().as_secs_f64());
        if let (Some(before), Some(after)) = (cpu, cpu_seconds()) {
            took += &format!(", {:.1} CPU s", after - before);
        }
        let line = match done {
            Ok(()) => format!("ok       {name} ({took})"),
            Err(error) => {
                self.failed = true;
                format!("FAILED   {name} ({took}): {error}")
            }
        };
        self.lines.push(line);
    }

    /// Records that a step was left out.
    pub(crate) fn skip(&mut self, name: &str, why: &str) {
        self.lines.push(format!("skipped  {name}: {why}"));
    }

    /// Prints all lines; an error if a step failed.
    pub(crate) fn end(self) -> Result<()> {
        println!("\n==> summary");
        for line in &self.lines {
            println!("{line}");
        }
        if let Some(seconds) = cpu_seconds() {
            println!("{:.1} CPU minutes", seconds / 60.0);
        }
        if self.failed { Err(Error::new("a step failed, see the summary")) } else { Ok(()) }
    }
}

/// Returns the CPU time of the processes that this one has waited for, on Linux.
fn cpu_seconds() -> Option<f64> {
    /// Units of these times in a second: `USER_HZ`, the same on every Linux.
    const TICKS: f64 = 100.0;
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the program, in parentheses, may contain blanks. `cutime` and `cstime` are fields 16 and 17.
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace().skip(13);
    let [user, system] = [fields.next()?.parse::<f64>().ok()?, fields.next()?.parse::<f64>().ok()?];
    Some((user + system) / TICKS)
}

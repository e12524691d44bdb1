//! Steps that all run, also after one has failed.

use std::time::Instant;

use crate::error::{Error, Result};

/// What became of the steps so far.
#[derive(Default)]
pub(crate) struct Summary {
    lines: Vec<String>,
    failed: bool,
}

impl Summary {
    /// Runs a step and keeps what became of it.
    pub(crate) fn step(&mut self, name: &str, step: impl FnOnce() -> Result<()>) {
        println!("\n==> {name}");
        let start = Instant::now();
        let done = step();
        let seconds = start.elapsed().as_secs_f64();
        let line = match done {
            Ok(()) => format!("ok       {name} ({seconds:.1} s)"),
            Err(error) => {
                self.failed = true;
                format!("FAILED   {name} ({seconds:.1} s): {error}")
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
        if self.failed { Err(Error::new("a step failed, see the summary")) } else { Ok(()) }
    }
}

//! One round: its directory, random numbers and findings.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::process::{FinishedCommand, RunningCommand};
use super::random::Random;
use super::report::{Finding, Tally};
use super::setup::Setup;
use super::snapshot::leftovers;
use crate::error::{Error, Result};

/// The state of a round.
pub(super) struct Round<'a> {
    pub(super) setup: &'a Setup,
    pub(super) random: Random,
    pub(super) tally: Tally,
    directory: PathBuf,
    /// The commands in order, for analyzing a finding.
    log: Vec<String>,
    started: u32,
}

impl<'a> Round<'a> {
    /// Starts a round in an empty directory.
    pub(super) fn begin(setup: &'a Setup, random: Random, name: &str) -> Result<Self> {
        let directory = setup.directory.join("rounds").join(name);
        let io = |error| Error::at(&directory, &error);
        if directory.exists() {
            fs::remove_dir_all(&directory).map_err(io)?;
        }
        for inner in ["work", "output"] {
            fs::create_dir_all(directory.join(inner)).map_err(io)?;
        }
        Ok(Self { setup, random, tally: Tally::default(), directory, log: Vec::new(), started: 0 })
    }

    /// The directory of the targets.
    pub(super) fn work(&self) -> PathBuf {
        self.directory.join("work")
    }

    /// Returns a path in the directory of the targets.
    pub(super) fn path(&self, name: &str) -> String {
        self.work().join(name).to_string_lossy().into_owned()
    }

    /// Adds a line to the log.
    pub(super) fn note(&mut self, line: impl Into<String>) {
        self.log.push(line.into());
    }

    /// Starts the nnz command.
    pub(super) fn start(&mut self, arguments: &[String]) -> Result<RunningCommand> {
        let mut command = self.setup.nnz();
        command.args(arguments);
        self.start_command(&mut command)
    }

    /// Starts any command.
    pub(super) fn start_command(&mut self, command: &mut Command) -> Result<RunningCommand> {
        self.started += 1;
        let output = self.directory.join("output").join(self.started.to_string());
        RunningCommand::start(command, &output).map_err(|error| Error::at(&output, &error))
    }

    /// Waits for a command and checks what applies to all commands.
    pub(super) fn finish(&mut self, running: RunningCommand) -> Result<FinishedCommand> {
        let output = self.directory.join("output");
        let done = running.finish().map_err(|error| Error::at(&output, &error))?;
        self.log.push(done.outcome());
        self.check(!done.hung, "a command does not end", || done.outcome());
        let panicked = done.err.contains("panicked at") || done.code == Some(101);
        self.check(!panicked, "a command panics", || done.outcome());
        Ok(done)
    }

    /// Runs the nnz command to its end.
    pub(super) fn run(&mut self, arguments: &[&str]) -> Result<FinishedCommand> {
        let arguments: Vec<_> = arguments.iter().map(|&argument| argument.to_owned()).collect();
        let running = self.start(&arguments)?;
        self.finish(running)
    }

    /// Runs the nnz command, which must succeed for the round to continue.
    pub(super) fn must(&mut self, arguments: &[&str]) -> Result<FinishedCommand> {
        let done = self.run(arguments)?;
        if done.succeeded() { Ok(done) } else { Err(Error::new(done.outcome())) }
    }

    /// Adds a finding unless a condition holds.
    pub(super) fn check(
        &mut self,
        holds: bool,
        class: &str,
        detail: impl FnOnce() -> String,
    ) -> bool {
        self.tally.checks += 1;
        if !holds {
            self.tally.findings.push(Finding { class: class.to_owned(), detail: detail() });
        }
        holds
    }

    /// Lists files next to the targets, and unfinished files in them.
    pub(super) fn leftovers(&self, targets: &[&str]) -> Result<Vec<String>> {
        let work = self.work();
        leftovers(&work, targets).map_err(|error| Error::at(&work, &error))
    }

    /// Writes the findings, and how to reproduce them.
    pub(super) fn write_findings(&self, again: &str) -> Result<()> {
        let mut text = format!("{again}\n");
        for found in &self.tally.findings {
            text += &format!("\n== {}\n{}\n", found.class, found.detail);
        }
        text += "\n== commands, in the order in which they ended\n";
        for line in &self.log {
            text += &format!("{line}\n");
        }
        let path = self.directory.join("finding.txt");
        fs::write(&path, text).map_err(|error| Error::at(&path, &error))
    }

    /// The directory of the round.
    pub(super) fn directory(&self) -> &Path {
        &self.directory
    }
}

//! A row of the table: contenders with the same task, and goals.

use std::ffi::OsString;
use std::fs::File;
use std::hint::black_box;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::child::{self, Run};
use super::data::remove;
use super::goal::Goal;
use super::others::OtherProcesses;
use super::places::Places;
use super::tools::Tools;
use crate::error::{Error, Result};

/// Maximum bytes that are allocated before a run.
const HAND: usize = 4_000_000_000;

/// Contenders with the same task.
#[derive(Default)]
pub(super) struct Row {
    pub(super) name: String,
    /// The unit of rates, and the number of them.
    pub(super) entries: u64,
    /// Differences between the tasks of the contenders.
    pub(super) note: String,
    pub(super) contenders: Vec<Contender>,
    pub(super) goals: Vec<Goal>,
    /// Files that are read before, so that they are in the page cache.
    pub(super) inputs: Vec<PathBuf>,
    /// How many times the bytes of the inputs are allocated and freed before each run.
    ///
    /// A virtual machine gets memory from its host when it is first touched, which takes ten times as
    /// long as touching memory that was just freed. For contenders that do little but fill memory, this
    /// would decide the result.
    pub(super) at_hand: usize,
}

/// The time that is compared.
#[derive(Clone, Copy, Default, PartialEq)]
pub(super) enum Clock {
    /// Time of the call, as reported by the process.
    #[default]
    Call,
    /// Time of the whole process.
    Process,
}

/// A program of the comparison.
#[derive(Default)]
pub(super) struct Contender {
    pub(super) name: String,
    pub(super) clock: Clock,
    pub(super) command: Vec<OsString>,
    /// The output of the command, to be removed.
    pub(super) output: Option<PathBuf>,
    /// The files that it reads.
    pub(super) inputs: Vec<PathBuf>,
}

/// The argument without which a command includes the final sync.
const NO_SYNC: &str = "--no-sync";

/// The results of a contender.
#[derive(Clone, Debug, Default)]
pub(super) struct Figure {
    pub(super) seconds: f64,
    pub(super) synced: Option<f64>,
    pub(super) copy: Option<f64>,
    pub(super) peak: f64,
    pub(super) check: Option<f64>,
    /// The reason for missing results.
    pub(super) failed: Option<String>,
}

impl Row {
    /// Adds a contender, whose inputs are read once.
    pub(super) fn add(&mut self, mut contender: Contender) {
        contender.inputs.retain(|input| !self.inputs.contains(input));
        self.inputs.append(&mut contender.inputs);
        self.contenders.push(contender);
    }

    /// Runs all contenders alternately, and measures the load of other processes.
    pub(super) fn measure(
        &self,
        runs: u16,
        tools: &Tools,
    ) -> Result<(Vec<Figure>, OtherProcesses)> {
        let bytes = self.inputs.iter().map(|input| warm(input)).sum::<Result<u64>>()?;
        let bytes = usize::try_from(bytes).unwrap_or(0).saturating_mul(self.at_hand).min(HAND);
        let mut taken: Vec<_> = self.contenders.iter().map(|_| ContenderRuns::default()).collect();
        for _ in 0..runs {
            for (contender, taken) in self.contenders.iter().zip(&mut taken) {
                if taken.failed.is_none() {
                    taken.add(contender.run(&contender.command, bytes, tools)?);
                }
            }
        }
        for (contender, taken) in self.contenders.iter().zip(&mut taken) {
            let mut synced = contender.command.clone();
            synced.retain(|word| word != NO_SYNC);
            if taken.failed.is_some() || synced.len() == contender.command.len() {
                continue;
            }
            match contender.run(&synced, bytes, tools)? {
                Ok(run) => taken.synced.push(contender.seconds(&run)),
                Err(why) => taken.failed = Some(why),
            }
        }
        let mut others = OtherProcesses::default();
        for run in taken.iter().flat_map(|taken| &taken.runs) {
            if let Some(all) = run.all_cpu {
                others.count(all, run.cpu, run.wall);
            }
        }
        let each = self.contenders.iter().zip(taken);
        Ok((each.map(|(contender, taken)| taken.figure(contender)).collect(), others))
    }
}

impl Contender {
    /// Reads a command as in `benches/rows.txt`.
    pub(super) fn new(name: String, command: &str, places: &Places, tools: &Tools) -> Result<Self> {
        Ok(Self {
            name,
            clock: if command.starts_with("nnz ") { Clock::Process } else { Clock::Call },
            output: command.split_whitespace().find_map(|word| places.output(word)),
            inputs: command.split_whitespace().filter_map(|word| places.input(word)).collect(),
            command: places.command(command, tools)?,
        })
    }

    /// Runs once, after allocating and freeing memory. Errors of other programs are results, our own
    /// are errors.
    fn run(
        &self,
        command: &[OsString],
        at_hand: usize,
        tools: &Tools,
    ) -> Result<std::result::Result<Run, String>> {
        self.clear()?;
        // Earlier output must not be written back during this run.
        if self.output.is_some() {
            let _ = Command::new("sync").status();
        }
        // Last, because freed memory returns to the host after a while.
        have_at_hand(at_hand);
        let run = child::run(command, tools).map_err(|error| error.to_string());
        self.clear()?;
        Ok(match run {
            Ok(run) if self.clock == Clock::Call && run.call.is_none() => {
                Err("no time in the output".to_owned())
            }
            other => other,
        })
    }

    fn clear(&self) -> Result<()> {
        self.output.as_deref().map_or(Ok(()), remove)
    }

    fn seconds(&self, run: &Run) -> f64 {
        match self.clock {
            Clock::Call => run.call.unwrap_or(f64::NAN),
            Clock::Process => run.wall,
        }
    }
}

/// The results of the runs of a contender.
#[derive(Default)]
struct ContenderRuns {
    runs: Vec<Run>,
    synced: Vec<f64>,
    failed: Option<String>,
}

impl ContenderRuns {
    fn add(&mut self, run: std::result::Result<Run, String>) {
        match run {
            Ok(run) => self.runs.push(run),
            Err(why) => self.failed = Some(why),
        }
    }

    fn figure(mut self, contender: &Contender) -> Figure {
        if self.failed.is_some() {
            return Figure { failed: self.failed, ..Figure::default() };
        }
        let some = |of: fn(&Run) -> Option<f64>| self.runs.iter().filter_map(of).collect();
        let (copies, mut synced): (Vec<f64>, Vec<f64>) = (some(|r| r.copy), some(|r| r.synced));
        synced.append(&mut self.synced);
        Figure {
            seconds: median(self.runs.iter().map(|run| contender.seconds(run)).collect())
                .unwrap_or(f64::NAN),
            synced: median(synced),
            copy: median(copies),
            peak: self.runs.iter().map(|run| run.peak).fold(0.0, f64::max),
            check: self.runs.iter().find_map(|run| run.check),
            failed: None,
        }
    }
}

/// Returns the median.
pub(super) fn median(mut figures: Vec<f64>) -> Option<f64> {
    figures.sort_by(f64::total_cmp);
    let (low, high) = (figures.len().checked_sub(1)? / 2, figures.len() / 2);
    Some(f64::midpoint(figures[low], figures[high]))
}

/// Returns whether contenders have different checksums.
pub(super) fn disagree(figures: &[Figure]) -> bool {
    let checks: Vec<f64> = figures.iter().filter_map(|figure| figure.check).collect();
    let Some(first) = checks.first() else { return false };
    checks.iter().any(|check| {
        // Floats may be summed in another order.
        let close = (check - first).abs() <= 1e-9 * first.abs().max(1.0);
        !close
    })
}

/// Reads a file, or all files of a directory, and returns the number of bytes.
fn warm(path: &Path) -> Result<u64> {
    let io = |error| Error::at(path, &error);
    if path.is_dir() {
        let entries = std::fs::read_dir(path).map_err(io)?;
        return entries.map(|entry| warm(&entry.map_err(io)?.path())).sum();
    }
    let mut file = File::open(path).map_err(io)?;
    io::copy(&mut file, &mut io::sink()).map_err(io)
}

/// Allocates, touches and frees memory.
fn have_at_hand(bytes: usize) {
    let mut memory = vec![0_u8; bytes];
    memory.iter_mut().step_by(4096).for_each(|byte| *byte = 1);
    black_box(&memory);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle_or_mean_of_two() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(median(vec![]), None);
    }

    #[test]
    fn different_or_missing_checksums_disagree() {
        let figure = |check| Figure { check, ..Figure::default() };
        let all = |checks: &[Option<f64>]| checks.iter().map(|&c| figure(c)).collect::<Vec<_>>();
        assert!(!disagree(&all(&[Some(5.0), None, Some(5.0)])));
        assert!(disagree(&all(&[Some(5.0), Some(5.1)])));
        assert!(disagree(&all(&[Some(5.0), Some(f64::NAN)])));
        assert!(disagree(&all(&[Some(f64::NAN), Some(5.0)])));
        assert!(!disagree(&all(&[Some(1e15), Some(1e15 + 1.0)])));
    }
}

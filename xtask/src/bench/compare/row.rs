//! A row of the table: contenders with the same task, and goals.

use std::ffi::OsString;
use std::fs::{self, File};
use std::hint::black_box;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::child::{self, Run};
use super::goal::Goal;
use super::others::Others;
use super::tools::Tools;
use crate::error::{Error, Result};

/// Maximum bytes that are allocated before a run.
const HAND: usize = 4_000_000_000;

/// Contenders with the same task.
pub(super) struct Row {
    pub(super) name: String,
    /// The unit of rates, and the number of them.
    pub(super) entries: u64,
    /// Differences between the tasks of the contenders.
    pub(super) note: &'static str,
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
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Clock {
    /// That of the call, as reported by the process.
    Call,
    /// That of the whole process.
    Process,
}

/// A program of the comparison.
pub(super) struct Contender {
    pub(super) name: &'static str,
    pub(super) clock: Clock,
    pub(super) command: Vec<OsString>,
    /// The output of the command, to be removed.
    pub(super) output: Option<PathBuf>,
    /// The argument without which the command includes the final sync.
    pub(super) no_sync: Option<&'static str>,
}

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
    /// Runs all contenders alternately, and measures the load of other processes.
    pub(super) fn measure(&self, runs: u16, tools: &Tools) -> Result<(Vec<Figure>, Others)> {
        let bytes = self.inputs.iter().map(|input| warm(input)).sum::<Result<u64>>()?;
        let bytes = usize::try_from(bytes).unwrap_or(0).saturating_mul(self.at_hand).min(HAND);
        let mut taken: Vec<_> = self.contenders.iter().map(|_| Taken::default()).collect();
        for _ in 0..runs {
            for (contender, taken) in self.contenders.iter().zip(&mut taken) {
                if taken.failed.is_none() {
                    taken.add(contender.run(&contender.command, bytes, tools)?);
                }
            }
        }
        for (contender, taken) in self.contenders.iter().zip(&mut taken) {
            let Some(no_sync) = contender.no_sync.filter(|_| taken.failed.is_none()) else {
                continue;
            };
            let synced: Vec<_> =
                contender.command.iter().filter(|word| *word != no_sync).cloned().collect();
            match contender.run(&synced, bytes, tools)? {
                Ok(run) => taken.synced.push(contender.seconds(&run)),
                Err(why) => taken.failed = Some(why),
            }
        }
        let mut others = Others::default();
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
        let Some(output) = self.output.as_deref().filter(|output| output.exists()) else {
            return Ok(());
        };
        let removed =
            if output.is_dir() { fs::remove_dir_all(output) } else { fs::remove_file(output) };
        removed.map_err(|error| Error::at(output, &error))
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
struct Taken {
    runs: Vec<Run>,
    synced: Vec<f64>,
    failed: Option<String>,
}

impl Taken {
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
        let entries = fs::read_dir(path).map_err(io)?;
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

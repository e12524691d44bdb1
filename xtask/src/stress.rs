//! `cargo xtask stress`: finds rare failures.
//!
//! Runs rounds of random pipelines, racing writers, killed writes and full disks until the time is
//! over. Each round follows from the seed, its kind and its number, except for timing: which process is
//! faster, and when a signal arrives.

mod disks;
mod helper;
mod kills;
mod pipelines;
mod process;
mod races;
mod random;
mod report;
mod round;
mod scene;
mod setup;
mod snapshot;
mod targets;

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use clap::{Args, ValueEnum};

use self::random::Random;
use self::report::{Finding, Report};
use self::round::Round;
use self::setup::Setup;
use crate::cargo::root;
use crate::error::{Error, Result};
use crate::test::venv;

/// The maximum time of each kind of round before the next one.
const TURN: Duration = Duration::from_secs(20);

/// Options of the stress test.
#[derive(Args)]
pub(crate) struct Options {
    /// Minutes to run
    #[arg(long, value_name = "N", default_value_t = 5.0)]
    minutes: f64,
    /// Seed of all random numbers [default: the time]
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// Rounds of one kind only; can be repeated
    #[arg(long, value_name = "KIND")]
    only: Vec<RoundKind>,
    /// Repeat this round, as printed with a finding; requires --seed and --only
    #[arg(long, value_name = "N", requires = "seed", requires = "only")]
    round: Option<u64>,
}

impl Options {
    /// Rounds of all kinds for some minutes.
    pub(crate) fn minutes(minutes: f64) -> Self {
        Self { minutes, seed: None, only: Vec::new(), round: None }
    }
}

/// A kind of round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum RoundKind {
    /// Random commands in sequence, compared with SciPy and NumPy.
    Pipelines,
    /// Concurrent writers and readers of one target.
    Races,
    /// Signals at random moments.
    Kills,
    /// Full disks, limits, and directories that are missing or not writable.
    Disks,
}

impl RoundKind {
    const ALL: [Self; 4] = [Self::Pipelines, Self::Races, Self::Kills, Self::Disks];

    fn name(self) -> &'static str {
        match self {
            Self::Pipelines => "pipelines",
            Self::Races => "races",
            Self::Kills => "kills",
            Self::Disks => "disks",
        }
    }
}

/// Runs rounds until the time is over, and prints the findings.
pub(crate) fn run(options: &Options) -> Result<()> {
    let seed = options.seed.unwrap_or_else(|| {
        SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
    });
    let kinds =
        if options.only.is_empty() { RoundKind::ALL.to_vec() } else { options.only.clone() };
    let limit = Duration::try_from_secs_f64(options.minutes * 60.0)
        .map_err(|error| Error::new(format!("--minutes {}: {error}", options.minutes)))?;
    let mut report = Report::default();
    let python = python(&mut report);
    let setup = Setup::make(seed, python.as_deref())?;
    println!("    seed {seed}, in {}", setup.directory.display());
    let end = Instant::now() + limit;
    let numbers = [0; 4];
    let mut run = Run { setup: &setup, python, report, round: options.round, numbers, repeated: 0 };
    let turns = u32::try_from(kinds.len() * 2).unwrap_or(8);
    let turn = TURN.min(limit / turns);
    while Instant::now() < end {
        for kind in &kinds {
            run.turn(*kind, end.min(Instant::now() + turn))?;
        }
        if run.python.is_none() && kinds == [RoundKind::Pipelines] {
            break;
        }
    }
    run.report.print();
    let findings = run.report.findings();
    if findings == 0 {
        return fs::remove_dir_all(&setup.directory)
            .map_err(|error| Error::at(&setup.directory, &error));
    }
    let kept = setup.directory.join("rounds");
    Err(Error::new(format!("{findings} rounds with findings, seed {seed}; see {}", kept.display())))
}

/// Creates the environment of Python, or notes why there is none.
fn python(report: &mut Report) -> Option<PathBuf> {
    let requirements = root().join("tests").join("python").join("requirements.txt");
    match venv::python(&requirements) {
        Ok(python) => Some(python),
        Err(error) => {
            report.skip(RoundKind::Pipelines.name(), error.to_string());
            report.skip(RoundKind::Races.name(), format!("no h5py: {error}"));
            None
        }
    }
}

/// The state of the rounds.
struct Run<'a> {
    setup: &'a Setup,
    python: Option<PathBuf>,
    report: Report,
    /// The only round to run, if given.
    round: Option<u64>,
    /// The number of the next round of each kind.
    numbers: [u64; 4],
    repeated: u64,
}

impl Run<'_> {
    /// Runs rounds of one kind for some time.
    fn turn(&mut self, kind: RoundKind, end: Instant) -> Result<()> {
        if kind == RoundKind::Pipelines {
            return self.pipelines(end);
        }
        while Instant::now() < end {
            self.one(kind)?;
        }
        Ok(())
    }

    /// Runs pipelines, as many as one process of Python can in that time.
    fn pipelines(&mut self, end: Instant) -> Result<()> {
        let Some(python) = self.python.clone() else { return Ok(()) };
        let first = self.number(RoundKind::Pipelines, 0);
        let seconds = end.saturating_duration_since(Instant::now());
        let batch = pipelines::run(self.setup, &python, first, seconds, self.round.is_some())?;
        self.number(RoundKind::Pipelines, batch.rounds);
        for (round, found) in &batch.found {
            println!("    {}-{round}: {}", RoundKind::Pipelines.name(), found.class);
        }
        self.report.add(RoundKind::Pipelines.name(), batch.rounds, &batch.tally());
        Ok(())
    }

    /// Runs one round.
    fn one(&mut self, kind: RoundKind) -> Result<()> {
        let number = self.number(kind, 1);
        let name = match self.round {
            // The same round again, in another directory.
            Some(_) => format!("{}-{number}-{}", kind.name(), self.repeated),
            None => format!("{}-{number}", kind.name()),
        };
        self.repeated += 1;
        let random = Random::of(self.setup.seed, kind.name(), number);
        let mut round = Round::begin(self.setup, random, &name)?;
        let done = match kind {
            RoundKind::Pipelines => Ok(()),
            RoundKind::Races => races::round(&mut round),
            RoundKind::Kills => kills::round(&mut round),
            RoundKind::Disks => disks::round(&mut round),
        };
        if let Err(error) = done {
            let class = "a round cannot continue".to_owned();
            round.tally.findings.push(Finding { class, detail: error.to_string() });
        }
        let keep = self.report.add(kind.name(), 1, &round.tally);
        if keep {
            let again = format!(
                "cargo xtask stress --seed {} --only {} --round {number}",
                self.setup.seed,
                kind.name()
            );
            round.write_findings(&again)?;
            for found in &round.tally.findings {
                println!("    {name}: {}", found.class);
            }
            return Ok(());
        }
        let directory = round.directory();
        fs::remove_dir_all(directory).map_err(|error| Error::at(directory, &error))
    }

    /// Returns the number of the next round of a kind, and increments it.
    fn number(&mut self, kind: RoundKind, rounds: u64) -> u64 {
        let at = RoundKind::ALL.iter().position(|other| *other == kind).unwrap_or(0);
        let Some(next) = self.numbers.get_mut(at) else { return 0 };
        let number = self.round.unwrap_or(*next);
        *next += rounds;
        number
    }
}

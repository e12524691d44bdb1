//! `cargo xtask test`: all tests.

mod arm;
mod python;
mod python_package;
mod r;
mod r_package;
mod scratch;
mod servers;
pub(crate) mod venv;

use std::env;
use std::num::NonZero;
use std::thread::{self, JoinHandle};
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Args;

use self::arm::Means;
use self::scratch::Scratch;
use crate::error::Result;
#[cfg(unix)]
use crate::stress;
use crate::summary::Summary;
use crate::{cargo, check, fuzz};

/// Seconds that each fuzz target runs.
const FUZZ_SECONDS: u32 = 60;

/// Minutes that the stress rounds run.
#[cfg(unix)]
const STRESS_MINUTES: f64 = 5.0;

/// The environment variable with the seed of property tests.
const SEED: &str = "PROPTEST_RNG_SEED";

/// Options of the tests.
#[derive(Args)]
pub(crate) struct Options {
    /// Mutate each file 200 times and kill a write 200 times, instead of 8; also run what takes
    /// gigabytes of disk, what `cargo xtask check` has, each fuzz target for a minute and stress rounds
    /// for five, the Python package with PyTorch and without the GIL, and URLs on the servers moto, Azurite and nginx;
    /// property tests use new random cases each time.
    #[arg(long)]
    full: bool,
    /// Skip the tests that need Python
    #[arg(long)]
    skip_python: bool,
    /// Run the Rust tests alone: no tests of Python and R, nor the kernels of other processors.
    #[arg(long, conflicts_with_all = ["full", "skip_python"])]
    only_rust: bool,
    /// Run only the tests of the Python package.
    #[arg(long, conflicts_with_all = ["skip_python", "only_rust"])]
    only_python_package: bool,
    /// Run only the tests of the R package.
    #[arg(long, conflicts_with_all = ["skip_python", "only_rust", "only_python_package"])]
    only_r_package: bool,
    /// Run only the tests of URLs on other servers, in `tests/servers`.
    #[arg(long, conflicts_with_all = ["full", "skip_python", "only_rust", "only_python_package"])]
    only_servers: bool,
    /// Run only the tests that run other programs, in `tests/python`, `tests/readers` and `tests/r`.
    #[arg(long, conflicts_with_all = ["skip_python", "only_rust", "only_python_package"])]
    only_other_programs: bool,
}

/// Runs all steps, also after a failure, and prints a summary.
pub(crate) fn run(options: &Options) -> Result<()> {
    let rounds = if options.full { "200" } else { "8" };
    let seed = seed(options.full);
    let mut summary = Summary::default();
    if options.only_python_package {
        python_package(&mut summary, options.full);
        return summary.end();
    }
    if options.only_r_package {
        r_package(&mut summary);
        return summary.end();
    }
    if options.only_servers {
        summary.step("pytest tests/servers", servers::run);
        return summary.end();
    }
    if options.only_other_programs {
        summary.step("pytest tests/python", python::run);
        r(&mut summary);
        return summary.end();
    }
    // While the compiler and the tests of Rust run.
    let environments = (!options.only_rust && !options.skip_python).then(prepare);
    summary.step("cargo test --workspace", || {
        println!(
            "    each file mutated {rounds} times, writes killed {rounds} times, {SEED}={seed}"
        );
        let mut test = cargo::cargo();
        test.args(["test", "--workspace", "--no-fail-fast"])
            .args(cargo::WORKSPACE_FEATURES)
            .env("RUST_TEST_THREADS", test_threads().to_string())
            .env(SEED, &seed)
            .env("NNZ_MUTATIONS", rounds)
            .env("NNZ_KILLS", rounds);
        let scratch = Scratch::new();
        if let Some(scratch) = &scratch {
            test.env("TMPDIR", scratch.path());
        }
        cargo::run(&mut test)
    });
    summary.step("few features of nnz", || few_features(options.full));
    if options.only_rust {
        return summary.end();
    }
    match arm::means() {
        Means::Emulator(emulator) => {
            summary.step("kernels of 64-bit Arm, emulated", || arm::run(emulator));
        }
        Means::Compiler => summary.step("kernels of 64-bit Arm, compiled only", arm::check),
        Means::None(why) => summary.skip("kernels of 64-bit Arm", why),
    }
    if options.full {
        check::all(&mut summary, &check::Options::default());
        summary.step("large files, in bounded memory", large);
        fuzzed(&mut summary);
        #[cfg(unix)]
        summary.step("stress rounds", || stress::run(&stress::Options::minutes(STRESS_MINUTES)));
    }
    if options.full && !options.skip_python {
        summary.step("pytest tests/servers", servers::run);
    }
    if options.skip_python {
        summary.skip("pytest tests/python", "--skip-python");
        summary.skip("pytest python/tests", "--skip-python");
    } else {
        if let Some(environments) = environments {
            // A failure is repeated in the step that needs the environment, with its reason.
            let _ = environments.join();
        }
        summary.step("pytest tests/python", python::run);
        python_package(&mut summary, options.full);
    }
    r(&mut summary);
    r_package(&mut summary);
    summary.end()
}

/// The number of tests that run at a time: more than cores, as some wait for servers or signals.
fn test_threads() -> usize {
    2 * thread::available_parallelism().map_or(1, NonZero::get)
}

/// Starts to create the environments of Python that later steps need.
fn prepare() -> JoinHandle<()> {
    thread::spawn(|| {
        let _ = python::environments();
        let _ = python_package::environments();
    })
}

/// Runs the tests of R, if it is installed.
fn r(summary: &mut Summary) {
    match r::missing() {
        None => summary.step("Rscript tests/r", r::run),
        Some(why) => summary.skip("Rscript tests/r", why),
    }
}

/// Tests the R package, if R is installed.
fn r_package(summary: &mut Summary) {
    match r_package::missing() {
        None => summary.step("testthat r", r_package::run),
        Some(why) => summary.skip("testthat r", why),
    }
}

/// The seed of property tests: constant, so that a failure is caused by a change; in a full run,
/// another one each time.
fn seed(full: bool) -> String {
    env::var(SEED).unwrap_or_else(|_| {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        if full { since.as_secs() } else { 0 }.to_string()
    })
}

/// Runs ignored tests, which take minutes and gigabytes of disk.
fn large() -> Result<()> {
    let mut test = cargo::cargo();
    test.args(["test", "--release", "--no-fail-fast"])
        .args(["--package", "nnz-cli", "--package", "nnz-container"])
        .args(["--test", "memory", "--test", "it", "--"])
        // The test of a corpus needs a list of files. Others run one by one, as each needs the disk.
        .args(["--ignored", "--skip", "corpus", "--nocapture", "--test-threads", "1"]);
    cargo::run(&mut test)
}

/// Checks a build with no feature and one with two, and the command as it is installed; tests of the workspace have all
/// features. With `full`, also tests the first two.
fn few_features(full: bool) -> Result<()> {
    let action = if full { "test" } else { "check" };
    let nnz = [action, "-p", "nnz", "--no-default-features", "--lib"];
    cargo::run(cargo::cargo().args(nnz))?;
    let two = ["--features", "bpcells,matrix-market", "--test", "few_formats"];
    cargo::run(cargo::cargo().args(nnz).args(two))?;
    cargo::run(cargo::cargo().args(["check", "--package", "nnz-cli"]))
}

/// Tests the Python package.
fn python_package(summary: &mut Summary, full: bool) {
    summary.step("pytest python/tests", python_package::run);
    if full {
        summary.step("pytest python/tests, PyTorch", python_package::torch);
        free_threaded(summary);
    }
}

/// Tests the Python package without the GIL, if there is such a Python.
fn free_threaded(summary: &mut Summary) {
    let name = "pytest python/tests, without the GIL";
    if venv::has_free_threaded() {
        summary.step(name, python_package::free_threaded);
    } else {
        summary.skip(name, "python3.14t not found");
    }
}

/// Runs all fuzz targets.
fn fuzzed(summary: &mut Summary) {
    if !fuzz::installed() {
        summary.skip("fuzz targets", &format!("cargo-fuzz is not installed ({})", fuzz::INSTALL));
        return;
    }
    match fuzz::targets() {
        Err(error) => summary.step("fuzz targets", || Err(error)),
        Ok(targets) => {
            for target in targets {
                let name = format!("fuzz {target}");
                summary.step(&name, || fuzz::one(&target, FUZZ_SECONDS));
            }
        }
    }
}

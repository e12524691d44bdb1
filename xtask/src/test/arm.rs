//! The kernels for 64-bit Arm, compiled and run on another processor.
//!
//! Programs for this target need only tools and libraries of Rust.

use std::process::Command;

use crate::cargo;
use crate::error::Result;

const TARGET: &str = "aarch64-unknown-linux-musl";

/// How the kernels can be tested.
pub(crate) enum Means {
    /// With this emulator.
    Emulator(&'static str),
    /// By compiling them.
    Compiler,
    /// Not at all, or by the other tests, for this reason.
    None(&'static str),
}

/// Finds out how the kernels can be tested.
pub(crate) fn means() -> Means {
    if cfg!(target_arch = "aarch64") {
        return Means::None("the other tests cover this processor");
    }
    if !cargo::has_target(TARGET) {
        return Means::None("no target (rustup target add aarch64-unknown-linux-musl)");
    }
    let emulators = ["qemu-aarch64", "qemu-aarch64-static"];
    let starts = |name: &&str| cargo::output(Command::new(name).arg("--version")).is_ok();
    emulators.into_iter().find(starts).map_or(Means::Compiler, Means::Emulator)
}

/// Compiles the kernels and their tests.
pub(crate) fn check() -> Result<()> {
    let mut check = cargo::cargo();
    cargo::run(check.args(["check", "--package", "nnz-bitpack", "--tests", "--target", TARGET]))
}

/// Runs the tests of the kernels under an emulator.
pub(crate) fn run(emulator: &str) -> Result<()> {
    let mut test = cargo::cargo();
    test.args(["test", "--package", "nnz-bitpack", "--tests", "--no-fail-fast"])
        .args(["--target", TARGET])
        .env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_MUSL_LINKER", "rust-lld")
        .env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_MUSL_RUNNER", emulator);
    cargo::run(&mut test)
}

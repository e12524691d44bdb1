//! `cargo xtask check`: what the tests leave out, because it takes long or tools that few have.

pub(crate) mod api;
mod features;
mod fuzz;
mod msrv;
mod packages;
mod semver;
mod targets;
mod typos;

use clap::{Args, ValueEnum};

use crate::error::{Error, Result};
use crate::summary::Summary;

/// Checks to run.
#[derive(Args, Default)]
pub(crate) struct Options {
    /// All that can be checked here, if nothing is named. What is named has to be possible.
    what: Vec<Check>,
    /// Do not build the packages.
    #[arg(long)]
    quick: bool,
    /// Write the listing of the public interface.
    #[arg(long)]
    update: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Check {
    /// The public interface, compared with its listing.
    Api,
    /// Each feature of nnz alone.
    Features,
    /// The fuzz targets, compiled only.
    Fuzz,
    /// The oldest Rust that Cargo.toml states.
    Msrv,
    /// The packages that cargo would publish.
    Packages,
    /// The public interface, compared with the last release.
    Semver,
    /// Windows and macOS, compiled only.
    Targets,
    /// Spelling.
    Typos,
}

impl Check {
    fn name(self) -> String {
        let name = self.to_possible_value().map(|value| value.get_name().to_owned());
        format!("check {}", name.unwrap_or_default())
    }

    /// Returns why it cannot be checked here.
    fn missing(self) -> Option<String> {
        match self {
            Self::Api | Self::Features | Self::Fuzz | Self::Packages => None,
            Self::Msrv => msrv::missing(),
            Self::Semver => semver::missing(),
            Self::Targets => targets::missing(),
            Self::Typos => typos::missing(),
        }
    }

    fn run(self, options: &Options) -> Result<()> {
        match self {
            Self::Api => api::check(options.update),
            Self::Features => features::check(),
            Self::Fuzz => fuzz::check(),
            Self::Msrv => msrv::check(),
            Self::Packages => packages::check(options.quick),
            Self::Semver => semver::check(),
            Self::Targets => targets::check(),
            Self::Typos => typos::check(),
        }
    }
}

/// Checks what is asked for.
pub(crate) fn run(options: &Options) -> Result<()> {
    let mut summary = Summary::default();
    for &check in &options.what {
        summary.step(&check.name(), || match check.missing() {
            Some(why) => Err(Error::new(why)),
            None => check.run(options),
        });
    }
    if options.what.is_empty() {
        all(&mut summary, options);
    }
    summary.end()
}

/// Checks all that can be checked here.
pub(crate) fn all(summary: &mut Summary, options: &Options) {
    for &check in Check::value_variants() {
        match check.missing() {
            Some(why) => summary.skip(&check.name(), &why),
            None => summary.step(&check.name(), || check.run(options)),
        }
    }
}

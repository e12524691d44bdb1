//! How the tools write: over what is there, in one step.

use nnz::output::WriteOptions;

/// What every tool that writes can be told.
#[derive(clap::Args, Debug)]
pub struct Writing {
    /// Do not wait until the data is on disk
    #[arg(long)]
    no_sync: bool,
}

impl Writing {
    /// Returns the options of the library.
    #[must_use]
    pub fn options(&self) -> WriteOptions {
        WriteOptions { overwrite: true, sync: !self.no_sync }
    }
}

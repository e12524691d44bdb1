//! Options of the tools that write.

use nnz::output::WriteOptions;

/// Options of all tools that write.
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

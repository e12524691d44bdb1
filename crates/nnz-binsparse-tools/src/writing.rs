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
    /// Returns whether an output is on disk before the tool ends.
    #[must_use]
    pub fn syncs(&self) -> bool {
        !self.no_sync
    }

    /// Returns the options of the library.
    #[must_use]
    pub fn options(&self) -> WriteOptions {
        WriteOptions::default().overwrite(true).sync(self.syncs())
    }
}

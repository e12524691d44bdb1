//! Where a text goes.

use std::io::Write;
use std::path::PathBuf;

use nnz_storage::staging;

/// Says where the text goes.
pub enum Target {
    /// To a file, which appears when it is complete.
    File {
        /// Its path.
        path: PathBuf,
        /// Whether it may replace another, and is synced.
        options: staging::WriteOptions,
    },
    /// To a stream such as standard output, as it comes.
    Stream {
        /// The stream.
        writer: Box<dyn Write + Send>,
        /// What messages call it.
        name: String,
    },
}

impl std::fmt::Debug for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::File { path, options } => {
                f.debug_struct("File").field("path", path).field("options", options).finish()
            }
            Self::Stream { name, .. } => {
                f.debug_struct("Stream").field("name", name).finish_non_exhaustive()
            }
        }
    }
}

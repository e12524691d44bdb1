//! Output of a text.

use std::io::Write;
use std::path::PathBuf;

use nnz_storage::{TaskContext, staging};

/// Where a text is written.
pub enum Target {
    /// To a file, which appears when it is complete.
    File {
        /// Its path.
        path: PathBuf,
        /// Whether to replace an existing file, and to sync it.
        options: staging::WriteOptions,
    },
    /// To a stream such as standard output, immediately.
    Stream {
        /// The stream.
        writer: Box<dyn Write + Send>,
        /// The name in messages.
        name: String,
        /// Where temporary files are.
        context: TaskContext,
    },
}

impl Target {
    /// Returns the context in which it is written.
    #[must_use]
    pub fn context(&self) -> &TaskContext {
        match self {
            Self::File { options, .. } => &options.context,
            Self::Stream { context, .. } => context,
        }
    }
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

//! Target of a text.

use std::io::Write;
use std::path::PathBuf;

use nnz_storage::{TaskContext, staging};

/// Target of a text.
pub enum TextTarget {
    /// A file, which appears when it is complete.
    File {
        /// Its path.
        path: PathBuf,
        /// Whether to replace an existing file, and to sync it.
        options: staging::WriteOptions,
    },
    /// A stream such as standard output, written immediately.
    Stream {
        /// The stream.
        writer: Box<dyn Write + Send>,
        /// The name in messages.
        name: String,
        /// The context, which also has the directory for temporary files.
        context: TaskContext,
    },
}

impl TextTarget {
    /// Returns the context in which it is written.
    #[must_use]
    pub fn context(&self) -> &TaskContext {
        match self {
            Self::File { options, .. } => &options.context,
            Self::Stream { context, .. } => context,
        }
    }
}

impl std::fmt::Debug for TextTarget {
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

//! Atomic outputs.
//!
//! A file is written without a name if the system supports this (`O_TMPFILE`), so that a killed
//! process leaves nothing; otherwise under a hidden name next to its target. When it is complete
//! and synced, it is linked or renamed to its target in one step.
//!
//! Hidden names are `.NAME.nnz-` followed by 16 hexadecimal digits. Hidden files of a killed
//! process are removed when the same target is written the next time. Processes that create or
//! remove such files hold a lock (`flock`) on the directory, unless the file system does not
//! support locks.
//!
//! An output at a URL is written in the directory for temporary files, and [uploaded](UrlOutput) when it is
//! complete.

#[cfg(unix)]
mod access;
#[cfg(not(unix))]
#[path = "staging/no_access.rs"]
mod access;
mod anonymous;
mod critical;
mod directory;
mod file;
mod group;
mod hidden;
#[cfg(unix)]
mod lock;
#[cfg(windows)]
#[path = "staging/lock_windows.rs"]
mod lock;
mod ready;
mod rename;
mod target;
mod temporary;
mod tree;
mod update;
mod url;

use crate::TaskContext;
pub use critical::{remove_staged_outputs, remove_staged_outputs_unless_placed};
pub use directory::{Foreign, Refusal, StagedDirectory};
pub use file::StagedFile;
pub use group::StagedGroup;
pub use hidden::is_hidden_name;
pub use target::{Expected, Version, appeared};
pub use temporary::TemporaryDirectory;
pub use update::UpdateLock;
pub use url::{UploadFile, UrlEntries, UrlOutput, check_addition, exists};

/// Options for putting a target in place.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct WriteOptions {
    /// Whether an existing target is replaced. Its mode is kept, and if possible its owner and
    /// access control list. By default it is not.
    pub overwrite: bool,
    /// Whether data is synced to disk before the target appears, as by default.
    pub sync: bool,
    /// The context: the directory for temporary files, the storage of a target at a URL, and the cancellation.
    pub context: TaskContext,
}

nnz_core::setters! {
    WriteOptions {
        overwrite: bool,
        sync: bool,
        context: TaskContext,
    }
}

impl Default for WriteOptions {
    fn default() -> Self {
        Self { overwrite: false, sync: true, context: TaskContext::default() }
    }
}

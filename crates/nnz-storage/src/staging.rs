//! Outputs that appear whole or not at all.
//!
//! A file is written without a name where the system allows that (`O_TMPFILE`), so that a process
//! that is killed leaves nothing behind; elsewhere under a hidden name beside its target. When it
//! is complete and synced it takes its target's name in one step.
//!
//! Hidden names are `.NAME.nnz-` and 16 hexadecimal digits. What a killed process left under one is
//! removed when the same target is written next. Processes that name or remove such files hold a
//! lock (`flock`) on the directory; where the file system has no locks they go on without.

#[cfg(unix)]
mod access;
#[cfg(not(unix))]
#[path = "staging/no_access.rs"]
mod access;
mod anonymous;
mod critical;
mod directory;
mod file;
mod hidden;
#[cfg(unix)]
mod lock;
#[cfg(windows)]
#[path = "staging/lock_windows.rs"]
mod lock;
mod ready;
mod rename;
mod target;
mod tree;
mod update;

pub use critical::{remove_staged_outputs, remove_staged_outputs_unless_placed};
pub use directory::{Foreign, Refusal, StagedDirectory};
pub use file::StagedFile;
pub use hidden::is_hidden_name;
pub use target::{Expected, Version, appeared};
pub use update::UpdateLock;

/// Says how a target is put in its place.
#[derive(Clone, Copy, Debug)]
pub struct WriteOptions {
    /// Whether a target that is there already is replaced. It keeps its mode and, where possible,
    /// its owner and access control list.
    pub overwrite: bool,
    /// Whether the data is on disk before the target appears.
    pub sync: bool,
}

impl Default for WriteOptions {
    /// Nothing is replaced, everything is synced.
    fn default() -> Self {
        Self { overwrite: false, sync: true }
    }
}

//! Files and directories that are read through a [`Storage`], and atomic outputs.
//!
//! Readers take an [`InputFile`] or an [`InputDirectory`], which is opened once and passed on, not
//! a path. [`LocalStorage`] is the file system. For tests, [`CountingStorage`] records what is
//! opened, read and listed, and [`FaultyStorage`] fails or returns short reads. Outputs
//! ([`staging`]) are local files, which are uploaded if the target is a URL.

mod context;
mod counting;
mod directory;
mod faulty;
mod file;
mod fresh;
mod local;
mod mapped;
mod memory;
mod opened;
mod page_cache;
mod pinned;
mod spool;
pub mod staging;
pub mod stdio;
mod storage;
mod system;
mod temporary;

pub use context::TaskContext;
pub use counting::{CountingStorage, Request};
pub use directory::InputDirectory;
pub use faulty::FaultyStorage;
pub use file::{FileReader, InputFile};
pub use fresh::{FreshPages, enlarge_pages, prefault};
pub use local::{LocalStorage, local};
pub use mapped::Mapped;
pub use memory::{default_memory, default_threads};
pub use opened::Opened;
pub use pinned::Pinned;
pub use spool::{Spool, Texts};
pub use storage::{EntryKind, Identity, ListedEntry, Metadata, ReadAt, Storage};
pub use system::os_str_from_bytes;
pub use temporary::TemporaryFile;

/// Compiles the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

//! Storage of paths and URLs: the interface to implement for your own.
//!
//! [`Storage`] opens and lists; it is set with [`Context::with_storage`](crate::Context::with_storage). [`local`] is
//! the file system. [`is_url`], [`UrlParts`] and [`without_secrets`] are for the texts of URLs.

pub use nnz_core::{UrlParts, is_url, without_secrets};
pub use nnz_storage::{
    EntryKind, FileReader, Identity, InputDirectory, InputFile, ListedEntry, LocalStorage, Mapped,
    Metadata, Opened, ReadAt, Storage, local, staging::UrlOutput,
};

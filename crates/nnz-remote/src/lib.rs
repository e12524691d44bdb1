//! Places that are read over a network: `s3://`, `gs://`, `az://` (with `abfss://`), `https://` and
//! `http://`.
//!
//! [`RemoteStorage`] is a [`Storage`](nnz_storage::Storage) whose paths are URLs. Each object has one
//! cache: what was read is kept as long as there is memory for it, no byte is fetched by two readers at
//! the same time, and what is read in order or was announced is fetched ahead, close ranges together.
//! Requests run on one thread of the process; the thread of the caller waits, and may have a runtime of
//! its own.
//!
//! Messages show URLs without user, password and query.

mod address;
mod bridge;
mod client;
mod credentials;
mod failure;
mod object;
mod options;
mod shared;
mod spool;
mod storage;

pub use options::StorageOptions;
pub use storage::RemoteStorage;

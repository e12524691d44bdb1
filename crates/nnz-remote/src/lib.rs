//! Reading over a network, `s3://`, `gs://`, `az://` (and `abfss://`), `https://` and `http://`, and writing to
//! object storage.
//!
//! [`RemoteStorage`] is a [`Storage`](nnz_storage::Storage) whose paths are URLs. Each object has one
//! cache with a memory limit, concurrent readers never request the same bytes twice, and data that is read
//! sequentially or announced is requested in advance, with close ranges combined. Requests run on one thread of
//! the process. The calling thread waits, and may have its own runtime.
//!
//! [`UrlOutput`](nnz_storage::staging::UrlOutput)s of object storage are uploaded by
//! the [output](nnz_storage::Storage::output) of the storage.
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
mod stores;
mod upload;

pub use options::StorageOptions;
pub use storage::RemoteStorage;
pub use stores::StoreFiles;

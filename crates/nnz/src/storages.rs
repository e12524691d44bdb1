//! The default storage: the file system and URLs.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use nnz_core::is_url;
use nnz_storage::staging::{self, UrlOutput, UrlOutputs};
use nnz_storage::{EntryKind, ListedEntry, LocalStorage, Metadata, ReadAt, Storage};

/// Options of URLs by name, for all URLs that are opened from now on.
static OPTIONS: RwLock<Vec<(String, String)>> = RwLock::new(Vec::new());

/// Sets the options of URLs, such as `region`, `endpoint` or `anon`, for all functions that use the default
/// storage and for targets; see [`storage_with`].
pub fn set_storage_options(options: Vec<(String, String)>) {
    register_url_outputs();
    *OPTIONS.write().unwrap_or_else(PoisonError::into_inner) = options;
}

/// Returns the file system, and URLs with the options of [`set_storage_options`].
#[must_use]
pub fn default_storage() -> Arc<dyn Storage> {
    storage_with(options())
}

fn options() -> Vec<(String, String)> {
    OPTIONS.read().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Returns the file system, and URLs with options by name: those of the crate object_store, `profile`,
/// `anon`, `bearer_token` and `spool_limit`. Options that are not given come from the environment and the
/// configuration files of the user.
///
/// In a build without the feature `remote`, opening a URL is an error.
#[must_use]
pub fn storage_with(options: Vec<(String, String)>) -> Arc<dyn Storage> {
    #[cfg(feature = "remote")]
    let urls = Arc::new(remote_storage(options));
    #[cfg(not(feature = "remote"))]
    let urls = {
        let _ = options;
        Arc::new(NoUrls)
    };
    Arc::new(PathsAndUrls { urls })
}

/// Returns a storage of URLs with options.
#[cfg(feature = "remote")]
fn remote_storage(options: Vec<(String, String)>) -> nnz_remote::RemoteStorage {
    nnz_remote::RemoteStorage::with_options(options.into_iter().collect())
        .with_store_files(STORE_FILES)
}

/// Makes targets at URLs those of this module.
pub(crate) fn register_url_outputs() {
    staging::set_url_outputs(&Outputs);
}

/// Targets at URLs, with the options of [`set_storage_options`].
#[derive(Debug)]
struct Outputs;

impl UrlOutputs for Outputs {
    #[cfg(feature = "remote")]
    fn prepare(&self, url: &Path, is_directory: bool) -> io::Result<Arc<dyn UrlOutput>> {
        remote_storage(options()).prepare_output(url, is_directory)
    }

    #[cfg(not(feature = "remote"))]
    fn prepare(&self, _: &Path, _: bool) -> io::Result<Arc<dyn UrlOutput>> {
        NoUrls::refuse("write")
    }
}

/// Files of the formats and containers that are directories.
#[cfg(feature = "remote")]
const STORE_FILES: nnz_remote::StoreFiles = nnz_remote::StoreFiles {
    marks: [
        // BPCells.
        &["version"],
        // Zarr, Binsparse and 10x.
        &[
            "zarr.json",
            ".zmetadata",
            ".zgroup",
            ".zarray",
            "binsparse.json",
            "matrix.mtx.gz",
            "matrix.mtx",
        ],
    ],
    inside: &["zarr.json", ".zgroup", ".zarray"],
    optional: &[
        ".zattrs",
        "barcodes.tsv",
        "barcodes.tsv.gz",
        "features.tsv",
        "features.tsv.gz",
        "genes.tsv",
        "genes.tsv.gz",
    ],
    // DAPHNE.
    sidecars: &[".meta"],
    extensions: &["zarr", "bpcells", "bsp"],
};

/// The file system and URLs.
#[derive(Debug)]
struct PathsAndUrls {
    urls: Arc<dyn Storage>,
}

impl PathsAndUrls {
    fn of(&self, path: &Path) -> &dyn Storage {
        if is_url(path) { &*self.urls } else { &LocalStorage }
    }
}

impl Storage for PathsAndUrls {
    fn metadata(&self, path: &Path) -> io::Result<Metadata> {
        self.of(path).metadata(path)
    }

    fn kind(&self, path: &Path) -> io::Result<EntryKind> {
        self.of(path).kind(path)
    }

    fn open(&self, path: &Path) -> io::Result<Arc<dyn ReadAt>> {
        self.of(path).open(path)
    }

    fn open_stream(&self, path: &Path) -> io::Result<Box<dyn Read + Send>> {
        self.of(path).open_stream(path)
    }

    fn open_directory(&self, path: &Path) -> io::Result<Arc<dyn Storage>> {
        self.of(path).open_directory(path)
    }

    fn list(
        &self,
        path: &Path,
        each: &mut dyn FnMut(ListedEntry) -> io::Result<bool>,
    ) -> io::Result<()> {
        self.of(path).list(path, each)
    }

    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        self.of(path).resolve(path)
    }

    fn shown(&self, path: &Path) -> PathBuf {
        self.of(path).shown(path)
    }

    fn sidecar(&self, path: &Path, suffix: &str) -> PathBuf {
        self.of(path).sidecar(path, suffix)
    }

    fn will_open(&self, paths: &[PathBuf], bytes: u64) {
        let (urls, files): (Vec<_>, Vec<_>) = paths.iter().cloned().partition(|path| is_url(path));
        self.urls.will_open(&urls, bytes);
        LocalStorage.will_open(&files, bytes);
    }
}

/// URLs in a build that opens none.
#[cfg(not(feature = "remote"))]
#[derive(Debug)]
struct NoUrls;

#[cfg(not(feature = "remote"))]
impl NoUrls {
    fn refuse<T>(verb: &str) -> io::Result<T> {
        let what = format!("this build of nnz cannot {verb} URLs: the feature `remote` is off");
        Err(io::Error::new(io::ErrorKind::Unsupported, what))
    }
}

#[cfg(not(feature = "remote"))]
impl Storage for NoUrls {
    fn metadata(&self, _: &Path) -> io::Result<Metadata> {
        Self::refuse("read")
    }

    fn open(&self, _: &Path) -> io::Result<Arc<dyn ReadAt>> {
        Self::refuse("read")
    }

    fn open_stream(&self, _: &Path) -> io::Result<Box<dyn Read + Send>> {
        Self::refuse("read")
    }

    fn open_directory(&self, _: &Path) -> io::Result<Arc<dyn Storage>> {
        Self::refuse("read")
    }

    fn list(&self, _: &Path, _: &mut dyn FnMut(ListedEntry) -> io::Result<bool>) -> io::Result<()> {
        Self::refuse("read")
    }

    fn shown(&self, path: &Path) -> PathBuf {
        nnz_core::without_secrets(path).into_owned()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops where it fails")]
mod tests {
    #[cfg(not(feature = "remote"))]
    #[test]
    fn a_build_without_urls_says_so() {
        let error = crate::open("s3://bucket/x.h5ad").err().map(|error| error.to_string());
        let expected =
            "s3://bucket/x.h5ad: this build of nnz cannot read URLs: the feature `remote` is off";
        assert_eq!(error.as_deref(), Some(expected));
        let matrix = crate::CsMatrix::from_parts(
            crate::Shape { rows: 0, cols: 0 },
            crate::Order::Row,
            vec![0],
            Vec::<u32>::new(),
            Vec::<f32>::new(),
        );
        let options = crate::ConvertOptions::default();
        let written = crate::WriteMatrix::write(matrix.unwrap(), "s3://bucket/x.h5ad", &options);
        let expected = expected.replace("read", "write");
        assert_eq!(written.err().map(|error| error.to_string()), Some(expected));
    }
}

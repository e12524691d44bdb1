//! The storage of a context: the file system and URLs.

use std::io::{self, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[cfg(feature = "remote")]
use nnz_core::Error;
use nnz_core::{Result, is_url};
use nnz_storage::staging::UrlOutput;
use nnz_storage::{EntryKind, ListedEntry, LocalStorage, Metadata, ReadAt, Storage, TaskContext};

/// Returns the file system, and URLs with options by name: options of object_store, `profile`,
/// `anon`, `bearer_token` and `spool_limit`. Options that are not given come from the environment and the
/// configuration files of the user.
///
/// In a build without the feature `remote`, opening a URL is an error.
#[must_use]
pub(crate) fn storage_with(options: Vec<(String, String)>) -> Arc<dyn Storage> {
    #[cfg(feature = "remote")]
    let urls = Arc::new(remote_storage(options));
    #[cfg(not(feature = "remote"))]
    let urls = {
        let _ = options;
        Arc::new(NoUrls)
    };
    Arc::new(PathsAndUrls { urls })
}

/// Checks the names of options, which are otherwise checked when a URL is opened.
///
/// # Errors
///
/// Fails if there is no such option. In a build without the feature `remote`, nothing is checked.
pub(crate) fn check_storage_options(options: &[(String, String)]) -> Result<()> {
    #[cfg(feature = "remote")]
    {
        let options: nnz_remote::StorageOptions = options.iter().cloned().collect();
        options.check().map_err(|error| Error::argument(error.to_string()).with_source(error))
    }
    #[cfg(not(feature = "remote"))]
    {
        let _ = options;
        Ok(())
    }
}

/// Returns a storage of URLs with options.
#[cfg(feature = "remote")]
fn remote_storage(options: Vec<(String, String)>) -> nnz_remote::RemoteStorage {
    nnz_remote::RemoteStorage::with_options(options.into_iter().collect())
        .with_store_files(STORE_FILES)
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
    extensions: &[
        // Consolidated metadata, of both versions.
        ("zarr", &["zarr.json", ".zmetadata"]),
        ("bpcells", &["version"]),
        ("bsp", &["binsparse.json"]),
    ],
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

    fn output(&self, url: &Path, is_directory: bool) -> io::Result<Option<Arc<dyn UrlOutput>>> {
        self.urls.output(url, is_directory)
    }

    fn in_context(&self, context: &TaskContext) -> Option<Arc<dyn Storage>> {
        let urls = self.urls.in_context(context)?;
        Some(Arc::new(Self { urls }))
    }

    fn restarted(&self) -> Option<Arc<dyn Storage>> {
        let urls = self.urls.restarted()?;
        Some(Arc::new(Self { urls }))
    }

    fn will_open(&self, files: &[(PathBuf, Range<u64>)]) {
        let (urls, files): (Vec<_>, Vec<_>) =
            files.iter().cloned().partition(|(path, _)| is_url(path));
        self.urls.will_open(&urls);
        LocalStorage.will_open(&files);
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

    fn output(&self, _: &Path, _: bool) -> io::Result<Option<Arc<dyn UrlOutput>>> {
        Self::refuse("write")
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
        let written = crate::WriteMatrix::write(
            matrix.unwrap(),
            "s3://bucket/x.bsp",
            &options,
            &crate::Context::default(),
        );
        let expected = expected.replace("read", "write").replace("x.h5ad", "x.bsp");
        assert_eq!(written.err().map(|error| error.to_string()), Some(expected));
    }
}

//! What DAPHNE left at a path.

use std::path::{Path, PathBuf};

use nnz_core::{Error, Finding, MatrixSource, Place, Result};
use nnz_daphne::{DataType, Dialect, FrameSource, ReadOptions, SegmentsSource, looks_like};

use super::nowhere;
use crate::{Format, Location, Opened};

/// A file, or a directory of segments.
pub(crate) struct Found {
    path: PathBuf,
}

impl Found {
    /// Recognises a file by its name, or its first 64 bytes and its length.
    pub(crate) fn file(path: &Path, start: &[u8], len: u64) -> Option<Self> {
        // By its name, so that a broken one is told where it is broken.
        let named = Format::of_path(path) == Some(Format::Daphne);
        (named || looks_like(start, len)).then(|| Self { path: path.to_path_buf() })
    }

    /// Recognises a directory of segments.
    pub(crate) fn directory(path: &Path) -> Option<Self> {
        SegmentsSource::is_at(path).then(|| Self { path: path.to_path_buf() })
    }

    /// Takes a place for one of DAPHNE, whatever it looks like.
    pub(crate) fn told(location: &Location) -> Result<Self> {
        match location {
            Location::Path { path, group: None } => Ok(Self { path: path.clone() }),
            _ => Err(nowhere(location)),
        }
    }

    /// Opens the matrix, in the dialect that is recognised unless one is given.
    pub(crate) fn open(&self, dialect: Option<Dialect>) -> Result<Opened> {
        let options = ReadOptions { dialect };
        if self.holds_frame() {
            let what = "holds a frame, which is no matrix: nnz convert makes it a .csv, and info, \
                        cat, names and validate read it";
            return Err(Error::unsupported(Place::path(&self.path), what));
        }
        let source: Box<dyn MatrixSource> = match self.path.is_dir() {
            true => Box::new(SegmentsSource::open(&self.path, &options)?),
            false => Box::new(nnz_daphne::MatrixSource::open(&self.path, &options)?),
        };
        Ok(Opened { source, ordered: true })
    }

    /// Whether it is a frame, as far as the first bytes tell.
    pub(crate) fn holds_frame(&self) -> bool {
        self.path.is_file() && matches!(nnz_daphne::data_type(&self.path), Ok(DataType::Frame))
    }

    /// Opens the frame.
    pub(crate) fn open_frame(&self, dialect: Option<Dialect>) -> Result<FrameSource> {
        FrameSource::open(&self.path, &ReadOptions { dialect })
    }

    /// Checks all of it.
    pub(crate) fn validate(
        &self,
        dialect: Option<Dialect>,
        each: &mut dyn FnMut(Finding),
    ) -> Result<()> {
        nnz_daphne::validate(&self.path, &ReadOptions { dialect }, each)
    }
}

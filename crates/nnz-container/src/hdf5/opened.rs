//! An open file, and calls of `hdf5-reader`, which parses its metadata.

use std::cell::RefCell;
use std::io;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use hdf5_reader::error::Error as HdfError;
use hdf5_reader::storage::{Storage, StorageBuffer};
use hdf5_reader::{Hdf5File, OpenOptions};
use nnz_core::{At, Error, ErrorKind, Place, Result};
use nnz_storage::InputFile;

use super::headers::Headers;

/// Maximum size of an object header including continuations. Headers have metadata and small
/// attributes; real ones have several KiB.
const MAX_HEADER_BYTES: usize = 16 << 20;

/// The undefined address.
const UNDEFINED: u64 = u64::MAX;

/// An open file.
pub(super) struct Opened {
    pub(super) meta: Hdf5File,
    pub(super) headers: Arc<Headers>,
    /// Size of the file after the base address.
    pub(super) bytes: u64,
    file: InputFile,
    /// The base address: the end of the user block, if there is one.
    pub(super) base: u64,
}

impl Opened {
    pub(super) fn open(file: InputFile) -> Result<Arc<Self>> {
        let length = file.len();
        announce(&file);
        let headers = Arc::new(Headers::default());
        let meta = call_library(&file.place(), || {
            let options = OpenOptions::default()
                .with_chunk_cache_bytes(0)
                .with_max_read_bytes(64 << 20)
                .with_max_object_header_bytes(MAX_HEADER_BYTES);
            let storage = Arc::new(Metadata(file.clone(), Arc::clone(&headers)));
            Hdf5File::from_storage_with_options(storage, options)
        })?;
        headers.set_superblock(meta.superblock());
        let base = meta.superblock().base_address;
        let bytes = length.saturating_sub(base);
        let opened = Self { meta, headers, bytes, file, base };
        opened.check_whole()?;
        Ok(Arc::new(opened))
    }

    /// Returns the file.
    pub(super) fn file(&self) -> &InputFile {
        &self.file
    }

    /// Refuses a file that is shorter than it states, like the HDF5 library.
    fn check_whole(&self) -> Result<()> {
        let end = self.meta.superblock().eof_address;
        let stated = end.saturating_sub(self.base);
        if self.is_undefined(end) || stated <= self.bytes {
            return Ok(());
        }
        let found = format!("a file of {} bytes", self.bytes);
        let expected = format!("{stated}, as in the HDF5 superblock; the file is truncated");
        Err(Error::mismatch(self.file.place(), found, expected))
    }

    /// Returns whether an address is undefined.
    pub(super) fn is_undefined(&self, address: u64) -> bool {
        let bits = u32::from(self.meta.superblock().offset_size).saturating_mul(8);
        // The parser zero-extends undefined addresses of fewer bytes.
        address == UNDEFINED || (bits < 64 && address == (1_u64 << bits) - 1)
    }

    /// Checks that `bytes` bytes at `address` are in the file.
    pub(super) fn check(&self, address: u64, bytes: u64, place: &Place) -> Result<()> {
        if address.checked_add(bytes).is_some_and(|end| end <= self.bytes) {
            return Ok(());
        }
        let place = place.clone().at(At::Byte(address.saturating_add(self.base)));
        let found = format!("{bytes} bytes that end after the file");
        Err(Error::mismatch(place, found, format!("at most {} bytes in all", self.bytes)))
    }

    /// Reads metadata at an address, and caches it.
    pub(super) fn read_metadata_at(
        &self,
        address: u64,
        out: &mut [u8],
        place: &Place,
    ) -> Result<()> {
        self.check(address, out.len() as u64, place)?;
        self.file.read_metadata_at(out, address + self.base).map_err(|error| {
            Error::new(ErrorKind::Io(error), place.clone().at(At::Byte(address + self.base)))
        })
    }

    /// Announces that ranges of addresses will be read soon.
    pub(super) fn will_read(&self, ranges: &[Range<u64>]) {
        let at = |address: u64| address.saturating_add(self.base);
        let ranges: Vec<_> = ranges.iter().map(|range| at(range.start)..at(range.end)).collect();
        self.file.will_read_all(&ranges);
    }

    /// Reads bytes at an address.
    pub(super) fn read_at(&self, address: u64, out: &mut [u8], place: &Place) -> Result<()> {
        self.check(address, out.len() as u64, place)?;
        self.file.read_exact_at(out, address + self.base).map_err(|error| {
            Error::new(ErrorKind::Io(error), place.clone().at(At::Byte(address + self.base)))
        })
    }
}

/// The longest file that is fetched whole where reads have a latency, and what is fetched of both ends of
/// others: metadata are at the front, at the end, or anywhere.
const SHORT_FILE: u64 = 16 << 20;
const END: u64 = 1 << 20;

/// Announces where metadata may be.
fn announce(file: &InputFile) {
    let len = file.len();
    if !file.has_latency() {
        return;
    }
    if len <= SHORT_FILE {
        file.will_read(0..len);
    } else {
        file.will_read_all(&[0..END, len - END..len]);
    }
}

/// The metadata of a file for `hdf5-reader`: each page is read once, and headers are rewritten.
struct Metadata(InputFile, Arc<Headers>);

impl Storage for Metadata {
    fn len(&self) -> u64 {
        self.0.len()
    }

    fn read_range(&self, offset: u64, len: usize) -> hdf5_reader::error::Result<StorageBuffer> {
        let needed = len as u64;
        let available = self.len().saturating_sub(offset);
        if needed > available {
            return Err(HdfError::UnexpectedEof { offset, needed, available });
        }
        let mut bytes = vec![0; len];
        if let Err(error) = self.0.read_metadata_at(&mut bytes, offset) {
            let kind = error.kind();
            FAILED.with_borrow_mut(|failed| *failed = failed.take().or(Some(error)));
            return Err(io::Error::from(kind).into());
        }
        self.1.rewrite(offset, &mut bytes);
        Ok(StorageBuffer::from_vec(bytes))
    }
}

thread_local! {
    /// The first failed read of the current call. `hdf5-reader` may report it as invalid data, or
    /// ignore it.
    static FAILED: RefCell<Option<io::Error>> = const { RefCell::new(None) };
}

/// Calls `hdf5-reader`, and converts its errors.
///
/// If a read fails, the call fails with the error of the read. Panics are converted to errors; no
/// file is known to cause one.
pub(super) fn call_library<T>(
    place: &Place,
    call: impl FnOnce() -> hdf5_reader::error::Result<T>,
) -> Result<T> {
    FAILED.take();
    let called = catch_unwind(AssertUnwindSafe(call));
    if let Some(error) = FAILED.take() {
        return Err(Error::new(ErrorKind::Io(error), place.clone()));
    }
    match called {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(convert_error(error, place.clone())),
        Err(_) => {
            let what = "invalid HDF5: its metadata is inconsistent".to_owned();
            Err(Error::new(ErrorKind::Unrecognized(what), place.clone()))
        }
    }
}

/// Returns whether the error means that a name does not exist.
pub(super) fn is_missing(error: &HdfError) -> bool {
    match error {
        HdfError::GroupNotFound(_) | HdfError::DatasetNotFound(_) => true,
        HdfError::Context { source, .. } => is_missing(source),
        _ => false,
    }
}

fn convert_error(error: HdfError, place: Place) -> Error {
    let converted = match &error {
        HdfError::InvalidMagic => Error::mismatch(place, "no HDF5 signature", "an HDF5 file"),
        HdfError::UnsupportedLayoutClass(3) => {
            Error::unsupported(place, "HDF5 virtual datasets are not supported")
        }
        HdfError::UnsupportedDatatypeClass(11) => {
            Error::unsupported(place, "complex numbers of HDF5 2.0 are not supported")
        }
        error if is_missing(error) => Error::new(ErrorKind::Missing, place),
        error if is_unsupported(error) => Error::unsupported(place, format!("HDF5: {error}")),
        _ => match error {
            HdfError::Io(error) => return Error::new(ErrorKind::Io(error), place),
            HdfError::Context { source, .. } => return convert_error(*source, place),
            _ => Error::new(ErrorKind::Unrecognized(format!("invalid HDF5: {error}")), place),
        },
    };
    converted.with_source(error)
}

/// Returns whether the error means that the file is valid, but not supported.
fn is_unsupported(error: &HdfError) -> bool {
    use HdfError as E;
    matches!(
        error,
        E::UnsupportedSuperblockVersion(_)
            | E::UnsupportedObjectHeaderVersion(_)
            | E::UnsupportedBTreeVersion(_)
            | E::UnsupportedSymbolTableNodeVersion(_)
            | E::UnsupportedLocalHeapVersion(_)
            | E::UnsupportedGlobalHeapVersion(_)
            | E::UnsupportedFractalHeapVersion(_)
            | E::UnsupportedDataspaceVersion(_)
            | E::UnsupportedDatatypeClass(_)
            | E::UnsupportedLayoutClass(_)
            | E::UnsupportedLayoutVersion(_)
            | E::UnsupportedFilterPipelineVersion(_)
            | E::UnsupportedFillValueVersion(_)
            | E::UnsupportedLinkVersion(_)
            | E::UnsupportedLinkType(_)
            | E::UnsupportedAttributeVersion(_)
            | E::UnsupportedBTreeV2RecordType(_)
            | E::UnsupportedChunkIndexType(_)
            | E::UnsupportedOffsetSize(_)
            | E::UnsupportedLengthSize(_)
            | E::UnsupportedFilter(_)
            | E::UnsupportedEncoding(_)
    )
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;

    use super::*;

    #[test]
    fn errors_of_the_reader_are_kept_as_causes() {
        let inside = |error: HdfError| error.with_context("group");
        for (error, message) in [
            (HdfError::InvalidMagic, "found no HDF5 signature, expected an HDF5 file"),
            (inside(HdfError::GroupNotFound("a".to_owned())), "missing"),
            (HdfError::UnsupportedLayoutClass(3), "HDF5 virtual datasets are not supported"),
            (HdfError::UnsupportedBTreeVersion(9), "HDF5: unsupported B-tree version 9"),
            (
                inside(HdfError::UnsupportedEncoding("x".to_owned())),
                "HDF5: unsupported encoding: x",
            ),
            (
                HdfError::InvalidData("unsupported".to_owned()),
                "invalid HDF5: invalid data: unsupported",
            ),
        ] {
            let converted = convert_error(error, Place::default());
            assert_eq!(converted.to_string(), message);
            assert!(converted.source().is_some_and(|cause| cause.is::<HdfError>()), "{message}");
        }
    }
}

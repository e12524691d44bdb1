//! An open file.

use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use nnz_core::{At, Error, ErrorKind, Place, Result};
use nnz_storage::InputFile;

use super::links::Link;
use crate::bytes::Sizes;
use crate::fault::unsupported;
use crate::message::{MessageType, cache_image};
use crate::object_header::ObjectHeader;
use crate::read::object::Object;
use crate::superblock::{self, Superblock};
use crate::{SIGNATURE, UNDEFINED, signature_at};

/// Maximum size of all headers, and of all links, that are kept.
const MAX_KEPT: usize = 32 << 20;

/// Maximum size of a structure that is read at once. Real ones have several KiB, and attributes several MiB.
const MAX_METADATA: usize = 256 << 20;

/// An open file.
pub struct File {
    pub(crate) superblock: Superblock,
    pub(crate) sizes: Sizes,
    /// Size of the file after the base address.
    pub(crate) bytes: u64,
    file: InputFile,
    /// The base address: the end of the user block, if there is one.
    pub(crate) base: u64,
    /// Metadata that are in a cache image, by address.
    image: Vec<(u64, Vec<u8>)>,
    headers: Mutex<AddressCache<ObjectHeader>>,
    links: Mutex<AddressCache<Vec<Link>>>,
}

impl std::fmt::Debug for File {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("File").field("path", &self.path()).finish_non_exhaustive()
    }
}

impl File {
    /// Reads the superblock of a file.
    ///
    /// # Errors
    ///
    /// Fails if it is not an HDF5 file, is truncated, or cannot be read.
    pub fn open(file: InputFile) -> Result<Arc<Self>> {
        announce(&file);
        let place = file.place();
        let missing = || Error::mismatch(place.clone(), "no HDF5 signature", "an HDF5 file");
        let base = signature_at(&file)?.ok_or_else(missing)?;
        let bytes = file.len() - base;
        let longest = superblock::LEN.min(bytes);
        let mut start = vec![0; usize::try_from(longest).unwrap_or(SIGNATURE.len())];
        file.read_metadata_at(&mut start, base).map_err(|error| file.error(error))?;
        let superblock = Superblock::parse(&start).map_err(|error| error.with_context(&place))?;
        // A file that is shorter than it states is refused, as by the HDF5 library.
        if superblock.end != UNDEFINED && superblock.end > bytes {
            let expected = superblock.end;
            let expected = format!("{expected}, as in the HDF5 superblock; the file is truncated");
            return Err(Error::mismatch(place, format!("a file of {bytes} bytes"), expected));
        }
        let (headers, links) = (Mutex::default(), Mutex::default());
        let (sizes, image) = (superblock.sizes, Vec::new());
        let mut opened = Self { superblock, sizes, bytes, file, base, image, headers, links };
        opened.image = opened.prepare().map_err(|error| error.with_context(&place))?;
        Ok(Arc::new(opened))
    }

    /// Reads what precedes all other metadata: which driver wrote the file, and a metadata cache image.
    fn prepare(&self) -> Result<Vec<(u64, Vec<u8>)>> {
        if self.superblock.driver != UNDEFINED {
            let driver = self.metadata(self.superblock.driver, 16)?;
            if driver[8..].starts_with(b"NCSA") {
                let name = driver[8..].escape_ascii();
                return Err(unsupported(format!(
                    "data in several files ({name}) is not supported"
                )));
            }
        }
        let image =
            self.extension()?.map(|extension| extension.body(self, MessageType::CACHE_IMAGE));
        match image.transpose()?.flatten() {
            Some(message) => cache_image::read(self, &message),
            None => Ok(Vec::new()),
        }
    }

    /// Returns the file.
    #[must_use]
    pub fn file(&self) -> &InputFile {
        &self.file
    }

    /// Returns its path.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// Returns its size in bytes, without the user block.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Opens the root group.
    ///
    /// # Errors
    ///
    /// Fails if its header is invalid.
    pub fn root(self: &Arc<Self>) -> Result<Object> {
        self.object(self.superblock.root)
    }

    /// Opens the object whose header is at an address.
    ///
    /// # Errors
    ///
    /// Fails if there is no valid header.
    pub fn object(self: &Arc<Self>, address: u64) -> Result<Object> {
        let read = || {
            let header = ObjectHeader::read(self, address);
            let header = header.map_err(|error| error.with_context(&self.file.place()))?;
            let bytes =
                header.messages.iter().map(|stored| stored.message.body.len() + ENTRY).sum();
            Ok((header, bytes))
        };
        let header = kept(&self.headers, address, read)?;
        Ok(Object::new(Arc::clone(self), address, header))
    }

    /// Returns the links of a group, sorted by name, which are read once.
    pub(crate) fn links(
        &self,
        group: u64,
        read: impl FnOnce() -> Result<Vec<Link>>,
    ) -> Result<Arc<Vec<Link>>> {
        kept(&self.links, group, || {
            let links = read()?;
            let bytes = links.iter().map(|link| link.name.len() + ENTRY).sum();
            Ok((links, bytes))
        })
    }

    /// Returns the superblock extension, if there is one.
    pub(crate) fn extension(&self) -> Result<Option<ObjectHeader>> {
        match self.superblock.extension {
            UNDEFINED => Ok(None),
            address => ObjectHeader::read(self, address).map(Some),
        }
    }

    /// Returns the number of bytes from an address to the end of the file, as far as they fit in memory.
    pub(crate) fn room(&self, address: u64) -> usize {
        usize::try_from(self.bytes.saturating_sub(address)).unwrap_or(usize::MAX)
    }

    /// Checks that `bytes` bytes at `address` are in the file.
    pub(crate) fn check(&self, address: u64, bytes: u64) -> Result<()> {
        if address.checked_add(bytes).is_some_and(|end| end <= self.bytes) {
            return Ok(());
        }
        let place = Place::default().at(At::Byte(address.saturating_add(self.base)));
        let found = format!("{bytes} bytes that extend past the end of the file");
        let end = self.bytes.saturating_add(self.base);
        Err(Error::mismatch(place, found, format!("data that ends at byte {end} or before")))
    }

    /// Reads metadata at an address, which is kept.
    pub(crate) fn read_metadata_at(&self, address: u64, out: &mut [u8]) -> Result<()> {
        self.check(address, out.len() as u64)?;
        let at = address + self.base;
        self.file.read_metadata_at(out, at).map_err(|error| failed(error, at))?;
        cache_image::copy(&self.image, address, out);
        Ok(())
    }

    /// Returns metadata at an address.
    pub(crate) fn metadata(&self, address: u64, bytes: usize) -> Result<Vec<u8>> {
        self.check(address, bytes as u64)?;
        // A file may be longer than what is stored of it.
        if bytes > MAX_METADATA {
            return Err(unsupported(format!("metadata of {bytes} bytes is not supported")));
        }
        let mut out = vec![0; bytes];
        self.read_metadata_at(address, &mut out)?;
        Ok(out)
    }

    /// Reads bytes at an address.
    pub(crate) fn read_at(&self, address: u64, out: &mut [u8]) -> Result<()> {
        self.check(address, out.len() as u64)?;
        let at = address + self.base;
        self.file.read_exact_at(out, at).map_err(|error| failed(error, at))
    }

    /// Announces that ranges of addresses will be read soon.
    pub(crate) fn will_read(&self, ranges: &[Range<u64>]) {
        self.file.will_read_all(&self.positions(ranges));
    }

    /// Announces that metadata in ranges of addresses will be read soon.
    pub(crate) fn will_read_metadata(&self, ranges: &[Range<u64>]) {
        self.file.will_read_metadata(&self.positions(ranges));
    }

    /// Returns the positions in the file of ranges of addresses.
    fn positions(&self, ranges: &[Range<u64>]) -> Vec<Range<u64>> {
        let at = |address: u64| address.saturating_add(self.base);
        ranges.iter().map(|range| at(range.start)..at(range.end)).collect()
    }
}

/// Memory of a kept message or link besides its bytes.
const ENTRY: usize = 64;

/// Values by their addresses, and their size.
struct AddressCache<T> {
    values: HashMap<u64, Arc<T>>,
    bytes: usize,
}

impl<T> Default for AddressCache<T> {
    fn default() -> Self {
        Self { values: HashMap::new(), bytes: 0 }
    }
}

/// Returns the value at an address, which is read, with its size, unless it is kept. If all are too large, they are
/// dropped.
fn kept<T>(
    all: &Mutex<AddressCache<T>>,
    address: u64,
    read: impl FnOnce() -> Result<(T, usize)>,
) -> Result<Arc<T>> {
    let lock = || all.lock().unwrap_or_else(PoisonError::into_inner);
    let found = lock().values.get(&address).map(Arc::clone);
    if let Some(value) = found {
        return Ok(value);
    }
    let (value, bytes) = read()?;
    let value = Arc::new(value);
    let mut kept = lock();
    if kept.bytes.saturating_add(bytes) > MAX_KEPT {
        *kept = AddressCache::default();
    }
    kept.bytes += bytes;
    kept.values.insert(address, Arc::clone(&value));
    Ok(value)
}

/// Creates the error of a failed read; the caller adds the path.
fn failed(error: std::io::Error, at: u64) -> Error {
    Error::new(ErrorKind::Io(error), Place::default().at(At::Byte(at)))
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

//! Containers whose reads can be cancelled.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use nnz_container::{Capabilities, Container, NumberArray};
use nnz_core::{Cancellation, Names, Place, Result, StringReader, ValueType};
use nnz_storage::Mapped;

/// Makes every read of a container fail after `cancellation` is cancelled.
pub(crate) fn cancellable(
    container: &Arc<dyn Container>,
    cancellation: Option<&Cancellation>,
) -> Box<dyn Container> {
    let inner: Box<dyn Container> = Box::new(Arc::clone(container));
    match cancellation {
        Some(token) => {
            Box::new(Cancellable { inner, cancellation: token.clone(), read: Arc::default() })
        }
        None => inner,
    }
}

/// Like [`cancellable`], and adds the bytes of numbers that are read to `read`.
pub(crate) fn counted(
    container: &Arc<dyn Container>,
    cancellation: Option<&Cancellation>,
    read: &Arc<AtomicU64>,
) -> Box<dyn Container> {
    let inner: Box<dyn Container> = Box::new(Arc::clone(container));
    let cancellation = cancellation.cloned().unwrap_or_default();
    Box::new(Cancellable { inner, cancellation, read: Arc::clone(read) })
}

struct Cancellable<T: ?Sized> {
    cancellation: Cancellation,
    /// Bytes of arrays that were read.
    read: Arc<AtomicU64>,
    inner: Box<T>,
}

impl Container for Cancellable<dyn Container> {
    fn path(&self) -> &Path {
        self.inner.path()
    }

    fn kind(&self) -> &'static str {
        self.inner.kind()
    }

    fn capabilities(&self) -> Capabilities {
        self.inner.capabilities()
    }

    fn members(&self) -> Result<Vec<String>> {
        self.inner.members()
    }

    fn attribute(&self, name: &str) -> Result<String> {
        self.inner.attribute(name)
    }

    fn array(&self, name: &str) -> Result<Box<dyn NumberArray>> {
        let inner = self.inner.array(name)?;
        let (cancellation, read) = (self.cancellation.clone(), Arc::clone(&self.read));
        Ok(Box::new(Cancellable { cancellation, read, inner }))
    }

    fn will_open(&self, names: &[&str]) {
        self.inner.will_open(names);
    }

    fn strings_size(&self, name: &str) -> Result<u64> {
        self.inner.strings_size(name)
    }

    fn read_strings(&self, name: &str) -> Result<Names<'_>> {
        let inner = self.inner.read_strings(name)?;
        Ok(Box::new(Strings { cancellation: &self.cancellation, inner }))
    }
}

impl NumberArray for Cancellable<dyn NumberArray> {
    fn place(&self) -> Place {
        self.inner.place()
    }

    fn value_type(&self) -> ValueType {
        self.inner.value_type()
    }

    fn len(&self) -> u64 {
        self.inner.len()
    }

    fn stored_bytes(&self) -> Result<u64> {
        self.inner.stored_bytes()
    }

    fn trailing_bytes(&self) -> u64 {
        self.inner.trailing_bytes()
    }

    fn read_bytes(&self, first: u64, out: &mut [u8]) -> Result<()> {
        self.cancellation.check()?;
        self.read.fetch_add(out.len() as u64, Ordering::Relaxed);
        self.inner.read_bytes(first, out)
    }

    fn will_read(&self, ranges: &[Range<u64>]) {
        self.inner.will_read(ranges);
    }

    fn has_latency(&self) -> bool {
        self.inner.has_latency()
    }

    fn map(&self, first: u64, bytes: usize) -> Option<Mapped> {
        let mapped = self.inner.map(first, bytes)?;
        self.read.fetch_add(bytes as u64, Ordering::Relaxed);
        Some(mapped)
    }
}

struct Strings<'a> {
    cancellation: &'a Cancellation,
    inner: Names<'a>,
}

impl StringReader for Strings<'_> {
    fn next_string(&mut self) -> Result<Option<&[u8]>> {
        self.cancellation.check()?;
        self.inner.next_string()
    }

    fn remaining(&self) -> Option<u64> {
        self.inner.remaining()
    }

    fn min_bytes(&self) -> u64 {
        self.inner.min_bytes()
    }
}

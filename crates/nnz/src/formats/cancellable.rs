//! Groups whose reads can be cancelled.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use nnz_container::tree::{Attribute, Attributes, Child, ElementType, Group, NdArray};
use nnz_container::{ContainerInfo, NamedArrays};
use nnz_core::{Cancellation, Names, Place, Result, StringReader};
use nnz_storage::Mapped;

/// Makes every read of a container fail after `cancellation` is cancelled.
pub(crate) fn cancellable(
    container: &NamedArrays,
    cancellation: Option<&Cancellation>,
) -> NamedArrays {
    match cancellation {
        Some(_) => counted(container, cancellation, &Arc::default()),
        None => container.clone(),
    }
}

/// Like [`cancellable`], and adds the bytes of numbers that are read to `read`.
pub(crate) fn counted(
    container: &NamedArrays,
    cancellation: Option<&Cancellation>,
    read: &Arc<AtomicU64>,
) -> NamedArrays {
    let cancellation = cancellation.cloned().unwrap_or_default();
    let (inner, read) = (Arc::clone(container.group()), Arc::clone(read));
    NamedArrays::new(Cancellable { cancellation, read, inner })
}

#[derive(Clone, Debug)]
struct Cancellable<T> {
    cancellation: Cancellation,
    /// Bytes of arrays that were read.
    read: Arc<AtomicU64>,
    inner: T,
}

impl<T> Cancellable<T> {
    /// Wraps a part of it.
    fn wrap<U>(&self, inner: U) -> Cancellable<U> {
        let (cancellation, read) = (self.cancellation.clone(), Arc::clone(&self.read));
        Cancellable { cancellation, read, inner }
    }
}

impl Attributes for Cancellable<Arc<dyn Group>> {
    fn attributes(&self) -> Result<Vec<String>> {
        self.inner.attributes()
    }

    fn attribute(&self, name: &str) -> Result<Option<Attribute>> {
        self.inner.attribute(name)
    }
}

impl Group for Cancellable<Arc<dyn Group>> {
    fn path(&self) -> &Path {
        self.inner.path()
    }

    fn info(&self) -> &'static ContainerInfo {
        self.inner.info()
    }

    fn identity(&self) -> Option<u64> {
        self.inner.identity()
    }

    fn children(&self) -> Result<Vec<Child>> {
        self.inner.children()
    }

    fn group(&self, name: &str) -> Result<Box<dyn Group>> {
        let inner: Arc<dyn Group> = self.inner.group(name)?.into();
        Ok(Box::new(self.wrap(inner)))
    }

    fn array(&self, name: &str) -> Result<Box<dyn NdArray>> {
        Ok(Box::new(self.wrap(self.inner.array(name)?)))
    }

    fn text(&self, name: &str) -> Result<String> {
        self.inner.text(name)
    }

    fn member_names(&self) -> Result<Vec<String>> {
        self.inner.member_names()
    }

    fn read_list(&self, name: &str) -> Result<Names<'_>> {
        Ok(Box::new(self.wrap(self.inner.read_list(name)?)))
    }

    fn list_bytes(&self, name: &str) -> Result<u64> {
        self.inner.list_bytes(name)
    }

    fn will_open(&self, names: &[&str]) {
        self.inner.will_open(names);
    }
}

impl Attributes for Cancellable<Box<dyn NdArray>> {
    fn attributes(&self) -> Result<Vec<String>> {
        self.inner.attributes()
    }

    fn attribute(&self, name: &str) -> Result<Option<Attribute>> {
        self.inner.attribute(name)
    }
}

impl NdArray for Cancellable<Box<dyn NdArray>> {
    fn place(&self) -> Place {
        self.inner.place()
    }

    fn shape(&self) -> &[u64] {
        self.inner.shape()
    }

    fn element_type(&self) -> &ElementType {
        self.inner.element_type()
    }

    fn stored_bytes(&self) -> Result<u64> {
        self.inner.stored_bytes()
    }

    fn trailing_bytes(&self) -> u64 {
        self.inner.trailing_bytes()
    }

    fn check_extent(&self) -> Result<()> {
        self.inner.check_extent()
    }

    fn read_bytes(&self, selection: &[Range<u64>], out: &mut [u8]) -> Result<()> {
        self.cancellation.check()?;
        self.read.fetch_add(out.len() as u64, Ordering::Relaxed);
        self.inner.read_bytes(selection, out)
    }

    fn read_strings(&self, selection: &[Range<u64>]) -> Result<Names<'static>> {
        Ok(Box::new(self.wrap(self.inner.read_strings(selection)?)))
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

impl StringReader for Cancellable<Names<'_>> {
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

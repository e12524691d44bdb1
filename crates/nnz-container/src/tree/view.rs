//! Reading an array, or a field of its elements, by hyperslab.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use nnz_core::{Error, ErrorKind, Names, Place, Result, Scalar, ValueType, Values, parallel};

use super::array::{ArrayStorage, NdArray};
use super::attribute::Attribute;
use super::copy::{copy, merge};
use super::element::{ElementType, StoredType};
use super::flat;
use super::float16::widen;
use super::group::Attributes;
use super::request::{ChunkSelection, Positions, Request};
use super::selection::{self, check_rank};
use super::source::{Chunk, Chunks, Layout, Source};
use super::strings::Strings;
use nnz_chunk::byte_order;

/// Number of bytes for which starting a thread is worthwhile.
const BY_THREAD: usize = 256 << 10;

/// Elements of an array, or of a field of its compounds.
#[derive(Clone)]
pub(crate) struct View {
    pub(crate) source: Arc<dyn Source>,
    place: Place,
    /// The lengths of all dimensions: first of the array, then of the field.
    shape: Vec<u64>,
    /// The offset of the field in an element of the array.
    offset: usize,
    element: StoredType,
    element_type: ElementType,
    /// The size of an element in bytes.
    width: usize,
}

impl View {
    /// Creates a view of the elements of an array.
    pub(crate) fn new(source: Arc<dyn Source>) -> Result<Self> {
        let (place, element) = (source.place().clone(), source.element().clone());
        Self::of(source, place, 0, &element)
    }

    fn of(
        source: Arc<dyn Source>,
        place: Place,
        offset: usize,
        element: &StoredType,
    ) -> Result<Self> {
        let (lengths, element) = element.flatten();
        let shape = [source.shape(), &lengths].concat();
        check_rank(shape.len(), &place)?;
        let width = element.bytes().unwrap_or(0);
        let (element, element_type) = (element.clone(), element.element_type());
        Ok(Self { source, place, shape, offset, element, element_type, width })
    }

    pub(crate) fn stored(&self) -> &StoredType {
        &self.element
    }

    /// Returns the stored size of an element in bytes.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    pub(crate) fn chunk(&self) -> Result<Option<Vec<u64>>> {
        let own = &self.shape[self.source.shape().len()..];
        Ok(match self.source.layout()? {
            Layout::Chunked(chunks) => Some([chunks.grid().chunk(), own].concat()),
            _ => None,
        })
    }

    /// Creates the error that elements have another type than requested.
    pub(crate) fn wrong_type(&self, expected: &str) -> Error {
        let found = format!("elements of type {}", self.element_type);
        match &self.element {
            StoredType::Other { what, .. } => {
                Error::unsupported(self.place.clone(), format!("{what} are not supported"))
            }
            _ => Error::mismatch(self.place.clone(), found, expected),
        }
    }

    /// Fills `out` with the elements of a hyperslab in stored form.
    pub(crate) fn read_stored(&self, selection: &[Range<u64>], out: &mut [u8]) -> Result<()> {
        if let ([range], [len]) = (selection, &*self.shape)
            && !out.is_empty()
            && range.start < range.end
            && range.end <= *len
            && (range.end - range.start).checked_mul(self.width as u64) == Some(out.len() as u64)
            && self.is_whole()
            && self.source.read_run(range.start, out)?
        {
            return Ok(());
        }
        let count = selection::count(selection, &self.shape, &self.place)?;
        let bytes = count.checked_mul(self.width as u64);
        if bytes != Some(out.len() as u64) {
            let found = format!("a buffer of {} bytes", out.len());
            let expected = format!("a buffer for {count} elements of {} bytes", self.width);
            return Err(Error::mismatch(self.place.clone(), found, expected));
        }
        if out.is_empty() {
            return Ok(());
        }
        let own = &self.shape[self.source.shape().len()..];
        let request = Request::new(selection, own, self.offset, self.width);
        let request = request.ok_or_else(|| self.damaged())?;
        match self.source.layout()? {
            Layout::Fill(fill) => self.fill(fill, out, 0, selection, &request),
            Layout::Flat { storage, first, strides } => {
                let placed =
                    request.positions(selection, &strides).ok_or_else(|| storage.damaged())?;
                let at = first.checked_add(placed.at).ok_or_else(|| storage.damaged())?;
                flat::read(storage, at, out, 0, &placed.dimensions, self.width)
            }
            Layout::Chunked(chunks) => self.read_chunks(chunks, selection, &request, out),
        }
    }

    /// Returns whether this is a whole array, not a field of its elements.
    fn is_whole(&self) -> bool {
        self.shape.len() == self.source.shape().len()
            && self.source.element().bytes() == Some(self.width)
    }

    fn read_chunks(
        &self,
        chunks: &dyn Chunks,
        selection: &[Range<u64>],
        request: &Request,
        out: &mut [u8],
    ) -> Result<()> {
        let rank = self.source.shape().len();
        let grid = chunks.grid();
        let decoded = usize::try_from(chunks.decoded_bytes()).unwrap_or(usize::MAX);
        let threads = self.source.threads().min(out.len() / BY_THREAD.max(decoded / 2));
        chunks.will_read(&mut grid.touched(&selection[..rank]));
        // Locked while a decoded chunk is copied.
        let out = Mutex::new(out);
        parallel::for_each(threads, grid.touched(&selection[..rank]), |at| {
            let ChunkSelection { ranges, to, part } =
                request.inside(grid, &at, selection).ok_or_else(|| self.damaged())?;
            let chunk = chunks.chunk(&at, part)?;
            let mut out = out.lock().unwrap_or_else(PoisonError::into_inner);
            match chunk {
                Chunk::Missing => self.fill(chunks.fill(), &mut out, to, &ranges, request),
                Chunk::Decoded(bytes) => {
                    let placed = request.positions(&ranges, chunks.strides());
                    let copied = placed.and_then(|Positions { at, dimensions }| {
                        let at = usize::try_from(at).ok()?;
                        copy(&bytes, at, &mut out, to, &merge(&dimensions), self.width)
                    });
                    copied.ok_or_else(|| self.damaged())
                }
                Chunk::Plain(storage, first) => {
                    let placed = request.positions(&ranges, chunks.strides());
                    let placed = placed.ok_or_else(|| storage.damaged())?;
                    let at = first.checked_add(placed.at).ok_or_else(|| storage.damaged())?;
                    flat::read(&*storage, at, &mut out, to, &placed.dimensions, self.width)
                }
            }
        })
    }

    /// Fills elements with the fill value.
    fn fill(
        &self,
        fill: &[u8],
        out: &mut [u8],
        to: usize,
        ranges: &[Range<u64>],
        request: &Request,
    ) -> Result<()> {
        // The same element repeatedly.
        let still = vec![0; self.source.shape().len()];
        let copied =
            request.positions(ranges, &still).and_then(|Positions { at, mut dimensions }| {
                if !fill.is_empty() {
                    let at = usize::try_from(at).ok()?;
                    return copy(fill, at, out, to, &merge(&dimensions), self.width);
                }
                let zeros = vec![0; self.width];
                dimensions.iter_mut().for_each(|dimension| dimension.from = 0);
                copy(&zeros, 0, out, to, &merge(&dimensions), self.width)
            });
        copied.ok_or_else(|| self.damaged())
    }

    fn damaged(&self) -> Error {
        Error::mismatch(
            self.place.clone(),
            "elements outside of their chunk",
            "elements inside their chunk",
        )
    }
}

impl Attributes for View {
    fn attributes(&self) -> Result<Vec<String>> {
        self.source.attributes()
    }

    fn attribute(&self, name: &str) -> Result<Option<Attribute>> {
        self.source.attribute(name)
    }
}

impl NdArray for View {
    fn place(&self) -> Place {
        self.place.clone()
    }

    fn shape(&self) -> &[u64] {
        &self.shape
    }

    fn is_null(&self) -> bool {
        self.source.is_null()
    }

    fn element_type(&self) -> &ElementType {
        &self.element_type
    }

    fn storage(&self) -> ArrayStorage {
        let mut storage = self.source.storage();
        let own = &self.shape[self.source.shape().len()..];
        for lengths in [&mut storage.chunk_shape, &mut storage.shard_shape].into_iter().flatten() {
            lengths.extend(own);
        }
        storage
    }

    fn stored_bytes(&self) -> Result<u64> {
        self.source.stored_bytes()
    }

    fn is_fully_stored(&self) -> Result<bool> {
        self.source.is_fully_stored()
    }

    fn missing_chunks(&self) -> Result<u64> {
        self.source.missing_chunks()
    }

    fn missing_in_shards(&self) -> Result<u64> {
        self.source.missing_in_shards()
    }

    fn fill_value(&self) -> Result<Option<Scalar>> {
        let (value_type, big) = match self.element {
            StoredType::Number { value_type, big } => (value_type, big),
            StoredType::Time { big, .. } => (ValueType::I64, big),
            _ => return Ok(None),
        };
        let layout = self.source.layout()?;
        let fill = match &layout {
            Layout::Fill(fill) => fill,
            Layout::Flat { .. } => return Ok(None),
            Layout::Chunked(chunks) => chunks.fill(),
        };
        let Some(fill) = fill.get(self.offset..).and_then(|fill| fill.get(..self.width)) else {
            return Ok(None);
        };
        let mut values = Values::new(value_type);
        let out = values.resize_bytes(1);
        out.copy_from_slice(fill);
        byte_order::to_native(out, value_type, big);
        let zero = out.iter().all(|byte| *byte == 0);
        Ok(values.get(0).filter(|_| !zero))
    }

    fn read_bytes(&self, selection: &[Range<u64>], out: &mut [u8]) -> Result<()> {
        match self.element {
            StoredType::Number { value_type, big } => {
                self.read_stored(selection, out)?;
                byte_order::to_native(out, value_type, big);
                Ok(())
            }
            StoredType::Time { big, .. } => {
                self.read_stored(selection, out)?;
                byte_order::to_native(out, ValueType::I64, big);
                Ok(())
            }
            StoredType::Float16 { big } => {
                let half = out.len() / 2;
                if !out.len().is_multiple_of(ValueType::F32.size()) {
                    return Err(self.wrong_type("a buffer for complete elements"));
                }
                // Read into the upper half, and widened from the front.
                self.read_stored(selection, &mut out[half..])?;
                byte_order::reorder(&mut out[half..], 2, big);
                widen(out);
                Ok(())
            }
            _ => Err(self.wrong_type("numbers")),
        }
    }

    fn will_read(&self, ranges: &[Range<u64>]) {
        if self.shape.len() == 1 && self.is_whole() && self.source.has_latency() {
            self.source.will_read(ranges);
        }
    }

    fn has_latency(&self) -> bool {
        self.source.has_latency()
    }

    fn check_extent(&self) -> Result<()> {
        self.source.check_extent()
    }

    fn trailing_bytes(&self) -> u64 {
        self.source.trailing_bytes()
    }

    fn read_strings(&self, selection: &[Range<u64>]) -> Result<Names<'static>> {
        Ok(Box::new(Strings::new(self.clone(), selection)?))
    }

    fn field(&self, name: &str) -> Result<Box<dyn NdArray>> {
        let StoredType::Record { fields, .. } = &self.element else {
            return Err(self.wrong_type("compounds"));
        };
        let mut place = self.place.clone();
        place.array = Some(format!("{}.{name}", place.array.as_deref().unwrap_or_default()));
        if self.shape.len() > self.source.shape().len() {
            return Err(Error::unsupported(
                place,
                "fields of compounds in arrays are not supported",
            ));
        }
        let Some(field) = fields.iter().find(|field| field.name == name) else {
            return Err(Error::new(ErrorKind::Missing, place));
        };
        let (source, offset) = (Arc::clone(&self.source), self.offset + field.offset);
        Ok(Box::new(Self::of(source, place, offset, &field.element)?))
    }

    fn integers(&self) -> Result<Box<dyn NdArray>> {
        let StoredType::Enumeration { value_type, big, .. } = self.element else {
            return Err(self.wrong_type("an enumeration"));
        };
        let element = StoredType::Number { value_type, big };
        let element_type = element.element_type();
        Ok(Box::new(Self { element, element_type, ..self.clone() }))
    }
}

impl std::fmt::Debug for View {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("View").field("place", &self.place).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::super::element::TextForm;
    use super::*;

    /// Strings without bytes, as in NumPy's type `S0`.
    struct Bare(Place, StoredType);

    impl Source for Bare {
        fn place(&self) -> &Place {
            &self.0
        }

        fn shape(&self) -> &[u64] {
            &[3]
        }

        fn element(&self) -> &StoredType {
            &self.1
        }

        fn layout(&self) -> Result<Layout<'_>> {
            Ok(Layout::Fill(&[]))
        }

        fn storage(&self) -> ArrayStorage {
            ArrayStorage::default()
        }

        fn stored_bytes(&self) -> Result<u64> {
            Ok(0)
        }

        fn is_fully_stored(&self) -> Result<bool> {
            Ok(true)
        }

        fn read_run(&self, _: u64, _: &mut [u8]) -> Result<bool> {
            Err(Error::argument("there are no bytes"))
        }

        fn attributes(&self) -> Result<Vec<String>> {
            Ok(Vec::new())
        }

        fn attribute(&self, _: &str) -> Result<Option<Attribute>> {
            Ok(None)
        }
    }

    #[test]
    fn elements_of_no_bytes_are_not_read() {
        let element = StoredType::Text { bytes: 0, form: TextForm::Zeros };
        let view = View::new(Arc::new(Bare(Place::default(), element))).unwrap();
        let array: &dyn NdArray = &view;
        let list = array.strings(&array.all(), 1 << 10).unwrap();
        assert!(list.iter().eq([b""; 3]));
    }
}

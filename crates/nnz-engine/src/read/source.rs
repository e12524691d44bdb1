//! Matrices in memory as sources.

use std::ops::Range;

use nnz_core::{
    About, ArrayAbout, Axis, Batch, Duplicates, Error, Header, Majors, MatrixSource, Minors, Names,
    Order, Place, Projection, Result, Shape, Storage, StringList, Unit, UnitReader, Values,
};

use super::{CsMatrix, Dense};

/// Entries per unit.
const ENTRIES: u64 = 64 << 10;

impl Dense {
    /// Makes it a source, which can be converted or sliced.
    ///
    /// # Errors
    ///
    /// Fails if the number of values is not the number of elements.
    pub fn into_source(self) -> Result<Box<dyn MatrixSource>> {
        let found = self.values.len().map(|len| len as u128);
        if found != Some(self.shape.elements()) {
            let found = found.map_or("one value".to_owned(), |len| format!("{len} values"));
            let expected = format!("a value for each of {} elements", self.shape.elements());
            return Err(Error::mismatch(Place::default(), found, expected));
        }
        let header = header(self.shape, self.order, &self.values, Storage::Dense)
            .nnz(u64::try_from(self.shape.elements()).ok())
            .sorted_indices(true)
            .duplicates(Duplicates::Refused);
        Ok(Box::new(InMemory::new(header, self)))
    }
}

pub(super) fn header(shape: Shape, order: Order, values: &Values, storage: Storage) -> Header {
    Header::new(shape, order, values.value_type()).storage(storage).duplicates(Duplicates::Refused)
}

/// A matrix in memory, by major vector.
pub(super) trait Vectors: Send + Sync {
    /// Returns the end of the major vectors that are decoded together.
    fn together(&self, majors: Range<u64>) -> u64;

    /// Copies major vectors.
    fn copy(&self, majors: Range<u64>, batch: &mut Batch) -> Result<()>;

    /// Describes the arrays.
    fn arrays(&self) -> Vec<ArrayAbout>;

    /// Returns the number of entries before a major vector.
    fn before(&self, major: u64) -> Option<u64>;

    /// Starts reading the names of an axis.
    fn names(&self, axis: Axis) -> Option<Names<'_>>;
}

fn array(name: &str, value_type: nnz_core::ValueType, bytes: usize) -> ArrayAbout {
    let len = (bytes / value_type.size()) as u64;
    ArrayAbout::new(name).value_type(value_type).len(len).bytes(bytes as u64)
}

impl Vectors for CsMatrix {
    fn together(&self, majors: Range<u64>) -> u64 {
        let first = self.before(majors.start).unwrap_or(0);
        let some = usize::try_from(majors.start).ok().zip(usize::try_from(majors.end).ok());
        let ends = some.and_then(|(start, end)| self.pointers.get(start + 1..=end));
        let count = ends.map_or(0, |ends| ends.partition_point(|&end| end - first <= ENTRIES));
        majors.end.min(majors.start + (count as u64).clamp(1, ENTRIES))
    }

    fn copy(&self, majors: Range<u64>, batch: &mut Batch) -> Result<()> {
        let place = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
        let pointers = &self.pointers[place(majors.start)..=place(majors.end)];
        let (first, last) = (place(pointers[0]), place(pointers[pointers.len() - 1]));
        batch.order = self.order;
        batch.majors = Majors::Consecutive(majors.start);
        batch.offsets.clear();
        batch.offsets.extend(pointers.iter().map(|&end| place(end) - first));
        match &self.minors {
            Minors::U32(list) => {
                let minors = batch.minors.u32_mut();
                minors.clear();
                minors.extend_from_slice(&list[first..last]);
            }
            Minors::U64(list) | Minors::Spans(list) => {
                let minors = batch.minors.u64_mut();
                minors.clear();
                minors.extend_from_slice(&list[first..last]);
            }
        }
        let bound = self.shape.minor(self.order);
        let past = match &self.minors {
            Minors::U32(list) => nnz_bitpack::max(&list[first..last]).map(u64::from),
            Minors::U64(list) | Minors::Spans(list) => list[first..last].iter().copied().max(),
        };
        if let Some(past) = past.filter(|&past| past >= bound) {
            let found = format!("index {past}");
            return Err(Error::mismatch(
                Place::default(),
                found,
                format!("an index less than {bound}"),
            ));
        }
        copy_values(&self.values, first..last, &mut batch.values);
        Ok(())
    }

    fn arrays(&self) -> Vec<ArrayAbout> {
        use nnz_core::ValueType::{U32, U64};
        let minors = match &self.minors {
            Minors::U32(list) => array("indices", U32, 4 * list.len()),
            Minors::U64(list) | Minors::Spans(list) => array("indices", U64, 8 * list.len()),
        };
        let values = array("values", self.values.value_type(), self.values.bytes().len());
        vec![array("pointers", U64, 8 * self.pointers.len()), minors, values]
    }

    fn before(&self, major: u64) -> Option<u64> {
        self.pointers.get(usize::try_from(major).ok()?).copied()
    }

    fn names(&self, axis: Axis) -> Option<Names<'_>> {
        CsMatrix::names(self, axis).map(StringList::reader)
    }
}

impl Vectors for Dense {
    fn together(&self, majors: Range<u64>) -> u64 {
        let width = self.shape.minor(self.order).max(1);
        majors.end.min(majors.start.saturating_add((ENTRIES / width).max(1)))
    }

    fn copy(&self, majors: Range<u64>, batch: &mut Batch) -> Result<()> {
        let place = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
        let (width, runs) = (self.width(), place(majors.end - majors.start));
        let first = place(majors.start) * width;
        batch.order = self.order;
        batch.majors = Majors::Consecutive(majors.start);
        batch.offsets.clear();
        batch.offsets.extend((0..=runs).map(|run| run * width));
        let spans = batch.minors.spans_mut();
        spans.clear();
        spans.resize(runs, 0);
        copy_values(&self.values, first..first + runs * width, &mut batch.values);
        Ok(())
    }

    fn arrays(&self) -> Vec<ArrayAbout> {
        vec![array("values", self.values.value_type(), self.values.bytes().len())]
    }

    fn before(&self, major: u64) -> Option<u64> {
        major.checked_mul(self.shape.minor(self.order))
    }

    fn names(&self, _: Axis) -> Option<Names<'_>> {
        None
    }
}

fn copy_values(from: &Values, range: Range<usize>, to: &mut Values) {
    if let Values::Iso(_) = from {
        *to = from.clone();
        return;
    }
    if to.value_type() != from.value_type() || matches!(to, Values::Iso(_)) {
        *to = Values::new(from.value_type());
    }
    to.clear();
    to.extend_from(from, range);
}

/// A matrix in memory as a source.
pub(super) struct InMemory<V> {
    header: Header,
    matrix: V,
}

impl<V> InMemory<V> {
    pub(super) fn new(header: Header, matrix: V) -> Self {
        Self { header, matrix }
    }
}

impl<V: Vectors> MatrixSource for InMemory<V> {
    fn header(&self) -> &Header {
        &self.header
    }

    fn about(&self) -> Result<About> {
        Ok(About::new("matrix in memory", "memory").with_arrays(self.matrix.arrays()))
    }

    fn read_names(&self, axis: Axis) -> Result<Option<Names<'_>>> {
        Ok(self.matrix.names(axis))
    }

    fn random_access(&self) -> bool {
        true
    }

    fn units(&self, majors: Range<u64>, _: Projection) -> Result<Box<dyn UnitReader<'_> + '_>> {
        self.header.check_majors(&majors)?;
        Ok(Box::new(Units { matrix: &self.matrix, majors }))
    }

    fn stored_before(&self, major: u64) -> Result<Option<u64>> {
        Ok(self.matrix.before(major))
    }
}

struct Units<'a, V> {
    matrix: &'a V,
    majors: Range<u64>,
}

impl<'a, V: Vectors> UnitReader<'a> for Units<'a, V> {
    fn next_unit(&mut self) -> Result<Option<Box<dyn Unit + 'a>>> {
        if self.majors.is_empty() {
            return Ok(None);
        }
        let end = self.matrix.together(self.majors.clone());
        let majors = self.majors.start..end;
        self.majors.start = end;
        Ok(Some(Box::new(VectorRange { matrix: self.matrix, majors })))
    }
}

/// A range of major vectors.
struct VectorRange<'a, V> {
    matrix: &'a V,
    majors: Range<u64>,
}

impl<V: Vectors> Unit for VectorRange<'_, V> {
    fn decode(self: Box<Self>, batch: &mut Batch) -> Result<()> {
        self.matrix.copy(self.majors, batch)
    }
}

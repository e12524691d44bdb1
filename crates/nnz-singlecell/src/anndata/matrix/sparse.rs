//! Sparse matrices: `indptr`, `indices` and `data` in a group.

use std::ops::Range;

use nnz_container::tree::Group;
use nnz_core::{
    ArrayAbout, Batch, Error, Majors, Minors, Order, Projection, Result, Shape, Unit, UnitReader,
    ValueType,
};

use super::begin;
use super::integers::{Index, Integers};
use super::numbers::Numbers;

/// Entries of a piece.
const PIECE: u64 = 1 << 16;

/// Pointers that are read at a time.
const WINDOW: u64 = 1 << 14;

/// Longest minor axis whose indices all fit into 32 bits.
const NARROW: u64 = 1 << 32;

/// A matrix stored by rows (`csr_matrix`) or by columns (`csc_matrix`).
pub(super) struct Sparse {
    order: Order,
    /// The length of the minor axis.
    minor_len: u64,
    pointers: Integers,
    minors: Integers,
    values: Numbers,
}

impl Sparse {
    /// Opens the arrays, and checks lengths and the ends of `indptr`.
    pub(super) fn open(group: &dyn Group, shape: Shape, order: Order) -> Result<Self> {
        let pointers = Integers::open(group, "indptr")?;
        let minors = Integers::open(group, "indices")?;
        let values = Numbers::open(group, "data")?;
        let majors = shape.major(order);
        let (found, expected) = (pointers.len(), majors.checked_add(1));
        if Some(found) != expected {
            let found = format!("{found} elements");
            let expected = format!("{majors} + 1, as there are {majors} {}", order.major());
            return Err(Error::mismatch(pointers.array().place(), found, expected));
        }
        if values.len() != minors.len() {
            let found = format!("{} elements", values.len());
            let expected = format!("{}, as indices has", minors.len());
            return Err(Error::mismatch(values.place(), found, expected));
        }
        for (element, expected) in [(0, 0), (majors, minors.len())] {
            let found = pointers.get(element)?;
            if found != expected {
                return Err(Error::mismatch(pointers.place(element), found, expected));
            }
        }
        Ok(Self { order, minor_len: shape.minor(order), pointers, minors, values })
    }

    pub(super) fn value_type(&self) -> ValueType {
        self.values.value_type()
    }

    pub(super) fn entries(&self) -> u64 {
        self.minors.len()
    }

    /// Returns how many entries are stored before a major.
    pub(super) fn before(&self, major: u64) -> Result<u64> {
        self.pointers.get(major)
    }

    pub(super) fn arrays(&self) -> Vec<ArrayAbout> {
        let of = |name: &str, value_type, len, bytes| ArrayAbout {
            name: name.to_owned(),
            value_type: Some(value_type),
            len: Some(len),
            bytes,
        };
        let integers = |name, integers: &Integers| {
            let array = integers.array();
            of(name, array.value_type(), array.len(), array.stored_bytes())
        };
        let values = &self.values;
        vec![
            of("data", values.value_type(), values.len(), values.stored_bytes()),
            integers("indices", &self.minors),
            integers("indptr", &self.pointers),
        ]
    }

    /// Reads the minors of entries, and checks that they are in range.
    fn read_minors(&self, entries: Range<u64>, minors: &mut Minors) -> Result<()> {
        let count = usize::try_from(entries.end - entries.start).unwrap_or(usize::MAX);
        if self.minor_len <= NARROW {
            let minors = minors.u32_buffer();
            minors.resize(count, 0);
            self.minors.read(entries.start, minors)?;
            self.check_range(entries.start, minors)
        } else {
            let minors = minors.u64_mut();
            minors.resize(count, 0);
            self.minors.read(entries.start, minors)?;
            self.check_range(entries.start, minors)
        }
    }

    fn check_range<T: Index>(&self, first: u64, minors: &[T]) -> Result<()> {
        let outside = |minor: T| minor.into() >= self.minor_len;
        if !minors.iter().copied().max().is_some_and(outside) {
            return Ok(());
        }
        let at = minors.iter().position(|&minor| outside(minor)).unwrap_or(0);
        let expected = format!("less than {}, the length of the axis", self.minor_len);
        Err(Error::mismatch(self.minors.place(first + at as u64), minors[at], expected))
    }
}

/// Cuts a range of major vectors into pieces.
pub(super) struct RunReader<'a> {
    source: &'a Sparse,
    fields: Projection,
    /// The next major to hand out, which may be begun already, and the end.
    majors: Range<u64>,
    /// The next entry to hand out.
    entry: Option<u64>,
    /// Pointers of the majors from `window_start` on, and the end of the last one.
    window: Vec<u64>,
    window_start: u64,
}

impl<'a> RunReader<'a> {
    pub(super) fn new(source: &'a Sparse, majors: Range<u64>, fields: Projection) -> Self {
        Self { source, fields, majors, entry: None, window: Vec::new(), window_start: 0 }
    }

    /// Makes sure that the pointers of the next major are in the window.
    fn load_window(&mut self) -> Result<()> {
        let loaded = self.window.len().saturating_sub(1) as u64;
        let start = self.majors.start;
        if self.window_start <= start && start < self.window_start + loaded {
            return Ok(());
        }
        let count = WINDOW.min(self.majors.end - start);
        self.window.resize(usize::try_from(count).unwrap_or(0) + 1, 0);
        let Sparse { pointers, minors, .. } = self.source;
        pointers.read(start, &mut self.window)?;
        let (mut least, most) = (self.entry.unwrap_or(0), minors.len());
        for (&pointer, element) in self.window.iter().zip(start..) {
            if pointer < least || pointer > most {
                let expected = format!("{least} to {most}");
                return Err(Error::mismatch(pointers.place(element), pointer, expected));
            }
            least = pointer;
        }
        self.window_start = start;
        Ok(())
    }
}

impl<'a> UnitReader<'a> for RunReader<'a> {
    fn next_unit(&mut self) -> Result<Option<Box<dyn Unit + 'a>>> {
        if self.majors.is_empty() {
            return Ok(None);
        }
        self.load_window()?;
        let skip = usize::try_from(self.majors.start - self.window_start).unwrap_or(0);
        let window = &self.window[skip..];
        let start = *self.entry.get_or_insert(window[0]);
        let limit = (start / PIECE).saturating_add(1).saturating_mul(PIECE);
        let first = self.majors.start;
        let mut offsets = Vec::with_capacity(window.len().min(256));
        offsets.push(0);
        let mut end = start;
        for &next in &window[1..] {
            end = next.min(limit);
            offsets.push(usize::try_from(end - start).unwrap_or(usize::MAX));
            if next > limit {
                // This one goes on in the next piece.
                break;
            }
            self.majors.start += 1;
        }
        self.entry = Some(end);
        let (source, fields) = (self.source, self.fields);
        Ok(Some(Box::new(Piece { source, fields, first, offsets, entries: start..end })))
    }
}

/// The entries of neighbouring major vectors, the first and last of which may be cut.
struct Piece<'a> {
    source: &'a Sparse,
    fields: Projection,
    first: u64,
    offsets: Vec<usize>,
    entries: Range<u64>,
}

impl Unit for Piece<'_> {
    fn decode(self: Box<Self>, batch: &mut Batch) -> Result<()> {
        let Self { source, fields, first, offsets, entries } = *self;
        if fields.minors {
            source.read_minors(entries.clone(), &mut batch.minors)?;
        }
        if fields.values {
            source.values.read(entries, &mut batch.values)?;
        }
        begin(batch, source.order, Majors::Consecutive(first), offsets);
        Ok(())
    }
}

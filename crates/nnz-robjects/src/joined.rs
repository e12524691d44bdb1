//! Layers that have parts of the cells, joined to one matrix.

use std::ops::Range;
use std::sync::Arc;

use nnz_core::{
    Batch, Error, Header, Majors, MatrixSource, Minors, Order, Place, Projection, Result, Shape,
    Storage, Unit, UnitReader, ValueType,
};

/// A part of the cells.
pub(crate) struct JoinedPart {
    pub(crate) source: Box<dyn MatrixSource>,
    /// The row of the whole for each row of the part; `None` if they are the same.
    pub(crate) rows: Option<Arc<[u64]>>,
    /// The column of the whole for each column of the part.
    pub(crate) cols: Arc<[u64]>,
}

impl JoinedPart {
    /// Returns whether two rows are the same one of the whole.
    fn has_row_twice(&self) -> bool {
        let Some(rows) = &self.rows else { return false };
        let mut sorted = rows.to_vec();
        sorted.sort_unstable();
        sorted.windows(2).any(|two| two[0] == two[1])
    }

    /// Returns whether rows ascend in each column at their places in the whole; `None` if it is not known.
    fn sorted_indices(&self) -> Option<bool> {
        let ascend = |rows: &Arc<[u64]>| rows.is_sorted_by(|a, b| a < b);
        match self.rows.as_ref().is_none_or(ascend) {
            true => self.source.header().sorted_indices,
            false => None,
        }
    }
}

/// Parts with different columns, stored by column. Rows that a part does not have are zero.
pub(crate) struct Joined {
    parts: Vec<JoinedPart>,
    header: Header,
    /// For each column, the number of its part and of the column in it.
    cols: Vec<JoinedColumn>,
}

type JoinedColumn = Option<(u32, u32)>;

/// Returns why parts cannot be joined.
fn refused(place: &Place, why: &str) -> Error {
    Error::unsupported(place.clone(), format!("layers that cannot be joined: {why}"))
}

impl Joined {
    /// The bytes in memory for each column.
    pub(crate) const MEMORY_PER_COLUMN: u64 = size_of::<JoinedColumn>() as u64;

    /// Creates a matrix without entries.
    pub(crate) fn empty(shape: Shape) -> Self {
        let header = Header::new(shape, Order::Col, ValueType::F64).sorted_indices(true).nnz(0);
        Self { parts: Vec::new(), header, cols: Vec::new() }
    }

    pub(crate) fn new(parts: Vec<JoinedPart>, shape: Shape, place: &Place) -> Result<Self> {
        let first = parts.first().ok_or_else(|| refused(place, "there are none"))?;
        let value_type = first.source.header().value_type;
        let mut cols = vec![None; usize::try_from(shape.cols).unwrap_or(0)];
        let mut entries = Some(0_u64);
        for (number, part) in (0..).zip(&parts) {
            let header = part.source.header();
            if header.value_type != value_type {
                return Err(refused(place, "their values are of several types"));
            }
            if header.order != Order::Col || !part.source.random_access() {
                return Err(refused(place, "they are not stored by column"));
            }
            let rows = part.rows.as_ref().map_or(shape.rows, |rows| rows.len() as u64);
            let stated = Shape { rows, cols: part.cols.len() as u64 };
            if header.shape != stated {
                let found = format!("a layer of {} x {}", header.shape.rows, header.shape.cols);
                let expected = format!("{} x {}, as it has names", stated.rows, stated.cols);
                return Err(Error::mismatch(place.clone(), found, expected));
            }
            if part.has_row_twice() {
                return Err(refused(place, "one of them has two features of the same name"));
            }
            entries = entries.zip(header.nnz).and_then(|(sum, own)| sum.checked_add(own));
            for (&col, inner) in part.cols.iter().zip(0..) {
                match usize::try_from(col).ok().and_then(|col| cols.get_mut(col)) {
                    Some(known @ None) => *known = Some((number, inner)),
                    _ => return Err(refused(place, "several of them have the same cell")),
                }
            }
        }
        let mut sorted = parts.iter().map(JoinedPart::sorted_indices);
        let first = sorted.next().flatten();
        let sorted = first.filter(|_| sorted.all(|own| own == first));
        let header = Header::new(shape, Order::Col, value_type)
            .sorted_indices(sorted)
            .nnz(entries.unwrap_or(0))
            .storage(Storage::Sparse);
        Ok(Self { parts, header, cols })
    }
}

impl MatrixSource for Joined {
    fn header(&self) -> &Header {
        &self.header
    }

    fn random_access(&self) -> bool {
        true
    }

    fn units(
        &self,
        majors: Range<u64>,
        fields: Projection,
    ) -> Result<Box<dyn UnitReader<'_> + '_>> {
        self.header.check_majors(&majors)?;
        Ok(Box::new(Reader { joined: self, left: majors, fields, current: None }))
    }
}

/// Columns without entries that are in one unit.
const MOST_EMPTY: u64 = 1 << 16;

/// Reads runs of columns that are adjacent in one part.
struct Reader<'a> {
    joined: &'a Joined,
    left: Range<u64>,
    fields: Projection,
    current: Option<(Shift<'a>, Box<dyn UnitReader<'a> + 'a>)>,
}

/// The place of a run in the whole.
#[derive(Clone)]
struct Shift<'a> {
    rows: Option<&'a [u64]>,
    /// The first column of the part, and the one of the whole.
    from: u64,
    to: u64,
}

impl<'a> Reader<'a> {
    /// Starts reading the next run; `None` at the end. Columns that no part has are without entries.
    fn next_run(&mut self) -> Result<Option<Run<'a>>> {
        let at = |col: u64| {
            let col = usize::try_from(col).ok()?;
            self.joined.cols.get(col).copied().flatten()
        };
        let start = self.left.start;
        if start >= self.left.end {
            return Ok(None);
        }
        let Some((number, first)) = at(start) else {
            let most = self.left.end.min(start + MOST_EMPTY);
            let end = (start..most).find(|col| at(*col).is_some()).unwrap_or(most);
            self.left.start = end;
            return Ok(Some(Run::Empty(start..end)));
        };
        let is_next = |col: &u64| {
            let inner = u64::from(first) + (col - start);
            at(*col).is_some_and(|(own, at)| own == number && u64::from(at) == inner)
        };
        let end = (start..self.left.end).find(|col| !is_next(col)).unwrap_or(self.left.end);
        self.left.start = end;
        let Some(part) = self.joined.parts.get(number as usize) else { return Ok(None) };
        let from = u64::from(first);
        let units = part.source.units(from..from + (end - start), self.fields)?;
        Ok(Some(Run::Part(Shift { rows: part.rows.as_deref(), from, to: start }, units)))
    }
}

enum Run<'a> {
    Part(Shift<'a>, Box<dyn UnitReader<'a> + 'a>),
    Empty(Range<u64>),
}

impl<'a> UnitReader<'a> for Reader<'a> {
    fn next_unit(&mut self) -> Result<Option<Box<dyn Unit + 'a>>> {
        loop {
            if let Some((shift, units)) = &mut self.current {
                if let Some(unit) = units.next_unit()? {
                    return Ok(Some(Box::new(Shifted { unit, shift: shift.clone() })));
                }
                units.end()?;
                self.current = None;
            }
            match self.next_run()? {
                None => return Ok(None),
                Some(Run::Part(shift, units)) => self.current = Some((shift, units)),
                Some(Run::Empty(cols)) => {
                    let value_type = self.joined.header.value_type;
                    let mut batch = Batch::new(Order::Col, nnz_core::Values::new(value_type));
                    batch.majors = Majors::Consecutive(cols.start);
                    let count = usize::try_from(cols.end - cols.start).unwrap_or(0);
                    batch.offsets = vec![0; count + 1];
                    return Ok(Some(Box::new(batch)));
                }
            }
        }
    }
}

/// Entries of a part, at their places in the whole.
struct Shifted<'a> {
    unit: Box<dyn Unit + 'a>,
    shift: Shift<'a>,
}

impl Unit for Shifted<'_> {
    fn decode(self: Box<Self>, batch: &mut Batch) -> Result<()> {
        self.unit.decode(batch)?;
        let Shift { rows, from, to } = self.shift;
        match &mut batch.majors {
            Majors::Consecutive(first) => *first = *first - from + to,
            Majors::Listed(all) => all.iter_mut().for_each(|col| *col = *col - from + to),
        }
        let Some(rows) = rows else { return Ok(()) };
        let past = || {
            Error::mismatch(Place::default(), "a row past the end of the part", "rows of the part")
        };
        let place = |row: u64| {
            usize::try_from(row).ok().and_then(|row| rows.get(row)).copied().ok_or_else(past)
        };
        let mut mapped = Vec::with_capacity(batch.entries());
        for run in 0..batch.runs() {
            for entry in batch.run(run) {
                mapped.push(place(batch.minor(run, entry))?);
            }
        }
        batch.minors = match mapped.iter().map(|&row| u32::try_from(row)).collect() {
            Ok(indices) => Minors::U32(indices),
            Err(_) => Minors::U64(mapped),
        };
        Ok(())
    }
}

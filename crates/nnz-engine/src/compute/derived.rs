//! A matrix whose rows or columns are computed from those of another, each as a whole.

use std::collections::VecDeque;
use std::ops::Range;

use nnz_core::{
    Batch, Duplicates, Error, Header, LowRank, Majors, MatrixSource, Minors, Order, Place,
    Projection, Result, Storage, Structure, Unit, UnitReader, ValueType, Values, Wrapped,
};
use nnz_storage::TaskContext;

use super::aggregate::check_values;
use super::entries::{Buffers, Entries};
use super::float::Float;
use super::held::keep;
use super::lines::{Layout, Line, resort};
use crate::{Selection, Slice};

/// A function of the rows or columns of a matrix, whichever are stored together.
pub(super) trait LineFunction: Send + Sync {
    /// Appends a value for each entry of a row or column, or for each of its elements if the result is dense.
    fn compute(&self, layout: &Layout, line: &Line<f64>, into: &mut Vec<f64>) -> Result<()>;

    /// Returns the matrix that is subtracted, if the function is nothing else.
    fn low_rank(&self) -> Option<&LowRank> {
        None
    }
}

/// A matrix that is computed from another.
pub(super) struct Derived<'a> {
    inner: Box<dyn MatrixSource + 'a>,
    function: Box<dyn LineFunction>,
    header: Header,
    layout: Layout,
}

/// Returns a matrix without structure, whose values can be computed with. `what` is the name of that.
pub(super) fn checked<'a>(
    source: Box<dyn MatrixSource + 'a>,
    what: &str,
) -> Result<Box<dyn MatrixSource + 'a>> {
    check_values(&*source, what)?;
    let all = Selection::all();
    Ok(match source.header().structure {
        Structure::General => source,
        _ => Box::new(Slice::new(source, &all, &all)?),
    })
}

/// Returns a matrix that is stored by row or column. The entries of another one are sorted and kept, in memory or in a temporary
/// file.
pub(super) fn in_order<'a>(
    source: Box<dyn MatrixSource + 'a>,
    order: Order,
    context: &TaskContext,
) -> Result<Box<dyn MatrixSource + 'a>> {
    let header = source.header();
    match header.order == order && header.sorted_majors {
        true => Ok(source),
        false => keep(resort(source, order, context)?, context),
    }
}

impl<'a> Derived<'a> {
    /// Creates a matrix of values of a type, of the entries or of all elements.
    pub(super) fn new(
        inner: Box<dyn MatrixSource + 'a>,
        function: Box<dyn LineFunction>,
        (value_type, storage): (ValueType, Storage),
    ) -> Self {
        let layout = Layout::new(inner.header());
        let header = inner.header().clone().value_type(value_type).iso(false).storage(storage);
        let header = header.fill(None).sorted_indices(true).duplicates(Duplicates::Refused);
        let nnz = match storage {
            Storage::Dense => u64::try_from(header.shape.elements()).ok(),
            // Several entries of an element become one.
            Storage::Sparse => None,
        };
        Self { inner, function, header: header.nnz(nnz), layout }
    }
}

impl MatrixSource for Derived<'_> {
    fn wrapped(&self) -> Wrapped<'_> {
        Wrapped::OtherEntries(&*self.inner)
    }

    fn header(&self) -> &Header {
        &self.header
    }

    fn random_access(&self) -> bool {
        self.inner.random_access()
    }

    fn as_difference(&self) -> Option<(Box<dyn MatrixSource + '_>, LowRank)> {
        Some((Box::new(&*self.inner), self.function.low_rank()?.clone()))
    }

    fn will_read(&self, majors: &[Range<u64>], _: Projection) {
        self.inner.will_read(majors, Projection::ALL);
    }

    fn units(&self, majors: Range<u64>, _: Projection) -> Result<Box<dyn UnitReader<'_> + '_>> {
        self.header.check_majors(&majors)?;
        let entries = Entries::new(&*self.inner);
        Ok(Box::new(DerivedUnits {
            derived: self,
            units: Some(self.inner.units(majors.clone(), Projection::ALL)?),
            buffers: entries.buffers(),
            entries,
            open: None,
            complete: VecDeque::new(),
            count: 0,
            majors,
        }))
    }
}

/// Reads the rows or columns of the other matrix one after the other.
struct DerivedUnits<'a> {
    derived: &'a Derived<'a>,
    /// Nothing after the end.
    units: Option<Box<dyn UnitReader<'a> + 'a>>,
    entries: Entries<f64>,
    buffers: Buffers<f64>,
    /// The last row or column, which may continue.
    open: Option<Line<f64>>,
    complete: VecDeque<Line<f64>>,
    /// The number of entries of those that are complete.
    count: usize,
    /// The rows or columns still to return.
    majors: Range<u64>,
}

impl DerivedUnits<'_> {
    /// Entries of a unit.
    const ENTRIES: usize = 1 << 14;

    /// Elements of a unit, if it has all.
    const ELEMENTS: u64 = 1 << 17;

    /// Reads a unit of the other matrix.
    fn read(&mut self) -> Result<()> {
        let Some(units) = &mut self.units else { return Ok(()) };
        let Some(unit) = units.next_unit()? else {
            units.end()?;
            self.units = None;
            self.complete.extend(self.open.take());
            return Ok(());
        };
        unit.decode(&mut self.buffers.batch)?;
        units.on_decoded(self.buffers.batch.entries() as u64)?;
        self.entries.prepare(&mut self.buffers)?;
        let (open, complete) = (&mut self.open, &mut self.complete);
        let mut descends = None;
        self.buffers.for_each(|position, values, minors| {
            self.count += values.len();
            if open.as_ref().is_none_or(|line| line.position != position) {
                if open.as_ref().is_some_and(|line| line.position > position) {
                    descends = Some(position);
                }
                complete.extend(open.replace(Line::new(position)));
            }
            open.iter_mut().for_each(|line| line.extend(values, minors));
            true
        })?;
        match descends {
            Some(position) => {
                let one = self.derived.header.order.major().singular();
                let what = format!("entries of {one} {position} after those of a greater one");
                Err(Error::mismatch(Place::default(), what, "ascending order"))
            }
            None => Ok(()),
        }
    }

    /// Returns the position after those that are complete.
    fn known(&self) -> u64 {
        match (&self.units, &self.open) {
            (None, _) => self.majors.end,
            (_, Some(line)) => line.position.clamp(self.majors.start, self.majors.end),
            (_, None) => self.majors.start,
        }
    }
}

impl<'a> UnitReader<'a> for DerivedUnits<'a> {
    fn next_unit(&mut self) -> Result<Option<Box<dyn Unit + 'a>>> {
        let is_dense = self.derived.header.storage == Storage::Dense;
        while self.units.is_some()
            && (self.count < Self::ENTRIES || self.known() == self.majors.start)
        {
            self.read()?;
        }
        if self.majors.is_empty() || (!is_dense && self.complete.is_empty()) {
            return Ok(None);
        }
        let most = (Self::ELEMENTS / self.derived.layout.len.max(1)).max(1);
        let end = match is_dense {
            true => self.known().min(self.majors.start.saturating_add(most)),
            false => self.known(),
        };
        let majors = self.majors.start..end;
        self.majors.start = end;
        let (mut lines, mut entries) = (Vec::new(), 0);
        while let Some(line) = self.complete.pop_front_if(|line| line.position < end) {
            entries += line.values.len();
            lines.push(line);
        }
        self.count -= entries;
        let derived = self.derived;
        Ok(Some(Box::new(DerivedUnit { derived, lines, majors })))
    }
}

/// Rows or columns that are complete.
struct DerivedUnit<'a> {
    derived: &'a Derived<'a>,
    lines: Vec<Line<f64>>,
    majors: Range<u64>,
}

impl Unit for DerivedUnit<'_> {
    fn decode(mut self: Box<Self>, batch: &mut Batch) -> Result<()> {
        let Derived { function, header, layout, .. } = self.derived;
        self.lines.iter_mut().try_for_each(|line| layout.unify(line))?;
        let (mut values, mut offsets) = (Vec::new(), vec![0]);
        let (majors, minors) = if header.storage == Storage::Dense {
            let mut lines = self.lines.iter().peekable();
            let mut empty = Line::new(0);
            for position in self.majors.clone() {
                empty.position = position;
                let line = lines.next_if(|line| line.position == position).unwrap_or(&empty);
                function.compute(layout, line, &mut values)?;
                offsets.push(values.len());
            }
            (Majors::Consecutive(self.majors.start), Minors::Spans(vec![0; offsets.len() - 1]))
        } else {
            let mut minors = Vec::new();
            for line in &self.lines {
                function.compute(layout, line, &mut values)?;
                minors.extend_from_slice(&line.minors);
                offsets.push(values.len());
            }
            let positions = self.lines.iter().map(|line| line.position).collect();
            (Majors::Listed(positions), Minors::U32(minors))
        };
        let values = match header.value_type {
            ValueType::F32 => Values::F32(values.into_iter().map(Float::of).collect()),
            _ => Values::F64(values),
        };
        *batch = Batch { order: header.order, majors, offsets, minors, values };
        Ok(())
    }
}

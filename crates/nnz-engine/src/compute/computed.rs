//! A matrix whose values are computed from another matrix.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Arc, Mutex};

use nnz_core::{
    At, Batch, CopyEntries, Duplicates, Error, ErrorKind, Header, MatrixSource, Place, Projection,
    Result, Scalar, Structure, Unit, UnitReader, Unscaled, ValueType, Values, Wrapped,
};

use super::duplicates::{DuplicateCheck, UnitEnds};
use super::float::{Float, complex, round_into};
use super::small;
use super::step::ValueStep;
use crate::stats::lock;
use crate::{Selection, Slice};

/// A matrix whose values are computed from another matrix as they are decoded.
///
/// Values are computed in `f32`, or in `f64` if the other matrix has 64-bit values. Integers that this type cannot
/// represent are an error. Rows, columns, names and positions of entries stay the same: an entry whose value
/// becomes zero is kept.
///
/// ```
/// use nnz_core::{MatrixSource, Order, Shape, ValueType};
/// use nnz_engine::compute::{Computed, ValueStep};
/// use nnz_engine::{CsMatrix, ReadOptions, TaskContext};
///
/// let shape = Shape { rows: 1, cols: 3 };
/// let matrix = CsMatrix::from_parts(shape, Order::Row, vec![0, 2], vec![0_u32, 2], vec![1_u32, 3])?;
/// let computed = Computed::new(matrix.into_source()?, vec![ValueStep::Log1p])?;
/// let (options, context) = (ReadOptions::default(), TaskContext::default());
/// let matrix = nnz_engine::read(&computed, &options, &context)?;
/// assert_eq!(matrix.values(), &vec![2.0_f32.ln(), 4.0_f32.ln()].into());
/// # Ok::<(), nnz_core::Error>(())
/// ```
pub struct Computed<'a> {
    inner: Box<dyn MatrixSource + 'a>,
    place: Place,
    steps: Arc<[ValueStep]>,
    header: Header,
    /// Whether duplicate entries, which would have to be summed first, are an error.
    refuses_duplicates: bool,
    /// Values of the other matrix, to be reused.
    spare: Mutex<Vec<Values>>,
}

impl std::fmt::Debug for Computed<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Computed").field("steps", &self.steps).finish_non_exhaustive()
    }
}

impl<'a> Computed<'a> {
    /// Applies steps, in order, to the values of a matrix.
    ///
    /// # Errors
    ///
    /// Fails if a step does not fit the matrix ([`ValueStep::check`]), and for complex numbers and fill values.
    pub fn new(inner: Box<dyn MatrixSource + 'a>, steps: Vec<ValueStep>) -> Result<Self> {
        let place = inner.place();
        let shape = inner.header().shape;
        steps.iter().try_for_each(|step| step.check(shape))?;
        let inner = match inner.header().structure {
            Structure::General => inner,
            // Rows may have other factors than columns.
            _ => {
                let all = Selection::all();
                Box::new(Slice::new(inner, &all, &all)?)
            }
        };
        let header = inner.header();
        if header.value_type.is_complex() {
            return Err(complex().with_context(&place));
        }
        if header.fill.is_some() {
            let what = "computing with a matrix with a fill value other than zero is not supported";
            return Err(Error::unsupported(place, what));
        }
        let value_type = match header.value_type {
            ValueType::F64 | ValueType::I64 | ValueType::U64 => ValueType::F64,
            _ => ValueType::F32,
        };
        if value_type == ValueType::F32 {
            steps.iter().try_for_each(ValueStep::check_narrow)?;
        }
        let refuses_duplicates = header.duplicates == Duplicates::Summed
            && header.sorted_indices != Some(true)
            && !steps.iter().all(ValueStep::is_linear);
        let header = header.clone().value_type(value_type).iso(false);
        Ok(Self {
            inner,
            place,
            steps: steps.into(),
            header,
            refuses_duplicates,
            spare: Mutex::default(),
        })
    }

    fn applied<'u>(
        &'u self,
        unit: Box<dyn Unit + 'u>,
        ends: Option<Arc<UnitEnds>>,
    ) -> ComputedUnit<'u> {
        ComputedUnit { unit, computed: self, ends }
    }

    /// Returns what has to be decoded for the requested fields.
    fn fields(&self, fields: Projection) -> Projection {
        let major = self.header.order.major();
        let minors =
            self.refuses_duplicates || self.steps.iter().any(|step| step.needs_minors(major));
        Projection { minors: fields.minors || (fields.values && minors), ..fields }
    }
}

impl MatrixSource for Computed<'_> {
    fn wrapped(&self) -> Wrapped<'_> {
        Wrapped::OtherEntries(&*self.inner)
    }

    fn header(&self) -> &Header {
        &self.header
    }

    fn units(
        &self,
        majors: Range<u64>,
        fields: Projection,
    ) -> Result<Box<dyn UnitReader<'_> + '_>> {
        let units = self.inner.units(majors, self.fields(fields))?;
        if !fields.values {
            return Ok(units);
        }
        let duplicates = self.refuses_duplicates.then(DuplicateCheck::default);
        Ok(Box::new(ComputedUnits { units, computed: self, duplicates, waiting: VecDeque::new() }))
    }

    fn units_within(
        &self,
        majors: Range<u64>,
        minors: &[Range<u64>],
        fields: Projection,
    ) -> Result<Option<Box<dyn UnitReader<'_> + '_>>> {
        if self.refuses_duplicates {
            return Ok(None);
        }
        let units = self.inner.units_within(majors, minors, self.fields(fields))?;
        Ok(units.map(|units| match fields.values {
            false => units,
            true => {
                let (duplicates, waiting) = (None, VecDeque::new());
                Box::new(ComputedUnits { units, computed: self, duplicates, waiting })
                    as Box<dyn UnitReader<'_>>
            }
        }))
    }

    fn is_log1p(&self) -> bool {
        self.steps.iter().fold(self.inner.is_log1p(), |is_log1p, step| match step {
            ValueStep::Log1p => true,
            ValueStep::Clip(..) | ValueStep::LimitAxis(..) | ValueStep::Abs => is_log1p,
            _ => false,
        })
    }

    fn will_read(&self, majors: &[Range<u64>], fields: Projection) {
        self.inner.will_read(majors, self.fields(fields));
    }

    fn scattered(
        &self,
        majors: &[Range<u64>],
        most: u64,
        fields: Projection,
    ) -> Option<Box<dyn Unit + '_>> {
        let unit = self.inner.scattered(majors, most, self.fields(fields))?;
        if !fields.values {
            return Some(unit);
        }
        // Its rows or columns are complete.
        let ends = self.refuses_duplicates.then(Arc::default);
        Some(Box::new(self.applied(unit, ends)))
    }

    fn random_access(&self) -> bool {
        self.inner.random_access()
    }

    fn stored_before(&self, major: u64) -> Result<Option<u64>> {
        self.inner.stored_before(major)
    }

    fn over_copy<'a>(
        &'a self,
        selected: Option<&[Vec<Range<u64>>; 2]>,
        copy: &mut CopyEntries<'a, '_>,
    ) -> Result<Option<Box<dyn MatrixSource + 'a>>> {
        let inner = match self.inner.over_copy(selected, copy)? {
            Some(inner) => inner,
            None => copy(Box::new(&*self.inner))?,
        };
        let steps = self.steps.iter().map(|step| match selected {
            Some(ranges) => step.selected(ranges),
            None => step.clone(),
        });
        let header = inner.header().clone().value_type(self.header.value_type).iso(false);
        Ok(Some(Box::new(Computed {
            inner,
            place: self.place.clone(),
            steps: steps.collect(),
            header,
            refuses_duplicates: self.refuses_duplicates,
            spare: Mutex::default(),
        })))
    }

    fn unscaled(&self) -> Option<Unscaled<'_>> {
        let (ValueStep::ScaleAxis(axis, factors), steps) = self.steps.split_last()? else {
            return None;
        };
        let source = Box::new(Computed {
            inner: Box::new(&*self.inner),
            place: self.place.clone(),
            steps: steps.into(),
            header: self.header.clone(),
            refuses_duplicates: self.refuses_duplicates,
            spare: Mutex::default(),
        });
        Some(Unscaled::new(source, *axis, Arc::clone(factors)))
    }

    fn locate(&self, row: u64, col: u64) -> Result<Vec<At>> {
        self.inner.locate(row, col)
    }
}

/// Units, with steps.
struct ComputedUnits<'a> {
    units: Box<dyn UnitReader<'a> + 'a>,
    computed: &'a Computed<'a>,
    duplicates: Option<DuplicateCheck>,
    /// Of the units that are not decoded, in order.
    waiting: VecDeque<Arc<UnitEnds>>,
}

impl<'a> UnitReader<'a> for ComputedUnits<'a> {
    fn next_unit(&mut self) -> Result<Option<Box<dyn Unit + 'a>>> {
        let Some(unit) = self.units.next_unit()? else { return Ok(None) };
        let ends = self.duplicates.is_some().then(|| {
            let ends = Arc::<UnitEnds>::default();
            self.waiting.push_back(Arc::clone(&ends));
            ends
        });
        Ok(Some(Box::new(self.computed.applied(unit, ends))))
    }

    fn on_decoded(&mut self, entries: u64) -> Result<()> {
        self.units.on_decoded(entries)?;
        match (&mut self.duplicates, self.waiting.pop_front()) {
            (Some(duplicates), Some(ends)) => duplicates
                .add(&ends, &*self.computed.inner)
                .map_err(|error| error.with_context(&self.computed.place)),
            _ => Ok(()),
        }
    }

    fn counts_may_fail(&self) -> bool {
        self.duplicates.is_some() || self.units.counts_may_fail()
    }

    fn end(&mut self) -> Result<()> {
        self.units.end()
    }
}

/// A unit, with steps.
struct ComputedUnit<'a> {
    unit: Box<dyn Unit + 'a>,
    computed: &'a Computed<'a>,
    ends: Option<Arc<UnitEnds>>,
}

impl Unit for ComputedUnit<'_> {
    fn decode(self: Box<Self>, batch: &mut Batch) -> Result<()> {
        let Self { unit, computed, ends } = *self;
        let source_type = computed.inner.header().value_type;
        let mut computed_values = Values::new(computed.header.value_type);
        if batch.values.value_type() != source_type {
            let spare = lock(&computed.spare).pop();
            let values = spare.unwrap_or_else(|| Values::new(source_type));
            computed_values = std::mem::replace(&mut batch.values, values);
        }
        unit.decode(batch)?;
        let done = ends.map_or(Ok(()), |ends| ends.find(batch)).and_then(|()| {
            match computed.header.value_type {
                ValueType::F64 => check_exact(batch, ValueType::F64)
                    .and_then(|()| apply::<f64>(&computed.steps, batch, computed_values)),
                _ => check_exact(batch, ValueType::F32)
                    .and_then(|()| apply::<f32>(&computed.steps, batch, computed_values)),
            }
        });
        let done = done.map(|values| lock(&computed.spare).extend(values));
        done.map_err(|error| error.with_context(&computed.place))
    }
}

/// The greatest integer below which `f32` has all integers.
const EXACT: u32 = 1 << 24;

/// The greatest integer below which `f64` has all integers.
const EXACT_64: u64 = 1 << 53;

/// Checks that integers are exact in the type in which they are computed: `f32` for 32-bit values.
fn check_exact(batch: &Batch, target: ValueType) -> Result<()> {
    let large = match &batch.values {
        Values::U32(all) => nnz_bitpack::max(all)
            .filter(|max| *max > EXACT)
            .and_then(|_| all.iter().position(|value| *value > EXACT)),
        Values::I32(all) => all.iter().position(|value| value.unsigned_abs() > EXACT),
        Values::U64(all) => all.iter().position(|value| *value > EXACT_64),
        Values::I64(all) => all.iter().position(|value| value.unsigned_abs() > EXACT_64),
        Values::Iso(one) if batch.entries() > 0 => match *one {
            Scalar::U32(value) => (value > EXACT).then_some(0),
            Scalar::I32(value) => (value.unsigned_abs() > EXACT).then_some(0),
            Scalar::U64(value) => (value > EXACT_64).then_some(0),
            Scalar::I64(value) => (value.unsigned_abs() > EXACT_64).then_some(0),
            _ => None,
        },
        _ => None,
    };
    let Some(found) = large.and_then(|at| Some((at, batch.values.get(at)?))) else { return Ok(()) };
    let (row, col) = batch.row_col(found.0);
    let holds = (target == ValueType::F32).then_some(ValueType::F64);
    let kind = ErrorKind::Inexact { found: found.1, target, holds };
    Err(Error::new(kind, Place::default().at(At::Entry { row, col })))
}

/// Replaces the values of a batch by computed ones, for which `spare` has room. Returns the replaced ones if they were not
/// changed in place.
fn apply<T: Float>(
    steps: &[ValueStep],
    batch: &mut Batch,
    mut spare: Values,
) -> Result<Option<Values>> {
    if T::slice(&batch.values).is_some() {
        let mut values = std::mem::take(T::vec_mut(&mut batch.values));
        steps.iter().for_each(|step| step.apply(batch, &mut values));
        batch.values = Values::from(values);
        return Ok(None);
    }
    let mut rounded = std::mem::take(T::vec_mut(&mut spare));
    if let (Values::U32(numbers), Some(into)) =
        (&batch.values, (&mut rounded as &mut dyn std::any::Any).downcast_mut())
        && small::is_worth_it(steps, batch)
    {
        small::apply(steps, batch, numbers, into);
        return Ok(Some(std::mem::replace(&mut batch.values, Values::from(rounded))));
    }
    round_into::<T>(&batch.values, batch.entries(), &mut rounded)?;
    steps.iter().for_each(|step| step.apply(batch, &mut rounded));
    Ok(Some(std::mem::replace(&mut batch.values, Values::from(rounded))))
}

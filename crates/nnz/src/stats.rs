//! Sums, means, variances and extremes, of the whole or of every row and column.

mod exact;
mod float;
mod number;
mod tally;

use std::sync::{Mutex, PoisonError};

use nnz_core::{
    Axis, Batch, Error, ErrorKind, Fields, MatrixSource, Order, Place, Result, Storage, Unit,
    ValueType, Values,
};

use crate::check::{Ascent, Watch};
use crate::flow::{InOrder, Work, run};
use crate::stages::{Builder, DropZeros, DuplicatePolicy, Mirroring, Step, apply, mirror};
use crate::{Location, open};
pub use number::Number;
use tally::Tally;

/// Says what is asked for.
#[derive(Clone, Copy, Debug)]
pub struct StatsOptions {
    /// Whether each row is asked for.
    pub rows: bool,
    /// Whether each column is asked for.
    pub cols: bool,
    /// Bytes of memory for rows and columns, and for looking for duplicates.
    pub memory: u64,
    /// Threads that work at the same time.
    pub threads: usize,
}

/// What a matrix, a row or a column comes to. Cells that are not stored count as zeros.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moments {
    /// Entries stored; of a dense matrix, cells that are not zero.
    pub nnz: u64,
    /// The sum: exact for integers; floats are added with the error carried along.
    pub sum: Number,
    /// The sum over the number of cells. NaN where there are none.
    pub mean: f64,
    /// The sum of squared distances from the mean, over one less than the number of cells. NaN
    /// where there are fewer than two.
    pub variance: f64,
    /// The least value; `None` where there are no cells.
    pub min: Option<Number>,
    /// The greatest value.
    pub max: Option<Number>,
}

/// What was asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Stats {
    /// The whole matrix.
    pub whole: Moments,
    /// Each row, if asked for.
    pub rows: Option<Vec<Moments>>,
    /// Each column, if asked for.
    pub cols: Option<Vec<Moments>>,
}

/// Computes what is asked for in one pass over the entries.
///
/// The result is the same for any number of threads.
///
/// # Errors
///
/// Fails where the matrix cannot be read or is broken, where its values are complex, and where two
/// entries share a place in a format that leaves open what that means.
pub fn stats(location: &Location, options: &StatsOptions) -> Result<Stats> {
    let opened = open(location)?;
    let source = &*opened.source;
    let computed = match source.header().value_type {
        ValueType::F32 => compute::<f32>(source, options),
        ValueType::F64 => compute::<f64>(source, options),
        ValueType::U8 => compute::<u8>(source, options),
        ValueType::U16 => compute::<u16>(source, options),
        ValueType::U32 => compute::<u32>(source, options),
        ValueType::U64 => compute::<u64>(source, options),
        ValueType::I8 => compute::<i8>(source, options),
        ValueType::I16 => compute::<i16>(source, options),
        ValueType::I32 => compute::<i32>(source, options),
        ValueType::I64 => compute::<i64>(source, options),
        ValueType::Bint8 => compute::<nnz_core::Bint8>(source, options),
        ValueType::ComplexF32 | ValueType::ComplexF64 => {
            let what = "complex numbers have no least and no greatest";
            Err(Error::unsupported(location.source_place(), what))
        }
    };
    computed.map_err(|error| crate::convert::locate(error, source).within(&location.source_place()))
}

fn compute<T: number::Value>(source: &dyn MatrixSource, options: &StatsOptions) -> Result<Stats> {
    let header = source.header();
    let order = header.order;
    let mut steps = mirror(header, Mirroring::Expand);
    if header.storage == Storage::Dense {
        steps.push(Box::new(DropZeros(Builder::new(order, header.shape))));
    }
    for (axis, wanted) in [(Axis::Rows, options.rows), (Axis::Cols, options.cols)] {
        // What is asked for has to be held: that of a shape nobody could list is refused.
        let each = size_of::<Tally<T>>() + size_of::<Moments>();
        let needed = header.shape.len(axis).saturating_mul(each as u64);
        if wanted && needed > options.memory {
            let kind = ErrorKind::Memory { needed, allowed: options.memory };
            return Err(Error::new(kind, Place::default()));
        }
    }
    let (by_major, by_minor) = match order {
        Order::Row => (options.rows, options.cols),
        Order::Col => (options.cols, options.rows),
    };
    let counting = Counting::<T> {
        source,
        steps,
        by_major,
        minors: by_minor.then(|| header.shape.minor(order)),
        spare_minors: Mutex::default(),
    };
    let mut counted = Counted::<T> {
        whole: Tally::default(),
        majors: by_major.then(Vec::new),
        minors: by_minor.then(Vec::new),
        in_turn: !T::ORDER_FREE,
        ascent: Ascent::new(source),
        watch: Watch::of(source, DuplicatePolicy::Refuse),
    };
    let majors = header.shape.major(order);
    let units = source.units(0..majors, Fields::ALL)?;
    run(units, &counting, &mut counted, options.threads)?;
    if counted.watch != Watch::Not {
        counted.ascent.finish(source, options.memory)?;
    }
    for tallies in counting.spare_minors.into_inner().unwrap_or_else(PoisonError::into_inner) {
        merge_all(counted.minors.get_or_insert_default(), &tallies);
    }
    let finish = |tallies: Vec<Tally<T>>, axis: Axis| -> Vec<Moments> {
        let across = match axis {
            Axis::Rows => header.shape.cols,
            Axis::Cols => header.shape.rows,
        };
        let len = usize::try_from(header.shape.len(axis)).unwrap_or(usize::MAX);
        let missing = len.saturating_sub(tallies.len());
        let tallies = tallies.into_iter().chain(std::iter::repeat_n(Tally::default(), missing));
        tallies.map(|tally| tally.moments(across.into())).collect()
    };
    let (by_major, by_minor) = (counted.majors, counted.minors.filter(|_| by_minor));
    let (rows, cols) = match order {
        Order::Row => (by_major, by_minor),
        Order::Col => (by_minor, by_major),
    };
    Ok(Stats {
        whole: counted.whole.moments(header.shape.cells()),
        rows: rows.map(|tallies| finish(tallies, Axis::Rows)),
        cols: cols.map(|tallies| finish(tallies, Axis::Cols)),
    })
}

/// The part that any thread can do.
struct Counting<'a, T: number::Value> {
    source: &'a dyn MatrixSource,
    steps: Vec<Box<dyn Step>>,
    by_major: bool,
    /// The length of the minor axis, if each of it is asked for.
    minors: Option<u64>,
    /// Tallies of all minors, one list for each thread that needed one.
    spare_minors: Mutex<Vec<Vec<Tally<T>>>>,
}

/// What a batch comes to.
struct Part<T: number::Value> {
    batch: Batch,
    majors: Vec<(u64, Tally<T>)>,
    whole: Tally<T>,
}

impl<T: number::Value> Work for Counting<'_, T> {
    type Decoded = Batch;
    type Encoded = Part<T>;
    type Joint = ();

    fn decode(&self, units: Vec<Box<dyn Unit + '_>>) -> Result<(Batch, Vec<u64>)> {
        let header = self.source.header();
        let mut batch = Batch::new(header.order, Values::new(header.value_type));
        let mut stored = Vec::with_capacity(1);
        for unit in units {
            unit.decode(&mut batch)?;
            stored.push(batch.entries() as u64);
        }
        Ok((batch, stored))
    }

    fn encode(&self, mut batch: Batch, (): ()) -> Result<Part<T>> {
        if !self.steps.is_empty() {
            let mut spare = batch.clone();
            apply(&self.steps, &mut batch, &mut spare)?;
        }
        if let Values::Iso(scalar) = batch.values {
            batch.values = scalar.repeat(batch.entries());
        }
        let values = T::slice(&batch.values).unwrap_or_default();
        let mut whole = Tally::default();
        let mut majors = Vec::new();
        for run in 0..batch.runs() {
            let tally = Tally::of(&values[batch.run(run)]);
            whole.merge(&tally);
            if self.by_major {
                majors.push((batch.majors.get(run), tally));
            }
        }
        if let Some(len) = self.minors.filter(|_| T::ORDER_FREE) {
            let lists = || self.spare_minors.lock().unwrap_or_else(PoisonError::into_inner);
            let list = lists().pop();
            let mut list = list.unwrap_or_default();
            list.resize(usize::try_from(len).unwrap_or(usize::MAX), Tally::default());
            tally_minors(&batch, values, &mut list);
            lists().push(list);
        }
        Ok(Part { batch, majors, whole })
    }
}

/// Adds each entry to the tally of its minor.
fn tally_minors<T: number::Value>(batch: &Batch, values: &[T], tallies: &mut [Tally<T>]) {
    if let nnz_core::Minors::U32(minors) = &batch.minors {
        for (&minor, &value) in minors.iter().zip(values) {
            tallies[minor as usize].add(value);
        }
        return;
    }
    let _ = batch.try_for_each(|entry, _, minor| {
        if let Some(tally) = usize::try_from(minor).ok().and_then(|m| tallies.get_mut(m)) {
            tally.add(values[entry]);
        }
        Ok::<(), ()>(())
    });
}

fn merge_all<T: number::Value>(into: &mut Vec<Tally<T>>, from: &[Tally<T>]) {
    if into.len() < from.len() {
        into.resize(from.len(), Tally::default());
    }
    into.iter_mut().zip(from).for_each(|(into, from)| into.merge(from));
}

/// The part that goes in turn.
struct Counted<T: number::Value> {
    whole: Tally<T>,
    majors: Option<Vec<Tally<T>>>,
    minors: Option<Vec<Tally<T>>>,
    /// Whether minors are added up here, since their sums depend on the order.
    in_turn: bool,
    ascent: Ascent,
    watch: Watch,
}

impl<T: number::Value> InOrder<Counting<'_, T>> for Counted<T> {
    fn join(&mut self, batch: &Batch) -> Result<Option<()>> {
        if self.watch != Watch::Not {
            self.ascent.watch(batch);
        }
        Ok(Some(()))
    }

    fn write(&mut self, part: Part<T>) -> Result<()> {
        self.whole.merge(&part.whole);
        if let Some(majors) = &mut self.majors {
            for (major, tally) in part.majors {
                let major = usize::try_from(major).unwrap_or(usize::MAX);
                if majors.len() <= major {
                    majors.resize(major + 1, Tally::default());
                }
                majors[major].merge(&tally);
            }
        }
        if let (true, Some(minors)) = (self.in_turn, &mut self.minors) {
            let batch = &part.batch;
            let values = T::slice(&batch.values).unwrap_or_default();
            let _ = batch.try_for_each(|entry, _, minor| {
                let minor = usize::try_from(minor).unwrap_or(usize::MAX);
                if minors.len() <= minor {
                    minors.resize(minor + 1, Tally::default());
                }
                minors[minor].add(values[entry]);
                Ok::<(), ()>(())
            });
        }
        Ok(())
    }
}

//! Distribution of values.

use nnz_storage::TaskContext;
use std::sync::Mutex;

use nnz_core::{Batch, Error, MatrixSource, Projection, Result, Unit, Values};

use super::bins::{self, COUNT};
use super::steps::{look, shown_entries};
use crate::Number;
use crate::flow::Work;
use crate::stages::expanded_type;
use crate::stats::entries::Entries;
use crate::stats::lock;

/// Integers from 0 to this one are counted apart.
pub const MAX_EXACT_INTEGER: usize = 15;

/// Numbers of values by size.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ValueCounts {
    /// The number of values: of the entries of the matrix.
    pub entries: u64,
    /// The number of values that are exactly 0, 1, 2, ... up to [`MAX_EXACT_INTEGER`].
    pub integers: Vec<u64>,
    /// The other finite values, ascending, without empty bins.
    pub bins: Vec<ValueBin>,
    /// The number of NaN.
    pub nan: u64,
    /// The number of negative infinities.
    pub negative_infinity: u64,
    /// The number of positive infinities.
    pub positive_infinity: u64,
    /// Whether all finite values are integers.
    pub integral: bool,
    /// The smallest finite value.
    pub min: Option<Number>,
    /// The largest finite value.
    pub max: Option<Number>,
}

/// The number of values from one to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ValueBin {
    /// The end nearer to zero, which is included.
    pub from: f64,
    /// The end farther from zero, which is excluded.
    pub to: f64,
    /// The number of values.
    pub count: u64,
}

/// Counts the values of the entries by size, in one pass: small integers one by one, others in bins, 32 of which are between
/// a power of two and the next one. [`ValueCounts::histogram`] joins them.
///
/// The entries are the same as in [`density`](super::density).
///
/// # Errors
///
/// Fails if the matrix cannot be read or is broken, and if its values are complex.
pub fn values(source: &dyn MatrixSource, context: &TaskContext) -> Result<ValueCounts> {
    let place = &source.place();
    let header = source.header();
    if expanded_type(header).is_complex() {
        let what = "complex numbers cannot be plotted: they have no order";
        return Err(Error::unsupported(place.clone(), what));
    }
    let (entries, fields) = shown_entries(header, Projection::VALUES);
    let work = Counting { entries, tables: Mutex::default() };
    look(source, fields, &work, context)
        .map_err(|error| crate::convert::locate(error, source).with_context(place))?;
    let mut all = Table::default();
    lock(&work.tables).iter().for_each(|table| all.merge(table));
    Ok(all.finish())
}

/// Counts the values of batches.
struct Counting {
    entries: Entries,
    /// Tables of each thread that needed one.
    tables: Mutex<Vec<Table>>,
}

impl Work for Counting {
    type Batch = Batch;
    type Decoded = [Batch; 2];
    type Encoded = ();
    type Joint = ();

    fn decode(&self, units: Vec<Box<dyn Unit + '_>>) -> Result<([Batch; 2], Vec<u64>)> {
        self.entries.decode(units)
    }

    fn encode(&self, mut batches: [Batch; 2], (): ()) -> Result<()> {
        self.entries.prepare(&mut batches, false)?;
        let mut table = lock(&self.tables).pop().unwrap_or_default();
        let batch = &batches[0];
        match &batch.values {
            Values::Iso(_) if batch.entries() == 0 => {}
            Values::Iso(_) => table.add(&batch.values, batch.entries() as u64),
            values => table.add(values, 1),
        }
        lock(&self.tables).push(table);
        self.entries.reuse(batches);
        Ok(())
    }
}

/// Counts by size.
pub(super) struct Table {
    integers: [u64; MAX_EXACT_INTEGER + 1],
    negative: Vec<u64>,
    positive: Vec<u64>,
    nan: u64,
    infinite: [u64; 2],
    fractions: bool,
    extremes: Option<(Number, Number)>,
}

impl Default for Table {
    fn default() -> Self {
        Self {
            integers: [0; MAX_EXACT_INTEGER + 1],
            negative: vec![0; COUNT],
            positive: vec![0; COUNT],
            nan: 0,
            infinite: [0; 2],
            fractions: false,
            extremes: None,
        }
    }
}

fn less(a: Number, b: Number) -> bool {
    match (a, b) {
        (Number::Integer(a), Number::Integer(b)) => a < b,
        (Number::Float(a), Number::Float(b)) => a < b,
        // All values of a matrix have one type.
        _ => false,
    }
}

impl Table {
    /// Adds values, each of which occurs a number of times.
    pub(super) fn add(&mut self, values: &Values, times: u64) {
        macro_rules! integers {
            ($values:expr, $wide:ty, $of:expr) => {{
                let wide = || $values.iter().map(|&value| <$wide>::from(value));
                wide()
                    .map($of)
                    .for_each(|(is_negative, size)| self.integer(is_negative, size, times));
                if let (Some(min), Some(max)) = (wide().min(), wide().max()) {
                    self.reach(Number::Integer(min.into()), Number::Integer(max.into()));
                }
            }};
        }
        let unsigned = |value: u64| (false, value);
        let signed = |value: i64| (value < 0, value.unsigned_abs());
        match values {
            Values::U8(all) => integers!(all, u64, unsigned),
            Values::U16(all) => integers!(all, u64, unsigned),
            Values::U32(all) => integers!(all, u64, unsigned),
            Values::U64(all) => integers!(all, u64, unsigned),
            Values::I8(all) => integers!(all, i64, signed),
            Values::I16(all) => integers!(all, i64, signed),
            Values::I32(all) => integers!(all, i64, signed),
            Values::I64(all) => integers!(all, i64, signed),
            Values::Bint8(all) => {
                let all: Vec<u8> = all.iter().map(|value| value.0).collect();
                integers!(all, u64, unsigned);
            }
            Values::F32(all) => all.iter().for_each(|&value| self.float(value.into(), times)),
            Values::F64(all) => all.iter().for_each(|&value| self.float(value, times)),
            Values::Iso(scalar) => self.add(&scalar.repeat(1), times),
            // Refused before.
            Values::ComplexF32(_) | Values::ComplexF64(_) => {}
        }
    }

    #[inline(always)]
    fn integer(&mut self, is_negative: bool, size: u64, times: u64) {
        if size <= MAX_EXACT_INTEGER as u64 && !is_negative {
            self.integers[usize::try_from(size).unwrap_or(0) & MAX_EXACT_INTEGER] += times;
        } else {
            let table = if is_negative { &mut self.negative } else { &mut self.positive };
            if let Some(bin) = table.get_mut(bins::of_integer(size)) {
                *bin += times;
            }
        }
    }

    fn float(&mut self, value: f64, times: u64) {
        if value.is_nan() {
            self.nan += times;
            return;
        }
        if value.is_infinite() {
            self.infinite[usize::from(value > 0.0)] += times;
            return;
        }
        self.reach(Number::Float(value), Number::Float(value));
        let is_whole = value.trunc() == value;
        self.fractions |= !is_whole;
        if is_whole && (0.0..=15.0).contains(&value) {
            self.integers[small(value)] += times;
            return;
        }
        let table = if value < 0.0 { &mut self.negative } else { &mut self.positive };
        if let Some(bin) = table.get_mut(bins::of_float(value)) {
            *bin += times;
        }
    }

    /// Extends the extremes.
    fn reach(&mut self, min: Number, max: Number) {
        self.extremes = Some(match self.extremes {
            None => (min, max),
            Some((low, high)) => {
                (if less(min, low) { min } else { low }, if less(high, max) { max } else { high })
            }
        });
    }

    fn merge(&mut self, other: &Self) {
        let add = |into: &mut [u64], from: &[u64]| {
            into.iter_mut().zip(from).for_each(|(into, from)| *into += from);
        };
        add(&mut self.integers, &other.integers);
        add(&mut self.negative, &other.negative);
        add(&mut self.positive, &other.positive);
        add(&mut self.infinite, &other.infinite);
        self.nan += other.nan;
        self.fractions |= other.fractions;
        if let Some((min, max)) = other.extremes {
            self.reach(min, max);
        }
    }

    pub(super) fn finish(self) -> ValueCounts {
        let bin = |sign: f64| {
            move |(bin, count): (usize, &u64)| ValueBin {
                from: sign * bins::start(bin),
                to: sign * bins::end(bin),
                count: *count,
            }
        };
        let filled = |(_, count): &(usize, &u64)| **count > 0;
        let negative = self.negative.iter().enumerate().rev().filter(filled).map(bin(-1.0));
        let positive = self.positive.iter().enumerate().filter(filled).map(bin(1.0));
        let [negative_infinity, positive_infinity] = self.infinite;
        let lists = [&self.integers[..], &self.negative, &self.positive, &self.infinite];
        ValueCounts {
            entries: lists.into_iter().flatten().sum::<u64>() + self.nan,
            integers: self.integers.to_vec(),
            bins: negative.chain(positive).collect(),
            nan: self.nan,
            negative_infinity,
            positive_infinity,
            integral: !self.fractions,
            min: self.extremes.map(|(min, _)| min),
            max: self.extremes.map(|(_, max)| max),
        }
    }
}

/// Converts an integer from 0 to [`MAX_EXACT_INTEGER`].
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "small integers of floats"
)]
fn small(value: f64) -> usize {
    (value as usize).min(MAX_EXACT_INTEGER)
}

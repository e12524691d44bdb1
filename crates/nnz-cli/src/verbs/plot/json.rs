//! The numbers of a picture as JSON.

use nnz::engine::Number;
use nnz::plot::{Density, FragmentLengths, LengthMeasure, Lengths, PackedWidths, ValueCounts};
use nnz::{Axis, Error};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::output::{failed, print_json};

const SCHEMA: &str = "nnz-plot/2";

/// A number, without a fraction if it is an integer.
#[derive(Serialize)]
#[serde(untagged)]
enum Json {
    Integer(i128),
    Float(f64),
}

impl From<Number> for Json {
    fn from(number: Number) -> Self {
        match number {
            Number::Integer(number) => Self::Integer(number),
            Number::Float(number) => Self::Float(number),
        }
    }
}

impl From<f64> for Json {
    #[expect(clippy::cast_possible_truncation, reason = "an integer that a float holds exactly")]
    fn from(number: f64) -> Self {
        match number.trunc() == number && number.abs() < 1e15 {
            true => Self::Integer(number as i128),
            false => Self::Float(number),
        }
    }
}

/// Formats a list on one line.
fn on_one_line(list: &[impl Serialize]) -> Result<Box<RawValue>, Error> {
    serde_json::value::to_raw_value(list).map_err(|error| failed(error.into()))
}

#[derive(Serialize)]
struct Spy {
    kind: &'static str,
    rows: u64,
    cols: u64,
    entries: u64,
    rows_per_bin: u64,
    cols_per_bin: u64,
    counts: Vec<Box<RawValue>>,
}

/// Prints the number of entries in each bin.
pub(super) fn spy(density: &Density) -> Result<(), Error> {
    let rows = density.counts.chunks(density.cols.max(1));
    let found = Spy {
        kind: "spy",
        rows: density.shape.rows,
        cols: density.shape.cols,
        entries: density.entries,
        rows_per_bin: density.rows_per_bin,
        cols_per_bin: density.cols_per_bin,
        counts: rows.map(on_one_line).collect::<Result<_, _>>()?,
    };
    print_json(SCHEMA, &found)
}

#[derive(Serialize)]
struct Distribution {
    kind: &'static str,
    axis_kind: String,
    measure: &'static str,
    count: u64,
    min: Option<Json>,
    quartiles: Vec<Json>,
    max: Option<Json>,
    zero: u64,
    nan: u64,
    negative_infinity: u64,
    positive_infinity: u64,
    relative_error: f64,
    logarithmic: bool,
    bins: Vec<Bin>,
    ranks: Box<RawValue>,
}

#[derive(Serialize)]
struct Bin {
    from: Json,
    to: Json,
    count: u64,
}

/// Prints the distribution of entries or sums.
pub(super) fn lengths(lengths: &Lengths) -> Result<(), Error> {
    let quantile = |part: f64| lengths.quantile(part).map(Json::from);
    let bins = lengths.bins();
    let ranks = lengths.ranks().into_iter().map(|(rank, number)| (rank, Json::from(number)));
    let of = |wanted: f64| {
        lengths.values.iter().find(|(number, _)| *number == wanted).map_or(0, |(_, count)| *count)
    };
    let found = Distribution {
        kind: if lengths.axis == Axis::Rows { "rows" } else { "cols" },
        axis_kind: lengths.axis_kind.to_string(),
        measure: if lengths.measure == LengthMeasure::Nnz { "nnz" } else { "sum" },
        count: lengths.count,
        min: quantile(0.0),
        quartiles: [0.25, 0.5, 0.75].into_iter().filter_map(quantile).collect(),
        max: quantile(1.0),
        zero: of(0.0),
        nan: lengths.nan,
        negative_infinity: of(f64::NEG_INFINITY),
        positive_infinity: of(f64::INFINITY),
        relative_error: lengths.error,
        logarithmic: bins.logarithmic,
        bins: bins
            .bins
            .iter()
            .map(|bin| Bin { from: bin.from.into(), to: bin.to.into(), count: bin.count })
            .collect(),
        ranks: on_one_line(&ranks.collect::<Vec<_>>())?,
    };
    print_json(SCHEMA, &found)
}

#[derive(Serialize)]
struct Values {
    kind: &'static str,
    entries: u64,
    min: Option<Json>,
    max: Option<Json>,
    integral: bool,
    integers: Box<RawValue>,
    logarithmic: bool,
    bins: Vec<Bin>,
    nan: u64,
    negative_infinity: u64,
    positive_infinity: u64,
}

/// Prints the distribution of values.
pub(super) fn values(counts: &ValueCounts) -> Result<(), Error> {
    let histogram = counts.histogram();
    let bins = histogram.bins.iter();
    let found = Values {
        kind: "values",
        entries: counts.entries,
        min: counts.min.map(Into::into),
        max: counts.max.map(Into::into),
        integral: counts.integral,
        integers: on_one_line(&counts.integers)?,
        logarithmic: histogram.logarithmic,
        bins: bins
            .map(|bin| Bin { from: bin.from.into(), to: bin.to.into(), count: bin.count })
            .collect(),
        nan: counts.nan,
        negative_infinity: counts.negative_infinity,
        positive_infinity: counts.positive_infinity,
    };
    print_json(SCHEMA, &found)
}

#[derive(Serialize)]
struct Bits {
    kind: &'static str,
    arrays: Vec<Array>,
}

#[derive(Serialize)]
struct Array {
    name: String,
    packed: bool,
    values: u64,
    mean: f64,
    bits: Box<RawValue>,
}

/// Prints the bits of packed values.
pub(super) fn bits(widths: &[PackedWidths]) -> Result<(), Error> {
    let array = |array: &PackedWidths| {
        Ok(Array {
            name: array.array.clone(),
            packed: array.packed,
            values: array.values,
            mean: array.mean,
            bits: on_one_line(&array.bits)?,
        })
    };
    let arrays = widths.iter().map(array).collect::<Result<_, Error>>()?;
    print_json(SCHEMA, &Bits { kind: "bits", arrays })
}

#[derive(Serialize)]
struct Fragments {
    kind: &'static str,
    fragments: u64,
    longest: Option<u32>,
    median: Option<u32>,
    lengths: Box<RawValue>,
    longer: u64,
    chromosomes: Vec<Chromosome>,
}

#[derive(Serialize)]
struct Chromosome {
    name: String,
    fragments: u64,
    lengths_by_10: Box<RawValue>,
}

/// Prints the distribution of lengths of fragments.
pub(super) fn fragments(lengths: &FragmentLengths) -> Result<(), Error> {
    let chromosomes = lengths.chromosomes.iter().map(|chromosome| {
        Ok(Chromosome {
            name: chromosome.name.clone(),
            fragments: chromosome.fragments,
            lengths_by_10: on_one_line(&chromosome.bins)?,
        })
    });
    let found = Fragments {
        kind: "fragments",
        fragments: lengths.fragments,
        longest: lengths.longest,
        median: lengths.median(),
        lengths: on_one_line(&lengths.lengths)?,
        longer: lengths.longer,
        chromosomes: chromosomes.collect::<Result<_, Error>>()?,
    };
    print_json(SCHEMA, &found)
}

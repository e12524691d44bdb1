//! Concatenated matrices.

mod merge;
mod names;
mod shared;
mod shifted;

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use nnz_core::{
    About, Annotations, Axis, AxisKind, Duplicates, Error, ErrorKind, Header, MatrixSource,
    Metadata, Names, Order, Place, Projection, Result, Rounding, Shape, Storage, Structure,
    UnitReader, ValueType, readable,
};

use crate::annotations::{Appended, Join};
use crate::parts::{InParts, Next, Open, Steps};
use crate::stages::{Cast, Mirroring, Step, drop_unstored, mirror, negates_integers};
use crate::types;
use merge::MajorRanges;
use shared::Differing;
use shifted::Shared;
pub(crate) use shifted::Shifted;

/// Options of a concatenation. By default, nothing is changed unnecessarily.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct ConcatOptions {
    /// The type of all values; by default the smallest that holds the values of all matrices exactly.
    pub value_type: Option<ValueType>,
    /// Whether values that a float type cannot hold exactly are rounded.
    pub rounding: Rounding,
    /// Whether the names of the shared axis may differ; the names of the first matrix are used.
    pub ignore_names: bool,
}

nnz_core::setters! {
    ConcatOptions {
        value_type: Option<ValueType>,
        rounding: Rounding,
        ignore_names: bool,
    }
}

/// Matrices concatenated along an axis.
///
/// If all matrices are stored by that axis, their entries are read one matrix after the other. If
/// all are stored by the other axis and have random access, they are read side by side. Otherwise,
/// entries are read in storage order and have to be sorted.
///
/// ```
/// use nnz_core::{Axis, MatrixSource, Order, Shape};
/// use nnz_engine::{Concat, ConcatOptions, CsMatrix};
///
/// let mut inputs = Vec::new();
/// for value in [2.0, 3.0] {
///     let shape = Shape { rows: 2, cols: 1 };
///     let matrix = CsMatrix::from_parts(shape, Order::Col, vec![0, 1], vec![1_u32], vec![value])?;
///     inputs.push(matrix.into_source()?);
/// }
/// let all = Concat::new(inputs, Axis::Cols, &ConcatOptions::default())?;
/// assert_eq!(all.header().shape.to_string(), "2 x 2");
/// # Ok::<(), nnz_core::Error>(())
/// ```
pub struct Concat {
    inputs: Vec<ConcatInput>,
    axis: Axis,
    header: Header,
    strategy: ReadStrategy,
    ignore_names: bool,
    /// Differences between the matrices on the shared axis, once they are known.
    differing: OnceLock<Differing>,
}

impl std::fmt::Debug for Concat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Concat").field("header", &self.header).finish_non_exhaustive()
    }
}

/// Order in which entries are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReadStrategy {
    /// One matrix after the other, in order.
    Sequential,
    /// All matrices side by side, in order.
    SideBySide,
    /// One matrix after the other, out of order.
    Unsorted,
}

/// A matrix to concatenate.
struct ConcatInput {
    source: Box<dyn MatrixSource>,
    place: Place,
    /// The position of its first row or column.
    start: u64,
    steps: Arc<Steps>,
}

impl ConcatInput {
    fn len(&self, axis: Axis) -> u64 {
        self.source.header().shape.len(axis)
    }

    fn majors(&self) -> u64 {
        let header = self.source.header();
        header.shape.major(header.order)
    }
}

impl Concat {
    /// Concatenates matrices: `Axis::Rows` appends rows.
    ///
    /// # Errors
    ///
    /// Fails if there are no matrices, if their other dimension or the names there differ, if no
    /// type holds the values of all, or if their length exceeds 64 bits.
    pub fn new(
        sources: Vec<Box<dyn MatrixSource>>,
        axis: Axis,
        options: &ConcatOptions,
    ) -> Result<Self> {
        let Some(first) = sources.first() else {
            return Err(Error::argument("nothing to concatenate"));
        };
        // Only of those with an order: for text it is a guess.
        let own = sources.iter().find_map(|source| source.header().own_order());
        let order = own.unwrap_or(first.header().order);
        let mut length = 0_u64;
        let mut inputs = Vec::with_capacity(sources.len());
        for source in sources {
            let place = source.place();
            let start = length;
            let len = source.header().shape.len(axis);
            length = length.checked_add(len).ok_or_else(|| {
                let what = format!("more than 2^64 {}s in total", axis.singular());
                Error::unsupported(place.clone(), what)
            })?;
            let steps = Arc::new(Steps::new(place.clone(), Vec::new()));
            inputs.push(ConcatInput { source, place, start, steps });
        }
        check_shapes(&inputs, axis)?;
        check_fills(&inputs)?;
        let value_type = match options.value_type {
            Some(value_type) => value_type,
            None => common_type(&inputs)?,
        };
        let strategy = read_strategy(&inputs, axis, order);
        let header = header(&inputs, axis, order, value_type, length, strategy);
        let header = header.ordered(own.is_some());
        for input in &mut inputs {
            let steps = steps(input, axis, &header, options.rounding);
            input.steps = Arc::new(Steps::new(input.place.clone(), steps));
        }
        let ignore_names = options.ignore_names;
        let differing = OnceLock::new();
        let concat = Self { inputs, axis, header, strategy, ignore_names, differing };
        // Differing names are an error before any work starts.
        concat.check_shared_names()?;
        Ok(concat)
    }

    fn other(&self) -> Axis {
        self.axis.other()
    }

    /// Opens one matrix after the other, with the range of `majors` of each.
    fn open_sequentially(&self, majors: Range<u64>, fields: Projection) -> Open<'_> {
        let mut inputs = self.inputs.iter();
        Box::new(move || {
            for input in inputs.by_ref() {
                let mut range = 0..input.majors();
                if self.strategy == ReadStrategy::Sequential {
                    let within = |at: u64| at.saturating_sub(input.start).min(range.end);
                    range = within(majors.start)..within(majors.end);
                    if range.is_empty() && !majors.is_empty() {
                        continue;
                    }
                }
                let units = input.source.units(range, fields);
                let units = units.map_err(|error| error.with_context(&input.place))?;
                return Ok(Some(Next::Part(units, Arc::clone(&input.steps))));
            }
            Ok(None)
        })
    }

    /// Opens all matrices side by side: some majors of all, or each matrix in sequence for one long
    /// major.
    fn open_side_by_side(&self, majors: Range<u64>, fields: Projection) -> Open<'_> {
        let mut merging = MajorRanges::new(&self.inputs, &self.header, majors, fields);
        let mut long: VecDeque<(&ConcatInput, u64)> = VecDeque::new();
        Box::new(move || {
            loop {
                if let Some((input, major)) = long.pop_front() {
                    let units = input.source.units(major..major + 1, fields);
                    let units = units.map_err(|error| error.with_context(&input.place))?;
                    return Ok(Some(Next::Part(units, Arc::clone(&input.steps))));
                }
                match merging.next()? {
                    merge::MergeStep::Several(unit) => return Ok(Some(Next::Unit(Box::new(unit)))),
                    merge::MergeStep::Long(major) => {
                        long.extend(self.inputs.iter().map(|input| (input, major)));
                    }
                    merge::MergeStep::End => return Ok(None),
                }
            }
        })
    }
}

/// Fails if matrices have different fill values.
fn check_fills(inputs: &[ConcatInput]) -> Result<()> {
    let [first, rest @ ..] = inputs else { return Ok(()) };
    let fill = first.source.header().fill;
    match rest.iter().find(|input| input.source.header().fill != fill) {
        None => Ok(()),
        Some(input) => {
            let what = format!("the fill value differs from the fill value of {}", first.place);
            Err(Error::unsupported(input.place.clone(), what))
        }
    }
}

/// Returns the part of the header that is the same for all.
fn shared(each: &[Metadata]) -> Metadata {
    let mut shared = each.first().cloned().unwrap_or_default();
    shared.keys.retain(|pair| each.iter().all(|other| other.keys.contains(pair)));
    shared.attributes.retain(|pair| each.iter().all(|other| other.attributes.contains(pair)));
    shared.file.retain(|pair| each.iter().all(|other| other.file.contains(pair)));
    shared.format.retain(|pair| each.iter().all(|other| other.format.contains(pair)));
    shared
}

/// Fails if a matrix does not match the first one.
fn check_shapes(inputs: &[ConcatInput], axis: Axis) -> Result<()> {
    let across = axis.other();
    let [first, rest @ ..] = inputs else { return Ok(()) };
    for input in rest {
        if input.len(across) != first.len(across) {
            let shape = input.source.header().shape;
            let found = format!("{} {}s ({shape})", input.len(across), across.singular());
            let (first_shape, len) = (first.source.header().shape, first.len(across));
            let what =
                format!("found {found}, expected {len}, as in {} ({first_shape})", first.place);
            // None of them is broken.
            let error = Error::new(ErrorKind::Argument(what), input.place.clone());
            let [rows, cols] = input.source.header().axis_kinds;
            let exchanged = rows != cols && first.source.header().axis_kinds == [cols, rows];
            return Err(match exchanged {
                true => error.with_hint(
                    "transpose",
                    format!("makes {cols} the rows, as in the first matrix"),
                ),
                false
                    if [first, input]
                        .iter()
                        .all(|one| matches!(one.source.read_names(across), Ok(Some(_)))) =>
                {
                    error.with_hint("join", "inner or outer matches them by name")
                }
                false => error,
            });
        }
    }
    Ok(())
}

/// Returns a type that holds the values of all matrices.
fn common_type(inputs: &[ConcatInput]) -> Result<ValueType> {
    let mut found: Option<(ValueType, &Place)> = None;
    for input in inputs {
        let next = input.source.header().value_type;
        found = Some(match found {
            None => (next, &input.place),
            Some((before, place)) => match types::common_type(before, next) {
                Some(both) => (both, if both == before { place } else { &input.place }),
                None => {
                    let what = format!(
                        "{next} values and {before} values of {place}: no type holds both \
                         exactly"
                    );
                    let error = Error::unsupported(input.place.clone(), what);
                    return Err(error.with_hint(
                        "value_type",
                        "selects a type; values that do not fit are refused",
                    ));
                }
            },
        });
    }
    found.map(|(found, _)| found).ok_or_else(|| Error::argument("nothing to concatenate"))
}

/// Selects the order in which entries are read.
fn read_strategy(inputs: &[ConcatInput], axis: Axis, order: Order) -> ReadStrategy {
    let all = |fits: &dyn Fn(&ConcatInput, &Header) -> bool| {
        inputs.iter().all(|input| fits(input, input.source.header()))
    };
    let alike = all(&|_, header| {
        header.order == order && header.structure == Structure::General && header.sorted_majors
    });
    if alike && (order.major() == axis || inputs.len() == 1) {
        ReadStrategy::Sequential
    } else if alike && all(&|input, _| input.source.random_access()) {
        ReadStrategy::SideBySide
    } else {
        ReadStrategy::Unsorted
    }
}

fn header(
    inputs: &[ConcatInput],
    axis: Axis,
    order: Order,
    value_type: ValueType,
    length: u64,
    strategy: ReadStrategy,
) -> Header {
    let headers = || inputs.iter().map(|input| input.source.header());
    let dense = headers().all(|header| header.storage == Storage::Dense);
    let changed = |header: &Header| {
        header.structure != Structure::General || (header.storage == Storage::Dense && !dense)
    };
    let stored = headers()
        .try_fold(0_u64, |sum, header| sum.checked_add(header.nnz.filter(|_| !changed(header))?));
    let across = headers().next().map_or(0, |header| header.shape.len(axis.other()));
    let meaning = |which: usize| {
        let mut known =
            headers().map(|header| header.axis_kinds[which]).filter(|m| *m != AxisKind::Unknown);
        let first = known.next().unwrap_or_default();
        if known.all(|next| next == first) { first } else { AxisKind::Unknown }
    };
    let pattern = headers().all(|header| header.iso && header.value_type == ValueType::Bint8);
    let sorted = headers().all(|header| header.sorted_indices == Some(true));
    let has = |duplicates| headers().any(|header| header.duplicates == duplicates);
    let duplicates = [Duplicates::Refused, Duplicates::Summed].into_iter().find(|&one| has(one));
    let shape = match axis {
        Axis::Rows => Shape { rows: length, cols: across },
        Axis::Cols => Shape { rows: across, cols: length },
    };
    Header::new(shape, order, value_type)
        .sorted_majors(strategy != ReadStrategy::Unsorted)
        .sorted_indices((strategy != ReadStrategy::Unsorted && sorted).then_some(true))
        .iso(pattern && value_type == ValueType::Bint8)
        .nnz(stored)
        .storage(if dense { Storage::Dense } else { Storage::Sparse })
        .fill(headers().find_map(|header| header.fill))
        .duplicates(duplicates.unwrap_or_default())
        .axis_kinds([meaning(0), meaning(1)])
}

/// Returns the steps for the entries of a matrix.
fn steps(
    input: &ConcatInput,
    axis: Axis,
    header: &Header,
    rounding: Rounding,
) -> Vec<Box<dyn Step>> {
    let source = input.source.header();
    let mut steps: Vec<Box<dyn Step>> = Vec::new();
    let mut value_type = source.value_type;
    let cast = |value_type: &mut ValueType| {
        let (target, possible) = (header.value_type, ValueType::ALL);
        let differs = std::mem::replace(value_type, target) != target;
        differs.then(|| Box::new(Cast { target, rounding, possible }) as Box<dyn Step>)
    };
    if negates_integers(source) {
        // Their own type may not hold the negative values.
        steps.extend(cast(&mut value_type));
    }
    steps.extend(mirror(source, Mirroring::Expand));
    if source.storage == Storage::Dense && header.storage != Storage::Dense {
        steps.extend(drop_unstored(&source.clone().value_type(value_type)));
    }
    if source.iso {
        steps.push(Box::new(Shared { stays: header.iso }));
    }
    steps.extend(cast(&mut value_type));
    let [rows, cols] = match axis {
        Axis::Rows => [input.start, 0],
        Axis::Cols => [0, input.start],
    };
    steps.push(Box::new(Shifted::new(source, header, rows, cols)));
    steps
}

impl MatrixSource for Concat {
    fn place(&self) -> Place {
        Place::path("the concatenation")
    }

    fn header(&self) -> &Header {
        &self.header
    }

    fn about(&self) -> Result<About> {
        let mut bytes = Some(0_u64);
        for input in &self.inputs {
            let more = input.source.about()?.bytes;
            bytes = bytes.zip(more).and_then(|(bytes, more)| bytes.checked_add(more));
        }
        let format = format!("{} concatenated matrices", self.inputs.len());
        Ok(About::new(format, "").bytes(bytes))
    }

    fn read_names(&self, axis: Axis) -> Result<Option<Names<'_>>> {
        if axis == self.axis { self.appended_names() } else { self.shared_names() }
    }

    /// Annotations along the axis are concatenated, with the columns that all have. Of those of the shared axis, the columns are
    /// kept that are the same in all matrices that have them.
    fn annotations(&self, axis: Axis) -> Result<Option<Box<dyn Annotations + '_>>> {
        if axis == self.axis {
            return Ok(self.appended_annotations()?.map(|table| Box::new(table) as Box<_>));
        }
        self.shared_annotations()
    }

    fn names_column(&self, axis: Axis) -> Option<String> {
        let mut columns = self.inputs.iter().map(|input| input.source.names_column(axis));
        let first = columns.next()??;
        columns.all(|column| column.as_ref() == Some(&first)).then_some(first)
    }

    /// Returns the metadata that is the same in all.
    fn metadata(&self) -> Metadata {
        shared(&self.inputs.iter().map(|input| input.source.metadata()).collect::<Vec<_>>())
    }

    /// Returns the levels that all have.
    fn levels(&self) -> Option<String> {
        let mut each = self.inputs.iter().map(|input| input.source.levels());
        let first = each.next()??;
        each.all(|levels| levels.as_ref() == Some(&first)).then_some(first)
    }

    fn random_access(&self) -> bool {
        let anywhere = |input: &ConcatInput| input.source.random_access();
        self.strategy != ReadStrategy::Unsorted && self.inputs.iter().all(anywhere)
    }

    fn rereadable(&self) -> bool {
        self.inputs.iter().all(|input| input.source.rereadable())
    }

    fn units(&self, majors: Range<u64>, _: Projection) -> Result<Box<dyn UnitReader<'_> + '_>> {
        let count = self.header.shape.major(self.header.order);
        self.header.check_majors(&majors)?;
        if majors != (0..count) && !self.random_access() {
            let what = "concatenated matrices without random access can only be read as a whole";
            return Err(Error::new(ErrorKind::Unsupported(what.to_owned()), Place::default()));
        }
        // Some steps need all parts of an entry.
        let fields = Projection::ALL;
        let open = match self.strategy {
            ReadStrategy::SideBySide => self.open_side_by_side(majors, fields),
            ReadStrategy::Sequential | ReadStrategy::Unsorted => {
                self.open_sequentially(majors, fields)
            }
        };
        Ok(Box::new(InParts::new(open)))
    }

    fn stored_before(&self, major: u64) -> Result<Option<u64>> {
        if !self.random_access() {
            return Ok(None);
        }
        let mut sum = 0_u64;
        for input in &self.inputs {
            let own = match self.strategy {
                ReadStrategy::Sequential => major.saturating_sub(input.start).min(input.majors()),
                ReadStrategy::SideBySide | ReadStrategy::Unsorted => major,
            };
            let before = input.source.stored_before(own)?;
            let Some(more) = before.and_then(|before| sum.checked_add(before)) else {
                return Ok(None);
            };
            sum = more;
        }
        Ok(Some(sum))
    }

    fn extras(&self) -> Result<Vec<String>> {
        let mut extras: Vec<String> = self.nameless().into_iter().collect();
        for input in &self.inputs {
            let own = input.source.extras()?.into_iter();
            extras.extend(own.map(|what| format!("{}: {what}", input.place)));
        }
        if let Some(table) = readable(self.appended_annotations())?.flatten() {
            let columns = table.dropped().iter();
            extras.extend(columns.map(|column| {
                let name = &column.name;
                format!("column {name:?} of the {}, which differs between the matrices", self.axis)
            }));
        }
        let shared = readable(self.differing())?.map_or(&[][..], |found| &found.columns);
        extras.extend(shared.iter().map(|name| {
            format!("column {name:?} of the {}, which differs between the matrices", self.other())
        }));
        extras.extend(self.columns_of_some()?);
        let kept = self.metadata();
        extras.extend(self.collect_of(|source| {
            let mut metadata = source.metadata();
            metadata.keys.retain(|pair| !kept.keys.contains(pair));
            metadata.attributes.retain(|pair| !kept.attributes.contains(pair));
            metadata.file.retain(|pair| !kept.file.contains(pair));
            metadata.named()
        }));
        Ok(extras)
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = self.collect_of(|source| source.notes());
        notes.extend(self.note_on_labels());
        notes
    }
}

impl Concat {
    /// Lists the columns of the annotations along the axis that are dropped because some matrices have no annotations.
    fn columns_of_some(&self) -> Result<Vec<String>> {
        let (mut columns, mut without) = (Vec::new(), None);
        for input in self.inputs.iter().filter(|input| input.len(self.axis) > 0) {
            match readable(input.source.annotations(self.axis))?.flatten() {
                Some(table) if !table.columns().is_empty() => {
                    let names = table.columns().iter().map(|column| &column.name);
                    columns.extend(names.map(|name| (name.clone(), &input.place)));
                }
                _ => without = Some(&input.place),
            }
        }
        let Some(without) = without else { return Ok(Vec::new()) };
        let dropped = columns.into_iter().map(|(name, place)| {
            format!("column {name:?} of the {} of {place}, because {without} has none", self.axis)
        });
        Ok(dropped.collect())
    }

    /// Concatenates the annotations of the axis; `None` if a matrix has none.
    fn appended_annotations(&self) -> Result<Option<Appended<'_>>> {
        let mut tables = Vec::new();
        for input in &self.inputs {
            let table = input.source.annotations(self.axis);
            match table.map_err(|error| error.with_context(&input.place))? {
                Some(table) => tables.push(table),
                None => return Ok(None),
            }
        }
        Ok(Some(Appended::new(tables, Join::Inner)))
    }

    /// Collects the descriptions of all matrices.
    fn collect_of(&self, of: impl Fn(&dyn MatrixSource) -> Vec<String>) -> Vec<String> {
        let inputs = self.inputs.iter();
        let described = inputs.flat_map(|input| {
            of(&*input.source).into_iter().map(move |what| format!("{}: {what}", input.place))
        });
        described.collect()
    }
}

//! Names and annotations of rows and columns.

use nnz::annotations::{Categorical, Categories, Column, ColumnValues};
use nnz::matrix::{Bint8, StringList};
use nnz::{Axis, Context, Error, MatrixSource, Rounding, ValueType, Values};

use crate::args::Args;
use crate::error::Failure;
use crate::read::reals;
use crate::sources::of;
use crate::task::{self, Limits};
use crate::value::{Value, real};

/// Returns the names of an axis, or `NULL`.
pub(crate) fn names(args: &Args<'_>) -> Result<Value, Failure> {
    let (matrix, axis) = (of(args, 0)?.matrix, args.axis(1)?);
    let names = task::run(Limits::default(), move |context| read_names(&*matrix, axis, context))?;
    Ok(names.map_or(Value::Null, Value::Names))
}

/// Reads all names of an axis until it is cancelled.
fn read_names(
    matrix: &dyn MatrixSource,
    axis: Axis,
    context: &Context,
) -> nnz::Result<Option<StringList>> {
    /// The number of names between checks for cancellation.
    const STEP: u64 = 4096;
    let Some(mut names) = matrix.read_names(axis)? else { return Ok(None) };
    let mut list = StringList::new();
    while let Some(name) = names.next_string()? {
        if list.len().is_multiple_of(STEP) {
            context.check()?;
        }
        list.try_push(name)?;
    }
    Ok(Some(list))
}

/// Returns the positions of names on an axis. What is not a name is looked up in the annotations.
pub(crate) fn find_names(args: &Args<'_>) -> Result<Value, Failure> {
    let (source, axis) = (of(args, 0)?, args.axis(1)?);
    let mut wanted = StringList::new();
    for name in args.texts(2)? {
        wanted.try_push(name.as_bytes())?;
    }
    let found = task::run(Limits::default(), move |_| {
        let found = source.names.find(&*source.matrix, axis, &wanted);
        found.map_err(|error| error.with_context(&source.matrix.place()))
    })?;
    Ok(Value::Reals(found.into_iter().map(|position| real(position) + 1.0).collect()))
}

/// Returns the annotations of an axis: for each column a vector, or the codes of a factor, its levels and whether they are
/// ordered.
pub(crate) fn annotations(args: &Args<'_>) -> Result<Value, Failure> {
    let (matrix, axis) = (of(args, 0)?.matrix, args.axis(1)?);
    let columns = task::run(Limits::default(), move |context| {
        let Some(table) = matrix.annotations(axis)? else { return Ok(Vec::new()) };
        let read = |(number, name): (usize, String)| {
            context.check()?;
            let column = column(table.read_column(number, context.memory())?);
            Ok((name.clone(), column.map_err(|what| unsupported(&*matrix, &name, what))?))
        };
        let names: Vec<String> = table.columns().iter().map(|info| info.name.clone()).collect();
        names.into_iter().enumerate().map(read).collect()
    })?;
    Ok(Value::List(columns))
}

fn unsupported(matrix: &dyn MatrixSource, column: &str, what: String) -> Error {
    let mut place = matrix.place();
    place.array = Some(column.to_owned());
    Error::unsupported(place, what)
}

/// Converts a column; the error describes a value that R cannot have.
fn column(column: Column) -> Result<Value, String> {
    let missing = column.missing;
    let is_missing = |at: usize| missing.as_ref().is_some_and(|all| all.get(at) == Some(&true));
    match column.values {
        ColumnValues::Numbers(values) => numbers(values, &is_missing),
        ColumnValues::Strings(list) => Ok(Value::Texts(texts(&list, &is_missing))),
        ColumnValues::Categorical(Categorical { codes, categories, ordered }) => {
            let levels = match categories {
                Categories::Strings(list) => Value::Texts(texts(&list, &|_| false)),
                Categories::Numbers(values) => numbers(values, &|_| false)?,
            };
            let codes = codes.into_iter().enumerate().map(|(at, code)| match code.checked_add(1) {
                Some(code) if code > 0 && !is_missing(at) => code,
                _ => i32::MIN,
            });
            let members = [
                ("codes".to_owned(), Value::Integers(codes.collect())),
                ("levels".to_owned(), levels),
                ("ordered".to_owned(), Value::flag(ordered)),
            ];
            Ok(Value::Object("nnz_factor", members.into()))
        }
    }
}

fn texts(list: &StringList, is_missing: &dyn Fn(usize) -> bool) -> Vec<Option<String>> {
    let text = |(at, bytes): (usize, &[u8])| {
        (!is_missing(at)).then(|| String::from_utf8_lossy(bytes).into_owned())
    };
    list.iter().enumerate().map(text).collect()
}

/// Converts numbers: booleans to logical values, what fits to integers, and the rest exactly to numbers.
pub(crate) fn numbers(values: Values, is_missing: &dyn Fn(usize) -> bool) -> Result<Value, String> {
    match &values {
        Values::Bint8(truths) => {
            let truth = |(at, truth): (usize, &Bint8)| {
                (!is_missing(at)).then_some(*truth != Bint8::default())
            };
            return Ok(Value::Flags(truths.iter().enumerate().map(truth).collect()));
        }
        values if values.value_type().is_integer() => {
            let mut cast = Values::new(ValueType::I32);
            let is_exact = values.cast_into(ValueType::I32, Rounding::Refused, &mut cast).is_ok();
            // The smallest one is NA in R.
            if let (true, Values::I32(integers)) = (is_exact, cast)
                && !integers.contains(&i32::MIN)
            {
                let value =
                    |(at, value): (usize, i32)| if is_missing(at) { i32::MIN } else { value };
                return Ok(Value::Integers(integers.into_iter().enumerate().map(value).collect()));
            }
        }
        _ => {}
    }
    let mut numbers = reals(values, 0)
        .map_err(|error| format!("{} cannot be stored exactly as a number of R", error.found))?;
    for (at, number) in numbers.iter_mut().enumerate() {
        if is_missing(at) {
            *number = na_real();
        }
    }
    Ok(Value::Reals(numbers))
}

/// R's NA: a NaN with the payload 1954.
pub(crate) fn na_real() -> f64 {
    f64::from_bits(0x7FF0_0000_0000_07A2)
}

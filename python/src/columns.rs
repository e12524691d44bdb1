//! Names and annotations as lists and arrays.

use nnz::Context;
use nnz::annotations::{
    AnnotationTable, Annotations, Categorical, Categories, Column, ColumnInfo, ColumnType,
    ColumnValues,
};
use nnz::matrix::StringList;
use nnz::{Axis, MatrixSource};
use numpy::IntoPyArray as _;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};

use crate::arrays::{from_values, to_values, truths, vector};
use crate::error::{OrRaise as _, argument};

/// A column: its name, `number`, `string` or `categorical`, values, mask of missing values, categories, and
/// whether these are ordered.
type Parts<'py> =
    (String, String, Bound<'py, PyAny>, Option<Bound<'py, PyAny>>, Option<Bound<'py, PyAny>>, bool);

/// Creates a list of strings. Bytes that are not UTF-8 become surrogates, as in file names.
pub(crate) fn from_strings<'py>(
    py: Python<'py>,
    list: &StringList,
) -> PyResult<Bound<'py, PyList>> {
    let made = PyList::empty(py);
    for bytes in list.iter() {
        made.append(text(py, bytes)?)?;
    }
    Ok(made)
}

fn text<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(PyString::new(py, text).into_any()),
        Err(_) => {
            let bytes = pyo3::types::PyBytes::new(py, bytes);
            bytes.call_method1("decode", ("utf-8", "surrogateescape"))
        }
    }
}

/// Converts a list of strings.
pub(crate) fn to_strings(list: &Bound<'_, PyAny>) -> PyResult<StringList> {
    let mut strings = StringList::new();
    for text in list.try_iter()? {
        let text = text?;
        let text = text.cast::<PyString>()?;
        match text.to_str() {
            Ok(text) => strings.try_push(text.as_bytes()),
            Err(_) => {
                let bytes = text.call_method1("encode", ("utf-8", "surrogateescape"))?;
                strings.try_push(bytes.extract::<&[u8]>()?)
            }
        }
        .or_raise(list.py())?;
    }
    Ok(strings)
}

/// Reads columns of a table, all or those with the names in `wanted`, before they are converted for Python. It can be
/// cancelled between columns.
pub(crate) fn read(
    table: &dyn Annotations,
    wanted: Option<&[String]>,
    context: &Context,
) -> nnz::Result<Vec<(String, Column)>> {
    let is_wanted = |info: &ColumnInfo| wanted.is_none_or(|names| names.contains(&info.name));
    let columns = table.columns().iter().enumerate().filter(|(_, info)| is_wanted(info));
    let read = |(number, info): (usize, &ColumnInfo)| {
        context.check()?;
        Ok((info.name.clone(), table.read_column(number, context.memory())?))
    };
    columns.map(read).collect()
}

/// Reads all names of an axis until it is cancelled.
pub(crate) fn read_names(
    source: &dyn MatrixSource,
    axis: Axis,
    context: &Context,
) -> nnz::Result<Option<StringList>> {
    /// The number of names between checks for cancellation.
    const STEP: u64 = 4096;
    let Some(mut names) = source.read_names(axis)? else { return Ok(None) };
    let mut list = StringList::new();
    while let Some(name) = names.next_string()? {
        if list.len().is_multiple_of(STEP) {
            context.check()?;
        }
        list.try_push(name)?;
    }
    Ok(Some(list))
}

/// Converts a column.
pub(crate) fn from_column<'py>(
    py: Python<'py>,
    name: String,
    column: Column,
) -> PyResult<Parts<'py>> {
    let missing = column.missing.map(|missing| missing.into_pyarray(py).into_any());
    let kind = match column.values {
        ColumnValues::Numbers(_) => "number",
        ColumnValues::Strings(_) => "string",
        ColumnValues::Categorical(_) => "categorical",
    };
    let (values, categories, ordered) = match column.values {
        ColumnValues::Numbers(values) => (from_values(py, values, 0)?, None, false),
        ColumnValues::Strings(list) => (from_strings(py, &list)?.into_any(), None, false),
        ColumnValues::Categorical(Categorical { codes, categories, ordered }) => {
            let categories = match categories {
                Categories::Strings(list) => from_strings(py, &list)?.into_any(),
                Categories::Numbers(values) => from_values(py, values, 0)?,
            };
            (codes.into_pyarray(py).into_any(), Some(categories), ordered)
        }
    };
    Ok((name, kind.to_owned(), values, missing, categories, ordered))
}

/// Creates a table from columns as returned by [`from_column`].
pub(crate) fn to_table(names: StringList, columns: &Bound<'_, PyAny>) -> PyResult<AnnotationTable> {
    let py = columns.py();
    let mut made = Vec::new();
    for column in columns.try_iter()? {
        let (name, kind, values, missing, categories, ordered): Parts<'_> = column?.extract()?;
        let missing = missing.map(|missing| truths(&missing).map(Iterator::collect)).transpose()?;
        let values = match (&*kind, categories) {
            ("number", None) => ColumnValues::Numbers(to_values(&values)?),
            ("string", None) => ColumnValues::Strings(to_strings(&values)?),
            ("categorical", Some(categories)) => {
                let categories = match categories.hasattr("dtype")? {
                    true => Categories::Numbers(to_values(&categories)?),
                    false => Categories::Strings(to_strings(&categories)?),
                };
                let codes = vector::<i32>(&values)?;
                ColumnValues::Categorical(Categorical { codes, categories, ordered })
            }
            _ => return Err(argument(py, format!("{name}: unknown kind of column {kind:?}"))),
        };
        made.push((name, Column { values, missing }));
    }
    AnnotationTable::new(names, made).or_raise(py)
}

/// Lists the columns of a table and their types.
pub(crate) fn infos(table: &dyn Annotations) -> Vec<(String, String)> {
    let column_type = |column_type: ColumnType| column_type.to_string();
    let columns = table.columns().iter();
    columns.map(|info| (info.name.clone(), column_type(info.column_type))).collect()
}

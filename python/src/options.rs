//! Options of writing a matrix, as in the command.

use std::path::PathBuf;
use std::sync::Arc;

use nnz::annotations::{Labels, NameList, read_names, read_table};
use nnz::engine::Reordering;
use nnz::formats::values::{Dialect, parse_daphne_type};
use nnz::formats::{FormatOptions, Registry};
use nnz::frames::FrameOptions;
use nnz::output::{CellAxis, StructurePolicy};
use nnz::{Axis, Compression, ConvertOptions, Rounding, ValueType};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict};

use crate::columns::{to_strings, to_table};
use crate::error::{OrRaise as _, argument};
use crate::task::Limits;
use crate::{arrays, reading, source};

/// Returns the number of threads; `None` for all cores.
fn threads(py: Python<'_>, given: Option<&Bound<'_, PyAny>>) -> PyResult<Option<usize>> {
    const MOST: u64 = 1024;
    let Some(given) = given.filter(|given| !given.is_none()) else {
        return Ok(None);
    };
    let number = match given.cast::<PyBool>() {
        Ok(_) => None,
        // Larger numbers do not fit.
        Err(_) => match given.extract::<u64>() {
            Ok(number) => Some(number),
            Err(_) => given.gt(MOST).ok().filter(|more| *more).map(|_| MOST),
        },
    };
    match number.map(|number| number.min(MOST)).map(usize::try_from) {
        Some(Ok(number @ 1..)) => Ok(Some(number)),
        _ => Err(argument(
            py,
            format!("threads {}: expected an integer of at least 1", given.repr()?),
        )),
    }
}

/// Parses a number of bytes, or a string such as `500M` or `4Gi`.
fn memory(py: Python<'_>, given: Option<&Bound<'_, PyAny>>) -> PyResult<Option<u64>> {
    let Some(given) = given.filter(|given| !given.is_none()) else { return Ok(None) };
    if let Ok(bytes) = given.extract::<u64>() {
        return Ok(Some(bytes));
    }
    let refused =
        |_| argument(py, format!("memory {given}: expected bytes, or a size such as \"500M\""));
    let text: String = given.extract().map_err(refused)?;
    let size = nnz::text::parse_size(&text);
    size.map(Some).map_err(|error| argument(py, format!("memory {text:?}: {error}")))
}

/// Parses the limits of an operation.
pub(crate) fn limits(
    py: Python<'_>,
    memory_limit: Option<&Bound<'_, PyAny>>,
    workers: Option<&Bound<'_, PyAny>>,
) -> PyResult<Limits> {
    Ok(Limits { memory: memory(py, memory_limit)?, threads: threads(py, workers)? })
}

/// Parses the limits among the options of writing.
pub(crate) fn limits_of(given: &Bound<'_, PyDict>) -> PyResult<Limits> {
    let [memory, threads] = [given.get_item("memory")?, given.get_item("threads")?];
    limits(given.py(), memory.as_ref(), threads.as_ref())
}

/// Returns a flag: a boolean of Python or NumPy.
pub(crate) fn flag(name: &str, value: &Bound<'_, PyAny>) -> PyResult<bool> {
    match value.extract() {
        Ok(flag) => Ok(flag),
        Err(_) => {
            let what = format!("{name} {}: expected True or False", value.repr()?);
            Err(argument(value.py(), what))
        }
    }
}

/// Returns a text.
pub(crate) fn text(name: &str, value: &Bound<'_, PyAny>) -> PyResult<String> {
    match value.extract() {
        Ok(text) => Ok(text),
        Err(_) => {
            let what = format!("{name} {}: expected a string", value.repr()?);
            Err(argument(value.py(), what))
        }
    }
}

/// Parses the options of a conversion from a location, and the options of reading it.
pub(crate) fn convert_location(
    given: &Bound<'_, PyDict>,
) -> PyResult<(ConvertOptions, reading::Reading)> {
    let (options, reading) = parse(given)?;
    Ok((reading.clone().of_conversion(options), reading))
}

/// Parses the options of writing what is open.
pub(crate) fn convert(given: &Bound<'_, PyDict>) -> PyResult<ConvertOptions> {
    let (options, reading) = parse(given)?;
    match reading.format.map(|_| reading::FROM_FORMAT).or_else(|| reading.options.names().next()) {
        None => Ok(options),
        Some(name) => {
            let what = format!("{} only applies to reading a file", name.replace('-', "_"));
            Err(argument(given.py(), what))
        }
    }
}

/// Returns the option that other packages call by another name.
fn meant(name: &str) -> Option<&'static str> {
    Some(match name {
        "compression" | "compressor" | "codec" => "compress",
        "overwrite" | "exist_ok" | "replace" | "mode" => "force",
        "dtype" | "value_type" | "data_type" => "type",
        "format" | "fmt" | "to_format" => "to",
        "n_threads" | "num_threads" | "n_jobs" | "workers" => "threads",
        "memory_limit" | "max_memory" | "memory_usage" => "memory",
        "storage_order" | "axis_order" => "order",
        "tmpdir" | "temp_directory" => "temp_dir",
        _ => return None,
    })
}

/// Parses the options of a conversion. Options that are not common to all formats belong to the
/// target format, or to reading the source.
fn parse(given: &Bound<'_, PyDict>) -> PyResult<(ConvertOptions, reading::Reading)> {
    let py = given.py();
    let mut reading = reading::Reading::default();
    let mut options = ConvertOptions::default();
    let mut of_format = FormatOptions::new();
    let [mut rows, mut cols] = [Labels::default(), Labels::default()];
    let limits = limits_of(given)?;
    let memory = || limits.memory.unwrap_or_else(nnz::engine::default_memory);
    for (name, value) in given {
        let name: String = name.extract()?;
        if value.is_none() || name == "memory" || name == "threads" {
            continue;
        }
        let text = || text(&name, &value);
        let flag = || flag(&name, &value);
        match &*name {
            "to" => {
                let found = Registry::default();
                let (format, implied) = found.parse_target(&text()?).or_raise(py)?;
                options.format = Some(format.info().name);
                for name in implied.names() {
                    of_format.set(name, implied.get(name).unwrap_or_default());
                }
            }
            "expand" if flag()? => options.structure = StructurePolicy::General,
            "expand" => {}
            "structure" => options.structure = structure(py, &text()?)?,
            "order" => options.order = Some(source::order(py, &text()?)?),
            "type" => options.value_type = Some(arrays::value_type(py, &text()?)?),
            "cell_axis" => options.cell_axis = cell_axis(py, &text()?)?,
            "profile" => {
                let name = text()?;
                let profile = name.parse();
                options.profile = Some(
                    profile.map_err(|error| argument(py, format!("profile {name:?}: {error}")))?,
                );
            }
            "reorder" => options.reorder = reorder(&value)?,
            "lossy" if flag()? => options.rounding = Rounding::Nearest,
            "lossy" => {}
            "duplicates" => options.duplicates = Some(source::duplicate_policy(py, &text()?)?),
            "compress" => options.compress = Some(compression(py, &text()?)?),
            "transpose" => options.transpose = flag()?,
            "row_names" => rows.names_from = Some(text()?),
            "col_names" => cols.names_from = Some(text()?),
            "make_unique" => {
                rows.make_unique = flag()?;
                cols.make_unique = rows.make_unique;
            }
            "row_names_file" => rows.names = Some(Arc::new(names_file(&value, memory())?)),
            "col_names_file" => cols.names = Some(Arc::new(names_file(&value, memory())?)),
            "row_annotations" => rows.table = Some(Arc::new(table(&value, memory())?)),
            "col_annotations" => cols.table = Some(Arc::new(table(&value, memory())?)),
            "force" => options.overwrite = flag()?,
            "strict" => options.strict = flag()?,
            "no_sync" => options.sync = !flag()?,
            // They are options of the source, and only apply to some operations.
            "types" | "from_dialect" => {
                return Err(argument(py, format!("{name} only applies to nnz.convert")));
            }
            "temp_dir" => {
                let what = "temp_dir: nnz.set_temporary_directory sets it for the process";
                return Err(argument(py, what));
            }
            _ => {
                let formats = nnz::formats::list();
                let known = formats.iter().flat_map(|format| format.options);
                let set = reading::set_of_some_format(known, (&name, &value), &mut of_format)?;
                if !set && !reading.set(&name, &value)? {
                    let meant = meant(&name).map(|own| format!("; did you mean {own}?"));
                    let what = format!("unknown option {name:?}{}", meant.unwrap_or_default());
                    return Err(argument(py, what));
                }
            }
        }
    }
    let options = options.format_options(of_format);
    Ok((options.row_labels(rows).col_labels(cols), reading))
}

/// Options of the source of a conversion that may be a table.
pub(crate) struct TableReading {
    /// The types of the columns of a text.
    pub(crate) types: Option<Vec<ValueType>>,
    /// The dialect of DAPHNE.
    pub(crate) from_dialect: Option<Dialect>,
}

/// Parses the name of a dialect of a source, which an option has.
pub(crate) fn dialect(
    py: Python<'_>,
    option: &str,
    name: Option<String>,
) -> PyResult<Option<Dialect>> {
    let parse = |text: String| {
        let dialect = text.parse::<Dialect>();
        dialect.map_err(|error| argument(py, format!("{option} {text:?}: {error}")))
    };
    name.map(parse).transpose()
}

/// Parses the options of a source: names of types, as in NumPy, DAPHNE or the command, and of a dialect.
pub(crate) fn reading(
    py: Python<'_>,
    (types, from_dialect): (Option<Vec<String>>, Option<String>),
) -> PyResult<TableReading> {
    let value_type = |name: &String| match parse_daphne_type(name) {
        Some(found) => Ok(found),
        None => arrays::value_type(py, name),
    };
    let types = types.map(|types| types.iter().map(value_type).collect::<PyResult<Vec<_>>>());
    let from_dialect = dialect(py, "from_dialect", from_dialect)?;
    Ok(TableReading { types: types.transpose()?, from_dialect })
}

/// Options that apply to tables.
const OF_TABLES: [&str; 10] =
    ["block", "dialect", "force", "lossy", "memory", "meta", "no_sync", "strict", "threads", "to"];

/// Parses the options of writing a table.
pub(crate) fn frame(given: &Bound<'_, PyDict>) -> PyResult<FrameOptions> {
    let options = convert(given)?;
    for (name, value) in given {
        let name: String = name.extract()?;
        if !value.is_none() && value.is_truthy()? && !OF_TABLES.contains(&&*name) {
            let what = format!("{name} applies to matrices and tensors, not to tables");
            return Err(argument(given.py(), what));
        }
    }
    let mut frame = FrameOptions::default()
        .format_options(options.format_options)
        .rounding(options.rounding)
        .overwrite(options.overwrite)
        .sync(options.sync);
    frame.format = options.format;
    Ok(frame)
}

/// Reads a table: the path of a file, or names and columns.
pub(crate) fn table(
    given: &Bound<'_, PyAny>,
    memory: u64,
) -> PyResult<nnz::annotations::AnnotationTable> {
    if let Ok((names, columns)) = given.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>() {
        return to_table(to_strings(&names)?, &columns);
    }
    let (py, path) = (given.py(), given.extract::<PathBuf>()?);
    py.detach(|| read_table(path, memory / 4)).or_raise(py)
}

/// Reads a file of names.
fn names_file(given: &Bound<'_, PyAny>, memory: u64) -> PyResult<NameList> {
    let (py, path) = (given.py(), given.extract::<PathBuf>()?);
    py.detach(|| read_names(path, memory / 4)).or_raise(py)
}

fn structure(py: Python<'_>, name: &str) -> PyResult<StructurePolicy> {
    match name {
        "auto" => Ok(StructurePolicy::Auto),
        "general" => Ok(StructurePolicy::General),
        "keep" => Ok(StructurePolicy::Keep),
        _ => {
            let what = format!("structure {name:?}: expected \"auto\", \"general\" or \"keep\"");
            Err(argument(py, what))
        }
    }
}

fn cell_axis(py: Python<'_>, name: &str) -> PyResult<CellAxis> {
    match name {
        "rows" => Ok(CellAxis::Axis(Axis::Rows)),
        "cols" => Ok(CellAxis::Axis(Axis::Cols)),
        "as-is" => Ok(CellAxis::AsIs),
        _ => {
            let what = format!("cell_axis {name:?}: expected \"rows\", \"cols\" or \"as-is\"");
            Err(argument(py, what))
        }
    }
}

/// Parses the orders of rows and columns, in a dictionary.
fn reorder(given: &Bound<'_, PyAny>) -> PyResult<[Reordering; 2]> {
    let py = given.py();
    let expected = "expected a dictionary with \"rows\" and \"cols\"";
    let refused = || argument(py, format!("reorder {given}: {expected}"));
    let mut orders = [Reordering::Unchanged, Reordering::Unchanged];
    let items = given.call_method0("items").map_err(|_| refused())?;
    for item in items.try_iter()? {
        let (axis, order): (String, Bound<'_, PyAny>) = item?.extract().map_err(|_| refused())?;
        let place = match &*axis {
            "rows" => &mut orders[0],
            "cols" => &mut orders[1],
            _ => return Err(refused()),
        };
        *place = match order.extract::<String>().as_deref() {
            _ if order.is_none() => Reordering::Unchanged,
            Ok("frequency") => Reordering::Frequency,
            Ok("original") => Reordering::Original,
            Ok(_) => {
                let what = "expected \"frequency\", \"original\" or a list of names";
                return Err(argument(py, format!("reorder {}: {what}", order.repr()?)));
            }
            Err(_) => {
                let names = to_strings(&order)?;
                Reordering::Listed(nnz::Selection::names(names.iter()))
            }
        };
    }
    Ok(orders)
}

/// Parses a compression.
pub(crate) fn compression(py: Python<'_>, text: &str) -> PyResult<Compression> {
    text.parse().map_err(|error| argument(py, format!("compress {text:?}: {error}")))
}

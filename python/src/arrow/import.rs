//! Reading a stream of another library as a table.

#![allow(unsafe_code, reason = "structures of C are read through pointers")]

use std::ffi::CStr;
use std::slice;
use std::sync::{Mutex, PoisonError};

use nnz::frames::{Column, FrameBatch, FrameReader};
use nnz::{Error, Place, Result, ValueType, Values};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use super::abi::{ArrowArray, ArrowArrayStream, ArrowSchema};
use super::column::format;
use super::stream::NAME;
use crate::error::{OrRaise as _, argument};

static TAKING: Mutex<()> = Mutex::new(());

/// The rows of a stream, which are read on demand.
pub(crate) struct StreamReader {
    stream: ArrowArrayStream,
    /// The types of the columns in the stream.
    types: Vec<ValueType>,
    columns: Vec<Column>,
    /// The number of rows read.
    rows: u64,
}

fn refused(what: impl Into<String>) -> Error {
    Error::unsupported(Place::default(), what)
}

impl StreamReader {
    /// Takes the stream out of a capsule, which is empty then.
    pub(crate) fn new(capsule: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = capsule.py();
        let Ok(capsule) = capsule.cast::<PyCapsule>() else {
            return Err(argument(py, "__arrow_c_stream__ did not return a capsule"));
        };
        let pointer = capsule.pointer_checked(Some(NAME))?.cast::<ArrowArrayStream>();
        // Without the GIL, two threads could take the same stream.
        let taking = TAKING.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: a capsule of that name has a pointer to a stream. Taking it leaves a released one.
        let stream = unsafe { pointer.replace(ArrowArrayStream::empty()) };
        drop(taking);
        if stream.release.is_none() {
            return Err(argument(py, "the Arrow stream has already been consumed"));
        }
        let mut reader = Self { stream, types: Vec::new(), columns: Vec::new(), rows: 0 };
        (reader.types, reader.columns) = reader.read_schema().or_raise(py)?.into_iter().unzip();
        Ok(reader)
    }

    fn read_schema(&mut self) -> Result<Vec<(ValueType, Column)>> {
        let Some(get_schema) = self.stream.get_schema else {
            return Err(refused("an Arrow stream without a schema"));
        };
        let mut schema = ArrowSchema::empty();
        // SAFETY: the stream is not released, and the schema is memory for one.
        let status = unsafe { get_schema(&raw mut self.stream, &raw mut schema) };
        self.check(status)?;
        // SAFETY: the schema was filled; its strings live as long as it does.
        let found = unsafe { text(schema.format) };
        if found != "+s" {
            return Err(refused(format!("an Arrow stream of the type {found:?} is not a table")));
        }
        let children = usize::try_from(schema.n_children).unwrap_or(0);
        let children = match children {
            0 => &[][..],
            // SAFETY: the schema has that many children.
            _ => unsafe { slice::from_raw_parts(schema.children, children) },
        };
        let column = |child: &*mut ArrowSchema| {
            // SAFETY: children of a schema that is not released are schemas.
            let (label, found, encoded) = unsafe {
                let child = &**child;
                (text(child.name), text(child.format), !child.dictionary.is_null())
            };
            let known = ValueType::ALL.iter().find(|known| format(**known) == Some(&*found));
            match known.filter(|_| !encoded) {
                // Booleans, which tables do not support, become 0 and 1.
                Some(ValueType::Bint8) => {
                    Ok((ValueType::Bint8, Column { label, value_type: ValueType::U8 }))
                }
                Some(&value_type) => Ok((value_type, Column { label, value_type })),
                None => {
                    let found = if encoded { "dictionary" } else { &*found };
                    let what =
                        format!("column {label:?}: tables do not support the Arrow type {found:?}");
                    Err(refused(what))
                }
            }
        };
        children.iter().map(column).collect()
    }

    /// Fails with the message of the stream.
    fn check(&mut self, status: i32) -> Result<()> {
        if status == 0 {
            return Ok(());
        }
        let message = match self.stream.get_last_error {
            // SAFETY: a call of the stream failed, and it is not released.
            Some(get_last_error) => unsafe { text(get_last_error(&raw mut self.stream)) },
            None => String::new(),
        };
        Err(refused(format!("the Arrow stream failed with error {status}: {message}")))
    }
}

impl FrameReader for StreamReader {
    fn columns(&self) -> &[Column] {
        &self.columns
    }

    fn next_batch(&mut self, batch: &mut FrameBatch) -> Result<bool> {
        loop {
            let Some(get_next) = self.stream.get_next else {
                return Err(refused("an Arrow stream without get_next"));
            };
            let mut array = ArrowArray::empty();
            // SAFETY: the stream is not released, and the array is memory for one.
            let status = unsafe { get_next(&raw mut self.stream, &raw mut array) };
            self.check(status)?;
            if array.release.is_none() {
                return Ok(false);
            }
            let length = usize::try_from(array.length)
                .map_err(|_| refused("a batch with a negative number of rows"))?;
            if length == 0 {
                continue;
            }
            if usize::try_from(array.n_children) != Ok(self.columns.len()) {
                return Err(refused("an Arrow batch whose columns do not match its schema"));
            }
            let mut columns = Vec::with_capacity(self.columns.len());
            for (at, (column, &found)) in self.columns.iter().zip(&self.types).enumerate() {
                // SAFETY: the array has that many children, which live as long as it does, and each has the buffers
                // of the type in the schema.
                let read = unsafe {
                    let child = &**array.children.add(at);
                    let offset = child.offset.saturating_add(array.offset);
                    if child.length < array.offset.saturating_add(array.length) {
                        let label = &column.label;
                        return Err(refused(format!("column {label:?} is shorter than its batch")));
                    }
                    let gone = missing(&array, array.offset, length);
                    if let Some(row) = gone.or(missing(child, offset, length)) {
                        let (row, label) = (self.rows + row as u64, &column.label);
                        let what = "is missing, which tables do not support";
                        return Err(refused(format!("column {label:?}: row {row} {what}")));
                    }
                    values(child, offset, length, found)
                };
                let Some(read) = read else {
                    return Err(refused(format!("column {:?} has no data buffer", column.label)));
                };
                columns.push(read);
            }
            let start = self.rows;
            self.rows += length as u64;
            *batch = FrameBatch { rows: start..self.rows, columns };
            return Ok(true);
        }
    }
}

/// Reads a C string; empty if it is null.
///
/// # Safety
///
/// It is null or terminated by a zero.
unsafe fn text(pointer: *const std::ffi::c_char) -> String {
    if pointer.is_null() {
        return String::new();
    }
    // SAFETY: as above.
    unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned()
}

/// Returns a buffer, which may be null.
///
/// # Safety
///
/// The array is not released.
unsafe fn buffer(array: &ArrowArray, at: usize) -> *const u8 {
    if usize::try_from(array.n_buffers).is_ok_and(|count| at < count) {
        // SAFETY: the array has as many buffers as it says.
        return unsafe { *array.buffers.add(at) }.cast();
    }
    std::ptr::null()
}

/// Returns the first missing value.
///
/// # Safety
///
/// The array is not released, and has that many values after the offset.
unsafe fn missing(array: &ArrowArray, offset: i64, length: usize) -> Option<usize> {
    // SAFETY: as above.
    let valid = unsafe { buffer(array, 0) };
    if array.null_count == 0 || valid.is_null() {
        return None;
    }
    // SAFETY: there is a bit for each value.
    (0..length).find(|at| !unsafe { bit(valid, offset, *at) })
}

/// # Safety
///
/// The buffer has a bit at the offset and `count` more.
unsafe fn bit(buffer: *const u8, offset: i64, at: usize) -> bool {
    let at = usize::try_from(offset).unwrap_or(0) + at;
    // SAFETY: as above.
    unsafe { *buffer.add(at / 8) >> (at % 8) & 1 == 1 }
}

/// Copies values; `None` if there is no buffer.
///
/// # Safety
///
/// The array is not released, has this type, and has that many values after the offset.
unsafe fn values(
    array: &ArrowArray,
    offset: i64,
    length: usize,
    value_type: ValueType,
) -> Option<Values> {
    // SAFETY: as above.
    let data = unsafe { buffer(array, 1) };
    if data.is_null() {
        return None;
    }
    if value_type == ValueType::Bint8 {
        // SAFETY: there is a bit for each value.
        let truth = (0..length).map(|at| u8::from(unsafe { bit(data, offset, at) }));
        return Some(Values::U8(truth.collect()));
    }
    let mut values = Values::new(value_type);
    let bytes = values.resize_bytes(length);
    let first = usize::try_from(offset).unwrap_or(0) * value_type.size();
    // SAFETY: there are that many bytes after the offset, at least one.
    bytes.copy_from_slice(unsafe { slice::from_raw_parts(data.add(first), bytes.len()) });
    Some(values)
}

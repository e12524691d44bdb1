//! Exporting a stream for other libraries.

#![allow(unsafe_code, reason = "functions of C fill and free what they are given pointers to")]

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr::{null, null_mut};

use nnz::{Error, Result};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use super::abi::{ArrowArray, ArrowArrayStream, ArrowSchema};
use super::column::{ArrayData, Buffer, Field};
use crate::error::OrRaise as _;

/// The name of capsules of streams.
pub(super) const NAME: &CStr = c"arrow_array_stream";

/// The error code of an I/O error.
const EIO: c_int = 5;

/// Reads rows in batches; `None` at the end.
pub(crate) type Batches = Box<dyn FnMut() -> Result<Option<ArrayData>> + Send>;

/// Creates a capsule with a stream of rows. Batches are read on demand.
pub(crate) fn export(
    py: Python<'_>,
    rows: Field,
    batches: Batches,
) -> PyResult<Bound<'_, PyCapsule>> {
    let rows = CField::new(&rows).or_raise(py)?;
    let private = Box::new(Private { rows, batches, failed: None });
    let stream = ArrowArrayStream {
        get_schema: Some(get_schema),
        get_next: Some(get_next),
        get_last_error: Some(get_last_error),
        release: Some(release_stream),
        private_data: Box::into_raw(private).cast(),
    };
    PyCapsule::new_with_value(py, stream, NAME)
}

/// A field with C strings.
struct CField {
    name: CString,
    format: CString,
    flags: i64,
    children: Vec<CField>,
    dictionary: Option<Box<CField>>,
}

impl CField {
    fn new(field: &Field) -> Result<Self> {
        let text = |text: &str| {
            let refused = |_| {
                Error::argument(format!(
                    "column {text:?}: NUL in a name, which Arrow does not support"
                ))
            };
            CString::new(text).map_err(refused)
        };
        let children = field.children.iter().map(Self::new).collect::<Result<_>>()?;
        let dictionary = field.dictionary.as_deref().map(Self::new).transpose()?.map(Box::new);
        let (name, format) = (text(&field.name)?, text(field.format)?);
        Ok(Self { name, format, flags: field.flags, children, dictionary })
    }
}

/// The private data of a stream.
struct Private {
    rows: CField,
    batches: Batches,
    failed: Option<CString>,
}

unsafe extern "C" fn get_schema(stream: *mut ArrowArrayStream, out: *mut ArrowSchema) -> c_int {
    // SAFETY: the caller passes a stream from `export` that is not released, and memory for a schema.
    unsafe {
        let private = &*(*stream).private_data.cast::<Private>();
        out.write(schema(&private.rows));
    }
    0
}

unsafe extern "C" fn get_next(stream: *mut ArrowArrayStream, out: *mut ArrowArray) -> c_int {
    // SAFETY: as in `get_schema`, for an array.
    unsafe {
        let private = &mut *(*stream).private_data.cast::<Private>();
        let made = match (private.batches)() {
            Ok(Some(data)) => array(data),
            // A released array marks the end of the stream.
            Ok(None) => ArrowArray::empty(),
            Err(error) => {
                let text = error.to_string().replace('\0', " ");
                private.failed = CString::new(text).ok();
                return EIO;
            }
        };
        out.write(made);
    }
    0
}

unsafe extern "C" fn get_last_error(stream: *mut ArrowArrayStream) -> *const c_char {
    // SAFETY: as in `get_schema`.
    let private = unsafe { &*(*stream).private_data.cast::<Private>() };
    private.failed.as_ref().map_or(null(), |text| text.as_ptr())
}

unsafe extern "C" fn release_stream(stream: *mut ArrowArrayStream) {
    // SAFETY: as in `get_schema`; it is called once, and `private_data` came from a box.
    unsafe {
        drop(Box::from_raw((*stream).private_data.cast::<Private>()));
        (*stream).release = None;
        (*stream).private_data = null_mut();
    }
}

/// The private data of a schema. It owns its strings, since a schema can outlive the stream.
struct SchemaParts {
    name: CString,
    format: CString,
    children: Vec<*mut ArrowSchema>,
    dictionary: *mut ArrowSchema,
}

fn schema(field: &CField) -> ArrowSchema {
    let boxed = |field: &CField| Box::into_raw(Box::new(schema(field)));
    let mut parts = Box::new(SchemaParts {
        name: field.name.clone(),
        format: field.format.clone(),
        children: field.children.iter().map(boxed).collect(),
        dictionary: field.dictionary.as_deref().map_or(null_mut(), boxed),
    });
    ArrowSchema {
        format: parts.format.as_ptr(),
        name: parts.name.as_ptr(),
        metadata: null(),
        flags: field.flags,
        n_children: count(parts.children.len()),
        children: parts.children.as_mut_ptr(),
        dictionary: parts.dictionary,
        release: Some(release_schema),
        private_data: Box::into_raw(parts).cast(),
    }
}

unsafe extern "C" fn release_schema(schema: *mut ArrowSchema) {
    // SAFETY: it is called once, on a schema from `schema`. Children are separate boxes, whose `release` is null if
    // the caller moved them.
    unsafe {
        let parts = Box::from_raw((*schema).private_data.cast::<SchemaParts>());
        for &child in
            parts.children.iter().chain([&parts.dictionary]).filter(|child| !child.is_null())
        {
            drop(Box::from_raw(child));
        }
        (*schema).release = None;
        (*schema).private_data = null_mut();
    }
}

/// The private data of an array.
struct ArrayParts {
    /// The memory of the pointers.
    _buffers: Vec<Option<Buffer>>,
    pointers: Vec<*const c_void>,
    children: Vec<*mut ArrowArray>,
    dictionary: *mut ArrowArray,
}

fn array(data: ArrayData) -> ArrowArray {
    let boxed = |data: ArrayData| Box::into_raw(Box::new(array(data)));
    let pointer = |buffer: &Option<Buffer>| match buffer {
        Some(buffer) => buffer.as_ptr().cast::<c_void>(),
        None => null(),
    };
    let mut parts = Box::new(ArrayParts {
        pointers: data.buffers.iter().map(pointer).collect(),
        _buffers: data.buffers,
        children: data.children.into_iter().map(boxed).collect(),
        dictionary: data.dictionary.map_or(null_mut(), |dictionary| boxed(*dictionary)),
    });
    ArrowArray {
        length: count(data.length),
        null_count: count(data.nulls),
        offset: 0,
        n_buffers: count(parts.pointers.len()),
        n_children: count(parts.children.len()),
        buffers: parts.pointers.as_mut_ptr(),
        children: parts.children.as_mut_ptr(),
        dictionary: parts.dictionary,
        release: Some(release_array),
        private_data: Box::into_raw(parts).cast(),
    }
}

unsafe extern "C" fn release_array(array: *mut ArrowArray) {
    // SAFETY: as in `release_schema`.
    unsafe {
        let parts = Box::from_raw((*array).private_data.cast::<ArrayParts>());
        for &child in
            parts.children.iter().chain([&parts.dictionary]).filter(|child| !child.is_null())
        {
            drop(Box::from_raw(child));
        }
        (*array).release = None;
        (*array).private_data = null_mut();
    }
}

/// Returns the length of buffers in memory.
fn count(len: usize) -> i64 {
    i64::try_from(len).unwrap_or(i64::MAX)
}

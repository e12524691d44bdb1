//! Writing one variable to a file of version 7.3.

mod dense;
mod sparse;

use std::path::Path;

use nnz_container::Compression;
use nnz_core::{Header, MatrixSink, Order, Place, Result, SinkCapabilities, Storage, ValueType};
use nnz_hdf5::{
    CharacterSet, ElementType, Field, FileChange, FileOptions, FileWriter, ObjectId, StringPadding,
    Value,
};
use nnz_storage::staging::{StagedFile, WriteOptions};

use super::v73::{CLASS, HEADER, INT_DECODE};
use crate::matlab::Class;

/// Returns what a sparse matrix can store, for values of a type: MATLAB has sparse matrices of booleans,
/// doubles and complex doubles.
#[must_use]
pub fn sparse_capabilities(value_type: ValueType) -> SinkCapabilities {
    let types: &'static [ValueType] = match value_type {
        ValueType::Bint8 => &[ValueType::Bint8],
        complex if complex.is_complex() => &[ValueType::ComplexF64],
        _ => &[ValueType::F64],
    };
    SinkCapabilities::new(&[Order::Col], types).unique(true)
}

/// Capabilities of a dense array as a target.
pub const DENSE_CAPABILITIES: SinkCapabilities =
    SinkCapabilities::new(&[Order::Col], ValueType::ALL).fill(true).unique(true).dense(true);

/// The size of the user block.
const USER_BLOCK: usize = 512;

/// The size of the text of the header.
const TEXT: usize = 116;

/// Elements of a chunk.
const CHUNK: u32 = 1 << 16;

/// Options for writing a file.
#[derive(Clone, Debug)]
pub struct SinkOptions {
    /// The name of the variable.
    pub name: String,
    /// Whether it is added to an existing file, whose other variables are kept.
    pub add: bool,
    /// The compression: gzip or none.
    pub compress: Compression,
    /// The number of threads that compress.
    pub threads: usize,
}

/// Creates a file with one variable, or adds one to a file, which has the shape, order, storage and value type of `header`.
///
/// # Errors
///
/// Fails if the target must not be replaced or cannot be written, or if the compression is not
/// supported by MATLAB.
pub fn create(
    path: &Path,
    header: &Header,
    write: WriteOptions,
    options: &SinkOptions,
) -> Result<Box<dyn MatrixSink>> {
    options.compress.gzip_level("MAT-files")?;
    let file_options = FileOptions { threads: options.threads, track_order: false };
    let file = match options.add {
        true => FileChange::add(path, &[&options.name], write, (file_options, false))?.0,
        false => FileWriter::create_with_user_block(path, &user_block(), write, file_options)?,
    };
    let place = Place::array(path, &*options.name);
    match header.storage {
        Storage::Sparse => sparse::create(file, header, options, place),
        Storage::Dense => dense::create(file, header, options, place),
    }
}

/// Returns the header of the file: text, the offset of the subsystem data, the version, and the byte
/// order.
fn user_block() -> Vec<u8> {
    let mut text = HEADER.to_vec();
    text.extend(format!(", Created by: nnz {} HDF5", env!("CARGO_PKG_VERSION")).bytes());
    text.resize(TEXT, b' ');
    text.extend([0; 8]);
    text.extend([0x00, 0x02]); // 0x0200
    text.extend(b"IM");
    text.resize(USER_BLOCK, 0);
    text
}

/// Writes the class of an object.
fn describe(
    file: &mut FileWriter<StagedFile>,
    object: ObjectId,
    value_type: ValueType,
) -> Result<()> {
    let class = match value_type {
        ValueType::ComplexF64 => ValueType::F64,
        ValueType::ComplexF32 => ValueType::F32,
        other => other,
    };
    let name = Class::Number(class).name();
    let name = Value::fixed_text(name, StringPadding::NullTerminated, CharacterSet::Ascii)?;
    file.set_attribute(object, CLASS, name)?;
    if class == ValueType::Bint8 {
        file.set_attribute(object, INT_DECODE, Value::number(1_i32))?;
    }
    Ok(())
}

/// Returns the type of stored elements, and the size of their parts.
fn element(value_type: ValueType) -> (ElementType, usize) {
    let complex = |part: ValueType| {
        let field =
            |name: &str| Field { name: name.to_owned(), element: ElementType::Number(part) };
        (ElementType::Compound(vec![field("real"), field("imag")]), part.size())
    };
    match value_type {
        ValueType::ComplexF64 => complex(ValueType::F64),
        ValueType::ComplexF32 => complex(ValueType::F32),
        ValueType::Bint8 => (ElementType::Number(ValueType::U8), 1),
        other => (ElementType::Number(other), other.size()),
    }
}

/// Appends elements in native byte order, whose parts have `size` bytes.
fn append(
    file: &mut FileWriter<StagedFile>,
    dataset: ObjectId,
    bytes: &[u8],
    size: usize,
) -> Result<()> {
    if cfg!(target_endian = "big") && size > 1 {
        let mut little = bytes.to_vec();
        little.chunks_exact_mut(size).for_each(<[u8]>::reverse);
        return file.append(dataset, &little);
    }
    file.append(dataset, bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_user_block_is_a_header() {
        let block = user_block();
        assert_eq!(block.len(), 512);
        assert!(block.starts_with(b"MATLAB 7.3 MAT-file, Created by: nnz "));
        assert_eq!(block[115], b' '); // text
        assert_eq!(block[116..124], [0; 8]); // no subsystem data
        assert_eq!(block[124..128], *b"\x00\x02IM"); // version 0x0200, little-endian
        assert_eq!(block[128..], [0; 384]);
    }
}

//! Binsparse tensors from and to plain NumPy arrays.
//!
//! A tensor is three `.npy` files: all elements, a mask of the stored elements, and the fill value.

mod promote;

use crate::Context;
use std::path::{Path, PathBuf};

use nnz_binsparse::{EntryReader, Tensor, Version};
use nnz_container::CreateOptions;
use nnz_container::npy::{NdArray, read_array_from, write_array};
use nnz_core::{Error, ErrorKind, Place, Result, Rounding, Scalar, Structure, ValueType, Values};
use nnz_storage::staging::WriteOptions;
use nnz_storage::{InputFile, Opened};

use crate::container_target::{ContainerTarget, DirectoryKind};
use crate::formats::{Binsparse, Format as _};
use crate::{Location, OpenOptions};
use promote::promoted;

/// The files of a tensor.
#[derive(Clone, Debug)]
pub struct TensorArrays {
    /// All elements.
    pub tensor: PathBuf,
    /// The mask of the stored elements: booleans.
    pub pattern: PathBuf,
    /// The fill value: one element.
    pub fill: PathBuf,
}

/// Maximum length of a descriptor in bytes.
const LONGEST_HEADER: u64 = 1 << 20;

/// Writes the stored elements of a tensor according to a descriptor, as
/// [`write_with_descriptor`](nnz_binsparse::write_with_descriptor) does. `header` is a file with that descriptor. If
/// the type of the values does not hold the fill value, the values get the promoted type of NumPy.
///
/// # Errors
///
/// Fails if an array cannot be read or takes more memory than the context allows, if it does not match
/// the descriptor, or if the target cannot be written. Nothing is written then.
pub fn from_arrays(
    arrays: &TensorArrays,
    header: &Path,
    to: &Location,
    write: WriteOptions,
    context: &Context,
) -> Result<()> {
    let context = &context.operation();
    let description = open_file(header, context)?.read_all(LONGEST_HEADER)?;
    let description = String::from_utf8(description)
        .map_err(|error| Error::mismatch(Place::path(header), error.utf8_error(), "UTF-8"))?;
    let home = home(to, write, context)?;
    // The arrays, and as much again for the coordinates of entries.
    let read = |path| read_array_from(&open_file(path, context)?, context.memory() / 4);
    let elements = read(&arrays.tensor)?;
    let pattern = read(&arrays.pattern)?;
    let fill = read(&arrays.fill)?;
    let only = fill.values.get(0).filter(|_| fill.values.len() == Some(1));
    let Some(fill) = only else {
        let found = format!("the shape {:?}", fill.shape);
        return Err(Error::mismatch(Place::path(&arrays.fill), found, "one value"));
    };
    if pattern.shape != elements.shape {
        let (found, expected) = (format!("{:?}", pattern.shape), format!("{:?}", elements.shape));
        return Err(Error::mismatch(Place::path(&arrays.pattern), found, expected));
    }
    let Values::Bint8(stored) = &pattern.values else {
        let found = format!("elements of type {}", pattern.values.value_type());
        return Err(Error::mismatch(Place::path(&arrays.pattern), found, "booleans"));
    };
    let stored = stored.iter().map(|truth| truth.0 != 0);
    let tensor = promoted_with_fill(entries(elements, stored, fill));
    let mut writer = home.writer(&[])?;
    nnz_binsparse::write_with_descriptor(&mut writer, &tensor, &description)
        .map_err(|error| error.with_context(&Place::path(header)))?;
    writer.finish().map(drop)
}

/// Opens a file in the storage of the context.
fn open_file(path: &Path, context: &Context) -> Result<InputFile> {
    match Opened::new(context, path)? {
        Opened::File(file) => Ok(file),
        other => {
            Err(Error::mismatch(Place::path(other.path()), "a directory or special file", "a file"))
        }
    }
}

/// Lists the stored elements.
fn entries(elements: NdArray, stored: impl Iterator<Item = bool>, fill: Scalar) -> Tensor {
    let NdArray { shape, values: all } = elements;
    let mut values = Values::new(all.value_type());
    let mut coordinates = vec![Vec::new(); shape.len()];
    let mut index = vec![0; shape.len()];
    for (element, stored) in stored.enumerate() {
        if let Some(value) = all.get(element).filter(|_| stored) {
            values.push(value);
            for (list, &at) in coordinates.iter_mut().zip(&index) {
                list.push(at);
            }
        }
        for (at, &extent) in index.iter_mut().zip(&shape).rev() {
            *at += 1;
            if *at < extent {
                break;
            }
            *at = 0;
        }
    }
    Tensor { shape, coordinates, values, structure: Structure::General, fill: Some(fill) }
}

/// Casts values to a type that holds the fill value as well, if their own does not and there is one.
fn promoted_with_fill(tensor: Tensor) -> Tensor {
    let (own, fill) = (tensor.value_type(), tensor.background());
    let holds = |value_type| fill.cast(value_type, Rounding::Refused).is_ok();
    let both = promoted(own, fill.value_type());
    let mut values = Values::new(both);
    let suits = !holds(own)
        && holds(both)
        && tensor.values.cast_into(both, Rounding::Refused, &mut values).is_ok();
    if suits { Tensor { values, ..tensor } } else { tensor }
}

/// Writes all elements of a tensor, the mask of the stored elements, and the fill value.
///
/// The types follow NumPy's type promotion of values and fill. If there is no fill, it is an
/// `int64` zero. `uint64` is kept then, as floats would not hold all of its values.
///
/// # Errors
///
/// Fails if the tensor cannot be read, is one triangle of a matrix, has more elements than fit into
/// the memory that the context allows, or if the targets cannot be written. None of them is written
/// then.
pub fn to_arrays(
    from: &Location,
    arrays: &TensorArrays,
    options: &OpenOptions,
    write: WriteOptions,
    context: &Context,
) -> Result<()> {
    let write = write.context(context.task().clone());
    let memory = context.memory();
    let place = from.source_place();
    let container = binsparse(from, options, context)?;
    let entries = EntryReader::open(&container).map_err(|error| error.with_context(&place))?;
    let descriptor = entries.descriptor();
    if descriptor.structure != Structure::General {
        let what = format!(
            "{} matrices store one triangle, which arrays do not support",
            descriptor.structure
        );
        let effect = "writes both triangles";
        return Err(Error::unsupported(place, what).with_hint("StructurePolicy::General", effect));
    }
    let own = entries.value_type();
    let fill = entries.stored_fill().unwrap_or(match own {
        ValueType::U64 => Scalar::U64(0),
        _ => Scalar::I64(0),
    });
    let value_type = match descriptor.stored {
        0 => fill.value_type(),
        _ => promoted(own, fill.value_type()),
    };
    let shape = descriptor.shape.clone();
    let count = elements(&shape).and_then(|elements| usize::try_from(elements).ok());
    let bytes = count.and_then(|count| count.checked_mul(value_type.size() + 1));
    let too_much = || {
        let needed = bytes.and_then(|bytes| u64::try_from(bytes).ok()).unwrap_or(u64::MAX);
        Error::new(ErrorKind::Memory { needed, allowed: memory }, place.clone())
    };
    let fits = bytes.and_then(|bytes| u64::try_from(bytes).ok()).is_some_and(|b| b <= memory);
    let count = count.filter(|_| fits).ok_or_else(too_much)?;
    let mut pattern = Values::try_zeroed(ValueType::Bint8, count).ok_or_else(too_much)?;
    let mut all = Values::try_zeroed(value_type, count).ok_or_else(too_much)?;
    let cast = |value: Scalar| {
        value.cast(value_type, Rounding::Refused).map_err(|_| {
            Error::mismatch(place.clone(), value, format!("a value that {value_type} holds"))
        })
    };
    let size = value_type.size();
    let filling = cast(fill)?.repeat(1);
    for element in all.bytes_mut().chunks_exact_mut(size) {
        element.copy_from_slice(filling.bytes());
    }
    let mut entries = entries;
    while let Some((at, value)) =
        entries.next_entry().map_err(|error| error.with_context(&place))?
    {
        let element = at.iter().zip(&shape).fold(0, |element, (at, extent)| element * extent + at);
        let element = usize::try_from(element).map_err(|_| too_much())?;
        all.bytes_mut()[element * size..][..size].copy_from_slice(cast(value)?.repeat(1).bytes());
        pattern.bytes_mut()[element] = 1;
    }
    let fill = NdArray { shape: Vec::new(), values: fill.repeat(1) };
    let written = [
        write_array(&arrays.tensor, &NdArray { shape: shape.clone(), values: all }, write.clone())?,
        write_array(&arrays.pattern, &NdArray { shape, values: pattern }, write.clone())?,
        write_array(&arrays.fill, &fill, write)?,
    ];
    written.into_iter().try_for_each(|file| file.commit().map(drop))
}

/// Copies a Binsparse matrix or tensor to another container, array by array, and sets the version
/// to `0.1.0`.
///
/// # Errors
///
/// Fails as [`nnz_binsparse::copy`], and if the target cannot be written. Nothing is written then.
pub fn copy(
    from: &Location,
    to: &Location,
    options: &OpenOptions,
    write: WriteOptions,
    context: &Context,
) -> Result<()> {
    let home = home(to, write, context)?;
    let container = binsparse(from, options, context)?;
    let mut writer = home.writer(&[])?;
    nnz_binsparse::copy(&container, &mut writer, &Version::semantic())
        .map_err(|error| error.with_context(&from.source_place()))?;
    writer.finish().map(drop)
}

fn binsparse(
    from: &Location,
    options: &OpenOptions,
    context: &Context,
) -> Result<nnz_container::NamedArrays> {
    crate::formats::open_binsparse(from, options, context)
}

/// Selects the container of a target.
fn home(to: &Location, write: WriteOptions, context: &Context) -> Result<ContainerTarget> {
    let Location::Path { path, group } = &to.resolve_target()? else {
        return Err(Error::argument("named arrays cannot be written to standard output"));
    };
    if !Binsparse.may_write_to(path)? {
        let what = "expected the extension .npz, .zarr, .h5, .hdf5, .nc or .bsp";
        return Err(Error::argument(format!("{to}: {what}")));
    }
    let write = write.context(context.task().clone());
    let options = CreateOptions::new(None, write);
    let home = ContainerTarget::of(path, group.as_deref(), DirectoryKind::Npy, options, context)?;
    home.check(&[])?;
    Ok(home)
}

/// Returns the number of elements of a shape; `None` if it exceeds 64 bits.
fn elements(shape: &[u64]) -> Option<u64> {
    if shape.contains(&0) {
        return Some(0);
    }
    shape.iter().try_fold(1_u64, |elements, &extent| elements.checked_mul(extent))
}

//! Binsparse tensors from and to plain arrays of NumPy.
//!
//! A tensor is three `.npy` files: every cell, which cells are stored, and what the others hold.

mod promote;

use std::path::{Path, PathBuf};

use nnz_binsparse::{EntryReader, Tensor, Version};
use nnz_container::CreateOptions;
use nnz_container::npy::{NdArray, read_array_from, write_array};
use nnz_core::{Error, ErrorKind, Place, Result, Rounding, Scalar, Structure, ValueType, Values};
use nnz_storage::staging::WriteOptions;
use nnz_storage::{InputFile, LocalStorage, Opened};

use crate::container_target::{ContainerTarget, DirectoryKind};
use crate::formats::{Binsparse, Format as _, Registry};
use crate::{Location, OpenOptions};
use promote::promoted;

/// Names the files that a tensor is made of.
#[derive(Clone, Debug)]
pub struct TensorArrays {
    /// Every cell.
    pub tensor: PathBuf,
    /// Which of them are stored: truth values.
    pub pattern: PathBuf,
    /// What the others hold: one value.
    pub fill: PathBuf,
}

/// The longest description that is read.
const LONGEST_HEADER: u64 = 1 << 20;

/// Writes the stored cells of a tensor as a description says, as
/// [`write_with_descriptor`](nnz_binsparse::write_with_descriptor) does. `header` is a file with that description.
/// Values whose type does not hold the fill get the type that NumPy finds for both.
///
/// # Errors
///
/// Fails where an array cannot be read or takes more memory than `options` allow, the description does
/// not suit it, or the target cannot be written. Nothing is left behind then.
pub fn from_arrays(
    arrays: &TensorArrays,
    header: &Path,
    to: &Location,
    options: &OpenOptions,
    write: WriteOptions,
) -> Result<()> {
    let description = open_file(header, options)?.read_all(LONGEST_HEADER)?;
    let description = String::from_utf8(description)
        .map_err(|error| Error::mismatch(Place::path(header), error.utf8_error(), "UTF-8"))?;
    let home = home(to, write)?;
    // What is read, and as much again for the places of entries.
    let read = |path| read_array_from(&open_file(path, options)?, options.memory() / 4);
    let cells = read(&arrays.tensor)?;
    let pattern = read(&arrays.pattern)?;
    let fill = read(&arrays.fill)?;
    let only = fill.values.get(0).filter(|_| fill.values.len() == Some(1));
    let Some(fill) = only else {
        let found = format!("the shape {:?}", fill.shape);
        return Err(Error::mismatch(Place::path(&arrays.fill), found, "one value"));
    };
    if pattern.shape != cells.shape {
        let (found, expected) = (format!("{:?}", pattern.shape), format!("{:?}", cells.shape));
        return Err(Error::mismatch(Place::path(&arrays.pattern), found, expected));
    }
    let Values::Bint8(stored) = &pattern.values else {
        let found = format!("elements of type {}", pattern.values.value_type());
        return Err(Error::mismatch(Place::path(&arrays.pattern), found, "truth values"));
    };
    let stored = stored.iter().map(|truth| truth.0 != 0);
    let tensor = with_room_for_fill(entries(cells, stored, fill));
    let mut writer = home.writer(&[])?;
    nnz_binsparse::write_with_descriptor(&mut *writer, &tensor, &description)
        .map_err(|error| error.with_context(&Place::path(header)))?;
    writer.finish().map(drop)
}

/// Opens a file of the storage that the options name.
fn open_file(path: &Path, options: &OpenOptions) -> Result<InputFile> {
    match Opened::new(&options.storage, path)? {
        Opened::File(file) => Ok(file),
        other => Err(Error::mismatch(Place::path(other.path()), "no regular file", "a file")),
    }
}

/// Lists the cells that are stored.
fn entries(cells: NdArray, stored: impl Iterator<Item = bool>, fill: Scalar) -> Tensor {
    let NdArray { shape, values: all } = cells;
    let mut values = Values::new(all.value_type());
    let mut coordinates = vec![Vec::new(); shape.len()];
    let mut index = vec![0; shape.len()];
    for (cell, stored) in stored.enumerate() {
        if let Some(value) = all.get(cell).filter(|_| stored) {
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

/// Gives values a type that holds the fill too, if theirs does not and there is one for all of them.
fn with_room_for_fill(tensor: Tensor) -> Tensor {
    let (own, fill) = (tensor.value_type(), tensor.background());
    let holds = |value_type| fill.cast(value_type, Rounding::Refused).is_ok();
    let both = promoted(own, fill.value_type());
    let mut values = Values::new(both);
    let suits = !holds(own)
        && holds(both)
        && tensor.values.cast_into(both, Rounding::Refused, &mut values).is_ok();
    if suits { Tensor { values, ..tensor } } else { tensor }
}

/// Writes every cell of a tensor, which of them are stored, and what the others hold.
///
/// The types are those that NumPy makes of values and fill together; where there is no fill, that
/// is an `int64` of zero. `uint64` stays as it is then, since floats would not hold all of it.
///
/// # Errors
///
/// Fails where the tensor cannot be read, is one triangle of a matrix, has more cells than the memory
/// that `options` allow holds, or the targets cannot be written. None of them is left behind then.
pub fn to_arrays(
    from: &Location,
    arrays: &TensorArrays,
    options: &OpenOptions,
    write: WriteOptions,
) -> Result<()> {
    let memory = options.memory();
    let place = from.source_place();
    let container = binsparse(from, options)?;
    let entries = EntryReader::open(&*container).map_err(|error| error.with_context(&place))?;
    let descriptor = entries.descriptor();
    if descriptor.structure != Structure::General {
        let what = format!(
            "{} matrices are stored in part, which arrays cannot say",
            descriptor.structure
        );
        let effect = "writes all of one";
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
    let count = cells(&shape).and_then(|cells| usize::try_from(cells).ok());
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
    for cell in all.bytes_mut().chunks_exact_mut(size) {
        cell.copy_from_slice(filling.bytes());
    }
    let mut entries = entries;
    while let Some((at, value)) =
        entries.next_entry().map_err(|error| error.with_context(&place))?
    {
        let cell = at.iter().zip(&shape).fold(0, |cell, (at, extent)| cell * extent + at);
        let cell = usize::try_from(cell).map_err(|_| too_much())?;
        all.bytes_mut()[cell * size..][..size].copy_from_slice(cast(value)?.repeat(1).bytes());
        pattern.bytes_mut()[cell] = 1;
    }
    let fill = NdArray { shape: Vec::new(), values: fill.repeat(1) };
    let written = [
        write_array(&arrays.tensor, &NdArray { shape: shape.clone(), values: all }, write)?,
        write_array(&arrays.pattern, &NdArray { shape, values: pattern }, write)?,
        write_array(&arrays.fill, &fill, write)?,
    ];
    written.into_iter().try_for_each(|file| file.commit().map(drop))
}

/// Copies a matrix or tensor of Binsparse into another container, array by array, and states the
/// version `0.1.0`.
///
/// # Errors
///
/// Fails as [`nnz_binsparse::copy`], and where the target cannot be written. Nothing is left behind
/// then.
pub fn copy(
    from: &Location,
    to: &Location,
    options: &OpenOptions,
    write: WriteOptions,
) -> Result<()> {
    let home = home(to, write)?;
    let container = binsparse(from, options)?;
    let mut writer = home.writer(&[])?;
    nnz_binsparse::copy(&*container, &mut *writer, &Version::semantic())
        .map_err(|error| error.with_context(&from.source_place()))?;
    writer.finish().map(drop)
}

fn binsparse(from: &Location, options: &OpenOptions) -> Result<Box<dyn nnz_container::Container>> {
    crate::formats::open_binsparse(from, options)
}

/// Decides which container a place gets.
fn home(to: &Location, write: WriteOptions) -> Result<ContainerTarget> {
    let Location::Path { path, group } = &to.resolve(&LocalStorage)? else {
        return Err(Error::argument("named arrays cannot go to standard output"));
    };
    if !Binsparse.may_write_to(path)? {
        let what = "its ending is none of .npz, .zarr, .h5, .hdf5, .nc and .bsp";
        return Err(Error::argument(format!("{to}: {what}")));
    }
    let options = CreateOptions { compress: None, threads: 1, write, members: &[] };
    let registry = Registry::default();
    let home = ContainerTarget::of(path, group.as_deref(), DirectoryKind::Npy, options, &registry)?;
    home.check(&[])?;
    Ok(home)
}

/// Returns the number of cells of a shape; `None` if 64 bits cannot count them.
fn cells(shape: &[u64]) -> Option<u64> {
    if shape.contains(&0) {
        return Some(0);
    }
    shape.iter().try_fold(1_u64, |cells, &extent| cells.checked_mul(extent))
}

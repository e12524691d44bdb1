//! Binsparse data of other than two dimensions: scalars, vectors, and tensors of three or more.

mod dense;

use crate::Context;
use std::io::Write;
use std::path::Path;

use nnz_binsparse::{DESCRIPTOR, Descriptor, EntryReader, LevelKind, Tensor};
use nnz_container::NamedArrays;
use nnz_core::{
    About, Duplicates, Error, Header, MatrixSource, Order, Place, Placed, Result, Rounding, Scalar,
    Shape, Storage, write_scalar,
};

use crate::formats::cancellable;
use crate::{Cancellation, CatOptions, ConvertOptions, Dataset, Location, Summary};

/// Bytes of text per write.
const TEXT: usize = 64 << 10;

/// Opens a Binsparse matrix, vector or tensor with its arrays and descriptor in a container, such as
/// [memory](crate::container::Memory).
///
/// # Errors
///
/// Fails if the descriptor or an array is missing or broken.
pub fn open(container: NamedArrays) -> Result<Dataset> {
    let place = Place::array(container.path(), DESCRIPTOR);
    let descriptor = Descriptor::parse(&container.attribute(DESCRIPTOR)?, &place)?;
    if descriptor.layout.rank() != 2 {
        return Ok(Dataset::Tensor(TensorFile::new(container, descriptor)));
    }
    let place = Place::path(container.path());
    let matrix = nnz_binsparse::MatrixSource::open(container)?;
    Ok(Dataset::Matrix(Box::new(Placed::new(Box::new(matrix), place))))
}

/// A scalar, vector or tensor. A vector is also a matrix with one column.
#[derive(Clone)]
pub struct TensorFile {
    container: NamedArrays,
    descriptor: Descriptor,
    /// Its name in messages.
    place: Place,
    /// The description of the format, if it is not Binsparse.
    about: Option<About>,
}

impl std::fmt::Debug for TensorFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TensorFile").field("descriptor", &self.descriptor).finish_non_exhaustive()
    }
}

impl TensorFile {
    pub(crate) fn new(container: NamedArrays, descriptor: Descriptor) -> Self {
        let place = Place::path(container.path());
        Self { container, descriptor, place, about: None }
    }

    /// Returns the same tensor, whose reads fail after `cancellation` is cancelled.
    #[must_use]
    pub fn cancellable(&self, cancellation: Option<&Cancellation>) -> Self {
        let container = cancellable(&self.container, cancellation);
        Self { container, ..self.clone() }
    }

    /// Writes a tensor to a location, in the format of the extension unless the options select one.
    ///
    /// # Errors
    ///
    /// Fails as [`convert`](crate::convert()), if the options concern rows and columns, and if the target
    /// format does not support tensors.
    pub fn convert(
        &self,
        to: impl Into<Location>,
        options: &ConvertOptions,
        context: &Context,
    ) -> Result<Summary> {
        let from = &self.place;
        if !options.row_labels.is_default() || !options.col_labels.is_default() {
            let what = "is a tensor; names and annotations apply to matrices only";
            return Err(Error::unsupported(from.clone(), what));
        }
        let to = &to.into().resolve_target()?;
        let format = context.format_of_target(to, options)?;
        let tensor = self.cancellable(context.cancellation());
        let Some(writer) = format.abilities().tensors else {
            let (rank, name) = (tensor.descriptor().shape.len(), format.info().name);
            let what = format!("a tensor of {rank} dimensions cannot be stored as {name}");
            return Err(Error::argument(what).with_context(from));
        };
        let written = writer.write_tensor(&tensor, to, options, context);
        written.map_err(|error| error.with_context(from))
    }

    /// Creates a tensor from arrays of another format. `descriptor` describes them as Binsparse.
    pub(crate) fn with_about(mut self, about: About) -> Self {
        self.about = Some(about);
        self
    }

    /// Reads and checks all entries.
    pub(crate) fn check(&self) -> Result<()> {
        let mut entries = EntryReader::open(&self.container)?;
        while entries.next_entry()?.is_some() {}
        Ok(())
    }

    /// Opens a vector as a matrix.
    ///
    /// # Errors
    ///
    /// Fails if it does not have one dimension, or if an array is missing or broken.
    pub fn into_matrix(self) -> Result<Box<dyn MatrixSource>> {
        let matrix = nnz_binsparse::MatrixSource::open(self.container)?;
        Ok(Box::new(Placed::new(Box::new(matrix), self.place)))
    }

    /// Sets the name in messages.
    pub(crate) fn with_place(self, place: Place) -> Self {
        Self { place, ..self }
    }

    /// Returns whether it is a vector.
    #[must_use]
    pub fn is_vector(&self) -> bool {
        self.descriptor.layout.rank() == 1
    }

    /// Returns the descriptor.
    #[must_use]
    pub fn descriptor(&self) -> &Descriptor {
        &self.descriptor
    }

    /// Describes the format.
    ///
    /// # Errors
    ///
    /// Fails if an array is missing.
    pub fn about(&self) -> Result<About> {
        match &self.about {
            Some(about) => Ok(about.clone()),
            None => self.descriptor.about(&self.container),
        }
    }

    /// Returns a header without reading entries. As it is not a matrix, rows and columns have no
    /// meaning.
    ///
    /// # Errors
    ///
    /// Fails if an array is missing or broken.
    pub fn header(&self) -> Result<Header> {
        let entries = EntryReader::open(&self.container)?;
        let levels = self.descriptor.layout.levels();
        let dense = levels.iter().all(|level| level.kind == LevelKind::Dense);
        Ok(Header::new(Shape { rows: 0, cols: 0 }, Order::Row, entries.value_type())
            .ordered(false)
            .iso(entries.iso().is_some())
            .nnz(self.descriptor.stored)
            .storage(if dense { Storage::Dense } else { Storage::Sparse })
            .structure(self.descriptor.structure)
            .fill(entries.fill())
            .duplicates(Duplicates::Refused))
    }

    /// Reads it into memory, with a limit in bytes.
    ///
    /// # Errors
    ///
    /// Fails if it is broken, or exceeds the limit, which is known before reading.
    pub fn read(&self, memory: u64) -> Result<Tensor> {
        nnz_binsparse::read_tensor(&self.container, memory)
    }

    /// Writes the stored entries in storage order, one per line: the indices, counted from 0, and
    /// the value, separated by tabs.
    ///
    /// # Errors
    ///
    /// Fails if it is broken, if rows or columns are selected, and if writing fails. Entries before
    /// the error are written.
    pub fn cat(&self, options: &CatOptions, context: &Context, out: &mut dyn Write) -> Result<()> {
        if options.rows.is_some() || options.cols.is_some() || options.names {
            return Err(Error::argument("a tensor has no rows and columns"));
        }
        let mut text = Vec::with_capacity(2 * TEXT);
        let printed = self.print(&mut text, out, context.cancellation());
        let flushed = flush(&mut text, out);
        printed.and(flushed)
    }

    fn print(
        &self,
        text: &mut Vec<u8>,
        out: &mut dyn Write,
        cancellation: Option<&Cancellation>,
    ) -> Result<()> {
        let check = || cancellation.map_or(Ok(()), Cancellation::check);
        check()?;
        let mut entries = EntryReader::open(&self.container)?;
        while let Some((indices, value)) = entries.next_entry()? {
            for &index in indices {
                write_scalar(text, Scalar::U64(index), "");
                text.push(b'\t');
            }
            write_scalar(text, value, "\t");
            text.push(b'\n');
            if text.len() > TEXT {
                check()?;
                flush(text, out)?;
            }
        }
        Ok(())
    }
}

fn flush(text: &mut Vec<u8>, out: &mut dyn Write) -> Result<()> {
    out.write_all(text).map_err(|error| Error::io(Path::new("standard output"), error))?;
    text.clear();
    Ok(())
}

/// Returns whether two tensors have the same numbers in all elements, whatever their types.
pub(crate) fn equal_elements(mut first: Tensor, mut second: Tensor) -> Result<bool> {
    for tensor in [&mut first, &mut second] {
        // No element has the fill value then.
        tensor.fill = tensor.fill.filter(|_| !tensor.is_full());
    }
    let [one, other] = [first.value_type(), second.value_type()];
    if one != other
        && cast(&mut first, other, Rounding::Refused).is_err()
        && cast(&mut second, one, Rounding::Refused).is_err()
    {
        return Ok(false);
    }
    first.same(&second)
}

/// Casts the values and the fill value, exactly by default.
pub(crate) fn cast(
    tensor: &mut Tensor,
    value_type: nnz_core::ValueType,
    rounding: Rounding,
) -> Result<()> {
    let own = tensor.value_type();
    let inexact = || {
        let what = format!("a value of type {own} that is not exact as {value_type}");
        Error::unsupported(Place::default(), what)
    };
    let mut values = nnz_core::Values::new(value_type);
    tensor.values.cast_into(value_type, rounding, &mut values).map_err(|_| inexact())?;
    tensor.values = values;
    if let Some(fill) = &mut tensor.fill {
        *fill = fill.cast(value_type, rounding).map_err(|_| inexact())?;
    }
    Ok(())
}

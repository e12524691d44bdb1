//! Binsparse of other than two dimensions: vectors, scalars, and tensors of three dimensions or more.

mod dense;

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use nnz_binsparse::{DESCRIPTOR, Descriptor, EntryReader, LevelKind, Tensor};
use nnz_container::Container;
use nnz_core::{
    About, AxisKind, Duplicates, Error, Header, MatrixSource, Order, Place, Result, Rounding,
    Scalar, Shape, Storage, write_scalar,
};
use nnz_storage::LocalStorage;

use crate::formats::cancellable;
use crate::{Cancellation, CatOptions, ConvertOptions, Dataset, Location, Summary};

/// Bytes of text that are written at once.
const TEXT: usize = 64 << 10;

/// Opens a matrix, vector or tensor of Binsparse whose arrays and descriptor are in a container, such as
/// [memory](crate::container::memory::Memory).
///
/// # Errors
///
/// Fails where the descriptor or an array is missing or broken.
pub fn open(container: Box<dyn Container>) -> Result<Dataset> {
    let place = Place::array(container.path(), DESCRIPTOR);
    let descriptor = Descriptor::parse(&container.attribute(DESCRIPTOR)?, &place)?;
    if descriptor.layout.rank() != 2 {
        return Ok(Dataset::Tensor(TensorFile::new(container, descriptor)));
    }
    Ok(Dataset::Matrix(Box::new(nnz_binsparse::MatrixSource::open(container)?)))
}

/// A vector, scalar or tensor, such as one of Binsparse. A vector is also a matrix, of one column; others are not.
#[derive(Clone)]
pub struct TensorFile {
    container: Arc<dyn Container>,
    descriptor: Descriptor,
    /// How it is stored, where that is not as Binsparse.
    about: Option<About>,
}

impl std::fmt::Debug for TensorFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TensorFile").field("descriptor", &self.descriptor).finish_non_exhaustive()
    }
}

impl TensorFile {
    pub(crate) fn new(container: Box<dyn Container>, descriptor: Descriptor) -> Self {
        Self { container: Arc::from(container), descriptor, about: None }
    }

    /// Returns the same tensor, whose reads fail once `cancellation` is cancelled.
    #[must_use]
    pub fn cancellable(&self, cancellation: Option<&Cancellation>) -> Self {
        let container = Arc::from(cancellable(&self.container, cancellation));
        Self { container, descriptor: self.descriptor.clone(), about: self.about.clone() }
    }

    /// Writes a tensor to a place, in the format of its extension unless the options name one. `from` is what messages
    /// call it.
    ///
    /// # Errors
    ///
    /// Fails as [`convert`](crate::convert()), where the options name rows and columns, and where the format of the
    /// target holds no tensors.
    pub fn convert(
        &self,
        from: &Place,
        to: impl Into<Location>,
        options: &ConvertOptions,
    ) -> Result<Summary> {
        if !options.row_labels.is_default() || !options.col_labels.is_default() {
            let what = "is a tensor: names and annotations are for rows and columns of a matrix";
            return Err(Error::unsupported(from.clone(), what));
        }
        let to = &to.into().resolve(&LocalStorage)?;
        let format = options.registry.format_of_target(to, options)?;
        let tensor = self.cancellable(options.cancellation.as_ref());
        let written = format.write_tensor(&tensor, to, options);
        written.map_err(|error| error.with_context(from))
    }

    /// Takes arrays of another format, which `descriptor` describes in terms of Binsparse.
    pub(crate) fn with_about(mut self, about: About) -> Self {
        self.about = Some(about);
        self
    }

    /// Reads all entries, and checks them.
    pub(crate) fn check(&self) -> Result<()> {
        let mut entries = EntryReader::open(&*self.container)?;
        while entries.next_entry()?.is_some() {}
        Ok(())
    }

    /// Opens it as a matrix, which a vector is, too.
    ///
    /// # Errors
    ///
    /// Fails where it has other than one dimension, or an array is missing or broken.
    pub fn into_matrix(self) -> Result<Box<dyn MatrixSource>> {
        Ok(Box::new(nnz_binsparse::MatrixSource::open(Box::new(self.container))?))
    }

    /// Returns whether it is a vector.
    #[must_use]
    pub fn is_vector(&self) -> bool {
        self.descriptor.layout.rank() == 1
    }

    /// Returns its description.
    #[must_use]
    pub fn descriptor(&self) -> &Descriptor {
        &self.descriptor
    }

    /// Describes how it is stored.
    ///
    /// # Errors
    ///
    /// Fails where an array is missing.
    pub fn about(&self) -> Result<About> {
        match &self.about {
            Some(about) => Ok(about.clone()),
            None => self.descriptor.about(&*self.container),
        }
    }

    /// Returns what is known of it without reading entries; as it is no matrix, it has neither rows nor
    /// columns.
    ///
    /// # Errors
    ///
    /// Fails where an array is missing or broken.
    pub fn header(&self) -> Result<Header> {
        let entries = EntryReader::open(&*self.container)?;
        let levels = self.descriptor.layout.levels();
        let dense = levels.iter().all(|level| level.kind == LevelKind::Dense);
        Ok(Header {
            shape: Shape { rows: 0, cols: 0 },
            order: Order::Row,
            ordered: false,
            sorted_majors: true,
            sorted_indices: None,
            value_type: entries.value_type(),
            iso: entries.iso().is_some(),
            nnz: Some(self.descriptor.stored),
            storage: if dense { Storage::Dense } else { Storage::Sparse },
            structure: self.descriptor.structure,
            fill: entries.fill(),
            duplicates: Duplicates::Refused,
            axis_kinds: [AxisKind::Unknown; 2],
        })
    }

    /// Reads it into at most so many bytes of memory.
    ///
    /// # Errors
    ///
    /// Fails where it is broken, or takes more; that shows before it is read.
    pub fn read(&self, memory: u64) -> Result<Tensor> {
        nnz_binsparse::read_tensor(&*self.container, memory)
    }

    /// Writes the stored entries in storage order, one a line: each index counted from 0, and the
    /// value, with tabs between.
    ///
    /// # Errors
    ///
    /// Fails where it is broken, where there is no such thing as a row or column that is asked for,
    /// and where writing fails. What was read up to there is written.
    pub fn cat(&self, options: &CatOptions, out: &mut dyn Write) -> Result<()> {
        if options.rows.is_some() || options.cols.is_some() || options.names {
            return Err(Error::argument("only a matrix has rows and columns"));
        }
        let mut text = Vec::with_capacity(2 * TEXT);
        let printed = self.print(&mut text, out, options.cancellation.as_ref());
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
        let mut entries = EntryReader::open(&*self.container)?;
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

/// Whether two tensors hold the same numbers in every cell, whatever their types.
pub(crate) fn mean_the_same(mut first: Tensor, mut second: Tensor) -> Result<bool> {
    for tensor in [&mut first, &mut second] {
        // Then it is the value of no cell.
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

/// Changes the type of the values and of the fill, exactly or not at all by default.
pub(crate) fn cast(
    tensor: &mut Tensor,
    value_type: nnz_core::ValueType,
    rounding: Rounding,
) -> Result<()> {
    let own = tensor.value_type();
    let inexact = || {
        let what = format!("a value of type {own} that {value_type} cannot hold exactly");
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

//! Finding out what a place holds, and opening it as that.

use nnz_core::{FragmentSource, Result};

use crate::daphne::{Dialect, Found};
use crate::frames::FrameSource;
use crate::open::{Recognised, Sought, recognise};
use crate::{Location, Opened, TensorFile};

/// What a place holds.
pub enum Holding {
    /// A matrix.
    Matrix(Opened),
    /// A vector, scalar or tensor of Binsparse.
    Tensor(TensorFile),
    /// Genomic fragments.
    Fragments(Box<dyn FragmentSource>),
    /// A frame of DAPHNE.
    Frame(FrameSource),
}

/// Finds out what a place holds, and opens it.
///
/// A group that holds both a matrix and fragments, side by side, counts as the matrix. With a
/// dialect, a file is taken for one of DAPHNE whatever it looks like. What has to be read whole, as
/// an object of R, may take `memory` bytes.
///
/// ```no_run
/// use nnz::{Holding, Location};
///
/// match nnz::look(&Location::parse("x.h5"), None, nnz::default_memory())? {
///     Holding::Matrix(opened) => println!("{}", opened.source.header().shape),
///     Holding::Tensor(tensor) => println!("{:?}", tensor.descriptor().shape),
///     Holding::Fragments(source) => println!("{} fragments", source.header().count),
///     Holding::Frame(frame) => println!("{} columns", frame.columns().len()),
/// }
/// # Ok::<(), nnz::Error>(())
/// ```
///
/// # Errors
///
/// Fails where there is nothing, nothing that is recognised, or something that is broken.
pub fn look(location: &Location, dialect: Option<Dialect>, memory: u64) -> Result<Holding> {
    let found = match dialect {
        Some(_) => Recognised::Daphne(Found::told(location)?),
        None => recognise(location, memory, Sought::Matrix)?,
    };
    Ok(match found {
        Recognised::Fragments(store) => {
            Holding::Fragments(crate::fragments::opened(&store, memory)?)
        }
        Recognised::Daphne(found) if found.holds_frame() => {
            Holding::Frame(found.open_frame(dialect)?)
        }
        Recognised::Daphne(found) => Holding::Matrix(found.open(dialect)?),
        Recognised::Binsparse(store) => match TensorFile::of(&store)? {
            Some(tensor) => Holding::Tensor(tensor),
            None => Holding::Matrix(Recognised::Binsparse(store).open()?),
        },
        matrix => Holding::Matrix(matrix.open()?),
    })
}

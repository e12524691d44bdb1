//! Writing Matrix Market text, plain or gzipped.

mod array;
mod body;
mod coordinate;
mod line;
mod place;
mod ready;
mod sink;
mod text;

use std::path::{Path, PathBuf};

use nnz_core::{Error, Header, MatrixSink, Order, Place, Result, SinkCapabilities, ValueType};
use nnz_lines::{Output, TextTarget};

use super::{LARGEST_SIZE, Layout};
use array::ArrayForm;
use coordinate::Entries;

/// Options for writing text.
#[derive(Clone, Debug)]
pub struct Options {
    /// Entries with their positions, or every element.
    pub layout: Layout,
    /// Whether the text is compressed.
    pub gzip: bool,
    /// Whether to write a NaN with a payload, which is lost, instead of failing.
    pub lossy: bool,
    /// The text of the comment lines after the banner; none if it is empty.
    pub comment: String,
}

impl Options {
    /// Creates options for exact text, compressed if the name of the target ends in `.gz`.
    #[must_use]
    pub fn new(layout: Layout, target: &TextTarget) -> Self {
        let gzip = match target {
            TextTarget::File { path, .. } => {
                path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gz"))
            }
            TextTarget::Stream { .. } => false,
        };
        Self { layout, gzip, lossy: false, comment: String::new() }
    }
}

/// Returns what a layout can store.
///
/// Coordinate text may have either order. An array is by column.
#[must_use]
pub fn capabilities(layout: Layout) -> SinkCapabilities {
    SinkCapabilities::new(
        match layout {
            Layout::Coordinate => &[Order::Col, Order::Row],
            Layout::Array => &[Order::Col],
        },
        ValueType::ALL,
    )
    .structure(true)
    .unique(true)
    .dense(layout == Layout::Array)
}

/// Creates a sink for a matrix.
///
/// Integers and booleans are written as `integer`, floats as `real`, complex numbers as `complex`,
/// and a shared bint8 value of 1 as `pattern`. A 32-bit float is written as the 64-bit float that
/// equals it, because readers parse 64-bit floats. The stored triangle is written as the lower one;
/// entries of an upper one are mirrored.
///
/// If [`Header::nnz`] is unknown, entries of coordinate text are first written to a temporary file
/// next to the target, because their number comes first.
///
/// ```
/// use nnz_core::{Batch, Header, Majors, Minors, Order, Shape, ValueType, Values};
/// use nnz_matrix_market::{Layout, Options, TextTarget, create};
/// let shape = Shape { rows: 3, cols: 2 };
/// let header = Header::new(shape, Order::Col, ValueType::F64).nnz(1_u64);
/// let target = TextTarget::Stream {
///     writer: Box::new(std::io::sink()),
///     name: "nowhere".to_owned(),
///     context: Default::default(),
/// };
/// let options = Options::new(Layout::Coordinate, &target);
/// let mut sink = create(target, &header, options)?;
/// sink.write(&Batch {
///     order: Order::Col,
///     majors: Majors::Listed(vec![1]),
///     offsets: vec![0, 1],
///     minors: Minors::U32(vec![2]),
///     values: Values::F64(vec![0.5]),
/// })?;
/// assert_eq!(sink.finish()?.bytes, 60);
/// # Ok::<(), nnz_core::Error>(())
/// ```
///
/// # Errors
///
/// Fails if the target exists already or cannot be written, if a side is longer than
/// [`LARGEST_SIZE`], or if an array is requested for a matrix that is not by column.
pub fn create(
    target: TextTarget,
    header: &Header,
    options: Options,
) -> Result<Box<dyn MatrixSink>> {
    let place = Place::path(match &target {
        TextTarget::File { path, .. } => path.clone(),
        TextTarget::Stream { name, .. } => PathBuf::from(name),
    });
    let largest = header.shape.rows.max(header.shape.cols);
    if largest > LARGEST_SIZE {
        let expected = format_args!("at most {LARGEST_SIZE} rows and columns");
        return Err(Error::mismatch(place, header.shape, expected));
    }
    if header.structure.triangle().is_some() && header.shape.rows != header.shape.cols {
        let expected = format_args!("a square matrix, since it is {}", header.structure);
        return Err(Error::mismatch(place, header.shape, expected));
    }
    if options.layout == Layout::Array && place::order(header) != Order::Col {
        let what = "an array is written by column, but the entries are by row";
        return Err(Error::unsupported(place, what));
    }
    let output = Output::create(target, options.gzip)?;
    Ok(match options.layout {
        Layout::Coordinate => Box::new(Entries::sink(output, header, &options)?),
        Layout::Array => Box::new(ArrayForm::sink(output, header, &options)?),
    })
}

/// Returns the error for finishing after a failed write.
fn failed(path: &Path) -> Error {
    let what = "an entry could not be written, so the matrix is not complete";
    Error::unsupported(Place::path(path), what)
}

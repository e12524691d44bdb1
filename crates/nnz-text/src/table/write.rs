//! Writing tables: comma- or tab-separated values, or GCT.

mod encode;
mod header;
mod output;
mod sink;

use std::path::PathBuf;

use nnz_core::{
    Annotations, Error, Header, MatrixSink, Names, Order, Place, Result, SinkCapabilities,
    ValueType,
};
use nnz_lines::TextTarget;

use header::Preamble;
use output::Output;
use sink::Sink;

/// The text that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableKind {
    /// Comma-separated values.
    Csv,
    /// Tab-separated values.
    Tsv,
    /// GCT 1.2, or 1.3 if there are annotations.
    Gct,
}

impl TableKind {
    /// Returns the separator.
    #[must_use]
    pub fn separator(self) -> u8 {
        match self {
            Self::Csv => b',',
            Self::Tsv | Self::Gct => b'\t',
        }
    }
}

/// Options of writing.
#[derive(Clone, Copy, Debug)]
pub struct WriteOptions {
    /// The text.
    pub kind: TableKind,
    /// Whether to write a NaN with a payload, which is lost, instead of failing.
    pub lossy: bool,
}

/// Capabilities of tables. GCT also stores annotations.
pub const CAPABILITIES: SinkCapabilities = SinkCapabilities::new(
    &[Order::Row],
    &[
        ValueType::U8,
        ValueType::U16,
        ValueType::U32,
        ValueType::U64,
        ValueType::I8,
        ValueType::I16,
        ValueType::I32,
        ValueType::I64,
        ValueType::F32,
        ValueType::F64,
        ValueType::Bint8,
    ],
)
.fill(true)
.unique(true)
.names(true)
.dense(true);

/// Returns the minimum size of a table: a digit and a separator for each element.
#[must_use]
pub fn min_bytes(header: &Header) -> u64 {
    u64::try_from(header.shape.elements().saturating_mul(2)).unwrap_or(u64::MAX)
}

/// Creates a sink for a matrix whose entries are by row, gzipped if the name of the target ends in `.gz`.
///
/// The first line has the names of the columns after an empty field, and each row starts with its name.
/// Rows or columns without names are numbered from 0. Names are quoted if they contain a separator, a
/// quote or a line break. A 32-bit float is written as the 64-bit float that equals it, because readers
/// parse 64-bit floats.
///
/// ```
/// use nnz_core::{Batch, Header, Majors, Minors, Order, Shape, ValueType, Values};
/// use nnz_text::table::{TableKind, WriteOptions, create};
/// let shape = Shape { rows: 2, cols: 2 };
/// let header = Header::new(shape, Order::Row, ValueType::F64).nnz(1_u64);
/// let target = nnz_lines::TextTarget::Stream {
///     writer: Box::new(std::io::sink()),
///     name: "nowhere".to_owned(),
///     context: Default::default(),
/// };
/// let options = WriteOptions { kind: TableKind::Csv, lossy: false };
/// let mut sink = create(target, &header, [None, None], [None, None], options)?;
/// sink.write(&Batch {
///     order: Order::Row,
///     majors: Majors::Listed(vec![1]),
///     offsets: vec![0, 1],
///     minors: Minors::U32(vec![1]),
///     values: Values::F64(vec![0.5]),
/// })?;
/// // ",0,1", "0,0.0,0.0" and "1,0.0,0.5", each with a line end.
/// assert_eq!(sink.finish()?.bytes, 5 + 10 + 10);
/// # Ok::<(), nnz_core::Error>(())
/// ```
///
/// # Errors
///
/// Fails if the target exists already or cannot be written, if the matrix has no columns or is not by
/// row, and if a name is not UTF-8.
pub fn create(
    target: TextTarget,
    header: &Header,
    names: [Option<Names<'_>>; 2],
    annotations: [Option<&dyn Annotations>; 2],
    options: WriteOptions,
) -> Result<Box<dyn MatrixSink>> {
    let (path, gzip) = match &target {
        TextTarget::File { path, .. } => {
            let gzip = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("gz"));
            (path.clone(), gzip)
        }
        TextTarget::Stream { name, .. } => (PathBuf::from(name), false),
    };
    let (place, memory) = (Place::path(&path), target.context().memory());
    if header.order != Order::Row {
        let found = format!("entries by {}", header.order);
        return Err(Error::mismatch(place, found, "entries by row"));
    }
    if header.shape.cols == 0 {
        let what = "a matrix without columns cannot be written as a table";
        return Err(Error::unsupported(place, what));
    }
    if header.value_type.is_complex() {
        return Err(Error::unsupported(place, "a table has no complex numbers"));
    }
    let Preamble { text, rows } = Preamble::new(header, names, annotations, (&options, memory))
        .map_err(|error| error.with_context(&place))?;
    let mut output = Output::create(target, gzip)?;
    output.write(&text)?;
    Ok(Box::new(Sink::new(output, rows, header, &options)?))
}

//! Writing a matrix.

mod arrays;
mod coo;
mod dense;
mod encode;
mod form;
mod place;
mod rows;
mod tile;
mod tiles;

use std::path::Path;
use std::sync::Arc;

use nnz_core::{
    Batch, BatchEncoder, Encoded, Error, Header, Order, Place, Result, Structure, ValueType,
    Written,
};
use nnz_storage::staging::{StagedDirectory, WriteOptions};

use super::Options;
use crate::block::refused_type;
use crate::output::Output;
use crate::{DataType, Dialect, Meta, layout};
use encode::{EncodedBatch, Encoder};
use form::Form;
use place::Position;

/// A sink that writes a matrix to a file.
///
/// ```
/// use nnz_storage::staging::WriteOptions;
/// use nnz_core::{Batch, Header, Majors, MatrixSink as _, Minors, Order, Shape, ValueType, Values};
/// use nnz_daphne::{MatrixSink, Options};
/// let shape = Shape { rows: 2, cols: 3 };
/// let header = Header::new(shape, Order::Row, ValueType::F64).nnz(1_u64);
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("x.dbdf");
/// let mut sink = MatrixSink::create(&path, &header, WriteOptions::default(), &Options::default())?;
/// sink.write(&Batch {
///     order: Order::Row,
///     majors: Majors::Listed(vec![1]),
///     offsets: vec![0, 1],
///     minors: Minors::U32(vec![2]),
///     values: Values::F64(vec![0.5]),
/// })?;
/// // 53 bytes before the rows, two counts of 4 bytes, and a column and a value.
/// assert_eq!(Box::new(sink).finish()?.bytes, 53 + 2 * 4 + 4 + 8);
/// # Ok::<(), nnz_core::Error>(())
/// ```
pub struct MatrixSink {
    output: Output,
    form: Form,
    encoder: Arc<Encoder>,
    header: Header,
    options: Options,
    /// The number of entries received.
    entries: u64,
    /// The number of entries written.
    kept: u64,
    last: Option<Position>,
}

impl std::fmt::Debug for MatrixSink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MatrixSink").finish_non_exhaustive()
    }
}

impl MatrixSink {
    /// Creates a file with the shape and value type of `header`.
    ///
    /// # Errors
    ///
    /// Fails if the target exists already or cannot be written, or if the dialect cannot represent
    /// the value type, the shape, or the blocks of the options.
    pub fn create(
        path: &Path,
        header: &Header,
        write: WriteOptions,
        options: &Options,
    ) -> Result<Self> {
        check(header, options).map_err(|error| error.with_context(&Place::path(path)))?;
        Self::start(Output::create(path, write, options.writes_meta())?, header, options)
    }

    /// Checks that the file, and its `.meta` file if there will be one, may be written.
    ///
    /// # Errors
    ///
    /// Fails if one of them exists and must not be replaced, or cannot be written.
    pub fn check(path: &Path, write: WriteOptions, options: &Options) -> Result<()> {
        Output::create(path, write, options.writes_meta()).map(drop)
    }

    /// Creates a file in a directory.
    pub(crate) fn member(
        directory: &mut StagedDirectory,
        name: &str,
        header: &Header,
        options: &Options,
    ) -> Result<Self> {
        let place = Place::path(directory.path().join(name));
        check(header, options).map_err(|error| error.with_context(&place))?;
        Self::start(Output::member(directory, name, true)?, header, options)
    }

    fn start(mut output: Output, header: &Header, options: &Options) -> Result<Self> {
        let place = Place::path(output.path());
        let column = crate::Column { label: String::new(), value_type: header.value_type };
        let mut bytes = Vec::new();
        let Options { dialect, data_type, .. } = *options;
        layout::put_header(dialect, data_type, header.shape, &[column], &mut bytes)?;
        output.write(&bytes)?;
        let form = Form::start(&mut output, header, options);
        let form = form.map_err(|error| error.with_context(&place))?;
        let drop_zeros = data_type == DataType::Dense;
        let encoder = Arc::new(Encoder::new(form.coding(*options), header, drop_zeros, place));
        let (header, options) = (header.clone(), *options);
        Ok(Self { output, form, encoder, header, options, entries: 0, kept: 0, last: None })
    }

    fn place(&self) -> Place {
        Place::path(self.output.path())
    }
}

/// Checks everything that does not depend on the entries.
fn check(header: &Header, options: &Options) -> Result<()> {
    let unsupported = |what: String| Err(Error::unsupported(Place::default(), what));
    let Options { dialect, data_type, .. } = *options;
    if data_type == DataType::Frame {
        return Err(Error::argument("a matrix cannot be written as a frame"));
    }
    if header.value_type == ValueType::Bint8 || header.value_type.is_complex() {
        return Err(refused_type(header.value_type));
    }
    layout::code(dialect, header.value_type)?;
    if header.order != Order::Row {
        return unsupported("a DAPHNE matrix is written by row".to_owned());
    }
    if header.structure != Structure::General || header.fill.is_some() {
        return unsupported("a DAPHNE matrix has neither a structure nor a fill value".to_owned());
    }
    if dialect != Dialect::Spec && (options.block.is_some() || options.narrow) {
        return unsupported(
            "DAPHNE reads only a single block with the type of the matrix".to_owned(),
        );
    }
    Ok(())
}

impl nnz_core::MatrixSink for MatrixSink {
    fn write(&mut self, batch: &Batch) -> Result<()> {
        let expanded;
        let batch = match batch.values {
            nnz_core::Values::Iso(scalar) => {
                expanded = Batch { values: scalar.repeat(batch.entries()), ..batch.clone() };
                &expanded
            }
            _ => batch,
        };
        if self.form.encodes() {
            let encoded = self.encoder.encode(batch, self.entries)?;
            return self.write_encoded(encoded);
        }
        let place = self.place();
        let ends = place::check(batch, &self.header).map_err(|error| error.with_context(&place))?;
        place::follow(&mut self.last, ends).map_err(|error| error.with_context(&place))?;
        let written = self.form.write(&mut self.output, batch);
        self.entries += batch.entries() as u64;
        self.kept = self.entries;
        written.map_err(|error| error.with_context(&place))
    }

    fn encoder(&self) -> Option<Arc<dyn BatchEncoder>> {
        self.form.encodes().then(|| Arc::clone(&self.encoder) as Arc<dyn BatchEncoder>)
    }

    fn write_encoded(&mut self, encoded: Encoded) -> Result<()> {
        let batch = encoded.downcast::<EncodedBatch>().ok().filter(|b| b.first == self.entries);
        let Some(batch) = batch else {
            return Err(Error::argument("not the next batch of this matrix"));
        };
        let place = self.place();
        place::follow(&mut self.last, batch.ends).map_err(|error| error.with_context(&place))?;
        self.entries += batch.entries;
        self.kept += batch.kept;
        let written = self.form.write_encoded(&mut self.output, &batch);
        self.encoder.reuse(batch);
        written.map_err(|error| error.with_context(&place))
    }

    fn finish(mut self: Box<Self>) -> Result<Written> {
        let place = self.place();
        let finished = self.form.finish(&mut self.output, self.kept);
        finished.map_err(|error| error.with_context(&place))?;
        let shape = self.header.shape;
        let entries = (self.options.data_type == DataType::Csr).then_some(self.kept);
        let meta = Meta::of_matrix(shape.rows, shape.cols, self.header.value_type, entries);
        self.output.commit(&meta)
    }
}

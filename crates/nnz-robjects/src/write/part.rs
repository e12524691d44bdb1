//! Matrices of an object, written one after the other.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use nnz_container::rds::{ArraySpool, NewObject, NewValue, SpooledArray};
use nnz_core::{
    Batch, Error, Header, MatrixSink, MatrixSource, Metadata, Names, Order, Place, Result, Shape,
    SinkCapabilities, StringList, ValueType, Values, Written,
};
use nnz_engine::{ConvertOptions, MatrixTarget, TaskContext, convert};

use super::lines::{LineWriter, MOST_COLUMNS};
use super::slots::{dimnames, empty_list, integers, length};
use super::sparse::{SparseArrays, SparseWriter};

/// The largest number of rows, columns and entries: R counts them with 32-bit integers.
pub const MOST: u64 = i32::MAX.unsigned_abs() as u64;

/// How a matrix is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatrixForm {
    /// As a `dgCMatrix`.
    Sparse,
    /// As a matrix of doubles.
    Dense,
}

/// A matrix in the temporary file of an object.
#[derive(Clone, Debug)]
pub struct SpooledMatrix {
    shape: Shape,
    data: Data,
    entries: u64,
    is_counts: bool,
}

#[derive(Clone, Debug)]
enum Data {
    Sparse(SparseArrays),
    Dense(Vec<Arc<SpooledArray>>),
}

impl SpooledMatrix {
    /// Returns the number of rows and columns.
    #[must_use]
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Returns the number of entries.
    #[must_use]
    pub fn entries(&self) -> u64 {
        self.entries
    }

    /// Returns whether all values are integers that are not negative.
    #[must_use]
    pub fn is_counts(&self) -> bool {
        self.is_counts
    }

    /// Creates a dense matrix in memory, from elements by column.
    ///
    /// # Errors
    ///
    /// Fails if the temporary file cannot be written.
    pub fn dense(shape: Shape, elements: &[f64], spool: &ArraySpool) -> Result<Self> {
        let mut array = SpooledArray::new(spool);
        array.extend(elements)?;
        let data = Data::Dense(vec![Arc::new(array)]);
        Ok(Self { shape, data, entries: elements.len() as u64, is_counts: false })
    }

    fn sides(&self) -> NewObject {
        integers(&[length(self.shape.rows), length(self.shape.cols)])
    }

    /// Returns the matrix with names of rows and columns. A sparse one is of class `dgCMatrix`.
    #[must_use]
    pub fn matrix(&self, names: [Option<&Arc<StringList>>; 2]) -> NewObject {
        match &self.data {
            Data::Dense(_) => self.plain(names),
            Data::Sparse(_) => self.sparse(names, ("dgCMatrix", "Matrix"), None),
        }
    }

    /// Returns a dense matrix, with names if there are any. A sparse one has no elements.
    fn plain(&self, names: [Option<&Arc<StringList>>; 2]) -> NewObject {
        let arrays = match &self.data {
            Data::Dense(arrays) => arrays.clone(),
            Data::Sparse(_) => Vec::new(),
        };
        let matrix = NewObject::new(NewValue::SpooledReals(arrays)).with("dim", self.sides());
        match names {
            [None, None] => matrix,
            names => matrix.with("dimnames", dimnames(names)),
        }
    }

    /// Returns a sparse matrix of a class that extends `dgCMatrix`, with a further slot.
    pub(super) fn sparse(
        &self,
        names: [Option<&Arc<StringList>>; 2],
        (class, package): (&str, &str),
        slot: Option<(&'static str, NewObject)>,
    ) -> NewObject {
        let Data::Sparse(arrays) = &self.data else { return self.plain(names) };
        let int = |array: &Arc<_>| NewObject::new(NewValue::SpooledIntegers(Arc::clone(array)));
        let x = NewObject::new(NewValue::SpooledReals(vec![Arc::clone(&arrays.x)]));
        let mut slots: Vec<(&str, NewObject)> = slot.into_iter().collect();
        slots.extend([
            ("i", int(&arrays.i)),
            ("p", int(&arrays.p)),
            ("Dim", self.sides()),
            ("Dimnames", dimnames(names)),
            ("x", x),
            ("factors", empty_list()),
        ]);
        NewObject::s4(class, package, slots)
    }

    /// Returns the arrays of a sparse matrix.
    pub(super) fn arrays(&self) -> Option<[&Arc<SpooledArray>; 3]> {
        match &self.data {
            Data::Sparse(arrays) => Some([&arrays.i, &arrays.p, &arrays.x]),
            Data::Dense(_) => None,
        }
    }
}

/// The error for more entries than R counts.
pub(super) fn too_many(place: &Place, stored: u64) -> Error {
    let what = format!(
        "{stored} entries, but a matrix of R has at most {MOST}; a BPCells matrix can have more, and slice divides this one"
    );
    Error::unsupported(place.clone(), what)
}

/// Checks that R can count the rows, columns and entries of a matrix.
///
/// # Errors
///
/// Fails if it cannot.
pub fn check_size(header: &Header, form: MatrixForm, place: &Place) -> Result<()> {
    if header.shape.rows > MOST || header.shape.cols > MOST {
        let expected = format!("at most {MOST} rows and columns, as in R");
        return Err(Error::mismatch(place.clone(), header.shape, expected));
    }
    match header.nnz.filter(|&stored| form == MatrixForm::Sparse && stored > MOST) {
        // Zeros of a dense source are not entries.
        Some(stored) if header.storage == nnz_core::Storage::Sparse => Err(too_many(place, stored)),
        _ => Ok(()),
    }
}

/// Returns what a matrix supports that is stored in a form.
#[must_use]
pub fn capabilities(form: MatrixForm, cols: u64) -> SinkCapabilities {
    const VALUES: &[ValueType] = &[ValueType::F64];
    let orders: &[Order] = match form {
        MatrixForm::Dense if cols <= MOST_COLUMNS => &[Order::Col, Order::Row],
        _ => &[Order::Col],
    };
    SinkCapabilities::new(orders, VALUES).unique(true).dense(form == MatrixForm::Dense)
}

enum Writer {
    Sparse(SparseWriter),
    Dense(LineWriter, u64),
}

/// A sink of a matrix of an object.
pub struct SpooledSink {
    writer: Writer,
    shape: Shape,
    place: Place,
    is_counts: bool,
}

impl std::fmt::Debug for SpooledSink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SpooledSink").field("shape", &self.shape).finish_non_exhaustive()
    }
}

impl SpooledSink {
    /// Starts a matrix of doubles.
    ///
    /// # Errors
    ///
    /// Fails if R cannot count its rows, columns or entries.
    pub fn new(
        header: &Header,
        form: MatrixForm,
        spool: &ArraySpool,
        place: Place,
    ) -> Result<Self> {
        check_size(header, form, &place)?;
        let writer = match form {
            MatrixForm::Sparse => {
                Writer::Sparse(SparseWriter::new(header.shape, spool, place.clone()))
            }
            MatrixForm::Dense => Writer::Dense(LineWriter::new(header, spool, place.clone())?, 0),
        };
        Ok(Self { writer, shape: header.shape, place, is_counts: true })
    }

    /// Appends the entries of a batch.
    ///
    /// # Errors
    ///
    /// Fails if one cannot be stored, or if the temporary file cannot be written.
    pub fn put(&mut self, batch: &Batch) -> Result<()> {
        let repeated;
        let values = match &batch.values {
            Values::Iso(scalar) => {
                repeated = scalar.repeat(batch.entries());
                &repeated
            }
            values => values,
        };
        let Values::F64(values) = values else {
            let found = format!("values of type {}", values.value_type());
            return Err(Error::mismatch(self.place.clone(), found, "float64"));
        };
        self.is_counts = self.is_counts && values.iter().all(|&x| x >= 0.0 && x.fract() == 0.0);
        match &mut self.writer {
            Writer::Sparse(writer) => writer.put(batch, values),
            Writer::Dense(writer, entries) => {
                *entries += values.len() as u64;
                writer.put(batch, values)
            }
        }
    }

    /// Completes the matrix.
    ///
    /// # Errors
    ///
    /// Fails if the temporary file cannot be written.
    pub fn complete(self) -> Result<SpooledMatrix> {
        let Self { writer, shape, is_counts, .. } = self;
        let (data, entries) = match writer {
            Writer::Sparse(writer) => {
                let entries = writer.entries();
                (Data::Sparse(writer.finish()?), entries)
            }
            Writer::Dense(writer, entries) => (Data::Dense(writer.finish()?), entries),
        };
        Ok(SpooledMatrix { shape, data, entries, is_counts })
    }
}

/// Writes a matrix into the temporary file of an object. `path` and `item` are those of the matrix, for messages.
///
/// # Errors
///
/// Fails if it cannot be read or stored.
pub fn spool_matrix(
    source: &dyn MatrixSource,
    form: MatrixForm,
    (spool, path, item): (&ArraySpool, &Path, &str),
    options: &ConvertOptions,
    context: &TaskContext,
) -> Result<SpooledMatrix> {
    let target = SpooledTarget {
        spool: spool.clone(),
        form,
        cols: source.header().shape.cols,
        path: path.to_path_buf(),
        item: item.to_owned(),
        part: Arc::default(),
    };
    convert(source, &target, options, context)?;
    let part = target.part.lock().unwrap_or_else(PoisonError::into_inner).take();
    part.ok_or_else(|| Error::argument("the matrix was not written"))
}

/// A target of one matrix of an object.
#[derive(Debug)]
pub struct SpooledTarget {
    spool: ArraySpool,
    form: MatrixForm,
    cols: u64,
    path: PathBuf,
    item: String,
    part: Arc<Mutex<Option<SpooledMatrix>>>,
}

impl MatrixTarget for SpooledTarget {
    fn capabilities(&self) -> SinkCapabilities {
        // Names and annotations are written with the object.
        capabilities(self.form, self.cols)
    }

    fn path(&self) -> Option<&Path> {
        Some(&self.path)
    }

    fn place(&self) -> Place {
        Place::array(&self.path, &*self.item)
    }

    fn check(&self) -> Result<()> {
        Ok(())
    }

    fn keeps_tables(&self) -> bool {
        true
    }

    fn unsupported(&self, _: Metadata) -> Vec<String> {
        Vec::new()
    }

    fn create(&self, header: &Header, _: [Option<Names<'_>>; 2]) -> Result<Box<dyn MatrixSink>> {
        let sink = SpooledSink::new(header, self.form, &self.spool, self.place())?;
        Ok(Box::new(Sink { sink, part: Arc::clone(&self.part) }))
    }
}

struct Sink {
    sink: SpooledSink,
    part: Arc<Mutex<Option<SpooledMatrix>>>,
}

impl MatrixSink for Sink {
    fn write(&mut self, batch: &Batch) -> Result<()> {
        self.sink.put(batch)
    }

    fn finish(self: Box<Self>) -> Result<Written> {
        let part = self.sink.complete()?;
        *self.part.lock().unwrap_or_else(PoisonError::into_inner) = Some(part);
        Ok(Written::new(0))
    }
}

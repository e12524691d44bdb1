//! Writing a matrix as a new AnnData file or store.
//!
//! What is written is read by every anndata from 0.8 on, and gives no warnings: matrices with one type for
//! `indices` and `indptr`, tables of version 0.2.0, and nothing that only newer versions know.

mod columns;
mod encode;
mod output;

use std::sync::Arc;

use nnz_container::Compression;
use nnz_container::tree::TreeWriter;
use nnz_core::{
    Annotations, Batch, BatchEncoder, Encoded, Error, Header, Names, Order, Result,
    SinkCapabilities, ValueType, Written,
};

use columns::write_table;
use encode::{EncodedBatch, MatrixEncoder};
use output::{Array, Group, Output};

/// What an AnnData file can hold.
pub const CAPABILITIES: SinkCapabilities = SinkCapabilities {
    names: true,
    annotations: true,
    ..SinkCapabilities::new(&[Order::Row, Order::Col], ValueType::ALL)
};

/// A matrix that becomes `X` of a new AnnData file.
pub struct MatrixSink {
    output: Output,
    encoder: Arc<MatrixEncoder>,
    data: Array,
    indices: Array,
    indptr: Array,
    /// Pointers that were written, and majors there are.
    pointers: u64,
    majors: u64,
    entries: u64,
}

impl std::fmt::Debug for MatrixSink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MatrixSink").finish_non_exhaustive()
    }
}

impl MatrixSink {
    /// Starts a matrix whose rows are cells in an empty tree, and writes names and tables.
    ///
    /// Rows or columns without names get their positions as such, as in anndata.
    ///
    /// # Errors
    ///
    /// Fails where the tree cannot be written, names cannot be read or are not UTF-8, or a table cannot be read
    /// or stored.
    pub fn create(
        tree: Box<dyn TreeWriter>,
        header: &Header,
        names: [Option<Names<'_>>; 2],
        annotations: [Option<&dyn Annotations>; 2],
        compression: Compression,
    ) -> Result<Self> {
        let mut output = Output::new(tree, compression);
        let root = Group::ROOT;
        output.encode(root, "anndata", "0.1.0")?;
        let started = Started::new(&mut output, "X", header)?;
        let [row_names, col_names] = names;
        let [row_table, col_table] = annotations;
        for (name, len, names, table) in [
            ("obs", header.shape.rows, row_names, row_table),
            ("var", header.shape.cols, col_names, col_table),
        ] {
            write_table(&mut output, name, len, names, table)?;
        }
        for name in ["layers", "obsm", "varm", "obsp", "varp", "uns"] {
            let group = output.group(root, name)?;
            output.encode(group, "dict", "0.1.0")?;
        }
        Ok(Self::of(output, started, header))
    }

    /// Starts a matrix as a member of the root of a tree, which is a group of a file that is there.
    ///
    /// # Errors
    ///
    /// Fails where the tree cannot be written.
    pub fn add(
        tree: Box<dyn TreeWriter>,
        name: &str,
        header: &Header,
        compression: Compression,
    ) -> Result<Self> {
        let mut output = Output::new(tree, compression);
        let started = Started::new(&mut output, name, header)?;
        Ok(Self::of(output, started, header))
    }

    fn of(output: Output, started: Started, header: &Header) -> Self {
        let Started { data, indices, indptr, index_type } = started;
        let encoder = Arc::new(MatrixEncoder { index_type, value_type: header.value_type });
        let majors = header.shape.major(header.order);
        Self { output, encoder, data, indices, indptr, pointers: 0, majors, entries: 0 }
    }

    /// Writes the pointers of majors up to one that has entries now, or of all.
    fn point_to(&mut self, end: u64) -> Result<()> {
        /// Pointers that are written at a time.
        const BLOCK: u64 = 1 << 13;
        while self.pointers < end {
            let count = (end - self.pointers).min(BLOCK);
            let bytes = self.encoder.pointers(self.entries, count)?;
            self.output.append(self.indptr, &bytes)?;
            self.pointers += count;
        }
        Ok(())
    }

    fn put(&mut self, batch: &EncodedBatch) -> Result<()> {
        for (major, count) in &batch.runs {
            if *major >= self.majors || major.saturating_add(1) < self.pointers {
                let what = format!("major {major} of {} is not the next one", self.majors);
                return Err(Error::argument(what));
            }
            self.point_to(major + 1)?;
            self.entries = self.entries.saturating_add(*count);
        }
        self.output.append(self.indices, &batch.indices)?;
        self.output.append(self.data, &batch.values)
    }
}

/// The arrays of a matrix that was started.
struct Started {
    data: Array,
    indices: Array,
    indptr: Array,
    index_type: ValueType,
}

impl Started {
    /// Starts a matrix as a member of the root.
    fn new(output: &mut Output, name: &str, header: &Header) -> Result<Self> {
        let matrix = output.group(Group::ROOT, name)?;
        let kind = match header.order {
            Order::Row => "csr_matrix",
            Order::Col => "csc_matrix",
        };
        output.encode(matrix, kind, "0.1.0")?;
        let shape = [header.shape.rows, header.shape.cols].map(i64::try_from);
        let [Ok(rows), Ok(cols)] = shape else {
            let what =
                format!("AnnData has fewer than 2^63 rows and columns, not {}", header.shape);
            return Err(Error::argument(what));
        };
        output.set_numbers(matrix, "shape", &[rows, cols])?;
        let index_type = index_type(header);
        let majors = header.shape.major(header.order);
        let data = output.growing(matrix, "data", header.value_type, header.nnz)?;
        let indices = output.growing(matrix, "indices", index_type, header.nnz)?;
        let indptr = output.growing(matrix, "indptr", index_type, majors.checked_add(1))?;
        Ok(Self { data, indices, indptr, index_type })
    }
}

/// Returns the type of `indices` and `indptr`: SciPy wants the same for both.
fn index_type(header: &Header) -> ValueType {
    const MOST: u64 = 1 << 31;
    let few = match header.nnz {
        Some(nnz) => nnz < MOST,
        None => header.shape.cells() < MOST.into(),
    };
    if few && header.shape.rows < MOST && header.shape.cols < MOST {
        ValueType::I32
    } else {
        ValueType::I64
    }
}

impl nnz_core::MatrixSink for MatrixSink {
    fn write(&mut self, batch: &Batch) -> Result<()> {
        let encoded = self.encoder.encode_batch(batch)?;
        self.put(&encoded)
    }

    fn encoder(&self) -> Option<Arc<dyn BatchEncoder>> {
        let encoder: Arc<dyn BatchEncoder> = Arc::<MatrixEncoder>::clone(&self.encoder);
        Some(encoder)
    }

    fn write_encoded(&mut self, encoded: Encoded) -> Result<()> {
        match encoded.downcast::<EncodedBatch>() {
            Ok(batch) => self.put(&batch),
            Err(_) => Err(Error::argument("a batch that was encoded for another sink")),
        }
    }

    fn finish(mut self: Box<Self>) -> Result<Written> {
        self.point_to(self.majors.saturating_add(1))?;
        Ok(Written { bytes: self.output.finish()? })
    }
}

//! Writing a folder like Cell Ranger.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

use flate2::write::GzEncoder;
use nnz_core::{
    At, Axis, Batch, BatchEncoder, Encoded, Error, ErrorKind, Header, MatrixSink, Names, Order,
    Place, Result, SinkCapabilities, StringList, ValueType, Written,
};
use nnz_lines::TextTarget;
use nnz_storage::staging::{StagedDirectory, WriteOptions};

use crate::{Layout, Options};

/// Capabilities of folders: integers and real numbers, and names.
pub const CAPABILITIES: SinkCapabilities = SinkCapabilities::new(
    &[Order::Col, Order::Row],
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
    ],
)
.unique(true)
.names(true)
.annotations(true)
.positions(false);

/// The names of all files that a folder of any version has.
pub const MEMBERS: &[&str] = &[
    "matrix.mtx",
    "matrix.mtx.gz",
    "features.tsv",
    "features.tsv.gz",
    "genes.tsv",
    "genes.tsv.gz",
    "barcodes.tsv",
    "barcodes.tsv.gz",
];

/// Which files are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FolderVersion {
    /// `matrix.mtx`, `genes.tsv` with two columns and `barcodes.tsv`: Cell Ranger 1 and 2.
    V2,
    /// `matrix.mtx.gz`, `features.tsv.gz` with three columns and `barcodes.tsv.gz`: Cell Ranger 3
    /// and later. The default.
    #[default]
    V3,
}

/// Additional columns of features, each with a string for every feature.
#[derive(Clone, Debug, Default)]
pub struct FeatureColumns {
    /// The names of features; if missing, their ids are used.
    pub names: Option<StringList>,
    /// The types of features, such as `Gene Expression`, which is used if they are missing.
    pub types: Option<StringList>,
}

/// A sink that writes a folder.
struct FolderSink {
    directory: StagedDirectory,
    matrix: Box<dyn MatrixSink>,
}

/// Creates a folder for a matrix with the shape, order and value type of `header`. All names are
/// read.
///
/// # Errors
///
/// Fails if the target must not be replaced or cannot be written, if rows or columns have no names,
/// or if a name contains a tab or a line break.
pub fn create(
    path: &Path,
    header: &Header,
    names: [Option<Names<'_>>; 2],
    columns: &FeatureColumns,
    version: FolderVersion,
    write: WriteOptions,
) -> Result<Box<dyn MatrixSink>> {
    let directory = StagedDirectory::create(path, &write, MEMBERS)?;
    let [rows, cols] = names;
    let of = |names: Option<_>, axis| {
        let what = format!("the {axis} have no names, which a 10x directory requires");
        names.ok_or_else(|| Error::unsupported(Place::path(path), what))
    };
    let (mut rows, mut cols) = (of(rows, Axis::Rows)?, of(cols, Axis::Cols)?);
    let (matrix, features, barcodes) = match version {
        FolderVersion::V2 => ("matrix.mtx", "genes.tsv", "barcodes.tsv"),
        FolderVersion::V3 => ("matrix.mtx.gz", "features.tsv.gz", "barcodes.tsv.gz"),
    };
    let mut lines = Table::create(&directory, features)?;
    let mut number = 0;
    while let Some(id) = rows.next_string()? {
        let name = columns.names.as_ref().map_or(Some(id), |names| names.get(number));
        lines.field(id)?;
        lines.tab()?;
        lines.field(name.unwrap_or(id))?;
        if version == FolderVersion::V3 {
            let kind = columns.types.as_ref().and_then(|types| types.get(number));
            lines.tab()?;
            lines.field(kind.unwrap_or(b"Gene Expression"))?;
        }
        lines.end()?;
        number += 1;
    }
    lines.finish()?;
    let mut lines = Table::create(&directory, barcodes)?;
    while let Some(barcode) = cols.next_string()? {
        lines.field(barcode)?;
        lines.end()?;
    }
    lines.finish()?;
    let file = directory.create_file(matrix)?;
    let target = TextTarget::Stream {
        writer: Box::new(BufWriter::new(file)),
        name: path.join(matrix).to_string_lossy().into_owned(),
        context: write.context.clone(),
    };
    let mut options = Options::new(Layout::Coordinate, &target);
    if version == FolderVersion::V3 {
        options.gzip = true;
        options.comment = format!(
            "%metadata_json: {{\"software_version\": \"nnz-{}\", \"format_version\": 2}}",
            env!("CARGO_PKG_VERSION")
        );
    }
    let matrix = crate::create(target, header, options)?;
    Ok(Box::new(FolderSink { directory, matrix }))
}

impl MatrixSink for FolderSink {
    fn write(&mut self, batch: &Batch) -> Result<()> {
        self.matrix.write(batch)
    }

    fn encoder(&self) -> Option<Arc<dyn BatchEncoder>> {
        self.matrix.encoder()
    }

    fn write_encoded(&mut self, encoded: Encoded) -> Result<()> {
        self.matrix.write_encoded(encoded)
    }

    fn finish(self: Box<Self>) -> Result<Written> {
        let Self { directory, matrix } = *self;
        matrix.finish()?;
        directory.commit().map(Written::new)
    }
}

/// A table of names being written, gzipped if its name ends in `.gz`.
struct Table {
    out: Out,
    place: Place,
    line: u64,
}

enum Out {
    Plain(BufWriter<File>),
    Gzip(Box<GzEncoder<BufWriter<File>>>),
}

impl Table {
    fn create(directory: &StagedDirectory, name: &str) -> Result<Self> {
        let file = BufWriter::new(directory.create_file(name)?);
        let out = match name.ends_with(".gz") {
            true => Out::Gzip(Box::new(GzEncoder::new(file, flate2::Compression::new(6)))),
            false => Out::Plain(file),
        };
        Ok(Self { out, place: Place::path(directory.path().join(name)), line: 1 })
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let written = match &mut self.out {
            Out::Plain(file) => file.write_all(bytes),
            Out::Gzip(encoder) => encoder.write_all(bytes),
        };
        written.map_err(|error| Error::new(ErrorKind::Io(error), self.place.clone()))
    }

    fn tab(&mut self) -> Result<()> {
        self.write(b"\t")
    }

    fn field(&mut self, bytes: &[u8]) -> Result<()> {
        if bytes.iter().any(|byte| matches!(byte, b'\t' | b'\n' | b'\r')) {
            let place = self.place.clone().at(At::Line { line: self.line, column: 1 });
            let found = format!("the name \"{}\"", bytes.escape_ascii());
            return Err(Error::mismatch(place, found, "names without tabs and line breaks"));
        }
        self.write(bytes)
    }

    fn end(&mut self) -> Result<()> {
        self.line += 1;
        self.write(b"\n")
    }

    fn finish(self) -> Result<()> {
        let place = self.place;
        let file = match self.out {
            Out::Plain(file) => Ok(file),
            Out::Gzip(encoder) => encoder.finish(),
        };
        file.and_then(|mut file| file.flush())
            .map_err(|error| Error::new(ErrorKind::Io(error), place))
    }
}

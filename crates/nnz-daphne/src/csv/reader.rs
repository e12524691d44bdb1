//! Reading a frame from text.

use std::io::Read;
use std::path::{Path, PathBuf};

use csv::{ByteRecord, Reader, ReaderBuilder};
use nnz_core::{At, Error, ErrorKind, Place, Result, ValueType, Values};
use nnz_storage::Opened;

use super::field;
use super::infer::ColumnInference;
use super::strict::{Fault, Strict};
use crate::{Column, FrameBatch, FrameReader};

/// Fields in a batch, unless one row has more.
const FIELDS: usize = 1 << 18;

/// Options for reading text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// The type of each column. By default types are inferred, for which the text is read twice.
    pub types: Option<Vec<ValueType>>,
}

/// Reads comma-separated values as a frame.
pub struct CsvReader {
    records: Records,
    columns: Vec<Column>,
    rows: u64,
}

impl std::fmt::Debug for CsvReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CsvReader").finish_non_exhaustive()
    }
}

/// The records of a file, starting with the labels.
struct Records {
    path: PathBuf,
    reader: Reader<Strict<Box<dyn Read + Send>>>,
    record: ByteRecord,
    labels: Vec<String>,
}

impl CsvReader {
    /// Opens a file, and infers types that are not given.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read, if its labels are not UTF-8, if the numbers of types and
    /// labels differ, or if no type can represent a column.
    pub fn open(path: &Path, options: &ReadOptions) -> Result<Self> {
        Self::from_opened(&Opened::local(path)?, options)
    }

    /// Creates a reader for an open file, and infers types that are not given.
    ///
    /// # Errors
    ///
    /// Fails like [`open`](Self::open).
    pub fn from_opened(opened: &Opened, options: &ReadOptions) -> Result<Self> {
        let mut records = Records::open(opened)?;
        let types = match &options.types {
            Some(types) => types.clone(),
            None => {
                let types = records.infer()?;
                records = Records::open(opened)?;
                types
            }
        };
        Self::new(records, &types)
    }

    /// Creates a reader for a stream, such as a pipe, which can be read only once, so types have to
    /// be given. `name` is used in messages.
    ///
    /// # Errors
    ///
    /// Fails like [`open`](Self::open).
    pub fn from_reader(
        reader: Box<dyn Read + Send>,
        name: &Path,
        types: &[ValueType],
    ) -> Result<Self> {
        Self::new(Records::read(reader, name)?, types)
    }

    fn new(records: Records, types: &[ValueType]) -> Result<Self> {
        if types.len() != records.labels.len() {
            let found = format!("{} labels", records.labels.len());
            let place = records.place(1, None);
            return Err(Error::mismatch(
                place,
                found,
                format!("{}, one for each type", types.len()),
            ));
        }
        if let Some(other) = types.iter().find(|t| **t == ValueType::Bint8 || t.is_complex()) {
            return Err(crate::block::refused_type(*other));
        }
        let columns = records.labels.iter().zip(types.iter().copied());
        let columns = columns
            .map(|(label, value_type)| Column { label: label.clone(), value_type })
            .collect();
        Ok(Self { records, columns, rows: 0 })
    }
}

impl FrameReader for CsvReader {
    fn columns(&self) -> &[Column] {
        &self.columns
    }

    fn next_batch(&mut self, batch: &mut FrameBatch) -> Result<bool> {
        let first = self.rows;
        batch.columns.clear();
        batch.columns.extend(self.columns.iter().map(|column| Values::new(column.value_type)));
        let most = (FIELDS / self.columns.len().max(1)).max(1) as u64;
        while self.rows - first < most && self.records.next()? {
            for (number, values) in batch.columns.iter_mut().enumerate() {
                let text = self.records.text(number)?;
                if !field::push(values, text) {
                    let expected = format!("a number that {} holds exactly", values.value_type());
                    return Err(self.records.refuse(number, &expected));
                }
            }
            self.rows += 1;
        }
        batch.rows = first..self.rows;
        Ok(self.rows > first)
    }
}

impl Records {
    fn open(opened: &Opened) -> Result<Self> {
        let reader: Box<dyn Read + Send> = match opened {
            Opened::File(file) => Box::new(file.reader()),
            Opened::Directory(directory) => {
                let error = std::io::ErrorKind::IsADirectory.into();
                return Err(Error::io(directory.path(), error));
            }
            Opened::Special(context, path) => {
                context.storage().open_stream(path).map_err(|error| Error::io(path, error))?
            }
        };
        Self::read(reader, opened.path())
    }

    fn read(reader: Box<dyn Read + Send>, path: &Path) -> Result<Self> {
        let reader = Strict::new(reader);
        let reader = ReaderBuilder::new().has_headers(false).flexible(true).from_reader(reader);
        let record = ByteRecord::new();
        let mut records = Self { path: path.to_path_buf(), reader, record, labels: Vec::new() };
        if records.advance()? {
            for number in 0..records.record.len() {
                let label = records.text(number)?.to_owned();
                records.labels.push(label);
            }
        } else {
            let what = "the file is empty; expected a header".to_owned();
            return Err(Error::new(ErrorKind::Unrecognized(what), Place::path(path)));
        }
        Ok(records)
    }

    fn advance(&mut self) -> Result<bool> {
        let advanced = self.reader.read_byte_record(&mut self.record);
        advanced.map_err(|error| match error.into_kind() {
            csv::ErrorKind::Io(error) => match error.get_ref().and_then(|e| e.downcast_ref()) {
                Some(&Fault { line, column, found, expected }) => {
                    let place = Place::path(&*self.path).at(At::Line { line, column });
                    Error::mismatch(place, found, expected)
                }
                None => Error::io(&self.path, error),
            },
            other => {
                Error::new(ErrorKind::Unrecognized(format!("{other:?}")), Place::path(&*self.path))
            }
        })
    }

    /// Reads the next record, which has a field for each label.
    fn next(&mut self) -> Result<bool> {
        if !self.advance()? {
            return Ok(false);
        }
        if self.record.len() != self.labels.len() {
            let fields = self.record.len();
            let found = format!("{fields} field{}", if fields == 1 { "" } else { "s" });
            let line = self.record.position().map_or(0, csv::Position::line);
            let expected = format!("{}, one for each label", self.labels.len());
            return Err(Error::mismatch(self.place(line, None), found, expected));
        }
        Ok(true)
    }

    /// Returns a field as text.
    fn text(&self, number: usize) -> Result<&str> {
        let field = self.record.get(number).unwrap_or_default();
        std::str::from_utf8(field).map_err(|error| self.refuse(number, "UTF-8").with_source(error))
    }

    fn place(&self, line: u64, field: Option<usize>) -> Place {
        // Only quotes that are required are counted; the record no longer has information on
        // others.
        let before = (0..field.unwrap_or(0)).filter_map(|number| self.record.get(number));
        let column = before.fold(1, |at, field| at + field.len() as u64 + 1);
        Place::default()
            .with_path(self.path.clone())
            .with_array(
                field.and_then(|number| self.labels.get(number)).map(|label| format!("{label:?}")),
            )
            .at(At::Line { line, column })
    }

    /// Returns the error for an invalid field.
    fn refuse(&self, number: usize, expected: &str) -> Error {
        let line = self.record.position().map_or(1, csv::Position::line);
        let field = self.record.get(number).unwrap_or_default();
        let shown = String::from_utf8_lossy(&field[..field.len().min(40)]);
        Error::mismatch(self.place(line, Some(number)), format!("{shown:?}"), expected)
    }

    /// Infers the type of each column.
    fn infer(&mut self) -> Result<Vec<ValueType>> {
        let mut inferred = vec![ColumnInference::new(); self.labels.len()];
        while self.next()? {
            for (number, seen) in inferred.iter_mut().enumerate() {
                let before = *seen;
                if !seen.see(self.text(number)?) {
                    let expected = before.expected(self.text(number)?);
                    return Err(self.refuse(number, &expected));
                }
            }
        }
        Ok(inferred.into_iter().map(ColumnInference::value_type).collect())
    }
}

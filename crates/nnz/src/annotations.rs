//! Annotations of rows and columns.

use std::io::{self, BufRead as _, BufReader, BufWriter, Read, Write};
use std::path::Path;

use nnz_core::{At, Axis, Error, ErrorKind, MatrixSource, Place, Result, Written};
use nnz_lines::{Input, Output, TextTarget};
use nnz_storage::Opened;
use nnz_storage::staging::WriteOptions;
use nnz_storage::stdio::{self, TerminalEscapes};

use crate::Location;

pub use nnz_core::{
    Annotations, Categorical, Categories, Column, ColumnInfo, ColumnType, ColumnValues,
    ORIGINAL_POSITION,
};
pub use nnz_engine::{
    AnnotationTable, AnnotationText, Keyed, Labelled, Labels, NameList, OriginalPositions,
    write_annotations, write_table,
};

/// Returns the separator of the values of a table by the extension of its file: a comma for `.csv`, a tab
/// for `.tsv` and `.txt`, also compressed.
///
/// # Errors
///
/// Fails for any other extension.
pub fn separator_of(path: &Path) -> Result<u8> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let (plain, _) = nnz_lines::Compression::of_name(&name);
    match Path::new(plain).extension().and_then(|ending| ending.to_str()) {
        Some("csv") => Ok(b','),
        Some("tsv" | "txt") => Ok(b'\t'),
        _ => Err(Error::argument(format!(
            "{}: expected .csv, .tsv or .txt, also with .gz",
            path.display()
        ))),
    }
}

/// A table that is written to a `.csv`, `.tsv` or `.txt` file, also with `.gz`, which appears when it is complete, or to standard
/// output, which gets tabs.
#[derive(Debug)]
pub struct TableOutput {
    output: Output,
    separator: u8,
    place: Place,
}

impl TableOutput {
    /// Starts writing a table.
    ///
    /// # Errors
    ///
    /// Fails as [`separator_of`], and if the file exists and may not be replaced, or cannot be created.
    pub fn create(to: &Location, options: WriteOptions) -> Result<Self> {
        let to = to.resolve_target()?;
        let Location::Path { path, group } = to else {
            let writer = Box::new(stdio::stdout(TerminalEscapes::Text));
            let (name, context) = ("standard output".to_owned(), options.context);
            let place = Place::path(&name);
            let target = TextTarget::Stream { writer, name, context };
            return Ok(Self { output: Output::create(target, false)?, separator: b'\t', place });
        };
        let place = Place::path(&path);
        if group.is_some() {
            return Err(Error::argument(format!("{place}: a table has no groups")));
        }
        let separator = separator_of(&path)?;
        let gzip = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("gz"));
        let output = Output::create(TextTarget::File { path, options }, gzip)?;
        Ok(Self { output, separator, place })
    }

    /// Writes a table.
    ///
    /// # Errors
    ///
    /// Fails if writing fails; there is no file then.
    pub fn write(self, table: &AnnotationTable) -> Result<Written> {
        self.write_with(|separator, out| {
            write_table(table, &AnnotationText::default().separator(separator), out)
        })
    }

    /// Writes a table with a function, which gets the separator.
    pub(crate) fn write_with(
        mut self,
        write: impl FnOnce(u8, &mut dyn Write) -> Result<()>,
    ) -> Result<Written> {
        let mut out = BufWriter::new(&mut self.output);
        let written = write(self.separator, &mut out).and_then(|()| {
            out.flush().map_err(|error| Error::new(ErrorKind::Io(error), Place::default()))
        });
        drop(out);
        written.map_err(|error| error.with_context(&self.place))?;
        self.output.finish()
    }
}

/// Reads a table of comma- or tab-separated values, plain or compressed, which may take `memory` bytes. See
/// [`AnnotationTable::from_text`].
///
/// # Errors
///
/// Fails as [`separator_of`] and [`AnnotationTable::from_text`], and if the file cannot be read.
pub fn read_table(path: impl AsRef<Path>, memory: u64) -> Result<AnnotationTable> {
    let path = path.as_ref();
    let separator = separator_of(path)?;
    let input = Input::open(&Opened::local(path)?)?;
    let mut reader = BufReader::new(input.reader);
    let table = match reader.fill_buf() {
        Ok(start) => {
            let separator = used_separator(start, separator);
            AnnotationTable::from_text(reader, separator, memory)
        }
        Err(error) => AnnotationTable::from_text(Failing(Some(error)), separator, memory),
    };
    let place = Place::path(path);
    match table {
        Ok(table) => Ok(table.with_place(place)),
        Err(error) => Err(error.with_context(&place)),
    }
}

/// A text of which the first read failed.
struct Failing(Option<io::Error>);

impl Read for Failing {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

/// Returns the separator of a table whose first line does not have the usual one of its extension: spreadsheets write semicolons
/// where commas separate decimals, and `.txt` may have commas.
fn used_separator(start: &[u8], usual: u8) -> u8 {
    let line = start.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let others = [b';', b',', b'\t'].into_iter().filter(|_| !line.contains(&usual));
    others.into_iter().find(|other| line.contains(other)).unwrap_or(usual)
}

/// Reads the names of rows or columns from a text, plain or compressed, which may take `memory` bytes; see
/// [`NameList::from_text`].
///
/// # Errors
///
/// Fails as [`separator_of`] and [`NameList::from_text`], and if the file cannot be read.
pub fn read_names(path: impl AsRef<Path>, memory: u64) -> Result<NameList> {
    let path = path.as_ref();
    let separator = separator_of(path)?;
    let input = Input::open(&Opened::local(path)?)?;
    let place = Place::path(path);
    match NameList::from_text(input.reader, separator, memory) {
        Ok(list) => Ok(list.with_place(place)),
        Err(error) => Err(error.with_context(&place)),
    }
}

/// Writes the names of an axis as regions in BED, if each is one: `chr1:100-200` as Cell Ranger ATAC names
/// peaks, or `chr1-100-200` as Signac does.
///
/// # Errors
///
/// Fails if the axis has no names or one of them is not a region, and if the text cannot be written.
pub fn write_bed(matrix: &dyn MatrixSource, axis: Axis, out: &mut dyn Write) -> Result<()> {
    let place = || Place::array(std::path::PathBuf::new(), format!("names of {axis}"));
    let Some(mut names) = matrix.read_names(axis)? else {
        return Err(Error::unsupported(Place::default(), format!("the {axis} have no names")));
    };
    let mut number = 0;
    while let Some(name) = names.next_string()? {
        let text = std::str::from_utf8(name).ok();
        let Some((chromosome, start, end)) = text.and_then(region) else {
            let found = format!("\"{}\"", String::from_utf8_lossy(name).escape_debug());
            let place = place().with_path(None).at(At::Element(number));
            return Err(Error::mismatch(place, found, "a region such as chr1:100-200"));
        };
        let written = writeln!(out, "{chromosome}\t{start}\t{end}");
        written.map_err(|error| Error::new(ErrorKind::Io(error), Place::default()))?;
        number += 1;
    }
    Ok(())
}

/// Parses a region.
fn region(name: &str) -> Option<(&str, u64, u64)> {
    let (before, end) = name.rsplit_once('-')?;
    let (chromosome, start) = before.rsplit_once(':').or_else(|| before.rsplit_once('-'))?;
    let position = |text: &str| {
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        digits.then(|| text.parse::<u64>().ok()).flatten()
    };
    let (start, end) = (position(start)?, position(end)?);
    let is_name = !chromosome.is_empty() && !chromosome.contains(char::is_whitespace);
    (is_name && start <= end).then_some((chromosome, start, end))
}

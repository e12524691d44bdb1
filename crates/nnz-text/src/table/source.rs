//! A table as a matrix source.

use nnz_storage::TaskContext;
use std::io::{self, Read};
use std::ops::Range;
use std::path::Path;

use nnz_core::{
    About, Annotations, At, Axis, Duplicates, Error, ErrorKind, Header, MatrixSource, Names, Order,
    Place, Projection, Result, Shape, Storage, StringList, UnitReader, Values,
};
use nnz_lines::Input;
use nnz_storage::{InputFile, Opened};

use super::annotations::Texts;
use super::blocks::Blocks;
use super::fault::{Expected, Fault, position};
use super::gct;
use super::layout::Layout;
use super::options::ReadOptions;
use super::rows::nth_cell;
use super::scan::{ScanResult, scan};
use super::sniff::{Start, comment_bytes, looks_like_gct};
use super::spool::spool;
use super::units::TableUnits;

/// The records that are read before the separator is detected.
const RECORDS: usize = 4;

/// A table of numbers in a text, all of which has been read once.
pub struct TableSource {
    file: InputFile,
    container: String,
    layout: Layout,
    header: Header,
    row_names: Option<StringList>,
    annotations: [Option<Texts>; 2],
    rows: Vec<u64>,
    kept: Option<Vec<Values>>,
}

/// Opens a table: a file, compressed or not, or a pipe, which is copied to a temporary file.
///
/// # Errors
///
/// Fails if it cannot be read, if it is not a table of numbers, or if the text does not decide how it
/// has to be read.
pub fn open(opened: &Opened, options: &ReadOptions) -> Result<TableSource> {
    match opened {
        Opened::File(file) => TableSource::new(file.clone(), "file", options),
        Opened::Directory(directory) => {
            Err(Error::io(directory.path(), io::ErrorKind::IsADirectory.into()))
        }
        Opened::Special(context, path) => {
            let stream =
                context.storage().open_stream(path).map_err(|error| Error::io(path, error))?;
            from_reader(stream, path, options, context)
        }
    }
}

/// Reads a table from a stream, which is copied to a temporary file. Messages use `name`.
///
/// ```
/// use nnz_core::MatrixSource;
/// use nnz_text::table::{ReadOptions, from_reader};
///
/// let text = b",a,b\nx,1,0\ny,0,2\n";
/// let options = ReadOptions::default();
/// let table = from_reader(Box::new(&text[..]), "example".as_ref(), &options, &Default::default())?;
/// assert_eq!(table.header().shape.to_string(), "2 x 2");
/// # Ok::<(), nnz_core::Error>(())
/// ```
///
/// # Errors
///
/// Fails as [`open`].
pub fn from_reader(
    reader: Box<dyn Read + Send>,
    name: &Path,
    options: &ReadOptions,
    context: &TaskContext,
) -> Result<TableSource> {
    TableSource::new(spool(reader, name, context)?, "stream", options)
}

impl TableSource {
    fn new(file: InputFile, thing: &str, options: &ReadOptions) -> Result<Self> {
        let input = Input::from_file(&file)?;
        let container = input.compression.of_thing(thing);
        let path = file.path().to_path_buf();
        let mut blocks = Blocks::new(input.reader, &path);
        let layout = detect(&mut blocks, &path, options)?;
        let ScanResult { mut ids, rows, kept, value_type } =
            scan(blocks, &layout, &path, options, file.context())?;
        let count = rows.iter().sum();
        if let Some(stated) = layout.stated_rows.filter(|stated| *stated != count) {
            let place = Place::path(&path).at(At::Line { line: 2, column: 1 });
            let found = match count {
                1 => "1 row in the file".to_owned(),
                _ => format!("{count} rows in the file"),
            };
            return Err(Error::mismatch(place, found, Expected::Rows(stated)));
        }
        let shape = Shape { rows: count, cols: layout.cols };
        let mut extra = ids.split_off(ids.len().min(1));
        if layout.gct == Some("1.2") {
            // The format requires a description, even if there is none.
            let is_described =
                |list: &StringList| list.iter().any(|text| !matches!(text, b"" | b"na"));
            extra.retain(is_described);
        }
        let label = |index: usize| match layout.id_labels.get(index) {
            Some(label) if !label.is_empty() => label.clone(),
            _ => format!("id_{}", index + 1),
        };
        let extra = extra.into_iter().enumerate().map(|(at, list)| (label(at + 1), list));
        let table = |texts: Texts| Some(texts).filter(|texts| !texts.columns().is_empty());
        let place = Place::path(&path);
        let annotations = [
            table(Texts::new(extra, shape.rows, &place)?),
            table(Texts::new(layout.col_annotations.iter().cloned(), shape.cols, &place)?),
        ];
        let header = Header::new(shape, Order::Row, value_type)
            .sorted_indices(true)
            .nnz(u64::try_from(shape.elements()).ok())
            .storage(Storage::Dense)
            .duplicates(Duplicates::Refused);
        let row_names = ids.pop();
        Ok(Self { file, container, layout, header, row_names, annotations, rows, kept })
    }

    pub(super) fn rows(&self) -> &[u64] {
        &self.rows
    }

    pub(super) fn kept(&self) -> &[Values] {
        self.kept.as_deref().unwrap_or_default()
    }

    pub(super) fn layout(&self) -> &Layout {
        &self.layout
    }

    pub(super) fn table_header(&self) -> &Header {
        &self.header
    }

    pub(super) fn path(&self) -> &Path {
        self.file.path()
    }

    pub(super) fn changed(&self) -> Error {
        Error::new(ErrorKind::Changed, self.file.place())
    }

    /// Reads the text again, from the first row on.
    fn text(&self) -> Result<Blocks> {
        self.file.check_unchanged()?;
        let input = Input::from_file(&self.file)?;
        let mut blocks = Blocks::new(input.reader, self.path());
        let [before, header] = self.layout.preamble;
        // The same steps as when the layout was detected, so that the blocks are the same.
        blocks.peek(1)?;
        blocks.skip(before);
        let (text, _) = blocks.peek(RECORDS)?;
        if self.layout.gct.is_some() {
            let records = gct::preamble_records(text);
            blocks.peek(records)?;
        }
        blocks.skip(header);
        Ok(blocks)
    }
}

/// Detects the layout, and skips the text before the first row.
fn detect(blocks: &mut Blocks, path: &Path, options: &ReadOptions) -> Result<Layout> {
    let (text, _) = blocks.peek(1)?;
    let is_gct = looks_like_gct(text);
    let before = match is_gct {
        true => 0,
        false => comment_bytes(text),
    };
    blocks.skip(before);
    let (text, _) = blocks.peek(RECORDS)?;
    if text.is_empty() {
        let what = "an empty file";
        return Err(Error::mismatch(
            Place::path(path).at(At::Line { line: 1, column: 1 }),
            what,
            "a table",
        ));
    }
    if is_gct {
        let records = gct::preamble_records(text);
        blocks.peek(records)?;
    }
    let line = blocks.line();
    let (text, ended) = blocks.peek(1)?;
    // Without the start of a record that is not complete.
    let whole = match ended {
        true => text.len(),
        false => super::blocks::last_boundary(text).unwrap_or(text.len()),
    };
    let text = text.get(..whole).unwrap_or_default();
    let start = Start { text, line, path };
    let mut layout = match is_gct {
        true => gct::detect(&start, options)?,
        false => start.detect(options)?,
    };
    if memchr::memchr(0, text.get(..layout.preamble[1]).unwrap_or_default()).is_some() {
        let zero = memchr::memchr(0, text).unwrap_or(0);
        return Err(start.error(&Fault::new(zero, Expected::NoZeroByte)));
    }
    layout.preamble[0] = before;
    blocks.skip(layout.preamble[1]);
    Ok(layout)
}

impl MatrixSource for TableSource {
    fn header(&self) -> &Header {
        &self.header
    }

    fn about(&self) -> Result<About> {
        Ok(About::new("dense table", self.container.clone())
            .dialect(self.layout.describe())
            .bytes(self.file.len()))
    }

    fn read_names(&self, axis: Axis) -> Result<Option<Names<'_>>> {
        let list = match axis {
            Axis::Rows => &self.row_names,
            Axis::Cols => &self.layout.col_names,
        };
        Ok(list.as_ref().map(StringList::reader))
    }

    fn annotations(&self, axis: Axis) -> Result<Option<Box<dyn Annotations + '_>>> {
        let [rows, cols] = &self.annotations;
        let table = match axis {
            Axis::Rows => rows,
            Axis::Cols => cols,
        };
        Ok(table.as_ref().map(|table| Box::new(table) as Box<dyn Annotations>))
    }

    fn random_access(&self) -> bool {
        false
    }

    fn units(&self, majors: Range<u64>, _: Projection) -> Result<Box<dyn UnitReader<'_> + '_>> {
        if majors != (0..self.header.shape.rows) {
            let what = "a text can only be read as a whole, not by a range of rows or columns";
            return Err(Error::unsupported(self.file.place(), what));
        }
        let text = match self.kept {
            Some(_) => None,
            None => Some(self.text()?),
        };
        Ok(Box::new(TableUnits { source: self, text, block: 0, first: 0 }))
    }

    fn locate(&self, row: u64, col: u64) -> Result<Vec<At>> {
        if row >= self.header.shape.rows || col >= self.header.shape.cols {
            return Ok(Vec::new());
        }
        let mut text = self.text()?;
        let mut first = 0;
        for rows in &self.rows {
            let Some(block) = text.next_block()? else { break };
            if row - first < *rows {
                let nth = (row - first).saturating_mul(self.layout.cols).saturating_add(col);
                let nth = usize::try_from(nth).unwrap_or(usize::MAX);
                let at = nth_cell(block.text(), &self.layout, nth);
                return Ok(at
                    .map(|at| position(block.text(), block.line, at))
                    .into_iter()
                    .collect());
            }
            first += rows;
        }
        Ok(Vec::new())
    }
}

impl std::fmt::Debug for TableSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TableSource")
            .field("path", &self.path())
            .field("header", &self.header)
            .finish_non_exhaustive()
    }
}

//! Segments as one matrix.

use std::io;
use std::ops::Range;
use std::path::Path;

use nnz_core::{
    About, At, Axis, Batch, Error, ErrorKind, Header, Majors, MatrixSource as _, Names, Place,
    Projection, Result, Shape, Storage, Unit, UnitReader, check_requested, readable,
};
use nnz_storage::{InputDirectory, InputFile};

use super::parse_name;
use crate::file::DataFile;
use crate::matrix::reads_dense;
use crate::object::Object;
use crate::{MatrixSource, Meta, ReadOptions};

/// The number of attempts to open a directory that is replaced concurrently.
const ATTEMPTS: u8 = 100;

/// The segments of a matrix, read like a single file.
#[derive(Debug)]
pub struct SegmentsSource {
    header: Header,
    segments: Vec<MatrixSource>,
    /// The first row of each segment, and the end of the last.
    starts: Vec<u64>,
}

impl SegmentsSource {
    /// Returns whether a path is a directory of segments.
    ///
    /// # Errors
    ///
    /// Fails if the system cannot read it.
    pub fn is_at(path: &Path) -> Result<bool> {
        let is_in = InputDirectory::open(path).and_then(|directory| Self::is_in(&directory));
        Ok(readable(is_in)?.unwrap_or(false))
    }

    /// Returns whether a directory has segments. A directory that must not be listed has none.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be listed for another reason.
    pub fn is_in(directory: &InputDirectory) -> Result<bool> {
        let mut found = false;
        let listed = directory.for_each(&mut |entry| {
            found = entry.name.to_str().and_then(parse_name).is_some();
            Ok(!found)
        });
        match listed.map_err(Error::into_parts) {
            Err((ErrorKind::Io(error), _)) if error.kind() == io::ErrorKind::PermissionDenied => {
                Ok(false)
            }
            Err((kind, place)) => Err(Error::new(kind, place)),
            Ok(()) => Ok(found),
        }
    }

    /// Opens all segments of a directory.
    ///
    /// They are numbered from 0 or 1 without gaps, and have the same columns and value type.
    ///
    /// # Errors
    ///
    /// Fails if there are none, if one is missing or cannot be opened, or if they are inconsistent.
    pub fn open(path: &Path, options: &ReadOptions) -> Result<Self> {
        Self::from_directory(&InputDirectory::open(path)?, options)
    }

    /// Opens the segments of a directory that has been listed.
    ///
    /// # Errors
    ///
    /// Fails like [`open`](Self::open).
    pub fn from_directory(directory: &InputDirectory, options: &ReadOptions) -> Result<Self> {
        let mut directory = directory.clone();
        // A file may be missing because the directory was replaced; then the new one is opened.
        for _ in 0..ATTEMPTS {
            match Self::open_all(&directory, options) {
                Err(_) if directory.is_replaced() => directory = directory.reopen()?,
                opened => return opened,
            }
        }
        Err(Error::new(ErrorKind::Changed, directory.place()))
    }

    fn open_all(directory: &InputDirectory, options: &ReadOptions) -> Result<Self> {
        let path = directory.path();
        let files = files(directory)?;
        let open = |file: &InputFile| Object::open(DataFile::new(file.clone()), options);
        let objects = files.iter().map(open).collect::<Result<Vec<Object>>>()?;
        let dense = objects.iter().all(reads_dense);
        let mut segments: Vec<MatrixSource> = Vec::new();
        let mut starts = vec![0_u64];
        for (file, object) in files.iter().zip(objects) {
            if object.data_type == crate::DataType::Frame {
                return Err(object.file.mismatch(1, "a frame", "a matrix"));
            }
            let segment = MatrixSource::new(object, dense);
            if let Some(first) = segments.first() {
                let kind = |segment: &MatrixSource| {
                    let header = segment.header();
                    format!("{} columns of {}", header.shape.cols, header.value_type)
                };
                if kind(&segment) != kind(first) || segment.data_type() != first.data_type() {
                    let (found, expected) = (kind(&segment), kind(first));
                    let found = format!("a {} of {found}", segment.data_type().name());
                    let expected = format!("a {} of {expected}", first.data_type().name());
                    return Err(Error::mismatch(file.place(), found, expected));
                }
            }
            let before = starts.last().copied().unwrap_or(0);
            let rows = before.checked_add(segment.header().shape.rows);
            let Some(rows) = rows else {
                let what = "more rows than 64 bits can count";
                return Err(Error::unsupported(file.place(), what));
            };
            starts.push(rows);
            segments.push(segment);
        }
        let rows = starts.last().copied().unwrap_or(0);
        let Some(first) = segments.first() else {
            return Err(Error::mismatch(Place::path(path), "no segment", "at least one"));
        };
        let sum = |sum: Option<u64>, segment: &MatrixSource| {
            sum.and_then(|sum| sum.checked_add(segment.header().nnz?))
        };
        let ascend = segments.iter().all(|s| s.header().sorted_indices == Some(true));
        let header = first
            .header()
            .clone()
            .shape(Shape { rows, cols: first.header().shape.cols })
            .nnz(segments.iter().fold(Some(0), sum))
            .sorted_indices(ascend.then_some(true));
        if let Some(meta_file) = directory.sidecar(Meta::SUFFIX)? {
            let meta = Meta::of(&meta_file)?;
            let stated = Shape { rows: meta.num_rows, cols: meta.num_cols };
            if stated != header.shape {
                let expected = format!("{}, like the segments", header.shape);
                return Err(Error::mismatch(meta_file.place(), stated, expected));
            }
        }
        Ok(Self { header, segments, starts })
    }

    /// Returns the segments, in the order of their rows.
    #[must_use]
    pub fn segments(&self) -> &[MatrixSource] {
        &self.segments
    }
}

/// Opens the files of the segments of a directory, by number.
pub(crate) fn files(directory: &InputDirectory) -> Result<Vec<InputFile>> {
    let mut files = Vec::new();
    for name in list(directory)? {
        let missing = || {
            let place = Place::path(directory.path().join(&name));
            Error::new(ErrorKind::Io(std::io::ErrorKind::NotFound.into()), place)
        };
        files.push(directory.open_file(&name)?.ok_or_else(missing)?);
    }
    Ok(files)
}

/// Lists the names of the segments of a directory, by number.
pub(crate) fn list(directory: &InputDirectory) -> Result<Vec<String>> {
    let path = directory.path();
    let mut found: Vec<(u64, String)> = Vec::new();
    directory.for_each(&mut |entry| {
        if let Some(name) = entry.name.to_str()
            && let Some((_, number)) = parse_name(name)
        {
            found.push((number, name.to_owned()));
        }
        Ok(true)
    })?;
    found.sort_unstable();
    let first = found.first().map_or(0, |(number, _)| *number).min(1);
    for (expected, (number, name)) in (first..).zip(&found) {
        let whole = |name: &str| parse_name(name).map(|(whole, _)| whole.to_owned());
        if *number != expected || found.first().and_then(|(_, first)| whole(first)) != whole(name) {
            let place = Place::path(path);
            return Err(Error::mismatch(place, name, format!("segment {expected} of one matrix")));
        }
    }
    Ok(found.into_iter().map(|(_, name)| name).collect())
}

impl nnz_core::MatrixSource for SegmentsSource {
    fn header(&self) -> &Header {
        &self.header
    }

    fn about(&self) -> Result<About> {
        let mut about = About::default();
        for (number, segment) in self.segments.iter().enumerate() {
            let own = segment.about()?;
            if number == 0 {
                about = own;
                continue;
            }
            about.bytes = about.bytes.zip(own.bytes).map(|(a, b)| a + b);
            about.arrays.extend(own.arrays);
        }
        about.container = format!("directory of {} segments", self.segments.len());
        Ok(about)
    }

    fn read_names(&self, _: Axis) -> Result<Option<Names<'_>>> {
        Ok(None)
    }

    fn random_access(&self) -> bool {
        true
    }

    fn units(
        &self,
        majors: Range<u64>,
        fields: Projection,
    ) -> Result<Box<dyn UnitReader<'_> + '_>> {
        check_requested(&majors, self.header.shape.rows, Axis::Rows)?;
        Ok(Box::new(Units { source: self, rows: majors, fields, next: 0, current: None }))
    }

    fn stored_before(&self, major: u64) -> Result<Option<u64>> {
        match self.header.storage {
            Storage::Dense => Ok(major.checked_mul(self.header.shape.cols)),
            Storage::Sparse => Ok(None),
        }
    }

    fn locate(&self, row: u64, col: u64) -> Result<Vec<At>> {
        let number = self.starts.partition_point(|&start| start <= row);
        match number.checked_sub(1).and_then(|number| self.segments.get(number)) {
            Some(segment) => segment.locate(row - self.starts[number - 1], col),
            None => Ok(Vec::new()),
        }
    }

    fn notes(&self) -> Vec<String> {
        let notes = self.segments.iter().enumerate().flat_map(|(number, segment)| {
            let own = segment.notes().into_iter();
            own.map(move |note| format!("part {} of the rows: {note}", number + 1))
        });
        notes.collect()
    }
}

/// Iterates over the units of one segment after another.
struct Units<'a> {
    source: &'a SegmentsSource,
    rows: Range<u64>,
    fields: Projection,
    next: usize,
    /// Units of a segment, and its first row.
    current: Option<(Box<dyn UnitReader<'a> + 'a>, u64)>,
}

/// A unit whose rows are counted from the start of a segment.
struct SegmentUnit<'a> {
    unit: Box<dyn Unit + 'a>,
    rows: u64,
}

impl<'a> UnitReader<'a> for Units<'a> {
    fn next_unit(&mut self) -> Result<Option<Box<dyn Unit + 'a>>> {
        loop {
            if let Some((units, rows)) = &mut self.current {
                if let Some(unit) = units.next_unit()? {
                    return Ok(Some(Box::new(SegmentUnit { unit, rows: *rows })));
                }
                units.end()?;
                self.current = None;
            }
            let Some(segment) = self.source.segments.get(self.next) else { return Ok(None) };
            let (first, end) = (self.source.starts[self.next], self.source.starts[self.next + 1]);
            self.next += 1;
            let rows = self.rows.start.max(first)..self.rows.end.min(end);
            if rows.start < rows.end {
                let units = segment.units(rows.start - first..rows.end - first, self.fields)?;
                self.current = Some((units, first));
            }
        }
    }
}

impl Unit for SegmentUnit<'_> {
    fn decode(self: Box<Self>, batch: &mut Batch) -> Result<()> {
        self.unit.decode(batch)?;
        match &mut batch.majors {
            Majors::Consecutive(first) => *first += self.rows,
            Majors::Listed(listed) => listed.iter_mut().for_each(|row| *row += self.rows),
        }
        Ok(())
    }
}

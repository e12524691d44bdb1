//! A matrix of R as a matrix source.

use std::ops::Range;
use std::path::{Path, PathBuf};

use nnz_container::rds::{self, Compression, Cursor, Document, Limits, Object};
use nnz_core::{
    About, At, Axis, AxisKind, Duplicates, Error, Header, MatrixSource, Names, Order, Place,
    Pointers as _, Projection, Result, Storage, StringReader, Structure, Triangle, UnitReader,
};
use nnz_storage::InputFile;

use super::numbers::{Numbers, within};
use super::parse::{self, Parts, Places};
use super::reader::Reader;
use super::slots::place_of;
use crate::objects::FileInfo;

/// Slots that are named in messages.
const MOST_SLOTS: usize = 10;

/// A matrix of R, in memory.
pub struct RMatrixSource {
    pub(super) path: PathBuf,
    /// The path in the file.
    inside: String,
    pub(super) parts: Parts,
    pub(super) header: Header,
    native: Option<String>,
    compression: Compression,
    /// The size of the file.
    bytes: u64,
}

/// Reads the matrix of an `.rds` file.
///
/// # Errors
///
/// Fails if the file cannot be read, contains no matrix, or one with inconsistent parts.
pub fn open(path: &Path, limits: Limits) -> Result<RMatrixSource> {
    let file = InputFile::open(path)?;
    from_document(&file, rds::read(&file, limits)?)
}

/// Creates a source for the matrix in a file that has been read.
///
/// # Errors
///
/// Fails if it is not a matrix, or if its parts are inconsistent.
pub fn from_document(file: &InputFile, document: Document) -> Result<RMatrixSource> {
    let info = FileInfo::new(file, document.native, document.compression);
    from_object(&info, "", document.object)
}

/// Creates a source for a matrix in an object.
pub(crate) fn from_object(info: &FileInfo, inside: &str, object: Object) -> Result<RMatrixSource> {
    let parts = parse::parse(&info.path, inside, object)?;
    from_parts(info, inside, parts)
}

/// Creates a source for the parts of a matrix.
pub(crate) fn from_parts(info: &FileInfo, inside: &str, mut parts: Parts) -> Result<RMatrixSource> {
    let FileInfo { path, native, compression, bytes, .. } = info;
    let (place, is_logical) =
        (place_of(path, inside, Some("x")), matches!(parts.numbers, Numbers::Logical(_)));
    parts.numbers = parts.numbers.with_missing(&place)?;
    if is_logical
        && matches!((&parts.numbers, &parts.places), (Numbers::Missing(_), Places::Triplets { .. }))
    {
        // Entries of one element are combined with "or", which doubles are not.
        return Err(Error::unsupported(place, "missing values among triplets of logicals"));
    }
    let triangle = matches!(parts.places, Places::Triangle { .. });
    let symmetric = matches!(parts.structure, Structure::Symmetric(_));
    let dense = matches!(parts.places, Places::Dense) || (triangle && symmetric);
    let mut sorted_majors = true;
    let stored = match &parts.places {
        Places::Compressed { minors, .. } => minors.len(),
        Places::Dense => u64::try_from(parts.shape.elements()).unwrap_or(u64::MAX),
        Places::Triplets { rows, cols } => {
            let by_col = ascends(cols, path)?;
            if !by_col && ascends(rows, path)? {
                parts.order = Order::Row;
            } else {
                sorted_majors = by_col;
            }
            rows.len()
        }
        Places::Triangle { .. } => Places::triangle_of(parts.shape.rows),
    };
    let header = Header::new(parts.shape, parts.order, parts.numbers.value_type())
        .ordered(!matches!(parts.places, Places::Triplets { .. }))
        .sorted_majors(sorted_majors)
        .sorted_indices((dense || triangle).then_some(true))
        .iso(parts.numbers.len().is_none())
        .nnz(stored)
        .storage(if dense { Storage::Dense } else { Storage::Sparse })
        .structure(parts.structure)
        .duplicates(Duplicates::Refused);
    Ok(RMatrixSource {
        path: path.clone(),
        inside: inside.to_owned(),
        parts,
        header,
        native: native.clone(),
        compression: *compression,
        bytes: *bytes,
    })
}

fn ascends(indices: &rds::Integers, path: &Path) -> Result<bool> {
    let mut last = i32::MIN;
    let mut sorted = true;
    let read = indices.for_each_block(|_, block| {
        sorted = last <= block.first().copied().unwrap_or(last) && block.is_sorted();
        last = block.last().copied().unwrap_or(last);
        sorted
    });
    within(read, &Place::path(path))?;
    Ok(sorted)
}

impl RMatrixSource {
    pub(super) fn place(&self, name: &str) -> Place {
        place_of(&self.path, &self.inside, Some(name))
    }

    /// Returns the number of elements of the stored triangle before a column.
    pub(super) fn before_in_triangle(&self, col: u64) -> u64 {
        let side = self.header.shape.rows;
        match self.parts.triangle {
            Some(Triangle::Upper) => Places::triangle_of(col),
            _ => Places::triangle_of(side) - Places::triangle_of(side - col.min(side)),
        }
    }
}

impl MatrixSource for RMatrixSource {
    fn header(&self) -> &Header {
        &self.header
    }

    fn about(&self) -> Result<About> {
        let container = match self.compression.name() {
            Some(name) => format!("R object ({name})"),
            None => "R object".to_owned(),
        };
        Ok(About::new("R matrix", container).dialect(self.parts.class.clone()).bytes(self.bytes))
    }

    fn read_names(&self, axis: Axis) -> Result<Option<Names<'_>>> {
        let [rows, cols] = &self.parts.names.of_axes;
        let (names, name) = match axis {
            Axis::Rows => (rows, "Dimnames[[1]]"),
            Axis::Cols => (cols, "Dimnames[[2]]"),
        };
        let Some(names) = names.as_ref() else { return Ok(None) };
        let expected = self.header.shape.len(axis);
        if names.is_empty() && expected > 0 {
            return Ok(None);
        }
        if names.len() != expected {
            let found = format!("{} names", names.len());
            let expected = format!("{expected}, one for each of the {axis}");
            return Err(Error::mismatch(self.place(name), found, expected));
        }
        let (names, place) = (names.cursor(), self.place(name));
        let native = self.native.as_deref();
        Ok(Some(Box::new(AxisNames { names, native, place, given: 0, text: Vec::new() })))
    }

    fn usual_axis_kinds(&self) -> [AxisKind; 2] {
        [AxisKind::Features, AxisKind::Cells]
    }

    fn random_access(&self) -> bool {
        !matches!(self.parts.places, Places::Triplets { .. })
    }

    fn units(&self, majors: Range<u64>, _: Projection) -> Result<Box<dyn UnitReader<'_> + '_>> {
        self.header.check_majors(&majors)?;
        if !self.random_access() && majors != (0..self.header.shape.major(self.header.order)) {
            return Err(Error::argument("triplets can only be read as a whole, not by range"));
        }
        Ok(Box::new(Reader::new(self, majors)))
    }

    fn stored_before(&self, major: u64) -> Result<Option<u64>> {
        Ok(match &self.parts.places {
            Places::Compressed { .. } => {
                let mut pointer = [0];
                self.load(major, &mut pointer)?;
                Some(pointer[0])
            }
            Places::Dense => major.checked_mul(self.header.shape.rows),
            Places::Triangle { .. } => Some(self.before_in_triangle(major)),
            Places::Triplets { .. } => None,
        })
    }

    fn extras(&self) -> Result<Vec<String>> {
        let titles = &self.parts.names.titles;
        let named =
            (!titles.is_empty()).then(|| format!("the names of dimnames ({})", titles.join(", ")));
        let added = &self.parts.added;
        let added = (!added.is_empty()).then(|| {
            let most = added.iter().take(MOST_SLOTS).map(|slot| slot.escape_debug().to_string());
            let more = if added.len() > MOST_SLOTS { ", ..." } else { "" };
            format!("slots of the class ({}{more})", most.collect::<Vec<_>>().join(", "))
        });
        Ok(named.into_iter().chain(added).collect())
    }
}

/// The names of an axis in UTF-8.
struct AxisNames<'a> {
    names: Cursor<'a>,
    native: Option<&'a str>,
    place: Place,
    given: u64,
    text: Vec<u8>,
}

impl StringReader for AxisNames<'_> {
    fn next_string(&mut self) -> Result<Option<&[u8]>> {
        let Some(text) = self.names.next_text() else { return Ok(None) };
        let Some(utf8) = text.and_then(|text| text.to_utf8(self.native)) else {
            let place = self.place.clone().at(At::Element(self.given));
            let found = match text {
                Some(text) => format!("\"{text}\" in an unknown encoding"),
                None => "a missing name (NA)".to_owned(),
            };
            return Err(Error::mismatch(place, found, "a name"));
        };
        self.text.clear();
        self.text.extend_from_slice(utf8.as_bytes());
        self.given += 1;
        Ok(Some(&self.text))
    }

    fn remaining(&self) -> Option<u64> {
        Some(self.names.remaining())
    }
}

impl std::fmt::Debug for RMatrixSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RMatrixSource")
            .field("path", &self.path)
            .field("header", &self.header)
            .finish_non_exhaustive()
    }
}

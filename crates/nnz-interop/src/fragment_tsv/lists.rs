//! Lists beside the text: chromosomes in their order, cells that are wanted.

use std::path::{Path, PathBuf};

use nnz_core::{At, Error, Place, Result, StringList};

use super::fault::{BYTE_ORDER_MARK, MARKED, field, shown};
use super::names::Names;
use crate::input::Input;
use crate::lines::Lines;

/// Chromosomes in the order they are to have, with their sizes where those are known.
#[derive(Debug, Default)]
pub struct Chromosomes {
    names: Names,
    /// Bases of each.
    sizes: Vec<Option<u32>>,
    /// The file they were read from.
    path: Option<PathBuf>,
}

impl Chromosomes {
    /// Reads names from the first column of a text, and sizes from the second where there is one.
    ///
    /// Such are `chrom.sizes` of UCSC and the `.fai` index of a genome. Blank lines and those that
    /// begin with `#` are passed over; the text may be gzipped.
    ///
    /// # Errors
    ///
    /// Fails where the file cannot be read, a name is there twice, a size is no number or stands
    /// behind a blank.
    pub fn read(path: &Path) -> Result<Self> {
        let mut chromosomes = Self { path: Some(path.to_path_buf()), ..Self::default() };
        each_line(path, |line, place| {
            let mut fields = line.split(|&byte| byte == b'\t');
            let name = fields.next().unwrap_or(&[]);
            let size = match fields.next() {
                None => None,
                Some(size) => {
                    let number = std::str::from_utf8(size).ok();
                    let digits = size.iter().all(u8::is_ascii_digit);
                    let number = number.filter(|_| digits).and_then(|text| text.parse().ok());
                    Some(number.ok_or_else(|| {
                        let column = name.len() as u64 + 2;
                        let expected = format!("bases, a whole number from 0 to {}", u32::MAX);
                        Error::mismatch(place(column), field(size), expected)
                    })?)
                }
            };
            if name.is_empty() {
                return Err(Error::mismatch(place(1), field(line), "the name of a chromosome"));
            }
            if let (None, Some(blank)) = (size, name.iter().position(|&byte| byte == b' ')) {
                let expected = "a tab between the name and the size of a chromosome";
                return Err(Error::mismatch(place(blank as u64 + 1), "a blank", expected));
            }
            if !chromosomes.push(name, size) {
                let expected = "names that are there once";
                return Err(Error::mismatch(place(1), shown(name), expected));
            }
            Ok(())
        })?;
        Ok(chromosomes)
    }

    /// Takes names of chromosomes whose sizes are not known.
    ///
    /// # Errors
    ///
    /// Fails where a name is there twice.
    pub fn named(names: &StringList) -> Result<Self> {
        let mut chromosomes = Self::default();
        for name in names.iter() {
            if !chromosomes.push(name, None) {
                let what = format!("the chromosome {} is listed twice", shown(name));
                return Err(Error::argument(what));
            }
        }
        Ok(chromosomes)
    }

    /// Adds a chromosome, unless it is there.
    fn push(&mut self, name: &[u8], size: Option<u32>) -> bool {
        let before = self.names.len();
        let number = self.names.find_or_insert(name);
        let new = number.is_some() && self.names.len() > before;
        if new {
            self.sizes.push(size);
        }
        new
    }

    #[inline]
    pub(super) fn find(&self, name: &[u8]) -> Option<u32> {
        self.names.find(name)
    }

    /// Returns the bases of the chromosome of a number, where that is known.
    #[must_use]
    pub fn size(&self, chromosome: u32) -> Option<u32> {
        self.sizes.get(chromosome as usize).copied().flatten()
    }

    /// Returns the file they were read from, for messages.
    #[must_use]
    pub fn place(&self) -> Place {
        self.path.as_ref().map_or_else(Place::default, Place::path)
    }

    /// Returns the names in their order.
    #[must_use]
    pub fn names(&self) -> StringList {
        self.names.list()
    }
}

/// Reads names of cells from the first column of a text, such as the `barcodes.tsv` of 10x.
///
/// Blank lines and those that begin with `#` are passed over; the text may be gzipped.
///
/// # Errors
///
/// Fails where the file cannot be read.
pub fn read_cells(path: &Path) -> Result<StringList> {
    let mut cells = StringList::new();
    each_line(path, |line, place| {
        let name = line.split(|&byte| byte == b'\t').next().unwrap_or(&[]);
        if name.is_empty() {
            return Err(Error::mismatch(place(1), field(line), "the name of a cell"));
        }
        cells.push(name);
        Ok(())
    })?;
    Ok(cells)
}

/// Visits lines that are neither blank nor comments, without their ends.
fn each_line(
    path: &Path,
    mut each: impl FnMut(&[u8], &dyn Fn(u64) -> Place) -> Result<()>,
) -> Result<()> {
    let mut lines = Lines::new(Input::open(path)?.reader, path);
    while let Some(block) = lines.next_line()? {
        let line = block.text.strip_suffix(b"\n").unwrap_or(block.text);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if !line.is_empty() && line.first() != Some(&b'#') {
            let place = |column| Place::path(path).at(At::Line { line: block.line, column });
            if line.starts_with(BYTE_ORDER_MARK) {
                return Err(Error::mismatch(place(1), MARKED, "a name"));
            }
            each(line, &place)?;
        }
    }
    Ok(())
}

/// Hands the regions of a BED file to `each`: chromosome, start and end, the first three columns.
///
/// Blank lines and those that begin with `#`, `track` or `browser` are passed over; the text may be
/// gzipped.
///
/// # Errors
///
/// Fails where the file cannot be read, a line is no region, or one whose end is not behind its
/// start.
pub fn each_region(path: &Path, mut each: impl FnMut(&[u8], u32, u32) -> Result<()>) -> Result<()> {
    each_line(path, |line, place| {
        let mut fields = line.split(|&byte| byte == b'\t');
        let name = fields.next().unwrap_or(&[]);
        let word = name.split(|&byte| byte == b' ').next().unwrap_or(name);
        let mut column = name.len() as u64 + 2;
        let first = fields.next();
        if matches!(word, b"track" | b"browser") && (first.is_none() || word.len() < name.len()) {
            return Ok(());
        }
        if name.is_empty() {
            return Err(Error::mismatch(place(1), field(line), "the name of a chromosome"));
        }
        let mut bases = [0; 2];
        let mut next = first;
        for bases in &mut bases {
            let text = next.unwrap_or(&[]);
            let number = std::str::from_utf8(text).ok();
            let digits = text.iter().all(u8::is_ascii_digit);
            let number = number.filter(|_| digits).and_then(|text| text.parse().ok());
            *bases = number.ok_or_else(|| {
                let expected = format!("a base, a whole number from 0 to {}", u32::MAX);
                Error::mismatch(place(column), field(text), expected)
            })?;
            column += text.len() as u64 + 1;
            next = fields.next();
        }
        let [start, end] = bases;
        if start >= end {
            let found = format!("a region from {start} to {end}");
            return Err(Error::mismatch(place(1), found, "an end behind the start"));
        }
        each(name, start, end)
    })
}

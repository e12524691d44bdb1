//! Lists used with a text: chromosomes in their order, selected cells.

use std::path::{Path, PathBuf};

use nnz_core::{At, ChromosomeSizes, Error, Place, Result, StringList};
use nnz_storage::Opened;

use super::fault::{field, shown};
use super::names::Names;
use nnz_lines::Input;
use nnz_lines::Lines;
use nnz_lines::digits::digits;

/// Chromosomes in order, with their sizes if they are known.
#[derive(Debug, Default)]
pub struct Chromosomes {
    names: Names,
    /// The size of each.
    sizes: Vec<Option<u32>>,
    /// The file they were read from.
    path: Option<PathBuf>,
}

impl Chromosomes {
    /// Reads names from the first column of a text, and sizes from the second if there is one.
    ///
    /// Examples are `chrom.sizes` of UCSC and the `.fai` index of a genome. Blank lines and those
    /// that begin with `#` are skipped; the text may be gzipped.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read, if a name is a duplicate, if a size is not a number, or if
    /// it is separated by a blank.
    pub fn read(path: &Path) -> Result<Self> {
        let mut chromosomes = Self { path: Some(path.to_path_buf()), ..Self::default() };
        each_line(path, |line, place| {
            let (name, more) = first_field(line);
            let size = more.then(|| number(line, name.len() + 1, "bases", place)).transpose()?;
            let size = size.map(|(size, _)| size);
            if name.is_empty() {
                return Err(Error::mismatch(place(1), field(line), "the name of a chromosome"));
            }
            if let (None, Some(blank)) = (size, name.iter().position(|&byte| byte == b' ')) {
                let expected = "a tab between the name and the size of a chromosome";
                return Err(Error::mismatch(place(blank as u64 + 1), "a blank", expected));
            }
            if !chromosomes.push(name, size) {
                let expected = "unique names";
                return Err(Error::mismatch(place(1), shown(name), expected));
            }
            Ok(())
        })?;
        Ok(chromosomes)
    }

    /// Creates a list of chromosomes without sizes.
    ///
    /// # Errors
    ///
    /// Fails if a name is a duplicate.
    pub fn named(names: &StringList) -> Result<Self> {
        Self::from_sizes(&ChromosomeSizes { names: names.clone(), ..ChromosomeSizes::default() })
    }

    /// Creates a list of chromosomes. A fragment must not end after a known size.
    ///
    /// ```
    /// use nnz_core::ChromosomeSizes;
    /// use nnz_singlecell::fragment_tsv::Chromosomes;
    ///
    /// let names = ["chr1", "chr2"].into_iter().collect();
    /// let listed = ChromosomeSizes { names, sizes: vec![Some(1000)], ..Default::default() };
    /// let chromosomes = Chromosomes::from_sizes(&listed)?;
    /// assert_eq!((chromosomes.size(0), chromosomes.size(1)), (Some(1000), None));
    /// # Ok::<(), nnz_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if a name is a duplicate.
    pub fn from_sizes(listed: &ChromosomeSizes) -> Result<Self> {
        let mut chromosomes = Self { path: listed.place.path.clone(), ..Self::default() };
        for (at, name) in listed.names.iter().enumerate() {
            if !chromosomes.push(name, listed.sizes.get(at).copied().flatten()) {
                let what = format!("the chromosome {} is listed twice", shown(name));
                return Err(Error::argument(what));
            }
        }
        Ok(chromosomes)
    }

    /// Adds a chromosome, unless it exists already.
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

    /// Returns the size of a chromosome by its index, if it is known.
    #[must_use]
    pub fn size(&self, chromosome: u32) -> Option<u32> {
        self.sizes.get(chromosome as usize).copied().flatten()
    }

    /// Returns the file they were read from, for messages.
    #[must_use]
    pub fn place(&self) -> Place {
        self.path.as_ref().map_or_else(Place::default, Place::path)
    }

    /// Returns the names in order.
    #[must_use]
    pub fn names(&self) -> StringList {
        self.names.list()
    }
}

impl From<Chromosomes> for ChromosomeSizes {
    fn from(chromosomes: Chromosomes) -> Self {
        let (names, place) = (chromosomes.names(), chromosomes.place());
        Self { names, sizes: chromosomes.sizes, place }
    }
}

/// Reads names of cells from the first column of a text, such as the `barcodes.tsv` of 10x.
///
/// Blank lines and those that begin with `#` are skipped; the text may be gzipped.
///
/// # Errors
///
/// Fails if the file cannot be read.
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

/// Calls `each` with lines that are neither blank nor comments, without their line ends.
fn each_line(
    path: &Path,
    mut each: impl FnMut(&[u8], &dyn Fn(u64) -> Place) -> Result<()>,
) -> Result<()> {
    let mut lines = Lines::new(Input::open(&Opened::local(path)?)?.reader, path);
    while let Some(block) = lines.next_line()? {
        let line = block.text.strip_suffix(b"\n").unwrap_or(block.text);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if !line.is_empty() && line.first() != Some(&b'#') {
            let place = |column| Place::path(path).at(At::Line { line: block.line, column });
            each(line, &place)?;
        }
    }
    Ok(())
}

/// Calls `each` with the regions of a BED file: chromosome, start and end, the first three columns.
///
/// Blank lines and those that begin with `#`, `track` or `browser` are skipped; the text may be
/// gzipped.
///
/// # Errors
///
/// Fails if the file cannot be read, or if a line is not a region, or one whose end is not after
/// its start.
pub fn each_region(path: &Path, mut each: impl FnMut(&[u8], u32, u32) -> Result<()>) -> Result<()> {
    each_line(path, |line, place| {
        let (name, more) = first_field(line);
        if is_display_setting(name, more) {
            return Ok(());
        }
        if name.is_empty() {
            return Err(Error::mismatch(place(1), field(line), "the name of a chromosome"));
        }
        let (start, after) = number(line, name.len() + 1, "a base", place)?;
        let (end, _) = number(line, after + 1, "a base", place)?;
        if start >= end {
            let found = format!("a region from {start} to {end}");
            return Err(Error::mismatch(place(1), found, "an end after the start"));
        }
        each(name, start, end)
    })
}

/// Returns the first field of a line, and whether there are more.
fn first_field(line: &[u8]) -> (&[u8], bool) {
    let tab = memchr::memchr(b'\t', line);
    (&line[..tab.unwrap_or(line.len())], tab.is_some())
}

/// Returns whether a line with this first field is a display setting of a genome browser.
fn is_display_setting(name: &[u8], more_fields: bool) -> bool {
    [&b"track"[..], b"browser"].into_iter().any(|word| match name.strip_prefix(word) {
        Some([]) => !more_fields,
        Some([next, ..]) => *next == b' ',
        None => false,
    })
}

/// Parses the number in a field, and returns also the end of the field.
fn number(
    line: &[u8],
    at: usize,
    what: &str,
    place: &dyn Fn(u64) -> Place,
) -> Result<(u32, usize)> {
    if let Some((number, end)) = digits(line, at)
        && let Ok(number) = u32::try_from(number)
        && line.get(end).is_none_or(|&byte| byte == b'\t')
    {
        return Ok((number, end));
    }
    let rest = line.get(at..).unwrap_or_default();
    let ends = rest.iter().position(|&byte| byte < b' ').filter(|&end| rest[end] != b'\t');
    if let Some(end) = ends.filter(|&end| end > 0) {
        let expected = "a tab or the end of the line";
        return Err(Error::mismatch(place((at + end) as u64 + 1), field(&rest[end..]), expected));
    }
    let expected = format!("{what}, an integer from 0 to {}", u32::MAX);
    Err(Error::mismatch(place(at as u64 + 1), field(rest), expected))
}

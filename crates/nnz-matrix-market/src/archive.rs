//! Archives of the SuiteSparse Matrix Collection: `NAME.tar.gz` with `NAME/NAME.mtx` and further
//! matrices, read in place.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use nnz_core::{Error, ErrorKind, Header, MatrixSource, Place, Result, readable};
use nnz_lines::{Input, Tar, TarEntry, is_tar};
use nnz_storage::InputFile;

/// The size of the header of a file in an archive.
const HEADER: usize = 512;

/// Bytes that are read of each file to list it: comments, sizes, the first entries.
const LONGEST_START: u64 = 1 << 20;

/// The largest number of matrices in an archive.
const MOST_MATRICES: usize = 10_000;

/// Files that are listed in a message.
const MOST: usize = 20;

/// Returns whether a file is a tar archive, plain or gzipped, from its first 512 bytes.
///
/// ```
/// assert!(!nnz_matrix_market::archive::looks_like(b"%%MatrixMarket matrix coordinate"));
/// ```
#[must_use]
pub fn looks_like(start: &[u8]) -> bool {
    if !start.starts_with(b"\x1f\x8b") {
        return is_tar(start);
    }
    // The compressed header is shorter than the header.
    let mut header = Vec::new();
    let mut inflater = GzDecoder::new(start).take(HEADER as u64);
    // The compressed data ends within the file.
    let _ = inflater.read_to_end(&mut header);
    is_tar(&header)
}

/// A Matrix Market file of an archive.
#[derive(Clone, Debug, PartialEq)]
pub struct ArchiveMember {
    /// The path in the archive.
    pub name: String,
    /// The size in bytes.
    pub bytes: u64,
    /// The header of the matrix, unless it is invalid.
    pub header: Option<Header>,
}

/// Lists the Matrix Market files of an archive, by reading it to its end.
///
/// # Errors
///
/// Fails if the archive is damaged or cannot be read.
pub fn members(file: &InputFile) -> Result<Vec<ArchiveMember>> {
    let mut tar = start(file)?;
    let mut found = Vec::new();
    while let Some(TarEntry { name, bytes }) = next(&mut tar, file)? {
        if is_matrix(&name) {
            let mut text = Vec::new();
            Read::take(&mut tar, LONGEST_START)
                .read_to_end(&mut text)
                .map_err(|error| file.error(error))?;
            let source = crate::from_reader(Box::new(io::Cursor::new(text)), &name);
            let header = readable(source)?.map(|source| source.header().clone());
            found.push(ArchiveMember { name, bytes, header });
            check_count(found.len(), file)?;
        }
    }
    Ok(found)
}

type Archive = Tar<Box<dyn Read + Send>>;

fn start(file: &InputFile) -> Result<Archive> {
    Ok(Tar::new(Input::binary(Box::new(file.reader()), file.path())?.reader))
}

fn next(tar: &mut Archive, file: &InputFile) -> Result<Option<TarEntry>> {
    tar.next_file().map_err(|error| file.error(error))
}

/// Refuses an archive with so many files that their names take much memory.
fn check_count(count: usize, file: &InputFile) -> Result<()> {
    match count > MOST_MATRICES {
        true => {
            let what = format!("an archive of more than {MOST_MATRICES} matrices");
            Err(Error::unsupported(file.place(), what))
        }
        false => Ok(()),
    }
}

fn is_matrix(name: &str) -> bool {
    name.to_ascii_lowercase().ends_with(".mtx")
}

/// Returns whether a file has the name of its directory, as the main matrix of a collection.
fn is_main(name: &str) -> bool {
    let path = Path::new(name);
    let directory = path.parent().and_then(Path::file_name);
    is_matrix(name) && directory.is_some() && path.file_stem() == directory
}

fn is_named(entry: &str, wanted: &str) -> bool {
    entry == wanted || Path::new(entry).file_name().is_some_and(|name| name == wanted)
}

/// Finds the file with a name or path, or the main matrix: the one with the name of its directory, or
/// the only one. Returns its path in the archive.
pub(crate) fn select(file: &InputFile, wanted: Option<&str>) -> Result<String> {
    let mut tar = start(file)?;
    let (mut matrices, mut found) = (Vec::new(), Vec::new());
    while let Some(TarEntry { name, .. }) = next(&mut tar, file)? {
        if !is_matrix(&name) {
            continue;
        }
        match wanted {
            Some(wanted) if name == wanted => return Ok(name),
            Some(wanted) if is_named(&name, wanted) => found.push(name.clone()),
            None if is_main(&name) => found.push(name.clone()),
            _ => {}
        }
        matrices.push(name);
        check_count(matrices.len(), file)?;
    }
    if let [only] = &*found {
        return Ok(only.clone());
    }
    let ambiguous = !found.is_empty();
    if ambiguous {
        matrices = found;
    }
    let choices = || {
        let place = |name: &String| format!("\n  {}", Place::path(path(file, name)));
        let mut list: String = matrices.iter().take(MOST).map(place).collect();
        if matrices.len() > MOST {
            list += "\n  ...";
        }
        list
    };
    let kind = match (wanted, &*matrices) {
        (None, [only]) => return Ok(only.clone()),
        (_, []) => ErrorKind::Unrecognized("an archive without a .mtx file".to_owned()),
        (None, _) => {
            ErrorKind::Argument(format!("contains several matrices; select one:{}", choices()))
        }
        (Some(_), _) if ambiguous => ErrorKind::Argument(format!(
            "contains several files with this name; select one:{}",
            choices()
        )),
        (Some(wanted), _) => ErrorKind::Unrecognized(format!(
            "has no file \"{}\"; select one:{}",
            wanted.escape_debug(),
            choices()
        )),
    };
    Err(Error::new(kind, file.place()))
}

/// Returns the location of a file of an archive.
pub(crate) fn path(file: &InputFile, name: &str) -> PathBuf {
    let mut whole = file.path().as_os_str().to_owned();
    whole.push(format!("::{name}"));
    whole.into()
}

/// Starts reading a file of an archive.
pub(crate) fn open(file: &InputFile, name: &str) -> Result<Box<dyn Read + Send>> {
    let mut tar = start(file)?;
    while let Some(entry) = next(&mut tar, file)? {
        if entry.name == name {
            return Ok(Box::new(tar));
        }
    }
    Err(Error::new(ErrorKind::Missing, Place::path(path(file, name))))
}

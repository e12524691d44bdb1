//! Tar archives, plain or compressed, and zip files, read in place: `NAME.tar.gz` of the SuiteSparse Matrix Collection with
//! `NAME/NAME.mtx` and further matrices, and archives of 10x Genomics and GEO with [folders](crate::tenx_folder).

mod entries;
mod files;
mod matrix;
mod member;

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use nnz_core::{Error, ErrorKind, Header, MatrixSource, Place, Repairs, Result, readable};
use nnz_lines::{Compression, ZipMembers, is_tar};
use nnz_storage::{InputDirectory, InputFile};

use crate::tenx_folder::{self, Family};
use files::Files;
pub use matrix::ArchiveMatrix;
use matrix::is_matrix;

/// The size of the header of a file in an archive.
const HEADER: usize = 512;

/// The largest number of matrices in an archive.
const MOST_MATRICES: usize = 10_000;

/// Files that are listed in a message.
const MOST: usize = 20;

/// Returns whether a file is an archive: a tar archive, plain or compressed, or a zip file with matrices or names. `start` has
/// its first 512 bytes; more is read only if it is compressed.
///
/// # Errors
///
/// Fails if the file cannot be read. Damaged compressed data is no archive.
pub fn is_archive(file: &InputFile, start: &[u8]) -> Result<bool> {
    let header = |reader: Box<dyn std::io::Read + Send>, compression: Compression| {
        let mut header = Vec::new();
        let read = compression.reader(reader).take(HEADER as u64).read_to_end(&mut header);
        (is_tar(&header), read)
    };
    Ok(match Compression::of(start) {
        Compression::None => is_tar(start),
        Compression::Zip => is_zip(file)?,
        // The compressed header is shorter than the header.
        Compression::Gzip => {
            header(Box::new(std::io::Cursor::new(start.to_vec())), Compression::Gzip).0
        }
        // Blocks of other compressions may be long.
        compression => match header(Box::new(file.start_reader()), compression) {
            (is_tar, Ok(_)) => is_tar,
            (_, Err(error)) if nnz_lines::is_damage(&error) => false,
            (_, Err(error)) => return Err(file.error(error)),
        },
    })
}

/// Returns whether the first file in a zip file is one of an archive: a matrix or a list of names.
///
/// # Errors
///
/// Fails if the file cannot be read.
pub fn is_zip(file: &InputFile) -> Result<bool> {
    let mut members = ZipMembers::new(Box::new(file.start_reader()));
    match members.next_member() {
        Ok(name) => Ok(name.is_some_and(files::has_extension)),
        Err(error) if nnz_lines::is_damage(&error) => Ok(false),
        Err(error) => Err(file.error(error)),
    }
}

/// An archive and its matrices.
#[derive(Debug)]
pub struct Archive {
    file: InputFile,
    files: Files,
    matrices: Vec<ArchiveMatrix>,
}

impl Archive {
    /// Lists the matrices of an archive. One that is compressed is read to its end.
    ///
    /// # Errors
    ///
    /// Fails if the archive is damaged or cannot be read.
    pub fn open(file: &InputFile) -> Result<Self> {
        let compression = Compression::of(&file.start(Compression::START)?);
        let files = Files::list(file, compression)?;
        let mut archive = Self { file: file.clone(), files, matrices: Vec::new() };
        let mut folders: BTreeMap<PathBuf, Vec<(String, Family)>> = BTreeMap::new();
        let mut matrices: Vec<ArchiveMatrix> = Vec::new();
        for path in archive.files.paths() {
            let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { continue };
            let (folder, name) = (folder.to_path_buf(), name.to_string_lossy().into_owned());
            if !is_matrix(&name) {
                continue;
            }
            if !folders.contains_key(&folder) {
                folders.insert(folder.clone(), Family::named(&archive.directory(&folder))?);
            }
            let (plain, _) = Compression::of_name(&name);
            let families = folders.get(&folder).map(Vec::as_slice).unwrap_or_default();
            let family = families.iter().find(|(own, _)| own == plain);
            let matrix = match family {
                Some((name, family)) => {
                    ArchiveMatrix { folder, name: name.clone(), family: Some(family.clone()) }
                }
                None => ArchiveMatrix { folder, name, family: None },
            };
            // There may be a plain and a gzipped file of one name.
            if matrix.family.is_none() || !matrices.contains(&matrix) {
                matrices.push(matrix);
            }
            if matrices.len() > MOST_MATRICES {
                let what = format!("an archive of more than {MOST_MATRICES} matrices");
                return Err(Error::unsupported(file.place(), what));
            }
        }
        archive.matrices = matrices;
        Ok(archive)
    }

    /// Returns all matrices, in the order of the archive.
    #[must_use]
    pub fn matrices(&self) -> &[ArchiveMatrix] {
        &self.matrices
    }

    /// Returns the matrix that is read if none is selected: the only one, the one with the name of its folder, or
    /// `matrix.mtx` if all are in its folder.
    #[must_use]
    pub fn main(&self) -> Option<&ArchiveMatrix> {
        if let [only] = &*self.matrices {
            return Some(only);
        }
        let mut mains = self.matrices.iter().filter(|matrix| matrix.is_main());
        if let (Some(main), None) = (mains.next(), mains.next()) {
            return Some(main);
        }
        let first = self.matrices.first()?;
        let together = self.matrices.iter().all(|matrix| matrix.folder == first.folder);
        let tenx = Some(Family::Tenx(String::new()));
        self.matrices.iter().find(|matrix| together && matrix.family == tenx)
    }

    /// Finds the matrix with a name or path, with or without extensions, or the one in a folder with a name or path;
    /// without a name, the [main](Self::main) one.
    ///
    /// # Errors
    ///
    /// Fails if there is none, or several.
    pub fn select(&self, wanted: Option<&str>) -> Result<&ArchiveMatrix> {
        let refused = |kind: ErrorKind| Err(Error::new(kind, self.file.place()));
        if self.matrices.is_empty() {
            let what = match &*self.files.others() {
                "" => "an archive without a .mtx file".to_owned(),
                others => format!(
                    "an archive without a .mtx file; to read {}, extract the archive by tar -xf",
                    others.escape_debug()
                ),
            };
            return refused(ErrorKind::Unrecognized(what));
        }
        let all: Vec<&ArchiveMatrix> = self.matrices.iter().collect();
        let Some(wanted) = wanted else {
            return self.main().map_or_else(
                || {
                    let what =
                        format!("contains several matrices; select one:{}", self.choices(&all));
                    refused(ErrorKind::Argument(what))
                },
                Ok,
            );
        };
        let wanted = wanted.trim_matches('/');
        if let Some(exact) = all.iter().find(|matrix| matrix.path() == wanted) {
            return Ok(exact);
        }
        let mut found: Vec<_> = all.iter().copied().filter(|matrix| matrix.is_at(wanted)).collect();
        if found.is_empty() {
            found = all.iter().copied().filter(|matrix| matrix.is_inside(wanted)).collect();
        }
        match &*found {
            [only] => Ok(only),
            [] => refused(ErrorKind::Unrecognized(format!(
                "has no file \"{}\"; select one:{}",
                wanted.escape_debug(),
                self.choices(&all)
            ))),
            several => refused(ErrorKind::Argument(format!(
                "contains several files with this name; select one:{}",
                self.choices(several)
            ))),
        }
    }

    /// Returns the locations of matrices, one per line.
    fn choices(&self, matrices: &[&ArchiveMatrix]) -> String {
        let place = |matrix: &&ArchiveMatrix| {
            let mut whole = self.file.path().as_os_str().to_owned();
            whole.push(format!("::{}", matrix.path()));
            format!("\n  {}", Place::path(whole))
        };
        let mut list: String = matrices.iter().take(MOST).map(place).collect();
        if matrices.len() > MOST {
            list += "\n  ...";
        }
        list
    }

    /// Opens a matrix: with its names if there are any, unless only the text is wanted, as `bare`. With `repairs`, a
    /// wrong number of entries is corrected.
    ///
    /// # Errors
    ///
    /// Fails like [`tenx_folder::open`] and [`open`](crate::open).
    pub fn open_matrix(
        &self,
        matrix: &ArchiveMatrix,
        bare: bool,
        repairs: Option<&Repairs>,
    ) -> Result<Box<dyn MatrixSource>> {
        let directory = self.directory(&matrix.folder);
        if let (Some(family), false) = (&matrix.family, bare) {
            let folder =
                tenx_folder::open_family(&directory, family, repairs, self.files.container())?;
            return Ok(Box::new(folder));
        }
        let name = tenx_folder::variants(&directory, &[&*matrix.name])?.into_iter().next();
        let file = name.map(|name| directory.open_file(name)).transpose()?.flatten();
        let place = || Place::path(directory.path().join(&matrix.name));
        let file = file.ok_or_else(|| Error::new(ErrorKind::Missing, place()))?;
        let mut source = crate::source::from_archive(file, self.files.container())?;
        if let Some(repairs) = repairs {
            source = source.repair_count(repairs)?;
        }
        Ok(Box::new(source))
    }

    /// Reads the header of a matrix; `None` if it is invalid.
    ///
    /// # Errors
    ///
    /// Fails if the archive cannot be read.
    pub fn header(&self, matrix: &ArchiveMatrix) -> Result<Option<Header>> {
        let source = readable(self.open_matrix(matrix, false, None))?;
        Ok(source.map(|source| source.header().clone()))
    }

    fn directory(&self, folder: &Path) -> InputDirectory {
        let context = self.file.context().clone().with_storage(Arc::new(self.files.clone()));
        InputDirectory::in_archive(&context, self.file.path(), folder)
    }
}

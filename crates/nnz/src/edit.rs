//! Changing an AnnData or MuData file in place.

use std::path::{Path, PathBuf};

use nnz_container::tree::TreeWriter;
use nnz_container::{Compression, tree};
use nnz_core::{Error, ErrorKind, Place, Result};
use nnz_singlecell::anndata::{AnnData, Edit};
use nnz_singlecell::mudata::MuData;
use nnz_storage::staging::{WriteOptions, check_addition};

pub use nnz_singlecell::anndata::{AddedColumns, Changes};

use crate::formats::full_path;
use crate::{Context, Location};

/// Options of [`edit`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct EditOptions {
    /// The members and columns to remove and to add.
    pub changes: Changes,
    /// The compression of added columns.
    pub compress: Compression,
    /// Whether data is synced to disk before the changes appear, as by default.
    pub sync: bool,
    /// Whether the changes are only checked.
    pub dry_run: bool,
}

impl Default for EditOptions {
    fn default() -> Self {
        let (changes, compress) = (Changes::default(), Compression::None);
        Self { changes, compress, sync: true, dry_run: false }
    }
}

nnz_core::setters! {
    EditOptions {
        changes: Changes,
        compress: Compression,
        sync: bool,
        dry_run: bool,
    }
}

/// The result of an edit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct EditSummary {
    /// The paths of what was removed.
    pub removed: Vec<String>,
    /// The paths of columns that were added or replaced.
    pub added: Vec<String>,
    /// The size of an HDF5 file before; `None` for a Zarr store.
    pub bytes_before: Option<u64>,
    /// Its size afterwards. The space of what was removed is not reused.
    pub bytes_after: Option<u64>,
}

/// Removes and adds parts of an AnnData file or store in place. All changes appear at once, or none; everything else is kept
/// bit for bit.
///
/// Members that can be removed are those of `layers`, `obsm`, `varm`, `obsp`, `varp` and `uns`, `raw`, and columns of `obs`
/// and `var`; columns can be added. In an HDF5 file the space of what was removed is not reused: a conversion to a
/// new file reclaims it. A group of a file that is AnnData is changed without the rest of the file. Of MuData, the common tables
/// and what belongs to them are changed; a modality is a group, such as `cite.h5mu::mod/rna`.
///
/// ```no_run
/// use nnz::{Context, EditOptions};
/// use nnz::edit::Changes;
///
/// let changes = Changes::default().removed(vec!["layers/raw".into(), "uns/neighbors".into()]);
/// let done = nnz::edit("study.h5ad", &EditOptions::default().changes(changes), &Context::default())?;
/// assert_eq!(done.removed, ["layers/raw", "uns/neighbors"]);
/// # Ok::<(), nnz::Error>(())
/// ```
///
/// # Errors
///
/// Fails if the location is not AnnData or MuData in an HDF5 file or a Zarr directory, if something that is removed does not exist or is
/// required, if a column that is added exists and is not replaced, if the rows of a table do not match, if the layout is
/// too old for the change, and if another program writes to the file. It is unchanged then.
pub fn edit(
    location: impl Into<Location>,
    options: &EditOptions,
    context: &Context,
) -> Result<EditSummary> {
    let EditOptions { changes, compress, sync, dry_run } = options;
    compress.check()?;
    let change = (!dry_run).then(|| context.output(true, *sync));
    let changed = Changed::open(&location.into(), change, context)?;
    changes.removed.iter().try_for_each(|removed| changed.check_removed(removed))?;
    let Changed { path, file, tree, .. } = changed;
    // A table in memory has no place of its own.
    let at_file = |error: Error| error.with_context(&Place::path(&*path));
    let edit = Edit::new(&file, changes, context.memory() / 4).map_err(at_file)?;
    let mut summary = EditSummary {
        removed: edit.removed().to_vec(),
        added: edit.added().to_vec(),
        bytes_before: file_size(&path),
        bytes_after: None,
    };
    if let Some(tree) = tree {
        context.check()?;
        edit.write(tree, *compress).map_err(at_file)?;
        summary.bytes_after = file_size(&path);
    }
    Ok(summary)
}

/// An AnnData or MuData file that is changed in place.
pub(crate) struct Changed {
    pub(crate) path: PathBuf,
    /// The file; of MuData the common tables and what belongs to them.
    pub(crate) file: AnnData,
    /// The group of MuData, and the names of its modalities.
    modalities: Option<(String, Vec<String>)>,
    /// The file that the changes are written to.
    pub(crate) tree: Option<Box<dyn TreeWriter>>,
}

impl Changed {
    /// Opens a file, or a group of one. Without options for writing, it is only read.
    pub(crate) fn open(
        location: &Location,
        write: Option<WriteOptions>,
        context: &Context,
    ) -> Result<Self> {
        let Location::Path { path, group } = location.clone().resolve_target()? else {
            return Err(Error::argument("standard input cannot be changed in place"));
        };
        let group = match group {
            // In MuData, `rna` is `mod/rna`.
            Some(group) if !group.is_empty() => full_path(&tree::open(&path, "")?.into(), &group)?,
            _ => String::new(),
        };
        check_addition(&path, context)?;
        // The file is locked before it is read.
        let tree = write.map(|write| tree::edit(&path, &group, write)).transpose()?;
        let root = tree::open(&path, &group)?;
        let (file, modalities) = match MuData::is_root(&*root)? {
            true => {
                let file = MuData::open(root)?;
                let names = file.modalities().iter().map(|(name, _)| name.clone()).collect();
                (file.common().clone(), Some((group, names)))
            }
            false => (AnnData::open(root)?, None),
        };
        Ok(Self { path, file, modalities, tree })
    }

    /// Returns the place of a modality.
    fn place_of(&self, group: &str, name: &str) -> Place {
        let group = format!("{group}/mod/{name}").trim_start_matches('/').to_owned();
        Location::Path { path: self.path.clone(), group: Some(group) }.place()
    }

    /// Checks the path of what is removed: the modalities of MuData stay, and what states their rows.
    fn check_removed(&self, removed: &str) -> Result<()> {
        let Some((group, modalities)) = &self.modalities else { return Ok(()) };
        let names: Vec<&str> = removed.split('/').filter(|name| !name.is_empty()).collect();
        let why = match names[..] {
            // The common tables have none.
            ["X" | "layers" | "raw", ..] => return self.check_single(),
            ["mod", _] => "a conversion with the option drop leaves a modality out".to_owned(),
            ["mod", name, ..] => {
                format!("parts of a modality are removed from {}", self.place_of(group, name))
            }
            ["obsm" | "varm", name, ..] if modalities.iter().any(|own| own == name) => {
                "it states which rows a modality has".to_owned()
            }
            ["obsm" | "varm"] => {
                "it states which rows modalities have; remove its other members one by one"
                    .to_owned()
            }
            _ => return Ok(()),
        };
        let what = format!("{removed} cannot be removed: {why}");
        Err(Error::new(ErrorKind::Argument(what), Place::path(&*self.path)))
    }

    /// Fails for MuData, of which one modality is changed.
    pub(crate) fn check_single(&self) -> Result<()> {
        let Some((group, names)) = &self.modalities else { return Ok(()) };
        let at = |name: &String| format!("\n  {}", self.place_of(group, name));
        let places: String = names.iter().map(at).collect();
        let what = match places.is_empty() {
            true => "MuData without modalities cannot be changed".to_owned(),
            false => {
                format!("in MuData, the AnnData of a modality is changed; select one of{places}")
            }
        };
        Err(Error::new(ErrorKind::Argument(what), Place::path(&*self.path)))
    }
}

/// Returns the size of a file; `None` for a directory.
fn file_size(path: &Path) -> Option<u64> {
    path.metadata().ok().filter(std::fs::Metadata::is_file).map(|found| found.len())
}

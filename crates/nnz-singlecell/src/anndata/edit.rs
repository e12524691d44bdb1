//! Changing a file in place: removing members and columns, and adding columns.

mod frame_edit;
mod removal;
mod statement;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use nnz_container::Compression;
use nnz_container::tree::TreeWriter;
use nnz_core::{Axis, Result};
use nnz_engine::AnnotationTable;

use super::AnnData;
use super::output::{Group, Output};
use frame_edit::FrameEdit;
use removal::Removal;
use statement::Statement;

/// Changes of a file.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Changes {
    /// The paths of what is removed: `layers/NAME`, `obsm/NAME`, `varm/NAME`, `obsp/NAME`, `varp/NAME`, `uns/NAME` at any depth,
    /// `raw/varm/NAME`, all members of one of these groups (`uns`), `raw`, and columns `obs/NAME` and `var/NAME`.
    pub removed: Vec<String>,
    /// The columns that are added.
    pub added: Vec<AddedColumns>,
    /// Texts that are stated in groups of `uns`, such as the flavor of `hvg`: the name of a group, and names and texts in it.
    /// They replace existing groups.
    pub stated: Vec<(String, Vec<(String, String)>)>,
    /// Whether added columns replace existing ones with the same names.
    pub replace: bool,
}

nnz_core::setters! {
    Changes {
        removed: Vec<String>,
        added: Vec<AddedColumns>,
        stated: Vec<(String, Vec<(String, String)>)>,
        replace: bool,
    }
}

/// The columns of a table that are added to `obs` or `var`.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AddedColumns {
    /// Rows for `obs`, columns for `var`.
    pub axis: Axis,
    /// The table.
    pub table: Arc<AnnotationTable>,
    /// Whether rows are matched by position instead of by name.
    pub by_position: bool,
}

impl AddedColumns {
    /// Adds the columns of a table, whose rows are matched by name.
    #[must_use]
    pub fn new(axis: Axis, table: Arc<AnnotationTable>) -> Self {
        Self { axis, table, by_position: false }
    }

    /// Sets whether rows are matched by position instead of by name.
    #[must_use]
    pub fn by_position(mut self, by_position: bool) -> Self {
        self.by_position = by_position;
        self
    }
}

/// Checked changes of an open file, which are then written.
///
/// ```no_run
/// use nnz_container::{Compression, tree};
/// use nnz_singlecell::anndata::{AnnData, Changes, Edit};
/// use nnz_storage::staging::WriteOptions;
///
/// let path = "study.h5ad".as_ref();
/// // The file is locked from here on.
/// let tree = tree::edit(path, "", WriteOptions::default())?;
/// let file = AnnData::open(tree::open(path, "")?)?;
/// let changes = Changes::default().removed(vec!["layers/raw".to_owned()]);
/// Edit::new(&file, &changes, 1 << 30)?.write(tree, Compression::None)?;
/// # Ok::<(), nnz_core::Error>(())
/// ```
#[derive(Debug)]
pub struct Edit {
    removals: Vec<Removal>,
    frames: Vec<FrameEdit>,
    stated: Vec<Statement>,
    removed: Vec<String>,
    added: Vec<String>,
}

impl Edit {
    /// Checks changes of a file. Names of rows are read into at most `memory` bytes.
    ///
    /// # Errors
    ///
    /// Fails if something that is removed does not exist or is required, if a column that is added exists and is not replaced, if
    /// the rows of a table do not match, and if the layout is too old for the change.
    pub fn new(file: &AnnData, changes: &Changes, memory: u64) -> Result<Self> {
        let mut frames: BTreeMap<&'static str, FrameEdit> = BTreeMap::new();
        let mut removals = Vec::new();
        let mut removed = BTreeSet::new();
        for path in &changes.removed {
            let path = path.trim_matches('/');
            if !removed.insert(path.to_owned()) {
                continue;
            }
            match removal::frame_of(path) {
                Some((frame, column)) => {
                    FrameEdit::of(&mut frames, file, frame)?.remove(column)?;
                }
                None => removals.extend(removal::find(file, path)?),
            }
        }
        // What is inside of something that is removed is removed with it.
        let paths: BTreeSet<String> = removals.iter().map(Removal::path).collect();
        removals.retain(|removal| !removal.parents().any(|parent| paths.contains(&parent)));
        let mut added = Vec::new();
        for columns in &changes.added {
            let frame = if columns.axis == Axis::Rows { "obs" } else { "var" };
            let edit = FrameEdit::of(&mut frames, file, frame)?;
            added.extend(edit.add(columns, changes.replace, memory)?);
        }
        let stated = changes.stated.iter();
        let stated = stated.map(|(group, texts)| Statement::new(file, group, texts));
        let stated = stated.collect::<Result<Vec<_>>>()?;
        added.extend(changes.stated.iter().map(|(group, _)| format!("uns/{group}")));
        let frames = frames.into_values().collect();
        Ok(Self { removals, frames, stated, removed: removed.into_iter().collect(), added })
    }

    /// Returns the paths of what is removed.
    #[must_use]
    pub fn removed(&self) -> &[String] {
        &self.removed
    }

    /// Returns the paths of columns that are added or replaced.
    #[must_use]
    pub fn added(&self) -> &[String] {
        &self.added
    }

    /// Writes the changes to a tree that is [changed](nnz_container::tree::edit), and finishes it.
    ///
    /// # Errors
    ///
    /// Fails if the tree cannot be written; the file is unchanged then.
    pub fn write(self, tree: Box<dyn TreeWriter>, compression: Compression) -> Result<u64> {
        let mut output = Output::new(tree, compression);
        for removal in &self.removals {
            removal.write(&mut output)?;
        }
        for frame in self.frames {
            frame.write(&mut output)?;
        }
        for stated in self.stated {
            stated.write(&mut output)?;
        }
        output.finish()
    }
}

/// Opens a group at a path from the root.
fn open_group(output: &mut Output, path: &[String]) -> Result<Group> {
    let open = |group: Group, name: &String| output.tree.open_group(group.0, name).map(Group);
    path.iter().try_fold(Group::ROOT, open)
}

/// Lists names for messages.
fn shown(names: &[String]) -> String {
    const MOST: usize = 30;
    match names.len() {
        0 => "nothing".to_owned(),
        1..=MOST => names.join(", "),
        count => format!("{} and {} more", names[..MOST].join(", "), count - MOST),
    }
}

//! Changing an existing tree.

use std::path::Path;

use nnz_core::Result;
use nnz_storage::Opened;
use nnz_storage::staging::{WriteOptions, check_addition};

use super::writer::TreeWriter;
use crate::kind::other_kind;
use crate::kinds::KINDS;

/// Starts changing an existing group of an HDF5 file or a Zarr store, and the groups in it: members and attributes are
/// removed and added. All changes appear at once when the tree is finished; everything else is kept as it is.
///
/// ```
/// use nnz_container::tree::{Attribute, NodeId, TreeWriter, edit, open};
/// use nnz_container::zarr::{ZarrOptions, ZarrWriter};
/// use nnz_storage::staging::WriteOptions;
///
/// let dir = tempfile::tempdir()?;
/// let path = dir.path().join("study.zarr");
/// let writer = ZarrWriter::create(&path, "", WriteOptions::default(), ZarrOptions::default())?;
/// let mut tree: Box<dyn TreeWriter> = Box::new(writer);
/// tree.write_array(NodeId::ROOT, "old", &[2], &[1_u8, 2])?;
/// tree.set_attribute(NodeId::ROOT, "title", &Attribute::of_text("a study"))?;
/// tree.finish()?;
///
/// let mut tree = edit(&path, "", WriteOptions::default())?;
/// tree.remove(NodeId::ROOT, "old")?;
/// tree.write_array(NodeId::ROOT, "new", &[3], &[1_u8, 2, 3])?;
/// tree.remove_attribute(NodeId::ROOT, "title")?;
/// tree.finish()?;
/// assert_eq!(open(&path, "")?.member_names()?, ["new"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// Fails if the group is missing, if the container is of another kind or cannot be changed, or if another program writes
/// to it.
pub fn edit(path: &Path, group: &str, write: WriteOptions) -> Result<Box<dyn TreeWriter>> {
    check_addition(path, &write.context)?;
    let opened = Opened::local(path)?;
    for kind in KINDS {
        if kind.matches(&opened)? {
            return kind.edit(path, group, write);
        }
    }
    Err(other_kind(&opened, "HDF5 files or Zarr stores"))
}

//! Finding the groups of a file with a matrix.

use nnz_container::tree::{Child, ChildKind, Group};
use nnz_core::{Error, Place, Result, readable};

/// The group of a matrix since version 3.
pub(super) const MATRIX: &str = "matrix";

/// Arrays of a matrix, most of which must exist.
pub(super) const PARTS: [&str; 5] = ["data", "indices", "indptr", "shape", "barcodes"];

/// The ids and names of genes before version 3.
pub(super) const GENES: [&str; 2] = ["genes", "gene_names"];

/// The layout of a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormatVersion {
    /// A group named after the genome, with `genes` and `gene_names`: Cell Ranger 1 and 2.
    V2,
    /// A group `matrix` with a table `features`: Cell Ranger 3 and later.
    V3,
}

/// The content of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileContent {
    /// The root itself is the group of a matrix.
    Here,
    /// Matrices in groups with these names: one, or one for each genome.
    Groups(Vec<String>),
    /// Molecules (`molecule_info.h5`), which are not a matrix.
    Molecules,
}

/// Returns whether a group is a matrix.
///
/// # Errors
///
/// Fails if the group cannot be listed.
pub fn holds_matrix(group: &dyn Group) -> Result<bool> {
    Ok(layout(&group.children()?).is_some())
}

/// Returns the layout of a group with these children, if it is a matrix.
pub(super) fn layout(children: &[Child]) -> Option<FormatVersion> {
    let has = |name: &str| children.iter().any(|child| child.name == name);
    let is = |name: &str, kind: &ChildKind| {
        children.iter().any(|child| child.name == name && child.kind == *kind)
    };
    let parts = PARTS.iter().filter(|name| has(name)).count();
    if is("features", &ChildKind::Group) && parts >= 3 {
        return Some(FormatVersion::V3);
    }
    if GENES.iter().any(|name| has(name)) && parts >= 3 {
        return Some(FormatVersion::V2);
    }
    // Without features, the rest is the same in both layouts.
    (parts >= 4 && has("barcodes")).then_some(FormatVersion::V3)
}

/// Finds the matrices in the root of a file; `None` if there are none.
///
/// # Errors
///
/// Fails if a group cannot be listed.
pub fn find(root: &dyn Group) -> Result<Option<FileContent>> {
    let children = root.children()?;
    if layout(&children).is_some() {
        return Ok(Some(FileContent::Here));
    }
    let has = |name: &str| children.iter().any(|child| child.name == name);
    // Names of Cell Ranger 3 and later, and those before.
    if (has("barcode_idx") && has("umi")) || (has("barcode") && has("umi") && has("gene")) {
        return Ok(Some(FileContent::Molecules));
    }
    let groups = children.iter().filter(|child| child.kind == ChildKind::Group);
    let mut found = Vec::new();
    for child in groups {
        // An invalid group is not a matrix, but others can still be read.
        let listed = root.group(&child.name).and_then(|group| group.children());
        let Some(children) = readable(listed)? else { continue };
        let Some(format_version) = layout(&children) else { continue };
        if child.name == MATRIX {
            return Ok(Some(FileContent::Groups(vec![MATRIX.to_owned()])));
        }
        // A group of a genome may have no genes, but no table of features.
        let has_features = children.iter().any(|child| child.name == "features");
        if format_version == FormatVersion::V2 || !has_features {
            found.push(child.name.clone());
        }
    }
    Ok((!found.is_empty()).then_some(FileContent::Groups(found)))
}

impl FileContent {
    /// Returns the error for a file of molecules.
    #[must_use]
    pub fn no_matrix(root: &dyn Group) -> Error {
        let what = "a molecule_info.h5 of Cell Ranger: it lists molecules and is not a matrix; \
                    open filtered_feature_bc_matrix.h5 of the same run";
        Error::unsupported(Place::path(root.path()), what)
    }
}

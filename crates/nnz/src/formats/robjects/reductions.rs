//! Names of reductions in AnnData and in the classes of R.
//!
//! Packages write names such as `pca` in one case: scanpy and Seurat small, `SingleCellExperiment` capital letters. Names with
//! both, such as `WNN.umap`, stay as they are.

use nnz_robjects::write::ObjectClass;

/// The name of coordinates of cells, which have no prefix in AnnData.
pub(super) const SPATIAL: &str = "spatial";

/// The prefix of embeddings in AnnData.
const PREFIX: &str = "X_";

/// The loadings of principal components in AnnData.
const COMPONENTS: &str = "PCs";

/// How the names of other loadings end.
const LOADINGS: &str = "_loadings";

/// Returns a name in small letters if it has only capital ones.
fn in_small_letters(name: &str) -> String {
    if name == name.to_uppercase() { name.to_lowercase() } else { name.to_owned() }
}

/// Returns a name as the packages of a class write it.
fn of_class(class: ObjectClass, name: &str) -> String {
    match class {
        ObjectClass::Seurat(_) => in_small_letters(name),
        ObjectClass::Experiment if name == name.to_lowercase() => name.to_uppercase(),
        ObjectClass::Experiment => name.to_owned(),
    }
}

/// Returns the name of an embedding in AnnData.
pub(super) fn embedding_name(name: &str) -> String {
    match name {
        SPATIAL => name.to_owned(),
        name if name.starts_with(PREFIX) => name.to_owned(),
        name => format!("{PREFIX}{}", in_small_letters(name)),
    }
}

/// Returns the name of loadings in AnnData.
pub(super) fn loadings_name(name: &str) -> String {
    match &*in_small_letters(name) {
        "pca" => COMPONENTS.to_owned(),
        name => format!("{name}{LOADINGS}"),
    }
}

/// Returns the name that an embedding of AnnData has in a class, and whether its name has the prefix.
pub(super) fn reduction_name(class: ObjectClass, name: &str) -> (String, bool) {
    match name.strip_prefix(PREFIX).filter(|rest| !rest.is_empty()) {
        Some(rest) => (of_class(class, rest), true),
        None => (name.to_owned(), false),
    }
}

/// Returns the name of the reduction in a class that loadings of AnnData belong to.
pub(super) fn reduction_of_loadings(class: ObjectClass, name: &str) -> String {
    match name {
        COMPONENTS => of_class(class, "pca"),
        name => of_class(class, name.strip_suffix(LOADINGS).unwrap_or(name)),
    }
}

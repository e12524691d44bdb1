//! Names of reductions in AnnData and in the classes of R.
//!
//! Packages write names such as `pca` in one case: scanpy and Seurat small, `SingleCellExperiment` capital letters. Names with
//! both, such as `WNN.umap`, stay as they are.

use std::collections::HashSet;

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

/// Returns the name that a package writes, unless another reduction has that name.
fn written(name: &str, new: String, is_taken: impl Fn(&str) -> bool) -> String {
    if new != name && is_taken(&new) { name.to_owned() } else { new }
}

/// Returns the name of an embedding in AnnData. `all` are the names of all reductions.
pub(super) fn embedding_name(name: &str, all: &HashSet<&str>) -> String {
    if name == SPATIAL || name.starts_with(PREFIX) {
        return name.to_owned();
    }
    format!("{PREFIX}{}", written(name, in_small_letters(name), |new| all.contains(new)))
}

/// Returns the name of loadings in AnnData. `all` are the names of all reductions.
pub(super) fn loadings_name(name: &str, all: &HashSet<&str>) -> String {
    match &*written(name, in_small_letters(name), |new| all.contains(new)) {
        "pca" => COMPONENTS.to_owned(),
        name => format!("{name}{LOADINGS}"),
    }
}

/// Returns the name of an embedding of AnnData in a class. `all` are those of all embeddings.
pub(super) fn reduction_name(class: ObjectClass, name: &str, all: &HashSet<&str>) -> String {
    let is_there = |name: &str| all.contains(name) || all.contains(&*format!("{PREFIX}{name}"));
    match without_prefix(name) {
        // Another one with this name would be read with the name of this one.
        Some(plain) if all.contains(plain) => plain.to_owned(),
        Some(plain) => written(plain, of_class(class, plain), is_there),
        None => name.to_owned(),
    }
}

/// Returns the name of an embedding of AnnData without the prefix, if it has that.
pub(super) fn without_prefix(name: &str) -> Option<&str> {
    name.strip_prefix(PREFIX).filter(|rest| !rest.is_empty())
}

/// Returns the embedding in AnnData that loadings belong to: with the prefix if there is one, in any letter case.
pub(super) fn embedding_of_loadings<'a>(
    loadings: &str,
    all: impl Iterator<Item = &'a str>,
) -> Option<usize> {
    let plain = match loadings {
        COMPONENTS => "pca",
        name => name.strip_suffix(LOADINGS).unwrap_or(name),
    };
    let rank = |name: &str| {
        let own = without_prefix(name);
        let is_prefixed = own.is_some();
        let own = own.unwrap_or(name);
        own.eq_ignore_ascii_case(plain).then_some((!is_prefixed, own != plain))
    };
    let ranked = all.enumerate().filter_map(|(at, name)| Some((rank(name)?, at)));
    ranked.min().map(|(_, at)| at)
}

/// Returns the name by which a reduction is told from others when it is read.
pub(super) fn identity(name: &str) -> String {
    let is_own = name == SPATIAL || name.starts_with(PREFIX);
    if is_own { name.to_owned() } else { format!("{PREFIX}{name}") }
}

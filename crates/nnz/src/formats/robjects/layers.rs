//! Names of matrices of features by cells.

use nnz_core::{Batch, MatrixSource, Projection, Result, Scalar, Values};
use nnz_robjects::write::{MatrixForm, ObjectClass, SeuratVersion, SpooledMatrix};

use nnz_core::Storage;

/// The name of counts in all classes.
pub(super) const COUNTS: &str = "counts";

/// The layer that becomes the main matrix of AnnData, as converters of R name it.
pub(super) const X_NAME: &str = "X_name";

/// The name of a main matrix that is neither counts nor normalized values.
const OTHER: &str = "X";

/// The layers of assays of version 3.
const OF_V3: [&str; 3] = [COUNTS, "data", "scale.data"];

/// Normalized and scaled values, as Seurat and as `SingleCellExperiment` name them.
const NAMES: [[&str; 2]; 2] = [["data", "logcounts"], ["scale.data", "scaledata"]];

/// The name of the main matrix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum MainName {
    Known(String),
    /// Counts if all values are integers, otherwise normalized values.
    Unknown,
}

fn index(class: ObjectClass) -> usize {
    usize::from(class == ObjectClass::Experiment)
}

/// Returns the name of normalized values.
pub(super) fn normalized(class: ObjectClass) -> &'static str {
    NAMES[0][index(class)]
}

/// Returns the name that a layer has in a class: another one than in the source if none of `all` has it.
pub(super) fn translated(class: ObjectClass, name: &str, all: &[String]) -> String {
    let own = index(class);
    let found = NAMES.iter().find(|names| names[1 - own] == name).map(|names| names[own]);
    let is_free = |new: &&str| all.iter().all(|other| other != new);
    found.filter(is_free).unwrap_or(name).to_owned()
}

/// Returns whether a class has a layer of this name.
pub(super) fn is_layer(class: ObjectClass, name: &str) -> bool {
    class != ObjectClass::Seurat(SeuratVersion::V3) || OF_V3.contains(&name)
}

/// Decides the name of the main matrix. `stated` is the name that the source states, `others` those of the other layers.
pub(super) fn main_name(
    class: ObjectClass,
    stated: Option<&str>,
    others: &[String],
    main: &dyn MatrixSource,
) -> Result<MainName> {
    let has = |name: &str| others.iter().any(|other| other == name);
    let normal = normalized(class);
    // Scaled values alone are no assay.
    let is_alone = |name: &str| {
        name == "scale.data" && class != ObjectClass::Experiment && !has(COUNTS) && !has(normal)
    };
    let known = |name: &str| MainName::Known(name.to_owned());
    if let Some(name) = stated
        && is_layer(class, name)
        && !is_alone(name)
    {
        return Ok(known(name));
    }
    // A layer that has the name of normalized values keeps it, if the class has layers of any name.
    let normal_or_x =
        if has(normal) && !has(OTHER) && is_layer(class, OTHER) { OTHER } else { normal };
    if has(COUNTS) {
        return Ok(known(normal_or_x));
    }
    if !has(normal) {
        return Ok(MainName::Unknown);
    }
    Ok(known(if is_counts(main)? { COUNTS } else { normal_or_x }))
}

/// Returns the name of the main matrix after it was written.
pub(super) fn name_of(class: ObjectClass, name: &MainName, part: &SpooledMatrix) -> String {
    match name {
        MainName::Known(name) => name.clone(),
        MainName::Unknown if part.is_counts() => COUNTS.to_owned(),
        MainName::Unknown => normalized(class).to_owned(),
    }
}

/// Returns how a layer is stored: as in the source, but counts and normalized values of Seurat are sparse, which its functions
/// expect, and scaled values are not.
pub(super) fn form(
    class: ObjectClass,
    name: Option<&str>,
    source: &dyn MatrixSource,
) -> MatrixForm {
    let is_dense = source.header().storage == Storage::Dense;
    match (class, name) {
        (ObjectClass::Seurat(_), Some("scale.data")) => MatrixForm::Dense,
        (ObjectClass::Seurat(_), Some(COUNTS | "data") | None) => MatrixForm::Sparse,
        _ if is_dense => MatrixForm::Dense,
        _ => MatrixForm::Sparse,
    }
}

/// Puts counts first, then normalized and scaled values.
pub(super) fn sort(class: ObjectClass, layers: &mut [(String, SpooledMatrix)]) {
    let order = [COUNTS, normalized(class), NAMES[1][index(class)]];
    layers.sort_by_key(|(name, _)| order.iter().position(|own| own == name).unwrap_or(3));
}

/// Returns whether all values of a matrix are integers that are not negative. The first other one ends the search.
fn is_counts(source: &dyn MatrixSource) -> Result<bool> {
    let header = source.header();
    if header.value_type.is_integer() {
        return Ok(true);
    }
    if !source.rereadable() {
        return Ok(false);
    }
    let mut batch = Batch::new(header.order, Values::new(header.value_type));
    let mut batches = source.batches(0..header.shape.major(header.order), Projection::ALL)?;
    let is_count = |scalar: Scalar| {
        scalar.to_f64().is_some_and(|number| number >= 0.0 && number.fract() == 0.0)
    };
    while batches.next_batch(&mut batch)? {
        let mut values = (0..batch.entries()).filter_map(|entry| batch.values.get(entry));
        if !values.all(is_count) {
            return Ok(false);
        }
    }
    Ok(true)
}

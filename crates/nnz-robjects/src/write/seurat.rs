//! Seurat objects.

use std::collections::HashSet;
use std::sync::Arc;

use nnz_container::rds::{NA_INTEGER, NewObject, NewTexts, NewValue};
use nnz_core::{Place, Result, StringList};

use super::slots::{
    dimnames, empty_list, empty_matrix, flag, integers, length, list, null_slot, reals, strings,
    version,
};
use super::{NewGraph, NewReduction, NewStudy, NewTable, SpooledMatrix};
use nnz_container::rds::ArraySpool;

/// The package of the classes.
const PACKAGE: &str = "SeuratObject";

/// The name of the slot with the name of the project.
pub const PROJECT_NAME: &str = "project.name";

/// The name of the project of an object that was made without one, as in R.
pub(crate) const PROJECT: &str = "SeuratProject";

/// The version of the class of assays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SeuratVersion {
    /// `Assay`, which SeuratObject 3 and later read.
    #[default]
    V3,
    /// `Assay5`, which SeuratObject 5 and later read.
    V5,
}

/// Makes a Seurat object of a study, whose names follow the rules of Seurat. The others of the study are further assays. Assays,
/// reductions and graphs have different names.
///
/// # Errors
///
/// Fails if the temporary file cannot be written.
pub fn seurat(
    study: &NewStudy,
    version_of: SeuratVersion,
    spool: &ArraySpool,
) -> Result<NewObject> {
    let cells = study.cells.names.clone().unwrap_or_default();
    let mut keys = Keys::default();
    let mut assays = Vec::new();
    for part in std::iter::once(study).chain(&study.others) {
        let key = keys.add(&part.name.to_lowercase());
        let object = match version_of {
            SeuratVersion::V3 => assay(part, &cells, &key),
            SeuratVersion::V5 => assay5(part, &cells, &key, spool)?,
        };
        assays.push((part.name.clone(), object));
    }
    let active = assays.first().map_or("", |(name, _)| name).to_owned();
    let mut reductions = Vec::new();
    for reduction in &study.reductions {
        let object = reduced(study, reduction, &active, &mut keys);
        reductions.push((reduction.name.clone(), object));
    }
    let mut graphs = Vec::new();
    for NewGraph { name, assay, matrix } in &study.graphs {
        let assay = assay.as_deref().unwrap_or(&active);
        let assay_used = ("assay.used", NewObject::texts([assay]));
        let both = [Some(&cells), Some(&cells)];
        let object = matrix.sparse(both, ("Graph", PACKAGE), Some(assay_used));
        graphs.push((name.clone(), object));
    }
    let idents = match &study.idents {
        Some(idents) => idents.clone(),
        None => NewTable::constant_factor(PROJECT, cells.len(), spool)?,
    };
    // As CreateSeuratObject has it. Objects without columns cannot be merged.
    let mut cell_table = study.cell_table.clone();
    if cell_table.columns.is_empty() {
        let ident = NewTable::constant_factor(PROJECT, cells.len(), spool)?;
        cell_table = cell_table.with_column("orig.ident", ident);
    }
    let project = study.project.as_deref().unwrap_or(PROJECT);
    let number: &[i32] = match version_of {
        SeuratVersion::V3 => &[4, 1, 3],
        SeuratVersion::V5 => &[5, 0, 2],
    };
    Ok(NewObject::s4(
        "Seurat",
        PACKAGE,
        vec![
            ("assays", list(assays)),
            ("meta.data", cell_table.data_frame(Some(&cells))),
            ("active.assay", NewObject::texts([&*active])),
            ("active.ident", idents.with("names", strings(&cells))),
            ("graphs", list(graphs)),
            ("neighbors", empty_list()),
            ("reductions", list(reductions)),
            ("images", empty_list()),
            (PROJECT_NAME, NewObject::texts([project])),
            ("misc", list(study.misc.clone())),
            ("version", version(number)),
            ("commands", empty_list()),
            ("tools", empty_list()),
        ],
    ))
}

/// Keys that were given already.
#[derive(Default)]
struct Keys(HashSet<String>);

impl Keys {
    /// Returns the key of an assay or reduction: letters and digits, beginning with a letter, a number if it is taken, and `_`.
    fn add(&mut self, name: &str) -> String {
        let mut key: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
        if !key.starts_with(|first: char| first.is_ascii_alphabetic()) {
            key.insert(0, 'x');
        }
        let numbered = (1..).map(|number| format!("{key}{number}"));
        let mut keys = std::iter::once(key.clone()).chain(numbered);
        let given = keys.find(|key| self.0.insert(key.clone())).unwrap_or_default();
        format!("{given}_")
    }
}

fn layer<'a>(study: &'a NewStudy, name: &str) -> Option<&'a SpooledMatrix> {
    study.layers.iter().find(|(own, _)| own == name).map(|(_, part)| part)
}

/// Creates an assay of version 3.
fn assay(study: &NewStudy, cells: &Arc<StringList>, key: &str) -> NewObject {
    let names = [study.features.names.as_ref(), Some(cells)];
    let of = |name: &str| layer(study, name).map(|part| part.matrix(names));
    let counts = of("counts");
    // Before they are normalized, values are counts, as CreateSeuratObject has it.
    let data = of("data").or_else(|| counts.clone()).unwrap_or_else(empty_matrix);
    NewObject::s4(
        "Assay",
        PACKAGE,
        vec![
            ("counts", counts.unwrap_or_else(empty_matrix)),
            ("data", data),
            ("scale.data", of("scale.data").unwrap_or_else(empty_matrix)),
            ("key", NewObject::texts([key])),
            ("assay.orig", null_slot()),
            ("var.features", NewObject::new(NewValue::Strings(Arc::new(variable(study))))),
            ("meta.features", study.feature_table.data_frame(study.features.names.as_ref())),
            ("misc", empty_list()),
        ],
    )
}

/// Returns the names of variable features, by rank.
fn variable(study: &NewStudy) -> StringList {
    let Some(names) = &study.features.names else { return StringList::new() };
    study.variable.iter().filter_map(|&at| names.get(at)).collect()
}

/// Creates an assay of version 5.
fn assay5(
    study: &NewStudy,
    cells: &Arc<StringList>,
    key: &str,
    spool: &ArraySpool,
) -> Result<NewObject> {
    let layers: Vec<(String, NewObject)> =
        study.layers.iter().map(|(name, part)| (name.clone(), part.matrix([None; 2]))).collect();
    let layer_names: Arc<StringList> = Arc::new(layers.iter().map(|(name, _)| name).collect());
    let map = |names: Option<&Arc<StringList>>| {
        let len = names.map_or(0, |names| names.len());
        let elements = len.saturating_mul(layer_names.len());
        NewObject::new(NewValue::Flags(1, elements))
            .with("dim", integers(&[length(len), length(layer_names.len())]))
            .with("dimnames", dimnames([names, Some(&layer_names)]))
            .with("class", NewObject::class("LogMap", PACKAGE))
            .as_s4()
    };
    let mut table = study.feature_table.clone();
    if !study.variable.is_empty()
        && let Some(names) = &study.features.names
    {
        // Each variable feature has its own name here.
        let mut ranks = vec![NA_INTEGER; usize::try_from(names.len()).unwrap_or(0)];
        for (&at, rank) in study.variable.iter().zip(1..) {
            if let Some(place) = usize::try_from(at).ok().and_then(|at| ranks.get_mut(at)) {
                *place = rank;
            }
        }
        let mut texts = NewTexts::new(spool);
        for (name, &rank) in names.iter().zip(&ranks) {
            texts.push((rank != NA_INTEGER).then_some(name), &Place::default())?;
        }
        let texts = NewObject::new(NewValue::Texts(Arc::new(texts)));
        table = table.with_column("var.features", texts);
        table = table.with_column("var.features.rank", integers(&ranks));
    }
    Ok(NewObject::s4(
        "Assay5",
        PACKAGE,
        vec![
            ("layers", list(layers)),
            ("cells", map(Some(cells))),
            ("features", map(study.features.names.as_ref())),
            ("default", integers(&[1])),
            ("assay.orig", NewObject::texts([])),
            ("meta.data", table.data_frame(None)),
            ("misc", empty_list()),
            ("key", NewObject::texts([key])),
        ],
    ))
}

/// Returns the key of a reduction that R names in another way than the reduction.
fn usual_key(name: &str) -> &str {
    match name {
        "pca" => "PC",
        "umap" => "UMAP",
        "tsne" => "tSNE",
        "ica" => "IC",
        name => name,
    }
}

fn reduced(study: &NewStudy, reduction: &NewReduction, assay: &str, keys: &mut Keys) -> NewObject {
    let name = &*reduction.name;
    let key = keys.add(usual_key(name));
    let columns = |part: &SpooledMatrix| -> Arc<StringList> {
        Arc::new((1..=part.shape().cols).map(|number| format!("{key}{number}")).collect())
    };
    let cells = study.cells.names.as_ref();
    let embeddings = reduction.embeddings.matrix([cells, Some(&columns(&reduction.embeddings))]);
    let loadings = reduction.loadings.as_ref().map(|loadings| {
        let columns = columns(&loadings.matrix);
        loadings.matrix.matrix([loadings.features.as_ref(), Some(&columns)])
    });
    let jackstraw = NewObject::s4(
        "JackStrawData",
        PACKAGE,
        vec![
            ("empirical.p.values", empty_matrix()),
            ("fake.reduction.scores", empty_matrix()),
            ("empirical.p.values.full", empty_matrix()),
            ("overall.p.values", empty_matrix()),
        ],
    );
    NewObject::s4(
        "DimReduc",
        PACKAGE,
        vec![
            ("cell.embeddings", embeddings),
            ("feature.loadings", loadings.unwrap_or_else(empty_matrix)),
            ("feature.loadings.projected", empty_matrix()),
            ("assay.used", NewObject::texts([reduction.assay.as_deref().unwrap_or(assay)])),
            ("global", flag(matches!(name, "umap" | "tsne"))),
            ("stdev", reals(&[])),
            ("jackstraw", jackstraw),
            ("misc", empty_list()),
            ("key", NewObject::texts([&*key])),
        ],
    )
}

//! `SingleCellExperiment` objects.

use std::sync::Arc;

use nnz_container::rds::{ArraySpool, NewObject, NewValue, SpooledArray};
use nnz_core::{Result, StringList};

use super::slots::{annotated, empty_list, integers, length, list, null_slot, strings, version};
use super::{NewGraph, NewRanges, NewReduction, NewStudy, NewTable, SpooledMatrix};

/// The package of the class.
const PACKAGE: &str = "SingleCellExperiment";

/// The package of lists and tables.
const VECTORS: &str = "S4Vectors";

/// Makes a `SingleCellExperiment` of a study. The others of the study are alternative experiments. `main` is the name of
/// the main experiment.
///
/// # Errors
///
/// Fails if the temporary file cannot be written.
pub fn experiment(study: &NewStudy, main: Option<&str>, spool: &ArraySpool) -> Result<NewObject> {
    let mut others = Vec::new();
    for other in &study.others {
        let inner = experiment(other, None, spool)?;
        let slots = vec![("se", inner)];
        let column = NewObject::s4("SummarizedExperimentByColumn", PACKAGE, slots);
        others.push((other.name.clone(), column));
    }
    let cells = study.cell_table.len;
    let features = study.feature_table.len;
    let mut pairs = Vec::new();
    for NewGraph { name, matrix: graph, .. } in &study.graphs {
        pairs.push((name.clone(), column_pair(graph, spool)?));
    }
    let reductions = study.reductions.iter().map(|one| (one.name.clone(), reduced(study, one)));
    let inner = [("reducedDims", reductions.collect()), ("altExps", others), ("colPairs", pairs)];
    let inner = inner.map(|(name, columns)| (name.to_owned(), frame(columns, cells, None)));
    let row_pairs = ("rowPairs".to_owned(), frame(Vec::new(), features, None));
    let main = main.map_or_else(|| NewObject::new(NewValue::Null), |main| NewObject::texts([main]));
    let metadata =
        vec![("version".to_owned(), version(&[1, 20, 0])), ("mainExpName".to_owned(), main)];
    // Names of rows and columns are those of the object.
    let assays =
        study.layers.iter().map(|(name, part)| (name.clone(), part.matrix([None; 2]))).collect();
    let assays = NewObject::s4(
        "SimpleAssays",
        "SummarizedExperiment",
        vec![("data", simple_list(list(assays)))],
    );
    Ok(NewObject::s4(
        "SingleCellExperiment",
        PACKAGE,
        vec![
            ("int_elementMetadata", frame(vec![row_pairs], features, None)),
            ("int_colData", frame(inner.into(), cells, None)),
            ("int_metadata", NewObject::named_list(metadata)),
            ("rowRanges", row_ranges(study, spool)?),
            ("colData", table(&study.cell_table, study.cells.names.as_ref())),
            ("assays", assays),
            ("NAMES", null_slot()),
            ("elementMetadata", frame(Vec::new(), features, None)),
            ("metadata", list(study.misc.clone())),
        ],
    ))
}

fn simple_list(members: NewObject) -> NewObject {
    let mut slots = vec![("listData", members)];
    slots.extend(annotated("ANY"));
    NewObject::s4("SimpleList", VECTORS, slots)
}

/// Creates a table of Bioconductor.
fn frame(
    columns: Vec<(String, NewObject)>,
    rows: u64,
    names: Option<&Arc<StringList>>,
) -> NewObject {
    data_frame(NewObject::named_list(columns), rows, names)
}

fn table(table: &NewTable, names: Option<&Arc<StringList>>) -> NewObject {
    data_frame(table.list(), table.len, names)
}

fn data_frame(columns: NewObject, rows: u64, names: Option<&Arc<StringList>>) -> NewObject {
    let names = names.map_or_else(null_slot, strings);
    let mut slots =
        vec![("rownames", names), ("nrows", integers(&[length(rows)])), ("listData", columns)];
    slots.extend(annotated("ANY"));
    NewObject::s4("DFrame", VECTORS, slots)
}

/// Creates the ranges of features, or an empty list of ranges for each feature, with the names and the table of features.
fn row_ranges(study: &NewStudy, spool: &ArraySpool) -> Result<NewObject> {
    let names = study.features.names.as_ref();
    let features = table(&study.feature_table, None);
    if let Some(ranges) = &study.ranges {
        return ranges.object(names, features, spool);
    }
    let none = NewRanges::empty().object(None, frame(Vec::new(), 0, None), spool)?;
    let ends = vec![0; usize::try_from(study.feature_table.len).unwrap_or(0)];
    let names = names.map_or_else(null_slot, strings);
    let mut partitioning =
        vec![("end", NewObject::new(NewValue::Integers(ends))), ("NAMES", names)];
    partitioning.extend(annotated("ANY"));
    Ok(NewObject::s4(
        "CompressedGRangesList",
        "GenomicRanges",
        vec![
            ("unlistData", none),
            ("elementMetadata", features),
            ("elementType", NewObject::texts(["GRanges"])),
            ("metadata", empty_list()),
            ("partitioning", NewObject::s4("PartitioningByEnd", "IRanges", partitioning)),
        ],
    ))
}

fn reduced(study: &NewStudy, reduction: &NewReduction) -> NewObject {
    let matrix = reduction.embeddings.matrix([study.cells.names.as_ref(), None]);
    match &reduction.loadings {
        None => matrix,
        Some(loadings) => {
            matrix.with("rotation", loadings.matrix.matrix([loadings.features.as_ref(), None]))
        }
    }
}

/// Creates the pairs of cells that are entries of a graph, with their values.
fn column_pair(graph: &SpooledMatrix, spool: &ArraySpool) -> Result<NewObject> {
    let mut from = SpooledArray::new(spool);
    let mut to = SpooledArray::new(spool);
    let mut values = Vec::new();
    if let Some([rows, pointers, numbers]) = graph.arrays() {
        rows.try_for_each(|bytes| {
            let rows: Vec<i32> =
                bytes.as_chunks().0.iter().map(|row| i32::from_ne_bytes(*row) + 1).collect();
            from.extend(&rows)
        })?;
        let (mut col, mut previous) = (0_i32, 0_u32);
        pointers.try_for_each(|bytes| {
            for pointer in bytes.as_chunks().0 {
                let pointer = u32::from_ne_bytes(*pointer);
                // The first pointer is 0.
                for _ in previous..pointer {
                    to.extend(&[col])?;
                }
                previous = pointer;
                col += 1;
            }
            Ok::<_, nnz_core::Error>(())
        })?;
        values.push(Arc::clone(numbers));
    }
    let spooled = |array| NewObject::new(NewValue::SpooledIntegers(Arc::new(array)));
    let cells = integers(&[length(graph.shape().cols)]);
    let x = ("x".to_owned(), NewObject::new(NewValue::SpooledReals(values)));
    let hits = NewObject::s4(
        "SelfHits",
        VECTORS,
        vec![
            ("from", spooled(from)),
            ("to", spooled(to)),
            ("nLnode", cells.clone()),
            ("nRnode", cells),
            ("elementMetadata", frame(vec![x], graph.entries(), None)),
            ("metadata", empty_list()),
        ],
    );
    Ok(NewObject::s4("DualSubset", PACKAGE, vec![("hits", hits)]))
}

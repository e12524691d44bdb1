//! Seurat objects of version 2 to 5, and assays alone.

use std::collections::HashSet;
use std::sync::Arc;

use nnz_container::rds::{Object, Value};
use nnz_core::{Annotations as _, Bint8, Column, ColumnValues, Error, Result, StringList, Values};

use crate::frame::{Frame, positions};
use crate::objects::{
    FileInfo, classes, describe, dimnames, dims, has, integers, is_null, members, slot, take,
};
use crate::study::{
    AxisTable, Experiment, Graph, Layer, LayerAxis, LayerData, Reduction, Study, StudyKind, Unread,
    is_matrix,
};
use crate::vector::{NamedVector, read_vectors};
use crate::write::{PROJECT, PROJECT_NAME};

/// Returns whether an object is of Seurat 3 or later.
pub(crate) fn is_seurat(object: &Object) -> bool {
    object.is_s4() && has(object, &["assays", "meta.data", "active.assay"])
}

/// Returns whether an object is of Seurat 2.
pub(crate) fn is_seurat2(object: &Object) -> bool {
    object.is_s4() && has(object, &["raw.data", "meta.data", "data"])
}

/// Returns whether an object is an assay of Seurat 3 or later.
pub(crate) fn is_assay(object: &Object) -> bool {
    object.is_s4() && (has(object, &["counts", "data", "scale.data"]) || is_assay5(object))
}

fn is_assay5(object: &Object) -> bool {
    has(object, &["layers", "cells", "features"])
}

/// Slots that are not read, and are listed if they are not empty.
const UNREAD: [&str; 6] = ["neighbors", "images", "tools", "commands", "calc.params", "spatial"];

/// Reads an object of Seurat 3 or later.
pub(crate) fn parse(info: &Arc<FileInfo>, prefix: &str, mut object: Object) -> Result<Study> {
    let class = classes(&object).into_iter().next().unwrap_or_default();
    let meta = take(&mut object, "meta.data").unwrap_or_default();
    let full = |path: &str| format!("{prefix}{path}");
    let mut cells = Frame::new(info, meta, &full("meta.data"))?;
    add_idents(info, &mut object, "active.ident", &mut cells)?;
    let active = take(&mut object, "active.assay").and_then(|name| info.string(&name));
    let mut experiments = Vec::new();
    let mut unread = Vec::new();
    for (name, assay) in members(info, take(&mut object, "assays").unwrap_or_default()) {
        let path = format!("assays/{name}");
        match is_assay(&assay) {
            true => {
                let found = experiment(info, prefix, (&name, &path), assay, Some(&cells))?;
                experiments.push(found.0);
                unread.extend(found.1);
            }
            false => unread.push((path, describe(&assay))),
        }
    }
    let main = experiments.iter().position(|experiment| Some(&experiment.name) == active.as_ref());
    let mut reductions = Vec::new();
    for (name, mut reduction) in members(info, take(&mut object, "reductions").unwrap_or_default())
    {
        let path = format!("reductions/{name}");
        add_reduction(
            info,
            &mut reduction,
            (name, path, &experiments),
            ["cell.embeddings", "feature.loadings"],
            &mut reductions,
            &mut unread,
        );
    }
    let mut graphs = Vec::new();
    for (name, graph) in members(info, take(&mut object, "graphs").unwrap_or_default()) {
        let path = format!("graphs/{name}");
        match is_matrix(&graph) {
            true => {
                let owner = owner_of(info, slot(&graph, "assay.used"), &experiments);
                graphs.push(Graph { path, owner, matrix: Arc::new(graph) });
            }
            false => unread.push((path, describe(&graph))),
        }
    }
    let misc = ("misc", take(&mut object, "misc").unwrap_or_default());
    let mut vectors = read_vectors(info, (prefix, ""), misc, &mut unread)?;
    vectors.extend(project(info, &mut object));
    list_unread(info, &mut object, &mut unread);
    unread.extend(unread_columns("meta.data", &cells));
    Ok(Study {
        info: Arc::clone(info),
        prefix: prefix.to_owned(),
        kind: StudyKind::Seurat,
        class,
        version: take(&mut object, "version").and_then(|version| version_of(info, &version)),
        experiments,
        main: main.unwrap_or(0),
        reductions,
        graphs,
        vectors,
        unread,
    })
}

/// Reads an object of Seurat 2, whose assay is `RNA`.
pub(crate) fn parse2(info: &Arc<FileInfo>, prefix: &str, mut object: Object) -> Result<Study> {
    let class = classes(&object).into_iter().next().unwrap_or_default();
    let meta = take(&mut object, "meta.data").unwrap_or_default();
    let full = |path: &str| format!("{prefix}{path}");
    let mut cells = Frame::new(info, meta, &full("meta.data"))?;
    add_idents(info, &mut object, "ident", &mut cells)?;
    let mut unread = Vec::new();
    let variable = take(&mut object, "var.genes");
    let table = take(&mut object, "hvg.info");
    let mut experiments = Vec::new();
    let mut add = |name: &str, object: &mut Object, [variable, table]: [Option<Object>; 2]| {
        let path = format!("assays/{name}");
        let layers = ["raw.data", "data", "scale.data"].map(|slot| take(object, slot));
        let (found, lost) = experiment3(
            info,
            prefix,
            (name, &path),
            layers,
            (variable, table, "hvg.info"),
            Some(&cells),
        )?;
        experiments.push(found);
        unread.extend(lost);
        Ok::<_, Error>(())
    };
    add("RNA", &mut object, [variable, table])?;
    for (name, mut assay) in members(info, take(&mut object, "assay").unwrap_or_default()) {
        let variable = take(&mut assay, "var.genes");
        add(&name, &mut assay, [variable, None])?;
    }
    let mut reductions = Vec::new();
    for (name, mut reduction) in members(info, take(&mut object, "dr").unwrap_or_default()) {
        let path = format!("reductions/{name}");
        let slots = ["cell.embeddings", "gene.loadings"];
        let names = (name, path, &*experiments);
        add_reduction(info, &mut reduction, names, slots, &mut reductions, &mut unread);
    }
    let mut graphs = Vec::new();
    // Without a graph, it is a matrix of one element.
    if let Some(graph) = take(&mut object, "snn").filter(is_matrix)
        && dims(&graph).is_some_and(|[side, _]| side > 1)
    {
        let (path, matrix) = ("graphs/snn".to_owned(), Arc::new(graph));
        graphs.push(Graph { path, owner: None, matrix });
    }
    let misc = ("misc", take(&mut object, "misc").unwrap_or_default());
    let mut vectors = read_vectors(info, (prefix, ""), misc, &mut unread)?;
    vectors.extend(project(info, &mut object));
    list_unread(info, &mut object, &mut unread);
    unread.extend(unread_columns("meta.data", &cells));
    Ok(Study {
        info: Arc::clone(info),
        prefix: prefix.to_owned(),
        kind: StudyKind::Seurat,
        class,
        version: take(&mut object, "version").and_then(|version| version_of(info, &version)),
        experiments,
        main: 0,
        reductions,
        graphs,
        vectors,
        unread,
    })
}

/// Reads an assay alone.
pub(crate) fn parse_assay(info: &Arc<FileInfo>, prefix: &str, object: Object) -> Result<Study> {
    let class = classes(&object).into_iter().next().unwrap_or_default();
    let (experiment, unread) = experiment(info, prefix, ("", ""), object, None)?;
    Ok(Study {
        info: Arc::clone(info),
        prefix: prefix.to_owned(),
        kind: StudyKind::Seurat,
        class,
        version: None,
        experiments: vec![experiment],
        main: 0,
        reductions: Vec::new(),
        graphs: Vec::new(),
        vectors: Vec::new(),
        unread,
    })
}

/// Adds the identity of each cell to the table of cells, matched by names.
fn add_idents(
    info: &Arc<FileInfo>,
    object: &mut Object,
    slot_name: &str,
    cells: &mut Frame,
) -> Result<()> {
    let Some(mut idents) = take(object, slot_name) else { return Ok(()) };
    let names = take(&mut idents, "names");
    let names = match names.as_ref().map(|names| &names.value) {
        Some(Value::Character(names)) => Some(info.names(names, slot_name)?),
        _ => None,
    };
    let Ok(column) = crate::column::RColumn::new(info, idents, slot_name)? else { return Ok(()) };
    let column = column.read(info, slot_name, u64::MAX)?;
    let column = match (&names, cells.names()) {
        (Some(names), Some(cells)) if *names != **cells => {
            column.gathered(&positions(names, cells))?
        }
        _ => column,
    };
    // The writer prefers the second name.
    let is_taken = |name: &str| matches!(name, "ident" | "active.ident");
    let taken = cells.columns().iter().any(|column| is_taken(&column.name));
    cells.add_made(if taken { "active.ident" } else { "ident" }, column);
    Ok(())
}

fn add_reduction(
    info: &FileInfo,
    reduction: &mut Object,
    (name, path, experiments): (String, String, &[Experiment]),
    [embeddings, loadings]: [&str; 2],
    reductions: &mut Vec<Reduction>,
    unread: &mut Unread,
) {
    let is_some = |matrix: &Object| {
        is_matrix(matrix) && dims(matrix).is_some_and(|[rows, cols]| rows > 0 && cols > 0)
    };
    match take(reduction, embeddings) {
        Some(embeddings) if is_matrix(&embeddings) => {
            let loadings = take(reduction, loadings).filter(is_some).map(Arc::new);
            for slot in ["feature.loadings.projected", "gene.loadings.full"] {
                if take(reduction, slot).is_some_and(|matrix| is_some(&matrix)) {
                    unread.push((format!("{path}/{slot}"), "loadings of all features".to_owned()));
                }
            }
            for (name, member) in members(info, take(reduction, "misc").unwrap_or_default()) {
                unread.push((format!("{path}/misc/{name}"), describe(&member)));
            }
            if let Some(mut tests) = take(reduction, "jackstraw")
                && take(&mut tests, "empirical.p.values").is_some_and(|matrix| is_some(&matrix))
            {
                unread.push((format!("{path}/jackstraw"), "p-values of JackStraw".to_owned()));
            }
            for slot in ["stdev", "sdev"] {
                if take(reduction, slot).is_some_and(|stdev| !is_empty(&stdev)) {
                    unread.push((format!("{path}/{slot}"), "standard deviations".to_owned()));
                }
            }
            let embeddings = Arc::new(embeddings);
            let owner = owner_of(info, slot(reduction, "assay.used"), experiments);
            reductions.push(Reduction { name, path, owner, embeddings, loadings });
        }
        _ => unread.push((path, describe(reduction))),
    }
}

/// Returns the number of the assay with a name, if there is one.
fn owner_of(info: &FileInfo, name: Option<&Object>, experiments: &[Experiment]) -> Option<usize> {
    let name = info.string(name?)?;
    experiments.iter().position(|experiment| experiment.name == name)
}

/// Takes the name of the project, unless it is the one that objects without a name have.
fn project(info: &FileInfo, object: &mut Object) -> Option<NamedVector> {
    let name = info.string(&take(object, PROJECT_NAME)?)?;
    let is_named = !name.is_empty() && name != PROJECT;
    is_named.then(|| NamedVector::text(PROJECT_NAME, &name))
}

fn is_empty(object: &Object) -> bool {
    match &object.value {
        Value::List(list) => list.is_empty(),
        Value::Real(all) => all.is_empty(),
        Value::Integer(all) => all.is_empty(),
        Value::Character(all) => all.is_empty(),
        Value::Logical(all) => all.is_empty(),
        _ => is_null(object),
    }
}

/// Lists slots that are not read and not empty.
fn list_unread(info: &FileInfo, object: &mut Object, unread: &mut Unread) {
    for slot in UNREAD {
        if let Some(found) = take(object, slot).filter(|found| !is_empty(found)) {
            match &found.value {
                Value::List(_) => unread.extend(
                    members(info, found)
                        .into_iter()
                        .map(|(name, member)| (format!("{slot}/{name}"), describe(&member))),
                ),
                _ => unread.push((slot.to_owned(), describe(&found))),
            }
        }
    }
}

fn unread_columns(table: &str, frame: &Frame) -> Unread {
    let columns = frame.unread().iter();
    columns.map(|(name, what)| (format!("{table}/{name}"), what.clone())).collect()
}

/// Returns a version such as `5.0.2`.
fn version_of(info: &FileInfo, version: &Object) -> Option<String> {
    let numbers = match &version.value {
        Value::List(list) => integers(info, list.first()?, "version").ok()??,
        _ => return info.string(version),
    };
    Some(numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join("."))
}

/// Reads an assay. `all` is the table of all cells.
fn experiment(
    info: &Arc<FileInfo>,
    prefix: &str,
    (name, path): (&str, &str),
    mut object: Object,
    all: Option<&Frame>,
) -> Result<(Experiment, Unread)> {
    let mut unread = Vec::new();
    let mut found = if is_assay5(&object) {
        experiment5(info, prefix, (name, path), &mut object, all)?
    } else {
        let layers = ["counts", "data", "scale.data"].map(|slot| take(&mut object, slot));
        let variable = take(&mut object, "var.features");
        let table = take(&mut object, "meta.features");
        let table = (variable, table, "meta.features");
        experiment3(info, prefix, (name, path), layers, table, all)?
    };
    unread.append(&mut found.1);
    let known =
        ["key", "assay.orig", "class", "default", "cells", "features", "layers", "meta.data"];
    let slots: Vec<String> = object
        .attributes()
        .filter_map(|entry| entry.tag.as_ref().map(|tag| tag.text().to_string()))
        .collect();
    for slot_name in slots.into_iter().filter(|name| !known.contains(&&**name)) {
        if let Some(found) = take(&mut object, &slot_name).filter(|found| !is_empty(found)) {
            unread.push((joined(path, &slot_name), describe(&found)));
        }
    }
    Ok((found.0, unread))
}

fn joined(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}/{name}") }
}

/// Returns the table of the cells of an assay.
fn cells_of(
    info: &Arc<FileInfo>,
    names: Option<StringList>,
    len: u64,
    all: Option<&Frame>,
) -> Result<AxisTable> {
    let table = match all {
        Some(all) => all.clone().required().along(names.as_ref(), len)?,
        None => Frame::empty(info, "meta.data", len),
    };
    Ok(AxisTable::new(names, len, table))
}

/// Reads matrices and tables as assays of version 3, and objects of version 2, have them.
fn experiment3(
    info: &Arc<FileInfo>,
    prefix: &str,
    (name, path): (&str, &str),
    layers: [Option<Object>; 3],
    (variable, table, table_name): (Option<Object>, Option<Object>, &str),
    all: Option<&Frame>,
) -> Result<(Experiment, Unread)> {
    let shape_of = |layer: &Object| dims(layer).or_else(|| crate::frame::shape_of(layer));
    // A layer that does not exist is a matrix of 0 x 0, unless the object has no cells.
    let is_empty = layers.iter().flatten().all(|layer| shape_of(layer) == Some([0, 0]))
        && all.is_none_or(|all| all.len() == 0);
    let layers = layers.map(|layer| {
        layer.filter(|layer| !is_null(layer) && (is_empty || shape_of(layer) != Some([0, 0])))
    });
    let full = |path: &str| format!("{prefix}{path}");
    // Features and cells are those of the normalized values.
    let [counts, data, scaled] = &layers;
    let main = data.as_ref().or(counts.as_ref()).or(scaled.as_ref());
    let side = |axis: usize| -> Result<(Option<StringList>, u64)> {
        let Some(main) = main else {
            // Without matrices, cells are those of the object.
            let all = all.filter(|_| axis == 1);
            let names = all.and_then(|all| all.names().map(|names| StringList::clone(names)));
            return Ok((names, all.map_or(0, nnz_core::Annotations::len)));
        };
        let shape = dims(main).or_else(|| crate::frame::shape_of(main)).unwrap_or([0, 0]);
        let names = match crate::frame::is_numeric(main) {
            true => crate::frame::names_of(info, main, axis)?,
            false => dimnames(info, main, axis, &full(path))?,
        };
        Ok((names, shape[axis]))
    };
    let (rows, cols) = (side(0)?, side(1)?);
    let mut unread = Vec::new();
    let table_path = joined(path, table_name);
    let mut features = match table {
        Some(table) if Frame::is_frame(&table) => Frame::new(info, table, &full(&table_path))?,
        _ => Frame::empty(info, &full(&table_path), rows.1),
    };
    if features.columns().is_empty() {
        features = Frame::empty(info, &full(&table_path), rows.1);
    }
    let mut features = features.along(rows.0.as_ref(), rows.1)?;
    if let (Some(variable), Some(names)) = (variable, &rows.0)
        && let Value::Character(variable) = &variable.value
        && !variable.is_empty()
    {
        let ranked = info.names(variable, path)?;
        let unknown = ranked.len() - add_variable(&mut features, &ranked, names);
        if unknown > 0 {
            let what = format!("{unknown} features that the assay does not have");
            unread.push((joined(path, "var.features"), what));
        }
    }
    unread.extend(unread_columns(&table_path, &features));
    let features = AxisTable::new(rows.0, rows.1, features);
    let cells = cells_of(info, cols.0, cols.1, all)?;
    let mut found = Vec::new();
    for (name, object) in ["counts", "data", "scale.data"].into_iter().zip(layers) {
        if let Some(object) = object {
            let path = joined(path, &format!("layers/{name}"));
            found.push(Layer::new(info, (name, &path), object, [&features, &cells])?);
        }
    }
    let (name, path) = (name.to_owned(), path.to_owned());
    Ok((Experiment { name, path, features, cells, layers: found }, unread))
}

/// Marks variable features, in the order of their rank. Returns how many of them there are.
fn add_variable(features: &mut Frame, ranked: &StringList, names: &StringList) -> u64 {
    let ranks = positions(ranked, names);
    add_ranks(features, &ranks);
    ranks.iter().flatten().collect::<HashSet<_>>().len() as u64
}

/// Adds whether a feature is variable, and its rank from 0.
fn add_ranks(features: &mut Frame, ranks: &[Option<u64>]) {
    let flags = ranks.iter().map(|rank| Bint8(u8::from(rank.is_some()))).collect();
    let flags = Column { values: ColumnValues::Numbers(Values::Bint8(flags)), missing: None };
    features.add_made("highly_variable", flags);
    #[expect(clippy::cast_precision_loss, reason = "the number of a feature")]
    let rank = ranks.iter().map(|rank| rank.map_or(f64::NAN, |rank| rank as f64)).collect();
    let rank = Column { values: ColumnValues::Numbers(Values::F64(rank)), missing: None };
    features.add_made("highly_variable_rank", rank);
}

/// Reads an assay of version 5.
fn experiment5(
    info: &Arc<FileInfo>,
    prefix: &str,
    (name, path): (&str, &str),
    object: &mut Object,
    all: Option<&Frame>,
) -> Result<(Experiment, Unread)> {
    let full = |path: &str| format!("{prefix}{path}");
    let map = |object: &mut Object, slot: &str| -> Result<LogMap> {
        let path = full(&joined(path, slot));
        let map = take(object, slot).unwrap_or_default();
        LogMap::new(info, map, &path)
    };
    let (features, cells) = (map(object, "features")?, map(object, "cells")?);
    let mut unread = Vec::new();
    let table_path = joined(path, "meta.data");
    let len = features.names.len();
    let mut table = match take(object, "meta.data") {
        Some(table) if Frame::is_frame(&table) => Frame::new(info, table, &full(&table_path))?,
        _ => Frame::empty(info, &full(&table_path), len),
    };
    if table.columns().is_empty() && table.unread().is_empty() {
        table = Frame::empty(info, &full(&table_path), len);
    }
    // Rows are those of the map, whatever their names.
    let mut table = table.along(None, len)?;
    let ranks = variable_of(&mut table)?;
    if let Some(ranks) = ranks {
        add_ranks(&mut table, &ranks);
    }
    unread.extend(unread_columns(&table_path, &table));
    let features_table = AxisTable::new(Some(features.names.clone()), len, table);
    let count = cells.names.len();
    let cells_table = cells_of(info, Some(cells.names.clone()), count, all)?;
    let mut layers = Vec::new();
    for (name, object) in members(info, take(object, "layers").unwrap_or_default()) {
        let path = joined(path, &format!("layers/{name}"));
        let axes = [features.axis(&name), cells.axis(&name)];
        let data = LayerData::new(info, object);
        layers.push(Layer { name, path, axes, data });
    }
    let (name, path) = (name.to_owned(), path.to_owned());
    let found = Experiment { name, path, features: features_table, cells: cells_table, layers };
    Ok((found, unread))
}

/// Takes the columns of variable features out of a table: for each feature its rank from 0, if it is variable.
fn variable_of(table: &mut Frame) -> Result<Option<Vec<Option<u64>>>> {
    let Some(names) = table.remove("var.features")? else { return Ok(None) };
    let ranks = table.remove("var.features.rank")?;
    let mut variable = Vec::new();
    for row in 0..names.len() {
        if !names.is_missing_or_nan(row) {
            let rank = ranks.as_ref().filter(|ranks| !ranks.is_missing_or_nan(row));
            let rank = rank.and_then(|ranks| ranks.number(row)?.to_f64());
            variable.push((rank.unwrap_or(f64::INFINITY), row));
        }
    }
    if variable.is_empty() {
        return Ok(None);
    }
    variable.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut found = vec![None; usize::try_from(names.len()).unwrap_or(0)];
    for ((_, row), rank) in variable.into_iter().zip(0..) {
        if let Some(place) = usize::try_from(row).ok().and_then(|row| found.get_mut(row)) {
            *place = Some(rank);
        }
    }
    Ok(Some(found))
}

/// The cells or features of each layer.
struct LogMap {
    names: StringList,
    layers: Vec<String>,
    /// By layer.
    flags: Vec<i32>,
}

impl LogMap {
    fn new(info: &FileInfo, object: Object, path: &str) -> Result<Self> {
        let wrong = |found: String| Error::mismatch(info.place(path), found, "a map of layers");
        let names = dimnames(info, &object, 0, path)?;
        let layers = dimnames(info, &object, 1, path)?.unwrap_or_default();
        let Some([rows, cols]) = dims(&object) else { return Err(wrong(describe(&object))) };
        let Value::Logical(flags) = object.value else {
            return Err(wrong(object.value.kind().to_owned()));
        };
        let names = names.unwrap_or_default();
        let fits = names.len() == rows
            && layers.len() == cols
            && rows.checked_mul(cols) == Some(flags.len() as u64);
        if !fits {
            return Err(wrong(format!("{} names of {rows} rows and {cols} layers", names.len())));
        }
        let layers = layers.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect();
        Ok(Self { names, layers, flags })
    }

    /// Returns which of them a layer has: all if the map does not know it.
    fn axis(&self, layer: &str) -> LayerAxis {
        let rows = usize::try_from(self.names.len()).unwrap_or(0);
        let found = self.layers.iter().position(|name| name == layer);
        let flags = found.and_then(|at| self.flags.get(at * rows..(at + 1) * rows));
        match flags {
            Some(flags) if flags.iter().any(|&flag| flag != 1) => {
                let at = flags.iter().zip(0_u64..).filter(|(flag, _)| **flag == 1);
                LayerAxis::Part(at.map(|(_, row)| row).collect())
            }
            _ => LayerAxis::Whole,
        }
    }
}

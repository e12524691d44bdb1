//! `SummarizedExperiment`, `SingleCellExperiment` and what extends them.

use std::sync::Arc;

use nnz_container::rds::{
    Integers, NA_INTEGER, NA_REAL_BITS, Object, Reals, Strings, TextRef, Value,
};
use nnz_core::{Error, ErrorKind, Result, StringList};

use crate::frame::Frame;
use crate::objects::{
    FileInfo, classes, describe, dims, has, integer, integers, is_a, members, read_integers, take,
};
use crate::study::{
    AxisTable, Experiment, Graph, Layer, Reduction, Study, StudyKind, Unread, is_matrix,
};
use crate::vector::read_vectors;

/// Returns whether an object is one of them.
pub(crate) fn is_experiment(object: &Object) -> bool {
    object.is_s4() && has(object, &["colData", "assays", "elementMetadata"])
}

/// Alternative experiments are read this deep.
const MOST_NESTED: usize = 8;

/// Reads an object.
pub(crate) fn parse(info: &Arc<FileInfo>, prefix: &str, object: Object) -> Result<Study> {
    let class = classes(&object).into_iter().next().unwrap_or_default();
    let mut study = Study {
        info: Arc::clone(info),
        prefix: prefix.to_owned(),
        kind: StudyKind::Experiment,
        class,
        version: None,
        experiments: Vec::new(),
        main: 0,
        reductions: Vec::new(),
        graphs: Vec::new(),
        vectors: Vec::new(),
        unread: Vec::new(),
    };
    let name = main_name(info, &object).unwrap_or_default();
    add(&mut study, (&name, ""), object, 0)?;
    Ok(study)
}

/// Returns the name of the main experiment, if it has one.
fn main_name(info: &FileInfo, object: &Object) -> Option<String> {
    let metadata = crate::objects::slot(object, "int_metadata")?.clone();
    let named = members(info, metadata).into_iter().find(|(name, _)| name == "mainExpName");
    named.and_then(|(_, name)| info.string(&name))
}

/// Adds an object, or an alternative experiment of one.
fn add(
    study: &mut Study,
    (name, path): (&str, &str),
    mut object: Object,
    depth: usize,
) -> Result<()> {
    let info = Arc::clone(&study.info);
    let inside = |slot: &str| match path {
        "" => slot.to_owned(),
        path => format!("{path}/{slot}"),
    };
    let full = |path: &str| study.full(path);
    let cells = take(&mut object, "colData").unwrap_or_default();
    let cells = Frame::new(&info, cells, &full(&inside("colData")))?;
    let (names, mut features, lost) = features(&info, &mut object, &full(&inside("rowData")))?;
    let matrices = matrices(&info, &mut object);
    let count = names.as_ref().map(StringList::len).or_else(|| {
        let first = matrices.first().and_then(|(_, matrix)| dims(matrix));
        first.map(|[rows, _]| rows)
    });
    let rows = count.unwrap_or_else(|| nnz_core::Annotations::len(&features));
    if nnz_core::Annotations::columns(&features).is_empty() {
        features = Frame::empty(&info, features.path(), rows);
    }
    let features = AxisTable::new(names, rows, features.along(None, rows)?);
    let cols = nnz_core::Annotations::len(&cells);
    let unread_of = |table: &str, frame: &Frame| -> Unread {
        let columns = frame.unread().iter();
        columns.map(|(name, what)| (inside(&format!("{table}/{name}")), what.clone())).collect()
    };
    let mut unread = unread_of("colData", &cells);
    unread.extend(unread_of("rowData", &features.table));
    unread.extend(lost.into_iter().map(|what| (inside("rowRanges"), what)));
    // Alternative experiments have the cells of the main one by position, whatever their names are: R gives them those of it.
    let names = match study.experiments.first().filter(|main| main.cells.len == cols) {
        Some(main) => main.cells.names.clone(),
        None => cells.names().cloned(),
    };
    let cells = AxisTable { names, len: cols, table: cells };
    let mut layers = Vec::new();
    for (name, matrix) in matrices {
        let path = inside(&format!("assays/{name}"));
        let mut layer = Layer::new(&info, (&name, &path), matrix, [&features, &cells])?;
        // Names of the object are those of all matrices in it.
        match layer.data.stated_shape() {
            Some(shape) if shape != [rows, cols] => {
                let found = format!("{} x {}", shape[0], shape[1]);
                let expected = format!("{rows} x {cols}, as the object has features and cells");
                return Err(Error::mismatch(info.place(&full(&layer.path)), found, expected));
            }
            _ => layer.axes = [crate::study::LayerAxis::Whole, crate::study::LayerAxis::Whole],
        }
        layers.push(layer);
    }
    let experiment =
        Experiment { name: name.to_owned(), path: path.to_owned(), features, cells, layers };
    let number = study.experiments.len();
    study.experiments.push(experiment);
    if let Some(metadata) = take(&mut object, "metadata") {
        let owner = (&*study.prefix, path);
        let vectors = read_vectors(&info, owner, ("metadata", metadata), &mut unread)?;
        study.vectors.extend(vectors);
    }
    if let Some(own) = take(&mut object, "int_metadata") {
        let known = ["version", "mainExpName"];
        let others = members(&info, own).into_iter().filter(|(name, _)| !known.contains(&&**name));
        unread
            .extend(others.map(|(name, member)| {
                (inside(&format!("int_metadata/{name}")), describe(&member))
            }));
    }
    for slot in ["design", "dispersionFunction"] {
        if let Some(found) = take(&mut object, slot) {
            unread.push((inside(slot), describe(&found)));
        }
    }
    let inner = take(&mut object, "int_colData").and_then(|mut data| take(&mut data, "listData"));
    for (kind, table) in members(&info, inner.unwrap_or_default()) {
        add_inner(study, (number, &inside(&kind)), (&kind, table), depth, &mut unread)?;
    }
    let rows = take(&mut object, "int_elementMetadata");
    let rows = rows.and_then(|mut data| take(&mut data, "listData"));
    for (kind, mut table) in members(&info, rows.unwrap_or_default()) {
        let Some(list) = take(&mut table, "listData") else {
            unread.push((inside(&format!("int_elementMetadata/{kind}")), describe(&table)));
            continue;
        };
        for (name, member) in members(&info, list) {
            unread.push((inside(&format!("{kind}/{name}")), describe(&member)));
        }
    }
    study.unread.append(&mut unread);
    Ok(())
}

/// Adds what an experiment has in a column of its internal table of cells.
fn add_inner(
    study: &mut Study,
    (number, path): (usize, &str),
    (kind, mut table): (&str, Object),
    depth: usize,
    unread: &mut Unread,
) -> Result<()> {
    let info = Arc::clone(&study.info);
    if kind == "spatialCoords" && is_matrix(&table) {
        let (name, path, owner) = ("spatial".to_owned(), path.to_owned(), Some(number));
        let embeddings = Arc::new(table);
        study.reductions.push(Reduction { name, path, owner, embeddings, loadings: None });
        return Ok(());
    }
    let Some(list) = take(&mut table, "listData") else {
        let path = match path.strip_suffix(kind) {
            Some(owner) => format!("{owner}int_colData/{kind}"),
            None => path.to_owned(),
        };
        unread.push((path, describe(&table)));
        return Ok(());
    };
    for (name, mut member) in members(&info, list) {
        let path = format!("{path}/{name}");
        match kind {
            "reducedDims" => match reduction(&info, &mut member, &path, unread) {
                Some((embeddings, loadings)) => {
                    unread.extend(further_attributes(&embeddings, &path));
                    let (owner, embeddings) = (Some(number), Arc::new(embeddings));
                    let loadings = loadings.map(Arc::new);
                    study.reductions.push(Reduction { name, path, owner, embeddings, loadings });
                }
                None => unread.push((path, describe(&member))),
            },
            "colPairs" => match graph(&info, member, &path, unread)? {
                Ok(matrix) => {
                    let (owner, matrix) = (Some(number), Arc::new(matrix));
                    study.graphs.push(Graph { path, owner, matrix });
                }
                Err(what) => unread.push((path, what)),
            },
            "altExps" if depth < MOST_NESTED => match take(&mut member, "se") {
                Some(inner) if is_experiment(&inner) => {
                    add(study, (&name, &path), inner, depth + 1)?;
                }
                _ => unread.push((path, describe(&member))),
            },
            _ => unread.push((path, describe(&member))),
        }
    }
    Ok(())
}

/// Returns the matrices of an object, with their names.
fn matrices(info: &FileInfo, object: &mut Object) -> Vec<(String, Object)> {
    let Some(mut assays) = take(object, "assays") else { return Vec::new() };
    let mut list = take(&mut assays, "data");
    if list.is_none()
        && let Some(Value::Environment(variables)) =
            take(&mut assays, ".xData").map(|content| content.value)
    {
        // Before Bioconductor 3.10, an object of a reference class. A field may be behind a function with its name.
        let is_field = |entry: &nnz_container::rds::Entry| {
            let named = entry.tag.as_ref().is_some_and(|tag| tag.is("data") || tag.is(".->data"));
            named && entry.value.is_s4()
        };
        list = variables.into_iter().find(is_field).map(|entry| entry.value);
    }
    let mut list = list.unwrap_or(assays);
    let list = take(&mut list, "listData").unwrap_or(list);
    members(info, list)
}

type Features = (Option<StringList>, Frame, Option<String>);

/// Returns names and table of features, and what is not read of their ranges.
fn features(info: &Arc<FileInfo>, object: &mut Object, path: &str) -> Result<Features> {
    let names = |object: Option<Object>| match object.as_ref().map(|names| &names.value) {
        Some(Value::Character(names)) => info.names(names, path).map(Some),
        _ => Ok(None),
    };
    let table = take(object, "elementMetadata");
    let Some(mut ranges) = take(object, "rowRanges") else {
        let names = names(take(object, "NAMES"))?;
        let frame = match table {
            Some(table) => Frame::new(info, table, path)?,
            None => Frame::empty(info, path, names.as_ref().map_or(0, StringList::len)),
        };
        return Ok((names, frame, None));
    };
    let table = take(&mut ranges, "elementMetadata");
    let frame = |len: u64| match table {
        Some(table) => Frame::new(info, table, path),
        None => Ok(Frame::empty(info, path, len)),
    };
    if let Some(mut partitioning) = take(&mut ranges, "partitioning") {
        // A list of ranges for each feature, which is usually empty.
        let found = names(take(&mut partitioning, "NAMES"))?;
        let ends = take(&mut partitioning, "end");
        let ends = ends.map(|ends| integers(info, &ends, path)).transpose()?.flatten();
        let ends = ends.unwrap_or_default();
        let lost = ends.iter().any(|&end| end != 0);
        let lost = lost.then(|| "several ranges for each feature".to_owned());
        return Ok((found, frame(ends.len() as u64)?, lost));
    }
    ranges_of(info, &mut ranges, path, frame)
}

/// Returns the names and the table of ranges.
fn ranges_of(
    info: &Arc<FileInfo>,
    ranges: &mut Object,
    path: &str,
    table: impl FnOnce(u64) -> Result<Frame>,
) -> Result<Features> {
    let mut positions = take(ranges, "ranges").unwrap_or_default();
    let names = match take(&mut positions, "NAMES").as_ref().map(|names| &names.value) {
        Some(Value::Character(names)) => Some(info.names(names, path)?),
        _ => None,
    };
    let (start, width) = (take(&mut positions, "start"), take(&mut positions, "width"));
    let len = match start.as_ref().map(|start| &start.value) {
        Some(Value::Integer(all)) => all.len(),
        _ => 0,
    };
    let mut frame = table(len)?;
    let columns = [
        ("seqnames", take(ranges, "seqnames")),
        ("start", start),
        ("width", width),
        ("strand", take(ranges, "strand")),
    ];
    let mut lost = Vec::new();
    for (name, column) in columns {
        if let Some(column) = column
            && !frame.add(name, column)?
        {
            lost.push(name);
        }
    }
    let lost = (!lost.is_empty()).then(|| format!("{} of the ranges", lost.join(", ")));
    Ok((names, frame, lost))
}

/// Returns whether an object has ranges, as a table.
pub(crate) fn is_ranges(object: &Object) -> bool {
    object.is_s4() && has(object, &["seqnames", "ranges", "strand"])
}

/// Reads ranges as a table.
pub(crate) fn ranges_table(info: &Arc<FileInfo>, mut object: Object, path: &str) -> Result<Frame> {
    let table = take(&mut object, "elementMetadata");
    let (names, frame, _) = ranges_of(info, &mut object, path, |len| match table {
        Some(table) => Frame::new(info, table, path),
        None => Ok(Frame::empty(info, path, len)),
    })?;
    Ok(frame.with_names(names))
}

/// Returns the embedding in an object, and its loadings.
fn reduction(
    info: &FileInfo,
    object: &mut Object,
    path: &str,
    unread: &mut Unread,
) -> Option<(Object, Option<Object>)> {
    if is_a(object, "LinearEmbeddingMatrix") {
        let embeddings = take(object, "sampleFactors").filter(is_matrix)?;
        let factors = take(object, "factorData").and_then(|mut table| take(&mut table, "listData"));
        let metadata = take(object, "metadata");
        for (slot, list) in [("factorData", factors), ("metadata", metadata)] {
            let list = members(info, list.unwrap_or_default()).into_iter();
            unread.extend(
                list.map(|(name, member)| (format!("{path}/{slot}/{name}"), describe(&member))),
            );
        }
        return Some((embeddings, take(object, "featureLoadings").filter(is_matrix)));
    }
    if !is_matrix(object) {
        return None;
    }
    let loadings = take(object, "rotation").filter(is_matrix);
    Some((std::mem::take(object), loadings))
}

/// Lists the attributes of a matrix that are not read, such as the variance that each dimension explains.
fn further_attributes(matrix: &Object, path: &str) -> Unread {
    const READ: [&str; 5] = ["dim", "dimnames", "class", "names", "row.names"];
    let attributes = matrix.attributes().filter(|_| !matrix.is_s4());
    let named = attributes.filter_map(|entry| Some((entry.tag.as_ref()?, &entry.value)));
    let further = named.filter(|(tag, _)| !READ.iter().any(|name| tag.is(name)));
    further.map(|(tag, value)| (format!("{path}/{}", tag.text()), describe(value))).collect()
}

/// Converts pairs of cells to a `dgTMatrix`; an error describes an object that has no pairs.
fn graph(
    info: &FileInfo,
    mut object: Object,
    path: &str,
    unread: &mut Unread,
) -> Result<Result<Object, String>> {
    let what = describe(&object);
    let Some(mut hits) = take(&mut object, "hits") else { return Ok(Err(what)) };
    let mut side = |slot: &str| take(&mut hits, slot);
    let (from, to, count) = (side("from"), side("to"), side("nLnode"));
    let (Some(from), Some(to), Some(count)) = (from, to, count.as_ref().and_then(integer)) else {
        return Ok(Err(what));
    };
    let (Some(mut from), Some(mut to)) = (integers(info, &from, path)?, integers(info, &to, path)?)
    else {
        return Ok(Err(what));
    };
    if from.len() != to.len() {
        return Ok(Err(what));
    }
    let table =
        take(&mut hits, "elementMetadata").and_then(|mut table| take(&mut table, "listData"));
    let mut found = None;
    for (name, values) in members(info, table.unwrap_or_default()) {
        let what = describe(&values);
        match weights(info, values, path)?.filter(|all| all.len() == from.len() as u64) {
            Some(all) if found.is_none() => found = Some(all),
            _ => unread.push((format!("{path}/{name}"), what)),
        }
    }
    if let Some(kept) = last_of_each(info, &from, &to, path)? {
        let again = from.len() - kept.len();
        let what = format!("{again} pairs that occur again, of which the last is read");
        unread.push((path.to_owned(), what));
        let only = |all: Vec<i32>| kept.iter().map(|&at| all[at]).collect();
        (from, to) = (only(from), only(to));
        if let Some(all) = &mut found {
            let mut read = vec![0.0; usize::try_from(all.len()).unwrap_or(0)];
            let place = info.place(path);
            all.read(0, &mut read).map_err(|error| Error::new(ErrorKind::Io(error), place))?;
            *all = Reals::Stored(kept.iter().map(|&at| read[at]).collect());
        }
    }
    let pattern = found.is_none();
    let zero_based = |all: Vec<i32>| -> Object {
        let all = all.into_iter().map(|index| index.wrapping_sub(1)).collect();
        Value::Integer(Integers::Stored(all)).into()
    };
    let mut graph = Object { value: Value::S4, is_object: true, ..Object::default() };
    graph.push_attribute("i", zero_based(from));
    graph.push_attribute("j", zero_based(to));
    graph.push_attribute("Dim", Value::Integer(Integers::Stored(vec![count, count])).into());
    let nothing = Value::List(vec![Object::default(), Object::default()]);
    graph.push_attribute("Dimnames", nothing.into());
    if let Some(values) = found {
        graph.push_attribute("x", Value::Real(values).into());
    }
    let class = if pattern { "ngTMatrix" } else { "dgTMatrix" };
    let class: Strings = std::iter::once(Some(TextRef::utf8(class))).collect();
    graph.push_attribute("class", Value::Character(class).into());
    Ok(Ok(graph))
}

/// Returns the values of pairs of cells as doubles; `None` if they are no numbers.
fn weights(info: &FileInfo, values: Object, path: &str) -> Result<Option<Reals>> {
    let number = |value| match value {
        NA_INTEGER => f64::from_bits(NA_REAL_BITS),
        value => f64::from(value),
    };
    let all = match values.value {
        _ if values.is_object => return Ok(None),
        Value::Real(all) => return Ok(Some(all)),
        Value::Integer(all) => read_integers(info, &all, path)?,
        Value::Logical(all) => all,
        _ => return Ok(None),
    };
    Ok(Some(Reals::Stored(all.into_iter().map(number).collect())))
}

/// Returns the positions of pairs without those that occur again later, as R makes a matrix of them; `None` if no pair does.
fn last_of_each(
    info: &FileInfo,
    from: &[i32],
    to: &[i32],
    path: &str,
) -> Result<Option<Vec<usize>>> {
    let pairs = || from.iter().zip(to);
    if pairs().is_sorted_by(|a, b| a < b) || pairs().is_sorted_by(|a, b| (a.1, a.0) < (b.1, b.0)) {
        return Ok(None);
    }
    info.check_memory(from.len() as u64, 24, path)?;
    let mut order: Vec<(&i32, &i32, usize)> =
        pairs().enumerate().map(|(at, (from, to))| (from, to, at)).collect();
    order.sort_unstable();
    let before = order.len();
    // The last of several is the first in the reversed order.
    order.reverse();
    order.dedup_by_key(|&mut (from, to, _)| (*from, *to));
    let mut kept: Vec<usize> = order.into_iter().map(|(.., at)| at).collect();
    kept.sort_unstable();
    Ok((kept.len() < before).then_some(kept))
}

//! Objects that the real programs wrote, compared with what R says of them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use nnz_container::rds::{self, Limits};
use nnz_core::{
    Annotations, Axis, Batch, Categories, Column, ColumnValues, MatrixSource, Place, Projection,
    Result, Scalar, StringList, Structure, Values,
};
use nnz_robjects::{Experiment, LayerData, Node, ObjectRef, RFile, Study, StudyMatrix, matrix};
use nnz_storage::InputFile;
use serde_json::Value as Json;

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/robjects")
}

/// Reads entries as (row, column) and numbers. MatrixObject zeros count.
fn entries(source: &dyn MatrixSource) -> Result<BTreeMap<(u64, u64), f64>> {
    let header = source.header();
    let mut batch = Batch::new(header.order, Values::new(header.value_type));
    let mut reader = source.batches(0..header.shape.major(header.order), Projection::ALL)?;
    let mut all = BTreeMap::new();
    while reader.next_batch(&mut batch)? {
        for entry in 0..batch.entries() {
            let value = match batch.values.get(entry).unwrap() {
                Scalar::F64(value) => value,
                Scalar::I32(value) => f64::from(value),
                Scalar::Bint8(value) => f64::from(value.0),
                other => panic!("{other:?}"),
            };
            let known = all.insert(batch.row_col(entry), value);
            assert!(known.is_none());
        }
    }
    Ok(all)
}

fn number(json: &Json) -> f64 {
    match json {
        Json::Number(number) => number.as_f64().unwrap(),
        Json::Bool(flag) => f64::from(u8::from(*flag)),
        Json::String(text) => match &**text {
            "NA" => f64::from_bits(rds::NA_REAL_BITS),
            "NaN" => f64::NAN,
            "Inf" => f64::INFINITY,
            "-Inf" => f64::NEG_INFINITY,
            other => panic!("{other}"),
        },
        Json::Null => f64::from_bits(rds::NA_REAL_BITS),
        other => panic!("{other}"),
    }
}

fn same(a: f64, b: f64) -> bool {
    // R keeps the low word of NA only.
    a == b
        || (a.is_nan() && b.is_nan() && a.to_bits() as u32 == b.to_bits() as u32)
        || (a.is_nan()
            && b.is_nan()
            && (a.to_bits() as u32 == 1954) == (b.to_bits() as u32 == 1954))
}

fn texts(json: &Json) -> Option<Vec<String>> {
    match json {
        Json::Array(all) => {
            Some(all.iter().map(|text| text.as_str().unwrap().to_owned()).collect())
        }
        // A vector of one string.
        Json::String(text) => Some(vec![text.clone()]),
        _ => None,
    }
}

fn list(names: &StringList) -> Vec<String> {
    names.iter().map(|name| String::from_utf8(name.to_vec()).unwrap()).collect()
}

fn array(json: &Json) -> Vec<Json> {
    match json {
        Json::Array(all) => all.clone(),
        Json::Null => Vec::new(),
        one => vec![one.clone()],
    }
}

fn check_matrix(source: &dyn MatrixSource, expected: &Json, what: &str) {
    let header = source.header();
    let dim = array(&expected["dim"]);
    assert_eq!(Some(header.shape.rows), dim[0].as_u64(), "{what}");
    assert_eq!(Some(header.shape.cols), dim[1].as_u64(), "{what}");
    for (axis, key) in [(Axis::Rows, "rownames"), (Axis::Cols, "colnames")] {
        if let Some(names) = texts(&expected[key]) {
            let found = source.names(axis).unwrap().map(|names| list(&names));
            assert_eq!(found, Some(names), "{what}: {axis}");
        }
    }
    let found = entries(source).unwrap();
    let mut wanted = BTreeMap::new();
    if let Some(layout) = expected.get("layout") {
        let (rows, cols) = (array(&expected["i"]), array(&expected["j"]));
        let values = expected.get("x").map(array);
        for (at, (row, col)) in rows.iter().zip(&cols).enumerate() {
            let value = values.as_ref().map_or(1.0, |values| number(&values[at]));
            wanted.insert((row.as_u64().unwrap(), col.as_u64().unwrap()), value);
        }
        assert!(layout.is_string());
        if !matches!(header.structure, Structure::General) && layout == "expanded" {
            panic!("{what}: symmetric");
        }
        assert_eq!(found.len(), wanted.len(), "{what}");
    } else {
        let rows = header.shape.rows;
        for (at, value) in (0..).zip(array(&expected["values"])) {
            wanted.insert((at % rows, at / rows), number(&value));
        }
        // Elements that are not stored are zero.
        wanted.retain(|place, value| *value != 0.0 || found.contains_key(place));
    }
    assert_eq!(found.keys().collect::<Vec<_>>(), wanted.keys().collect::<Vec<_>>(), "{what}");
    for (place, value) in &wanted {
        assert!(same(found[place], *value), "{what}: {place:?} {} {value}", found[place]);
    }
}

fn column(table: &dyn Annotations, name: &str) -> Option<Column> {
    let at = table.columns().iter().position(|info| info.name == name)?;
    Some(table.read_column(at, u64::MAX).unwrap())
}

fn check_vector(found: &Column, expected: &Json, what: &str) {
    let kind = expected["type"].as_str().unwrap();
    if kind == "Rle" {
        let lengths = array(&expected["lengths"]);
        let inner = &expected["values"];
        let mut rows = Vec::new();
        for (at, length) in lengths.iter().enumerate() {
            rows.extend(std::iter::repeat_n(at, length.as_u64().unwrap() as usize));
        }
        let key = if inner["type"] == "factor" { "codes" } else { "values" };
        let stored = array(&inner[key]);
        let mut repeated = inner.clone();
        repeated[key] = Json::Array(rows.iter().map(|&at| stored[at].clone()).collect());
        return check_vector(found, &repeated, what);
    }
    match (kind, &found.values) {
        ("factor", ColumnValues::Categorical(own)) => {
            let Categories::Strings(levels) = &own.categories else { panic!("{what}") };
            assert_eq!(list(levels), texts(&expected["levels"]).unwrap_or_default(), "{what}");
            let codes = array(&expected["codes"]);
            let codes: Vec<i32> =
                codes.iter().map(|code| code.as_i64().map_or(-1, |code| code as i32 - 1)).collect();
            assert_eq!(own.codes, codes, "{what}");
            assert_eq!(own.ordered, expected["ordered"] == true, "{what}");
        }
        ("character", ColumnValues::Strings(own)) => {
            let wanted = array(&expected["values"]);
            assert_eq!(own.len(), wanted.len() as u64, "{what}");
            for (row, wanted) in (0..).zip(&wanted) {
                match wanted.as_str() {
                    Some(text) => assert_eq!(own.get(row), Some(text.as_bytes()), "{what}"),
                    None => assert!(found.is_missing(row), "{what}"),
                }
            }
        }
        ("integer" | "double" | "logical", ColumnValues::Numbers(own)) => {
            let wanted = array(&expected["values"]);
            assert_eq!(found.len(), wanted.len() as u64, "{what}");
            for (row, wanted) in wanted.iter().enumerate() {
                if wanted.is_null() {
                    let is_time = own.get(row) == Some(Scalar::I64(i64::MIN));
                    assert!(found.is_missing(row as u64) || is_time, "{what}: {row}");
                    continue;
                }
                let value = match own.get(row).unwrap() {
                    Scalar::F64(value) => value,
                    Scalar::I32(value) => f64::from(value),
                    Scalar::I64(i64::MIN) => f64::from_bits(rds::NA_REAL_BITS),
                    Scalar::I64(value) => value as f64,
                    Scalar::Bint8(value) => f64::from(value.0),
                    other => panic!("{what}: {other:?}"),
                };
                assert!(!found.is_missing(row as u64), "{what}: {row}");
                assert!(same(value, number(wanted)), "{what}: {row} {value} {wanted}");
            }
        }
        (kind, values) => panic!("{what}: {kind} as {values:?}"),
    }
}

fn check_table(found: &dyn Annotations, unread: &[(String, String)], expected: &Json, what: &str) {
    assert_eq!(Some(found.len()), expected["nrow"].as_u64(), "{what}");
    for wanted in array(&expected["columns"]) {
        let name = wanted["name"].as_str().unwrap();
        let what = format!("{what}/{name}");
        if wanted["type"] == "table" {
            for inner in array(&wanted["columns"]) {
                let name = format!("{name}.{}", inner["name"].as_str().unwrap());
                check_vector(&column(found, &name).unwrap(), &inner, &what);
            }
            continue;
        }
        match column(found, name) {
            Some(column) => check_vector(&column, &wanted, &what),
            // It is listed as not read.
            None if matches!(name, "var.features" | "var.features.rank") => {}
            None => assert!(unread.iter().any(|(own, _)| own == name), "{what}"),
        }
    }
}

fn open(study: &Study, part: StudyMatrix) -> Result<nnz_robjects::ObjectMatrixSource> {
    study.open(part, &|found, place: &Place| {
        Err(nnz_core::Error::unsupported(place.clone(), format!("in {}", found.path)))
    })
}

fn check_part(study: &Study, path: &str, expected: &Json, what: &str) {
    let what = format!("{what}: {path}");
    let part = study.find(path).unwrap_or_else(|| panic!("{what}: {:?}", study.parts()));
    if let StudyMatrix::Layer(number, at) = part {
        match &study.experiments[number].layers[at].data {
            LayerData::External(_) | LayerData::Refused(_) => {
                open(study, part).unwrap_err();
                return;
            }
            _ => {}
        }
    }
    check_matrix(&open(study, part).unwrap(), expected, &what);
}

fn empty(expected: &Json) -> bool {
    array(&expected["dim"]).iter().any(|side| side == 0)
}

fn check_variable(experiment: &Experiment, expected: &Json, what: &str) {
    let Some(wanted) = texts(expected).filter(|names| !names.is_empty()) else { return };
    let table = &experiment.features.table;
    let ranks = column(table, "highly_variable_rank").unwrap_or_else(|| panic!("{what}"));
    let names = experiment.features.names.as_ref().unwrap();
    let mut ranked: Vec<(u64, String)> = Vec::new();
    for (row, name) in (0..).zip(list(names)) {
        let rank = ranks.number(row).and_then(Scalar::to_f64).unwrap();
        if !rank.is_nan() {
            ranked.push((rank as u64, name));
        }
    }
    ranked.sort();
    let found: Vec<String> = ranked.into_iter().map(|(_, name)| name).collect();
    assert_eq!(found, wanted, "{what}");
}

fn map(json: &Json) -> Vec<(String, Json)> {
    match json {
        Json::Object(map) => {
            map.iter().map(|(name, value)| (name.clone(), value.clone())).collect()
        }
        _ => Vec::new(),
    }
}

fn check_assay(study: &Study, name: &str, expected: &Json, what: &str) {
    let experiment = study.experiments.iter().find(|own| own.name == name).unwrap();
    let prefix = if name.is_empty() { String::new() } else { format!("assays/{name}/") };
    for (names, key) in [(&experiment.features, "features"), (&experiment.cells, "cells")] {
        let found = names.names.as_ref().map(|names| list(names)).unwrap_or_default();
        assert_eq!(found, texts(&expected[key]).unwrap_or_default(), "{what}: {key}");
    }
    for (layer, wanted) in map(&expected["layers"]) {
        if !empty(&wanted) || study.find(&format!("{prefix}layers/{layer}")).is_some() {
            check_part(study, &format!("{prefix}layers/{layer}"), &wanted, what);
        }
    }
    let (table, meta) = (&experiment.features.table, &expected["feature_meta"]);
    if !array(&meta["columns"]).is_empty() {
        check_table(table, table.unread(), meta, what);
    }
    check_variable(experiment, &expected["var_features"], what);
}

fn check_seurat(study: &Study, expected: &Json, what: &str) {
    let Some(main) = study.main_experiment() else { panic!("{what}") };
    // Cells of an assay may be a part of those of the object.
    let cells = texts(&expected["cells"]).unwrap_or_default();
    let own = main.cells.names.as_ref().map(|names| list(names)).unwrap_or_default();
    if own == cells {
        let table = &main.cells.table;
        check_table(table, table.unread(), &expected["obs"], &format!("{what}: obs"));
        if !expected["ident"].is_null() && !cells.is_empty() {
            let taken = array(&expected["obs"]["columns"]).iter().any(|one| one["name"] == "ident");
            let name = if taken { "active.ident" } else { "ident" };
            check_vector(
                &column(table, name).unwrap(),
                &expected["ident"],
                &format!("{what}: ident"),
            );
        }
    }
    for (name, assay) in map(&expected["assays"]) {
        check_assay(study, &name, &assay, &format!("{what}: {name}"));
    }
    for (key, layer) in [("raw.data", "counts"), ("data", "data"), ("scale.data", "scale.data")] {
        if let Some(wanted) =
            expected.get(key).filter(|wanted| wanted.is_object() && !empty(wanted))
        {
            check_part(study, &format!("assays/RNA/layers/{layer}"), wanted, what);
        }
    }
    for (name, reduction) in map(&expected["reductions"]) {
        let path = format!("reductions/{name}");
        check_part(study, &path, &reduction["cell_embeddings"], what);
        let loadings = &reduction["feature_loadings"];
        if loadings.is_object() && !empty(loadings) {
            check_part(study, &format!("{path}/loadings"), loadings, what);
        }
    }
    for (name, graph) in map(&expected["graphs"]) {
        check_part(study, &format!("graphs/{name}"), &graph, what);
    }
}

fn check_experiment(study: &Study, expected: &Json, what: &str) {
    let main = study.main_experiment().unwrap();
    let dim = array(&expected["dim"]);
    assert_eq!((Some(main.features.len), Some(main.cells.len)), (dim[0].as_u64(), dim[1].as_u64()));
    for (names, key) in [(&main.features, "rownames"), (&main.cells, "colnames")] {
        let found = names.names.as_ref().map(|names| list(names));
        if expected.get(key).is_some() {
            assert_eq!(found, texts(&expected[key]), "{what}: {key}");
        }
    }
    for (name, wanted) in map(&expected["assays"]) {
        let name = name.strip_prefix('#').unwrap_or(&name).to_owned();
        check_part(study, &format!("assays/{name}"), &wanted, what);
    }
    if expected.get("obs").is_some() {
        let (cells, features) = (&main.cells.table, &main.features.table);
        check_table(cells, cells.unread(), &expected["obs"], &format!("{what}: obs"));
        check_table(features, features.unread(), &expected["var"], &format!("{what}: var"));
    }
    let ranges = &expected["row_ranges"];
    if ranges["type"] == "GRanges" {
        check_ranges(&main.features.table, ranges, what);
    }
    for (name, wanted) in map(&expected["reduced_dims"]) {
        if wanted.get("dim").is_some() {
            check_part(study, &format!("reducedDims/{name}"), &wanted, what);
        }
    }
    for (name, wanted) in map(&expected["alt_exps"]) {
        for (assay, wanted) in map(&wanted["assays"]) {
            let assay = assay.strip_prefix('#').unwrap_or(&assay).to_owned();
            check_part(study, &format!("altExps/{name}/assays/{assay}"), &wanted, what);
        }
    }
}

fn check_ranges(table: &dyn Annotations, expected: &Json, what: &str) {
    let text = |name: &str| {
        let column = column(table, name).unwrap();
        let text = |row| {
            let mut out = Vec::new();
            column.write_text(row, &mut out);
            String::from_utf8(out).unwrap()
        };
        (0..column.len()).map(text).collect::<Vec<_>>()
    };
    assert_eq!(text("seqnames"), texts(&expected["seqnames"]).unwrap(), "{what}");
    assert_eq!(text("strand"), texts(&expected["strand"]).unwrap(), "{what}");
    let starts: Vec<_> = array(&expected["start"]).iter().map(ToString::to_string).collect();
    assert_eq!(text("start"), starts, "{what}");
    let ends: Vec<_> = array(&expected["end"]).iter().map(|end| end.as_i64().unwrap()).collect();
    let numbers =
        |name: &str| -> Vec<i64> { text(name).iter().map(|text| text.parse().unwrap()).collect() };
    let found: Vec<i64> = numbers("start")
        .iter()
        .zip(numbers("width"))
        .map(|(start, width)| start + width - 1)
        .collect();
    assert_eq!(found, ends, "{what}");
}

fn check_node(file: &RFile, node: &Node, expected: &Json, what: &str) {
    match node {
        Node::Study(study)
            if expected.get("assays").is_some() && expected.get("active_assay").is_none() =>
        {
            check_experiment(study, expected, what);
        }
        Node::Study(study) if expected.get("layers").is_some() => {
            check_assay(study, "", expected, what);
        }
        Node::Study(study) => check_seurat(study, expected, what),
        Node::Matrix(matrix) if expected.get("columns").is_some() => {
            // A data frame of numbers.
            let source = file.open_matrix("", matrix).unwrap();
            assert_eq!(Some(source.header().shape.rows), expected["nrow"].as_u64());
        }
        Node::Matrix(matrix) => {
            check_matrix(&*file.open_matrix("", matrix).unwrap(), expected, what);
        }
        Node::Table(table) if expected["type"] == "GRanges" => check_ranges(table, expected, what),
        Node::Table(table) => check_table(table, table.unread(), expected, what),
        Node::List(members) => {
            let (names, values) = match expected.get("experiments") {
                Some(Json::Object(map)) => {
                    let Some((_, Node::List(members))) = members.first() else { panic!("{what}") };
                    for (name, node) in members {
                        check_node(file, node, &map[&**name], &format!("{what}: {name}"));
                    }
                    return;
                }
                _ => (texts(&expected["names"]), array(&expected["values"])),
            };
            assert_eq!(members.len(), values.len(), "{what}");
            for (at, ((name, node), wanted)) in members.iter().zip(&values).enumerate() {
                if let Some(names) = &names {
                    assert_eq!(*name, names[at], "{what}");
                }
                check_node(file, node, wanted, &format!("{what}: {name}"));
            }
        }
        other => panic!("{what}: {other:?}"),
    }
}

#[test]
fn objects_are_what_r_says() {
    let mut count = 0;
    for entry in fs::read_dir(directory()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        if path.extension().is_none_or(|extension| extension != "rds") {
            continue;
        }
        let expected = directory().join("expected").join(format!("{name}.json"));
        let expected: Json = serde_json::from_slice(&fs::read(expected).unwrap()).unwrap();
        let file = InputFile::open(&path).unwrap();
        let document = rds::read(&file, Limits::default()).unwrap();
        count += 1;
        if matrix::is_matrix(&document) {
            let source = matrix::from_document(&file, document).unwrap();
            check_matrix(&source, &expected, &name);
            continue;
        }
        // Matrices of BPCells are those of another format.
        if name.starts_with("bp_") {
            assert!(!RFile::may_read(&document), "{name}");
            continue;
        }
        assert!(RFile::may_read(&document), "{name}");
        let file = RFile::new(&file, document).unwrap_or_else(|error| panic!("{name}: {error}"));
        if name == "s5_bpcells" {
            let Some(ObjectRef::Node(Node::Study(study))) = file.find("") else { panic!() };
            check_table(
                &study.main_experiment().unwrap().cells.table,
                &[],
                &expected["obs"],
                &name,
            );
            continue;
        }
        let Some(ObjectRef::Node(node)) = file.find("") else { panic!("{name}") };
        check_node(&file, node, &expected, &name);
    }
    assert_eq!(count, 101);
}

/// Reads everything of an object: tables, and matrices as far as they are in the file.
fn read_all(file: &RFile, node: &Node) -> Result<()> {
    let table = |table: &nnz_robjects::Frame| {
        for at in 0..table.columns().len() {
            let column = table.read_column(at, 16 << 20)?;
            assert_eq!(column.len(), Annotations::len(table));
        }
        Ok::<_, nnz_core::Error>(())
    };
    let matrix = |source: &dyn MatrixSource| {
        let shape = source.header().shape;
        for axis in [Axis::Rows, Axis::Cols] {
            if let Some(names) = source.names(axis)? {
                assert_eq!(names.len(), shape.len(axis));
            }
        }
        let header = source.header();
        let mut batch = Batch::new(header.order, Values::new(header.value_type));
        let mut reader = source.batches(0..header.shape.major(header.order), Projection::ALL)?;
        let mut count = 0;
        // A sequence that takes a few bytes may have billions of entries.
        while count < 1 << 16 && reader.next_batch(&mut batch)? {
            count += batch.entries() + batch.runs();
            batch.check_positions(shape, Projection::ALL)?;
        }
        Ok::<_, nnz_core::Error>(())
    };
    match node {
        Node::Study(study) => {
            for experiment in &study.experiments {
                table(&experiment.features.table)?;
                table(&experiment.cells.table)?;
            }
            matrix(&study.axes()?)?;
            for (_, part) in study.parts() {
                matrix(&open(study, part)?)?;
            }
        }
        Node::Matrix(stored) => matrix(&*file.open_matrix("", stored)?)?,
        Node::Table(frame) => table(frame)?,
        Node::List(list) => list.iter().try_for_each(|(_, node)| read_all(file, node))?,
        _ => {}
    }
    Ok(())
}

#[test]
fn mutated_objects_never_panic() {
    use std::io::Read as _;
    let dir = tempfile::tempdir().unwrap();
    let target = dir.path().join("x.rds");
    let context = nnz_storage::TaskContext::default().with_memory(64 << 20);
    let mut random = nnz_testing::random::Random::new(7);
    let (mut read, mut refused) = (0, 0);
    let mut paths: Vec<_> =
        fs::read_dir(directory()).unwrap().map(|one| one.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        let bytes = if path.is_file() { fs::read(&path).unwrap() } else { continue };
        let mut plain = Vec::new();
        // Others are the same objects.
        if flate2::read::GzDecoder::new(&bytes[..]).read_to_end(&mut plain).is_err() {
            continue;
        }
        let rounds = if plain.len() > 1 << 20 { 3 } else { 3 * nnz_testing::mutations::rounds() };
        for _ in 0..rounds {
            let mut mutated = plain.clone();
            for _ in 0..1 + random.below(3) {
                let at = random.below(mutated.len());
                mutated[at] = *random.pick(&[0, 0xff, 0x7f, 0x80, 1, 2, 3, 4, 0xee, 0xfe, 16, 19]);
            }
            fs::write(&target, &mutated).unwrap();
            let opened = nnz_storage::Opened::new(&context, &target).unwrap();
            let file = opened.file().unwrap();
            let limits = Limits { memory: 64 << 20 };
            let seen = rds::read(file, limits).and_then(|document| {
                if matrix::is_matrix(&document) || !RFile::may_read(&document) {
                    return Ok(());
                }
                let mut file = RFile::new(file, document)?;
                if random.below(2) == 0 {
                    file.join_layers();
                }
                read_all(&file, file.root())
            });
            match seen {
                Ok(()) => read += 1,
                Err(_) => refused += 1,
            }
        }
    }
    assert!(read > 100 && refused > 100, "{read} read, {refused} refused");
}

#[test]
fn stated_lengths_bound_no_memory() {
    // A table of 2^31 - 1 rows in a short form, in an object of a few hundred bytes.
    let path = directory().join("s5_emptymeta.rds");
    let bytes = fs::read(path).unwrap();
    let mut plain = Vec::new();
    std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(&bytes[..]), &mut plain).unwrap();
    let form = [&i32::MIN.to_be_bytes()[..], &(-12_i32).to_be_bytes()].concat();
    let at = plain.windows(8).position(|window| window == form).unwrap();
    plain[at + 4..at + 8].copy_from_slice(&(-i32::MAX).to_be_bytes());
    let dir = tempfile::tempdir().unwrap();
    let target = dir.path().join("x.rds");
    fs::write(&target, &plain).unwrap();
    let file = InputFile::open(&target).unwrap();
    let document = rds::read(&file, Limits::default()).unwrap();
    let file = RFile::new(&file, document).map(|file| read_all(&file, file.root()));
    // Without columns, the table says nothing.
    assert!(matches!(file, Ok(Ok(()))), "{file:?}");
}

#[test]
fn classes_of_matrix_are_what_r_says() {
    let directory = directory().join("../rds/classes");
    let expected = fs::read_to_string(directory.join("expected.txt")).unwrap();
    assert_eq!(expected.lines().count(), 15);
    for line in expected.lines() {
        let mut words = line.split_whitespace();
        let (name, shape) = (words.next().unwrap(), words.next().unwrap());
        let source =
            matrix::open(&directory.join(format!("{name}.rds")), Limits::default()).unwrap();
        assert_eq!(source.header().shape.to_string().replace(' ', ""), shape, "{name}");
        let mut found = BTreeMap::new();
        for ((row, col), value) in entries(&source).unwrap() {
            if matches!(source.header().structure, Structure::Symmetric(_)) {
                found.insert((col, row), value);
            }
            found.insert((row, col), value);
        }
        found.retain(|_, value| *value != 0.0);
        let wanted: BTreeMap<(u64, u64), f64> = words
            .map(|word| {
                let (place, value) = word.split_once('=').unwrap();
                let (row, col) = place.split_once(',').unwrap();
                ((row.parse().unwrap(), col.parse().unwrap()), value.parse().unwrap())
            })
            .collect();
        assert_eq!(found, wanted, "{name}");
    }
}

//! Objects that are written have the structure of those that R wrote.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use nnz_container::rds::{Limits, NewFile, Object, RdsOptions, Value, read};
use nnz_core::{Annotations as _, Column, ColumnValues, Order, Place, Shape, StringList, Values};
use nnz_engine::{AnnotationTable, ConvertOptions, CsMatrix, TaskContext};
use nnz_robjects::write::{
    self, MatrixForm, NewAxes, NewGraph, NewLoadings, NewReduction, NewStudy, ObjectClass,
    SeuratVersion, SpooledMatrix, spool_matrix,
};
use nnz_robjects::{Node, RFile};
use nnz_storage::InputFile;
use nnz_storage::staging::WriteOptions;
use nnz_testing::command::testdata;

/// For each class, the kind of value of each attribute.
type Structure = BTreeMap<String, BTreeMap<String, String>>;

fn class_of(object: &Object) -> Option<String> {
    object.class().map(|class| class.get().to_string())
}

fn add(object: &Object, found: &mut Structure) {
    if object.is_s4()
        && let Some(class) = class_of(object)
    {
        let kind = |value: &Object| match &value.value {
            // Slots that may be NULL.
            Value::Symbol(_) | Value::Character(_) => "characters or NULL".to_owned(),
            Value::S4 => class_of(value).unwrap_or_default(),
            other => format!("{} {}", other.kind(), class_of(value).unwrap_or_default()),
        };
        let slots = object.attributes().filter_map(|entry| {
            let name = entry.tag.as_ref()?.text().to_string();
            Some((name, kind(&entry.value)))
        });
        found.entry(class).or_default().extend(slots);
    }
    for entry in object.attributes() {
        add(&entry.value, found);
    }
    if let Value::List(members) = &object.value {
        members.iter().for_each(|member| add(member, found));
    }
}

fn structure(path: &Path) -> Structure {
    let file = InputFile::open(path).unwrap();
    let document = read(&file, Limits::default()).unwrap();
    let mut found = Structure::new();
    add(&document.object, &mut found);
    found
}

fn made(class: ObjectClass, path: &Path) -> Structure {
    let context = TaskContext::default();
    let file = NewFile::create(path, &WriteOptions::default(), RdsOptions::default()).unwrap();
    let spool = file.spool().clone();
    let shape = Shape { rows: 2, cols: 3 };
    let names = |names: &[&str]| -> Option<StringList> { Some(names.iter().collect()) };
    let axes = NewAxes {
        shape,
        names: [names(&["g1", "g2"]), names(&["c1", "c2", "c3"])],
        tables: [None, None],
        place: Place::default(),
    };
    let (mut study, notes) = NewStudy::start(class, "RNA", axes, (&spool, 1 << 20)).unwrap();
    assert!(notes.is_empty(), "{notes:?}");
    let matrix = |shape: Shape, col: u32| {
        let pointers: Vec<u64> = std::iter::once(0).chain((0..shape.cols).map(|_| 1)).collect();
        CsMatrix::from_parts(shape, Order::Col, pointers, vec![col], vec![2.0]).unwrap()
    };
    let part = |shape, form| {
        let source = matrix(shape, 1).into_source().unwrap();
        let options = ConvertOptions::default();
        spool_matrix(&*source, form, (&spool, path, "x"), &options, &context).unwrap()
    };
    let is_seurat = matches!(class, ObjectClass::Seurat(_));
    for name in ["counts", if is_seurat { "data" } else { "logcounts" }] {
        study.layers.push((name.to_owned(), part(shape, MatrixForm::Sparse)));
    }
    study.variable = vec![1];
    let loadings = SpooledMatrix::dense(Shape { rows: 1, cols: 2 }, &[1.0, 2.0], &spool).unwrap();
    let features = Some(Arc::new(["g2"].iter().collect::<StringList>()));
    study.reductions.push(NewReduction {
        name: "pca".to_owned(),
        assay: None,
        embeddings: part(Shape { rows: 3, cols: 2 }, MatrixForm::Dense),
        loadings: Some(NewLoadings { features, matrix: loadings }),
    });
    let matrix = part(Shape { rows: 3, cols: 3 }, MatrixForm::Sparse);
    study.graphs.push(NewGraph { name: "knn".to_owned(), assay: None, matrix });
    let object = match class {
        ObjectClass::Seurat(version) => write::seurat(&study, version, &spool),
        ObjectClass::Experiment => write::experiment(&study, None, &spool),
    };
    file.finish(&object.unwrap()).unwrap();
    structure(path)
}

#[test]
fn objects_have_the_structure_of_those_of_r() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("made.rds");
    for (class, golden, classes) in [
        (ObjectClass::Seurat(SeuratVersion::V3), "s4_full", &["Assay", "DimReduc", "Graph"]),
        (ObjectClass::Seurat(SeuratVersion::V5), "s5_full", &["Assay5", "LogMap", "Seurat"]),
        (ObjectClass::Experiment, "sce_full", &["DualSubset", "SelfHits", "PartitioningByEnd"]),
    ] {
        let golden = structure(&testdata().join("robjects").join(format!("{golden}.rds")));
        let made = made(class, &path);
        for name in classes {
            assert!(made.contains_key(*name), "{name}: {:?}", made.keys());
        }
        for (name, slots) in &made {
            let expected = golden.get(name).unwrap_or_else(|| panic!("{name}: {made:?}"));
            assert_eq!(slots, expected, "{name}");
        }
        std::fs::remove_file(&path).unwrap();
    }
}

/// A column was lost if its name and a parenthesis began that of a column that R does not support.
#[test]
fn a_column_is_kept_beside_a_longer_name_that_is_not_supported() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("made.rds");
    let file = NewFile::create(&path, &WriteOptions::default(), RdsOptions::default()).unwrap();
    let spool = file.spool().clone();
    let column = |values| Column { values: ColumnValues::Numbers(values), missing: None };
    let complex = column(Values::ComplexF64(vec![[1.0, 2.0]]));
    let real = column(Values::F64(vec![1.5]));
    let columns = [("a (b".to_owned(), complex), ("a".to_owned(), real)];
    let table = AnnotationTable::new(["c1"].iter().collect(), columns).unwrap();
    let axes = NewAxes {
        shape: Shape { rows: 1, cols: 1 },
        names: [None, None],
        tables: [None, Some(&table)],
        place: Place::default(),
    };
    let class = ObjectClass::Experiment;
    let (study, _) = NewStudy::start(class, "RNA", axes, (&spool, 1 << 20)).unwrap();
    file.finish(&write::experiment(&study, None, &spool).unwrap()).unwrap();
    let file = InputFile::open(&path).unwrap();
    let made = RFile::new(&file, read(&file, Limits::default()).unwrap()).unwrap();
    let Node::Study(study) = made.root() else { panic!() };
    let columns = study.experiments[0].cells.table.columns();
    assert_eq!(columns.iter().map(|column| &*column.name).collect::<Vec<_>>(), ["a"]);
}

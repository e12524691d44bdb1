//! Trees in files of other programs.

use std::ops::Range;
use std::path::Path;

use nnz_container::tree::{AttributeValue, ChildKind, ElementType, OpenOptions, open};
use nnz_core::{ErrorKind, Values};
use serde_json::Value;

use crate::common::damaged;
use crate::common::tree_dump::{Golden, MEMORY, differences, dump, each_array, golden, slab};

#[test]
fn trees_match_the_dumps_of_other_programs() {
    let golden_files = Golden::unpack();
    assert_eq!(golden_files.paths.len(), 12);
    for (path, expected) in &golden_files.paths {
        let expected = std::fs::read_to_string(golden(expected)).unwrap();
        let expected: Value = serde_json::from_str(&expected).unwrap();
        let all = differences(&dump(path).unwrap(), &expected);
        assert!(all.is_empty(), "{}:\n{}", path.display(), all.join("\n"));
    }
}

/// Returns the elements of a hyperslab from all elements of the array.
fn slice(all: &[Value], shape: &[u64], per: usize, selection: &[Range<u64>]) -> Vec<Value> {
    let [range, rest @ ..] = selection else { return all[..per].to_vec() };
    let inner: usize =
        per * shape[1..].iter().map(|&l| usize::try_from(l).unwrap()).product::<usize>();
    let mut values = Vec::new();
    for at in range.clone() {
        let at = usize::try_from(at).unwrap() * inner;
        values.extend(slice(&all[at..at + inner], &shape[1..], per, rest));
    }
    values
}

fn check(found: &Value, whole: &Value, shape: &[u64], selection: &[Range<u64>], place: &str) {
    if let Some(values) = whole.get("values").and_then(Value::as_array) {
        // Complex numbers have two values, and dimensions of fields come last.
        let count: u64 = shape.iter().product();
        let per = values.len() / usize::try_from(count).unwrap().max(1);
        let expected = match selection.iter().any(Range::is_empty) || count == 0 {
            true => Vec::new(),
            false => slice(values, shape, per, selection),
        };
        assert_eq!(found["values"], Value::from(expected), "{place} {selection:?}");
    }
    for (name, field) in whole.get("fields").and_then(Value::as_object).into_iter().flatten() {
        check(&found["fields"][name], field, shape, selection, place);
    }
}

#[test]
fn hyperslabs_are_parts_of_the_whole() {
    let files = Golden::unpack();
    let mut random = damaged::random();
    for (path, _) in &files.paths {
        for threads in [1, 3] {
            let root = OpenOptions::new().threads(threads).open(path, "").unwrap();
            each_array(&*root, &mut |array| {
                let Ok(whole) = slab(array, &array.all()) else { return };
                let (whole, place) = (Value::from(whole), array.place().to_string());
                for _ in 0..8 {
                    let cut = |&length: &u64| {
                        let length = usize::try_from(length).unwrap();
                        let (a, b) = (random.below(length + 1), random.below(length + 1));
                        a.min(b) as u64..a.max(b) as u64
                    };
                    let selection: Vec<Range<u64>> = array.shape().iter().map(cut).collect();
                    let found = Value::from(slab(array, &selection).unwrap());
                    check(&found, &whole, array.shape(), &selection, &place);
                }
            })
            .unwrap();
        }
    }
}

#[test]
fn hyperslabs_out_of_bounds_are_refused() {
    let root = open(&golden("layouts.h5"), "").unwrap();
    let array = root.array("contiguous").unwrap();
    assert_eq!(array.shape(), [6, 5, 4]);
    let outside: [&[Range<u64>]; 5] = [
        &[0..7, 0..5, 0..4],
        &[0..6, 0..5],
        &[0..6, 0..5, 0..4, 0..1],
        &[0..6, 0..5, u64::MAX - 1..u64::MAX],
        &[],
    ];
    for selection in outside {
        let error = array.read(selection, MEMORY).unwrap_err();
        assert!(error.to_string().contains("ranges inside of 6 x 5 x 4"), "{error}");
    }
    let error = array.read(&array.all(), 100).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Memory { needed: 960, allowed: 100 }), "{error}");
    let rows = array.rows(2..3).unwrap();
    let error = array.read_bytes(&rows, &mut [0; 8]).unwrap_err();
    assert!(error.to_string().contains("a buffer for 20 elements of 8 bytes"), "{error}");
}

#[test]
fn missing_members_are_errors() {
    let root = open(&golden("layouts.h5"), "").unwrap();
    let missing = |error: nnz_core::Error| {
        assert!(matches!(error.kind(), ErrorKind::Missing), "{error}");
    };
    missing(root.array("none").unwrap_err());
    missing(root.group("links/none").unwrap_err());
    missing(open(&golden("layouts.h5"), "none").unwrap_err());
    missing(root.array("types/compound").unwrap().field("none").unwrap_err());
    for (array, found) in [
        ("index", "found a group"),
        ("links/external", "an external link to the file \"other.h5\" is not followed"),
        ("links/broken", "found a broken soft link"),
        ("links/circle", "found a broken soft link"),
        ("types/named", "found a named datatype"),
    ] {
        let error = root.array(array).unwrap_err().to_string();
        assert!(error.contains(found), "{error}");
    }
    let error = root.group("types/bool").unwrap_err().to_string();
    assert!(error.contains("found a dataset, expected a group"), "{error}");
    let opaque = root.array("types/opaque").unwrap();
    assert!(matches!(opaque.element_type(), ElementType::Other(_)));
    let error = opaque.read(&opaque.all(), MEMORY).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Unsupported(_)), "{error}");
}

#[test]
fn missing_chunks_are_reported() {
    let files = Golden::unpack();
    let stores = ["layouts.h5", "latest.h5", "layouts2.zarr", "layouts3.zarr"];
    for (path, _) in
        files.paths.iter().filter(|(path, _)| stores.iter().any(|store| path.ends_with(store)))
    {
        let root = open(path, "").unwrap();
        for (name, all) in [("partly", false), ("nowhere", false), ("no_rows", true)] {
            let array = root.array(name).unwrap();
            assert_eq!(array.is_fully_stored().unwrap(), all, "{}: {name}", path.display());
        }
        let partly = root.array("partly").unwrap();
        let found = partly.read(&[4..6, 7..9], MEMORY).unwrap();
        assert_eq!(found, Values::F32(vec![-1.5, -1.5, 3.0, -1.5]), "{}", path.display());
    }
}

#[test]
fn references_are_resolved_to_paths() {
    let root = open(&golden("anndata-0.7.h5ad"), "obs").unwrap();
    let column = root.array("cell_type").unwrap();
    let categories = column.attribute("categories").unwrap().unwrap();
    let path = "obs/__categories/cell_type".to_owned();
    assert_eq!(categories.value, AttributeValue::References(vec![Some(path.clone())]));
    let root = open(&golden("anndata-0.7.h5ad"), "").unwrap();
    let categories = root.array(&path).unwrap();
    assert_eq!(categories.attribute("ordered").unwrap().unwrap().boolean(), Some(false));
    assert!(categories.strings(&categories.all(), MEMORY).unwrap().len() > 1);
}

#[test]
fn groups_are_containers() {
    let files = Golden::unpack();
    for (path, _) in files
        .paths
        .iter()
        .filter(|(path, _)| path.file_name().unwrap().to_str().unwrap().starts_with("anndata-0.13"))
    {
        let root = open(path, "").unwrap();
        assert_eq!(root.required_attribute("encoding-type").unwrap().text(), Some("anndata"));
        assert_eq!(root.child("X").unwrap(), Some(ChildKind::Group));
        assert_eq!(root.child("Y").unwrap(), None);
        let x = root.group("X").unwrap();
        let same = x.array("data").unwrap();
        let container = nnz_container::NamedArrays::from(x);
        assert_eq!(container.attribute("encoding-type").unwrap(), "csr_matrix");
        let data = container.array("data").unwrap();
        assert_eq!(same.shape(), [data.len()]);
        let mut bytes = vec![0; usize::try_from(data.len()).unwrap() * data.value_type().size()];
        data.read_bytes(0, &mut bytes).unwrap();
        assert_eq!(same.read(&same.all(), MEMORY).unwrap().bytes(), bytes);
        assert!(same.is_fully_stored().unwrap());
    }
}

/// Compares files with their dumps: lines of a path, a tab, and the path of a dump.
#[test]
#[ignore = "needs the list of a corpus in NNZ_TREE_CORPUS"]
fn a_corpus_matches_the_dumps_of_other_programs() {
    let list = std::fs::read_to_string(std::env::var("NNZ_TREE_CORPUS").unwrap()).unwrap();
    let (mut same, mut different) = (0, 0);
    for line in list.lines() {
        let (path, expected) = line.split_once('\t').unwrap();
        let started = std::time::Instant::now();
        let found = dump(Path::new(path));
        let took = started.elapsed();
        if took.as_secs() > 5 {
            println!("{path}: took {took:?}");
        }
        if expected.is_empty() {
            // Nothing to compare with.
            println!("{path}: {}", found.map_or_else(|error| error.to_string(), |_| "ok".into()));
            continue;
        }
        let expected = std::fs::read_to_string(expected).unwrap();
        let expected = serde_json::from_str(&expected).unwrap();
        let all = match found {
            Ok(found) => differences(&found, &expected),
            Err(error) => vec![error.to_string()],
        };
        if all.is_empty() {
            same += 1;
        } else {
            different += 1;
            println!("{path}:\n  {}", all[..all.len().min(8)].join("\n  "));
        }
    }
    println!("{same} agree, {different} differ");
    assert_eq!(different, 0);
}

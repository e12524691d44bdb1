//! MuData: whole files are copied, sliced and concatenated; AnnData files become modalities and modalities AnnData files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use nnz::annotations::{AnnotationTable, Labels, read_table};
use nnz::collection::{CollectionConcatOptions, ElementDifference, Join};
use nnz::edit::{AddedColumns, Changes};
use nnz::engine::Filter;
use nnz::error::{Finding, Severity};
use nnz::{
    Axis, ConcatOptions, Context, ConvertOptions, Dataset, DiffOptions, EditOptions, Selection,
    Shape, ValidateOptions,
};

use crate::common::{location, root, sparing, unsynced};

const FILES: [&str; 4] =
    ["cells-0.2.h5mu", "cells-0.3.h5mu", "features-0.2.h5mu", "features-0.3.h5mu"];

fn golden(name: &str) -> PathBuf {
    root().join("testdata/mudata").join(name)
}

fn differences(first: &Path, second: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let options = DiffOptions::default().stored(true);
    let each = &mut |one: ElementDifference| found.push(one.path);
    nnz::diff(first, second, &options, &Context::default(), each).unwrap();
    found.dedup();
    found
}

fn faults(path: &Path) -> Vec<Finding> {
    let mut faults = Vec::new();
    let each = &mut |found: Finding| {
        if found.severity == Severity::Fault {
            faults.push(found);
        }
    };
    nnz::validate(path, &ValidateOptions::default(), &Context::default(), each).unwrap();
    faults
}

/// Returns the names of an axis, of the whole or of a modality.
fn names(path: &Path, group: &str, axis: Axis) -> Vec<String> {
    let place = nnz::Location::Path { path: path.to_path_buf(), group: Some(group.to_owned()) };
    let source = nnz::open(place).unwrap().into_axes().unwrap();
    let names = source.names(axis).unwrap().unwrap();
    names.iter().map(|name| String::from_utf8(name.to_vec()).unwrap()).collect()
}

/// Returns the nonzero values of a matrix, with the names of their row and column.
fn values(path: &Path, modality: &str) -> Vec<(String, String, String)> {
    let [rows, cols] = [Axis::Rows, Axis::Cols].map(|axis| names(path, modality, axis));
    let place = nnz::Location::Path {
        path: path.to_path_buf(),
        group: Some(format!("{modality}/layers/counts")),
    };
    let source = nnz::open(place).unwrap().into_matrix().unwrap();
    let entries = source.entries().unwrap().map(|entry| {
        let (row, col, value) = entry.unwrap();
        (rows[row as usize].clone(), cols[col as usize].clone(), value.to_string())
    });
    let mut values: Vec<_> = entries.filter(|(.., value)| value != "0").collect();
    values.sort();
    values
}

#[test]
fn files_of_all_versions_are_copied() {
    let directory = tempfile::tempdir().unwrap();
    for name in FILES {
        assert_eq!(faults(&golden(name)), [], "{name}");
        for target in ["copy.h5mu", "copy.zarr"] {
            let target = directory.path().join(target);
            let done = nnz::convert(golden(name), &target, &unsynced(), &sparing()).unwrap();
            assert_eq!((done.dropped.len(), done.left_out.len()), (0, 0), "{name}: {done:?}");
            assert_eq!(differences(&golden(name), &target), [""; 0], "{name}");
            let Dataset::Collection(copy) = nnz::open(&*target).unwrap() else { panic!("{name}") };
            assert_eq!(copy.info().name.as_str(), "mudata");
        }
    }
    let block = std::fs::read(directory.path().join("copy.h5mu")).unwrap();
    assert!(block.starts_with(b"MuData (format-version=0.1.0;creator=nnz;"));
}

#[test]
fn slices_have_the_cells_and_features_of_every_modality() {
    let directory = tempfile::tempdir().unwrap();
    let target = directory.path().join("slice.h5mu");
    for name in FILES {
        let modalities = if name.starts_with("cells") { ["rna", "prot"] } else { ["a", "b"] };
        let [rows, cols] = [Selection::ranges([5..7, 1..3]), Selection::ranges([3..4, 0..2])];
        nnz::slice(golden(name), &target, [&rows, &cols], &unsynced(), &sparing()).unwrap();
        assert_eq!(faults(&target), [], "{name}");
        let kept = [(Axis::Rows, &[5, 6, 1, 2][..]), (Axis::Cols, &[3, 0, 1])].map(|(axis, at)| {
            let all = names(&golden(name), "", axis);
            let kept: Vec<String> = at.iter().map(|at| all[*at].clone()).collect();
            assert_eq!(names(&target, "", axis), kept, "{name}");
            kept
        });
        for modality in modalities {
            let modality = format!("mod/{modality}");
            for (axis, kept) in [Axis::Rows, Axis::Cols].into_iter().zip(&kept) {
                let own = names(&golden(name), &modality, axis);
                let expected: Vec<&String> =
                    kept.iter().filter(|name| own.contains(name)).collect();
                let found = names(&target, &modality, axis);
                // The second "gene1" of the common table belongs to the other modality.
                let found: Vec<&String> = found.iter().collect();
                if axis == Axis::Rows || !name.starts_with("cells") {
                    assert_eq!(found, expected, "{name} {modality}");
                } else {
                    assert!(found.iter().all(|name| expected.contains(name)));
                }
            }
            let [rows, cols] = [Axis::Rows, Axis::Cols].map(|axis| names(&target, &modality, axis));
            let mut expected = values(&golden(name), &modality);
            expected.retain(|(row, col, _)| rows.contains(row) && cols.contains(col));
            assert_eq!(values(&target, &modality), expected, "{name} {modality}");
        }
        // The same through a slice that is not written.
        let Dataset::Collection(written) = nnz::open(&*target).unwrap() else { panic!("{name}") };
        let sliced = nnz::open(golden(name)).unwrap().slice([&rows, &cols]).unwrap();
        let Dataset::Collection(sliced) = sliced else { panic!("{name}") };
        for (one, other) in sliced.members().unwrap().iter().zip(written.members().unwrap()) {
            assert_eq!((&one.path, &one.shape), (&other.path, &other.shape), "{name}");
        }
    }
}

#[test]
fn concatenated_slices_are_the_whole() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let cuts: [&[std::ops::Range<u64>]; 2] = [&[0..3], &[3..7]];
    for name in FILES {
        for (part, rows) in ["1.h5mu", "2.h5mu"].into_iter().zip(cuts) {
            let rows = Selection::ranges(rows.iter().cloned());
            let all = Selection::all();
            nnz::slice(golden(name), at(part), [&rows, &all], &unsynced(), &sparing()).unwrap();
        }
        let how = ConcatOptions::default();
        let parts = [at("1.h5mu"), at("2.h5mu")];
        let done =
            nnz::concat(parts, at("all.h5mu"), Axis::Rows, &how, &unsynced(), &sparing()).unwrap();
        assert_eq!(done.shape, Shape { rows: 7, cols: if name.starts_with('c') { 8 } else { 4 } });
        let found = differences(&golden(name), &at("all.h5mu"));
        let is_mask = |path: &str| {
            let parent = path.split('/').next();
            let own =
                ["rna", "prot", "a", "b"].iter().any(|own| path.ends_with(&format!("/{own}")));
            own && matches!(parent, Some("obsm" | "varm"))
        };
        let lost = |path: &String| {
            ["obsp/", "uns/", "varp/"].iter().any(|part| path.contains(part))
                || path.contains("attribute")
                || path.ends_with("raw/var/weight")
                || path == "obsmap/prot"
                // Masks of mudata 0.2 have one dimension.
                || (name.contains("0.2") && is_mask(path))
        };
        let others: Vec<_> = found.iter().filter(|path| !lost(path)).collect();
        // The second modality has the cells of both parts in another order.
        let moved = |path: &&&String| !path.starts_with("mod/prot") && !path.starts_with("mod/b");
        assert_eq!(others.iter().filter(moved).count(), 0, "{name}: {found:?}");
        for modality in if name.starts_with('c') { ["rna", "prot"] } else { ["a", "b"] } {
            let modality = format!("mod/{modality}");
            assert_eq!(values(&at("all.h5mu"), &modality), values(&golden(name), &modality));
        }
    }
}

#[test]
fn files_without_the_same_features_are_joined_by_name() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let cols = Selection::ranges([1..5, 6..8]);
    let all = Selection::all();
    let source = golden("cells-0.3.h5mu");
    nnz::slice(&*source, at("less.h5mu"), [&all, &cols], &unsynced(), &sparing()).unwrap();
    let concat = |join: Option<Join>| {
        let collections = CollectionConcatOptions::default()
            .join(join)
            .label("file".to_owned())
            .index_unique("-".to_owned());
        let how = ConcatOptions::default().collections(collections);
        let from = [source.clone(), at("less.h5mu")];
        nnz::concat(from, at("out.h5mu"), Axis::Rows, &how, &unsynced(), &sparing())
    };
    assert!(concat(None).unwrap_err().to_string().contains("gene0"));
    for (join, features) in [(Join::Inner, [4, 2]), (Join::Outer, [5, 3])] {
        let done = concat(Some(join)).unwrap();
        assert_eq!(done.shape, Shape { rows: 14, cols: features.iter().sum() });
        for (modality, count) in ["mod/rna", "mod/prot"].into_iter().zip(features) {
            assert_eq!(names(&at("out.h5mu"), modality, Axis::Cols).len() as u64, count);
            let cells = names(&at("out.h5mu"), modality, Axis::Rows);
            assert!(cells.iter().any(|name| name.ends_with("-1")), "{cells:?}");
        }
        assert_eq!(faults(&at("out.h5mu")), [], "{join:?}");
    }
}

#[test]
fn modalities_are_anndata_files() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let source = golden("cells-0.3.h5mu");
    for modality in ["rna", "prot"] {
        let place = format!("{}::mod/{modality}", source.display());
        let target = at(&format!("{modality}.h5ad"));
        nnz::convert(&*place, target, &unsynced(), &sparing()).unwrap();
    }
    let files = || [at("rna.h5ad"), at("prot.h5ad")];
    let how = ConcatOptions::default();
    let join = |from: [PathBuf; 2], options: &ConvertOptions| {
        nnz::concat(from, at("joined.h5mu"), Axis::Cols, &how, options, &sparing())
    };
    join(files(), &unsynced()).unwrap();
    let lost = ["obs/sample", "var/weight", "obsm/X_umap", "obsp/joint", "uns/seed"];
    let found = differences(&source, &at("joined.h5mu"));
    let expected = |path: &String| lost.contains(&&**path) || path.contains("attribute");
    let others: Vec<_> = found.iter().filter(|path| !expected(path)).collect();
    assert!(others.is_empty(), "{others:?}");

    let mut named = unsynced();
    named.format_options.add("modality", "x");
    let few = join(files(), &named).unwrap_err();
    assert!(few.to_string().contains("given 1 times, for 2 files"), "{few}");
    named.format_options.add("modality", "x");
    assert!(join(files(), &named).unwrap_err().to_string().contains("two modalities"));
    let twice = join([at("rna.h5ad"), at("rna.h5ad")], &unsynced()).unwrap_err();
    assert!(twice.to_string().contains("\"rna\""), "{twice}");

    let cells = nnz::concat(files(), at("x.h5mu"), Axis::Rows, &how, &unsynced(), &sparing());
    let cells = cells.unwrap_err().to_string();
    assert!(cells.contains("along columns, not along rows"), "{cells}");

    // One file is a file of one modality, and a matrix is not MuData.
    nnz::convert(at("rna.h5ad"), at("one.h5mu"), &unsynced(), &sparing()).unwrap();
    assert_eq!(values(&at("one.h5mu"), "mod/rna"), values(&source, "mod/rna"));
    let refused = nnz::convert(&*source, at("x.mtx"), &unsynced(), &sparing()).unwrap_err();
    assert!(refused.to_string().contains("::mod/prot"), "{refused}");
    nnz::convert(&*format!("{}::mod/rna", source.display()), at("x.mtx"), &unsynced(), &sparing())
        .unwrap();
    let refused = nnz::convert(at("x.mtx"), at("x.h5mu"), &unsynced(), &sparing()).unwrap_err();
    assert!(refused.to_string().contains("whole files of mudata"), "{refused}");
}

#[test]
fn a_file_is_split_by_a_column_of_all_cells() {
    let directory = tempfile::tempdir().unwrap();
    let source = location(&golden("cells-0.3.h5mu"));
    let by = (&["sample"][..], None);
    let options = unsynced();
    let done = nnz::collection::split(&source, directory.path(), by, &options, &sparing()).unwrap();
    assert_eq!(done.files.len(), 2);
    let first = directory.path().join("s0.h5mu");
    assert_eq!(names(&first, "", Axis::Rows), ["cell0", "cell2", "cell4", "only"]);
    assert_eq!(names(&first, "mod/prot", Axis::Rows), ["cell2", "cell4", "only"]);
}

/// Returns the text of the values of the columns of the cells, with their names.
fn columns(path: &Path, group: &str) -> Vec<(String, Vec<String>)> {
    let place = nnz::Location::Path { path: path.to_path_buf(), group: Some(group.to_owned()) };
    let source = nnz::open(place).unwrap().into_axes().unwrap();
    let table = source.annotations(Axis::Rows).unwrap().unwrap();
    let column = |(at, info): (usize, &nnz::annotations::ColumnInfo)| {
        let column = table.read_column(at, u64::MAX).unwrap();
        let text = |row| {
            let mut out = Vec::new();
            column.write_text(row, &mut out);
            String::from_utf8(out).unwrap()
        };
        (info.name.clone(), (0..column.len()).map(text).collect())
    };
    table.columns().iter().enumerate().map(column).collect()
}

fn table(text: &str) -> Arc<AnnotationTable> {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("table.csv");
    std::fs::write(&path, text).unwrap();
    Arc::new(read_table(&path, u64::MAX).unwrap())
}

const DONORS: &str =
    "name,donor\ncell0,d1\ncell1,d1\ncell2,d2\ncell3,d2\ncell4,d1\ncell5,d2\nonly,d1\n";

#[test]
fn cells_are_selected_by_columns_of_modalities() {
    let directory = tempfile::tempdir().unwrap();
    let target = directory.path().join("slice.h5mu");
    let slice = |from: &Path, cells: &str| {
        let [cells, all] = [cells.parse().unwrap(), Selection::all()];
        nnz::slice(from, &*target, [&cells, &all], &unsynced(), &sparing())
    };
    let source = golden("cells-0.3.h5mu");
    for (condition, expected) in [
        ("rna:kind=k1", &["cell1", "cell3", "cell5"][..]),
        ("rna:kind!=k1", &["cell0", "cell2", "cell4"]),
        ("prot:number>=3", &["cell2", "only"]),
        ("sample=s1", &["cell1", "cell3", "cell5"]),
    ] {
        let done = slice(&source, condition).unwrap();
        assert_eq!(names(&target, "", Axis::Rows), expected, "{condition}");
        assert_eq!(faults(&target), [], "{condition}");
        let note = done.notes.iter().find(|note| note.contains("are not in the modality"));
        let absent = match &condition[..3] {
            "rna" => Some("1 of 7 cells are not in the modality \"rna\""),
            "pro" => Some("2 of 7 cells are not in the modality \"prot\""),
            _ => None,
        };
        assert_eq!(note.is_some(), absent.is_some(), "{condition}: {:?}", done.notes);
        assert!(absent.is_none_or(|absent| note.unwrap().contains(absent)), "{:?}", done.notes);
    }
    let refused = slice(&source, "kind=k1").unwrap_err().to_string();
    assert!(refused.contains("did you mean \"rna:kind\" or \"prot:kind\"?"), "{refused}");
    let genes: Selection = "rna:weight>=0".parse().unwrap();
    nnz::slice(&*source, &*target, [&Selection::all(), &genes], &unsynced(), &sparing()).unwrap();
    assert_eq!(names(&target, "", Axis::Cols), ["gene0", "gene1", "gene2", "gene3", "gene4"]);

    // The groups of both versions, and of cells that modalities have in common or not.
    for name in FILES {
        let modality = if name.starts_with("cells") { "rna" } else { "a" };
        slice(&golden(name), &format!("{modality}:kind=k0")).unwrap();
        assert_eq!(faults(&target), [], "{name}");
        let found = columns(&target, &format!("mod/{modality}"));
        let kinds = found.iter().find(|(name, _)| name == "kind").unwrap();
        assert!(kinds.1.iter().all(|kind| kind == "k0"), "{name}: {kinds:?}");
    }
}

/// A column of the common table that has the name of one of a modality is meant first.
#[test]
fn common_columns_hide_those_of_modalities() {
    let directory = tempfile::tempdir().unwrap();
    let [copy, target] = ["copy.h5mu", "slice.h5mu"].map(|name| directory.path().join(name));
    let labels = Labels::default().table(table(&DONORS.replace("donor", "rna:kind")));
    let options = unsynced().row_labels(labels);
    nnz::convert(golden("cells-0.3.h5mu"), &copy, &options, &sparing()).unwrap();
    let cells: Selection = "rna:kind=d2".parse().unwrap();
    let all = Selection::all();
    nnz::slice(&*copy, &*target, [&cells, &all], &unsynced(), &sparing()).unwrap();
    assert_eq!(names(&target, "", Axis::Rows), ["cell2", "cell3", "cell5"]);
}

#[test]
fn tables_are_joined_to_the_common_ones() {
    let directory = tempfile::tempdir().unwrap();
    let source = golden("cells-0.3.h5mu");
    let target = directory.path().join("out.h5mu");
    let options = unsynced().row_labels(Labels::default().table(table(DONORS)));
    nnz::convert(&*source, &*target, &options, &sparing()).unwrap();
    let found = columns(&target, "");
    assert_eq!(
        found[1],
        ("donor".to_owned(), "d1 d1 d2 d2 d1 d2 d1".split(' ').map(str::to_owned).collect())
    );
    assert!(columns(&target, "mod/rna").iter().all(|(name, _)| name != "donor"));
    assert_eq!(faults(&target), []);
    // Rows are selected by columns of the table.
    let (cells, all) = ("donor=d2".parse().unwrap(), Selection::all());
    nnz::slice(&*source, &*target, [&cells, &all], &options, &sparing()).unwrap();
    assert_eq!(names(&target, "", Axis::Rows), ["cell2", "cell3", "cell5"]);
    assert_eq!(columns(&target, "")[1].1, ["d2"; 3]);

    let named = unsynced().row_labels(Labels::default().names_from("sample".to_owned()));
    let refused = nnz::convert(&*source, &*target, &named, &sparing()).unwrap_err().to_string();
    assert!(refused.contains("use them on a modality, as in FILE.h5mu::mod/NAME"), "{refused}");
}

#[test]
fn files_are_split_by_several_columns_and_tables() {
    let directory = tempfile::tempdir().unwrap();
    let source = location(&golden("cells-0.3.h5mu"));
    let options = unsynced().row_labels(Labels::default().table(table(DONORS)));
    let by = (&["donor", "rna:kind"][..], None);
    let done = nnz::collection::split(&source, directory.path(), by, &options, &sparing()).unwrap();
    let files = done.files.iter().map(|(path, _)| path.file_name().unwrap().to_str().unwrap());
    let expected = ["d1_k0.h5mu", "d1_k1.h5mu", "d2_k0.h5mu", "d2_k1.h5mu"];
    assert_eq!(files.collect::<Vec<_>>(), expected);
    assert_eq!(done.missing, 1);
    assert!(done.notes[0].starts_with("1 of 7 cells are not in the modality \"rna\""));
    let first = directory.path().join(expected[0]);
    assert_eq!(names(&first, "", Axis::Rows), ["cell0", "cell4"]);
    assert_eq!(columns(&first, "")[1], ("donor".to_owned(), vec!["d1".to_owned(); 2]));
    assert_eq!(faults(&first), []);
}

/// A part without a row of the table once failed.
#[test]
fn parts_without_rows_of_a_table_are_written() {
    let directory = tempfile::tempdir().unwrap();
    let source = location(&golden("cells-0.3.h5mu"));
    let few = table("name,donor\ncell0,d1\n");
    let options = unsynced().row_labels(Labels::default().table(few));
    let by = (&["sample"][..], None);
    let done = nnz::collection::split(&source, directory.path(), by, &options, &sparing()).unwrap();
    assert_eq!(done.notes, ["6 rows are not in the table and have missing values"]);
    let second = directory.path().join("s1.h5mu");
    assert_eq!(columns(&second, "")[1], ("donor".to_owned(), vec![String::new(); 3]));
}

#[test]
fn common_tables_are_changed_in_place() {
    let directory = tempfile::tempdir().unwrap();
    let added = |text: &str| vec![AddedColumns::new(Axis::Rows, table(text))];
    let edit = |location: &str, changes: Changes| {
        let options = EditOptions::default().changes(changes).sync(false);
        nnz::edit(location, &options, &sparing())
    };
    for ending in ["h5mu", "zarr"] {
        let copy = directory.path().join(format!("copy.{ending}"));
        nnz::convert(golden("cells-0.3.h5mu"), &copy, &unsynced(), &sparing()).unwrap();
        let path = copy.to_str().unwrap();
        let done = edit(path, Changes::default().added(added(DONORS))).unwrap();
        assert_eq!(done.added, ["obs/donor"]);
        assert_eq!(columns(&copy, "")[1].1.join(" "), "d1 d1 d2 d2 d1 d2 d1");
        let few = DONORS.replace("only,d1\n", "");
        edit(&format!("{path}::mod/rna"), Changes::default().added(added(&few))).unwrap();
        let remove = |what: &str| edit(path, Changes::default().removed(vec![what.to_owned()]));
        remove("obs/donor").unwrap();
        remove("obsm/X_umap").unwrap();
        for (what, why) in [
            ("obsm//rna", "it states which rows a modality has"),
            ("varm", "remove its other members one by one"),
            ("mod/prot", "a conversion with the option drop"),
            ("mod/prot/layers/counts", "::mod/prot"),
            ("obsmap/rna", "cannot be removed"),
            ("mod", "cannot be removed"),
            ("layers/counts", "the AnnData of a modality is changed; select one of"),
        ] {
            let refused = remove(what).unwrap_err().to_string();
            assert!(refused.contains(why), "{what}: {refused}");
        }
        assert_eq!(faults(&copy), [], "{ending}");
        let found: Vec<String> = columns(&copy, "").into_iter().map(|(name, _)| name).collect();
        assert_eq!(found[..2], ["sample", "rna:number"]);
        assert!(found.contains(&"rna:donor".to_owned()), "{found:?}");
    }
}

#[test]
fn keys_name_modalities_and_joins_select_cells() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    for modality in ["rna", "prot"] {
        let place = format!("{}::mod/{modality}", golden("cells-0.3.h5mu").display());
        nnz::convert(&*place, at(&format!("{modality}.h5ad")), &unsynced(), &sparing()).unwrap();
    }
    let concat = |collections: CollectionConcatOptions, options: &ConvertOptions| {
        let how = ConcatOptions::default().collections(collections);
        let from = [at("rna.h5ad"), at("prot.h5ad")];
        nnz::concat(from, at("out.h5mu"), Axis::Cols, &how, options, &sparing())
    };
    let keys = || CollectionConcatOptions::default().keys(vec!["b".to_owned(), "a".to_owned()]);
    let done = concat(keys().join(Join::Inner), &unsynced()).unwrap();
    assert_eq!(done.shape, Shape { rows: 4, cols: 8 });
    assert!(done.notes.iter().any(|note| note == "4 rows are in all 2 sources"), "{done:?}");
    assert_eq!(faults(&at("out.h5mu")), []);
    let cells = ["cell2", "cell3", "cell4", "cell5"];
    for group in ["", "mod/a", "mod/b"] {
        assert_eq!(names(&at("out.h5mu"), group, Axis::Rows), cells, "{group}");
    }
    let mut expected = values(&golden("cells-0.3.h5mu"), "mod/prot");
    expected.retain(|(cell, ..)| cells.contains(&&**cell));
    assert_eq!(values(&at("out.h5mu"), "mod/a"), expected);
    let done = concat(keys().join(Join::Outer), &unsynced()).unwrap();
    assert_eq!(done.shape, Shape { rows: 7, cols: 8 });

    let mut named = unsynced();
    named.format_options.add("modality", "x");
    named.format_options.add("modality", "y");
    let twice = concat(keys(), &named).unwrap_err().to_string();
    assert!(twice.contains("both name the modalities"), "{twice}");
    let label = concat(keys().label("x".to_owned()), &unsynced()).unwrap_err().to_string();
    assert!(label.contains("label applies only if cells are concatenated"), "{label}");
}

/// Files of one layout have groups at the same addresses: only those of the first file were copied.
#[test]
fn files_of_one_layout_become_modalities() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let place = format!("{}::mod/rna", golden("cells-0.3.h5mu").display());
    for name in ["a.h5ad", "b.h5ad"] {
        nnz::convert(&*place, at(name), &unsynced(), &sparing()).unwrap();
    }
    let from = [at("a.h5ad"), at("b.h5ad")];
    let how = ConcatOptions::default();
    let done = nnz::concat(from, at("c.h5mu"), Axis::Cols, &how, &unsynced(), &sparing()).unwrap();
    assert_eq!((done.dropped.len(), done.left_out.len()), (0, 0), "{done:?}");
    for name in ["a", "b"] {
        let back = at("back.h5ad");
        let place = format!("{}::mod/{name}", at("c.h5mu").display());
        nnz::convert(&*place, &back, &unsynced(), &sparing()).unwrap();
        assert_eq!(differences(&at("a.h5ad"), &back), [""; 0]);
    }
}

/// Modalities whose rows are in another order than the common ones differed by name.
#[test]
fn modalities_in_another_order_are_equal_by_name() {
    let directory = tempfile::tempdir().unwrap();
    let moved = directory.path().join("moved.h5mu");
    let options = DiffOptions::default().by_name(true);
    for name in FILES {
        let count = if name.starts_with("cells") { 7 } else { 4 };
        let axis = if name.starts_with("cells") { Axis::Rows } else { Axis::Cols };
        let reversed = Selection::ranges((0..count).rev().map(|at| at..at + 1));
        let all = Selection::all();
        let selected = match axis {
            Axis::Rows => [&reversed, &all],
            Axis::Cols => [&all, &reversed],
        };
        nnz::slice(golden(name), &moved, selected, &unsynced(), &sparing()).unwrap();
        for files in [[golden(name), moved.clone()], [moved.clone(), golden(name)]] {
            let mut found = Vec::new();
            let each = &mut |one: ElementDifference| found.push(one);
            let [first, second] = files;
            let done = nnz::diff(&*first, &*second, &options, &sparing(), each);
            match (done, name.starts_with("cells")) {
                // A name that two modalities have cannot be matched.
                (Err(error), true) => assert!(error.to_string().contains("gene1"), "{error}"),
                (done, _) => {
                    done.unwrap();
                    assert_eq!(found.len(), 0, "{name}: {found:?}");
                }
            }
        }
    }
}

#[test]
fn files_are_filtered_by_names_and_annotations() {
    let directory = tempfile::tempdir().unwrap();
    let target = directory.path().join("filtered.h5mu");
    let filter = |text: &str| text.parse::<Filter>().unwrap();
    let run = |cells: &Filter| {
        let filters = [cells, &Filter::all()];
        nnz::filter(&*golden("cells-0.3.h5mu"), &*target, filters, None, &unsynced(), &sparing())
    };
    let (kept, _) = run(&filter("sample=s1")).unwrap();
    assert_eq!((kept.rows.count(), kept.rows.len), (3, 7));
    assert_eq!(names(&target, "", Axis::Rows), ["cell1", "cell3", "cell5"]);
    assert_eq!(names(&target, "mod/prot", Axis::Rows), ["cell3", "cell5"]);
    let refused = run(&filter("nnz>=1")).unwrap_err().to_string();
    assert!(refused.contains("::mod/rna"), "{refused}");
}

//! Files of several matrices without a main one: the genomes of a 10x file, the variables of a MAT-file, groups of HDF5 and
//! Zarr. They are converted, sliced, concatenated, compared and checked as a whole.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use nnz::collection::{Collection, ElementDifference};
use nnz::engine::{Filter, SummaryContent};
use nnz::error::{Finding, Severity};
use nnz::{
    Axis, ConcatOptions, Context, ConvertOptions, Dataset, DiffOptions, Location, Result,
    Selection, Shape, Summary, ValidateOptions,
};

use crate::common::{root, unsynced};

fn genomes() -> PathBuf {
    root().join("testdata/tenx/h5/cr2_two_genomes.h5")
}

fn tenx() -> ConvertOptions {
    unsynced().overwrite(false).format("10x")
}

fn convert(from: &Path, to: &Path, options: &ConvertOptions) -> Result<Summary> {
    nnz::convert(from, to, options, &Context::default())
}

fn collection(path: &Path) -> Arc<dyn Collection> {
    match nnz::open(path).unwrap() {
        Dataset::Collection(collection) => collection,
        other => panic!("{other:?}"),
    }
}

fn members(path: &Path) -> Vec<(String, Vec<u64>)> {
    let members = collection(path).members().unwrap();
    members.into_iter().map(|member| (member.path, member.shape)).collect()
}

fn differences(first: &Path, second: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let each = &mut |one: ElementDifference| found.push(format!("{} {:?}", one.path, one.what));
    nnz::diff(first, second, &DiffOptions::default(), &Context::default(), each).unwrap();
    found
}

/// Opens one of the matrices of a file.
fn shape(path: &Path, name: &str) -> Shape {
    let place = Location::Path { path: path.to_path_buf(), group: Some(name.to_owned()) };
    nnz::open(place).unwrap().into_matrix().unwrap().header().shape
}

#[test]
fn genomes_are_written_to_files_of_every_kind_with_groups() {
    let scratch = tempfile::tempdir().unwrap();
    for (name, format) in [
        ("genomes.h5", "10x"),
        ("groups.h5", "binsparse"),
        ("groups.zarr", "binsparse"),
        ("groups.nc", "binsparse"),
        ("packed.h5", "bpcells"),
        ("packed.zarr", "bpcells"),
        ("variables.mat", "matlab"),
    ] {
        let path = scratch.path().join(name);
        let options = unsynced().overwrite(false).format(format);
        let summary = convert(&genomes(), &path, &options).unwrap();
        assert_eq!((summary.content, summary.entries), (SummaryContent::Matrices(2), 68), "{name}");
        let [hg19, mm10] = [("hg19", [20, 11]), ("mm10", [8, 11])];
        let expected = [hg19, mm10].map(|(name, shape)| (name.to_owned(), shape.to_vec()));
        assert_eq!(members(&path), expected, "{name}");
        assert_eq!(differences(&genomes(), &path), [""; 0], "{name}");
        let faults = &mut |found: Finding| {
            assert!(found.severity != Severity::Fault, "{name}: {found}");
        };
        nnz::validate(&path, &ValidateOptions::default(), &Context::default(), faults).unwrap();
        // It is there, and only replaced with the option.
        let there = convert(&genomes(), &path, &options).unwrap_err();
        assert!(there.to_string().contains("already exists"), "{name}: {there}");
        convert(&path, &scratch.path().join(format!("again-{name}")), &options).unwrap();
        convert(&genomes(), &path, &options.overwrite(true)).unwrap();
        assert_eq!(differences(&genomes(), &path), [""; 0], "{name}");
    }
}

#[test]
fn single_matrices_are_refused_with_a_list() {
    let scratch = tempfile::tempdir().unwrap();
    for (name, format) in
        [("m.mtx", "mtx"), ("m.h5ad", "anndata"), ("m.bpcells", "bpcells"), ("m.loom", "loom")]
    {
        let path = scratch.path().join(name);
        let error = convert(&genomes(), &path, &unsynced().format(format)).unwrap_err().to_string();
        assert!(error.contains("contains several matrices; select one:\n"), "{name}: {error}");
        assert!(error.contains("::hg19\n") && error.contains("::mm10"), "{name}: {error}");
    }
    let transposed = convert(&genomes(), &scratch.path().join("t.h5"), &tenx().transpose(true));
    assert!(transposed.unwrap_err().to_string().contains("select one"));
    assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 0);
}

#[test]
fn cells_of_all_genomes_are_selected() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("some.h5");
    let (all, some) = (Selection::all(), Selection::ranges([7..9, 1..3]));
    let context = Context::default();
    nnz::slice(genomes(), &path, [&all, &some], &tenx(), &context).unwrap();
    assert_eq!(shape(&path, "hg19"), Shape { rows: 20, cols: 4 });
    assert_eq!(shape(&path, "mm10"), Shape { rows: 8, cols: 4 });
    // The order is that of the selection.
    let axes = collection(&path).axes().unwrap();
    assert_eq!(axes.header().shape, Shape { rows: 0, cols: 4 });
    let names = axes.names(Axis::Cols).unwrap().unwrap();
    let source = collection(&genomes()).axes().unwrap().names(Axis::Cols).unwrap().unwrap();
    let names: Vec<_> = names.iter().collect();
    let source: Vec<_> = source.iter().collect();
    assert_eq!(names, [source[7], source[8], source[1], source[2]]);
    // By name; and of a slice.
    let sliced =
        nnz::open(&path).unwrap().slice([&all, &Selection::exact_names([source[8]])]).unwrap();
    let one = scratch.path().join("one.h5");
    sliced
        .slice([&all, &Selection::ranges([0..1])])
        .unwrap()
        .convert(&one, &tenx(), &context)
        .unwrap();
    assert_eq!(shape(&one, "mm10"), Shape { rows: 8, cols: 1 });
    // Genes differ.
    let rows = nnz::slice(genomes(), &one, [&some, &all], &tenx().overwrite(true), &context);
    let error = rows.unwrap_err().to_string();
    assert!(error.contains("do not have the same rows"), "{error}");
    assert_eq!(shape(&one, "mm10"), Shape { rows: 8, cols: 1 });
    // Conditions on names need no entries; others need one matrix.
    let kept = scratch.path().join("kept.h5");
    let cells = Filter::selected(Selection::exact_names([source[2]]), "one");
    let filters = [&Filter::all(), &cells];
    let (found, _) = nnz::filter(genomes(), &kept, filters, None, &tenx(), &context).unwrap();
    assert_eq!((found.cols.count(), shape(&kept, "hg19").cols), (1, 1));
    let measured: Filter = "nnz>=1".parse().unwrap();
    let error = nnz::filter(genomes(), &one, [&Filter::all(), &measured], None, &tenx(), &context);
    assert!(error.unwrap_err().to_string().contains("select one"));
}

#[test]
fn genomes_of_several_files_are_concatenated() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("both.h5");
    let concat = |from: [&Path; 2], to: &Path| {
        let how = ConcatOptions::default();
        nnz::concat(from, to, Axis::Cols, &how, &tenx(), &Context::default())
    };
    let summary = concat([&genomes(), &genomes()], &path).unwrap();
    assert_eq!(summary.content, SummaryContent::Matrices(2));
    assert_eq!((shape(&path, "hg19").cols, shape(&path, "mm10").cols), (22, 22));
    let first = scratch.path().join("first.h5");
    let half = Selection::ranges([0..11]);
    nnz::slice(&path, &first, [&Selection::all(), &half], &tenx(), &Context::default()).unwrap();
    assert_eq!(differences(&first, &genomes()), [""; 0]);
    // Another genome.
    let other = scratch.path().join("other.h5");
    let place = |path: &Path, name: &str| Location::Path {
        path: path.to_path_buf(),
        group: Some(name.to_owned()),
    };
    for name in ["hg19", "danRer"] {
        let (from, to) = (place(&genomes(), "hg19"), place(&other, name));
        nnz::convert(from, to, &tenx(), &Context::default()).unwrap();
    }
    let error = concat([&genomes(), &other], &scratch.path().join("x.h5")).unwrap_err().to_string();
    assert!(error.contains("does not have the same matrices"), "{error}");
    let found = differences(&genomes(), &other);
    assert_eq!(found, ["mm10 FirstOnly", "danRer SecondOnly"]);
}

/// Writing one variable replaced the whole MAT-file.
#[test]
fn variables_and_genomes_are_added_to_files() {
    let scratch = tempfile::tempdir().unwrap();
    for (name, options) in [("v.mat", unsynced().overwrite(false)), ("g.h5", tenx())] {
        let path = scratch.path().join(name);
        let write = |from: &str, to: &str, options: &ConvertOptions| {
            let [from, to] = [(genomes(), from), (path.clone(), to)]
                .map(|(path, group)| Location::Path { path, group: Some(group.to_owned()) });
            nnz::convert(from, to, options, &Context::default())
        };
        write("hg19", "a", &options).unwrap();
        write("mm10", "b", &options).unwrap();
        let there = write("hg19", "b", &options).unwrap_err();
        assert!(there.to_string().contains("already exists"), "{name}: {there}");
        assert_eq!(shape(&path, "b").rows, 8);
        write("hg19", "b", &options.clone().overwrite(true)).unwrap();
        assert_eq!((shape(&path, "a").rows, shape(&path, "b").rows), (20, 20), "{name}");
    }
    let place = Location::parse(scratch.path().join("g.h5::mm10"));
    let third =
        tenx().format_options(nnz::formats::FormatOptions::new().with("format-version", "3"));
    let error = nnz::convert(genomes(), place, &third, &Context::default()).unwrap_err();
    assert!(error.to_string().contains("select one"), "{error}");
}

#[test]
fn broken_parts_are_errors_and_leave_nothing() {
    let scratch = tempfile::tempdir().unwrap();
    let store = scratch.path().join("s.zarr");
    convert(&genomes(), &store, &unsynced().format("binsparse")).unwrap();
    let chunk = store.join("mm10/pointers_to_1/c/0");
    let mut bytes = fs::read(&chunk).unwrap();
    bytes[4] = 99;
    fs::write(&chunk, bytes).unwrap();
    let target = scratch.path().join("t.zarr");
    convert(&store, &target, &unsynced().format("binsparse")).unwrap_err();
    let mut left: Vec<_> =
        fs::read_dir(scratch.path()).unwrap().map(|one| one.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["s.zarr"]);
}

/// Everything in the directory was removed, the source, too.
#[test]
fn directories_with_other_files_are_not_replaced() {
    let scratch = tempfile::tempdir().unwrap();
    let store = scratch.path().join("s.zarr");
    fs::create_dir(&store).unwrap();
    let source = store.join("a.h5");
    fs::copy(genomes(), &source).unwrap();
    let options = unsynced().overwrite(true).format("binsparse");
    let error = convert(&source, &store, &options).unwrap_err().to_string();
    assert!(error.contains("contains another file"), "{error}");
    assert!(source.exists());
    // As for a single matrix.
    let missing = scratch.path().join("none/x.h5");
    convert(&genomes(), &missing, &tenx()).unwrap_err();
    assert!(!scratch.path().join("none").exists());
}

#[test]
#[cfg(unix)]
fn a_store_in_the_place_of_a_file_is_readable() {
    use std::os::unix::fs::PermissionsExt as _;
    let scratch = tempfile::tempdir().unwrap();
    let store = scratch.path().join("s.zarr");
    fs::write(&store, "a file").unwrap();
    convert(&genomes(), &store, &unsynced().overwrite(true).format("binsparse")).unwrap();
    let mode = store.metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o500, 0o500, "{mode:o}");
}

/// A group named `matrix` is the matrix of version 3: the others were not read any more.
#[test]
fn genomes_are_not_added_beside_a_matrix_of_version_3() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("v3.h5");
    fs::copy(root().join("testdata/tenx/h5/cr3_gex.h5"), &path).unwrap();
    let before = fs::read(&path).unwrap();
    let from = Location::parse(format!("{}::mm10", genomes().display()));
    for group in ["mm10", "matrix"] {
        let to = Location::Path { path: path.clone(), group: Some(group.to_owned()) };
        let options = tenx().overwrite(true);
        let error = nnz::convert(&from, &to, &options, &Context::default()).unwrap_err();
        assert!(error.to_string().contains("version 3"), "{group}: {error}");
    }
    assert!(fs::read(&path).unwrap() == before);
}

#[test]
fn what_is_beside_the_matrices_is_dropped_with_its_name() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("g.h5");
    fs::copy(genomes(), &path).unwrap();
    let to = Location::Path { path: path.clone(), group: Some("other/bs".to_owned()) };
    let from = Location::parse(format!("{}::mm10", genomes().display()));
    nnz::convert(from, to, &unsynced().format("binsparse"), &Context::default()).unwrap();
    let target = scratch.path().join("t.h5");
    let strict = convert(&path, &target, &tenx().strict(true)).unwrap_err().to_string();
    assert!(strict.contains("cannot store other (group, not read)"), "{strict}");
    let summary = convert(&path, &target, &tenx()).unwrap();
    assert_eq!(summary.dropped, ["other (group, not read)"]);
}

#[test]
fn an_axis_that_is_not_shared_has_no_names() {
    let collection = collection(&genomes());
    let axes = collection.axes().unwrap();
    for error in [
        axes.read_names(Axis::Rows).map(drop).unwrap_err(),
        axes.annotations(Axis::Rows).map(drop).unwrap_err(),
    ] {
        assert!(error.to_string().contains("do not have the same rows"), "{error}");
    }
    let scratch = tempfile::tempdir().unwrap();
    let degree = nnz::engine::Reordering::Frequency;
    let reorder = tenx().reorder([nnz::engine::Reordering::Unchanged, degree]);
    let error = convert(&genomes(), &scratch.path().join("r.h5"), &reorder).unwrap_err();
    assert!(error.to_string().contains("are not reordered"), "{error}");
}

#[test]
fn names_of_groups_fit_the_target() {
    let scratch = tempfile::tempdir().unwrap();
    let groups = scratch.path().join("g.h5");
    for name in ["a/b", "end", "c"] {
        let to = Location::Path { path: groups.clone(), group: Some(name.to_owned()) };
        let from = Location::parse(format!("{}::mm10", genomes().display()));
        nnz::convert(from, to, &unsynced().format("binsparse"), &Context::default()).unwrap();
    }
    let path = scratch.path().join("v.mat");
    let summary = convert(&groups, &path, &unsynced()).unwrap();
    assert!(summary.notes.contains(&"a/b is named a_b".to_owned()), "{:?}", summary.notes);
    let names: Vec<_> = members(&path).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["a_b", "c", "xend"]);
    // Matrices of a folder have no extension as groups.
    let folder = scratch.path().join("folder");
    fs::create_dir(&folder).unwrap();
    for name in ["spliced.mtx", "unspliced.mtx"] {
        let text = "%%MatrixMarket matrix coordinate integer general\n1 2 1\n1 1 5\n";
        fs::write(folder.join(name), text).unwrap();
    }
    fs::write(folder.join("barcodes.tsv"), "x\ny\n").unwrap();
    fs::write(folder.join("features.tsv"), "g\tg\tGene Expression\n").unwrap();
    for (name, options) in [("f.mat", unsynced()), ("f.zarr", unsynced().format("binsparse"))] {
        let path = scratch.path().join(name);
        convert(&folder, &path, &options).unwrap();
        assert_eq!(shape(&path, "unspliced"), Shape { rows: 1, cols: 2 });
    }
}

#[test]
fn variables_are_added_only_to_files_of_matlab() {
    let scratch = tempfile::tempdir().unwrap();
    let groups = scratch.path().join("g.h5");
    convert(&genomes(), &groups, &unsynced().format("binsparse")).unwrap();
    let old = root().join("testdata/matlab/v5_dense_bool.mat");
    let copy = scratch.path().join("old.mat");
    fs::copy(old, &copy).unwrap();
    for path in [groups, copy] {
        let to = Location::Path { path: path.clone(), group: Some("B".to_owned()) };
        let from = Location::parse(format!("{}::mm10", genomes().display()));
        let options = unsynced().format("matlab");
        let error = nnz::convert(from, to, &options, &Context::default()).unwrap_err();
        assert!(error.to_string().contains("of version 7.3 only"), "{error}");
    }
}

//! Objects of R that are written, and read again.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use nnz_testing::command::{run, testdata, text};

/// The targets: a name, and what `--to` and its options are.
const TARGETS: [(&str, &[&str]); 3] = [
    ("seurat", &["--to", "seurat"]),
    ("seurat5", &["--to", "seurat", "--format-version", "5"]),
    ("sce", &["--to", "sce"]),
];

fn anndata(name: &str) -> String {
    text(&testdata().join("anndata/valid/0.12.19/h5ad").join(name)).to_owned()
}

struct Scratch(tempfile::TempDir);

impl Scratch {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn at(&self, name: &str) -> String {
        text(&self.0.path().join(name)).to_owned()
    }
}

fn convert(from: &str, to: &str, options: &[&str]) {
    run(&[&["-q", "convert", "--force", from, to][..], options].concat()).good();
}

/// Returns the paths of the differences between two files.
fn differences(first: &str, second: &str) -> BTreeSet<String> {
    let listed = run(&["diff", first, second]);
    let lines = listed.out.lines();
    lines.filter_map(|line| line.split('\t').next().map(ToOwned::to_owned)).collect()
}

/// Round trips keep what both hold, exactly.
#[test]
fn whole_files_round_trip() {
    let scratch = Scratch::new();
    let source = anndata("full_csr.h5ad");
    for (name, options) in TARGETS {
        let [first, second, third] = [1, 2, 3].map(|n| scratch.at(&format!("{name}{n}.rds")));
        let [back, again] = ["back.h5ad", "again.h5ad"].map(|name| scratch.at(name));
        convert(&source, &first, options);
        convert(&first, &back, &[]);
        let differ = differences(&source, &back);
        let kept = |path: &str| !differ.contains(path);
        for path in [
            "X",
            "layers/counts",
            "obs",
            "var",
            "obsm/X_pca",
            "obsm/X_umap",
            "varm/PCs",
            "obsp/connectivities",
            "obsp/distances",
            "obs/stage",
            "obs/cell_type",
            "obs/opt_bool",
            "obs/opt_int",
            "obs/is_doublet",
            "var/highly_variable",
            "var/gene_name",
        ] {
            assert!(kept(path), "{name}: {path}: {differ:?}");
        }
        // Assays of version 3 have no other layers.
        assert_eq!(kept("layers/scaled"), name != "seurat", "{differ:?}");
        convert(&back, &second, options);
        convert(&second, &again, &[]);
        convert(&again, &third, options);
        assert!(fs::read(&second).unwrap() == fs::read(&third).unwrap(), "{name}");
        run(&["validate", &first]).good();
    }
}

#[test]
fn members_have_the_names_of_the_class() {
    let scratch = Scratch::new();
    let source = anndata("full_csr.h5ad");
    let has = |name: &str, options: &[&str], members: &[&str]| {
        let path = scratch.at(name);
        convert(&source, &path, options);
        let info = run(&["info", &path]).good();
        for member in members {
            assert!(info.contains(&format!("\n{member} ")), "{member}: {info}");
        }
    };
    let seurat = [
        "assays/RNA/layers/counts",
        "assays/RNA/layers/data",
        "reductions/pca",
        "reductions/pca/loadings",
        "reductions/umap",
        "graphs/connectivities",
        "meta.data/stage",
    ];
    has("a.rds", TARGETS[0].1, &seurat);
    has("b.rds", TARGETS[1].1, &[&seurat[..], &["assays/RNA/layers/scaled"]].concat());
    let members = [
        "assays/counts",
        "assays/logcounts",
        "assays/scaled",
        "reducedDims/PCA",
        "reducedDims/PCA/loadings",
        "reducedDims/UMAP",
        "colPairs/distances",
        "colData/stage",
    ];
    has("c.rds", TARGETS[2].1, &members);
}

/// Writes a matrix of counts with names.
fn counts(scratch: &Scratch, features: &[&str], cells: &[&str]) -> String {
    let (rows, cols) = (features.len(), cells.len());
    let path = scratch.at("counts.mtx");
    let entries: String = (0..rows.min(cols)).map(|at| format!("{0} {0} {0}\n", at + 1)).collect();
    let header = "%%MatrixMarket matrix coordinate integer general";
    let count = rows.min(cols);
    fs::write(&path, format!("{header}\n{rows} {cols} {count}\n{entries}")).unwrap();
    for (name, names) in [("rows.txt", features), ("cols.txt", cells)] {
        let lines: String = names.iter().map(|name| format!("{name}\n")).collect();
        fs::write(scratch.at(name), lines).unwrap();
    }
    path
}

#[test]
fn features_of_seurat_have_no_underscores() {
    let scratch = Scratch::new();
    let source = counts(&scratch, &["a_1", "b|2", "a-1", "d"], &["c_1", "c_2"]);
    let names =
        ["--row-names-file", &scratch.at("rows.txt"), "--col-names-file", &scratch.at("cols.txt")];
    for (name, options) in TARGETS {
        let path = scratch.at("made.rds");
        let arguments = ["convert", "--force", &source, &path];
        let done = run(&[&arguments[..], options, &names].concat());
        let is_noted = done.err.contains("nnz_original_name has the previous names");
        let rows = run(&["names", &path, "rows"]).good();
        assert_eq!(run(&["names", &path, "cols"]).good(), "c_1\nc_2\n");
        if name == "sce" {
            assert_eq!((&*rows, is_noted), ("a_1\nb|2\na-1\nd\n", false));
            continue;
        }
        assert_eq!((&*rows, is_noted), ("a-1\nb-2\na-1-1\nd\n", true), "{}", done.err);
        // Integers are counts.
        let info = run(&["info", &path]).good();
        assert!(info.contains("assays/RNA/layers/counts"), "{info}");
    }
}

#[test]
fn axes_without_names_get_some_in_seurat() {
    let scratch = Scratch::new();
    let source = counts(&scratch, &["x", "y"], &["c", "d", "e"]);
    let path = scratch.at("made.rds");
    convert(&source, &path, &["--to", "seurat"]);
    assert_eq!(run(&["names", &path, "rows"]).good(), "feature1\nfeature2\n");
    assert_eq!(run(&["names", &path, "cols"]).good(), "cell1\ncell2\ncell3\n");
}

#[test]
fn empty_matrices_are_written() {
    let scratch = Scratch::new();
    for source in ["empty_obs.h5ad", "empty_vars.h5ad", "zero_by_zero.h5ad", "zero_nnz.h5ad"] {
        for (name, options) in TARGETS {
            let [path, back] = ["made.rds", "back.h5ad"].map(|name| scratch.at(name));
            convert(&anndata(source), &path, options);
            convert(&path, &back, &[]);
            let shape = |path: &str| {
                let info = run(&["info", "--json", path]).good();
                let info: serde_json::Value = serde_json::from_str(&info).unwrap();
                info["shape"].clone()
            };
            assert_eq!(shape(&anndata(source)), shape(&back), "{source} as {name}");
        }
    }
}

/// Makes MuData of genes and a part of them.
fn modalities(scratch: &Scratch) -> String {
    let (source, part) = (anndata("full_csr.h5ad"), scratch.at("part.h5ad"));
    run(&["-q", "slice", &source, &part, "--features", "0:3"]).good();
    let both = scratch.at("both.h5mu");
    let names = ["--modality", "rna", "--modality", "adt"];
    run(&[&["-q", "concat", &source, &part, &both, "--axis", "cols"][..], &names].concat()).good();
    both
}

#[test]
fn modalities_are_assays_and_experiments() {
    let scratch = Scratch::new();
    let source = modalities(&scratch);
    for (name, options) in TARGETS {
        let path = scratch.at("made.rds");
        convert(&source, &path, options);
        let info = run(&["info", &path]).good();
        let members: &[&str] = match name {
            "sce" => &["assays/counts", "altExps/adt/assays/counts", "reducedDims/PCA"],
            _ => &[
                "assays/rna/layers/counts",
                "assays/adt/layers/data",
                "reductions/pca",
                "reductions/adt.pca",
                "graphs/adt.distances",
                "meta.data/rna:stage",
            ],
        };
        for member in members {
            assert!(info.contains(&format!("\n{member} ")), "{name}: {member}: {info}");
        }
        run(&["validate", &path]).good();
    }
}

/// Experiments have the cells of the main one, and tables of their own.
#[test]
fn modalities_round_trip_as_experiments() {
    let scratch = Scratch::new();
    let source = modalities(&scratch);
    let [path, back] = ["made.rds", "back.h5mu"].map(|name| scratch.at(name));
    convert(&source, &path, &["--to", "sce"]);
    convert(&path, &back, &[]);
    let differ = differences(&source, &back);
    let lost = ["uns/", "varp/", "obsm/sp"];
    // Of alternative experiments, what belongs to cells is not read.
    let of_cells = ["mod/adt/obsm/", "mod/adt/obsp/", "mod/adt/varm/"];
    let is_known = |path: &&String| {
        lost.iter().any(|part| path.contains(part))
            || of_cells.iter().any(|part| path.starts_with(part))
    };
    let others: Vec<_> = differ.iter().filter(|path| !is_known(path)).collect();
    assert!(others.is_empty(), "{others:?}");
}

#[test]
fn modalities_of_other_cells_are_refused() {
    let scratch = Scratch::new();
    let source = testdata().join("mudata/cells-0.3.h5mu");
    for (_, options) in TARGETS {
        let arguments = ["convert", text(&source), &scratch.at("made.rds")];
        let message = run(&[&arguments[..], options].concat()).refused();
        assert!(message.contains("mod/rna has 6 of 7 cells"), "{message}");
    }
    assert!(fs::read_dir(scratch.0.path()).unwrap().next().is_none());
}

#[test]
fn features_of_several_types_are_several_assays() {
    let scratch = Scratch::new();
    let source = testdata().join("tenx/h5/cr7_feature_barcode.h5");
    for (name, options) in TARGETS {
        let path = scratch.at("made.rds");
        convert(text(&source), &path, options);
        let info = run(&["info", &path]).good();
        let members = match name {
            "sce" => ["assays/counts", "altExps/ADT/assays/counts", "altExps/CRISPR/assays/counts"],
            _ => ["RNA", "ADT", "CRISPR"].map(|assay| match assay {
                "RNA" => "assays/RNA/layers/counts",
                "ADT" => "assays/ADT/layers/counts",
                _ => "assays/CRISPR/layers/counts",
            }),
        };
        for member in members {
            assert!(info.contains(&format!("\n{member} ")), "{name}: {member}: {info}");
        }
    }
}

/// Several formats of whole files have the extension.
#[test]
fn whole_files_need_a_format() {
    let scratch = Scratch::new();
    let path = scratch.at("made.rds");
    let loom = testdata().join("loom/matrix_float32.loom");
    let mudata = testdata().join("mudata/cells-0.3.h5mu");
    for source in [anndata("full_csr.h5ad"), text(&loom).to_owned(), text(&mudata).to_owned()] {
        let done = run(&["convert", &source, &path]);
        let message = done.err;
        assert_eq!(done.code, Some(2), "{message}");
        for choice in ["--to", "seurat", "sce", "dgCMatrix", "bpcells"] {
            assert!(message.contains(choice), "{message}");
        }
        assert!(!Path::new(&path).exists());
    }
    // One matrix is a BPCells object, as it was.
    convert(&format!("{}::X", anndata("full_csr.h5ad")), &path, &[]);
    assert!(run(&["info", &path]).good().contains("BPCells"), "{path}");
    for format in ["dgCMatrix", "bpcells"] {
        convert(&anndata("full_csr.h5ad"), &path, &["--to", format]);
    }
}

#[test]
fn what_is_not_stored_is_listed() {
    let scratch = Scratch::new();
    let (source, path) = (anndata("full_csr.h5ad"), scratch.at("made.rds"));
    let done = run(&["convert", &source, &path, "--to", "seurat"]);
    for lost in ["varp/corr", "layers/scaled", "uns/grid", "obsm/sp"] {
        assert!(done.err.contains(lost), "{lost}: {}", done.err);
    }
    let strict = scratch.at("strict.rds");
    let message = run(&["convert", &source, &strict, "--to", "seurat", "--strict"]).refused();
    assert!(message.contains("varp/corr") && !Path::new(&strict).exists(), "{message}");
    let version = run(&["convert", &source, &strict, "--to", "seurat", "--format-version", "4"]);
    assert!(version.code == Some(2) && version.err.contains("expected 3 or 5"), "{version:?}");
}

#[test]
fn objects_are_compressed_as_r_does_unless_told() {
    let scratch = Scratch::new();
    let (source, path) = (anndata("full_csr.h5ad"), scratch.at("made.rds"));
    for (compress, start) in [(&[][..], b"\x1f\x8b"), (&["--compress", "none"][..], b"X\n")] {
        convert(&source, &path, &[&["--to", "seurat"][..], compress].concat());
        assert!(fs::read(&path).unwrap().starts_with(start), "{compress:?}");
    }
}

/// The matrix before features were selected is another assay, from which it comes back; and vectors of `uns` come back from
/// `misc` and `metadata`.
#[test]
fn raw_and_vectors_round_trip() {
    let scratch = Scratch::new();
    let source = anndata("full_csr.h5ad");
    for (name, options) in TARGETS {
        let [path, back] = ["made.rds", "back.h5ad"].map(|name| scratch.at(name));
        convert(&source, &path, options);
        let info = run(&["info", &path]).good();
        let member = match name {
            "sce" => "altExps/raw/assays/counts",
            _ => "assays/raw/layers/counts",
        };
        assert!(info.contains(&format!("\n{member} ")), "{name}: {info}");
        convert(&path, &back, &[]);
        let differ = differences(&source, &back);
        for kept in ["raw/X", "uns/alpha", "uns/colors", "uns/flag", "uns/n_neighbors", "uns/title"]
        {
            assert!(!differ.contains(kept), "{name}: {kept}: {differ:?}");
        }
        let [first, second] =
            [&source, &back].map(|file| run(&["names", &format!("{file}::raw/X"), "cols"]).good());
        assert_eq!(first, second, "{name}");
    }
    // Loom does not store it.
    let loom = run(&["convert", &source, &scratch.at("a.loom")]);
    assert!(loom.err.contains("raw/X (it has features of its own)"), "{}", loom.err);
}

/// All assays of an object are in the other.
#[test]
fn objects_keep_all_assays_in_other_objects() {
    let scratch = Scratch::new();
    for (source, assays) in
        [("s4_multi", ["RNA", "ADT", "HTO"]), ("s5_multiome", ["RNA", "ATAC", ""])]
    {
        let source = text(&testdata().join(format!("robjects/{source}.rds"))).to_owned();
        for (name, options) in TARGETS {
            let path = scratch.at("made.rds");
            convert(&source, &path, options);
            for assay in assays.into_iter().filter(|assay| !assay.is_empty()) {
                let from = format!("{source}::assays/{assay}/layers/counts");
                let at = match name {
                    "sce"
                        if run(&["info", &path]).good().contains(&format!("altExps/{assay}/")) =>
                    {
                        format!("{path}::altExps/{assay}/assays/counts")
                    }
                    "sce" => format!("{path}::assays/counts"),
                    _ => format!("{path}::assays/{assay}/layers/counts"),
                };
                assert!(differences(&from, &at).is_empty(), "{name}: {assay}");
            }
            let info = run(&["info", &path]).good();
            let column = if name == "sce" { "colData/orig.ident" } else { "meta.data/orig.ident" };
            assert_eq!(info.matches(&format!("\n{column} ")).count(), 1, "{info}");
        }
    }
}

/// The table of a Seurat object is that of its main assay only.
#[test]
fn meta_data_is_in_mudata_once() {
    let scratch = Scratch::new();
    let source = testdata().join("robjects/s4_multi.rds");
    let [path, back] = ["made.h5mu", "back.rds"].map(|name| scratch.at(name));
    convert(text(&source), &path, &[]);
    convert(&path, &back, &["--to", "seurat"]);
    let info = run(&["info", &back]).good();
    assert_eq!(info.matches("orig.ident").count(), 1, "{info}");
    assert!(info.contains("\nmeta.data/orig.ident "), "{info}");
}

/// Layers with all cells are not parts of one, whatever their names.
#[test]
fn layers_of_all_cells_are_not_joined() {
    let scratch = Scratch::new();
    let source = testdata().join("robjects/sce_full.rds");
    let [renamed, path, back] = ["a.h5ad", "made.rds", "back.h5ad"].map(|name| scratch.at(name));
    convert(text(&source), &renamed, &[]);
    let layers: Vec<_> = ["x.1", "x.2"].map(|name| format!("{renamed}::layers/{name}")).into();
    for layer in &layers {
        run(&["-q", "convert", &format!("{renamed}::layers/counts"), layer]).good();
    }
    convert(&renamed, &path, &["--to", "sce"]);
    convert(&path, &back, &["--join-layers"]);
    let info = run(&["info", &back]).good();
    assert!(info.contains("layers/x.1") && info.contains("layers/x.2"), "{info}");
}
/// Copies AnnData with further columns of features.
fn with_columns(scratch: &Scratch, columns: &str) -> String {
    let (path, table) = (scratch.at("columns.h5ad"), scratch.at("columns.csv"));
    fs::copy(anndata("full_csr.h5ad"), &path).unwrap();
    let names = run(&["names", &path, "cols"]).good();
    let mut lines = columns.lines();
    let mut text = format!("name,{}\n", lines.next().unwrap());
    for (name, line) in names.lines().zip(lines.cycle()) {
        text += &format!("{name},{line}\n");
    }
    fs::write(&table, text).unwrap();
    run(&["-q", "edit", &path, "--add-columns", &format!("features={table}")]).good();
    path
}

#[test]
fn ranges_of_features_round_trip() {
    let scratch = Scratch::new();
    let [path, back, again] = ["made.rds", "back.h5ad", "again.rds"].map(|name| scratch.at(name));
    let ranges = scratch.at("ranges.h5ad");
    convert(text(&testdata().join("robjects/rse_granges.rds")), &ranges, &[]);
    let columns = "seqnames,start,end,kind\nchr2,1,10,a\nchr10,7,6,b";
    let columns = with_columns(&scratch, columns);
    convert(&ranges, &path, &["--to", "sce"]);
    convert(&path, &back, &[]);
    assert_eq!(differences(&ranges, &back), BTreeSet::new());
    convert(&back, &again, &["--to", "sce"]);
    assert!(fs::read(&path).unwrap() == fs::read(&again).unwrap());
    let done = run(&["convert", "--force", &columns, &path, "--to", "sce"]);
    assert!(done.code == Some(0) && !done.err.contains("reserves"), "{}", done.err);
    convert(&path, &back, &[]);
    let table = run(&["annotations", &back, "cols"]).good();
    let expected = [
        ("kind", ["a", "b"]),
        ("seqnames", ["chr2", "chr10"]),
        ("start", ["1", "7"]),
        ("width", ["10", "0"]),
        ("strand", ["*", "*"]),
    ];
    let mut lines = table.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let header = lines.next().unwrap();
    for (row, values) in lines.enumerate() {
        for (name, all) in expected {
            let at = header.iter().position(|column| *column == name).unwrap();
            assert_eq!(values[at], all[row % 2], "{name}: {table}");
        }
    }
}

/// R does not subset ranges whose table has columns of these names.
#[test]
fn columns_with_names_of_ranges_are_renamed() {
    let scratch = Scratch::new();
    let (path, back) = (scratch.at("made.rds"), scratch.at("back.h5ad"));
    let names = "seqnames,start,end,width,strand,ranges,seqlevels,seqlengths,isCircular,element";
    let reserved = |lists: bool| {
        names
            .split(',')
            .take(10)
            .filter(move |name| !lists || !["seqlevels", "seqlengths", "isCircular"].contains(name))
    };
    for (values, is_valid) in [
        ("chr1,1,10,10,+,a,b,c,d,e", true),
        // Another width, a strand that does not exist, a missing start, a start that is no integer, a negative width.
        ("chr1,1,10,11,+,a,b,c,d,e", false),
        ("chr1,1,10,10,.,a,b,c,d,e", false),
        ("chr1,,10,10,+,a,b,c,d,e", false),
        ("chr1,1.5,10,10,+,a,b,c,d,e", false),
        ("chr1,1,-1,-1,+,a,b,c,d,e", false),
        ("1,1,10,10,+,a,b,c,d,e", false),
    ] {
        let source = with_columns(&scratch, &format!("{names}\n{values}"));
        let done = run(&["convert", "--force", &source, &path, "--to", "sce"]);
        let of_ranges = ["seqnames", "start", "end", "width", "strand"];
        for name in reserved(!is_valid) {
            let is_noted = done.err.contains(&format!("{name} is {name}.1"));
            assert_eq!(
                is_noted,
                !(is_valid && of_ranges.contains(&name)),
                "{values}: {}",
                done.err
            );
        }
        convert(&path, &back, &[]);
        let info = run(&["info", &back]).good();
        for name in reserved(true) {
            let is_kept = of_ranges.contains(&name) && name != "end" && is_valid;
            assert_eq!(info.contains(&format!("\nvar/{name} ")), is_kept, "{values}: {info}");
        }
        let seurat = scratch.at("seurat.rds");
        let done = run(&["convert", "--force", &source, &seurat, "--to", "seurat"]);
        assert!(!done.err.contains("reserves"), "{}", done.err);
    }
}

/// Copies AnnData with further matrices, each from another path in it.
fn with_matrices(scratch: &Scratch, added: &[(&str, &str)]) -> String {
    let source = anndata("full_csr.h5ad");
    let path = scratch.at("matrices.h5ad");
    fs::copy(&source, &path).unwrap();
    for (from, to) in added {
        convert(&format!("{source}::{from}"), &format!("{path}::{to}"), &[]);
    }
    path
}

/// A name that another layer has is not given to a layer.
#[test]
fn layers_keep_names_that_others_have() {
    let scratch = Scratch::new();
    let (path, back) = (scratch.at("made.rds"), scratch.at("back.h5ad"));
    let added = [("X", "layers/data"), ("layers/scaled", "layers/logcounts")];
    let source = with_matrices(&scratch, &added);
    run(&["-q", "edit", &source, "--drop", "layers/scaled"]).good();
    for (name, options) in TARGETS {
        convert(&source, &path, options);
        let done = run(&[&["convert", "--force", &source, &path][..], options].concat());
        convert(&path, &back, &["--x", "counts"]);
        let same = |own: &str, other: &str| {
            let [own, other] = [format!("{source}::{own}"), format!("{back}::{other}")];
            differences(&own, &other).is_empty()
        };
        assert!(same("layers/counts", "X"), "{name}");
        if name == "seurat" {
            assert!(same("X", "layers/data"), "{name}");
            assert!(done.err.contains("layers/logcounts (assays of version 3"), "{}", done.err);
            assert!(done.err.contains("layers/data (another matrix"), "{}", done.err);
            continue;
        }
        for (own, other) in [("X", "X"), ("layers/data", "data"), ("layers/logcounts", "logcounts")]
        {
            assert!(same(own, &format!("layers/{other}")), "{name}: {own}: {}", done.err);
        }
    }
    // Without the other one, it is translated.
    run(&["-q", "edit", &source, "--drop", "layers/data"]).good();
    for (options, normalized) in [(TARGETS[1].1, "data"), (TARGETS[2].1, "logcounts")] {
        convert(&source, &path, options);
        let info = run(&["info", &path]).good();
        let is_there = |name: &str| info.contains(&format!("{name} "));
        assert!(is_there(normalized) && is_there("/X"), "{info}");
    }
}

#[test]
fn coordinates_have_no_prefix() {
    let scratch = Scratch::new();
    let (path, back) = (scratch.at("made.rds"), scratch.at("back.h5ad"));
    let source = with_matrices(&scratch, &[("obsm/X_umap", "obsm/spatial")]);
    for (name, options) in TARGETS {
        convert(&source, &path, options);
        convert(&path, &back, &[]);
        let info = run(&["info", &back]).good();
        let differ = differences(&source, &back);
        assert!(
            info.contains("\nobsm/spatial ") && !differ.contains("obsm/spatial"),
            "{name}: {info}"
        );
    }
}

/// Reductions with `X_` in their names have the loadings. Names that differ in case only stay as they are, others get a number.
#[test]
fn reductions_have_names_of_their_own() {
    let scratch = Scratch::new();
    let (path, back) = (scratch.at("made.rds"), scratch.at("back.h5ad"));
    for (other, read) in [("PCA", "X_PCA"), ("pca", "X_pca.1")] {
        let source = with_matrices(&scratch, &[("obsm/X_umap", &format!("obsm/{other}"))]);
        for (name, options) in TARGETS {
            let done = run(&[&["convert", "--force", &source, &path][..], options].concat());
            let note = format!("obsm/{other} is the reduction {other}.1");
            assert_eq!(done.err.contains(&note), other == "pca", "{name}: {}", done.err);
            convert(&path, &back, &[]);
            let differ = differences(&source, &back);
            assert!(!differ.contains("obsm/X_pca"), "{name}: {differ:?}");
            assert!(!differ.contains("varm/PCs"), "{name}: {differ:?}");
            let added = format!("{source}::obsm/{other}");
            let read = differences(&added, &format!("{back}::obsm/{read}"));
            assert!(read.is_empty(), "{name}: {read:?}");
        }
    }
}

/// Names are made for millions of rows only within the limit of memory.
#[test]
fn made_names_and_lists_are_within_the_memory() {
    let scratch = Scratch::new();
    let (source, path) = (scratch.at("a.mtx"), scratch.at("made.rds"));
    let lines = "%%MatrixMarket matrix coordinate integer general\n2147483647 2 1\n1 1 5\n";
    fs::write(&source, lines).unwrap();
    for (_, options) in TARGETS {
        let arguments = ["convert", &source, &path, "--memory", "200M"];
        let message = run(&[&arguments[..], options].concat()).refused();
        assert!(message.contains("--memory raises the limit"), "{message}");
        assert!(!Path::new(&path).exists());
    }
}

/// An assay with the matrix before features were selected was that of its assay, and a modality as well.
#[test]
fn raw_of_modalities_round_trips() {
    let scratch = Scratch::new();
    let source = modalities(&scratch);
    for (name, options) in TARGETS {
        let [path, back] = ["made.rds", "back.h5mu"].map(|name| scratch.at(name));
        convert(&source, &path, options);
        convert(&path, &back, &[]);
        let found = run(&["info", &back]).good();
        assert!(
            !found.contains("mod/rna.raw") && !found.contains("mod/adt.raw"),
            "{name}: {found}"
        );
        let differ = differences(&source, &back);
        assert!(!differ.iter().any(|path| path.contains("raw/X")), "{name}: {differ:?}");
    }
}

/// The extension of stores does not say which format is meant.
#[test]
fn formats_that_store_the_whole_object_are_noted() {
    let scratch = Scratch::new();
    let object = testdata().join("robjects/s5_full.rds");
    let done = run(&["convert", text(&object), &scratch.at("x.zarr")]);
    assert!(done.err.contains("formats that store the rest here: mudata, anndata"), "{done:?}");
    for (to, options) in [("y.zarr", &["--to", "anndata"][..]), ("z.mtx", &[])] {
        let done = run(&[&["convert", text(&object), &scratch.at(to)], options].concat());
        assert!(done.code == Some(0) && !done.err.contains("the rest here"), "{done:?}");
    }
}

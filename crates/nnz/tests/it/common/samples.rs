//! Samples of all formats.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use nnz::Compression;
use nnz::ErrorKind;
use nnz::formats::FormatOptions;

use crate::common::{location, root, unsynced};
use nnz_testing::random::Random;

/// Returns a folder of written samples, and the paths of all samples: these and the golden files
/// that can be opened.
pub fn samples() -> (tempfile::TempDir, Vec<PathBuf>) {
    let (folder, mut samples) = written(3000, 2000, 60_000);
    samples.extend(all_golden());
    (folder, samples)
}

/// The numbers of golden files that are not samples, and what they are.
const NO_SAMPLES: [(&str, usize, &str); 18] = [
    ("anndata/valid", 55, "stores in tar files"),
    ("binsparse/valid", 0, ""),
    ("bpcells", 183, "single arrays, texts, an unknown version, other R objects"),
    ("daphne", 93, "malformed files, and .meta files"),
    ("edges", 18, "malformed files, and the manifest"),
    ("hdf5", 7, "files without matrices, and texts"),
    ("loom", 5, "files without matrix or attributes, the manifest"),
    ("matlab", 46, "malformed files, files without numbers, texts"),
    ("matrix-market/valid", 0, ""),
    ("mudata", 1, "the script that writes them"),
    ("numpy", 5, "a descriptor without a shape, and texts"),
    ("rds", 25, "other objects, and texts"),
    ("scipy", 49, "malformed files, long doubles, arrays that SciPy 1.15 loses, texts"),
    ("svmlight", 8, "malformed files, and the manifest"),
    ("tables", 17, "malformed files, files that need options, texts"),
    ("tenx", 31, "malformed files, and texts"),
    ("tree", 24, "trees without a matrix, stores in tar files, texts"),
    ("zarr", 4, "stores without a matrix, and texts"),
];

/// Returns the golden files and directories that can be opened, and the groups of those with several.
pub fn all_golden() -> Vec<PathBuf> {
    let (mut samples, mut wrong) = (Vec::new(), Vec::new());
    for (folder, expected, what) in NO_SAMPLES {
        let mut others = Vec::new();
        golden(&root().join("testdata").join(folder), &mut samples, &mut others);
        if others.len() != expected {
            let (found, others) = (others.len(), others.join("\n  "));
            wrong.push(format!("{folder}: {found}, expected {expected} ({what}):\n  {others}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // The others are alike.
    let objects = root().join("testdata/robjects");
    for object in ["s4_full", "s5_full", "s2_pbmc_cut", "sce_full", "rse_granges"] {
        samples.push(objects.join(format!("{object}.rds")));
    }
    samples
}

/// Collects the paths that can be opened, also in directories without a known format and in files with several
/// groups, and the errors of the others.
fn golden(path: &Path, samples: &mut Vec<PathBuf>, others: &mut Vec<String>) {
    // Collections are read when something is needed.
    let opened = nnz::open(path).and_then(|dataset| match dataset {
        // Each of several matrices is a sample.
        nnz::Dataset::Collection(collection) if collection.is_several() => {
            collection.main().map(drop)
        }
        nnz::Dataset::Collection(collection) => collection.main_or_axes().map(drop),
        _ => Ok(()),
    });
    let error = match opened {
        Ok(_) => return samples.push(path.to_path_buf()),
        Err(error) => error,
    };
    let several = match error.kind() {
        ErrorKind::Argument(what) => what.lines().skip(1).collect(),
        _ => Vec::new(),
    };
    let marks = ["version", "zarr.json", ".zgroup"];
    if path.is_dir() && !marks.iter().any(|mark| path.join(mark).exists()) {
        let entries = std::fs::read_dir(path).unwrap();
        let mut inside: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
        inside.sort();
        inside.iter().for_each(|path| golden(path, samples, others));
    } else if several.is_empty() {
        others.push(error.to_string());
    } else {
        several.iter().for_each(|place| golden(Path::new(place.trim()), samples, others));
    }
}

/// Writes a matrix with this shape and number of entries in every format and container.
pub fn written(rows: usize, cols: usize, entries: usize) -> (tempfile::TempDir, Vec<PathBuf>) {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    let mut samples = vec![folder.join("matrix.mtx")];
    std::fs::write(&samples[0], text(rows, cols, entries)).unwrap();
    let targets: [(&str, &str, Option<Compression>); 30] = [
        ("t.csv", "csv", None),
        ("t.gct.gz", "gct", None),
        ("m.mtx.gz", "mtx", None),
        ("m.dbdf", "daphne", None),
        ("m.dbdf.hdfs", "daphne", None),
        ("m.rds", "dgCMatrix", None),
        ("m.mat", "matlab", Some(Compression::None)),
        ("z.mat", "matlab", None),
        ("b.rds", "bpcells", None),
        ("b.bpcells", "bpcells", None),
        ("b.h5", "bpcells", None),
        ("z.h5", "bpcells", Some(Compression::Gzip(4))),
        ("b.nc", "bpcells", None),
        ("b.zarr", "bpcells", None),
        ("b.npz", "bpcells", None),
        ("m.bsp.h5", "binsparse", None),
        ("z.bsp.h5", "binsparse", Some(Compression::Gzip(4))),
        ("m.nc", "binsparse", None),
        ("m.zarr", "binsparse", Some(Compression::Gzip(4))),
        ("m.npz", "binsparse", Some(Compression::Gzip(4))),
        ("m.bsp", "binsparse", None),
        ("a.h5ad", "anndata", None),
        ("z.h5ad", "anndata", Some(Compression::Gzip(4))),
        ("a.zarr", "anndata", None),
        ("m.loom", "loom", None),
        ("u.loom", "loom", Some(Compression::None)),
        ("s.npz", "scipy", None),
        ("z.npz", "scipy", Some(Compression::Gzip(4))),
        ("m.svm", "svmlight", None),
        ("m.wel.gz", "edges", None),
    ];
    for (name, format, compress) in targets {
        let (path, mut options) = (folder.join(name), unsynced());
        options = options.format(format);
        options.compress = compress;
        if name.ends_with(".hdfs") {
            options.format_options = FormatOptions::new().with("segments", "3");
        }
        if let Err(error) = nnz::convert(
            location(&samples[0]),
            location(&path),
            &options,
            &crate::common::sparing(),
        ) {
            panic!("{name}: {error}");
        }
        samples.push(path);
    }
    // A ring, which is symmetric.
    let graph = folder.join("m.graph");
    let ring = |at: usize| format!("{} {}\n", (at + rows - 1) % rows + 1, (at + 1) % rows + 1);
    let ring: String = (0..rows).map(ring).collect();
    std::fs::write(&graph, format!("{rows} {rows}\n{ring}")).unwrap();
    samples.push(graph);
    let groups = folder.join("groups.h5");
    for group in ["a/b/c", "d"] {
        let to = nnz::Location::Path { path: groups.clone(), group: Some(group.to_owned()) };
        let mut options = unsynced();
        options = options.format("bpcells");
        nnz::convert(location(&samples[0]), &to, &options, &crate::common::sparing()).unwrap();
        if group == "a/b/c" {
            // The only group is found.
            let only = folder.join("only.h5");
            std::fs::copy(&groups, &only).unwrap();
            samples.push(only);
        }
    }
    for (name, features) in [("10x", "features.tsv"), ("10x-2", "genes.tsv")] {
        let tenx = folder.join(name);
        std::fs::create_dir(&tenx).unwrap();
        std::fs::copy(&samples[0], tenx.join("matrix.mtx")).unwrap();
        std::fs::write(tenx.join(features), lines("gene", rows)).unwrap();
        std::fs::write(tenx.join("barcodes.tsv"), lines("cell", cols)).unwrap();
        samples.push(tenx);
    }
    // From a matrix with names.
    for (name, format) in
        [("t.h5", "10x"), ("t.h5ad", "anndata"), ("t.loom", "loom"), ("t.bpcells", "bpcells")]
    {
        let (path, mut options) = (folder.join(name), unsynced());
        options = options.format(format);
        nnz::convert(
            location(&folder.join("10x")),
            location(&path),
            &options,
            &crate::common::sparing(),
        )
        .unwrap();
        samples.push(path);
    }
    (temporary, samples)
}

fn lines(name: &str, count: usize) -> String {
    (0..count).map(|at| format!("{name}{at}\tName of {at}\n")).collect()
}

fn text(rows: usize, cols: usize, entries: usize) -> String {
    let mut random = Random::new(7);
    let mut places: Vec<(usize, usize)> =
        (0..entries).map(|_| (random.below(cols), random.below(rows))).collect();
    places.sort_unstable();
    places.dedup();
    let mut text = format!(
        "%%MatrixMarket matrix coordinate integer general\n{rows} {cols} {}\n",
        places.len()
    );
    for (col, row) in places {
        writeln!(text, "{} {} {}", row + 1, col + 1, 1 + random.below(200)).unwrap();
    }
    text
}

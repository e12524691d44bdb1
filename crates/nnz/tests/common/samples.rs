//! One sample or more of every format that is read.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use nnz::formats::FormatOptions;
use nnz::{Compression, NoProgress};

use crate::common::random::Random;
use crate::common::{location, root, unsynced};

/// Returns a folder with files that were written, and all samples: those and the golden files that
/// can be opened.
pub fn samples() -> (tempfile::TempDir, Vec<PathBuf>) {
    let folder = tempfile::tempdir().unwrap();
    let mut samples = written(folder.path());
    let tests = [
        "binsparse/valid",
        "bpcells",
        "daphne",
        "hdf5",
        "matrix-market",
        "rds",
        "scipy",
        "tenx",
        "zarr",
    ];
    for tests in tests {
        golden(&root().join("testdata").join(tests), 0, &mut samples);
    }
    (folder, samples)
}

/// Collects what can be opened in a directory, and in those inside.
fn golden(path: &Path, depth: usize, samples: &mut Vec<PathBuf>) {
    let name = path.file_name().unwrap().to_string_lossy();
    if name.starts_with("bad") || name.ends_with("malformed") {
        return;
    }
    if nnz::open(path).is_ok() {
        samples.push(path.to_path_buf());
    } else if path.is_dir() && depth < 3 {
        let mut inside: Vec<_> =
            std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect();
        inside.sort();
        inside.iter().for_each(|path| golden(path, depth + 1, samples));
    }
}

/// Writes a matrix of many pages and chunks in every format and container.
fn written(folder: &Path) -> Vec<PathBuf> {
    let mut samples = vec![folder.join("matrix.mtx")];
    std::fs::write(&samples[0], text(3000, 2000, 60_000)).unwrap();
    let targets: [(&str, &str, Option<Compression>); 17] = [
        ("m.mtx.gz", "mtx", None),
        ("m.dbdf", "daphne", None),
        ("m.dbdf.hdfs", "daphne", None),
        ("m.rds", "dgCMatrix", None),
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
    ];
    for (name, format, compress) in targets {
        let (path, mut options) = (folder.join(name), unsynced());
        options.format = Some(format);
        options.compress = compress;
        if name.ends_with(".hdfs") {
            options.format_options = FormatOptions::new().with("segments", "3");
        }
        if let Err(error) =
            nnz::convert(location(&samples[0]), location(&path), &options, &NoProgress)
        {
            panic!("{name}: {error}");
        }
        samples.push(path);
    }
    let groups = folder.join("groups.h5");
    for group in ["a/b/c", "d"] {
        let to = nnz::Location::Path { path: groups.clone(), group: Some(group.to_owned()) };
        let mut options = unsynced();
        options.format = Some("bpcells");
        nnz::convert(location(&samples[0]), &to, &options, &NoProgress).unwrap();
        if group == "a/b/c" {
            // The only one in it is found.
            let only = folder.join("only.h5");
            std::fs::copy(&groups, &only).unwrap();
            samples.push(only);
        }
    }
    for (name, features) in [("10x", "features.tsv"), ("10x-2", "genes.tsv")] {
        let tenx = folder.join(name);
        std::fs::create_dir(&tenx).unwrap();
        std::fs::copy(&samples[0], tenx.join("matrix.mtx")).unwrap();
        std::fs::write(tenx.join(features), lines("gene", 3000)).unwrap();
        std::fs::write(tenx.join("barcodes.tsv"), lines("cell", 2000)).unwrap();
        samples.push(tenx);
    }
    samples
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

//! How many requests and bytes the commands take on a server of 30 ms a request. Results are the same as of local
//! files.

use std::path::{Path, PathBuf};
use std::time::Duration;

use nnz::{ConvertOptions, CsMatrix, Location, Order, Shape};
use nnz_testing::command::{command, content, finish, run, text};
use nnz_testing::random::Random;
use nnz_testing::server::{Behavior, Server};
use serde_json::{Value, json};

/// The size of a matrix, as in data of single cells: packed, an entry takes 9 bits for its row and 5 for its value.
struct Size {
    rows: u32,
    cols: u32,
    /// The number of columns of the matrix in other containers.
    fewer: u32,
}

/// All requests and limits of bytes hold for any size; 331 MB are what they were set for.
const LARGE: Size = Size { rows: 30_000, cols: 100_000, fewer: 20_000 };
const SMALL: Size = Size { rows: 3000, cols: 20_000, fewer: 20_000 };

fn matrix(rows: u32, cols: u32) -> CsMatrix {
    let mut random = Random::new(1);
    let (mut pointers, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for _ in 0..cols {
        let mut row = random.below_u32(16);
        while row < rows {
            let bits = random.next();
            indices.push(row);
            let is_large = bits.is_multiple_of(64);
            values.push(
                1 + if is_large { 16 + (bits >> 32) as u32 % 8 } else { (bits >> 32) as u32 % 4 },
            );
            // Mostly close, so that a chunk of 128 has one or two large steps.
            row +=
                1 + if is_large { 256 + (bits >> 8) as u32 % 256 } else { (bits >> 8) as u32 % 20 };
        }
        pointers.push(indices.len() as u64);
    }
    let shape = Shape { rows: u64::from(rows), cols: u64::from(cols) };
    CsMatrix::from_parts(shape, Order::Col, pointers, indices, values).unwrap()
}

/// Writes the metadata of all arrays of a group into the metadata of the group, as zarr-python does.
fn consolidate(store: &Path) {
    let read = |path: PathBuf| -> Value {
        serde_json::from_slice(&std::fs::read(path.join("zarr.json")).unwrap()).unwrap()
    };
    let mut arrays = serde_json::Map::new();
    for entry in std::fs::read_dir(store).unwrap() {
        let entry = entry.unwrap();
        if entry.path().is_dir() {
            arrays.insert(entry.file_name().into_string().unwrap(), read(entry.path()));
        }
    }
    let mut root = read(store.to_path_buf());
    root["consolidated_metadata"] =
        json!({ "kind": "inline", "must_understand": false, "metadata": arrays });
    std::fs::write(store.join("zarr.json"), root.to_string()).unwrap();
}

/// A server of the matrix in several formats.
struct MeasuredServer {
    folder: tempfile::TempDir,
    server: Server,
}

impl MeasuredServer {
    fn new(size: &Size) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let bucket = folder.path().join("served/bucket");
        std::fs::create_dir_all(&bucket).unwrap();
        std::fs::create_dir(folder.path().join("out")).unwrap();
        let store = bucket.join("p.bpcells");
        let options = ConvertOptions::default().format("bpcells");
        let source = matrix(size.rows, size.cols).into_source().unwrap();
        nnz::convert_source(&*source, Location::parse(&store), &options, &nnz::Context::default())
            .unwrap();
        drop(source);
        let fewer = folder.path().join("fewer.bpcells");
        let cols = format!("0:{}", size.fewer);
        run(&["-q", "slice", "--cols", &cols, text(&store), text(&fewer)]).good();
        for (name, format) in [
            ("packed.h5::m", "bpcells"),
            ("b.h5", "binsparse"),
            ("b.zarr", "binsparse"),
            ("a.zarr", "anndata"),
            ("m.npz", "scipy"),
        ] {
            let to = bucket.join(name);
            run(&["-q", "convert", text(&fewer), text(&to), "--to", format]).good();
        }
        run(&["-q", "convert", text(&bucket.join("b.zarr")), text(&bucket.join("c.zarr"))]).good();
        consolidate(&bucket.join("c.zarr"));
        let behavior = Behavior { delay: Duration::from_millis(30), ..Behavior::default() };
        let server = Server::with(&folder.path().join("served"), behavior);
        Self { folder, server }
    }

    fn local(&self, name: &str) -> PathBuf {
        self.folder.path().join("served/bucket").join(name)
    }

    fn len(&self, name: &str) -> u64 {
        content(&self.local(name)).iter().map(|(_, bytes)| bytes.len() as u64).sum()
    }

    /// Returns the limit of bytes of a file of HDF5. Small ones are downloaded completely.
    fn hdf5(&self, name: &str, bytes: u64) -> u64 {
        let len = self.len(name);
        if len <= 16 << 20 { bytes.max(len + 100_000) } else { bytes }
    }

    /// Runs a command on the local matrix and on the server, compares what they give and checks the requests.
    fn check(&self, from: &str, name: &str, arguments: &[&str], requests: usize, bytes: u64) {
        let (from_local, out) = (self.local(name), self.folder.path().join("out"));
        let at = match from {
            "s3" => format!("s3://bucket/{name}"),
            _ => self.server.url(&format!("bucket/{name}")),
        };
        let endpoint = format!("endpoint={}", self.server.endpoint());
        let options = ["endpoint", "anon=true", "region=x"].map(|option| match option {
            "endpoint" => &endpoint,
            option => option,
        });
        let results = [text(&from_local), &at].map(|source| {
            let target = out.join(if source == at { "remote" } else { "local" });
            let words = arguments.iter().map(|word| match *word {
                "FROM" => source,
                "TO" => text(&target),
                word => word,
            });
            let mut command = command();
            command.arg("-q").args(words).env("HOME", "/nonexistent");
            for option in options {
                command.args(["--storage-option", option]);
            }
            let printed = finish(&mut command).good().replace(source, "SOURCE");
            // The size of the whole file is shown for local ones only.
            let line = |line: &str| match line.starts_with("size ") {
                true => line.split([',', ' ']).filter(|word| !word.is_empty()).take(3).collect(),
                false => line.to_owned(),
            };
            // So is the profile of the pointers, which takes requests.
            let lines = printed.lines().filter(|line| !line.starts_with("nnz per"));
            let printed: Vec<String> = lines.map(line).collect();
            let written = if target.exists() { content(&target) } else { Vec::new() };
            let _ = std::fs::remove_dir_all(&target);
            let _ = std::fs::remove_file(&target);
            (printed, written)
        });
        assert!(results[0] == results[1], "{from} {name} {arguments:?}");
        let log = self.server.take_log();
        let (found, sum) = (log.len(), log.iter().map(|one| one.bytes).sum::<u64>());
        println!(
            "{from:5} {name:14} {arguments:?}: {found} of {requests} requests, {sum} of {bytes} bytes"
        );
        let line = |one: &nnz_testing::server::LoggedRequest| {
            format!("{} {}?{} {:?} {}", one.method, one.path, one.query, one.range, one.bytes)
        };
        let lines: Vec<_> = log.iter().take(200).map(line).collect();
        assert!(
            found <= requests && sum <= bytes,
            "{from} {name} {arguments:?}: {found} requests of {requests}, {sum} bytes of {bytes}\n{}",
            lines.join("\n")
        );
    }
}

/// Writes the numbers of a thousand columns, spread out, to a file.
fn spread(folder: &Path, cols: u32) -> String {
    let mut random = Random::new(2);
    let mut chosen: Vec<_> = (0..1000).map(|_| random.below_u32(cols)).collect();
    chosen.sort_unstable();
    chosen.dedup();
    let path = folder.join("cols.txt");
    let lines = chosen.iter().map(|col| format!("{col}\n"));
    std::fs::write(&path, lines.collect::<String>()).unwrap();
    format!("@{}", path.display())
}

/// Checks the goals: requests and bytes of each command.
fn check_all(size: &Size) {
    let at = MeasuredServer::new(size);
    let (len, middle) = (at.len("p.bpcells"), size.cols / 3);
    let of = |names: &[&str]| names.iter().map(|name| at.len(&format!("p.bpcells/{name}"))).sum();
    let sums: u64 = of(&["idxptr", "val_data", "val_idx", "val_idx_offsets"]);
    let one = format!("{middle}:{}", middle + 1);
    let neighbours = format!("{middle}:{}", middle + 1000);
    let random = spread(at.folder.path(), size.cols);
    let slice = |cols| ["slice", "--to", "bpcells", "--cols", cols, "FROM", "TO"];
    for from in ["s3", "https"] {
        let store = "p.bpcells";
        at.check(from, store, &["info", "FROM"], 16, 100_000);
        at.check(from, store, &["cat", "FROM", "--cols", &one], 24, 1 << 20);
        at.check(from, store, &slice(&neighbours), 24, 4_500_000);
        // Few bytes or few requests, by the latency that is measured: 45 MB, or 92 MB in 860 requests.
        at.check(from, store, &slice(&random), 1350, 92_000_000);
        let columns = ["stats", "--axis", "cols", "FROM"];
        at.check(from, store, &columns, 60, sums + sums / 100 + 100_000);
        let convert = ["convert", "--to", "bpcells", "FROM", "TO"];
        at.check(from, store, &convert, 120, len + len / 100 + 100_000);
        at.check(from, "packed.h5::m", &["info", "FROM"], 4, at.hdf5("packed.h5", 2_200_000));
        let (fewer, cat) = (size.fewer / 3, |cols| ["cat", "FROM", "--cols", cols]);
        let one = format!("{fewer}:{}", fewer + 1);
        at.check(from, "b.h5", &cat(&one), 12, at.hdf5("b.h5", 5 << 20));
        at.check(from, "b.zarr", &cat(&one), 14, 200_000);
        at.check(from, "c.zarr", &cat(&one), 6, 200_000);
        // A cell is a row. The metadata are consolidated; all names are read.
        let cell = ["cat", "FROM", "--rows", &one];
        at.check(from, "a.zarr::X", &cell, 8, 10 << 20);
        at.check(from, "m.npz", &cat(&one), 16, 1 << 20);
    }
}

#[test]
fn requests_and_bytes_are_few() {
    check_all(&SMALL);
}

#[test]
#[ignore = "takes minutes, and gigabytes of memory and disk: cargo xtask test --full"]
fn requests_and_bytes_of_a_large_matrix_are_few() {
    check_all(&LARGE);
}

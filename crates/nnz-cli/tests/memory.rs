//! The peak memory of the command stays below `--memory` and a fixed allowance, for any matrix.
//!
//! It is a program of its own, because the system includes the memory of the parent in the peak of a
//! child. Tests that take minutes and several gigabytes of disk are ignored by default: `cargo test
//! --release -p nnz-cli --test memory -- --ignored`.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test stops where it fails")]

use std::fs::{self, File};
use std::io::{BufWriter, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use nnz_testing::command::{command, run, text};
use wait4::Wait4 as _;

/// Memory of the command in addition to `--memory`: code, buffers of threads, allocators.
const ALLOWANCE: u64 = 150_000_000;

/// The same where the limit includes the buffers of threads, as `docs/cluster.md` states: code, and the buffers of one
/// thread.
const OF_SORTING: u64 = 50_000_000;

/// Runs the command with a memory limit in megabytes, and checks its peak.
///
/// These tests need little memory themselves: they write inputs as they generate them.
#[track_caller]
fn within(megabytes: u64, arguments: &[&str]) {
    within_and(megabytes, ALLOWANCE, arguments);
}

#[track_caller]
fn within_and(megabytes: u64, allowance: u64, arguments: &[&str]) {
    let memory = format!("--memory={megabytes}M");
    let mut child = command()
        .arg("-q")
        .args(arguments)
        .arg(memory)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut output = String::new();
    child.stderr.take().unwrap().read_to_string(&mut output).unwrap();
    let done = child.wait4().unwrap();
    assert!(done.status.success(), "{arguments:?}: {output}");
    let (peak, most) = (done.rusage.maxrss, megabytes * 1_000_000 + allowance);
    eprintln!("{:>6} of {} MB: {}", peak / 1_000_000, most / 1_000_000, arguments.join(" "));
    assert!(peak <= most, "{arguments:?} took {peak} bytes, {most} are allowed");
}

/// A temporary directory on the disk of the build.
struct Bench(tempfile::TempDir);

impl Bench {
    fn new() -> Self {
        Self(tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn remove(&self, name: &str) {
        let path = self.path(name);
        fs::remove_dir_all(&path).or_else(|_| fs::remove_file(&path)).unwrap();
    }

    /// Writes a text of entries, given by row and column counted from 0.
    fn text(&self, name: &str, shape: [u64; 2], count: u64, place: impl Fn(u64) -> [u64; 2]) {
        let mut out = BufWriter::with_capacity(1 << 16, File::create(self.path(name)).unwrap());
        let [rows, cols] = shape;
        let banner = "%%MatrixMarket matrix coordinate integer general";
        writeln!(out, "{banner}\n{rows} {cols} {count}").unwrap();
        let mut line = Vec::new();
        for entry in 0..count {
            let [row, col] = place(entry);
            assert!(row < rows && col < cols);
            line.clear();
            for (number, after) in [(row + 1, b' '), (col + 1, b' '), (value(row, col), b'\n')] {
                digits(number, &mut line);
                line.push(after);
            }
            out.write_all(&line).unwrap();
        }
        out.flush().unwrap();
    }

    /// Runs a conversion within the limit, and validates the result.
    #[track_caller]
    fn convert(&self, megabytes: u64, verb: &str, from: &str, to: &str, flags: &[&str]) {
        let (from, to) = (self.path(from), self.path(to));
        let mut arguments = vec![verb, text(&from), text(&to), "--no-sync"];
        arguments.extend(flags);
        within(megabytes, &arguments);
        within(megabytes, &["validate", text(&to)]);
    }

    /// Expects two matrices to be equal, compared within the limit.
    #[track_caller]
    fn same(&self, megabytes: u64, one: &str, other: &str) {
        let (one, other) = (self.path(one), self.path(other));
        within(megabytes, &["diff", text(&one), text(&other)]);
    }

    /// Expects a number and a sum of entries.
    #[track_caller]
    fn expect(&self, name: &str, entries: u64, sum: u64) {
        let out = run(&["stats", "--json", text(&self.path(name))]).good();
        let info: serde_json::Value = serde_json::from_str(&out).unwrap();
        let found = ["nnz", "sum"].map(|what| info["whole"][what].as_u64());
        assert_eq!(found, [Some(entries), Some(sum)], "{out}");
    }
}

/// Returns the value of an element.
fn value(row: u64, col: u64) -> u64 {
    (row * 31 + col * 17) % 900 + 1
}

fn sum(count: u64, place: impl Fn(u64) -> [u64; 2]) -> u64 {
    (0..count).map(place).map(|[row, col]| value(row, col)).sum()
}

/// Appends a number without formatting machinery, as there are hundreds of millions.
fn digits(mut number: u64, line: &mut Vec<u8>) {
    let start = line.len();
    loop {
        line.push(b'0' + u8::try_from(number % 10).unwrap());
        number /= 10;
        if number == 0 {
            break;
        }
    }
    line[start..].reverse();
}

/// Returns each element number below `elements` once, in a scattered order. `elements` is a power of two.
fn scattered(entry: u64, elements: u64) -> u64 {
    entry.wrapping_mul(0x9e37_79b1) % elements
}

#[test]
fn a_row_with_most_entries() {
    let bench = Bench::new();
    let (shape, count) = ([1 << 12, 1 << 22], 3_000_000);
    // Nine in ten entries are in row 5, in random order.
    let place = |entry: u64| match entry % 10 {
        0 => [scattered(entry, 1 << 12) ^ 1, scattered(entry, 1 << 22)],
        _ => [5, scattered(entry, 1 << 22)],
    };
    bench.text("m.mtx", shape, count, place);
    bench.convert(16, "convert", "m.mtx", "col.bpcells", &[]);
    bench.expect("col.bpcells", count, sum(count, place));
    bench.convert(16, "convert", "m.mtx", "row.bpcells", &["--order=row"]);
    bench.same(16, "col.bpcells", "row.bpcells");
    bench.convert(16, "transpose", "row.bpcells", "turned.bpcells", &["--unpacked"]);
    bench.convert(16, "transpose", "turned.bpcells", "back.mtx", &[]);
    bench.same(16, "m.mtx", "back.mtx");
}

#[test]
fn a_column_with_all_entries() {
    let bench = Bench::new();
    // The maximum number of rows of a store.
    let (shape, count) = ([u32::MAX.into(), 3], 2_500_000);
    let place = |entry: u64| [scattered(entry * 1_000, 1 << 31) * 2 + entry % 2, 1];
    bench.text("m.mtx", shape, count, place);
    bench.convert(16, "convert", "m.mtx", "col.bpcells", &[]);
    bench.expect("col.bpcells", count, sum(count, place));
    bench.convert(16, "convert", "col.bpcells", "again.mtx", &[]);
    bench.same(16, "again.mtx", "col.bpcells");
}

#[test]
fn mostly_empty_majors() {
    let bench = Bench::new();
    let (shape, count) = ([1 << 10, 100_000_000], 500_000);
    let place = |entry: u64| [entry % (1 << 10), scattered(entry, 1 << 26)];
    bench.text("m.mtx", shape, count, place);
    bench.convert(16, "convert", "m.mtx", "row.bpcells", &["--order=row"]);
    bench.expect("row.bpcells", count, sum(count, place));
    bench.convert(16, "transpose", "row.bpcells", "turned.mtx", &[]);
    // A pointer of four bytes for each column.
    bench.convert(16, "convert", "m.mtx", "col.bpcells", &["--format-version=1"]);
    bench.same(16, "col.bpcells", "row.bpcells");
}

/// Writes a store with few entries and many long names of rows.
fn named_store(path: &Path, rows: u32) {
    fs::create_dir(path).unwrap();
    let u32s = |all: &[u32]| {
        let elements = all.iter().flat_map(|element| element.to_le_bytes());
        b"UINT32v1".iter().copied().chain(elements).collect::<Vec<u8>>()
    };
    let pointers: Vec<u8> = [0_u64, 2].iter().flat_map(|pointer| pointer.to_le_bytes()).collect();
    for (name, content) in [
        ("version", b"unpacked-uint-matrix-v2\n".to_vec()),
        ("storage_order", b"col\n".to_vec()),
        ("shape", u32s(&[rows, 1])),
        ("idxptr", [&b"UINT64v1"[..], &pointers].concat()),
        ("index", u32s(&[5, rows - 1])),
        ("val", u32s(&[3, 4])),
        ("col_names", b"cell\n".to_vec()),
    ] {
        fs::write(path.join(name), content).unwrap();
    }
    let file = File::create(path.join("row_names")).unwrap();
    let mut out = BufWriter::with_capacity(1 << 16, file);
    for row in 0..rows {
        writeln!(out, "row {row} {:=<90}", "").unwrap();
    }
    out.flush().unwrap();
}

#[test]
fn names_larger_than_memory() {
    let bench = Bench::new();
    // 200 MB of names.
    let rows = 2_000_000;
    named_store(&bench.path("m.bpcells"), rows);
    bench.convert(16, "convert", "m.bpcells", "same.bpcells", &[]);
    let names = |name: &str| fs::metadata(bench.path(name).join("row_names")).unwrap().len();
    assert_eq!(names("same.bpcells"), names("m.bpcells"));
    bench.same(16, "m.bpcells", "same.bpcells");
    bench.remove("same.bpcells");
    bench.convert(16, "convert", "m.bpcells", "m.mtx", &[]);
    bench.same(16, "m.bpcells", "m.mtx");
    bench.convert(16, "convert", "m.bpcells", "m.h5", &["--to=bpcells"]);
    bench.same(16, "m.bpcells", "m.h5");
    bench.remove("m.h5");
    bench.convert(16, "transpose", "m.bpcells", "turned.bpcells", &[]);
    bench.convert(16, "slice", "m.bpcells", "half.bpcells", &["--rows=1000000:2000000,0:1000000"]);
    let back = ["--to=bpcells", "--rows=1000000:2000000,0:1000000"];
    bench.convert(16, "slice", "half.bpcells", "m.h5", &back);
    bench.same(16, "m.bpcells", "m.h5");
    // R objects are read as a whole, but not written as a whole.
    for format in ["--to=bpcells", "--to=dgCMatrix"] {
        let (from, to) = (bench.path("m.bpcells"), bench.path("m.rds"));
        within(16, &["convert", text(&from), text(&to), "--no-sync", "--force", format]);
    }
}

/// Writes a store of a gigabyte by column, as plain numbers.
fn large_store(path: &Path) -> [u64; 2] {
    store_of(path, 100_000)
}

/// Writes a store with 10 KB per column.
fn store_of(path: &Path, cols: u32) -> [u64; 2] {
    let (rows, each) = (30_000_u32, 1_300_u32);
    fs::create_dir(path).unwrap();
    for (name, content) in [
        ("version", "unpacked-uint-matrix-v2\n"),
        ("storage_order", "col\n"),
        ("row_names", ""),
        ("col_names", ""),
    ] {
        fs::write(path.join(name), content).unwrap();
    }
    let array = |name: &str, magic: &[u8]| {
        let mut out = BufWriter::with_capacity(1 << 16, File::create(path.join(name)).unwrap());
        out.write_all(magic).unwrap();
        out
    };
    let mut shape = array("shape", b"UINT32v1");
    shape.write_all(&rows.to_le_bytes()).unwrap();
    shape.write_all(&cols.to_le_bytes()).unwrap();
    let mut pointers = array("idxptr", b"UINT64v1");
    let (mut index, mut val) = (array("index", b"UINT32v1"), array("val", b"UINT32v1"));
    let mut total = 0;
    for col in 0..cols {
        pointers.write_all(&u64::from(col * each).to_le_bytes()).unwrap();
        for entry in 0..each {
            // Ascending, with varying steps.
            let row = entry * 23 + (col * 37 + entry * 11) % 23;
            let value = (row ^ col) % 900 + 1;
            total += u64::from(value);
            index.write_all(&row.to_le_bytes()).unwrap();
            val.write_all(&value.to_le_bytes()).unwrap();
        }
    }
    let entries = u64::from(cols) * u64::from(each);
    pointers.write_all(&entries.to_le_bytes()).unwrap();
    [shape, pointers, index, val].iter_mut().for_each(|file| file.flush().unwrap());
    [entries, total]
}

/// Sorting all of them at once would take more than 80 MB.
#[test]
fn unsorted_fragments() {
    const COUNT: u64 = 4_000_000;
    let bench = Bench::new();
    let [text_of_all, store] = ["all.tsv", "all.fragments"].map(|name| bench.path(name));
    let mut out = BufWriter::with_capacity(1 << 16, File::create(&text_of_all).unwrap());
    for number in 0..COUNT {
        let start = number * 2_654_435_761 % 200_000_000;
        let (chromosome, cell) = (number % 5, number * 7919 % 5000);
        writeln!(out, "chr{chromosome}\t{start}\t{}\tC{cell}\t1", start + 150).unwrap();
    }
    out.into_inner().unwrap();
    let import = ["fragments", "import", text(&text_of_all), text(&store), "--sort", "--no-sync"];
    within_and(16, 30_000_000, &import);
    within_and(16, 30_000_000, &["validate", text(&store)]);
    let info = run(&["info", "--json", text(&store)]).good();
    let info: serde_json::Value = serde_json::from_str(&info).unwrap();
    assert_eq!(info["fragments"].as_u64(), Some(COUNT));
}

#[test]
fn whole_files_and_targets_of_other_programs() {
    let bench = Bench::new();
    // 26 million entries.
    store_of(&bench.path("m.bpcells"), 20_000);
    bench.convert(16, "convert", "m.bpcells", "m.h5ad", &[]);
    bench.convert(16, "convert", "m.bpcells", "m.npz", &[]);
    bench.remove("m.npz");
    bench.remove("m.bpcells");
    bench.convert(16, "convert", "m.h5ad", "m.h5", &["--to=10x"]);
    bench.remove("m.h5");
    bench.convert(16, "convert", "m.h5ad", "copy.h5ad", &[]);
    bench.same(16, "m.h5ad", "copy.h5ad");
    bench.remove("copy.h5ad");
    bench.convert(16, "convert", "m.h5ad", "copy.zarr", &["--compress=zstd:1"]);
    bench.remove("copy.zarr");
    bench.convert(16, "slice", "m.h5ad", "half.h5ad", &["--rows=10000:,5:9000", "--cols=9:,0"]);
    let [half, both] = ["half.h5ad", "both.h5ad"].map(|name| bench.path(name));
    let (half, both) = (text(&half), text(&both));
    within(16, &["concat", half, half, both, "--axis=rows", "--no-sync"]);
    within(16, &["validate", both]);
    // Sorted out of core.
    let col = bench.path("col.h5ad");
    let item = format!("{half}::X");
    within(16, &["convert", &item, text(&col), "--order=col", "--no-sync"]);
    within(16, &["concat", text(&col), half, both, "--axis=rows", "--no-sync", "--force"]);
}

/// The buffers of threads are part of the limit, so that fewer threads are used where it is small.
#[test]
fn sorting_on_any_number_of_threads() {
    let bench = Bench::new();
    // Ten million entries: 80 MB, and 30 MB packed.
    let [entries, total] = store_of(&bench.path("m.bpcells"), 8000);
    let source = bench.path("m.bpcells");
    for (target, flags) in [("t.bpcells", &[][..]), ("t.h5ad", &["--compress=gzip:1"])] {
        for threads in ["1", "2", "8", "32"] {
            for megabytes in [1, 64] {
                let to = bench.path(target);
                let mut arguments = vec!["transpose", text(&source), text(&to), "--no-sync"];
                arguments.extend(["--force", "--threads", threads]);
                arguments.extend(flags);
                within_and(megabytes, OF_SORTING, &arguments);
            }
        }
        bench.expect(target, entries, total);
    }
}

/// The same for operations that only read or write in order.
#[test]
fn reading_and_writing_on_any_number_of_threads() {
    let bench = Bench::new();
    store_of(&bench.path("m.bpcells"), 8000);
    let (source, to) = (bench.path("m.bpcells"), bench.path("t.h5ad"));
    let (source, to) = (text(&source), text(&to));
    for threads in ["1", "2", "8", "32"] {
        for megabytes in [1, 64] {
            for arguments in [
                &["convert", source, to, "--no-sync", "--force", "--compress=zstd:3"][..],
                &["stats", source],
                &["validate", to],
                &["diff", source, to],
                &["plot", source, "--json"],
            ] {
                let arguments = [arguments, &["--threads", threads]].concat();
                within_and(megabytes, OF_SORTING, &arguments);
            }
        }
    }
}

/// All elements at once would take 480 MB.
#[test]
fn files_with_all_elements_in_chunks_of_rows_and_columns() {
    let bench = Bench::new();
    let [entries, total] = store_of(&bench.path("m.bpcells"), 4000);
    for order in ["--order=col", "--order=row"] {
        bench.convert(16, "convert", "m.bpcells", "m.loom", &[order, "--force"]);
        bench.convert(16, "convert", "m.loom", "back.bpcells", &["--force"]);
        bench.expect("back.bpcells", entries, total);
        bench.same(16, "m.bpcells", "back.bpcells");
    }
}

#[test]
fn texts_and_variables() {
    let bench = Bench::new();
    // Five million entries.
    let [entries, total] = store_of(&bench.path("m.bpcells"), 4000);
    for (target, flags) in [
        ("m.svm", &["--order=row"][..]),
        ("m.wel", &[]),
        ("m.ncol.gz", &["--order=row"]),
        ("m.mat", &[]),
    ] {
        bench.convert(16, "convert", "m.bpcells", target, flags);
        bench.convert(16, "convert", target, "back.bpcells", &["--force", "--type=uint32"]);
        bench.expect("back.bpcells", entries, total);
        bench.remove(target);
    }
    // Twelve million elements.
    bench.convert(16, "slice", "m.bpcells", "m.tsv", &["--cols=0:400"]);
    bench.convert(16, "convert", "m.tsv", "back.bpcells", &["--force"]);
    within(
        16,
        &[
            "slice",
            text(&bench.path("m.bpcells")),
            text(&bench.path("part.bpcells")),
            "--cols=0:400",
        ],
    );
    bench.same(16, "part.bpcells", "back.bpcells");
    // Two million edges, listed from both ends.
    let nodes = 400_000_u64;
    let mut out = BufWriter::new(File::create(bench.path("m.el")).unwrap());
    for node in 0..nodes {
        for step in [1, 5, 77, 1001, 20_011] {
            writeln!(out, "{node} {}", (node + step) % nodes).unwrap();
        }
    }
    drop(out);
    bench.convert(16, "convert", "m.el", "m.graph", &["--undirected"]);
    bench.convert(16, "convert", "m.graph", "graph.bpcells", &[]);
    bench.expect("graph.bpcells", nodes * 10, nodes * 10);
}

#[test]
#[ignore = "takes minutes, and 5 GB of disk"]
fn stores_of_a_gigabyte() {
    let bench = Bench::new();
    let [entries, total] = large_store(&bench.path("m.bpcells"));
    assert!(bench.path("m.bpcells/index").metadata().unwrap().len() > 500_000_000);
    bench.expect("m.bpcells", entries, total);
    let convert = |to: &str, flags: &[&str]| {
        bench.convert(256, "convert", "m.bpcells", to, flags);
        bench.same(256, "m.bpcells", to);
    };
    convert("packed.bpcells", &[]);
    convert("m.mtx", &[]);
    bench.remove("m.mtx");
    convert("m.h5", &["--to=bpcells"]);
    bench.remove("m.h5");
    convert("m.mtx.gz", &[]);
    bench.remove("m.mtx.gz");
    // All entries are sorted.
    convert("row.bpcells", &["--order=row"]);
    bench.remove("row.bpcells");
    bench.convert(256, "transpose", "m.bpcells", "turned.bpcells", &[]);
    bench.expect("turned.bpcells", entries, total);
    bench.convert(256, "transpose", "turned.bpcells", "back.bpcells", &[]);
    bench.same(256, "packed.bpcells", "back.bpcells");
}

#[test]
#[ignore = "takes minutes, and 4 GB of disk"]
fn unsorted_texts_of_a_gigabyte() {
    let bench = Bench::new();
    let (shape, count) = ([1 << 15, 1 << 13], 68_000_000);
    let place = |entry: u64| {
        let element = scattered(entry, 1 << 28);
        [element & 0x7fff, element >> 15]
    };
    bench.text("m.mtx", shape, count, place);
    assert!(bench.path("m.mtx").metadata().unwrap().len() > 950_000_000);
    let total = sum(count, place);
    bench.convert(256, "convert", "m.mtx", "col.bpcells", &[]);
    bench.expect("col.bpcells", count, total);
    bench.convert(256, "convert", "m.mtx", "row.bpcells", &["--order=row", "--unpacked"]);
    bench.same(256, "row.bpcells", "col.bpcells");
    bench.convert(256, "transpose", "m.mtx", "turned.mtx", &[]);
    within(256, &["cat", text(&bench.path("m.mtx"))]);
    bench.same(256, "m.mtx", "col.bpcells");
}

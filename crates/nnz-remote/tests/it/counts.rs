//! How many requests, and how many bytes, reading takes at 10 ms a request.

use std::time::Duration;

use nnz::{Context, ConvertOptions, CsMatrix, Location, Order, Selection, Shape};
use nnz_testing::server::{Behavior, LoggedRequest, Server};

const COLS: u32 = 20_000;
const MANY_COLS: u32 = 60_000;
const ROWS: u32 = 3000;

/// A matrix with a hundred entries in each column.
fn matrix(cols: u32) -> CsMatrix {
    let pointers: Vec<u64> = (0..=u64::from(cols)).map(|col| col * 100).collect();
    let index = |col: u32, n: u32| n * 30 + (col.wrapping_mul(2_654_435_761) >> 8) % 30;
    let indices: Vec<u32> =
        (0..cols).flat_map(|col| (0..100).map(move |n| index(col, n))).collect();
    let values: Vec<u32> = (0..cols * 100).map(|n| 1 + n % 7).collect();
    let shape = Shape { rows: u64::from(ROWS), cols: u64::from(cols) };
    CsMatrix::from_parts(shape, Order::Col, pointers, indices, values).unwrap()
}

/// Writes the matrix to a place, and serves it.
pub(crate) fn served(name: &str) -> (tempfile::TempDir, Server) {
    served_as(name, "bpcells", COLS)
}

/// Writes the matrix to a place in a format, and serves it.
fn served_as(name: &str, format: &'static str, cols: u32) -> (tempfile::TempDir, Server) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("bucket")).unwrap();
    let at = Location::parse(folder.path().join("bucket").join(name));
    let options = ConvertOptions::default().format(format);
    nnz::convert_source(&*matrix(cols).into_source().unwrap(), at, &options, &Context::default())
        .unwrap();
    let behavior = Behavior { delay: Duration::from_millis(10), ..Behavior::default() };
    let server = Server::with(folder.path(), behavior);
    (folder, server)
}

/// Returns a context for S3 on a server.
fn s3(server: &Server) -> Context {
    let options = [("endpoint", server.endpoint()), ("anon", "1".into()), ("region", "x".into())];
    let options = options.map(|(name, value)| (name.to_owned(), value)).to_vec();
    Context::default().with_storage_options(options).unwrap()
}

/// Reads columns, and compares them with the columns of the matrix.
fn read(location: &str, context: &Context, cols: &[u64]) {
    let source = context.open(location).unwrap().into_matrix().unwrap();
    let selection = Selection::ranges(cols.iter().map(|col| *col..col + 1));
    let slice = nnz::engine::Slice::new(source, &Selection::all(), &selection).unwrap();
    let options = nnz::ReadOptions::default().names(false);
    let found = nnz::engine::read(&slice, &options, context).unwrap();
    // The first columns of a matrix do not depend on how many there are.
    let last = u32::try_from(cols.iter().copied().max().unwrap()).unwrap();
    let same = Selection::ranges(cols.iter().map(|col| *col..col + 1));
    let expected =
        nnz::engine::Slice::new(matrix(last + 1).into_source().unwrap(), &Selection::all(), &same);
    let expected = nnz::engine::read(&expected.unwrap(), &options, context).unwrap();
    assert!(found.indptr() == expected.indptr() && found.values() == expected.values());
    assert!(found.indices() == expected.indices());
}

/// Checks how many requests and bytes there were since the last time.
#[track_caller]
fn check(server: &Server, what: &str, requests: usize, bytes: u64) {
    let log: Vec<LoggedRequest> = server.take_log();
    let (found, sum) = (log.len(), log.iter().map(|one| one.bytes).sum::<u64>());
    let lines: Vec<_> = log
        .iter()
        .map(|one| format!("{}?{} {:?} {}", one.path, one.query, one.range, one.bytes))
        .collect();
    assert!(
        found <= requests && sum <= bytes,
        "{what}: {found} requests of {requests}, {sum} bytes of {bytes}\n{}",
        lines.join("\n")
    );
}

/// A thousand columns, spread out.
fn spread() -> Vec<u64> {
    let mut cols: Vec<u64> = (0..1000).map(|n| n * 7919 % u64::from(COLS)).collect();
    cols.sort_unstable();
    cols.dedup();
    cols
}

#[test]
fn a_directory_of_bpcells_takes_few_requests() {
    let (_folder, server) = served("m.bpcells");
    let web = Context::default();
    let url = server.url("bucket/m.bpcells");
    for (name, at, context) in [("s3", "s3://bucket/m.bpcells", s3(&server)), ("https", &url, web)]
    {
        context.open(at).unwrap();
        check(&server, &format!("{name}: open"), 16, 150_000);
        read(at, &context, &[12_345]);
        check(&server, &format!("{name}: one column"), 24, 1 << 20);
        read(at, &context, &(5000..6000).collect::<Vec<_>>());
        check(&server, &format!("{name}: neighbours"), 24, 4_500_000);
        read(at, &context, &spread());
        check(&server, &format!("{name}: spread columns"), 60, 16 << 20);
        read(at, &context, &(0..u64::from(COLS)).collect::<Vec<_>>());
        check(&server, &format!("{name}: everything"), 60, 16 << 20);
    }
}

#[test]
fn a_column_of_a_large_file_of_hdf5_takes_little_of_it() {
    let (_folder, server) = served_as("m.h5", "binsparse", MANY_COLS);
    let context = s3(&server);
    read("s3://bucket/m.h5", &context, &[31_234]);
    check(&server, "one column of a large file of HDF5", 12, 5 << 20);
}

#[test]
fn files_and_stores_take_few_requests() {
    let cases = [
        ("m.h5", "binsparse", 12, 17 << 20),
        ("m.bsp.npz", "binsparse", 16, 17 << 20),
        ("m.zarr", "binsparse", 14, 200_000),
    ];
    for (name, format, requests, bytes) in cases {
        let folder = served_as(name, format, COLS);
        let context = s3(&folder.1);
        read(&format!("s3://bucket/{name}"), &context, &[12_345]);
        check(&folder.1, &format!("one column of {name}"), requests, bytes);
    }
}

#[test]
fn columns_of_annotated_files_take_few_requests() {
    let (folder, server) = served_as("m.h5ad", "anndata", MANY_COLS);
    let bucket = folder.path().join("bucket");
    let [file, store] = ["m.h5ad", "m.zarr"].map(|name| Location::parse(bucket.join(name)));
    nnz::convert(file, store, &ConvertOptions::default(), &Context::default()).unwrap();
    let file_len = bucket.join("m.h5ad").metadata().unwrap().len();
    let context = s3(&server);
    // Of a file, both ends are fetched; consolidated metadata say all about a store.
    for (name, one, many) in [("m.h5ad", (12, 5 << 20), 100), ("m.zarr", (14, 2 << 20), 250)] {
        let at = format!("s3://bucket/{name}");
        read(&at, &context, &[31_234]);
        check(&server, &format!("one column of {name}"), one.0, one.1);
        read(&at, &context, &(5000..6000).collect::<Vec<_>>());
        check(&server, &format!("neighbours of {name}"), 24, 8 << 20);
        read(&at, &context, &spread());
        check(&server, &format!("spread columns of {name}"), many, file_len * 3 / 2);
    }
}

#[test]
fn the_extension_of_a_store_says_which_files_to_request_first() {
    for (name, format, group, requests) in
        [("m.zarr", "anndata", "::X", 10), ("m.bpcells", "bpcells", "", 21)]
    {
        let (folder, server) = served_as(name, format, COLS);
        let url = server.url(&format!("bucket/{name}")) + group;
        read(&url, &Context::default(), &[12_345]);
        let other_marks = ["matrix.mtx", "binsparse.json", ".zarray"];
        let log = server.take_log();
        let paths: Vec<_> = log.iter().map(|one| &one.path).collect();
        assert!(log.len() <= requests, "{name}: {} requests: {paths:?}", log.len());
        assert!(!paths.iter().any(|path| other_marks.iter().any(|mark| path.ends_with(mark))));
        // A directory without the expected file is still found by the others.
        let renamed = name.replace('.', "-other.").replace("bpcells", "zarr");
        let bucket = folder.path().join("bucket");
        std::fs::rename(bucket.join(name), bucket.join(&renamed)).unwrap();
        read(&(server.url(&format!("bucket/{renamed}")) + group), &Context::default(), &[1]);
    }
}

#[test]
fn a_function_does_not_use_what_earlier_ones_learned_about_files() {
    let (folder, server) = served_as("m.bpcells", "bpcells", 50);
    let context = s3(&server);
    let write = |cols: u32| {
        let to = Location::parse(folder.path().join("bucket/n.bpcells"));
        let options = ConvertOptions::default().overwrite(true);
        let source = matrix(cols).into_source().unwrap();
        nnz::convert_source(&*source, to, &options, &Context::default()).unwrap();
    };
    let at = "s3://bucket/n.bpcells";
    assert!(context.open(at).is_err());
    for cols in [40, 30] {
        write(cols);
        let opened = context.open(at).unwrap().into_matrix().unwrap();
        assert_eq!(opened.header().shape.cols, u64::from(cols));
        let stats = nnz::stats(at, &nnz::StatsOptions::default(), &context).unwrap();
        assert_eq!(stats.whole.nnz, u64::from(cols) * 100);
        let mut found = Vec::new();
        let checked = nnz::validate(at, &nnz::ValidateOptions::default(), &context, &mut |one| {
            found.push(one)
        });
        checked.unwrap();
        assert!(found.is_empty(), "{found:?}");
    }
}

#[test]
fn a_text_table_that_has_changed_is_read_again() {
    let (folder, server) = served_as("m.bpcells", "bpcells", 10);
    let context = s3(&server);
    let (from, to) = (Location::parse("s3://bucket/t.csv"), folder.path().join("t.dbdf"));
    let options = nnz::frames::FrameOptions::default().overwrite(true);
    for rows in [2, 3] {
        let table = format!("a,b\n{}", "1,2\n".repeat(rows));
        std::fs::write(folder.path().join("bucket/t.csv"), table).unwrap();
        let done = nnz::frames::convert(&from, &Location::parse(&to), &options, &context).unwrap();
        assert_eq!(done.rows, rows as u64);
    }
}

/// Returns the number of files in a directory.
fn files(path: &std::path::Path) -> usize {
    let entries = std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path());
    entries.map(|at| if at.is_dir() { files(&at) } else { 1 }).sum()
}

#[test]
fn scans_take_a_request_a_chunk_and_a_few_more() {
    for (name, format) in [("m.bpcells", "bpcells"), ("m.zarr", "binsparse"), ("n.zarr", "anndata")]
    {
        let (folder, server) = served_as(name, format, MANY_COLS);
        let local = folder.path().join("bucket").join(name);
        let url = server.url(&format!("bucket/{name}"));
        let context = Context::default();
        let most = files(&local) + 10;
        nnz::stats(url.as_str(), &nnz::StatsOptions::default(), &context).unwrap();
        check(&server, &format!("{name}: statistics"), most, 64 << 20);
        let to = Location::parse(folder.path().join("copy.bpcells"));
        let from = Location::parse(url.as_str());
        nnz::convert(from, to, &ConvertOptions::default().overwrite(true), &context).unwrap();
        check(&server, &format!("{name}: conversion"), most, 64 << 20);
        let options = nnz::DiffOptions::default();
        nnz::diff(url.as_str(), local, &options, &context, &mut |one| panic!("{one:?}")).unwrap();
        check(&server, &format!("{name}: comparison"), most, 64 << 20);
    }
}

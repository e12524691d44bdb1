//! Round trips: matrices of every type and order, names, and columns of every type.

use nnz_container::Compression;
use nnz_container::hdf5::{Hdf5Options, Hdf5Writer};
use nnz_container::tree::TreeWriter;
use nnz_container::zarr::{ZarrOptions, ZarrVersion, ZarrWriter};
use nnz_core::{
    Axis, Batch, MatrixSink as _, MatrixSource as _, Order, Projection, Storage, Values,
};
use nnz_singlecell::anndata::{Item, MatrixSink, MatrixSource};
use nnz_storage::staging::WriteOptions;

use crate::anndata::common::{Golden, entries, open};

/// Creates a tree in a file or store.
fn tree(path: &std::path::Path) -> Box<dyn TreeWriter> {
    let write = WriteOptions::default().sync(false);
    let name = path.to_str().unwrap();
    if name.ends_with(".h5ad") {
        return Box::new(Hdf5Writer::create(path, "", write, Hdf5Options::default()).unwrap());
    }
    let version = if name.ends_with("v2.zarr") { ZarrVersion::V2 } else { ZarrVersion::V3 };
    let options = ZarrOptions { version, ..ZarrOptions::default() };
    Box::new(ZarrWriter::create(path, "", write, options).unwrap())
}

/// Writes a matrix with its names and tables.
fn write(source: &MatrixSource, path: &std::path::Path, compression: Compression) {
    let header = source.header();
    let names = [Axis::Rows, Axis::Cols].map(|axis| source.read_names(axis).unwrap());
    let tables = [Axis::Rows, Axis::Cols].map(|axis| source.annotations(axis).unwrap());
    let tables = tables.each_ref().map(|table| table.as_deref());
    let tree = tree(path);
    let sink = MatrixSink::create(tree, (header, false), names, tables, compression).unwrap();
    let mut sink = Box::new(sink);
    let majors = header.shape.major(header.order);
    let mut reader = source.batches(0..majors, Projection::ALL).unwrap();
    let mut batch = Batch::new(header.order, Values::new(header.value_type));
    while reader.next_batch(&mut batch).unwrap() {
        sink.write(&batch).unwrap();
    }
    sink.finish().unwrap();
}

#[test]
fn every_sparse_matrix_round_trips_with_its_tables() {
    let golden = Golden::new();
    let directory = tempfile::tempdir().unwrap();
    let mut seen = 0;
    for file in golden.valid() {
        let id = file["id"].as_str().unwrap();
        if id.contains("blosc2") {
            continue;
        }
        let opened = open(&golden.path(file)).unwrap();
        for (number, item) in opened.items().unwrap().iter().enumerate() {
            let source = opened.matrix(item).unwrap();
            if source.header().storage == Storage::Dense
                || !matches!(item, Item::X | Item::Layer(_))
            {
                continue;
            }
            let name = format!("{id}::{item}");
            let ending = ["h5ad", "v2.zarr", "h5ad", "v3.zarr"][seen / 2 % 4];
            let path = directory.path().join(format!("{}-{number}.{ending}", id.replace('/', "-")));
            let compression = [Compression::None, Compression::Gzip(4)][seen % 2];
            write(&source, &path, compression);
            let copy = open(&path).unwrap();
            let back = copy.matrix(&Item::X).unwrap();
            let (before, after) = (source.header(), back.header());
            assert_eq!((before.shape, before.order), (after.shape, after.order), "{name}");
            assert_eq!((before.value_type, before.nnz), (after.value_type, after.nnz), "{name}");
            let bits = |source: &MatrixSource| -> Vec<_> {
                let all = entries(source).unwrap();
                all.into_iter().map(|(row, col, value)| (row, col, format!("{value:?}"))).collect()
            };
            assert_eq!(bits(&source), bits(&back), "{name}");
            for axis in [Axis::Rows, Axis::Cols] {
                assert_eq!(source.names(axis).unwrap(), back.names(axis).unwrap(), "{name}");
                let tables = [&source, &back].map(|of| of.annotations(axis).unwrap().unwrap());
                let [a, b] = tables.each_ref().map(|table| table.columns());
                assert_eq!(a.len(), b.len(), "{name}");
                for number in 0..a.len() {
                    let [a, b] = tables.each_ref().map(|table| {
                        let column = table.read_column(number, 1 << 20).unwrap();
                        let text = |row| {
                            let mut out = Vec::new();
                            column.write_text(row, &mut out);
                            out
                        };
                        (0..column.len()).map(text).collect::<Vec<_>>()
                    });
                    assert_eq!(a, b, "{name}");
                }
            }
            copy.validate_tables(1 << 20, &mut |finding| {
                assert!(finding.severity == nnz_core::Severity::Note, "{name}: {finding}");
            })
            .unwrap();
            seen += 1;
        }
    }
    assert!(seen > 180, "{seen}");
}

#[test]
fn majors_without_a_batch_have_no_entries() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("gaps.h5ad");
    let header = nnz_core::Header::new(
        nnz_core::Shape { rows: 100_000, cols: 5 },
        Order::Row,
        nnz_core::ValueType::F32,
    )
    .sorted_indices(true);
    let (names, tables) = ([None, None], [None, None]);
    let sink = MatrixSink::create(tree(&path), (&header, false), names, tables, Compression::None);
    let mut sink = Box::new(sink.unwrap());
    // The second batch continues with the row with which the first ends.
    for (majors, offsets, minors) in [
        (vec![7, 90_000], vec![0, 2, 3], vec![0, 4, 1]),
        (vec![90_000, 99_998], vec![0, 1, 2], vec![2, 3]),
    ] {
        let count = minors.len();
        sink.write(&Batch {
            order: Order::Row,
            majors: nnz_core::Majors::Listed(majors),
            offsets,
            minors: nnz_core::Minors::U32(minors),
            values: Values::F32(vec![1.5; count]),
        })
        .unwrap();
    }
    sink.finish().unwrap();
    let back = open(&path).unwrap().matrix(&Item::X).unwrap();
    let places: Vec<_> = entries(&back).unwrap().iter().map(|(row, col, _)| (*row, *col)).collect();
    assert_eq!(places, [(7, 0), (7, 4), (90_000, 1), (90_000, 2), (99_998, 3)]);
    let names = back.names(Axis::Cols).unwrap().unwrap();
    assert!(names.iter().eq(["0", "1", "2", "3", "4"].map(str::as_bytes)));
}

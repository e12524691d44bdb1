//! Many short ranges of major vectors are read as they are one by one.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use nnz_bpcells::{FormatVersion, MatrixSink, MatrixSource, Packing, SinkOptions};
use nnz_container::memory::Memory;
use nnz_container::{NamedArrays, NamedArraysWriter};
use nnz_core::{
    Batch, ErrorKind, Header, Majors, MatrixSink as _, MatrixSource as _, Minors, Order,
    Projection, Shape, ValueType, Values,
};
use nnz_storage::staging::WriteOptions;
use nnz_testing::random::Random;

use crate::access::{Counting, Reads};
use crate::common;

pub const ROWS: u32 = 5000;

/// Writes columns with these numbers of entries.
pub fn write(
    into: NamedArraysWriter,
    lengths: &[usize],
    value_type: ValueType,
    options: SinkOptions,
) {
    let offsets: Vec<usize> = std::iter::once(0)
        .chain(lengths.iter().scan(0, |sum, len| {
            *sum += len;
            Some(*sum)
        }))
        .collect();
    let entries = offsets[lengths.len()] as u32;
    let header = Header::new(
        Shape { rows: ROWS.into(), cols: lengths.len() as u64 },
        Order::Col,
        value_type,
    )
    .nnz(u64::from(entries));
    let values = (0..entries).map(|entry| entry.wrapping_mul(0x9e37_79b9) >> (entry % 32));
    let mut sink = MatrixSink::create(into, &header, [None, None], options).unwrap();
    sink.write(&Batch {
        order: Order::Col,
        majors: Majors::Consecutive(0),
        offsets,
        minors: Minors::U32((0..entries).map(|entry| entry.wrapping_mul(7919) % ROWS).collect()),
        values: match value_type {
            ValueType::U32 => Values::U32(values.collect()),
            _ => Values::F32(values.map(|value| value as f32).collect()),
        },
    })
    .unwrap();
    Box::new(sink).finish().unwrap();
}

pub fn empty(source: &MatrixSource) -> Batch {
    Batch::new(Order::Col, Values::new(source.header().value_type))
}

/// Row, column and bytes of the value of each entry of a batch, as far as it has them.
pub fn list(batch: &Batch, fields: Projection, into: &mut Vec<(u64, u64, Vec<u8>)>) {
    let size = batch.values.value_type().size();
    for run in 0..batch.runs() {
        for entry in batch.run(run) {
            let minor = if fields.minors { batch.minor(run, entry) } else { 0 };
            let value =
                if fields.values { &batch.values.bytes()[entry * size..][..size] } else { &[] };
            into.push((minor, batch.majors.get(run), value.to_vec()));
        }
    }
}

pub fn one_by_one(
    source: &MatrixSource,
    ranges: &[Range<u64>],
    fields: Projection,
) -> Vec<(u64, u64, Vec<u8>)> {
    let (mut batch, mut all) = (empty(source), Vec::new());
    for range in ranges {
        let mut reader = source.batches(range.clone(), fields).unwrap();
        while reader.next_batch(&mut batch).unwrap() {
            list(&batch, fields, &mut all);
        }
    }
    all
}

fn together(
    source: &MatrixSource,
    ranges: &[Range<u64>],
    fields: Projection,
    batch: &mut Batch,
) -> Vec<(u64, u64, Vec<u8>)> {
    let before = |major| source.stored_before(major).unwrap().unwrap();
    let most = ranges.iter().map(|range| before(range.end) - before(range.start)).sum();
    source.scattered(ranges, most, fields).unwrap().decode(batch).unwrap();
    assert_eq!(batch.entries() as u64, most);
    let len = batch.entries();
    assert!(!fields.values || batch.values.len() == Some(len));
    assert!(!fields.minors || matches!(&batch.minors, Minors::U32(list) if list.len() == len));
    let mut all = Vec::new();
    list(batch, fields, &mut all);
    all
}

#[test]
fn any_ranges_are_read_as_one_by_one() {
    let mut random = Random::new(3);
    for packing in [Packing::Packed, Packing::Unpacked] {
        for (value_type, distant) in
            [(ValueType::U32, false), (ValueType::U32, true), (ValueType::F32, false)]
        {
            let options = SinkOptions { packing, format_version: FormatVersion::V2 };
            let lengths: Vec<usize> = (0..600)
                .map(|_| [0, 1, 5, 128, random.below(30), random.below(900)][random.below(6)])
                .collect();
            let memory = Memory::new();
            write(memory.writer(), &lengths, value_type, options);
            let container = Counting(memory, Reads::default(), distant);
            let source = MatrixSource::open(nnz_container::NamedArrays::new(container)).unwrap();
            let mut batch = empty(&source);
            for round in 0..200 {
                let mut ranges: Vec<Range<u64>> = (0..random.below(40))
                    .map(|_| {
                        let start = random.below(600);
                        start as u64..(start + random.below(4)).min(600) as u64
                    })
                    .collect();
                if round % 4 > 0 {
                    ranges.sort_by_key(|range| range.start);
                }
                let fields =
                    [Projection::ALL, Projection::ALL, Projection::MINORS, Projection::VALUES]
                        [random.below(4)];
                let expected = one_by_one(&source, &ranges, fields);
                assert_eq!(together(&source, &ranges, fields, &mut batch), expected, "{ranges:?}");
            }
        }
    }
}

#[test]
fn near_ranges_are_read_together_unless_reads_are_announced() {
    // A chunk has 12.8 columns, so every 40th column is in a chunk about three further on. Of each range of chunks,
    // one step more is read.
    let lengths = vec![10; 100_000];
    for (step, distant, expected) in
        [(2, false, 80), (2, true, 80), (40, false, 77), (40, true, 50)]
    {
        let (memory, reads) = (Memory::new(), Reads::default());
        write(memory.writer(), &lengths, ValueType::U32, SinkOptions::default());
        let container = Counting(memory, Arc::clone(&reads), distant);
        let source = MatrixSource::open(nnz_container::NamedArrays::new(container)).unwrap();
        let ranges: Vec<_> = (0..1000).step_by(step).map(|col| col..col + 1).collect();
        reads.lock().unwrap().clear();
        let found = together(&source, &ranges, Projection::ALL, &mut empty(&source));
        assert_eq!(found.len(), ranges.len() * 10);
        let steps = reads.lock().unwrap()["index_idx"] / 4;
        assert_eq!(steps, expected, "every {step}, {distant}");
    }
}

/// Overwrites elements of a member.
fn damage(store: &Path, member: &str, element: usize, with: u32) {
    let path = store.join(member);
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[8 + element * 4..][..4].copy_from_slice(&with.to_le_bytes());
    std::fs::write(path, bytes).unwrap();
}

#[test]
fn only_damage_of_the_ranges_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    let options = WriteOptions::default().overwrite(true).sync(false);
    let writer =
        nnz_container::directory::DirectoryWriter::create(&store, options, nnz_bpcells::MEMBERS);
    write(
        NamedArraysWriter::new(writer.unwrap()),
        &[128; 10],
        ValueType::U32,
        SinkOptions::default(),
    );
    let ranges = [1..2, 4..5, 9..10];
    let expected = one_by_one(&common::open(&store).unwrap(), &ranges, Projection::ALL);

    damage(&store, "val_idx", 3, u32::MAX);
    damage(&store, "index_idx", 7, 1);
    let source = common::open(&store).unwrap();
    let mut batch = empty(&source);
    assert_eq!(together(&source, &ranges, Projection::ALL, &mut batch), expected);

    damage(&store, "index_idx", 5, u32::MAX);
    let source = common::open(&store).unwrap();
    let unit = source.scattered(&ranges, 1000, Projection::ALL).unwrap();
    let error = unit.decode(&mut batch).unwrap_err().to_string();
    let single = source.batches(4..5, Projection::ALL).unwrap().next_batch(&mut batch).unwrap_err();
    assert_eq!(error, single.to_string());
    let unit = source.scattered(&[1..2, 9..10], 1000, Projection::ALL).unwrap();
    unit.decode(&mut batch).unwrap();
}

#[test]
fn an_index_past_the_end_is_an_error_with_its_position() {
    let options = SinkOptions { packing: Packing::Unpacked, ..SinkOptions::default() };
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    let created = nnz_container::directory::DirectoryWriter::create(
        &store,
        WriteOptions::default().overwrite(true).sync(false),
        nnz_bpcells::MEMBERS,
    );
    write(NamedArraysWriter::new(created.unwrap()), &[100; 10], ValueType::U32, options);
    damage(&store, "index", 742, ROWS);
    let source = common::open(&store).unwrap();
    let mut batch = empty(&source);
    let decode = |ranges: &[Range<u64>], batch: &mut Batch| {
        source.scattered(ranges, 1000, Projection::ALL).unwrap().decode(batch)
    };
    decode(&[8..9, 0..7], &mut batch).unwrap();
    let error = decode(&[8..9, 0..1, 6..8], &mut batch).unwrap_err().to_string();
    assert!(error.contains("index, element 742") && error.contains("the index 5000"), "{error}");
}

#[test]
fn more_entries_than_before_are_an_error() {
    let memory = Memory::new();
    write(memory.writer(), &[10; 9], ValueType::U32, SinkOptions::default());
    let container: NamedArrays = NamedArrays::new(memory);
    let source = MatrixSource::open(container).unwrap();
    let ranges = [0..1, 5..7];
    let mut batch = empty(&source);
    source.scattered(&ranges, 30, Projection::ALL).unwrap().decode(&mut batch).unwrap();
    let unit = source.scattered(&ranges, 29, Projection::ALL).unwrap();
    let error = unit.decode(&mut batch).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Changed), "{error}");
    assert!(source.scattered(&[0..1, 5..10], 1000, Projection::ALL).is_none());
}

//! Entries with few minor indices are read as they are picked from all.

use std::ops::Range;

use nnz_bpcells::{FormatVersion, MatrixSource, Packing, SinkOptions};
use nnz_container::NamedArraysWriter;
use nnz_container::directory::DirectoryWriter;
use nnz_container::memory::Memory;
use nnz_core::{
    BatchReader as _, MatrixSource as _, Projection, Result, SequentialReader, ValueType,
};
use nnz_storage::staging::WriteOptions;
use nnz_testing::random::Random;

use crate::common;
use crate::scattered::{ROWS, empty, list, one_by_one, write};

/// Row, column and bytes of the value.
type Element = (u64, u64, Vec<u8>);

/// Reads entries of columns in ranges of rows. `None` if the source reads all entries.
fn within(
    source: &MatrixSource,
    cols: Range<u64>,
    rows: &[Range<u64>],
    fields: Projection,
) -> Result<Option<Vec<Element>>> {
    let Some(units) = source.units_within(cols, rows, fields)? else { return Ok(None) };
    let (mut reader, mut batch, mut all) = (SequentialReader(units), empty(source), Vec::new());
    while reader.next_batch(&mut batch)? {
        batch.check_positions(source.header().shape, fields)?;
        list(&batch, fields, &mut all);
    }
    Ok(Some(all))
}

#[test]
fn few_rows_are_picked() {
    let mut random = Random::new(8);
    let lengths: Vec<usize> = (0..900)
        .map(|_| [0, 1, 128, random.below(30), random.below(900)][random.below(5)])
        .collect();
    let memory = Memory::new();
    write(memory.writer(), &lengths, ValueType::U32, SinkOptions::default());
    let source = MatrixSource::open(nnz_container::NamedArrays::new(memory)).unwrap();
    let mut picked = 0;
    for _ in 0..100 {
        let start = random.below(500);
        let cols = start as u64..(start + random.below(400)) as u64;
        let step = 20 + random.below(3000);
        let rows: Vec<_> = (0..u64::from(ROWS)).step_by(step).map(|row| row..row + 1).collect();
        for fields in [Projection::ALL, Projection::MINORS] {
            let all = one_by_one(&source, std::slice::from_ref(&cols), fields);
            let wanted = |row: &u64| row.is_multiple_of(step as u64);
            let expected: Vec<_> = all.iter().filter(|(row, ..)| wanted(row)).cloned().collect();
            if let Some(found) = within(&source, cols.clone(), &rows, fields).unwrap() {
                assert_eq!(found, expected, "every {step} of {cols:?}");
                picked += 1;
            } else {
                assert!(all.len() < ROWS as usize);
            }
        }
    }
    assert!(picked > 100);
    let all = 0..lengths.len() as u64;
    assert_eq!(within(&source, all.clone(), &[], Projection::ALL).unwrap(), Some(Vec::new()));
    assert!(within(&source, 0..901, &[0..1, 2..3], Projection::ALL).is_err());
    let every = 0..u64::from(ROWS);
    assert_eq!(within(&source, all, &[every], Projection::ALL).unwrap(), None);
}

#[test]
fn other_arrays_are_read_as_a_whole() {
    for (packing, value_type) in
        [(Packing::Unpacked, ValueType::U32), (Packing::Packed, ValueType::F32)]
    {
        let options = SinkOptions { packing, format_version: FormatVersion::V2 };
        let memory = Memory::new();
        write(memory.writer(), &[2000; 9], value_type, options);
        let source = MatrixSource::open(nnz_container::NamedArrays::new(memory)).unwrap();
        assert_eq!(within(&source, 0..9, &[0..1, 2..3], Projection::ALL).unwrap(), None);
    }
}

#[test]
fn damage_is_an_error() {
    let mut random = Random::new(2);
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    let mut reported = 0;
    for round in 0..300 {
        let options = WriteOptions::default().overwrite(true).sync(false);
        let writer = DirectoryWriter::create(&store, options, nnz_bpcells::MEMBERS).unwrap();
        let writer = NamedArraysWriter::new(writer);
        write(writer, &[700; 10], ValueType::U32, SinkOptions::default());
        let members = ["index_data", "index_idx", "index_starts", "val_data", "val_idx", "idxptr"];
        let path = store.join(members[round % members.len()]);
        let mut bytes = std::fs::read(&path).unwrap();
        let at = 8 + random.below(bytes.len() - 8);
        bytes[at] ^= 1 << random.below(8);
        std::fs::write(&path, bytes).unwrap();
        let Ok(source) = common::open(&store) else { continue };
        let rows = [7..8, 99..120];
        let found = within(&source, 0..10, &rows, Projection::ALL);
        let all = common::all_entries(&source);
        // Pointers decide whether all entries are read, which finds their damage.
        match (found, all) {
            (Ok(None), _) | (Ok(_), Ok(_)) => {}
            (Err(found), Err(all)) => {
                assert_eq!(found.to_string(), all.to_string(), "{path:?}, byte {at}");
                reported += 1;
            }
            (found, all) => panic!("{path:?}, byte {at}: {found:?}, but {all:?}"),
        }
    }
    assert!(reported > 50, "{reported}");
}

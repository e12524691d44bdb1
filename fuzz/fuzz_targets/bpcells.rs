//! BPCells matrices of arbitrary members: valid ones can be read, whole, in parts and in units; and
//! those that can be read round-trip in all versions.
#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use nnz::{
    Axis, Batch, MatrixSource as _, Projection, Result, Values, error::Severity,
    matrix::MatrixSink as _,
};
use nnz_bpcells::{FormatVersion, MEMBERS, MatrixSink, MatrixSource, Packing, SinkOptions};
use nnz_container::NamedArrays;
use nnz_container::memory::Memory;
use nnz_fuzz::entries::{self, Entry};
use nnz_fuzz::members;
use nnz_fuzz::read::{agree, backwards, in_order};
use nnz_fuzz::store::fill;

fuzz_target!(|input: &[u8]| -> Corpus {
    let members = members::cut(input);
    if members.is_empty() {
        return Corpus::Reject;
    }
    let store = fill(&members, MEMBERS);
    let valid = validate(&store).is_empty();
    let source = match MatrixSource::open(store.arrays()) {
        Ok(source) => source,
        Err(error) => {
            assert!(!valid, "{error}");
            return Corpus::Keep;
        }
    };
    let read = in_order(&source);
    agree(&read, &backwards(&source));
    source.about().unwrap();
    let names = [Axis::Rows, Axis::Cols].map(|axis| source.names(axis));
    if valid {
        names.iter().for_each(|names| assert!(names.is_ok(), "{names:?}"));
        assert!(read.is_ok(), "{read:?}");
    }
    if let Ok(entries) = &read {
        let parts = in_parts(&source, entries);
        assert!(parts.is_ok() || !valid, "{parts:?}");
        let [Ok(rows), Ok(cols)] = names else { return Corpus::Keep };
        for packing in [Packing::Packed, Packing::Unpacked] {
            for format_version in [FormatVersion::V1, FormatVersion::V2] {
                let options = SinkOptions { packing, format_version };
                again(&source, [rows.as_ref(), cols.as_ref()], options, entries);
            }
        }
    }
    Corpus::Keep
});

/// Returns the faults of a store.
fn validate(store: &Memory) -> Vec<String> {
    let mut faults = Vec::new();
    let open = || -> Result<NamedArrays> { Ok(store.arrays()) };
    nnz_bpcells::validate(&open, &mut |finding| {
        if finding.severity == Severity::Fault {
            faults.push(finding.to_string());
        }
    })
    .unwrap();
    faults
}

/// Any range of majors has the same entries as the whole, for any projection.
fn in_parts(source: &MatrixSource, all: &[Entry]) -> Result<()> {
    let header = source.header();
    let majors = header.shape.major(header.order);
    for (start, end) in [(0, majors / 2), (majors / 2, majors), (majors / 3, majors - majors / 3)] {
        let [first, last] = [start, end].map(|major| source.stored_before(major));
        let (first, last) = (first?.unwrap() as usize, last?.unwrap() as usize);
        for fields in [Projection::ALL, Projection::MINORS, Projection::VALUES] {
            let mut batch = Batch::new(header.order, Values::new(header.value_type));
            let mut reader = source.batches(start..end, fields)?;
            let mut found = Vec::new();
            let mut count = 0;
            while reader.next_batch(&mut batch)? {
                count += batch.entries();
                if fields == Projection::ALL {
                    entries::append(&batch, &mut found);
                }
            }
            assert_eq!(count, last - first);
            if fields == Projection::ALL {
                assert_eq!(found, all[first..last]);
            }
        }
    }
    Ok(())
}

/// Writes a matrix, and reads it back.
fn again(
    source: &MatrixSource,
    names: [Option<&nnz::matrix::StringList>; 2],
    options: SinkOptions,
    expected: &[Entry],
) {
    let header = source.header();
    let memory = Memory::new();
    let names = names.map(|names| names.map(nnz::matrix::StringList::reader));
    let mut sink = MatrixSink::create(memory.writer(), header, names, options).unwrap();
    let mut batch = Batch::new(header.order, Values::new(header.value_type));
    let all = 0..header.shape.major(header.order);
    let mut reader = source.batches(all, Projection::ALL).unwrap();
    while reader.next_batch(&mut batch).unwrap() {
        // A row past the end, which readers accept, is not written.
        if sink.write(&batch).is_err() {
            assert!(!validate(&memory).is_empty());
            return;
        }
    }
    Box::new(sink).finish().unwrap();
    assert_eq!(validate(&memory), [""; 0]);
    let back = MatrixSource::open(memory.arrays()).unwrap();
    assert_eq!(in_order(&back).unwrap(), expected);
}

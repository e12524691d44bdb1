//! Writing fragments: errors, and stores without any.

use nnz_bpcells::{FormatVersion, FragmentSink, FragmentSource, Packing, SinkOptions};
use nnz_container::memory::Memory;
use nnz_core::{FragmentBatch, FragmentSink as _, FragmentSource as _, StringList};

use super::common::{all_options, findings, members_of, names, numbers, read_all, write};
use super::open;

fn batch(chromosome: u32, starts: &[u32]) -> FragmentBatch {
    FragmentBatch {
        chromosome,
        cells: vec![0; starts.len()],
        starts: starts.to_vec(),
        ends: starts.iter().map(|start| start + 10).collect(),
    }
}

#[test]
fn invalid_fragments_are_errors() {
    let write_error = |batches: &[FragmentBatch]| {
        let memory = Memory::new();
        let (chromosomes, cells) = (names("chr", 3), names("cell", 2));
        let writer = memory.writer();
        let written = write(writer, SinkOptions::default(), batches, &chromosomes, &cells);
        assert_eq!(
            FragmentSource::open(nnz_container::NamedArrays::new(memory)).is_err(),
            written.is_err()
        );
        written.err().map_or(String::new(), |error| error.to_string())
    };
    assert_eq!(write_error(&[batch(2, &[1, 1, 5]), batch(2, &[5]), batch(0, &[3])]), "");
    assert_eq!(
        write_error(&[batch(0, &[1, 9]), batch(0, &[8, 10])]),
        "start, element 2: found the start 8, expected at least 9, the start of the fragment before \
         it"
    );
    assert!(write_error(&[batch(0, &[1, 9, 2])]).contains("start, element 2: found the start 2"));
    let again = write_error(&[batch(0, &[1]), batch(1, &[1]), batch(0, &[2])]);
    assert!(again.contains("element 2: found more fragments of chromosome 0"), "{again}");
    assert!(write_error(&[batch(3, &[1])]).contains("found chromosome 3, expected less than 3"));
    let mut wrong = batch(0, &[1, 2, 3]);
    wrong.cells[1] = 2;
    assert_eq!(
        write_error(&[batch(1, &[4]), wrong.clone()]),
        "cell, element 2: found the cell 2, expected less than 2, the number of cell_names"
    );
    wrong.ends[2] = 2;
    assert_eq!(
        write_error(&[wrong.clone()]),
        "end, element 2: found the end 2, expected at least 3, the start"
    );
    wrong.ends.pop();
    assert!(write_error(&[wrong]).contains("found 3 cells, 3 starts and 2 ends"));
    // After an error, finishing is an error too.
    let memory = Memory::new();
    let mut sink = FragmentSink::create(memory.writer(), SinkOptions::default()).unwrap();
    assert!(sink.write(&batch(0, &[2, 1])).is_err());
    assert!(sink.write(&batch(0, &[3])).is_err());
    assert!(Box::new(sink).finish(&names("chr", 1), &names("cell", 1)).is_err());
    assert!(FragmentSource::open(nnz_container::NamedArrays::new(memory)).is_err());
}

#[test]
fn empty_chromosomes_are_stored_as_bpcells_does() {
    let memory = Memory::new();
    let batches = [batch(1, &[1, 2]), batch(3, &[5])];
    let (chromosomes, cells) = (names("chr", 6), names("cell", 1));
    let options = SinkOptions { packing: Packing::Unpacked, format_version: FormatVersion::V1 };
    write(memory.writer(), options, &batches, &chromosomes, &cells).unwrap();
    let pointers = numbers(&members_of(&memory.arrays()), "chr_ptr");
    assert_eq!(pointers, [0, 0, 0, 2, 2, 2, 2, 3, 3, 3, 3, 3]);
}

#[test]
fn a_store_without_fragments_round_trips() {
    for options in all_options() {
        let memory = Memory::new();
        let none = StringList::new();
        write(memory.writer(), options, &[], &none, &none).unwrap();
        let source = open(&memory);
        assert!(read_all(&source).unwrap().is_empty());
        assert!(source.overlapping(0, 0..1).is_err());
        assert_eq!(findings(&memory), (Vec::new(), Vec::new()));
    }
}

//! Damaged fragments: errors, faults and notes.

use nnz_bpcells::{FormatVersion, FragmentSource, Packing, SinkOptions};
use nnz_core::FragmentSource as _;

use super::common::{
    Member, all_options, findings, from_members, members_of, numbers, set_numbers, set_pointers,
};
use super::{Stored, end_max_of_data_frames, error_of, open};

/// The members of 300 fragments on two chromosomes, the first at 0..200.
fn sample(packing: Packing) -> Vec<(String, Member)> {
    let of = |chromosome, count| (0..count).map(move |n| (chromosome, 10 * n, 10 * n + 50, n % 7));
    let fragments = of(0, 200).chain(of(1, 100)).collect();
    let stored = Stored { chromosomes: 2, cells: 7, fragments };
    members_of(&nnz_container::NamedArrays::new(
        stored.write(SinkOptions { packing, format_version: FormatVersion::V2 }, 1000),
    ))
}

#[test]
fn errors_give_the_exact_location() {
    let unpacked = sample(Packing::Unpacked);
    let change = |name: &str, at: usize, to: u32| {
        let mut members = unpacked.clone();
        let mut all = numbers(&members, name);
        all[at] = to;
        set_numbers(&mut members, name, &all);
        error_of(&members)
    };
    assert_eq!(
        change("cell", 130, 7),
        "memory: cell, element 130: found the cell 7, expected less than 7, the number of cell_names"
    );
    assert_eq!(
        change("start", 150, 1400),
        "memory: start, element 150: found the start 1400, expected at least 1490, the start of the \
         fragment before it"
    );
    assert_eq!(
        change("end", 201, 9),
        "memory: end, element 201: found the end 9, expected at least 10, the start"
    );

    let mut packed = sample(Packing::Packed);
    let mut encoder = nnz_bitpack::Encoder::new(nnz_bitpack::Codec::Plain);
    encoder.push(&[50; 299]);
    encoder.push(&[u32::MAX - 100]);
    let end = encoder.finish();
    set_numbers(&mut packed, "end_data", &end.data);
    set_numbers(&mut packed, "end_idx", &end.idx);
    assert_eq!(
        error_of(&packed),
        "memory: end_data, element 299: found the length 4294967195, expected at most 4294966305, \
         since the start is 990"
    );
}

#[test]
fn chr_ptr_assigns_each_fragment_to_one_chromosome() {
    for (pointers, message) in [
        (&[0, 200, 199, 300][..], "chr_ptr, element 2: found 199, expected 200, where the"),
        (&[0, 200, 201, 300], "chr_ptr, element 2: found 201, expected 200, where the"),
        (&[1, 200, 200, 300], "chr_ptr, element 0: found 1, expected 0, where the"),
        (&[0, 200, 300, 200], "chr_ptr, element 3: found 200, expected at least 300, where"),
        (&[0, 200, 200, 301], "cell, element 300: found the end of the array after 300"),
        (&[0, 300, 301, 301], "chr_ptr, element 3: found 301, expected at most 300, where the"),
        (&[0, 200, 200], "chr_ptr: found 3 elements, expected two for each"),
        (&[0, u64::MAX, 0, 0], "cell, element 300: found the end of the array"),
    ] {
        let mut members = sample(Packing::Unpacked);
        set_pointers(&mut members, pointers);
        let memory = from_members(&members);
        let error = FragmentSource::open(memory.arrays()).err().unwrap().to_string();
        assert!(error.contains(message), "{error}");
        assert!(!findings(&memory).0.is_empty(), "{pointers:?}");
    }
    // The range of a chromosome without fragments may be anywhere, except after all others.
    for empty in [0, 77, 200, 300] {
        let mut members = sample(Packing::Unpacked);
        set_pointers(&mut members, &[200, 300, empty, empty, 0, 200]);
        let source =
            FragmentSource::open(nnz_container::NamedArrays::new(from_members(&members))).unwrap();
        let segments = &source.header().segments;
        assert_eq!((segments[0].chromosome, segments[1].chromosome), (2, 0));
        assert_eq!(source.overlapping(1, 0..1000).unwrap(), 0..0);
        let error = source.chromosome_names().unwrap_err().to_string();
        assert!(error.contains("chr_names, element 2: found 2 names, expected 3"), "{error}");
    }
}

#[test]
fn a_low_end_max_is_a_fault_and_a_high_one_a_note() {
    let mut members = sample(Packing::Packed);
    let exact = numbers(&members, "end_max");
    assert_eq!(exact, [1320, 2040, 1040]);
    set_numbers(&mut members, "end_max", &[1319, 2040, 1040]);
    let (faults, notes) = findings(&from_members(&members));
    assert_eq!(faults.len(), 1);
    assert!(faults[0].contains("end_max, element 0: found 1319, expected at least 1320"));
    assert!(notes.is_empty());
    set_numbers(&mut members, "end_max", &[1320, 2041, 1041]);
    let (faults, notes) = findings(&from_members(&members));
    assert!(faults.is_empty());
    assert_eq!(notes.len(), 1);
    assert!(notes[0].contains("end_max, element 1: found 2041, where BPCells writes 2040"));
}

#[test]
fn overlapping_works_with_the_end_max_of_data_frames() {
    // The last fragment of the first chunk has the largest end.
    let length = |n| if n == 127 { 5000 } else { 5 };
    let fragments = (0..300).map(|n| (0, 10 * n, 10 * n + length(n), 0)).collect();
    let stored = Stored { chromosomes: 1, cells: 1, fragments };
    for options in all_options() {
        let mut members = members_of(&nnz_container::NamedArrays::new(stored.write(options, 1000)));
        assert_eq!(numbers(&members, "end_max"), [6270, 6270, 6270]);
        let faulty = end_max_of_data_frames(&stored.fragments);
        assert_eq!(faulty, [1265, 6270, 6270]);
        set_numbers(&mut members, "end_max", &faulty);
        let memory = from_members(&members);
        let source = open(&memory);
        let positions = source.overlapping(0, 4000..4001).unwrap();
        assert!(positions.contains(&127), "{positions:?}");
        // The other fragments of the first chunk are skipped.
        assert_eq!(positions.start, 127);
        let (faults, _) = findings(&memory);
        assert!(faults[0].contains("end_max, element 0: found 1265, expected at least 6270"));
    }
}

#[test]
fn faults_of_two_columns_are_both_found() {
    let mut members = sample(Packing::Unpacked);
    let mut cells = numbers(&members, "cell");
    cells[3] = 99;
    set_numbers(&mut members, "cell", &cells);
    let mut starts = numbers(&members, "start");
    starts[3] = 0;
    set_numbers(&mut members, "start", &starts);
    let (faults, _) = findings(&from_members(&members));
    assert_eq!(faults.len(), 2, "{faults:?}");
}

//! Fragments written with any options are read back, and damaged ones are errors.

use std::ops::Range;

use nnz_bpcells::{FormatVersion, FragmentSink, FragmentSource, Packing, SinkOptions};
use nnz_container::memory::Memory;
use nnz_core::{FragmentBatch, FragmentFields, FragmentSink as _, FragmentSource as _, StringList};
use proptest::prelude::*;

use crate::fragments_common;
use crate::fragments_common::{
    Fragment, all_options, batches, findings, from_members, members_of, names, numbers, read,
    read_all, set_numbers, set_pointers, write,
};

/// Random fragments, grouped by chromosome and sorted by start.
#[derive(Clone, Debug)]
struct Stored {
    chromosomes: u32,
    cells: u32,
    fragments: Vec<Fragment>,
}

fn lengths() -> impl Strategy<Value = u32> {
    prop_oneof![4 => 0..400_u32, 1 => Just(0), 1 => 0..100_000_u32]
}

fn counts() -> impl Strategy<Value = usize> {
    let edges = [0, 1, 127, 128, 129, 255, 256, 257];
    prop_oneof![2 => 0..12_usize, 1 => proptest::sample::select(edges.to_vec()), 1 => 0..500_usize]
}

/// Starts, lengths and cells on a chromosome, near its beginning or anywhere.
fn intervals(count: usize) -> impl Strategy<Value = Vec<(u32, u32, u32)>> {
    let start = prop_oneof![6 => 0..30_000_u32, 1 => any::<u32>()];
    proptest::collection::vec((start, lengths(), 0..40_u32), count)
}

fn stored() -> impl Strategy<Value = Stored> {
    let counts = proptest::collection::vec(counts(), 0..9);
    let chromosomes =
        counts.prop_flat_map(|counts| counts.into_iter().map(intervals).collect::<Vec<_>>());
    (chromosomes, any::<prop::sample::Index>(), any::<bool>()).prop_map(
        |(chromosomes, turn, reversed)| {
            let count = chromosomes.len();
            let mut order: Vec<_> = (0..count).collect();
            order.rotate_left(if count == 0 { 0 } else { turn.index(count) });
            if reversed {
                order.reverse();
            }
            let mut fragments = Vec::new();
            for chromosome in order {
                let mut own = chromosomes[chromosome].clone();
                own.sort_unstable();
                fragments.extend(own.iter().map(|&(start, length, cell)| {
                    (chromosome as u32, start, start.saturating_add(length), cell)
                }));
            }
            Stored { chromosomes: count as u32, cells: 40, fragments }
        },
    )
}

impl Stored {
    fn write(&self, options: SinkOptions, batch: usize) -> Memory {
        let memory = Memory::new();
        let batches = batches(&self.fragments, batch);
        let (chromosomes, cells) = (names("chr", self.chromosomes), names("cell", self.cells));
        write(Box::new(memory.writer()), options, &batches, &chromosomes, &cells).unwrap();
        memory
    }

    fn overlapping(&self, chromosome: u32, bases: &Range<u32>) -> Vec<Fragment> {
        let all = self.fragments.iter().copied();
        all.filter(|f| f.0 == chromosome && f.1 < bases.end && f.2 > bases.start).collect()
    }
}

fn open(memory: &Memory) -> FragmentSource {
    FragmentSource::open(Box::new(memory.clone())).unwrap()
}

/// The `end_max` that BPCells writes for data frames: each entry lacks the last fragment of its
/// chunk.
fn end_max_of_data_frames(fragments: &[Fragment]) -> Vec<u32> {
    let (mut entries, mut here, mut before) = (Vec::new(), 0, 0);
    for (number, fragment) in fragments.iter().enumerate() {
        if number % 128 == 127 {
            entries.push(here.max(before));
            before = 0;
        }
        if number > 0 && fragments[number - 1].0 != fragment.0 {
            before = before.max(here);
            here = 0;
        }
        here = here.max(fragment.2);
    }
    if !fragments.len().is_multiple_of(128) {
        entries.push(here.max(before));
    }
    entries
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn fragments_round_trip_in_every_version_and_are_valid(
        stored in stored(),
        batch in 1..400_usize,
    ) {
        for options in all_options() {
            let memory = stored.write(options, batch);
            prop_assert_eq!(members_of(&memory), members_of(&stored.write(options, 1000)));
            let source = open(&memory);
            prop_assert_eq!(source.version().packing, options.packing);
            prop_assert_eq!(source.version().format_version, options.format_version);
            prop_assert_eq!(source.header().chromosomes, stored.chromosomes);
            prop_assert_eq!(source.header().count, stored.fragments.len() as u64);
            prop_assert_eq!(&read_all(&source).unwrap(), &stored.fragments);
            prop_assert_eq!(source.chromosome_names().unwrap(), names("chr", stored.chromosomes));
            prop_assert_eq!(source.cell_names().unwrap(), names("cell", stored.cells));
            prop_assert_eq!(findings(&memory), (Vec::new(), Vec::new()));
        }
    }

    #[test]
    fn any_range_equals_the_slice_of_all_fragments(stored in stored(), ends in any::<[prop::sample::Index; 2]>()) {
        for options in all_options() {
            let source = open(&stored.write(options, 100));
            let [a, b] = ends.map(|end| end.index(stored.fragments.len() + 1));
            let (start, end) = (a.min(b), a.max(b));
            let range = start as u64..end as u64;
            prop_assert_eq!(&read(&source, range.clone()).unwrap(), &stored.fragments[start..end]);
            for fields in [
                FragmentFields::INTERVALS,
                FragmentFields { cells: true, starts: false, ends: false },
                FragmentFields { cells: false, starts: true, ends: false },
                FragmentFields { cells: false, starts: false, ends: true },
            ] {
                let mut batch = FragmentBatch { cells: vec![9; 5], starts: vec![9; 5], ends: vec![9; 5], chromosome: 9 };
                let mut columns = [Vec::new(), Vec::new(), Vec::new()];
                let mut units = source.units(range.clone(), fields).unwrap();
                while let Some(unit) = units.next_unit().unwrap() {
                    unit.decode(&mut batch).unwrap();
                    columns[0].extend_from_slice(&batch.cells);
                    columns[1].extend_from_slice(&batch.starts);
                    columns[2].extend_from_slice(&batch.ends);
                }
                let part = &stored.fragments[start..end];
                let asked = [fields.cells, fields.starts, fields.ends];
                let wanted: [Vec<u32>; 3] = [
                    part.iter().map(|f| f.3).collect(),
                    part.iter().map(|f| f.1).collect(),
                    part.iter().map(|f| f.2).collect(),
                ];
                for ((asked, column), wanted) in asked.into_iter().zip(columns).zip(wanted) {
                    prop_assert!(!asked || column == wanted);
                }
            }
        }
    }

    #[test]
    fn overlapping_finds_every_fragment_of_a_region(
        stored in stored(),
        regions in proptest::collection::vec((0..40_000_u32, 0..9000_u32), 1..12),
    ) {
        for options in all_options() {
            let memory = stored.write(options, 1000);
            // Correct, as BPCells writes it for data frames, and useless.
            let mut members = members_of(&memory);
            let exact = numbers(&members, "end_max");
            let faulty = end_max_of_data_frames(&stored.fragments);
            prop_assert_eq!(exact.len(), faulty.len());
            for end_max in [exact.clone(), faulty, vec![u32::MAX; exact.len()]] {
                set_numbers(&mut members, "end_max", &end_max);
                let source = open(&from_members(&members));
                for chromosome in 0..stored.chromosomes {
                    for (start, length) in &regions {
                        let bases = *start..start + length;
                        let positions = source.overlapping(chromosome, bases.clone()).unwrap();
                        let mut found = read(&source, positions).unwrap();
                        found.retain(|f| f.1 < bases.end && f.2 > bases.start);
                        let mut expected = stored.overlapping(chromosome, &bases);
                        if bases.is_empty() {
                            expected.clear();
                        }
                        prop_assert_eq!(found, expected);
                    }
                }
            }
        }
    }

    #[test]
    fn damaged_fragments_never_panic(
        stored in stored(),
        packed in any::<bool>(),
        damage in proptest::collection::vec(
            (any::<prop::sample::Index>(), any::<prop::sample::Index>(), any::<u64>(), 0..5_u8), 1..4
        ),
    ) {
        let packing = if packed { Packing::Packed } else { Packing::Unpacked };
        let options = SinkOptions { packing, format_version: FormatVersion::V2 };
        let mut members = members_of(&stored.write(options, 1000));
        for (member, at, value, kind) in damage {
            use fragments_common::Member;
            if members.is_empty() {
                break;
            }
            let chosen = member.index(members.len());
            if kind == 4 {
                members.remove(chosen);
                continue;
            }
            match &mut members[chosen].1 {
                Member::Attribute(text) => *text = text.replace('2', "1"),
                Member::Strings(list) => {
                    let len = at.index(list.len() as usize + 1) as u64;
                    *list = std::mem::take(list).truncated(len);
                }
                Member::Numbers(value_type, bytes) => {
                    let size = value_type.size();
                    let len = bytes.len() / size;
                    match kind {
                        0 => bytes.truncate(at.index(len + 1) * size),
                        1 => bytes.extend_from_slice(&value.to_ne_bytes()),
                        _ if len > 0 => {
                            let value = if kind == 2 { value } else { value % 300 };
                            let value = value.to_ne_bytes();
                            bytes[at.index(len) * size..][..size].copy_from_slice(&value[..size]);
                        }
                        _ => {}
                    }
                }
            }
        }
        let memory = from_members(&members);
        let (faults, _) = findings(&memory);
        let Ok(source) = FragmentSource::open(Box::new(memory)) else {
            prop_assert!(!faults.is_empty());
            return Ok(());
        };
        for chromosome in 0..source.header().chromosomes {
            for bases in [0..u32::MAX, 100..5000, 20_000..20_001] {
                if let Ok(positions) = source.overlapping(chromosome, bases) {
                    prop_assert!(positions.start <= positions.end);
                    let _ = read(&source, positions);
                }
            }
        }
        let _ = (source.chromosome_names(), source.cell_names(), source.about());
        match read_all(&source) {
            Ok(fragments) => {
                // Whatever is read satisfies the contract of the trait.
                let cells = source.cell_names().unwrap().len();
                prop_assert!(fragments.iter().all(|f| f.1 <= f.2 && u64::from(f.3) < cells));
                let ordered = fragments.windows(2).all(|w| w[0].0 != w[1].0 || w[0].1 <= w[1].1);
                prop_assert!(ordered);
            }
            Err(_) => prop_assert!(!faults.is_empty()),
        }
    }
}

/// The members of 300 fragments on two chromosomes, the first at 0..200.
fn sample(packing: Packing) -> Vec<(String, fragments_common::Member)> {
    let of = |chromosome, count| (0..count).map(move |n| (chromosome, 10 * n, 10 * n + 50, n % 7));
    let fragments = of(0, 200).chain(of(1, 100)).collect();
    let stored = Stored { chromosomes: 2, cells: 7, fragments };
    members_of(&stored.write(SinkOptions { packing, format_version: FormatVersion::V2 }, 1000))
}

fn error_of(members: &[(String, fragments_common::Member)]) -> String {
    let memory = from_members(members);
    let source = FragmentSource::open(Box::new(memory.clone()));
    let error = source.and_then(|source| read_all(&source)).unwrap_err().to_string();
    let (faults, _) = findings(&memory);
    assert!(faults.contains(&error), "{error}: {faults:?}");
    error
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
        let error = FragmentSource::open(Box::new(memory.clone())).err().unwrap().to_string();
        assert!(error.contains(message), "{error}");
        assert!(!findings(&memory).0.is_empty(), "{pointers:?}");
    }
    // The range of a chromosome without fragments may be anywhere, except after all others.
    for empty in [0, 77, 200, 300] {
        let mut members = sample(Packing::Unpacked);
        set_pointers(&mut members, &[200, 300, empty, empty, 0, 200]);
        let source = FragmentSource::open(Box::new(from_members(&members))).unwrap();
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
        let mut members = members_of(&stored.write(options, 1000));
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
        let writer = Box::new(memory.writer());
        let written = write(writer, SinkOptions::default(), batches, &chromosomes, &cells);
        assert_eq!(FragmentSource::open(Box::new(memory)).is_err(), written.is_err());
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
    let mut sink = FragmentSink::create(Box::new(memory.writer()), SinkOptions::default()).unwrap();
    assert!(sink.write(&batch(0, &[2, 1])).is_err());
    assert!(sink.write(&batch(0, &[3])).is_err());
    assert!(Box::new(sink).finish(&names("chr", 1), &names("cell", 1)).is_err());
    assert!(FragmentSource::open(Box::new(memory)).is_err());
}

#[test]
fn empty_chromosomes_are_stored_as_bpcells_does() {
    let memory = Memory::new();
    let batches = [batch(1, &[1, 2]), batch(3, &[5])];
    let (chromosomes, cells) = (names("chr", 6), names("cell", 1));
    let options = SinkOptions { packing: Packing::Unpacked, format_version: FormatVersion::V1 };
    write(Box::new(memory.writer()), options, &batches, &chromosomes, &cells).unwrap();
    let pointers = numbers(&members_of(&memory), "chr_ptr");
    assert_eq!(pointers, [0, 0, 0, 2, 2, 2, 2, 3, 3, 3, 3, 3]);
}

#[test]
fn a_store_without_fragments_round_trips() {
    for options in all_options() {
        let memory = Memory::new();
        let none = StringList::new();
        write(Box::new(memory.writer()), options, &[], &none, &none).unwrap();
        let source = open(&memory);
        assert!(read_all(&source).unwrap().is_empty());
        assert!(source.overlapping(0, 0..1).is_err());
        assert_eq!(findings(&memory), (Vec::new(), Vec::new()));
    }
}

#[test]
fn order_is_checked_across_pieces() {
    // Several pieces, the last one short; the second chromosome begins inside a chunk.
    let of = |chromosome, count: u32| (0..count).map(move |n| (chromosome, n, n + 3, n % 5));
    let fragments: Vec<Fragment> = of(0, 70_001).chain(of(1, 40_000)).collect();
    let stored = Stored { chromosomes: 2, cells: 5, fragments };
    for packing in [Packing::Packed, Packing::Unpacked] {
        let options = SinkOptions { packing, format_version: FormatVersion::V2 };
        let memory = stored.write(options, 10_000);
        let source = open(&memory);
        assert!(read_all(&source).unwrap() == stored.fragments);
        assert!(read(&source, 100..90_000).unwrap() == stored.fragments[100..90_000]);
    }
    let options = SinkOptions { packing: Packing::Unpacked, format_version: FormatVersion::V2 };
    let mut members = members_of(&stored.write(options, 10_000));
    let mut units = Vec::new();
    let source = open(&from_members(&members));
    let mut reader = source.units(0..110_001, FragmentFields::ALL).unwrap();
    let mut batch = FragmentBatch::default();
    let mut position = 0;
    while let Some(unit) = reader.next_unit().unwrap() {
        units.push(position);
        unit.decode(&mut batch).unwrap();
        position += batch.starts.len();
    }
    assert!(units.len() >= 4, "{units:?}");
    let mut starts = numbers(&members, "start");
    let last = units[1] - 1;
    starts[last] = 69_000;
    let mut ends = numbers(&members, "end");
    ends[last] = 69_001;
    set_numbers(&mut members, "start", &starts);
    set_numbers(&mut members, "end", &ends);
    let error = error_of(&members);
    assert!(error.contains(&format!("start, element {}", last + 1)), "{error}");
}

/// Replaces the starts of a packed store.
fn set_starts(members: &mut [(String, fragments_common::Member)], starts: &[u32]) {
    let mut encoder = nnz_bitpack::Encoder::new(nnz_bitpack::Codec::Delta);
    encoder.push(starts);
    let packed = encoder.finish();
    set_numbers(members, "start_data", &packed.data);
    set_numbers(members, "start_idx", &packed.idx);
    set_numbers(members, "start_starts", &packed.starts);
}

/// Expects an error at the first start that is less than the one before.
fn expect_unsorted(packed: &[(String, fragments_common::Member)], starts: [u32; 300]) {
    let mut members = packed.to_vec();
    set_starts(&mut members, &starts);
    let falls = (1..300).find(|&at| starts[at] < starts[at - 1]).unwrap();
    let expected = format!(
        "start_data, element {falls}: found the start {}, expected at least {},",
        starts[falls],
        starts[falls - 1]
    );
    let memory = from_members(&members);
    let source = open(&memory);
    let fields = FragmentFields { cells: false, starts: true, ends: false };
    let mut units = source.units(0..300, fields).unwrap();
    let unit = units.next_unit().unwrap().unwrap();
    let error = unit.decode(&mut FragmentBatch::default()).unwrap_err().to_string();
    assert!(error.contains(&expected), "{error}, not {expected}");
    let error = source.for_each(0..300, fields, &mut |_| Ok(())).unwrap_err().to_string();
    assert!(error.contains(&expected), "{error}, not {expected}");
}

#[test]
fn starts_that_wrap_around_are_errors() {
    let fragments = (0..300).map(|n| (0, n, n + 3, 0)).collect();
    let stored = Stored { chromosomes: 1, cells: 1, fragments };
    let options = SinkOptions { packing: Packing::Packed, format_version: FormatVersion::V2 };
    let packed = members_of(&stored.write(options, 1000));
    for width in 1..32_u32 {
        let step = u32::MAX >> (32 - width);
        // The position at which starts wrap around: in a chunk, at its beginning and at its end.
        for turn in [1_u32, 2, 60, 126, 127, 128, 129, 298, 299] {
            let starts = |n: usize| step.wrapping_mul((n as u32).wrapping_sub(turn));
            expect_unsorted(&packed, std::array::from_fn(starts));
        }
        // All the way around within one chunk, to the first start or past it.
        let round = (1_u64 << 32).div_ceil(step.into());
        if round < 128 {
            let starts = |n: usize| (n as u32).min(round as u32).wrapping_mul(step);
            expect_unsorted(&packed, std::array::from_fn(|n| starts(n).wrapping_add(10)));
        }
    }
}

#[test]
fn ends_larger_than_32_bits_are_errors() {
    let of = |start: u32| (0..300).map(move |n: u32| start + n);
    for room in [0, 1, 127, 128, 1000, 1 << 20] {
        let start = u32::MAX - 299 - room;
        let fragments: Vec<Fragment> = of(start).map(|start| (0, start, u32::MAX, 0)).collect();
        let stored = Stored { chromosomes: 1, cells: 1, fragments };
        let options = SinkOptions { packing: Packing::Packed, format_version: FormatVersion::V2 };
        let memory = stored.write(options, 1000);
        assert!(read_all(&open(&memory)).unwrap() == stored.fragments);
        for beyond in [0, 150, 299] {
            let mut lengths: Vec<u32> =
                stored.fragments.iter().map(|(_, start, end, _)| end - start).collect();
            lengths[beyond] += 1;
            let mut encoder = nnz_bitpack::Encoder::new(nnz_bitpack::Codec::Plain);
            encoder.push(&lengths);
            let packed = encoder.finish();
            let mut members = members_of(&memory);
            set_numbers(&mut members, "end_data", &packed.data);
            set_numbers(&mut members, "end_idx", &packed.idx);
            let error = error_of(&members);
            let expected = format!("end_data, element {beyond}: found the length");
            assert!(error.contains(&expected), "{error}");
        }
    }
}

#[test]
fn order_is_checked_across_runs() {
    let count = 300_000_u32;
    let fragments: Vec<Fragment> = (0..count).map(|n| (0, n, n + n % 9, n % 5)).collect();
    let stored = Stored { chromosomes: 1, cells: 5, fragments };
    for packing in [Packing::Packed, Packing::Unpacked] {
        let options = SinkOptions { packing, format_version: FormatVersion::V2 };
        let mut members = members_of(&stored.write(options, 100_000));
        let source = open(&from_members(&members));
        let mut next = 77;
        let checked = source.for_each(77..299_999, FragmentFields::ALL, &mut |batch| {
            for ((start, end), cell) in batch.starts.iter().zip(&batch.ends).zip(&batch.cells) {
                assert_eq!((*start, *end, *cell), (next, next + next % 9, next % 5));
                next += 1;
            }
            Ok(())
        });
        checked.unwrap();
        assert_eq!(next, 299_999);
        // Positions of a decrease, including the boundaries of reads.
        for falls in [1, 2047, 2048, 32_768, 131_072, 131_200, 262_144, 299_998] {
            let mut starts: Vec<u32> = (0..count).collect();
            starts[falls] -= 1;
            starts[falls - 1] += 1;
            match packing {
                Packing::Packed => set_starts(&mut members, &starts),
                Packing::Unpacked => set_numbers(&mut members, "start", &starts),
            }
            let source = open(&from_members(&members));
            let fields = FragmentFields { cells: false, starts: true, ends: false };
            let error = source.for_each(0..count.into(), fields, &mut |_| Ok(()));
            let error = error.unwrap_err().to_string();
            assert!(error.contains(&format!("element {falls}: found the start")), "{error}");
        }
    }
}

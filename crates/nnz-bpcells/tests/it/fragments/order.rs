//! The order of starts is checked across chunks, runs and pieces.

use nnz_bpcells::{FormatVersion, Packing, SinkOptions};
use nnz_core::{FragmentBatch, FragmentFields, FragmentSource as _};

use super::common::{
    Fragment, Member, from_members, members_of, numbers, read, read_all, set_numbers,
};
use super::{Stored, error_of, open};

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
    let mut members = members_of(&nnz_container::NamedArrays::new(stored.write(options, 10_000)));
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
fn set_starts(members: &mut [(String, Member)], starts: &[u32]) {
    let mut encoder = nnz_bitpack::Encoder::new(nnz_bitpack::Codec::Delta);
    encoder.push(starts);
    let packed = encoder.finish();
    set_numbers(members, "start_data", &packed.data);
    set_numbers(members, "start_idx", &packed.idx);
    set_numbers(members, "start_starts", &packed.starts);
}

/// Expects an error at the first start that is less than the one before.
fn expect_unsorted(packed: &[(String, Member)], starts: [u32; 300]) {
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
    let packed = members_of(&nnz_container::NamedArrays::new(stored.write(options, 1000)));
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
    for distance in [0, 1, 127, 128, 1000, 1 << 20] {
        let start = u32::MAX - 299 - distance;
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
            let mut members = members_of(&memory.arrays());
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
        let mut members =
            members_of(&nnz_container::NamedArrays::new(stored.write(options, 100_000)));
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
                _ => set_numbers(&mut members, "start", &starts),
            }
            let source = open(&from_members(&members));
            let fields = FragmentFields { cells: false, starts: true, ends: false };
            let error = source.for_each(0..count.into(), fields, &mut |_| Ok(()));
            let error = error.unwrap_err().to_string();
            assert!(error.contains(&format!("element {falls}: found the start")), "{error}");
        }
    }
}

//! Random fragments.

use nnz_bpcells::{FormatVersion, FragmentSource, Packing, SinkOptions};
use nnz_core::{FragmentBatch, FragmentFields, FragmentSource as _};
use proptest::prelude::*;

use super::common::{
    Member, all_options, findings, from_members, members_of, names, numbers, read, read_all,
    set_numbers,
};
use super::{Stored, end_max_of_data_frames, open};

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

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn fragments_round_trip_in_every_version_and_are_valid(
        stored in stored(),
        batch in 1..400_usize,
    ) {
        for options in all_options() {
            let memory = stored.write(options, batch);
            prop_assert_eq!(members_of(&memory.arrays()), members_of(&nnz_container::NamedArrays::new(stored.write(options, 1000))));
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
                let selected = [fields.cells, fields.starts, fields.ends];
                let expected: [Vec<u32>; 3] = [
                    part.iter().map(|f| f.3).collect(),
                    part.iter().map(|f| f.1).collect(),
                    part.iter().map(|f| f.2).collect(),
                ];
                for ((selected, column), expected) in selected.into_iter().zip(columns).zip(expected) {
                    prop_assert!(!selected || column == expected);
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
            let mut members = members_of(&memory.arrays());
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
        let mut members = members_of(&nnz_container::NamedArrays::new(stored.write(options, 1000)));
        for (member, at, value, kind) in damage {
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
        let Ok(source) = FragmentSource::open(nnz_container::NamedArrays::new(memory)) else {
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

//! BPCells fragments of arbitrary members: valid ones can be read, whole and in parts; queries find
//! their fragments; and those that can be read round-trip in all versions.
#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use nnz::fragments::{FragmentBatch, FragmentFields, FragmentSink as _, FragmentSource as _};
use nnz::{Result, error::Severity};
use nnz_bpcells::{
    FRAGMENT_MEMBERS, FormatVersion, FragmentSink, FragmentSource, Packing, SinkOptions,
};
use nnz_container::NamedArrays;
use nnz_container::memory::Memory;
use nnz_fuzz::members;
use nnz_fuzz::store::fill;

/// Chromosome, start, end, cell.
type Fragment = (u32, u32, u32, u32);

fuzz_target!(|input: &[u8]| -> Corpus {
    let members = members::cut(input);
    if members.is_empty() {
        return Corpus::Reject;
    }
    let store = fill(&members, FRAGMENT_MEMBERS);
    let valid = validate(&store).is_empty();
    let source = match FragmentSource::open(store.arrays()) {
        Ok(source) => source,
        Err(error) => {
            assert!(!valid, "{error}");
            return Corpus::Keep;
        }
    };
    source.about().unwrap();
    let count = source.header().count;
    let read = in_order(&source, 0..count);
    assert!(read.is_ok() || !valid, "{read:?}");
    let Ok(all) = read else { return Corpus::Keep };
    for part in [0..count / 2, count / 2..count, count / 3..count - count / 3] {
        let expected = &all[part.start as usize..part.end as usize];
        assert_eq!(in_order(&source, part.clone()).unwrap(), expected);
        let mut near = Vec::new();
        let each = &mut |batch: &mut FragmentBatch| {
            near.extend(fragments(batch));
            Ok(())
        };
        source.for_each(part, FragmentFields::ALL, each).unwrap();
        assert_eq!(near, expected);
    }
    if valid {
        found(&source, &all);
    }
    for packing in [Packing::Packed, Packing::Unpacked] {
        for format_version in [FormatVersion::V1, FormatVersion::V2] {
            again(&source, SinkOptions { packing, format_version }, &all);
        }
    }
    Corpus::Keep
});

fn in_order(source: &FragmentSource, positions: std::ops::Range<u64>) -> Result<Vec<Fragment>> {
    let mut units = source.units(positions, FragmentFields::ALL)?;
    let mut batch = FragmentBatch::default();
    let mut all = Vec::new();
    while let Some(unit) = units.next_unit()? {
        unit.decode(&mut batch)?;
        all.extend(fragments(&batch));
    }
    Ok(all)
}

fn fragments(batch: &FragmentBatch) -> impl Iterator<Item = Fragment> {
    let columns = batch.starts.iter().zip(&batch.ends).zip(&batch.cells);
    columns.map(|((&start, &end), &cell)| (batch.chromosome, start, end, cell))
}

/// All fragments that overlap a range are in the positions returned for it.
fn found(source: &FragmentSource, all: &[Fragment]) {
    for &(chromosome, start, end, _) in all.iter().step_by(1 + all.len() / 8) {
        for bases in [start..end, start.saturating_sub(10)..start.saturating_add(1), end..u32::MAX]
        {
            let inside = source.overlapping(chromosome, bases.clone()).unwrap();
            for (position, fragment) in (0_u64..).zip(all) {
                let overlaps = !bases.is_empty()
                    && fragment.0 == chromosome
                    && fragment.1 < bases.end
                    && fragment.2 > bases.start
                    && fragment.1 < fragment.2;
                assert!(!overlaps || inside.contains(&position), "{fragment:?} in {bases:?}");
            }
        }
    }
}

/// Returns the faults of a store.
fn validate(store: &Memory) -> Vec<String> {
    let mut faults = Vec::new();
    let open = || -> Result<NamedArrays> { Ok(store.arrays()) };
    nnz_bpcells::validate_fragments(&open, u64::MAX, &mut |finding| {
        if finding.severity == Severity::Fault {
            faults.push(finding.to_string());
        }
    })
    .unwrap();
    faults
}

/// Writes fragments, and reads them back.
fn again(source: &FragmentSource, options: SinkOptions, expected: &[Fragment]) {
    let (Ok(chromosomes), Ok(cells)) = (source.chromosome_names(), source.cell_names()) else {
        return;
    };
    let memory = Memory::new();
    let mut sink = FragmentSink::create(memory.writer(), options).unwrap();
    let mut units = source.units(0..source.header().count, FragmentFields::ALL).unwrap();
    let mut batch = FragmentBatch::default();
    while let Some(unit) = units.next_unit().unwrap() {
        unit.decode(&mut batch).unwrap();
        sink.write(&batch).unwrap();
    }
    Box::new(sink).finish(&chromosomes, &cells).unwrap();
    assert_eq!(validate(&memory), [""; 0]);
    let back = FragmentSource::open(memory.arrays()).unwrap();
    assert_eq!(in_order(&back, 0..back.header().count).unwrap(), expected);
}

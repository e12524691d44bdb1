//! Fragments: round trips, files of BPCells, and damage.

mod common;
mod errors;
mod golden;
mod mapped;
mod order;
mod properties;
mod writing;

use std::ops::Range;

use nnz_bpcells::{FragmentSource, SinkOptions};
use nnz_container::memory::Memory;

use common::{Fragment, Member, batches, findings, from_members, names, read_all, write};

/// Random fragments, grouped by chromosome and sorted by start.
#[derive(Clone, Debug)]
struct Stored {
    chromosomes: u32,
    cells: u32,
    fragments: Vec<Fragment>,
}

impl Stored {
    fn write(&self, options: SinkOptions, batch: usize) -> Memory {
        let memory = Memory::new();
        let batches = batches(&self.fragments, batch);
        let (chromosomes, cells) = (names("chr", self.chromosomes), names("cell", self.cells));
        write(memory.writer(), options, &batches, &chromosomes, &cells).unwrap();
        memory
    }

    fn overlapping(&self, chromosome: u32, bases: &Range<u32>) -> Vec<Fragment> {
        let all = self.fragments.iter().copied();
        all.filter(|f| f.0 == chromosome && f.1 < bases.end && f.2 > bases.start).collect()
    }
}

fn open(memory: &Memory) -> FragmentSource {
    FragmentSource::open(memory.arrays()).unwrap()
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

fn error_of(members: &[(String, Member)]) -> String {
    let memory = from_members(members);
    let source = FragmentSource::open(memory.arrays());
    let error = source.and_then(|source| read_all(&source)).unwrap_err().to_string();
    let (faults, _) = findings(&memory);
    assert!(faults.contains(&error), "{error}: {faults:?}");
    error
}

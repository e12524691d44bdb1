//! Validating fragments.

use std::collections::HashSet;

use nnz_bitpack::{CHUNK, Codec};
use nnz_container::NamedArrays;
use nnz_core::{
    At, ErrorKind, Finding, FragmentBatch, FragmentFields, FragmentHeader, FragmentSource as _,
    Result, ValueType, readable,
};

use super::end_max::{EndMax, Entry};
use super::members::{CELL, CELL_NAMES, CHR_NAMES, CHR_PTR, END, END_MAX, START, chromosome_names};
use super::segments;
use super::source::FragmentSource;
use crate::arrays::chunks;
use crate::check::{Check, add_member_names};
use crate::version;
use crate::{FragmentVersion, Packing};

/// Checks every member of the fragments in the container that `open` opens, and passes findings to
/// `each`. The list of chromosomes may take `memory` bytes, or as many as are stored.
///
/// # Errors
///
/// Fails if `open` does, if more memory is needed, or if the system cannot read. Everything else is
/// a finding.
pub fn validate_fragments(
    open: &dyn Fn() -> Result<NamedArrays>,
    memory: u64,
    each: &mut dyn FnMut(Finding),
) -> Result<()> {
    let container = open()?;
    let mut check = Check::new(&container, each);
    if members(&mut check, memory)?.is_none() || check.faults > 0 {
        return check.finish();
    }
    // All lengths are right, so every fragment can be decoded.
    let source = FragmentSource::open_with_limit(open()?, memory);
    if let Some(source) = check.take(source) {
        // Separately, so that a fault in one column does not hide a fault in the other.
        let decoded = cells(&source);
        check.take(decoded);
        let decoded = intervals(&mut check, &source);
        check.take(decoded);
    }
    check.finish()
}

/// Checks each member on its own, and that their lengths agree. Returns `None` if what the other
/// checks depend on is not known.
///
/// # Errors
///
/// Fails only if more memory is needed.
fn members(check: &mut Check<'_>, memory: u64) -> Result<Option<()>> {
    let Some(version) = version(check) else { return Ok(None) };
    let FragmentVersion { packing, format_version } = version;
    check.foreign(&member_names(version), version);

    check.trailing(CHR_PTR);
    names(check, CELL_NAMES, None);
    let read = segments::read(check.container, format_version, memory);
    if let Err(error) = &read
        && matches!(error.kind(), ErrorKind::Memory { .. })
    {
        return read.map(|_| None);
    }
    let header = check.take(read).map(|(_, header)| header);
    names(check, CHR_NAMES, header.as_ref().map(|header| header.chromosomes));
    shared_names(check, header.as_ref().map_or(0, |header| header.chromosomes), memory);
    let Some(FragmentHeader { count, .. }) = header else { return Ok(None) };
    check.integers(CELL, Codec::Plain, packing, format_version, count);
    check.integers(START, Codec::Delta, packing, format_version, count);
    check.integers(END, Codec::Plain, packing, format_version, count);
    Ok(check.array(END_MAX, ValueType::U32, chunks(count)).map(drop))
}

fn version(check: &mut Check<'_>) -> Option<FragmentVersion> {
    let text = check.container.attribute(version::TAG);
    let text = check.take(text)?;
    let version = FragmentVersion::parse(&text, &check.place(version::TAG));
    check.take(version)
}

/// Checks that names can be read, and that their number is right.
fn names(check: &mut Check<'_>, name: &str, expected: Option<u32>) {
    let mut count = 0;
    let read = check.container.for_each_string(name, &mut |_| {
        count += 1;
        Ok(())
    });
    if check.take(read).is_some()
        && let Some(expected) = expected
        && count != u64::from(expected)
    {
        let expected = format!("{expected}, one for each pair in {CHR_PTR}");
        check.fault(check.place(name), format!("found {count} names, expected {expected}"));
    }
}

/// Notes chromosomes that have the same name, which cannot be selected by it.
fn shared_names(check: &mut Check<'_>, chromosomes: u32, memory: u64) {
    let names = readable(chromosome_names(check.container, chromosomes, memory));
    // Broken members have been reported already.
    let Some(names) = check.take(names).flatten() else { return };
    let mut seen = HashSet::new();
    if let Some(twice) = names.iter().find(|name| !seen.insert(*name)) {
        let twice = String::from_utf8_lossy(twice).escape_debug().to_string();
        check.note(check.place(CHR_NAMES), format!("several chromosomes are named \"{twice}\""));
    }
}

/// Decodes every cell.
fn cells(source: &FragmentSource) -> Result<()> {
    let fields = FragmentFields { cells: true, starts: false, ends: false };
    let mut batch = FragmentBatch::default();
    let mut reader = source.units(0..source.header().count, fields)?;
    while let Some(unit) = reader.next_unit()? {
        unit.decode(&mut batch)?;
    }
    Ok(())
}

/// Decodes every start and end, and compares `end_max` with them.
fn intervals(check: &mut Check<'_>, source: &FragmentSource) -> Result<()> {
    let mut bounds = Bounds { source, read: 0, found: Vec::new(), low: None, other: None };
    let mut end_max = EndMax::default();
    let mut batch = FragmentBatch::default();
    let mut entries = Vec::new();
    for segment in &source.header().segments {
        end_max.next_chromosome();
        let mut reader = source.units(segment.fragments.clone(), FragmentFields::INTERVALS)?;
        while let Some(unit) = reader.next_unit()? {
            unit.decode(&mut batch)?;
            end_max.push(&batch.ends, |entry| entries.push(entry));
            bounds.compare(&entries)?;
            entries.clear();
        }
    }
    entries.extend(end_max.finish());
    bounds.compare(&entries)?;

    if let Some((element, found, needed)) = bounds.low {
        let last = element.saturating_mul(CHUNK as u64).saturating_add(CHUNK as u64 - 1);
        let message = format!(
            "found {found}, expected at least {needed}, the furthest end up to fragment {last}; \
             with it BPCells misses fragments of a region"
        );
        check.fault(source.end_max.place().at(At::Element(element)), message);
    }
    if let Some((element, found, exact)) = bounds.other {
        let message = format!("found {found}, where BPCells writes {exact}; no fragment is missed");
        check.note(source.end_max.place().at(At::Element(element)), message);
    }
    Ok(())
}

/// Compares `end_max` with its correct values.
struct Bounds<'a> {
    source: &'a FragmentSource,
    /// The number of entries compared.
    read: u64,
    found: Vec<u32>,
    /// The first entry that is too low: its number, its value and the smallest correct value.
    low: Option<(u64, u32, u32)>,
    /// The first entry that is not too low, but different from what BPCells writes.
    other: Option<(u64, u32, u32)>,
}

impl Bounds<'_> {
    /// Compares the next entries with their correct values.
    fn compare(&mut self, entries: &[Entry]) -> Result<()> {
        self.found.resize(entries.len(), 0);
        self.source.end_max.read_into(self.read, &mut self.found)?;
        for ((&found, entry), element) in self.found.iter().zip(entries).zip(self.read..) {
            if found < entry.needed {
                self.low.get_or_insert((element, found, entry.needed));
            } else if found != entry.exact {
                self.other.get_or_insert((element, found, entry.exact));
            }
        }
        self.read += entries.len() as u64;
        Ok(())
    }
}

/// Lists the members of fragments of a version.
fn member_names(version: FragmentVersion) -> Vec<String> {
    let mut names: Vec<String> =
        [version::TAG, CELL_NAMES, CHR_NAMES, CHR_PTR, END_MAX].map(str::to_owned).into();
    let packed = version.packing == Packing::Packed;
    for (name, starts) in [(CELL, false), (START, true), (END, false)] {
        add_member_names(&mut names, name, packed, starts, version.format_version);
    }
    names
}

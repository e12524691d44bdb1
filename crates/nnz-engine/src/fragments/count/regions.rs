//! The regions of a count matrix, by row.

use nnz_core::{ChromosomeSizes, Error, FragmentFields, FragmentSource, Result, StringList};

use crate::fragments::names::{Numbers, Table, find_all, shown};
use crate::fragments::peaks::{Peak, Peaks};

/// The regions to count in.
#[derive(Debug)]
#[non_exhaustive]
pub enum Regions {
    /// The regions of a list.
    Peaks(Peaks),
    /// Tiles of a genome.
    Tiles(Tiles),
}

/// The tiles of a genome. The last tile of a chromosome may be shorter.
#[derive(Debug)]
pub struct Tiles {
    /// Bases of a tile.
    pub width: u32,
    /// The chromosomes and their sizes. Without a list, all chromosomes are divided, up to their
    /// largest end.
    pub chromosomes: Option<ChromosomeSizes>,
}

/// The rows of the matrix and their regions.
pub(super) struct Rows {
    kind: RowKind,
    /// Names of the chromosomes.
    names: Table,
    len: u64,
    pub(super) notes: Vec<String>,
}

/// Kind of the rows.
enum RowKind {
    /// Regions, with the chromosomes of their list and the numbers of these in the store.
    Peaks(Vec<Peak>, Vec<Option<u32>>),
    Tiles {
        width: u32,
        parts: Vec<Cut>,
    },
}

/// A chromosome that is divided.
struct Cut {
    /// Its number in the list, and in the store.
    name: u32,
    chromosome: Option<u32>,
    size: u32,
    first_row: u64,
}

/// The region of a row.
#[derive(Clone, Copy)]
pub(super) struct Place {
    /// The chromosome in the store, if there is one of that name.
    pub(super) chromosome: Option<u32>,
    pub(super) start: u32,
    pub(super) end: u32,
}

impl Rows {
    pub(super) fn new(source: &dyn FragmentSource, regions: Regions) -> Result<Self> {
        let there = source.chromosome_names()?;
        match regions {
            Regions::Peaks(Peaks { chromosomes, list, .. }) => {
                let known = known(&chromosomes, &there)?;
                let len = list.len() as u64;
                let names = Table::of(&chromosomes)?;
                let notes = notes(&known, &names);
                Ok(Self { kind: RowKind::Peaks(list, known), names, len, notes })
            }
            Regions::Tiles(Tiles { width: 0, .. }) => {
                Err(Error::argument("the width of tiles must be at least 1"))
            }
            Regions::Tiles(Tiles { width, chromosomes }) => Self::tiles(source, width, chromosomes),
        }
    }

    fn tiles(
        source: &dyn FragmentSource,
        width: u32,
        listed: Option<ChromosomeSizes>,
    ) -> Result<Self> {
        let there = source.chromosome_names()?;
        let (names, sizes) = match &listed {
            Some(listed) => {
                let sizes = (0..).zip(listed.names.iter()).map(|(number, name)| {
                    let size: Option<u32> = listed.sizes.get(number).copied().flatten();
                    size.ok_or_else(|| {
                        let found = format!("no size of chromosome {}", shown(name));
                        let expected = "its size in the second column";
                        Error::mismatch(listed.place.clone(), found, expected)
                    })
                });
                let sizes = sizes.collect::<Result<Vec<_>>>()?;
                (listed.names.clone(), sizes)
            }
            None => {
                find_all("chromosome", &there, &there)?;
                let mut sizes = vec![0; usize::try_from(there.len()).unwrap_or(usize::MAX)];
                furthest(source, &mut sizes)?;
                (there.clone(), sizes)
            }
        };
        let known = known(&names, &there)?;
        let mut parts = Vec::new();
        let mut len = 0_u64;
        for ((name, &size), &chromosome) in (0..).zip(&sizes).zip(&known) {
            if size > 0 {
                parts.push(Cut { name, chromosome, size, first_row: len });
                len += u64::from(size.div_ceil(width));
            }
        }
        let names = Table::of(&names)?;
        let mut notes = notes(&known, &names);
        let without = there.iter().zip(0..).filter(|(_, number)| !known.contains(&Some(*number)));
        let without: Vec<String> = without.map(|(name, _)| shown(name)).collect();
        if !without.is_empty() {
            notes.push(format!("fragments on {} are not in any tile", few(&without)));
        }
        Ok(Self { kind: RowKind::Tiles { width, parts }, names, len, notes })
    }

    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// Returns the region of a row, and the number of its chromosome in the list.
    fn get(&self, row: u64) -> Option<(u32, Place)> {
        match &self.kind {
            RowKind::Peaks(list, known) => {
                let peak = list.get(usize::try_from(row).ok()?)?;
                let Peak { chromosome: name, start, end } = *peak;
                let chromosome = *known.get(name as usize)?;
                Some((name, Place { chromosome, start, end }))
            }
            RowKind::Tiles { width, parts } => {
                let part = parts.partition_point(|part| part.first_row <= row).checked_sub(1)?;
                let part = parts.get(part)?;
                let start = u64::from(*width) * (row - part.first_row);
                let start = u32::try_from(start).ok().filter(|&start| start < part.size)?;
                let end = start.saturating_add(*width).min(part.size);
                Some((part.name, Place { chromosome: part.chromosome, start, end }))
            }
        }
    }

    /// Returns the region of a row.
    pub(super) fn place(&self, row: u64) -> Place {
        let nowhere = Place { chromosome: None, start: 0, end: 0 };
        self.get(row).map_or(nowhere, |(_, place)| place)
    }

    /// Returns the minimum bytes of the names of rows from this one on.
    pub(super) fn least_bytes_of_names(&self, from: u64) -> u64 {
        match &self.kind {
            // A letter, a colon, a digit, a hyphen and a digit.
            RowKind::Peaks(..) => (self.len - from).saturating_mul(5),
            RowKind::Tiles { width, parts } => {
                let least = parts.iter().map(|part| {
                    let rows = u64::from(part.size.div_ceil(*width));
                    let passed = from.saturating_sub(part.first_row).min(rows);
                    // Starts; ends have at least as many digits.
                    let digits = digits(rows, *width) - digits(passed, *width);
                    let rest = self.names.get(part.name).len() as u64 + 2;
                    2 * digits + rest * (rows - passed)
                });
                least.sum()
            }
        }
    }

    /// Writes the name of a row, such as `chr1:1000-1500`.
    pub(super) fn name(&self, row: u64, text: &mut Vec<u8>) {
        text.clear();
        if let Some((name, Place { start, end, .. })) = self.get(row) {
            text.extend_from_slice(self.names.get(name));
            let mut digits = itoa::Buffer::new();
            for (mark, base) in [(b':', start), (b'-', end)] {
                text.push(mark);
                text.extend_from_slice(digits.format(base).as_bytes());
            }
        }
    }
}

/// Counts the digits of the first multiples of a number, starting at 0.
fn digits(count: u64, step: u32) -> u64 {
    let powers = (1..10).map(|power| 10_u64.pow(power));
    let longer = powers.map(|power| count.saturating_sub(power.div_ceil(u64::from(step))));
    count + longer.sum::<u64>()
}

/// Finds chromosomes in the store.
fn known(names: &StringList, there: &StringList) -> Result<Vec<Option<u32>>> {
    let numbers = Numbers::<&[u8]>::of(there);
    names.iter().map(|name| numbers.find(name)).collect()
}

/// Describes chromosomes that the store does not have.
fn notes(known: &[Option<u32>], names: &Table) -> Vec<String> {
    let absent = (0..).zip(known).filter(|(_, known)| known.is_none());
    let absent: Vec<String> = absent.map(|(number, _)| shown(names.get(number))).collect();
    if absent.is_empty() {
        return Vec::new();
    }
    vec![format!("no fragments on {}: the counts are zero", few(&absent))]
}

/// Lists the first of several names.
fn few(names: &[String]) -> String {
    const MOST: usize = 5;
    let more = if names.len() > MOST { ", ..." } else { "" };
    format!("{}{more}", names[..names.len().min(MOST)].join(", "))
}

/// Returns the largest end of the fragments of each chromosome.
fn furthest(source: &dyn FragmentSource, sizes: &mut [u32]) -> Result<()> {
    let all = 0..source.header().count;
    source.for_each(all, FragmentFields::INTERVALS, &mut |batch| {
        let furthest = batch.ends.iter().fold(0, |furthest, &end| furthest.max(end));
        if let Some(size) = sizes.get_mut(batch.chromosome as usize) {
            *size = furthest.max(*size);
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_counted_without_writing_them() {
        for step in [1_u32, 7, 10, 99, 100, 500, 1_000_000, 4_000_000_000] {
            for count in [0_u64, 1, 2, 9, 10, 11, 100, 1001, 5000] {
                if count * u64::from(step) < 10_000_000_000 {
                    let written: usize =
                        (0..count).map(|n| (n * u64::from(step)).to_string().len()).sum();
                    assert_eq!(digits(count, step), written as u64, "{count} times {step}");
                }
            }
        }
    }
}

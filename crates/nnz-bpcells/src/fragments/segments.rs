//! `chr_ptr`: the range of fragments of each chromosome.

use nnz_container::{NamedArrays, Vector};
use nnz_core::{At, Error, ErrorKind, FragmentHeader, Result, Segment};

use super::members::{CHR_PTR, allowed};
use crate::FormatVersion;

/// Elements that are read at a time; an even number.
const BLOCK: u64 = 16 * 1024;

/// Reads all of `chr_ptr`: a start and an end for each chromosome.
///
/// The result may take `memory` bytes. Chromosomes may be stored in any order, but each fragment
/// belongs to exactly one. The range of a chromosome without fragments has no meaning, except that
/// it must not be after all others.
pub(super) fn read(
    container: &NamedArrays,
    format_version: FormatVersion,
    memory: u64,
) -> Result<(Vector, FragmentHeader)> {
    let array = container.array(CHR_PTR)?;
    let expected = format_version.pointer_type();
    if array.value_type() != expected {
        let found = format!("elements of type {}", array.value_type());
        let expected = format!("elements of type {expected}, as the version requires");
        return Err(Error::mismatch(array.place(), found, expected));
    }
    let chromosomes = u32::try_from(array.len() / 2).ok().filter(|_| array.len().is_multiple_of(2));
    let Some(chromosomes) = chromosomes else {
        let found = format!("{} elements", array.len());
        let expected = "two for each of less than 2^32 chromosomes";
        return Err(Error::mismatch(array.place(), found, expected));
    };

    let allowed = allowed(array.stored_bytes()?, memory);
    let mut segments = Vec::new();
    let mut furthest = (0, 0);
    let mut block = Vec::new();
    for start in (0..array.len()).step_by(usize::try_from(BLOCK).unwrap_or(2)) {
        let len = BLOCK.min(array.len() - start);
        block.resize(usize::try_from(len).unwrap_or(0), 0_u64);
        array.read_widened(start, &mut block)?;
        for (&[from, to], chromosome) in block.as_chunks::<2>().0.iter().zip(start / 2..) {
            let element = 2 * chromosome + 1;
            if to < from {
                let expected = format!("at least {from}, where the chromosome starts");
                let place = array.place().at(At::Element(element));
                return Err(Error::mismatch(place, to, expected));
            }
            furthest = furthest.max((to, element));
            if from < to {
                // There are less than 2^32 of them.
                let chromosome = u32::try_from(chromosome).unwrap_or(u32::MAX);
                let needed = (segments.len() as u64 + 1) * size_of::<Segment>() as u64;
                if needed > allowed || segments.try_reserve(1).is_err() {
                    let kind = ErrorKind::Memory { needed, allowed };
                    return Err(Error::new(kind, array.place()));
                }
                segments.push(Segment { chromosome, fragments: from..to });
            }
        }
    }
    segments.sort_unstable_by_key(|segment| segment.fragments.start);
    let mut count = 0;
    for Segment { chromosome, fragments } in &segments {
        if fragments.start != count {
            let expected = format!("{count}, where the chromosome stored before it ends");
            let place = array.place().at(At::Element(2 * u64::from(*chromosome)));
            return Err(Error::mismatch(place, fragments.start, expected));
        }
        count = fragments.end;
    }
    if furthest.0 != count {
        let expected = format!("at most {count}, where the last chromosome with fragments ends");
        let place = array.place().at(At::Element(furthest.1));
        return Err(Error::mismatch(place, furthest.0, expected));
    }
    Ok((array, FragmentHeader::new(count, chromosomes, segments)))
}

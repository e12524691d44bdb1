//! Compounds: elements with named fields.

use super::element::Description;
use crate::tree::{Stored, StoredField};

/// Minimum size of a member in a datatype message: a name and a type.
const MIN_BYTES: usize = 10;

/// Parses the members of a compound.
pub(super) fn read(here: &mut Description<'_>) -> Option<Stored> {
    let bytes = usize::try_from(here.size).ok()?;
    let count = usize::from(u16::from_le_bytes([here.flags[0], here.flags[1]]));
    if count > here.rest.len() / MIN_BYTES {
        return None;
    }
    let mut fields = Vec::with_capacity(count);
    for _ in 0..count {
        let field = member(here)?;
        let end = field.offset.checked_add(field.element.bytes()?)?;
        if end > bytes {
            return None;
        }
        fields.push(field);
    }
    Some(complex(here, &fields).unwrap_or(Stored::Record { bytes, fields }))
}

fn member(here: &mut Description<'_>) -> Option<StoredField> {
    let name = here.name()?;
    let offset = here.number(match here.version {
        1 | 2 => 4,
        // As many bytes as the size of the compound needs.
        _ => match here.size {
            0..=0xff => 1,
            0x100..=0xffff => 2,
            0x1_0000..=0xff_ffff => 3,
            _ => 4,
        },
    })?;
    // The oldest version has up to four dimensions, and unused fields.
    let lengths = if here.version == 1 { dimensions(here)? } else { Vec::new() };
    let mut element = here.inner()?;
    if !lengths.is_empty() {
        element = Stored::Array { lengths, element: Box::new(element) };
    }
    Some(StoredField { name, offset: usize::try_from(offset).ok()?, element })
}

fn dimensions(here: &mut Description<'_>) -> Option<Vec<u64>> {
    let rank = usize::try_from(here.number(1)?).ok()?;
    here.take(11)?;
    let mut lengths = Vec::new();
    for _ in 0..4 {
        lengths.push(here.number(4)?.into());
    }
    if rank > lengths.len() {
        return None;
    }
    lengths.truncate(rank);
    Some(lengths)
}

/// Returns a complex number for two floats `r` and `i`, as written by h5py.
fn complex(here: &Description<'_>, fields: &[StoredField]) -> Option<Stored> {
    let [real, imaginary] = fields else { return None };
    let adjacent = real.element.bytes() == Some(imaginary.offset);
    let named = real.name == "r" && imaginary.name == "i";
    if !named || !adjacent || real.offset != 0 || real.element != imaginary.element {
        return None;
    }
    here.complex(&real.element)
}

//! Reading a tensor into memory.

use nnz_container::NamedArrays;
use nnz_core::{Error, ErrorKind, Place, Result, Values};

use super::Tensor;
use crate::EntryReader;
use crate::layout::LevelKind;

/// Reads all entries of a matrix or tensor, in storage order, into at most `memory` bytes.
///
/// # Errors
///
/// Fails before reading if they would not fit, and if an array is missing or invalid.
pub fn read_tensor(container: &NamedArrays, memory: u64) -> Result<Tensor> {
    let mut reader = EntryReader::open(container)?;
    let descriptor = reader.descriptor();
    let (shape, structure) = (descriptor.shape.clone(), descriptor.structure);
    let stored = descriptor.stored;
    let value_type = reader.value_type();
    let iso = reader.iso();
    let value_size = if iso.is_some() { 0 } else { value_type.size() };
    let needed = u128::from(stored) * (8 * shape.len() + value_size) as u128;
    if needed > u128::from(memory) {
        let needed = u64::try_from(needed).unwrap_or(u64::MAX);
        let place = Place::path(container.path());
        return Err(Error::new(ErrorKind::Memory { needed, allowed: memory }, place));
    }
    let innermost = descriptor.layout.levels().last().map(|level| level.kind);
    // With one shared value, a dense level may have any number of entries. Otherwise all entries
    // are in the file.
    let sure = if iso.is_some() && innermost == Some(LevelKind::Dense) { 0 } else { stored };
    let sure = usize::try_from(sure).unwrap_or(usize::MAX);
    let mut coordinates = vec![Vec::new(); shape.len()];
    for list in &mut coordinates {
        list.try_reserve_exact(sure).map_err(|_| exhausted(container, stored, memory))?;
    }
    let mut values = match iso {
        Some(value) => Values::Iso(value),
        None => Values::try_zeroed(value_type, sure)
            .ok_or_else(|| exhausted(container, stored, memory))?,
    };
    values.clear();
    while let Some((at, value)) = reader.next_entry()? {
        for (list, &coordinate) in coordinates.iter_mut().zip(at) {
            list.push(coordinate);
        }
        values.push(value);
    }
    Ok(Tensor { shape, coordinates, values, structure, fill: reader.fill() })
}

fn exhausted(container: &NamedArrays, stored: u64, memory: u64) -> Error {
    let needed = stored.saturating_mul(8);
    Error::new(ErrorKind::Memory { needed, allowed: memory }, Place::path(container.path()))
}

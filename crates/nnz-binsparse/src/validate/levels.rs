//! Checking the pointers and indices of each level on its own.

use nnz_core::{Error, Result};

use crate::deviation::Deviations;
use crate::layout::LevelKind;
use crate::store::{Integers, LevelStore, Store};

/// Elements that are read at a time.
const BLOCK: u64 = 1 << 14;

/// Checks every level of a store.
pub(super) fn check(store: &Store, found: &mut Deviations) {
    let doubly =
        store.descriptor.layout.levels().iter().all(|level| level.kind == LevelKind::Sparse)
            && store.descriptor.format.is_some();
    for level in &store.levels {
        let LevelStore::Sparse { extents, pointers, indices } = level else {
            continue;
        };
        let mut valid = true;
        for (array, &extent) in indices.iter().zip(extents) {
            valid &= found.take(range(array, extent)).is_some();
        }
        if let Some(pointers) = pointers {
            let slices = indices.first().map_or(0, Integers::len);
            let steps = found.take(steps(pointers, slices)).is_some();
            if steps && doubly {
                // Reading accepts these, so the order is still checked.
                found.take(no_empty(pointers));
            }
            valid &= steps;
        }
        // The beginning of each position is known now.
        if valid {
            found.take(order(pointers.as_ref(), indices));
        }
    }
}

/// Calls `each` with every block of an array and the number of its first element.
fn blocks(array: &Integers, mut each: impl FnMut(u64, &[u64]) -> Result<()>) -> Result<()> {
    let mut block = Vec::new();
    let mut start = 0;
    while start < array.len() {
        let len = BLOCK.min(array.len() - start);
        block.resize(usize::try_from(len).unwrap_or(0), 0);
        array.read(start, &mut block)?;
        each(start, &block)?;
        start += len;
    }
    Ok(())
}

fn range(array: &Integers, extent: u64) -> Result<()> {
    blocks(array, |start, block| {
        match block.iter().zip(start..).find(|&(&index, _)| index >= extent) {
            Some((&index, element)) => Err(array.wrong(
                element,
                index,
                format!("less than {extent}, the length of the axis"),
            )),
            None => Ok(()),
        }
    })
}

/// Checks that pointers do not decrease.
fn steps(pointers: &Integers, slices: u64) -> Result<()> {
    let mut least = 0;
    blocks(pointers, |start, block| {
        for (&pointer, element) in block.iter().zip(start..) {
            if pointer < least || pointer > slices {
                return Err(pointers.wrong(element, pointer, format!("{least} to {slices}")));
            }
            least = pointer;
        }
        Ok(())
    })
}

/// Checks that pointers increase.
fn no_empty(pointers: &Integers) -> Result<()> {
    let mut before = None;
    blocks(pointers, |start, block| {
        for (&pointer, element) in block.iter().zip(start..) {
            if before.replace(pointer) == Some(pointer) {
                let expected =
                    "more than the previous one, since empty rows and columns must not be listed";
                return Err(pointers.wrong(element, pointer, expected));
            }
        }
        Ok(())
    })
}

/// Checks that the slices of each position ascend without duplicates.
fn order(pointers: Option<&Integers>, indices: &[Integers]) -> Result<()> {
    let mut starts = Starts { pointers, block: Vec::new(), at: 0, next: 0 };
    let mut next_start = starts.next()?;
    let slices = indices.first().map_or(0, Integers::len);
    let mut columns = vec![Vec::new(); indices.len()];
    let mut before: Vec<u64> = Vec::new();
    let mut start = 0;
    while start < slices {
        let len = BLOCK.min(slices - start);
        for (column, array) in columns.iter_mut().zip(indices) {
            column.resize(usize::try_from(len).unwrap_or(0), 0_u64);
            array.read(start, column)?;
        }
        for (at, slice) in (start..start + len).enumerate() {
            let mut first = slice == 0;
            while next_start.is_some_and(|begin| begin <= slice) {
                first = true;
                next_start = starts.next()?;
            }
            let here = columns.iter().map(|column| column[at]);
            if !first && here.clone().le(before.iter().copied()) {
                return Err(out_of_order(indices, slice, here.collect(), &before));
            }
            before.clear();
            before.extend(here);
        }
        start += len;
    }
    Ok(())
}

/// Returns the error for a slice that is not after the previous one.
fn out_of_order(indices: &[Integers], slice: u64, here: Vec<u64>, before: &[u64]) -> Error {
    let pairs = here.iter().zip(before).zip(indices);
    for ((&index, &before), array) in pairs {
        if index < before {
            let expected = format!("at least {before}, since indices are sorted");
            return array.wrong(slice, index, expected);
        }
    }
    let place = indices.last().map(|array| array.place(slice)).unwrap_or_default();
    Error::mismatch(place, format!("{here:?} twice"), "no duplicates")
}

/// Iterates over the beginnings of positions.
struct Starts<'a> {
    pointers: Option<&'a Integers>,
    block: Vec<u64>,
    at: usize,
    next: u64,
}

impl Starts<'_> {
    fn next(&mut self) -> Result<Option<u64>> {
        let Some(pointers) = self.pointers else {
            return Ok(None);
        };
        if self.at == self.block.len() {
            let len = BLOCK.min(pointers.len() - self.next);
            self.block.resize(usize::try_from(len).unwrap_or(0), 0);
            pointers.read(self.next, &mut self.block)?;
            self.next += len;
            self.at = 0;
        }
        self.at += 1;
        Ok(self.block.get(self.at - 1).copied())
    }
}

//! Barcodes and the numbers they have among the cells.

use nnz_core::StringList;

use super::names::{Asked, Names};

/// All cells met so far, in the order they were first met.
#[derive(Debug, Default)]
pub(super) struct Cells {
    names: Names,
    /// The cells that are wanted, where not all are.
    wanted: Option<Wanted>,
}

#[derive(Debug)]
struct Wanted {
    /// The number of the cell for each of the names, once it was met.
    numbers: Vec<Option<u32>>,
    /// Which of the names each cell has.
    met: Vec<u32>,
}

/// What is known of a barcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
    /// The number of its cell.
    Cell(u32),
    /// Nothing yet.
    New,
    /// That it is not wanted.
    Unwanted,
}

impl Cells {
    /// Starts without any cell. Where a list is given, only those in it will be.
    ///
    /// Returns `None` where the list has too many names.
    pub(super) fn new(list: Option<&StringList>) -> Option<Self> {
        let mut names = Names::default();
        let Some(list) = list else {
            return Some(Self { names, wanted: None });
        };
        for name in list.iter() {
            names.find_or_insert(name)?;
        }
        let wanted = Some(Wanted { numbers: vec![None; names.len()], met: Vec::new() });
        Some(Self { names, wanted })
    }

    /// Asks for a barcode.
    pub(super) fn ask(&self, name: &[u8]) -> Asked {
        self.names.ask(name)
    }

    /// Returns what is known of a barcode that was asked for.
    #[inline]
    pub(super) fn answer(&self, name: &[u8], asked: Asked) -> Known {
        match (self.names.answer(name, asked), &self.wanted) {
            (Some(number), None) => Known::Cell(number),
            (None, None) => Known::New,
            (Some(name), Some(wanted)) => {
                let number = wanted.numbers.get(name as usize).copied().flatten();
                number.map_or(Known::New, Known::Cell)
            }
            (None, Some(_)) => Known::Unwanted,
        }
    }

    /// Returns the number of a cell, a new one where it is met for the first time. `None` where it
    /// is not wanted, or there would be too many.
    pub(super) fn number(&mut self, name: &[u8]) -> Option<u32> {
        let Some(wanted) = &mut self.wanted else {
            return self.names.find_or_insert(name);
        };
        let name = self.names.find(name)?;
        let number = wanted.numbers.get_mut(name as usize)?;
        if number.is_none() {
            *number = u32::try_from(wanted.met.len()).ok();
            wanted.met.push(name);
        }
        *number
    }

    /// Returns how many of the names of the list were never met, and how many it has.
    pub(super) fn unmet(&self) -> Option<[u64; 2]> {
        let Wanted { numbers, met } = self.wanted.as_ref()?;
        Some([numbers.len() - met.len(), numbers.len()].map(|count| count as u64))
    }

    pub(super) fn list(&self) -> StringList {
        match &self.wanted {
            None => self.names.list(),
            Some(wanted) => wanted.met.iter().map(|&name| self.names.name(name)).collect(),
        }
    }
}

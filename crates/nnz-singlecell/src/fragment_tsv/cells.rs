//! Barcodes and the indices of cells.

use nnz_core::StringList;

use super::names::{NameSlot, Names};

/// All cells so far, in the order of first occurrence.
#[derive(Debug, Default)]
pub(super) struct Cells {
    names: Names,
    /// The selected cells, if not all are.
    selected: Option<CellSelection>,
}

#[derive(Debug)]
struct CellSelection {
    /// The index of the cell for each of the names, once it has occurred.
    numbers: Vec<Option<u32>>,
    /// The name of each cell.
    met: Vec<u32>,
}

/// The result of looking up a barcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BarcodeLookup {
    /// The index of its cell.
    Cell(u32),
    /// It has not occurred yet.
    New,
    /// It is not selected.
    Unselected,
}

impl Cells {
    /// Creates an empty list. If `list` is given, only cells in it are added.
    ///
    /// Returns `None` if the list has too many names.
    pub(super) fn new(list: Option<&StringList>) -> Option<Self> {
        let mut names = Names::default();
        let Some(list) = list else {
            return Some(Self { names, selected: None });
        };
        for name in list.iter() {
            names.find_or_insert(name)?;
        }
        let selected = Some(CellSelection { numbers: vec![None; names.len()], met: Vec::new() });
        Some(Self { names, selected })
    }

    /// Starts to look up a barcode.
    pub(super) fn ask(&self, name: &[u8]) -> NameSlot {
        self.names.ask(name)
    }

    /// Returns what is known about a barcode that was looked up.
    #[inline]
    pub(super) fn answer(&self, name: &[u8], asked: NameSlot) -> BarcodeLookup {
        match (self.names.answer(name, asked), &self.selected) {
            (Some(number), None) => BarcodeLookup::Cell(number),
            (None, None) => BarcodeLookup::New,
            (Some(name), Some(selected)) => {
                let number = selected.numbers.get(name as usize).copied().flatten();
                number.map_or(BarcodeLookup::New, BarcodeLookup::Cell)
            }
            (None, Some(_)) => BarcodeLookup::Unselected,
        }
    }

    /// Returns the index of a cell, a new one on its first occurrence. Returns `None` if it is not
    /// selected, or if there are too many.
    pub(super) fn number(&mut self, name: &[u8]) -> Option<u32> {
        let Some(selected) = &mut self.selected else {
            return self.names.find_or_insert(name);
        };
        let name = self.names.find(name)?;
        let number = selected.numbers.get_mut(name as usize)?;
        if number.is_none() {
            *number = u32::try_from(selected.met.len()).ok();
            selected.met.push(name);
        }
        *number
    }

    /// Returns how many names of the list did not occur, and how many it has.
    pub(super) fn unmet(&self) -> Option<[u64; 2]> {
        let CellSelection { numbers, met } = self.selected.as_ref()?;
        Some([numbers.len() - met.len(), numbers.len()].map(|count| count as u64))
    }

    pub(super) fn list(&self) -> StringList {
        match &self.selected {
            None => self.names.list(),
            Some(selected) => selected.met.iter().map(|&name| self.names.name(name)).collect(),
        }
    }
}

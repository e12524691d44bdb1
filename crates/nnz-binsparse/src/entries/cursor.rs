//! The position of an iteration over entries in one level.

use std::ops::Range;

use nnz_core::Result;

use super::window::Window;
use crate::store::{Integers, LevelStore};

/// A position in a level that only moves forward. It visits all slices of a sparse level, also
/// those without entries, and checks each of them once.
pub(super) struct Cursor {
    /// Its range of dimensions among the dimensions of all levels.
    dimensions: Range<usize>,
    extents: Vec<u64>,
    /// The current slice.
    slice: Option<u64>,
    kind: CursorKind,
}

enum CursorKind {
    Dense { size: u64 },
    Sparse { pointers: Option<Fiber>, indices: Vec<Window> },
}

/// The slices of one position of the outer level.
struct Fiber {
    pointers: Window,
    /// The position in the outer level.
    position: u64,
    /// The end of its slices; `None` before anything is read.
    end: Option<u64>,
    /// The number of slices of all positions.
    slices: u64,
}

impl Cursor {
    pub(super) fn new(level: LevelStore, dimension: usize) -> Self {
        let (extents, kind) = match level {
            LevelStore::Dense { extents, size } => (extents, CursorKind::Dense { size }),
            LevelStore::Sparse { extents, pointers, indices } => {
                let slices = indices.first().map_or(0, Integers::len);
                let pointers = pointers.map(|pointers| {
                    let pointers = Window::new(pointers);
                    Fiber { pointers, position: 0, end: None, slices }
                });
                let indices = indices.into_iter().map(Window::new).collect();
                (extents, CursorKind::Sparse { pointers, indices })
            }
        };
        let dimensions = dimension..dimension + extents.len();
        Self { dimensions, extents, slice: None, kind }
    }

    pub(super) fn dimensions(&self) -> Range<usize> {
        self.dimensions.clone()
    }

    /// Checks the remaining slices, and the remaining positions of the outer level, which have
    /// none.
    pub(super) fn finish(&mut self, stored: &mut [u64]) -> Result<()> {
        let CursorKind::Sparse { indices, .. } = &self.kind else {
            return Ok(());
        };
        if let Some(last) = indices.first().and_then(|window| window.array.len().checked_sub(1)) {
            self.advance(last, stored)?;
        }
        match &mut self.kind {
            CursorKind::Sparse { pointers: Some(fiber), .. } => fiber.finish(),
            _ => Ok(()),
        }
    }

    /// Moves to a slice at or after the current one and stores its coordinates. Returns the
    /// position in the outer level if that has changed.
    pub(super) fn advance(&mut self, slice: u64, stored: &mut [u64]) -> Result<Option<u64>> {
        let before = self.slice.replace(slice);
        if before == Some(slice) {
            return Ok(None);
        }
        let stored = &mut stored[self.dimensions.clone()];
        match &mut self.kind {
            CursorKind::Dense { size } => {
                let mut rest = slice % (*size).max(1);
                for (coordinate, &extent) in stored.iter_mut().zip(&self.extents).rev() {
                    *coordinate = rest % extent.max(1);
                    rest /= extent.max(1);
                }
                Ok(Some(slice / (*size).max(1)))
            }
            CursorKind::Sparse { pointers, indices } => {
                let mut moved = before.is_none();
                for next in before.map_or(0, |before| before + 1)..=slice {
                    let first = match pointers {
                        Some(fiber) => fiber.advance(next)?,
                        None => next == 0,
                    };
                    place(indices, &self.extents, next, first, stored)?;
                    moved |= first;
                }
                let position = pointers.as_ref().map_or(0, |fiber| fiber.position);
                Ok(moved.then_some(position))
            }
        }
    }
}

impl Fiber {
    /// Moves to the position that a slice belongs to, and returns whether it has changed.
    fn advance(&mut self, slice: u64) -> Result<bool> {
        let mut moved = false;
        let mut end = match self.end {
            Some(end) => end,
            None => {
                moved = true;
                self.end_of(0, 0)?
            }
        };
        while end <= slice {
            self.position += 1;
            moved = true;
            end = self.end_of(self.position, end)?;
        }
        self.end = Some(end);
        Ok(moved)
    }

    /// Reads the end of the slices of a position, which begin at `start`.
    fn end_of(&mut self, position: u64, start: u64) -> Result<u64> {
        let end = self.pointers.get(position + 1)?;
        if end < start || end > self.slices {
            let expected = format!("{start} to {}", self.slices);
            return Err(self.pointers.array.wrong(position + 1, end, expected));
        }
        Ok(end)
    }

    /// Checks that the remaining positions have no slices.
    fn finish(&mut self) -> Result<()> {
        let mut end = self.end.unwrap_or(0);
        let from = if self.end.is_some() { self.position + 1 } else { 0 };
        for position in from..self.pointers.array.len().saturating_sub(1) {
            end = self.end_of(position, end)?;
        }
        Ok(())
    }
}

/// Reads the coordinates of a slice. They must be in range, and after the coordinates of the previous
/// slice unless it is the `first` of its position.
fn place(
    indices: &mut [Window],
    extents: &[u64],
    slice: u64,
    first: bool,
    stored: &mut [u64],
) -> Result<()> {
    // The first dimension that differs from the previous slice decides.
    let mut after = first;
    for ((window, &extent), coordinate) in indices.iter_mut().zip(extents).zip(&mut *stored) {
        let index = window.get(slice)?;
        if index >= extent {
            return Err(window.array.wrong(slice, index, format!("less than {extent}")));
        }
        if !after && index < *coordinate {
            let expected = format!("at least {coordinate}, since indices are sorted");
            return Err(window.array.wrong(slice, index, expected));
        }
        after |= index > *coordinate;
        *coordinate = index;
    }
    match indices.last() {
        Some(window) if !after => {
            let index = stored.last().copied().unwrap_or(0);
            Err(window.array.wrong(slice, index, "no duplicates"))
        }
        _ => Ok(()),
    }
}

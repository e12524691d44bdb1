//! Major vectors with pointers: CSR, CSC, DCSR, DCSC, and the one of a sparse vector.

use std::ops::Range;

use nnz_core::{Batch, Majors, Projection, Result, Unit, UnitReader};

use super::MatrixSource;
use super::ascending::read_minors;
use super::triangle::check_triangle;
use crate::store::{Integers, PIECE};

/// Pointers that are read at a time.
const WINDOW: u64 = 1 << 14;

/// Cuts a range of major vectors into pieces.
pub(super) struct RunReader<'a> {
    source: &'a MatrixSource,
    listed: Option<&'a Integers>,
    pointers: Option<&'a Integers>,
    minors: &'a Integers,
    fields: Projection,
    /// The next run to hand out, which may be begun already, and the end.
    runs: Range<u64>,
    /// The next entry to hand out.
    entry: Option<u64>,
    /// Pointers of the runs from `window_start` on, and the end of the last one.
    window: Vec<u64>,
    /// Their majors, where they are listed.
    majors: Vec<u64>,
    window_start: u64,
}

impl<'a> RunReader<'a> {
    pub(super) fn new(
        source: &'a MatrixSource,
        listed: Option<&'a Integers>,
        pointers: Option<&'a Integers>,
        minors: &'a Integers,
        majors: Range<u64>,
        fields: Projection,
    ) -> Result<Self> {
        let runs = match listed {
            Some(listed) => listed_range(listed, majors, source.majors)?,
            None => majors,
        };
        Ok(Self {
            source,
            listed,
            pointers,
            minors,
            fields,
            runs,
            entry: None,
            window: Vec::new(),
            majors: Vec::new(),
            window_start: 0,
        })
    }

    /// Makes sure that the pointers of the next run are in the window.
    fn load_window(&mut self) -> Result<()> {
        let loaded = self.window.len().saturating_sub(1) as u64;
        let start = self.runs.start;
        if self.window_start <= start && start < self.window_start + loaded {
            return Ok(());
        }
        let count = WINDOW.min(self.runs.end - start);
        let len = usize::try_from(count).unwrap_or(0);
        let entries = self.minors.len();
        match self.pointers {
            Some(pointers) => {
                self.window.resize(len + 1, 0);
                pointers.read(start, &mut self.window)?;
                let mut least = self.entry.unwrap_or(0);
                for (&pointer, element) in self.window.iter().zip(start..) {
                    if pointer < least || pointer > entries {
                        let expected = format!("{least} to {entries}");
                        return Err(pointers.wrong(element, pointer, expected));
                    }
                    least = pointer;
                }
            }
            None => self.window = vec![0, entries],
        }
        if let Some(listed) = self.listed {
            let before = self.majors.last().copied().filter(|_| self.entry.is_some());
            self.majors.resize(len, 0);
            listed.read(start, &mut self.majors)?;
            check_listed(listed, start, &self.majors, before, self.source.majors)?;
        }
        self.window_start = start;
        Ok(())
    }
}

/// Returns which of the listed majors are in a range. Those of the whole axis are all, and checked
/// as they are read.
pub(super) fn listed_range(listed: &Integers, majors: Range<u64>, axis: u64) -> Result<Range<u64>> {
    let all = listed.len();
    let start = if majors.start == 0 { 0 } else { listed.search(0..all, majors.start)? };
    let end = if majors.end == axis { all } else { listed.search(start..all, majors.end)? };
    Ok(start..end)
}

/// Checks that listed majors are in range and ascend.
pub(super) fn check_listed(
    listed: &Integers,
    first: u64,
    majors: &[u64],
    mut before: Option<u64>,
    axis: u64,
) -> Result<()> {
    for (&major, element) in majors.iter().zip(first..) {
        if major >= axis {
            let expected = format!("less than {axis}, the length of the axis");
            return Err(listed.wrong(element, major, expected));
        }
        if let Some(before) = before.filter(|&before| before >= major) {
            let expected = format!("more than {before}, as indices ascend");
            return Err(listed.wrong(element, major, expected));
        }
        before = Some(major);
    }
    Ok(())
}

impl<'a> UnitReader<'a> for RunReader<'a> {
    fn next_unit(&mut self) -> Result<Option<Box<dyn Unit + 'a>>> {
        if self.runs.is_empty() {
            return Ok(None);
        }
        self.load_window()?;
        let skip = usize::try_from(self.runs.start - self.window_start).unwrap_or(0);
        let window = &self.window[skip..];
        let start = *self.entry.get_or_insert(window[0]);
        let continued = start > window[0];
        // Pieces end where chunks of arrays are likely to.
        let limit = (start / PIECE).saturating_add(1).saturating_mul(PIECE);

        let first = self.runs.start;
        let mut offsets = Vec::with_capacity(window.len().min(256));
        offsets.push(0);
        let mut end = start;
        for &next in &window[1..] {
            end = next.min(limit);
            offsets.push(usize::try_from(end - start).unwrap_or(usize::MAX));
            if next > limit {
                // This run goes on in the next piece.
                break;
            }
            self.runs.start += 1;
        }
        self.entry = Some(end);
        let majors = match self.listed {
            Some(_) => Majors::Listed(self.majors[skip..skip + offsets.len() - 1].to_vec()),
            None => Majors::Consecutive(first),
        };
        Ok(Some(Box::new(Piece {
            source: self.source,
            minors: self.minors,
            fields: self.fields,
            majors,
            offsets,
            entries: start..end,
            continued,
        })))
    }
}

/// The entries of neighbouring runs, the first and last of which may be cut.
struct Piece<'a> {
    source: &'a MatrixSource,
    minors: &'a Integers,
    fields: Projection,
    majors: Majors,
    offsets: Vec<usize>,
    entries: Range<u64>,
    /// Whether the first run began in a piece before.
    continued: bool,
}

impl Unit for Piece<'_> {
    fn decode(self: Box<Self>, batch: &mut Batch) -> Result<()> {
        let Self { source, minors, fields, majors, offsets, entries, continued } = *self;
        if fields.minors {
            let before = match entries.start.checked_sub(1).filter(|_| continued) {
                Some(before) => Some(minors.get(before)?),
                None => None,
            };
            let axis = source.minors;
            read_minors(minors, entries.clone(), axis, &offsets, before, &mut batch.minors)?;
        }
        if fields.values {
            source.values.read(entries.clone(), &mut batch.values)?;
        }
        source.begin(batch, majors, offsets);
        check_triangle(source, minors, entries.start, fields, batch)
    }
}

//! Encoding batches as text, on any thread.

use std::ops::Range;
use std::sync::Arc;

use nnz_core::{At, Encoded, Error, FragmentBatch, FragmentEncoder, Place, Result, StringList};

use super::super::bgzf::{self, Deflater};
use super::super::fault::shown;
use super::super::spare::Spares;
use super::index::{PartialIndex, Spot};
use super::{Columns, Compression, LARGEST_INDEXED, WriteOptions};

/// Encodes batches as text, on any thread.
#[derive(Debug)]
pub struct FragmentTsvEncoder {
    place: Place,
    options: WriteOptions,
    chromosomes: Lines,
    cells: Lines,
    deflaters: Arc<Spares<Deflater>>,
}

/// Encoded batches, ready to be written.
#[derive(Debug)]
pub struct EncodedFragments {
    /// Text, or compressed blocks.
    pub(super) bytes: Vec<u8>,
    /// The runs of fragments, in order.
    pub(super) runs: Vec<EncodedRun>,
    pub(super) index: PartialIndex,
}

/// Properties of consecutive fragments that the sink checks.
#[derive(Clone, Copy, Debug)]
pub(super) struct EncodedRun {
    pub(super) chromosome: u32,
    pub(super) first_start: u32,
    pub(super) last_start: u32,
    pub(super) lines: u64,
}

/// Names with the text around them in a line.
#[derive(Debug)]
struct Lines {
    text: Vec<u8>,
    ends: Vec<usize>,
}

impl Lines {
    fn new(names: &StringList, before: &[u8], after: &[u8]) -> Self {
        let mut lines = Self { text: Vec::new(), ends: Vec::new() };
        for name in names.iter() {
            lines.text.extend_from_slice(before);
            lines.text.extend_from_slice(name);
            lines.text.extend_from_slice(after);
            lines.ends.push(lines.text.len());
        }
        lines
    }

    #[inline]
    fn get(&self, number: u32) -> Option<&[u8]> {
        let number = number as usize;
        let end = *self.ends.get(number)?;
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        self.text.get(start..end)
    }
}

impl FragmentEncoder for FragmentTsvEncoder {
    fn encode(&self, batches: &[FragmentBatch]) -> Result<Encoded> {
        Ok(Box::new(Self::encode(self, batches)?))
    }
}

impl FragmentTsvEncoder {
    pub(super) fn new(
        place: Place,
        chromosomes: &StringList,
        cells: &StringList,
        options: WriteOptions,
    ) -> Result<Self> {
        for (what, names) in [("chromosome", chromosomes), ("cell", cells)] {
            for (number, name) in (0..).zip(names.iter()) {
                let comment = what == "chromosome" && name.first() == Some(&b'#');
                if name.is_empty() || comment || name.iter().any(|&byte| byte < b' ') {
                    let place = place.clone().with_array(format!("{what} names"));
                    let expected = "a name that can be written in a line: not empty, without \
                                    control characters, and not a comment";
                    return Err(Error::mismatch(
                        place.at(At::Element(number)),
                        shown(name),
                        expected,
                    ));
                }
            }
        }
        let after: &[u8] = match options.columns {
            Columns::Five => b"\t1\n",
            Columns::Four => b"\n",
        };
        Ok(Self {
            place,
            options,
            chromosomes: Lines::new(chromosomes, b"", b"\t"),
            cells: Lines::new(cells, b"\t", after),
            deflaters: Arc::default(),
        })
    }

    /// Encodes consecutive batches as text.
    ///
    /// Compressed blocks end at the end of the batches, so encoding few small ones at a time gives
    /// larger files.
    ///
    /// # Errors
    ///
    /// Fails if a chromosome or cell has no name, if starts do not ascend, or if a fragment ends
    /// before it starts or is out of range for an index.
    pub fn encode(&self, batches: &[FragmentBatch]) -> Result<EncodedFragments> {
        let mut text = Vec::new();
        let mut runs = Vec::new();
        let mut spots = Vec::new();
        for batch in batches {
            self.lines(batch, &mut text, &mut spots)?;
            if let (Some(&first_start), Some(&last_start)) =
                (batch.starts.first(), batch.starts.last())
            {
                runs.push(EncodedRun {
                    chromosome: batch.chromosome,
                    first_start,
                    last_start,
                    lines: batch.starts.len() as u64,
                });
            }
        }
        if self.options.compression != Compression::Bgzip {
            return Ok(EncodedFragments { bytes: text, runs, index: PartialIndex::default() });
        }
        let mut deflater = self.deflaters.get();
        let mut bytes = Vec::with_capacity(text.len() / 3);
        // The beginning of each block, and the end of the last.
        let mut begins = vec![0];
        for block in text.chunks(bgzf::TEXT) {
            deflater
                .block(block, &mut bytes)
                .map_err(|what| Error::unsupported(self.place.clone(), what))?;
            begins.push(bytes.len() as u64);
        }
        let index = PartialIndex::new(&spots, &begins);
        Ok(EncodedFragments { bytes, runs, index })
    }

    /// Writes the lines of a batch.
    fn lines(
        &self,
        batch: &FragmentBatch,
        text: &mut Vec<u8>,
        spots: &mut Vec<Spot>,
    ) -> Result<()> {
        let FragmentBatch { chromosome, cells, starts, ends } = batch;
        if cells.len() != starts.len() || starts.len() != ends.len() {
            return Err(Error::argument("a batch whose columns have different lengths"));
        }
        let Some(name) = self.chromosomes.get(*chromosome) else {
            let found = format!("chromosome {chromosome}");
            let expected =
                format!("less than {}, the number of names", self.chromosomes.ends.len());
            return Err(Error::mismatch(self.place.clone(), found, expected));
        };
        let past =
            |start, end| self.options.index && (end > LARGEST_INDEXED || start >= LARGEST_INDEXED);
        text.reserve(cells.len() * (name.len() + 42));
        let mut before = 0;
        let mut number = itoa::Buffer::new();
        for ((&cell, &start), &end) in cells.iter().zip(starts).zip(ends) {
            if start < before || end < start || past(start, end) {
                return Err(self.refuse(name, before, start..end));
            }
            before = start;
            let Some(cell) = self.cells.get(cell) else {
                let found = format!("cell {cell}");
                let expected = format!("less than {}, the number of names", self.cells.ends.len());
                return Err(Error::mismatch(self.place.clone(), found, expected));
            };
            let line = text.len();
            text.extend_from_slice(name);
            text.extend_from_slice(number.format(start).as_bytes());
            text.push(b'\t');
            text.extend_from_slice(number.format(end).as_bytes());
            text.extend_from_slice(cell);
            if self.options.index {
                let spot = Spot { chromosome: *chromosome, start, end, text: line..text.len() };
                Spot::push(spots, spot);
            }
        }
        Ok(())
    }

    #[cold]
    fn refuse(&self, chromosome: &[u8], before: u32, fragment: Range<u32>) -> Error {
        let Range { start, end } = fragment;
        let name = shown(chromosome.strip_suffix(b"\t").unwrap_or(chromosome));
        let found = format!("a fragment of {name} from {start} to {end}");
        let expected = if end < start {
            "an end that is not before the start".to_owned()
        } else if start < before {
            format!("a start of at least {before}, the start of the previous one")
        } else {
            format!(
                "positions less than {LARGEST_INDEXED}, the limit of a .tbi index; the text can \
                 be written without an index"
            )
        };
        Error::mismatch(self.place.clone(), found, expected)
    }
}

impl std::fmt::Debug for Deflater {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Deflater")
    }
}

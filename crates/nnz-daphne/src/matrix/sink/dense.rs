//! A single dense block, written while elements or entries are received.

use nnz_core::{At, Batch, Error, Header, Minors, Place, Result};

use crate::DataType;
use crate::file::swap_on_big_endian;
use crate::output::Output;

/// Elements by row. Elements that are not received are zero.
pub(super) struct DenseStream {
    cols: u64,
    elements: u128,
    size: usize,
    /// Whether explicit zeros are entries, which a dense block cannot represent.
    sparse: bool,
    /// The index of the next element to be written.
    next: u128,
}

impl DenseStream {
    pub(super) fn new(header: &Header, data_type: DataType) -> Self {
        Self {
            cols: header.shape.cols,
            elements: header.shape.elements(),
            size: header.value_type.size(),
            sparse: data_type == DataType::Csr,
            next: 0,
        }
    }

    pub(super) fn write(&mut self, output: &mut Output, batch: &Batch) -> Result<()> {
        let mut run = 0;
        while run < batch.runs() {
            let first = batch.run(run);
            if first.is_empty() {
                run += 1;
                continue;
            }
            let row = batch.majors.get(run);
            if matches!(batch.minors, Minors::Spans(_)) {
                // Consecutive runs without a gap are written at once.
                let start = self.number(row, batch.minor(run, first.start));
                let mut end = first.end;
                run += 1;
                while run < batch.runs()
                    && self.number(batch.majors.get(run), batch.minor(run, end))
                        == start + (end - first.start) as u128
                {
                    end = batch.run(run).end;
                    run += 1;
                }
                self.put(output, start, batch, first.start..end)?;
            } else {
                self.put_entries(output, batch, run)?;
                run += 1;
            }
        }
        Ok(())
    }

    fn number(&self, row: u64, col: u64) -> u128 {
        u128::from(row) * u128::from(self.cols) + u128::from(col)
    }

    /// Writes the entries of a run; consecutive ones are written at once.
    fn put_entries(&mut self, output: &mut Output, batch: &Batch, run: usize) -> Result<()> {
        let range = batch.run(run);
        let row = batch.majors.get(run);
        let mut start = range.start;
        while start < range.end {
            let col = batch.minor(run, start);
            let mut end = start + 1;
            while end < range.end && batch.minor(run, end) == col + (end - start) as u64 {
                end += 1;
            }
            if self.sparse {
                self.check_zeros(batch, run, start..end)?;
            }
            self.put(output, self.number(row, col), batch, start..end)?;
            start = end;
        }
        Ok(())
    }

    fn check_zeros(&self, batch: &Batch, run: usize, range: std::ops::Range<usize>) -> Result<()> {
        let bytes = batch.values.bytes();
        for entry in range {
            if bytes[entry * self.size..(entry + 1) * self.size].iter().all(|&byte| byte == 0) {
                let (row, col) = (batch.majors.get(run), batch.minor(run, entry));
                let place = Place::default().at(At::Entry { row, col });
                let expected = "none, since a dense block of a sparse matrix cannot represent it";
                return Err(Error::mismatch(place, "an explicit zero", expected));
            }
        }
        Ok(())
    }

    fn put(
        &mut self,
        output: &mut Output,
        start: u128,
        batch: &Batch,
        range: std::ops::Range<usize>,
    ) -> Result<()> {
        self.fill(output, start)?;
        self.next = start + range.len() as u128;
        let bytes = &batch.values.bytes()[range.start * self.size..range.end * self.size];
        if cfg!(target_endian = "big") {
            let mut bytes = bytes.to_vec();
            swap_on_big_endian(&mut bytes, self.size);
            return output.write(&bytes);
        }
        output.write(bytes)
    }

    /// Writes zeros up to an element.
    fn fill(&mut self, output: &mut Output, to: u128) -> Result<()> {
        let gap = to.saturating_sub(self.next).saturating_mul(self.size as u128);
        let gap = u64::try_from(gap).map_err(|_| {
            let expected = "a file of less than 2^64 bytes";
            Error::mismatch(Place::default(), format!("{gap} bytes of zeros"), expected)
        })?;
        self.next = self.next.max(to);
        output.write_zeros(gap)
    }

    pub(super) fn finish(&mut self, output: &mut Output) -> Result<()> {
        self.fill(output, self.elements)
    }
}

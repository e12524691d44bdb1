//! Writing every cell of major vectors, those between the entries too.

use nnz_container::{ArrayId, ContainerWriter};
use nnz_core::{Result, Scalar};

use super::Options;
use super::encode::Piece;
use super::plan::Plan;
use crate::DataType;
use crate::output::IntegerArray;
use crate::store::zero;

/// Cells that are written at a time.
const BLOCK: usize = 4096;

/// The cells being written.
pub(super) struct CellSink {
    /// The majors that have cells; `None` where all have.
    listed: Option<IntegerArray>,
    majors: u64,
    minors: u64,
    /// The cell that is written next.
    next: (u64, u64),
    /// What cells hold that no entry comes for.
    fill: Scalar,
    /// A block of such cells.
    filling: Vec<u8>,
}

impl CellSink {
    pub(super) fn create(
        container: &mut dyn ContainerWriter,
        plan: &Plan,
        options: &Options,
        data_types: &mut Vec<(String, DataType)>,
    ) -> Result<Self> {
        let listed = if plan.listed {
            let name = "indices_0";
            let value_type = options.index_type(name, plan.majors)?;
            let array = IntegerArray::create(container, name.to_owned(), value_type)?;
            data_types.push(array.data_type());
            Some(array)
        } else {
            None
        };
        let fill = plan.fill.unwrap_or_else(|| zero(plan.value_type));
        let (majors, minors) = (plan.majors, plan.minors);
        // Before the first listed vector there is none that would have to be completed.
        let next = if listed.is_some() { (0, minors) } else { (0, 0) };
        Ok(Self {
            listed,
            majors,
            minors,
            next,
            fill,
            filling: fill.repeat(BLOCK).bytes().to_vec(),
        })
    }

    /// Writes a piece, and the cells before it.
    pub(super) fn push(
        &mut self,
        container: &mut dyn ContainerWriter,
        values: ArrayId,
        piece: &Piece,
    ) -> Result<()> {
        let size = self.fill.value_type().size();
        for (major, minor, entries) in &piece.stretches {
            self.go_to(container, values, *major, *minor)?;
            container
                .append_bytes(values, &piece.values[entries.start * size..entries.end * size])?;
            self.next.1 += entries.len() as u64;
        }
        Ok(())
    }

    /// Completes all vectors, and returns the number of cells.
    pub(super) fn finish(
        &mut self,
        container: &mut dyn ContainerWriter,
        values: ArrayId,
    ) -> Result<u64> {
        match &self.listed {
            Some(listed) => {
                let vectors = listed.written;
                self.write_filling(container, values, self.minors - self.next.1)?;
                Ok(vectors.saturating_mul(self.minors))
            }
            None => {
                self.go_to(container, values, self.majors, 0)?;
                Ok(self.majors.saturating_mul(self.minors))
            }
        }
    }

    /// Writes the cells up to one.
    fn go_to(
        &mut self,
        container: &mut dyn ContainerWriter,
        values: ArrayId,
        major: u64,
        minor: u64,
    ) -> Result<()> {
        match &mut self.listed {
            None => {
                let whole = (major - self.next.0) * self.minors;
                self.write_filling(container, values, whole + minor - self.next.1)?;
            }
            Some(listed) if listed.written == 0 || major != self.next.0 => {
                listed.append(container, &[major])?;
                let left = self.minors - self.next.1;
                self.write_filling(container, values, left)?;
                self.write_filling(container, values, minor)?;
            }
            Some(_) => self.write_filling(container, values, minor - self.next.1)?,
        }
        self.next = (major, minor);
        Ok(())
    }

    fn write_filling(
        &mut self,
        container: &mut dyn ContainerWriter,
        values: ArrayId,
        mut count: u64,
    ) -> Result<()> {
        let size = self.fill.value_type().size();
        while count > 0 {
            let now = usize::try_from(count).unwrap_or(BLOCK).min(BLOCK);
            container.append_bytes(values, &self.filling[..now * size])?;
            count -= now as u64;
        }
        Ok(())
    }
}

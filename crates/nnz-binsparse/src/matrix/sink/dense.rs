//! Writing every element of major vectors, including those without an entry.

use nnz_container::NamedArraysWriter;
use nnz_container::tree::NodeId;
use nnz_core::{Result, Scalar};

use super::Options;
use super::encode::EncodedBatch;
use super::plan::Plan;
use crate::DataType;
use crate::output::IntegerArray;
use crate::store::zero;

/// Elements that are written at a time.
const BLOCK: usize = 4096;

/// The state of writing elements.
pub(super) struct DenseSink {
    /// The majors with elements; `None` if all have.
    listed: Option<IntegerArray>,
    majors: u64,
    minors: u64,
    /// The next element to be written.
    next: (u64, u64),
    /// The value of elements without an entry.
    fill: Scalar,
    /// A block of such elements.
    fill_block: Vec<u8>,
}

impl DenseSink {
    pub(super) fn create(
        container: &mut NamedArraysWriter,
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
        // Before the first listed vector there is none to complete.
        let next = if listed.is_some() { (0, minors) } else { (0, 0) };
        Ok(Self {
            listed,
            majors,
            minors,
            next,
            fill,
            fill_block: fill.repeat(BLOCK).bytes().to_vec(),
        })
    }

    /// Writes the elements before a piece, and the piece.
    pub(super) fn push(
        &mut self,
        container: &mut NamedArraysWriter,
        values: NodeId,
        piece: &EncodedBatch,
    ) -> Result<()> {
        let size = self.fill.value_type().size();
        for (major, minor, entries) in &piece.stretches {
            self.fill_up_to(container, values, *major, *minor)?;
            container
                .append_bytes(values, &piece.values[entries.start * size..entries.end * size])?;
            self.next.1 += entries.len() as u64;
        }
        Ok(())
    }

    /// Completes all vectors, and returns the number of elements.
    pub(super) fn finish(
        &mut self,
        container: &mut NamedArraysWriter,
        values: NodeId,
    ) -> Result<u64> {
        match &self.listed {
            Some(listed) => {
                let vectors = listed.written;
                self.write_fill_elements(container, values, self.minors - self.next.1)?;
                Ok(vectors.saturating_mul(self.minors))
            }
            None => {
                self.fill_up_to(container, values, self.majors, 0)?;
                Ok(self.majors.saturating_mul(self.minors))
            }
        }
    }

    /// Writes the elements before a position.
    fn fill_up_to(
        &mut self,
        container: &mut NamedArraysWriter,
        values: NodeId,
        major: u64,
        minor: u64,
    ) -> Result<()> {
        match &mut self.listed {
            None => {
                let whole = (major - self.next.0) * self.minors;
                self.write_fill_elements(container, values, whole + minor - self.next.1)?;
            }
            Some(listed) if listed.written == 0 || major != self.next.0 => {
                listed.append(container, &[major])?;
                let left = self.minors - self.next.1;
                self.write_fill_elements(container, values, left)?;
                self.write_fill_elements(container, values, minor)?;
            }
            Some(_) => self.write_fill_elements(container, values, minor - self.next.1)?,
        }
        self.next = (major, minor);
        Ok(())
    }

    fn write_fill_elements(
        &mut self,
        container: &mut NamedArraysWriter,
        values: NodeId,
        mut count: u64,
    ) -> Result<()> {
        let size = self.fill.value_type().size();
        while count > 0 {
            let now = usize::try_from(count).unwrap_or(BLOCK).min(BLOCK);
            container.append_bytes(values, &self.fill_block[..now * size])?;
            count -= now as u64;
        }
        Ok(())
    }
}

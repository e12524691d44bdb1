//! Writing the indices of entries, with or without pointers.

use nnz_container::NamedArraysWriter;
use nnz_core::{Result, ValueType};

use super::encode::EncodedBatch;
use super::plan::Plan;
use super::{Form, Options};
use crate::DataType;
use crate::output::IntegerArray;

/// Pointers that are written at a time.
const BLOCK: usize = 1 << 16;

/// The names of the arrays.
const MAJORS: &str = "indices_0";
const MINORS: &str = "indices_1";
const POINTERS: &str = "pointers_to_1";

/// The state of writing the arrays of entries.
pub(super) struct EntrySink {
    /// The majors: those with entries, or one for each entry.
    listed: Option<IntegerArray>,
    pointers: Option<IntegerArray>,
    minors: IntegerArray,
    pairs: bool,
    majors: u64,
    /// The last major that has begun.
    last: Option<u64>,
}

impl EntrySink {
    pub(super) fn create(
        container: &mut NamedArraysWriter,
        plan: &Plan,
        options: &Options,
        data_types: &mut Vec<(String, DataType)>,
    ) -> Result<Self> {
        let mut create = |name: &str, value_type| {
            let array = IntegerArray::create(container, name.to_owned(), value_type)?;
            data_types.push(array.data_type());
            Ok::<_, nnz_core::Error>(array)
        };
        let listed = plan.listed || plan.pairs;
        let major_type = if listed { Some(options.index_type(MAJORS, plan.majors)?) } else { None };
        let listed = major_type.map(|t| create(MAJORS, t)).transpose()?;
        let pointers = if plan.pairs || plan.vector {
            None
        } else {
            Some(create(POINTERS, options.pointer_type(POINTERS, plan.most)?)?)
        };
        let minors = if plan.vector { MAJORS } else { MINORS };
        let minors = create(minors, options.index_type(minors, plan.minors)?)?;
        Ok(Self { listed, pointers, minors, pairs: plan.pairs, majors: plan.majors, last: None })
    }

    /// Writes a piece whose first entry has the number `first`.
    pub(super) fn push(
        &mut self,
        container: &mut NamedArraysWriter,
        piece: &EncodedBatch,
        first: u64,
    ) -> Result<()> {
        match (&mut self.listed, &mut self.pointers) {
            (Some(listed), None) => listed.append_encoded(container, &piece.majors)?,
            (listed, Some(pointers)) => {
                let mut starts = Vec::new();
                let mut majors = Vec::new();
                for (major, entries) in &piece.runs {
                    if self.last == Some(*major) {
                        continue;
                    }
                    let start = first + entries.start as u64;
                    if listed.is_some() {
                        majors.push(*major);
                        starts.push(start);
                    } else {
                        // The majors in between have no entries: they begin at the same position.
                        while pointers.written + (starts.len() as u64) <= *major {
                            starts.push(start);
                            if starts.len() == BLOCK {
                                pointers.append(container, &starts)?;
                                starts.clear();
                            }
                        }
                    }
                    self.last = Some(*major);
                }
                pointers.append(container, &starts)?;
                if let Some(listed) = listed {
                    listed.append(container, &majors)?;
                }
            }
            (None, None) => {}
        }
        self.minors.append_encoded(container, &piece.minors)
    }

    /// Writes the remaining pointers of a matrix with `entries` entries.
    pub(super) fn finish(&mut self, container: &mut NamedArraysWriter, entries: u64) -> Result<()> {
        let Some(pointers) = &mut self.pointers else {
            return Ok(());
        };
        let majors = self.listed.as_ref().map_or(self.majors, |listed| listed.written);
        let block = [entries; 512];
        while pointers.written <= majors {
            let left = (majors - pointers.written).saturating_add(1).min(block.len() as u64);
            pointers.append(container, &block[..usize::try_from(left).unwrap_or(1)])?;
        }
        Ok(())
    }
}

impl Form {
    /// Returns the types of the majors and minors stored for each entry.
    pub(super) fn entry_types(&self) -> [Option<ValueType>; 2] {
        match self {
            Self::Dense(_) => [None, None],
            Self::Entries(sink) => {
                let majors = sink.listed.as_ref().filter(|_| sink.pairs);
                [majors.map(|array| array.value_type), Some(sink.minors.value_type)]
            }
        }
    }
}

//! Checking values of blocks with another type than their object.

use nnz_core::{Result, Rounding, Scalar, ValueType, Values};

use super::Check;
use crate::block::Entry;
use crate::file::swap_on_big_endian;
use crate::object::Object;
use crate::{Block, DataType};

/// Values that are checked together.
const TOGETHER: usize = 1 << 16;

/// Values of a block that are not checked yet.
pub(super) struct ValueCheck<'a> {
    object: &'a Object,
    block: &'a Block,
    /// The types of the object in the columns of the block, if they differ from its own.
    targets: Vec<ValueType>,
    values: Values,
    bytes: Vec<u8>,
    /// The byte and column of each value.
    places: Vec<(u64, u64)>,
    reported: bool,
}

impl<'a> ValueCheck<'a> {
    pub(super) fn new(object: &'a Object, block: &'a Block) -> Self {
        let own = block.value_type.unwrap_or(ValueType::U8);
        let mut targets = Vec::new();
        let covered = match object.data_type {
            DataType::Frame => {
                let clamp =
                    |at: u64| usize::try_from(at).unwrap_or(usize::MAX).min(object.columns.len());
                &object.columns[clamp(block.col)..clamp(block.col_end())]
            }
            _ => &object.columns[..],
        };
        for column in covered {
            if column.value_type != own && !targets.contains(&column.value_type) {
                targets.push(column.value_type);
            }
        }
        Self {
            object,
            block,
            targets,
            values: Values::new(own),
            bytes: Vec::new(),
            places: Vec::new(),
            reported: false,
        }
    }

    fn target(&self, col: u64) -> ValueType {
        let number = match self.object.data_type {
            DataType::Frame => usize::try_from(self.block.col + col).unwrap_or(usize::MAX),
            _ => 0,
        };
        self.object.columns.get(number).map_or(self.values.value_type(), |c| c.value_type)
    }

    /// Adds the value of an entry.
    pub(super) fn push(&mut self, check: &mut Check<'_>, entry: Entry<'_>) -> Result<()> {
        if self.targets.is_empty() || self.reported {
            return Ok(());
        }
        self.bytes.extend_from_slice(entry.value);
        self.places.push((entry.value_at, entry.col));
        if self.places.len() >= TOGETHER { self.flush(check) } else { Ok(()) }
    }

    /// Checks the values added so far.
    pub(super) fn flush(&mut self, check: &mut Check<'_>) -> Result<()> {
        let size = self.values.value_type().size();
        let bytes = self.values.resize_bytes(self.places.len());
        bytes.copy_from_slice(&self.bytes);
        swap_on_big_endian(bytes, size);
        let places = std::mem::take(&mut self.places);
        self.check(check, |index| places[index]);
        self.bytes.clear();
        Ok(())
    }

    /// Checks the elements of a dense block.
    pub(super) fn elements(&mut self, check: &mut Check<'_>) -> Result<()> {
        if self.targets.is_empty() {
            return Ok(());
        }
        let size = self.block.size();
        let cols = u64::from(self.block.cols);
        let mut element = 0;
        while element < self.block.stored && !self.reported {
            let now =
                usize::try_from(self.block.stored - element).unwrap_or(TOGETHER).min(TOGETHER);
            let first = self.block.data + element * size as u64;
            let bytes = self.values.resize_bytes(now);
            self.object.file.read(first, bytes)?;
            swap_on_big_endian(bytes, size);
            self.check(check, |index| {
                (first + (index * size) as u64, (element + index as u64) % cols)
            });
            element += now as u64;
        }
        Ok(())
    }

    fn check(&mut self, check: &mut Check<'_>, place: impl Fn(usize) -> (u64, u64)) {
        let mut wide = Values::default();
        let count = self.values.len().unwrap_or(0);
        for &target in &self.targets {
            let Err(offender) = self.values.cast_into(target, Rounding::Refused, &mut wide) else {
                continue;
            };
            // In a frame, other values of the block may be in columns of another type.
            for index in offender.index..count {
                let (at, col) = place(index);
                let Some(found) = self.values.get(index).filter(|_| self.target(col) == target)
                else {
                    continue;
                };
                if found.cast(target, Rounding::Refused).is_err() {
                    self.reported = true;
                    check.fault(self.object.file.at(at), message(found, target, self.block));
                    return;
                }
            }
        }
    }
}

fn message(found: Scalar, target: ValueType, block: &Block) -> String {
    format!("found {found} in the {block}, which cannot be stored exactly as {target}")
}

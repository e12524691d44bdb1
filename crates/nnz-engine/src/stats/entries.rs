//! Decoding entries for statistics, whatever the type of the values.

use std::sync::Mutex;

use nnz_core::{Batch, Order, Result, Unit, ValueType, Values};

use super::counting::lock;
use crate::stages::{Step, apply};

/// Decodes units, and applies steps to them.
pub(crate) struct Entries {
    order: Order,
    /// The type of the values before the steps.
    value_type: ValueType,
    steps: Vec<Box<dyn Step>>,
    /// Batches to be reused.
    batches: Mutex<Vec<[Batch; 2]>>,
}

impl Entries {
    pub(crate) fn new(order: Order, value_type: ValueType, steps: Vec<Box<dyn Step>>) -> Self {
        Self { order, value_type, steps, batches: Mutex::default() }
    }

    /// Decodes units. Returns also the number of stored entries of each.
    pub(crate) fn decode(&self, units: Vec<Box<dyn Unit + '_>>) -> Result<([Batch; 2], Vec<u64>)> {
        let mut batches = self.unused();
        let mut stored = Vec::with_capacity(1);
        for unit in units {
            unit.decode(&mut batches[0])?;
            stored.push(batches[0].entries() as u64);
        }
        Ok((batches, stored))
    }

    /// Decodes units into batches of their own. Returns also the number of stored entries of each.
    pub(crate) fn decode_each(
        &self,
        units: Vec<Box<dyn Unit + '_>>,
    ) -> Result<(Vec<[Batch; 2]>, Vec<u64>)> {
        let mut decoded = Vec::with_capacity(units.len());
        let mut stored = Vec::with_capacity(units.len());
        for unit in units {
            let (batches, entries) = self.decode(vec![unit])?;
            decoded.push(batches);
            stored.extend(entries);
        }
        Ok((decoded, stored))
    }

    /// Returns batches to be filled.
    pub(crate) fn unused(&self) -> [Batch; 2] {
        let empty = || Batch::new(self.order, Values::new(self.value_type));
        lock(&self.batches).pop().unwrap_or_else(|| [empty(), empty()])
    }

    /// Applies the steps to a batch, and repeats a shared value if values are needed.
    pub(crate) fn prepare(&self, [batch, spare]: &mut [Batch; 2], values: bool) -> Result<()> {
        apply(&self.steps, batch, spare)?;
        if let (true, Values::Iso(scalar)) = (values, &batch.values) {
            batch.values = scalar.repeat(batch.entries());
        }
        Ok(())
    }

    /// Takes batches back.
    pub(crate) fn reuse(&self, batches: [Batch; 2]) {
        lock(&self.batches).push(batches);
    }
}

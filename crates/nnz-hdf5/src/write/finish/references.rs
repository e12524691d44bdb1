//! Resolving references to objects.

use std::io::{Seek, Write};

use nnz_core::Result;

use super::super::object::ObjectId;
use super::super::output::Output;
use super::super::value::Data;
use super::Metadata;
use crate::UNDEFINED;
use crate::bytes::PutFields as _;
use crate::global_heap::GlobalHeap;

impl Metadata<'_> {
    /// Replaces references by addresses.
    pub(crate) fn resolve_references<W: Write + Seek>(
        &mut self,
        output: &mut Output<W>,
        heap: &mut GlobalHeap,
    ) -> Result<()> {
        let headers = &self.headers;
        let address = |id: &ObjectId| match *id {
            ObjectId::NONE => 0,
            id => headers.get(id.0).copied().unwrap_or(UNDEFINED),
        };
        for object in &mut *self.objects {
            for attribute in &mut object.attributes {
                let mut bytes = Vec::new();
                match &attribute.data {
                    Data::Bytes(_) | Data::Strings(_) => continue,
                    Data::References(ids) => ids.iter().for_each(|id| bytes.put_u64(address(id))),
                    Data::Axes(axes) => {
                        for (id, axis) in axes {
                            bytes.put_u64(address(id));
                            bytes.extend(axis.to_le_bytes());
                        }
                    }
                    Data::ReferenceLists(lists) => {
                        for ids in lists {
                            let mut list = Vec::new();
                            ids.iter().for_each(|id| list.put_u64(address(id)));
                            let mut id = heap.insert(output, &list)?;
                            // The heap ID is preceded by the number of elements, not bytes.
                            let len = u32::try_from(ids.len()).unwrap_or(u32::MAX);
                            id[..4].copy_from_slice(&len.to_le_bytes());
                            bytes.extend(id);
                        }
                    }
                }
                attribute.data = Data::Bytes(bytes);
            }
        }
        Ok(())
    }
}

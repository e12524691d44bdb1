//! Writing the arrays of a tensor.

use nnz_container::NamedArraysWriter;
use nnz_container::tree::NodeId;
use nnz_core::{Result, Scalar, Values};

use super::walk::{Count, Visit, Walk};
use crate::layout::{LevelKind, indices, pointers};
use crate::output::{IntegerArray, stored_type};
use crate::{DataType, Options};

/// Elements in a buffer before it is written.
const BLOCK: usize = 1 << 14;

/// Writes all arrays while slices and elements are visited.
pub(super) struct Arrays<'a> {
    container: &'a mut NamedArraysWriter,
    walk: &'a Walk<'a>,
    levels: Vec<LevelArrays>,
    values: NodeId,
    /// The values of all entries; `None` if they share one value.
    all: Option<&'a Values>,
    background: Scalar,
    collected: Values,
}

#[derive(Default)]
struct LevelArrays {
    pointers: Option<BufferedIntegers>,
    indices: Vec<BufferedIntegers>,
    slices: u64,
}

struct BufferedIntegers {
    array: IntegerArray,
    elements: Vec<u64>,
}

impl BufferedIntegers {
    fn push(&mut self, container: &mut NamedArraysWriter, element: u64) -> Result<()> {
        self.elements.push(element);
        if self.elements.len() < BLOCK { Ok(()) } else { self.flush(container) }
    }

    fn flush(&mut self, container: &mut NamedArraysWriter) -> Result<()> {
        self.array.append(container, &self.elements)?;
        self.elements.clear();
        Ok(())
    }
}

impl<'a> Arrays<'a> {
    pub(super) fn create(
        container: &'a mut NamedArraysWriter,
        walk: &'a Walk<'a>,
        extents: &[u64],
        (count, options): (&Count, &Options),
        values: (&'a Values, bool),
        background: Scalar,
        data_types: &mut Vec<(String, DataType)>,
    ) -> Result<Self> {
        let mut levels = Vec::new();
        for (number, level) in walk.levels.iter().enumerate() {
            let mut arrays = LevelArrays::default();
            if level.kind == LevelKind::Sparse {
                let mut create = |name: String, value_type| {
                    let array = IntegerArray::create(container, name, value_type)?;
                    data_types.push(array.data_type());
                    Ok::<_, nnz_core::Error>(BufferedIntegers { array, elements: Vec::new() })
                };
                if number > 0 {
                    let name = pointers(level.dimensions.start);
                    let value_type = options.pointer_type(&name, Some(count.slices[number]))?;
                    let mut created = create(name, value_type)?;
                    created.elements.push(0);
                    arrays.pointers = Some(created);
                }
                for dimension in level.dimensions.clone() {
                    let name = indices(dimension);
                    let value_type = options.index_type(&name, extents[dimension])?;
                    arrays.indices.push(create(name, value_type)?);
                }
            }
            levels.push(arrays);
        }
        let (all, iso) = values;
        let value_type = all.value_type();
        let id = container.create_array("values", stored_type(value_type))?;
        data_types.push(("values".to_owned(), DataType { iso, value_type }));
        Ok(Self {
            container,
            walk,
            levels,
            values: id,
            all: (!iso).then_some(all),
            background,
            collected: Values::new(value_type),
        })
    }

    /// Writes the buffers, and the shared value if there is one.
    pub(super) fn finish(mut self, iso: Option<Scalar>) -> Result<()> {
        for level in &mut self.levels {
            for collected in level.indices.iter_mut().chain(&mut level.pointers) {
                collected.flush(self.container)?;
            }
        }
        self.flush_values()?;
        match iso {
            Some(value) => self.container.append_bytes(self.values, value.repeat(1).bytes()),
            None => Ok(()),
        }
    }

    fn flush_values(&mut self) -> Result<()> {
        self.container.append_bytes(self.values, self.collected.bytes())?;
        self.collected.clear();
        Ok(())
    }
}

impl Visit for Arrays<'_> {
    fn slice(&mut self, level: usize, entry: usize) -> Result<()> {
        let arrays = &mut self.levels[level];
        let columns = &self.walk.columns[self.walk.levels[level].dimensions.clone()];
        for (collected, column) in arrays.indices.iter_mut().zip(columns) {
            collected.push(self.container, column[entry])?;
        }
        arrays.slices += 1;
        Ok(())
    }

    fn end(&mut self, level: usize) -> Result<()> {
        let arrays = &mut self.levels[level];
        match &mut arrays.pointers {
            Some(pointers) => pointers.push(self.container, arrays.slices),
            None => Ok(()),
        }
    }

    fn entry(&mut self, entry: usize) -> Result<()> {
        let Some(value) = self.all.and_then(|all| all.get(entry)) else {
            return Ok(());
        };
        self.collected.push(value);
        if self.collected.len() < Some(BLOCK) { Ok(()) } else { self.flush_values() }
    }

    fn missing(&mut self, mut elements: u64) -> Result<()> {
        if self.all.is_none() {
            return Ok(());
        }
        self.flush_values()?;
        while elements > 0 {
            let now = usize::try_from(elements).unwrap_or(BLOCK).min(BLOCK);
            let filling = self.background.repeat(now);
            self.container.append_bytes(self.values, filling.bytes())?;
            elements -= now as u64;
        }
        Ok(())
    }
}

//! Writing a graph from entries in any order.

use nnz_container::tree::{ArraySpec, ElementType, NodeId, TreeWriter};
use nnz_core::{Batch, Error, Header, Result, ValueType, Values};

/// Entries in a chunk.
const CHUNK: u64 = 1 << 15;

/// The largest length of an axis with places of 32 bits.
const NARROW: u64 = 1 << 31;

/// A graph to which entries are appended.
pub(super) struct GraphWriter {
    /// The places along rows and columns.
    places: [NodeId; 2],
    weights: NodeId,
    is_narrow: bool,
    value_type: ValueType,
    bytes: Vec<u8>,
}

impl GraphWriter {
    /// Creates the arrays of a graph.
    pub(super) fn create(
        tree: &mut dyn TreeWriter,
        (group, name): (NodeId, &str),
        header: &Header,
    ) -> Result<Self> {
        let graph = tree.create_group(group, name)?;
        let is_narrow = header.shape.rows <= NARROW;
        let place = if is_narrow { ValueType::I32 } else { ValueType::I64 };
        let len = header.nnz.unwrap_or(CHUNK).clamp(1, CHUNK);
        let mut array = |name, value_type| {
            let spec = ArraySpec::growing(ElementType::Number(value_type), &[]).chunk(&[len]);
            tree.create_array(graph, name, &spec)
        };
        let places = [array("a", place)?, array("b", place)?];
        let weights = array("w", header.value_type)?;
        let value_type = header.value_type;
        Ok(Self { places, weights, is_narrow, value_type, bytes: Vec::new() })
    }

    /// Appends the entries of a batch.
    pub(super) fn put(&mut self, tree: &mut dyn TreeWriter, batch: &Batch) -> Result<()> {
        let repeated;
        let values = match &batch.values {
            Values::Iso(scalar) => {
                repeated = scalar.repeat(batch.entries());
                &repeated
            }
            values => values,
        };
        if values.value_type() != self.value_type || values.len() != Some(batch.entries()) {
            let found = format!("{:?} values of type {}", values.len(), values.value_type());
            let expected = format!("{} of type {}", batch.entries(), self.value_type);
            return Err(Error::mismatch(tree.place(self.weights), found, expected));
        }
        for (axis, array) in self.places.into_iter().enumerate() {
            self.bytes.clear();
            batch.try_for_each(|_, major, minor| {
                let (row, col) = batch.order.row_col(major, minor);
                let place = if axis == 0 { row } else { col };
                let past = || Error::mismatch(tree.place(array), place, "fewer vertices");
                match self.is_narrow {
                    true => {
                        let place = i32::try_from(place).map_err(|_| past())?;
                        self.bytes.extend_from_slice(&place.to_ne_bytes());
                    }
                    false => {
                        let place = i64::try_from(place).map_err(|_| past())?;
                        self.bytes.extend_from_slice(&place.to_ne_bytes());
                    }
                }
                Ok::<(), Error>(())
            })?;
            tree.append_bytes(array, &self.bytes)?;
        }
        tree.append_bytes(self.weights, values.bytes())
    }

    /// Completes the graph.
    pub(super) fn finish(self, tree: &mut dyn TreeWriter) -> Result<()> {
        let [rows, cols] = self.places;
        [rows, cols, self.weights].into_iter().try_for_each(|array| tree.finish_array(array))
    }
}

//! Writing a matrix, or a vector as a matrix with one column.

mod dense;
mod encode;
mod entries;
mod plan;

use std::sync::Arc;

use nnz_container::NamedArraysWriter;
use nnz_container::tree::NodeId;
use nnz_core::{
    Batch, BatchEncoder, Encoded, Error, ErrorKind, Header, Order, Place, Result, Scalar,
    SinkCapabilities, Structure, ValueType, Written,
};

use crate::descriptor::{DESCRIPTOR, DIAGONAL, Descriptor};
use crate::layout::LevelKind;
use crate::output::{stored_type, write_fill};
use crate::store::zero;
use crate::{DataType, Layout, Options};
use dense::DenseSink;
use encode::{EncodedBatch, MatrixEncoder};
use entries::EntrySink;
use plan::Plan;

/// Returns what a matrix with a layout can store.
///
/// # Errors
///
/// Fails if the layout does not have one or two dimensions.
pub fn capabilities(layout: &Layout) -> Result<SinkCapabilities> {
    let orders: &[Order] = match layout.rank() {
        2 if !layout.is_transposed() => &[Order::Row],
        1 | 2 => &[Order::Col],
        rank => {
            let what = format!("a matrix cannot have a layout of {rank} dimensions");
            return Err(Error::argument(what));
        }
    };
    let ends_dense = layout.levels().last().is_some_and(|level| level.kind == LevelKind::Dense);
    let dense = layout.levels().iter().all(|level| level.kind == LevelKind::Dense);
    Ok(SinkCapabilities::new(orders, ValueType::ALL)
        .structure(!ends_dense && layout.rank() == 2)
        .fill(true)
        .unique(true)
        .dense(dense))
}

/// A matrix being written to a container.
///
/// Elements of a dense level without an entry are set to the fill value of the header, or zero.
pub struct MatrixSink {
    container: NamedArraysWriter,
    encoder: Arc<MatrixEncoder>,
    descriptor: Descriptor,
    form: Form,
    values: NodeId,
    /// The value that all entries share, once there is an entry.
    iso: Option<Scalar>,
    entries: u64,
    /// The number of entries on the diagonal.
    diagonal: u64,
    /// Major and minor of the last entry.
    last: Option<(u64, u64)>,
}

impl std::fmt::Debug for MatrixSink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MatrixSink").finish_non_exhaustive()
    }
}

enum Form {
    Dense(DenseSink),
    Entries(EntrySink),
}

impl MatrixSink {
    /// Creates a sink for a matrix with the shape, value type and structure of `header`.
    ///
    /// # Errors
    ///
    /// Fails if the layout cannot store it, a type of the options is too small, or the container
    /// refuses.
    pub fn create(
        mut container: NamedArraysWriter,
        header: &Header,
        layout: &Layout,
        options: &Options,
    ) -> Result<Self> {
        let plan = Plan::new(header, layout)?;
        let here = &mut container;
        let mut data_types = Vec::new();
        let form = if plan.dense {
            Form::Dense(DenseSink::create(here, &plan, options, &mut data_types)?)
        } else {
            Form::Entries(EntrySink::create(here, &plan, options, &mut data_types)?)
        };
        let values = here.create_array("values", stored_type(header.value_type))?;
        let value_type = DataType { iso: plan.iso, value_type: header.value_type };
        data_types.push(("values".to_owned(), value_type));
        if let Some(fill) = header.fill {
            data_types.push(write_fill(here, fill)?);
        }
        let descriptor = Descriptor {
            version: options.version.clone(),
            format: layout.format(),
            layout: layout.merged(),
            shape: plan.shape.clone(),
            stored: 0,
            fill: header.fill.is_some(),
            structure: header.structure,
            data_types,
            attributes: options.attributes.clone(),
            unknown: crate::Keys::default(),
            user: options.user.clone(),
        };
        // Checks the keys of the user before everything is written.
        descriptor.to_json()?;
        let encoder = Arc::new(MatrixEncoder { plan, types: form.entry_types() });
        Ok(Self {
            container,
            encoder,
            descriptor,
            form,
            values,
            iso: None,
            entries: 0,
            diagonal: 0,
            last: None,
        })
    }

    fn append_values(&mut self, piece: &EncodedBatch) -> Result<()> {
        if !self.encoder.plan.iso {
            return self.container.append_bytes(self.values, &piece.values);
        }
        match (self.iso, piece.iso) {
            (_, None) => Ok(()),
            (Some(before), Some(value)) if !same(before, value) => {
                Err(Error::mismatch(Place::default(), value, format!("{before} for all")))
            }
            (_, value) => {
                self.iso = value;
                Ok(())
            }
        }
    }
}

/// Returns whether two values have the same bits.
fn same(a: Scalar, b: Scalar) -> bool {
    crate::structure::value_bits(a) == crate::structure::value_bits(b)
}

impl nnz_core::MatrixSink for MatrixSink {
    fn write(&mut self, batch: &Batch) -> Result<()> {
        let encoded = self.encoder.encode(batch, self.entries)?;
        self.write_encoded(encoded)
    }

    fn encoder(&self) -> Option<Arc<dyn BatchEncoder>> {
        Some(Arc::clone(&self.encoder) as Arc<dyn BatchEncoder>)
    }

    fn write_encoded(&mut self, encoded: Encoded) -> Result<()> {
        let piece =
            encoded.downcast::<EncodedBatch>().ok().filter(|piece| piece.first == self.entries);
        let Some(piece) = piece else {
            return Err(Error::argument("the batch is not the next one of this matrix"));
        };
        let Some((first, last)) = piece.edges else {
            return Ok(());
        };
        if let Some(before) = self.last.filter(|&before| before >= first) {
            return Err(self.encoder.plan.out_of_order(before, first));
        }
        let container = &mut self.container;
        match &mut self.form {
            Form::Dense(dense) => dense.push(container, self.values, &piece)?,
            Form::Entries(entries) => {
                entries.push(container, &piece, self.entries)?;
                self.append_values(&piece)?;
            }
        }
        self.entries += piece.entries;
        self.diagonal += piece.diagonal;
        self.last = Some(last);
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<Written> {
        let container = &mut self.container;
        self.descriptor.stored = match &mut self.form {
            Form::Dense(dense) => dense.finish(container, self.values)?,
            Form::Entries(entries) => {
                entries.finish(container, self.entries)?;
                self.entries
            }
        };
        if self.encoder.plan.iso {
            let value = self.iso.unwrap_or_else(|| zero(self.encoder.plan.value_type));
            container.append_bytes(self.values, value.repeat(1).bytes())?;
        }
        if self.descriptor.structure != Structure::General {
            self.descriptor.attributes.set(DIAGONAL, &self.diagonal.to_string())?;
        }
        container.set_attribute(DESCRIPTOR, &self.descriptor.to_json()?)?;
        self.container.finish().map(Written::new)
    }
}

/// Returns the error for two entries at the same position.
fn duplicate(place: Place) -> Error {
    Error::new(ErrorKind::Duplicate { other: None }, place)
}

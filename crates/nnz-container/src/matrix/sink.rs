//! Writing compressed matrices: pointers, indices and values.

use std::sync::Arc;

use nnz_core::{
    At, Batch, BatchEncoder, Encoded, Error, Header, Majors, MatrixSink, Minors, Order, Place,
    Result, ValueType, Values, Written,
};

/// Number of pointers that are written at once.
const BLOCK: usize = 1 << 14;

/// The type of indices or pointers. Programs read both as signed integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexType {
    /// `int32`.
    I32,
    /// `int64`.
    I64,
}

impl IndexType {
    /// Returns the smaller type if it can represent all numbers up to `largest`.
    #[must_use]
    pub fn holding(largest: u64) -> Self {
        if i32::try_from(largest).is_ok() { Self::I32 } else { Self::I64 }
    }

    /// Returns the value type.
    #[must_use]
    pub fn value_type(self) -> ValueType {
        match self {
            Self::I32 => ValueType::I32,
            Self::I64 => ValueType::I64,
        }
    }

    /// Appends a number in native byte order; `None` if the type cannot represent it.
    pub fn push(self, number: u64, out: &mut Vec<u8>) -> Option<()> {
        match self {
            Self::I32 => out.extend(i32::try_from(number).ok()?.to_ne_bytes()),
            Self::I64 => out.extend(i64::try_from(number).ok()?.to_ne_bytes()),
        }
        Some(())
    }
}

/// An array of a compressed matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompressedArray {
    /// The offsets of the major vectors in the entries: one more than vectors.
    Pointers,
    /// The minor index of each entry.
    Indices,
    /// The value of each entry.
    Values,
}

/// The output of the arrays of a matrix.
pub trait CompressedOutput: Send {
    /// Appends elements to an array, in native byte order.
    ///
    /// # Errors
    ///
    /// Fails if they cannot be written.
    fn append(&mut self, array: CompressedArray, bytes: &[u8]) -> Result<()>;

    /// Completes the matrix and returns its size in bytes.
    ///
    /// # Errors
    ///
    /// Fails if this cannot be done; there is no output then.
    fn finish(self: Box<Self>) -> Result<u64>;
}

/// A writer of a compressed matrix.
pub struct CompressedSink {
    output: Box<dyn CompressedOutput>,
    encoder: Arc<Encoder>,
    pointers: IndexType,
    place: Place,
    majors: u64,
    /// Number of written pointers: up to the last major with entries.
    written: u64,
    entries: u64,
}

impl std::fmt::Debug for CompressedSink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CompressedSink").field("place", &self.place).finish_non_exhaustive()
    }
}

impl CompressedSink {
    /// Starts a matrix with the shape, order and value type of `header`, and these types of
    /// pointers and indices. `place` is its location in messages.
    #[must_use]
    pub fn new(
        output: Box<dyn CompressedOutput>,
        header: &Header,
        [pointers, indices]: [IndexType; 2],
        place: Place,
    ) -> Self {
        let (shape, order) = (header.shape, header.order);
        let minors = shape.minor(order);
        let value_type = header.value_type;
        let encoder = Encoder { order, minors, value_type, indices, place: place.clone() };
        let (majors, encoder) = (shape.major(order), Arc::new(encoder));
        Self { output, encoder, pointers, place, majors, written: 0, entries: 0 }
    }

    /// Writes the pointers up to a major, which is preceded by `before` entries.
    fn point(&mut self, major: u64, before: u64) -> Result<()> {
        let mut bytes = Vec::new();
        while self.written <= major {
            bytes.clear();
            let left = usize::try_from(major - self.written + 1).unwrap_or(BLOCK);
            let now = left.min(BLOCK);
            for _ in 0..now {
                self.pointers.push(before, &mut bytes).ok_or_else(|| {
                    let what = format!("{before} entries, too many for int32 pointers");
                    Error::unsupported(self.place.clone(), what)
                })?;
            }
            self.output.append(CompressedArray::Pointers, &bytes)?;
            self.written += now as u64;
        }
        Ok(())
    }
}

impl MatrixSink for CompressedSink {
    fn write(&mut self, batch: &Batch) -> Result<()> {
        let encoded = self.encoder.encode(batch, self.entries)?;
        self.write_encoded(encoded)
    }

    fn encoder(&self) -> Option<Arc<dyn BatchEncoder>> {
        Some(Arc::clone(&self.encoder) as Arc<dyn BatchEncoder>)
    }

    fn write_encoded(&mut self, encoded: Encoded) -> Result<()> {
        let batch = encoded.downcast::<EncodedBatch>().ok().filter(|b| b.first == self.entries);
        let Some(batch) = batch else {
            return Err(Error::argument("the batch is not the next one of this matrix"));
        };
        let first = self.entries;
        let mut pointers = Vec::new();
        for (run, &offset) in
            batch.offsets.iter().enumerate().take(batch.offsets.len().saturating_sub(1))
        {
            let major = batch.majors.get(run);
            let begun = self.written.saturating_sub(1);
            if major >= self.majors || major < begun {
                let found = format!("major vector {major}");
                let expected = format!("at least {begun}, and less than {}", self.majors);
                return Err(Error::mismatch(self.place.clone(), found, expected));
            }
            let before = first + offset as u64;
            // Usually the next one.
            if major == self.written && self.pointers.push(before, &mut pointers).is_some() {
                self.written += 1;
                continue;
            }
            self.output.append(CompressedArray::Pointers, &pointers)?;
            pointers.clear();
            self.point(major, before)?;
        }
        self.output.append(CompressedArray::Pointers, &pointers)?;
        self.output.append(CompressedArray::Indices, &batch.indices)?;
        self.output.append(CompressedArray::Values, &batch.values)?;
        self.entries += batch.offsets.last().copied().unwrap_or(0) as u64;
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<Written> {
        self.point(self.majors, self.entries)?;
        self.output.finish().map(Written::new)
    }
}

/// Encodes batches on any thread.
struct Encoder {
    order: Order,
    minors: u64,
    value_type: ValueType,
    indices: IndexType,
    place: Place,
}

/// A batch in stored form.
struct EncodedBatch {
    /// The index of its first entry.
    first: u64,
    majors: Majors,
    offsets: Vec<usize>,
    indices: Vec<u8>,
    values: Vec<u8>,
}

impl BatchEncoder for Encoder {
    fn encode(&self, batch: &Batch, first: u64) -> Result<Encoded> {
        let entries = batch.entries();
        let repeated;
        let values = match &batch.values {
            Values::Iso(scalar) => {
                repeated = scalar.repeat(entries);
                &repeated
            }
            values => values,
        };
        if values.value_type() != self.value_type || values.len() != Some(entries) {
            let found = format!("{:?} values of type {}", values.len(), values.value_type());
            let expected = format!("{entries} of type {}", self.value_type);
            return Err(Error::mismatch(self.place.clone(), found, expected));
        }
        Ok(Box::new(EncodedBatch {
            first,
            majors: batch.majors.clone(),
            offsets: batch.offsets.clone(),
            indices: self.indices(batch)?,
            values: values.bytes().to_vec(),
        }))
    }
}

impl Encoder {
    /// Checks the minors of a batch, and returns them in stored form.
    fn indices(&self, batch: &Batch) -> Result<Vec<u8>> {
        if let (Minors::U32(minors), IndexType::I32) = (&batch.minors, self.indices) {
            let fits = minors.iter().max().is_none_or(|&largest| u64::from(largest) < self.minors);
            // They have the same bytes as signed numbers: the length of the axis fits in int32.
            if fits && minors.len() == batch.entries() {
                return Ok(bytemuck::cast_slice(minors).to_vec());
            }
        }
        let mut indices = Vec::with_capacity(batch.entries() * self.indices.value_type().size());
        batch.try_for_each(|_, major, minor| {
            let pushed = self.indices.push(minor, &mut indices).filter(|()| minor < self.minors);
            pushed.ok_or_else(|| {
                let (row, col) = self.order.row_col(major, minor);
                let place = self.place.clone().at(At::Entry { row, col });
                Error::mismatch(
                    place,
                    "an index past the end",
                    format!("less than {}", self.minors),
                )
            })
        })?;
        Ok(indices)
    }
}

//! A matrix in memory as a target.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use nnz_core::{
    Batch, Error, ErrorKind, Header, MatrixSink, Minors, Names, Order, Place, Result,
    SinkCapabilities, Storage, ValueType, Values, Written,
};

use super::CsMatrix;
use crate::MatrixTarget;

/// The slot for the complete matrix.
type Complete = Arc<Mutex<Option<CsMatrix>>>;

/// A target that collects a matrix in memory.
pub(super) struct MemoryTarget {
    complete: Complete,
    /// Maximum bytes of the matrix.
    allowed: u64,
}

impl MemoryTarget {
    pub(super) fn new(allowed: u64) -> Self {
        Self { complete: Complete::default(), allowed }
    }

    /// Returns the matrix.
    pub(super) fn take(&self) -> Option<CsMatrix> {
        self.complete.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl MatrixTarget for MemoryTarget {
    fn capabilities(&self) -> SinkCapabilities {
        SinkCapabilities::new(&[Order::Col, Order::Row], ValueType::ALL)
    }

    fn place(&self) -> Place {
        Place::default()
    }

    fn path(&self) -> Option<&Path> {
        None
    }

    fn check(&self) -> Result<()> {
        Ok(())
    }

    fn create(&self, header: &Header, _: [Option<Names<'_>>; 2]) -> Result<Box<dyn MatrixSink>> {
        Ok(Box::new(MemorySink::new(header, Arc::clone(&self.complete), self.allowed)?))
    }
}

/// Collects a matrix.
struct MemorySink {
    matrix: CsMatrix,
    complete: Complete,
    allowed: u64,
}

impl MemorySink {
    fn new(header: &Header, complete: Complete, allowed: u64) -> Result<Self> {
        debug_assert_eq!(header.storage, Storage::Sparse, "zeros have been dropped");
        let majors = header.shape.major(header.order);
        let needed = majors.saturating_mul(size_of::<u64>() as u64);
        if needed > allowed {
            return Err(too_large(needed, allowed));
        }
        let wide = header.shape.minor(header.order) > 1 << 32;
        let mut pointers = Vec::with_capacity(usize::try_from(majors).unwrap_or(0).min(1 << 20));
        pointers.push(0);
        let minors = if wide { Minors::U64(Vec::new()) } else { Minors::U32(Vec::new()) };
        let values = Values::new(header.value_type);
        let matrix = CsMatrix::unchecked(header.shape, header.order, pointers, minors, values);
        Ok(Self { matrix, complete, allowed })
    }

    /// Adds pointers up to the start of `major`.
    fn reach(&mut self, major: u64) {
        let major = usize::try_from(major).unwrap_or(usize::MAX);
        let entries = entries(&self.matrix.minors);
        if self.matrix.pointers.len() <= major {
            self.matrix.pointers.resize(major + 1, entries);
        }
    }
}

fn entries(minors: &Minors) -> u64 {
    match minors {
        Minors::U32(list) => list.len() as u64,
        Minors::U64(list) | Minors::Spans(list) => list.len() as u64,
    }
}

fn too_large(needed: u64, allowed: u64) -> Error {
    Error::new(ErrorKind::Memory { needed, allowed }, Place::default())
}

impl MatrixSink for MemorySink {
    fn write(&mut self, batch: &Batch) -> Result<()> {
        let repeated;
        let values = match &batch.values {
            Values::Iso(scalar) => {
                repeated = scalar.repeat(batch.entries());
                &repeated
            }
            values => values,
        };
        let each = values.value_type().size() + size_of::<u64>();
        let all = entries(&self.matrix.minors) + batch.entries() as u64;
        let needed = all.saturating_mul(each as u64);
        if needed > self.allowed {
            return Err(too_large(needed, self.allowed));
        }
        for run in 0..batch.runs() {
            self.reach(batch.majors.get(run));
            let entries = batch.run(run);
            let minor = |entry| batch.minor(run, entry);
            match &mut self.matrix.minors {
                Minors::U32(list) => {
                    for entry in entries {
                        let minor = u32::try_from(minor(entry));
                        list.push(minor.map_err(|_| Error::argument("an index past the end"))?);
                    }
                }
                Minors::U64(list) | Minors::Spans(list) => list.extend(entries.map(minor)),
            }
        }
        if !self.matrix.values.extend_from(values, 0..batch.entries()) {
            let found = format!("values of type {}", values.value_type());
            let expected = self.matrix.values.value_type();
            return Err(Error::mismatch(Place::default(), found, expected));
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<Written> {
        let majors = self.matrix.shape.major(self.matrix.order);
        self.reach(majors);
        let mut shelf = self.complete.lock().unwrap_or_else(PoisonError::into_inner);
        *shelf = Some(self.matrix);
        Ok(Written::new(0))
    }
}

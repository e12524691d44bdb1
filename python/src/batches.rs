//! Reading a matrix in blocks, for sources without random access.

use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};

use nnz::engine;
use nnz::formats::MatrixTarget;
use nnz::matrix::{MatrixSink, Minors, Names, SinkCapabilities, Written};
use nnz::{
    Batch, Cancellation, Error, ErrorKind, Header, Order, Place, Result, Shape, Summary, ValueType,
    Values,
};
use pyo3::prelude::*;

use crate::arrays;
use crate::error::OrRaise as _;
use crate::source::Source;
use crate::task::{self, TICK};

/// Some whole rows or columns.
struct Block {
    pointers: Vec<u64>,
    minors: Minors,
    values: Values,
}

/// The target of blocks. Entries are sorted, on disk if they do not fit into memory.
struct Blocks {
    sender: SyncSender<Block>,
    nbytes: u64,
}

impl MatrixTarget for Blocks {
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
        let wide = header.shape.minor(header.order) > 1 << 32;
        Ok(Box::new(BlockSink {
            sender: self.sender.clone(),
            most: self.nbytes,
            majors: header.shape.major(header.order),
            wide,
            value_type: header.value_type,
            first: 0,
            block: empty(wide, header.value_type),
        }))
    }
}

fn empty(wide: bool, value_type: ValueType) -> Block {
    let minors = if wide { Minors::U64(Vec::new()) } else { Minors::U32(Vec::new()) };
    Block { pointers: vec![0], minors, values: Values::new(value_type) }
}

impl Block {
    fn entries(&self) -> u64 {
        self.values.len().unwrap_or(0) as u64
    }

    fn majors(&self) -> u64 {
        self.pointers.len() as u64 - 1
    }
}

/// Divides a matrix into blocks.
struct BlockSink {
    sender: SyncSender<Block>,
    /// Maximum bytes of a block with more than one major.
    most: u64,
    majors: u64,
    wide: bool,
    value_type: ValueType,
    /// The first major of the block.
    first: u64,
    block: Block,
}

impl BlockSink {
    fn bytes(&self) -> u64 {
        let each = if self.wide { 8 } else { 4 } + self.value_type.size() as u64;
        self.block.entries() * each + self.block.majors() * 4
    }

    /// Ends the majors before one, and sends full blocks.
    fn reach(&mut self, major: u64) -> Result<()> {
        while self.first + self.block.majors() < major {
            let entries = self.block.entries();
            self.block.pointers.push(entries);
            if self.bytes() >= self.most {
                self.send()?;
            }
        }
        Ok(())
    }

    fn send(&mut self) -> Result<()> {
        let next = empty(self.wide, self.value_type);
        self.first += self.block.majors();
        let full = std::mem::replace(&mut self.block, next);
        // The reader was dropped.
        let gone = |_| Error::new(ErrorKind::Cancelled, Place::default());
        self.sender.send(full).map_err(gone)
    }
}

impl MatrixSink for BlockSink {
    fn write(&mut self, batch: &Batch) -> Result<()> {
        let repeated;
        let values = match &batch.values {
            Values::Iso(scalar) => {
                repeated = scalar.repeat(batch.entries());
                &repeated
            }
            values => values,
        };
        for run in 0..batch.runs() {
            self.reach(batch.majors.get(run))?;
            let entries = batch.run(run);
            match &mut self.block.minors {
                Minors::U32(list) => {
                    for entry in entries.clone() {
                        let minor = u32::try_from(batch.minor(run, entry));
                        list.push(minor.map_err(|_| Error::argument("an index past the end"))?);
                    }
                }
                Minors::U64(list) | Minors::Spans(list) => {
                    list.extend(entries.clone().map(|entry| batch.minor(run, entry)));
                }
            }
            if !self.block.values.extend_from(values, entries) {
                let found = format!("values of type {}", values.value_type());
                return Err(Error::mismatch(Place::default(), found, self.value_type));
            }
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<Written> {
        self.reach(self.majors)?;
        if self.block.majors() > 0 {
            self.send()?;
        }
        Ok(Written::new(0))
    }
}

/// A message of the thread.
struct Reading {
    blocks: Receiver<Block>,
    done: Receiver<Result<Summary>>,
}

/// `indptr`, indices and data.
type Arrays<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>);

/// The blocks of a matrix, in sequence.
#[pyclass(frozen, module = "nnz._nnz")]
pub(crate) struct BlockReader {
    shape: Shape,
    order: Order,
    cancellation: Cancellation,
    reading: Mutex<Option<Reading>>,
}

#[pymethods]
impl BlockReader {
    /// Starts reading blocks of about this many bytes, in the order of the majors.
    #[new]
    #[pyo3(signature = (source, nbytes, memory_limit=None))]
    fn new(
        py: Python<'_>,
        source: &Source,
        nbytes: u64,
        memory_limit: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let inner = source.inner();
        let &Header { shape, order, .. } = inner.header();
        let cancellation = task::token();
        let limits = crate::options::limits(py, memory_limit, None)?;
        let options = engine::ConvertOptions::default().order(Some(order));
        // One block waits while the next is created.
        let (sender, blocks) = sync_channel(1);
        let done = task::start(cancellation.clone(), limits, move |context| {
            let target = Blocks { sender, nbytes };
            engine::convert(&*inner, &target, &options, context)
        })?;
        let reading = Mutex::new(Some(Reading { blocks, done }));
        Ok(Self { shape, order, cancellation, reading })
    }

    /// Returns `indptr`, indices and data of the next block; `None` at the end.
    fn next<'py>(&self, py: Python<'py>) -> PyResult<Option<Arrays<'py>>> {
        let taken = self.reading.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(mut reading) = taken else { return Ok(None) };
        let block = loop {
            let blocks = &mut reading.blocks;
            match py.detach(move || blocks.recv_timeout(TICK)) {
                Ok(block) => break block,
                // If this raises, the receiver is dropped, which ends the reading thread.
                Err(RecvTimeoutError::Timeout) => py.check_signals()?,
                Err(RecvTimeoutError::Disconnected) => {
                    let done = &mut reading.done;
                    let done = py.detach(move || done.recv());
                    done.map_or(Ok(()), |done| done.map(drop)).or_raise(py)?;
                    return Ok(None);
                }
            }
        };
        *self.reading.lock().unwrap_or_else(PoisonError::into_inner) = Some(reading);
        let Block { pointers, minors, values } = block;
        let majors = pointers.len() as u64 - 1;
        let extents = [majors, self.shape.minor(self.order)];
        let data = arrays::from_values(py, values, 0)?;
        let [indptr, indices] = arrays::from_indices(py, pointers, minors, extents)?;
        Ok(Some((indptr, indices, data)))
    }
}

impl Drop for BlockReader {
    fn drop(&mut self) {
        self.cancellation.cancel();
    }
}

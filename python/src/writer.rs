//! Writing a matrix in parts.

use std::ffi::OsString;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, TrySendError, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use nnz::matrix::{About, BatchReader, BatchUnits, Names, UnitReader};
use nnz::{
    Axis, Batch, Cancellation, CsMatrix, Error, ErrorKind, Header, Location, MatrixSource, Order,
    Place, Projection, Result, Shape, Summary, ValueType, Values,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::{IN_MEMORY, OrRaise as _, argument, exception};
use crate::source::{Source, location, order};
use crate::task::{self, TICK};
use crate::{arrays, options, summary};

/// Maximum number of batches that wait to be written.
const WAITING: usize = 16;

/// A matrix whose parts are received through a channel. It is read once, from start to end.
struct Parts {
    header: Header,
    /// The location of the target in messages.
    place: Place,
    /// Receives a message at the start of reading: the target has been checked then.
    waiting: StartSignal,
    batches: Mutex<Option<Receiver<Box<Batch>>>>,
    /// The number of majors received.
    come: Arc<AtomicU64>,
}

impl MatrixSource for Parts {
    fn place(&self) -> Place {
        self.place.clone()
    }

    fn header(&self) -> &Header {
        &self.header
    }

    fn about(&self) -> Result<About> {
        Ok(About::new("parts", "memory"))
    }

    fn read_names(&self, _: Axis) -> Result<Option<Names<'_>>> {
        Ok(None)
    }

    fn random_access(&self) -> bool {
        false
    }

    fn rereadable(&self) -> bool {
        false
    }

    fn units(&self, majors: Range<u64>, _: Projection) -> Result<Box<dyn UnitReader<'_> + '_>> {
        let all = self.header.shape.major(self.header.order);
        if let Some(waiting) = lock(&self.waiting).take() {
            // Nobody may wait any longer.
            let _ = waiting.send(());
        }
        let batches = self.batches.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(batches) = batches.filter(|_| majors == (0..all)) else {
            let what = "can only be read once, from start to end";
            return Err(Error::unsupported(self.place.clone(), what));
        };
        let empty = Batch::new(self.header.order, Values::new(self.header.value_type));
        let reader = BatchQueue {
            batches,
            come: Arc::clone(&self.come),
            all,
            major: self.header.order.major(),
            place: self.place.clone(),
        };
        Ok(Box::new(BatchUnits::new(Box::new(reader), empty)))
    }
}

/// Is used or dropped when [`PartsWriter::start`] need not wait any longer.
type StartSignal = Arc<Mutex<Option<Sender<()>>>>;

/// Waits for batches.
struct BatchQueue {
    batches: Receiver<Box<Batch>>,
    come: Arc<AtomicU64>,
    all: u64,
    major: Axis,
    place: Place,
}

impl BatchReader for BatchQueue {
    fn next_batch(&mut self, batch: &mut Batch) -> Result<bool> {
        if let Ok(next) = self.batches.recv() {
            *batch = *next;
            return Ok(true);
        }
        let come = self.come.load(Ordering::Acquire);
        if come == self.all {
            return Ok(false);
        }
        let what = format!("{come} of {} {} were written", self.all, self.major);
        Err(Error::new(ErrorKind::Argument(what), self.place.clone()))
    }
}

/// The state while parts are received.
struct WriterThread {
    batches: SyncSender<Box<Batch>>,
    done: Receiver<Result<Summary>>,
}

/// A matrix that is being written. Methods are called by one thread at a time.
#[pyclass(frozen, module = "nnz._nnz")]
pub(crate) struct PartsWriter {
    shape: Shape,
    order: Order,
    value_type: ValueType,
    come: Arc<AtomicU64>,
    target: Location,
    cancellation: Cancellation,
    waiting: StartSignal,
    /// Has a message at the start of reading, or is closed if that has not been reached.
    started: Mutex<Option<Receiver<()>>>,
    unsent: Mutex<Option<SyncSender<Box<Batch>>>>,
    source: Mutex<Option<Arc<dyn MatrixSource>>>,
    running: Mutex<Option<WriterThread>>,
}

#[pymethods]
impl PartsWriter {
    /// Describes the matrix: the target, its shape, the axis of the parts, and the type of values.
    #[new]
    fn new(
        py: Python<'_>,
        path: OsString,
        shape: (u64, u64),
        by: &str,
        dtype: &str,
    ) -> PyResult<Self> {
        let shape = Shape { rows: shape.0, cols: shape.1 };
        let (order, value_type) = (order(py, by)?, arrays::value_type(py, dtype)?);
        let header = Header::new(shape, order, value_type).axis_kinds(Default::default());
        let (sender, receiver) = sync_channel(WAITING);
        let come = Arc::<AtomicU64>::default();
        let (waiting, started) = channel();
        let waiting = Arc::new(Mutex::new(Some(waiting)));
        let target = location(path);
        let parts = Parts {
            header,
            place: target.source_place(),
            waiting: Arc::clone(&waiting),
            batches: Mutex::new(Some(receiver)),
            come: Arc::clone(&come),
        };
        Ok(Self {
            shape,
            order,
            value_type,
            come,
            target,
            cancellation: task::token(),
            waiting,
            started: Mutex::new(Some(started)),
            unsent: Mutex::new(Some(sender)),
            source: Mutex::new(Some(Arc::new(parts))),
            running: Mutex::new(None),
        })
    }

    /// Returns the description, to be completed. Can be called once.
    fn source(&self, py: Python<'_>) -> PyResult<Source> {
        let source = lock(&self.source).take();
        let source =
            source.ok_or_else(|| argument(py, "the matrix is already being written".to_owned()))?;
        Ok(Source::new(source))
    }

    /// Checks the options, the format and the target, which do not depend on the type of values.
    fn check(&self, py: Python<'_>, source: &Source, given: &Bound<'_, PyDict>) -> PyResult<()> {
        let (options, target) = (options::convert(given)?, self.target.clone());
        let inner = source.inner();
        task::run_detached(py, crate::options::limits_of(given)?, move |context| {
            context.target(&target, &options, &*inner)?.check()
        })
    }

    /// Starts writing the described matrix, and waits until the target has been checked.
    fn start(&self, py: Python<'_>, source: &Source, given: &Bound<'_, PyDict>) -> PyResult<()> {
        let options = options::convert(given)?;
        let target = self.target.clone();
        let inner = source.inner();
        let sender = lock(&self.unsent).take();
        let batches =
            sender.ok_or_else(|| argument(py, "the matrix is already being written".to_owned()))?;
        let waiting = Arc::clone(&self.waiting);
        let done = task::start(
            self.cancellation.clone(),
            crate::options::limits_of(given)?,
            move |context| {
                let done = nnz::convert_source(&*inner, &target, &options, context);
                // It may have failed before reading.
                drop(lock(&waiting).take());
                done
            },
        )?;
        *lock(&self.running) = Some(WriterThread { batches, done });
        self.wait_for_check(py).inspect_err(|_| self.abort(py))
    }

    /// Writes the next rows or columns.
    fn push(
        &self,
        py: Python<'_>,
        indptr: &Bound<'_, PyAny>,
        indices: &Bound<'_, PyAny>,
        data: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let pointers: Vec<i64> = arrays::vector(indptr)?;
        let minors = arrays::to_minors(indices)?;
        let values = arrays::to_values(data)?;
        let count = (pointers.len() as u64).saturating_sub(1);
        let first = self.come.load(Ordering::Acquire);
        let (majors, across) = (self.shape.major(self.order), self.shape.minor(self.order));
        let shape = match self.order {
            Order::Row => Shape { rows: count, cols: across },
            Order::Col => Shape { rows: across, cols: count },
        };
        if count > majors.saturating_sub(first) {
            let what = format!(
                "{} {} are written, but the matrix has {majors}",
                first.saturating_add(count),
                self.order.major()
            );
            let error = Error::new(ErrorKind::Argument(what), self.target.source_place());
            return Err(exception(py, &error));
        }
        if values.value_type() != self.value_type {
            let what = format!("values of type {}, not {}", values.value_type(), self.value_type);
            return Err(argument(py, what));
        }
        let order = self.order;
        let part = py.detach(move || {
            CsMatrix::from_parts(shape, order, pointers, minors, values)?.into_source()
        });
        let part = part.map_err(|error| error.with_context(&Place::path(IN_MEMORY[2])));
        let part = part.or_raise(py)?;
        let mut reader = part.batches(0..count, Projection::ALL).or_raise(py)?;
        loop {
            let mut batch = Batch::new(self.order, Values::new(self.value_type));
            if !py.detach(|| reader.next_batch(&mut batch)).or_raise(py)? {
                break;
            }
            shift(&mut batch, first);
            self.send(py, Box::new(batch))?;
        }
        self.come.store(first.saturating_add(count), Ordering::Release);
        Ok(())
    }

    /// Finishes and commits the output.
    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let running = lock(&self.running).take();
        let running = running.ok_or_else(|| argument(py, "nothing is being written".to_owned()))?;
        let summary = self.wait(py, running)?;
        summary::of_conversion(py, &summary)
    }

    /// Removes the output.
    fn abort(&self, py: Python<'_>) {
        self.cancellation.cancel();
        drop(lock(&self.source).take());
        drop(lock(&self.unsent).take());
        if let Some(WriterThread { batches, done }) = lock(&self.running).take() {
            drop(batches);
            // The error is that it was cancelled.
            let _ = py.detach(move || done.recv());
        }
    }
}

impl PartsWriter {
    /// Waits until the target has been checked, and returns the error if that has failed.
    fn wait_for_check(&self, py: Python<'_>) -> PyResult<()> {
        let Some(mut started) = lock(&self.started).take() else { return Ok(()) };
        let reads = loop {
            match task::wait_for(py, &mut started)? {
                Some(reads) => break reads,
                None => py.check_signals()?,
            }
        };
        if reads {
            return Ok(());
        }
        let running = lock(&self.running).take();
        running.map_or(Ok(()), |running| self.wait(py, running).map(drop))
    }

    fn send(&self, py: Python<'_>, batch: Box<Batch>) -> PyResult<()> {
        let mut waiting = batch;
        loop {
            let sent = {
                let sender = lock(&self.running).as_ref().map(|running| running.batches.clone());
                let Some(sender) = sender else {
                    return Err(argument(py, "nothing is being written".to_owned()));
                };
                py.detach(move || try_for(&sender, waiting, TICK))
            };
            match sent {
                Ok(()) => return Ok(()),
                Err(TrySendError::Full(batch)) => {
                    py.check_signals()?;
                    waiting = batch;
                }
                // Writing has failed.
                Err(TrySendError::Disconnected(_)) => {
                    let running = lock(&self.running).take();
                    return match running.map(|running| self.wait(py, running)) {
                        Some(Err(error)) => Err(error),
                        _ => Err(argument(py, "nothing is being written".to_owned())),
                    };
                }
            }
        }
    }

    fn wait(&self, py: Python<'_>, running: WriterThread) -> PyResult<Summary> {
        let WriterThread { batches, mut done } = running;
        drop(batches);
        let mut raised = None;
        let result = loop {
            match task::wait(py, &mut done)? {
                Some(result) => break result,
                None if raised.is_none() => {
                    let checked = py.check_signals();
                    raised = checked.inspect_err(|_| self.cancellation.cancel()).err();
                }
                None => {}
            }
        };
        match raised {
            Some(raised) => Err(raised),
            None => result.or_raise(py),
        }
    }
}

fn lock<T>(what: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    what.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Shifts the majors of a batch to the start of the part.
fn shift(batch: &mut Batch, by: u64) {
    use nnz::matrix::Majors;

    match &mut batch.majors {
        Majors::Consecutive(first) => *first = first.saturating_add(by),
        Majors::Listed(majors) => {
            majors.iter_mut().for_each(|major| *major = major.saturating_add(by));
        }
    }
}

/// Sends a batch, waiting some time for space.
fn try_for(
    sender: &SyncSender<Box<Batch>>,
    mut batch: Box<Batch>,
    time: Duration,
) -> std::result::Result<(), TrySendError<Box<Batch>>> {
    let until = Instant::now() + time;
    loop {
        match sender.try_send(batch) {
            Err(TrySendError::Full(back)) if Instant::now() < until => batch = back,
            done => return done,
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

//! Work without the GIL, which signals stop.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use nnz::{Cancellation, Progress};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::error::OrRaise as _;

/// How often signals are looked for, and progress is reported.
pub(crate) const TICK: Duration = Duration::from_millis(50);

/// What work is given.
pub(crate) struct Context {
    /// Is cancelled by signals, and by a progress callback that raises.
    pub(crate) cancellation: Cancellation,
    /// Where progress is kept until it is reported.
    pub(crate) progress: Arc<Counter>,
}

impl Context {
    /// Returns the token, as options take it.
    pub(crate) fn token(&self) -> Option<Cancellation> {
        Some(self.cancellation.clone())
    }
}

/// Runs work on a thread of its own without the GIL, and waits for it. `progress` is called with a word for the
/// work, the number of entries done, and their number if it is known.
///
/// A signal whose handler raises, as that of Ctrl-C does, cancels the work; the exception is raised when the work
/// has ended and removed what it had written.
pub(crate) fn run<T: Send + 'static>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Context) -> nnz::Result<T> + Send + 'static,
) -> PyResult<T> {
    let context = Context { cancellation: Cancellation::new(), progress: Arc::default() };
    let (cancellation, counter) = (context.cancellation.clone(), Arc::clone(&context.progress));
    let mut done = start(move || work(&context))?;
    let mut raised = None;
    let result = loop {
        match wait(py, &mut done)? {
            Some(result) => break result,
            None if raised.is_none() => {
                let checked = py.check_signals().and_then(|()| counter.report(progress));
                raised = checked.inspect_err(|_| cancellation.cancel()).err();
            }
            None => {}
        }
    };
    match raised {
        Some(raised) => Err(raised),
        None => {
            counter.report(progress)?;
            result.or_raise(py)
        }
    }
}

/// Runs work that only reads and cannot be cancelled. A signal whose handler raises leaves it to itself.
pub(crate) fn run_detached<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> nnz::Result<T> + Send + 'static,
) -> PyResult<T> {
    let mut done = start(work)?;
    loop {
        match wait(py, &mut done)? {
            Some(result) => return result.or_raise(py),
            None => py.check_signals()?,
        }
    }
}

/// Starts work on a thread of its own.
pub(crate) fn start<T: Send + 'static>(
    work: impl FnOnce() -> nnz::Result<T> + Send + 'static,
) -> PyResult<Receiver<nnz::Result<T>>> {
    let (sender, receiver) = channel();
    let named = thread::Builder::new().name("nnz".to_owned());
    named.spawn(move || sender.send(work()))?;
    Ok(receiver)
}

/// Waits for a tick; `None` if the work is not done then.
pub(crate) fn wait<T: Send>(py: Python<'_>, done: &mut Receiver<T>) -> PyResult<Option<T>> {
    match py.detach(move || done.recv_timeout(TICK)) {
        Ok(result) => Ok(Some(result)),
        Err(RecvTimeoutError::Timeout) => Ok(None),
        // The work panicked, which the hook has printed.
        Err(RecvTimeoutError::Disconnected) => Err(PyRuntimeError::new_err("nnz failed")),
    }
}

/// Keeps how far work is.
#[derive(Default)]
pub(crate) struct Counter {
    part: Mutex<Option<(String, Option<u64>)>>,
    done: AtomicU64,
}

impl Counter {
    fn report(&self, callback: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let Some(callback) = callback else { return Ok(()) };
        let part = self.part.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let Some((what, total)) = part else { return Ok(()) };
        callback.call1((what, self.done.load(Ordering::Relaxed), total)).map(drop)
    }
}

impl Progress for Counter {
    fn begin(&self, what: &str, total: Option<u64>) {
        self.done.store(0, Ordering::Relaxed);
        *self.part.lock().unwrap_or_else(PoisonError::into_inner) = Some((what.to_owned(), total));
    }

    fn advance(&self, entries: u64) {
        self.done.fetch_add(entries, Ordering::Relaxed);
    }

    fn end(&self) {}
}

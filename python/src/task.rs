//! Running operations without the GIL, with cancellation by signals.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use nnz::{Cancellation, Context, Progress};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::error::OrRaise as _;
use crate::storage::Scope;

/// The interval of checking for signals and reporting progress.
pub(crate) const TICK: Duration = Duration::from_millis(50);

/// The limits of an operation; by default the limits of the library.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Limits {
    pub(crate) memory: Option<u64>,
    pub(crate) threads: Option<usize>,
}

impl Limits {
    /// Returns the context of the calling thread of Python with these limits.
    fn context(self, scope: &Scope) -> Context {
        scope.context().with_memory(self.memory).with_threads(self.threads)
    }
}

/// Runs an operation on another thread without the GIL, and waits for it. `progress` is called with the name of
/// the present part, the number of finished entries, and the total number if known.
///
/// If the handler of a signal raises, as for Ctrl-C, the operation is cancelled. The exception is raised
/// when it has ended and removed its output.
pub(crate) fn run<T: Send + 'static>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    limits: Limits,
    work: impl FnOnce(&Context) -> nnz::Result<T> + Send + 'static,
) -> PyResult<T> {
    let (scope, counter) = (Scope::current(), Arc::new(Counter::default()));
    let cancellation = scope.member();
    let context = limits
        .context(&scope)
        .with_cancellation(cancellation.clone())
        .with_progress(Arc::clone(&counter) as Arc<dyn Progress>);
    let mut done = spawn(cancellation.clone(), move || work(&context))?;
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

/// Runs a short read that cannot be cancelled. If the handler of a signal raises, the thread continues
/// without a result.
pub(crate) fn run_detached<T: Send + 'static>(
    py: Python<'_>,
    limits: Limits,
    work: impl FnOnce(&Context) -> nnz::Result<T> + Send + 'static,
) -> PyResult<T> {
    let scope = Scope::current();
    // Files that it opens outlive it, so they do not have its token.
    let running = scope.member();
    let context = limits.context(&scope);
    let mut done = spawn(running, move || work(&context))?;
    loop {
        match wait(py, &mut done)? {
            Some(result) => return result.or_raise(py),
            None => py.check_signals()?,
        }
    }
}

/// Returns a token for an operation in the context of the calling thread of Python.
pub(crate) fn token() -> Cancellation {
    Scope::current().member()
}

/// Starts an operation on another thread, which a token cancels.
pub(crate) fn start<T: Send + 'static>(
    cancellation: Cancellation,
    limits: Limits,
    work: impl FnOnce(&Context) -> nnz::Result<T> + Send + 'static,
) -> PyResult<Receiver<nnz::Result<T>>> {
    let context = limits.context(&Scope::current()).with_cancellation(cancellation.clone());
    spawn(cancellation, move || work(&context))
}

/// Runs an operation on another thread. Its token counts for its scope as long as it runs.
fn spawn<T: Send + 'static>(
    cancellation: Cancellation,
    work: impl FnOnce() -> nnz::Result<T> + Send + 'static,
) -> PyResult<Receiver<nnz::Result<T>>> {
    let (sender, receiver) = channel();
    let named = thread::Builder::new().name("nnz".to_owned());
    named.spawn(move || {
        let running = cancellation.start();
        let result = work();
        drop(running);
        sender.send(result)
    })?;
    Ok(receiver)
}

/// Waits for a tick; `None` if the operation has not finished.
pub(crate) fn wait<T: Send>(py: Python<'_>, done: &mut Receiver<T>) -> PyResult<Option<T>> {
    match py.detach(move || done.recv_timeout(TICK)) {
        Ok(result) => Ok(Some(result)),
        Err(RecvTimeoutError::Timeout) => Ok(None),
        // The operation panicked, which the hook has printed.
        Err(RecvTimeoutError::Disconnected) => Err(PyRuntimeError::new_err("nnz failed")),
    }
}

/// Waits a tick for a message, and returns whether there is one; `None` if there may be one later.
pub(crate) fn wait_for(py: Python<'_>, messages: &mut Receiver<()>) -> PyResult<Option<bool>> {
    match py.detach(move || messages.recv_timeout(TICK)) {
        Ok(()) => Ok(Some(true)),
        Err(RecvTimeoutError::Timeout) => Ok(None),
        Err(RecvTimeoutError::Disconnected) => Ok(Some(false)),
    }
}

/// Stores progress.
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

//! Running operations on other threads, which interrupts cancel.

use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use nnz::{Cancellation, Context, Error};
use savvy::sexp::null::null;

use crate::error::Failure;

/// The interval of checking for interrupts.
const TICK: Duration = Duration::from_millis(50);

#[allow(unsafe_code, reason = "a function of R")]
mod api {
    unsafe extern "C" {
        /// Handles an interrupt that is pending: it does not return then.
        pub(super) fn R_CheckUserInterrupt();
    }
}

/// Limits of an operation; by default those of the library.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Limits {
    pub(crate) memory: Option<u64>,
    pub(crate) threads: Option<usize>,
}

/// Runs an operation on another thread and waits for it.
///
/// After an interrupt the operation is cancelled, and R continues with the interrupt when the operation has ended and
/// removed its output.
pub(crate) fn run<T: Send + 'static>(
    limits: Limits,
    work: impl FnOnce(&Context) -> nnz::Result<T> + Send + 'static,
) -> Result<T, Failure> {
    let cancellation = Cancellation::new();
    let context = Context::default()
        .with_memory(limits.memory)
        .with_threads(limits.threads)
        .with_cancellation(cancellation.clone());
    let done = spawn(move || work(&context))?;
    loop {
        match done.recv_timeout(TICK) {
            Ok(result) => return result.map_err(Failure::from),
            Err(RecvTimeoutError::Timeout) => {
                if let Err(interrupt) = check_interrupt() {
                    cancellation.cancel();
                    // The thread drops its sender when it has ended.
                    let _ = done.recv();
                    return Err(interrupt.into());
                }
            }
            Err(RecvTimeoutError::Disconnected) => {
                return Err(Error::argument("nnz failed: the message above describes a bug").into());
            }
        }
    }
}

/// Opens something that outlives the call, so that its context has no token of this call. It cannot be cancelled: after an
/// interrupt, the thread continues without a result.
pub(crate) fn run_detached<T: Send + 'static>(
    limits: Limits,
    work: impl FnOnce(&Context) -> nnz::Result<T> + Send + 'static,
) -> Result<T, Failure> {
    let context = Context::default().with_memory(limits.memory).with_threads(limits.threads);
    let done = spawn(move || work(&context))?;
    loop {
        match done.recv_timeout(TICK) {
            Ok(result) => return result.map_err(Failure::from),
            Err(RecvTimeoutError::Timeout) => check_interrupt()?,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(Error::argument("nnz failed: the message above describes a bug").into());
            }
        }
    }
}

fn spawn<T: Send + 'static>(
    work: impl FnOnce() -> nnz::Result<T> + Send + 'static,
) -> Result<Receiver<nnz::Result<T>>, Failure> {
    let (sender, receiver) = channel();
    let named = thread::Builder::new().name("nnz".to_owned());
    // Nobody receives the result after an interrupt.
    let started = named.spawn(move || drop(sender.send(work())));
    started.map_err(|error| Error::argument(format!("cannot start a thread: {error}")))?;
    Ok(receiver)
}

/// Fails if R was interrupted, with the token that R continues with.
#[allow(unsafe_code, reason = "R_CheckUserInterrupt is a function of R")]
fn check_interrupt() -> savvy::Result<()> {
    // SAFETY: this is R's thread, and the closure owns nothing that a jump out of it would leak.
    let checked = unsafe {
        savvy::unwind_protect(|| {
            api::R_CheckUserInterrupt();
            null()
        })
    };
    checked.map(drop)
}

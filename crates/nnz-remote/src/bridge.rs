//! The thread that requests run on.

use std::future::Future;
use std::io;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use nnz_core::{Cancellation, Error, ErrorKind, Place};
use tokio::runtime::{Builder, Handle, Runtime};

/// Interval at which a waiting thread checks whether it was cancelled.
pub(crate) const TICK: Duration = Duration::from_millis(50);

/// The runtime, and the process it was made in: a fork has no thread of it.
static RUNTIME: OnceLock<Mutex<Option<(u32, Runtime)>>> = OnceLock::new();

/// Returns the runtime of this process.
pub(crate) fn handle() -> io::Result<Handle> {
    let runtime = RUNTIME.get_or_init(Mutex::default);
    let mut runtime = runtime.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    if let Some((made_in, runtime)) = &*runtime
        && *made_in == process
    {
        return Ok(runtime.handle().clone());
    }
    // The runtime would panic if the system cannot start its thread.
    let _ = std::thread::Builder::new().spawn(|| ()).map_err(no_thread)?.join();
    let made = Builder::new_multi_thread()
        .worker_threads(1)
        .thread_name("nnz-remote")
        .enable_all()
        .build()?;
    let handle = made.handle().clone();
    // Dropping the one of another process would wait for threads that are not here.
    std::mem::forget(runtime.replace((process, made)));
    Ok(handle)
}

fn no_thread(error: io::Error) -> io::Error {
    let what = format!("cannot start the request thread: {error}");
    io::Error::new(io::ErrorKind::OutOfMemory, what)
}

/// Runs something on the thread for requests and waits for its result. The thread of the caller may have
/// a runtime of its own.
pub(crate) fn run<T: Send + 'static>(
    cancellation: &Cancellation,
    task: impl Future<Output = T> + Send + 'static,
) -> io::Result<T> {
    let (sender, receiver) = mpsc::sync_channel(1);
    let task = handle()?.spawn(async move {
        let _ = sender.send(task.await);
    });
    loop {
        match receiver.recv_timeout(TICK) {
            Ok(result) => return Ok(result),
            Err(RecvTimeoutError::Timeout) if cancellation.is_cancelled() => {
                task.abort();
                return Err(cancelled());
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                return Err(io::Error::other("the request thread ended"));
            }
        }
    }
}

/// The error of something that was cancelled.
pub(crate) fn cancelled() -> io::Error {
    io::Error::other(Error::new(ErrorKind::Cancelled, Place::default()))
}

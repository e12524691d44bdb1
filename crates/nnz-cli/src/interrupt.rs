//! Signals and exhausted memory, which end the program: unfinished outputs are removed first.

use std::io::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Time for the program to exit by itself if its output is already in place.
const LAST_MOMENTS: Duration = Duration::from_secs(2);

/// Whether the program is the command, which may end here.
static IS_COMMAND: AtomicBool = AtomicBool::new(false);

/// Whether an allocation failed.
static NO_MEMORY: AtomicBool = AtomicBool::new(false);

/// The status of a program without memory.
const FAILED: i32 = 2;

/// Handles SIGINT, SIGTERM and SIGHUP, unless they are ignored, as SIGHUP is under `nohup`, and failed allocations.
///
/// An output is invisible until it is complete, so exiting is safe at any time. Files that the
/// system does not remove by itself are removed first.
pub fn install() {
    let Ok(mut signals) = signals() else { return };
    let (starting, started) = std::sync::mpsc::channel::<()>();
    // If no thread can be started, signals still end the program, but may leave temporary files.
    let _ = std::thread::Builder::new().spawn(move || {
        drop(starting);
        let signal = signals.next();
        if NO_MEMORY.load(Ordering::Acquire) {
            nnz::output::remove_staged_outputs();
            std::process::exit(FAILED);
        }
        if let Some(signal) = signal {
            if !nnz::output::remove_staged_outputs_unless_placed() {
                // The output is in place; the program is probably about to exit and print its
                // summary.
                std::thread::sleep(LAST_MOMENTS);
                nnz::output::remove_staged_outputs();
            }
            std::process::exit(128 + signal);
        }
    });
    // A thread that gets no memory when it starts ends the program: nothing else takes any until then.
    let _ = started.recv();
}

/// Address space that is given back when an allocation fails: until the program has ended, the C library aborts it where
/// it gets no memory for a thread.
static RESERVE: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// The size of the reserve, which is never written. The system returns blocks of this size at once.
const RESERVED: usize = 1 << 20;

/// Lets failed allocations end this program.
pub(crate) fn end_without_memory() {
    let mut reserve = RESERVE.lock().unwrap_or_else(PoisonError::into_inner);
    // Without it, the program is only more likely to be aborted.
    let _ = reserve.try_reserve_exact(RESERVED);
    drop(reserve);
    IS_COMMAND.store(true, Ordering::Release);
}

/// Prints that the system refused an allocation, removes unfinished outputs and ends the command. Returns only in
/// other programs. Allocates nothing.
#[cold]
pub(crate) fn no_memory(bytes: usize) {
    if !IS_COMMAND.load(Ordering::Acquire) {
        return;
    }
    if NO_MEMORY.swap(true, Ordering::AcqRel) {
        // Another thread ends the program. This one may be the one that removes outputs.
        std::thread::sleep(2 * LAST_MOMENTS);
    } else {
        if let Ok(mut reserve) = RESERVE.try_lock() {
            *reserve = Vec::new();
        }
        let _ = writeln!(
            std::io::stderr(),
            "nnz: not enough memory: the system refused {bytes} bytes{MEMORY_HINT}"
        );
        wake();
        std::thread::sleep(LAST_MOMENTS);
    }
    signal_hook::low_level::exit(FAILED);
}

/// The action to take if the system has no memory left.
pub(crate) const MEMORY_HINT: &str = "; fewer --threads and a smaller --memory need less";

/// Wakes the thread that waits for signals.
#[cfg(unix)]
static WAITING: std::sync::OnceLock<signal_hook::iterator::Handle> = std::sync::OnceLock::new();

#[cfg(unix)]
fn wake() {
    match WAITING.get() {
        Some(waiting) => waiting.close(),
        // Nothing was written yet.
        None => signal_hook::low_level::exit(FAILED),
    }
}

/// Does nothing: the thread polls.
#[cfg(not(unix))]
fn wake() {}

/// Returns the signals to wait for, which end the program.
#[cfg(unix)]
fn signals() -> std::io::Result<impl Iterator<Item = i32> + Send> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};

    // Without a handler, a limit on file sizes would end the program; with one, writing fails with
    // an error.
    let exceeded = std::sync::Arc::new(AtomicBool::new(false));
    let _ = signal_hook::flag::register(SIGXFSZ, exceeded);
    let ending = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|signal| !is_ignored(*signal));
    let mut signals = signal_hook::iterator::Signals::new(ending)?;
    let _ = WAITING.set(signals.handle());
    Ok(std::iter::from_fn(move || signals.forever().next()))
}

/// Returns whether a signal is ignored, which a program inherits from the one that starts it.
#[cfg(unix)]
#[allow(unsafe_code, reason = "the action of a signal has no safe function")]
fn is_ignored(signal: i32) -> bool {
    let mut action = std::mem::MaybeUninit::<libc::sigaction>::uninit();
    // SAFETY: without a new action the system changes nothing, and writes the present one.
    unsafe {
        libc::sigaction(signal, std::ptr::null(), action.as_mut_ptr()) == 0
            && action.assume_init().sa_sigaction == libc::SIG_IGN
    }
}

/// Returns Ctrl-C, the only signal that Windows sends to a program. A handler cannot wake a thread there, so the
/// thread polls.
#[cfg(windows)]
fn signals() -> std::io::Result<impl Iterator<Item = i32> + Send> {
    use std::sync::Arc;

    use signal_hook::consts::SIGINT;

    const PAUSE: Duration = Duration::from_millis(50);
    let pressed = Arc::new(AtomicBool::new(false));
    signal_hook::flag::register(SIGINT, Arc::clone(&pressed))?;
    Ok(std::iter::from_fn(move || {
        while !pressed.swap(false, Ordering::Relaxed) && !NO_MEMORY.load(Ordering::Relaxed) {
            std::thread::sleep(PAUSE);
        }
        Some(SIGINT)
    }))
}

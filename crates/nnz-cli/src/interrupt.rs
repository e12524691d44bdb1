//! Signals that end the program: unfinished outputs are removed first.

use std::time::Duration;

/// Time for the program to exit by itself if its output is already in place.
const LAST_MOMENTS: Duration = Duration::from_secs(2);

/// Handles SIGINT, SIGTERM and SIGHUP.
///
/// An output is invisible until it is complete, so exiting is safe at any time. Files that the
/// system does not remove by itself are removed first.
pub fn install() {
    let Ok(mut signals) = signals() else { return };
    // If no thread can be started, signals still end the program, but may leave temporary files.
    let _ = std::thread::Builder::new().spawn(move || {
        if let Some(signal) = signals.next() {
            if !nnz::output::remove_staged_outputs_unless_placed() {
                // The output is in place; the program is probably about to exit and print its
                // summary.
                std::thread::sleep(LAST_MOMENTS);
                nnz::output::remove_staged_outputs();
            }
            std::process::exit(128 + signal);
        }
    });
}

/// Returns the signals to wait for, which end the program.
#[cfg(unix)]
fn signals() -> std::io::Result<impl Iterator<Item = i32> + Send> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};

    // Without a handler, a limit on file sizes would end the program; with one, writing fails with
    // an error.
    let exceeded = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let _ = signal_hook::flag::register(SIGXFSZ, exceeded);
    let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    Ok(std::iter::from_fn(move || signals.forever().next()))
}

/// Returns Ctrl-C, the only signal that Windows sends to a program. A handler cannot wake a thread there, so the
/// thread polls.
#[cfg(windows)]
fn signals() -> std::io::Result<impl Iterator<Item = i32> + Send> {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use signal_hook::consts::SIGINT;

    const PAUSE: Duration = Duration::from_millis(50);
    let pressed = Arc::new(AtomicBool::new(false));
    signal_hook::flag::register(SIGINT, Arc::clone(&pressed))?;
    Ok(std::iter::from_fn(move || {
        while !pressed.swap(false, Ordering::Relaxed) {
            std::thread::sleep(PAUSE);
        }
        Some(SIGINT)
    }))
}

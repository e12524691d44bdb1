//! Signals that end the program: unfinished outputs are removed first.

use std::time::Duration;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::Signals;

/// Time for the program to exit by itself if its output is already in place.
const LAST_MOMENTS: Duration = Duration::from_secs(2);

/// Handles SIGINT, SIGTERM and SIGHUP.
///
/// An output is invisible until it is complete, so exiting is safe at any time. Files that the
/// system does not remove by itself are removed first.
pub fn install() {
    // Without a handler, a limit on file sizes would end the program; with one, writing fails with
    // an error.
    let exceeded = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let _ = signal_hook::flag::register(SIGXFSZ, exceeded);
    let Ok(mut signals) = Signals::new([SIGINT, SIGTERM, SIGHUP]) else { return };
    // If no thread can be started, signals still end the program, but may leave temporary files.
    let _ = std::thread::Builder::new().spawn(move || {
        if let Some(signal) = signals.forever().next() {
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

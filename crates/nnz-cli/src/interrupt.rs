//! Ctrl-C and its kin: unfinished outputs go, and the program ends.

use std::time::Duration;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::Signals;

/// How long a program may take to end that has put its output in its place.
const LAST_MOMENTS: Duration = Duration::from_secs(2);

/// Starts listening.
///
/// An output is invisible until it is complete, so ending is safe at any time; what the system
/// cannot forget by itself is removed first.
pub fn install() {
    // Without a handler, a limit on file sizes would kill the program; with one, writing fails and
    // says so.
    let exceeded = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let _ = signal_hook::flag::register(SIGXFSZ, exceeded);
    let Ok(mut signals) = Signals::new([SIGINT, SIGTERM, SIGHUP]) else { return };
    // Without a thread to listen, signals still end the program, and little is left behind.
    let _ = std::thread::Builder::new().spawn(move || {
        if let Some(signal) = signals.forever().next() {
            if !nnz::output::remove_staged_outputs_unless_placed() {
                // What was asked for is there. Most likely the program is about to end and say so.
                std::thread::sleep(LAST_MOMENTS);
                nnz::output::remove_staged_outputs();
            }
            std::process::exit(128 + signal);
        }
    });
}

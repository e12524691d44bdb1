//! Reporting the progress of checks that read whole arrays.

use crate::Context;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use nnz_container::NamedArrays;
use nnz_core::{Cancellation, ErrorKind, Result};

use super::cancellable::counted;

/// The time between two reports.
const INTERVAL: Duration = Duration::from_millis(100);

/// Opens the container again for a check.
pub(super) type Open<'a> = &'a dyn Fn() -> Result<NamedArrays>;

/// Runs a check that reads the arrays of a container `passes` times, and reports the part of their bytes that was read
/// as a part of `entries`. If these are not known, nothing is reported.
pub(super) fn check_arrays(
    container: &NamedArrays,
    entries: Option<u64>,
    passes: u64,
    cancellation: Option<&Cancellation>,
    context: &Context,
    check: impl FnOnce(Open<'_>) -> Result<()>,
) -> Result<()> {
    let read = Arc::new(AtomicU64::new(0));
    let open = || Ok(counted(container, cancellation, &read));
    let read = &read;
    let Some(entries) = entries else { return check(&open) };
    let all = bytes(container)?.saturating_mul(passes).max(1);
    let scaled = move |read: u64| {
        let part = u128::from(entries) * u128::from(read.min(all)) / u128::from(all);
        u64::try_from(part).unwrap_or(entries)
    };
    context.progress().begin("checking", Some(entries));
    let (checked, ended) = channel::<()>();
    let done = std::thread::scope(|scope| {
        // A container may live longer than the context, so that it only counts, and another thread reports.
        let report = move || {
            let mut reported = 0;
            let mut report = || {
                let now = scaled(read.load(Ordering::Relaxed));
                context.progress().advance(now.saturating_sub(reported));
                reported = now;
            };
            while ended.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
                report();
            }
            report();
        };
        // If the system cannot start a thread, nothing is reported.
        let _ = std::thread::Builder::new().spawn_scoped(scope, report);
        let done = check(&open);
        drop(checked);
        done
    });
    context.progress().end();
    done
}

/// Returns the bytes of the arrays of numbers of a container. Arrays that are damaged are left to the check.
fn bytes(container: &NamedArrays) -> Result<u64> {
    let mut sum = 0_u64;
    for name in unless_damaged(container.members())?.unwrap_or_default() {
        if let Some(array) = unless_damaged(container.array(&name))? {
            let size = array.value_type().size() as u64;
            sum = sum.saturating_add(array.len().saturating_mul(size));
        }
    }
    Ok(sum)
}

/// Returns errors of the system only.
fn unless_damaged<T>(found: Result<T>) -> Result<Option<T>> {
    match found {
        Err(error) if matches!(error.kind(), ErrorKind::Io(_)) => Err(error),
        found => Ok(found.ok()),
    }
}

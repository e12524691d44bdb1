//! Parallel loops.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use nnz_core::{Cancellation, Result};

/// Calls `work` for each item, on up to `threads` threads. After a failure no more items are
/// processed.
///
/// # Errors
///
/// Fails if `work` fails, with the error of the first item that failed.
pub(crate) fn for_each<T: Send>(
    threads: usize,
    items: impl Iterator<Item = T> + Send,
    work: impl Fn(T) -> Result<()> + Sync,
) -> Result<()> {
    for_each_with(threads, items, || (), |(), item| work(item))
}

/// Same as [`for_each`], with a value that each thread creates once, such as its buffers.
pub(crate) fn for_each_with<T: Send, W>(
    threads: usize,
    mut items: impl Iterator<Item = T> + Send,
    start: impl Fn() -> W + Sync,
    work: impl Fn(&mut W, T) -> Result<()> + Sync,
) -> Result<()> {
    if threads <= 1 {
        let mut own = start();
        return items.try_for_each(|item| work(&mut own, item));
    }
    // Locked only to take an item.
    let items = Mutex::new(items.enumerate());
    let failed = AtomicBool::new(false);
    let cancellation = Cancellation::current();
    let run = || {
        let _entered = cancellation.as_ref().map(Cancellation::enter);
        let mut own = start();
        while !failed.load(Ordering::Relaxed) {
            let item = items.lock().unwrap_or_else(PoisonError::into_inner).next();
            let (number, item) = item?;
            if let Err(error) = work(&mut own, item) {
                failed.store(true, Ordering::Relaxed);
                return Some((number, error));
            }
        }
        None
    };
    let failures = std::thread::scope(|scope| {
        let spawn = |_| std::thread::Builder::new().spawn_scoped(scope, run);
        // If the system cannot start more threads, the existing ones do all the work.
        let others: Vec<_> = (1..threads).map_while(|number| spawn(number).ok()).collect();
        let mut failures = vec![run()];
        for other in others {
            match other.join() {
                Ok(failure) => failures.push(failure),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        failures
    });
    // Items are taken in order, so all items before one that failed were processed.
    let first = failures.into_iter().flatten().min_by_key(|(number, _)| *number);
    first.map_or(Ok(()), |(_, error)| Err(error))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use nnz_core::Error;

    use super::*;

    #[test]
    fn all_items_are_processed_once() {
        for threads in [0, 1, 3, 100] {
            let sum = AtomicUsize::new(0);
            let add = |item| {
                sum.fetch_add(item, Ordering::Relaxed);
                Ok(())
            };
            for_each(threads, 0..1000, add).unwrap();
            assert_eq!(sum.into_inner(), 499_500);
        }
    }

    #[test]
    fn the_first_failure_is_returned() {
        for threads in [1, 2, 8] {
            let work = |item: usize| {
                // The first to fail takes the longest.
                std::thread::sleep(std::time::Duration::from_millis(if item == 5 {
                    20
                } else {
                    1
                }));
                if item >= 5 { Err(Error::argument(item.to_string())) } else { Ok(()) }
            };
            assert_eq!(for_each(threads, 0..100, work).unwrap_err().to_string(), "5");
        }
    }
}

//! Work on several threads.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use crate::{Error, Result};

/// Calls `work` on this number of threads, including the calling one.
///
/// If the system cannot start more threads, the existing ones do all the work: each call takes what is next until
/// nothing is left. If a thread panics, so does the calling one, after all have ended.
///
/// ```
/// use std::sync::atomic::{AtomicUsize, Ordering};
///
/// let (next, sum) = (AtomicUsize::new(0), AtomicUsize::new(0));
/// nnz_core::parallel::on_threads(4, &|| {
///     loop {
///         match next.fetch_add(1, Ordering::Relaxed) {
///             item @ ..100 => sum.fetch_add(item, Ordering::Relaxed),
///             _ => return,
///         };
///     }
/// });
/// assert_eq!(sum.into_inner(), 4950);
/// ```
pub fn on_threads(threads: usize, work: &(dyn Fn() + Sync)) {
    let (starting, started) = (Mutex::new(()), AtomicUsize::new(0));
    let after_start = || {
        started.fetch_add(1, Ordering::Release);
        drop(lock(&starting));
        work();
    };
    std::thread::scope(|scope| {
        let builder = std::thread::Builder::new;
        let others: Vec<_> = if *IS_LIMITED {
            let held = lock(&starting);
            let spawn = |count: usize| {
                let other = has_room().then(|| builder().spawn_scoped(scope, after_start).ok())?;
                while other.is_some() && started.load(Ordering::Acquire) < count {
                    std::thread::yield_now();
                }
                other
            };
            let others = (1..threads).map_while(spawn).collect();
            drop(held);
            others
        } else {
            (1..threads).map_while(|_| builder().spawn_scoped(scope, work).ok()).collect()
        };
        work();
        for other in others {
            if let Err(panic) = other.join() {
                std::panic::resume_unwind(panic);
            }
        }
    });
}

/// Whether the address space of the process is limited. The standard library ends a process in which a thread was started but
/// gets no memory to begin with. Then threads are started one after another, before any of them works.
static IS_LIMITED: LazyLock<bool> = LazyLock::new(|| {
    // Only Linux has it; elsewhere address space is hardly ever limited.
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let limit = limits.lines().find_map(|line| line.strip_prefix("Max address space"));
    limit.is_some_and(|limit| !limit.trim_start().starts_with("unlimited"))
});

/// Returns whether there is address space for another thread, and for what it allocates when it starts.
fn has_room() -> bool {
    /// The default size of a stack, and as much again.
    const ROOM: usize = 4 << 20;
    let mut room: Vec<u8> = Vec::new();
    let has_room = room.try_reserve_exact(ROOM).is_ok();
    // Otherwise the compiler may leave out an allocation that nobody uses.
    std::hint::black_box(&room);
    has_room
}

/// Calls `work` for each item, on up to `threads` threads. After a failure no more items are
/// processed.
///
/// # Errors
///
/// Fails if `work` fails, with the error of the first item that failed.
pub fn for_each<T: Send>(
    threads: usize,
    items: impl Iterator<Item = T> + Send,
    work: impl Fn(T) -> Result<()> + Sync,
) -> Result<()> {
    for_each_with(threads, items, || (), |(), item| work(item))
}

/// Same as [`for_each`], with a value that each thread creates once, such as its buffers.
///
/// # Errors
///
/// Fails if `work` fails, with the error of the first item that failed.
pub fn for_each_with<T: Send, W>(
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
    // Items are taken in order, so all items before one that failed are processed.
    let first: Mutex<Option<(usize, Error)>> = Mutex::new(None);
    on_threads(threads, &|| {
        let mut own = start();
        while !failed.load(Ordering::Relaxed) {
            let next = lock(&items).next();
            let Some((number, item)) = next else { return };
            if let Err(error) = work(&mut own, item) {
                failed.store(true, Ordering::Relaxed);
                let mut first = lock(&first);
                if first.as_ref().is_none_or(|(earlier, _)| number < *earlier) {
                    *first = Some((number, error));
                }
            }
        }
    });
    let first = first.into_inner().unwrap_or_else(PoisonError::into_inner);
    first.map_or(Ok(()), |(_, error)| Err(error))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {

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

    #[test]
    fn panics_are_those_of_the_threads() {
        let calling = std::thread::current().id();
        let started = AtomicBool::new(false);
        let work = || {
            if std::thread::current().id() != calling {
                started.store(true, Ordering::Relaxed);
                std::panic::panic_any(5_u8);
            }
        };
        let caught = std::panic::catch_unwind(|| on_threads(2, &work)).err();
        let caught = caught.and_then(|panic| panic.downcast_ref().copied());
        // A system may be unable to start a second thread.
        assert_eq!(caught, started.into_inner().then_some(5_u8));
    }
}

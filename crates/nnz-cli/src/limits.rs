//! Resource limits.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes of memory that this process may have.
static LARGEST: AtomicUsize = AtomicUsize::new(1 << 40);

/// Returns the size of the largest allocation that this machine and the limits of this process allow.
pub(crate) fn largest_allocation() -> usize {
    LARGEST.load(Ordering::Relaxed)
}

/// Reads the memory of this machine and the limits of this process.
pub(crate) fn read() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, getrlimit};

        let lower = |bytes| LARGEST.fetch_min(bytes, Ordering::Relaxed);
        for resource in [Resource::As, Resource::Data] {
            if let Some(limit) = getrlimit(resource).current {
                lower(usize::try_from(limit).unwrap_or(usize::MAX));
            }
        }
        if getrlimit(Resource::As).current.is_some() {
            share_one_arena();
        }
        #[cfg(target_os = "linux")]
        lower(usize::try_from(rustix::system::sysinfo().totalram).unwrap_or(usize::MAX));
    }
}

/// Lets all threads allocate from one arena: the C library reserves 64 MiB of addresses for each other one.
#[cfg(unix)]
#[allow(unsafe_code, reason = "settings of the allocator have no safe function")]
fn share_one_arena() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: there are no other threads yet.
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, 1);
    }
}

/// Raises the limit on open files to the maximum: each store that is merged needs a dozen.
#[cfg(unix)]
pub(crate) fn raise() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    // If this fails, the present limit may suffice.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum });
}

/// Does nothing: open files are not limited.
#[cfg(not(unix))]
pub(crate) fn raise() {}

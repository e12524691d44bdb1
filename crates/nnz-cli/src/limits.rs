//! Resource limits.

/// Asks for as many open files as may be had: each store that is merged takes a dozen.
#[cfg(unix)]
pub(crate) fn raise() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    // If this fails, the present limit may suffice.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum });
}

/// Asks for nothing: open files are not limited.
#[cfg(not(unix))]
pub(crate) fn raise() {}

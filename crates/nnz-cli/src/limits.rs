//! Resource limits.

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

//! What the system lets the program have.

/// Asks for as many open files as may be had: each store that is merged takes a dozen.
#[cfg(unix)]
pub(crate) fn raise() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    // Where that is refused, what there is may do.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum });
}

/// Asks for nothing: open files are not limited.
#[cfg(not(unix))]
pub(crate) fn raise() {}

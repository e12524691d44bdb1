//! Resource limits.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Raises the limit on open files: each store that is merged takes a dozen.
pub(crate) fn raise() {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    // If this fails, the present limit may suffice.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum });
}

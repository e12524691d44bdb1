//! What the system lets the program have.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Asks for as many open files as may be had: each store that is merged takes a dozen.
pub(crate) fn raise() {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    // Where that is refused, what there is may do.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum });
}

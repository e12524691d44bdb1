//! Standard streams that are closed when the program starts.

/// Makes reading from and writing to closed standard streams an error. Use it in the `main.rs` of a
/// program.
///
/// Before `main`, Rust opens /dev/null for reading and writing instead of a closed standard stream, so
/// that output to it is lost without an error. A caller can open /dev/null in the same way on purpose,
/// as Python's `subprocess.DEVNULL` does, and the two cannot be distinguished afterwards. This runs
/// earlier and opens /dev/null for the wrong access, which `nnz_storage::stdio` refuses.
#[macro_export]
macro_rules! occupy_closed_streams {
    () => {
        $crate::ctor::declarative::ctor! {
            #[ctor(unsafe)]
            fn open_closed_streams_for_the_wrong_access() {
                $crate::occupy_closed_streams();
            }
        }
    };
}

/// Opens /dev/null for the wrong access instead of a closed standard input or output.
#[cfg(unix)]
pub fn occupy_closed_streams() {
    use rustix::fs::OFlags;

    occupy(rustix::stdio::stdin(), OFlags::WRONLY);
    occupy(rustix::stdio::stdout(), OFlags::RDONLY);
}

/// Does nothing: the handle of a closed stream stays null.
#[cfg(not(unix))]
pub fn occupy_closed_streams() {}

/// Opens /dev/null instead of a closed stream.
#[cfg(unix)]
fn occupy(stream: std::os::fd::BorrowedFd<'_>, access: rustix::fs::OFlags) {
    use std::os::fd::{AsRawFd as _, IntoRawFd as _};

    if rustix::io::fcntl_getfd(stream) != Err(rustix::io::Errno::BADF) {
        return;
    }
    let opened = rustix::fs::open("/dev/null", access, rustix::fs::Mode::empty());
    // The lowest free number is the number of the stream.
    if let Ok(opened) = opened
        && opened.as_raw_fd() == stream.as_raw_fd()
    {
        let _ = opened.into_raw_fd();
    }
}

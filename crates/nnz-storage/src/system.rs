//! The calls that differ between systems. Everything else in this crate is the same on all of them.
//!
//! Both modules have the same functions; what a system does not have, its module leaves out or replaces,
//! and says so.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fs::{File, Metadata};
use std::io;

#[cfg(unix)]
pub(crate) use unix::*;
#[cfg(windows)]
pub(crate) use windows::*;

/// Identifier of a file or directory.
///
/// On Unix its device and inode. Windows has such numbers only for open files, so there it is the time of
/// creation in units of 100 ns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileId(u64, u64);

impl FileId {
    pub(crate) fn of(found: &Metadata) -> Self {
        let (first, second) = id(found);
        Self(first, second)
    }
}

/// Fills `out` with bytes at an offset.
pub(crate) fn read_exact_at(file: &File, mut out: &mut [u8], mut at: u64) -> io::Result<()> {
    while !out.is_empty() {
        match read_at(file, out, at) {
            Ok(0) => {
                let what = "failed to fill whole buffer";
                return Err(io::Error::new(io::ErrorKind::UnexpectedEof, what));
            }
            Ok(count) => {
                out = out.get_mut(count..).unwrap_or_default();
                at = at.saturating_add(count as u64);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Writes all bytes at an offset. The position of the file is undefined afterwards: Windows moves it.
pub(crate) fn write_all_at(file: &File, mut bytes: &[u8], mut at: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match write_at(file, bytes, at) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => {
                bytes = bytes.get(count..).unwrap_or_default();
                at = at.saturating_add(count as u64);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Returns the text of the system whose [encoded bytes](OsStr::as_encoded_bytes), or part of them, these are.
///
/// On Unix any bytes are text. On Windows what is not Unicode is replaced, so that no file has that name.
#[must_use]
pub fn os_str_from_bytes(bytes: &[u8]) -> Cow<'_, OsStr> {
    #[cfg(unix)]
    return Cow::Borrowed(std::os::unix::ffi::OsStrExt::from_bytes(bytes));
    #[cfg(not(unix))]
    match String::from_utf8_lossy(bytes) {
        Cow::Borrowed(text) => Cow::Borrowed(OsStr::new(text)),
        Cow::Owned(text) => Cow::Owned(text.into()),
    }
}

/// Fails where a path with `/` between its names is none of a file on Windows, or another one than it seems.
///
/// There `\` separates names as well, `:` names a stream of a file, dots and blanks at the end are dropped, and
/// `nul` and others are devices in every directory.
#[cfg_attr(not(any(windows, test)), allow(dead_code, reason = "called on Windows only"))]
pub(crate) fn check_windows_path(path: &str) -> io::Result<()> {
    const NUMBERS: [&str; 13] =
        ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "\u{b9}", "\u{b2}", "\u{b3}"];
    let is_device = |stem: &str| {
        let number = stem.strip_prefix("COM").or_else(|| stem.strip_prefix("LPT"));
        matches!(stem, "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$")
            || number.is_some_and(|rest| NUMBERS.contains(&rest))
    };
    for name in path.split('/') {
        let stem = name.split('.').next().unwrap_or_default().trim_end().to_ascii_uppercase();
        if name.contains(['\\', ':']) || name.ends_with(['.', ' ']) || is_device(&stem) {
            let what = format!("{name:?} is not a valid file name on Windows");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_windows_reads_otherwise_are_refused() {
        for name in ["a", "a/b.npy", "con1", "nulls", "c/0/0", ".zgroup", "COM10", "comma", "ä"] {
            check_windows_path(name).unwrap();
        }
        for name in [
            "..",
            "a/../b",
            "a\\b",
            "c:x",
            "x:stream",
            "NUL",
            "nul.npy",
            "a/con/b",
            "com1.x.y",
            "LPT\u{b9}",
            "a.",
            "a ",
            "aux .txt",
        ] {
            check_windows_path(name).unwrap_err();
        }
    }

    #[test]
    fn bytes_of_a_path_are_the_path() {
        for path in ["", "a/b", "ä"] {
            assert_eq!(&*os_str_from_bytes(OsStr::new(path).as_encoded_bytes()), path);
        }
    }

    #[test]
    fn all_bytes_are_written_at_their_offset() {
        let file = tempfile::tempfile().unwrap();
        write_all_at(&file, b"abc", 2).unwrap();
        write_all_at(&file, b"X", 3).unwrap();
        let mut read = [1; 8];
        let count = read_at(&file, &mut read, 0).unwrap();
        assert_eq!(&read[..count], b"\0\0aXc");
        assert_eq!(read_at(&file, &mut read, 5).unwrap(), 0);
    }
}

//! Standard output, where a closed pipe is no failure and a full disk is one.

use std::io::{self, Write};

use nnz::{Error, ErrorKind, Place};

/// Runs `write` on standard output, buffered, and makes sure that all of it has arrived.
pub(crate) fn with_stdout(
    write: impl FnOnce(&mut dyn Write) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut out = io::BufWriter::with_capacity(64 << 10, io::stdout().lock());
    write(&mut out)?;
    out.flush().map_err(failed)
}

/// Makes an error of what the system said of standard output.
pub(crate) fn failed(error: io::Error) -> Error {
    Error::new(ErrorKind::Io(error), Place::path("standard output"))
}

/// Writes a number of bytes as people read them.
pub(crate) fn bytes(count: u64) -> String {
    const UNITS: [&str; 5] = ["B", "kB", "MB", "GB", "TB"];
    let mut unit = 0;
    let mut whole = count;
    let mut tenths = 0;
    while whole >= 1000 && unit + 1 < UNITS.len() {
        tenths = whole % 1000 / 100;
        whole /= 1000;
        unit += 1;
    }
    if unit == 0 || whole >= 100 {
        format!("{whole} {}", UNITS[unit])
    } else {
        format!("{whole}.{tenths} {}", UNITS[unit])
    }
}

/// Writes a count with spaces between the thousands.
pub(crate) fn count(count: u64) -> String {
    let digits = count.to_string();
    let mut spaced = String::new();
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            spaced.push(' ');
        }
        spaced.push(digit);
    }
    spaced
}

#[cfg(test)]
mod tests {
    #[test]
    fn sizes_and_counts_are_readable() {
        assert_eq!(super::bytes(999), "999 B");
        assert_eq!(super::bytes(1_234), "1.2 kB");
        assert_eq!(super::bytes(123_456_789), "123 MB");
        assert_eq!(super::bytes(u64::MAX), "18446744 TB");
        assert_eq!(super::count(0), "0");
        assert_eq!(super::count(1_234_567), "1 234 567");
    }
}

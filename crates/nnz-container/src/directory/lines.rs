//! Strings, one a line.

use std::io::Read;

use nnz_core::Result;

/// The longest line that is read, so that a file of another kind is not taken into memory whole.
pub(super) const LONGEST: usize = 1 << 20;

/// What stopped the reading of lines.
pub(super) enum Stopped {
    Io(std::io::Error),
    TooLong { line: u64 },
    Each(nnz_core::Error),
}

/// Hands each line to `each`, without its `\n` or `\r\n`. The last line may lack its end.
pub(super) fn for_each(
    mut from: impl Read,
    each: &mut dyn FnMut(&[u8]) -> Result<()>,
) -> Result<(), Stopped> {
    let mut block = vec![0; 64 << 10];
    // The beginning of a line whose end is not read yet.
    let mut begun: Vec<u8> = Vec::new();
    let mut line = 1;
    loop {
        let read = match from.read(&mut block) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(Stopped::Io(error)),
        };
        let mut rest = &block[..read];
        while let Some(end) = memchr::memchr(b'\n', rest) {
            let (head, tail) = rest.split_at(end);
            rest = &tail[1..];
            if begun.is_empty() {
                each(without_return(head)).map_err(Stopped::Each)?;
            } else {
                begun.extend_from_slice(head);
                each(without_return(&begun)).map_err(Stopped::Each)?;
                begun.clear();
            }
            line += 1;
        }
        begun.extend_from_slice(rest);
        if begun.len() > LONGEST {
            return Err(Stopped::TooLong { line });
        }
    }
    if !begun.is_empty() {
        each(without_return(&begun)).map_err(Stopped::Each)?;
    }
    Ok(())
}

fn without_return(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &[u8]) -> Vec<Vec<u8>> {
        let mut found = Vec::new();
        let read = for_each(text, &mut |line| {
            found.push(line.to_vec());
            Ok(())
        });
        assert!(read.is_ok());
        found
    }

    #[test]
    fn line_ends_may_be_unix_dos_or_missing() {
        assert_eq!(lines(b"a\nb\r\nc"), [b"a", b"b", b"c"]);
        assert_eq!(lines(b""), Vec::<Vec<u8>>::new());
        assert_eq!(lines(b"\n"), [b""]);
        assert_eq!(lines(b"a\r\r\n"), [b"a\r"]);
    }

    #[test]
    fn a_line_may_cross_blocks() {
        let long = vec![b'x'; 200_000];
        let text = [&b"a\n"[..], &long, b"\nb"].concat();
        assert_eq!(lines(&text), [b"a".to_vec(), long, b"b".to_vec()]);
    }

    #[test]
    fn a_file_without_line_ends_is_not_read_whole() {
        let zeros = std::io::repeat(0);
        assert!(matches!(for_each(zeros, &mut |_| Ok(())), Err(Stopped::TooLong { line: 1 })));
    }
}

//! Buffering of strings whose number is not known yet.

use std::io;
use std::path::Path;

use super::Spool;

/// UTF-8 strings that are appended and then read once, in memory or in an unnamed file if there are
/// many.
#[derive(Debug, Default)]
pub struct Texts {
    /// Strings, each after its length.
    spool: Spool,
    len: u64,
}

impl Texts {
    /// Returns the number of strings.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Returns whether there are no strings.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Appends a string.
    ///
    /// # Errors
    ///
    /// Fails if a temporary file in `directory` cannot be written, or if the string has 4 GiB or
    /// more.
    pub fn append(&mut self, text: &str, directory: &Path) -> io::Result<()> {
        let len = u32::try_from(text.len());
        let len = len.map_err(|_| io::Error::other("a string of 4 GiB or more"))?;
        self.spool.append(&len.to_ne_bytes(), directory)?;
        self.spool.append(text.as_bytes(), directory)?;
        self.len += 1;
        Ok(())
    }

    /// Calls `each` with all strings.
    ///
    /// # Errors
    ///
    /// Fails if they cannot be read, or if `each` fails.
    pub fn drain<E: From<io::Error>>(
        self,
        mut each: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        // Incomplete strings of the previous block.
        let mut begun = Vec::new();
        self.spool.drain(|bytes| {
            begun.extend_from_slice(bytes);
            let mut rest = &begun[..];
            while let Some((len, after)) = rest.split_first_chunk() {
                let len = usize::try_from(u32::from_ne_bytes(*len)).unwrap_or(usize::MAX);
                let Some((text, after)) = after.split_at_checked(len) else { break };
                each(text)?;
                rest = after;
            }
            let whole = begun.len() - rest.len();
            begun.drain(..whole);
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spooled_strings_are_returned() {
        let directory = tempfile::tempdir().unwrap();
        let strings: Vec<String> =
            (0..3000).map(|at| "é".repeat(at % 300 + at / 2999 * 100_000)).collect();
        let mut texts = Texts::default();
        for string in &strings {
            texts.append(string, directory.path()).unwrap();
        }
        assert_eq!(texts.len(), 3000);
        let mut found = Vec::new();
        let drained: io::Result<()> = texts.drain(|text| {
            found.push(String::from_utf8(text.to_vec()).unwrap());
            Ok(())
        });
        drained.unwrap();
        assert!(found == strings);
    }
}

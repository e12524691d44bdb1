//! Lists of names in little memory.

/// A list of byte strings, such as the names of the rows of a matrix.
///
/// Names are kept as the bytes they were stored as, one after the other, each behind its length
/// in 7-bit groups. A list never takes more memory than the lines of the text file it came from.
///
/// ```
/// let mut names = nnz_core::StringList::new();
/// names.push(b"ENSG00000141510");
/// names.push("gène".as_bytes());
/// assert_eq!(names.len(), 2);
/// assert_eq!(names.iter().next(), Some(&b"ENSG00000141510"[..]));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StringList {
    packed: Vec<u8>,
    len: u64,
}

impl StringList {
    /// Makes an empty list.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends a name.
    pub fn push(&mut self, name: &[u8]) {
        let mut rest = name.len();
        while rest >= 0x80 {
            self.packed.push(low_seven_bits(rest) | 0x80);
            rest >>= 7;
        }
        self.packed.push(low_seven_bits(rest));
        self.packed.extend_from_slice(name);
        self.len += 1;
    }

    /// Returns the number of names.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Returns whether there are no names.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Visits the names in order.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let mut rest = &self.packed[..];
        std::iter::from_fn(move || {
            let mut len = 0;
            let mut shift = 0;
            loop {
                let (&byte, after) = rest.split_first()?;
                rest = after;
                len |= usize::from(byte & 0x7f) << shift;
                shift += 7;
                if byte & 0x80 == 0 {
                    break;
                }
            }
            let (name, after) = rest.split_at_checked(len)?;
            rest = after;
            Some(name)
        })
    }

    /// Drops all names after the first `len`.
    #[must_use]
    pub fn truncated(self, len: u64) -> Self {
        if self.len <= len {
            return self;
        }
        let mut kept = Self::new();
        let count = usize::try_from(len).unwrap_or(usize::MAX);
        self.iter().take(count).for_each(|name| kept.push(name));
        kept
    }
}

impl<T: AsRef<[u8]>> FromIterator<T> for StringList {
    fn from_iter<I: IntoIterator<Item = T>>(names: I) -> Self {
        let mut list = Self::new();
        names.into_iter().for_each(|name| list.push(name.as_ref()));
        list
    }
}

#[expect(clippy::cast_possible_truncation, reason = "masked to seven bits")]
fn low_seven_bits(n: usize) -> u8 {
    (n & 0x7f) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_any_length_come_back() {
        let long = vec![b'x'; 300];
        let names: Vec<&[u8]> = vec![b"", b"a", &long, b"\xff\n\r", &long[..128], &long[..127]];
        let list: StringList = names.iter().collect();
        assert_eq!(list.len(), 6);
        assert_eq!(list.iter().collect::<Vec<_>>(), names);
        let two = list.truncated(2);
        assert_eq!(two.iter().collect::<Vec<_>>(), names[..2]);
    }
}

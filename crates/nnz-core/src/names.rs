//! Compact lists of names, and streams of names.

use std::marker::PhantomData;

use crate::{Error, ErrorKind, Place, Result};

/// A stream of strings, such as the names of the rows of a matrix.
///
/// Names may not fit in memory, so they are processed as a stream.
///
/// ```
/// use nnz_core::{StringList, StringReader};
///
/// let names: StringList = ["CD3E", "CD8A"].into_iter().collect();
/// let mut reader = names.reader();
/// assert_eq!(reader.remaining(), Some(2));
/// assert_eq!(reader.next_string()?, Some(&b"CD3E"[..]));
/// assert_eq!(reader.next_string()?, Some(&b"CD8A"[..]));
/// assert_eq!(reader.next_string()?, None);
/// # Ok::<(), nnz_core::Error>(())
/// ```
pub trait StringReader {
    /// Returns the next string, or `None` at the end.
    ///
    /// # Errors
    ///
    /// Fails if the string cannot be read, or if strings are missing.
    fn next_string(&mut self) -> Result<Option<&[u8]>>;

    /// Returns the number of remaining strings, if known.
    ///
    /// The reader returns exactly that many, or fails.
    fn remaining(&self) -> Option<u64> {
        None
    }

    /// Returns a lower bound for the total length of the remaining strings in bytes.
    fn min_bytes(&self) -> u64 {
        0
    }
}

impl dyn StringReader + '_ {
    /// Reads the remaining strings into a list.
    ///
    /// # Errors
    ///
    /// Fails as [`next_string`](StringReader::next_string).
    pub fn list(&mut self) -> Result<StringList> {
        self.list_with_limit(u64::MAX)
    }

    /// Reads the remaining strings into a list of at most `allowed` bytes.
    ///
    /// # Errors
    ///
    /// Fails if they cannot be read, or take more memory.
    pub fn list_with_limit(&mut self, allowed: u64) -> Result<StringList> {
        let refuse = |needed| Err(too_much(needed, allowed));
        // Each takes at least one byte.
        if let Some(least) = self.remaining().filter(|least| *least > allowed) {
            return refuse(least);
        }
        let mut list = StringList::new();
        while let Some(string) = self.next_string()? {
            list.try_push(string)?;
            if list.bytes() > allowed {
                return refuse(list.bytes().saturating_add(self.remaining().unwrap_or(0)));
            }
        }
        Ok(list)
    }

    /// Reads to the end, to check that this is possible.
    ///
    /// # Errors
    ///
    /// Fails as [`next_string`](StringReader::next_string).
    pub fn drain(&mut self) -> Result<()> {
        while self.next_string()?.is_some() {}
        Ok(())
    }
}

/// A stream of the names of an axis.
pub type Names<'a> = Box<dyn StringReader + 'a>;

/// A [`StringReader`] over an iterator of strings in memory.
pub struct Listed<'a, I> {
    held: PhantomData<&'a [u8]>,
    strings: I,
}

impl<I> std::fmt::Debug for Listed<'_, I> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Listed").finish_non_exhaustive()
    }
}

impl<'a, I: Iterator<Item = &'a [u8]>> Listed<'a, I> {
    /// Wraps an iterator.
    #[must_use]
    pub fn new(strings: I) -> Self {
        Self { held: PhantomData, strings }
    }
}

impl<'a, I: Iterator<Item = &'a [u8]>> StringReader for Listed<'a, I> {
    fn next_string(&mut self) -> Result<Option<&[u8]>> {
        Ok(self.strings.next())
    }

    fn remaining(&self) -> Option<u64> {
        match self.strings.size_hint() {
            (least, Some(most)) if least == most => Some(least as u64),
            _ => None,
        }
    }
}

/// A list of byte strings, such as the names of the rows of a matrix.
///
/// Names are kept as the bytes they were stored as, each after its length in 7-bit groups, with the
/// offset of every 64th name: little more memory than the lines of a text file.
///
/// ```
/// let mut names = nnz_core::StringList::new();
/// names.push(b"ENSG00000141510");
/// names.push("gène".as_bytes());
/// assert_eq!(names.len(), 2);
/// assert_eq!(names.iter().next(), Some(&b"ENSG00000141510"[..]));
/// assert_eq!(names.get(1), Some("gène".as_bytes()));
/// assert_eq!(names.get(2), None);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StringList {
    packed: Vec<u8>,
    len: u64,
    /// The offset of every name whose index is a multiple of [`STEP`].
    starts: Vec<usize>,
}

/// The number of names between two stored offsets.
const STEP: u64 = 64;

impl StringList {
    /// Creates an empty list.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the size of the list in memory, in bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.packed.len() as u64 + (self.starts.len() * size_of::<usize>()) as u64
    }

    /// Appends a name if there is enough memory.
    ///
    /// # Errors
    ///
    /// Fails if there is not.
    pub fn try_push(&mut self, name: &[u8]) -> Result<()> {
        // The length takes up to ten bytes.
        let more = name.len().saturating_add(10);
        let reserved = self.packed.try_reserve(more).and_then(|()| self.starts.try_reserve(1));
        reserved.map_err(|_| {
            too_much(self.bytes().saturating_add(more as u64), self.packed.capacity() as u64)
        })?;
        self.push(name);
        Ok(())
    }

    /// Appends a name.
    pub fn push(&mut self, name: &[u8]) {
        if self.len.is_multiple_of(STEP) {
            self.starts.push(self.packed.len());
        }
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

    /// Returns the name at an index.
    #[must_use]
    pub fn get(&self, index: u64) -> Option<&[u8]> {
        if index >= self.len {
            return None;
        }
        let &start = self.starts.get(usize::try_from(index / STEP).ok()?)?;
        let mut names = Iter { rest: self.packed.get(start..)?, left: self.len };
        (0..index % STEP).try_for_each(|_| names.next().map(drop))?;
        names.next()
    }

    /// Returns an iterator over the names.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        Iter { rest: &self.packed, left: self.len }
    }

    /// Returns a reader of the names.
    #[must_use]
    pub fn reader(&self) -> Names<'_> {
        Box::new(Listed::new(Iter { rest: &self.packed, left: self.len }))
    }

    /// Returns a reader that owns the names.
    #[must_use]
    pub fn into_reader(self) -> Names<'static> {
        Box::new(Owned { list: self, at: 0, read: 0 })
    }

    /// Keeps the first `len` names.
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

/// An iterator over the names of a list.
struct Iter<'a> {
    rest: &'a [u8],
    left: u64,
}

impl<'a> Iterator for Iter<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let mut len = 0;
        let mut shift = 0;
        loop {
            let (&byte, after) = self.rest.split_first()?;
            self.rest = after;
            len |= usize::from(byte & 0x7f) << shift;
            shift += 7;
            if byte & 0x80 == 0 {
                break;
            }
        }
        let (name, after) = self.rest.split_at_checked(len)?;
        self.rest = after;
        self.left = self.left.saturating_sub(1);
        Some(name)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = usize::try_from(self.left).ok();
        (left.unwrap_or(usize::MAX), left)
    }
}

/// A reader that owns its list.
struct Owned {
    list: StringList,
    /// The offset of the next name.
    at: usize,
    read: u64,
}

impl StringReader for Owned {
    fn next_string(&mut self) -> Result<Option<&[u8]>> {
        let rest = self.list.packed.get(self.at..).unwrap_or_default();
        let mut names = Iter { rest, left: self.list.len - self.read };
        let name = names.next();
        self.at = self.list.packed.len() - names.rest.len();
        self.read += u64::from(name.is_some());
        Ok(name)
    }

    fn remaining(&self) -> Option<u64> {
        Some(self.list.len - self.read)
    }
}

fn too_much(needed: u64, allowed: u64) -> Error {
    Error::new(ErrorKind::Memory { needed, allowed }, Place::default())
}

#[expect(clippy::cast_possible_truncation, reason = "masked to seven bits")]
fn low_seven_bits(n: usize) -> u8 {
    (n & 0x7f) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_any_length_are_kept() {
        let long = vec![b'x'; 300];
        let names: Vec<&[u8]> = vec![b"", b"a", &long, b"\xff\n\r", &long[..128], &long[..127]];
        let list: StringList = names.iter().collect();
        assert_eq!(list.len(), 6);
        assert_eq!(list.iter().collect::<Vec<_>>(), names);
        assert_eq!(list.iter().size_hint(), (6, Some(6)));
        let mut owned = list.clone().into_reader();
        for (read, name) in (0..).zip(&names) {
            assert_eq!(owned.remaining(), Some(6 - read));
            assert_eq!(owned.next_string().unwrap(), Some(*name));
        }
        assert_eq!(owned.next_string().unwrap(), None);
        assert_eq!(list.reader().list().unwrap(), list);
        assert_eq!(list.reader().list_with_limit(list.bytes()).unwrap(), list);
        for (allowed, least) in [(list.bytes() - 1, list.bytes()), (5, 6), (0, 6)] {
            let error = list.reader().list_with_limit(allowed).unwrap_err();
            let needed = match *error.kind() {
                ErrorKind::Memory { needed, .. } => needed,
                _ => 0,
            };
            assert!(needed >= least, "{error}");
        }
        let two = list.truncated(2);
        assert_eq!(two.iter().collect::<Vec<_>>(), names[..2]);
    }

    #[test]
    fn names_are_found_by_index() {
        for count in [0_u64, 1, 63, 64, 65, 128, 1000] {
            let name = |number: u64| vec![b'x'; usize::try_from(number * 7 % 300).unwrap()];
            let list: StringList = (0..count).map(name).collect();
            for number in 0..count {
                assert_eq!(list.get(number), Some(&*name(number)));
            }
            assert_eq!(list.get(count), None);
            assert_eq!(list.get(u64::MAX), None);
        }
    }
}

//! Finding names in lists.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;

use nnz_core::{Error, ErrorKind, Place, Result, StringList};

/// Numbers of names; `None` for repeated ones.
#[derive(Debug)]
pub(super) struct Numbers<K>(HashMap<K, Option<u32>>);

impl<'a, K: Borrow<[u8]> + Eq + Hash + From<&'a [u8]>> Numbers<K> {
    pub(super) fn of(names: &'a StringList) -> Self {
        let mut numbers: HashMap<K, Option<u32>> = HashMap::new();
        for (name, number) in names.iter().zip(0..) {
            match numbers.get_mut(name) {
                Some(both) => *both = None,
                None => {
                    numbers.insert(name.into(), Some(number));
                }
            }
        }
        Self(numbers)
    }
}

impl<K: Borrow<[u8]> + Eq + Hash> Numbers<K> {
    /// Finds a name. A repeated name is an error.
    pub(super) fn find(&self, name: &[u8]) -> Result<Option<u32>> {
        match self.0.get(name) {
            None => Ok(None),
            Some(Some(number)) => Ok(Some(*number)),
            Some(None) => {
                let what = format!("the name {} is not unique", shown(name));
                Err(Error::argument(what))
            }
        }
    }

    /// Finds a name that has to exist. `what` is the name of one member in messages.
    pub(super) fn find_one(&self, what: &str, name: &[u8]) -> Result<u32> {
        self.find(name)?.ok_or_else(|| {
            let what = format!("no {what} is named {}", shown(name));
            Error::new(ErrorKind::UnknownName(what), Place::default())
        })
    }
}

/// Numbers of cells or chromosomes by their names, for repeated lookups.
///
/// ```
/// use nnz_engine::fragments::NameNumbers;
/// let numbers = NameNumbers::new("chromosome", &["chr1", "chrX"].into_iter().collect());
/// assert_eq!(numbers.find(b"chrX")?, 1);
/// assert!(numbers.find(b"chrY").is_err());
/// # Ok::<(), nnz_core::Error>(())
/// ```
#[derive(Debug)]
pub struct NameNumbers {
    what: &'static str,
    numbers: Numbers<Box<[u8]>>,
}

impl NameNumbers {
    /// Creates an index of names. `what` is the name of one member in messages.
    #[must_use]
    pub fn new(what: &'static str, names: &StringList) -> Self {
        Self { what, numbers: Numbers::of(names) }
    }

    /// Finds the number of a name.
    ///
    /// # Errors
    ///
    /// Fails if the name does not exist or is not unique.
    pub fn find(&self, name: &[u8]) -> Result<u32> {
        self.numbers.find_one(self.what, name)
    }
}

/// Names in one block of memory, by number.
pub(super) struct Table {
    text: Vec<u8>,
    ends: Vec<usize>,
}

impl Table {
    pub(super) fn of(names: &StringList) -> Result<Self> {
        let mut table = Self { text: Vec::new(), ends: Vec::new() };
        let len = usize::try_from(names.len()).unwrap_or(usize::MAX);
        let bytes = usize::try_from(names.bytes()).unwrap_or(usize::MAX);
        let reserved = table.ends.try_reserve_exact(len).is_ok()
            && table.text.try_reserve_exact(bytes.saturating_sub(len)).is_ok();
        if !reserved {
            return Err(Error::argument(format!("not enough memory for {len} names")));
        }
        for name in names.iter() {
            table.text.extend_from_slice(name);
            table.ends.push(table.text.len());
        }
        Ok(table)
    }

    /// Returns a name; empty if it does not exist.
    pub(super) fn get(&self, number: u32) -> &[u8] {
        let number = number as usize;
        let start = number.checked_sub(1).and_then(|before| self.ends.get(before));
        let end = self.ends.get(number).copied().unwrap_or(0);
        self.text.get(start.copied().unwrap_or(0)..end).unwrap_or_default()
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }
}

/// Quotes the start of a name, with control characters escaped.
pub(crate) fn shown(name: &[u8]) -> String {
    const SHOWN: usize = 40;
    let cut = if name.len() > SHOWN { "..." } else { "" };
    let start = String::from_utf8_lossy(&name[..name.len().min(SHOWN)]);
    format!("\"{}{cut}\"", start.escape_debug())
}

/// Finds all listed names. Each may be listed once.
pub(super) fn find_all(what: &str, wanted: &StringList, there: &StringList) -> Result<Vec<u32>> {
    let numbers = Numbers::<&[u8]>::of(there);
    let mut seen = std::collections::HashSet::new();
    let mut found = Vec::new();
    for name in wanted.iter() {
        let number = numbers.find_one(what, name)?;
        if !seen.insert(number) {
            return Err(Error::argument(format!("the {what} {} is selected twice", shown(name))));
        }
        found.push(number);
    }
    Ok(found)
}

//! Finding names in lists.

use std::collections::HashMap;

use nnz_core::{Error, ErrorKind, Place, Result, StringList};

/// Numbers of names; `None` for repeated ones.
pub(super) struct Numbers<'a>(HashMap<&'a [u8], Option<u32>>);

impl<'a> Numbers<'a> {
    pub(super) fn of(names: &'a StringList) -> Self {
        let mut numbers = HashMap::new();
        for (name, number) in names.iter().zip(0..) {
            numbers.entry(name).and_modify(|both| *both = None).or_insert(Some(number));
        }
        Self(numbers)
    }

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
    let numbers = Numbers::of(there);
    let mut seen = std::collections::HashSet::new();
    let mut found = Vec::new();
    for name in wanted.iter() {
        let Some(number) = numbers.find(name)? else {
            let what = format!("no {what} is named {}", shown(name));
            return Err(Error::new(ErrorKind::UnknownName(what), Place::default()));
        };
        if !seen.insert(number) {
            return Err(Error::argument(format!("the {what} {} is selected twice", shown(name))));
        }
        found.push(number);
    }
    Ok(found)
}

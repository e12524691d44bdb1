//! Unique names.

use std::collections::{HashMap, HashSet};

use nnz_core::{Result, StringList};

/// Returns the first repeated name, and its first two positions.
pub(super) fn repeated(names: &StringList) -> Option<(String, [u64; 2])> {
    let mut first: HashMap<&[u8], u64> = HashMap::new();
    for (name, at) in names.iter().zip(0..) {
        if let Some(before) = first.insert(name, at) {
            return Some((String::from_utf8_lossy(name).into_owned(), [before, at]));
        }
    }
    None
}

/// Appends `-1`, `-2`, ... to repeated names, as anndata and scanpy do: the first one is unchanged, and numbers
/// whose result exists are skipped. Returns all names, and those that have numbers now.
///
/// # Errors
///
/// Fails if there is not enough memory.
pub fn make_unique(names: &StringList) -> Result<[StringList; 2]> {
    let mut known: HashSet<Vec<u8>> = names.iter().map(<[u8]>::to_vec).collect();
    let mut seen: HashMap<&[u8], u64> = HashMap::new();
    let (mut unique, mut changed) = (StringList::new(), StringList::new());
    for name in names.iter() {
        let Some(count) = seen.get_mut(name) else {
            seen.insert(name, 0);
            unique.try_push(name)?;
            continue;
        };
        loop {
            *count += 1;
            let mut numbered = name.to_vec();
            numbered.extend_from_slice(format!("-{count}").as_bytes());
            if !known.contains(&numbered) {
                unique.try_push(&numbered)?;
                changed.try_push(&numbered)?;
                known.insert(numbered);
                break;
            }
        }
    }
    Ok([unique, changed])
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops where it fails")]
mod tests {
    use super::*;

    #[test]
    fn names_are_made_unique_as_in_anndata() {
        let names: StringList = ["a", "b", "a", "a-1", "a", "b", "a-1"].into_iter().collect();
        let found = make_unique(&names).unwrap();
        let [unique, changed] = found.each_ref().map(|list| list.iter().collect::<Vec<&[u8]>>());
        assert_eq!(unique, [&b"a"[..], b"b", b"a-2", b"a-1", b"a-3", b"b-1", b"a-1-1"]);
        assert_eq!(changed, [&b"a-2"[..], b"a-3", b"b-1", b"a-1-1"]);
        assert_eq!(repeated(&names), Some(("a".to_owned(), [0, 2])));
        let none: StringList = ["a", "b"].into_iter().collect();
        assert_eq!(repeated(&none), None);
    }
}

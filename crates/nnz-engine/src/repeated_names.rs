//! Finding names that occur more than once.

use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};

use nnz_core::{Result, StringReader};

/// Names that are equal to an earlier one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepeatedNames {
    /// Their number.
    pub count: u64,
    /// The first one.
    pub first: String,
}

/// Reads all names and finds those that are equal to an earlier one, as far as `memory` bytes allow.
///
/// # Errors
///
/// Fails if a name cannot be read.
pub fn repeated_names(names: &mut dyn StringReader, memory: u64) -> Result<Option<RepeatedNames>> {
    // Twice the size of a hash, as the table is not full.
    let most = usize::try_from(memory / 64).unwrap_or(usize::MAX);
    let hasher = RandomState::new();
    let (mut seen, mut repeated) = (HashSet::new(), None::<RepeatedNames>);
    while let Some(name) = names.next_string()? {
        if seen.len() >= most || seen.insert(hasher.hash_one(name)) {
            continue;
        }
        let first = || String::from_utf8_lossy(name).into_owned();
        repeated.get_or_insert_with(|| RepeatedNames { count: 0, first: first() }).count += 1;
    }
    Ok(repeated)
}

#[cfg(test)]
mod tests {
    use nnz_core::StringList;

    use super::*;

    #[test]
    fn names_equal_to_an_earlier_one_are_counted() {
        let find = |names: &[&str], memory| {
            let list: StringList = names.iter().copied().collect();
            repeated_names(&mut *list.reader(), memory).unwrap()
        };
        assert_eq!(find(&["a", "b"], 1 << 20), None);
        let found = find(&["a", "b", "b", "a", "b"], 1 << 20).unwrap();
        assert_eq!(found, RepeatedNames { count: 3, first: "b".to_owned() });
        // Without memory, none is found.
        assert_eq!(find(&["a", "a"], 0), None);
    }
}

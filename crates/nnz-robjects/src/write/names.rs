//! Names of features and cells in R.

use std::sync::Arc;

use nnz_core::{At, Axis, Error, ErrorKind, MatrixSource, Place, Result, StringList};
use nnz_engine::make_unique;

/// Requirements of a class for names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameRules {
    /// As they are: a `SummarizedExperiment` takes any names, or none.
    Any,
    /// Features of Seurat: unique and not empty, with `-` for `_` and `|`.
    SeuratFeatures,
    /// Cells of Seurat: unique and not empty.
    SeuratCells,
}

/// The names of an axis.
#[derive(Clone, Debug)]
pub struct AxisNames {
    /// The names, if there are any. With rules of Seurat there are.
    pub names: Option<Arc<StringList>>,
    /// The names before they were changed, if some were.
    pub original: Option<Arc<StringList>>,
    /// A note for the user, if names were changed.
    pub note: Option<String>,
}

/// Checks that `len` elements of `each` bytes can be in memory.
pub(super) fn check_memory(len: u64, each: u64, memory: u64, place: &Place) -> Result<()> {
    let needed = len.saturating_mul(each);
    match needed <= memory {
        true => Ok(()),
        false => Err(Error::new(ErrorKind::Memory { needed, allowed: memory }, place.clone())),
    }
}

impl AxisNames {
    /// Reads the names of an axis into memory, and changes them as the rules demand.
    ///
    /// # Errors
    ///
    /// Fails if they cannot be read, take more than `memory` bytes, or are no names in R.
    pub fn read(
        source: &dyn MatrixSource,
        axis: Axis,
        rules: NameRules,
        memory: u64,
    ) -> Result<Self> {
        let found = source.read_names(axis)?;
        let names = found.map(|mut names| names.list_with_limit(memory)).transpose()?;
        let len = source.header().shape.len(axis);
        Self::new(names, len, (rules, memory), &source.place())
    }

    /// Changes names as the rules demand. `place` is that of the names.
    ///
    /// # Errors
    ///
    /// Fails if one is not UTF-8 or has a zero byte, and if there is not enough memory.
    pub fn new(
        names: Option<StringList>,
        len: u64,
        (rules, memory): (NameRules, u64),
        place: &Place,
    ) -> Result<Self> {
        let one = if rules == NameRules::SeuratCells { "cell" } else { "feature" };
        for (name, at) in names.iter().flat_map(StringList::iter).zip(0..) {
            if std::str::from_utf8(name).is_ok_and(|name| !name.contains('\0')) {
                continue;
            }
            let place = place.clone().at(At::Element(at));
            let found = format!("the name \"{}\"", name[..name.len().min(80)].escape_ascii());
            return Err(Error::mismatch(place, found, "UTF-8 without zero bytes, as in R"));
        }
        if rules == NameRules::Any {
            return Ok(Self { names: names.map(Arc::new), original: None, note: None });
        }
        let Some(original) = names else {
            check_memory(len, 20, memory, place)?;
            let mut made = StringList::new();
            for number in 1..=len {
                made.try_push(format!("{one}{number}").as_bytes())?;
            }
            let note = format!("{one}s have no names, which Seurat needs; they are {one}1, ...");
            return Ok(Self { names: Some(Arc::new(made)), original: None, note: Some(note) });
        };
        let (mut changed, mut dashed, mut empty) = (StringList::new(), 0_u64, 0_u64);
        let mut buffer = Vec::new();
        for name in original.iter() {
            buffer.clear();
            let is_replaced =
                |byte: u8| rules == NameRules::SeuratFeatures && (byte == b'_' || byte == b'|');
            buffer.extend(name.iter().map(|&byte| if is_replaced(byte) { b'-' } else { byte }));
            dashed += u64::from(buffer != name);
            if buffer.is_empty() {
                empty += 1;
                buffer.extend_from_slice(b"unnamed");
            }
            changed.try_push(&buffer)?;
        }
        let [unique, numbered] = make_unique(&changed)?;
        let repeated = numbered.len();
        let original = (dashed + empty + repeated > 0).then(|| Arc::new(original));
        let kinds = [
            (dashed, "have - for _ and |"),
            (empty, "were empty and are \"unnamed\""),
            (repeated, "were repeated and have a number"),
        ];
        let kinds = kinds.iter().filter(|(count, _)| *count > 0);
        let kinds: Vec<_> = kinds.map(|(count, what)| format!("{count} {what}")).collect();
        let note = original.is_some().then(|| {
            let kinds = kinds.join(", ");
            format!("names of {one}s that Seurat does not take: {kinds}; the column nnz_original_name has the previous names")
        });
        Ok(Self { names: Some(Arc::new(unique)), original, note })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(names: &[&str], rules: NameRules) -> (Vec<String>, bool) {
        let names = Some(names.iter().collect());
        let found = AxisNames::new(names, 0, (rules, u64::MAX), &Place::default()).unwrap();
        assert_eq!(found.original.is_some(), found.note.is_some());
        let names = found.names.unwrap();
        let names = names.iter().map(|name| String::from_utf8(name.to_vec()).unwrap());
        (names.collect(), found.original.is_some())
    }

    #[test]
    fn features_of_seurat_have_no_underscores() {
        let names = ["a_b", "a-b", "", "c|d", "NA", ""];
        let (found, is_changed) = changed(&names, NameRules::SeuratFeatures);
        assert_eq!(found, ["a-b", "a-b-1", "unnamed", "c-d", "NA", "unnamed-1"]);
        assert!(is_changed);
        let (found, is_changed) = changed(&["c_1", "c_2"], NameRules::SeuratCells);
        assert_eq!((found, is_changed), (vec!["c_1".to_owned(), "c_2".to_owned()], false));
        let (found, is_changed) = changed(&["x", "x"], NameRules::SeuratCells);
        assert_eq!((found, is_changed), (vec!["x".to_owned(), "x-1".to_owned()], true));
        assert_eq!(changed(&names, NameRules::Any), (names.map(String::from).to_vec(), false));
    }

    #[test]
    fn names_are_made_where_seurat_needs_some() {
        let made =
            AxisNames::new(None, 2, (NameRules::SeuratCells, u64::MAX), &Place::default()).unwrap();
        let names: Vec<_> = made.names.iter().flat_map(|names| names.iter()).collect();
        assert_eq!(names, [b"cell1", b"cell2"]);
        let none = AxisNames::new(None, 2, (NameRules::Any, u64::MAX), &Place::default()).unwrap();
        assert!(none.names.is_none());
        let bad = Some(["a", "b\0"].iter().collect());
        assert!(AxisNames::new(bad, 2, (NameRules::Any, u64::MAX), &Place::default()).is_err());
    }
}

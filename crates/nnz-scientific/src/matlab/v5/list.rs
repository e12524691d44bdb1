//! The variables of a file, and the fields of structs.

use std::collections::{HashMap, HashSet};

use nnz_core::{Error, Result};
use nnz_storage::InputFile;

use super::array::{Array, Parser};
use super::element::{Element, elements};
use super::space::{Forward, Reader, Space};
use crate::matlab::{Class, MAX_DEPTH, Variable};

/// The largest size of the list, in bytes. Names in compressed data are much longer than the file.
const LONGEST_LIST: usize = 64 << 20;

/// A variable, and where it is.
#[derive(Debug)]
pub(super) struct VariableLocation {
    pub(super) variable: Variable,
    /// The element of the file that contains it.
    pub(super) element: Element,
    /// The offsets of its subelements, in the element if that is compressed, otherwise in the file.
    pub(super) start: u64,
    pub(super) end: u64,
}

/// Lists all variables.
pub(super) fn list(file: &InputFile, big: bool) -> Result<Vec<VariableLocation>> {
    let mut found = Vec::new();
    let mut bytes = 0;
    for element in elements(file, big) {
        let element = element?;
        let place = file.place();
        let space;
        let (mut forward, mut random);
        let (reader, start, end): (&mut dyn Reader, u64, u64) = if element.compressed {
            let (opened, tag) = Forward::open(file, element, big)?;
            forward = opened;
            (&mut forward, tag.data, tag.next)
        } else {
            space = Space::File(file.clone());
            random = space.reader();
            (&mut random, element.at, element.at + element.bytes)
        };
        let parser = Parser { reader, big, place: &place };
        let mut lister = Lister { parser, element, found: &mut found, bytes };
        lister.array("", None, (start, end), 0)?;
        bytes = lister.bytes;
    }
    Ok(found)
}

struct Lister<'a> {
    parser: Parser<'a>,
    element: Element,
    found: &'a mut Vec<VariableLocation>,
    /// The size of the list.
    bytes: usize,
}

impl Lister<'_> {
    /// Lists an array; `name` is the name of a field.
    fn array(
        &mut self,
        inside: &str,
        name: Option<&str>,
        (start, end): (u64, u64),
        depth: usize,
    ) -> Result<()> {
        let Array { class, sparse, complex, shape, name: own, data } =
            self.parser.array(start, end)?;
        let name = name.unwrap_or(&own);
        // Data of the system has no name.
        if name.is_empty() {
            return Ok(());
        }
        let path = if inside.is_empty() { name.to_owned() } else { format!("{inside}/{name}") };
        let single = shape.iter().all(|&length| length == 1) && !shape.is_empty();
        if class == Class::Struct && single && depth < MAX_DEPTH {
            let (mut names, mut at) = self.parser.field_names(data, end)?;
            make_distinct(&mut names);
            for name in &names {
                let tag = self.parser.field(at, end)?;
                self.array(&path, Some(name), (tag.data, tag.data + tag.bytes), depth + 1)?;
                at = tag.next;
            }
            if !names.is_empty() {
                return Ok(());
            }
        }
        self.bytes += path.len() + size_of::<VariableLocation>() + size_of_val(&*shape);
        if self.bytes > LONGEST_LIST {
            let what = format!("more than {} variables and fields", self.found.len());
            return Err(Error::unsupported(self.parser.place.clone(), what));
        }
        let variable = Variable { path, class, shape, sparse, complex };
        self.found.push(VariableLocation { variable, element: self.element, start, end });
        Ok(())
    }
}

/// Renames fields that have the name of an earlier one, as SciPy does: the second `x` is `_1_x`.
fn make_distinct(names: &mut [String]) {
    let mut taken: HashSet<String> = names.iter().cloned().collect();
    if taken.len() == names.len() {
        return;
    }
    let mut repeats: HashMap<String, u64> = HashMap::new();
    for name in names {
        let Some(count) = repeats.get_mut(name) else {
            repeats.insert(name.clone(), 0);
            continue;
        };
        loop {
            *count += 1;
            let other = format!("_{count}_{name}");
            if taken.insert(other.clone()) {
                *name = other;
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_fields_have_distinct_names() {
        let mut names = ["x", "y", "x", "_1_x", "x", "_1_x"].map(str::to_owned);
        make_distinct(&mut names);
        assert_eq!(names, ["x", "y", "_2_x", "_1_x", "_3_x", "_1__1_x"]);
        let mut names = ["x", "x"].map(str::to_owned);
        make_distinct(&mut names);
        assert_eq!(names, ["x", "_1_x"]);
    }
}

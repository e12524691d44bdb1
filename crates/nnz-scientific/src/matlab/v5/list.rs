//! The variables of a file, and the fields of structs.

use nnz_core::Result;
use nnz_storage::InputFile;

use super::array::{Array, Parser};
use super::element::{Element, elements};
use super::space::{Forward, Reader, Space};
use crate::matlab::{Class, MAX_DEPTH, Variable};

/// A variable, and where it is.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) variable: Variable,
    /// The element of the file that contains it.
    pub(super) element: Element,
    /// The offsets of its subelements, in the element if that is compressed, otherwise in the file.
    pub(super) start: u64,
    pub(super) end: u64,
}

/// Lists all variables.
pub(super) fn list(file: &InputFile, big: bool) -> Result<Vec<Found>> {
    let mut found = Vec::new();
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
        Lister { parser, element, found: &mut found }.array("", None, (start, end), 0)?;
    }
    Ok(found)
}

struct Lister<'a> {
    parser: Parser<'a>,
    element: Element,
    found: &'a mut Vec<Found>,
}

impl Lister<'_> {
    /// Lists an array; `name` is that of a field.
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
            let (names, mut at) = self.parser.field_names(data, end)?;
            for name in &names {
                let tag = self.parser.field(at, end)?;
                self.array(&path, Some(name), (tag.data, tag.data + tag.bytes), depth + 1)?;
                at = tag.next;
            }
            return Ok(());
        }
        let variable = Variable { path, class, shape, sparse, complex };
        self.found.push(Found { variable, element: self.element, start, end });
        Ok(())
    }
}

//! Comparing attributes of other programs, such as units that a user has set.

use std::collections::BTreeSet;

use nnz_container::tree::{Attribute, AttributeValue, Attributes, Group};
use nnz_core::{Error, Place, Result, Scalar};
use nnz_engine::{ElementChange, same_value};

use super::{Comparison, DEEPEST};
use crate::anndata::AnnData;
use crate::anndata::element::Element;
use crate::anndata::whole::attributes::{ROOT, foreign, foreign_members, parts, shown};

impl Comparison<'_> {
    /// Compares the attributes of two elements and of their parts, if stored values are compared.
    pub(super) fn attributes(&mut self, path: &str, elements: [&Element; 2]) -> Result<()> {
        if !self.options.stored || path.split('/').count() > DEEPEST {
            return Ok(());
        }
        let [first, second] = elements.map(ForeignAttributes::of);
        let (first, second) = (first?, second?);
        self.listed(path, [&first, &second])?;
        let [Element::Group(own), Element::Group(other)] = elements else { return Ok(()) };
        let [Some(of_own), Some(of_other)] =
            [parts(&**own, &first.encoding)?, parts(&**other, &second.encoding)?]
        else {
            return Ok(());
        };
        for name in of_own.iter().filter(|name| of_other.contains(name)) {
            let [own, other] = [Element::at(&**own, name)?, Element::at(&**other, name)?];
            if let (Some(own), Some(other)) = (own, other) {
                let path = format!("{path}/{name}");
                self.attributes(&path, [&own, &other])?;
                if let [Some(own), Some(other)] = [own.group(), other.group()] {
                    self.foreign_members(&path, [own, other])?;
                }
            }
        }
        Ok(())
    }

    /// Compares members of a matrix, or of a column with several arrays, that anndata does not define, if stored
    /// values are compared.
    pub(super) fn foreign_members(&mut self, path: &str, groups: [&dyn Group; 2]) -> Result<()> {
        if !self.options.stored {
            return Ok(());
        }
        let mut names = BTreeSet::new();
        for group in groups {
            names.extend(foreign_members(group)?);
        }
        for name in names {
            let [first, second] = groups.map(|group| Element::find(group, &name));
            self.pair(&format!("{path}/{name}"), [first?, second?])?;
        }
        Ok(())
    }

    /// Compares the attributes of the roots of files.
    pub(super) fn root_attributes(&mut self, files: [&AnnData; 2]) -> Result<()> {
        if !self.options.stored {
            return Ok(());
        }
        let roots = files.map(|file| {
            ForeignAttributes::new(&*file.root, ROOT.to_owned(), Place::path(file.root.path()))
        });
        let [first, second] = roots;
        self.listed("/", [&first?, &second?])
    }

    fn listed(&mut self, path: &str, [first, second]: [&ForeignAttributes<'_>; 2]) -> Result<()> {
        for name in &first.names {
            let path = shown(path, name);
            match second.names.contains(name) {
                true => self.attribute(&path, name, [first, second])?,
                false => self.report(&path, ElementChange::FirstOnly),
            }
        }
        for name in second.names.iter().filter(|name| !first.names.contains(name)) {
            self.report(&shown(path, name), ElementChange::SecondOnly);
        }
        Ok(())
    }

    /// Compares the attributes of tables or groups of the same name.
    pub(super) fn table_attributes(&mut self, path: &str, files: [&AnnData; 2]) -> Result<()> {
        let [first, second] = files.map(|file| Element::at(&*file.root, path));
        match (first?, second?) {
            (Some(first), Some(second)) => self.attributes(path, [&first, &second]),
            _ => Ok(()),
        }
    }

    fn attribute(
        &mut self,
        path: &str,
        name: &str,
        listed: [&ForeignAttributes<'_>; 2],
    ) -> Result<()> {
        let [first, second] = listed.map(|listed| listed.read(name));
        let (Some(first), Some(second)) = (first?, second?) else { return Ok(()) };
        let is_scalar = first.shape.is_empty();
        let mut values = |position: u64, first: String, second: String| {
            let position = (!is_scalar).then_some(position);
            self.report(path, ElementChange::Value { position, first, second });
        };
        match (&first.value, &second.value) {
            _ if first.shape != second.shape => {}
            (AttributeValue::Numbers(own), AttributeValue::Numbers(other)) => {
                let pairs = (0..own.len().unwrap_or(0)).map(|at| (own.get(at), other.get(at)));
                let differs = |(a, b): &(Option<Scalar>, Option<Scalar>)| match (a, b) {
                    (Some(a), Some(b)) => !same_value(*a, *b),
                    _ => a.is_some() != b.is_some(),
                };
                let text =
                    |value: Option<Scalar>| value.map_or_else(String::new, |v| v.to_string());
                if let Some((at, (a, b))) = (0..).zip(pairs).find(|(_, pair)| differs(pair)) {
                    values(at, text(a), text(b));
                }
                return Ok(());
            }
            (AttributeValue::Strings(own), AttributeValue::Strings(other)) => {
                let mut pairs = (0..).zip(own.iter().zip(other.iter()));
                let text = |value: &[u8]| String::from_utf8_lossy(value).into_owned();
                if let Some((at, (a, b))) = pairs.find(|(_, (a, b))| a != b) {
                    values(at, text(a), text(b));
                }
                return Ok(());
            }
            (own, other) if own == other => return Ok(()),
            _ => {}
        }
        let kinds = [&first, &second].map(|attribute| {
            let lengths: Vec<String> = attribute.shape.iter().map(ToString::to_string).collect();
            match &lengths[..] {
                [] => attribute.type_name(),
                lengths => format!("{} of {}", lengths.join(" x "), attribute.type_name()),
            }
        });
        self.kinds_differ(path, kinds);
        Ok(())
    }
}

/// The attributes of an element that anndata does not define.
struct ForeignAttributes<'a> {
    element: &'a dyn Attributes,
    encoding: String,
    place: Place,
    names: Vec<String>,
}

impl<'a> ForeignAttributes<'a> {
    fn new(element: &'a dyn Attributes, encoding: String, place: Place) -> Result<Self> {
        let names = foreign(element, &encoding)?;
        Ok(Self { element, encoding, place, names })
    }

    fn of(element: &'a Element) -> Result<Self> {
        let encoding = element.encoding()?.kind;
        match element {
            Element::Group(group) => Self::new(&**group, encoding, element.place()),
            Element::Array(array) => Self::new(&**array, encoding, element.place()),
        }
    }

    /// Reads an attribute. Values of a type that cannot be read are an error.
    fn read(&self, name: &str) -> Result<Option<Attribute>> {
        let attribute = self.element.attribute(name)?;
        let value = attribute.as_ref().map(|attribute| &attribute.value);
        if let Some(AttributeValue::Unsupported(what)) = value {
            let what = format!("the attribute {name:?} of {what}, which cannot be compared");
            return Err(Error::unsupported(self.place.clone(), what));
        }
        Ok(attribute)
    }
}

//! Parsing a descriptor, with a list of everything that is wrong with it.

mod members;

use nnz_core::{Error, ErrorKind, Place, Structure};

use super::{DESCRIPTOR, Descriptor, json};
use crate::deviation::Deviations;
use crate::{Keys, Layout, structure};
use members::Members;

/// Returns the location of a key inside the object at `place`.
pub(super) fn key(place: &Place, name: &str) -> Place {
    let array = place.array.as_deref().unwrap_or(DESCRIPTOR);
    place.clone().with_array(format!("{array}.{name}"))
}

pub(super) fn missing(place: Place) -> Error {
    Error::new(ErrorKind::Missing, place)
}

/// Parses a descriptor; `None` after an error.
pub(super) fn parse(text: &str, place: &Place, found: &mut Deviations) -> Option<Descriptor> {
    let place = place.clone().with_array(DESCRIPTOR.to_owned());
    let (inner, user) = namespace(text, &place, found)?;
    let mut members = Members { keys: &inner, place, found };
    let version = members.version();
    let shape = members.shape();
    let layout = shape.as_ref().and_then(|shape| members.layout(shape));
    let stored = members.stored();
    let fill = members.fill();
    let structure = members.structure();
    let data_types = members.data_types(layout.as_ref().map(|(_, layout)| layout));
    let attributes = members.attributes();
    let unknown = members.unknown();
    let (format, layout) = layout?;
    let mut shape = shape?;
    if layout.rank() == 1 {
        shape.truncate(1);
    }
    let descriptor = Descriptor {
        version: version?,
        format,
        layout,
        shape,
        stored: stored?,
        fill: fill?,
        structure: structure?,
        data_types: data_types?,
        attributes: attributes?,
        unknown,
        user,
    };
    members.check_structure(&descriptor);
    Some(descriptor)
}

/// Parses only the levels of a tensor with `dimensions` dimensions.
pub(super) fn layout(keys: &Keys, dimensions: usize, found: &mut Deviations) -> Option<Layout> {
    let place = Place::default().with_array(DESCRIPTOR.to_owned());
    let mut members = Members { keys, place, found };
    members.layout(&vec![0; dimensions]).map(|(_, layout)| layout)
}

/// Splits the text into the descriptor and the keys of the user.
fn namespace(text: &str, place: &Place, found: &mut Deviations) -> Option<(Keys, Keys)> {
    let read = serde_json::from_str::<Keys>(text).map_err(|error| {
        let what = match error.is_data() {
            true => json::not_an_object(text, &error),
            false => format!("invalid JSON ({error})"),
        };
        Error::mismatch(place.clone(), what, "a JSON object").with_source(error)
    });
    let mut user = found.take(read)?;
    let Some(inner) = user.remove(DESCRIPTOR) else {
        if user.get("version").is_some() && user.get("shape").is_some() {
            let what = "keys that are not inside an object \"binsparse\"";
            found.tolerate(Error::mismatch(place.clone(), what, "an object \"binsparse\""));
            return Some((user, Keys::default()));
        }
        found.refuse(missing(key(place, DESCRIPTOR)));
        return None;
    };
    let inner = serde_json::from_str::<Keys>(&inner).map_err(|error| {
        let what = json::not_an_object(&inner, &error);
        Error::mismatch(place.clone(), what, "an object").with_source(error)
    });
    found.take(inner).map(|inner| (inner, user))
}

impl Members<'_> {
    /// Checks that the matrix can have its structure.
    fn check_structure(&mut self, descriptor: &Descriptor) {
        if descriptor.structure == Structure::General {
            return;
        }
        let name = structure::name(descriptor.structure).unwrap_or_default();
        match descriptor.shape[..] {
            [rows, cols] if rows == cols => {}
            _ => {
                let shape = format!("{name} for the shape {:?}", descriptor.shape);
                self.refuse::<()>("structure", &shape, "a square matrix");
            }
        }
        let complex = descriptor.data_type("values").is_none_or(|t| t.value_type.is_complex());
        if matches!(descriptor.structure, Structure::Hermitian(_)) && !complex {
            self.refuse::<()>("structure", &format!("{name} with real values"), "complex values");
        }
    }
}

//! The members of a descriptor, one by one.

use nnz_core::{Error, Place, Structure};

use super::super::{DIAGONAL, json, levels};
use super::{key, missing};
use crate::deviation::Deviations;
use crate::layout::MAX_DIMENSIONS;
use crate::{DataType, Format, Keys, Layout, Version, structure};

/// The known keys.
const KNOWN: [&str; 9] = [
    "version",
    "format",
    "shape",
    "number_of_stored_values",
    "fill",
    "structure",
    "data_types",
    "attributes",
    "custom",
];

/// Parses the members of a descriptor one by one.
pub(super) struct Members<'a> {
    pub(super) keys: &'a Keys,
    pub(super) place: Place,
    pub(super) found: &'a mut Deviations,
}

impl Members<'_> {
    fn required(&mut self, name: &str) -> Option<&str> {
        if self.keys.get(name).is_none() {
            self.found.refuse(missing(key(&self.place, name)));
        }
        self.keys.get(name)
    }

    pub(super) fn refuse<T>(
        &mut self,
        name: &str,
        text: &str,
        expected: impl std::fmt::Display,
    ) -> Option<T> {
        let place = key(&self.place, name);
        self.found.refuse(Error::mismatch(place, json::excerpt(text), expected));
        None
    }

    fn tolerate(&mut self, name: &str, text: &str, expected: impl std::fmt::Display) {
        let place = key(&self.place, name);
        self.found.tolerate(Error::mismatch(place, json::excerpt(text), expected));
    }

    pub(super) fn version(&mut self) -> Option<Version> {
        let text = self.required("version")?.to_owned();
        match json::string(&text).and_then(|version| version.parse().ok()) {
            Some(version) => Some(version),
            None => self.refuse("version", &text, "\"0.1\" or \"0.1.0\""),
        }
    }

    pub(super) fn shape(&mut self) -> Option<Vec<u64>> {
        let text = self.required("shape")?.to_owned();
        match json::counts(&text) {
            Some(shape) if shape.len() <= MAX_DIMENSIONS => Some(shape),
            _ => {
                let expected =
                    format!("a list of at most {MAX_DIMENSIONS} whole numbers from 0 to 2^64 - 1");
                self.refuse("shape", &text, expected)
            }
        }
    }

    pub(super) fn layout(&mut self, shape: &[u64]) -> Option<(Option<Format>, Layout)> {
        let named = self.format()?;
        let custom = match self.keys.get("custom").map(str::to_owned) {
            Some(text) => {
                let read = levels::layout(&text, &self.place, shape.len());
                Some(self.found.take(read)?)
            }
            None => None,
        };
        match (named, custom) {
            (Some(format), None) => {
                let layout = format.layout();
                self.check_rank(format, &layout, shape)?;
                Some((Some(format), layout))
            }
            (None, Some(layout)) => Some((None, layout)),
            (Some(format), Some(layout)) if layout.format() == Some(format) => {
                Some((Some(format), format.layout()))
            }
            (Some(format), Some(layout)) => {
                self.refuse("custom", &layout.tree(), format!("the levels of {format}, or none"))
            }
            (None, None) => {
                self.found.refuse(missing(key(&self.place, "custom")));
                None
            }
        }
    }

    /// Parses the name of the format; `Some(None)` if it is `custom`.
    fn format(&mut self) -> Option<Option<Format>> {
        if self.keys.get("format").is_none() && self.keys.get("custom").is_some() {
            let what = "levels without a format";
            self.found.note(key(&self.place, "format"), what);
            return Some(None);
        }
        let text = self.required("format")?.to_owned();
        let name = json::string(&text);
        if name.as_deref() == Some("custom") {
            return Some(None);
        }
        let name = name.unwrap_or_default();
        if let Some(format) = Format::named(&name) {
            return Some(Some(format));
        }
        if let Some(format) = Format::named(&name.to_ascii_uppercase()) {
            self.tolerate(
                "format",
                &text,
                format!("{:?}: names are case-sensitive", format.name()),
            );
            return Some(Some(format));
        }
        let names: Vec<&str> = Format::ALL.iter().map(|format| format.name()).collect();
        self.refuse("format", &text, format!("{}, DMAT, COO or custom", names.join(", ")))
    }

    fn check_rank(&mut self, format: Format, layout: &Layout, shape: &[u64]) -> Option<()> {
        let found = format!("{} dimensions", shape.len());
        match (layout.rank(), shape) {
            (rank, shape) if rank == shape.len() => Some(()),
            (1, [_, 1]) => {
                self.tolerate("shape", &found, format!("1: a {format} has one"));
                Some(())
            }
            (rank, _) => self.refuse("shape", &found, format!("{rank}, like a {format}")),
        }
    }

    pub(super) fn stored(&mut self) -> Option<u64> {
        let name = "number_of_stored_values";
        let text = self.required(name)?.to_owned();
        match json::count(&text) {
            Some(count) => Some(count),
            None => self.refuse(name, &text, "a whole number from 0 to 2^64 - 1"),
        }
    }

    pub(super) fn fill(&mut self) -> Option<bool> {
        match self.keys.get("fill") {
            None | Some("false") => Some(false),
            Some("true") => Some(true),
            Some(text) => self.refuse("fill", text, "true or false"),
        }
    }

    pub(super) fn structure(&mut self) -> Option<Structure> {
        let Some(text) = self.keys.get("structure").map(str::to_owned) else {
            return Some(Structure::General);
        };
        let expected = "symmetric, hermitian or skew_symmetric with _lower or _upper";
        match json::string(&text).as_deref() {
            Some("general") => {
                self.tolerate("structure", &text, format!("{expected}, or no such key"));
                Some(Structure::General)
            }
            Some(name) if structure::named(name).is_some() => structure::named(name),
            _ => self.refuse("structure", &text, expected),
        }
    }

    pub(super) fn data_types(
        &mut self,
        layout: Option<&Layout>,
    ) -> Option<Vec<(String, DataType)>> {
        let text = self.required("data_types")?.to_owned();
        let Ok(keys) = serde_json::from_str::<Keys>(&text) else {
            return self.refuse("data_types", &text, "an object");
        };
        let mut types = Vec::new();
        let mut whole = true;
        for (name, text) in keys.iter() {
            let data_type = json::string(text).and_then(|name| name.parse().ok());
            match data_type {
                Some(data_type) => types.push((name.to_owned(), data_type)),
                None => {
                    let expected = "a type such as uint64, complex[float64] or iso[int8]";
                    self.refuse::<()>(&format!("data_types.{name}"), text, expected);
                    whole = false;
                }
            }
        }
        for name in layout.iter().flat_map(|layout| layout.arrays()) {
            if keys.get(&name).is_none() {
                let place = key(&key(&self.place, "data_types"), &name);
                self.found.refuse(missing(place));
                whole = false;
            }
        }
        whole.then_some(types)
    }

    pub(super) fn attributes(&mut self) -> Option<Keys> {
        let Some(text) = self.keys.get("attributes").map(str::to_owned) else {
            return Some(Keys::default());
        };
        let Ok(attributes) = serde_json::from_str::<Keys>(&text) else {
            return self.refuse("attributes", &text, "an object");
        };
        if let Some(text) = attributes.get(DIAGONAL)
            && json::count(text).is_none()
        {
            self.tolerate(&format!("attributes.{DIAGONAL}"), text, "a whole number");
        }
        Some(attributes)
    }

    pub(super) fn unknown(&mut self) -> Keys {
        let mut unknown = self.keys.clone();
        unknown.retain(|name| !KNOWN.contains(&name));
        for (name, _) in unknown.iter() {
            self.found.note(key(&self.place, name), "not a key of this version");
        }
        unknown
    }
}

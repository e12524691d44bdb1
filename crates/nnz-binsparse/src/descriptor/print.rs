//! Writing a descriptor.

use nnz_core::{Result, Structure};
use serde_json::{Value, json};

use super::{DESCRIPTOR, Descriptor};
use crate::layout::LevelKind;
use crate::{Keys, Layout, structure};

impl Descriptor {
    /// Returns the descriptor as JSON in one line.
    ///
    /// A layout that has a name is written as that format. The keys of the user come last.
    ///
    /// # Errors
    ///
    /// Fails if a key of the user is `binsparse`.
    pub fn to_json(&self) -> Result<String> {
        let mut inner = Keys::default();
        inner.set("version", &Value::from(self.version.to_string()).to_string())?;
        match self.layout.format() {
            Some(format) => inner.set_string("format", format.name())?,
            None => {
                inner.set_string("format", "custom")?;
                inner.set("custom", &custom(&self.layout).to_string())?;
            }
        }
        inner.set("shape", &json!(self.shape).to_string())?;
        inner.set("number_of_stored_values", &self.stored.to_string())?;
        if self.fill {
            inner.set("fill", "true")?;
        }
        if self.structure != Structure::General {
            inner.set_string("structure", structure::name(self.structure).unwrap_or_default())?;
        }
        let mut types = Keys::default();
        for (name, data_type) in &self.data_types {
            types.set_string(name, &data_type.to_string())?;
        }
        inner.set("data_types", &types.to_string())?;
        if !self.attributes.is_empty() {
            inner.set("attributes", &self.attributes.to_string())?;
        }
        inner.extend(&self.unknown);
        if self.user.get(DESCRIPTOR).is_some() {
            let what = format!("{DESCRIPTOR:?} is reserved and cannot be a user key");
            return Err(nnz_core::Error::argument(what));
        }
        let mut all = Keys::default();
        all.set(DESCRIPTOR, &inner.to_string())?;
        all.extend(&self.user);
        Ok(all.to_string())
    }
}

fn custom(layout: &Layout) -> Value {
    let mut level = json!({ "level_desc": "element" });
    for outer in layout.levels().iter().rev() {
        let kind = match outer.kind {
            LevelKind::Dense => "dense",
            LevelKind::Sparse => "sparse",
        };
        level = json!({ "level_desc": kind, "rank": outer.rank, "level": level });
    }
    let mut custom = json!({ "level": level });
    if let (Some(transpose), Value::Object(members)) = (layout.transpose(), &mut custom) {
        members.insert("transpose".to_owned(), json!(transpose));
    }
    custom
}

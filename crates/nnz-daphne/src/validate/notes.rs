//! Notes on what is allowed, but unusual.

use std::collections::BTreeSet;

use nnz_core::{Place, Result};

use super::Check;
use crate::object::Object;
use crate::{DataType, Dialect};

impl Check<'_> {
    pub(super) fn notes(&mut self, object: &Object) -> Result<()> {
        let place = Place::path(object.file.path());
        let interleaved = object.data_type == DataType::Frame && object.dialect != Dialect::Spec;
        let (elements, covered) = (object.shape.elements(), object.covered());
        if covered < elements && !interleaved {
            let message =
                format!("{} elements are in no block, and read as zero", elements - covered);
            self.note(place.clone(), message);
        }
        if object.without_elements > 0 && elements > 0 {
            self.note(
                place.clone(),
                format!("{} blocks cover no elements", object.without_elements),
            );
        }
        let mut labels = BTreeSet::new();
        let twice = object.columns.iter().find(|column| !labels.insert(&column.label));
        if let Some(column) = twice.filter(|_| object.data_type == DataType::Frame) {
            let label = &column.label;
            let message = format!("two columns have the label {label:?}, which DAPHNE rejects");
            self.note(place, message);
        }
        if object.dialect == Dialect::Daphne2022 {
            let mut padding = [0; 6];
            object.file.read(2, &mut padding)?;
            if padding != [0; 6] {
                let message = "padding bytes are not zero; DAPHNE 0.1 did not initialize them";
                self.note(object.file.at(2), message);
            }
        }
        Ok(())
    }
}

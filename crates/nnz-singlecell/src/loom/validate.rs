//! Validating what is not a matrix: the version, groups and attributes.

use nnz_core::{Annotations as _, Axis, Finding, Place, Result, readable};
use nnz_engine::report_error;

use super::attributes::Attributes;
use super::{Loom, spec};

impl Loom {
    /// Reads the version, groups and attributes, and passes findings to `each`. Attributes are not
    /// kept; one may take `memory` bytes.
    ///
    /// # Errors
    ///
    /// Fails if the system cannot read, or if an attribute takes more memory.
    pub fn validate_attributes(&self, memory: u64, each: &mut dyn FnMut(Finding)) -> Result<()> {
        if self.version().is_none() {
            let what = format!(
                "no {}, so loompy reads the file as version 1 and may reject it",
                spec::VERSION
            );
            each(Finding::note(self.place(), what));
        }
        for name in ["layers", "row_graphs", "col_graphs"] {
            if readable(self.root.group(name))?.is_none() {
                let place = Place::array(self.root.path(), name);
                each(Finding::note(place, "missing; files of version 2 and 3 have this group"));
            }
        }
        let shape = self.shape();
        if shape.is_empty() {
            let what = format!("the shape is {shape}; loompy rejects a matrix without elements");
            each(Finding::note(self.place(), what));
        }
        if let Some(what) = self.unread_note()? {
            each(Finding::note(self.place(), what));
        }
        for axis in [Axis::Rows, Axis::Cols] {
            match self.attributes(axis) {
                Ok(table) => check(&table, memory, each)?,
                Err(error) => report_error(error, each)?,
            }
        }
        Ok(())
    }
}

fn check(table: &Attributes, memory: u64, each: &mut dyn FnMut(Finding)) -> Result<()> {
    for error in table.broken() {
        report_error(error, each)?;
    }
    for (name, what) in table.unread_columns() {
        let what = format!("{name} ({what}) is not supported, and left out by other commands");
        each(Finding::note(table.place(), what));
    }
    for column in 0..table.columns().len() {
        if let Err(error) = table.read_column(column, memory) {
            report_error(error, each)?;
        }
    }
    Ok(())
}

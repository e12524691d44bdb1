//! Validating the tables and maps of a file.

use nnz_core::{Axis, Finding, Place, Result, readable};
use nnz_engine::{TaskContext, report_error};

use super::MuData;
use super::file::{MAPS, MISSING, MODALITIES};
use crate::anndata::validate::check_attributes;

impl MuData {
    /// Reads all tables, maps, and everything else except matrices, of all modalities, and passes findings to `each`, as
    /// [`AnnData::validate_tables`](crate::anndata::AnnData::validate_tables).
    ///
    /// # Errors
    ///
    /// Fails if the system cannot read, if an element takes more memory, or if cancelled.
    pub fn validate(&self, context: &TaskContext, each: &mut dyn FnMut(Finding)) -> Result<()> {
        let files = self.modalities.iter().map(|(_, file)| file);
        for file in files.chain([&self.common]) {
            file.validate_tables(context.memory(), each)?;
            file.validate_elements(context, each)?;
        }
        if let Err(error) = self.axis() {
            report_error(error, each)?;
        }
        for name in self.missing_modalities()? {
            let place = Place::array(self.common.root.path(), format!("{MODALITIES}/{name}"));
            each(Finding::fault(place, MISSING));
        }
        let root = &*self.common.root;
        for path in [MODALITIES].into_iter().chain(MAPS) {
            let Some(group) = readable(root.group(path))? else { continue };
            check_attributes(&*group, each)?;
            for child in readable(group.children())?.unwrap_or_default() {
                if let Some(array) = readable(group.array(&child.name))? {
                    check_attributes(&*array, each)?;
                }
            }
        }
        for number in 0..self.modalities.len() {
            for axis in [Axis::Rows, Axis::Cols] {
                context.check()?;
                if let Err(error) = self.map(axis, number, context.memory() / 4) {
                    report_error(error, each)?;
                }
            }
        }
        Ok(())
    }
}

//! Comparing a file with its `.meta`.

use nnz_core::{Error, Place, Result, Shape};

use super::{DataType, Object};
use crate::{Dialect, Meta};

impl Object {
    /// Checks that the `.meta` file has the shape and types of the file, and uses its labels
    /// for a frame if the file has none.
    pub(crate) fn compare_meta(&mut self) -> Result<()> {
        let Some(meta) = self.meta.take() else {
            if self.dialect != Dialect::Spec {
                self.notes.push("there is no .meta file, which DAPHNE requires".to_owned());
            }
            return Ok(());
        };
        let place = self.meta_place.clone();
        let stated = Shape { rows: meta.num_rows, cols: meta.num_cols };
        if stated != self.shape {
            let expected = format!("{}, like the data file", self.shape);
            return Err(Error::mismatch(place, stated, expected));
        }
        match self.data_type {
            DataType::Frame => self.compare_schema(&meta, &place)?,
            _ => self.compare_matrix(&meta, &place)?,
        }
        self.meta = Some(meta);
        Ok(())
    }

    fn compare_matrix(&mut self, meta: &Meta, place: &Place) -> Result<()> {
        let found = self.value_type();
        match (meta.matrix_type(), &meta.value_type) {
            (Some(stated), _) if stated != found => {
                let expected = format!("{found}, like the data file");
                return Err(Error::mismatch(place.clone(), stated, expected));
            }
            (None, Some(name)) => {
                self.notes.push(format!("the .meta file has an unknown value type {name:?}"));
            }
            _ => {}
        }
        let stored: u64 = self.blocks.iter().map(|block| block.stored).sum();
        if let Some(stated) = meta.num_non_zeros.filter(|&stated| stated >= 0)
            && self.data_type == DataType::Csr
            && u64::try_from(stated) != Ok(stored)
        {
            self.notes.push(format!(
                "the .meta file has {stated} entries, but the data file stores {stored}"
            ));
        }
        Ok(())
    }

    fn compare_schema(&mut self, meta: &Meta, place: &Place) -> Result<()> {
        let Some(schema) = &meta.schema else { return Ok(()) };
        if schema.len() != self.columns.len() {
            let found = format!("{} columns in its schema", schema.len());
            return Err(Error::mismatch(place.clone(), found, self.columns.len()));
        }
        let mut differing = 0_u64;
        let stated = schema.iter().zip(meta.column_types());
        for (number, (column, (said, stated))) in self.columns.iter_mut().zip(stated).enumerate() {
            if let Some(stated) = stated.filter(|&stated| stated != column.value_type) {
                let found = format!("{stated} for column {number}");
                let expected = format!("{}, like the data file", column.value_type);
                return Err(Error::mismatch(place.clone(), found, expected));
            }
            if self.dialect != Dialect::Spec {
                column.label.clone_from(&said.label);
            } else if column.label != said.label {
                differing += 1;
            }
        }
        if differing > 0 {
            self.notes
                .push(format!("{differing} labels in the .meta file differ from the data file"));
        }
        Ok(())
    }
}

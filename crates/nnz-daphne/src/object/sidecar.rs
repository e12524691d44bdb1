//! Comparing a file with its `.meta`.

use nnz_core::{Error, Place, Result, Shape};

use super::{DataType, Object};
use crate::{Dialect, Meta};

impl Object {
    /// Checks that a `.meta` says of shape and types what the file says, and takes the labels of
    /// a frame from it where the file has none.
    pub(crate) fn compare_meta(&mut self) -> Result<()> {
        let Some(meta) = self.meta.take() else {
            if self.dialect != Dialect::Spec {
                self.notes.push(
                    "there is no .meta file, without which DAPHNE does not read it".to_owned(),
                );
            }
            return Ok(());
        };
        let place = self.meta_place.clone();
        let told = Shape { rows: meta.num_rows, cols: meta.num_cols };
        if told != self.shape {
            let expected = format!("{}, as the data file says", self.shape);
            return Err(Error::mismatch(place, told, expected));
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
            (Some(told), _) if told != found => {
                let expected = format!("{found}, as the data file says");
                return Err(Error::mismatch(place.clone(), told, expected));
            }
            (None, Some(name)) => {
                self.notes.push(format!("its .meta file tells of an unknown value type {name:?}"));
            }
            _ => {}
        }
        let stored: u64 = self.blocks.iter().map(|block| block.stored).sum();
        if let Some(told) = meta.num_non_zeros.filter(|&told| told >= 0)
            && self.data_type == DataType::Csr
            && u64::try_from(told) != Ok(stored)
        {
            self.notes.push(format!("its .meta file tells of {told} entries, it stores {stored}"));
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
        let told = schema.iter().zip(meta.column_types());
        for (number, (column, (said, told))) in self.columns.iter_mut().zip(told).enumerate() {
            if let Some(told) = told.filter(|&told| told != column.value_type) {
                let found = format!("{told} for column {number}");
                let expected = format!("{}, as the data file says", column.value_type);
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
                .push(format!("{differing} labels of its .meta file are not those it stores"));
        }
        Ok(())
    }
}

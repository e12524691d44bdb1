//! Reading a stored matrix.

use std::ops::Range;

use nnz_container::NamedArrays;
use nnz_core::{
    About, Axis, Batch, Duplicates, Error, Header, Majors, Metadata, Names, Place, Projection,
    Repairs, Result, Storage, Structure, UnitReader, readable,
};

use super::dense::DenseReader;
use super::form::{Form, form};
use super::pairs::{self, PairReader};
use super::runs::RunReader;
use crate::descriptor::DIAGONAL;
use crate::store::{Store, ValueArray};
use crate::{Descriptor, Keys};

/// The largest number of elements for which a single shared value is read: a small file can have any
/// number of such elements.
const MAX_ISO_ELEMENTS: u128 = 1 << 36;

/// A Binsparse matrix or vector in a container.
///
/// Opening reads the descriptor and the ends of the pointers. Everything else is read and checked
/// when it is needed: indices are in range and ascending, and pointers do not decrease.
pub struct MatrixSource {
    container: NamedArrays,
    descriptor: Descriptor,
    notes: Vec<String>,
    header: Header,
    pub(super) form: Form,
    pub(super) values: ValueArray,
    /// The lengths of the major and of the minor axis.
    pub(super) majors: u64,
    pub(super) minors: u64,
    /// Whether entries may be unsorted.
    pub(super) in_any_order: bool,
}

impl std::fmt::Debug for MatrixSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MatrixSource").field("header", &self.header).finish_non_exhaustive()
    }
}

impl MatrixSource {
    /// Opens the matrix in a container.
    ///
    /// # Errors
    ///
    /// Fails if the descriptor or an array is missing or invalid, if lengths do not agree, or if it
    /// is a tensor that does not have one or two dimensions.
    pub fn open(container: NamedArrays) -> Result<Self> {
        Self::open_with_repairs(container, None)
    }

    /// Opens the matrix in a container. With `repairs`, a wrong number of stored values is
    /// corrected, and entries may be in any order inside a row or column, or overall if both
    /// indices of each are stored.
    ///
    /// # Errors
    ///
    /// Fails like [`open`](Self::open).
    pub fn open_with_repairs(container: NamedArrays, repairs: Option<&Repairs>) -> Result<Self> {
        let (mut store, notes) = Store::open(&container, repairs)?;
        let (form, shape, order) = form(&mut store, &Place::path(container.path()))?;
        let Store { descriptor, values, fill, .. } = store;
        let dense = matches!(form, Form::Dense { listed: None });
        let trimmed =
            matches!(form, Form::Dense { .. }) && descriptor.structure != Structure::General;
        let header = Header::new(shape, order, values.value_type())
            .sorted_indices(true)
            .iso(values.iso().is_some())
            .nnz((!trimmed).then_some(descriptor.stored))
            .storage(if dense { Storage::Dense } else { Storage::Sparse })
            .structure(descriptor.structure)
            .fill(fill)
            .duplicates(Duplicates::Refused);
        let (majors, minors) = (shape.major(order), shape.minor(order));
        let mut source = Self {
            container,
            descriptor,
            notes,
            header,
            form,
            values,
            majors,
            minors,
            in_any_order: false,
        };
        if let Some(repairs) = repairs {
            source.allow_any_order(repairs)?;
        }
        Ok(source)
    }

    /// Allows entries in any order, except in a matrix with a structure, where reading relies on
    /// the order.
    fn allow_any_order(&mut self, repairs: &Repairs) -> Result<()> {
        if self.header.structure != Structure::General {
            return Ok(());
        }
        match &self.form {
            Form::Runs { .. } => self.header.sorted_indices = None,
            Form::Pairs { majors, minors } => {
                let Some(entry) = pairs::first_unsorted(majors, minors)? else { return Ok(()) };
                repairs.add(
                    majors.place(entry),
                    "is not after the previous entry; entries are sorted",
                );
                self.header.sorted_majors = false;
                self.header.sorted_indices = Some(false);
            }
            Form::Dense { .. } => return Ok(()),
        }
        self.in_any_order = true;
        Ok(())
    }

    /// Returns the descriptor, with the keys of the user.
    #[must_use]
    pub fn descriptor(&self) -> &Descriptor {
        &self.descriptor
    }

    /// Fails if there are too many elements with a shared value to read in reasonable time.
    fn check_iso_elements(&self, majors: &Range<u64>) -> Result<()> {
        let all = u128::from(majors.end - majors.start) * u128::from(self.minors);
        let elements = all.min(self.descriptor.stored.into());
        if matches!(self.form, Form::Dense { .. }) && self.header.iso && elements > MAX_ISO_ELEMENTS
        {
            let what = format!(
                "one value shared by {elements} elements: at most {MAX_ISO_ELEMENTS} are read"
            );
            return Err(Error::unsupported(Place::array(self.container.path(), "values"), what));
        }
        Ok(())
    }

    /// Clears a batch for entries of these majors.
    pub(super) fn begin(&self, batch: &mut Batch, majors: Majors, offsets: Vec<usize>) {
        batch.order = self.header.order;
        batch.majors = majors;
        batch.offsets = offsets;
    }
}

impl nnz_core::MatrixSource for MatrixSource {
    fn header(&self) -> &Header {
        &self.header
    }

    fn about(&self) -> Result<About> {
        self.descriptor.about(&self.container)
    }

    fn read_names(&self, _: Axis) -> Result<Option<Names<'_>>> {
        Ok(None)
    }

    fn random_access(&self) -> bool {
        self.header.sorted_majors
    }

    fn units(
        &self,
        majors: Range<u64>,
        fields: Projection,
    ) -> Result<Box<dyn UnitReader<'_> + '_>> {
        self.header.check_majors(&majors)?;
        self.check_iso_elements(&majors)?;
        Ok(match &self.form {
            Form::Dense { listed } => {
                Box::new(DenseReader::new(self, listed.as_ref(), majors, fields)?)
            }
            Form::Runs { listed, pointers, minors } => {
                let listed = listed.as_ref();
                let pointers = pointers.as_ref();
                Box::new(RunReader::new(self, listed, pointers, minors, majors, fields)?)
            }
            Form::Pairs { majors: along, minors } => {
                Box::new(PairReader::new(self, along, minors, majors, fields)?)
            }
        })
    }

    fn will_read(&self, majors: &[Range<u64>], fields: Projection) {
        // An array that cannot be read is an error when it is read.
        let _ = readable(self.announce(majors, fields));
    }

    fn stored_before(&self, major: u64) -> Result<Option<u64>> {
        if major > self.majors {
            return Ok(None);
        }
        match &self.form {
            Form::Runs { listed: None, pointers: Some(pointers), .. } => {
                pointers.get(major).map(Some)
            }
            Form::Runs { listed: Some(listed), pointers: Some(pointers), .. } => {
                pointers.get(listed.search(0..listed.len(), major)?).map(Some)
            }
            Form::Runs { .. } => Ok(Some(if major == 0 { 0 } else { self.descriptor.stored })),
            Form::Pairs { majors, .. } => majors.search(0..majors.len(), major).map(Some),
            Form::Dense { .. } if self.header.structure != Structure::General => Ok(None),
            Form::Dense { listed: None } => Ok(major.checked_mul(self.minors)),
            Form::Dense { listed: Some(listed) } => {
                Ok(listed.search(0..listed.len(), major)?.checked_mul(self.minors))
            }
        }
    }

    fn extras(&self) -> Result<Vec<String>> {
        let Descriptor { unknown, attributes, structure, .. } = &self.descriptor;
        let mut extras: Vec<String> =
            unknown.iter().map(|(key, _)| format!("the key {key:?}")).collect();
        // It is written only with a structure, and would be lost without one.
        if *structure == Structure::General && attributes.get(DIAGONAL).is_some() {
            extras.push(format!("the attribute {DIAGONAL:?}"));
        }
        Ok(extras)
    }

    fn metadata(&self) -> Metadata {
        let pairs = |keys: &Keys| -> Vec<(String, String)> {
            keys.iter().map(|(key, json)| (key.to_owned(), json.to_owned())).collect()
        };
        let mut attributes = pairs(&self.descriptor.attributes);
        // Computed again when a matrix is written.
        attributes.retain(|(key, _)| key != DIAGONAL);
        Metadata::default().keys(pairs(&self.descriptor.user)).attributes(attributes)
    }

    fn levels(&self) -> Option<String> {
        Some(self.descriptor.layout.to_string())
    }

    fn is_vector(&self) -> bool {
        self.descriptor.layout.rank() == 1
    }

    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }
}

//! Arrays without elements, which some writers leave out.

use std::ops::Range;

use nnz_container::tree::{Attributes, ElementType, NdArray};
use nnz_container::{NamedArrays, Vector};
use nnz_core::{Error, ErrorKind, Place, Result};

use crate::descriptor::Descriptor;
use crate::deviation::Deviations;

/// Opens an array. A missing one is empty if the matrix stores no values.
pub(super) fn array_or_empty(
    container: &NamedArrays,
    descriptor: &Descriptor,
    name: &str,
    found: &mut Deviations,
) -> Option<Vector> {
    match container.array(name) {
        Err(error) if descriptor.stored == 0 && matches!(error.kind(), ErrorKind::Missing) => {
            found.tolerate(error);
            let element = ElementType::Number(descriptor.data_type(name)?.value_type);
            let place = Place::array(container.path(), name);
            found.take(Vector::new(Box::new(Absent { place, element })))
        }
        array => found.take(array),
    }
}

#[derive(Debug)]
struct Absent {
    place: Place,
    element: ElementType,
}

impl Attributes for Absent {}

impl NdArray for Absent {
    fn place(&self) -> Place {
        self.place.clone()
    }

    fn shape(&self) -> &[u64] {
        &[0]
    }

    fn element_type(&self) -> &ElementType {
        &self.element
    }

    fn stored_bytes(&self) -> Result<u64> {
        Ok(0)
    }

    fn read_bytes(&self, _: &[Range<u64>], _: &mut [u8]) -> Result<()> {
        Err(Error::new(ErrorKind::Missing, self.place()))
    }
}

//! Arrays without elements, which some writers leave out.

use nnz_container::{Container, NumberArray};
use nnz_core::{Error, ErrorKind, Place, Result, ValueType};

use crate::descriptor::Descriptor;
use crate::deviation::Deviations;

/// Opens an array. A missing one is empty if the matrix stores no values.
pub(super) fn array_or_empty(
    container: &dyn Container,
    descriptor: &Descriptor,
    name: &str,
    found: &mut Deviations,
) -> Option<Box<dyn NumberArray>> {
    match container.array(name) {
        Err(error) if descriptor.stored == 0 && matches!(error.kind(), ErrorKind::Missing) => {
            found.tolerate(error);
            let value_type = descriptor.data_type(name)?.value_type;
            Some(Box::new(Absent { place: Place::array(container.path(), name), value_type }))
        }
        array => found.take(array),
    }
}

struct Absent {
    place: Place,
    value_type: ValueType,
}

impl NumberArray for Absent {
    fn place(&self) -> Place {
        self.place.clone()
    }

    fn value_type(&self) -> ValueType {
        self.value_type
    }

    fn len(&self) -> u64 {
        0
    }

    fn stored_bytes(&self) -> Result<u64> {
        Ok(0)
    }

    fn read_bytes(&self, _: u64, out: &mut [u8]) -> Result<()> {
        if out.is_empty() {
            return Ok(());
        }
        Err(Error::new(ErrorKind::Missing, self.place()))
    }
}

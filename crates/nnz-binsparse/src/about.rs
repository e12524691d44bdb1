//! Description of a matrix or tensor for `info`.

use nnz_container::NamedArrays;
use nnz_core::{About, ArrayAbout, ErrorKind, Result};

use crate::Descriptor;

impl Descriptor {
    /// Describes how the matrix or tensor is stored in a container.
    ///
    /// # Errors
    ///
    /// Fails if an array is missing or cannot be read.
    pub fn about(&self, container: &NamedArrays) -> Result<About> {
        let mut arrays = Vec::new();
        let fill = self.fill.then(|| "fill_value".to_owned());
        for name in self.layout.arrays().into_iter().chain(fill) {
            let array = match container.array(&name) {
                // Some writers leave out arrays without elements.
                Err(error) if self.stored == 0 && matches!(error.kind(), ErrorKind::Missing) => {
                    continue;
                }
                array => array?,
            };
            arrays.push(
                ArrayAbout::new(name)
                    .value_type(array.value_type())
                    .len(array.len())
                    .bytes(ArrayAbout::size(array.stored_bytes())?),
            );
        }
        let dialect = match (self.format, self.layout.format()) {
            (Some(format), _) => format.to_string(),
            (None, Some(format)) => format!("custom: {}, which is {format}", self.layout.tree()),
            (None, None) => format!("custom: {}", self.layout.tree()),
        };
        Ok(About::new("Binsparse", container.info().name)
            .version(self.version.to_string())
            .dialect(dialect)
            .with_arrays(arrays)
            .notes(vec![self.version.readers().to_owned()]))
    }
}

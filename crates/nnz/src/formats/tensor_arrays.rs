//! Arrays of a tensor, with the names that Binsparse uses.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use nnz_binsparse::{DESCRIPTOR, Descriptor, Keys, Layout, Version};
use nnz_container::{Capabilities, Container, NumberArray};
use nnz_core::{
    About, Error, ErrorKind, Finding, Names, Place, Result, Scalar, Structure, ValueType,
};

use super::{Format, Probe};
use crate::{Dataset, Progress, ValidateOptions, tensor::TensorFile};

/// The arrays of a tensor.
pub(super) struct Arrays {
    /// The indices of each dimension, if it is sparse.
    pub(super) indices: Vec<Array>,
    pub(super) values: Array,
    /// The value of elements without an entry, if it is not zero.
    pub(super) fill: Option<Scalar>,
}

/// Opens arrays of another format as a tensor.
pub(super) fn open(
    path: &Path,
    layout: Layout,
    shape: Vec<u64>,
    arrays: Arrays,
    about: About,
) -> Result<Dataset> {
    let Arrays { indices, values, fill } = arrays;
    let stored = values.len();
    let named = (0..).zip(indices).map(|(number, array)| (format!("indices_{number}"), array));
    let fill_value = fill.map(|value| {
        let place = Place::array(path, FILL);
        (FILL.to_owned(), Arc::new(Single { place, value }) as Array)
    });
    let arrays: Vec<(String, Array)> =
        named.chain([("values".to_owned(), values)]).chain(fill_value).collect();
    let types = arrays.iter().map(|(name, array)| (name.clone(), array.value_type().into()));
    let descriptor = Descriptor {
        version: Version::default(),
        format: layout.format(),
        layout,
        shape,
        stored,
        fill: fill.is_some(),
        structure: Structure::General,
        data_types: types.collect(),
        attributes: Keys::default(),
        unknown: Keys::default(),
        user: Keys::default(),
    };
    let text = descriptor.to_json()?;
    let container = Renamed { path: path.to_path_buf(), text, arrays };
    Ok(Dataset::Tensor(TensorFile::new(Box::new(container), descriptor).with_about(about)))
}

/// The name of the array with the fill value.
const FILL: &str = "fill_value";

/// An array of a tensor.
pub(super) type Array = Arc<dyn NumberArray>;

/// Renamed arrays, and a descriptor.
struct Renamed {
    path: PathBuf,
    text: String,
    arrays: Vec<(String, Array)>,
}

impl Container for Renamed {
    fn path(&self) -> &Path {
        &self.path
    }

    fn kind(&self) -> &'static str {
        "arrays"
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            value_types: ValueType::ALL,
            line_breaks: true,
            any_bytes: false,
            multiline_attributes: true,
        }
    }

    fn members(&self) -> Result<Vec<String>> {
        let mut names: Vec<String> = self.arrays.iter().map(|(name, _)| name.clone()).collect();
        names.push(DESCRIPTOR.to_owned());
        names.sort_unstable();
        Ok(names)
    }

    fn attribute(&self, name: &str) -> Result<String> {
        match name {
            DESCRIPTOR => Ok(self.text.clone()),
            _ => Err(self.missing(name)),
        }
    }

    fn array(&self, name: &str) -> Result<Box<dyn NumberArray>> {
        let found = self.arrays.iter().find(|(own, _)| own == name);
        let (_, array) = found.ok_or_else(|| self.missing(name))?;
        Ok(Box::new(Shared(Arc::clone(array))))
    }

    fn strings_size(&self, name: &str) -> Result<u64> {
        Err(self.missing(name))
    }

    fn read_strings(&self, name: &str) -> Result<Names<'_>> {
        Err(self.missing(name))
    }
}

impl Renamed {
    fn missing(&self, name: &str) -> Error {
        Error::new(ErrorKind::Missing, Place::array(&*self.path, name))
    }
}

/// An array of one value that is not stored.
struct Single {
    place: Place,
    value: Scalar,
}

impl NumberArray for Single {
    fn place(&self) -> Place {
        self.place.clone()
    }

    fn value_type(&self) -> ValueType {
        self.value.value_type()
    }

    fn len(&self) -> u64 {
        1
    }

    fn stored_bytes(&self) -> Result<u64> {
        Ok(0)
    }

    fn read_bytes(&self, first: u64, out: &mut [u8]) -> Result<()> {
        let value = self.value.repeat(1);
        if out.is_empty() {
            return Ok(());
        }
        if first != 0 || out.len() != value.bytes().len() {
            return Err(Error::argument("elements past the end"));
        }
        out.copy_from_slice(value.bytes());
        Ok(())
    }
}

struct Shared(Array);

impl NumberArray for Shared {
    fn place(&self) -> Place {
        self.0.place()
    }

    fn value_type(&self) -> ValueType {
        self.0.value_type()
    }

    fn len(&self) -> u64 {
        self.0.len()
    }

    fn stored_bytes(&self) -> Result<u64> {
        self.0.stored_bytes()
    }

    fn read_bytes(&self, first: u64, out: &mut [u8]) -> Result<()> {
        self.0.read_bytes(first, out)
    }
}

/// Checks all entries of a matrix or tensor.
pub(super) fn validate(
    format: &dyn Format,
    probe: Probe,
    options: &ValidateOptions,
    progress: &dyn Progress,
    each: &mut dyn FnMut(Finding),
) -> Result<()> {
    let place = probe.location().source_place();
    let checked = match format.open(probe, &options.open_options()) {
        Ok(Dataset::Tensor(tensor)) => tensor.check(),
        Ok(dataset) => crate::check::read_whole(dataset, &place, options, progress, each),
        Err(error) => Err(error),
    };
    checked.or_else(|error| nnz_engine::report_error(error.with_context(&place), each))
}

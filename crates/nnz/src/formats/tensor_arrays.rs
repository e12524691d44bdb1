//! Arrays of a tensor, with the names that Binsparse uses.

use crate::Context;
use std::ops::Range;
use std::path::{Path, PathBuf};

use nnz_binsparse::{DESCRIPTOR, Descriptor, Layout};
use nnz_container::tree::{
    Attribute, Attributes, Child, ChildKind, ElementType, Group, NdArray, one_range,
};
use nnz_container::{ContainerInfo, NamedArrays, Vector};
use nnz_core::{About, Error, ErrorKind, Finding, Place, Result, Scalar};

use super::{Format, Probe};
use crate::{Dataset, ValidateOptions, tensor::TensorFile};

/// The arrays of a tensor.
pub(super) struct Arrays {
    /// The indices of each dimension, if it is sparse.
    pub(super) indices: Vec<Vector>,
    pub(super) values: Vector,
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
    let mut arrays: Vec<(String, Vector)> = named.chain([("values".to_owned(), values)]).collect();
    if let Some(value) = fill {
        let (place, element) = (Place::array(path, FILL), ElementType::Number(value.value_type()));
        arrays.push((FILL.to_owned(), Vector::new(Box::new(Single { place, element, value }))?));
    }
    let types = arrays.iter().map(|(name, array)| (name.clone(), array.value_type().into()));
    let descriptor =
        Descriptor::new(layout, shape, stored).fill(fill.is_some()).data_types(types.collect());
    let text = descriptor.to_json()?;
    let container = NamedArrays::new(RenamedArrays { path: path.to_path_buf(), text, arrays });
    Ok(Dataset::Tensor(TensorFile::new(container, descriptor).with_about(about)))
}

/// The name of the array with the fill value.
const FILL: &str = "fill_value";

/// Renamed arrays, and a descriptor.
#[derive(Debug)]
struct RenamedArrays {
    path: PathBuf,
    text: String,
    arrays: Vec<(String, Vector)>,
}

const INFO: ContainerInfo = ContainerInfo::new("arrays", "arrays of a tensor", &[]);

impl Attributes for RenamedArrays {
    fn attributes(&self) -> Result<Vec<String>> {
        Ok(vec![DESCRIPTOR.to_owned()])
    }

    fn attribute(&self, name: &str) -> Result<Option<Attribute>> {
        Ok((name == DESCRIPTOR).then(|| Attribute::of_text(&self.text)))
    }
}

impl Group for RenamedArrays {
    fn path(&self) -> &Path {
        &self.path
    }

    fn info(&self) -> &'static ContainerInfo {
        &INFO
    }

    fn children(&self) -> Result<Vec<Child>> {
        let names = self.arrays.iter().map(|(name, _)| name.clone());
        Ok(names.map(|name| Child { name, kind: ChildKind::Array }).collect())
    }

    fn group(&self, name: &str) -> Result<Box<dyn Group>> {
        Err(self.missing(name))
    }

    fn array(&self, name: &str) -> Result<Box<dyn NdArray>> {
        let found = self.arrays.iter().find(|(own, _)| own == name);
        let (_, array) = found.ok_or_else(|| self.missing(name))?;
        Ok(Box::new(array.clone()))
    }
}

impl RenamedArrays {
    fn missing(&self, name: &str) -> Error {
        Error::new(ErrorKind::Missing, Place::array(&*self.path, name))
    }
}

/// An array of one value that is not stored.
#[derive(Debug)]
struct Single {
    place: Place,
    element: ElementType,
    value: Scalar,
}

impl Attributes for Single {}

impl NdArray for Single {
    fn place(&self) -> Place {
        self.place.clone()
    }

    fn shape(&self) -> &[u64] {
        &[1]
    }

    fn element_type(&self) -> &ElementType {
        &self.element
    }

    fn stored_bytes(&self) -> Result<u64> {
        Ok(0)
    }

    fn read_bytes(&self, selection: &[Range<u64>], out: &mut [u8]) -> Result<()> {
        one_range(self, selection, out)?;
        let value = self.value.repeat(out.len() / self.value.value_type().size());
        out.copy_from_slice(value.bytes());
        Ok(())
    }
}

/// Checks all entries of a matrix or tensor.
pub(super) fn validate(
    format: &dyn Format,
    probe: Probe,
    options: &ValidateOptions,
    context: &Context,
    each: &mut dyn FnMut(Finding),
) -> Result<()> {
    let place = probe.location().source_place();
    let checked = match format.open(probe, &options.open) {
        Ok(Dataset::Tensor(tensor)) => tensor.check(),
        Ok(dataset) => crate::check::read_whole(dataset, &place, context, each),
        Err(error) => Err(error),
    };
    checked.or_else(|error| nnz_engine::report_error(error.with_context(&place), each))
}

//! The type, shape and storage of a dataset.

use std::sync::Arc;

use hdf5_reader::Dataset;
use hdf5_reader::group::Group;
use hdf5_reader::messages::HdfMessage;
use hdf5_reader::messages::dataspace::{DataspaceMessage, DataspaceType};
use hdf5_reader::object_header::ObjectHeader;
use nnz_core::{Error, ErrorKind, Place, Result, readable};

use super::chunk_table::ChunkTable;
use super::filters::Pipeline;
use super::layout::Layout;
use super::links;
use super::opened::{Opened, call_library};
use super::tree::element;
use crate::tree::{Stored as Element, check_rank, shown};

/// Size of elements in bytes for which no stored data is required, such as fill values.
const UNCHECKED_BYTES: u64 = 64 << 20;

/// A dataset whose metadata has been read.
pub(super) struct Stored {
    pub(super) opened: Arc<Opened>,
    pub(super) place: Place,
    pub(super) element: Element,
    /// Whether it has no value and no shape.
    pub(super) null: bool,
    /// The length of each dimension.
    pub(super) shape: Vec<u64>,
    /// The number of elements.
    pub(super) len: u64,
    /// The stored size of an element in bytes.
    pub(super) size: usize,
    pub(super) layout: Layout,
    /// The fill value; empty for zeros.
    pub(super) fill: Vec<u8>,
    pub(super) threads: usize,
}

impl Stored {
    /// Opens a dataset, without checking its length. No data is read.
    pub(super) fn of(
        opened: &Arc<Opened>,
        dataset: &Dataset,
        place: Place,
        threads: usize,
    ) -> Result<Self> {
        let (raw, header) = call_library(&place, || {
            Ok((dataset.raw_datatype()?, opened.meta.get_or_parse_header(dataset.address())?))
        })?;
        let size = call_library(&place, || dataset.raw_element_size())?;
        if size == 0 {
            return Err(Error::mismatch(place, "elements of 0 bytes", "1 byte or more"));
        }
        let element = element::element(&raw).filter(|found| found.bytes() == Some(size));
        let element = element.ok_or_else(|| {
            let expected = format!("elements of {size} bytes");
            Error::mismatch(place.clone(), "an inconsistent type", expected)
        })?;
        let parts = Parts::of(&header);
        if parts.external {
            return Err(Error::unsupported(place, "HDF5 data in external files is not supported"));
        }
        let space = parts.space.ok_or_else(|| incomplete(&place))?;
        let layout = parts.layout.ok_or_else(|| incomplete(&place))?;
        let shape = shape(space);
        check_rank(shape.len(), &place)?;
        let len = length(&shape, &place)?;
        let null = is_null(space);
        let pipeline = Pipeline::of(parts.filters);
        let most = space.max_dims.clone();
        let layout = Layout::of(opened, layout, pipeline, (&shape, len, size), most, &place)?;
        let fill = parts.fill.filter(|fill| fill.len() == size).unwrap_or(&[]).to_vec();
        let opened = Arc::clone(opened);
        Ok(Self { opened, place, element, null, shape, len, size, layout, fill, threads })
    }

    /// Checks that the file has data for the length of the dataset, because readers allocate memory
    /// for it.
    pub(super) fn check_extent(&self) -> Result<()> {
        let claimed = self.len * self.size as u64;
        let plenty = self.opened.bytes.saturating_mul(2).saturating_add(UNCHECKED_BYTES);
        if claimed <= plenty {
            return Ok(());
        }
        let stored = match &self.layout {
            Layout::Chunked(chunked) => {
                let (count, stored) = match self.table(chunked)? {
                    // All of a tree would be read for its size.
                    ChunkTable::Tree(_) => (chunked.grid.count(), self.opened.bytes),
                    table => table.size(chunked)?,
                };
                let decoded = count.saturating_mul(chunked.bytes as u64);
                decoded.min(stored.saturating_mul(chunked.pipeline.most_ratio()))
            }
            _ => 0,
        };
        if claimed <= stored.saturating_add(UNCHECKED_BYTES) {
            return Ok(());
        }
        let found = format!("a length of {} elements with chunks for {stored} bytes", self.len);
        let expected = format!("chunks for {claimed} bytes");
        Err(Error::mismatch(self.place.clone(), found, expected))
    }

    /// Returns the stored size of the elements in bytes.
    pub(super) fn stored_bytes(&self) -> Result<u64> {
        Ok(match &self.layout {
            Layout::Nowhere { .. } => 0,
            Layout::Inline(_) | Layout::Contiguous(_) => self.len * self.size as u64,
            Layout::Chunked(chunked) => self.table(chunked)?.size(chunked)?.1,
        })
    }
}

/// Finds a dataset by its path in a group.
pub(super) fn find(opened: &Opened, group: &Group, name: &str, place: &Place) -> Result<Dataset> {
    let (parents, name) = match name.trim_matches('/').rsplit_once('/') {
        Some((parents, name)) => (parents, name),
        None => ("", name.trim_matches('/')),
    };
    let group = walk(opened, group, parents, place)?;
    match call_library(place, || group.dataset(name)) {
        Err(error) if matches!(error.kind(), ErrorKind::Missing) => {
            Err(match readable(call_library(place, || group.group(name)))? {
                Some(_) => Error::mismatch(place.clone(), "a group", "a dataset"),
                None => links::not_followed(opened, &group, name, place)?.unwrap_or(error),
            })
        }
        found => found,
    }
}

/// Opens a group by its path in a group.
pub(super) fn walk(opened: &Opened, group: &Group, path: &str, place: &Place) -> Result<Group> {
    let mut here = group.clone();
    for name in path.split('/').filter(|name| !name.is_empty()) {
        here = match call_library(place, || here.group(name)) {
            Err(error) if matches!(error.kind(), ErrorKind::Missing) => {
                return Err(links::not_followed(opened, &here, name, place)?.unwrap_or(error));
            }
            found => found?,
        };
    }
    Ok(here)
}

fn is_null(space: &DataspaceMessage) -> bool {
    matches!(space.dataspace_type, DataspaceType::Null)
}

/// Returns the lengths of all dimensions; a dataset without a value has no elements.
fn shape(space: &DataspaceMessage) -> Vec<u64> {
    match space.dataspace_type {
        DataspaceType::Null => vec![0],
        DataspaceType::Scalar => Vec::new(),
        DataspaceType::Simple => space.dims.clone(),
    }
}

fn length(shape: &[u64], place: &Place) -> Result<u64> {
    let counted = shape.iter().try_fold(1_u64, |count, &length| count.checked_mul(length));
    counted.or_else(|| shape.contains(&0).then_some(0)).ok_or_else(|| {
        let found = format!("a dataset of {}", shown(shape));
        Error::mismatch(place.clone(), found, "fewer than 2^64 elements")
    })
}

fn incomplete(place: &Place) -> Error {
    let what = "invalid HDF5: a dataset without shape or layout".to_owned();
    Error::new(ErrorKind::Unrecognized(what), place.clone())
}

/// The messages of the header of a dataset.
#[derive(Default)]
struct Parts<'a> {
    space: Option<&'a DataspaceMessage>,
    layout: Option<&'a hdf5_reader::messages::layout::DataLayout>,
    filters: Option<&'a hdf5_reader::messages::filter_pipeline::FilterPipelineMessage>,
    fill: Option<&'a [u8]>,
    external: bool,
}

impl<'a> Parts<'a> {
    fn of(header: &'a ObjectHeader) -> Self {
        let mut parts = Self::default();
        for message in &header.messages {
            match message {
                HdfMessage::Dataspace(space) => parts.space = Some(space),
                HdfMessage::DataLayout(layout) => parts.layout = Some(&layout.layout),
                HdfMessage::FilterPipeline(filters) => parts.filters = Some(filters),
                HdfMessage::FillValue(fill) => parts.fill = fill.value.as_deref().or(parts.fill),
                HdfMessage::ExternalFiles(_) => parts.external = true,
                _ => {}
            }
        }
        parts
    }
}

//! Writing a matrix as a new file.

use crate::Context;
use std::path::{Path, PathBuf};

use nnz_container::Compression;
use nnz_container::hdf5::{Hdf5Options, Hdf5Writer};
use nnz_container::kinds;
use nnz_container::tree::TreeWriter;
use nnz_core::{
    Annotations, Axis, AxisKind, Header, MatrixSink, MatrixSource, Metadata, Names, Result,
    SinkCapabilities,
};
use nnz_singlecell::loom as format;
use nnz_storage::staging::{StagedFile, WriteOptions};

use crate::formats::MatrixTarget;
use crate::formats::target::without_group;
use crate::{ConvertOptions, Location};

/// The largest ratio of deflate.
const DEFLATE: u128 = 1032;

/// The target of a file.
pub(in crate::formats) struct LoomTarget {
    path: PathBuf,
    write: WriteOptions,
    compression: Compression,
    /// Annotations that are not stored.
    dropped: Vec<String>,
    /// Annotations that are stored as another type.
    retyped: Vec<String>,
}

impl LoomTarget {
    pub(in crate::formats) fn new(
        to: &Location,
        options: &ConvertOptions,
        source: &dyn MatrixSource,
        context: &Context,
    ) -> Result<Self> {
        let path = without_group(to, "loom")?.to_path_buf();
        context.check_name(&path, &super::INFO, &[kinds::HDF5])?;
        let (mut dropped, mut retyped) = (Vec::new(), Vec::new());
        for axis in [Axis::Rows, Axis::Cols] {
            let Some(table) = source.annotations(axis)? else { continue };
            let has_names = source.read_names(axis)?.is_some();
            let losses = format::table_losses(axis, &*table, has_names)
                .map_err(|error| error.with_context(&source.place()))?;
            dropped.extend(losses.dropped);
            retyped.extend(losses.retyped);
        }
        Ok(Self {
            path,
            write: options.output(context),
            compression: options.compress.unwrap_or(format::COMPRESSION),
            dropped,
            retyped,
        })
    }

    /// Returns the compression of arrays.
    pub(in crate::formats) fn compression(&self) -> Compression {
        self.compression
    }

    /// Lists annotations that are not stored.
    pub(in crate::formats) fn dropped(&self) -> &[String] {
        &self.dropped
    }

    /// Describes annotations that are stored as another type, if there are any.
    pub(in crate::formats) fn note(&self) -> Option<String> {
        let retyped = self.retyped.join(", ");
        (!retyped.is_empty())
            .then(|| format!("Loom has numbers and strings only; other types become: {retyped}"))
    }

    /// Starts writing.
    pub(in crate::formats) fn tree(&self) -> Result<Box<dyn TreeWriter>> {
        let options =
            Hdf5Options { threads: self.write.context.threads(), ..Hdf5Options::default() };
        Ok(Box::new(Hdf5Writer::create(&self.path, "", self.write.clone(), options)?))
    }
}

impl MatrixTarget for LoomTarget {
    fn capabilities(&self) -> SinkCapabilities {
        format::CAPABILITIES
    }

    fn path(&self) -> Option<&Path> {
        Some(&self.path)
    }

    fn check(&self) -> Result<()> {
        StagedFile::create(&self.path, &self.write).map(drop)
    }

    fn min_bytes(&self, header: &Header) -> u64 {
        // All elements are stored.
        let elements = header.shape.elements().saturating_mul(header.value_type.size() as u128);
        let bytes =
            if self.compression == Compression::None { elements } else { elements / DEFLATE };
        u64::try_from(bytes).unwrap_or(u64::MAX)
    }

    fn axis_kinds(&self) -> [AxisKind; 2] {
        format::Item::Matrix.axis_kinds()
    }

    fn unsupported(&self, metadata: Metadata) -> Vec<String> {
        metadata.named().into_iter().chain(self.dropped.iter().cloned()).collect()
    }

    fn create(
        &self,
        header: &Header,
        names: [Option<Names<'_>>; 2],
    ) -> Result<Box<dyn MatrixSink>> {
        self.create_annotated(header, names, [None, None])
    }

    fn create_annotated(
        &self,
        header: &Header,
        names: [Option<Names<'_>>; 2],
        annotations: [Option<&dyn Annotations>; 2],
    ) -> Result<Box<dyn MatrixSink>> {
        let (tree, compression) = (self.tree()?, self.compression);
        let sink = format::MatrixSink::create(tree, header, names, annotations, compression)?;
        Ok(Box::new(sink))
    }
}

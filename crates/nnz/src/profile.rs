//! Options for a purpose.

use crate::Context;
use std::path::Path;
use std::str::FromStr;

use nnz_container::{Compression, Filters, Method};
use nnz_core::{AxisKind, ErrorKind, MatrixSource, Order, Result, ValueType};
use nnz_engine::Reordering;

use crate::{ConvertOptions, Location, Summary};

/// The goal that a target is optimized for. A profile sets the options that are not given; `docs/sizes.md` lists sizes and
/// speeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Profile {
    /// Reading: no compression but the packing of BPCells, with features in the order of their frequency.
    Fast,
    /// Size: the best compression that common programs read, with features in the order of their frequency.
    Small,
    /// Other programs: deflate, which every reader of a container supports, and the order of the source.
    Share,
}

impl FromStr for Profile {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "fast" => Ok(Self::Fast),
            "small" => Ok(Self::Small),
            "share" => Ok(Self::Share),
            _ => Err("expected fast, small or share".to_owned()),
        }
    }
}

/// Where arrays are stored.
enum Storage {
    Zarr,
    Hdf5,
    Npz,
    Rds,
    /// Text, and arrays that are not compressed.
    Other,
}

impl Storage {
    fn of(path: &Path) -> Self {
        let extension = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        match &*extension {
            "zarr" => Self::Zarr,
            "h5" | "hdf5" | "h5ad" | "nc" | "nc4" => Self::Hdf5,
            "npz" => Self::Npz,
            "rds" => Self::Rds,
            _ => Self::Other,
        }
    }
}

impl Profile {
    /// Returns the compression for a place, if it has one.
    fn compression(self, storage: &Storage) -> Option<Compression> {
        let filtered = Filters::new(Method::Zstd(9)).delta(true).shuffle(true);
        match (self, storage) {
            (_, Storage::Other) => None,
            (Self::Fast, _) => Some(Compression::None),
            (Self::Small, Storage::Zarr) => Some(Compression::Filtered(filtered)),
            // Higher levels are five times as slow, and one percent smaller.
            (Self::Small, _) => Some(Compression::Gzip(6)),
            (Self::Share, _) => Some(Compression::Gzip(4)),
        }
    }

    /// Returns options with those that are not set for a source and a target.
    pub(crate) fn apply(
        self,
        source: &dyn MatrixSource,
        to: &Location,
        options: &ConvertOptions,
        context: &Context,
    ) -> Result<ConvertOptions> {
        let mut options = options.clone();
        options.profile = None;
        if let (Location::Path { path, .. }, None) = (to, options.compress) {
            options.compress = self.compression(&Storage::of(path));
        }
        let header = source.header();
        let minor = match header.order {
            Order::Row => 1,
            Order::Col => 0,
        };
        let capabilities = context.target(to, &options, source)?.capabilities();
        // Features that are not the storage order, and whose order is not lost.
        let moves = self != Self::Share
            && !options.reorders()
            && header.axis_kinds[minor] == AxisKind::Features
            && source.rereadable()
            && capabilities.names
            && (capabilities.annotations || capabilities.positions);
        if moves {
            options.reorder[minor] = Reordering::Frequency;
        }
        Ok(options)
    }

    /// Converts a source.
    pub(crate) fn convert(
        self,
        source: &dyn MatrixSource,
        to: &Location,
        options: &ConvertOptions,
        context: &Context,
    ) -> Result<Summary> {
        let applied = self.apply(source, to, options, context)?;
        let value_type = source.header().value_type;
        let packs = self != Self::Share
            && applied.value_type.is_none()
            && value_type != ValueType::U32
            && source.rereadable()
            && context.format_of_target(to, &applied)?.info().name == "bpcells";
        if packs {
            // BPCells packs integers only.
            let packed = applied.clone().value_type(ValueType::U32);
            match crate::convert_source(source, to.clone(), &packed, context) {
                Err(error) if matches!(error.kind(), ErrorKind::Inexact { .. }) => {}
                done => return done,
            }
        }
        crate::convert_source(source, to.clone(), &applied, context)
    }
}

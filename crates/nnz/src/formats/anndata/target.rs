//! Writing a matrix as a new file or store.

use crate::Context;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use nnz_container::Compression;
use nnz_container::ContainerInfo;
use nnz_container::hdf5::{Hdf5Options, Hdf5Writer};
use nnz_container::kinds;
use nnz_container::tree::TreeWriter;
use nnz_container::zarr::{ZarrOptions, ZarrVersion, ZarrWriter};
use nnz_core::{
    Annotations, Axis, AxisKind, Error, ErrorKind, Header, MatrixSink, MatrixSource, Metadata,
    Names, Result, SinkCapabilities, Storage,
};
use nnz_singlecell::anndata::{self as format, Item};
use nnz_storage::staging::{self, StagedFile, WriteOptions};

use super::place;
use crate::formats::collections::is_file_of;
use crate::formats::target::named;
use crate::formats::{FormatInfo, FormatOption, MatrixTarget};
use crate::{ConvertOptions, Location};

/// Options of targets.
pub(super) const OPTIONS: &[FormatOption] = &[
    FORMAT_VERSION,
    FormatOption::flag(DENSE, "AnnData: write a matrix with all elements, as an array"),
];

const DENSE: &str = "dense";

pub(in crate::formats) const FORMAT_VERSION: FormatOption = FormatOption::parsed::<Version>(
    "format-version",
    "N",
    "AnnData in Zarr: version of Zarr, 2 or 3 [default: 2, which all versions of anndata read]",
);

/// The kinds of container that are written.
pub(super) const CONTAINERS: &[ContainerInfo] = &[kinds::HDF5, kinds::ZARR];

/// A version of Zarr.
#[derive(Clone, Copy)]
struct Version(ZarrVersion);

impl FromStr for Version {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "2" => Ok(Self(ZarrVersion::V2)),
            "3" => Ok(Self(ZarrVersion::V3)),
            _ => Err("expected 2 or 3".to_owned()),
        }
    }
}

/// Returns the version of a Zarr store that is requested. HDF5 has none, whatever the value.
fn version(info: &FormatInfo, path: &Path, options: &ConvertOptions) -> Result<Option<Version>> {
    const NAME: &str = "format-version";
    if options.format_options.get(NAME).is_some() && !is_zarr(path) && !path.is_dir() {
        let extension = info.extensions.first().copied().unwrap_or_default();
        let what = format!(
            "the option {NAME} applies to Zarr stores (.zarr), not to HDF5 files (.{extension})"
        );
        return Err(Error::argument(what));
    }
    options.format_options.parse(NAME)
}

/// Returns whether a target is a file of AnnData, or of a format that is stored like it, judging by the options and its
/// name. Zarr stores keep the format of the source.
pub(in crate::formats) fn is_target(
    info: &FormatInfo,
    source: &FormatInfo,
    to: &Location,
    options: &ConvertOptions,
) -> bool {
    let keeps = || match to {
        Location::Path { path, .. } => is_zarr(path) && source.name == info.name,
        Location::Stream => false,
    };
    is_file_of(info, to, options) || (options.format.is_none() && keeps())
}

/// Checks the name of such a target, and the options that depend on its container.
pub(in crate::formats) fn check(
    info: &FormatInfo,
    to: &Location,
    options: &ConvertOptions,
    context: &Context,
) -> Result<()> {
    let Location::Path { path, .. } = to else { return Ok(()) };
    context.check_name(path, info, CONTAINERS)?;
    if options.format_options.flag(DENSE)? {
        let what = format!("the option {DENSE} applies to one matrix, such as PATH::X");
        return Err(Error::argument(what));
    }
    version(info, path, options).map(drop)
}

/// A matrix that becomes `X` of a new file or store, or is added to an existing one.
pub(in crate::formats) struct AnnDataTarget {
    path: PathBuf,
    /// The path of the AnnData in a file, such as `mod/rna` in MuData; empty for a file of its own.
    base: String,
    /// The matrix to add.
    item: Option<Item>,
    /// Whether it is dense.
    dense: bool,
    write: WriteOptions,
    compression: Compression,
    /// The version of a Zarr store.
    zarr: Option<ZarrVersion>,
    /// Whether values are logarithms.
    is_log1p: bool,
    /// Annotations that are not stored.
    dropped: Vec<String>,
    /// The first bytes of an HDF5 file.
    user_block: Option<Vec<u8>>,
}

impl AnnDataTarget {
    pub(in crate::formats) fn new(
        to: &Location,
        options: &ConvertOptions,
        context: &Context,
    ) -> Result<Self> {
        Self::of_format(&super::INFO, to, options, context)
    }

    /// Same for a format that is stored like AnnData.
    pub(in crate::formats) fn of_format(
        info: &FormatInfo,
        to: &Location,
        options: &ConvertOptions,
        context: &Context,
    ) -> Result<Self> {
        let (path, group) = named(to, info.name.as_str())?;
        context.check_name(path, info, CONTAINERS)?;
        let (base, item) = match group.map(|group| group.trim_matches('/')) {
            None | Some("") => (String::new(), None),
            Some(group) => {
                let (base, item) =
                    item_at(path, group).map_err(|error| error.with_context(&to.place()))?;
                (base, Some(item))
            }
        };
        if item.is_some() {
            staging::check_addition(path, context)?;
        }
        let is_there = path.try_exists().map_err(|error| Error::io(path, error))?;
        // X alone is a new file, too.
        let item = item.filter(|item| *item != Item::X || is_there);
        if let Some(item) = item.as_ref().filter(|_| !is_there) {
            let what = format!("{to}: {item} can only be added to an existing AnnData file");
            return Err(Error::argument(what));
        }
        let version = version(info, path, options)?;
        let zarr = is_zarr(path) || path.is_dir();
        let version = version.map_or(ZarrVersion::V2, |version| version.0);
        let compression = options.compress.unwrap_or_default();
        Ok(Self {
            path: path.to_path_buf(),
            base,
            item,
            dense: options.format_options.flag(DENSE)?,
            write: options.output(context),
            compression,
            zarr: zarr.then_some(version),
            is_log1p: false,
            dropped: Vec::new(),
            user_block: None,
        })
    }

    /// Starts a new HDF5 file with other bytes.
    #[must_use]
    pub(in crate::formats) fn with_user_block(self, block: Vec<u8>) -> Self {
        Self { user_block: Some(block), ..self }
    }

    /// Leaves out annotations of a source that AnnData does not support, and takes over whether its values are logarithms.
    pub(in crate::formats) fn without_unsupported(
        mut self,
        source: &dyn MatrixSource,
    ) -> Result<Self> {
        // An embedding stays what other programs expect.
        let is_columns =
            matches!(self.item, Some(Item::Obsm(_) | Item::Varm(_) | Item::RawVarm(_)));
        self.dense |= is_columns && source.header().storage == Storage::Dense;
        self.is_log1p = source.is_log1p();
        for (axis, name) in [(Axis::Rows, "row"), (Axis::Cols, "column")] {
            // The existing tables are kept.
            let Some(table) = source.annotations(axis)?.filter(|_| self.item.is_none()) else {
                continue;
            };
            self.dropped.extend(format::unsupported_columns(name, &*table));
        }
        Ok(self)
    }

    /// Returns the compression of arrays.
    pub(super) fn compression(&self) -> Compression {
        self.compression
    }

    /// Lists annotations that are not stored.
    pub(in crate::formats) fn dropped(&self) -> &[String] {
        &self.dropped
    }

    /// Starts writing.
    pub(in crate::formats) fn tree(&self) -> Result<Box<dyn TreeWriter>> {
        let Self { path, write, zarr, .. } = self;
        let threads = write.context.threads();
        let member = self.item.as_ref().map(|item| self.path_in_file(item));
        Ok(match zarr {
            None => {
                let options = Hdf5Options { threads, ..Hdf5Options::default() };
                Box::new(match (&member, &self.user_block) {
                    (None, None) => Hdf5Writer::create(path, "", write.clone(), options)?,
                    (None, Some(block)) => {
                        Hdf5Writer::create_with_user_block(path, block, write.clone(), options)?
                    }
                    (Some(member), _) => Hdf5Writer::add(path, member, write.clone(), options)?,
                })
            }
            Some(version) => {
                let (version, threads) = (*version, threads);
                let options = ZarrOptions { version, threads, ..ZarrOptions::default() };
                Box::new(match &member {
                    None => ZarrWriter::create(path, "", write.clone(), options)?,
                    Some(member) => ZarrWriter::add(path, member, write.clone(), options)?,
                })
            }
        })
    }

    /// Opens the file to which a matrix is added.
    fn existing(&self) -> Result<format::AnnData> {
        format::AnnData::open(nnz_container::tree::open(&self.path, &self.base)?)
    }

    /// Returns the path of a matrix in the file.
    fn path_in_file(&self, item: &Item) -> String {
        match &*self.base {
            "" => item.to_string(),
            base => format!("{base}/{item}"),
        }
    }

    /// The error for a matrix that does not belong to the file. Neither is broken.
    fn refused(&self, what: String) -> Error {
        Error::new(ErrorKind::Argument(what), self.place())
    }

    /// Checks that a matrix has the shape and names of the existing tables.
    fn check_fits(
        &self,
        item: &Item,
        header: &Header,
        names: [Option<Names<'_>>; 2],
    ) -> Result<()> {
        let file = self.existing()?;
        for (axis, names) in [Axis::Rows, Axis::Cols].into_iter().zip(names) {
            let Some(table) = file.table(item, axis)? else { continue };
            let len = header.shape.len(axis);
            if len != table.len() {
                let expected = format!("{}, as in {}", table.len(), table.place());
                return Err(self.refused(format!("found {len} {axis}, expected {expected}")));
            }
            let Some(mut names) = names else { continue };
            let mut expected = table.names()?;
            let mut number = 0_u64;
            while let Some(name) = names.next_string()? {
                let other = expected.next_string()?.unwrap_or_default();
                if name != other {
                    let [name, other] = [name, other].map(String::from_utf8_lossy);
                    let found = format!("name {name:?} of {} {number}", axis.singular());
                    let expected = format!("{other:?}, as in {}", table.place());
                    return Err(self.refused(format!("found {found}, expected {expected}")));
                }
                number += 1;
            }
        }
        Ok(())
    }
}

/// Finds the AnnData in a file, and the matrix of it, that a path after `::` selects.
fn item_at(path: &Path, group: &str) -> Result<(String, Item)> {
    group.parse().map(|item| (String::new(), item)).or_else(|error: Error| {
        let is_there = path.try_exists().map_err(|error| Error::io(path, error))?;
        let found = match is_there {
            true => place::inner(&nnz_container::tree::open(path, "")?.into(), group)?,
            false => None,
        };
        found.ok_or(error)
    })
}

/// Returns whether a path has the extension of a Zarr store.
pub(in crate::formats) fn is_zarr(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("zarr"))
}

impl MatrixTarget for AnnDataTarget {
    fn capabilities(&self) -> SinkCapabilities {
        let capabilities = match self.dense {
            true => format::DENSE_CAPABILITIES,
            false => format::CAPABILITIES,
        };
        // The existing tables describe the matrix.
        capabilities.annotations(self.item.is_none())
    }

    fn path(&self) -> Option<&Path> {
        Some(&self.path)
    }

    fn check(&self) -> Result<()> {
        if let Some(item) = &self.item {
            return match self.existing()?.contains(item)? && !self.write.overwrite {
                true => {
                    let group = Some(self.path_in_file(item));
                    let place = Location::Path { path: self.path.clone(), group };
                    Err(Error::new(ErrorKind::Exists, place.place()))
                }
                false => Ok(()),
            };
        }
        match self.zarr {
            None => StagedFile::create(&self.path, &self.write).map(drop),
            Some(_) => self.tree().map(drop),
        }
    }

    fn min_bytes(&self, header: &Header) -> u64 {
        // One pointer per major vector, unless they are compressed.
        match self.compression {
            Compression::None if self.dense => {
                let width = header.value_type.size() as u64;
                header.shape.rows.saturating_mul(header.shape.cols).saturating_mul(width)
            }
            Compression::None => header.shape.major(header.order).saturating_mul(4),
            _ => 0,
        }
    }

    fn unsupported(&self, metadata: Metadata) -> Vec<String> {
        metadata.named().into_iter().chain(self.dropped.iter().cloned()).collect()
    }

    fn expects_unique_names(&self) -> bool {
        self.item.is_none()
    }

    fn keeps_tables(&self) -> bool {
        self.item.is_some()
    }

    fn axis_kinds(&self) -> [AxisKind; 2] {
        self.item.as_ref().unwrap_or(&Item::X).axis_kinds()
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
        let compression = self.compression;
        if let Some(item) = &self.item {
            self.check_fits(item, header, names)?;
            let path = item.to_string();
            let name = path.rsplit_once('/').map_or(&*path, |(_, name)| name);
            let sink =
                format::MatrixSink::add(self.tree()?, (name, self.dense), header, compression)?;
            return Ok(Box::new(sink));
        }
        let tree = self.tree()?;
        let header = (header, self.dense);
        let mut sink = format::MatrixSink::create(tree, header, names, annotations, compression)?;
        if self.is_log1p {
            sink.state_log1p()?;
        }
        Ok(Box::new(sink))
    }
}

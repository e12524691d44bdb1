//! Targets of fragments.

use crate::Context;
use std::path::{Path, PathBuf};

use nnz_bpcells::{FRAGMENT_MEMBERS, SinkOptions};
use nnz_container::{Compression, CreateOptions};
use nnz_core::{Error, FragmentSink, FragmentSource, Place, Result, StringList};
use nnz_engine::directory_of;
use nnz_engine::fragments::FragmentTarget;
use nnz_singlecell::fragment_tsv::{self, WriteOptions as TextOptions};
use nnz_storage::staging::WriteOptions;
use nnz_storage::stdio::{self, TerminalEscapes};

use crate::container_target::{self, ContainerTarget, DirectoryKind, ends_in};
use crate::formats::format_of_path;
use crate::{
    Location, OpenOptions,
    formats::values::{FormatVersion, Packing},
};

/// Options of a fragment file.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct StoreOptions {
    /// Whether numbers are bit-packed; by default they are.
    pub packing: Option<Packing>,
    /// The version of the format; by default 2.
    pub format_version: Option<FormatVersion>,
    /// Compression of arrays; by default none.
    pub compress: Option<Compression>,
    /// Whether an existing target is replaced, which is refused otherwise.
    pub overwrite: bool,
    /// Whether the target is synced to the disk before it appears.
    pub sync: bool,
}

nnz_core::setters! {
    StoreOptions {
        packing: Option<Packing>,
        format_version: Option<FormatVersion>,
        compress: Option<Compression>,
        overwrite: bool,
        sync: bool,
    }
}

impl Default for StoreOptions {
    fn default() -> Self {
        Self { packing: None, format_version: None, compress: None, overwrite: false, sync: true }
    }
}

impl StoreOptions {
    /// Opens a source.
    pub(super) fn open(
        &self,
        from: &Location,
        context: &Context,
    ) -> Result<Box<dyn FragmentSource>> {
        super::open_with(from, &OpenOptions::new(), context)
    }
}

/// A target, and the form of fragments in it.
pub(super) struct FragmentOutput {
    /// The path; `None` for standard output.
    path: Option<PathBuf>,
    kind: TargetKind,
    write: WriteOptions,
    /// A note on other groups that are lost if the target is replaced.
    pub(super) lost: Option<String>,
}

enum TargetKind {
    Store(Box<ContainerTarget>, SinkOptions),
    Text(TextOptions),
}

impl FragmentOutput {
    /// Selects the form of a target by its name.
    pub(super) fn new(to: &Location, options: &StoreOptions, context: &Context) -> Result<Self> {
        let StoreOptions { packing, format_version, compress, overwrite, sync } = *options;
        let write = context.output(overwrite, sync);
        let refuse = |what: &str| Err(Error::argument(what));
        let to = &to.resolve_target()?;
        let (path, group) = match to {
            Location::Path { path, group } if !is_text(to)? => (path, group),
            _ => {
                if compress.is_some() {
                    return Err(container_target::uncompressed("text"));
                }
                if packing.is_some() || format_version.is_some() {
                    return refuse("packing and version do not apply to text");
                }
                return Ok(match to {
                    Location::Path { path, .. } => {
                        let kind = TargetKind::Text(TextOptions::for_name(path));
                        Self { path: Some(path.clone()), kind, write, lost: None }
                    }
                    Location::Stream => Self {
                        path: None,
                        kind: TargetKind::Text(TextOptions::default()),
                        write,
                        lost: None,
                    },
                });
            }
        };
        if group.is_none() {
            check_extension(path)?;
        }
        let container = ContainerTarget::of(
            path,
            group.as_deref(),
            DirectoryKind::BpCells,
            CreateOptions::new(compress, write.clone()),
            context,
        )?;
        let format_version = format_version.unwrap_or_default();
        let container = container.with_format_version(format_version);
        let sink = SinkOptions { packing: packing.unwrap_or_default(), format_version };
        let lost = container.groups_lost();
        Ok(Self {
            path: Some(path.clone()),
            kind: TargetKind::Store(Box::new(container), sink),
            write,
            lost,
        })
    }

    /// Returns the directory for temporary files of the target.
    pub(super) fn spool_directory(&self) -> PathBuf {
        let parent = self.path.as_deref().map(directory_of);
        let context = &self.write.context;
        parent.map_or_else(
            || context.temporary_directory(),
            |parent| context.spill_directory(&parent),
        )
    }

    /// Creates a store.
    pub(super) fn create_store(&self) -> Result<Box<dyn FragmentSink>> {
        match &self.kind {
            TargetKind::Store(container, options) => {
                let container = container.writer(FRAGMENT_MEMBERS)?;
                Ok(Box::new(nnz_bpcells::FragmentSink::create(container, *options)?))
            }
            TargetKind::Text(_) => {
                let what = "text cannot be the target of an import; expected a directory, an HDF5 file \
                            (.h5) or an R object (.rds)";
                Err(Error::unsupported(self.place(), what))
            }
        }
    }
}

impl FragmentTarget for FragmentOutput {
    fn place(&self) -> Place {
        self.path.as_ref().map_or_else(|| Place::path("standard output"), Place::path)
    }

    fn replaced(&self) -> Option<String> {
        self.lost.clone()
    }

    fn create(
        &self,
        chromosomes: &StringList,
        cells: &StringList,
    ) -> Result<Box<dyn FragmentSink>> {
        let created = match self.kind {
            TargetKind::Text(options) => {
                let target = match &self.path {
                    Some(path) => fragment_tsv::TextTarget::File {
                        path: path.clone(),
                        options: self.write.clone(),
                    },
                    None => fragment_tsv::TextTarget::Stream {
                        writer: Box::new(stdio::stdout(TerminalEscapes::Text)),
                        name: "standard output".to_owned(),
                        context: self.write.context.clone(),
                    },
                };
                fragment_tsv::create(target, chromosomes, cells, options)
                    .map(|sink| Box::new(sink) as Box<dyn FragmentSink>)
            }
            TargetKind::Store(..) => self.create_store(),
        };
        created.map_err(|error| error.with_context(&self.place()))
    }
}

/// Fails if a path has an extension of matrices or tables.
fn check_extension(path: &Path) -> Result<()> {
    let place = Place::path(path);
    let format = format_of_path(path).map(|format| format.info());
    match format.filter(|info| !info.containers || ends_in(path, &["h5ad"])) {
        None => Ok(()),
        Some(info) => {
            let what = format!("{place}: {} stores matrices, not fragments", info.name);
            Err(Error::argument(what).with_hint("fragments::Counts", "counts them into a matrix"))
        }
    }
}

/// Returns whether a path has the extension of a text, compressed or not.
fn ends_in_text(path: &Path) -> bool {
    let compressed = ends_in(path, &["gz", "bgz"]);
    let stem = if compressed { path.file_stem().map_or(path, Path::new) } else { path };
    compressed || ends_in(stem, &["tsv", "bed", "txt"])
}

/// Returns whether a target is written as text: standard output, and paths with the extension
/// `.tsv`, `.bed` or `.txt`, also with `.gz` or `.bgz`.
///
/// # Errors
///
/// Fails if an existing file cannot be read.
pub fn is_text(to: &Location) -> Result<bool> {
    match &to.resolve_target()? {
        Location::Stream => Ok(true),
        Location::Path { path, group: None } if ends_in_text(path) => {
            container_target::goes_to_hdf5(path).map(|hdf5| !hdf5)
        }
        Location::Path { .. } => Ok(false),
    }
}

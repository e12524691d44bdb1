//! Where and how fragments are written.

use std::path::{Path, PathBuf};

use nnz_bpcells::{FRAGMENT_MEMBERS, SinkOptions};
use nnz_container::{Compression, CreateOptions};
use nnz_core::{Error, FragmentSink, Place, Result, StringList};
use nnz_engine::directory_of;
use nnz_engine::fragments::{self as engine, FragmentTarget};
use nnz_singlecell::fragment_tsv::{self, WriteOptions as TextOptions};
use nnz_storage::LocalStorage;
use nnz_storage::staging::WriteOptions;
use nnz_storage::stdio::{self, TerminalEscapes};

use crate::container_target::{self, ContainerTarget, DirectoryKind, ends_in};
use crate::formats::Registry;
use crate::formats::format_of_path;
use crate::{
    Cancellation, Location,
    bpcells::{FormatVersion, Packing},
};

/// Says how fragments are written, and with what.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct StoreOptions {
    /// Whether numbers are bit-packed; by default they are.
    pub packing: Option<Packing>,
    /// The revision of the format; by default the second.
    pub generation: Option<FormatVersion>,
    /// HDF5: how arrays are compressed; by default not at all.
    pub compress: Option<Compression>,
    /// Whether the target may be replaced, and is synced.
    pub write: WriteOptions,
    /// Bytes of memory for sorting.
    pub memory: u64,
    /// Threads that work at the same time.
    pub threads: usize,
    /// Cancels it.
    pub cancellation: Option<Cancellation>,
}

nnz_core::setters! {
    StoreOptions {
        packing: Option<Packing>,
        generation: Option<FormatVersion>,
        compress: Option<Compression>,
        write: WriteOptions,
        memory: u64,
        threads: usize,
        cancellation: Option<Cancellation>,
    }
}

impl Default for StoreOptions {
    fn default() -> Self {
        Self {
            packing: None,
            generation: None,
            compress: None,
            write: WriteOptions::default(),
            memory: crate::engine::default_memory(),
            threads: std::thread::available_parallelism().map_or(1, Into::into),
            cancellation: None,
        }
    }
}

impl StoreOptions {
    /// Returns the options that have nothing to do with where fragments are written.
    pub(super) fn engine(&self) -> engine::WriteOptions {
        engine::WriteOptions::default()
            .threads(self.threads)
            .cancellation(self.cancellation.clone())
    }
}

/// A place to write to, and the form fragments have there.
pub(super) struct Target {
    /// Where, or `None` for standard output.
    path: Option<PathBuf>,
    kind: Kind,
    write: WriteOptions,
    /// Which other groups are lost when what is there is replaced.
    pub(super) lost: Option<String>,
}

enum Kind {
    Store(ContainerTarget, SinkOptions),
    Text(TextOptions),
}

impl Target {
    /// Decides by its name how to write to a place.
    pub(super) fn new(to: &Location, options: &StoreOptions) -> Result<Self> {
        let StoreOptions { packing, generation, compress, write, threads, .. } = *options;
        let refuse = |what: &str| Err(Error::argument(what));
        let to = &to.resolve(&LocalStorage)?;
        let (path, group) = match to {
            Location::Path { path, group } if !is_text(to)? => (path, group),
            _ => {
                if compress.is_some() {
                    return Err(container_target::uncompressed());
                }
                if packing.is_some() || generation.is_some() {
                    return refuse("text is neither packed nor of a version");
                }
                return Ok(match to {
                    Location::Path { path, .. } => {
                        let kind = Kind::Text(TextOptions::for_name(path));
                        Self { path: Some(path.clone()), kind, write, lost: None }
                    }
                    Location::Stream => Self {
                        path: None,
                        kind: Kind::Text(TextOptions::default()),
                        write,
                        lost: None,
                    },
                });
            }
        };
        if group.is_none() && format_of_path(path).is_some_and(|format| !format.info().containers) {
            let error = Error::argument("fragments are no matrix");
            return Err(error.with_hint("fragments::Counts", "makes one of them"));
        }
        let home = ContainerTarget::of(
            path,
            group.as_deref(),
            DirectoryKind::BpCells,
            CreateOptions { compress, threads, write, members: &[] },
            &Registry::default(),
        )?;
        let generation = generation.unwrap_or_default();
        let home = home.with_format_version(generation);
        let sink = SinkOptions { packing: packing.unwrap_or_default(), format_version: generation };
        let lost = home.groups_lost();
        Ok(Self { path: Some(path.clone()), kind: Kind::Store(home, sink), write, lost })
    }

    /// Returns a directory for files that are needed while this is written.
    pub(super) fn spool_directory(&self) -> PathBuf {
        let beside = self.path.as_deref().map(directory_of);
        beside.map_or_else(nnz_storage::temporary_directory, |beside| {
            nnz_storage::spill_directory(&beside)
        })
    }

    /// Starts writing a store.
    pub(super) fn create_store(&self) -> Result<Box<dyn FragmentSink>> {
        match &self.kind {
            Kind::Store(home, options) => {
                let container = home.writer(FRAGMENT_MEMBERS)?;
                Ok(Box::new(nnz_bpcells::FragmentSink::create(container, *options)?))
            }
            Kind::Text(_) => {
                let what = "an import makes a store of text, and this would be text again: name a \
                            directory, an HDF5 file (.h5) or an object of R (.rds)";
                Err(Error::unsupported(self.place(), what))
            }
        }
    }
}

impl FragmentTarget for Target {
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
            Kind::Text(options) => {
                let target = match &self.path {
                    Some(path) => {
                        fragment_tsv::Target::File { path: path.clone(), options: self.write }
                    }
                    None => fragment_tsv::Target::Stream {
                        writer: Box::new(stdio::stdout(TerminalEscapes::Text)),
                        name: "standard output".to_owned(),
                    },
                };
                fragment_tsv::create(target, chromosomes, cells, options)
                    .map(|sink| Box::new(sink) as Box<dyn FragmentSink>)
            }
            Kind::Store(..) => self.create_store(),
        };
        created.map_err(|error| error.with_context(&self.place()))
    }
}

/// Whether a path's ending is that of a text, compressed or not.
fn ends_in_text(path: &Path) -> bool {
    let compressed = ends_in(path, &["gz", "bgz"]);
    let stem = if compressed { path.file_stem().map_or(path, Path::new) } else { path };
    compressed || ends_in(stem, &["tsv", "bed", "txt"])
}

/// Returns whether what is written to a place becomes text: standard output, and names that end in
/// `.tsv`, `.bed` or `.txt`, also with `.gz` or `.bgz`.
///
/// # Errors
///
/// Fails where the system cannot say what is there.
pub fn is_text(to: &Location) -> Result<bool> {
    match &to.resolve(&LocalStorage)? {
        Location::Stream => Ok(true),
        Location::Path { path, group: None } if ends_in_text(path) => {
            container_target::goes_to_hdf5(path).map(|hdf5| !hdf5)
        }
        Location::Path { .. } => Ok(false),
    }
}

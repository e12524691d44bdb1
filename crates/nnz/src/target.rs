//! Where and how a matrix is written.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use nnz_bpcells::{RObjectOptions, RObjectWriter, SinkOptions};
use nnz_container::ContainerWriter;
use nnz_container::directory::DirectoryWriter;
use nnz_container::hdf5::{Compress, Hdf5Options, Hdf5Writer};
use nnz_container::rds::RdsOptions;
use nnz_container::staging::WriteOptions;
use nnz_core::{AxisMeaning, Error, Header, MatrixSink, Names, Needs, Place, Result, Rounding};
use nnz_interop::matrix_market::{self, Layout};
use nnz_interop::r_matrix;

use crate::read::MemorySink;
use crate::{Compressed, ConvertOptions, Format, Generation, Location, Packing};

/// A place to write to, and the format to write.
pub(crate) struct Target {
    /// Where, or `None` for standard output.
    path: Option<PathBuf>,
    /// The group of an HDF5 file, if it is to be one; the root group has no name.
    group: Option<String>,
    kind: Kind,
    write: WriteOptions,
}

enum Kind {
    BpCells(SinkOptions, Hdf5Options),
    RObject(SinkOptions, RdsOptions),
    DgcMatrix(RdsOptions),
    MatrixMarket { layout: Layout, lossy: bool },
    Memory(Shelf, u64),
}

/// Where a matrix is put that was read into memory.
pub(crate) type Shelf = Arc<Mutex<Option<Compressed>>>;

impl Target {
    /// Decides how to write to a place. `dense` says whether the source stores every cell.
    pub(crate) fn new(to: &Location, options: &ConvertOptions, dense: bool) -> Result<Self> {
        let (path, group) = match to {
            Location::Stream => (None, None),
            Location::Path { path, group } => (Some(path.clone()), group.clone()),
        };
        let format = options
            .format
            .or_else(|| path.as_deref().map_or(Some(Format::MatrixMarket), Format::of_path));
        let Some(format) = format else {
            let what =
                "its ending stands for no format; say --to bpcells, --to dgCMatrix or --to mtx";
            return Err(Error::argument(format!("{to}: {what}")));
        };
        let refuse = |what: &str| Err(Error::argument(format!("{what} says nothing of {format}")));
        let hdf5 = group.is_some() || path.as_deref().is_some_and(goes_to_hdf5);
        let r_object =
            format == Format::BpCells && !hdf5 && path.as_deref().is_some_and(ends_in_rds);
        let compressed = (hdf5 && format == Format::BpCells) || r_object;
        if options.compress.is_some() && !compressed && format != Format::DgcMatrix {
            let what = "only what goes to an HDF5 file or an object of R is compressed so";
            return Err(Error::argument(what));
        }
        let kind = match format {
            Format::BpCells if r_object => {
                if options.layout.is_some() {
                    return refuse("a layout");
                }
                if options.generation.is_some_and(|g| g != Generation::default()) {
                    let what = "an object of R holds version 2 of the format only";
                    return Err(Error::argument(what));
                }
                let packing = options.packing.unwrap_or_default();
                Kind::RObject(SinkOptions { packing, ..SinkOptions::default() }, rds(options))
            }
            Format::DgcMatrix => {
                if group.is_some() {
                    return refuse("a group");
                }
                if options.layout.is_some() {
                    return refuse("a layout");
                }
                if options.packing == Some(Packing::Unpacked) {
                    return refuse("unpacked");
                }
                if options.generation.is_some_and(|g| g != Generation::default()) {
                    return refuse("a format version");
                }
                if path.is_none() {
                    return Err(Error::argument("an object of R cannot go to standard output"));
                }
                Kind::DgcMatrix(rds(options))
            }
            Format::BpCells => {
                if options.layout.is_some() {
                    return refuse("a layout");
                }
                if path.is_none() {
                    return Err(Error::argument("BPCells arrays cannot go to standard output"));
                }
                let sink = SinkOptions {
                    packing: options.packing.unwrap_or_default(),
                    generation: options.generation.unwrap_or_default(),
                };
                let compress = options.compress.unwrap_or(Compress::None);
                let threads = options.threads;
                Kind::BpCells(sink, Hdf5Options { compress, threads, ..Hdf5Options::default() })
            }
            Format::MatrixMarket => {
                if group.is_some() {
                    return refuse("a group");
                }
                if options.packing == Some(Packing::Unpacked) {
                    return refuse("unpacked");
                }
                if options.generation.is_some_and(|g| g != Generation::default()) {
                    return refuse("a format version");
                }
                let layout = if dense { Layout::Array } else { Layout::Coordinate };
                Kind::MatrixMarket {
                    layout: options.layout.unwrap_or(layout),
                    lossy: options.rounding == Rounding::Nearest,
                }
            }
        };
        let group = (hdf5 && format == Format::BpCells).then(|| group.unwrap_or_default());
        Ok(Self { path, group, kind, write: options.write })
    }

    /// Makes a target in memory, of at most so many bytes.
    pub(crate) fn memory(shelf: Shelf, allowed: u64) -> Self {
        let kind = Kind::Memory(shelf, allowed);
        Self { path: None, group: None, kind, write: WriteOptions::default() }
    }

    /// Returns what the format can hold.
    pub(crate) fn needs(&self) -> Needs {
        match self.kind {
            Kind::BpCells(..) | Kind::RObject(..) => nnz_bpcells::NEEDS,
            Kind::DgcMatrix(_) => r_matrix::NEEDS,
            Kind::MatrixMarket { layout, .. } => matrix_market::needs(layout),
            Kind::Memory(..) => MemorySink::NEEDS,
        }
    }

    /// Says what readers of the format will take the axes for, where that is not what they are.
    pub(crate) fn misleads(&self, meaning: [AxisMeaning; 2]) -> Option<String> {
        let exchanged = meaning == [AxisMeaning::Cells, AxisMeaning::Features];
        let bpcells = matches!(self.kind, Kind::BpCells(..) | Kind::RObject(..));
        (exchanged && bpcells).then(|| {
            "rows are cells here, but programs take the rows of a BPCells matrix for features"
                .to_owned()
        })
    }

    /// Returns the place, for messages.
    pub(crate) fn place(&self) -> Place {
        match &self.path {
            Some(path) => Place::path(path),
            None if matches!(self.kind, Kind::Memory(..)) => Place::default(),
            None => Place::path("standard output"),
        }
    }

    /// Returns a directory for files that are needed while this is written.
    pub(crate) fn spool_directory(&self) -> PathBuf {
        let parent = self.path.as_deref().and_then(Path::parent);
        match parent {
            Some(parent) if !parent.as_os_str().is_empty() => parent.to_path_buf(),
            Some(_) => PathBuf::from("."),
            None => std::env::temp_dir(),
        }
    }

    /// Checks that the place may be written, before any work is done.
    pub(crate) fn check(&self) -> Result<()> {
        match (&self.path, &self.group, &self.kind) {
            // Starting to write a group copies the file it goes into: that is done once.
            (None, ..) | (_, Some(_), _) => Ok(()),
            (Some(path), None, Kind::BpCells(..)) => {
                DirectoryWriter::create(path, self.write, nnz_bpcells::MEMBERS).map(drop)
            }
            (Some(path), None, _) => {
                nnz_container::staging::StagedFile::create(path, self.write).map(drop)
            }
        }
    }

    /// Returns the bytes that a matrix takes however few entries it has.
    pub(crate) fn least_bytes(&self, header: &Header) -> u64 {
        match self.kind {
            // A pointer for each major vector; what is compressed waits uncompressed.
            Kind::BpCells(..) | Kind::RObject(..) | Kind::DgcMatrix(_) => {
                header.shape.major(header.order).saturating_mul(4)
            }
            // A digit and the end of a line for each cell, of half the matrix at least.
            Kind::MatrixMarket { layout: Layout::Array, .. } => {
                u64::try_from(header.shape.cells()).unwrap_or(u64::MAX)
            }
            Kind::MatrixMarket { .. } | Kind::Memory(..) => 0,
        }
    }

    /// Starts writing.
    pub(crate) fn create(
        &self,
        header: &Header,
        names: [Option<Names<'_>>; 2],
    ) -> Result<Box<dyn MatrixSink>> {
        let created = match (&self.kind, &self.path) {
            (Kind::BpCells(options, hdf5), Some(path)) => {
                let container: Box<dyn ContainerWriter> = match &self.group {
                    None => {
                        Box::new(DirectoryWriter::create(path, self.write, nnz_bpcells::MEMBERS)?)
                    }
                    Some(group) => Box::new(Hdf5Writer::create(path, group, self.write, *hdf5)?),
                };
                let sink = nnz_bpcells::MatrixSink::create(container, header, names, *options);
                sink.map(|sink| Box::new(sink) as Box<dyn MatrixSink>)
            }
            (Kind::RObject(options, rds), Some(path)) => {
                let options_of_r = RObjectOptions { list: false, rds: *rds };
                let container = Box::new(RObjectWriter::create(path, self.write, options_of_r)?);
                let sink = nnz_bpcells::MatrixSink::create(container, header, names, *options);
                sink.map(|sink| Box::new(sink) as Box<dyn MatrixSink>)
            }
            (Kind::DgcMatrix(rds), Some(path)) => {
                let sink = r_matrix::create(path, header, names, self.write, *rds);
                sink.map(|sink| Box::new(sink) as Box<dyn MatrixSink>)
            }
            (Kind::RObject(..) | Kind::DgcMatrix(_), None) => {
                Err(Error::argument("an object of R cannot go to standard output"))
            }
            (Kind::BpCells(..), None) => {
                Err(Error::argument("BPCells arrays cannot go to standard output"))
            }
            (Kind::Memory(shelf, allowed), _) => {
                let sink = MemorySink::new(header, Arc::clone(shelf), *allowed);
                sink.map(|sink| Box::new(sink) as Box<dyn MatrixSink>)
            }
            (Kind::MatrixMarket { layout, lossy }, path) => {
                let target = match path {
                    Some(path) => {
                        matrix_market::Target::File { path: path.clone(), options: self.write }
                    }
                    None => matrix_market::Target::Stream {
                        writer: Box::new(std::io::stdout()),
                        name: "standard output".to_owned(),
                    },
                };
                let mut options = matrix_market::Options::new(*layout, &target);
                options.lossy = *lossy;
                matrix_market::create(target, header, options)
            }
        };
        created.map_err(|error| error.within(&self.place()))
    }
}

/// Returns how an object of R is written; compressed, as R does, unless told otherwise.
fn rds(options: &ConvertOptions) -> RdsOptions {
    let default = RdsOptions::default();
    let gzip = match options.compress {
        None => default.gzip,
        Some(Compress::None) => None,
        Some(Compress::Gzip(level)) => Some(level),
    };
    RdsOptions { gzip, ..default }
}

/// Whether a path's ending is that of an object of R.
pub(crate) fn ends_in_rds(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("rds"))
}

/// Whether a path is that of an HDF5 file, by its ending or by what is there.
fn goes_to_hdf5(path: &Path) -> bool {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    let named = matches!(ending.as_deref(), Some("h5" | "hdf5" | "h5ad"));
    named || (path.is_file() && crate::open::starts_as_hdf5(path).unwrap_or(false))
}

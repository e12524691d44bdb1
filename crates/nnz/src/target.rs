//! Where and how a matrix is written.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use nnz_bpcells::SinkOptions;
use nnz_container::rds::RdsOptions;
use nnz_container::staging::{StagedFile, WriteOptions};
use nnz_container::stdio::{self, TerminalEscapes};
use nnz_core::{
    AxisKind, COMMENT, Error, Header, MatrixSink, MatrixSource, Metadata, Names, Order, Place,
    Result, Rounding, SinkCapabilities, Storage,
};
use nnz_interop::matrix_market::{self, Layout};
use nnz_interop::r_matrix;

use crate::binsparse_target::Binsparse;
use crate::daphne::{self, DaphneOptions};
use crate::home::{self, Home, Plain};
use crate::read::MemorySink;
use crate::{BinsparseOptions, ConvertOptions, CsMatrix, Format, Location};

/// A place to write to, and the format to write.
pub(crate) struct Target {
    /// Where, or `None` for standard output.
    path: Option<PathBuf>,
    kind: Kind,
    write: WriteOptions,
}

enum Kind {
    BpCells(Home, SinkOptions),
    Binsparse(Home, Binsparse),
    DgcMatrix(PathBuf, RdsOptions),
    MatrixMarket { layout: Layout, lossy: bool, comment: Option<String> },
    Daphne(daphne::Target),
    Memory(Shelf, u64),
}

/// Where a matrix is put that was read into memory.
pub(crate) type Shelf = Arc<Mutex<Option<CsMatrix>>>;

/// Refuses what has been asked for and says nothing of the format that is written.
pub(crate) fn check_concern(options: &ConvertOptions, format: Format, group: bool) -> Result<()> {
    let arrays = [Format::BpCells, Format::Binsparse];
    let cells = [Format::MatrixMarket, Format::Daphne];
    let ConvertOptions { layout, daphne, binsparse, packing, generation, .. } = options;
    let daphne = *daphne != DaphneOptions::default();
    let binsparse = *binsparse != BinsparseOptions::default();
    for (asked, formats, what) in [
        (group, &arrays[..], "a group"),
        (layout.is_some(), &cells, "a layout"),
        (daphne, &[Format::Daphne], "a dialect, blocks, narrow, .meta or segments"),
        (
            binsparse,
            &[Format::Binsparse],
            "a version of Binsparse, a level tree or minimized types",
        ),
        (packing.is_some(), &[Format::BpCells], "packing"),
        (generation.is_some(), &[Format::BpCells], "a format version"),
    ] {
        if asked && !formats.contains(&format) {
            return Err(Error::argument(format!("{what} says nothing of {format}")));
        }
    }
    Ok(())
}

impl Target {
    /// Decides how to write a source to a place.
    pub(crate) fn new(
        to: &Location,
        options: &ConvertOptions,
        source: &dyn MatrixSource,
    ) -> Result<Self> {
        let (path, group) = match to {
            Location::Stream => (None, None),
            Location::Path { path, group } => (Some(path.clone()), group.clone()),
        };
        let format = options
            .format
            .or_else(|| path.as_deref().map_or(Some(Format::MatrixMarket), Format::of_path));
        let Some(format) = format else {
            let what = "its ending stands for no format; say --to bpcells, binsparse, dgCMatrix, mtx \
                        or daphne";
            return Err(Error::argument(format!("{to}: {what}")));
        };
        check_concern(options, format, group.is_some())?;
        let home = |path: &Path, plain| {
            let ConvertOptions { compress, threads, write, .. } = *options;
            Home::new(path, group.as_deref(), plain, compress, threads, write)
        };
        let kind = match (format, &path) {
            (Format::BpCells | Format::Binsparse, None) => {
                return Err(Error::argument("named arrays cannot go to standard output"));
            }
            (Format::Binsparse, Some(path)) => {
                let home = home(path, Plain::Npy)?;
                Kind::Binsparse(home, Binsparse::new(&options.binsparse, source)?)
            }
            (Format::BpCells, Some(path)) => {
                let generation = options.generation.unwrap_or_default();
                let home = home(path, Plain::BpCells)?.for_generation(generation);
                let packing = options.packing.unwrap_or_default();
                Kind::BpCells(home, SinkOptions { packing, generation })
            }
            (Format::DgcMatrix, None) => {
                return Err(Error::argument("an object of R cannot go to standard output"));
            }
            (Format::DgcMatrix, Some(path)) => {
                Kind::DgcMatrix(path.clone(), home::rds(options.compress)?)
            }
            (Format::Daphne, None) => {
                return Err(Error::argument("a file of DAPHNE cannot go to standard output"));
            }
            (Format::Daphne, Some(path)) => {
                let dense = source.header().storage == Storage::Dense;
                Kind::Daphne(daphne::Target::new(path, options, dense)?)
            }
            (Format::MatrixMarket, _) => {
                if options.compress.is_some() {
                    return Err(home::uncompressed());
                }
                let dense = source.header().storage == Storage::Dense;
                let layout = if dense { Layout::Array } else { Layout::Coordinate };
                Kind::MatrixMarket {
                    layout: options.layout.unwrap_or(layout),
                    lossy: options.rounding == Rounding::Nearest,
                    comment: matrix_market::comment(&source.metadata()),
                }
            }
        };
        Ok(Self { path, kind, write: options.write })
    }

    /// Makes a target in memory, of at most so many bytes.
    pub(crate) fn memory(shelf: Shelf, allowed: u64) -> Self {
        let kind = Kind::Memory(shelf, allowed);
        Self { path: None, kind, write: WriteOptions::default() }
    }

    /// Returns what the format can hold.
    pub(crate) fn needs(&self) -> SinkCapabilities {
        match &self.kind {
            Kind::BpCells(..) => nnz_bpcells::NEEDS,
            Kind::Binsparse(_, binsparse) => binsparse.needs(),
            Kind::DgcMatrix(..) => r_matrix::NEEDS,
            Kind::MatrixMarket { layout, .. } => matrix_market::needs(*layout),
            Kind::Daphne(target) => target.needs(),
            Kind::Memory(..) => MemorySink::NEEDS,
        }
    }

    /// Says that the target is not written in an order, and what is.
    pub(crate) fn unordered(&self, order: Order) -> String {
        match &self.kind {
            Kind::MatrixMarket { layout: Layout::Array, .. } => format!(
                "an array is written column by column; only coordinates (--layout coordinate) are \
                 written by {order}"
            ),
            _ => format!("the target is not stored by {order}"),
        }
    }

    /// Returns whether a matrix that stores its upper triangle is written with the lower one.
    pub(crate) fn writes_lower(&self) -> bool {
        matches!(self.kind, Kind::MatrixMarket { .. })
    }

    /// Says what readers of the format will take the axes for, where that is not what they are.
    pub(crate) fn misleads(&self, meaning: [AxisKind; 2]) -> Option<String> {
        let exchanged = meaning == [AxisKind::Cells, AxisKind::Features];
        let bpcells = matches!(self.kind, Kind::BpCells(..));
        (exchanged && bpcells).then(|| {
            "rows are cells here, but programs take the rows of a BPCells matrix for features"
                .to_owned()
        })
    }

    /// Says which other groups are lost when what is there is replaced.
    pub(crate) fn groups_lost(&self) -> Option<String> {
        match &self.kind {
            Kind::BpCells(home, _) | Kind::Binsparse(home, _) => home.groups_lost(),
            _ => None,
        }
    }

    /// Names what users keep beside a matrix and it has no place for.
    pub(crate) fn unplaced(&self, mut metadata: Metadata) -> Vec<String> {
        match &self.kind {
            Kind::Binsparse(..) => return Vec::new(),
            Kind::MatrixMarket { comment: Some(_), .. } => {
                metadata.keys.retain(|(key, _)| key != COMMENT);
            }
            _ => {}
        }
        metadata.named()
    }

    /// Whether values get the smallest type that holds them.
    pub(crate) fn minimizes(&self) -> bool {
        matches!(&self.kind, Kind::Binsparse(_, binsparse) if binsparse.minimizes())
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
            None => nnz_container::temporary_directory(),
        }
    }

    /// Checks that the place may be written, before any work is done.
    pub(crate) fn check(&self) -> Result<()> {
        match (&self.kind, &self.path) {
            (Kind::BpCells(home, _), _) => home.check(nnz_bpcells::MEMBERS),
            (Kind::Binsparse(home, _), _) => home.check(&[]),
            (Kind::Daphne(target), _) => target.check(),
            (_, Some(path)) => StagedFile::create(path, self.write).map(drop),
            (_, None) => Ok(()),
        }
    }

    /// Returns the bytes that a matrix takes however few entries it has.
    pub(crate) fn least_bytes(&self, header: &Header) -> u64 {
        match &self.kind {
            Kind::Binsparse(_, binsparse) => binsparse.least_bytes(header),
            // A pointer for each major vector; what is compressed waits uncompressed.
            Kind::BpCells(..) | Kind::DgcMatrix(..) => {
                header.shape.major(header.order).saturating_mul(4)
            }
            // A digit and the end of a line for each cell, of half the matrix at least.
            Kind::MatrixMarket { layout: Layout::Array, .. } => {
                u64::try_from(header.shape.cells()).unwrap_or(u64::MAX)
            }
            Kind::Daphne(target) => target.least_bytes(header),
            Kind::MatrixMarket { .. } | Kind::Memory(..) => 0,
        }
    }

    /// Says what it is that takes these bytes, and how to do without if that can be done.
    pub(crate) fn bulk(&self, header: &Header) -> String {
        let avoidable = match &self.kind {
            Kind::Binsparse(_, binsparse) => binsparse.bulk(header),
            _ => None,
        };
        let avoidable = avoidable.map(|what| format!(", with {what},"));
        format!("what is to be written{}", avoidable.unwrap_or_default())
    }

    /// Starts writing.
    pub(crate) fn create(
        &self,
        header: &Header,
        names: [Option<Names<'_>>; 2],
    ) -> Result<Box<dyn MatrixSink>> {
        let created = match &self.kind {
            Kind::BpCells(home, options) => {
                let container = home.writer(nnz_bpcells::MEMBERS)?;
                let sink = nnz_bpcells::MatrixSink::create(container, header, names, *options);
                sink.map(|sink| Box::new(sink) as Box<dyn MatrixSink>)
            }
            Kind::Binsparse(home, binsparse) => binsparse.create(home.writer(&[])?, header),
            Kind::DgcMatrix(path, rds) => {
                let sink = r_matrix::create(path, header, names, self.write, *rds);
                sink.map(|sink| Box::new(sink) as Box<dyn MatrixSink>)
            }
            Kind::Daphne(target) => target.create(header),
            Kind::Memory(shelf, allowed) => {
                let sink = MemorySink::new(header, Arc::clone(shelf), *allowed);
                sink.map(|sink| Box::new(sink) as Box<dyn MatrixSink>)
            }
            Kind::MatrixMarket { layout, lossy, comment } => {
                let target = match &self.path {
                    Some(path) => {
                        matrix_market::Target::File { path: path.clone(), options: self.write }
                    }
                    None => matrix_market::Target::Stream {
                        writer: Box::new(stdio::stdout(TerminalEscapes::Text)),
                        name: "standard output".to_owned(),
                    },
                };
                let mut options = matrix_market::Options::new(*layout, &target);
                options.lossy = *lossy;
                options.comment = comment.clone().unwrap_or_default();
                matrix_market::create(target, header, options)
            }
        };
        created.map_err(|error| error.with_context(&self.place()))
    }
}

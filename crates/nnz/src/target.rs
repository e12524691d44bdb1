//! Where and how a matrix is written.

use std::path::{Path, PathBuf};

use nnz_bpcells::SinkOptions;
use nnz_container::directory::DirectoryWriter;
use nnz_container::staging::WriteOptions;
use nnz_core::{Error, Header, MatrixSink, Needs, Place, Result, Rounding, StringList};
use nnz_interop::matrix_market::{self, Layout};

use crate::{ConvertOptions, Format, Generation, Location, Packing};

/// A place to write to, and the format to write.
pub(crate) struct Target {
    /// Where, or `None` for standard output.
    path: Option<PathBuf>,
    kind: Kind,
    write: WriteOptions,
}

enum Kind {
    BpCells(SinkOptions),
    MatrixMarket { layout: Layout, lossy: bool },
}

impl Target {
    /// Decides how to write to a place. `dense` says whether the source stores every cell.
    pub(crate) fn new(to: &Location, options: &ConvertOptions, dense: bool) -> Result<Self> {
        let path = match to {
            Location::Stream => None,
            Location::Path { path, group: None } => Some(path.clone()),
            Location::Path { group: Some(_), .. } => {
                let what = "no format that this version writes has groups";
                return Err(Error::argument(format!("{to}: {what}")));
            }
        };
        let format = options
            .format
            .or_else(|| path.as_deref().map_or(Some(Format::MatrixMarket), Format::of_path));
        let Some(format) = format else {
            let what = "its ending stands for no format; name one: bpcells or mtx";
            return Err(Error::argument(format!("{to}: {what}")));
        };
        let refuse = |what: &str| Err(Error::argument(format!("{what} says nothing of {format}")));
        let kind = match format {
            Format::BpCells => {
                if options.layout.is_some() {
                    return refuse("a layout");
                }
                if path.is_none() {
                    return Err(Error::argument("a directory cannot go to standard output"));
                }
                Kind::BpCells(SinkOptions {
                    packing: options.packing.unwrap_or_default(),
                    generation: options.generation.unwrap_or_default(),
                })
            }
            Format::MatrixMarket => {
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
        Ok(Self { path, kind, write: options.write })
    }

    /// Returns what the format can hold.
    pub(crate) fn needs(&self) -> Needs {
        match self.kind {
            Kind::BpCells(_) => nnz_bpcells::NEEDS,
            Kind::MatrixMarket { layout, .. } => matrix_market::needs(layout),
        }
    }

    /// Returns the place, for messages.
    pub(crate) fn place(&self) -> Place {
        match &self.path {
            Some(path) => Place::path(path),
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
        match (&self.path, &self.kind) {
            (Some(path), Kind::BpCells(_)) => DirectoryWriter::create(path, self.write).map(drop),
            (Some(path), Kind::MatrixMarket { .. }) => {
                nnz_container::staging::StagedFile::create(path, self.write).map(drop)
            }
            (None, _) => Ok(()),
        }
    }

    /// Starts writing.
    pub(crate) fn create(
        &self,
        header: &Header,
        names: [Option<&StringList>; 2],
    ) -> Result<Box<dyn MatrixSink>> {
        let created = match (&self.kind, &self.path) {
            (Kind::BpCells(options), Some(path)) => {
                let container = Box::new(DirectoryWriter::create(path, self.write)?);
                let sink = nnz_bpcells::MatrixSink::create(container, header, names, *options);
                sink.map(|sink| Box::new(sink) as Box<dyn MatrixSink>)
            }
            (Kind::BpCells(_), None) => {
                Err(Error::argument("a directory cannot go to standard output"))
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

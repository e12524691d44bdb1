//! Where and how fragments are written.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use nnz_bpcells::{FRAGMENT_MEMBERS, RObjectOptions, RObjectWriter, SinkOptions};
use nnz_container::ContainerWriter;
use nnz_container::directory::DirectoryWriter;
use nnz_container::hdf5::{Compress, Hdf5Options, Hdf5Writer};
use nnz_container::rds::RdsOptions;
use nnz_container::staging::WriteOptions;
use nnz_core::{Error, FragmentBatch, FragmentSink, Place, Result, StringList, Written};
use nnz_interop::fragment_tsv::{
    self, EncodedFragments, FragmentTsvEncoder, FragmentTsvSink, WriteOptions as TextOptions,
};

use crate::{Format, Generation, Location, Packing};

/// Says how fragments are written, and with what.
#[derive(Clone, Copy, Debug)]
pub struct StoreOptions {
    /// Whether numbers are bit-packed; by default they are.
    pub packing: Option<Packing>,
    /// The revision of the format; by default the second.
    pub generation: Option<Generation>,
    /// HDF5: how arrays are compressed; by default not at all.
    pub compress: Option<Compress>,
    /// Whether the target may be replaced, and is synced.
    pub write: WriteOptions,
    /// Bytes of memory for sorting.
    pub memory: u64,
    /// Threads that work at the same time.
    pub threads: usize,
}

impl Default for StoreOptions {
    fn default() -> Self {
        Self {
            packing: None,
            generation: None,
            compress: None,
            write: WriteOptions::default(),
            memory: crate::default_memory(),
            threads: std::thread::available_parallelism().map_or(1, Into::into),
        }
    }
}

/// A place to write to, and the form fragments have there.
pub(super) struct Target {
    /// Where, or `None` for standard output.
    path: Option<PathBuf>,
    kind: Kind,
    write: WriteOptions,
}

enum Kind {
    Directory(SinkOptions),
    Hdf5(String, SinkOptions, Hdf5Options),
    RObject(SinkOptions),
    Text(TextOptions),
}

impl Target {
    /// Decides by its name how to write to a place.
    pub(super) fn new(to: &Location, options: &StoreOptions) -> Result<Self> {
        let StoreOptions { packing, generation, compress, write, threads, .. } = *options;
        let (path, group) = match to {
            Location::Stream => (None, None),
            Location::Path { path, group } => (Some(path.clone()), group.clone()),
        };
        let hdf5 = group.is_some() || path.as_deref().is_some_and(goes_to_hdf5);
        let text = is_text(to);
        let sink = SinkOptions {
            packing: packing.unwrap_or_default(),
            generation: generation.unwrap_or_default(),
        };
        let refuse = |what: &str| Err(Error::argument(what));
        if compress.is_some() && !hdf5 {
            return refuse("only what goes to an HDF5 file is compressed so");
        }
        if text && (packing.is_some() || generation.is_some()) {
            return refuse("text is neither packed nor of a version");
        }
        let kind = match &path {
            Some(_) if hdf5 => {
                let compress = compress.unwrap_or(Compress::None);
                let hdf5 = Hdf5Options { compress, threads, ..Hdf5Options::default() };
                Kind::Hdf5(group.unwrap_or_default(), sink, hdf5)
            }
            Some(path) if text => Kind::Text(TextOptions::for_name(path)),
            None => Kind::Text(TextOptions::default()),
            Some(path) if ends_in(path, &["rds"]) => {
                if generation == Some(Generation::V1) {
                    return refuse("an object of R holds version 2 of the format only");
                }
                Kind::RObject(sink)
            }
            Some(path) if Format::of_path(path) == Some(Format::MatrixMarket) => {
                return refuse("fragments are no matrix; nnz fragments count makes one of them");
            }
            Some(_) => Kind::Directory(sink),
        };
        Ok(Self { path, kind, write })
    }

    /// Returns the place, for messages.
    pub(super) fn place(&self) -> Place {
        self.path.as_ref().map_or_else(|| Place::path("standard output"), Place::path)
    }

    /// Returns a directory for files that are needed while this is written.
    pub(super) fn spool_directory(&self) -> PathBuf {
        match self.path.as_deref().and_then(Path::parent) {
            Some(parent) if !parent.as_os_str().is_empty() => parent.to_path_buf(),
            Some(_) => PathBuf::from("."),
            None => std::env::temp_dir(),
        }
    }

    /// Starts writing a store.
    pub(super) fn create_store(&self) -> Result<Box<dyn FragmentSink>> {
        let path = self.path.as_deref().unwrap_or(Path::new(""));
        let (container, options): (Box<dyn ContainerWriter>, _) = match &self.kind {
            Kind::Directory(options) => {
                (Box::new(DirectoryWriter::create(path, self.write, FRAGMENT_MEMBERS)?), options)
            }
            Kind::Hdf5(group, options, hdf5) => {
                (Box::new(Hdf5Writer::create(path, group, self.write, *hdf5)?), options)
            }
            Kind::RObject(options) => {
                let of_r = RObjectOptions { list: false, rds: RdsOptions::default() };
                (Box::new(RObjectWriter::create(path, self.write, of_r)?), options)
            }
            Kind::Text(_) => {
                let what = "what is written as text was a store before: import it to one first";
                return Err(Error::unsupported(self.place(), what));
            }
        };
        Ok(Box::new(nnz_bpcells::FragmentSink::create(container, *options)?))
    }

    /// Starts writing, with names that are known.
    pub(super) fn create(&self, chromosomes: &StringList, cells: &StringList) -> Result<Output> {
        let created = match self.kind {
            Kind::Text(options) => {
                let target = match &self.path {
                    Some(path) => {
                        fragment_tsv::Target::File { path: path.clone(), options: self.write }
                    }
                    None => fragment_tsv::Target::Stream {
                        writer: Box::new(std::io::stdout()),
                        name: "standard output".to_owned(),
                    },
                };
                fragment_tsv::create(target, chromosomes, cells, options)
                    .map(|sink| Output::Text(Box::new(sink)))
            }
            _ => self.create_store().map(Output::Store),
        };
        created.map_err(|error| error.within(&self.place()))
    }
}

/// Fragments being written.
pub(super) enum Output {
    Store(Box<dyn FragmentSink>),
    Text(Box<FragmentTsvSink>),
}

/// Makes batches ready to be written, on any thread.
pub(super) enum Encoder {
    Store,
    Text(Arc<FragmentTsvEncoder>),
}

/// Batches that are ready to be written.
pub(super) enum Ready {
    Store(Vec<FragmentBatch>),
    Text(EncodedFragments),
}

impl Encoder {
    pub(super) fn encode(&self, batches: Vec<FragmentBatch>) -> Result<Ready> {
        match self {
            Self::Store => Ok(Ready::Store(batches)),
            Self::Text(encoder) => encoder.encode(&batches).map(Ready::Text),
        }
    }
}

impl Output {
    pub(super) fn encoder(&self) -> Encoder {
        match self {
            Self::Store(_) => Encoder::Store,
            Self::Text(sink) => Encoder::Text(sink.encoder()),
        }
    }

    pub(super) fn write(&mut self, ready: Ready) -> Result<()> {
        match (self, ready) {
            (Self::Store(sink), Ready::Store(batches)) => {
                batches.iter().try_for_each(|batch| sink.write(batch))
            }
            (Self::Text(sink), Ready::Text(text)) => sink.write_encoded(text),
            _ => Err(Error::argument("fragments made ready for something else")),
        }
    }

    pub(super) fn finish(self, chromosomes: &StringList, cells: &StringList) -> Result<Written> {
        match self {
            Self::Store(sink) => sink.finish(chromosomes, cells),
            Self::Text(sink) => sink.finish(chromosomes, cells),
        }
    }
}

/// Whether a path's ending is one of these.
fn ends_in(path: &Path, endings: &[&str]) -> bool {
    let found = path.extension();
    found.is_some_and(|found| endings.iter().any(|ending| found.eq_ignore_ascii_case(ending)))
}

/// Whether a path's ending is that of a text, compressed or not.
fn ends_in_text(path: &Path) -> bool {
    let compressed = ends_in(path, &["gz", "bgz"]);
    let stem = if compressed { path.file_stem().map_or(path, Path::new) } else { path };
    compressed || ends_in(stem, &["tsv", "bed", "txt"])
}

/// Whether a path is that of an HDF5 file, by its ending or by what is there.
fn goes_to_hdf5(path: &Path) -> bool {
    ends_in(path, &["h5", "hdf5", "h5ad"])
        || (path.is_file() && crate::open::starts_as_hdf5(path).unwrap_or(false))
}

/// Returns whether what is written to a place becomes text: standard output, and names that end in
/// `.tsv`, `.bed` or `.txt`, also with `.gz` or `.bgz`.
#[must_use]
pub fn is_text(to: &Location) -> bool {
    match to {
        Location::Stream => true,
        Location::Path { path, group } => {
            group.is_none() && !goes_to_hdf5(path) && ends_in_text(path)
        }
    }
}

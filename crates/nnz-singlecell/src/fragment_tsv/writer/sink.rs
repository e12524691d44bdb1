//! Writing encoded text in order, and moving files to their place.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use nnz_core::{
    Encoded, Error, FragmentBatch, FragmentEncoder, FragmentSink, Place, Result, StringList,
    Written,
};
use nnz_storage::staging::StagedFile;

use super::super::fault::shown;
use super::super::{TextTarget, bgzf};
use super::encode::{EncodedFragments, FragmentTsvEncoder};
use super::index::Index;
use super::output::{Destination, Output};
use super::{Compression, WriteOptions};

/// A sink that writes fragments as text.
pub struct FragmentTsvSink {
    place: Place,
    options: WriteOptions,
    encoder: Arc<FragmentTsvEncoder>,
    /// Chromosomes and cells.
    names: (StringList, StringList),
    output: Output,
    bytes: u64,
    index_file: Option<IndexFile>,
    /// Which chromosomes have occurred.
    seen: Vec<bool>,
    current: Option<u32>,
    last_start: u32,
    failed: bool,
}

/// The index next to the text.
struct IndexFile {
    file: StagedFile,
    index: Index,
}

impl FragmentTsvSink {
    pub(super) fn new(
        target: TextTarget,
        place: Place,
        encoder: FragmentTsvEncoder,
        names: (StringList, StringList),
        options: WriteOptions,
    ) -> Result<Self> {
        let index_file = match &target {
            TextTarget::File { path, options: staging } if options.index => {
                // A symbolic link is resolved.
                let mut path =
                    path.canonicalize().unwrap_or_else(|_| path.clone()).into_os_string();
                path.push(".tbi");
                let path = PathBuf::from(path);
                let file = StagedFile::create(&path, staging)?;
                Some(IndexFile { file, index: Index::default() })
            }
            _ => None,
        };
        Ok(Self {
            place,
            options,
            encoder: Arc::new(encoder),
            seen: Vec::new(),
            names,
            output: Output::create(target, options.compression)?,
            bytes: 0,
            index_file,
            current: None,
            last_start: 0,
            failed: false,
        })
    }

    /// Returns the encoder of batches, for [`write_encoded`](Self::write_encoded).
    #[must_use]
    pub fn encoder(&self) -> Arc<FragmentTsvEncoder> {
        Arc::clone(&self.encoder)
    }

    /// Writes the next batches, encoded by the [`encoder`](Self::encoder) of this sink.
    ///
    /// # Errors
    ///
    /// Fails like [`FragmentSink::write`].
    pub fn write_encoded(&mut self, encoded: EncodedFragments) -> Result<()> {
        let written = self.next(encoded);
        self.failed |= written.is_err();
        written
    }

    fn next(&mut self, encoded: EncodedFragments) -> Result<()> {
        let EncodedFragments { bytes, runs, index } = encoded;
        for run in &runs {
            if self.current == Some(run.chromosome) {
                if run.first_start < self.last_start {
                    let found = format!("start {} after {}", run.first_start, self.last_start);
                    let expected = "starts that ascend within a chromosome";
                    return Err(Error::mismatch(self.place.clone(), found, expected));
                }
            } else {
                let at = run.chromosome as usize;
                if self.seen.len() <= at {
                    self.seen.resize(at + 1, false);
                }
                if std::mem::replace(&mut self.seen[at], true) {
                    let name = self.names.0.iter().nth(at).unwrap_or(&[]);
                    let found = format!("{} again, after other chromosomes", shown(name));
                    let expected = "all fragments of a chromosome together";
                    return Err(Error::mismatch(self.place.clone(), found, expected));
                }
                self.current = Some(run.chromosome);
            }
            self.last_start = run.last_start;
        }
        if let Some(index_file) = &mut self.index_file {
            index_file.index.add(index, self.bytes);
            for run in &runs {
                index_file.index.count(run.chromosome, run.lines);
            }
        }
        self.output.write(&bytes).map_err(|error| self.io(error))?;
        self.bytes += bytes.len() as u64;
        Ok(())
    }

    fn io(&self, error: io::Error) -> Error {
        Error::io(self.place.path.as_deref().unwrap_or(Path::new("")), error)
    }
}

impl FragmentSink for FragmentTsvSink {
    fn write(&mut self, batch: &FragmentBatch) -> Result<()> {
        let encoded = self.encoder.encode(std::slice::from_ref(batch));
        self.failed |= encoded.is_err();
        self.write_encoded(encoded?)
    }

    fn encoder(&self) -> Option<Arc<dyn FragmentEncoder>> {
        Some(Self::encoder(self))
    }

    fn write_encoded(&mut self, encoded: Encoded) -> Result<()> {
        match encoded.downcast() {
            Ok(text) => Self::write_encoded(self, *text),
            Err(_) => Err(Error::argument("fragments that were encoded for another sink")),
        }
    }

    fn finish(
        mut self: Box<Self>,
        chromosomes: &StringList,
        cells: &StringList,
    ) -> Result<Written> {
        if self.failed {
            let what = "a fragment could not be written, so the text is not complete";
            return Err(Error::unsupported(self.place, what));
        }
        if (chromosomes, cells) != (&self.names.0, &self.names.1) {
            return Err(Error::argument("different names than at the beginning of the text"));
        }
        if self.options.compression == Compression::Bgzip {
            self.output.write(&bgzf::END).map_err(|error| self.io(error))?;
        }
        let Self { place, names, output, index_file, .. } = *self;
        let path = place.path.clone().unwrap_or_default();
        let io = |error| Error::io(&path, error);
        let index_file =
            index_file.map(|index_file| index_file.complete(&names.0, &place)).transpose()?;
        let file = match output.close().map_err(io)? {
            Destination::File(file) => file,
            Destination::Stream { mut writer, bytes } => {
                writer.flush().map_err(io)?;
                return Ok(Written::new(bytes));
            }
        };
        // An old index with new text would find wrong lines, so it is removed first: after a crash
        // in between there is no index.
        let bytes = match index_file {
            Some(index) => file.commit_with_sidecar(index)?,
            None => file.commit()?,
        };
        Ok(Written::new(bytes))
    }
}

impl IndexFile {
    /// Writes the index to its temporary file.
    fn complete(self, names: &StringList, place: &Place) -> Result<StagedFile> {
        let Self { mut file, index } = self;
        let bytes = index.finish(names).map_err(|what| Error::unsupported(place.clone(), what))?;
        file.write_all(&bytes).map_err(|error| Error::io(file.path(), error))?;
        Ok(file)
    }
}

impl std::fmt::Debug for FragmentTsvSink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FragmentTsvSink")
            .field("place", &self.place)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

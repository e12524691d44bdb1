//! Writing a matrix as segments.

use std::io::Write;
use std::ops::Range;
use std::path::Path;

use nnz_core::{
    Batch, Error, Header, Majors, MatrixSink as _, Minors, Place, Result, Shape, Values, Written,
};
use nnz_storage::staging::{StagedDirectory, StagedFile, WriteOptions};

use super::{SEGMENT, is_member, replaced};
use crate::meta::Hdfs;
use crate::{DataType, MatrixSink, Meta, Options};

/// The largest number of segments.
const MOST: u64 = 1 << 20;

/// A sink that writes a matrix as a directory of segments with about the same number of rows.
pub struct SegmentsSink {
    directory: StagedDirectory,
    /// The `.meta` file of the matrix, which is next to the directory.
    meta: StagedFile,
    name: String,
    header: Header,
    options: Options,
    segments: u64,
    /// The current segment, and its rows.
    current: MatrixSink,
    rows: Range<u64>,
    number: u64,
    entries: u64,
}

impl std::fmt::Debug for SegmentsSink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SegmentsSink").finish_non_exhaustive()
    }
}

impl SegmentsSink {
    /// Creates a directory with `segments` segments.
    ///
    /// # Errors
    ///
    /// Fails if the number of segments is 0 or too large, if the directory cannot be written or
    /// exists already, and like [`MatrixSink::create`].
    pub fn create(
        path: &Path,
        header: &Header,
        write: WriteOptions,
        options: &Options,
        segments: u64,
    ) -> Result<Self> {
        if segments == 0 || segments > MOST {
            return Err(Error::argument(format!("{segments} segments, expected 1 to {MOST}")));
        }
        let (mut directory, meta) = Self::stage(path, write)?;
        let Some(name) = directory.path().file_name().and_then(|name| name.to_str()) else {
            return Err(Error::unsupported(Place::path(path), "a name that is not UTF-8"));
        };
        let name = name.to_owned();
        let rows = share(header.shape.rows, segments, 0);
        let current = start(&mut directory, &name, header, options, &rows, 1)?;
        let (header, options) = (header.clone(), *options);
        Ok(Self {
            directory,
            meta,
            name,
            header,
            options,
            segments,
            current,
            rows,
            number: 0,
            entries: 0,
        })
    }

    /// Checks that a directory of segments may be written.
    ///
    /// # Errors
    ///
    /// Fails if it exists and must not be replaced, or cannot be written.
    pub fn check(path: &Path, write: WriteOptions) -> Result<()> {
        Self::stage(path, write).map(drop)
    }

    fn stage(path: &Path, write: WriteOptions) -> Result<(StagedDirectory, StagedFile)> {
        let directory = StagedDirectory::create_matching(path, &write, is_member)?;
        let directory = directory.refusing(replaced::refusal)?;
        let meta = StagedFile::create(&Meta::path_of(directory.path()), &write)?;
        Ok((directory, meta))
    }

    /// Finishes a segment, and starts the next.
    fn next_segment(&mut self) -> Result<()> {
        let number = self.number + 1;
        let rows = share(self.header.shape.rows, self.segments, number);
        let (header, options) = (&self.header, &self.options);
        let next = start(&mut self.directory, &self.name, header, options, &rows, number + 1)?;
        let done = std::mem::replace(&mut self.current, next);
        Box::new(done).finish()?;
        (self.rows, self.number) = (rows, number);
        Ok(())
    }
}

/// Returns the rows of a segment. The first ones have one more if rows cannot be divided evenly.
fn share(rows: u64, segments: u64, number: u64) -> Range<u64> {
    let (each, more) = (rows / segments, rows % segments);
    let start = |number: u64| number * each + number.min(more);
    start(number)..start(number + 1)
}

fn start(
    directory: &mut StagedDirectory,
    name: &str,
    header: &Header,
    options: &Options,
    rows: &Range<u64>,
    number: u64,
) -> Result<MatrixSink> {
    let shape = Shape { rows: rows.end - rows.start, ..header.shape };
    let header = header.clone().shape(shape).nnz(None);
    MatrixSink::member(directory, &format!("{name}{SEGMENT}{number}"), &header, options)
}

impl nnz_core::MatrixSink for SegmentsSink {
    fn write(&mut self, batch: &Batch) -> Result<()> {
        let mut run = 0;
        while run < batch.runs() {
            let row = batch.majors.get(run);
            if row >= self.header.shape.rows {
                return Err(Error::argument("an entry outside the matrix"));
            }
            while row >= self.rows.end {
                self.next_segment()?;
            }
            let first = run;
            while run < batch.runs() && self.rows.contains(&batch.majors.get(run)) {
                run += 1;
            }
            if first == run {
                return Err(Error::argument("an entry out of order"));
            }
            self.current.write(&part(batch, first..run, self.rows.start))?;
        }
        self.entries += batch.entries() as u64;
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<Written> {
        while self.number + 1 < self.segments {
            self.next_segment()?;
        }
        let Self { directory, mut meta, name, header, options, current, entries, .. } = *self;
        Box::new(current).finish()?;
        let entries = (options.data_type == DataType::Csr).then_some(entries);
        let shape = header.shape;
        let whole = Meta {
            hdfs: Some(Hdfs { filename: format!("/{name}"), is_hdfs: true }),
            ..Meta::of_matrix(shape.rows, shape.cols, header.value_type, entries)
        };
        let written = meta.write_all(&whole.text()?);
        written.map_err(|error| Error::io(meta.path(), error))?;
        let bytes = directory.commit_with_sidecar(meta)?;
        Ok(Written::new(bytes))
    }
}

/// Copies some runs of a batch, with rows counted from `first_row`.
fn part(batch: &Batch, runs: Range<usize>, first_row: u64) -> Batch {
    let offsets = &batch.offsets[runs.start..=runs.end];
    let (first, last) = (offsets[0], offsets[offsets.len() - 1]);
    let values = match &batch.values {
        Values::Iso(scalar) => Values::Iso(*scalar),
        all => {
            let mut values = Values::new(all.value_type());
            values.extend_from(all, first..last);
            values
        }
    };
    Batch {
        order: batch.order,
        majors: Majors::Listed(runs.clone().map(|run| batch.majors.get(run) - first_row).collect()),
        offsets: offsets.iter().map(|offset| offset - first).collect(),
        minors: match &batch.minors {
            Minors::U32(list) => Minors::U32(list[first..last].to_vec()),
            Minors::U64(list) => Minors::U64(list[first..last].to_vec()),
            Minors::Spans(starts) => Minors::Spans(starts[runs].to_vec()),
        },
        values,
    }
}

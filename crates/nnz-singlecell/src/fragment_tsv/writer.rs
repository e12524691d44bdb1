//! Writing fragments as text, plain or compressed, with an index for `tabix`.

mod encode;
mod index;
mod output;
mod sink;

use std::path::Path;

use nnz_core::{Error, Place, Result, StringList};

use super::{Chromosomes, TextTarget};
pub use encode::{EncodedFragments, FragmentTsvEncoder};
pub use sink::FragmentTsvSink;

/// The largest position that a `.tbi` index can represent.
pub const LARGEST_INDEXED: u32 = 1 << 29;

/// The columns to write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Columns {
    /// Chromosome, start, end, cell, and a count of 1, like files of 10x. The default.
    #[default]
    Five,
    /// Chromosome, start, end, cell: BED.
    Four,
}

/// The compression of the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compression {
    /// None. The default.
    #[default]
    None,
    /// A single gzip member, compressed on one thread.
    Gzip,
    /// BGZF blocks, compressed on all threads. Every gzip reader can read them.
    Bgzip,
}

/// Options for writing fragments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WriteOptions {
    /// The columns of the text.
    pub columns: Columns,
    /// The compression.
    pub compression: Compression,
    /// Whether to write an index for `tabix` next to the text, with the additional suffix `.tbi`.
    pub index: bool,
}

impl WriteOptions {
    /// Creates options according to the name of a file: `.bed` has four columns, all others five;
    /// `.gz` and `.bgz` are compressed in blocks, with an index.
    ///
    /// ```
    /// use nnz_singlecell::fragment_tsv::{Columns, Compression, WriteOptions};
    /// let options = WriteOptions::for_name("fragments.bed.gz".as_ref());
    /// assert_eq!(options.columns, Columns::Four);
    /// assert_eq!(options.compression, Compression::Bgzip);
    /// assert!(options.index);
    /// ```
    #[must_use]
    pub fn for_name(path: &Path) -> Self {
        let ends = |path: &Path, ending: &str| {
            path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(ending))
        };
        let blocks = ends(path, "gz") || ends(path, "bgz");
        let stem = if blocks { path.file_stem().map_or(path, Path::new) } else { path };
        Self {
            columns: if ends(stem, "bed") { Columns::Four } else { Columns::Five },
            compression: if blocks { Compression::Bgzip } else { Compression::None },
            index: blocks,
        }
    }
}

/// Creates a sink for fragments of chromosomes and cells with these names.
///
/// ```
/// use nnz_core::{FragmentBatch, FragmentSink, StringList};
/// use nnz_singlecell::fragment_tsv::{TextTarget, WriteOptions, create};
/// let target = TextTarget::Stream {
///     writer: Box::new(std::io::sink()),
///     name: "nowhere".to_owned(),
///     context: Default::default(),
/// };
/// let chromosomes: StringList = ["chr1"].into_iter().collect();
/// let cells: StringList = ["AAAC-1"].into_iter().collect();
/// let mut sink = create(target, &chromosomes, &cells, WriteOptions::default())?;
/// sink.write(&FragmentBatch {
///     chromosome: 0,
///     cells: vec![0],
///     starts: vec![10],
///     ends: vec![60],
/// })?;
/// assert_eq!(Box::new(sink).finish(&chromosomes, &cells)?.bytes, 20);
/// # Ok::<(), nnz_core::Error>(())
/// ```
///
/// # Errors
///
/// Fails if a target exists already or cannot be written, if a name cannot be written in a line, if
/// two chromosomes have the same name, or if an index is requested that is not possible.
pub fn create(
    target: TextTarget,
    chromosomes: &StringList,
    cells: &StringList,
    options: WriteOptions,
) -> Result<FragmentTsvSink> {
    let place = match &target {
        TextTarget::File { path, .. } => Place::path(path),
        TextTarget::Stream { name, .. } => Place::path(name),
    };
    if options.index && options.compression != Compression::Bgzip {
        let what = "an index requires text in bgzip blocks";
        return Err(Error::unsupported(place, what));
    }
    if options.index && matches!(target, TextTarget::Stream { .. }) {
        return Err(Error::unsupported(place, "an index requires a file, not a stream"));
    }
    // In a text and its index, chromosomes are identified only by name.
    Chromosomes::named(chromosomes).map_err(|error| {
        let what = format!("{}, but text identifies chromosomes by name", error.kind());
        Error::unsupported(place.clone(), what)
    })?;
    let encoder = FragmentTsvEncoder::new(place.clone(), chromosomes, cells, options)?;
    let names = (chromosomes.clone(), cells.clone());
    FragmentTsvSink::new(target, place, encoder, names, options)
}

//! Writing fragments as text, plain or compressed, with an index for `tabix`.

mod encode;
mod index;
mod output;
mod sink;

use std::path::Path;

use nnz_core::{Error, Place, Result, StringList};

use super::{Chromosomes, Target};
pub use encode::{EncodedFragments, FragmentTsvEncoder};
pub use sink::FragmentTsvSink;

/// The largest base that a `.tbi` index can tell of.
pub const LARGEST_INDEXED: u32 = 1 << 29;

/// Says which columns are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Columns {
    /// Chromosome, start, end, cell, and a count of 1, as files of 10x have. The default.
    #[default]
    Five,
    /// Chromosome, start, end, cell: BED.
    Four,
}

/// Says how text is compressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compression {
    /// Not at all. The default.
    #[default]
    None,
    /// As one gzip member, which one thread makes.
    Gzip,
    /// In blocks as `bgzip` makes them, on all threads. Every gzip reader reads them too.
    Bgzip,
}

/// Says how fragments are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WriteOptions {
    /// The columns of the text.
    pub columns: Columns,
    /// How it is compressed.
    pub compression: Compression,
    /// Whether an index for `tabix` is written beside it, of the same name with `.tbi` behind.
    pub index: bool,
}

impl WriteOptions {
    /// Makes options that go by the name of a file: `.bed` has four columns, all else five, and
    /// `.gz` or `.bgz` is of blocks, with an index.
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

/// Starts writing fragments of chromosomes and cells with these names.
///
/// ```
/// use nnz_core::{FragmentBatch, FragmentSink, StringList};
/// use nnz_singlecell::fragment_tsv::{Target, WriteOptions, create};
/// let target = Target::Stream {
///     writer: Box::new(std::io::sink()),
///     name: "nowhere".to_owned(),
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
/// Fails where a target is there already or cannot be written, where a name cannot stand in a
/// text, where two chromosomes share one, and where an index is asked for that cannot be.
pub fn create(
    target: Target,
    chromosomes: &StringList,
    cells: &StringList,
    options: WriteOptions,
) -> Result<FragmentTsvSink> {
    let place = match &target {
        Target::File { path, .. } => Place::path(path),
        Target::Stream { name, .. } => Place::path(name),
    };
    if options.index && options.compression != Compression::Bgzip {
        let what = "an index tells of blocks that bgzip makes: it needs them";
        return Err(Error::unsupported(place, what));
    }
    if options.index && matches!(target, Target::Stream { .. }) {
        return Err(Error::unsupported(place, "an index lies beside a file, not a stream"));
    }
    // A text and its index know chromosomes by their names alone.
    Chromosomes::named(chromosomes).map_err(|error| {
        let what = format!("{}, and a text cannot tell which is meant", error.kind());
        Error::unsupported(place.clone(), what)
    })?;
    let encoder = FragmentTsvEncoder::new(place.clone(), chromosomes, cells, options)?;
    let names = (chromosomes.clone(), cells.clone());
    FragmentTsvSink::new(target, place, encoder, names, options)
}

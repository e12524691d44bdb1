//! Where and how a matrix is written.

use std::path::{Path, PathBuf};

use nnz_core::{
    Annotations, AxisKind, Header, MatrixSink, Metadata, Names, Order, Place, Result,
    SinkCapabilities,
};

/// A place that a matrix is written to in some format. Nothing is written before
/// [`create`](Self::create), which may be called again if an attempt is given up.
pub trait MatrixTarget: Send + Sync {
    /// Returns what the format can hold.
    fn capabilities(&self) -> SinkCapabilities;

    /// Returns the path that is written to; `None` for standard output and memory.
    fn path(&self) -> Option<&Path>;

    /// Returns the place, for messages.
    fn place(&self) -> Place {
        self.path().map_or_else(|| Place::path("standard output"), Place::path)
    }

    /// Returns the directory of the output, on whose disk there has to be room for it.
    fn directory(&self) -> PathBuf {
        self.path().map_or_else(nnz_storage::temporary_directory, directory_of)
    }

    /// Checks that the place may be written, before any work is done.
    ///
    /// # Errors
    ///
    /// Fails where something is there and may not be replaced, or nothing can be created.
    fn check(&self) -> Result<()>;

    /// Returns the bytes that a matrix takes however few entries it has.
    fn min_bytes(&self, header: &Header) -> u64 {
        let _ = header;
        0
    }

    /// Returns what takes these bytes, and the format of the target that does without, if there is one.
    fn avoidable(&self, header: &Header) -> Option<(String, String)> {
        let _ = header;
        None
    }

    /// Says that the target is not written in an order, and what is.
    fn unordered(&self, order: Order) -> String {
        format!("the target is not stored by {order}")
    }

    /// Returns whether a matrix that stores its upper triangle is written with the lower one.
    fn writes_lower(&self) -> bool {
        false
    }

    /// Returns whether values get the smallest type that holds them.
    fn minimizes(&self) -> bool {
        false
    }

    /// Returns what rows and columns are in this format.
    fn axis_kinds(&self) -> [AxisKind; 2] {
        [AxisKind::Unknown; 2]
    }

    /// Says what readers of the format take the axes for, where that is not what they are.
    fn misleads(&self, axes: [AxisKind; 2]) -> Option<String> {
        let [rows, cols] = self.axis_kinds();
        let exchanged = rows != cols && rows != AxisKind::Unknown && axes == [cols, rows];
        exchanged.then(|| {
            format!("rows are {cols} here, but programs take the rows of this format for {rows}")
        })
    }

    /// Says which other data is replaced along with what is there.
    fn replaced(&self) -> Option<String> {
        None
    }

    /// Names what users keep beside a matrix and the format does not hold.
    fn unsupported(&self, metadata: Metadata) -> Vec<String> {
        metadata.named()
    }

    /// Starts writing.
    ///
    /// # Errors
    ///
    /// Fails where nothing can be created, or the header or names do not fit the format.
    fn create(&self, header: &Header, names: [Option<Names<'_>>; 2])
    -> Result<Box<dyn MatrixSink>>;

    /// Starts writing a matrix with tables that describe its rows and columns. They are there if the format
    /// [holds annotations](SinkCapabilities::annotations).
    ///
    /// # Errors
    ///
    /// Fails as [`create`](Self::create), and where a table cannot be read or stored.
    fn create_annotated(
        &self,
        header: &Header,
        names: [Option<Names<'_>>; 2],
        annotations: [Option<&dyn Annotations>; 2],
    ) -> Result<Box<dyn MatrixSink>> {
        let _ = annotations;
        self.create(header, names)
    }
}

/// Returns the directory that an output is in.
#[must_use]
pub fn directory_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_path_buf(),
        _ => PathBuf::from("."),
    }
}

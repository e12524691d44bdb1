//! Targets of matrices.

use nnz_storage::TaskContext;
use std::path::{Path, PathBuf};

use nnz_core::{
    Annotations, AxisKind, Header, MatrixSink, Metadata, Names, Order, Place, Result,
    SinkCapabilities,
};

/// A target of a matrix in some format. Nothing is written before [`create`](Self::create), which
/// can be called again if an attempt is abandoned.
pub trait MatrixTarget: Send + Sync {
    /// Returns what the format supports.
    fn capabilities(&self) -> SinkCapabilities;

    /// Returns the path of the output; `None` for standard output and memory.
    fn path(&self) -> Option<&Path>;

    /// Returns the place in messages.
    fn place(&self) -> Place {
        self.path().map_or_else(|| Place::path("standard output"), Place::path)
    }

    /// Returns the directory of the output, whose disk needs enough free space: that for temporary files, if the
    /// output is no local file.
    fn directory(&self, context: &TaskContext) -> PathBuf {
        let local = self.path().filter(|path| !nnz_core::is_url(path));
        local.map_or_else(|| context.temporary_directory(), directory_of)
    }

    /// Checks that the target can be written, before any work starts: `StagedFile::create(..).map(drop)` does for a
    /// file.
    ///
    /// # Errors
    ///
    /// Fails if it exists and may not be replaced, or if it cannot be created.
    fn check(&self) -> Result<()>;

    /// Checks the header of a matrix, before the free space is checked.
    ///
    /// # Errors
    ///
    /// Fails if the matrix should not be written as the options say.
    fn check_header(&self, header: &Header) -> Result<()> {
        let _ = header;
        Ok(())
    }

    /// Returns the minimum bytes of a matrix, however few entries it has.
    fn min_bytes(&self, header: &Header) -> u64 {
        let _ = header;
        0
    }

    /// Returns what takes these bytes, and a format of the target that does not need them, if there is
    /// one.
    fn smaller_format(&self, header: &Header) -> Option<(String, String)> {
        let _ = header;
        None
    }

    /// The reason why the target does not support a storage order.
    fn unsupported_order(&self, order: Order) -> String {
        format!("the target is not stored by {order}")
    }

    /// Returns whether a matrix that stores its upper triangle is written as the lower one. By default it is not.
    fn writes_lower(&self) -> bool {
        false
    }

    /// Returns whether values get the smallest type that holds them. By default they keep theirs.
    fn narrows_value_type(&self) -> bool {
        false
    }

    /// Returns the kinds of the axes in this format.
    fn axis_kinds(&self) -> [AxisKind; 2] {
        [AxisKind::Unknown; 2]
    }

    /// Returns whether programs that read the format expect unique names of rows and columns.
    fn expects_unique_names(&self) -> bool {
        false
    }

    /// Returns whether the target is added to a file that has the names and annotations of the matrix already.
    fn keeps_tables(&self) -> bool {
        false
    }

    /// Returns a note if other programs interpret the axes in another way.
    fn axes_note(&self, axes: [AxisKind; 2]) -> Option<String> {
        let [rows, cols] = self.axis_kinds();
        let exchanged = rows != cols && rows != AxisKind::Unknown && axes == [cols, rows];
        exchanged.then(|| {
            format!("the target now has {cols} as rows; programs that read this format treat its rows as {rows}")
        })
    }

    /// Returns a note on what is written, such as other data that is replaced as well.
    fn note(&self) -> Option<String> {
        None
    }

    /// Lists metadata that the format does not support.
    fn unsupported(&self, metadata: Metadata) -> Vec<String> {
        metadata.named()
    }

    /// Creates a sink.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be created, or if the format does not support the header or names.
    fn create(&self, header: &Header, names: [Option<Names<'_>>; 2])
    -> Result<Box<dyn MatrixSink>>;

    /// Creates a sink for a matrix with annotations, if the format [supports
    /// annotations](SinkCapabilities::annotations) or [original positions](SinkCapabilities::positions).
    ///
    /// # Errors
    ///
    /// Fails as [`create`](Self::create), and if a table cannot be read or stored.
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

/// Returns the directory of a local file.
#[must_use]
pub fn directory_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_path_buf(),
        _ => PathBuf::from("."),
    }
}

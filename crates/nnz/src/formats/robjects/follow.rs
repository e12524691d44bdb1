//! External matrices: an object has only their paths.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use nnz_core::{Error, MatrixSource, Place, Result};
use nnz_engine::Transposed;
use nnz_robjects::{ExternalKind, ExternalMatrix};

use super::{FOLLOW_PATHS, X};
use crate::formats::{JOIN_LAYERS, Probe};
use crate::{Context, Location, OpenOptions};

/// The options of an opened object.
#[derive(Clone, Debug)]
pub(super) struct Options {
    /// The layer that is the main matrix.
    pub(super) x: Option<String>,
    pub(super) follows: bool,
    /// The directory of the file.
    directory: PathBuf,
    context: Context,
    /// Notes about files that were found at another path.
    notes: Arc<Mutex<Vec<String>>>,
}

impl Options {
    pub(super) fn new(probe: &Probe, options: &OpenOptions) -> Result<Self> {
        let given = options.read_options();
        // Layers are joined when the object is read.
        given.flag(JOIN_LAYERS)?;
        let directory = probe.path().and_then(Path::parent).unwrap_or(Path::new("")).to_path_buf();
        let context = probe.context().clone();
        let x = given.get(X).map(ToOwned::to_owned);
        let notes = Arc::default();
        Ok(Self { x, follows: given.flag(FOLLOW_PATHS)?, directory, context, notes })
    }

    /// Returns the context in which the object was opened.
    pub(super) fn context(&self) -> &Context {
        &self.context
    }

    /// Opens an external matrix: by its path, or beside the object by the last name of the path.
    pub(super) fn follow(
        &self,
        found: &ExternalMatrix,
        place: &Place,
    ) -> Result<Box<dyn MatrixSource>> {
        let shown = found.path.escape_debug().to_string();
        if !self.follows {
            let what = format!(
                "an object of class {}, whose matrix is in {shown}: read that instead",
                found.class.escape_debug()
            );
            return Err(Error::unsupported(place.clone(), what)
                .with_hint("follow_paths", "reads matrices by their paths"));
        }
        let path = self.place_of(found).ok_or_else(|| {
            let what = format!(
                "the matrix is in {shown}, which exists neither there nor beside the object"
            );
            Error::unsupported(place.clone(), what)
        })?;
        if path != Path::new(&found.path) {
            let note = format!("read {} in place of {shown}", path.display());
            if let Ok(mut notes) = self.notes.lock()
                && !notes.contains(&note)
            {
                notes.push(note);
            }
        }
        let group = found.group.as_deref().map(|group| group.trim_matches('/').to_owned());
        let location = Location::Path { path, group: group.filter(|group| !group.is_empty()) };
        let options = match found.kind {
            // As in R, rows of a dataset of HDF5 are columns of a matrix in MATLAB.
            ExternalKind::Dense => OpenOptions::new().format("matlab"),
            _ => OpenOptions::new(),
        };
        let opened = options.open(location.clone(), &self.context);
        let opened = opened.and_then(crate::Dataset::into_matrix);
        let matrix = opened.map_err(|error| error.with_context(&location.source_place()))?;
        let transposed = matches!(found.kind, ExternalKind::BpCells { transposed: true });
        let matrix = if transposed { Box::new(Transposed::new(matrix)) } else { matrix };
        let shape = matrix.header().shape;
        match found.shape {
            Some([rows, cols]) if (shape.rows, shape.cols) != (rows, cols) => {
                let found = format!("a matrix of {shape}");
                let expected = format!("{rows} x {cols}, as the object states");
                Err(Error::mismatch(location.source_place(), found, expected))
            }
            _ => Ok(matrix),
        }
    }

    /// Returns notes about the files that were followed so far.
    pub(super) fn notes(&self) -> Vec<String> {
        self.notes.lock().map(|notes| notes.clone()).unwrap_or_default()
    }

    /// Returns where a matrix is, if it exists. Reading a pipe or a device could take forever.
    fn place_of(&self, found: &ExternalMatrix) -> Option<PathBuf> {
        let stated = Path::new(&found.path);
        // Windows separates names by either slash.
        let name = found.path.rsplit(['/', '\\']).find(|name| !name.is_empty())?;
        let beside = self.directory.join(name);
        [stated.to_path_buf(), beside].into_iter().find(|path| path.is_file() || path.is_dir())
    }
}

//! Writing a variable.

use crate::Context;
use std::path::{Path, PathBuf};

use nnz_container::Compression;
use nnz_container::kinds;
use nnz_core::{
    Error, Header, MatrixSink, MatrixSource, Names, Order, Result, SinkCapabilities, Storage,
    ValueType,
};
use nnz_scientific::matlab::{
    self, DENSE_CAPABILITIES, SinkOptions, is_variable_name, sparse_capabilities,
};
use nnz_storage::Opened;
use nnz_storage::staging::{StagedFile, WriteOptions};

use crate::formats::MatrixTarget;
use crate::{ConvertOptions, Location};

/// The name of a variable, if none is given.
const NAME: &str = "A";

/// The target of a variable of a `.mat` file. With its name, it is added to an existing file.
pub(super) struct MatlabTarget {
    path: PathBuf,
    /// Whether every element is stored.
    storage: Storage,
    value_type: ValueType,
    options: SinkOptions,
    write: WriteOptions,
}

impl MatlabTarget {
    pub(super) fn new(
        to: &Location,
        options: &ConvertOptions,
        source: &dyn MatrixSource,
        context: &Context,
    ) -> Result<Self> {
        let (path, name) = match to {
            Location::Path { path, group } => (path.clone(), group.as_deref().unwrap_or(NAME)),
            Location::Stream => {
                return Err(Error::argument("a MAT-file cannot be written to standard output"));
            }
        };
        if !is_variable_name(name) {
            let what = format!(
                "{to}: {name:?} is not a valid MATLAB variable name: expected a letter, then at most 62 letters, digits \
                 and underscores"
            );
            return Err(Error::argument(what));
        }
        context.check_name(&path, &super::INFO, &[kinds::HDF5])?;
        let add =
            matches!(to, Location::Path { group: Some(_), .. }) && path.symlink_metadata().is_ok();
        if add && !is_v73(&path)? {
            let what = format!("{to}: variables are added to MAT-files of version 7.3 only");
            return Err(Error::argument(what));
        }
        let options_of_sink = SinkOptions {
            name: name.to_owned(),
            add,
            compress: options.compress.unwrap_or(Compression::Gzip(1)),
            threads: options.output(context).context.threads(),
        };
        options_of_sink.compress.gzip_level("MAT-files")?;
        let storage = source.header().storage;
        let value_type = options.value_type.unwrap_or(source.header().value_type);
        Ok(Self {
            path,
            storage,
            value_type,
            options: options_of_sink,
            write: options.output(context),
        })
    }
}

/// Returns whether an existing file has the header of version 7.3.
fn is_v73(path: &Path) -> Result<bool> {
    let start = match Opened::local(path)?.file() {
        Some(file) => file.start(64)?,
        None => Vec::new(),
    };
    matlab::is_v73(&start, None)
}

impl MatrixTarget for MatlabTarget {
    fn capabilities(&self) -> SinkCapabilities {
        match self.storage {
            Storage::Sparse => sparse_capabilities(self.value_type),
            Storage::Dense => DENSE_CAPABILITIES,
        }
    }

    fn path(&self) -> Option<&Path> {
        Some(&self.path)
    }

    fn check(&self) -> Result<()> {
        if self.options.add {
            // The file is copied only once, when it is changed.
            return Ok(());
        }
        StagedFile::create(&self.path, &self.write).map(drop)
    }

    fn min_bytes(&self, header: &Header) -> u64 {
        match self.storage {
            // One pointer per column.
            Storage::Sparse => header.shape.cols.saturating_mul(8),
            Storage::Dense if self.options.compress == Compression::None => {
                let size = header.value_type.size() as u128;
                u64::try_from(header.shape.elements().saturating_mul(size)).unwrap_or(u64::MAX)
            }
            Storage::Dense => 0,
        }
    }

    fn unsupported_order(&self, order: Order) -> String {
        format!("a MATLAB matrix is written by column, not by {order}")
    }

    fn create(&self, header: &Header, _: [Option<Names<'_>>; 2]) -> Result<Box<dyn MatrixSink>> {
        let header = header.clone().storage(self.storage);
        matlab::create(&self.path, &header, self.write.clone(), &self.options)
    }
}

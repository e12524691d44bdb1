//! Writing a `dgCMatrix` of R's package Matrix.

use crate::Context;
use std::path::{Path, PathBuf};

use nnz_container::rds::RdsOptions;
use nnz_core::{AxisKind, Header, MatrixSink, Names, Result, SinkCapabilities};
use nnz_robjects::matrix as r_matrix;
use nnz_storage::staging::{StagedFile, WriteOptions};

use crate::container_target::{ends_in_rds, rds_options};
use crate::formats::MatrixTarget;
use crate::formats::target::without_group;
use crate::{ConvertOptions, Location};

/// The target of an `.rds` file.
pub(super) struct RMatrixTarget {
    path: PathBuf,
    rds: RdsOptions,
    write: WriteOptions,
}

impl RMatrixTarget {
    pub(super) fn new(to: &Location, options: &ConvertOptions, context: &Context) -> Result<Self> {
        let path = without_group(to, "dgCMatrix")?.to_path_buf();
        // BPCells has the extension of R objects, too.
        if !ends_in_rds(&path) {
            context.check_name(&path, &super::INFO, &[])?;
        }
        Ok(Self { path, rds: rds_options(options.compress)?, write: options.output(context) })
    }
}

impl MatrixTarget for RMatrixTarget {
    fn capabilities(&self) -> SinkCapabilities {
        r_matrix::CAPABILITIES
    }

    fn path(&self) -> Option<&Path> {
        Some(&self.path)
    }

    fn check(&self) -> Result<()> {
        StagedFile::create(&self.path, &self.write).map(drop)
    }

    fn axis_kinds(&self) -> [AxisKind; 2] {
        // As everywhere in R.
        [AxisKind::Features, AxisKind::Cells]
    }

    fn min_bytes(&self, header: &Header) -> u64 {
        // One pointer per column; compressed data is buffered uncompressed.
        header.shape.major(header.order).saturating_mul(4)
    }

    fn create(
        &self,
        header: &Header,
        names: [Option<Names<'_>>; 2],
    ) -> Result<Box<dyn MatrixSink>> {
        Ok(Box::new(r_matrix::create(&self.path, header, names, self.write.clone(), self.rds)?))
    }
}

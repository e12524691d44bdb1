//! Dense tables as text: comma- or tab-separated values, and GCT.

mod options;
mod target;

use crate::Context;
use std::path::Path;

use nnz_core::{MatrixSource, Result};
use nnz_storage::InputDirectory;
use nnz_storage::stdio;
use nnz_text::table::{self, TableKind};

use super::{Confidence, DatasetKind, Format, FormatInfo, FormatName, MatrixTarget, Probe};
use crate::{ConvertOptions, Dataset, Location, OpenOptions};

/// A dense table. Every kind reads tables with any separator, and writes its own.
pub(super) struct Table {
    info: &'static FormatInfo,
    kind: TableKind,
}

/// Comma-separated values.
pub(super) const CSV: Table = Table { info: &CSV_INFO, kind: TableKind::Csv };
/// Tab-separated values.
pub(super) const TSV: Table = Table { info: &TSV_INFO, kind: TableKind::Tsv };
/// GCT.
pub(super) const GCT: Table = Table { info: &GCT_INFO, kind: TableKind::Gct };

static CSV_INFO: FormatInfo = FormatInfo {
    name: FormatName::new("csv"),
    extensions: &["csv", "csv.gz"],
    ..info("Dense tables of comma-separated values, as pandas and R write them, plain or gzipped")
};

static TSV_INFO: FormatInfo = FormatInfo {
    name: FormatName::new("tsv"),
    extensions: &["tsv", "tsv.gz", "txt", "txt.gz"],
    ..info("Dense tables of tab-separated values, plain or gzipped")
};

static GCT_INFO: FormatInfo = FormatInfo {
    name: FormatName::new("gct"),
    extensions: &["gct", "gct.gz"],
    ..info("Dense tables of the Broad Institute, GCT 1.2 and 1.3, plain or gzipped")
};

const fn info(summary: &'static str) -> FormatInfo {
    FormatInfo {
        reads: &[DatasetKind::Matrix],
        writes: &[DatasetKind::Matrix],
        read_options: options::OPTIONS,
        streams: true,
        ..FormatInfo::new("", summary)
    }
}

impl Format for Table {
    fn info(&self) -> &'static FormatInfo {
        self.info
    }

    fn probe(&self, probe: &Probe) -> Result<Option<Confidence>> {
        let Some(path) = probe.path().filter(|_| probe.directory().is_none()) else {
            return Ok(None);
        };
        // Only GCT has a signature. Other texts are distinguished by their names.
        let start = probe.file().map(|(_, start)| start);
        let is_gct = self.kind == TableKind::Gct && start.is_some_and(table::looks_like_gct);
        let named = self.info.is_extension_of(path).then_some(Confidence::Fallback);
        Ok(if is_gct { Some(Confidence::Certain) } else { named })
    }

    fn is_entry(&self, path: &Path, directory: Option<&InputDirectory>) -> Result<bool> {
        // The other extensions may be any text.
        let named = self.kind == TableKind::Gct && self.info.is_extension_of(path);
        Ok(named && directory.is_none())
    }

    fn open(&self, probe: Probe, options: &OpenOptions) -> Result<Dataset> {
        let context = &probe.context().clone();
        let reading = options::read_options(options, context)?;
        let source = match probe.opened() {
            Some(opened) => table::open(opened, &reading)?,
            None => {
                let name = "standard input".as_ref();
                table::from_reader(Box::new(stdio::stdin()), name, &reading, context)?
            }
        };
        Ok(Dataset::Matrix(Box::new(source)))
    }

    fn target(
        &self,
        to: &Location,
        options: &ConvertOptions,
        _: &dyn MatrixSource,
        context: &Context,
    ) -> Result<Box<dyn MatrixTarget>> {
        Ok(Box::new(target::TableTarget::new(to, options, self, context)?))
    }
}

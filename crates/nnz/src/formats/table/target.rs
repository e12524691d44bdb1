//! Writing tables.

use crate::Context;
use crate::formats::FormatName;
use std::path::{Path, PathBuf};

use nnz_core::{Annotations, Header, MatrixSink, Names, Order, Result, Rounding, SinkCapabilities};
use nnz_storage::staging::{StagedFile, WriteOptions};
use nnz_storage::stdio::{self, TerminalEscapes};
use nnz_text::table::{self, TableKind};

use super::Table;
use crate::formats::MatrixTarget;
use crate::formats::target::{uncompressed, without_group};
use crate::{ConvertOptions, Location};

/// The target of a text.
pub(super) struct TableTarget {
    /// `None` for standard output.
    path: Option<PathBuf>,
    name: FormatName,
    options: table::WriteOptions,
    write: WriteOptions,
}

impl TableTarget {
    pub(super) fn new(
        to: &Location,
        options: &ConvertOptions,
        format: &Table,
        context: &Context,
    ) -> Result<Self> {
        let name = format.info.name;
        uncompressed(options.compress, name.as_str())?;
        let path = match to {
            Location::Stream => None,
            Location::Path { .. } => Some(without_group(to, name.as_str())?.to_path_buf()),
        };
        if let Some(path) = &path {
            context.check_name(path, format.info, &[])?;
        }
        let lossy = options.rounding == Rounding::Nearest;
        let writing = table::WriteOptions { kind: format.kind, lossy };
        Ok(Self { path, name, options: writing, write: options.output(context) })
    }
}

impl MatrixTarget for TableTarget {
    fn capabilities(&self) -> SinkCapabilities {
        let annotations = self.options.kind == TableKind::Gct;
        table::CAPABILITIES.annotations(annotations)
    }

    fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    fn check(&self) -> Result<()> {
        match &self.path {
            Some(path) => StagedFile::create(path, &self.write).map(drop),
            None => Ok(()),
        }
    }

    fn min_bytes(&self, header: &Header) -> u64 {
        match &self.path {
            // Zeros take little if they are compressed.
            Some(path) if path.extension().is_some_and(|end| end.eq_ignore_ascii_case("gz")) => {
                table::min_bytes(header) / 1024
            }
            _ => table::min_bytes(header),
        }
    }

    fn unsupported_order(&self, order: Order) -> String {
        format!("{} is written by row, not by {order}", self.name)
    }

    fn create(
        &self,
        header: &Header,
        names: [Option<Names<'_>>; 2],
    ) -> Result<Box<dyn MatrixSink>> {
        self.create_annotated(header, names, [None, None])
    }

    fn create_annotated(
        &self,
        header: &Header,
        names: [Option<Names<'_>>; 2],
        annotations: [Option<&dyn Annotations>; 2],
    ) -> Result<Box<dyn MatrixSink>> {
        let target = match &self.path {
            Some(path) => {
                nnz_lines::TextTarget::File { path: path.clone(), options: self.write.clone() }
            }
            None => nnz_lines::TextTarget::Stream {
                writer: Box::new(stdio::stdout(TerminalEscapes::Text)),
                name: "standard output".to_owned(),
                context: self.write.context.clone(),
            },
        };
        table::create(target, header, names, annotations, self.options)
    }
}

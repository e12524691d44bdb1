//! Writing Matrix Market text.

use crate::Context;
use std::path::{Path, PathBuf};

use nnz_container::Compression;
use nnz_core::{
    COMMENT, Error, Header, MatrixSink, MatrixSource, Metadata, Names, Order, Result, Rounding,
    SinkCapabilities, Storage,
};
use nnz_matrix_market::Layout;
use nnz_storage::staging::{StagedFile, WriteOptions};
use nnz_storage::stdio::{self, TerminalEscapes};

use crate::formats::FormatOption;
use crate::formats::MatrixTarget;
use crate::formats::target::without_group;
use crate::{ConvertOptions, Location};

/// Options of targets.
pub(super) const OPTIONS: &[FormatOption] = &[super::super::LAYOUT];

/// The target of a text.
pub(super) struct MatrixMarketTarget {
    /// `None` for standard output.
    path: Option<PathBuf>,
    layout: Layout,
    lossy: bool,
    comment: Option<String>,
    write: WriteOptions,
}

impl MatrixMarketTarget {
    pub(super) fn new(
        to: &Location,
        options: &ConvertOptions,
        source: &dyn MatrixSource,
        context: &Context,
    ) -> Result<Self> {
        if options.compress.is_some_and(|compress| compress != Compression::None) {
            let what =
                "the option compress does not apply to mtx: .mtx.gz is gzip, at a fixed level";
            return Err(Error::argument(what));
        }
        let path = match to {
            Location::Stream => None,
            Location::Path { .. } => Some(without_group(to, "mtx")?.to_path_buf()),
        };
        if let Some(path) = &path {
            context.check_name(path, &super::INFO, &[])?;
        }
        let dense = source.header().storage == Storage::Dense;
        let layout = if dense { Layout::Array } else { Layout::Coordinate };
        Ok(Self {
            path,
            layout: options.format_options.parse("layout")?.unwrap_or(layout),
            lossy: options.rounding == Rounding::Nearest,
            comment: nnz_matrix_market::comment(&source.metadata()),
            write: options.output(context),
        })
    }
}

impl MatrixTarget for MatrixMarketTarget {
    fn capabilities(&self) -> SinkCapabilities {
        nnz_matrix_market::capabilities(self.layout)
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
        match self.layout {
            // A digit and a line break for each element, of at least half of the matrix.
            Layout::Array => u64::try_from(header.shape.elements()).unwrap_or(u64::MAX),
            Layout::Coordinate => 0,
        }
    }

    fn unsupported_order(&self, order: Order) -> String {
        match self.layout {
            Layout::Array => format!(
                "the layout array is written by column; only the layout coordinate can be \
                 written by {order}"
            ),
            Layout::Coordinate => format!("the target is not stored by {order}"),
        }
    }

    fn writes_lower(&self) -> bool {
        true
    }

    fn unsupported(&self, mut metadata: Metadata) -> Vec<String> {
        if self.comment.is_some() {
            metadata.keys.retain(|(key, _)| key != COMMENT);
        }
        metadata.named()
    }

    fn create(&self, header: &Header, _: [Option<Names<'_>>; 2]) -> Result<Box<dyn MatrixSink>> {
        let target = match &self.path {
            Some(path) => nnz_matrix_market::TextTarget::File {
                path: path.clone(),
                options: self.write.clone(),
            },
            None => nnz_matrix_market::TextTarget::Stream {
                writer: Box::new(stdio::stdout(TerminalEscapes::Text)),
                name: "standard output".to_owned(),
                context: self.write.context.clone(),
            },
        };
        let mut options = nnz_matrix_market::Options::new(self.layout, &target);
        options.lossy = self.lossy;
        options.comment = self.comment.clone().unwrap_or_default();
        nnz_matrix_market::create(target, header, options)
    }
}

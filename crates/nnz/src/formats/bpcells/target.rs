//! Writing BPCells matrices.

use std::path::Path;

use nnz_bpcells::{FormatVersion, Packing, SinkOptions};
use nnz_core::{AxisKind, Header, MatrixSink, Names, Result, SinkCapabilities};

use crate::container_target::{ContainerTarget, DirectoryKind};
use crate::formats::MatrixTarget;
use crate::formats::target::named;
use crate::formats::{FormatOption, FormatOptions};
use crate::{ConvertOptions, Location};

/// Options of targets.
pub(super) const OPTIONS: &[FormatOption] = &[
    FormatOption::flag("unpacked", "Disable bit packing"),
    FormatOption::parsed::<FormatVersion>(
        "format-version",
        "N",
        "BPCells: version of the format, 1 or 2 [default: 2]",
    ),
];

/// The target of a BPCells matrix, in any container.
pub(super) struct Target {
    container: ContainerTarget,
    options: SinkOptions,
}

impl Target {
    pub(super) fn new(to: &Location, options: &ConvertOptions) -> Result<Self> {
        let (path, group) = named(to, "bpcells")?;
        let how = sink_options(&options.format_options)?;
        let container = ContainerTarget::new(path, group, DirectoryKind::BpCells, options)?;
        Ok(Self { container: container.with_format_version(how.format_version), options: how })
    }
}

/// Reads the options of targets.
fn sink_options(options: &FormatOptions) -> Result<SinkOptions> {
    let packing = if options.flag("unpacked")? { Packing::Unpacked } else { Packing::default() };
    let format_version = options.parse("format-version")?.unwrap_or_default();
    Ok(SinkOptions { packing, format_version })
}

impl MatrixTarget for Target {
    fn capabilities(&self) -> SinkCapabilities {
        nnz_bpcells::CAPABILITIES
    }

    fn path(&self) -> Option<&Path> {
        Some(self.container.path())
    }

    fn check(&self) -> Result<()> {
        self.container.check(nnz_bpcells::MEMBERS)
    }

    fn min_bytes(&self, header: &Header) -> u64 {
        // One pointer per major vector; compressed data is buffered uncompressed.
        header.shape.major(header.order).saturating_mul(4)
    }

    fn axis_kinds(&self) -> [AxisKind; 2] {
        [AxisKind::Features, AxisKind::Cells]
    }

    fn replaced(&self) -> Option<String> {
        self.container.groups_lost()
    }

    fn create(
        &self,
        header: &Header,
        names: [Option<Names<'_>>; 2],
    ) -> Result<Box<dyn MatrixSink>> {
        let container = self.container.writer(nnz_bpcells::MEMBERS)?;
        let sink = nnz_bpcells::MatrixSink::create(container, header, names, self.options)?;
        Ok(Box::new(sink))
    }
}

//! Writing BPCells matrices.

use crate::Context;
use std::path::Path;

use nnz_bpcells::{FormatVersion, Packing, SinkOptions};
use nnz_core::{
    Annotations, Axis, AxisKind, Error, Header, MatrixSink, Names, ORIGINAL_POSITION, Result,
    Rounding, Scalar, SinkCapabilities, ValueType,
};

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
pub(super) struct BpCellsTarget {
    container: ContainerTarget,
    options: SinkOptions,
    /// Bytes of memory for the original positions.
    memory: u64,
    /// Whether the options name the format.
    is_named: bool,
}

impl BpCellsTarget {
    pub(super) fn new(to: &Location, options: &ConvertOptions, context: &Context) -> Result<Self> {
        let (path, group) = named(to, "bpcells")?;
        let how = sink_options(&options.format_options)?;
        let container =
            ContainerTarget::new(path, group, DirectoryKind::BpCells, options, context)?;
        Ok(Self {
            container: container.with_format_version(how.format_version),
            options: how,
            memory: context.memory(),
            is_named: options.format.is_some(),
        })
    }
}

/// Reads the options of targets.
fn sink_options(options: &FormatOptions) -> Result<SinkOptions> {
    let packing = if options.flag("unpacked")? { Packing::Unpacked } else { Packing::default() };
    let format_version = options.parse("format-version")?.unwrap_or_default();
    Ok(SinkOptions { packing, format_version })
}

/// Reads the column of original positions, if there is one.
fn original_positions(table: &dyn Annotations, memory: u64) -> Result<Option<Vec<u32>>> {
    let Some(at) = table.columns().iter().position(|column| column.name == ORIGINAL_POSITION)
    else {
        return Ok(None);
    };
    let column = table.read_column(at, memory)?;
    let refused = |row: u64| {
        let what =
            format!("annotation {ORIGINAL_POSITION:?} of {row} is not a position below 2^32");
        Error::argument(what)
    };
    let position = |row: u64| match column.number(row)?.cast(ValueType::U32, Rounding::Refused) {
        Ok(Scalar::U32(position)) if !column.is_missing(row) => Some(position),
        _ => None,
    };
    (0..column.len())
        .map(|row| position(row).ok_or_else(|| refused(row)))
        .collect::<Result<_>>()
        .map(Some)
}

impl MatrixTarget for BpCellsTarget {
    fn capabilities(&self) -> SinkCapabilities {
        nnz_bpcells::CAPABILITIES.positions(!self.container.is_r_object())
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

    fn note(&self) -> Option<String> {
        // The name does not tell which class the object has.
        let is_unstated = self.container.is_r_object() && !self.is_named;
        let class = "written as an object of BPCells, which R reads with this package; format dgCMatrix writes a matrix of the \
                     package Matrix";
        is_unstated.then(|| class.to_owned()).or_else(|| self.container.groups_lost())
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
        let container = self.container.writer(nnz_bpcells::MEMBERS)?;
        let mut sink = nnz_bpcells::MatrixSink::create(container, header, names, self.options)?;
        let wanted = self.capabilities().positions;
        let of_axes = [Axis::Rows, Axis::Cols].into_iter().zip(annotations);
        for (axis, table) in of_axes.filter(|_| wanted) {
            if let Some(table) = table
                && let Some(positions) = original_positions(table, self.memory)?
            {
                sink = sink.with_original_positions(axis, &positions)?;
            }
        }
        Ok(Box::new(sink))
    }
}

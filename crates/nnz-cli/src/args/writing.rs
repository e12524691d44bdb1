//! Options of verbs that write matrices.

use clap::{Args as Group, ValueEnum};
use nnz::output::{CellAxis, DuplicatePolicy, StructurePolicy};
use nnz::{Axis, Compression, Error, Order, ValueType};

use super::{FormatArgs, Labelling, Memory, Threads, To};

/// Options of all verbs that write a matrix.
#[derive(Debug, Group)]
pub(crate) struct Writing {
    /// Format to write: a name from nnz formats, or a Binsparse format such as CSR, COOR or
    /// "dense(sparse(element))" [default: from the extension of DST]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) to: Option<To>,

    /// Write both triangles of a symmetric, skew-symmetric or Hermitian matrix
    #[arg(long)]
    pub(crate) expand: bool,

    /// Symmetric storage: keep (as in SRC), auto (one triangle if the matrix is symmetric, skew-symmetric or
    /// Hermitian), or general (both triangles, as --expand) [default: keep]
    #[arg(long, value_name = "HOW", conflicts_with = "expand")]
    pub(crate) structure: Option<StructureArg>,

    /// Store by row or by column [default: same as SRC; col if SRC is unordered]
    #[arg(long)]
    pub(crate) order: Option<OrderArg>,

    /// Value type: int8 to int64, uint8 to uint64, float32, float64, bint8 (bool), complex[float32] or
    /// complex[float64], if the target supports it; int, uint, float and double are int32, uint32, float32 and
    /// float64 [default: same as SRC; uint32 for integers if the target supports no others]
    #[arg(long = "type", value_name = "TYPE")]
    pub(crate) value_type: Option<ValueType>,

    /// Axis of the cells in DST: the matrix is transposed if needed; as-is never transposes it. If SRC does not
    /// state which axis has cells, their axis in SRC [default: as the format of DST requires, if SRC states it]
    #[arg(long, value_name = "AXIS")]
    pub(crate) cell_axis: Option<CellAxisArg>,

    /// Allow rounding to a narrower floating-point type; integers must still fit exactly
    #[arg(long)]
    pub(crate) lossy: bool,

    /// How to handle duplicate entries (same row and column) [default: error if SRC or DST does not allow
    /// them, otherwise keep]
    #[arg(long, value_name = "HOW")]
    pub(crate) duplicates: Option<Duplicates>,

    /// Compression of HDF5, NetCDF-4, Zarr, .npz and .rds: none, gzip:N (1 to 9), zstd:N (1 to 22; HDF5,
    /// NetCDF-4 and Zarr only) or blosc (the same); for Zarr also pcodec:N (0 to 12) and, after gzip:N and zstd:N,
    /// +delta, +shuffle or both, such as zstd:9+delta+shuffle [default: none; .rds gzip:6; 10x gzip:1; of whole AnnData
    /// and Loom files, arrays that SRC compresses: HDF5 gzip:4, Zarr zstd:3]
    #[arg(long, value_name = "HOW")]
    pub(crate) compress: Option<Compression>,

    /// Alias of --to, or of --layout for its values
    #[arg(long, value_name = "FORMAT", hide = true)]
    pub(crate) format: Option<String>,

    #[command(flatten)]
    pub(crate) format_options: FormatArgs,

    #[command(flatten)]
    pub(crate) labelling: Labelling,

    /// Overwrite DST. With ::GROUP, that group is replaced; without, the whole file
    #[arg(long)]
    pub(crate) force: bool,

    /// Fail instead of dropping names or other data that the target cannot store
    #[arg(long)]
    pub(crate) strict: bool,

    /// Do not wait until the data is on disk (fsync)
    #[arg(long)]
    pub(crate) no_sync: bool,

    #[command(flatten)]
    pub(crate) threads: Threads,

    #[command(flatten)]
    pub(crate) resources: Memory,
}

impl Writing {
    /// Replaces `--format`, and values of `--to` that are not names of formats, by options.
    pub(crate) fn resolve_format(&mut self) -> Result<(), Error> {
        if let Some(format) = self.format.take() {
            if matches!(&*format, "coordinate" | "array") {
                self.format_options.add("layout", &format, "--format")?;
            } else if self.to.is_some() {
                return Err(Error::argument("--format and --to cannot be used together"));
            } else {
                self.to = Some(format.parse().map_err(Error::argument)?);
            }
        }
        let Some(to) = &self.to else { return Ok(()) };
        let mut claimed = to.options.names().filter_map(|name| Some((name, to.options.get(name)?)));
        claimed.try_for_each(|(name, value)| self.format_options.add(name, value, "--to"))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CellAxisArg {
    Rows,
    Cols,
    AsIs,
}

impl From<CellAxisArg> for CellAxis {
    fn from(axis: CellAxisArg) -> Self {
        match axis {
            CellAxisArg::Rows => Self::Axis(Axis::Rows),
            CellAxisArg::Cols => Self::Axis(Axis::Cols),
            CellAxisArg::AsIs => Self::AsIs,
        }
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum OrderArg {
    Row,
    Col,
}

impl From<OrderArg> for Order {
    fn from(order: OrderArg) -> Self {
        match order {
            OrderArg::Row => Self::Row,
            OrderArg::Col => Self::Col,
        }
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum StructureArg {
    Auto,
    General,
    Keep,
}

impl From<StructureArg> for StructurePolicy {
    fn from(structure: StructureArg) -> Self {
        match structure {
            StructureArg::Auto => Self::Auto,
            StructureArg::General => Self::General,
            StructureArg::Keep => Self::Keep,
        }
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Duplicates {
    /// Fail and report the first duplicate
    #[value(alias = "refuse")]
    Error,
    /// Sum them into one entry
    Sum,
    /// Keep all of them
    Keep,
}

impl From<Duplicates> for DuplicatePolicy {
    fn from(how: Duplicates) -> Self {
        match how {
            Duplicates::Error => Self::Refuse,
            Duplicates::Sum => Self::Sum,
            Duplicates::Keep => Self::Keep,
        }
    }
}

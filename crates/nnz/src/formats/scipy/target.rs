//! Writing SciPy sparse matrices.

use crate::Context;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Instant;

use nnz_container::Compression;
use nnz_container::npz::NpzOptions;
use nnz_core::{Error, Header, MatrixSink, Names, Order, Place, Result, SinkCapabilities};
use nnz_scientific::scipy;
use nnz_storage::staging::{StagedFile, WriteOptions};

use crate::formats::target::{check_pointers, without_group};
use crate::formats::{FormatOption, MatrixTarget};
use crate::tensor::TensorFile;
use crate::{ConvertOptions, Location, Summary};

const FORMAT: &str = "sparse-format";

/// Options of targets.
pub(super) const OPTIONS: &[FormatOption] = &[FormatOption::parsed::<ScipyLayout>(
    FORMAT,
    "NAME",
    "Sparse format: csr, csc or coo [default: csr by row, csc by column]",
)];

/// The sparse format to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ScipyLayout {
    Compressed(Order),
    Coo,
}

impl FromStr for ScipyLayout {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "csr" => Ok(Self::Compressed(Order::Row)),
            "csc" => Ok(Self::Compressed(Order::Col)),
            "coo" => Ok(Self::Coo),
            "bsr" | "dia" => Err(format!("{text} is read only; expected csr, csc or coo")),
            _ => Err("expected csr, csc or coo".to_owned()),
        }
    }
}

/// The target of an `.npz` file.
pub(super) struct ScipyTarget {
    path: PathBuf,
    npz: NpzOptions,
    format: Option<ScipyLayout>,
    write: WriteOptions,
}

impl ScipyTarget {
    pub(super) fn new(to: &Location, options: &ConvertOptions, context: &Context) -> Result<Self> {
        let path = without_group(to, "scipy")?.to_path_buf();
        context.check_name(&path, &super::INFO, &[nnz_container::kinds::NPZ])?;
        crate::container_target::check_npz(options.compress)?;
        let npz = NpzOptions { compress: options.compress.unwrap_or(Compression::None) };
        let format = options.format_options.parse(FORMAT)?;
        if let (Some(ScipyLayout::Compressed(own)), Some(order)) = (format, options.order)
            && own != order
        {
            return Err(Error::argument("csr is stored by row, csc by column"));
        }
        Ok(Self { path, npz, format, write: options.output(context) })
    }
}

impl MatrixTarget for ScipyTarget {
    fn capabilities(&self) -> SinkCapabilities {
        let orders = match self.format {
            Some(ScipyLayout::Compressed(Order::Row)) => &[Order::Row][..],
            Some(ScipyLayout::Compressed(Order::Col)) => &[Order::Col],
            _ => return scipy::CAPABILITIES,
        };
        scipy::CAPABILITIES.orders(orders)
    }

    fn path(&self) -> Option<&Path> {
        Some(&self.path)
    }

    fn check(&self) -> Result<()> {
        StagedFile::create(&self.path, &self.write).map(drop)
    }

    fn min_bytes(&self, header: &Header) -> u64 {
        if self.format == Some(ScipyLayout::Coo) {
            return 0;
        }
        // One pointer per major vector.
        header.shape.major(header.order).saturating_mul(4)
    }

    fn check_header(&self, header: &Header) -> Result<()> {
        match self.format {
            None => {
                let own = if header.order == Order::Row { "csr" } else { "csc" };
                check_pointers(header, "sparse_format", &format!("coo has none, {own} writes them"))
            }
            Some(_) => Ok(()),
        }
    }

    fn create(&self, header: &Header, _: [Option<Names<'_>>; 2]) -> Result<Box<dyn MatrixSink>> {
        if self.format == Some(ScipyLayout::Coo) {
            return Ok(Box::new(scipy::create_coo(
                &self.path,
                header,
                self.write.clone(),
                self.npz,
            )?));
        }
        Ok(Box::new(scipy::create(&self.path, header, self.write.clone(), self.npz)?))
    }
}

/// Writes a tensor as a `coo` array, through memory.
pub(super) fn write_tensor(
    from: &TensorFile,
    to: &Location,
    options: &ConvertOptions,
    context: &Context,
) -> Result<Summary> {
    let started = Instant::now();
    let ScipyTarget { path, npz, format, write } = ScipyTarget::new(to, options, context)?;
    if options.order.is_some()
        || options.transpose
        || !matches!(format, None | Some(ScipyLayout::Coo))
    {
        let what = match options.transpose {
            true => "contains a tensor; only matrices can be transposed",
            false => {
                "contains a tensor, which SciPy stores as coo only, without an order of rows or columns"
            }
        };
        return Err(Error::unsupported(Place::default(), what));
    }
    StagedFile::create(&path, &write)?;
    let dropped = from.descriptor().user.iter().map(|(key, _)| format!("the metadata key {key:?}"));
    let dropped: Vec<String> = dropped.collect();
    if options.strict && !dropped.is_empty() {
        let what = format!("cannot store {}", dropped.join(", "));
        let error = Error::unsupported(to.place(), what);
        return Err(error.with_hint("strict", "does not allow dropping data"));
    }
    let mut tensor = from.read(context.memory())?;
    if let Some(fill) = tensor.fill.filter(|_| !tensor.is_full()) {
        let what = format!("the fill value is {fill}; in SciPy it is always zero");
        return Err(Error::unsupported(to.place(), what));
    }
    if let Some(value_type) = options.value_type {
        crate::tensor::cast(&mut tensor, value_type, options.rounding)?;
    }
    // In row-major order of the dimensions.
    tensor.sort()?;
    let entries = (&*tensor.shape, &*tensor.coordinates);
    let bytes_after = scipy::write_coo(&path, entries, &tensor.values, write, npz)?;
    Ok(Summary::default()
        .content(nnz_engine::SummaryContent::Tensor(tensor.shape.clone()))
        .entries(tensor.len() as u64)
        .bytes_before(from.about()?.bytes)
        .bytes_after(bytes_after)
        .seconds(started.elapsed().as_secs_f64())
        .dropped(dropped))
}

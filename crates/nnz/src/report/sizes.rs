//! How large a matrix would be in other formats, from a sample of its entries.

use crate::Context;
use std::ops::Range;

use nnz_container::Compression;
use nnz_core::{
    Annotations, Axis, AxisKind, Header, MatrixSource, Metadata, Names, Order, Placed, Projection,
    Result, UnitReader, Wrapped,
};
use nnz_engine::{Reordering, Slice, reorder};
use nnz_storage::staging::TemporaryDirectory;

use super::facts::ratio;
use crate::{ConvertOptions, Location, OpenOptions, Profile, Selection};

/// Entries in a sample.
const ENTRIES: u64 = 1 << 20;

/// Ranges of rows or columns in a sample.
const RANGES: u64 = 16;

/// Samples with more rows or columns are not written.
const LONGEST: u64 = 20_000_000;

/// Sizes of a matrix in other formats.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Sizes {
    /// The number of entries of the matrix.
    pub nnz: u64,
    /// The number of entries from which the sizes are estimated.
    pub sampled: u64,
    /// The sizes.
    pub sizes: Vec<Size>,
}

/// The size of a matrix in another format.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Size {
    /// The format.
    pub format: &'static str,
    /// The arguments of `nnz convert` that write it, after the source.
    pub arguments: &'static str,
    /// Bytes for an entry.
    pub per_entry: f64,
}

/// A target of a sample.
struct SampleTarget {
    format: &'static str,
    arguments: &'static str,
    extension: &'static str,
    profile: Option<Profile>,
    compress: Option<Compression>,
    /// The name of the format, if the extension does not state it.
    to: Option<&'static str>,
}

const TARGETS: [SampleTarget; 6] = [
    SampleTarget {
        format: "BPCells, packed",
        arguments: "OUT.bpcells --profile fast",
        extension: "bpcells",
        profile: Some(Profile::Fast),
        compress: None,
        to: None,
    },
    SampleTarget {
        format: "AnnData in Zarr, smallest with common codecs",
        arguments: "OUT.zarr --to anndata --profile small",
        extension: "zarr",
        profile: Some(Profile::Small),
        compress: None,
        to: Some("anndata"),
    },
    SampleTarget {
        format: "AnnData in HDF5, deflated",
        arguments: "OUT.h5ad --profile share",
        extension: "h5ad",
        profile: Some(Profile::Share),
        compress: None,
        to: None,
    },
    SampleTarget {
        format: "AnnData in HDF5, not compressed",
        arguments: "OUT.h5ad",
        extension: "h5ad",
        profile: None,
        compress: Some(Compression::None),
        to: None,
    },
    SampleTarget {
        format: "SciPy, deflated",
        arguments: "OUT.npz --profile share",
        extension: "npz",
        profile: Some(Profile::Share),
        compress: None,
        to: None,
    },
    SampleTarget {
        format: "Matrix Market, gzipped",
        arguments: "OUT.mtx.gz",
        extension: "mtx.gz",
        profile: None,
        compress: None,
        to: None,
    },
];

/// Estimates sizes; `None` if there are no entries, or too many rows or columns. Formats that cannot store the matrix are left out.
pub(super) fn of_source(source: &dyn MatrixSource, context: &Context) -> Result<Option<Sizes>> {
    let place = &source.place();
    let header = source.header();
    let majors = header.shape.len(major_axis(header.order));
    let ranges = sampled(majors, header.nnz.unwrap_or(0));
    let part = Selection::ranges(ranges).allow_empty(true);
    let (rows, cols) = match header.order {
        Order::Row => (part, Selection::all()),
        Order::Col => (Selection::all(), part),
    };
    let entries = Unnamed(source);
    let slice = Slice::new(Box::new(&entries as &dyn MatrixSource), &rows, &cols)?;
    let shape = slice.header().shape;
    // Pointers would take most of the space and time.
    if shape.rows.max(shape.cols) > LONGEST {
        return Ok(None);
    }
    let directory = TemporaryDirectory::create(context)?;
    let at = |name: &str| Location::Path { path: directory.path().join(name), group: None };
    let how = ConvertOptions::default().sync(false);
    // Binsparse stores any matrix as it is.
    let sample = at("sample.bsp");
    let summary = crate::convert_source(&slice, sample.clone(), &how, context)?;
    let sampled = summary.entries;
    if sampled == 0 {
        return Ok(None);
    }
    let open = OpenOptions::new();
    let sample = Placed::new(open.open_matrix(&sample, context)?, place.clone());
    let by_frequency = by_frequency(&sample, source, context)?;
    let mut sizes = Vec::new();
    for (number, target) in TARGETS.iter().enumerate() {
        let location = at(&format!("{number}.{}", target.extension));
        let mut how = how.clone().profile(target.profile).compress(target.compress);
        if let Some(name) = target.to {
            how = how.format(name);
        }
        let moves = matches!(target.profile, Some(Profile::Fast | Profile::Small));
        let written = match by_frequency.as_ref().filter(|_| moves) {
            Some([rows, cols]) => Slice::new(Box::new(&sample as &dyn MatrixSource), rows, cols)
                .and_then(|moved| crate::convert_source(&moved, location, &how, context)),
            None => crate::convert_source(&sample, location, &how, context),
        };
        match written {
            Ok(summary) => sizes.push(Size {
                format: target.format,
                arguments: target.arguments,
                per_entry: ratio(summary.bytes_after, sampled),
            }),
            Err(error) if is_of_format(&error) => {}
            Err(error) => return Err(error),
        }
    }
    let nnz = header.nnz.unwrap_or(sampled);
    Ok(Some(Sizes { nnz, sampled, sizes }))
}

fn major_axis(order: Order) -> Axis {
    match order {
        Order::Row => Axis::Rows,
        Order::Col => Axis::Cols,
    }
}

/// Returns whether a target cannot store a matrix, rather than that it cannot be read or the operation was cancelled.
fn is_of_format(error: &nnz_core::Error) -> bool {
    use nnz_core::ErrorKind as Kind;
    !matches!(error.kind(), Kind::Io(_) | Kind::Cancelled)
}

/// Returns ranges of rows or columns, spread over the axis, with about [`ENTRIES`] entries.
fn sampled(majors: u64, nnz: u64) -> Vec<Range<u64>> {
    if nnz <= ENTRIES || majors <= RANGES {
        return std::iter::once(0..majors).collect();
    }
    let wanted = u128::from(majors) * u128::from(ENTRIES) / u128::from(nnz);
    let each = u64::try_from(wanted).unwrap_or(u64::MAX).div_ceil(RANGES).max(1);
    let start = |number: u64| majors / RANGES * number;
    let end = |number: u64| if number + 1 == RANGES { majors } else { start(number + 1) };
    (0..RANGES).map(|number| start(number)..(start(number) + each).min(end(number))).collect()
}

/// Returns the order of a profile that moves features.
fn by_frequency(
    sample: &dyn MatrixSource,
    source: &dyn MatrixSource,
    context: &Context,
) -> Result<Option<[Selection; 2]>> {
    let header = source.header();
    let minor = major_axis(header.order).other();
    let which = usize::from(minor == Axis::Cols);
    if header.axis_kinds[which] != AxisKind::Features || source.read_names(minor)?.is_none() {
        return Ok(None);
    }
    let mut orders = [Reordering::Unchanged, Reordering::Unchanged];
    orders[which] = Reordering::Frequency;
    let found = reorder(sample, orders.each_ref(), context)?;
    Ok(Some(found.map(|order| order.selection)))
}

/// A matrix without names and annotations.
struct Unnamed<'a>(&'a dyn MatrixSource);

impl MatrixSource for Unnamed<'_> {
    fn wrapped(&self) -> Wrapped<'_> {
        Wrapped::SameEntries(self.0)
    }

    fn header(&self) -> &Header {
        self.0.header()
    }

    fn read_names(&self, _: Axis) -> Result<Option<Names<'_>>> {
        Ok(None)
    }

    fn annotations(&self, _: Axis) -> Result<Option<Box<dyn Annotations + '_>>> {
        Ok(None)
    }

    fn random_access(&self) -> bool {
        self.0.random_access()
    }

    fn units(
        &self,
        majors: Range<u64>,
        fields: Projection,
    ) -> Result<Box<dyn UnitReader<'_> + '_>> {
        self.0.units(majors, fields)
    }

    fn metadata(&self) -> Metadata {
        Metadata::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_spread_and_bounded() {
        let whole: Vec<Range<u64>> = std::iter::once(0..10).collect();
        assert_eq!(sampled(10, 100), whole);
        assert_eq!(sampled(10, 1 << 40), whole);
        let ranges = sampled(1 << 20, 1 << 30);
        assert_eq!(ranges.len() as u64, RANGES);
        let total: u64 = ranges.iter().map(|range| range.end - range.start).sum();
        assert_eq!(total, 1024);
        assert!(ranges.is_sorted_by(|one, next| one.end <= next.start));
        let ranges = sampled(17, 1 << 40);
        assert!(ranges.iter().all(|range| range.end - range.start == 1));
        assert!(sampled(u64::MAX, u64::MAX).iter().all(|range| range.start < range.end));
    }
}

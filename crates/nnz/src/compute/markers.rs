//! Writing markers of groups.

use crate::Context;
use crate::annotations::TableOutput;
use std::time::Instant;

use nnz_core::{Error, Result, Shape, StringList};
use nnz_engine::compute::{MarkerOptions, ValueKind, cell_axis, markers as markers_of, value_kind};

use super::Normalization;
use super::aggregate::{Groups, of_assumed};
use crate::{ConvertOptions, Location};

/// The result of writing markers.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MarkersSummary {
    /// The numbers of cells and of features.
    pub shape: Shape,
    /// The number of groups.
    pub groups: u64,
    /// The number of bytes written.
    pub bytes: u64,
    /// The time in seconds.
    pub seconds: f64,
    /// Unusual properties of the source, and whether its entries were sorted first.
    pub notes: Vec<String>,
}

/// Compares each feature in each group of cells with all other cells, and writes a table as text.
///
/// The groups are the values of a column of the annotations of cells. Cells without a value are in no group, but among the others
/// of every group, as in scanpy. The file is a `.csv`, `.tsv` or `.txt`, also with `.gz`; standard output gets tabs. There is a
/// line for each group and feature, by group and in descending order of scores, with the columns of
/// `scanpy.get.rank_genes_groups_df`. Of the conversion options, those about the file and labels apply.
///
/// ```no_run
/// use nnz::compute::{MarkerOptions, Normalization, TargetSum, markers};
/// use nnz::{Context, ConvertOptions};
///
/// let how = Normalization::default().target_sum(TargetSum::Sum(1e4)).log1p(true);
/// let (options, convert) = (MarkerOptions::default().top(Some(50)), ConvertOptions::default());
/// let context = Context::default();
/// markers("counts.h5ad", "markers.csv", "cell_type", &how, &options, &convert, &context)?;
/// # Ok::<(), nnz::Error>(())
/// ```
///
/// # Errors
///
/// Fails if there is no such column, and as [`engine::compute::markers`](crate::engine::compute::markers) and
/// [`convert`](fn@crate::convert).
pub fn markers(
    from: impl Into<Location>,
    to: impl Into<Location>,
    by: &str,
    how: &Normalization,
    options: &MarkerOptions,
    convert: &ConvertOptions,
    context: &Context,
) -> Result<MarkersSummary> {
    let started = Instant::now();
    let (from, to) = (&from.into(), &to.into().resolve_target()?);
    super::refuse_own_source(from, to)?;
    let output = TableOutput::create(to, convert.output(context))?;
    let place = &from.source_place();
    let source = convert.open.open_matrix(from, context)?;
    let (source, convert, assumed) = super::stating_cells(source, how.axis, convert);
    let source = super::labelled(source, &convert, context)?;
    let axis = how.axis.unwrap_or_else(|| cell_axis(source.header()));
    let groups = Groups::new(&*source, axis, &[by], context.memory() / 4);
    let is_assumed = assumed.is_some();
    let groups = groups.map_err(|error| of_assumed(error, axis, is_assumed).with_context(place));
    let Groups { codes, table } = groups?;
    let names = table.names();
    check_sizes(&codes, names, by).map_err(|error| error.with_context(place))?;
    let mut notes: Vec<String> = assumed.into_iter().collect();
    notes.extend(super::notes_on_logarithms(&*source, how, context)?);
    let is_plain = how.target_sum.is_none() && !how.log1p;
    if is_plain && matches!(value_kind(&*source)?, ValueKind::Negative(_)) {
        let what = "values are negative, not like logarithms of normalized counts: fold changes can be NaN";
        notes.push(what.to_owned());
    }
    let source = how.apply(source, &convert, context)?;
    let codes = (&*codes, u32::try_from(names.len()).unwrap_or(u32::MAX));
    let found = markers_of(&*source, axis, codes, options, context)?;
    let missing = codes.0.iter().filter(|code| code.is_none()).count();
    if missing > 0 {
        let (cells, are) = if missing == 1 { ("cell", "is") } else { ("cells", "are") };
        let what = format!("{missing} {cells} without a value of {by:?} {are}");
        notes.push(format!("{what} among the others of every group"));
    }
    if let Some(seconds) = found.sorting_seconds {
        notes.push(format!(
            "entries were sorted by feature first, which took {seconds:.2} s; a matrix that is stored by feature needs no sorting"
        ));
    }
    let features = source.read_names(axis.other())?;
    let features = features.map(|mut names| names.list_with_limit(context.memory())).transpose()?;
    let written = output
        .write_with(|separator, out| found.write_text(names, features.as_ref(), separator, out))?;
    let shape = source.header().shape;
    Ok(MarkersSummary {
        shape: Shape { rows: shape.len(axis), cols: shape.len(axis.other()) },
        groups: names.len(),
        bytes: written.bytes,
        seconds: started.elapsed().as_secs_f64(),
        notes,
    })
}

/// Refuses groups that are too small, and one of all cells.
fn check_sizes(codes: &[Option<u32>], names: &StringList, by: &str) -> Result<()> {
    if names.is_empty() && !codes.is_empty() {
        return Err(Error::argument(format!("no cell has a value of {by:?}")));
    }
    let mut sizes = vec![0; usize::try_from(names.len()).unwrap_or(usize::MAX)];
    for code in codes.iter().flatten() {
        sizes.get_mut(*code as usize).into_iter().for_each(|size| *size += 1);
    }
    for (name, size) in names.iter().zip(sizes) {
        let what = match size {
            1 => "1 cell: expected at least 2",
            _ if size == codes.len() => "all cells: there are none to compare with",
            _ => continue,
        };
        let what = format!("group {:?} of {by:?} has {what}", String::from_utf8_lossy(name));
        return Err(Error::argument(what));
    }
    Ok(())
}

//! Concatenating sparse matrices by row, like `anndata.concat`.

use crate::anndata::FileOptions;
use nnz_core::{Axis, Error, MatrixSource as _, Order, Place, Placed, Result, Shape};
use nnz_engine::{
    Concat, ConcatOptions, CsMatrix, Padded, Selection, Slice, promoted_type, sorted_units,
};

use super::genes::{Columns, ranges};
use super::{ConcatFilesOptions, File};
use crate::anndata::MatrixSource;
use crate::anndata::element::Element;
use crate::anndata::output::Group;
use crate::anndata::whole::elements::Transfer;

impl Transfer<'_> {
    /// Concatenates matrices at least one of which is sparse. For files without one, `heights` has
    /// the number of rows without entries.
    pub(super) fn joined_sparse(
        &mut self,
        (elements, heights): (Vec<Option<Element>>, &[u64]),
        files: &[File],
        to: (Group, &str),
        path: &str,
        columns: Option<Columns>,
        how: &ConcatFilesOptions<'_>,
    ) -> Result<()> {
        self.output.compression = self.options.compression.unwrap_or_default();
        let mut sources: Vec<Box<dyn nnz_core::MatrixSource>> = Vec::new();
        let mut types = Vec::new();
        for (number, (element, (file, place))) in elements.into_iter().zip(files).enumerate() {
            let Some(element) = element else {
                let rows = heights.get(number).copied().unwrap_or(0);
                sources.push(Box::new(Placed::new(nothing(rows)?, place.clone())));
                continue;
            };
            let place = element.place();
            let (source, place) = match element {
                Element::Array(array) => {
                    (MatrixSource::of_array(array, file.root.info().name)?, place)
                }
                Element::Group(group) => {
                    if self.options.compression.is_none() {
                        self.output.compression = self.compression(&*group.array("data")?);
                    }
                    let not = || Error::mismatch(place.clone(), "a group", "a sparse matrix");
                    (MatrixSource::of_group(&*group, None)?.ok_or_else(not)?, place)
                }
            };
            types.push(source.header().value_type);
            sources.push(Box::new(Placed::new(Box::new(source), place)));
        }
        let columns = columns.unwrap_or_else(|| {
            let lengths = sources.iter().map(|source| source.header().shape.cols);
            Columns::by_position(&lengths.collect::<Vec<u64>>(), how.join)
        });
        if columns.has_missing() && how.fill.is_some_and(|fill| fill != 0.0) {
            let what = format!("the fill value must be 0 for sparse matrices such as {path}");
            return Err(Error::argument(what));
        }
        // Values that do not fit into the common type of NumPy are errors while reading.
        let value_type = types.into_iter().reduce(promoted_type);
        let mut parts: Vec<Box<dyn nnz_core::MatrixSource>> = Vec::new();
        for (source, positions) in sources.into_iter().zip(&columns.positions) {
            let Some(positions) = positions else {
                parts.push(source);
                continue;
            };
            let (place, Shape { rows, cols }) = (source.place(), source.header().shape);
            let (ranges, missing) = ranges(positions, cols);
            let padded = Shape { rows, cols: cols.saturating_add(missing) };
            let padded = Padded::new(source, padded)?;
            let cols = Selection::ranges(ranges).allow_empty(true);
            let slice = Slice::new(Box::new(padded), &Selection::all(), &cols)?;
            parts.push(Box::new(Placed::new(Box::new(slice), place)));
        }
        let concat =
            Concat::new(parts, Axis::Rows, &ConcatOptions::default().value_type(value_type))?;
        let place = Place::path(path);
        let header = concat.header();
        if header.order == Order::Row && header.sorted_majors {
            return self.entries(&concat, &place, to, path, None);
        }
        let FileOptions { context, directory, .. } = *self.options;
        let sorted = sorted_units(&concat, Order::Row, directory, context);
        let (units, count) = sorted.map_err(|error| error.with_context(&place))?;
        let header = header.clone().order(Order::Row).nnz(count);
        self.units(units, &header, &place, to, path, None)
    }
}

/// Creates a matrix with rows but without entries and columns.
fn nothing(rows: u64) -> Result<Box<dyn nnz_core::MatrixSource>> {
    let (shape, order) = (Shape { rows: 0, cols: 0 }, Order::Row);
    let empty =
        CsMatrix::from_parts(shape, order, vec![0_u64], Vec::<u32>::new(), Vec::<f32>::new())?;
    Ok(Box::new(Padded::new(empty.into_source()?, Shape { rows, cols: 0 })?))
}

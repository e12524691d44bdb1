//! Tables as matrix sources for selections, and tables of anndata before 0.8.

use std::ops::Range;
use std::sync::Arc;

use nnz_core::{
    About, Annotations, Axis, AxisKind, Batch, Header, MatrixSource, Names, Order, Projection,
    Result, Shape, StringList, UnitReader, ValueType,
};
use nnz_engine::{Labelled, Labels, Selection, Slice, Transposed};

use super::elements::Transfer;
use super::picks::Pick;
use crate::anndata::columns::{INDEX, RESERVED, is_reserved, write_table};
use crate::anndata::output::Group;
use crate::anndata::{AnnData, DataFrame};

/// Names and annotations of both axes, without entries.
pub(super) struct Tables {
    header: Header,
    frames: [Option<Arc<DataFrame>>; 2],
}

impl Tables {
    /// Creates a source of the tables of cells and genes.
    pub(super) fn of_file(file: &AnnData) -> Result<Self> {
        Ok(Self::new([Some(file.obs()?), Some(file.var()?)]))
    }

    pub(super) fn new(frames: [Option<Arc<DataFrame>>; 2]) -> Self {
        let [rows, cols] =
            frames.each_ref().map(|frame| frame.as_ref().map_or(0, |frame| frame.len()));
        let header = Header::new(Shape { rows, cols }, Order::Row, ValueType::F32)
            .sorted_indices(true)
            .nnz(Some(0))
            .axis_kinds([AxisKind::Cells, AxisKind::Features]);
        Self { header, frames }
    }

    /// Creates a source of one table, or of some of its rows.
    fn picked(frame: Arc<DataFrame>, rows: Option<&Pick>) -> Result<Box<dyn MatrixSource>> {
        let source: Box<dyn MatrixSource> = Box::new(Self::new([Some(frame), None]));
        let Some(rows) = rows else { return Ok(source) };
        let rows = Selection::ranges(rows.ranges.iter().cloned()).allow_empty(true);
        Ok(Box::new(Slice::new(source, &rows, &Selection::all())?))
    }

    fn frame(&self, axis: Axis) -> Option<&DataFrame> {
        self.frames[usize::from(axis == Axis::Cols)].as_deref()
    }
}

impl MatrixSource for Tables {
    fn header(&self) -> &Header {
        &self.header
    }

    fn about(&self) -> Result<About> {
        Ok(About::default())
    }

    fn read_names(&self, axis: Axis) -> Result<Option<Names<'_>>> {
        self.frame(axis).map(DataFrame::names).transpose()
    }

    fn annotations(&self, axis: Axis) -> Result<Option<Box<dyn Annotations + '_>>> {
        let Some(frame) = self.frame(axis) else { return Ok(None) };
        frame.check_columns()?;
        Ok(Some(Box::new(frame)))
    }

    fn random_access(&self) -> bool {
        true
    }

    fn units(&self, _: Range<u64>, _: Projection) -> Result<Box<dyn UnitReader<'_> + '_>> {
        Ok(Box::new(NoUnits))
    }
}

/// No entries.
struct NoUnits;

impl<'a> UnitReader<'a> for NoUnits {
    fn next_unit(&mut self) -> Result<Option<Box<dyn nnz_core::Unit<Batch> + 'a>>> {
        Ok(None)
    }
}

impl Transfer<'_> {
    /// Writes a table in a layout before anndata 0.8 in the current one.
    pub(super) fn old_table(
        &mut self,
        frame: Arc<DataFrame>,
        to: (Group, &str),
        path: &str,
        rows: Option<&Pick>,
    ) -> Result<()> {
        self.check_columns(&frame, path)?;
        let index = frame.index_name().to_owned();
        let source = Tables::picked(frame, rows)?;
        self.write_frame(&*source, &index, to, None)
    }

    /// Writes the table of an axis with other names or columns, and returns the names if they were
    /// replaced.
    pub(super) fn labelled_table(
        &mut self,
        frame: Arc<DataFrame>,
        to: (Group, &str),
        rows: Option<&Pick>,
        (axis, labels): (Axis, &Labels),
    ) -> Result<Option<StringList>> {
        self.check_columns(&frame, to.1)?;
        let index = labels.names_from.clone();
        let index = index.unwrap_or_else(|| frame.index_name().to_owned());
        let none = Labels::default();
        let (source, labels) = match axis {
            Axis::Rows => (Tables::picked(frame, rows)?, [labels, &none]),
            Axis::Cols => {
                let source: Box<dyn MatrixSource> =
                    Box::new(Transposed::new(Tables::picked(frame, rows)?));
                (source, [&none, labels])
            }
        };
        let labelled = Labelled::new(source, labels, self.options.context.memory())?;
        self.report.notes.extend(labelled.notes());
        self.output.compression = self.options.compression.unwrap_or_default();
        let (names, table) = (labelled.read_names(axis)?, labelled.annotations(axis)?);
        let len = labelled.header().shape.len(axis);
        let columns = table.as_deref().map_or(&[][..], |table| table.columns());
        let reserved = format!("{} column {INDEX} ({RESERVED})", to.1);
        if columns.iter().any(|column| is_reserved(&column.name))
            && !self.report.dropped.contains(&reserved)
        {
            self.report.dropped.push(reserved);
        }
        write_table(&mut self.output, to, &index, len, names, table.as_deref())?;
        Ok(labelled.replaced_names(axis).cloned())
    }

    /// Writes another table whose rows are cells or genes, with their new names.
    pub(super) fn renamed_table(
        &mut self,
        frame: Arc<DataFrame>,
        to: (Group, &str),
        path: &str,
        rows: Option<&Pick>,
        names: &StringList,
    ) -> Result<()> {
        self.check_columns(&frame, path)?;
        let index = frame.index_name().to_owned();
        let source = Tables::picked(frame, rows)?;
        self.write_frame(&*source, &index, to, Some(names))
    }

    fn write_frame(
        &mut self,
        source: &dyn MatrixSource,
        index: &str,
        to: (Group, &str),
        names: Option<&StringList>,
    ) -> Result<()> {
        self.output.compression = self.options.compression.unwrap_or_default();
        let names = match names {
            Some(names) => Some(names.reader()),
            None => source.read_names(Axis::Rows)?,
        };
        let table = source.annotations(Axis::Rows)?;
        let len = source.header().shape.rows;
        write_table(&mut self.output, to, index, len, names, table.as_deref())
    }

    /// Fails for a table with damaged columns, and reports those that are not supported.
    pub(super) fn check_columns(&mut self, frame: &DataFrame, path: &str) -> Result<()> {
        frame.check_columns()?;
        for (name, what) in frame.unread_columns() {
            self.report.dropped.push(format!("{path} column {name} ({what})"));
        }
        if frame.columns().iter().any(|column| is_reserved(&column.name)) {
            self.report.dropped.push(format!("{path} column {INDEX} ({RESERVED})"));
        }
        Ok(())
    }
}

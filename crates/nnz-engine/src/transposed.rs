//! A matrix with rows and columns exchanged.

use std::ops::Range;

use nnz_core::{
    Annotations, At, Axis, AxisKind, Batch, Header, LowRank, MatrixSource, Names, Order,
    Projection, Result, Shape, Structure, Triangle, Unit, UnitReader, Wrapped,
};

/// A view of a matrix with rows and columns exchanged. Entries are not reordered: what was stored
/// by column is stored by row.
pub struct Transposed<'a> {
    inner: Box<dyn MatrixSource + 'a>,
    header: Header,
}

impl std::fmt::Debug for Transposed<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Transposed").field("header", &self.header).finish_non_exhaustive()
    }
}

impl<'a> Transposed<'a> {
    /// Transposes a matrix.
    #[must_use]
    pub fn new(inner: Box<dyn MatrixSource + 'a>) -> Self {
        let header = inner.header().clone();
        let [rows, cols] = header.axis_kinds;
        let other = |triangle| match triangle {
            Triangle::Lower => Triangle::Upper,
            Triangle::Upper => Triangle::Lower,
        };
        let shape = Shape { rows: header.shape.cols, cols: header.shape.rows };
        let order = exchanged(header.order);
        let structure = match header.structure {
            Structure::General => Structure::General,
            Structure::Symmetric(triangle) => Structure::Symmetric(other(triangle)),
            Structure::SkewSymmetric(triangle) => Structure::SkewSymmetric(other(triangle)),
            Structure::Hermitian(triangle) => Structure::Hermitian(other(triangle)),
        };
        let header = header.shape(shape).order(order).structure(structure).axis_kinds([cols, rows]);
        Self { inner, header }
    }
}

/// Returns the other storage order.
pub(crate) fn exchanged(order: Order) -> Order {
    match order {
        Order::Row => Order::Col,
        Order::Col => Order::Row,
    }
}

impl MatrixSource for Transposed<'_> {
    fn wrapped(&self) -> Wrapped<'_> {
        Wrapped::OtherEntries(&*self.inner)
    }

    fn is_log1p(&self) -> bool {
        self.inner.is_log1p()
    }

    fn header(&self) -> &Header {
        &self.header
    }

    fn read_names(&self, axis: Axis) -> Result<Option<Names<'_>>> {
        self.inner.read_names(axis.other())
    }

    fn annotations(&self, axis: Axis) -> Result<Option<Box<dyn Annotations + '_>>> {
        self.inner.annotations(axis.other())
    }

    fn units(
        &self,
        majors: Range<u64>,
        fields: Projection,
    ) -> Result<Box<dyn UnitReader<'_> + '_>> {
        Ok(Box::new(TransposedUnits(self.inner.units(majors, fields)?)))
    }

    fn units_within(
        &self,
        majors: Range<u64>,
        minors: &[Range<u64>],
        fields: Projection,
    ) -> Result<Option<Box<dyn UnitReader<'_> + '_>>> {
        let units = self.inner.units_within(majors, minors, fields)?;
        Ok(units.map(|units| Box::new(TransposedUnits(units)) as Box<dyn UnitReader<'_>>))
    }

    fn scattered(
        &self,
        majors: &[Range<u64>],
        most: u64,
        fields: Projection,
    ) -> Option<Box<dyn Unit + '_>> {
        let unit = self.inner.scattered(majors, most, fields)?;
        Some(Box::new(TransposedUnit(unit)))
    }

    fn as_difference(&self) -> Option<(Box<dyn MatrixSource + '_>, LowRank)> {
        let (source, product) = self.inner.as_difference()?;
        Some((Box::new(Transposed::new(source)), product.transposed()))
    }

    fn locate(&self, row: u64, col: u64) -> Result<Vec<At>> {
        self.inner.locate(col, row)
    }

    fn random_access(&self) -> bool {
        self.inner.random_access()
    }

    fn will_read(&self, majors: &[Range<u64>], fields: Projection) {
        self.inner.will_read(majors, fields);
    }

    fn stored_before(&self, major: u64) -> Result<Option<u64>> {
        self.inner.stored_before(major)
    }

    fn is_vector(&self) -> bool {
        false
    }

    fn names_column(&self, axis: Axis) -> Option<String> {
        self.inner.names_column(axis.other())
    }

    fn usual_axis_kinds(&self) -> [AxisKind; 2] {
        let [rows, cols] = self.inner.usual_axis_kinds();
        [cols, rows]
    }
}

/// Units with rows and columns exchanged.
struct TransposedUnits<'a>(Box<dyn UnitReader<'a> + 'a>);

impl<'a> UnitReader<'a> for TransposedUnits<'a> {
    fn next_unit(&mut self) -> Result<Option<Box<dyn Unit + 'a>>> {
        let unit = self.0.next_unit()?;
        Ok(unit.map(|unit| Box::new(TransposedUnit(unit)) as Box<dyn Unit>))
    }

    fn on_decoded(&mut self, entries: u64) -> Result<()> {
        self.0.on_decoded(entries)
    }

    fn counts_may_fail(&self) -> bool {
        self.0.counts_may_fail()
    }

    fn end(&mut self) -> Result<()> {
        self.0.end()
    }
}

struct TransposedUnit<'a>(Box<dyn Unit + 'a>);

impl Unit for TransposedUnit<'_> {
    fn decode(self: Box<Self>, batch: &mut Batch) -> Result<()> {
        self.0.decode(batch)?;
        batch.order = exchanged(batch.order);
        Ok(())
    }
}

//! Complex numbers part by part: matrices of floats, which can be added up and compared.

use std::ops::Range;
use std::sync::Arc;

use nnz::matrix::{At, Structure, Unit, UnitReader, Wrapped};
use nnz::{Batch, Header, MatrixSource, Projection, Result, Scalar, ValueType, Values};

/// A number that a complex number has.
#[derive(Clone, Copy)]
pub(crate) enum ComplexPart {
    Real,
    Imaginary,
}

impl ComplexPart {
    fn of<F: Copy + Into<f64>>(self, [re, im]: [F; 2]) -> f64 {
        match self {
            Self::Real => re.into(),
            Self::Imaginary => im.into(),
        }
    }

    fn of_scalar(self, scalar: Scalar) -> Scalar {
        match scalar {
            Scalar::ComplexF32(value) => Scalar::F64(self.of(value)),
            Scalar::ComplexF64(value) => Scalar::F64(self.of(value)),
            real => real,
        }
    }

    fn of_values(self, values: &Values) -> Option<Values> {
        match values {
            Values::ComplexF32(all) => {
                Some(Values::F64(all.iter().map(|&value| self.of(value)).collect()))
            }
            Values::ComplexF64(all) => {
                Some(Values::F64(all.iter().map(|&value| self.of(value)).collect()))
            }
            Values::Iso(one) => Some(Values::Iso(self.of_scalar(*one))),
            _ => None,
        }
    }

    /// Returns how the parts of entries that are not stored follow from those that are.
    fn structure(self, whole: Structure) -> Structure {
        match (self, whole) {
            (Self::Real, Structure::Hermitian(stored)) => Structure::Symmetric(stored),
            (Self::Imaginary, Structure::Hermitian(stored)) => Structure::SkewSymmetric(stored),
            (_, same) => same,
        }
    }
}

/// A matrix of complex numbers, of which one part is shown.
pub(crate) struct PartOf {
    inner: Arc<dyn MatrixSource>,
    header: Header,
    part: ComplexPart,
}

impl PartOf {
    /// Shows a part of a matrix of complex numbers.
    pub(crate) fn new(inner: Arc<dyn MatrixSource>, part: ComplexPart) -> Self {
        let header = inner.header();
        let header = header
            .clone()
            .value_type(ValueType::F64)
            .structure(part.structure(header.structure))
            .fill(header.fill.map(|fill| part.of_scalar(fill)));
        Self { inner, header, part }
    }
}

impl MatrixSource for PartOf {
    fn wrapped(&self) -> Wrapped<'_> {
        Wrapped::OtherEntries(&*self.inner)
    }

    fn header(&self) -> &Header {
        &self.header
    }

    fn units(
        &self,
        majors: Range<u64>,
        fields: Projection,
    ) -> Result<Box<dyn UnitReader<'_> + '_>> {
        let inner = self.inner.units(majors, fields)?;
        Ok(Box::new(Parts { inner, part: self.part }))
    }

    fn units_within(
        &self,
        majors: Range<u64>,
        minors: &[Range<u64>],
        fields: Projection,
    ) -> Result<Option<Box<dyn UnitReader<'_> + '_>>> {
        let inner = self.inner.units_within(majors, minors, fields)?;
        let part = self.part;
        Ok(inner.map(|inner| Box::new(Parts { inner, part }) as Box<dyn UnitReader<'_>>))
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

    fn locate(&self, row: u64, col: u64) -> Result<Vec<At>> {
        self.inner.locate(row, col)
    }
}

struct Parts<'a> {
    inner: Box<dyn UnitReader<'a> + 'a>,
    part: ComplexPart,
}

impl<'a> UnitReader<'a> for Parts<'a> {
    fn next_unit(&mut self) -> Result<Option<Box<dyn Unit + 'a>>> {
        let part = self.part;
        let unit = self.inner.next_unit()?;
        Ok(unit.map(|whole| Box::new(PartOfUnit { whole, part }) as Box<dyn Unit>))
    }

    fn on_decoded(&mut self, entries: u64) -> Result<()> {
        self.inner.on_decoded(entries)
    }

    fn end(&mut self) -> Result<()> {
        self.inner.end()
    }
}

struct PartOfUnit<'a> {
    whole: Box<dyn Unit + 'a>,
    part: ComplexPart,
}

impl Unit for PartOfUnit<'_> {
    fn decode(self: Box<Self>, batch: &mut Batch) -> Result<()> {
        self.whole.decode(batch)?;
        if let Some(values) = self.part.of_values(&batch.values) {
            batch.values = values;
        }
        Ok(())
    }
}

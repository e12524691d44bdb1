//! All entries of a matrix, comparable across formats.

use nnz::{
    Batch, MatrixSource, Projection, Result, Scalar, Values,
    matrix::{Storage, Structure},
};

/// A value of any type. Values are equal if they are the same number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Number {
    Integer(i128),
    /// Bits, with the sign of zeros and the payload of NaN.
    Real(u64),
    Complex([u64; 2]),
}

impl Number {
    pub fn of(value: Scalar) -> Self {
        match value {
            Scalar::U8(v) => Self::Integer(v.into()),
            Scalar::U16(v) => Self::Integer(v.into()),
            Scalar::U32(v) => Self::Integer(v.into()),
            Scalar::U64(v) => Self::Integer(v.into()),
            Scalar::I8(v) => Self::Integer(v.into()),
            Scalar::I16(v) => Self::Integer(v.into()),
            Scalar::I32(v) => Self::Integer(v.into()),
            Scalar::I64(v) => Self::Integer(v.into()),
            Scalar::Bint8(v) => Self::Integer(v.0.into()),
            Scalar::F32(v) => Self::Real(f64::from(v).to_bits()),
            Scalar::F64(v) => Self::Real(v.to_bits()),
            Scalar::ComplexF32(v) => Self::Complex(v.map(|part| f64::from(part).to_bits())),
            Scalar::ComplexF64(v) => Self::Complex(v.map(f64::to_bits)),
        }
    }

    pub fn is_zero(self) -> bool {
        matches!(self, Self::Integer(0) | Self::Real(0) | Self::Complex([0, 0]))
    }

    fn negated(self, dense: bool) -> Self {
        match self {
            Self::Integer(v) => Self::Integer(-v),
            Self::Real(v) => Self::Real(turned([v], dense)[0]),
            Self::Complex(parts) => Self::Complex(turned(parts, dense)),
        }
    }

    fn conjugate(self, dense: bool) -> Self {
        match self {
            Self::Complex(parts) => Self::Complex([parts[0], turned(parts, dense)[1]]),
            real => real,
        }
    }
}

/// Negates floats given by their bits. If all elements are stored, the counterpart of a zero is a zero.
fn turned<const N: usize>(parts: [u64; N], dense: bool) -> [u64; N] {
    const SIGN: u64 = 1 << 63;
    if dense && parts == [0; N] { parts } else { parts.map(|bits| bits ^ SIGN) }
}

/// Row, column, value.
pub type Entry = (u64, u64, Number);

/// Appends the entries of a batch.
pub fn append(batch: &Batch, into: &mut Vec<Entry>) {
    let done: std::result::Result<(), ()> = batch.try_for_each(|entry, major, minor| {
        let (row, col) = batch.order.row_col(major, minor);
        into.push((row, col, Number::of(batch.values.get(entry).unwrap())));
        Ok(())
    });
    done.unwrap();
}

/// Reads the stored entries in storage order.
pub fn stored(source: &dyn MatrixSource) -> Result<Vec<Entry>> {
    let header = source.header();
    let mut batch = Batch::new(header.order, Values::new(header.value_type));
    let mut reader = source.batches(0..header.shape.major(header.order), Projection::ALL)?;
    let mut entries = Vec::new();
    while reader.next_batch(&mut batch)? {
        append(&batch, &mut entries);
    }
    Ok(entries)
}

/// Returns all entries of a matrix, sorted by row: including those that follow from its structure,
/// without zeros of a dense format.
pub fn logical(source: &dyn MatrixSource) -> Result<Vec<Entry>> {
    let header = source.header();
    let mut all = Vec::new();
    for (row, col, value) in stored(source)? {
        let dense = header.storage == Storage::Dense;
        let (first, second) = match header.structure {
            Structure::General => (value, None),
            Structure::Symmetric(_) => (value, Some(value)),
            Structure::SkewSymmetric(_) => (value, Some(value.negated(dense))),
            Structure::Hermitian(_) => (value, Some(value.conjugate(dense))),
        };
        all.push((row, col, first));
        if let Some(second) = second
            && row != col
        {
            all.push((col, row, second));
        }
    }
    if header.storage == Storage::Dense {
        all.retain(|(_, _, value)| !value.is_zero());
    }
    // A stable sort, for duplicate entries.
    all.sort_by_key(|(row, col, _)| (*row, *col));
    Ok(all)
}

//! Encoding the numbers of a batch as text, on any thread.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use nnz_core::{
    At, Batch, BatchEncoder, Encoded, Error, Header, Minors, Place, Result, Scalar, ValueType,
    Values, write_float64, write_scalar,
};

/// The longest sequence of cells without entries that is encoded with the entries around it.
const GAP: u64 = 32;

/// The quiet NaN without a payload, which readers parse `nan` as.
const PLAIN_NAN: u64 = 0x7ff8_0000_0000_0000;
const SIGN: u64 = 1 << 63;

/// Encodes batches as text.
pub(super) struct Encoder {
    pub(super) path: PathBuf,
    pub(super) header: Header,
    pub(super) separator: u8,
    pub(super) lossy: bool,
    /// The text of a cell without an entry, with the separator before it.
    pub(super) blank: Vec<u8>,
    /// Unused buffers.
    pub(super) spare: Mutex<Vec<Vec<u8>>>,
}

/// Consecutive cells of a row.
pub(super) struct CellRange {
    pub(super) row: u64,
    pub(super) col: u64,
    pub(super) count: u64,
    /// The end of their text.
    pub(super) end: usize,
}

/// The text of a batch.
pub(super) struct Text {
    pub(super) text: Vec<u8>,
    pub(super) ranges: Vec<CellRange>,
    /// The number of the first entry, and of entries.
    pub(super) first: u64,
    pub(super) entries: u64,
    encoder: Arc<Encoder>,
}

impl Drop for Text {
    fn drop(&mut self) {
        let text = std::mem::take(&mut self.text);
        self.encoder.spare.lock().unwrap_or_else(PoisonError::into_inner).push(text);
    }
}

/// A shared encoder, which texts return their buffers to.
pub(super) struct Shared(pub(super) Arc<Encoder>);

impl BatchEncoder for Shared {
    fn encode(&self, batch: &Batch, first: u64) -> Result<Encoded> {
        Ok(Box::new(self.text(batch, first)?))
    }
}

impl Shared {
    pub(super) fn text(&self, batch: &Batch, first: u64) -> Result<Text> {
        let encoder = &*self.0;
        encoder.check(batch)?;
        let mut text =
            encoder.spare.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default();
        text.clear();
        let ranges = encoder.ranges(batch, &mut text)?;
        let entries = batch.entries() as u64;
        Ok(Text { text, ranges, first, entries, encoder: Arc::clone(&self.0) })
    }
}

impl Encoder {
    /// Checks that the parts of a batch are consistent with each other and the header.
    fn check(&self, batch: &Batch) -> Result<()> {
        let (runs, entries) = (batch.runs(), batch.entries());
        let minors = match &batch.minors {
            Minors::U32(list) => list.len() == entries,
            Minors::U64(list) => list.len() == entries,
            Minors::Spans(starts) => starts.len() == runs,
        };
        let majors = match &batch.majors {
            nnz_core::Majors::Listed(list) => list.len() == runs,
            nnz_core::Majors::Consecutive(_) => true,
        };
        let offsets = batch.offsets.first() == Some(&0) && batch.offsets.is_sorted();
        let values = batch.values.len().is_none_or(|len| len == entries);
        let kind =
            batch.order == self.header.order && batch.values.value_type() == self.header.value_type;
        if minors && majors && offsets && values && kind {
            return Ok(());
        }
        let what = "a batch whose parts are inconsistent with each other or with the header";
        Err(Error::argument(what))
    }

    fn ranges(&self, batch: &Batch, text: &mut Vec<u8>) -> Result<Vec<CellRange>> {
        match &batch.values {
            Values::U8(list) => self.write(batch, text, |at, out| {
                integer(out, list.get(at).copied().unwrap_or_default().into());
                Ok(())
            }),
            Values::U32(list) => self.write(batch, text, |at, out| {
                integer(out, list.get(at).copied().unwrap_or_default().into());
                Ok(())
            }),
            Values::I32(list) => self.write(batch, text, |at, out| {
                integer(out, list.get(at).copied().unwrap_or_default().into());
                Ok(())
            }),
            Values::I64(list) => self.write(batch, text, |at, out| {
                integer(out, list.get(at).copied().unwrap_or_default());
                Ok(())
            }),
            Values::F64(list) => self.write(batch, text, |at, out| {
                self.float(out, list.get(at).copied().unwrap_or_default())
            }),
            values => self.write(batch, text, |at, out| {
                values.get(at).map_or(Ok(()), |scalar| self.scalar(out, scalar))
            }),
        }
    }

    /// Writes cells, and returns where they are.
    #[inline(always)]
    fn write(
        &self,
        batch: &Batch,
        text: &mut Vec<u8>,
        mut number: impl FnMut(usize, &mut Vec<u8>) -> Result<()>,
    ) -> Result<Vec<CellRange>> {
        let shape = self.header.shape;
        let mut ranges: Vec<CellRange> = Vec::new();
        batch.try_for_each(|entry, row, col| {
            let at_entry = |error: Error| {
                error.with_context(&Place::path(&self.path).at(At::Entry { row, col }))
            };
            if row >= shape.rows || col >= shape.cols {
                let found = "an entry outside of the matrix";
                return Err(at_entry(Error::mismatch(Place::default(), found, shape)));
            }
            match ranges.last_mut() {
                Some(last)
                    if last.row == row
                        && col.wrapping_sub(last.col.saturating_add(last.count)) <= GAP =>
                {
                    let gap = col - last.col - last.count;
                    (0..gap).for_each(|_| text.extend_from_slice(&self.blank));
                    last.count += gap + 1;
                }
                _ => ranges.push(CellRange { row, col, count: 1, end: 0 }),
            }
            text.push(self.separator);
            number(entry, text).map_err(at_entry)?;
            if let Some(last) = ranges.last_mut() {
                last.end = text.len();
            }
            Ok(())
        })?;
        Ok(ranges)
    }

    pub(super) fn scalar(&self, out: &mut Vec<u8>, scalar: Scalar) -> Result<()> {
        match scalar {
            Scalar::F64(value) => self.float(out, value),
            // The payload of a NaN is kept by this conversion.
            Scalar::F32(value) => {
                let wide = Scalar::F32(value).cast(ValueType::F64, nnz_core::Rounding::Refused);
                match wide {
                    Ok(Scalar::F64(wide)) => self.float(out, wide),
                    _ => self.float(out, value.into()),
                }
            }
            other => {
                write_scalar(out, other, " ");
                Ok(())
            }
        }
    }

    fn float(&self, out: &mut Vec<u8>, value: f64) -> Result<()> {
        if !value.is_nan() {
            // Most numbers of sparse matrices are small and whole.
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "compared")]
            let digit = value as u8;
            if digit < 10 && f64::from(digit).to_bits() == value.to_bits() {
                out.extend_from_slice(&[b'0' + digit, b'.', b'0']);
                return Ok(());
            }
            write_float64(out, value);
            return Ok(());
        }
        let bits = value.to_bits();
        if bits & !SIGN != PLAIN_NAN && !self.lossy {
            return Err(Error::mismatch(
                Place::default(),
                format_args!("a NaN with the bits {bits:#018x}"),
                format_args!(
                    "{PLAIN_NAN:#018x}, the only NaN that text can represent (or its negative)"
                ),
            ));
        }
        out.extend_from_slice(if bits & SIGN == 0 { b"nan" } else { b"-nan" });
        Ok(())
    }
}

#[inline(always)]
fn integer(out: &mut Vec<u8>, value: i64) {
    match u8::try_from(value) {
        Ok(digit @ 0..=9) => out.push(b'0' + digit),
        _ => write_scalar(out, Scalar::I64(value), ""),
    }
}

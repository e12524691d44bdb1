//! Converting columns to rows, and back.

use nnz_core::Values;

use crate::file::swap_on_big_endian;

/// Copies the values of a column into rows of `stride` bytes, at offset `at` in each.
pub(super) fn scatter(values: &Values, rows: &mut [u8], stride: usize, at: usize) {
    fn copy<const N: usize>(from: &[u8], rows: &mut [u8], stride: usize, at: usize) {
        for (row, value) in rows.chunks_exact_mut(stride).zip(from.chunks_exact(N)) {
            row[at..at + N].copy_from_slice(value);
            swap_on_big_endian(&mut row[at..at + N], N);
        }
    }
    match values.value_type().size() {
        1 => copy::<1>(values.bytes(), rows, stride, at),
        2 => copy::<2>(values.bytes(), rows, stride, at),
        4 => copy::<4>(values.bytes(), rows, stride, at),
        _ => copy::<8>(values.bytes(), rows, stride, at),
    }
}

/// Copies a column from rows of `stride` bytes, at offset `at` in each, as long as there are rows.
///
/// `swap` is whether the bytes are in the byte order of the file.
pub(super) fn gather(values: &mut Values, rows: &[u8], stride: usize, at: usize, swap: bool) {
    fn copy<const N: usize>(into: &mut [u8], rows: &[u8], stride: usize, at: usize) {
        for (value, row) in into.chunks_exact_mut(N).zip(rows.chunks_exact(stride)) {
            value.copy_from_slice(&row[at..at + N]);
        }
    }
    let size = values.value_type().size();
    let into = values.bytes_mut();
    match size {
        1 => copy::<1>(into, rows, stride, at),
        2 => copy::<2>(into, rows, stride, at),
        4 => copy::<4>(into, rows, stride, at),
        _ => copy::<8>(into, rows, stride, at),
    }
    if swap {
        swap_on_big_endian(into, size);
    }
}

//! Products of sparse vectors with dense rows, and elementwise functions: loops over floats.
//!
//! All processors compute the same bits, as no multiplication and addition are fused.

macro_rules! products {
    // The panel is the number of floats that are added at once, 256 bytes, or half of it.
    ($float:ty, $panel:literal, $dot:ident, $dot_portable:ident, $axpy:ident, $axpy_portable:ident, $dot_wide:ident, $dot_exact:ident, $wide:ident,
     $doc_type:literal) => {
        for_each_processor! {
            #[doc = concat!("Adds rows of a dense matrix of `", $doc_type, "`, each multiplied by a value, to `sums`.")]
            ///
            /// `rows` has rows of the length of `sums`, and `indices` is the number of the row of each value.
            /// Returns whether all rows exist; if not, the sums are incomplete.
            ///
            /// ```
            #[doc = concat!("let mut sums = [1.0_", $doc_type, ", 1.0];")]
            #[doc = concat!("assert!(nnz_bitpack::", stringify!($dot), "(&mut sums, &[10.0, 2.0], &[1, 0], &[1.0, 2.0, 3.0, 4.0]));")]
            /// assert_eq!(sums, [33.0, 45.0]);
            /// ```
            #[must_use]
            pub fn $dot(sums: &mut [$float], values: &[$float], indices: &[u32], rows: &[$float]) -> bool
                = $dot_portable
        }

        for_each_processor! {
            #[doc = concat!("Adds a row of `", $doc_type, "`, multiplied by each value, to rows of `sums`.")]
            ///
            /// `sums` has rows of the length of `row`, and `indices` is the number of the row for each value.
            /// Returns whether all rows exist; if not, the sums are incomplete.
            ///
            /// ```
            #[doc = concat!("let mut sums = [0.0_", $doc_type, "; 4];")]
            #[doc = concat!("assert!(nnz_bitpack::", stringify!($axpy), "(&mut sums, &[10.0, 2.0], &[1, 0], &[1.0, 2.0]));")]
            /// assert_eq!(sums, [2.0, 4.0, 10.0, 20.0]);
            /// ```
            #[must_use]
            pub fn $axpy(sums: &mut [$float], values: &[$float], indices: &[u32], row: &[$float]) -> bool
                = $axpy_portable
        }

        #[inline(always)]
        fn $dot_portable(sums: &mut [$float], values: &[$float], indices: &[u32], rows: &[$float]) -> bool {
            let width = sums.len();
            if width == 1 {
                let mut complete = true;
                let mut sum = 0.0;
                for (value, index) in values.iter().zip(indices) {
                    match rows.get(*index as usize) {
                        Some(row) => sum += value * row,
                        None => complete = false,
                    }
                }
                sums[0] += sum;
                return complete;
            }
            // Rows of a fixed number of columns have an index, not a range.
            if let Ok(sums) = (&mut *sums).try_into() {
                return $dot_exact::<$panel>(sums, values, indices, rows);
            }
            if let Ok(sums) = (&mut *sums).try_into() {
                return $dot_exact::<{ $panel / 2 }>(sums, values, indices, rows);
            }
            if let Ok(sums) = (&mut *sums).try_into() {
                return $dot_exact::<8>(sums, values, indices, rows);
            }
            let (panels, rest) = sums.as_chunks_mut::<$panel>();
            let (halves, rest) = rest.as_chunks_mut::<{ $panel / 2 }>();
            let (eights, rest) = rest.as_chunks_mut::<8>();
            let mut from = 0;
            for panel in panels {
                if !$dot_wide(panel, values, indices, (rows, width, from)) {
                    return false;
                }
                from += $panel;
            }
            for half in halves {
                if !$dot_wide(half, values, indices, (rows, width, from)) {
                    return false;
                }
                from += $panel / 2;
            }
            for eight in eights {
                if !$dot_wide(eight, values, indices, (rows, width, from)) {
                    return false;
                }
                from += 8;
            }
            for (value, index) in values.iter().zip(indices) {
                let start = (*index as usize).saturating_mul(width).saturating_add(from);
                let Some(row) = rows.get(start..).and_then(|row| row.get(..rest.len())) else {
                    return false;
                };
                for (total, element) in rest.iter_mut().zip(row) {
                    *total += value * element;
                }
            }
            true
        }

        /// Adds rows of this many columns.
        #[inline(always)]
        fn $dot_exact<const WIDTH: usize>(
            sums: &mut [$float; WIDTH],
            values: &[$float],
            indices: &[u32],
            rows: &[$float],
        ) -> bool {
            let (rows, _) = rows.as_chunks::<WIDTH>();
            let mut sum = [0.0; WIDTH];
            for (value, index) in values.iter().zip(indices) {
                let Some(row) = rows.get(*index as usize) else { return false };
                for (sum, element) in sum.iter_mut().zip(row) {
                    *sum += value * element;
                }
            }
            for (total, sum) in sums.iter_mut().zip(sum) {
                *total += sum;
            }
            true
        }

        /// Adds some columns of rows, from one on.
        #[inline(always)]
        fn $dot_wide<const WIDTH: usize>(
            sums: &mut [$float; WIDTH],
            values: &[$float],
            indices: &[u32],
            (rows, width, from): (&[$float], usize, usize),
        ) -> bool {
            let mut sum = [0.0; WIDTH];
            for (value, index) in values.iter().zip(indices) {
                let start = (*index as usize).saturating_mul(width).saturating_add(from);
                let row = rows.get(start..).and_then(|row| row.first_chunk::<WIDTH>());
                let Some(row) = row else { return false };
                for (sum, element) in sum.iter_mut().zip(row) {
                    *sum += value * element;
                }
            }
            for (total, sum) in sums.iter_mut().zip(sum) {
                *total += sum;
            }
            true
        }

        #[inline(always)]
        fn $axpy_portable(sums: &mut [$float], values: &[$float], indices: &[u32], row: &[$float]) -> bool {
            let width = row.len();
            if let &[element] = row {
                let mut complete = true;
                for (value, index) in values.iter().zip(indices) {
                    match sums.get_mut(*index as usize) {
                        Some(sum) => *sum += value * element,
                        None => complete = false,
                    }
                }
                return complete;
            }
            // With a fixed number of columns, the row stays in registers.
            if let Ok(row) = row.try_into() {
                return $wide::<$panel>(sums, values, indices, row);
            }
            if let Ok(row) = row.try_into() {
                return $wide::<{ $panel / 2 }>(sums, values, indices, row);
            }
            if let Ok(row) = row.try_into() {
                return $wide::<8>(sums, values, indices, row);
            }
            let (eights, rest) = row.as_chunks::<8>();
            for (value, index) in values.iter().zip(indices) {
                let start = (*index as usize).saturating_mul(width);
                let Some(into) = sums.get_mut(start..).and_then(|sums| sums.get_mut(..width)) else {
                    return false;
                };
                let (into, into_rest) = into.as_chunks_mut::<8>();
                for (into, row) in into.iter_mut().zip(eights) {
                    for (sum, element) in into.iter_mut().zip(row) {
                        *sum += value * element;
                    }
                }
                for (sum, element) in into_rest.iter_mut().zip(rest) {
                    *sum += value * element;
                }
            }
            true
        }

        #[inline(always)]
        fn $wide<const WIDTH: usize>(
            sums: &mut [$float],
            values: &[$float],
            indices: &[u32],
            row: &[$float; WIDTH],
        ) -> bool {
            let row = *row;
            let (sums, _) = sums.as_chunks_mut::<WIDTH>();
            for (value, index) in values.iter().zip(indices) {
                let Some(into) = sums.get_mut(*index as usize) else { return false };
                for (sum, element) in into.iter_mut().zip(row) {
                    *sum += value * element;
                }
            }
            true
        }
    };
}

products! { f32, 64, add_rows_f32, add_rows_f32_portable, add_to_rows_f32, add_to_rows_f32_portable, add_wide_rows_f32, add_exact_rows_f32, add_to_wide_rows_f32, "f32" }
products! { f64, 32, add_rows_f64, add_rows_f64_portable, add_to_rows_f64, add_to_rows_f64_portable, add_wide_rows_f64, add_exact_rows_f64, add_to_wide_rows_f64, "f64" }

for_each_processor! {
    /// Replaces values of at least -1 by `ln(1 + value)`, within 2 units in the last place. Others become NaN.
    ///
    /// ```
    /// let mut values = [0.0_f32, 1.0];
    /// nnz_bitpack::log1p_f32(&mut values);
    /// assert_eq!(values, [0.0, 2.0_f32.ln()]);
    /// ```
    pub fn log1p_f32(values: &mut [f32]) -> () = log1p_portable
}

#[inline(always)]
fn log1p_portable(values: &mut [f32]) {
    for value in values {
        *value = log1p(*value);
    }
}

/// Without branches, so that many are computed at once.
#[allow(clippy::cast_precision_loss, reason = "an exponent has 8 bits")]
#[inline(always)]
fn log1p(value: f32) -> f32 {
    const SQRT_HALF: i32 = 0x3F35_04F3;
    // ln(2) = LN_2_HIGH + LN_2_LOW; products of the first with an exponent are exact.
    const LN_2_HIGH: f32 = 0.693_359_4;
    const LN_2_LOW: f32 = -2.121_944_4e-4;
    let sum = 1.0 + value;
    // The rounding error of the sum, relative to it: ln(sum + lost) = ln(sum) + lost / sum.
    let lost = if value < 1.0 { value - (sum - 1.0) } else { 1.0 - (sum - value) };
    let lost = lost / sum;
    // sum = mantissa * 2^exponent, with a mantissa from sqrt(1/2) to sqrt(2).
    let bits = sum.to_bits().cast_signed();
    let exponent = bits.wrapping_sub(SQRT_HALF) >> 23;
    let mantissa = f32::from_bits(bits.wrapping_sub(exponent << 23).cast_unsigned());
    let exponent = exponent as f32;
    // ln(1 + f) = 2 atanh(f / (2 + f)) = f - f^2 / 2 + ratio * (f^2 / 2 + series).
    let f = mantissa - 1.0;
    let ratio = f / (2.0 + f);
    let z = ratio * ratio;
    let series =
        z * (2.0 / 3.0 + z * (2.0 / 5.0 + z * (2.0 / 7.0 + z * (2.0 / 9.0 + z * (2.0 / 11.0)))));
    let half = 0.5 * f * f;
    let small = ratio * (half + series) + (exponent * LN_2_LOW + lost);
    let logarithm = exponent * LN_2_HIGH + (f - (half - small));
    let logarithm = if sum < f32::INFINITY { logarithm } else { sum };
    let logarithm = if sum == 0.0 { f32::NEG_INFINITY } else { logarithm };
    let logarithm = if sum < 0.0 { f32::NAN } else { logarithm };
    // It keeps the sign of a zero.
    if sum == 1.0 { value } else { logarithm }
}

#[cfg(test)]
#[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation)]
mod tests {
    use super::*;

    fn numbers(count: usize, seed: u32) -> Vec<f32> {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) as f32 / 65536.0 - 0.5
        };
        (0..count).map(|_| next()).collect()
    }

    #[test]
    fn rows_are_added_for_all_widths() {
        for width in (1..=70).chain([100, 128]) {
            let rows = numbers(50 * width, 1);
            let indices: Vec<u32> = (0..40).map(|n| (n * 17 + 3) % 50).collect();
            let values = numbers(40, 2);
            let mut sums = vec![0.25; width];
            assert!(add_rows_f32(&mut sums, &values, &indices, &rows));
            let mut scattered = vec![0.0; 50 * width];
            assert!(add_to_rows_f32(&mut scattered, &values, &indices, &rows[..width]));
            for at in 0..width {
                let terms = values
                    .iter()
                    .zip(&indices)
                    .map(|(value, index)| value * rows[*index as usize * width + at]);
                let expected = 0.25 + terms.sum::<f32>();
                assert!((sums[at] - expected).abs() < 1e-4, "{width}: {} {expected}", sums[at]);
            }
            for index in 0..50 {
                let factor: f32 =
                    values.iter().zip(&indices).filter(|(_, i)| **i == index).map(|(v, _)| v).sum();
                for at in 0..width {
                    let found = scattered[index as usize * width + at];
                    assert!((found - factor * rows[at]).abs() < 1e-5, "{width}");
                }
            }
        }
    }

    #[test]
    fn rows_that_do_not_exist_are_reported() {
        for width in [1, 5, 8, 32, 45] {
            let rows = vec![1.0; 3 * width];
            let mut sums = vec![0.0; width];
            assert!(!add_rows_f64(&mut sums, &[1.0, 1.0], &[2, 3], &rows), "{width}");
            assert!(!add_rows_f64(&mut sums, &[1.0], &[u32::MAX], &rows), "{width}");
            let mut sums = vec![0.0; 3 * width];
            assert!(!add_to_rows_f64(&mut sums, &[1.0], &[3], &rows[..width]), "{width}");
        }
    }

    #[test]
    fn logarithms_are_within_two_units() {
        let mut all: Vec<f32> = (0..2_000_000_u32).map(|n| f32::from_bits(n * 1066)).collect();
        all.extend((0..200_000_u32).map(|n| -f32::from_bits(n * 5315)));
        all.extend([
            0.0,
            -0.0,
            -1.0,
            f32::MAX,
            f32::INFINITY,
            f32::MIN_POSITIVE,
            1e-45,
            -1.5,
            f32::NAN,
        ]);
        let mut found = all.clone();
        log1p_f32(&mut found);
        for (value, found) in all.iter().zip(found) {
            let expected = f64::from(*value).ln_1p() as f32;
            let same = found == expected || (found.is_nan() && expected.is_nan());
            let distance = i64::from(found.to_bits()) - i64::from(expected.to_bits());
            assert!(same || distance.abs() <= 2, "log1p({value:e}): {found:e} is not {expected:e}");
        }
        assert_eq!(log1p(-0.0).to_bits(), (-0.0_f32).to_bits());
    }
}

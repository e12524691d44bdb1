//! The bitshuffle filter: bits of elements, grouped by their position in the element.

/// Restores elements of `width` bytes: the input has the first bits of all, then the second ones,
/// and so on.
///
/// This is done for a multiple of eight elements. Bytes after them are unchanged.
pub fn unshuffle_bits(from: &[u8], width: usize, out: &mut [u8]) {
    let row = from.len() / width.max(1) / 8;
    let (planes, rest) = from.split_at(row * 8 * width);
    let (elements, tail) = out.split_at_mut(row * 8 * width);
    tail.copy_from_slice(rest);
    if row == 0 {
        return;
    }
    for byte in 0..width {
        let planes = &planes[byte * 8 * row..];
        for eight in 0..row {
            let square = std::array::from_fn(|bit| planes[bit * row + eight]);
            let bytes = transpose(u64::from_le_bytes(square)).to_le_bytes();
            for (at, value) in bytes.into_iter().enumerate() {
                elements[(eight * 8 + at) * width + byte] = value;
            }
        }
    }
}

/// Transposes a matrix of eight by eight bits.
fn transpose(mut square: u64) -> u64 {
    for (distance, mask) in
        [(7, 0x00aa_00aa_00aa_00aa), (14, 0x0000_cccc_0000_cccc), (28, 0x0000_0000_f0f0_f0f0)]
    {
        let moved = (square ^ (square >> distance)) & mask;
        square ^= moved ^ (moved << distance);
    }
    square
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_square_is_transposed() {
        // Bit 3 of byte 0 becomes bit 0 of byte 3.
        assert_eq!(transpose(1 << 3), 1 << 24);
        assert_eq!(transpose(transpose(0x0123_4567_89ab_cdef)), 0x0123_4567_89ab_cdef);
    }

    #[test]
    fn bits_are_grouped_by_position() {
        // The lowest bits of eight elements of two bytes, then their second bits, and so on.
        let mut from = [0; 18];
        from[0] = 0b0000_0101;
        from[8] = 0b1000_0000;
        from[17] = 77;
        let mut out = [0; 18];
        unshuffle_bits(&from[..17], 2, &mut out[..17]);
        let mut expected = [0; 18];
        expected[0] = 1;
        expected[4] = 1;
        expected[15] = 1;
        assert_eq!(out, expected);
    }

    #[test]
    fn elements_after_a_multiple_of_eight_are_unchanged() {
        let mut from = [0; 11];
        from[0] = 0b0000_0101;
        from[8..].copy_from_slice(&[1, 2, 3]);
        let mut out = [0; 11];
        unshuffle_bits(&from, 1, &mut out);
        assert_eq!(out, [1, 0, 1, 0, 0, 0, 0, 0, 1, 2, 3]);
        unshuffle_bits(&from, 2, &mut out);
        assert_eq!(out, from);
    }
}

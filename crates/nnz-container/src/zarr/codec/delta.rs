//! The delta filter for integers.

/// Replaces differences of integers of `width` bytes by their running sums, wrapping around.
pub(super) fn add_up(bytes: &mut [u8], width: usize, big: bool) {
    let mut sum = 0_u64;
    for element in bytes.chunks_exact_mut(width) {
        let mut wide = [0; 8];
        wide[..width].copy_from_slice(element);
        if big {
            wide[..width].reverse();
        }
        sum = sum.wrapping_add(u64::from_le_bytes(wide));
        wide = sum.to_le_bytes();
        if big {
            wide[..width].reverse();
        }
        element.copy_from_slice(&wide[..width]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_add_up() {
        let mut bytes = [1, 2, 255, 254];
        add_up(&mut bytes, 1, false);
        assert_eq!(bytes, [1, 3, 2, 0]);
        let mut bytes = [0, 1, 0, 255, 0, 1];
        add_up(&mut bytes, 2, true);
        assert_eq!(bytes, [0, 1, 1, 0, 1, 1]);
    }
}

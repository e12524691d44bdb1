//! The delta filter for integers.

/// Replaces differences of integers of `width` bytes by their running sums, wrapping around.
pub(super) fn add_up(bytes: &mut [u8], width: usize, big: bool) {
    match (width, big) {
        (1, _) => add_up_by(bytes, u8::from_ne_bytes, u8::to_ne_bytes, u8::wrapping_add),
        (2, false) => add_up_by(bytes, u16::from_le_bytes, u16::to_le_bytes, u16::wrapping_add),
        (2, true) => add_up_by(bytes, u16::from_be_bytes, u16::to_be_bytes, u16::wrapping_add),
        (4, false) => add_up_by(bytes, u32::from_le_bytes, u32::to_le_bytes, u32::wrapping_add),
        (4, true) => add_up_by(bytes, u32::from_be_bytes, u32::to_be_bytes, u32::wrapping_add),
        (8, false) => add_up_by(bytes, u64::from_le_bytes, u64::to_le_bytes, u64::wrapping_add),
        (8, true) => add_up_by(bytes, u64::from_be_bytes, u64::to_be_bytes, u64::wrapping_add),
        // There are no other integers.
        _ => {}
    }
}

fn add_up_by<const WIDTH: usize, T: Copy + Default>(
    bytes: &mut [u8],
    from: fn([u8; WIDTH]) -> T,
    to: fn(T) -> [u8; WIDTH],
    add: fn(T, T) -> T,
) {
    let mut sum = T::default();
    for element in bytes.as_chunks_mut::<WIDTH>().0 {
        sum = add(sum, from(*element));
        *element = to(sum);
    }
}

/// Replaces integers of `width` bytes in native byte order by their differences, wrapping around.
pub(in crate::zarr) fn subtract(bytes: &mut [u8], width: usize) {
    match width {
        1 => subtract_by(bytes, u8::from_ne_bytes, u8::to_ne_bytes, u8::wrapping_sub),
        2 => subtract_by(bytes, u16::from_ne_bytes, u16::to_ne_bytes, u16::wrapping_sub),
        4 => subtract_by(bytes, u32::from_ne_bytes, u32::to_ne_bytes, u32::wrapping_sub),
        8 => subtract_by(bytes, u64::from_ne_bytes, u64::to_ne_bytes, u64::wrapping_sub),
        _ => {}
    }
}

fn subtract_by<const WIDTH: usize, T: Copy + Default>(
    bytes: &mut [u8],
    from: fn([u8; WIDTH]) -> T,
    to: fn(T) -> [u8; WIDTH],
    subtract: fn(T, T) -> T,
) {
    let mut before = T::default();
    for element in bytes.as_chunks_mut::<WIDTH>().0 {
        let value = from(*element);
        *element = to(subtract(value, before));
        before = value;
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

    #[test]
    fn differences_are_reversed() {
        for width in [1, 2, 4, 8] {
            let bytes: Vec<u8> = (0..80_u8).map(|n| n.wrapping_mul(151)).collect();
            let mut there = bytes.clone();
            subtract(&mut there, width);
            assert_ne!(there, bytes);
            add_up(&mut there, width, cfg!(target_endian = "big"));
            assert_eq!(there, bytes);
        }
    }
}

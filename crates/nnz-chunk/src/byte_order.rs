//! Conversion from the byte order of a file to native byte order.

use nnz_core::ValueType;

/// Converts elements to native byte order; `big` means that they are big-endian.
pub fn to_native(bytes: &mut [u8], value_type: ValueType, big: bool) {
    // A complex number is two numbers.
    let parts = if value_type.is_complex() { 2 } else { 1 };
    reorder(bytes, value_type.size() / parts, big);
}

/// Converts elements of `width` bytes to native byte order.
pub fn reorder(bytes: &mut [u8], width: usize, big: bool) {
    if big == cfg!(target_endian = "big") {
        return;
    }
    match width {
        2 => reverse::<2>(bytes),
        4 => reverse::<4>(bytes),
        8 => reverse::<8>(bytes),
        _ => {}
    }
}

fn reverse<const WIDTH: usize>(bytes: &mut [u8]) {
    for element in bytes.as_chunks_mut::<WIDTH>().0 {
        element.reverse();
    }
}

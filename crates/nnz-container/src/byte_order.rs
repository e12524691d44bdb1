//! From the file's byte order to the machine's.

use nnz_core::ValueType;

/// Puts elements into the machine's byte order; `big` says that their bytes come highest first.
pub(crate) fn to_native(bytes: &mut [u8], value_type: ValueType, big: bool) {
    // A complex one is two numbers.
    let parts = if value_type.is_complex() { 2 } else { 1 };
    reorder(bytes, value_type.size() / parts, big);
}

/// Puts elements of `width` bytes into the machine's byte order.
pub(crate) fn reorder(bytes: &mut [u8], width: usize, big: bool) {
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

//! From the file's byte order to the machine's.

/// Puts the elements of `bytes`, each `width` bytes, into the machine's byte order.
pub(super) fn to_native(bytes: &mut [u8], width: usize, big: bool) {
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

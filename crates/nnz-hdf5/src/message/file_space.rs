//! The file space info message (section IV.A.2.x).

/// Returns the position and value of the byte that marks free space as not stored; `None` if it is already set.
pub(crate) fn not_kept(body: &[u8]) -> Option<(usize, u8)> {
    match body {
        // Version, strategy, whether free space is stored.
        [1, _, 1, ..] => Some((2, 0)),
        _ => None,
    }
}

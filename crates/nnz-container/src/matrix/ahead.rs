//! Announcing what a scan will read.

use crate::vector::Vector;

/// The ends of the arrays that a scan of all entries has announced, so that a storage with a latency fetches the next chunks at the
/// same time.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ahead {
    ends: [u64; 3],
}

impl Ahead {
    /// Bytes of an array that are announced before they are read.
    const BYTES: u64 = 32 << 20;

    /// Announces what comes after an entry, of `len`, in whole chunks. There are at most three arrays, always in the same order; `None`
    /// is not read.
    pub fn announce<'a>(
        &mut self,
        arrays: impl IntoIterator<Item = Option<&'a Vector>>,
        entry: u64,
        len: u64,
    ) {
        for (vector, end) in arrays.into_iter().zip(&mut self.ends) {
            let Some(vector) = vector else { continue };
            let window = Self::BYTES / vector.value_type().size() as u64;
            let step = vector.chunk().unwrap_or(1).max(1);
            let until = entry.saturating_add(window).div_ceil(step).saturating_mul(step);
            let until = until.min(len);
            // Many chunks together, which may be one request. Most of the window is on its way, as that takes as long as many
            // requests if the latency is high.
            if *end < until && *end <= entry.saturating_add(window / 4 * 3) {
                vector.will_read(std::slice::from_ref(&(*end..until)));
                *end = until;
            }
        }
    }
}

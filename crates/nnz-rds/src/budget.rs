//! Memory limits.

use crate::error::{Error, ErrorKind, Result};

/// Limits for the memory of an object.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Maximum total size of vectors, strings and lists in bytes.
    pub memory: u64,
}

impl Default for Limits {
    /// No limit except the size of the stream.
    fn default() -> Self {
        Self { memory: u64::MAX }
    }
}

/// Counts memory against a limit.
pub(crate) struct Budget {
    used: u64,
    allowed: u64,
}

impl Budget {
    pub(crate) fn new(limits: Limits) -> Self {
        Self { used: 0, allowed: limits.memory }
    }

    /// Checks that bytes can be kept for a while, without counting them.
    pub(crate) fn check(&self, bytes: usize, offset: u64) -> Result<()> {
        let needed = self.used.saturating_add(bytes as u64);
        if needed <= self.allowed {
            return Ok(());
        }
        Err(Error::new(ErrorKind::Memory { needed, allowed: self.allowed }, offset))
    }

    /// Counts bytes that will be kept.
    pub(crate) fn take(&mut self, bytes: usize, offset: u64) -> Result<()> {
        self.check(bytes, offset)?;
        self.used += bytes as u64;
        Ok(())
    }
}

/// Reserves memory for more of the `expected` elements.
///
/// The capacity at most doubles what has arrived, up to `expected`, so that a complete vector has
/// no unused capacity.
pub(crate) fn grow<T>(vec: &mut Vec<T>, now: usize, expected: u64, offset: u64) -> Result<()> {
    if vec.capacity() - vec.len() >= now {
        return Ok(());
    }
    let left = expected.saturating_sub(vec.len() as u64);
    let left = usize::try_from(left).unwrap_or(usize::MAX);
    let more = vec.len().max(now).min(left).max(now);
    vec.try_reserve_exact(more).map_err(|_| {
        let all = (vec.len().saturating_add(more) as u64).saturating_mul(size_of::<T>() as u64);
        Error::new(ErrorKind::Memory { needed: all, allowed: vec.len() as u64 }, offset)
    })
}

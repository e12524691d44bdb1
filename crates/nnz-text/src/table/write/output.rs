//! Buffered output.

use std::path::Path;

use nnz_core::{Result, Written};
use nnz_lines::TextTarget;

/// Bytes that are written at once.
const CHUNK: usize = 256 << 10;

/// A text that is written in large pieces.
pub(super) struct Output {
    output: nnz_lines::Output,
    /// Text that is not written yet.
    text: Vec<u8>,
}

impl Output {
    pub(super) fn create(target: TextTarget, gzip: bool) -> Result<Self> {
        Ok(Self { output: nnz_lines::Output::create(target, gzip)?, text: Vec::new() })
    }

    pub(super) fn path(&self) -> &Path {
        self.output.path()
    }

    /// Writes text; short pieces are buffered.
    pub(super) fn write(&mut self, text: &[u8]) -> Result<()> {
        if self.text.len() + text.len() < CHUNK {
            self.text.extend_from_slice(text);
            return Ok(());
        }
        self.output.write(&self.text)?;
        self.text.clear();
        self.output.write(text)
    }

    /// Repeats a piece of text.
    pub(super) fn repeat(&mut self, pieces: &[u8], len: usize, mut count: u64) -> Result<()> {
        let most = (pieces.len() / len.max(1)) as u64;
        while count > 0 && most > 0 {
            let now = count.min(most);
            let bytes = usize::try_from(now).unwrap_or(0) * len;
            self.write(pieces.get(..bytes).unwrap_or_default())?;
            count -= now;
        }
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<Written> {
        self.output.write(&self.text)?;
        self.output.finish()
    }
}

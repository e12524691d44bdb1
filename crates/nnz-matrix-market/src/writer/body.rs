//! Buffered text for the output. It goes to a temporary file first if the text before it is not
//! known yet.

use nnz_core::{Result, Written};
use nnz_storage::TemporaryFile;

use nnz_lines::Output;

/// Bytes that are written at once.
const CHUNK: usize = 256 << 10;

pub(super) struct Body {
    output: Output,
    spool: Option<TemporaryFile>,
    /// Text in the buffer.
    text: Vec<u8>,
}

impl Body {
    /// Writes directly to the output.
    pub(super) fn direct(output: Output) -> Self {
        Self { output, spool: None, text: Vec::new() }
    }

    /// Writes to a temporary file, until the text before it is known.
    pub(super) fn spooled(output: Output) -> Result<Self> {
        Ok(Self { spool: Some(output.spool()?), output, text: Vec::new() })
    }

    /// Writes text; short pieces are buffered.
    pub(super) fn write(&mut self, text: &[u8]) -> Result<()> {
        if self.text.len() + text.len() < CHUNK {
            self.text.extend_from_slice(text);
            return Ok(());
        }
        self.flush()?;
        self.put(text)
    }

    fn flush(&mut self) -> Result<()> {
        let text = std::mem::take(&mut self.text);
        let put = self.put(&text);
        self.text = text;
        self.text.clear();
        put
    }

    fn put(&mut self, text: &[u8]) -> Result<()> {
        match &mut self.spool {
            None => self.output.write(text),
            Some(file) => file.write_all(text),
        }
    }

    /// Finishes the output; `before` is the text before that in the temporary file.
    pub(super) fn finish(mut self, before: &[u8]) -> Result<Written> {
        self.flush()?;
        if let Some(mut file) = self.spool.take() {
            self.output.write(before)?;
            file.rewind();
            self.text.resize(CHUNK, 0);
            loop {
                let count = file.read(&mut self.text)?;
                if count == 0 {
                    break;
                }
                self.output.write(&self.text[..count])?;
            }
        }
        self.output.finish()
    }
}

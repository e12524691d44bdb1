//! The writer of both layouts: batches are encoded on any thread, and written in order.

use std::marker::PhantomData;
use std::path::PathBuf;
use std::sync::Arc;

use nnz_core::{Batch, BatchEncoder, Encoded, Error, Header, MatrixSink, Result, Written};

use super::super::comment::lines;
use super::line::Lines;
use super::place::{Places, check_batch};
use super::ready::{EncodedText, Shared, unknown};
use super::{Options, failed};

/// A layout of text.
pub(super) trait Form: Send + Sized + 'static {
    /// Properties of the text of a batch.
    type BatchInfo: Send + 'static;

    /// Encodes a batch as text.
    fn text(rules: &Rules, batch: &Batch, lines: &mut Lines) -> Result<Self::BatchInfo>;

    /// Writes the text of the next batch.
    fn next(&mut self, rules: &Rules, text: &[u8], known: &Self::BatchInfo) -> Result<()>;

    /// Finishes the text, which has `written` entries.
    fn finish(self, rules: &Rules, written: u64) -> Result<Written>;
}

/// Properties that are the same for every batch.
pub(super) struct Rules {
    pub(super) path: PathBuf,
    pub(super) header: Header,
    pub(super) places: Places,
    pub(super) lossy: bool,
    /// The comment lines, each with a line end.
    pub(super) comments: String,
}

impl Rules {
    pub(super) fn new(path: PathBuf, header: &Header, options: &Options) -> Self {
        let comments = match &*options.comment {
            "" => String::new(),
            comment => lines(comment),
        };
        let places = Places::new(header, options.layout);
        Self { path, header: header.clone(), places, lossy: options.lossy, comments }
    }
}

pub(super) struct Sink<F> {
    form: F,
    encoder: Arc<Encoder<F>>,
    /// The number of entries written.
    written: u64,
    failed: bool,
}

/// Encodes batches as text.
struct Encoder<F> {
    rules: Rules,
    shared: Arc<Shared>,
    form: PhantomData<fn() -> F>,
}

/// The text of a batch.
struct Text<K> {
    text: EncodedText,
    known: K,
    /// Number of the first entry.
    first: u64,
    entries: u64,
}

impl<F: Form> Sink<F> {
    pub(super) fn new(form: F, rules: Rules) -> Self {
        let encoder = Encoder { rules, shared: Arc::default(), form: PhantomData };
        Self { form, encoder: Arc::new(encoder), written: 0, failed: false }
    }

    fn next(&mut self, text: &Text<F::BatchInfo>) -> Result<()> {
        if text.first != self.written {
            return Err(Error::argument("a batch out of order"));
        }
        self.written += text.entries;
        self.form.next(&self.encoder.rules, text.text.bytes(), &text.known)
    }
}

impl<F: Form> Encoder<F> {
    fn text(&self, batch: &Batch, first: u64) -> Result<Text<F::BatchInfo>> {
        check_batch(batch, &self.rules.header)?;
        let mut lines = Lines::new(self.shared.buffer());
        let known = F::text(&self.rules, batch, &mut lines)?;
        let text = EncodedText::new(lines.finish(), &self.shared);
        Ok(Text { text, known, first, entries: batch.entries() as u64 })
    }
}

impl<F: Form> BatchEncoder for Encoder<F> {
    fn encode(&self, batch: &Batch, first: u64) -> Result<Encoded> {
        match self.text(batch, first) {
            Ok(text) => Ok(Box::new(text)),
            Err(error) => {
                self.shared.fail();
                Err(error)
            }
        }
    }
}

impl<F: Form> MatrixSink for Sink<F> {
    fn write(&mut self, batch: &Batch) -> Result<()> {
        let encoded = self.encoder.encode(batch, self.written)?;
        self.write_encoded(encoded)
    }

    fn encoder(&self) -> Option<Arc<dyn BatchEncoder>> {
        Some(Arc::<Encoder<F>>::clone(&self.encoder))
    }

    fn write_encoded(&mut self, encoded: Encoded) -> Result<()> {
        let text = encoded.downcast::<Text<F::BatchInfo>>().map_err(|_| unknown())?;
        let written = self.next(&text);
        self.failed |= written.is_err();
        written
    }

    fn finish(self: Box<Self>) -> Result<Written> {
        let rules = &self.encoder.rules;
        if self.failed || self.encoder.shared.failed() {
            return Err(failed(&rules.path));
        }
        self.form.finish(rules, self.written)
    }
}

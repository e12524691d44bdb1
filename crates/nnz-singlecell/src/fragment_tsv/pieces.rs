//! Parsing pieces of text into blocks.

use libdeflater::Decompressor;
use nnz_core::{At, Error, Place, Result};
use std::path::Path;

use super::LONGEST_LINE;
use super::bgzf::{self, Beginning, LARGEST_TEXT};
use super::block::{TsvBlock, push_bounded};
use super::scan::Shared;

/// Buffers for inflating, for reuse.
pub(super) struct Inflater {
    inflater: Decompressor,
    /// The beginning of a line, followed by the text of a block.
    text: Vec<u8>,
}

impl Default for Inflater {
    fn default() -> Self {
        let text = vec![0; LONGEST_LINE + 1 + LARGEST_TEXT];
        Self { inflater: Decompressor::new(), text }
    }
}

/// Parses a piece of text.
pub(super) fn read_text(text: &[u8], shared: &Shared, block: &mut TsvBlock) {
    let rest = take(text, shared, block);
    push_bounded(&mut block.tail, &text[rest..]);
}

/// Inflates BGZF blocks and parses their text. `byte` is the position of the first in the file.
pub(super) fn read_blocks(
    blocks: &[u8],
    first_byte: u64,
    path: &Path,
    shared: &Shared,
    inflater: &mut Inflater,
    block: &mut TsvBlock,
) -> Result<()> {
    let Inflater { inflater, text } = inflater;
    let mut at = 0;
    let mut partial = 0;
    while at < blocks.len() {
        let rest = &blocks[at..];
        let Beginning::Block { len, data } = bgzf::beginning(rest) else { break };
        let whole = &rest[..len.min(rest.len())];
        let len = bgzf::inflate(inflater, whole, data, &mut text[partial..]).map_err(|found| {
            let place = Place::path(path).at(At::Byte(first_byte + at as u64));
            Error::mismatch(place, found, "whole BGZF blocks")
        })?;
        at += whole.len();
        let end = partial + len;
        let rest = take(&text[..end], shared, block);
        let kept = (end - rest).min(LONGEST_LINE + 1);
        text.copy_within(rest..rest + kept, 0);
        partial = kept;
    }
    push_bounded(&mut block.tail, &text[..partial]);
    Ok(())
}

/// Parses the complete lines of a text into a block, and returns the position of the rest.
fn take(text: &[u8], shared: &Shared, block: &mut TsvBlock) -> usize {
    let mut start = 0;
    if !block.headed {
        let Some(newline) = memchr::memchr(b'\n', text) else {
            push_bounded(&mut block.head, text);
            return text.len();
        };
        push_bounded(&mut block.head, &text[..newline]);
        block.headed = true;
        start = newline + 1;
    }
    let end = memchr::memrchr(b'\n', &text[start..]).map_or(start, |last| start + last + 1);
    shared.scan(&text[start..end], block);
    end
}

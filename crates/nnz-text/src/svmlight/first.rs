//! The first word of a line: a label, a label with a weight, or an entry of a row without a label.

use nnz_core::Result;
use nnz_lines::number::number;

use crate::blocks::{Block, Blocks, Start};
use crate::fault::{Fault, is_line_end, next_line, skip_blanks, word_end};
use crate::text::Text;

/// How first words with a colon are read. XGBoost reads `1:0.5` as the label 1 with the weight 0.5, other programs as an
/// entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct FirstWords {
    /// Whether they are labels with weights.
    pub(super) weighted: bool,
    /// Whether that was given; otherwise all rows have to be like the first.
    given: bool,
}

impl FirstWords {
    /// Decides by what is given, or by the first row.
    pub(super) fn of(text: &Text, given: Option<bool>) -> Result<Self> {
        if let Some(weighted) = given {
            return Ok(Self { weighted, given: true });
        }
        let mut blocks = Blocks::new(text, b'#')?;
        while let Some(block) = blocks.next_block()? {
            if let Some(weighted) = first_is_weighted(&block) {
                return Ok(Self { weighted, given: false });
            }
        }
        Ok(Self::default())
    }

    /// Returns whether the weights were detected.
    pub(super) fn is_guess(self) -> bool {
        self.weighted && !self.given
    }

    /// Returns the length of the label if a first word is one with a weight.
    pub(super) fn label_len(
        self,
        word: &[u8],
        at: usize,
        indented: bool,
    ) -> Result<Option<usize>, Fault> {
        let pair = pair(word);
        match (self.weighted, pair) {
            (true, None) if !self.given => Err(ambiguous(at, "a label with a weight")),
            // Rows without labels begin with a blank, as scikit-learn writes them.
            (false, Some(_)) if !self.given && !indented => Err(ambiguous(at, "a label")),
            (true, Some(len)) => Ok(Some(len)),
            _ => Ok(None),
        }
    }
}

#[cold]
fn ambiguous(at: usize, like: &str) -> Fault {
    let effect = "yes or no states whether LABEL:WEIGHT begins rows";
    Fault::new(at, format!("{like}, as in the first row")).with_hint("label_weights", effect)
}

/// Returns the position of the colon in a label with a weight.
fn pair(word: &[u8]) -> Option<usize> {
    let colon = memchr::memchr(b':', word)?;
    let is_number = |text: &[u8]| number(text, 0).is_ok_and(|(_, end)| end == text.len());
    let (label, weight) = (word.get(..colon)?, word.get(colon + 1..)?);
    (is_number(label) && is_number(weight)).then_some(colon)
}

/// Returns the first word of a line, without a comment.
pub(super) fn first_word(text: &[u8], at: usize) -> &[u8] {
    let word = text.get(at..word_end(text, at)).unwrap_or_default();
    let end = memchr::memchr(b'#', word).unwrap_or(word.len());
    word.get(..end).unwrap_or_default()
}

/// Returns whether the first row of a block has a weight; `None` if the block has no row.
fn first_is_weighted(block: &Block) -> Option<bool> {
    let text = block.text();
    let mut at = match block.start {
        Start::Comment => next_line(text, 0),
        Start::Line | Start::Word => 0,
    };
    while at < text.len() {
        let first = skip_blanks(text, at);
        if text.get(first) != Some(&b'#') && !is_line_end(text, first) {
            return Some(first == at && pair(first_word(text, first)).is_some());
        }
        at = next_line(text, first);
    }
    None
}

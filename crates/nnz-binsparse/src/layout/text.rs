//! Layouts as text: `CSR`, or `sparse(dense2(element)) transposed 1 0 2`.

use std::fmt;
use std::str::FromStr;

use super::{Layout, Level, LevelKind};
use crate::Format;

impl fmt::Display for Layout {
    /// Writes the name of the format, or the levels if it has none.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.format() {
            Some(format) => f.pad(format.name()),
            None => f.pad(&self.tree()),
        }
    }
}

impl Layout {
    /// Returns the levels as text, such as `dense(sparse2(element)) transposed 2 0 1`.
    #[must_use]
    pub fn tree(&self) -> String {
        let mut text = String::new();
        for level in &self.levels {
            text += match level.kind {
                LevelKind::Dense => "dense",
                LevelKind::Sparse => "sparse",
            };
            if level.rank > 1 {
                text += &level.rank.to_string();
            }
            text.push('(');
        }
        text += "element";
        text += &")".repeat(self.levels.len());
        if let Some(transpose) = self.transpose() {
            text += " transposed";
            for dimension in transpose {
                text += &format!(" {dimension}");
            }
        }
        text
    }
}

impl FromStr for Layout {
    type Err = String;

    /// Parses a format name in any case, or levels.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if let Some(format) = Format::named(&text.trim().to_ascii_uppercase()) {
            return Ok(format.layout());
        }
        parse(text).ok_or_else(|| {
            "expected a format such as CSR, or levels such as dense(sparse(element))".to_owned()
        })
    }
}

fn parse(text: &str) -> Option<Layout> {
    let (tree, transpose) = match text.split_once("transposed") {
        Some((tree, order)) => {
            let order: Result<Vec<usize>, _> = order.split_whitespace().map(str::parse).collect();
            (tree, Some(order.ok()?))
        }
        None => (text, None),
    };
    let (levels, closing) = tree.trim().split_once("element")?;
    let levels: Vec<&str> = levels.split_terminator('(').collect();
    if closing != ")".repeat(levels.len()) {
        return None;
    }
    let levels: Option<Vec<Level>> = levels.into_iter().map(level).collect();
    Layout::new(levels?, transpose)
}

fn level(text: &str) -> Option<Level> {
    let (kind, rank) = match text.strip_prefix("dense") {
        Some(rank) => (LevelKind::Dense, rank),
        None => (LevelKind::Sparse, text.strip_prefix("sparse")?),
    };
    let rank = if rank.is_empty() { 1 } else { rank.parse().ok()? };
    Some(Level { kind, rank })
}

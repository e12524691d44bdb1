//! Numbers of edges and nodes in the headers of KONECT and SNAP.

use nnz_core::{At, Error, Result};
use nnz_lines::digits::digits;

use super::form::Form;
use super::survey::Survey;
use crate::text::Text;

/// Counts stated in a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct HeaderCounts {
    edges: u64,
    /// Rows and columns; `None` in SNAP, whose ids may have gaps.
    pub(super) nodes: Option<(u64, u64)>,
    /// The line of the header.
    line: u64,
}

/// Returns whether a text begins like a file of KONECT.
#[must_use]
pub fn is_konect(start: &[u8]) -> bool {
    konect_kind(start).is_some()
}

/// Returns the kind of network in the header of KONECT.
pub(super) fn konect_kind(start: &[u8]) -> Option<&[u8]> {
    const WEIGHTS: [&[u8]; 9] = [
        b"unweighted",
        b"positive",
        b"posweighted",
        b"signed",
        b"multisigned",
        b"weighted",
        b"multiweighted",
        b"dynamic",
        b"multiposweighted",
    ];
    let line = start.split(|byte| *byte == b'\n').next()?.strip_prefix(b"%")?;
    let mut words = words(line);
    let kind = words.next().filter(|word| [&b"sym"[..], b"asym", b"bip"].contains(word))?;
    words.next().is_some_and(|word| WEIGHTS.contains(&word)).then_some(kind)
}

fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}

fn count(word: &[u8]) -> Option<u64> {
    let whole = digits(word, 0).filter(|(_, end)| *end == word.len());
    whole.map(|(count, _)| count).filter(|count| *count <= i64::MAX.unsigned_abs())
}

impl HeaderCounts {
    /// Reads the second line of KONECT: edges, rows, columns.
    pub(super) fn of_konect(start: &[u8]) -> Option<Self> {
        let line = start.split(|byte| *byte == b'\n').nth(1)?.strip_prefix(b"%")?;
        let counts: Option<Vec<u64>> = words(line).map(count).collect();
        match &*counts? {
            [edges, rows, cols] => {
                Some(Self { edges: *edges, nodes: Some((*rows, *cols)), line: 2 })
            }
            _ => None,
        }
    }

    /// Reads a comment of SNAP before the first edge: `# Nodes: 5 Edges: 7`.
    pub(super) fn of_snap(start: &[u8]) -> Option<Self> {
        let lines = start.split(|byte| *byte == b'\n').zip(1..);
        let mut comments = lines.take_while(|(line, _)| line.starts_with(b"#"));
        comments.find_map(|(text, line)| {
            let text: Vec<&[u8]> = words(text.strip_prefix(b"#")?).collect();
            match text[..] {
                [b"Nodes:", nodes, b"Edges:", edges] => {
                    count(nodes)?;
                    Some(Self { edges: count(edges)?, nodes: None, line })
                }
                _ => None,
            }
        })
    }

    /// Refuses a list with other numbers than the header, such as an incomplete download.
    pub(super) fn check(&self, text: &Text, form: &Form, survey: &Survey) -> Result<()> {
        let place = || text.place().at(At::Line { line: self.line, column: 1 });
        let refuse = |found: String, expected: String| {
            let expected = format!("{expected}, as the header states");
            let error = Error::mismatch(place(), found, expected);
            Err(error.with_hint("ignore_counts", "skips this check"))
        };
        let counted = |count: u64, what: &str| match count {
            1 => format!("1 {what}"),
            _ => format!("{count} {what}s"),
        };
        if !self.is_count(survey) {
            return refuse(counted(survey.edges, "edge"), self.edges.to_string());
        }
        let Some((rows, cols)) = self.nodes else { return Ok(()) };
        let [needed_rows, needed_cols] = survey.needed;
        match form.bipartite {
            true if needed_rows > rows => refuse(counted(needed_rows, "row"), rows.to_string()),
            true if needed_cols > cols => refuse(counted(needed_cols, "column"), cols.to_string()),
            false if needed_rows.max(needed_cols) > rows.max(cols) => {
                refuse(counted(needed_rows.max(needed_cols), "node"), rows.max(cols).to_string())
            }
            _ => Ok(()),
        }
    }

    /// Returns whether a list has as many edges. SNAP counts an edge without a direction once or twice, and lists it once or
    /// twice.
    fn is_count(&self, survey: &Survey) -> bool {
        let (listed, loops) = (u128::from(survey.edges), u128::from(survey.loops));
        let stated = u128::from(self.edges);
        let twice = |edges: u128| (2 * edges).saturating_sub(loops);
        stated == listed
            || self.nodes.is_none() && (twice(stated) == listed || twice(listed) == stated)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_snap_are_comments_before_the_first_edge() {
        let stated = |text: &str| HeaderCounts::of_snap(text.as_bytes()).map(|stated| stated.edges);
        assert_eq!(stated("# Directed graph: a\n# Nodes: 5 Edges: 7\r\n0 1\n"), Some(7));
        assert_eq!(stated("# Nodes: 5\tEdges: 7\n"), Some(7));
        for text in ["0 1\n# Nodes: 5 Edges: 7\n", "# Nodes: many Edges: 7\n", "# Edges: 7\n", ""] {
            assert_eq!(stated(text), None, "{text}");
        }
    }
}

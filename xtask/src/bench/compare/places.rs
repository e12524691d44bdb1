//! Names and paths in `benches/inputs.txt` and `benches/rows.txt`.
//!
//! The first word of a command is a program of [`Tools`]. Words that start with `in/` or `@in/` are inputs, with
//! `out/` outputs, with `data/` and `peers/` scripts in `benches`. Numbers and names in braces depend on the number
//! of cells, see [`Places::new`].

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::CELLS;
use super::tools::{Tools, benches};
use crate::error::{Error, Result};

/// The directory of the inputs, and the values of names in braces.
pub(super) struct Places {
    directory: PathBuf,
    names: [(&'static str, String); 10],
}

impl Places {
    /// Scales the inputs to a number of cells.
    pub(super) fn new(directory: &Path, cells: u64) -> Self {
        let all = cells >= CELLS;
        let big = if all { "big".to_owned() } else { format!("big-{cells}") };
        let edges = if all { 30_000_000 } else { 30_000_000 * cells / CELLS };
        // A side of the stencil is the cube root of its size.
        let most = 91_u64.pow(3) * cells.min(CELLS) / CELLS;
        let grid = (1..=91_u64).rev().find(|side| side.pow(3) <= most).unwrap_or(2);
        let scaled = |number: u64| (number.saturating_mul(cells) / CELLS).to_string();
        let names = [
            ("{cells}", cells.to_string()),
            ("{fifth}", (cells / 5).to_string()),
            // The graph and the stencil do not grow with more cells.
            ("{big}", big),
            ("{edges}", edges.to_string()),
            ("{grid}", grid.to_string()),
            ("{fragments}", scaled(50_000_000)),
            // Rows, and entries of both sparse files.
            ("{dense}", scaled(125_000)),
            ("{long}", scaled(1_000_000)),
            ("{short}", scaled(10_000_000)),
            ("{sparse}", scaled(50_000_000)),
        ];
        Self { directory: directory.to_path_buf(), names }
    }

    /// Replaces the names in braces.
    pub(super) fn named(&self, text: &str) -> String {
        self.names.iter().fold(text.to_owned(), |text, (name, value)| text.replace(name, value))
    }

    /// Returns the path of an input, if the word is one.
    pub(super) fn input(&self, word: &str) -> Option<PathBuf> {
        let word = word.strip_prefix('@').unwrap_or(word);
        word.strip_prefix("in/").map(|name| self.directory.join(name))
    }

    /// Returns the path of an output, if the word is one.
    pub(super) fn output(&self, word: &str) -> Option<PathBuf> {
        word.starts_with("out/").then(|| self.directory.join(word))
    }

    /// Returns the words of a command, with programs and paths instead of their names.
    pub(super) fn command(&self, command: &str, tools: &Tools) -> Result<Vec<OsString>> {
        let mut words = command.split_whitespace();
        let program = words.next().and_then(|name| tools.program(name));
        let program = program.ok_or_else(|| Error::new(format!("no program in {command:?}")))?;
        let path = |word: &str| {
            let script = word.starts_with("data/") || word.starts_with("peers/");
            let script = script.then(|| benches().join(word));
            let path = self.input(word).or_else(|| self.output(word)).or(script);
            let mut whole = OsString::from(if word.starts_with('@') { "@" } else { "" });
            whole.push(path.map_or_else(|| word.into(), PathBuf::into_os_string));
            whole
        };
        Ok(std::iter::once(program.into()).chain(words.map(path)).collect())
    }
}

/// Returns the lines of a file without comments, and repeats those between `for` and `end` for each of the indented
/// lines.
pub(super) fn unroll(text: &str) -> Vec<String> {
    let lines = |text: &str| {
        let kept = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
        kept.map(str::to_owned).collect::<Vec<_>>()
    };
    let mut blocks = text.split("\nfor ");
    let mut all = lines(blocks.next().unwrap_or_default());
    for block in blocks {
        let (repeated, rest) = block.split_once("\nend\n").unwrap_or((block, ""));
        let (names, repeated) = repeated.split_once('\n').unwrap_or_default();
        let (items, repeated): (Vec<_>, Vec<_>) =
            lines(repeated).into_iter().partition(|line| line.starts_with(' '));
        for item in items {
            let values: Vec<_> = names.split("; ").zip(item.trim().split("; ")).collect();
            all.extend(repeated.iter().map(|line| {
                values.iter().fold(line.clone(), |line, (name, value)| line.replace(name, value))
            }));
        }
        all.extend(lines(rest));
    }
    all
}

//! `nnz head`.

use std::collections::BTreeMap;

use clap::Args as Group;
use nnz::engine::Slice;
use nnz::{Axis, Context, Error, Location, MatrixSource, Selection};

use super::Run;
use super::write::counted;
use crate::Outcome;
use crate::args::{Memory, location, reading};
use crate::output::{failed, with_stdout};

/// Print the first rows and columns as a table
///
/// An element that is not stored is printed as a dot. From formats with random access, only these rows and columns are
/// read.
#[derive(Debug, Group)]
#[command(after_help = "\
Examples:
  nnz head pbmc.bpcells
  nnz head study.h5ad --rows 5 --cols 20")]
pub(crate) struct Head {
    /// The matrix
    #[arg(value_name = "SRC", value_parser = location())]
    pub(crate) source: Location,

    /// Number of rows, at most 1000
    #[arg(long, value_name = "N", default_value = "10", value_parser = clap::value_parser!(u64).range(..=1000))]
    pub(crate) rows: u64,

    /// Number of columns, at most 1000 [default: at most 10, as many as fit into 80 characters]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=1000))]
    pub(crate) cols: Option<u64>,

    #[command(flatten)]
    pub(crate) reading: reading::Reading,

    #[command(flatten)]
    pub(crate) resources: Memory,
}

/// Longer names and numbers are shortened in the middle.
const WIDEST: usize = 24;

/// The number of columns, and of characters in a line, by default.
const MOST: u64 = 10;
const LINE: usize = 80;

/// The separator between columns.
const BETWEEN: &str = "  ";

impl Run for Head {
    /// Prints the first rows and columns.
    fn run(&self, _: bool, context: &Context) -> Result<Outcome, Error> {
        let place = self.source.source_place();
        let opened = self.reading.set().open(&self.source, context)?.into_matrix()?;
        let whole = opened.header().shape;
        let missing = opened.header().fill.map_or_else(|| ".".to_owned(), |fill| fill.to_string());
        let first = |count: u64, len: u64| {
            Selection::ranges(std::iter::once(0..count.min(len))).allow_empty(true)
        };
        let (rows, cols) =
            (first(self.rows, whole.rows), first(self.cols.unwrap_or(MOST), whole.cols));
        let part = Slice::in_source_order(opened, &rows, &cols)?;
        let mut elements: BTreeMap<(u64, u64), String> = BTreeMap::new();
        for entry in part.entries().map_err(|error| error.with_context(&place))? {
            let (row, col, value) = entry.map_err(|error| error.with_context(&place))?;
            let element = elements.entry((row, col)).or_default();
            // Several entries of one element.
            let between = if element.is_empty() { "" } else { "+" };
            *element = format!("{element}{between}{value}");
        }
        let [row_names, col_names] = [names(&part, Axis::Rows)?, names(&part, Axis::Cols)?];
        let mut table = vec![vec![String::new()]];
        table[0].extend(col_names.iter().map(|name| shortened(name)));
        for (row, name) in (0..).zip(&row_names) {
            let mut line = vec![shortened(name)];
            line.extend((0..col_names.len() as u64).map(|col| {
                elements
                    .get(&(row, col))
                    .map_or_else(|| missing.clone(), |element| shortened(element))
            }));
            table.push(line);
        }
        let line = if self.cols.is_none() { LINE } else { usize::MAX };
        let (lines, shown) = aligned(&table, line);
        let more = [(whole.rows, row_names.len(), "row"), (whole.cols, shown, "column")];
        let more = more.into_iter().filter_map(|(of, shown, one)| {
            let more = of.saturating_sub(shown as u64);
            (more > 0).then(|| counted(more, &format!("more {one}"), &format!("more {one}s")))
        });
        let more: Vec<String> = more.collect();
        with_stdout(|out| {
            // An empty table has a line without any names.
            for line in lines.into_iter().filter(|line| !line.is_empty()) {
                writeln!(out, "{line}").map_err(failed)?;
            }
            match &more[..] {
                [] => Ok(()),
                more => writeln!(out, "... {}", more.join(", ")).map_err(failed),
            }
        })?;
        Ok(Outcome::Good)
    }
}

/// Returns the names of rows or columns, or their positions.
fn names(part: &Slice<'_>, axis: Axis) -> Result<Vec<String>, Error> {
    let count = part.header().shape.len(axis);
    let Some(mut names) = part.read_names(axis)? else {
        return Ok((0..count).map(|at| at.to_string()).collect());
    };
    let mut found = Vec::new();
    while (found.len() as u64) < count
        && let Some(name) = names.next_string()?
    {
        found.push(nnz::text::escaped(&String::from_utf8_lossy(name)).into_owned());
    }
    Ok(found)
}

/// Shortens a long text in the middle.
fn shortened(text: &str) -> String {
    let count = text.chars().count();
    if count <= WIDEST {
        return text.to_owned();
    }
    let half = (WIDEST - 1) / 2;
    let start: String = text.chars().take(WIDEST - 1 - half).collect();
    let end: String = text.chars().skip(count - half).collect();
    format!("{start}\u{2026}{end}")
}

/// Aligns the first column left and the others right. Returns the lines, and how many of the other columns fit into
/// them, at least one.
fn aligned(table: &[Vec<String>], longest: usize) -> (Vec<String>, usize) {
    let columns = table.first().map_or(0, Vec::len);
    let width = |column: usize| {
        let cells =
            table.iter().map(|line| line.get(column).map_or(0, |cell| cell.chars().count()));
        cells.max().unwrap_or(0)
    };
    let mut widths: Vec<usize> = (0..columns).map(width).collect();
    let mut length = 0;
    let fits = widths.iter().take_while(|width| {
        length += **width + BETWEEN.len();
        length - BETWEEN.len() <= longest
    });
    let fits = fits.count().max(2);
    widths.truncate(fits);
    let line = |line: &Vec<String>| {
        let cells = line.iter().zip(&widths).enumerate();
        let cells = cells.map(|(column, (cell, &width))| match column {
            0 => format!("{cell:<width$}"),
            _ => format!("{cell:>width$}"),
        });
        cells.collect::<Vec<_>>().join(BETWEEN).trim_end().to_owned()
    };
    (table.iter().map(line).collect(), widths.len().saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_shortened_in_the_middle() {
        assert_eq!(shortened("AAACCCAAGCGCCCAT-1"), "AAACCCAAGCGCCCAT-1");
        let long = "abcdefghijklmnopqrstuvwxyz0123456789";
        assert_eq!(shortened(long), "abcdefghijkl\u{2026}z0123456789");
        assert_eq!(shortened(long).chars().count(), WIDEST);
    }

    #[test]
    fn numbers_are_aligned_right() {
        let table = [["", "A", "LONG"], ["first", "10", "."], ["b", ".", "2.5"]];
        let table: Vec<Vec<String>> =
            table.iter().map(|line| line.iter().map(ToString::to_string).collect()).collect();
        let lines = ["        A  LONG", "first  10     .", "b       .   2.5"];
        assert_eq!(aligned(&table, 15), (lines.map(str::to_owned).to_vec(), 2));
        let lines = ["        A", "first  10", "b       ."];
        assert_eq!(aligned(&table, 14), (lines.map(str::to_owned).to_vec(), 1));
        assert_eq!(aligned(&table, 1), (lines.map(str::to_owned).to_vec(), 1));
    }
}

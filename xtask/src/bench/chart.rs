//! The chart of speedups over other programs, drawn from the tables of `docs/benchmarks.md`.

use std::fmt::Write as _;
use std::fs;

use crate::cargo;
use crate::error::{Error, Result};

const PAGE: &str = "docs/benchmarks.md";
const CHART: &str = "docs/benchmarks.svg";

/// The mark of a table whose rows are drawn.
const MARK: &str = "<!-- chart -->";

/// The start of the cell of another program, and its heading in the chart.
const PROGRAMS: [(&str, &str); 3] = [
    ("BPCells wheel", "BPCells (Python wheel)"),
    ("fast_matrix_market", "fast_matrix_market (Matrix Market)"),
    ("SciPy", "SciPy (matrix already in memory)"),
];

/// Widths and heights in pixels.
const WIDTH: u32 = 760;
const LABELS: u32 = 330;
const BARS: f64 = 370.0;
const HEADING: u32 = 30;
const ROW: u32 = 22;
const TOP: u32 = 44;

/// Grays and blues that are legible on white and on black.
const STYLE: &str = "\
text { font: 13px -apple-system, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif; fill: #757e88 }
.title { font-size: 15px; font-weight: 600 } .program { font-weight: 600 }
.bar { fill: #2f81f7 } .one { stroke: #757e88; stroke-width: 1; stroke-dasharray: 3 3 }
";

/// A row of a table, for one other program.
#[derive(Debug, PartialEq)]
struct Bar<'a> {
    label: &'a str,
    /// Position in [`PROGRAMS`].
    program: usize,
    /// The ratio as in the table, and as a number.
    ratio: &'a str,
    times: f64,
}

/// Draws the chart.
pub(crate) fn run() -> Result<()> {
    let (page, chart) = (cargo::root().join(PAGE), cargo::root().join(CHART));
    let text = fs::read_to_string(&page).map_err(|error| Error::at(&page, &error))?;
    fs::write(&chart, draw(&text)?).map_err(|error| Error::at(&chart, &error))?;
    println!("{CHART}");
    Ok(())
}

/// Returns the chart of a page.
fn draw(page: &str) -> Result<String> {
    let bars = bars(page)?;
    let most = bars.iter().map(|bar| bar.times).fold(1.0, f64::max);
    let (mut rows, mut y) = (String::new(), TOP);
    for (number, (_, heading)) in PROGRAMS.iter().enumerate() {
        let _ = writeln!(
            rows,
            "<text class=\"program\" x=\"{LABELS}\" y=\"{}\" text-anchor=\"end\">{heading}</text>",
            y + 20
        );
        y += HEADING;
        for bar in bars.iter().filter(|bar| bar.program == number) {
            let (length, middle) = (BARS * bar.times / most, y + 15);
            let (start, end) = (LABELS + 10, f64::from(LABELS + 16) + length);
            let _ = writeln!(
                rows,
                "<text x=\"{LABELS}\" y=\"{middle}\" text-anchor=\"end\">{}</text>\
                 <rect class=\"bar\" x=\"{start}\" y=\"{}\" width=\"{length:.1}\" height=\"14\" rx=\"2\"/>\
                 <text x=\"{end:.1}\" y=\"{middle}\">{}</text>",
                escape(bar.label),
                y + 4,
                bar.ratio
            );
            y += ROW;
        }
    }
    let one = f64::from(LABELS + 10) + BARS / most;
    Ok(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" \
         height=\"{height}\" role=\"img\">\n<title>Speed of nnz relative to other programs</title>\n\
         <style>\n{STYLE}</style>\n\
         <text class=\"title\" x=\"{start}\" y=\"20\">nnz: times as fast as the other program</text>\n\
         {rows}<line class=\"one\" x1=\"{one:.1}\" y1=\"{TOP}\" x2=\"{one:.1}\" y2=\"{y}\"/>\n\
         <text x=\"{one:.1}\" y=\"{below}\" text-anchor=\"middle\">1 = as fast</text>\n</svg>\n",
        height = y + 26,
        below = y + 16,
        start = LABELS + 10,
    ))
}

/// Returns the rows of marked tables with results of another program.
fn bars(page: &str) -> Result<Vec<Bar<'_>>> {
    let mut bars = Vec::new();
    for table in page.split(MARK).skip(1) {
        let lines = table.trim_start().lines().take_while(|line| line.starts_with('|')).skip(2);
        for line in lines {
            let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
            let [label, .., other, ratio] = cells[..] else {
                return Err(Error::new(format!("{PAGE}: no row of a table: {line}")));
            };
            let program = PROGRAMS.iter().position(|(name, _)| other.starts_with(name));
            let Some(program) = program else { continue };
            let times =
                ratio.parse().map_err(|_| Error::new(format!("{PAGE}: no number: {line}")))?;
            bars.push(Bar { label, program, ratio, times });
        }
    }
    if bars.is_empty() {
        return Err(Error::new(format!("{PAGE} has no table marked {MARK}")));
    }
    Ok(bars)
}

/// Escapes text for XML, without the backticks of Markdown.
fn escape(text: &str) -> String {
    text.replace('`', "").replace('&', "&amp;").replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = "| not marked | 1 | SciPy: 2 | 9 |\n\n<!-- chart -->\n| | nnz | with | times |\n|---|---|---|---|\n\
        | `a` < b | 1 s | SciPy, 1 thread: 2 s | 2.0 |\n| c | 1 s | nnz: 1 s | 1.0 |\n| d | 1 s | | |\n\n| e | 1 | SciPy: 1 | 8 |\n";

    #[test]
    fn rows_of_marked_tables_are_drawn() {
        let found = bars(SMALL).unwrap_or_default();
        assert_eq!(found, [Bar { label: "`a` < b", program: 2, ratio: "2.0", times: 2.0 }]);
        assert!(draw(SMALL).is_ok_and(|chart| chart.contains(">a &lt; b</text>")));
    }

    #[test]
    fn pages_without_results_are_an_error() {
        assert!(draw("no table").is_err());
        assert!(draw(&SMALL.replace("2.0", "twice")).is_err());
    }

    #[test]
    fn the_chart_matches_the_page() {
        let read = |path| fs::read_to_string(cargo::root().join(path)).unwrap_or_default();
        let drawn = draw(&read(PAGE)).unwrap_or_default();
        assert!(!drawn.is_empty());
        assert_eq!(read(CHART), drawn, "run cargo xtask bench --chart");
    }
}

//! Formatting of results.

use std::fmt::Write;

use super::goal::{Verdict, per_second};
use super::row::{Clock, Figure, Row, disagree};

/// Describes how results were measured.
pub(super) fn preamble(cells: u64, runs: u16, judged: bool) -> String {
    let mut text = format!(
        "Counts of {cells} cells, or of {} where it says a fifth. Medians of {runs} runs, taken in\n\
         turn, inputs in the page cache. Time is of the call inside a fresh process, or, marked *,\n\
         of the whole process. Writing is timed without the final sync; \"synced\" is with it.\n\
         Peaks of some 10 MB and less are due to the process that starts the others.\n",
        cells / 5
    );
    if !judged {
        text.push_str("THE GOALS ARE STATED FOR ANOTHER SIZE: none is evaluated.\n");
    }
    text
}

/// Formats a row as a table, followed by its goals.
pub(super) fn show(row: &Row, figures: &[Figure], verdicts: &[Verdict], markdown: bool) -> String {
    let mut text = String::new();
    let _ = if markdown {
        write!(text, "\n**{}**, {} entries\n\n", row.name, row.entries)
    } else {
        writeln!(text, "== {}, {} entries", row.name, row.entries)
    };
    if !row.note.is_empty() {
        let _ = writeln!(
            text,
            "{}",
            if markdown { format!("{}\n", row.note) } else { row.note.clone() }
        );
    }
    let head = ["", "seconds", "entries/s", "peak RSS", "synced"].map(str::to_owned);
    let lines: Vec<[String; 5]> = row
        .contenders
        .iter()
        .zip(figures)
        .map(|(c, f)| line(row.entries, &c.name, c.clock, f))
        .collect();
    text.push_str(&if markdown { piped(&head, &lines) } else { aligned(&head, &lines) });
    if disagree(figures) {
        text.push_str("THE CONTENDERS DO NOT AGREE ON THE RESULT\n");
    }
    if markdown && !verdicts.is_empty() {
        text.push('\n');
    }
    for verdict in verdicts {
        let ratio = verdict.ratio.map_or("-".to_owned(), |ratio| format!("{ratio:.2}"));
        let _ = writeln!(
            text,
            "{}goal {}: {}, ratio {ratio}: {}",
            if markdown { "- " } else { "   " },
            verdict.goal,
            verdict.reached,
            verdict.word()
        );
    }
    text
}

fn line(entries: u64, name: &str, clock: Clock, figure: &Figure) -> [String; 5] {
    let star = if clock == Clock::Process { "*" } else { "" };
    if let Some(why) = &figure.failed {
        return [
            name.to_owned(),
            format!("failed: {why}"),
            String::new(),
            String::new(),
            String::new(),
        ];
    }
    [
        name.to_owned(),
        format!("{}{star}", seconds(figure.seconds)),
        rate(per_second(entries, figure.seconds)),
        bytes(figure.peak),
        figure.synced.map_or_else(String::new, seconds),
    ]
}

/// Formats seconds, with more digits for short times.
pub(super) fn seconds(seconds: f64) -> String {
    if seconds < 0.1 { format!("{seconds:.5}") } else { format!("{seconds:.3}") }
}

/// Formats a rate with a unit.
pub(super) fn rate(per_second: f64) -> String {
    if per_second >= 1e9 {
        format!("{:.2} G/s", per_second / 1e9)
    } else {
        format!("{:.1} M/s", per_second / 1e6)
    }
}

/// Formats bytes with a unit.
pub(super) fn bytes(bytes: f64) -> String {
    format!("{:.0} MB", bytes / 1e6)
}

fn aligned(head: &[String; 5], lines: &[[String; 5]]) -> String {
    let all: Vec<_> = std::iter::once(head).chain(lines).collect();
    let width =
        |column: usize| all.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; 5] = std::array::from_fn(|column| {
        // The text of a failure does not widen the columns.
        let failed = |line: &&&[String; 5]| column != 1 || !line[1].starts_with("failed");
        let kept = all.iter().filter(failed).map(|line| line[column].chars().count());
        if column == 1 { kept.max().unwrap_or(0) } else { width(column) }
    });
    let mut text = String::new();
    for line in all {
        let mut shown = format!("   {:<1$}", line[0], widths[0]);
        for column in 1..5 {
            let _ = write!(shown, "  {:>1$}", line[column], widths[column]);
        }
        text.push_str(shown.trim_end());
        text.push('\n');
    }
    text
}

fn piped(head: &[String; 5], lines: &[[String; 5]]) -> String {
    let mut text = format!("| {} |\n|---|---|---|---|---|\n", head.join(" | "));
    for line in lines {
        let line = line.clone().map(|cell| cell.replace('|', "\\|"));
        let _ = writeln!(text, "| {} |", line.join(" | "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::compare::row::Contender;

    fn row() -> Row {
        let contender =
            |name: &str, clock| Contender { name: name.to_owned(), clock, ..Contender::default() };
        Row {
            name: "writing".to_owned(),
            entries: 2_000_000_000,
            contenders: vec![contender("nnz 1", Clock::Process), contender("other", Clock::Call)],
            ..Row::default()
        }
    }

    fn figures() -> Vec<Figure> {
        let ours = Figure { seconds: 0.5, peak: 12.4e6, synced: Some(0.75), ..Figure::default() };
        vec![ours, Figure { failed: Some("no | wheel".to_owned()), ..Figure::default() }]
    }

    #[test]
    fn numbers_are_formatted_with_units() {
        assert_eq!(rate(4_123_456_789.0), "4.12 G/s");
        assert_eq!(rate(999_940_000.0), "999.9 M/s");
        assert_eq!(bytes(299_600_000.0), "300 MB");
        assert_eq!(
            (seconds(0.006_543_2), seconds(1.234_56)),
            ("0.00654".to_owned(), "1.235".to_owned())
        );
    }

    #[test]
    fn tables_are_aligned_and_show_failures() {
        let text = show(&row(), &figures(), &[], false);
        assert_eq!(
            text,
            "== writing, 2000000000 entries\n\
             \x20         seconds  entries/s  peak RSS  synced\n\
             \x20  nnz 1   0.500*   4.00 G/s     12 MB   0.750\n\
             \x20  other  failed: no | wheel\n"
        );
    }

    #[test]
    fn goals_follow_the_table() {
        let verdict = |ratio, judged| Verdict {
            goal: "nnz 1: at least 5.00 G/s".to_owned(),
            reached: "4.00 G/s".to_owned(),
            ratio,
            judged,
        };
        let text =
            show(&row(), &figures(), &[verdict(Some(0.8), true), verdict(None, false)], true);
        assert!(
            text.ends_with(
                "| nnz 1 | 0.500* | 4.00 G/s | 12 MB | 0.750 |\n\
             | other | failed: no \\| wheel |  |  |  |\n\n\
             - goal nnz 1: at least 5.00 G/s: 4.00 G/s, ratio 0.80: MISSED\n\
             - goal nnz 1: at least 5.00 G/s: 4.00 G/s, ratio -: not evaluated\n"
            ),
            "{text}"
        );
    }

    #[test]
    fn disagreeing_contenders_are_reported() {
        let mut figures = figures();
        figures[1].failed = None;
        figures[0].check = Some(1.0);
        figures[1].check = Some(2.0);
        assert!(show(&row(), &figures, &[], false).contains("DO NOT AGREE"));
    }
}

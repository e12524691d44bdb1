//! The sections of a report.

use nnz_core::{Axis, AxisKind, Finding};
use nnz_plot::{Figure, format_grouped, format_number};

use super::element::{Align::Number, Align::Text, escape, name, table};
use super::picture;
use crate::report::beside::Comparison;
use crate::report::{AxisSummary, ColumnSummary, ColumnValues, Quantiles, Report};
use crate::text::format_size;

/// Findings of the validation.
pub(super) fn findings(report: &Report, of: &str) -> String {
    let Some(findings) = &report.findings else { return String::new() };
    let verdict = match findings.faults {
        0 => "<p class=\"good\"><strong>Valid:</strong> every array, index and value was checked.</p>\n".to_owned(),
        1 => "<p class=\"bad\"><strong>Invalid:</strong> one error was found.</p>\n".to_owned(),
        more => format!(
            "<p class=\"bad\"><strong>Invalid:</strong> {} errors were found.</p>\n",
            format_grouped(more)
        ),
    };
    let item = |finding: &Finding| format!("<li>{}</li>\n", escape(&finding.to_string()));
    let items: String = findings.listed.iter().map(item).collect();
    let list = if items.is_empty() { items } else { format!("<ul>{items}</ul>\n") };
    let more = match findings.more {
        0 => String::new(),
        more => format!("<p>{} more are not listed.</p>\n", format_grouped(more)),
    };
    section(of, "validation", "Validation", &(verdict + &list + &more))
}

/// Pictures.
pub(super) fn pictures(figures: &[Figure], heights: &[u32], of: &str) -> String {
    let shown = figures.iter().enumerate().map(|(at, figure)| {
        let id = format!("{of}picture{at}");
        format!("<figure>{}</figure>\n", picture(figure, heights.get(at).copied(), &id))
    });
    let shown: String = shown.collect();
    match shown.is_empty() {
        true => shown,
        false => {
            section(of, "pictures", "Pictures", &format!("<div class=\"pictures\">{shown}</div>"))
        }
    }
}

/// How the matrix is stored, and its sizes in other formats.
pub(super) fn about(report: &Report, of: &str) -> String {
    let facts = report.facts.iter().map(|(what, value)| {
        format!("<div><dt>{}</dt><dd>{}</dd></div>", escape(what), name(value))
    });
    let mut body = format!("<dl>{}</dl>\n", facts.collect::<String>());
    if !report.notes.is_empty() {
        let notes = report.notes.iter().map(|note| format!("<li>{}</li>\n", escape(note)));
        body += &format!("<ul>{}</ul>\n", notes.collect::<String>());
    }
    body += &sizes(report);
    let arrays: Vec<Vec<String>> = report
        .arrays
        .iter()
        .map(|array| {
            let value_type = array.value_type.map_or("strings".to_owned(), |of| of.to_string());
            let len = array.len.map_or(String::new(), format_grouped);
            vec![name(&array.name), value_type, len, array.bytes.map_or(String::new(), format_size)]
        })
        .collect();
    let columns = [("Array", Text), ("Type", Text), ("Elements", Number), ("Size", Number)];
    body += &table("Arrays of the matrix", &columns, &arrays);
    body += &elements(report);
    section(of, "storage", "Storage", &body)
}

fn elements(report: &Report) -> String {
    let elements = report.elements.iter().map(|element| {
        let shape: Vec<String> = element.shape.iter().map(|len| format_grouped(*len)).collect();
        vec![
            name(&element.path),
            name(&element.kind),
            name(&shape.join(" × ")),
            name(&element.value_type),
            element.entries.map_or(String::new(), format_grouped),
            name(element.compression.as_deref().unwrap_or_default()),
        ]
    });
    let rows: Vec<Vec<String>> = elements.collect();
    let columns = [
        ("Element", Text),
        ("Stored as", Text),
        ("Shape", Number),
        ("Type", Text),
        ("Stored entries", Number),
        ("Compression", Text),
    ];
    let more = match report.has_all_elements {
        true => "",
        false => "<p>There are more elements, which are not listed.</p>\n",
    };
    table("Elements of the file", &columns, &rows) + more
}

fn sizes(report: &Report) -> String {
    let Some(sizes) = &report.sizes else { return String::new() };
    let estimated = |per_entry: f64| {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "an estimate"
        )]
        let bytes = (per_entry * sizes.nnz as f64) as u64;
        format_size(bytes)
    };
    let rows: Vec<Vec<String>> = sizes
        .sizes
        .iter()
        .map(|one| {
            let command = format!("<code>{}</code>", escape(one.arguments));
            vec![
                escape(one.format),
                estimated(one.per_entry),
                format!("{:.2}", one.per_entry),
                command,
            ]
        })
        .collect();
    let columns = [
        ("Format", Text),
        ("Size", Number),
        ("Bytes per entry", Number),
        ("<code>nnz convert</code> with", Text),
    ];
    let from = match sizes.sampled < sizes.nnz {
        true => format!(
            "<p>Estimated from {} of {} entries, without names and annotations.</p>\n",
            format_grouped(sizes.sampled),
            format_grouped(sizes.nnz)
        ),
        false => "<p>Without names and annotations.</p>\n".to_owned(),
    };
    table("Sizes in other formats", &columns, &rows) + &from
}

/// Rows and columns.
pub(super) fn summaries(report: &Report, of: &str) -> String {
    report.axes.iter().flatten().map(|summary| axis(summary, of)).collect()
}

fn axis(summary: &AxisSummary, of: &str) -> String {
    let (id, one) = match summary.axis {
        Axis::Rows => ("rows", "row"),
        Axis::Cols => ("columns", "column"),
    };
    let title = match summary.kind {
        AxisKind::Cells => format!("{}: cells", capitalized(id)),
        AxisKind::Features => format!("{}: features", capitalized(id)),
        _ => capitalized(id),
    };
    let mut body =
        format!("<p>{} {}", format_grouped(summary.len), if summary.len == 1 { one } else { id });
    if let Some(empty) = summary.empty {
        body += &format!(", {} of them without entries", format_grouped(empty));
    }
    body += match &summary.names {
        None => ", without names.</p>\n".to_owned(),
        Some(names) if names.is_empty() => ".</p>\n".to_owned(),
        Some(names) => {
            let shown: Vec<String> = names.iter().map(|one| name(one)).collect();
            let more = if (names.len() as u64) < summary.len { ", …" } else { "" };
            format!(". Names: {}{more}</p>\n", shown.join(", "))
        }
    }
    .as_str();
    let line = |what: &str, quantiles: Option<Quantiles>| {
        quantiles.map(|found| {
            let Quantiles { min, lower, median, upper, max } = found;
            let numbers = [min, lower, median, upper, max].map(format_number);
            std::iter::once(what.to_owned()).chain(numbers).collect::<Vec<String>>()
        })
    };
    let rows = [line("Entries", summary.entries), line("Sum", summary.sums)];
    let rows: Vec<Vec<String>> = rows.into_iter().flatten().collect();
    let heads = ["Minimum", "Quarter", "Median", "Three quarters", "Maximum"];
    let columns: Vec<_> = std::iter::once((capitalized(one), Text))
        .chain(heads.map(|head| (head.to_owned(), Number)))
        .collect();
    let columns: Vec<_> = columns.iter().map(|(head, align)| (&**head, *align)).collect();
    body += &table(&format!("Entries and sums of each {one}"), &columns, &rows);
    body += &top(summary, one, id);
    body += &annotations(summary, id);
    section(of, id, &title, &body)
}

fn top(summary: &AxisSummary, one: &str, id: &str) -> String {
    let rows = summary.top.iter().map(|top| {
        let label = match &top.name {
            Some(found) => name(found),
            None => format!("{one} {}", top.position),
        };
        let sum = top.sum.as_deref().map_or(String::new(), name);
        vec![label, format_grouped(top.position), format_grouped(top.entries), sum]
    });
    let rows: Vec<Vec<String>> = rows.collect();
    let head = capitalized(one);
    let columns = [(&*head, Text), ("Position", Number), ("Entries", Number), ("Sum", Number)];
    table(&format!("{} with the greatest sums", capitalized(id)), &columns, &rows)
}

fn annotations(summary: &AxisSummary, id: &str) -> String {
    let rows: Vec<Vec<String>> =
        summary.columns.iter().map(|column| annotation(column, summary.len)).collect();
    let columns = [("Annotation", Text), ("Type", Text), ("Missing", Number), ("Values", Text)];
    let more = match summary.more_columns {
        0 => String::new(),
        more => format!("<p>{more} more annotations are not summarized.</p>\n"),
    };
    table(&format!("Annotations of {id}"), &columns, &rows) + &more
}

fn annotation(column: &ColumnSummary, len: u64) -> Vec<String> {
    let values = match &column.values {
        ColumnValues::Empty => "none".to_owned(),
        ColumnValues::Numbers(Quantiles { min, median, max, .. }) => {
            let [min, median, max] = [*min, *median, *max].map(format_number);
            format!("{min} to {max}, median {median}")
        }
        ColumnValues::Categories { most, distinct } => {
            let shown = most.iter().map(|(word, count)| match *distinct == Some(len) {
                true => name(word),
                false => format!("{} ({})", name(word), format_grouped(*count)),
            });
            let shown: Vec<String> = shown.collect();
            match distinct {
                Some(count) if *count == most.len() as u64 => shown.join(", "),
                Some(count) => {
                    format!("{} different: {}, …", format_grouped(*count), shown.join(", "))
                }
                None => format!("very many different: {}, …", shown.join(", ")),
            }
        }
    };
    vec![name(&column.name), escape(&column.column_type), format_grouped(column.missing), values]
}

/// Commands to go on with.
pub(super) fn commands(report: &Report) -> String {
    let items = report.commands.iter().map(|command| {
        let (what, line) = (escape(command.what), escape(&command.line));
        format!("<div><dt>{what}</dt><dd><code>{line}</code></dd></div>\n")
    });
    let items: String = items.collect();
    match items.is_empty() {
        true => items,
        false => {
            section("", "next", "What to do next", &format!("<dl class=\"commands\">{items}</dl>"))
        }
    }
}

/// Differences between two matrices.
pub(super) fn differences(compared: &Comparison) -> String {
    if let Some(fault) = &compared.fault {
        let fault = escape(&fault.to_string());
        let body = format!("<p class=\"bad\"><strong>Not compared:</strong> {fault}</p>\n");
        return section("", "differences", "Differences", &body);
    }
    let mut body = match (compared.count, compared.is_complete) {
        (0, _) => {
            "<p class=\"good\"><strong>Equal:</strong> both have the same values and names.</p>\n"
                .to_owned()
        }
        (1, _) => {
            "<p class=\"bad\"><strong>Different:</strong> there is one difference.</p>\n".to_owned()
        }
        (count, true) => format!(
            "<p class=\"bad\"><strong>Different:</strong> there are {} differences.</p>\n",
            format_grouped(count)
        ),
        (count, false) => format!(
            "<p class=\"bad\"><strong>Different:</strong> there are more than {} differences; the others were not compared.</p>\n",
            format_grouped(count)
        ),
    };
    body += &pictures_of_differences(compared);
    let rows = compared.first.iter().map(|difference| {
        let [place, first, second] = difference;
        vec![name(place), name(first), name(second)]
    });
    let rows: Vec<Vec<String>> = rows.collect();
    let columns = [("Where", Text), ("First", Text), ("Second", Text)];
    body += &table("The first differences", &columns, &rows);
    section("", "differences", "Differences", &body)
}

fn pictures_of_differences(compared: &Comparison) -> String {
    let shown = compared
        .figure
        .as_ref()
        .map(|figure| format!("<figure>{}</figure>\n", picture(figure, None, "d")));
    shown.unwrap_or_default()
}

/// Returns a section. `of` starts the identifiers of one of several matrices, whose sections are parts of another one.
pub(super) fn section(of: &str, id: &str, title: &str, body: &str) -> String {
    let heading = if of.is_empty() { "h2" } else { "h3" };
    let title = escape(title);
    format!("<section id=\"{of}{id}\"><{heading}>{title}</{heading}>\n{body}</section>\n")
}

fn capitalized(word: &str) -> String {
    let mut signs = word.chars();
    let first = signs.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(signs).collect()
}

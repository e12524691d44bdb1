//! Reports as HTML: one page without scripts, links to other files, or fonts.

mod element;
mod embedding;
mod sections;

use nnz_plot::{Figure, SvgOptions, fit_size, svg};

use super::beside::Comparison;
use super::{Report, html::element::escape};
use embedding::embedding;
use sections::{about, commands, findings, pictures, summaries};

/// The style of the page, for light and dark screens and for paper.
const STYLE: &str = include_str!("html/style.css");

/// Returns a report as a page of HTML. It does not refer to other files, so that it can be opened offline and sent.
#[must_use]
pub fn html(report: &Report) -> String {
    let mut body = String::new();
    let title = escape(&report.title);
    body.push_str(&format!("<header><h1>{title}</h1>{}</header>\n", lead(report)));
    body.push_str(&contents(report));
    body.push_str("<main id=\"main\">\n");
    body.push_str(&findings(report, ""));
    body.push_str(&embedding(report, ""));
    body.push_str(&pictures(&report.figures, &heights(&[report]), ""));
    body.push_str(&about(report, ""));
    body.push_str(&summaries(report, ""));
    body.push_str(&commands(report));
    body.push_str("</main>\n");
    page(&report.title, &body)
}

/// Returns two reports and what differs between the matrices as a page of HTML.
#[must_use]
pub fn comparison_html(compared: &Comparison) -> String {
    let [first, second] = &compared.reports;
    // Files in two directories can have the same name.
    let names = match first.title == second.title {
        true => [first, second].map(|report| report.place.to_string()),
        false => [first, second].map(|report| report.title.clone()),
    };
    let title = names.join(" and ");
    let mut body = format!("<header><h1>{}</h1></header>\n<main id=\"main\">\n", escape(&title));
    body.push_str(&sections::differences(compared));
    let heights = heights(&[first, second]);
    body.push_str("<div class=\"beside\">\n");
    let parts = [(first, "first-"), (second, "second-")];
    for ((report, of), name) in parts.into_iter().zip(&names) {
        let name = escape(name);
        body.push_str(&format!("<section aria-label=\"{name}\"><h2>{name}</h2>{}", lead(report)));
        body.push_str(&findings(report, of));
        // Both have as many sections.
        let picture = embedding(report, of);
        body.push_str(if picture.is_empty() { "<div></div>" } else { &picture });
        body.push_str(&pictures(&report.figures, &heights, of));
        body.push_str(&about(report, of));
        body.push_str(&summaries(report, of));
        body.push_str("</section>\n");
    }
    body.push_str("</div>\n</main>\n");
    page(&title, &body)
}

/// Returns a sentence that describes the matrix.
fn lead(report: &Report) -> String {
    let fact = |name: &str| report.facts.iter().find(|(known, _)| *known == name);
    let parts = ["Format", "Shape", "Stored entries", "Type of values", "File size", "Changed"];
    let parts: Vec<String> = parts
        .into_iter()
        .filter_map(fact)
        .map(|(name, value)| match *name {
            "Stored entries" => format!("{value} stored entries"),
            "Changed" => format!("changed {value}"),
            _ => value.clone(),
        })
        .collect();
    format!("<p class=\"lead\">{}</p>", escape(&parts.join(" · ")))
}

/// Returns links to the sections.
fn contents(report: &Report) -> String {
    let mut links = Vec::new();
    if report.findings.is_some() {
        links.push(("validation", "Validation"));
    }
    if report.embedding.is_some() {
        links.push(("embedding", "Embedding"));
    }
    if !report.figures.is_empty() {
        links.push(("pictures", "Pictures"));
    }
    links.push(("storage", "Storage"));
    if report.axes.is_some() {
        links.push(("rows", "Rows"));
        links.push(("columns", "Columns"));
    }
    if !report.commands.is_empty() {
        links.push(("next", "What to do next"));
    }
    let links = links.iter().map(|(id, name)| format!("<li><a href=\"#{id}\">{name}</a></li>"));
    let links: String = links.collect();
    format!("<nav aria-label=\"Sections\"><ul>{links}</ul></nav>\n")
}

/// As wide as on most screens, so that letters have their size.
pub(super) const WIDTH: u32 = 600;
const MOST_HEIGHT: u32 = 450;

/// Returns the height of each picture, which is the same in all reports.
fn heights(reports: &[&Report]) -> Vec<u32> {
    let height = |figure: &Figure| fit_size(figure, WIDTH, MOST_HEIGHT)[1];
    let count = reports.iter().map(|report| report.figures.len()).max().unwrap_or(0);
    let highest = |at: usize| {
        let figures = reports.iter().filter_map(|report| report.figures.get(at));
        figures.map(height).max().unwrap_or(MOST_HEIGHT)
    };
    (0..count).map(highest).collect()
}

/// Returns a picture as SVG. `id` is unique in the page.
fn picture(figure: &Figure, height: Option<u32>, id: &str) -> String {
    let height = height.unwrap_or_else(|| fit_size(figure, WIDTH, MOST_HEIGHT)[1]);
    svg(figure, &SvgOptions::default().size(WIDTH, height).id(id))
}

fn page(title: &str, body: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta name=\"generator\" content=\"nnz {}\">\n<title>{}</title>\n<style>\n{STYLE}</style>\n\
         </head>\n<body>\n<a class=\"skip\" href=\"#main\">Skip to content</a>\n{body}</body>\n</html>\n",
        env!("CARGO_PKG_VERSION"),
        escape(title),
    )
}

//! `nnz formats`.

use clap::Args as Group;
use nnz::formats::{DatasetKind, FormatInfo, FormatOption};
use nnz::{Context, Error};
use serde::Serialize;

use super::Run;
use crate::Outcome;
use crate::output::{failed, print_json, with_stdout};

/// List the formats that are read and written, and their extensions
#[derive(Debug, Group)]
#[command(after_help = "Example:\n  nnz formats")]
pub(crate) struct Formats {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// The schema of the JSON, as in `docs/json.md`.
const SCHEMA: &str = "nnz-formats/1";

#[derive(Serialize)]
struct FormatList {
    formats: Vec<FormatEntry>,
}

#[derive(Serialize)]
struct FormatEntry {
    name: &'static str,
    aliases: &'static [&'static str],
    reads: Vec<String>,
    writes: Vec<String>,
    extensions: Vec<String>,
    summary: &'static str,
    options: Vec<OptionEntry>,
    read_options: Vec<OptionEntry>,
}

#[derive(Serialize)]
struct OptionEntry {
    name: &'static str,
    value: Option<&'static str>,
    help: &'static str,
}

impl FormatEntry {
    fn new(format: &FormatInfo) -> Self {
        let kinds = |kinds: &[DatasetKind]| kinds.iter().map(ToString::to_string).collect();
        let option =
            |&FormatOption { name, value, help, .. }: &_| OptionEntry { name, value, help };
        Self {
            name: format.name.as_str(),
            aliases: format.aliases,
            reads: kinds(format.reads),
            writes: kinds(format.writes),
            extensions: format.extensions.iter().map(|name| format!(".{name}")).collect(),
            summary: format.summary,
            options: format.options.iter().map(option).collect(),
            read_options: format.read_options.iter().map(option).collect(),
        }
    }
}

impl Run for Formats {
    /// Lists the formats.
    fn run(&self, _: bool, _: &Context) -> Result<Outcome, Error> {
        if self.json {
            let formats = nnz::formats::list().into_iter().map(FormatEntry::new).collect();
            print_json(SCHEMA, &FormatList { formats })?;
        } else {
            with_stdout(|out| out.write_all(format_table().as_bytes()).map_err(failed))?;
        }
        Ok(Outcome::Good)
    }
}

/// Returns a table of the formats, with two lines for each.
pub(crate) fn format_table() -> String {
    let mut rows = vec![["name", "read", "written", "extensions"].map(str::to_owned)];
    let formats: Vec<_> = nnz::formats::list().into_iter().map(FormatEntry::new).collect();
    rows.extend(formats.iter().map(|format| {
        let list =
            |items: &[String]| if items.is_empty() { "-".to_owned() } else { items.join(" ") };
        let (read, written) = (list(&format.reads), list(&format.writes));
        // Any extension, or none.
        let named = !format.writes.is_empty() && format.extensions.is_empty();
        let extensions = match named {
            true => "with --to".to_owned(),
            false => list(&short(&format.extensions)),
        };
        [format.name.to_owned(), read, written, extensions]
    }));
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let [first, second, third] = [width(0), width(1), width(2)];
    let summaries = std::iter::once(None).chain(formats.iter().map(|format| Some(format.summary)));
    let lines = rows.iter().zip(summaries).map(|([name, read, written, extensions], summary)| {
        let line = format!("{name:first$}  {read:second$}  {written:third$}  {extensions}\n");
        summary.map_or(line.clone(), |summary| format!("{line}    {summary}\n"))
    });
    lines.collect()
}

/// Joins an extension with its gzipped form: `.mtx[.gz]`.
fn short(extensions: &[String]) -> Vec<String> {
    let has = |name: &str| extensions.iter().any(|other| other == name);
    let plain = extensions.iter().filter(|name| !name.strip_suffix(".gz").is_some_and(has));
    plain
        .map(|name| match has(&format!("{name}.gz")) {
            true => format!("{name}[.gz]"),
            false => name.clone(),
        })
        .collect()
}

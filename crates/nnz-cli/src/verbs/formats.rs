//! `nnz formats`.

use nnz::Error;
use nnz::formats::{DatasetKind, FormatInfo};
use serde::Serialize;

use crate::output::{failed, print_json, with_stdout};
use crate::{Outcome, args};

/// The schema of the JSON, as in `docs/json.md`.
const SCHEMA: &str = "nnz-formats/1";

#[derive(Serialize)]
struct All {
    formats: Vec<Shown>,
}

#[derive(Serialize)]
struct Shown {
    name: &'static str,
    aliases: &'static [&'static str],
    reads: Vec<String>,
    writes: Vec<String>,
    extensions: Vec<String>,
    summary: &'static str,
}

impl Shown {
    fn new(format: &FormatInfo) -> Self {
        let kinds = |kinds: &[DatasetKind]| kinds.iter().map(ToString::to_string).collect();
        Self {
            name: format.name,
            aliases: format.aliases,
            reads: kinds(format.reads),
            writes: kinds(format.writes),
            extensions: format.extensions.iter().map(|name| format!(".{name}")).collect(),
            summary: format.summary,
        }
    }
}

/// Lists the formats.
pub(crate) fn formats(args: &args::Formats) -> Result<Outcome, Error> {
    let formats: Vec<_> = nnz::formats().into_iter().map(Shown::new).collect();
    if args.json {
        print_json(SCHEMA, &All { formats })?;
        return Ok(Outcome::Good);
    }
    let list = |items: &[String]| match items {
        [] => "-".to_owned(),
        items => items.join(", "),
    };
    with_stdout(|out| {
        formats
            .iter()
            .try_for_each(|format| {
                let Shown { name, summary, .. } = format;
                writeln!(out, "{name}: {summary}")?;
                writeln!(out, "  reads       {}", list(&format.reads))?;
                writeln!(out, "  writes      {}", list(&format.writes))?;
                writeln!(out, "  extensions  {}", list(&format.extensions))
            })
            .map_err(failed)
    })?;
    Ok(Outcome::Good)
}

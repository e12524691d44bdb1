//! Files with several matrices, none of which is the main one.

use nnz::Context;
use nnz::collection::Collection;
use nnz::{Error, Location};
use serde::Serialize;

use super::{INFO_SCHEMA, Member, members, print_members};
use crate::Outcome;
use crate::output::{failed, print_json, with_stdout};

/// The output, with the keys of JSON.
#[derive(Serialize)]
struct Report {
    format: &'static str,
    kind: &'static str,
    /// The lengths of the axes, if the file has tables of rows and columns.
    #[serde(skip_serializing_if = "Option::is_none")]
    rows: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cols: Option<u64>,
    members: Vec<Member>,
}

/// Describes a collection without a main matrix.
pub(super) fn collection(
    args: &crate::verbs::info::Info,
    collection: &dyn Collection,
) -> Result<Outcome, Error> {
    let (members, _) = members(collection.members(), Vec::new());
    let shape = collection.axes()?.header().shape;
    let format = collection.info().name.as_str();
    let [rows, cols] = [Some(shape.rows), Some(shape.cols)];
    print(args, &Report { format, kind: "file", rows, cols, members })
}

/// Describes a file; `None` if it does not have several matrices.
pub(super) fn info(
    args: &crate::verbs::info::Info,
    context: &Context,
) -> Option<Result<Outcome, Error>> {
    // A stream was read already, and opening a pipe again would wait for another writer.
    let Location::Path { path, .. } = &args.source else { return None };
    if std::fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
        return None;
    }
    let options = args.reading.set();
    let detected = context.detect(&args.source, &options).ok()?;
    let format = detected.format().info().name.as_str();
    let listed = detected.members();
    let (members, notes) = members(listed, Vec::new());
    let empty = members.is_empty();
    // If listing or opening fails, the error of opening the file as a matrix is reported.
    if !notes.is_empty() || empty || members.iter().any(|m| m.kind == "invalid") {
        return None;
    }
    Some(print(args, &Report { format, kind: "file", rows: None, cols: None, members }))
}

fn print(args: &crate::verbs::info::Info, report: &Report) -> Result<Outcome, Error> {
    if args.json {
        print_json(INFO_SCHEMA, report)?;
    } else {
        with_stdout(|out| {
            let lines = writeln!(out, "{:<12}{}", "format", report.format)
                .and_then(|()| writeln!(out, "{:<12}{}", "kind", report.kind))
                .and_then(|()| match (report.rows, report.cols) {
                    (Some(rows), Some(cols)) => {
                        writeln!(out, "{:<12}{rows} x {cols}", "shape")
                    }
                    _ => Ok(()),
                })
                .and_then(|()| print_members(&report.members, out));
            lines.map_err(failed)
        })?;
    }
    Ok(Outcome::Good)
}

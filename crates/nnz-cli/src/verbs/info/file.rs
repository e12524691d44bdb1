//! Files with several matrices, none of which is the main one.

use nnz::Error;
use nnz::collection::Collection;
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
    listed: Result<Vec<nnz::formats::Member>, Error>,
) -> Result<Outcome, Error> {
    // Several matrices have no tables of rows and columns.
    let [rows, cols] = match collection.is_several() {
        true => [None; 2],
        false => {
            let shape = collection.axes()?.header().shape;
            [Some(shape.rows), Some(shape.cols)]
        }
    };
    let format = collection.info().name.as_str();
    let members = members(Ok(listed?), Vec::new()).0;
    print(args, &Report { format, kind: "file", rows, cols, members })
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

//! `nnz diff`.

use std::io::Write;

use clap::Args as Group;
use nnz::collection::{ElementChange, ElementDifference};
use nnz::{Axis, Context, Dataset, DiffOptions, Difference, Error, ErrorKind, Location, Scalar};
use serde::Serialize;

use super::Run;
use crate::Outcome;
use crate::args::values::count;
use crate::args::{Memory, Threads, location, reading};
use crate::output::{failed, print_answer, print_json};

/// Compare two matrices of any formats, or two AnnData, MuData or Loom files; prints nothing if they are equal
///
/// Matrices are equal if all elements have equal values; types and storage order are ignored. -0.0 differs
/// from 0.0, also from an implicit one. If matrices differ, the first differences are printed as
/// row, column and both values, with - for a missing one, and the exit status is 1. It is 2 if the
/// matrices cannot be compared: one is missing, unreadable, broken, or not a matrix.
///
/// AnnData files are compared with all tables, matrices and uns, Loom files with all attributes and matrices. Each line starts with the part that
/// differs (obs, X, ...). A.h5ad::X is only the matrix.
#[derive(Debug, Group)]
#[command(after_help = "\
Examples:
  nnz diff counts.mtx counts.bpcells && echo equal
  nnz diff before.h5ad after.h5ad
  nnz diff pbmc.bpcells packed.bpcells --by-name
  nnz diff before.h5ad::X after.h5ad::X")]
pub(crate) struct Diff {
    /// The first matrix
    #[arg(value_name = "A", value_parser = location())]
    pub(crate) first: Location,

    /// The second matrix
    #[arg(value_name = "B", value_parser = location())]
    pub(crate) second: Location,

    /// Compare stored entries, including explicit zeros; for AnnData, MuData and Loom files also types
    #[arg(long)]
    pub(crate) stored: bool,

    /// Match rows and columns by name: only their order may differ; an axis without names is compared by position
    #[arg(long)]
    pub(crate) by_name: bool,

    /// Maximum number of differences to print; for AnnData and Loom files, of each part
    #[arg(long, value_name = "N", default_value = "10")]
    #[arg(value_parser = count, allow_negative_numbers = true)]
    pub(crate) max_diffs: usize,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) from: reading::From,

    #[command(flatten)]
    pub(crate) threads: Threads,

    #[command(flatten)]
    pub(crate) resources: Memory,
}

/// The schema of the JSON, as in `docs/json.md`.
const SCHEMA: &str = "nnz-diff/1";

#[derive(Serialize)]
struct Report {
    equal: bool,
    differences: Vec<DifferenceLine>,
}

/// A difference, with the keys of JSON.
#[derive(Default, Serialize)]
struct DifferenceLine {
    /// The element, in a file with several.
    #[serde(skip_serializing_if = "Option::is_none")]
    element: Option<String>,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    axis: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    row: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    col: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    first: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    second: Option<String>,
}

impl DifferenceLine {
    fn new(kind: &'static str) -> Self {
        Self { kind, ..Self::default() }
    }

    fn with(self, [first, second]: [String; 2]) -> Self {
        Self { first: Some(first), second: Some(second), ..self }
    }
}

impl Run for Diff {
    /// Compares two matrices, files or stores of fragments.
    fn run(&self, _: bool, context: &Context) -> Result<Outcome, Error> {
        let open = self.from.set(nnz::OpenOptions::new());
        let holds = |place| nnz::fragments::is_fragments(place, &open, context);
        if holds(&self.first)? && holds(&self.second)? {
            if self.json {
                return Err(Error::argument("--json does not apply to fragments"));
            }
            if self.by_name {
                return Err(Error::argument("--by-name does not apply to fragments"));
            }
            return super::fragments::diff(self, context);
        }
        let options = DiffOptions::default()
            .stored(self.stored)
            .by_name(self.by_name)
            .max_diffs(self.max_diffs.max(1));
        let mut differences: Vec<DifferenceLine> = Vec::new();
        let each = &mut |found: ElementDifference| differences.extend(of_element(found));
        nnz::diff_opened(open_both(self, context)?, &options, context, each)?;
        let equal = differences.is_empty();
        if self.json {
            print_json(SCHEMA, &Report { equal, differences })?;
        } else {
            print_answer(|out| differences.iter().try_for_each(|one| print(one, out)))?;
        }
        Ok(if equal { Outcome::Good } else { Outcome::Bad })
    }

    fn answers_by_status(&self) -> bool {
        true
    }
}

/// Opens both matrices. `--from` and the options of a format apply to each matrix that has the format.
fn open_both(args: &Diff, context: &Context) -> Result<[Dataset; 2], Error> {
    let detected = nnz::OpenOptions::new();
    let given = args.from.set(detected.clone());
    let open = |source: &Location, only: bool| match given.open(source, context) {
        Err(error) if !only && is_refused(&error) => match detected.open(source, context) {
            Ok(opened) => Ok((opened, Some(error))),
            Err(_) => Err(error),
        },
        done => done.map(|opened| (opened, None)),
    };
    let (first, refused) = open(&args.first, false)?;
    // They have to apply to one of the two.
    let (second, _) = open(&args.second, refused.is_some())?;
    Ok([first, second])
}

/// Returns whether a location has another format than the given one, or one without the given options.
fn is_refused(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Unrecognized(_)) || error.is_argument()
}

fn of_element(found: ElementDifference) -> Option<DifferenceLine> {
    let one = match found.what {
        ElementChange::FirstOnly => DifferenceLine::new("first_only"),
        ElementChange::SecondOnly => DifferenceLine::new("second_only"),
        ElementChange::Matrix(difference) => of_matrix(&difference)?,
        ElementChange::Shape { first, second } => {
            DifferenceLine::new("shape").with([first, second])
        }
        ElementChange::Kind { first, second } => DifferenceLine::new("kind").with([first, second]),
        ElementChange::Value { position, first, second } => {
            DifferenceLine { position, ..DifferenceLine::new("value") }.with([first, second])
        }
        _ => DifferenceLine::new("other"),
    };
    Some(DifferenceLine { element: Some(found.path).filter(|path| !path.is_empty()), ..one })
}

fn of_matrix(difference: &Difference) -> Option<DifferenceLine> {
    Some(match difference {
        Difference::Shape(first, second) => {
            DifferenceLine::new("shape").with([first, second].map(ToString::to_string))
        }
        Difference::Tensor => DifferenceLine::new("tensor"),
        Difference::Names(axis) => {
            let axis = if *axis == Axis::Rows { "rows" } else { "cols" };
            DifferenceLine { axis: Some(axis), ..DifferenceLine::new("names") }
        }
        Difference::Name { axis, first, second } => DifferenceLine {
            axis: Some(if *axis == Axis::Rows { "rows" } else { "cols" }),
            first: first.clone(),
            second: second.clone(),
            ..DifferenceLine::new("name")
        },
        Difference::Fill(first, second) => {
            DifferenceLine::new("fill").with(texts([*first, *second]))
        }
        Difference::Entry { row, col, first, second } => {
            let one =
                DifferenceLine { row: Some(*row), col: Some(*col), ..DifferenceLine::new("entry") };
            one.with(texts([*first, *second]))
        }
        _ => return None,
    })
}

/// Prints a difference as fields separated by tabs. The first is the element, if any.
fn print(one: &DifferenceLine, out: &mut dyn Write) -> Result<(), Error> {
    let mut fields: Vec<String> = one.element.iter().cloned().collect();
    match one.kind {
        "shape" | "fill" | "kind" => fields.push(one.kind.to_owned()),
        "tensor" => fields.push("the tensors differ".to_owned()),
        "names" => {
            fields.push(format!("the names of the {} differ", one.axis.unwrap_or_default()));
        }
        "first_only" => fields.push("only in the first".to_owned()),
        "name" => {
            let only =
                if one.second.is_none() { "only in the first" } else { "only in the second" };
            let one = if one.axis == Some("rows") { "row" } else { "column" };
            // The path of a file with several elements is the axis.
            fields = vec![one.to_owned(), only.to_owned()];
        }
        "second_only" => fields.push("only in the second".to_owned()),
        _ => {}
    }
    let numbers = [one.row, one.col, one.position].into_iter().flatten();
    fields.extend(numbers.map(|number| number.to_string()));
    fields.extend([&one.first, &one.second].into_iter().flatten().cloned());
    writeln!(out, "{}", fields.join("\t")).map_err(failed)
}

/// Formats two values that differ, with their types if they would look the same otherwise.
fn texts(values: [Option<Scalar>; 2]) -> [String; 2] {
    let [first, second] = values.map(text);
    if first != second {
        return [first, second];
    }
    values.map(|value| match value {
        Some(value) => format!("{first} ({})", value.value_type()),
        None => first.clone(),
    })
}

fn text(value: Option<Scalar>) -> String {
    let mut text = Vec::new();
    match value {
        Some(value) => nnz::text::write_scalar(&mut text, value, " "),
        None => text.push(b'-'),
    }
    String::from_utf8_lossy(&text).into_owned()
}

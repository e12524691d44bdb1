//! `nnz diff`.

use nnz::{DiffOptions, Difference, Error, Scalar};

use crate::output::{failed, print_answer};
use crate::{Outcome, args};

/// Compares two matrices.
pub(crate) fn diff(args: &args::Diff) -> Result<Outcome, Error> {
    let options = nnz::OpenOptions::new().memory_limit(args.resources.bytes());
    let holds = |place| nnz::fragments::holds(place, &options);
    if holds(&args.first)? && holds(&args.second)? {
        return super::fragments::diff(args);
    }
    let options = DiffOptions::default()
        .stored(args.stored)
        .most(args.most.max(1))
        .memory(args.resources.bytes())
        .threads(args.threads.number());
    let mut differences = Vec::new();
    nnz::diff(&args.first, &args.second, &options, &mut |found| differences.push(found))?;
    print_answer(|out| {
        for difference in &differences {
            match difference {
                Difference::Shape(first, second) => {
                    writeln!(out, "shape\t{first}\t{second}").map_err(failed)?;
                }
                Difference::Tensor => writeln!(out, "the tensors differ").map_err(failed)?,
                Difference::Names(axis) => {
                    writeln!(out, "the names of the {axis} differ").map_err(failed)?;
                }
                Difference::Fill(first, second) => {
                    let [first, second] = texts([*first, *second]);
                    writeln!(out, "fill\t{first}\t{second}").map_err(failed)?;
                }
                Difference::Entry { row, col, first, second } => {
                    let [first, second] = texts([*first, *second]);
                    writeln!(out, "{row}\t{col}\t{first}\t{second}").map_err(failed)?;
                }
                _ => {}
            }
        }
        Ok(())
    })?;
    Ok(if differences.is_empty() { Outcome::Good } else { Outcome::Bad })
}

/// Returns what is printed of two values that differ: their types, too, where else they would look
/// the same.
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

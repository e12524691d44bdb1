//! The commands of `nnz`, as functions.

use std::ffi::OsString;

use nnz_cli::captured::{self, Answer};

use crate::args::Args;
use crate::error::Failure;
use crate::json;
use crate::sources::of;
use crate::task::{self, Limits};
use crate::value::Value;

/// Runs a command: its arguments as strings, and whether it prints JSON. Returns whether the answer is yes, what it printed and its
/// messages.
pub(crate) fn run(args: &Args<'_>) -> Result<Value, Failure> {
    let arguments: Vec<OsString> = args.texts(0)?.into_iter().map(OsString::from).collect();
    let is_json = args.flag(1)?;
    let answer = task::run(Limits::default(), move |context| captured::run(arguments, context))?;
    described(answer, is_json)
}

/// Writes a matrix that is open: the matrix, and the arguments of `nnz convert` as in [`run`].
pub(crate) fn write(args: &Args<'_>) -> Result<Value, Failure> {
    let matrix = of(args, 0)?.matrix;
    let arguments: Vec<OsString> = args.texts(1)?.into_iter().map(OsString::from).collect();
    let answer = task::run(Limits::default(), move |context| {
        captured::convert(&*matrix, arguments, context)
    })?;
    described(answer, true)
}

fn described(answer: Answer, is_json: bool) -> Result<Value, Failure> {
    let output = match is_json && !answer.output.is_empty() {
        true => json::parse(&answer.output)?,
        false => Value::text(String::from_utf8_lossy(&answer.output)),
    };
    Ok(Value::list([
        ("good", Value::flag(answer.is_good)),
        ("output", output),
        ("messages", Value::Texts(answer.messages.into_iter().map(Some).collect())),
    ]))
}

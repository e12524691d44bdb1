//! The commands of `nnz`, as functions.

use std::ffi::OsString;

use nnz_cli::captured;

use crate::args::Args;
use crate::error::Failure;
use crate::json;
use crate::task::{self, Limits};
use crate::value::Value;

/// Runs a command: its arguments as strings, and whether it prints JSON. Returns whether the answer is yes, what it printed and its
/// messages.
pub(crate) fn run(args: &Args<'_>) -> Result<Value, Failure> {
    let arguments: Vec<OsString> = args.texts(0)?.into_iter().map(OsString::from).collect();
    let is_json = args.flag(1)?;
    let answer = task::run(Limits::default(), move |context| captured::run(arguments, context))?;
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

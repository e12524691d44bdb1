//! The command as a function of another program: it returns what it would print, and leaves signals alone.

use std::ffi::OsString;

use nnz::{Context, Error, MatrixSource};

use crate::args::Args;
use crate::verbs::Verb;
use crate::{Outcome, stdio, usage};

/// What a command answered and would have printed.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Answer {
    /// Whether the answer is yes: the file is valid, or the matrices are equal. True for commands without an answer.
    pub is_good: bool,
    /// Bytes for standard output.
    pub output: Vec<u8>,
    /// Lines for standard error: notes and summaries.
    pub messages: Vec<String>,
}

/// Runs a command in a context, whose cancellation ends it. The first argument is the name of the program.
///
/// ```
/// use nnz::Context;
///
/// let arguments = ["nnz", "formats", "--json"].map(Into::into);
/// let answer = nnz_cli::captured::run(arguments, &Context::default())?;
/// assert!(answer.is_good && answer.output.starts_with(b"{"));
/// # Ok::<(), nnz::Error>(())
/// ```
///
/// # Errors
///
/// Fails as the command does, also if arguments are wrong.
pub fn run(
    arguments: impl IntoIterator<Item = OsString>,
    context: &Context,
) -> nnz::Result<Answer> {
    answer(arguments, context, |verb, quiet, context| verb.command().run(quiet, context))
}

/// Runs `nnz convert` on a matrix that is open. The arguments name a source as well, which is not opened.
///
/// # Errors
///
/// Fails as the command does, also if it is another one.
pub fn convert(
    source: &dyn MatrixSource,
    arguments: impl IntoIterator<Item = OsString>,
    context: &Context,
) -> nnz::Result<Answer> {
    answer(arguments, context, |verb, quiet, context| match verb {
        Verb::Convert(convert) => convert.run_on(source, quiet, context),
        _ => Err(Error::argument("only convert takes a matrix that is open")),
    })
}

fn answer(
    arguments: impl IntoIterator<Item = OsString>,
    context: &Context,
    run: impl FnOnce(&Verb, bool, &Context) -> nnz::Result<Outcome>,
) -> nnz::Result<Answer> {
    let (mut args, shared): (Args, _) = usage::try_parse_with_shared(arguments).map_err(refused)?;
    let context = args.global.apply(context.clone(), &shared)?;
    if let Some(writing) = args.verb.command_mut().writing() {
        writing.resolve_format()?;
    }
    let (outcome, printed) = stdio::captured(|| run(&args.verb, args.global.quiet, &context));
    let is_good = matches!(outcome?, Outcome::Good);
    Ok(Answer { is_good, output: printed.output, messages: printed.messages })
}

/// Returns the error of wrong arguments: the first paragraph of the message, which others follow with the usage.
fn refused(error: clap::Error) -> Error {
    let text = usage::describe(error.format(&mut <Args as clap::CommandFactory>::command()));
    let text = text.split("\n\nUsage:").next().unwrap_or_default();
    let text = text.split("\n\nFor more information").next().unwrap_or_default();
    let text = text.strip_prefix("error: ").unwrap_or(text).trim_end();
    Error::argument(text.replace("\n\n  tip: ", "; "))
}

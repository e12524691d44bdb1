//! Arguments, help and usage errors.

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::Path;

use clap::error::{ContextKind, ContextValue};
use nnz_storage::stdio::TerminalEscapes;

use crate::stdio::{failed, is_closed_pipe, print_error};

/// Parses arguments, or prints the help or an error and returns the exit status.
///
/// # Errors
///
/// Fails with the exit status if there is nothing to run: wrong arguments, or a request for help.
pub fn parse<A: clap::Parser>(arguments: impl IntoIterator<Item = OsString>) -> Result<A, u8> {
    A::try_parse_from(arguments).map_err(ended::<A>)
}

/// Prints the help or an error, and returns the exit status.
fn ended<A: clap::Parser>(error: clap::Error) -> u8 {
    let mut command = A::command();
    let error = error.format(&mut command);
    let program = command.get_name();
    if error.use_stderr() { refuse(error, program) } else { print(&error, program) }
}

/// Options that many verbs have, whatever the verb.
#[derive(Clone, Debug)]
pub(crate) struct Shared {
    pub(crate) memory: Option<u64>,
    pub(crate) threads: Option<usize>,
    /// Whether an existing target may be replaced.
    pub(crate) force: bool,
    /// Lists of names and positions; those in files start with `@`.
    pub(crate) lists: Vec<OsString>,
}

/// The options that are lists.
const LISTS: [&str; 6] = ["rows", "cols", "cells", "features", "chromosomes", "reorder"];

/// Parses arguments as [`parse`], and the options that many verbs have.
pub(crate) fn parse_with_shared<A: clap::Parser>(
    arguments: impl IntoIterator<Item = OsString>,
) -> Result<(A, Shared), u8> {
    try_parse_with_shared(arguments).map_err(ended::<A>)
}

/// Parses arguments as [`parse_with_shared`], and prints nothing.
pub(crate) fn try_parse_with_shared<A: clap::Parser>(
    arguments: impl IntoIterator<Item = OsString>,
) -> Result<(A, Shared), clap::Error> {
    A::command().try_get_matches_from(arguments).and_then(|matches| {
        let mut last = &matches;
        while let Some((_, inner)) = last.subcommand() {
            last = inner;
        }
        // Commands without one of them do not know its name.
        let memory = last.try_get_one("memory").ok().flatten().copied();
        let threads = last.try_get_one("number").ok().flatten().copied();
        let force = last.try_get_one("force").ok().flatten().copied().unwrap_or(false);
        let lists = LISTS.iter().filter_map(|name| last.try_get_raw(name).ok().flatten());
        let lists = lists.flatten().map(OsString::from).collect();
        Ok((A::from_arg_matches(&matches)?, Shared { memory, threads, force, lists }))
    })
}

/// Returns an argument as it may be printed: escaped, and a URL without its secrets.
fn shown(argument: &str) -> String {
    let argument = nnz::storage::without_secrets(Path::new(argument));
    nnz::text::escaped(&argument.to_string_lossy()).into_owned()
}

/// Prints the help or the version.
fn print(help: &clap::Error, program: &str) -> u8 {
    let printed = nnz_storage::stdio::stdout(TerminalEscapes::Text).check();
    let printed = printed.and_then(|()| help.print()).and_then(|()| io::stdout().flush());
    match printed.map_err(failed) {
        Err(error) if !is_closed_pipe(&error) => {
            print_error(program, &error, "");
            1
        }
        _ => 0,
    }
}

/// Returns the text of a usage error, with control characters of the arguments escaped.
pub(crate) fn describe(mut error: clap::Error) -> String {
    correct_tip(&mut error);
    let escaped: Vec<(ContextKind, ContextValue)> = error
        .context()
        .filter_map(|(kind, value)| match value {
            ContextValue::String(text) => Some((kind, ContextValue::String(shown(text)))),
            ContextValue::Strings(texts) => {
                let texts = texts.iter().map(|text| shown(text));
                Some((kind, ContextValue::Strings(texts.collect())))
            }
            _ => None,
        })
        .collect();
    for (kind, value) in escaped {
        error.insert(kind, value);
    }
    error.render().to_string()
}

/// Prints a usage error.
fn refuse(error: clap::Error, program: &str) -> u8 {
    let text = describe(error);
    // The prefix of all other errors.
    let text = match text.strip_prefix("error: ") {
        Some(rest) => format!("{program}: {rest}"),
        None => text,
    };
    let lines = text.lines().map(nnz::text::escaped).collect::<Vec<_>>();
    // Errors of writing are ignored.
    let _ = writeln!(io::stderr(), "{}", lines.join("\n"));
    2
}

/// Replaces tips that do not help.
fn correct_tip(error: &mut clap::Error) {
    if error.kind() != clap::error::ErrorKind::UnknownArgument {
        return;
    }
    let Some(ContextValue::String(argument)) = error.get(ContextKind::InvalidArg) else { return };
    let negative = argument
        .strip_prefix('-')
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let tip = match argument.as_str() {
        "--from" => "the format of the source is detected; to set it, use nnz convert --from",
        "--cells" | "--features" | "--genes" | "--obs" | "--var" | "--rows" | "--cols" => {
            "nnz slice writes selected rows and columns, cells and features, and nnz filter those that meet conditions"
        }
        "--flavor" => {
            "the flavor is seurat; nnz.highly_variable_genes of the Python package has others"
        }
        _ if negative => "negative numbers are not supported; positions are counted from 0",
        // An option of another command is no value.
        _ if argument.starts_with("--") => {
            error.remove(ContextKind::Suggested);
            return;
        }
        _ => return,
    };
    error.remove(ContextKind::SuggestedArg);
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
}

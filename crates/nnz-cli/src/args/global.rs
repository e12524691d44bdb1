//! Options of all commands, in commands to which not all of their help applies.

use std::path::PathBuf;

use std::sync::Arc;

use clap::{Arg, ArgAction, Args, Command, value_parser};
use nnz::{Context, Error};

use crate::progress::Bar;
use crate::usage::Shared;

/// Options of all commands.
#[derive(Debug, Args)]
pub(crate) struct Global {
    /// Print no summaries, notes or progress
    #[arg(long, short, global = true, display_order = 900)]
    pub(crate) quiet: bool,

    /// Directory for temporary files [default: the directory of DST when sorting, otherwise $TMPDIR or
    /// /tmp]
    #[arg(long, global = true, value_name = "DIR", display_order = 901)]
    temp_dir: Option<PathBuf>,

    /// An option of s3://, gs://, az:// or https://, such as region=eu-west-1, endpoint=URL or anon=true
    /// [may be repeated; default: environment variables]
    #[arg(long = "storage-option", global = true, value_name = "KEY=VALUE")]
    storage_options: Vec<String>,
}

impl Global {
    /// Returns the context of a verb.
    pub(crate) fn context(&self, shared: &Shared) -> nnz::Result<Context> {
        let context = Context::default().with_progress(Arc::new(Bar::new(self.quiet)));
        self.apply(context, shared)
    }

    /// Sets what the options say.
    pub(crate) fn apply(&self, context: Context, shared: &Shared) -> nnz::Result<Context> {
        let context = context
            .with_storage_options(key_values(&self.storage_options)?)?
            .with_memory(shared.memory)
            .with_threads(shared.threads);
        match &self.temp_dir {
            Some(directory) => context.with_temporary_directory(directory),
            None => Ok(context),
        }
    }
}

/// Splits `KEY=VALUE`. What is wrong is not shown: it may be a secret.
fn key_values(given: &[String]) -> nnz::Result<Vec<(String, String)>> {
    let split = |text: &String| {
        let pair = text.split_once('=').filter(|(key, _)| !key.is_empty());
        let pair = pair.map(|(key, value)| (key.to_owned(), value.to_owned()));
        pair.ok_or_else(|| Error::argument("--storage-option takes KEY=VALUE"))
    };
    given.iter().map(split).collect()
}

/// Commands that read no location.
const WITHOUT_LOCATIONS: [&str; 4] = ["formats", "completions", "man", "help"];

/// Commands that write no target, for which data is sorted in the directory of temporary files.
const WITHOUT_TARGETS: [&str; 11] = [
    "info",
    "cat",
    "head",
    "names",
    "annotations",
    "stats",
    "plot",
    "report",
    "validate",
    "diff",
    "query",
];

/// The help of a command, with its examples before its options, of which there are many.
const EXAMPLES_FIRST: &str =
    "{before-help}{about-with-newline}\n{usage-heading} {usage}{after-help}\n\n{all-args}";

/// Replaces global options by others of the same name: clap does not propagate those that a command has itself. Puts examples
/// first.
pub(crate) fn adapt(command: Command) -> Command {
    let command = match command.get_after_help() {
        Some(_) => command.help_template(EXAMPLES_FIRST),
        None => command,
    };
    match command.get_name() {
        "fragments" => command.mut_subcommands(adapt),
        name if WITHOUT_LOCATIONS.contains(&name) => {
            command.arg(temp_dir().hide(true)).arg(storage_options().hide(true))
        }
        name if WITHOUT_TARGETS.contains(&name) => command.arg(temp_dir()),
        _ => command,
    }
}

fn temp_dir() -> Arg {
    Arg::new("temp_dir")
        .long("temp-dir")
        .value_name("DIR")
        .value_parser(value_parser!(PathBuf))
        .display_order(901)
        .help("Directory for temporary files [default: $TMPDIR or /tmp]")
}

fn storage_options() -> Arg {
    Arg::new("storage_options")
        .long("storage-option")
        .value_name("KEY=VALUE")
        .action(ArgAction::Append)
}

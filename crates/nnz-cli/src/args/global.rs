//! Options of all commands, in commands to which not all of their help applies.

use std::path::PathBuf;

use clap::{Arg, ArgAction, Command, value_parser};

/// Commands that read no location.
const WITHOUT_LOCATIONS: [&str; 4] = ["formats", "completions", "man", "help"];

/// Commands that write no target, for which data is sorted in the directory of temporary files.
const WITHOUT_TARGETS: [&str; 9] =
    ["info", "cat", "names", "annotations", "stats", "plot", "validate", "diff", "query"];

/// Replaces global options by others of the same name: clap does not propagate those that a command has itself.
pub(super) fn adapt(command: Command) -> Command {
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

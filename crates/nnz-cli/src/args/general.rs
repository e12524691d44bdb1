//! Arguments of commands about nnz itself.

use std::path::PathBuf;

use clap::Args as Group;

use super::topics;

/// List the formats that are read and written, and their extensions
#[derive(Debug, Group)]
#[command(after_help = "Example:\n  nnz formats")]
pub(crate) struct Formats {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Print a completion script for a shell
#[derive(Debug, Group)]
#[command(after_help = "\
Example:
  nnz completions bash > ~/.local/share/bash-completion/completions/nnz")]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub(crate) shell: clap_complete::Shell,
}

/// Write man pages, one for nnz and one for each command
#[derive(Debug, Group)]
#[command(after_help = "Example:\n  nnz man ~/.local/share/man/man1")]
pub(crate) struct Man {
    /// Directory to write to; created if it does not exist
    #[arg(value_name = "DIR")]
    pub(crate) directory: PathBuf,

    /// Replace existing pages
    #[arg(long)]
    pub(crate) force: bool,
}

/// Show help for a command, or one of the topics formats and locations
#[derive(Debug, Group)]
#[command(after_long_help = topics::all())]
#[command(after_help = "Examples:\n  nnz help convert\n  nnz help formats\n  nnz help locations")]
pub(crate) struct Help {
    /// A command (for fragments, optionally followed by one of its commands), formats, or locations
    #[arg(value_name = "TOPIC")]
    pub(crate) topic: Vec<String>,
}

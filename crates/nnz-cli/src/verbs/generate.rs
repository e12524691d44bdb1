//! `nnz completions`, `nnz man` and `nnz help`.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::builder::PossibleValuesParser;
use clap::{Args as Group, Command, CommandFactory as _};
use nnz::formats::{DatasetKind, FormatInfo};
use nnz::output::{StagedFile, WriteOptions};
use nnz::{Context, Error};
use nnz_storage::stdio::TerminalEscapes;

use super::Run;
use crate::args::topics;
use crate::output::{failed, with_stdout};
use crate::{Outcome, args};

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

impl Run for Completions {
    /// Prints the completion script for a shell.
    fn run(&self, _: bool, _: &Context) -> Result<Outcome, Error> {
        let mut script = Vec::new();
        let mut command = with_values(args::Args::command());
        clap_complete::generate(self.shell, &mut command, "nnz", &mut script);
        with_stdout(|out| out.write_all(&script).map_err(failed))?;
        Ok(Outcome::Good)
    }
}

/// Lists the values of options that are parsed, so that shells complete them.
fn with_values(command: Command) -> Command {
    let topics = command.get_subcommands().map(|verb| verb.get_name().to_owned());
    let topics: Vec<String> = topics.chain(["formats", "locations"].map(str::to_owned)).collect();
    command.mut_subcommands(move |verb| with_values_of(verb, &topics))
}

fn with_values_of(mut command: Command, topics: &[String]) -> Command {
    let names = |is_listed: fn(&FormatInfo) -> bool| {
        let listed = nnz::formats::list().into_iter().filter(|info| is_listed(info));
        listed.map(|info| info.name.as_str().to_owned()).collect()
    };
    let ids: Vec<String> =
        command.get_arguments().map(|arg| arg.get_id().as_str().to_owned()).collect();
    for id in ids {
        let values: Vec<String> = match &*id {
            "to" => names(|info| info.writes.contains(&DatasetKind::Matrix)),
            "from_format" => names(|info| !info.reads.is_empty()),
            "compress" => ["none", "gzip:1", "gzip:6", "gzip:9", "zstd:3", "zstd:19"]
                .map(str::to_owned)
                .into(),
            "topic" => topics.to_vec(),
            _ => continue,
        };
        command = command.mut_arg(id, |arg| arg.value_parser(PossibleValuesParser::new(values)));
    }
    let topics = topics.to_vec();
    command.mut_subcommands(move |verb| with_values_of(verb, &topics))
}

impl Run for Help {
    /// Prints the help of a verb, or a page.
    fn run(&self, _: bool, _: &Context) -> Result<Outcome, Error> {
        let page = match self.topic.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            ["formats"] => topics::formats(),
            ["locations"] => topics::LOCATIONS.to_owned(),
            _ => return help_of_verb(&self.topic),
        };
        with_stdout(|out| out.write_all(page.as_bytes()).map_err(failed))?;
        Ok(Outcome::Good)
    }
}

fn help_of_verb(words: &[String]) -> Result<Outcome, Error> {
    let mut command = args::Args::command();
    command.build();
    let mut found = &mut command;
    for (depth, word) in words.iter().enumerate() {
        let topics = match (depth, found.has_subcommands()) {
            (0, _) => "expected a command, formats or locations".to_owned(),
            (_, true) => format!("expected a command of nnz {}", found.get_name()),
            (_, false) => format!("nnz {} has no commands", found.get_name()),
        };
        found = found
            .find_subcommand_mut(word)
            .ok_or_else(|| Error::argument(format!("no help on {word:?}: {topics}")))?;
    }
    let printed = nnz_storage::stdio::stdout(TerminalEscapes::Text).check();
    let printed = printed.and_then(|()| match words {
        [] => found.print_help(),
        _ => found.print_long_help(),
    });
    printed.and_then(|()| std::io::stdout().flush()).map_err(failed)?;
    Ok(Outcome::Good)
}

impl Run for Man {
    /// Writes the man pages once all are staged.
    fn run(&self, _: bool, context: &Context) -> Result<Outcome, Error> {
        let directory = &self.directory;
        fs::create_dir_all(directory).map_err(|error| Error::io(directory, error))?;
        let mut command = args::Args::command();
        command.build();
        let options = WriteOptions::default().overwrite(self.force).context(context.task().clone());
        let mut pages = Vec::new();
        write_page(directory, &command, &options, &mut pages)?;
        pages.into_iter().try_for_each(|page| page.commit().map(drop))?;
        Ok(Outcome::Good)
    }
}

/// Stages the pages of a command and of its subcommands.
fn write_page(
    directory: &Path,
    page: &Command,
    options: &WriteOptions,
    pages: &mut Vec<StagedFile>,
) -> Result<(), Error> {
    let name = page.get_display_name().unwrap_or("nnz");
    let path = directory.join(format!("{name}.1"));
    let text = render(page).map_err(|error| Error::io(&path, error))?;
    let mut file = StagedFile::create(&path, options)?;
    file.write_all(&text).map_err(|error| Error::io(&path, error))?;
    pages.push(file);
    let mut verbs = page.get_subcommands().filter(|verb| !verb.is_hide_set());
    verbs.try_for_each(|verb| write_page(directory, verb, options, pages))
}

fn render(page: &Command) -> std::io::Result<Vec<u8>> {
    let version = format!("nnz {}", env!("CARGO_PKG_VERSION"));
    let mut text = Vec::new();
    clap_mangen::Man::new(page.clone()).source(version).manual("nnz").render(&mut text)?;
    Ok(text)
}

//! Options that formats declare for targets and for sources, each under a heading with the names of its formats.

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use nnz::formats::{DatasetKind, FormatInfo, FormatOption, Registry};
use nnz::{Error, formats::FormatOptions};

/// Options of the target format.
#[derive(Clone, Debug, Default)]
pub(crate) struct FormatArgs(pub(crate) FormatOptions);

impl FormatArgs {
    /// Sets an option.
    ///
    /// # Errors
    ///
    /// Fails if it is set already; `by` is the argument that sets it again.
    pub(crate) fn add(&mut self, name: &str, value: &str, by: &str) -> Result<(), Error> {
        if self.0.get(name).is_some() {
            return Err(Error::argument(format!("{by} and --{name} cannot be used together")));
        }
        self.0.set(name, value);
        Ok(())
    }
}

/// An option and the formats that have it. Its meaning can differ between formats.
#[derive(Clone)]
struct SharedOption {
    /// One for each meaning.
    options: Vec<FormatOption>,
    formats: Vec<&'static str>,
}

impl SharedOption {
    fn name(&self) -> &'static str {
        self.options.first().map_or("", |option| option.name)
    }

    fn value(&self) -> Option<&'static str> {
        self.options.first().and_then(|option| option.value)
    }

    fn is_repeated(&self) -> bool {
        self.options.iter().any(|option| option.repeated)
    }

    fn help(&self) -> String {
        let each: Vec<&str> = self.options.iter().map(|option| option.help).collect();
        each.join("\n")
    }

    /// Checks the value. The target format checks it again; if several formats have the option, only the target
    /// format can state what it expects.
    fn check(&self, text: &str) -> Result<(), String> {
        match &*self.options {
            [option] => (option.check)(text),
            _ => Ok(()),
        }
    }
}

/// Lists the options of targets of formats that can store a matrix or a collection, sorted by their formats.
fn declared() -> Vec<SharedOption> {
    let kinds = [DatasetKind::Matrix, DatasetKind::Collection];
    collect(|info| match kinds.iter().any(|kind| info.writes.contains(kind)) {
        true => info.options,
        false => &[],
    })
}

/// Lists the options of sources, sorted by their formats.
fn declared_for_reading() -> Vec<SharedOption> {
    collect(|info| info.read_options)
}

fn collect(of: impl Fn(&FormatInfo) -> &'static [FormatOption]) -> Vec<SharedOption> {
    let mut all: Vec<SharedOption> = Vec::new();
    for info in nnz::formats::list() {
        for option in of(info) {
            match all.iter_mut().find(|known| known.name() == option.name) {
                Some(known) => {
                    known.formats.push(info.name.as_str());
                    if known.options.iter().all(|other| other.help != option.help) {
                        known.options.push(*option);
                    }
                }
                None => all.push(SharedOption {
                    options: vec![*option],
                    formats: vec![info.name.as_str()],
                }),
            }
        }
    }
    all.sort_by(|a, b| a.formats.cmp(&b.formats));
    all
}

fn heading(start: &str, formats: &[&str]) -> String {
    match formats {
        [before @ .., a, b] => {
            format!("{start} {}", [before, &[&format!("{a} and {b}")]].concat().join(", "))
        }
        _ => format!("{start} {}", formats.join("")),
    }
}

const TARGETS: &str = "Options for";
const SOURCES: &str = "Options for reading";

/// Hides an option of formats that store single matrices only, and describes one of a format that stores whole
/// files by what it means there.
pub(crate) fn of_whole_files(arg: Arg) -> Arg {
    let name = arg.get_id().as_str();
    if let Some(read) = declared_for_reading().iter().find(|read| read.name() == name) {
        let registry = Registry::default();
        let is_whole = |name: &&str| {
            registry.find(name).is_some_and(|format| format.abilities().collections.is_some())
        };
        return arg.hide(!read.formats.iter().any(is_whole));
    }
    if !declared().iter().any(|declared| declared.name() == name) {
        return arg;
    }
    let registry = Registry::default();
    let mut whole =
        registry.formats().iter().filter(|format| format.abilities().collections.is_some());
    let found = whole.find_map(|format| {
        let info = format.info();
        info.options.iter().find(|option| option.name == name).map(|option| (info.name, option))
    });
    match found {
        Some((format, option)) => {
            arg.help(option.help).help_heading(heading(TARGETS, &[format.as_str()]))
        }
        None => arg.hide(true),
    }
}

/// Options of the format of the source.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReadArgs(pub(crate) FormatOptions);

fn add_arguments(command: Command, start: &str, all: Vec<SharedOption>) -> Command {
    all.into_iter().fold(command, |command, declared| {
        let heading = heading(start, &declared.formats);
        let arg = Arg::new(declared.name()).long(declared.name()).help(declared.help());
        let arg = match declared.value() {
            None => arg.action(ArgAction::SetTrue),
            Some(value) => arg
                .action(if declared.is_repeated() { ArgAction::Append } else { ArgAction::Set })
                .value_name(value)
                .allow_negative_numbers(true)
                .value_parser(move |text: &str| declared.check(text).map(|()| text.to_owned())),
        };
        // There are many: only --help has them.
        command.arg(arg.help_heading(heading).hide_short_help(true))
    })
}

fn given(matches: &ArgMatches, all: Vec<SharedOption>) -> FormatOptions {
    let mut options = FormatOptions::new();
    for declared in all {
        let name = declared.name();
        match declared.value() {
            None if matches.get_flag(name) => options.set(name, "true"),
            None => {}
            Some(_) => {
                for value in matches.get_many::<String>(name).into_iter().flatten() {
                    options.add(name, value);
                }
            }
        }
    }
    options
}

impl Args for FormatArgs {
    fn augment_args(command: Command) -> Command {
        add_arguments(command, TARGETS, declared())
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for FormatArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self(given(matches, declared())))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for ReadArgs {
    fn augment_args(command: Command) -> Command {
        add_arguments(command, SOURCES, declared_for_reading())
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for ReadArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self(given(matches, declared_for_reading())))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_sources_and_of_targets_have_different_names() {
        let targets = declared();
        for source in declared_for_reading() {
            assert!(
                targets.iter().all(|target| target.name() != source.name()),
                "{}",
                source.name()
            );
        }
    }
}

//! Options that formats declare, each under the heading of its formats.

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use nnz::formats::{DatasetKind, FormatInfo, FormatOption};
use nnz::{Error, formats::FormatOptions};

/// Options of the format that is written.
#[derive(Clone, Debug, Default)]
pub(crate) struct FormatArgs(pub(crate) FormatOptions);

impl FormatArgs {
    /// Sets an option.
    ///
    /// # Errors
    ///
    /// Fails where it is set already; `by` is what would set it again.
    pub(crate) fn add(&mut self, name: &str, value: &str, by: &str) -> Result<(), Error> {
        if self.0.get(name).is_some() {
            return Err(Error::argument(format!("{by} and --{name} say the same twice")));
        }
        self.0.set(name, value);
        Ok(())
    }
}

/// An option and the formats that have it.
struct Declared {
    option: FormatOption,
    formats: Vec<&'static str>,
}

/// Lists the options of formats that matrices are written in, those of the same formats together.
fn declared() -> Vec<Declared> {
    let written = |info: &&FormatInfo| info.writes.contains(&DatasetKind::Matrix);
    let mut all: Vec<Declared> = Vec::new();
    for info in nnz::formats::list().into_iter().filter(written) {
        for option in info.options {
            match all.iter_mut().find(|known| known.option.name == option.name) {
                Some(known) => known.formats.push(info.name),
                None => all.push(Declared { option: *option, formats: vec![info.name] }),
            }
        }
    }
    all.sort_by(|a, b| a.formats.cmp(&b.formats));
    all
}

fn heading(formats: &[&str]) -> String {
    format!("Options of {}", formats.join(" and "))
}

impl Args for FormatArgs {
    fn augment_args(command: Command) -> Command {
        declared().into_iter().fold(command, |command, Declared { option, formats }| {
            let arg = Arg::new(option.name).long(option.name).help(option.help);
            let arg = match option.value {
                None => arg.action(ArgAction::SetTrue),
                Some(value) => arg
                    .value_name(value)
                    .value_parser(move |text: &str| (option.check)(text).map(|()| text.to_owned())),
            };
            command.arg(arg.help_heading(heading(&formats)))
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for FormatArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut options = FormatOptions::new();
        for Declared { option: FormatOption { name, value, .. }, .. } in declared() {
            match value {
                None if matches.get_flag(name) => options.set(name, "true"),
                None => {}
                Some(_) => {
                    if let Some(value) = matches.get_one::<String>(name) {
                        options.set(name, value);
                    }
                }
            }
        }
        Ok(Self(options))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

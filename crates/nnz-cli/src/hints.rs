//! Hints on errors, with the arguments of the command.

use std::borrow::Cow;

use nnz::text::escaped;
use nnz::{Error, ErrorKind};

/// Returns the hint of an error, to be appended to the message.
pub fn hint(error: &Error) -> String {
    match error.hint() {
        Some(hint) => format!("; {} {}", argument(hint.item), escaped(&hint.effect)),
        None => String::new(),
    }
}

/// Returns a note with the arguments for the options that it names.
pub(crate) fn with_arguments(note: &str) -> Cow<'_, str> {
    const OPTIONS: [&str; 8] = [
        "index_unique",
        "make_unique",
        "row_names",
        "col_names",
        "cell_axis",
        "axis",
        "format",
        "features",
    ];
    for option in OPTIONS {
        if let Some((note, effect)) = note.split_once(&format!("; {option} ")) {
            return format!("{note}; {} {effect}", argument(option)).into();
        }
    }
    note.into()
}

/// Returns the message of an error, without its hint, with the argument for the option that it names.
pub fn with_option(error: &Error) -> String {
    let text = error.without_hint().to_string();
    match error.kind() {
        // Not in a path before it.
        ErrorKind::Argument(what) => match what.split_once(OPTION) {
            Some((before, rest)) => {
                let (name, rest) = rest.split_once(' ').unwrap_or((rest, ""));
                let name = name.replace('_', "-");
                text.replacen(what, &format!("{before}--{name} {rest}"), 1)
            }
            None => text,
        },
        _ => text,
    }
}

/// Names an option of a format in messages of the library.
const OPTION: &str = "the option ";

/// Returns the argument for an option, a function or a type of the library.
fn argument(item: &str) -> Cow<'_, str> {
    let typed = match item {
        "format" => "--to",
        "prefixes" => "--prefix",
        "value_type" => "--type",
        "StructurePolicy::General" => "nnz convert --expand",
        "frames::convert" => "nnz convert",
        "fragments" => "nnz fragments",
        "fragments::Counts" => "nnz fragments count",
        "fragments::import" => "nnz fragments import",
        "OpenOptions::format" => "--from",
        "concat" => "nnz concat",
        "filter" => "nnz filter",
        "slice" => "nnz slice",
        "transpose" => "nnz transpose",
        "DuplicatePolicy::Sum" => "nnz convert --duplicates sum",
        option => return format!("--{}", option.replace('_', "-")).into(),
    };
    typed.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_have_the_name_of_the_argument() {
        let hint = |item| hint(&Error::argument("no").with_hint(item, "helps"));
        assert_eq!(hint("value_type"), "; --type helps");
        assert_eq!(hint("ignore_names"), "; --ignore-names helps");
        assert_eq!(hint("fragments::import"), "; nnz fragments import helps");
        assert_eq!(super::hint(&Error::argument("no")), "");
        let refused = Error::argument("the option block does not apply to mtx");
        assert_eq!(with_option(&refused), "--block does not apply to mtx");
        let other = Error::argument("the option from_dialect does not apply to mtx");
        assert_eq!(with_option(&other), "--from-dialect does not apply to mtx");
        let place = nnz::Place::path("the option x.mtx");
        let placed = Error::new(refused.into_parts().0, place);
        assert_eq!(with_option(&placed), "the option x.mtx: --block does not apply to mtx");
    }
}

//! Errors for selections that select nothing.

use nnz_core::Error;

/// Describes conditions that together select nothing, while all but the last select something. `one` is the name of
/// one row or column; `lists` is whether two of the conditions are lists.
pub(crate) fn message(conditions: &[String], one: &str, lists: bool) -> String {
    match conditions {
        [only] => format!("{only} selects no {one}"),
        _ => {
            let all = conditions.join(" and ");
            let advice = if lists { ": name them in one option, separated by commas" } else { "" };
            format!("{all} select no {one} in common{advice}")
        }
    }
}

/// Creates the error with a message that nothing is selected.
pub(crate) fn error(message: impl Into<String>) -> Error {
    Error::argument(message).with_hint("allow_empty", "accepts it")
}

//! Commands to go on with.

use crate::Context;
use nnz_core::{Axis, AxisKind};

use super::Report;
use crate::{Location, OpenOptions};

/// A command, and what it does.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Command {
    /// Its effect, in words.
    pub what: &'static str,
    /// The command.
    pub line: String,
}

/// Returns the commands for a location.
pub(super) fn of_location(
    location: &Location,
    report: &Report,
    open: &OpenOptions,
    context: &Context,
) -> Vec<Command> {
    let mut from = quoted(&location.to_string());
    if let Some(format) = open.format {
        from.push_str(&format!(" --from {format}"));
    }
    for name in open.format_options.names() {
        for value in open.format_options.all(name) {
            from.push_str(&format!(" --{name}"));
            if !is_flag(name, context) {
                from.push_str(&format!(" {}", quoted(value)));
            }
        }
    }
    let mut commands = Vec::new();
    let mut add = |what, line: String| commands.push(Command { what, line });
    if report.faults() > 0 {
        add(
            "Write a corrected copy, if there is only one possible correction",
            format!("nnz repair {from} repaired{}", extension(location)),
        );
        add("List all errors and notes", format!("nnz validate {from} --notes"));
        // Others fail as soon as they read what is broken.
        return commands;
    }
    // There is no main matrix otherwise.
    let Some([rows, cols]) = report.axes.as_ref().filter(|_| report.matrix_is_read) else {
        return commands;
    };
    add("Print the first rows and columns", format!("nnz head {from}"));
    let cells = [rows, cols].into_iter().any(|axis| axis.kind == AxisKind::Cells);
    let axis = if cells { "cells" } else { "cols" };
    add("Measure each of them", format!("nnz stats {from} --axis {axis}"));
    // What filters whole AnnData files keeps their other matrices and tables.
    let is_anndata =
        report.facts.iter().any(|(what, value)| *what == "Format" && value == "AnnData");
    let measured = [rows, cols].into_iter().find(|one| match cells {
        true => one.kind == AxisKind::Cells,
        false => one.axis == Axis::Cols,
    });
    if let Some(entries) =
        measured.and_then(|axis| axis.entries).filter(|entries| entries.max >= 1.0)
    {
        let target = if is_anndata { "kept.h5ad" } else { "kept.bpcells" };
        // At least three quarters have as many.
        let least = entries.lower.floor().clamp(1.0, 200.0);
        let line = format!("nnz filter {from} {target} --{axis} \"nnz>={least}\"");
        add("Keep those with enough entries", line);
    }
    if !is_anndata {
        add("Write an AnnData file", format!("nnz convert {from} out.h5ad"));
    }
    add(
        "Write it as small as possible",
        format!("nnz convert {from} small.zarr --to anndata --profile small"),
    );
    add("Draw one of the pictures", format!("nnz plot {from} spy.svg --kind spy"));
    commands
}

/// Returns whether an option of reading has no value.
fn is_flag(name: &str, context: &Context) -> bool {
    let registry = context.registry();
    let mut options = registry.formats().iter().flat_map(|format| format.info().read_options);
    options.any(|option| option.name == name && option.value.is_none())
}

/// Returns a word as a shell reads it.
fn quoted(word: &str) -> String {
    let is_plain = |sign: char| sign.is_ascii_alphanumeric() || "._-/:=@%+,".contains(sign);
    match word.is_empty() || !word.chars().all(is_plain) {
        true => format!("'{}'", word.replace('\'', "'\\''")),
        false => word.to_owned(),
    }
}

fn extension(location: &Location) -> String {
    let Location::Path { path, .. } = location else { return String::new() };
    path.extension().map_or(String::new(), |extension| format!(".{}", extension.to_string_lossy()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_for_a_shell() {
        assert_eq!(quoted("a/b.h5ad::layers/x"), "a/b.h5ad::layers/x");
        assert_eq!(quoted("it's $HOME"), r"'it'\''s $HOME'");
        assert_eq!(quoted(""), "''");
    }
}

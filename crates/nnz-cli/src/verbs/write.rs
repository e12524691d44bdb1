//! Verbs that write a matrix.

use nnz::Context;
use nnz::engine::SummaryContent;
use nnz::{ConvertOptions, Error, Header, Location, Rounding, Summary, output::StructurePolicy};

use crate::args::{self, Writing};
use crate::output::{bytes, print_message, rounded};

pub(super) fn header_of(
    place: &Location,
    reading: &args::reading::SourceFormat,
    context: &Context,
) -> Result<Header, Error> {
    Ok(reading.set().open(place, context)?.into_axes()?.header().clone())
}

/// Returns the first of two sources or more. With one, the target is probably missing, so that the last source would be
/// replaced.
pub(super) fn first_of_several<'a>(
    sources: &'a [Location],
    last: &Location,
) -> Result<&'a Location, Error> {
    match sources {
        [first, _, ..] => Ok(first),
        _ => {
            let what = format!(
                "the target is missing after {last}: expected at least two sources and a target"
            );
            Err(Error::argument(what))
        }
    }
}

pub(super) fn options(args: &Writing, context: &Context) -> Result<ConvertOptions, Error> {
    let memory = context.memory();
    let [row_labels, col_labels] = args.labelling.labels(memory)?;
    let mut options = ConvertOptions::default()
        .format_options(args.format_options.0.clone())
        .structure(match args.structure {
            _ if args.expand => StructurePolicy::General,
            structure => structure.map_or(StructurePolicy::Keep, Into::into),
        })
        .order(args.order.map(Into::into))
        .value_type(args.value_type)
        .rounding(if args.lossy { Rounding::Nearest } else { Rounding::Refused })
        .duplicates(args.duplicates.map(Into::into))
        .compress(args.compress)
        .overwrite(args.force)
        .sync(!args.no_sync)
        .strict(args.strict)
        .transpose(false)
        .cell_axis(args.cell_axis.map_or_else(Default::default, Into::into))
        .row_labels(row_labels)
        .col_labels(col_labels);
    options.format = args.to.as_ref().map(|to| to.format);
    Ok(options)
}

/// Prints the summary to standard error: the target may be standard output.
pub(super) fn summarise(sources: &[Location], target: &Location, summary: &Summary) {
    for note in &summary.notes {
        print_message(&format!("note: {}", crate::hints::with_arguments(note)));
    }
    let dropped = [&*summary.dropped, &*summary.left_out].concat();
    if !dropped.is_empty() {
        print_message(&format!("dropped: {}", dropped.join(", ")));
    }
    let size = match summary.bytes_before {
        Some(before) if before > 0 && summary.bytes_after > 0 => {
            let after = summary.bytes_after;
            let sizes = format!("{} -> {}", bytes(before), bytes(after));
            match is_complete(target) && sources.iter().all(is_complete) {
                true => format!("{sizes} ({})", factor(before, after)),
                false => sizes,
            }
        }
        _ => bytes(summary.bytes_after),
    };
    let nanos = std::time::Duration::from_secs_f64(summary.seconds).as_nanos().max(1);
    let rate = u128::from(summary.entries) * 1_000_000_000 / nanos;
    print_message(&heading(sources, target));
    let shape = || {
        let rows = counted(summary.shape.rows, "row", "rows");
        format!("{rows}, {}", counted(summary.shape.cols, "column", "columns"))
    };
    let entries = counted(summary.entries, "entry", "entries");
    let (size_of_data, rate_of) = match &summary.content {
        SummaryContent::Tensor(extents) => {
            (format!("{}, {entries}", dimensions(extents)), "entries")
        }
        SummaryContent::Matrices(count) => {
            (format!("{}, {entries}", counted(*count, "matrix", "matrices")), "entries")
        }
        SummaryContent::Table => (shape(), "cells"),
        SummaryContent::Fragments { chromosomes, cells } => {
            let fragments = counted(summary.entries, "fragment", "fragments");
            let chromosomes = counted(*chromosomes, "chromosome", "chromosomes");
            let cells = counted(*cells, "cell", "cells");
            (format!("{fragments}, {chromosomes}, {cells}"), "fragments")
        }
        _ => (format!("{}, {entries}", shape()), "entries"),
    };
    print_message(&format!("  {size_of_data}"));
    print_message(&format!("  {size}"));
    if summary.disk > 0 {
        print_message(&format!("  sorted with {} of temporary disk space", bytes(summary.disk)));
    }
    print_message(&format!("  {:.2} s, {} {rate_of}/s", summary.seconds, rounded(rate)));
}

/// Returns the size of a source that is a file, to be compared with the target. It is determined before writing, as
/// the target may be the source.
pub(super) fn file_size(source: &Location) -> Option<u64> {
    let Location::Path { path, group: None } = source else { return None };
    path.metadata().ok().filter(std::fs::Metadata::is_file).map(|file| file.len())
}

/// Returns whether the size of a location includes everything that is stored with the matrix: not if it is a group,
/// or a store with groups, whose other groups are not counted.
fn is_complete(location: &Location) -> bool {
    match location {
        Location::Path { group: Some(_), .. } => false,
        Location::Path { path, group: None } => {
            path.is_file() || !nnz::formats::has_groups(path).unwrap_or(true)
        }
        _ => true,
    }
}

/// Returns the size of the target relative to the source.
#[expect(clippy::cast_precision_loss, reason = "shown with two digits")]
fn factor(before: u64, after: u64) -> String {
    let ratio = after as f64 / before.max(1) as f64;
    let (mut decimals, mut scaled) = (2, ratio);
    while scaled < 0.1 && decimals < 9 {
        (decimals, scaled) = (decimals + 1, scaled * 10.0);
    }
    match format!("{ratio:.decimals$}") {
        same if same == "1.00" => "the same size".to_owned(),
        ratio => format!("{ratio} times the size"),
    }
}

/// Returns a number with its noun, in the plural if it is not 1.
pub(super) fn counted(number: u64, one: &str, several: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { several })
}

/// Formats the dimensions of a tensor.
pub(super) fn dimensions(extents: &[u64]) -> String {
    let each: Vec<String> = extents.iter().map(ToString::to_string).collect();
    match extents {
        [] => "a scalar".to_owned(),
        [length] => counted(*length, "element", "elements"),
        _ => each.join(" x "),
    }
}

/// Formats sources and target.
pub(super) fn heading(sources: &[Location], target: &Location) -> String {
    // Control characters in names must not reach the terminal.
    let shown = |place: &Location| place.place().to_string();
    let sources: Vec<String> = match sources {
        [first, .., last] if sources.len() > 4 => {
            let between = format!("{} more", sources.len() - 2);
            vec![shown(first), between, shown(last)]
        }
        few => few.iter().map(shown).collect(),
    };
    format!("{} -> {}", sources.join(", "), shown(target))
}

#[cfg(test)]
mod tests {
    use super::factor;

    #[test]
    fn sizes_are_compared_with_two_digits() {
        assert_eq!(factor(1000, 1004), "the same size");
        assert_eq!(factor(1000, 1030), "1.03 times the size");
        assert_eq!(factor(1000, 970), "0.97 times the size");
        assert_eq!(factor(1000, 19_770), "19.77 times the size");
        assert_eq!(factor(1_000_000, 1234), "0.0012 times the size");
        assert_eq!(factor(u64::MAX, 1), "0.000000000 times the size");
    }
}

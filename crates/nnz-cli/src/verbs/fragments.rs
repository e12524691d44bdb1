//! `nnz fragments`, and other verbs with a fragment file.

mod any;

use nnz::Context;
use std::ffi::{OsStr, OsString};
use std::path::Path;

use nnz::fragments::{
    self, Chromosomes, Counts, FragmentSummary, ImportOptions, MergeOptions, Region, Regions,
    SelectOptions, StoreOptions, Tiles,
};
use nnz::{Error, ErrorKind, Location, matrix::StringList};

use super::write;
use crate::Outcome;
use crate::args::empty_list;
use crate::args::fragments::{Count, Export, FragmentsVerb, Import, Merge, Query, Select, Storing};
use crate::output::{bytes, print_message, rounded, with_stdout};

pub(crate) use any::{cat, convert, diff, info, names};

/// Runs a verb of `nnz fragments`.
pub(crate) fn run(verb: &FragmentsVerb, quiet: bool, context: &Context) -> Result<Outcome, Error> {
    match verb {
        FragmentsVerb::Import(args) => import(args, quiet, context),
        FragmentsVerb::Export(args) => export(args, quiet, context),
        FragmentsVerb::Query(args) => query(args, context),
        FragmentsVerb::Merge(args) => merge(args, quiet, context),
        FragmentsVerb::Select(args) => select(args, quiet, context),
        FragmentsVerb::Count(args) => count(args, quiet, context),
    }
}

fn import(args: &Import, quiet: bool, context: &Context) -> Result<Outcome, Error> {
    let reading = ImportOptions::default()
        .sort(args.sort)
        .end_inclusive(args.end_inclusive)
        .cells(args.cells.as_deref().map(fragments::read_cells).transpose()?)
        .chromosomes(args.chrom_sizes.as_deref().map(Chromosomes::read).transpose()?);
    let options = options(&args.storing);
    let summary = fragments::import(&args.source, &args.target, reading, &options, context)?;
    summarise(std::slice::from_ref(&args.source), &args.target, &summary, quiet);
    Ok(Outcome::Good)
}

fn export(args: &Export, quiet: bool, context: &Context) -> Result<Outcome, Error> {
    let options = StoreOptions::default().overwrite(args.force).sync(!args.no_sync);
    if !fragments::is_text(&args.target)? {
        let what = "expected the extension .tsv, .txt or .bed, also with .gz; for other formats use nnz convert";
        return Err(Error::argument(format!("{}: {what}", args.target)));
    }
    let summary = fragments::convert(&args.source, &args.target, &options, context)?;
    summarise(std::slice::from_ref(&args.source), &args.target, &summary, quiet);
    Ok(Outcome::Good)
}

fn query(args: &Query, context: &Context) -> Result<Outcome, Error> {
    let source = fragments::open(&args.source, context)?;
    let names = source.chromosome_names()?;
    let regions = args.regions.iter().map(|text| Region::parse(text, &names));
    let regions =
        regions.collect::<Result<Vec<_>, Error>>().map_err(|error| match error.kind() {
            ErrorKind::UnknownName(_) => error.with_context(&args.source.source_place()),
            _ => error,
        })?;
    print(&args.source, &*source, &regions, context)
}

/// Prints fragments. What was read before an error is printed, too.
fn print(
    location: &Location,
    source: &dyn fragments::FragmentSource,
    regions: &[Region],
    context: &Context,
) -> Result<Outcome, Error> {
    let mut printed = Ok(());
    with_stdout(|out| {
        printed = fragments::print(source, regions, context, out);
        Ok(())
    })?;
    let place = location.source_place();
    printed.map_err(|error| error.with_context(&place))?;
    Ok(Outcome::Good)
}

fn merge(args: &Merge, quiet: bool, context: &Context) -> Result<Outcome, Error> {
    write::first_of_several(&args.sources, &args.target)?;
    let merging = MergeOptions::default().prefixes(args.prefix.clone());
    let options = options(&args.storing);
    let summary = fragments::merge(&args.sources, &args.target, &merging, &options, context)?;
    summarise(&args.sources, &args.target, &summary, quiet);
    Ok(Outcome::Good)
}

fn select(args: &Select, quiet: bool, context: &Context) -> Result<Outcome, Error> {
    let listed = |list: &Option<OsString>| {
        list.as_deref().map(|list| list_of(list, args.allow_empty)).transpose()
    };
    let selected = SelectOptions::default()
        .cells(listed(&args.cells)?)
        .chromosomes(listed(&args.chromosomes)?)
        .length(args.min_length..=args.max_length.unwrap_or(u32::MAX));
    let options = options(&args.storing);
    let summary = fragments::select(&args.source, &args.target, &selected, &options, context)?;
    summarise(std::slice::from_ref(&args.source), &args.target, &summary, quiet);
    Ok(Outcome::Good)
}

/// Parses names separated by commas, or reads `@FILE`.
fn list_of(text: &OsStr, allow_empty: bool) -> Result<StringList, Error> {
    match text.as_encoded_bytes().strip_prefix(b"@") {
        Some(path) => {
            let path = nnz_storage::os_str_from_bytes(path);
            let path = Path::new(&path);
            let names = fragments::read_cells(path)?;
            if names.is_empty() && !allow_empty {
                return Err(empty_list(path));
            }
            Ok(names)
        }
        None => Ok(text.as_encoded_bytes().split(|byte| *byte == b',').collect()),
    }
}

fn count(args: &Count, quiet: bool, context: &Context) -> Result<Outcome, Error> {
    let options = write::options(&args.writing, context)?;
    let sizes = args.chrom_sizes.as_deref().map(Chromosomes::read);
    let regions = match (&args.peaks, args.tiles) {
        (Some(path), _) => Regions::Peaks(fragments::read_peaks(path)?),
        (None, width) => Regions::Tiles(Tiles {
            width: width.unwrap_or(0),
            chromosomes: sizes.transpose()?.map(Into::into),
        }),
    };
    let place = args.source.source_place();
    let open_options = nnz::OpenOptions::new();
    let source = fragments::open_with(&args.source, &open_options, context)?;
    let counts = Counts::new(source, regions, args.mode.into());
    let counts = counts.map_err(|error| error.with_context(&place))?;
    let summary = nnz::convert_source(&counts, &args.target, &options, context)?;
    if !quiet {
        write::summarise(std::slice::from_ref(&args.source), &args.target, &summary);
    }
    Ok(Outcome::Good)
}

fn options(args: &Storing) -> StoreOptions {
    StoreOptions::default()
        .packing(args.unpacked.then_some(nnz::formats::values::Packing::Unpacked))
        .format_version(args.format_version)
        .compress(args.compress)
        .overwrite(args.force)
        .sync(!args.no_sync)
}

/// Prints the summary to standard error: the target may be standard output.
pub(super) fn summarise(
    sources: &[Location],
    target: &Location,
    summary: &FragmentSummary,
    quiet: bool,
) {
    if quiet {
        return;
    }
    for note in &summary.notes {
        print_message(&format!("note: {note}"));
    }
    if !summary.dropped.is_empty() {
        print_message(&format!("dropped: {}", summary.dropped.join(", ")));
    }
    let size = match summary.bytes_before {
        Some(before) if before > 0 && summary.bytes_after > 0 => {
            format!("{} -> {}", bytes(before), bytes(summary.bytes_after))
        }
        _ => bytes(summary.bytes_after),
    };
    let nanos = std::time::Duration::from_secs_f64(summary.seconds).as_nanos().max(1);
    let rate = u128::from(summary.fragments) * 1_000_000_000 / nanos;
    let FragmentSummary { fragments, chromosomes, cells, .. } = summary;
    print_message(&write::heading(sources, target));
    let fragments = write::counted(*fragments, "fragment", "fragments");
    let chromosomes = write::counted(*chromosomes, "chromosome", "chromosomes");
    let cells = write::counted(*cells, "cell", "cells");
    print_message(&format!("  {fragments}, {chromosomes}, {cells}"));
    print_message(&format!("  {size}"));
    if summary.disk > 0 {
        print_message(&format!("  sorted with {} of temporary disk space", bytes(summary.disk)));
    }
    print_message(&format!("  {:.2} s, {} fragments/s", summary.seconds, rounded(rate)));
}

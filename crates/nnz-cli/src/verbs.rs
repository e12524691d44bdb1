//! The verbs, each a thin layer over one call.

mod diff;
mod info;
mod stats;
mod validate;

use nnz::{ConvertOptions, Error, Rounding};

use crate::output::{bytes, failed, rounded, tell, with_stdout};
use crate::progress::Bar;
use crate::{Outcome, args};

pub(crate) use diff::diff;
pub(crate) use info::info;
pub(crate) use stats::stats;
pub(crate) use validate::validate;

/// Prints stored entries.
pub(crate) fn cat(args: &args::Cat) -> Result<Outcome, Error> {
    let options = nnz::CatOptions {
        rows: args.rows.clone(),
        cols: args.cols.clone(),
        expand: args.expand,
        duplicates: args.duplicates.into(),
        memory: args.resources.bytes(),
    };
    let mut read = Ok(());
    with_stdout(|out| {
        // What was read before an error is printed all the same.
        read = nnz::cat(&args.source, &options, out);
        Ok(())
    })?;
    read.map(|()| Outcome::Good)
}

/// Prints names.
pub(crate) fn names(args: &args::Names) -> Result<Outcome, Error> {
    let opened = nnz::open(&args.source)?;
    let names = opened.source.names(args.axis.into())?.unwrap_or_default();
    with_stdout(|out| {
        for name in names.iter() {
            out.write_all(name).and_then(|()| out.write_all(b"\n")).map_err(failed)?;
        }
        Ok(())
    })?;
    Ok(Outcome::Good)
}

/// Converts, with rows and columns exchanged or not, and says what it came to.
pub(crate) fn convert(
    args: &args::Convert,
    transpose: bool,
    quiet: bool,
) -> Result<Outcome, Error> {
    let defaults = ConvertOptions::default();
    let options = ConvertOptions {
        format: args.to,
        order: args.order.map(Into::into),
        value_type: args.value_type,
        rounding: if args.lossy { Rounding::Nearest } else { Rounding::Refused },
        duplicates: args.duplicates.map(Into::into),
        packing: args.unpacked.then_some(nnz::Packing::Unpacked),
        generation: args.format_version,
        compress: args.compress,
        layout: args.format.map(Into::into),
        write: nnz::WriteOptions { overwrite: args.force, sync: !args.no_sync },
        strict: args.strict,
        transpose,
        memory: args.resources.bytes(),
        threads: args.threads.map_or(defaults.threads, Into::into),
    };
    let bar = Bar::new(quiet);
    let summary = nnz::convert(&args.source, &args.target, &options, &bar)?;
    if !quiet {
        summarise(args, &summary);
    }
    Ok(Outcome::Good)
}

/// Prints the summary to standard error: the target may be standard output.
fn summarise(args: &args::Convert, summary: &nnz::Summary) {
    for note in &summary.notes {
        tell(&format!("note: {note}"));
    }
    if !summary.dropped.is_empty() {
        tell(&format!("dropped, for want of a place: {}", summary.dropped.join(", ")));
    }
    let size = match summary.bytes_before {
        Some(before) if before > 0 && summary.bytes_after > 0 => {
            let hundredths = u128::from(before) * 100 / u128::from(summary.bytes_after);
            let (whole, hundredths) = (hundredths / 100, hundredths % 100);
            format!(
                "{} -> {} (ratio {whole}.{hundredths:02})",
                bytes(before),
                bytes(summary.bytes_after)
            )
        }
        _ => bytes(summary.bytes_after),
    };
    let nanos = std::time::Duration::from_secs_f64(summary.seconds).as_nanos().max(1);
    let rate = u128::from(summary.entries) * 1_000_000_000 / nanos;
    // Control characters in a file's name must not reach the terminal.
    let shown = |place: &nnz::Location| nnz::Place::path(place.to_string());
    tell(&format!("{} -> {}", shown(&args.source), shown(&args.target)));
    tell(&format!(
        "  {} rows, {} columns, {} entries",
        summary.shape.rows, summary.shape.cols, summary.entries
    ));
    tell(&format!("  {size}"));
    tell(&format!("  {:.2} s, {} entries/s", summary.seconds, rounded(rate)));
}

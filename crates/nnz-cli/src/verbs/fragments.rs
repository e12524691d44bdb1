//! `nnz fragments`, and other verbs with a fragment file.

mod any;

use nnz::Context;
use std::ffi::{OsStr, OsString};
use std::path::Path;

use nnz::fragments::{
    self, Chromosomes, Counts, ImportOptions, MergeOptions, Region, Regions, SelectOptions,
    StoreOptions, Tiles,
};
use nnz::{Error, ErrorKind, Location, matrix::StringList};

use super::Run;
use super::write;
use crate::Outcome;
use crate::args::Writing;
use crate::args::empty_list;
use crate::args::fragments::{Count, Export, Fragments, Import, Merge, Query, Select, Storing};
use crate::output::with_stdout;

pub(crate) use any::{cat, diff, info, names};

impl Run for Fragments {
    fn run(&self, quiet: bool, context: &Context) -> Result<Outcome, Error> {
        self.verb.command().run(quiet, context)
    }

    fn writing(&mut self) -> Option<&mut Writing> {
        self.verb.command_mut().writing()
    }
}

impl Run for Import {
    fn run(&self, quiet: bool, context: &Context) -> Result<Outcome, Error> {
        let reading = ImportOptions::default()
            .sort(self.sort)
            .end_inclusive(self.end_inclusive)
            .cells(self.cells.as_deref().map(fragments::read_cells).transpose()?)
            .chromosomes(self.chrom_sizes.as_deref().map(Chromosomes::read).transpose()?);
        let options = options(&self.storing);
        let summary = fragments::import(&self.source, &self.target, reading, &options, context)?;
        if !quiet {
            write::summarise(std::slice::from_ref(&self.source), &self.target, &summary.into());
        }
        Ok(Outcome::Good)
    }
}

impl Run for Export {
    fn run(&self, quiet: bool, context: &Context) -> Result<Outcome, Error> {
        let options = StoreOptions::default().overwrite(self.force).sync(!self.no_sync);
        if !fragments::is_text(&self.target)? {
            let what = "expected the extension .tsv, .txt or .bed, also with .gz; for other formats use nnz convert";
            return Err(Error::argument(format!("{}: {what}", self.target)));
        }
        let summary = fragments::convert(&self.source, &self.target, &options, context)?;
        if !quiet {
            write::summarise(std::slice::from_ref(&self.source), &self.target, &summary.into());
        }
        Ok(Outcome::Good)
    }
}

impl Run for Query {
    fn run(&self, _: bool, context: &Context) -> Result<Outcome, Error> {
        let source = fragments::open(&self.source, context)?;
        let names = source.chromosome_names()?;
        let regions = self.regions.iter().map(|text| Region::parse(text, &names));
        let regions =
            regions.collect::<Result<Vec<_>, Error>>().map_err(|error| match error.kind() {
                ErrorKind::UnknownName(_) => error.with_context(&self.source.source_place()),
                _ => error,
            })?;
        print(&self.source, &*source, &regions, context)
    }
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

impl Run for Merge {
    fn run(&self, quiet: bool, context: &Context) -> Result<Outcome, Error> {
        write::first_of_several(&self.sources, &self.target)?;
        let merging = MergeOptions::default().prefixes(self.prefix.clone());
        let options = options(&self.storing);
        let summary = fragments::merge(&self.sources, &self.target, &merging, &options, context)?;
        if !quiet {
            write::summarise(&self.sources, &self.target, &summary.into());
        }
        Ok(Outcome::Good)
    }
}

impl Run for Select {
    fn run(&self, quiet: bool, context: &Context) -> Result<Outcome, Error> {
        let listed = |list: &Option<OsString>| {
            list.as_deref().map(|list| list_of(list, self.allow_empty)).transpose()
        };
        let selected = SelectOptions::default()
            .cells(listed(&self.cells)?)
            .chromosomes(listed(&self.chromosomes)?)
            .length(self.min_length..=self.max_length.unwrap_or(u32::MAX));
        let options = options(&self.storing);
        let summary = fragments::select(&self.source, &self.target, &selected, &options, context)?;
        if !quiet {
            write::summarise(std::slice::from_ref(&self.source), &self.target, &summary.into());
        }
        Ok(Outcome::Good)
    }
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

impl Run for Count {
    fn run(&self, quiet: bool, context: &Context) -> Result<Outcome, Error> {
        let options = write::options(&self.writing, context)?;
        let sizes = self.chrom_sizes.as_deref().map(Chromosomes::read);
        let regions = match (&self.peaks, self.tiles) {
            (Some(path), _) => Regions::Peaks(fragments::read_peaks(path)?),
            (None, width) => Regions::Tiles(Tiles {
                width: width.unwrap_or(0),
                chromosomes: sizes.transpose()?.map(Into::into),
            }),
        };
        let place = self.source.source_place();
        let open_options = nnz::OpenOptions::new();
        let source = fragments::open_with(&self.source, &open_options, context)?;
        let counts = Counts::new(source, regions, self.mode.into());
        let counts = counts.map_err(|error| error.with_context(&place))?;
        let summary = nnz::convert_source(&counts, &self.target, &options, context)?;
        if !quiet {
            write::summarise(std::slice::from_ref(&self.source), &self.target, &summary);
        }
        Ok(Outcome::Good)
    }

    fn writing(&mut self) -> Option<&mut Writing> {
        Some(&mut self.writing)
    }
}

fn options(args: &Storing) -> StoreOptions {
    StoreOptions::default()
        .packing(args.unpacked.then_some(nnz::formats::values::Packing::Unpacked))
        .format_version(args.format_version)
        .compress(args.compress)
        .overwrite(args.force)
        .sync(!args.no_sync)
}

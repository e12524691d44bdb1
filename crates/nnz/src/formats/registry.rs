//! The list of formats, and finding the one of a place.

use std::path::Path;

use nnz_core::{Error, ErrorKind, Finding, Place, Result};

use super::{
    Confidence, DatasetKind, Format, FormatInfo, Probe, binsparse, bpcells, bpcells_fragments,
    daphne, fragment_text, groups, matrix_market, r_matrix, tenx_folder,
};
use crate::{Dataset, Location, OpenOptions, ValidateOptions};

/// Every format of this crate. Of several that are certain, the first is taken.
const FORMATS: [&dyn Format; 8] = [
    &matrix_market::MatrixMarket,
    &daphne::Daphne,
    &r_matrix::RMatrix,
    &tenx_folder::TenxFolder,
    &bpcells_fragments::BpCellsFragments,
    &bpcells::BpCells,
    &binsparse::Binsparse,
    &fragment_text::FragmentText,
];

/// Describes every format of this crate.
///
/// ```
/// for format in nnz::formats() {
///     println!("{}: {}", format.name, format.summary);
/// }
/// ```
#[must_use]
pub fn formats() -> Vec<&'static FormatInfo> {
    FORMATS.iter().map(|format| format.info()).collect()
}

/// A list of formats; by default all of this crate.
#[derive(Clone)]
pub struct Registry {
    formats: Vec<&'static dyn Format>,
}

impl Default for Registry {
    fn default() -> Self {
        Self { formats: FORMATS.to_vec() }
    }
}

impl std::fmt::Debug for Registry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.formats.iter().map(|format| format.info().name)).finish()
    }
}

impl Registry {
    /// Adds a format. Where it and another are certain, the other is taken.
    #[must_use]
    pub fn with(mut self, format: &'static dyn Format) -> Self {
        self.formats.push(format);
        self
    }

    /// Returns the formats.
    #[must_use]
    pub fn formats(&self) -> &[&'static dyn Format] {
        &self.formats
    }

    /// Opens what a place holds.
    ///
    /// # Errors
    ///
    /// Fails where there is nothing, nothing that a format recognises, or something that is broken.
    pub fn open(&self, location: &Location, options: &OpenOptions) -> Result<Dataset> {
        self.detect(location, options)?.open(options)
    }

    /// Finds the format of what a place holds.
    ///
    /// The root of a file is tried first. Its groups are searched only if the root is of no format,
    /// or another kind of data is preferred.
    ///
    /// # Errors
    ///
    /// Fails where there is nothing, or nothing that a format recognises.
    pub fn detect(&self, location: &Location, options: &OpenOptions) -> Result<Detected> {
        if let Some(name) = options.format {
            let format = self.formats.iter().find(|format| format.info().name == name);
            let Some(&format) = format else {
                return Err(Error::argument(format!("unknown format {name:?}")));
            };
            return Ok(Detected { format, probe: Probe::unknown(location, options.memory) });
        }
        let probe = Probe::new(location, options.memory)?;
        let found = self.best(&probe)?;
        let probe = match (&found, location, probe.group()) {
            (_, Location::Path { path, group: None }, Some((kind, _))) => {
                let root = found.filter(|(_, confidence)| *confidence == Confidence::Certain);
                let preferred = options.preferred;
                let reads = |reads: &[DatasetKind]| reads.contains(&preferred);
                if let Some((format, _)) = root
                    && (preferred == DatasetKind::Matrix || reads(format.info().reads))
                {
                    return Ok(Detected { format, probe });
                }
                let marked = self.marked(kind, path)?;
                let mut groups = self.holding(&marked, reads);
                if let (true, Some((format, _))) = (groups.is_empty(), root) {
                    return Ok(Detected { format, probe });
                }
                if groups.is_empty() {
                    groups = self.holding(&marked, |_| true);
                }
                probe.into_group(groups::only(&groups, kind, path)?)
            }
            (Some((format, _)), ..) => return Ok(Detected { format: *format, probe }),
            (None, ..) => return Err(self.unrecognized(&probe)?),
        };
        match self.best(&probe)? {
            Some((format, _)) => Ok(Detected { format, probe }),
            None => Err(self.unrecognized(&probe)?),
        }
    }

    /// Returns the format that matches best; of equals, the first.
    fn best(&self, probe: &Probe) -> Result<Option<(&'static dyn Format, Confidence)>> {
        // By its name before its content, so that an error of a broken file says where it is broken.
        if let Some((path, ..)) = probe.file()
            && let Some(&format) = self.formats.iter().find(|format| format.is_entry(path))
        {
            return Ok(Some((format, Confidence::Certain)));
        }
        let mut fallback = None;
        for &format in &self.formats {
            match format.probe(probe)? {
                Some(Confidence::Certain) => return Ok(Some((format, Confidence::Certain))),
                Some(confidence) => fallback = fallback.or(Some((format, confidence))),
                None => {}
            }
        }
        Ok(fallback)
    }

    /// Makes the error for a place that no format recognises.
    fn unrecognized(&self, probe: &Probe) -> Result<Error> {
        let what = match (probe.directory(), probe.file()) {
            (Some(path), _) => {
                let mut inside = self.entries(path)?;
                inside.sort();
                if !inside.is_empty() {
                    let inside = inside.join("\n  ");
                    let what = format!("a directory of several; name one of\n  {inside}");
                    return Ok(Error::new(ErrorKind::Argument(what), Place::path(path)));
                }
                "a directory without a file \"version\" (BPCells), \"matrix.mtx\" (10x), \
                 \"binsparse.json\" or segments (DAPHNE)"
            }
            (None, Some((_, [], _))) => "an empty file",
            _ => "not recognised: it begins like none of the formats that can be read",
        };
        let kind = ErrorKind::Unrecognized(what.to_owned());
        Ok(Error::new(kind, probe.location().source_place()))
    }

    /// Lists entries of a directory that look like a format.
    fn entries(&self, path: &Path) -> Result<Vec<String>> {
        const MOST: usize = 50;
        let io = |error| Error::io(path, error);
        let mut inside = Vec::new();
        for entry in std::fs::read_dir(path).map_err(io)? {
            let child = entry.map_err(io)?.path();
            if self.formats.iter().any(|format| format.is_entry(&child)) {
                inside.push(Place::path(child).to_string());
            }
            if inside.len() == MOST {
                inside.push("...".to_owned());
                break;
            }
        }
        Ok(inside)
    }
}

/// A place, and the format it was found to be of.
pub struct Detected {
    format: &'static dyn Format,
    probe: Probe,
}

impl std::fmt::Debug for Detected {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = self.format.info().name;
        f.debug_struct("Detected").field("format", &name).field("probe", &self.probe).finish()
    }
}

impl Detected {
    /// Returns the format.
    #[must_use]
    pub fn format(&self) -> &'static dyn Format {
        self.format
    }

    /// Returns whether the format reads a kind of data.
    #[must_use]
    pub fn reads(&self, kind: DatasetKind) -> bool {
        self.format.info().reads.contains(&kind)
    }

    /// Returns the group that was chosen, where the file has groups.
    #[must_use]
    pub fn group(&self) -> Option<&str> {
        self.probe.group().map(|(_, group)| group)
    }

    pub(super) fn into_probe(self) -> Probe {
        self.probe
    }

    /// Opens it.
    ///
    /// # Errors
    ///
    /// Fails as [`Format::open`].
    pub fn open(self, options: &OpenOptions) -> Result<Dataset> {
        self.format.open(self.probe, options)
    }

    /// Checks all of it.
    ///
    /// # Errors
    ///
    /// Fails as [`Format::validate`].
    pub fn validate(self, options: &ValidateOptions, each: &mut dyn FnMut(Finding)) -> Result<()> {
        self.format.validate(self.probe, options, each)
    }
}

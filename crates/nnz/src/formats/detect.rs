//! Detecting the format of a location.

use nnz_core::{Error, ErrorKind, Finding, Place, Placed, Result};

#[cfg(feature = "matlab")]
use super::matlab;
use super::registry::check_options;
use super::several::SeveralGroups;
use super::{Confidence, DatasetKind, Format, Member, Probe, groups};
use crate::collection::select_one;
use crate::{Context, Dataset, Location, OpenOptions, ValidateOptions};

impl Context {
    /// Opens a location as a probe.
    pub(crate) fn probe(&self, location: &Location, options: &OpenOptions) -> Result<Probe> {
        let attributes =
            self.registry().formats().iter().flat_map(|format| format.info().group_attributes);
        let attributes: Vec<&str> = attributes.copied().collect();
        let context = &self.operation();
        Probe::new(&location.resolve(&**context.storage())?, context, &attributes, options)
    }

    /// Opens the data of a location.
    ///
    /// # Errors
    ///
    /// Fails if the location does not exist, has no known format or another one than the given, or is
    /// broken.
    pub(crate) fn open_with(&self, location: &Location, options: &OpenOptions) -> Result<Dataset> {
        let context = self.operation();
        match context.detect(location, options).and_then(|found| found.open(options)) {
            Err(error) if !error.is_system() => {
                Err(context.other_format(location, options).unwrap_or(error))
            }
            done => done,
        }
    }

    /// Returns the error of opening a location in the given format, if its content has another one.
    pub(crate) fn refused_format(
        &self,
        location: &Location,
        options: &OpenOptions,
    ) -> Option<Error> {
        options.format?;
        let found = self.detect(location, options);
        // It could not be read again.
        if found.as_ref().is_ok_and(|found| found.probe.is_stream()) {
            return None;
        }
        match found.and_then(|found| found.open(options)) {
            Err(error) if !error.is_system() => self.other_format(location, options),
            _ => None,
        }
    }

    /// Returns the error for a location that cannot be opened in the given format, if its content has another
    /// one.
    fn other_format(&self, location: &Location, options: &OpenOptions) -> Option<Error> {
        let given = options.format?;
        let found = self.detect(location, &options.clone().detected()).ok()?;
        let name = found.format.info().name;
        if name == given || found.probe.is_stream() {
            return None;
        }
        let confidence = found.format.probe(&found.probe).ok()??;
        let kind = match confidence {
            Confidence::Certain if options.has_dialect() => {
                ErrorKind::Argument(format!("the option from_dialect does not apply to {name}"))
            }
            Confidence::Certain => ErrorKind::Unrecognized(format!("is {name}, not {given}")),
            Confidence::Fallback => return None,
        };
        Some(Error::new(kind, location.source_place()))
    }

    /// Detects the format of a location.
    ///
    /// The root of a file is tried first. Its groups are searched only if the root has no known
    /// format, or another kind of data is preferred.
    ///
    /// # Errors
    ///
    /// Fails if the location does not exist or has no known format, and if an option is set that the
    /// format does not have.
    pub fn detect(&self, location: &Location, options: &OpenOptions) -> Result<Detected> {
        let found = self.operation().detect_format(location, options)?;
        let info = found.format.info();
        let known: Vec<_> = info.read_options.iter().map(|option| option.name).collect();
        check_options(info.name.as_str(), &known, options.format_options.names())?;
        Ok(found)
    }

    fn detect_format(&self, location: &Location, options: &OpenOptions) -> Result<Detected> {
        let location = &location.resolve(&**self.storage())?;
        if let Some(name) = options.format {
            let format = self.registry().formats().iter().find(|format| format.info().name == name);
            let Some(&format) = format else {
                return Err(Error::argument(format!("unknown format \"{name}\"")));
            };
            #[cfg(feature = "daphne")]
            if name == super::DAPHNE {
                let probe = Probe::unknown(location, self, options)?;
                return Ok(Detected { format, probe });
            }
            let probe = self.probe(location, options)?;
            // The result is not used: the format is given, but what it reads here is needed to open
            // it.
            let _ = format.probe(&probe)?;
            if probe.is_stream() && !format.info().streams {
                let what =
                    format!("{name} is read from files only; write the stream to a file first");
                let place = location.source_place();
                return Err(Error::new(ErrorKind::Unrecognized(what), place));
            }
            return Detected { format, probe }.checked();
        }
        let probe = self.probe(location, options)?;
        let found = self.registry().best(&probe)?;
        let probe = match (&found, location, probe.group_name()) {
            (_, Location::Path { path, group: None }, Some(_)) => {
                let root = found.filter(|(_, confidence)| *confidence == Confidence::Certain);
                let preferred = options.preferred;
                let reads = |reads: &[DatasetKind]| reads.contains(&preferred);
                if let Some((format, _)) = root
                    && (preferred == DatasetKind::Matrix || reads(format.info().reads))
                {
                    return Ok(Detected { format, probe });
                }
                let (kind, marked) = self.registry().marked(&probe)?;
                let mut groups = self.registry().holding(&marked, reads);
                if let (true, Some((format, _))) = (groups.is_empty(), root) {
                    return Ok(Detected { format, probe });
                }
                if groups.is_empty() {
                    groups = self.registry().holding(&marked, |_| true);
                }
                #[cfg(feature = "matlab")]
                if groups.is_empty() && matlab::is_octave(&probe)? {
                    let what = nnz_scientific::matlab::OCTAVE;
                    return Err(Error::unsupported(Place::path(path), what));
                }
                let group = match groups[..] {
                    [only] => only.to_owned(),
                    [] => {
                        let error = groups::none(kind, path);
                        return Err(
                            match groups::zarr_location(path).filter(|_| probe.is_zarr()) {
                                Some(location) => {
                                    let what =
                                        format!("{}; it is a group: use {location}", error.kind());
                                    Error::new(ErrorKind::Unrecognized(what), Place::path(path))
                                }
                                None => error,
                            },
                        );
                    }
                    _ if preferred == DatasetKind::Matrix => {
                        return Ok(Detected { format: &SeveralGroups, probe });
                    }
                    _ => {
                        let names: Vec<_> = groups.into_iter().map(ToOwned::to_owned).collect();
                        return Err(select_one(location, &names, "datasets"));
                    }
                };
                probe.into_group(&group)
            }
            (
                Some((_, Confidence::Fallback)),
                Location::Path { path, group: Some(group) },
                Some(_),
            ) if probe.lacks_group()? => {
                return Err(self.no_matrix(path, group, &probe, options)?);
            }
            (Some((format, _)), ..) => return Detected { format: *format, probe }.checked(),
            (None, Location::Path { path, group: Some(group) }, Some(_)) => {
                return Err(self.no_matrix(path, group, &probe, options)?);
            }
            (None, ..) => {
                return Err(match probe.refused_member() {
                    Some(error) => error,
                    None => self.unrecognized(&probe)?,
                });
            }
        };
        match self.registry().best(&probe)? {
            Some((format, _)) => Ok(Detected { format, probe }),
            None => Err(self.unrecognized(&probe)?),
        }
    }
}

/// A location and its format.
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

    /// Returns whether the format can contain a kind of data.
    #[must_use]
    pub fn reads(&self, kind: DatasetKind) -> bool {
        self.format.info().reads.contains(&kind)
    }

    /// Returns the selected group, if the file has groups.
    #[must_use]
    pub fn group(&self) -> Option<&str> {
        self.probe.group_name()
    }

    /// Lists the parts of the location, for formats with several matrices or tables in one.
    ///
    /// # Errors
    ///
    /// Fails as [`Format::list`].
    pub fn members(&self) -> Result<Vec<Member>> {
        match self.group().is_some() || self.format.selects(&self.probe)? {
            true => self.format.list(&self.probe),
            false => Ok(Vec::new()),
        }
    }

    /// Checks that a selected part is one of a format with parts.
    fn checked(self) -> Result<Self> {
        match self.probe.refused_member() {
            Some(error) if !self.format.selects(&self.probe)? => Err(error),
            _ => Ok(self),
        }
    }

    pub(super) fn probe(&self) -> &Probe {
        &self.probe
    }

    pub(crate) fn into_probe(self) -> Probe {
        self.probe
    }

    /// Opens the data.
    ///
    /// # Errors
    ///
    /// Fails as [`Format::open`].
    pub fn open(self, options: &OpenOptions) -> Result<Dataset> {
        let place = self.probe.location().source_place();
        Ok(match self.format.open(self.probe, options)? {
            Dataset::Matrix(matrix) => Dataset::Matrix(Box::new(Placed::new(matrix, place))),
            Dataset::Tensor(tensor) => Dataset::Tensor(tensor.with_place(place)),
            other => other,
        })
    }

    /// Checks the data.
    ///
    /// # Errors
    ///
    /// Fails as [`Format::validate`].
    pub fn validate(
        self,
        options: &ValidateOptions,
        context: &Context,
        each: &mut dyn FnMut(Finding),
    ) -> Result<()> {
        self.format.validate(self.probe, options, context, each)
    }
}

//! The format of a target.

use std::path::Path;

use nnz_container::ContainerInfo;
use nnz_container::kinds;
use nnz_core::{Error, MatrixSource, Place, Result};

use super::registry::{TEXT, by_extension, check_options};
use super::{DatasetKind, Format, FormatInfo, MatrixTarget};
use crate::compute::PcaWriter;
use crate::{Context, ConvertOptions, Location};

impl Context {
    /// Returns the format of a target: the given one, or selected by the extension; Matrix Market
    /// for standard output.
    ///
    /// # Errors
    ///
    /// Fails if there is none, and if an option is set that it does not have.
    pub(crate) fn format_of_target(
        &self,
        to: &Location,
        options: &ConvertOptions,
    ) -> Result<&'static dyn Format> {
        if let Location::Path { path, group: None } = to {
            self.check_kind(path)?;
        }
        let format = match (options.format, to) {
            (Some(name), _) => self
                .registry()
                .find(name.as_str())
                .ok_or_else(|| Error::argument(format!("unknown format \"{name}\"")))?,
            (None, Location::Stream) => self.registry().find(TEXT).ok_or_else(|| {
                Error::argument("no format of this build can be written to standard output")
            })?,
            (None, Location::Path { path, group }) => by_extension(self.registry().formats(), path)
                .or_else(|| group.as_ref().and_then(|_| self.format_in_whole(path)))
                .ok_or_else(|| {
                    let (what, names) =
                        match crate::container_target::ends_in(path, &["h5", "hdf5"]) {
                            true => (
                                "several formats use this extension",
                                self.registry().written_if(|info| info.hdf5),
                            ),
                            false if path.extension().is_none() => {
                                ("no file extension", self.registry().written())
                            }
                            false => ("unknown file extension", self.registry().written()),
                        };
                    Error::argument(format!("{to}: {what}"))
                        .with_hint("format", format!("selects the format: {names}"))
                })?,
        };
        let info = format.info();
        let known: Vec<_> = info.options.iter().map(|option| option.name).collect();
        check_options(info.name.as_str(), &known, options.format_options.names())?;
        Ok(format)
    }

    /// Fails if the extension of a path is for another kind of data than matrices.
    fn check_kind(&self, path: &Path) -> Result<()> {
        if by_extension(self.registry().formats(), path).is_some() {
            return Ok(());
        }
        let place = Place::path(path);
        let refused = |extension: &str, kind: &str| {
            let what = format!("{place}: .{extension} is an extension of {kind}, not of matrices");
            Error::argument(what)
        };
        let fragments =
            self.registry().formats().iter().map(|format| format.info()).filter(|info| {
                let kinds = [info.reads, info.writes].concat();
                kinds.contains(&DatasetKind::Fragments) && !kinds.contains(&DatasetKind::Matrix)
            });
        if let Some(extension) = fragments.into_iter().find_map(|info| info.extension_of(path)) {
            return Err(refused(extension, "fragments"));
        }
        // No format writes matrices with this extension.
        let formats = self.registry().formats().iter();
        let mut whole = formats.filter(|format| format.abilities().collections.is_some());
        match whole.find_map(|format| Some((format.info().extension_of(path)?, format.info().name)))
        {
            Some((extension, name)) => {
                let error = refused(extension, &format!("whole files of {name}"));
                Err(match self.format_in_whole(path) {
                    Some(format) => {
                        let format = format.info().name;
                        let effect = format!(
                            "makes one of {format} files along the axis of features; slice writes these, such as \
                             the features with \"feature_type=Gene Expression\" of a 10x matrix"
                        );
                        error.with_hint("concat", effect)
                    }
                    None => error,
                })
            }
            None => Ok(()),
        }
    }

    /// Returns the format of the matrices inside of a file of which only the whole has a format, by the extension of its path.
    fn format_in_whole(&self, path: &Path) -> Option<&'static dyn Format> {
        let mut formats = self.registry().formats().iter();
        let collections = formats.find_map(|format| {
            format.info().extension_of(path).and(format.abilities().collections)
        })?;
        self.registry().find(collections.format_of_members()?)
    }

    /// Fails if the extension of a path belongs to another format, or to a container that the format is
    /// not written to.
    pub(crate) fn check_name(
        &self,
        path: &Path,
        own: &FormatInfo,
        own_kinds: &[ContainerInfo],
    ) -> Result<()> {
        let kind = self.registry().containers().iter().map(|kind| kind.info());
        let kind = kind.into_iter().find(|kind| kind.is_extension_of(path));
        let other = by_extension(self.registry().formats(), path).map(|format| format.info().name);
        // Any text may be named .txt.
        let other = other.filter(|_| !crate::container_target::ends_in(path, &["txt"]));
        let other = match (kind, other.filter(|other| *other != own.name)) {
            (Some(kind), Some(other)) if *kind == kinds::HDF5 => other.as_str(),
            (Some(kind), _) if !own_kinds.contains(kind) => kind.name,
            // Several formats use the extension of stores.
            (Some(kind), _) if *kind == kinds::ZARR => return Ok(()),
            (_, None) => return Ok(()),
            (_, Some(other)) => other.as_str(),
        };
        let place = Place::path(path);
        Err(Error::argument(format!(
            "{place}: the extension belongs to {other}, not to {}",
            own.name
        )))
    }

    /// Starts writing principal components.
    ///
    /// # Errors
    ///
    /// Fails if no format stores them at this location, and as [`ComponentsFormat::writer`](super::ComponentsFormat::writer).
    pub(crate) fn pca_writer<'a>(
        &'a self,
        to: &'a Location,
        options: &'a ConvertOptions,
    ) -> Result<PcaWriter<'a>> {
        let formats = self.registry().formats().iter();
        let writers = formats.filter_map(|format| format.abilities().components);
        if let Location::Path { path, group: None } = to {
            let mut writers = writers.clone();
            let named =
                writers.find(|one| crate::container_target::ends_in(path, one.extensions()));
            if let Some(writer) = named {
                return writer.writer(to, options, self);
            }
        }
        let extensions: Vec<String> = writers
            .flat_map(|writer| writer.extensions())
            .map(|extension| format!(".{extension}"))
            .collect();
        let what = format!("{to}: principal components are written to {}", extensions.join(", "));
        Err(Error::argument(what))
    }

    /// Sets the option to write all elements as an array, if the format of the target has it.
    pub(crate) fn keep_dense(&self, to: &Location, options: &mut ConvertOptions) {
        const DENSE: &str = "dense";
        let format = self.format_of_target(to, options).ok();
        let has = |format: &dyn Format| format.info().options.iter().any(|one| one.name == DENSE);
        if format.is_some_and(has) && options.format_options.get(DENSE).is_none() {
            options.format_options.set(DENSE, "true");
        }
    }

    /// Returns the options to write a source as programs of the target's format have such data.
    pub(crate) fn adapted(
        &self,
        source: &dyn MatrixSource,
        to: &Location,
        options: &ConvertOptions,
    ) -> Result<Option<ConvertOptions>> {
        // An unknown format is an error later.
        let format = self.format_of_target(to, options).ok();
        format.map_or(Ok(None), |format| format.adapted(source, options))
    }

    /// Decides where and how a matrix is written.
    ///
    /// # Errors
    ///
    /// Fails if the format is unknown, as [`Format::target`], and if an option is set that the
    /// format does not have.
    pub fn target(
        &self,
        to: &Location,
        options: &ConvertOptions,
        source: &dyn MatrixSource,
    ) -> Result<Box<dyn MatrixTarget>> {
        let to = &to.resolve_target()?;
        let mut keeping = None;
        if let (Location::Path { path, .. }, None) = (to, options.format) {
            for format in self.registry().formats() {
                if format.keeps(path, source)? {
                    keeping = Some(format);
                    break;
                }
            }
        }
        let named = keeping.map(|format| options.clone().format(format.info().name));
        let options = named.as_ref().unwrap_or(options);
        self.format_of_target(to, options)?.target(to, options, source, self)
    }
}

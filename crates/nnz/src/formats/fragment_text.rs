//! Fragments as text.

use nnz_core::{Error, ErrorKind, Place, Result};
use nnz_singlecell::fragment_tsv;

use super::{Confidence, DatasetKind, Format, FormatInfo, FormatName, Probe};
use crate::{Dataset, OpenOptions};

/// Fragments as text. Only `fragments::import` reads them: it sorts and indexes them.
pub(super) struct FragmentText;

static INFO: FormatInfo = FormatInfo {
    name: FormatName::new("fragment-text"),
    aliases: &[],
    extensions: &["tsv", "tsv.gz", "bed", "bed.gz"],
    summary: "Fragments as text, plain, gzipped or bgzipped; see nnz fragments",
    reads: &[DatasetKind::Fragments],
    writes: &[DatasetKind::Fragments],
    containers: false,
    hdf5: false,
    options: &[],
    read_options: &[],
    ..FormatInfo::new("", "")
};

impl Format for FragmentText {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn probe(&self, probe: &Probe) -> Result<Option<Confidence>> {
        match probe.file() {
            Some((file, _)) if fragment_tsv::recognise(file)? => Err(unsupported(probe)),
            _ => Ok(None),
        }
    }

    fn open(&self, probe: Probe, _: &OpenOptions) -> Result<Dataset> {
        Err(unsupported(&probe))
    }
}

fn unsupported(probe: &Probe) -> Error {
    let kind = ErrorKind::Unrecognized("genomic fragments as text".to_owned());
    let place = probe.path().map_or_else(Place::default, Place::path);
    Error::new(kind, place).with_hint("fragments::import", "converts them to a fragment file")
}

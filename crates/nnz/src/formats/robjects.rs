//! Objects of R: matrices, Seurat and Bioconductor objects, tables, and lists of them.

pub(super) mod collection;
mod follow;
mod layers;
pub(super) mod matrix;
mod members;
mod modalities;
#[cfg(feature = "singlecell")]
mod mudata;
mod output;
mod plan;
mod reductions;
mod split;
mod target;
mod write;

use crate::Context;
use std::sync::Arc;

use nnz_core::{Error, ErrorKind, Finding, MatrixSource, Placed, Result};
use nnz_robjects::{Node, ObjectRef, RFile, StudyKind};

use collection::ObjectCollection;
use follow::Options;

use super::items::check_items;
use super::unrecognized::no_group;
use super::{
    Abilities, Confidence, DatasetKind, Format, FormatInfo, FormatName, FormatOption, JOIN_LAYERS,
    MatrixTarget, Member, Probe,
};
use crate::collection::SeveralMatrices;
use crate::{ConvertOptions, Dataset, Location, OpenOptions, ValidateOptions};

/// Objects of one family in an `.rds` file.
pub(super) struct RObjects {
    info: &'static FormatInfo,
    family: ObjectFamily,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ObjectFamily {
    Seurat,
    Experiment,
    Other,
}

/// The option to read matrices that objects have the paths of.
const FOLLOW_PATHS: &str = "follow-paths";
/// The option to choose the layer that is the main matrix.
const X: &str = "x";

const OPTIONS: &[FormatOption] = &[
    FormatOption::parsed::<String>(
        X,
        "LAYER",
        "Use this layer of a Seurat object, or assay of a SummarizedExperiment, as the main matrix [default: data or \
         logcounts, else counts]",
    ),
    FormatOption::flag(
        JOIN_LAYERS,
        "Join layers of a Seurat object that have parts of the cells: counts.1, counts.2, ...",
    ),
    FormatOption::flag(
        FOLLOW_PATHS,
        "Read matrices that an object of R only has the path of; files that were moved are looked for beside the object",
    ),
];

static SEURAT_INFO: FormatInfo = FormatInfo {
    name: FormatName::new("seurat"),
    aliases: &[],
    extensions: &[],
    summary: "Seurat objects (.rds): versions 2 to 5; assays of version 3 and 5 are written",
    reads: &[DatasetKind::Matrix],
    writes: &[DatasetKind::Matrix],
    options: target::SEURAT_OPTIONS,
    read_options: OPTIONS,
    ..FormatInfo::new("", "")
};

static EXPERIMENT_INFO: FormatInfo = FormatInfo {
    name: FormatName::new("sce"),
    aliases: &[],
    extensions: &[],
    summary: "SummarizedExperiment and SingleCellExperiment (.rds); the latter is written",
    reads: &[DatasetKind::Matrix],
    writes: &[DatasetKind::Matrix],
    read_options: OPTIONS,
    ..FormatInfo::new("", "")
};

static OTHER_INFO: FormatInfo = FormatInfo {
    name: FormatName::new("robjects"),
    aliases: &[],
    extensions: &["rdata", "rda"],
    summary: "R tables, and lists of matrices and objects",
    reads: &[DatasetKind::Matrix],
    read_options: OPTIONS,
    ..FormatInfo::new("", "")
};

pub(super) static SEURAT: RObjects = RObjects { info: &SEURAT_INFO, family: ObjectFamily::Seurat };
pub(super) static EXPERIMENT: RObjects =
    RObjects { info: &EXPERIMENT_INFO, family: ObjectFamily::Experiment };
pub(super) static OTHER: RObjects = RObjects { info: &OTHER_INFO, family: ObjectFamily::Other };

/// Returns the path after `::`.
fn selected(probe: &Probe) -> &str {
    probe.member().unwrap_or_default().trim_matches('/')
}

/// Returns the family of what a probe selects.
fn family(file: &RFile, path: &str) -> ObjectFamily {
    let study = match file.find(path) {
        Some(ObjectRef::Node(Node::Study(study))) => Some(&**study),
        Some(ObjectRef::Matrix(study, _)) => Some(study),
        Some(ObjectRef::Node(_)) => None,
        // A path that does not exist belongs to the object in the file.
        _ => match file.root() {
            Node::Study(study) => Some(&**study),
            _ => None,
        },
    };
    match study.map(|study| study.kind) {
        Some(StudyKind::Seurat) => ObjectFamily::Seurat,
        Some(_) => ObjectFamily::Experiment,
        None => ObjectFamily::Other,
    }
}

/// Lists the objects of a list that can be opened, with their paths.
fn objects<'a>(node: &'a Node, path: &str, list: &mut Vec<(String, &'a Node)>) {
    match node {
        Node::List(members) => {
            for (name, member) in members {
                let inside = match path {
                    "" => name.clone(),
                    path => format!("{path}/{name}"),
                };
                objects(member, &inside, list);
            }
        }
        Node::Other(_) => {}
        node => list.push((path.to_owned(), node)),
    }
}

impl RObjects {
    fn file(&self, probe: &Probe) -> Result<Arc<RFile>> {
        let place = probe.location().source_place();
        let missing = || {
            Error::new(ErrorKind::Unrecognized("contains no such object of R".to_owned()), place)
        };
        probe.r_file()?.ok_or_else(missing)
    }

    fn open_path(
        &self,
        file: &Arc<RFile>,
        path: &str,
        probe: &Probe,
        options: &OpenOptions,
    ) -> Result<Dataset> {
        let own = Options::new(probe, options)?;
        let collection = || {
            let collection =
                ObjectCollection::new((self.info, path), Arc::clone(file), probe, own.clone());
            Ok(Dataset::Collection(Arc::new(collection)))
        };
        match file.find(path) {
            Some(ObjectRef::Matrix(study, part)) => {
                let source = study.open(part, &|external, place| own.follow(external, place))?;
                Ok(Dataset::Matrix(Box::new(source.with_notes(own.notes()))))
            }
            Some(ObjectRef::Node(Node::Matrix(matrix))) => {
                Ok(Dataset::Matrix(file.open_matrix(path, matrix)?))
            }
            Some(ObjectRef::Node(node @ Node::List(_))) => {
                let mut list = Vec::new();
                objects(node, "", &mut list);
                match &list[..] {
                    [(only, _)] => {
                        self.open_path(file, &members::joined(path, only), probe, options)
                    }
                    _ => {
                        let names = list.into_iter().map(|(name, _)| name).collect();
                        SeveralMatrices::open(self.info, names, (probe, options))
                    }
                }
            }
            Some(ObjectRef::Node(Node::Other(what))) => {
                Err(Error::unsupported(probe.location().source_place(), what.clone()))
            }
            Some(ObjectRef::Node(_)) => collection(),
            _ => {
                let names = members::names(file);
                Err(no_group("no such object", names, probe.location()))
            }
        }
    }
}

impl Format for RObjects {
    fn info(&self) -> &'static FormatInfo {
        self.info
    }

    fn probe(&self, probe: &Probe) -> Result<Option<Confidence>> {
        let Some(file) = probe.r_file()? else { return Ok(None) };
        let found = family(&file, selected(probe)) == self.family;
        Ok(found.then_some(Confidence::Certain))
    }

    fn open(&self, probe: Probe, options: &OpenOptions) -> Result<Dataset> {
        let file = self.file(&probe)?;
        self.open_path(&file, selected(&probe), &probe, options)
    }

    fn validate(
        &self,
        probe: Probe,
        options: &ValidateOptions,
        context: &Context,
        each: &mut dyn FnMut(Finding),
    ) -> Result<()> {
        let place = probe.location().source_place();
        let opened = self.file(&probe).and_then(|file| {
            let own = Options::new(&probe, &options.open)?;
            let parts = members::matrices(&file, selected(&probe), &own);
            Ok(((file, own), parts))
        });
        let places = |path: &String| match path.is_empty() {
            true => place.clone(),
            false => probe.location().inside(path).source_place(),
        };
        let open = |(file, own): &(Arc<RFile>, Options), path: &String| {
            let full = members::joined(selected(&probe), path);
            let source = members::open(file, &full, own)?;
            Ok(Placed::new(source, place.clone()))
        };
        check_items(opened, &place, places, open, context, each)
    }

    fn target(
        &self,
        to: &Location,
        options: &ConvertOptions,
        source: &dyn MatrixSource,
        context: &Context,
    ) -> Result<Box<dyn MatrixTarget>> {
        Ok(Box::new(target::ObjectTarget::new(self, to, options, context)?.of_source(source)?))
    }

    #[cfg(feature = "singlecell")]
    fn adapted(
        &self,
        source: &dyn MatrixSource,
        options: &ConvertOptions,
    ) -> Result<Option<ConvertOptions>> {
        let (order, value_type) = (options.order, options.value_type);
        let adapted = super::anndata::scanpy::options_for(source, options)?;
        // Names are symbols, as R reads 10x matrices; R has doubles by column.
        Ok(adapted.map(|adapted| adapted.order(order).value_type(value_type)))
    }

    fn abilities(&self) -> Abilities<'_> {
        match self.family {
            ObjectFamily::Other => Abilities::default(),
            ObjectFamily::Seurat | ObjectFamily::Experiment => {
                Abilities::default().collections(self)
            }
        }
    }

    fn selects(&self, probe: &Probe) -> Result<bool> {
        Ok(probe.file().is_some())
    }

    fn list(&self, probe: &Probe) -> Result<Vec<Member>> {
        let file = self.file(probe)?;
        let own = Options::new(probe, &OpenOptions::new())?;
        members::members(&file, selected(probe), &own)
    }
}

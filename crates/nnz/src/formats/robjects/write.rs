//! Writing collections as objects.

use std::collections::HashSet;
use std::sync::Arc;

use nnz_core::{Axis, Error, MatrixSource, Place, Result, Shape};
use nnz_robjects::write::{self, NewStudy, ObjectClass};

use super::output::StudyWriter;
use super::plan::StudyPlan;
use super::target::{ASSAY, ObjectTarget, write_study};
use super::{ObjectFamily, RObjects, modalities};
use crate::collection::{Collection, CollectionConcatOptions, Contents};
use crate::container_target::ends_in_rds;
use crate::formats::collections::{apply_to_contents, check_strict, concat_contents, is_file_of};
use crate::formats::{CollectionFormat, FormatInfo};
use crate::{Context, ConvertOptions, Location, Summary};

impl CollectionFormat for RObjects {
    fn is_target(&self, _: &FormatInfo, to: &Location, options: &ConvertOptions) -> bool {
        self.family != ObjectFamily::Other && is_file_of(self.info, to, options)
    }

    fn may_be_target(&self, to: &Location, options: &ConvertOptions) -> bool {
        self.family != ObjectFamily::Other && is_ambiguous(to, options)
    }

    fn check_target(
        &self,
        to: &Location,
        options: &ConvertOptions,
        context: &Context,
    ) -> Result<()> {
        if is_ambiguous(to, options) {
            let what = format!("{to}: several formats of whole files use this extension");
            let choices =
                "selects the format: seurat, sce, or for the main matrix only dgCMatrix, bpcells";
            return Err(Error::argument(what).with_hint("format", choices));
        }
        ObjectTarget::new(self, to, options, context).map(drop)
    }

    fn check_replaced(
        &self,
        to: &Location,
        options: &ConvertOptions,
        context: &Context,
    ) -> Result<()> {
        ObjectTarget::new(self, to, options, context)?.check()
    }

    fn write(
        &self,
        source: &dyn Collection,
        to: &Location,
        options: &ConvertOptions,
        context: &Context,
    ) -> Result<Option<Summary>> {
        if !apply_to_contents(options) {
            return Ok(None);
        }
        let target = || ObjectTarget::new(self, to, options, context);
        let whole = match modalities::whole(source, target()?.class, options)? {
            Some(whole) => whole,
            None => match source.contents()? {
                Some(contents) => ObjectContents::of_one(contents.labelled(options, context)?),
                None => return Ok(None),
            },
        };
        let summary = whole.write(target()?, options, context)?;
        Ok(Some(summary.bytes_before(source.bytes())))
    }

    fn concat(
        &self,
        sources: &[Arc<dyn Collection>],
        to: &Location,
        how: &CollectionConcatOptions,
        options: &ConvertOptions,
        context: &Context,
    ) -> Result<Option<Summary>> {
        let contents = match apply_to_contents(options) {
            true => concat_contents(sources, how, options, context)?,
            false => None,
        };
        let Some(contents) = contents else { return Ok(None) };
        let whole = ObjectContents::of_one(contents.labelled(options, context)?);
        whole.write(ObjectTarget::new(self, to, options, context)?, options, context).map(Some)
    }
}

/// Returns whether a target has the extension of R objects, and no format is given.
fn is_ambiguous(to: &Location, options: &ConvertOptions) -> bool {
    match to {
        Location::Path { path, .. } => options.format.is_none() && ends_in_rds(path),
        Location::Stream => false,
    }
}

/// The name of the assay with the matrix before features were selected, or how its name ends where there are several.
pub(super) const RAW: &str = "raw";

/// A matrix of features by cells with what belongs to it, which becomes an assay or an experiment.
pub(super) struct NewAssay {
    name: String,
    contents: Contents,
    /// Whether its table of cells is its own, not one that another assay has.
    own_cells: bool,
}

/// The contents of a new object: one collection, or several with the same cells.
pub(super) struct ObjectContents<'a> {
    assays: Vec<NewAssay>,
    /// The name of the first, if it has one.
    main: Option<String>,
    /// Names and table of the cells as rows, if they are not those of the main matrix.
    cells: Option<Box<dyn MatrixSource + 'a>>,
    exchanged: bool,
}

impl<'a> ObjectContents<'a> {
    fn of_one(contents: Contents) -> Self {
        let mut made = Self { assays: Vec::new(), main: None, cells: None, exchanged: false };
        made.push(ASSAY, contents, RAW);
        made
    }

    /// Creates it from several collections with their names, and a matrix whose rows are their cells if these are not those of
    /// the first. `main` is the name of the first, if it has one.
    pub(super) fn of_several(
        parts: Vec<(String, Contents)>,
        main: Option<String>,
        cells: Option<Box<dyn MatrixSource + 'a>>,
    ) -> Self {
        let mut made = Self { assays: Vec::new(), main, cells, exchanged: false };
        for (name, contents) in parts {
            made.push(&name, contents, &format!("{name}.{RAW}"));
        }
        made
    }

    /// Adds a collection, and the matrix before its features were selected as another.
    fn push(&mut self, name: &str, mut contents: Contents, raw_name: &str) {
        let raw = contents.take_raw();
        let both = [(name, Some(contents), true), (raw_name, raw, false)];
        for (name, contents, own_cells) in both {
            let Some(contents) = contents else { continue };
            let (contents, exchanged) = contents.with_cells_along(Axis::Cols);
            self.exchanged |= exchanged;
            self.assays.push(NewAssay { name: name.to_owned(), contents, own_cells });
        }
    }

    fn write(
        self,
        target: ObjectTarget,
        options: &ConvertOptions,
        context: &Context,
    ) -> Result<Summary> {
        target.check()?;
        let Self { assays, main, cells, exchanged } = self;
        let class = target.class;
        let place = Place::path(&target.path);
        let mut plans = Vec::new();
        for NewAssay { name, contents, own_cells } in assays {
            let plan = StudyPlan::new(class, name, contents, context)?;
            plans.push(StudyPlan { own_cells, ..plan });
        }
        if let Some(cells) = &cells
            && let Some(table) = cells.annotations(Axis::Rows)?
        {
            let name = class.tables()[1];
            let dropped = write::unsupported_columns(name, &*table, context.memory())?;
            plans.iter_mut().take(1).for_each(|plan| plan.dropped.extend(dropped.iter().cloned()));
        }
        let all = |of: fn(&StudyPlan) -> &Vec<String>| -> Vec<String> {
            plans.iter().flat_map(of).cloned().collect()
        };
        let (dropped, left_out) = (all(|plan| &plan.dropped), all(|plan| &plan.left_out));
        check_strict([&dropped, &left_out], &place, options)?;
        let mut notes = all(|plan| &plan.notes);
        let file = target.file()?;
        let modalities: Vec<String> = plans.iter().map(|plan| plan.name.clone()).collect();
        let (spool, target, modalities) = (file.spool(), &target, &*modalities);
        let output = StudyWriter { class, options, context, spool, target, modalities };
        let mut studies = Vec::new();
        let (mut entries, mut shape) = (0, Shape { rows: 0, cols: 0 });
        for (number, plan) in plans.iter().enumerate() {
            let of_cells = cells.as_deref().filter(|_| number == 0);
            let shares_cells = cells.is_some() || number > 0;
            let (study, stored) = output.study(plan, of_cells, shares_cells, &mut notes)?;
            entries += stored;
            if number == 0 {
                shape = plan.main.header().shape;
            }
            studies.push(study);
        }
        let mut studies = studies.into_iter();
        let mut study = studies.next().ok_or_else(|| Error::argument("nothing to write"))?;
        study.others = studies.collect();
        if matches!(class, ObjectClass::Seurat(_)) {
            join_others(&mut study, &mut notes);
        }
        context.check()?;
        let bytes_after = write_study(class, file, &study, main.as_deref())
            .map_err(|error| error.with_context(&place))?;
        if exchanged {
            notes.push("transposed: rows are now features, columns are cells".to_owned());
        }
        Ok(Summary::default()
            .shape(shape)
            .entries(entries)
            .bytes_after(bytes_after)
            .dropped(dropped)
            .left_out(left_out)
            .notes(notes))
    }
}

/// Gives what belongs to cells of further assays to the object, as Seurat has it.
fn join_others(study: &mut NewStudy, notes: &mut Vec<String>) {
    let mut names = OneName { taken: HashSet::new(), notes };
    study.name = names.give(("assay", ""), &study.name);
    for other in &mut study.others {
        other.name = names.give(("assay", ""), &other.name);
    }
    for reduction in &mut study.reductions {
        reduction.name = names.give(("reduction", ""), &reduction.name);
    }
    for graph in &mut study.graphs {
        graph.name = names.give(("graph", ""), &graph.name);
    }
    let mut misc: HashSet<String> = study.misc.iter().map(|(name, _)| name.clone()).collect();
    for other in &mut study.others {
        let assay = &other.name;
        for mut reduction in other.reductions.drain(..) {
            reduction.name = names.give(("reduction", assay), &reduction.name);
            reduction.assay = Some(assay.clone());
            study.reductions.push(reduction);
        }
        for mut graph in other.graphs.drain(..) {
            graph.name = names.give(("graph", assay), &graph.name);
            graph.assay = Some(assay.clone());
            study.graphs.push(graph);
        }
        for (name, object) in other.misc.drain(..) {
            let prefixed = format!("{assay}.{name}");
            let name = if misc.contains(&name) { prefixed } else { name };
            misc.insert(name.clone());
            study.misc.push((name, object));
        }
    }
}

/// Gives assays, reductions and graphs of a Seurat object different names, as R demands.
struct OneName<'a> {
    taken: HashSet<String>,
    notes: &'a mut Vec<String>,
}

impl OneName<'_> {
    /// Returns a name, with that of its assay before it or a number behind it if it is taken, which is noted.
    fn give(&mut self, (kind, assay): (&str, &str), name: &str) -> String {
        let prefixed = (!assay.is_empty()).then(|| format!("{assay}.{name}"));
        let numbered = (1..).map(|number| format!("{name}.{number}"));
        let mut names = std::iter::once(name.to_owned()).chain(prefixed).chain(numbered);
        let given = names.find(|name| self.taken.insert(name.clone())).unwrap_or_default();
        if given != name {
            let of = if assay.is_empty() { String::new() } else { format!(" of {assay}") };
            self.notes.push(format!("the {kind} {name}{of} is named {given}: {name} is taken"));
        }
        given
    }
}

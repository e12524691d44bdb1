//! An object as a collection.

use std::collections::HashMap;
use std::sync::Arc;

use nnz_container::tree::{Attribute, AttributeValue};
use nnz_core::{
    Axis, Error, ErrorKind, MatrixSource, Order, Place, Placed, Result, Shape, StringList, Values,
};
use nnz_engine::{Dense, ReadOptions, Selection, Slice, read_dense};
use nnz_robjects::{LayerAxis, Node, ObjectRef, RFile, Study, StudyMatrix};

use super::follow::Options;
use super::members;
use crate::collection::{
    Collection, Contents, ContentsMember, ElementDifference, MemberRole, NamedAttribute, downcast,
};
use crate::formats::unrecognized::no_group;
use crate::formats::{FormatInfo, Member, Probe};
use crate::{Context, DiffOptions, Location};

/// A Seurat or Bioconductor object, or a table.
pub(in crate::formats) struct ObjectCollection {
    info: &'static FormatInfo,
    file: Arc<RFile>,
    /// The path of the object in the file.
    path: String,
    location: Location,
    options: Options,
    bytes: Option<u64>,
}

impl std::fmt::Debug for ObjectCollection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ObjectCollection").field("location", &self.location).finish_non_exhaustive()
    }
}

/// The name of the layer that is the main matrix, as converters of R name it.
const X_NAME: &str = "X_name";

impl ObjectCollection {
    pub(super) fn new(
        (info, path): (&'static FormatInfo, &str),
        file: Arc<RFile>,
        probe: &Probe,
        options: Options,
    ) -> Self {
        Self {
            info,
            file,
            path: path.to_owned(),
            location: probe.location().clone(),
            options,
            bytes: probe.opened().and_then(|opened| Some(opened.file()?.len())),
        }
    }

    fn node(&self) -> Result<&Node> {
        match self.file.find(&self.path) {
            Some(ObjectRef::Node(node)) => Ok(node),
            _ => Err(Error::new(ErrorKind::Missing, self.place())),
        }
    }

    fn study(&self) -> Result<&Study> {
        match self.node()? {
            Node::Study(study) => Ok(study),
            _ => Err(Error::new(
                ErrorKind::Argument(
                    "a table, which has no matrix; its columns are annotations".to_owned(),
                ),
                self.place(),
            )),
        }
    }

    fn open_part(
        &self,
        study: &Study,
        path: &str,
        part: StudyMatrix,
    ) -> Result<Box<dyn MatrixSource>> {
        let place = self.location.inside(path).source_place();
        let follow = |external: &_, place: &_| self.options.follow(external, place);
        let source = study.open(part, &follow).map_err(|error| error.with_context(&place))?;
        Ok(Box::new(Placed::new(Box::new(source), place)))
    }

    fn main_part(&self, study: &Study) -> Result<StudyMatrix> {
        let layer = study.main_layer(study.main, self.options.x.as_deref());
        layer.map(|at| StudyMatrix::Layer(study.main, at))
    }
    /// Returns the contents of one experiment, and what belongs to all cells if it is the main one.
    fn contents_of(&self, study: &Study, number: usize) -> Result<Contents> {
        let missing = || Error::new(ErrorKind::Missing, self.place());
        let experiment = study.experiments.get(number).ok_or_else(missing)?;
        let is_main = number == study.main;
        let wanted = self.options.x.as_deref().filter(|wanted| {
            is_main || experiment.layers.iter().any(|layer| layer.name == *wanted)
        });
        let at = study.main_layer(number, wanted);
        let at = at.map_err(|error| error.with_context(&self.place()))?;
        let part = StudyMatrix::Layer(number, at);
        let follow = |external: &_, place: &_| self.options.follow(external, place);
        let main = study.open_main(part, &follow);
        let main = main.and_then(nnz_robjects::ObjectMatrixSource::with_original_names);
        let main = main.map_err(|error| error.with_context(&self.place()))?;
        let main = main.with_notes(self.options.notes());
        let tables = [(&experiment.features, Axis::Rows), (&experiment.cells, Axis::Cols)]
            .map(|(table, axis)| members::name_of(study, &table.table, axis));
        let main = Box::new(Placed::new(Box::new(main), self.place()));
        let layer = &experiment.layers[at];
        let mut contents = Contents::new(main, &layer.path, [&*tables[0], &*tables[1]]);
        let names: StringList = std::iter::once(&*layer.name).collect();
        let value = Attribute { shape: Vec::new(), value: AttributeValue::Strings(names) };
        contents.attributes.push(NamedAttribute::new(X_NAME.to_owned(), value, X_NAME.to_owned()));
        for (path, other) in study.parts() {
            let belongs = match other {
                StudyMatrix::Layer(own, _) => own == number,
                _ => is_main,
            };
            if other != part && belongs {
                self.add_part(study, number, (&path, other), &mut contents)?;
            }
        }
        if is_main {
            let unread = study.unread.iter();
            contents.unsupported.extend(unread.map(|(path, what)| format!("{path} ({what})")));
        }
        Ok(contents)
    }

    /// Adds a matrix to the contents of an experiment, or lists it as left out.
    fn add_part(
        &self,
        study: &Study,
        number: usize,
        (path, part): (&str, StudyMatrix),
        contents: &mut Contents,
    ) -> Result<()> {
        let experiment = &study.experiments[number];
        let [features, cells] = [&experiment.features, &experiment.cells];
        let cell_names = cells.names.as_deref();
        let follow = |external: &_, place: &_| self.options.follow(external, place);
        let place = self.location.inside(path).source_place();
        let source = match study.open(part, &follow) {
            Ok(source) => source,
            Err(error) if matches!(error.kind(), ErrorKind::Unsupported(_)) => {
                contents.unsupported.push(format!("{path} ({})", error.kind()));
                return Ok(());
            }
            Err(error) => return Err(error.with_context(&place)),
        };
        let source: Box<dyn MatrixSource> = Box::new(Placed::new(Box::new(source), place));
        let (role, placed) = match part {
            StudyMatrix::Layer(_, at) => {
                let layer = &experiment.layers[at];
                let role = MemberRole::Layer(layer.name.clone());
                (role, arranged(source, &layer.axes, [features.len, cells.len], path)?)
            }
            StudyMatrix::Embedding(at) => {
                let name = embedding_name(&study.reductions[at].name);
                (
                    MemberRole::AxisMatrix(Axis::Cols, name),
                    matched(source, [cell_names, None], path)?,
                )
            }
            StudyMatrix::Loadings(at) => {
                let name = loadings_name(&study.reductions[at].name);
                let padded = padded(
                    source,
                    features.names.as_deref(),
                    features.len,
                    self.options.context(),
                )?;
                (MemberRole::AxisMatrix(Axis::Rows, name), padded)
            }
            _ => {
                let name = path.rsplit('/').next().unwrap_or(path).to_owned();
                let role = MemberRole::AxisGraph(Axis::Cols, name);
                (role, matched(source, [cell_names, cell_names], path)?)
            }
        };
        if contents.members.iter().any(|member| member.role == role) {
            contents.left_out.push(format!("{path} (another has its name)"));
            return Ok(());
        }
        match placed {
            Ok(source) => contents.members.push(ContentsMember::new(role, path.to_owned(), source)),
            Err(why) => contents.left_out.push(why),
        }
        Ok(())
    }

    /// Returns all assays, or alternative experiments, with their names. The main one is the first.
    pub(in crate::formats) fn modalities(&self) -> Result<Vec<(String, Contents)>> {
        let study = self.study()?;
        let mut numbers: Vec<usize> = (0..study.experiments.len()).collect();
        numbers.sort_by_key(|&number| number != study.main);
        let mut modalities: Vec<(String, Contents)> = Vec::with_capacity(numbers.len());
        for number in numbers {
            let experiment = &study.experiments[number];
            let name = if experiment.name.is_empty() { "main" } else { &experiment.name };
            match (self.contents_of(study, number), modalities.first_mut()) {
                (Ok(contents), _) => modalities.push((name.to_owned(), contents)),
                // Another one whose matrices are not read.
                (Err(error), Some((_, main)))
                    if matches!(error.kind(), ErrorKind::Unsupported(_)) =>
                {
                    main.unsupported.push(format!("{} ({})", experiment.path, error.kind()));
                }
                (Err(error), _) => return Err(error),
            }
        }
        Ok(modalities)
    }
}

impl Collection for ObjectCollection {
    fn info(&self) -> &'static FormatInfo {
        self.info
    }

    fn place(&self) -> Place {
        self.location.source_place()
    }

    fn bytes(&self) -> Option<u64> {
        self.bytes
    }

    fn members(&self) -> Result<Vec<Member>> {
        members::members(&self.file, &self.path, &self.options)
    }

    fn open(&self, path: &str) -> Result<Box<dyn MatrixSource>> {
        let study = self.study()?;
        match study.find(path) {
            Some(part) => self.open_part(study, path.trim_matches('/'), part),
            None => {
                let names = study.parts().into_iter().map(|(path, _)| path).collect();
                Err(no_group("no such matrix", names, &self.location))
            }
        }
    }

    fn has_main(&self) -> Result<bool> {
        Ok(match self.node()? {
            // Opening it gives the error of a layer that does not exist.
            Node::Study(study) => {
                self.options.x.is_some() || study.main_layer(study.main, None).is_ok()
            }
            _ => false,
        })
    }

    fn main(&self) -> Result<Box<dyn MatrixSource>> {
        let study = self.study()?;
        let part = self.main_part(study).map_err(|error| error.with_context(&self.place()))?;
        let follow = |external: &_, place: &_| self.options.follow(external, place);
        let source = study.open_main(part, &follow);
        let source = source.map_err(|error| error.with_context(&self.place()))?;
        let mut extras = Vec::new();
        for (path, other) in study.parts() {
            if other != part {
                extras.push(path);
            }
        }
        extras.extend(study.unread.iter().map(|(path, what)| format!("{path} ({what})")));
        let source = source.with_extras(extras).with_notes(self.options.notes());
        Ok(Box::new(Placed::new(Box::new(source), self.place())))
    }

    fn axes(&self) -> Result<Box<dyn MatrixSource>> {
        let axes = match self.node()? {
            Node::Study(study) => study.axes()?,
            Node::Table(frame) => nnz_robjects::table_source(frame, self.place())?,
            _ => return Err(Error::new(ErrorKind::Missing, self.place())),
        };
        Ok(Box::new(Placed::new(Box::new(axes), self.place())))
    }

    fn contents(&self) -> Result<Option<Contents>> {
        let Ok(study) = self.study() else { return Ok(None) };
        let mut contents = self.contents_of(study, study.main)?;
        for (number, experiment) in study.experiments.iter().enumerate() {
            if number != study.main {
                let name = &experiment.name;
                let layers = experiment.layers.iter();
                contents
                    .unsupported
                    .extend(layers.map(|layer| format!("{} (of {name})", layer.path)));
            }
        }
        if study.experiments.len() > 1 {
            contents.notes.push("MuData (.h5mu) stores all assays".to_owned());
        }
        Ok(Some(contents))
    }

    fn diff(
        &self,
        other: &dyn Collection,
        options: &DiffOptions,
        context: &Context,
        each: &mut dyn FnMut(ElementDifference),
    ) -> Result<bool> {
        let Some(other) = downcast::<Self>(other) else { return Ok(false) };
        let contents = |file: &Self| -> Result<Option<Contents>> {
            let Some(mut contents) = file.contents()? else { return Ok(None) };
            // What is never read is not compared.
            let unread: Vec<String> = file
                .study()?
                .unread
                .iter()
                .map(|(path, what)| format!("{path} ({what})"))
                .collect();
            contents.unsupported.retain(|lost| !unread.contains(lost));
            Ok(Some(contents))
        };
        let (Some(first), Some(second)) = (contents(self)?, contents(other)?) else {
            return Ok(false);
        };
        first.diff(&second, options, context, each)?;
        Ok(true)
    }
}

/// Returns the name of an embedding in AnnData, as scanpy has it.
fn embedding_name(name: &str) -> String {
    match name.strip_prefix("X_") {
        Some(_) => name.to_owned(),
        None => format!("X_{}", name.to_lowercase()),
    }
}

/// Returns the name of loadings in AnnData.
fn loadings_name(name: &str) -> String {
    match &*name.to_lowercase() {
        "pca" => "PCs".to_owned(),
        name => format!("{name}_loadings"),
    }
}

/// Returns a layer with the rows and columns of the experiment, in their order.
fn arranged(
    source: Box<dyn MatrixSource>,
    axes: &[LayerAxis; 2],
    lens: [u64; 2],
    path: &str,
) -> Result<Matched> {
    let mut selections = [Selection::all(), Selection::all()];
    for ((axis, len), selection) in axes.iter().zip(lens).zip(&mut selections) {
        match axis {
            LayerAxis::Whole => {}
            LayerAxis::Part(at) if at.len() as u64 == len => {
                let mut order: Vec<(u64, u64)> = at.iter().copied().zip(0..).collect();
                order.sort_unstable();
                if order.windows(2).any(|pair| pair[0].0 == pair[1].0) {
                    return Ok(Err(format!("{path} (has names twice)")));
                }
                *selection = Selection::ranges(order.into_iter().map(|(_, at)| at..at + 1));
            }
            _ => {
                let shape = source.header().shape;
                let [rows, cols] = lens;
                return Ok(Err(format!("{path} (is {shape}, of {rows} x {cols})")));
            }
        }
    }
    let [rows, cols] = &selections;
    Ok(Ok(match rows.is_all() && cols.is_all() {
        true => source,
        false => Box::new(Slice::new(source, rows, cols)?),
    }))
}

/// A matrix, or the reason why it is left out.
type Matched = Result<Box<dyn MatrixSource>, String>;

/// Returns a matrix whose rows, and columns, are those with some names, in their order.
fn matched(
    source: Box<dyn MatrixSource>,
    names: [Option<&StringList>; 2],
    path: &str,
) -> Result<Matched> {
    let mut selections = [Selection::all(), Selection::all()];
    let mut differs = false;
    for ((axis, names), selection) in
        [Axis::Rows, Axis::Cols].into_iter().zip(names).zip(&mut selections)
    {
        let Some(names) = names else { continue };
        let Some(own) = source.names(axis)? else {
            if source.header().shape.len(axis) != names.len() {
                return Ok(Err(format!("{path} (has other cells)")));
            }
            continue;
        };
        if own == *names {
            continue;
        }
        differs = true;
        let found = nnz_robjects::positions(&own, names);
        let found: Option<Vec<u64>> = found.iter().copied().collect();
        match found {
            Some(found) => *selection = Selection::ranges(found.into_iter().map(|at| at..at + 1)),
            None => return Ok(Err(format!("{path} (does not have all cells)"))),
        }
    }
    let [rows, cols] = &selections;
    Ok(Ok(match differs {
        true => Box::new(Slice::new(source, rows, cols)?),
        false => source,
    }))
}

/// Returns a matrix with a row for each of some names; rows that it does not have are zero.
fn padded(
    source: Box<dyn MatrixSource>,
    names: Option<&StringList>,
    len: u64,
    context: &Context,
) -> Result<Matched> {
    let Some(names) = names else {
        return Ok(match source.header().shape.rows == len {
            true => Ok(source),
            false => Err("loadings (without names of features)".to_owned()),
        });
    };
    let own = source.names(Axis::Rows)?;
    let Some(own) = own.filter(|own| own != names) else { return Ok(Ok(source)) };
    let rows = nnz_robjects::positions(names, &own);
    let Some(rows) = rows.iter().copied().collect::<Option<Vec<u64>>>() else {
        return Ok(Err("loadings (of other features)".to_owned()));
    };
    spread(&*source, &rows, len, context).map(Ok)
}

/// Spreads the rows of a small matrix over `len` rows, of which the others are zero.
fn spread(
    source: &dyn MatrixSource,
    rows: &[u64],
    len: u64,
    context: &Context,
) -> Result<Box<dyn MatrixSource>> {
    let options = ReadOptions::default().order(Some(Order::Row));
    let Dense { shape, order, values } = read_dense(source, &options, context)?;
    let width = usize::try_from(shape.cols).unwrap_or(0);
    let zeros = Values::try_zeroed(values.value_type(), width);
    let zeros = zeros.ok_or_else(|| Error::argument("too many columns"))?;
    let from: HashMap<u64, usize> = rows.iter().copied().zip(0..).collect();
    let mut spread = Values::new(values.value_type());
    for row in 0..len {
        match from.get(&row) {
            Some(from) => spread.extend_from(&values, from * width..(from + 1) * width),
            None => spread.extend_from(&zeros, 0..width),
        };
    }
    Dense { shape: Shape { rows: len, ..shape }, order, values: spread }.into_source()
}

//! An object as a collection.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use nnz_container::tree::{Attribute, AttributeValue};
use nnz_core::{
    Axis, ColumnValues, Error, ErrorKind, MatrixSource, Order, Place, Placed, Result, Shape,
    StringList, Values,
};
use nnz_engine::{Dense, ReadOptions, Selection, Slice, Transposed, read_dense};
use nnz_robjects::{LayerAxis, NamedVector, Node, ObjectRef, RFile, Study, StudyKind, StudyMatrix};

use super::follow::Options;
use super::layers::{COUNTS, X_NAME};
use super::members;
use super::reductions::{embedding_name, loadings_name};
use super::write::RAW;
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

    /// Returns the contents of one experiment: its matrices among `parts`, and the one before features were selected.
    fn contents_of(
        &self,
        study: &Study,
        number: usize,
        (raw, parts): (Option<RawLayer>, &[OwnedPart]),
    ) -> Result<Contents> {
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
        let mut main = main.map_err(|error| error.with_context(&self.place()))?;
        if !is_main && study.kind == StudyKind::Seurat {
            // All assays have the table of the object.
            main = main.without_table(Axis::Cols);
        }
        let main = main.with_notes(self.options.notes());
        let tables = [(&experiment.features, Axis::Rows), (&experiment.cells, Axis::Cols)]
            .map(|(table, axis)| members::name_of(study, &table.table, axis));
        let main = Box::new(Placed::new(Box::new(main), self.place()));
        let layer = &experiment.layers[at];
        let mut contents = Contents::new(main, &layer.path, [&*tables[0], &*tables[1]]);
        let names: StringList = std::iter::once(&*layer.name).collect();
        let value = Attribute { shape: Vec::new(), value: AttributeValue::Strings(names) };
        contents.attributes.push(NamedAttribute::new(X_NAME.to_owned(), value, X_NAME.to_owned()));
        let reductions = parts.iter().filter_map(|(_, part, owner)| match part {
            StudyMatrix::Embedding(at) if *owner == number => Some(&*study.reductions[*at].name),
            _ => None,
        });
        let of_main = MainAxes {
            number,
            axes: &layer.axes,
            names: [Axis::Rows, Axis::Cols].map(|axis| study.names_of(part, axis)),
            shape: contents.main.header().shape,
            reductions: reductions.collect(),
        };
        let mut roles = HashSet::new();
        for (path, other, _) in parts.iter().filter(|(_, _, owner)| *owner == number) {
            if *other != part {
                self.add_part(study, &of_main, (path, *other), (&mut contents, &mut roles))?;
            }
        }
        if let Some(RawLayer { experiment, layer }) = raw {
            for (at, own) in study.experiments[experiment].layers.iter().enumerate() {
                match at == layer {
                    true => {
                        let part = StudyMatrix::Layer(experiment, at);
                        self.add_part(
                            study,
                            &of_main,
                            (&own.path, part),
                            (&mut contents, &mut roles),
                        )?;
                    }
                    false => contents.left_out.push(format!("{} (raw has one matrix)", own.path)),
                }
            }
        }
        let owner = if is_main { "" } else { &*experiment.path };
        let vectors = study.vectors.iter().filter(|vector| vector.owner == owner);
        for vector in vectors {
            match attribute_of(vector) {
                Some(attribute) => contents.attributes.push(attribute),
                None => {
                    contents.unsupported.push(format!("{} (the name of X has it)", vector.path))
                }
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
        main: &MainAxes<'_>,
        (path, part): (&str, StudyMatrix),
        (contents, roles): (&mut Contents, &mut HashSet<MemberRole>),
    ) -> Result<()> {
        let [feature_names, cell_names] = main.names.each_ref().map(Option::as_deref);
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
        let placed = |source| -> Box<dyn MatrixSource> { Box::new(Placed::new(source, place)) };
        let (role, source) = match part {
            StudyMatrix::Layer(number, at) if number == main.number => {
                let layer = &study.experiments[number].layers[at];
                let as_layer = MemberRole::Layer(layer.name.clone());
                match main.arranged(placed(Box::new(source)), &layer.axes, path)? {
                    (Ok(source), false) if layer.name == COUNTS => {
                        (MemberRole::Raw(Axis::Cols), Ok(source))
                    }
                    (Ok(source), false) => (as_layer, Err(main.other_shape(&*source, path))),
                    (found, _) => (as_layer, found),
                }
            }
            // The one of an assay for it.
            StudyMatrix::Layer(..) => {
                let source = placed(Box::new(source.with_original_names()?));
                (MemberRole::Raw(Axis::Cols), matched(source, [None, cell_names], path)?)
            }
            StudyMatrix::Embedding(at) => {
                let name = embedding_name(&study.reductions[at].name, &main.reductions);
                let source = matched(placed(Box::new(source)), [cell_names, None], path)?;
                (MemberRole::AxisMatrix(Axis::Cols, name), source)
            }
            StudyMatrix::Loadings(at) => {
                let name = loadings_name(&study.reductions[at].name, &main.reductions);
                let (source, rows) = (placed(Box::new(source)), main.shape.rows);
                let source = padded(source, feature_names, (rows, path), self.options.context())?;
                (MemberRole::AxisMatrix(Axis::Rows, name), source)
            }
            _ => {
                let name = path.rsplit('/').next().unwrap_or(path).to_owned();
                let source = matched(placed(Box::new(source)), [cell_names, cell_names], path)?;
                (MemberRole::AxisGraph(Axis::Cols, name), source)
            }
        };
        match source {
            Ok(source) if roles.insert(role.clone()) => {
                contents.members.push(ContentsMember::new(role, path.to_owned(), source));
            }
            Ok(_) => contents.left_out.push(format!("{path} (another has its name)")),
            Err(why) => contents.left_out.push(why),
        }
        Ok(())
    }

    /// Returns all assays, or alternative experiments. The main one is the first.
    pub(in crate::formats) fn assays(&self) -> Result<Vec<Assay>> {
        let study = self.study()?;
        let mut numbers: Vec<usize> = (0..study.experiments.len()).collect();
        let raws: Vec<_> =
            numbers.iter().map(|&number| RawLayer::of(study, number, false)).collect();
        let are_raw: HashSet<usize> = raws.iter().flatten().map(|raw| raw.experiment).collect();
        let parts = owned_parts(study, false);
        numbers.retain(|number| !are_raw.contains(number));
        numbers.sort_by_key(|&number| number != study.main);
        let mut assays: Vec<Assay> = Vec::with_capacity(numbers.len());
        for number in numbers {
            let experiment = &study.experiments[number];
            let (name, path) = (experiment.name.clone(), experiment.path.clone());
            let contents = self.contents_of(study, number, (raws[number], &parts));
            match (contents, assays.first_mut()) {
                (Ok(contents), _) => assays.push(Assay { name, path, contents }),
                // Another one whose matrices are not read.
                (Err(error), Some(main)) if matches!(error.kind(), ErrorKind::Unsupported(_)) => {
                    main.contents.unsupported.push(format!("{path} ({})", error.kind()));
                }
                (Err(error), _) => return Err(error),
            }
        }
        Ok(assays)
    }

    /// Returns the names and the table of the cells as rows of a matrix; `None` for an object without matrices.
    pub(super) fn cells(&self) -> Result<Option<Box<dyn MatrixSource>>> {
        let Ok(study) = self.study() else { return Ok(None) };
        let axes = study.axes().and_then(nnz_robjects::ObjectMatrixSource::with_original_names);
        let axes = axes.map_err(|error| error.with_context(&self.place()))?;
        let cells = Transposed::new(Box::new(axes));
        Ok(Some(Box::new(Placed::new(Box::new(cells), self.place()))))
    }
}

/// An assay, or the object itself or an alternative experiment.
pub(in crate::formats) struct Assay {
    /// Its name, which may be empty.
    pub(in crate::formats) name: String,
    /// Its path in the object.
    pub(in crate::formats) path: String,
    pub(in crate::formats) contents: Contents,
}

/// The axes of the main matrix of an experiment.
struct MainAxes<'a> {
    /// The number of the experiment.
    number: usize,
    axes: &'a [LayerAxis; 2],
    names: [Option<Arc<StringList>>; 2],
    shape: Shape,
    /// The names of the reductions among the parts.
    reductions: HashSet<&'a str>,
}

impl MainAxes<'_> {
    /// Returns a layer with the rows and columns of the main matrix, in their order, and `true`; or with other rows, and
    /// `false`.
    fn arranged(
        &self,
        source: Box<dyn MatrixSource>,
        axes: &[LayerAxis; 2],
        path: &str,
    ) -> Result<(Matched, bool)> {
        let lens = [self.shape.rows, self.shape.cols];
        let mut orders = [Some(Selection::all()), Some(Selection::all())];
        for (at, order) in orders.iter_mut().enumerate() {
            *order = match (&self.axes[at], &axes[at]) {
                (LayerAxis::Whole, LayerAxis::Whole) => continue,
                (LayerAxis::Part(own), LayerAxis::Part(other)) if own == other => continue,
                (LayerAxis::Whole, LayerAxis::Part(positions)) => {
                    let mut order: Vec<(u64, u64)> = positions.iter().copied().zip(0..).collect();
                    order.sort_unstable();
                    if order.windows(2).any(|pair| pair[0].0 == pair[1].0) {
                        return Ok((Err(format!("{path} (has names twice)")), true));
                    }
                    let is_all = order.len() as u64 == lens[at];
                    is_all.then(|| Selection::ranges(order.into_iter().map(|(_, at)| at..at + 1)))
                }
                _ => None,
            };
        }
        let [rows, Some(cols)] = orders else {
            return Ok((Err(self.other_shape(&*source, path)), true));
        };
        let is_layer = rows.is_some();
        let rows = rows.unwrap_or_else(Selection::all);
        let source = match rows.is_all() && cols.is_all() {
            true => source,
            false => Box::new(Slice::new(source, &rows, &cols)?),
        };
        Ok((Ok(source), is_layer))
    }

    fn other_shape(&self, source: &dyn MatrixSource, path: &str) -> String {
        format!("{path} (is {}, of {})", source.header().shape, self.shape)
    }
}

/// Returns a vector as an attribute. R has no scalars: one element is one.
fn attribute_of(vector: &NamedVector) -> Option<NamedAttribute> {
    let NamedVector { name, path, values, .. } = vector;
    let len = values.len();
    let value = match &values.values {
        ColumnValues::Numbers(numbers) => AttributeValue::Numbers(numbers.clone()),
        ColumnValues::Strings(texts) => AttributeValue::Strings(texts.clone()),
        ColumnValues::Categorical(_) => return None,
    };
    let shape = if len == 1 { Vec::new() } else { vec![len] };
    // The layer has this name already.
    (name != X_NAME)
        .then(|| NamedAttribute::new(name.clone(), Attribute { shape, value }, path.clone()))
}

/// A matrix of a study with its path, and the number of the experiment that it belongs to.
type OwnedPart = (String, StudyMatrix, usize);

/// Returns all matrices of a study. If the main experiment `is_alone`, what Seurat stores for the cells of all assays belongs
/// to it.
fn owned_parts(study: &Study, is_alone: bool) -> Vec<OwnedPart> {
    let owned = |(path, part)| match part {
        StudyMatrix::Layer(number, _) => (path, part, number),
        _ if is_alone && study.kind == StudyKind::Seurat => (path, part, study.main),
        _ => (path, part, study.owner_of(part)),
    };
    study.parts().into_iter().map(owned).collect()
}

/// The matrix of an experiment before features were selected: the numbers of another experiment and of its layer.
#[derive(Clone, Copy)]
struct RawLayer {
    experiment: usize,
    layer: usize,
}

impl RawLayer {
    /// Finds the one of an experiment. An assay `raw` with counts beside its values is an assay of its own among several.
    fn of(study: &Study, number: usize, is_alone: bool) -> Option<Self> {
        let base = study.experiments.get(number)?;
        let name = match number == study.main {
            true if study.experiments.iter().any(|other| other.name == RAW) => RAW.to_owned(),
            _ if base.name.is_empty() => return None,
            _ => format!("{}.{RAW}", base.name),
        };
        let mut others = study.experiments.iter().enumerate();
        let (experiment, raw) = others.find(|(at, other)| *at != number && other.name == name)?;
        let layer = match &*raw.layers {
            [_] => 0,
            // Assays of version 3 have counts as both.
            [counts, data]
                if (is_alone || name != RAW) && counts.name == COUNTS && data.name == "data" =>
            {
                1
            }
            _ => return None,
        };
        let same_cells = raw.cells.len == base.cells.len && raw.layers[layer].axes[1].is_whole();
        same_cells.then_some(Self { experiment, layer })
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
        let raw = RawLayer::of(study, study.main, true);
        let parts = owned_parts(study, true);
        let mut contents = self.contents_of(study, study.main, (raw, &parts))?;
        let is_raw = |number| raw.is_some_and(|raw| raw.experiment == number);
        for (number, experiment) in study.experiments.iter().enumerate() {
            if number != study.main && !is_raw(number) {
                let name = &experiment.name;
                let own = parts.iter().filter(|(_, _, owner)| *owner == number);
                contents.unsupported.extend(own.map(|(path, ..)| format!("{path} (of {name})")));
            }
        }
        if study.experiments.len() > 1 + usize::from(raw.is_some()) {
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
    (len, path): (u64, &str),
    context: &Context,
) -> Result<Matched> {
    let (Some(names), Some(own)) = (names, source.names(Axis::Rows)?) else {
        return Ok(match source.header().shape.rows == len {
            true => Ok(source),
            false => Err(format!("{path} (without names of features)")),
        });
    };
    if own == *names {
        return Ok(Ok(source));
    }
    let rows = nnz_robjects::positions(names, &own);
    let Some(rows) = rows.iter().copied().collect::<Option<Vec<u64>>>() else {
        return Ok(Err(format!("{path} (of other features)")));
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

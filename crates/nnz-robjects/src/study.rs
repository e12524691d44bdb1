//! Objects with several matrices of the same cells: Seurat and Bioconductor.

use std::collections::BTreeMap;
use std::sync::Arc;

use nnz_container::rds::Object;
use nnz_core::{Axis, AxisKind, Error, ErrorKind, MatrixSource, Place, Result, Shape, StringList};

use crate::delayed::{self, ExternalMatrix};
use crate::frame::{Frame, positions};
use crate::joined::{Joined, JoinedPart};
use crate::objects::{FileInfo, describe, dimnames, dims};
use crate::source::ObjectMatrixSource;
use crate::vector::NamedVector;
use crate::{matrix, svt};

/// The family of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StudyKind {
    /// Seurat, of any generation.
    Seurat,
    /// `SummarizedExperiment` and what extends it.
    Experiment,
}

/// An object with several matrices of the same cells.
#[derive(Debug)]
#[non_exhaustive]
pub struct Study {
    pub(crate) info: Arc<FileInfo>,
    /// The path of the object in the file: empty, or with a slash at the end.
    pub(crate) prefix: String,
    /// Its family.
    pub kind: StudyKind,
    /// Its class.
    pub class: String,
    /// The version of the package that wrote it, if the object has it.
    pub version: Option<String>,
    /// The matrices by features: assays, or the object itself and its alternative experiments.
    pub experiments: Vec<Experiment>,
    /// The number of the main one.
    pub main: usize,
    /// Embeddings and their loadings.
    pub reductions: Vec<Reduction>,
    /// Graphs of cells.
    pub graphs: Vec<Graph>,
    /// Vectors of the object as a whole.
    pub vectors: Vec<NamedVector>,
    /// Paths of elements that are not read, with their descriptions.
    pub unread: Vec<(String, String)>,
}

/// Paths of elements that are not read, with their descriptions.
pub(crate) type Unread = Vec<(String, String)>;

/// Matrices with the same features and cells.
#[derive(Debug)]
#[non_exhaustive]
pub struct Experiment {
    /// Its name, such as `RNA`.
    pub name: String,
    /// Its path in the object: `assays/RNA`, `altExps/ADT`, or nothing for the object itself.
    pub path: String,
    /// The features.
    pub features: AxisTable,
    /// The cells.
    pub cells: AxisTable,
    /// The matrices.
    pub layers: Vec<Layer>,
}

/// The names and the table of an axis.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AxisTable {
    /// The names.
    pub names: Option<Arc<StringList>>,
    /// The number of rows of the table.
    pub len: u64,
    /// The table.
    pub table: Frame,
}

/// A matrix of an experiment.
#[derive(Debug)]
#[non_exhaustive]
pub struct Layer {
    /// Its name, such as `counts`.
    pub name: String,
    /// Its path in the object.
    pub path: String,
    /// Which of the features, and which of the cells, it has.
    pub axes: [LayerAxis; 2],
    /// The matrix.
    pub data: LayerData,
}

/// The features or cells of a layer.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum LayerAxis {
    /// Those of the experiment.
    Whole,
    /// Some of them, by position.
    Part(Arc<[u64]>),
    /// Others, with their names.
    Other(Option<Arc<StringList>>),
}

/// An object that is a matrix.
pub type MatrixObject = Arc<Object>;

/// The matrix of a layer.
#[derive(Debug)]
#[non_exhaustive]
pub enum LayerData {
    /// It is in the object.
    Stored(MatrixObject),
    /// It is in another file.
    External(ExternalMatrix),
    /// Several layers that have parts of the cells.
    Joined(Vec<Layer>),
    /// It is not read, for a reason.
    Refused(String),
}

/// An embedding of cells.
#[derive(Debug)]
#[non_exhaustive]
pub struct Reduction {
    /// Its name, such as `pca`.
    pub name: String,
    /// Its path in the object.
    pub path: String,
    /// The number of the experiment that it belongs to, if it is known.
    pub owner: Option<usize>,
    /// A row for each cell.
    pub embeddings: MatrixObject,
    /// A row for each feature that was used.
    pub loadings: Option<MatrixObject>,
}

/// A graph of cells.
#[derive(Debug)]
#[non_exhaustive]
pub struct Graph {
    /// Its path in the object.
    pub path: String,
    /// The number of the experiment that it belongs to, if it is known.
    pub owner: Option<usize>,
    /// Rows and columns are cells.
    pub matrix: MatrixObject,
}

/// A matrix of a study.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StudyMatrix {
    /// A layer of an experiment, by their numbers.
    Layer(usize, usize),
    /// The embedding of a reduction.
    Embedding(usize),
    /// The loadings of a reduction.
    Loadings(usize),
    /// A graph.
    Graph(usize),
}

/// A function that opens an external matrix.
pub type OpenExternal<'a> = &'a dyn Fn(&ExternalMatrix, &Place) -> Result<Box<dyn MatrixSource>>;

impl AxisTable {
    /// Creates the table of an axis without columns.
    pub(crate) fn new(names: Option<StringList>, len: u64, table: Frame) -> Self {
        Self { names: names.map(Arc::new), len, table }
    }
}

impl LayerAxis {
    /// Returns the axis of a layer with some names: those of the experiment, some of them, or others. Without names it is
    /// that of the experiment if the length is the same.
    pub(crate) fn of(names: Option<StringList>, len: u64, all: &AxisTable) -> Self {
        match (names, &all.names) {
            (Some(names), Some(known)) if names == **known => Self::Whole,
            (Some(names), Some(known)) => {
                let found = positions(known, &names);
                let found: Option<Arc<[u64]>> = found.iter().copied().collect();
                match found.filter(|found| !found.is_empty() || names.is_empty()) {
                    Some(found) => Self::Part(found),
                    None => Self::Other(Some(Arc::new(names))),
                }
            }
            (None, _) | (Some(_), None) if len == all.len => Self::Whole,
            (names, _) => Self::Other(names.map(Arc::new)),
        }
    }

    fn names(&self, all: &AxisTable) -> Option<Arc<StringList>> {
        match self {
            Self::Whole => all.names.clone(),
            Self::Part(positions) => {
                let all = all.names.as_ref()?;
                let names = positions.iter().map(|&at| all.get(at).unwrap_or_default());
                let mut list = StringList::new();
                names.for_each(|name| list.push(name));
                Some(Arc::new(list))
            }
            Self::Other(names) => names.clone(),
        }
    }

    fn table(&self, all: &AxisTable) -> Option<Frame> {
        match self {
            Self::Whole => Some(all.table.clone()),
            Self::Part(at) => {
                let rows = at.iter().map(|&at| Some(at)).collect();
                all.table.clone().selected(rows)
            }
            Self::Other(_) => None,
        }
    }

    /// Returns whether the layer has all of the experiment, in its order.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        matches!(self, Self::Whole)
    }
}

impl LayerData {
    /// Wraps an object.
    pub(crate) fn new(info: &FileInfo, object: Object) -> Self {
        match delayed::find(info, &object) {
            Some(Ok(external)) => return Self::External(external),
            Some(Err(what)) => return Self::Refused(what),
            None => {}
        }
        let object = delayed::unwrapped(object);
        match is_matrix(&object) {
            true => Self::Stored(Arc::new(object)),
            false => Self::Refused(describe(&object)),
        }
    }

    /// Returns the shape that the object states.
    pub(crate) fn stated_shape(&self) -> Option<[u64; 2]> {
        match self {
            Self::Stored(object) => dims(object).or_else(|| crate::frame::shape_of(object)),
            Self::External(external) => external.shape,
            Self::Joined(_) | Self::Refused(_) => None,
        }
    }
}

/// Returns whether an object is a matrix of any kind.
pub(crate) fn is_matrix(object: &Object) -> bool {
    svt::is_svt(object) || matrix::is_matrix_object(object) || crate::frame::is_numeric(object)
}

/// Opens a matrix of any kind.
pub(crate) fn open_matrix(
    info: &Arc<FileInfo>,
    path: &str,
    object: &Object,
) -> Result<Box<dyn MatrixSource>> {
    if svt::is_svt(object) {
        let parts = svt::parse(info, object, path)?;
        return Ok(Box::new(matrix::from_parts(info, path, parts)?));
    }
    if crate::frame::is_numeric(object) {
        let parts = crate::frame::as_matrix(info, object, path)?;
        return Ok(Box::new(matrix::from_parts(info, path, parts)?));
    }
    Ok(Box::new(matrix::from_object(info, path, object.clone())?))
}

impl Layer {
    /// Creates a layer with the names that its matrix has.
    pub(crate) fn new(
        info: &FileInfo,
        (name, path): (&str, &str),
        object: Object,
        [features, cells]: [&AxisTable; 2],
    ) -> Result<Self> {
        let mut axes = [LayerAxis::Whole, LayerAxis::Whole];
        let shape = dims(&object).unwrap_or_else(|| {
            crate::frame::shape_of(&object).unwrap_or([features.len, cells.len])
        });
        for (at, all) in [features, cells].into_iter().enumerate() {
            let names = dimnames(info, &object, at, path)?;
            let names = names.filter(|names| !names.is_empty() || shape[at] == 0);
            axes[at] = LayerAxis::of(names, shape[at], all);
        }
        let data = LayerData::new(info, object);
        Ok(Self { name: name.to_owned(), path: path.to_owned(), axes, data })
    }

    /// Returns the number of rows and columns, if it is known.
    #[must_use]
    pub fn shape(&self, experiment: &Experiment) -> Option<[u64; 2]> {
        let len = |axis: &LayerAxis, all: &AxisTable| match axis {
            LayerAxis::Whole => Some(all.len),
            LayerAxis::Part(at) => Some(at.len() as u64),
            LayerAxis::Other(_) => None,
        };
        let known = len(&self.axes[0], &experiment.features);
        let known = known.zip(len(&self.axes[1], &experiment.cells));
        self.data.stated_shape().or(known.map(|(rows, cols)| [rows, cols]))
    }

    fn source(
        &self,
        study: &Study,
        experiment: &Experiment,
        follow: OpenExternal<'_>,
    ) -> Result<Box<dyn MatrixSource>> {
        let place = study.place(&self.path);
        match &self.data {
            LayerData::Stored(object) => open_matrix(&study.info, &study.full(&self.path), object),
            LayerData::External(external) => follow(external, &place),
            LayerData::Refused(what) => Err(Error::unsupported(place, what.clone())),
            LayerData::Joined(layers) => {
                let shape = Shape { rows: experiment.features.len, cols: experiment.cells.len };
                study.info.check_memory(shape.cols, Joined::MEMORY_PER_COLUMN, &self.path)?;
                let mut parts = Vec::with_capacity(layers.len());
                for layer in layers {
                    let [rows, LayerAxis::Part(cols)] = &layer.axes else { continue };
                    let rows = match rows {
                        LayerAxis::Part(rows) => Some(Arc::clone(rows)),
                        _ => None,
                    };
                    let source = layer.source(study, experiment, follow)?;
                    parts.push(JoinedPart { source, rows, cols: Arc::clone(cols) });
                }
                Ok(Box::new(Joined::new(parts, shape, &place)?))
            }
        }
    }
}

impl Study {
    pub(crate) fn full(&self, path: &str) -> String {
        format!("{}{path}", self.prefix)
    }

    pub(crate) fn place(&self, path: &str) -> Place {
        self.info.place(&self.full(path))
    }

    /// Returns the main experiment.
    #[must_use]
    pub fn main_experiment(&self) -> Option<&Experiment> {
        self.experiments.get(self.main)
    }

    /// Returns all matrices, each with its path.
    #[must_use]
    pub fn parts(&self) -> Vec<(String, StudyMatrix)> {
        let mut parts = Vec::new();
        for (number, experiment) in self.experiments.iter().enumerate() {
            let layers = experiment.layers.iter().enumerate();
            parts.extend(
                layers.map(|(at, layer)| (layer.path.clone(), StudyMatrix::Layer(number, at))),
            );
        }
        for (number, reduction) in self.reductions.iter().enumerate() {
            parts.push((reduction.path.clone(), StudyMatrix::Embedding(number)));
            if reduction.loadings.is_some() {
                parts.push((format!("{}/loadings", reduction.path), StudyMatrix::Loadings(number)));
            }
        }
        let graphs = self.graphs.iter().enumerate();
        parts
            .extend(graphs.map(|(number, graph)| (graph.path.clone(), StudyMatrix::Graph(number))));
        parts
    }

    /// Returns the matrix with a path.
    #[must_use]
    pub fn find(&self, path: &str) -> Option<StudyMatrix> {
        let path = path.trim_matches('/');
        self.parts().into_iter().find(|(own, _)| own == path).map(|(_, part)| part)
    }

    /// Returns the layer of an experiment that is used where a single matrix is needed: with the name `wanted`, or normalized
    /// values if there are any, else counts, else the first.
    ///
    /// # Errors
    ///
    /// Fails if there is no such layer, or if it is divided among several.
    pub fn main_layer(&self, experiment: usize, wanted: Option<&str>) -> Result<usize> {
        let place = || self.place("");
        let argument = |what: String| Error::new(ErrorKind::Argument(what), place());
        let found = self.experiments.get(experiment);
        let Some(experiment) = found.filter(|found| !found.layers.is_empty()) else {
            return Err(argument("an object without matrices".to_owned()));
        };
        let layers = &experiment.layers;
        let named = |name: &str| layers.iter().position(|layer| layer.name == name);
        let listed = || layers.iter().map(|layer| &*layer.name).collect::<Vec<_>>().join(", ");
        if let Some(wanted) = wanted {
            return named(wanted).ok_or_else(|| {
                argument(format!("there is no layer {wanted:?}: layers are {}", listed()))
            });
        }
        let usual = match self.kind {
            StudyKind::Seurat => ["data", "counts"],
            StudyKind::Experiment => ["logcounts", "counts"],
        };
        for name in usual {
            if let Some(at) = named(name) {
                return Ok(at);
            }
            if !split_of(layers, name).is_empty() {
                let what = format!("the layer {name} is divided among several: {}", listed());
                return Err(argument(what)
                    .with_hint("join_layers", "joins layers that have parts of the cells"));
            }
        }
        Ok(0)
    }

    /// Opens a matrix, with names and tables of its axes. `follow` opens external matrices.
    ///
    /// # Errors
    ///
    /// Fails if it is broken or not supported, or as `follow`.
    pub fn open(&self, part: StudyMatrix, follow: OpenExternal<'_>) -> Result<ObjectMatrixSource> {
        let missing = || Error::new(ErrorKind::Missing, self.place(""));
        const CELLS: AxisKind = AxisKind::Cells;
        let open = |path: &str, object: &MatrixObject, kinds| {
            let inner = open_matrix(&self.info, &self.full(path), object)?;
            ObjectMatrixSource::new(inner, kinds, [None, None], self.place(path))
        };
        match part {
            StudyMatrix::Layer(number, at) => {
                let experiment = self.experiments.get(number).ok_or_else(missing)?;
                let layer = experiment.layers.get(at).ok_or_else(missing)?;
                let inner = layer.source(self, experiment, follow)?;
                let all = [&experiment.features, &experiment.cells];
                let [rows, cols] = &layer.axes;
                let names = [rows.names(all[0]), cols.names(all[1])];
                let tables = [rows.table(all[0]), cols.table(all[1])];
                let kinds = [AxisKind::Features, CELLS];
                let place = self.place(&layer.path);
                Ok(ObjectMatrixSource::new(inner, kinds, names, place)?.with_tables(tables))
            }
            StudyMatrix::Embedding(at) => {
                let reduction = self.reductions.get(at).ok_or_else(missing)?;
                let inner =
                    open_matrix(&self.info, &self.full(&reduction.path), &reduction.embeddings)?;
                let names = self.cells_by_position(part, inner.header().shape.rows);
                let kinds = [CELLS, AxisKind::Unknown];
                ObjectMatrixSource::new(inner, kinds, [names, None], self.place(&reduction.path))
            }
            StudyMatrix::Loadings(at) => {
                let reduction = self.reductions.get(at).ok_or_else(missing)?;
                let loadings = reduction.loadings.as_ref().ok_or_else(missing)?;
                let path = format!("{}/loadings", reduction.path);
                open(&path, loadings, [AxisKind::Features, AxisKind::Unknown])
            }
            StudyMatrix::Graph(at) => {
                let graph = self.graphs.get(at).ok_or_else(missing)?;
                open(&graph.path, &graph.matrix, [CELLS, CELLS])
            }
        }
    }

    /// Returns the names of the rows of an embedding if these are cells by their positions, as in a `SingleCellExperiment`, whatever
    /// names the matrix has: R gives it those of the object.
    fn cells_by_position(&self, part: StudyMatrix, rows: u64) -> Option<Arc<StringList>> {
        let owner = self.experiments.get(self.owner_of(part))?;
        let is_position = self.kind == StudyKind::Experiment && owner.cells.len == rows;
        owner.cells.names.clone().filter(|_| is_position)
    }

    /// Returns the number of the experiment that a matrix belongs to: the main one, unless the object has another.
    #[must_use]
    pub fn owner_of(&self, part: StudyMatrix) -> usize {
        let owner = match part {
            StudyMatrix::Layer(number, _) => Some(number),
            StudyMatrix::Embedding(at) | StudyMatrix::Loadings(at) => {
                self.reductions.get(at).and_then(|reduction| reduction.owner)
            }
            StudyMatrix::Graph(at) => self.graphs.get(at).and_then(|graph| graph.owner),
        };
        owner.unwrap_or(self.main)
    }

    /// Returns the names of rows or columns of a layer, as the object has them.
    #[must_use]
    pub fn names_of(&self, part: StudyMatrix, axis: Axis) -> Option<Arc<StringList>> {
        let StudyMatrix::Layer(number, at) = part else { return None };
        let experiment = self.experiments.get(number)?;
        let [rows, cols] = &experiment.layers.get(at)?.axes;
        match axis {
            Axis::Rows => rows.names(&experiment.features),
            Axis::Cols => cols.names(&experiment.cells),
        }
    }

    /// Opens the main matrix like [`open`](Self::open). It is described as that of the object.
    ///
    /// # Errors
    ///
    /// Fails as [`open`](Self::open).
    pub fn open_main(
        &self,
        part: StudyMatrix,
        follow: OpenExternal<'_>,
    ) -> Result<ObjectMatrixSource> {
        let format = match self.kind {
            StudyKind::Seurat => "Seurat object",
            StudyKind::Experiment => "SummarizedExperiment",
        };
        let source = self.open(part, follow)?;
        Ok(source.of_object(format, &self.class, self.version.as_deref()))
    }

    /// Returns the axis of the object along which rows and columns of a matrix are: those of the main experiment.
    #[must_use]
    pub fn axes_of(&self, part: StudyMatrix) -> [Option<Axis>; 2] {
        let Some(main) = self.main_experiment() else { return [None, None] };
        let same_cells = |object: &MatrixObject, axis: usize| {
            let len = dims(object).map(|dims| dims[axis]);
            let names = dimnames(&self.info, object, axis, "").ok().flatten();
            let is_same = match (&names, &main.cells.names) {
                (Some(names), Some(cells)) if self.kind == StudyKind::Seurat => *names == **cells,
                _ => len == Some(main.cells.len),
            };
            is_same.then_some(Axis::Cols)
        };
        match part {
            StudyMatrix::Layer(number, at) => {
                let Some(experiment) = self.experiments.get(number) else { return [None, None] };
                let Some(layer) = experiment.layers.get(at) else { return [None, None] };
                let features = number == self.main && layer.axes[0].is_whole();
                let cells = layer.axes[1].is_whole()
                    && (number == self.main
                        || (experiment.cells.names.is_some()
                            && experiment.cells.names == main.cells.names));
                [features.then_some(Axis::Rows), cells.then_some(Axis::Cols)]
            }
            StudyMatrix::Embedding(at) => match self.reductions.get(at) {
                Some(reduction) => [same_cells(&reduction.embeddings, 0), None],
                None => [None, None],
            },
            StudyMatrix::Loadings(_) => [None, None],
            StudyMatrix::Graph(at) => match self.graphs.get(at) {
                Some(Graph { matrix, .. }) => [same_cells(matrix, 0), same_cells(matrix, 1)],
                None => [None, None],
            },
        }
    }

    /// Returns the names and tables of the main experiment, as a matrix without entries.
    ///
    /// # Errors
    ///
    /// Fails if there is no experiment.
    pub fn axes(&self) -> Result<ObjectMatrixSource> {
        let none = || ErrorKind::Argument("an object without assays".to_owned());
        let missing = || Error::new(none(), self.place(""));
        let main = self.main_experiment().ok_or_else(missing)?;
        let [features, cells] = [&main.features, &main.cells];
        let shape = Shape { rows: features.len, cols: cells.len };
        let inner = Box::new(Joined::empty(shape));
        let kinds = [AxisKind::Features, AxisKind::Cells];
        let names = [features.names.clone(), cells.names.clone()];
        let source = ObjectMatrixSource::new(inner, kinds, names, self.place(""))?;
        Ok(source.with_tables([Some(features.table.clone()), Some(cells.table.clone())]))
    }

    /// Returns a path in the file as a path in the object.
    #[must_use]
    pub fn without_prefix<'a>(&self, path: &'a str) -> &'a str {
        path.strip_prefix(&*self.prefix).unwrap_or(path)
    }

    /// Joins layers that have parts of the cells: `counts.1` and `counts.2` become `counts`.
    pub fn join_layers(&mut self) {
        for experiment in &mut self.experiments {
            let mut bases: BTreeMap<String, usize> = BTreeMap::new();
            for layer in &experiment.layers {
                let ends = layer.name.match_indices('.').map(|(at, _)| &layer.name[..at]);
                for base in ends {
                    *bases.entry(base.to_owned()).or_default() += 1;
                }
            }
            for (base, count) in bases {
                let found = split_of(&experiment.layers, &base);
                if count < 2 || found.len() != count {
                    continue;
                }
                let first = found.first().copied().unwrap_or(0);
                let is_part = |layer: &mut Layer| is_split(layer, &base);
                let parts: Vec<Layer> = experiment.layers.extract_if(.., is_part).collect();
                let parent = parts.first().and_then(|part| part.path.rsplit_once('/'));
                let path = parent.map_or(base.clone(), |(parent, _)| format!("{parent}/{base}"));
                let axes = [LayerAxis::Whole, LayerAxis::Whole];
                let data = LayerData::Joined(parts);
                let at = first.min(experiment.layers.len());
                experiment.layers.insert(at, Layer { name: base, path, axes, data });
            }
        }
    }
}

/// Returns the names and columns of a table as a matrix without columns.
///
/// # Errors
///
/// Fails if there are more or fewer names than rows.
pub fn table_source(frame: &Frame, place: Place) -> Result<ObjectMatrixSource> {
    let shape = Shape { rows: nnz_core::Annotations::len(frame), cols: 0 };
    let names = [frame.names().cloned(), None];
    let kinds = [AxisKind::Unknown; 2];
    let source = ObjectMatrixSource::new(Box::new(Joined::empty(shape)), kinds, names, place)?;
    Ok(source.with_tables([Some(frame.clone()), None]))
}

/// Returns whether a layer has a part of the cells, and a name that begins with `base` and a point.
fn is_split(layer: &Layer, base: &str) -> bool {
    let rest = layer.name.strip_prefix(base).and_then(|rest| rest.strip_prefix('.'));
    rest.is_some_and(|rest| !rest.is_empty())
        && matches!(layer.axes[1], LayerAxis::Part(_))
        && !matches!(layer.axes[0], LayerAxis::Other(_))
}

/// Returns the layers that are parts of one, if there is none with this name.
fn split_of(layers: &[Layer], base: &str) -> Vec<usize> {
    if layers.iter().any(|layer| layer.name == base) {
        return Vec::new();
    }
    let parts = layers.iter().enumerate().filter(|(_, layer)| is_split(layer, base));
    parts.map(|(at, _)| at).collect()
}

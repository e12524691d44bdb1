//! An edge list as a matrix source.

use nnz_storage::TaskContext;
use std::ops::Range;
use std::path::Path;

use nnz_core::{
    About, At, Axis, Batch, Bint8, Duplicates, Error, Header, MatrixSource, Names, Order,
    Projection, Result, Scalar, Shape, Structure, Triangle, Unit, UnitReader, ValueType, Values,
};
use nnz_storage::{Opened, stdio};

use super::form::{Form, Nodes, Weight};
use super::parse::{Node, Visit, parse};
use super::survey::{Survey, row_col};
use crate::blocks::{Block, Blocks};
use crate::fault::Fault;
use crate::options::{Base, Size};
use crate::text::{Text, stdin_name};
use crate::values::Value;

/// How a file is read.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct ReadOptions {
    /// The id of the first node; by default 0, and 1 for files of KONECT.
    pub base: Option<Base>,
    /// The shape; by default square, as large as the greatest id requires, or as a header of KONECT states it.
    pub size: Size,
    /// Whether edges have no direction: the matrix is symmetric, and each edge is in the file once.
    pub undirected: bool,
    /// Whether the first and the second node of edges are different sets: rows and columns.
    pub bipartite: bool,
    /// How nodes are written; by default as names if the first one is not a number.
    pub nodes: Option<Nodes>,
    /// The field of the weights, in which case others are ignored. By default the third, and more fields are refused.
    pub weight: Option<Weight>,
    /// Whether the list may have other numbers of edges and nodes than the header of KONECT or SNAP states.
    pub ignore_counts: bool,
}

nnz_core::setters! {
    ReadOptions {
        base: Option<Base>,
        size: Size,
        undirected: bool,
        bipartite: bool,
        nodes: Option<Nodes>,
        weight: Option<Weight>,
        ignore_counts: bool,
    }
}

/// A matrix whose entries are the edges of a list: row and column are the first and the second node.
///
/// The file is read once when it is opened, on all cores, to find shape and types.
#[derive(Debug)]
pub struct EdgeListSource {
    text: Text,
    form: Form,
    survey: Survey,
    header: Header,
    notes: Vec<String>,
}

/// Creates a source for a file that has been opened, gzipped or not, or for a pipe, which is copied to a temporary
/// file.
///
/// # Errors
///
/// Fails if the file cannot be read or is broken.
pub fn from_opened(opened: &Opened, options: &ReadOptions) -> Result<EdgeListSource> {
    EdgeListSource::new(Text::open(opened)?, options)
}

/// Opens an edge list on standard input, which is copied to a temporary file.
///
/// # Errors
///
/// Fails as [`from_opened`].
pub fn open_stdin(options: &ReadOptions, context: &TaskContext) -> Result<EdgeListSource> {
    EdgeListSource::new(
        Text::from_reader(Box::new(stdio::stdin()), &stdin_name(), context)?,
        options,
    )
}

/// Opens an edge list from bytes. Messages use `name`.
///
/// ```
/// use nnz_core::MatrixSource;
/// let matrix = nnz_text::edges::from_bytes(b"0 1 2.5\n1 2 1\n", "example", &Default::default(), &Default::default())?;
/// assert_eq!(matrix.header().shape.to_string(), "3 x 3");
/// # Ok::<(), nnz_core::Error>(())
/// ```
///
/// # Errors
///
/// Fails as [`from_opened`].
pub fn from_bytes(
    bytes: &'static [u8],
    name: &str,
    options: &ReadOptions,
    context: &TaskContext,
) -> Result<EdgeListSource> {
    EdgeListSource::new(Text::from_reader(Box::new(bytes), Path::new(name), context)?, options)
}

impl EdgeListSource {
    fn new(text: Text, options: &ReadOptions) -> Result<Self> {
        let form = Form::of(&text, options)?;
        if form.undirected && form.bipartite {
            let what = "edges between two sets of nodes have a direction, from rows to columns";
            return Err(Error::argument(what));
        }
        let survey = Survey::of(&text, &form)?;
        if let Some(stated) = form.stated.filter(|_| !options.ignore_counts) {
            stated.check(&text, &form, &survey)?;
        }
        let [mut rows, mut cols] = survey.needed;
        let stated = form.stated.and_then(|stated| stated.nodes);
        if let (Some((stated_rows, stated_cols)), Nodes::Ids) = (stated, form.nodes) {
            (rows, cols) = (rows.max(stated_rows), cols.max(stated_cols));
        }
        if !form.bipartite {
            (rows, cols) = (rows.max(cols), rows.max(cols));
        }
        let shape = match form.nodes {
            Nodes::Ids => Shape {
                rows: options.size.rows.unwrap_or(rows),
                cols: options.size.cols.unwrap_or(cols),
            },
            // Each row and column has a name.
            Nodes::Names => {
                let (found, size) = (Shape { rows, cols }, options.size);
                let given =
                    Shape { rows: size.rows.unwrap_or(rows), cols: size.cols.unwrap_or(cols) };
                if given != found {
                    let found = format!("{rows} x {cols} nodes");
                    return Err(Error::mismatch(text.place(), found, given));
                }
                found
            }
        };
        if form.undirected && shape.rows != shape.cols {
            let what =
                format!("edges without a direction in a matrix of {shape}, which is not square");
            return Err(Error::argument(what));
        }
        let pattern = form.weight.is_none();
        let order = survey.order(&form);
        let header = Header::new(
            shape,
            order.unwrap_or(Order::Row),
            if pattern { ValueType::Bint8 } else { survey.weights.value_type() },
        )
        .sorted_majors(order.is_some())
        .iso(pattern)
        .nnz(survey.edges)
        .structure(match form.undirected {
            true => Structure::Symmetric(Triangle::Lower),
            false => Structure::General,
        })
        .duplicates(Duplicates::Refused);
        let mut notes = Vec::new();
        if form.header {
            notes.push("the first line names the fields".to_owned());
        }
        if form.undirected && !options.undirected {
            notes.push("the header states that edges have no direction".to_owned());
        }
        Ok(Self { text, form, survey, header, notes })
    }

    /// Returns row and column of an edge.
    #[inline]
    fn row_col(&self, nodes: [Node<'_>; 2], at: [usize; 2]) -> Result<(u64, u64), Fault> {
        let shape = self.header.shape;
        let cols = usize::from(self.form.bipartite);
        let number = |node: Node<'_>, side: usize, at: usize| match node {
            Node::Id(id) => Ok(id.wrapping_sub(self.form.base)),
            Node::Name(name) => {
                let known = self.survey.names.get(side).and_then(|names| names.number(name));
                known.ok_or_else(|| Fault::new(at, "a name found when the file was opened"))
            }
        };
        let nodes = [number(nodes[0], 0, at[0])?, number(nodes[1], cols, at[1])?];
        for ((node, at), len) in nodes.into_iter().zip(at).zip([shape.rows, shape.cols]) {
            if node >= len {
                return Err(self.outside(at, len));
            }
        }
        Ok(row_col(&self.form, nodes))
    }

    #[cold]
    fn outside(&self, at: usize, len: u64) -> Fault {
        let base = self.form.base;
        Fault::new(
            at,
            match len {
                0 => "no edge, since there are no nodes".to_owned(),
                _ => format!("a node from {base} to {}", len - 1 + base),
            },
        )
    }

    fn decode<V: Value>(&self, block: &Block, batch: &mut Batch) -> Result<()> {
        let mut decoder = Decoder {
            source: self,
            majors: Vec::new(),
            minors: Vec::new(),
            values: Vec::<V>::new(),
        };
        parse(block, &self.form, &mut decoder).map_err(|fault| fault.report(&self.text, block))?;
        let Decoder { majors, minors, values, .. } = decoder;
        self.fill(batch, &majors, &minors);
        batch.values = match self.form.weight {
            Some(_) => Values::from(values),
            None => Values::Iso(Scalar::Bint8(Bint8(1))),
        };
        Ok(())
    }

    fn fill(&self, batch: &mut Batch, majors: &[u64], minors: &[u64]) {
        batch.order = self.header.order;
        batch.list_majors(majors);
        match self.header.shape.minor(self.header.order) <= 1 << 32 {
            true => {
                let narrow = |minor: &u64| u32::try_from(*minor).unwrap_or(u32::MAX);
                batch.minors.u32_mut().extend(minors.iter().map(narrow));
            }
            false => batch.minors.u64_mut().extend_from_slice(minors),
        }
    }
}

struct Decoder<'a, V> {
    source: &'a EdgeListSource,
    majors: Vec<u64>,
    minors: Vec<u64>,
    values: Vec<V>,
}

impl<V: Value> Visit for Decoder<'_, V> {
    #[inline]
    fn edge(&mut self, nodes: [Node<'_>; 2], at: [usize; 2]) -> Result<(), Fault> {
        let (row, col) = self.source.row_col(nodes, at)?;
        let (major, minor) = match self.source.header.order {
            Order::Row => (row, col),
            Order::Col => (col, row),
        };
        self.majors.push(major);
        self.minors.push(minor);
        Ok(())
    }

    #[inline]
    fn weight(&mut self, text: &[u8], at: usize) -> Result<usize, Fault> {
        let parsed = V::parse(text, at);
        let (value, end) = parsed.map_err(|why| Fault::number(at, why, "a weight, a number"))?;
        self.values.push(value);
        Ok(end)
    }
}

struct Reader<'a> {
    source: &'a EdgeListSource,
    blocks: Blocks,
    edges: u64,
}

struct EdgeUnit<'a> {
    source: &'a EdgeListSource,
    block: Block,
}

impl<'a> UnitReader<'a> for Reader<'a> {
    fn next_unit(&mut self) -> Result<Option<Box<dyn Unit + 'a>>> {
        let Some(block) = self.blocks.next_block()? else { return Ok(None) };
        Ok(Some(Box::new(EdgeUnit { source: self.source, block })))
    }

    fn on_decoded(&mut self, edges: u64) -> Result<()> {
        self.edges += edges;
        Ok(())
    }

    fn end(&mut self) -> Result<()> {
        match self.edges == self.source.survey.edges {
            true => Ok(()),
            false => Err(self.source.text.changed()),
        }
    }
}

impl Unit for EdgeUnit<'_> {
    fn decode(self: Box<Self>, batch: &mut Batch) -> Result<()> {
        match self.source.header.value_type {
            ValueType::I64 => self.source.decode::<i64>(&self.block, batch),
            ValueType::U64 => self.source.decode::<u64>(&self.block, batch),
            _ => self.source.decode::<f64>(&self.block, batch),
        }
    }
}

impl MatrixSource for EdgeListSource {
    fn header(&self) -> &Header {
        &self.header
    }

    fn about(&self) -> Result<About> {
        let direction = match (self.form.undirected, self.form.bipartite) {
            (true, _) => "undirected",
            (false, true) => "bipartite",
            (false, false) => "directed",
        };
        let weights = if self.form.weight.is_some() { "weighted" } else { "unweighted" };
        let nodes = match self.form.nodes {
            Nodes::Ids => format!("base {}", self.form.base),
            Nodes::Names => "names".to_owned(),
        };
        let about = self.text.about("edge list", Some(format!("{direction} {weights}, {nodes}")));
        Ok(about.notes(self.notes.clone()))
    }

    fn read_names(&self, axis: Axis) -> Result<Option<Names<'_>>> {
        if self.form.nodes == Nodes::Ids {
            return Ok(None);
        }
        let [rows, cols] = &self.survey.names;
        Ok(Some(match axis {
            Axis::Cols if self.form.bipartite => cols.list.reader(),
            _ => rows.list.reader(),
        }))
    }

    fn random_access(&self) -> bool {
        false
    }

    fn units(&self, majors: Range<u64>, _: Projection) -> Result<Box<dyn UnitReader<'_> + '_>> {
        if majors != (0..self.header.shape.major(self.header.order)) {
            let what = "a text can only be read as a whole, not by a range of rows or columns";
            return Err(Error::unsupported(self.text.place(), what));
        }
        let blocks = Blocks::new(&self.text, b'#')?;
        Ok(Box::new(Reader { source: self, blocks, edges: 0 }))
    }

    fn locate(&self, row: u64, col: u64) -> Result<Vec<At>> {
        let mut found = Vec::new();
        let mut blocks = Blocks::new(&self.text, b'#')?;
        while let Some(block) = blocks.next_block()? {
            let mut visit = Locator { source: self, wanted: (row, col), found: Vec::new() };
            // Errors were reported when the file was opened.
            let _ = parse(&block, &self.form, &mut visit);
            found.extend(visit.found.iter().map(|at| block.position(*at)));
            if found.len() >= 2 {
                break;
            }
        }
        found.truncate(2);
        Ok(found)
    }

    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }
}

/// Finds the edges of a row and column.
struct Locator<'a> {
    source: &'a EdgeListSource,
    wanted: (u64, u64),
    found: Vec<usize>,
}

impl Visit for Locator<'_> {
    fn edge(&mut self, nodes: [Node<'_>; 2], at: [usize; 2]) -> Result<(), Fault> {
        if self.source.row_col(nodes, at)? == self.wanted {
            self.found.push(at[0]);
        }
        Ok(())
    }

    fn weight(&mut self, text: &[u8], at: usize) -> Result<usize, Fault> {
        let parsed = f64::parse(text, at).map_err(|why| Fault::number(at, why, "a number"));
        parsed.map(|(_, end)| end)
    }
}

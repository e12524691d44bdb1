//! A METIS graph as a matrix source.

use nnz_storage::TaskContext;
use std::ops::Range;
use std::path::Path;

use nnz_core::{
    About, Annotations, At, Axis, Batch, Bint8, Duplicates, Error, Header, MatrixSource, Minors,
    Names, Order, Place, Projection, Result, Scalar, Shape, Unit, UnitReader, ValueType, Values,
};
use nnz_storage::{Opened, stdio};

use super::header::GraphHeader;
use super::pairs::{Group, Pairs, group};
use super::parse::{Visit, count_lines, parse};
use super::weights::WeightTable;
use crate::blocks::{Block, Blocks, Start};
use crate::fault::Fault;
use crate::scan::scan;
use crate::text::{Text, stdin_name};

/// The adjacency matrix of a graph: the row of a vertex has an entry for each neighbour. Sizes and weights of vertices
/// are annotations of the rows.
///
/// When it is opened, the file is checked on all cores: that it has as many vertices and edges as its header states, and
/// that every edge is listed from both ends.
#[derive(Debug)]
pub struct MetisSource {
    pub(super) text: Text,
    pub(super) graph: GraphHeader,
    header: Header,
    /// The number of vertices that begin before each block.
    before: Vec<u64>,
}

/// Creates a source for a file that has been opened, gzipped or not, or for a pipe, which is copied to a temporary
/// file.
///
/// # Errors
///
/// Fails if the file cannot be read or is broken.
pub fn from_opened(opened: &Opened) -> Result<MetisSource> {
    MetisSource::new(Text::open(opened)?)
}

/// Opens a graph on standard input, which is copied to a temporary file.
///
/// # Errors
///
/// Fails as [`from_opened`].
pub fn open_stdin(context: &TaskContext) -> Result<MetisSource> {
    MetisSource::new(Text::from_reader(Box::new(stdio::stdin()), &stdin_name(), context)?)
}

/// Opens a graph from bytes. Messages use `name`.
///
/// ```
/// use nnz_core::MatrixSource;
/// let matrix = nnz_text::metis::from_bytes(b"3 2\n2\n1 3\n2\n", "example", &Default::default())?;
/// assert_eq!(matrix.header().nnz, Some(4));
/// # Ok::<(), nnz_core::Error>(())
/// ```
///
/// # Errors
///
/// Fails as [`from_opened`].
pub fn from_bytes(bytes: &'static [u8], name: &str, context: &TaskContext) -> Result<MetisSource> {
    MetisSource::new(Text::from_reader(Box::new(bytes), Path::new(name), context)?)
}

impl MetisSource {
    fn new(text: Text) -> Result<Self> {
        let graph = GraphHeader::of(&text)?;
        let (mut before, mut lines) = (Vec::new(), 0_u64);
        scan(
            &text,
            graph.layout(),
            |block| Ok(count_lines(block, &graph)),
            |count| {
                before.push(lines);
                lines += count;
                Ok(())
            },
        )?;
        if lines < graph.vertices {
            let place = Place::path(text.path());
            let found = format!("lines of {lines} vertices");
            let expected = format!("{}, as the header states", graph.vertices);
            return Err(Error::mismatch(place, found, expected));
        }
        let side = graph.vertices;
        let header = Header::new(
            Shape { rows: side, cols: side },
            Order::Row,
            if graph.edge_weights { ValueType::I64 } else { ValueType::Bint8 },
        )
        .iso(!graph.edge_weights)
        .nnz(graph.edges.checked_mul(2))
        .duplicates(Duplicates::Refused);
        let mut source = Self { text, graph, header, before };
        source.check()?;
        Ok(source)
    }

    /// Checks vertices and edges.
    fn check(&mut self) -> Result<()> {
        let (mut entries, mut unsorted, mut pairs) = (0_u64, false, Pairs::default());
        self.visit_all(
            |next| Checker {
                source: self,
                next,
                previous: None,
                entries: 0,
                unsorted: false,
                pairs: Pairs::default(),
            },
            |checked| {
                entries += checked.entries;
                unsorted |= checked.unsorted;
                pairs.join(&checked.pairs);
                Ok(())
            },
        )?;
        if let Some(group) = pairs.unpaired() {
            return Err(self.unpaired(group)?);
        }
        if self.header.nnz != Some(entries) {
            let found = format!("{} edges", entries / 2);
            let expected = format!("{}, as the header states", self.graph.edges);
            return Err(Error::mismatch(self.text.place(), found, expected));
        }
        self.header.sorted_indices = unsorted.then_some(false);
        Ok(())
    }

    /// Finds the first edge of a group that is listed from one end only.
    fn unpaired(&self, group: usize) -> Result<Error> {
        let mut edges = Group::default();
        self.visit_all(
            |next| Collector { next, group, found: Vec::new() },
            |collected| {
                for (from, to, weight, at) in collected.found {
                    edges.add(from, to, weight, at);
                }
                Ok(())
            },
        )?;
        Ok(match edges.first() {
            Some((at, [low, high])) => {
                let place = Place::path(self.text.path()).at(at);
                let found = format!("an edge of the vertices {low} and {high} that is listed once");
                let expected = "every edge in the lines of both ends, with the same weight";
                Error::mismatch(place, found, expected)
            }
            None => self.text.changed(),
        })
    }

    /// Parses all blocks on all cores. `visitor` gets the number of the next vertex.
    pub(super) fn visit_all<V: Visit + Send>(
        &self,
        visitor: impl Fn(u64) -> V + Sync,
        take: impl FnMut(V) -> Result<()> + Send,
    ) -> Result<()> {
        scan(
            &self.text,
            self.graph.layout(),
            |block| {
                let mut visit = visitor(self.vertices_before(block)?);
                match parse(block, &self.graph, &mut visit) {
                    Ok(()) => Ok(visit),
                    Err(fault) => Err(fault.report(&self.text, block)),
                }
            },
            take,
        )
    }

    fn vertices_before(&self, block: &Block) -> Result<u64> {
        let before = usize::try_from(block.index).ok();
        let before = before.and_then(|index| self.before.get(index).copied());
        before.ok_or_else(|| self.text.changed())
    }

    fn decode(&self, block: &Block, batch: &mut Batch) -> Result<()> {
        let next = self.vertices_before(block)?;
        let first = match block.start {
            Start::Word => next.checked_sub(1).ok_or_else(|| self.text.changed())?,
            _ => next,
        };
        batch.order = Order::Row;
        batch.majors = nnz_core::Majors::Consecutive(first);
        let mut visit = Decoder {
            source: self,
            next,
            offsets: std::mem::take(&mut batch.offsets),
            minors: Vec::new(),
            weights: Vec::new(),
        };
        visit.offsets.clear();
        if block.start == Start::Word {
            visit.offsets.push(0);
        }
        let parsed = parse(block, &self.graph, &mut visit);
        visit.offsets.push(visit.minors.len());
        batch.offsets = visit.offsets;
        batch.minors = match self.graph.vertices <= 1 << 32 {
            true => {
                let narrow = |minor: &u64| u32::try_from(*minor).unwrap_or(u32::MAX);
                Minors::U32(visit.minors.iter().map(narrow).collect())
            }
            false => Minors::U64(visit.minors),
        };
        batch.values = match self.graph.edge_weights {
            true => Values::from(visit.weights),
            false => Values::Iso(Scalar::Bint8(Bint8(1))),
        };
        parsed.map_err(|fault| fault.report(&self.text, block))
    }

    /// Checks that a line describes a vertex: after the last one, only blank lines may follow.
    fn is_vertex(&self, next: u64, at: usize, text: &[u8]) -> Result<bool, Fault> {
        if next < self.graph.vertices {
            return Ok(true);
        }
        match crate::fault::is_line_end(text, at) && self.graph.leading() == 0 {
            true => Ok(false),
            false => Err(Fault::new(at, "the end of the file after the last vertex")),
        }
    }

    /// Checks a neighbour of the vertex before `next`.
    #[inline]
    fn check_neighbour(&self, next: u64, neighbour: u64, at: usize) -> Result<(), Fault> {
        match neighbour.wrapping_sub(1) < self.graph.vertices && neighbour != next {
            true => Ok(()),
            false => Err(self.bad_neighbour(neighbour, at)),
        }
    }

    #[cold]
    fn bad_neighbour(&self, neighbour: u64, at: usize) -> Fault {
        let vertices = self.graph.vertices;
        match neighbour.wrapping_sub(1) < vertices {
            true => Fault::new(at, "a neighbour other than the vertex itself"),
            false => Fault::new(at, format!("a neighbour from 1 to {vertices}")),
        }
    }
}

/// Checks the vertices and edges of a block.
struct Checker<'a> {
    source: &'a MetisSource,
    /// The number of vertices so far, which is the number of the current vertex counted from 1.
    next: u64,
    previous: Option<u64>,
    entries: u64,
    unsorted: bool,
    pairs: Pairs,
}

impl Visit for Checker<'_> {
    fn vertex(&mut self, block: &Block, at: usize) -> Result<(), Fault> {
        self.previous = None;
        if self.source.is_vertex(self.next, at, block.text())? {
            self.next += 1;
        }
        Ok(())
    }

    #[inline]
    fn neighbour(
        &mut self,
        _: &Block,
        neighbour: u64,
        weight: u64,
        at: usize,
    ) -> Result<(), Fault> {
        self.source.check_neighbour(self.next, neighbour, at)?;
        self.entries += 1;
        self.unsorted |= self.previous.replace(neighbour) >= Some(neighbour);
        self.pairs.add(self.next, neighbour, weight);
        Ok(())
    }
}

/// Collects the edges of a group.
struct Collector {
    next: u64,
    group: usize,
    found: Vec<(u64, u64, u64, At)>,
}

impl Visit for Collector {
    fn vertex(&mut self, _: &Block, _: usize) -> Result<(), Fault> {
        self.next += 1;
        Ok(())
    }

    fn neighbour(
        &mut self,
        block: &Block,
        neighbour: u64,
        weight: u64,
        at: usize,
    ) -> Result<(), Fault> {
        if group(self.next, neighbour) == self.group {
            self.found.push((self.next, neighbour, weight, block.position(at)));
        }
        Ok(())
    }
}

/// Fills a batch.
struct Decoder<'a> {
    source: &'a MetisSource,
    next: u64,
    offsets: Vec<usize>,
    minors: Vec<u64>,
    weights: Vec<i64>,
}

impl Visit for Decoder<'_> {
    fn vertex(&mut self, _: &Block, _: usize) -> Result<(), Fault> {
        if self.next < self.source.graph.vertices {
            self.next += 1;
            self.offsets.push(self.minors.len());
        }
        Ok(())
    }

    #[inline]
    fn neighbour(
        &mut self,
        _: &Block,
        neighbour: u64,
        weight: u64,
        at: usize,
    ) -> Result<(), Fault> {
        self.source.check_neighbour(self.next, neighbour, at)?;
        self.minors.push(neighbour - 1);
        if self.source.graph.edge_weights {
            self.weights.push(i64::try_from(weight).unwrap_or(i64::MAX));
        }
        Ok(())
    }
}

struct Reader<'a> {
    source: &'a MetisSource,
    blocks: Blocks,
    entries: u64,
}

struct MetisUnit<'a> {
    source: &'a MetisSource,
    block: Block,
}

impl<'a> UnitReader<'a> for Reader<'a> {
    fn next_unit(&mut self) -> Result<Option<Box<dyn Unit + 'a>>> {
        let Some(block) = self.blocks.next_block()? else { return Ok(None) };
        Ok(Some(Box::new(MetisUnit { source: self.source, block })))
    }

    fn on_decoded(&mut self, entries: u64) -> Result<()> {
        self.entries += entries;
        Ok(())
    }

    fn end(&mut self) -> Result<()> {
        match Some(self.entries) == self.source.header.nnz {
            true => Ok(()),
            false => Err(self.source.text.changed()),
        }
    }
}

impl Unit for MetisUnit<'_> {
    fn decode(self: Box<Self>, batch: &mut Batch) -> Result<()> {
        self.source.decode(&self.block, batch)
    }
}

impl MatrixSource for MetisSource {
    fn header(&self) -> &Header {
        &self.header
    }

    fn about(&self) -> Result<About> {
        let weights = if self.graph.edge_weights { "weighted" } else { "unweighted" };
        Ok(self.text.about("METIS graph", Some(weights.to_owned())))
    }

    fn read_names(&self, _: Axis) -> Result<Option<Names<'_>>> {
        Ok(None)
    }

    fn annotations(&self, axis: Axis) -> Result<Option<Box<dyn Annotations + '_>>> {
        Ok(match axis {
            Axis::Rows => WeightTable::new(self).map(|table| Box::new(table) as _),
            Axis::Cols => None,
        })
    }

    fn random_access(&self) -> bool {
        false
    }

    fn units(&self, majors: Range<u64>, _: Projection) -> Result<Box<dyn UnitReader<'_> + '_>> {
        if majors != (0..self.header.shape.rows) {
            let what = "a text can only be read as a whole, not by a range of rows";
            return Err(Error::unsupported(self.text.place(), what));
        }
        let blocks = Blocks::new(&self.text, self.graph.layout())?;
        Ok(Box::new(Reader { source: self, blocks, entries: 0 }))
    }

    fn locate(&self, row: u64, col: u64) -> Result<Vec<At>> {
        let mut found = Vec::new();
        let mut blocks = Blocks::new(&self.text, self.graph.layout())?;
        while let Some(block) = blocks.next_block()? {
            let wanted = (row.saturating_add(1), col.saturating_add(1));
            let next = self.vertices_before(&block)?;
            let mut visit = Locator { wanted, next, found: Vec::new() };
            // Errors were reported when the file was opened.
            let _ = parse(&block, &self.graph, &mut visit);
            found.append(&mut visit.found);
            if found.len() >= 2 {
                break;
            }
        }
        found.truncate(2);
        Ok(found)
    }
}

/// Finds the entries of a row and column.
struct Locator {
    wanted: (u64, u64),
    next: u64,
    found: Vec<At>,
}

impl Visit for Locator {
    fn vertex(&mut self, _: &Block, _: usize) -> Result<(), Fault> {
        self.next += 1;
        Ok(())
    }

    fn neighbour(&mut self, block: &Block, neighbour: u64, _: u64, at: usize) -> Result<(), Fault> {
        if (self.next, neighbour) == self.wanted {
            self.found.push(block.position(at));
        }
        Ok(())
    }
}

//! Reading columns of fragments with many threads.

use nnz::engine::TaskContext;
use nnz::engine::fragments::{FragmentRange, RangeReader};
use nnz::fragments::{FragmentBatch, FragmentFields, FragmentSource};
use nnz::matrix::Unit;
use nnz::{Error, ErrorKind, Place, Result};
use nnz_engine::flow::{self, Join, Work, Workers, Write};

/// Number of fragments below which one thread is faster.
const FEW: u64 = 1 << 16;

/// The requested columns of fragments.
pub(super) struct FragmentRequest {
    pub(super) parts: Vec<FragmentRange>,
    /// Chromosome, start, end and cell.
    pub(super) columns: [bool; 4],
    /// A mask of the requested cells.
    pub(super) cells: Option<Vec<bool>>,
}

/// Columns of fragments; those that were not requested are empty.
#[derive(Default)]
pub(super) struct Columns {
    pub(super) chromosomes: Vec<u32>,
    pub(super) starts: Vec<u32>,
    pub(super) ends: Vec<u32>,
    pub(super) cells: Vec<u32>,
}

impl FragmentRequest {
    /// Reads the columns.
    pub(super) fn read(
        &self,
        source: &dyn FragmentSource,
        context: &TaskContext,
    ) -> Result<Columns> {
        let filtered = self.cells.is_some() || self.parts.iter().any(|part| part.bases.is_some());
        let most = self
            .parts
            .iter()
            .map(|part| part.positions.end.saturating_sub(part.positions.start))
            .sum();
        let mut collected = ColumnCollector {
            wanted: self,
            // The same limit as for a matrix.
            allowed: context.result_memory(),
            count: 0,
            columns: Columns::default(),
        };
        if !filtered {
            collected.reserve(most)?;
        }
        let [_, starts, ends, cells] = self.columns;
        let ends = ends || self.parts.iter().any(|part| part.bases.is_some());
        let cells = cells || self.cells.is_some();
        // Ends can be stored as lengths. At least one column is needed for the number of fragments.
        let fields = FragmentFields { starts: starts || ends || !cells, ends, cells };
        let units = Box::new(RangeReader::new(source, fields, self.parts.clone()));
        let threads = if most < FEW { 1 } else { context.threads() };
        let workers = Workers { threads, cancellation: context.cancellation() };
        flow::run(units, &Filter(self.cells.as_deref()), &mut InOrder, &mut collected, workers)?;
        Ok(collected.columns)
    }
}

/// Keeps the fragments of the requested cells.
struct Filter<'a>(Option<&'a [bool]>);

impl Work for Filter<'_> {
    type Batch = FragmentBatch;
    type Decoded = FragmentBatch;
    type Encoded = FragmentBatch;
    type Joint = ();

    fn decode(
        &self,
        units: Vec<Box<dyn Unit<FragmentBatch> + '_>>,
    ) -> Result<(FragmentBatch, Vec<u64>)> {
        let mut batch = FragmentBatch::default();
        for unit in units {
            unit.decode(&mut batch)?;
        }
        if let Some(wanted) = self.0 {
            let is_wanted = |cell: &u32| wanted.get(*cell as usize).copied().unwrap_or(false);
            let kept: Vec<bool> = batch.cells.iter().map(is_wanted).collect();
            retain(&mut batch, &kept);
        }
        Ok((batch, Vec::new()))
    }

    fn encode(&self, batch: FragmentBatch, (): ()) -> Result<FragmentBatch> {
        Ok(batch)
    }
}

struct InOrder;

impl Join<Filter<'_>> for InOrder {
    fn join(&mut self, _: &FragmentBatch) -> Result<Option<()>> {
        Ok(Some(()))
    }
}

/// Appends batches to columns.
struct ColumnCollector<'a> {
    wanted: &'a FragmentRequest,
    /// Memory limit of the columns in bytes.
    allowed: u64,
    count: u64,
    columns: Columns,
}

impl ColumnCollector<'_> {
    /// Reserves space for fragments in all requested columns, within the memory limit.
    fn reserve(&mut self, more: u64) -> Result<()> {
        let columns = self.wanted.columns.iter().filter(|wanted| **wanted).count() as u64;
        let needed = self.count.saturating_add(more).saturating_mul(4 * columns);
        let allowed = self.allowed;
        let refused = || Error::new(ErrorKind::Memory { needed, allowed }, Place::default());
        if needed > allowed {
            return Err(refused());
        }
        let more = usize::try_from(more).map_err(|_| refused())?;
        for (column, wanted) in self.columns.all().into_iter().zip(self.wanted.columns) {
            if wanted {
                column.try_reserve(more).map_err(|_| refused())?;
            }
        }
        Ok(())
    }
}

impl Columns {
    fn all(&mut self) -> [&mut Vec<u32>; 4] {
        [&mut self.chromosomes, &mut self.starts, &mut self.ends, &mut self.cells]
    }
}

impl Write<Filter<'_>> for ColumnCollector<'_> {
    fn write(&mut self, batch: FragmentBatch) -> Result<()> {
        let FragmentBatch { chromosome, cells, starts, ends } = batch;
        let count = starts.len().max(cells.len());
        self.reserve(count as u64)?;
        self.count += count as u64;
        let [chromosomes_wanted, starts_wanted, ends_wanted, cells_wanted] = self.wanted.columns;
        let columns = &mut self.columns;
        if chromosomes_wanted {
            columns.chromosomes.resize(columns.chromosomes.len() + count, chromosome);
        }
        for (column, values, wanted) in [
            (&mut columns.starts, starts, starts_wanted),
            (&mut columns.ends, ends, ends_wanted),
            (&mut columns.cells, cells, cells_wanted),
        ] {
            if wanted {
                column.extend_from_slice(&values);
            }
        }
        Ok(())
    }
}

/// Keeps some fragments of a batch, in its present columns.
fn retain(batch: &mut FragmentBatch, kept: &[bool]) {
    for column in [&mut batch.cells, &mut batch.starts, &mut batch.ends] {
        let mut flags = kept.iter();
        column.retain(|_| flags.next().copied().unwrap_or(false));
    }
}

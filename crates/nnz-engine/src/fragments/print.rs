//! Fragments as text.

use crate::flow::Workers;
use nnz_storage::TaskContext;
use std::io::Write as _;

use nnz_core::{
    Error, ErrorKind, FragmentBatch, FragmentFields, FragmentSource, Place, Result, StringList,
    Unit,
};

use super::names::Table;
use super::ranges::{FragmentRange, RangeReader};
use super::region::Region;
use crate::flow::{self, Join, Work, Write};
use crate::names::check_one_line;

/// Prints the fragments that overlap regions, one region after the other, or all fragments if there
/// are no regions. A line has chromosome, start, end and cell, separated by tabs.
///
/// # Errors
///
/// Fails if the fragments cannot be read, if a name has a tab or a line break, if `out` cannot be written,
/// and if cancelled. Fragments before the error are printed.
pub fn print(
    source: &dyn FragmentSource,
    regions: &[Region],
    context: &TaskContext,
    out: &mut (dyn std::io::Write + Send),
) -> Result<()> {
    let ranges = if regions.is_empty() {
        vec![FragmentRange { positions: 0..source.header().count, bases: None }]
    } else {
        let ranges = regions.iter().map(|region| FragmentRange::of_region(source, region));
        ranges.collect::<Result<Vec<_>>>()?
    };
    let few = ranges.iter().map(|range| range.positions.end - range.positions.start).sum::<u64>();
    let workers = if few < 1 << 16 { Workers::of(context).alone() } else { Workers::of(context) };
    let units = Box::new(RangeReader::new(source, FragmentFields::ALL, ranges));
    let lines = Lines {
        chromosomes: in_lines(&source.chromosome_names()?, "names of chromosomes")?,
        cells: in_lines(&source.cell_names()?, "names of cells")?,
    };
    flow::run(units, &lines, &mut InStorageOrder, &mut LineWriter(out), workers)
}

/// Checks that names have no tabs and line breaks.
fn in_lines(names: &StringList, what: &str) -> Result<Table> {
    let place = Place::default().with_array(what.to_owned());
    for (name, number) in names.iter().zip(0..) {
        check_one_line(name, number).map_err(|error| error.with_context(&place))?;
    }
    Table::of(names)
}

/// Formats lines.
struct Lines {
    chromosomes: Table,
    cells: Table,
}

struct InStorageOrder;

/// Writes the lines of units.
struct LineWriter<'a>(&'a mut (dyn std::io::Write + Send));

impl Work for Lines {
    type Batch = FragmentBatch;
    type Decoded = FragmentBatch;
    type Encoded = Vec<u8>;
    type Joint = ();

    fn decode(
        &self,
        units: Vec<Box<dyn Unit<FragmentBatch> + '_>>,
    ) -> Result<(FragmentBatch, Vec<u64>)> {
        let mut batch = FragmentBatch::default();
        for unit in units {
            unit.decode(&mut batch)?;
        }
        Ok((batch, Vec::new()))
    }

    fn encode(&self, batch: FragmentBatch, (): ()) -> Result<Vec<u8>> {
        let FragmentBatch { chromosome, cells, starts, ends } = batch;
        let chromosome = self.chromosomes.get(chromosome);
        let mut text = Vec::new();
        for ((start, end), cell) in starts.into_iter().zip(ends).zip(cells) {
            text.extend_from_slice(chromosome);
            // Writing to memory does not fail.
            let _ = write!(text, "\t{start}\t{end}\t");
            text.extend_from_slice(self.cells.get(cell));
            text.push(b'\n');
        }
        Ok(text)
    }
}

impl Join<Lines> for InStorageOrder {
    fn join(&mut self, _: &FragmentBatch) -> Result<Option<()>> {
        Ok(Some(()))
    }
}

impl Write<Lines> for LineWriter<'_> {
    fn write(&mut self, text: Vec<u8>) -> Result<()> {
        let place = || Place::path("standard output");
        self.0.write_all(&text).map_err(|error| Error::new(ErrorKind::Io(error), place()))
    }
}

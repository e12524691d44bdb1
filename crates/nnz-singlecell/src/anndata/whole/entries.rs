//! Sparse matrices. Entries of a row keep their stored order, like in SciPy.

use nnz_container::tree::Group as SourceGroup;
use nnz_core::Progress;
use nnz_core::{Batch, Header, Order, Place, Placed, Projection, Result, Unit, UnitReader, Values};
use nnz_engine::flow::{Join, Work, Write, run};
use nnz_engine::{Selection, Slice, sorted_units, unsorted};

use super::FileOptions;
use super::elements::Transfer;
use super::picks::Picks;
use crate::anndata::MatrixSource;
use crate::anndata::encode::{EncodedBatch, MatrixEncoder};
use crate::anndata::matrix_writer::MatrixWriter;
use crate::anndata::output::{Group, Output};

impl Transfer<'_> {
    /// Writes a sparse matrix, or some rows and columns of it.
    pub(super) fn sparse(
        &mut self,
        matrix: MatrixSource,
        from: &dyn SourceGroup,
        to: (Group, &str),
        path: &str,
        picks: Picks<'_>,
    ) -> Result<()> {
        self.members_dropped(from, path)?;
        self.output.compression = self.compression(&*from.array("data")?);
        let place = Place::path(from.path());
        if picks.iter().all(Option::is_none) {
            return self.entries(&matrix, &place, to, path, Some((from, picks)));
        }
        let [rows, cols] = picks.map(|pick| match pick {
            Some(pick) => Selection::ranges(pick.ranges.iter().cloned()).allow_empty(true),
            None => Selection::all(),
        });
        let slice =
            Slice::new(Box::new(Placed::new(Box::new(matrix), place.clone())), &rows, &cols)?;
        self.entries(&slice, &place, to, path, Some((from, picks)))
    }

    /// Writes all entries of a source with sorted majors, and the attributes of the group that it is read from.
    pub(super) fn entries(
        &mut self,
        source: &dyn nnz_core::MatrixSource,
        place: &Place,
        to: (Group, &str),
        path: &str,
        from: Option<(&dyn SourceGroup, Picks<'_>)>,
    ) -> Result<()> {
        let header = source.header();
        if let Some(repairs) = self.options.repairs
            && let Some(unsorted) = unsorted(source, self.options.workers())?
        {
            repairs.add(place.clone(), unsorted.to_string());
            let FileOptions { context, directory, .. } = *self.options;
            let context = context.clone().with_memory(context.memory() / 2);
            let sorted = sorted_units(source, header.order, directory, &context);
            let (units, _) = sorted.map_err(|error| error.with_context(place))?;
            return self.units(units, header, place, to, path, from);
        }
        let units = source.units(0..header.shape.major(header.order), Projection::ALL)?;
        self.units(units, header, place, to, path, from)
    }

    /// Writes all entries of a reader with sorted majors, and the attributes of the group that they are read from.
    pub(super) fn units<'u>(
        &mut self,
        units: Box<dyn UnitReader<'u> + 'u>,
        header: &Header,
        place: &Place,
        (parent, name): (Group, &str),
        path: &str,
        from: Option<(&dyn SourceGroup, Picks<'_>)>,
    ) -> Result<()> {
        let mut writer = MatrixWriter::new(&mut self.output, parent, name, header)?;
        if let Some((from, picks)) = from {
            self.attributes_of_matrix(from, &writer, path, picks)?;
        }
        let work = Encode { order: header.order, encoder: &writer.encoder() };
        let progress = self.options.context.progress();
        progress.begin(path, header.nnz);
        let mut put = EntryWriter { writer: &mut writer, output: &mut self.output, progress };
        let done = run(units, &work, &mut Independent, &mut put, self.options.workers());
        progress.end();
        done.map_err(|error| error.with_context(place))?;
        if path == "X" {
            self.report.entries = writer.entries();
        }
        writer.finish(&mut self.output)
    }
}

/// The part that any thread can do.
struct Encode<'a> {
    order: Order,
    encoder: &'a MatrixEncoder,
}

impl Work for Encode<'_> {
    type Batch = Batch;
    type Decoded = Batch;
    type Encoded = EncodedBatch;
    type Joint = ();

    fn decode(&self, units: Vec<Box<dyn Unit + '_>>) -> Result<(Batch, Vec<u64>)> {
        let mut batch = Batch::new(self.order, Values::default());
        let mut stored = Vec::with_capacity(1);
        // There is only one.
        for unit in units {
            unit.decode(&mut batch)?;
            stored.push(batch.entries() as u64);
        }
        Ok((batch, stored))
    }

    fn encode(&self, batch: Batch, (): ()) -> Result<EncodedBatch> {
        self.encoder.encode_batch(&batch)
    }
}

/// Nothing depends on the previous units.
struct Independent;

impl Join<Encode<'_>> for Independent {
    fn join(&mut self, _: &Batch) -> Result<Option<()>> {
        Ok(Some(()))
    }
}

/// The destination of entries.
struct EntryWriter<'a> {
    writer: &'a mut MatrixWriter,
    output: &'a mut Output,
    progress: &'a dyn Progress,
}

impl Write<Encode<'_>> for EntryWriter<'_> {
    fn write(&mut self, batch: EncodedBatch) -> Result<()> {
        self.progress.advance(batch.runs.iter().map(|(_, count)| count).sum());
        self.writer.put(self.output, &batch)
    }
}

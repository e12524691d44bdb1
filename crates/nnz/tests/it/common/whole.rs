//! All data of a location, in a comparable form.

use nnz::{Batch, Dataset, MatrixSource, Projection, Result, Values};
use nnz_core::{Axis, FragmentFields, FragmentSource, Names};

use super::entries::{Entry, append};

/// The memory limit of reading.
const MEMORY: u64 = 1 << 30;

/// The entries of a matrix, and the text of everything else.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Whole {
    pub parts: Vec<String>,
    pub entries: Vec<Entry>,
}

/// Reads all data.
pub fn whole(dataset: &Dataset) -> Result<Whole> {
    let mut whole = Whole::default();
    match dataset {
        Dataset::Matrix(matrix) => read_matrix(&**matrix, &mut whole)?,
        Dataset::Collection(collection) => read_matrix(&*collection.main_or_axes()?, &mut whole)?,
        Dataset::Fragments(source) => read_fragments(&**source, &mut whole.parts)?,
        Dataset::Tensor(tensor) => {
            whole.parts.push(format!("{:?}", tensor.read(MEMORY)?));
            whole.parts.push(format!("{:?}", tensor.about()?));
        }
        Dataset::Table(frame) => {
            let mut reader = frame.batches(0..frame.rows())?;
            let mut batch = Default::default();
            while reader.next_batch(&mut batch)? {
                whole.parts.push(format!("{batch:?}"));
            }
        }
        other => panic!("{other:?}"),
    }
    Ok(whole)
}

fn read_matrix(matrix: &dyn MatrixSource, whole: &mut Whole) -> Result<()> {
    let header = matrix.header();
    whole.parts.push(format!("{header:?} {:?}", matrix.metadata()));
    let mut units = matrix.units(0..header.shape.major(header.order), Projection::ALL)?;
    let mut batch = Batch::new(header.order, Values::new(header.value_type));
    while let Some(unit) = units.next_unit()? {
        unit.decode(&mut batch)?;
        units.on_decoded(batch.entries() as u64)?;
        append(&batch, &mut whole.entries);
    }
    units.end()?;
    drop(units);
    whole.parts.push(format!("{:?}", matrix.about()?));
    for axis in [Axis::Rows, Axis::Cols] {
        read_names(matrix.read_names(axis)?, &mut whole.parts)?;
        let Some(table) = matrix.annotations(axis)? else { continue };
        for column in 0..table.columns().len() {
            whole.parts.push(format!("{:?}", table.read_column(column, MEMORY)?));
        }
    }
    Ok(())
}

fn read_names(names: Option<Names<'_>>, parts: &mut Vec<String>) -> Result<()> {
    let Some(mut names) = names else { return Ok(()) };
    parts.push(format!("{:?}", names.list()?));
    Ok(())
}

fn read_fragments(source: &dyn FragmentSource, parts: &mut Vec<String>) -> Result<()> {
    parts.push(format!("{:?}", source.header()));
    source.for_each(0..source.header().count, FragmentFields::ALL, &mut |batch| {
        parts.push(format!("{batch:?}"));
        Ok(())
    })?;
    parts.push(format!("{:?}", source.about()?));
    parts.push(format!("{:?}", source.chromosome_names()?));
    parts.push(format!("{:?}", source.cell_names()?));
    Ok(())
}

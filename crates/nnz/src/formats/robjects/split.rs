//! Features of several types in one matrix, as in 10x files: an assay for each.

use std::sync::Arc;

use nnz_container::rds::{ArraySpool, NewFile};
use nnz_core::{
    Annotations, Batch, Column, ColumnInfo, Header, MatrixSink, MatrixSource, Order, Place, Result,
    Shape, StringList, Values, Written,
};
use nnz_robjects::write::{MatrixForm, NewAxes, NewStudy, ObjectClass, SpooledSink};

use super::layers::{self, MainName};
use super::target::{ASSAY, write_study};

/// Columns of the type of each feature: as scanpy names it, and as 10x files do.
const TYPES: [&str; 2] = ["feature_types", "feature_type"];

/// Types of features of 10x, and the assays that tutorials of Seurat make of them.
const ASSAYS: [[&str; 2]; 5] = [
    ["Gene Expression", ASSAY],
    ["Antibody Capture", "ADT"],
    ["Peaks", "ATAC"],
    ["CRISPR Guide Capture", "CRISPR"],
    ["Multiplexing Capture", "HTO"],
];

/// Returns whether features of a source are divided by type: in files of 10x they are.
pub(super) fn is_divided(source: &dyn MatrixSource) -> Result<bool> {
    Ok(nnz_core::readable(source.about())?.is_some_and(|about| about.format.starts_with("10x ")))
}

/// The features of an assay.
pub(super) struct Group {
    assay: String,
    /// The positions of the features.
    rows: Arc<[Option<u64>]>,
}

/// Divides features by type, genes first; `None` if there is one type only.
pub(super) fn groups(table: &dyn Annotations, memory: u64) -> Result<Option<Vec<Group>>> {
    let at = TYPES.iter().find_map(|name| {
        let columns = table.columns();
        columns.iter().position(|column| column.name == *name)
    });
    let Some(at) = at else { return Ok(None) };
    let column = table.read_column(at, memory)?;
    let mut groups: Vec<(String, Vec<Option<u64>>)> = Vec::new();
    let mut text = Vec::new();
    for row in 0..column.len() {
        text.clear();
        column.write_text(row, &mut text);
        let name = String::from_utf8_lossy(&text);
        let known = ASSAYS.iter().find(|[name_of_type, _]| *name_of_type == name);
        let assay = known.map_or(&*name, |[_, assay]| assay);
        match groups.iter_mut().find(|(own, _)| own == assay) {
            Some((_, rows)) => rows.push(Some(row)),
            None => groups.push((assay.to_owned(), vec![Some(row)])),
        }
    }
    if groups.len() < 2 {
        return Ok(None);
    }
    groups.sort_by_key(|(assay, _)| assay != ASSAY);
    let group = |(assay, rows): (String, Vec<_>)| Group { assay, rows: rows.into() };
    Ok(Some(groups.into_iter().map(group).collect()))
}

/// Some rows of a table.
struct Rows<'a> {
    table: &'a dyn Annotations,
    rows: Arc<[Option<u64>]>,
}

impl Annotations for Rows<'_> {
    fn columns(&self) -> &[ColumnInfo] {
        self.table.columns()
    }

    fn len(&self) -> u64 {
        self.rows.len() as u64
    }

    fn read_column(&self, column: usize, memory: u64) -> Result<Column> {
        let gathered = self.table.read_column(column, memory)?.gathered(&self.rows)?;
        let missing = gathered.missing.filter(|missing| missing.contains(&true));
        Ok(Column { missing, ..gathered })
    }
}

/// The shape, names and tables of a matrix.
pub(super) struct SplitAxes<'a> {
    pub(super) header: &'a Header,
    pub(super) names: [Option<StringList>; 2],
    pub(super) tables: [Option<&'a dyn Annotations>; 2],
}

/// A sink that divides a matrix by its rows.
pub(super) struct SplitSink {
    class: ObjectClass,
    file: NewFile,
    studies: Vec<NewStudy>,
    matrices: Vec<SpooledSink>,
    /// The matrix of each row, and its row there.
    places: Vec<(usize, u32)>,
}

impl SplitSink {
    /// Starts the matrices of some groups of features.
    pub(super) fn new(
        class: ObjectClass,
        file: NewFile,
        groups: &[Group],
        SplitAxes { header, names, tables }: SplitAxes<'_>,
        (memory, place): (u64, &Place),
    ) -> Result<Self> {
        let spool: ArraySpool = file.spool().clone();
        let mut places = vec![(0, 0); usize::try_from(header.shape.rows).unwrap_or(0)];
        let (mut studies, mut matrices) = (Vec::new(), Vec::new());
        let [features, cells] = names;
        for (number, Group { assay, rows }) in groups.iter().enumerate() {
            for (row, at) in rows.iter().zip(0..) {
                let row = row.and_then(|row| usize::try_from(row).ok());
                if let Some(entry) = row.and_then(|row| places.get_mut(row)) {
                    *entry = (number, at);
                }
            }
            let own = |names: &StringList| -> StringList {
                rows.iter().filter_map(|row| names.get((*row)?)).collect()
            };
            let shape = Shape { rows: rows.len() as u64, ..header.shape };
            let [of_features, of_cells] = tables;
            let of_features = of_features.map(|table| Rows { table, rows: Arc::clone(rows) });
            let is_first = number == 0;
            // The table of cells is that of the whole object, as are names of cells in alternative experiments.
            let has_names = is_first || class != ObjectClass::Experiment;
            let axes = NewAxes {
                shape,
                names: [features.as_ref().map(own), cells.clone().filter(|_| has_names)],
                tables: [
                    of_features.as_ref().map(|table| table as &dyn Annotations),
                    of_cells.filter(|_| is_first),
                ],
                place: place.clone(),
            };
            studies.push(NewStudy::start(class, assay, axes, (&spool, memory))?.0);
            let mut header = header.clone();
            (header.shape, header.nnz) = (shape, None);
            matrices.push(SpooledSink::new(&header, MatrixForm::Sparse, &spool, place.clone())?);
        }
        Ok(Self { class, file, studies, matrices, places })
    }
}

impl MatrixSink for SplitSink {
    fn write(&mut self, batch: &Batch) -> Result<()> {
        let count = self.matrices.len();
        let mut parts = vec![(Vec::new(), Vec::new(), Vec::new()); count];
        for run in 0..batch.runs() {
            let col = batch.majors.get(run);
            for entry in batch.run(run) {
                let row = usize::try_from(batch.minor(run, entry)).ok();
                let place = row.and_then(|row| self.places.get(row));
                let value = match &batch.values {
                    Values::Iso(value) => Some(*value),
                    values => values.get(entry),
                };
                let value = value.and_then(nnz_core::Scalar::to_f64);
                if let (Some(&(number, row)), Some(value)) = (place, value) {
                    let (cols, rows, values) = &mut parts[number];
                    cols.push(col);
                    rows.push(row);
                    values.push(value);
                }
            }
        }
        for (matrix, (cols, rows, values)) in self.matrices.iter_mut().zip(parts) {
            let mut part = Batch::new(Order::Col, Values::F64(values));
            part.list_majors(&cols);
            *part.minors.u32_mut() = rows;
            matrix.put(&part)?;
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Written> {
        let Self { class, file, mut studies, matrices, .. } = *self;
        for (study, matrix) in studies.iter_mut().zip(matrices) {
            let part = matrix.complete()?;
            let name = layers::name_of(class, &MainName::Unknown, &part);
            study.layers.push((name, part));
        }
        let mut studies = studies.into_iter();
        let Some(mut study) = studies.next() else { return Ok(Written::new(0)) };
        study.others = studies.collect();
        let main = study.name.clone();
        write_study(class, file, &study, Some(&main)).map(Written::new)
    }
}

//! Writing the matrices of a collection into the temporary file of an object.

use std::sync::Arc;

use nnz_container::rds::{ArraySpool, NewObject};
use nnz_container::tree::{Attribute, AttributeValue};
use nnz_core::{
    Annotations, Axis, Column, ColumnValues, Error, MatrixSource, Order, Place, Result, Shape,
    StringList, Values,
};
use nnz_engine::{Dense, ReadOptions, read_dense};
use nnz_robjects::write::{
    MatrixForm, NewAxes, NewGraph, NewLoadings, NewReduction, NewStudy, NewTable, ObjectClass,
    PROJECT_NAME, SpooledMatrix, spool_matrix,
};

use super::layers::{self, MainName};
use super::plan::StudyPlan;
use super::target::ObjectTarget;
use crate::output::StructurePolicy;
use crate::{Context, ConvertOptions};

/// The file that is written, and how.
pub(super) struct StudyWriter<'a> {
    pub(super) class: ObjectClass,
    pub(super) options: &'a ConvertOptions,
    pub(super) context: &'a Context,
    pub(super) spool: &'a ArraySpool,
    pub(super) target: &'a ObjectTarget,
    /// The names of modalities, with which columns of all cells begin that belong to one.
    pub(super) modalities: &'a [String],
}

impl StudyWriter<'_> {
    /// Writes the matrices of a collection into the temporary file, and returns the number of entries of the main one.
    /// `cells` has the names and the table of cells as rows, for the first study if they `share_cells`. Experiments may have
    /// tables of cells of their own; assays have one in common.
    pub(super) fn study(
        &self,
        plan: &StudyPlan,
        cells: Option<&dyn MatrixSource>,
        shares_cells: bool,
        notes: &mut Vec<String>,
    ) -> Result<(NewStudy, u64)> {
        let main = &*plan.main;
        let memory = self.context.memory();
        let names = |source: &dyn MatrixSource, axis| {
            let names = source.read_names(axis)?;
            names.map(|mut names| names.list_with_limit(memory)).transpose()
        };
        let place = main.place();
        let in_place = |error: Error| error.with_context(&place);
        let features = main.annotations(Axis::Rows)?;
        let is_experiment = self.class == ObjectClass::Experiment;
        let of_cells = match (cells, shares_cells) {
            _ if is_experiment && plan.own_cells => main.annotations(Axis::Cols)?,
            (Some(cells), _) => cells.annotations(Axis::Rows)?,
            (None, true) => None,
            (None, false) => main.annotations(Axis::Cols)?,
        };
        let cell_names = match (cells, shares_cells) {
            (Some(cells), _) => names(cells, Axis::Rows)?,
            // Alternative experiments have no names of cells.
            (None, true) if is_experiment => None,
            (None, _) => names(main, Axis::Cols)?,
        };
        let tables: [Option<&dyn Annotations>; 2] = [features.as_deref(), of_cells.as_deref()];
        let axes = NewAxes {
            shape: main.header().shape,
            names: [names(main, Axis::Rows)?, cell_names],
            tables,
            place: place.clone(),
        };
        let started = NewStudy::start(self.class, &plan.name, axes, (self.spool, memory));
        let (mut study, changed) = started.map_err(in_place)?;
        notes.extend(changed);
        if let Some(cells) = cells.filter(|_| is_experiment) {
            let common = self.common_columns(cells).map_err(in_place)?;
            study.cell_table.extend(common, "");
        }
        let known = match &plan.main_name {
            MainName::Known(name) => Some(&**name),
            MainName::Unknown => None,
        };
        let form = layers::form(self.class, known, main);
        let part = self.part(main, form, &plan.main_path, true)?;
        let entries = part.entries();
        study.layers.push((layers::name_of(self.class, &plan.main_name, &part), part));
        for (name, member) in &plan.layers {
            let form = layers::form(self.class, Some(name), &*member.source);
            let part = self.part(&*member.source, form, &member.path, true)?;
            study.layers.push((name.clone(), part));
        }
        layers::sort(self.class, &mut study.layers);
        for (name, member, loadings) in &plan.reductions {
            let embeddings = self.part(&*member.source, MatrixForm::Dense, &member.path, false)?;
            let loadings = loadings
                .as_ref()
                .map(|member| self.loadings(&*member.source, study.features.names.as_deref()));
            let loadings = loadings.transpose()?;
            let (name, assay) = (name.clone(), None);
            study.reductions.push(NewReduction { name, assay, embeddings, loadings });
        }
        for (name, member) in &plan.graphs {
            let graph = self.part(&*member.source, MatrixForm::Sparse, &member.path, false)?;
            study.graphs.push(NewGraph { name: name.clone(), assay: None, matrix: graph });
        }
        for attribute in &plan.attributes {
            if attribute.name == PROJECT_NAME
                && matches!(self.class, ObjectClass::Seurat(_))
                && let Some(project) = attribute.value.text()
            {
                study.project = Some(project.to_owned());
                continue;
            }
            if let Some(object) = self.attribute(&attribute.value, &place)? {
                study.misc.push((attribute.name.clone(), object));
            }
        }
        Ok((study, entries))
    }

    /// Reads the columns of all cells that belong to no modality.
    fn common_columns(&self, cells: &dyn MatrixSource) -> Result<NewTable> {
        let Some(table) = cells.annotations(Axis::Rows)? else { return Ok(NewTable::default()) };
        let is_of_one = |name: &str| {
            let prefix = name.split_once(':').map(|(prefix, _)| prefix);
            prefix.is_some_and(|prefix| self.modalities.iter().any(|name| name == prefix))
        };
        let names = table.columns().iter().map(|column| &*column.name);
        let skip: Vec<&str> = names.filter(|name| is_of_one(name)).collect();
        let memory = self.context.memory();
        NewTable::read(&*table, ("colData", &skip), (self.spool, memory), &cells.place())
    }

    fn part(
        &self,
        source: &dyn MatrixSource,
        form: MatrixForm,
        path: &str,
        is_layer: bool,
    ) -> Result<SpooledMatrix> {
        // Dropped elements are known, so these conversions are not strict.
        let options = self.options.engine().strict(false).structure(StructurePolicy::Keep);
        let options = options.order(None);
        let options = if is_layer { options } else { options.value_type(None) };
        let target = (self.spool, &*self.target.path, path);
        spool_matrix(source, form, target, &options, self.context)
    }

    /// Reads loadings, without features whose loadings are all zero, which reductions of R do not have.
    fn loadings(
        &self,
        source: &dyn MatrixSource,
        names: Option<&StringList>,
    ) -> Result<NewLoadings> {
        let options = ReadOptions::default().order(Some(Order::Row));
        let Dense { shape, values, .. } = read_dense(source, &options, self.context)?;
        let width = usize::try_from(shape.cols).unwrap_or(0);
        let number = |at| values.get(at).and_then(nnz_core::Scalar::to_f64).unwrap_or(0.0);
        let len = values.len().and_then(|len| len.checked_div(width)).unwrap_or(0);
        let is_used = |row: &usize| (0..width).any(|col| number(row * width + col) != 0.0);
        let mut rows: Vec<usize> = (0..len).filter(is_used).collect();
        if rows.is_empty() {
            rows = (0..len).collect();
        }
        let mut elements = Vec::with_capacity(rows.len() * width);
        for col in 0..width {
            elements.extend(rows.iter().map(|row| number(row * width + col)));
        }
        let shape = Shape { rows: rows.len() as u64, cols: shape.cols };
        let matrix = SpooledMatrix::dense(shape, &elements, self.spool)?;
        let features = names.map(|names| {
            let mut rows = rows.iter().map(|&row| row as u64).peekable();
            let used = |(_, at): &(&[u8], u64)| rows.next_if_eq(at).is_some();
            Arc::new(names.iter().zip(0..).filter(used).map(|(name, _)| name).collect())
        });
        Ok(NewLoadings { features, matrix })
    }

    fn attribute(&self, attribute: &Attribute, place: &Place) -> Result<Option<NewObject>> {
        let values = match &attribute.value {
            AttributeValue::Numbers(values) => ColumnValues::Numbers(Values::clone(values)),
            AttributeValue::Strings(list) => ColumnValues::Strings(list.clone()),
            _ => return Ok(None),
        };
        NewTable::vector(&Column { values, missing: None }, self.spool, place).map(Some)
    }
}

//! Names and tables of a study.

use nnz_container::rds::{ArraySpool, NewObject};
use nnz_core::{
    Annotations, Column, ColumnInfo, ColumnType, ColumnValues, Place, Result, Shape, StringList,
    ValueType, Values,
};

use super::names::check_memory;
use super::{AxisNames, NameRules, NewRanges, NewStudy, NewTable, SeuratVersion};

/// The class of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectClass {
    /// A Seurat object.
    Seurat(SeuratVersion),
    /// A `SingleCellExperiment`.
    Experiment,
}

impl ObjectClass {
    /// Returns the rules of names of features and of cells.
    #[must_use]
    pub fn rules(self) -> [NameRules; 2] {
        match self {
            Self::Seurat(_) => [NameRules::SeuratFeatures, NameRules::SeuratCells],
            Self::Experiment => [NameRules::Any; 2],
        }
    }

    /// Returns the name of the table of features, and of the table of cells.
    #[must_use]
    pub fn tables(self) -> [&'static str; 2] {
        match self {
            Self::Seurat(SeuratVersion::V3) => ["meta.features", "meta.data"],
            Self::Seurat(SeuratVersion::V5) => ["features", "meta.data"],
            Self::Experiment => ["rowData", "colData"],
        }
    }
}

/// Columns with the identity of each cell, the first of which is used.
const IDENTS: [&str; 2] = ["active.ident", "ident"];
/// Whether a feature is variable.
const VARIABLE: &str = "highly_variable";
/// The rank of a variable feature.
const RANK: &str = "highly_variable_rank";

/// Names and tables of both axes: features, then cells.
pub struct NewAxes<'a> {
    /// The number of features and cells.
    pub shape: Shape,
    /// The names.
    pub names: [Option<StringList>; 2],
    /// The tables.
    pub tables: [Option<&'a dyn Annotations>; 2],
    /// The place of both, for messages.
    pub place: Place,
}

impl std::fmt::Debug for NewAxes<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NewAxes").field("shape", &self.shape).finish_non_exhaustive()
    }
}

impl NewStudy {
    /// Starts a study without matrices, and returns what was changed.
    ///
    /// # Errors
    ///
    /// Fails if a column cannot be read or takes more than `memory` bytes, and if R does not support a string.
    pub fn start(
        class: ObjectClass,
        name: &str,
        axes: NewAxes<'_>,
        (spool, memory): (&ArraySpool, u64),
    ) -> Result<(Self, Vec<String>)> {
        let NewAxes { shape, names: [features, cells], tables: [of_features, of_cells], place } =
            axes;
        let is_seurat = matches!(class, ObjectClass::Seurat(_));
        let [rules, cell_rules] = class.rules();
        let [feature_table_name, cell_table_name] = class.tables();
        let features = AxisNames::new(features, shape.rows, (rules, memory), &place)?;
        let cells = AxisNames::new(cells, shape.cols, (cell_rules, memory), &place)?;
        // The end of an empty list of ranges for each feature.
        check_memory(if is_seurat { 0 } else { shape.rows }, 4, memory, &place)?;
        let (mut skip, mut variable, mut ranges) = (Vec::new(), Vec::new(), None);
        if let Some(table) = of_features {
            if is_seurat {
                (variable, skip) = variable_features(table, memory)?;
            } else if let Some(found) = NewRanges::read(table, (spool, memory), &place)? {
                (ranges, skip) = (Some(found.0), found.1);
            }
        }
        let read = |table: Option<&dyn Annotations>, name: (&str, &[&str]), len| match table {
            Some(table) => NewTable::read(table, name, (spool, memory), &place),
            None => Ok(NewTable::empty(len)),
        };
        let mut feature_table = read(of_features, (feature_table_name, &skip), shape.rows)?;
        let (mut skip, mut idents) = (Vec::new(), None);
        if is_seurat && let Some(table) = of_cells {
            (idents, skip) = identities(table, (spool, memory), &place)?;
        }
        let cell_table = read(of_cells, (cell_table_name, &skip), shape.cols)?;
        let mut notes: Vec<String> =
            [&features, &cells].iter().filter_map(|names| names.note.clone()).collect();
        let retyped = [&feature_table, &cell_table].map(|table| table.notes.join(", "));
        notes.extend(retyped.into_iter().filter(|columns| !columns.is_empty()).map(|columns| {
            format!("R has integers of 32 bits and doubles; stored as another type: {columns}")
        }));
        if !is_seurat {
            let renamed = feature_table.rename(NewRanges::reserved(ranges.as_ref())).join(", ");
            let what =
                format!("names of columns that R reserves for ranges of features: {renamed}");
            notes.extend((!renamed.is_empty()).then_some(what));
        }
        let feature_table = feature_table.with_original_names(features.original.as_ref());
        let cell_table = cell_table.with_original_names(cells.original.as_ref());
        let study = Self {
            name: name.to_owned(),
            features,
            feature_table,
            ranges,
            variable,
            cells,
            cell_table,
            idents,
            layers: Vec::new(),
            reductions: Vec::new(),
            graphs: Vec::new(),
            project: None,
            misc: Vec::new(),
            others: Vec::new(),
        };
        Ok((study, notes))
    }
}

fn position(table: &dyn Annotations, name: &str) -> Option<usize> {
    table.columns().iter().position(|column| column.name == name)
}

/// Returns the identity of each cell, and the columns that are not needed then.
fn identities(
    table: &dyn Annotations,
    (spool, memory): (&ArraySpool, u64),
    place: &Place,
) -> Result<(Option<NewObject>, Vec<&'static str>)> {
    let found = IDENTS.iter().find_map(|name| Some((*name, position(table, name)?)));
    let Some((name, at)) = found else { return Ok((None, Vec::new())) };
    let column_type = table.columns().get(at).map(|ColumnInfo { column_type, .. }| *column_type);
    if !matches!(
        column_type,
        Some(
            ColumnType::Categorical { .. }
                | ColumnType::String
                | ColumnType::Number(
                    ValueType::Bint8
                        | ValueType::I8
                        | ValueType::I16
                        | ValueType::I32
                        | ValueType::I64
                )
        )
    ) {
        return Ok((None, Vec::new()));
    }
    let column = table.read_column(at, memory)?;
    let factor = NewTable::factor(&column, spool, place)?;
    // Other types than categories stay in the table as well.
    let is_factor = matches!(column.values, ColumnValues::Categorical(_));
    Ok((Some(factor), if is_factor { vec![name] } else { Vec::new() }))
}

/// Returns the positions of variable features by rank, and the columns that follow from them.
fn variable_features(
    table: &dyn Annotations,
    memory: u64,
) -> Result<(Vec<u64>, Vec<&'static str>)> {
    let Some(at) = position(table, VARIABLE) else { return Ok((Vec::new(), Vec::new())) };
    let column = table.read_column(at, memory)?;
    let ColumnValues::Numbers(Values::Bint8(flags)) = &column.values else {
        return Ok((Vec::new(), Vec::new()));
    };
    let ranks = position(table, RANK).map(|at| table.read_column(at, memory)).transpose()?;
    let rank = |row: u64| {
        let ranks = ranks.as_ref().filter(|ranks| !ranks.is_missing_or_nan(row));
        ranks.and_then(|ranks| ranks.number(row)?.to_f64())
    };
    let mut variable: Vec<(f64, u64)> = Vec::new();
    for (flag, row) in flags.iter().zip(0..) {
        if flag.0 != 0 && !column.is_missing(row) {
            variable.push((rank(row).unwrap_or(f64::INFINITY), row));
        }
    }
    variable.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let variable: Vec<u64> = variable.into_iter().map(|(_, row)| row).collect();
    let mut skip = Vec::new();
    if !variable.is_empty() && column.missing.is_none() {
        skip.push(VARIABLE);
    }
    if let Some(ranks) = &ranks
        && !variable.is_empty()
        && is_implied(ranks, &variable)
    {
        skip.push(RANK);
    }
    Ok((variable, skip))
}

/// Returns whether ranks are those of variable features from 0, and missing for others.
fn is_implied(ranks: &Column, variable: &[u64]) -> bool {
    let ColumnValues::Numbers(Values::F64(numbers)) = &ranks.values else { return false };
    if ranks.missing.is_some() {
        return false;
    }
    let at = |row: u64| usize::try_from(row).ok().and_then(|row| numbers.get(row)).copied();
    let has_rank = |(rank, row): (u32, &u64)| at(*row) == Some(f64::from(rank));
    let others = numbers.iter().filter(|number| number.is_nan()).count();
    (0..).zip(variable).all(has_rank) && others + variable.len() == numbers.len()
}

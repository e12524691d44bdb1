//! Annotations of genes that are equal in all files: `anndata.concat` with `merge="same"`. In an outer join, they are
//! equal where files share genes.

use std::collections::HashMap;
use std::sync::Arc;

use nnz_container::tree::NdArray;
use nnz_core::{
    Annotations, Categorical, Categories, Column, ColumnInfo, ColumnValues, Error, ErrorKind,
    Result, Scalar, Values,
};
use nnz_engine::{Appended, Join};

use super::genes::{Columns, Genes, ranges};
use super::{File, common_index};
use crate::anndata::DataFrame;
use crate::anndata::columns::{MOST_COLUMN, write_table};
use crate::anndata::element::Element;
use crate::anndata::output::Group;
use crate::anndata::whole::elements::Transfer;
use crate::anndata::whole::picks::Pick;

/// Reasons why annotations of genes are left out.
const DIFFERS: &str = "differs between files";
const TOO_LARGE: &str = "too large to be compared within the memory limit";

impl Transfer<'_> {
    /// Writes the genes, with the columns that are equal in all files.
    pub(crate) fn joined_var(
        &mut self,
        var: &[Arc<DataFrame>],
        to: (Group, &str),
        genes: &Genes,
    ) -> Result<()> {
        for frame in var {
            self.check_columns(frame, to.1)?;
        }
        let table = Same::new(var, genes, MOST_COLUMN)?;
        for name in &table.others {
            self.left_out(&format!("column {name:?} of {}", to.1), DIFFERS);
        }
        self.write_genes(var, to, genes, Some(&table))
    }

    /// Writes the names of genes, and their annotations.
    pub(crate) fn write_genes(
        &mut self,
        var: &[Arc<DataFrame>],
        to: (Group, &str),
        genes: &Genes,
        table: Option<&dyn Annotations>,
    ) -> Result<()> {
        let index = common_index(var);
        self.output.compression = self.options.compression.unwrap_or_default();
        let names = Some(genes.names.reader());
        write_table(&mut self.output, to, &index, genes.columns.len, names, table)
    }

    /// Writes the arrays of `varm` that are equal in all files, except some, and reports the others.
    pub(crate) fn joined_varm(
        &mut self,
        files: &[File],
        var: &[Arc<DataFrame>],
        to: Group,
        columns: &Columns,
        except: &[String],
    ) -> Result<()> {
        let mut keys: Vec<String> = Vec::new();
        for (file, _) in files {
            if let Some(Element::Group(group)) = Element::at(&*file.root, "varm")? {
                for child in group.children()? {
                    if !keys.contains(&child.name) && !except.contains(&child.name) {
                        keys.push(child.name);
                    }
                }
            }
        }
        for key in keys {
            let path = format!("varm/{key}");
            let mut arrays = Vec::with_capacity(files.len());
            for (file, _) in files {
                match Element::at(&*file.root, &path)? {
                    Some(Element::Array(array)) if is_numeric(&*array) => arrays.push(array),
                    _ => {}
                }
            }
            for (array, frame) in arrays.iter().zip(var).filter(|_| arrays.len() == files.len()) {
                if rows(&**array) != frame.len() {
                    let found = format!("{} rows", rows(&**array));
                    return Err(Error::mismatch(array.place(), found, frame.len()));
                }
            }
            let why = match () {
                () if arrays.len() < files.len() => Some("not an array of numbers in all files"),
                () if columns.has_missing() => Some(DIFFERS),
                () => self.all_same(&arrays, columns)?,
            };
            if let Some(why) = why {
                self.left_out(&path, why);
            } else if let Some((first, positions)) =
                arrays.into_iter().next().zip(columns.positions.first())
            {
                let picked = picked(positions.as_deref(), rows(&*first));
                let element = Element::Array(first);
                self.element(&element, (to, &key), &path, [picked.as_ref(), None])?;
            }
        }
        Ok(())
    }

    /// Returns why arrays are left out; `None` if they have the same values for the same genes.
    fn all_same(
        &self,
        arrays: &[Box<dyn NdArray>],
        columns: &Columns,
    ) -> Result<Option<&'static str>> {
        let memory = self.options.context.memory() / 8;
        let mut first: Option<(Vec<u64>, Values)> = None;
        for (array, positions) in arrays.iter().zip(&columns.positions) {
            let values = match array.read(&array.all(), memory) {
                Err(error) if matches!(error.kind(), ErrorKind::Memory { .. }) => {
                    return Ok(Some(TOO_LARGE));
                }
                values => values?,
            };
            let width =
                array.shape().iter().skip(1).fold(1, |all: u64, len| all.saturating_mul(*len));
            let values = match positions {
                None => values,
                Some(positions) => {
                    let mut moved = Values::new(values.value_type());
                    for at in positions.iter().flatten() {
                        let [start, end] = [*at, at + 1].map(|at| at.saturating_mul(width));
                        let range = usize::try_from(start).ok().zip(usize::try_from(end).ok());
                        let Some((start, end)) = range else { return Ok(Some(TOO_LARGE)) };
                        moved.extend_from(&values, start..end);
                    }
                    moved
                }
            };
            let inner = array.shape().get(1..).unwrap_or_default().to_vec();
            match &first {
                None => first = Some((inner, values)),
                Some((shape, before)) => {
                    if *shape != inner || !same_numbers(before, &values) {
                        return Ok(Some(DIFFERS));
                    }
                }
            }
        }
        Ok(None)
    }
}

fn rows(array: &dyn NdArray) -> u64 {
    array.shape().first().copied().unwrap_or(0)
}

fn is_numeric(array: &dyn NdArray) -> bool {
    !array.is_null() && array.shape().len() > 1 && array.element_type().value_type().is_some()
}

/// Selects positions, none of which is missing.
fn picked(positions: Option<&[Option<u64>]>, own: u64) -> Option<Pick> {
    positions.and_then(|positions| Pick::new(ranges(positions, own).0, own))
}

fn same_numbers(a: &Values, b: &Values) -> bool {
    if a.value_type() != b.value_type() || a.len() != b.len() {
        return false;
    }
    // NaN equals NaN.
    a.bytes() == b.bytes() || (0..a.len().unwrap_or(0)).all(|at| same_number(a.get(at), b.get(at)))
}

fn same_number(a: Option<Scalar>, b: Option<Scalar>) -> bool {
    a == b || (a.is_some_and(is_nan) && b.is_some_and(is_nan))
}

fn is_nan(value: Scalar) -> bool {
    match value {
        Scalar::F32(value) => value.is_nan(),
        Scalar::F64(value) => value.is_nan(),
        Scalar::ComplexF32([re, im]) => re.is_nan() || im.is_nan(),
        Scalar::ComplexF64([re, im]) => re.is_nan() || im.is_nan(),
        _ => false,
    }
}

/// The columns that are equal in all files, for the genes that files share.
struct Same<'a> {
    /// The table of the first file, or those of all one after the other if some genes are not in all.
    table: Box<dyn Annotations + 'a>,
    /// The row in the table of each gene.
    positions: Option<Vec<Option<u64>>>,
    columns: Vec<ColumnInfo>,
    /// Their positions in the table.
    numbers: Vec<usize>,
    /// The names of all other columns.
    others: Vec<String>,
    len: u64,
}

impl<'a> Same<'a> {
    fn new(var: &'a [Arc<DataFrame>], genes: &Genes, memory: u64) -> Result<Self> {
        let (Some(first), Some(positions)) = (var.first(), genes.columns.positions.first()) else {
            return Err(Error::argument("there is nothing to concatenate"));
        };
        let mut same = Self {
            table: Box::new(&**first),
            positions: positions.clone(),
            columns: Vec::new(),
            numbers: Vec::new(),
            others: Vec::new(),
            len: genes.columns.len,
        };
        if genes.columns.has_missing() {
            same.find_in_any(var, &genes.columns, memory)?;
        } else {
            for (number, info) in first.columns().iter().enumerate() {
                if is_same(var, genes, (number, info), memory)? {
                    same.columns.push(info.clone());
                    same.numbers.push(number);
                }
            }
        }
        for info in var.iter().flat_map(|frame| frame.columns()) {
            let kept = same.columns.iter().any(|column| column.name == info.name);
            if !kept && !same.others.contains(&info.name) {
                same.others.push(info.name.clone());
            }
        }
        Ok(same)
    }

    /// Finds the columns of genes that are not in all files: each has the values of the first file that has it, which are equal
    /// in all others.
    fn find_in_any(
        &mut self,
        var: &'a [Arc<DataFrame>],
        columns: &Columns,
        memory: u64,
    ) -> Result<()> {
        let tables = var.iter().map(|frame| Box::new(&**frame) as Box<dyn Annotations + 'a>);
        let all = Appended::new(tables.collect(), Join::Inner);
        // The rows of each gene in all tables.
        let mut rows: Vec<Vec<u64>> = Vec::new();
        rows.resize_with(usize::try_from(columns.len).unwrap_or(0), Vec::new);
        let mut before = 0_u64;
        for (frame, positions) in var.iter().zip(&columns.positions) {
            for (gene, rows) in (0..).zip(&mut rows) {
                let own = positions.as_ref().map_or(Some(gene), |own| {
                    usize::try_from(gene).ok().and_then(|gene| *own.get(gene)?)
                });
                rows.extend(own.and_then(|own| own.checked_add(before)));
            }
            before = before.saturating_add(frame.len());
        }
        for (number, info) in all.columns().iter().enumerate() {
            let of_type = |frame: &Arc<DataFrame>| frame.columns().contains(info);
            if !var.iter().all(of_type) {
                continue;
            }
            let Some(column) = readable_together(all.read_column(number, memory))? else {
                continue;
            };
            let [mut first, mut other] = [Vec::new(), Vec::new()];
            let mut is_equal = |a: u64, b: u64| {
                first.clear();
                other.clear();
                column.write_text(a, &mut first);
                column.write_text(b, &mut other);
                first == other && column.is_missing(a) == column.is_missing(b)
            };
            let mut pairs = rows.iter().flat_map(|rows| rows.iter().zip(rows.iter().skip(1)));
            if pairs.all(|(a, b)| is_equal(*a, *b)) {
                self.columns.push(ColumnInfo::new(info.name.clone(), column.column_type()));
                self.numbers.push(number);
            }
        }
        self.positions = Some(rows.iter().map(|rows| rows.first().copied()).collect());
        self.table = Box::new(all);
        Ok(())
    }
}

/// Returns `None` for columns that cannot be one.
fn readable_together(column: Result<Column>) -> Result<Option<Column>> {
    match column {
        Err(error) if matches!(error.kind(), ErrorKind::Unsupported(_)) => Ok(None),
        column => column.map(Some),
    }
}

/// Returns whether all files have a column of the first with the same values, for the genes that
/// are kept.
fn is_same(
    var: &[Arc<DataFrame>],
    genes: &Genes,
    (number, info): (usize, &ColumnInfo),
    memory: u64,
) -> Result<bool> {
    let mut first: Option<Column> = None;
    for (frame, positions) in var.iter().zip(&genes.columns.positions) {
        let at = match first {
            None => Some(number),
            Some(_) => frame.columns().iter().position(|column| column == info),
        };
        let Some(at) = at else { return Ok(false) };
        let column = moved(frame.read_column(at, memory)?, positions.as_deref())?;
        match &first {
            None => first = Some(column),
            Some(first) if same_column(first, &column) => {}
            Some(_) => return Ok(false),
        }
    }
    Ok(true)
}

impl Annotations for Same<'_> {
    fn columns(&self) -> &[ColumnInfo] {
        &self.columns
    }

    fn len(&self) -> u64 {
        self.len
    }

    fn read_column(&self, column: usize, memory: u64) -> Result<Column> {
        let Some(number) = self.numbers.get(column) else {
            return Err(Error::argument(format!("there is no column {column}")));
        };
        moved(self.table.read_column(*number, memory / 2)?, self.positions.as_deref())
    }
}

/// Moves the values of a column to other positions; values without one are missing.
fn moved(column: Column, positions: Option<&[Option<u64>]>) -> Result<Column> {
    match positions {
        None => Ok(column),
        Some(positions) => column.gathered(positions),
    }
}

/// Returns whether two columns have the same values and type, like `pandas.Series.equals`.
fn same_column(a: &Column, b: &Column) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let same_missing = || (0..a.len()).all(|row| a.is_missing(row) == b.is_missing(row));
    let number = |values: &Values, column: &Column, (at, row)| {
        values.get(at).filter(|value| !column.is_missing(row) && !is_nan(*value))
    };
    match (&a.values, &b.values) {
        (ColumnValues::Categorical(a), ColumnValues::Categorical(b)) => same_categories(a, b),
        (ColumnValues::Numbers(own), ColumnValues::Numbers(other)) => {
            let mut rows = (0_usize..).zip(0..a.len());
            own.value_type() == other.value_type()
                && rows.all(|at| number(own, a, at) == number(other, b, at))
        }
        (ColumnValues::Strings(own), ColumnValues::Strings(other)) => {
            same_missing()
                && (0..a.len()).all(|row| a.is_missing(row) || own.get(row) == other.get(row))
        }
        _ => false,
    }
}

/// Returns whether two columns have the same values and categories, in the same order if they are
/// ordered.
fn same_categories(a: &Categorical, b: &Categorical) -> bool {
    let typed = match (&a.categories, &b.categories) {
        (Categories::Strings(_), Categories::Strings(_)) => true,
        (Categories::Numbers(a), Categories::Numbers(b)) => a.value_type() == b.value_type(),
        _ => false,
    };
    if !typed || a.ordered != b.ordered || a.categories.len() != b.categories.len() {
        return false;
    }
    if a.categories == b.categories {
        return a.codes == b.codes;
    }
    let text = |categories: &Categories, code: u64| {
        let mut text = Vec::new();
        categories.write_text(code, &mut text);
        text
    };
    let own: HashMap<Vec<u8>, i32> =
        (0..a.categories.len()).map(|code| text(&a.categories, code)).zip(0..).collect();
    let codes: Option<Vec<i32>> =
        (0..b.categories.len()).map(|code| own.get(&text(&b.categories, code)).copied()).collect();
    // The order is different.
    let Some(codes) = codes.filter(|_| !a.ordered) else { return false };
    let moved = |code: &i32| usize::try_from(*code).ok().and_then(|code| codes.get(code)).copied();
    a.codes.iter().copied().eq(b.codes.iter().map(|code| moved(code).unwrap_or(-1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn categories(codes: &[i32], names: &[&str], ordered: bool) -> Column {
        let categories = Categories::Strings(names.iter().collect());
        let values = Categorical { codes: codes.to_vec(), categories, ordered };
        Column { values: ColumnValues::Categorical(values), missing: None }
    }

    #[test]
    fn columns_are_compared_like_in_pandas() {
        let of = |values| Column { values: ColumnValues::Numbers(values), missing: None };
        let nan = || of(Values::F64(vec![1.0, f64::NAN]));
        assert!(same_column(&nan(), &nan()));
        assert!(!same_column(&of(Values::I32(vec![1])), &of(Values::I64(vec![1]))));
        let a = categories(&[0, 1, -1], &["x", "y"], false);
        assert!(same_column(&a, &categories(&[1, 0, -1], &["y", "x"], false)));
        assert!(!same_column(&a, &categories(&[1, 0, 0], &["y", "x"], false)));
        assert!(!same_column(&a, &categories(&[0, 1, -1], &["x", "y"], true)));
        assert!(!same_column(&a, &categories(&[0, 1, -1], &["x", "y", "z"], false)));
        let ordered = categories(&[0, 1, -1], &["x", "y"], true);
        assert!(!same_column(&ordered, &categories(&[1, 0, -1], &["y", "x"], true)));
    }
}

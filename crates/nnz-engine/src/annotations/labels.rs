//! Replacing names and annotations of a matrix.

use std::collections::HashMap;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use nnz_core::{
    Annotations, Axis, Column, ColumnInfo, ColumnType, ColumnValues, Error, ErrorKind, Header,
    MatrixSource, Names, ORIGINAL_POSITION, Projection, Result, StringList, UnitReader, Wrapped,
};

use super::name_list::NameList;
use super::table::AnnotationTable;
use super::unique::{make_unique, repeated};

/// Changes of the names and annotations of rows or columns.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Labels {
    /// Names for an axis that has none.
    pub names: Option<Arc<NameList>>,
    /// A table to add to the annotations. Its rows are matched by name, and its columns have to be new.
    pub table: Option<Arc<AnnotationTable>>,
    /// The column of the annotations to use as names. The previous names become a column.
    pub names_from: Option<String>,
    /// The name of the column of the previous names. By default `id`, or `name` if the new names are ids.
    pub previous_names: Option<String>,
    /// New names of columns of the source, each after the previous one. Columns that do not exist, and names that another
    /// column has, are ignored.
    pub renamed: Vec<[String; 2]>,
    /// Whether `-1`, `-2`, ... is appended to repeated names.
    pub make_unique: bool,
    /// Handling of the column of original positions.
    pub original_positions: OriginalPositions,
}

/// Handling of the column [`ORIGINAL_POSITION`] of annotations.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum OriginalPositions {
    /// Nothing. The default.
    #[default]
    Unchanged,
    /// It is added, unless the source has one.
    Added(Arc<Column>),
    /// It is removed.
    Removed,
}

nnz_core::setters! {
    Labels {
        names: Option<Arc<NameList>>,
        table: Option<Arc<AnnotationTable>>,
        names_from: Option<String>,
        previous_names: Option<String>,
        renamed: Vec<[String; 2]>,
        make_unique: bool,
        original_positions: OriginalPositions,
    }
}

impl Labels {
    /// Returns whether nothing is changed.
    #[must_use]
    pub fn is_default(&self) -> bool {
        // The name of a column of previous names changes nothing by itself.
        let Self { names, table, names_from, renamed, make_unique, original_positions, .. } = self;
        names.is_none()
            && table.is_none()
            && names_from.is_none()
            && renamed.is_empty()
            && !make_unique
            && *original_positions == OriginalPositions::Unchanged
    }
}

/// A matrix with changed names or annotations.
pub struct Labelled<'a> {
    inner: Box<dyn MatrixSource + 'a>,
    axes: [AxisLabels; 2],
    notes: Vec<String>,
}

/// One axis.
#[derive(Default)]
struct AxisLabels {
    /// Names that replace the names in the file.
    names: Option<StringList>,
    columns: Option<Columns>,
    /// Whether a column is selected as names.
    is_named: bool,
}

/// The columns of the annotations of an axis.
struct Columns {
    infos: Vec<ColumnInfo>,
    origins: Vec<Origin>,
    len: u64,
    table: Arc<AnnotationTable>,
    /// The row of the table for each row or column of the matrix, if it has one.
    rows: Vec<Option<u64>>,
    /// The original positions, if they are added.
    positions: Option<Arc<Column>>,
    /// The names that are kept as a column, if they are not those of the source.
    given_names: Option<StringList>,
}

/// The source of a column.
#[derive(Clone, Copy)]
enum Origin {
    File(usize),
    Table(usize),
    /// The previous names.
    Names,
    /// The original positions.
    Positions,
}

impl fmt::Debug for Labelled<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Labelled").field("notes", &self.notes).finish_non_exhaustive()
    }
}

impl<'a> Labelled<'a> {
    /// Changes the labels of a matrix. Names, and columns that become names, are read into at most `memory`
    /// bytes.
    ///
    /// # Errors
    ///
    /// Fails if a table is added to an axis without names, if a name occurs twice in the table, if there is a column
    /// with the name of one of the table, if the column of names does not exist, has missing values or repeated
    /// values that are not made unique, and if names or
    /// annotations cannot be read or take more memory.
    pub fn new(
        inner: Box<dyn MatrixSource + 'a>,
        labels: [&Labels; 2],
        memory: u64,
    ) -> Result<Self> {
        let mut notes = Vec::new();
        let [rows, cols] = labels;
        let axes = [
            relabel(&*inner, Axis::Rows, rows, memory, &mut notes)?,
            relabel(&*inner, Axis::Cols, cols, memory, &mut notes)?,
        ];
        Ok(Self { inner, axes, notes })
    }

    /// Returns the names of an axis that replace the names in the file, if any.
    #[must_use]
    pub fn replaced_names(&self, axis: Axis) -> Option<&StringList> {
        self.axis(axis).names.as_ref()
    }

    fn axis(&self, axis: Axis) -> &AxisLabels {
        &self.axes[usize::from(axis == Axis::Cols)]
    }
}

fn relabel(
    source: &(impl MatrixSource + ?Sized),
    axis: Axis,
    labels: &Labels,
    memory: u64,
    notes: &mut Vec<String>,
) -> Result<AxisLabels> {
    if labels.is_default() {
        return Ok(AxisLabels::default());
    }
    let mut names = match source.read_names(axis)? {
        Some(mut names) => Some(names.list_with_limit(memory)?),
        None => None,
    };
    let mut changed = false;
    if let Some(list) = &labels.names {
        if names.is_some() {
            return Err(Error::argument(format!("the {axis} have names already")));
        }
        names = Some(list.names(axis, source.header().shape.len(axis))?);
        notes.extend(list.note());
        changed = true;
    }
    let mut columns = Columns::of_file(source, axis)?;
    if let Some(table) = &labels.table {
        let Some(names) = &names else {
            let what = format!("the {axis} have no names, so a table cannot be matched to them");
            return Err(Error::argument(what));
        };
        columns.attach(table, names, axis, notes)?;
    }
    let has_names_already = names.is_some() && source.names_column(axis) == labels.names_from;
    if let Some(column) = labels.names_from.as_ref().filter(|_| !has_names_already) {
        let taken = columns.take(source, axis, column, memory)?;
        if names.is_some() {
            columns.keep_names(column, labels.previous_names.as_deref());
        }
        if labels.names.is_some() {
            columns.given_names = names;
        }
        names = Some(taken);
        changed = true;
    }
    if labels.make_unique
        && let Some(all) = &names
    {
        let [unique, numbered] = make_unique(all)?;
        if !numbered.is_empty() {
            notes.push(made_unique(&numbered, axis));
            (names, changed) = (Some(unique), true);
        }
    } else if !has_names_already
        && let (Some(column), Some(all)) = (&labels.names_from, &names)
        && let Some((name, [first, second])) = repeated(all)
    {
        let what = format!(
            "annotation {column:?} cannot name the {axis}: {axis} {first} and {second} have {name:?}"
        );
        return Err(
            Error::argument(what).with_hint("make_unique", "appends numbers to repeated names")
        );
    }
    columns.set_positions(&labels.original_positions);
    columns.rename(&labels.renamed);
    let changes = labels.table.is_some()
        || labels.names_from.is_some()
        || !labels.renamed.is_empty()
        || labels.original_positions != OriginalPositions::Unchanged;
    let columns = changes.then_some(columns);
    let is_named = labels.names_from.is_some();
    Ok(AxisLabels { names: names.filter(|_| changed), columns, is_named })
}

/// Notes names that were made unique.
fn made_unique(numbered: &StringList, axis: Axis) -> String {
    const LISTED: usize = 10;
    let what = if numbered.len() == 1 { "name" } else { "names" };
    let listed: Vec<_> = numbered.iter().take(LISTED).map(String::from_utf8_lossy).collect();
    let more = if numbered.iter().nth(LISTED).is_some() { ", ..." } else { "" };
    let (count, listed) = (numbered.len(), listed.join(", "));
    format!("appended numbers to {count} repeated {what} of the {axis}: {listed}{more}")
}

impl Columns {
    fn of_file(source: &(impl MatrixSource + ?Sized), axis: Axis) -> Result<Self> {
        let found = source.annotations(axis)?;
        let infos = found.map_or_else(Vec::new, |table| table.columns().to_vec());
        let origins = (0..infos.len()).map(Origin::File).collect();
        let len = source.header().shape.len(axis);
        let (table, rows) = (Arc::default(), Vec::new());
        let (positions, given_names) = (None, None);
        Ok(Self { infos, origins, len, table, rows, positions, given_names })
    }

    fn set_positions(&mut self, positions: &OriginalPositions) {
        let known = self.infos.iter().position(|column| column.name == ORIGINAL_POSITION);
        match (positions, known) {
            (OriginalPositions::Added(column), None) => {
                let name = ORIGINAL_POSITION.to_owned();
                self.infos.push(ColumnInfo::new(name, column.column_type()));
                self.origins.push(Origin::Positions);
                self.positions = Some(Arc::clone(column));
            }
            (OriginalPositions::Removed, Some(at)) => {
                self.infos.remove(at);
                self.origins.remove(at);
            }
            _ => {}
        }
    }

    /// Adds the columns of a table. A column of the same name is an error: it would lose the values of rows that the table
    /// does not have.
    fn attach(
        &mut self,
        table: &Arc<AnnotationTable>,
        names: &StringList,
        axis: Axis,
        notes: &mut Vec<String>,
    ) -> Result<()> {
        if let Some((name, [first, second])) = repeated(table.names()) {
            let what =
                format!("the table for the {axis} has {name:?} in rows {first} and {second}");
            return Err(Error::new(ErrorKind::Argument(what), table.place().clone()));
        }
        table.check_header(names)?;
        let is_known = |column: &&ColumnInfo| self.infos.iter().any(|own| own.name == column.name);
        if let Some(column) = table.columns().iter().find(is_known) {
            let what = format!(
                "the {axis} already have an annotation {:?}; rename or remove this column of the table",
                column.name
            );
            return Err(Error::new(ErrorKind::Argument(what), table.place().clone()));
        }
        let by_name: HashMap<&[u8], u64> = table.names().iter().zip(0..).collect();
        self.rows = names.iter().map(|name| by_name.get(name).copied()).collect();
        let found = self.rows.iter().flatten().count() as u64;
        if found == 0 && !table.is_empty() && !names.is_empty() {
            let name = |list: &StringList| {
                String::from_utf8_lossy(list.get(0).unwrap_or_default()).into_owned()
            };
            let what = format!(
                "no name in the table matches the {axis}: the first is {:?} in the table and {:?} in the \
                 matrix",
                name(table.names()),
                name(names)
            );
            return Err(Error::new(ErrorKind::Argument(what), table.place().clone()));
        }
        let without = self.rows.len() as u64 - found;
        if without > 0 {
            let one = axis.singular();
            notes.push(match without {
                1 => format!("1 {one} is not in the table and has missing values"),
                _ => format!("{without} {one}s are not in the table and have missing values"),
            });
        }
        // Several rows or columns with the same name share a row of the table.
        let mut used: Vec<u64> = self.rows.iter().flatten().copied().collect();
        used.sort_unstable();
        used.dedup();
        let unused = table.len() - used.len() as u64;
        if unused > 0 {
            let one = axis.singular();
            notes.push(match unused {
                1 => format!("1 row of the table matches no {one}"),
                _ => format!("{unused} rows of the table match no {one}"),
            });
        }
        notes.extend(table.missing_texts().iter().map(|(name, count)| match count {
            1 => format!("1 text of {name:?} in the table is NA, which is missing"),
            _ => format!("{count} texts of {name:?} in the table are NA, which is missing"),
        }));
        for (number, info) in table.columns().iter().enumerate() {
            self.infos.push(info.clone());
            self.origins.push(Origin::Table(number));
        }
        self.table = Arc::clone(table);
        Ok(())
    }

    /// Removes a column, and returns it as names.
    fn take(
        &mut self,
        source: &(impl MatrixSource + ?Sized),
        axis: Axis,
        name: &str,
        memory: u64,
    ) -> Result<StringList> {
        let Some(at) = self.infos.iter().position(|column| column.name == name) else {
            let there: Vec<&str> = self.infos.iter().map(|column| &*column.name).collect();
            let there = match there[..] {
                [] => "there are no annotations".to_owned(),
                _ => format!("columns are {}", there.join(", ")),
            };
            let what = format!("the {axis} have no annotation {name:?}; {there}");
            return Err(Error::argument(what));
        };
        let column = self.read(source, axis, self.origins[at], memory)?;
        let mut names = StringList::new();
        let mut text = Vec::new();
        for row in 0..self.len {
            if column.is_missing_or_nan(row) {
                let one = axis.singular();
                let what =
                    format!("annotation {name:?} cannot name the {axis}: {one} {row} has no value");
                return Err(Error::argument(what));
            }
            text.clear();
            column.write_text(row, &mut text);
            names.try_push(&text)?;
        }
        self.infos.remove(at);
        self.origins.remove(at);
        Ok(names)
    }

    /// Keeps the previous names as a column of a name, by default `id`, or `name` if the new names are ids.
    fn keep_names(&mut self, taken: &str, wanted: Option<&str>) {
        let free = |name: &&str| self.infos.iter().all(|column| column.name != *name);
        let lower = taken.to_ascii_lowercase();
        let ids = lower.ends_with("id") || lower.ends_with("ids") || lower == "index";
        let names = if ids { ["name", "names", "old_name"] } else { ["id", "ids", "old_id"] };
        if let Some(name) = wanted.into_iter().chain(names).find(free) {
            let info = ColumnInfo::new(name, ColumnType::String);
            self.infos.insert(0, info);
            self.origins.insert(0, Origin::Names);
        }
    }

    fn rename(&mut self, names: &[[String; 2]]) {
        for [before, after] in names {
            if self.infos.iter().all(|column| column.name != *after)
                && let Some(column) = self.infos.iter_mut().find(|column| column.name == *before)
            {
                column.name.clone_from(after);
            }
        }
    }

    fn read(
        &self,
        source: &(impl MatrixSource + ?Sized),
        axis: Axis,
        origin: Origin,
        memory: u64,
    ) -> Result<Column> {
        match origin {
            Origin::File(number) => match source.annotations(axis)? {
                Some(table) => table.read_column(number, memory),
                None => Err(Error::argument(format!("column {number} does not exist"))),
            },
            Origin::Table(number) => match self.table.column(number) {
                Some(column) => column.gathered(&self.rows),
                None => Err(Error::argument(format!("column {number} does not exist"))),
            },
            Origin::Positions => match &self.positions {
                Some(column) => Ok(Column::clone(column)),
                None => {
                    Err(Error::argument(format!("column {ORIGINAL_POSITION:?} does not exist")))
                }
            },
            Origin::Names => {
                let list = match (&self.given_names, source.read_names(axis)?) {
                    (Some(given), _) => given.clone(),
                    (None, Some(mut names)) => names.list_with_limit(memory)?,
                    (None, None) => StringList::default(),
                };
                Ok(Column { values: ColumnValues::Strings(list), missing: None })
            }
        }
    }
}

/// The annotations of an axis.
struct Table<'a, T: ?Sized> {
    source: &'a T,
    axis: Axis,
    columns: &'a Columns,
}

impl<T: MatrixSource + ?Sized> Annotations for Table<'_, T> {
    fn columns(&self) -> &[ColumnInfo] {
        &self.columns.infos
    }

    fn len(&self) -> u64 {
        self.columns.len
    }

    fn read_column(&self, column: usize, memory: u64) -> Result<Column> {
        let Some(&origin) = self.columns.origins.get(column) else {
            return Err(Error::argument(format!("column {column} does not exist")));
        };
        self.columns.read(self.source, self.axis, origin, memory)
    }

    fn uncovered(&self, column: usize, memory: u64) -> Result<Option<String>> {
        match (self.columns.origins.get(column), self.source.annotations(self.axis)?) {
            (Some(Origin::File(number)), Some(table)) => table.uncovered(*number, memory),
            _ => Ok(None),
        }
    }
}

impl MatrixSource for Labelled<'_> {
    fn wrapped(&self) -> Wrapped<'_> {
        Wrapped::SameEntries(&*self.inner)
    }

    fn header(&self) -> &Header {
        self.inner.header()
    }

    fn read_names(&self, axis: Axis) -> Result<Option<Names<'_>>> {
        match &self.axis(axis).names {
            Some(names) => Ok(Some(names.reader())),
            None => self.inner.read_names(axis),
        }
    }

    fn annotations(&self, axis: Axis) -> Result<Option<Box<dyn Annotations + '_>>> {
        match &self.axis(axis).columns {
            Some(columns) => Ok(Some(Box::new(Table { source: &*self.inner, axis, columns }))),
            None => self.inner.annotations(axis),
        }
    }

    fn notes(&self) -> Vec<String> {
        let [rows, cols] = self.axes.each_ref().map(|axis| axis.is_named);
        let mut notes = self.inner.notes();
        notes.retain(|note| {
            // The option that a note proposes is given.
            !(rows && note.contains("; row_names ") || cols && note.contains("; col_names "))
        });
        notes.into_iter().chain(self.notes.iter().cloned()).collect()
    }

    fn random_access(&self) -> bool {
        self.inner.random_access()
    }

    fn units(
        &self,
        majors: Range<u64>,
        fields: Projection,
    ) -> Result<Box<dyn UnitReader<'_> + '_>> {
        self.inner.units(majors, fields)
    }

    fn names_column(&self, axis: Axis) -> Option<String> {
        match &self.axis(axis).names {
            Some(_) => None,
            None => self.inner.names_column(axis),
        }
    }
}

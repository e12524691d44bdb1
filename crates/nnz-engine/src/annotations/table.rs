//! A table in memory: names, and typed columns.

use std::collections::{HashMap, HashSet};

use nnz_core::{
    Annotations, At, Axis, Categorical, Categories, Column, ColumnInfo, ColumnValues, Error,
    ErrorKind, Grouping, Place, Result, StringList,
};

use super::unique::repeated;

/// Annotations of rows or columns in memory: a name for each, and typed columns.
///
/// ```
/// use nnz_core::{Annotations as _, ColumnType, ValueType};
/// use nnz_engine::AnnotationTable;
///
/// let text = "barcode,sample,score\nAAAC,a,1\nAAAG,b,\n";
/// let table = AnnotationTable::from_text(text.as_bytes(), b',', 1 << 20)?;
/// assert_eq!(table.len(), 2);
/// assert_eq!(table.columns()[1].name, "score");
/// assert_eq!(table.columns()[1].column_type, ColumnType::Number(ValueType::I64));
/// assert!(table.read_column(1, u64::MAX)?.is_missing(1));
/// # Ok::<(), nnz_core::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnnotationTable {
    names: StringList,
    infos: Vec<ColumnInfo>,
    columns: Vec<Column>,
    place: Place,
    /// The name of the column of names, if a text has a header with it.
    corner: Option<String>,
    /// The columns of texts of which some are `NA`, which is missing, and how many.
    missing_texts: Vec<(String, usize)>,
}

impl AnnotationTable {
    /// Creates a table from the names of its rows, and columns with names.
    ///
    /// # Errors
    ///
    /// Fails if a column has another length than the names, or if two columns have the same name.
    pub fn new(
        names: StringList,
        columns: impl IntoIterator<Item = (String, Column)>,
    ) -> Result<Self> {
        let mut table = Self { names, ..Self::default() };
        let mut known = HashSet::new();
        for (name, column) in columns {
            if column.len() != table.names.len() {
                let (found, expected) = (column.len(), table.names.len());
                let what = format!("column {name:?} has {found} values for {expected} names");
                return Err(Error::argument(what));
            }
            if !known.insert(name.clone()) {
                return Err(Error::argument(format!("two columns are named {name:?}")));
            }
            table.infos.push(ColumnInfo::new(name, column.column_type()));
            table.columns.push(column);
        }
        Ok(table)
    }

    /// Sets the place of the table in messages.
    #[must_use]
    pub fn with_place(mut self, place: Place) -> Self {
        self.place = place;
        self
    }

    /// Makes a column categorical, with its values as text: in the order of categories, or ascending.
    ///
    /// # Errors
    ///
    /// Fails if there is no such column, or if it has 2^31 values or more.
    pub fn categorical(mut self, name: &str) -> Result<Self> {
        let refused = |what: String, place| Err(Error::new(ErrorKind::Argument(what), place));
        let Some(at) = self.infos.iter().position(|info| info.name == name) else {
            let what = format!("the table has no column {name:?}");
            return refused(what, self.place);
        };
        let Grouping { labels, codes } = self.columns[at].grouped()?;
        let code = |code: Option<u32>| code.map_or(Ok(-1), i32::try_from);
        let Ok(codes) = codes.into_iter().map(code).collect() else {
            let what = format!("column {name:?} has {} values: expected fewer", labels.len());
            return refused(what, self.place);
        };
        let categories = Categories::Strings(labels);
        let values = ColumnValues::Categorical(Categorical { codes, categories, ordered: false });
        let column = Column { values, missing: None };
        self.infos[at] = ColumnInfo::new(name, column.column_type());
        self.columns[at] = column;
        Ok(self)
    }

    /// Sets the name of the column of names.
    pub(super) fn with_corner(self, corner: Option<String>) -> Self {
        Self { corner, ..self }
    }

    /// Sets the columns of texts of which some are `NA`, and how many.
    pub(super) fn with_missing_texts(self, missing_texts: Vec<(String, usize)>) -> Self {
        Self { missing_texts, ..self }
    }

    /// Returns the columns of texts of which some are `NA`, which is missing, and how many.
    #[must_use]
    pub fn missing_texts(&self) -> &[(String, usize)] {
        &self.missing_texts
    }

    /// Refuses a table whose header has one of the names, which is the first row of a table without a header.
    pub(super) fn check_header(&self, names: &StringList) -> Result<()> {
        let Some(corner) = self.corner.as_deref().filter(|corner| !corner.is_empty()) else {
            return Ok(());
        };
        let is_row = |names: &StringList| names.iter().any(|name| name == corner.as_bytes());
        match is_row(names) && !is_row(&self.names) {
            true => {
                let place = self.place.clone().at(At::Line { line: 1, column: 1 });
                let found = format!("{corner:?}, one of the names");
                Err(Error::mismatch(place, found, "a header with the names of the columns"))
            }
            false => Ok(()),
        }
    }

    /// Returns the row of the table for each of the names, which must be the names of the table in any order. `what` has
    /// the names of an axis, such as `obs`.
    ///
    /// # Errors
    ///
    /// Fails if a name occurs twice, or only on one side.
    pub fn rows_of(&self, names: &StringList, axis: Axis, what: &str) -> Result<Vec<Option<u64>>> {
        let refused = |what: String| Error::new(ErrorKind::Argument(what), self.place.clone());
        let option = if axis == Axis::Rows { "row_annotations" } else { "col_annotations" };
        let joined = |what: String, some_match: bool| match some_match {
            true => refused(what)
                .with_hint(option, "of a conversion also joins a table with other rows"),
            false => refused(what),
        };
        self.check_header(names)?;
        if let Some((name, [first, second])) = repeated(&self.names) {
            let what = format!("the table for {what} has {name:?} in rows {first} and {second}");
            return Err(refused(what));
        }
        if let Some((name, [first, second])) = repeated(names) {
            let what = format!(
                "rows {first} and {second} of {what} are named {name:?}, so a table cannot be matched to the names"
            );
            return Err(refused(what));
        }
        let rows: HashMap<&[u8], u64> = self.names.iter().zip(0..).collect();
        let found: Vec<Option<u64>> = names.iter().map(|name| rows.get(name).copied()).collect();
        let shown = |name: &[u8]| format!("{:?}", String::from_utf8_lossy(name));
        if let Some((name, _)) = names.iter().zip(&found).find(|(_, row)| row.is_none()) {
            let count = found.iter().filter(|row| row.is_none()).count();
            let known: HashSet<&[u8]> = names.iter().collect();
            let extra = self.names.iter().find(|name| !known.contains(name));
            let extra = extra.map_or_else(String::new, |extra| {
                format!("; {what} has no row for {} of the table", shown(extra))
            });
            let what = format!(
                "the table has no row for {count} of the {} names of {what}, such as {}{extra}",
                names.len(),
                shown(name)
            );
            return Err(joined(what, count < found.len()));
        }
        if self.names.len() > names.len() {
            let known: HashSet<&[u8]> = names.iter().collect();
            let extra = self.names.iter().find(|name| !known.contains(name)).unwrap_or_default();
            let what = format!(
                "{} rows of the table have names that {what} does not have, such as {}",
                self.names.len() - names.len(),
                shown(extra)
            );
            return Err(joined(what, true));
        }
        Ok(found)
    }

    /// Returns the place in messages.
    pub(super) fn place(&self) -> &Place {
        &self.place
    }

    /// Returns the names of the rows.
    #[must_use]
    pub fn names(&self) -> &StringList {
        &self.names
    }

    /// Returns a column by its position.
    #[must_use]
    pub fn column(&self, position: usize) -> Option<&Column> {
        self.columns.get(position)
    }
}

impl Annotations for AnnotationTable {
    fn columns(&self) -> &[ColumnInfo] {
        &self.infos
    }

    fn len(&self) -> u64 {
        self.names.len()
    }

    fn read_column(&self, column: usize, _: u64) -> Result<Column> {
        let found = self.columns.get(column).cloned();
        found.ok_or_else(|| Error::argument(format!("column {column} does not exist")))
    }
}

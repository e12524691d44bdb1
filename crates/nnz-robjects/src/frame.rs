//! Tables of R: data frames, and those of Bioconductor.

use std::sync::Arc;

use nnz_container::rds::{
    Integers, NA_INTEGER, NA_REAL_BITS, Object, Reals, Strings, TextRef, Value,
};
use nnz_core::{
    Annotations, Column, ColumnInfo, Error, ErrorKind, Order, Result, Shape, StringList, Structure,
};

use crate::column::RColumn;
use crate::matrix::{AxisNames, Numbers, Parts, Places};
use crate::objects::{FileInfo, describe, integer, is_a, members, slot, take};

/// A table, whose columns are read when they are needed.
#[derive(Clone, Debug)]
pub struct Frame {
    info: Arc<FileInfo>,
    path: String,
    len: u64,
    names: Option<Arc<StringList>>,
    columns: Vec<FrameColumn>,
    infos: Vec<ColumnInfo>,
    /// The columns that are not read, and what they are.
    unread: Vec<(String, String)>,
    /// The row of the table for each row that is shown, if they differ.
    rows: Option<Arc<[Option<u64>]>>,
    /// Whether each name of an axis must have a row.
    is_required: bool,
}

#[derive(Clone, Debug)]
enum FrameColumn {
    Stored(RColumn),
    Made(Arc<Column>),
}

/// The largest number of nested tables.
const MOST_NESTED: usize = 8;

impl Frame {
    /// Creates a table without columns.
    pub(crate) fn empty(info: &Arc<FileInfo>, path: &str, len: u64) -> Self {
        Self {
            info: Arc::clone(info),
            path: path.to_owned(),
            len,
            names: None,
            columns: Vec::new(),
            infos: Vec::new(),
            unread: Vec::new(),
            rows: None,
            is_required: false,
        }
    }

    /// Returns whether an object is a table.
    pub(crate) fn is_frame(object: &Object) -> bool {
        let is_list = matches!(object.value, Value::List(_));
        (is_list && is_a(object, "data.frame"))
            || (object.is_s4() && crate::objects::has(object, &["listData", "nrows"]))
    }

    /// Reads a table.
    pub(crate) fn new(info: &Arc<FileInfo>, mut object: Object, path: &str) -> Result<Self> {
        let mut frame = Self::empty(info, path, 0);
        let names = match object.is_s4() {
            true => take(&mut object, "rownames"),
            false => take(&mut object, "row.names"),
        };
        if let Some(Value::Character(names)) = names.as_ref().map(|names| &names.value) {
            let names = info.names(names, path)?;
            frame.len = names.len();
            frame.names = Some(Arc::new(names));
        } else if let Some(Value::Integer(numbers)) = names.as_ref().map(|names| &names.value) {
            // A short form of 1 to n: missing, and n or -n. Other numbers are names.
            frame.len = match (numbers.len(), numbers.get(0), numbers.get(1)) {
                (2, Some(NA_INTEGER), Some(len)) => u64::from(len.unsigned_abs()),
                (len, ..) => {
                    let read = crate::objects::read_integers(info, numbers, path)?;
                    let is_default = read.iter().zip(1..).all(|(&name, number)| name == number);
                    if !is_default {
                        let names = read.iter().map(ToString::to_string);
                        frame.names = Some(Arc::new(names.collect()));
                    }
                    len
                }
            };
        }
        let stated = slot(&object, "nrows").and_then(integer);
        let columns = match object.is_s4() {
            true => {
                frame.len = stated.and_then(|len| u64::try_from(len).ok()).unwrap_or(frame.len);
                take(&mut object, "listData").unwrap_or_default()
            }
            false => std::mem::take(&mut object),
        };
        if frame.names.as_ref().is_some_and(|names| names.len() != frame.len) {
            let found = format!("{} names of rows", frame.names.map_or(0, |names| names.len()));
            return Err(Error::mismatch(info.place(path), found, frame.len));
        }
        frame.add_columns(columns, "", 0)?;
        frame.list_unread(&mut object);
        Ok(frame)
    }

    /// Lists what a table of Bioconductor has beside its columns: its metadata, and annotations of the columns.
    fn list_unread(&mut self, object: &mut Object) {
        let annotations = take(object, "elementMetadata");
        let annotations = annotations.and_then(|mut table| take(&mut table, "listData"));
        let lists = [("metadata", take(object, "metadata")), ("mcols", annotations)];
        for (slot, list) in lists {
            for (name, member) in members(&self.info, list.unwrap_or_default()) {
                let what = format!("{} of {slot} of the table", describe(&member));
                self.unread.push((format!("{slot}({name})"), what));
            }
        }
    }

    fn add_columns(&mut self, columns: Object, prefix: &str, depth: usize) -> Result<()> {
        let info = Arc::clone(&self.info);
        for (name, mut column) in members(&info, columns) {
            let name = format!("{prefix}{name}");
            let inner = |name: &str| format!("{name}.");
            if Self::is_frame(&column) && depth < MOST_NESTED {
                let nested = match column.is_s4() {
                    true => take(&mut column, "listData").unwrap_or_default(),
                    false => column,
                };
                self.add_columns(nested, &inner(&name), depth + 1)?;
                continue;
            }
            let path = format!("{}/{name}", self.path);
            let what = describe(&column);
            match RColumn::new(&info, column, &path)? {
                Ok(column) if column.len() != self.len => {
                    let found = format!("{} values", column.len());
                    return Err(Error::mismatch(info.place(&path), found, self.len));
                }
                Ok(_) if self.infos.iter().any(|info| info.name == name) => {
                    self.unread.push((name, format!("{what}, a second column of this name")));
                }
                Ok(column) => {
                    self.infos.push(ColumnInfo::new(name, column.column_type()));
                    self.columns.push(FrameColumn::Stored(column));
                }
                Err(what) => self.unread.push((name, what)),
            }
        }
        Ok(())
    }

    /// Adds a vector as a column, and returns `false` if the table has one of this name or the vector cannot be a column.
    pub(crate) fn add(&mut self, name: &str, object: Object) -> Result<bool> {
        let path = format!("{}/{name}", self.path);
        match RColumn::new(&self.info, object, &path)? {
            Ok(column) if column.len() == self.len && self.position(name).is_none() => {
                self.infos.push(ColumnInfo::new(name, column.column_type()));
                self.columns.push(FrameColumn::Stored(column));
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Adds a column with a value for each row that is shown. A column of the table with its name gets another name.
    pub(crate) fn add_made(&mut self, name: &str, column: Column) {
        if column.len() != self.len() {
            let what = format!("{} values of {} rows", column.len(), self.len());
            self.unread.push((name.to_owned(), what));
            return;
        }
        if let Some(at) = self.position(name) {
            let mut new = (1..).map(|number| format!("{name}.{number}"));
            let new = new.find(|new| self.position(new).is_none()).unwrap_or_default();
            self.infos[at].name.clone_from(&new);
            self.unread
                .push((name.to_owned(), format!("becomes {new}: the object has another {name}")));
        }
        self.infos.push(ColumnInfo::new(name, column.column_type()));
        self.columns.push(FrameColumn::Made(Arc::new(column)));
    }

    /// Removes a column and returns its values.
    pub(crate) fn remove(&mut self, name: &str) -> Result<Option<Column>> {
        let Some(at) = self.position(name) else { return Ok(None) };
        let column = self.read_column(at, u64::MAX)?;
        self.infos.remove(at);
        self.columns.remove(at);
        Ok(Some(column))
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.infos.iter().position(|info| info.name == name)
    }

    /// Returns the path in the object.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns the names of the rows that are stored, if they have any.
    #[must_use]
    pub fn names(&self) -> Option<&Arc<StringList>> {
        self.names.as_ref()
    }

    /// Lists the columns that are not read, and what they are.
    #[must_use]
    pub fn unread(&self) -> &[(String, String)] {
        &self.unread
    }

    /// Requires a row for each name of an axis.
    pub(crate) fn required(self) -> Self {
        Self { is_required: true, ..self }
    }

    /// Sets the names of the rows, unless there are others.
    pub(crate) fn with_names(self, names: Option<StringList>) -> Self {
        let names = names.filter(|names| names.len() == self.len).map(Arc::new);
        Self { names: self.names.or(names), ..self }
    }

    /// Returns the table with other rows: for each, a row of those that are shown, or `None` for one of missing values.
    pub(crate) fn selected(mut self, at: Arc<[Option<u64>]>) -> Option<Self> {
        for column in &mut self.columns {
            if let FrameColumn::Made(made) = column {
                *made = Arc::new(made.gathered(&at).ok()?);
            }
        }
        let rows = match &self.rows {
            None => at,
            Some(rows) => at.iter().map(|at| *rows.get(usize::try_from((*at)?).ok()?)?).collect(),
        };
        Some(Self { rows: Some(rows), ..self })
    }

    /// Returns the table for an axis, whose names may be those of rows in another order, or of a part of them. Without names
    /// the rows are those of the axis.
    pub(crate) fn along(self, names: Option<&StringList>, len: u64) -> Result<Self> {
        let rows = match (&self.names, names) {
            (Some(own), Some(names)) if **own != *names => positions(own, names),
            _ if self.len == len => return Ok(self),
            _ => {
                let found = format!("{} rows", self.len);
                return Err(Error::mismatch(self.info.place(&self.path), found, len));
            }
        };
        let place = self.info.place(&self.path);
        let lost = rows.iter().filter(|row| row.is_none()).count();
        if lost > 0 && self.is_required {
            let found = format!("no row for {lost} of {len} names");
            return Err(Error::mismatch(place, found, "a row for each"));
        }
        self.selected(rows).ok_or_else(|| Error::mismatch(place, "other rows", len))
    }
}

/// Returns the position of each of some names among all, the first if it occurs more than once.
#[must_use]
pub fn positions(all: &StringList, names: &StringList) -> Arc<[Option<u64>]> {
    let mut at = std::collections::HashMap::new();
    for (name, position) in all.iter().zip(0..) {
        at.entry(name).or_insert(position);
    }
    names.iter().map(|name| at.get(name).copied()).collect()
}

impl Annotations for Frame {
    fn columns(&self) -> &[ColumnInfo] {
        &self.infos
    }

    fn len(&self) -> u64 {
        self.rows.as_ref().map_or(self.len, |rows| rows.len() as u64)
    }

    fn read_column(&self, column: usize, memory: u64) -> Result<Column> {
        let held = self.columns.get(column);
        let held =
            held.ok_or_else(|| Error::argument(format!("column {column} does not exist")))?;
        let column = match held {
            FrameColumn::Made(column) => return Ok(Column::clone(column)),
            FrameColumn::Stored(held) => {
                let path = format!("{}/{}", self.path, self.infos[column].name);
                held.read(&self.info, &path, memory)?
            }
        };
        let Some(rows) = &self.rows else { return Ok(column) };
        let gathered = column.gathered(rows)?;
        let missing = gathered.missing.filter(|missing| missing.contains(&true));
        Ok(Column { missing, ..gathered })
    }

    fn is_nullable(&self, column: usize) -> bool {
        match self.columns.get(column) {
            Some(FrameColumn::Stored(column)) => column.has_missing(),
            Some(FrameColumn::Made(column)) => column.missing.is_some(),
            None => false,
        }
    }
}

/// Returns rows and columns of a data frame.
pub(crate) fn shape_of(object: &Object) -> Option<[u64; 2]> {
    let Value::List(columns) = &object.value else { return None };
    if !is_a(object, "data.frame") {
        return None;
    }
    let len = |column: &Object| match &column.value {
        Value::Integer(all) => all.len(),
        Value::Real(all) => all.len(),
        Value::Logical(all) => all.len() as u64,
        _ => 0,
    };
    Some([columns.first().map_or(0, len), columns.len() as u64])
}

/// Returns whether an object is a data frame of numbers only, which is used as a matrix.
pub(crate) fn is_numeric(object: &Object) -> bool {
    let Value::List(columns) = &object.value else { return false };
    let is_number = |column: &Object| {
        matches!(column.value, Value::Integer(_) | Value::Real(_))
            && slot(column, "class").is_none()
            && slot(column, "dim").is_none()
    };
    is_a(object, "data.frame") && !columns.is_empty() && columns.iter().all(is_number)
}

/// Reads a data frame of numbers as a matrix, in memory.
pub(crate) fn as_matrix(info: &Arc<FileInfo>, object: &Object, path: &str) -> Result<Parts> {
    let Value::List(columns) = &object.value else {
        return Err(Error::mismatch(info.place(path), object.value.kind(), "a data frame"));
    };
    let frame = Frame::new(info, object.clone(), path)?;
    if !frame.unread.is_empty() {
        let found = "columns with the same name";
        return Err(Error::mismatch(info.place(path), found, "a name for each column"));
    }
    info.check_memory(frame.len.saturating_mul(columns.len() as u64), 8, path)?;
    let (mut integers, mut reals) = (Vec::new(), Vec::new());
    let is_real = columns.iter().any(|column| matches!(column.value, Value::Real(_)));
    for column in columns {
        let read = match &column.value {
            Value::Integer(all) if !is_real => all.for_each_block(|_, block| {
                integers.extend_from_slice(block);
                true
            }),
            Value::Integer(all) => all.for_each_block(|_, block| {
                reals.extend(block.iter().map(|&value| match value {
                    NA_INTEGER => f64::from_bits(NA_REAL_BITS),
                    value => f64::from(value),
                }));
                true
            }),
            Value::Real(all) => all.for_each_block(|_, block| {
                reals.extend_from_slice(block);
                true
            }),
            _ => Ok(()),
        };
        read.map_err(|error| Error::new(ErrorKind::Io(error), info.place(path)))?;
    }
    let numbers = match is_real {
        true => Numbers::Real(Reals::Stored(reals)),
        false => Numbers::Integer(Integers::Stored(integers)),
    };
    let rows: Option<Strings> = frame.names.as_ref().map(|names| {
        let texts = names.iter().map(|name| std::str::from_utf8(name).ok().map(TextRef::utf8));
        texts.collect()
    });
    let cols = match slot(object, "names").map(|names| &names.value) {
        Some(Value::Character(names)) => Some(names.clone()),
        _ => None,
    };
    Ok(Parts {
        class: "data.frame".to_owned(),
        added: Vec::new(),
        shape: Shape { rows: frame.len, cols: columns.len() as u64 },
        order: Order::Col,
        structure: Structure::General,
        triangle: None,
        places: Places::Dense,
        numbers,
        names: AxisNames::new(rows, cols),
    })
}

/// Returns the names of rows or columns of a data frame.
pub(crate) fn names_of(
    info: &Arc<FileInfo>,
    object: &Object,
    axis: usize,
) -> Result<Option<StringList>> {
    match axis {
        0 => match slot(object, "row.names").map(|names| &names.value) {
            Some(Value::Character(names)) => info.names(names, "row.names").map(Some),
            _ => Ok(None),
        },
        _ => match slot(object, "names").map(|names| &names.value) {
            Some(Value::Character(names)) => info.names(names, "names").map(Some),
            _ => Ok(None),
        },
    }
}

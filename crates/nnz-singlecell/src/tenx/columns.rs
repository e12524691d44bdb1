//! The columns of features and of cells.

use nnz_container::tree::{Child, ChildKind, Group, NdArray};
use nnz_core::{
    Annotations, ArrayAbout, Axis, Column as Annotation, ColumnInfo, ColumnType, ColumnValues,
    Error, ErrorKind, Names, Result, StringList,
};

use crate::enumeration::Enumeration;
use crate::without::droppable;

/// Bytes of memory for names that are an enumeration.
const MOST_NAMES: u64 = 1 << 30;

/// An array with an element for each feature, or for each cell.
#[derive(Debug)]
pub(super) struct Column {
    info: ColumnInfo,
    array: Box<dyn NdArray>,
    /// Its values, if it is a factor or a logical vector of R.
    named: Option<Enumeration>,
}

/// A member that may be a column.
pub(super) enum OpenedColumn {
    Column(Column),
    /// Something else, described.
    Unread(String),
    /// A damaged column.
    Broken(Error),
}

impl Column {
    /// Opens a list of strings of length `len`; `None` if it does not exist.
    pub(super) fn open(
        group: &dyn Group,
        name: &str,
        len: u64,
        axis: Axis,
    ) -> Result<Option<Self>> {
        if group.child(name)?.is_none() {
            return Ok(None);
        }
        let array = group.array(name)?;
        let named = Enumeration::of(&*array)?;
        if named.is_none() && !array.element_type().is_string() {
            let found = format!("elements of type {}", array.element_type());
            return Err(Error::mismatch(array.place(), found, "strings"));
        }
        if *array.shape() != [len] {
            let found = match array.shape() {
                &[found] => format!("{found} strings"),
                shape => format!("{} dimensions", shape.len()),
            };
            let expected = format!("{len}, the number of {axis}");
            return Err(Error::mismatch(array.place(), found, expected));
        }
        let column_type = named.as_ref().map_or(ColumnType::String, |named| named.column_type());
        let info = ColumnInfo::new(name, column_type);
        Ok(Some(Self { info, array, named }))
    }

    /// Opens a member as an array of strings or numbers of length `len`. With `only`, lists of other lengths are
    /// damaged, because nothing else is stored there.
    pub(super) fn optional(
        group: &dyn Group,
        child: &Child,
        len: u64,
        only: bool,
    ) -> Result<OpenedColumn> {
        match &child.kind {
            ChildKind::Array => {}
            ChildKind::Other(what) => return Ok(OpenedColumn::Unread(what.clone())),
            _ => return Ok(OpenedColumn::Unread("a group".to_owned())),
        }
        let opened = group.array(&child.name);
        let opened = opened.and_then(|array| Ok((Enumeration::of(&*array)?, array)));
        let (named, array) = match opened {
            Ok(opened) => opened,
            Err(error) if error.is_system() => return Err(error),
            Err(error) => {
                return Ok(match error.kind() {
                    ErrorKind::Unsupported(what) => OpenedColumn::Unread(what.clone()),
                    _ => OpenedColumn::Broken(error),
                });
            }
        };
        let element = array.element_type();
        let column_type = match (&named, element.value_type()) {
            (Some(named), _) => named.column_type(),
            (None, _) if element.is_string() => ColumnType::String,
            (None, Some(value_type)) => ColumnType::Number(value_type),
            (None, None) => return Ok(OpenedColumn::Unread(format!("elements of type {element}"))),
        };
        if *array.shape() != [len] {
            let lengths: Vec<String> = array.shape().iter().map(ToString::to_string).collect();
            return Ok(match &lengths[..] {
                [] => OpenedColumn::Unread("a single value".to_owned()),
                [found] if only => {
                    let found = format!("an array of shape [{found}]");
                    OpenedColumn::Broken(Error::mismatch(
                        array.place(),
                        found,
                        format!("{len} elements"),
                    ))
                }
                lengths => {
                    OpenedColumn::Unread(format!("{} elements, not {len}", lengths.join(" x ")))
                }
            });
        }
        let info = ColumnInfo::new(child.name.clone(), column_type);
        Ok(OpenedColumn::Column(Self { info, array, named }))
    }

    /// Sets another name.
    pub(super) fn named(mut self, name: &str) -> Self {
        name.clone_into(&mut self.info.name);
        self
    }

    pub(super) fn name(&self) -> &str {
        &self.info.name
    }

    /// Starts reading strings.
    pub(super) fn strings(&self) -> Result<Names<'_>> {
        let Some(named) = &self.named else { return self.array.read_strings(&self.array.all()) };
        let column = named.read(MOST_NAMES)?;
        let mut list = StringList::new();
        let mut text = Vec::new();
        for row in 0..column.len() {
            text.clear();
            column.write_text(row, &mut text);
            list.try_push(&text)?;
        }
        Ok(list.into_reader())
    }

    /// Reads all values.
    pub(super) fn read(&self, memory: u64) -> Result<Annotation> {
        if let Some(named) = &self.named {
            return named.read(memory);
        }
        let values = match self.info.column_type {
            ColumnType::Number(_) => {
                ColumnValues::Numbers(self.array.read(&self.array.all(), memory)?)
            }
            _ => ColumnValues::Strings(self.strings()?.list_with_limit(memory)?),
        };
        Ok(Annotation { values, missing: None })
    }

    pub(super) fn about(&self) -> Result<ArrayAbout> {
        Ok(ArrayAbout::new(self.array.place().array.unwrap_or_default())
            .value_type(self.array.element_type().value_type())
            .len(self.array.shape().first().copied())
            .bytes(ArrayAbout::size(self.array.stored_bytes())?))
    }
}

/// Columns as a table.
pub(super) struct Table<'a> {
    infos: Vec<ColumnInfo>,
    columns: &'a [Column],
    len: u64,
    /// The path of their group, in messages.
    group: &'static str,
}

impl<'a> Table<'a> {
    pub(super) fn new(columns: &'a [Column], len: u64, group: &'static str) -> Self {
        let infos = columns.iter().map(|column| column.info.clone()).collect();
        Self { infos, columns, len, group }
    }
}

impl Annotations for Table<'_> {
    fn columns(&self) -> &[ColumnInfo] {
        &self.infos
    }

    fn len(&self) -> u64 {
        self.len
    }

    fn read_column(&self, column: usize, memory: u64) -> Result<Annotation> {
        let column = self.columns.get(column).ok_or_else(|| Error::argument("no such column"))?;
        let path = || format!("{}{}", self.group, column.info.name);
        column.read(memory).map_err(|error| droppable(error, &path()))
    }

    fn is_nullable(&self, column: usize) -> bool {
        let named = self.columns.get(column).and_then(|column| column.named.as_ref());
        named.is_some_and(Enumeration::is_nullable)
    }
}

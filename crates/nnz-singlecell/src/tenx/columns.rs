//! The columns of features and of cells.

use nnz_container::tree::{Child, ChildKind, Group, NdArray};
use nnz_core::{
    Annotations, ArrayAbout, Axis, Column as Annotation, ColumnInfo, ColumnType, ColumnValues,
    Error, Names, Result,
};

/// An array with an element for each feature, or for each cell.
#[derive(Debug)]
pub(super) struct Column {
    info: ColumnInfo,
    array: Box<dyn NdArray>,
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
        if !array.element_type().is_string() {
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
        let info = ColumnInfo { name: name.to_owned(), column_type: ColumnType::String };
        Ok(Some(Self { info, array }))
    }

    /// Opens an array of strings or numbers of length `len`. If a member is something else, returns the reason.
    pub(super) fn optional(
        group: &dyn Group,
        child: &Child,
        len: u64,
    ) -> Result<std::result::Result<Self, String>> {
        match &child.kind {
            ChildKind::Array => {}
            ChildKind::Other(what) => return Ok(Err(what.clone())),
            _ => return Ok(Err("a group".to_owned())),
        }
        let array = match group.array(&child.name) {
            Ok(array) => array,
            Err(error) if error.is_system() => return Err(error),
            Err(error) => return Ok(Err(error.kind().to_string())),
        };
        let column_type = match array.element_type() {
            found if found.is_string() => ColumnType::String,
            found => match found.value_type() {
                Some(value_type) => ColumnType::Number(value_type),
                None => return Ok(Err(format!("elements of type {found}"))),
            },
        };
        if *array.shape() != [len] {
            let lengths: Vec<String> = array.shape().iter().map(ToString::to_string).collect();
            return Ok(Err(match &lengths[..] {
                [] => "a single value".to_owned(),
                lengths => format!("{} elements, not {len}", lengths.join(" x ")),
            }));
        }
        Ok(Ok(Self { info: ColumnInfo { name: child.name.clone(), column_type }, array }))
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
        self.array.read_strings(&self.array.all())
    }

    pub(super) fn about(&self) -> Result<ArrayAbout> {
        Ok(ArrayAbout {
            name: self.array.place().array.unwrap_or_default(),
            value_type: self.array.element_type().value_type(),
            len: self.array.shape().first().copied(),
            bytes: ArrayAbout::size(self.array.stored_bytes())?,
        })
    }
}

/// Columns as a table.
pub(super) struct Table<'a> {
    infos: Vec<ColumnInfo>,
    columns: &'a [Column],
    len: u64,
}

impl<'a> Table<'a> {
    pub(super) fn new(columns: &'a [Column], len: u64) -> Self {
        let infos = columns.iter().map(|column| column.info.clone()).collect();
        Self { infos, columns, len }
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
        let values = match column.info.column_type {
            ColumnType::Number(_) => {
                ColumnValues::Numbers(column.array.read(&column.array.all(), memory)?)
            }
            _ => ColumnValues::Strings(column.strings()?.list_with_limit(memory)?),
        };
        Ok(Annotation { values, missing: None })
    }
}

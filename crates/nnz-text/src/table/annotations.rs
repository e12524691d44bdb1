//! Columns of text beside the numbers, as annotations.

use nnz_core::{
    Annotations, Column, ColumnInfo, ColumnType, ColumnValues, Error, ErrorKind, Place, Result,
    StringList,
};

/// A table of strings.
#[derive(Default)]
pub(super) struct Texts {
    columns: Vec<ColumnInfo>,
    lists: Vec<StringList>,
    len: u64,
}

impl Texts {
    /// Creates a table of `len` rows from labels and lists.
    ///
    /// # Errors
    ///
    /// Fails if two labels are equal.
    pub(super) fn new(
        columns: impl IntoIterator<Item = (String, StringList)>,
        len: u64,
        place: &Place,
    ) -> Result<Self> {
        let mut table = Self { len, ..Self::default() };
        for (name, list) in columns {
            if table.columns.iter().any(|column| column.name == name) {
                let what = format!("two annotations have the name {name:?}");
                return Err(Error::unsupported(place.clone(), what));
            }
            table.columns.push(ColumnInfo::new(name, ColumnType::String));
            table.lists.push(list);
        }
        Ok(table)
    }
}

impl Annotations for Texts {
    fn columns(&self) -> &[ColumnInfo] {
        &self.columns
    }

    fn len(&self) -> u64 {
        self.len
    }

    fn read_column(&self, column: usize, memory: u64) -> Result<Column> {
        let Some(list) = self.lists.get(column) else {
            return Err(Error::argument(format!("there is no column {column}")));
        };
        if list.bytes() > memory {
            let kind = ErrorKind::Memory { needed: list.bytes(), allowed: memory };
            return Err(Error::new(kind, Place::default()));
        }
        Ok(Column { values: ColumnValues::Strings(list.clone()), missing: None })
    }
}

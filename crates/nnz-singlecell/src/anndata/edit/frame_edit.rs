//! Changes of the columns of a table.

use std::collections::BTreeMap;
use std::sync::Arc;

use nnz_container::tree::Group as StoredGroup;
use nnz_core::{Annotations, Axis, ColumnType, Error, ErrorKind, Place, Result, StringList};
use nnz_engine::AnnotationTable;

use super::super::AnnData;
use super::super::columns::{RESERVED, is_reserved, write_column};
use super::super::element::{Element, Encoding};
use super::super::frame::{COLUMNS, DataFrame, column_names};
use super::super::output::{Group, Output};
use super::removal::{Removal, all_names};
use super::{AddedColumns, open_group, shown};

/// The group with the categories of columns in anndata 0.7.
const CATEGORIES: &str = "__categories";

/// The encoding of tables to which columns can be added.
const WRITTEN: &str = "0.2.0";

/// Changes of a table.
pub(super) struct FrameEdit {
    /// `obs` or `var`.
    name: &'static str,
    table: Arc<DataFrame>,
    group: Box<dyn StoredGroup>,
    /// The names of all columns after the changes, in order.
    order: Vec<String>,
    has_order: bool,
    removals: Vec<Removal>,
    added: Vec<NewColumn>,
    /// The names of rows, if they were read.
    names: Option<StringList>,
}

/// A column that is added.
struct NewColumn {
    table: Arc<AnnotationTable>,
    number: usize,
    /// The row of the table for each row of the file; empty if they are the same.
    rows: Arc<Vec<Option<u64>>>,
}

impl std::fmt::Debug for FrameEdit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FrameEdit").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Returns whether a table has a column, of a supported type or not.
pub(super) fn has_column(table: &DataFrame, name: &str) -> bool {
    table.columns().iter().any(|column| column.name == name)
        || table.unread_columns().iter().any(|(column, _)| column == name)
        || table.broken().iter().any(|(column, _)| column == name)
}

impl FrameEdit {
    /// Returns the changes of a table, after opening it the first time.
    pub(super) fn of<'a>(
        all: &'a mut BTreeMap<&'static str, Self>,
        file: &AnnData,
        name: &'static str,
    ) -> Result<&'a mut Self> {
        use std::collections::btree_map::Entry;
        Ok(match all.entry(name) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(Self::open(file, name)?),
        })
    }

    fn open(file: &AnnData, name: &'static str) -> Result<Self> {
        let table = if name == "obs" { file.obs()? } else { file.var()? };
        let group = match Element::open(&*file.root, name)? {
            Element::Group(group) => group,
            Element::Array(array) => {
                let what = "changing columns in the layout before anndata 0.7 is not supported; nnz convert writes \
                            the current layout";
                return Err(Error::unsupported(array.place(), what));
            }
        };
        let order = column_names(&*group, table.index_name())?;
        let has_order = group.attribute(COLUMNS)?.is_some();
        let (removals, added, names) = (Vec::new(), Vec::new(), None);
        Ok(Self { name, table, group, order, has_order, removals, added, names })
    }

    fn place(&self) -> Place {
        self.table.place()
    }

    fn refused(&self, what: String) -> Error {
        Error::new(ErrorKind::Argument(what), self.place())
    }

    /// Removes a column.
    pub(super) fn remove(&mut self, column: &str) -> Result<()> {
        if column == self.table.index_name() || column == CATEGORIES {
            let what = format!("{}/{column} cannot be removed: the table needs it", self.name);
            return Err(self.refused(what));
        }
        let listed = self.order.iter().position(|name| name == column);
        let has_data = self.remove_data(column)?;
        match listed {
            Some(at) => drop(self.order.remove(at)),
            None if has_data => {}
            None => {
                let what = format!(
                    "there is no column {column:?} in {}, which has {}",
                    self.name,
                    shown(&self.order)
                );
                return Err(self.refused(what));
            }
        }
        Ok(())
    }

    /// Removes the data of a column, and returns whether there is any.
    fn remove_data(&mut self, column: &str) -> Result<bool> {
        // Names with slashes are nested groups.
        let (outer, name) = column.rsplit_once('/').unwrap_or(("", column));
        let before = self.removals.len();
        for (outer, name) in [(outer, name), (CATEGORIES, column)] {
            let names = match outer {
                "" => all_names(&*self.group)?,
                outer => match Element::at(&*self.group, outer)? {
                    Some(Element::Group(group)) => all_names(&*group)?,
                    _ => continue,
                },
            };
            if names.iter().any(|there| there == name) {
                let outer = outer.split('/').filter(|name| !name.is_empty());
                let parents = [self.name].into_iter().chain(outer).map(str::to_owned).collect();
                self.removals.push(Removal::new(parents, name));
            }
        }
        Ok(self.removals.len() > before)
    }

    /// Adds the columns of a table, and returns their paths.
    pub(super) fn add(
        &mut self,
        added: &AddedColumns,
        replace: bool,
        memory: u64,
    ) -> Result<Vec<String>> {
        let encoding = Encoding::of(&*self.group, &self.place())?;
        if encoding.version != WRITTEN {
            let what = "adding columns in the layout before anndata 0.8 is not supported; nnz convert writes the \
                        current layout";
            return Err(Error::unsupported(self.place(), what));
        }
        let table = &added.table;
        if table.columns().is_empty() {
            let what = format!("the table for {} has no columns to add", self.name);
            return Err(self.refused(what));
        }
        let rows = Arc::new(match added.by_position {
            true => Vec::new(),
            false => {
                if self.names.is_none() {
                    self.names = Some(self.table.names()?.list_with_limit(memory)?);
                }
                let axis = if self.name == "var" { Axis::Cols } else { Axis::Rows };
                let names = self.names.as_ref();
                names.map_or(Ok(Vec::new()), |names| table.rows_of(names, axis, self.name))?
            }
        });
        if table.len() != self.table.len() {
            let [found, expected] = [table.len(), self.table.len()];
            let what = format!("the table has {found} rows, and {} has {expected}", self.name);
            return Err(self.refused(what));
        }
        let mut paths = Vec::new();
        for (number, column) in table.columns().iter().enumerate() {
            self.place_column(&column.name, replace)?;
            let (table, rows) = (Arc::clone(table), Arc::clone(&rows));
            self.added.push(NewColumn { table, number, rows });
            paths.push(format!("{}/{}", self.name, column.name));
        }
        Ok(paths)
    }

    /// Gives a new column its place, and removes one that it replaces.
    fn place_column(&mut self, name: &str, replace: bool) -> Result<()> {
        let path = format!("{}/{name}", self.name);
        if is_reserved(name) || name.is_empty() || name.contains('/') {
            let what = if is_reserved(name) { RESERVED } else { "empty or has a slash" };
            return Err(self.refused(format!("a column cannot be named {name:?}: {what}")));
        }
        if name == self.table.index_name() {
            return Err(self.refused(format!("{path} has the names of the rows")));
        }
        let is_new = |column: &NewColumn| {
            column.table.columns().get(column.number).is_some_and(|info| info.name == name)
        };
        if self.added.iter().any(is_new) {
            return Err(self.refused(format!("{path} is added twice")));
        }
        if self.order.iter().any(|there| there == name) {
            if !replace {
                let exists =
                    Error::new(ErrorKind::Exists, self.place().with_array(name.to_owned()));
                return Err(exists.with_hint("replace", "replaces it"));
            }
            self.remove_data(name)?;
            return Ok(());
        }
        // A member that is not listed as a column, unless it is removed.
        let is_removed = self.removals.iter().any(|removal| removal.path() == path);
        if !is_removed && all_names(&*self.group)?.iter().any(|there| there == name) {
            return Err(self.refused(format!("{path} exists, and is not a column")));
        }
        self.order.push(name.to_owned());
        Ok(())
    }

    pub(super) fn write(self, output: &mut Output) -> Result<()> {
        for removal in &self.removals {
            removal.write(output)?;
        }
        let group: Group = open_group(output, &[self.name.to_owned()])?;
        if self.has_order {
            output.tree.remove_attribute(group.0, COLUMNS)?;
        }
        output.set_texts(group, COLUMNS, &self.order)?;
        for NewColumn { table, number, rows } in &self.added {
            let (Some(info), Some(column)) = (table.columns().get(*number), table.column(*number))
            else {
                continue;
            };
            let column = match rows.is_empty() {
                true => column.clone(),
                false => column.gathered(rows)?,
            };
            let time = match info.column_type {
                ColumnType::Time(time) => Some(time),
                _ => None,
            };
            write_column(output, group, &info.name, column, time)?;
        }
        Ok(())
    }
}

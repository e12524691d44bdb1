//! Validating the tables of a file.

mod elements;

use std::collections::HashSet;
use std::sync::Arc;

use nnz_container::tree::{Attributes, Group};
use nnz_core::{Annotations, Error, ErrorKind, Finding, Result, StringList, readable};

use super::columns::{INDEX, RESERVED, is_reserved};
use super::element::Element;
use super::{AnnData, DataFrame};

impl AnnData {
    /// Reads the names and columns of all tables, and passes findings to `each`. Columns are not
    /// kept; one may take `memory` bytes.
    ///
    /// # Errors
    ///
    /// Fails if the system cannot read, or if a column takes more memory.
    pub fn validate_tables(&self, memory: u64, each: &mut dyn FnMut(Finding)) -> Result<()> {
        check_attributes(&*self.root, each)?;
        check(self.obs(), memory, each)?;
        check_encodings(&*self.root, "obs", each)?;
        check(self.var(), memory, each)?;
        check_encodings(&*self.root, "var", each)?;
        let mut has_raw = false;
        for path in ["raw/var", "raw.var"] {
            // An invalid one exists.
            has_raw |= readable(Element::at(&*self.root, path))?.is_none_or(|raw| raw.is_some());
        }
        if has_raw {
            check(self.raw_var(), memory, each)?;
            check_encodings(&*self.root, "raw/var", each)?;
        }
        Ok(())
    }
}

fn check(frame: Result<Arc<DataFrame>>, memory: u64, each: &mut dyn FnMut(Finding)) -> Result<()> {
    let frame = match frame {
        Ok(frame) => frame,
        Err(error) => return report(error, each),
    };
    match names(&frame, memory) {
        Ok(names) => notes(&frame, &names, each),
        Err(error) => report(error, each)?,
    }
    if let Some(error) = frame.order_fault() {
        each(Finding::fault(error.place().clone(), error.kind().to_string()));
    }
    for (_, broken) in frame.broken() {
        each(Finding::fault(broken.place().clone(), broken.kind().to_string()));
    }
    for (name, what) in frame.unread_columns() {
        let what =
            format!("column {name} ({what}) is not supported, and left out by other commands");
        each(Finding::note(frame.place(), what));
    }
    if frame.columns().iter().any(|column| is_reserved(&column.name)) {
        let what = format!("column {INDEX} has {RESERVED}: anndata cannot write the table");
        each(Finding::note(frame.place(), what));
    }
    for column in 0..frame.columns().len() {
        if let Err(error) = frame.read_column(column, memory) {
            report(error, each)?;
        }
    }
    Ok(())
}

/// Reports attributes of a group or array that cannot be read, such as those of other programs, which are copied.
pub(crate) fn check_attributes<T: Attributes + ?Sized>(
    of: &T,
    each: &mut dyn FnMut(Finding),
) -> Result<()> {
    for name in of.attributes()? {
        match of.attribute(&name) {
            Err(error) if !matches!(error.kind(), ErrorKind::Unsupported(_)) => {
                report(error, each)?;
            }
            _ => {}
        }
    }
    Ok(())
}

/// Reports an encoding that anndata does not have.
fn check_encoding(element: &Element, each: &mut dyn FnMut(Finding)) -> Result<()> {
    let encoding = element.encoding()?;
    if encoding.is_unknown() {
        let what = format!("encoding-type {:?} is not known", encoding.kind);
        each(Finding::fault(element.place(), what));
    }
    Ok(())
}

/// Reports encodings of the columns of a table that anndata does not have.
fn check_encodings(root: &dyn Group, path: &str, each: &mut dyn FnMut(Finding)) -> Result<()> {
    // An element that cannot be opened is a separate finding.
    let Some(Some(Element::Group(table))) = readable(Element::at(root, path))? else {
        return Ok(());
    };
    for child in readable(table.children())?.unwrap_or_default() {
        if let Some(column) = readable(Element::open(&*table, &child.name))? {
            readable(check_encoding(&column, each))?;
        }
    }
    Ok(())
}

fn names(frame: &DataFrame, memory: u64) -> Result<StringList> {
    // The other half is for finding duplicates.
    frame.names()?.list_with_limit(memory / 2)
}

/// Notes what anndata warns about: duplicate names, and those that it cannot decode.
fn notes(frame: &DataFrame, names: &StringList, each: &mut dyn FnMut(Finding)) {
    let mut seen = HashSet::new();
    if let Some(twice) = names.iter().find(|name| !seen.insert(*name)) {
        let name = String::from_utf8_lossy(twice);
        each(Finding::note(frame.place(), format!("duplicate name {name:?}")));
    }
    if let Some(name) = names.iter().find(|name| std::str::from_utf8(name).is_err()) {
        let name = String::from_utf8_lossy(name);
        let what = format!("the name {name:?} is not UTF-8, so anndata cannot read it");
        each(Finding::note(frame.place(), what));
    }
}

/// Reports an error as a finding, unless it is of the system or lack of memory.
fn report(error: Error, each: &mut dyn FnMut(Finding)) -> Result<()> {
    if error.is_system() || matches!(error.kind(), ErrorKind::Memory { .. }) {
        return Err(error);
    }
    let (kind, place) = error.into_parts();
    each(Finding::fault(place, kind.to_string()));
    Ok(())
}

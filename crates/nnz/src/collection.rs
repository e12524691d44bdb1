//! Files and stores with several matrices and tables along shared axes, such as AnnData and Loom.

mod by_name;
mod contents;
mod convert;
mod diff;
mod file_names;
mod groups;
mod several;
mod slice;
mod split;
mod tables;

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use nnz_core::{Axis, Error, MatrixSource, Place, Result};

pub use contents::{Contents, ContentsMember, MemberRole, NamedAttribute};
pub use nnz_engine::{ElementChange, ElementDifference, Join};
use nnz_engine::{Keyed, Selection, Slice};
pub use slice::CollectionSlice;
pub use split::{SplitSummary, split};

pub(crate) use convert::{concat, convert, target_of};
pub(crate) use several::{SeveralMatrices, select_one};
pub(crate) use tables::JoinedTables;

use crate::formats::{FormatInfo, Member};
use crate::{Context, DiffOptions, Location};

/// A file or store with several matrices and tables along shared axes, as returned by [`open`](crate::open).
///
/// Opening reads what identifies it; members are read when they are needed.
pub trait Collection: Any + fmt::Debug + Send + Sync {
    /// Describes the format.
    fn info(&self) -> &'static FormatInfo;

    /// Returns the name in messages.
    fn place(&self) -> Place;

    /// Returns the size of the file in bytes, if it is known.
    fn bytes(&self) -> Option<u64>;

    /// Lists the matrices, and the columns of the tables.
    ///
    /// # Errors
    ///
    /// Fails if they cannot be read.
    fn members(&self) -> Result<Vec<Member>>;

    /// Opens a matrix, given by its path.
    ///
    /// # Errors
    ///
    /// Fails if there is none at this path, or if it is broken.
    fn open(&self, path: &str) -> Result<Box<dyn MatrixSource>>;

    /// Returns the rows and columns of a matrix, given by its path, that belong to selected rows and columns. By default
    /// those along the axes of the collection have its positions.
    ///
    /// # Errors
    ///
    /// Fails if there is no such matrix, or if rows and columns cannot be found.
    fn selected(&self, path: &str, [rows, cols]: [&Selection; 2]) -> Result<[Selection; 2]> {
        let members = self.members()?;
        let found = members.iter().find(|member| member.path == path.trim_matches('/'));
        let Some(&[of_rows, of_cols]) = found.map(|member| &*member.axes) else {
            return Ok([Selection::all(), Selection::all()]);
        };
        let slice = Slice::new(self.axes()?, rows, cols)?;
        Ok([of_rows, of_cols].map(|axis| match axis {
            Some(axis) => Selection::ranges(slice.ranges(axis)).allow_empty(true),
            None => Selection::all(),
        }))
    }

    /// Returns whether it consists of matrices that can be written to groups of another file, without a main matrix or
    /// tables. By default it does not.
    fn is_several(&self) -> bool {
        false
    }

    /// Checks that rows and columns can be selected in all members. By default they can.
    ///
    /// # Errors
    ///
    /// Fails if members have other rows or columns, of which some are selected.
    fn check_selected(&self, selections: [&Selection; 2]) -> Result<()> {
        let _ = selections;
        Ok(())
    }

    /// Returns whether there is a main matrix, which is used where a single matrix is needed.
    ///
    /// # Errors
    ///
    /// Fails if that cannot be read.
    fn has_main(&self) -> Result<bool>;

    /// Opens the main matrix, whose [extras](MatrixSource::extras) are everything else.
    ///
    /// # Errors
    ///
    /// Fails if there is none or it is broken.
    fn main(&self) -> Result<Box<dyn MatrixSource>>;

    /// Returns the names and tables of rows and columns, as a matrix whose entries are not read.
    ///
    /// # Errors
    ///
    /// Fails if a table is missing or broken.
    fn axes(&self) -> Result<Box<dyn MatrixSource>>;

    /// Opens everything that other formats can store; `None` without a main matrix.
    ///
    /// # Errors
    ///
    /// Fails if something cannot be read.
    fn contents(&self) -> Result<Option<Contents>>;

    /// Compares all elements with those of another collection, and passes differences to `each`. Returns whether
    /// collections of these formats can be compared; otherwise nothing is done.
    ///
    /// # Errors
    ///
    /// Fails if one cannot be read or is broken.
    fn diff(
        &self,
        other: &dyn Collection,
        options: &DiffOptions,
        context: &Context,
        each: &mut dyn FnMut(ElementDifference),
    ) -> Result<bool>;
}

impl dyn Collection {
    /// Opens the main matrix, or the names and tables of a collection without one.
    ///
    /// # Errors
    ///
    /// Fails as [`main`](Collection::main) and [`axes`](Collection::axes).
    pub fn main_or_axes(&self) -> Result<Box<dyn MatrixSource>> {
        if self.has_main()? { self.main() } else { self.axes() }
    }
}

/// Returns the first text that occurs twice.
pub(crate) fn repeated(texts: &[String]) -> Option<&String> {
    let mut seen = std::collections::BTreeSet::new();
    texts.iter().find(|text| !seen.insert(*text))
}

/// Returns a collection of this crate as its own type.
pub(crate) fn downcast<T: Collection>(collection: &dyn Collection) -> Option<&T> {
    let any: &dyn Any = collection;
    any.downcast_ref()
}

/// Compares two collections, after the rows and columns of the second are put into the order of the first if
/// [`by_name`](DiffOptions::by_name) is set. Returns whether collections of these formats can be compared.
pub(crate) fn diff(
    [first, second]: [&Arc<dyn Collection>; 2],
    options: &DiffOptions,
    context: &Context,
    each: &mut dyn FnMut(ElementDifference),
) -> Result<bool> {
    // Each of several matrices is compared by its own names.
    match options.by_name && !first.is_several() {
        true => by_name::diff([first, second], options, context, each),
        false => first.diff(&**second, options, context, each),
    }
}

/// How collections are concatenated, and as far as it applies, single matrices. By default, all must have the same columns.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct CollectionConcatOptions {
    /// Which columns of matrices, joined by name, and which columns of tables are kept. Of AnnData files that become modalities,
    /// which cells: by default all.
    pub join: Option<Join>,
    /// A column of the table of cells to add, with the key of the source.
    pub label: Option<String>,
    /// The separator between the name of a cell and the key of its source, which is appended; by default
    /// names are unchanged.
    pub index_unique: Option<String>,
    /// The keys of the sources, one for each; by default the numbers of whole files, from 0, and the names of single
    /// matrices. Of AnnData files that become modalities, the names of these; by default those of the files.
    pub keys: Vec<String>,
    /// The value of missing elements of dense arrays; by default NaN.
    pub fill: Option<f64>,
}

nnz_core::setters! {
    CollectionConcatOptions {
        join: Option<Join>,
        label: Option<String>,
        index_unique: Option<String>,
        keys: Vec<String>,
        fill: Option<f64>,
    }
}

impl CollectionConcatOptions {
    /// Fails if keys are set, but not one for each of so many sources.
    pub(crate) fn check_keys(&self, count: usize) -> Result<()> {
        let keys = &self.keys;
        if keys.is_empty() {
            return Ok(());
        }
        if keys.len() != count {
            let what = format!("{} keys for {count} sources", keys.len());
            return Err(Error::argument(what));
        }
        if let Some(key) = repeated(keys) {
            return Err(Error::argument(format!("the key {key:?} is given twice")));
        }
        Ok(())
    }

    /// Fails if keys of concatenated cells are set, but not used.
    pub(crate) fn check_keys_used(&self) -> Result<()> {
        let Self { label, index_unique, keys, .. } = self;
        match !keys.is_empty() && label.is_none() && index_unique.is_none() {
            true => {
                let what = "keys are written to a column or to names";
                Err(Error::argument(what).with_hint("label", "names the column"))
            }
            false => Ok(()),
        }
    }

    /// Fails if an option is set that does not apply to modalities.
    pub(crate) fn check_of_modalities(&self) -> Result<()> {
        let Self { label, index_unique, .. } = self;
        self.check_of_matrices()?;
        let set = [("label", label.is_some()), ("index_unique", index_unique.is_some())];
        match set.iter().find(|(_, is_set)| *is_set) {
            None => Ok(()),
            Some((name, _)) => {
                let what = format!("the option {name} applies only if cells are concatenated");
                Err(Error::argument(what))
            }
        }
    }

    /// Fails if an option is set that applies only to whole files of a format with missing elements.
    pub(crate) fn check_of_matrices(&self) -> Result<()> {
        match self.fill {
            None => Ok(()),
            Some(_) => Err(Error::argument(
                "the option fill applies only if the cells of AnnData or MuData files are concatenated to a file of the same format",
            )),
        }
    }

    /// Returns the keys of the sources, by default their names; `None` if they are not used.
    pub(crate) fn keys_of(
        &self,
        sources: impl IntoIterator<Item = Location>,
    ) -> Result<Option<Vec<String>>> {
        self.check_keys_used()?;
        match self.label.is_some() || self.index_unique.is_some() {
            true => crate::concat::keys_of(sources, &self.keys).map(Some),
            false => Ok(None),
        }
    }

    /// Adds the key of its source to the annotations or names of a matrix.
    pub(crate) fn keyed(
        &self,
        source: Box<dyn MatrixSource>,
        axis: Axis,
        key: &str,
    ) -> Result<Box<dyn MatrixSource>> {
        let marks = (self.label.as_deref(), self.index_unique.as_deref());
        Ok(Box::new(Keyed::new(source, axis, key, marks)?))
    }
}

//! An open file.

use std::ops::Range;
use std::sync::Arc;

use nnz_container::tree::Group;
use nnz_core::{
    Annotations as _, Axis, Error, MatrixSource, Place, Repairs, Result, Rounding, Scalar,
    ValueType, readable,
};
use nnz_engine::{
    DiffOptions, ElementChange, ElementDifference, Selection, Slice, TaskContext, default_memory,
};

use super::Item;
use super::columns::WideTables;
use crate::anndata::element::Encoding;
use crate::anndata::whole::collections::check_shapes;
use crate::anndata::whole::picks::Pick;
use crate::anndata::{self, AnnData};

/// The encoding of a root.
pub(super) const KIND: &str = "MuData";
pub(super) const VERSION: &str = "0.1.0";

/// The groups of modalities, and of maps from rows of the common tables to theirs.
pub(super) const MODALITIES: &str = "mod";
pub(super) const MAPS: [&str; 2] = ["obsmap", "varmap"];

/// The attribute with the names of modalities, in order.
pub(super) const ORDER: &str = "mod-order";

/// The attribute with the axis that modalities share: 0 for cells, 1 for features, -1 for both.
pub(super) const AXIS: &str = "axis";

/// Why a modality is not written.
pub(super) const MISSING: &str = "named in the file, but missing";

/// A MuData file or store, or a group in one.
///
/// Opening reads only the attributes of the root and of the modalities.
#[derive(Clone, Debug)]
pub struct MuData {
    /// The common tables and what belongs to them, which are stored as in AnnData.
    pub(super) common: AnnData,
    pub(super) modalities: Vec<(String, AnnData)>,
    /// The modalities that are left out on request.
    dropped: Vec<String>,
}

/// Compares two modalities with a name, and passes differences.
pub type CompareModalities<'a> =
    &'a mut dyn FnMut([&AnnData; 2], &str, &mut dyn FnMut(ElementDifference)) -> Result<()>;

impl MuData {
    /// Returns whether a group is the root of MuData, by its attribute.
    ///
    /// # Errors
    ///
    /// Fails if the group cannot be read.
    pub fn is_root(group: &dyn Group) -> Result<bool> {
        Ok(Encoding::of(group, &Place::path(group.path()))?.kind == KIND)
    }

    /// Opens the MuData with this root group.
    ///
    /// # Errors
    ///
    /// Fails if it is not MuData, of an unknown version, or if a modality is not AnnData.
    pub fn open(root: impl Into<Arc<dyn Group>>) -> Result<Self> {
        let root = root.into();
        let place = Place::path(root.path());
        let encoding = Encoding::of(&*root, &place)?;
        if encoding.kind != KIND {
            let found = format!("encoding-type {:?}", encoding.kind);
            return Err(Error::mismatch(place, found, KIND));
        }
        encoding.check(&[VERSION, ""], &place)?;
        let group = root.group(MODALITIES)?;
        let mut modalities = Vec::new();
        for child in group.children()? {
            let inner: Arc<dyn Group> = group.group(&child.name)?.into();
            if Self::is_root(&*inner)? {
                let what = "MuData inside of MuData is not supported";
                return Err(Error::unsupported(Place::path(inner.path()), what));
            }
            modalities.push((child.name, AnnData::open(inner)?));
        }
        // The reference ignores a list without all names.
        if let Some(order) = order_of(&*group)? {
            let position = |name: &str| order.iter().position(|other| other == name);
            modalities.sort_by_key(|(name, _)| position(name).unwrap_or(usize::MAX));
        }
        Ok(Self { common: AnnData::of_tables(root), modalities, dropped: Vec::new() })
    }

    /// Corrects pointers that overflowed in the matrices opened, and records it in `repairs`.
    #[must_use]
    pub fn with_repairs(self, repairs: Option<&Arc<Repairs>>) -> Self {
        let with = |file: AnnData| file.with_repairs(repairs.map(Arc::clone));
        let modalities = self.modalities.into_iter();
        Self {
            common: with(self.common),
            modalities: modalities.map(|(name, file)| (name, with(file))).collect(),
            dropped: self.dropped,
        }
    }

    /// States paths that the root does not have on request, such as `mod/rna`: a missing modality is not reported then.
    #[must_use]
    pub fn with_dropped(mut self, paths: &[String]) -> Self {
        let name = |path: &String| {
            let rest = path.trim_matches('/').strip_prefix(MODALITIES)?;
            rest.strip_prefix('/').map(ToOwned::to_owned)
        };
        self.dropped = paths.iter().filter_map(name).collect();
        self
    }

    /// Returns whether a modality is left out on request.
    pub(super) fn is_dropped(&self, name: &str) -> bool {
        self.dropped.iter().any(|dropped| dropped == name)
    }

    /// Returns the modalities, each with its name.
    #[must_use]
    pub fn modalities(&self) -> &[(String, AnnData)] {
        &self.modalities
    }

    /// Returns the common tables and what belongs to them, as AnnData without `X`.
    #[must_use]
    pub fn common(&self) -> &AnnData {
        &self.common
    }

    /// Lists modalities that the file names, but does not have: in the order, or in a map.
    pub(super) fn missing_modalities(&self) -> Result<Vec<String>> {
        let mut names = self.order()?.unwrap_or_default();
        for path in MAPS {
            if let Some(maps) = readable(self.common.root.group(path))? {
                names.extend(maps.children()?.into_iter().map(|child| child.name));
            }
        }
        names.retain(|name| self.modality(name).is_none());
        names.sort();
        names.dedup();
        Ok(names)
    }

    /// Returns the names of modalities in order, if they are listed.
    fn order(&self) -> Result<Option<Vec<String>>> {
        order_of(&*self.common.root.group(MODALITIES)?)
    }

    /// Returns the modality with a name.
    pub(super) fn modality(&self, name: &str) -> Option<&AnnData> {
        self.modalities.iter().find(|(own, _)| own == name).map(|(_, file)| file)
    }

    pub(super) fn place(&self) -> Place {
        Place::path(self.common.root.path())
    }

    /// Returns the axis that modalities share: 0 for cells, 1 for features, -1 for both.
    ///
    /// # Errors
    ///
    /// Fails if it is not one of these.
    pub fn axis(&self) -> Result<i64> {
        let Some(attribute) = self.common.root.attribute(AXIS)? else { return Ok(0) };
        let number = attribute
            .number()
            .and_then(|number| number.cast(ValueType::I64, Rounding::Refused).ok());
        match number {
            Some(Scalar::I64(axis @ -1..=1)) => Ok(axis),
            _ => {
                let found = format!("an attribute of type {}", attribute.type_name());
                let found = number.map_or(found, |number| number.to_string());
                let place = Place::array(self.common.root.path(), AXIS);
                Err(Error::mismatch(place, found, "0, 1 or -1"))
            }
        }
    }

    /// Lists the matrices: those of modalities first.
    ///
    /// # Errors
    ///
    /// Fails if a group cannot be read.
    pub fn items(&self) -> Result<Vec<Item>> {
        let mut items = Vec::new();
        for (name, modality) in &self.modalities {
            let own = modality.items()?.into_iter();
            items.extend(own.map(|item| Item::new(Some(name.clone()), item)));
        }
        let common = self.common.items()?.into_iter().map(|item| Item::new(None, item));
        items.extend(common.filter(|item| item.to_string().parse::<Item>().is_ok()));
        Ok(items)
    }

    /// Opens a matrix.
    ///
    /// # Errors
    ///
    /// Fails if there is none at this location, if it is invalid, or if its shape differs from the tables.
    pub fn matrix(&self, item: &Item) -> Result<anndata::MatrixSource> {
        match &item.modality {
            None => self.common.matrix(&item.item),
            Some(name) => match self.modality(name) {
                Some(modality) => modality.matrix(&item.item),
                None => {
                    let kind = nnz_core::ErrorKind::Missing;
                    let place = Place::array(self.common.root.path(), item.to_string());
                    Err(Error::new(kind, place))
                }
            },
        }
    }

    /// Returns the names and common tables of cells and features, as a matrix without entries. The columns of modalities follow
    /// those of the common tables as `MODALITY:COLUMN`, unless a common table has a column of that name; they are missing where a
    /// modality does not have the cell or feature. If modalities are missing, cells and features that no other one has are left
    /// out.
    ///
    /// # Errors
    ///
    /// Fails if a table is missing or invalid.
    pub fn tables(&self) -> Result<Box<dyn MatrixSource>> {
        let tables = Box::new(WideTables::new(self)?);
        let [obs, var] = self.present()?;
        if obs.is_none() && var.is_none() {
            return Ok(tables);
        }
        let selection = |pick: Option<Pick>| match pick {
            Some(pick) => Selection::ranges(pick.ranges).allow_empty(true),
            None => Selection::all(),
        };
        Ok(Box::new(Slice::new(tables, &selection(obs), &selection(var))?))
    }

    /// Returns the rows of the common tables that a modality has, if one that the file names is missing; `None` for all.
    pub(super) fn present(&self) -> Result<[Option<Pick>; 2]> {
        if self.modalities.is_empty() || self.missing_modalities()?.is_empty() {
            return Ok([None, None]);
        }
        let along = |axis| -> Result<Option<Pick>> {
            let len = len(&self.common, axis)?;
            let mut is_there = Vec::new();
            for number in 0..self.modalities.len() {
                // Has the length of the table, which is a claim of the file until it is read.
                let map = self.map(axis, number, default_memory() / 4)?;
                is_there.resize(map.0.len(), false);
                for (is_there, at) in is_there.iter_mut().zip(&map.0) {
                    *is_there |= at.is_some();
                }
            }
            let mut ranges: Vec<Range<u64>> = Vec::new();
            for (row, _) in (0..).zip(is_there).filter(|(_, is_there)| *is_there) {
                match ranges.last_mut().filter(|last| last.end == row) {
                    Some(last) => last.end = row + 1,
                    None => ranges.push(row..row + 1),
                }
            }
            Ok(Pick::new(ranges, len))
        };
        Ok([along(Axis::Rows)?, along(Axis::Cols)?])
    }

    /// Checks the shapes of all matrices, so that wrong ones are an error before anything is written.
    pub(super) fn check_shapes(&self) -> Result<()> {
        check_shapes(&self.common)?;
        self.modalities.iter().try_for_each(|(name, file)| {
            check_shapes(file).map_err(|error| within(error, &format!("{MODALITIES}/{name}")))
        })
    }

    /// Compares all elements of two files, as [`AnnData::diff`]. `compare` compares modalities, which have a name.
    ///
    /// # Errors
    ///
    /// Fails if one of them cannot be read or is invalid, or if it is cancelled.
    pub fn diff(
        &self,
        other: &Self,
        (options, context): (&DiffOptions, &TaskContext),
        compare: CompareModalities<'_>,
        each: &mut dyn FnMut(ElementDifference),
    ) -> Result<()> {
        self.check_shapes()?;
        other.check_shapes()?;
        let axes = [self.axis()?, other.axis()?];
        if axes[0] != axes[1] {
            let [first, second] = axes.map(|axis| axis.to_string());
            let what = ElementChange::Value { position: None, first, second };
            each(ElementDifference::new(AXIS.to_owned(), what));
        }
        let names =
            [self, other].map(|file| file.modalities.iter().map(|(name, _)| &**name).collect());
        let [first, second]: [Vec<&str>; 2] = names;
        if first != second && first.iter().all(|name| second.contains(name)) {
            let [first, second] = [first.join(", "), second.join(", ")];
            let what = ElementChange::Value { position: None, first, second };
            each(ElementDifference::new(MODALITIES.to_owned(), what));
        }
        // By name, modalities may have their rows in another order, so that their positions are others.
        let except = [MODALITIES, MAPS[0], MAPS[1]];
        let except = if options.by_name { &except[..] } else { &except[..1] };
        self.common.diff_except(&other.common, except, (options, context), each)?;
        for (name, modality) in &self.modalities {
            let path = format!("{MODALITIES}/{name}");
            let Some(second) = other.modality(name) else {
                each(ElementDifference::new(path, ElementChange::FirstOnly));
                continue;
            };
            let each = &mut |found: ElementDifference| {
                each(ElementDifference::new(path_within(&path, &found.path), found.what));
            };
            compare([modality, second], name, each)?;
        }
        for (name, _) in &other.modalities {
            if self.modality(name).is_none() {
                let path = format!("{MODALITIES}/{name}");
                each(ElementDifference::new(path, ElementChange::SecondOnly));
            }
        }
        Ok(())
    }
}

/// Returns the names of modalities in order, if their group lists them.
fn order_of(group: &dyn Group) -> Result<Option<Vec<String>>> {
    let names = group.attribute(ORDER)?.and_then(|order| order.strings());
    let text = |name: &[u8]| String::from_utf8_lossy(name).into_owned();
    Ok(names.map(|names| names.iter().map(text).collect()))
}

/// Returns the number of rows of a table of AnnData.
pub(super) fn len(file: &AnnData, axis: Axis) -> Result<u64> {
    Ok(table(file, axis)?.len())
}

/// Returns the table of an axis of AnnData.
pub(super) fn table(file: &AnnData, axis: Axis) -> Result<Arc<anndata::DataFrame>> {
    match axis {
        Axis::Rows => file.obs(),
        Axis::Cols => file.var(),
    }
}

/// Returns the path of an element of a modality. Attributes of its root start with a slash.
fn path_within(modality: &str, path: &str) -> String {
    match path.strip_prefix('/') {
        Some(rest) => format!("{modality}{rest}"),
        None => format!("{modality}/{path}"),
    }
}

/// Adds the path of a modality to the hint of an error in it.
pub(super) fn within(error: Error, path: &str) -> Error {
    let effect = error.hint().filter(|hint| hint.item == "drop").map(|hint| hint.effect.clone());
    match effect {
        Some(effect) => error.with_hint("drop", format!("{path}/{effect}")),
        None => error,
    }
}

/// Returns the user block of an HDF5 file, without which the reference warns when it reads one.
#[must_use]
pub fn user_block() -> Vec<u8> {
    let mut block = vec![0; 512];
    let text = format!(
        "MuData (format-version={VERSION};creator=nnz;creator-version={})",
        env!("CARGO_PKG_VERSION")
    );
    for (to, from) in block.iter_mut().zip(text.bytes()) {
        *to = from;
    }
    block
}

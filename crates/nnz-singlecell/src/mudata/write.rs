//! Writing files as a whole: all elements, or a selection of cells and features.

use nnz_container::tree::TreeWriter;
use nnz_core::{Annotations as _, Axis, Error, Place, Placed, Result, Shape};
use nnz_engine::{Labels, Selection, Slice};

use super::MuData;
use super::file::{KIND, MAPS, MISSING, MODALITIES, ORDER, VERSION, len, table, within};
use super::maps::Map;
use crate::anndata::element::Element;
use crate::anndata::item::TableAxis;
use crate::anndata::output::Group;
use crate::anndata::whole::collections::COLLECTIONS;
use crate::anndata::whole::elements::Transfer;
use crate::anndata::whole::picks::{ALL, FilePicks, Pick, Picks};
use crate::anndata::{AnnData, FileOptions, Report};

/// The selections of a modality, and the new maps of the axes along which rows are selected.
struct Part {
    picks: FilePicks,
    maps: [Option<Map>; 2],
}

impl MuData {
    /// Writes the file into an empty tree, which the caller finishes, as
    /// [`AnnData::copy_to`](crate::anndata::AnnData::copy_to).
    ///
    /// # Errors
    ///
    /// Fails if the file is invalid or cannot be read, if the tree cannot be written, or if it is cancelled.
    pub fn copy_to(
        &self,
        tree: Box<dyn TreeWriter>,
        options: &FileOptions<'_>,
    ) -> Result<(Box<dyn TreeWriter>, Report)> {
        let [obs, var] = self.present()?;
        self.write_to(tree, &FilePicks { obs, var }, options)
    }

    /// Writes the elements of some cells and features into an empty tree, which the caller finishes: of each modality
    /// those of its cells and features that belong to them.
    ///
    /// # Errors
    ///
    /// Fails like [`copy_to`](Self::copy_to) and [`Slice::new`].
    pub fn slice_to(
        &self,
        tree: Box<dyn TreeWriter>,
        selections: [&Selection; 2],
        options: &FileOptions<'_>,
    ) -> Result<(Box<dyn TreeWriter>, Report)> {
        self.write_to(tree, &self.picks(selections)?, options)
    }

    fn write_to(
        &self,
        tree: Box<dyn TreeWriter>,
        picks: &FilePicks,
        options: &FileOptions<'_>,
    ) -> Result<(Box<dyn TreeWriter>, Report)> {
        // Labels are those of the common tables.
        let none = Labels::default();
        let of_modalities = FileOptions { labels: [&none, &none], ..*options };
        Transfer::new(tree, &of_modalities).modalities(self, picks, options.labels)
    }

    /// Returns the rows and columns of a modality that belong to selected cells and features.
    ///
    /// # Errors
    ///
    /// Fails if there is no such modality, if a map is invalid, and like [`Slice::new`].
    pub fn selected(
        &self,
        modality: &str,
        selections: [&Selection; 2],
        memory: u64,
    ) -> Result<[Selection; 2]> {
        let number = self.modalities.iter().position(|(name, _)| name == modality);
        let number =
            number.ok_or_else(|| Error::argument(format!("there is no modality {modality:?}")))?;
        let Part { picks: FilePicks { obs, var }, .. } =
            self.part(number, &self.picks(selections)?, memory)?;
        Ok([obs, var].map(|pick| match pick {
            Some(pick) => Selection::ranges(pick.ranges).allow_empty(true),
            None => Selection::all(),
        }))
    }

    fn picks(&self, [cells, features]: [&Selection; 2]) -> Result<FilePicks> {
        let tables = Placed::new(self.tables()?, self.place());
        let slice = Slice::new(Box::new(tables), cells, features)?;
        let [obs, var] = self.present()?;
        let picked = |axis, present: Option<Pick>| {
            let ranges = slice.ranges(axis);
            let ranges = present.map_or(ranges.clone(), |present| present.inner(&ranges));
            Ok(Pick::new(ranges, len(&self.common, axis)?))
        };
        Ok(FilePicks { obs: picked(Axis::Rows, obs)?, var: picked(Axis::Cols, var)? })
    }

    fn part(&self, number: usize, picks: &FilePicks, memory: u64) -> Result<Part> {
        let along = |axis, pick: &Option<Pick>| -> Result<(Option<Pick>, Option<Map>)> {
            let (Some(pick), Some((_, modality))) = (pick, self.modalities.get(number)) else {
                // A file with a broken map is not copied.
                self.stored_map(axis, number, memory)?;
                return Ok((None, None));
            };
            let (pick, map) = self.map(axis, number, memory)?.picked(pick, len(modality, axis)?);
            Ok((pick, Some(map)))
        };
        let (obs, obs_map) = along(Axis::Rows, &picks.obs)?;
        let (var, var_map) = along(Axis::Cols, &picks.var)?;
        Ok(Part { picks: FilePicks { obs, var }, maps: [obs_map, var_map] })
    }
}

impl Transfer<'_> {
    /// Writes a file.
    fn modalities(
        mut self,
        file: &MuData,
        picks: &FilePicks,
        labels: [&Labels; 2],
    ) -> Result<(Box<dyn TreeWriter>, Report)> {
        file.check_shapes()?;
        file.axis()?;
        let common = &file.common;
        let memory = self.options.context.memory() / 4;
        let mut parts = Vec::with_capacity(file.modalities.len());
        for number in 0..file.modalities.len() {
            parts.push(file.part(number, picks, memory)?);
        }
        let sizes = file.modalities.iter().zip(&parts);
        let sizes = sizes.map(|((_, own), part)| self.min_size_of_file(own, &part.picks));
        let least = sizes.fold(self.min_size_of_file(common, picks), u64::saturating_add);
        self.check_free_space_for(least)?;
        let out = Group::ROOT;
        let of_root = picks.along([TableAxis::Obs, TableAxis::Var]);
        self.other_attributes_of_group(&*common.root, out.0, "/", of_root)?;
        self.output.encode(out, KIND, VERSION)?;
        let tables = [("obs", Axis::Rows, TableAxis::Obs), ("var", Axis::Cols, TableAxis::Var)];
        for ((name, axis, along), labels) in tables.into_iter().zip(labels) {
            let frame = table(common, axis)?;
            let picks = picks.along([along, TableAxis::Nothing]);
            self.labelled_root_table(common, (out, name), frame, picks, (axis, labels))?;
        }
        // Their maps, and masks of the same name, are left out, too.
        let missing = file.missing_modalities()?;
        let missing: Vec<&str> = missing.iter().map(String::as_str).collect();
        for (name, axes) in COLLECTIONS.into_iter().filter(|(name, _)| *name != "layers") {
            self.group_without(common, name, picks.along(axes), &missing)?;
        }
        self.unstructured(common, picks, out)?;
        for (number, name) in MAPS.into_iter().enumerate() {
            let maps: Option<Vec<&Map>> =
                parts.iter().map(|part| part.maps[number].as_ref()).collect();
            match maps.filter(|maps| !maps.is_empty()) {
                Some(maps) => self.maps(file, name, &maps)?,
                None => self.group_without(common, name, ALL, &missing)?,
            }
        }
        for name in missing.iter().filter(|name| !file.is_dropped(name)) {
            self.left_out(&format!("{MODALITIES}/{name}"), MISSING);
        }
        let group = self.modality_group(file.modalities.iter().map(|(name, _)| name))?;
        if let Some(Element::Group(from)) = Element::find(&*common.root, MODALITIES)? {
            self.attributes_of_group(&*from, group.0, MODALITIES, ALL, &[ORDER])?;
        }
        for ((name, modality), part) in file.modalities.iter().zip(&parts) {
            self.modality(group, name, |transfer, to| transfer.file_in(modality, &part.picks, to))?;
        }
        let rows = picks.obs.as_ref().map_or(common.obs()?.len(), |pick| pick.len);
        let cols = picks.var.as_ref().map_or(common.var()?.len(), |pick| pick.len);
        self.report.shape = Some(Shape { rows, cols });
        self.others(common, picks, out, |name| {
            let tables = ["obs", "var", "uns", MODALITIES];
            let of_tables = |(known, _): &(&str, _)| *known == name && name != "layers";
            tables.contains(&name) || MAPS.contains(&name) || COLLECTIONS.iter().any(of_tables)
        })?;
        Ok((self.output.tree, self.report))
    }

    /// Writes a group of the root without some members; an empty one if it is missing.
    fn group_without(
        &mut self,
        common: &AnnData,
        name: &str,
        picks: Picks<'_>,
        left_out: &[&str],
    ) -> Result<()> {
        match Element::find(&*common.root, name) {
            Ok(Some(Element::Group(from))) => {
                self.mapping(&*from, (Group::ROOT, name), name, picks, left_out)
            }
            // An empty group, or the error.
            _ => self.collection(common, name, (Group::ROOT, name), picks),
        }
    }

    /// Writes new maps.
    fn maps(&mut self, file: &MuData, name: &str, maps: &[&Map]) -> Result<()> {
        let group = self.output.group(Group::ROOT, name)?;
        self.output.encode(group, "dict", "0.1.0")?;
        for ((modality, _), map) in file.modalities.iter().zip(maps) {
            map.write(&mut self.output, group, modality)?;
        }
        Ok(())
    }

    /// Creates the group of modalities.
    pub(super) fn modality_group<'n>(
        &mut self,
        names: impl Iterator<Item = &'n String>,
    ) -> Result<Group> {
        let group = self.output.group(Group::ROOT, MODALITIES)?;
        let names: Vec<String> = names.cloned().collect();
        self.output.set_texts(group, ORDER, &names)?;
        Ok(group)
    }

    /// Writes a modality, whose path is added to what is reported.
    pub(super) fn modality<T>(
        &mut self,
        parent: Group,
        name: &str,
        write: impl FnOnce(&mut Self, Group) -> Result<T>,
    ) -> Result<T> {
        let path = format!("{MODALITIES}/{name}");
        let to = self.output.group(parent, name)?;
        let outer = std::mem::take(&mut self.report);
        let done = write(self, to).map_err(|error| within(error, &path));
        let inner = std::mem::replace(&mut self.report, outer);
        let prefixed = |list: Vec<String>| {
            let path = &path;
            list.into_iter().map(move |text| match text.starts_with('/') {
                // An attribute of the root.
                true => format!("{path}{}", text.trim_start_matches('/')),
                false => format!("{path}: {text}"),
            })
        };
        self.report.dropped.extend(prefixed(inner.dropped));
        self.report.left_out.extend(prefixed(inner.left_out));
        self.report.notes.extend(inner.notes.iter().map(|note| format!("{path}: {note}")));
        self.report.entries = self.report.entries.saturating_add(inner.entries);
        done
    }
}

/// Returns the place of a modality in messages.
pub(super) fn place_of(place: &Place, name: &str) -> Place {
    match &place.path {
        Some(_) => place.clone().with_array(format!("{MODALITIES}/{name}")),
        None => place.clone(),
    }
}

//! Concatenating the cells of several files, and making one of the modalities of several.

use nnz_container::tree::{Attribute, TreeWriter};
use nnz_core::{Annotations as _, Axis, Error, Place, Result, Shape, StringList};
use nnz_engine::Join;

use super::MuData;
use super::common::Common;
use super::file::{AXIS, KIND, MAPS, MODALITIES, VERSION, len, table};
use super::maps::Map;
use super::write::place_of;
use crate::anndata::columns::{INDEX, write_table};
use crate::anndata::element::Element;
use crate::anndata::output::Group;
use crate::anndata::whole::attributes::NOT_JOINED;
use crate::anndata::whole::collections::check_shapes;
use crate::anndata::whole::concat::genes::{Columns, Genes};
use crate::anndata::whole::concat::{File, frames};
use crate::anndata::whole::elements::Transfer;
use crate::anndata::whole::picks::FilePicks;
use crate::anndata::{AnnData, ConcatFilesOptions, FileOptions, Report};

impl MuData {
    /// Concatenates the cells of several files into an empty tree, which the caller finishes: each modality that all
    /// files have, as [`AnnData::concat_to`], and the common tables.
    ///
    /// # Errors
    ///
    /// Fails if a file is invalid or cannot be read, if they share another axis or no modality, if features or types
    /// are incompatible, if the tree cannot be written, or if it is cancelled.
    pub fn concat_to(
        files: &[(Self, Place)],
        tree: Box<dyn TreeWriter>,
        how: &ConcatFilesOptions<'_>,
        options: &FileOptions<'_>,
    ) -> Result<(Box<dyn TreeWriter>, Report)> {
        Transfer::new(tree, options).joined_modalities(files, how)
    }

    /// Writes AnnData files as the modalities of one file into an empty tree, which the caller finishes. Cells with the
    /// same name are the same cell; an inner join keeps the cells that all files have. Each modality has a name, and a place for
    /// messages.
    ///
    /// # Errors
    ///
    /// Fails if a file is invalid or cannot be read, if a cell has several names in one of them, if the tree cannot be
    /// written, or if it is cancelled.
    pub fn join_to(
        modalities: &[(String, AnnData, Place)],
        join: Option<Join>,
        tree: Box<dyn TreeWriter>,
        options: &FileOptions<'_>,
    ) -> Result<(Box<dyn TreeWriter>, Report)> {
        Transfer::new(tree, options).of_files(modalities, join)
    }
}

/// The groups whose members belong to rows of the common tables.
const OF_AXES: [(&str, &str); 2] = [("obsm", "obsp"), ("varm", "varp")];

impl Transfer<'_> {
    fn of_files(
        mut self,
        files: &[(String, AnnData, Place)],
        join: Option<Join>,
    ) -> Result<(Box<dyn TreeWriter>, Report)> {
        for (_, file, place) in files {
            check_shapes(file).map_err(|error| error.with_context(place))?;
        }
        let share = self.options.context.memory() / 4 / files.len().max(1) as u64;
        let lists = |axis| -> Result<Vec<StringList>> {
            let list = |(_, file, place): &(_, AnnData, Place)| {
                let list =
                    table(file, axis).and_then(|table| table.names()?.list_with_limit(share));
                list.map_err(|error| error.with_context(place))
            };
            files.iter().map(list).collect()
        };
        let places: Vec<Place> = files.iter().map(|(_, _, place)| place.clone()).collect();
        let mut cells = Common::shared(&lists(Axis::Rows)?, &places)?;
        let mut picks: Vec<FilePicks> = files.iter().map(|_| FilePicks::default()).collect();
        if let Some(join) = join {
            let all = cells.names.len();
            let (in_all, selected) = cells.in_all()?;
            let common = in_all.names.len();
            if join == Join::Inner {
                cells = in_all;
                picks = selected.into_iter().map(|obs| FilePicks { obs, var: None }).collect();
            }
            let kept = if join == Join::Inner { common } else { all };
            self.report.notes.push(join.note(Axis::Rows, kept, common, files.len())?);
        }
        let features = Common::separate(&lists(Axis::Cols)?)?;
        let sizes = files.iter().zip(&picks);
        let sizes = sizes.map(|((_, file, _), picks)| self.min_size_of_file(file, picks));
        let least = sizes.fold(0, u64::saturating_add);
        self.check_free_space_for(least)?;
        self.start(0)?;
        if cells.is_disjoint() {
            let what = "no cell is in more than one modality: all names of cells are different";
            self.report.notes.push(what.to_owned());
        }
        let group = self.modality_group(files.iter().map(|(name, ..)| name))?;
        for ((name, file, place), picks) in files.iter().zip(&picks) {
            self.start_file();
            let written =
                self.modality(group, name, |transfer, to| transfer.file_in(file, picks, to));
            written.map_err(|error| error.with_context(place))?;
        }
        let names: Vec<&String> = files.iter().map(|(name, ..)| name).collect();
        for (axis, common) in [(Axis::Rows, &cells), (Axis::Cols, &features)] {
            self.common(axis, &common.names)?;
            let (arrays, graphs) = OF_AXES[usize::from(axis == Axis::Cols)];
            let arrays = self.dict(arrays)?;
            self.dict(graphs)?;
            self.maps_and_masks(axis, arrays, &names, &common.maps)?;
        }
        self.dict("uns")?;
        self.report.shape = Some(Shape { rows: cells.names.len(), cols: features.names.len() });
        Ok((self.output.tree, self.report))
    }

    fn joined_modalities(
        mut self,
        files: &[(MuData, Place)],
        how: &ConcatFilesOptions<'_>,
    ) -> Result<(Box<dyn TreeWriter>, Report)> {
        let Some((first, rest)) = files.split_first() else {
            return Err(Error::argument("there is nothing to concatenate"));
        };
        let axis = first.0.axis()?;
        for (file, place) in rest {
            let own = file.axis()?;
            if own != axis {
                let found = format!("the shared axis {own}");
                let expected = format!("{axis}, as in the first file");
                return Err(Error::mismatch(place.clone(), found, expected));
            }
        }
        for (file, place) in files {
            file.check_shapes().map_err(|error| error.with_context(place))?;
        }
        let mut names: Vec<&String> = first.0.modalities.iter().map(|(name, _)| name).collect();
        names.retain(|name| rest.iter().all(|(file, _)| file.modality(name).is_some()));
        if names.is_empty() {
            return Err(Error::argument("no modality is in all files"));
        }
        self.start(axis)?;
        self.attributes_of_roots_left_out(
            files.iter().map(|(file, _)| &*file.common.root),
            &[AXIS],
            NOT_JOINED,
        )?;
        let group = self.modality_group(names.iter().copied())?;
        let mut genes = Vec::with_capacity(names.len());
        for name in &names {
            let own = files.iter().filter_map(|(file, place)| {
                Some((file.modality(name)?.clone(), place_of(place, name)))
            });
            let own: Vec<File> = own.collect();
            let joined =
                self.modality(group, name, |transfer, to| transfer.files_in(&own, how, to))?;
            genes.push(joined);
        }
        let common: Vec<File> =
            files.iter().map(|(file, place)| (file.common.clone(), place.clone())).collect();
        let cells = self.joined_cells(files, &common, &names, how)?;
        let features = self.joined_features(files, &common, (&names, axis), &genes)?;
        self.name_others(&common)?;
        let mut left_out: Vec<&String> = Vec::new();
        for (name, _) in files.iter().flat_map(|(file, _)| &file.modalities) {
            if !names.contains(&name) && !left_out.contains(&name) {
                left_out.push(name);
            }
        }
        for name in left_out {
            self.left_out(&format!("{MODALITIES}/{name}"), "not in all files");
        }
        self.dict("uns")?;
        self.report.shape = Some(Shape { rows: cells, cols: features });
        Ok((self.output.tree, self.report))
    }

    /// Concatenates the common tables of cells, with arrays and maps, and returns the number of cells.
    fn joined_cells(
        &mut self,
        files: &[(MuData, Place)],
        common: &[File],
        names: &[&String],
        how: &ConcatFilesOptions<'_>,
    ) -> Result<u64> {
        let obs = frames(common, AnnData::obs)?;
        self.attributes_not_joined(common, "obs")?;
        self.joined_obs((Group::ROOT, "obs"), &obs, &obs, how)?;
        let mut maps = Vec::with_capacity(names.len());
        for name in names {
            let (mut joined, mut before) = (Vec::new(), 0_u64);
            for (file, place) in files {
                let Map(own) = self.map_of(file, Axis::Rows, name, place)?;
                joined.extend(own.into_iter().map(|at| at.map(|at| at + before)));
                let rows = file.modality(name).map_or(Ok(0), |file| len(file, Axis::Rows))?;
                before = before.saturating_add(rows);
            }
            maps.push(Map(joined));
        }
        let arrays = self.dict("obsm")?;
        self.dict("obsp")?;
        let masks = names_of_modalities(files);
        self.joined_mapping(common, ("obsm", &masks), arrays, None, &obs, how)?;
        self.maps_and_masks(Axis::Rows, arrays, names, &maps)?;
        Ok(obs.iter().map(|frame| frame.len()).sum())
    }

    /// Writes the common table of features, with what is equal in all files, and returns the number of features.
    fn joined_features(
        &mut self,
        files: &[(MuData, Place)],
        common: &[File],
        (names, axis): (&[&String], i64),
        genes: &[Genes],
    ) -> Result<u64> {
        let var = frames(common, AnnData::var)?;
        self.attributes_not_joined(common, "var")?;
        let arrays = self.dict("varm")?;
        self.dict("varp")?;
        let masks = names_of_modalities(files);
        if let Some((genes, maps)) = self.same_features(files, common, names, genes)? {
            self.joined_var(&var, (Group::ROOT, "var"), &genes)?;
            self.joined_varm(common, &var, arrays, &genes.columns, &masks)?;
            self.maps_and_masks(Axis::Cols, arrays, names, &maps)?;
            return Ok(genes.names.len());
        }
        let lists: Vec<StringList> = genes.iter().map(|genes| genes.names.clone()).collect();
        let places: Vec<Place> =
            names.iter().map(|name| place_of(&Place::default(), name)).collect();
        let features = match axis {
            0 => Common::separate(&lists)?,
            _ => Common::shared(&lists, &places)?,
        };
        self.common(Axis::Cols, &features.names)?;
        self.maps_and_masks(Axis::Cols, arrays, names, &features.maps)?;
        self.columns_left_out("var", &var);
        for path in self.members_of_any(common, "varm", &masks)? {
            self.left_out(&path, "not concatenated: files have different features");
        }
        Ok(features.names.len())
    }

    /// Returns the features and their maps if they are the same in all files, for the common table and every modality.
    fn same_features(
        &self,
        files: &[(MuData, Place)],
        common: &[File],
        names: &[&String],
        genes: &[Genes],
    ) -> Result<Option<(Genes, Vec<Map>)>> {
        let is_same = |columns: &Columns| columns.positions.iter().all(Option::is_none);
        if !genes.iter().all(|genes| is_same(&genes.columns)) {
            return Ok(None);
        }
        let share = self.options.context.memory() / 4 / files.len().max(1) as u64;
        let mut first: Option<StringList> = None;
        for frame in frames(common, AnnData::var)? {
            let list = frame.names()?.list_with_limit(share)?;
            if *first.get_or_insert_with(|| list.clone()) != list {
                return Ok(None);
            }
        }
        let Some(list) = first else { return Ok(None) };
        let mut maps: Vec<Map> = Vec::with_capacity(names.len());
        for name in names {
            let mut same: Option<Map> = None;
            for (file, place) in files {
                let map = self.map_of(file, Axis::Cols, name, place)?;
                if *same.get_or_insert_with(|| map.clone()) != map {
                    return Ok(None);
                }
            }
            let Some(map) = same else { return Ok(None) };
            maps.push(map);
        }
        // Features of modalities that are left out are left out, too.
        let is_mapped = |row| maps.iter().any(|map| matches!(map.0.get(row), Some(Some(_))));
        let mut rows = 0..maps.first().map_or(0, |map| map.0.len());
        if !rows.all(is_mapped) {
            return Ok(None);
        }
        let columns = Columns { len: list.len(), positions: vec![None; files.len()] };
        Ok(Some((Genes { names: list, columns, joined: None }, maps)))
    }

    fn map_of(&self, file: &MuData, axis: Axis, name: &str, place: &Place) -> Result<Map> {
        let number = file.modalities.iter().position(|(own, _)| own == name);
        let map = file.map(axis, number.unwrap_or_default(), self.options.context.memory() / 4);
        map.map_err(|error| error.with_context(place))
    }

    /// Lists the members of a group that any file has, except some.
    fn members_of_any(&self, files: &[File], name: &str, except: &[String]) -> Result<Vec<String>> {
        let mut found: Vec<String> = Vec::new();
        for (file, _) in files {
            if let Some(Element::Group(group)) = Element::find(&*file.root, name)? {
                found.extend(group.children()?.into_iter().map(|child| child.name));
            }
        }
        found.retain(|name| !except.contains(name));
        found.sort();
        found.dedup();
        Ok(found.iter().map(|child| format!("{name}/{child}")).collect())
    }

    /// Writes the attributes of the root.
    fn start(&mut self, axis: i64) -> Result<()> {
        self.output.encode(Group::ROOT, KIND, VERSION)?;
        self.output.tree.set_attribute(Group::ROOT.0, AXIS, &Attribute::of_number(axis))
    }

    fn dict(&mut self, name: &str) -> Result<Group> {
        let group = self.output.group(Group::ROOT, name)?;
        self.output.encode(group, "dict", "0.1.0")?;
        Ok(group)
    }

    /// Writes a common table without columns.
    fn common(&mut self, axis: Axis, names: &StringList) -> Result<()> {
        self.output.compression = self.options.compression.unwrap_or_default();
        let to = (Group::ROOT, if axis == Axis::Rows { "obs" } else { "var" });
        write_table(&mut self.output, to, INDEX, names.len(), Some(names.reader()), None)
    }

    /// Writes the maps of modalities, and which rows each has.
    fn maps_and_masks(
        &mut self,
        axis: Axis,
        arrays: Group,
        names: &[&String],
        maps: &[Map],
    ) -> Result<()> {
        self.output.compression = self.options.compression.unwrap_or_default();
        let group = self.dict(MAPS[usize::from(axis == Axis::Cols)])?;
        for (name, map) in names.iter().zip(maps) {
            map.write(&mut self.output, group, name)?;
            map.write_mask(&mut self.output, arrays, name)?;
        }
        Ok(())
    }
}

/// Lists the modalities of all files, for which the common tables have masks.
fn names_of_modalities(files: &[(MuData, Place)]) -> Vec<String> {
    let modalities = files.iter().flat_map(|(file, _)| &file.modalities);
    modalities.map(|(name, _)| name.clone()).collect()
}

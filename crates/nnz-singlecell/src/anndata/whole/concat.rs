//! Concatenating the cells of several files, like `anndata.concat`.

mod dense;
pub(crate) mod genes;
mod merged;
mod sparse;
mod tables;

use std::collections::BTreeSet;
use std::sync::Arc;

use nnz_container::tree::{ElementType, TreeWriter};
use nnz_core::{Annotations as _, Error, Place, Result, Shape};
use nnz_engine::Join;

use super::attributes::NOT_JOINED;
use super::elements::Transfer;
use super::{FileOptions, Report};
use crate::anndata::element::Element;
use crate::anndata::output::Group;
use crate::anndata::sink::MAPPINGS;
use crate::anndata::{AnnData, DataFrame, Item};
use genes::{Columns, Genes, JoinedNames};

/// Options for concatenating files.
#[derive(Clone, Copy, Debug, Default)]
pub struct ConcatFilesOptions<'a> {
    /// Which genes and which columns of `obs` are kept. If not set, all files must have the same
    /// genes.
    pub join: Option<Join>,
    /// The name of a column of `obs` for the key of the file.
    pub label: Option<&'a str>,
    /// The separator between a name and the key of its file; if not set, names are not changed.
    pub index_unique: Option<&'a str>,
    /// The keys of the files; by default their indices.
    pub keys: &'a [String],
    /// The value of elements that a file does not have in dense arrays; by default NaN. In sparse
    /// matrices it is zero.
    pub fill: Option<f64>,
}

impl ConcatFilesOptions<'_> {
    /// Returns the key of a file.
    fn key(&self, number: usize) -> String {
        self.keys.get(number).cloned().unwrap_or_else(|| number.to_string())
    }
}

/// A file, and its name for messages.
pub(crate) type File = (AnnData, Place);

impl AnnData {
    /// Concatenates the cells of several files into an empty tree, which the caller finishes: `X`,
    /// `raw/X`, the layers and members of `obsm` that all files have, and `obs`. `var` and `varm`
    /// have what is equal in all files. All other elements are left out, as by `anndata.concat`.
    ///
    /// # Errors
    ///
    /// Fails if a file is invalid or cannot be read, if genes or types are incompatible, if the
    /// tree cannot be written, or if it is cancelled.
    pub fn concat_to(
        files: &[(Self, Place)],
        tree: Box<dyn TreeWriter>,
        how: &ConcatFilesOptions<'_>,
        options: &FileOptions<'_>,
    ) -> Result<(Box<dyn TreeWriter>, Report)> {
        Transfer::new(tree, options).files(files, how)
    }
}

impl Transfer<'_> {
    fn files(
        mut self,
        files: &[File],
        how: &ConcatFilesOptions<'_>,
    ) -> Result<(Box<dyn TreeWriter>, Report)> {
        self.files_in(files, how, Group::ROOT)?;
        Ok((self.output.tree, self.report))
    }

    /// Concatenates files into a group, and returns their genes.
    pub(crate) fn files_in(
        &mut self,
        files: &[File],
        how: &ConcatFilesOptions<'_>,
        root: Group,
    ) -> Result<Genes> {
        let obs = frames(files, AnnData::obs)?;
        let var = frames(files, AnnData::var)?;
        for (file, place) in files {
            let opened = file
                .items()
                .and_then(|items| items.iter().try_for_each(|item| file.matrix(item).map(drop)));
            opened.map_err(|error| error.with_context(place))?;
        }
        let places: Vec<&Place> = files.iter().map(|(_, place)| place).collect();
        let genes = Columns::of_names(&var, &places, how.join, self.options.context.memory())?;
        self.report.notes.extend(genes.joined.map(JoinedNames::note).transpose()?);
        let rows: Vec<u64> = obs.iter().map(|frame| frame.len()).collect();
        let length = rows.iter().try_fold(0_u64, |sum, rows| sum.checked_add(*rows));
        let length = length.ok_or_else(|| Error::argument("more than 2^64 cells"))?;
        self.report.shape = Some(Shape { rows: length, cols: genes.columns.len });
        let mut matrices = Vec::new();
        for ((file, _), positions) in files.iter().zip(&genes.columns.positions) {
            let x = file.element(&Item::X)?;
            matrices.extend(x.map(|(_, element)| (element, positions.is_none())));
        }
        self.check_free_space_for(self.min_size_of_joined(&matrices))?;
        self.output.encode(root, "anndata", "0.1.0")?;
        let roots = files.iter().map(|(file, _)| &*file.root);
        self.attributes_of_roots_left_out(roots, &[], NOT_JOINED)?;
        for path in ["obs", "var"] {
            self.attributes_not_joined(files, path)?;
        }
        self.joined_matrix(files, &Item::X, (root, "X"), &genes.columns, how)?;
        self.joined_obs((root, "obs"), &obs, &obs, how)?;
        self.joined_var(&var, (root, "var"), &genes)?;
        for name in MAPPINGS {
            let group = self.output.group(root, name)?;
            self.output.encode(group, "dict", "0.1.0")?;
            match name {
                "layers" => {
                    let columns = Some(&genes.columns);
                    self.joined_mapping(files, (name, &[]), group, columns, &obs, how)?
                }
                "obsm" => self.joined_mapping(files, (name, &[]), group, None, &obs, how)?,
                "varm" => self.joined_varm(files, &var, group, &genes.columns, &[])?,
                _ => {}
            }
        }
        self.joined_raw(files, &places, how, root)?;
        self.name_others(files)?;
        Ok(genes)
    }

    /// Writes a matrix that all files have.
    fn joined_matrix(
        &mut self,
        files: &[File],
        item: &Item,
        to: (Group, &str),
        columns: &Columns,
        how: &ConcatFilesOptions<'_>,
    ) -> Result<()> {
        let mut elements = Vec::with_capacity(files.len());
        for (file, _) in files {
            elements.push(file.element(item)?.map(|(_, element)| element));
        }
        let there = elements.iter().flatten().count();
        if there == 0 {
            return Ok(());
        }
        if let Some(at) = elements.iter().position(Option::is_none) {
            let what = format!("without {item}, which other files have");
            return Err(Error::unsupported(files[at].1.clone(), what));
        }
        self.joined(elements, files, to, &item.to_string(), Some(columns), None, how)
    }

    /// Writes the elements of a group that all files have, or that any file has in an outer join, except some.
    pub(crate) fn joined_mapping(
        &mut self,
        files: &[File],
        (name, except): (&str, &[String]),
        to: Group,
        columns: Option<&Columns>,
        obs: &[Arc<DataFrame>],
        how: &ConcatFilesOptions<'_>,
    ) -> Result<()> {
        let mut keys: Vec<BTreeSet<String>> = Vec::with_capacity(files.len());
        for (file, _) in files {
            keys.push(match Element::at(&*file.root, name)? {
                Some(Element::Group(group)) => {
                    group.children()?.into_iter().map(|child| child.name).collect()
                }
                Some(Element::Array(array)) => match array.element_type() {
                    ElementType::Compound(fields) => {
                        fields.iter().map(|field| field.name.clone()).collect()
                    }
                    _ => BTreeSet::new(),
                },
                None => BTreeSet::new(),
            });
        }
        let any = keys.iter().flatten().filter(|key| !except.contains(key));
        for key in any.collect::<BTreeSet<_>>() {
            let path = format!("{name}/{key}");
            let of_all = keys.iter().all(|keys| keys.contains(key));
            if !of_all && how.join != Some(Join::Outer) {
                self.left_out(&path, "not in all files");
                continue;
            }
            let mut elements = Vec::with_capacity(files.len());
            for (file, place) in files {
                let element = Element::at(&*file.root, &path)?;
                if of_all && element.is_none() {
                    return Err(Error::mismatch(place.clone(), "nothing", &path));
                }
                elements.push(element);
            }
            self.joined(elements, files, (to, key), &path, columns, Some(obs), how)?;
        }
        Ok(())
    }

    /// Concatenates elements; by position of their columns, unless `columns` are given. For files
    /// without one, as many missing values are written as they have rows in `obs`.
    #[expect(clippy::too_many_arguments, reason = "all are different")]
    fn joined(
        &mut self,
        elements: Vec<Option<Element>>,
        files: &[File],
        to: (Group, &str),
        path: &str,
        columns: Option<&Columns>,
        obs: Option<&[Arc<DataFrame>]>,
        how: &ConcatFilesOptions<'_>,
    ) -> Result<()> {
        self.options.context.check()?;
        self.attributes_left_out(elements.iter().flatten(), path, NOT_JOINED)?;
        let mut kinds = Vec::with_capacity(elements.len());
        for element in elements.iter().flatten() {
            kinds.push(ElementKind::of(element)?);
        }
        let all = |of: &[ElementKind]| kinds.iter().all(|kind| of.contains(kind));
        let heights = obs.unwrap_or_default().iter().map(|frame| frame.len());
        let heights: Vec<u64> = heights.collect();
        let columns = columns.map(|columns| columns.but(&elements));
        if all(&[ElementKind::Dense]) {
            let arrays = elements.into_iter().map(|element| match element {
                Some(Element::Array(array)) => Some(array),
                Some(Element::Group(_)) | None => None,
            });
            return self.joined_dense(arrays.collect(), &heights, to, path, columns, how);
        }
        if all(&[ElementKind::Dense, ElementKind::Sparse]) {
            return self.joined_sparse((elements, &heights), files, to, path, columns, how);
        }
        let of_all = elements.iter().all(Option::is_some);
        if let (true, Some(obs)) = (of_all && all(&[ElementKind::Table]), obs) {
            let mut tables = Vec::with_capacity(elements.len());
            for element in elements.iter().flatten() {
                if let Element::Group(group) = element {
                    tables.push(Arc::new(DataFrame::of_group(&**group, path)?));
                }
            }
            let how = ConcatFilesOptions { label: None, ..*how };
            return self.joined_obs(to, obs, &tables, &how);
        }
        self.left_out(path, "not concatenated: unsupported or different element types");
        Ok(())
    }

    /// Writes `raw`, if all files have it.
    fn joined_raw(
        &mut self,
        files: &[File],
        places: &[&Place],
        how: &ConcatFilesOptions<'_>,
        root: Group,
    ) -> Result<()> {
        let mut there = 0;
        for (file, _) in files {
            there += usize::from(file.element(&Item::RawX)?.is_some());
        }
        if there < files.len() {
            if there > 0 {
                self.left_out("raw", "not in all files");
            }
            return Ok(());
        }
        let var = frames(files, AnnData::raw_var)?;
        let genes = Columns::of_names(&var, places, how.join, self.options.context.memory())?;
        // X is written without it.
        if genes.joined.is_some_and(|joined| joined.note().is_err()) {
            self.left_out("raw", "no gene is in all files");
            return Ok(());
        }
        for path in ["raw", "raw/var"] {
            self.attributes_not_joined(files, path)?;
        }
        let raw = self.output.group(root, "raw")?;
        self.output.encode(raw, "raw", "0.1.0")?;
        self.joined_matrix(files, &Item::RawX, (raw, "X"), &genes.columns, how)?;
        // Without annotations, like in anndata.
        self.write_genes(&var, (raw, "var"), &genes, None)?;
        let varm = self.output.group(raw, "varm")?;
        self.output.encode(varm, "dict", "0.1.0")?;
        self.columns_left_out("raw/var", &var);
        Ok(())
    }

    /// Reports the attributes of a table that are not concatenated.
    pub(crate) fn attributes_not_joined(&mut self, files: &[File], path: &str) -> Result<()> {
        let mut tables = Vec::with_capacity(files.len());
        for (file, _) in files {
            tables.extend(Element::at(&*file.root, path)?);
        }
        self.attributes_left_out(&tables, path, NOT_JOINED)
    }

    /// Reports the elements that are not concatenated.
    pub(crate) fn name_others(&mut self, files: &[File]) -> Result<()> {
        let mut left = BTreeSet::new();
        for (file, _) in files {
            for name in ["varp", "obsp", "uns", "raw/varm"] {
                if let Some(Element::Group(group)) = Element::at(&*file.root, name)? {
                    let children = group.children()?;
                    left.extend(children.iter().map(|child| format!("{name}/{}", child.name)));
                }
            }
        }
        for path in left {
            self.left_out(&path, "not concatenated");
        }
        Ok(())
    }

    pub(crate) fn columns_left_out(&mut self, path: &str, frames: &[Arc<DataFrame>]) {
        let names: BTreeSet<&str> = frames
            .iter()
            .flat_map(|frame| frame.columns().iter().map(|info| &*info.name))
            .collect();
        for name in names {
            self.left_out(&format!("the column {name:?} of {path}"), "not concatenated");
        }
    }
}

/// Types of elements, as far as they can be concatenated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ElementKind {
    Sparse,
    Dense,
    Table,
    Other,
}

impl ElementKind {
    fn of(element: &Element) -> Result<Self> {
        Ok(match element {
            Element::Group(group) => match &*element.encoding()?.kind {
                "dataframe" => Self::Table,
                _ if crate::anndata::element::SparseGroup::of(&**group)?.is_some() => Self::Sparse,
                _ => Self::Other,
            },
            Element::Array(array) if array.is_null() => Self::Other,
            Element::Array(array) => match array.element_type().value_type() {
                Some(_) if array.shape().len() > 1 => Self::Dense,
                _ => Self::Other,
            },
        })
    }
}

pub(crate) fn frames(
    files: &[File],
    open: impl Fn(&AnnData) -> Result<Arc<DataFrame>>,
) -> Result<Vec<Arc<DataFrame>>> {
    files.iter().map(|(file, place)| open(file).map_err(|e| e.with_context(place))).collect()
}

/// Returns the name of the index if it is the same in all tables.
fn common_index(frames: &[Arc<DataFrame>]) -> String {
    let mut names = frames.iter().map(|frame| frame.index_name());
    let first = names.next().unwrap_or("_index");
    if names.all(|name| name == first) { first.to_owned() } else { "_index".to_owned() }
}

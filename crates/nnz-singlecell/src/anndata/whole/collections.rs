//! Writing all elements of a file, from its root.

use std::collections::BTreeSet;
use std::sync::Arc;

use nnz_container::tree::{ElementType, TreeWriter};
use nnz_core::{Annotations as _, Axis, ColumnType, Result, Shape, StringList, readable};
use nnz_engine::Labels;

use super::Report;
use super::attributes::{
    NEW_NAMES, NOT_AN_ELEMENT, OLD_LAYOUT, ROOT, foreign, foreign_of_element, shown,
};
use super::elements::Transfer;
use super::picks::{ALL, FilePicks, Picks};
use crate::anndata::element::Element;
use crate::anndata::item::TableAxis;
use crate::anndata::output::Group;
use crate::anndata::{AnnData, DataFrame, Item};
use crate::without::droppable;

/// The groups whose elements have axes of cells, genes or both.
pub(crate) const COLLECTIONS: [(&str, [TableAxis; 2]); 5] = [
    ("layers", [TableAxis::Obs, TableAxis::Var]),
    ("obsm", [TableAxis::Obs, TableAxis::Nothing]),
    ("varm", [TableAxis::Var, TableAxis::Nothing]),
    ("obsp", [TableAxis::Obs, TableAxis::Obs]),
    ("varp", [TableAxis::Var, TableAxis::Var]),
];

/// The names of these groups.
pub(crate) const NAMES: [&str; 5] = ["layers", "obsm", "varm", "obsp", "varp"];

/// All other known members of a root.
pub(crate) const KNOWN: [&str; 8] =
    ["X", "obs", "var", "uns", "raw", "raw.X", "raw.var", "raw.varm"];

impl Transfer<'_> {
    /// Writes a file.
    pub(crate) fn file(
        mut self,
        file: &AnnData,
        picks: &FilePicks,
    ) -> Result<(Box<dyn TreeWriter>, Report)> {
        check_shapes(file)?;
        self.check_free_space_for(self.min_size_of_file(file, picks))?;
        self.file_in(file, picks, Group::ROOT)?;
        Ok((self.output.tree, self.report))
    }

    /// Writes a file, whose shapes were checked, into a group.
    pub(crate) fn file_in(&mut self, file: &AnnData, picks: &FilePicks, out: Group) -> Result<()> {
        let root = &*file.root;
        let (obs, var) = (file.obs()?, file.var()?);
        let [rows, cols] = [(&obs, &picks.obs), (&var, &picks.var)]
            .map(|(frame, pick)| pick.as_ref().map_or(frame.len(), |pick| pick.len));
        self.report.shape = Some(Shape { rows, cols });
        self.other_attributes_of_group(
            root,
            out.0,
            "/",
            picks.along([TableAxis::Obs, TableAxis::Var]),
        )?;
        self.output.encode(out, "anndata", "0.1.0")?;
        if let Some((_, x)) = file.element(&Item::X)? {
            self.element(&x, (out, "X"), "X", picks.along(Item::X.axes()))?;
            if matches!(x, Element::Array(_)) {
                self.report.entries = rows.saturating_mul(cols);
            }
        }
        for (name, frame, along) in [("obs", obs, TableAxis::Obs), ("var", var, TableAxis::Var)] {
            let picks = picks.along([along, TableAxis::Nothing]);
            let (number, axis) = match along {
                TableAxis::Var => (1, Axis::Cols),
                _ => (0, Axis::Rows),
            };
            let labels = self.options.labels[number];
            let names =
                self.labelled_root_table(file, (out, name), frame, picks, (axis, labels))?;
            self.names[number] = names.map(Arc::new);
        }
        for (name, axes) in COLLECTIONS {
            self.collection(file, name, (out, name), picks.along(axes))?;
        }
        self.raw(file, picks, out)?;
        self.unstructured(file, picks, out)?;
        self.others(file, picks, out, |name| {
            KNOWN.contains(&name) || COLLECTIONS.iter().any(|(known, _)| *known == name)
        })
    }

    /// Writes `uns`; an empty one if it is missing.
    pub(crate) fn unstructured(
        &mut self,
        file: &AnnData,
        picks: &FilePicks,
        out: Group,
    ) -> Result<()> {
        match Element::find(&*file.root, "uns").map_err(|error| droppable(error, "uns"))? {
            Some(Element::Group(uns)) => {
                let old = old_categories(file)?;
                let left_out: Vec<&str> = old.iter().map(String::as_str).collect();
                let picks = picks.along([TableAxis::Obs, TableAxis::Obs]);
                self.mapping(&*uns, (out, "uns"), "uns", picks, &left_out)
            }
            _ => self.empty((out, "uns")),
        }
    }

    /// Writes the members of a root that are not known, if everything is selected.
    pub(crate) fn others(
        &mut self,
        file: &AnnData,
        picks: &FilePicks,
        out: Group,
        is_known: impl Fn(&str) -> bool,
    ) -> Result<()> {
        for child in file.root.children()? {
            if is_known(&child.name) {
                continue;
            }
            let found = Element::find(&*file.root, &child.name);
            match found.map_err(|error| droppable(error, &child.name))? {
                Some(other) if picks.is_whole() => {
                    self.element(&other, (out, &child.name), &child.name, ALL)?;
                }
                _ => self.left_out(&child.name, NOT_AN_ELEMENT),
            }
        }
        Ok(())
    }

    /// Writes a table of cells or genes, with other names or columns if labels are given, and returns the names if they were
    /// replaced.
    pub(crate) fn labelled_root_table(
        &mut self,
        file: &AnnData,
        (out, name): (Group, &str),
        frame: Arc<DataFrame>,
        picks: Picks<'_>,
        (axis, labels): (Axis, &Labels),
    ) -> Result<Option<StringList>> {
        if labels.is_default() {
            self.root_table(file, name, (out, name), frame, picks)?;
            return Ok(None);
        }
        let table = Element::at(&*file.root, name)?;
        self.attributes_left_out(&table, name, NEW_NAMES)?;
        self.labelled_table(frame, (out, name), picks[0], (axis, labels))
    }

    /// Writes a table of cells or genes.
    pub(crate) fn root_table(
        &mut self,
        file: &AnnData,
        from: &str,
        to: (Group, &str),
        frame: Arc<DataFrame>,
        picks: Picks<'_>,
    ) -> Result<()> {
        match Element::at(&*file.root, from)? {
            Some(table @ Element::Group(_)) => self.element(&table, to, from, picks),
            table => {
                self.attributes_left_out(&table, from, OLD_LAYOUT)?;
                self.old_table(frame, to, from, picks[0])
            }
        }
    }

    /// Writes a group of elements; an empty one if it is missing.
    pub(crate) fn collection(
        &mut self,
        file: &AnnData,
        from: &str,
        to: (Group, &str),
        picks: Picks<'_>,
    ) -> Result<()> {
        let found = Element::at(&*file.root, from);
        match found.map_err(|error| droppable(error, from))? {
            Some(Element::Group(group)) => self.mapping(&*group, to, from, picks, &[]),
            // Fields of a compound array, in anndata 0.5.
            Some(Element::Array(array)) => {
                let ElementType::Compound(fields) = array.element_type() else {
                    return self.empty(to);
                };
                let group = self.empty_group(to)?;
                for field in fields {
                    let element = Element::Array(array.field(&field.name)?);
                    let path = format!("{from}/{}", field.name);
                    self.element(&element, (group, &field.name), &path, picks)?;
                }
                Ok(())
            }
            None => self.empty(to),
        }
    }

    /// Writes the matrix before genes were selected, with its own genes.
    fn raw(&mut self, file: &AnnData, picks: &FilePicks, out: Group) -> Result<()> {
        let Some((path, x)) = file.element(&Item::RawX)? else { return Ok(()) };
        let (parent, _) = path.rsplit_once(['/', '.']).unwrap_or((&path, ""));
        let at = |name: &str| match path.contains('/') {
            true => format!("{parent}/{name}"),
            false => format!("{parent}.{name}"),
        };
        let raw = self.output.group(out, "raw")?;
        self.output.encode(raw, "raw", "0.1.0")?;
        if let Some(Element::Group(group)) = Element::find(&*file.root, "raw")? {
            let picks = picks.along(Item::RawX.axes());
            self.other_attributes_of_group(&*group, raw.0, "raw", picks)?;
        }
        self.element(&x, (raw, "X"), "raw/X", picks.along(Item::RawX.axes()))?;
        self.raw_table(file, &at("var"), raw)?;
        self.collection(file, &at("varm"), (raw, "varm"), ALL)?;
        if let Some(Element::Group(group)) = Element::find(&*file.root, "raw")? {
            for child in group.children()? {
                if !["X", "var", "varm"].contains(&&*child.name) {
                    self.left_out(&format!("raw/{}", child.name), NOT_AN_ELEMENT);
                }
            }
        }
        Ok(())
    }

    /// Writes the table of the genes of `raw`: with the column as names that `var` gets, if it has that, too.
    fn raw_table(&mut self, file: &AnnData, path: &str, raw: Group) -> Result<()> {
        let frame = file.raw_var()?;
        let labels = self.options.labels[1];
        let Some(column) = &labels.names_from else {
            return self.root_table(file, path, (raw, "var"), frame, ALL);
        };
        if !frame.columns().iter().any(|info| info.name == *column) {
            let note = format!("raw/var has no column {column:?}, and keeps its names");
            self.report.notes.push(note);
            return self.root_table(file, path, (raw, "var"), frame, ALL);
        }
        let labels = Labels::default()
            .names_from(Some(column.clone()))
            .previous_names(labels.previous_names.clone())
            .make_unique(labels.make_unique);
        self.labelled_table(frame, (raw, "var"), None, (Axis::Cols, &labels))?;
        Ok(())
    }

    fn empty(&mut self, to: (Group, &str)) -> Result<()> {
        self.empty_group(to).map(drop)
    }

    fn empty_group(&mut self, (parent, name): (Group, &str)) -> Result<Group> {
        let group = self.output.group(parent, name)?;
        self.output.encode(group, "dict", "0.1.0")?;
        Ok(group)
    }
}

/// Checks all matrices, so that wrong shapes are an error before anything is written.
pub(crate) fn check_shapes(file: &AnnData) -> Result<()> {
    for item in file.items()? {
        let opened = file.matrix(&item).map(drop);
        opened.map_err(|error| match item {
            Item::X => error,
            _ => droppable(error, &item.to_string()),
        })?;
    }
    Ok(())
}

/// Lists the members of `uns` that belong to columns of tables, in anndata 0.6 and before.
pub(crate) fn old_categories(file: &AnnData) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for (name, frame) in [("obs", file.obs()?), ("var", file.var()?)] {
        if let Some(Element::Array(_)) = Element::find(&*file.root, name)? {
            let categorical = frame
                .columns()
                .iter()
                .filter(|info| matches!(info.column_type, ColumnType::Categorical { .. }));
            names.extend(categorical.map(|info| format!("{}_categories", info.name)));
        }
    }
    Ok(names)
}

/// Lists everything except a matrix and the tables of its axes.
pub(crate) fn others(file: &AnnData, item: &Item) -> Result<Vec<String>> {
    let mut others = Vec::new();
    let root = &*file.root;
    for child in root.children()? {
        let name = &*child.name;
        // One that cannot be opened is lost, too.
        let element = readable(Element::find(root, name))?.flatten();
        match element {
            _ if *item == Item::X && name == "X" => {}
            _ if ["obs", "var"].contains(&name) => {}
            Some(element) if element.is_null()? => {}
            Some(Element::Group(group)) if name != "raw" && name != "X" => {
                match readable(group.children())? {
                    Some(children) => {
                        others.extend(children.iter().map(|child| format!("{name}/{}", child.name)))
                    }
                    None => others.push(name.to_owned()),
                }
            }
            _ => others.push(name.to_owned()),
        }
    }
    Ok(others)
}

/// Lists the attributes of other programs of a matrix and the tables of its axes, and of the root if the matrix stands
/// for the file.
pub(crate) fn foreign_attributes(
    file: &AnnData,
    item: &Item,
    with_root: bool,
) -> Result<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    if with_root {
        names.extend(foreign(&*file.root, ROOT)?.iter().map(|name| shown("/", name)));
    }
    if let Some((path, element)) = file.element(item)? {
        foreign_of_element(&element, &path, &mut names)?;
    }
    for along in item.axes() {
        let paths: &[&str] = match along {
            TableAxis::Obs => &["obs"],
            TableAxis::Var => &["var"],
            TableAxis::RawVar => &["raw/var", "raw.var"],
            TableAxis::Nothing => &[],
        };
        for path in paths {
            if let Some(table) = Element::at(&*file.root, path)? {
                foreign_of_element(&table, path, &mut names)?;
            }
        }
    }
    Ok(names)
}

//! Members that are removed.

use nnz_container::tree::Group;
use nnz_core::{Error, ErrorKind, Place, Result, readable};

use super::super::AnnData;
use super::super::element::{Element, Encoding};
use super::super::file::may_be_sparse;
use super::super::output::Output;
use super::{open_group, shown};

/// The groups whose members can be removed.
const GROUPS: [&str; 7] = ["layers", "obsm", "varm", "obsp", "varp", "uns", "raw/varm"];

/// The members of `raw`, also before anndata 0.7.
const RAW: [&str; 4] = ["raw", "raw.X", "raw.var", "raw.varm"];

/// The end of the name of a member of `uns` with the categories of a column, before anndata 0.7.
const CATEGORIES: &str = "_categories";

/// A member that is removed.
#[derive(Debug)]
pub(super) struct Removal {
    /// The names of its parent groups.
    parents: Vec<String>,
    name: String,
}

impl Removal {
    pub(super) fn new(parents: Vec<String>, name: &str) -> Self {
        Self { parents, name: name.to_owned() }
    }

    pub(super) fn path(&self) -> String {
        let names: Vec<&str> =
            self.parents.iter().chain([&self.name]).map(String::as_str).collect();
        names.join("/")
    }

    /// Returns the paths of its parent groups.
    pub(super) fn parents(&self) -> impl Iterator<Item = String> + '_ {
        (1..=self.parents.len()).map(|count| self.parents[..count].join("/"))
    }

    pub(super) fn write(&self, output: &mut Output) -> Result<()> {
        let parent = open_group(output, &self.parents)?;
        output.tree.remove(parent.0, &self.name)
    }
}

/// Returns the table and the column of a path; `None` if it is none of a column.
pub(super) fn frame_of(path: &str) -> Option<(&'static str, &str)> {
    ["obs", "var"].into_iter().find_map(|frame| {
        let column = path.strip_prefix(frame)?.strip_prefix('/')?.trim_start_matches('/');
        (!column.is_empty()).then_some((frame, column))
    })
}

/// Returns whether a group of the file has a member.
fn is_there(file: &AnnData, path: &str) -> bool {
    let Some((base, name)) = path.rsplit_once('/') else { return false };
    match Element::at(&*file.root, base) {
        Ok(Some(Element::Group(group))) => {
            all_names(&*group).is_ok_and(|names| names.iter().any(|member| member == name))
        }
        _ => false,
    }
}

/// Finds what is removed with a path.
pub(super) fn find(file: &AnnData, path: &str) -> Result<Vec<Removal>> {
    let root = &*file.root;
    let place = Place::path(root.path());
    let refused = |what: String| Err(Error::new(ErrorKind::Argument(what), place.clone()));
    match path {
        "X" | "obs" | "var" => return refused(format!("{path} cannot be removed")),
        "raw" => {
            let names = root.member_names()?;
            let found = RAW.iter().filter(|name| names.iter().any(|there| there == *name));
            let found: Vec<_> = found.map(|name| Removal::new(Vec::new(), name)).collect();
            return match found.is_empty() {
                true => refused("there is no raw".to_owned()),
                false => Ok(found),
            };
        }
        _ if GROUPS.contains(&path) => return members(file, path),
        _ => {}
    }
    let in_group = GROUPS.iter().find_map(|base| {
        let rest = path.strip_prefix(base)?.strip_prefix('/')?;
        let rest: Vec<&str> = rest.split('/').filter(|name| !name.is_empty()).collect();
        (!rest.is_empty()).then_some((*base, rest))
    });
    let Some((base, names)) = in_group else {
        let bases = ["obs", "var"].into_iter().chain(GROUPS.iter().copied());
        let meant = bases.map(|base| format!("{base}/{path}"));
        let meant: Vec<String> =
            meant.filter(|meant| is_there(file, meant)).map(|meant| format!("{meant:?}")).collect();
        if !meant.is_empty() {
            let meant = meant.join(" or ");
            return refused(format!("{path:?} cannot be removed; did you mean {meant}?"));
        }
        return refused(format!(
            "{path:?} cannot be removed: expected {}/NAME, a whole group of these, raw, obs/COLUMN or var/COLUMN",
            GROUPS.join("/NAME, ")
        ));
    };
    check_categories(file, base, &names)?;
    let mut parents: Vec<String> = base.split('/').map(str::to_owned).collect();
    let mut group = match Element::at(root, base)? {
        Some(Element::Group(group)) => group,
        Some(Element::Array(_)) => {
            let what =
                format!("removing members of {base} in the layout of this version of anndata");
            return Err(Error::unsupported(place, format!("{what} is not supported")));
        }
        None => return refused(format!("there is no {path}: the file has no {base}")),
    };
    for (at, name) in names.iter().enumerate() {
        let shown_parents = parents.join("/");
        let members = all_names(&*group)?;
        if !members.iter().any(|member| member == name) {
            let there = shown(&members);
            return refused(format!("there is no {name:?} in {shown_parents}, which has {there}"));
        }
        if at + 1 == names.len() {
            return Ok(vec![Removal::new(parents, name)]);
        }
        parents.push((*name).to_owned());
        group = match Element::open(&*group, name)? {
            Element::Group(inner) if is_mapping(&*inner)? => inner,
            _ => {
                let whole = parents.join("/");
                return refused(format!(
                    "{path} is a part of {whole}, which is removed as a whole"
                ));
            }
        };
    }
    Ok(Vec::new())
}

/// Finds all members of a group.
fn members(file: &AnnData, base: &str) -> Result<Vec<Removal>> {
    let Some(Element::Group(group)) = Element::at(&*file.root, base)? else {
        let what = format!("there is no group {base}");
        return Err(Error::new(ErrorKind::Argument(what), Place::path(file.root.path())));
    };
    let parents: Vec<String> = base.split('/').map(str::to_owned).collect();
    let names = all_names(&*group)?;
    names.iter().try_for_each(|name| check_categories(file, base, &[name]))?;
    Ok(names.iter().map(|name| Removal::new(parents.clone(), name)).collect())
}

/// Returns the names of all members, also of those that cannot be read.
pub(super) fn all_names(group: &dyn Group) -> Result<Vec<String>> {
    Ok(group.children()?.into_iter().map(|child| child.name).collect())
}

/// Returns whether a group has elements by name, and is not an element itself, such as a table.
fn is_mapping(group: &dyn Group) -> Result<bool> {
    let encoding = readable(Encoding::of(group, &Place::path(group.path())))?;
    let is_mapping = encoding.is_some_and(|encoding| matches!(&*encoding.kind, "" | "dict"));
    Ok(is_mapping && !may_be_sparse(group)?)
}

/// Refuses the categories of columns, which are in `uns` before anndata 0.7.
fn check_categories(file: &AnnData, base: &str, names: &[&str]) -> Result<()> {
    let Some(column) = names.first().and_then(|name| name.strip_suffix(CATEGORIES)) else {
        return Ok(());
    };
    for frame in ["obs", "var"] {
        if base == "uns"
            && let Some(Element::Array(_)) = Element::find(&*file.root, frame)?
        {
            let table = if frame == "obs" { file.obs()? } else { file.var()? };
            if super::frame_edit::has_column(&table, column) {
                let what =
                    format!("uns/{column}{CATEGORIES} has the categories of {frame}/{column}");
                return Err(Error::new(ErrorKind::Argument(what), Place::path(file.root.path())));
            }
        }
    }
    Ok(())
}

//! Attributes of other programs: of users, and of programs such as SnapATAC2, which keeps the intervals of tiles as
//! attributes of `var/index`.
//!
//! An attribute may describe each row of its element, in any form. So it is written only if the element keeps the
//! positions that it may describe.

use std::collections::BTreeSet;

use nnz_container::tree::{
    Attribute, AttributeValue, Attributes, Group as SourceGroup, NdArray, NodeId,
};
use nnz_core::{Annotations as _, ErrorKind, Place, Result};

use super::elements::Transfer;
use super::picks::Picks;
use crate::anndata::DataFrame;
use crate::anndata::element::{Element, Encoding};
use crate::anndata::matrix_writer::MatrixWriter;
use crate::times;

/// The attributes with the type of an element.
const ENCODING: [&str; 2] = ["encoding-type", "encoding-version"];

/// The encoding of a root.
pub(crate) const ROOT: &str = "anndata";

/// The attributes of a root that name the program that wrote it.
const OF_PROGRAM: [&str; 2] = ["encoder", "encoder-version"];

/// The arrays of a sparse matrix.
const ENTRIES: [&str; 3] = ["data", "indices", "indptr"];

/// Returns whether an attribute is defined by anndata for elements of an encoding, which is empty before anndata 0.8.
pub(crate) fn is_own(encoding: &str, name: &str) -> bool {
    let own: &[&str] = match encoding {
        "csr_matrix" | "csc_matrix" => &["shape", "h5sparse_format", "h5sparse_shape"],
        "dataframe" => &["_index", "column-order"],
        "categorical" => &["ordered"],
        "nullable-string-array" => &["na-value"],
        "array" | "nullable-integer" => &[times::ATTRIBUTE],
        "" => &[
            "_index",
            "column-order",
            "h5sparse_format",
            "h5sparse_shape",
            "categories",
            times::ATTRIBUTE,
        ],
        _ => &[],
    };
    ENCODING.contains(&name) || own.contains(&name)
}

/// Lists the attributes of an element that anndata does not define.
pub(crate) fn foreign<T: Attributes + ?Sized>(from: &T, encoding: &str) -> Result<Vec<String>> {
    let mut names = from.attributes()?;
    names.retain(|name| !is_own(encoding, name));
    Ok(names)
}

/// Returns the members of an element that have attributes of their own, though they are parts of it: the arrays of a
/// matrix, the index and columns of a table, the arrays of a column. `None` if members are elements themselves.
pub(crate) fn parts(group: &dyn SourceGroup, encoding: &str) -> Result<Option<Vec<String>>> {
    Ok(match encoding {
        "csr_matrix" | "csc_matrix" => Some(ENTRIES.map(str::to_owned).to_vec()),
        "categorical" => Some(["codes", "categories"].map(str::to_owned).to_vec()),
        "nullable-integer" | "nullable-boolean" | "nullable-string-array" => {
            Some(["values", "mask"].map(str::to_owned).to_vec())
        }
        "" if group.attribute("h5sparse_format")?.is_some() => {
            Some(ENTRIES.map(str::to_owned).to_vec())
        }
        "dataframe" => Some(members_of_table(group)?),
        "" if group.attribute("_index")?.is_some() => Some(members_of_table(group)?),
        _ => None,
    })
}

/// Lists the members of a matrix, or of a column with several arrays, that anndata does not define.
pub(crate) fn foreign_members(group: &dyn SourceGroup) -> Result<Vec<String>> {
    let encoding = Encoding::of(group, &Place::path(group.path()))?.kind;
    let is_table = match &*encoding {
        "" => group.attribute("_index")?.is_some(),
        kind => kind == "dataframe",
    };
    let Some(parts) = parts(group, &encoding)?.filter(|_| !is_table) else {
        return Ok(Vec::new());
    };
    let names = group.children()?.into_iter().map(|child| child.name);
    Ok(names.filter(|name| !parts.contains(name)).collect())
}

/// Lists the index of a table, and its columns.
fn members_of_table(group: &dyn SourceGroup) -> Result<Vec<String>> {
    let frame = DataFrame::of_group(group, "")?;
    let columns = frame.columns().iter().map(|info| info.name.clone());
    let mut members = vec![frame.index_name().to_owned()];
    members.extend(columns.filter(|name| name != frame.index_name()));
    Ok(members)
}

/// The attributes that are written with an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AttributeScope<'a> {
    /// All: the element is written as a whole.
    All,
    /// Attributes of anndata: each row of the element belongs to a row of an axis, some of which are left out or moved.
    Own,
    /// Also those that have none of these lengths.
    Others(&'a [u64]),
    /// Attributes of anndata, and single values: entries are left out or moved.
    Single,
}

impl AttributeScope<'_> {
    fn keeps(self, attribute: &Attribute) -> bool {
        let is_single = match attribute.value {
            AttributeValue::Json(_) | AttributeValue::Unsupported(_) => false,
            _ => attribute.shape.iter().all(|len| *len == 1),
        };
        match self {
            Self::All => true,
            Self::Own => false,
            Self::Single => is_single,
            Self::Others(lengths) => {
                let count =
                    attribute.shape.iter().fold(1, |all: u64, len| all.saturating_mul(*len));
                is_single
                    || !matches!(attribute.value, AttributeValue::Json(_))
                        && !lengths.contains(&count)
                        && !attribute.shape.iter().any(|len| lengths.contains(len))
            }
        }
    }
}

/// Returns the lengths of the axes of which a part is selected.
fn lengths(picks: Picks<'_>) -> Vec<u64> {
    picks.iter().flatten().map(|pick| pick.axis_len).collect()
}

/// Why attributes are left out.
pub(crate) const NEW_NAMES: &str = "not kept with other names or columns";
pub(crate) const OLD_LAYOUT: &str = "not kept in the current layout of tables";
pub(crate) const NOT_JOINED: &str = "not concatenated";
pub(crate) const AS_TIMES: &str = "not kept when nullable integers become dates";
pub(crate) const NOT_AN_ELEMENT: &str = "not an element of AnnData";
const OF_OTHER_ROWS: &str = "may describe rows or columns that are left out or moved";

impl Transfer<'_> {
    /// Writes the attributes of a group whose members are elements, or of a table.
    pub(crate) fn attributes_of_group(
        &mut self,
        from: &dyn SourceGroup,
        to: NodeId,
        path: &str,
        picks: Picks<'_>,
        left_out: &[&str],
    ) -> Result<()> {
        let encoding = Encoding::of(from, &Place::path(from.path()))?.kind;
        let is_column = encoding == "categorical" || encoding.starts_with("nullable-");
        let lengths = lengths(picks);
        let kept = match () {
            () if lengths.is_empty() => AttributeScope::All,
            () if is_column => AttributeScope::Own,
            () => AttributeScope::Others(&lengths),
        };
        self.attributes(from, to, path, &encoding, kept, left_out)
    }

    /// Writes the attributes of an array.
    pub(crate) fn attributes_of_array(
        &mut self,
        from: &dyn NdArray,
        to: NodeId,
        path: &str,
        picks: Picks<'_>,
    ) -> Result<()> {
        let encoding = Encoding::of(from, &from.place())?.kind;
        let lengths = lengths(picks);
        let kept = match from.shape() {
            _ if lengths.is_empty() => AttributeScope::All,
            [_] => AttributeScope::Own,
            _ => AttributeScope::Others(&lengths),
        };
        self.attributes(from, to, path, &encoding, kept, &[])
    }

    /// Writes the attributes of a sparse matrix and of its arrays.
    pub(super) fn attributes_of_matrix(
        &mut self,
        from: &dyn SourceGroup,
        to: &MatrixWriter,
        path: &str,
        picks: Picks<'_>,
    ) -> Result<()> {
        let lengths = lengths(picks);
        let (group, arrays) = to.nodes();
        let encoding = Encoding::of(from, &Place::path(from.path()))?.kind;
        let of_group =
            if lengths.is_empty() { AttributeScope::All } else { AttributeScope::Others(&lengths) };
        // Its own are written already.
        self.foreign_attributes(from, group, path, &encoding, of_group)?;
        let of_arrays =
            if lengths.is_empty() { AttributeScope::All } else { AttributeScope::Single };
        for (name, node) in ENTRIES.into_iter().zip(arrays) {
            let array = from.array(name)?;
            let encoding = Encoding::of(&*array, &array.place())?.kind;
            let path = format!("{path}/{name}");
            self.foreign_attributes(&*array, node, &path, &encoding, of_arrays)?;
        }
        Ok(())
    }

    /// Writes the attributes of other programs of a group: attributes of anndata are written already.
    pub(crate) fn other_attributes_of_group(
        &mut self,
        from: &dyn SourceGroup,
        to: NodeId,
        path: &str,
        picks: Picks<'_>,
    ) -> Result<()> {
        let lengths = lengths(picks);
        let kept =
            if lengths.is_empty() { AttributeScope::All } else { AttributeScope::Others(&lengths) };
        self.foreign_attributes(from, to, path, ROOT, kept)
    }

    fn foreign_attributes<T: Attributes + ?Sized>(
        &mut self,
        from: &T,
        to: NodeId,
        path: &str,
        encoding: &str,
        kept: AttributeScope<'_>,
    ) -> Result<()> {
        let own = from.attributes()?;
        let own: Vec<&str> =
            own.iter().map(String::as_str).filter(|name| is_own(encoding, name)).collect();
        self.attributes(from, to, path, encoding, kept, &own)
    }

    /// Writes attributes, except some. Attributes of other programs that are not kept are reported.
    fn attributes<T: Attributes + ?Sized>(
        &mut self,
        from: &T,
        to: NodeId,
        path: &str,
        encoding: &str,
        kept: AttributeScope<'_>,
        left_out: &[&str],
    ) -> Result<()> {
        for name in from.attributes()? {
            let Some(attribute) = from.attribute(&name)? else { continue };
            // Without a type there is no version.
            let untyped = ENCODING.contains(&&*name) && attribute.text() == Some("");
            if untyped || left_out.contains(&&*name) {
                continue;
            }
            let at = shown(path, &name);
            if !is_own(encoding, &name) && !kept.keeps(&attribute) {
                self.left_out(&at, OF_OTHER_ROWS);
                continue;
            }
            let set = match attribute.value {
                AttributeValue::References(_) => Err("references".to_owned()),
                _ => supported(self.output.tree.set_attribute(to, &name, &attribute))?,
            };
            if let Err(why) = set {
                self.dropped(&at, why);
            }
        }
        Ok(())
    }

    /// Reports the members of a matrix, or of a column with several arrays, that are not written.
    pub(crate) fn members_dropped(&mut self, from: &dyn SourceGroup, path: &str) -> Result<()> {
        for name in foreign_members(from)? {
            self.dropped(&format!("{path}/{name}"), NOT_AN_ELEMENT);
        }
        Ok(())
    }

    /// Reports the attributes of other programs of elements that are written anew, and of their parts.
    pub(crate) fn attributes_left_out<'e>(
        &mut self,
        elements: impl IntoIterator<Item = &'e Element>,
        path: &str,
        why: &str,
    ) -> Result<()> {
        let mut names = BTreeSet::new();
        for element in elements {
            foreign_of_element(element, path, &mut names)?;
        }
        names.iter().for_each(|name| self.left_out(name, why));
        Ok(())
    }

    /// Same for the roots of files, except some attributes.
    pub(crate) fn attributes_of_roots_left_out<'e>(
        &mut self,
        roots: impl IntoIterator<Item = &'e dyn SourceGroup>,
        except: &[&str],
        why: &str,
    ) -> Result<()> {
        let mut names = BTreeSet::new();
        for root in roots {
            let foreign = foreign(root, ROOT)?;
            let is_lost = |name: &&String| {
                !OF_PROGRAM.contains(&name.as_str()) && !except.contains(&name.as_str())
            };
            names.extend(foreign.iter().filter(is_lost).map(|name| shown("/", name)));
        }
        names.iter().for_each(|name| self.left_out(name, why));
        Ok(())
    }

    /// Same for a group.
    pub(crate) fn attributes_of_group_left_out(
        &mut self,
        from: &dyn SourceGroup,
        path: &str,
        why: &str,
    ) -> Result<()> {
        let mut names = BTreeSet::new();
        foreign_of_group(from, path, &mut names)?;
        names.iter().for_each(|name| self.left_out(name, why));
        Ok(())
    }
}

/// Returns the name of an attribute in messages.
pub(crate) fn shown(path: &str, name: &str) -> String {
    format!("{path}, attribute {name:?}")
}

/// Lists the attributes of other programs of an element and its parts.
pub(crate) fn foreign_of_element(
    from: &Element,
    path: &str,
    out: &mut BTreeSet<String>,
) -> Result<()> {
    match from {
        Element::Array(array) => {
            let names = foreign(&**array, &from.encoding()?.kind)?;
            out.extend(names.iter().map(|name| shown(path, name)));
            Ok(())
        }
        Element::Group(group) => foreign_of_group(&**group, path, out),
    }
}

fn foreign_of_group(from: &dyn SourceGroup, path: &str, out: &mut BTreeSet<String>) -> Result<()> {
    let encoding = Encoding::of(from, &Place::path(from.path()))?.kind;
    out.extend(foreign(from, &encoding)?.iter().map(|name| shown(path, name)));
    for name in parts(from, &encoding)?.unwrap_or_default() {
        if let Some(part) = Element::at(from, &name)? {
            foreign_of_element(&part, &format!("{path}/{name}"), out)?;
        }
    }
    Ok(())
}

/// Separates what the container does not support from other errors.
pub(crate) fn supported<T>(done: Result<T>) -> Result<std::result::Result<T, String>> {
    match done {
        Ok(done) => Ok(Ok(done)),
        Err(error) if matches!(error.kind(), ErrorKind::Unsupported(_)) => {
            Ok(Err(error.into_parts().0.to_string()))
        }
        Err(error) => Err(error),
    }
}

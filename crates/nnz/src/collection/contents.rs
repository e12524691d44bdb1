//! The matrices and attributes of a collection that other formats can store.

use nnz_container::tree::Attribute;
use nnz_core::{Axis, AxisKind, MatrixSource, Result};
use nnz_engine::{Concat, ConcatOptions, Labelled, Selection, Slice, Transposed};

use crate::concat::by_name::Matching;
use crate::{Context, ConvertOptions};

/// How a matrix is related to the axes of its collection.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MemberRole {
    /// Another matrix with the rows and columns of the main one.
    Layer(String),
    /// Some numbers for each row, or for each column, such as an embedding: one row of the matrix for each.
    AxisMatrix(Axis, String),
    /// A graph of rows, or of columns.
    AxisGraph(Axis, String),
    /// The matrix before features were selected: with the rows, or columns, of the main one, and features of its own.
    Raw(Axis),
}

/// A number or string of a collection as a whole, or a list of them.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct NamedAttribute {
    /// The name.
    pub name: String,
    /// The value.
    pub value: Attribute,
    /// The name in messages.
    pub shown: String,
}

impl NamedAttribute {
    /// Creates an attribute, with its name in messages.
    #[must_use]
    pub fn new(name: String, value: Attribute, shown: String) -> Self {
        Self { name, value, shown }
    }
}

/// A matrix of a collection, beside the main one.
#[non_exhaustive]
pub struct ContentsMember {
    /// How it is related to the axes.
    pub role: MemberRole,
    /// Its path in the file, for messages.
    pub path: String,
    /// The matrix.
    pub source: Box<dyn MatrixSource>,
}

impl ContentsMember {
    /// Creates it.
    #[must_use]
    pub fn new(role: MemberRole, path: String, source: Box<dyn MatrixSource>) -> Self {
        Self { role, path, source }
    }
}

impl std::fmt::Debug for ContentsMember {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ContentsMember").field("path", &self.path).finish_non_exhaustive()
    }
}

/// The matrices and attributes of a collection.
#[non_exhaustive]
pub struct Contents {
    /// The main matrix, with the names and annotations of both axes.
    pub main: Box<dyn MatrixSource>,
    /// The path of the main matrix in the file, for messages.
    pub main_path: String,
    /// The paths of the tables of rows and of columns, for messages.
    pub tables: [String; 2],
    /// The other matrices.
    pub members: Vec<ContentsMember>,
    /// Attributes of the whole.
    pub attributes: Vec<NamedAttribute>,
    /// Elements that other formats do not store.
    pub unsupported: Vec<String>,
    /// Elements that are left out for another reason, with the reason.
    pub left_out: Vec<String>,
    /// Notes for the user.
    pub notes: Vec<String>,
}

impl std::fmt::Debug for Contents {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Contents").field("members", &self.members).finish_non_exhaustive()
    }
}

impl Contents {
    /// Creates it from a main matrix, its path, and the paths of the tables of rows and columns.
    #[must_use]
    pub fn new(main: Box<dyn MatrixSource>, main_path: &str, tables: [&str; 2]) -> Self {
        Self {
            main,
            main_path: main_path.to_owned(),
            tables: tables.map(ToOwned::to_owned),
            members: Vec::new(),
            attributes: Vec::new(),
            unsupported: Vec::new(),
            left_out: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Selects rows and columns, and what belongs to them.
    pub(crate) fn slice(self, [rows, cols]: [&Selection; 2]) -> Result<Self> {
        let main = Slice::new(self.main, rows, cols)?;
        let of_axis = |axis| Selection::ranges(main.ranges(axis)).allow_empty(true);
        let [rows, cols] = [of_axis(Axis::Rows), of_axis(Axis::Cols)];
        let all = Selection::all();
        let along = |axis| if axis == Axis::Rows { &rows } else { &cols };
        let mut members = Vec::new();
        for ContentsMember { role, path, source } in self.members {
            let selected = match &role {
                MemberRole::Layer(_) => [&rows, &cols],
                MemberRole::AxisMatrix(axis, _) => [along(*axis), &all],
                MemberRole::AxisGraph(axis, _) => [along(*axis); 2],
                MemberRole::Raw(Axis::Rows) => [&rows, &all],
                MemberRole::Raw(Axis::Cols) => [&all, &cols],
            };
            let slice = Slice::new(source, selected[0], selected[1])?;
            members.push(ContentsMember::new(role, path, Box::new(slice)));
        }
        Ok(Self { main: Box::new(main), members, ..self })
    }

    /// Concatenates collections along an axis. Layers and matrices of the axis are kept if all have them, and
    /// attributes that are the same in all; what belongs to the other axis, and graphs, are left out.
    /// `how` is for the main matrices and layers, whose rows or columns are in the order of a matching.
    pub(crate) fn concat(
        all: Vec<Self>,
        axis: Axis,
        matching: Option<&Matching>,
        [how, of_others]: [&ConcatOptions; 2],
    ) -> Result<Self> {
        let count = all.len();
        let paths = all.first().map(|first| (first.main_path.clone(), first.tables.clone()));
        let (main_path, tables) = paths.unwrap_or_default();
        let (mut mains, mut members, mut attributes) = (Vec::new(), Vec::new(), Vec::new());
        let (mut unsupported, mut left_out) = (Vec::new(), Vec::new());
        let mut notes = Vec::new();
        for (number, contents) in all.into_iter().enumerate() {
            mains.push(contents.main);
            members.extend(contents.members.into_iter().map(|member| (number, member)));
            notes.extend(contents.notes);
            attributes.extend(contents.attributes);
            unsupported.extend(contents.unsupported);
            left_out.extend(contents.left_out);
        }
        if let Some(matching) = matching {
            mains = matching.apply(mains)?;
            notes.push(matching.note.clone());
        }
        let main = Box::new(Concat::new(mains, axis, how)?);
        let mut concat = Self::new(main, &main_path, tables.each_ref().map(|path| &**path));
        while let Some((_, ContentsMember { role, path, source })) = members.first() {
            let (role, path) = (role.clone(), path.clone());
            let width = source.header().shape.cols;
            let is_same = |(_, other): &mut (usize, ContentsMember)| other.role == role;
            let parts =
                members.extract_if(.., is_same).map(|(number, member)| (number, member.source));
            let parts: Vec<_> = parts.collect();
            let along = match &role {
                MemberRole::Layer(_) => Ok(axis),
                MemberRole::AxisMatrix(own, _) if *own == axis => Ok(Axis::Rows),
                MemberRole::AxisMatrix(..) => Err("it belongs to the other axis"),
                MemberRole::AxisGraph(..) => Err("graphs are not concatenated"),
                MemberRole::Raw(_) => Err("it has features of its own"),
            };
            let is_wide = matches!(role, MemberRole::AxisMatrix(..))
                && parts.iter().any(|(_, part)| part.header().shape.cols != width);
            let along = along.and_then(|along| match () {
                () if parts.len() < count => Err("not all files have it"),
                () if is_wide => Err("its width is not the same in all files"),
                () => Ok(along),
            });
            match along {
                Ok(along) => {
                    let is_layer = matches!(role, MemberRole::Layer(_));
                    let how = if is_layer { how } else { of_others };
                    let parts = parts.into_iter().map(|(number, part)| match matching {
                        Some(matching) if is_layer => matching.apply_to_one(number, part),
                        _ => Ok(part),
                    });
                    let parts = Concat::new(parts.collect::<Result<_>>()?, along, how)?;
                    concat.members.push(ContentsMember::new(role, path, Box::new(parts)));
                }
                Err(why) => left_out.push(format!("{path} ({why})")),
            }
        }
        while let Some(first) = attributes.first() {
            let name = NamedAttribute::clone(first);
            let is_same = |other: &mut NamedAttribute| other.name == name.name;
            let mut same: Vec<_> = attributes.extract_if(.., is_same).collect();
            if same.len() == count && same.iter().all(|other| other.value == name.value) {
                concat.attributes.extend(same.pop());
            } else {
                left_out.push(format!("{} (not the same in all files)", name.shown));
            }
        }
        unsupported.sort();
        unsupported.dedup();
        Ok(Self { unsupported, left_out, notes, ..concat })
    }

    /// Replaces names and annotations of the main matrix as the options say.
    pub(crate) fn labelled(self, options: &ConvertOptions, context: &Context) -> Result<Self> {
        let labels = [&options.row_labels, &options.col_labels];
        if labels.iter().all(|labels| labels.is_default()) {
            return Ok(self);
        }
        let place = self.main.place();
        let main = Labelled::new(self.main, labels, context.memory())
            .map_err(|error| error.with_context(&place))?;
        Ok(Self { main: Box::new(main), ..self })
    }

    /// Removes and returns the matrix before features were selected, with its path.
    #[cfg(feature = "robjects")]
    pub(crate) fn take_raw(&mut self) -> Option<Self> {
        let is_raw = |member: &ContentsMember| matches!(member.role, MemberRole::Raw(_));
        let at = self.members.iter().position(is_raw)?;
        let ContentsMember { path, source, .. } = self.members.remove(at);
        Some(Self::new(source, &path, self.tables.each_ref().map(|table| &**table)))
    }

    /// Exchanges rows and columns if cells are along the other axis. Returns whether they were.
    pub(crate) fn with_cells_along(self, cells: Axis) -> (Self, bool) {
        if AxisKind::cell_axis(self.main.header().axis_kinds) != Some(cells.other()) {
            return (self, false);
        }
        let transposed = |source| -> Box<dyn MatrixSource> { Box::new(Transposed::new(source)) };
        let members = self.members.into_iter().map(|member| {
            let ContentsMember { role, path, source } = member;
            let (role, source) = match role {
                MemberRole::Layer(name) => (MemberRole::Layer(name), transposed(source)),
                MemberRole::AxisMatrix(axis, name) => {
                    (MemberRole::AxisMatrix(axis.other(), name), source)
                }
                MemberRole::AxisGraph(axis, name) => {
                    (MemberRole::AxisGraph(axis.other(), name), source)
                }
                MemberRole::Raw(axis) => (MemberRole::Raw(axis.other()), transposed(source)),
            };
            ContentsMember::new(role, path, source)
        });
        let members = members.collect();
        (Self { main: transposed(self.main), members, ..self }, true)
    }
}

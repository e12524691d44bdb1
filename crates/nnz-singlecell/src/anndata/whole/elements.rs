//! Writing elements of any type, as a whole or parts along their first axes.

use std::collections::BTreeSet;
use std::sync::Arc;

use nnz_container::Compression;
use nnz_container::tree::{
    ChildKind, CopyOptions, ElementType, Group as SourceGroup, NdArray, NodeId, TreeWriter,
    copy_array,
};
use nnz_core::{
    Annotations as _, Error, ErrorKind, MatrixSource as _, Place, Result, StringList, TimeType,
};

use super::attributes::{AS_TIMES, NEW_NAMES, OLD_LAYOUT, supported};
use super::picks::{ALL, Pick, Picks};
use super::{FileOptions, Report};
use crate::anndata::columns::{INDEX, is_reserved, write_column};
use crate::anndata::element::{Element, Encoding};
use crate::anndata::output::{Group, Output};
use crate::anndata::{DataFrame, MatrixSource, frame};
use crate::enumeration::Enumeration;
use crate::times;
use crate::without::droppable;

/// Maximum depth and number of groups. Real files have a few hundred.
const DEEPEST: usize = 64;
const MOST_GROUPS: usize = 1 << 16;

/// Maximum number of groups that are copied again because they have several names.
const MOST_ALIASES: usize = 256;

/// Elements of `uns` with pairs of cells, from scanpy before 1.5. Everything else in `uns` is
/// copied.
const OF_CELL_PAIRS: [&str; 2] = ["uns/neighbors/distances", "uns/neighbors/connectivities"];

/// Returns the selection for an element of `uns`, which is not empty only for pairs of cells.
fn in_uns<'a>(from: &Element, path: &str, picks: Picks<'a>) -> Result<Picks<'a>> {
    if path == "uns/neighbors" || !path.starts_with("uns/") {
        return Ok(picks);
    }
    let [Some(rows), Some(cols)] = picks else { return Ok(ALL) };
    if !OF_CELL_PAIRS.contains(&path) {
        return Ok(ALL);
    }
    let shape = match from {
        Element::Array(array) => array.shape().to_vec(),
        Element::Group(group) => match MatrixSource::of_group(&**group, None)? {
            Some(matrix) => vec![matrix.header().shape.rows, matrix.header().shape.cols],
            None => Vec::new(),
        },
    };
    Ok(if shape == [rows.axis_len, cols.axis_len] { picks } else { ALL })
}

/// Writes elements into a new file.
pub(crate) struct Transfer<'a> {
    pub(crate) output: Output,
    pub(crate) options: &'a FileOptions<'a>,
    pub(crate) report: Report,
    /// Names of cells and of genes, if they replace the names in the file.
    pub(crate) names: [Option<Arc<StringList>>; 2],
    /// Groups that were copied, in containers in which a group may have several names.
    seen: BTreeSet<u64>,
    /// The groups whose members are being copied, the outermost first.
    entered: Vec<u64>,
    /// The number of groups that were copied again.
    aliases: usize,
    groups: usize,
}

impl<'a> Transfer<'a> {
    pub(crate) fn new(tree: Box<dyn TreeWriter>, options: &'a FileOptions<'a>) -> Self {
        let output = Output::new(tree, options.compression.unwrap_or_default());
        Self {
            output,
            options,
            report: Report::default(),
            names: [None, None],
            seen: BTreeSet::new(),
            entered: Vec::new(),
            aliases: 0,
            groups: 0,
        }
    }

    pub(crate) fn dropped(&mut self, path: &str, why: impl std::fmt::Display) {
        self.report.dropped.push(format!("{path} ({why})"));
    }

    /// Reports what is left out in any target.
    pub(crate) fn left_out(&mut self, path: &str, why: impl std::fmt::Display) {
        self.report.left_out.push(format!("{path} ({why})"));
    }

    /// Writes an element as a member of a group. `path` is its location in the file.
    pub(crate) fn element(
        &mut self,
        from: &Element,
        to: (Group, &str),
        path: &str,
        picks: Picks<'_>,
    ) -> Result<()> {
        let done = self.part(from, to, path, picks);
        done.map_err(|error| match path.contains('/') {
            true => droppable(error, path),
            // A file without its main matrix or tables is another file.
            false => error,
        })
    }

    /// Writes an element, or a part of one that cannot be left out of it.
    fn part(
        &mut self,
        from: &Element,
        to: (Group, &str),
        path: &str,
        picks: Picks<'_>,
    ) -> Result<()> {
        self.options.context.check()?;
        let picks = in_uns(from, path, picks)?;
        match from {
            Element::Array(array) => self.array(&**array, to, path, picks),
            Element::Group(group) => self.group(&**group, to, path, picks),
        }
    }

    fn group(
        &mut self,
        from: &dyn SourceGroup,
        to: (Group, &str),
        path: &str,
        picks: Picks<'_>,
    ) -> Result<()> {
        if let Some(matrix) = MatrixSource::of_group(from, self.options.repairs)? {
            return self.sparse(matrix, from, to, path, picks);
        }
        let encoding = Encoding::of(from, &Place::path(from.path()))?;
        let first = [picks[0], None];
        let is_table = match &*encoding.kind {
            "" => from.attribute("_index")?.is_some(),
            kind => kind == "dataframe",
        };
        if is_table && let Some(names) = self.names_beside(path) {
            let frame = Arc::new(DataFrame::of_group(from, path)?);
            self.attributes_of_group_left_out(from, path, NEW_NAMES)?;
            return self.renamed_table(frame, to, path, picks[0], &names);
        }
        match &*encoding.kind {
            "dataframe" if encoding.version == "0.2.0" => self.table(from, to, path, picks[0]),
            _ if is_table => {
                self.attributes_of_group_left_out(from, path, OLD_LAYOUT)?;
                self.old_table(Arc::new(DataFrame::of_group(from, path)?), to, path, picks[0])
            }
            "categorical" => {
                let categories = from.array("categories")?;
                check_codes(&*from.array("codes")?, &*categories)?;
                frame::check_categories(&*categories, self.options.context.memory())?;
                self.members(from, to, path, &[("codes", first), ("categories", ALL)])
            }
            "nullable-integer" if self.time_of(from)?.is_some() => {
                self.nullable_times(from, to, path, picks[0])
            }
            "nullable-integer" | "nullable-boolean" | "nullable-string-array" => {
                self.members(from, to, path, &[("values", first), ("mask", first)])
            }
            "" | "dict" => self.mapping(from, to, path, picks, &[]),
            _ if picks.iter().all(Option::is_none) => self.mapping(from, to, path, ALL, &[]),
            other => {
                self.left_out(path, format!("elements of encoding-type {other} cannot be sliced"));
                Ok(())
            }
        }
    }

    /// Returns the type of nullable integers that are dates or durations, if the target has such a type.
    fn time_of(&self, from: &dyn SourceGroup) -> Result<Option<TimeType>> {
        let time = times::of_attribute(from)?;
        Ok(time.filter(|time| self.output.tree.supports(&ElementType::Time(*time))))
    }

    /// Writes nullable integers with a unit as dates or durations.
    fn nullable_times(
        &mut self,
        from: &dyn SourceGroup,
        (parent, name): (Group, &str),
        path: &str,
        rows: Option<&Pick>,
    ) -> Result<()> {
        let column = frame::nullable(from, self.options.context.memory())?;
        if let Some(rows) = rows {
            check_len(column.len(), Some(rows), 0, &Place::path(from.path()))?;
        }
        let column = match rows {
            Some(rows) => column.picked(&rows.ranges),
            None => column,
        };
        self.members_dropped(from, path)?;
        self.attributes_of_group_left_out(from, path, AS_TIMES)?;
        self.output.compression = self.options.compression.unwrap_or_default();
        let time = self.time_of(from)?;
        write_column(&mut self.output, parent, name, column, time)
    }

    /// Returns the new names for a table whose rows are cells or genes, if they replace the names
    /// in the file.
    fn names_beside(&self, path: &str) -> Option<Arc<StringList>> {
        let [cells, genes] = &self.names;
        match path.split_once('/')?.0 {
            "obsm" => cells.clone(),
            "varm" => genes.clone(),
            _ => None,
        }
    }

    /// Writes all members of a group, except some.
    pub(crate) fn mapping(
        &mut self,
        from: &dyn SourceGroup,
        to: (Group, &str),
        path: &str,
        picks: Picks<'_>,
        left_out: &[&str],
    ) -> Result<()> {
        if let Some(why) = self.enter(from) {
            self.left_out(path, why);
            return Ok(());
        }
        let copied = self.members_of_mapping(from, to, path, picks, left_out);
        if from.identity().is_some() {
            self.entered.pop();
        }
        copied
    }

    /// Notes that the members of a group are copied. Returns why they are not: groups with several names are copied again
    /// for each, but a group in itself would not end, and names can multiply.
    fn enter(&mut self, group: &dyn SourceGroup) -> Option<&'static str> {
        let identity = group.identity()?;
        if self.entered.contains(&identity) {
            return Some("a group that contains it");
        }
        if !self.seen.insert(identity) {
            self.aliases += 1;
            if self.aliases > MOST_ALIASES {
                return Some("another name of a group that was copied");
            }
        }
        self.entered.push(identity);
        None
    }

    /// Forgets the groups of a file before another one is copied, in which they have the same identities.
    pub(crate) fn start_file(&mut self) {
        self.seen.clear();
        self.aliases = 0;
    }

    fn members_of_mapping(
        &mut self,
        from: &dyn SourceGroup,
        to: (Group, &str),
        path: &str,
        picks: Picks<'_>,
        left_out: &[&str],
    ) -> Result<()> {
        let made = self.create_group(from, to, path, picks, &[])?;
        let kind = Encoding::of(from, &Place::path(from.path()))?.kind;
        let is_mapping = matches!(&*kind, "" | "dict");
        let index = from.attribute(INDEX)?;
        let index = index.as_ref().and_then(|index| index.text());
        for child in from.children()? {
            if left_out.contains(&&*child.name) {
                continue;
            }
            let inner = format!("{path}/{}", child.name);
            if let ChildKind::Other(what) = child.kind {
                self.dropped(&inner, what);
                continue;
            }
            let opened = supported(Element::open(from, &child.name));
            let element = match opened.map_err(|error| droppable(error, &inner))? {
                Ok(element) => element,
                Err(why) if is_mapping => {
                    self.dropped(&inner, why);
                    continue;
                }
                Err(why) => {
                    let place = Place::array(from.path(), &child.name);
                    return Err(Error::unsupported(place, why));
                }
            };
            match index == Some(&*child.name) {
                true => self.part(&element, (made, &child.name), &inner, picks)?,
                false => self.element(&element, (made, &child.name), &inner, picks)?,
            }
        }
        Ok(())
    }

    /// Writes some members of a group, each with its own selection.
    fn members(
        &mut self,
        from: &dyn SourceGroup,
        to: (Group, &str),
        path: &str,
        members: &[(&str, Picks<'_>)],
    ) -> Result<()> {
        // The first has the values of rows.
        let picks = members.first().map_or(ALL, |(_, picks)| *picks);
        let made = self.create_group(from, to, path, picks, &[])?;
        self.members_dropped(from, path)?;
        for (name, picks) in members {
            let element = Element::open(from, name)?;
            self.part(&element, (made, name), &format!("{path}/{name}"), *picks)?;
        }
        Ok(())
    }

    /// Writes a table: the columns that it lists, and the names of rows.
    fn table(
        &mut self,
        from: &dyn SourceGroup,
        to: (Group, &str),
        path: &str,
        rows: Option<&Pick>,
    ) -> Result<()> {
        let frame = DataFrame::of_group(from, path)?;
        check_len(frame.len(), rows, 0, &frame.place())?;
        let before = self.report.dropped.len();
        self.check_columns(&frame, path)?;
        if rows.is_none() && self.report.dropped.len() == before {
            return self.mapping(from, to, path, ALL, &[]);
        }
        let made = self.create_group(from, to, path, [rows, None], &["column-order"])?;
        let kept = frame.columns().iter().filter(|info| !is_reserved(&info.name));
        let columns: Vec<String> = kept.map(|info| info.name.clone()).collect();
        self.output.set_texts(made, "column-order", &columns)?;
        let index = frame.index_name();
        let unlisted = Some(index).filter(|index| !columns.iter().any(|name| name == index));
        let mut folders: Vec<(String, Group)> = Vec::new();
        for name in unlisted.into_iter().chain(columns.iter().map(String::as_str)) {
            let (parent, last) = self.folder(made, name, &mut folders)?;
            let inner = format!("{path}/{name}");
            let missing = || Error::new(ErrorKind::Missing, Place::array(from.path(), name));
            let element = Element::at(from, name)?.ok_or_else(missing)?;
            match name == index {
                true => self.part(&element, (parent, last), &inner, [rows, None])?,
                false => self.element(&element, (parent, last), &inner, [rows, None])?,
            }
        }
        Ok(())
    }

    /// Returns the group for a name with slashes, and the last part of the name.
    fn folder<'n>(
        &mut self,
        group: Group,
        name: &'n str,
        folders: &mut Vec<(String, Group)>,
    ) -> Result<(Group, &'n str)> {
        let Some((above, last)) = name.rsplit_once('/') else { return Ok((group, name)) };
        if let Some((_, made)) = folders.iter().find(|(path, _)| path == above) {
            return Ok((*made, last));
        }
        let (parent, own) = self.folder(group, above, folders)?;
        let made = self.output.group(parent, own)?;
        folders.push((above.to_owned(), made));
        Ok((made, last))
    }

    /// Creates a group with the attributes of another, except some.
    fn create_group(
        &mut self,
        from: &dyn SourceGroup,
        (parent, name): (Group, &str),
        path: &str,
        picks: Picks<'_>,
        left_out: &[&str],
    ) -> Result<Group> {
        let place = || Place::path(from.path());
        let depth = path.split('/').count();
        self.groups += 1;
        if self.groups > MOST_GROUPS || depth > DEEPEST {
            let what = format!("more than {MOST_GROUPS} groups, or {DEEPEST} nested ones");
            return Err(Error::unsupported(place(), what));
        }
        let group = self.output.group(parent, name)?;
        self.attributes_of_group(from, group.0, path, picks, left_out)?;
        if Encoding::of(from, &place())?.kind.is_empty() {
            self.output.encode(group, "dict", "0.1.0")?;
        }
        Ok(group)
    }

    fn array(
        &mut self,
        from: &dyn NdArray,
        to: (Group, &str),
        path: &str,
        picks: Picks<'_>,
    ) -> Result<()> {
        for (axis, pick) in picks.iter().enumerate() {
            let Some(&len) = from.shape().get(axis) else {
                if pick.is_some() && !from.is_null() {
                    let found = format!("{} dimensions", from.shape().len());
                    let expected = format!("{} or more", axis + 1);
                    return Err(Error::mismatch(from.place(), found, expected));
                }
                continue;
            };
            check_len(len, *pick, axis, &from.place())?;
        }
        if picks.iter().all(Option::is_none) && !from.is_null() {
            // Before anndata 0.8, strings could have a fixed length, which are bytes in Zarr.
            let fixed = matches!(from.element_type(), ElementType::FixedString { .. });
            if fixed && Encoding::of(from, &from.place())?.kind.is_empty() {
                // anndata reads one such string as a scalar.
                return match path.starts_with("uns/") && from.shape() == [1] {
                    true => self.one_string(from, to, path),
                    false => self.strings(from, to, path, None),
                };
            }
        }
        // Integers with a unit become dates again.
        let timed = times::as_times(from, &*self.output.tree)?;
        let from: &dyn NdArray = timed.as_ref().map_or(from, |timed| timed);
        if let Some(named) = Enumeration::of(from)?.filter(|_| from.shape().len() == 1) {
            return self.named(&named, to, picks[0]);
        }
        if from.is_null() || picks.iter().all(Option::is_none) {
            return self.copy(from, to, path);
        }
        match from.element_type() {
            ElementType::Number(_) | ElementType::Float16 | ElementType::Time(_) => {
                self.numbers(from, to, path, picks)
            }
            found if found.is_string() && picks[1].is_none() => {
                self.strings(from, to, path, picks[0])
            }
            found => {
                self.left_out(path, format!("arrays of {found} cannot be sliced"));
                Ok(())
            }
        }
    }

    /// Writes a factor or a logical vector of R, or some rows of it, as a column of AnnData.
    fn named(
        &mut self,
        named: &Enumeration,
        (parent, name): (Group, &str),
        rows: Option<&Pick>,
    ) -> Result<()> {
        let column = named.read(self.options.context.memory())?;
        let column = match rows {
            Some(rows) => column.picked(&rows.ranges),
            None => column,
        };
        self.output.compression = self.options.compression.unwrap_or_default();
        write_column(&mut self.output, parent, name, column, None)
    }

    /// Copies an array unchanged.
    fn copy(
        &mut self,
        from: &dyn NdArray,
        (parent, name): (Group, &str),
        path: &str,
    ) -> Result<()> {
        /// Elements of arrays that are copied in a moment, without a progress bar.
        const QUICK: u64 = 1 << 18;
        let workers = self.options.workers();
        let length = from.shape().iter().fold(1_u64, |all, len| all.saturating_mul(*len));
        let progress = Some(self.options.context.progress()).filter(|_| length > QUICK);
        let copied = |elements: u64| {
            progress.inspect(|progress| progress.advance(elements));
            workers.check()
        };
        let mut options =
            CopyOptions::new().memory(self.options.context.memory()).progress(&copied);
        if let Some(compression) = self.options.compression {
            options = options.compress(compression);
        }
        progress.inspect(|progress| progress.begin(path, Some(length)));
        let done = copy_array(from, &mut *self.output.tree, parent.0, name, &options);
        progress.inspect(|progress| progress.end());
        let (made, report) = done?;
        for change in report.changes {
            use nnz_container::tree::ChangeKind::Dropped;
            let path = match &change.attribute {
                Some(name) => format!("{path}, attribute {name:?}"),
                None => path.to_owned(),
            };
            match change.kind {
                Dropped => self.dropped(&path, change.reason),
                // In anndata null has a representation in every container.
                _ if from.is_null() => {}
                _ => self.report.notes.push(format!("{path}: {}", change.reason)),
            }
        }
        let Some(made) = made else { return Ok(()) };
        self.set_unit(from, made)?;
        self.encode_array(from, made)
    }

    /// Keeps the unit of dates that are stored as integers.
    pub(crate) fn set_unit(&mut self, from: &dyn NdArray, made: NodeId) -> Result<()> {
        let ElementType::Time(time) = from.element_type() else { return Ok(()) };
        if self.output.tree.supports(from.element_type())
            || from.attribute(times::ATTRIBUTE)?.is_some()
        {
            return Ok(());
        }
        self.output.tree.set_attribute(made, times::ATTRIBUTE, &times::attribute(*time))
    }

    /// Sets the encoding of an array that has none.
    pub(crate) fn encode_array(&mut self, from: &dyn NdArray, made: NodeId) -> Result<()> {
        if !Encoding::of(from, &from.place())?.kind.is_empty() {
            return Ok(());
        }
        let scalar = from.shape().is_empty();
        let (kind, version) = match from.element_type() {
            _ if from.is_null() => ("null", "0.1.0"),
            ElementType::Compound(_) => ("rec-array", "0.2.0"),
            found if found.is_string() && scalar => ("string", "0.2.0"),
            found if found.is_string() => ("string-array", "0.2.0"),
            _ if scalar => ("numeric-scalar", "0.2.0"),
            _ => ("array", "0.2.0"),
        };
        self.output.encode_node(made, kind, version)
    }

    /// Returns the compression for an array, which depends on whether it was compressed.
    pub(crate) fn compression(&self, from: &dyn NdArray) -> Compression {
        let uncompressed = |name: &String| {
            let name = name.strip_prefix("numcodecs.").unwrap_or(name);
            matches!(name, "shuffle" | "fletcher32" | "crc32c" | "delta")
        };
        match self.options.compression {
            Some(compression) => compression,
            None if from.storage().filters.iter().all(uncompressed) => Compression::None,
            None => self.output.tree.usual_compression(),
        }
    }
}

/// Fails if the length of an axis differs from the selection.
fn check_len(len: u64, pick: Option<&Pick>, axis: usize, place: &Place) -> Result<()> {
    match pick.filter(|pick| pick.axis_len != len) {
        None => Ok(()),
        Some(pick) => {
            let found = format!("a length of {len} along axis {axis}");
            Err(Error::mismatch(place.clone(), found, pick.axis_len))
        }
    }
}

/// Fails if a code has no category.
fn check_codes(codes: &dyn NdArray, categories: &dyn NdArray) -> Result<()> {
    const BLOCK: u64 = 1 << 16;
    let (&[len], count) = (codes.shape(), categories.shape().iter().product()) else {
        let found = format!("{} dimensions", codes.shape().len());
        return Err(Error::mismatch(codes.place(), found, "one dimension"));
    };
    let mut start = 0;
    while start < len {
        let end = len.min(start + BLOCK);
        let values = codes.read(&codes.rows(start..end)?, u64::MAX)?;
        frame::codes::codes(&values, count, start, &codes.place())?;
        start = end;
    }
    Ok(())
}

//! Comparing two files.

mod attributes;

use std::collections::BTreeSet;
use std::sync::Arc;

use nnz_container::tree::{ChildKind, ElementType, Group, NdArray};
use nnz_core::{Annotations as _, Error, MatrixSource as _, Names, Place, Placed, Result};
use nnz_engine::{
    DiffOptions, Difference, ElementChange, ElementDifference, ElementValue, TaskContext, diff,
    diff_columns,
};

use super::collections::{KNOWN, NAMES, check_shapes, old_categories};
use crate::anndata::element::{Element, Encoding, SparseGroup};
use crate::anndata::{AnnData, DataFrame, Item, MatrixSource};
use crate::without::droppable;

/// Numbers that are compared at a time.
const BLOCK: u64 = 1 << 16;

/// Maximum depth of nested groups.
const DEEPEST: usize = 64;

impl AnnData {
    /// Compares all elements of two files of any versions, and passes differences to `each`, for
    /// each element up to the number in the options.
    ///
    /// Matrices are compared by value, like [`diff`]; numbers by value, whatever their type, unless
    /// the options select stored values.
    ///
    /// # Errors
    ///
    /// Fails if one of them cannot be read or is invalid, or if it is cancelled.
    pub fn diff(
        &self,
        other: &Self,
        options: &DiffOptions,
        context: &TaskContext,
        each: &mut dyn FnMut(ElementDifference),
    ) -> Result<()> {
        // Shapes that do not match are an error before anything is compared: entries of a row that nothing else has
        // could take any time.
        check_shapes(self)?;
        check_shapes(other)?;
        self.diff_except(other, &[], (options, context), each)
    }

    /// Compares all elements of two files, whose shapes were checked, except some members of the roots.
    pub(crate) fn diff_except(
        &self,
        other: &Self,
        except: &[&str],
        (options, context): (&DiffOptions, &TaskContext),
        each: &mut dyn FnMut(ElementDifference),
    ) -> Result<()> {
        let files = [self, other];
        let kinds = files.map(|file| file.root.info().name);
        let mut comparison = Comparison { options, context, each, kinds };
        comparison.root_attributes(files)?;
        comparison.frames("obs", &[self.obs()?, other.obs()?])?;
        comparison.table_attributes("obs", files)?;
        comparison.frames("var", &[self.var()?, other.var()?])?;
        comparison.table_attributes("var", files)?;
        let x =
            |item: &Item| both(files, |file| Ok(file.element(item)?.map(|(_, element)| element)));
        comparison.pair("X", x(&Item::X)?)?;
        for name in NAMES {
            let found = both(files, |file| Element::at(&*file.root, name))?;
            comparison.collection(name, &found, &BTreeSet::new())?;
        }
        let raw = x(&Item::RawX)?;
        if raw.iter().all(Option::is_some) {
            comparison.table_attributes("raw", files)?;
            comparison.frames("raw/var", &[self.raw_var()?, other.raw_var()?])?;
            comparison.table_attributes("raw/var", files)?;
            let varm = both(files, |file| match Element::at(&*file.root, "raw/varm")? {
                None => Element::find(&*file.root, "raw.varm"),
                found => Ok(found),
            })?;
            comparison.collection("raw/varm", &varm, &BTreeSet::new())?;
        }
        comparison.pair("raw/X", raw)?;
        let uns = both(files, |file| Element::find(&*file.root, "uns"))?;
        let mut old = BTreeSet::new();
        for file in files {
            old.extend(old_categories(file)?);
        }
        comparison.collection("uns", &uns, &old)?;
        let mut others = BTreeSet::new();
        for file in files {
            let is_known = |name: &String| KNOWN.contains(&&**name) || NAMES.contains(&&**name);
            others.extend(children(&*file.root)?.into_iter().filter(|name| !is_known(name)));
        }
        for name in others.iter().filter(|name| !except.contains(&&***name)) {
            let found = both(files, |file| Element::find(&*file.root, name))?;
            comparison.pair(name, found)?;
        }
        Ok(())
    }
}

fn both<T>(files: [&AnnData; 2], of: impl Fn(&AnnData) -> Result<T>) -> Result<[T; 2]> {
    let [first, second] = files;
    Ok([of(first)?, of(second)?])
}

/// An element, in the form in which it is compared.
enum ElementData {
    Matrix(Box<MatrixSource>),
    Table(Arc<DataFrame>),
    Group(Box<dyn Group>),
    Array(Box<dyn NdArray>),
}

impl ElementData {
    fn of(element: Element, kind: &'static str, path: &str) -> Result<Self> {
        match element {
            Element::Group(group) => {
                if let Some(matrix) = MatrixSource::of_group(&*group, None)? {
                    return Ok(Self::Matrix(Box::new(matrix)));
                }
                let is_table = match &*element_kind(&*group)? {
                    "dataframe" => true,
                    "" => group.attribute("_index")?.is_some(),
                    _ => false,
                };
                match is_table {
                    true => Ok(Self::Table(Arc::new(DataFrame::of_group(&*group, path)?))),
                    false => Ok(Self::Group(group)),
                }
            }
            Element::Array(array) if is_matrix(&*array) => {
                Ok(Self::Matrix(Box::new(MatrixSource::of_array(array, kind)?)))
            }
            Element::Array(array) => Ok(Self::Array(array)),
        }
    }

    fn kind(&self) -> Result<String> {
        Ok(match self {
            Self::Matrix(matrix) => format!("a matrix of {}", matrix.header().value_type),
            Self::Table(_) => "a table".to_owned(),
            Self::Group(group) => match &*element_kind(&**group)? {
                "" | "dict" => "a group".to_owned(),
                kind => kind.to_owned(),
            },
            Self::Array(array) => kind_of_array(&**array)?,
        })
    }
}

fn element_kind(group: &dyn Group) -> Result<String> {
    Ok(Encoding::of(group, &Place::path(group.path()))?.kind)
}

fn is_sparse(group: &dyn Group) -> Result<bool> {
    Ok(SparseGroup::of(group)?.is_some())
}

fn is_matrix(array: &dyn NdArray) -> bool {
    !array.is_null() && array.shape().len() == 2 && array.value_type().is_ok()
}

fn kind_of_array(array: &dyn NdArray) -> Result<String> {
    if array.is_null() {
        return Ok("nothing".to_owned());
    }
    let element = match array.element_type() {
        found if found.is_string() => "string".to_owned(),
        found => found.to_string(),
    };
    let shape = shape(array)?;
    Ok(match &shape[..] {
        [] => element,
        shape => {
            let lengths: Vec<String> = shape.iter().map(ToString::to_string).collect();
            format!("{} of {element}", lengths.join(" x "))
        }
    })
}

/// Returns the shape of an array. A single string of an old file is a scalar.
fn shape(array: &dyn NdArray) -> Result<Vec<u64>> {
    let fixed = matches!(array.element_type(), ElementType::FixedString { .. });
    let one = fixed && array.shape() == [1] && Encoding::of(array, &array.place())?.kind.is_empty();
    Ok(if one { Vec::new() } else { array.shape().to_vec() })
}

/// Two files being compared.
struct Comparison<'a> {
    options: &'a DiffOptions,
    context: &'a TaskContext,
    each: &'a mut dyn FnMut(ElementDifference),
    kinds: [&'static str; 2],
}

impl Comparison<'_> {
    fn report(&mut self, path: &str, what: ElementChange) {
        (self.each)(ElementDifference::new(path.to_owned(), what));
    }

    fn kinds_differ(&mut self, path: &str, [first, second]: [String; 2]) {
        self.report(path, ElementChange::Kind { first, second });
    }

    /// Compares elements of the same name, which may be missing.
    fn pair(&mut self, path: &str, elements: [Option<Element>; 2]) -> Result<()> {
        self.context.check()?;
        match elements {
            [None, None] => {}
            [Some(_), None] => self.report(path, ElementChange::FirstOnly),
            [None, Some(_)] => self.report(path, ElementChange::SecondOnly),
            [Some(first), Some(second)] => {
                if path.split('/').count() > DEEPEST {
                    let what = format!("more than {DEEPEST} nested groups");
                    return Err(Error::unsupported(first.place(), what));
                }
                let nothing = [first.is_null()?, second.is_null()?];
                if nothing == [true; 2] {
                    return Ok(());
                }
                self.attributes(path, [&first, &second])?;
                let [own, other] = self.kinds;
                let beside = [&first, &second].map(Element::group);
                if let [Some(first), Some(second)] = beside
                    && is_sparse(first)?
                    && is_sparse(second)?
                {
                    self.foreign_members(path, [first, second])?;
                }
                let [first, second] =
                    [ElementData::of(first, own, path)?, ElementData::of(second, other, path)?];
                return self.opened(path, first, second);
            }
        }
        Ok(())
    }

    fn opened(&mut self, path: &str, first: ElementData, second: ElementData) -> Result<()> {
        match (first, second) {
            (ElementData::Matrix(first), ElementData::Matrix(second)) => {
                let types = [&first, &second].map(|matrix| matrix.header().value_type);
                if self.options.stored && types[0] != types[1] {
                    self.kinds_differ(path, types.map(|own| format!("a matrix of {own}")));
                }
                let each = &mut *self.each;
                let sources = [first, second].map(|source| Placed::new(source, Place::path(path)));
                let [first, second] = &sources;
                let each = &mut |difference: Difference| {
                    let what = ElementChange::Matrix(difference);
                    each(ElementDifference::new(path.to_owned(), what));
                };
                diff([first, second], self.options, self.context, each)
            }
            (ElementData::Table(first), ElementData::Table(second)) => {
                self.frames(path, &[first, second])
            }
            (ElementData::Group(first), ElementData::Group(second)) => {
                let found = [first, second].map(|group| Some(Element::Group(group)));
                self.mapping(path, &found, &BTreeSet::new())
            }
            (ElementData::Array(first), ElementData::Array(second)) => {
                self.arrays(path, &*first, &*second)
            }
            (first, second) => {
                self.kinds_differ(path, [first.kind()?, second.kind()?]);
                Ok(())
            }
        }
    }

    /// Compares all members of groups that every file has, and their attributes.
    fn collection(
        &mut self,
        path: &str,
        groups: &[Option<Element>; 2],
        left_out: &BTreeSet<String>,
    ) -> Result<()> {
        if let [Some(first), Some(second)] = groups {
            self.attributes(path, [first, second])?;
        }
        self.mapping(path, groups, left_out)
    }

    /// Compares all members of groups, or fields of compounds, except some.
    fn mapping(
        &mut self,
        path: &str,
        groups: &[Option<Element>; 2],
        left_out: &BTreeSet<String>,
    ) -> Result<()> {
        let mut names: Vec<String> = Vec::new();
        for group in groups.iter().flatten() {
            for name in members(group)? {
                if !names.contains(&name) && !left_out.contains(&name) {
                    names.push(name);
                }
            }
        }
        for name in names {
            let [first, second] = groups.each_ref().map(|group| member(group.as_ref(), &name));
            self.pair(&format!("{path}/{name}"), [first?, second?])?;
        }
        Ok(())
    }

    fn arrays(&mut self, path: &str, first: &dyn NdArray, second: &dyn NdArray) -> Result<()> {
        let arrays = [first, second];
        let compound =
            |array: &dyn NdArray| matches!(array.element_type(), ElementType::Compound(_));
        let numbers = |array: &&dyn NdArray| array.value_type().is_ok();
        let strings = |array: &&dyn NdArray| array.element_type().is_string();
        if arrays.iter().all(|array| array.is_null()) {
            return Ok(());
        }
        let same_shape = !first.is_null() && !second.is_null() && shape(first)? == shape(second)?;
        let exact = !self.options.stored || first.element_type() == second.element_type();
        if same_shape && arrays.iter().all(strings) {
            let names = arrays.map(|array| array.read_strings(&array.all()));
            let [first, second] = names;
            return self.texts(path, [first?, second?]);
        }
        if same_shape && arrays.iter().all(numbers) && exact {
            return self.numbers(path, arrays);
        }
        if same_shape && arrays.iter().all(|array| compound(*array)) {
            for name in fields(first).into_iter().filter(|name| fields(second).contains(name)) {
                let [own, other] = arrays.map(|array| array.field(&name));
                let fields = [own?, other?].map(|field| Some(Element::Array(field)));
                self.pair(&format!("{path}/{name}"), fields)?;
            }
            if fields(first) == fields(second) {
                return Ok(());
            }
        }
        self.kinds_differ(path, [kind_of_array(first)?, kind_of_array(second)?]);
        Ok(())
    }

    fn numbers(&mut self, path: &str, [first, second]: [&dyn NdArray; 2]) -> Result<()> {
        let scalar = first.shape().is_empty();
        let height = first.shape().first().copied().unwrap_or(1);
        let width = first.shape().iter().skip(1).fold(1, |all: u64, len| all.saturating_mul(*len));
        let block = (BLOCK / width.max(1)).max(1);
        let (mut start, mut reported) = (0, 0);
        while start < height && reported < self.options.max_diffs {
            self.context.check()?;
            let end = height.min(start.saturating_add(block));
            let read = |array: &dyn NdArray| {
                let part = if scalar { array.all() } else { array.rows(start..end)? };
                array.read(&part, self.context.memory())
            };
            let values = [read(first)?, read(second)?];
            let first = start.saturating_mul(width);
            for (position, at) in (first..).zip(0..values[0].len().unwrap_or(0)) {
                let pair = values.each_ref().map(|values| values.get(at));
                if !ElementValue::are_equal(
                    pair.map(|value| value.map(ElementValue::Number)),
                    self.options.stored,
                ) && reported < self.options.max_diffs
                {
                    reported += 1;
                    let [first, second] =
                        pair.map(|value| ElementValue::text(value.map(ElementValue::Number)));
                    let position = (!scalar).then_some(position);
                    self.report(path, ElementChange::Value { position, first, second });
                }
            }
            start = end;
        }
        Ok(())
    }

    /// Compares strings one by one.
    fn texts(&mut self, path: &str, [mut first, mut second]: [Names<'_>; 2]) -> Result<()> {
        let (mut position, mut reported) = (0, 0);
        while reported < self.options.max_diffs {
            let pair = [first.next_string()?, second.next_string()?];
            if pair == [None, None] {
                break;
            }
            if pair[0] != pair[1] {
                reported += 1;
                let [first, second] =
                    pair.map(|value| ElementValue::text(value.map(ElementValue::Text)));
                self.report(path, ElementChange::Value { position: Some(position), first, second });
            }
            position += 1;
        }
        Ok(())
    }

    /// Compares the names of rows of tables, and their columns.
    fn frames(&mut self, path: &str, frames: &[Arc<DataFrame>; 2]) -> Result<()> {
        let [first, second] = frames;
        for frame in frames {
            frame.check_columns()?;
            if let Some((name, what)) = frame.unread_columns().first() {
                let what = format!("column {name} ({what}) cannot be compared");
                let error = Error::unsupported(frame.place(), what);
                return Err(droppable(error, &format!("{path}/{name}")));
            }
        }
        if first.len() != second.len() {
            let [first, second] = frames.each_ref().map(|frame| format!("{} rows", frame.len()));
            self.report(path, ElementChange::Shape { first, second });
        } else {
            self.texts(path, [first.names()?, second.names()?])?;
        }
        let position = |frame: &DataFrame, name: &str| {
            frame.columns().iter().position(|column| column.name == name)
        };
        for info in second.columns() {
            if position(first, &info.name).is_none() {
                self.report(&format!("{path}/{}", info.name), ElementChange::SecondOnly);
            }
        }
        for (at, info) in first.columns().iter().enumerate() {
            let path = format!("{path}/{}", info.name);
            let Some(other) = position(second, &info.name) else {
                self.report(&path, ElementChange::FirstOnly);
                continue;
            };
            // HDF5 has no type for dates.
            let apart = [first.has_unit_apart(at), second.has_unit_apart(other)];
            if self.options.stored && self.kinds[0] == self.kinds[1] && apart[0] != apart[1] {
                let kinds = apart.map(|apart| match apart {
                    true => format!("int64 with the unit of {}", info.column_type),
                    false => info.column_type.to_string(),
                });
                self.kinds_differ(&path, kinds);
            }
            if first.len() == second.len() {
                let memory = self.context.memory() / 4;
                let columns = [first.read_column(at, memory)?, second.read_column(other, memory)?];
                let report = &mut |what| (self.each)(ElementDifference::new(path.clone(), what));
                diff_columns(columns.each_ref(), self.options, report);
            }
        }
        Ok(())
    }
}

/// Returns the names in a group. Members that cannot be read are an error.
fn children(group: &dyn Group) -> Result<Vec<String>> {
    let known = group.children()?.into_iter().map(|child| match child.kind {
        ChildKind::Other(what) => {
            let place = Place::array(group.path(), child.name);
            Err(Error::unsupported(place, format!("{what}, which cannot be compared")))
        }
        _ => Ok(child.name),
    });
    known.collect()
}

/// Returns the names in a group, or of the fields of compounds.
fn members(element: &Element) -> Result<Vec<String>> {
    match element {
        Element::Group(group) => children(&**group),
        Element::Array(array) => Ok(fields(&**array)),
    }
}

fn fields(array: &dyn NdArray) -> Vec<String> {
    match array.element_type() {
        ElementType::Compound(fields) => fields.iter().map(|field| field.name.clone()).collect(),
        _ => Vec::new(),
    }
}

fn member(element: Option<&Element>, name: &str) -> Result<Option<Element>> {
    match element {
        None => Ok(None),
        Some(Element::Group(group)) => Element::find(&**group, name),
        Some(Element::Array(array)) if fields(&**array).iter().any(|field| field == name) => {
            array.field(name).map(|field| Some(Element::Array(field)))
        }
        Some(Element::Array(_)) => Ok(None),
    }
}

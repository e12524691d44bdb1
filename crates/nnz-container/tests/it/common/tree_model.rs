//! Random trees and their comparison.

mod compare;

use std::path::Path;

use nnz_container::Compression;
use nnz_container::hdf5::{Hdf5Options, Hdf5Writer};
use nnz_container::npz::{NpzOptions, NpzWriter};
use nnz_container::tree::{
    ArraySpec, Attribute, AttributeValue, ElementType, Field, FieldValues, Group, NodeId,
    StringEncoding, TreeWriter,
};
use nnz_container::zarr::{ZarrOptions, ZarrVersion, ZarrWriter};
use nnz_core::{ErrorKind, Result, StringList, ValueType};
use nnz_storage::staging::WriteOptions;
use nnz_testing::random::Random;
use proptest::prelude::*;

pub(crate) use compare::differences;

/// A container to write trees to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TreeTarget {
    Hdf5,
    Zarr2,
    Zarr3,
    /// Has no groups and attributes, and is not in [`ALL`](Self::ALL).
    Npz,
    /// Does not support booleans, compounds and strings of fixed length.
    NetCdf,
}

impl TreeTarget {
    pub(crate) const ALL: [Self; 3] = [Self::Hdf5, Self::Zarr2, Self::Zarr3];

    pub(crate) fn file_name(self) -> &'static str {
        match self {
            Self::Hdf5 => "x.h5",
            Self::Zarr2 => "x2.zarr",
            Self::Zarr3 => "x3.zarr",
            Self::Npz => "x.npz",
            Self::NetCdf => "x.nc",
        }
    }

    pub(crate) fn create(self, path: &Path, write: WriteOptions) -> Result<Box<dyn TreeWriter>> {
        self.create_with(path, write, 2)
    }

    pub(crate) fn create_with(
        self,
        path: &Path,
        write: WriteOptions,
        threads: usize,
    ) -> Result<Box<dyn TreeWriter>> {
        let zarr = |version| -> Result<Box<dyn TreeWriter>> {
            let options = ZarrOptions { version, consolidate: true, threads };
            Ok(Box::new(ZarrWriter::create(path, "", write.clone(), options)?))
        };
        let hdf5 = |netcdf| -> Result<Box<dyn TreeWriter>> {
            let options = Hdf5Options { threads, netcdf, ..Hdf5Options::default() };
            Ok(Box::new(Hdf5Writer::create(path, "", write.clone(), options)?))
        };
        match self {
            Self::Hdf5 => hdf5(false),
            Self::Zarr2 => zarr(ZarrVersion::V2),
            Self::Zarr3 => zarr(ZarrVersion::V3),
            Self::NetCdf => hdf5(true),
            Self::Npz => Ok(Box::new(NpzWriter::create(path, write, NpzOptions::default())?)),
        }
    }
}

/// A group.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    attributes: Vec<(String, Attribute)>,
    arrays: Vec<(String, Array)>,
    groups: Vec<(String, Tree)>,
}

/// An array, and how it is written.
#[derive(Clone, Debug)]
struct Array {
    spec: ArraySpec,
    shape: Vec<u64>,
    content: Content,
    attributes: Vec<(String, Attribute)>,
    /// The number of rows or elements that are appended at once.
    piece: usize,
}

#[derive(Clone, Debug)]
enum Content {
    None,
    Bytes(Vec<u8>),
    Strings(Vec<String>),
    Records(Vec<Content>),
}

impl Tree {
    /// Writes the tree and returns what the container does not support.
    pub(crate) fn write(&self, to: &mut dyn TreeWriter, at: NodeId) -> Result<Vec<String>> {
        let mut dropped = Vec::new();
        self.write_at(to, at, "", &mut dropped)?;
        Ok(dropped)
    }

    fn write_at(
        &self,
        to: &mut dyn TreeWriter,
        at: NodeId,
        path: &str,
        dropped: &mut Vec<String>,
    ) -> Result<()> {
        attributes(&self.attributes, to, at, path, dropped)?;
        for (name, array) in &self.arrays {
            let path = format!("{path}/{name}");
            match to.create_array(at, name, &array.spec) {
                Ok(id) => {
                    array.write(to, id)?;
                    attributes(&array.attributes, to, id, &path, dropped)?;
                }
                Err(error) if matches!(error.kind(), ErrorKind::Unsupported(_)) => {
                    assert!(!to.supports(array.spec.element()), "{error}");
                    dropped.push(path);
                }
                Err(error) => return Err(error),
            }
        }
        for (name, group) in &self.groups {
            let id = to.create_group(at, name)?;
            group.write_at(to, id, &format!("{path}/{name}"), dropped)?;
        }
        Ok(())
    }

    /// Returns the differences between the tree and what is read.
    pub(crate) fn differences(&self, found: &dyn Group, dropped: &[String]) -> Vec<String> {
        let mut all = Vec::new();
        self.compare(found, "", dropped, &mut all);
        all
    }

    fn compare(&self, found: &dyn Group, path: &str, dropped: &[String], all: &mut Vec<String>) {
        let held = |path: &str| !dropped.iter().any(|left| left == path);
        compare::attributes(&self.attributes, found, path, &held, all);
        let mut names: Vec<String> = Vec::new();
        for (name, array) in &self.arrays {
            let path = format!("{path}/{name}");
            if !held(&path) {
                continue;
            }
            names.push(name.clone());
            let found = found.array(name).unwrap();
            compare::attributes(&array.attributes, &*found, &path, &held, all);
            if found.is_null() != array.spec.shape().is_empty() && found.is_null() {
                all.push(format!("{path}: no value"));
            }
            if matches!(array.content, Content::None) {
                continue;
            }
            if found.shape() != array.shape || found.element_type() != array.spec.element() {
                let shape = found.shape();
                all.push(format!("{path}: {} of {shape:?}", found.element_type()));
                continue;
            }
            let values = compare::values(&*found).unwrap();
            let expected = array.content.values(array.spec.element());
            if values != expected {
                all.push(format!("{path}: {values:.200?} and not {expected:.200?}"));
            }
        }
        for (name, group) in &self.groups {
            names.push(name.clone());
            group.compare(&*found.group(name).unwrap(), &format!("{path}/{name}"), dropped, all);
        }
        names.sort_unstable();
        let children: Vec<String> =
            found.children().unwrap().into_iter().map(|child| child.name).collect();
        if children != names {
            all.push(format!("{path}: {children:?} and not {names:?}"));
        }
    }
}

fn attributes(
    attributes: &[(String, Attribute)],
    to: &mut dyn TreeWriter,
    id: NodeId,
    path: &str,
    dropped: &mut Vec<String>,
) -> Result<()> {
    for (name, attribute) in attributes {
        match to.set_attribute(id, name, attribute) {
            Ok(()) => {}
            Err(error) if matches!(error.kind(), ErrorKind::Unsupported(_)) => {
                dropped.push(format!("{path}@{name}"));
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

impl Array {
    fn write(&self, to: &mut dyn TreeWriter, id: NodeId) -> Result<()> {
        match &self.content {
            Content::None => {}
            Content::Bytes(bytes) => {
                let size = match self.spec.element() {
                    ElementType::Float16 => 4,
                    element => element.value_type().unwrap().size(),
                };
                for piece in bytes.chunks(self.piece * size) {
                    to.append_bytes(id, piece)?;
                }
            }
            Content::Strings(strings) => {
                for piece in strings.chunks(self.piece) {
                    to.append_list(id, piece)?;
                }
            }
            Content::Records(fields) => {
                let lists: Vec<StringList> = fields.iter().map(Content::list).collect();
                let values = fields.iter().zip(&lists).map(|(field, list)| match field {
                    Content::Bytes(bytes) => FieldValues::Bytes(bytes),
                    _ => FieldValues::Strings(list.reader()),
                });
                to.append_records(id, &mut values.collect::<Vec<_>>())?;
            }
        }
        Ok(())
    }
}

impl Content {
    fn list(&self) -> StringList {
        match self {
            Self::Strings(strings) => strings.iter().collect(),
            _ => StringList::new(),
        }
    }

    /// Returns the same form as [`compare::values`].
    fn values(&self, element: &ElementType) -> Vec<String> {
        match self {
            Self::None => Vec::new(),
            Self::Bytes(bytes) => {
                let size = element.value_type().unwrap().size();
                bytes.chunks(size).map(|bytes| format!("{bytes:?}")).collect()
            }
            Self::Strings(strings) => strings.iter().map(|text| format!("{text:?}")).collect(),
            Self::Records(contents) => {
                let ElementType::Compound(fields) = element else { panic!("no compound") };
                let pairs = fields.iter().zip(contents);
                pairs.flat_map(|(field, content)| content.values(&field.element)).collect()
            }
        }
    }
}

/// Generates trees of up to three levels.
pub(crate) fn tree() -> impl Strategy<Value = Tree> {
    group(2)
}

fn group(depth: u32) -> BoxedStrategy<Tree> {
    let arrays = prop::collection::vec(array(), 0..5);
    let groups = match depth {
        0 => Just(Vec::new()).boxed(),
        _ => prop::collection::vec(group(depth - 1), 0..3).boxed(),
    };
    (named_attributes(), arrays, groups, any::<bool>())
        .prop_map(|(attributes, arrays, groups, odd)| {
            let number = |prefix: &str, at: usize| match odd {
                true => format!("{prefix} é.{at}"),
                false => format!("{prefix}{at}"),
            };
            let named = |(at, array)| (number("a", at), array);
            let arrays = arrays.into_iter().enumerate().map(named).collect();
            let groups = groups.into_iter().enumerate();
            let groups = groups.map(|(at, group)| (number("__g", at), group)).collect();
            Tree { attributes, arrays, groups }
        })
        .boxed()
}

fn named_attributes() -> impl Strategy<Value = Vec<(String, Attribute)>> {
    prop::collection::vec(attribute(), 0..4).prop_map(|all| {
        all.into_iter().enumerate().map(|(at, value)| (format!("x {at}"), value)).collect()
    })
}

fn attribute() -> impl Strategy<Value = Attribute> {
    let text = "[ -~é\n]{0,12}";
    prop_oneof![
        any::<i64>().prop_map(Attribute::of_number),
        any::<u64>().prop_map(Attribute::of_number),
        any::<i8>().prop_map(Attribute::of_number),
        any::<f32>().prop_map(Attribute::of_number),
        any::<f64>().prop_map(Attribute::of_number),
        any::<bool>().prop_map(Attribute::of_boolean),
        text.prop_map(|text| Attribute::of_text(&text)),
        prop::collection::vec(text, 1..4).prop_map(Attribute::of_texts),
        prop::collection::vec(any::<i32>(), 0..5).prop_map(|list| Attribute::of_numbers(&list)),
        prop::collection::vec(any::<f32>(), 6)
            .prop_map(|list| Attribute { shape: vec![2, 3], ..Attribute::of_numbers(&list) }),
        Just(Attribute { shape: vec![], value: AttributeValue::Empty }),
    ]
}

fn element() -> impl Strategy<Value = ElementType> {
    prop_oneof![
        8 => prop::sample::select(ValueType::ALL).prop_map(ElementType::Number),
        1 => Just(ElementType::Float16),
        4 => Just(ElementType::String),
        1 => (1_u64..20).prop_map(|bytes| ElementType::FixedString {
            bytes,
            encoding: StringEncoding::Bytes,
        }),
        1 => (1_u64..6).prop_map(|length| ElementType::FixedString {
            bytes: 4 * length,
            encoding: StringEncoding::Utf32,
        }),
    ]
}

fn compound() -> impl Strategy<Value = ElementType> {
    let field = (element(), prop_oneof![3 => Just(vec![]), 1 => Just(vec![2_u64])]);
    prop::collection::vec(field, 1..4).prop_map(|fields| {
        let named = fields.into_iter().enumerate();
        ElementType::Compound(
            named
                .map(|(at, (element, shape))| Field { name: format!("f{at}"), element, shape })
                .collect(),
        )
    })
}

fn array() -> impl Strategy<Value = Array> {
    let element = prop_oneof![5 => element(), 1 => compound()];
    let shape = prop::collection::vec(0_u64..7, 0..4);
    let compression = prop_oneof![
        2 => Just(Compression::None),
        1 => Just(Compression::Gzip(3)),
        1 => Just(Compression::Zstd(2)),
        1 => Just(Compression::Blosc),
        1 => Just("gzip:1+shuffle".parse().unwrap()),
    ];
    let chunk = prop::option::of(prop::collection::vec(1_u64..5, 4));
    let rest = (compression, chunk, any::<bool>(), any::<bool>(), 1_usize..40, any::<u64>());
    (element, shape, rest, named_attributes()).prop_map(
        |(element, shape, (compression, chunk, growing, null, piece, seed), attributes)| {
            let null = null && seed.is_multiple_of(8);
            let mut spec = match growing && !shape.is_empty() && !shape[1..].contains(&0) {
                true => ArraySpec::growing(element.clone(), &shape[1..]),
                false => ArraySpec::new(element.clone(), &shape),
            };
            if !shape.is_empty() {
                spec = spec.compress(compression);
                if let Some(chunk) = chunk {
                    spec = spec.chunk(&chunk[..shape.len()]);
                }
            }
            if null {
                spec = ArraySpec::null(element.clone());
            }
            let count = shape.iter().product::<u64>();
            let content = match null {
                true => Content::None,
                false => content(&element, usize::try_from(count).unwrap(), &mut Random::new(seed)),
            };
            Array { spec, shape, content, attributes, piece }
        },
    )
}

fn content(element: &ElementType, count: usize, random: &mut Random) -> Content {
    let letters = |random: &mut Random, most: u64| -> String {
        let len = random.next() % (most + 1);
        (0..len).map(|_| char::from(b'a' + u8::try_from(random.next() % 26).unwrap())).collect()
    };
    match element {
        ElementType::Number(ValueType::Bint8) => {
            Content::Bytes((0..count).map(|_| u8::from(random.next().is_multiple_of(2))).collect())
        }
        ElementType::Number(value_type) => {
            let bytes = count * value_type.size();
            Content::Bytes((0..bytes).map(|_| random.next().to_le_bytes()[0]).collect())
        }
        ElementType::Float16 => {
            let halves = (0..count).map(|_| random.next().to_le_bytes()[0]);
            Content::Bytes(halves.flat_map(|half| f32::from(half).to_ne_bytes()).collect())
        }
        ElementType::FixedString { bytes, encoding } => {
            let most = if *encoding == StringEncoding::Bytes { *bytes } else { bytes / 4 };
            Content::Strings((0..count).map(|_| letters(random, most)).collect())
        }
        ElementType::Compound(fields) => {
            let content = |field: &Field| {
                let inner = usize::try_from(field.shape.iter().product::<u64>()).unwrap();
                content(&field.element, count * inner, random)
            };
            Content::Records(fields.iter().map(content).collect())
        }
        _ => Content::Strings((0..count).map(|_| letters(random, 9) + "é").collect()),
    }
}

//! Existing trees that are changed: random changes, everything else kept.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use nnz_container::hdf5::{Hdf5Options, Hdf5Writer};
use nnz_container::tree::{
    ArraySpec, Attribute, ChildKind, ElementType, Group, NodeId, TreeWriter, edit, open,
};
use nnz_container::zarr::{ZarrOptions, ZarrVersion, ZarrWriter};
use nnz_core::{ErrorKind, Result, ValueType, Values};
use nnz_storage::staging::WriteOptions;
use nnz_testing::random::Random;

use crate::common::tree_dump;

fn write_options() -> WriteOptions {
    WriteOptions::default().sync(false)
}

/// A group: its attributes, and its members.
#[derive(Clone, Debug, Default, PartialEq)]
struct Model {
    attributes: BTreeMap<String, String>,
    groups: BTreeMap<String, Model>,
    arrays: BTreeMap<String, Vec<u32>>,
}

/// The kinds of trees that can be changed.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    SymbolTables,
    LinkMessages,
    Zarr(ZarrVersion, bool),
}

impl Kind {
    const ALL: [Self; 6] = [
        Self::SymbolTables,
        Self::LinkMessages,
        Self::Zarr(ZarrVersion::V2, true),
        Self::Zarr(ZarrVersion::V2, false),
        Self::Zarr(ZarrVersion::V3, true),
        Self::Zarr(ZarrVersion::V3, false),
    ];

    fn create(self, path: &Path) -> Box<dyn TreeWriter> {
        let hdf5 = |track_order| Hdf5Options { track_order, threads: 1, ..Hdf5Options::default() };
        match self {
            Self::SymbolTables => {
                Box::new(Hdf5Writer::create(path, "", write_options(), hdf5(false)).unwrap())
            }
            Self::LinkMessages => {
                Box::new(Hdf5Writer::create(path, "", write_options(), hdf5(true)).unwrap())
            }
            Self::Zarr(version, consolidate) => {
                let options = ZarrOptions { version, consolidate, threads: 1 };
                Box::new(ZarrWriter::create(path, "", write_options(), options).unwrap())
            }
        }
    }
}

impl Model {
    fn random(random: &mut Random, depth: usize) -> Self {
        let mut model = Self::default();
        for at in 0..random.below(6) {
            model.attributes.insert(format!("a{at}"), text(random));
        }
        for at in 0..random.below(20) {
            model.arrays.insert(format!("{}{at}", random.pick(&["b", "m", "z"])), numbers(random));
        }
        for at in 0..if depth == 0 { 0 } else { random.below(4) } {
            model.groups.insert(format!("g{at}"), Self::random(random, depth - 1));
        }
        model
    }

    fn write(&self, tree: &mut dyn TreeWriter, group: NodeId) {
        for (name, text) in &self.attributes {
            tree.set_attribute(group, name, &Attribute::of_text(text)).unwrap();
        }
        for (name, numbers) in &self.arrays {
            write_array(tree, group, name, numbers).unwrap();
        }
        for (name, model) in &self.groups {
            let group = tree.create_group(group, name).unwrap();
            model.write(tree, group);
        }
    }

    fn read(group: &dyn Group) -> Self {
        let mut model = Self::default();
        for name in group.attributes().unwrap() {
            let attribute = group.attribute(&name).unwrap().unwrap();
            model.attributes.insert(name, attribute.text().unwrap().to_owned());
        }
        for child in group.children().unwrap() {
            if child.kind == ChildKind::Group {
                let inner = Self::read(&*group.group(&child.name).unwrap());
                model.groups.insert(child.name, inner);
                continue;
            }
            let array = group.array(&child.name).unwrap();
            let Values::U32(numbers) = array.read(&array.all(), 1 << 20).unwrap() else {
                panic!("{}", child.name)
            };
            model.arrays.insert(child.name, numbers);
        }
        model
    }

    /// Changes the tree and the model in the same way; returns the number of changed groups.
    fn change(&mut self, tree: &mut dyn TreeWriter, group: NodeId, random: &mut Random) -> usize {
        let mut changes = 0;
        for _ in 0..random.below(4) {
            changes += 1;
            match random.below(5) {
                0 if !self.attributes.is_empty() => {
                    let name = pick(random, self.attributes.keys());
                    tree.remove_attribute(group, &name).unwrap();
                    self.attributes.remove(&name);
                    tree.remove_attribute(group, &name).unwrap_err();
                    if random.below(2) == 0 {
                        let text = text(random);
                        tree.set_attribute(group, &name, &Attribute::of_text(&text)).unwrap();
                        self.attributes.insert(name, text);
                    }
                }
                1 => {
                    let (name, text) = (format!("n{}", random.below(1000)), text(random));
                    let set = tree.set_attribute(group, &name, &Attribute::of_text(&text));
                    assert_eq!(set.is_ok(), !self.attributes.contains_key(&name));
                    self.attributes.entry(name).or_insert(text);
                }
                2 if !self.arrays.is_empty() => {
                    let name = pick(random, self.arrays.keys());
                    let numbers = numbers(random);
                    write_array(tree, group, &name, &numbers).unwrap_err();
                    // A new array is not removed.
                    if tree.remove(group, &name).is_err() {
                        continue;
                    }
                    self.arrays.remove(&name);
                    if random.below(2) == 0 {
                        write_array(tree, group, &name, &numbers).unwrap();
                        self.arrays.insert(name, numbers);
                    }
                }
                3 if !self.groups.is_empty() => {
                    let name = pick(random, self.groups.keys());
                    tree.create_group(group, &name).unwrap_err();
                    if tree.remove(group, &name).is_ok() {
                        self.groups.remove(&name);
                        tree.open_group(group, &name).unwrap_err();
                    }
                }
                _ => {
                    let name = format!("{}{}", random.pick(&["a", "o", "zz"]), random.below(1000));
                    if !self.groups.contains_key(&name) && !self.arrays.contains_key(&name) {
                        let made = tree.create_group(group, &name).unwrap();
                        let model = Self::random(random, 1);
                        model.write(tree, made);
                        self.groups.insert(name, model);
                    }
                }
            }
        }
        let mut count = usize::from(changes > 0);
        for (name, inner) in &mut self.groups {
            // New groups cannot be opened.
            if let Ok(group) = tree.open_group(group, name) {
                count += inner.change(tree, group, random);
            }
        }
        count
    }
}

fn pick<'a>(random: &mut Random, names: impl Iterator<Item = &'a String>) -> String {
    let names: Vec<&String> = names.collect();
    (*random.pick(&names)).clone()
}

fn text(random: &mut Random) -> String {
    "\u{e9}x".repeat(random.below(30))
}

fn numbers(random: &mut Random) -> Vec<u32> {
    (0..random.below(50)).map(|_| random.below_u32(1000)).collect()
}

fn write_array(
    tree: &mut dyn TreeWriter,
    group: NodeId,
    name: &str,
    numbers: &[u32],
) -> Result<()> {
    let spec = ArraySpec::new(ElementType::Number(ValueType::U32), &[numbers.len() as u64]);
    let array = tree.create_array(group, name, &spec)?;
    tree.append_bytes(array, bytemuck::cast_slice(numbers))?;
    tree.finish_array(array)
}

/// The paths of the files of a store.
fn files(directory: &Path) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    let mut pending = vec![directory.to_path_buf()];
    while let Some(at) = pending.pop() {
        for entry in std::fs::read_dir(at).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => pending.push(path),
                false => {
                    let inside = path.strip_prefix(directory).unwrap();
                    all.insert(inside.to_str().unwrap().to_owned());
                }
            }
        }
    }
    all
}

/// Checks that consolidated metadata has what the files have.
fn check_consolidated(path: &Path, version: ZarrVersion) {
    let read = |name: &str| -> serde_json::Value {
        serde_json::from_slice(&std::fs::read(path.join(name)).unwrap()).unwrap()
    };
    let described = |name: &str| {
        ["zarr.json", ".zgroup", ".zarray", ".zattrs"].contains(&name.rsplit('/').next().unwrap())
    };
    let (root, key) = match version {
        ZarrVersion::V2 => (read(".zmetadata"), "metadata"),
        ZarrVersion::V3 => (read("zarr.json")["consolidated_metadata"].clone(), "metadata"),
    };
    let found: BTreeMap<String, serde_json::Value> =
        serde_json::from_value(root[key].clone()).unwrap();
    let files = files(path).into_iter().filter(|name| described(name) && name != "zarr.json");
    let expected: BTreeMap<_, _> = files
        .map(|name| {
            let value = read(&name);
            (name.trim_end_matches("/zarr.json").to_owned(), value)
        })
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn random_changes_keep_everything_else() {
    let dir = tempfile::tempdir().unwrap();
    for round in 0..12 {
        for kind in Kind::ALL {
            let name = format!("{kind:?}, round {round}");
            let mut random = Random::of("changes", round);
            let path = dir.path().join(match kind {
                Kind::Zarr(..) => "t.zarr",
                _ => "t.h5",
            });
            let mut model = Model::random(&mut random, 2);
            let mut tree = kind.create(&path);
            model.write(&mut *tree, NodeId::ROOT);
            tree.finish().unwrap();
            for _ in 0..4 {
                let before = path.is_file().then(|| std::fs::read(&path).unwrap());
                let mut tree = edit(&path, "", write_options()).unwrap();
                let changed = model.change(&mut *tree, NodeId::ROOT, &mut random);
                tree.finish().unwrap();
                let found = Model::read(&*open(&path, "").unwrap());
                assert_eq!(found, model, "{name}");
                if let Some(before) = before {
                    // Only the superblock, and the headers, B-trees and heaps of changed groups.
                    let after = std::fs::read(&path).unwrap();
                    let count = before.iter().zip(&after).filter(|(a, b)| a != b).count();
                    assert!(count <= 96 + 1024 * changed, "{name}: {count} bytes");
                }
            }
            if let Kind::Zarr(version, true) = kind {
                check_consolidated(&path, version);
            }
            // Nothing else is left.
            assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1, "{name}");
            std::fs::remove_dir_all(&path).or_else(|_| std::fs::remove_file(&path)).unwrap();
        }
    }
}

#[test]
fn an_unfinished_change_leaves_no_output() {
    let dir = tempfile::tempdir().unwrap();
    for (name, kind) in [("t.h5", Kind::SymbolTables), ("t.zarr", Kind::ALL[4])] {
        let path = dir.path().join(name);
        let mut tree = kind.create(&path);
        write_array(&mut *tree, NodeId::ROOT, "a", &[1, 2]).unwrap();
        tree.finish().unwrap();
        let before = Model::read(&*open(&path, "").unwrap());
        let mut tree = edit(&path, "", write_options()).unwrap();
        tree.remove(NodeId::ROOT, "a").unwrap();
        drop(tree);
        // Elements are missing.
        let mut tree = edit(&path, "", write_options()).unwrap();
        tree.remove(NodeId::ROOT, "a").unwrap();
        let spec = ArraySpec::new(ElementType::Number(ValueType::U32), &[5]);
        tree.create_array(NodeId::ROOT, "b", &spec).unwrap();
        tree.finish().unwrap_err();
        assert_eq!(Model::read(&*open(&path, "").unwrap()), before);
        for group in ["a", "missing"] {
            edit(&path, group, write_options()).unwrap_err();
        }
    }
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 2);
}

#[test]
fn other_links_to_removed_objects_are_kept() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("t.h5");
    // `links` has hard links to the root and to objects of other groups.
    std::fs::copy(tree_dump::golden("layouts.h5"), &path).unwrap();
    let root = open(&path, "").unwrap();
    let names = root.member_names().unwrap();
    let loops = root.group("links/up").unwrap().member_names().unwrap();
    assert_eq!(loops, names);
    let removed = names.iter().find(|name| **name != "links").unwrap();
    let mut tree = edit(&path, "", write_options()).unwrap();
    tree.remove(NodeId::ROOT, removed).unwrap();
    let links = tree.open_group(NodeId::ROOT, "links").unwrap();
    // The same group by another link: what is removed from it is removed.
    let same = tree.open_group(links, "up").unwrap();
    let error = tree.remove(same, removed).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Missing), "{error}");
    write_array(&mut *tree, same, "added", &[7]).unwrap();
    tree.finish().unwrap();
    let root = open(&path, "").unwrap();
    let mut expected: BTreeSet<&str> = names.iter().map(String::as_str).collect();
    expected.remove(&**removed);
    expected.insert("added");
    let found = root.member_names().unwrap();
    assert_eq!(found.iter().map(String::as_str).collect::<BTreeSet<_>>(), expected);
    assert_eq!(root.group("links/up").unwrap().member_names().unwrap(), found);
}

#[cfg(unix)]
#[test]
fn kept_chunks_are_the_same_files() {
    use std::os::unix::fs::{MetadataExt as _, symlink};
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("t.zarr");
    let mut tree = Kind::ALL[4].create(&path);
    write_array(&mut *tree, NodeId::ROOT, "a", &[1, 2]).unwrap();
    write_array(&mut *tree, NodeId::ROOT, "b", &[1, 2]).unwrap();
    tree.finish().unwrap();
    // Files of other programs are kept, too.
    std::fs::write(path.join("notes.txt"), "by hand").unwrap();
    let chunk = path.join("a/c/0");
    let before = chunk.metadata().unwrap();
    let mut tree = edit(&path, "", write_options()).unwrap();
    tree.remove(NodeId::ROOT, "b").unwrap();
    tree.set_attribute(NodeId::ROOT, "x", &Attribute::of_text("y")).unwrap();
    tree.finish().unwrap();
    let after = chunk.metadata().unwrap();
    assert_eq!((after.ino(), after.nlink()), (before.ino(), 1));
    let found = files(&path);
    let expected = ["a/c/0", "a/zarr.json", "notes.txt", "zarr.json"];
    assert_eq!(found.iter().map(String::as_str).collect::<Vec<_>>(), expected);

    symlink("a", path.join("link")).unwrap();
    let mut tree = edit(&path, "", write_options()).unwrap();
    tree.open_group(NodeId::ROOT, "link").unwrap_err();
    tree.remove(NodeId::ROOT, "a").unwrap();
    let error = tree.finish().unwrap_err();
    assert!(error.to_string().contains("symbolic links"), "{error}");
    assert!(chunk.exists());
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
}

#[test]
fn attributes_of_any_size_are_changed() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("t.h5");
    let many = |count: usize| Attribute::of_texts((0..count).map(|at| at.to_string()));
    for kind in [Kind::SymbolTables, Kind::LinkMessages] {
        for (first, second) in [(10, 4000), (4000, 10), (5000, 4000), (5000, 6000)] {
            let mut tree = kind.create(&path);
            let group = tree.create_group(NodeId::ROOT, "g").unwrap();
            tree.set_attribute(group, "kept", &Attribute::of_text("x")).unwrap();
            tree.set_attribute(group, "names", &many(first)).unwrap();
            tree.finish().unwrap();
            let mut tree = edit(&path, "g", write_options()).unwrap();
            tree.remove_attribute(NodeId::ROOT, "names").unwrap();
            tree.set_attribute(NodeId::ROOT, "names", &many(second)).unwrap();
            tree.finish().unwrap();
            let group = open(&path, "g").unwrap();
            let found = group.attribute("names").unwrap().unwrap();
            assert_eq!(found.strings().unwrap().len(), second as u64, "{kind:?} {first}");
            assert_eq!(group.attribute("kept").unwrap().unwrap().text(), Some("x"));
            std::fs::remove_file(&path).unwrap();
        }
    }
}

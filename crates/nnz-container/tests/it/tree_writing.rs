//! Trees written to every container, and copied between containers.

use std::path::{Path, PathBuf};

use nnz_container::Compression;
use nnz_container::hdf5::Hdf5Options;
use nnz_container::hdf5::Hdf5Writer;
use nnz_container::tree::{
    ArraySpec, Attribute, AttributeValue, ChangeKind, CopyOptions, CopyReport, ElementType, Group,
    NodeId, TreeWriter, copy_tree, open,
};
use nnz_container::zarr::{ZarrOptions, ZarrVersion, ZarrWriter};
use nnz_core::{ErrorKind, Result, Scalar, Values};
use nnz_storage::staging::WriteOptions;
use proptest::prelude::*;

use crate::common::tree_dump::{self, Golden};
use crate::common::tree_model::{TreeTarget, differences, tree};

fn new() -> WriteOptions {
    WriteOptions::default().overwrite(false).sync(false)
}

fn copy(from: &Path, target: TreeTarget, to: &Path, memory: u64) -> Result<CopyReport> {
    let mut writer = target.create(to, new())?;
    let options = CopyOptions::new().memory(memory);
    let report = copy_tree(&*open(from, "")?, &mut *writer, NodeId::ROOT, &options)?;
    writer.finish()?;
    Ok(report)
}

/// Copies a tree and returns differences that are not in the report.
fn check_copy(from: &Path, target: TreeTarget, to: &Path, memory: u64) -> CopyReport {
    let report = copy(from, target, to, memory)
        .unwrap_or_else(|error| panic!("{} to {target:?}: {error}", from.display()));
    let found = differences(&*open(from, "").unwrap(), &*open(to, "").unwrap(), &report.changes);
    assert!(found.is_empty(), "{} to {target:?}: {found:#?}", from.display());
    report
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn trees_are_read_back_from_every_container(tree in tree(), threads in 1_usize..4) {
        let dir = tempfile::tempdir().unwrap();
        for target in TreeTarget::ALL {
            let path = dir.path().join(target.file_name());
            let mut writer = target.create_with(&path, new(), threads).unwrap();
            let left_out = tree.write(&mut *writer, NodeId::ROOT).unwrap();
            writer.finish().unwrap();
            let found = tree.differences(&*open(&path, "").unwrap(), &left_out);
            prop_assert!(found.is_empty(), "{target:?}: {found:#?}");
        }
    }

    #[test]
    fn copies_are_equal(tree in tree(), memory in prop_oneof![Just(0_u64), Just(1 << 20)]) {
        let dir = tempfile::tempdir().unwrap();
        for first in TreeTarget::ALL {
            let path = dir.path().join(first.file_name());
            let mut writer = first.create(&path, new()).unwrap();
            tree.write(&mut *writer, NodeId::ROOT).unwrap();
            writer.finish().unwrap();
            for second in TreeTarget::ALL.into_iter().chain([TreeTarget::Npz]) {
                let to = dir.path().join(format!("{first:?}-{}", second.file_name()));
                check_copy(&path, second, &to, memory);
            }
        }
    }
}

/// Files of other programs in the repository, and in a directory given by an environment variable.
fn files(dir: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(dir) else { return };
    for entry in entries {
        let path = entry.unwrap().path();
        let is = |ending: &str| path.extension().is_some_and(|found| found == ending);
        if path.is_dir() {
            files(&path, found);
        } else if ["h5", "h5ad", "loom", "h5mu"].iter().any(|ending| is(ending)) {
            found.push(path);
        }
    }
}

#[test]
fn files_of_other_programs_are_copied_through_all_containers() {
    let dir = tempfile::tempdir().unwrap();
    let testdata = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata");
    let mut found = Vec::new();
    for name in ["anndata", "tenx", "loom", "tree"] {
        files(&testdata.join(name), &mut found);
    }
    if let Some(more) = std::env::var_os("NNZ_GOLDEN") {
        files(Path::new(&more), &mut found);
    }
    assert!(!found.is_empty());
    for (number, path) in found.iter().enumerate() {
        // Unreadable files are not copied, nor one that declares more elements than any disk has space for.
        let is_endless = path.ends_with("malformed/huge_dataset.bsp.h5");
        if is_endless || tree_dump::dump(path).is_err() {
            continue;
        }
        let (mut from, mut dropped) = (path.clone(), 0);
        let steps = [TreeTarget::Hdf5, TreeTarget::Zarr2, TreeTarget::Zarr3, TreeTarget::Hdf5];
        for (step, target) in steps.into_iter().enumerate() {
            let to = dir.path().join(format!("{number}-{step}-{}", target.file_name()));
            match copy(&from, target, &to, 1 << 20) {
                Ok(report) => {
                    let copied = open(&to, "").unwrap();
                    let found = differences(&*open(&from, "").unwrap(), &*copied, &report.changes);
                    assert!(found.is_empty(), "{} to {target:?}: {found:#?}", path.display());
                    dropped += report.changes.len();
                    if std::env::var_os("NNZ_SHOW").is_some() {
                        for change in &report.changes {
                            eprintln!("{} {target:?}: {change}", path.display());
                        }
                    }
                }
                // Invalid files of the test data. HDF5 strings may have any bytes, Zarr strings may
                // not.
                Err(error)
                    if !matches!(error.kind(), ErrorKind::Io(_))
                        && (step == 0 || error.to_string().contains("expected UTF-8")) =>
                {
                    eprintln!("{}: {error}", path.display());
                    break;
                }
                Err(error) => panic!("{} to {target:?}: {error}", path.display()),
            }
            from = to;
        }
        let _ = dropped;
        for step in 0..4 {
            for target in TreeTarget::ALL {
                let to = dir.path().join(format!("{number}-{step}-{}", target.file_name()));
                let _ = std::fs::remove_dir_all(&to).or_else(|_| std::fs::remove_file(&to));
            }
        }
    }
}

#[test]
fn golden_trees_are_copied_to_every_container() {
    let golden = Golden::unpack();
    let dir = tempfile::tempdir().unwrap();
    for (path, name) in &golden.paths {
        for target in TreeTarget::ALL.into_iter().chain([TreeTarget::Npz]) {
            let to = dir.path().join(format!("{name}-{}", target.file_name()));
            match copy(path, target, &to, 1 << 20) {
                Ok(report) => {
                    let (from, to) = (open(path, "").unwrap(), open(&to, "").unwrap());
                    let found = differences(&*from, &*to, &report.changes);
                    assert!(found.is_empty(), "{name} to {target:?}: {found:#?}");
                }
                // Strings that are not text, and invalid files.
                Err(error) => assert!(
                    matches!(error.kind(), ErrorKind::Mismatch { .. }),
                    "{name} to {target:?}: {error}"
                ),
            }
        }
    }
}

#[test]
fn large_arrays_are_copied_in_bounded_memory() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("from.h5");
    let mut writer = TreeTarget::Hdf5.create(&path, new()).unwrap();
    let element = ElementType::Number(nnz_core::ValueType::U32);
    // Bands of chunks are larger than the memory limit.
    let spec = ArraySpec::new(element, &[300, 7000]).chunk(&[100, 70]);
    let spec = spec.compress(Compression::Gzip(1)).fill(Scalar::U32(7));
    let array = writer.create_array(NodeId::ROOT, "a", &spec).unwrap();
    let values: Vec<u32> = (0..2_100_000_u32).map(|n| n / 3).collect();
    for piece in values.chunks(123_457) {
        writer.append_bytes(array, bytemuck::cast_slice(piece)).unwrap();
    }
    writer.finish().unwrap();
    for target in TreeTarget::ALL {
        let to = dir.path().join(format!("to-{}", target.file_name()));
        let report = check_copy(&path, target, &to, 1 << 16);
        assert_eq!((report.arrays, report.changes.len()), (1, 0));
        let copied = open(&to, "").unwrap().array("a").unwrap();
        assert_eq!(copied.storage().chunk_shape.unwrap(), [2, 70]);
        assert_eq!(copied.fill_value().unwrap(), Some(Scalar::U32(7)));
    }
}

#[test]
fn shards_are_read_back() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.zarr");
    let mut writer = TreeTarget::Zarr3.create(&path, new()).unwrap();
    let element = ElementType::Number(nnz_core::ValueType::U16);
    let values: Vec<u16> = (0..7 * 11).collect();
    for (name, compression) in [("a", Compression::None), ("b", Compression::Zstd(3))] {
        let spec = ArraySpec::new(element.clone(), &[7, 11]).chunk(&[2, 3]).shard(&[4, 6]);
        let array = writer.create_array(NodeId::ROOT, name, &spec.compress(compression)).unwrap();
        writer.append_bytes(array, bytemuck::cast_slice(&values)).unwrap();
    }
    writer.finish().unwrap();
    let root = open(&path, "").unwrap();
    for name in ["a", "b"] {
        let array = root.array(name).unwrap();
        assert_eq!(array.storage().shard_shape.unwrap(), [4, 6]);
        assert_eq!(array.read(&array.all(), 1 << 20).unwrap(), Values::U16(values.clone()));
    }
}

#[test]
fn references_are_updated() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("from.h5");
    let mut writer = TreeTarget::Hdf5.create(&path, new()).unwrap();
    let obs = writer.create_groups(NodeId::ROOT, "study/obs").unwrap();
    let categories = writer.create_group(obs, "__categories").unwrap();
    writer.write_array(categories, "kind", &[2], &[1_i64, 2]).unwrap();
    let codes = writer.write_array(obs, "kind", &[3], &[0_i8, 1, 0]).unwrap();
    let to = |path: &str| Attribute {
        shape: vec![2],
        value: AttributeValue::References(vec![Some(path.to_owned()), None]),
    };
    writer.set_attribute(codes, "categories", &to("study/obs/__categories/kind")).unwrap();
    let one = vec![Some("study/obs/__categories/kind".to_owned())];
    let one = Attribute { shape: vec![], value: AttributeValue::References(one) };
    writer.set_attribute(codes, "other", &one).unwrap();
    let error = writer.set_attribute(codes, "nowhere", &to("nothing")).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Unsupported(_)), "{error}");
    writer.finish().unwrap();
    // The group is copied to another path.
    let second = dir.path().join("second.h5");
    let mut writer = TreeTarget::Hdf5.create(&second, new()).unwrap();
    let place = writer.create_groups(NodeId::ROOT, "x/y").unwrap();
    let from = open(&path, "study/obs").unwrap();
    let report = copy_tree(&*from, &mut *writer, place, &CopyOptions::new()).unwrap();
    assert_eq!(report.changes, []);
    writer.finish().unwrap();
    let codes = open(&second, "x/y").unwrap().array("kind").unwrap();
    let found = codes.attribute("categories").unwrap().unwrap();
    assert_eq!(found, to("x/y/__categories/kind"));
    // JSON has no references. A null reference has no path.
    let third = dir.path().join("x.zarr");
    let report = check_copy(&path, TreeTarget::Zarr3, &third, 1 << 20);
    let [dropped, path] = &report.changes[..] else { panic!("{report:?}") };
    assert_eq!((dropped.kind, &*dropped.path), (ChangeKind::Dropped, "study/obs/kind"));
    assert_eq!(
        path.to_string(),
        "study/obs/kind, attribute \"other\": references to objects are stored as their paths"
    );
    let codes = open(&third, "study/obs").unwrap().array("kind").unwrap();
    let found = codes.attribute("other").unwrap().unwrap();
    assert_eq!(found.text(), Some("__categories/kind"));
}

#[test]
fn invalid_calls_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    for target in TreeTarget::ALL {
        let path = dir.path().join(target.file_name());
        let mut writer = target.create(&path, new()).unwrap();
        let element = ElementType::Number(nnz_core::ValueType::U16);
        let spec = ArraySpec::new(element.clone(), &[3]);
        let array = writer.create_array(NodeId::ROOT, "a", &spec).unwrap();
        let again = writer.create_group(NodeId::ROOT, "a").unwrap_err();
        assert!(matches!(again.kind(), ErrorKind::Exists), "{again}");
        for name in ["", ".", "a/b", "a\0"] {
            let error = writer.create_group(NodeId::ROOT, name).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::Unsupported(_)), "{name:?}: {error}");
        }
        writer.create_group(array, "b").unwrap_err();
        writer.set_attribute(array, "x", &Attribute::of_number(1_i64)).unwrap();
        writer.set_attribute(array, "x", &Attribute::of_number(1_i64)).unwrap_err();
        let short = Attribute { shape: vec![3], ..Attribute::of_number(1_i64) };
        writer.set_attribute(array, "y", &short).unwrap_err();
        for spec in [
            spec.clone().chunk(&[0]),
            spec.clone().chunk(&[1, 1]),
            spec.clone().compress(Compression::Gzip(17)),
            ArraySpec::new(element.clone(), &[u64::MAX, u64::MAX]),
            ArraySpec::new(element.clone(), &[2, 2]).fill(Scalar::F32(1.0)),
        ] {
            writer.create_array(NodeId::ROOT, "b", &spec).unwrap_err();
        }
        writer.append_bytes(array, &[0; 4]).unwrap();
        // More than fits; the tree cannot be completed afterwards.
        writer.append_bytes(array, &[0; 4]).unwrap_err();
        writer.finish().unwrap_err();
        assert!(!path.exists());
        let mut writer = target.create(&path, new()).unwrap();
        let array = writer.create_array(NodeId::ROOT, "a", &spec).unwrap();
        writer.append_bytes(array, &[0; 4]).unwrap();
        // Fewer.
        writer.finish().unwrap_err();
        assert!(!path.exists());
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}

#[test]
fn arrays_are_added_to_zarr_stores() {
    let dir = tempfile::tempdir().unwrap();
    for (target, consolidate) in [
        (TreeTarget::Zarr2, true),
        (TreeTarget::Zarr2, false),
        (TreeTarget::Zarr3, true),
        (TreeTarget::Zarr3, false),
    ] {
        let path = dir.path().join(format!("{consolidate}-{}", target.file_name()));
        let version = if target == TreeTarget::Zarr2 { ZarrVersion::V2 } else { ZarrVersion::V3 };
        let options = ZarrOptions { version, consolidate, threads: 1 };
        let writer = ZarrWriter::create(&path, "", new(), options).unwrap();
        let mut writer: Box<dyn TreeWriter> = Box::new(writer);
        writer.set_attribute(NodeId::ROOT, "title", &Attribute::of_text("a")).unwrap();
        let layers = writer.create_group(NodeId::ROOT, "layers").unwrap();
        let kept = writer.write_array(layers, "kept", &[2], &[1_u8, 2]).unwrap();
        writer.set_attribute(kept, "x", &Attribute::of_number(7_i64)).unwrap();
        writer.finish().unwrap();
        let add = |member: &str, write| -> Box<dyn TreeWriter> {
            let options = ZarrOptions::default();
            Box::new(ZarrWriter::add(&path, member, write, options).unwrap())
        };
        let mut writer = add("layers/counts", new());
        writer.write_array(NodeId::ROOT, "other", &[1], &[0_u8]).unwrap_err();
        writer.set_attribute(NodeId::ROOT, "y", &Attribute::of_number(1_i64)).unwrap_err();
        writer.write_array(NodeId::ROOT, "counts", &[3], &[1_u16, 2, 3]).unwrap();
        writer.finish().unwrap();
        let mut writer = add("layers/sparse", new());
        let group = writer.create_group(NodeId::ROOT, "sparse").unwrap();
        writer.set_attribute(group, "shape", &Attribute::of_numbers(&[2_i64, 3])).unwrap();
        writer.write_array(group, "data", &[2], &[0.5_f32, 1.5]).unwrap();
        writer.finish().unwrap();
        // An existing array is replaced only with `overwrite`.
        let options = ZarrOptions::default();
        ZarrWriter::add(&path, "layers/counts", new(), options).unwrap_err();
        ZarrWriter::add(&path, "missing/counts", new(), options).unwrap_err();
        drop(add("layers/unfinished", new()));
        let forced = WriteOptions::default().overwrite(true).sync(false);
        let mut writer = add("layers/counts", forced);
        writer.write_array(NodeId::ROOT, "counts", &[2], &[9_i32, 8]).unwrap();
        writer.finish().unwrap();

        let root = open(&path, "").unwrap();
        assert_eq!(root.attribute("title").unwrap().unwrap().text(), Some("a"));
        let children = root.group("layers").unwrap().children().unwrap();
        let names: Vec<&str> = children.iter().map(|child| &*child.name).collect();
        assert_eq!(names, ["counts", "kept", "sparse"]);
        let counts = root.array("layers/counts").unwrap();
        assert_eq!(counts.read(&counts.all(), 100).unwrap(), Values::I32(vec![9, 8]));
        let text = |name: &str| std::fs::read_to_string(path.join(name)).ok();
        let listing = match version {
            ZarrVersion::V2 => text(".zmetadata"),
            ZarrVersion::V3 => text("zarr.json"),
        };
        let listing: serde_json::Value =
            listing.map_or(serde_json::Value::Null, |text| serde_json::from_str(&text).unwrap());
        let metadata = match version {
            ZarrVersion::V2 => &listing["metadata"],
            ZarrVersion::V3 => &listing["consolidated_metadata"]["metadata"],
        };
        let found: Vec<&str> =
            metadata.as_object().into_iter().flatten().map(|(key, _)| &**key).collect();
        let expected: &[&str] = match (version, consolidate) {
            (_, false) => &[],
            (ZarrVersion::V2, true) => &[
                ".zattrs",
                ".zgroup",
                "layers/.zgroup",
                "layers/counts/.zarray",
                "layers/kept/.zarray",
                "layers/kept/.zattrs",
                "layers/sparse/.zattrs",
                "layers/sparse/.zgroup",
                "layers/sparse/data/.zarray",
            ],
            (ZarrVersion::V3, true) => {
                &["layers", "layers/counts", "layers/kept", "layers/sparse", "layers/sparse/data"]
            }
        };
        assert_eq!(found, expected);
        let counted = match version {
            ZarrVersion::V2 => &metadata["layers/counts/.zarray"]["shape"],
            ZarrVersion::V3 => &metadata["layers/counts"]["shape"],
        };
        assert!(!consolidate || *counted == serde_json::json!([2]));
        assert_eq!(
            std::fs::read_dir(path.join("layers")).unwrap().count(),
            // Three members and the metadata of the group.
            4
        );
    }
}

/// Adds a group and an array to a group of an HDF5 file.
fn add_to(path: &Path, group: &str, write: WriteOptions) -> Result<()> {
    let member = |name: &str| match group {
        "" => name.to_owned(),
        group => format!("{group}/{name}"),
    };
    let add = |name: &str| -> Result<Box<dyn TreeWriter>> {
        let options = Hdf5Options { threads: 2, ..Hdf5Options::default() };
        Ok(Box::new(Hdf5Writer::add(path, &member(name), write.clone(), options)?))
    };
    let mut writer = add("added array")?;
    writer.write_array(NodeId::ROOT, "other", &[1], &[0_u8]).unwrap_err();
    writer.set_attribute(NodeId::ROOT, "y", &Attribute::of_number(1_i64)).unwrap_err();
    let values: Vec<u16> = (0..5000).collect();
    let spec = ArraySpec::new(ElementType::Number(nnz_core::ValueType::U16), &[50, 100]);
    let spec = spec.chunk(&[7, 30]).compress(Compression::Gzip(3)).shuffle();
    let array = writer.create_array(NodeId::ROOT, "added array", &spec)?;
    writer.append_bytes(array, bytemuck::cast_slice(&values))?;
    writer.set_attribute(array, "x", &Attribute::of_texts(["a", "b\u{e9}"]))?;
    writer.finish()?;
    let mut writer = add("added group")?;
    let made = writer.create_group(NodeId::ROOT, "added group")?;
    let inner = writer.create_group(made, "inner")?;
    writer.write_text(inner, "text", "some text")?;
    let names =
        writer.create_array(inner, "names", &ArraySpec::growing(ElementType::String, &[]))?;
    writer.append_list(names, (0..3000).map(|at| format!("name {at}")))?;
    let own = AttributeValue::References(vec![Some("added group/inner/names".to_owned())]);
    writer.set_attribute(made, "names", &Attribute { shape: vec![], value: own })?;
    writer.finish()?;
    Ok(())
}

#[test]
fn objects_are_added_to_hdf5_files() {
    let dir = tempfile::tempdir().unwrap();
    let forced = WriteOptions::default().overwrite(true).sync(false);
    // A link from inside to the root sees what is added to it.
    let path = dir.path().join("links.h5");
    for group in ["index", ""] {
        std::fs::copy(tree_dump::golden("layouts.h5"), &path).unwrap();
        add_to(&path, group, new()).unwrap();
        let root = open(&path, "").unwrap();
        let loops = root.group("links/up").unwrap();
        assert_eq!(loops.children().unwrap(), root.children().unwrap());
    }
    std::fs::remove_file(&path).unwrap();
    // A file with old-style groups and one with new-style groups, without such a link.
    for (name, track_order) in [("old.h5", false), ("new.h5", true)] {
        let options = Hdf5Options { track_order, ..Hdf5Options::default() };
        let path = dir.path().join(name);
        let mut writer = Hdf5Writer::create(&path, "", new(), options).unwrap();
        let from = open(&tree_dump::golden("layouts.h5"), "").unwrap();
        copy_tree(&*from, &mut writer, NodeId::ROOT, &CopyOptions::new()).unwrap();
        Box::new(writer).finish().unwrap();
    }
    for (name, group) in [("old.h5", ""), ("old.h5", "index"), ("new.h5", ""), ("new.h5", "index")]
    {
        let path = dir.path().join("copy.h5");
        std::fs::copy(dir.path().join(name), &path).unwrap();
        let before = tree_dump::dump(&path).unwrap();
        add_to(&path, group, new()).unwrap_or_else(|error| panic!("{name} {group}: {error}"));
        let options = Hdf5Options { threads: 1, ..Hdf5Options::default() };
        let member = format!("{group}/added array");
        let error = Hdf5Writer::add(&path, &member, new(), options).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Exists), "{error}");
        Hdf5Writer::add(&path, "missing/x", new(), options).unwrap_err();
        // Dropped, it leaves no output.
        drop(Hdf5Writer::add(&path, "unfinished", new(), options).unwrap());
        // Twice, replacing the first.
        add_to(&path, group, forced.clone())
            .unwrap_or_else(|error| panic!("{name} {group}: {error}"));
        let opened = open(&path, group).unwrap();
        let array = opened.array("added array").unwrap();
        let values = array.read(&array.all(), 1 << 20).unwrap();
        assert_eq!(values, Values::U16((0..5000).collect()));
        let texts = array.attribute("x").unwrap().unwrap().strings().unwrap();
        assert_eq!(texts.iter().last(), Some("b\u{e9}".as_bytes()));
        let text = opened.array("added group/inner/text").unwrap().text(100).unwrap();
        assert_eq!(text, "some text");
        let added = opened.group("added group").unwrap().attribute("names").unwrap().unwrap();
        let found = if group.is_empty() { String::new() } else { format!("{group}/") };
        let found = vec![Some(format!("{found}added group/inner/names"))];
        assert_eq!(added.value, AttributeValue::References(found));
        // Everything else is unchanged.
        let mut after = tree_dump::dump(&path).unwrap();
        let all = after.as_object_mut().unwrap();
        all.retain(|path, _| !path.contains("added "));
        all[group]["children"].as_object_mut().unwrap().retain(|name, _| !name.contains("added "));
        let found = tree_dump::differences(&after, &before);
        assert!(found.is_empty(), "{name} {group}: {found:#?}");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 3);
        if let Some(kept) = std::env::var_os("NNZ_KEEP") {
            let name = format!("{}-{name}", group.replace('/', "-"));
            std::fs::copy(&path, Path::new(&kept).join(name)).unwrap();
        }
    }
}

#[test]
fn arrays_are_written_to_npz() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npz");
    let mut writer = TreeTarget::Npz.create(&path, new()).unwrap();
    let error = writer.create_group(NodeId::ROOT, "g").unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Unsupported(_)), "{error}");
    let spec = ArraySpec::growing(ElementType::Number(nnz_core::ValueType::F64), &[2]);
    let array =
        writer.create_array(NodeId::ROOT, "a", &spec.compress(Compression::Gzip(6))).unwrap();
    let error = writer.set_attribute(array, "x", &Attribute::of_number(1_i64)).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Unsupported(_)), "{error}");
    for row in 0..3_u8 {
        let row = [f64::from(row), -0.0];
        writer.append_bytes(array, bytemuck::cast_slice(&row)).unwrap();
    }
    writer.write_array(NodeId::ROOT, "scalar", &[], &[7_u16]).unwrap();
    writer.finish().unwrap();
    let root = open(&path, "").unwrap();
    let array = root.array("a").unwrap();
    assert_eq!(array.shape(), [3, 2]);
    let values = array.read(&array.all(), 100).unwrap();
    assert_eq!(values, Values::F64(vec![0.0, -0.0, 1.0, -0.0, 2.0, -0.0]));
    assert_eq!(root.array("scalar").unwrap().shape(), [0_u64; 0]);
    // Fewer elements than the shape has.
    let other = dir.path().join("other.npz");
    let mut writer = TreeTarget::Npz.create(&other, new()).unwrap();
    let spec = ArraySpec::new(ElementType::Number(nnz_core::ValueType::F64), &[2]);
    writer.create_array(NodeId::ROOT, "a", &spec).unwrap();
    writer.finish().unwrap_err();
    assert!(!other.exists());
}

#[test]
fn arrays_of_netcdf_have_dimensions() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.nc");
    let mut writer = TreeTarget::NetCdf.create(&path, new()).unwrap();
    let group = writer.create_group(NodeId::ROOT, "g").unwrap();
    let spec = ArraySpec::new(ElementType::Number(nnz_core::ValueType::U8), &[2, 3]);
    let named = spec.clone().dimensions(["cell", "gene"]);
    let array = writer.create_array(group, "a", &named).unwrap();
    writer.append_bytes(array, &[1, 2, 3, 4, 5, 6]).unwrap();
    let array = writer.create_array(group, "b", &spec).unwrap();
    writer.append_bytes(array, &[1, 2, 3, 4, 5, 6]).unwrap();
    let flag = ElementType::Number(nnz_core::ValueType::Bint8);
    let error = writer.create_array(group, "c", &ArraySpec::scalar(flag)).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Unsupported(_)), "{error}");
    let error = writer.set_attribute(group, "x", &Attribute::of_boolean(true)).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Unsupported(_)), "{error}");
    writer.finish().unwrap();
    let dimensions = nnz_container::hdf5::Hdf5Group::open(&path, "g").unwrap();
    let expected = ["a", "b", "cell", "gene", "length_2", "length_3"];
    assert_eq!(dimensions.member_names().unwrap(), expected);
    let group = open(&path, "g").unwrap();
    assert_eq!(group.member_names().unwrap(), ["a", "b"]);
    let array = group.array("a").unwrap();
    assert_eq!(array.read(&array.all(), 6).unwrap(), Values::U8(vec![1, 2, 3, 4, 5, 6]));
}

fn _is_object_safe(_: &dyn TreeWriter, _: &dyn Group) {}

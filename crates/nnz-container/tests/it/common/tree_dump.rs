//! Trees in the JSON form of `testdata/tree/dump.py`.

use std::ops::Range;
use std::path::{Path, PathBuf};

use nnz_container::tree::{
    Attribute, AttributeValue, Attributes, ChildKind, ElementType, Group, NdArray, open, walk,
};
use nnz_core::{Result, ValueType, Values};
use serde_json::{Map, Value, json};

/// Returns the path of a file of `testdata/tree`.
pub(crate) fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/tree").join(name)
}

/// The files of `testdata/tree`; stores are unpacked.
pub(crate) struct Golden {
    pub(crate) dir: tempfile::TempDir,
    /// Paths, and the names of their dumps.
    pub(crate) paths: Vec<(PathBuf, String)>,
}

impl Golden {
    pub(crate) fn unpack() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let mut paths = Vec::new();
        for entry in std::fs::read_dir(golden("")).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            if let Some(store) = name.strip_suffix(".tar.gz") {
                nnz_testing::tar::unpack(&path, &dir.path().join(store));
                paths.push((dir.path().join(store), format!("{store}.json")));
            } else if golden(&format!("{name}.json")).is_file() {
                paths.push((path, format!("{name}.json")));
            }
        }
        paths.sort_unstable();
        Self { dir, paths }
    }
}

/// Calls a function with every array of a tree.
pub(crate) fn each_array(root: &dyn Group, each: &mut dyn FnMut(&dyn NdArray)) -> Result<()> {
    walk(root, &mut |group: &dyn Group, _, children| {
        for child in children.iter().filter(|child| child.kind == ChildKind::Array) {
            if let Ok(array) = group.array(&child.name) {
                each(&*array);
            }
        }
        Ok(())
    })
}

/// The memory limit for arrays of tests.
pub(crate) const MEMORY: u64 = 1 << 24;

fn hex(bytes: &[u8], width: usize) -> Vec<Value> {
    let word = |word: &[u8]| {
        // Native byte order.
        let word: Vec<u8> = if cfg!(target_endian = "big") {
            word.to_vec()
        } else {
            word.iter().rev().copied().collect()
        };
        Value::from(word.iter().map(|byte| format!("{byte:02x}")).collect::<String>())
    };
    bytes.chunks_exact(width).map(word).collect()
}

pub(crate) fn numbers(values: &Values) -> Vec<Value> {
    match values {
        Values::U8(values) => values.iter().map(|&value| json!(value)).collect(),
        Values::U16(values) => values.iter().map(|&value| json!(value)).collect(),
        Values::U32(values) => values.iter().map(|&value| json!(value)).collect(),
        Values::U64(values) => values.iter().map(|&value| json!(value)).collect(),
        Values::I8(values) => values.iter().map(|&value| json!(value)).collect(),
        Values::I16(values) => values.iter().map(|&value| json!(value)).collect(),
        Values::I32(values) => values.iter().map(|&value| json!(value)).collect(),
        Values::I64(values) => values.iter().map(|&value| json!(value)).collect(),
        Values::Bint8(values) => values.iter().map(|value| json!(value.0 != 0)).collect(),
        Values::Iso(_) => unreachable!("read values are not iso"),
        Values::F32(_) | Values::ComplexF32(_) => hex(values.bytes(), 4),
        Values::F64(_) | Values::ComplexF64(_) => hex(values.bytes(), 8),
    }
}

fn text(bytes: &[u8]) -> Value {
    Value::from(String::from_utf8_lossy(bytes).into_owned())
}

/// Describes the elements of a hyperslab.
pub(crate) fn slab(array: &dyn NdArray, selection: &[Range<u64>]) -> Result<Map<String, Value>> {
    let mut found = Map::new();
    let mut put = |name: &str, value: Value| found.insert(name.to_owned(), value);
    match array.element_type() {
        element if element.is_string() => {
            put("type", element.to_string().into());
            let strings = array.strings(selection, MEMORY)?;
            put("values", strings.iter().map(text).collect());
        }
        ElementType::Compound(fields) => {
            put("type", "compound".into());
            let mut all = Map::new();
            for field in fields {
                let inner = array.field(&field.name)?;
                let shape = inner.shape().to_vec();
                let mut selection = selection.to_vec();
                selection.extend(field.shape.iter().map(|&length| 0..length));
                let mut described = slab(&*inner, &selection)?;
                described.insert("shape".to_owned(), shape.into());
                all.insert(field.name.clone(), described.into());
            }
            put("fields", all.into());
        }
        ElementType::Reference => {
            put("type", "reference".into());
        }
        ElementType::Enumeration(_) | ElementType::Other(_) => {
            put("type", "other".into());
        }
        element => {
            // With the name in NumPy; values are widened.
            let values = array.read(selection, MEMORY)?;
            put("type", name(element).into());
            put("values", numbers(&values).into());
        }
    }
    Ok(found)
}

fn name(element: &ElementType) -> String {
    match element {
        ElementType::Number(ValueType::ComplexF32) => "complex[float32]".to_owned(),
        ElementType::Number(ValueType::ComplexF64) => "complex[float64]".to_owned(),
        element => element.to_string(),
    }
}

fn array(array: &dyn NdArray, is_json: bool) -> Result<Value> {
    let mut found = Map::new();
    if array.is_null() {
        found.insert("type".to_owned(), "null".into());
    } else {
        found = slab(array, &array.all())?;
        found.insert("shape".to_owned(), array.shape().to_vec().into());
    }
    // Must succeed for readable arrays.
    array.stored_bytes()?;
    array.is_fully_stored()?;
    array.storage();
    found.insert("kind".to_owned(), "array".into());
    found.insert("attributes".to_owned(), attributes(array, is_json)?);
    Ok(found.into())
}

fn attributes(holder: &(impl Attributes + ?Sized), is_json: bool) -> Result<Value> {
    let mut all = Map::new();
    for name in holder.attributes()? {
        let found = holder.attribute(&name)?.expect("a listed attribute is there");
        let value = if is_json { json_attribute(&found) } else { attribute(&found) };
        all.insert(name, value);
    }
    Ok(all.into())
}

fn attribute(found: &Attribute) -> Value {
    let of = |values: Vec<Value>| {
        let name = match found.type_name().as_str() {
            "string" => None,
            name => Some(name.to_owned()),
        };
        json!({"type": name, "shape": found.shape, "values": values})
    };
    match &found.value {
        AttributeValue::Numbers(values) => of(numbers(values)),
        AttributeValue::Strings(strings) => of(strings.iter().map(text).collect()),
        AttributeValue::References(paths) => of(paths.iter().map(|path| json!(path)).collect()),
        AttributeValue::Empty => json!({"type": "empty"}),
        _ => json!({"type": "other"}),
    }
}

fn json_attribute(found: &Attribute) -> Value {
    let list = match &found.value {
        AttributeValue::Numbers(values) => numbers(values),
        AttributeValue::Strings(strings) => strings.iter().map(text).collect(),
        AttributeValue::Json(text) => return bits_of(serde_json::from_str(text).unwrap()),
        _ => return Value::Null,
    };
    match found.shape.is_empty() {
        true => list[0].clone(),
        false => list.into(),
    }
}

/// Replaces floats by their bits.
fn bits_of(value: Value) -> Value {
    match value {
        Value::Number(number) if number.is_f64() => {
            format!("{:016x}", number.as_f64().unwrap().to_bits()).into()
        }
        Value::Array(values) => values.into_iter().map(bits_of).collect(),
        Value::Object(fields) => fields.into_iter().map(|(k, v)| (k, bits_of(v))).collect(),
        other => other,
    }
}

/// Dumps a tree. Arrays that cannot be read are replaced by their error.
pub(crate) fn dump(path: &Path) -> Result<Value> {
    let root = open(path, "")?;
    let is_json = root.info().name == "Zarr";
    let mut tree = Map::new();
    walk(&*root, &mut |group: &dyn Group, path, children| {
        let mut kinds = Map::new();
        for child in children {
            let kind = match child.kind {
                ChildKind::Group => "group",
                ChildKind::Array => "array",
                _ => "other",
            };
            kinds.insert(child.name.clone(), kind.into());
            if child.kind == ChildKind::Array {
                let inner = match path {
                    "" => child.name.clone(),
                    _ => format!("{path}/{}", child.name),
                };
                let found = group.array(&child.name).and_then(|found| array(&*found, is_json));
                let found = found.unwrap_or_else(
                    |error| json!({"kind": "array", "type": "error", "error": error.to_string()}),
                );
                tree.insert(inner, found);
            }
        }
        let attributes = attributes(group, is_json)?;
        let found = json!({"kind": "group", "attributes": attributes, "children": kinds});
        tree.insert(path.to_owned(), found);
        Ok(())
    })?;
    Ok(tree.into())
}

/// Returns the differences of two dumps. What the other program could not read is not compared.
pub(crate) fn differences(found: &Value, expected: &Value) -> Vec<String> {
    let mut all = Vec::new();
    compare(found, expected, "", &mut all);
    all
}

fn compare(found: &Value, expected: &Value, path: &str, all: &mut Vec<String>) {
    match (found, expected) {
        (Value::Object(a), Value::Object(b)) => {
            if b.get("type") == Some(&json!("error")) {
                return;
            }
            for name in a.keys().chain(b.keys().filter(|name| !a.contains_key(*name))) {
                match (a.get(name), b.get(name)) {
                    // Types of string attributes are not compared.
                    (Some(Value::Null), Some(_)) if name == "type" => {}
                    (Some(a), Some(b)) => compare(a, b, &format!("{path}/{name}"), all),
                    // Unsupported types have no shape in a dump.
                    (None, Some(_)) | (Some(_), None)
                        if name == "shape" && a.get("type") == Some(&json!("other")) => {}
                    (a, b) => all.push(format!("{path}/{name}: {a:.100?} and not {b:.100?}")),
                }
            }
        }
        (found, expected) if found == expected => {}
        (found, expected) => {
            let short = |value: &Value| value.to_string().chars().take(200).collect::<String>();
            all.push(format!("{path}: {} and not {}", short(found), short(expected)));
        }
    }
}

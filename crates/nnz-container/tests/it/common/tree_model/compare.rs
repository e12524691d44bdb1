//! Comparison of trees.

use nnz_container::tree::{
    Attribute, AttributeValue, Attributes, Change, ChangeKind, ChildKind, ElementType, Group,
    NdArray, walk,
};
use nnz_core::{Result, Scalar};

const MEMORY: u64 = 1 << 28;

/// Returns all elements in a form that can be compared; compounds field by field.
pub(super) fn values(array: &dyn NdArray) -> Result<Vec<String>> {
    Ok(match array.element_type() {
        ElementType::Compound(fields) => {
            let mut all = Vec::new();
            for field in fields {
                all.extend(values(&*array.field(&field.name)?)?);
            }
            all
        }
        element if element.is_string() => {
            let strings = array.strings(&array.all(), MEMORY)?;
            strings.iter().map(|text| format!("{:?}", String::from_utf8_lossy(text))).collect()
        }
        element => {
            let size = element.value_type().map_or(1, nnz_core::ValueType::size);
            let values = array.read(&array.all(), MEMORY)?;
            values.bytes().chunks(size).map(|bytes| format!("{bytes:?}")).collect()
        }
    })
}

/// Returns an attribute in a form that is the same for all containers: numbers by value.
fn normal(attribute: &Attribute) -> String {
    let number = |scalar: Scalar| match scalar {
        Scalar::U8(value) => value.to_string(),
        Scalar::U16(value) => value.to_string(),
        Scalar::U32(value) => value.to_string(),
        Scalar::U64(value) => value.to_string(),
        Scalar::I8(value) => value.to_string(),
        Scalar::I16(value) => value.to_string(),
        Scalar::I32(value) => value.to_string(),
        Scalar::I64(value) => value.to_string(),
        Scalar::Bint8(value) => (value.0 != 0).to_string(),
        Scalar::F32(value) => format!("{:x}", f64::from(value).to_bits()),
        Scalar::F64(value) => format!("{:x}", value.to_bits()),
        other => format!("{other:?}"),
    };
    let values: Vec<String> = match &attribute.value {
        AttributeValue::Numbers(values) => {
            (0..values.len().unwrap()).map(|at| number(values.get(at).unwrap())).collect()
        }
        AttributeValue::Strings(strings) => {
            strings.iter().map(|text| format!("{:?}", String::from_utf8_lossy(text))).collect()
        }
        AttributeValue::Json(text) => {
            let (mut shape, mut values) = (Vec::new(), Vec::new());
            flatten(&serde_json::from_str(text).unwrap(), 0, &mut shape, &mut values);
            return format!("{shape:?} {values:?}");
        }
        other => vec![format!("{other:?}")],
    };
    format!("{:?} {values:?}", attribute.shape)
}

fn flatten(json: &serde_json::Value, depth: usize, shape: &mut Vec<u64>, values: &mut Vec<String>) {
    match json {
        serde_json::Value::Array(list) => {
            if shape.len() == depth {
                shape.push(list.len() as u64);
            }
            list.iter().for_each(|item| flatten(item, depth + 1, shape, values));
        }
        serde_json::Value::Number(number) if number.is_f64() => {
            values.push(format!("{:x}", number.as_f64().unwrap().to_bits()));
        }
        other => values.push(other.to_string()),
    }
}

/// Compares attributes with those that were written and are supported.
pub(super) fn attributes(
    expected: &[(String, Attribute)],
    found: &(impl Attributes + ?Sized),
    path: &str,
    held: &dyn Fn(&str) -> bool,
    all: &mut Vec<String>,
) {
    let mut names = Vec::new();
    for (name, expected) in expected {
        if !held(&format!("{path}@{name}")) {
            continue;
        }
        names.push(name.clone());
        match found.attribute(name).unwrap() {
            Some(found) if normal(&found) == normal(expected) => {}
            found => all.push(format!("{path}@{name}: {found:?} and not {expected:?}")),
        }
    }
    names.sort_unstable();
    let found = found.attributes().unwrap();
    if found != names {
        all.push(format!("{path}: attributes {found:?} and not {names:?}"));
    }
}

/// Returns the differences of a copy that are not in `changes`.
pub(crate) fn differences(from: &dyn Group, to: &dyn Group, changes: &[Change]) -> Vec<String> {
    let mut all = Vec::new();
    let dropped = |path: &str, attribute: Option<&str>| {
        changes.iter().any(|change| {
            change.kind == ChangeKind::Dropped
                && change.path == path
                && change.attribute.as_deref() == attribute
        })
    };
    let converted = |path: &str| {
        changes.iter().any(|change| change.kind == ChangeKind::Converted && change.path == path)
    };
    walk(from, &mut |group, path, children| {
        let gone = |path: &str| {
            let mut ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
            ends.any(|end| dropped(&path[..end], None))
        };
        if !path.is_empty() && gone(path) {
            return Ok(());
        }
        let opened;
        let copy: &dyn Group = match path {
            "" => to,
            path => {
                opened = to.group(path)?;
                &*opened
            }
        };
        compare_attributes(group, copy, path, &dropped, &mut all)?;
        let mut names = Vec::new();
        for child in children {
            let inner = match path {
                "" => child.name.clone(),
                _ => format!("{path}/{}", child.name),
            };
            if dropped(&inner, None) {
                continue;
            }
            names.push(child.name.clone());
            if child.kind != ChildKind::Array {
                continue;
            }
            let (array, copy) = (group.array(&child.name)?, copy.array(&child.name)?);
            compare_attributes(&*array, &*copy, &inner, &dropped, &mut all)?;
            let same = array.element_type() == copy.element_type()
                && array.is_null() == copy.is_null()
                && array.fill_value()? == copy.fill_value()?.or(array.fill_value()?);
            let shaped = array.is_null() || array.shape() == copy.shape();
            if !(shaped && (same || converted(&inner))) {
                all.push(format!("{inner}: {} of {:?}", copy.element_type(), copy.shape()));
            } else if !array.is_null() && values(&*array)? != values(&*copy)? {
                all.push(format!("{inner}: other values"));
            }
        }
        let found: Vec<String> = copy.children()?.into_iter().map(|child| child.name).collect();
        if found != names {
            all.push(format!("{path}: {found:?} and not {names:?}"));
        }
        Ok(())
    })
    .unwrap();
    all
}

fn compare_attributes<A: Attributes + ?Sized, B: Attributes + ?Sized>(
    from: &A,
    to: &B,
    path: &str,
    dropped: &dyn Fn(&str, Option<&str>) -> bool,
    all: &mut Vec<String>,
) -> Result<()> {
    let mut expected = Vec::new();
    for name in from.attributes()? {
        if !dropped(path, Some(&name)) {
            expected.push((name.clone(), from.attribute(&name)?.unwrap()));
        }
    }
    // Paths instead of references.
    for (name, attribute) in &mut expected {
        if let (AttributeValue::References(_), Some(found)) =
            (&attribute.value, to.attribute(name)?)
            && matches!(found.value, AttributeValue::Strings(_))
        {
            *attribute = found;
        }
    }
    attributes(&expected, to, path, &|_| true, all);
    Ok(())
}

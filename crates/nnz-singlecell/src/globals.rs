//! Values that belong to a file as a whole: numbers and strings, alone or in a list.

use nnz_container::tree::{
    ArraySpec, Attribute, AttributeValue, ChildKind, ElementType, Group, NdArray, NodeId,
    TreeWriter,
};
use nnz_core::{Result, Values, readable};

/// Bytes of memory for one of them.
const MOST: u64 = 1 << 20;

/// Reads the arrays of a group that are a number, a string, or a list of these. All others are left
/// out.
pub(crate) fn read(group: &dyn Group) -> Result<Vec<(String, Attribute)>> {
    let mut found = Vec::new();
    for child in group.children()? {
        if child.kind != ChildKind::Array {
            continue;
        }
        let Some(array) = readable(group.array(&child.name))? else { continue };
        // The unit of dates would be lost.
        let is_time = matches!(array.element_type(), ElementType::Time(_));
        if array.is_null() || array.shape().len() > 1 || is_time {
            continue;
        }
        if let Some(value) = readable(value(&*array))? {
            let shape = array.shape().to_vec();
            found.push((child.name, Attribute { shape, value }));
        }
    }
    Ok(found)
}

fn value(array: &dyn NdArray) -> Result<AttributeValue> {
    Ok(if array.element_type().is_string() {
        AttributeValue::Strings(array.strings(&array.all(), MOST)?)
    } else {
        AttributeValue::Numbers(array.read(&array.all(), MOST)?)
    })
}

/// Writes one as an array of a group; `None` if it is neither numbers nor strings. Booleans become
/// `uint8` if they are not supported.
pub(crate) fn write(
    tree: &mut dyn TreeWriter,
    (group, name): (NodeId, &str),
    attribute: &Attribute,
    has_booleans: bool,
) -> Result<Option<NodeId>> {
    let create = |tree: &mut dyn TreeWriter, element| {
        tree.create_array(group, name, &ArraySpec::new(element, &attribute.shape))
    };
    let array = match &attribute.value {
        AttributeValue::Strings(list) => {
            let array = create(tree, ElementType::String)?;
            tree.append_strings(array, &mut *list.reader())?;
            array
        }
        AttributeValue::Numbers(values) => {
            let converted;
            let values = match values {
                Values::Bint8(flags) if !has_booleans => {
                    converted = Values::U8(flags.iter().map(|flag| flag.0).collect());
                    &converted
                }
                values => values,
            };
            let array = create(tree, ElementType::Number(values.value_type()))?;
            tree.append_bytes(array, values.bytes())?;
            array
        }
        _ => return Ok(None),
    };
    tree.finish_array(array)?;
    Ok(Some(array))
}

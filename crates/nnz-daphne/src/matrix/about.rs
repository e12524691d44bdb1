//! Describing an object and its blocks.

use nnz_core::{About, ArrayAbout};

use crate::object::Object;
use crate::{BlockType, DataType};

/// Describes the blocks of an object: the number of each kind and type, and their bytes.
pub(crate) fn about(object: &Object) -> About {
    let mut arrays: Vec<(BlockType, u64, ArrayAbout)> = Vec::new();
    let matrix = object.data_type != DataType::Frame;
    for block in &object.blocks {
        // An empty block has no type of its own; its elements have the type of the matrix.
        let value_type = block.value_type.or_else(|| matrix.then(|| object.value_type()));
        let found = arrays.iter_mut().find(|(block_type, _, about)| {
            *block_type == block.block_type && about.value_type == value_type
        });
        let bytes = block.end - block.start;
        match found {
            Some((_, count, about)) => {
                *count += 1;
                about.bytes = about.bytes.map(|all| all + bytes);
                about.len = about.len.and_then(|len| len.checked_add(block.stored));
            }
            None => {
                let (name, len, bytes) = (String::new(), Some(block.stored), Some(bytes));
                let about = ArrayAbout::new(name).value_type(value_type).len(len).bytes(bytes);
                arrays.push((block.block_type, 1, about));
            }
        }
    }
    let named = arrays.into_iter().map(|(block_type, count, mut about)| {
        about.name = match count {
            1 => format!("{block_type} block"),
            _ => format!("{block_type} blocks ({count})"),
        };
        about
    });
    let what = if object.data_type == DataType::Frame { "frame" } else { "matrix" };
    About::new(format!("DAPHNE {what}"), "file")
        .version("1".to_owned())
        .dialect(format!("{} {}", object.dialect, object.data_type.name()))
        .bytes(object.file.len())
        .arrays(named.collect())
}

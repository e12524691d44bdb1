//! Changing single arrays of a container in memory.

use nnz_binsparse::DESCRIPTOR;
use nnz_container::memory::Memory;

/// Copies a container. `change` may alter the bytes of each array, and `text` the descriptor.
pub fn rebuilt(
    memory: &Memory,
    text: impl Fn(String) -> String,
    mut change: impl FnMut(&str, &mut Vec<u8>),
) -> Memory {
    let copy = Memory::new();
    let mut writer = copy.writer();
    for name in memory.arrays().members().unwrap() {
        if name == DESCRIPTOR {
            writer
                .set_attribute(DESCRIPTOR, &text(memory.arrays().attribute(DESCRIPTOR).unwrap()))
                .unwrap();
            continue;
        }
        let array = memory.arrays().array(&name).unwrap();
        let size = usize::try_from(array.len()).unwrap() * array.value_type().size();
        let mut bytes = vec![0; size];
        array.read_bytes(0, &mut bytes).unwrap();
        change(&name, &mut bytes);
        let id = writer.create_array(&name, array.value_type()).unwrap();
        writer.append_bytes(id, &bytes).unwrap();
    }
    writer.finish().unwrap();
    copy
}

/// Copies a container with one array altered.
pub fn altered(memory: &Memory, array: &str, change: impl Fn(&mut Vec<u8>)) -> Memory {
    rebuilt(
        memory,
        |text| text,
        |name, bytes| {
            if name == array {
                change(bytes);
            }
        },
    )
}

/// Changes bytes as 32-bit elements.
pub fn with_elements(bytes: &mut Vec<u8>, change: impl Fn(&mut [u32])) {
    let mut elements: Vec<u32> =
        bytes.chunks_exact(4).map(|b| u32::from_ne_bytes([b[0], b[1], b[2], b[3]])).collect();
    change(&mut elements);
    *bytes = elements.iter().flat_map(|element| element.to_ne_bytes()).collect();
}

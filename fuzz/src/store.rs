//! A store in memory, from the files of a directory.

use nnz_container::memory::Memory;
use nnz_core::ValueType;

/// Creates a store from the files of a directory: numbers with headers, otherwise text.
pub fn fill(members: &[(u8, &[u8])], names: &[&str]) -> Memory {
    let memory = Memory::new();
    let mut writer = memory.writer();
    for &(name, content) in members {
        let name = names[usize::from(name) % names.len()];
        let (magic, rest) = content.split_at(content.len().min(8));
        let value_type = match magic {
            b"UINT32v1" => Some(ValueType::U32),
            b"UINT64v1" => Some(ValueType::U64),
            b"FLOATSv1" => Some(ValueType::F32),
            b"DOUBLEv1" => Some(ValueType::F64),
            _ => None,
        };
        // A second file of the same name is refused.
        if let Some(value_type) = value_type {
            if let Ok(id) = writer.create_array(name, value_type) {
                let whole = rest.len() - rest.len() % value_type.size();
                writer.append_bytes(id, &rest[..whole]).unwrap();
            }
        } else if name == "version" {
            let line = content.split(|&byte| byte == b'\n').next().unwrap_or_default();
            let _ = writer.set_attribute(name, &String::from_utf8_lossy(line));
        } else {
            let lines = content.strip_suffix(b"\n").unwrap_or(content);
            let mut lines = lines.split(|&byte| byte == b'\n').filter(|_| !content.is_empty());
            let _ = writer.write_strings(name, &mut lines);
        }
    }
    writer.finish().unwrap();
    memory
}

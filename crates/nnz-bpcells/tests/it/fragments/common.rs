//! Helpers for the tests of fragments.

use std::ops::Range;

use nnz_bpcells::{FormatVersion, FragmentSink, FragmentSource, Packing, SinkOptions};
use nnz_container::memory::Memory;
use nnz_container::{NamedArrays, NamedArraysWriter};
use nnz_core::{
    FragmentBatch, FragmentFields, FragmentSink as _, FragmentSource as _, Result, StringList,
    ValueType,
};

/// Chromosome, start, end, cell.
pub type Fragment = (u32, u32, u32, u32);

/// Reads fragments in storage order.
pub fn read(source: &FragmentSource, positions: Range<u64>) -> Result<Vec<Fragment>> {
    let mut batch = FragmentBatch::default();
    let mut units = source.units(positions, FragmentFields::ALL)?;
    let mut all = Vec::new();
    while let Some(unit) = units.next_unit()? {
        unit.decode(&mut batch)?;
        assert_eq!(batch.cells.len(), batch.starts.len());
        assert_eq!(batch.ends.len(), batch.starts.len());
        let columns = batch.starts.iter().zip(&batch.ends).zip(&batch.cells);
        all.extend(columns.map(|((start, end), cell)| (batch.chromosome, *start, *end, *cell)));
    }
    Ok(all)
}

pub fn read_all(source: &FragmentSource) -> Result<Vec<Fragment>> {
    read(source, 0..source.header().count)
}

/// Splits consecutive fragments of a chromosome into batches of up to `len`.
pub fn batches(fragments: &[Fragment], len: usize) -> Vec<FragmentBatch> {
    let runs = fragments.chunk_by(|a, b| a.0 == b.0);
    let parts = runs.flat_map(|run| run.chunks(len.max(1)));
    let batch = |part: &[Fragment]| FragmentBatch {
        chromosome: part[0].0,
        starts: part.iter().map(|fragment| fragment.1).collect(),
        ends: part.iter().map(|fragment| fragment.2).collect(),
        cells: part.iter().map(|fragment| fragment.3).collect(),
    };
    parts.map(batch).collect()
}

pub fn write(
    into: NamedArraysWriter,
    options: SinkOptions,
    batches: &[FragmentBatch],
    chromosomes: &StringList,
    cells: &StringList,
) -> Result<u64> {
    let mut sink = FragmentSink::create(into, options)?;
    for batch in batches {
        sink.write(batch)?;
    }
    Ok(Box::new(sink).finish(chromosomes, cells)?.bytes)
}

pub fn names(prefix: &str, count: u32) -> StringList {
    (0..count).map(|number| format!("{prefix}{number}")).collect()
}

pub fn all_options() -> impl Iterator<Item = SinkOptions> {
    [Packing::Packed, Packing::Unpacked].into_iter().flat_map(|packing| {
        [FormatVersion::V1, FormatVersion::V2]
            .into_iter()
            .map(move |format_version| SinkOptions { packing, format_version })
    })
}

/// The content of a member of a container.
#[derive(Clone, Debug, PartialEq)]
pub enum Member {
    Attribute(String),
    Numbers(ValueType, Vec<u8>),
    Strings(StringList),
}

/// Copies the members of a container, to be changed.
pub fn members_of(container: &NamedArrays) -> Vec<(String, Member)> {
    let members = container.members().unwrap().into_iter().map(|name| {
        let member = if let Ok(array) = container.array(&name) {
            let len = usize::try_from(array.len()).unwrap();
            let mut bytes = vec![0; len * array.value_type().size()];
            array.read_bytes(0, &mut bytes).unwrap();
            Member::Numbers(array.value_type(), bytes)
        } else if name == "version" {
            Member::Attribute(container.attribute(&name).unwrap())
        } else {
            Member::Strings(container.strings(&name).unwrap())
        };
        (name, member)
    });
    members.collect()
}

pub fn from_members(members: &[(String, Member)]) -> Memory {
    let memory = Memory::new();
    let mut writer = memory.writer();
    for (name, member) in members {
        match member {
            Member::Attribute(text) => writer.set_attribute(name, text).unwrap(),
            Member::Strings(list) => writer.write_strings(name, &mut list.iter()).unwrap(),
            Member::Numbers(value_type, bytes) => {
                let id = writer.create_array(name, *value_type).unwrap();
                writer.append_bytes(id, bytes).unwrap();
            }
        }
    }
    writer.finish().unwrap();
    memory
}

/// Returns the elements of a member of 32-bit integers.
pub fn numbers(members: &[(String, Member)], name: &str) -> Vec<u32> {
    match members.iter().find(|(member, _)| member == name) {
        Some((_, Member::Numbers(ValueType::U32, bytes))) => {
            bytes.chunks_exact(4).map(|b| u32::from_ne_bytes(b.try_into().unwrap())).collect()
        }
        other => panic!("{name}: {other:?}"),
    }
}

pub fn set_numbers(members: &mut [(String, Member)], name: &str, numbers: &[u32]) {
    let bytes = numbers.iter().flat_map(|number| number.to_ne_bytes()).collect();
    let (_, member) = members.iter_mut().find(|(member, _)| member == name).unwrap();
    *member = Member::Numbers(ValueType::U32, bytes);
}

pub fn set_pointers(members: &mut [(String, Member)], pointers: &[u64]) {
    let bytes = pointers.iter().flat_map(|number| number.to_ne_bytes()).collect();
    let (_, member) = members.iter_mut().find(|(member, _)| member == "chr_ptr").unwrap();
    *member = Member::Numbers(ValueType::U64, bytes);
}

/// Returns faults and notes.
pub fn findings(memory: &Memory) -> (Vec<String>, Vec<String>) {
    let (mut faults, mut notes) = (Vec::new(), Vec::new());
    nnz_bpcells::validate_fragments(
        &|| Ok(NamedArrays::new(memory.clone())),
        u64::MAX,
        &mut |finding| {
            let list = match finding.severity {
                nnz_core::Severity::Fault => &mut faults,
                nnz_core::Severity::Note => &mut notes,
            };
            list.push(finding.to_string());
        },
    )
    .unwrap();
    (faults, notes)
}

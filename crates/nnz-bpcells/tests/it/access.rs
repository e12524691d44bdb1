//! Opening and slicing read no more than they need.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex};

use nnz_bpcells::{MatrixSink, MatrixSource, SinkOptions};
use nnz_container::memory::Memory;
use nnz_container::tree::{Attributes, Child, ElementType, Group, NdArray};
use nnz_container::{ContainerInfo, NamedArrays};
use nnz_core::{
    Batch, Header, Majors, MatrixSink as _, MatrixSource as _, Minors, Names, Order, Place,
    Projection, Result, Shape, ValueType, Values,
};

/// Bytes read of each member.
pub type Reads = Arc<Mutex<BTreeMap<String, usize>>>;

/// A container that counts what is read, and whether its reads have a latency.
#[derive(Debug)]
pub struct Counting(pub Memory, pub Reads, pub bool);

#[derive(Debug)]
struct CountingArray(Box<dyn NdArray>, String, Reads, bool);

fn count(reads: &Reads, name: &str, bytes: usize) {
    *reads.lock().unwrap().entry(name.to_owned()).or_default() += bytes;
}

impl Attributes for Counting {}

impl Group for Counting {
    fn path(&self) -> &Path {
        self.0.path()
    }

    fn info(&self) -> &'static ContainerInfo {
        self.0.info()
    }

    fn children(&self) -> Result<Vec<Child>> {
        self.0.children()
    }

    fn group(&self, name: &str) -> Result<Box<dyn Group>> {
        Group::group(&self.0, name)
    }

    fn array(&self, name: &str) -> Result<Box<dyn NdArray>> {
        let array = self.0.array(name)?;
        Ok(Box::new(CountingArray(array, name.to_owned(), Arc::clone(&self.1), self.2)))
    }

    fn text(&self, name: &str) -> Result<String> {
        self.0.text(name)
    }

    fn list_bytes(&self, name: &str) -> Result<u64> {
        self.0.list_bytes(name)
    }

    fn read_list(&self, name: &str) -> Result<Names<'_>> {
        count(&self.1, name, 1);
        self.0.read_list(name)
    }
}

impl Attributes for CountingArray {}

impl NdArray for CountingArray {
    fn place(&self) -> Place {
        self.0.place()
    }

    fn shape(&self) -> &[u64] {
        self.0.shape()
    }

    fn element_type(&self) -> &ElementType {
        self.0.element_type()
    }

    fn stored_bytes(&self) -> Result<u64> {
        self.0.stored_bytes()
    }

    fn read_bytes(&self, selection: &[Range<u64>], out: &mut [u8]) -> Result<()> {
        count(&self.2, &self.1, out.len());
        self.0.read_bytes(selection, out)
    }

    fn has_latency(&self) -> bool {
        self.3
    }
}

/// A packed matrix of 100,000 columns with 10 entries each, and its counters.
fn matrix() -> (MatrixSource, Reads) {
    const COLS: u32 = 100_000;
    let header = Header::new(Shape { rows: 1000, cols: COLS.into() }, Order::Col, ValueType::U32)
        .sorted_indices(true)
        .nnz(u64::from(COLS) * 10);
    let memory = Memory::new();
    let writer = memory.writer();
    let mut sink =
        MatrixSink::create(writer, &header, [None, None], SinkOptions::default()).unwrap();
    sink.write(&Batch {
        order: Order::Col,
        majors: Majors::Consecutive(0),
        offsets: (0..=COLS as usize).map(|col| col * 10).collect(),
        minors: Minors::U32((0..COLS * 10).map(|entry| entry % 10 * 100).collect()),
        values: Values::U32((0..COLS * 10).map(|entry| entry % 7 + 1).collect()),
    })
    .unwrap();
    Box::new(sink).finish().unwrap();
    let reads = Reads::default();
    let source =
        MatrixSource::open(NamedArrays::new(Counting(memory, Arc::clone(&reads), false))).unwrap();
    (source, reads)
}

#[test]
fn opening_reads_one_block_of_pointers_and_neither_names_nor_data() {
    let (_, reads) = matrix();
    let reads = reads.lock().unwrap();
    let read: Vec<_> = reads.iter().map(|(name, bytes)| (name.as_str(), *bytes)).collect();
    // The block of the last pointer (100,001 pointers, 2,048 in a block); the two boundaries of
    // each packed array; rows and columns; one line.
    assert_eq!(
        read,
        [
            ("idxptr", 100_001 % 2048 * 8),
            ("index_idx_offsets", 16),
            ("shape", 8),
            ("storage_order", 1),
            ("val_idx_offsets", 16),
        ]
    );
}

#[test]
fn one_column_decodes_only_the_chunks_it_touches() {
    let (source, reads) = matrix();
    reads.lock().unwrap().clear();
    let mut batch = Batch::new(Order::Col, Values::new(ValueType::U32));
    let mut reader = source.batches(50_000..50_001, Projection::ALL).unwrap();
    while reader.next_batch(&mut batch).unwrap() {
        assert_eq!(batch.entries(), 10);
        assert_eq!(batch.minors, Minors::U32((0..10).map(|n| n * 100).collect()));
    }
    let reads = reads.lock().unwrap();
    // The column is entries 500,000 to 500,009, inside the chunk of 499,968 to 500,095. Both of its
    // pointers are in one block.
    assert_eq!(reads["idxptr"], 16 << 10);
    assert_eq!((reads["index_idx"], reads["index_starts"], reads["val_idx"]), (8, 4, 8));
    assert!(reads["index_data"] <= 512 && reads["val_data"] <= 512);
}

#[test]
fn only_selected_arrays_are_read() {
    let (source, reads) = matrix();
    for (fields, unread) in [(Projection::VALUES, "index_"), (Projection::MINORS, "val_")] {
        reads.lock().unwrap().clear();
        let mut batch = Batch::new(Order::Col, Values::new(ValueType::U32));
        let mut reader = source.batches(0..1000, fields).unwrap();
        while reader.next_batch(&mut batch).unwrap() {}
        assert!(reads.lock().unwrap().keys().all(|name| !name.starts_with(unread)));
    }
}

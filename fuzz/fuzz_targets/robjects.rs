//! Objects of R: whatever is read has consistent lengths.
#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use nnz_container::rds::{self, Limits};
use nnz_core::{Annotations as _, Axis, Batch, Error, MatrixSource, Projection, Result, Values};
use nnz_robjects::{Frame, Node, RFile};
use nnz_storage::{InputFile, TaskContext};

/// Memory of an object.
const MOST: u64 = 16 << 20;

fuzz_target!(|input: &[u8]| {
    let path = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(path.path(), input).unwrap();
    let context = TaskContext::default().with_memory(MOST);
    let opened = nnz_storage::Opened::new(&context, path.path()).unwrap();
    let Some(file) = opened.file() else { return };
    let _ = read(file);
});

fn read(file: &InputFile) -> Result<()> {
    let document = rds::read(file, Limits { memory: MOST })?;
    if nnz_robjects::matrix::is_matrix(&document) {
        return matrix(&nnz_robjects::matrix::from_document(file, document)?);
    }
    if !RFile::may_read(&document) {
        return Ok(());
    }
    let mut file = RFile::new(file, document)?;
    file.join_layers();
    node(&file, file.root())
}

fn node(file: &RFile, found: &Node) -> Result<()> {
    match found {
        Node::Study(study) => {
            for experiment in &study.experiments {
                table(&experiment.features.table)?;
                table(&experiment.cells.table)?;
            }
            matrix(&study.axes()?)?;
            for (_, part) in study.parts() {
                matrix(&study.open(part, &|_, _| Err(Error::argument("external")))?)?;
            }
        }
        Node::Matrix(stored) => matrix(&*file.open_matrix("", &Arc::clone(stored))?)?,
        Node::Table(frame) => table(frame)?,
        Node::List(list) => list.iter().try_for_each(|(_, found)| node(file, found))?,
        _ => {}
    }
    Ok(())
}

fn table(frame: &Frame) -> Result<()> {
    for at in 0..frame.columns().len() {
        assert_eq!(frame.read_column(at, MOST)?.len(), frame.len());
    }
    Ok(())
}

fn matrix(source: &dyn MatrixSource) -> Result<()> {
    let header = source.header();
    for axis in [Axis::Rows, Axis::Cols] {
        if let Some(names) = source.names(axis)? {
            assert_eq!(names.len(), header.shape.len(axis));
        }
    }
    let mut batch = Batch::new(header.order, Values::new(header.value_type));
    let mut reader = source.batches(0..header.shape.major(header.order), Projection::ALL)?;
    let mut count = 0;
    // A sequence that takes a few bytes may have billions of entries.
    while count < 1 << 16 && reader.next_batch(&mut batch)? {
        count += batch.entries() + batch.runs();
        batch.check_positions(header.shape, Projection::ALL)?;
    }
    Ok(())
}

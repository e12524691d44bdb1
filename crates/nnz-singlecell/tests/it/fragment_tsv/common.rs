//! Helpers for the tests of fragments.

use nnz_storage::TaskContext;
use std::io::{Cursor, Read as _, Write as _};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use nnz_core::{FragmentBatch, FragmentSink, Result, StringList};
use nnz_singlecell::fragment_tsv::{
    FragmentTsv, Options, TextTarget, TsvBlock, WriteOptions, create, from_reader,
};

/// Chromosome, start, end and cell, by name.
pub(crate) type Line = (String, u32, u32, String);

/// The content of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Whole {
    pub(crate) batches: Vec<FragmentBatch>,
    pub(crate) chromosomes: StringList,
    pub(crate) cells: StringList,
    pub(crate) unselected: u64,
}

pub(crate) fn testdata() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../testdata/bpcells")
}

/// A reader that returns a few bytes at a time.
pub(crate) struct Slow(pub(crate) Cursor<Vec<u8>>, pub(crate) usize);

impl std::io::Read for Slow {
    fn read(&mut self, bytes: &mut [u8]) -> std::io::Result<usize> {
        let len = bytes.len().min(self.1);
        self.0.read(&mut bytes[..len])
    }
}

pub(crate) fn source(text: impl AsRef<[u8]>) -> FragmentTsv {
    from_reader(Box::new(Cursor::new(text.as_ref().to_vec())), "text.tsv").unwrap()
}

/// Reads everything in order.
pub(crate) fn read(source: &FragmentTsv, options: Options) -> Result<Whole> {
    let mut reading = source.read(options)?;
    let mut block = TsvBlock::default();
    let mut whole = Whole::default();
    let mut count = 0;
    while let Some(unit) = reading.units.next_unit()? {
        unit.decode(&mut block)?;
        let joint = reading.joiner.join(&block)?;
        let fragments = block.resolve(joint);
        count += fragments.len() as u64;
        for batch in fragments.into_batches() {
            assert!(!batch.cells.is_empty());
            match whole.batches.last_mut() {
                // The boundaries of pieces do not matter.
                Some(last) if last.chromosome == batch.chromosome => {
                    last.cells.extend(batch.cells);
                    last.starts.extend(batch.starts);
                    last.ends.extend(batch.ends);
                }
                _ => whole.batches.push(batch),
            }
        }
    }
    let read = reading.joiner.finish()?;
    assert_eq!(read.fragments, count);
    whole.chromosomes = read.chromosomes;
    whole.cells = read.cells;
    whole.unselected = read.unselected;
    Ok(whole)
}

pub(crate) fn read_text(text: impl AsRef<[u8]>) -> Result<Whole> {
    read(&source(text), Options::default())
}

pub(crate) fn message(text: impl AsRef<[u8]>, options: Options) -> String {
    read(&source(text), options).unwrap_err().to_string()
}

impl Whole {
    pub(crate) fn lines(&self) -> Vec<Line> {
        let names = |list: &StringList| -> Vec<String> {
            list.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect()
        };
        let (chromosomes, cells) = (names(&self.chromosomes), names(&self.cells));
        let mut lines = Vec::new();
        for batch in &self.batches {
            for at in 0..batch.cells.len() {
                lines.push((
                    chromosomes[batch.chromosome as usize].clone(),
                    batch.starts[at],
                    batch.ends[at],
                    cells[batch.cells[at] as usize].clone(),
                ));
            }
        }
        lines
    }
}

pub(crate) fn list(names: &[&str]) -> StringList {
    names.iter().collect()
}

pub(crate) fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

/// The empty block at the end of a file.
pub(crate) const END: &[u8] =
    b"\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0BC\x02\0\x1b\0\x03\0\0\0\0\0\0\0\0\0";

/// One BGZF block, created without the library.
pub(crate) fn bgzf_block(text: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text).unwrap();
    let data = encoder.finish().unwrap();
    let mut block = END[..16].to_vec();
    block.extend(u16::try_from(data.len() + 25).unwrap().to_le_bytes());
    block.extend(data);
    let mut sum = flate2::Crc::new();
    sum.update(text);
    block.extend(sum.sum().to_le_bytes());
    block.extend(sum.amount().to_le_bytes());
    block
}

/// Text in BGZF blocks of `size` bytes.
pub(crate) fn bgzf(text: &[u8], size: usize) -> Vec<u8> {
    let mut file: Vec<u8> = text.chunks(size).flat_map(bgzf_block).collect();
    file.extend_from_slice(END);
    file
}

/// A stream whose bytes can be inspected.
#[derive(Clone, Default)]
pub(crate) struct SharedBuffer(pub(crate) Arc<Mutex<Vec<u8>>>);

impl std::io::Write for SharedBuffer {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Writes everything to a stream.
pub(crate) fn write(whole: &Whole, options: WriteOptions) -> Result<Vec<u8>> {
    let seen = SharedBuffer::default();
    let target = TextTarget::Stream {
        writer: Box::new(seen.clone()),
        name: "out.tsv".to_owned(),
        context: TaskContext::default(),
    };
    let mut sink = create(target, &whole.chromosomes, &whole.cells, options)?;
    for batch in &whole.batches {
        sink.write(batch)?;
    }
    let written = Box::new(sink).finish(&whole.chromosomes, &whole.cells)?;
    let bytes = seen.0.lock().unwrap().clone();
    assert_eq!(written.bytes, bytes.len() as u64);
    Ok(bytes)
}

/// Inflates all members.
pub(crate) fn gunzip(bytes: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    flate2::read::MultiGzDecoder::new(bytes).read_to_end(&mut text).unwrap();
    text
}

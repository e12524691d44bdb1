//! Times packing, scanning and querying fragments, made by `benches/data/gen_frags.py`.
//!
//! `cargo run --release -p nnz-bpcells --example fragments_bench -- RAW STORE`
#![allow(clippy::print_stdout, clippy::cast_precision_loss, reason = "it prints what it measured")]

use std::error::Error;
use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use nnz_bpcells::{FRAGMENT_MEMBERS, FragmentSink, FragmentSource, SinkOptions};
use nnz_container::NamedArraysWriter;
use nnz_container::directory::{Directory, DirectoryWriter};
use nnz_core::{FragmentBatch, FragmentFields, FragmentSink as _, FragmentSource as _, StringList};
use nnz_storage::staging::WriteOptions;

/// Processor time if the system reports it: other programs do not affect it.
struct Clock(Option<u64>, Instant);

impl Clock {
    fn start() -> Self {
        Self(Self::on_processor(), Instant::now())
    }

    fn on_processor() -> Option<u64> {
        let text = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        text.split(' ').next()?.parse().ok()
    }

    fn seconds(&self) -> f64 {
        match (self.0, Self::on_processor()) {
            (Some(from), Some(to)) => (to - from) as f64 / 1e9,
            _ => self.1.elapsed().as_secs_f64(),
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(raw), Some(store)) = (args.next(), args.next()) else {
        return Err("usage: fragments_bench RAW STORE".into());
    };
    let store = Path::new(&store);
    // Without raw data, the existing store is read.
    if raw != "-" {
        write(Path::new(&raw), store)?;
    }
    scan(store)?;
    query(store)
}

fn column(raw: &Path, name: &str) -> Result<Vec<u32>, Box<dyn Error>> {
    let bytes = fs::read(raw.join(name))?;
    Ok(bytes.as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect())
}

fn write(raw: &Path, store: &Path) -> Result<(), Box<dyn Error>> {
    let [cells, starts, ends] = ["cell.u32", "start.u32", "end.u32"].map(|name| column(raw, name));
    let (cells, starts, ends) = (cells?, starts?, ends?);
    let mut batches = Vec::new();
    let mut names = StringList::new();
    let mut position = 0;
    for (line, chromosome) in fs::read_to_string(raw.join("chrom.txt"))?.lines().zip(0..) {
        let (name, count) = line.split_once(' ').ok_or("no count")?;
        names.push(name.as_bytes());
        let end = position + count.parse::<usize>()?;
        while position < end {
            let piece = position..end.min(position + (1 << 15));
            position = piece.end;
            batches.push(FragmentBatch {
                chromosome,
                cells: cells[piece.clone()].to_vec(),
                starts: starts[piece.clone()].to_vec(),
                ends: ends[piece].to_vec(),
            });
        }
    }
    let largest = cells.iter().max().map_or(0, |cell| cell + 1);
    let cell_names: StringList = (0..largest).map(|cell| format!("CELL{cell:06}-1")).collect();

    for _ in 0..3 {
        let start = Clock::start();
        let options = WriteOptions::default().overwrite(true).sync(false);
        let container = DirectoryWriter::create(store, options, FRAGMENT_MEMBERS)?;
        let mut sink =
            FragmentSink::create(NamedArraysWriter::new(container), SinkOptions::default())?;
        for batch in &batches {
            sink.write(batch)?;
        }
        Box::new(sink).finish(&names, &cell_names)?;
        report("write", cells.len(), start);
    }
    Ok(())
}

fn scan(store: &Path) -> Result<(), Box<dyn Error>> {
    for _ in 0..5 {
        let start = Clock::start();
        let source =
            FragmentSource::open(nnz_container::NamedArrays::new(Directory::open(store)?))?;
        let mut sum = 0_u64;
        let mut count = 0;
        source.for_each(0..source.header().count, FragmentFields::ALL, &mut |batch| {
            count += batch.starts.len();
            for column in [&batch.cells, &batch.starts, &batch.ends] {
                sum = sum.wrapping_add(nnz_bitpack::sum(column));
            }
            Ok(())
        })?;
        black_box(sum);
        report("scan", count, start);
    }
    Ok(())
}

fn query(store: &Path) -> Result<(), Box<dyn Error>> {
    let source = FragmentSource::open(nnz_container::NamedArrays::new(Directory::open(store)?))?;
    let mut batch = FragmentBatch::default();
    let (mut found, mut reached) = (0, 0);
    let start = Clock::start();
    for region in 0..1000 {
        let bases = region * 200_000..region * 200_000 + 100_000;
        let positions = source.overlapping(region % 4, bases.clone())?;
        let mut units = source.units(positions, FragmentFields::ALL)?;
        while let Some(unit) = units.next_unit()? {
            unit.decode(&mut batch)?;
            reached += batch.starts.len();
            let pairs = batch.starts.iter().zip(&batch.ends);
            found +=
                pairs.filter(|(start, end)| **start < bases.end && **end > bases.start).count();
        }
    }
    let took = start.seconds();
    println!("1000 regions: {:.1} us each, {found} of {reached} fragments", took * 1e3);
    Ok(())
}

fn report(what: &str, count: usize, start: Clock) {
    let took = start.seconds();
    println!("{what}: {:.0} M fragments/s", count as f64 / took / 1e6);
}

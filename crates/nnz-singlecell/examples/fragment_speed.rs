//! Times the reading and the writing of fragment text, on any number of threads.
//!
//! ```text
//! cargo run --release -p nnz-singlecell --example fragment_speed -- FILE [THREADS] [RUNS] [OUT]
//! ```
//!
//! Pieces are decoded on THREADS threads and joined in order, like in an engine. With OUT, the
//! fragments are kept and then written, which is timed separately.
#![allow(clippy::print_stdout, reason = "the program prints its results")]
#![allow(clippy::cast_precision_loss, reason = "rounded numbers for display")]

use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Instant;

use nnz_core::{Error, FragmentBatch, FragmentSink, Result};
use nnz_singlecell::fragment_tsv::{
    Fragments, Options, TextTarget, TextTotals, TsvBlock, WriteOptions, create, open,
};
use nnz_storage::staging;

fn main() -> Result<()> {
    let mut arguments = std::env::args_os().skip(1);
    let path = arguments.next().map(PathBuf::from);
    let path =
        path.ok_or_else(|| Error::argument("usage: fragment_speed FILE [THREADS] [RUNS] [OUT]"))?;
    let mut number = |default: usize| match arguments.next() {
        Some(text) => text.to_str().and_then(|text| text.parse().ok()).unwrap_or(default),
        None => default,
    };
    let threads = number(1).max(1);
    let runs = number(5).max(1);
    let out = arguments.next().map(PathBuf::from);

    let mut times = Vec::new();
    let mut last = (TextTotals::default(), Vec::new());
    for _ in 0..runs {
        let begun = Instant::now();
        let mut kept = Vec::new();
        let read = read(&path, threads, &mut |fragments| {
            if out.is_some() {
                kept.push(fragments.into_batches());
            }
        })?;
        times.push(begun.elapsed().as_secs_f64());
        last = (read, kept);
    }
    let (read, kept) = last;
    report("read", threads, &mut times, read.fragments);
    println!("{} cells, {} chromosomes", read.cells.len(), read.chromosomes.len());
    if let Some(out) = out {
        let mut times = Vec::new();
        for _ in 0..runs {
            let begun = Instant::now();
            write(&out, &read, threads, &kept)?;
            times.push(begun.elapsed().as_secs_f64());
        }
        report("write", threads, &mut times, read.fragments);
    }
    Ok(())
}

fn report(what: &str, threads: usize, times: &mut [f64], fragments: u64) {
    times.sort_by(f64::total_cmp);
    let fragments = fragments as f64;
    let (best, middle) = (times[0], times[times.len() / 2]);
    println!(
        "{what} on {threads}: median {middle:.3} s, {:.1} ns a fragment, {:.2} M/s; best {:.1} ns",
        middle * 1e9 / fragments,
        fragments / middle / 1e6,
        best * 1e9 / fragments,
    );
}

fn read(
    path: &Path,
    threads: usize,
    each: &mut (dyn FnMut(Fragments) + Send),
) -> Result<TextTotals> {
    let reading = open(path)?.read(Options::default())?;
    let units = Mutex::new((reading.units, 0));
    let turns = Mutex::new((reading.joiner, 0, None, each));
    let passed = Condvar::new();
    let work = || {
        let mut block = TsvBlock::default();
        loop {
            let (unit, number) = {
                let mut units = units.lock().unwrap_or_else(PoisonError::into_inner);
                units.1 += 1;
                (units.0.next_unit(), units.1 - 1)
            };
            let decoded = match unit {
                Ok(None) => return,
                Ok(Some(unit)) => unit.decode(&mut block),
                Err(error) => Err(error),
            };
            let mut turn = turns.lock().unwrap_or_else(PoisonError::into_inner);
            while turn.1 != number && turn.2.is_none() {
                turn = passed.wait(turn).unwrap_or_else(PoisonError::into_inner);
            }
            if turn.2.is_some() {
                return;
            }
            match decoded.and_then(|()| turn.0.join(&block)) {
                Ok(joint) => {
                    let fragments = block.resolve(joint);
                    turn.3(fragments);
                }
                Err(error) => turn.2 = Some(error),
            }
            turn.1 += 1;
            passed.notify_all();
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(work);
        }
        work();
    });
    let (joiner, _, failed, _) = turns.into_inner().unwrap_or_else(PoisonError::into_inner);
    failed.map_or_else(|| joiner.finish(), Err)
}

fn write(out: &Path, read: &TextTotals, threads: usize, kept: &[Vec<FragmentBatch>]) -> Result<()> {
    let options = staging::WriteOptions::default().overwrite(true).sync(false);
    let target = TextTarget::File { path: out.to_path_buf(), options };
    let sink = create(target, &read.chromosomes, &read.cells, WriteOptions::for_name(out))?;
    let encoder = sink.encoder();
    // The sink, the next batch to be encoded, and the next one to be written.
    let state = Mutex::new((sink, 0, 0, None));
    let changed = Condvar::new();
    let work = || {
        let mut guard = state.lock().unwrap_or_else(PoisonError::into_inner);
        while guard.1 < kept.len() && guard.3.is_none() {
            let number = guard.1;
            guard.1 += 1;
            drop(guard);
            let encoded = encoder.encode(&kept[number]);
            guard = state.lock().unwrap_or_else(PoisonError::into_inner);
            while guard.2 != number && guard.3.is_none() {
                guard = changed.wait(guard).unwrap_or_else(PoisonError::into_inner);
            }
            if guard.3.is_none() {
                let written = encoded.and_then(|encoded| guard.0.write_encoded(encoded));
                guard.3 = written.err();
                guard.2 += 1;
            }
            changed.notify_all();
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(work);
        }
        work();
    });
    let (sink, _, _, failed) = state.into_inner().unwrap_or_else(PoisonError::into_inner);
    match failed {
        Some(error) => Err(error),
        None => Box::new(sink).finish(&read.chromosomes, &read.cells).map(drop),
    }
}

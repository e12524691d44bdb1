//! Times the reading and the writing of a Matrix Market file, on any number of threads.
//!
//! ```text
//! cargo run --release -p nnz-matrix-market --example parse_speed -- FILE [THREADS] [RUNS] [OUT]
//! ```
//!
//! Units are decoded on THREADS threads and consumed in order, like in an engine. With OUT, the
//! batches are kept and then written, which is timed separately. The fastest and the median time of
//! RUNS are printed for each.
#![allow(clippy::print_stdout, reason = "the program prints its results")]
#![allow(clippy::cast_precision_loss, reason = "rounded numbers for display")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use nnz_core::{
    Batch, Encoded, Error, Header, MatrixSource, Projection, Result, UnitReader, Values,
};
use nnz_matrix_market::{Layout, Options, TextTarget, create, open};
use nnz_storage::staging::WriteOptions;

fn main() -> Result<()> {
    let mut arguments = std::env::args_os().skip(1);
    let path = arguments.next().map(PathBuf::from);
    let path =
        path.ok_or_else(|| Error::argument("usage: parse_speed FILE [THREADS] [RUNS] [OUT]"))?;
    let mut number = |default: usize| match arguments.next() {
        Some(text) => text.to_str().and_then(|text| text.parse().ok()).unwrap_or(default),
        None => default,
    };
    let threads = number(1).max(1);
    let runs = number(5).max(1);
    let out = arguments.next().map(PathBuf::from);

    let mut reading = Vec::new();
    let mut writing = Vec::new();
    let mut entries = 0;
    for _ in 0..runs {
        let start = Instant::now();
        let source = open(&path)?;
        let mut kept = Vec::new();
        entries = read(&source, threads, &mut |batch| {
            if out.is_some() {
                kept.push(batch.clone());
            }
        })?;
        reading.push(start.elapsed());
        if let Some(out) = &out {
            let start = Instant::now();
            write(out, source.header(), threads, &kept)?;
            writing.push(start.elapsed());
        }
    }
    let bytes = path.metadata().map_err(|error| Error::io(&path, error))?.len();
    // If batches are kept, they are also copied, so the time for reading is not printed.
    if out.is_none() {
        report("read", &path, threads, &mut reading, entries, bytes);
    }
    if let Some(out) = &out {
        let bytes = out.metadata().map_err(|error| Error::io(out, error))?.len();
        report("write", &path, threads, &mut writing, entries, bytes);
    }
    Ok(())
}

fn report(
    what: &str,
    path: &Path,
    threads: usize,
    times: &mut [Duration],
    entries: u64,
    bytes: u64,
) {
    times.sort();
    let each = |time: Duration| time.as_secs_f64() * 1e9 / entries.max(1) as f64;
    let (best, middle) = (times[0], times[times.len() / 2]);
    println!(
        "{what} {} on {threads}: median {:.3} s, {:.2} ns an entry, {:.0} MB/s; best {:.2} ns",
        path.file_name().unwrap_or_default().display(),
        middle.as_secs_f64(),
        each(middle),
        bytes as f64 / middle.as_secs_f64() / 1e6,
        each(best),
    );
}

/// The state that decoding threads share.
struct Shared<'a> {
    reader: Box<dyn UnitReader<'a> + 'a>,
    ended: bool,
    /// Index of the next unit to be taken, and of the next one to be consumed.
    next: usize,
    turn: usize,
    decoded: BTreeMap<usize, Result<Batch>>,
    spare: Vec<Batch>,
    entries: u64,
    failed: Option<Error>,
}

/// Called with each batch, in order.
type Each<'a> = dyn FnMut(&Batch) + Send + 'a;

fn read(source: &dyn MatrixSource, threads: usize, each: &mut Each<'_>) -> Result<u64> {
    let header = source.header();
    let empty = || Batch::new(header.order, Values::new(header.value_type));
    let reader = source.units(0..header.shape.major(header.order), Projection::ALL)?;
    let shared = Mutex::new((
        Shared {
            reader,
            ended: false,
            next: 0,
            turn: 0,
            decoded: BTreeMap::new(),
            spare: Vec::new(),
            entries: 0,
            failed: None,
        },
        each,
    ));
    let changed = Condvar::new();
    std::thread::scope(|scope| {
        let work = || {
            let mut guard = shared.lock().unwrap_or_else(PoisonError::into_inner);
            loop {
                // Limits the number of batches and units in memory.
                while guard.0.next >= guard.0.turn + 2 * threads && guard.0.failed.is_none() {
                    guard = changed.wait(guard).unwrap_or_else(PoisonError::into_inner);
                }
                let shared_now = &mut guard.0;
                if shared_now.ended || shared_now.failed.is_some() {
                    return;
                }
                let number = shared_now.next;
                let unit = match shared_now.reader.next_unit() {
                    Ok(Some(unit)) => Ok(unit),
                    Ok(None) => {
                        shared_now.ended = true;
                        return;
                    }
                    Err(error) => {
                        shared_now.ended = true;
                        Err(error)
                    }
                };
                shared_now.next += 1;
                let mut batch = shared_now.spare.pop().unwrap_or_else(empty);
                drop(guard);
                let result = unit.and_then(|unit| unit.decode(&mut batch)).map(|()| batch);
                guard = shared.lock().unwrap_or_else(PoisonError::into_inner);
                guard.0.decoded.insert(number, result);
                let (shared_now, each) = &mut *guard;
                shared_now.consume_in_order(&mut **each);
                changed.notify_all();
            }
        };
        for _ in 1..threads {
            scope.spawn(work);
        }
        work();
    });
    let (mut shared, _) = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
    match shared.failed {
        Some(error) => Err(error),
        None => shared.reader.end().map(|()| shared.entries),
    }
}

impl Shared<'_> {
    /// Consumes decoded units that are next in order.
    fn consume_in_order(&mut self, each: &mut Each<'_>) {
        while self.failed.is_none()
            && let Some(result) = self.decoded.remove(&self.turn)
        {
            self.turn += 1;
            let checked = result.and_then(|batch| {
                let entries = batch.entries() as u64;
                self.reader.on_decoded(entries)?;
                self.entries += entries;
                each(&batch);
                self.spare.push(batch);
                Ok(())
            });
            self.failed = checked.err();
        }
    }
}

fn write(out: &Path, header: &Header, threads: usize, batches: &[Batch]) -> Result<()> {
    let options = WriteOptions::default().overwrite(true).sync(false);
    let target = TextTarget::File { path: out.to_path_buf(), options };
    let options = Options::new(Layout::Coordinate, &target);
    let mut sink = create(target, header, options)?;
    let Some(encoder) = sink.encoder() else {
        batches.iter().try_for_each(|batch| sink.write(batch))?;
        return sink.finish().map(drop);
    };
    let firsts: Vec<u64> = batches
        .iter()
        .scan(0, |sum, batch| {
            let first = *sum;
            *sum += batch.entries() as u64;
            Some(first)
        })
        .collect();
    if threads == 1 {
        for (batch, &first) in batches.iter().zip(&firsts) {
            sink.write_encoded(encoder.encode(batch, first)?)?;
        }
        return sink.finish().map(drop);
    }
    // The sink, the next batch to be encoded, and the next one to be written.
    let state = Mutex::new((sink, 0, 0, None));
    let changed = Condvar::new();
    std::thread::scope(|scope| {
        let work = || {
            let mut guard = state.lock().unwrap_or_else(PoisonError::into_inner);
            while guard.1 < batches.len() && guard.3.is_none() {
                let number = guard.1;
                guard.1 += 1;
                drop(guard);
                let encoded: Result<Encoded> = encoder.encode(&batches[number], firsts[number]);
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
        for _ in 1..threads {
            scope.spawn(work);
        }
        work();
    });
    let (sink, _, _, failed) = state.into_inner().unwrap_or_else(PoisonError::into_inner);
    match failed {
        Some(error) => Err(error),
        None => sink.finish().map(drop),
    }
}

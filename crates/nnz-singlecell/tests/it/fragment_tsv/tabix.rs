//! `tabix` and `bgzip` read our files, and we read theirs.

use std::path::Path;
use std::process::Command;

use nnz_core::{FragmentBatch, FragmentSink};
use nnz_singlecell::fragment_tsv::{Options, TextTarget, WriteOptions, create, open};
use nnz_storage::staging;
use nnz_testing::random::Random;

use super::common::{Whole, gunzip, list, read};

/// Returns whether a program is installed, and prints if it is not.
fn have(program: &str) -> bool {
    let there = Command::new(program).arg("--version").output().is_ok();
    if !there {
        println!("skipped: there is no {program}");
    }
    there
}

fn run(program: &str, arguments: &[&str]) -> Vec<u8> {
    let output = Command::new(program).args(arguments).output().unwrap();
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && message.is_empty(), "{program} {arguments:?}: {message}");
    output.stdout
}

/// Short and long fragments, dense and sparse, on a few chromosomes.
fn fragments() -> Whole {
    let mut random = Random::new(9);
    let mut whole = Whole {
        chromosomes: list(&["chrB", "chrA", "chrNone", "chr1"]),
        cells: list(&["A-1", "B-1", "C-1"]),
        ..Whole::default()
    };
    for (chromosome, count, step) in [(1, 30_000, 300), (3, 2000, 250_000), (0, 1, 7)] {
        let mut batch = FragmentBatch { chromosome, ..FragmentBatch::default() };
        let mut start = 0;
        for number in 0..count {
            start += random.below_u32(step);
            let len = match number % 100 {
                0 => random.below_u32(3_000_000),
                1 => 0,
                _ => random.below_u32(700),
            };
            batch.cells.push(random.below_u32(3));
            batch.starts.push(start);
            batch.ends.push(start + len);
        }
        whole.batches.push(batch);
    }
    whole
}

fn write(whole: &Whole, path: &Path) {
    let options = staging::WriteOptions::default().overwrite(false).sync(false);
    let target = TextTarget::File { path: path.to_path_buf(), options };
    let options = WriteOptions::for_name(path);
    let mut sink = create(target, &whole.chromosomes, &whole.cells, options).unwrap();
    let encoder = sink.encoder();
    for batch in &whole.batches {
        // In parts, like from many units.
        let cut = batch.cells.len() / 3;
        let part = |range: std::ops::Range<usize>| FragmentBatch {
            chromosome: batch.chromosome,
            cells: batch.cells[range.clone()].to_vec(),
            starts: batch.starts[range.clone()].to_vec(),
            ends: batch.ends[range].to_vec(),
        };
        let parts = [part(0..cut), part(cut..cut), part(cut..batch.cells.len())];
        sink.write_encoded(encoder.encode(&parts[..1]).unwrap()).unwrap();
        sink.write_encoded(encoder.encode(&parts[1..]).unwrap()).unwrap();
    }
    Box::new(sink).finish(&whole.chromosomes, &whole.cells).unwrap();
}

#[test]
fn tabix_finds_the_same_lines_with_our_index_as_with_its_own() {
    if !have("tabix") || !have("bgzip") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let ours = folder.path().join("ours.bed.gz");
    let theirs = folder.path().join("theirs.bed.gz");
    let whole = fragments();
    write(&whole, &ours);
    run("bgzip", &["--test", ours.to_str().unwrap()]);
    std::fs::copy(&ours, &theirs).unwrap();
    run("tabix", &["-p", "bed", theirs.to_str().unwrap()]);
    let find = |path: &Path, region: &str| run("tabix", &[path.to_str().unwrap(), region]);
    let names = |path: &Path| run("tabix", &["-l", path.to_str().unwrap()]);
    assert_eq!(names(&ours), b"chrA\nchr1\nchrB\n");
    assert_eq!(names(&ours), names(&theirs));
    let mut regions = vec!["chrA".to_owned(), "chr1".to_owned(), "chrB".to_owned()];
    for at in (0..5_000_000).step_by(160_001) {
        for len in [0, 20_000] {
            regions.push(format!("chrA:{}-{}", at + 1, at + 1 + len));
            regions.push(format!("chr1:{}-{}", 40 * at + 1, 40 * at + 1 + len * 9));
        }
    }
    let mut found = 0;
    for region in &regions {
        let lines = find(&ours, region);
        assert_eq!(lines, find(&theirs, region), "{region}");
        found += usize::from(!lines.is_empty());
    }
    assert!(found > 50, "{found}");
    assert_eq!(find(&ours, "chrA").iter().filter(|&&byte| byte == b'\n').count(), 30_000);
}

#[test]
fn files_of_bgzip_are_read() {
    if !have("bgzip") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f.tsv.gz");
    let mut whole = fragments();
    write(&whole, &path);
    let text = folder.path().join("f.tsv");
    std::fs::write(&text, gunzip(&std::fs::read(&path).unwrap())).unwrap();
    run("bgzip", &["-f", text.to_str().unwrap()]);
    let source = open(&path).unwrap();
    assert_eq!(source.about().container, "bgzip file");
    let back = read(&source, Options::default()).unwrap();
    assert_eq!(back.lines(), whole.lines());
    whole.batches.truncate(1);
    assert_ne!(back.lines(), whole.lines());
}

//! The example programs, on the example data.

#[path = "../../examples/columns.rs"]
mod columns;
#[path = "../../examples/convert.rs"]
mod convert;
#[path = "../../examples/open.rs"]
mod open;
#[path = "../../examples/slice.rs"]
mod slice;
#[path = "../../examples/write.rs"]
mod write;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

fn data() -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.join("examples/pbmc_10x_v3_mtx").to_str().unwrap().to_owned()
}

#[test]
fn examples_run() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let printed = |path: &str| {
        let mut out = Vec::new();
        open::run(path, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    };

    write::run(&at("small.bpcells")).unwrap();
    assert_eq!(
        printed(&at("small.bpcells")),
        "2 x 3 (BPCells matrix)\nuint32 values\nfirst of the rows: x\nfirst of the columns: a\n\
         0\t0\t5\n0\t2\t6\n1\t1\t7\n"
    );

    let progress = Arc::new(convert::Lines::default());
    let summary = convert::run(&data(), &at("pbmc.bpcells"), Arc::clone(&progress)).unwrap();
    assert_eq!(progress.entries.load(Ordering::Relaxed), summary.entries);

    let mut counts = Vec::new();
    columns::run(&at("pbmc.bpcells"), &mut counts).unwrap();
    let counts = String::from_utf8(counts).unwrap();
    let sum: u64 =
        counts.lines().map(|line| line.split_once('\t').unwrap().1.parse::<u64>().unwrap()).sum();
    assert_eq!(sum, summary.entries);
    assert!(columns::run(&at("small.bpcells"), &mut Vec::new()).is_err());

    slice::run(&data(), &at("some.bpcells"), "SOD1").unwrap();
    let shown = printed(&at("some.bpcells"));
    assert!(shown.starts_with("1 x 100 (BPCells matrix)\n"), "{shown}");
}

//! The pictures of `docs/plots.md` are those that the command draws.

use std::fs;
use std::path::PathBuf;

use nnz_testing::command::{run, testdata, text};

/// The name of each picture, and its source and options.
const PICTURES: [(&str, &str, &[&str]); 7] = [
    ("spy", "pbmc.bpcells", &[]),
    ("band", "band.mtx", &[]),
    ("cols", "pbmc.bpcells", &["--kind", "cols"]),
    ("rows", "pbmc.bpcells", &["--kind", "rows", "--measure", "sum"]),
    ("values", "pbmc.bpcells", &["--kind", "values"]),
    ("bits", "pbmc.bpcells", &["--kind", "bits"]),
    ("fragments", "pbmc.fragments", &[]),
];

/// A symmetric matrix with a band and an arrow.
fn band() -> String {
    let size = 200;
    let mut entries = Vec::new();
    for row in 1..=size {
        for col in 1..=row {
            if row - col < 8 || col < 4 {
                entries.push(format!("{row} {col} {}\n", row + col));
            }
        }
    }
    let header = "%%MatrixMarket matrix coordinate integer symmetric\n";
    format!("{header}{size} {size} {}\n{}", entries.len(), entries.concat())
}

/// Fragments of three chromosomes, with the periods of nucleosomes.
fn fragments() -> String {
    let mut random = nnz_testing::random::Random::new(7);
    let mut lines = String::new();
    for (chromosome, count) in [("chr1", 4000), ("chr2", 2500), ("chrX", 900)] {
        let mut start = 10_000;
        for _ in 0..count {
            start += 1 + random.below(2000);
            let nucleosomes = [0, 0, 0, 0, 1, 1, 2][random.below(7)];
            let spread = random.below(60) + random.below(60) + random.below(60);
            let end = start + 20 + 180 * nucleosomes + spread;
            lines.push_str(&format!("{chromosome}\t{start}\t{end}\tcell{}\n", random.below(20)));
        }
    }
    lines
}

#[test]
fn pictures_of_the_documentation_are_drawn_by_the_command() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let example = testdata().join("../examples/pbmc_10x_v3_mtx");
    run(&["-q", "convert", text(&example), text(&at("pbmc.bpcells"))]).good();
    fs::write(at("band.mtx"), band()).unwrap();
    fs::write(at("pbmc.tsv"), fragments()).unwrap();
    let store = at("pbmc.fragments");
    run(&["-q", "fragments", "import", text(&at("pbmc.tsv")), text(&store)]).good();
    let page = fs::read_to_string(testdata().join("../docs/plots.md")).unwrap();
    let kept = testdata().join("../docs/plots");
    let mut names: Vec<PathBuf> =
        fs::read_dir(&kept).unwrap().map(|entry| entry.unwrap().path()).collect();
    for (name, source, options) in PICTURES {
        let picture = at(&format!("{name}.svg"));
        let source = at(source);
        let words = [&["plot", text(&source), text(&picture)], options].concat();
        run(&words).good();
        let drawn = fs::read_to_string(&picture).unwrap();
        let expected = kept.join(format!("{name}.svg"));
        if std::env::var_os("NNZ_UPDATE").is_some() {
            fs::write(&expected, &drawn).unwrap();
        }
        let found = fs::read_to_string(&expected).unwrap_or_default();
        assert!(found == drawn, "{name}.svg differs; NNZ_UPDATE=1 replaces it");
        assert!(page.contains(&format!("(plots/{name}.svg)")), "{name} is not in docs/plots.md");
        names.retain(|path| *path != expected);
    }
    assert_eq!(names, [] as [PathBuf; 0], "unknown files");
}

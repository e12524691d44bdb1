//! Commands in the documentation and in `--help` run, and links lead to files and headings.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use nnz_testing::command::{program, run, testdata, text};

/// Maximum number of blocks that are not run.
const NOT_RUN: usize = 18;

/// Data of the examples of `--help`.
const FIXTURES: &str = r#"
mkdir filtered_feature_bc_matrix
printf '%%%%MatrixMarket matrix coordinate integer general\n3 3 4\n1 1 5\n2 1 3\n2 2 700\n3 3 900\n' > counts.mtx
cp counts.mtx filtered_feature_bc_matrix/matrix.mtx
printf 'ENSG01\tCD3E\tGene Expression\nENSG02\tCD8A\tGene Expression\nENSG03\tMS4A1\tGene Expression\n' \
    > filtered_feature_bc_matrix/features.tsv
printf 'AAAC-1\nAAAG-1\nAAAT-1\n' | tee barcodes.txt > filtered_feature_bc_matrix/barcodes.tsv
gzip -c barcodes.txt > barcodes.tsv.gz
printf 'ENSG01\nENSG03\n' > genes.txt
printf 'AAAG-1\n' > tumor.txt
printf 'cell,sample,tissue,n_counts\nAAAC-1,a,blood,8\nAAAG-1,a,tumor,700\nAAAT-1,b,tumor,900\n' > cells_in.csv
printf 'id,age,score\n1,0.5,3\n2,1.5,4\n' > people.csv
printf 'chr1\t10000\t10200\tAAAC-1\t1\nchr1\t12000\t12100\tAAAG-1\t1\nchrX\t5\t80\tAAAC-1\t1\n' > fragments.tsv
printf 'chrX\t5\t80\tAAAC-1\t1\nchr1\t12000\t12100\tAAAG-1\t1\nchr1\t10000\t10200\tAAAC-1\t1\n' > unsorted.tsv
gzip -c fragments.tsv > fragments.tsv.gz
printf 'chr1\t0\t11000\nchrX\t0\t100\n' > peaks.bed
printf 'chr1\t20000\nchrX\t1000\n' > hg38.chrom.sizes
printf ',AAAC-1,AAAG-1\nENSG01,5,0\nENSG02,3,700\n' | gzip > counts.csv.gz
printf ',AAAC-1,AAAG-1\nchr1:100-200,5,0\nchr1:300-400,3,7\n' > peaks.csv
mkdir -p "$HOME/.local/share/bash-completion/completions"
nnz convert -q filtered_feature_bc_matrix study.h5ad --col-annotations cells_in.csv
"#;

/// Additional data of the examples of a verb.
const BEFORE: [(&str, &str); 32] = [
    ("info", PBMC),
    ("cat", PBMC),
    ("head", PBMC),
    ("names", PBMC),
    ("transpose", PBMC),
    (
        "slice",
        "nnz convert -q examples/pbmc_10x_v3_mtx pbmc.bpcells
         nnz names pbmc.bpcells cols | tail -5 > barcodes.txt
         nnz names pbmc.bpcells rows | tail -5 > genes.txt",
    ),
    (
        "filter",
        "printf '%%%%MatrixMarket matrix coordinate integer general\\n300 4 1200\\n' > many.mtx
         for row in $(seq 300); do printf \"$row %d 1\\n\" 1 2 3 4; done >> many.mtx
         nnz convert -q many.mtx pbmc.bpcells
         sed -i s/CD8A/MT-CO1/ filtered_feature_bc_matrix/features.tsv
         printf 'cell,batch\\nAAAC-1,B\\nAAAT-1,A\\n' > batches.csv
         nnz convert -q --force filtered_feature_bc_matrix study.h5ad --col-annotations batches.csv
         nnz convert -q filtered_feature_bc_matrix study.h5ad::layers/counts --to anndata",
    ),
    (
        "sample",
        "nnz convert -q examples/pbmc_10x_v3_mtx pbmc.bpcells
         printf '%%%%MatrixMarket matrix coordinate integer general\\n10000 2 1\\n1 1 5\\n' > atlas.mtx
         nnz convert -q atlas.mtx atlas.h5ad",
    ),
    ("validate", PBMC),
    ("stats", PBMC),
    ("plot", PBMC),
    (
        "concat",
        "for day in monday tuesday; do nnz convert -q counts.mtx $day.bpcells; done
         for file in a b; do nnz convert -q study.h5ad $file.h5ad; done",
    ),
    ("normalize", PBMC),
    (
        "aggregate",
        "nnz convert -q filtered_feature_bc_matrix pbmc.bpcells
         printf 'cell,cluster\\nAAAC-1,1\\nAAAT-1,2\\n' > clusters.csv",
    ),
    (
        "pca",
        "nnz convert -q examples/pbmc_10x_v3_mtx pbmc.bpcells
         nnz normalize -q pbmc.bpcells normalized.h5ad
         nnz convert -q pbmc.bpcells study.h5ad --force
         nnz hvg study.h5ad --into study.h5ad --target-sum 1e4 --log1p --top 100",
    ),
    (
        "qc",
        "sed -i 's/CD8A/MT-CO1/;s/MS4A1/RPS4X/' filtered_feature_bc_matrix/features.tsv
         nnz convert -q filtered_feature_bc_matrix pbmc.bpcells --row-names name
         nnz convert -q --force filtered_feature_bc_matrix study.h5ad",
    ),
    (
        "hvg",
        "nnz convert -q examples/pbmc_10x_v3_mtx pbmc.bpcells
         nnz convert -q pbmc.bpcells counts.h5ad",
    ),
    (
        "markers",
        "nnz convert -q filtered_feature_bc_matrix pbmc.bpcells
         printf 'cell,cluster\\nAAAC-1,1\\nAAAT-1,1\\n' > clusters.csv
         nnz normalize -q pbmc.bpcells normalized.h5ad --col-annotations clusters.csv --log1p",
    ),
    (
        "edit",
        "nnz convert -q filtered_feature_bc_matrix study.h5ad::layers/raw --to anndata
         printf 'cell,cluster\\nAAAC-1,1\\nAAAG-1,2\\nAAAT-1,2\\n' > clusters.csv
         printf 'cell,donor\\nAAAC-1,d1\\nAAAG-1,d2\\nAAAT-1,d1\\n' > donors.csv
         nnz convert -q study.h5ad cite.h5mu --modality rna",
    ),
    (
        "split",
        "printf 'cell,cluster\\nAAAC-1,1\\nAAAG-1,2\\nAAAT-1,2\\n' > clusters.csv
         printf 'cell,cell_type\\nAAAC-1,T\\nAAAG-1,B\\nAAAT-1,T\\n' > types.csv
         nnz convert -q filtered_feature_bc_matrix rna.h5ad --col-annotations types.csv
         nnz convert -q rna.h5ad cite.h5mu",
    ),
    ("repair", "nnz convert -q study.h5ad broken.h5ad"),
    (
        "diff",
        "nnz convert -q counts.mtx counts.bpcells
         nnz convert -q filtered_feature_bc_matrix pbmc.bpcells
         nnz convert -q pbmc.bpcells packed.bpcells --reorder rows=frequency
         for file in before after; do nnz convert -q study.h5ad $file.h5ad; done",
    ),
    (
        "fragments export",
        "nnz fragments import -q fragments.tsv pbmc.fragments
         rm fragments.tsv.gz",
    ),
    ("fragments query", STORE),
    (
        "fragments select",
        "nnz fragments import -q fragments.tsv pbmc.fragments
         printf 'AAAC-1\\n' > barcodes.txt",
    ),
    ("fragments count", STORE),
    (
        "fragments merge",
        "for day in monday tuesday; do nnz fragments import -q fragments.tsv $day.fragments; done",
    ),
    (
        "report",
        "nnz convert -q filtered_feature_bc_matrix pbmc.bpcells
         nnz convert -q pbmc.bpcells other.bpcells",
    ),
    ("annotations", "nnz convert -q peaks.csv peaks.bpcells; rm peaks.bed"),
    ("man", ""),
    ("completions", ""),
    ("convert", ""),
];
const PBMC: &str = "nnz convert -q filtered_feature_bc_matrix pbmc.bpcells";
const STORE: &str = "nnz fragments import -q fragments.tsv pbmc.fragments";

fn root() -> PathBuf {
    testdata().join("..").canonicalize().unwrap()
}

/// Returns the pages of the documentation, relative to the root.
fn pages() -> Vec<PathBuf> {
    fn walk(directory: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                found.push(path);
            }
        }
    }
    let root = root();
    let mut found = vec![root.join("README.md"), root.join("python/README.md")];
    walk(&root.join("docs"), &mut found);
    found.sort();
    found.iter().map(|page| page.strip_prefix(&root).unwrap().to_path_buf()).collect()
}

/// A part of a page that is executed or read.
enum PagePart<'a> {
    /// A block, with the text after its fence and its lines.
    Block(&'a str, Vec<&'a str>),
    Line(&'a str),
}

fn parts(page: &str) -> Vec<PagePart<'_>> {
    let (mut parts, mut lines) = (Vec::new(), page.lines());
    while let Some(line) = lines.next() {
        match line.strip_prefix("```") {
            None => parts.push(PagePart::Line(line)),
            Some(info) => {
                parts.push(PagePart::Block(
                    info,
                    lines.by_ref().take_while(|l| *l != "```").collect(),
                ));
            }
        }
    }
    parts
}

/// A directory with the data of the repository, in which commands run.
struct Scratch(tempfile::TempDir);

impl Scratch {
    fn new() -> Self {
        let scratch = tempfile::tempdir().unwrap();
        for name in ["examples", "testdata"] {
            std::os::unix::fs::symlink(root().join(name), scratch.path().join(name)).unwrap();
        }
        Self(scratch)
    }

    /// Runs a script and returns what it prints.
    fn run(&self, script: &str, place: &str) -> String {
        let nnz = program("nnz");
        let bin = nnz.parent().unwrap();
        let done = Command::new("bash")
            .args(["-eu", "-c", script])
            .current_dir(self.0.path())
            .env("PATH", format!("{}:{}", text(bin), std::env::var("PATH").unwrap()))
            .env("HOME", self.0.path())
            .env_remove("TMPDIR")
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let message = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success(), "{place}: {script}\n{}: {message}", done.status);
        String::from_utf8(done.stdout).unwrap()
    }
}

/// Returns the commands in the cells of a row of a table: cells with one command in backticks.
fn commands_of_row(line: &str) -> impl Iterator<Item = String> {
    let line = if line.starts_with('|') { line } else { "" };
    let line = line.replace("\\|", "\0");
    let cells: Vec<String> = line.split('|').map(|cell| cell.trim().replace('\0', "|")).collect();
    cells.into_iter().filter_map(|cell| {
        let command = cell.strip_prefix('`')?.strip_suffix('`')?;
        let runs = command.starts_with("nnz ") && !command.contains('`');
        runs.then(|| command.to_owned())
    })
}

#[test]
fn commands_of_all_pages_run() {
    let mut not_run = Vec::new();
    for page in pages() {
        let content = fs::read_to_string(root().join(&page)).unwrap();
        let place = page.display().to_string();
        let scratch = Scratch::new();
        for part in parts(&content) {
            let (info, lines) = match part {
                PagePart::Block(info, lines) => (info, lines),
                PagePart::Line(line) => {
                    commands_of_row(line).for_each(|command| drop(scratch.run(&command, &place)));
                    continue;
                }
            };
            match info {
                "sh" => drop(scratch.run(&lines.join("\n"), &place)),
                "console" => session(&scratch, &lines, &place),
                // python/tests/test_docs.py executes Python, the tests of the R package R, and the documentation tests of nnz
                // Rust.
                "python" | "pycon" | "r" | "r bioconductor" | "text" | "json" | "rust"
                | "rust,no_run" => {}
                _ => match info
                    .split_once(" no-run: ")
                    .filter(|(of, _)| ["sh", "python"].contains(of))
                {
                    Some((_, reason)) if !reason.is_empty() => {
                        not_run.push((place.clone(), reason.to_owned()))
                    }
                    _ => panic!("{place}: a block {info:?} is not run, without a reason"),
                },
            }
        }
    }
    assert!(not_run.len() <= NOT_RUN, "too many blocks are not run: {not_run:#?}");
}

/// Runs each line after a `$`, which prints the lines that follow.
fn session(scratch: &Scratch, lines: &[&str], place: &str) {
    assert!(lines.first().is_some_and(|line| line.starts_with("$ ")), "{place}: {lines:?}");
    for group in lines.chunk_by(|_, next| !next.starts_with("$ ")) {
        let command = group[0].strip_prefix("$ ").unwrap();
        let expected: String = group[1..].iter().map(|line| format!("{line}\n")).collect();
        let printed = scratch.run(command, place);
        assert_eq!(printed, expected, "{place}: {command}");
    }
}

/// Returns the verbs, including the verbs of `fragments`.
fn verbs() -> Vec<String> {
    let list = |arguments: &[&str]| {
        let help = run(arguments).good();
        let (_, commands) = help.split_once("Commands:\n").unwrap();
        let (commands, _) = commands.split_once("\n\n").unwrap();
        let lines = commands.lines().filter_map(|line| line.strip_prefix("  "));
        let names = lines.filter(|line| !line.starts_with(' '));
        names.map(|line| line.split(' ').next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let mut verbs = list(&["--help"]);
    verbs.retain(|verb| verb != "fragments");
    let fragments = list(&["fragments", "--help"]);
    verbs.extend(fragments.iter().filter(|v| *v != "help").map(|v| format!("fragments {v}")));
    verbs
}

#[test]
fn examples_of_the_help_run() {
    let mut found = 0;
    for verb in verbs() {
        let words: Vec<&str> = verb.split(' ').chain(["--help"]).collect();
        let help = run(&words).good();
        let (_, examples) =
            help.split_once("\nExample").unwrap_or_else(|| panic!("{verb}: {help}"));
        let examples = examples.split_once(":\n").unwrap().1;
        let scratch = Scratch::new();
        scratch.run(FIXTURES, &verb);
        let before = BEFORE.iter().filter(|(name, _)| *name == verb);
        before.for_each(|(_, script)| drop(scratch.run(script, &verb)));
        for example in examples.lines().map_while(|line| line.strip_prefix("  nnz ")) {
            scratch.run(&format!("nnz {example}"), &verb);
            found += 1;
        }
    }
    assert!(found > 35, "{found} examples");
}

/// Returns the targets of the links of a page, outside of code.
fn links(page: &str) -> Vec<String> {
    let mut prose = String::new();
    for part in parts(page) {
        if let PagePart::Line(line) = part {
            // Text in backticks is code.
            prose.extend(line.split('`').step_by(2));
            prose.push('\n');
        }
    }
    let targets = prose.split("](").skip(1);
    targets.filter_map(|rest| Some(rest.split_once(')')?.0.to_owned())).collect()
}

/// Returns the anchors of the headings of a page.
fn anchors(page: &str) -> BTreeSet<String> {
    let mut anchors = BTreeSet::new();
    for part in parts(page) {
        let PagePart::Line(line) = part else { continue };
        let Some((_, heading)) = line.split_once("# ").filter(|_| line.starts_with('#')) else {
            continue;
        };
        let kept = heading.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        anchors.insert(kept.collect::<String>().to_lowercase().replace(' ', "-"));
    }
    anchors
}

#[test]
fn links_lead_to_files_and_headings() {
    let root = root();
    for page in pages() {
        let content = fs::read_to_string(root.join(&page)).unwrap();
        for link in links(&content).iter().filter(|link| !link.contains("://")) {
            let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = match path {
                "" => root.join(&page),
                path => root.join(&page).parent().unwrap().join(path),
            };
            let place = format!("{}: {link}", page.display());
            let target = target.canonicalize().unwrap_or_else(|error| panic!("{place}: {error}"));
            // Pages are also a book, which only has files of its directory.
            assert!(!page.starts_with("docs") || target.starts_with(root.join("docs")), "{place}");
            if !anchor.is_empty() {
                assert!(anchors(&fs::read_to_string(target).unwrap()).contains(anchor), "{place}");
            }
        }
    }
}

#[test]
fn the_summary_lists_all_pages() {
    let docs = root().join("docs");
    let summary = fs::read_to_string(docs.join("SUMMARY.md")).unwrap();
    let mut listed = links(&summary);
    listed.sort();
    let pages = pages();
    let inside = pages.iter().filter_map(|page| page.strip_prefix("docs").ok());
    let mut there: Vec<_> = inside.map(|page| text(page).to_owned()).collect();
    there.retain(|page| page != "SUMMARY.md");
    there.sort();
    assert_eq!(listed, there, "docs/SUMMARY.md lists each page once");
}

#[test]
fn the_readme_is_short_and_shows_the_output_of_its_first_command() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    assert!(readme.len() < 9000, "{} bytes", readme.len());

    let (_, rest) = readme.split_once("\ncargo run --release -- ").unwrap();
    let (arguments, rest) = rest.split_once('\n').unwrap();
    let (_, rest) = rest.split_once("```text\n").unwrap();
    let (shown, _) = rest.split_once("```").unwrap();
    let printed = Scratch::new().run(&format!("nnz {arguments} 2>&1"), "README.md");
    // The last line has the time.
    let but_last = |text: &str| text.trim_end().rsplit_once('\n').unwrap().0.to_owned();
    assert_eq!(but_last(&printed), but_last(shown));
}

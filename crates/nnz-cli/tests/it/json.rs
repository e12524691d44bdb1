//! JSON output has exactly the keys of `docs/json.md`. `stats` as CSV.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use nnz_testing::command::{run, testdata, text};
use serde_json::Value;

/// The type of each key, by section of the page.
type Sections = BTreeMap<String, BTreeMap<String, String>>;

fn documented() -> Sections {
    let page = fs::read_to_string(testdata().join("../docs/json.md")).unwrap();
    let mut sections = Sections::new();
    let mut section = String::new();
    for line in page.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            section = title.to_owned();
        }
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        if let ["", key, kind, meaning, ""] = cells[..]
            && let Some(key) = key.strip_prefix('`').and_then(|key| key.strip_suffix('`'))
        {
            assert!(!meaning.is_empty(), "{line}");
            let keys = sections.entry(section.clone()).or_default();
            assert!(keys.insert(key.to_owned(), kind.to_owned()).is_none(), "{line}");
        }
    }
    sections
}

fn is_of_type(value: &Value, kind: &str) -> bool {
    let kind = kind.strip_suffix(", optional").unwrap_or(kind);
    kind.split(" or ").any(|kind| match kind {
        "string" => value.is_string(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "object" => value.is_object(),
        "array" => value.is_array(),
        "array of strings" => value.as_array().is_some_and(|all| all.iter().all(Value::is_string)),
        other => panic!("unknown type {other}"),
    })
}

/// Compares the keys of an object with the page, and records them.
fn check(
    object: &Value,
    prefix: &str,
    keys: &BTreeMap<String, String>,
    seen: &mut BTreeSet<String>,
) {
    let object = object.as_object().unwrap();
    for (key, value) in object {
        let key = format!("{prefix}{key}");
        let kind = keys.get(&key).unwrap_or_else(|| panic!("{key} is not documented"));
        assert!(is_of_type(value, kind), "{key}: {value} is not a {kind}");
        match value {
            Value::Object(_) => check(value, &format!("{key}."), keys, seen),
            Value::Array(all) => {
                for inner in all.iter().filter(|inner| inner.is_object()) {
                    check(inner, &format!("{key}[]."), keys, seen);
                }
            }
            _ => {}
        }
        seen.insert(key);
    }
    // Keys that are not optional are always present.
    for (key, kind) in keys {
        let Some(inner) = key.strip_prefix(prefix) else { continue };
        if !inner.contains(['.', '[']) && !kind.ends_with(", optional") {
            assert!(object.contains_key(inner), "{key} is missing");
        }
    }
}

/// All files and stores of a folder of the test data.
fn entries(folder: &str) -> Vec<String> {
    let mut all: Vec<String> = fs::read_dir(testdata().join(folder))
        .unwrap()
        .map(|entry| text(&entry.unwrap().path()).to_owned())
        .collect();
    all.sort();
    all
}

#[test]
fn printed_keys_are_those_of_the_documentation() {
    let sections = documented();
    let mut seen: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut hold = |section: &str, schema: &str, json: &str| {
        let json: Value = serde_json::from_str(json).unwrap();
        assert_eq!(json["schema"], schema);
        check(&json, "", &sections[section], seen.entry(section.to_owned()).or_default());
    };
    let scratch = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&scratch.path().join(name)).to_owned();
    let folders = [
        "anndata/valid/0.12.19/h5ad",
        "bpcells/matrix_dir",
        "bpcells/matrix_rds",
        "bpcells/fragments_dir",
        "daphne",
        "rds",
        "matrix-market/valid",
        "tenx/h5",
    ];
    let mut sources: Vec<String> = folders.into_iter().flat_map(entries).collect();
    let small = "%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 1 5\n";
    fs::write(at("small.mtx"), small).unwrap();
    for group in ["a", "b"] {
        let to = format!("{}::{group}", at("two.h5"));
        run(&["-q", "convert", &at("small.mtx"), &to, "--to", "CSR"]).good();
    }
    sources.push(format!("{}::a", at("two.h5")));
    let manifest = fs::read(testdata().join("binsparse/manifest.json")).unwrap();
    let manifest: Value = serde_json::from_slice(&manifest).unwrap();
    for entry in manifest["entries"].as_array().unwrap() {
        let path = entry["path"].as_str().unwrap();
        if path.starts_with("valid/") {
            let group = entry["group"].as_str().unwrap_or("/");
            let group = if group == "/" { String::new() } else { format!("::{group}") };
            sources.push(format!("{}{group}", text(&testdata().join("binsparse").join(path))));
        }
    }
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    for source in &sources {
        let done = run(&["info", "--json", source]);
        if done.code == Some(0) {
            let json: Value = serde_json::from_str(&done.out).unwrap();
            let kind = json["kind"].as_str().unwrap();
            *kinds.entry(kind.to_owned()).or_default() += 1;
            let section = match kind {
                "frame" => "info: frames",
                "fragments" => "info: fragments",
                "file" => "info: files of several matrices",
                _ => "info: matrices, vectors and tensors",
            };
            hold(section, "nnz-info/1", &done.out);
        }
        let done = run(&["validate", "--json", source]);
        if done.code != Some(2) {
            hold("validate", "nnz-validate/1", &done.out);
        }
    }
    for kind in ["matrix", "vector", "tensor", "frame", "fragments", "file"] {
        assert!(kinds.get(kind).is_some_and(|&count| count > 1), "{kinds:?}");
    }
    let named = testdata().join("../examples/pbmc_10x_v3_mtx");
    for source in [text(&named), &at("small.mtx")] {
        for measures in ["nnz", "sums", "all"] {
            for axes in [&[][..], &["--axis", "rows"], &["--axis", "rows", "--axis", "cols"]] {
                let flags = ["stats", "--json", source, "--measures", measures, "--cols", "0,1"];
                hold("stats", "nnz-stats/1", &run(&[&flags[..], axes].concat()).good());
            }
        }
    }
    let study = testdata().join("anndata/valid/0.12.19/h5ad/full_csr.h5ad");
    run(&["-q", "slice", text(&study), &at("moved.h5ad"), "--rows", "1,0,2:"]).good();
    for item in ["", "::X"] {
        let [a, b] = [text(&study), &at("moved.h5ad")].map(|file| format!("{file}{item}"));
        let done = run(&["diff", "--json", &a, &b]);
        assert_eq!(done.code, Some(1), "{done:?}");
        hold("diff", "nnz-diff/1", &done.out);
    }
    let real = "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 -0.5\n1 2 20\n";
    fs::write(at("real.mtx"), real).unwrap();
    run(&["-q", "convert", text(&named), &at("packed.bpcells")]).good();
    let fragments = entries("bpcells/fragments_dir").remove(0);
    for (section, source, kind) in [
        ("plot: spy", at("real.mtx"), "spy"),
        ("plot: rows and columns", at("real.mtx"), "rows"),
        ("plot: values", at("real.mtx"), "values"),
        ("plot: bits", at("packed.bpcells"), "bits"),
        ("plot: fragments", fragments, "fragments"),
    ] {
        hold(section, "nnz-plot/2", &run(&["plot", "--json", &source, "--kind", kind]).good());
    }
    let barcodes = run(&["names", text(&named), "cols"]).good();
    let kinds = barcodes.lines().take(5).map(|name| format!("{name},T\n"));
    fs::write(at("kinds.csv"), format!("cell,kind\n{}", kinds.collect::<String>())).unwrap();
    let grouped =
        ["-q", "convert", text(&named), &at("grouped.h5ad"), "--col-annotations", &at("kinds.csv")];
    run(&grouped).good();
    for (number, command) in [
        &["convert", text(&named)][..],
        &["transpose", text(&named)],
        &["slice", text(&study), "--rows", "0:2"],
        &["filter", text(&named), "--cells", "nnz>=20", "--cells", "nnz<=500"],
        &["sample", text(&named), "--cells", "5"],
        &["concat", &at("small.mtx"), &at("small.mtx"), "--axis", "rows"],
        &["normalize", text(&named), "--target-sum", "100"],
        &["aggregate", text(&named), "--by", "feature_type", "--axis", "features"],
        &["pca", text(&named), "--components", "2"],
        &["markers", &at("grouped.h5ad"), "--by", "kind"],
    ]
    .iter()
    .enumerate()
    {
        let extension = match command[0] {
            "pca" => "npz",
            "markers" => "csv",
            _ => "h5ad",
        };
        let target = at(&format!("written{number}.{extension}"));
        let (sources, options): (Vec<&str>, Vec<&str>) =
            command[1..].iter().partition(|word| word.contains(std::path::MAIN_SEPARATOR));
        let words = [&[command[0], "--json"][..], &sources, &[&target], &options].concat();
        let done = run(&words);
        assert!(done.code == Some(0) && done.err.is_empty(), "{done:?}");
        hold("written", "nnz-written/1", &done.out);
        let json: Value = serde_json::from_str(&done.out).unwrap();
        assert_eq!(json["target"].as_str(), Some(&*target));
    }
    let mixed = run(&["convert", "--json", text(&named), "-"]);
    assert!(mixed.err.contains("where the matrix is written"), "{mixed:?}");
    hold("formats", "nnz-formats/1", &run(&["formats", "--json"]).good());
    for (section, keys) in &sections {
        let unseen: Vec<_> = keys.keys().filter(|key| !seen[section].contains(*key)).collect();
        assert!(unseen.is_empty(), "{section}: {unseen:?}");
    }
}

#[test]
fn stats_as_csv_have_one_table_with_quoted_names() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().join("m");
    fs::create_dir(&folder).unwrap();
    let write = |name: &str, content: &str| fs::write(folder.join(name), content).unwrap();
    write("matrix.mtx", "%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 1 5\n2 2 7\n");
    write("genes.tsv", "a,\"b\"\nc\n");
    write("barcodes.tsv", "x\ny\n");
    let csv =
        |source: &Path, flags: &[&str]| run(&[&["stats", text(source), "--csv"], flags].concat());
    let rows = csv(&folder, &["--axis", "rows"]).good();
    let expected = "row,name,nnz,sum,mean,variance,min,max\n\
                    0,\"a,\"\"b\"\"\",1,5,2.5,12.5,0,5\n1,c,1,7,3.5,24.5,0,7\n";
    assert_eq!(rows, expected);
    let whole = csv(&folder, &["--measures", "sums", "--rows", "1"]).good();
    assert_eq!(whole, "nnz,sum,mean\n1,7,3.5\n");
    // Without elements, there is no minimum.
    let none = csv(&folder, &["--rows", "0:0", "--allow-empty", "--axis", "cols"]).good();
    assert!(none.lines().nth(1).unwrap().ends_with(",,"), "{none}");
    assert_eq!(csv(&folder, &["--axis", "rows", "--axis", "cols"]).code, Some(2));
    assert_eq!(csv(&folder, &["--json"]).code, Some(2));
}

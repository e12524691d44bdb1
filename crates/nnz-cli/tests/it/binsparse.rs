//! Binsparse on the command line, compared with files of other programs.

use std::fs;
use std::path::Path;

use nnz_testing::command::{run, testdata, text};
use nnz_testing::number::{float32, float64};
use serde_json::Value;

/// The entries of the manifest below a folder.
fn listed(folder: &str) -> Vec<Value> {
    let manifest = fs::read(testdata().join("binsparse/manifest.json")).unwrap();
    let manifest: Value = serde_json::from_slice(&manifest).unwrap();
    let all = manifest["entries"].as_array().unwrap().iter();
    all.filter(|entry| entry["path"].as_str().unwrap().starts_with(folder)).cloned().collect()
}

/// The argument of a file, with its group unless it is the only one.
fn place(entry: &Value) -> String {
    let path = testdata().join("binsparse").join(entry["path"].as_str().unwrap());
    let group = entry["group"].as_str().unwrap_or("/");
    let several = entry["path"].as_str().unwrap().contains("multi");
    let path = text(&path);
    if several || group != "/" { format!("{path}::{group}") } else { path.to_owned() }
}

/// A value of the manifest as `cat` prints it.
fn value(value_type: &str, value: &Value) -> String {
    let real = |value: &Value, narrow: bool| match value {
        // Values that are not numbers are listed by the names that are printed.
        Value::String(name) => name.clone(),
        number if narrow => float32(number.as_f64().unwrap() as f32),
        number => float64(number.as_f64().unwrap()),
    };
    match value_type {
        "float32" => real(value, true),
        "float64" => real(value, false),
        "complex[float32]" => format!("{}\t{}", real(&value[0], true), real(&value[1], true)),
        "complex[float64]" => format!("{}\t{}", real(&value[0], false), real(&value[1], false)),
        _ => value.to_string(),
    }
}

/// The entries of the manifest as lines, sorted.
fn lines(entry: &Value, which: &str) -> Vec<String> {
    let expected = &entry["expected"];
    let value_type = expected["value_type"].as_str().unwrap();
    let line = |fields: &Value| {
        let (last, indices) = fields.as_array().unwrap().split_last().unwrap();
        let indices: String = indices.iter().map(|index| format!("{index}\t")).collect();
        indices + &value(value_type, last)
    };
    let mut lines: Vec<_> = expected[which].as_array().unwrap().iter().map(line).collect();
    lines.sort();
    lines
}

/// The sorted output of a file. If a float has two shortest representations, either may be printed.
fn sorted(printed: &str, entry: &Value) -> Vec<String> {
    let expected = &entry["expected"];
    let rank = expected["shape"].as_array().unwrap().len();
    let value_type = expected["value_type"].as_str().unwrap();
    let again = |(at, field): (usize, &str)| match value_type {
        "float32" | "complex[float32]" if at >= rank => float32(field.parse().unwrap()),
        "float64" | "complex[float64]" if at >= rank => float64(field.parse().unwrap()),
        _ => field.to_owned(),
    };
    let line = |line: &str| line.split('\t').enumerate().map(again).collect::<Vec<_>>().join("\t");
    let mut lines: Vec<_> = printed.lines().map(line).collect();
    lines.sort();
    lines
}

#[test]
fn all_files_are_printed_exactly_and_valid() {
    let all = listed("valid/");
    assert_eq!(all.len(), 517);
    for entry in all {
        let place = place(&entry);
        assert_eq!(
            sorted(&run(&["cat", &place]).good(), &entry),
            lines(&entry, "entries"),
            "{place}"
        );
        let info = run(&["info", "--json", &place]);
        let info: Value = serde_json::from_str(&info.good()).unwrap();
        let expected = &entry["expected"];
        assert_eq!(info["type"].as_str(), None);
        assert_eq!(info["value_type"], expected["value_type"], "{place}");
        assert_eq!(info["iso"], expected["iso"], "{place}");
        let shape = expected["shape"].as_array().unwrap();
        let found = match &info["shape"] {
            Value::Null => vec![info["rows"].clone(), info["cols"].clone()],
            shape => shape.as_array().unwrap().clone(),
        };
        assert_eq!(&found, shape, "{place}");
        let valid = run(&["validate", &place]);
        assert_eq!((valid.code, &*valid.out), (Some(0), ""), "{place}: {valid:?}");
    }
}

#[test]
fn structures_are_expanded() {
    let mut seen = 0;
    for entry in listed("valid/") {
        let expanded = &entry["expected"]["entries_expanded"];
        if entry["expected"]["shape"].as_array().unwrap().len() == 2 && !expanded.is_null() {
            let place = place(&entry);
            let printed = run(&["cat", "--expand", &place]);
            let printed = sorted(&printed.good(), &entry);
            assert_eq!(printed, lines(&entry, "entries_expanded"), "{place}");
            seen += 1;
        }
    }
    assert!(seen > 30, "{seen}");
}

#[test]
fn malformed_files_are_refused_with_their_path() {
    let all = listed("malformed/");
    assert_eq!(all.len(), 137);
    for entry in all.iter().filter(|entry| entry["severity"] == "must_reject") {
        let place = place(entry);
        let refused = run(&["validate", &place]);
        assert_eq!(refused.code, Some(1), "{place}: {refused:?}");
        let output = refused.out + &refused.err;
        assert!(output.contains(&place), "{place}: {output}");
        assert!(!output.contains("panicked"), "{output}");
    }
}

/// Converts, and compares the result with the source.
fn there_and_back(from: &str, to: &Path, more: &[&str]) {
    let to = text(to);
    run(&[&["convert", "--quiet", "--force", from, to][..], more].concat()).good();
    assert_eq!(run(&["diff", from, to]).good(), "", "{from} {to} {more:?}");
    assert_eq!(run(&["validate", to]).good(), "", "{from} {to} {more:?}");
}

const TARGETS: &[&str] = &["a.bsp", "a.bsp.npz", "a.zarr", "a.nc", "a.bsp.h5"];

#[test]
fn matrices_round_trip_through_all_formats_and_containers() {
    let folder = tempfile::tempdir().unwrap();
    let formats = ["CSR", "CSC", "DCSR", "DCSC", "COOR", "COOC", "DMATR", "DMATC"];
    let trees = ["sparse(dense(element))", "dense2(element)", "sparse2(element) transposed 1 0"];
    for source in ["csr_float64", "coor_complex_float64", "csc_float64", "dcsr_float64"] {
        let source = testdata().join(format!("binsparse/valid/py/{source}.bsp.h5"));
        let source = text(&source);
        for (number, format) in formats.iter().chain(&trees).enumerate() {
            let target = folder.path().join(TARGETS[number % TARGETS.len()]);
            there_and_back(source, &target, &["--to", format]);
        }
    }
}

#[test]
fn matrices_are_converted_to_other_formats() {
    let folder = tempfile::tempdir().unwrap();
    let source = testdata().join("binsparse/valid/py/csr_float64.bsp.h5");
    let store = folder.path().join("a.bpcells");
    there_and_back(text(&source), &store, &["--type", "double"]);
    there_and_back(text(&store), &folder.path().join("a.bsp.npz"), &[]);
    let text_file = folder.path().join("a.mtx");
    there_and_back(text(&source), &text_file, &[]);
    there_and_back(text(&text_file), &folder.path().join("a.zarr"), &["--to", "DCSC"]);
    for target in TARGETS {
        there_and_back(text(&store), &folder.path().join(target), &["--to", "bpcells"]);
    }
}

#[test]
fn vectors_and_tensors_keep_their_dimensions() {
    let folder = tempfile::tempdir().unwrap();
    let mut seen = 0;
    for (number, entry) in listed("valid/").iter().enumerate() {
        let rank = entry["expected"]["shape"].as_array().unwrap().len();
        let huge = entry["path"].as_str().unwrap().contains("huge");
        if rank == 2 || entry["container"] != "hdf5" || huge || number % 3 != 0 {
            continue;
        }
        let (from, to) = (place(entry), folder.path().join(TARGETS[number % TARGETS.len()]));
        run(&["convert", "--quiet", "--force", &from, text(&to)]).good();
        let printed = run(&["cat", text(&to)]);
        assert_eq!(sorted(&printed.good(), entry), lines(entry, "entries"), "{from}");
        assert_eq!(run(&["diff", &from, text(&to)]).good(), "", "{from}");
        seen += 1;
    }
    assert!(seen > 20, "{seen}");
}

#[test]
fn fill_values_are_kept_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let source = testdata().join("binsparse/valid/hand/csr_fill_float64.bsp.h5");
    there_and_back(text(&source), &folder.path().join("a.zarr"), &["--to", "COOC"]);
    let info = run(&["info", "--json", text(&folder.path().join("a.zarr"))]);
    let info: Value = serde_json::from_str(&info.good()).unwrap();
    assert!(info["fill"].is_string(), "{info}");
    for target in ["a.mtx", "a.bpcells"] {
        let refused = run(&["convert", text(&source), text(&folder.path().join(target))]);
        assert_eq!(refused.code, Some(1));
        assert!(refused.err.contains("the fill value is"), "{}", refused.err);
    }
    assert_eq!(run(&["stats", text(&source)]).code, Some(1));
}

#[test]
fn keys_of_users_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let source = testdata().join("binsparse/valid/c/csr_float64.bsp.h5");
    let target = folder.path().join("a.bsp");
    run(&["convert", "--quiet", text(&source), text(&target)]).good();
    let kept = fs::read_to_string(target.join("binsparse.json")).unwrap();
    assert!(kept.contains("\"source\":\"golden\""), "{kept}");
    let dropped = run(&["convert", text(&source), text(&folder.path().join("a.mtx"))]);
    assert!(dropped.err.contains("the metadata key \"source\""), "{}", dropped.err);
}

#[test]
fn structures_are_found_on_request() {
    let directory = tempfile::tempdir().unwrap();
    let [source, target] = ["a.mtx", "b.bsp.h5"].map(|name| directory.path().join(name));
    let lines = "coordinate integer general\n3 3 5\n1 1 1\n2 1 4\n1 2 4\n3 2 5\n2 3 5\n";
    fs::write(&source, format!("%%MatrixMarket matrix {lines}")).unwrap();
    let (source, target) = (text(&source), text(&target));
    for (how, structure, stored) in
        [("auto", "symmetric (lower)", 3), ("keep", "general", 5), ("general", "general", 5)]
    {
        run(&["convert", "--quiet", source, target, "--structure", how, "--force"]).good();
        let info: Value = serde_json::from_str(&run(&["info", "--json", target]).good()).unwrap();
        assert_eq!(info["structure"], structure, "{how}");
        assert_eq!(info["stored"], stored, "{how}");
        run(&["diff", source, target]).good();
    }
    let both = run(&["convert", source, target, "--force", "--structure", "auto", "--expand"]);
    assert_eq!(both.code, Some(2), "{both:?}");
}

#[test]
fn tensors_of_different_types_are_compared_by_number() {
    let folder = tempfile::tempdir().unwrap();
    let source = testdata().join("binsparse/valid/py/custom_S3.bsp.h5");
    let wide = folder.path().join("wide.bsp.npz");
    let info: Value =
        serde_json::from_str(&run(&["info", "--json", text(&source)]).good()).unwrap();
    let other = if info["value_type"] == "float64" { "complex[float64]" } else { "float64" };
    run(&["convert", "--quiet", text(&source), text(&wide), "--type", other]).good();
    assert_eq!(run(&["diff", text(&source), text(&wide)]).good(), "");
}

#[test]
fn extensions_of_other_formats_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let source = testdata().join("binsparse/valid/py/csr_float64.bsp.h5");
    for target in ["a.mtx", "a.mtx.gz", "a.dbdf", "a.rds", "a.bsp.npz::g"] {
        let target = format!("{}/{target}", text(folder.path()));
        let refused = run(&["convert", text(&source), &target, "--to", "CSR"]);
        assert_eq!(refused.code, Some(2), "{target} {refused:?}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// A file of a few bytes must not take years to process.
#[test]
fn shared_values_of_too_many_elements_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let matrix = folder.path().join("x.bsp");
    fs::create_dir(&matrix).unwrap();
    let (rows, cols) = (1_u64 << 40, 1_u64 << 10);
    let description = serde_json::json!({"binsparse": {
        "version": "0.1", "format": "DMATR", "shape": [rows, cols],
        "number_of_stored_values": rows * cols, "data_types": {"values": "iso[float64]"},
    }});
    fs::write(matrix.join("binsparse.json"), description.to_string()).unwrap();
    npy(&matrix, "values", "<f8", 1, &1.5_f64.to_le_bytes());
    let (path, target) = (text(&matrix), folder.path().join("t.bsp.npz"));
    assert_eq!(run(&["validate", path]).good(), "");
    assert!(run(&["info", path]).good().contains("one shared by all"));
    for arguments in [&["stats", path][..], &["convert", path, text(&target)], &["cat", path]] {
        let output = run(arguments).refused();
        assert!(output.contains("one value shared by 1125899906842624 elements"), "{output}");
    }
    let first = run(&["cat", path, "--rows", "0:1", "--cols", "0:2"]).good();
    assert_eq!(first, "0\t0\t1.5\n0\t1\t1.5\n");
}

/// Writes an array as NumPy does.
fn npy(folder: &Path, name: &str, descr: &str, len: usize, bytes: &[u8]) {
    let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({len},), }}");
    let mut file = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    file.extend(format!("{header:<117}\n").bytes());
    file.extend(bytes);
    fs::write(folder.join(format!("{name}.npy")), file).unwrap();
}

#[test]
fn shared_values_are_negated_across_the_diagonal() {
    let complex: Vec<u8> = [1.0_f64, 2.0].into_iter().flat_map(f64::to_le_bytes).collect();
    for (structure, value_type, descr, value, own, across) in [
        ("skew_symmetric_lower", "iso[int32]", "<i4", 25_i32.to_le_bytes().to_vec(), "25", "-25"),
        ("symmetric_lower", "iso[int32]", "<i4", 25_i32.to_le_bytes().to_vec(), "25", "25"),
        (
            "hermitian_lower",
            "iso[complex[float64]]",
            "<c16",
            complex.clone(),
            "1.0\t2.0",
            "1.0\t-2.0",
        ),
        (
            "skew_symmetric_lower",
            "iso[complex[float64]]",
            "<c16",
            complex,
            "1.0\t2.0",
            "-1.0\t-2.0",
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let matrix = folder.path().join("x.bsp");
        fs::create_dir(&matrix).unwrap();
        let description = serde_json::json!({"binsparse": {
            "version": "0.1", "format": "COOR", "shape": [3, 3], "structure": structure,
            "number_of_stored_values": 2, "attributes": {"number_of_diagonal_elements": 0},
            "data_types": {"indices_0": "uint32", "indices_1": "uint32", "values": value_type},
        }});
        fs::write(matrix.join("binsparse.json"), description.to_string()).unwrap();
        let indices =
            |two: [u32; 2]| two.into_iter().flat_map(u32::to_le_bytes).collect::<Vec<_>>();
        npy(&matrix, "indices_0", "<u4", 2, &indices([1, 2]));
        npy(&matrix, "indices_1", "<u4", 2, &indices([0, 1]));
        // Complex values are consecutive pairs of real ones.
        let (descr, len) = if descr == "<c16" { ("<f8", 2) } else { (descr, 1) };
        npy(&matrix, "values", descr, len, &value);
        let path = text(&matrix);
        assert_eq!(run(&["validate", path]).good(), "", "{structure}");
        let lines = |path: &str, expand: &[&str]| {
            let arguments = [&["cat", path][..], expand].concat();
            let mut lines: Vec<_> = run(&arguments).good().lines().map(str::to_owned).collect();
            lines.sort();
            lines
        };
        let expected = [
            format!("0\t1\t{across}"),
            format!("1\t0\t{own}"),
            format!("1\t2\t{across}"),
            format!("2\t1\t{own}"),
        ];
        assert_eq!(lines(path, &["--expand"]), expected, "{structure}");
        for (name, how) in [
            ("expanded.bsp.h5", &["--to", "CSR", "--expand"][..]),
            ("dense.bsp.npz", &["--to", "DMATR"]),
            ("kept.bsp.npz", &["--to", "CSC"]),
            ("kept.mtx", &[]),
            ("general.mtx", &["--structure", "general"]),
        ] {
            let target = folder.path().join(name);
            let target = text(&target);
            let arguments = [&["convert", "--quiet", path, target][..], how].concat();
            run(&arguments).good();
            assert_eq!(run(&["validate", target]).good(), "", "{structure} {name}");
            assert_eq!(run(&["diff", path, target]).good(), "", "{structure} {name}");
            let found = lines(target, &["--expand"]);
            let found: Vec<_> = found
                .into_iter()
                .filter(|line| !line.ends_with("\t0") && !line.ends_with("\t0.0"))
                .collect();
            assert_eq!(found, expected, "{structure} {name}");
        }
        let part = folder.path().join("part.bsp.npz");
        run(&["slice", "--quiet", path, text(&part), "--rows", "0:2", "--to", "CSR"]).good();
        assert_eq!(lines(text(&part), &[]), expected[..3], "{structure}");
    }
}

#[test]
fn zeros_of_dense_matrices_with_a_fill_value_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let matrix = folder.path().join("x.bsp");
    fs::create_dir(&matrix).unwrap();
    let description = serde_json::json!({"binsparse": {
        "version": "0.1", "format": "DMATR", "shape": [2, 2], "fill": true,
        "number_of_stored_values": 4, "data_types": {"values": "int8", "fill_value": "int8"},
    }});
    fs::write(matrix.join("binsparse.json"), description.to_string()).unwrap();
    npy(&matrix, "values", "|i1", 4, &[3, 0, 5, 3]);
    npy(&matrix, "fill_value", "|i1", 1, &[3]);
    let path = text(&matrix);
    let sparse = folder.path().join("s.bsp.npz");
    run(&["convert", "--quiet", path, text(&sparse), "--to", "CSR"]).good();
    assert_eq!(run(&["cat", text(&sparse)]).good(), "0\t1\t0\n1\t0\t5\n");
    let back = folder.path().join("d.bsp.npz");
    run(&["convert", "--quiet", text(&sparse), text(&back), "--to", "DMATR"]).good();
    assert_eq!(run(&["cat", text(&back)]).good(), run(&["cat", path]).good());
}

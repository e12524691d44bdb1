//! DAPHNE files on the command line: golden files, conversions, and errors.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use nnz_testing::command::{names_in, run, run_with_input, testdata, text};
use serde_json::Value;

/// A file of the manifest.
struct Golden {
    path: PathBuf,
    name: String,
    dialect: String,
    valid: bool,
    frame: bool,
    types: Vec<String>,
    json: Value,
}

fn golden() -> Vec<Golden> {
    let folder = testdata().join("daphne");
    let manifest = std::fs::read(folder.join("manifest.json")).unwrap();
    let manifest: Value = serde_json::from_slice(&manifest).unwrap();
    let of = |json: &Value| {
        let name = json["file"].as_str().unwrap().to_owned();
        let header = &json["header"];
        let types = match (&header["value_types"], &header["value_type"]) {
            (Value::Array(all), _) => all.iter().map(|t| t.as_str().unwrap().to_owned()).collect(),
            (_, Value::String(one)) => vec![one.clone()],
            _ => Vec::new(),
        };
        Golden {
            path: folder.join(&name),
            dialect: json["dialect"].as_str().unwrap().replace("-2023", ""),
            valid: json["valid"].as_bool().unwrap(),
            frame: header["data_type"] == "frame",
            types,
            json: json.clone(),
            name,
        }
    };
    manifest["files"].as_array().unwrap().iter().map(of).collect()
}

/// Row, column and bits of an element; all NaN have the same bits.
type Elements = BTreeMap<(u64, u64), u64>;

fn bits_of_float(value: f64, of: &str) -> u64 {
    match of {
        _ if value.is_nan() => u64::MAX,
        "f32" => (value as f32).to_bits().into(),
        _ => value.to_bits(),
    }
}

/// Parses a float in the format of C99.
fn hexadecimal(text: &str) -> f64 {
    let (sign, rest) = text.strip_prefix('-').map_or((1.0, text), |rest| (-1.0, rest));
    let size = match rest {
        "inf" => f64::INFINITY,
        "nan" => f64::NAN,
        _ => {
            let (digits, exponent) = rest.strip_prefix("0x").unwrap().split_once('p').unwrap();
            let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
            let all = u64::from_str_radix(&format!("{whole}{fraction}"), 16).unwrap();
            let shift: i32 = exponent.parse().unwrap();
            let shift = shift - 4 * i32::try_from(fraction.len()).unwrap();
            // In two steps, so that subnormal numbers do not underflow.
            let half = shift / 2;
            all as f64 * 2f64.powi(half) * 2f64.powi(shift - half)
        }
    };
    size * sign
}

/// Returns the elements whose bits are not all zero.
fn expected(golden: &Golden) -> Elements {
    let content = &golden.json["content"];
    let Some(listed) = content["nonzero"].as_array() else {
        // The manifest has a formula for these.
        assert!(content["formula"].is_string(), "{}", golden.name);
        return match golden.name.contains("csr") {
            true => (0..70_000)
                .map(|row| ((row, row * 31 % 50), ((row % 97 + 1) as f64).to_bits()))
                .collect(),
            false => (0..390_u64)
                .flat_map(|row| (0..390).map(move |col| (row, col)))
                .map(|(row, col)| {
                    ((row, col), (((row * 31 + col * 7) % 1000) as f64 / 8.0).to_bits())
                })
                .filter(|&(_, bits)| bits != 0)
                .collect(),
        };
    };
    let element = |element: &Value| {
        let place = (element[0].as_u64().unwrap(), element[1].as_u64().unwrap());
        let column = if golden.frame { usize::try_from(place.1).unwrap() } else { 0 };
        let of = golden.types[column].as_str();
        let bits = match &element[2] {
            Value::String(text) => bits_of_float(hexadecimal(text), of),
            number if of.starts_with('f') => bits_of_float(number.as_f64().unwrap(), of),
            number => number.as_u64().unwrap_or_else(|| number.as_i64().unwrap().cast_unsigned()),
        };
        (place, bits)
    };
    listed.iter().map(element).collect()
}

/// Returns the output of `nnz cat` without zeros.
fn printed(golden: &Golden, text: &str) -> Elements {
    let mut elements = Elements::new();
    for line in text.lines() {
        let mut fields = line.split('\t');
        let [row, col] = [(); 2].map(|()| fields.next().unwrap().parse::<u64>().unwrap());
        let column = if golden.frame { usize::try_from(col).unwrap() } else { 0 };
        let of = golden.types[column].as_str();
        let value = fields.next().unwrap();
        let bits = match of {
            // The shortest text that reads back in its type.
            "f32" => bits_of_float(value.parse::<f32>().unwrap().into(), of),
            "f64" => bits_of_float(value.parse().unwrap(), of),
            _ => value
                .parse::<u64>()
                .unwrap_or_else(|_| value.parse::<i64>().unwrap().cast_unsigned()),
        };
        if bits != 0 {
            assert_eq!(elements.insert((row, col), bits), None, "{}: {line}", golden.name);
        }
    }
    elements
}

#[test]
fn valid_files_match_the_manifest() {
    let mut count = 0;
    for golden in golden().iter().filter(|golden| golden.valid) {
        let expected = expected(golden);
        let found = run(&["cat", text(&golden.path)]).good();
        assert_eq!(printed(golden, &found), expected, "{}", golden.name);
        let output = run(&["cat", text(&golden.path), "--dialect", &golden.dialect]).good();
        assert_eq!(printed(golden, &output), expected, "{}", golden.name);
        let info = run(&["info", "--json", text(&golden.path)]).good();
        let info: Value = serde_json::from_str(&info).unwrap();
        let header = &golden.json["header"];
        assert_eq!((&info["rows"], &info["cols"]), (&header["rows"], &header["cols"]));
        if header["rows"] != 0 && header["cols"] != 0 {
            let dialect = info["dialect"].as_str().unwrap().split(' ').next();
            assert_eq!(dialect, Some(&*golden.dialect), "{}", golden.name);
        }
        assert_eq!(info["kind"] == "frame", golden.frame, "{}", golden.name);
        assert_eq!(run(&["validate", text(&golden.path)]).good(), "", "{}", golden.name);
        count += 1;
    }
    assert_eq!(count, 149);
}

#[test]
fn errors_of_malformed_files_have_the_byte() {
    let mut count = 0;
    for golden in golden().iter().filter(|golden| !golden.valid) {
        let run = run(&["validate", text(&golden.path)]);
        assert_eq!((run.code, &*run.err), (Some(1), ""), "{}: {run:?}", golden.name);
        for line in run.out.lines() {
            assert!(line.contains(&golden.name) && line.contains("byte "), "{line}");
        }
        assert!(!run.out.is_empty(), "{}", golden.name);
        count += 1;
    }
    assert_eq!(count, 79);
}

/// Writes a matrix to a file in the folder.
fn convert(from: &Path, to: &Path, more: &[&str]) {
    let arguments = [&["convert", "--quiet", text(from), text(to)], more].concat();
    run(&arguments).good();
}

#[track_caller]
fn same(one: &Path, other: &Path, stored: bool) {
    let more: &[&str] = if stored { &["--stored"] } else { &[] };
    assert_eq!(run(&[&["diff", text(one), text(other)], more].concat()).good(), "");
}

#[test]
fn sparse_matrices_round_trip_through_bpcells_and_matrix_market() {
    let folder = tempfile::tempdir().unwrap();
    let [there, back] = ["x", "back.dbdf"].map(|name| folder.path().join(name));
    let mut exact = 0;
    for golden in golden() {
        // Dense ones are tested below.
        if !golden.valid || golden.frame || golden.json["header"]["data_type"] != "csr" {
            continue;
        }
        // BPCells has no 64-bit and no signed integers.
        let bpcells = ["u8", "u16", "u32", "f32", "f64"].contains(&&*golden.types[0]);
        let formats = if bpcells { &["bpcells", "mtx"][..] } else { &["mtx"] };
        // Integers of Matrix Market are read as int64.
        let formats = if golden.types[0] == "u64" { &[] } else { formats };
        for ending in formats {
            let there = there.with_extension(ending);
            let order: &[&str] = if *ending == "bpcells" { &["--order", "row"] } else { &[] };
            convert(&golden.path, &there, &[order, &["--force"]].concat());
            same(&golden.path, &there, true);
            for dialect in ["spec", "daphne", "daphne-2022"] {
                // Text has no types. DAPHNE has none of 16 bits, which become wider.
                let (kind, bits) = golden.types[0].split_at(1);
                let own = match kind {
                    "u" => format!("uint{bits}"),
                    "i" => format!("int{bits}"),
                    _ => format!("float{bits}"),
                };
                let of = if dialect != "spec" && bits == "16" { "int32" } else { &own };
                convert(&there, &back, &["--force", "--dialect", dialect, "--type", of]);
                same(&golden.path, &back, true);
                assert_eq!(run(&["validate", text(&back)]).good(), "");
            }
        }
        exact += 1;
    }
    assert!(exact >= 40, "{exact}");
}

#[test]
fn dense_matrices_stay_dense_by_default() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let source = testdata().join("daphne/dense_f64.dbdf");
    let kind = |path: &Path| {
        let info = run(&["info", "--json", text(path)]).good();
        let info: Value = serde_json::from_str(&info).unwrap();
        info["dialect"].as_str().unwrap().to_owned()
    };
    convert(&source, &path("a.mtx"), &[]);
    assert!(std::fs::read_to_string(path("a.mtx")).unwrap().contains("array"));
    convert(&path("a.mtx"), &path("a.dbdf"), &[]);
    assert_eq!(std::fs::read(&source).unwrap(), std::fs::read(path("a.dbdf")).unwrap());
    convert(&source, &path("s.dbdf"), &["--layout", "coordinate"]);
    assert_eq!(kind(&path("s.dbdf")), "spec CSRMatrix");
    convert(&path("s.dbdf"), &path("d.dbdf"), &["--layout", "array", "--dialect", "daphne"]);
    assert_eq!(kind(&path("d.dbdf")), "daphne DenseMatrix");
    for name in ["s.dbdf", "d.dbdf"] {
        same(&source, &path(name), false);
    }
    // DAPHNE does not read it without its .meta.
    assert_eq!(names_in(folder.path()), ["a.dbdf", "a.mtx", "d.dbdf", "d.dbdf.meta", "s.dbdf"]);
    convert(&source, &path("m.dbdf"), &["--meta"]);
    assert!(path("m.dbdf.meta").is_file());
}

#[test]
fn blocks_have_the_requested_size_type_and_width() {
    let folder = tempfile::tempdir().unwrap();
    let source = testdata().join("daphne/multi_grid_ragged.dbdf");
    let target = folder.path().join("x.dbdf");
    let blocks = |more: &[&str]| {
        convert(&source, &target, &[more, &["--force"]].concat());
        same(&source, &target, false);
        let info = run(&["info", "--json", text(&target)]).good();
        let info: Value = serde_json::from_str(&info).unwrap();
        let output = |array: &Value| {
            format!("{} {}", array["name"].as_str().unwrap(), array["type"].as_str().unwrap())
        };
        info["arrays"].as_array().unwrap().iter().map(output).collect::<Vec<_>>()
    };
    // 10 rows and 13 columns.
    assert_eq!(blocks(&["--block", "one"]), ["dense block int64"]);
    let dense = ["--block", "4x13", "--block-type", "dense"];
    assert_eq!(blocks(&dense), ["dense blocks (3) int64"]);
    let sparse = ["--block", "10x5", "--block-type", "sparse"];
    assert_eq!(blocks(&sparse), ["sparse blocks (3) int64"]);
    let narrow = blocks(&["--block", "5x7", "--narrow"]);
    assert!(narrow.iter().any(|block| !block.ends_with("int64")), "{narrow:?}");
    for refused in [
        &["--block", "4x4", "--dialect", "daphne"][..],
        &["--narrow", "--dialect", "daphne-2022"],
        &["--block-type", "empty"],
    ] {
        run(&[&["convert", text(&source), text(&target), "--force"], refused].concat()).refused();
    }
}

#[test]
fn segments_are_split_and_merged() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let source = testdata().join("daphne/csr_sparse_f64.dbdf");
    let [split, whole] = ["x.dbdf.hdfs", "whole.dbdf"].map(path);
    convert(&source, &split, &["--segments", "3", "--dialect", "daphne"]);
    let names: Vec<String> = (1..=3)
        .flat_map(|n| ["", ".meta"].map(|end| format!("x.dbdf.hdfs_segment_{n}{end}")))
        .collect();
    assert_eq!(names_in(&split), names);
    assert!(path("x.dbdf.hdfs.meta").is_file());
    same(&source, &split, true);
    assert_eq!(run(&["validate", text(&split)]).good(), "");
    assert!(run(&["info", text(&split)]).good().contains("directory of 3 segments"));
    convert(&split, &whole, &[]);
    assert_eq!(std::fs::read(&source).unwrap(), std::fs::read(&whole).unwrap());
    // The extension without the option is one segment.
    convert(&source, &path("y.dbdf.hdfs"), &[]);
    assert_eq!(
        names_in(&path("y.dbdf.hdfs")),
        ["y.dbdf.hdfs_segment_1", "y.dbdf.hdfs_segment_1.meta"]
    );
    // An existing target is kept, and replaced as a whole.
    let again = ["convert", "--quiet", text(&source), text(&split), "--segments", "2"];
    assert!(run(&again).refused().contains("--force"));
    assert_eq!(names_in(&split), names);
    run(&[&again[..], &["--force"]].concat()).good();
    assert_eq!(names_in(&split), &names[..4]);
    same(&source, &split, true);
}

#[test]
fn the_dialect_can_be_given() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("x.mtx");
    let source = testdata().join("daphne/daphne_dense_f64.dbdf");
    for verb in ["info", "cat"] {
        let forced = run(&[verb, text(&source), "--dialect", "daphne-2022"]).refused();
        assert!(forced.contains("byte"), "{forced}");
        run(&[verb, text(&source), "--dialect", "daphne"]).good();
    }
    assert_eq!(run(&["validate", text(&source), "--dialect", "spec"]).code, Some(1));
    assert_eq!(run(&["validate", text(&source), "--dialect", "daphne"]).good(), "");
    let forced =
        |dialect| run(&["convert", "-q", text(&source), text(&target), "--from-dialect", dialect]);
    assert!(forced("spec").refused().contains("byte"));
    assert!(!target.exists());
    forced("daphne").good();
    same(&source, &target, true);
    // A dialect does not make this file or a stream DAPHNE.
    for verb in ["info", "cat", "validate"] {
        let other = run(&[verb, text(&target), "--from-dialect", "spec"]);
        let expected = format!("{}: --from-dialect does not apply to mtx\n", text(&target));
        assert_eq!(other.refused_by(verb), format!("nnz: {expected}"), "{verb}");
    }
    assert_eq!(run(&["cat", "-", "--dialect", "spec"]).code, Some(2));
    assert_eq!(run(&["info", text(&source), "--dialect", "x"]).code, Some(2));
}

#[test]
fn files_are_detected_by_content() {
    let folder = tempfile::tempdir().unwrap();
    for golden in golden().iter().filter(|golden| golden.valid) {
        let path = folder.path().join("x.bin");
        std::fs::copy(&golden.path, &path).unwrap();
        let _ = std::fs::remove_file(folder.path().join("x.bin.meta"));
        let found = run(&["cat", text(&path)]).good();
        assert_eq!(printed(golden, &found), expected(golden), "{}", golden.name);
    }
    // By its extension, errors of a broken file have their location.
    let broken = folder.path().join("x.dbdf");
    std::fs::write(&broken, "not of DAPHNE").unwrap();
    let message = run(&["info", text(&broken)]).refused();
    assert!(message.contains("byte"), "{message}");
}

#[test]
fn targets_are_replaced_only_with_force() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("x.dbdf");
    let source = testdata().join("daphne/dense_f64.dbdf");
    std::fs::write(&target, "mine").unwrap();
    let arguments = ["convert", "--quiet", text(&source), text(&target)];
    assert!(run(&arguments).refused().contains("--force"));
    assert_eq!(std::fs::read(&target).unwrap(), b"mine");
    // A value does not fit into the type: nothing is written, and the old target is kept.
    let bad = [&arguments[..], &["--force", "--type", "uint8"]].concat();
    run(&bad).refused();
    assert_eq!(
        (std::fs::read(&target).unwrap(), names_in(folder.path())),
        (b"mine".to_vec(), vec!["x.dbdf".to_owned()])
    );
    run(&[&arguments[..], &["--force"]].concat()).good();
    same(&source, &target, true);
    // The .meta of a replaced file is removed.
    let other = folder.path().join("y.dbdf.meta");
    std::fs::write(&other, "mine").unwrap();
    let other = folder.path().join("y.dbdf");
    run(&["convert", text(&source), text(&other)]).refused();
    assert!(!other.exists());
    convert(&source, &other, &["--force"]);
    same(&source, &other, true);
}

#[test]
fn options_of_other_formats_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let source = testdata().join("daphne/csr_sparse_f64.dbdf");
    let refused = |name: &str, more: &[&str]| {
        let target = folder.path().join(name);
        let run = run(&[&["convert", text(&source), text(&target)], more].concat());
        assert_eq!(run.code, Some(2), "{more:?}: {run:?}");
    };
    for more in [
        &["--dialect", "daphne"][..],
        &["--block", "2x2"],
        &["--block-type", "dense"],
        &["--narrow"],
        &["--meta"],
        &["--segments", "2"],
    ] {
        refused("x.mtx", more);
        refused("x.bpcells", more);
    }
    for more in [
        &["--unpacked"][..],
        &["--format-version", "1"],
        &["--compress", "gzip:1"],
        &["--segments", "0"],
        &["--block", "0x1"],
        &["--types", "f64"],
    ] {
        refused("x.dbdf", more);
    }
    assert_eq!(run(&["convert", text(&source), "-", "--to", "daphne"]).code, Some(2));
    assert!(names_in(folder.path()).is_empty());
}

#[test]
fn all_verbs_accept_daphne_matrices() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let source = path("a.mtx");
    std::fs::write(
        &source,
        "%%MatrixMarket matrix coordinate integer general\n3 4 4\n1 1 5\n2 3 -7\n3 4 1\n3 1 2\n",
    )
    .unwrap();
    let matrix = path("a.dbdf");
    convert(&source, &matrix, &[]);
    assert_eq!(run(&["cat", text(&matrix)]).good(), "0\t0\t5\n1\t2\t-7\n2\t0\t2\n2\t3\t1\n");
    assert_eq!(run(&["cat", text(&matrix), "--rows", "1:"]).good(), "1\t2\t-7\n2\t0\t2\n2\t3\t1\n");
    assert!(run(&["stats", text(&matrix)]).good().contains("4\t1\t"));
    let quiet = |arguments: &[&str]| run(&[&["-q"], arguments].concat()).good();
    quiet(&["transpose", text(&matrix), text(&path("t.dbdf"))]);
    assert_eq!(
        run(&["cat", text(&path("t.dbdf"))]).good(),
        "0\t0\t5\n0\t2\t2\n2\t1\t-7\n3\t2\t1\n"
    );
    quiet(&["slice", text(&matrix), text(&path("s.dbdf")), "--rows", "2,0"]);
    assert_eq!(run(&["cat", text(&path("s.dbdf"))]).good(), "0\t0\t2\n0\t3\t1\n1\t0\t5\n");
    let [all, matrix] = [path("c.dbdf"), matrix];
    quiet(&["concat", text(&matrix), text(&source), text(&all), "--axis", "rows"]);
    assert_eq!(run(&["cat", text(&all), "--rows", "4:5"]).good(), "4\t2\t-7\n");
    assert_eq!(run(&["diff", text(&all), text(&matrix)]).code, Some(1));
}

/// Returns the labels and rows of a text.
const TABLE: &str =
    "name,\"a, b\",c\n1,0.5,-3\n18446744073709551615,-0.0,4\n7,nan,9223372036854775807\n";

#[test]
fn frames_round_trip_through_text() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("t.csv"), TABLE).unwrap();
    for dialect in ["spec", "daphne", "daphne-2022"] {
        convert(&path("t.csv"), &path("t.dbdf"), &["--force", "--dialect", dialect]);
        convert(&path("t.dbdf"), &path("back.csv"), &["--force"]);
        assert_eq!(std::fs::read_to_string(path("back.csv")).unwrap(), TABLE);
        assert_eq!(run(&["convert", "-q", text(&path("t.dbdf")), "-"]).good(), TABLE);
        assert_eq!(run(&["names", text(&path("t.dbdf")), "cols"]).good(), "name\na, b\nc\n");
        let info = run(&["info", "--json", text(&path("t.dbdf"))]).good();
        let info: Value = serde_json::from_str(&info).unwrap();
        let types: Vec<_> =
            info["columns"].as_array().unwrap().iter().map(|c| &c["type"]).collect();
        assert_eq!(types, ["uint64", "float64", "int64"]);
        assert_eq!(info["columns"][1]["label"], "a, b");
        assert!(info["dialect"].as_str().unwrap().starts_with(dialect));
    }
    let shown = run(&["cat", text(&path("t.dbdf")), "--rows", "1:", "--cols", "1:"]).good();
    assert_eq!(shown, "1\t1\t-0.0\n1\t2\t4\n2\t1\tnan\n2\t2\t9223372036854775807\n");
    assert!(run(&["info", text(&path("t.dbdf"))]).good().contains("\nfloat64   a, b\n"));
    // Types with both of their names, and a text that can be read only once.
    let piped = run_with_input(
        &["convert", "-q", "-", text(&path("p.dbdf")), "--types", "ui64,float,si64"],
        TABLE.as_bytes(),
    );
    piped.good();
    assert_eq!(run(&["convert", "-q", text(&path("p.dbdf")), "-"]).good(), TABLE);
    // Between dialects, in blocks of two rows.
    convert(&path("t.dbdf"), &path("b.dbdf"), &["--block", "2x3", "--meta"]);
    assert_eq!(
        run(&["cat", text(&path("b.dbdf"))]).good(),
        run(&["cat", text(&path("t.dbdf"))]).good()
    );
    assert_eq!(run(&["validate", text(&path("b.dbdf"))]).good(), "");
}

#[test]
fn golden_frames_round_trip_through_text() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let mut count = 0;
    for golden in golden().iter().filter(|golden| golden.valid && golden.frame) {
        if golden.types.is_empty() {
            let message = run(&["convert", text(&golden.path), text(&path("none.csv"))]).refused();
            assert!(message.contains("without columns"), "{message}");
            continue;
        }
        convert(&golden.path, &path("x.csv"), &["--force"]);
        let types: Vec<String> = golden
            .types
            .iter()
            .map(|t| t.replace('u', "ui").replace('i', "si").replace("usi", "ui"))
            .collect();
        convert(&path("x.csv"), &path("x.dbdf"), &["--force", "--types", &types.join(",")]);
        let [one, other] = [&golden.path, &path("x.dbdf")].map(|frame| {
            ["cat", "names"].map(|verb| {
                let more: &[&str] = if verb == "names" { &["cols"] } else { &[] };
                run(&[&[verb, text(frame)], more].concat()).good()
            })
        });
        assert_eq!(one, other, "{}", golden.name);
        count += 1;
    }
    assert_eq!(count, 14);
}

#[test]
fn columns_of_unsupported_types_are_widened() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let lines = "a,b,c\n-32768,65535,1.5\n32767,0,-0.0\n";
    fs::write(path("f.csv"), lines).unwrap();
    let (csv, spec, back) = (path("f.csv"), path("spec.dbdf"), path("back.csv"));
    let convert = |from: &Path, to: &Path, more: &[&str]| {
        let start = ["convert", "--quiet", "--force", text(from), text(to)];
        run(&[&start, more].concat()).good();
    };
    let types = ["--types", "int16,uint16,float32"];
    convert(&csv, &spec, &types);
    for dialect in ["daphne", "daphne-2022"] {
        let made = path("made.dbdf");
        let how = ["--dialect", dialect];
        for (from, types) in [(&csv, &types[..]), (&spec, &[])] {
            convert(from, &made, &[&how, types].concat());
            let meta = fs::read_to_string(path("made.dbdf.meta")).unwrap();
            for part in ["si32", "ui32", "f32"] {
                assert_eq!(meta.matches(part).count(), 1, "{meta}");
            }
            run(&["validate", text(&made)]).good();
            convert(&made, &back, &[]);
            assert_eq!(fs::read_to_string(&back).unwrap(), lines, "{dialect}");
        }
    }
    // The dialect of the specification has both.
    convert(&spec, &back, &[]);
    assert_eq!(fs::read_to_string(&back).unwrap(), lines);
}

#[test]
fn unsupported_options_of_frames_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let frame = testdata().join("daphne/frame_10types.dbdf");
    for arguments in [
        &["stats", text(&frame)][..],
        &["convert", text(&frame), text(&path("x.mtx"))],
        &["transpose", text(&frame), text(&path("x.dbdf"))],
        &["slice", text(&frame), text(&path("x.dbdf")), "--rows", "0"],
        &["diff", text(&frame), text(&frame)],
    ] {
        let run = run(arguments);
        assert!(run.code == Some(1) || run.code == Some(2), "{run:?}");
        assert!(run.err.contains("frame") && run.err.contains(".csv"), "{run:?}");
    }
    std::fs::write(path("t.csv"), "a,b\n1,2\n3\n").unwrap();
    let message = run(&["convert", text(&path("t.csv")), text(&path("x.dbdf"))]).refused();
    assert!(message.contains("line 3"), "{message}");
    std::fs::write(path("t.csv"), "a,b\n1,2\n3,400\n").unwrap();
    let convert = |more: &[&str]| {
        run(&[&["convert", text(&path("t.csv")), text(&path("x.dbdf"))], more].concat())
    };
    let message = convert(&["--types", "f64,ui8"]).refused();
    assert!(message.contains("line 3, column 3"), "{message}");
    assert!(convert(&["--types", "f64"]).refused().contains("2 labels"));
    for more in [
        &["--order", "row"][..],
        &["--type", "double"],
        &["--narrow"],
        &["--segments", "2"],
        &["--block-type", "dense"],
        &["--layout", "array"],
        &["--types", "f64,text"],
    ] {
        assert_eq!(convert(more).code, Some(2), "{more:?}");
    }
    assert!(convert(&["--block", "10x1"]).refused().contains("all 2 columns"));
    assert_eq!(names_in(folder.path()), ["t.csv"]);
    // Types of standard input cannot be inferred, as it is read only once.
    assert_ne!(run_with_input(&["convert", "-", text(&path("x.dbdf"))], b"a\n1\n").code, Some(0));
    // A frame has its own types.
    let typed = run(&["convert", text(&frame), text(&path("x.csv")), "--types", "f64"]);
    assert_eq!(typed.code, Some(2));
    // A matrix with the extension .csv is a matrix.
    let banner = "%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 3\n";
    std::fs::write(path("m.csv"), banner).unwrap();
    run(&["convert", "-q", text(&path("m.csv")), text(&path("m.dbdf"))]).good();
    assert_eq!(run(&["cat", text(&path("m.dbdf"))]).good(), "0\t0\t3\n");
}

/// Twice as many rows as a signed number can count, and no entries.
#[test]
fn sides_of_more_than_two_to_the_63_are_sorted_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("min.dbdf");
    let mut bytes = vec![1, 2];
    bytes.extend_from_slice(&0_u64.to_le_bytes());
    bytes.extend_from_slice(&((1_u64 << 63) + 1).to_le_bytes());
    bytes.push(10);
    fs::write(&source, bytes).unwrap();
    for target in ["m.bsp.npz", "m.mtx"] {
        let target = folder.path().join(target);
        let run = run(&["convert", text(&source), text(&target), "--order", "col"]);
        assert!(matches!(run.code, Some(0 | 1)), "{run:?}");
    }
}

#[test]
fn pipes_instead_of_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let matrix = folder.path().join("a.dbdf");
    fs::copy(testdata().join("daphne/dense_u8.dbdf"), &matrix).unwrap();
    let meta = folder.path().join("a.dbdf.meta");
    let made = std::process::Command::new("mkfifo").arg(&meta).status();
    if !made.is_ok_and(|status| status.success()) {
        return;
    }
    let refused = run(&["info", text(&matrix)]);
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(refused.err.contains("found a directory or special file"), "{}", refused.err);
}

#[test]
fn blank_lines_of_frames_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (table, target) = (folder.path().join("t.csv"), folder.path().join("t.dbdf"));
    for (content, good) in [
        ("a\n1\n\n2\n", false),
        ("a\n\n1\n", false),
        ("a,b\n1,2\n\n3,4\n", false),
        ("a\n1\n\n", true),
        ("a\r\n1\r\n\r\n2\r\n", false),
        ("a,b\n1,2\n3,4\n", true),
        ("a\r\n1\r\n2", true),
        ("\"a\nb\",c\n1,2\n", true),
    ] {
        fs::write(&table, content).unwrap();
        let run = run(&["convert", "--quiet", "--force", text(&table), text(&target)]);
        assert_eq!(run.code, Some(i32::from(!good)), "{content:?} {run:?}");
        assert!(good || run.err.contains("blank line"), "{content:?} {run:?}");
    }
}

#[test]
fn labels_keep_a_byte_order_mark() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("a.csv"), "\"\u{feff}a\",b\n1,2\n").unwrap();
    for (from, to) in [("a.csv", "a.dbdf"), ("a.dbdf", "b.csv"), ("b.csv", "b.dbdf")] {
        run(&["convert", "--quiet", text(&at(from)), text(&at(to))]).good();
    }
    assert_eq!(fs::read(at("a.dbdf")).unwrap(), fs::read(at("b.dbdf")).unwrap());
}

#[test]
fn frames_larger_than_the_disk_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("f.dbdf");
    let mut bytes = vec![1, 3];
    bytes.extend_from_slice(&(1_u64 << 60).to_le_bytes());
    bytes.extend_from_slice(&1_u64.to_le_bytes());
    // One column "a" of int64, and a block of two of its rows.
    bytes.extend_from_slice(&[8, 1, 0, b'a']);
    bytes.extend_from_slice(&[0; 16]);
    bytes.extend_from_slice(&[2, 0, 0, 0, 1, 0, 0, 0, 1, 8]);
    bytes.extend_from_slice(&[7; 16]);
    fs::write(&source, bytes).unwrap();
    let refused = run(&["convert", text(&source), text(&folder.path().join("g.dbdf"))]);
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(refused.err.contains("needs at least"), "{}", refused.err);
}

#[test]
fn integers_of_16_bits_are_widened() {
    let folder = tempfile::tempdir().unwrap();
    let from = folder.path().join("x.dbdf");
    for (code, bits, wide) in [(2_u8, 40_000_u16, "uint32"), (6, 0xffff, "int32")] {
        // A DenseMatrix of one row and column, and one dense block.
        let mut bytes = vec![1, 1];
        bytes.extend([1_u64, 1].map(u64::to_le_bytes).concat());
        bytes.push(code);
        bytes.extend([0_u64, 0].map(u64::to_le_bytes).concat());
        bytes.extend([1_u32, 1].map(u32::to_le_bytes).concat());
        bytes.extend([1, code]);
        bytes.extend(bits.to_le_bytes());
        fs::write(&from, bytes).unwrap();
        let elements = run(&["cat", text(&from)]).good();
        for (number, more) in [&[][..], &["--segments", "1"]].into_iter().enumerate() {
            for dialect in ["daphne", "daphne-2022"] {
                let to = folder.path().join(format!("{wide}-{number}-{dialect}.dbdf"));
                convert(&from, &to, &[&["--dialect", dialect], more].concat());
                let info = run(&["info", text(&to)]).good();
                assert!(info.contains(wide), "{info}");
                assert_eq!(run(&["cat", text(&to)]).good(), elements);
            }
        }
    }
}

#[test]
fn rows_without_columns_cost_no_time() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.dbdf");
    let mut bytes = vec![1, 3];
    bytes.extend([u64::MAX, 0].map(u64::to_le_bytes).concat());
    // In blocks, of which there are none, and in rows, which start with two numbers.
    for body in [0, 16] {
        bytes.resize(18 + body, 0);
        fs::write(&path, &bytes).unwrap();
        assert_eq!(run(&["cat", text(&path)]).good(), "");
        run(&["validate", text(&path)]).good();
        for dialect in ["spec", "daphne"] {
            let to = folder.path().join(format!("{dialect}-{body}.dbdf"));
            convert(&path, &to, &["--dialect", dialect]);
            assert_eq!(run(&["cat", text(&to)]).good(), "");
            let info = run(&["info", text(&to)]).good();
            assert!(info.contains("18446744073709551615"), "{info}");
        }
        let csv = folder.path().join("x.csv");
        run(&["convert", text(&path), text(&csv)]).refused();
    }
}

#[test]
fn nan_payloads_are_reported_with_their_bits() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.dbdf");
    // A frame of one float64 column "a" and one row, in DAPHNE's own dialect.
    let mut bytes = vec![1, 3];
    bytes.extend([1_u64, 1].map(u64::to_le_bytes).concat());
    bytes.extend([7, 1, 0, b'a']);
    bytes.extend([0; 16]);
    bytes.extend(0xfff8_0000_0000_0001_u64.to_le_bytes());
    fs::write(&path, bytes).unwrap();
    let refused = run(&["convert", text(&path), text(&folder.path().join("x.csv"))]).refused();
    assert!(refused.contains("found nan of the bits 0xfff8000000000001, expected"), "{refused}");
}

#[test]
fn errors_of_mirrored_values_have_their_position() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.bsp");
    let mtx = "%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 1\n2 1 5\n";
    let from = folder.path().join("x.mtx");
    fs::write(&from, mtx).unwrap();
    convert(&from, &path, &["--type", "int8"]);
    // An unsigned type can be read, but not written.
    for (name, signed, unsigned) in
        [("values.npy", "|i1", "|u1"), ("binsparse.json", "\"int8\"", "\"uint8\"")]
    {
        let bytes = fs::read(path.join(name)).unwrap();
        let at = bytes.windows(signed.len()).position(|word| word == signed.as_bytes()).unwrap();
        let changed = [&bytes[..at], unsigned.as_bytes(), &bytes[at + signed.len()..]].concat();
        fs::write(path.join(name), changed).unwrap();
    }
    let whole = folder.path().join("whole.h5");
    let to = ["convert", text(&path), text(&whole), "--to", "CSR", "--expand"];
    let refused = run(&to).refused();
    assert!(refused.contains("row 0, column 1"), "{refused}");
    assert!(refused.contains("-5 cannot be stored exactly as uint8"), "{refused}");
}

//! Conversions of Binsparse keep keys of the user, negated values and fill values.

use std::fs;
use std::path::Path;

use nnz_testing::command::{Run, run, text};
use nnz_testing::npy::binsparse;
use serde_json::{Value, json};

struct Fixture(tempfile::TempDir);

fn made() -> Fixture {
    Fixture(tempfile::tempdir().unwrap())
}

impl Fixture {
    fn path(&self, name: &str) -> String {
        text(&self.0.path().join(name)).to_owned()
    }

    /// A matrix with one entry, 5 in the first element, and keys of the user.
    fn keyed(&self, name: &str, keys: &Value, attributes: &Value) -> String {
        let about = json!({"format": "COOR", "shape": [2, 2], "number_of_stored_values": 1,
            "data_types": {}, "attributes": attributes});
        let arrays = [("indices_0", &[0][..]), ("indices_1", &[0]), ("values", &[5])];
        let path = binsparse(&self.0.path().join(name), about, &arrays);
        let file = Path::new(&path).join("binsparse.json");
        let mut all: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
        all.as_object_mut().unwrap().extend(keys.as_object().unwrap().clone());
        fs::write(file, all.to_string()).unwrap();
        path
    }

    /// A skew-symmetric matrix with one entry, below the diagonal.
    fn skew(&self, name: &str, value_type: &str, value: i32) -> String {
        let about = json!({"format": "COOR", "structure": "skew_symmetric_lower",
            "shape": [2, 2], "number_of_stored_values": 1, "data_types": {"values": value_type}});
        let arrays = [("indices_0", &[1][..]), ("indices_1", &[0]), ("values", &[value])];
        binsparse(&self.0.path().join(name), about, &arrays)
    }

    /// A dense matrix, 1 and 2 in a row, with a fill value.
    fn complete(&self, name: &str) -> String {
        let about = json!({"format": "DMATR", "shape": [1, 2], "number_of_stored_values": 2,
            "fill": true, "data_types": {"values": "int32", "fill_value": "int32"}});
        let arrays = [("values", &[1, 2][..]), ("fill_value", &[7])];
        binsparse(&self.0.path().join(name), about, &arrays)
    }

    /// Writes compressed rows into a directory of arrays; `T` in the descriptor is replaced by the
    /// type.
    fn written(&self, arguments: &[&str]) -> (Run, Value) {
        let target = self.path("written");
        let named = |argument: &&str| {
            if *argument == "T" { target.clone() } else { (*argument).to_owned() }
        };
        let mut arguments: Vec<String> = arguments.iter().map(named).collect();
        arguments.extend(["--force", "--no-sync"].map(str::to_owned));
        if !arguments.contains(&"--to".to_owned()) {
            arguments.extend(["--to", "CSR"].map(str::to_owned));
        }
        let done = run(&arguments);
        let file =
            fs::read(Path::new(&target).join("binsparse.json")).unwrap_or_else(|_| b"0".into());
        (done, serde_json::from_slice(&file).unwrap())
    }

    /// Returns the value type of the target.
    fn value_type(&self, arguments: &[&str]) -> Value {
        let (done, found) = self.written(arguments);
        assert_eq!(done.code, Some(0), "{done:?}");
        found["binsparse"]["data_types"]["values"].clone()
    }
}

#[test]
fn slices_keep_the_keys_of_the_user() {
    let made = made();
    let source = made.keyed("a", &json!({"note": 1, "comment": "c"}), &json!({"unit": "mm"}));
    let (done, found) = made.written(&["slice", &source, "T", "--rows", "0"]);
    assert!(!done.err.contains("dropped"), "{done:?}");
    assert_eq!(done.code, Some(0), "{done:?}");
    assert_eq!((&found["note"], &found["comment"]), (&json!(1), &json!("c")));
    assert_eq!(found["binsparse"]["attributes"], json!({"unit": "mm"}));
    let target = made.path("a.dbdf");
    let strict = ["slice", &source, &target, "--rows", "0", "--strict"];
    let message = run(&strict).refused();
    for key in ["note", "comment", "unit"] {
        assert!(message.contains(&format!("\"{key}\"")), "{message}");
    }
}

#[test]
fn concatenations_keep_shared_keys_and_list_others() {
    let made = made();
    let none = json!({});
    let a = made.keyed("a", &json!({"both": [1], "differs": 1}), &none);
    let b = made.keyed("b", &json!({"both": [1], "differs": 2, "own": 3}), &none);
    let (done, found) = made.written(&["concat", &a, &b, "T", "--axis", "rows"]);
    assert_eq!(
        (&found["both"], &found["differs"], &found["own"]),
        (&json!([1]), &Value::Null, &Value::Null)
    );
    for dropped in [
        "a: the metadata key \"differs\"",
        "b: the metadata key \"differs\"",
        "b: the metadata key \"own\"",
    ] {
        assert!(done.err.contains(dropped), "{done:?}");
    }
    assert!(!done.err.contains("both"), "{done:?}");
    let message = made.written(&["concat", &a, &b, "T", "--axis", "rows", "--strict"]).0.refused();
    assert!(message.contains("differs"), "{message}");
}

#[test]
fn the_key_comment_is_written_as_comments() {
    let made = made();
    let text = "% note\n\nplain\r\"q\"\n  % set back";
    let source = made.keyed("a", &json!({"comment": text}), &json!({}));
    let wanted = "% note\n%\n% plain\n% \"q\"\n% set back\n";
    for (layout, rest) in [("coordinate", "2 2 1\n1 1 5\n"), ("array", "2 2\n5\n0\n0\n0\n")] {
        let target = made.path("a.mtx");
        run(&["-q", "convert", &source, &target, "--strict", "--layout", layout, "--force"]).good();
        let banner = format!("%%MatrixMarket matrix {layout} integer general\n");
        assert_eq!(fs::read_to_string(&target).unwrap(), banner + wanted + rest);
        // And back.
        let (done, found) = made.written(&["convert", &target, "T"]);
        assert_eq!(done.code, Some(0), "{done:?}");
        assert_eq!(found["comment"], wanted.trim_end());
    }
    let target = made.path("a.bpcells");
    let message = run(&["convert", &source, &target, "--strict"]).refused();
    assert!(message.contains("the metadata key \"comment\""), "{message}");
    // A value that is not text is not a comment.
    let source = made.keyed("b", &json!({"comment": 7}), &json!({}));
    let message = run(&["convert", &source, &made.path("b.mtx"), "--strict"]).refused();
    assert!(message.contains("the metadata key \"comment\""), "{message}");
}

#[test]
fn a_dropped_number_of_diagonal_elements_is_listed() {
    let made = made();
    let source = made.keyed("a", &json!({}), &json!({"number_of_diagonal_elements": 1}));
    let (done, _) = made.written(&["convert", &source, "T"]);
    assert!(done.err.contains("number_of_diagonal_elements"), "{done:?}");
    made.written(&["convert", &source, "T", "--strict"]).0.refused();
}

#[test]
fn the_smallest_type_of_a_tensor_holds_the_fill_value() {
    let made = made();
    let about = |values: &str| {
        json!({"format": "custom", "shape": [2, 2, 2], "number_of_stored_values": 1, "fill": true,
            "custom": {"level": {"level_desc": "sparse", "rank": 3, "level": {"level_desc": "element"}}},
            "data_types": {"values": values, "fill_value": values}})
    };
    let index =
        [("indices_0", &[0][..]), ("indices_1", &[1]), ("indices_2", &[1]), ("values", &[1])];
    for (name, own, fill, smallest) in
        [("i", "int64", -1000, "int16"), ("f", "float64", (1 << 24) + 1, "float64")]
    {
        let fill = [fill];
        let arrays = [&index[..], &[("fill_value", &fill[..])]].concat();
        let source = binsparse(&made.0.path().join(name), about(own), &arrays);
        let to = ["convert", &source, "T", "--minimize", "--to", "sparse3(element)"];
        assert_eq!(made.value_type(&to), smallest);
    }
}

#[test]
fn negated_values_get_a_wider_type() {
    let made = made();
    for (name, own, value, wide) in [
        ("u", "uint16", 200, "int32"),
        ("v", "uint16", 65_535, "int32"),
        ("i", "int16", -32_768, "int32"),
    ] {
        let source = made.skew(name, own, value);
        assert_eq!(run(&["diff", &source, &source]).good(), "");
        run(&["stats", &source]).good();
        let whole = format!("1\t0\t{value}\n0\t1\t{}\n", -value);
        let mut lines: Vec<&str> = whole.lines().collect();
        lines.sort_unstable();
        for to in ["CSR", "DMATR"] {
            for to_type in [wide, "float64", "float32"] {
                let options = ["--to", to, "--expand", "--type", to_type];
                let (done, _) = made.written(&[&["convert", &source, "T"], &options[..]].concat());
                assert_eq!(done.code, Some(0), "{done:?}");
                assert_eq!(
                    run(&["diff", &source, &made.path("written")]).good(),
                    "",
                    "{name} {to}"
                );
            }
            let message =
                made.written(&["convert", &source, "T", "--to", to, "--expand"]).0.refused();
            let output = format!("{} cannot be stored exactly as {own}; {wide} can", -value);
            assert!(message.contains(&output), "{message}");
        }
        let mut printed = run(&["cat", "--expand", &source]).good();
        let mut found: Vec<&str> = printed.lines().collect();
        found.sort_unstable();
        assert_eq!(found, lines);
        printed.clear();
    }
    // Zeros of integers do not become negative zeros of floats.
    let zero = made.skew("z", "int32", 0);
    made.value_type(&["convert", &zero, "T", "--expand", "--type", "float64"]);
    assert!(!run(&["cat", &made.path("written")]).good().contains('-'));
}

#[test]
fn the_smallest_type_of_one_triangle_need_not_hold_the_other() {
    let made = made();
    for (own, value, kept, whole) in [
        ("int16", -32_768, "int16", "int32"),
        ("uint16", 60_000, "uint16", "int32"),
        ("uint16", 200, "uint16", "int16"),
        ("uint16", 7, "int8", "int8"),
        ("int16", -128, "int16", "int16"),
    ] {
        let source = made.skew(&format!("{own}{value}"), own, value);
        let to = ["convert", &source, "T", "--minimize"];
        assert_eq!(made.value_type(&to), kept, "{own} {value}");
        assert_eq!(made.value_type(&[&to[..], &["--expand"]].concat()), whole, "{own} {value}");
        assert_eq!(run(&["diff", &source, &made.path("written")]).good(), "");
    }
}

#[test]
fn different_numbers_are_printed_differently() {
    let made = made();
    let text = |kind: &str| format!("%%MatrixMarket matrix coordinate {kind}\n1 1 1\n1 1 0.1\n");
    let [from, single, double] = ["a.mtx", "b.bsp.npz", "c.bsp.npz"].map(|name| made.path(name));
    fs::write(&from, text("real general")).unwrap();
    let to = |target: &str, value_type: &str| {
        let options = ["--to", "CSR", "--type", value_type, "--lossy"];
        run(&[&["-q", "convert", &from, target], &options[..]].concat()).good();
    };
    to(&single, "float32");
    to(&double, "float64");
    let output = run(&["diff", &double, &single]);
    assert_eq!(output.out, "0\t0\t0.1 (float64)\t0.1 (float32)\n");
}

#[test]
fn the_fill_value_of_a_dense_matrix_is_ignored() {
    let made = made();
    let source = made.complete("d");
    for (target, entries) in [("d.mtx", "0\t0\t1\n0\t1\t2\n"), ("d.dbdf", "0\t0\t1\n0\t1\t2\n")] {
        let target = made.path(target);
        run(&["-q", "convert", &source, &target, "--strict"]).good();
        assert_eq!(run(&["cat", &target]).good(), entries);
        assert_eq!(run(&["diff", &source, &target]).good(), "");
    }
    let output = run(&["stats", &source]).good();
    assert!(output.contains('3'), "{output}");
    // In a sparse format without fill values, zeros are omitted, not elements with the fill value.
    let about = json!({"format": "DMATR", "shape": [1, 3], "number_of_stored_values": 3,
        "fill": true, "data_types": {"values": "int32", "fill_value": "int32"}});
    let arrays = [("values", &[0, 7, 2][..]), ("fill_value", &[7])];
    let source = binsparse(&made.0.path().join("e"), about, &arrays);
    let target = made.path("e.mtx");
    run(&["-q", "convert", &source, &target, "--layout", "coordinate"]).good();
    assert_eq!(run(&["cat", &target]).good(), "0\t1\t7\n0\t2\t2\n");
}

//! Matrices and tensors with a fill value, compared by element.

use std::process::Command;

use nnz_testing::command::{Run, finish, program, run, text};
use nnz_testing::npy::binsparse;
use serde_json::{Value, json};

fn check_equivalence(first: &str, second: &str) -> Run {
    finish(Command::new(program("check_equivalence")).args([first, second]))
}

/// Returns whether two are equal. The command and the tool must agree, in both directions.
fn equal(first: &str, second: &str) -> bool {
    let found = run(&["diff", first, second]);
    assert_eq!(found.out.is_empty(), found.code == Some(0), "{found:?}");
    assert!(found.code < Some(2) && found.err.is_empty(), "{found:?}");
    for again in [run(&["diff", second, first]), check_equivalence(first, second)] {
        assert_eq!(again.code, found.code, "{first} {second}: {again:?}");
    }
    found.code == Some(0)
}

fn described(format: &str, shape: &[u64], stored: usize, fill: bool) -> Value {
    json!({"format": format, "shape": shape, "number_of_stored_values": stored, "fill": fill,
        "data_types": {}})
}

struct Fixture(tempfile::TempDir);

impl Fixture {
    /// A matrix in compressed rows, of a value type.
    fn csr(&self, name: &str, value_type: &str, entries: [&[i32]; 3], fill: Option<i32>) -> String {
        let [pointers, indices, values] = entries;
        let mut about = described("CSR", &[2, 2], values.len(), fill.is_some());
        about["data_types"]["values"] = value_type.into();
        about["data_types"]["fill_value"] = value_type.into();
        let fill: Vec<i32> = fill.into_iter().collect();
        let mut arrays =
            vec![("pointers_to_1", pointers), ("indices_1", indices), ("values", values)];
        if fill.is_empty() {
            about["data_types"].as_object_mut().unwrap().remove("fill_value");
        } else {
            arrays.push(("fill_value", &fill));
        }
        binsparse(&self.0.path().join(name), about, &arrays)
    }

    fn converted(&self, from: &str, name: &str, to: &str) -> String {
        let path = self.0.path().join(name);
        run(&["convert", from, text(&path), "--to", to, "--no-sync", "--quiet"]).good();
        text(&path).to_owned()
    }
}

fn made() -> Fixture {
    Fixture(tempfile::tempdir().unwrap())
}

#[test]
fn stored_fill_values_equal_unstored_elements() {
    let made = made();
    // 3 9
    // 3 3
    let few = made.csr("few", "int64", [&[0, 1, 1], &[1], &[9]], Some(3));
    let more = made.csr("more", "int64", [&[0, 1, 2], &[1, 0], &[9, 3]], Some(3));
    let floats = made.csr("floats", "float64", [&[0, 1, 2], &[1, 1], &[9, 3]], Some(3));
    let other = made.csr("other", "int64", [&[0, 1, 2], &[1, 0], &[9, 4]], Some(3));
    for format in ["DMATR", "DMATC"] {
        let dense = made.converted(&few, format, format);
        assert!(equal(&few, &dense) && equal(&more, &dense) && equal(&floats, &dense), "{format}");
        assert!(!equal(&other, &dense));
    }
    assert!(equal(&few, &more) && equal(&few, &floats));
    assert_eq!(run(&["diff", &few, &other]).out, "1\t0\t-\t4\n");
    // Stored entries are different.
    assert_eq!(run(&["diff", "--stored", &few, &more]).out, "1\t0\t-\t3\n");
}

#[test]
fn different_fill_values_only_affect_unstored_elements() {
    let made = made();
    // 3 9
    // 3 3
    let few = made.csr("few", "int64", [&[0, 1, 1], &[1], &[9]], Some(3));
    let all = [&[0, 2, 4][..], &[0, 1, 0, 1], &[3, 9, 3, 3]];
    assert!(equal(&few, &made.csr("all", "int64", all, Some(7))));
    assert!(equal(&few, &made.csr("plain", "int64", all, None)));
    assert!(equal(&few, &made.csr("floats", "float64", all, Some(7))));
    let most = [&[0, 2, 3][..], &[0, 1, 0], &[3, 9, 3]];
    let most = made.csr("most", "int64", most, Some(7));
    assert!(!equal(&few, &most));
    assert_eq!(run(&["diff", &few, &most]).out, "1\t1\t3\t7\n");
    let none = made.csr("none", "int64", [&[0, 0, 0], &[], &[]], None);
    // An element of one matrix, and three of neither.
    let found = "0\t0\t3\t-\n0\t1\t9\t-\n1\t0\t3\t-\n1\t1\t3\t-\n";
    assert_eq!(run(&["diff", &few, &none]).out, found);
    assert_eq!(run(&["diff", &few, &none, "--max-diffs", "1"]).out, "0\t0\t3\t-\n");
    // Not an element that both omit, but two that have zero in one and the fill value in the other.
    let across = made.csr("across", "int64", [&[0, 1, 3], &[0, 0, 1], &[3, 3, 0]], Some(9));
    let zeros = made.csr("zeros", "int64", [&[0, 2, 3], &[0, 1, 0], &[3, 9, 3]], None);
    assert!(equal(&across, &zeros));
    let output = run(&["diff", "--stored", &few, &most]).out;
    assert!(output.starts_with("fill\t3\t7\n"), "{output}");
}

#[test]
fn vectors_and_tensors_with_a_fill_value_equal_dense_ones() {
    let made = made();
    let place = |name: &str| made.0.path().join(name);
    let arrays: [(&str, &[i32]); 3] = [("indices_0", &[1]), ("values", &[9]), ("fill_value", &[3])];
    let vector = binsparse(&place("v"), described("CVEC", &[3], 1, true), &arrays);
    assert!(equal(&vector, &made.converted(&vector, "dv", "DVEC")));
    let tensor = |name: &str, stored: i32, values: &[i32], fill: i32| {
        let mut about = described("custom", &[2, 1, 2], values.len(), true);
        about["custom"] = json!({"level": {"level_desc": "sparse", "rank": 3,
            "level": {"level_desc": "element"}}});
        let count = usize::try_from(stored).unwrap();
        let indices = [[0, 0, 1, 1], [0; 4], [0, 1, 0, 1]].map(|list| list[..count].to_vec());
        let fill = [fill];
        let arrays: [(&str, &[i32]); 5] = [
            ("indices_0", &indices[0]),
            ("indices_1", &indices[1]),
            ("indices_2", &indices[2]),
            ("values", values),
            ("fill_value", &fill),
        ];
        binsparse(&place(name), about, &arrays)
    };
    let few = tensor("few", 1, &[9], 3);
    let dense = made.converted(&few, "dense", "dense3(element)");
    assert!(equal(&few, &dense));
    assert!(equal(&few, &tensor("more", 2, &[9, 3], 3)));
    assert!(equal(&few, &tensor("all", 4, &[9, 3, 3, 3], 7)));
    assert!(!equal(&few, &tensor("most", 3, &[9, 3, 3], 7)));
    assert!(!equal(&dense, &tensor("wrong", 2, &[9, 4], 3)));
}

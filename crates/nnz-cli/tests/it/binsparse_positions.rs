//! Outer indices of Binsparse without entries are checked by all verbs that read.

use nnz_testing::command::{run, text};
use nnz_testing::npy::binsparse;
use serde_json::{Value, json};

/// A descriptor with a level tree.
fn about(levels: &[(&str, usize)], shape: &[u64], stored: u64) -> Value {
    let mut tree = json!({"level_desc": "element"});
    for (kind, rank) in levels.iter().rev() {
        tree = json!({"level_desc": kind, "rank": rank, "level": tree});
    }
    json!({"format": "custom", "custom": {"level": tree}, "shape": shape,
        "number_of_stored_values": stored, "data_types": {}})
}

/// Runs verbs that read, with one thread and with four, and expects the same error.
fn refused(from: &str, to: &str, verbs: &[&str], message: &str) {
    let found = run(&["validate", from]);
    assert_eq!(found.code, Some(1), "{found:?}");
    assert!(found.out.contains(message), "{found:?}");
    for verb in verbs {
        for threads in ["1", "4"] {
            let mut arguments = vec![*verb, from];
            match *verb {
                "cat" => {}
                "stats" => arguments.extend(["--threads", threads]),
                "diff" => arguments.extend([from, "--threads", threads]),
                _ => arguments.extend([to, "--no-sync", "--force", "--threads", threads]),
            }
            let done = run(&arguments);
            assert!(done.code != Some(0), "{verb} {threads}: {done:?}");
            assert!(done.err.contains(message), "{verb} {threads}: {done:?}");
            assert_eq!(done.out, "", "{verb} {threads}");
        }
    }
}

#[test]
fn outer_indices_of_a_tensor_are_checked() {
    let folder = tempfile::tempdir().unwrap();
    for (case, (outer, message)) in [
        ([1, 0], "indices_0, element 1: found 0"),
        ([0, 9], "indices_0, element 1: found 9"),
        ([2, 2], "indices_0, element 1: found"),
    ]
    .into_iter()
    .enumerate()
    {
        // The entry is in the first or second position, and the other one is empty.
        for pointers in [[0, 1, 1], [0, 0, 1]] {
            let name = format!("{case}{}.bsp", pointers[1]);
            let tree = about(&[("sparse", 1), ("sparse", 2)], &[3, 3, 3], 1);
            let arrays: [(&str, &[i32]); 5] = [
                ("indices_0", &outer),
                ("pointers_to_1", &pointers),
                ("indices_1", &[2]),
                ("indices_2", &[1]),
                ("values", &[7]),
            ];
            let from = binsparse(&folder.path().join(name), tree, &arrays);
            let to = folder.path().join("to.bsp.npz");
            if pointers[1] == 0 {
                refused(&from, text(&to), &["cat", "convert"], message);
                continue;
            }
            // `cat` prints the entry before the error.
            refused(&from, text(&to), &["convert"], message);
            assert_eq!(run(&["cat", &from]).code, Some(1));
        }
    }
}

#[test]
fn outer_indices_of_a_matrix_without_entries_are_checked() {
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("to.bsp.npz");
    let verbs = ["cat", "convert", "transpose", "stats", "diff"];
    for (number, inner) in ["dense", "sparse"].into_iter().enumerate() {
        for outer in [[1, 0], [0, 9]] {
            let name = format!("{number}{}.bsp", outer[0]);
            let mut arrays: Vec<(&str, &[i32])> = vec![("indices_0", &outer), ("values", &[])];
            if inner == "sparse" {
                arrays.extend([("pointers_to_1", &[0, 0, 0][..]), ("indices_1", &[])]);
            }
            let tree = about(&[("sparse", 1), (inner, 1)], &[3, 0], 0);
            let from = binsparse(&folder.path().join(name), tree, &arrays);
            refused(&from, text(&to), &verbs, "indices_0, element 1: found");
        }
    }
}

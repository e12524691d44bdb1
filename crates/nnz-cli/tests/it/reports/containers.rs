//! HDF5 files and Zarr stores.

use std::fs;

use nnz_testing::command::{run, text};
use nnz_testing::server::{Behavior, Server, WrongAnswer};
use serde_json::Value;

use super::report;

/// Returns what `cat` prints for a column of the numbers 1 to `len`.
fn column(len: u32) -> String {
    (1..=len).map(|n| format!("{}\t0\t{n}.0\n", n - 1)).collect()
}

fn info(path: &str) -> Value {
    serde_json::from_str(&run(&["info", "--json", path]).good()).unwrap()
}

/// Returns the paths of the members that `info` lists.
fn members(path: &str) -> Vec<String> {
    let info = info(path);
    let members = info["members"].as_array().unwrap().iter();
    members.map(|member| member["path"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn layout_messages_of_versions_1_and_2_are_read() {
    for version in [1, 2] {
        for (kind, len) in [("contiguous", 6), ("chunked", 6), ("compact", 8)] {
            let path = report(&format!("hdf5-layout-v2/{kind}_v{version}.mat"));
            assert_eq!(run(&["cat", &path]).good(), column(len), "{path}");
            assert_eq!(run(&["validate", &path]).good(), "", "{path}");
        }
    }
    // Written by MATLAB 7.4; the values are those that h5py reads.
    let path = report("corpora/testhdf5_7.4_GLNX86.mat");
    let values = run(&["cat", &path]).good();
    let found: Vec<f64> =
        values.lines().map(|line| line.rsplit('\t').next().unwrap().parse().unwrap()).collect();
    let step = std::f64::consts::FRAC_PI_4;
    let expected: Vec<f64> = (0..9).map(|n| f64::from(n) * step).collect();
    assert_eq!(found, expected);
}

#[test]
fn groups_of_zarr_with_a_missing_chunk_are_read() {
    for (store, group) in [("d0", ""), ("d1", "::g"), ("d2", "::a/b"), ("d3", "::a/b/c")] {
        let path = report(&format!("zarr-group-missing-chunk/{store}.zarr{group}"));
        assert_eq!(run(&["cat", &path]).good(), "2\t2\t1.5\n", "{path}");
    }
}

#[test]
fn an_unsupported_neighbour_does_not_hide_its_group() {
    let path = report("corpora/user_link.mat");
    assert!(members(&path).contains(&"g2/dset2.2".to_owned()));
    let found = run(&["validate", "--notes", &path]).good();
    assert!(found.contains("g2/udlink: a user-defined link"), "{found}");
    // The last of the values that h5py reads, of 3 x 5: columns of MATLAB are rows of HDF5.
    let values = run(&["cat", &format!("{path}::g2/dset2.2")]).good();
    assert!(values.ends_with("3\t2\t0.9\n4\t2\t1.2\n"), "{values}");

    let path = report("corpora/committed_attribute.mat");
    assert!(members(&path).contains(&"groupB/dmat".to_owned()));
    let found = run(&["validate", "--notes", &path]).good();
    assert!(found.contains("groupA/date@__TYPE_VARIANT__: an attribute of enumeration"), "{found}");
}

#[test]
fn links_that_are_not_followed_and_virtual_datasets_are_named() {
    let message = |name: &str| {
        let found = run(&["cat", &report(&format!("hdf5-messages/{name}"))]);
        assert_ne!(found.code, Some(0));
        found.err
    };
    let found = message("extlink.bsp.h5");
    assert!(
        found.contains("values: an external link to the file \"src.h5\" is not followed"),
        "{found}"
    );
    let found = message("vds.bsp.h5");
    assert!(found.contains("values: HDF5 virtual datasets are not supported"), "{found}");
}

#[test]
fn files_that_are_no_hdf5_are_named_so_whatever_their_extension() {
    let folder = tempfile::tempdir().unwrap();
    for extension in ["loom", "h5ad"] {
        for (source, expected) in [("empty", "an empty file"), ("html", "a file of another format")]
        {
            let path = folder.path().join(format!("{source}.{extension}"));
            fs::copy(report(&format!("hdf5-messages/{source}.loom")), &path).unwrap();
            let found = run(&["cat", text(&path)]).err;
            assert!(found.contains(&format!("found {expected}, expected HDF5")), "{found}");
        }
    }
}

#[test]
fn delta_of_zarr_3_accepts_all_names_of_a_type() {
    let folder = tempfile::tempdir().unwrap();
    let expected = run(&["cat", &report("corpora/zarr3_delta_int32.zarr")]).good();
    assert_eq!(expected.lines().count(), 4);
    let store = folder.path().join("m.zarr");
    fs::create_dir_all(store.join("values/c")).unwrap();
    let from = |name: &str| report(&format!("corpora/zarr3_delta_int32.zarr/{name}"));
    for name in ["zarr.json", "values/c/0"] {
        fs::copy(from(name), store.join(name)).unwrap();
    }
    let metadata = fs::read_to_string(from("values/zarr.json")).unwrap();
    for name in ["i4", "<i4", "int32"] {
        let named = metadata.replace("\"dtype\": \"int32\"", &format!("\"dtype\": \"{name}\""));
        fs::write(store.join("values/zarr.json"), named).unwrap();
        assert_eq!(run(&["cat", text(&store)]).good(), expected, "{name}");
    }
    for name in ["i8", "float32", "u4", ">i4", ""] {
        let named = metadata.replace("\"dtype\": \"int32\"", &format!("\"dtype\": \"{name}\""));
        fs::write(store.join("values/zarr.json"), named).unwrap();
        let found = run(&["cat", text(&store)]).err;
        assert!(found.contains("only supported for integers of the array's type"), "{found}");
    }
}

#[test]
fn directories_on_web_servers_with_wrong_answers_do_not_seem_missing() {
    let folder = tempfile::tempdir().unwrap();
    let source = report("hdf5-layout-v2/contiguous_v1.mat");
    let names = ["a.npz", "a.bpcells", "a.zarr", "a.bsp"];
    for name in names {
        run(&["-q", "convert", &source, text(&folder.path().join(name))]).good();
    }
    let server = Server::new(folder.path());
    for (wrong, expected) in [
        (WrongAnswer::Compressed, "the server compressed its response"),
        (WrongAnswer::OtherRange, "another range than requested"),
        (WrongAnswer::Short, "sent fewer bytes than announced"),
    ] {
        server.set(Behavior { wrong_answer: Some(wrong), ..Behavior::default() });
        for name in names {
            let found = run(&["cat", &server.url(name)]).err;
            assert!(found.contains(expected), "{name}: {found}");
        }
    }
    server.set(Behavior::default());
    let found = run(&["cat", &server.url("missing.zarr")]).err;
    assert!(found.contains("no such file or directory"), "{found}");
}

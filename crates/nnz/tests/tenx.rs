//! Files and folders of 10x: each matrix of the test data is read as its manifest has it, and each
//! broken one is refused with its place.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::cast_possible_truncation,
    dead_code,
    missing_docs,
    unreachable_pub,
    reason = "a test stops where it fails"
)]

mod common;
#[path = "common/manifest.rs"]
mod manifest;

use nnz::{Axis, Location, matrix::AxisKind};

/// What may be read or refused, and is refused.
const REFUSED: [&str; 4] = [
    "mtx/bad_no_barcodes",
    // Plain files come first, and features before genes; here they have another length.
    "mtx/both_genes_and_features",
    "bad/indptr_below_end.h5",
    "bad/shape_huge_rows.h5",
];

#[test]
fn every_matrix_is_read_as_its_manifest_has_it() {
    let mut wrong = Vec::new();
    let (mut read, mut refused) = (0, 0);
    for entry in manifest::entries("tenx") {
        let name = entry.text("path").to_owned();
        let sound = entry.text("verdict") != "must_reject" && !REFUSED.contains(&&*name);
        let result = manifest::read_whole(&entry.location());
        if !sound {
            refused += 1;
            match result {
                Ok(()) => wrong.push(format!("{name} is read")),
                Err(error) if !manifest::has_place(&error, &entry.path()) => {
                    wrong.push(format!("{name}: no place: {error}"));
                }
                Err(_) => {}
            }
            continue;
        }
        read += 1;
        let Some(expected) = entry.expected() else {
            wrong.extend(result.err().map(|error| format!("{name}: {error}")));
            continue;
        };
        let compared = match manifest::open(&entry.location()) {
            Ok(matrix) => {
                let kinds = matrix.header().axis_kinds;
                let axes: Vec<String> = kinds.iter().map(ToString::to_string).collect();
                if serde_json::json!(axes) == expected["axes"] {
                    manifest::compare(&*matrix, expected)
                } else {
                    Err(format!("axes {axes:?}, expected {}", expected["axes"]))
                }
            }
            Err(error) => Err(error.to_string()),
        };
        wrong.extend(compared.err().map(|what| format!("{}: {what}", entry.name())));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(read > 90 && refused > 30, "{read} read, {refused} refused");
}

fn place(file: &str, group: Option<&str>) -> Location {
    let path = common::root().join("testdata/tenx").join(file);
    Location::Path { path, group: group.map(ToOwned::to_owned) }
}

#[test]
fn a_file_with_one_matrix_needs_no_group() {
    for (file, group) in [("h5/cr3_gex.h5", "matrix"), ("h5/cr2_one_genome.h5", "GRCh38")] {
        let alone = manifest::open(&place(file, None)).unwrap();
        let named = manifest::open(&place(file, Some(group))).unwrap();
        assert_eq!(alone.header(), named.header());
        assert_eq!(alone.header().axis_kinds, [AxisKind::Features, AxisKind::Cells]);
        let names = |axis| alone.names(axis).unwrap().unwrap().len();
        assert_eq!(names(Axis::Rows), alone.header().shape.rows);
    }
}

#[test]
fn of_several_genomes_one_has_to_be_named() {
    let error = manifest::open(&place("h5/cr2_two_genomes.h5", None)).err().unwrap().to_string();
    assert!(error.contains("name one of"), "{error}");
    assert!(error.contains("::/hg19") && error.contains("::/mm10"), "{error}");
    // All of them are checked.
    let mut findings = Vec::new();
    let whole = place("h5/cr2_two_genomes.h5", None);
    nnz::validate(whole, &nnz::ValidateOptions::default(), &mut |f| findings.push(f)).unwrap();
    assert!(findings.is_empty(), "{findings:?}");
}

#[test]
fn molecules_are_refused_by_name() {
    let error = manifest::open(&place("bad/molecule_info.h5", None)).err().unwrap().to_string();
    assert!(error.contains("molecule_info.h5 of Cell Ranger"), "{error}");
}

#[test]
fn features_have_other_names() {
    let matrix = manifest::open(&place("h5/cr3_feature_barcode.h5", None)).unwrap();
    let others = matrix.read_other_names(Axis::Rows).unwrap().unwrap().list().unwrap();
    let first = String::from_utf8(others.get(0).unwrap().to_vec()).unwrap();
    assert!(first.contains("\tGene Expression\t"), "{first}");
    assert!(matrix.extras()[0].starts_with("of the features: name, feature_type, genome"));
}

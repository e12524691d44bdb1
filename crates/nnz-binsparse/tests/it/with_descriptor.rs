//! Writing a tensor with a given descriptor, which has to match the tensor.

use nnz_binsparse::{Tensor, read_tensor, validate, write_with_descriptor};
use nnz_container::memory::Memory;
use nnz_core::{Scalar, Structure, Triangle, Values};
use serde_json::json;

fn written(tensor: &Tensor, descriptor: &serde_json::Value) -> nnz_core::Result<Memory> {
    let memory = Memory::new();
    let mut writer = memory.writer();
    write_with_descriptor(&mut writer, tensor, &descriptor.to_string())?;
    writer.finish()?;
    Ok(memory)
}

/// A matrix of two rows and columns.
fn matrix(places: &[(u64, u64)], values: Values, fill: Option<Scalar>) -> Tensor {
    let (rows, cols) = places.iter().copied().unzip();
    let coordinates = vec![rows, cols];
    Tensor { shape: vec![2, 2], coordinates, values, structure: Structure::General, fill }
}

const DIAGONAL: [(u64, u64); 2] = [(0, 0), (1, 1)];
const ALL: [(u64, u64); 4] = [(0, 0), (0, 1), (1, 0), (1, 1)];

fn refused(tensor: &Tensor, descriptor: serde_json::Value) -> String {
    written(tensor, &descriptor).err().unwrap().to_string()
}

#[test]
fn a_fill_value_is_required_if_the_tensor_has_one() {
    let without = json!({"format": "CSR", "fill": false});
    let tensor = |fill| matrix(&DIAGONAL, Values::F64(vec![1.0, 2.0]), Some(fill));
    for (fill, part) in
        [(Scalar::I64(7), "have the value 7"), (Scalar::F64(-0.0), "have the value -0.0")]
    {
        let message = refused(&tensor(fill), without.clone());
        assert!(message.contains("binsparse.fill") && message.contains(part), "{message}");
    }
    for zero in [Scalar::I64(0), Scalar::F64(0.0)] {
        written(&tensor(zero), &without).unwrap();
    }
}

#[test]
fn the_type_of_values_has_to_fit_the_fill_value() {
    let tensor = |fill| matrix(&DIAGONAL, Values::F64(vec![1.0, 2.0]), Some(fill));
    let large = tensor(Scalar::I64((1 << 60) + 1));
    let message = refused(&large, json!({"format": "CSR"}));
    assert!(message.contains("1152921504606846977") && message.contains("float64"), "{message}");
    let half = tensor(Scalar::F64(7.5));
    let narrow = json!({"format": "CSR", "data_types": {"values": "int8"}});
    let message = refused(&half, narrow);
    assert!(message.contains("7.5") && message.contains("int8"), "{message}");
    written(&half, &json!({"format": "CSR"})).unwrap();
    // A fill type of its own is allowed if the other type can represent the value.
    let other = json!({"format": "CSR", "data_types": {"values": "int8", "fill_value": "int64"}});
    written(&tensor(Scalar::F64(7.0)), &other).unwrap();
}

#[test]
fn a_wrong_number_of_diagonal_elements_is_an_error() {
    let tensor = matrix(&DIAGONAL, Values::I8(vec![1, 2]), None);
    for structure in [None, Some("symmetric_lower")] {
        let stated = |count: i32| {
            let attributes = json!({"number_of_diagonal_elements": count});
            let mut descriptor = json!({"format": "CSR", "attributes": attributes});
            if let Some(structure) = structure {
                descriptor["structure"] = structure.into();
            }
            descriptor
        };
        let message = refused(&tensor, stated(77));
        assert!(message.contains("77") && message.contains("expected 2"), "{message}");
        written(&tensor, &stated(2)).unwrap();
    }
}

#[test]
fn a_structure_requires_both_triangles() {
    let lower = json!({"format": "CSR", "structure": "symmetric_lower"});
    // 1 5
    // 5 2
    let both = matrix(&ALL, Values::I64(vec![1, 5, 5, 2]), None);
    for (name, triangle, at) in
        [("symmetric_lower", Triangle::Lower, (1, 0)), ("symmetric_upper", Triangle::Upper, (0, 1))]
    {
        let descriptor = json!({"format": "CSR", "structure": name, "number_of_stored_values": 3});
        let memory = written(&both, &descriptor).unwrap();
        let mut found = Vec::new();
        validate(&|| Ok(memory.arrays()), &mut |finding| found.push(finding)).unwrap();
        assert_eq!(found.len(), 0);
        let mut expected = matrix(&[(0, 0), at, (1, 1)], Values::I64(vec![1, 5, 2]), None);
        expected.structure = Structure::Symmetric(triangle);
        assert!(read_tensor(&memory.arrays(), 1 << 20).unwrap().same(&expected).unwrap(), "{name}");
    }
    let other = matrix(&ALL, Values::I64(vec![1, 9, 5, 2]), None);
    let message = refused(&other, lower.clone());
    assert!(message.contains("row 0, column 1") && message.contains("found 9, "), "{message}");
    // Elements that are not stored differ from those across the diagonal.
    for missing in [[(0, 0), (1, 0), (1, 1)], [(0, 0), (0, 1), (1, 1)]] {
        let one = matrix(&missing, Values::I64(vec![1, 5, 2]), Some(Scalar::I64(0)));
        let message = refused(&one, lower.clone());
        let place = format!("row {}, column {}", missing[1].1, missing[1].0);
        assert!(message.contains(&place) && message.contains("no entry"), "{message}");
    }
}

#[test]
fn skew_and_hermitian_triangles_are_checked_with_their_sign() {
    let skew = |name: &str| json!({"format": "COOR", "structure": name});
    let places = [(0, 1), (1, 0)];
    let turned = matrix(&places, Values::F64(vec![-5.0, 5.0]), None);
    written(&turned, &skew("skew_symmetric_lower")).unwrap();
    refused(&turned, skew("symmetric_lower"));
    let equal = matrix(&places, Values::F64(vec![5.0, 5.0]), None);
    refused(&equal, skew("skew_symmetric_lower"));
    let unsigned = matrix(&places, Values::U8(vec![5, 5]), None);
    refused(&unsigned, skew("skew_symmetric_lower"));
    let conjugated = matrix(&places, Values::ComplexF64(vec![[1.0, 2.0], [1.0, -2.0]]), None);
    written(&conjugated, &skew("hermitian_upper")).unwrap();
    refused(&conjugated, skew("symmetric_upper"));
    // The fill value does not correspond to itself either.
    let filled = Tensor { fill: Some(Scalar::F64(7.0)), ..turned };
    assert!(refused(&filled, skew("skew_symmetric_lower")).contains("a fill value that is valid"));
}

#[test]
fn the_outer_object_of_a_descriptor_is_accepted() {
    let tensor = matrix(&DIAGONAL, Values::I8(vec![1, 2]), None);
    let memory = written(&tensor, &json!({"binsparse": {"format": "CSR"}, "note": 1})).unwrap();
    assert!(read_tensor(&memory.arrays(), 1 << 20).unwrap().same(&tensor).unwrap());
    let text = memory.arrays().attribute("binsparse").unwrap();
    let found: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&found["note"], &found["binsparse"]["format"]), (&json!(1), &json!("CSR")));
}

#[test]
fn the_sign_of_zero_is_ignored_across_the_diagonal() {
    let stated = |name: &str| json!({"format": "COOR", "structure": name});
    // A real number on both sides of the diagonal, and a zero whose sign was not flipped.
    let plain = matrix(&ALL, Values::ComplexF64(vec![[1.0, 0.0]; 4]), None);
    written(&plain, &stated("hermitian_lower")).unwrap();
    let zeros = matrix(&ALL, Values::F32(vec![0.0; 4]), Some(Scalar::F32(-0.0)));
    let filled = json!({"format": "COOR", "structure": "skew_symmetric_upper", "fill": true});
    written(&zeros, &filled).unwrap();
    let other = matrix(&ALL, Values::ComplexF64(vec![[1.0, 1e-300]; 4]), None);
    refused(&other, stated("hermitian_lower"));
    // NaN equals only NaN with the same bits.
    let of = |across| Values::F64(vec![1.0, f64::NAN, across, 1.0]);
    written(&matrix(&ALL, of(f64::NAN), None), &stated("symmetric_lower")).unwrap();
    refused(&matrix(&ALL, of(-f64::NAN), None), stated("symmetric_lower"));
}

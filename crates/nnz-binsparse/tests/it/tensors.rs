//! Tensors with any levels round-trip.

use std::collections::BTreeMap;

use nnz_binsparse::{
    DESCRIPTOR, Descriptor, EntryReader, Format, Layout, Level, LevelKind, Options, Tensor,
    capabilities, read_tensor, write_tensor,
};
use nnz_container::memory::Memory;
use nnz_core::{Bint8, ErrorKind, Scalar, Structure, ValueType, Values};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::common;
use crate::common::{Case, sorted};

const PLENTY: u64 = 1 << 30;

fn written(tensor: &Tensor, layout: &Layout, options: &Options) -> nnz_core::Result<Memory> {
    let memory = Memory::new();
    let mut writer = memory.writer();
    write_tensor(&mut writer, tensor, layout, options)?;
    writer.finish()?;
    Ok(memory)
}

fn entries(tensor: &Tensor) -> Vec<common::Entry> {
    (0..tensor.len())
        .map(|entry| {
            let at = tensor.coordinates.iter().map(|list| list[entry]).collect();
            (at, tensor.values.get(entry).unwrap())
        })
        .collect()
}

/// Creates a value of a type from any bits.
fn value(value_type: ValueType, bits: u64) -> Scalar {
    #[allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "any will do")]
    match value_type {
        ValueType::U8 => Scalar::U8(bits as u8),
        ValueType::U16 => Scalar::U16(bits as u16),
        ValueType::U32 => Scalar::U32(bits as u32),
        ValueType::U64 => Scalar::U64(bits),
        ValueType::I8 => Scalar::I8(bits as i8),
        ValueType::I16 => Scalar::I16(bits as i16),
        ValueType::I32 => Scalar::I32(bits as i32),
        ValueType::I64 => Scalar::I64(bits as i64),
        ValueType::F32 => Scalar::F32(f32::from_bits(bits as u32)),
        ValueType::F64 => Scalar::F64(f64::from_bits(bits)),
        ValueType::Bint8 => Scalar::Bint8(Bint8((bits & 1) as u8)),
        ValueType::ComplexF32 => {
            Scalar::ComplexF32([f32::from_bits(bits as u32), f32::from_bits((bits >> 32) as u32)])
        }
        ValueType::ComplexF64 => Scalar::ComplexF64([f64::from_bits(bits), 0.5]),
    }
}

fn layouts() -> impl Strategy<Value = Layout> {
    (0..7_usize)
        .prop_flat_map(|rank| {
            let cuts = vec((any::<bool>(), 1..4_usize), rank..=rank);
            let order = Just((0..rank).collect::<Vec<_>>()).prop_shuffle();
            (Just(rank), cuts, order, any::<bool>())
        })
        .prop_map(|(rank, cuts, order, transposed)| {
            let mut left = rank;
            let mut levels = Vec::new();
            for (dense, max_rank) in cuts {
                let rank = max_rank.min(left);
                if rank > 0 {
                    let kind = if dense { LevelKind::Dense } else { LevelKind::Sparse };
                    levels.push(Level { kind, rank });
                }
                left -= rank;
            }
            Layout::new(levels, transposed.then_some(order)).unwrap()
        })
}

fn tensors(rank: usize) -> impl Strategy<Value = Tensor> {
    let shape = vec(0..5_u64, rank..=rank);
    let entry = (vec(0..4_u64, rank..=rank), any::<u64>());
    let value_types = proptest::sample::select(ValueType::ALL);
    (shape, vec(entry, 0..20), value_types, any::<bool>(), proptest::option::of(any::<u64>()))
        .prop_map(|(shape, drawn, value_type, iso, fill)| {
            let mut entries: BTreeMap<Vec<u64>, u64> = BTreeMap::new();
            let mut order = Vec::new();
            for (at, bits) in drawn {
                let inside = at.iter().zip(&shape).all(|(index, extent)| index < extent);
                if inside && entries.insert(at.clone(), bits).is_none() {
                    order.push(at);
                }
            }
            if shape.is_empty() && order.is_empty() {
                order.push(Vec::new());
                entries.insert(Vec::new(), 7);
            }
            let coordinates =
                (0..shape.len()).map(|d| order.iter().map(|at| at[d]).collect()).collect();
            let mut values = Values::new(value_type);
            for at in &order {
                values.push(value(value_type, entries[at]));
            }
            if iso {
                values = Values::Iso(value(value_type, 0x0123_4567_89ab_cdef));
            }
            let fill = fill.map(|bits| value(value_type, bits));
            Tensor { shape, coordinates, values, structure: Structure::General, fill }
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_tensor_round_trips_in_any_layout(
        (layout, tensor) in layouts().prop_flat_map(|l| (Just(l.clone()), tensors(l.rank()))),
        minimize in any::<bool>(),
    ) {
        let options = Options { minimize, ..Options::default() };
        let memory = written(&tensor, &layout, &options).unwrap();
        let back = read_tensor(&memory.arrays(), PLENTY).unwrap();
        if !minimize {
            prop_assert!(tensor.same(&back).unwrap());
            prop_assert_eq!(back.value_type(), tensor.value_type());
        }
        prop_assert_eq!(&back.shape, &tensor.shape);
        let all_sparse = layout.levels().iter().all(|level| level.kind == LevelKind::Sparse);
        if all_sparse && !minimize {
            prop_assert_eq!(sorted(&entries(&back)), sorted(&entries(&tensor)));
            prop_assert_eq!(matches!(back.values, Values::Iso(_)), matches!(tensor.values, Values::Iso(_)));
        }
        let listed: Vec<Vec<u64>> = entries(&back).iter().map(|(at, _)| layout.stored(at)).collect();
        prop_assert!(listed.is_sorted());
        // Written tensors have no faults.
        let mut faults = Vec::new();
        nnz_binsparse::validate(&|| Ok(memory.arrays()), &mut |f| faults.push(f.to_string()))
            .unwrap();
        faults.retain(|finding| !finding.starts_with("note"));
        prop_assert_eq!(faults, Vec::<String>::new());
        let descriptor = EntryReader::open(&memory.arrays()).unwrap().descriptor().clone();
        prop_assert_eq!(descriptor.layout.merged(), layout.merged());
    }
}

#[test]
fn golden_tensors_round_trip_in_their_own_layout() {
    for case in Case::all("valid/") {
        let container = case.open().unwrap();
        let tensor = read_tensor(&container, PLENTY).unwrap();
        let descriptor = EntryReader::open(&container).unwrap().descriptor().clone();
        let memory = written(&tensor, &descriptor.layout, &Options::default()).unwrap();
        let back = read_tensor(&memory.arrays(), PLENTY).unwrap();
        assert_eq!(sorted(&entries(&back)), sorted(&entries(&tensor)), "{}", case.path());
        assert!(tensor.same(&back).unwrap(), "{}", case.path());
        let again = EntryReader::open(&memory.arrays()).unwrap().descriptor().clone();
        assert_eq!(again.stored, descriptor.stored, "{}", case.path());
        assert_eq!(again.structure, descriptor.structure);
        if descriptor.diagonal().is_some() {
            assert_eq!(again.diagonal(), descriptor.diagonal(), "{}", case.path());
        }
    }
}

/// A 2 x 3 x 2 tensor with three entries, with a level of every kind.
#[test]
fn the_arrays_are_those_of_the_specification() {
    let tensor = Tensor {
        shape: vec![2, 3, 2],
        coordinates: vec![vec![1, 0, 1], vec![2, 1, 0], vec![1, 0, 1]],
        values: Values::I16(vec![30, 10, 20]),
        structure: Structure::General,
        fill: Some(Scalar::I16(-1)),
    };
    // A[i, j, k] = B[j, i, k]: sparse along j, then dense along i, then sparse along k.
    let layout: Layout = "sparse(dense(sparse(element))) transposed 1 0 2".parse().unwrap();
    let memory = written(&tensor, &layout, &Options::default()).unwrap();
    let read = |name: &str| {
        let array = memory.arrays().array(name).unwrap();
        let mut elements = vec![0_u32; usize::try_from(array.len()).unwrap()];
        array.read_into(0, &mut elements).unwrap();
        elements
    };
    assert_eq!(read("indices_0"), [0, 1, 2]);
    // Two positions for each j: i = 0 and i = 1.
    assert_eq!(read("pointers_to_2"), [0, 0, 1, 2, 2, 2, 3]);
    assert_eq!(read("indices_2"), [1, 0, 1]);
    let mut values = [0_i16; 3];
    memory.arrays().array("values").unwrap().read_into(0, &mut values).unwrap();
    assert_eq!(values, [20, 10, 30]);
    assert_eq!(
        memory.arrays().attribute(DESCRIPTOR).unwrap(),
        concat!(
            r#"{"binsparse":{"version":"0.1","format":"custom","custom":{"level":{"level":"#,
            r#"{"level":{"level":{"level_desc":"element"},"level_desc":"sparse","rank":1},"#,
            r#""level_desc":"dense","rank":1},"level_desc":"sparse","rank":1},"transpose":[1,0,2]},"#,
            r#""shape":[2,3,2],"number_of_stored_values":3,"fill":true,"data_types":"#,
            r#"{"indices_0":"uint32","pointers_to_2":"uint32","indices_2":"uint32","#,
            r#""values":"int16","fill_value":"int16"}}}"#,
        )
    );
}

#[test]
fn a_tensor_that_does_not_fit_into_memory_is_an_error() {
    let case = Case::all("valid/hand/custom_S5").pop().unwrap();
    let error = read_tensor(&case.open().unwrap(), 1000).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Memory { allowed: 1000, .. }), "{error}");
}

#[test]
fn invalid_entries_are_errors() {
    let tensor = |rows: Vec<u64>, cols: Vec<u64>| Tensor {
        values: Values::F64(vec![1.0; rows.len()]),
        shape: vec![2, 2],
        coordinates: vec![rows, cols],
        structure: Structure::General,
        fill: None,
    };
    let csr = Format::Csr.layout();
    let refused = |tensor: &Tensor| written(tensor, &csr, &Options::default()).unwrap_err();
    assert!(matches!(refused(&tensor(vec![0, 0], vec![1, 1])).kind(), ErrorKind::Duplicate { .. }));
    assert!(refused(&tensor(vec![2], vec![0])).to_string().contains("less than 2"));
    assert!(refused(&tensor(vec![0, 1], vec![0])).to_string().contains("do not match in number"));
    let vector = Format::Cvec.layout();
    assert!(written(&tensor(vec![0], vec![0]), &vector, &Options::default()).is_err());
    let mut lower = tensor(vec![0], vec![1]);
    lower.structure = Structure::Symmetric(nnz_core::Triangle::Lower);
    assert!(refused(&lower).to_string().contains("above the diagonal"));
}

#[test]
fn tensors_compare_by_elements_not_by_stored_entries() {
    let tensor = |values: Vec<f64>, rows: Vec<u64>| Tensor {
        values: Values::F64(values),
        shape: vec![4],
        coordinates: vec![rows],
        structure: Structure::General,
        fill: None,
    };
    let one = tensor(vec![1.0, 0.0, 2.0], vec![3, 1, 0]);
    assert!(one.same(&tensor(vec![2.0, 1.0], vec![0, 3])).unwrap());
    assert!(!one.same(&tensor(vec![2.0, 1.5], vec![0, 3])).unwrap());
    assert!(!one.same(&tensor(vec![2.0, 1.0], vec![0, 2])).unwrap());
    // A negative zero is different from no entry.
    assert!(!one.same(&tensor(vec![2.0, 1.0, -0.0], vec![0, 3, 1])).unwrap());
    assert!(one.same(&tensor(vec![1.0, 1.0], vec![2, 2])).is_err());
}

#[test]
fn layouts_round_trip_as_text() {
    for format in Format::ALL {
        assert_eq!(format.name().parse(), Ok(format.layout()));
        assert_eq!(format.layout().to_string(), format.name());
        assert_eq!(format.layout().tree().parse(), Ok(format.layout()));
        assert_eq!(capabilities(&format.layout()).unwrap().orders, [format.order()]);
    }
    assert_eq!("coo".parse(), Ok(Format::Coor.layout()));
    for tree in ["element", "sparse3(element)", "dense(sparse2(element)) transposed 2 0 1"] {
        assert_eq!(tree.parse::<Layout>().unwrap().tree(), tree);
    }
    // Two dense levels are stored as one of rank two.
    assert_eq!("dense2(element)".parse::<Layout>().unwrap().format(), Some(Format::Dmatr));
    for wrong in [
        "",
        "CSX",
        "dense(element",
        "dense(element))",
        "sparse0(element)",
        "ragged(element)",
        "sparse65(element)",
        "dense(element) transposed 1",
        "dense2(element) transposed 0 0",
    ] {
        assert!(wrong.parse::<Layout>().is_err(), "{wrong}");
    }
}

#[test]
fn descriptors_round_trip() {
    for case in Case::all("valid/") {
        let text = case.open().unwrap().attribute(DESCRIPTOR).unwrap();
        let descriptor = Descriptor::parse(&text, &nnz_core::Place::default()).unwrap();
        let printed = descriptor.to_json().unwrap();
        assert!(!printed.contains('\n'));
        let again = Descriptor::parse(&printed, &nnz_core::Place::default()).unwrap();
        // The name of the format may have been added.
        let layout = descriptor.layout.merged();
        assert_eq!(again.layout.merged(), layout, "{}", case.path());
        let format = descriptor.layout.format();
        let expected = descriptor.clone().format(format).layout(again.layout.clone());
        assert_eq!(again.to_json().unwrap(), expected.to_json().unwrap());
        assert_eq!(again.user.iter().count(), expected.user.iter().count());
    }
}

#[test]
fn eight_dimensions_round_trip() {
    let shape = vec![2, 3, 1, 2, 4, 2, 3, 2];
    let mut entries: Vec<Vec<u64>> = (0..60_u64)
        .map(|n| {
            shape.iter().enumerate().map(|(d, extent)| (n * 37 / (d as u64 + 1)) % extent).collect()
        })
        .collect();
    entries.sort();
    entries.dedup();
    let values = (0..entries.len()).map(|n| f64::from(u32::try_from(n).unwrap()) + 0.5).collect();
    let coordinates = (0..8).map(|d| entries.iter().map(|at| at[d]).collect()).collect();
    let structure = Structure::General;
    let tensor = Tensor { shape, coordinates, values: Values::F64(values), structure, fill: None };
    for tree in [
        "sparse8(element)",
        "dense8(element)",
        "dense2(sparse(dense(sparse2(dense(sparse(element)))))) transposed 7 0 6 1 5 2 4 3",
        "sparse(sparse(sparse(sparse(sparse(sparse(sparse(sparse(element)))))))) transposed 1 2 3 4 5 6 7 0",
    ] {
        let memory = written(&tensor, &tree.parse().unwrap(), &Options::default()).unwrap();
        assert!(read_tensor(&memory.arrays(), PLENTY).unwrap().same(&tensor).unwrap(), "{tree}");
    }
}

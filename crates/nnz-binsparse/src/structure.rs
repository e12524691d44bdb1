//! Matrices of which one triangle is stored.

use nnz_core::{Order, Scalar, Structure, Triangle};

/// The structures and their names in a descriptor.
const NAMES: [(&str, Structure); 6] = [
    ("symmetric_lower", Structure::Symmetric(Triangle::Lower)),
    ("symmetric_upper", Structure::Symmetric(Triangle::Upper)),
    ("hermitian_lower", Structure::Hermitian(Triangle::Lower)),
    ("hermitian_upper", Structure::Hermitian(Triangle::Upper)),
    ("skew_symmetric_lower", Structure::SkewSymmetric(Triangle::Lower)),
    ("skew_symmetric_upper", Structure::SkewSymmetric(Triangle::Upper)),
];

/// Finds a structure by its name.
pub(crate) fn named(name: &str) -> Option<Structure> {
    NAMES.iter().find(|(known, _)| *known == name).map(|&(_, structure)| structure)
}

/// Returns the name of a structure; `None` for a general matrix.
pub(crate) fn name(structure: Structure) -> Option<&'static str> {
    NAMES.iter().find(|(_, known)| *known == structure).map(|&(name, _)| name)
}

/// Returns whether the stored minors of a major vector are before its diagonal, rather than after
/// it. Returns `None` for a general matrix.
pub(crate) fn before_diagonal(structure: Structure, order: Order) -> Option<bool> {
    structure.triangle().map(|triangle| (triangle == Triangle::Lower) == (order == Order::Row))
}

/// Returns what is wrong with the position of an entry, if anything.
pub(crate) fn misplaced(structure: Structure, row: u64, col: u64) -> Option<&'static str> {
    match structure.triangle()? {
        Triangle::Lower if row < col => Some("an entry above the diagonal"),
        Triangle::Upper if row > col => Some("an entry below the diagonal"),
        _ => None,
    }
}

/// Returns what a value on the diagonal should be, if it is invalid.
pub(crate) fn diagonal(structure: Structure, value: Scalar) -> Option<&'static str> {
    match structure {
        Structure::SkewSymmetric(_) if !is_zero(value) => {
            Some("zero on the diagonal of a skew-symmetric matrix")
        }
        Structure::Hermitian(_) if !is_real(value) => {
            Some("a real number on the diagonal of a hermitian matrix")
        }
        _ => None,
    }
}

/// Returns whether a value is zero, of either sign.
pub(crate) fn is_zero(value: Scalar) -> bool {
    match value {
        Scalar::F32(v) => v == 0.0,
        Scalar::F64(v) => v == 0.0,
        Scalar::ComplexF32(v) => v == [0.0; 2],
        Scalar::ComplexF64(v) => v == [0.0; 2],
        other => value_bits(other).iter().all(|&byte| byte == 0),
    }
}

fn is_real(value: Scalar) -> bool {
    match value {
        Scalar::ComplexF32([_, im]) => im == 0.0,
        Scalar::ComplexF64([_, im]) => im == 0.0,
        _ => true,
    }
}

/// Returns the bytes of a value, to compare values bit for bit, including NaN.
pub(crate) fn value_bits(value: Scalar) -> Vec<u8> {
    value.repeat(1).bytes().to_vec()
}

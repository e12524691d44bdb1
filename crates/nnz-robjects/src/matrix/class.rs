//! Classes of matrices: classes of the package Matrix, and classes that extend them.

use nnz_container::rds::{Object, Value};

/// The kind of values, the structure and the storage, by the letters that name a class: `dgCMatrix`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MatrixClass {
    pub(super) kind: u8,
    pub(super) form: u8,
    pub(super) storage: u8,
}

/// Slots of the classes.
const SLOTS: [&str; 10] =
    ["class", "Dim", "Dimnames", "factors", "i", "j", "p", "x", "uplo", "diag"];

impl MatrixClass {
    /// Returns the class of an S4 object, or the one that it extends; `None` if it is not read.
    pub(super) fn of(object: &Object, name: &str) -> Option<Self> {
        Self::named(name).or_else(|| Self::extended(object))
    }

    /// Returns whether all elements are stored, or those of a triangle.
    pub(super) fn is_dense(self) -> bool {
        matches!(self.storage, b'e' | b'y' | b'r' | b'p')
    }

    /// Returns the name.
    pub(super) fn name(self) -> String {
        let [kind, form, storage] = [self.kind, self.form, self.storage].map(char::from);
        format!("{kind}{form}{storage}Matrix")
    }

    fn named(name: &str) -> Option<Self> {
        // Positive definite matrices and factors are stored as those that they extend.
        let name = match name {
            "dpoMatrix" | "corMatrix" => "dsyMatrix",
            "dppMatrix" | "copMatrix" | "pcorMatrix" => "dspMatrix",
            "Cholesky" | "BunchKaufman" => "dtrMatrix",
            "pCholesky" | "pBunchKaufman" => "dtpMatrix",
            name => name,
        };
        let &[kind, form, storage] = name.strip_suffix("Matrix")?.as_bytes() else { return None };
        let dense =
            matches!((form, storage), (b'g', b'e') | (b's', b'y' | b'p') | (b't', b'r' | b'p'));
        let sparse = matches!(form, b'g' | b's' | b't') && matches!(storage, b'C' | b'R' | b'T');
        let read = matches!(kind, b'd' | b'l' | b'n') && (dense || sparse);
        read.then_some(Self { kind, form, storage })
    }

    /// Returns the class of the package Matrix that a class of another package extends, by its slots: an object has
    /// all slots of the class that it extends.
    pub(super) fn extended(object: &Object) -> Option<Self> {
        let has = |slot: &str| object.attribute(slot).is_some();
        if is_of_matrix(object) || !has("Dim") || !has("Dimnames") || has("perm") {
            return None;
        }
        let form = match (has("uplo"), has("diag")) {
            (false, false) if has("factors") => b'g',
            (true, false) if has("factors") => b's',
            (true, true) => b't',
            _ => return None,
        };
        let storage = match (has("p"), has("i"), has("j")) {
            (true, true, false) => b'C',
            (true, false, true) => b'R',
            (false, true, true) => b'T',
            (false, false, false) if form == b'g' => b'e',
            _ => return None,
        };
        let kind = match object.attribute("x").map(|x| &x.value) {
            Some(Value::Real(_)) => b'd',
            Some(Value::Logical(_)) => b'l',
            None if storage != b'e' => b'n',
            _ => return None,
        };
        Some(Self { kind, form, storage })
    }
}

/// Returns whether the class of an object is defined by the package Matrix.
pub(super) fn is_of_matrix(object: &Object) -> bool {
    let package = object.attribute("class").and_then(|class| class.attribute("package"));
    match package.map(|package| &package.value) {
        Some(Value::Character(names)) => {
            names.only().is_some_and(|name| name.get().bytes == b"Matrix")
        }
        _ => false,
    }
}

/// Returns the slots that a class adds to the class that it extends.
pub(super) fn added_slots(object: &Object) -> Vec<String> {
    let tags = object.attributes().filter_map(|entry| entry.tag.as_ref());
    let added = tags.filter(|tag| !SLOTS.iter().any(|slot| tag.is(slot)));
    added.map(|tag| tag.text().to_string()).collect()
}

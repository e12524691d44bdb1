//! Parsing an object of R as a matrix.

use std::path::Path;

use nnz_container::rds::{Document, Integers, Object, TextRef, Value};
use nnz_core::{At, Error, Order, Result, Shape, Structure, Triangle};

use super::class::{self, MatrixClass};
use super::numbers::{Numbers, within};
use super::slots::{AxisNames, Slots};
use super::special;

/// The parts of a matrix. Everything but its indices has been checked.
pub(crate) struct Parts {
    pub(crate) class: String,
    /// Slots that the class adds to the class of the package Matrix that it extends.
    pub(crate) added: Vec<String>,
    pub(crate) shape: Shape,
    pub(crate) order: Order,
    pub(crate) structure: Structure,
    /// The triangle with all entries of a symmetric or triangular matrix.
    pub(crate) triangle: Option<Triangle>,
    pub(crate) places: Places,
    pub(crate) numbers: Numbers,
    pub(crate) names: AxisNames,
}

/// The positions of entries.
pub(crate) enum Places {
    /// The start of each major vector, and the minor index of each entry.
    Compressed { pointers: Integers, minors: Integers },
    /// Row and column of each entry.
    Triplets { rows: Integers, cols: Integers },
    /// Every element, by column.
    Dense,
    /// The elements of a triangle, by column.
    Triangle {
        /// Whether the elements of the other triangle are not stored.
        packed: bool,
        /// Whether the diagonal is of ones, whatever is stored.
        unit: bool,
    },
}

impl Places {
    /// Returns the number of elements of a triangle with its diagonal.
    pub(super) fn triangle_of(side: u64) -> u64 {
        let side = u128::from(side);
        u64::try_from(side * (side + 1) / 2).unwrap_or(u64::MAX)
    }
}

/// Returns whether an object is a matrix: one of the package Matrix, or a vector with two
/// dimensions.
#[must_use]
pub fn is_matrix(document: &Document) -> bool {
    !document.workspace && is_matrix_object(&document.object)
}

/// Returns whether an object is a matrix.
pub(crate) fn is_matrix_object(object: &Object) -> bool {
    match (object.is_s4(), object.class()) {
        (true, Some(class)) => {
            let name = class.get().to_string();
            let named = name.ends_with("Matrix") && object.attribute("Dim").is_some();
            named
                || special::class_of(object, &name).is_some()
                || MatrixClass::of(object, &name).is_some()
        }
        _ => object.attribute("dim").is_some_and(|dim| match &dim.value {
            Value::Integer(sides) => sides.len() == 2,
            _ => false,
        }),
    }
}

/// Parses the matrix in a file.
pub(super) fn parse(path: &Path, inside: &str, mut object: Object) -> Result<Parts> {
    let class = object.class().filter(|_| object.is_s4());
    let mut slots = Slots { path, inside, object: &mut object };
    match class {
        Some(class) => of_package(&mut slots, &String::from_utf8_lossy(class.get().bytes)),
        None => plain(&mut slots),
    }
}

fn plain(slots: &mut Slots<'_>) -> Result<Parts> {
    if let Some(Value::Character(classes)) = slots.object.attribute("class").map(|c| &c.value) {
        // The numbers stored in these classes are not their values.
        let misleading = |class: TextRef<'_>| {
            [&b"integer64"[..], b"factor"].into_iter().find(|other| *other == class.bytes)
        };
        let found = classes.try_for_each(|class| match class.and_then(misleading) {
            Some(other) => Err(String::from_utf8_lossy(other).into_owned()),
            None => Ok(()),
        });
        if let Err(class) = found {
            let found = format!("a matrix of class {class}");
            return Err(Error::mismatch(slots.place(None), found, "a matrix of plain numbers"));
        }
    }
    let shape = slots.shape("dim")?;
    let names = slots.names("dimnames")?;
    let value = std::mem::take(&mut slots.object.value);
    let numbers = match Numbers::new(value) {
        Ok(numbers) => numbers,
        Err(other) => {
            let what = format!("a matrix of {}, not of numbers", other.kind());
            return Err(Error::unsupported(slots.place(None), what));
        }
    };
    let parts = Parts {
        class: "matrix".to_owned(),
        added: Vec::new(),
        shape,
        order: Order::Col,
        structure: Structure::General,
        triangle: None,
        places: Places::Dense,
        numbers,
        names,
    };
    check_elements(slots, &parts)?;
    Ok(parts)
}

/// Parses an object of a class of the package Matrix, or of one that extends it.
fn of_package(slots: &mut Slots<'_>, class: &str) -> Result<Parts> {
    let shown = || class.chars().take(80).collect::<String>();
    if let Some(class) = special::class_of(slots.object, class) {
        let parts = special::parse(slots, class)?;
        if let Places::Compressed { pointers, minors } = &parts.places {
            check_pointers(slots, pointers, minors.len(), parts.shape.major(parts.order))?;
        }
        return Ok(parts);
    }
    let Some(found) = MatrixClass::of(slots.object, class) else {
        let what = format!(
            "an R object of class {}, expected dgCMatrix or another sparse matrix of the package \
             Matrix, or a plain matrix: save as(x, \"generalMatrix\")",
            shown().escape_debug()
        );
        return Err(Error::unsupported(slots.place(None), what));
    };
    let MatrixClass { kind, form, storage } = found;
    let dense = found.is_dense();
    let own = found.name();
    let (class, added) = match class == own {
        true => (own, Vec::new()),
        false => (format!("{} ({own})", shown()), class::added_slots(slots.object)),
    };
    let shape = slots.shape("Dim")?;
    let (structure, triangle, unit) = structure(slots, form, shape)?;
    let mut names = slots.names("Dimnames")?;
    if form == b's' {
        names.make_symmetric();
    }
    let order = if storage == b'R' { Order::Row } else { Order::Col };
    let places = match storage {
        b'C' | b'R' => Places::Compressed {
            pointers: slots.integers("p")?,
            minors: slots.integers(if storage == b'C' { "i" } else { "j" })?,
        },
        b'T' => Places::Triplets { rows: slots.integers("i")?, cols: slots.integers("j")? },
        b'y' | b'r' | b'p' => Places::Triangle { packed: storage == b'p', unit: false },
        _ => Places::Dense,
    };
    let numbers = match (kind, dense) {
        (b'n', false) => Numbers::Ones,
        _ => {
            let value = slots.take("x")?.value;
            match (kind, value) {
                (b'd', Value::Real(all)) => Numbers::Real(all),
                (b'l', Value::Logical(all)) => Numbers::Logical(all),
                // A missing value of a pattern is true.
                (b'n', Value::Logical(all)) => {
                    Numbers::Logical(all.into_iter().map(|flag| i32::from(flag != 0)).collect())
                }
                (_, other) => {
                    let place = slots.place(Some("x"));
                    let expected = format!("the values of a {}", found.name());
                    return Err(Error::mismatch(place, other.kind(), expected));
                }
            }
        }
    };
    let mut parts =
        Parts { class, added, shape, order, structure, triangle, places, numbers, names };
    match &parts.places {
        Places::Dense | Places::Triangle { packed: false, .. } => check_elements(slots, &parts)?,
        Places::Triangle { packed: true, .. } => {
            check_values(slots, &parts, Places::triangle_of(shape.rows))?;
        }
        Places::Compressed { pointers, minors } => {
            check_pointers(slots, pointers, minors.len(), shape.major(order))?;
            check_values(slots, &parts, minors.len())?;
        }
        Places::Triplets { rows, cols } => {
            if rows.len() != cols.len() {
                let place = slots.place(Some("j"));
                let found = format!("{} elements", cols.len());
                return Err(Error::mismatch(
                    place,
                    found,
                    format!("{}, the length of i", rows.len()),
                ));
            }
            check_values(slots, &parts, rows.len())?;
        }
    }
    if unit {
        special::with_unit_diagonal(slots, &mut parts)?;
    }
    Ok(parts)
}

/// Reads the stored triangle of a symmetric or triangular matrix, and whether the diagonal of the latter is of ones that
/// are not stored.
fn structure(
    slots: &mut Slots<'_>,
    form: u8,
    shape: Shape,
) -> Result<(Structure, Option<Triangle>, bool)> {
    if form == b'g' {
        return Ok((Structure::General, None, false));
    }
    if shape.rows != shape.cols {
        let expected = "a square matrix, since the class is symmetric or triangular";
        return Err(Error::mismatch(slots.place(Some("Dim")), shape, expected));
    }
    let triangle = match &*slots.letter("uplo")? {
        "U" => Triangle::Upper,
        "L" => Triangle::Lower,
        other => {
            let found = format!("\"{}\"", other.escape_debug());
            return Err(Error::mismatch(slots.place(Some("uplo")), found, "\"U\" or \"L\""));
        }
    };
    if form == b's' {
        return Ok((Structure::Symmetric(triangle), Some(triangle), false));
    }
    match &*slots.letter("diag")? {
        "N" => Ok((Structure::General, Some(triangle), false)),
        "U" => Ok((Structure::General, Some(triangle), true)),
        other => {
            let found = format!("\"{}\"", other.escape_debug());
            Err(Error::mismatch(slots.place(Some("diag")), found, "\"N\" or \"U\""))
        }
    }
}

fn check_elements(slots: &Slots<'_>, parts: &Parts) -> Result<()> {
    let found = parts.numbers.len().unwrap_or(0);
    if u128::from(found) == parts.shape.elements() {
        return Ok(());
    }
    let expected = format!("{}, since the matrix is {}", parts.shape.elements(), parts.shape);
    Err(Error::mismatch(slots.place(None), format!("{found} values"), expected))
}

fn check_values(slots: &Slots<'_>, parts: &Parts, entries: u64) -> Result<()> {
    match parts.numbers.len() {
        Some(found) if found != entries => {
            let found = format!("{found} elements");
            let expected = format!("{entries}, the number of indices");
            Err(Error::mismatch(slots.place(Some("x")), found, expected))
        }
        _ => Ok(()),
    }
}

/// Checks that pointers begin with 0, never decrease, and end with the number of entries.
fn check_pointers(slots: &Slots<'_>, pointers: &Integers, entries: u64, majors: u64) -> Result<()> {
    let place = slots.place(Some("p"));
    if pointers.len() != majors + 1 {
        let found = format!("{} elements", pointers.len());
        return Err(Error::mismatch(
            place,
            found,
            format!("{}, since Dim has {majors}", majors + 1),
        ));
    }
    let mut least = 0;
    let mut wrong = None;
    let read = pointers.for_each_block(|first, block| {
        for (&pointer, element) in block.iter().zip(first..) {
            let most = if element == 0 { 0 } else { entries };
            let fits = u64::try_from(pointer).is_ok_and(|p| (least..=most).contains(&p));
            if !fits || (element == majors && u64::from(pointer.unsigned_abs()) != entries) {
                let expected = match (element == majors, element) {
                    (true, _) => format!("{entries}, the number of entries"),
                    (_, 0) => "0".to_owned(),
                    _ => format!("{least} to {most}"),
                };
                wrong = Some((element, pointer, expected));
                return false;
            }
            least = u64::from(pointer.unsigned_abs());
        }
        true
    });
    within(read, &place)?;
    match wrong {
        None => Ok(()),
        Some((element, pointer, expected)) => {
            Err(Error::mismatch(place.at(At::Element(element)), pointer, expected))
        }
    }
}

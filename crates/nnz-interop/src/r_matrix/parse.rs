//! From an object of R to the parts of a matrix.

use std::path::Path;

use nnz_container::rds::{Document, Integers, Object, Strings, TextRef, Value};
use nnz_core::{At, Axis, Error, Order, Place, Result, Shape, Structure, Triangle};

use super::numbers::Numbers;

/// A matrix, taken apart and checked but for its indices.
pub(super) struct Parts {
    pub(super) class: String,
    pub(super) shape: Shape,
    pub(super) order: Order,
    pub(super) structure: Structure,
    pub(super) places: Places,
    pub(super) numbers: Numbers,
    pub(super) names: [Option<Strings>; 2],
}

/// Where the entries are.
pub(super) enum Places {
    /// Where each major vector starts, and the minor index of each entry.
    Compressed { pointers: Integers, minors: Integers },
    /// Row and column of each entry.
    Triplets { rows: Integers, cols: Integers },
    /// Every cell, column after column.
    Dense,
}

/// Returns whether an object is a matrix: one of the package Matrix, or a vector with two sides.
#[must_use]
pub fn is_matrix(document: &Document) -> bool {
    let object = &document.object;
    match (object.is_s4(), object.class()) {
        (true, Some(class)) => {
            class.get().bytes.ends_with(b"Matrix") && object.attribute("Dim").is_some()
        }
        _ => object.attribute("dim").is_some_and(|dim| match &dim.value {
            Value::Integer(sides) => sides.len() == 2,
            _ => false,
        }),
    }
}

/// Takes the matrix of a file apart.
pub(super) fn parse(path: &Path, mut object: Object) -> Result<Parts> {
    let class = object.class().filter(|_| object.is_s4());
    let mut slots = Slots { path, object: &mut object };
    match class {
        Some(class) => of_package(&mut slots, &String::from_utf8_lossy(class.get().bytes)),
        None => plain(&mut slots),
    }
}

fn plain(slots: &mut Slots<'_>) -> Result<Parts> {
    if let Some(Value::Character(classes)) = slots.object.attribute("class").map(|c| &c.value) {
        // Of these classes the numbers stored are not those that are meant.
        let misleading = |class: TextRef<'_>| {
            [&b"integer64"[..], b"factor"].into_iter().find(|other| *other == class.bytes)
        };
        let found = classes.try_for_each(|class| match class.and_then(misleading) {
            Some(other) => Err(String::from_utf8_lossy(other).into_owned()),
            None => Ok(()),
        });
        if let Err(class) = found {
            let found = format!("a matrix of class {class}");
            return Err(Error::mismatch(slots.place(None), found, "one of plain numbers"));
        }
    }
    let shape = slots.shape("dim")?;
    let names = slots.names("dimnames")?;
    let value = std::mem::take(&mut slots.object.value);
    let numbers = match Numbers::new(value) {
        Ok(numbers) => numbers,
        Err(other) => {
            let found = format!("a matrix of {}", other.kind());
            return Err(Error::mismatch(slots.place(None), found, "one of numbers"));
        }
    };
    let parts = Parts {
        class: "matrix".to_owned(),
        shape,
        order: Order::Col,
        structure: Structure::General,
        places: Places::Dense,
        numbers,
        names,
    };
    check_cells(slots, &parts)?;
    Ok(parts)
}

/// Reads what a class of the package Matrix is by its name: kind, structure, storage.
fn of_package(slots: &mut Slots<'_>, class: &str) -> Result<Parts> {
    let refused = || {
        let what = format!(
            "an R object of class {}, expected dgCMatrix or another sparse matrix of the package \
             Matrix (d, l or n; g, s or t; C, R or T), dgeMatrix or a plain matrix",
            class.chars().take(80).collect::<String>().escape_debug()
        );
        Error::unsupported(slots.place(None), what)
    };
    let [kind, form, storage] = match class.strip_suffix("Matrix").map(str::as_bytes) {
        Some(&[kind, form, storage]) if matches!(kind, b'd' | b'l' | b'n') => [kind, form, storage],
        _ => return Err(refused()),
    };
    let dense = (form, storage) == (b'g', b'e');
    let sparse = matches!(form, b'g' | b's' | b't') && matches!(storage, b'C' | b'R' | b'T');
    if !dense && !sparse {
        return Err(refused());
    }
    let shape = slots.shape("Dim")?;
    let structure = structure(slots, form, shape)?;
    let mut names = slots.names("Dimnames")?;
    if form == b's' {
        // Names of one side are those of the other, too.
        let [rows, cols] = &mut names;
        match (&rows, &cols) {
            (Some(names), None) => *cols = Some(names.clone()),
            (None, Some(names)) => *rows = Some(names.clone()),
            _ => {}
        }
    }
    let order = if storage == b'R' { Order::Row } else { Order::Col };
    let places = match storage {
        b'C' | b'R' => Places::Compressed {
            pointers: slots.integers("p")?,
            minors: slots.integers(if storage == b'C' { "i" } else { "j" })?,
        },
        b'T' => Places::Triplets { rows: slots.integers("i")?, cols: slots.integers("j")? },
        _ => Places::Dense,
    };
    let numbers = match (kind, dense) {
        (b'n', false) => Numbers::Ones,
        _ => {
            let value = slots.take("x")?.value;
            match (kind, value) {
                (b'd', Value::Real(all)) => Numbers::Real(all),
                (b'l' | b'n', Value::Logical(all)) => Numbers::Logical(all),
                (_, other) => {
                    let place = slots.place(Some("x"));
                    let expected = format!("what a {class} holds");
                    return Err(Error::mismatch(place, other.kind(), expected));
                }
            }
        }
    };
    let class = class.to_owned();
    let parts = Parts { class, shape, order, structure, places, numbers, names };
    match &parts.places {
        Places::Dense => check_cells(slots, &parts)?,
        Places::Compressed { pointers, minors } => {
            check_pointers(slots, pointers, minors.len(), shape.major(order))?;
            check_values(slots, &parts, minors.len())?;
        }
        Places::Triplets { rows, cols } => {
            if rows.len() != cols.len() {
                let place = slots.place(Some("j"));
                let found = format!("{} elements", cols.len());
                return Err(Error::mismatch(place, found, format!("{}, as i has", rows.len())));
            }
            check_values(slots, &parts, rows.len())?;
        }
    }
    Ok(parts)
}

/// Reads which triangle a symmetric matrix stores, and that a triangular one stores its diagonal.
fn structure(slots: &mut Slots<'_>, form: u8, shape: Shape) -> Result<Structure> {
    if form == b'g' {
        return Ok(Structure::General);
    }
    if shape.rows != shape.cols {
        let expected = "a square, as the class is symmetric or triangular";
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
        return Ok(Structure::Symmetric(triangle));
    }
    match &*slots.letter("diag")? {
        "N" => Ok(Structure::General),
        _ => {
            let what = "a triangular matrix whose diagonal of ones is not stored: \
                        save as(x, \"generalMatrix\")";
            Err(Error::unsupported(slots.place(Some("diag")), what))
        }
    }
}

fn check_cells(slots: &Slots<'_>, parts: &Parts) -> Result<()> {
    let found = parts.numbers.len().unwrap_or(0);
    if u128::from(found) == parts.shape.cells() {
        return Ok(());
    }
    let expected = format!("{}, as the matrix is {}", parts.shape.cells(), parts.shape);
    Err(Error::mismatch(slots.place(None), format!("{found} values"), expected))
}

fn check_values(slots: &Slots<'_>, parts: &Parts, entries: u64) -> Result<()> {
    match parts.numbers.len() {
        Some(found) if found != entries => {
            let found = format!("{found} elements");
            let expected = format!("{entries}, as many as there are indices");
            Err(Error::mismatch(slots.place(Some("x")), found, expected))
        }
        _ => Ok(()),
    }
}

fn check_pointers(slots: &Slots<'_>, pointers: &Integers, entries: u64, majors: u64) -> Result<()> {
    let place = slots.place(Some("p"));
    if pointers.len() != majors + 1 {
        let found = format!("{} elements", pointers.len());
        return Err(Error::mismatch(place, found, format!("{}, as Dim says", majors + 1)));
    }
    let mut floor = 0;
    for element in 0..pointers.len() {
        let pointer = pointers.get(element).unwrap_or(-1);
        let ceiling = if element == 0 { 0 } else { entries };
        let fits = u64::try_from(pointer).is_ok_and(|p| (floor..=ceiling).contains(&p));
        if !fits || (element == majors && u64::from(pointer.unsigned_abs()) != entries) {
            let expected = match (element == majors, element) {
                (true, _) => format!("{entries}, the number of entries"),
                (_, 0) => "0".to_owned(),
                _ => format!("{floor} to {ceiling}"),
            };
            return Err(Error::mismatch(place.at(At::Element(element)), pointer, expected));
        }
        floor = u64::from(pointer.unsigned_abs());
    }
    Ok(())
}

/// The slots of an object, or its attributes.
struct Slots<'a> {
    path: &'a Path,
    object: &'a mut Object,
}

impl Slots<'_> {
    fn place(&self, name: Option<&str>) -> Place {
        match name {
            Some(name) => Place::array(self.path, name),
            None => Place::path(self.path),
        }
    }

    /// Takes a slot out.
    fn take(&mut self, name: &str) -> Result<Object> {
        let is =
            |entry: &nnz_container::rds::Entry| entry.tag.as_ref().is_some_and(|tag| tag.is(name));
        let found = self.object.attributes.iter().position(is);
        match found {
            Some(position) => Ok(self.object.attributes.swap_remove(position).value),
            None => Err(Error::new(nnz_core::ErrorKind::Missing, self.place(Some(name)))),
        }
    }

    fn integers(&mut self, name: &str) -> Result<Integers> {
        match self.take(name)?.value {
            Value::Integer(all) => Ok(all),
            other => Err(Error::mismatch(self.place(Some(name)), other.kind(), "integers")),
        }
    }

    fn letter(&mut self, name: &str) -> Result<String> {
        let value = self.take(name)?.value;
        let only = match &value {
            Value::Character(strings) => strings.only(),
            _ => None,
        };
        match only {
            Some(only) => Ok(only.get().to_string()),
            None => Err(Error::mismatch(self.place(Some(name)), value.kind(), "a letter")),
        }
    }

    fn shape(&mut self, name: &str) -> Result<Shape> {
        let sides = self.integers(name)?;
        let side = |index| sides.get(index).and_then(|side| u64::try_from(side).ok());
        match (sides.len(), side(0), side(1)) {
            (2, Some(rows), Some(cols)) => Ok(Shape { rows, cols }),
            _ => {
                let found = format!("{} sides", sides.len());
                Err(Error::mismatch(self.place(Some(name)), found, "two that are not negative"))
            }
        }
    }

    /// Reads the names of rows and columns: a list of two, each of them `NULL` or strings.
    fn names(&mut self, name: &str) -> Result<[Option<Strings>; 2]> {
        // A plain matrix may have none at all.
        let list = match self.take(name) {
            Err(_) => return Ok([None, None]),
            Ok(object) => match object.value {
                Value::Null => return Ok([None, None]),
                Value::List(list) => list,
                other => {
                    let place = self.place(Some(name));
                    return Err(Error::mismatch(place, other.kind(), "a list of names"));
                }
            },
        };
        let [rows, cols] = <[Object; 2]>::try_from(list).map_err(|list| {
            let found = format!("names of {} axes", list.len());
            Error::mismatch(self.place(Some(name)), found, "of rows and columns")
        })?;
        let names = |object: Object, axis: Axis| match object.value {
            Value::Null => Ok(None),
            Value::Character(strings) => Ok(Some(strings)),
            other => {
                let found = format!("{} as names of the {axis}", other.kind());
                Err(Error::mismatch(self.place(Some(name)), found, "strings"))
            }
        };
        Ok([names(rows, Axis::Rows)?, names(cols, Axis::Cols)?])
    }
}

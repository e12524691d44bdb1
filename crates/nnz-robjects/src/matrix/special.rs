//! Classes of the package Matrix that are no arrays of entries: diagonal and permutation matrices, sparse vectors, and
//! diagonals of ones that are not stored.

use nnz_container::rds::{Integers, NA_INTEGER, Object, Reals, Value};
use nnz_core::{At, Error, Order, Result, Shape, Structure, Triangle};

use super::numbers::{Numbers, within};
use super::parse::{Parts, Places};
use super::slots::{AxisNames, Slots};

/// The sides of a triangle of which a unit diagonal is added in memory.
const MOST: u64 = i32::MAX.unsigned_abs() as u64;

/// Returns the class that [`parse`] reads of an object, which may extend it; `None` for other objects.
pub(super) fn class_of<'a>(object: &Object, class: &'a str) -> Option<&'a str> {
    if matches!(class, "ddiMatrix" | "ldiMatrix" | "indMatrix" | "pMatrix") || is_vector(class) {
        return Some(class);
    }
    let has = |slot: &&str| object.attribute(slot).is_some();
    let is_diagonal = ["Dim", "diag", "x"].iter().all(has)
        && !["uplo", "i", "j", "p", "perm", "factors"].iter().any(has);
    (is_diagonal && !super::class::is_of_matrix(object)).then_some("ddiMatrix")
}

fn is_vector(class: &str) -> bool {
    matches!(class, "dsparseVector" | "isparseVector" | "lsparseVector" | "nsparseVector")
}

/// Parses an object of such a class.
pub(super) fn parse(slots: &mut Slots<'_>, class: &str) -> Result<Parts> {
    let (shape, names) = match is_vector(class) {
        true => (vector_shape(slots)?, AxisNames::default()),
        false => (slots.shape("Dim")?, slots.names("Dimnames")?),
    };
    let (order, places, numbers) = match class {
        "ddiMatrix" | "ldiMatrix" => diagonal(slots, shape)?,
        "indMatrix" | "pMatrix" => permutation(slots, shape)?,
        _ => vector(slots, class)?,
    };
    Ok(Parts {
        class: class.to_owned(),
        added: Vec::new(),
        shape,
        order,
        structure: Structure::General,
        triangle: None,
        places,
        numbers,
        names,
    })
}

type Entries = (Order, Places, Numbers);

fn sequence(first: i32, len: u64) -> Integers {
    Integers::Sequence { first, step: 1, len }
}

fn diagonal(slots: &mut Slots<'_>, shape: Shape) -> Result<Entries> {
    if shape.rows != shape.cols {
        return Err(Error::mismatch(slots.place(Some("Dim")), shape, "a square matrix"));
    }
    let unit = slots.letter("diag")? == "U";
    let value = slots.take("x")?.value;
    let numbers = match value {
        Value::Real(_) if unit => {
            Numbers::Real(Reals::Stored(vec![1.0; length(slots, shape.rows)?]))
        }
        Value::Logical(_) if unit => Numbers::Logical(vec![1; length(slots, shape.rows)?]),
        Value::Real(all) => Numbers::Real(all),
        Value::Logical(all) => Numbers::Logical(all),
        other => return Err(Error::mismatch(slots.place(Some("x")), other.kind(), "numbers")),
    };
    if numbers.len() != Some(shape.rows) {
        let found = format!("{} elements", numbers.len().unwrap_or(0));
        return Err(Error::mismatch(slots.place(Some("x")), found, shape.rows));
    }
    let places = Places::Compressed {
        pointers: sequence(0, shape.rows + 1),
        minors: sequence(0, shape.rows),
    };
    Ok((Order::Col, places, numbers))
}

/// Returns a length that may be allocated: dimensions take no bytes of a file, so that a broken one may state any.
fn length(slots: &Slots<'_>, len: u64) -> Result<usize> {
    const MOST_UNITS: u64 = 1 << 26;
    match usize::try_from(len) {
        Ok(len) if len as u64 <= MOST_UNITS => Ok(len),
        _ => {
            let what = format!("{len} elements that are not stored");
            Err(Error::unsupported(slots.place(None), what))
        }
    }
}

fn permutation(slots: &mut Slots<'_>, shape: Shape) -> Result<Entries> {
    let by_col = match slots.integers("margin") {
        Ok(margin) => margin.get(0) == Some(2),
        Err(_) => false,
    };
    let (along, across) = if by_col { (shape.cols, shape.rows) } else { (shape.rows, shape.cols) };
    let found = slots.integers("perm")?;
    let places = from_one(slots, &found, "perm", across)?;
    if places.len() as u64 != along {
        let found = format!("{} elements", places.len());
        return Err(Error::mismatch(slots.place(Some("perm")), found, along));
    }
    let order = if by_col { Order::Col } else { Order::Row };
    let minors = Integers::Stored(places);
    Ok((order, Places::Compressed { pointers: sequence(0, along + 1), minors }, Numbers::Ones))
}

/// Converts indices that count from one.
fn from_one(slots: &Slots<'_>, all: &Integers, name: &str, most: u64) -> Result<Vec<i32>> {
    // A sequence takes no bytes of the file.
    if let Integers::Sequence { len, .. } = all {
        length(slots, *len)?;
    }
    let mut indices = Vec::new();
    let mut wrong = None;
    let read = all.for_each_block(|first, block| {
        for (&index, element) in block.iter().zip(first..) {
            if index == NA_INTEGER || index < 1 || u64::from(index.unsigned_abs()) > most {
                wrong = Some((element, index));
                return false;
            }
            indices.push(index - 1);
        }
        true
    });
    within(read, &slots.place(Some(name)))?;
    match wrong {
        None => Ok(indices),
        Some((element, index)) => {
            let place = slots.place(Some(name)).at(At::Element(element));
            Err(Error::mismatch(place, format!("the index {index}"), format!("1 to {most}")))
        }
    }
}

/// Reads whole numbers that R stores as integers or as doubles.
fn whole(slots: &Slots<'_>, value: Value, name: &str) -> Result<Integers> {
    let all = match value {
        Value::Integer(all) => return Ok(all),
        Value::Real(all) => all,
        other => return Err(Error::mismatch(slots.place(Some(name)), other.kind(), "integers")),
    };
    if let Reals::Sequence { len, .. } = all {
        length(slots, len)?;
    }
    let mut indices = Vec::new();
    let mut wrong = None;
    let read = all.for_each_block(|first, block| {
        for (&number, element) in block.iter().zip(first..) {
            match number.fract() == 0.0 && number.abs() <= f64::from(i32::MAX) {
                #[expect(clippy::cast_possible_truncation, reason = "checked")]
                true => indices.push(number as i32),
                false => {
                    wrong = Some((element, number));
                    return false;
                }
            }
        }
        true
    });
    within(read, &slots.place(Some(name)))?;
    match wrong {
        None => Ok(Integers::Stored(indices)),
        Some((element, number)) => {
            let place = slots.place(Some(name)).at(At::Element(element));
            Err(Error::mismatch(place, number, format!("a whole number up to {MOST}")))
        }
    }
}

fn vector_shape(slots: &mut Slots<'_>) -> Result<Shape> {
    let value = slots.take("length")?.value;
    let found = whole(slots, value, "length")?;
    match (found.len(), found.get(0).map(u64::try_from)) {
        (1, Some(Ok(rows))) => Ok(Shape { rows, cols: 1 }),
        _ => {
            let found = format!("{} numbers", found.len());
            Err(Error::mismatch(slots.place(Some("length")), found, "one length of 0 or more"))
        }
    }
}

fn vector(slots: &mut Slots<'_>, class: &str) -> Result<Entries> {
    let value = slots.take("i")?.value;
    let found = whole(slots, value, "i")?;
    let indices = from_one(slots, &found, "i", MOST)?;
    let numbers = match class.starts_with('n') {
        true => Numbers::Ones,
        false => {
            let value = slots.take("x")?.value;
            let numbers = Numbers::new(value).map_err(|other| {
                Error::mismatch(slots.place(Some("x")), other.kind(), "numbers")
            })?;
            if numbers.len() != Some(indices.len() as u64) {
                let found = format!("{} elements", numbers.len().unwrap_or(0));
                return Err(Error::mismatch(slots.place(Some("x")), found, indices.len()));
            }
            numbers
        }
    };
    let count = i32::try_from(indices.len()).unwrap_or(i32::MAX);
    let pointers = Integers::Stored(vec![0, count]);
    Ok((Order::Col, Places::Compressed { pointers, minors: Integers::Stored(indices) }, numbers))
}

/// Adds a diagonal of ones that is not stored to the entries of a triangular matrix.
pub(super) fn with_unit_diagonal(slots: &Slots<'_>, parts: &mut Parts) -> Result<()> {
    let side = length(slots, parts.shape.rows)?;
    let upper = parts.triangle == Some(Triangle::Upper);
    match &mut parts.places {
        Places::Compressed { pointers, minors } => {
            let read = |all: &Integers, name: &str| {
                let mut read = vec![0; usize::try_from(all.len()).unwrap_or(0)];
                within(all.read(0, &mut read), &slots.place(Some(name)))?;
                Ok::<_, Error>(read)
            };
            let (old, indices) = (read(pointers, "p")?, read(minors, "i")?);
            // In an upper triangle by column, and a lower one by row, the diagonal comes last.
            let last = upper == (parts.order == Order::Col);
            let (mut new_pointers, mut new_minors) = (vec![0_i32], Vec::new());
            let mut from = Vec::new();
            for (major, range) in old.windows(2).enumerate() {
                let range = range[0].unsigned_abs() as usize..range[1].unsigned_abs() as usize;
                let own = i32::try_from(major).unwrap_or(i32::MAX);
                if !last {
                    new_minors.push(own);
                    from.push(None);
                }
                new_minors.extend_from_slice(&indices[range.clone()]);
                from.extend(range.map(Some));
                if last {
                    new_minors.push(own);
                    from.push(None);
                }
                new_pointers.push(i32::try_from(new_minors.len()).unwrap_or(i32::MAX));
            }
            parts.numbers = with_ones(slots, &parts.numbers, &from)?;
            *pointers = Integers::Stored(new_pointers);
            *minors = Integers::Stored(new_minors);
        }
        Places::Triplets { rows, cols } => {
            let count = usize::try_from(rows.len()).unwrap_or(0);
            for all in [rows, cols] {
                let mut read = vec![0; count];
                within(all.read(0, &mut read), &slots.place(None))?;
                read.extend((0..side).filter_map(|at| i32::try_from(at).ok()));
                *all = Integers::Stored(read);
            }
            let from: Vec<_> =
                (0..count).map(Some).chain(std::iter::repeat_n(None, side)).collect();
            parts.numbers = with_ones(slots, &parts.numbers, &from)?;
        }
        Places::Triangle { unit, .. } => *unit = true,
        Places::Dense => {}
    }
    Ok(())
}

/// Returns the values at places, and ones without a place.
fn with_ones(slots: &Slots<'_>, numbers: &Numbers, from: &[Option<usize>]) -> Result<Numbers> {
    Ok(match numbers {
        Numbers::Real(all) => {
            let mut read = vec![0.0; usize::try_from(all.len()).unwrap_or(0)];
            within(all.read(0, &mut read), &slots.place(Some("x")))?;
            let value = |at: &Option<usize>| at.map_or(1.0, |at| read[at]);
            Numbers::Real(Reals::Stored(from.iter().map(value).collect()))
        }
        Numbers::Logical(all) => {
            Numbers::Logical(from.iter().map(|at| at.map_or(1, |at| all[at])).collect())
        }
        _ => Numbers::Ones,
    })
}

//! Alternative representations (ALTREP): compact forms of vectors.

use crate::error::{Error, Result};
use crate::numbers::{Integers, Reals};
use crate::object::{Object, Value};
use crate::strings::{Strings, whole_text};

/// The maximum length of a sequence: 2^52.
const MAX_LEN: f64 = 4_503_599_627_370_496.0;

/// Creates the vector that a class and its state represent.
pub(crate) fn restore(class: &Object, state: Object, at: u64) -> Result<Value> {
    let Value::Pairlist(parts) = &class.value else {
        return Err(Error::mismatch(at, class.value.kind(), "the class of an ALTREP vector"));
    };
    let Some(Value::Symbol(name)) = parts.entries.first().map(|entry| &entry.value.value) else {
        return Err(Error::mismatch(at, "no name", "the class of an ALTREP vector"));
    };
    let name = name.text();
    match name.bytes {
        b"compact_intseq" => integer_sequence(&state, at),
        b"compact_realseq" => real_sequence(&state, at),
        b"deferred_string" => deferred_string(state, at),
        b"wrap_integer" | b"wrap_logical" | b"wrap_real" | b"wrap_complex" | b"wrap_raw"
        | b"wrap_string" | b"wrap_list" => unwrap_vector(name.bytes, state, at),
        b"mmap_integer" | b"mmap_real" => {
            Ok(Value::Skipped("a vector mapped from another file (ALTREP mmap)"))
        }
        _ => Ok(Value::Skipped("a vector of a class of a package (ALTREP)")),
    }
}

/// Reads number of elements, first element and step.
fn sequence(state: &Object, at: u64) -> Result<(u64, f64, f64)> {
    let numbers = match &state.value {
        Value::Real(numbers) if numbers.len() == 3 => numbers,
        other => return Err(Error::mismatch(at, other.kind(), "the three numbers of a sequence")),
    };
    let get = |index| numbers.get(index).unwrap_or(f64::NAN);
    let (len, first, step) = (get(0), get(1), get(2));
    if !(0.0..=MAX_LEN).contains(&len) || len.fract() != 0.0 {
        return Err(Error::mismatch(at, format!("a sequence of {len:?} elements"), "0 to 2^52"));
    }
    if step != 1.0 && step != -1.0 {
        return Err(Error::mismatch(at, format!("a sequence in steps of {step:?}"), "1 or -1"));
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked above")]
    Ok((len as u64, first, step))
}

fn integer_sequence(state: &Object, at: u64) -> Result<Value> {
    let (len, first, step) = sequence(state, at)?;
    #[expect(clippy::cast_precision_loss, reason = "at most 2^52")]
    let last = first + step * (len.saturating_sub(1)) as f64;
    // The lowest integer is NA.
    let held = f64::from(-i32::MAX)..=f64::from(i32::MAX);
    if first.fract() != 0.0 || !held.contains(&first) || !held.contains(&last) {
        let found = format!("a sequence from {first:?} to {last:?}");
        return Err(Error::mismatch(at, found, "integers of 32 bits"));
    }
    #[expect(clippy::cast_possible_truncation, reason = "checked above")]
    let (first, step) = (first as i32, step as i32);
    Ok(Value::Integer(Integers::Sequence { first, step, len }))
}

fn real_sequence(state: &Object, at: u64) -> Result<Value> {
    let (len, first, step) = sequence(state, at)?;
    Ok(Value::Real(Reals::Sequence { first, step, len }))
}

/// Converts numbers that R has not formatted yet.
fn deferred_string(state: Object, at: u64) -> Result<Value> {
    // The state has two parts; the second is R's setting for exponents.
    let Value::Pairlist(parts) = state.value else {
        return Err(Error::mismatch(at, state.value.kind(), "numbers to be written as text"));
    };
    let usual = match parts.tail.as_ref().map(|tail| &tail.value) {
        Some(Value::Integer(scipen)) => scipen.get(0) == Some(0),
        _ => false,
    };
    match parts.entries.into_iter().next().map(|entry| entry.value.value) {
        Some(Value::Integer(Integers::Outside(_))) => {
            Ok(Value::Skipped("a million and more numbers as text (ALTREP deferred_string)"))
        }
        Some(Value::Integer(numbers)) => Ok(Value::Character(Strings::of_integers(numbers))),
        Some(Value::Real(numbers)) => {
            let whole = match &numbers {
                Reals::Stored(all) => all.iter().all(|&number| whole_text(number).is_some()),
                // The step is 1 or -1, so all elements are between the first and the last.
                Reals::Sequence { len, .. } => [0, len.saturating_sub(1)]
                    .into_iter()
                    .filter_map(|index| numbers.get(index))
                    .all(|number| whole_text(number).is_some()),
                // A state is in memory unless it is very long.
                Reals::Outside(_) => false,
            };
            if !usual || !whole {
                // It depends on the version of R.
                return Ok(Value::Skipped("text of fractions (ALTREP deferred_string)"));
            }
            Ok(Value::Character(Strings::of_reals(numbers)))
        }
        Some(other) => Err(Error::mismatch(at, other.kind(), "integers or doubles")),
        None => Err(Error::mismatch(at, "nothing", "integers or doubles")),
    }
}

/// Unwraps a vector from a wrapper that has only metadata, such as whether it is sorted.
fn unwrap_vector(class: &[u8], state: Object, at: u64) -> Result<Value> {
    let first = match state.value {
        Value::List(members) => members.into_iter().next(),
        Value::Pairlist(list) => list.entries.into_iter().next().map(|entry| entry.value),
        _ => None,
    };
    let value = first.map(|object| object.value).unwrap_or_default();
    let fits = matches!(
        (class, &value),
        (b"wrap_integer", Value::Integer(_))
            | (b"wrap_logical", Value::Logical(_))
            | (b"wrap_real", Value::Real(_))
            | (b"wrap_complex", Value::Complex(_))
            | (b"wrap_raw", Value::Raw(_))
            | (b"wrap_string", Value::Character(_))
            | (b"wrap_list", Value::List(_))
    );
    if fits {
        return Ok(value);
    }
    let expected = format!("the type wrapped by {}", class.escape_ascii());
    Err(Error::mismatch(at, value.kind(), expected))
}

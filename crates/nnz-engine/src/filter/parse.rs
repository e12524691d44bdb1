//! Parsing conditions.

use nnz_core::{Axis, AxisKind, ValueType};

use super::Condition;
use super::measured::{Across, MEASURES, Measure, MeasureCondition, Quantity};
use crate::Selection;
use crate::slice::Pattern;
use crate::slice::comparison::{Comparison, parse as number};

/// Parses a condition: a comparison of measures, or a selection.
pub(super) fn condition(text: &str) -> Result<Condition, String> {
    if let Some(measured) = measured(text)? {
        return Ok(Condition::Measured(measured));
    }
    if let Some(selection) = annotation(text)? {
        return Ok(Condition::Selected(selection));
    }
    text.parse().map(Condition::Selected).map_err(|error: String| match text {
        "" => "expected A:B, positions, names, COLUMN=VALUE or MEASURE>=NUMBER".to_owned(),
        _ => error,
    })
}

/// Parses `column(NAME)`, followed by a comparison.
fn annotation(text: &str) -> Result<Option<Selection>, String> {
    let Some(rest) = text.strip_prefix("column(") else { return Ok(None) };
    let mut ends = rest.match_indices(')').map(|(at, _)| at);
    let found = ends.find_map(|at| {
        let (name, after) = (&rest[..at], &rest[at + 1..]);
        Comparison::split(after)?;
        Selection::condition(&format!("{name}{after}"))
    });
    let expected = "expected column(NAME) and a comparison, such as column(nnz)>=200";
    found.map(Some).ok_or_else(|| expected.to_owned())
}

/// Parses a comparison of measures; `None` if a text does not start with one.
fn measured(text: &str) -> Result<Option<MeasureCondition>, String> {
    let Some((measure, rest)) = measure(text) else { return Ok(None) };
    let (quantity, rest) = quantity(measure, rest)?;
    let (divisor, rest) = match rest.strip_prefix('/') {
        None => (None, rest),
        Some(after) => {
            let after = after.trim_start();
            let (measure, rest) = name(after).ok_or_else(|| {
                let word = after.split(|sign: char| !sign.is_alphanumeric()).next();
                format!("{:?} is not a measure; {}", word.unwrap_or_default(), expected())
            })?;
            let (divisor, rest) = self::quantity(measure, rest)?;
            (Some(divisor), rest)
        }
    };
    let Some((comparison, given)) = Comparison::split(rest) else {
        return Err(match rest {
            "" => "expected a comparison with a number, such as nnz>=200".to_owned(),
            _ => format!("expected a comparison, not {rest:?}"),
        });
    };
    let given = given.trim();
    if number(given, ValueType::F64).is_none() {
        let is_joined = ["&", " and ", ","].iter().any(|joint| given.contains(joint));
        let again = if is_joined { "; repeat the option for each condition" } else { "" };
        return Err(format!("expected a number, not {given:?}{again}"));
    }
    Ok(Some(MeasureCondition { quantity, divisor, comparison, number: given.to_owned() }))
}

/// Splits off the name of a measure, unless it is part of a list or of another name.
fn measure(text: &str) -> Option<(Measure, &str)> {
    let (measure, rest) = name(text)?;
    let follows = rest.starts_with(['(', '/']) || Comparison::split(rest).is_some();
    follows.then_some((measure, rest))
}

/// Splits off the name of a measure, and the blanks around it.
fn name(text: &str) -> Option<(Measure, &str)> {
    let text = text.trim_start();
    let end = text.find(|sign: char| !sign.is_ascii_lowercase()).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    let (_, measure) = MEASURES.iter().find(|(known, _)| *known == name)?;
    Some((*measure, rest.trim_start()))
}

/// Parses what follows the name of a measure: `(rows=PATTERN)`, if anything.
fn quantity(measure: Measure, text: &str) -> Result<(Quantity, &str), String> {
    let Some(inside) = text.strip_prefix('(') else {
        return Ok((Quantity { measure, among: None }, text));
    };
    let end = closing(inside).ok_or_else(|| format!("{text:?} has no closing parenthesis"))?;
    let (inside, rest) = (&inside[..end], inside[end + 1..].trim_start());
    let expected = || format!("expected rows=, cols=, cells= or features=, not {inside:?}");
    let (across, pattern) = inside.split_once('=').ok_or_else(expected)?;
    let across = match across {
        "rows" => Across::Axis(Axis::Rows),
        "cols" => Across::Axis(Axis::Cols),
        "cells" => Across::Kind(AxisKind::Cells),
        "features" => Across::Kind(AxisKind::Features),
        _ => return Err(expected()),
    };
    Ok((Quantity { measure, among: Some((across, Pattern::new(pattern)?)) }, rest))
}

/// Finds the parenthesis that closes a regular expression.
fn closing(text: &str) -> Option<usize> {
    let (mut depth, mut class) = (0_u32, None);
    let mut signs = text.char_indices().peekable();
    while let Some((at, sign)) = signs.next() {
        match (sign, class) {
            ('\\', _) => {
                signs.next();
            }
            // A bracket right after the start of a class does not close it.
            (']', Some(start)) if at > start => class = None,
            (_, Some(_)) => {}
            ('[', None) => {
                let is_negated = signs.peek().is_some_and(|(_, sign)| *sign == '^');
                class = Some(at + 1 + usize::from(is_negated));
            }
            ('(', None) => depth += 1,
            (')', None) if depth == 0 => return Some(at),
            (')', None) => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Lists the measures.
fn expected() -> String {
    let names: Vec<&str> = MEASURES.iter().map(|(name, _)| *name).collect();
    format!("measures are {}", names.join(", "))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops where it fails")]
mod tests {
    use super::*;

    #[test]
    fn parentheses_of_regular_expressions_are_matched() {
        for (text, end) in [
            ("^MT-)/sum", Some(4)),
            ("^(MT|mt)-)<1", Some(9)),
            (r"a\)b)", Some(4)),
            ("[)]x)", Some(4)),
            ("[])]x)", Some(5)),
            ("[^])]x)", Some(6)),
            (r"[\])]x)", Some(6)),
            ("(a)", None),
            ("", None),
        ] {
            assert_eq!(closing(text), end, "{text}");
        }
    }

    #[test]
    fn measures_are_distinguished_from_names_and_annotations() {
        for text in [
            "nnz>=200",
            "sum<=5e4",
            "variance!=0",
            "mean=-0.5",
            "max>inf",
            "sum(rows=^MT-)/sum<0.2",
            "nnz(cells=^(A|B)=1)/nonzero(features=x)>=1e-3",
            " nnz >= 4 ",
            "sum (rows=^MT-) / sum < 0.2",
        ] {
            assert!(matches!(condition(text), Ok(Condition::Measured(_))), "{text}");
        }
        for text in
            ["sum", "nnz,max", "min:5", "n_counts>=5", "sums>=5", "column(nnz)>=5", "column(a)b)=c"]
        {
            assert!(matches!(condition(text), Ok(Condition::Selected(_))), "{text}");
        }
    }

    #[test]
    fn incomplete_conditions_are_refused() {
        for (text, says) in [
            ("nnz>=", "expected a number, not \"\""),
            ("nnz>=many", "expected a number, not \"many\""),
            ("sum/", "\"\" is not a measure; measures are nnz, nonzero, sum"),
            ("sum/total<1", "\"total\" is not a measure"),
            ("sum/sum", "expected a comparison with a number"),
            ("sum(rows=^MT-", "has no closing parenthesis"),
            ("sum(rows=^MT-)", "expected a comparison with a number"),
            ("sum(rows=^MT-)5", "expected a comparison, not \"5\""),
            ("sum(genes=^MT-)>1", "expected rows=, cols=, cells= or features=, not \"genes=^MT-\""),
            ("sum(^MT-)>1", "expected rows="),
            ("sum(rows=[)>1", "has no closing parenthesis"),
            ("sum(rows=*)>1", "the regular expression \"*\""),
            ("column(nnz)", "expected column(NAME) and a comparison"),
            ("", "or MEASURE>=NUMBER"),
        ] {
            let error = condition(text).unwrap_err();
            assert!(error.contains(says), "{text}: {error}");
        }
    }
}

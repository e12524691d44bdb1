//! The levels of a custom format, as nested objects.

use nnz_core::{Error, Place, Result};

use super::json;
use super::parse::key;
use crate::layout::{Level, LevelKind, MAX_DIMENSIONS};
use crate::{Keys, Layout};

/// Parses the value of `custom`, for a shape with `dimensions` dimensions.
pub(super) fn layout(text: &str, place: &Place, dimensions: usize) -> Result<Layout> {
    let place = key(place, "custom");
    let custom = object(text, &place)?;
    let mut levels = Vec::new();
    let mut place_of_level = key(&place, "level");
    let mut text = member(&custom, "level", &place)?.to_owned();
    let mut left = dimensions;
    loop {
        let level = object(&text, &place_of_level)?;
        let Some(kind) = kind(&level, &place_of_level)? else {
            break;
        };
        let rank = rank(&level, &place_of_level)?;
        left = left.checked_sub(rank).ok_or_else(|| {
            let found = format!("levels of more than {dimensions} dimensions");
            let expected = format!("{dimensions}, like the shape");
            Error::mismatch(place_of_level.clone(), found, expected)
        })?;
        levels.push(Level { kind, rank });
        text = member(&level, "level", &place_of_level)?.to_owned();
        place_of_level = key(&place_of_level, "level");
    }
    if left > 0 {
        let found = format!("levels of {} dimensions", dimensions - left);
        let expected = format!("{dimensions}, like the shape");
        return Err(Error::mismatch(place, found, expected));
    }
    let transpose = custom.get("transpose").map(|text| transpose(text, &place)).transpose()?;
    Layout::new(levels, transpose.clone()).ok_or_else(|| {
        let found = format!("{:?}", transpose.unwrap_or_default());
        let expected = format!("each of the {dimensions} dimensions once, from 0");
        Error::mismatch(key(&place, "transpose"), found, expected)
    })
}

fn object(text: &str, place: &Place) -> Result<Keys> {
    serde_json::from_str(text).map_err(|error| {
        let found = json::not_an_object(text, &error);
        Error::mismatch(place.clone(), found, "an object").with_source(error)
    })
}

fn member<'a>(object: &'a Keys, name: &str, place: &Place) -> Result<&'a str> {
    object.get(name).ok_or_else(|| super::parse::missing(key(place, name)))
}

/// Parses the kind of a level; `None` for the elements.
fn kind(level: &Keys, place: &Place) -> Result<Option<LevelKind>> {
    let text = member(level, "level_desc", place)?;
    match json::string(text).as_deref() {
        Some("element") => Ok(None),
        Some("dense") => Ok(Some(LevelKind::Dense)),
        Some("sparse") => Ok(Some(LevelKind::Sparse)),
        _ => {
            let expected = "\"dense\", \"sparse\" or \"element\"";
            Err(Error::mismatch(key(place, "level_desc"), json::excerpt(text), expected))
        }
    }
}

fn rank(level: &Keys, place: &Place) -> Result<usize> {
    let text = member(level, "rank", place)?;
    let rank = json::count(text).and_then(|rank| usize::try_from(rank).ok());
    rank.filter(|rank| (1..=MAX_DIMENSIONS).contains(rank)).ok_or_else(|| {
        let expected = format!("a whole number from 1 to {MAX_DIMENSIONS}");
        Error::mismatch(key(place, "rank"), json::excerpt(text), expected)
    })
}

fn transpose(text: &str, place: &Place) -> Result<Vec<usize>> {
    let order = json::counts(text).and_then(|order| {
        order.into_iter().map(|dimension| usize::try_from(dimension).ok()).collect()
    });
    order.ok_or_else(|| {
        let expected = "a list of dimensions, from 0";
        Error::mismatch(key(place, "transpose"), json::excerpt(text), expected)
    })
}

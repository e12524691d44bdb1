//! The positions of the rows of common tables in the tables of modalities.

use std::collections::HashMap;

use nnz_container::tree::{ArraySpec, ElementType};
use nnz_core::{
    Axis, Bint8, Error, ErrorKind, Place, Result, Rounding, StringList, ValueType, Values,
};

use super::MuData;
use super::file::{MAPS, len, table};
use crate::anndata::AnnData;
use crate::anndata::element::Element;
use crate::anndata::output::{Group, Output};
use crate::anndata::whole::picks::Pick;

/// For each row of a common table, its position in the table of a modality.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Map(pub(super) Vec<Option<u64>>);

impl MuData {
    /// Reads the map of the axis of a modality, and checks it. Files without maps have the same names in both tables.
    pub(super) fn map(&self, axis: Axis, number: usize, memory: u64) -> Result<Map> {
        if let Some(stored) = self.stored_map(axis, number, memory)? {
            return Ok(stored);
        }
        let (name, modality) = self.numbered(number)?;
        let names =
            |of| -> Result<StringList> { table(of, axis)?.names()?.list_with_limit(memory / 4) };
        let place = Place::array(self.common.root.path(), map_path(axis, name));
        Map::of_names(&names(&self.common)?, &names(modality)?, &place)
    }

    fn numbered(&self, number: usize) -> Result<(&str, &AnnData)> {
        let found = self.modalities.get(number).map(|(name, file)| (&**name, file));
        found.ok_or_else(|| Error::argument("there is no such modality"))
    }

    /// Reads the map of the axis of a modality, and checks it; `None` if it is not stored.
    pub(super) fn stored_map(&self, axis: Axis, number: usize, memory: u64) -> Result<Option<Map>> {
        let (name, modality) = self.numbered(number)?;
        let [common, own] = [len(&self.common, axis)?, len(modality, axis)?];
        let path = map_path(axis, name);
        let place = Place::array(self.common.root.path(), &*path);
        let map = match Element::at(&*self.common.root, &path)? {
            None => return Ok(None),
            Some(Element::Group(_)) => return Err(Error::mismatch(place, "a group", "an array")),
            Some(Element::Array(array)) => {
                // The reference reads arrays of one column, too.
                if !matches!(array.shape(), [rows] | [rows, 1] if *rows == common) {
                    let found = format!("the shape {:?}", array.shape());
                    return Err(Error::mismatch(place, found, common));
                }
                let values = array.read(&array.all(), memory)?;
                let mut numbers = Values::new(ValueType::U64);
                values.cast_into(ValueType::U64, Rounding::Refused, &mut numbers).map_err(
                    |error| {
                        Error::mismatch(place.clone(), error.found.to_string(), "a position, or 0")
                    },
                )?;
                let Values::U64(numbers) = numbers else { return Ok(None) };
                Map(numbers.into_iter().map(|number| number.checked_sub(1)).collect())
            }
        };
        map.check(own, memory).map_err(|error| error.with_context(&place))?;
        Ok(Some(map))
    }
}

/// Returns the path of the map of a modality.
fn map_path(axis: Axis, name: &str) -> String {
    format!("{}/{name}", MAPS[usize::from(axis == Axis::Cols)])
}

impl Map {
    /// Finds the rows of a modality by name. Names that are not unique are found if both lists are equal.
    pub(super) fn of_names(common: &StringList, own: &StringList, place: &Place) -> Result<Self> {
        if common == own {
            return Ok(Self((0..own.len()).map(Some).collect()));
        }
        let mut known = HashMap::new();
        for (name, at) in own.iter().zip(0_u64..) {
            if known.insert(name, at).is_some() {
                let name = String::from_utf8_lossy(name);
                let what = format!("duplicate name {name:?}; rows are found by name");
                return Err(Error::unsupported(place.clone(), what));
            }
        }
        Ok(Self(common.iter().map(|name| known.get(name).copied()).collect()))
    }

    /// Checks that rows of a modality are in range, and unique.
    fn check(&self, own: u64, memory: u64) -> Result<()> {
        let refused = |found: String, expected: String| {
            Err(Error::mismatch(Place::default(), found, expected))
        };
        let Some(count) = usize::try_from(own).ok().filter(|_| own <= memory) else {
            let kind = ErrorKind::Memory { needed: own, allowed: memory };
            return Err(Error::new(kind, Place::default()));
        };
        let mut seen = vec![false; count];
        for at in self.0.iter().flatten() {
            let slot = usize::try_from(*at).ok().and_then(|at| seen.get_mut(at));
            match slot {
                Some(seen) if !*seen => *seen = true,
                Some(_) => return refused(format!("{} twice", at + 1), "unique positions".into()),
                None => return refused((at + 1).to_string(), format!("at most {own}")),
            }
        }
        Ok(())
    }

    /// Returns the rows of the modality that belong to selected rows of the common table, and the new map.
    pub(super) fn picked(&self, pick: &Pick, own: u64) -> (Option<Pick>, Self) {
        let mut ranges: Vec<std::ops::Range<u64>> = Vec::new();
        let (mut map, mut next) = (Vec::new(), 0..);
        for at in pick.ranges.iter().cloned().flatten() {
            let found = usize::try_from(at).ok().and_then(|at| *self.0.get(at)?);
            map.push(found.and_then(|_| next.next()));
            let Some(row) = found else { continue };
            match ranges.last_mut().filter(|last| last.end == row) {
                Some(last) => last.end += 1,
                None => ranges.push(row..row + 1),
            }
        }
        (Pick::new(ranges, own), Self(map))
    }

    /// Writes the map as an array of 1-based positions, 0 for rows that the modality does not have.
    pub(super) fn write(&self, output: &mut Output, parent: Group, name: &str) -> Result<()> {
        let numbers = self.0.iter().map(|at| at.map_or(0, |at| at + 1));
        let small: Option<Vec<u32>> =
            numbers.clone().map(|number| number.try_into().ok()).collect();
        let values = small.map_or_else(|| Values::U64(numbers.collect()), Values::U32);
        output.numbers(parent, name, &values)
    }

    /// Writes which rows the modality has, as a column of booleans.
    pub(super) fn write_mask(&self, output: &mut Output, parent: Group, name: &str) -> Result<()> {
        let values: Vec<_> = self.0.iter().map(|at| Bint8(at.is_some().into())).collect();
        let spec = ArraySpec::new(ElementType::Number(ValueType::Bint8), &[values.len() as u64, 1]);
        let array = output.tree.create_array(parent.0, name, &spec)?;
        output.encode_node(array, "array", "0.2.0")?;
        output.tree.append_bytes(array, Values::Bint8(values).bytes())?;
        output.tree.finish_array(array)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_modalities_follow_the_common_ones() {
        let map = Map(vec![Some(2), None, Some(0), Some(1), None]);
        #[expect(clippy::single_range_in_vec_init, reason = "a selection of one range")]
        let first = Pick::new(vec![0..3], 5).unwrap();
        let (pick, new) = map.picked(&first, 3);
        assert_eq!(pick.unwrap().ranges, [2..3, 0..1]);
        assert_eq!(new, Map(vec![Some(0), None, Some(1)]));
        let moved = Pick::new(vec![2..4, 0..1], 5).unwrap();
        let (pick, new) = map.picked(&moved, 3);
        assert!(pick.is_none(), "all rows in order");
        assert_eq!(new, Map(vec![Some(0), Some(1), Some(2)]));
        #[expect(clippy::single_range_in_vec_init, reason = "a selection of one range")]
        let none = Pick::new(vec![1..2], 5).unwrap();
        let (pick, new) = map.picked(&none, 3);
        assert_eq!((pick.unwrap().len, new), (0, Map(vec![None])));
    }

    #[test]
    fn positions_are_in_range_and_unique() {
        assert!(Map(vec![Some(1), None, Some(0)]).check(2, 100).is_ok());
        assert!(Map(vec![Some(1), Some(1)]).check(2, 100).is_err());
        assert!(Map(vec![Some(2)]).check(2, 100).is_err());
        assert!(Map(vec![]).check(u64::MAX, 100).is_err());
    }

    #[test]
    fn rows_are_found_by_name() {
        let list = |names: &[&str]| names.iter().collect::<StringList>();
        let found = |common, own| Map::of_names(&list(common), &list(own), &Place::default());
        assert_eq!(found(&["a", "b", "c"], &["c", "a"]).unwrap().0, [Some(1), None, Some(0)]);
        assert_eq!(found(&["a", "a"], &["a", "a"]).unwrap().0, [Some(0), Some(1)]);
        assert!(found(&["a", "b"], &["a", "a"]).is_err());
    }
}

//! The common table of an axis, from the names of several modalities.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use nnz_core::{Error, Place, Result, StringList};

use super::maps::Map;
use crate::anndata::whole::picks::Pick;

/// The names of a common table, and the position of each in every modality.
pub(super) struct Common {
    pub(super) names: StringList,
    pub(super) maps: Vec<Map>,
}

impl Common {
    /// Joins names that mean the same in all modalities, in the order in which they first occur. Names that are not
    /// unique are joined if all lists are equal.
    pub(super) fn shared(lists: &[StringList], places: &[Place]) -> Result<Self> {
        let mut names = StringList::new();
        if let Some((first, rest)) = lists.split_first()
            && rest.iter().all(|list| list == first)
        {
            names = first.clone();
        } else {
            let mut seen: HashSet<&[u8]> = HashSet::new();
            let mut own: HashMap<&[u8], usize> = HashMap::new();
            for (number, (list, place)) in lists.iter().zip(places).enumerate() {
                for name in list.iter() {
                    if own.insert(name, number) == Some(number) {
                        let name = String::from_utf8_lossy(name);
                        let what =
                            format!("duplicate name {name:?}; modalities are joined by name");
                        return Err(Error::unsupported(place.clone(), what));
                    }
                    if seen.insert(name) {
                        names.try_push(name)?;
                    }
                }
            }
        }
        let lists = lists.iter().zip(places);
        let maps =
            lists.map(|(list, place)| Map::of_names(&names, list, place)).collect::<Result<_>>()?;
        Ok(Self { names, maps })
    }

    /// Lists the names of all modalities, one modality after the other.
    pub(super) fn separate(lists: &[StringList]) -> Result<Self> {
        let mut names = StringList::new();
        for name in lists.iter().flat_map(StringList::iter) {
            names.try_push(name)?;
        }
        let before = |number: usize| lists.iter().take(number).map(StringList::len).sum::<u64>();
        let map = |(number, list): (usize, &StringList)| {
            let own = before(number)..before(number) + list.len();
            Map((0..names.len()).map(|at| own.contains(&at).then(|| at - own.start)).collect())
        };
        let maps = lists.iter().enumerate().map(map).collect();
        Ok(Self { names, maps })
    }

    /// Returns what all modalities have, and the selected rows of each.
    pub(super) fn in_all(&self) -> Result<(Self, Vec<Option<Pick>>)> {
        let (mut names, mut ranges) = (StringList::new(), Vec::<Range<u64>>::new());
        for (row, name) in self.names.iter().enumerate() {
            if !self.maps.iter().all(|map| matches!(map.0.get(row), Some(Some(_)))) {
                continue;
            }
            names.try_push(name)?;
            let row = row as u64;
            match ranges.last_mut().filter(|last| last.end == row) {
                Some(last) => last.end += 1,
                None => ranges.push(row..row + 1),
            }
        }
        let Some(pick) = Pick::new(ranges, self.names.len()) else {
            let picks = self.maps.iter().map(|_| None).collect();
            return Ok((Self { names, maps: self.maps.clone() }, picks));
        };
        let own = |map: &Map| map.0.iter().flatten().count() as u64;
        let (picks, maps) = self.maps.iter().map(|map| map.picked(&pick, own(map))).unzip();
        Ok((Self { names, maps }, picks))
    }

    /// Returns whether no row is in more than one of several modalities.
    pub(super) fn is_disjoint(&self) -> bool {
        let count =
            |row| self.maps.iter().filter(|map| matches!(map.0.get(row), Some(Some(_)))).count();
        let mut rows = 0..self.maps.first().map_or(0, |map| map.0.len());
        self.maps.len() > 1 && !rows.is_empty() && rows.all(|row| count(row) < 2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_joined_or_listed_apart() {
        let lists = [["a", "b"], ["b", "c"]].map(|names| names.iter().collect::<StringList>());
        let places = [Place::default(), Place::default()];
        let text = |common: &Common| common.names.iter().map(|n| n[0] as char).collect::<String>();
        let shared = Common::shared(&lists, &places).unwrap();
        assert_eq!(text(&shared), "abc");
        assert_eq!(shared.maps[1].0, [None, Some(0), Some(1)]);
        assert!(!shared.is_disjoint());
        let (in_all, picks) = shared.in_all().unwrap();
        assert_eq!((&*text(&in_all), &in_all.maps[0].0), ("b", &vec![Some(0)]));
        assert_eq!(picks[0].as_ref().unwrap().ranges, std::iter::once(1..2).collect::<Vec<_>>());
        let separate = Common::separate(&lists).unwrap();
        assert_eq!(text(&separate), "abbc");
        assert_eq!(separate.maps[1].0, [None, None, Some(0), Some(1)]);
        assert!(separate.is_disjoint());
        let twice = [["a", "a"], ["a", "b"]].map(|names| names.iter().collect::<StringList>());
        assert!(Common::shared(&twice, &places).is_err());
        assert!(Common::shared(&twice[..1], &places[..1]).is_ok());
        assert!(Common::shared(&[], &[]).unwrap().names.is_empty());
    }
}

//! The names of matrices that were put together.

use nnz_core::{Axis, Error, Result, StringList};

use super::{Concat, Part};
use crate::slice::one_of;

impl Concat {
    /// Reads the names of the axis they share: they have to agree, as far as there are any.
    pub(super) fn shared_names(&self, axis: Axis) -> Result<Option<StringList>> {
        let mut first: Option<(StringList, &Part)> = None;
        for part in &self.parts {
            let names = part.source.names(axis).map_err(|error| error.within(&part.place))?;
            let Some(names) = names else { continue };
            match &first {
                None => first = Some((names, part)),
                Some(_) if self.ignore_names => {}
                Some((expected, before)) if names != *expected => {
                    return Err(differ(axis, (expected, before), (&names, part)));
                }
                Some(_) => {}
            }
            if self.ignore_names {
                break;
            }
        }
        Ok(first.map(|(names, _)| names))
    }

    /// Reads the names of the axis along which they lie. There are none where one has none.
    pub(super) fn appended_names(&self) -> Result<Option<StringList>> {
        let mut all = StringList::new();
        for part in &self.parts {
            let names = part.source.names(self.axis).map_err(|error| error.within(&part.place))?;
            match names {
                Some(names) => names.iter().for_each(|name| all.push(name)),
                None if part.len(self.axis) == 0 => {}
                None => return Ok(None),
            }
        }
        Ok(Some(all))
    }

    /// Says that names are left out since some matrices have none.
    pub(super) fn nameless(&self) -> Option<String> {
        let named = |part: &&Part| !matches!(part.source.names(self.axis), Ok(None));
        let without = self.parts.iter().find(|part| !named(part) && part.len(self.axis) > 0)?;
        let with = self.parts.iter().find(named)?;
        Some(format!(
            "the names of the {} of {}, since {} has none",
            self.axis, with.place, without.place
        ))
    }
}

fn differ(axis: Axis, first: (&StringList, &Part), second: (&StringList, &Part)) -> Error {
    let pairs = first.0.iter().zip(second.0.iter());
    let difference = (0_u64..).zip(pairs).find(|(_, (a, b))| a != b);
    let what = match difference {
        Some((at, (a, b))) => {
            let [a, b] = [a, b].map(String::from_utf8_lossy);
            format!("the name {b:?} of {} {at}, which is {a:?} in {}", one_of(axis), first.1.place)
        }
        None => format!("other names of {}s than {}", one_of(axis), first.1.place),
    };
    Error::unsupported(second.1.place.clone(), format!("{what}; --ignore-names takes the first"))
}

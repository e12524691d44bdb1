//! Enumerations of HDF5 as columns: R's hdf5r writes factors and logical vectors as such.

use std::collections::HashMap;

use nnz_container::tree::{ElementType, Member, NdArray};
use nnz_core::{
    At, Bint8, Categorical, Categories, Column, ColumnType, ColumnValues, Error, Result, Scalar,
    StringList, ValueType, Values,
};

/// The names of the values of a logical vector of R.
const LOGICAL: [&str; 3] = ["FALSE", "TRUE", "NA"];

/// An array of named integers.
#[derive(Debug)]
pub(crate) struct Enumeration {
    integers: Box<dyn NdArray>,
    /// The members in ascending order of their integers, which is the order of the levels of a factor.
    members: Vec<Member>,
}

impl Enumeration {
    /// Opens an array; `None` if its elements are not of an enumeration.
    pub(crate) fn of(array: &dyn NdArray) -> Result<Option<Self>> {
        let ElementType::Enumeration(members) = array.element_type() else { return Ok(None) };
        let mut members = members.clone();
        members.sort_by_key(|member| member.value);
        for (at, member) in members.iter().enumerate() {
            let others = members.get(at.saturating_add(1)..).unwrap_or_default();
            if others.first().is_some_and(|other| other.value == member.value) {
                let found = format!("two names of the integer {}", member.value);
                return Err(Error::mismatch(array.place(), found, "distinct integers"));
            }
        }
        let mut names: Vec<&str> = members.iter().map(|member| &*member.name).collect();
        names.sort_unstable();
        if let Some(pair) = names.windows(2).find(|pair| pair.first() == pair.last()) {
            let found = format!("the name {:?} twice", pair.first().unwrap_or(&""));
            return Err(Error::mismatch(array.place(), found, "distinct names"));
        }
        Ok(Some(Self { integers: array.integers()?, members }))
    }

    /// Returns whether it is a logical vector of R, in which `NA` is a missing value.
    fn is_logical(&self) -> bool {
        let has = |name: &str| self.members.iter().any(|member| member.name == name);
        let [no, yes, _] = LOGICAL;
        has(no) && has(yes) && self.members.iter().all(|member| LOGICAL.contains(&&*member.name))
    }

    /// Returns whether values can be missing.
    pub(crate) fn is_nullable(&self) -> bool {
        self.is_logical() && self.members.len() == LOGICAL.len()
    }

    /// Returns the type of the column.
    pub(crate) fn column_type(&self) -> ColumnType {
        match self.is_logical() {
            true => ColumnType::Number(ValueType::Bint8),
            false => ColumnType::Categorical { ordered: false },
        }
    }

    /// Reads all values into at most `memory` bytes.
    pub(crate) fn read(&self, memory: u64) -> Result<Column> {
        let array = &*self.integers;
        let values = array.read(&array.all(), memory / 4)?;
        let codes: HashMap<i128, i32> =
            self.members.iter().zip(0..).map(|(member, code)| (member.value, code)).collect();
        // R stores a missing value of a factor, whose levels are 1, 2, ..., as 0.
        let counted =
            self.members.iter().zip(1_i128..).all(|(member, level)| member.value == level);
        let code_of = |at: usize| {
            let value = values.get(at).and_then(whole);
            let code = value.and_then(|value| codes.get(&value).copied());
            code.or_else(|| (counted && value == Some(0)).then_some(-1)).ok_or_else(|| {
                let found =
                    value.map_or_else(|| "no integer".to_owned(), |value| value.to_string());
                let place = array.place().at(At::Element(at as u64));
                Error::mismatch(place, found, "an integer of the enumeration")
            })
        };
        let codes = (0..values.len().unwrap_or(0)).map(code_of).collect::<Result<Vec<i32>>>()?;
        Ok(match self.is_logical() {
            true => self.logical(&codes),
            false => {
                let mut names = StringList::new();
                for member in &self.members {
                    names.try_push(member.name.as_bytes())?;
                }
                let categories = Categories::Strings(names);
                let values = Categorical { codes, categories, ordered: false };
                Column { values: ColumnValues::Categorical(values), missing: None }
            }
        })
    }

    fn logical(&self, codes: &[i32]) -> Column {
        let code_of = |name: &str| {
            let found = self.members.iter().zip(0..).find(|(member, _)| member.name == name);
            found.map(|(_, code)| code)
        };
        let [_, yes, unknown] = LOGICAL.map(code_of);
        let is = |code: i32, known: Option<i32>| known == Some(code);
        let values = codes.iter().map(|&code| Bint8(is(code, yes).into())).collect();
        let missing: Vec<bool> = codes.iter().map(|&code| code < 0 || is(code, unknown)).collect();
        let missing = missing.contains(&true).then_some(missing);
        Column { values: ColumnValues::Numbers(Values::Bint8(values)), missing }
    }
}

fn whole(scalar: Scalar) -> Option<i128> {
    Some(match scalar {
        Scalar::U8(value) => value.into(),
        Scalar::U16(value) => value.into(),
        Scalar::U32(value) => value.into(),
        Scalar::U64(value) => value.into(),
        Scalar::I8(value) => value.into(),
        Scalar::I16(value) => value.into(),
        Scalar::I32(value) => value.into(),
        Scalar::I64(value) => value.into(),
        _ => return None,
    })
}

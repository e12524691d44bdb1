//! Objects of R.

use crate::codes;
use crate::input::Compression;
use crate::numbers::{Integers, Reals};
use crate::strings::Strings;
use crate::text::{Symbol, Text, TextRef};

/// A whole `.rds` file.
#[derive(Clone, Debug)]
pub struct Document {
    /// The version of the serialisation: 2 or 3.
    pub version: u32,
    /// The version of R that wrote it, as `0x00MMmmpp`.
    pub writer: u32,
    /// The encoding of strings that name none, where the file tells.
    pub native: Option<String>,
    /// How the file is compressed.
    pub compression: Compression,
    /// The object.
    pub object: Object,
}

/// An object: a value and its attributes.
#[derive(Clone, Debug, Default)]
pub struct Object {
    /// The value.
    pub value: Value,
    /// The attributes, such as `names` and `class`; the slots of an S4 object.
    pub attributes: Vec<Entry>,
    /// Whether R looks for methods of its class.
    pub is_object: bool,
    /// Sixteen bits R keeps with it; the one of S4 among them.
    pub levels: u16,
}

/// What an object is.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub enum Value {
    /// `NULL`.
    #[default]
    Null,
    /// 0, 1 or [`NA_INTEGER`](crate::NA_INTEGER).
    Logical(Vec<i32>),
    /// Integers.
    Integer(Integers),
    /// Doubles.
    Real(Reals),
    /// Complex numbers.
    Complex(Vec<[f64; 2]>),
    /// Strings.
    Character(Strings),
    /// Bytes.
    Raw(Vec<u8>),
    /// A list.
    List(Vec<Object>),
    /// An expression vector.
    Expression(Vec<Object>),
    /// A pairlist.
    Pairlist(Box<Pairlist>),
    /// A call.
    Language(Box<Pairlist>),
    /// A symbol.
    Symbol(Symbol),
    /// An S4 object, all of which is in its attributes.
    S4,
    /// An argument that is left out of a call.
    MissingArgument,
}

/// Values with names, one behind the other.
#[derive(Clone, Debug, Default)]
pub struct Pairlist {
    /// The values.
    pub entries: Vec<Entry>,
    /// What stands where the list should end, if it is not the end.
    pub tail: Option<Object>,
}

/// A value of a pairlist, or an attribute.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its name.
    pub tag: Option<Symbol>,
    /// The value.
    pub value: Object,
}

impl Value {
    /// Names what it is, for messages.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "NULL",
            Self::Logical(_) => "a logical vector",
            Self::Integer(_) => "an integer vector",
            Self::Real(_) => "a numeric vector",
            Self::Complex(_) => "a complex vector",
            Self::Character(_) => "a character vector",
            Self::Raw(_) => "a raw vector",
            Self::List(_) => "a list",
            Self::Expression(_) => "an expression",
            Self::Pairlist(_) => "a pairlist",
            Self::Language(_) => "a call",
            Self::Symbol(_) => "a symbol",
            Self::S4 => "an S4 object",
            Self::MissingArgument => "a missing argument",
        }
    }
}

impl From<Value> for Object {
    fn from(value: Value) -> Self {
        Self { value, ..Self::default() }
    }
}

impl Object {
    /// Visits the attributes.
    pub fn attributes(&self) -> impl Iterator<Item = &Entry> {
        self.attributes.iter()
    }

    /// Returns an attribute.
    #[must_use]
    pub fn attribute(&self, name: &str) -> Option<&Object> {
        let is = |entry: &&Entry| entry.tag.as_ref().is_some_and(|tag| tag.is(name));
        self.attributes().find(is).map(|entry| &entry.value)
    }

    /// Appends an attribute.
    pub fn push_attribute(&mut self, name: &str, value: Self) {
        let tag = Some(Symbol::new(TextRef::utf8(name)));
        self.attributes.push(Entry { tag, value });
    }

    /// Returns the class, where there is one of one name, as all S4 objects have.
    #[must_use]
    pub fn class(&self) -> Option<Text> {
        match &self.attribute("class")?.value {
            Value::Character(names) => names.only(),
            _ => None,
        }
    }

    /// Returns whether it is an S4 object.
    #[must_use]
    pub fn is_s4(&self) -> bool {
        self.levels & codes::LEVEL_S4 != 0 || matches!(self.value, Value::S4)
    }
}

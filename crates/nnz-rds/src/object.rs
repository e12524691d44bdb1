//! R objects.

use crate::codes;
use crate::input::Compression;
use crate::numbers::{Integers, Reals};
use crate::strings::Strings;
use crate::text::{Symbol, Text, TextRef};

/// The content of an `.rds` file.
#[derive(Clone, Debug)]
pub struct Document {
    /// The version of the format: 2 or 3.
    pub version: u32,
    /// The version of R that wrote the file, as `0x00MMmmpp`.
    pub writer: u32,
    /// The encoding of strings without a stated encoding, if the file has it.
    pub native: Option<String>,
    /// The compression of the file.
    pub compression: Compression,
    /// Whether it is a workspace (`.RData`), whose object is a pairlist of variables.
    pub workspace: bool,
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
    /// Whether the object bit is set, for method dispatch on its class.
    pub is_object: bool,
    /// Sixteen bits that R keeps with the object; one of them is for S4.
    pub levels: u16,
}

/// The value of an object.
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
    /// An S4 object, whose content is in its attributes.
    S4,
    /// An omitted argument of a call.
    MissingArgument,
    /// The variables of an environment that is the content of an object, as of reference classes.
    Environment(Vec<Entry>),
    /// Something that was skipped, such as a function, with its description.
    Skipped(&'static str),
}

/// A linked list of values with names.
#[derive(Clone, Debug, Default)]
pub struct Pairlist {
    /// The values.
    pub entries: Vec<Entry>,
    /// The object at the end, if it is not `NULL`.
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
    /// Describes the kind of value, for messages.
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
            Self::Environment(_) => "an environment",
            Self::Skipped(what) => what,
        }
    }
}

impl From<Value> for Object {
    fn from(value: Value) -> Self {
        Self { value, ..Self::default() }
    }
}

impl Object {
    /// Returns an iterator over the attributes.
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

    /// Returns the class if it is one name, as for all S4 objects.
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

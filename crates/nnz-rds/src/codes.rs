//! Type codes and flags of R's serialization.

/// A symbol.
pub(crate) const SYMBOL: u8 = 1;
/// A function written in R, stored like a pairlist.
pub(crate) const CLOSURE: u8 = 3;
/// An environment.
pub(crate) const ENVIRONMENT: u8 = 4;
/// An argument that is not evaluated yet, stored like a pairlist.
pub(crate) const PROMISE: u8 = 5;
/// A function of R itself, by its name.
pub(crate) const SPECIAL: u8 = 7;
/// A function of R itself, by its name.
pub(crate) const BUILTIN: u8 = 8;
/// The arguments of `...`, stored like a pairlist.
pub(crate) const DOTS: u8 = 17;
/// Byte code.
pub(crate) const BYTE_CODE: u8 = 21;
/// An external pointer.
pub(crate) const POINTER: u8 = 22;
/// A weak reference.
pub(crate) const WEAK_REFERENCE: u8 = 23;
/// In byte code: a pairlist and a call with attributes, and a reference to a call and a call that has references.
pub(crate) const CODE_PAIRLIST: u8 = 239;
pub(crate) const CODE_LANGUAGE: u8 = 240;
pub(crate) const CODE_REFERENCE: u8 = 243;
pub(crate) const CODE_DEFINITION: u8 = 244;
/// An object that a hook of R stored by its name.
pub(crate) const PERSISTENT: u8 = 247;
/// The environment of a package, by its name.
pub(crate) const PACKAGE: u8 = 248;
/// A namespace, by its name and version.
pub(crate) const NAMESPACE: u8 = 249;
/// A pairlist, used for attributes.
pub(crate) const PAIRLIST: u8 = 2;
/// A call, stored like a pairlist.
pub(crate) const LANGUAGE: u8 = 6;
/// One string of a character vector.
pub(crate) const STRING: u8 = 9;
/// A logical vector.
pub(crate) const LOGICAL: u8 = 10;
/// An integer vector.
pub(crate) const INTEGER: u8 = 13;
/// A vector of doubles.
pub(crate) const REAL: u8 = 14;
/// A vector of complex numbers.
pub(crate) const COMPLEX: u8 = 15;
/// A character vector.
pub(crate) const CHARACTER: u8 = 16;
/// A list.
pub(crate) const LIST: u8 = 19;
/// An expression vector, stored like a list.
pub(crate) const EXPRESSION: u8 = 20;
/// Raw bytes.
pub(crate) const RAW: u8 = 24;
/// An S4 object, whose content is in its attributes.
pub(crate) const S4: u8 = 25;
/// An alternative representation of a vector.
pub(crate) const ALTREP: u8 = 238;
/// Objects of the session without content: the namespace of the package base, an unbound value, environments.
pub(crate) const SESSION: [u8; 5] = [241, 242, 250, 252, 253];
/// `NULL`.
pub(crate) const NULL: u8 = 254;
/// `NULL` of old writers.
pub(crate) const OLD_NULL: u8 = 0;
/// A reference to an earlier symbol, environment or pointer.
pub(crate) const REFERENCE: u8 = 255;
/// An omitted argument.
pub(crate) const MISSING_ARGUMENT: u8 = 251;

/// Bits of the flags after the code.
pub(crate) const IS_OBJECT: u32 = 1 << 8;
pub(crate) const HAS_ATTRIBUTES: u32 = 1 << 9;
pub(crate) const HAS_TAG: u32 = 1 << 10;
pub(crate) const LEVELS_SHIFT: u32 = 12;

/// Bits of the levels of a string, for its encoding.
pub(crate) const LEVEL_BYTES: u16 = 1 << 1;
pub(crate) const LEVEL_LATIN1: u16 = 1 << 2;
pub(crate) const LEVEL_UTF8: u16 = 1 << 3;
pub(crate) const LEVEL_ASCII: u16 = 1 << 6;
/// The bit of the levels for S4 objects.
pub(crate) const LEVEL_S4: u16 = 1 << 4;

/// The first number of an item.
#[derive(Clone, Copy)]
pub(crate) struct Flags(pub(crate) u32);

impl Flags {
    pub(crate) fn code(self) -> u8 {
        let [code, ..] = self.0.to_le_bytes();
        code
    }

    pub(crate) fn is_object(self) -> bool {
        self.0 & IS_OBJECT != 0
    }

    pub(crate) fn has_attributes(self) -> bool {
        self.0 & HAS_ATTRIBUTES != 0
    }

    pub(crate) fn has_tag(self) -> bool {
        self.0 & HAS_TAG != 0
    }

    pub(crate) fn levels(self) -> u16 {
        u16::try_from((self.0 >> LEVELS_SHIFT) & 0xffff).unwrap_or(0)
    }
}

/// Describes a type that is skipped.
pub(crate) fn skipped(code: u8) -> Option<&'static str> {
    Some(match code {
        CLOSURE => "a function (closure)",
        ENVIRONMENT => "an environment",
        PROMISE => "a promise",
        SPECIAL | BUILTIN => "a built-in function",
        DOTS => "a ... argument",
        BYTE_CODE => "byte code",
        POINTER => "an external pointer",
        WEAK_REFERENCE => "a weak reference",
        241 => "the base environment",
        242 => "the empty environment",
        PERSISTENT => "a persistent reference",
        PACKAGE => "the environment of a package",
        NAMESPACE | 250 => "a namespace",
        252 => "an unbound value",
        253 => "the global environment",
        _ => return None,
    })
}

//! Reading objects.

mod ascii;
mod source;
mod vectors;

use std::io::Read;

use crate::budget::{Budget, Limits};
use crate::codes::{self, Flags};
use crate::error::{Error, Result};
use crate::object::{Document, Entry, Object, Pairlist, Value};
use crate::text::{Encoding, Symbol, TextRef};
use crate::{altrep, input};
use source::{Form, Source};

/// Maximum depth of nested lists, including attributes. Each level uses stack space.
const MAX_DEPTH: u32 = 256;

/// Maximum length of the name of an encoding.
const MAX_ENCODING_LEN: i32 = 64;

/// Reads the object of a file, and checks that nothing follows it.
///
/// # Errors
///
/// Fails if the stream cannot be read or decompressed, is not valid, or has unsupported objects:
/// code, environments, pointers, objects nested deeper than 256 levels.
pub fn read(reader: impl Read, limits: Limits) -> Result<Document> {
    let (stream, compression) = input::open(reader)?;
    let mut source = Source::new(stream);
    let (version, writer, native) = header(&mut source)?;
    let mut reader = Reader { source, version, symbols: Vec::new(), budget: Budget::new(limits) };
    let object = reader.object(0)?;
    reader.source.expect_end()?;
    Ok(Document { version, writer, native, compression, object })
}

/// Reads the header.
fn header(source: &mut Source<'_>) -> Result<(u32, u32, Option<String>)> {
    let mut magic = [0; 2];
    source.read_exact(&mut magic)?;
    source.form = match &magic {
        b"X\n" => Form::Xdr,
        b"B\n" => Form::LittleEndian,
        b"A\n" => Form::Ascii,
        // Text of Windows has lines that end in CRLF.
        b"A\r" if source.peek()? == Some(b'\n') => Form::Ascii,
        b"RD" => {
            let what = "a workspace (.RData) is not supported: save one object with saveRDS";
            return Err(Error::unsupported(0, what));
        }
        _ => {
            let found = format!("\"{}\"", magic.escape_ascii());
            return Err(Error::mismatch(0, found, "\"X\\n\", \"B\\n\" or \"A\\n\""));
        }
    };
    let at = source.offset();
    let version = source.int()?;
    if !matches!(version, 2 | 3) {
        return Err(Error::mismatch(at, format!("version {version}"), "version 2 or 3"));
    }
    let writer = source.int()?.cast_unsigned();
    source.int()?;
    let mut native = None;
    if version == 3 {
        let at = source.offset();
        let length = source.int()?;
        if !(0..=MAX_ENCODING_LEN).contains(&length) {
            let found = format!("an encoding with a name of {length} bytes");
            return Err(Error::mismatch(at, found, format!("0 to {MAX_ENCODING_LEN}")));
        }
        let mut name = Vec::new();
        source.text(length.unsigned_abs(), &mut name)?;
        native = Some(String::from_utf8_lossy(&name).into_owned());
    }
    Ok((version.unsigned_abs(), writer, native))
}

pub(crate) struct Reader<'a> {
    source: Source<'a>,
    version: u32,
    /// The symbols so far, which references count from 1.
    symbols: Vec<Symbol>,
    budget: Budget,
}

impl Reader<'_> {
    fn flags(&mut self) -> Result<Flags> {
        Ok(Flags(self.source.int()?.cast_unsigned()))
    }

    /// Reads an object at nesting level `depth`.
    fn object(&mut self, depth: u32) -> Result<Object> {
        let at = self.source.offset();
        let flags = self.flags()?;
        self.object_of(flags, at, depth)
    }

    /// Reads the rest of an object after its flags.
    fn object_of(&mut self, flags: Flags, at: u64, depth: u32) -> Result<Object> {
        if depth >= MAX_DEPTH {
            let found = format!("objects nested more than {MAX_DEPTH} levels deep");
            return Err(Error::unsupported(at, found));
        }
        let code = flags.code();
        match code {
            codes::PAIRLIST | codes::LANGUAGE => return self.pairlist(flags, depth),
            codes::ALTREP if self.version >= 3 => return self.altrep(flags, at, depth),
            _ => {}
        }
        let value = match code {
            codes::NULL | codes::OLD_NULL => Value::Null,
            codes::SYMBOL | codes::REFERENCE => Value::Symbol(self.symbol(flags, at)?),
            codes::S4 => Value::S4,
            codes::MISSING_ARGUMENT => Value::MissingArgument,
            codes::LIST | codes::EXPRESSION => {
                let members = self.members(depth)?;
                match code {
                    codes::LIST => Value::List(members),
                    _ => Value::Expression(members),
                }
            }
            _ => match self.vector(code)? {
                Some(vector) => vector,
                None => return Err(refused(code, at)),
            },
        };
        let mut object =
            Object { value, attributes: Vec::new(), is_object: false, levels: flags.levels() };
        object.is_object = flags.is_object();
        // In a stream, objects of the session such as environments have no attributes.
        let bare = matches!(object.value, Value::Null | Value::Symbol(_) | Value::MissingArgument);
        if bare {
            return Ok(Object { levels: 0, is_object: false, ..object });
        }
        if flags.has_attributes() {
            object.attributes = self.attributes(depth)?;
        }
        Ok(object)
    }

    fn members(&mut self, depth: u32) -> Result<Vec<Object>> {
        let count = self.source.length()?;
        let mut members: Vec<Object> = Vec::new();
        for _ in 0..count {
            let at = self.source.offset();
            let member = self.object(depth + 1)?;
            self.budget.take(size_of::<Object>(), at)?;
            crate::budget::grow(&mut members, 1, count, at)?;
            members.push(member);
        }
        Ok(members)
    }

    fn attributes(&mut self, depth: u32) -> Result<Vec<Entry>> {
        let at = self.source.offset();
        let object = self.object(depth + 1)?;
        let list = match object.value {
            Value::Null => return Ok(Vec::new()),
            Value::Pairlist(list) => *list,
            other => return Err(Error::mismatch(at, other.kind(), "a pairlist of attributes")),
        };
        if list.tail.is_some() || list.entries.iter().any(|entry| entry.tag.is_none()) {
            return Err(Error::mismatch(at, "an attribute without a name", "a name for each"));
        }
        Ok(list.entries)
    }

    /// Reads a pairlist or a call iteratively, whatever its length.
    fn pairlist(&mut self, first: Flags, depth: u32) -> Result<Object> {
        let mut list = Pairlist::default();
        let mut attributes = Vec::new();
        let mut flags = first;
        loop {
            let at = self.source.offset();
            if flags.has_attributes() {
                let found = self.attributes(depth)?;
                if !list.entries.is_empty() {
                    let what = "attributes after the first entry of a pairlist are not supported";
                    return Err(Error::unsupported(at, what));
                }
                attributes = found;
            }
            let tag = if flags.has_tag() { self.tag()? } else { None };
            let value = self.object(depth + 1)?;
            self.budget.take(size_of::<Entry>(), at)?;
            list.entries.push(Entry { tag, value });
            let at = self.source.offset();
            flags = self.flags()?;
            match flags.code() {
                codes::PAIRLIST => {}
                codes::NULL | codes::OLD_NULL => break,
                _ => {
                    list.tail = Some(self.object_of(flags, at, depth + 1)?);
                    break;
                }
            }
        }
        let value = match first.code() {
            codes::LANGUAGE => Value::Language(Box::new(list)),
            _ => Value::Pairlist(Box::new(list)),
        };
        Ok(Object { value, attributes, is_object: first.is_object(), levels: first.levels() })
    }

    fn tag(&mut self) -> Result<Option<Symbol>> {
        let at = self.source.offset();
        let flags = self.flags()?;
        match flags.code() {
            codes::NULL | codes::OLD_NULL => Ok(None),
            codes::SYMBOL | codes::REFERENCE => self.symbol(flags, at).map(Some),
            code => Err(Error::mismatch(at, format!("an object of code {code}"), "a name")),
        }
    }

    /// Reads a symbol, or resolves a reference to one.
    fn symbol(&mut self, flags: Flags, at: u64) -> Result<Symbol> {
        if flags.code() == codes::REFERENCE {
            let index = match flags.0 >> 8 {
                0 => self.source.int()?,
                packed => i32::try_from(packed).unwrap_or(-1),
            };
            let found = usize::try_from(index).ok().and_then(|index| index.checked_sub(1));
            let found = found.and_then(|index| self.symbols.get(index));
            return found.cloned().ok_or_else(|| {
                let expected = format!("one of the {} symbols before it", self.symbols.len());
                Error::mismatch(at, format!("a reference to symbol {index}"), expected)
            });
        }
        let at = self.source.offset();
        let flags = self.flags()?;
        let mut bytes = Vec::new();
        let Some(encoding) = self.string(flags, at, &mut bytes)? else {
            return Err(Error::mismatch(at, "a missing string", "the name of a symbol"));
        };
        self.budget.take(bytes.len() + size_of::<Entry>(), at)?;
        let symbol = Symbol::new(TextRef { bytes: &bytes, encoding });
        self.symbols.push(symbol.clone());
        Ok(symbol)
    }

    /// Reads a string into `bytes`; `None` for a missing one.
    fn string(&mut self, flags: Flags, at: u64, bytes: &mut Vec<u8>) -> Result<Option<Encoding>> {
        if flags.code() != codes::STRING {
            let found = format!("an object of code {}", flags.code());
            return Err(Error::mismatch(at, found, "a string"));
        }
        let length = self.source.int()?;
        bytes.clear();
        let Ok(length) = u32::try_from(length) else {
            if length == -1 {
                return Ok(None);
            }
            return Err(Error::mismatch(at, format!("a string of {length} bytes"), "0 or more"));
        };
        // Checked before reading: compressed data can be much smaller than the string.
        self.budget.take(length as usize, at)?;
        self.source.text(length, bytes)?;
        let levels = flags.levels();
        let has = |bit| levels & bit != 0;
        Ok(Some(if has(codes::LEVEL_UTF8) {
            Encoding::Utf8
        } else if has(codes::LEVEL_LATIN1) {
            Encoding::Latin1
        } else if has(codes::LEVEL_BYTES) {
            Encoding::Bytes
        } else if has(codes::LEVEL_ASCII) && bytes.is_ascii() {
            Encoding::Ascii
        } else {
            Encoding::Native
        }))
    }

    /// Reads an alternative representation: its class, state and attributes.
    fn altrep(&mut self, flags: Flags, at: u64, depth: u32) -> Result<Object> {
        let class = self.object(depth + 1)?;
        let state = self.object(depth + 1)?;
        let attributes = self.attributes(depth)?;
        let value = altrep::restore(&class, state, at)?;
        Ok(Object { value, attributes, is_object: flags.is_object(), levels: flags.levels() })
    }
}

fn refused(code: u8, at: u64) -> Error {
    match codes::refused(code) {
        Some(what) => {
            let what = format!("contains {what} (code {code}), which is not supported");
            Error::unsupported(at, what)
        }
        None => Error::mismatch(at, format!("an object of code {code}"), "a type code of R"),
    }
}

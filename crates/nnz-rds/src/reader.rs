//! Reading objects.

mod ascii;
mod skip;
mod source;
mod vectors;

use std::io::{self, Read};
use std::sync::Arc;

use crate::altrep;
use crate::budget::{Budget, Limits};
use crate::codes::{self, Flags};
use crate::error::{Error, Result};
use crate::input::{self, Compression, SkipRead, Stream};
use crate::numbers::ReadAt;
use crate::object::{Document, Entry, Object, Pairlist, Value};
use crate::text::{Encoding, Symbol, TextRef};
use source::{Form, Source};

/// Maximum depth of nested lists, including attributes. Each level uses stack space.
const MAX_DEPTH: u32 = 256;

/// Maximum length of the name of an encoding.
const MAX_ENCODING_LEN: i32 = 64;

/// Where vectors of a megabyte and more are kept, instead of in memory.
pub trait Spool {
    /// Returns the file that is read, in which vectors stay if it is not compressed.
    fn file(&self) -> Arc<dyn ReadAt>;

    /// Appends elements of a vector, of 4 bytes for integers and of 8 for doubles: 64 KiB, or what is left of it.
    ///
    /// # Errors
    ///
    /// Fails if they cannot be kept.
    fn append(&mut self, bytes: &[u8], size: usize, big_endian: bool) -> io::Result<()>;

    /// Returns all bytes that were appended, after the first of them.
    fn appended(&self) -> Arc<dyn ReadAt>;
}

/// Reads the object of a file into memory, and checks that nothing follows it.
///
/// Functions, environments and pointers, and objects nested deeper than 256 levels, are skipped.
///
/// # Errors
///
/// Fails if the stream cannot be read or decompressed, or is not valid.
pub fn read(reader: impl Read, limits: Limits) -> Result<Document> {
    read_from(input::open(input::Reading(reader))?, limits, None)
}

/// Reads the object of a file like [`read`], except for long vectors of integers and doubles. A compressed file is
/// decompressed on another thread, which reads a clone of `reader`.
///
/// # Errors
///
/// Fails as [`read`], and if vectors cannot be kept.
pub fn read_spooled(
    reader: impl SkipRead + Clone + Send + 'static,
    limits: Limits,
    spool: &mut dyn Spool,
) -> Result<Document> {
    read_from(input::open_ahead(reader)?, limits, Some(spool))
}

fn read_from(
    (stream, compression): (Stream<'_>, Compression),
    limits: Limits,
    spool: Option<&mut dyn Spool>,
) -> Result<Document> {
    let mut source = Source::new(stream);
    let (workspace, version, writer, native) = header(&mut source)?;
    let budget = Budget::new(limits);
    let in_file = compression == Compression::None && source.form != Form::Ascii;
    let spool = spool.map(|spool| Spooled { spool, in_file, len: 0 });
    let mut reader = Reader { source, version, symbols: Vec::new(), budget, spool };
    let object = reader.object(0)?;
    reader.source.expect_end()?;
    Ok(Document { version, writer, native, compression, workspace, object })
}

/// The place of long vectors.
struct Spooled<'a> {
    spool: &'a mut dyn Spool,
    /// Whether they stay in the file that is read.
    in_file: bool,
    /// The number of bytes appended so far.
    len: u64,
}

/// Reads the header: whether it is a workspace, its versions and encoding.
fn header(source: &mut Source<'_>) -> Result<(bool, u32, u32, Option<String>)> {
    let mut magic = [0; 2];
    source.read_exact(&mut magic)?;
    let workspace = magic == *b"RD";
    if workspace {
        // The form and version, which the stream states again.
        let mut rest = [0; 2];
        source.read_exact(&mut rest)?;
        let mut end = [0; 1];
        source.read_exact(&mut end)?;
        if end == *b"\r" {
            source.read_exact(&mut end)?;
        }
        if !matches!(rest, [b'X' | b'A' | b'B', b'2' | b'3']) || end != *b"\n" {
            let found = format!("\"RD{}{}\"", rest.escape_ascii(), end.escape_ascii());
            return Err(Error::mismatch(0, found, "RDX2, RDX3 or another workspace of R"));
        }
        source.read_exact(&mut magic)?;
    }
    source.form = match &magic {
        b"X\n" => Form::Xdr,
        b"B\n" => Form::LittleEndian,
        b"A\n" => Form::Ascii,
        // Text of Windows has lines that end in CRLF.
        b"A\r" if source.peek()? == Some(b'\n') => Form::Ascii,
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
    Ok((workspace, version.unsigned_abs(), writer, native))
}

pub(crate) struct Reader<'a> {
    source: Source<'a>,
    version: u32,
    /// The symbols so far, which references count from 1, and `None` for environments and pointers.
    symbols: Vec<Option<Symbol>>,
    budget: Budget,
    spool: Option<Spooled<'a>>,
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
        let code = flags.code();
        if depth >= MAX_DEPTH {
            self.skip(flags, at)?;
            return Ok(Value::Skipped("an object nested more than 256 levels deep").into());
        }
        match code {
            codes::PAIRLIST | codes::LANGUAGE => return self.pairlist(flags, depth),
            codes::ALTREP if self.version >= 3 => return self.altrep(flags, at, depth),
            _ => {}
        }
        let value = match code {
            codes::NULL | codes::OLD_NULL => Value::Null,
            codes::SYMBOL | codes::REFERENCE => match self.symbol(flags, at)? {
                Some(symbol) => Value::Symbol(symbol),
                None => Value::Skipped("an environment or a pointer"),
            },
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
                None => {
                    let what = codes::skipped(code).ok_or_else(|| refused(code, at))?;
                    self.skip(flags, at)?;
                    return Ok(Value::Skipped(what).into());
                }
            },
        };
        let mut object =
            Object { value, attributes: Vec::new(), is_object: false, levels: flags.levels() };
        object.is_object = flags.is_object();
        // In a stream, objects of the session such as environments have no attributes.
        // The flags of a reference are its number.
        let bare = matches!(
            object.value,
            Value::Null | Value::Symbol(_) | Value::MissingArgument | Value::Skipped(_)
        );
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
            Value::Null | Value::Skipped(_) => return Ok(Vec::new()),
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
                // Those of later cells belong to the cell, and are source references of code.
                if list.entries.is_empty() {
                    attributes = found;
                }
            }
            let tag = if flags.has_tag() { self.tag()? } else { None };
            let value = match &tag {
                Some(tag) if tag.is(".xData") => self.content(depth + 1)?,
                _ => self.object(depth + 1)?,
            };
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
            codes::SYMBOL | codes::REFERENCE => self.symbol(flags, at),
            code => Err(Error::mismatch(at, format!("an object of code {code}"), "a name")),
        }
    }

    /// Reads the environment with the content of an object, such as one of a reference class.
    fn content(&mut self, depth: u32) -> Result<Object> {
        let at = self.source.offset();
        let flags = self.flags()?;
        if flags.code() != codes::ENVIRONMENT || depth >= MAX_DEPTH {
            return self.object_of(flags, at, depth);
        }
        self.source.int()?;
        self.register(None, at)?;
        let skip = |reader: &mut Self| {
            let at = reader.source.offset();
            let flags = reader.flags()?;
            reader.skip(flags, at)
        };
        skip(self)?;
        let frame = self.object(depth + 1)?;
        let table = self.object(depth + 1)?;
        skip(self)?;
        let buckets = match table.value {
            Value::List(buckets) => buckets,
            _ => Vec::new(),
        };
        let mut variables = Vec::new();
        for part in std::iter::once(frame).chain(buckets) {
            if let Value::Pairlist(list) = part.value {
                variables.extend(list.entries);
            }
        }
        Ok(Value::Environment(variables).into())
    }

    /// Counts a symbol, environment or pointer, to which later references may refer.
    fn register(&mut self, symbol: Option<Symbol>, at: u64) -> Result<()> {
        self.budget.take(size_of::<Option<Symbol>>(), at)?;
        self.symbols.push(symbol);
        Ok(())
    }

    /// Reads a symbol, or resolves a reference; `None` for an environment or a pointer.
    fn symbol(&mut self, flags: Flags, at: u64) -> Result<Option<Symbol>> {
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
        self.register(Some(symbol.clone()), at)?;
        Ok(Some(symbol))
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
        if let Value::Skipped(_) = value {
            return Ok(value.into());
        }
        Ok(Object { value, attributes, is_object: flags.is_object(), levels: flags.levels() })
    }
}

fn refused(code: u8, at: u64) -> Error {
    Error::mismatch(at, format!("an object of code {code}"), "a type code of R")
}

//! Skipping objects that are not kept, such as functions, whatever their depth.
//!
//! Pending objects are in a list, so that nested ones take no stack. Symbols, environments and pointers are counted, since
//! later references give their number.

use super::Reader;
use super::source::Form;
use crate::codes::{self, Flags};
use crate::error::{Error, Result};

/// Pending objects. The last one in the list is skipped first.
enum Task {
    /// A number of objects.
    Objects(u64),
    /// Byte code without its first number.
    Code,
    /// The constants of byte code, after their number.
    Constants(u64),
    /// The number of constants, and these.
    AllConstants,
    /// A part of a call in byte code.
    Call,
}

impl Reader<'_> {
    /// Skips an object after its flags.
    pub(super) fn skip(&mut self, flags: Flags, at: u64) -> Result<()> {
        let mut tasks = Vec::new();
        self.skip_one(flags, at, &mut tasks)?;
        while let Some(task) = tasks.pop() {
            let at = self.source.offset();
            self.budget.check(tasks.len() * size_of::<Task>(), at)?;
            match task {
                Task::Objects(count) => {
                    if let Some(left) = count.checked_sub(1) {
                        if left > 0 {
                            tasks.push(Task::Objects(left));
                        }
                        let flags = self.flags()?;
                        self.skip_one(flags, at, &mut tasks)?;
                    }
                }
                Task::Code => tasks.extend([Task::AllConstants, Task::Objects(1)]),
                Task::AllConstants => {
                    let count = self.source.length()?;
                    tasks.push(Task::Constants(count));
                }
                Task::Constants(count) => {
                    if let Some(left) = count.checked_sub(1) {
                        tasks.push(Task::Constants(left));
                        match self.flags()?.code() {
                            codes::BYTE_CODE => tasks.push(Task::Code),
                            code => self.skip_call(code, &mut tasks)?,
                        }
                    }
                }
                Task::Call => {
                    let code = self.flags()?.code();
                    self.skip_call(code, &mut tasks)?;
                }
            }
        }
        Ok(())
    }

    /// Skips a part of a call in byte code, whose type has been read: a cell of a list, or any object.
    fn skip_call(&mut self, code: u8, tasks: &mut Vec<Task>) -> Result<()> {
        let code = match code {
            codes::CODE_REFERENCE => return self.source.int().map(drop),
            codes::CODE_DEFINITION => {
                self.source.int()?;
                self.flags()?.code()
            }
            code => code,
        };
        match code {
            codes::PAIRLIST | codes::LANGUAGE => {
                tasks.extend([Task::Call, Task::Call, Task::Objects(1)]);
            }
            codes::CODE_PAIRLIST | codes::CODE_LANGUAGE => {
                tasks.extend([Task::Call, Task::Call, Task::Objects(2)]);
            }
            _ => tasks.push(Task::Objects(1)),
        }
        Ok(())
    }

    /// Skips an object after its flags, except for objects in it, which are added to `tasks`.
    fn skip_one(&mut self, flags: Flags, at: u64, tasks: &mut Vec<Task>) -> Result<()> {
        let code = flags.code();
        let attributes = u64::from(flags.has_attributes());
        let tag = u64::from(flags.has_tag());
        match code {
            codes::NULL | codes::OLD_NULL | codes::MISSING_ARGUMENT => {}
            _ if codes::SESSION.contains(&code) => {}
            codes::SYMBOL | codes::REFERENCE => drop(self.symbol(flags, at)?),
            codes::PAIRLIST | codes::LANGUAGE | codes::CLOSURE | codes::PROMISE | codes::DOTS => {
                tasks.push(Task::Objects(2 + attributes + tag))
            }
            codes::ENVIRONMENT => {
                self.source.int()?;
                self.register(None, at)?;
                tasks.push(Task::Objects(4));
            }
            codes::POINTER => {
                self.register(None, at)?;
                tasks.push(Task::Objects(2 + attributes));
            }
            codes::WEAK_REFERENCE => {
                self.register(None, at)?;
                tasks.push(Task::Objects(attributes));
            }
            codes::SPECIAL | codes::BUILTIN => {
                let length = self.source.int()?;
                self.skip_text(length)?;
            }
            codes::PERSISTENT | codes::PACKAGE | codes::NAMESPACE => {
                self.source.int()?;
                let count = self.source.int()?;
                for _ in 0..count {
                    self.skip_string()?;
                }
                self.register(None, at)?;
            }
            codes::BYTE_CODE => {
                self.source.int()?;
                tasks.extend([Task::Objects(attributes), Task::Code]);
            }
            codes::ALTREP => tasks.push(Task::Objects(3)),
            codes::S4 => tasks.push(Task::Objects(attributes)),
            codes::LIST | codes::EXPRESSION => {
                let count = self.source.length()?;
                tasks.extend([Task::Objects(attributes), Task::Objects(count)]);
            }
            codes::STRING => {
                let length = self.source.int()?;
                self.skip_text(length)?;
                tasks.push(Task::Objects(attributes));
            }
            codes::CHARACTER => {
                let count = self.source.length()?;
                for _ in 0..count {
                    self.skip_string()?;
                }
                tasks.push(Task::Objects(attributes));
            }
            _ => {
                self.skip_numbers(code, at)?;
                tasks.push(Task::Objects(attributes));
            }
        }
        Ok(())
    }

    /// Skips a vector of numbers or bytes.
    fn skip_numbers(&mut self, code: u8, at: u64) -> Result<()> {
        let size = match code {
            codes::LOGICAL | codes::INTEGER => 4,
            codes::REAL => 8,
            codes::COMPLEX => 16,
            codes::RAW => 1,
            _ => return Err(super::refused(code, at)),
        };
        let count = self.source.length()?;
        if self.source.form != Form::Ascii {
            // At most 2^48 elements.
            return self.source.skip_bytes(count * size);
        }
        let words = if code == codes::COMPLEX { 2 } else { 1 };
        for _ in 0..count * words {
            self.source.skip_word()?;
        }
        Ok(())
    }

    fn skip_string(&mut self) -> Result<()> {
        let at = self.source.offset();
        match self.flags()?.code() {
            codes::STRING => {
                let length = self.source.int()?;
                self.skip_text(length)
            }
            code => Err(Error::mismatch(at, format!("an object of code {code}"), "a string")),
        }
    }

    /// Skips the bytes of a string; a missing one has the length -1.
    fn skip_text(&mut self, length: i32) -> Result<()> {
        let Ok(length) = u32::try_from(length) else { return Ok(()) };
        if self.source.form != Form::Ascii {
            return self.source.skip_bytes(u64::from(length));
        }
        let mut text = Vec::new();
        self.budget.check(length as usize, self.source.offset())?;
        self.source.text(length, &mut text)
    }
}

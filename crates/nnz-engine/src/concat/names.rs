//! Names of concatenated matrices.

use nnz_core::{Axis, Error, Names, Result, StringReader};

use super::{Concat, ConcatInput};

impl ConcatInput {
    fn read_names(&self, axis: Axis) -> Result<Option<Names<'_>>> {
        self.source.read_names(axis).map_err(|error| error.with_context(&self.place))
    }
}

impl Concat {
    /// Starts reading the names of the shared axis, from the first matrix that has any.
    pub(super) fn shared_names(&self) -> Result<Option<Names<'_>>> {
        let axis = self.other();
        for input in &self.inputs {
            if let Some(names) = input.read_names(axis)? {
                return Ok(Some(Box::new(InputNames { names, input })));
            }
        }
        Ok(None)
    }

    /// Checks that the names of the shared axis agree, as far as there are any.
    pub(super) fn check_shared_names(&self) -> Result<()> {
        let axis = self.other();
        let mut first: Option<&ConcatInput> = None;
        for input in &self.inputs {
            let Some(names) = input.read_names(axis)? else { continue };
            let names = InputNames { names, input };
            match first {
                None => {
                    check_all(names)?;
                    first = Some(input);
                }
                Some(before) => compare(axis, before, names)?,
            }
            if self.ignore_names {
                break;
            }
        }
        Ok(())
    }

    /// Starts reading the names along the axis. There are none if one matrix has none.
    pub(super) fn appended_names(&self) -> Result<Option<Names<'_>>> {
        for (at, input) in self.inputs.iter().enumerate() {
            if input.read_names(self.axis)?.is_some() || input.len(self.axis) == 0 {
                continue;
            }
            // Errors in the names of matrices before it are reported, although the names are not
            // used.
            for input in &self.inputs[..at] {
                if let Some(names) = input.read_names(self.axis)? {
                    check_all(InputNames { names, input })?;
                }
            }
            return Ok(None);
        }
        let left = self.header.shape.len(self.axis);
        let rest = self.inputs.iter();
        Ok(Some(Box::new(Appended { axis: self.axis, rest, current: None, due: 0, left })))
    }

    /// Describes names that are dropped because some matrices have none.
    pub(super) fn nameless(&self) -> Option<String> {
        let named = |input: &&ConcatInput| !matches!(input.source.read_names(self.axis), Ok(None));
        let without = self.inputs.iter().find(|input| !named(input) && input.len(self.axis) > 0)?;
        let with = self.inputs.iter().find(named)?;
        Some(format!(
            "the names of the {} of {}, because {} has none",
            self.axis, with.place, without.place
        ))
    }
}

/// The names of one matrix, with its place in errors.
struct InputNames<'a> {
    names: Names<'a>,
    input: &'a ConcatInput,
}

impl StringReader for InputNames<'_> {
    fn next_string(&mut self) -> Result<Option<&[u8]>> {
        let input = self.input;
        self.names.next_string().map_err(|error| error.with_context(&input.place))
    }

    fn remaining(&self) -> Option<u64> {
        self.names.remaining()
    }
}

fn check_all(mut names: InputNames<'_>) -> Result<()> {
    (&mut names as &mut dyn StringReader).drain()
}

/// Concatenated names.
struct Appended<'a> {
    axis: Axis,
    rest: std::slice::Iter<'a, ConcatInput>,
    current: Option<InputNames<'a>>,
    /// The number of names left in the current matrix.
    due: u64,
    /// The number of names left in total.
    left: u64,
}

impl StringReader for Appended<'_> {
    fn next_string(&mut self) -> Result<Option<&[u8]>> {
        // Each matrix has as many names as its length, which determines where the next one starts.
        while self.due == 0 {
            if let Some(names) = self.current.take() {
                check_all(names)?;
            }
            let Some(input) = self.rest.next() else { return Ok(None) };
            self.current = input.read_names(self.axis)?.map(|names| InputNames { names, input });
            self.due = input.len(self.axis);
        }
        self.due -= 1;
        self.left = self.left.saturating_sub(1);
        match &mut self.current {
            Some(names) => names.next_string(),
            None => Ok(None),
        }
    }

    fn remaining(&self) -> Option<u64> {
        Some(self.left)
    }
}

/// Compares the names of a matrix with the names of an earlier one. They have the same length.
fn compare(axis: Axis, before: &ConcatInput, mut names: InputNames<'_>) -> Result<()> {
    let Some(mut expected) = before.read_names(axis)? else { return Ok(()) };
    let mut at = 0_u64;
    while let Some(a) = expected.next_string()? {
        let Some(b) = names.next_string()? else { break };
        if a != b {
            let [a, b] = [a, b].map(String::from_utf8_lossy);
            let (one, place) = (axis.singular(), &before.place);
            let what = format!("{one} {at} is named {b:?}, but {a:?} in {place}");
            let differ = Error::unsupported(names.input.place.clone(), what)
                .with_hint("join", "inner or outer matches them by name");
            // Missing names are the more important error.
            return check_all(names).and(Err(differ));
        }
        at += 1;
    }
    check_all(names)
}

//! The header dictionary, a Python literal.

/// The contents of the dictionary.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Description {
    /// The `descr`; `None` if it is not a string.
    pub(super) descr: Option<String>,
    pub(super) shape: Vec<u64>,
    /// Whether the array is in Fortran order.
    pub(super) fortran: bool,
}

/// Parses a dictionary with `descr`, `fortran_order` and `shape`, each once, in any order.
///
/// Returns `None` for anything else.
pub(super) fn parse(text: &str) -> Option<Description> {
    let mut parser = Parser { rest: text };
    let (mut descr, mut fortran, mut shape) = (None, None, None);
    parser.expect('{')?;
    while !parser.take('}') {
        match parser.string()? {
            "descr" if descr.is_none() => {
                parser.expect(':')?;
                descr = Some(match parser.string() {
                    Some(descr) => Some(descr.to_owned()),
                    // A list of fields: the rest is not parsed.
                    None => return parser.take('[').then_some(STRUCTURED),
                });
            }
            "fortran_order" if fortran.is_none() => {
                parser.expect(':')?;
                fortran = Some(parser.word("True") || parser.word("False").then_some(false)?);
            }
            "shape" if shape.is_none() => {
                parser.expect(':')?;
                shape = Some(parser.numbers()?);
            }
            _ => return None,
        }
        if !parser.take(',') {
            parser.expect('}')?;
            break;
        }
    }
    parser.skip_blanks();
    let description = Description { descr: descr?, shape: shape?, fortran: fortran? };
    parser.rest.is_empty().then_some(description)
}

const STRUCTURED: Description = Description { descr: None, shape: Vec::new(), fortran: false };

struct Parser<'a> {
    rest: &'a str,
}

impl<'a> Parser<'a> {
    fn skip_blanks(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\n', '\r']);
    }

    fn take(&mut self, mark: char) -> bool {
        self.skip_blanks();
        let after = self.rest.strip_prefix(mark);
        self.rest = after.unwrap_or(self.rest);
        after.is_some()
    }

    fn expect(&mut self, mark: char) -> Option<()> {
        self.take(mark).then_some(())
    }

    fn word(&mut self, word: &str) -> bool {
        self.skip_blanks();
        let after = self.rest.strip_prefix(word);
        self.rest = after.unwrap_or(self.rest);
        after.is_some()
    }

    /// Parses a string in quotes of either kind, without escapes.
    fn string(&mut self) -> Option<&'a str> {
        self.skip_blanks();
        let quote = self.rest.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
        let (string, rest) = self.rest[1..].split_once(quote)?;
        if string.contains('\\') {
            return None;
        }
        self.rest = rest;
        Some(string)
    }

    /// Parses a tuple of numbers. Python 2 wrote large ones with the suffix `L`.
    fn numbers(&mut self) -> Option<Vec<u64>> {
        let mut numbers = Vec::new();
        self.expect('(')?;
        loop {
            if self.take(')') {
                return Some(numbers);
            }
            self.skip_blanks();
            let digits = self.rest.bytes().take_while(u8::is_ascii_digit).count();
            let (number, rest) = self.rest.split_at(digits);
            numbers.push(number.parse().ok()?);
            self.rest = rest.strip_prefix('L').unwrap_or(rest);
            if !self.take(',') {
                // Without a comma it would be a number in parentheses.
                self.expect(')')?;
                return (numbers.len() > 1).then_some(numbers);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_descr(descr: &str, shape: &[u64]) -> Option<Description> {
        let descr = Some(descr.to_owned());
        Some(Description { descr, shape: shape.to_vec(), fortran: false })
    }

    #[test]
    fn headers_of_numpy_are_parsed() {
        let text = "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }        \n";
        assert_eq!(parse(text), parse_descr("<f8", &[3]));
        let text = "{'descr': '<U186', 'fortran_order': False, 'shape': (), }\n";
        assert_eq!(parse(text), parse_descr("<U186", &[]));
        let text = "{'shape': (2L, 5L), \"descr\": '|b1', 'fortran_order': True}\n";
        let expected = parse_descr("|b1", &[2, 5]);
        assert_eq!(parse(text), expected.map(|expected| Description { fortran: true, ..expected }));
        let text = "{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (3,), }\n";
        assert_eq!(parse(text), Some(STRUCTURED));
    }

    #[test]
    fn other_dictionaries_are_refused() {
        for text in [
            "",
            "{",
            "{}",
            "{'descr': '<f8', 'fortran_order': False, 'shape': (3), }",
            "{'descr': '<f8', 'fortran_order': False, 'shape': (-3,), }",
            "{'descr': '<f8', 'fortran_order': False, 'shape': (18446744073709551616,), }",
            "{'descr': '<f8', 'fortran_order': 0, 'shape': (3,), }",
            "{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (3,), }",
            "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), 'more': 1}",
            "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), } x",
            "{'descr': '<f8', 'fortran_order': False}",
            "{'descr': '\\x3cf8', 'fortran_order': False, 'shape': (3,), }",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}

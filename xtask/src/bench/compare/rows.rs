//! The rows of `benches/rows.txt`.

use std::path::Path;

use super::goal::Goal;
use super::places::{Places, unroll};
use super::row::{Contender, Row};
use super::tools::Tools;
use crate::error::{Error, Result};

/// Reads a number in an input; the key is empty for the entries of a matrix as text.
pub(super) type Number<'a> = &'a dyn Fn(&Path, &str) -> Result<u64>;

/// Returns all rows in order.
pub(super) fn parse(
    text: &str,
    places: &Places,
    tools: &Tools,
    number: Number<'_>,
) -> Result<Vec<Row>> {
    let mut rows: Vec<Row> = Vec::new();
    for line in unroll(text) {
        let line = places.named(&line);
        let wrong = || Error::new(format!("not part of a row: {line}"));
        if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            rows.push(Row { name: name.to_owned(), ..Row::default() });
            continue;
        }
        let (key, value) = line.split_once(": ").ok_or_else(wrong)?;
        let row = rows.last_mut().ok_or_else(wrong)?;
        match key {
            "entries" => row.entries = evaluate(value, places, number)?,
            "note" => value.clone_into(&mut row.note),
            "at hand" => row.at_hand = value.parse().map_err(|_| wrong())?,
            "goal" => row.goals.push(Goal::parse(value).ok_or_else(wrong)?),
            name if value.contains("{t}") => {
                for (threads, suffix) in [("1", "1 thread"), ("2", "2 threads")] {
                    let command = value.replace("{t}", threads);
                    row.add(Contender::new(format!("{name}, {suffix}"), &command, places, tools)?);
                }
            }
            name => row.add(Contender::new(name.to_owned(), value, places, tools)?),
        }
    }
    Ok(rows)
}

/// Multiplies and divides numbers from left to right.
fn evaluate(text: &str, places: &Places, number: Number<'_>) -> Result<u64> {
    let one = |word: &str| {
        let (path, key) = word.split_once(':').unwrap_or((word, ""));
        match places.input(path) {
            Some(path) => number(&path, key),
            None => word.parse().map_err(|_| Error::new(format!("no number: {word}"))),
        }
    };
    let words: Vec<&str> = text.split_whitespace().collect();
    let (first, rest) = words.split_first().ok_or_else(|| Error::new("no number of entries"))?;
    rest.chunks(2).try_fold(one(first)?, |product, pair| match *pair {
        ["*", word] => Ok(product * one(word)?),
        ["/", word] => Ok(product / one(word)?.max(1)),
        _ => Err(Error::new(format!("no number: {text}"))),
    })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::path::PathBuf;

    use super::*;
    use crate::bench::compare::goal::Bar;
    use crate::bench::compare::tools::benches;

    fn rows() -> Vec<Row> {
        let text = std::fs::read_to_string(benches().join("rows.txt")).unwrap();
        let [nnz, measure, python, scanpy] =
            ["nnz", "nnz-measure", "python", "scanpy"].map(PathBuf::from);
        let tools = Tools { nnz, measure, python, scanpy };
        parse(&text, &Places::new(Path::new("dir"), 100_000), &tools, &|_, _| Ok(200_000_000))
            .unwrap()
    }

    #[test]
    fn rows_are_complete() {
        let rows = rows();
        let names: HashSet<_> = rows.iter().map(|row| &row.name).collect();
        assert_eq!(names.len(), rows.len(), "duplicate names");
        for row in rows {
            assert!(row.entries > 0 && !row.inputs.is_empty(), "{}", row.name);
            let words = row.contenders.iter().flat_map(|one| &one.command);
            let mut texts = words.map(|word| word.to_string_lossy());
            assert!(
                !row.name.contains('{') && !texts.any(|word| word.contains('{')),
                "{}",
                row.name
            );
        }
    }

    #[test]
    fn goals_name_contenders_of_their_row() {
        for row in rows() {
            let names: HashSet<_> = row.contenders.iter().map(|one| &one.name).collect();
            assert_eq!(names.len(), row.contenders.len(), "{}: duplicate names", row.name);
            for goal in &row.goals {
                assert!(names.contains(&goal.who), "{}: no {}", row.name, goal.who);
                if let Bar::Over(whom, _) = &goal.bar {
                    assert!(names.contains(whom), "{}: no {whom}", row.name);
                }
            }
        }
    }

    #[test]
    fn numbers_are_multiplied_and_divided_in_order() {
        let places = Places::new(Path::new("dir"), 5000);
        let value = |text: &str| evaluate(text, &places, &|_, _| Ok(7));
        assert_eq!(value("in/a.json:nnz * 10 / 4").ok(), Some(17));
        assert!(value("in/a.json:nnz *").is_err() && value("nnz").is_err());
    }
}

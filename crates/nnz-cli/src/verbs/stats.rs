//! `nnz stats`.

use std::io::Write;

use nnz::{Axis, Error, Measures, Moments, Number, Spread, StatsOptions, Total};
use serde::Serialize;

use crate::args::AxisArg;
use crate::output::{failed, print_json, with_stdout};
use crate::{Outcome, args};

/// What is told, with the keys of the JSON form. A number JSON does not have is null.
#[derive(Serialize)]
struct Told {
    whole: Line,
    #[serde(skip_serializing_if = "Option::is_none")]
    rows: Option<Vec<Line>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cols: Option<Vec<Line>>,
}

#[derive(Serialize)]
struct Line {
    nnz: u64,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    total: Option<TotalLine>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    spread: Option<SpreadLine>,
}

#[derive(Serialize)]
struct TotalLine {
    sum: Json,
    mean: f64,
}

#[derive(Serialize)]
struct SpreadLine {
    variance: f64,
    min: Option<Json>,
    max: Option<Json>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Json {
    Integer(i128),
    Float(f64),
}

impl From<Number> for Json {
    fn from(number: Number) -> Self {
        match number {
            Number::Integer(number) => Self::Integer(number),
            Number::Float(number) => Self::Float(number),
        }
    }
}

impl From<&Moments> for Line {
    fn from(moments: &Moments) -> Self {
        let total = moments.total.map(|Total { sum, mean }| TotalLine { sum: sum.into(), mean });
        let spread = moments.spread.map(|Spread { variance, min, max }| {
            let (min, max) = (min.map(Into::into), max.map(Into::into));
            SpreadLine { variance, min, max }
        });
        Self { nnz: moments.nnz, total, spread }
    }
}

/// Tells sums and their kin.
pub(crate) fn stats(args: &args::Stats) -> Result<Outcome, Error> {
    let options = StatsOptions {
        rows: args.axis.contains(&AxisArg::Rows),
        cols: args.axis.contains(&AxisArg::Cols),
        measures: args.measures.into(),
        memory: args.resources.bytes(),
        threads: args.threads.number(),
    };
    let found = nnz::stats(&args.source, &options)?;
    if args.json {
        let lines = |list: &Vec<Moments>| list.iter().map(Line::from).collect();
        print_json(&Told {
            whole: Line::from(&found.whole),
            rows: found.rows.as_ref().map(lines),
            cols: found.cols.as_ref().map(lines),
        })?;
        return Ok(Outcome::Good);
    }
    with_stdout(|out| {
        if args.axis.is_empty() {
            let (heading, line) = (heading(args.measures.into()), text(&found.whole));
            return write!(out, "{heading}\n{line}\n").map_err(failed);
        }
        for (axis, list) in [(Axis::Rows, &found.rows), (Axis::Cols, &found.cols)] {
            if let Some(list) = list {
                table(args, axis, list, out)?;
            }
        }
        Ok(())
    })?;
    Ok(Outcome::Good)
}

/// Prints one line for each, with its name where there are names.
fn table(
    args: &args::Stats,
    axis: Axis,
    list: &[Moments],
    out: &mut dyn Write,
) -> Result<(), Error> {
    let source = nnz::OpenOptions::new()
        .memory_limit(args.resources.bytes())
        .open(&args.source)?
        .into_matrix()
        .map_err(|error| error.with_context(&args.source.source_place()))?
        .source;
    let mut names = source.read_names(axis)?;
    let (one, named) = (
        match axis {
            Axis::Rows => "row",
            Axis::Cols => "col",
        },
        if names.is_some() { "\tname" } else { "" },
    );
    writeln!(out, "{one}{named}\t{}", heading(args.measures.into())).map_err(failed)?;
    for (position, moments) in list.iter().enumerate() {
        write!(out, "{position}\t").map_err(failed)?;
        let name = names.as_mut().map_or(Ok(None), |names| names.next_string())?;
        if let Some(name) = name {
            out.write_all(name).and_then(|()| out.write_all(b"\t")).map_err(failed)?;
        }
        writeln!(out, "{}", text(moments)).map_err(failed)?;
    }
    Ok(())
}

fn heading(measures: Measures) -> &'static str {
    match measures {
        Measures::Nnz => "nnz",
        Measures::Sums => "nnz\tsum\tmean",
        Measures::All => "nnz\tsum\tmean\tvariance\tmin\tmax",
    }
}

fn text(moments: &Moments) -> String {
    let float = |number: f64| Number::Float(number).to_string();
    let extreme = |number: Option<Number>| number.map_or("-".to_owned(), |n| n.to_string());
    let mut line = moments.nnz.to_string();
    if let Some(Total { sum, mean }) = moments.total {
        line += &format!("\t{sum}\t{}", float(mean));
    }
    if let Some(Spread { variance, min, max }) = moments.spread {
        line += &format!("\t{}\t{}\t{}", float(variance), extreme(min), extreme(max));
    }
    line
}

//! nnz beside other programs, each measurement a process of its own.
//!
//! The contenders of a row take turns, so that a change of clock or a busy neighbour hits all
//! alike; the figure is the median of the runs. Inputs are read once before, untimed.

mod child;
mod data;
mod goal;
mod machine;
mod others;
mod row;
mod rows;
mod table;
mod tools;

use std::path::PathBuf;

use clap::Args;

use crate::cargo;
use crate::error::{Error, Result};
use data::Data;
use row::Row;
use tools::Tools;

/// The cells that goals are stated for.
const CELLS: u64 = 100_000;

/// How much to compare.
#[derive(Args)]
pub(crate) struct Compare {
    /// Where inputs are, and are made if they are not [default: bench-data in the target directory].
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Cells of the counts: 1869 entries each. Goals are judged at 100000 only.
    #[arg(long, value_name = "N", default_value_t = CELLS, value_parser = clap::value_parser!(u64).range(1000..))]
    cells: u64,
    /// Only rows whose name holds this.
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Runs of each contender; the median counts.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..))]
    runs: u16,
    /// Measure the `nnz` and `nnz-measure` of this folder, say of an earlier version, instead of
    /// building them.
    #[arg(long, value_name = "DIR")]
    bin: Option<PathBuf>,
    /// Print tables in Markdown.
    #[arg(long)]
    markdown: bool,
}

/// Makes the inputs, runs every row and prints it.
pub(crate) fn run(options: &Compare) -> Result<()> {
    let directory = match &options.data {
        Some(named) => named.clone(),
        None => cargo::target_directory()?.join("bench-data"),
    };
    let tools = Tools::find(options.bin.as_deref())?;
    let data = Data::make(&directory, options.cells, &tools)?;
    let wanted = |row: &Row| options.only.as_ref().is_none_or(|only| row.name.contains(only));
    let rows: Vec<Row> = rows::all(&data, &tools).into_iter().filter(wanted).collect();
    if rows.is_empty() {
        return Err(Error::new("no row has a name like that"));
    }
    let judged = options.cells == CELLS;
    println!("{}", machine::facts(&tools)?);
    println!("{}", table::preamble(options.cells, options.runs, judged));
    let (mut met, mut missed, mut not_judged, mut broken) = (0, 0, 0, 0);
    for row in &rows {
        let (figures, others) = row.measure(options.runs, &tools)?;
        let others = others.share().filter(|&share| share > others::MOST);
        let verdicts = goal::judge(row, &figures, judged && others.is_none());
        println!("{}", table::show(row, &figures, &verdicts, options.markdown));
        if let Some(share) = others {
            println!("THE MACHINE IS BUSY: others had {:.0} % of it\n", share * 100.0);
        }
        for verdict in verdicts {
            match (verdict.judged, verdict.met()) {
                (false, _) => not_judged += 1,
                (true, true) => met += 1,
                (true, false) => missed += 1,
            }
        }
        broken += figures.iter().filter(|figure| figure.failed.is_some()).count();
        broken += usize::from(row::disagree(&figures));
    }
    println!("goals: {met} met, {missed} MISSED, {not_judged} not judged");
    if broken == 0 {
        Ok(())
    } else {
        Err(Error::new(format!("{broken} measurements failed or disagree")))
    }
}

//! nnz compared with other programs, each measurement in a separate process.
//!
//! The contenders of a row alternate, so that changes of the clock rate and other load affect all
//! of them; the result is the median of the runs. Inputs are read once before, untimed.

mod child;
mod data;
mod goal;
mod machine;
mod others;
mod places;
mod row;
mod rows;
mod table;
mod tools;

use std::fs;
use std::path::PathBuf;

use clap::Args;

use crate::cargo;
use crate::error::{Error, Result};
use row::Row;
use tools::Tools;

/// The number of cells that the goals are stated for.
const CELLS: u64 = 100_000;

/// Options of the comparison.
#[derive(Args)]
pub(crate) struct Compare {
    /// Directory of the inputs, which are created if missing [default: bench-data in the target
    /// directory]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Cells of the counts, with 1869 entries each. Goals are evaluated at 100000 only
    #[arg(long, value_name = "N", default_value_t = CELLS, value_parser = clap::value_parser!(u64).range(1000..))]
    cells: u64,
    /// Only rows whose name contains this
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Runs of each contender; the median is reported
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..))]
    runs: u16,
    /// Measure the `nnz` and `nnz-measure` in this directory, for example of an earlier version,
    /// instead of building them
    #[arg(long, value_name = "DIR")]
    bin: Option<PathBuf>,
    /// Print tables in Markdown
    #[arg(long)]
    markdown: bool,
}

/// Creates the inputs, runs all rows and prints them.
pub(crate) fn run(options: &Compare) -> Result<()> {
    let directory = match &options.data {
        Some(named) => named.clone(),
        None => cargo::target_directory()?.join("bench-data"),
    };
    let tools = Tools::find(options.bin.as_deref())?;
    let places = data::make(&directory, options.cells, &tools)?;
    let page = tools::benches().join("rows.txt");
    let text = fs::read_to_string(&page).map_err(|error| Error::at(&page, &error))?;
    let wanted = |row: &Row| options.only.as_ref().is_none_or(|only| row.name.contains(only));
    let mut rows = rows::parse(&text, &places, &tools, &data::number)?;
    rows.retain(wanted);
    if rows.is_empty() {
        return Err(Error::new("no row matches"));
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
            println!("THE MACHINE IS BUSY: other processes used {:.0} % of it\n", share * 100.0);
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
    println!("goals: {met} met, {missed} MISSED, {not_judged} not evaluated");
    if broken == 0 {
        Ok(())
    } else {
        Err(Error::new(format!("{broken} measurements failed or disagree")))
    }
}

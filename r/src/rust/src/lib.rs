//! The compiled part of the R package: one function, which calls another one by its name.
//!
//! Users call the functions in `R/`. They check indices and names of R, and pass vectors and lists to the functions in
//! [`functions`]. These work on other threads: no function of R is called there, and nothing unwinds through R.

mod annotations;
mod args;
mod command;
mod compute;
mod error;
mod functions;
mod json;
mod memory;
mod open;
mod read;
mod sources;
mod stats;
mod task;
mod value;

use savvy::{ListSexp, Sexp, savvy};

use args::Args;
use error::Failure;

/// Calls a function. An error of nnz is returned as a list of the class `nnz_failure`, which R raises as a condition.
#[savvy]
fn call(name: &str, arguments: ListSexp) -> savvy::Result<Sexp> {
    let called = match functions::find(name) {
        Some(function) => function(&Args::new(&arguments)),
        None => Err(nnz::Error::argument(format!("unknown function {name:?}")).into()),
    };
    match called {
        Ok(value) => value.into_r(),
        Err(Failure::Nnz(error)) => error::condition(&error).into_r(),
        Err(Failure::R(error)) => Err(error),
    }
}

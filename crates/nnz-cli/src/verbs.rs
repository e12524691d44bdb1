//! The verbs: the arguments of each, and a thin layer over one call of the library.
//!
//! A verb is a file here and a line of [`Verb`]. Options that several verbs have are in [`args`].

mod annotations;
mod cat;
mod compute;
mod concat;
pub(crate) mod convert;
mod diff;
mod edit;
mod filter;
mod formats;
pub(crate) mod fragments;
mod frames;
mod generate;
mod head;
mod hvg;
mod info;
mod names;
mod plot;
mod qc;
mod repair;
mod report;
mod sample;
mod slice;
mod split;
mod stats;
mod validate;
mod write;
mod written;

use nnz::{Axis, Context, Error};

use crate::{Outcome, args};

pub(crate) use formats::format_table;

/// The arguments of a verb.
pub(crate) trait Run {
    /// Runs the verb.
    fn run(&self, quiet: bool, context: &Context) -> Result<Outcome, Error>;

    /// The options for writing a matrix, if the verb writes one.
    fn writing(&mut self) -> Option<&mut args::Writing> {
        None
    }

    /// Whether status 1 is the answer "no", so that errors need another status.
    fn answers_by_status(&self) -> bool {
        false
    }
}

/// Defines the verbs of a command: the names of their arguments, each of which can [`Run`].
macro_rules! verbs {
    ($name:ident { $($verb:ident($arguments:ty)),* $(,)? }) => {
        #[derive(Debug, clap::Subcommand)]
        pub(crate) enum $name {
            $($verb(Box<$arguments>)),*
        }

        impl $name {
            pub(crate) fn command(&self) -> &dyn $crate::verbs::Run {
                match self {
                    $(Self::$verb(arguments) => &**arguments),*
                }
            }

            pub(crate) fn command_mut(&mut self) -> &mut dyn $crate::verbs::Run {
                match self {
                    $(Self::$verb(arguments) => &mut **arguments),*
                }
            }
        }
    };
}
pub(crate) use verbs;

verbs! {
    Verb {
        Info(info::Info),
        Cat(cat::Cat),
        Head(head::Head),
        Names(names::Names),
        Annotations(annotations::Annotations),
        Convert(convert::Convert),
        Transpose(convert::Transpose),
        Slice(slice::Slice),
        Filter(filter::Filter),
        Sample(sample::Sample),
        Concat(concat::Concat),
        Split(split::Split),
        Normalize(compute::Normalize),
        Aggregate(compute::Aggregate),
        Pca(compute::PrincipalComponents),
        Qc(qc::QualityControl),
        Hvg(hvg::HighlyVariable),
        Markers(compute::Markers),
        Edit(edit::Edit),
        Repair(repair::Repair),
        Validate(validate::Validate),
        Diff(diff::Diff),
        Stats(stats::Stats),
        Plot(plot::Plot),
        Report(report::Report),
        Fragments(args::fragments::Fragments),
        Formats(formats::Formats),
        Completions(generate::Completions),
        Man(generate::Man),
        Help(generate::Help),
    }
}

/// Returns what is along an axis.
fn plural(axis: Axis) -> &'static str {
    match axis {
        Axis::Rows => "rows",
        Axis::Cols => "columns",
    }
}

//! How lengths of fragments are distributed.
#![expect(clippy::cast_precision_loss, reason = "positions on a picture are rounded")]

use nnz_engine::plot::{BASES_PER_BIN, FragmentLengths, MAX_EXACT_LENGTH};
use nnz_plot::{Axis, Bar, Direction, Figure, Heat, Marks, Panel, Tick, format_grouped};

use super::bars::counts_axis;
use super::names::{counted, percentage};

/// Makes a figure of the lengths of fragments: of all, and of each chromosome.
#[must_use]
pub fn fragment_lengths(lengths: &FragmentLengths, title: &str) -> Figure {
    let mut subtitle = counted(lengths.fragments, "fragment", "fragments");
    if let Some(longest) = lengths.longest {
        let median = lengths
            .median()
            .map_or(format!("above {MAX_EXACT_LENGTH}"), |median| median.to_string());
        let longest = format_grouped(longest);
        subtitle = format!("{subtitle}, median length {median} bases, longest {longest}");
    }
    let mut figure = Figure::new(title)
        .subtitle(subtitle)
        .direction(Direction::Down)
        .panel(histogram(lengths))
        .panel(by_chromosome(lengths));
    if lengths.longer > 0 {
        let share = percentage(lengths.longer, lengths.fragments.into()).unwrap_or_default();
        let longer = counted(lengths.longer, "fragment is", "fragments are");
        figure = figure
            .note(format!("{longer} longer than {MAX_EXACT_LENGTH} bases ({share}) and not drawn"));
    }
    let shown = lengths.chromosomes.len() as u64;
    if shown < lengths.chromosomes_with_fragments {
        let all = counted(lengths.chromosomes_with_fragments, "chromosome", "chromosomes");
        figure = figure.note(format!("the {shown} of {all} with the most fragments are drawn"));
    }
    figure
}

/// Returns the end of the lengths that are drawn: a round number.
fn end(lengths: &FragmentLengths) -> usize {
    let longest = lengths.lengths.iter().rposition(|count| *count > 0).unwrap_or(0);
    (longest + 1).next_multiple_of(100).min(MAX_EXACT_LENGTH + 1)
}

fn axis(end: usize) -> Axis {
    Axis::linear("fragment length (bases)", [0.0, end as f64]).whole()
}

fn histogram(lengths: &FragmentLengths) -> Panel {
    let end = end(lengths);
    let step = if end > 200 { 5 } else { 1 };
    let bars: Vec<Bar> = lengths
        .lengths
        .chunks(step)
        .enumerate()
        .filter_map(|(bin, counts)| {
            let (from, count) = (bin * step, counts.iter().sum::<u64>());
            let name = if step == 1 {
                from.to_string()
            } else {
                format!("{from}\u{2013}{}", from + step - 1)
            };
            let title = format!("{name} bases: {}", counted(count, "fragment", "fragments"));
            let range = [from as f64, (from + step) as f64];
            (count > 0 && from < end).then(|| Bar::new(range, count as f64, title))
        })
        .collect();
    let y = counts_axis("fragments", &bars);
    let marks = if bars.is_empty() { nothing() } else { Marks::Bars(bars) };
    Panel::new(axis(end), y, marks).titled("All chromosomes")
}

fn by_chromosome(lengths: &FragmentLengths) -> Panel {
    let end = end(lengths);
    let (rows, cols) = (lengths.chromosomes.len(), end / BASES_PER_BIN);
    let bins = |bins: &Vec<u64>| bins.iter().copied().take(cols).collect::<Vec<u64>>();
    let counts: Vec<u64> =
        lengths.chromosomes.iter().flat_map(|chromosome| bins(&chromosome.bins)).collect();
    let ticks =
        lengths.chromosomes.iter().enumerate().map(|(row, chromosome)| {
            Tick::new(row as f64 + 0.5, nnz_core::escaped(&chromosome.name))
        });
    let y = Axis::linear("chromosome", [0.0, rows.max(1) as f64])
        .reversed()
        .with_ticks(ticks.collect());
    let label = format!("fragments per {BASES_PER_BIN} bases");
    let marks = match counts.iter().any(|count| *count > 0) {
        true => Marks::Heat(Heat::new(rows, cols, counts, label)),
        false => nothing(),
    };
    Panel::new(axis(end), y, marks).titled("By chromosome")
}

fn nothing() -> Marks {
    Marks::Nothing(format!("no fragments of at most {MAX_EXACT_LENGTH} bases"))
}

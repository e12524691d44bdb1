//! Operations on fragments, compared with simple ones in memory.

use nnz::Context;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use nnz::fragments::{
    self, Chromosomes, CountMode, Counts, ImportOptions, MergeOptions, Region, Regions,
    SelectOptions, StoreOptions, Tiles,
};
use nnz::{
    Batch, Location, MatrixSource as _, Order, Projection, Values, formats::values::Packing,
    matrix::StringList,
};
use nnz_testing::random::Random;
use proptest::prelude::*;

/// Chromosome, start, end and cell.
type Fragment = (String, u32, u32, String);

fn options() -> StoreOptions {
    StoreOptions::default().overwrite(true).sync(false)
}

fn place(path: &Path) -> Location {
    Location::parse(path)
}

fn text(all: &[Fragment]) -> String {
    let mut text = String::new();
    for (chromosome, start, end, cell) in all {
        writeln!(text, "{chromosome}\t{start}\t{end}\t{cell}").unwrap();
    }
    text
}

/// Sorts fragments by chromosome, in order of occurrence, and start; the sort is stable.
fn sorted(all: &[Fragment]) -> Vec<Fragment> {
    let mut order: Vec<&String> = Vec::new();
    for (chromosome, ..) in all {
        if !order.contains(&chromosome) {
            order.push(chromosome);
        }
    }
    let mut all = all.to_vec();
    all.sort_by_key(|(chromosome, start, ..)| {
        (order.iter().position(|name| *name == chromosome), *start)
    });
    all
}

fn store(directory: &Path, name: &str, all: &[Fragment]) -> Location {
    let source = directory.join(format!("{name}.tsv"));
    std::fs::write(&source, text(all)).unwrap();
    let target = place(&directory.join(name));
    let reading = ImportOptions::default().sort(true);
    fragments::import(&place(&source), &target, reading, &options(), &Context::default()).unwrap();
    target
}

fn printed(store: &Location, regions: &[&str]) -> String {
    let source = fragments::open(store, &Context::default()).unwrap();
    let names = source.chromosome_names().unwrap();
    let regions: Vec<_> = regions.iter().map(|r| Region::parse(r, &names).unwrap()).collect();
    let mut out = Vec::new();
    fragments::print(&*source, &regions, &Context::default().with_threads(2), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn any_fragments(most: usize) -> impl Strategy<Value = Vec<Fragment>> {
    // Few starts, so that many are equal, and some long fragments.
    let one = (0_u8..3, 0_u32..400, prop_oneof![0_u32..30, 0_u32..500], 0_u8..7);
    prop::collection::vec(one, 0..most).prop_map(|list| {
        let one = |(chromosome, start, len, cell)| {
            (format!("chr{chromosome}"), start, start + len, format!("cell{cell}"))
        };
        list.into_iter().map(one).collect()
    })
}

/// The entries of a matrix: row, column, value.
fn entries(counts: &Counts) -> Vec<(u64, u64, u32)> {
    let header = counts.header();
    let mut reader = counts.batches(0..header.shape.rows, Projection::ALL).unwrap();
    let mut batch = Batch::new(Order::Row, Values::new(header.value_type));
    let mut entries = Vec::new();
    let mut next = 0;
    while reader.next_batch(&mut batch).unwrap() {
        for run in 0..batch.runs() {
            assert_eq!(batch.majors.get(run), next, "all rows, in order");
            next += 1;
        }
        let Values::U32(values) = &batch.values else { panic!("other values") };
        for (entry, &value) in values.iter().enumerate() {
            let (row, col) = batch.row_col(entry);
            entries.push((row, col, value));
        }
    }
    assert_eq!(next, header.shape.rows);
    entries
}

/// The expected counts, by region and fragment.
fn expected(
    all: &[Fragment],
    cells: &StringList,
    regions: &[(String, u32, u32)],
    mode: CountMode,
) -> Vec<(u64, u64, u32)> {
    let mut counts: BTreeMap<(u64, u64), u32> = BTreeMap::new();
    for (row, (name, from, to)) in (0..).zip(regions) {
        for (chromosome, start, end, cell) in all {
            let inside = |base: u32| *from <= base && base < *to;
            let times = match mode {
                _ if chromosome != name => 0,
                CountMode::Insertions if start == end => 0,
                CountMode::Insertions => u32::from(inside(*start)) + u32::from(inside(end - 1)),
                _ => u32::from(start < to && end > from),
            };
            if times > 0 {
                let col = cells.iter().position(|name| name == cell.as_bytes()).unwrap();
                *counts.entry((row, col as u64)).or_default() += times;
            }
        }
    }
    counts.into_iter().map(|((row, col), times)| (row, col, times)).collect()
}

fn names_of(counts: &Counts, axis: nnz::Axis) -> Vec<String> {
    let names = counts.names(axis).unwrap().unwrap();
    names.iter().map(|name| String::from_utf8(name.to_vec()).unwrap()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn sorting_is_stable_and_stores_round_trip(all in any_fragments(3000)) {
        let directory = tempfile::tempdir().unwrap();
        let store = store(directory.path(), "all", &all);
        prop_assert!(printed(&store, &[]) == text(&sorted(&all)));
        for (to, packing) in [("unpacked", Packing::Unpacked), ("again", Packing::Packed)] {
            let to = place(&directory.path().join(to));
            let options = options().packing(packing);
            fragments::convert(&store, &to, &options, &Context::default()).unwrap();
            let mut found = Vec::new();
            let most = fragments::DiffOptions::default().max_diffs(5);
            fragments::diff(&store, &to, &most, &Context::default(), &mut |difference| found.push(difference)).unwrap();
            prop_assert_eq!(found, []);
        }
        // The same without sorting, if it is in order.
        let source = directory.path().join("sorted.tsv");
        std::fs::write(&source, text(&sorted(&all))).unwrap();
        let to = place(&directory.path().join("direct"));
        fragments::import(&place(&source), &to, ImportOptions::default(), &options(), &Context::default())
            .unwrap();
        prop_assert!(printed(&to, &[]) == text(&sorted(&all)));
    }

    #[test]
    fn queries_return_overlapping_fragments(
        all in any_fragments(1500),
        bases in (0_u32..900, 1_u32..300),
    ) {
        let directory = tempfile::tempdir().unwrap();
        let mut all = sorted(&all);
        all.retain(|(chromosome, ..)| chromosome != "chr2");
        all.push(("chr2".to_owned(), 5, 9, "cell0".to_owned()));
        let store = store(directory.path(), "all", &all);
        let (start, end) = (bases.0, bases.0 + bases.1);
        let found = printed(&store, &[&format!("chr2:{start}-{end}")]);
        all.retain(|(chromosome, from, to, _)| {
            chromosome == "chr2" && *from < end && *to > start
        });
        prop_assert_eq!(found, text(&all));
    }

    #[test]
    fn merging_equals_sorting_the_concatenation(
        lists in prop::collection::vec(any_fragments(600), 1..5),
    ) {
        let directory = tempfile::tempdir().unwrap();
        let lists: Vec<_> = lists.iter().map(|list| sorted(list)).collect();
        let stores: Vec<_> = (0..).zip(&lists)
            .map(|(number, list)| store(directory.path(), &format!("s{number}"), list))
            .collect();
        let target = place(&directory.path().join("merged"));
        let prefixes: Vec<_> = (0..lists.len()).map(|number| format!("{number}_")).collect();
        let merging = MergeOptions::default().prefixes(prefixes.clone());
        fragments::merge(&stores, &target, &merging, &options(), &Context::default()).unwrap();
        let all: Vec<Fragment> = prefixes.iter().zip(&lists)
            .flat_map(|(prefix, list)| list.iter().map(move |(chromosome, start, end, cell)| {
                (chromosome.clone(), *start, *end, format!("{prefix}{cell}"))
            }))
            .collect();
        // Chromosomes in the order of the stores.
        prop_assert!(printed(&target, &[]) == text(&sorted(&all)));
    }

    #[test]
    fn selections_have_the_selected_fragments(
        all in any_fragments(600),
        chosen in prop::collection::btree_set(0_u8..7, 0..5),
        lengths in (0_u32..100, 0_u32..400),
    ) {
        let directory = tempfile::tempdir().unwrap();
        let all = sorted(&all);
        let store = store(directory.path(), "all", &all);
        let there: Vec<_> = all.iter().map(|fragment| fragment.3.clone()).collect();
        let cells: Vec<_> = chosen.iter().rev().map(|cell| format!("cell{cell}"))
            .filter(|cell| there.contains(cell)).collect();
        let length = lengths.0..=lengths.0 + lengths.1;
        let selected = SelectOptions::default().cells(Some(cells.iter().collect())).length(length.clone());
        let target = place(&directory.path().join("kept"));
        fragments::select(&store, &target, &selected, &options(), &Context::default()).unwrap();
        let kept: Vec<_> = all.into_iter()
            .filter(|(_, start, end, cell)| cells.contains(cell) && length.contains(&(end - start)))
            .collect();
        prop_assert!(printed(&target, &[]) == text(&kept));
        let names = fragments::open(&target, &Context::default()).unwrap().cell_names().unwrap();
        prop_assert_eq!(names, cells.iter().collect());
    }

    #[test]
    fn counts_match_a_simple_count(
        all in any_fragments(400),
        peaks in prop::collection::vec((0_u8..4, 0_u32..700, 1_u32..200), 0..40),
        overlaps in any::<bool>(),
    ) {
        let directory = tempfile::tempdir().unwrap();
        let all = sorted(&all);
        let store = store(directory.path(), "all", &all);
        let peaks: Vec<_> = peaks.into_iter()
            .map(|(chromosome, start, len)| (format!("chr{chromosome}"), start, start + len))
            .collect();
        let bed = directory.path().join("peaks.bed");
        let lines = peaks.iter().map(|(chromosome, start, end)| {
            format!("{chromosome}\t{start}\t{end}\tname\n")
        });
        std::fs::write(&bed, lines.collect::<String>()).unwrap();
        let mode = if overlaps { CountMode::Overlaps } else { CountMode::Insertions };
        let source = fragments::open(&store, &Context::default()).unwrap();
        let cells = source.cell_names().unwrap();
        let regions = Regions::Peaks(fragments::read_peaks(&bed).unwrap());
        let counts = Counts::new(source, regions, mode).unwrap();
        prop_assert_eq!(entries(&counts), expected(&all, &cells, &peaks, mode));
        let names = peaks.iter().map(|(name, start, end)| format!("{name}:{start}-{end}"));
        prop_assert_eq!(names_of(&counts, nnz::Axis::Rows), names.collect::<Vec<_>>());
    }

    #[test]
    fn tiles_equal_adjacent_peaks(
        all in any_fragments(400),
        width in 1_u32..300,
        listed in any::<bool>(),
        overlaps in any::<bool>(),
    ) {
        let directory = tempfile::tempdir().unwrap();
        let all = sorted(&all);
        let store = store(directory.path(), "all", &all);
        let mut order: Vec<String> = Vec::new();
        for (chromosome, ..) in &all {
            if !order.contains(chromosome) {
                order.push(chromosome.clone());
            }
        }
        let sizes = directory.path().join("sizes");
        let (chromosomes, named) = if listed {
            std::fs::write(&sizes, "chr2\t333\nother\t20\nchr0\t2000\n").unwrap();
            let named = [("chr2", 333), ("other", 20), ("chr0", 2000)];
            let named = named.map(|(name, size)| (name.to_owned(), size)).to_vec();
            (Some(Chromosomes::read(&sizes).unwrap()), named)
        } else {
            let size = |name: &String| {
                let ends = all.iter().filter(|fragment| fragment.0 == *name).map(|f| f.2);
                ends.max().unwrap()
            };
            (None, order.iter().map(|name| (name.clone(), size(name))).collect())
        };
        let mut tiles = Vec::new();
        for (name, size) in named {
            let mut start = 0;
            while start < size {
                tiles.push((name.clone(), start, (start + width).min(size)));
                start += width;
            }
        }
        let mode = if overlaps { CountMode::Overlaps } else { CountMode::Insertions };
        let source = fragments::open(&store, &Context::default()).unwrap();
        let cells = source.cell_names().unwrap();
        let regions = Regions::Tiles(Tiles { width, chromosomes: chromosomes.map(Into::into) });
        let counts = Counts::new(source, regions, mode).unwrap();
        prop_assert_eq!(entries(&counts), expected(&all, &cells, &tiles, mode));
    }
}

#[test]
fn sorting_on_disk_gives_the_same_result() {
    // About 600,000 fragments of 16 bytes, with memory for a fiftieth; a third have the same start.
    let mut random = Random::new(1);
    let mut all: Vec<Fragment> = Vec::new();
    for _ in 0..600_000 {
        let start = if random.below_u32(3) == 0 { 777 } else { random.below_u32(100_000) };
        let (chromosome, cell) =
            (format!("chr{}", random.below(5)), format!("c{}", random.below(1000)));
        all.push((chromosome, start, start + random.below_u32(500), cell));
    }
    let directory = tempfile::tempdir().unwrap();
    let source = directory.path().join("all.tsv");
    std::fs::write(&source, text(&all)).unwrap();
    let mut stores = Vec::new();
    for (name, memory, threads) in [("small", 200_000, 3), ("large", 1 << 30, 1)] {
        let target = place(&directory.path().join(name));
        let reading = ImportOptions::default().sort(true);
        let context = Context::default().with_memory(memory).with_threads(threads);
        let options = options();
        let summary =
            fragments::import(&place(&source), &target, reading, &options, &context).unwrap();
        assert_eq!(summary.fragments, 600_000);
        assert_eq!(summary.disk > 0, name == "small");
        stores.push(target);
    }
    let expected = text(&sorted(&all));
    for store in &stores {
        assert!(printed(store, &[]) == expected);
    }
    // No temporary files are left.
    let mut left: Vec<_> = std::fs::read_dir(directory.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    left.sort();
    assert_eq!(left, ["all.tsv", "large", "small"]);
}

//! `nnz report`.

use std::fs;
use std::path::Path;

use nnz_testing::command::{run, testdata, text};

/// Returns the page about a matrix.
fn page(source: &str) -> String {
    let scratch = tempfile::tempdir().unwrap();
    let target = scratch.path().join("page.html");
    run(&["-q", "report", source, text(&target)]).good();
    let page = fs::read_to_string(&target).unwrap();
    assert!(page.len() < 500_000, "{source}: {} bytes", page.len());
    check(&page);
    page
}

/// Checks that elements are nested, that identifiers are unique, and that nothing else is loaded or run.
fn check(page: &str) {
    const EMPTY: [&str; 3] = ["meta", "!DOCTYPE", "br"];
    for part in ["<script", "<link", "<img", "<iframe", "src=", "url(", "@import", "onload"] {
        assert!(!page.contains(part), "{part}");
    }
    for link in page.split("href=\"").skip(1) {
        let id = link.strip_prefix('#').expect("a link within the page").split('"').next().unwrap();
        assert!(page.contains(&format!("id=\"{id}\"")), "{id}");
    }
    let mut ids: Vec<&str> =
        page.split(" id=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    ids.sort_unstable();
    assert!(ids.windows(2).all(|pair| pair[0] != pair[1]), "{ids:?}");
    let mut open = Vec::new();
    let mut rest = page;
    while let Some(start) = rest.find('<') {
        let end = start + rest[start..].find('>').expect("an element ends");
        let element = &rest[start + 1..end];
        let name = element.trim_start_matches('/').split([' ', '/', '\n']).next().unwrap();
        if element.starts_with('/') {
            assert_eq!(open.pop(), Some(name), "{element}");
        } else if !element.ends_with('/') && !EMPTY.contains(&name) {
            open.push(name);
        }
        rest = &rest[end + 1..];
    }
    assert_eq!(open, [""; 0]);
}

/// Returns the text of a page, without elements.
fn words(page: &str) -> String {
    let body = page.split("<body>").nth(1).unwrap();
    let parts = body.split('<').map(|part| part.split_once('>').map_or(part, |(_, text)| text));
    parts.collect::<Vec<_>>().join("|")
}

fn example() -> String {
    testdata().join("../examples/pbmc_10x_v3_mtx").display().to_string()
}

/// Everything that a report advises works, and filtering an AnnData file keeps what else it has.
#[test]
fn commands_of_a_report_run() {
    let scratch = tempfile::tempdir().unwrap();
    for name in ["a.h5ad", "a.bpcells", "a.mtx", "few.mtx", "none.mtx"] {
        let source = scratch.path().join(name);
        match name {
            "few.mtx" => fs::write(
                &source,
                "%%MatrixMarket matrix coordinate integer general\n3 4 3\n1 1 5\n2 2 7\n1 3 6\n",
            )
            .unwrap(),
            "none.mtx" => {
                let text = "%%MatrixMarket matrix coordinate integer general\n3 4 0\n";
                fs::write(&source, text).unwrap();
            }
            _ => {
                run(&["-q", "convert", &example(), text(&source)]).good();
            }
        }
        let page = page(text(&source));
        let plain = words(&page).replace("&quot;", "\"").replace("&gt;", ">").replace("&#39;", "'");
        let commands: Vec<&str> =
            plain.split('|').filter_map(|part| part.strip_prefix("nnz ")).collect();
        let commands: Vec<&str> =
            commands.into_iter().filter(|command| command.contains(name)).collect();
        assert!(commands.len() >= 4, "{name}: {plain}");
        for command in commands {
            let words = command.split(' ').map(|word| word.trim_matches('"').to_owned());
            let mut run = nnz_testing::command::command();
            run.current_dir(scratch.path()).args(words);
            let done = nnz_testing::command::finish(&mut run);
            assert_eq!(done.code, Some(0), "{command}: {done:?}");
        }
        let written = |name: &str| scratch.path().join(name).exists();
        assert_eq!(written("kept.h5ad"), name == "a.h5ad");
        assert_eq!(written("out.h5ad"), name != "a.h5ad");
        assert_eq!(written("kept.bpcells"), !matches!(name, "a.h5ad" | "none.mtx"));
        for made in ["kept.h5ad", "out.h5ad", "spy.svg"] {
            let _ = fs::remove_file(scratch.path().join(made));
        }
        for made in ["kept.bpcells", "small.zarr"] {
            let _ = fs::remove_dir_all(scratch.path().join(made));
        }
    }
}

#[test]
fn options_of_reading_apply_to_all_parts_of_a_report() {
    let scratch = tempfile::tempdir().unwrap();
    let [first, second, other, target] = ["a.csv", "b.csv", "c.mtx", "page.html"].map(|name| {
        let path = scratch.path().join(name);
        path.to_str().unwrap().to_owned()
    });
    fs::write(&first, ",x,y\ng,1.5,none\nh,2,3\n").unwrap();
    fs::write(&second, ",x,y\ng,1.5,none\nh,2,4\n").unwrap();
    fs::write(&other, "%%MatrixMarket matrix array real general\n2 2\n1.5\n2\n0\n3\n").unwrap();
    // Without the option, the page has the error.
    let done = run(&["report", &first, &target]);
    assert!(done.code == Some(1) && done.err.contains("a.csv is broken"), "{done:?}");
    assert!(fs::read_to_string(&target).unwrap().contains("&quot;none&quot;"));
    run(&["-q", "report", &first, &target, "--na", "none", "--from", "csv", "--force"]).good();
    let page = fs::read_to_string(&target).unwrap();
    check(&page);
    assert!(page.contains("a.csv --from csv --na none"), "the commands to go on with");
    // The value of a flag is the same word.
    fs::write(&first, ",x,y\ng,1.5,true\nh,2,3\n").unwrap();
    run(&["-q", "report", &first, &target, "--na", "true", "--force"]).good();
    assert!(fs::read_to_string(&target).unwrap().contains("a.csv --na true"));
    fs::write(&first, ",x,y\ng,1.5,none\nh,2,3\n").unwrap();
    // The other file may have another format.
    for beside in [&second, &other] {
        run(&["-q", "report", &first, &target, "--na", "none", "--beside", beside, "--force"])
            .good();
    }
    let done = run(&["report", &other, &target, "--na", "none", "--force"]);
    assert!(done.code == Some(2) && done.err.contains("na"), "{done:?}");
}

#[test]
fn a_report_has_the_numbers_of_the_matrix() {
    let page = page(&example());
    let words = words(&page);
    for part in [
        "Valid:",
        "507 rows × 1,107 columns",
        "23,866 (4.25 %)",
        "Rows: features",
        "Columns: cells",
        "507 rows, 306 of them without entries. Names: ENSG00000279493,",
        "ENSG00000160255||457||919||5,510",
        "BPCells, packed",
        "nnz convert ",
    ] {
        assert!(words.contains(part), "{part}");
    }
    assert!(page.matches("<svg").count() == 4);
}

#[test]
fn every_kind_of_matrix_has_a_report() {
    let scratch = tempfile::tempdir().unwrap();
    let mtx = |name: &str, lines: &str| {
        let path = scratch.path().join(name);
        fs::write(&path, format!("%%MatrixMarket matrix coordinate {lines}")).unwrap();
        path.display().to_string()
    };
    for (name, lines, part) in [
        ("empty.mtx", "real general\n0 0 0\n", "0 rows × 0 columns"),
        ("none.mtx", "integer general\n5 3 0\n", "5 rows, 5 of them without entries"),
        ("one.mtx", "integer general\n1 4 2\n1 1 3\n1 4 9\n", "1 row, 0 of them without entries"),
        ("wide.mtx", "pattern general\n1 100000000 2\n1 7\n1 99999999\n", "too many columns"),
        (
            "long.mtx",
            "pattern general\n9000000000000000000 2 1\n9000000000000000000 2\n",
            "9,000,000,000,000,000,000 rows",
        ),
        ("complex.mtx", "complex general\n2 2 1\n1 2 0.5 -1\n", "complex"),
        ("nan.mtx", "real general\n2 2 3\n1 1 nan\n1 2 inf\n2 2 -inf\n", "-inf"),
        ("symmetric.mtx", "real symmetric\n3 3 2\n1 1 1\n3 1 2.5\n", "symmetric"),
        ("overflow.mtx", "real general\n2 2 2\n1 1 1e308\n1 2 1e308\n", "inf"),
    ] {
        let words = words(&page(&mtx(name, lines)));
        assert!(words.contains(part), "{name}: {part}\n{words}");
    }
    let golden = testdata().join("anndata/valid/0.12.19/h5ad/full_csr.h5ad");
    let words = words(&page(text(&golden)));
    for part in [
        "Annotations of rows",
        "categorical",
        "Elements of the file",
        "obsm",
        "X_umap of all 11 cells, coloured by cell_type.",
    ] {
        assert!(words.contains(part), "{part}\n{words}");
    }
}

#[test]
fn names_are_not_elements() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().join("it's <b>&amp;");
    fs::create_dir(&folder).unwrap();
    let matrix = "%%MatrixMarket matrix coordinate integer general\n2 1 1\n1 1 1\n";
    fs::write(folder.join("matrix.mtx"), matrix).unwrap();
    let long = "x".repeat(2000);
    let names = format!("<script>alert(1)</script>\t\u{1b}[31m\"'\n{long}\tb\n");
    fs::write(folder.join("genes.tsv"), names).unwrap();
    fs::write(folder.join("barcodes.tsv"), "</svg></title><img src=x onerror=alert(1)>\n").unwrap();
    let target = scratch.path().join("page.html");
    run(&["-q", "report", text(&folder), text(&target)]).good();
    let page = fs::read_to_string(&target).unwrap();
    for part in ["<script", "<img", "\u{1b}"] {
        assert!(!page.contains(part), "{part:?}");
    }
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
    // Commands can be pasted into a shell.
    assert!(page.contains("it&#39;\\&#39;&#39;s"), "{page}");
}

#[test]
fn errors_of_the_file_are_in_the_report() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("m.npz");
    let mtx = scratch.path().join("m.mtx");
    fs::write(&mtx, "%%MatrixMarket matrix coordinate integer general\n3 3 2\n3 1 1\n1 1 1\n")
        .unwrap();
    run(&["-q", "convert", text(&mtx), text(&path)]).good();
    assert!(words(&page(text(&path))).contains("Valid:"));
    // The page of a broken file has the error as validation prints it.
    fs::write(&mtx, "%%MatrixMarket matrix coordinate integer general\n3 3 2\n4 1 1\n1 1 1\n")
        .unwrap();
    let target = scratch.path().join("page.html");
    let done = run(&["report", text(&mtx), text(&target)]);
    let expected = format!("{} is broken: the page lists 1 error\n", text(&mtx));
    assert!(done.code == Some(1) && done.err.ends_with(&expected), "{done:?}");
    let page = fs::read_to_string(&target).unwrap();
    check(&page);
    let errors = run(&["validate", text(&mtx)]).out;
    assert!(errors.contains("line 3"), "{errors}");
    assert!(words(&page).replace("&quot;", "\"").contains(errors.trim_end()), "{errors}\n{page}");
    assert!(page.contains("<title>m.mtx</title>"));
    // The message is printed in any case, as the exit status alone does not explain itself.
    let done = run(&["-q", "report", text(&mtx), text(&target), "--force"]);
    assert!(done.code == Some(1) && done.err == expected, "{done:?}");
    // Something that is not a matrix has no page.
    let other = scratch.path().join("notes.docx");
    fs::write(&other, "text").unwrap();
    let none = scratch.path().join("none.html");
    let message = run(&["report", text(&other), text(&none)]).refused_by("report");
    assert!(message.contains("notes.docx") && !none.exists(), "{message}");
}

#[test]
fn what_can_be_read_of_a_broken_file_is_in_its_report() {
    let scratch = tempfile::tempdir().unwrap();
    let target = scratch.path().join("page.html");
    let malformed = |name: &str| testdata().join("anndata/malformed").join(name);
    for (name, parts) in [
        // `X` cannot be opened, but its table can.
        ("no_data.h5ad", &["Rows: cells", "obs", "The matrix cannot be opened"][..]),
        // The tables cannot be opened.
        ("truncated_half.h5ad", &["Invalid:"]),
        // An entry is wrong.
        ("indices_out_of_range.h5ad", &["Arrays of the matrix", "There are no pictures"]),
        // Only a layer is wrong.
        ("layer_shape.h5ad", &["Where the entries are", "Sizes in other formats"]),
    ] {
        let source = malformed(name);
        let done = run(&["-q", "report", text(&source), text(&target), "--force"]);
        assert_eq!(done.code, Some(1), "{name}: {done:?}");
        let page = fs::read_to_string(&target).unwrap();
        check(&page);
        for part in parts {
            assert!(page.contains(part), "{name}: {part}\n{page}");
        }
        assert!(page.contains(&format!("<title>{name}</title>")), "{name}");
        let commands = words(&page);
        assert!(
            commands.contains("nnz validate ") && !commands.contains("nnz convert /"),
            "{name}"
        );
    }
}

/// A fault in one of two files is shown beside the other file.
#[test]
fn a_broken_file_is_shown_beside_another_one() {
    let scratch = tempfile::tempdir().unwrap();
    let at = |name: &str| scratch.path().join(name).display().to_string();
    let header = "%%MatrixMarket matrix coordinate integer general";
    fs::write(at("m.mtx"), format!("{header}\n3 3 1\n1 1 1\n")).unwrap();
    fs::create_dir(at("other")).unwrap();
    fs::write(at("other/m.mtx"), format!("{header}\n3 3 1\n9 1 1\n")).unwrap();
    let done = run(&["report", &at("m.mtx"), &at("page.html"), "--beside", &at("other/m.mtx")]);
    let expected = format!("{} is broken: the page lists 1 error", at("other/m.mtx"));
    assert!(done.code == Some(1) && done.err.contains(&expected), "{done:?}");
    let page = fs::read_to_string(at("page.html")).unwrap();
    check(&page);
    for part in ["Not compared:", "Valid:", "Invalid:", "line 3"] {
        assert!(page.contains(part), "{part}\n{page}");
    }
    // Both have the same name.
    assert!(page.contains(&format!("<h2>{}</h2>", at("other/m.mtx"))));
}

#[test]
fn a_file_without_a_main_matrix_has_a_report() {
    let page = page(text(&testdata().join("reports/mudata-and-nested/m.h5mu")));
    let words = words(&page);
    for part in ["Valid:", "m.h5mu", "Elements of the file", "mod/"] {
        assert!(words.contains(part), "{part}\n{words}");
    }
}

/// Opening a pipe waits for its writer, and it can be read only once.
#[test]
#[cfg(unix)]
fn a_pipe_has_no_report() {
    let scratch = tempfile::tempdir().unwrap();
    let [pipe, target] = ["m.el", "page.html"].map(|name| scratch.path().join(name));
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let message = run(&["report", text(&pipe), text(&target)]).refused_by("report");
    assert!(message.contains("a stream can be read only once") && !target.exists(), "{message}");
}

#[test]
fn two_matrices_are_shown_beside_each_other() {
    let scratch = tempfile::tempdir().unwrap();
    let at = |name: &str| scratch.path().join(name).display().to_string();
    fs::write(
        at("a.mtx"),
        "%%MatrixMarket matrix coordinate integer general\n3 3 2\n1 1 1\n2 2 7\n",
    )
    .unwrap();
    fs::write(
        at("b.mtx"),
        "%%MatrixMarket matrix coordinate integer general\n3 3 2\n1 1 1\n2 2 8\n",
    )
    .unwrap();
    run(&["-q", "report", &at("a.mtx"), &at("page.html"), "--beside", &at("b.mtx")]).good();
    let page = fs::read_to_string(at("page.html")).unwrap();
    check(&page);
    let words = words(&page);
    for part in
        ["Different:", "there is one difference", "row 1, column 1||7||8", "Where entries differ"]
    {
        assert!(words.contains(part), "{part}\n{words}");
    }
    run(&["-q", "report", &at("a.mtx"), &at("same.html"), "--beside", &at("a.mtx")]).good();
    assert!(fs::read_to_string(at("same.html")).unwrap().contains("<strong>Equal:</strong>"));
}

/// Returns the value of an attribute of each element.
fn attributes<'a>(page: &'a str, element: &str, name: &str) -> Vec<&'a str> {
    let start = format!("{name}=\"");
    let elements = page.split(element).skip(1);
    elements
        .filter_map(|rest| rest.split('>').next()?.split(&start).nth(1)?.split('"').next())
        .collect()
}

#[test]
fn matrices_beside_each_other_have_the_same_bins_scales_and_heights() {
    let scratch = tempfile::tempdir().unwrap();
    let at = |name: &str| scratch.path().join(name).display().to_string();
    let write = |name: &str, rows: usize, cols: usize, value: usize| {
        let entries: Vec<String> = (1..=rows)
            .flat_map(|row| {
                (1..=cols).filter(move |col| (row * col) % value == 0).map(move |col| (row, col))
            })
            .map(|(row, col)| format!("{row} {col} {}\n", (row + col) % (value * value) + 1))
            .collect();
        let size = format!("{rows} {cols} {}\n", entries.len());
        let header = "%%MatrixMarket matrix coordinate integer general\n";
        fs::write(at(name), format!("{header}{size}{}", entries.concat())).unwrap();
    };
    write("a.mtx", 300, 200, 2);
    write("b.mtx", 150, 70, 5);
    run(&["-q", "report", &at("a.mtx"), &at("page.html"), "--beside", &at("b.mtx")]).good();
    let page = fs::read_to_string(at("page.html")).unwrap();
    check(&page);
    let parts: Vec<&str> = page.split("<section aria-label=").collect();
    let [_, first, second] = parts[..] else { panic!("two matrices") };
    let heights = [first, second].map(|part| attributes(part, "<svg ", "height"));
    assert_eq!((heights[0].len(), &heights[0]), (4, &heights[1]));
    let of = |part: &str, at: usize| {
        let picture = part.split("<svg ").nth(at + 1).unwrap().split("</svg>").next().unwrap();
        picture.to_owned()
    };
    // Bins of entries: 300 x 200 elements in at most 64 squares.
    for part in [first, second] {
        let spy = of(part, 0);
        assert!(spy.contains("entries per 5 \u{d7} 5 elements"), "{spy}");
    }
    let texts = |part: &str, at: usize, class: &str| {
        let drawn = of(part, at);
        let start = format!("<text class=\"{class}\"");
        let texts = drawn.lines().filter(|line| line.starts_with(&start)).map(str::to_owned);
        texts.collect::<Vec<String>>()
    };
    // Ticks, after the subtitle, are where they are in the other picture: the axes are the same.
    for at in 1..4 {
        let [ours, theirs] = [first, second].map(|part| texts(part, at, "muted"));
        let ticks = |all: &[String]| -> Vec<String> {
            all.iter().filter(|text| text.contains("text-anchor")).cloned().collect()
        };
        assert_eq!(ticks(&ours), ticks(&theirs), "picture {at}");
        assert!(ticks(&ours).len() > 5);
    }
    // The scale of colours ends at the same count.
    let [ours, theirs] = [first, second].map(|part| {
        let legend = texts(part, 0, "muted");
        legend
            .iter()
            .rev()
            .find(|text| !text.contains("text-anchor"))
            .unwrap()
            .split('>')
            .nth(1)
            .unwrap()
            .to_owned()
    });
    assert_eq!(ours, theirs);
}

#[test]
fn tables_show_that_they_scroll() {
    let page = page(&example());
    let rule = page.split(".scroll {").nth(1).unwrap().split('}').next().unwrap();
    // A shadow stays at the side, and is covered by a background that moves with the table.
    assert!(rule.contains("overflow-x: auto") && rule.contains("no-repeat scroll"), "{rule}");
    assert!(rule.contains("no-repeat local"), "{rule}");
    assert!(page.contains("<div class=\"scroll\" tabindex=\"0\""));
}

#[test]
fn wrong_targets_of_reports_are_refused() {
    let scratch = tempfile::tempdir().unwrap();
    let at = |name: &str| scratch.path().join(name).display().to_string();
    let source = example();
    for (target, part) in
        [("page.txt", "extension .html"), ("page", "extension .html"), ("no/page.html", "no")]
    {
        let done = run(&["report", &source, &at(target)]);
        assert!(done.code != Some(0) && done.err.contains(part), "{done:?}");
    }
    fs::write(at("page.html"), "mine").unwrap();
    let done = run(&["report", &source, &at("page.html")]);
    assert!(done.code == Some(2) && done.err.contains("--force"), "{done:?}");
    assert_eq!(fs::read_to_string(at("page.html")).unwrap(), "mine");
    run(&["-q", "report", &source, &at("page.html"), "--force"]).good();
    assert!(fs::metadata(Path::new(&at("page.html"))).unwrap().len() > 10_000);
}

#[test]
fn wrong_options_of_reports_are_refused() {
    let scratch = tempfile::tempdir().unwrap();
    let target = scratch.path().join("page.html").display().to_string();
    let source = example();
    let usage = |words: &[&str], says: &str| {
        let done = run(&[&["report"], words].concat());
        assert!(done.code == Some(2) && done.err.contains(says), "{words:?}: {done:?}");
        assert!(!Path::new(&target).exists() && done.out.is_empty(), "{words:?}");
    };
    usage(&[&source], "required");
    usage(&[&source, "-"], "extension .html");
    usage(&["-", &target], "a report reads entries several times");
    usage(&[&source, &target, "--beside", "-"], "a report reads entries several times");
    usage(&[&source, &target, "--beside"], "a value is required");
    usage(&[&source, &target, "--json"], "unexpected argument");
    usage(&[&source, &target, "--threads", "0"], "expected a number of at least 1");
    usage(&[&source, &target, "--memory", "0"], "expected a size");
    for words in [&["missing.mtx", &target][..], &[&source, &target, "--beside", "missing.mtx"]] {
        let message = run(&[&["report"], words].concat()).refused_by("report");
        assert!(message.contains("no such file") && !Path::new(&target).exists(), "{message}");
    }
}

#[test]
fn lists_of_long_axes_count_against_the_memory() {
    let scratch = tempfile::tempdir().unwrap();
    let at = |name: &str| scratch.path().join(name).display().to_string();
    let header = "%%MatrixMarket matrix coordinate integer general";
    fs::write(at("long.mtx"), format!("{header}\n100000 2 1\n5 1 3\n")).unwrap();
    let matrix = nnz::open(nnz::Location::parse(at("long.mtx"))).unwrap().into_matrix().unwrap();
    let how =
        nnz::StatsOptions::default().rows(true).cols(true).measures(nnz::engine::Measures::Nnz);
    let refused =
        nnz::engine::stats(&*matrix, &how, &nnz::Context::default().with_memory(1)).unwrap_err();
    let nnz::ErrorKind::Memory { needed, .. } = refused.kind() else { panic!("{refused}") };
    let page = |memory: u64| {
        let memory = memory.to_string();
        let words = ["-q", "report", &at("long.mtx"), &at("page.html"), "--force", "--memory"];
        run(&[&words[..], &[&memory]].concat()).good();
        fs::read_to_string(at("page.html")).unwrap()
    };
    // Quantiles take 16 bytes for each row in addition.
    let lists = 16 * 100_000;
    assert!(page(needed + lists).contains("Entries and sums of each row"));
    assert!(!page(needed + lists - 1).contains("Entries and sums of each row"));
}

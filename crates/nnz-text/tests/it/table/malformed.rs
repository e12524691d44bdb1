//! Texts with one fault each, and texts that can be read in several ways.

use nnz_core::{Axis, MatrixSource};
use nnz_storage::TaskContext;
use nnz_text::table::{Decimal, ReadOptions, Separator};

use super::{content, keeping, names, open, ways};

fn refused(text: &str, options: &ReadOptions) -> String {
    let messages: Vec<String> = ways(options)
        .iter()
        .map(|(options, context)| match content(text, options, context) {
            Ok(found) => panic!("{text:?}: {found:?}"),
            Err(error) => error.to_string(),
        })
        .collect();
    assert!(messages.iter().all(|message| *message == messages[0]), "{messages:?}");
    messages[0].clone()
}

#[test]
fn faults_are_reported_where_they_are() {
    for (text, message) in [
        (",a,b\nx,1\n", "line 2, column 4: found 2 fields, expected 3 fields"),
        (",a,b\nx,1,2\ny,1,2,3\n", "line 3, column 7: found another field"),
        (",a,b\n\nx,1,2\n", "line 2, column 1: found a blank line"),
        (",a,b\nx,1,2\n\ny,1,2\n", "line 3, column 1: found a blank line"),
        ("\nx,1\n", "line 1, column 1: found a blank line"),
        (",a,b\nx,1,\n", "line 2, column 5: found an empty field"),
        (",a,b\nx,1,2\ry,1,2\r\n", "line 2, column 6: found a lone carriage return"),
        (",a,b\nx,1,\"2\"3\n", "line 2, column 8: found text after a closing quote"),
        (",a,b\nx\"y,1,2\n", "line 2, column 2: found a quote inside of a field"),
        (",a,b\n\"x,1,2\n", "line 2, column 1: found a quote that is never closed"),
        (",a,b\nx,TRUE,2\n", "line 2, column 3: found \"TRUE\", expected a number"),
        (",a,b\nx,1e999,2\n", "expected a number in the range of float64"),
        (",a,b\nx,18446744073709551616,2\n", "line 2, column 3: found \"18446744073709551616\""),
        (",a,b\nx,9007199254740993,2\ny,0.5,1\n", "line 2, column 3: found \"9007199254740993\""),
        (",a,b\nx,0.5,1\ny,2,9007199254740993\n", "line 3, column 5: found \"9007199254740993\""),
        (",a,b\nx,18446744073709551615,-1\n", "line 2, column 3: found \"18446744073709551615\""),
        ("a,b\n1,2\n", "the first column has only numbers"),
        ("1,2\n3,4\n", "the first line has only numbers"),
        ("a\nb\n", "no columns of numbers in 1 field"),
        (
            "#1.2\n2\t2\nName\tDescription\ta\tb\nx\tna\t1\t2\n",
            "found 1 row in the file, expected 2",
        ),
        ("#1.2\n1\t3\nName\tDescription\ta\tb\nx\tna\t1\t2\n", "line 3, column 1: found 4 fields"),
        ("#1.2\n1\nName\tDescription\ta\tb\n", "the number of columns"),
        ("#1.3\n1\t1\t1\n", "the number of annotations of columns"),
        ("#1.3\n1\t1\t1\t99999999999\nid\tx\ta\n", "line 4, column 1"),
    ] {
        let found = refused(text, &ReadOptions::default());
        assert!(found.contains(message), "{text:?}: {found}");
    }
}

#[test]
fn options_decide_what_the_text_does_not() {
    let read = |text: &str, options: ReadOptions| {
        let all: Vec<_> = ways(&options)
            .iter()
            .map(|(way, context)| content(text, way, context).unwrap())
            .collect();
        assert!(all.iter().all(|one| *one == all[0]));
        let (rows, cols, cells) = all[0].clone();
        format!("{} | {} | {cells}", rows.join(" "), cols.join(" "))
    };
    let plain = ReadOptions::default;
    let ids = |ids| ReadOptions { id_columns: Some(ids), ..plain() };
    assert_eq!(read("a,b\n1,2\n", ids(0)), " | a b | 1 2");
    assert_eq!(read("a,b\n1,2\n", ids(1)), "1 | b | 2");
    let headed = |header| ReadOptions { header: Some(header), ..plain() };
    assert_eq!(read("1,2\n3,4\n", headed(false)), " |  | 1 2 3 4");
    let both = ReadOptions { header: Some(true), id_columns: Some(1), ..plain() };
    assert_eq!(read("1,2\n3,4\n", both), "3 | 2 | 4");
    assert_eq!(read("x,1\ny,2\n", headed(false)), "x y |  | 1 2");
    let separated = |text: &str| ReadOptions { separator: text.parse().ok(), ..plain() };
    assert_eq!(read("|a|b\nx|1|2\n", separated("|")), "x | a b | 1 2");
    assert_eq!(read("a b\nx  1 2 \n", separated("blanks")), "x | a b | 1 2");
    let na = |text: &str| ReadOptions { na: Some(text.to_owned()), ..plain() };
    assert_eq!(read(",a,b\nx,,2\n", na("")), "x | a b | nan 2.0");
    assert_eq!(read(",a,b\nx,-1,2\n", na("-1")), "x | a b | nan 2.0");
    assert_eq!(read(",a,b\nx,7,77\n", na("7")), "x | a b | nan 77.0");
    let comma = ReadOptions { decimal: Decimal::Comma, ..plain() };
    assert_eq!(read(";a;b\nx;1,5;2\n", comma.clone()), "x | a b | 1.5 2.0");
    let both = ReadOptions { separator: Some(Separator::Byte(b',')), ..comma };
    assert!(refused(",a,b\nx,1,2\n", &both).contains("both the separator and the decimal"));
}

#[test]
fn headers_and_comments_are_told_apart() {
    for (text, expected) in [
        // A header with a # as of QIIME.
        ("# Constructed from biom file\n#OTU ID\ts1\ts2\nx\t1\t2\n", "x | s1 s2 | 1 2"),
        ("# made by x, y and \"z\n# twice\n,a,b\nx,1,2\n", "x | a b | 1 2"),
        ("\u{feff}# c\n,a\nx,1\n", "x | a | 1"),
        // A name that starts with # is no comment after the header.
        (",a\n#x,1\n", "#x | a | 1"),
        (" a;b,a,b\ng;h,1,2\n", "g;h | a b | 1 2"),
        ("c\n\"g 1\" 5\n\"g 2\" 6\n", "g 1 g 2 | c | 5 6"),
        (",a\nx,-0\n", "x | a | -0.0"),
        (",a,b\r\n\"x\",\"1\",\"2\"\r\n\r\n", "x | a b | 1 2"),
        (",a,b\nx,18446744073709551615,1\n", "x | a b | 18446744073709551615 1"),
        (",a,b\nx,-9223372036854775808,1\n", "x | a b | -9223372036854775808 1"),
        (",a,b\nx,9223372036854775808,-1\n", "x | a b | 9.223372036854776e18 -1.0"),
    ] {
        let (rows, cols, cells) = content(text, &keeping(), &TaskContext::default()).unwrap();
        assert_eq!(format!("{} | {} | {cells}", rows.join(" "), cols.join(" ")), expected);
    }
}

#[test]
fn gct_has_annotations() {
    let text = "#1.3\n2\t3\t2\t1\nid\tgene\tkind\tc1\tc2\tc3\nbatch\tna\tna\tA\tA\tB\n\
                x\tg1\tk\t1\t2\t3\ny\tg2\tl\t4\t5\t6.5\n";
    let table = open(text.as_bytes(), &keeping()).unwrap();
    assert_eq!(table.header().shape.to_string(), "2 x 3");
    assert_eq!(names(&table, Axis::Rows).unwrap(), ["x", "y"]);
    assert_eq!(names(&table, Axis::Cols).unwrap(), ["c1", "c2", "c3"]);
    let labels = |axis| {
        let table = table.annotations(axis).unwrap().unwrap();
        table.columns().iter().map(|column| column.name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(labels(Axis::Rows), ["gene", "kind"]);
    assert_eq!(labels(Axis::Cols), ["batch"]);
    let plain = "#1.2\n1\t1\nName\tDescription\tc\nx\tna\t1\n";
    let table = open(plain.as_bytes(), &keeping()).unwrap();
    assert!(table.annotations(Axis::Rows).unwrap().is_none());
    let described = open(plain.replace("\tna\t", "\tthe gene\t").as_bytes(), &keeping()).unwrap();
    assert!(described.annotations(Axis::Rows).unwrap().is_some());
}

#[test]
fn cells_are_located() {
    let mut text = String::from(",a,b\n");
    for row in 0..60_000 {
        text += &format!("\"r\n{row}\",{row},7\n");
    }
    let table = open(text.as_bytes(), &keeping()).unwrap();
    // Each row has two lines.
    let found = table.locate(50_000, 1).unwrap();
    assert_eq!(found[0].to_string(), "line 100003, column 14");
    assert!(table.locate(60_000, 0).unwrap().is_empty());
}

//! Regions of a BED file.

use nnz_singlecell::fragment_tsv::each_region;

/// Reads regions, or returns the error without the path.
fn read(text: &[u8]) -> Result<Vec<(Vec<u8>, u32, u32)>, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("peaks.bed");
    std::fs::write(&path, text).unwrap();
    let mut regions = Vec::new();
    let read = each_region(&path, |name, start, end| {
        regions.push((name.to_vec(), start, end));
        Ok(())
    });
    let prefix = format!("{}: ", path.display());
    read.map(|()| regions).map_err(|error| error.to_string().replace(&prefix, ""))
}

#[test]
fn regions_are_the_first_three_columns() {
    let text = b"# a comment\ntrack name=x\nbrowser position chr1:1-2\ntrack\n\
        chr1\t0\t20\n\nchr1\t00000000000000000000007\t4294967295\tpeak\t0\r\ntrack\t1\t2\n\
        trackish\t3\t4\nchr 2\t5\t6";
    let expected = [
        (&b"chr1"[..], 0, 20),
        (b"chr1", 7, u32::MAX),
        (b"track", 1, 2),
        (b"trackish", 3, 4),
        (b"chr 2", 5, 6),
    ];
    let expected = expected.map(|(name, start, end)| (name.to_vec(), start, end));
    assert_eq!(read(text).unwrap(), expected);
}

#[test]
fn errors_in_regions_have_line_and_column() {
    let number = "expected a base, an integer from 0 to 4294967295";
    for (line, found, expected) in [
        ("\t1\t2", "line 2, column 1: found an empty field", "expected the name of a chromosome"),
        ("chr1", "line 2, column 6: found the end of the line", number),
        ("chr1\t5", "line 2, column 8: found the end of the line", number),
        ("chr1\t\t5", "line 2, column 6: found an empty field", number),
        ("chr1\t+1\t5", "line 2, column 6: found \"+1\"", number),
        ("chr1\t1\t5 ", "line 2, column 8: found \"5 \"", number),
        ("chr1\t1\t4294967296", "line 2, column 8: found \"4294967296\"", number),
        ("chr1\t1\t18446744073709551617", "column 8: found \"18446744073709551617\"", number),
        ("chr1\t1\t20\0", "line 2, column 10: found the control character 0x00", "a tab or"),
        ("chr1\t1\r2\t5", "line 2, column 7: found a lone carriage return", "a tab or"),
        ("chr1\t\x01\t5", "line 2, column 6: found the control character 0x01", number),
        ("chr1\t7\t7", "line 2, column 1: found a region from 7 to 7", "an end after the start"),
    ] {
        let text = format!("chr1\t0\t20\n{line}\n");
        let said = read(text.as_bytes()).unwrap_err();
        assert!(said.contains(found) && said.contains(expected), "{line:?}: {said}");
    }
}

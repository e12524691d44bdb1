//! Damaged files give an error or fragments, without a panic.

use nnz_singlecell::fragment_tsv::Options;
use nnz_testing::random::Random;

use super::common::{END, bgzf, bgzf_block, gzip, message, read_text};

const TEXT: &[u8] = b"# c\nchr1\t1\t5\tAAAC-1\t1\nchr1\t3\t9\tAAAG-1\t2\nchr2\t3\t9\tAAAC-1\t1\n";

#[test]
fn truncated_files_are_errors() {
    for file in [gzip(TEXT), bgzf(TEXT, 30)] {
        for len in 2..file.len() {
            assert!(read_text(&file[..len]).is_err(), "{len} of {}", file.len());
        }
    }
    for len in 0..TEXT.len() {
        let _ = read_text(&TEXT[..len]);
    }
}

#[test]
fn a_changed_byte_in_compressed_data_is_an_error_or_harmless() {
    let whole = read_text(TEXT).unwrap();
    for file in [gzip(TEXT), bgzf(TEXT, 30)] {
        for at in 0..file.len() {
            for bit in [1, 0x10, 0x80] {
                let mut file = file.clone();
                file[at] ^= bit;
                if let Ok(read) = read_text(&file) {
                    assert_eq!(read, whole, "byte {at}");
                }
            }
        }
    }
}

#[test]
fn random_bytes_never_panic() {
    let mut random = Random::new(20);
    let alphabet = b"0123456789 \t\r\n#-.e\0\x1f\x8b\xffBC";
    for file in [TEXT.to_vec(), gzip(TEXT), bgzf(TEXT, 20)] {
        for _ in 0..2000 {
            let mut file = file.clone();
            for _ in 0..=random.below(4) {
                let at = random.below(file.len());
                match random.below(3) {
                    0 => file[at] = *random.pick(alphabet),
                    1 => file.insert(at, *random.pick(alphabet)),
                    _ => drop(file.remove(at)),
                }
            }
            let _ = read_text(&file);
        }
    }
}

#[test]
fn blocks_with_wrong_sizes_are_errors() {
    let whole = bgzf(TEXT, 40);
    let first = bgzf_block(&TEXT[..40]).len();
    let error_after = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut file = whole.clone();
        change(&mut file);
        message(file, Options::default())
    };
    // A block with a size that is one byte too large, or too small, or larger than the file.
    for error in [error_after(&|file| file[16] += 1), error_after(&|file| file[16] -= 1)] {
        // The bytes read as the length are random, so it is either too large or wrong.
        let expected = ["a block of ", "damaged compressed data ("];
        let expected =
            expected.map(|found| error.starts_with(&format!("text.tsv: byte 0: found {found}")));
        assert!(expected[0] || expected[1], "{error}");
    }
    assert!(
        error_after(&|file| file[17] = 0xff).contains("byte 0: found truncated compressed data")
    );
    // A length of text that is too large, too small, and larger than the limit.
    for change in [1_u8, 0xff] {
        let error = error_after(&|file| file[first - 4] = file[first - 4].wrapping_add(change));
        assert!(error.contains("byte 0: found damaged compressed data"), "{error}");
    }
    let error = error_after(&|file| file[first - 1] = 0xff);
    assert!(error.contains("more than 65536"), "{error}");
    let error = error_after(&|file| file[first - 8] ^= 1);
    assert!(error.contains("wrong checksum"), "{error}");
    // The bytes after the first block are not a block.
    let error = error_after(&|file| file[first] = b'x');
    assert!(error.contains(&format!("byte {first}: found other bytes")), "{error}");
}

#[test]
fn a_missing_end_is_an_error_with_a_hint() {
    let mut file = bgzf(TEXT, 40);
    file.truncate(file.len() - END.len());
    let error = message(&file, Options::default());
    assert!(error.contains("no empty block at the end"), "{error}");
    assert!(error.contains("bgzip -dc"), "{error}");
}

#[test]
fn members_of_all_kinds_may_be_mixed() {
    let whole = read_text(TEXT).unwrap();
    let (first, second) = TEXT.split_at(37);
    let end = || END.to_vec();
    for file in [
        [bgzf_block(first), bgzf_block(second), end()].concat(),
        [bgzf_block(first), end(), bgzf_block(second), end(), end()].concat(),
        [bgzf_block(first), gzip(second)].concat(),
        [gzip(first), bgzf_block(second)].concat(),
        [gzip(first), gzip(second)].concat(),
    ] {
        assert_eq!(read_text(file).unwrap(), whole);
    }
}

#[test]
fn a_small_file_that_inflates_to_a_large_one_is_read_in_bounded_memory() {
    let mut file: Vec<u8> = Vec::new();
    let block = bgzf_block(&[b'\n'; 65_280]);
    for _ in 0..500 {
        file.extend_from_slice(&block);
        file.extend_from_slice(END);
    }
    file.extend_from_slice(&bgzf_block(b"1\t1\tx\tA\n"));
    file.extend_from_slice(END);
    let error = message(&file, Options::default());
    assert!(error.contains(&format!("line {}, column 5", 500 * 65_280 + 1)), "{error}");
}

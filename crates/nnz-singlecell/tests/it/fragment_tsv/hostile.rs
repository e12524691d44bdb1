//! Damaged files give an error or fragments, and nothing else.

use nnz_singlecell::fragment_tsv::Options;
use nnz_testing::random::Random;

use super::common::{END, bgzf, bgzf_block, gzip, message, read_text};

const TEXT: &[u8] = b"# c\nchr1\t1\t5\tAAAC-1\t1\nchr1\t3\t9\tAAAG-1\t2\nchr2\t3\t9\tAAAC-1\t1\n";

#[test]
fn files_cut_at_any_byte_never_pass_for_whole() {
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
fn a_byte_changed_in_compressed_data_is_noticed_or_harmless() {
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
    let telling = b"0123456789 \t\r\n#-.e\0\x1f\x8b\xffBC";
    for file in [TEXT.to_vec(), gzip(TEXT), bgzf(TEXT, 20)] {
        for _ in 0..2000 {
            let mut file = file.clone();
            for _ in 0..=random.below(4) {
                let at = random.below(file.len());
                match random.below(3) {
                    0 => file[at] = *random.pick(telling),
                    1 => file.insert(at, *random.pick(telling)),
                    _ => drop(file.remove(at)),
                }
            }
            let _ = read_text(&file);
        }
    }
}

#[test]
fn blocks_that_lie_are_refused() {
    let whole = bgzf(TEXT, 40);
    let first = bgzf_block(&TEXT[..40]).len();
    let lie = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut file = whole.clone();
        change(&mut file);
        message(file, Options::default())
    };
    // A block that is said to be one byte longer, or shorter, or longer than the file.
    for said in [lie(&|file| file[16] += 1), lie(&|file| file[16] -= 1)] {
        // What stands where the length should be is as likely too large as it is another.
        let lies = ["a block of ", "damaged compressed data ("];
        let lies = lies.map(|lie| said.starts_with(&format!("text.tsv: byte 0: found {lie}")));
        assert!(lies[0] || lies[1], "{said}");
    }
    assert!(
        lie(&|file| file[17] = 0xff).contains("byte 0: found compressed data that is cut short")
    );
    // More text than is there, less, and more than a block may have.
    for change in [1_u8, 0xff] {
        let said = lie(&|file| file[first - 4] = file[first - 4].wrapping_add(change));
        assert!(said.contains("byte 0: found damaged compressed data"), "{said}");
    }
    let said = lie(&|file| file[first - 1] = 0xff);
    assert!(said.contains("more than 65536"), "{said}");
    let said = lie(&|file| file[first - 8] ^= 1);
    assert!(said.contains("its checksum is another"), "{said}");
    // What follows the first block is none.
    let said = lie(&|file| file[first] = b'x');
    assert!(said.contains(&format!("byte {first}: found other bytes")), "{said}");
}

#[test]
fn a_missing_end_is_an_error_that_says_what_to_do() {
    let mut file = bgzf(TEXT, 40);
    file.truncate(file.len() - END.len());
    let said = message(&file, Options::default());
    assert!(said.contains("no block without text at the end"), "{said}");
    assert!(said.contains("bgzip -dc"), "{said}");
}

#[test]
fn members_of_all_kinds_may_follow_each_other() {
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
fn a_small_file_that_inflates_to_a_large_one_is_read_through_the_same_buffers() {
    let mut file: Vec<u8> = Vec::new();
    let block = bgzf_block(&[b'\n'; 65_280]);
    for _ in 0..500 {
        file.extend_from_slice(&block);
        file.extend_from_slice(END);
    }
    file.extend_from_slice(&bgzf_block(b"1\t1\tx\tA\n"));
    file.extend_from_slice(END);
    let said = message(&file, Options::default());
    assert!(said.contains(&format!("line {}, column 5", 500 * 65_280 + 1)), "{said}");
}

//! Check sums by the polynomial of Castagnoli.

use super::Undecoded;

/// The remainders of one byte, followed by none to seven zero bytes.
const TABLES: [[u32; 256]; 8] = tables();

const fn tables() -> [[u32; 256]; 8] {
    let mut tables = [[0; 256]; 8];
    let mut byte = 0;
    while byte < 256 {
        let mut sum = byte;
        let mut bit = 0;
        while bit < 8 {
            sum = if sum & 1 == 1 { (sum >> 1) ^ 0x82f6_3b78 } else { sum >> 1 };
            bit += 1;
        }
        tables[0][byte as usize] = sum;
        byte += 1;
    }
    let mut zeros = 1;
    while zeros < 8 {
        let mut byte = 0;
        while byte < 256 {
            let before = tables[zeros - 1][byte];
            tables[zeros][byte] = (before >> 8) ^ tables[0][(before & 0xff) as usize];
            byte += 1;
        }
        zeros += 1;
    }
    tables
}

fn sum(bytes: &[u8]) -> u32 {
    let (words, rest) = bytes.as_chunks::<8>();
    let mut sum = u32::MAX;
    for word in words {
        let [a, b, c, d] = sum.to_le_bytes();
        let mixed = [a ^ word[0], b ^ word[1], c ^ word[2], d ^ word[3]];
        let all = mixed.iter().chain(&word[4..]).zip(TABLES.iter().rev());
        sum = all.fold(0, |sum, (byte, table)| sum ^ table[usize::from(*byte)]);
    }
    for byte in rest {
        let [low, ..] = sum.to_le_bytes();
        sum = (sum >> 8) ^ TABLES[0][usize::from(low ^ byte)];
    }
    !sum
}

/// Returns bytes without the check sum behind them, which has to be theirs.
pub(super) fn verified(bytes: &[u8]) -> Result<&[u8], Undecoded> {
    let Some((bytes, expected)) = bytes.split_last_chunk() else {
        return Err(Undecoded::damaged("it lacks its check sum"));
    };
    let (found, expected) = (sum(bytes), u32::from_le_bytes(*expected));
    if found == expected {
        return Ok(bytes);
    }
    Err(Undecoded::Damaged(format!("its check sum is {found:08x}, not {expected:08x}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_rfc_3720() {
        assert_eq!(sum(&[]), 0);
        assert_eq!(sum(&[0; 32]), 0x8a91_36aa);
        assert_eq!(sum(&[0xff; 32]), 0x62a8_ab43);
        assert_eq!(sum(b"123456789"), 0xe306_9283);
    }

    #[test]
    fn a_turned_bit_is_found() {
        let mut bytes = b"123456789\x83\x92\x06\xe3".to_vec();
        assert_eq!(verified(&bytes).unwrap(), b"123456789");
        bytes[3] ^= 4;
        assert!(verified(&bytes).is_err());
        assert!(verified(b"abc").is_err());
    }
}

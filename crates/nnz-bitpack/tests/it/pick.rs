//! `pick`, `all_less` and `take_bits` compared with simple loops.

use nnz_bitpack::{all_less, pick, take_bits};
use proptest::prelude::*;

/// Keys that are close to each other or to the ends of the 32-bit range, each with a value.
fn pairs() -> impl Strategy<Value = Vec<(u32, u32)>> {
    let key = prop_oneof![0..50_u32, u32::MAX - 50..=u32::MAX, any::<u32>()];
    prop::collection::vec((key, any::<u32>()), 0..100)
}

proptest! {
    #[test]
    fn values_with_keys_in_the_range_are_picked(
        pairs in pairs(),
        first in prop_oneof![0..60_u32, u32::MAX - 60..=u32::MAX],
        count in prop_oneof![0..60_u32, Just(u32::MAX)],
        room in 0..120_usize,
    ) {
        let (keys, values): (Vec<u32>, Vec<u32>) = pairs.iter().copied().unzip();
        let range = u64::from(first)..u64::from(first) + u64::from(count);
        // Ranges wrap around.
        let inside = |key: u64| range.contains(&key) || range.contains(&(key + (1 << 32)));
        let looked_at = pairs.iter().take(room);
        let expected: Vec<u32> =
            looked_at.filter(|(key, _)| inside((*key).into())).map(|(_, value)| *value).collect();
        let mut out = vec![7; room];
        let picked = pick(&keys, first, count, &values, &mut out);
        prop_assert_eq!(&out[..picked], expected);
    }

    #[test]
    fn all_less_compares_every_value(pairs in pairs()) {
        let (values, others): (Vec<u32>, Vec<u32>) = pairs.iter().copied().unzip();
        prop_assert_eq!(all_less(&values, &others), pairs.iter().all(|(value, other)| value < other));
        let above: Vec<u32> = values.iter().map(|value| value.saturating_add(1)).collect();
        prop_assert_eq!(all_less(&values, &above), !values.contains(&u32::MAX));
    }

    #[test]
    fn set_bits_are_listed_and_cleared(
        mut words in prop::collection::vec(
            prop_oneof![Just(0), (0..64_u32).prop_map(|bit| 1 << bit), any::<u64>()], 0..20,
        ),
        room in 0..1300_usize,
    ) {
        let set = |at: &u32| words[*at as usize / 64] >> (at % 64) & 1 == 1;
        let bits = u32::try_from(words.len() * 64).unwrap_or(0);
        let expected: Vec<u32> = (0..bits).filter(set).take(room).collect();
        let mut out = vec![7; room];
        let listed = take_bits(&mut words, &mut out);
        prop_assert_eq!(&out[..listed], expected);
        prop_assert!(words.iter().all(|&word| word == 0));
    }
}

#[test]
fn pick_stops_at_the_shorter_of_keys_and_values() {
    let mut out = [0; 64];
    assert_eq!(pick(&[5; 40], 5, 1, &[1; 33], &mut out), 33);
    assert_eq!(pick(&[5; 17], 5, 1, &[1; 33], &mut out), 17);
}

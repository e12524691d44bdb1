//! Classes of counts that share a colour.

/// Returns the least count of each class, ascending: round numbers, such as 1, 2, 5, 10, of which the first is at most
/// `least`, and the others at most `greatest`. There are at most `most` classes.
///
/// ```
/// assert_eq!(nnz_plot::levels(1, 60, 8), [1, 2, 5, 10, 20, 50]);
/// assert_eq!(nnz_plot::levels(1, 3, 8), [1, 2, 3]);
/// ```
#[must_use]
pub fn levels(least: u64, greatest: u64, most: usize) -> Vec<u64> {
    let (least, most) = (least.max(1), most.max(2));
    let greatest = greatest.max(least);
    let within = |all: Vec<u64>| -> Vec<u64> {
        let first = all.iter().rposition(|level| *level <= least).unwrap_or(0);
        all.into_iter().skip(first).filter(|level| *level <= greatest).collect()
    };
    // Equal steps if the counts are of the same order.
    if greatest - least < most as u64 || greatest / 4 < least {
        let span = greatest - least + 1;
        let mut step = 1_u64;
        let mut digits = [2, 5, 10].into_iter().cycle();
        let mut power = 1_u64;
        while span.div_ceil(step) + 1 > most as u64 && span > most as u64 {
            let digit = digits.next().unwrap_or(10);
            step = power.saturating_mul(digit);
            power = if digit == 10 { step } else { power };
        }
        let first = least / step * step;
        let all = (0..=most as u64).filter_map(|n| first.checked_add(n.checked_mul(step)?));
        return within(all.map(|level| level.max(1)).collect());
    }
    let powers = || (0..20).map(|exponent| 10_u64.pow(exponent));
    for digits in [&[1, 2, 5][..], &[1, 3], &[1]] {
        let all = powers()
            .flat_map(|power| digits.iter().filter_map(move |digit| power.checked_mul(*digit)));
        let found = within(all.collect());
        if found.len() <= most {
            return found;
        }
    }
    let mut every = 2;
    loop {
        let found = within(powers().step_by(every).collect());
        if found.len() <= most {
            return found;
        }
        every += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_cover_all_counts() {
        assert_eq!(levels(1, 1, 8), [1]);
        assert_eq!(levels(1, 60_000, 10), [1, 3, 10, 30, 100, 300, 1000, 3000, 10_000, 30_000]);
        assert_eq!(levels(1, 3_000_000, 7), [1, 10, 100, 1000, 10_000, 100_000, 1_000_000]);
        assert_eq!(levels(900, 1100, 8), [900, 950, 1000, 1050, 1100]);
        assert_eq!(levels(7, 60, 8), [5, 10, 20, 50]);
        for least in [1, 2, 9, 10, 99, 12_345, u64::MAX / 2] {
            for greatest in [least, least + 1, least + 7, least.saturating_mul(3), u64::MAX] {
                let found = levels(least, greatest, 8);
                assert!((1..=8).contains(&found.len()), "{least} {greatest}: {found:?}");
                assert!(found[0] <= least && found.is_sorted_by(|a, b| a < b), "{found:?}");
                assert!(found.iter().all(|level| *level <= greatest), "{found:?}");
            }
        }
    }
}

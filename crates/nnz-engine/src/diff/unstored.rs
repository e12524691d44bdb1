//! Elements that are not stored, in a comparison.

use nnz_core::{Header, Order, Scalar, Shape, Storage, Structure};

use super::same;

/// The values of elements that are not stored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Unstored {
    /// Not compared: only stored entries are.
    Passed,
    /// The same fill value in both matrices. Stored entries with this value are skipped.
    One(Scalar),
    /// Different fill values.
    Two([Scalar; 2]),
}

impl Unstored {
    pub(super) fn of(headers: [&Header; 2]) -> Self {
        match headers.map(background) {
            [Some(a), Some(b)] if !same(a, b) => Self::Two([a, b]),
            [Some(value), _] | [None, Some(value)] => Self::One(value),
            [None, None] => Self::One(ZERO),
        }
    }

    /// Returns whether an element has the same value in both. It is `fresh` if no entry of it has been
    /// seen.
    pub(super) fn alike(self, first: Option<Scalar>, second: Option<Scalar>, fresh: bool) -> bool {
        match (first, second, self) {
            (Some(first), Some(second), _) => same(first, second),
            (Some(first), None, Self::Two([_, second])) => fresh && same(first, second),
            (None, Some(second), Self::Two([first, _])) => fresh && same(first, second),
            _ => false,
        }
    }
}

const ZERO: Scalar = Scalar::U8(0);

/// Returns the fill value of a matrix; `None` if all elements are stored.
fn background(header: &Header) -> Option<Scalar> {
    // Some dense formats omit the diagonal of a skew-symmetric matrix.
    let skew = matches!(header.structure, Structure::SkewSymmetric(_));
    let full = header.storage == Storage::Dense && !skew;
    (!full).then(|| header.fill.unwrap_or(ZERO))
}

/// Finds elements that neither matrix stores, if the fill values differ.
pub(super) struct Gaps {
    /// The first element that has not been reached; `None` if such elements are not compared.
    next: Option<(u64, u64)>,
    /// The length of the major and of the minor axis.
    majors: u64,
    minors: u64,
}

impl Gaps {
    pub(super) fn new(shape: Shape, order: Order, unstored: Unstored) -> Self {
        let sought = matches!(unstored, Unstored::Two(_)) && shape.elements() > 0;
        let (majors, minors) = (shape.major(order), shape.minor(order));
        Self { next: sought.then_some((0, 0)), majors, minors }
    }

    /// Reaches a stored element. Returns whether it is reached for the first time, and at most `most`
    /// of the elements skipped before it.
    pub(super) fn reach(&mut self, at: (u64, u64), most: usize) -> (bool, Vec<(u64, u64)>) {
        let fresh = self.next.is_none_or(|next| next <= at);
        let before = self.until(at, most);
        self.next = self.next.map(|_| self.after(at));
        (fresh, before)
    }

    /// Returns at most `most` of the remaining elements.
    pub(super) fn rest(&mut self, most: usize) -> Vec<(u64, u64)> {
        self.until((self.majors, 0), most)
    }

    fn until(&mut self, end: (u64, u64), most: usize) -> Vec<(u64, u64)> {
        let mut elements = Vec::new();
        while let Some(next) = self.next.filter(|next| *next < end && elements.len() < most) {
            elements.push(next);
            self.next = Some(self.after(next));
        }
        elements
    }

    fn after(&self, (major, minor): (u64, u64)) -> (u64, u64) {
        match minor.checked_add(1) {
            Some(minor) if minor < self.minors => (major, minor),
            _ => (major.saturating_add(1), 0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stages::{Builder, DropValue};
    use nnz_core::ValueType;

    #[test]
    fn every_type_has_a_zero() {
        let builder = Builder::new(Order::Row, Shape { rows: 1, cols: 1 });
        for &value_type in ValueType::ALL {
            assert!(DropValue::of_type(builder, value_type, ZERO).is_some(), "{value_type}");
        }
    }

    #[test]
    fn skipped_elements_are_returned() {
        let two = Unstored::Two([Scalar::U8(0), Scalar::U8(1)]);
        let mut gaps = Gaps::new(Shape { rows: 2, cols: 3 }, Order::Row, two);
        assert_eq!(gaps.reach((0, 1), 9), (true, vec![(0, 0)]));
        assert_eq!(gaps.reach((0, 1), 9), (false, vec![]));
        assert_eq!(gaps.reach((1, 1), 1), (true, vec![(0, 2)]));
        assert_eq!(gaps.rest(9), [(1, 2)]);
        let mut longest = Gaps::new(Shape { rows: u64::MAX, cols: u64::MAX }, Order::Col, two);
        let last = u64::MAX - 1;
        assert_eq!(longest.reach((last, last), 0), (true, vec![]));
        assert_eq!(longest.rest(9), []);
        let mut empty = Gaps::new(Shape { rows: 2, cols: 0 }, Order::Row, two);
        assert_eq!(empty.rest(9), []);
    }
}

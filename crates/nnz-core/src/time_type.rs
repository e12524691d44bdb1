//! Dates and durations, stored as integers.

use std::fmt;

/// The units of NumPy, from years to attoseconds.
const UNITS: [&str; 13] = ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as"];

/// A type of dates since 1970 or of durations: `int64` that count a unit, as in NumPy. The smallest integer is a
/// missing value, `NaT`.
///
/// ```
/// use nnz_core::TimeType;
///
/// let dates = TimeType::parse("datetime64[ns]").unwrap();
/// assert_eq!(dates.to_string(), "datetime64[ns]");
/// assert_eq!(dates.code(), "M8[ns]");
/// assert_eq!(TimeType::parse("m8[25us]").unwrap().to_string(), "timedelta64[25us]");
/// assert_eq!(TimeType::parse("M8"), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeType {
    is_duration: bool,
    count: u32,
    unit: &'static str,
}

impl TimeType {
    /// The value of a missing date or duration.
    pub const MISSING: i64 = i64::MIN;

    /// Creates a type from the number and the name of its unit in NumPy; `None` for an unknown unit.
    #[must_use]
    pub fn new(is_duration: bool, count: u32, unit: &str) -> Option<Self> {
        // NumPy stores the number as a 32-bit signed integer.
        let unit = UNITS.into_iter().find(|known| *known == unit)?;
        (count > 0 && i32::try_from(count).is_ok()).then_some(Self { is_duration, count, unit })
    }

    /// Parses a name of NumPy, such as `datetime64[ns]` or `M8[ns]`; `None` if it has no unit.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        let (kind, unit) = name.strip_suffix(']')?.split_once('[')?;
        let is_duration = match kind {
            "datetime64" | "M8" => false,
            "timedelta64" | "m8" => true,
            _ => return None,
        };
        let digits = unit.find(|c: char| !c.is_ascii_digit())?;
        let (count, unit) = unit.split_at_checked(digits)?;
        let count = if count.is_empty() { 1 } else { count.parse().ok()? };
        Self::new(is_duration, count, unit)
    }

    /// Returns whether values are durations.
    #[must_use]
    pub fn is_duration(self) -> bool {
        self.is_duration
    }

    /// Returns the number of units that are counted as one.
    #[must_use]
    pub fn count(self) -> u32 {
        self.count
    }

    /// Returns the unit, such as `ns`.
    #[must_use]
    pub fn unit(self) -> &'static str {
        self.unit
    }

    /// Returns the type code of NumPy without a byte order, such as `M8[ns]`.
    #[must_use]
    pub fn code(self) -> String {
        format!("{}[{}]", if self.is_duration { "m8" } else { "M8" }, self.in_units())
    }

    fn in_units(self) -> String {
        match self.count {
            1 => self.unit.to_owned(),
            count => format!("{count}{}", self.unit),
        }
    }
}

impl fmt::Display for TimeType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if self.is_duration { "timedelta64" } else { "datetime64" };
        write!(f, "{kind}[{}]", self.in_units())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_types_with_a_known_unit_are_parsed() {
        for unit in UNITS {
            assert_eq!(TimeType::parse(&format!("M8[{unit}]")).unwrap().unit(), unit);
        }
        assert_eq!(TimeType::parse("m8[10D]").unwrap().count(), 10);
        for name in ["M8[]", "M8[x]", "M8[0s]", "M8[99999999999s]", "i8[s]", "M8[s", "M8[generic]"]
        {
            assert_eq!(TimeType::parse(name), None, "{name}");
        }
    }
}

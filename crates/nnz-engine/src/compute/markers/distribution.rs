//! Two-sided p-values, precise also where they are tiny.

use std::f64::consts::{FRAC_1_SQRT_2, PI};

/// Returns the probability that a standard normal variable is at least as far from zero.
pub(super) fn normal(z: f64) -> f64 {
    libm::erfc(z.abs() * FRAC_1_SQRT_2)
}

/// Returns the probability that a variable with Student's t distribution is at least as far from zero: the regularized
/// incomplete beta function `I_x(a, 1/2)`, where `a` is half of the degrees of freedom and `x = 1 / (1 + t^2 / freedom)`.
pub(super) fn student(t: f64, freedom: f64) -> f64 {
    let ratio = t * t / freedom;
    if ratio == f64::INFINITY {
        return 0.0;
    }
    let a = freedom / 2.0;
    // The logarithm of 1 / x.
    let log = ratio.ln_1p();
    if a >= LARGE && ratio < 0.4 {
        return by_erfc(a, log);
    }
    let [x, rest] = [1.0 / (1.0 + ratio), ratio / (1.0 + ratio)];
    let power = (-a * log).exp() * rest.sqrt() * gamma_ratio(a) / PI.sqrt();
    match x < (a + 1.0) / (a + 2.5) {
        true => power * fraction(a, 0.5, x) / a,
        false => 1.0 - power * fraction(0.5, a, rest) / 0.5,
    }
}

/// The least `a` of a series in `1 / a`.
const LARGE: f64 = 15.0;

/// Computes `I_x(a, 1/2)` by an asymptotic series in complementary error functions, from Didonato and Morris, *Significant
/// digit computation of the incomplete beta function ratios*, 1992, section 9. Nine terms have 15 digits if `x` is 0.7 or more.
fn by_erfc(a: f64, log: f64) -> f64 {
    /// The numbers `p_n` for `b = 1/2`, by equation 9.3.
    const P: [f64; 9] = [
        -1.0 / 12.0,
        1.0 / 160.0,
        -61.0 / 120_960.0,
        1261.0 / 29_030_400.0,
        -79.0 / 20_275_200.0,
        66_643.0 / 185_980_354_560.0,
        -16_820_653.0 / 502_146_957_312_000.0,
        3_745_813.0 / 1_182_545_215_488_000.0,
        -1_975_649_524_361.0 / 6.539_640_597_978_808e21,
    ];
    let t = a - 0.25;
    let u = t * log;
    let mut power = (u / PI).sqrt() * (-u).exp();
    let mut term = libm::erfc(u.sqrt());
    let mut sum = term;
    let mut b = 0.5;
    for p in P {
        term = (b * (b + 1.0) * term + (u + b + 1.0) * power) / (4.0 * t * t);
        power *= log * log / 4.0;
        b += 2.0;
        sum += p * term;
    }
    sum * gamma_ratio(a) / t.sqrt()
}

/// Returns `Γ(a + 1/2) / Γ(a)`.
fn gamma_ratio(mut a: f64) -> f64 {
    /// The coefficients of its asymptotic series in `1 / a`, divided by the square root of `a`.
    const SERIES: [f64; 9] = [
        1.0,
        -1.0 / 8.0,
        1.0 / 128.0,
        5.0 / 1024.0,
        -21.0 / 32_768.0,
        -399.0 / 262_144.0,
        869.0 / 4_194_304.0,
        39_325.0 / 33_554_432.0,
        -334_477.0 / 2_147_483_648.0,
    ];
    let mut factor = 1.0;
    while a < 25.0 {
        factor *= a / (a + 0.5);
        a += 1.0;
    }
    factor * a.sqrt() * SERIES.iter().rev().fold(0.0, |sum, one| sum / a + one)
}

/// Computes the continued fraction of the incomplete beta function by the method of Lentz.
fn fraction(a: f64, b: f64, x: f64) -> f64 {
    let (mut c, mut d) = (1.0, 1.0 / (1.0 - (a + b) * x / (a + 1.0)));
    let mut product = d;
    // A few dozen are enough, where `x` is below the mean of the distribution.
    for m in (1..=1000).map(f64::from) {
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let before = product;
        for step in [even, odd] {
            d = 1.0 / (1.0 + step * d);
            c = 1.0 + step / c;
            product *= c * d;
        }
        if (product - before).abs() <= f64::EPSILON / 2.0 * product.abs() {
            break;
        }
    }
    product
}

#[cfg(test)]
#[allow(clippy::excessive_precision, reason = "digits of another program")]
mod tests {
    use super::*;

    fn assert_near(found: f64, expected: f64, what: &str) {
        assert!((found - expected).abs() <= 1e-12 * expected, "{what}: {found:e} {expected:e}");
    }

    /// Computed with 60 digits by mpmath.
    #[test]
    fn tails_of_the_normal_distribution_are_precise() {
        for (z, expected) in [
            (0.0, 1.0),
            (0.001, 0.999_202_115_572_177_9),
            (0.5, 0.617_075_077_451_973_8),
            (1.0, 0.317_310_507_862_914_1),
            (3.0, 0.002_699_796_063_260_189),
            (5.5, 3.797_912_493_177_543_6e-8),
            (8.0, 1.244_192_114_854_356_8e-15),
            (12.0, 3.552_964_224_155_358e-33),
            (20.0, 5.507_248_237_212_467_5e-89),
            (30.0, 9.813_427_854_296_374e-198),
            (37.0, 1.145_114_244_504_915_4e-299),
            (40.0, 0.0),
        ] {
            assert_near(normal(z), expected, &z.to_string());
            assert_near(normal(-z), expected, &z.to_string());
        }
    }

    /// Computed with 400 digits by mpmath.
    #[test]
    fn tails_of_the_t_distribution_are_precise() {
        for (t, freedom, expected) in [
            (0.0, 1.0, 1.0),
            (0.25, 1.0, 0.844_041_739_245_261_4),
            (12.7, 1.0, 0.050_024_327_689_344_16),
            (1e5, 1.0, 6.366_197_723_463_607e-6),
            (1e-4, 2.5, 0.999_927_638_255_362_9),
            (1.8, 2.5, 0.187_750_946_248_630_37),
            (30.0, 3.75, 1.320_069_029_023_231_9e-5),
            (1.7, 12.0, 0.114_879_865_395_209_09),
            (2.0, 29.9, 0.054_655_935_186_270_38),
            (60.0, 29.9, 1.006_968_949_487_721_3e-32),
            (0.5, 30.0, 0.620_723_004_885_127_3),
            (2.0, 30.1, 0.054_594_362_133_777_3),
            (3.4, 30.1, 0.001_918_163_034_690_179_6),
            (3.5, 30.1, 0.001_472_264_396_116_706_3),
            (8.0, 31.0, 4.940_263_701_903_379e-9),
            (1.96, 477.25, 0.050_577_266_961_721_43),
            (21.0, 1234.5, 5.817_132_507_223_005e-84),
            (35.0, 4999.0, 3.065_949_576_703_809_4e-240),
            (0.001, 5e4, 0.999_202_119_561_592_7),
            (2.5, 123_456.7, 0.012_420_617_364_739_778),
            (30.0, 1e6, 1.202_009_423_366_343_8e-197),
            (36.0, 1e7, 8.724_520_769_142_929e-284),
            (f64::INFINITY, 7.0, 0.0),
        ] {
            for t in [t, -t] {
                assert_near(student(t, freedom), expected, &format!("{t} {freedom}"));
            }
        }
    }
}

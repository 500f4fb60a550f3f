//! Control plane: random numbers that are functions of (seed, run, column): a study that goes on, or is divided among
//! workers, draws the same.
//!
//! Philox4x32-10 (Salmon, Moraes, Dror and Shaw, *Parallel random numbers: as easy as 1, 2, 3*, SC 2011) maps a counter and a
//! key to 128 bits. The quantiles of the normal distribution are those of algorithm AS 241 (Wichura, *Applied Statistics* 37,
//! 1988).

pub mod sobol;

use fixstep_kernel::math;

/// What a counter is used for: draws of different purposes do not depend on each other.
#[derive(Clone, Copy, Debug)]
pub enum Purpose {
    /// Independent draws.
    Independent = 0,
    /// The order of the strata of a Latin hypercube.
    Order = 1,
    /// The place within a stratum.
    Within = 2,
    /// The bits by which a Sobol sequence is scrambled.
    Scramble = 3,
}

/// 128 random bits.
pub fn philox(mut counter: [u32; 4], mut key: [u32; 2]) -> [u32; 4] {
    let product = |a: u32, b: u32| {
        let whole = u64::from(a) * u64::from(b);
        ((whole >> 32) as u32, whole as u32)
    };
    for round in 0..10 {
        if round > 0 {
            key = [
                key[0].wrapping_add(0x9e37_79b9),
                key[1].wrapping_add(0xbb67_ae85),
            ];
        }
        let (high_0, low_0) = product(0xd251_1f53, counter[0]);
        let (high_1, low_1) = product(0xcd9e_8d57, counter[2]);
        counter = [
            high_1 ^ counter[1] ^ key[0],
            low_1,
            high_0 ^ counter[3] ^ key[1],
            low_0,
        ];
    }
    counter
}

/// 64 random bits.
pub fn bits(seed: u64, purpose: Purpose, column: u32, index: u64) -> u64 {
    let counter = [index as u32, (index >> 32) as u32, column, purpose as u32];
    let [a, b, ..] = philox(counter, [seed as u32, (seed >> 32) as u32]);
    u64::from(a) << 32 | u64::from(b)
}

/// A number between 0 and 1, both excluded.
pub fn unit(seed: u64, purpose: Purpose, column: u32, index: u64) -> f64 {
    // 52 bits and a half: every one of them is a number, so that none rounds to 1.
    ((bits(seed, purpose, column, index) >> 12) as f64 + 0.5) / (1_u64 << 52) as f64
}

/// The column of a Latin hypercube of so many runs: one number in each stratum, in random order.
pub fn stratified(seed: u64, column: u32, runs: usize) -> Vec<f64> {
    let mut order: Vec<u32> = (0..runs as u32).collect();
    for last in (1..runs).rev() {
        let random = u128::from(bits(seed, Purpose::Order, column, last as u64));
        let chosen = (random * (last as u128 + 1)) >> 64;
        order.swap(last, chosen as usize);
    }
    let place = |(run, stratum): (usize, &u32)| {
        let within = unit(seed, Purpose::Within, column, run as u64);
        (f64::from(*stratum) + within) / runs as f64
    };
    order.iter().enumerate().map(place).collect()
}

/// The polynomial with these coefficients, the constant first.
fn polynomial(coefficients: &[f64; 8], x: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, c| sum * x + c)
}

/// The number below which a standard normal number is with this probability, between 0 and 1.
pub fn normal_quantile(probability: f64) -> f64 {
    let q = probability - 0.5;
    if q.abs() <= 0.425 {
        let r = 0.180_625 - q * q;
        return q * polynomial(&MIDDLE[0], r) / polynomial(&MIDDLE[1], r);
    }
    let tail = if q < 0.0 {
        probability
    } else {
        1.0 - probability
    };
    let r = (-math::ln(tail)).sqrt();
    let size = if r <= 5.0 {
        polynomial(&TAIL[0], r - 1.6) / polynomial(&TAIL[1], r - 1.6)
    } else {
        polynomial(&FAR[0], r - 5.0) / polynomial(&FAR[1], r - 5.0)
    };
    if q < 0.0 { -size } else { size }
}

/// The probability that a standard normal number is below `x`: where [`normal_quantile`] gives it, by bisection.
pub fn normal_probability(x: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..80 {
        let middle = f64::midpoint(low, high);
        if middle <= low || middle >= high {
            break;
        }
        if normal_quantile(middle) < x {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

const MIDDLE: [[f64; 8]; 2] = [
    [
        3.387_132_872_796_366_5,
        1.331_416_678_917_843_8e2,
        1.971_590_950_306_551_3e3,
        1.373_169_376_550_946e4,
        4.592_195_393_154_987e4,
        6.726_577_092_700_87e4,
        3.343_057_558_358_813e4,
        2.509_080_928_730_122_7e3,
    ],
    [
        1.0,
        4.231_333_070_160_091e1,
        6.871_870_074_920_579e2,
        5.394_196_021_424_751e3,
        2.121_379_430_158_659_7e4,
        3.930_789_580_009_271e4,
        2.872_908_573_572_194_3e4,
        5.226_495_278_852_854e3,
    ],
];

const TAIL: [[f64; 8]; 2] = [
    [
        1.423_437_110_749_683_5,
        4.630_337_846_156_546,
        5.769_497_221_460_691,
        3.647_848_324_763_204_5,
        1.270_458_252_452_368_4,
        2.417_807_251_774_506e-1,
        2.272_384_498_926_918_4e-2,
        7.745_450_142_783_414e-4,
    ],
    [
        1.0,
        2.053_191_626_637_759,
        1.676_384_830_183_803_8,
        6.897_673_349_851e-1,
        1.481_039_764_274_800_8e-1,
        1.519_866_656_361_645_7e-2,
        5.475_938_084_995_345e-4,
        1.050_750_071_644_416_9e-9,
    ],
];

const FAR: [[f64; 8]; 2] = [
    [
        6.657_904_643_501_103,
        5.463_784_911_164_114,
        1.784_826_539_917_291_3,
        2.965_605_718_285_048_7e-1,
        2.653_218_952_657_612_4e-2,
        1.242_660_947_388_078_4e-3,
        2.711_555_568_743_487_6e-5,
        2.010_334_399_292_288_1e-7,
    ],
    [
        1.0,
        5.998_322_065_558_88e-1,
        1.369_298_809_227_358e-1,
        1.487_536_129_085_061_5e-2,
        7.868_691_311_456_133e-4,
        1.846_318_317_510_054_8e-5,
        1.421_511_758_316_446e-7,
        2.044_263_103_389_939_7e-15,
    ],
];

#[cfg(test)]
mod tests;

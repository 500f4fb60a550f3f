//! Control plane: the symbols that unit strings are made of.

use core::f64::consts::{PI, TAU};

use super::BASE_UNITS;

/// A symbol with its meaning in base units.
pub(super) struct Atom {
    pub(super) symbol: &'static str,
    pub(super) exponents: [i32; BASE_UNITS],
    pub(super) factor: f64,
    pub(super) offset: f64,
    /// Takes SI prefixes.
    pub(super) prefixed: bool,
}

/// SI prefixes; `u` and both Unicode micro signs stand for micro.
pub(super) const PREFIXES: &[(&str, f64)] = &[
    ("da", 1e1),
    ("T", 1e12),
    ("G", 1e9),
    ("M", 1e6),
    ("k", 1e3),
    ("h", 1e2),
    ("d", 1e-1),
    ("c", 1e-2),
    ("m", 1e-3),
    ("u", 1e-6),
    ("\u{b5}", 1e-6),
    ("\u{3bc}", 1e-6),
    ("n", 1e-9),
    ("p", 1e-12),
];

/// An atom that takes SI prefixes.
const fn si(symbol: &'static str, factor: f64, exponents: [i32; BASE_UNITS]) -> Atom {
    Atom {
        symbol,
        exponents,
        factor,
        offset: 0.0,
        prefixed: true,
    }
}

/// An atom without prefixes.
const fn plain(symbol: &'static str, factor: f64, exponents: [i32; BASE_UNITS]) -> Atom {
    Atom {
        prefixed: false,
        ..si(symbol, factor, exponents)
    }
}

/// A temperature scale with its own zero.
const fn scale(symbol: &'static str, factor: f64, offset: f64) -> Atom {
    Atom {
        offset,
        ..plain(symbol, factor, TEMPERATURE)
    }
}

//                                       kg  m  s  A  K mol cd rad
const NONE: [i32; BASE_UNITS] = /*   */ [0, 0, 0, 0, 0, 0, 0, 0];
const MASS: [i32; BASE_UNITS] = /*   */ [1, 0, 0, 0, 0, 0, 0, 0];
const LENGTH: [i32; BASE_UNITS] = /* */ [0, 1, 0, 0, 0, 0, 0, 0];
const TIME: [i32; BASE_UNITS] = /*   */ [0, 0, 1, 0, 0, 0, 0, 0];
const CURRENT: [i32; BASE_UNITS] = /**/ [0, 0, 0, 1, 0, 0, 0, 0];
const TEMPERATURE: [i32; BASE_UNITS] = [0, 0, 0, 0, 1, 0, 0, 0];
const AMOUNT: [i32; BASE_UNITS] = /* */ [0, 0, 0, 0, 0, 1, 0, 0];
const LIGHT: [i32; BASE_UNITS] = /*  */ [0, 0, 0, 0, 0, 0, 1, 0];
const ANGLE: [i32; BASE_UNITS] = /*  */ [0, 0, 0, 0, 0, 0, 0, 1];
const FREQUENCY: [i32; BASE_UNITS] = [0, 0, -1, 0, 0, 0, 0, 0];
const SPIN: [i32; BASE_UNITS] = /*   */ [0, 0, -1, 0, 0, 0, 0, 1];
const SPEED: [i32; BASE_UNITS] = /*  */ [0, 1, -1, 0, 0, 0, 0, 0];
const FORCE: [i32; BASE_UNITS] = /*  */ [1, 1, -2, 0, 0, 0, 0, 0];
const PRESSURE: [i32; BASE_UNITS] = [1, -1, -2, 0, 0, 0, 0, 0];
const ENERGY: [i32; BASE_UNITS] = /* */ [1, 2, -2, 0, 0, 0, 0, 0];
const POWER: [i32; BASE_UNITS] = /*  */ [1, 2, -3, 0, 0, 0, 0, 0];
const VOLUME: [i32; BASE_UNITS] = /* */ [0, 3, 0, 0, 0, 0, 0, 0];
const ACCELERATION: [i32; BASE_UNITS] = [0, 1, -2, 0, 0, 0, 0, 0];

/// Standard gravity [m/s²] (CGPM 1901).
const G0: f64 = 9.806_65;
/// International avoirdupois pound \[kg\] (1959).
const LB: f64 = 0.453_592_37;
/// International foot \[m\] (1959).
const FT: f64 = 0.304_8;

/// All symbols.
pub(super) const ATOMS: &[Atom] = &[
    si("m", 1.0, LENGTH),
    si("g", 1e-3, MASS),
    si("s", 1.0, TIME),
    si("A", 1.0, CURRENT),
    si("K", 1.0, TEMPERATURE),
    si("mol", 1.0, AMOUNT),
    si("cd", 1.0, LIGHT),
    si("rad", 1.0, ANGLE),
    si("N", 1.0, FORCE),
    si("Pa", 1.0, PRESSURE),
    si("bar", 1e5, PRESSURE),
    si("J", 1.0, ENERGY),
    si("W", 1.0, POWER),
    si("Hz", 1.0, FREQUENCY),
    si("V", 1.0, [1, 2, -3, -1, 0, 0, 0, 0]),
    si("Ohm", 1.0, [1, 2, -3, -2, 0, 0, 0, 0]),
    si("C", 1.0, [0, 0, 1, 1, 0, 0, 0, 0]),
    si("F", 1.0, [-1, -2, 4, 2, 0, 0, 0, 0]),
    si("H", 1.0, [1, 2, -2, -2, 0, 0, 0, 0]),
    si("T", 1.0, [1, 0, -2, -1, 0, 0, 0, 0]),
    si("Wb", 1.0, [1, 2, -2, -1, 0, 0, 0, 0]),
    si("l", 1e-3, VOLUME),
    si("L", 1e-3, VOLUME),
    plain("%", 1e-2, NONE),
    plain("ppm", 1e-6, NONE),
    plain("min", 60.0, TIME),
    plain("h", 3600.0, TIME),
    plain("d", 86_400.0, TIME),
    plain("deg", PI / 180.0, ANGLE),
    plain("\u{b0}", PI / 180.0, ANGLE),
    plain("arcmin", PI / 10_800.0, ANGLE),
    plain("arcsec", PI / 648_000.0, ANGLE),
    plain("grad", PI / 200.0, ANGLE),
    plain("rev", TAU, ANGLE),
    plain("rpm", TAU / 60.0, SPIN),
    scale("degC", 1.0, 273.15),
    scale("degF", 5.0 / 9.0, 459.67 * 5.0 / 9.0),
    plain("t", 1e3, MASS),
    plain("tonne", 1e3, MASS),
    plain("lb", LB, MASS),
    plain("lbm", LB, MASS),
    plain("oz", LB / 16.0, MASS),
    plain("slug", LB * G0 / FT, MASS),
    plain("slinch", 12.0 * LB * G0 / FT, MASS),
    plain("in", FT / 12.0, LENGTH),
    plain("ft", FT, LENGTH),
    plain("yd", 3.0 * FT, LENGTH),
    plain("mi", 5280.0 * FT, LENGTH),
    plain("mph", 5280.0 * FT / 3600.0, SPEED),
    plain("kn", 1852.0 / 3600.0, SPEED),
    plain("dyn", 1e-5, FORCE),
    plain("kgf", G0, FORCE),
    plain("lbf", LB * G0, FORCE),
    plain("ozf", LB * G0 / 16.0, FORCE),
    plain("kip", 1e3 * LB * G0, FORCE),
    plain("psi", LB * G0 / ((FT / 12.0) * (FT / 12.0)), PRESSURE),
    plain("atm", 101_325.0, PRESSURE),
    plain("hp", 550.0 * FT * LB * G0, POWER),
    plain("gn", G0, ACCELERATION),
];

//! The rule of Lobatto with five points on [0, 1], exact for polynomials of degree 7 (Abramowitz and Stegun, *Handbook of
//! Mathematical Functions*, 1964, section 25.4.32).

/// (1 − √(3/7))/2.
const INNER: f64 = 0.172_673_164_646_011_43;

/// Place and weight of every point: c_j and b_j of (VAR-11).
pub const POINTS: [(f64, f64); 5] = [
    (0.0, 0.05),
    (INNER, 49.0 / 180.0),
    (0.5, 16.0 / 45.0),
    (1.0 - INNER, 49.0 / 180.0),
    (1.0, 0.05),
];

//! Control plane: curves as they are written in the file.

use super::Expression;
use crate::read::{Entity, schema};

schema! {
    /// A curve in space or in the plane, in the axes of the marker that carries it: through `points`, or
    /// of the expressions `x`, `y`, `z` of a parameter `s` that goes from `from` to `to`. Beyond its ends
    /// an open curve goes on straight.
    Curve {
        /// Name.
        name: String,
        /// Points [length]: two or more, or three of a closed curve, whose last is joined to its first.
        points: Option<Vec<[f64; 3]>>,
        /// Coordinate as an expression of `s` [length].
        x: Option<Expression>,
        /// Coordinate as an expression of `s` [length].
        y: Option<Expression>,
        /// Coordinate as an expression of `s` [length]. Default: 0.
        z: Option<Expression>,
        /// Where the parameter begins.
        from: Option<f64>,
        /// Where the parameter ends.
        to: Option<f64>,
        /// In how many pieces of polynomials the expressions are followed: 2 to 100000. Default: 200.
        pieces: Option<i64>,
        /// Does it end where it begins? Default: false.
        closed: Option<bool>,
        /// Free text; it has no effect.
        description: Option<String>,
    }
}

impl Entity for Curve {
    const KIND: &'static str = "curve";
}

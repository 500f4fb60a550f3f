//! Control plane: curves as they are written in the file.

use super::{Expression, Number};
use crate::read::{Entity, schema};

schema! {
    /// A curve in space or in the plane, in the axes of the marker that carries it. It passes through
    /// `points`, or is given by expressions `x`, `y`, `z` of a parameter `s` between `from` and `to`. An
    /// open curve continues straight beyond its ends.
    Curve {
        /// Name.
        name: String,
        /// Points [length]: two or more. A closed curve has three or more; its last point is joined to
        /// its first.
        points: Option<Vec<[Number; 3]>>,
        /// Coordinate as an expression of `s` and of parameters [length].
        x: Option<Expression>,
        /// Coordinate as an expression of `s` and of parameters [length].
        y: Option<Expression>,
        /// Coordinate as an expression of `s` and of parameters [length]. Default: 0.
        z: Option<Expression>,
        /// Value of the parameter at the start of the curve.
        from: Option<Number>,
        /// Value of the parameter at the end of the curve.
        to: Option<Number>,
        /// Number of polynomial pieces that approximate the expressions: 2 to 100000. Default: 200.
        pieces: Option<i64>,
        /// Is the curve closed? Default: false.
        closed: Option<bool>,
        /// Free text.
        description: Option<String>,
    }
}

impl Entity for Curve {
    const KIND: &'static str = "curve";
}

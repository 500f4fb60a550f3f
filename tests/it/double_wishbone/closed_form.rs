//! The kinematics of a double wishbone in closed form, as `tests/truth/double_wishbone/reference.py` has them, and the travel
//! that leads from the design to a place.

use fixstep_kernel::math::{Mat3, Vec3, cos, sin};
use std::collections::BTreeMap;

const POINTS: [&str; 9] = [
    "upper_fore",
    "upper_aft",
    "upper_ball",
    "lower_fore",
    "lower_aft",
    "lower_ball",
    "tie_inner",
    "tie_outer",
    "wheel_centre",
];

/// A circle: its centre and two half axes.
struct Circle([Vec3; 3]);

impl Circle {
    /// That on which a point turns about a line.
    fn about(point: Vec3, foot: Vec3, axis: Vec3) -> Self {
        let e = axis.normalize();
        let m = foot + e * e.dot(&(point - foot));
        Self([m, point - m, e.cross(&(point - m))])
    }

    /// a, b, c of |p − q| = l: a cos φ + b sin φ = c.
    fn sides(&self, q: Vec3, length: f64) -> [f64; 3] {
        let [m, first, second] = self.0;
        let d = m - q;
        let c = length * length - d.dot(&d) - first.dot(&first);
        [2.0 * d.dot(&first), 2.0 * d.dot(&second), c]
    }

    /// The point at a length from q on the branch of this sign; `None`: none is.
    fn at(&self, q: Vec3, length: f64, sign: f64) -> Option<Vec3> {
        let [a, b, c] = self.sides(q, length);
        let square = a * a + b * b;
        let left = square - c * c;
        if left < 0.0 {
            return None;
        }
        let s = sign * left.sqrt();
        let [m, first, second] = self.0;
        Some(m + first * ((a * c + b * s) / square) + second * ((b * c - a * s) / square))
    }
}

/// A design.
pub(super) struct Corner(BTreeMap<&'static str, Vec3>);

impl Corner {
    /// Is a parameter a coordinate of a hardpoint?
    pub(super) fn has(name: &str) -> bool {
        name.split_once('.')
            .is_some_and(|(point, _)| POINTS.contains(&point))
    }

    /// By all coordinates of hardpoints \[mm\].
    pub(super) fn new(coordinates: &[(String, f64)]) -> Self {
        let mut points: BTreeMap<&'static str, Vec3> =
            POINTS.map(|name| (name, Vec3::zeros())).into();
        for (name, value) in coordinates {
            let (point, axis) = name.split_once('.').unwrap();
            let axis = ["x", "y", "z"].iter().position(|a| *a == axis).unwrap();
            points.get_mut(point).unwrap()[axis] = *value;
        }
        Self(points)
    }

    pub(super) fn point(&self, name: &str) -> Vec3 {
        self.0[name]
    }

    /// The tie rod's outer end and the wheel's centre where the lower arm has turned by an angle.
    fn pose(&self, theta: f64) -> Option<[Vec3; 2]> {
        let p = |name: &str| self.0[name];
        let (u, l, t) = (p("upper_ball"), p("lower_ball"), p("tie_outer"));
        let arm = |name: &str, ball| {
            let (fore, aft) = (p(&format!("{name}_fore")), p(&format!("{name}_aft")));
            Circle::about(ball, aft, fore - aft)
        };
        let Circle([m, first, second]) = arm("lower", l);
        let lower = m + first * cos(theta) + second * sin(theta);
        let upper_circle = arm("upper", u);
        let height = (u - l).norm();
        let sign = upper_circle.sides(l, height)[1].signum();
        let upper = upper_circle.at(lower, height, sign)?;
        let (inner, rod) = (p("tie_inner"), (t - p("tie_inner")).norm());
        let sign = Circle::about(t, l, u - l).sides(inner, rod)[1].signum();
        let z = (upper - lower) / height;
        let along = (t - l).dot(&((u - l) / height));
        let radius = ((t - l).norm_squared() - along * along).sqrt();
        let x = (Vec3::x() - z * z.x).normalize();
        let circle = Circle([lower + z * along, x * radius, z.cross(&x) * radius]);
        let outer = circle.at(inner, rod, sign)?;
        let turn = axes(lower, upper, outer) * axes(l, u, t).transpose();
        Some([outer, lower + turn * (p("wheel_centre") - l)])
    }

    /// The tie rod's outer end at a travel, reached from the design without a jump; `None`: the way ends before.
    pub(super) fn follow(&self, travel: f64) -> Option<Vec3> {
        const WAY: u32 = 400;
        let lift = |theta: f64| {
            let [_, centre] = self.pose(theta)?;
            Some(centre.z - self.0["wheel_centre"].z)
        };
        let (mut theta, mut sense) = (0.0, 0.0);
        for k in 1..=WAY {
            let aim = travel * f64::from(k) / f64::from(WAY);
            let mut settled = false;
            for _ in 0..30 {
                let slope = (lift(theta + 1e-6)? - lift(theta - 1e-6)?) / 2e-6;
                // Beyond a dead point the wheel goes back.
                if sense != 0.0 && slope * sense <= 0.0 {
                    return None;
                }
                sense = slope.signum();
                let by = (aim - lift(theta)?) / slope;
                if by.abs() > 0.1 {
                    return None;
                }
                theta += by;
                if by.abs() < 1e-13 {
                    settled = true;
                    break;
                }
            }
            if !settled && (lift(theta)? - aim).abs() > 1e-8 {
                return None;
            }
        }
        self.pose(theta).map(|[outer, _]| outer)
    }
}

/// The axes of a triangle.
fn axes(lower: Vec3, upper: Vec3, outer: Vec3) -> Mat3 {
    let z = (upper - lower).normalize();
    let x = outer - lower;
    let x = (x - z * z.dot(&x)).normalize();
    Mat3::from_columns(&[x, z.cross(&x), z])
}

//! Control plane: converts the orientations of a model to rotation matrices.

use super::errors::{At, Report};
use super::schema::Turn;
use fixstep_kernel::math::{Mat3, Vec3, cos, sin};

/// Below this sine between two directions they count as parallel.
const PARALLEL: f64 = 1e-9;

/// The axes of a frame in its parent, as columns.
///
/// `origin` is the frame's origin in user units, in the coordinates in which z and x points are
/// given; `angle` is radians per angle unit.
pub(super) fn axes(
    orientation: Option<&Turn>,
    origin: [f64; 3],
    angle: f64,
    at: &At,
    report: &mut Report,
) -> Mat3 {
    match orientation {
        None => Mat3::identity(),
        Some(&Turn::Euler([psi, theta, phi])) => {
            about_z(psi, angle) * about_x(theta, angle) * about_z(phi, angle)
        }
        Some(Turn::Quaternion(q)) => from_quaternion(*q, &at.field("quaternion"), report),
        Some(&Turn::Points { z, x }) => {
            let relative = |p: [f64; 3]| Vec3::from(p) - Vec3::from(origin);
            from_points(relative(z), x.map(relative), at, report)
        }
    }
}

/// Sine and cosine; exact at multiples of a right angle given in degrees.
pub(super) fn sine_cosine(value: f64, factor: f64) -> (f64, f64) {
    let quarters = value / 90.0;
    if factor != 1.0 && quarters == quarters.trunc() {
        return match quarters.rem_euclid(4.0) as u8 {
            0 => (0.0, 1.0),
            1 => (1.0, 0.0),
            2 => (0.0, -1.0),
            _ => (-1.0, 0.0),
        };
    }
    (sin(value * factor), cos(value * factor))
}

fn about_z(value: f64, factor: f64) -> Mat3 {
    let (s, c) = sine_cosine(value, factor);
    Mat3::new(c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0)
}

fn about_x(value: f64, factor: f64) -> Mat3 {
    let (s, c) = sine_cosine(value, factor);
    Mat3::new(1.0, 0.0, 0.0, 0.0, c, -s, 0.0, s, c)
}

fn from_quaternion(q: [f64; 4], at: &At, report: &mut Report) -> Mat3 {
    // Scaled first, so that neither huge nor tiny components overflow in the norm.
    let largest = q.iter().fold(0.0_f64, |m, c| m.max(c.abs()));
    if largest == 0.0 {
        report.add(
            at,
            "the quaternion has zero norm; the identity is [1, 0, 0, 0]",
        );
        return Mat3::identity();
    }
    let [w, x, y, z] = q.map(|c| c / largest);
    let s = 2.0 / (w * w + x * x + y * y + z * z);
    Mat3::new(
        1.0 - s * (y * y + z * z),
        s * (x * y - w * z),
        s * (x * z + w * y),
        s * (x * y + w * z),
        1.0 - s * (x * x + z * z),
        s * (y * z - w * x),
        s * (x * z - w * y),
        s * (y * z + w * x),
        1.0 - s * (x * x + y * y),
    )
}

fn from_points(z: Vec3, x: Option<Vec3>, at: &At, report: &mut Report) -> Mat3 {
    let Some(z) = z
        .try_normalize(0.0)
        .filter(|z| z.iter().all(|c| c.is_finite()))
    else {
        report.add(
            &at.field("z_point"),
            "z_point coincides with the frame's origin, so the z axis has no direction; \
             it is a point in the coordinates of \"position\"",
        );
        return Mat3::identity();
    };
    let x = x.unwrap_or_else(|| most_perpendicular(z));
    let across = x - z * z.dot(&x);
    if across.norm() <= PARALLEL * x.norm() {
        report.add(
            &at.field("x_point"),
            "x_point lies on the z axis, so the x axis has no direction",
        );
        return Mat3::identity();
    }
    let x = across.normalize();
    Mat3::from_columns(&[x, z.cross(&x), z])
}

/// The coordinate axis that is most nearly perpendicular to `z`; the first of equals.
pub(super) fn most_perpendicular(z: Vec3) -> Vec3 {
    let mut best = 0;
    for k in 1..3 {
        if z[k].abs() < z[best].abs() {
            best = k;
        }
    }
    Vec3::ith(best, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::FromJson;
    use crate::schema::Orientation;

    fn frame(json: &str, origin: [f64; 3]) -> (Mat3, String) {
        let mut report = Report::default();
        let at = At::default().field("orientation");
        let value = serde_json::from_str(json).unwrap_or(serde_json::Value::Null);
        let orientation = Orientation::from_json(&value, &at, &mut report);
        let degree = std::f64::consts::PI / 180.0;
        let given = orientation.and_then(|orientation| orientation.numbers());
        let r = axes(given.as_ref(), origin, degree, &at, &mut report);
        (r, report.finish().map_or(String::new(), |e| e.to_string()))
    }

    #[test]
    fn euler_angles_are_body_three_one_three() {
        let (r, _) = frame(r#"{"euler": [90, 90, 0]}"#, [0.0; 3]);
        // z -> first about z (stays), then about the new x (= ground y) to ground x.
        assert_eq!(r * Vec3::z(), Vec3::x());
        assert_eq!(r * Vec3::x(), Vec3::y());
        let (r, _) = frame(r#"{"euler": [30, 50, 70]}"#, [0.0; 3]);
        // Goldstein: R33 = cos theta, R13 = sin psi sin theta, R31 = sin theta sin phi.
        let d = std::f64::consts::PI / 180.0;
        assert!((r[(2, 2)] - cos(50.0 * d)).abs() < 1e-15);
        assert!((r[(0, 2)] - sin(30.0 * d) * sin(50.0 * d)).abs() < 1e-15);
        assert!((r[(2, 0)] - sin(50.0 * d) * sin(70.0 * d)).abs() < 1e-15);
    }

    #[test]
    fn quaternions_are_normalised() {
        let (r, problems) = frame(r#"{"quaternion": [3, 0, 0, 3]}"#, [0.0; 3]);
        assert_eq!(problems, "");
        assert!((r * Vec3::x() - Vec3::y()).norm() < 1e-15);
        let (_, problems) = frame(r#"{"quaternion": [0, 0, 0, 0]}"#, [0.0; 3]);
        assert!(problems.contains("zero norm"));
        let (r, _) = frame(r#"{"quaternion": [1e-300, 0, 0, 1e-300]}"#, [0.0; 3]);
        assert!((r.determinant() - 1.0).abs() < 1e-14);
    }

    #[test]
    fn points_give_right_handed_axes() {
        let (r, problems) = frame(
            r#"{"z_point": [1, 2, 3], "x_point": [1, 1, 9]}"#,
            [1.0, 0.0, 3.0],
        );
        assert_eq!(problems, "");
        assert_eq!(r * Vec3::z(), Vec3::y());
        assert_eq!(r * Vec3::x(), Vec3::z());
        assert!((r.determinant() - 1.0).abs() < 1e-15);
        let (r, _) = frame(r#"{"z_point": [0, 0, 5]}"#, [0.0; 3]);
        assert_eq!(r, Mat3::identity());
    }

    #[test]
    fn degenerate_points_are_reported() {
        let (_, problems) = frame(r#"{"z_point": [1, 2, 3]}"#, [1.0, 2.0, 3.0]);
        assert!(problems.contains("z_point coincides"));
        let (_, problems) = frame(r#"{"z_point": [0, 0, 1], "x_point": [0, 0, 7]}"#, [0.0; 3]);
        assert!(problems.contains("x_point lies on the z axis"));
        let (_, problems) = frame(r#"{"x_point": [0, 0, 7]}"#, [0.0; 3]);
        assert!(problems.contains("must be given"));
    }
}

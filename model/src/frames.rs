//! Control plane: converts the orientations of a model to rotation matrices.

use super::errors::{At, Report};
use super::schema::{Number, Orientation};
use fixstep_kernel::math::Mat3;
use fixstep_kernel::math::axes::{AxesFault, AxesForm};

/// The form of an orientation, and its numbers, each with its place.
///
/// `origin` is the frame's origin in user units, in the coordinates in which z and x points are
/// given; `angle` is radians per angle unit.
pub(super) fn numbers(
    orientation: &Orientation,
    origin: (&[Number; 3], &At),
    angle: f64,
    at: &At,
) -> (AxesForm, Vec<(Number, At)>) {
    let each = |numbers: &[Number], at: &At| -> Vec<(Number, At)> {
        let placed = numbers.iter().enumerate();
        placed.map(|(k, x)| (x.clone(), at.index(k))).collect()
    };
    match orientation {
        Orientation::Euler(angles) => {
            let mut all = each(&angles.euler, &at.field("euler"));
            all.push((Number::Constant(angle), at.clone()));
            (AxesForm::Euler, all)
        }
        Orientation::Quaternion(q) => (
            AxesForm::Quaternion,
            each(&q.quaternion, &at.field("quaternion")),
        ),
        Orientation::Points(points) => {
            let mut all = each(origin.0, origin.1);
            all.extend(each(&points.z_point, &at.field("z_point")));
            match &points.x_point {
                None => (AxesForm::ZPoint, all),
                Some(x) => {
                    all.extend(each(x, &at.field("x_point")));
                    (AxesForm::Points, all)
                }
            }
        }
    }
}

/// Reports why numbers give no axes.
pub(super) fn tell(fault: AxesFault, at: &At, report: &mut Report) {
    let at = match fault.field() {
        "" => at.clone(),
        field => at.field(field),
    };
    report.add(&at, fault.to_string());
}

/// The axes of a frame in its parent, as columns, where all numbers must be plain.
pub(super) fn axes(
    orientation: Option<&Orientation>,
    origin: [f64; 3],
    angle: f64,
    at: &At,
    report: &mut Report,
) -> Mat3 {
    let Some(orientation) = orientation else {
        return Mat3::identity();
    };
    let (form, given) = numbers(orientation, (&origin.map(Number::Constant), at), angle, at);
    let mut plain = Vec::with_capacity(given.len());
    for (number, at) in &given {
        match number {
            Number::Constant(number) => plain.push(*number),
            Number::Expression(_) => {
                let message = "must be a plain number here: the instance around it is turned or mirrored when the model is \
                               read, before parameters have values";
                report.add(at, message);
                return Mat3::identity();
            }
        }
    }
    form.axes(&plain).unwrap_or_else(|fault| {
        tell(fault, at, report);
        Mat3::identity()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::FromJson;
    use fixstep_kernel::math::{Vec3, cos, sin};

    fn frame(json: &str, origin: [f64; 3]) -> (Mat3, String) {
        let mut report = Report::default();
        let at = At::default().field("orientation");
        let value = serde_json::from_str(json).unwrap_or(serde_json::Value::Null);
        let orientation = Orientation::from_json(&value, &at, &mut report);
        let degree = std::f64::consts::PI / 180.0;
        let r = axes(orientation.as_ref(), origin, degree, &at, &mut report);
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

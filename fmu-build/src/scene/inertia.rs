//! Control plane: the ellipsoids of uniform density that have the masses and the inertia of the bodies.

use fixstep_kernel::math::{Mat3, Vec3};
use fixstep_pictures::scene::{Body, Color, Origin, Scene, Solid};
use fixstep_pictures::solids;

use super::place;

const COLOR: Color = [216, 199, 122];
/// What is left of the opacity of the bodies around them.
const FADED: f64 = 0.3;
/// A half axis is at least this part of the longest one: a slender rod is seen.
const SLENDER: f64 = 0.02;
/// Sweeps of Jacobi's rotations; a 3 by 3 matrix needs four or five.
const SWEEPS: usize = 12;

/// Adds the ellipsoid of each body with inertia, and lets the bodies fade around them.
pub fn with_inertia(scene: &mut Scene) {
    for body in scene.bodies.iter_mut().skip(1) {
        for solid in &mut body.solids {
            solid.opacity *= FADED;
        }
        let ellipsoid = ellipsoid(body);
        body.solids.extend(ellipsoid);
    }
}

/// With moments I₁ = m (b² + c²)/5 and so on about its principal axes: a² = 5 (I₂ + I₃ − I₁)/2m.
fn ellipsoid(body: &Body) -> Option<Solid> {
    let mass = body.mass.filter(|mass| *mass > 0.0)?;
    let [xx, yy, zz, xy, xz, yz] = body.inertia;
    // products as in a model: xy = ∫ x y dm
    let tensor = Mat3::new(xx, -xy, -xz, -xy, yy, -yz, -xz, -yz, zz);
    let (moments, axes) = principal(tensor);
    let sum = moments.sum();
    let squares = moments.map(|moment| 2.5 * (sum - 2.0 * moment) / mass);
    let half = squares.map(|square| square.max(0.0).sqrt());
    let longest = half.max();
    if !(longest > 0.0 && longest.is_finite()) {
        return None;
    }
    let half = half.map(|a| a.max(SLENDER * longest));
    let piece = solids::ellipsoid([half[0], half[1], half[2]]);
    Some(Solid {
        name: "inertia".to_owned(),
        origin: Origin::Derived,
        color: Some(COLOR),
        opacity: 0.85,
        ..piece.at(place(body.center, &axes))
    })
}

/// Principal moments, and their axes as columns of a rotation: Jacobi's rotations, of square roots only, so that every
/// platform has the same bits.
fn principal(mut a: Mat3) -> (Vec3, Mat3) {
    let mut axes = Mat3::identity();
    for (p, q) in [(0, 1), (0, 2), (1, 2)]
        .into_iter()
        .cycle()
        .take(3 * SWEEPS)
    {
        if a[(p, q)] == 0.0 {
            continue;
        }
        let theta = (a[(q, q)] - a[(p, p)]) / (2.0 * a[(p, q)]);
        let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
        let c = 1.0 / (t * t + 1.0).sqrt();
        let s = t * c;
        let mut turn = Mat3::identity();
        turn[(p, p)] = c;
        turn[(q, q)] = c;
        turn[(p, q)] = s;
        turn[(q, p)] = -s;
        a = turn.transpose() * a * turn;
        axes *= turn;
    }
    (a.diagonal(), axes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn principal_axes_give_the_tensor_back() {
        let tensor = Mat3::new(4.0, -1.0, 0.5, -1.0, 3.0, 0.25, 0.5, 0.25, 5.0);
        let (moments, axes) = principal(tensor);
        let back = axes * Mat3::from_diagonal(&moments) * axes.transpose();
        assert!((back - tensor).norm() < 1e-14);
        assert!((axes.determinant() - 1.0).abs() < 1e-14);
    }

    #[test]
    fn a_ball_is_as_large_as_it_is() {
        let moment = 0.4 * 3.0 * 0.2 * 0.2;
        let body = Body {
            name: "ball".to_owned(),
            mass: Some(3.0),
            center: Vec3::zeros(),
            inertia: [moment, moment, moment, 0.0, 0.0, 0.0],
            color: COLOR,
            solids: Vec::new(),
            soft: None,
        };
        let solid = ellipsoid(&body);
        let half = solid.map_or([0.0; 3], |solid| solid.scale);
        assert!(half.iter().all(|a| (a - 0.2).abs() < 1e-12), "{half:?}");
        // A point mass has none.
        assert!(
            ellipsoid(&Body {
                inertia: [0.0; 6],
                ..body
            })
            .is_none()
        );
    }
}

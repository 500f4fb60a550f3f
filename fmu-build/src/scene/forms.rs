//! Control plane: shapes that the model names, and solids of its parts, as solids of a scene.

use fixstep_kernel::ids::ParameterId;
use fixstep_kernel::math::Vec3;
use fixstep_model::shapes::{Form, Placed, Shape};
use fixstep_pictures::scene::{Body, Mesh, Solid};
use fixstep_pictures::skin;
use fixstep_pictures::solids::{self, CREASE, Curve, Piece};

use super::{Made, Wire, inside, place, soft};

/// Adds the shapes of the model, with the parameters of this moment.
pub(super) fn add(made: &Made<'_>, bodies: &mut [Body]) {
    let count = made.mechanism.parameters.len();
    let parameters = (0..count).map(|k| made.engine.parameter(ParameterId::from(k)));
    let parameters: Vec<f64> = parameters.collect();
    let mut skins: Vec<Vec<Solid>> = vec![Vec::new(); bodies.len()];
    let mut seen = vec![false; bodies.len()];
    for shape in made.shapes {
        let solid = shape
            .placed(made.mechanism, &parameters)
            .and_then(|placed| solid(made, shape, &placed));
        let number = shape.body.index();
        let (Some(solid), Some(body)) = (solid, bodies.get_mut(number)) else {
            continue;
        };
        // The joints and the skin of a body have the colour of its first shape; ground has none of its own.
        if let (Some(color), false, true) = (solid.color, seen[number], number > 0) {
            body.color = color;
            seen[number] = true;
        }
        if made.soft[number].is_some() && shape.marker.is_none() {
            skins[number].push(solid);
        } else {
            body.solids.push(solid);
        }
    }
    for ((number, solids), body) in skins.iter().enumerate().zip(bodies) {
        let flex = made.mechanism.bodies[number].flexible.as_deref();
        if let (Some(flex), false) = (flex, solids.is_empty()) {
            let wire = Wire::of(&flex.data, &flex.modes);
            let mut soft = skin::soft(&soft::field(flex, &wire), solids);
            soft.stresses = soft::stresses(&flex.data, &flex.modes, &soft);
            body.soft = Some(soft);
        }
    }
}

/// A shape as a solid; `None`: it has no surface.
fn solid(made: &Made<'_>, shape: &Shape, placed: &Placed) -> Option<Solid> {
    let own = place(placed.position, &placed.axes);
    let at = match (ends(made, &placed.form), shape.marker) {
        (Some([from, to]), _) => solids::between(&from, &to).0,
        (None, Some(marker)) => inside(&made.marker(marker).1, &own),
        (None, None) => own,
    };
    Some(Solid {
        name: shape.name.clone(),
        color: shape.color,
        opacity: shape.opacity,
        ..piece(made, &placed.form)?.at(at)
    })
}

/// The ends of a link, in the axes of the body.
fn ends(made: &Made<'_>, form: &Form) -> Option<[Vec3; 2]> {
    match form {
        Form::Link { ends, .. } => Some(ends.map(|id| made.marker(id).1.position)),
        _ => None,
    }
}

/// The surface of a form; `None`: its figure crosses itself.
fn piece(made: &Made<'_>, form: &Form) -> Option<Piece> {
    let detail = made.detail;
    Some(match form {
        Form::Box { size, round } if *round > 0.0 => {
            Piece::of(solids::plate(size[0], size[1], size[2], *round))
        }
        Form::Box { size, .. } => solids::block(*size),
        Form::Ellipsoid(radii) => solids::ellipsoid_of(*radii, detail),
        Form::Cylinder {
            radius,
            length,
            inner_radius,
        } if *inner_radius > 0.0 => {
            Piece::of(solids::tube_of(*radius, *inner_radius, *length, detail))
        }
        Form::Cylinder { radius, length, .. } => solids::cylinder_of(*radius, *length, detail),
        Form::Capsule { radius, length } => Piece::of(solids::capsule_of(*radius, *length, detail)),
        Form::Cone {
            radius,
            top_radius,
            length,
        } => Piece::of(solids::frustum_of(*radius, *top_radius, *length, detail)),
        Form::Link {
            radius, thickness, ..
        } => {
            let [from, to] = ends(made, form)?;
            let length = (to - from).norm();
            match thickness {
                Some(thickness) => flat(length, *radius, *thickness),
                None => Piece::of(solids::capsule_of(*radius, length, detail)),
            }
        }
        Form::Extrusion { points, length } => {
            Piece::of(solids::extrusion(points, &[], *length, CREASE)?)
        }
        Form::Revolution(points) => Piece::of(revolved(points)),
        Form::Mesh(surface) => {
            let corner = |k: usize| Vec3::from(surface.points[k]);
            let corners = surface.triangles.iter().map(|t| t.map(corner));
            let corners: Vec<[Vec3; 3]> = corners.collect();
            Piece::of(solids::from_triangles(&corners, CREASE))
        }
    })
}

/// A flat bar along z with round ends: its width is along x, its thickness along y.
fn flat(length: f64, radius: f64, thickness: f64) -> Piece {
    let mut mesh = solids::plate(length + 2.0 * radius, 2.0 * radius, thickness, radius);
    // From length along x, width along y, thickness along z.
    let turn = |p: &mut [f32; 3]| *p = [p[1], p[2], p[0]];
    mesh.points.iter_mut().for_each(turn);
    mesh.normals.iter_mut().for_each(turn);
    Piece::of(mesh)
}

/// A figure that turns about the axis: closed, if its ends meet.
fn revolved(points: &[[f64; 2]]) -> Mesh {
    let closed = points.len() > 2 && points.first() == points.last();
    let (points, curve) = if closed {
        (&points[1..], Curve::Closed)
    } else {
        (points, Curve::Open)
    };
    solids::revolution(points, curve, 64, CREASE)
}

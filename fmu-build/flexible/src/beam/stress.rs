//! Control plane: stress of each mode at points of a beam's sections.
//!
//! At a point y, z of a section, in the axes of the section:
//!
//! ```text
//! σxx = E (u′ − y θz′ + z θy′),   τxy = −G z θx′,   τzx = G y θx′             (BEA-5)
//! ```
//! The shear stress of torsion is included for round sections only. A point of the line takes the stress of the element
//! that ends there, the first point that of the element that begins there. Results are in the axes of the model.

use fixstep_kernel::flex::TensorPoint;
use fixstep_kernel::math::Mat3;

use super::element::Element;
use super::input::{Beams, StressPoint};
use super::mesh::Mesh;

/// Stress of each mode at the requested points.
pub fn stresses(mesh: &Mesh, beams: &Beams, modes: &[Vec<f64>]) -> Vec<TensorPoint> {
    let point = |at: &StressPoint| {
        let node = mesh.points[at.point];
        let (element, xi) = if node == 0 {
            (&mesh.elements[0], 0.0)
        } else {
            (&mesh.elements[node - 1], 1.0)
        };
        TensorPoint {
            name: at.name.clone(),
            values: modes
                .iter()
                .map(|mode| stress(element, xi, at.place, mode))
                .collect(),
        }
    };
    beams.stresses.iter().map(point).collect()
}

/// Stress xx, yy, zz, xy, yz, zx of a mode in the axes of the model, by (BEA-5).
fn stress(element: &Element, xi: f64, [y, z]: [f64; 2], mode: &[f64]) -> [f64; 6] {
    let (f, x) = (element.fields(xi), element.own(Mesh::ends(element, mode)));
    let (slope, curvature) = (f.slope * x, f.curvature * x);
    let m = &element.material;
    let axial = m.youngs_modulus * (slope.x - y * curvature.z + z * curvature.y);
    let twist = if element.section.round {
        m.shear_modulus * curvature.x
    } else {
        0.0
    };
    let (xy, zx) = (-z * twist, y * twist);
    #[rustfmt::skip]
    let own = Mat3::new(
        axial, xy, zx,
        xy, 0.0, 0.0,
        zx, 0.0, 0.0,
    );
    let s = element.axes * own * element.axes.transpose();
    [
        s[(0, 0)],
        s[(1, 1)],
        s[(2, 2)],
        s[(0, 1)],
        s[(1, 2)],
        s[(2, 0)],
    ]
}

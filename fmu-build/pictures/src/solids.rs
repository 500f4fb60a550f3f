//! Control plane: surfaces of shapes. Each is closed, its triangles are anticlockwise seen from outside, and a sharp edge
//! has a corner for each side.
//!
//! An axis of symmetry is z; a shape stands about its middle unless its comment says otherwise. Shapes that differ by a
//! scale only share one surface: see [`Piece`].

mod builder;
mod ears;
mod extruded;
mod raw;
mod revolved;
mod swept;
mod wheel;

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use fixstep_kernel::math::rotation::{matrix, quaternion};
use fixstep_kernel::math::{Mat3, Vec3};

pub use extruded::{extrusion, i_bar, plate};
pub use raw::{from_triangles, height_map};
pub use revolved::{
    Curve, arrow, capsule, capsule_of, damper, frustum, frustum_of, revolution, tube, tube_of,
};
pub use swept::{coil, rope, sweep, torque_arrow};
pub use wheel::{rim, tyre};

use crate::scene::{Color, Mesh, Origin, Place, Solid};

/// Edges that bend by less than this are round \[rad\].
pub const CREASE: f64 = 0.6;

/// Corners around a circle.
pub const AROUND: usize = 40;

/// Corners around the balls of joints: a mechanism has many, and they are small.
const BALL: usize = 28;

/// How finely round shapes are divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// For pictures that a shape may fill.
    Fine,
    /// For joints.
    Small,
    /// For scenes of hundreds of small shapes.
    Coarse,
}

impl Detail {
    /// Corners around a circle, and around what is round both ways.
    const fn corners(self) -> [usize; 2] {
        match self {
            Self::Fine => [AROUND, AROUND],
            Self::Small => [AROUND, BALL],
            Self::Coarse => [16, 12],
        }
    }
}

/// A surface and its factors along the axes.
#[derive(Clone, Debug)]
pub struct Piece {
    /// The surface, shared by all pieces of its kind.
    pub mesh: Arc<Mesh>,
    /// The factors.
    pub scale: [f64; 3],
}

impl Piece {
    /// A surface as it is.
    pub fn of(mesh: Mesh) -> Self {
        Piece {
            mesh: Arc::new(mesh),
            scale: [1.0; 3],
        }
    }

    /// A solid of it at a place, without a name or a colour of its own.
    pub fn at(self, place: Place) -> Solid {
        Solid {
            name: String::new(),
            origin: Origin::Shape,
            mesh: self.mesh,
            scale: self.scale,
            place,
            color: None,
            opacity: 1.0,
        }
    }
}

/// A surface that is made once.
fn shared(kept: &'static OnceLock<Arc<Mesh>>, make: impl FnOnce() -> Mesh) -> Arc<Mesh> {
    Arc::clone(kept.get_or_init(|| Arc::new(make())))
}

/// A box, by its edges \[m\].
pub fn block(edges: [f64; 3]) -> Piece {
    static UNIT: OnceLock<Arc<Mesh>> = OnceLock::new();
    Piece {
        mesh: shared(&UNIT, builder::cube),
        scale: edges,
    }
}

/// An ellipsoid, by its half axes \[m\].
pub fn ellipsoid(half_axes: [f64; 3]) -> Piece {
    ellipsoid_of(half_axes, Detail::Fine)
}

/// The same in another detail.
pub fn ellipsoid_of(half_axes: [f64; 3], detail: Detail) -> Piece {
    static UNITS: [OnceLock<Arc<Mesh>>; 3] = [const { OnceLock::new() }; 3];
    Piece {
        mesh: shared(&UNITS[detail as usize], || revolved::ball(detail)),
        scale: half_axes,
    }
}

/// A sphere \[m\].
pub fn sphere(radius: f64) -> Piece {
    ellipsoid([radius; 3])
}

/// A cylinder about z \[m\].
pub fn cylinder(radius: f64, length: f64) -> Piece {
    cylinder_of(radius, length, Detail::Fine)
}

/// The same in another detail.
pub fn cylinder_of(radius: f64, length: f64, detail: Detail) -> Piece {
    static UNITS: [OnceLock<Arc<Mesh>>; 3] = [const { OnceLock::new() }; 3];
    let make = || frustum_of(1.0, 1.0, 1.0, detail);
    Piece {
        mesh: shared(&UNITS[detail as usize], make),
        scale: [radius, radius, length],
    }
}

/// A cone about z: its tip is at +length/2 \[m\].
pub fn cone(radius: f64, length: f64) -> Piece {
    static UNIT: OnceLock<Arc<Mesh>> = OnceLock::new();
    Piece {
        mesh: shared(&UNIT, || revolved::frustum(1.0, 0.0, 1.0)),
        scale: [radius, radius, length],
    }
}

/// The section of a bar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    /// Round, with rounded ends.
    Round,
    /// I-shaped, its web across x.
    I,
}

/// A bar between two points; `size` is the radius of a round section and half of the height of an I \[m\]. Points that
/// coincide are joined by a ball.
pub fn link(from: &Vec3, to: &Vec3, size: f64, section: Section) -> Solid {
    let (place, length) = between(from, to);
    let piece = match section {
        Section::Round => Piece::of(capsule(size, length)),
        Section::I if length > 0.0 => Piece::of(i_bar(2.0 * size, 1.4 * size, 0.3 * size, length)),
        Section::I => sphere(size),
    };
    piece.at(place)
}

/// Three arrows along the axes: red, green, blue.
pub fn triad(length: f64) -> Vec<Solid> {
    static UNIT: OnceLock<Arc<Mesh>> = OnceLock::new();
    let mesh = shared(&UNIT, || arrow(1.0, 0.035));
    let colors: [Color; 3] = [[214, 57, 57], [62, 156, 72], [55, 102, 214]];
    (0..3)
        .map(|k| {
            let axis = Vec3::from_fn(|row, _| if row == k { 1.0 } else { 0.0 });
            Solid {
                name: ["x", "y", "z"][k].to_owned(),
                color: Some(colors[k]),
                ..Piece {
                    mesh: Arc::clone(&mesh),
                    scale: [length; 3],
                }
                .at(Place {
                    position: Vec3::zeros(),
                    rotation: turned_to(&axis),
                })
            }
        })
        .collect()
}

/// The middle of two points with z from the first to the second, and their distance.
pub fn between(from: &Vec3, to: &Vec3) -> (Place, f64) {
    let along = to - from;
    let place = Place {
        position: (from + to) * 0.5,
        rotation: turned_to(&along),
    };
    (place, along.norm())
}

/// A rotation that takes z to a direction; none for a vector without one. The x axis follows without a jump while the
/// direction stays away from the x axis of ground.
pub fn turned_to(direction: &Vec3) -> [f64; 4] {
    let length = direction.norm();
    if !(length > 0.0 && length.is_finite()) {
        return [1.0, 0.0, 0.0, 0.0];
    }
    quaternion(&axes_along(&(direction / length)))
}

/// Axes whose z is a unit vector.
pub(crate) fn axes_along(z: &Vec3) -> Mat3 {
    let x = if z[0].abs() < 0.9 {
        Vec3::x()
    } else {
        -Vec3::z()
    };
    let y = z.cross(&x).normalize();
    Mat3::from_columns(&[y.cross(z), y, *z])
}

/// Is each edge of a surface there once in each direction? Corners in one place count as one.
pub fn is_closed(mesh: &Mesh) -> bool {
    let mut known = BTreeMap::new();
    let places: Vec<u32> = mesh
        .points
        .iter()
        .map(|p| {
            let next = known.len() as u32;
            *known.entry(p.map(|x| (x + 0.0).to_bits())).or_insert(next)
        })
        .collect();
    let mut edges: Vec<[u32; 2]> = Vec::with_capacity(3 * mesh.triangles.len());
    for triangle in &mesh.triangles {
        let [a, b, c] = triangle.map(|k| places[k as usize]);
        edges.extend([[a, b], [b, c], [c, a]]);
    }
    edges.sort_unstable();
    let once = edges.windows(2).all(|pair| pair[0] != pair[1]);
    once && edges
        .iter()
        .all(|&[a, b]| edges.binary_search(&[b, a]).is_ok())
}

/// A point of a place's axes in the axes around them.
pub fn moved(place: &Place, point: &Vec3) -> Vec3 {
    place.position + matrix(&place.rotation) * point
}

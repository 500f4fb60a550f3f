//! Control plane: what is drawn, as plain data in metres: bodies with solids in their axes, links between bodies, arrows,
//! and a film of their motion.
//!
//! A body's axes stand in its reference point. Places in ground follow from the film, never from here.

use std::sync::Arc;

use fixstep_kernel::math::Vec3;

/// A surface of triangles.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Corners \[m\]; a corner with two normals is there twice.
    pub points: Vec<[f32; 3]>,
    /// The outward direction at each corner, of length 1.
    pub normals: Vec<[f32; 3]>,
    /// Corners of each triangle, anticlockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

/// A colour: red, green, blue from 0 to 255, as a screen shows them (sRGB).
pub type Color = [u8; 3];

/// Why a solid is in the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// The model names it.
    Shape,
    /// Drawn from markers, or from mass and inertia, where the model names no shape.
    Derived,
    /// A shape of a contact.
    Contact,
    /// A tyre.
    Tyre,
    /// A road, or another surface that stands still.
    Road,
    /// A joint.
    Joint,
    /// A curve: the outline of a cam, a rail.
    Curve,
}

/// A place in the axes of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// \[m\].
    pub position: Vec3,
    /// A unit quaternion: w, x, y, z.
    pub rotation: [f64; 4],
}

/// A solid that is fixed to a body.
#[derive(Clone, Debug)]
pub struct Solid {
    /// Its name, which may be empty.
    pub name: String,
    /// Why it is here.
    pub origin: Origin,
    /// Its surface, shared by all solids that look alike.
    pub mesh: Arc<Mesh>,
    /// The factors of the mesh along its axes.
    pub scale: [f64; 3],
    /// Where its axes are.
    pub place: Place,
    /// Its colour, unless it has that of its body.
    pub color: Option<Color>,
    /// From 0, not seen, to 1.
    pub opacity: f64,
}

/// How a flexible body deforms.
#[derive(Clone, Debug)]
pub struct Soft {
    /// Its surface, undeformed.
    pub mesh: Mesh,
    /// Lines of what has no surface (beams): corners in the order of the lines.
    pub lines: Vec<Vec<[f32; 3]>>,
    /// Displacement of each corner of the mesh by each mode, then of each corner of the lines \[m per unit of the modal
    /// coordinate\].
    pub modes: Vec<Vec<[f32; 3]>>,
    /// The von-Mises stress needs all components of the stress at each corner, by mode (xx, yy, zz, xy, yz, zx) \[Pa\], if
    /// they are known.
    pub stresses: Option<Vec<Vec<[f32; 6]>>>,
}

/// A body.
#[derive(Clone, Debug)]
pub struct Body {
    /// Its name; the first body is ground.
    pub name: String,
    /// \[kg\]; none for ground.
    pub mass: Option<f64>,
    /// Centre of mass in its axes \[m\].
    pub center: Vec3,
    /// xx, yy, zz, xy, xz, yz about the centre, in its axes \[kg m²\].
    pub inertia: [f64; 6],
    /// Its colour.
    pub color: Color,
    /// What is fixed to it.
    pub solids: Vec<Solid>,
    /// How it deforms, if it does.
    pub soft: Option<Soft>,
}

/// A point of a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// The number of the body.
    pub body: usize,
    /// In its axes, undeformed \[m\].
    pub position: Vec3,
    /// Displacement of the point by each mode of its body \[m\]; empty on a rigid body.
    pub modes: Vec<[f32; 3]>,
}

/// What a link looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LinkKind {
    /// A coil that stretches.
    Spring,
    /// A tube in a tube.
    Damper,
    /// A coil around a damper.
    Strut,
    /// A line: a rope through all points.
    Rope,
    /// A dashed line: a force between two points, of no other shape.
    Line,
}

/// What stretches between points of bodies.
#[derive(Clone, Debug)]
pub struct Link {
    /// The name of its force.
    pub name: String,
    /// What it looks like.
    pub kind: LinkKind,
    /// Two points; a rope may have more.
    pub points: Vec<Point>,
    /// Of the coil, the tube or the rope \[m\].
    pub radius: f64,
}

/// What an arrow stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArrowKind {
    /// A force \[N\].
    Force,
    /// A torque \[N m\].
    Torque,
}

/// A force or a torque on a body, whose vector is in the film.
#[derive(Clone, Debug)]
pub struct Arrow {
    /// The name of its force or joint.
    pub name: String,
    /// Force or torque.
    pub kind: ArrowKind,
    /// Is it the reaction of a joint or of a motion?
    pub reaction: bool,
    /// Is it what a motion needs?
    pub drives: bool,
    /// Where it acts, unless a frame tells another place.
    pub at: Point,
    /// The body that pushes or pulls; none: it acts on one body alone.
    pub from: Option<usize>,
}

/// A joint.
#[derive(Clone, Debug)]
pub struct Joint {
    /// Its name.
    pub name: String,
    /// Its type, as a model writes it.
    pub kind: String,
    /// The body of marker I and the marker's place.
    pub i: (usize, Place),
    /// The body of marker J and the marker's place.
    pub j: (usize, Place),
}

/// What is drawn.
#[derive(Clone, Debug)]
pub struct Scene {
    /// The title.
    pub title: String,
    /// Upwards: against gravity; of length 1.
    pub up: Vec3,
    /// A length that is typical of the mechanism \[m\].
    pub size: f64,
    /// Ground is the first.
    pub bodies: Vec<Body>,
    /// What stretches.
    pub links: Vec<Link>,
    /// Forces, torques and reactions.
    pub arrows: Vec<Arrow>,
    /// Joints.
    pub joints: Vec<Joint>,
    /// The height above the origin of ground of what bodies stand on, if that is a level plane below which nothing is drawn \[m\].
    pub floor: Option<f64>,
    /// The body that a camera follows, unless told otherwise: ground, or the main body of a mechanism that travels.
    pub follow: usize,
}

/// The state of a body in a frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Pose {
    /// Where its axes are, in ground.
    pub place: Place,
    /// Modal coordinates of a flexible body.
    pub modal: Vec<f64>,
}

/// All at one time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// \[s\].
    pub time: f64,
    /// By body.
    pub poses: Vec<Pose>,
    /// By arrow, in ground \[N, N m\].
    pub arrows: Vec<[f64; 3]>,
    /// By arrow, in ground: where it acts, if that is no point of its body, as in a contact. May be shorter than the arrows.
    pub spots: Vec<Option<[f64; 3]>>,
    /// By body: the velocity of the origin of its axes and its angular velocity, in ground [m/s, rad/s]; empty: not known.
    pub rates: Vec<[Vec3; 2]>,
}

/// A film: frames in the order of time.
pub type Film = Vec<Frame>;

//! Data plane: kinematic measures between markers (displacements, angles, velocities, accelerations): values and
//! gradients.
//!
//! With d = p_I − p_J and derivatives seen in the frame of marker L (docs/theory/kinematics.md):
//!
//! ```text
//! v_L = ḋ − Ω_L×d                                     (MEA-1)
//! a_L = d̈ − α_L×d − 2 Ω_L×ḋ + Ω_L×(Ω_L×d)             (MEA-2)
//! ω_L = Ω_I − Ω_J,   ω̇_L = α_I − α_J − Ω_L×(Ω_I − Ω_J) (MEA-3)
//! ```
//! Components refer to the axes of a marker K. (MEA-4) is the angle between the lines from J to I and from J to K.
//! Definitions follow Adams' function reference.

use crate::elements::angle::{
    Angle, AngleDefinition, angle, angle_rates, dot_rates, normal_slopes, principal, sine_between,
    unwrap,
};
use crate::elements::curves::PairScalar;
use crate::elements::kinematics::{Cotangent, MarkerKinematics};
use crate::expr::TimeJet;
#[cfg(not(feature = "std"))]
use crate::math::Float as _;
use crate::math::rotation::{skew, skew_skew};
use crate::math::{Mat3, Vec3, asin, atan2};
use crate::mechanism::KinematicMeasure;

/// The four markers of a measure: I, J, axes K, frame L.
pub type Markers<'a> = [&'a MarkerKinematics; 4];

/// Gradients in the four markers of a measure.
pub type Cotangents = [Cotangent; 4];

/// A vector whose component or magnitude a measure takes.
enum VectorKind {
    Displacement,
    Velocity,
    Acceleration,
    AngularVelocity,
    AngularAcceleration,
}

/// How a measure takes a number from the vector.
enum Take {
    Component(u8),
    Magnitude,
}

/// How a measure is built.
enum Shape {
    Vector(VectorKind, Take),
    SeparationRate,
    /// An angle from two dot products; `true`: it counts full turns.
    Angle(AngleDefinition, bool),
    /// The angle between the z axes.
    Theta,
    /// asin(x_I·z_J).
    Pitch,
    /// A component of the unit vector from J to I.
    Line(u8),
    /// The angle at J between I and K.
    Included,
    /// Nothing.
    Zero,
}

/// Below this sine of the angle between the first and the third axis of a sequence, the two count as parallel.
const MERGED: f64 = 1e-10;

/// The first or third angle of a sequence. If its axes are parallel only one rotation remains: the first angle takes
/// it (`whole`), the third is zero.
fn of_sequence(def: AngleDefinition, whole: Option<AngleDefinition>, m: &Markers<'_>) -> Shape {
    if sine_between(&def, m[0], m[1]) > MERGED {
        return Shape::Angle(def, false);
    }
    whole.map_or(Shape::Zero, |def| Shape::Angle(def, false))
}

fn shape(measure: KinematicMeasure, markers: &Markers<'_>) -> Shape {
    use KinematicMeasure as M;
    match measure {
        M::Displacement(k) => Shape::Vector(VectorKind::Displacement, Take::Component(k)),
        M::Distance => Shape::Vector(VectorKind::Displacement, Take::Magnitude),
        M::Velocity(k) => Shape::Vector(VectorKind::Velocity, Take::Component(k)),
        M::Speed => Shape::Vector(VectorKind::Velocity, Take::Magnitude),
        M::SeparationRate => Shape::SeparationRate,
        M::Acceleration(k) => Shape::Vector(VectorKind::Acceleration, Take::Component(k)),
        M::AccelerationMagnitude => Shape::Vector(VectorKind::Acceleration, Take::Magnitude),
        M::AngularVelocity(k) => Shape::Vector(VectorKind::AngularVelocity, Take::Component(k)),
        M::AngularSpeed => Shape::Vector(VectorKind::AngularVelocity, Take::Magnitude),
        M::AngularAcceleration(k) => {
            Shape::Vector(VectorKind::AngularAcceleration, Take::Component(k))
        }
        M::AngularAccelerationMagnitude => {
            Shape::Vector(VectorKind::AngularAcceleration, Take::Magnitude)
        }
        M::Angle(k) => Shape::Angle(AngleDefinition::about(k), true),
        M::Body313(0) => of_sequence(AngleDefinition::PSI, Some(AngleDefinition::Z), markers),
        M::Body313(1) => Shape::Theta,
        M::Body313(_) => of_sequence(AngleDefinition::PHI, None, markers),
        M::YawPitchRoll(0) => {
            of_sequence(AngleDefinition::Z, Some(AngleDefinition::UPRIGHT), markers)
        }
        M::YawPitchRoll(1) => Shape::Pitch,
        M::YawPitchRoll(_) => of_sequence(AngleDefinition::ROLL, None, markers),
        M::Direction(k) => Shape::Line(k),
        M::IncludedAngle => Shape::Included,
    }
}

/// The angle whose full turns the measure counts.
pub fn counted_angle(measure: KinematicMeasure) -> Option<AngleDefinition> {
    match measure {
        KinematicMeasure::Angle(k) => Some(AngleDefinition::about(k)),
        _ => None,
    }
}

fn vector(kind: &VectorKind, [i, j, _, l]: &Markers<'_>) -> Vec3 {
    let d = i.p - j.p;
    let d1 = i.v - j.v;
    match kind {
        VectorKind::Displacement => d,
        VectorKind::Velocity => d1 - l.omega.cross(&d),
        VectorKind::Acceleration => {
            i.a - j.a - l.alpha.cross(&d) - l.omega.cross(&d1) * 2.0
                + l.omega.cross(&l.omega.cross(&d))
        }
        VectorKind::AngularVelocity => i.omega - j.omega,
        VectorKind::AngularAcceleration => i.alpha - j.alpha - l.omega.cross(&(i.omega - j.omega)),
    }
}

/// The value of a measure \[SI\]; `memory` is the last accepted value of one that counts turns.
pub fn value(measure: KinematicMeasure, markers: &Markers<'_>, memory: f64) -> f64 {
    let [i, j, k, _] = markers;
    match shape(measure, markers) {
        Shape::Vector(kind, Take::Component(c)) => vector(&kind, markers).dot(&k.axis(c)),
        Shape::Vector(kind, Take::Magnitude) => vector(&kind, markers).norm(),
        Shape::SeparationRate => direction(&(i.p - j.p)).dot(&(i.v - j.v)),
        Shape::Angle(def, false) => principal(&def, i, j),
        Shape::Angle(def, true) => unwrap(principal(&def, i, j), memory),
        Shape::Theta => {
            let (zi, zj) = (i.axis(2), j.axis(2));
            atan2(zi.cross(&zj).norm(), zi.dot(&zj))
        }
        Shape::Pitch => asin(i.axis(0).dot(&j.axis(2)).clamp(-1.0, 1.0)),
        Shape::Line(c) => direction(&(i.p - j.p)).dot(&k.axis(c)),
        Shape::Included => {
            let (a, b) = (i.p - j.p, k.p - j.p);
            atan2(a.cross(&b).norm(), a.dot(&b))
        }
        Shape::Zero => 0.0,
    }
}

/// Unit vector, or zero for a zero vector.
fn direction(d: &Vec3) -> Vec3 {
    let length = d.norm();
    if length > 0.0 {
        d / length
    } else {
        Vec3::zeros()
    }
}

/// A measure's gradient in its four markers.
pub fn gradient(measure: KinematicMeasure, markers: &Markers<'_>) -> Cotangents {
    let mut g = [Cotangent::zero(); 4];
    let [i, j, k, _] = markers;
    match shape(measure, markers) {
        Shape::Vector(kind, take) => {
            let x = vector(&kind, markers);
            let e = match take {
                Take::Component(c) => {
                    let e = k.axis(c);
                    g[2].psi = e.cross(&x);
                    e
                }
                Take::Magnitude => direction(&x),
            };
            vector_gradient(&kind, &e, markers, &mut g);
        }
        Shape::SeparationRate => {
            let d = i.p - j.p;
            let (e, rate) = (direction(&d), i.v - j.v);
            let length = d.norm().max(f64::MIN_POSITIVE);
            let across = (rate - e * e.dot(&rate)) / length;
            g[0].v = e;
            g[1].v = -e;
            g[0].p = across;
            g[1].p = -across;
        }
        Shape::Angle(def, _) => {
            let Angle { normal, .. } = angle(&def, 0.0, i, j);
            g[0].psi = normal;
            g[1].psi = -normal;
        }
        Shape::Theta => {
            let (zi, zj) = (i.axis(2), j.axis(2));
            let n = -direction(&zi.cross(&zj));
            g[0].psi = n;
            g[1].psi = -n;
        }
        Shape::Pitch => {
            let n = direction(&i.axis(0).cross(&j.axis(2)));
            g[0].psi = n;
            g[1].psi = -n;
        }
        Shape::Line(c) => {
            let (d, axis) = (i.p - j.p, k.axis(c));
            let e = direction(&d);
            let across = (axis - e * e.dot(&axis)) / d.norm().max(f64::MIN_POSITIVE);
            g[0].p = across;
            g[1].p = -across;
            g[2].psi = axis.cross(&e);
        }
        Shape::Included => {
            // Rotating a about the normal closes the angle, rotating b opens it.
            let (a, b) = (i.p - j.p, k.p - j.p);
            let n = direction(&a.cross(&b));
            let size = |v: &Vec3| v.norm_squared().max(f64::MIN_POSITIVE);
            g[0].p = a.cross(&n) / size(&a);
            g[2].p = n.cross(&b) / size(&b);
            g[1].p = -(g[0].p + g[2].p);
        }
        Shape::Zero => {}
    }
    g
}

/// Gradient of `e · vector` with e held fixed: (MEA-1) to (MEA-3) varied term by term.
fn vector_gradient(kind: &VectorKind, e: &Vec3, markers: &Markers<'_>, g: &mut Cotangents) {
    let [i, j, _, l] = markers;
    let d = i.p - j.p;
    let d1 = i.v - j.v;
    let w = l.omega;
    let (mut p, mut v, mut om) = (Vec3::zeros(), Vec3::zeros(), Vec3::zeros());
    match kind {
        VectorKind::Displacement => p = *e,
        VectorKind::Velocity => {
            v = *e;
            p = w.cross(e);
            g[3].omega = e.cross(&d);
        }
        VectorKind::Acceleration => {
            g[0].a = *e;
            g[1].a = -e;
            v = w.cross(e) * 2.0;
            p = l.alpha.cross(e) + w.cross(&w.cross(e));
            g[3].alpha = e.cross(&d);
            g[3].omega = e.cross(&d1) * 2.0 + w.cross(&d).cross(e) + d.cross(&e.cross(&w));
        }
        VectorKind::AngularVelocity => om = *e,
        VectorKind::AngularAcceleration => {
            g[0].alpha = *e;
            g[1].alpha = -e;
            om = w.cross(e);
            g[3].omega = e.cross(&(i.omega - j.omega));
        }
    }
    g[0].p += p;
    g[1].p -= p;
    g[0].v += v;
    g[1].v -= v;
    g[0].omega += om;
    g[1].omega -= om;
}

/// A measure that a constraint may read, with two time derivatives; for other measures the value only.
pub fn jet(measure: KinematicMeasure, markers: &Markers<'_>, memory: f64) -> TimeJet {
    let [i, j, k, _] = markers;
    let (d, d1, d2) = (i.p - j.p, i.v - j.v, i.a - j.a);
    let (first, second) = match shape(measure, markers) {
        Shape::Vector(VectorKind::Displacement, Take::Component(c)) => {
            let e = k.axis(c);
            let e1 = k.omega.cross(&e);
            let e2 = k.alpha.cross(&e) + k.omega.cross(&e1);
            (
                d1.dot(&e) + d.dot(&e1),
                d2.dot(&e) + 2.0 * d1.dot(&e1) + d.dot(&e2),
            )
        }
        Shape::Vector(VectorKind::Displacement, Take::Magnitude) => {
            let e = direction(&d);
            let rate = e.dot(&d1);
            let length = d.norm().max(f64::MIN_POSITIVE);
            let across = d1.norm_squared() - rate * rate;
            (rate, e.dot(&d2) + across / length)
        }
        Shape::Angle(def, _) => angle_rates(&def, i, j),
        Shape::Theta | Shape::Pitch => {
            let (a, b) = dot_axes(measure, i, j);
            let [_, slope, bend] = of_dot(measure, a.dot(&b));
            let (p1, p2) = dot_rates(&a, &b, i, j);
            (slope * p1, slope * p2 + bend * p1 * p1)
        }
        _ => (0.0, 0.0),
    };
    TimeJet {
        value: value(measure, markers, memory),
        first,
        second,
    }
}

/// The axes of I and J whose dot product determines THETA and PITCH.
fn dot_axes(measure: KinematicMeasure, i: &MarkerKinematics, j: &MarkerKinematics) -> (Vec3, Vec3) {
    match measure {
        KinematicMeasure::YawPitchRoll(_) => (i.axis(0), j.axis(2)),
        _ => (i.axis(2), j.axis(2)),
    }
}

/// THETA = acos p or PITCH = asin p, with two derivatives.
fn of_dot(measure: KinematicMeasure, p: f64) -> [f64; 3] {
    let square = (1.0 - p * p).max(f64::MIN_POSITIVE);
    let slope = 1.0 / square.sqrt();
    let bend = p * slope / square;
    match measure {
        KinematicMeasure::YawPitchRoll(_) => [asin(p.clamp(-1.0, 1.0)), slope, bend],
        _ => [crate::math::acos(p.clamp(-1.0, 1.0)), -slope, -bend],
    }
}

/// Derivatives of a measure's gradient in (δd, δψ_I, δψ_J, δψ_K), d = p_I − p_J.
#[derive(Clone, Copy, Debug)]
pub struct Bend {
    /// Those of the gradient in the position of I; that of J is its negative.
    pub p: [Mat3; 4],
    /// Those of the gradients in the rotations of I, J and the axes marker.
    pub psi: [[Mat3; 4]; 3],
}

impl Bend {
    fn zero() -> Self {
        Self {
            p: [Mat3::zeros(); 4],
            psi: [[Mat3::zeros(); 4]; 3],
        }
    }

    /// For a scalar of two markers whose unit wrench is a force: that on J is −f̂ at p_I*, so its gradient in the
    /// rotation of J is −d×f̂.
    pub fn of_pair(scalar: &PairScalar, d: &Vec3) -> Self {
        let mut bend = Self::zero();
        let s = &scalar.slopes;
        bend.p = [s.d.f, s.psi_i.f, s.psi_j.f, Mat3::zeros()];
        let arm = skew(d);
        bend.psi[1] = bend.p.map(|m| -(arm * m));
        bend.psi[1][0] += skew(&scalar.unit.force);
        bend
    }
}

/// Derivatives of the gradient of a measure that a constraint may read; zero for other measures.
pub fn bend(measure: KinematicMeasure, markers: &Markers<'_>) -> Bend {
    let [i, j, k, _] = markers;
    let d = i.p - j.p;
    let mut bend = Bend::zero();
    match shape(measure, markers) {
        // p = e, ψ_K = e×d with δe = δψ_K×e.
        Shape::Vector(VectorKind::Displacement, Take::Component(c)) => {
            let e = k.axis(c);
            bend.p[3] = -skew(&e);
            bend.psi[2][0] = skew(&e);
            bend.psi[2][3] = skew_skew(&d, &e);
        }
        Shape::Vector(VectorKind::Displacement, Take::Magnitude) => {
            let e = direction(&d);
            let length = d.norm().max(f64::MIN_POSITIVE);
            bend.p[0] = (Mat3::identity() - e * e.transpose()) / length;
        }
        Shape::Angle(def, _) => {
            let (on_i, on_j) = normal_slopes(&def, i, j);
            bend.turn(on_i, on_j);
        }
        // n = F′ a×b with δ(a·b) = (a×b)·(δψ_I − δψ_J).
        Shape::Theta | Shape::Pitch => {
            let (a, b) = dot_axes(measure, i, j);
            let [_, slope, second] = of_dot(measure, a.dot(&b));
            let normal = a.cross(&b);
            let square = normal * normal.transpose() * second;
            bend.turn(
                square + skew_skew(&b, &a) * slope,
                -square - skew_skew(&a, &b) * slope,
            );
        }
        _ => {}
    }
    bend
}

impl Bend {
    /// Adds a gradient n in the rotation of I, and −n in that of J.
    fn turn(&mut self, on_i: Mat3, on_j: Mat3) {
        self.psi[0][1] = on_i;
        self.psi[0][2] = on_j;
        self.psi[1][1] = -on_i;
        self.psi[1][2] = -on_j;
    }
}

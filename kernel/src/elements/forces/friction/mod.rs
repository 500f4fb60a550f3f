//! Data plane: friction in a joint, proportional to the load that the joint carries.
//!
//! The slip of a joint has one to three components s_k. Each has a unit wrench ŵ_k on I, whose power is the slip;
//! components in one bearing share their friction. (F, T) is the joint's reaction on I.
//!
//! ```text
//! s_k = f̂_k·v + t̂_k·w,   v = ḋ − Ω_J×d,   w = Ω_I − Ω_J                    (JFR-1)
//! L = k_r |F_⊥| + k_a |F·a| + k_b |T_⊥| + k_t |T·a| + P/μd                 (JFR-2)
//! W = Σ_k f_k ŵ_k,   f_k = −φ_k(s) L − c_k s_k                             (JFR-3)
//! ```
//!
//! | joint | ŵ = (f̂, t̂) | axis a of the bearing |
//! |---|---|---|
//! | revolute | (0, R z_J) | z_J |
//! | translational | (z_J, 0) | z_J |
//! | cylindrical | (z_J, 0), (0, R z_J) in one bearing | z_J |
//! | spherical | (0, R x_J), (0, R y_J), (0, R z_J) in one bearing | none: F_⊥ = F |
//! | universal | (0, R y_J), and (0, R x_I) in a bearing of its own | y_J, x_I |
//!
//! s is always a velocity [m/s], for rotations at the radius R; φ is the law of [`laws`] (docs/theory/friction.md).

mod laws;

use crate::elements::forces::ForceContext;
use crate::elements::kinematics::{Cotangent, MarkerKinematics};
use crate::elements::wrench::{Wrench, WrenchSlopes};
#[cfg(not(feature = "std"))]
use crate::math::Float as _;
use crate::math::Vec3;
use crate::math::rotation::skew;
use crate::mechanism::{FrictionInputs, FrictionJoint, FrictionLaw, FrictionNumbers};
pub use laws::PASSIVE_DAMPING;
use laws::{Arguments, Response};

/// Largest number of slip components.
pub const MOST: usize = 3;

/// A friction element and the indices of its numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointFriction {
    /// First of its [`FrictionNumbers`].
    pub values: usize,
    /// The kind of joint.
    pub joint: FrictionJoint,
    /// φ.
    pub law: FrictionLaw,
    /// Which loads of the joint cause friction.
    pub inputs: FrictionInputs,
    /// The joint's constraint group; `None` if all its rows are redundant.
    pub group: Option<usize>,
    /// The states of its bristles: first index and count.
    pub states: Option<(usize, usize)>,
}

impl JointFriction {
    /// Limit of the bristle deflection, in units of its state, from the numbers of all elements.
    pub fn farthest(&self, numbers: &[f64]) -> f64 {
        let numbers =
            FrictionNumbers::from_array(core::array::from_fn(|k| numbers[self.values + k]));
        laws::farthest(&numbers) / numbers.bristles[2]
    }

    /// The states of its bristles.
    pub fn bristles(&self) -> core::ops::Range<usize> {
        self.states
            .map_or(0..0, |(first, count)| first..first + count)
    }
}

/// A component of the slip.
#[derive(Clone, Copy)]
struct Component {
    /// ŵ.
    direction: Wrench,
    /// Is ŵ fixed to I instead of to J?
    on_i: bool,
    /// Its bearing.
    bearing: usize,
    /// c.
    viscous: f64,
}

/// (JFR-2) of one bearing.
#[derive(Clone, Copy)]
struct Bearing {
    /// L.
    load: f64,
    /// ∂L/∂(F, T).
    by_reaction: Wrench,
    /// ∂L in a small rotation of the axis.
    by_turn: Vec3,
    /// Is the axis fixed to I?
    on_i: bool,
}

/// Derivative of a scalar in the relative quantities of the markers.
struct Gradient {
    d: Vec3,
    d_rate: Vec3,
    psi_i: Vec3,
    psi_j: Vec3,
    omega_i: Vec3,
    omega_j: Vec3,
}

/// All values at one state.
struct Friction {
    components: [Component; MOST],
    count: usize,
    bearings: [Bearing; 2],
    response: Response,
    /// Factor from a state to SI.
    unit: f64,
    /// d, Ω_J, v, w.
    motion: [Vec3; 4],
}

/// One term of a wrench's dependence on a reaction: `direction · (gradient of a load)·δ(F, T)`.
pub type ReactionTerm = (Wrench, Wrench);

fn sign(x: f64) -> f64 {
    f64::from(u8::from(x > 0.0)) - f64::from(u8::from(x < 0.0))
}

/// Unit vector and length; zero if there is no direction.
fn unit(v: &Vec3) -> (Vec3, f64) {
    let size = v.norm();
    let n = v / size.max(f64::MIN_POSITIVE);
    (n, size)
}

impl Bearing {
    /// For the axis a, with weights [k_r, k_a, k_b, k_t].
    fn new(a: &Vec3, reaction: &Wrench, weights: [f64; 4], preload: f64, on_i: bool) -> Self {
        let [radial, axial, bending, torsional] = weights;
        let part = |x: &Vec3, across: f64, along: f64| {
            let component = x.dot(a);
            let (n, size) = unit(&(x - a * component));
            let side = along * sign(component);
            let load = across * size + along * component.abs();
            let turn = a.cross(x) * side - a.cross(&n) * (across * component);
            (load, n * across + a * side, turn)
        };
        let (force, by_force, turn_f) = part(&reaction.force, radial, axial);
        let (torque, by_torque, turn_t) = part(&reaction.torque, bending, torsional);
        Self {
            load: force + torque + preload,
            by_reaction: Wrench {
                force: by_force,
                torque: by_torque,
            },
            by_turn: turn_f + turn_t,
            on_i,
        }
    }
}

/// The components of a joint; unused ones are zero.
fn components(
    joint: FrictionJoint,
    radius: f64,
    [slide, turn]: [f64; 2],
    (i, j): (&MarkerKinematics, &MarkerKinematics),
) -> ([Component; MOST], usize) {
    let slides = |axis: Vec3| Component {
        direction: Wrench::force(axis),
        on_i: false,
        bearing: 0,
        viscous: slide,
    };
    let turns = |axis: Vec3| Component {
        direction: Wrench::torque(axis * radius),
        on_i: false,
        bearing: 0,
        viscous: turn,
    };
    let none = turns(Vec3::zeros());
    let [x, y, z] = [0, 1, 2].map(|k| j.axis(k));
    match joint {
        FrictionJoint::Revolute => ([turns(z), none, none], 1),
        FrictionJoint::Translational => ([slides(z), none, none], 1),
        FrictionJoint::Cylindrical => ([slides(z), turns(z), none], 2),
        FrictionJoint::Spherical => ([turns(x), turns(y), turns(z)], 3),
        FrictionJoint::Universal => {
            let other = Component {
                on_i: true,
                bearing: 1,
                ..turns(i.axis(0))
            };
            ([turns(y), other, none], 2)
        }
    }
}

impl Friction {
    fn new(law: &JointFriction, c: &ForceContext<'_>) -> Self {
        let numbers = FrictionNumbers::from_array(c.numbers(law.values));
        let radius = numbers.radius;
        let [friction_arm, bending_arm, reaction_arm] = numbers.arms;
        let [force, torque, meant] = numbers.preload;
        let [slide, turn] = numbers.viscous;
        let unit = numbers.bristles[2];
        let viscous = [slide, turn / (radius * radius)];
        let (components, count) = components(law.joint, radius, viscous, (c.i, c.j));
        let on = |yes: bool, x: f64| if yes { x } else { 0.0 };
        let inputs = &law.inputs;
        let weights = [
            on(inputs.reaction_force, 1.0),
            on(inputs.reaction_force, friction_arm / radius),
            on(inputs.bending_moment, 1.0 / bending_arm),
            on(inputs.torsional_moment, 1.0 / reaction_arm),
        ];
        let preload = on(inputs.preload, (force + torque / radius) / meant);
        let axes = match law.joint {
            FrictionJoint::Spherical => [Vec3::zeros(); 2],
            FrictionJoint::Universal => [c.j.axis(1), c.i.axis(0)],
            FrictionJoint::Revolute | FrictionJoint::Translational | FrictionJoint::Cylindrical => {
                [c.j.axis(2); 2]
            }
        };
        let bearings = [0, 1].map(|k| {
            let on_i = k == 1;
            Bearing::new(&axes[k], &c.reaction, weights, preload, on_i)
        });
        let d = c.i.p - c.j.p;
        let v = c.i.v - c.j.v - c.j.omega.cross(&d);
        let w = c.i.omega - c.j.omega;
        let slip = |x: &Component| x.direction.force.dot(&v) + x.direction.torque.dot(&w);
        let mut states = [0.0; MOST];
        for (z, k) in states.iter_mut().zip(law.bristles()) {
            *z = c.states[k] * unit;
        }
        let arguments = Arguments {
            slips: components.each_ref().map(slip),
            states,
            of: components.map(|x| (x.bearing, bearings[x.bearing].load, x.viscous)),
        };
        let response = laws::respond(law.law, &numbers, &arguments);
        Self {
            components,
            count,
            bearings,
            response,
            unit,
            motion: [d, c.j.omega, v, w],
        }
    }

    /// f_k ŵ_k, summed.
    fn wrench(&self) -> Wrench {
        let mut total = Wrench::zero();
        for (component, force) in self.components[..self.count]
            .iter()
            .zip(&self.response.force)
        {
            total.add(&component.direction.scaled(*force));
        }
        total
    }

    /// Derivative of s_k.
    fn slip_gradient(&self, k: usize) -> Gradient {
        let Component {
            direction, on_i, ..
        } = &self.components[k];
        let [d, omega_j, v, w] = &self.motion;
        let (f, t) = (&direction.force, &direction.torque);
        let turn = f.cross(v) + t.cross(w);
        let (psi_i, psi_j) = own(*on_i, turn);
        Gradient {
            d: -f.cross(omega_j),
            d_rate: *f,
            psi_i,
            psi_j,
            omega_i: *t,
            omega_j: f.cross(d) - t,
        }
    }

    /// Derivative of f_k at a fixed reaction.
    fn force_gradient(&self, k: usize) -> Gradient {
        let bearing = &self.bearings[self.components[k].bearing];
        let (psi_i, psi_j) = own(bearing.on_i, bearing.by_turn * self.response.by_load[k]);
        let zero = Vec3::zeros();
        let mut sum = Gradient {
            d: zero,
            d_rate: zero,
            psi_i,
            psi_j,
            omega_i: zero,
            omega_j: zero,
        };
        for m in 0..self.count {
            sum.add(&self.slip_gradient(m), self.response.by_slip[k][m]);
        }
        sum
    }
}

/// A derivative in a rotation, as a pair for I and J: of an axis fixed to I, or else to J.
fn own(on_i: bool, turn: Vec3) -> (Vec3, Vec3) {
    if on_i {
        (turn, Vec3::zeros())
    } else {
        (Vec3::zeros(), turn)
    }
}

impl Gradient {
    fn add(&mut self, other: &Self, factor: f64) {
        self.d += other.d * factor;
        self.d_rate += other.d_rate * factor;
        self.psi_i += other.psi_i * factor;
        self.psi_j += other.psi_j * factor;
        self.omega_i += other.omega_i * factor;
        self.omega_j += other.omega_j * factor;
    }
}

/// (JFR-3).
pub fn wrench(law: &JointFriction, c: &ForceContext<'_>) -> Wrench {
    Friction::new(law, c).wrench()
}

/// (JFR-5) at a fixed reaction.
pub fn slopes(law: &JointFriction, c: &ForceContext<'_>) -> WrenchSlopes {
    let friction = Friction::new(law, c);
    let mut slopes = WrenchSlopes::zero();
    for k in 0..friction.count {
        let component = &friction.components[k];
        let (f, t) = (&component.direction.force, &component.direction.torque);
        let gradient = friction.force_gradient(k);
        let columns = [
            (&mut slopes.d, &gradient.d),
            (&mut slopes.d_rate, &gradient.d_rate),
            (&mut slopes.psi_i, &gradient.psi_i),
            (&mut slopes.psi_j, &gradient.psi_j),
            (&mut slopes.omega_i, &gradient.omega_i),
            (&mut slopes.omega_j, &gradient.omega_j),
        ];
        for (map, g) in columns {
            map.f += f * g.transpose();
            map.t += t * g.transpose();
        }
        let turned = if component.on_i {
            &mut slopes.psi_i
        } else {
            &mut slopes.psi_j
        };
        let force = friction.response.force[k];
        turned.f -= skew(f) * force;
        turned.t -= skew(t) * force;
    }
    slopes
}

/// Dependence of the wrench on the joint's reaction, in (JFR-5).
pub fn reaction_terms(law: &JointFriction, c: &ForceContext<'_>) -> [ReactionTerm; MOST] {
    let friction = Friction::new(law, c);
    core::array::from_fn(|k| {
        let component = &friction.components[k];
        let bearing = &friction.bearings[component.bearing];
        let direction = component.direction.scaled(friction.response.by_load[k]);
        (direction, bearing.by_reaction)
    })
}

/// Derivatives of the wrench in the bristle states, in the units of the states.
pub fn state_columns(law: &JointFriction, c: &ForceContext<'_>) -> [Wrench; MOST] {
    let friction = Friction::new(law, c);
    core::array::from_fn(|k| {
        let slope = friction.response.by_state[k] * friction.unit;
        friction.components[k].direction.scaled(slope)
    })
}

/// ż_k [m/s].
pub fn rate(law: &JointFriction, c: &ForceContext<'_>, k: usize) -> f64 {
    Friction::new(law, c).response.rate[k]
}

/// Derivatives of ż_k in the quantities of I and J, and in its own state in the unit of the state.
pub fn rate_gradient(law: &JointFriction, c: &ForceContext<'_>, k: usize) -> ([Cotangent; 2], f64) {
    let friction = Friction::new(law, c);
    let mut ends = [Cotangent::zero(); 2];
    for m in 0..friction.count {
        let slope = friction.response.rate_by_slip[k][m];
        let g = friction.slip_gradient(m);
        let sides = [(1.0, g.psi_i, g.omega_i), (-1.0, g.psi_j, g.omega_j)];
        for (end, (sign, psi, omega)) in ends.iter_mut().zip(sides) {
            end.p += g.d * (sign * slope);
            end.v += g.d_rate * (sign * slope);
            end.psi += psi * slope;
            end.omega += omega * slope;
        }
    }
    (ends, friction.response.rate_by_state[k] * friction.unit)
}

/// s_k [m/s], zero for unused components, and the velocity above which the joint slips: us, the limit of static
/// friction or Stribeck's velocity.
pub fn slips(law: &JointFriction, c: &ForceContext<'_>) -> ([f64; MOST], f64) {
    let Friction {
        components, motion, ..
    } = Friction::new(law, c);
    let [_, _, v, w] = motion;
    let slip = |x: Component| x.direction.force.dot(&v) + x.direction.torque.dot(&w);
    let numbers = FrictionNumbers::from_array(c.numbers(law.values));
    (components.map(slip), numbers.curve[2])
}

/// √(μd L) ŵ_k. Its mobility, the velocity per unit of it along itself, is the deceleration by sliding friction, at
/// R.
pub fn braking(law: &JointFriction, c: &ForceContext<'_>) -> [Wrench; MOST] {
    let friction = Friction::new(law, c);
    let [_, sliding, ..] = FrictionNumbers::from_array(c.numbers(law.values)).curve;
    friction.components.each_ref().map(|component| {
        let load = friction.bearings[component.bearing].load;
        component.direction.scaled((sliding * load).sqrt())
    })
}

/// √(σ0 L) ŵ_k. Its mobility is ω² of the joint on its bristles while it sticks.
pub fn sticking(law: &JointFriction, c: &ForceContext<'_>) -> [Wrench; MOST] {
    let friction = Friction::new(law, c);
    let [stiffness, ..] = FrictionNumbers::from_array(c.numbers(law.values)).bristles;
    friction.components.each_ref().map(|component| {
        let load = friction.bearings[component.bearing].load;
        component.direction.scaled((stiffness * load).sqrt())
    })
}

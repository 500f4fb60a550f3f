//! Data plane: a tyre between the wheel of I and a road that lies on J.
//!
//! Everything is in the axes of J, with the quantities of (REL-1); a is the wheel's axis. [`contact`] finds the
//! contact point; [`linear`] and [`magic`] are the force laws. This file has what both laws share: load, slip, the
//! two states of the tyre's carcass, and the wrench.
//!
//! ```text
//! F_z = max(0, k ρ + c ρ̇ S(ρ/ρ_d)),   S(y) = y²(3 − 2y)                       (TYR-5)
//! V_sx = V_x − Ω R_e,   V_sy = V_y                                             (TYR-6)
//! u̇ = −V_sx − a(V_x) u/σ_x − b(u/σ_x) a(V_sx)
//! v̇ =  V_sy − a(V_x) v/σ_y − b(v/σ_y) a(V_sy)                                  (TYR-7)
//! κ = (u − T w(V_x) V_sx)/σ_x,   tan α = (v + T w(V_x) V_sy)/σ_y               (TYR-8)
//! f = F_x e_x + F_y e_y + F_z n
//! t = R_l e_d × f + M_x e_x + M_y e_y + M_z n                                  (TYR-9)
//! ```
//! a(V) is |V|, smoothed at zero. b bounds the deflection; near standstill, to that at which the whole contact
//! slides. w blends in standstill (docs/theory/tyres.md). Everything is evaluated in every state: loaded or in the
//! air, rolling or not, the work is the same.
//!
//! A number with 14 slopes takes 120 bytes. To limit the stack, successive stages are functions that are never
//! inlined, so that only one of them is on it at a time; values that expressions read are written directly to their
//! destination.

mod contact;
mod linear;
pub mod magic;

pub use self::magic::Magic;

use self::contact::Contact;
use crate::elements::forces::ForceContext;
use crate::elements::forces::relative::Relative;
use crate::elements::wrench::{Wrench, WrenchSlopes};
use crate::math::dual::{Dual, DualVec};
use crate::math::road::Road;
use crate::math::{Mat3, Vec3};
use crate::mechanism::{TYRE_CHANNELS, TyreChannel as Channel};
use alloc::boxed::Box;

/// The variables of a tyre: d_J, φ, v_J, ω_J, u, v.
pub const VARIABLES: usize = 14;

/// The inputs of a tyre law: κ, α, γ, load \[N\], sense of travel, speed of the tread [m/s].
const INPUTS: usize = 6;

/// Damping fades in over this fraction of the radius.
const DAMPED: f64 = 0.01;
/// Below this speed [m/s] magnitudes are smoothed.
const CREEP: f64 = 0.01;
/// The sense of travel changes smoothly up to this speed [m/s].
const TURNING: f64 = 0.5;
/// The deflection of a rolling tyre's carcass is limited to twice that of this slip.
const SLIP: f64 = 1.5;
/// Smallest slip at which a tyre slides fully.
const LEAST_SLIP: f64 = 1e-3;
/// Smallest relaxation length, as a fraction of the radius.
const SHORTEST: f64 = 0.02;

/// A tyre.
#[derive(Clone, Debug)]
pub struct Tyre {
    /// Index of its first number: friction of the road, of the tyre, speed below which the carcass is damped [m/s],
    /// the time T whose product with the stiffness is that damping \[s\]; then those of the law.
    pub values: usize,
    /// The road in the axes of J.
    pub road: Road,
    /// The wheel's axis in the axes of I.
    pub axis: Vec3,
    /// 1, or −1 if mounted on the side opposite to the one measured.
    pub side: f64,
    /// The states u and v in the table of states.
    pub states: Option<[usize; 2]>,
    /// The law.
    pub law: Law,
}

/// Count of the numbers that all tyres have.
const COMMON: usize = 4;

/// The force law of a tyre.
#[derive(Clone, Debug)]
pub enum Law {
    /// [`linear`].
    Linear,
    /// [`magic`].
    Magic(Box<Magic>),
}

/// Forces and moments of a law, for a tyre on the side on which it was measured.
pub struct TyreForces<const M: usize> {
    /// Longitudinal force.
    pub fx: Dual<M>,
    /// Lateral force.
    pub fy: Dual<M>,
    /// Overturning moment.
    pub mx: Dual<M>,
    /// Moment of rolling resistance.
    pub my: Dual<M>,
    /// Aligning moment.
    pub mz: Dual<M>,
}

/// Quantities of the wheel that the law needs first.
struct Vertical<const N: usize> {
    load: Dual<N>,
    rolling_radius: Dual<N>,
    relaxation: [Dual<N>; 2],
    /// Slips at which the whole contact slides, at small camber.
    sliding: [Dual<N>; 2],
}

/// The tyre quantities that expressions read.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    /// Values with their slopes in [`VARIABLES`], by [`Channel`].
    pub channels: [Dual<VARIABLES>; TYRE_CHANNELS],
    /// Slopes of the wrench in the two states.
    pub by_states: [Wrench; 2],
}

impl Default for Reading {
    fn default() -> Self {
        Self {
            channels: [Dual::constant(0.0); TYRE_CHANNELS],
            by_states: [Wrench::zero(); 2],
        }
    }
}

/// The tyre quantities that expressions read.
type Channels<const N: usize> = [Dual<N>; TYRE_CHANNELS];

/// Force and torque on I at its origin, in the axes of J.
struct Loads<const N: usize> {
    force: DualVec<N>,
    torque: DualVec<N>,
}

/// |V|, smoothed so that its slope is continuous: ε x²(2 − x) up to ε.
fn magnitude<const N: usize>(v: Dual<N>) -> Dual<N> {
    let x = (v.value.abs() / CREEP).min(1.0);
    let inside = v.value.abs() < CREEP;
    let value = if inside {
        CREEP * x * x * (2.0 - x)
    } else {
        v.value.abs()
    };
    v.chain(value, (x * (4.0 - 3.0 * x)).copysign(v.value))
}

/// The sense of travel, smooth from −1 to 1.
fn sense<const N: usize>(v: Dual<N>) -> Dual<N> {
    let x = (v / TURNING).clamp(-1.0, 1.0);
    x * 1.5 - x * x.square() * 0.5
}

/// b of (TYR-7): zero up to the slip s, ±1 from 2 s.
fn bound<const N: usize>(slip: Dual<N>, s: Dual<N>) -> Dual<N> {
    let over = (slip.abs() - s) / s;
    let sign = 1.0_f64.copysign(slip.value);
    over.smooth_step() * sign
}

/// A vector whose components are the variables from index `first`.
fn variables<const N: usize>(v: &Vec3, first: usize) -> DualVec<N> {
    DualVec(core::array::from_fn(|k| Dual::variable(v[k], first + k)))
}

impl Tyre {
    /// The wheel in relative motion, as the law needs it.
    #[inline(never)]
    fn seen<const N: usize>(&self, c: &ForceContext<'_>, relative: &Relative) -> Wheel<N> {
        let a = c.j.axes.tr_mul(&(c.i.axes * self.axis));
        let mut axis = DualVec(core::array::from_fn(|k| Dual::constant(a[k])));
        for k in 0..3 {
            let turned = Vec3::ith(k, 1.0).cross(&a);
            for (part, by) in axis.0.iter_mut().zip(turned.iter()) {
                if let Some(slope) = part.slopes.get_mut(3 + k) {
                    *slope = *by;
                }
            }
        }
        Wheel {
            centre: variables(&relative.place[0], 0),
            axis,
            velocity: variables(&relative.rate[0], 6),
            spin: variables(&relative.rate[1], 9),
        }
    }

    /// u and v.
    fn body<const N: usize>(&self, c: &ForceContext<'_>) -> [Dual<N>; 2] {
        core::array::from_fn(|k| {
            let value = self.states.map_or(0.0, |states| c.states[states[k]]);
            Dual::variable(value, 12 + k)
        })
    }

    /// Friction factor: that of the road times that of the tyre.
    fn grip(&self, c: &ForceContext<'_>) -> f64 {
        c.values[self.values] * c.values[self.values + 1]
    }

    /// The speed that slip is relative to, if the carcass has no states: |V|, at least half of `VXLOW`.
    fn slip_reference_speed<const N: usize>(&self, speed: Dual<N>) -> Dual<N> {
        let least = match &self.law {
            Law::Linear => TURNING,
            Law::Magic(magic) => magic.formula.vxlow,
        };
        let whole = speed.abs();
        let low = (speed.square() / least + least) * 0.5;
        Dual::select(whole.value > least, whole, low)
    }

    /// Radius without load \[m\].
    pub fn radius(&self, c: &ForceContext<'_>) -> f64 {
        match &self.law {
            Law::Linear => c.values[self.values + COMMON],
            Law::Magic(magic) => magic.formula.unloaded_radius,
        }
    }

    #[inline(never)]
    fn vertical<const N: usize>(&self, c: &ForceContext<'_>, contact: &Contact<N>) -> Vertical<N> {
        let friction = self.grip(c);
        match &self.law {
            Law::Linear => linear::vertical(&c.numbers(self.values + COMMON), friction, contact),
            Law::Magic(magic) => magic.vertical(friction, contact),
        }
    }

    /// The contact of the wheel with the road.
    #[inline(never)]
    fn contact<const N: usize>(
        &self,
        c: &ForceContext<'_>,
        relative: &Relative,
        contact: &mut Contact<N>,
    ) {
        let wheel = self.seen::<N>(c, relative);
        contact.update(&wheel, &self.road);
    }

    /// Load, rolling radius, and (TYR-6) to (TYR-8).
    #[inline(never)]
    fn roll<const N: usize>(
        &self,
        c: &ForceContext<'_>,
        contact: &Contact<N>,
        channels: &mut Channels<N>,
    ) {
        let vertical = self.vertical(c, contact);
        let slip_x = contact.speed - contact.roll * vertical.rolling_radius;
        channels[Channel::SlipX as usize] = slip_x;
        channels[Channel::SlipY as usize] = contact.drift;
        channels[Channel::ForceZ as usize] = vertical.load;
        channels[Channel::RollingRadius as usize] = vertical.rolling_radius;
        self.slips(c, contact, &vertical, channels);
    }

    /// (TYR-7), (TYR-8), from known slip velocities.
    #[inline(never)]
    fn slips<const N: usize>(
        &self,
        c: &ForceContext<'_>,
        contact: &Contact<N>,
        vertical: &Vertical<N>,
        channels: &mut Channels<N>,
    ) {
        let [u, v] = self.body(c);
        let shortest = SHORTEST * self.radius(c);
        let [sigma_x, sigma_y] = vertical.relaxation.map(|s| s.at_least(shortest));
        let slip_x = channels[Channel::SlipX as usize];
        let slip_y = channels[Channel::SlipY as usize];
        let travel = magnitude(contact.speed);
        let [low_speed, lag] = c.numbers(self.values + 2);
        let relative_speed = travel / low_speed;
        let damping = (Dual::constant(1.0) - relative_speed.smooth_step()) * lag;
        // Earlier than the damping: a carcass that slides to a halt must have relaxed before.
        let slow = Dual::constant(1.0) - (relative_speed - 1.0).smooth_step();
        let [most_x, most_y] = vertical.sliding.map(|slip| {
            let half = (slip * 0.5).clamp(LEAST_SLIP, SLIP);
            (half - SLIP) * slow + SLIP
        });
        let (slip_u, slip_v) = (u / sigma_x, v / sigma_y);
        channels[Channel::RateX as usize] =
            -slip_x - travel * slip_u - bound(slip_u, most_x) * magnitude(slip_x);
        channels[Channel::RateY as usize] =
            slip_y - travel * slip_v - bound(slip_v, most_y) * magnitude(slip_y);
        let (kappa, tangent) = if self.states.is_some() {
            (
                (u - damping * slip_x) / sigma_x,
                (v + damping * slip_y) / sigma_y,
            )
        } else {
            let reference = self.slip_reference_speed(contact.speed);
            (-slip_x / reference, slip_y / reference)
        };
        channels[Channel::Kappa as usize] = kappa;
        channels[Channel::Alpha as usize] = tangent.atan();
    }

    /// The inputs of the law, for a tyre on the side on which it was measured.
    fn inputs<const N: usize>(
        &self,
        contact: &Contact<N>,
        channels: &Channels<N>,
    ) -> [Dual<N>; INPUTS] {
        [
            channels[Channel::Kappa as usize],
            channels[Channel::Alpha as usize] * self.side,
            contact.camber * self.side,
            channels[Channel::ForceZ as usize],
            sense(contact.speed),
            contact.roll * channels[Channel::RollingRadius as usize],
        ]
    }

    /// The law's forces for the side on which the tyre is mounted.
    #[inline(never)]
    fn mounted_forces<const N: usize>(
        &self,
        c: &ForceContext<'_>,
        contact: &Contact<N>,
        channels: &mut Channels<N>,
    ) {
        let inputs = self.inputs(contact, channels).map(|x| x.value);
        let forces = self.law_forces(c, &inputs);
        self.compose(&forces, contact, channels);
    }

    /// The law's forces for the side on which it was measured, with slopes in these inputs.
    #[inline(never)]
    fn law_forces(&self, c: &ForceContext<'_>, inputs: &[f64; INPUTS]) -> TyreForces<INPUTS> {
        let inputs: [Dual<INPUTS>; INPUTS] = core::array::from_fn(|k| Dual::variable(inputs[k], k));
        let friction = self.grip(c);
        match &self.law {
            Law::Linear => linear::forces(&c.numbers(self.values + COMMON), friction, &inputs),
            Law::Magic(magic) => magic.forces(friction, &inputs),
        }
    }

    /// The law's forces for the side on which the tyre is mounted, with slopes in the variables of the inputs.
    #[inline(never)]
    fn compose<const N: usize>(
        &self,
        forces: &TyreForces<INPUTS>,
        contact: &Contact<N>,
        channels: &mut Channels<N>,
    ) {
        let seen = self.inputs(contact, channels);
        for (channel, part, side) in [
            (Channel::ForceX, &forces.fx, None),
            (Channel::ForceY, &forces.fy, Some(self.side)),
            (Channel::MomentX, &forces.mx, Some(self.side)),
            (Channel::MomentY, &forces.my, None),
            (Channel::MomentZ, &forces.mz, Some(self.side)),
        ] {
            let part = Dual::compose(part, &seen);
            channels[channel as usize] = side.map_or(part, |side| part * side);
        }
    }

    /// (TYR-1) to (TYR-9).
    #[inline(never)]
    fn state<const N: usize>(
        &self,
        c: &ForceContext<'_>,
        relative: &Relative,
        channels: &mut Channels<N>,
    ) -> Loads<N> {
        let mut contact = Contact::new(self.radius(c));
        self.contact(c, relative, &mut contact);
        self.roll(c, &contact, channels);
        self.mounted_forces(c, &contact, channels);
        loads(&relative.place[0], &contact, channels)
    }
}

/// (TYR-9), and the contact quantities that expressions read.
#[inline(never)]
fn loads<const N: usize>(
    centre: &Vec3,
    contact: &Contact<N>,
    channels: &mut Channels<N>,
) -> Loads<N> {
    let of = |channel: Channel| &channels[channel as usize];
    let in_axes = |parts: [&Dual<N>; 3]| contact.in_axes(parts);
    let force = in_axes([Channel::ForceX, Channel::ForceY, Channel::ForceZ].map(of));
    let moment = in_axes([Channel::MomentX, Channel::MomentY, Channel::MomentZ].map(of));
    let torque = contact.arm.cross(&force).plus(&moment);
    let point = variables(centre, 0).plus(&contact.arm);
    for (channel, x) in [
        (Channel::Gamma, &contact.camber),
        (Channel::LoadedRadius, &contact.loaded_radius),
        (Channel::Deflection, &contact.deflection),
        (Channel::PointX, &point.0[0]),
        (Channel::PointY, &point.0[1]),
        (Channel::PointZ, &point.0[2]),
        (Channel::Speed, &contact.speed),
    ] {
        channels[channel as usize] = *x;
    }
    Loads { force, torque }
}

/// A wheel in the axes of J.
struct Wheel<const N: usize> {
    centre: DualVec<N>,
    axis: DualVec<N>,
    velocity: DualVec<N>,
    spin: DualVec<N>,
}

fn value<const N: usize>(v: &DualVec<N>) -> Vec3 {
    Vec3::from_fn(|k, _| v.0[k].value)
}

fn part<const N: usize>(v: &DualVec<N>, first: usize) -> Mat3 {
    Mat3::from_fn(|row, column| v.0[row].slopes[first + column])
}

/// The wrench on I, and the quantities that expressions read.
#[inline(never)]
pub fn values(tyre: &Tyre, c: &ForceContext<'_>) -> (Wrench, [f64; TYRE_CHANNELS]) {
    let relative = Relative::of_points(c);
    let mut channels = [Dual::constant(0.0); TYRE_CHANNELS];
    let Loads { force, torque } = tyre.state::<0>(c, &relative, &mut channels);
    let wrench = relative.wrench(&[value(&force), value(&torque)]);
    (wrench, channels.map(|x| x.value))
}

/// Slopes of the wrench in the markers' quantities. Writes the slopes in the two states, and the quantities that
/// expressions read, to `reading`.
#[inline(never)]
pub fn slopes(tyre: &Tyre, c: &ForceContext<'_>, reading: &mut Reading) -> WrenchSlopes {
    let relative = Relative::of_points(c);
    let loads = tyre.state::<VARIABLES>(c, &relative, &mut reading.channels);
    of_loads(c, &relative, &loads, &mut reading.by_states)
}

/// (REL-2) for a tyre's loads.
#[inline(never)]
fn of_loads(
    c: &ForceContext<'_>,
    relative: &Relative,
    Loads { force, torque }: &Loads<VARIABLES>,
    by_states: &mut [Wrench; 2],
) -> WrenchSlopes {
    let values = [value(force), value(torque)];
    let quad = |first: usize| [force, torque].map(|v| [part(v, first), part(v, first + 3)]);
    *by_states = [12, 13].map(|k| {
        let of =
            |v: &DualVec<VARIABLES>| relative.axes * Vec3::from_fn(|row, _| v.0[row].slopes[k]);
        Wrench {
            force: of(force),
            torque: of(torque),
        }
    });
    relative.slopes(c, &values, &quad(0), &quad(6))
}

/// The slopes of the wrench only.
#[inline(never)]
pub fn wrench_slopes(tyre: &Tyre, c: &ForceContext<'_>) -> WrenchSlopes {
    slopes(tyre, c, &mut Reading::default())
}

/// The point where the wheel meets the road, in ground: c of (TYR-2).
pub fn point_of_contact(tyre: &Tyre, c: &ForceContext<'_>) -> Vec3 {
    let relative = Relative::of_points(c);
    let mut contact = Contact::<0>::new(tyre.radius(c));
    tyre.contact(c, &relative, &mut contact);
    c.i.p + relative.axes * value(&contact.arm)
}

/// Energy of the vertical spring \[J\].
pub fn energy(tyre: &Tyre, c: &ForceContext<'_>) -> f64 {
    let [energy, _] = held(tyre, c);
    energy
}

/// Energy of the vertical spring \[J\], and its deflection, zero in the air \[m\].
pub fn held(tyre: &Tyre, c: &ForceContext<'_>) -> [f64; 2] {
    let (_, channels) = values(tyre, c);
    let deflection = channels[Channel::Deflection as usize].max(0.0);
    let energy = match &tyre.law {
        Law::Linear => linear::energy(&c.numbers(tyre.values + COMMON), deflection),
        Law::Magic(magic) => 0.5 * magic.formula.vertical_stiffness * deflection * deflection,
    };
    [energy, deflection]
}

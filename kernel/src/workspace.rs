//! Data plane: the named scratch memory of a step. It holds nothing that must survive a step.
//!
//! The linear system of Newton's iteration stands beside the values that its rows are made of, so that rows are
//! written while values are read.

use crate::elements::bodies::InertiaTerm;
use crate::elements::constraints::Target;
use crate::elements::flexible::frame::{Maps, RelativeMotion};
use crate::elements::flexible::{Loads, Motion, Slopes};
use crate::elements::forces::tyre::Reading;
use crate::elements::kinematics::{BodyKinematics, MarkerKinematics, MarkerSlopes};
use crate::elements::wrench::{Block, Wrench, ZERO_BLOCK};
use crate::expr::TimeJet;
use crate::ids::BodyId;
use crate::linalg::TileMatrix;
use crate::math::{Mat3, Vec3};
use crate::system::System;
use crate::system::condense::Scratch;
use crate::system::curves::CurveValues;
use crate::system::delay::DelaySlopes;
use crate::system::flexible::FrameEntry;
use crate::system::general::GeneralValues;
use crate::system::memory::SampledEntry;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::{Deref, DerefMut};

/// Scratch, sized once from the system: the values at a state, and the linear system of Newton's iteration.
#[derive(Clone, Debug)]
pub struct Workspace {
    /// The values at the state being evaluated. `ws.markers` is short for `ws.values.markers`.
    pub values: Values,
    /// Right-hand side, then solution, of the Newton system; padded by block.
    pub rhs: Vec<f64>,
    /// Newton matrix.
    pub matrix: TileMatrix,
}

impl Workspace {
    /// Makes room for programs with this many registers. Allocates if there is none.
    pub fn make_room(&mut self, registers: usize) {
        let ws = &mut self.values;
        if registers > ws.registers.len() {
            ws.registers.resize(registers, 0.0);
            ws.adjoints.resize(registers, 0.0);
            ws.jet_registers.resize(registers, TimeJet::default());
        }
    }
}

impl Deref for Workspace {
    type Target = Values;

    #[inline]
    fn deref(&self) -> &Values {
        &self.values
    }
}

impl DerefMut for Workspace {
    #[inline]
    fn deref_mut(&mut self) -> &mut Values {
        &mut self.values
    }
}

/// What the stages of an evaluation compute ([`crate::system::stage`]).
#[derive(Clone, Debug)]
pub struct Values {
    /// Bodies at the state being evaluated.
    pub bodies: Vec<BodyKinematics>,
    /// Markers at the state being evaluated.
    pub markers: Vec<MarkerKinematics>,
    /// Derivatives of the markers, for the Jacobian.
    pub slopes: Vec<MarkerSlopes>,
    /// Joints on curves at the state being evaluated.
    pub curve_joints: Vec<CurveValues>,
    /// General constraints at the state being evaluated.
    pub generals: Vec<GeneralValues>,
    /// Adjoints of leaves, for general constraints.
    pub leaf_adjoints: Vec<f64>,
    /// Leaves along a direction, for general constraints.
    pub trial_jets: Vec<TimeJet>,
    /// Targets of the motions at the time being evaluated.
    pub targets: Vec<Target>,
    /// The inertia term of each body, as the scheme modifies it.
    pub inertia_terms: Vec<InertiaTerm>,
    /// Multipliers at the state being evaluated, padded by group.
    pub multipliers: Vec<f64>,
    /// States of the differential equations at the state being evaluated.
    pub states: Vec<f64>,
    /// Numbers that a sampled system would hold after a sample.
    pub sample: Vec<f64>,
    /// Which sensors triggered in the last step.
    pub triggered: Vec<bool>,
    /// The time being evaluated \[s\].
    pub time: f64,
    /// Slopes of the delayed values.
    pub delay_slopes: Vec<DelaySlopes>,
    /// Fraction of gravity that acts at the time being evaluated.
    pub gravity_ramp: f64,
    /// Values of leaves.
    pub leaves: Vec<f64>,
    /// Values of expressions.
    pub expressions: Vec<f64>,
    /// Registers of the expression programs.
    pub registers: Vec<f64>,
    /// Adjoints of the registers.
    pub adjoints: Vec<f64>,
    /// Gradient of one program in its own leaves.
    pub leaf_gradient: Vec<f64>,
    /// Leaves as functions of time, for motions and general constraints.
    pub leaf_jets: Vec<TimeJet>,
    /// Registers of the time programs.
    pub jet_registers: Vec<TimeJet>,
    /// Wrenches of the forces on I.
    pub force_wrenches: Vec<Wrench>,
    /// Drives whose effort limits are ignored in an iteration.
    pub unlimited: Vec<bool>,
    /// Readings of the tyres.
    pub tyres: Vec<Reading>,
    /// Wrenches of the groups on I.
    pub group_wrenches: Vec<Wrench>,
    /// Unit wrenches of the constraint rows.
    pub units: Vec<Wrench>,
    /// Φ of the constraint rows; for legs that add up, their terms.
    pub violations: Vec<f64>,
    /// The unit wrenches as loads on the bodies of I and J: rows of G.
    pub row_loads: Vec<[[f64; 6]; 2]>,
    /// Mobilities of bodies and node frames: 1/m and 1/J.
    pub mobilities: Vec<(f64, f64)>,
    /// Gradients of scalars, at the schedule's indices.
    pub row_arena: Vec<[f64; 6]>,
    /// Gradients of wrenches, at the schedule's indices.
    pub block_arena: Vec<Block>,
    /// Scratch of flexible bodies.
    pub flexible: FlexibleWorkspace,
}

impl Workspace {
    /// Allocates everything.
    pub fn new(system: &System) -> Self {
        Self {
            values: Values::new(system),
            rhs: vec![0.0; system.tiles.padded()],
            matrix: system.matrix(),
        }
    }
}

impl Values {
    fn new(system: &System) -> Self {
        let zero = Vec3::zeros();
        let marker = MarkerKinematics::still(BodyId::GROUND);
        let o = Mat3::zeros();
        let slopes = MarkerSlopes {
            lever: zero,
            v: o,
            a: o,
            omega: o,
            alpha: o,
        };
        let largest = |f: &dyn Fn(&crate::expr::Program) -> usize| {
            system.programs.iter().map(f).max().unwrap_or(0)
        };
        let sampled = system.memory.sampled.iter();
        let sample = sampled.map(SampledEntry::numbers).max().unwrap_or(0);
        let registers = largest(&|p| p.registers());
        Self {
            bodies: vec![BodyKinematics::default(); system.bodies.len() + system.frames.len()],
            markers: vec![marker; system.markers.len()],
            slopes: vec![slopes; system.schedule.marker_slopes.last().copied().unwrap_or(0)],
            curve_joints: vec![CurveValues::zero(); system.curve_joints.len()],
            generals: system.generals.iter().map(GeneralValues::new).collect(),
            leaf_adjoints: vec![0.0; system.leaves.len()],
            trial_jets: vec![TimeJet::default(); system.leaves.len()],
            targets: vec![Target::default(); system.motions.len()],
            inertia_terms: vec![InertiaTerm::plain(); system.bodies.len()],
            multipliers: vec![0.0; system.layout.multipliers.len],
            states: vec![0.0; system.equations.len()],
            sample: vec![0.0; sample],
            triggered: vec![false; system.memory.sensors.len()],
            time: 0.0,
            delay_slopes: vec![DelaySlopes::default(); system.memory.delays.len()],
            gravity_ramp: 1.0,
            leaves: vec![0.0; system.leaves.len()],
            expressions: vec![0.0; system.programs.len()],
            registers: vec![0.0; registers],
            adjoints: vec![0.0; registers],
            leaf_gradient: vec![0.0; largest(&|p| p.leaves().len())],
            leaf_jets: vec![TimeJet::default(); system.leaves.len()],
            jet_registers: vec![TimeJet::default(); registers],
            force_wrenches: vec![Wrench::zero(); system.forces.len()],
            unlimited: vec![false; system.forces.len()],
            tyres: vec![Reading::default(); system.tyres.len()],
            group_wrenches: vec![Wrench::zero(); system.groups.len()],
            units: vec![Wrench::zero(); system.rows.len()],
            violations: vec![0.0; system.rows.len()],
            row_loads: vec![[[0.0; 6]; 2]; system.rows.len()],
            mobilities: vec![(0.0, 0.0); system.bodies.len() + system.frames.len()],
            row_arena: vec![[0.0; 6]; system.schedule.rows],
            block_arena: vec![ZERO_BLOCK; system.schedule.blocks],
            flexible: FlexibleWorkspace::new(system),
        }
    }
}

/// Scratch of flexible bodies.
#[derive(Clone, Debug)]
pub struct FlexibleWorkspace {
    /// Flexible bodies: modal coordinates and the integrals that depend on them.
    pub motions: Vec<Motion>,
    /// Node frames: position and orientation in their bodies.
    pub relative_motions: Vec<RelativeMotion>,
    /// Node frames: derivatives of their motion in the unknowns of their bodies.
    pub maps: Vec<Maps>,
    /// Node frames: loads, as rows of the residual.
    pub frame_loads: Vec<Wrench>,
    /// Node frames: change of these loads with the shapes of the modes.
    pub load_tangents: Vec<Mat3>,
    /// Flexible bodies: loads of their own motion.
    pub own_loads: Vec<Loads>,
    /// Flexible bodies: derivatives of these loads.
    pub flexible_slopes: Vec<Slopes>,
    /// The history term of modal coordinates.
    pub modal_history: Vec<f64>,
    /// Scratch for the largest number of modes.
    pub modal_scratch: Vec<f64>,
    /// Scratch for the tiles of frames.
    pub tile_scratch: Scratch,
    /// Do quasi-static modes have their inertia? True at the start, while accelerations are computed.
    pub with_lost_inertia: bool,
}

impl FlexibleWorkspace {
    fn new(system: &System) -> Self {
        let zero = Vec3::zeros();
        let modes = |k: usize| system.flexibles[k].element.modes;
        let most = (0..system.flexibles.len()).map(modes).max().unwrap_or(0);
        let of_frame = |frame: &FrameEntry| Maps::new(modes(frame.flexible));
        let loads = Loads {
            force: zero,
            torque: zero,
        };
        Self {
            motions: (0..system.flexibles.len())
                .map(|k| Motion::new(modes(k)))
                .collect(),
            relative_motions: vec![RelativeMotion::default(); system.frames.len()],
            maps: system.frames.iter().map(of_frame).collect(),
            frame_loads: vec![Wrench::zero(); system.frames.len()],
            load_tangents: vec![Mat3::zeros(); system.frames.len()],
            own_loads: vec![loads; system.flexibles.len()],
            flexible_slopes: (0..system.flexibles.len())
                .map(|k| Slopes::new(modes(k)))
                .collect(),
            modal_history: vec![0.0; system.layout.modal.len],
            modal_scratch: vec![0.0; most],
            tile_scratch: Scratch::new(most),
            with_lost_inertia: false,
        }
    }
}

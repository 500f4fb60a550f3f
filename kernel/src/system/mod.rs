//! Data plane: the compiled mechanism, immutable, flat, shared by reference.
//!
//! [`compile`] turns a [`crate::mechanism::Mechanism`] into a [`System`] once; [`eval`], [`residual`] and
//! [`jacobian`] are the sweeps of a step over it. Nothing here knows an integrator or FMI.

pub mod compile;
pub mod condense;
pub mod curves;
pub mod delay;
pub mod energy;
pub mod equations;
pub mod eval;
pub mod flexible;
pub mod general;
pub mod gradients;
pub mod inputs;
pub mod jacobian;
pub mod layout;
pub mod length;
pub mod memory;
pub mod ramp;
pub mod residual;
pub mod schedule;

use crate::elements::angle::AngleDefinition;
use crate::elements::constraints::{Products, RowKind};
use crate::elements::curves::PairScalar;
use crate::elements::forces::ForceElement;
use crate::elements::forces::tyre::Tyre;
use crate::elements::joints;
use crate::elements::kinematics::{MarkerFrame, MarkerSlopes, Weights};
use crate::expr::Program;
use crate::ids::{CouplerId, ExprId, GeneralId, JointId, LeafId, MarkerId, MotionId, ValueId};
use crate::linalg::{BlockId, Pattern, Slot, TILE, TileMatrix};
use crate::mechanism::{Law, Leaf, MotionLevel, ScaledExpr, StateStart};
use crate::workspace::Workspace;
use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;
use condense::{Condensation, KINDS};
use curves::CurveJoint;
use flexible::{FlexibleEntry, FrameEntry};
use general::GeneralEntry;
use inputs::Bounds;
use layout::Layout;
use memory::MemoryEntries;
use schedule::Schedule;

/// An immutable mechanism.
#[derive(Clone, Debug)]
pub struct System {
    /// Where the state lives.
    pub layout: Layout,
    /// Bodies; the first is ground.
    pub bodies: Vec<BodyEntry>,
    /// What loads on each body, then on each frame, go to.
    pub carriers: Vec<Carrier>,
    /// What makes bodies flexible.
    pub flexibles: Vec<FlexibleEntry>,
    /// Frames of nodes; elements count them as bodies, after all others.
    pub frames: Vec<FrameEntry>,
    /// Markers.
    pub markers: Vec<MarkerFrame>,
    /// Constraint groups: one per joint or motion that holds anything, and one per joint of a coupler.
    pub groups: Vec<Group>,
    /// Constraint rows, group by group.
    pub rows: Vec<Row>,
    /// Joints on curves.
    pub curve_joints: Vec<CurveJoint>,
    /// The place of each joint among them; zero of others.
    pub curve_places: Vec<usize>,
    /// General constraints.
    pub generals: Vec<GeneralEntry>,
    /// Motions.
    pub motions: Vec<MotionEntry>,
    /// Forces.
    pub forces: Vec<ForceElement>,
    /// Tyres, which forces refer to.
    pub tyres: Vec<Tyre>,
    /// Slots of the forces, in the same order.
    pub force_slots: Vec<ForceSlots>,
    /// Unknowns with equations of their own: states and implicit variables.
    pub equations: Vec<EquationEntry>,
    /// Elements with a memory.
    pub memory: MemoryEntries,
    /// Angles that count turns.
    pub angles: Vec<(AngleDefinition, MarkerId, MarkerId)>,
    /// From where each of them starts to count: its value at the model's pose where a row has it, so
    /// that the assembled angle is the one within half a turn; else 0.
    pub angle_starts: Vec<f64>,
    /// Feet of the joints on curves at the model's pose.
    pub feet_starts: Vec<f64>,
    /// Where the numbers of elements come from.
    pub numbers: Vec<ValueId>,
    /// Inputs before they are set.
    pub input_starts: Vec<f64>,
    /// Their bounds.
    pub input_bounds: Vec<Bounds>,
    /// Gravity's three numbers.
    pub gravity: usize,
    /// What gives a component of gravity instead.
    pub gravity_functions: [Option<ScaledExpr>; 3],
    /// Expressions.
    pub programs: Vec<Program>,
    /// Leaves of expressions.
    pub leaves: Vec<Leaf>,
    /// Counted angle of each leaf that has one.
    pub leaf_memory: Vec<Option<usize>>,
    /// Expression of each model variable.
    pub variables: Vec<ExprId>,
    /// Variables and leaves that motions need, for their time derivatives.
    pub motion_variables: Vec<(ExprId, Vec<LeafId>)>,
    /// Expressions of the outputs.
    pub outputs: Vec<ExprId>,
    /// What to evaluate, in which order.
    pub schedule: Schedule,
    /// Block structure of the Newton matrix.
    pub pattern: Pattern,
    /// The tiles of frames.
    pub tiles: Condensation,
}

/// A body as the step needs it.
#[derive(Clone, Debug)]
pub struct BodyEntry {
    /// Name, for messages.
    pub name: String,
    /// Its block of unknowns; ground has none.
    pub block: Option<BlockId>,
    /// Degrees of freedom: 0, 3 or 6.
    pub dof: usize,
    /// Mass and six inertia numbers in the table of numbers.
    pub numbers: usize,
    /// Slot of the diagonal tile.
    pub slot: Option<Slot>,
    /// What makes it flexible.
    pub flexible: Option<usize>,
}

/// A body or a frame as elements see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Carrier {
    /// The block of its pose and its loads; ground has none.
    pub block: Option<BlockId>,
    /// Its degrees of freedom.
    pub dof: usize,
}

/// Weights of the pose, the velocity and the acceleration of a frame.
pub const KIND_WEIGHTS: [Weights; KINDS] = [
    unit(1.0, 0.0, 0.0),
    unit(0.0, 1.0, 0.0),
    unit(0.0, 0.0, 1.0),
];

const fn unit(x: f64, u: f64, a: f64) -> Weights {
    Weights {
        x,
        u,
        a,
        l: 1.0,
        z: 1.0,
    }
}

/// Whose constraint a group is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// A joint.
    Joint(JointId),
    /// A coupler or gear.
    Coupler(CouplerId),
    /// A general constraint.
    General(GeneralId),
    /// A motion.
    Motion(MotionId),
    /// A joint's initial condition (start analysis only).
    Initial(JointId),
}

/// The constraint rows of one joint or motion, or one joint's part of a coupler.
///
/// The groups of a coupler follow one another; their rows add up to one row with one multiplier, (CPL-1).
/// They share its block, and each keeps a copy of the multiplier.
#[derive(Clone, Debug)]
pub struct Group {
    /// Whose.
    pub owner: Owner,
    /// Marker I.
    pub i: MarkerId,
    /// Marker J.
    pub j: MarkerId,
    /// Its rows.
    pub rows: layout::Span,
    /// First of the rows that its own add up to: its own, or those of a coupler's first group.
    pub lead: usize,
    /// Do all its forces turn with J and nothing else?
    pub plain: bool,
    /// Its rows, if they are products that stay at zero.
    pub products: Option<Products>,
    /// Its block of multipliers.
    pub block: BlockId,
    /// Diagonal tile of the multiplier block.
    pub diagonal: Slot,
    /// Tiles of the body of I and of J.
    pub slots: PairSlots,
}

/// Tiles that a pair of bodies (I, J) shares with one another and with a multiplier block.
#[derive(Clone, Copy, Debug, Default)]
pub struct PairSlots {
    /// (I, I), (I, J), (J, I), (J, J).
    pub bodies: [[Option<Slot>; 2]; 2],
    /// (I, λ), (J, λ).
    pub columns: [Option<Slot>; 2],
    /// (λ, I), (λ, J).
    pub rows: [Option<Slot>; 2],
}

/// One scalar constraint.
#[derive(Clone, Debug)]
pub struct Row {
    /// What it holds.
    pub law: RowLaw,
    /// Its target.
    pub target: RowTarget,
    /// Counted angle, for rows that have one.
    pub memory: Option<usize>,
    /// Which stages of the start it takes part in (the step uses all rows).
    pub stage: Stage,
}

impl Row {
    /// Does its force turn with J and nothing else?
    pub fn is_plain(&self) -> bool {
        matches!(&self.law, RowLaw::Markers(kind) if kind.turns_with_j())
    }

    /// Is it an angle that a motion drives? It holds as well whole turns further on.
    pub fn is_driven_angle(&self) -> bool {
        matches!(
            (&self.law, &self.target),
            (RowLaw::Markers(RowKind::Angle(_)), RowTarget::Motion(_))
        )
    }

    /// Its kind, if it stays at zero.
    pub fn rests(&self) -> Option<&RowKind> {
        match (&self.law, &self.target) {
            (RowLaw::Markers(kind), RowTarget::Constant(0.0, 0.0)) => Some(kind),
            _ => None,
        }
    }
}

/// What a row holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RowLaw {
    /// A function of its two markers.
    Markers(RowKind),
    /// A row of a joint on curves, found with the feet.
    Curve {
        /// The joint, in the order of joints on curves.
        joint: usize,
        /// Which of its rows.
        row: usize,
    },
    /// A leg of a general constraint.
    General {
        /// The constraint.
        constraint: GeneralId,
        /// The leg.
        leg: usize,
    },
}

impl RowLaw {
    /// What it holds, for messages.
    pub fn label(&self) -> String {
        match self {
            Self::Markers(kind) => joints::row_label(kind),
            Self::Curve { .. } => "distance from the curve".to_owned(),
            Self::General { .. } => "the expression".to_owned(),
        }
    }

    /// The angle \[rad\] that a violation means: that of a product of axes is its sine. `None`: it is no angle.
    pub fn angle(&self, violation: f64) -> Option<f64> {
        match self {
            Self::Markers(RowKind::Dot1(..)) => Some(crate::math::asin(violation.clamp(-1.0, 1.0))),
            _ => (self.is_angular() == Some(true)).then_some(violation),
        }
    }

    /// Is the violation an angle rather than a length? `None`: neither.
    pub fn is_angular(&self) -> Option<bool> {
        match self {
            Self::Markers(kind) => Some(joints::is_angular(kind)),
            Self::Curve { .. } => Some(false),
            Self::General { .. } => None,
        }
    }
}

/// Where a row's target comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RowTarget {
    /// A constant value and rate.
    Constant(f64, f64),
    /// A motion.
    Motion(MotionId),
}

/// Stages of the start analysis that a row takes part in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stage {
    /// Position assembly.
    pub position: bool,
    /// Velocity projection.
    pub velocity: bool,
}

/// A motion as the step needs it.
#[derive(Clone, Copy, Debug)]
pub struct MotionEntry {
    /// The expression.
    pub expr: ExprId,
    /// Its factor to SI.
    pub to_si: f64,
    /// Which derivative it gives.
    pub level: MotionLevel,
    /// Markers.
    pub markers: (MarkerId, MarkerId),
    /// The driven coordinate.
    pub row: RowKind,
    /// Coordinate and rate at the start, where the expression gives a rate.
    pub initial: (Option<f64>, f64),
}

/// An unknown with an equation of its own as the step needs it.
#[derive(Clone, Debug)]
pub struct EquationEntry {
    /// How messages call it.
    pub name: String,
    /// dz/dt = g or 0 = r.
    pub law: Law,
    /// Where it begins.
    pub start: StateStart,
    /// The initial value in the table of numbers.
    pub initial: usize,
    /// Its block of unknowns.
    pub block: BlockId,
    /// Its place in that block.
    pub place: usize,
    /// Diagonal tile.
    pub slot: Slot,
    /// Tiles of its row, by the support of g or r.
    pub slots: Vec<Slot>,
}

/// Tiles that a force touches: rows the bodies of I and J, columns its support.
#[derive(Clone, Debug, Default)]
pub struct ForceSlots {
    /// Per support entry: (row I, row J).
    pub support: Vec<[Option<Slot>; 2]>,
    /// Where the bodies of I, J and the axes marker stand in the support.
    pub place: [Option<usize>; 3],
}

impl EquationEntry {
    /// g or r.
    pub fn expr(&self) -> ExprId {
        self.law.expression().expr
    }

    /// Is there no rate, but a residual?
    pub fn is_algebraic(&self) -> bool {
        matches!(self.law, Law::Residual(_))
    }

    /// ∂unknown/∂(the unknown of the Newton matrix): implicit variables stand there like multipliers.
    pub fn weight(&self, weights: &Weights) -> f64 {
        if self.is_algebraic() {
            weights.l
        } else {
            weights.z
        }
    }
}

impl Group {
    /// Does it add to the rows of a group before it?
    pub fn adds(&self) -> bool {
        self.lead != self.rows.first
    }

    /// How many of its rows come first that may have forces; the others have torques alone.
    pub fn pushes(&self) -> usize {
        self.products
            .as_ref()
            .map_or(self.rows.len, Products::slides)
    }
}

impl System {
    /// Constraints: rows, with those that add up counted once.
    pub fn constraints(&self) -> usize {
        let own = self.groups.iter().filter(|group| !group.adds());
        own.map(|group| group.rows.len).sum()
    }

    /// Degrees of freedom: coordinates, modal ones included, less the constraints in force.
    pub fn freedoms(&self) -> usize {
        let bodies = self.bodies.iter().filter(|body| body.block.is_some());
        let coordinates: usize = bodies.map(|body| body.dof).sum();
        (coordinates + self.layout.modal.len).saturating_sub(self.constraints())
    }

    /// The place of a joint among those on curves, and how far along a curve it is.
    pub fn arc<'a>(
        &self,
        ws: &'a Workspace,
        joint: JointId,
        on_j: bool,
    ) -> (usize, &'a PairScalar) {
        let place = self.curve_places[joint.index()];
        (place, &ws.curve_joints[place].arcs[usize::from(on_j)])
    }

    /// How messages number an equation: after all blocks.
    pub fn number_of_equation(&self, equation: usize) -> u32 {
        (self.pattern.blocks() + equation) as u32
    }

    /// The body or frame of a marker: frames count after all bodies.
    pub fn body_of(&self, marker: MarkerId) -> usize {
        self.markers[marker.index()].body.index()
    }

    /// What elements see of a body or frame.
    #[inline]
    pub fn carrier(&self, body: usize) -> Carrier {
        self.carriers[body]
    }

    /// The body that a body or frame belongs to.
    pub fn owner(&self, body: usize) -> usize {
        let frame = body.checked_sub(self.bodies.len());
        frame.map_or(body, |f| self.flexibles[self.frames[f].flexible].body)
    }

    /// The weights at which elements give derivatives in the pose of a body or frame.
    pub fn pose_weights(&self, body: usize, weights: &Weights) -> Weights {
        if body < self.bodies.len() {
            *weights
        } else {
            KIND_WEIGHTS[0]
        }
    }

    /// The derivatives of a marker in the pose of its body or frame.
    pub fn pose_slopes<'a>(
        &self,
        slopes: &'a [MarkerSlopes],
        marker: MarkerId,
    ) -> &'a MarkerSlopes {
        &slopes[self.schedule.marker_slopes[marker.index()]]
    }

    /// Unknowns of a block, that of a frame included.
    pub fn size(&self, block: BlockId) -> usize {
        if self.tiles.is_frame(block) {
            TILE
        } else {
            self.pattern.size(block)
        }
    }

    /// Control plane: a matrix of zeros for assembly.
    pub fn matrix(&self) -> TileMatrix {
        TileMatrix::with_more(&self.pattern, self.tiles.tiles())
    }

    /// Where modal coordinates begin in velocities, accelerations and their kin.
    pub fn modal_first(&self) -> usize {
        layout::RATE * self.bodies.len()
    }
}

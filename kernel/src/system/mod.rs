//! Data plane: the compiled mechanism: immutable, in flat tables, shared by reference.
//!
//! [`compile`] makes a [`System`] from a [`crate::mechanism::Mechanism`] once. [`eval`], [`residual`] and
//! [`jacobian`] evaluate it in every step. Nothing here depends on an integrator or on FMI.

pub mod compile;
pub mod condense;
pub mod curves;
pub mod delay;
pub mod energy;
pub mod entity;
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
pub mod rates;
pub mod residual;
pub mod schedule;
pub mod stage;

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
use crate::system::curves::CurveValues;
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
use rates::RateRow;
use schedule::Schedule;

/// An immutable mechanism.
#[derive(Clone, Debug)]
pub struct System {
    /// Layout of the state.
    pub layout: Layout,
    /// Bodies; the first is ground.
    pub bodies: Vec<BodyEntry>,
    /// The block that receives loads on each body, then on each node frame.
    pub carriers: Vec<Carrier>,
    /// The flexible bodies.
    pub flexibles: Vec<FlexibleEntry>,
    /// Node frames; elements number them as bodies, after all others.
    pub frames: Vec<FrameEntry>,
    /// Markers.
    pub markers: Vec<MarkerFrame>,
    /// Constraint groups: one per joint or motion that has rows, and one per joint of a coupler.
    pub groups: Vec<Group>,
    /// Constraint rows, group by group.
    pub rows: Vec<Row>,
    /// The rows that restrict velocities only.
    pub rate_rows: Vec<RateRow>,
    /// Joints on curves.
    pub curve_joints: Vec<CurveJoint>,
    /// Index of each joint among the joints on curves; zero for others.
    pub curve_places: Vec<usize>,
    /// General constraints.
    pub generals: Vec<GeneralEntry>,
    /// Motions.
    pub motions: Vec<MotionEntry>,
    /// Forces.
    pub forces: Vec<ForceElement>,
    /// Tyres, to which forces refer.
    pub tyres: Vec<Tyre>,
    /// Slots of the forces, in the same order.
    pub force_slots: Vec<ForceSlots>,
    /// Equations of states and implicit variables.
    pub equations: Vec<EquationEntry>,
    /// Elements with a memory.
    pub memory: MemoryEntries,
    /// Angles that count turns.
    pub angles: Vec<(AngleDefinition, MarkerId, MarkerId)>,
    /// Start value for counting each of them: its value at the model's pose if a row has the angle, so that the
    /// assembled angle is the one within half a turn; else 0.
    pub angle_starts: Vec<f64>,
    /// Feet of the joints on curves at the model's pose.
    pub feet_starts: Vec<f64>,
    /// Source of each element number.
    pub numbers: Vec<ValueId>,
    /// Inputs before the importer sets them.
    pub input_starts: Vec<f64>,
    /// Their bounds.
    pub input_bounds: Vec<Bounds>,
    /// Index of gravity's three numbers.
    pub gravity: usize,
    /// Expressions that replace components of gravity.
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
    /// What to evaluate, and in which order.
    pub schedule: Schedule,
    /// Sparsity pattern of the Newton matrix.
    pub pattern: Pattern,
    /// The tiles of node frames.
    pub tiles: Condensation,
}

/// A body in the compiled system.
#[derive(Clone, Debug)]
pub struct BodyEntry {
    /// Name, for messages.
    pub name: String,
    /// Its block of unknowns; ground has none.
    pub block: Option<BlockId>,
    /// Degrees of freedom: 0, 3 or 6.
    pub dof: usize,
    /// Index of mass and six inertia numbers in the table of numbers.
    pub numbers: usize,
    /// Slot of the diagonal tile.
    pub slot: Option<Slot>,
    /// Index of its flexible body.
    pub flexible: Option<usize>,
}

/// A body or node frame, as elements see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Carrier {
    /// The block for its pose and its loads; ground has none.
    pub block: Option<BlockId>,
    /// Its degrees of freedom.
    pub dof: usize,
}

/// Weights of the pose, the velocity and the acceleration of a node frame.
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

/// The owner of a constraint group.
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
    /// Its owner.
    pub owner: Owner,
    /// Marker I.
    pub i: MarkerId,
    /// Marker J.
    pub j: MarkerId,
    /// Its rows.
    pub rows: layout::Span,
    /// First of the rows to which its own add up: its own, or those of a coupler's first group.
    pub lead: usize,
    /// Do all its forces rotate with J only?
    pub rotates_with_j: bool,
    /// Its rows, if they are dot products that stay at zero.
    pub products: Option<Products>,
    /// Its block of multipliers.
    pub block: BlockId,
    /// Diagonal tile of the multiplier block.
    pub diagonal: Slot,
    /// Tiles of the body of I and of J.
    pub slots: PairSlots,
}

/// The tiles of a pair of bodies (I, J), and those with a multiplier block.
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
    /// What it constrains.
    pub law: RowLaw,
    /// Its target.
    pub target: RowTarget,
    /// Index of the counted angle, for rows that have one.
    pub memory: Option<usize>,
    /// Which stages of the start it takes part in (the step uses all rows).
    pub stage: Stage,
}

impl Row {
    /// Does its force rotate with J only?
    pub fn rotates_with_j(&self) -> bool {
        matches!(&self.law, RowLaw::Markers(kind) if kind.turns_with_j())
    }

    /// Is it an angle that a motion drives? Such a row is also met whole turns further on.
    pub fn is_driven_angle(&self) -> bool {
        matches!(
            (&self.law, &self.target),
            (RowLaw::Markers(RowKind::Angle(_)), RowTarget::Motion(_))
        )
    }

    /// Its kind, if its target is constant zero.
    pub fn held_at_zero(&self) -> Option<&RowKind> {
        match (&self.law, &self.target) {
            (RowLaw::Markers(kind), RowTarget::Constant(0.0, 0.0)) => Some(kind),
            _ => None,
        }
    }
}

/// What a row constrains.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RowLaw {
    /// A function of its two markers.
    Markers(RowKind),
    /// A row of a joint on curves, evaluated with its feet.
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
    /// Does it restrict velocities only?
    pub fn is_rate(&self) -> bool {
        matches!(self, Self::Markers(kind) if kind.is_rate())
    }

    /// What it constrains, for messages.
    pub fn label(&self) -> String {
        match self {
            Self::Markers(kind) => joints::row_label(kind),
            Self::Curve { .. } => "distance from the curve".to_owned(),
            Self::General { .. } => "the expression".to_owned(),
        }
    }

    /// The angle \[rad\] that a violation means; for a dot product of axes the violation is its sine. `None` if it is
    /// no angle.
    pub fn angle(&self, violation: f64) -> Option<f64> {
        match self {
            Self::Markers(RowKind::Dot1(..)) => Some(crate::math::asin(violation.clamp(-1.0, 1.0))),
            _ => (self.is_angular() == Some(true)).then_some(violation),
        }
    }

    /// Is the violation an angle rather than a length? `None` if neither.
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

/// A motion in the compiled system.
#[derive(Clone, Copy, Debug)]
pub struct MotionEntry {
    /// The expression.
    pub expr: ExprId,
    /// Its factor to SI.
    pub to_si: f64,
    /// Which derivative the expression gives.
    pub level: MotionLevel,
    /// Markers.
    pub markers: (MarkerId, MarkerId),
    /// The driven coordinate.
    pub row: RowKind,
    /// Coordinate and rate at the start, if the expression gives a rate.
    pub initial: (Option<f64>, f64),
}

/// A state or implicit variable in the compiled system.
#[derive(Clone, Debug)]
pub struct EquationEntry {
    /// Its name in messages.
    pub name: String,
    /// dz/dt = g or 0 = r.
    pub law: Law,
    /// Its condition at the start.
    pub start: StateStart,
    /// The initial value in the table of numbers.
    pub initial: usize,
    /// Its block of unknowns.
    pub block: BlockId,
    /// Its index in that block.
    pub place: usize,
    /// Diagonal tile.
    pub slot: Slot,
    /// Tiles of its row, in the order of the support of g or r.
    pub slots: Vec<Slot>,
}

/// Tiles of a force: rows are the bodies of I and J, columns its support.
#[derive(Clone, Debug, Default)]
pub struct ForceSlots {
    /// Per support entry: (row I, row J).
    pub support: Vec<[Option<Slot>; 2]>,
    /// Index of the bodies of I, J and the axes marker in the support.
    pub place: [Option<usize>; 3],
}

impl EquationEntry {
    /// g or r.
    pub fn expr(&self) -> ExprId {
        self.law.expression().expr
    }

    /// Is it an implicit variable, with a residual and no rate?
    pub fn is_algebraic(&self) -> bool {
        matches!(self.law, Law::Residual(_))
    }

    /// ∂unknown/∂(the unknown of the Newton matrix). Implicit variables are scaled like multipliers.
    pub fn weight(&self, weights: &Weights) -> f64 {
        if self.is_algebraic() {
            weights.l
        } else {
            weights.z
        }
    }
}

impl Group {
    /// Do its rows add to those of a group before it?
    pub fn adds(&self) -> bool {
        self.lead != self.rows.first
    }

    /// The number of leading rows that may have forces; the others have only torques.
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

    /// Degrees of freedom: coordinates, including modal ones, less the independent constraints, also those of
    /// velocities only.
    pub fn freedoms(&self) -> usize {
        let bodies = self.bodies.iter().filter(|body| body.block.is_some());
        let coordinates: usize = bodies.map(|body| body.dof).sum();
        (coordinates + self.layout.modal.len).saturating_sub(self.constraints())
    }

    /// The index of a joint among those on curves, with its arc length along the curve. `values` are those of the
    /// workspace.
    pub fn arc<'a>(
        &self,
        values: &'a [CurveValues],
        joint: JointId,
        on_j: bool,
    ) -> (usize, &'a PairScalar) {
        let place = self.curve_places[joint.index()];
        (place, &values[place].arcs[usize::from(on_j)])
    }

    /// The body or node frame of a marker; frames are numbered after all bodies.
    pub fn body_of(&self, marker: MarkerId) -> usize {
        self.markers[marker.index()].body.index()
    }

    /// A body or node frame as elements see it.
    #[inline]
    pub fn carrier(&self, body: usize) -> Carrier {
        self.carriers[body]
    }

    /// The body to which a body or node frame belongs.
    pub fn owner(&self, body: usize) -> usize {
        let frame = body.checked_sub(self.bodies.len());
        frame.map_or(body, |f| self.flexibles[self.frames[f].flexible].body)
    }

    /// The weights at which elements give derivatives in the pose of a body or node frame.
    pub fn pose_weights(&self, body: usize, weights: &Weights) -> Weights {
        if body < self.bodies.len() {
            *weights
        } else {
            KIND_WEIGHTS[0]
        }
    }

    /// The derivatives of a marker in the pose of its body or node frame.
    pub fn pose_slopes<'a>(
        &self,
        slopes: &'a [MarkerSlopes],
        marker: MarkerId,
    ) -> &'a MarkerSlopes {
        &slopes[self.schedule.marker_slopes[marker.index()]]
    }

    /// Number of unknowns of a block, also of a node frame's.
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

    /// Index of the first modal coordinate in spans of velocities, accelerations and the like.
    pub fn modal_first(&self) -> usize {
        layout::RATE * self.bodies.len()
    }
}

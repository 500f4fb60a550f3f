//! Control plane: compiles a mechanism into a frozen system, the form that a step runs over.

mod constraints;
mod curves;
pub mod error;
mod extent;
mod flexible;
mod forces;
mod inputs;
mod unsupported_loads;
mod variables;

use crate::elements::joints;
use crate::elements::kinematics::MarkerFrame;
use crate::elements::measures;
use crate::ids::{BodyId, MarkerId, ValueId};
use crate::linalg::{BlockId, Pattern, PatternBuilder, TILE};
use crate::math::Vec3;
use crate::mechanism::{BodyKind, Leaf, MarkerBase, Mechanism};
use crate::system::condense::{Condensation, Coupler};
use crate::system::equations;
use crate::system::flexible::FrameEntry;
use crate::system::inputs::{Bounds, remembered};
use crate::system::layout::{Layout, Sizes};
use crate::system::memory::{DelayEntry, MemoryEntries};
use crate::system::rates::RateRow;
use crate::system::schedule::{self, Graph};
use crate::system::{
    BodyEntry, Carrier, EquationEntry, ForceElement, ForceSlots, MotionEntry, PairSlots, Row,
    System,
};
use alloc::vec::Vec;

use alloc::collections::BTreeSet;
use error::CompileError;
use extent::Extents;
pub use inputs::{delayed_as_equations, delays_as_states, inputs_as_states, outputs_as_equations};
pub use variables::variables_of;

/// Which constraint rows a system gets.
#[derive(Clone, Copy, Debug)]
pub enum Selection<'a> {
    /// All rows, and the joints' initial conditions: for the analyses of the start.
    Start,
    /// The marked rows, in the order joints, couplers, motions: for stepping.
    Keep(&'a [bool]),
}

/// Compiles a mechanism.
pub fn compile(mechanism: &Mechanism, selection: Selection<'_>) -> Result<System, CompileError> {
    let (mut numbers, mut builder) = (Numbers::default(), PatternBuilder::new());
    let gravity = numbers.push(&mechanism.gravity.numbers);
    let bodies = bodies(mechanism, &mut numbers, &mut builder);
    let mut flexible = flexible::bodies(mechanism, &bodies, &mut builder);
    let markers = markers(mechanism, &mut flexible);
    let (mut angles, leaf_memory) = Angles::of_leaves(&mechanism.leaves);
    let to = (&mut builder, &mut angles);
    let (groups, rows) = constraints::constraints(mechanism, &markers, selection, to);
    let (mut forces, tyres) = forces::compile_forces(mechanism, &mut numbers, &mut angles, &groups);
    let first = numbers.push(&equations::numbers(mechanism));
    let equations = equations::entries(mechanism, first, &mut builder);
    let mut memory = MemoryEntries::new(mechanism, |ids| numbers.push(ids));
    let marker_blocks = flexible.blocks(&markers, &bodies, builder.blocks());
    let graph = Graph {
        mechanism,
        forces: &forces,
        groups: &groups,
        equations: &equations,
        marker_blocks: &marker_blocks,
        first_frame: builder.blocks() as u32,
    };
    let schedule = schedule::build(&graph, memory.lists())?;
    let curve_joints = curves::joints(mechanism);
    let layout = Layout::new(&Sizes {
        angles: angles.list.len(),
        contacts: forces::place_memories(&mut forces),
        curve_joints: curve_joints.len(),
        numbers: numbers.list.len(),
        groups: groups.len(),
        modes: flexible.modes(),
        ..sizes(mechanism, (&forces, &equations), &memory, &rows)
    });
    let mut system = System {
        layout,
        carriers: carriers(&bodies, &flexible.frames),
        bodies,
        feet_starts: curves::first_feet(mechanism, &markers, &curve_joints),
        curve_places: curves::places(mechanism, &curve_joints),
        curve_joints,
        generals: curves::generals(mechanism, &groups),
        flexibles: flexible.bodies,
        frames: flexible.frames,
        markers,
        rate_rows: RateRow::all(&groups, &rows),
        groups,
        rows,
        motions: mechanism.motions.iter().map(motion_entry).collect(),
        forces,
        tyres,
        force_slots: Vec::new(),
        equations,
        memory,
        angle_starts: angles.starts,
        angles: angles.list,
        numbers: numbers.list,
        input_starts: mechanism.inputs.iter().map(|i| i.quantity.start).collect(),
        input_bounds: Bounds::of_all(&mechanism.inputs),
        gravity,
        gravity_functions: mechanism.gravity.functions,
        programs: mechanism.expressions.clone(),
        leaves: mechanism.leaves.clone(),
        leaf_memory,
        variables: mechanism.variables.iter().map(|v| v.expr).collect(),
        motion_variables: variables::of_motions(mechanism),
        outputs: mechanism.outputs.iter().map(|o| o.expr).collect(),
        schedule,
        pattern: PatternBuilder::new().build(),
        tiles: Condensation::default(),
    };
    tiles(mechanism, &mut system, &marker_blocks, builder).map(|()| system)
}

/// The sparsity pattern, and the tiles of all elements in it; refuses loads where no mode moves a node.
fn tiles(
    mechanism: &Mechanism,
    system: &mut System,
    blocks: MarkerBlocks<'_>,
    builder: PatternBuilder,
) -> Result<(), CompileError> {
    let body = |frame: &FrameEntry| system.flexibles[frame.flexible].blocks.clone();
    let coupler = Coupler::new(builder, system.frames.iter().map(body).collect());
    let extents = Extents::of(mechanism, system, blocks, &coupler);
    extents.refuse_many()?;
    (system.pattern, system.tiles) = pattern(system, blocks, coupler);
    extents.refuse_wide(&system.pattern)?;
    resolve_slots(system, blocks);
    unsupported_loads::refuse(mechanism, &system.groups, &system.rows)
}

/// Counts what the mechanism itself determines.
fn sizes(
    mechanism: &Mechanism,
    (forces, equations): (&[ForceElement], &[EquationEntry]),
    memory: &MemoryEntries,
    rows: &[Row],
) -> Sizes {
    Sizes {
        passing: forces.iter().filter(|f| f.law.may_pass()).count(),
        variables: equations.iter().filter(|e| e.is_algebraic()).count(),
        memory: memory.len,
        driven_angles: rows.iter().filter(|row| row.is_driven_angle()).count(),
        delays: memory.delays.iter().map(DelayEntry::numbers).sum(),
        bodies: mechanism.bodies.len(),
        equations: mechanism.equations.len(),
        motions: mechanism.motions.len(),
        inputs: mechanism.inputs.len(),
        remembered: remembered(&mechanism.solver, mechanism.inputs.len()),
        parameters: mechanism.parameters.len(),
        ..Sizes::default()
    }
}

/// The table of element numbers under construction.
#[derive(Default)]
struct Numbers {
    list: Vec<ValueId>,
}

impl Numbers {
    fn push(&mut self, values: &[ValueId]) -> usize {
        let first = self.list.len();
        self.list.extend_from_slice(values);
        first
    }
}

type CountedAngle = (crate::elements::angle::AngleDefinition, MarkerId, MarkerId);

/// The table of counted angles under construction.
#[derive(Default)]
struct Angles {
    list: Vec<CountedAngle>,
    starts: Vec<f64>,
}

impl Angles {
    fn push(&mut self, angle: CountedAngle) -> usize {
        let known = self.list.iter().position(|a| *a == angle);
        known.unwrap_or_else(|| {
            self.list.push(angle);
            self.starts.push(0.0);
            self.list.len() - 1
        })
    }

    /// Adds the angle of a constraint row, with its value at the model's pose.
    fn push_row(&mut self, angle: CountedAngle, start: f64) -> usize {
        let at = self.push(angle);
        self.starts[at] = start;
        at
    }

    fn of_leaves(leaves: &[Leaf]) -> (Self, Vec<Option<usize>>) {
        let mut angles = Self::default();
        let places = leaves.iter().map(|leaf| angles.of_leaf(leaf)).collect();
        (angles, places)
    }

    fn of_leaf(&mut self, leaf: &Leaf) -> Option<usize> {
        match leaf {
            Leaf::Kinematic { measure, i, j, .. } => {
                measures::counted_angle(*measure).map(|def| self.push((def, *i, *j)))
            }
            _ => None,
        }
    }
}

/// For each body and node frame: the block that receives its loads.
fn carriers(bodies: &[BodyEntry], frames: &[FrameEntry]) -> Vec<Carrier> {
    let bodies = bodies.iter().map(|entry| Carrier {
        block: entry.block,
        dof: entry.dof,
    });
    let frames = frames.iter().map(|frame| Carrier {
        block: Some(frame.block),
        dof: TILE,
    });
    bodies.chain(frames).collect()
}

fn bodies(
    mechanism: &Mechanism,
    numbers: &mut Numbers,
    builder: &mut PatternBuilder,
) -> Vec<BodyEntry> {
    let mut entries = Vec::new();
    for body in &mechanism.bodies {
        let first = numbers.push(&[body.mass]);
        numbers.push(&body.inertia);
        let dof = match body.kind {
            BodyKind::Ground => 0,
            BodyKind::Point => 3,
            BodyKind::Rigid | BodyKind::Flexible => 6,
        };
        let block = (dof > 0).then(|| builder.add_block(dof));
        entries.push(BodyEntry {
            name: body.name.clone(),
            block,
            dof,
            numbers: first,
            slot: None,
            flexible: None,
        });
    }
    entries
}

fn markers(mechanism: &Mechanism, flexible: &mut flexible::Drafts) -> Vec<MarkerFrame> {
    let frame = |m: &crate::mechanism::Marker| match m.base {
        MarkerBase::Node(_) | MarkerBase::Functions(_) => flexible.marker(mechanism, m),
        MarkerBase::Body => {
            let center = mechanism.bodies[m.body.index()].center_of_mass;
            MarkerFrame::new(m.body, m.position - center, m.orientation)
        }
    };
    mechanism.markers.iter().map(frame).collect()
}

/// Position of a body's centre of mass at the model's pose.
pub fn initial_position(mechanism: &Mechanism, body: BodyId) -> Vec3 {
    let body = &mechanism.bodies[body.index()];
    body.position + body.orientation * body.center_of_mass
}

fn motion_entry(motion: &crate::mechanism::Motion) -> MotionEntry {
    MotionEntry {
        expr: motion.function.expr,
        to_si: motion.function.to_si,
        level: motion.level,
        markers: (motion.i, motion.j),
        row: joints::driven_row(motion.coordinate),
        initial: (motion.initial_displacement, motion.initial_velocity),
    }
}

type MarkerBlocks<'a> = &'a [Option<BlockId>];

fn pattern(
    system: &System,
    blocks: MarkerBlocks<'_>,
    mut coupler: Coupler,
) -> (Pattern, Condensation) {
    for entry in &system.flexibles {
        coupler.join(&entry.blocks);
    }
    for group in &system.groups {
        let ends: Vec<BlockId> = [group.i, group.j]
            .iter()
            .filter_map(|m| blocks[m.index()])
            .collect();
        for a in &ends {
            for b in &ends {
                coupler.couple(*a, *b);
            }
            coupler.couple(*a, group.block);
            coupler.couple(group.block, *a);
        }
    }
    for general in &system.generals {
        let bodies = || general.markers.iter().filter_map(|m| blocks[m.index()]);
        for a in bodies() {
            for b in bodies() {
                coupler.couple(a, b);
            }
        }
    }
    for (force, place) in system.forces.iter().zip(&system.schedule.forces) {
        let ends = [Some(force.i), force.reacts.then_some(force.j)];
        for row in ends.iter().flatten().filter_map(|m| blocks[m.index()]) {
            for column in &place.support {
                coupler.couple(row, *column);
            }
        }
    }
    equations::couple(&system.equations, &system.schedule, &mut coupler);
    let multipliers: BTreeSet<usize> = system.groups.iter().map(|g| g.block.index()).collect();
    coupler.build(&|block| multipliers.contains(&block.index()))
}

fn resolve_slots(system: &mut System, blocks: MarkerBlocks<'_>) {
    let (pattern, tiles) = (&system.pattern, &system.tiles);
    let tile = |row: BlockId, column: BlockId| tiles.find(pattern, row, column);
    let slot = |row: Option<BlockId>, column: Option<BlockId>| {
        row.zip(column).and_then(|(r, c)| tile(r, c))
    };
    equations::resolve_slots(&mut system.equations, &system.schedule, tile);
    for entry in &mut system.flexibles {
        let blocks = || entry.blocks.iter();
        let pairs = blocks().flat_map(|a| blocks().map(|b| (*a, *b)).collect::<Vec<_>>());
        entry.slots = pairs.filter_map(|(a, b)| tile(a, b)).collect();
    }
    for (k, entry) in system.flexibles.iter().enumerate() {
        system.bodies[entry.body].flexible = Some(k);
    }
    for body in &mut system.bodies {
        body.slot = slot(body.block, body.block);
    }
    for group in &mut system.groups {
        let ends = [blocks[group.i.index()], blocks[group.j.index()]];
        let lambda = Some(group.block);
        group.slots = PairSlots {
            bodies: ends.map(|a| ends.map(|b| slot(a, b))),
            columns: ends.map(|a| slot(a, lambda)),
            rows: ends.map(|a| slot(lambda, a)),
        };
        if let Some(diagonal) = slot(lambda, lambda) {
            group.diagonal = diagonal;
        }
    }
    for general in &mut system.generals {
        let ends: Vec<_> = general.markers.iter().map(|m| blocks[m.index()]).collect();
        let pairs = ends.iter().flat_map(|a| ends.iter().map(|b| slot(*a, *b)));
        general.slots = pairs.collect();
    }
    for (force, place) in system.forces.iter().zip(&system.schedule.forces) {
        let i = blocks[force.i.index()];
        let j = if force.reacts {
            blocks[force.j.index()]
        } else {
            None
        };
        let find = |m: MarkerId| blocks[m.index()].and_then(|b| place.position(b));
        let k = force.law.axes();
        system.force_slots.push(ForceSlots {
            support: place
                .support
                .iter()
                .map(|c| [slot(i, Some(*c)), slot(j, Some(*c))])
                .collect(),
            place: [find(force.i), find(force.j), k.and_then(find)],
        });
    }
}

//! Data plane: evaluates kinematics, targets of motions, leaves, expressions and wrenches.

use crate::elements::constraints::Target;
use crate::elements::forces::contact::{self, Reading};
use crate::elements::forces::{self, ForceContext, ForceLaw, tyre};
use crate::elements::kinematics::BodyKinematics;
use crate::elements::measures;
use crate::elements::wrench::Wrench;
use crate::expr::TimeJet;
use crate::ids::{BodyId, ExprId, ForceId, GeneralId, MarkerId};
use crate::mechanism::{ContactQuantity, Leaf, MotionLevel, ReactionComponent};
use crate::state::State;
use crate::system::delay;
use crate::system::energy;
use crate::system::layout::BLOCK;
use crate::system::ramp;
use crate::system::schedule::{Node, ReactionPart, Source};
use crate::system::stage::{Constrained, Placed};
use crate::system::{RowLaw, RowTarget, System, curves, flexible, general};
use crate::workspace::{Values, Workspace};

/// Kinematics of all bodies and markers at the accepted state.
pub fn kinematics_at_state<'w>(
    system: &System,
    state: &State,
    ws: &'w mut Workspace,
) -> Placed<'w> {
    let layout = &system.layout;
    for body in 0..system.bodies.len() {
        let (v, w) = state.rates(layout.velocity, body);
        let (a, w_dot) = state.rates(layout.acceleration, body);
        let pose = (state.position(layout, body), state.rotation(layout, body));
        ws.bodies[body] = BodyKinematics::new(pose, (v, w), (a, w_dot));
    }
    flexible::load(system, state, ws);
    markers(system, ws);
    ws.multipliers
        .copy_from_slice(state.span(layout.multipliers));
    ws.states.copy_from_slice(state.span(layout.states));
    Placed(ws)
}

/// Kinematics of markers from those of bodies and the modal coordinates.
pub fn markers(system: &System, ws: &mut Values) {
    flexible::frames(system, ws);
    for (frame, marker) in system.markers.iter().zip(&mut ws.markers) {
        let body = &ws.bodies[frame.body.index()];
        marker.body = frame.body;
        marker.place(frame, body);
        marker.accelerate(body);
    }
}

/// The same within a step: markers on ground stay, and accelerations are skipped if nothing reads them.
pub fn moving_markers<'w>(system: &System, workspace: &'w mut Workspace) -> Placed<'w> {
    let ws = &mut workspace.values;
    flexible::frames(system, ws);
    for (frame, marker) in system.markers.iter().zip(&mut ws.markers) {
        if frame.body == BodyId::GROUND {
            continue;
        }
        let body = &ws.bodies[frame.body.index()];
        marker.place(frame, body);
        if system.schedule.accelerations {
            marker.accelerate(body);
        }
    }
    Placed(workspace)
}

/// Evaluates the leaves that depend only on time \[s\], inputs and parameters.
pub fn settings(system: &System, state: &State, ws: &mut Values, time: f64) {
    ws.time = time;
    let parameters = state.span(system.layout.parameters);
    ws.gravity_ramp = ramp::gravity(system, state, time);
    let ramp = ramp::of_inputs(system, state, time);
    for k in system.schedule.set_leaves.iter().map(|k| k.index()) {
        let leaf = &system.leaves[k];
        if let Some(jet) = setting(system, state, leaf, time, (parameters, &ramp)) {
            ws.leaf_jets[k] = jet;
            ws.leaves[k] = jet.value;
        }
    }
    held(system, state, ws);
}

/// Evaluates the leaves that read values held between steps.
pub fn held(system: &System, state: &State, ws: &mut Values) {
    let memory = state.span(system.layout.memory);
    for (leaf, place) in &system.memory.leaves {
        ws.leaves[*leaf] = memory[*place];
    }
}

/// A leaf that depends only on time, inputs and parameters, with two time derivatives.
fn setting(
    system: &System,
    state: &State,
    leaf: &Leaf,
    time: f64,
    (parameters, ramp): (&[f64], &TimeJet),
) -> Option<TimeJet> {
    match leaf {
        Leaf::Time { scale } => Some(TimeJet {
            value: time * scale,
            first: *scale,
            second: 0.0,
        }),
        Leaf::Input(k) => {
            let since = time - state.time(&system.layout);
            Some(ramp::input(system, state, k.index(), (ramp, since)))
        }
        Leaf::Parameter(k) => Some(TimeJet::constant(parameters[k.index()])),
        _ => None,
    }
}

/// Targets of all motions at a time \[s\]. For rate-driven motions `integrated` gives `displacement` and `rate`.
pub fn targets(
    system: &System,
    state: &State,
    ws: &mut Values,
    time: f64,
    integrated: impl Fn(usize) -> (f64, f64),
) {
    for m in 0..system.motions.len() {
        let jet = motion_jet(system, state, ws, m, time);
        let (displacement, rate) = integrated(m);
        ws.targets[m] = match system.motions[m].level {
            MotionLevel::Displacement => Target {
                value: jet.value,
                rate: jet.first,
                acceleration: jet.second,
            },
            MotionLevel::Velocity => Target {
                value: displacement,
                rate: jet.value,
                acceleration: jet.first,
            },
            MotionLevel::Acceleration => Target {
                value: displacement,
                rate,
                acceleration: jet.value,
            },
        };
    }
}

/// A motion's expression in SI with two time derivatives.
pub fn motion_jet(
    system: &System,
    state: &State,
    ws: &mut Values,
    motion: usize,
    time: f64,
) -> TimeJet {
    let parameters = state.span(system.layout.parameters);
    let ramp = ramp::of_inputs(system, state, time);
    for k in system.schedule.set_leaves.iter().map(|k| k.index()) {
        let jet = setting(system, state, &system.leaves[k], time, (parameters, &ramp));
        ws.leaf_jets[k] = jet.unwrap_or(ws.leaf_jets[k]);
    }
    for (expr, leaves) in &system.motion_variables {
        let jet = system.programs[expr.index()].time_jet(&ws.leaf_jets, &mut ws.jet_registers);
        for leaf in leaves {
            ws.leaf_jets[leaf.index()] = jet;
        }
    }
    let entry = &system.motions[motion];
    let program = &system.programs[entry.expr.index()];
    let jet = program.time_jet(&ws.leaf_jets, &mut ws.jet_registers);
    TimeJet {
        value: jet.value * entry.to_si,
        first: jet.first * entry.to_si,
        second: jet.second * entry.to_si,
    }
}

/// The target of a row.
#[inline]
pub fn row_target(target: &RowTarget, motions: &[Target]) -> Target {
    match target {
        RowTarget::Constant(value, rate) => Target {
            value: *value,
            rate: *rate,
            acceleration: 0.0,
        },
        RowTarget::Motion(motion) => motions[motion.index()],
    }
}

/// Violations and unit wrenches of all rows, and the wrench −Σ λ (f̂, t̂) of every group. A leg of a coupler gives
/// its term of the sum. Violations need the targets, general constraints the settings.
pub fn constraint_wrenches<'w>(
    system: &System,
    state: &State,
    placed: Placed<'w>,
) -> Constrained<'w> {
    let workspace = placed.release();
    let ws = &mut workspace.values;
    curves::evaluate(system, state, ws);
    general::evaluate(system, state, ws);
    let angles = state.span(system.layout.angles);
    for (g, group) in system.groups.iter().enumerate() {
        let (i, j) = (&ws.markers[group.i.index()], &ws.markers[group.j.index()]);
        let span = group.rows.range();
        let multipliers = &ws.multipliers[BLOCK * g..][..span.len()];
        let violations = &mut ws.violations[span.clone()];
        let units = &mut ws.units[span.clone()];
        if let Some(products) = &group.products {
            ws.group_wrenches[g] = products.evaluate((i, j), multipliers, violations, units);
            continue;
        }
        let apart = i.p - j.p;
        let mut total = Wrench::zero();
        for (k, row) in system.rows[span].iter().enumerate() {
            let (violation, unit) = match &row.law {
                RowLaw::Markers(kind) => {
                    let memory = || row.memory.map_or(0.0, |k| angles[k]);
                    let target = row_target(&row.target, &ws.targets);
                    kind.evaluate((i, j), &apart, &target, memory)
                }
                RowLaw::Curve { joint, row } => {
                    let row = &ws.curve_joints[*joint].rows[*row];
                    (row.value, row.unit)
                }
                RowLaw::General { constraint, leg } => {
                    let values = &ws.generals[constraint.index()];
                    // The first leg carries the whole value.
                    let value = if *leg == 0 { values.jet.value } else { 0.0 };
                    (value, values.legs[*leg])
                }
            };
            total.add(&unit.scaled(-multipliers[k]));
            violations[k] = violation;
            units[k] = unit;
        }
        ws.group_wrenches[g] = total;
    }
    Constrained(workspace)
}

/// Evaluates nodes in order, each of which reads what the settings and a stage hold.
pub fn nodes(system: &System, state: &State, ws: &mut Values, order: &[Node]) {
    for one in order {
        node(system, state, ws, *one);
    }
}

/// Evaluates one node.
#[inline]
fn node(system: &System, state: &State, ws: &mut Values, node: Node) {
    match node {
        Node::Leaf(leaf) => {
            let leaf = leaf.index();
            if let Leaf::Delay(k) = system.leaves[leaf] {
                ws.leaves[leaf] = delay::value(system, state, ws, k.index());
            } else if let Some(value) = leaf_value(system, state, ws, leaf) {
                ws.leaves[leaf] = value;
            }
        }
        Node::Expression(e) => {
            let e = e.index();
            ws.expressions[e] = system.programs[e].value(&ws.leaves, &mut ws.registers);
        }
        Node::Force(f) => {
            let f = f.index();
            let context = context(system, state, ws, f);
            let law = &system.forces[f].law;
            if let ForceLaw::Tyre { tyre, .. } = law {
                let tyre = tyre.index();
                let (wrench, values) = tyre::values(&system.tyres[tyre], &context);
                ws.force_wrenches[f] = wrench;
                for (channel, value) in ws.tyres[tyre].channels.iter_mut().zip(values) {
                    channel.value = value;
                }
            } else {
                ws.force_wrenches[f] = forces::wrench(law, &context);
            }
        }
        Node::Group(_) => {}
    }
}

/// Evaluates what the outputs need beyond a step. Counted angles are those of the state, not of its leaves.
pub fn outputs(system: &System, state: &State, ws: &mut Values) {
    let counted = state.span(system.layout.angles);
    for one in &system.schedule.output {
        if let Node::Leaf(leaf) = *one
            && let Leaf::Kinematic { scale, .. } = &system.leaves[leaf.index()]
            && let Some(angle) = system.leaf_memory[leaf.index()]
        {
            ws.leaves[leaf.index()] = counted[angle] * scale;
        } else {
            node(system, state, ws, *one);
        }
    }
}

/// The inputs of a force's law.
pub fn context<'a>(
    system: &'a System,
    state: &'a State,
    ws: &'a Values,
    force: usize,
) -> ForceContext<'a> {
    let element = &system.forces[force];
    let axes = element.law.axes().unwrap_or(element.j);
    ForceContext {
        i: &ws.markers[element.i.index()],
        j: &ws.markers[element.j.index()],
        k: &ws.markers[axes.index()],
        values: state.span(system.layout.numbers),
        angles: state.span(system.layout.angles),
        memory: state.span(system.layout.contacts),
        expressions: &ws.expressions,
        reaction: element
            .law
            .group()
            .map_or_else(Wrench::zero, |g| ws.group_wrenches[g]),
        states: &ws.states,
        tyres: &system.tyres,
        unlimited: ws.unlimited[force],
    }
}

fn leaf_value(system: &System, state: &State, ws: &Values, leaf: usize) -> Option<f64> {
    match &system.leaves[leaf] {
        Leaf::Kinematic {
            measure,
            i,
            j,
            axes,
            frame,
            scale,
        } => {
            let markers = [i, j, axes, frame].map(|m| &ws.markers[m.index()]);
            let memory =
                system.leaf_memory[leaf].map_or(0.0, |k| state.span(system.layout.angles)[k]);
            Some(measures::value(*measure, &markers, memory) * scale)
        }
        Leaf::Reaction {
            component,
            axes,
            scale,
            ..
        } => {
            let total = reaction(system, ws, &system.schedule.reactions[leaf]);
            Some(component_of(&total, *component, *axes, ws) * scale)
        }
        Leaf::Energy { source, scale } => {
            let parts = &system.schedule.reactions[leaf];
            Some(energy::value(system, state, ws, source, parts) * scale)
        }
        Leaf::Contact {
            force,
            quantity,
            axes,
            scale,
        } => contact_reading(system, state, ws, (*force, *quantity, *axes))
            .map(|reading| reading.value * scale),
        Leaf::Deformation { body, scale } => {
            Some(flexible::deformation(system, ws, body.index()) * scale)
        }
        Leaf::Arc { joint, on_j, scale } => {
            Some(system.arc(&ws.curve_joints, *joint, *on_j).1.value * scale)
        }
        Leaf::Multiplier { constraint, scale } => Some(multiplier(system, ws, *constraint) * scale),
        Leaf::Variable(v) => Some(ws.expressions[variable(system, *v).index()]),
        Leaf::BristleRate {
            friction,
            component,
            scale,
        } => {
            let context = context(system, state, ws, friction.index());
            match &system.forces[friction.index()].law {
                ForceLaw::JointFriction(law) => {
                    Some(forces::friction::rate(law, &context, *component) * scale)
                }
                _ => None,
            }
        }
        Leaf::State(k) => Some(ws.states[k.index()]),
        Leaf::Tyre {
            force,
            channel,
            scale,
        } => match system.forces[force.index()].law {
            ForceLaw::Tyre { tyre, .. } => {
                Some(ws.tyres[tyre.index()].channels[*channel as usize].value * scale)
            }
            _ => None,
        },
        Leaf::StateRate(k) => Some(ws.expressions[derivative(system, *k).index()]),
        _ => None,
    }
}

/// The generalized force of a general constraint along its function.
fn multiplier(system: &System, ws: &Values, constraint: GeneralId) -> f64 {
    let entry = &system.generals[constraint.index()];
    entry.group.map_or(0.0, |g| ws.multipliers[BLOCK * g]) * entry.to_si
}

/// A measure of a contact, with its gradients in I, J and the marker of the axes.
pub fn contact_reading(
    system: &System,
    state: &State,
    ws: &Values,
    (force, quantity, axes): (ForceId, ContactQuantity, MarkerId),
) -> Option<Reading> {
    let ForceLaw::Contact(law) = &system.forces[force.index()].law else {
        return None;
    };
    let context = context(system, state, ws, force.index());
    Some(contact::reading(
        law,
        &context,
        quantity,
        &ws.markers[axes.index()],
    ))
}

fn variable(system: &System, v: crate::ids::VariableId) -> ExprId {
    system.variables[v.index()]
}

fn derivative(system: &System, k: crate::ids::EquationId) -> ExprId {
    system.equations[k.index()].expr()
}

/// The value of an equation: the rate of a state [1/s], or a residual.
pub fn equation(system: &System, ws: &Values, equation: usize) -> f64 {
    let expression = system.equations[equation].law.expression();
    ws.expressions[expression.expr.index()] * expression.to_si
}

/// Sum of the parts of a reaction.
pub fn reaction(system: &System, ws: &Values, parts: &[ReactionPart]) -> Wrench {
    let mut total = Wrench::zero();
    for part in parts {
        total.add(&part_wrench(system, ws, part));
    }
    total
}

/// Markers of a force or group.
pub fn source_markers(system: &System, source: Source) -> (MarkerId, MarkerId) {
    match source {
        Source::Group(g) => (system.groups[g.index()].i, system.groups[g.index()].j),
        Source::Force(f) => (system.forces[f.index()].i, system.forces[f.index()].j),
    }
}

/// The wrench of a force or group.
pub fn source_wrench(ws: &Values, source: Source) -> &Wrench {
    match source {
        Source::Group(g) => &ws.group_wrenches[g.index()],
        Source::Force(f) => &ws.force_wrenches[f.index()],
    }
}

fn part_wrench(system: &System, ws: &Values, part: &ReactionPart) -> Wrench {
    let wrench = *source_wrench(ws, part.source);
    if part.on_j {
        let (i, j) = source_markers(system, part.source);
        wrench.at_j(&ws.markers[i.index()], &ws.markers[j.index()])
    } else {
        wrench
    }
}

/// One component of a wrench in the axes of a marker.
pub fn component_of(
    wrench: &Wrench,
    component: ReactionComponent,
    axes: MarkerId,
    ws: &Values,
) -> f64 {
    let marker = &ws.markers[axes.index()];
    match component {
        ReactionComponent::ForceMagnitude => wrench.force.norm(),
        ReactionComponent::Force(k) => wrench.force.dot(&marker.axis(k)),
        ReactionComponent::TorqueMagnitude => wrench.torque.norm(),
        ReactionComponent::Torque(k) => wrench.torque.dot(&marker.axis(k)),
    }
}

/// Coordinate of a motion at the present kinematics, principal value or counted.
pub fn motion_coordinate(system: &System, ws: &Values, motion: usize) -> f64 {
    let entry = &system.motions[motion];
    let (i, j) = entry.markers;
    entry
        .row
        .coordinate(&ws.markers[i.index()], &ws.markers[j.index()], 0.0)
}

//! Control plane: draws flexible bodies in an animation: their lines as in the pictures of modes, and everything on
//! their nodes.
//!
//! If deformations are magnified s times, joints must stay together. For each mode shape φ, the rigid motion ρ of the
//! nodes with joints therefore keeps its size, and s φ − (s − 1) ρ is drawn.

use fixstep_kernel::flex::Node;
use fixstep_kernel::math::{Mat3, Vec3, rotation};
use fixstep_kernel::mechanism::FlexBody;

use super::scene::Kind;
use crate::shapes::Wire;

/// The weight of rotations of nodes with joints against their displacements, in sizes of the body.
const SLOPES: f64 = 1e-3;

/// A point of a body, in its axes.
#[derive(Clone, Copy, Debug)]
pub(super) struct BodyPoint {
    /// Where it is while the body is undeformed \[m\].
    pub(super) place: Vec3,
    /// The point of the body's lines with which it moves, if the body deforms.
    pub(super) on: Option<usize>,
}

/// A flexible body.
#[derive(Debug)]
pub(super) struct Soft {
    /// Its nodes, and points of the lines between them.
    wire: Wire,
    /// Displacement by mode, then point, at the scale of the drawing.
    shapes: Vec<Vec<Vec3>>,
    /// Rotation by mode, then node, likewise.
    turns: Vec<Vec<Vec3>>,
    /// Nodes with names.
    named: Vec<usize>,
}

/// The rigid motion of some nodes in a mode.
pub(super) struct Rigid {
    /// Displacement of the origin \[m\].
    pub(super) shift: Vec3,
    /// Small rotation \[rad\].
    pub(super) turn: Vec3,
}

impl Soft {
    /// For a body with joints at some nodes, with deformations magnified s times.
    pub(super) fn of(flex: &FlexBody, joints: &[usize], s: f64) -> Option<Self> {
        let data = &flex.data;
        let counted: Vec<usize> = flex.modes.iter().map(|mode| mode + 1).collect();
        let wire = Wire::of(data, &counted).ok()?;
        let (mut shapes, mut turns) = (Vec::new(), Vec::new());
        for (shape, &mode) in wire.shapes().iter().zip(&flex.modes) {
            let rigid = Rigid::of(&data.nodes, joints, mode, SLOPES * wire.size());
            let rest = |p: &Vec3| rigid.shift + rigid.turn.cross(p);
            let drawn = |(p, u): (&Vec3, &Vec3)| u * s - rest(p) * (s - 1.0);
            shapes.push(wire.points().iter().zip(shape).map(drawn).collect());
            let drawn = |node: &Node| node.rotation[mode] * s - rigid.turn * (s - 1.0);
            turns.push(data.nodes.iter().map(drawn).collect());
        }
        let named = data.nodes.iter().enumerate();
        let named = named.filter(|(_, node)| node.name.is_some());
        Some(Self {
            named: named.map(|(k, _)| k).collect(),
            wire,
            shapes,
            turns,
        })
    }

    /// Lines: beams are limbs, edges of a surface its outline.
    pub(super) fn lines(&self) -> impl Iterator<Item = (Kind, Vec<BodyPoint>)> + '_ {
        self.wire.chains().iter().map(|chain| {
            let kind = if self.wire.bends(chain) {
                Kind::Limb
            } else {
                Kind::Shape
            };
            (kind, chain.iter().map(|k| self.spot(*k)).collect())
        })
    }

    /// Where something may be attached.
    pub(super) fn places(&self) -> impl Iterator<Item = BodyPoint> + '_ {
        self.named.iter().map(|k| self.spot(*k))
    }

    /// A node or a point of a line.
    pub(super) fn spot(&self, k: usize) -> BodyPoint {
        BodyPoint {
            place: self.wire.points()[k],
            on: Some(k),
        }
    }

    /// The position of a spot in the axes of the body, for given modal coordinates; a spot off a node turns with the
    /// node.
    pub(super) fn moved(&self, spot: &BodyPoint, modal: &[f64]) -> Vec3 {
        let Some(k) = spot.on else {
            return spot.place;
        };
        let node = self.wire.points()[k];
        let sum = |columns: &[Vec<Vec3>]| -> Vec3 {
            let columns = columns.iter().zip(modal);
            columns.filter_map(|(c, q)| Some(c.get(k)? * *q)).sum()
        };
        let arm = rotation::exp(&sum(&self.turns)) * (spot.place - node);
        node + sum(&self.shapes) + arm
    }
}

impl Rigid {
    /// The rigid motion nearest to that of the nodes. For a single node it includes its rotation; for several nodes
    /// it follows from their displacements, and from rotations where displacements leave one open. `arm` \[m\] is the
    /// weight of a rotation.
    pub(super) fn of(nodes: &[Node], chosen: &[usize], mode: usize, arm: f64) -> Self {
        let count = chosen.len().max(1) as f64;
        let chosen = || chosen.iter().filter_map(|k| nodes.get(*k));
        let middle = chosen().map(|node| node.position).sum::<Vec3>() / count;
        let mean = chosen().map(|node| node.translation[mode]).sum::<Vec3>() / count;
        let (mut inertia, mut moment) = (Mat3::zeros(), Vec3::zeros());
        for node in chosen() {
            let away = node.position - middle;
            inertia += Mat3::identity() * away.norm_squared() - away * away.transpose();
            moment += away.cross(&node.translation[mode]);
            if node.freedom[3..].iter().all(|takes_part| *takes_part) {
                inertia += Mat3::identity() * (arm * arm);
                moment += node.rotation[mode] * (arm * arm);
            }
        }
        let turn = inertia.try_inverse().map_or(Vec3::zeros(), |i| i * moment);
        Self {
            shift: mean - turn.cross(&middle),
            turn,
        }
    }
}

//! Control plane: compiles flexible bodies, and the node frames to which their markers are fixed.

use crate::elements::flexible::Flexible;
use crate::elements::flexible::attachment::{Attachment, Functions};
use crate::elements::flexible::frame::Frame;
use crate::elements::kinematics::MarkerFrame;
use crate::ids::BodyId;
use crate::linalg::{BlockId, PatternBuilder, TILE};
use crate::math::{Mat3, Vec3};
use crate::mechanism::{FlexBody, Functional, Marker, MarkerBase, Mechanism};
use crate::system::condense::KINDS;
use crate::system::flexible::{FlexibleEntry, FrameEntry};
use crate::system::layout::Span;
use crate::system::{BodyEntry, System};
use alloc::vec;
use alloc::vec::Vec;

/// Flexible bodies and node frames under construction.
pub(super) struct Drafts {
    /// The bodies.
    pub(super) bodies: Vec<FlexibleEntry>,
    /// The node frames, body by body.
    pub(super) frames: Vec<FrameEntry>,
    /// Number of bodies, including ground.
    count: usize,
    /// For each frame its flexible body, and the base of its markers.
    bases: Vec<(usize, MarkerBase)>,
}

/// Makes the flexible bodies with their blocks of modes, and frames for all nodes with markers.
pub(super) fn bodies(
    mechanism: &Mechanism,
    entries: &[BodyEntry],
    builder: &mut PatternBuilder,
) -> Drafts {
    let mut drafts = Drafts {
        bodies: Vec::new(),
        frames: Vec::new(),
        count: mechanism.bodies.len(),
        bases: Vec::new(),
    };
    let mut first = 0;
    for (body, entry) in mechanism.bodies.iter().enumerate() {
        let (Some(flex), Some(block)) = (&entry.flexible, entries[body].block) else {
            continue;
        };
        let own = drafts.body(mechanism, body, flex, (block, first), builder);
        first += own.modal.len;
        drafts.bodies.push(own);
    }
    drafts
}

impl Drafts {
    fn body(
        &mut self,
        mechanism: &Mechanism,
        body: usize,
        flex: &FlexBody,
        (block, first): (BlockId, usize),
        builder: &mut PatternBuilder,
    ) -> FlexibleEntry {
        let element = Flexible::new(&flex.data, &flex.settings(mechanism.step_of_modes()));
        let modes = element.modes;
        let mut blocks = vec![block];
        for first in (0..modes).step_by(TILE) {
            blocks.push(builder.add_block(TILE.min(modes - first)));
        }
        let k = self.bodies.len();
        let before = self.frames.len();
        for marker in mechanism.markers.iter().filter(|m| m.body.index() == body) {
            if self.bases.contains(&(k, marker.base)) {
                continue;
            }
            let center = mechanism.bodies[body].center_of_mass;
            if let Some(frame) = frame(flex, &center, (k, marker.base), &element) {
                self.bases.push((k, marker.base));
                self.frames.push(frame);
            }
        }
        let own = &self.frames[before..];
        let reach = |j: usize| {
            let moved = own.iter().map(|f| f.element.reach(j));
            moved.fold(0.0, f64::max)
        };
        FlexibleEntry {
            body,
            modal: Span { first, len: modes },
            blocks,
            slots: Vec::new(),
            frames: Span {
                first: before,
                len: own.len(),
            },
            reach: (0..modes).map(reach).collect(),
            watched: watched(flex, &mechanism.bodies[body].center_of_mass),
            initial: [flex.displacements.clone(), flex.velocities.clone()],
            element,
        }
    }

    /// Number of modal coordinates.
    pub(super) fn modes(&self) -> usize {
        self.bodies.iter().map(|body| body.modal.len).sum()
    }

    /// The frame of a marker on a node, or of one that stands for functions of modal coordinates.
    pub(super) fn marker(&self, mechanism: &Mechanism, marker: &Marker) -> MarkerFrame {
        let own = |k: &usize| self.bodies[*k].body == marker.body.index();
        let k = (0..self.bodies.len()).find(own).unwrap_or_default();
        let base = (k, marker.base);
        let frame = self.bases.iter().position(|known| *known == base);
        let flex = mechanism.bodies[marker.body.index()].flexible.as_ref();
        let node = flex.zip(marker.node());
        let from = node.map_or(marker.position, |(flex, node)| {
            flex.data.nodes[node].position
        });
        let body = BodyId::from(self.count + frame.unwrap_or_default());
        MarkerFrame::new(body, marker.position - from, marker.orientation)
    }

    /// Gives the frames their blocks, after all others. Returns the block of each marker's body or frame.
    pub(super) fn blocks(
        &mut self,
        markers: &[MarkerFrame],
        bodies: &[BodyEntry],
        blocks: usize,
    ) -> Vec<Option<BlockId>> {
        for (f, frame) in self.frames.iter_mut().enumerate() {
            frame.block = BlockId((blocks + KINDS * f) as u32);
        }
        let of_marker = |marker: &MarkerFrame| match bodies.get(marker.body.index()) {
            Some(body) => body.block,
            None => Some(self.frames[marker.body.index() - self.count].block),
        };
        markers.iter().map(of_marker).collect()
    }
}

/// The frame that a marker's base needs; `None` for the body itself.
fn frame(
    flex: &FlexBody,
    center: &Vec3,
    (k, base): (usize, MarkerBase),
    element: &Flexible,
) -> Option<FrameEntry> {
    let (element, mobility) = match base {
        MarkerBase::Node(node) => node_frame(flex, center, node, element),
        MarkerBase::Functions(functions) => (
            Attachment::Functions(linear(flex, center, functions)),
            (0.0, 0.0),
        ),
        MarkerBase::Body => return None,
    };
    Some(FrameEntry {
        flexible: k,
        element,
        block: BlockId(0),
        mobility,
    })
}

/// The frame of a node, with its mobility: 1/m and 1/J for a load on it.
fn node_frame(
    flex: &FlexBody,
    center: &Vec3,
    node: usize,
    element: &Flexible,
) -> (Attachment, (f64, f64)) {
    let node = &flex.data.nodes[node];
    let pick = |shapes: &[Vec3]| flex.modes.iter().map(|j| shapes[*j]).collect();
    let offset = node.position - center;
    let (translation, rotation): (Vec<_>, Vec<_>) = (pick(&node.translation), pick(&node.rotation));
    // The mean over the directions of Σ φ²/m, plus the rigid body's part.
    let about = flex.data.invariants.about(center);
    let inverse = about.i7.try_inverse().unwrap_or_else(Mat3::zeros).trace() / 3.0;
    let (mut linear, mut angular) = (1.0 / about.mass + offset.norm_squared() * inverse, inverse);
    for j in 0..element.modes {
        let mobility = element.modal_mobility(j) / 3.0;
        linear += translation[j].norm_squared() * mobility;
        angular += rotation[j].norm_squared() * mobility;
    }
    let frame = Frame {
        offset,
        translation,
        rotation,
        exact: flex.exact,
    };
    (Attachment::Node(frame), (linear, angular))
}

/// A frame that stands for linear functions of the modal coordinates.
fn linear(flex: &FlexBody, center: &Vec3, functions: [Functional; 3]) -> Functions {
    let data = &flex.data;
    let resultant = |functional| match functional {
        Functional::Load(k) => {
            let load = &data.loads[k];
            (load.force, load.torque - center.cross(&load.force))
        }
        _ => (Vec3::zeros(), Vec3::zeros()),
    };
    // `own`: index of a mode among the body's; `file`: index in the file.
    let slope = |functional, (own, file): (usize, usize)| match functional {
        Functional::None => 0.0,
        Functional::Coordinate(mode) => f64::from(u8::from(mode == own)),
        Functional::Stress(point, component) => data.stresses[point].values[file][component],
        Functional::Strain(point, component) => data.strains[point].values[file][component],
        Functional::Load(k) => data.loads[k].modal[file],
    };
    let modes = flex.modes.iter().copied().enumerate();
    Functions {
        resultants: functions.map(resultant),
        modal: modes
            .map(|place| Vec3::from_fn(|k, _| slope(functions[k], place)))
            .collect(),
    }
}

/// Positions and shapes of the nodes that move most, one node per mode.
fn watched(flex: &FlexBody, center: &Vec3) -> Vec<(Vec3, Vec<Vec3>)> {
    let nodes = &flex.data.nodes;
    let mut places: Vec<usize> = Vec::new();
    for j in &flex.modes {
        let moved = |k: &usize| nodes[*k].translation[*j].norm();
        let most = (0..nodes.len()).max_by(|a, b| moved(a).total_cmp(&moved(b)));
        places.extend(most.filter(|k| !places.contains(k)));
    }
    let shapes = |k: usize| {
        let modes = flex.modes.iter();
        let shapes = modes.map(|j| nodes[k].translation[*j]).collect();
        (nodes[k].position - center, shapes)
    };
    places.into_iter().map(shapes).collect()
}

impl System {
    /// The same with inertia for all modes, or for none. The step size, which decides which modes have inertia, then
    /// does not affect results at rest. `None` if there are no modes.
    pub fn with_modal_inertia(&self, mechanism: &Mechanism, all: bool) -> Option<Self> {
        if self.flexibles.is_empty() {
            return None;
        }
        let mut system = self.clone();
        for entry in &mut system.flexibles {
            if let Some(flex) = &mechanism.bodies[entry.body].flexible {
                let mut settings = flex.settings(mechanism.step_of_modes());
                settings.quasi_static.fill(!all);
                entry.element = Flexible::new(&flex.data, &settings);
            }
        }
        Some(system)
    }
}

//! Control plane: flexible bodies and the frames of the nodes that markers are on.

use crate::elements::flexible::Flexible;
use crate::elements::flexible::frame::Frame;
use crate::elements::kinematics::MarkerFrame;
use crate::ids::BodyId;
use crate::linalg::{BlockId, PatternBuilder, TILE};
use crate::math::Mat3;
use crate::model::{FlexBody, Marker, Model};
use crate::system::BodyEntry;
use crate::system::condense::KINDS;
use crate::system::flexible::{FlexibleEntry, FrameEntry};
use crate::system::layout::Span;

/// Flexible bodies and frames under construction.
pub(super) struct Drafts {
    /// The bodies.
    pub(super) bodies: Vec<FlexibleEntry>,
    /// The frames, body by body.
    pub(super) frames: Vec<FrameEntry>,
    /// How many bodies there are, ground included.
    count: usize,
    /// Which node of which flexible body each frame is.
    nodes: Vec<(usize, usize)>,
}

/// The flexible bodies with their blocks of modes, and frames for all nodes with markers.
pub(super) fn bodies(model: &Model, entries: &[BodyEntry], builder: &mut PatternBuilder) -> Drafts {
    let mut drafts = Drafts {
        bodies: Vec::new(),
        frames: Vec::new(),
        count: model.bodies.len(),
        nodes: Vec::new(),
    };
    let mut first = 0;
    for (body, entry) in model.bodies.iter().enumerate() {
        let (Some(flex), Some(block)) = (&entry.flexible, entries[body].block) else {
            continue;
        };
        let own = drafts.body(model, body, flex, (block, first), builder);
        first += own.modal.len;
        drafts.bodies.push(own);
    }
    drafts
}

impl Drafts {
    fn body(
        &mut self,
        model: &Model,
        body: usize,
        flex: &FlexBody,
        (block, first): (BlockId, usize),
        builder: &mut PatternBuilder,
    ) -> FlexibleEntry {
        let h = model.experiment.step / f64::from(model.solver.hratio);
        let element = Flexible::new(&flex.data, &flex.settings(h));
        let modes = element.modes;
        let mut blocks = vec![block];
        for first in (0..modes).step_by(TILE) {
            blocks.push(builder.add_block(TILE.min(modes - first)));
        }
        let k = self.bodies.len();
        let before = self.frames.len();
        for marker in model.markers.iter().filter(|m| m.body.index() == body) {
            let Some(node) = marker.node else { continue };
            if !self.nodes.contains(&(k, node)) {
                self.nodes.push((k, node));
                self.frames
                    .push(frame(model, body, flex, (k, node), &element));
            }
        }
        let own = &self.frames[before..];
        let reach = |j: usize| {
            let moved = own.iter().map(|f| f.element.translation[j].norm());
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
            initial: [flex.displacements.clone(), flex.velocities.clone()],
            element,
        }
    }

    /// How many modal coordinates there are.
    pub(super) fn modes(&self) -> usize {
        self.bodies.iter().map(|body| body.modal.len).sum()
    }

    /// A marker on a node.
    pub(super) fn marker(&self, model: &Model, marker: &Marker, node: usize) -> MarkerFrame {
        let own = |k: &usize| self.bodies[*k].body == marker.body.index();
        let k = (0..self.bodies.len()).find(own).unwrap_or_default();
        let frame = self.nodes.iter().position(|known| *known == (k, node));
        let flex = model.bodies[marker.body.index()].flexible.as_ref();
        let from = flex.map(|flex| flex.data.nodes[node].position);
        MarkerFrame {
            body: BodyId::from(self.count + frame.unwrap_or_default()),
            offset: marker.position - from.unwrap_or_default(),
            axes: marker.orientation,
        }
    }

    /// Gives the frames their blocks, behind all others; the block of the body or frame of each marker.
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

    /// Where the derivatives of each marker begin, and their end.
    pub(super) fn slopes(&self, markers: &[MarkerFrame]) -> Vec<usize> {
        let mut first = vec![0];
        for marker in markers {
            let rigid = marker.body.index() < self.count;
            first.push(first[first.len() - 1] + if rigid { 1 } else { KINDS });
        }
        first
    }
}

fn frame(
    model: &Model,
    body: usize,
    flex: &FlexBody,
    (k, node): (usize, usize),
    element: &Flexible,
) -> FrameEntry {
    let node = &flex.data.nodes[node];
    let pick = |shapes: &[crate::math::Vec3]| flex.modes.iter().map(|j| shapes[*j]).collect();
    let offset = node.position - model.bodies[body].center_of_mass;
    let (translation, rotation): (Vec<_>, Vec<_>) = (pick(&node.translation), pick(&node.rotation));
    // The mean over the directions of Σ φ²/m and of what the rigid body adds.
    let about = flex
        .data
        .invariants
        .about(&model.bodies[body].center_of_mass);
    let inverse = about.i7.try_inverse().unwrap_or_else(Mat3::zeros).trace() / 3.0;
    let (mut linear, mut angular) = (1.0 / about.mass + offset.norm_squared() * inverse, inverse);
    for j in 0..element.modes {
        let mobility = element.modal_mobility(j) / 3.0;
        linear += translation[j].norm_squared() * mobility;
        angular += rotation[j].norm_squared() * mobility;
    }
    FrameEntry {
        flexible: k,
        element: Frame {
            offset,
            translation,
            rotation,
            exact: flex.exact,
        },
        block: BlockId(0),
        mobility: (linear, angular),
    }
}

//! Control plane: flexible bodies: their lines and surfaces, and how modes move every corner.

use std::collections::BTreeMap;

use fixstep_kernel::flex::{FlexData, Node, TensorPoint};
use fixstep_kernel::math::Vec3;
use fixstep_kernel::mechanism::{FlexBody, Mechanism};
use fixstep_pictures::scene::Soft;
use fixstep_pictures::skin::{Field, Turning};
use fixstep_pictures::solids;

use super::faces;
use super::wire::Wire;

/// Radius of a tube along a beam, and along an edge of a surface, in sizes of the body.
const TUBE: [f64; 2] = [0.012, 0.003];
/// Sides of such a tube.
const SIDES: usize = 10;
/// Lines beyond which they are drawn as lines, not as tubes.
const TUBES: usize = 400;

/// How a body bends.
#[derive(Debug)]
pub(super) struct Bending {
    soft: Soft,
    /// Translation and rotation of each node, by mode.
    nodes: Vec<(Vec<Vec3>, Vec<Vec3>)>,
    places: Vec<Vec3>,
}

/// All flexible bodies.
pub(super) fn bending(mechanism: &Mechanism) -> Vec<Option<Bending>> {
    let of = |flexible: Option<&FlexBody>| flexible.map(Bending::of);
    mechanism
        .bodies
        .iter()
        .map(|body| of(body.flexible.as_deref()))
        .collect()
}

impl Bending {
    fn of(flex: &FlexBody) -> Self {
        let data = &flex.data;
        let wire = Wire::of(data, &flex.modes);
        let of_modes =
            |of: &dyn Fn(usize) -> Vec3| flex.modes.iter().map(|mode| of(*mode)).collect();
        let node = |node: &Node| {
            (
                of_modes(&|mode| node.translation[mode]),
                of_modes(&|mode| node.rotation[mode]),
            )
        };
        Self {
            soft: soft(data, &wire, &flex.modes),
            nodes: data.nodes.iter().map(node).collect(),
            places: data.nodes.iter().map(|node| node.position).collect(),
        }
    }

    /// What is drawn.
    pub(super) fn drawn(&self) -> Soft {
        self.soft.clone()
    }

    /// The displacement of a place that is fixed to a node, by mode.
    pub(super) fn of_node(&self, node: usize, place: &Vec3) -> Vec<[f32; 3]> {
        let Some((moves, turns)) = self.nodes.get(node) else {
            return Vec::new();
        };
        let arm = place - self.places[node];
        let both = moves.iter().zip(turns);
        both.map(|(u, turn)| single(&(u + turn.cross(&arm))))
            .collect()
    }
}

/// What moves the skin of a body whose lines these are.
pub(super) fn field<'a>(flex: &FlexBody, wire: &'a Wire) -> Field<'a> {
    let turns = |node: &&Node| node.freedom[3..].iter().any(|free| *free);
    let turning = |node: &Node| Turning {
        position: node.position,
        moves: { flex.modes.iter() }
            .map(|mode| [node.translation[*mode], node.rotation[*mode]])
            .collect(),
    };
    Field {
        size: wire.size(),
        points: wire.points(),
        shapes: wire.shapes(),
        turning: flex.data.nodes.iter().filter(turns).map(turning).collect(),
    }
}

/// Stresses at the corners of the surface, by mode: at each those of the nearest node that has them. Points that are not named
/// after nodes have no place; none, if fewer than half of the nodes have a stress: a few points say nothing of a whole body.
pub(super) fn stresses(
    data: &FlexData,
    modes: &[usize],
    soft: &Soft,
) -> Option<Vec<Vec<[f32; 6]>>> {
    let node = |name: &str| {
        let is = |node: &&Node| node.name.as_deref() == Some(name) || node.id.to_string() == name;
        data.nodes.iter().find(is)
    };
    let known: Vec<(Vec3, &TensorPoint)> = { data.stresses.iter() }
        .filter_map(|point| Some((node(&point.name)?.position, point)))
        .collect();
    if known.is_empty() || 2 * known.len() < data.nodes.len() {
        return None;
    }
    let exactly: BTreeMap<[u32; 3], usize> = { known.iter().enumerate() }
        .map(|(k, (place, _))| (single(place).map(f32::to_bits), k))
        .collect();
    let nearest = |corner: &[f32; 3]| {
        if let Some(k) = exactly.get(&corner.map(f32::to_bits)) {
            return *k;
        }
        let at = Vec3::from(corner.map(f64::from));
        let far = |k: &usize| (known[*k].0 - at).norm();
        (0..known.len())
            .min_by(|a, b| far(a).total_cmp(&far(b)))
            .unwrap_or(0)
    };
    let places: Vec<usize> = soft.mesh.points.iter().map(nearest).collect();
    let of = |mode: &usize| {
        let at = places
            .iter()
            .map(|k| known[*k].1.values[*mode].map(|x| x as f32));
        at.collect()
    };
    Some(modes.iter().map(of).collect())
}

fn single(v: &Vec3) -> [f32; 3] {
    [v.x as f32, v.y as f32, v.z as f32]
}

/// What is drawn of some modes, from 0, whose lines these are.
pub(crate) fn soft(data: &FlexData, wire: &Wire, modes: &[usize]) -> Soft {
    let mut soft = surface(data, wire);
    soft.stresses = stresses(data, modes, &soft);
    soft
}

/// The faces of a body; where it has none, tubes along its lines, each corner of which moves as the point of the line that it
/// is around; lines, if there are many.
pub(crate) fn surface(data: &FlexData, wire: &Wire) -> Soft {
    let has_faces = (1..=faces::MOST).contains(&data.faces.len());
    // Edges of faces need no lines.
    let drawn = |chain: &&Vec<usize>| !has_faces || wire.bends(chain);
    let chains: Vec<&Vec<usize>> = wire.chains().iter().filter(drawn).collect();
    let mut soft = Soft {
        mesh: fixstep_pictures::scene::Mesh::default(),
        lines: Vec::new(),
        modes: vec![Vec::new(); wire.shapes().len()],
        stresses: None,
    };
    let points = wire.points();
    if has_faces {
        let found = faces::surface(&data.faces, points);
        soft.mesh = found.mesh;
        for (moves, shape) in soft.modes.iter_mut().zip(wire.shapes()) {
            moves.extend(found.nodes.iter().map(|node| single(&shape[*node])));
        }
    }
    if chains.len() <= TUBES {
        for chain in chains {
            let radius = TUBE[usize::from(!wire.bends(chain))] * wire.size();
            let line: Vec<Vec3> = chain.iter().map(|k| points[*k]).collect();
            let tube = solids::sweep(&line, radius, SIDES);
            let first = soft.mesh.points.len() as u32;
            for corner in &tube.points {
                let at = Vec3::from(corner.map(f64::from));
                let far = |k: &&usize| (points[**k] - at).norm();
                let near = chain
                    .iter()
                    .min_by(|a, b| far(a).total_cmp(&far(b)))
                    .copied()
                    .unwrap_or(0);
                for (moves, shape) in soft.modes.iter_mut().zip(wire.shapes()) {
                    moves.push(single(&shape[near]));
                }
            }
            soft.mesh.points.extend(&tube.points);
            soft.mesh.normals.extend(&tube.normals);
            let shifted = |t: &[u32; 3]| t.map(|k| k + first);
            soft.mesh
                .triangles
                .extend(tube.triangles.iter().map(shifted));
        }
        return soft;
    }
    for chain in chains {
        soft.lines
            .push(chain.iter().map(|k| single(&points[*k])).collect());
        for (moves, shape) in soft.modes.iter_mut().zip(wire.shapes()) {
            moves.extend(chain.iter().map(|k| single(&shape[*k])));
        }
    }
    soft
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use fixstep_model::flex_file;
    use fixstep_pictures::motion;
    use fixstep_pictures::scene::{Place, Pose};

    /// The arm of the example has faces: it is drawn by them alone, and its corners move as its nodes.
    #[test]
    fn faces_move_as_their_nodes() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../models/rocker/arm.flex");
        let data = flex_file::read(&std::fs::read(path).unwrap()).unwrap();
        let modes: Vec<usize> = (0..data.modes.len()).collect();
        let wire = Wire::of(&data, &modes);
        let soft = soft(&data, &wire, &modes);
        assert!(soft.lines.is_empty());
        assert_eq!(soft.mesh.triangles.len(), data.faces.len());
        let pose = Pose {
            place: Place {
                position: Vec3::zeros(),
                rotation: [1.0, 0.0, 0.0, 0.0],
            },
            modal: modes
                .iter()
                .map(|mode| 1e-3 * (*mode as f64 - 3.0))
                .collect(),
        };
        let moved = motion::displacements(&soft, &pose);
        for (point, by) in soft.mesh.points.iter().zip(&moved) {
            let at = |node: &&Node| single(&node.position) == *point;
            let node = data.nodes.iter().find(at).unwrap();
            let sum: Vec3 = { pose.modal.iter().zip(&node.translation) }
                .map(|(q, shape)| shape * *q)
                .sum();
            assert!(
                (by - sum).norm() < 1e-6 * sum.norm().max(1e-3),
                "{by} {sum}"
            );
        }
    }
}

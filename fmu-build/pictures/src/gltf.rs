//! Control plane: a film as a binary glTF 2.0 file (Khronos, "glTF 2.0 Specification", 2021).
//!
//! glTF has y up and metres: one node at the root turns the scene. Bodies are nodes that move; their solids are nodes in
//! them. Springs and ropes are nodes that stretch along z. Modes are morph targets whose weights are modal coordinates; the
//! colour of a stress cannot be animated in glTF and is left out. Arrows of forces are left out.

mod buffer;
mod document;
mod links;
mod tracks;

use std::collections::BTreeMap;
use std::sync::Arc;

use fixstep_kernel::math::rotation::quaternion;
use fixstep_kernel::math::{Mat3, Vec3};
use serde_json::json;

use self::buffer::{Buffer, Target};
use self::document::{Document, Primitive};
use self::tracks::Tracks;
pub(crate) use self::tracks::continued;
use crate::camera::horizon;
use crate::scene::{Body, Color, Frame, Mesh, Scene, Soft, Solid};

/// Why a film cannot become glTF.
#[derive(Debug, thiserror::Error)]
pub enum GltfError {
    /// No frames.
    #[error("a film without frames has no poses: it needs one frame at least")]
    Empty,
    /// A frame does not fit.
    #[error("frame {frame} has {got} bodies, the scene has {expected}")]
    Bodies {
        /// The number of the frame, from 0.
        frame: usize,
        /// How many it has.
        got: usize,
        /// How many it should have.
        expected: usize,
    },
    /// A frame does not fit.
    #[error("frame {frame}, body \"{body}\": {got} modal coordinates for {expected} modes")]
    Modes {
        /// The number of the frame, from 0.
        frame: usize,
        /// The name of the body.
        body: String,
        /// How many it has.
        got: usize,
        /// How many it should have.
        expected: usize,
    },
    /// glTF has finite numbers only.
    #[error(
        "frame {frame}, {what}: a number that is not finite; leave out the frames after a run went wrong"
    )]
    NotFinite {
        /// The number of the frame, from 0.
        frame: usize,
        /// The time or the name of a body.
        what: String,
    },
}

/// A film as GLB. Times are those of the film, or begin at zero if the film begins before; of frames whose times are the
/// same in single precision the last counts.
pub fn glb(scene: &Scene, film: &[Frame]) -> Result<Vec<u8>, GltfError> {
    check(scene, film)?;
    let mut writer = Writer {
        document: Document::default(),
        buffer: Buffer::default(),
        known: BTreeMap::new(),
        kept: Vec::new(),
        tracks: Tracks::new(film),
    };
    let mut children = Vec::new();
    for (number, body) in scene.bodies.iter().enumerate() {
        children.push(writer.body(number, body));
    }
    for (link, lengths) in scene
        .links
        .iter()
        .zip(crate::render::link_lengths(scene, film))
    {
        children.extend(links::nodes(&mut writer, scene, link, lengths));
    }
    let [right, forward, up] = horizon(&scene.up);
    // x to the right, y up, z towards the viewer
    let turn = Mat3::from_rows(&[right.transpose(), up.transpose(), -forward.transpose()]);
    let [w, x, y, z] = quaternion(&turn);
    let root = writer.document.node(json!({
        "name": scene.title,
        "children": children,
        "rotation": tracks::single([x, y, z, w]),
    }));
    let Writer {
        mut document,
        buffer,
        tracks,
        ..
    } = writer;
    let animation = tracks.finish(&scene.title);
    document.animations.extend(animation);
    Ok(document.finish(buffer, root))
}

pub(crate) fn check(scene: &Scene, film: &[Frame]) -> Result<(), GltfError> {
    if film.is_empty() {
        return Err(GltfError::Empty);
    }
    for (number, frame) in film.iter().enumerate() {
        let not_finite = |what: &str| GltfError::NotFinite {
            frame: number,
            what: what.to_owned(),
        };
        if !frame.time.is_finite() {
            return Err(not_finite("time"));
        }
        if frame.poses.len() != scene.bodies.len() {
            return Err(GltfError::Bodies {
                frame: number,
                got: frame.poses.len(),
                expected: scene.bodies.len(),
            });
        }
        for (body, pose) in scene.bodies.iter().zip(&frame.poses) {
            let place = &pose.place;
            let mut all = place
                .position
                .iter()
                .chain(&place.rotation)
                .chain(&pose.modal);
            if !all.all(|x| (*x as f32).is_finite()) {
                return Err(not_finite(&body.name));
            }
            let expected = body
                .soft
                .as_ref()
                .map_or(pose.modal.len(), |soft| soft.modes.len());
            if pose.modal.len() != expected {
                return Err(GltfError::Modes {
                    frame: number,
                    body: body.name.clone(),
                    got: pose.modal.len(),
                    expected,
                });
            }
        }
    }
    Ok(())
}

/// A mesh of a document: the surface by its address, and the material.
type Key = (usize, usize);

struct Writer<'a> {
    document: Document,
    buffer: Buffer,
    /// Surfaces that are there already.
    known: BTreeMap<usize, Primitive>,
    /// Surfaces that nothing else keeps: each needs an address of its own until the end.
    kept: Vec<Arc<Mesh>>,
    tracks: Tracks<'a>,
}

impl Writer<'_> {
    /// A body's node, with its motion.
    fn body(&mut self, number: usize, body: &Body) -> usize {
        let mut children: Vec<usize> = Vec::new();
        for solid in &body.solids {
            children.extend(self.solid(body, solid));
        }
        let name = |kind: &str| format!("{}: {kind}", body.name);
        let soft = body.soft.as_ref().and_then(|soft| {
            let mesh = self.soft(soft, body.color, &body.name)?;
            Some(
                self.document
                    .node(json!({"name": name("flexible"), "mesh": mesh})),
            )
        });
        children.extend(soft);
        let first = &self.tracks.film[0].poses[number].place;
        let [w, x, y, z] = first.rotation;
        let mut node = json!({
            "name": body.name,
            "translation": [first.position[0] as f32, first.position[1] as f32, first.position[2] as f32],
            "rotation": tracks::single([x, y, z, w]),
        });
        if !children.is_empty() {
            node["children"] = json!(children);
        }
        let node = self.document.node(node);
        let place = |frame: &Frame| frame.poses[number].place;
        self.tracks
            .positions(&mut self.buffer, node, |frame| place(frame).position);
        self.tracks
            .rotations(&mut self.buffer, node, |frame| place(frame).rotation);
        if let (Some(deforms), Some(soft)) = (soft, &body.soft) {
            let modal = |frame: &Frame| frame.poses[number].modal.clone();
            self.tracks
                .weights(&mut self.buffer, deforms, soft.modes.len(), modal);
        }
        node
    }

    fn solid(&mut self, body: &Body, solid: &Solid) -> Option<usize> {
        let color = solid.color.unwrap_or(body.color);
        let mesh = self.mesh(&solid.mesh, color, solid.opacity)?;
        let name = if solid.name.is_empty() {
            &body.name
        } else {
            &solid.name
        };
        let [w, x, y, z] = solid.place.rotation;
        let p = solid.place.position;
        Some(self.document.node(json!({
            "name": name,
            "mesh": mesh,
            "translation": [p[0] as f32, p[1] as f32, p[2] as f32],
            "rotation": tracks::single([x, y, z, w]),
            "scale": solid.scale.map(|s| s as f32),
        })))
    }

    /// A surface in a colour; none if it has no triangles.
    fn mesh(&mut self, mesh: &Arc<Mesh>, color: Color, opacity: f64) -> Option<usize> {
        if mesh.triangles.is_empty() {
            return None;
        }
        let address = Arc::as_ptr(mesh) as usize;
        let buffer = &mut self.buffer;
        let primitive = self
            .known
            .entry(address)
            .or_insert_with(|| Primitive::surface(buffer, mesh));
        let material = self.document.material(color, opacity);
        Some(self.document.mesh((address, material), primitive))
    }

    /// A flexible surface with its lines.
    fn soft(&mut self, soft: &Soft, color: Color, name: &str) -> Option<usize> {
        let material = self.document.material(color, 1.0);
        let mut primitives = Vec::new();
        let corners = soft.mesh.points.len();
        if !soft.mesh.triangles.is_empty() {
            let mut surface = Primitive::surface(&mut self.buffer, &soft.mesh).json(material);
            let targets: Vec<_> = soft
                .modes
                .iter()
                .map(|mode| {
                    let normals = turned_normals(&soft.mesh, &mode[..corners]);
                    json!({
                        "POSITION": self.buffer.vectors(&mode[..corners], Target::Corners, true),
                        "NORMAL": self.buffer.vectors(&normals, Target::Corners, false),
                    })
                })
                .collect();
            if !targets.is_empty() {
                surface["targets"] = json!(targets);
            }
            primitives.push(surface);
        }
        let mut first = corners;
        for line in &soft.lines {
            let end = first + line.len();
            if line.len() >= 2 {
                let targets: Vec<_> = soft
                    .modes
                    .iter()
                    .map(|mode| json!({"POSITION": self.buffer.vectors(&mode[first..end], Target::Corners, true)}))
                    .collect();
                let points = self.buffer.vectors(line, Target::Corners, true);
                let mut strip =
                    json!({"attributes": {"POSITION": points}, "mode": 3, "material": material});
                if !targets.is_empty() {
                    strip["targets"] = json!(targets);
                }
                primitives.push(strip);
            }
            first = end;
        }
        if primitives.is_empty() {
            return None;
        }
        let weights = vec![0.0_f32; soft.modes.len()];
        let mut mesh = json!({"name": name, "primitives": primitives});
        if !weights.is_empty() {
            mesh["weights"] = json!(weights);
        }
        Some(self.document.whole_mesh(mesh))
    }
}

/// By how much normals change per unit of a mode, to first order: a face with the edges u and v has the normal u × v, which
/// changes by δu × v + u × δv.
fn turned_normals(mesh: &Mesh, mode: &[[f32; 3]]) -> Vec<[f32; 3]> {
    let wide = |v: [f32; 3]| Vec3::from(v.map(f64::from));
    let (mut sums, mut changes) = (
        vec![Vec3::zeros(); mode.len()],
        vec![Vec3::zeros(); mode.len()],
    );
    for triangle in &mesh.triangles {
        let [a, b, c] = triangle.map(|k| wide(mesh.points[k as usize]));
        let [da, db, dc] = triangle.map(|k| wide(mode[k as usize]));
        let (u, v) = (b - a, c - a);
        for &k in triangle {
            sums[k as usize] += u.cross(&v);
            changes[k as usize] += (db - da).cross(&v) + u.cross(&(dc - da));
        }
    }
    let of = |(sum, change): (&Vec3, &Vec3)| {
        let length = sum.norm();
        if length == 0.0 {
            return [0.0; 3];
        }
        let normal = sum / length;
        let across = (change - normal * normal.dot(change)) / length;
        [across[0] as f32, across[1] as f32, across[2] as f32]
    };
    sums.iter().zip(&changes).map(of).collect()
}

//! Control plane: the scene and the film in the data of a page.

use std::collections::BTreeMap;
use std::sync::Arc;

use fixstep_kernel::math::Vec3;
use fixstep_kernel::math::rotation::normalized;
use serde_json::{Value, json};

use super::binary::Binary;
use super::text::{color, place, point, vector};
use crate::gltf::continued;
use crate::scene::{ArrowKind, Body, Frame, LinkKind, Mesh, Origin, Scene, Soft};

/// Meshes and bodies.
pub(super) fn bodies(binary: &mut Binary, scene: &Scene) -> [Vec<Value>; 2] {
    let mut meshes = Meshes {
        known: BTreeMap::new(),
        all: Vec::new(),
    };
    let bodies = scene
        .bodies
        .iter()
        .map(|body| body_json(binary, &mut meshes, body))
        .collect();
    [meshes.all, bodies]
}

/// Surfaces that are there already, by their addresses.
struct Meshes {
    known: BTreeMap<usize, usize>,
    all: Vec<Value>,
}

impl Meshes {
    fn number(&mut self, binary: &mut Binary, mesh: &Arc<Mesh>) -> usize {
        let address = Arc::as_ptr(mesh) as usize;
        if let Some(&number) = self.known.get(&address) {
            return number;
        }
        let number = self.push(binary, mesh);
        self.known.insert(address, number);
        number
    }

    fn push(&mut self, binary: &mut Binary, mesh: &Mesh) -> usize {
        self.all.push(json!({
            "points": binary.f32(mesh.points.as_flattened()),
            "normals": binary.parts(mesh.normals.as_flattened()),
            "triangles": binary.u32(mesh.triangles.as_flattened()),
        }));
        self.all.len() - 1
    }
}

fn body_json(binary: &mut Binary, meshes: &mut Meshes, body: &Body) -> Value {
    let solids: Vec<Value> = body
        .solids
        .iter()
        .map(|solid| {
            json!({
                "name": solid.name,
                "origin": origin(solid.origin),
                "mesh": meshes.number(binary, &solid.mesh),
                "scale": solid.scale,
                "position": vector(&solid.place.position),
                "rotation": solid.place.rotation,
                "color": solid.color.map(color),
                "opacity": solid.opacity,
            })
        })
        .collect();
    json!({
        "name": body.name,
        "mass": body.mass,
        "center": vector(&body.center),
        "inertia": body.inertia,
        "color": color(body.color),
        "solids": solids,
        "soft": body.soft.as_ref().map(|soft| soft_json(binary, meshes, soft)),
    })
}

fn soft_json(binary: &mut Binary, meshes: &mut Meshes, soft: &Soft) -> Value {
    let lines: Vec<Value> = soft
        .lines
        .iter()
        .map(|line| binary.f32(line.as_flattened()))
        .collect();
    let modes: Vec<Value> = soft
        .modes
        .iter()
        .map(|mode| binary.f32(mode.as_flattened()))
        .collect();
    let stresses = soft.stresses.as_ref().map(|stresses| {
        let each = stresses.iter().map(|mode| binary.f32(mode.as_flattened()));
        each.collect::<Vec<Value>>()
    });
    json!({
        "mesh": meshes.push(binary, &soft.mesh),
        "lines": lines,
        "modes": modes,
        "stresses": stresses,
    })
}

fn origin(origin: Origin) -> &'static str {
    match origin {
        Origin::Shape => "shape",
        Origin::Derived => "derived",
        Origin::Contact => "contact",
        Origin::Tyre => "tyre",
        Origin::Road => "road",
        Origin::Joint => "joint",
        Origin::Curve => "curve",
    }
}

/// What stretches.
pub(super) fn links(scene: &Scene) -> Vec<Value> {
    let kind = |kind: LinkKind| match kind {
        LinkKind::Spring => "spring",
        LinkKind::Damper => "damper",
        LinkKind::Strut => "strut",
        LinkKind::Rope => "rope",
        LinkKind::Line => "line",
    };
    scene
        .links
        .iter()
        .map(|link| {
            let points: Vec<Value> = link.points.iter().map(point).collect();
            json!({"name": link.name, "kind": kind(link.kind), "radius": link.radius, "points": points})
        })
        .collect()
}

/// Joints.
pub(super) fn joints(scene: &Scene) -> Vec<Value> {
    scene
        .joints
        .iter()
        .map(|joint| {
            json!({
                "name": joint.name,
                "kind": joint.kind,
                "i": place(joint.i.0, &joint.i.1),
                "j": place(joint.j.0, &joint.j.1),
            })
        })
        .collect()
}

/// Arrows with their vectors.
pub(super) fn arrows(binary: &mut Binary, scene: &Scene, film: &[Frame]) -> Vec<Value> {
    scene
        .arrows
        .iter()
        .enumerate()
        .map(|(k, arrow)| {
            let vectors: Vec<f32> = film
                .iter()
                .flat_map(|frame| frame.arrows.get(k).copied().unwrap_or_default())
                .map(|x| x as f32)
                .collect();
            json!({
                "points": spots(film, k).map(|points| binary.f32(&points)),
                "from": arrow.from,
                "name": arrow.name,
                "kind": match arrow.kind { ArrowKind::Force => "force", ArrowKind::Torque => "torque" },
                "reaction": arrow.reaction,
                "drives": arrow.drives,
                "at": point(&arrow.at),
                "vectors": binary.f32(&vectors),
            })
        })
        .collect()
}

/// By frame, the place where an arrow acts, if that moves on its body.
fn spots(film: &[Frame], arrow: usize) -> Option<Vec<f32>> {
    let all: Option<Vec<[f64; 3]>> = { film.iter() }
        .map(|frame| frame.spots.get(arrow).copied().flatten())
        .collect();
    let all = all.filter(|all| !all.is_empty())?;
    Some(all.into_iter().flatten().map(|x| x as f32).collect())
}

/// Times and poses. Ground stands still.
pub(super) fn frames(binary: &mut Binary, scene: &Scene, film: &[Frame]) -> Value {
    let times: Vec<f64> = film.iter().map(|frame| frame.time).collect();
    let times = binary.f64(&times);
    let bodies: Vec<Value> = (0..scene.bodies.len())
        .map(|body| {
            if body == 0 {
                return Value::Null;
            }
            let places = film
                .iter()
                .flat_map(|frame| vector(&frame.poses[body].place.position));
            let places: Vec<f32> = places.map(|x| x as f32).collect();
            let turns = film.iter().map(|frame| frame.poses[body].place.rotation);
            let modal: Option<Vec<f32>> = scene.bodies[body].soft.as_ref().map(|_| {
                let all = film.iter().flat_map(|frame| &frame.poses[body].modal);
                all.map(|q| *q as f32).collect()
            });
            let rates: Option<Vec<[Vec3; 2]>> = { film.iter() }
                .map(|frame| frame.rates.get(body).copied())
                .collect();
            let rates = rates.filter(|_| film.len() > 1);
            let single = |k: usize| -> Option<Vec<f32>> {
                let all = rates.iter().flatten().map(|both| &both[k]);
                let all: Vec<f32> = all.flat_map(vector).map(|x| x as f32).collect();
                (!all.is_empty()).then_some(all)
            };
            json!({
                "velocity": single(0).map(|all| binary.f32(&all)),
                "turning": single(1).map(|all| binary.f32(&all)),
                "position": binary.f32(&places),
                "rotation": rotations(binary, turns),
                "modal": modal.map(|modal| binary.f32(&modal)),
            })
        })
        .collect();
    json!({"times": times, "bodies": bodies})
}

/// Unit quaternions, continuous in sign.
fn rotations(binary: &mut Binary, turns: impl Iterator<Item = [f64; 4]>) -> Value {
    let mut last = [0.0; 4];
    let single: Vec<f32> = turns
        .flat_map(|turn| {
            last = continued(&last, normalized(&turn));
            last
        })
        .map(|x| x as f32)
        .collect();
    binary.f32(&single)
}

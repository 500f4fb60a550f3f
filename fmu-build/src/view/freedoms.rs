//! Control plane: what can move, as short films: the mechanism goes along each free motion, there and back, with all constraints
//! closed in every frame.

use fixstep_kernel::analysis::Start;
use fixstep_kernel::analysis::freedoms::{FreeAt, Freedom};
use fixstep_kernel::elements::joints;
use fixstep_kernel::ids::JointId;
use fixstep_kernel::math::Vec3;
use fixstep_kernel::math::rotation::quaternion;
use fixstep_kernel::mechanism::Mechanism;
use fixstep_kernel::simulation::Simulation;
use fixstep_kernel::state::State;
use fixstep_pictures::payload::{Cell, Shape, ShapeMotion, Table};
use fixstep_pictures::scene::{Film, Frame, Place};

use crate::scene;

/// Fewest and most frames on each side of the start, and how many poses of bodies all films have together: between frames a page goes
/// on straight lines.
const STEPS: [usize; 2] = [8, 24];
const POSES: usize = 12_000;
/// Largest rotation of a film \[rad\], and largest translation in characteristic lengths.
const TURN: f64 = 0.6;
const TRAVEL: f64 = 0.6;
/// A violation at which a film ends: the motion cannot go on there [characteristic lengths, rad].
const OPEN: f64 = 1e-6;
/// Most films.
const FILMS: usize = 60;
/// Rates below this part of the largest are none.
const RESTS: f64 = 1e-6;
const AXES: [&str; 3] = ["x", "y", "z"];

/// What can move.
pub(super) struct Free {
    /// A film for each free motion.
    pub(super) films: Vec<Shape>,
    /// The joints with what they do.
    pub(super) joints: Table,
}

/// The free motions of a mechanism at its start.
pub(super) fn of(simulation: &mut Simulation) -> Free {
    let first = scene::frame(simulation);
    let mechanism = simulation.mechanism().clone();
    let mut start = simulation.analysis();
    let begin = start.state.clone();
    let found = start.freedoms().unwrap_or_default();
    let count = found.len().min(FILMS) * mechanism.bodies.len();
    let steps = (POSES / count.max(1)).clamp(STEPS[0], STEPS[1]);
    let mut films = Vec::new();
    for freedom in found.iter().take(FILMS) {
        let film = film(&mut start, (&mechanism, &begin), (freedom, steps), &first);
        films.push(Shape {
            name: named(&mechanism, freedom),
            text: told(&mechanism, freedom),
            of: Some(owner(&mechanism, freedom)),
            motion: ShapeMotion::Film(film),
        });
    }
    Free {
        joints: table(&mechanism, &found, start.length),
        films,
    }
}

/// The film of a free motion, over a share from −1 to 1 of the farthest that is shown.
fn film(
    start: &mut Start<'_>,
    (mechanism, begin): (&Mechanism, &State),
    (freedom, steps): (&Freedom, usize),
    first: &Frame,
) -> Film {
    let over = |of: fn(&(Vec3, Vec3)) -> f64| {
        let all = freedom.motion.iter().map(of);
        all.fold(f64::MIN_POSITIVE, f64::max)
    };
    let (travel, turn) = (
        over(|(moves, _)| moves.norm()),
        over(|(_, turns)| turns.norm()),
    );
    let most = (TURN / turn).min(TRAVEL * start.length / travel);
    let step = most / steps as f64;
    let mut way = |sign: f64| {
        start.state.copy_from(begin);
        let mut frames = Vec::new();
        for k in 1..=steps {
            let left = start.move_along(begin, &freedom.motion, sign * step);
            if !left.is_ok_and(|left| left <= OPEN) {
                break;
            }
            let share = sign * k as f64 / steps as f64;
            frames.push(seen(start, mechanism, first, share));
        }
        frames
    };
    let mut film = way(-1.0);
    film.reverse();
    film.push(Frame {
        time: 0.0,
        ..first.clone()
    });
    film.extend(way(1.0));
    start.state.copy_from(begin);
    film
}

/// The bodies where the state under construction has them.
fn seen(start: &Start<'_>, mechanism: &Mechanism, first: &Frame, share: f64) -> Frame {
    let layout = &start.system.layout;
    let mut frame = first.clone();
    frame.time = share;
    let bodies = frame.poses.iter_mut().zip(&mechanism.bodies);
    for (body, (pose, entry)) in bodies.enumerate().skip(1) {
        let axes = start.state.rotation(layout, body);
        pose.place = Place {
            position: start.state.position(layout, body) - axes * entry.center_of_mass,
            rotation: quaternion(&axes),
        };
    }
    frame
}

/// `turns about z`
fn verb(coordinate: usize) -> String {
    match coordinate {
        0..3 => format!("slides along {}", AXES[coordinate]),
        _ => format!("turns about {}", AXES[coordinate - 3]),
    }
}

fn named(mechanism: &Mechanism, freedom: &Freedom) -> String {
    let name = match freedom.at {
        FreeAt::Joint(joint) => &mechanism.joints[joint.index()].name,
        FreeAt::Body(body) => &mechanism.bodies[body.index()].name,
    };
    let how = match (freedom.at, freedom.coordinate) {
        (FreeAt::Body(_), k @ 0..3) => format!("moves along {}", AXES[k]),
        (_, k) => verb(k),
    };
    format!("{name}: {how}")
}

/// What holds it, and what drives it.
fn told(mechanism: &Mechanism, freedom: &Freedom) -> String {
    let FreeAt::Joint(joint) = freedom.at else {
        return "part, in ground axes".to_owned();
    };
    let joint_of = &mechanism.joints[joint.index()];
    let kind = joints::name(&joint_of.kind);
    let axes = &mechanism.markers[joint_of.j.index()].name;
    match drivers(mechanism, joint).as_str() {
        "" => format!("{kind}, axes of {axes}"),
        driver => format!("{kind}, axes of {axes}, driven by {driver}"),
    }
}

/// The motions that drive a joint.
fn drivers(mechanism: &Mechanism, joint: JointId) -> String {
    let own = mechanism.motions.iter();
    let own = own.filter(|motion| motion.joint == Some(joint));
    let names: Vec<&str> = own.map(|motion| motion.name.as_str()).collect();
    names.join(", ")
}

fn owner(mechanism: &Mechanism, freedom: &Freedom) -> [String; 2] {
    let (kind, name) = match freedom.at {
        FreeAt::Joint(joint) => ("joint", &mechanism.joints[joint.index()].name),
        FreeAt::Body(body) => ("body", &mechanism.bodies[body.index()].name),
    };
    [kind.to_owned(), name.clone()]
}

/// Joints: their types, and how they move in all that is free.
fn table(mechanism: &Mechanism, found: &[Freedom], length: f64) -> Table {
    let mut table = Table {
        columns: ["joint", "type", "how it moves", "driven by"]
            .map(str::to_owned)
            .to_vec(),
        ..Table::default()
    };
    let size = |of: fn(&(Vec3, Vec3)) -> Vec3| {
        let all = found.iter().flat_map(|freedom| &freedom.joints);
        all.map(|own| of(own).amax()).fold(0.0, f64::max)
    };
    // Rounding of rotations is no translation, and the other way round.
    let most = size(|own| own.0).max(length * size(|own| own.1));
    let most = [most, most / length];
    for (k, joint) in mechanism.joints.iter().enumerate() {
        let moves = |coordinate: &usize| {
            let rate = |freedom: &Freedom| {
                let (moves, turns) = freedom.joints[k];
                if *coordinate < 3 {
                    moves[*coordinate]
                } else {
                    turns[coordinate - 3]
                }
            };
            let largest = found.iter().map(|own| rate(own).abs()).fold(0.0, f64::max);
            largest > RESTS * most[coordinate / 3].max(f64::MIN_POSITIVE)
        };
        let all: Vec<String> = (0..6).filter(moves).map(verb).collect();
        let how = if all.is_empty() {
            "rests at the start".to_owned()
        } else {
            all.join(", ")
        };
        table.rows.push(vec![
            Cell::Entity("joint".to_owned(), joint.name.clone()),
            Cell::Text(joints::name(&joint.kind).to_owned()),
            Cell::Text(how),
            Cell::Text(drivers(mechanism, JointId::from(k))),
        ]);
    }
    table
}

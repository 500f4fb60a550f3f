//! Tests of the start of flexible bodies: if rigid motion closes the joints, shapes stay as they are, to the bit; otherwise
//! they bend with the least energy.

use crate::harness::{example, output};
use crate::soft::Beam;
use fixstep_kernel::ids::BodyId;
use fixstep_kernel::math::rotation::log;
use fixstep_kernel::math::{Vec3, atan2};
use fixstep_kernel::simulation::{Figure, Simulation};
use fixstep_kernel::system::flexible::modal_part;
use fixstep_model::Model;
use serde_json::{Value, json};

/// A mechanism with the steel rod of the slider-crank, as `fixstep flex beam` makes it, 0.5 m along its x axis.
pub(crate) fn with_rod(change: impl FnOnce(&mut Value)) -> Simulation {
    let root = env!("CARGO_MANIFEST_DIR");
    let rod = std::fs::read(format!("{root}/models/flexible_slider_crank/rod.flex")).unwrap();
    let mut model = json!({
        "fixstep": 1, "name": "t", "gravity": [0, 0, 0],
        "units": {"length": "m", "mass": "kg", "force": "N", "time": "s", "angle": "rad"},
        "flexible_bodies": [{"name": "rod", "file": "rod.flex"}],
        "parts": [],
        "markers": [
            {"name": "root", "part": "rod", "node": "big_end"},
            {"name": "tip", "part": "rod", "node": "small_end"}
        ],
        "solver": {"integrator": "HHT"},
        "experiment": {"start": 0, "stop": 1, "step": 0.001}
    });
    change(&mut model);
    built(&model, &[("rod.flex", rod)])
}

/// Builds a model with files.
fn built(model: &Value, all: &[(&str, Vec<u8>)]) -> Simulation {
    let files = |path: &str| {
        let mut found = all.iter().filter(|(name, _)| *name == path);
        found.next().map_or_else(
            || fixstep_model::resources::none(path),
            |(_, bytes)| Ok(bytes.clone()),
        )
    };
    let model = Model::read(&model.to_string(), &files).map_err(|e| e.to_string());
    match model.and_then(|model| Simulation::new(model.mechanism).map_err(|e| e.to_string())) {
        Ok(simulation) => simulation,
        Err(problem) => unreachable!("{problem}"),
    }
}

pub(crate) fn push(model: &mut Value, list: &str, entry: Value) {
    if model[list].is_null() {
        model[list] = json!([]);
    }
    model[list].as_array_mut().unwrap().push(entry);
}

pub(crate) fn cube(name: &str, position: [f64; 3]) -> Value {
    json!({
        "name": name, "mass": 1, "position": position, "inertia": {"xx": 0.01, "yy": 0.02, "zz": 0.03}
    })
}

pub(crate) fn strain(simulation: &Simulation) -> f64 {
    simulation.figure(Figure::StrainEnergy)
}

/// Modal coordinates and velocities of all bodies.
pub(crate) fn modal(simulation: &mut Simulation) -> [Vec<f64>; 2] {
    let part = simulation.part();
    let layout = &part.system.layout;
    let rates = modal_part(&part.system, layout.velocity);
    [layout.modal, rates].map(|span| part.state.span(span).to_vec())
}

pub(crate) fn are_zero(values: &[f64]) -> bool {
    values.iter().all(|x| *x == 0.0)
}

pub(crate) fn body(simulation: &Simulation, name: &str) -> BodyId {
    let bodies = &simulation.mechanism().bodies;
    let at = bodies.iter().position(|body| body.name == name);
    BodyId::from(at.unwrap_or_else(|| unreachable!("no body {name}")))
}

/// The turn about z of a body's frame.
fn turned(simulation: &Simulation, name: &str) -> f64 {
    let (_, axes) = simulation.body_pose(body(simulation, name));
    atan2(axes[(1, 0)], axes[(0, 0)])
}

/// The rod on a hinge at its root, and what is wanted of that.
pub(crate) fn hinged(model: &mut Value, initial: &Value) {
    let hinge = json!({"name": "hinge", "type": "revolute", "i": "root", "j": "ground", "initial": initial});
    push(model, "joints", hinge);
}

/// A part that is fixed on the tip of the rod.
pub(crate) fn tipped(model: &mut Value) {
    push(model, "parts", cube("weight", [0.5, 0.0, 0.0]));
    push(model, "markers", json!({"name": "seat", "part": "weight"}));
    push(
        model,
        "joints",
        json!({"name": "seat", "type": "fixed", "i": "seat", "j": "tip"}),
    );
    push(
        model,
        "outputs",
        json!({"name": "spin", "expression": "WZ(seat)"}),
    );
}

#[test]
fn an_initial_angle_turns_a_body_and_does_not_bend_it() {
    for angle in [0.5, -2.5, 1e-6] {
        let mut simulation = with_rod(|m| hinged(m, &json!({"angle": angle})));
        let (found, energy) = (turned(&simulation, "rod"), strain(&simulation));
        eprintln!("angle {angle}: frame at {found}, strain energy {energy} J");
        assert!(energy == 0.0, "{energy}");
        assert!((found - angle).abs() < 1e-12, "{found}");
        assert!(modal(&mut simulation).iter().all(|all| are_zero(all)));
    }
}

#[test]
fn an_angular_velocity_of_a_hinge_reaches_the_tip() {
    let mut simulation = with_rod(|m| {
        hinged(m, &json!({"angle": 0.5, "angular_velocity": 3}));
        tipped(m);
    });
    let spin = output(&simulation, "spin");
    eprintln!("spin of the tip: {spin}");
    assert!((spin - 3.0).abs() < 1e-12, "{spin}");
    assert!((turned(&simulation, "weight") - 0.5).abs() < 1e-12);
    assert!(modal(&mut simulation).iter().all(|all| are_zero(all)));
}

/// Given to the part at the tip, it reaches the root.
#[test]
fn a_given_angular_velocity_of_a_part_turns_the_body_that_carries_it() {
    let mut simulation = with_rod(|m| {
        hinged(m, &json!({"angle": 0.5}));
        tipped(m);
        m["parts"][0]["angular_velocity"] = json!([0, 0, 3]);
        push(
            m,
            "outputs",
            json!({"name": "root", "expression": "WZ(root)"}),
        );
    });
    for name in ["spin", "root"] {
        let spin = output(&simulation, name);
        assert!((spin - 3.0).abs() < 1e-12, "{name}: {spin}");
    }
    assert!(modal(&mut simulation).iter().all(|all| are_zero(all)));
}

/// What the model gives of shapes stays as well.
#[test]
fn given_shapes_stay() {
    let mut given = [vec![0.0; 12], vec![0.0; 12]];
    given[0][..3].copy_from_slice(&[1e-3, -2e-3, 5e-4]);
    given[1][..3].copy_from_slice(&[0.3, 0.2, -0.4]);
    let mut simulation = with_rod(|m| {
        hinged(m, &json!({"angle": 0.5, "angular_velocity": 3}));
        tipped(m);
        m["flexible_bodies"][0]["displacements"] = json!(given[0]);
        m["flexible_bodies"][0]["velocities"] = json!(given[1]);
        push(
            m,
            "outputs",
            json!({"name": "rate", "expression": "WZ(root)"}),
        );
    });
    assert_eq!(modal(&mut simulation), given);
    let rate = output(&simulation, "rate");
    assert!((rate - 3.0).abs() < 1e-12, "{rate}");
}

/// Four rods in a square, on hinges: a loop of bodies that could all bend.
pub(crate) fn square(model: &mut Value, initial: &Value) {
    let side = 0.5;
    let corners = [[0.0, 0.0], [0.0, side], [side, side], [side, 0.0]];
    model["flexible_bodies"] = json!([]);
    model["markers"] = json!([]);
    for k in 0..3 {
        let ([x, y], [u, v]) = (corners[k], corners[k + 1]);
        push(
            model,
            "flexible_bodies",
            json!({
                "name": format!("rod {k}"), "file": "rod.flex", "position": [x, y, 0],
                "orientation": {"z_point": [x, y, 1], "x_point": [u, v, 0]}
            }),
        );
        for (end, node) in [("a", "big_end"), ("b", "small_end")] {
            let marker =
                json!({"name": format!("{end}{k}"), "part": format!("rod {k}"), "node": node});
            push(model, "markers", marker);
        }
    }
    push(
        model,
        "markers",
        json!({"name": "foot", "part": "ground", "position": [side, 0, 0]}),
    );
    let hinge =
        |name: &str, i: &str, j: &str| json!({"name": name, "type": "revolute", "i": i, "j": j});
    let mut first = hinge("first", "a0", "ground");
    first["initial"] = initial.clone();
    push(model, "joints", first);
    push(model, "joints", hinge("second", "a1", "b0"));
    push(model, "joints", hinge("third", "a2", "b1"));
    push(model, "joints", hinge("fourth", "b2", "foot"));
    push(
        model,
        "outputs",
        json!({"name": "rate", "expression": "WZ(b2)"}),
    );
}

#[test]
fn a_loop_of_flexible_bodies_closes_by_rigid_motion() {
    let initial = json!({"angle": std::f64::consts::FRAC_PI_2 - 0.4, "angular_velocity": 2});
    let mut simulation = with_rod(|m| square(m, &initial));
    assert!(strain(&simulation) == 0.0);
    assert!(modal(&mut simulation).iter().all(|all| are_zero(all)));
    assert!((turned(&simulation, "rod 0") - std::f64::consts::FRAC_PI_2 + 0.4).abs() < 1e-12);
    // A parallelogram: its coupler keeps its direction, its rocker turns with its crank.
    assert!(turned(&simulation, "rod 1").abs() < 1e-10);
    assert!((output(&simulation, "rate") - 2.0).abs() < 1e-10);
}

/// Strain energy of a start, and of the static equilibrium of the same mechanism without loads: that is the least
/// with which the joints close.
fn starts(change: impl Fn(&mut Value)) -> [f64; 2] {
    [false, true].map(|equilibrium| {
        let simulation = with_rod(|m| {
            change(m);
            if equilibrium {
                m["start"] = json!({"equilibrium": {}});
            }
        });
        strain(&simulation)
    })
}

/// A clamped rod whose tip stands off: ½ (3 E I/L³) δ².
#[test]
fn a_tip_that_stands_off_bends_the_rod_with_least_energy() {
    let off = 1e-4;
    let [found, least] = starts(|m| {
        push(
            m,
            "joints",
            json!({"name": "clamp", "type": "fixed", "i": "root", "j": "ground"}),
        );
        let seat = json!({
            "name": "seat", "part": "ground", "position": [0.5, off, 0],
            "orientation": {"z_point": [0.5, 1, 0], "x_point": [1, off, 0]}
        });
        push(m, "markers", seat);
        push(
            m,
            "joints",
            json!({"name": "seat", "type": "in_plane", "i": "tip", "j": "seat"}),
        );
    });
    let stiffness = 3.0 * 2.1e11 * 0.02_f64.powi(4) / 12.0 / 0.125;
    let closed = 0.5 * stiffness * off * off;
    eprintln!("bent by its seat: {found} J, at rest {least} J, a cantilever {closed} J");
    assert!((found / closed - 1.0).abs() < 1e-5, "{found} {closed}");
    assert!((found / least - 1.0).abs() < 1e-9, "{found} {least}");
}

/// Two rods in line between walls that do not face each other: both bend, turn and stretch; a third one that hangs
/// on hinges between them stays straight.
#[test]
fn bodies_share_what_rigid_motion_cannot_close_by_their_stiffness() {
    let build = |m: &mut Value| {
        m["flexible_bodies"] = json!([
            {"name": "left", "file": "rod.flex"},
            {"name": "right", "file": "rod.flex", "position": [0.5, 0, 0]},
            {"name": "hung", "file": "rod.flex", "position": [0.5, 0, 0],
             "orientation": {"z_point": [0.5, 0, 1], "x_point": [0.5, -1, 0]}}
        ]);
        m["markers"] = json!([
            {"name": "a", "part": "left", "node": "big_end"},
            {"name": "b", "part": "left", "node": "small_end"},
            {"name": "c", "part": "right", "node": "big_end"},
            {"name": "d", "part": "right", "node": "small_end"},
            {"name": "e", "part": "hung", "node": "big_end"},
            {"name": "wall", "part": "ground", "position": [1.0005, 0.002, 0.001],
             "orientation": {"euler": [0.004, 0.003, 0]}}
        ]);
        m["joints"] = json!([
            {"name": "left clamp", "type": "fixed", "i": "a", "j": "ground"},
            {"name": "weld", "type": "fixed", "i": "c", "j": "b"},
            {"name": "right clamp", "type": "fixed", "i": "d", "j": "wall"},
            {"name": "hook", "type": "revolute", "i": "e", "j": "b", "initial": {"angle": -1}}
        ]);
    };
    let [found, least] = starts(build);
    eprintln!("between walls: {found} J, at rest {least} J");
    assert!(found > 1.0, "{found}");
    assert!((found / least - 1.0).abs() < 1e-9, "{found} {least}");
    let simulation = with_rod(build);
    for name in ["left", "right"] {
        let q = simulation.modal_coordinates(body(&simulation, name));
        assert!(!are_zero(q));
    }
    let hung = simulation.modal_coordinates(body(&simulation, "hung"));
    let largest = hung.iter().fold(0.0_f64, |a, q| a.max(q.abs()));
    assert!(largest < 1e-12, "{largest}");
}

/// A soft and a stiff body: the strain energies weigh, not the displacements.
#[test]
fn a_soft_body_gives_way_to_a_stiff_one() {
    let beam = |bending: f64| Beam::clamped(1.0, 2.0, bending, 3).data();
    let (soft, stiff) = (beam(1.0), beam(1e6));
    let at = |equilibrium: bool| {
        let mut model = json!({
            "fixstep": 1, "name": "t", "gravity": [0, 0, 0],
            "flexible_bodies": [
                {"name": "soft", "file": "soft.flex"},
                {"name": "stiff", "file": "stiff.flex", "position": [0, 0.01, 0]}
            ],
            "markers": [
                {"name": "a", "part": "soft", "node": "root"}, {"name": "b", "part": "soft", "node": "tip"},
                {"name": "c", "part": "stiff", "node": "root"}, {"name": "d", "part": "stiff", "node": "tip"},
                {"name": "shelf", "part": "ground", "position": [0, 0.01, 0]},
            ],
            "joints": [
                {"name": "one", "type": "fixed", "i": "a", "j": "ground"},
                {"name": "two", "type": "fixed", "i": "c", "j": "shelf"},
                {"name": "tie", "type": "in_line", "i": "b", "j": "d"}
            ],
            "experiment": {"start": 0, "stop": 1, "step": 0.001}
        });
        // Along x, in whose direction the shapes do not move, nothing is tied.
        model["markers"][3]["orientation"] = json!({"z_point": [2, 0, 0], "x_point": [1, 1, 0]});
        if equilibrium {
            model["start"] = json!({"equilibrium": {}});
        }
        let file = |name, data| (name, fixstep_model::flex_file::write(data));
        strain(&built(
            &model,
            &[file("soft.flex", &soft), file("stiff.flex", &stiff)],
        ))
    };
    let (found, least) = (at(false), at(true));
    eprintln!("soft and stiff: {found} J, at rest {least} J");
    assert!((found / least - 1.0).abs() < 1e-6, "{found} {least}");
}

/// What is exact of a flexible body stays, while others close.
#[test]
fn exact_coordinates_of_a_flexible_body_stay() {
    let simulation = with_rod(|m| {
        let rod = &mut m["flexible_bodies"][0];
        rod["position"] = json!([0.1, 0.2, -0.3]);
        rod["orientation"] = json!({"euler": [0.3, 0.2, 0.1]});
        rod["assembly"] = json!({"exact": ["x", "y", "z", "rx", "ry", "rz"]});
        tipped(m);
    });
    let at = body(&simulation, "rod");
    let (r, axes) = simulation.body_pose(at);
    let rod = &simulation.mechanism().bodies[at.index()];
    assert!((axes - rod.orientation).norm() < 1e-15);
    let origin = r - axes * rod.center_of_mass;
    assert!((origin - Vec3::new(0.1, 0.2, -0.3)).norm() < 1e-15);
    assert!(strain(&simulation) == 0.0);
}

/// Some of them: the origin, and the first component of the rotation vector from the pose of the model.
#[test]
fn an_exact_origin_of_a_flexible_body_stays_while_the_body_turns() {
    let simulation = with_rod(|m| {
        let rod = &mut m["flexible_bodies"][0];
        rod["position"] = json!([0.1, 0.2, -0.3]);
        rod["orientation"] = json!({"euler": [0.3, 0.2, 0.1]});
        rod["assembly"] = json!({"exact": ["x", "y", "z", "rx"]});
        let level = json!({"name": "level", "part": "ground", "position": [0, 0, 0.1]});
        push(m, "markers", level);
        let joint = json!({"name": "level", "type": "in_plane", "i": "tip", "j": "level"});
        push(m, "joints", joint);
        push(m, "outputs", json!({"name": "z", "expression": "DZ(tip)"}));
    });
    let at = body(&simulation, "rod");
    let (r, axes) = simulation.body_pose(at);
    let rod = &simulation.mechanism().bodies[at.index()];
    let origin = r - axes * rod.center_of_mass;
    assert!(
        (origin - Vec3::new(0.1, 0.2, -0.3)).norm() < 1e-15,
        "{origin}"
    );
    let turn = log(&(axes * rod.orientation.transpose()));
    assert!(turn.x.abs() < 1e-15 && turn.norm() > 0.5, "{turn}");
    assert!((output(&simulation, "z") - 0.1).abs() < 1e-14);
    assert!(strain(&simulation) == 0.0);
}

/// The examples start with no strain but that of their static equilibrium.
#[test]
fn examples_start_unbent() {
    for (name, rests) in [
        ("flexible_slider_crank", false),
        ("flexible_beam_twins", false),
        ("rocker", false),
        ("robot_arm_flexible_link", true),
    ] {
        let mut simulation = example(name);
        let energy = strain(&simulation);
        let [q, rates] = modal(&mut simulation);
        let fastest = rates.iter().fold(0.0_f64, |a, x| a.max(x.abs()));
        eprintln!("{name}: strain energy {energy:e} J, fastest modal rate {fastest:e}");
        assert_eq!(energy != 0.0, rests, "{name}: {energy}");
        assert!(
            are_zero(&q) != rests && are_zero(&rates),
            "{name}: {fastest}"
        );
    }
}

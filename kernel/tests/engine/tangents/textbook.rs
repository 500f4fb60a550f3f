//! Matrices that textbooks have, to the last bit, and columns of every way that inputs take.

use super::*;

/// A point mass on linear springs and dampers along x, with a force.
fn oscillators() -> serde_json::Value {
    json!({
        "fixstep": 1, "name": "t",
        "units": {"length": "m", "mass": "kg", "force": "N", "time": "s", "angle": "rad"},
        "point_masses": [{"name": "one", "mass": 2.0, "position": [1, 0, 0]},
                         {"name": "two", "mass": 3.0, "position": [2, 0, 0]}],
        "markers": [{"name": "g", "part": "ground"}, {"name": "a", "part": "one"},
                    {"name": "b", "part": "two"}],
        "inputs": [{"name": "push", "start": 0.0}],
        "forces": [
            {"name": "first", "type": "spring_damper", "i": "a", "j": "g", "stiffness": 40,
             "damping": 0.5, "length": 1},
            {"name": "second", "type": "spring_damper", "i": "b", "j": "a", "stiffness": 24,
             "damping": 0.25, "length": 1},
            {"name": "push", "type": "vector_force", "i": "b", "j": "g", "fx": "push + 8*DIF(z)"}
        ],
        "differential_equations": [{"name": "z", "derivative": "4*DX(b, g) - 2*DIF(z) + 0.5*push"}],
        "experiment": {"start": 0, "stop": 1, "step": 0.01}
    })
}

#[test]
fn masses_springs_and_dampers() {
    let mut run = written(&oscillators());
    let found = check("oscillators", &mut run);
    // x of the one, x of the other, then z.
    let (one, two, z) = (0, 3, 6);
    assert_eq!(found.places.len(), 7);
    assert_eq!(
        found.places[one].unknown,
        "part \"one\", displacement along x"
    );
    assert_eq!(found.places[two].equation, "part \"two\", force along x");
    let square = |m: &SparseMatrix| {
        [
            [m.get(one, one), m.get(one, two)],
            [m.get(two, one), m.get(two, two)],
        ]
    };
    assert_eq!(square(&found.positions), [[64.0, -24.0], [-24.0, 24.0]]);
    assert_eq!(square(&found.velocities), [[0.75, -0.25], [-0.25, 0.25]]);
    assert_eq!(found.accelerations.dense(), {
        let mut mass = [0.0; 49];
        for k in 0..6 {
            mass[8 * k] = if k < 3 { 2.0 } else { 3.0 };
        }
        mass
    });
    assert_eq!(found.positions.get(z, two), -4.0);
    assert_eq!(found.states.get(z, z), 2.0);
    assert_eq!(found.states.get(two, z), -8.0);
    assert_eq!(found.rates.get(z, z), 1.0);
    assert_eq!(
        [found.inputs.get(two, 0), found.inputs.get(z, 0)],
        [-1.0, -0.5]
    );
    assert_eq!(found.inputs.entries.len(), 2);
    assert!(found.multipliers.entries.is_empty() && found.spin.entries.is_empty());
}

/// A body that spins about its axis of symmetry: the gyroscopic matrix in ground axes.
#[test]
fn a_spinning_top_has_its_gyroscopic_matrix() {
    let mut run = written(&json!({
        "fixstep": 1, "name": "t",
        "units": {"length": "m", "mass": "kg", "force": "N", "time": "s", "angle": "rad"},
        "parts": [{"name": "top", "mass": 1.0, "inertia": {"xx": 2, "yy": 2, "zz": 3},
                   "angular_velocity": [0, 0, 8]}],
        "experiment": {"start": 0, "stop": 1, "step": 0.01}
    }));
    let found = check("top", &mut run);
    // D − M W: (I_z − 2 I) ω seen from body axes, I_z ω from axes that do not turn.
    let mut own = found.velocities.dense();
    for row in 0..6 {
        for column in 0..6 {
            let turned =
                (0..6).map(|k| found.accelerations.get(row, k) * found.spin.get(k, column));
            own[6 * row + column] -= turned.sum::<f64>();
        }
    }
    let mut wanted = [0.0; 36];
    (wanted[6 * 3 + 4], wanted[6 * 4 + 3]) = (24.0, -24.0);
    assert_eq!(own, wanted);
}

#[test]
fn the_constraint_jacobian_stands_in_both_places() {
    let mut model = base();
    model["joints"] = json!([{"name": "j", "type": "revolute", "i": "ma", "j": "g"},
                             {"name": "k", "type": "spherical", "i": "mb", "j": "mc"}]);
    let found = check("joints", &mut written(&model));
    let (g, gt) = (found.constraints(), &found.multipliers);
    assert!(!g.entries.is_empty());
    assert_eq!(g.entries.len(), gt.entries.len());
    assert!(g.entries.iter().all(|e| gt.get(e.column, e.row) == e.value));
}

/// Inputs in motions, general constraints, gravity, forces, variables, states and implicit variables; some
/// under a ramp.
#[test]
fn every_way_of_an_input() {
    for ramp in [false, true] {
        let mut model = base();
        model["inputs"] = json!([{"name": "u", "start": 0.3}, {"name": "w", "start": -0.2},
                                 {"name": "idle", "start": 1.0}]);
        model["variables"] = json!([{"name": "half", "expression": "0.5*u*w"},
                                    {"name": "both", "expression": "half + SIN(u) + TIME*w"}]);
        model["gravity"] = json!([0.1, "w*TIME - half", "-9.8 + u"]);
        model["joints"] = json!([{"name": "j", "type": "revolute", "i": "ma", "j": "g"}]);
        model["motions"] = json!([
            {"name": "d", "joint": "j", "displacement": "0.1*both + u**2"},
            {"name": "e", "i": "mb", "j": "g", "direction": "b2", "displacement": "0.4 + 0.1*w"},
            {"name": "v", "i": "mb", "j": "g", "direction": "z", "velocity": "u"}
        ]);
        model["general_constraints"] =
            json!([{"name": "h", "expression": "DX(mc, mp) + 0.2*both*DY(mc, mb) - 0.7*u"}]);
        model["differential_equations"] = json!([
            {"name": "z", "derivative": "both - DIF(z)*w + VX(mb)"},
            {"name": "a", "residual": "2*DIF1(a) + w*DIF(a) - u"}
        ]);
        model["forces"] = json!([
            {"name": "f", "type": "vector_force", "i": "mp", "j": "mb", "fx": "both*DX(mb, mp)",
             "fz": "DIF(z) + u"},
            {"name": "r", "type": "torque", "i": "mc", "j": "g", "expression": "w*FX(mp, mb)"}
        ]);
        if ramp {
            model["start"] = json!({"ramp": {"duration": 0.2}});
        }
        let mut run = written(&model);
        for (k, value) in [0.5, -0.4, 2.0].iter().enumerate() {
            run.set_input(k.into(), *value);
        }
        for _ in 0..8 {
            run.step().unwrap();
        }
        let found = check("inputs", &mut run);
        let of = |input: usize| {
            found
                .inputs
                .entries
                .iter()
                .filter(move |e| e.column == input)
        };
        assert!(of(0).count() > 10 && of(1).count() > 10 && of(2).count() == 0);
    }
}

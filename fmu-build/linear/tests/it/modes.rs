//! Tests of the modes of mechanisms.

use super::eigen::{as_in_table, truth};
use super::simulation;
use fixstep_kernel::simulation::Linearization;
use linear_analysis::eigen::Balancing;
use linear_analysis::energy::{Energies, Store};
use linear_analysis::modes::{Modes, modes};
use linear_analysis::{Damping, LinearForm, Options, form};
use serde_json::{Value, json};

pub(crate) struct Found {
    pub(crate) linearization: Linearization,
    pub(crate) form: LinearForm,
    pub(crate) modes: Modes,
    pub(crate) bodies: Vec<String>,
}

impl Found {
    fn energies(&self, mode: usize) -> Energies {
        Store::new(&self.linearization, &self.form).of(&self.modes.list[mode].shape)
    }

    fn roots(&self) -> Vec<linear_analysis::eigen::Root> {
        self.modes.list.iter().map(|mode| mode.root).collect()
    }

    fn body(&self, name: &str) -> usize {
        self.bodies.iter().position(|body| body == name).unwrap()
    }
}

fn found_with(model: &Value, damping: Damping) -> Found {
    let simulation = simulation(model);
    let linearization = simulation.linearization().unwrap();
    let mechanism = simulation.mechanism();
    let form = form::linear_form(
        mechanism,
        &linearization,
        &Options {
            damping,
            ..Options::default()
        },
    )
    .unwrap();
    let bodies: Vec<String> = mechanism
        .bodies
        .iter()
        .map(|body| body.name.clone())
        .collect();
    let names = |body: usize| format!("part \"{}\"", bodies[body]);
    let modes = modes(&names, &linearization, &form, Balancing::Auto).unwrap();
    Found {
        linearization,
        form,
        modes,
        bodies,
    }
}

pub(crate) fn found(model: &Value) -> Found {
    found_with(model, Damping::On)
}

/// Masses that slide along x at x = 1, 2, …; springs and dampers from each to the next, and to ground at both ends.
fn row(masses: &[f64], k: &[f64], c: &[f64]) -> Value {
    let n = masses.len();
    let names = ["a", "b", "c"];
    let parts: Vec<Value> = (0..n)
        .map(|i| json!({"name": names[i], "mass": masses[i], "position": [i + 1, 0, 0], "inertia": {"xx": 1, "yy": 1, "zz": 1}}))
        .collect();
    let mut markers = vec![
        json!({"name": "g0", "part": "ground"}),
        json!({"name": "g9", "part": "ground", "position": [n + 1, 0, 0]}),
    ];
    let mut joints = Vec::new();
    for (i, name) in names.iter().enumerate().take(n) {
        let x = i + 1;
        markers.push(json!({"name": format!("s{name}"), "part": "ground", "position": [x, 0, 0], "orientation": {"z_point": [x + 1, 0, 0], "x_point": [x, 1, 0]}}));
        markers.push(json!({"name": format!("m{name}"), "part": name, "orientation": {"z_point": [1, 0, 0], "x_point": [0, 1, 0]}}));
        markers.push(json!({"name": format!("p{name}"), "part": name}));
        joints.push(json!({"name": format!("j{name}"), "type": "translational", "i": format!("m{name}"), "j": format!("s{name}")}));
    }
    let end = |k: usize| match k {
        0 => String::from("g0"),
        k if k > n => String::from("g9"),
        k => format!("p{}", names[k - 1]),
    };
    let forces: Vec<Value> = (0..=n)
        .map(|s| json!({"name": format!("k{s}"), "type": "spring_damper", "i": end(s + 1), "j": end(s), "stiffness": k[s], "damping": c[s], "length": 1}))
        .collect();
    json!({"fixstep": 1, "name": "row", "gravity": [0, 0, 0], "parts": parts, "markers": markers, "joints": joints, "forces": forces})
}

fn close(what: &str, got: f64, wanted: f64, tolerance: f64) {
    let error = (got - wanted).abs();
    assert!(
        error <= tolerance * wanted.abs().max(1.0),
        "{what}: {got} for {wanted}"
    );
}

#[test]
fn energies_of_three_masses_in_a_row() {
    let truth = truth(include_str!(
        "../../../../tests/truth/F03_three_dof_energy/reference.json"
    ));
    let list = |of: &Value| -> Vec<f64> {
        of.as_array()
            .unwrap()
            .iter()
            .map(|x| x.as_f64().unwrap())
            .collect()
    };
    let given = &truth["parameters"];
    let (masses, k) = (list(&given["m"]), list(&given["k"]));
    let all = found(&row(&masses, &k, &list(&given["c"])));
    for (number, wanted) in truth["modes"].as_array().unwrap().iter().enumerate() {
        let mode = &all.modes.list[number];
        close(
            "ω",
            mode.root.frequency(),
            wanted["wn"].as_f64().unwrap(),
            1e-12,
        );
        close(
            "ζ",
            mode.root.damping_ratio(),
            wanted["zeta"].as_f64().unwrap(),
            1e-12,
        );
        let energies = all.energies(number);
        energies_fit(
            &all,
            &energies,
            wanted,
            [
                "KE_percent_by_part_X",
                "SE_percent_by_spring",
                "DE_percent_by_damper",
            ],
        );
        // Modal mass of the shape with its largest displacement 1 is that of φ divided by it: φ has modal mass 1.
        let most = mode
            .shape
            .iter()
            .fold(0.0_f64, |most, x| most.max(x.norm()));
        close(
            "modal mass",
            1.0 / (most * most),
            wanted["modal_mass_max1"].as_f64().unwrap(),
            1e-11,
        );
    }
    let variant = &truth["nonproportional_variant"];
    let all = found(&row(&masses, &k, &list(&variant["c"])));
    for (number, wanted) in variant["modes"].as_array().unwrap().iter().enumerate() {
        let value = all.modes.list[number].root.value;
        close("Re", value.re, wanted["lam"]["re"].as_f64().unwrap(), 1e-12);
        close("Im", value.im, wanted["lam"]["im"].as_f64().unwrap(), 1e-12);
        energies_fit(
            &all,
            &all.energies(number),
            &wanted["hermitian_form"],
            ["KE", "SE", "DE"],
        );
    }
}

fn energies_fit(all: &Found, energies: &Energies, wanted: &Value, names: [&str; 3]) {
    for (k, part) in ["a", "b", "c"].iter().enumerate() {
        let own = energies
            .kinetic
            .iter()
            .find(|one| one.0 == all.body(part))
            .unwrap();
        close(part, own.1[0], wanted[names[0]][k].as_f64().unwrap(), 1e-11);
        assert!(own.1[1..].iter().all(|x| x.abs() < 1e-12), "{own:?}");
    }
    for (got, name) in [
        (&energies.strain, names[1]),
        (&energies.dissipation, names[2]),
    ] {
        for (k, wanted) in wanted[name].as_array().unwrap().iter().enumerate() {
            close(name, got[k].1[0], wanted.as_f64().unwrap(), 1e-11);
            let sum: f64 = got[k].1[1..].iter().sum();
            close("columns", sum, got[k].1[0], 1e-11);
        }
    }
}

/// A cart along x with a rod that stands on it (up = 1) or hangs from it (up = −1).
fn cart(up: f64) -> Value {
    let l = 0.6;
    json!({
        "fixstep": 1, "name": "cart", "gravity": [0, -9.81, 0],
        "parts": [
            {"name": "cart", "mass": 0.8, "inertia": {"xx": 1, "yy": 1, "zz": 1}},
            {"name": "rod", "mass": 0.25, "position": [0, up * l / 2.0, 0], "inertia": {"xx": 0.25 * l * l / 12.0, "yy": 1e-3, "zz": 0.25 * l * l / 12.0}}
        ],
        "markers": [
            {"name": "g", "part": "ground", "orientation": {"z_point": [1, 0, 0], "x_point": [0, 1, 0]}},
            {"name": "c", "part": "cart", "orientation": {"z_point": [1, 0, 0], "x_point": [0, 1, 0]}},
            {"name": "pin", "part": "cart"},
            {"name": "end", "part": "rod", "position": [0, -up * l / 2.0, 0]}
        ],
        "joints": [
            {"name": "slide", "type": "translational", "i": "c", "j": "g"},
            {"name": "hinge", "type": "revolute", "i": "end", "j": "pin"}
        ],
        "inputs": [{"name": "push", "unit": "N"}],
        "outputs": [{"name": "x", "expression": "DX(pin)"}],
        "forces": [
            {"name": "drag", "type": "action_only_force", "i": "pin", "j": "g", "expression": "push - 0.4*VX(pin)"},
            {"name": "friction", "type": "torsion_spring_damper", "i": "end", "j": "pin", "damping": 0.01}
        ]
    })
}

#[test]
fn a_pendulum_on_a_cart_falls_or_swings() {
    let truth = truth(include_str!(
        "../../../../tests/truth/F05_inverted_pendulum_cart/reference.json"
    ));
    let all = found(&cart(1.0));
    as_in_table("upright", &all.roots(), &truth["table"], 1e-12);
    let notes = all.modes.notes.join("\n");
    assert!(
        notes.contains("one rigid motion: the mechanism is free along x"),
        "{notes}"
    );
    // The positive root comes third among the real ones: 0, 0.38, 5.23, 5.72.
    assert!(notes.contains("mode 3 is unstable: it leaves this state without oscillating, and doubles every 0.1326 s"), "{notes}");
    assert!((all.modes.list[2].root.damping_ratio() + 1.0).abs() < 1e-15);
    let hanging = found(&cart(-1.0));
    as_in_table(
        "hanging",
        &hanging.roots(),
        &truth["hanging_variant"]["table"],
        1e-12,
    );
    assert!(!hanging.modes.notes.join(" ").contains("unstable"));
}

#[test]
fn participation_is_the_residue_of_the_transfer_function() {
    // D + Σ C_k B_k / (s − λ_k), pairs with their conjugates, is C (s − A)⁻¹ B + D, at a real s.
    let all = found(&row_with_channels());
    let s = 3.0;
    let n = all.form.a.nrows();
    let left = faer::Mat::from_fn(n, n, |r, c| {
        f64::from(u8::from(r == c)) * s - all.form.a[(r, c)]
    });
    let solved = faer::linalg::solvers::Solve::solve(&left.partial_piv_lu(), &all.form.b);
    let wanted = (&all.form.c * solved)[(0, 0)] + all.form.d[(0, 0)];
    let sum: f64 = all
        .modes
        .list
        .iter()
        .map(|mode| {
            let residue = mode.outputs[0] * mode.inputs.as_ref().unwrap()[0];
            let share = (residue / (faer::c64::new(s, 0.0) - mode.root.value)).re;
            if mode.root.is_pair() {
                2.0 * share
            } else {
                share
            }
        })
        .sum();
    close("H(3)", sum + all.form.d[(0, 0)], wanted, 1e-12);
}

fn row_with_channels() -> Value {
    let mut model = row(
        &[1.0, 2.0, 1.5],
        &[100.0, 150.0, 80.0, 60.0],
        &[0.0, 0.0, 4.0, 0.3],
    );
    model["inputs"] = json!([{"name": "f", "unit": "N"}]);
    model["outputs"] = json!([{"name": "x", "expression": "DX(pc)-3"}]);
    let push = json!({"name": "push", "type": "action_only_force", "i": "pa", "j": "sa", "expression": "f"});
    model["forces"].as_array_mut().unwrap().push(push);
    model
}

#[test]
fn differential_equations_and_the_switch_of_damping() {
    let truth = truth(include_str!(
        "../../../../tests/truth/F06_differential_states/reference.json"
    ));
    let mut model = row(&[3.0, 1.0], &[900.0, 400.0, 0.0], &[6.0, 2.0, 0.0]);
    model["inputs"] = json!([{"name": "r", "unit": "m"}]);
    model["outputs"] = json!([{"name": "x2", "expression": "DX(pb)-2"}]);
    model["differential_equations"] = json!([
        {"name": "z1", "derivative": "(r - (DX(pb)-2) - 0.02*VX(pb) - DIF(z1))/0.05"},
        {"name": "z2", "derivative": "-12*DIF(z2) - 5*(VX(pb)-VX(pa))"}
    ]);
    let forces = model["forces"].as_array_mut().unwrap();
    for (part, expression) in [("a", "150*DIF(z1)"), ("b", "80*DIF(z2)")] {
        forces.push(json!({"name": format!("f{part}"), "type": "action_only_force", "i": format!("p{part}"), "j": format!("s{part}"), "expression": expression}));
    }
    for (damping, table) in [
        (Damping::On, "table"),
        (
            Damping::Off,
            "table_damping_off_Cpp(b=0, velocity->z coupling kept)",
        ),
        (
            Damping::OffInEquations,
            "table_damping_off_FORTRAN(b=0 and velocity->z coupling=0)",
        ),
    ] {
        let all = found_with(&model, damping);
        as_in_table(table, &all.roots(), &truth[table], 1e-12);
    }
    // Without what equations do to the motion: the undamped masses, and the equations by themselves.
    let all = found_with(&model, Damping::OffWithStates);
    let values: Vec<faer::c64> = all.roots().iter().map(|root| root.value).collect();
    let (mean, half) = (
        f64::midpoint(1300.0 / 3.0, 400.0),
        (1300.0 / 3.0 - 400.0) / 2.0,
    );
    let split = f64::sqrt(half * half + 400.0 * 400.0 / 3.0);
    let wanted = [
        (-12.0, 0.0),
        (-20.0, 0.0),
        (0.0, f64::sqrt(mean - split)),
        (0.0, f64::sqrt(mean + split)),
    ];
    assert_eq!(values.len(), wanted.len());
    for (value, (re, im)) in values.iter().zip(wanted) {
        assert!((value.re - re).hypot(value.im - im) < 1e-12, "{value}");
    }
}

/// A disc that spins about z in a housing; the housing hangs in a bushing at the common centre of mass.
fn rotor(spin: f64) -> Value {
    json!({
        "fixstep": 1, "name": "rotor", "gravity": [0, 0, 0],
        "parts": [
            {"name": "housing", "mass": 0.5, "inertia": {"xx": 0.002, "yy": 0.002, "zz": 0.003}, "angular_velocity": [0, 0, 0], "velocity": [0, 0, 0]},
            {"name": "disc", "mass": 4.0, "inertia": {"xx": 0.02, "yy": 0.02, "zz": 0.04}, "angular_velocity": [0, 0, spin], "velocity": [0, 0, 0]}
        ],
        "markers": [
            {"name": "g", "part": "ground"}, {"name": "h", "part": "housing"}, {"name": "d", "part": "disc"}
        ],
        "joints": [{"name": "bearing", "type": "revolute", "i": "d", "j": "h"}],
        "forces": [{"name": "shaft", "type": "bushing", "i": "h", "j": "g", "stiffness": [18000, 18000, 90000], "torsional_stiffness": [50, 50, 300]}]
    })
}

#[test]
fn a_spinning_disc_whirls_forward_and_backward() {
    for spin in [0.0_f64, 30.0, 400.0] {
        let all = found(&rotor(spin));
        let half = 0.04 * spin / (2.0 * 0.022);
        let root = (half * half + 50.0 / 0.022).sqrt();
        let mut wanted = vec![
            0.0,
            0.0,
            root - half,
            root + half,
            // The Jeffcott rotor: mass on its shaft, twice, whatever it spins.
            (18000.0_f64 / 4.5).sqrt(),
            (18000.0_f64 / 4.5).sqrt(),
            (90000.0_f64 / 4.5).sqrt(),
            (300.0_f64 / 0.003).sqrt(),
        ];
        wanted.sort_by(f64::total_cmp);
        let got: Vec<f64> = all
            .roots()
            .iter()
            .map(linear_analysis::eigen::Root::frequency)
            .collect();
        assert_eq!(got.len(), wanted.len(), "{got:?}");
        for (got, wanted) in got.iter().zip(&wanted) {
            close(&format!("{spin} rad/s"), *got, *wanted, 1e-11);
        }
        assert!(all.roots().iter().all(|root| root.value.re == 0.0));
        assert_eq!(
            all.modes.notes,
            ["one rigid motion: part \"disc\" is free about z"]
        );
        // Forward whirl turns with the spin: rotation about y is a quarter behind that about x.
        if spin == 0.0 {
            continue;
        }
        let places = &all.linearization.tangents.places;
        let row = |name: &str| {
            let all = all.form.shapes.coordinates.iter();
            all.clone()
                .position(|k| places[*k].unknown == name)
                .unwrap()
        };
        let (x, y) = (
            row("part \"disc\", rotation about x"),
            row("part \"disc\", rotation about y"),
        );
        for (frequency, sign) in [(root + half, -1.0), (root - half, 1.0)] {
            let mode = all
                .modes
                .list
                .iter()
                .find(|mode| (mode.root.frequency() - frequency).abs() < 1e-6)
                .unwrap();
            let ratio = mode.shape[y] / mode.shape[x];
            assert!(
                (ratio - faer::c64::new(0.0, sign)).norm() < 1e-9,
                "{frequency}: {ratio}"
            );
        }
    }
}

fn free(joints: &Value) -> Value {
    json!({
        "fixstep": 1, "name": "free", "gravity": [0, 0, 0],
        "parts": [
            {"name": "one", "mass": 2.0, "inertia": {"xx": 2, "yy": 2.3, "zz": 2.5, "xy": 0.3, "xz": 0.2, "yz": -0.4}},
            {"name": "two", "mass": 3.0, "position": [1, 0, 0], "inertia": {"xx": 1, "yy": 1.5, "zz": 1.2}}
        ],
        "markers": [
            {"name": "g", "part": "ground"}, {"name": "a", "part": "one"}, {"name": "b", "part": "two", "position": [-1, 0, 0]},
            {"name": "p", "part": "two"}
        ],
        "joints": joints
    })
}

#[test]
fn rigid_motions_in_words() {
    let all = found(&free(
        &json!([{"name": "weld", "type": "fixed", "i": "a", "j": "b"}]),
    ));
    assert_eq!(all.modes.list.len(), 12);
    assert!(
        all.roots()
            .iter()
            .all(|root| root.zero && root.frequency() == 0.0)
    );
    assert_eq!(
        all.modes.notes,
        ["6 rigid motions: the mechanism is free along x, y, z and about x, y, z"]
    );
    let all = found(&free(&json!([
        {"name": "plane", "type": "planar", "i": "a", "j": "g"},
        {"name": "weld", "type": "fixed", "i": "p", "j": "g"}
    ])));
    assert_eq!(
        all.modes.notes,
        ["three rigid motions: part \"one\" is free along x, y and about z"]
    );
    // Products of inertia have their own columns, and all make a hundred.
    let all = found(&free(&json!([])));
    for mode in 0..all.modes.list.len() {
        let energies = all.energies(mode);
        let sum: f64 = energies.kinetic.iter().flat_map(|one| one.1).sum();
        close("sum", sum, 100.0, 1e-12);
    }
}

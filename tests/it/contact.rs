//! Contact against IMPACT, closed forms of impact and friction, and its energies.

use crate::harness::{advance, build, json, load, output, start};
use fixstep_kernel::simulation::Figure;
use fixstep_kernel::simulation::Simulation;
use serde_json::{Value, json as value};

const G: f64 = 9.81;

/// A body of 2 kg over a plane, cylinder or sphere of ground, as a point mass.
fn particle(shapes: &Value, normal: &Value, place: [f64; 3], velocity: [f64; 3]) -> Value {
    value!({
        "fixstep": 1, "name": "particle",
        "point_masses": [{"name": "p", "mass": 2, "position": place, "velocity": velocity}],
        "markers": [
            {"name": "m", "part": "p"},
            {"name": "axis", "part": "ground", "orientation": {"euler": [0, std::f64::consts::FRAC_PI_2, 0]}}
        ],
        "forces": [{"name": "c", "type": "contact", "i": "m", "j": "ground", "shapes": shapes,
                    "normal": normal}],
        "outputs": [
            {"name": "x", "expression": "DX(m)"}, {"name": "z", "expression": "DZ(m)"},
            {"name": "vx", "expression": "VX(m)"}, {"name": "vz", "expression": "VZ(m)"}
        ],
        "solver": {"fixit": 6}
    })
}

fn ball_on_plane(radius: f64) -> Value {
    value!({"i": {"type": "sphere", "radius": radius}, "j": {"type": "plane"}})
}

fn energy(simulation: &Simulation) -> f64 {
    simulation.figure(Figure::KineticEnergy) + simulation.figure(Figure::PotentialEnergy)
}

/// Largest difference of z and its rate over a second.
fn difference(first: &Value, second: &Value) -> f64 {
    let [mut a, mut b] = [first, second].map(|model| build(&model.to_string()));
    start(&mut a, 1e-3);
    start(&mut b, 1e-3);
    let mut largest = 0.0_f64;
    let mut least = f64::INFINITY;
    for _ in 0..1000 {
        a.step().unwrap();
        b.step().unwrap();
        for name in ["z", "vz"] {
            largest = largest.max((output(&a, name) - output(&b, name)).abs());
        }
        least = least.min(output(&a, "z"));
    }
    let radius = first["forces"][0]["shapes"]["i"]["radius"]
        .as_f64()
        .unwrap();
    assert!(least < radius, "it never touched: {least}");
    largest
}

#[test]
fn a_ball_on_a_plane_is_the_function_impact() {
    let contact = json("H02_impact_bistop/model_contact.json");
    let mut impact = json("H02_impact_bistop/model.json");
    assert!(difference(&contact, &impact) < 1e-12);
    // In millimetres the stiffness is that of a millimetre to the power of the exponent.
    let mut small = contact.clone();
    for model in [&mut small, &mut impact] {
        model["units"]["length"] = value!("mm");
        model["gravity"] = value!([0, 0, -9810]);
        model["point_masses"][0]["position"] = value!([0, 0, 600]);
    }
    small["forces"][0]["shapes"]["i"]["radius"] = value!(100);
    small["forces"][0]["normal"] =
        value!({"type": "impact", "stiffness": 0.6, "exponent": 1.3, "damping": 0.008, "depth": 5});
    impact["forces"][0]["fz"] = value!("IMPACT(DZ(b),VZ(b),100,0.6,1.3,0.008,5)");
    assert!(difference(&small, &impact) < 1e-9);
}

/// Contact of F = k g^1.5 without damping lasts 2.94327 g_max/v, g_max = (5 m v²/4k)^(2/5), and gives the
/// whole velocity back (Hertz; Johnson, Contact Mechanics, section 11.4).
#[test]
fn hertzian_impact_lasts_its_time_and_keeps_its_energy() {
    let (k, v, m) = (1e6_f64, 1.0_f64, 2.0);
    let normal = value!({"type": "hunt_crossley", "stiffness": k});
    let model = particle(
        &ball_on_plane(0.1),
        &normal,
        [0.0, 0.0, 0.1001],
        [0.0, 0.0, -v],
    );
    let mut simulation = build(&model.to_string());
    let depth = fixstep_kernel::math::pow(5.0 * m * v * v / (4.0 * k), 0.4);
    let lasts = 2.943_27 * depth / v;
    start(&mut simulation, lasts / 2000.0);
    let whole = energy(&simulation);
    let (mut deepest, mut stored) = (0.0_f64, 0.0_f64);
    while simulation.time() < 1.5 * lasts {
        simulation.step().unwrap();
        deepest = deepest.max(0.1 - output(&simulation, "z"));
        stored = stored.max(simulation.figure(Figure::PotentialEnergy));
        assert!((energy(&simulation) / whole - 1.0).abs() < 1e-4);
    }
    let back = output(&simulation, "vz");
    let left = simulation.time() - (output(&simulation, "z") - 0.1) / back;
    assert!((deepest / depth - 1.0).abs() < 1e-4, "{deepest} {depth}");
    assert!((stored / whole - 1.0).abs() < 1e-4, "{stored} {whole}");
    assert!((back / v - 1.0).abs() < 1e-4, "{back}");
    let measured = left - 1e-4 / v;
    assert!((measured / lasts - 1.0).abs() < 1e-4, "{measured} {lasts}");
}

/// m v dv = −k g^e (1 + c v) dg: v/c − ln(1 + c v)/c² at the approach is what it is at the rebound with
/// −v, whatever mass, stiffness and exponent.
#[test]
fn hunt_crossley_loses_what_its_law_says() {
    let of = |v: f64, c: f64| v / c - fixstep_kernel::math::ln(1.0 + c * v) / (c * c);
    for (c, exponent) in [(0.1, 1.5), (0.5, 1.5), (0.9, 1.0), (2.0, 2.2)] {
        let normal = value!({"type": "hunt_crossley", "stiffness": 1e5, "damping": c,
                             "exponent": exponent});
        let model = particle(
            &ball_on_plane(0.1),
            &normal,
            [0.0, 0.0, 0.1001],
            [0.0, 0.0, -0.8],
        );
        let mut simulation = build(&model.to_string());
        start(&mut simulation, 2e-6);
        let mut last = energy(&simulation);
        while output(&simulation, "z") < 0.1 || output(&simulation, "vz") < 0.0 {
            simulation.step().unwrap();
            let now = energy(&simulation);
            assert!(now < last + 1e-9 * last, "{c}: {last} {now}");
            last = now;
        }
        let back = output(&simulation, "vz");
        let (approach, rebound) = (of(0.8, c), of(-back, c));
        assert!(
            (approach / rebound - 1.0).abs() < 1e-4,
            "{c}: {approach} {rebound}"
        );
    }
}

/// From v0 down to the stiction velocity at μ g, then by the cubic of the law, over
/// u²/(μ g) ∫₀¹ 2/(3 − x²) dx: with u → 0, v0²/(2 μ g).
#[test]
fn a_sliding_body_stops_after_its_distance() {
    let (mu, v) = (0.3_f64, 1.0_f64);
    let root = 3.0_f64.sqrt();
    for u in [0.05_f64, 0.01] {
        let normal = value!({"type": "impact", "stiffness": 1e6, "exponent": 1, "depth": 1e-4,
                             "damping": 2000});
        let sunk = 2.0 * G / 1e6;
        let mut model = particle(
            &ball_on_plane(0.0),
            &normal,
            [0.0, 0.0, -sunk],
            [0.6 * v, 0.0, 0.0],
        );
        model["point_masses"][0]["velocity"] = value!([0.6 * v, 0.8 * v, 0]);
        model["gravity"] = value!([0, 0, -G]);
        model["forces"][0]["friction"] = value!({
            "mu_static": mu, "mu_dynamic": mu, "stiction_velocity": u, "friction_velocity": 2.0 * u
        });
        model["outputs"] = value!([{"name": "way", "expression": "SQRT(DX(m)**2+DY(m)**2)"}]);
        let mut simulation = build(&model.to_string());
        start(&mut simulation, 1e-4);
        let whole = energy(&simulation);
        advance(&mut simulation, 0.2);
        let lost = mu * 2.0 * G * output(&simulation, "way");
        assert!((whole - energy(&simulation) - lost).abs() < 1e-6 * whole);
        advance(&mut simulation, 0.7);
        let creep = u * u / (mu * G) * fixstep_kernel::math::ln((root + 1.0) / (root - 1.0)) / root;
        let wanted = (v * v - u * u) / (2.0 * mu * G) + creep;
        let way = output(&simulation, "way");
        assert!((way / wanted - 1.0).abs() < 1e-5, "{u}: {way} {wanted}");
        assert!(
            (way * 2.0 * mu * G / (v * v) - 1.0).abs() < 2.0 * u * u,
            "{u}: {way}"
        );
    }
}

#[test]
fn a_sliding_ball_comes_to_roll_with_five_sevenths_of_its_velocity() {
    let mut simulation = load("K01_rolling_sphere/model.json");
    start(&mut simulation, 1e-4);
    let whole = simulation.figure(Figure::KineticEnergy);
    // Half way to rolling: v0 − μ g t, 5/2 μ g t/r.
    advance(&mut simulation, 0.07);
    let (v, w) = (1.0 - 0.2 * G * 0.07, 2.5 * 0.2 * G * 0.07 / 0.1);
    assert!((output(&simulation, "v") - v).abs() < 1e-5);
    assert!((output(&simulation, "w") - w).abs() < 1e-4);
    advance(&mut simulation, 0.5);
    let (v, w) = (output(&simulation, "v"), output(&simulation, "w"));
    assert!((v - 5.0 / 7.0).abs() < 1e-6, "{v}");
    assert!((0.1 * w - 5.0 / 7.0).abs() < 1e-6, "{w}");
    let kept = simulation.figure(Figure::KineticEnergy) / whole;
    assert!((kept - 5.0 / 7.0).abs() < 1e-5, "{kept}");
}

/// Equal balls without friction: the struck one takes the velocity along the line of centres, the other
/// keeps what is across.
#[test]
fn balls_exchange_their_velocity_along_the_line_of_centres() {
    let shapes =
        value!({"i": {"type": "sphere", "radius": 0.1}, "j": {"type": "sphere", "radius": 0.2}});
    let normal = value!({"type": "impact", "stiffness": 1e9, "depth": 1e-3});
    let mut model = particle(&shapes, &normal, [-0.31, 0.0, 0.0], [1.0, 0.0, 0.5]);
    model["point_masses"]
        .as_array_mut()
        .unwrap()
        .push(value!({"name": "q", "mass": 2, "position": [0, 0, 0.005]}));
    model["markers"]
        .as_array_mut()
        .unwrap()
        .push(value!({"name": "n", "part": "q"}));
    model["forces"][0]["j"] = value!("n");
    model["outputs"] = value!([
        {"name": "vx", "expression": "VX(m)"}, {"name": "vz", "expression": "VZ(m)"},
        {"name": "wx", "expression": "VX(n)"}, {"name": "wz", "expression": "VZ(n)"}
    ]);
    let mut simulation = build(&model.to_string());
    start(&mut simulation, 1e-6);
    let whole = simulation.figure(Figure::KineticEnergy);
    // The centres are level when the balls touch: 0.01 m at 1 m/s and 0.005 m at 0.5 m/s.
    advance(&mut simulation, 0.02);
    let wanted = [("vx", 0.0), ("vz", 0.5), ("wx", 1.0), ("wz", 0.0)];
    for (name, v) in wanted {
        let got = output(&simulation, name);
        assert!((got - v).abs() < 1e-3, "{name}: {got} {v}");
    }
    let now = simulation.figure(Figure::KineticEnergy);
    assert!((now / whole - 1.0).abs() < 1e-6);
    let [x, z] =
        [("vx", "wx"), ("vz", "wz")].map(|(a, b)| output(&simulation, a) + output(&simulation, b));
    assert!(
        (x - 1.0).abs() < 1e-10 && (z - 0.5).abs() < 1e-10,
        "{x} {z}"
    );
}

/// Sliding off a smooth cylinder, a body set off at the top with v leaves it where
/// cos θ = 2/3 + v²/(3 g L).
#[test]
fn a_body_leaves_a_smooth_cylinder_at_its_angle() {
    let shapes =
        value!({"i": {"type": "sphere", "radius": 0.1}, "j": {"type": "cylinder", "radius": 0.9}});
    let normal =
        value!({"type": "impact", "stiffness": 1e7, "exponent": 1, "damping": 5000, "depth": 1e-7});
    let v = 0.5_f64;
    let sunk = 2.0 * (G - v * v) / 1e7;
    let mut model = particle(&shapes, &normal, [0.0, 0.0, 1.0 - sunk], [v, 0.0, 0.0]);
    model["gravity"] = value!([0, 0, -G]);
    model["forces"][0]["j"] = value!("axis");
    model["outputs"]
        .as_array_mut()
        .unwrap()
        .push(value!({"name": "pressed", "expression": "FM(m, axis)"}));
    let mut simulation = build(&model.to_string());
    start(&mut simulation, 1e-4);
    while output(&simulation, "pressed") > 0.0 {
        simulation.step().unwrap();
        assert!(simulation.time() < 2.0);
    }
    let cosine = output(&simulation, "z");
    let wanted = 2.0 / 3.0 + v * v / (3.0 * G);
    assert!((cosine - wanted).abs() < 1e-3, "{cosine} {wanted}");
}

/// In a smooth pipe or bowl of radius R a ball of radius r swings as a pendulum of length R − r.
#[test]
fn a_ball_swings_in_a_hollow() {
    for (kind, marker) in [("cylinder", "axis"), ("sphere", "ground")] {
        let shapes = value!({"i": {"type": "sphere", "radius": 0.1},
                             "j": {"type": kind, "radius": 0.6, "hollow": true}});
        let normal = value!({"type": "impact", "stiffness": 1e8, "exponent": 1, "damping": 1e4,
                             "depth": 1e-8});
        let sunk = 2.0 * G / 1e8;
        let mut model = particle(&shapes, &normal, [0.0, 0.0, -0.5 - sunk], [0.01, 0.0, 0.0]);
        model["gravity"] = value!([0, 0, -G]);
        model["forces"][0]["j"] = value!(marker);
        let mut simulation = build(&model.to_string());
        let omega = (G / 0.5_f64).sqrt();
        start(&mut simulation, 1e-3);
        advance(&mut simulation, 0.9);
        let wanted = 0.01 / omega * fixstep_kernel::math::sin(omega * 0.9);
        let x = output(&simulation, "x");
        assert!(
            (x - wanted).abs() < 1e-4 * 0.01 / omega,
            "{kind}: {x} {wanted}"
        );
    }
}

/// A ball that falls on an edge of a box is thrown off along the line from the edge: falling with v on
/// an edge at 45° it leaves sideways with v.
#[test]
fn a_ball_bounces_off_face_and_edge_of_a_box() {
    let shapes =
        value!({"i": {"type": "sphere", "radius": 0.1}, "j": {"type": "box", "size": [2, 3, 0.4]}});
    let normal = value!({"type": "impact", "stiffness": 1e9, "depth": 1e-3});
    let aside = 0.1 * std::f64::consts::FRAC_1_SQRT_2;
    for (place, wanted) in [
        ([0.7, 0.0, 0.301], [0.0, 1.0]),
        ([1.0 + aside, 0.0, 0.2 + aside + 0.001], [1.0, 0.0]),
        ([-1.0 - aside, 0.0, 0.2 + aside + 0.001], [-1.0, 0.0]),
    ] {
        let model = particle(&shapes, &normal, place, [0.0, 0.0, -1.0]);
        let mut simulation = build(&model.to_string());
        start(&mut simulation, 1e-6);
        advance(&mut simulation, 0.003);
        for (name, v) in ["vx", "vz"].into_iter().zip(wanted) {
            let got = output(&simulation, name);
            assert!((got - v).abs() < 0.01, "{place:?} {name}: {got} {v}");
        }
    }
}

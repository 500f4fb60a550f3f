//! The Newton matrix against central differences of the residual, over every element and measure.

use fixstep_kernel::elements::kinematics::Weights;
use fixstep_kernel::integrator::{Scheme, Stepper, displace, residuals, si2::Projection};
use fixstep_kernel::linalg::{BlockId, Factorization};
use fixstep_kernel::math::Vec3;
use fixstep_kernel::math::rotation::{exp, log};
use fixstep_kernel::mechanism::{Formulation, IntegratorKind, SolverSettings};
use fixstep_kernel::state::{State, vec3};
use fixstep_kernel::system::compile::{Selection, compile};
use fixstep_kernel::system::jacobian::{self, Scaling};
use fixstep_kernel::system::layout::BLOCK;
use fixstep_kernel::system::stage::Balanced;
use fixstep_kernel::system::{System, eval, residual};
use fixstep_kernel::workspace::Workspace;
use fixstep_model::Model;
use serde_json::json;

mod contact;
mod couplers;
mod curves;
mod delays;
mod drives;
mod fields;
mod flexible;
mod friction;
mod implicit;
mod modal;
mod rolling;
mod scaling;
mod tendons;
mod tyre;

/// Numbers from −1 to 1 (Numerical Recipes' quick generator).
struct Random(u32);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(self.0 >> 8) / f64::from(1 << 23) - 1.0
    }

    fn vector(&mut self, size: f64) -> Vec3 {
        Vec3::new(self.next(), self.next(), self.next()) * size
    }
}

/// Three parts and a point mass with markers in odd places.
pub(super) fn base() -> serde_json::Value {
    let inertia = json!({"xx": 0.3, "yy": 0.4, "zz": 0.5, "xy": 0.02, "xz": -0.03, "yz": 0.01});
    let part = |name: &str, x: f64| {
        json!({"name": name, "mass": 2.0, "inertia": inertia, "position": [x, 0.3, -0.2],
               "center_of_mass": [0.1, -0.05, 0.2]})
    };
    json!({
        "fixstep": 1, "name": "t", "gravity": [0.3, -1, -9],
        "units": {"length": "m", "mass": "kg", "force": "N", "time": "s", "angle": "rad"},
        "parts": [part("a", 0.0), part("b", 1.0), part("c", 2.0)],
        "point_masses": [{"name": "p", "mass": 0.7, "position": [0, 2, 0]}],
        "markers": [
            {"name": "ma", "part": "a", "position": [0.2, 0.1, 0.4],
             "orientation": {"euler": [0.3, 0.4, -0.5]}},
            {"name": "mb", "part": "b", "position": [-0.3, 0.2, 0.1],
             "orientation": {"euler": [-0.2, 0.7, 0.1]}},
            {"name": "mc", "part": "c", "position": [0.1, -0.2, 0.3],
             "orientation": {"euler": [0.9, -0.3, 0.2]}},
            {"name": "mp", "part": "p"}, {"name": "g", "part": "ground", "position": [0.5, 0.5, 0.5],
             "orientation": {"euler": [0.1, 0.2, 0.3]}}
        ],
        "inputs": [{"name": "u", "start": 0.7}],
        "experiment": {"start": 0, "stop": 1, "step": 0.01}
    })
}

/// Slopes of no particular scheme, in which no two terms weigh the same.
fn no_scheme() -> Scheme {
    Scheme {
        scale: 0.6,
        inertia_weight: 1.3,
        weights: Weights {
            u: 1.7,
            a: 2.3,
            l: 1.0 / 0.6,
            ..of(IntegratorKind::GeneralizedAlpha, Formulation::I3).weights
        },
        ..of(IntegratorKind::GeneralizedAlpha, Formulation::I3)
    }
}

/// A scheme with its default parameters, at a step of the order of one, where all terms weigh in.
fn of(integrator: IntegratorKind, formulation: Formulation) -> Scheme {
    let settings = SolverSettings {
        integrator,
        formulation,
        ..SolverSettings::default()
    };
    fixstep_kernel::integrator::scheme(&settings, 0.4)
}

/// The schemes whose Newton matrix is checked, by name.
fn schemes() -> [(&'static str, Scheme); 6] {
    use IntegratorKind::{GeneralizedAlpha, Gstiff, Hht, Newmark};
    [
        ("no scheme", no_scheme()),
        ("GSTIFF/I3", of(Gstiff, Formulation::I3)),
        ("GSTIFF/SI2", of(Gstiff, Formulation::Si2)),
        ("NEWMARK", of(Newmark, Formulation::I3)),
        ("HHT", of(Hht, Formulation::I3)),
        ("GENALPHA", of(GeneralizedAlpha, Formulation::I3)),
    ]
}

/// A system in a random state under a scheme.
pub(super) struct Fixture {
    pub(super) system: System,
    pub(super) state: State,
    pub(super) ws: Workspace,
    pub(super) stepper: Stepper,
    pub(super) scheme: Scheme,
}

impl Fixture {
    /// A random state of a model, all rows kept.
    pub(super) fn new(model: &serde_json::Value, seed: u32, scheme: Scheme) -> Self {
        let model = Model::read(&model.to_string(), &tyre::files)
            .map_err(|e| e.to_string())
            .unwrap()
            .mechanism;
        let system = compile(&model, Selection::Keep(&[])).unwrap();
        let mut random = Random(seed);
        let mut state = State::new(&system.layout);
        for (k, id) in system.numbers.iter().enumerate() {
            let value = &model.values[id.index()];
            if let fixstep_kernel::mechanism::ValueSource::Constant(x) = value.source {
                state.reals[system.layout.numbers.first + k] = x;
            }
        }
        state.span_mut(system.layout.inputs).fill(0.7);
        let mut ws = Workspace::new(&system);
        for term in &mut ws.inertia_terms {
            term.weight = scheme.inertia_weight;
            term.force = random.vector(1.0);
            term.torque = random.vector(1.0);
        }
        for x in &mut ws.multipliers {
            *x = random.next();
        }
        for (g, group) in system.groups.iter().enumerate().filter(|(_, g)| g.adds()) {
            let lead = system
                .groups
                .iter()
                .position(|other| other.block == group.block);
            ws.multipliers[BLOCK * g] = ws.multipliers[BLOCK * lead.unwrap()];
        }
        ws.flexible.modal_history.fill_with(|| random.next());
        let mut matrix = fixstep_kernel::linalg::TileMatrix::new(&system.pattern);
        for block in system.pattern.block_ids() {
            let slot = system.pattern.slot(block, block).unwrap();
            (0..BLOCK).for_each(|k| matrix.add(slot, k, k, 1.0));
        }
        let factor = Factorization::analyse(&system.pattern, &[&matrix]).unwrap();
        let projection = Projection::new(&system, matrix).unwrap();
        let mut stepper = Stepper::new(&system, factor, projection);
        for body in 1..system.bodies.len() {
            let r = fixstep_kernel::system::compile::initial_position(
                &model,
                fixstep_kernel::ids::BodyId::from(body),
            );
            let turns = f64::from(u8::from(system.bodies[body].dof == 6));
            let turn = random.vector(0.6) * turns;
            let q = fixstep_kernel::math::rotation::exp_quaternion(&turn);
            state.set_pose(&system.layout, body, &(r + random.vector(0.2)), &q);
            for k in 0..system.bodies[body].dof {
                stepper.delta[BLOCK * body + k] = 0.3 * random.next();
                stepper.velocity_offset[BLOCK * body + k] = random.next();
                stepper.acceleration_offset[BLOCK * body + k] = random.next();
            }
        }
        flexible::scatter(&system, &mut state, &mut stepper, &mut random);
        state.span_mut(system.layout.contacts).fill(0.1);
        for (k, at) in system.layout.states.range().enumerate() {
            state.reals[at] = random.next();
            stepper.states.delta[k] = 0.3 * random.next();
        }
        Self {
            system,
            state,
            ws,
            stepper,
            scheme,
        }
        .with_feet()
    }

    /// The residual at the present displacement.
    fn residual(&mut self) -> Vec<f64> {
        let (system, state, ws) = (&self.system, &self.state, &mut self.ws);
        let mut placed = displace(system, state, ws, &self.stepper, &self.scheme);
        placed.targets(system, state, 0.4, |_| (0.2, 0.1));
        let evaluated = residual::evaluate(system, state, placed, 0.4);
        residuals(system, state, evaluated, &self.stepper, &self.scheme);
        ws.rhs[..system.pattern.padded()].to_vec()
    }

    /// The residual after moving one unknown.
    fn moved(&mut self, column: usize, by: f64) -> Vec<f64> {
        let (delta, multipliers) = (self.stepper.delta.clone(), self.ws.multipliers.clone());
        let states = self.stepper.states.delta.clone();
        let (block, k) = (BlockId((column / BLOCK) as u32), column % BLOCK);
        let bodies = &self.system.bodies;
        let body = bodies.iter().position(|b| b.block == Some(block));
        if let Some(body) = body {
            let at = BLOCK * body;
            if k < 3 {
                self.stepper.delta[at + k] += by;
            } else {
                let start = self.state.rotation(&self.system.layout, body);
                let mut turn = Vec3::zeros();
                turn[k - 3] = by;
                let theta = vec3(&self.stepper.delta, at + 3);
                let turned = log(&(start.transpose() * exp(&turn) * start * exp(&theta)));
                self.stepper.delta[at + 3..at + 6].copy_from_slice(turned.as_slice());
            }
        } else if let Some(at) = flexible::delta_of(&self.system, column) {
            self.stepper.delta[at] += by;
        } else if self.system.groups.iter().any(|g| g.block == block) {
            let groups = self.system.groups.iter().enumerate();
            for (g, _) in groups.filter(|(_, g)| g.block == block) {
                self.ws.multipliers[BLOCK * g + k] += by * self.scheme.weights.l;
            }
        } else {
            let mut equations = self.system.equations.iter();
            let equation = equations.position(|e| e.block == block && e.place == k);
            let equation = equation.unwrap();
            let weight = self.system.equations[equation].weight(&self.scheme.weights);
            self.stepper.states.delta[equation] += by * weight;
        }
        let residual = self.residual();
        self.stepper.delta = delta;
        self.stepper.states.delta = states;
        self.ws.multipliers = multipliers;
        residual
    }

    /// Compares the matrix with central differences of fourth order.
    fn check(&mut self, name: &str) {
        self.residual();
        let (scaling, weights) = (self.scheme.scaling(), self.scheme.weights);
        let balanced = &mut Balanced::kept(&mut self.ws);
        jacobian::assemble(&self.system, &self.state, balanced, &weights, &scaling);
        let matrix = self.ws.matrix.clone();
        let h = 2e-4;
        for block in 0..self.system.pattern.blocks() {
            let column_block = BlockId(block as u32);
            for k in 0..self.system.pattern.size(column_block) {
                let column = BLOCK * block + k;
                let [a, b, c, d] = [h, -h, 2.0 * h, -2.0 * h].map(|s| self.moved(column, s));
                for row_block in self.system.pattern.block_ids() {
                    for r in 0..self.system.pattern.size(row_block) {
                        let at = row_block.offset() + r;
                        let wanted = (8.0 * (a[at] - b[at]) - (c[at] - d[at])) / (12.0 * h);
                        let got = self
                            .system
                            .pattern
                            .slot(row_block, column_block)
                            .map_or(0.0, |slot| {
                                matrix.tile(slot)[fixstep_kernel::linalg::entry(r, k)]
                            });
                        let error = (got - wanted).abs() / (1.0 + wanted.abs());
                        assert!(
                            error < 2e-8,
                            "{name}: row {row_block:?}.{r}, column {column_block:?}.{k}: \
                             {got} against {wanted}"
                        );
                    }
                }
            }
        }
    }
}

pub(super) fn check(name: &str, change: impl Fn(&mut serde_json::Value)) {
    let mut model = base();
    change(&mut model);
    for (scheme, slopes) in schemes() {
        for seed in [1, 2, 3] {
            Fixture::new(&model, seed, slopes).check(&format!("{name}, {scheme}"));
        }
    }
}

#[test]
fn bodies_alone() {
    check("bodies", |_| {});
}

/// Joints and primitives that need nothing but their markers.
pub(super) const JOINTS: [&str; 16] = [
    "fixed",
    "revolute",
    "translational",
    "cylindrical",
    "spherical",
    "planar",
    "pin_slot",
    "universal",
    "constant_velocity",
    "at_point",
    "in_line",
    "in_plane",
    "orientation",
    "parallel_axes",
    "perpendicular",
    "distance",
];

#[test]
fn every_joint() {
    for kind in JOINTS {
        check(kind, |m| {
            m["joints"] = json!([{"name": "j", "type": kind, "i": "ma", "j": "mb"}]);
        });
    }
    check("screw", |m| {
        m["joints"] = json!([{"name": "j", "type": "screw", "i": "ma", "j": "mb", "pitch": 0.4}]);
    });
    let rack = json!({"name": "j", "type": "rack_and_pinion", "i": "ma", "j": "g", "diameter": 1});
    check("rack", |m| m["joints"] = json!([rack]));
    check("point mass", |m| {
        m["joints"] = json!([{"name": "j", "type": "spherical", "i": "mp", "j": "mc"},
                             {"name": "k", "type": "in_plane", "i": "mp", "j": "ma"}]);
    });
}

#[test]
fn every_motion() {
    for direction in ["x", "y", "z", "b1", "b2", "b3"] {
        check(direction, |m| {
            m["motions"] = json!([{"name": "d", "i": "ma", "j": "mb", "direction": direction,
                                   "displacement": "0.2 + 0.1*TIME"}]);
        });
    }
}

#[test]
fn every_force() {
    check("springs", |m| {
        m["forces"] = json!([
            {"name": "s", "type": "spring_damper", "i": "ma", "j": "mb", "stiffness": 30,
             "damping": 4, "length": 0.5, "preload": 2},
            {"name": "q", "type": "spring_damper", "i": "mp", "j": "mc", "stiffness": 30,
             "damping": 4, "length": 0.5},
            {"name": "t", "type": "torsion_spring_damper", "i": "ma", "j": "mc", "stiffness": 30,
             "damping": 4, "angle": 0.5, "preload": 2}
        ]);
    });
    check("bushing", |m| {
        m["forces"] = json!([{
            "name": "b", "type": "bushing", "i": "ma", "j": "mb", "stiffness": [10, 20, 30],
            "damping": [1, 2, 3], "preload": [1, -2, 3], "torsional_damping": [1, 2, 3],
            "torsional_preload": [1, 2, -1]
        }]);
    });
    check("directions", |m| {
        m["forces"] = json!([
            {"name": "l", "type": "line_of_sight", "i": "ma", "j": "mb", "expression": "3*u+TIME"},
            {"name": "t", "type": "torque", "i": "ma", "j": "mb", "expression": "2"},
            {"name": "f", "type": "action_only_force", "i": "mc", "j": "ma", "expression": "4"},
            {"name": "o", "type": "action_only_torque", "i": "mc", "j": "mb", "expression": "4"},
            {"name": "g", "type": "general_force", "i": "mc", "j": "ma", "axes": "mb",
             "fx": "1", "fy": "-2", "fz": "3", "tx": "1", "ty": "2", "tz": "-1"}
        ]);
    });
}

#[test]
fn stops_and_tables() {
    check("stops and tables", |m| {
        m["splines"] = json!([{"name": "k", "x": [-9, -2, 0, 2, 9], "y": [-4, -1, 0, 2, 3]}]);
        m["forces"] = json!([
            {"name": "l", "type": "line_of_sight", "i": "ma", "j": "mb",
             "expression": "IMPACT(DM(ma,mb), VR(ma,mb), 9, 3, 1.5, 0.4, 0.1)"},
            {"name": "t", "type": "torque", "i": "ma", "j": "mc",
             "expression": "AKISPL(WZ(ma,mc), 0, k) + CUBSPL(AZ(ma,mc), 0, k)"},
            {"name": "f", "type": "action_only_force", "i": "mc", "j": "ma",
             "expression": "BISTOP(DX(mc,ma), VX(mc,ma), 7, 8, 3, 1.5, 0.4, 0.1)"}
        ]);
    });
}

#[test]
fn every_measure() {
    for measure in [
        "DX(ma,mb,mc)",
        "DY(ma,g)",
        "DZ(mp,mb)",
        "DM(ma,mb)",
        "VX(ma,mb,mc,mb)",
        "VY(ma,mb,g,mc)",
        "VZ(ma)",
        "VM(ma,mb,mc)",
        "VR(ma,mb)",
        "ACCX(ma,mb,mc,mb)",
        "ACCY(ma,g)",
        "ACCZ(mb,mc,ma,mc)",
        "ACCM(ma,mb)",
        "WX(ma,mb,mc)",
        "WZ(ma,mb,mb)",
        "WM(ma,mc)",
        "WDTX(ma,mb,mc,mb)",
        "WDTZ(ma)",
        "WDTM(ma,mb)",
        "AX(ma,mb)",
        "AY(ma,mb)",
        "AZ(ma,mb)",
        "PSI(ma,mb)",
        "THETA(ma,mb)",
        "PHI(ma,mb)",
        "YAW(ma,mb)",
        "PITCH(ma,mb)",
        "ROLL(ma,mb)",
        "UVX(ma,mb,mc)",
        "INCANG(ma,mb,mc)",
    ] {
        check(measure, |m| {
            m["variables"] = json!([{"name": "v", "expression": format!("0.3*{measure}")}]);
            m["forces"] = json!([
                {"name": "f", "type": "vector_force", "i": "mc", "j": "ma",
                 "fx": format!("SIN({measure}) + v*u"), "fz": "v**2"},
                {"name": "t", "type": "torque", "i": "ma", "j": "mb", "expression": "v"}
            ]);
        });
    }
}

#[test]
fn forces_that_read_reactions() {
    for read in [
        "JOINT(j, 0, 1, 0)",
        "JOINT(j, 0, 3, mc)",
        "JOINT(j, 1, 6, ma)",
        "JOINT(j, 1, 5, mb)",
        "MOTION(d, 0, 7, mb)",
        "FX(ma, mb, mc)",
        "TZ(mb, ma, g)",
        "FM(ma, mb)",
        "FORCE(b, 1, 8, mc)",
        "FORCE(b, 0, 2, mc)",
        "FY(mb, mc)",
    ] {
        check(read, |m| {
            m["joints"] = json!([{"name": "j", "type": "revolute", "i": "ma", "j": "mb"}]);
            m["motions"] = json!([{"name": "d", "joint": "j", "displacement": "0.3"}]);
            m["forces"] = json!([
                {"name": "b", "type": "bushing", "i": "mb", "j": "mc", "stiffness": [10, 20, 30],
                 "damping": [1, 2, 3], "torsional_damping": [1, 2, 3]},
                {"name": "f", "type": "vector_force", "i": "mc", "j": "g", "axes": "mb",
                 "fy": format!("0.2*{read}")}
            ]);
        });
    }
}

#[test]
fn states_of_differential_equations() {
    for read in [
        "DX(ma,mb,mc)",
        "WZ(ma,mb,mb)",
        "ACCY(ma,g)",
        "JOINT(j, 0, 3, mc)",
        "FORCE(f, 0, 2, mc)",
        "TIME*u",
    ] {
        check(read, |m| {
            m["joints"] = json!([{"name": "j", "type": "revolute", "i": "ma", "j": "mb"}]);
            m["variables"] = json!([{"name": "v", "expression": format!("DIF(z) - 0.3*{read}")}]);
            m["differential_equations"] = json!([
                {"name": "z", "derivative": format!("SIN({read}) - 2*DIF(z)**2 + DIF(y)")},
                {"name": "y", "derivative": "v*DIF(z) - DIF1(z)"},
                {"name": "alone", "derivative": "-3*DIF(alone) + DM(mp, mb)"}
            ]);
            m["forces"] = json!([
                {"name": "f", "type": "vector_force", "i": "mb", "j": "mc", "fx": "DX(mb,mc)**2"},
                {"name": "t", "type": "torque", "i": "ma", "j": "mb", "expression": "v*DIF(y)"},
                {"name": "r", "type": "line_of_sight", "i": "mp", "j": "mc",
                 "expression": "DIF1(y) + DIF(alone)"}
            ]);
        });
    }
}

#[test]
fn more_states_than_a_tile_holds() {
    check("chain", |m| {
        let equation = |k: usize| json!({"name": format!("z{k}"), "derivative": format!("SIN(DIF(z{})) - DIF(z{k})", (k + 1) % 8)});
        m["differential_equations"] = (0..8).map(equation).collect();
        m["forces"] = json!([{"name": "t", "type": "torque", "i": "ma", "j": "mb",
                              "expression": "DIF(z0)*DIF(z7) + DIF1(z3)"}]);
    });
}

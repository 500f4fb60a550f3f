//! Control plane: tracks where equations have a kink or a jump. Each such place yields an integer that changes when
//! the event happens: contacts that open, friction that reverses, limits that are reached, functions that change
//! their branch, sensors that trigger.

use super::Subject;
use super::reading::reached;
use crate::elements::forces::{ForceLaw, contact, drive, friction};
use crate::expr::Call;
use crate::ids::{ExprId, SensorId};
use crate::mechanism::{ForceKind, Held, Mechanism, called};
use crate::system::eval;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

/// A place where equations have a kink or a jump.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kink {
    /// Its owner: `contact "floor"`.
    pub owner: String,
    /// What happens there: `touches and lets go`.
    pub what: &'static str,
}

/// What is observed, and how many integers it yields.
#[derive(Clone, Debug)]
enum Site {
    /// The number of points of a contact that press.
    Touch(usize),
    /// Does a contact stick or slip?
    Friction(usize),
    /// Is the force nonzero?
    Load(usize),
    /// The sign of each slip in a joint.
    Slip(usize),
    /// The limits of a drive.
    Limit(usize),
    /// The calls of an expression.
    Calls(ExprId),
    /// The number of times a sensor has triggered.
    Sensor(usize),
}

/// All such places of a mechanism.
#[derive(Clone, Debug, Default)]
pub struct Kinks {
    sites: Vec<Site>,
    /// One entry per integer.
    kinks: Vec<Kink>,
}

impl Kinks {
    /// Collects them from a mechanism.
    pub fn of(mechanism: &Mechanism) -> Self {
        let mut all = Self::default();
        for (f, force) in mechanism.forces.iter().enumerate() {
            let owner = element(&force.kind, &force.name);
            match &force.kind {
                ForceKind::Contact(_) => {
                    all.add(Site::Touch(f), &owner, &["touches and lets go"]);
                    all.add(Site::Friction(f), &owner, &["sticks and slips"]);
                }
                ForceKind::JointFriction(_) => {
                    all.add(Site::Slip(f), &owner, &["sticks and slips"; friction::MOST]);
                }
                ForceKind::JointDrive(_) => {
                    let what = ["meets its limit", "meets a stop"];
                    all.add(Site::Limit(f), &owner, &what);
                }
                _ => {}
            }
            if let (Some(what), None) = (force.kind.row().ends, force.kind.first()) {
                all.add(Site::Load(f), &owner, &[what]);
            }
            for (_, scaled) in force.kind.expressions() {
                all.expression(mechanism, &owner, scaled.expr);
            }
        }
        let named = |kind: &str, name: &str| format!("{kind} {}", called(name));
        for motion in &mechanism.motions {
            let owner = named("motion", &motion.name);
            all.expression(mechanism, &owner, motion.function.expr);
        }
        for constraint in &mechanism.general_constraints {
            let owner = named("general constraint", &constraint.name);
            all.expression(mechanism, &owner, constraint.function.expr);
        }
        for equation in &mechanism.equations {
            all.expression(mechanism, &equation.label, equation.law.expression().expr);
        }
        for output in &mechanism.outputs {
            let owner = named("output", &output.quantity.name);
            all.expression(mechanism, &owner, output.expr);
        }
        for (k, sensor) in mechanism.memory.sensors.iter().enumerate() {
            all.add(Site::Sensor(k), &sensor.call(), &["triggers"]);
        }
        all
    }

    fn add(&mut self, site: Site, owner: &str, what: &[&'static str]) {
        self.sites.push(site);
        self.kinks.extend(what.iter().map(|what| Kink {
            owner: owner.into(),
            what,
        }));
    }

    /// Adds an expression and the variables that it reads, unless they were added before.
    fn expression(&mut self, mechanism: &Mechanism, owner: &str, root: ExprId) {
        for reached in reached(mechanism, root) {
            let same = |site: &Site| matches!(site, Site::Calls(expr) if *expr == reached.expr);
            if self.sites.iter().any(same) {
                continue;
            }
            let calls = mechanism.expressions[reached.expr.index()].calls();
            let what: Vec<&'static str> = calls.iter().map(does).collect();
            if what.iter().any(|what| !what.is_empty()) {
                self.add(Site::Calls(reached.expr), owner, &what);
            }
        }
    }

    /// The place that each integer belongs to.
    pub fn places(&self) -> &[Kink] {
        &self.kinks
    }

    /// Appends the present integers.
    pub(crate) fn phases(&self, s: &Subject<'_>, into: &mut Vec<i64>) {
        into.clear();
        for site in &self.sites {
            match site {
                Site::Touch(f) | Site::Friction(f) | Site::Slip(f) | Site::Limit(f) => {
                    force(s, *f, site, into);
                }
                Site::Load(f) => {
                    let wrench = &s.ws.force_wrenches[*f];
                    into.push(i64::from(wrench.force.norm_squared() > 0.0));
                }
                Site::Calls(expr) => {
                    let program = &s.mechanism.expressions[expr.index()];
                    let mut registers = vec![0.0; program.registers()];
                    program.value(&s.ws.leaves, &mut registers);
                    let phase = |call| phase(call, &registers).unwrap_or(0);
                    into.extend(program.calls().iter().map(phase));
                }
                Site::Sensor(k) => {
                    let place = s.system.memory.place(Held::Count(SensorId::from(*k)));
                    into.push(s.state.span(s.system.layout.memory)[place] as i64);
                }
            }
        }
    }
}

/// Appends the integers of a force.
fn force(s: &Subject<'_>, f: usize, site: &Site, into: &mut Vec<i64>) {
    let context = eval::context(s.system, s.state, s.ws, f);
    let sense = |slip: f64, holds: f64| i64::from(slip > holds) - i64::from(slip < -holds);
    match (&s.system.forces[f].law, site) {
        (ForceLaw::Contact(law), Site::Touch(_)) => {
            into.push(contact::state(law, &context).pressing as i64);
        }
        (ForceLaw::Contact(law), _) => {
            let state = contact::state(law, &context);
            let slips = state.pressing > 0 && state.has_friction && state.slip > state.holds;
            into.push(i64::from(slips));
        }
        (ForceLaw::JointFriction(law), _) => {
            let (slips, holds) = friction::slips(law, &context);
            into.extend(slips.map(|slip| sense(slip, holds)));
        }
        (ForceLaw::JointDrive(law), _) => {
            into.extend(drive::limits(law, &context).map(i64::from));
        }
        // Cannot happen: a site is compiled from the same force.
        _ => into.push(0),
    }
}

/// The name of a force element in messages.
pub(super) fn element(kind: &ForceKind, name: &str) -> String {
    format!("{} {}", kind.row().called, called(name))
}

/// What a function does at its kink; empty if it has none.
fn does(call: &Call) -> &'static str {
    match call.function.as_ref() {
        "IF" => "goes to another branch of IF",
        "SIGN" if !call.kink_cancelled => "jumps by SIGN",
        "ABS" if !call.kink_cancelled => "bends by ABS",
        "MIN" if !call.kink_cancelled => "bends by MIN",
        "MAX" if !call.kink_cancelled => "bends by MAX",
        "DIM" => "bends by DIM",
        "MOD" => "jumps by MOD",
        "AINT" | "INT" | "ANINT" | "NINT" => "jumps from number to number",
        "IMPACT" => "touches and lets go by IMPACT",
        "BISTOP" => "touches and lets go by BISTOP",
        _ => "",
    }
}

/// The side of its kink that a function is on; `None` if it has none, or if the side is unknown.
fn phase(call: &Call, registers: &[f64]) -> Option<i64> {
    let x = |k: usize| call.operands.get(k)?.after(registers);
    let sign = |x: f64| i64::from(x > 0.0) - i64::from(x < 0.0);
    let extreme = |wanted: f64| {
        let all = (0..call.operands.len()).filter_map(x).enumerate();
        let better = |best: (usize, f64), now: (usize, f64)| {
            if wanted * now.1 > wanted * best.1 {
                now
            } else {
                best
            }
        };
        all.reduce(better).map(|(k, _)| k as i64)
    };
    if does(call).is_empty() {
        return None;
    }
    match call.function.as_ref() {
        "IF" | "ABS" => x(0).map(sign),
        "SIGN" => x(1).map(sign),
        "MIN" => extreme(-1.0),
        "MAX" => extreme(1.0),
        "DIM" => Some(sign(x(0)? - x(1)?)),
        "MOD" => Some((x(0)? / x(1)?) as i64),
        "AINT" | "INT" => Some(x(0)? as i64),
        "ANINT" | "NINT" => {
            let value = x(0)?;
            Some((value + 0.5 * f64::from(sign(value) as i8)) as i64)
        }
        "IMPACT" => Some(i64::from(x(0)? < x(2)?)),
        "BISTOP" => Some(i64::from(x(0)? > x(3)?) - i64::from(x(0)? < x(2)?)),
        _ => None,
    }
}

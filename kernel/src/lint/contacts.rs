//! Control plane: finds contacts with damping that a fixed step cannot resolve. It also gives other rules the
//! stiffness and damping of contacts at their working depth.

use super::modes::Modes;
use super::reading::reached;
use super::{Subject, show};
use crate::elements::forces;
use crate::elements::wrench::Wrench;
use crate::expr::{Call, Operand};
use crate::ids::ExprId;
#[cfg(not(feature = "std"))]
use crate::math::Float as _;
use crate::math::pow;
use crate::mechanism::{
    Contact, ContactShape, Finding, Force, ForceKind, Leaf, LintRule, NormalLaw, ScaledExpr,
};
use crate::system::{eval, residual};
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::slice;

/// Smallest depth over which damping may fade in [user length units].
const LEAST_DEPTH: f64 = 1e-3;
/// Damping ratio above which a damper exerts more than four times the force of the spring.
const MOST_DAMPING: f64 = 2.0;

const DEEPER: &str = "let the damping grow over a depth that takes several steps to cross";
const LESS: &str = "use less damping";

/// Checks contacts, and IMPACT and BISTOP in forces.
pub(super) fn check(s: &Subject<'_>, modes: &mut Option<Modes<'_>>, found: &mut Vec<Finding>) {
    for (f, force) in s.mechanism.forces.iter().enumerate() {
        if let ForceKind::Contact(contact) = &force.kind
            && contact.law == NormalLaw::Impact
        {
            let unit = s.mechanism.units.length.factor;
            let [_, _, _, damping, depth] = contact.normal.map(|id| s.number(id));
            shallow((&force.name, "normal"), "", [damping, depth / unit], found);
        }
        for (field, scaled) in force.kind.expressions() {
            for call in impacts(s, scaled.expr) {
                let numbers = [call.damping, call.depth];
                shallow((&force.name, field), &call.label(), numbers, found);
            }
        }
        let touches = modes.as_mut().map(|modes| touches(s, modes, f));
        for touch in touches.into_iter().flatten() {
            damped(&force.name, &touch, found);
        }
    }
}

/// Checks the damping and its depth in user units.
fn shallow(
    (name, field): (&str, &str),
    label: &str,
    [damping, depth]: [f64; 2],
    found: &mut Vec<Finding>,
) {
    if damping > 0.0 && depth < LEAST_DEPTH {
        found.push(Finding::new(
            LintRule::ShallowContact,
            ("force", name, field),
            format!(
                "the damping{label} is full at a penetration of {} length units, less than {}: the damper acts as a \
                 blow",
                show(depth),
                show(LEAST_DEPTH)
            ),
            DEEPER,
        ));
    }
}

/// Checks the damping against the spring and the masses that move.
fn damped(name: &str, touch: &Touch, found: &mut Vec<Finding>) {
    let (critical, rate) = (2.0 * touch.omega(), touch.rate());
    if critical > 0.0 && rate > MOST_DAMPING * critical {
        found.push(Finding::new(
            LintRule::ContactDamping,
            ("force", name, touch.fields[1]),
            format!(
                "the damping{} is {} times critical with the masses that it moves: the damper, not the spring, \
                 determines the force",
                touch.label,
                show(rate / critical)
            ),
            LESS,
        ));
    }
}

/// A contact at its working depth, whether it touches now or not.
pub(super) struct Touch {
    /// The fields of the model that define its stiffness and its damping.
    pub(super) fields: [&'static str; 2],
    /// ` of IMPACT`; empty for a contact element.
    pub(super) label: String,
    /// What it does where it exerts its force.
    pub(super) does: &'static str,
    /// Does it pull, and not push?
    pub(super) pulls: bool,
    /// Slope of the force [N/m].
    stiffness: f64,
    /// [N s/m]
    damping: f64,
    /// [1/kg]
    mobility: f64,
}

impl Touch {
    /// Angular frequency of the masses on this contact [rad/s].
    pub(super) fn omega(&self) -> f64 {
        (self.stiffness * self.mobility).sqrt()
    }

    /// Decay rate of its damping [1/s].
    pub(super) fn rate(&self) -> f64 {
        self.damping * self.mobility
    }
}

/// The contacts of a force.
pub(super) fn touches(s: &Subject<'_>, modes: &mut Modes<'_>, f: usize) -> Vec<Touch> {
    let force = &s.mechanism.forces[f];
    if let ForceKind::Contact(contact) = &force.kind {
        return element(s, modes, (f, force), contact).into_iter().collect();
    }
    if force.kind.row().ends.is_some() {
        return line(s, modes, f).into_iter().collect();
    }
    let expressions = force.kind.expressions().into_iter();
    expressions
        .flat_map(|(field, scaled)| in_expression(s, modes, f, (field, scaled)))
        .collect()
}

/// A spring along the line of its markers that goes slack.
fn line(s: &Subject<'_>, modes: &mut Modes<'_>, f: usize) -> Option<Touch> {
    let element = &s.system.forces[f];
    element.law.along_line().filter(|_| !element.later)?;
    let [stiffness, damping] = ["stiffness", "damping"].map(|field| {
        let number = s.mechanism.forces[f].kind.number(field);
        number.map_or(0.0, |id| s.number(id))
    });
    let wrenches = modes.along_lines(f)?;
    let mobility = modes.mobility_of_all(f, &wrenches);
    let compliance = modes.compliance(f, &wrenches);
    (mobility > 0.0).then(|| Touch {
        fields: ["stiffness", "damping"],
        label: String::new(),
        does: "is taut",
        pulls: true,
        stiffness: in_series(stiffness, compliance),
        damping,
        mobility,
    })
}

/// A spring with a power law of the penetration: force at unit depth, exponent; and the depths to evaluate it at.
struct Spring {
    force: f64,
    exponent: f64,
}

impl Spring {
    /// The slope at the depth of full damping, or at the depth to which the weight presses it, whichever is larger.
    fn slope(&self, depth: f64, weight: f64) -> f64 {
        let rest = pow(weight / self.force, 1.0 / self.exponent);
        let depth = depth.max(rest);
        if self.exponent == 1.0 {
            self.force
        } else if depth > 0.0 {
            self.force * self.exponent * pow(depth, self.exponent - 1.0)
        } else {
            0.0
        }
    }
}

/// The weight of the mass that a mobility corresponds to \[N\].
fn weight(s: &Subject<'_>, mobility: f64) -> f64 {
    residual::gravity(s.system, s.state, s.ws).norm() / mobility
}

/// A stiffness in series with other compliances.
fn in_series(stiffness: f64, compliance: f64) -> f64 {
    stiffness / (1.0 + stiffness * compliance)
}

fn element(
    s: &Subject<'_>,
    modes: &mut Modes<'_>,
    (f, force): (usize, &Force),
    contact: &Contact,
) -> Option<Touch> {
    let j = &s.ws.markers[force.j.index()];
    // The outward normal of a plane is known; on other shapes the contact may be anywhere.
    let axes = match contact.shape {
        ContactShape::Plane => 2..3,
        _ => 0..3,
    };
    let (mut mobility, mut compliance) = (0.0, 0.0);
    for wrench in axes.map(|k| Wrench::force(j.axis(k))) {
        let moved = modes.mobility(f, &wrench);
        if moved > mobility {
            (mobility, compliance) = (moved, modes.compliance(f, slice::from_ref(&wrench)));
        }
    }
    if mobility <= 0.0 {
        return None;
    }
    let [stiffness, unit, exponent, damping, depth] = contact.normal.map(|id| s.number(id));
    let spring = Spring {
        force: stiffness,
        exponent,
    };
    let (damping, depth) = match contact.law {
        NormalLaw::Impact => (damping, depth),
        NormalLaw::HuntCrossley | NormalLaw::Restitution => (0.0, 0.0),
    };
    Some(Touch {
        fields: ["normal"; 2],
        label: String::new(),
        does: "touches",
        pulls: false,
        stiffness: in_series(
            spring.slope(depth / unit, weight(s, mobility)) / unit,
            compliance,
        ),
        damping,
        mobility,
    })
}

/// The arguments of an IMPACT or BISTOP in user units.
pub(super) struct Impact<'a> {
    /// The call.
    pub(super) call: &'a Call,
    /// The expression that contains it.
    pub(super) expr: ExprId,
    pub(super) stiffness: f64,
    pub(super) exponent: f64,
    pub(super) damping: f64,
    pub(super) depth: f64,
}

impl Impact<'_> {
    fn label(&self) -> String {
        format!(" of {}", self.call.function)
    }
}

/// Those that an expression contains, also through variables.
pub(super) fn impacts<'a>(s: &Subject<'a>, root: ExprId) -> Vec<Impact<'a>> {
    let mut found = Vec::new();
    for reached in reached(s.mechanism, root) {
        let program = &s.mechanism.expressions[reached.expr.index()];
        let mut registers = vec![0.0; program.registers()];
        program.value(&s.ws.leaves, &mut registers);
        for call in program.calls() {
            let first = match call.function.as_ref() {
                "IMPACT" => 3,
                "BISTOP" => 4,
                _ => continue,
            };
            let value = |k: usize| call.operands.get(first + k)?.after(&registers);
            let numbers = [0, 1, 2, 3].map(value);
            let [Some(stiffness), Some(exponent), Some(damping), Some(depth)] = numbers else {
                continue;
            };
            found.push(Impact {
                call,
                expr: reached.expr,
                stiffness,
                exponent,
                damping,
                depth,
            });
        }
    }
    found
}

fn in_expression(
    s: &Subject<'_>,
    modes: &mut Modes<'_>,
    f: usize,
    (field, scaled): (&'static str, ScaledExpr),
) -> Vec<Touch> {
    let impacts = impacts(s, scaled.expr);
    let law = &s.system.forces[f].law;
    let is_term = |k: &usize| law.terms()[*k].is_some_and(|t| t.expr == scaled.expr);
    let Some(term) = (0..6).find(is_term).filter(|_| !impacts.is_empty()) else {
        return Vec::new();
    };
    let context = eval::context(s.system, s.state, s.ws, f);
    let direction = forces::direction(law, term, &context);
    let mobility = modes.mobility(f, &direction);
    let compliance = modes.compliance(f, slice::from_ref(&direction));
    if mobility <= 0.0 {
        return Vec::new();
    }
    let touch = |impact: &Impact<'_>| {
        let [distance, speed] = [0, 1].map(|k| impact.call.operands.get(k));
        let distance = scale(s, distance?)?;
        let time = s.mechanism.units.time.factor;
        let speed = scale(s, speed?).unwrap_or(distance * time);
        let spring = Spring {
            force: impact.stiffness,
            exponent: impact.exponent,
        };
        let weight = weight(s, mobility) / scaled.to_si;
        Some(Touch {
            fields: [field; 2],
            label: impact.label(),
            does: "touches",
            pulls: false,
            stiffness: in_series(
                spring.slope(impact.depth, weight) * scaled.to_si * distance,
                compliance,
            ),
            damping: impact.damping * scaled.to_si * speed,
            mobility,
        })
    };
    impacts.iter().filter_map(touch).collect()
}

/// User units per SI unit of the measure that an argument reads.
fn scale(s: &Subject<'_>, operand: &Operand) -> Option<f64> {
    let scale = |leaf: &crate::ids::LeafId| match s.mechanism.leaves[leaf.index()] {
        Leaf::Kinematic { scale, .. } => Some(scale),
        _ => None,
    };
    operand.leaves.iter().find_map(scale)
}

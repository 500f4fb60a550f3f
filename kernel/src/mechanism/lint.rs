//! Control plane: what a sound mechanism may still be warned of, and which warnings it has answered.

use super::{Mechanism, called};
use alloc::borrow::{Cow, ToOwned};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use serde::{Deserialize, Serialize};

/// Defines the rules with their identifiers.
macro_rules! rules {
    ($( $(#[$doc:meta])* $rule:ident = $id:literal, )*) => {
        /// The rules of linting; each is explained in docs/lint.md.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum LintRule { $( $(#[$doc])* $rule, )* }

        impl LintRule {
            /// All rules.
            pub const ALL: &'static [Self] = &[$( Self::$rule, )*];

            /// The identifier, as in a model's `lint` block.
            pub const fn id(self) -> &'static str {
                match self { $( Self::$rule => $id, )* }
            }
        }
    };
}

rules! {
    /// IF where a force or a derivative jumps.
    IfInForce = "if-in-force",
    /// A function with a kink or a jump in a force or a derivative.
    KinkInForce = "kink-in-force",
    /// Damping of a contact comes in over almost no depth.
    ShallowContact = "shallow-contact",
    /// Damping of a contact that outdoes its spring.
    ContactDamping = "contact-damping",
    /// A force that turns over within a step as a velocity goes through zero.
    VelocityAboutZero = "velocity-about-zero",
    /// Damping of bristles beyond what friction can take.
    BristleDamping = "bristle-damping",
    /// Damping that settles within a fraction of a step.
    StiffDamping = "stiff-damping",
    /// A vibration that a step cannot follow.
    FastVibration = "fast-vibration",
    /// A part of hardly any mass on stiff elements.
    LightPart = "light-part",
    /// Fast vibrations that the start sets off.
    InitialTransient = "initial-transient",
    /// Poses far from those that the joints allow.
    PoseMoved = "pose-moved",
    /// Initial velocities that the joints do not allow.
    VelocityMissed = "velocity-missed",
    /// A motion without the derivatives that are needed of it.
    RoughMotion = "rough-motion",
    /// A sampled system whose period is shorter than a step.
    SlowSampling = "slow-sampling",
    /// A sampled system whose instants are not at ends of steps.
    UnevenSampling = "uneven-sampling",
    /// A setting that has no effect.
    IgnoredSetting = "ignored-setting",
    /// Constraints that others imply.
    RedundantConstraint = "redundant-constraint",
    /// A unit that cannot be read, or two that differ where they should not.
    UnitMismatch = "unit-mismatch",
    /// An angle that looks like degrees where radians are meant.
    DegreesAsRadians = "degrees-as-radians",
    /// No word of gravity where it would move parts.
    NoGravity = "no-gravity",
    /// Gravity that is none of a planet.
    OddGravity = "odd-gravity",
    /// Inertia that does not fit the extent of the part.
    OddInertia = "odd-inertia",
    /// A mass that does not fit the part or the others.
    OddMass = "odd-mass",
    /// A part that nothing acts on.
    LoosePart = "loose-part",
    /// A vibration that steps resolve poorly.
    CoarseVibration = "coarse-vibration",
    /// Initial velocities of some parts, while others that hang on them rest.
    SplitVelocity = "split-velocity",
    /// More than half a turn in a step.
    FastSpin = "fast-spin",
    /// A motion that does its stroke within a few steps.
    AbruptMotion = "abrupt-motion",
    /// A parameter that may become what the model refuses.
    ParameterRange = "parameter-range",
    /// An allowance that nothing needs.
    UnusedAllowance = "unused-allowance",
    /// Friction that a step takes across rest, so that nothing ever sticks.
    NarrowStiction = "narrow-stiction",
    /// A function of time that does within a step what no end of a step shows.
    BetweenSteps = "between-steps",
    /// A wheel that starts below the road.
    SunkenTyre = "sunken-tyre",
    /// A tyre that its load presses flat.
    OverloadedTyre = "overloaded-tyre",
    /// A contact whose shapes start inside of each other.
    StartsInside = "starts-inside",
    /// Three driven angles of which two turn about the same axis.
    CoincidentAxes = "coincident-axes",
    /// A bushing, field or beam that starts near half a turn.
    HalfTurn = "half-turn",
    /// The free length of a spring, far longer than the mechanism.
    OddLength = "odd-length",
    /// A scheme without damping of high frequencies, where there are joints.
    UndampedScheme = "undamped-scheme",
    /// A spring or damper by expression that drives instead of resists.
    ReversedForce = "reversed-force",
    /// Numbers of a contact law that make no contact.
    OddContact = "odd-contact",
    /// A force between two markers that cannot move against each other.
    IdleForce = "idle-force",
    /// A delay longer than the experiment.
    LongDelay = "long-delay",
    /// A centre of mass on the wrong side of the part.
    OddCenter = "odd-center",
    /// An angular velocity along an axis about which nothing turns.
    BlindMeasure = "blind-measure",
    /// A wheel that lies on its side.
    FlatTyre = "flat-tyre",
    /// Coefficients that no tyre has.
    OddTyre = "odd-tyre",
    /// Static equilibrium far from where the model is drawn.
    FarEquilibrium = "far-equilibrium",
}

/// How a model wants to be linted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LintSettings {
    /// Findings are errors.
    pub strict: bool,
    /// Findings that the model has answered.
    pub allowed: Vec<Allowance>,
}

/// A rule that does not count, for some entities or for all.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Allowance {
    /// The rule.
    pub rule: LintRule,
    /// Names of the entities; none: all.
    pub entities: Vec<String>,
    /// Why it does not count.
    pub reason: String,
}

/// Something that a sound model is warned of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The rule.
    pub rule: LintRule,
    /// Kind of the entity: `force`; empty: the model as a whole.
    pub kind: Cow<'static, str>,
    /// Its name.
    pub name: String,
    /// The field; empty: the entity as a whole.
    pub field: String,
    /// What is found.
    pub what: String,
    /// What to do about it.
    pub remedy: String,
}

impl Finding {
    /// A finding on a field of a named entity: kind, name, field.
    pub fn new(
        rule: LintRule,
        (kind, name, field): (&str, &str, &str),
        what: String,
        remedy: &str,
    ) -> Self {
        Self {
            rule,
            kind: kind.to_owned().into(),
            name: name.to_owned(),
            field: field.to_owned(),
            what,
            remedy: remedy.to_owned(),
        }
    }

    /// `force "blow", field expression`; empty for the model as a whole.
    pub fn place(&self) -> String {
        let name = match self.name.as_str() {
            "" => self.kind.clone().into_owned(),
            name => format!("{} {}", self.kind, called(name)),
        };
        match self.field.as_str() {
            "" => name,
            field => format!("{name}, field {field}"),
        }
    }

    /// What is found and what to do about it.
    pub fn text(&self) -> String {
        format!("{}; {} [{}]", self.what, self.remedy, self.rule.id())
    }

    /// With the names of others that it holds for.
    fn with(mut self, others: &[String]) -> Self {
        let named: Vec<String> = others.iter().map(|name| called(name)).collect();
        if !named.is_empty() {
            self.what = format!("{}; the same holds of {}", self.what, named.join(", "));
        }
        self
    }

    /// Has the model answered it?
    fn is_allowed_by(&self, allowance: &Allowance) -> bool {
        let entities = &allowance.entities;
        allowance.rule == self.rule && (entities.is_empty() || entities.contains(&self.name))
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place().as_str() {
            "" => f.write_str(&self.text()),
            place => write!(f, "{place}: {}", self.text()),
        }
    }
}

/// Findings of one kind on many entities become one, which names the others after the first.
pub fn gather(findings: Vec<Finding>) -> Vec<Finding> {
    let mut gathered: Vec<(Finding, Vec<String>)> = Vec::new();
    for finding in findings {
        let same = |(first, _): &&mut (Finding, Vec<String>)| {
            (first.rule, &first.kind, &first.field, &first.remedy)
                == (finding.rule, &finding.kind, &finding.field, &finding.remedy)
        };
        match gathered.iter_mut().find(same) {
            Some((_, others)) => others.push(finding.name),
            None => gathered.push((finding, Vec::new())),
        }
    }
    gathered
        .into_iter()
        .map(|(first, others)| first.with(&others))
        .collect()
}

impl LintRule {
    /// Does a smaller step take such a warning away?
    const fn is_of_the_step(self) -> bool {
        matches!(
            self,
            Self::VelocityAboutZero
                | Self::StiffDamping
                | Self::FastVibration
                | Self::LightPart
                | Self::InitialTransient
                | Self::SlowSampling
                | Self::UnevenSampling
                | Self::CoarseVibration
                | Self::FastSpin
                | Self::AbruptMotion
        )
    }
}

impl Mechanism {
    /// Is there an element of this name that a step can be too long for?
    pub(crate) fn has(&self, name: &str) -> bool {
        let bodies = self.bodies.iter().map(|body| &body.name);
        let forces = self.forces.iter().map(|force| &force.name);
        let joints = self.joints.iter().map(|joint| &joint.name);
        let motions = self.motions.iter().map(|motion| &motion.name);
        let sampled = self.memory.sampled.iter().map(|system| &system.name);
        let mut names = bodies
            .chain(forces)
            .chain(joints)
            .chain(motions)
            .chain(sampled);
        names.any(|known| known == name)
    }
}

impl LintSettings {
    /// Leaves out what the model has answered, and complains of answers to nothing. An answer to what depends on the step
    /// waits for a longer one, if the mechanism `has` all its entities.
    pub fn apply(&self, has: impl Fn(&str) -> bool, mut findings: Vec<Finding>) -> Vec<Finding> {
        let unused = |allowance: &&Allowance| {
            let mut entities = allowance.entities.iter();
            let waits = allowance.rule.is_of_the_step() && entities.all(|name| has(name));
            !waits
                && !findings
                    .iter()
                    .any(|finding| finding.is_allowed_by(allowance))
        };
        let named = |allowance: &Allowance| match allowance.entities.as_slice() {
            [] => "anything".to_owned(),
            names => {
                let names: Vec<String> = names.iter().map(|name| called(name)).collect();
                names.join(" or ")
            }
        };
        let complaint = |allowance: &Allowance| Finding {
            rule: LintRule::UnusedAllowance,
            kind: "".into(),
            name: String::new(),
            field: String::new(),
            what: format!(
                "lint.allow answers {} of {}, which is not found",
                allowance.rule.id(),
                named(allowance)
            ),
            remedy: "remove the entry, or correct its names".to_owned(),
        };
        let complaints: Vec<Finding> = self.allowed.iter().filter(unused).map(complaint).collect();
        findings.retain(|finding| {
            !self
                .allowed
                .iter()
                .any(|allowance| finding.is_allowed_by(allowance))
        });
        findings.extend(complaints);
        findings
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;
    use alloc::vec;

    fn finding(name: &str) -> Finding {
        Finding {
            rule: LintRule::KinkInForce,
            kind: "force".into(),
            name: name.to_owned(),
            field: "expression".to_owned(),
            what: "ABS has a kink".to_owned(),
            remedy: "round it off".to_owned(),
        }
    }

    fn allowance(rule: LintRule, entity: Option<&str>) -> Allowance {
        Allowance {
            rule,
            entities: entity.map(str::to_owned).into_iter().collect(),
            reason: "measured so".to_owned(),
        }
    }

    #[test]
    fn findings_name_entity_field_and_rule() {
        assert_eq!(
            finding("drag").to_string(),
            "force \"drag\", field expression: ABS has a kink; round it off [kink-in-force]"
        );
    }

    #[test]
    fn answered_findings_are_left_out_and_idle_answers_found() {
        let one = LintSettings {
            strict: false,
            allowed: vec![allowance(LintRule::KinkInForce, Some("a"))],
        };
        let left = one.apply(|_| true, vec![finding("a"), finding("b")]);
        assert_eq!(left, [finding("b")]);
        let left = one.apply(|_| true, vec![finding("b")]);
        assert_eq!(left.len(), 2);
        assert_eq!(left[1].rule, LintRule::UnusedAllowance);
        let all = LintSettings {
            strict: false,
            allowed: vec![allowance(LintRule::KinkInForce, None)],
        };
        assert_eq!(all.apply(|_| true, vec![finding("a"), finding("b")]), []);
    }

    #[test]
    fn findings_of_a_kind_are_one_line_that_names_all() {
        let mut other = finding("c");
        other.remedy = "another".to_owned();
        let lines = gather(vec![
            finding("a"),
            finding("b"),
            other.clone(),
            finding("d"),
        ]);
        assert_eq!(lines.len(), 2);
        assert_eq!(
            lines[0].to_string(),
            "force \"a\", field expression: ABS has a kink; the same holds of \"b\", \"d\"; round it off \
             [kink-in-force]"
        );
        assert_eq!(lines[1], other);
    }

    #[test]
    fn identifiers_are_unique() {
        let mut ids: Vec<&str> = LintRule::ALL.iter().map(|rule| rule.id()).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), LintRule::ALL.len());
    }
}

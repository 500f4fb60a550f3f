//! Control plane: the rules and findings of plausibility checks (lint), and the findings that a model acknowledges.

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
        /// The lint rules; docs/lint.md explains each.
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
    /// IF in a force or a derivative, which makes it jump.
    IfInForce = "if-in-force",
    /// A function with a kink or a jump in a force or a derivative.
    KinkInForce = "kink-in-force",
    /// Damping of a contact fades in over almost no depth.
    ShallowContact = "shallow-contact",
    /// Damping of a contact that is stronger than its spring.
    ContactDamping = "contact-damping",
    /// A force that reverses within a step as a velocity goes through zero.
    VelocityAboutZero = "velocity-about-zero",
    /// Bristle damping above what friction can dissipate.
    BristleDamping = "bristle-damping",
    /// Damping that decays within a fraction of a step.
    StiffDamping = "stiff-damping",
    /// A vibration that a step cannot resolve.
    FastVibration = "fast-vibration",
    /// A part with almost no mass on stiff elements.
    LightPart = "light-part",
    /// Fast vibrations that the start excites.
    InitialTransient = "initial-transient",
    /// Poses far from any that the joints allow.
    PoseMoved = "pose-moved",
    /// Initial velocities that the joints do not allow.
    VelocityMissed = "velocity-missed",
    /// A motion that lacks derivatives that the formulation needs.
    RoughMotion = "rough-motion",
    /// A sampled system whose period is shorter than a step.
    SlowSampling = "slow-sampling",
    /// A sampled system whose sample times are not at step ends.
    UnevenSampling = "uneven-sampling",
    /// A setting that has no effect.
    IgnoredSetting = "ignored-setting",
    /// Constraints that others imply.
    RedundantConstraint = "redundant-constraint",
    /// A unit that cannot be read, or two that differ where they should not.
    UnitMismatch = "unit-mismatch",
    /// An angle that looks like degrees although the unit is the radian.
    DegreesAsRadians = "degrees-as-radians",
    /// No gravity given, although it would move parts.
    NoGravity = "no-gravity",
    /// A magnitude of gravity that no planet has.
    OddGravity = "odd-gravity",
    /// Inertia that does not fit the extent of the part.
    OddInertia = "odd-inertia",
    /// A mass that does not fit the part or the others.
    OddMass = "odd-mass",
    /// A part that nothing acts on.
    LoosePart = "loose-part",
    /// A vibration that steps resolve poorly.
    CoarseVibration = "coarse-vibration",
    /// Initial velocities of some parts, while others connected to them are at rest.
    SplitVelocity = "split-velocity",
    /// More than half a turn in a step.
    FastSpin = "fast-spin",
    /// A motion that finishes its stroke within a few steps.
    AbruptMotion = "abrupt-motion",
    /// A parameter whose range contains values that the model rejects.
    ParameterRange = "parameter-range",
    /// An acknowledgement that no finding needs.
    UnusedAllowance = "unused-allowance",
    /// Friction with a transition so narrow that a step skips it, so that nothing ever sticks.
    NarrowStiction = "narrow-stiction",
    /// A function of time whose course between step ends is lost.
    BetweenSteps = "between-steps",
    /// A wheel that starts below the road.
    SunkenTyre = "sunken-tyre",
    /// A tyre that its load presses flat.
    OverloadedTyre = "overloaded-tyre",
    /// A contact whose shapes start inside each other.
    StartsInside = "starts-inside",
    /// Three driven angles, two of which rotate about the same axis.
    CoincidentAxes = "coincident-axes",
    /// A bushing, field or beam that starts near half a turn.
    HalfTurn = "half-turn",
    /// A free length of a spring far larger than the mechanism.
    OddLength = "odd-length",
    /// A scheme without damping of high frequencies, in a mechanism with joints.
    UndampedScheme = "undamped-scheme",
    /// A spring or damper by expression that supplies energy instead of resisting.
    ReversedForce = "reversed-force",
    /// Numbers of a contact law that give no contact.
    OddContact = "odd-contact",
    /// A force between two markers that cannot move relative to each other.
    IdleForce = "idle-force",
    /// A delay longer than the experiment.
    LongDelay = "long-delay",
    /// A centre of mass on the wrong side of the part.
    OddCenter = "odd-center",
    /// An angular velocity about an axis about which nothing rotates.
    BlindMeasure = "blind-measure",
    /// A wheel that lies on its side.
    FlatTyre = "flat-tyre",
    /// Coefficients that no tyre has.
    OddTyre = "odd-tyre",
    /// Static equilibrium far from the model's poses.
    FarEquilibrium = "far-equilibrium",
}

/// The lint settings of a model.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LintSettings {
    /// Are findings errors?
    pub strict: bool,
    /// Findings that the model acknowledges.
    pub allowed: Vec<Allowance>,
}

/// A rule that is switched off, for some entities or for all.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Allowance {
    /// The rule.
    pub rule: LintRule,
    /// Names of the entities; empty for all.
    pub entities: Vec<String>,
    /// The reason.
    pub reason: String,
}

/// A warning about a valid model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The rule.
    pub rule: LintRule,
    /// Kind of the entity: `force`; empty for the model as a whole.
    pub kind: Cow<'static, str>,
    /// Its name.
    pub name: String,
    /// The field; empty for the entity as a whole.
    pub field: String,
    /// The problem.
    pub what: String,
    /// The remedy.
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

    /// Problem and remedy as text.
    pub fn text(&self) -> String {
        format!("{}; {} [{}]", self.what, self.remedy, self.rule.id())
    }

    /// Adds the names of other entities with the same finding.
    fn with(mut self, others: &[String]) -> Self {
        let named: Vec<String> = others.iter().map(|name| called(name)).collect();
        if !named.is_empty() {
            self.what = format!("{}; the same holds of {}", self.what, named.join(", "));
        }
        self
    }

    /// Does the model acknowledge it?
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

/// Merges findings of one kind on many entities into one, which lists the others after the first.
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
    /// Can a smaller step remove such a finding?
    pub const fn is_of_the_step(self) -> bool {
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
                | Self::BetweenSteps
        )
    }

    /// Does it concern a fixed step alone? A variable step ends at branches, and a run without integration has no step.
    pub const fn is_of_a_fixed_step(self) -> bool {
        matches!(self, Self::IfInForce | Self::KinkInForce)
    }
}

impl Mechanism {
    /// Is there an element of this name for which a step can be too long?
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
    /// Removes acknowledged findings, and reports acknowledgements without a finding. One for a rule that depends on
    /// the step is not reported if the mechanism `has` all its entities: a longer step may need it.
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

//! Control plane: checks the settings for the start of a run.

use super::builder::Builder;
use super::solver::positive;
use crate::errors::At;
use crate::schema::{Document, Equilibrium, Ramp};
use crate::units::Dimension;
use fixstep_kernel::mechanism::StartSettings;

/// Most Newton iterations.
const MAX_ITERATIONS: i64 = 100_000;
/// Most steps of the fall-back.
const MAX_SETTLING: i64 = 10_000_000;

/// The start; `None`: the block could not be read.
pub(super) fn start(b: &mut Builder<'_>, document: &Document) -> Option<StartSettings> {
    let mut settings = StartSettings::default();
    let Some(given) = document.start.0.as_ref()? else {
        return Some(settings);
    };
    let at = At::default().field("start");
    if let Some(given) = &given.equilibrium {
        equilibrium(b, given, &mut settings, &at.field("equilibrium"));
    }
    if let Some(given) = &given.ramp {
        ramp(b, given, &mut settings, &at.field("ramp"));
    }
    Some(settings)
}

fn equilibrium(b: &mut Builder<'_>, given: &Equilibrium, settings: &mut StartSettings, at: &At) {
    settings.equilibrium = true;
    if let Some(n) = given.iterations {
        settings.iterations = count(b, n, 1, MAX_ITERATIONS, &at.field("iterations"));
    }
    if let Some(n) = given.settling_steps {
        settings.settling_steps = count(b, n, 0, MAX_SETTLING, &at.field("settling_steps"));
    }
    if let Some(tolerance) = given.tolerance {
        if !(1e-14..=0.1).contains(&tolerance) {
            let message = format!("must be from 1e-14 to 0.1; found {tolerance}");
            b.report.add(&at.field("tolerance"), message);
        }
        settings.tolerance = tolerance;
    }
    settings.translation_limit = given.translation_limit.map(|limit| {
        let at = at.field("translation_limit");
        let limit = positive(b, limit, &at);
        b.si(limit, Dimension::Length, &at)
    });
    settings.hold_states = given.hold_states.unwrap_or(false);
    if let Some(limit) = given.angle_limit {
        let at = at.field("angle_limit");
        let limit = positive(b, limit, &at);
        settings.angle_limit = b.si(limit, Dimension::Angle, &at);
    }
}

fn ramp(b: &mut Builder<'_>, given: &Ramp, settings: &mut StartSettings, at: &At) {
    let place = at.field("duration");
    let duration = positive(b, given.duration, &place);
    settings.ramp = b.si(duration, Dimension::Time, &place);
    settings.ramp_gravity = given.gravity.unwrap_or(true);
    settings.ramp_inputs = given.inputs.unwrap_or(false);
    if !settings.ramp_gravity && !settings.ramp_inputs {
        b.report.add(
            at,
            "neither gravity nor inputs follow the ramp; set one of \"gravity\", \"inputs\" to true",
        );
    }
}

/// An integer between bounds; the least after a problem.
fn count(b: &mut Builder<'_>, value: i64, least: i64, most: i64, at: &At) -> u32 {
    if !(least..=most).contains(&value) {
        b.report
            .add(at, format!("must be from {least} to {most}; found {value}"));
    }
    value.clamp(least, most) as u32
}

//! Control plane: notes for the user about a start at the present settings.

use super::Simulation;
use crate::mechanism::called;
use crate::mechanism::{Arithmetic, FlexBody};
use crate::seconds::Seconds;
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

impl Simulation {
    pub(super) fn write_notes(&mut self) {
        self.notes = self.redundancy.notes.clone();
        self.notes.extend(self.missed.iter().map(|missed| {
            let name = &self.mechanism.bodies[missed.body.index()].name;
            format!("part {}: {}", called(name), missed.text)
        }));
        self.notes.extend_from_slice(&self.balance);
        let h = self.mechanism.step_of_modes();
        let bodies = self.mechanism.bodies.iter();
        let bodies = bodies.filter_map(|body| Some((&body.name, body.flexible.as_ref()?)));
        let modes = bodies.filter_map(|(name, flex)| lost_inertia(name, flex, h));
        self.notes.extend(modes);
        let solver = &self.mechanism.solver;
        if solver.linearly_implicit {
            self.notes.push(
                "solver setting linearly_implicit: one solve in each step; fixit and pattern have \
                 no effect"
                    .to_owned(),
            );
        }
        if solver.math == Arithmetic::Fast {
            self.notes.push(
                "solver setting math = fast: products are fused with sums where the processor can, so \
                 that bits differ from those of other machines and of math = exact"
                    .to_owned(),
            );
        }
        if solver.pattern.first() == Some(&false) {
            self.notes.push(
                "solver setting pattern begins with F: the first iteration of a step evaluates the \
                 Jacobian all the same, so that a restored state continues with the same bits"
                    .to_owned(),
            );
        }
    }
}

/// Which modes of a flexible body lose their inertia at an integration step h \[s\]; `None` if none does.
fn lost_inertia(name: &str, flex: &FlexBody, h: f64) -> Option<String> {
    let lost = flex.modes.iter().zip(flex.quasi_static(h));
    let call = |(mode, _): (&usize, bool)| {
        let frequency = flex.data.modes[*mode].frequency;
        format!("{} ({frequency:.1} Hz)", mode + 1)
    };
    let lost: Vec<String> = lost.filter(|(_, lost)| *lost).map(call).collect();
    let why = match flex.dynamic_limit {
        Some(_) => String::new(),
        None => format!(
            ", half a period in the integration step of {} s",
            Seconds(h)
        ),
    };
    (!lost.is_empty()).then(|| {
        format!(
            "flexible body {}: modes above the dynamic limit of {:.1} Hz{why}, keep their stiffness and lose their \
             inertia: {}",
            called(name),
            flex.limit(h),
            lost.join(", ")
        )
    })
}

//! Tests of every scheme through C: chosen by parameters, with fixed work.

use crate::client2::{Fmu2, call2};
use crate::client3::{Fmu3, call3};
use crate::world::{ERROR, OK, World};

/// A scheme by name, with its items of `solver.integrator` and `solver.formulation`.
pub(crate) struct Scheme {
    pub(crate) name: &'static str,
    integrator: i32,
    formulation: i32,
    linear: bool,
}

const fn scheme(name: &'static str, items: (i32, i32), linear: bool) -> Scheme {
    Scheme {
        name,
        integrator: items.0,
        formulation: items.1,
        linear,
    }
}

/// Every scheme, iterated and linearly implicit.
pub(crate) const SCHEMES: [Scheme; 10] = [
    scheme("GSTIFF/I3", (1, 1), false),
    scheme("GSTIFF/SI2", (1, 2), false),
    scheme("HHT", (2, 1), false),
    scheme("NEWMARK", (3, 1), false),
    scheme("GENALPHA", (4, 1), false),
    scheme("GSTIFF/I3, linearly implicit", (1, 1), true),
    scheme("GSTIFF/SI2, linearly implicit", (1, 2), true),
    scheme("HHT, linearly implicit", (2, 1), true),
    scheme("NEWMARK, linearly implicit", (3, 1), true),
    scheme("GENALPHA, linearly implicit", (4, 1), true),
];

impl Scheme {
    /// The same with another item of `solver.formulation`.
    pub(crate) const fn formulation(&self, item: i32) -> Self {
        Self {
            name: self.name,
            integrator: self.integrator,
            formulation: item,
            linear: self.linear,
        }
    }

    /// Chooses it, before the start.
    pub(crate) fn choose2(&self, fmu: &Fmu2<'_>) {
        assert_eq!(fmu.set_integer("solver.integrator", self.integrator), OK);
        assert_eq!(fmu.set_integer("solver.formulation", self.formulation), OK);
        let reference = fmu.world.reference("solver.linearly_implicit");
        let value = i32::from(self.linear);
        let status = call2!(
            fmu,
            fmi2SetBoolean,
            &raw const reference,
            1,
            &raw const value
        );
        assert_eq!(status, OK);
    }

    /// The same in FMI 3.
    pub(crate) fn choose3(&self, fmu: &Fmu3<'_>) {
        for (name, item) in [
            ("solver.integrator", self.integrator),
            ("solver.formulation", self.formulation),
        ] {
            let (reference, item) = (fmu.world.reference(name), i64::from(item));
            let status = call3!(
                fmu,
                fmi3SetInt64,
                &raw const reference,
                1,
                &raw const item,
                1
            );
            assert_eq!(status, OK, "{}", fmu.log.last());
        }
        let reference = fmu.world.reference("solver.linearly_implicit");
        let status = call3!(
            fmu,
            fmi3SetBoolean,
            &raw const reference,
            1,
            &raw const self.linear,
            1
        );
        assert_eq!(status, OK);
    }
}

#[test]
fn jacobians_follow_fixit_under_the_default_pattern() {
    let world = World::new("counts");
    for scheme in &SCHEMES {
        for (fixit, wanted) in (1..=10).zip([1, 1, 1, 1, 2, 2, 2, 2, 3, 3]) {
            let wanted = if scheme.linear { 1 } else { wanted };
            let fmu = Fmu2::new(&world);
            scheme.choose2(&fmu);
            assert_eq!(fmu.set_integer("solver.fixit", fixit), OK);
            fmu.start();
            // A step that breaks out, and rest: the work is the same.
            for k in 0..20 {
                let torque = if k % 8 < 4 { 50.0 } else { 0.0 };
                assert_eq!(fmu.set_real("torque", torque), OK);
                assert_eq!(fmu.step(f64::from(k) * 0.01, 0.01), OK);
                let counts = (fmu.integer("solver.steps"), fmu.integer("solver.jacobians"));
                assert_eq!(counts, (k + 1, wanted), "{}, fixit {fixit}", scheme.name);
            }
        }
    }
}

#[test]
fn steps_and_jacobians_are_counted_in_fmi3_with_hratio_and_pattern() {
    let world = World::new("counts3");
    for scheme in &SCHEMES {
        let fmu = Fmu3::new(&world);
        scheme.choose3(&fmu);
        for (name, value) in [("solver.hratio", 4), ("solver.fixit", 5)] {
            let reference = world.reference(name);
            let status = call3!(
                fmu,
                fmi3SetInt32,
                &raw const reference,
                1,
                &raw const value,
                1
            );
            assert_eq!(status, OK);
        }
        let (reference, text) = (world.reference("solver.pattern"), crate::world::c("T:F"));
        let text = text.as_ptr();
        let status = call3!(
            fmu,
            fmi3SetString,
            &raw const reference,
            1,
            &raw const text,
            1
        );
        assert_eq!(status, OK);
        fmu.start();
        for k in 0..10 {
            assert_eq!(fmu.step(f64::from(k) * 0.01, 0.01).status, OK);
            let wanted = if scheme.linear { 1 } else { 3 };
            let counts = (fmu.integer("solver.steps"), fmu.integer("solver.jacobians"));
            assert_eq!(counts, (4 * (k + 1), wanted), "{}", scheme.name);
        }
    }
}

#[test]
fn work_that_fixit_and_pattern_do_not_fix_is_refused() {
    let world = World::new("refused");
    for (fixit, pattern, reason) in [
        (3, "F:F:F", "adaptive"),
        (2, "F:F:T", "T among its first 2 entries"),
        (3, "T:F:T:F:T:F:T:F:T:F:T", "1 to 10"),
        (0, "T", "solver.fixit"),
        (11, "T", "solver.fixit"),
    ] {
        let fmu = Fmu2::new(&world);
        let set = fmu.set_integer("solver.fixit", fixit) == OK
            && fmu.set_string("solver.pattern", pattern) == OK;
        if set {
            call2!(fmu, fmi2SetupExperiment, 0, 0.0, 0.0, 0, 0.0);
            call2!(fmu, fmi2EnterInitializationMode);
            let left = call2!(fmu, fmi2ExitInitializationMode);
            assert_eq!(left, ERROR, "fixit {fixit}, pattern {pattern}");
        }
        let told = fmu.log.all();
        assert!(
            told.iter().any(|m| m.text.contains(reason)),
            "{reason}: {}",
            fmu.log.last()
        );
    }
}

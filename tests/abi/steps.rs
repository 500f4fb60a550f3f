//! Tests of communication steps: inexact step sizes, changes, limits, failure; and the resulting motion.

use crate::client2::{Fmu2, call2};
use crate::client3::{Fmu3, How, call3};
use crate::world::{DISCARD, ERROR, OK, World};

/// Angle after a second of steps that an importer computes with this clock.
fn angle_with(world: &World, next: impl Fn(u32, f64) -> (f64, f64)) -> u64 {
    let fmu = Fmu2::started(world);
    let mut t = 0.0;
    for k in 0..100 {
        let (current, h) = next(k, t);
        assert_eq!(fmu.step(current, h), OK, "{}", fmu.log.last());
        t = current + h;
    }
    fmu.real("angle").to_bits()
}

#[test]
fn clocks_that_add_up_and_steps_off_by_units_in_the_last_place_change_no_bit() {
    let world = World::new("noise");
    let exact = angle_with(&world, |k, _| (f64::from(k) * 0.01, 0.01));
    let added = angle_with(&world, |_, t| (t, 0.01));
    let differences = angle_with(&world, |k, _| {
        let (from, to) = (f64::from(k) * 0.01, f64::from(k + 1) * 0.01);
        (from, to - from)
    });
    let ulps = angle_with(&world, |k, _| {
        let h = f64::from_bits(0.01_f64.to_bits() + u64::from(k % 5) - 2);
        (f64::from(k) * 0.01, h)
    });
    assert_eq!(exact, added);
    assert_eq!(exact, differences);
    assert_eq!(exact, ulps);
}

/// A pendulum let go at the horizontal: energy is conserved but for the method's damping, which
/// halves with the step.
#[test]
fn the_pendulum_falls_as_it_must() {
    let world = World::new("physics");
    // I about the pin = 0.2 + 2 · 0.5² = 0.7 kg m²; at angle −a from the horizontal
    // ½ I ω² = m g l sin a.
    let defect = |h: f64, steps: u32| {
        let fmu = Fmu2::started(&world);
        for k in 0..steps {
            assert_eq!(fmu.step(f64::from(k) * h, h), OK);
        }
        let (angle, speed) = (fmu.real("angle"), fmu.real("speed"));
        let fallen = -2.0 * 9.81 * 0.5 * fixstep_kernel::math::sin(angle);
        (fallen - 0.5 * 0.7 * speed * speed) / fallen
    };
    let (coarse, fine) = (defect(0.001, 300), defect(0.0005, 600));
    assert!(coarse > 0.0 && coarse < 0.01, "{coarse}");
    assert!((coarse / fine - 2.0).abs() < 0.1, "{coarse} {fine}");
}

#[test]
fn hratio_divides_the_communication_step() {
    let world = World::stepping("hratio", 1.0 / 64.0);
    let run = |hratio: i32, h: f64, steps: u32| {
        let fmu = Fmu2::new(&world);
        assert_eq!(fmu.set_integer("solver.hratio", hratio), OK);
        fmu.start();
        for k in 0..steps {
            assert_eq!(fmu.step(f64::from(k) * h, h), OK);
        }
        assert_eq!(fmu.integer("solver.steps"), 64);
        fmu.real("angle").to_bits()
    };
    // Powers of two: both runs have the very same step.
    assert_eq!(run(4, 1.0 / 64.0, 16), run(1, 1.0 / 256.0, 64));
}

#[test]
fn communication_steps_of_any_multiple_end_with_the_same_bits() {
    let world = World::new("multiples");
    let run = |multiples: &[u32]| {
        let fmu = Fmu3::started(&world);
        let (mut at, mut parts) = (0, multiples.iter().cycle());
        while at < 240 {
            let n = *parts.next().unwrap();
            let end = fmu.step(f64::from(at) * 0.01, f64::from(n) * 0.01);
            assert_eq!(end.status, OK, "{}", fmu.log.last());
            at += n;
            assert_eq!(end.last, f64::from(at - n) * 0.01 + f64::from(n) * 0.01);
        }
        assert_eq!(fmu.integer("solver.steps"), 240);
        (fmu.real("time").to_bits(), fmu.real("angle").to_bits())
    };
    let ones = run(&[1]);
    for multiples in [&[2][..], &[3], &[240], &[1, 7, 4], &[5, 10, 1]] {
        assert_eq!(run(multiples), ones, "{multiples:?}");
    }
}

#[test]
fn a_step_between_the_multiples_ends_where_it_should() {
    let world = World::new("between");
    let fmu = Fmu3::started(&world);
    let mut t = 0.0;
    for (h, steps) in [(0.01, 1), (0.025, 4), (0.004, 5), (0.02, 7)] {
        let end = fmu.step(t, h);
        assert_eq!((end.status, end.last), (OK, t + h), "{}", fmu.log.last());
        assert_eq!(fmu.integer("solver.steps"), steps);
        t += h;
        assert!((fmu.real("time") - t).abs() < 1e-15);
    }
    let refused = fmu.step(t, 1e9);
    assert_eq!(refused.status, ERROR);
    let text = fmu.log.last();
    assert!(
        text.contains("more than 1000000 integration steps"),
        "{text}"
    );
}

#[test]
fn a_run_that_begins_after_a_million_seconds_keeps_its_step() {
    let world = World::new("far");
    let fmu = Fmu2::new(&world);
    let start = 1e6;
    assert_eq!(call2!(fmu, fmi2SetupExperiment, 0, 0.0, start, 0, 0.0), OK);
    assert_eq!(call2!(fmu, fmi2EnterInitializationMode), OK);
    assert_eq!(call2!(fmu, fmi2ExitInitializationMode), OK);
    let near = Fmu2::started(&world);
    for k in 0..300 {
        let [from, to] = [k, k + 1].map(|k| start + f64::from(k) * 0.01);
        assert_eq!(fmu.step(from, to - from), OK, "{}", fmu.log.last());
        assert_eq!(near.step(f64::from(k) * 0.01, 0.01), OK);
    }
    assert_eq!(fmu.real("time"), start + 3.0);
    // Nothing in the pendulum reads time.
    assert_eq!(fmu.real("angle").to_bits(), near.real("angle").to_bits());
}

#[test]
fn steps_that_do_not_join_are_refused() {
    let world = World::new("joints");
    for (current, h, reason) in [
        (0.5, 0.01, "the FMU stands at 0 s"),
        (0.0, 0.0, "must be above 0"),
        (0.0, -0.01, "must be above 0"),
        (0.0, f64::NAN, "finite"),
        (f64::INFINITY, 0.01, "finite"),
    ] {
        let fmu = Fmu2::started(&world);
        assert_eq!(fmu.step(current, h), ERROR);
        assert!(fmu.log.last().contains(reason), "{}", fmu.log.last());
        let fmu = Fmu3::started(&world);
        assert_eq!(fmu.step(current, h).status, ERROR);
        assert!(fmu.log.last().contains(reason), "{}", fmu.log.last());
    }
}

#[test]
fn the_stop_time_is_kept() {
    let world = World::new("stop");
    let fmu = Fmu3::new(&world);
    let entered = call3!(
        fmu,
        fmi3EnterInitializationMode,
        true,
        1e-4,
        0.0,
        true,
        0.05
    );
    assert_eq!(entered, OK);
    assert_eq!(call3!(fmu, fmi3ExitInitializationMode), OK);
    let mut t = 0.0;
    for _ in 0..5 {
        let end = fmu.step(t, 0.01);
        assert_eq!(
            (end.status, end.terminate),
            (OK, false),
            "{}",
            fmu.log.last()
        );
        t += 0.01;
    }
    assert_eq!(fmu.step(t, 0.01).status, ERROR);
    assert!(fmu.log.last().contains("passes the stop time 0.05 s"));
}

#[test]
fn fmi2_discards_a_failed_step_and_goes_on_from_a_saved_state() {
    let world = World::stepping("failure2", 0.1);
    let fmu = Fmu2::new(&world);
    assert_eq!(fmu.set_real("solver.maxerr", 1e-3), OK);
    fmu.start();
    assert_eq!(fmu.step(0.0, 1e-3), OK, "{}", fmu.log.last());
    let mut state = std::ptr::null_mut();
    assert_eq!(call2!(fmu, fmi2GetFMUstate, &raw mut state), OK);
    // A step a hundred times as long has an error ten thousand times as large.
    assert_eq!(fmu.step(1e-3, 0.1), DISCARD, "{}", fmu.log.last());
    let text = fmu.log.last();
    assert!(text.contains("the run stops at time 0.001 s"), "{text}");
    assert!(
        text.contains("part \"rod\"") && text.contains("solver.maxerr"),
        "{text}"
    );
    let (mut terminated, mut time) = (0, 0.0);
    assert_eq!(
        call2!(fmu, fmi2GetBooleanStatus, 3, &raw mut terminated),
        OK
    );
    assert_eq!(call2!(fmu, fmi2GetRealStatus, 2, &raw mut time), OK);
    assert_eq!((terminated, time), (1, 1e-3));
    assert!(fmu.real("angle").is_finite());
    assert_eq!(call2!(fmu, fmi2SetFMUstate, state), OK);
    assert_eq!(fmu.step(1e-3, 1e-3), OK, "{}", fmu.log.last());
    assert_eq!(call2!(fmu, fmi2FreeFMUstate, &raw mut state), OK);
}

#[test]
fn fmi3_asks_to_terminate_after_a_failed_step() {
    let world = World::stepping("failure3", 0.1);
    for early in [false, true] {
        let how = How {
            early,
            logging: false,
            ..How::of(&world)
        };
        let fmu = Fmu3::try_new(&world, &how);
        assert_eq!(fmu.set_real("solver.maxerr", 1e-3), OK);
        fmu.start();
        assert_eq!(fmu.step(0.0, 1e-3).status, OK);
        let end = fmu.step(1e-3, 0.1);
        assert_eq!((end.status, end.events, end.terminate), (OK, false, true));
        assert_eq!((end.early, end.last), (early, 1e-3));
        let text = fmu.log.last();
        assert!(
            text.contains("the run stops"),
            "even with logging off: {text}"
        );
        assert_eq!(fmu.real("time"), 1e-3);
        assert_eq!(call3!(fmu, fmi3Terminate), OK);
    }
}

//! Tests of values at and beyond the bounds of their variables: inputs, with and without derivatives, and parameters.

use std::ffi::c_int;
use std::ptr;

use crate::client2::{Fmu2, call2};
use crate::client3::{Fmu3, call3};
use crate::inputs::derive;
use crate::world::{DISCARD, ERROR, Log, OK, PENDULUM, WARNING, World, folder};

/// What the tests do, in either version.
trait Fmu {
    fn set(&self, names: &[&str], values: &[f64]) -> c_int;
    fn get(&self, name: &str) -> f64;
    fn step_on(&self, current: f64, h: f64) -> c_int;
    fn log(&self) -> &Log;
    fn world(&self) -> &World;
    fn begin(&self);

    /// Messages that name a variable, with category.
    fn told(&self, name: &str) -> Vec<(String, String)> {
        let all = self.log().all().into_iter();
        let named = all.filter(|message| message.text.contains(name));
        named.map(|one| (one.category, one.text)).collect()
    }
}

impl Fmu for Fmu2<'_> {
    fn set(&self, names: &[&str], values: &[f64]) -> c_int {
        let references: Vec<u32> = names.iter().map(|n| self.world.reference(n)).collect();
        let (list, n) = (references.as_ptr(), references.len());
        call2!(self, fmi2SetReal, list, n, values.as_ptr())
    }
    fn get(&self, name: &str) -> f64 {
        self.real(name)
    }
    fn step_on(&self, current: f64, h: f64) -> c_int {
        self.step(current, h)
    }
    fn log(&self) -> &Log {
        &self.log
    }
    fn world(&self) -> &World {
        self.world
    }
    fn begin(&self) {
        self.start();
    }
}

impl Fmu for Fmu3<'_> {
    fn set(&self, names: &[&str], values: &[f64]) -> c_int {
        let references: Vec<u32> = names.iter().map(|n| self.world.reference(n)).collect();
        let (list, n) = (references.as_ptr(), references.len());
        call3!(self, fmi3SetFloat64, list, n, values.as_ptr(), n)
    }
    fn get(&self, name: &str) -> f64 {
        self.real(name)
    }
    fn step_on(&self, current: f64, h: f64) -> c_int {
        self.step(current, h).status
    }
    fn log(&self) -> &Log {
        &self.log
    }
    fn world(&self) -> &World {
        self.world
    }
    fn begin(&self) {
        self.start();
    }
}

/// Both versions, fresh.
fn both(world: &World) -> [Box<dyn Fmu + '_>; 2] {
    [Box::new(Fmu2::new(world)), Box::new(Fmu3::new(world))]
}

/// Both versions, initialized.
fn started(world: &World) -> [Box<dyn Fmu + '_>; 2] {
    let fmus = both(world);
    for fmu in &fmus {
        fmu.begin();
    }
    fmus
}

/// The pendulum, which refuses inputs beyond their bounds.
fn strict(name: &str) -> World {
    let mut model: serde_json::Value = serde_json::from_str(PENDULUM).unwrap();
    model["solver"]["input_bounds"] = "error".into();
    World::at(folder(name).join("resources"), &model.to_string())
}

#[test]
fn what_misses_a_bound_by_rounding_is_the_bound() {
    for world in [World::new("rounded"), strict("rounded strictly")] {
        for fmu in started(&world) {
            for (name, value, bound) in [
                ("torque", 100.000_000_000_000_01, 100.0),
                ("torque", -100.000_000_000_19, -100.0),
                ("friction", 10.000_000_000_000_002, 10.0),
                ("friction", -1e-17, 0.0),
            ] {
                assert_eq!(fmu.set(&[name], &[value]), OK, "{name} {value}");
                assert_eq!(fmu.get(name).to_bits(), f64::to_bits(bound), "{name}");
            }
            assert_eq!(fmu.step_on(0.0, 0.01), OK);
            assert_eq!(fmu.told("bounds"), []);
        }
    }
    // One bound alone, and a setting.
    let world = World::new("rounded once");
    for fmu in both(&world) {
        assert_eq!(fmu.set(&["mass"], &[0.1 - 1e-16]), OK);
        assert_eq!(fmu.set(&["solver.rho"], &[1.000_000_000_000_000_2]), OK);
        fmu.begin();
        assert_eq!((fmu.get("mass"), fmu.get("solver.rho")), (0.1, 1.0));
    }
}

#[test]
fn an_input_beyond_its_bounds_is_clamped_and_told_once() {
    let world = World::new("clamped");
    for (fmu, plain) in started(&world).into_iter().zip(started(&world)) {
        for (k, asked) in [250.0, 1e300, -101.0, 100.1].into_iter().enumerate() {
            let bound = f64::clamp(asked, -100.0, 100.0);
            assert_eq!(fmu.set(&["torque"], &[asked]), WARNING, "{asked}");
            assert_eq!(plain.set(&["torque"], &[bound]), OK);
            assert_eq!(fmu.get("torque"), bound);
            for fmu in [&fmu, &plain] {
                assert_eq!(fmu.step_on(0.01 * k as f64, 0.01), OK);
            }
            for name in ["torque", "angle", "speed", "doubled"] {
                assert_eq!(fmu.get(name).to_bits(), plain.get(name).to_bits());
            }
        }
        assert_eq!(fmu.set(&["torque"], &[7.0]), OK);
        assert_eq!(fmu.get("torque"), 7.0);
        let told = fmu.told("torque");
        assert_eq!(told.len(), 1, "{told:?}");
        let (category, text) = &told[0];
        assert_eq!(category, "logStatusWarning");
        assert!(text.contains("250") && text.contains("100"), "{text}");
        assert_eq!(plain.told("torque"), []);
    }
}

#[test]
fn a_parameter_beyond_its_bounds_is_discarded_and_the_run_goes_on() {
    let world = World::new("discarded");
    for fmu in both(&world) {
        assert_eq!(fmu.set(&["mass"], &[0.05]), DISCARD);
        let (category, text) = fmu.told("mass").pop().unwrap();
        assert_eq!(category, "logStatusDiscard");
        assert!(text.contains("cannot be 0.05; it takes a number of 0.1 or more [kg]"));
        assert_eq!(fmu.set(&["solver.rho"], &[1.5]), DISCARD);
        fmu.begin();
        assert_eq!(fmu.get("mass"), 2.0);
        assert_eq!(fmu.set(&["friction"], &[1.0]), OK);
        for bad in [10.1, -1e-6, 1e300] {
            assert_eq!(fmu.set(&["friction"], &[bad]), DISCARD, "{bad}");
        }
        // All or nothing: the input is neither set nor told of.
        assert_eq!(fmu.set(&["torque", "friction"], &[250.0, 11.0]), DISCARD);
        assert_eq!((fmu.get("torque"), fmu.get("friction")), (0.0, 1.0));
        assert_eq!(fmu.told("input torque"), []);
        assert_eq!(fmu.step_on(0.0, 0.01), OK);
        assert_eq!(fmu.set(&["friction"], &[2.0]), OK);
        assert_eq!(fmu.step_on(0.01, 0.01), OK);
        assert_eq!(fmu.get("friction"), 2.0);
        // What is no finite number is no value at all.
        assert_eq!(fmu.set(&["friction"], &[f64::INFINITY]), ERROR);
        assert_eq!(fmu.step_on(0.02, 0.01), ERROR);
    }
    let fmu = Fmu2::new(&world);
    assert_eq!(fmu.set_integer("solver.fixit", 11), DISCARD);
    fmu.start();
    assert_eq!(fmu.integer("solver.fixit"), 3);
}

#[test]
fn what_is_no_finite_number_is_an_error_for_an_input_too() {
    let world = World::new("no number");
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for fmu in started(&world) {
            assert_eq!(fmu.set(&["torque"], &[bad]), ERROR, "{bad}");
        }
    }
}

/// The polynomial leaves the bounds within the step and comes back; a run that sets the nearest value within the bounds
/// for the end of every integration step does the same.
#[test]
fn an_input_with_derivatives_is_clamped_in_every_integration_step() {
    let world = World::new("clamped polynomials");
    let asked = |t: f64| 60.0 + 4000.0 * t - 60_000.0 * t * t;
    let (own, plain) = (Fmu2::started(&world), Fmu2::started(&world));
    let mut beyond = 0;
    for turn in 0..2 {
        let from = 0.05 * f64::from(turn);
        if turn == 0 {
            assert_eq!(own.set_real("torque", asked(0.0)), OK);
        }
        let slope = 4000.0 - 120_000.0 * from;
        let given = derive(&own, "torque", &[(1, slope), (2, -120_000.0)]);
        assert_eq!(given, OK, "{}", own.log.last());
        assert_eq!(own.step(from, 0.05), OK, "{}", own.log.last());
        for k in 0..5 {
            let at = from + 0.01 * f64::from(k);
            let wanted = asked(at + 0.01);
            beyond += u32::from(wanted.abs() > 100.0);
            assert_eq!(plain.set_real("torque", wanted.clamp(-100.0, 100.0)), OK);
            assert_eq!(plain.step(at, 0.01), OK);
        }
        // The second step goes on from where the polynomial stands, not from the bound.
        let wanted = asked(from + 0.05).clamp(-100.0, 100.0);
        assert!((own.real("torque") - wanted).abs() < 1e-9);
        assert!((own.real("angle") - plain.real("angle")).abs() < 1e-12);
        assert!((own.real("doubled") - 2.0 * wanted).abs() < 1e-9);
    }
    assert_eq!(beyond, 5);
    let told = own.told("input torque");
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!(told[0].0, "logStatusWarning");
}

#[test]
fn saved_states_hold_what_was_set() {
    let world = World::new("clamped states");
    let fmu = Fmu2::started(&world);
    assert_eq!(fmu.set_real("torque", 250.0), WARNING);
    let mut state = ptr::null_mut();
    assert_eq!(call2!(fmu, fmi2GetFMUstate, &raw mut state), OK);
    let mut size = 0;
    let asked = call2!(fmu, fmi2SerializedFMUstateSize, state, &raw mut size);
    assert_eq!(asked, OK);
    let mut bytes = vec![0_u8; size];
    let to = bytes.as_mut_ptr().cast();
    assert_eq!(call2!(fmu, fmi2SerializeFMUstate, state, to, size), OK);
    assert_eq!(fmu.set_real("torque", 0.0), OK);
    assert_eq!(fmu.step(0.0, 0.01), OK);
    let fresh = Fmu2::started(&world);
    let (from, mut other) = (bytes.as_ptr().cast(), ptr::null_mut());
    let read = call2!(fresh, fmi2DeSerializeFMUstate, from, size, &raw mut other);
    assert_eq!(read, OK);
    for (fmu, mut state) in [(&fmu, state), (&fresh, other)] {
        assert_eq!(call2!(fmu, fmi2SetFMUstate, state), OK);
        assert_eq!(fmu.real("torque"), 100.0);
        // 250 - 2000 t: at the bound for 0.075 s.
        assert_eq!(derive(fmu, "torque", &[(1, -2000.0)]), OK);
        assert_eq!(fmu.step(0.0, 0.07), OK);
        assert_eq!(fmu.real("torque"), 100.0);
        assert_eq!(derive(fmu, "torque", &[(1, -2000.0)]), OK);
        assert_eq!(fmu.step(0.07, 0.03), OK);
        assert!((fmu.real("torque") - 50.0).abs() < 1e-9);
        assert_eq!(call2!(fmu, fmi2FreeFMUstate, &raw mut state), OK);
    }
    assert_eq!(fmu.real("angle").to_bits(), fresh.real("angle").to_bits());
}

/// What is in force moves to both sides of a bound.
#[test]
fn derivatives_at_a_bound_are_those_of_the_value_in_force() {
    let world = World::new("derivative at a bound");
    let found = [99.0, 100.0, 250.0].map(|asked| {
        let fmu = Fmu3::started(&world);
        assert!(fmu.set_real("torque", asked) <= WARNING);
        assert_eq!(fmu.step(0.0, 0.02).status, OK);
        let (unknown, known) = (world.reference("doubled"), world.reference("torque"));
        let (seed, mut found) = (1.0, f64::NAN);
        let status = call3!(
            fmu,
            fmi3GetDirectionalDerivative,
            &raw const unknown,
            1,
            &raw const known,
            1,
            &raw const seed,
            1,
            &raw mut found,
            1
        );
        assert_eq!(status, OK, "{}", fmu.log.last());
        found
    });
    assert!(found.iter().all(|x| (x - 2.0).abs() < 1e-9), "{found:?}");
}

#[test]
fn where_a_model_asks_for_it_an_input_beyond_its_bounds_is_an_error() {
    let world = strict("strict");
    for fmu in started(&world) {
        assert_eq!(fmu.set(&["torque"], &[100.1]), ERROR);
        let (_, text) = fmu.told("torque").pop().unwrap();
        assert!(text.contains("from -100 to 100 [N.m]"), "{text}");
        assert_eq!(fmu.step_on(0.0, 0.01), ERROR);
        assert_eq!(fmu.world().reference("time"), 0);
    }
    let fmu = Fmu2::started(&world);
    assert_eq!(fmu.set_real("torque", 90.0), OK);
    assert_eq!(derive(&fmu, "torque", &[(1, 100.0)]), OK);
    assert_eq!(fmu.step(0.0, 0.05), OK, "{}", fmu.log.last());
    // Beyond in the middle of the step, and back at its end.
    let leaving = [(1, 1000.0), (2, -40_000.0)];
    assert_eq!(derive(&fmu, "torque", &leaving), OK);
    assert_eq!(fmu.step(0.05, 0.05), ERROR);
    let text = fmu.log.last();
    assert!(
        text.contains(
            "\"torque\" lead to 107.5 within the communication step; valid are -100 to 100"
        ),
        "{text}"
    );
    assert_eq!(fmu.real("time"), 0.05);
}

/// A straight line through the last two values may leave the bounds, which the values keep.
#[test]
fn a_straight_line_beyond_the_bounds_is_told_or_refused() {
    let straight = |name: &str, bounds: &str| {
        let mut model: serde_json::Value = serde_json::from_str(PENDULUM).unwrap();
        model["solver"]["input_bounds"] = bounds.into();
        model["solver"]["input_course"] = "linear".into();
        World::at(folder(name).join("resources"), &model.to_string())
    };
    let worlds = [
        (straight("line clamped", "clamp"), OK),
        (straight("line refused", "error"), ERROR),
    ];
    for (world, status) in &worlds {
        for fmu in started(world) {
            assert_eq!(fmu.set(&["torque"], &[50.0]), OK);
            assert_eq!(fmu.step_on(0.0, 0.05), OK);
            assert_eq!(fmu.set(&["torque"], &[80.0]), OK);
            assert_eq!(fmu.told("torque"), []);
            assert_eq!(fmu.step_on(0.05, 0.05), *status);
            // A message of a step comes with the next call.
            if *status == OK {
                assert_eq!(fmu.get("torque"), 100.0);
            }
            let text = fmu.told("torque").pop().unwrap().1;
            let says = if *status == OK {
                "input torque is to be 110 at time 0.05 s or within the step"
            } else {
                "\"torque\" leads to 110 within the communication step; valid are -100 to 100"
            };
            assert!(text.contains(says), "{text}");
        }
    }
}

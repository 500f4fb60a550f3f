//! Geometry and initial conditions that are programs of parameters.

mod places;

use fixstep_kernel::expr::Program;
use fixstep_kernel::ids::{
    BodyId, ExprId, InputId, JointId, LeafId, MarkerId, OutputId, ParameterId,
};
use fixstep_kernel::mechanism::{
    BodyNumber, Derived, JointNumber, Leaf, MarkerNumber, Mechanism, Place, ScaledExpr, check,
};
use fixstep_kernel::simulation::Simulation;
use fixstep_model::Model;
use fixstep_variables::file::container;

/// The parameter that geometry follows from, and one that changes the mass.
const SIZE: ParameterId = ParameterId(0);
const MASS: ParameterId = ParameterId(1);
const TUNABLE: ParameterId = ParameterId(2);

fn model(text: &str) -> Mechanism {
    let model = Model::from_json(text).map_err(|e| e.to_string());
    model.unwrap().mechanism
}

/// A mechanism between units, gravity and solver; `size` is the start of its first parameter.
fn mechanism(size: f64, elements: &str) -> Mechanism {
    model(&format!(
        r#"{{
        "fixstep": 1, "name": "sized", "gravity": [0, 0, -9.81],
        "units": {{"length": "m", "mass": "kg", "force": "N", "time": "s", "angle": "rad"}},
        "parameters": [
            {{"name": "size", "unit": "m", "start": {size}}},
            {{"name": "mass", "unit": "kg", "start": 1}},
            {{"name": "damping", "unit": "N.m.s/rad", "start": 0, "tunable": true}}
        ],
        "inputs": [{{"name": "torque", "start": 0, "unit": "N.m"}}],
        {elements},
        "solver": {{"integrator": "HHT"}},
        "experiment": {{"start": 0, "stop": 1, "step": 0.001}}
    }}"#
    ))
}

/// A bob at rest below its pin, and turning.
fn pendulum(length: f64) -> Mechanism {
    mechanism(
        length,
        &format!(
            r#"
        "parts": [{{"name": "bob", "mass": "=mass", "position": [0, 0, -{length}],
                    "velocity": [-{}, 0, 0], "angular_velocity": [0, 0.02, 0],
                    "inertia": {{"xx": 1e-6, "yy": 1e-6, "zz": 1e-6}}}}],
        "markers": [
            {{"name": "pin", "part": "ground", "orientation": {{"z_point": [0, 1, 0], "x_point": [1, 0, 0]}}}},
            {{"name": "eye", "part": "bob", "position": [0, 0, {length}],
              "orientation": {{"z_point": [0, 1, {length}], "x_point": [1, 0, {length}]}}}}
        ],
        "joints": [{{"name": "bearing", "type": "revolute", "i": "eye", "j": "pin"}}],
        "forces": [{{"name": "drive", "type": "torque", "i": "eye", "j": "pin",
                     "expression": "torque - damping*WZ(eye, pin)"}}],
        "outputs": [{{"name": "angle", "expression": "AZ(eye, pin)", "unit": "rad"}}]"#,
            0.02 * length
        ),
    )
}

/// A number becomes a parameter times a factor.
fn follow(m: &mut Mechanism, place: Place, parameter: ParameterId, to_si: f64) {
    let leaf = LeafId::from(m.leaves.len());
    m.leaves.push(Leaf::Parameter(parameter));
    let expr = ExprId::from(m.expressions.len());
    m.expressions.push(Program {
        leaves: vec![leaf],
        ..Program::constant(0.0)
    });
    let program = m.expressions.last_mut().unwrap();
    program.constants.clear();
    let program = ScaledExpr { expr, to_si };
    m.derived.push(Derived { place, program });
}

fn marker(m: &Mechanism, name: &str) -> MarkerId {
    let at = m.markers.iter().position(|x| x.name == name);
    MarkerId::from(at.unwrap())
}

/// The same pendulum, whose length is its first parameter.
fn sized(length: f64) -> Mechanism {
    let mut m = pendulum(length);
    let eye = marker(&m, "eye");
    let bob = BodyId(1);
    for (place, factor) in [
        (Place::Marker(eye, MarkerNumber::Position(2)), 1.0),
        (Place::Body(bob, BodyNumber::Position(2)), -1.0),
        (Place::Body(bob, BodyNumber::Velocity(0)), -0.02),
    ] {
        // What stands there is of no matter: it is derived before anything reads it.
        *m.number_at(place).unwrap() = 7.0;
        follow(&mut m, place, SIZE, factor);
    }
    m
}

fn bits(simulation: &mut Simulation) -> Vec<u64> {
    let state = &simulation.part().state;
    state.reals.iter().map(|x| x.to_bits()).collect()
}

fn saved(simulation: &Simulation) -> Vec<u8> {
    let mut bytes = vec![0; simulation.state_size()];
    simulation.save(&mut bytes);
    bytes
}

fn run(simulation: &mut Simulation, steps: usize) {
    for _ in 0..steps {
        simulation.step().unwrap();
    }
}

/// Period of small swings \[s\], from the first two passages to the same side.
fn period(simulation: &mut Simulation) -> f64 {
    let mut passages = Vec::new();
    let mut before = simulation.output(OutputId(0));
    while passages.len() < 2 {
        simulation.step().unwrap();
        let now = simulation.output(OutputId(0));
        if before < 0.0 && now >= 0.0 {
            passages.push(simulation.time() - simulation.step_size() * now / (now - before));
        }
        before = now;
    }
    passages[1] - passages[0]
}

#[test]
fn a_pendulum_is_as_long_as_its_parameter_says() {
    let mut simulation = Simulation::new(sized(1.0)).unwrap();
    for length in [0.5, 2.0] {
        let mut written = Simulation::new(pendulum(length)).unwrap();
        simulation.set_parameter(SIZE, length).unwrap();
        simulation.initialize(0.0).unwrap();
        assert_eq!(bits(&mut simulation), bits(&mut written));
        let eye = marker(simulation.mechanism(), "eye");
        let markers = &simulation.mechanism().markers;
        assert_eq!(markers[eye.index()].position.z, length);
        for _ in 0..300 {
            run(&mut simulation, 1);
            run(&mut written, 1);
            assert_eq!(bits(&mut simulation), bits(&mut written));
        }
        let expected = core::f64::consts::TAU * (length / 9.81).sqrt();
        let found = period(&mut simulation);
        assert!((found / expected - 1.0).abs() < 1e-4, "{found} {expected}");
    }
}

#[test]
fn what_is_set_outlives_other_geometry() {
    let mut simulation = Simulation::new(sized(1.0)).unwrap();
    let mut written = Simulation::new(pendulum(1.5)).unwrap();
    simulation.set_parameter(SIZE, 1.5).unwrap();
    for simulation in [&mut simulation, &mut written] {
        simulation.set_parameter(MASS, 3.0).unwrap();
        simulation.set_parameter(TUNABLE, 0.25).unwrap();
        simulation.set_input(InputId(0), -0.5);
        let mut settings = simulation.settings().clone();
        settings.fixit = 7;
        simulation.set_settings(settings).unwrap();
        simulation.set_step(0.0025);
        simulation.initialize(0.5).unwrap();
    }
    assert_eq!(simulation.settings().fixit, 7);
    for _ in 0..100 {
        assert_eq!(bits(&mut simulation), bits(&mut written));
        run(&mut simulation, 1);
        run(&mut written, 1);
    }
    // The starts are those of the model, whatever is in force.
    let start = |at: usize| simulation.mechanism().parameters[at].quantity.start;
    assert_eq!((start(0), start(1)), (1.0, 1.0));
}

#[test]
fn the_file_keeps_derived_numbers() {
    let m = sized(1.0);
    let bytes = container::write(&m, &[]).unwrap();
    let read = container::read(&bytes).unwrap().mechanism;
    assert_eq!(read.derived, m.derived);
    let mut simulation = Simulation::new(read).unwrap();
    simulation.set_parameter(SIZE, 0.5).unwrap();
    simulation.initialize(0.0).unwrap();
    let mut written = Simulation::new(pendulum(0.5)).unwrap();
    assert_eq!(bits(&mut simulation), bits(&mut written));
}

#[test]
fn altered_files_are_refused_or_start() {
    let bytes = container::write(&sized(1.0), &[]).unwrap();
    let (mut refused, mut started) = (0, 0);
    for at in 56..bytes.len() {
        for value in [0, 1, 5, 0x7f, 0xff] {
            let mut bytes = bytes.clone();
            bytes[at] = value;
            container::seal(&mut bytes);
            let read = container::read(&bytes).map(|contents| contents.mechanism);
            match read.map_err(|fault| fault.0).map(Simulation::new) {
                Ok(Ok(mut simulation)) => {
                    started += 1;
                    // In range or not: with words or without fault.
                    if !simulation.mechanism().parameters.is_empty() {
                        let set = simulation.set_parameter(SIZE, 2.0);
                        let again = set.and_then(|()| simulation.initialize(0.0));
                        assert!(again.is_ok() || again.unwrap_err().to_string().len() > 15);
                    }
                }
                Ok(Err(error)) => {
                    refused += 1;
                    assert!(error.to_string().len() > 15, "{error}");
                }
                Err(_) => refused += 1,
            }
        }
    }
    assert!(refused > 100 && started > 100, "{refused} {started}");
}

/// The message for a pendulum with another derived number.
fn message(place: Place, parameter: ParameterId, to_si: f64) -> String {
    let mut m = sized(1.0);
    m.derive(&[1.0; 3]).unwrap();
    follow(&mut m, place, parameter, to_si);
    let refused = Simulation::new(m.clone())
        .map(drop)
        .map_err(|e| e.to_string());
    refused.unwrap_err()
}

#[test]
fn what_cannot_be_derived_is_refused() {
    let pin = MarkerId(0);
    let at = |axis| Place::Marker(pin, MarkerNumber::Position(axis));
    let bearing = |number| Place::Joint(JointId(0), number);
    for (place, parameter, said) in [
        (
            at(0),
            TUNABLE,
            "marker \"pin\": position[0]: its program reads parameter \"damping\", which is tunable",
        ),
        (
            at(0),
            ParameterId(40),
            "marker \"pin\": position[0]: its program may read parameters only",
        ),
        (
            at(3),
            SIZE,
            "marker \"pin\": position[3]: the mechanism has no such number",
        ),
        (
            Place::Marker(MarkerId(77), MarkerNumber::Orientation(0, 1)),
            SIZE,
            "marker 77: orientation[0][1]: the mechanism has no such number",
        ),
        (
            bearing(JointNumber::Size),
            SIZE,
            "joint \"bearing\": size: the mechanism has no such number",
        ),
        (
            bearing(JointNumber::InitialAngle),
            SIZE,
            "joint \"bearing\": initial_angle: the mechanism has no such number",
        ),
    ] {
        let mut m = sized(1.0);
        follow(&mut m, place, parameter, 1.0);
        let message = Simulation::new(m.clone())
            .map(drop)
            .map_err(|e| e.to_string());
        let message = message.unwrap_err();
        assert!(message.starts_with(said), "{message}");
        let checked = check(&m).unwrap_err().to_string();
        assert!(checked.contains(said), "{checked}");
    }
    let twice = message(Place::Body(BodyId(1), BodyNumber::Position(2)), SIZE, -1.0);
    assert!(
        twice.contains("two programs are for this number"),
        "{twice}"
    );
    let no_number = message(at(1), SIZE, f64::NAN);
    assert_eq!(
        no_number,
        "marker \"pin\": position[1]: its program gives NaN; valid: a finite number"
    );
    let crooked = message(
        Place::Marker(pin, MarkerNumber::Orientation(0, 0)),
        SIZE,
        1.5,
    );
    assert!(
        crooked.contains("\"pin\": orientation is no rotation"),
        "{crooked}"
    );
}

#[test]
fn variables_and_time_are_no_parameters() {
    let mut m = sized(1.0);
    let leaf = m.leaves.len() - 1;
    m.leaves[leaf] = Leaf::Time { scale: 1.0 };
    let message = check(&m).unwrap_err().to_string();
    assert!(
        message.contains("its program may read parameters only"),
        "{message}"
    );
    m.derived.last_mut().unwrap().program.expr = ExprId(5000);
    let message = Simulation::new(m).map(drop).map_err(|e| e.to_string());
    let message = message.unwrap_err();
    assert!(
        message.contains("its program is expression 5000; there are "),
        "{message}"
    );
}

/// A bob on two threads from points three metres apart, of which one is as long as the parameter says.
fn threads(length: f64) -> Mechanism {
    let mut m = mechanism(
        length,
        r#"
        "point_masses": [{"name": "bob", "mass": "=mass", "position": [1.5, 0, -1.3]}],
        "markers": [
            {"name": "left", "part": "ground"},
            {"name": "right", "part": "ground", "position": [3, 0, 0]},
            {"name": "eye", "part": "bob"}
        ],
        "joints": [
            {"name": "thread", "type": "distance", "i": "eye", "j": "left", "length": 2},
            {"name": "cord", "type": "distance", "i": "eye", "j": "right", "length": 2}
        ]"#,
    );
    let size = Place::Joint(JointId(0), JointNumber::Size);
    follow(&mut m, size, SIZE, 1.0);
    m
}

#[test]
fn geometry_that_does_not_close_is_refused_and_the_former_stays() {
    let mut simulation = Simulation::new(threads(2.0)).unwrap();
    let fresh = bits(&mut simulation);
    let mut start_with = |length: f64| {
        simulation.set_parameter(SIZE, length).unwrap();
        let started = simulation.initialize(0.0).map_err(|e| e.to_string());
        (started, bits(&mut simulation))
    };
    let (refused, _) = start_with(0.5);
    let refused = refused.unwrap_err();
    assert!(refused.starts_with("with size = 0.5: "), "{refused}");
    assert!(
        refused.contains("thread") || refused.contains("cord"),
        "{refused}"
    );
    let (refused, _) = start_with(-1.0);
    assert_eq!(
        refused.unwrap_err(),
        "with size = -1: joint \"thread\": length is -1; valid: more than zero"
    );
    assert_eq!(start_with(2.0), (Ok(()), fresh.clone()));
    let (started, longer) = start_with(2.5);
    assert_eq!(started, Ok(()));
    assert_ne!(longer, fresh);
    assert_eq!(start_with(2.0), (Ok(()), fresh));
}

#[test]
fn constraints_that_are_redundant_stay_so() {
    // A rod on a ball joint; a point of it stays in a plane through the ball: that is nothing new of the ball's own
    // centre.
    let mut m = mechanism(
        0.0,
        r#"
        "parts": [{"name": "rod", "mass": "=mass", "position": [0, 0, -0.5],
                   "inertia": {"xx": 0.1, "yy": 0.1, "zz": 0.1}}],
        "markers": [
            {"name": "socket", "part": "ground"},
            {"name": "wall", "part": "ground", "orientation": {"z_point": [1, 0, 0], "x_point": [0, 1, 0]}},
            {"name": "ball", "part": "rod", "position": [0, 0, 0.5]},
            {"name": "point", "part": "rod", "position": [0, 0, 0.5]}
        ],
        "joints": [
            {"name": "hip", "type": "spherical", "i": "ball", "j": "socket"},
            {"name": "slot", "type": "in_plane", "i": "point", "j": "wall"}
        ]"#,
    );
    // At the ball for a size of 0.5.
    m.parameters[0].quantity.start = 0.5;
    let point = marker(&m, "point");
    let place = Place::Marker(point, MarkerNumber::Position(2));
    follow(&mut m, place, SIZE, 1.0);
    let mut simulation = Simulation::new(m).unwrap();
    let fresh = bits(&mut simulation);
    simulation.set_parameter(SIZE, -0.5).unwrap();
    let refused = simulation.initialize(0.0).unwrap_err().to_string();
    assert!(
        refused.starts_with(
            "with size = -0.5: other constraints are redundant than with the geometry before"
        ) && refused.contains("before: redundant constraint removed: joint \"slot\""),
        "{refused}"
    );
    simulation.set_parameter(SIZE, 0.5).unwrap();
    simulation.initialize(0.0).unwrap();
    assert_eq!(bits(&mut simulation), fresh);
}

#[test]
fn a_state_comes_back_with_its_own_geometry() {
    let mut simulation = Simulation::new(sized(1.0)).unwrap();
    simulation.set_parameter(SIZE, 2.0).unwrap();
    simulation.set_parameter(MASS, 3.0).unwrap();
    simulation.initialize(0.0).unwrap();
    run(&mut simulation, 50);
    let state = saved(&simulation);
    run(&mut simulation, 50);

    let mut other = Simulation::new(sized(1.0)).unwrap();
    let before = bits(&mut other);
    assert!(!other.suits(&state));
    other.restore(&state);
    assert_eq!(bits(&mut other), before);

    // With the geometry of the state, but another mass at the start: what is chosen there is the same.
    assert_eq!(other.follow_state(&state), Ok(true));
    assert!(other.suits(&state));
    assert_eq!(other.follow_state(&state), Ok(false));
    other.restore(&state);
    run(&mut other, 50);
    assert_eq!(bits(&mut other), bits(&mut simulation));
    // A state that is to be started gets its geometry there.
    let mut third = Simulation::new(sized(1.0)).unwrap();
    third.restore_to_start(&state);
    third.initialize(0.0).unwrap();
    simulation.initialize(0.0).unwrap();
    assert_eq!(bits(&mut third), bits(&mut simulation));
}

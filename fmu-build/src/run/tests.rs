//! Control plane: tests of the master with a slave that is made for them.
#![expect(clippy::unwrap_used, reason = "tests")]

use model_description::parse::description;

use super::input::{hold, interpolate};
use super::*;
use crate::slave::{Level, Value};

const XML: &str = r#"<?xml version="1.0"?>
<fmiModelDescription fmiVersion="3.0" modelName="sum" instantiationToken="t">
<CoSimulation modelIdentifier="sum"/>
<DefaultExperiment startTime="0" stopTime="1" stepSize="0.25"/>
<ModelVariables>
<Float64 name="time" valueReference="0" causality="independent" variability="continuous"/>
<Float64 name="u" valueReference="1" causality="input" variability="continuous" start="0"/>
<Float64 name="gain" valueReference="2" causality="parameter" variability="tunable" start="1"/>
<Int32 name="mode" valueReference="3" causality="input" variability="discrete" start="0"/>
<Float64 name="y" valueReference="4" causality="output" unit="mm"/>
<Float64 name="solver.residual" valueReference="5" causality="local"/>
<String name="phase" valueReference="6" causality="output"/>
<Binary name="frame" valueReference="7" causality="output"/>
<Clock name="tick" valueReference="8" causality="output" intervalVariability="triggered"/>
</ModelVariables><ModelStructure/></fmiModelDescription>"#;

/// y grows by H·gain·u each step; the run ends by itself at `end`.
struct Sum {
    description: Description,
    values: Vec<f64>,
    end: f64,
    calls: Vec<&'static str>,
}

impl Sum {
    fn new() -> Self {
        let description = description(XML).unwrap();
        Self {
            description,
            values: vec![0.0, 0.0, 1.0, 0.0, 0.0, 1e-9],
            end: 1e9,
            calls: Vec::new(),
        }
    }
}

impl Slave for Sum {
    fn description(&self) -> &Description {
        &self.description
    }

    fn set(&mut self, variable: usize, values: &[Value]) -> Result<(), Failure> {
        self.values[variable] = match &values[0] {
            Value::Real(value) => *value,
            Value::Integer(value) => *value as f64,
            other => return Err(Failure(format!("{other:?}"))),
        };
        Ok(())
    }

    fn read(&mut self, variable: usize, into: &mut Vec<f64>) -> Result<(), Failure> {
        into.push(self.values[variable]);
        Ok(())
    }

    fn read_text(&mut self, variable: usize, into: &mut Vec<String>) -> Result<(), Failure> {
        let name = &self.description.variables[variable].name;
        into.push(format!("{name} at {}", self.values[0]));
        Ok(())
    }

    fn enter_initialization(&mut self, start: f64, _stop: Option<f64>) -> Result<(), Failure> {
        self.calls.push("enter");
        self.values[0] = start;
        Ok(())
    }

    fn exit_initialization(&mut self) -> Result<(), Failure> {
        self.calls.push("exit");
        Ok(())
    }

    fn step(&mut self, time: f64, step: f64) -> Result<Advance, Failure> {
        if time >= self.end {
            return Ok(Advance::Ended { at: time });
        }
        self.values[4] += step * self.values[2] * self.values[1];
        self.values[0] = time + step;
        Ok(Advance::Done)
    }

    fn terminate(&mut self) -> Result<(), Failure> {
        self.calls.push("terminate");
        Ok(())
    }

    fn messages(&mut self) -> Vec<Message> {
        if self.values[0] < self.end {
            return Vec::new();
        }
        let text = "local error above MAXERR".to_owned();
        vec![Message {
            level: Level::Warning,
            category: String::new(),
            text,
        }]
    }
}

fn go(slave: &mut Sum, plan: &Plan) -> Result<Outcome, String> {
    run(slave, plan, &mut |_, _| {}).map_err(|Failure(text)| text)
}

#[test]
fn inputs_are_sampled_at_the_start_of_each_step() {
    let input = Table::parse("time,u\n0,0\n1,4\n").unwrap();
    let plan = Plan {
        input: Some(input),
        settings: vec![("gain".to_owned(), "2".to_owned())],
        record: vec!["solver.*".to_owned()],
        ..Plan::default()
    };
    let mut slave = Sum::new();
    let outcome = go(&mut slave, &plan).unwrap();
    assert_eq!(outcome.table.names, ["time", "y", "solver.residual"]);
    assert_eq!(outcome.units, ["s", "mm", ""]);
    assert_eq!(outcome.table.columns[0], [0.0, 0.25, 0.5, 0.75, 1.0]);
    // 0.25·2·(0, 1, 2, 3) summed up.
    assert_eq!(outcome.table.columns[1], [0.0, 0.0, 0.5, 1.5, 3.0]);
    assert_eq!(slave.calls, ["enter", "exit", "terminate"]);
}

#[test]
fn jumps_ends_and_steps_of_a_table() {
    let (grid, values) = ([0.0, 1.0, 1.0, 2.0], [0.0, 1.0, 5.0, 6.0]);
    let at = |time| interpolate(&grid, &values, time);
    assert_eq!(
        [at(-1.0), at(0.5), at(1.0), at(1.5), at(9.0)],
        [0.0, 0.5, 5.0, 5.5, 6.0]
    );
    let at = |time| hold(&grid, &values, time);
    assert_eq!([at(-1.0), at(0.5), at(1.0), at(9.0)], [0.0, 0.0, 5.0, 6.0]);
}

#[test]
fn communication_points_do_not_drift() {
    let times = Times::new(0.1, 1000.1, 1e-3).unwrap();
    assert_eq!(times.steps, 1_000_000);
    assert_eq!(times.at(700_000), 0.1 + 700_000.0 * 1e-3);
    // Not beyond the stop time.
    assert_eq!(Times::new(0.0, 1.0, 0.3).unwrap().steps, 3);
    assert_eq!(Times::new(0.0, 0.0, 0.3).unwrap().steps, 0);
    for (start, stop, step) in [
        (0.0, -1.0, 0.1),
        (0.0, 1.0, 0.0),
        (0.0, f64::NAN, 0.1),
        (0.0, 1.0, 1e-12),
    ] {
        assert!(
            Times::new(start, stop, step).is_err(),
            "{start} {stop} {step}"
        );
    }
}

#[test]
fn an_early_end_keeps_what_was_reached() {
    let mut slave = Sum::new();
    slave.end = 0.5;
    let outcome = go(&mut slave, &Plan::default()).unwrap();
    assert_eq!(
        outcome.ended,
        Some((0.5, "local error above MAXERR".to_owned()))
    );
    assert_eq!(outcome.table.rows(), 3);
    assert_eq!(slave.calls.last(), Some(&"terminate"));
}

#[test]
fn wrong_plans_are_explained() {
    let message = |plan: Plan| go(&mut Sum::new(), &plan).map(|_| ()).unwrap_err();
    let with_input = |text: &str| Plan {
        input: Some(Table::parse(text).unwrap()),
        ..Plan::default()
    };
    let setting = |name: &str, value: &str| Plan {
        settings: vec![(name.to_owned(), value.to_owned())],
        ..Plan::default()
    };
    assert!(message(setting("gian", "1")).contains("did you mean \"gain\"?"));
    assert!(message(setting("y", "1")).contains("is computed"));
    assert!(message(setting("gain", "one")).contains("is not a finite number"));
    assert!(message(with_input("t,u\n0,0\n")).contains("the first column must be \"time\""));
    assert!(message(with_input("time,u\n")).contains("no rows"));
    assert!(message(with_input("time,u\n1,0\n0,0\n")).contains("0 s follows 1 s"));
    assert!(message(with_input("time,v\n0,0\n")).contains("unknown variable \"v\""));
    assert!(message(with_input("time,y\n0,0\n")).contains("neither an input"));
    assert!(message(with_input("time,u\n0,NaN\n")).contains("must be finite"));
    let said = message(with_input("time,u,u\n0,0,1\n"));
    assert!(said.contains("column \"u\" is there twice"), "{said}");
    assert!(message(with_input("time\n0\n")).contains("\"time\" is the only column"));
    let long = Plan {
        step: Some(3.0),
        ..Plan::default()
    };
    assert!(message(long).contains("longer than the run from 0 s to 1 s"));
    let plan = Plan {
        record: vec!["rti.*".to_owned()],
        ..Plan::default()
    };
    assert!(message(plan).contains("no numeric variable begins with \"rti.\""));
}

#[test]
fn the_time_is_recorded_once() {
    for pattern in ["*", "time", "t*"] {
        let plan = Plan {
            record: vec![pattern.to_owned()],
            ..Plan::default()
        };
        let names = go(&mut Sum::new(), &plan).unwrap().table.names;
        let times = names.iter().filter(|name| *name == "time");
        assert_eq!(times.count(), 1, "{pattern}: {names:?}");
    }
}

#[test]
fn texts_are_recorded_and_bytes_on_request() {
    let plan = Plan {
        stop: Some(0.25),
        ..Plan::default()
    };
    let outcome = go(&mut Sum::new(), &plan).unwrap();
    let text = outcome.table.to_text();
    assert_eq!(
        text,
        "time,y,phase\n0,0,\"phase at 0\"\n0.25,0,\"phase at 0.25\"\n"
    );
    let left = |name: &str, kind| (name.to_owned(), kind);
    let (frame, tick) = (left("frame", Type::Binary), left("tick", Type::Clock));
    assert_eq!(outcome.left_out, [frame, tick.clone()]);
    let plan = Plan {
        record: ["frame", "phase", "f*"].map(str::to_owned).to_vec(),
        ..plan
    };
    // What a * stands for are numbers.
    let said = go(&mut Sum::new(), &plan).unwrap_err();
    assert!(
        said.contains("no numeric variable begins with \"f\""),
        "{said}"
    );
    let plan = Plan {
        record: ["frame", "phase"].map(str::to_owned).to_vec(),
        ..plan
    };
    let outcome = go(&mut Sum::new(), &plan).unwrap();
    let text = outcome.table.to_text();
    assert!(
        text.starts_with("time,y,phase,frame\n0,0,\"phase at 0\",\"frame at 0\"\n"),
        "{text}"
    );
    assert_eq!(outcome.left_out, [tick]);
    let plan = Plan {
        record: vec!["tick".to_owned()],
        ..Plan::default()
    };
    assert!(
        go(&mut Sum::new(), &plan)
            .unwrap_err()
            .contains("is a clock")
    );
}

/// Stop times far from zero are rounded, and their distance from the start with them.
#[test]
fn the_number_of_steps_is_that_of_the_times_as_written() {
    for (start, stop, step, steps) in [
        (1e6, 1e6 + 0.2, 1e-3, 200),
        (1e9, 1e9 + 0.2, 1e-3, 200),
        (-1e9, -1e9 + 0.2, 1e-3, 200),
        (1e9 - 0.1, 1e9 + 0.1, 1e-3, 200),
        (1e6 + 0.1, 1e6 + 0.7, 0.1, 6),
        (0.0, 1e6 + 0.2, 0.1, 10_000_002),
        (1e12, 1e12 + 1.0, 0.25, 4),
    ] {
        let times = Times::new(start, stop, step).unwrap();
        assert_eq!(times.steps, steps, "{start} to {stop} by {step}");
        assert_eq!(times.short(), None, "{start} to {stop} by {step}");
    }
    for (start, stop, step, steps) in [
        (1e6, 1e6 + 0.25, 0.1, 2),
        (1e9, 1e9 + 0.2999, 0.1, 2),
        (1e9, 1e9 + 0.1999, 1e-3, 199),
        (0.0, 0.9999, 1e-3, 999),
    ] {
        let times = Times::new(start, stop, step).unwrap();
        assert_eq!(times.steps, steps, "{start} to {stop} by {step}");
        assert_eq!(
            times.short(),
            Some(times.at(steps)),
            "{start} to {stop} by {step}"
        );
    }
}

#[test]
fn a_step_that_is_too_long_is_blamed_on_who_gave_it() {
    let message = |step: Option<f64>| {
        let plan = Plan {
            stop: Some(0.1),
            step,
            ..Plan::default()
        };
        go(&mut Sum::new(), &plan).unwrap_err()
    };
    let said = message(None);
    assert!(
        said.contains("step 0.25 s (the file's own; --step gives another)"),
        "{said}"
    );
    let said = message(Some(0.5));
    assert!(said.contains("step 0.5 s (--step)"), "{said}");
}

#[test]
fn times_are_told_in_few_digits() {
    let tiny = Times::new(0.0, 1.0, 5e-324).unwrap_err().0;
    assert!(tiny.contains("inf steps") && tiny.len() < 100, "{tiny}");
    let early = Times::new(5e-324, -1e300, 1.0).unwrap_err().0;
    assert_eq!(
        early,
        "stop time -1e300 s must not be before start time 5e-324 s"
    );
}

#[test]
fn the_last_communication_point_is_told_where_it_is_not_the_stop_time() {
    let short = |stop, step| Times::new(0.0, stop, step).unwrap().short();
    assert_eq!(short(4.0, 3.0), Some(3.0));
    for (stop, step) in [(4.0, 1.0), (0.3, 0.1), (1000.1, 1e-3), (0.0, 1.0)] {
        assert_eq!(short(stop, step), None, "{stop} {step}");
    }
}

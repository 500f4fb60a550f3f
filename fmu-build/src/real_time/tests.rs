//! Control plane: tests of the stopwatch with a slave of known speed.
#![expect(clippy::unwrap_used, reason = "tests")]

use model_description::parse::description;

use super::heading::shown_unit;
use super::*;
use crate::slave::{Level, Value};

const XML: &str = r#"<?xml version="1.0"?>
<fmiModelDescription fmiVersion="3.0" modelName="slow" instantiationToken="t" generationTool="tool">
<CoSimulation modelIdentifier="slow"/><DefaultExperiment stepSize="0.002"/>
<TypeDefinitions><EnumerationType name="I"><Item name="GSTIFF" value="1"/></EnumerationType>
<EnumerationType name="F"><Item name="I3" value="1"/></EnumerationType></TypeDefinitions>
<ModelVariables>
<Float64 name="time" valueReference="0" causality="independent" variability="continuous"/>
<Int32 name="solver.hratio" valueReference="1" causality="parameter" variability="fixed" start="2"/>
<Boolean name="rti.include_first_step" valueReference="4" causality="parameter" variability="fixed" start="false"/>
<Float64 name="rti.min" valueReference="5"/><Float64 name="rti.average" valueReference="6"/>
<Float64 name="rti.max" valueReference="7"/>
<Enumeration name="solver.integrator" valueReference="2" declaredType="I" causality="parameter" variability="fixed" start="1"/>
<Enumeration name="solver.formulation" valueReference="3" declaredType="F" causality="parameter" variability="fixed" start="1"/>
</ModelVariables><ModelStructure/></fmiModelDescription>"#;

/// Spins for `wall` in each step, and for three steps' time in steps 10 and 11.
struct Slow {
    description: Description,
    wall: Duration,
    steps: u64,
    end: u64,
    /// What it logs of real time.
    report: Option<String>,
}

impl Slow {
    fn new(wall: Duration) -> Self {
        Self {
            description: description(XML).unwrap(),
            wall,
            steps: 0,
            end: u64::MAX,
            report: None,
        }
    }
}

impl Slave for Slow {
    fn description(&self) -> &Description {
        &self.description
    }

    fn set(&mut self, _: usize, _: &[Value]) -> Result<(), Failure> {
        Ok(())
    }

    fn read(&mut self, variable: usize, into: &mut Vec<f64>) -> Result<(), Failure> {
        into.push(match self.description.variables[variable].name.as_str() {
            "rti.min" => 0.123_456_78,
            "rti.average" => 0.2,
            _ => 0.9,
        });
        Ok(())
    }

    fn enter_initialization(&mut self, _: f64, _: Option<f64>) -> Result<(), Failure> {
        Ok(())
    }

    fn exit_initialization(&mut self) -> Result<(), Failure> {
        Ok(())
    }

    fn step(&mut self, time: f64, step: f64) -> Result<Advance, Failure> {
        if self.steps == self.end {
            return Ok(Advance::Ended { at: time });
        }
        let slow = (10..12).contains(&self.steps);
        let wall = if slow {
            Duration::from_secs_f64(3.0 * step * clock(&self.description))
        } else {
            self.wall
        };
        self.steps += 1;
        let began = Instant::now();
        while began.elapsed() < wall {}
        Ok(Advance::Done)
    }

    fn terminate(&mut self) -> Result<(), Failure> {
        Ok(())
    }

    fn messages(&mut self) -> Vec<Message> {
        let report = self.report.take().into_iter();
        report
            .map(|text| Message {
                level: Level::Note,
                category: "logRealTime".to_owned(),
                text,
            })
            .collect()
    }
}

fn measured(wall_us: u64, pace: Pace) -> Measurement {
    let plan = Plan {
        duration: 0.1,
        ..Plan::default()
    };
    let mut slave = Slow::new(Duration::from_micros(wall_us));
    measure(&mut slave, &plan, pace, &mut |_| {}).unwrap()
}

#[test]
fn slow_steps_are_misses() {
    let free = measured(200, Pace::Free);
    assert_eq!(free.steps, 50);
    assert!(free.misses >= 2 && free.longest_run_of_misses >= 2);
    // 200 µs of 2 ms; a busy machine only makes it longer.
    assert!(free.rti.min >= 0.1 && free.rti.max >= 3.0, "{:?}", free.rti);
    assert_eq!(free.course.len(), 50);
}

#[test]
fn paced_steps_wait_for_the_clock() {
    let paced = measured(10, Pace::Paced);
    // The last of 50 steps begins 49 steps after the first.
    assert!(paced.wall_seconds >= 0.098, "{}", paced.wall_seconds);
    // Two steps of 6 ms in a row put the next 8 ms behind.
    assert!(
        paced.worst_delay_seconds >= 0.0079,
        "{}",
        paced.worst_delay_seconds
    );
}

#[test]
fn the_heading_tells_integrator_and_step() {
    let free = measured(10, Pace::Free);
    let text = free.report.to_string();
    assert!(
        text.contains("Integrator name : Fixed Step GSTIFF/I3"),
        "{text}"
    );
    assert!(text.contains("HRATIO : 2"), "{text}");
    // Two integration steps in each, which the FMU does not report.
    assert!(text.contains("Time step : 2.00000e-03 s"), "{text}");
    assert!(text.contains("Requested frequency : 500.00 Hz"), "{text}");
    assert!(
        text.contains("after the first communication step"),
        "{text}"
    );
    assert_eq!(free.judged, Judged::CommunicationStepsByTheCaller);
    assert_eq!((free.integration_steps, free.own_report), (2, None));
}

#[test]
fn one_integration_step_is_what_the_caller_sees() {
    let plan = Plan {
        duration: 0.05,
        step: Some(0.001),
        ..Plan::default()
    };
    let mut slave = Slow::new(Duration::from_micros(50));
    let free = measure(&mut slave, &plan, Pace::Free, &mut |_| {}).unwrap();
    assert_eq!(free.judged, Judged::IntegrationStepsByTheCaller);
    let text = free.report.to_string();
    assert!(text.contains("Time step : 1.00000e-03 s"), "{text}");
    assert!(text.contains("after the first integration step"), "{text}");
    assert_eq!((free.integration_steps, free.own_report), (1, None));
}

/// The communication steps are slow as a whole; only the FMU knows its integration steps.
#[test]
fn integration_steps_are_judged_where_the_fmu_times_them() {
    let report = "Real Time Index (RTI) statistics\n\
        Minimum RTI index : 0.12346 (333 Hz) (at time 2.000000e-02 s)\n\
        Average RTI index : 0.20000 (257 Hz)\n\
        Maximum RTI index : 0.90000 (166 Hz) (at time 3.000000e-02 s)\nNotes:\n\
        Percentiles of RTI : p50 0.15000, p99 0.22222, p99.9 0.33333, p99.99 0.44444, p99.999 0.90001\n\
        Deadline misses : 3 of 99 steps (longest run 2)";
    let plan = Plan {
        duration: 0.1,
        ..Plan::default()
    };
    let run = |report: &str| {
        let mut slave = Slow::new(Duration::from_micros(10));
        slave.report = Some(report.to_owned());
        measure(&mut slave, &plan, Pace::Free, &mut |_| {}).unwrap()
    };
    let free = run(report);
    assert_eq!(free.judged, Judged::IntegrationStepsByTheFmu);
    assert_eq!(
        (free.rti.min, free.rti.average, free.rti.max),
        (0.123_456_78, 0.2, 0.9)
    );
    let percentiles = [
        free.rti.p50,
        free.rti.p99,
        free.rti.p99_9,
        free.rti.p99_99,
        free.rti.p99_999,
    ];
    assert_eq!(percentiles, [0.15, 0.22222, 0.33333, 0.44444, 0.9]);
    assert_eq!((free.misses, free.longest_run_of_misses), (3, 2));
    assert_eq!(
        (free.rti.first, free.own_report.as_deref()),
        (None, Some(report))
    );
    // Around DoStep, two steps took three times the time that they simulate.
    let around = serde_json::to_value(&free).unwrap();
    assert!(around["report"]["misses"].as_u64() >= Some(2), "{around}");
    assert_eq!(around["judged"], "integration_steps_by_the_fmu");
    // What is no such report says nothing.
    let free = run(&report.replace("p99.99 ", "q "));
    assert_eq!(free.judged, Judged::CommunicationStepsByTheCaller);
}

#[test]
fn the_integration_step_is_that_of_the_experiment() {
    // Of 1 ms: an experiment of 2 ms and HRATIO 2.
    for (step, steps, h) in [
        (0.002, 2, 1e-3),
        (0.006, 6, 1e-3),
        (0.0025, 3, 0.0025 / 3.0),
    ] {
        let plan = Plan {
            duration: 0.05,
            step: Some(step),
            ..Plan::default()
        };
        let description = description(XML).unwrap();
        let times = plan.times(&description).unwrap();
        let (hratio, found) = division(&description, &[], &times);
        assert_eq!((hratio, found.steps), (Some(2), steps));
        assert!((found.h - h).abs() < 1e-15, "{}", found.h);
        let mut slave = Slow::new(Duration::from_micros(50));
        let free = measure(&mut slave, &plan, Pace::Free, &mut |_| {}).unwrap();
        assert!((free.report.step_seconds - step).abs() < 1e-15);
        assert!(free.rti.average >= 50e-6 / step);
    }
}

/// An FMU that proposes no step is run and measured with the same step.
#[test]
fn the_step_is_that_of_a_run() {
    let step = |from: &str, to: &str| {
        let description = description(&XML.replace(from, to)).unwrap();
        let plan = Plan {
            duration: 1.0,
            ..Plan::default()
        };
        let times = plan.times(&description).unwrap();
        assert_eq!(
            times.step,
            run::Plan::default().times(&description).unwrap().step
        );
        (times.step, times.steps)
    };
    assert_eq!(step("", ""), (0.002, 500));
    let none = "<DefaultExperiment stepSize=\"0.002\"/>";
    assert_eq!(step(none, ""), (0.001, 1000));
    let stop = "<DefaultExperiment startTime=\"2\" stopTime=\"12\"/>";
    assert_eq!(step(none, stop), (0.01, 100));
    let fixed = "modelIdentifier=\"slow\"";
    let same = format!("{fixed} fixedInternalStepSize=\"0.004\"");
    let text = format!("{fixed}/>{none}");
    assert_eq!(step(&text, &format!("{same}/>")), (0.004, 250));
}

#[test]
fn times_are_in_the_units_of_the_fmu() {
    let units = "<UnitDefinitions><Unit name=\"ms\"><BaseUnit s=\"1\" factor=\"0.001\"/></Unit>\
                 <Unit name=\"rad\"><BaseUnit rad=\"1\"/></Unit></UnitDefinitions><TypeDefinitions>";
    let with = |from: &str, to: &str| {
        let text = XML.replace("<TypeDefinitions>", units).replace(from, to);
        description(&text).unwrap()
    };
    let second = with("", "");
    assert_eq!(
        (clock(&second), shown_unit(&second)),
        (1.0, ("s".to_owned(), 1.0))
    );
    // A model in milliseconds: FMI counts in seconds, its settings do not.
    let hinit =
        "<Float64 name=\"solver.hinit\" valueReference=\"9\" unit=\"ms\"/></ModelVariables>";
    let model = with("</ModelVariables>", hinit);
    assert_eq!(
        (clock(&model), shown_unit(&model)),
        (1.0, ("ms".to_owned(), 1e-3))
    );
    // An FMU whose time is in milliseconds.
    let time = "variability=\"continuous\"/>";
    let other = with(time, "variability=\"continuous\" unit=\"ms\"/>");
    assert_eq!(
        (clock(&other), shown_unit(&other)),
        (1e-3, ("ms".to_owned(), 1e-3))
    );
    let angle = with(time, "variability=\"continuous\" unit=\"rad\"/>");
    assert_eq!(clock(&angle), 1.0);
    let mut slave = Slow::new(Duration::from_micros(500));
    slave.description = with(time, "variability=\"continuous\" unit=\"ms\"/>");
    let plan = Plan {
        duration: 0.1,
        step: Some(5.0),
        ..Plan::default()
    };
    let run = measure(&mut slave, &plan, Pace::Free, &mut |_| {}).unwrap();
    assert_eq!(run.steps, 20);
    let text = run.report.to_string();
    assert!(text.contains("Time units : ms (milliseconds)"), "{text}");
    assert!(
        text.contains("Time step : 5.00000e+00 ms (5.00000e-03 s)"),
        "{text}"
    );
    assert!(run.rti.min >= 0.1, "{:?}", run.rti);
}

#[test]
fn the_first_step_counts_where_it_is_asked_for() {
    let of = |settings: &[(&str, &str)]| {
        let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let plan = Plan {
            duration: 0.02,
            settings: settings.iter().map(own).collect(),
            ..Plan::default()
        };
        let mut slave = Slow::new(Duration::ZERO);
        let run = measure(&mut slave, &plan, Pace::Free, &mut |_| {}).unwrap();
        serde_json::to_value(&run).unwrap()["report"]["steps"]
            .as_u64()
            .unwrap()
    };
    let [without, with] = [of(&[]), of(&[("rti.include_first_step", "true")])];
    assert_eq!((without, with), (9, 10));
}

#[test]
fn an_end_is_told() {
    let plan = Plan {
        duration: 0.1,
        ..Plan::default()
    };
    let mut slave = Slow::new(Duration::ZERO);
    slave.end = 5;
    let run = measure(&mut slave, &plan, Pace::Free, &mut |_| {}).unwrap();
    assert_eq!(run.steps, 5);
    assert!(run.ended.unwrap().contains("ended at 0.01 s"));
}

#[test]
fn figures_have_the_names_that_limits_use() {
    let figures = measured(10, Pace::Free).rti;
    assert!(FIGURES.iter().all(|name| figures.by_name(name).is_some()));
    assert_eq!(figures.by_name("max"), Some(figures.max));
    let json = serde_json::to_value(figures).unwrap();
    assert!(FIGURES.iter().all(|name| json.get(name).is_some()));
}

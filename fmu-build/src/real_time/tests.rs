//! Control plane: tests of the stopwatch with a slave of known slowness.
#![expect(clippy::unwrap_used, reason = "tests")]

use model_description::parse::description;

use super::*;
use crate::slave::{Message, Value};

const XML: &str = r#"<?xml version="1.0"?>
<fmiModelDescription fmiVersion="3.0" modelName="slow" instantiationToken="t" generationTool="tool">
<CoSimulation modelIdentifier="slow"/><DefaultExperiment stepSize="0.002"/>
<TypeDefinitions><EnumerationType name="I"><Item name="GSTIFF" value="1"/></EnumerationType>
<EnumerationType name="F"><Item name="I3" value="1"/></EnumerationType></TypeDefinitions>
<ModelVariables>
<Float64 name="time" valueReference="0" causality="independent" variability="continuous"/>
<Int32 name="solver.hratio" valueReference="1" causality="parameter" variability="fixed" start="2"/>
<Boolean name="rti.include_first_step" valueReference="4" causality="parameter" variability="fixed" start="false"/>
<Enumeration name="solver.integrator" valueReference="2" declaredType="I" causality="parameter" variability="fixed" start="1"/>
<Enumeration name="solver.formulation" valueReference="3" declaredType="F" causality="parameter" variability="fixed" start="1"/>
</ModelVariables><ModelStructure/></fmiModelDescription>"#;

/// Spins for `wall` in each step, and for three steps' time in steps 10 and 11.
struct Slow {
    description: Description,
    wall: Duration,
    steps: u64,
    end: u64,
}

impl Slow {
    fn new(wall: Duration) -> Self {
        Self {
            description: description(XML).unwrap(),
            wall,
            steps: 0,
            end: u64::MAX,
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

    fn read(&mut self, _: usize, _: &mut Vec<f64>) -> Result<(), Failure> {
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
            Duration::from_secs_f64(3.0 * step)
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
        Vec::new()
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
fn the_heading_tells_integrator_and_integration_step() {
    let free = measured(10, Pace::Free);
    let text = free.report.to_string();
    assert!(
        text.contains("Integrator name : Fixed Step GSTIFF/I3"),
        "{text}"
    );
    assert!(text.contains("HRATIO : 2"), "{text}");
    assert!(text.contains("Time step : 1.00000e-03 s"), "{text}");
    assert!(text.contains("Requested frequency : 1000.00 Hz"), "{text}");
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
        assert_eq!((hratio, found.steps), (2, steps));
        assert!((found.h - h).abs() < 1e-15, "{}", found.h);
        let mut slave = Slow::new(Duration::from_micros(50));
        let free = measure(&mut slave, &plan, Pace::Free, &mut |_| {}).unwrap();
        assert!((free.report.step_seconds - h).abs() < 1e-15);
        assert!(free.rti.average >= 50e-6 / step);
    }
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

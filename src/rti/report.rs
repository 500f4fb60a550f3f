//! Control plane: the report of the Real Time Index as text and as JSON.
//!
//! Layout and number formats of the first part are fixed, since scripts read them.

use std::fmt::{self, Write as _};

use super::{Recorder, Sample, json};

/// The report's data about the run besides the figures.
#[derive(Clone, Debug)]
pub struct Heading {
    /// `Fixed Step GSTIFF/I3`.
    pub integrator: String,
    /// Name of the user's time unit, such as `s`.
    pub time_unit: String,
    /// Seconds per time unit.
    pub time_factor: f64,
    /// Integration steps in a step of the experiment.
    pub hratio: u32,
    /// Integration step \[s\].
    pub step: f64,
    /// The timed unit: `integration step`, or `communication step` if the caller sees no more.
    pub kind: &'static str,
}

/// The report; prints as text.
#[derive(Clone, Debug)]
pub struct Report {
    /// `Fixed Step GSTIFF/I3`.
    pub integrator: String,
    /// Name of the user's time unit.
    pub time_unit: String,
    /// Integration steps in a step of the experiment.
    pub hratio: u32,
    /// Integration step in the user's time unit.
    pub step: f64,
    /// Integration step \[s\].
    pub step_seconds: f64,
    /// The timed unit.
    pub kind: &'static str,
    /// 1/h.
    pub requested_hz: f64,
    /// Steps in the statistics.
    pub steps: u64,
    /// Is the first step among them?
    pub first_included: bool,
    /// The first step.
    pub first: Option<Line>,
    /// The fastest step.
    pub min: Option<Line>,
    /// The average, without a time.
    pub average: Option<Line>,
    /// The slowest step.
    pub max: Option<Line>,
    /// Percentiles.
    pub percentiles: Option<Percentiles>,
    /// Steps with an RTI above 1.
    pub misses: u64,
    /// Longest run of consecutive misses.
    pub longest_run_of_misses: u64,
    /// Did the clock ever show zero time for a step?
    pub zero_rti_seen: bool,
    /// The distribution: `[from, to, count]` of each bucket that is not empty.
    pub histogram: Vec<(f64, f64, u64)>,
}

/// One figure of the report.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    /// Real Time Index.
    pub rti: f64,
    /// Inverse of the wall time of a step, whole hertz, truncated; `None`: no time was measured.
    pub hz: Option<u64>,
    /// Simulation time in the user's unit.
    pub time: Option<f64>,
}

/// Percentiles of the RTI.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Percentiles {
    /// 50 %.
    pub p50: f64,
    /// 99 %.
    pub p99: f64,
    /// 99.9 %.
    pub p99_9: f64,
    /// 99.99 %.
    pub p99_99: f64,
    /// 99.999 %.
    pub p99_999: f64,
}

impl Report {
    /// Gathers the figures.
    pub fn new(recorder: &Recorder, heading: Heading) -> Self {
        let line = |sample: Sample| Line {
            rti: sample.rti,
            hz: hertz(sample.wall),
            time: Some(sample.time / heading.time_factor),
        };
        let average = (recorder.count() > 0).then(|| Line {
            rti: recorder.average(),
            hz: hertz(recorder.average_wall()),
            time: None,
        });
        let buckets = recorder.histogram().buckets();
        Self {
            first: recorder.first().map(line),
            min: recorder.min().map(line),
            average,
            max: recorder.max().map(line),
            percentiles: percentiles(recorder),
            hratio: heading.hratio,
            step: heading.step / heading.time_factor,
            step_seconds: heading.step,
            kind: heading.kind,
            requested_hz: 1.0 / heading.step,
            steps: recorder.count(),
            first_included: recorder.includes_first(),
            misses: recorder.misses(),
            longest_run_of_misses: recorder.longest_run(),
            zero_rti_seen: recorder.zero_seen(),
            histogram: buckets.map(|b| (b.from, b.to, b.count)).collect(),
            integrator: heading.integrator,
            time_unit: heading.time_unit,
        }
    }

    /// The report as one JSON object.
    pub fn to_json(&self) -> String {
        json::report(self)
    }
}

fn percentiles(recorder: &Recorder) -> Option<Percentiles> {
    Some(Percentiles {
        p50: recorder.percentile(50_000)?,
        p99: recorder.percentile(99_000)?,
        p99_9: recorder.percentile(99_900)?,
        p99_99: recorder.percentile(99_990)?,
        p99_999: recorder.percentile(99_999)?,
    })
}

/// Whole hertz, truncated: a step of 6.0001 ms runs at 166 Hz, not at 167.
fn hertz(wall: f64) -> Option<u64> {
    (wall > 0.0).then(|| (1.0 / wall) as u64)
}

/// `%.{digits}e` of C: at least two digits of exponent, always with a sign.
fn scientific(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$e}");
    let Some((mantissa, exponent)) = text.split_once('e') else {
        return text;
    };
    let (sign, magnitude) = match exponent.strip_prefix('-') {
        Some(magnitude) => ('-', magnitude),
        None => ('+', exponent),
    };
    format!("{mantissa}e{sign}{magnitude:0>2}")
}

/// The unit's name in full, for the heading.
fn unit_in_full(unit: &str) -> Option<&'static str> {
    Some(match unit {
        "s" => "seconds",
        "ms" => "milliseconds",
        "us" => "microseconds",
        "min" => "minutes",
        "h" => "hours",
        _ => return None,
    })
}

impl Report {
    fn write_heading(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dashes = "--------------------------------";
        writeln!(out, "{dashes}\nReal Time Index (RTI) statistics\n{dashes}")?;
        writeln!(out, "Integrator name : {}", self.integrator)?;
        write!(out, "Time units : {}", self.time_unit)?;
        match unit_in_full(&self.time_unit) {
            Some(name) => writeln!(out, " ({name})")?,
            None => out.write_char('\n')?,
        }
        writeln!(out, "HRATIO : {}", self.hratio)?;
        let step = scientific(self.step, 5);
        write!(out, "Time step : {step} {}", self.time_unit)?;
        if self.step != self.step_seconds {
            write!(out, " ({} s)", scientific(self.step_seconds, 5))?;
        }
        writeln!(out, "\nRequested frequency : {:.2} Hz", self.requested_hz)
    }

    fn write_line(
        &self,
        out: &mut fmt::Formatter<'_>,
        name: &str,
        line: Option<Line>,
    ) -> fmt::Result {
        let Some(line) = line else {
            return writeln!(out, "{name} RTI index : none (no step was counted)");
        };
        write!(out, "{name} RTI index : {:.5}", line.rti)?;
        match line.hz {
            Some(hz) => write!(out, " ({hz} Hz)")?,
            None => write!(out, " (inf Hz)")?,
        }
        if let Some(time) = line.time {
            write!(out, " (at time {} {})", scientific(time, 6), self.time_unit)?;
        }
        out.write_char('\n')
    }

    fn write_notes(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "Notes:")?;
        let first = if self.first_included {
            "include"
        } else {
            "are computed after"
        };
        writeln!(
            out,
            "1. minimum, average and maximum {first} the first {}",
            self.kind
        )?;
        write!(
            out,
            "2. the frequency is the inverse of the wall time in seconds of one whole step"
        )?;
        if self.zero_rti_seen {
            write!(
                out,
                "\n3. a zero RTI was seen: granularity of the operating system's clock"
            )?;
        }
        Ok(())
    }

    fn write_tail(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(p) = self.percentiles {
            write!(
                out,
                "\nPercentiles of RTI : p50 {:.5}, p99 {:.5}, p99.9 {:.5}, p99.99 {:.5}, p99.999 {:.5}",
                p.p50, p.p99, p.p99_9, p.p99_99, p.p99_999
            )?;
        }
        write!(
            out,
            "\nDeadline misses : {} of {} steps (longest run {})",
            self.misses, self.steps, self.longest_run_of_misses
        )
    }
}

impl fmt::Display for Report {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_heading(out)?;
        if self.first_included {
            self.write_line(out, "First", self.first)?;
        }
        self.write_line(out, "Minimum", self.min)?;
        self.write_line(out, "Average", self.average)?;
        self.write_line(out, "Maximum", self.max)?;
        self.write_notes(out)?;
        self.write_tail(out)
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn heading() -> Heading {
        Heading {
            integrator: "Fixed Step GSTIFF/I3".to_owned(),
            time_unit: "s".to_owned(),
            time_factor: 1.0,
            hratio: 2,
            step: 0.01,
            kind: "integration step",
        }
    }

    /// Steps whose minimum, average and maximum are those of the reference layout.
    fn sample() -> Recorder {
        let mut recorder = Recorder::new(false);
        recorder.record(20_000_000, 0.01, 0.01);
        recorder.record(2_999_900, 0.01, 0.02);
        recorder.record(6_000_100, 0.01, 0.03);
        recorder.record(3_267_600, 0.01, 0.04);
        recorder.record(3_267_600, 0.01, 0.05);
        recorder
    }

    #[test]
    fn the_layout_is_the_one_that_scripts_read() {
        let expected = "\
--------------------------------
Real Time Index (RTI) statistics
--------------------------------
Integrator name : Fixed Step GSTIFF/I3
Time units : s (seconds)
HRATIO : 2
Time step : 1.00000e-02 s
Requested frequency : 100.00 Hz
Minimum RTI index : 0.29999 (333 Hz) (at time 2.000000e-02 s)
Average RTI index : 0.38838 (257 Hz)
Maximum RTI index : 0.60001 (166 Hz) (at time 3.000000e-02 s)
Notes:
1. minimum, average and maximum are computed after the first integration step
2. the frequency is the inverse of the wall time in seconds of one whole step
";
        let report = Report::new(&sample(), heading()).to_string();
        let notes = report.find("Percentiles").unwrap();
        assert_eq!(&report[..notes], expected);
        assert!(report.ends_with("\nDeadline misses : 0 of 4 steps (longest run 0)"));
    }

    #[test]
    fn frequencies_are_truncated() {
        assert_eq!(hertz(0.60001 * 0.01), Some(166));
        assert_eq!(hertz(0.38838 * 0.01), Some(257));
        assert_eq!(hertz(0.29999 * 0.01), Some(333));
        assert_eq!(hertz(0.0), None);
    }

    #[test]
    fn a_zero_rti_is_noted_and_divides_nothing() {
        let mut recorder = sample();
        recorder.record(0, 0.01, 0.06);
        let report = Report::new(&recorder, heading()).to_string();
        assert!(report.contains("Minimum RTI index : 0.00000 (inf Hz) (at time 6.000000e-02 s)\n"));
        assert!(
            report
                .contains("\n3. a zero RTI was seen: granularity of the operating system's clock")
        );
        let plain = Report::new(&sample(), heading()).to_string();
        assert!(!plain.contains("3. a zero RTI"));
    }

    #[test]
    fn other_time_units_show_seconds_too() {
        let heading = Heading {
            time_unit: "ms".to_owned(),
            time_factor: 1e-3,
            ..heading()
        };
        let report = Report::new(&sample(), heading).to_string();
        assert!(report.contains("Time units : ms (milliseconds)\n"));
        assert!(report.contains("Time step : 1.00000e+01 ms (1.00000e-02 s)\n"));
        assert!(report.contains("Requested frequency : 100.00 Hz\n"));
        assert!(report.contains("(at time 3.000000e+01 ms)\n"));
    }

    #[test]
    fn numbers_look_as_c_prints_them() {
        assert_eq!(scientific(0.01, 5), "1.00000e-02");
        assert_eq!(scientific(0.0, 6), "0.000000e+00");
        assert_eq!(scientific(1.0e120, 5), "1.00000e+120");
        assert_eq!(scientific(-2.5e-7, 2), "-2.50e-07");
    }

    #[test]
    fn the_first_step_is_shown_when_it_counts() {
        let mut recorder = Recorder::new(true);
        recorder.record(20_000_000, 0.01, 0.01);
        let report = Report::new(&recorder, heading()).to_string();
        assert!(report.contains("First RTI index : 2.00000 (50 Hz) (at time 1.000000e-02 s)\n"));
        assert!(report.contains("1. minimum, average and maximum include the first"));
        assert!(report.ends_with("Deadline misses : 1 of 1 steps (longest run 1)"));
    }

    #[test]
    fn a_run_without_steps_has_a_report() {
        let report = Report::new(&Recorder::new(false), heading());
        assert!(
            report
                .to_string()
                .contains("Minimum RTI index : none (no step was counted)\n")
        );
        assert!(report.to_json().contains("\"min\":null"));
    }

    #[test]
    fn json_carries_the_same_figures() {
        let json = Report::new(&sample(), heading()).to_json();
        let value: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(value["steps"], 4);
        assert_eq!(value["max"]["hz"], 166);
        assert_eq!(value["max"]["time"], 0.03);
        assert_eq!(value["requested_hz"], 100.0);
        assert_eq!(value["percentiles"]["p99.999"], value["max"]["rti"]);
        let counted: u64 = value["histogram"]
            .as_array()
            .unwrap()
            .iter()
            .map(|bucket| bucket[2].as_u64().unwrap())
            .sum();
        assert_eq!(counted, 4);
    }
}

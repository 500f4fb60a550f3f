//! The performance goals of the kernel, compared with the measurements. Control plane.

use super::chart::digits;
use super::lines::Lines;

/// The noise loop on the machine to which the times of the goals refer \[ns\]: a dependent multiplication and
/// addition, four cycles of 0.283 ns each.
pub(super) const REFERENCE: f64 = 2.26;

/// Times of programs that are built from source, measured once on the reference machine, together with Exudyn.
/// Exudyn, which is measured in both places, converts them to this machine.
struct Elsewhere {
    case: &'static str,
    /// The way in which Exudyn runs, whether an iteration is meant, its time there \[µs\].
    how: &'static str,
    iteration: bool,
    exudyn: f64,
    /// Programs with the range of their times there \[µs\].
    others: &'static [(&'static str, f64, f64)],
}

const ELSEWHERE: [Elsewhere; 4] = [
    Elsewhere {
        case: "chain 40",
        how: "full Newton",
        iteration: true,
        exudyn: 800.0,
        others: &[("Chrono", 265.0, 265.0), ("MBDyn", 251.0, 411.0)],
    },
    Elsewhere {
        case: "chain 40",
        how: "modified Newton",
        iteration: false,
        exudyn: 413.0,
        others: &[
            ("Chrono, one factorisation", 349.0, 349.0),
            ("MBDyn, one iteration", 251.0, 411.0),
        ],
    },
    Elsewhere {
        case: "vehicle",
        how: "full Newton, tolerance 1e-9",
        iteration: true,
        exudyn: 1285.0,
        others: &[("Chrono", 1490.0, 1490.0), ("MBDyn", 640.0, 670.0)],
    },
    Elsewhere {
        case: "vehicle",
        how: "modified Newton, tolerance 1e-9",
        iteration: false,
        exudyn: 690.0,
        others: &[
            ("Chrono, one factorisation", 4710.0, 4710.0),
            ("MBDyn, one iteration", 660.0, 660.0),
        ],
    },
];

/// Whether a goal is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Verdict {
    Missed,
    Must,
    Aim,
}

/// Judges a number that should be small.
fn judge(value: f64, [must, aim]: [f64; 2]) -> Verdict {
    if value <= aim {
        Verdict::Aim
    } else if value <= must {
        Verdict::Must
    } else {
        Verdict::Missed
    }
}

/// Judges a ratio that should be large.
fn judge_ratio(ratio: f64, [must, aim]: [f64; 2]) -> Verdict {
    judge(1.0 / ratio, [1.0 / must, 1.0 / aim])
}

/// A row of the table.
struct Row {
    goal: String,
    must: String,
    aim: String,
    measured: String,
    ratios: String,
    /// The judged goals, and their verdicts.
    verdicts: Vec<(&'static str, Verdict)>,
}

impl Row {
    fn new(goal: &str, must: &str, aim: &str) -> Self {
        Self {
            goal: goal.to_owned(),
            must: must.to_owned(),
            aim: aim.to_owned(),
            measured: String::new(),
            ratios: String::new(),
            verdicts: Vec::new(),
        }
    }

    /// A ratio to a peer of this run, which counts if there are bounds.
    fn ratio(&mut self, peer: &str, ratio: Option<f64>, bounds: Option<[f64; 2]>) {
        let Some(ratio) = ratio else { return };
        self.add_words(&format!("{peer} {}×", digits(ratio)));
        let judged = bounds.map(|bounds| ("ratio", judge_ratio(ratio, bounds)));
        self.verdicts.extend(judged);
    }

    fn add_words(&mut self, words: &str) {
        if !self.ratios.is_empty() {
            self.ratios += ", ";
        }
        self.ratios += words;
    }

    fn line(&self) -> String {
        let words = |verdict: Verdict| match verdict {
            Verdict::Aim => "aim",
            Verdict::Must => "must",
            Verdict::Missed => "**missed**",
        };
        let verdict = match self.verdicts.as_slice() {
            [] => "not measured".to_owned(),
            [(_, first), rest @ ..] if rest.iter().all(|(_, other)| other == first) => {
                words(*first).to_owned()
            }
            all => {
                let each = all
                    .iter()
                    .map(|(what, verdict)| format!("{what}: {}", words(*verdict)));
                each.collect::<Vec<_>>().join(", ")
            }
        };
        let Self {
            goal,
            must,
            aim,
            measured,
            ratios,
            ..
        } = self;
        format!("| {goal} | {must} | {aim} | {measured} | {ratios} | {verdict} |\n")
    }
}

/// A kind of our own work: median over rounds, the same at the speed of the reference machine, and the goal.
pub(super) struct Ours {
    /// \[µs\]
    pub(super) us: f64,
    scaled: f64,
    /// Residual of motion \[N, N m\].
    pub(super) residual: Option<f64>,
    /// Violation of the constraints \[m, rad\].
    violation: Option<f64>,
}

impl Ours {
    pub(super) fn of(lines: &Lines, case: &str, work: &str) -> Option<Self> {
        let lines = lines.of(&[("case", case), ("work", work)]);
        let us = lines.median("us")?;
        Some(Self {
            us,
            scaled: us * REFERENCE / lines.median("noise_ns")?,
            residual: lines.median("residual"),
            violation: lines.median("violation"),
        })
    }

    fn words(&self) -> String {
        let residual = self
            .residual
            .map(|r| format!("; residual {r:.0e} N"))
            .unwrap_or_default();
        format!(
            "{} µs, {} µs at the reference clock{residual}",
            digits(self.us),
            digits(self.scaled)
        )
    }
}

/// A peer's time \[µs\], of a full iteration or of a step.
pub(super) fn peer(
    lines: &Lines,
    case: &str,
    program: &str,
    how: &str,
    iteration: bool,
) -> Option<f64> {
    let lines = lines.of(&[("case", case), ("peer", program), ("how", how)]);
    let us = lines.median("us")?;
    if iteration {
        Some(us / lines.median("iterations")?)
    } else {
        Some(us)
    }
}

/// Adds what is carried over from elsewhere to a row.
fn add_converted(row: &mut Row, lines: &Lines, ours: f64, case: &str, iteration: bool) {
    let fits = |e: &&Elsewhere| e.case == case && e.iteration == iteration;
    for elsewhere in ELSEWHERE.iter().filter(fits) {
        let Some(here) = peer(lines, case, "Exudyn", elsewhere.how, iteration) else {
            continue;
        };
        for (name, low, high) in elsewhere.others {
            let ratio = |there: f64| digits(there / elsewhere.exudyn * here / ours);
            let range = if low == high {
                ratio(*low)
            } else {
                format!("{}–{}", ratio(*low), ratio(*high))
            };
            row.add_words(&format!("*{name} {range}×*"));
        }
    }
}

/// The cheapest step of ours whose residual and violation are not above a peer's.
pub(super) fn equal(lines: &Lines, case: &str, program: &str, how: &str) -> Option<(String, Ours)> {
    let peers = lines.of(&[("case", case), ("peer", program), ("how", how)]);
    let (residual, violation) = (peers.median("residual")?, peers.median("violation")?);
    // Residuals that are both at rounding count as equal.
    let floor = 1e-14;
    (1..=3).find_map(|fixit| {
        let work = format!("step {fixit}");
        let ours = Ours::of(lines, case, &work)?;
        let fine = ours.residual? <= residual && ours.violation? <= violation.max(floor);
        fine.then(|| (format!("FIXIT {fixit}"), ours))
    })
}

fn iteration(
    lines: &Lines,
    name: &str,
    case: &str,
    how: &str,
    [time, ratio]: [[f64; 2]; 2],
    words: [&str; 2],
) -> Row {
    let mut row = Row::new(
        &format!("{name}, one full Newton iteration"),
        words[0],
        words[1],
    );
    let Some(ours) = Ours::of(lines, case, "iteration") else {
        return row;
    };
    let residual = Ours::of(lines, case, "full 2").and_then(|full| full.residual);
    let reached = residual
        .map(|r| format!("; residual after two iterations {r:.0e} N"))
        .unwrap_or_default();
    row.measured = ours.words() + &reached;
    row.verdicts.push(("time", judge(ours.scaled, time)));
    let exudyn = peer(lines, case, "Exudyn", how, true);
    row.ratio("Exudyn", exudyn.map(|us| us / ours.us), Some(ratio));
    add_converted(&mut row, lines, ours.us, case, true);
    row
}

fn step(lines: &Lines, goal: &str, case: &str, bounds: [f64; 2], words: [&str; 2]) -> Row {
    let mut row = Row::new(goal, words[0], words[1]);
    let Some(ours) = Ours::of(lines, case, "step 2") else {
        return row;
    };
    row.measured = ours.words();
    row.verdicts.push(("time", judge(ours.scaled, bounds)));
    for (how, name) in [
        ("full Newton", "Exudyn full"),
        ("one Jacobian a step", "one Jacobian"),
        ("modified Newton", "modified"),
    ] {
        let exact = peer(lines, case, "Exudyn", how, false);
        let fine = || {
            peer(
                lines,
                case,
                "Exudyn",
                &format!("{how}, tolerance 1e-9"),
                false,
            )
        };
        row.ratio(name, exact.or_else(fine).map(|us| us / ours.us), None);
    }
    row
}

fn users(lines: &Lines, case: &str, how: &str, bounds: [f64; 2]) -> Row {
    let [must, aim] = bounds.map(|bound| format!("{bound}×"));
    let mut row = Row::new(
        &format!("{case}, a step with usual settings, at equal residual"),
        &must,
        &aim,
    );
    let Some((work, ours)) = equal(lines, case, "Exudyn", how) else {
        return row;
    };
    row.measured = format!("{work}: {}", ours.words());
    let exudyn = peer(lines, case, "Exudyn", how, false);
    row.ratio(
        &format!("Exudyn, {how},"),
        exudyn.map(|us| us / ours.us),
        Some(bounds),
    );
    add_converted(&mut row, lines, ours.us, case, false);
    row
}

/// Rows that compare steps.
fn others(lines: &Lines) -> Vec<Row> {
    let mut rows = Vec::new();
    let ours = |case: &str| Ours::of(lines, case, "step 2");
    let mut row = Row::new(
        "chain of 40, FIXIT 2 step over one ABA call of Pinocchio",
        "≤ 8×",
        "≤ 4×",
    );
    let aba = lines
        .of(&[("case", "chain 40"), ("peer", "Pinocchio")])
        .median("aba_us");
    if let (Some(ours), Some(aba)) = (ours("chain 40"), aba) {
        row.measured = format!(
            "{}× (the call takes {} µs)",
            digits(ours.us / aba),
            digits(aba)
        );
        row.verdicts
            .push(("time", judge(ours.us / aba, [8.0, 4.0])));
    }
    rows.push(row);
    let mut row = Row::new(
        "time of a step with 400 links over that with 40",
        "",
        "≤ 11",
    );
    if let (Some(long), Some(short)) = (ours("chain 400"), ours("chain 40")) {
        row.measured = digits(long.us / short.us);
        row.verdicts
            .push(("time", judge(long.us / short.us, [11.0, 11.0])));
    }
    rows.push(row);
    rows.extend(interface(lines));
    rows
}

/// Rows about the C interface and the library.
fn interface(lines: &Lines) -> Vec<Row> {
    let mut rows = Vec::new();
    let interface = lines.of(&[("case", "interface")]);
    let mut row = Row::new(
        "time of `fmi3DoStep`, reading 30 outputs and setting 6 inputs, without the solver's step",
        "≤ 3 µs",
        "≤ 1 µs",
    );
    if let (Some(us), Some(noise)) = (
        interface.median("overhead_us"),
        interface.median("noise_ns"),
    ) {
        let (whole, own) = (interface.median("us"), interface.median("solver_us"));
        let of = |x: Option<f64>| digits(x.unwrap_or(f64::NAN));
        row.measured = format!("{} µs ({} − {})", digits(us), of(whole), of(own));
        row.verdicts
            .push(("time", judge(us * REFERENCE / noise, [3.0, 1.0])));
    }
    rows.push(row);
    let loading = lines.of(&[("case", "loading")]);
    let mut row = Row::new(
        "load, instantiate and initialise the vehicle",
        "≤ 150 ms",
        "≤ 40 ms",
    );
    if let (Some(first), Some(noise)) = (loading.median("first_ms"), loading.median("noise_ns")) {
        let again = loading.median("again_ms").unwrap_or(f64::NAN);
        row.measured = format!(
            "{} ms for the first instance of a process, {} ms for the next",
            digits(first),
            digits(again)
        );
        row.verdicts
            .push(("time", judge(first * REFERENCE / noise, [150.0, 40.0])));
    }
    rows.push(row);
    let mut row = Row::new("size of the shared library", "≤ 4 MB", "≤ 1.5 MB");
    if let Some(bytes) = lines.of(&[("case", "library")]).median("bytes") {
        row.measured = format!("{} MB", digits(bytes * 1e-6));
        row.verdicts.push(("time", judge(bytes, [4e6, 1.5e6])));
    }
    rows.push(row);
    rows
}

/// The table of goals.
pub(super) fn table(lines: &Lines) -> String {
    let chain = [[45.0, 20.0], [17.0, 38.0]];
    let car = [[130.0, 50.0], [9.5, 25.0]];
    let mut rows = vec![
        iteration(
            lines,
            "chain of 40",
            "chain 40",
            "full Newton",
            chain,
            [
                "45 µs, Exudyn 17×, Chrono 6×, MBDyn 6–9×",
                "20 µs, 38×, 13×, 13–20×",
            ],
        ),
        step(
            lines,
            "chain of 400, FIXIT 2 step",
            "chain 400",
            [1000.0, 500.0],
            ["1 ms", "0.5 ms"],
        ),
        step(
            lines,
            "Andrews' squeezer in space, FIXIT 2 step",
            "andrews",
            [12.0, 7.0],
            ["12 µs", "7 µs"],
        ),
        iteration(
            lines,
            "passive vehicle",
            "vehicle",
            "full Newton, tolerance 1e-9",
            car,
            [
                "130 µs, Exudyn 9.5×, Chrono 11×, MBDyn 5×",
                "50 µs, 25×, 30×, 13×",
            ],
        ),
        step(
            lines,
            "passive vehicle, FIXIT 2 step at 1 kHz",
            "vehicle",
            [200.0, 70.0],
            ["RTI 0.20", "RTI 0.07"],
        ),
        users(lines, "chain 40", "modified Newton", [4.0, 8.0]),
        users(
            lines,
            "vehicle",
            "modified Newton, tolerance 1e-9",
            [2.0, 4.0],
        ),
        users(
            lines,
            "vehicle",
            "modified Newton, tolerance 1e-5",
            [2.0, 4.0],
        ),
    ];
    rows.extend(others(lines));
    let head = "| goal | must | aim | measured | ratios in the same run | reached |\n|---|---|---|---|---|---|\n";
    head.to_owned() + &rows.iter().map(Row::line).collect::<String>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured() -> Lines {
        let mut lines = Lines::default();
        let own = r#""case": "chain 40", "noise_ns": 2.26, "violation": 1e-16"#;
        lines.add(own, r#"{"work": "iteration", "us": 40}"#);
        lines.add(own, r#"{"work": "step 1", "us": 50, "residual": 1e-3}"#);
        lines.add(own, r#"{"work": "step 2", "us": 80, "residual": 1e-9}"#);
        let exudyn = r#""case": "chain 40", "peer": "Exudyn", "iterations": 2, "residual": 1e-8, "violation": 1e-12"#;
        lines.add(exudyn, r#"{"how": "full Newton", "us": 1600}"#);
        lines.add(exudyn, r#"{"how": "modified Newton", "us": 800}"#);
        lines
    }

    #[test]
    fn goals_are_judged_part_by_part() {
        let table = table(&measured());
        let rows: Vec<&str> = table.lines().skip(2).collect();
        assert!(
            rows[0].contains("Exudyn 20.0×") && rows[0].ends_with("| must |"),
            "{}",
            rows[0]
        );
        assert!(rows[0].contains("*Chrono 6.62×*"), "{}", rows[0]);
        assert!(
            rows[5].contains("FIXIT 2") && rows[5].ends_with("| aim |"),
            "{}",
            rows[5]
        );
        assert!(rows[1].ends_with("| not measured |"), "{}", rows[1]);
        assert_eq!(judge(5.0, [4.0, 2.0]), Verdict::Missed);
        assert_eq!(judge_ratio(5.0, [4.0, 8.0]), Verdict::Must);
    }
}

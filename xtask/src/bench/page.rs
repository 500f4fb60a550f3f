//! The page of benchmarks and its figures. Control plane.
//!
//! The text above the mark is written by hand; everything below it is generated.

use std::fs;

use super::chart::{self, Curve, Group, Kind, Panel, digits};
use super::goals::{self, Ours, REFERENCE, equal};
use super::growth::{self, SERIES};
use super::lines::{Line, Lines};
use super::{CASES, figure, peers, put, rti};
use crate::shell::{self, Result, unusable};

/// Where what is kept by hand ends.
const MARK: &str = "<!-- What follows is written by `cargo xtask bench`. -->";

/// Writes page and figures.
pub(super) fn write(lines: &Lines) -> Result<()> {
    let path = shell::root().join("docs/benchmarks.md");
    let old = fs::read_to_string(&path).map_err(unusable(&path))?;
    let (kept, _) = old
        .split_once(MARK)
        .ok_or_else(|| format!("{}: the line `{MARK}` is missing", path.display()))?;
    let curves = curves(lines);
    put(&figure("bench-peers.svg"), &bars(lines))?;
    put(&figure("bench-chain.svg"), &chains(lines))?;
    put(&figure("bench-growth.svg"), &growths(&curves))?;
    let sections = [
        machine(lines),
        "## Goals\n\n".to_owned() + GOALS + &goals::table(lines),
        "## Our steps\n\n".to_owned() + OURS + &own(lines),
        "## Beside other programs\n\n".to_owned() + PEERS + &beside(lines),
        "## Growth\n\n".to_owned() + GROWTH + &growth_table(&curves),
        format!(
            "## Real Time Index of the examples\n\n{}{}",
            rti::heading(),
            rti::table(lines)
        ),
    ];
    put(&path, &format!("{kept}{MARK}\n\n{}", sections.join("\n")))
}

const GOALS: &str = "\
Each time is given as measured and converted to the reference clock, by the ratio of the two noise loops. The converted
time decides whether a goal is reached. *Slanted* ratios are converted from another machine with the times of Exudyn on
both (see above); they do not count for the goals.

";
const OURS: &str = "\
Times are the median over all rounds of the median of each run. The spread is the difference between the slowest and
the fastest round, relative to the median. The residual is that of the equations of motion at accepted states [N, N m],
the violation that of the constraints [m, rad]; both are medians over the run. The last column is the time of a FIXIT 2
step, in thousands of turns of the noise loop.

";
const PEERS: &str = "\
![Time of a step](figures/bench-peers.svg)

![Time of a step over the length of the chain](figures/bench-chain.svg)

The time *per iteration* is given if every iteration evaluates a Jacobian. Residual and violation are those after the
program's last iteration. *Apart* is the distance of the program's final position from ours with FIXIT 3; it shows the
difference between the integrators and between the modes. *Ours, equal* is our cheapest step with no more residual and
violation than the program's step, and the ratio is the program's time over that.

";
const GROWTH: &str = "\
![Instructions of a step over what a model has](figures/bench-growth.svg)

The table gives the instructions of a communication step of the packed binary, counted by callgrind. Sizes double from
one model to the next, and the exponent is that of the increments, so that the constant part of a step does not lower
it. `cargo xtask test` fails if an exponent exceeds the claim by more than 0.1.

";

/// Time and machine of the run, and the other programs.
fn machine(lines: &Lines) -> String {
    let begin = lines.of(&[("run", "begin")]);
    let end = lines.of(&[("run", "end")]);
    let noise = lines.median("noise_ns").unwrap_or(f64::NAN);
    let rounds = match lines
        .of(&[("case", CASES[0]), ("work", "iteration")])
        .iter()
        .count()
    {
        1 => "One round".to_owned(),
        n => format!("{n} rounds"),
    };
    let missing = lines.of(&[("run", "no peers")]);
    let peers = match missing.text("why") {
        Some(reason) => format!("The other programs could not be installed: {reason}."),
        None => format!("Other programs: {}.", peers::versions()),
    };
    format!(
        "## This run

{rounds} on {}, with all programs on its last core. The load was {} at the beginning and {} at the end; above
1, other programs ran at the same time and affected caches and clock. The median time of the noise loop was {noise:.2} ns
a turn (spread {:.0} %); it is {REFERENCE} ns on the reference machine. {peers}
",
        begin.text("machine").unwrap_or("an unknown machine"),
        begin.text("load").unwrap_or("?"),
        end.text("load").unwrap_or("?"),
        100.0 * lines.spread("noise_ns").unwrap_or(f64::NAN),
    )
}

fn small(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), |x| format!("{x:.0e}"))
}

/// The table of our steps.
fn own(lines: &Lines) -> String {
    let mut table = "| case | full iteration [µs] | spread | FIXIT 1 [µs] | residual | FIXIT 2 [µs] | spread | residual | \
                     violation | FIXIT 3 [µs] | residual | FIXIT 2 / 1000 noise |\n"
        .to_owned()
        + "|"
        + &"---|".repeat(12)
        + "\n";
    for case in CASES {
        let of = |work: &str| lines.of(&[("case", case), ("work", work)]);
        let time = |work: &str| of(work).median("us").map_or_else(|| "–".to_owned(), digits);
        let spread =
            |work: &str| format!("{:.0} %", 100.0 * of(work).spread("us").unwrap_or(f64::NAN));
        let residual = |work: &str| small(of(work).median("residual"));
        let two = of("step 2");
        let cells = [
            case.to_owned(),
            time("iteration"),
            spread("iteration"),
            time("step 1"),
            residual("step 1"),
            time("step 2"),
            spread("step 2"),
            residual("step 2"),
            small(two.median("violation")),
            time("step 3"),
            residual("step 3"),
            two.median("us")
                .zip(two.median("noise_ns"))
                .map_or_else(|| "–".to_owned(), |(us, noise)| digits(us / noise)),
        ];
        table = table + "| " + &cells.join(" | ") + " |\n";
    }
    table
}

/// Largest distance of two probes \[m\], by their first three numbers.
fn distance(ours: Option<&str>, theirs: Option<&str>) -> Option<f64> {
    let numbers = |text: Option<&str>| -> Option<Vec<f64>> {
        let words = text?.split_whitespace().take(3);
        words.map(|word| word.parse().ok()).collect()
    };
    let (ours, theirs) = (numbers(ours)?, numbers(theirs)?);
    let pairs = ours.iter().zip(&theirs).map(|(a, b)| (a - b).abs());
    Some(pairs.fold(0.0, f64::max))
}

/// Tables of peers by case.
fn beside(lines: &Lines) -> String {
    let mut text = String::new();
    for case in CASES {
        let peers = lines.of(&[("case", case)]);
        let mut seen: Vec<(String, String)> = Vec::new();
        for line in peers.iter() {
            if let (Some(peer), Some(how)) = (line.text("peer"), line.text("how")) {
                let key = (peer.to_owned(), how.to_owned());
                if !seen.contains(&key) {
                    seen.push(key);
                }
            }
        }
        if seen.is_empty() {
            continue;
        }
        text = text
            + "### "
            + case
            + "\n\n| program | how | step [µs] | spread | iterations | Jacobians | per iteration [µs] | residual | violation | \
               apart [m] | ours, equal | ratio |\n|"
            + &"---|".repeat(12)
            + "\n";
        for (program, how) in seen {
            text += &peer_row(lines, case, &program, &how);
        }
        text += "\n";
    }
    text
}

fn peer_row(lines: &Lines, case: &str, program: &str, how: &str) -> String {
    let all = lines.of(&[("case", case), ("peer", program), ("how", how)]);
    let Some(us) = all.median("us") else {
        let why = all.text("error").unwrap_or("no result");
        return format!("| {program} | {how} | {why} |{}\n", " |".repeat(9));
    };
    let three = lines.of(&[("case", case), ("work", "step 3")]);
    let count = |key: &str| {
        all.median(key)
            .map_or_else(|| "–".to_owned(), |n| format!("{n:.1}"))
    };
    let full = how
        .starts_with("full")
        .then(|| goals::peer(lines, case, program, how, true))
        .flatten();
    let (work, ratio) = match equal(lines, case, program, how) {
        Some((work, ours)) => (
            format!("{work}: {} µs", digits(ours.us)),
            digits(us / ours.us) + "×",
        ),
        None => ("–".to_owned(), "–".to_owned()),
    };
    let cells = [
        program.to_owned(),
        how.to_owned(),
        digits(us),
        format!("{:.0} %", 100.0 * all.spread("us").unwrap_or(f64::NAN)),
        count("iterations"),
        count("jacobians"),
        full.map_or_else(|| "–".to_owned(), digits),
        small(all.median("residual")),
        small(all.median("violation")),
        small(distance(three.text("probe"), all.text("probe"))),
        work,
        ratio,
    ];
    "| ".to_owned() + &cells.join(" | ") + " |\n"
}

/// Bars of steps by case, ours first.
fn bars(lines: &Lines) -> String {
    let titles = [
        ("chain 40", "chain of 40 links"),
        ("chain 400", "chain of 400 links"),
        ("andrews", "Andrews' squeezer in space"),
        ("vehicle", "passive vehicle, 42 bodies"),
        ("slider-crank 16", "slider-crank, rod with 16 modes"),
        ("slider-crank 46", "slider-crank, rod with 46 modes"),
    ];
    let groups = titles.map(|(case, title)| {
        let mut bars = Vec::new();
        if let Some(ours) = Ours::of(lines, case, "step 2") {
            bars.push((
                "Fixstep, FIXIT 2, one Jacobian".to_owned(),
                Kind::Ours,
                ours.us,
            ));
        }
        for peer in peers::all().iter().filter(|peer| peer.case == case) {
            let us = goals::peer(lines, case, peer.program, &peer.how, false);
            let kind = if peer.program == "Exudyn" {
                Kind::Same
            } else {
                Kind::Other
            };
            bars.extend(us.map(|us| (format!("{}, {}", peer.program, peer.how), kind, us)));
        }
        Group {
            title: title.to_owned(),
            bars,
        }
    });
    let label = "logarithmic; orange: the same equations, grey: other equations (joint angles, soft loops); residuals are in the tables";
    chart::bars("Time of a step", label, "µs", &groups)
}

/// Time of a step over links.
fn chains(lines: &Lines) -> String {
    let links = ["chain 1", "chain 10", "chain 40", "chain 100", "chain 400"];
    let length = |case: &str| case.trim_start_matches("chain ").parse().unwrap_or(1.0);
    let curve = |name: &str, of: &dyn Fn(&str) -> Option<f64>| Curve {
        name: name.to_owned(),
        points: links
            .iter()
            .filter_map(|case| Some((length(case), of(case)?)))
            .collect(),
    };
    let mut curves = vec![curve("Fixstep, FIXIT 2", &|case| {
        Ours::of(lines, case, "step 2").map(|ours| ours.us)
    })];
    let shown = [
        ("Exudyn", "full Newton"),
        ("Exudyn", "modified Newton"),
        ("MuJoCo", "tree of hinges, Euler"),
        ("MuJoCo", "free bodies, soft hinges, implicitfast"),
        ("Pinocchio", "ABA, symplectic Euler"),
    ];
    for (program, how) in shown {
        let name = format!("{program}, {}", how.split(',').next().unwrap_or(how));
        curves.push(curve(&name, &|case| {
            goals::peer(lines, case, program, how, false)
        }));
    }
    curves.retain(|curve| !curve.points.is_empty());
    let panel = Panel {
        logarithmic: true,
        title: String::new(),
        x_label: "links".to_owned(),
        curves,
    };
    chart::panels(
        "Time of a step over the length of the chain",
        "µs",
        &[panel],
        1,
    )
}

/// The counts of each series.
fn curves(lines: &Lines) -> Vec<growth::Curve> {
    let point = |line: &Line| Some((line.number("size")? as usize, line.number("instructions")?));
    let of = |name: &str| {
        lines
            .of(&[("growth", name)])
            .iter()
            .filter_map(point)
            .collect()
    };
    let curves = SERIES.iter().map(|series| growth::Curve {
        series,
        points: of(series.name),
    });
    curves.collect()
}

fn growths(curves: &[growth::Curve]) -> String {
    let panels: Vec<Panel> = curves
        .iter()
        .filter(|curve| !curve.points.is_empty())
        .map(|curve| Panel {
            logarithmic: false,
            title: format!("{}: exponent {:.2}", curve.series.name, curve.exponent()),
            x_label: curve.series.name.to_owned(),
            curves: vec![Curve {
                name: String::new(),
                points: curve
                    .points
                    .iter()
                    .map(|(n, y)| (*n as f64, *y * 1e-6))
                    .collect(),
            }],
        })
        .collect();
    if panels.is_empty() {
        return chart::panels("Growth was not counted", "", &[], 3);
    }
    chart::panels("Growth of a step", "million instructions", &panels, 3)
}

fn growth_table(curves: &[growth::Curve]) -> String {
    let mut table = "| count | models | sizes | instructions of a step | for one more | exponent | claim |\n|---|---|---|---|---|---|---|\n".to_owned();
    for curve in curves.iter().filter(|curve| !curve.points.is_empty()) {
        let list = |of: &dyn Fn(&(usize, f64)) -> String| {
            curve.points.iter().map(of).collect::<Vec<_>>().join(", ")
        };
        let cells = [
            curve.series.name.to_owned(),
            curve.series.models.to_owned(),
            list(&|point| point.0.to_string()),
            list(&|point| format!("{:.0}", point.1)),
            format!("{:.0}", curve.each()),
            format!(
                "{:.2}{}",
                curve.exponent(),
                if curve.holds() { "" } else { " **above**" }
            ),
            format!("≤ {}", curve.series.claim),
        ];
        table = table + "| " + &cells.join(" | ") + " |\n";
    }
    table
}

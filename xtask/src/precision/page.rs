//! The page of error against work. Control plane.
//!
//! The text above the mark is written by hand; everything below it is generated.

use std::fmt::Write as _;
use std::fs;

use super::chart::{self, Curve};
use super::scripts;
use crate::bench::chart::digits;
use crate::bench::lines::{Line, Lines};
use crate::linux;
use crate::shell::{self, Result, unusable};

const MARK: &str = "<!-- What follows is written by `cargo xtask precision`. -->";

/// Our runs begin with this name.
const OURS: &str = "Fixstep";
/// Methods whose steps have stages.
const ONE_STEP: [&str; 3] = ["SciPy Radau", "SciPy DOP853", "MuJoCo, Runge-Kutta 4"];
/// Kinds of work: key of a line, axis of the figure.
const WORKS: [(&str, &str); 3] = [
    ("steps", "steps"),
    ("evaluations", "evaluations"),
    ("seconds", "seconds"),
];
/// Errors of the tables.
const ERRORS: [(f64, &str); 3] = [(1e-3, "10⁻³"), (1e-6, "10⁻⁶"), (1e-8, "10⁻⁸")];
/// The error at which programs are compared on a problem that gives no other.
const COMPARED: f64 = 1e-6;

/// The runs of a program on a problem, from coarse to fine.
struct Program {
    name: String,
    lines: Vec<Line>,
}

impl Program {
    /// Work and error of all runs.
    fn points(&self, work: &str) -> Vec<(f64, f64)> {
        let point = |line: &Line| {
            let (x, y) = (line.number(work)?, line.number("error")?);
            (x > 0.0 && y > 0.0).then_some((x, y))
        };
        self.lines.iter().filter_map(point).collect()
    }

    /// The least work that reaches an error: between two neighbouring runs on a straight line of logarithms.
    fn needs(&self, work: &str, error: f64) -> Option<f64> {
        let points = self.points(work);
        let mut least: Option<f64> = None;
        let mut take = |x: f64| least = Some(least.map_or(x, |known| known.min(x)));
        for (x, _) in points.iter().filter(|point| point.1 <= error) {
            take(*x);
        }
        for pair in points.windows(2) {
            let [(x0, y0), (x1, y1)] = [pair[0], pair[1]];
            if y0 > error && error >= y1 {
                let share = (y0 / error).log2() / (y0 / y1).log2();
                take(x0 * ((x1 / x0).log2() * share).exp2());
            }
        }
        least
    }

    fn is_ours(&self) -> bool {
        self.name.starts_with(OURS)
    }
}

/// A problem with all that ran on it.
struct Problem {
    name: String,
    title: String,
    reference: String,
    /// The error at which programs are compared.
    compared: f64,
    programs: Vec<Program>,
}

/// In the order of the measurements.
fn problems(lines: &Lines) -> Vec<Problem> {
    let mut all: Vec<Problem> = Vec::new();
    for line in lines.iter() {
        let (Some(name), Some(title)) = (line.text("problem"), line.text("title")) else {
            continue;
        };
        let mut programs: Vec<Program> = Vec::new();
        for run in lines.of(&[("problem", name)]).iter() {
            let Some(program) = run.text("program") else {
                continue;
            };
            match programs.iter_mut().find(|known| known.name == program) {
                Some(known) => known.lines.push(run.clone()),
                None => programs.push(Program {
                    name: program.to_owned(),
                    lines: vec![run.clone()],
                }),
            }
        }
        all.push(Problem {
            name: name.to_owned(),
            title: title.to_owned(),
            reference: line.text("reference").unwrap_or_default().to_owned(),
            compared: line.number("compared").unwrap_or(COMPARED),
            programs,
        });
    }
    all
}

/// Writes page and figures.
pub(super) fn write(lines: &Lines) -> Result<()> {
    let path = shell::root().join("docs/work-precision.md");
    let old = fs::read_to_string(&path).map_err(unusable(&path))?;
    let (kept, _) = old
        .split_once(MARK)
        .ok_or_else(|| format!("{}: the line `{MARK}` is missing", path.display()))?;
    let all = problems(lines);
    let mut page = format!(
        "{kept}{MARK}\n\n## This run\n\n{}. {}.\n\n",
        linux::processor(),
        versions()?
    );
    page += &summary(&all);
    for problem in &all {
        let name = format!("work-precision-{}.svg", problem.name.replace('_', "-"));
        let file = shell::root().join("docs/figures").join(&name);
        fs::write(&file, figure(problem)).map_err(unusable(&file))?;
        page += &section(problem, &name);
    }
    fs::write(&path, page.trim_end().to_owned() + "\n").map_err(unusable(&path))
}

/// The other programs, as they are installed.
fn versions() -> Result<String> {
    let list = scripts().join("requirements.txt");
    let text = fs::read_to_string(&list).map_err(unusable(&list))?;
    let lines: Vec<String> = { text.lines() }
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.replace("==", " "))
        .collect();
    Ok(lines.join(", ") + ", SUNDIALS of the system's packages")
}

fn figure(problem: &Problem) -> String {
    let axes = WORKS.map(|(_, axis)| axis);
    let curves: Vec<Curve> = { problem.programs.iter() }
        .map(|program| Curve {
            name: program.name.clone(),
            points: WORKS.map(|(work, _)| program.points(work)).to_vec(),
        })
        .collect();
    let title = format!("{}: error against work", problem.title);
    chart::figure(&title, &axes, &curves)
}

/// A number of steps, or milliseconds.
fn shown(work: &str, value: Option<f64>) -> String {
    match value {
        None => "–".to_owned(),
        Some(value) if work == "seconds" => digits(1e3 * value),
        Some(value) => format!("{value:.0}"),
    }
}

/// All three kinds of work of the run that is best by one of them.
fn works(program: &Program, error: f64) -> String {
    let each = WORKS.map(|(work, _)| shown(work, program.needs(work, error)));
    each.join(" · ")
}

/// The program that needs least of a kind of work.
fn best<'a>(
    programs: impl Iterator<Item = &'a Program>,
    (work, error): (&str, f64),
) -> Option<(&'a Program, f64)> {
    programs
        .filter_map(|program| Some((program, program.needs(work, error)?)))
        .min_by(|a, b| a.1.total_cmp(&b.1))
}

/// A power of ten.
fn tenth(error: f64) -> String {
    let digits = format!("{:.0}", error.log2() / 10_f64.log2());
    let raised = |c: char| match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        _ => char::from_u32(0x2070 + c.to_digit(10).unwrap_or(0)).unwrap_or(c),
    };
    format!("10{}", digits.chars().map(raised).collect::<String>())
}

/// Every problem at one error.
fn summary(all: &[Problem]) -> String {
    let mut text = String::from(
        "## At one error\n\nSteps · evaluations · milliseconds, interpolated between runs. *Ours* is the integrator of \
         Fixstep with the least time, *IDA* solves the same kind of equations. The last column names what is less \
         elsewhere, and where. The error is 10⁻⁶, or what both reach.\n\n| problem | error | ours | | IDA | less elsewhere |\n|---|---|---|---|---|---|\n",
    );
    for problem in all {
        let ours = || problem.programs.iter().filter(|program| program.is_ours());
        let others = || problem.programs.iter().filter(|program| !program.is_ours());
        let error = problem.compared;
        let own = best(ours(), ("seconds", error)).map(|found| found.0);
        let ida = others().find(|program| program.name.starts_with("IDA"));
        let mut less = Vec::new();
        for (work, _) in WORKS {
            // A step of a Runge-Kutta method is another thing.
            let alike = others()
                .filter(|other| work != "steps" || !ONE_STEP.contains(&other.name.as_str()));
            let (mine, theirs) = (best(ours(), (work, error)), best(alike, (work, error)));
            let Some((other, theirs)) = theirs else {
                continue;
            };
            if mine.is_none_or(|(_, mine)| theirs < mine) {
                let unit = if work == "seconds" { "ms" } else { work };
                less.push(format!(
                    "{} {unit}: {}",
                    shown(work, Some(theirs)),
                    other.name
                ));
            }
        }
        let cell =
            |program: Option<&Program>| program.map_or("–".to_owned(), |p| works(p, error));
        let name = own.map_or("not reached", |own| {
            own.name.trim_start_matches(OURS).trim()
        });
        let less = if less.is_empty() {
            "–".to_owned()
        } else {
            less.join("; ")
        };
        let _ = writeln!(
            text,
            "| {} | {} | {name} | {} | {} | {less} |",
            problem.title,
            tenth(error),
            cell(own),
            cell(ida)
        );
    }
    text + "\n"
}

/// A problem's figure and table.
fn section(problem: &Problem, figure: &str) -> String {
    let mut text = format!(
        "## {}\n\n{}\n\n![{}](figures/{figure})\n\n| program | {} | rejected, Jacobians at the finest |\n|---|{}---|\n",
        problem.title,
        problem.reference,
        problem.title,
        ERRORS
            .map(|(_, words)| format!("error {words}"))
            .join(" | "),
        "---|".repeat(ERRORS.len())
    );
    for program in &problem.programs {
        let cells = ERRORS.map(|(error, _)| works(program, error)).join(" | ");
        let last = program.lines.last();
        let count = |key: &str| {
            last.and_then(|line| line.number(key))
                .map_or("–".to_owned(), |number| format!("{number:.0}"))
        };
        let _ = writeln!(
            text,
            "| {} | {cells} | {}, {} |",
            program.name,
            count("rejected"),
            count("jacobians")
        );
    }
    text + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_at_an_error_lies_between_two_runs() {
        let mut lines = Lines::default();
        for (error, steps) in [(1e-2, 10), (1e-4, 100), (1e-6, 1000)] {
            let line = format!("{{\"program\": \"a\", \"error\": {error}, \"steps\": {steps}}}");
            lines.add("\"problem\": \"p\"", &line);
        }
        let program = Program {
            name: "a".into(),
            lines: lines.iter().cloned().collect(),
        };
        let near = |error, wanted: f64| {
            let found = program.needs("steps", error);
            found.is_some_and(|steps| (steps - wanted).abs() < 1e-9)
        };
        assert!(near(1e-3, 1000_f64.sqrt()) && near(1e-4, 100.0));
        assert_eq!(program.needs("steps", 1e-7), None);
    }
}

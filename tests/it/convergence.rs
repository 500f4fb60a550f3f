//! Error against step size of every reference case under every scheme: measured, held to the order that
//! theory promises column by column, and written to `docs/convergence.md`.
//!
//! Refresh the page with `FIXSTEP_BLESS=1 cargo test -p fixstep --test it convergence`.

pub(crate) mod plot;

use crate::harness::{Table, json};
use crate::truth::{CASES, Columns, check_for, columns, model_of, pick, run, wanted_rows};
use serde_json::Value;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// A scheme as [`run`] takes it, its name for people, its order.
pub(crate) const SCHEMES: [(&str, &str, f64); 6] = [
    ("GSTIFF", "GSTIFF/I3", 1.0),
    ("GSTIFF/SI2", "GSTIFF/SI2", 1.0),
    ("NEWMARK", "NEWMARK", 1.0),
    ("HHT", "HHT", 2.0),
    ("GENALPHA", "GENALPHA", 2.0),
    ("HHT+linear", "HHT, linearly implicit", 2.0),
];

/// Errors below this, relative to a column's scale, are the reference's or rounding's.
const FLOOR: f64 = 1e-8;

/// One case under one scheme: per step size, the error of each column relative to its scale.
struct Run {
    errors: Vec<Vec<f64>>,
}

/// One case.
struct Case {
    title: String,
    steps: Vec<f64>,
    columns: Vec<String>,
    /// Does a force jump within steps? Then every scheme is of first order.
    jumps: bool,
    runs: Vec<Run>,
}

impl Run {
    /// Largest error over the columns, per step size.
    fn worst(&self) -> Vec<f64> {
        let largest = |row: &Vec<f64>| row.iter().copied().fold(0.0, f64::max);
        self.errors.iter().map(largest).collect()
    }

    /// The errors of one column, per step size.
    fn column(&self, k: usize) -> Vec<f64> {
        self.errors.iter().map(|row| row[k]).collect()
    }
}

/// Order from the two finest steps, by the halving between them; `None` where rounding decides.
fn order(errors: &[f64]) -> Option<f64> {
    let [.., coarse, fine] = errors else {
        return None;
    };
    (*fine > FLOOR).then(|| (coarse / fine).log2())
}

fn measure((folder, file): (&str, &str)) -> Case {
    let check = json(&format!("{folder}/{file}"));
    let table = Table::read(&format!(
        "{folder}/{}",
        check["reference"].as_str().unwrap()
    ));
    let names: Vec<(String, f64)> = columns(&check, "columns");
    let number = |value: &Value| value.as_f64().unwrap();
    let mut steps: Vec<f64> = check["steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(number)
        .collect();
    steps.insert(0, 2.0 * steps[0]);
    let model = model_of(folder, &check);
    let runs = SCHEMES.map(|(scheme, _, _)| {
        let wanted = wanted_rows(&check_for(folder, file, scheme), &table);
        let times: Vec<f64> = wanted.iter().map(|row| row[0]).collect();
        let reference = pick(&check, &table, &wanted, &names);
        let under = |h: &f64| {
            let got = run((&model, scheme), &names, &times, *h);
            errors(&got, &reference, &names)
        };
        Run {
            errors: steps.iter().map(under).collect(),
        }
    });
    let suffix = file.trim_start_matches("check").trim_end_matches(".json");
    Case {
        title: format!("{folder}{suffix}"),
        steps,
        columns: names.into_iter().map(|(name, _)| name).collect(),
        jumps: check["jumps"].as_bool().unwrap_or(false),
        runs: runs.into(),
    }
}

/// Largest scaled difference of each column over all rows.
fn errors(got: &[Vec<f64>], reference: &[Vec<f64>], names: &Columns) -> Vec<f64> {
    let of = |k: usize, scale: f64| {
        let pairs = got.iter().zip(reference);
        let all = pairs.map(|(x, y)| (x[k] - y[k]).abs() / scale);
        all.fold(0.0, f64::max)
    };
    let scales = names.iter().enumerate();
    scales.map(|(k, (_, scale))| of(k, *scale)).collect()
}

/// `1.2e-3` as `1.2·10⁻³`.
fn scientific(x: f64) -> String {
    let text = format!("{x:.1e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let digits: String = exponent
        .chars()
        .map(|c| match c {
            '-' => '⁻',
            digit => "⁰¹²³⁴⁵⁶⁷⁸⁹"
                .chars()
                .nth(digit.to_digit(10).unwrap_or(0) as usize)
                .unwrap_or('⁰'),
        })
        .collect();
    format!("{mantissa}·10{digits}")
}

fn shown(order: Option<f64>) -> String {
    order.map_or_else(|| "–".to_owned(), |order| format!("{order:.2}"))
}

fn milliseconds(h: f64) -> String {
    // Steps are short decimal numbers: six digits tell them apart from their rounding.
    let text = format!("{:.6}", h * 1e3);
    format!("{} ms", text.trim_end_matches('0').trim_end_matches('.'))
}

/// The page.
fn page(cases: &[Case]) -> String {
    let mut page = String::from(
        "# Error against step size\n\n\
         Every case of `tests/truth` with a reference trajectory runs with every integrator, at steps that are halved\n\
         several times. The error is the largest difference from the reference over the whole run, for positions,\n\
         velocities and reactions, each relative to the scale of its kind. The references come from other sources. A\n\
         test generates this page and compares it with new results:\n\n\
         ```sh\nFIXSTEP_BLESS=1 cargo test -p fixstep --test it convergence\n```\n\n\
         ![Error against step size](figures/convergence.svg)\n\n\
         ## Orders\n\n\
         The order is that of the largest error, from the last two steps.\n\n| case |",
    );
    for (_, name, _) in SCHEMES {
        let _ = write!(page, " {name} |");
    }
    page += "\n|---|";
    page += &"---|".repeat(SCHEMES.len());
    page += "\n| *theory* |";
    for (_, _, order) in SCHEMES {
        let _ = write!(page, " *{order}* |");
    }
    page.push('\n');
    for case in cases {
        let _ = write!(page, "| {} |", case.title);
        for run in &case.runs {
            let _ = write!(page, " {} |", shown(order(&run.worst())));
        }
        page.push('\n');
    }
    page += "\n–: the error is smaller than that of the reference.\n";
    for case in cases.iter().filter(|case| case.jumps) {
        let title = &case.title;
        let _ = writeln!(
            page,
            "\n{title}: a force jumps within steps, so every integrator has order 1."
        );
    }
    page += "\n## Errors\n";
    for case in cases {
        let _ = write!(page, "\n### {}\n\n| h |", case.title);
        for (_, name, _) in SCHEMES {
            let _ = write!(page, " {name} |");
        }
        page += "\n|---|";
        page += &"---|".repeat(SCHEMES.len());
        page.push('\n');
        for (k, h) in case.steps.iter().enumerate() {
            let _ = write!(page, "| {} |", milliseconds(*h));
            for run in &case.runs {
                let _ = write!(page, " {} |", scientific(run.worst()[k]));
            }
            page.push('\n');
        }
        page += "\nOrder of each quantity:\n\n| quantity |";
        page += &SCHEMES.map(|(_, name, _)| format!(" {name} |")).concat();
        page += "\n|---|";
        page += &"---|".repeat(SCHEMES.len());
        page.push('\n');
        for (k, column) in case.columns.iter().enumerate() {
            let _ = write!(page, "| `{column}` |");
            for run in &case.runs {
                let _ = write!(page, " {} |", shown(order(&run.column(k))));
            }
            page.push('\n');
        }
    }
    page
}

/// A file of the documentation against what it should hold; with `FIXSTEP_BLESS` it is written.
pub(crate) fn hold(path: &Path, text: &str) -> bool {
    if std::env::var_os("FIXSTEP_BLESS").is_some() {
        std::fs::write(path, text).unwrap();
    }
    std::fs::read_to_string(path).is_ok_and(|found| found == text)
}

#[test]
fn every_quantity_of_every_case_converges_as_its_scheme_promises() {
    let cases: Vec<Case> = std::thread::scope(|scope| {
        let threads: Vec<_> = CASES
            .iter()
            .map(|case| scope.spawn(|| measure(*case)))
            .collect();
        threads.into_iter().map(|t| t.join().unwrap()).collect()
    });
    let mut broken = Vec::new();
    for case in &cases {
        for ((_, scheme, theory), run) in SCHEMES.iter().zip(&case.runs) {
            let theory = if case.jumps { 1.0 } else { *theory };
            for (k, column) in case.columns.iter().enumerate() {
                if let Some(order) = order(&run.column(k))
                    && order < theory - 0.25
                {
                    let errors = run.column(k);
                    broken.push(format!(
                        "{} {scheme} {column}: order {order:.2} of {theory}, errors {errors:?}",
                        case.title
                    ));
                }
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));

    let docs = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("docs");
    let text = hold(&docs.join("convergence.md"), &page(&cases));
    let picture = hold(&docs.join("figures/convergence.svg"), &plot::draw(&cases));
    assert!(
        text && picture,
        "docs/convergence.md is stale; refresh it with\n    \
         FIXSTEP_BLESS=1 cargo test -p fixstep --test it convergence"
    );
}

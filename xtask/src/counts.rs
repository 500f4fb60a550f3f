//! `cargo xtask bench --counts`: the instructions of every step of the examples, counted by a tool of
//! valgrind in the packed binary. Control plane.
//!
//! The test `real_time` drives the binary and counts. This module decides what is counted and for how long, and
//! writes the results.

use std::fmt::{self, Write as _};
use std::fs;
use std::path::{Path, PathBuf};

use crate::install;
use crate::products::{self, Products};
use crate::report::Outcome;
use crate::sections;
use crate::shell::{self, Result, unusable};

/// Steps of the long profile, and of `cargo xtask bench --counts`.
const LONG: u32 = 100_000;

/// Steps of each example in `cargo xtask test`.
const SHORT: u32 = 1000;

/// The largest allowed ratio of the most expensive step to the median, without contact and with.
const LIMITS: [f64; 2] = [1.02, 1.05];

/// Height from which the car falls, so that steps in the air and on its tyres are counted \[m\].
const FALL: f64 = 0.2;

/// A counted model: an example, or a changed one.
struct Case {
    /// Its name in the test: a name, or a folder with a model.
    order: String,
    /// In the table.
    title: String,
}

/// Instructions of the steps of one run.
#[derive(Clone, Debug, PartialEq)]
struct Figures {
    order: String,
    contact: bool,
    steps: u32,
    min: u64,
    median: u64,
    max: u64,
    dearest: u32,
}

/// As the test says it.
impl fmt::Display for Figures {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let contact = if self.contact { "contact" } else { "free" };
        let Self {
            order,
            steps,
            min,
            median,
            max,
            dearest,
            ..
        } = self;
        write!(
            out,
            "counted {contact} {steps} {min} {median} {max} {dearest} {order}"
        )
    }
}

impl Figures {
    /// From the test's output: `counted free 1000 10 11 12 7 pendulum`.
    fn of(line: &str) -> Option<Self> {
        let mut words = line.strip_prefix("counted ")?.splitn(7, ' ');
        let contact = words.next()? == "contact";
        let mut number = || words.next()?.parse::<u64>().ok();
        let [steps, min, median, max, dearest] =
            [number()?, number()?, number()?, number()?, number()?];
        Some(Self {
            order: words.next()?.to_owned(),
            contact,
            steps: u32::try_from(steps).ok()?,
            min,
            median,
            max,
            dearest: u32::try_from(dearest).ok()?,
        })
    }

    /// Dearest step by median step.
    fn ratio(&self) -> f64 {
        self.max as f64 / self.median as f64
    }

    /// The limit of the ratio.
    fn limit(&self) -> f64 {
        LIMITS[usize::from(self.contact)]
    }

    /// A line of the table.
    fn row(&self, title: &str) -> String {
        let mark = if self.ratio() > self.limit() {
            "**"
        } else {
            ""
        };
        format!(
            "| {title} | {} | {} | {} | {} | {} | {mark}{:.4}{mark} | {:.2} |",
            self.steps,
            self.min,
            self.median,
            self.max,
            self.dearest,
            self.ratio(),
            self.limit()
        )
    }
}

/// Counts every example, or those that are named, and writes the page `docs/fixed-work.md` from the latest counts of
/// each, new or earlier.
pub(crate) fn run(words: &[&str]) -> Result<()> {
    let (steps, names) = match words {
        ["--page"] => return write_page(),
        ["--steps", number, names @ ..] => {
            let steps = number.parse();
            (
                steps.map_err(|error| format!("--steps {number}: {error}"))?,
                names,
            )
        }
        names => (LONG, names),
    };
    if !install::valgrind() {
        install::debian_packages()?;
    }
    let products = products::build()?;
    let orders = cases()?.into_iter().map(|case| case.order);
    let wanted = |order: &String| {
        let name = order.rsplit('/').next().unwrap_or(order);
        names.is_empty() || names.contains(&name)
    };
    let orders: Vec<String> = orders.filter(wanted).collect();
    keep(&count(&products, &orders, steps)?)?;
    write_page()
}

/// The file with the figures of earlier runs, a line for each example.
fn kept() -> PathBuf {
    shell::target().join("bench/counts.txt")
}

/// Adds figures to those of earlier runs, replacing those of the same examples.
fn keep(figures: &[Figures]) -> Result<()> {
    let before = fs::read_to_string(kept()).unwrap_or_default();
    let others = before.lines().filter(|line| {
        let order = Figures::of(line).map(|figures| figures.order);
        order.is_some_and(|order| figures.iter().all(|new| new.order != order))
    });
    let lines: Vec<String> = others
        .map(str::to_owned)
        .chain(figures.iter().map(ToString::to_string))
        .collect();
    fs::write(kept(), lines.join("\n")).map_err(unusable(&kept()))
}

/// The page from the figures that are kept.
fn write_page() -> Result<()> {
    let text = fs::read_to_string(kept()).map_err(unusable(&kept()))?;
    let figures: Vec<Figures> = text.lines().filter_map(Figures::of).collect();
    let mut table = heading();
    for case in cases()? {
        if let Some(counted) = figures.iter().find(|one| one.order == case.order) {
            let row = counted.row(&case.title);
            writeln!(table, "{row}").map_err(|error| error.to_string())?;
        }
    }
    let page = shell::root().join("docs/fixed-work.md");
    fs::write(&page, &table).map_err(unusable(&page))?;
    println!("\n{table}\nwritten to {}", page.display());
    Ok(())
}

/// Checks that every example's steps differ by less than the limit; a section of `cargo xtask test`.
pub(crate) fn check(products: &Products) -> Result<Outcome> {
    let orders: Vec<String> = cases()?.into_iter().map(|case| case.order).collect();
    let mut outcome = Outcome::default();
    for figures in count(products, &orders, SHORT)? {
        let text = format!(
            "{}: {} instructions a step, at most {:.4} times that over {} steps",
            figures.order,
            figures.median,
            figures.ratio(),
            figures.steps
        );
        outcome.add(Outcome::judge(figures.ratio() <= figures.limit(), &text));
    }
    Ok(outcome)
}

/// The text of the page before its table.
fn heading() -> String {
    format!(
        "# Fixed work\n\n\
         The table gives the instructions of a communication step (`fmi3DoStep`, from entry to return) of the packed\n\
         FMI 3.0 binary. Each example runs with its own solver settings and inputs, and continues beyond the end of its\n\
         experiment. The first step is included; `dearest` is the number of the step with the most instructions. A tool\n\
         for valgrind (`tests/real_time/steps.c`) counts the instructions of every step.\n\n\
         `cargo xtask bench --counts` writes this page, from runs of {LONG} steps unless `--steps` says otherwise.\n\
         `cargo xtask test` runs {SHORT} steps of every example and fails if max/median exceeds {:.2}, or {:.2} for \
         examples\nwith contact. A larger ratio in a longer run is in bold. The counts depend on the compiler that \
         built the binary;\nthat they are constant does not.\n\n\
         | example | steps | min | median | max | dearest | max/median | limit |\n\
         |---|---|---|---|---|---|---|---|\n",
        LIMITS[0], LIMITS[1]
    )
}

/// All examples, the car dropped from above the road, and a crane with many modes.
fn cases() -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    for example in products::examples()? {
        let (name, model) = (example.name, example.model);
        let title = format!("[{name}](../models/{name}/README.md)");
        if name == "vehicle" {
            cases.push(Case {
                order: dropped(&model)?.display().to_string(),
                title: format!("{title}, dropped {FALL} m"),
            });
        }
        cases.push(Case { order: name, title });
    }
    cases.push(Case {
        order: "truck_crane".to_owned(),
        title: "two flexible bodies of 20 modes each among 15 parts".to_owned(),
    });
    Ok(cases)
}

/// The folder of a car on a flat road, with the road further down.
fn dropped(model: &Path) -> Result<PathBuf> {
    let text = fs::read_to_string(model).map_err(unusable(model))?;
    let flat = "\"shape\": {\"type\": \"flat\"}";
    if text.matches(flat).count() != 1 {
        return Err(format!("{}: no flat road to move", model.display()));
    }
    let lower = format!("{flat}, \"position\": [0, 0, {}]", -FALL);
    let folder = shell::target().join("bench/vehicle_dropped");
    fs::create_dir_all(&folder).map_err(unusable(&folder))?;
    for beside in ["tyre.tir", "suspension.json", "body.json"] {
        fs::copy(model.with_file_name(beside), folder.join(beside)).map_err(unusable(model))?;
    }
    let file = folder.join("model.json");
    fs::write(&file, text.replace(flat, &lower)).map_err(unusable(&file))?;
    Ok(folder)
}

/// Lets the test count; an example that cannot be counted is an error.
fn count(products: &Products, orders: &[String], steps: u32) -> Result<Vec<Figures>> {
    let library = sections::packed_library(products, "3");
    let mut command = shell::cargo(&["test", "--quiet", "--workspace", "--test", "real_time"]);
    command
        .env("FIXSTEP_LIBRARY", &library)
        .args(["--", "counts"]);
    command.args(orders.iter().map(|order| format!("{steps}={order}")));
    let captured = shell::watch(command)?;
    let counted = captured.lines.iter().filter_map(|line| Figures::of(line));
    let mut figures: Vec<Figures> = counted.collect();
    if !captured.success || figures.len() != orders.len() {
        let failed = captured
            .lines
            .iter()
            .find(|line| line.starts_with("FAILED"));
        return Err(failed
            .map_or("an example was not counted", String::as_str)
            .to_owned());
    }
    figures.sort_by_key(|one| orders.iter().position(|order| *order == one.order));
    Ok(figures)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read_and_judged() {
        let figures = Figures::of("counted free 1000 99 100 103 7 a folder/name");
        let figures = figures.unwrap_or_else(|| unreachable!("it is a line of figures"));
        assert_eq!((figures.steps, figures.dearest), (1000, 7));
        assert_eq!(figures.order, "a folder/name");
        assert!(figures.ratio() > figures.limit());
        assert_eq!(Figures::of(&figures.to_string()).as_ref(), Some(&figures));
        assert!(figures.row("a").ends_with("| 7 | **1.0300** | 1.02 |"));
        let touching = Figures {
            contact: true,
            ..figures
        };
        assert!(touching.ratio() <= touching.limit());
        assert!(touching.row("a").ends_with("| 7 | 1.0300 | 1.05 |"));
        assert_eq!(Figures::of("counted free 1000 99 pendulum"), None);
        assert_eq!(Figures::of("FAILED pendulum: "), None);
    }
}

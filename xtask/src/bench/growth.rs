//! Measures how the cost of a step grows with the size of a model: instructions, counted by callgrind in the packed
//! binary. Control plane.
//!
//! Sizes double. The exponent of a curve is that of its increments, log2 of one doubling's increase over that of the
//! doubling before, so a constant part of the step does not lower it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::thread;

use crate::products::Products;
use crate::report::Outcome;
use crate::shell::{self, Result, unusable};

/// Steps that are counted.
const STEPS: u32 = 6;
/// Their size \[s\].
const STEP: f64 = 0.001;
/// The function that is counted.
const FUNCTION: &str = "fmi3DoStep";
/// Runs at a time.
const WORKERS: usize = 2;
/// How far an exponent may exceed the claim.
const MARGIN: f64 = 0.1;
/// Parts of the series that vary the elements acting on them. Some parts stay free in every model, so that all models
/// are solved in the same way (a mechanism in which nothing moves is not).
const PARTS: usize = 80;

/// A count that is varied.
pub(crate) struct Series {
    /// The counted size.
    pub(crate) name: &'static str,
    /// The models.
    pub(crate) models: &'static str,
    sizes: &'static [usize],
    /// The exponent that is claimed.
    pub(crate) claim: f64,
    model: fn(usize) -> String,
}

/// All counts.
pub(crate) const SERIES: [Series; 6] = [
    Series {
        name: "bodies",
        models: "free bodies",
        sizes: &[16, 32, 64, 128],
        claim: 1.0,
        model: |n| parts(n, &[], &[]),
    },
    Series {
        name: "joints",
        models: "80 bodies, of which this number is on a revolute joint",
        sizes: &[8, 16, 32, 64],
        claim: 1.0,
        model: |n| parts(PARTS, &list(n, hinge), &[]),
    },
    Series {
        name: "links",
        models: "chain with this number of bodies and joints",
        sizes: &[16, 32, 64, 128],
        claim: 1.0,
        model: chain,
    },
    Series {
        name: "contacts",
        models: "80 bodies, of which this number are spheres on a plane, with friction",
        sizes: &[8, 16, 32, 64],
        claim: 1.0,
        model: |n| parts(PARTS, &[], &list(n, contact)),
    },
    Series {
        name: "outputs",
        models: "8 free bodies with this number of outputs",
        sizes: &[32, 64, 128, 256],
        claim: 1.0,
        model: outputs,
    },
    Series {
        name: "modes",
        models: "a flexible beam held at one end",
        sizes: &[12, 24, 48],
        claim: 3.0,
        model: |_| BEAM.to_owned(),
    },
];

/// A beam on a fixed joint; its file has the modes.
const BEAM: &str = r#"{"fixstep": 1, "name": "beam", "gravity": [0, 0, -9.81],
"flexible_bodies": [{"name": "rod", "file": "rod.flex", "damping": 0.01, "dynamic_limit": "none"}],
"markers": [{"name": "end", "part": "rod", "node": "big_end"}, {"name": "tip", "part": "rod", "node": "small_end"}],
"joints": [{"name": "held", "type": "fixed", "i": "end", "j": "ground"}],
"outputs": [{"name": "z", "expression": "DZ(tip)"}],
"solver": {"integrator": "HHT", "fixit": 2}, "experiment": {"start": 0, "stop": 1, "step": 0.001}}"#;

/// The beam that is reduced.
const ROD: &str = r#"{"name": "rod",
"points": [{"name": "big_end", "position": [0, 0, 0]}, {"name": "small_end", "position": [0.5, 0, 0]}],
"material": {"youngs_modulus": 2.1e11, "poissons_ratio": 0.3, "density": 7850},
"section": {"type": "rectangle", "y": 0.02, "z": 0.02}, "elements": 30, "theory": "rayleigh"}"#;

fn list(n: usize, item: fn(usize) -> String) -> Vec<String> {
    (1..=n).map(item).collect()
}

fn hinge(k: usize) -> String {
    format!(r#"{{"name": "hinge{k}", "type": "revolute", "i": "m{k}", "j": "g{k}"}}"#)
}

fn contact(k: usize) -> String {
    format!(
        r#"{{"name": "contact{k}", "type": "contact", "i": "m{k}", "j": "g{k}",
"shapes": {{"i": {{"type": "sphere", "radius": 0.1}}, "j": {{"type": "plane"}}}},
"normal": {{"type": "hunt_crossley", "stiffness": 1e6, "damping": 5}},
"friction": {{"mu_static": 0.3, "mu_dynamic": 0.3, "stiction_velocity": 0.01, "friction_velocity": 0.02}}}}"#
    )
}

/// The file around sections that are made.
fn document(sections: &[(&str, Vec<String>)]) -> String {
    let mut text = String::from(r#"{"fixstep": 1, "name": "growth", "gravity": [0, 0, -9.81],"#);
    for (name, entries) in sections {
        text = text + "\n\"" + name + "\": [\n" + &entries.join(",\n") + "\n],";
    }
    text + "\n\"solver\": {\"integrator\": \"HHT\", \"fixit\": 2},\n\
            \"experiment\": {\"start\": 0, \"stop\": 1, \"step\": 0.001}}\n"
}

/// Parts side by side, each with a marker and one on ground beneath.
fn parts(n: usize, joints: &[String], forces: &[String]) -> String {
    let body = |k: usize| {
        format!(
            r#"{{"name": "body{k}", "mass": 1, "inertia": {{"xx": 0.01, "yy": 0.02, "zz": 0.03}}, "position": [{k}, 0, 0.0999]}}"#
        )
    };
    let marker = |k: usize| {
        format!(
            r#"{{"name": "m{k}", "part": "body{k}"}}, {{"name": "g{k}", "part": "ground", "position": [{k}, 0, {}]}}"#,
            if joints.is_empty() { 0.0 } else { 0.0999 }
        )
    };
    document(&[
        ("parts", (1..=n).map(body).collect()),
        ("markers", (1..=n).map(marker).collect()),
        ("joints", joints.to_vec()),
        ("forces", forces.to_vec()),
    ])
}

/// Links along x on hinges whose axes are y and z in turn.
fn chain(n: usize) -> String {
    let body = |k: usize| {
        let x = 0.1 * (k as f64 - 0.5);
        format!(
            r#"{{"name": "body{k}", "mass": 0.5, "inertia": {{"xx": 4e-5, "yy": 4e-4, "zz": 4e-4}}, "position": [{x}, 0, 0]}}"#
        )
    };
    let frame = |k: usize, x: f64| match k % 2 {
        1 => format!(
            r#""position": [{x}, 0, 0], "orientation": {{"z_point": [{x}, 1, 0], "x_point": [1, 0, 0]}}"#
        ),
        _ => format!(r#""position": [{x}, 0, 0]"#),
    };
    let marker = |k: usize| {
        let (before, x) = match k {
            1 => ("ground".to_owned(), 0.0),
            _ => (format!("body{}", k - 1), 0.05),
        };
        let (begin, end) = (frame(k, -0.05), frame(k, x));
        format!(
            r#"{{"name": "m{k}", "part": "body{k}", {begin}}}, {{"name": "g{k}", "part": "{before}", {end}}}"#
        )
    };
    document(&[
        ("parts", (1..=n).map(body).collect()),
        ("markers", (1..=n).map(marker).collect()),
        ("joints", list(n, hinge)),
    ])
}

/// Few bodies and many outputs.
fn outputs(n: usize) -> String {
    let bodies = 8;
    let output = |k: usize| {
        let marker = k % bodies + 1;
        format!(r#"{{"name": "o{k}", "expression": "2*DZ(m{marker}) + VX(m{marker})*{k}"}}"#)
    };
    let text = parts(bodies, &[], &[]);
    let list: Vec<String> = (1..=n).map(output).collect();
    text.replace(
        "\n\"solver\"",
        &format!("\n\"outputs\": [\n{}\n],\n\"solver\"", list.join(",\n")),
    )
}

/// The counts of a series: sizes with instructions of a step.
pub(crate) struct Curve {
    /// The series.
    pub(crate) series: &'static Series,
    /// Size and instructions.
    pub(crate) points: Vec<(usize, f64)>,
}

impl Curve {
    /// The exponent of the last two increments.
    pub(crate) fn exponent(&self) -> f64 {
        match self.points.as_slice() {
            [.., (_, a), (_, b), (_, c)] => ((c - b) / (b - a)).log2(),
            _ => f64::NAN,
        }
    }

    /// Whether it grows as claimed.
    pub(crate) fn holds(&self) -> bool {
        self.exponent() <= self.series.claim + MARGIN
    }

    /// Instructions for one more, at the largest sizes.
    pub(crate) fn each(&self) -> f64 {
        match self.points.as_slice() {
            [.., (n, a), (m, b)] => (b - a) / (m - n) as f64,
            _ => f64::NAN,
        }
    }
}

/// Counts all series; with `brief`, the largest three sizes of each.
pub(crate) fn curves(products: &Products, brief: bool) -> Result<Vec<Curve>> {
    let sizes = |series: &'static Series| {
        let least = if brief { 3 } else { series.sizes.len() };
        &series.sizes[series.sizes.len().saturating_sub(least)..]
    };
    let mut waiting: Vec<(usize, usize)> = Vec::new();
    for (s, series) in SERIES.iter().enumerate() {
        waiting.extend(sizes(series).iter().map(|size| (s, *size)));
    }
    let (waiting, counted) = (Mutex::new(waiting), Mutex::new(Vec::new()));
    let next = || waiting.lock().ok()?.pop();
    thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                while let Some((s, size)) = next() {
                    let result = count(products, &SERIES[s], size);
                    if let Ok(mut counted) = counted.lock() {
                        counted.push((s, size, result));
                    }
                }
            });
        }
    });
    let mut counted = counted.into_inner().map_err(|error| error.to_string())?;
    counted.sort_by_key(|(s, size, _)| (*s, *size));
    let mut curves: Vec<Curve> = SERIES
        .iter()
        .map(|series| Curve {
            series,
            points: Vec::new(),
        })
        .collect();
    for (s, size, result) in counted {
        curves[s].points.push((size, result?));
    }
    Ok(curves)
}

/// Checks that every curve grows as claimed; a section of `cargo xtask test`.
pub(crate) fn check(products: &Products) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    for curve in curves(products, true)? {
        let Series { name, claim, .. } = curve.series;
        let text = format!("{name}: exponent {:.2}, at most {claim}", curve.exponent());
        outcome.add(Outcome::judge(curve.holds(), &text));
    }
    Ok(outcome)
}

/// Instructions of a step.
fn count(products: &Products, series: &Series, size: usize) -> Result<f64> {
    let name = format!("growth-{}-{size}", series.name);
    let folder = shell::target().join("bench").join(&name);
    fs::create_dir_all(&folder).map_err(unusable(&folder))?;
    let model = folder.join("model.json");
    fs::write(&model, (series.model)(size)).map_err(unusable(&model))?;
    if series.name == "modes" {
        reduce(products, &folder, size)?;
    }
    let fmu = products.pack(&name, &model, "3")?;
    let out = folder.join("count");
    let mut command = shell::program("valgrind");
    command
        .args(["--quiet", "--tool=callgrind"])
        .arg(format!("--toggle-collect={FUNCTION}"))
        .arg(format!("--callgrind-out-file={}", out.display()))
        // Functions of the C library are bound before the first step, not within it.
        .env("LD_BIND_NOW", "1")
        .arg(&products.program)
        .arg("run")
        .arg(fmu)
        .args(["--stop", &(f64::from(STEPS) * STEP).to_string()])
        .args(["--no-trial", "-o"])
        .arg(folder.join("out.csv"));
    shell::run(command)?;
    let text = fs::read_to_string(&out).map_err(unusable(&out))?;
    let total = text.lines().find_map(|line| line.strip_prefix("totals:"));
    let total: f64 = total
        .and_then(|total| total.trim().parse().ok())
        .ok_or_else(|| format!("{}: no total", out.display()))?;
    Ok(total / f64::from(STEPS))
}

/// Modes that the two ends add: twelve minus those of a rigid body.
const ENDS: usize = 6;

/// Makes the flexible body with so many modes.
fn reduce(products: &Products, folder: &Path, modes: usize) -> Result<PathBuf> {
    let beam = folder.join("rod.json");
    fs::write(&beam, ROD).map_err(unusable(&beam))?;
    let body = folder.join("rod.flex");
    let mut command = shell::program(&products.program);
    command.args(["flex", "beam"]).arg(&beam);
    command
        .args(["--modes", &(modes - ENDS).to_string(), "-o"])
        .arg(&body);
    shell::run(command)?;
    Ok(body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponents_are_those_of_the_increments() {
        let curve = |cost: fn(f64) -> f64| Curve {
            series: &SERIES[0],
            points: [8, 16, 32].map(|n| (n, cost(n as f64))).to_vec(),
        };
        let line = curve(|n| 1e6 + 3.0 * n);
        assert!((line.exponent() - 1.0).abs() < 1e-9 && line.holds());
        assert!((line.each() - 3.0).abs() < 1e-9);
        let square = curve(|n| 1e6 + n * n);
        assert!((square.exponent() - 2.0).abs() < 1e-9 && !square.holds());
    }

    #[test]
    fn models_have_what_is_counted() {
        assert_eq!(chain(3).matches("revolute").count(), 3);
        assert_eq!(outputs(5).matches("expression").count(), 5);
        assert_eq!(
            parts(4, &[], &list(2, contact)).matches("sphere").count(),
            2
        );
    }
}

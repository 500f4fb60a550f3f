//! Runs the libraries of all platforms with the same importer in C, under Wine and qemu where needed. Control plane.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

use super::stage::{Stage, encoded};
use super::{Examples, PLATFORMS, Platform, tools};
use crate::products::{self, Products};
use crate::report::Outcome;
use crate::sections::not_here;
use crate::shell::{self, Result, unusable};

/// Steps of each example.
const STEPS: u32 = 100;
/// How often a library is loaded, run and unloaded.
const ROUNDS: u32 = 100;
/// The example for tests that need only one; it has a file in a subfolder of its resources.
const EXAMPLE: &str = "wheel_over_kerb";
/// Examples with contact and files, flexible bodies, controls and memory, a curve, and one large.
const FEW: [&str; 5] = [
    EXAMPLE,
    "cam_follower",
    "overhead_crane",
    "passive_vehicle",
    "robot_arm_flexible_link",
];

/// A packed file, unpacked.
struct Unpacked {
    name: String,
    version: &'static str,
    folder: PathBuf,
    description: String,
}

/// Runs every example on every platform and compares, and one example in all other ways.
pub(crate) fn check(
    products: &Products,
    libraries: &[PathBuf],
    which: Examples,
) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    let mut stages = Vec::new();
    for platform in &PLATFORMS {
        match Stage::of(platform) {
            Ok(stage) => stages.push(stage),
            Err(reason) => {
                let reason = format!("{} cannot run here: {reason}", platform.folder("3"));
                outcome.add(not_here(&reason));
            }
        }
    }
    for version in ["2", "3"] {
        outcome.add(published(products, libraries, &stages, version)?);
    }
    for example in products::examples()? {
        if which == Examples::Few && !FEW.contains(&example.name.as_str()) {
            continue;
        }
        for version in ["2", "3"] {
            let fmus = super::fmus();
            let fmu =
                products.pack_with(libraries, &fmus, &example.name, &example.model, version)?;
            let unpacked = Unpacked::of(&fmu, &example.name, version)?;
            outcome.add(unpacked.holds_what_was_built()?);
            outcome.add(compare(&stages, &unpacked)?);
            if example.name == EXAMPLE {
                for lived in on_all(&stages, |stage| lives(stage, &unpacked)) {
                    outcome.add(lived?);
                }
            }
            fs::remove_dir_all(&unpacked.folder).map_err(unusable(&unpacked.folder))?;
        }
    }
    Ok(outcome)
}

impl Unpacked {
    /// Unpacks a file.
    fn of(fmu: &Path, name: &str, version: &'static str) -> Result<Self> {
        let folder = tools::folder()
            .join("unpacked")
            .join(format!("{name} {version}"));
        let _ = fs::remove_dir_all(&folder);
        let mut unpack = shell::program("python3");
        unpack.args(["-m", "zipfile", "-e"]).arg(fmu).arg(&folder);
        shell::run(unpack)?;
        let file = folder.join("modelDescription.xml");
        let description = fs::read_to_string(&file).map_err(unusable(&file))?;
        let name = name.to_owned();
        Ok(Self {
            name,
            version,
            folder,
            description,
        })
    }

    /// Its library for a platform.
    fn library(&self, platform: &Platform) -> PathBuf {
        let identifier = attribute(&self.description, "modelIdentifier").unwrap_or_default();
        let folder = self
            .folder
            .join("binaries")
            .join(platform.folder(self.version));
        folder.join(format!("{identifier}.{}", platform.extension))
    }

    /// Checks that the packed libraries are those that were inspected, and that there are no others.
    fn holds_what_was_built(&self) -> Result<Outcome> {
        let read = |path: &Path| fs::read(path).map_err(unusable(path));
        let mut holds = fs::read_dir(self.folder.join("binaries"))
            .is_ok_and(|all| all.count() == PLATFORMS.len());
        for platform in &PLATFORMS {
            holds &= read(&self.library(platform))? == read(&platform.built())?;
        }
        let text = format!(
            "{}, FMI {}.0, holds a library for each platform",
            self.name, self.version
        );
        Ok(Outcome::judge(holds, &text))
    }

    /// An attribute of a part of the description.
    fn wanted<'a>(&self, part: Option<&'a str>, name: &str) -> Result<&'a str> {
        let value = part.and_then(|part| attribute(part, name));
        value.ok_or_else(|| format!("{}: no {name} in the description", self.name))
    }

    /// The importer's tasks on a stage.
    fn plan(&self, stage: &Stage, location: &str, steps: u32, more: &str) -> Result<String> {
        let experiment = self
            .description
            .lines()
            .find(|line| line.contains("<DefaultExperiment"));
        let token = if self.version == "2" {
            "guid"
        } else {
            "instantiationToken"
        };
        let mut plan = format!(
            "version {}\nlibrary {}\ntoken {}\nstart {}\nstep {}\nsteps {steps}\n",
            self.version,
            stage.path(&self.library(stage.platform)),
            self.wanted(Some(&self.description), token)?,
            self.wanted(experiment, "startTime")?,
            self.wanted(experiment, "stepSize")?,
        );
        if !location.is_empty() {
            let _ = writeln!(plan, "resources {location}");
        }
        let outputs = self
            .description
            .lines()
            .filter(|line| line.contains("causality=\"output\""));
        for reference in outputs.filter_map(|line| attribute(line, "valueReference")) {
            let _ = writeln!(plan, "output {reference}");
        }
        Ok(plan + more)
    }

    /// The plain plan of an importer.
    fn plain(&self, stage: &Stage, steps: u32, more: &str) -> Result<String> {
        let location = stage.location(&self.folder, self.version);
        self.plan(stage, &location, steps, more)
    }
}

/// The value of an attribute in our own XML.
fn attribute<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(&format!(" {name}=\""))?;
    rest.split_once('"').map(|(value, _)| value)
}

/// The lines that hold outputs.
fn trajectory(lines: &[String]) -> Vec<&String> {
    let is_row = |line: &&String| line.starts_with(|c: char| c.is_ascii_digit());
    lines.iter().filter(is_row).collect()
}

/// The first line that reports a failure.
fn failure(lines: &[String]) -> Option<&String> {
    lines.iter().find(|line| line.starts_with("FAILED"))
}

/// Runs something on all platforms at once: each has its own files.
fn on_all<T: Send>(stages: &[Stage], task: impl Fn(&Stage) -> Result<T> + Sync) -> Vec<Result<T>> {
    let task = &task;
    thread::scope(|scope| {
        let begun: Vec<_> = stages
            .iter()
            .map(|stage| scope.spawn(move || task(stage)))
            .collect();
        let lost = |_| Err("a platform's thread panicked".to_owned());
        begun
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(lost))
            .collect()
    })
}

/// Every platform computes the same bits.
fn compare(stages: &[Stage], fmu: &Unpacked) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    let mut first: Option<(String, Vec<String>)> = None;
    let ran = on_all(stages, |stage| {
        stage.run(&fmu.plain(stage, STEPS, "rounds 1\n")?)
    });
    for (stage, lines) in stages.iter().zip(ran) {
        let lines = lines?;
        let place = stage.platform.folder(fmu.version).to_owned();
        let text = format!("{}, FMI {}.0, on {place}", fmu.name, fmu.version);
        if let Some(failure) = failure(&lines) {
            outcome.add(Outcome::judge(false, &format!("{text}: {failure}")));
            continue;
        }
        let Some((other, expected)) = &first else {
            let rows = trajectory(&lines).len();
            let holds = rows > 1;
            outcome.add(Outcome::judge(
                holds,
                &format!("{text}: {rows} rows of outputs"),
            ));
            first = Some((place, lines));
            continue;
        };
        let (own, theirs) = (trajectory(&lines), trajectory(expected));
        let differs = own.iter().zip(&theirs).position(|(a, b)| a != b);
        let text = match differs {
            Some(row) => format!("{text}: row {row} has other bits than on {other}"),
            None => format!("{text}: the bits of {other}"),
        };
        outcome.add(Outcome::judge(own == theirs, &text));
    }
    Ok(outcome)
}

/// The README's model publishes its outputs: they must be in memory where the A2L file of each platform says.
fn published(
    products: &Products,
    libraries: &[PathBuf],
    stages: &[Stage],
    version: &'static str,
) -> Result<Outcome> {
    const NAME: &str = "published";
    let readme = products::readme_model()?;
    let text = fs::read_to_string(&readme).map_err(unusable(&readme))?;
    let text = text.replacen('{', "{\"solver\": {\"publish\": true},", 1);
    let model = readme.with_file_name(format!("{NAME}.json"));
    fs::write(&model, text).map_err(unusable(&model))?;
    let fmu = products.pack_with(libraries, &super::fmus(), NAME, &model, version)?;
    let fmu = Unpacked::of(&fmu, NAME, version)?;
    let identifier = fmu.wanted(Some(&fmu.description), "modelIdentifier")?;
    let mut outcome = Outcome::default();
    for stage in stages {
        let place = stage.platform.folder(version);
        let a2l = format!("extra/org.fmi-standard.fmi-ls-xcp/{place}/{identifier}.a2l");
        let a2l = fmu.folder.join(a2l);
        let a2l = fs::read_to_string(&a2l).map_err(unusable(&a2l))?;
        let mut more = "rounds 2\n".to_owned();
        for name in ["angle", "hinge_force"] {
            let line = a2l
                .lines()
                .find(|line| line.contains(&format!(" MEASUREMENT {name} ")));
            let address =
                line.and_then(|line| line.split(" ECU_ADDRESS 0x").nth(1)?.split(' ').next());
            let address = address.ok_or_else(|| format!("no address of {name} in the A2L file"))?;
            let _ = writeln!(more, "published {address}");
        }
        let lines = stage.run(&fmu.plain(stage, STEPS, &more)?)?;
        let holds = failure(&lines).is_none() && lines.iter().any(|line| line == "end 2");
        let said = failure(&lines).map_or("", String::as_str);
        let text = format!(
            "published, FMI {version}.0, on {place}: values stand where the A2L file says {said}"
        );
        outcome.add(Outcome::judge(holds, text.trim_end()));
    }
    fs::remove_dir_all(&fmu.folder).map_err(unusable(&fmu.folder))?;
    Ok(outcome)
}

/// Loads and unloads the library repeatedly, makes it panic, and passes its resources in every form.
fn lives(stage: &Stage, fmu: &Unpacked) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    let place = format!("{}, FMI {}.0", stage.platform.folder("3"), fmu.version);
    let mut judge = |lines: &[String], expected: &str, text: &str| {
        let holds = failure(lines).is_none() && lines.iter().any(|line| line == expected);
        let said = failure(lines).or(lines.last()).map_or("", String::as_str);
        let text = if holds {
            text.to_owned()
        } else {
            format!("{text}: {said}")
        };
        outcome.add(Outcome::judge(holds, &format!("{place}: {text}")));
    };
    let copy = fmu.library(stage.platform).with_file_name("copy");
    let scratch = stage.path(&copy.with_extension(stage.platform.extension));
    let more = format!("rounds {ROUNDS}\nscratch {scratch}\n");
    let lines = stage.run(&fmu.plain(stage, 10, &more)?)?;
    let text = format!("loaded, run, freed, unloaded and deleted {ROUNDS} times");
    judge(&lines, &format!("end {ROUNDS}"), &text);
    let lines = stage.run(&fmu.plain(stage, 1, "rounds 1\nfault 1\n")?)?;
    judge(
        &lines,
        "fatal and lost",
        "a panic comes back as Fatal, and the instance stays lost",
    );
    let lines = stage.run(&fmu.plan(stage, "", 3, "rounds 1\n")?)?;
    judge(&lines, "end 1", "finds its resources beside itself");
    if stage.platform.is_windows() {
        // From a file outside any FMU, so that no resources are beside it.
        let alone = tools::folder().join("hosts/alone.dll");
        let alone = format!("rounds 1\nscratch {}\n", stage.path(&alone));
        for location in forms(&fmu.folder.join("resources").display().to_string()) {
            let lines = stage.run(&fmu.plan(stage, &location, 3, &alone)?)?;
            judge(
                &lines,
                "end 1",
                &format!("finds its resources at {location}"),
            );
        }
        let lines =
            stage.run(&fmu.plain(stage, 3, &format!("rounds 1\nlock {}\n", locking(fmu)?))?)?;
        let warned = lines
            .iter()
            .find(|line| line.contains("solver.lock_memory"));
        let quiet: Vec<String> = warned
            .map(|line| format!("FAILED {line}"))
            .into_iter()
            .chain(lines.clone())
            .collect();
        judge(&quiet, "end 1", "locks its memory and that of the instance");
    }
    Ok(outcome)
}

/// The value reference of `solver.lock_memory`.
fn locking(fmu: &Unpacked) -> Result<&str> {
    let line = fmu
        .description
        .lines()
        .find(|line| line.contains("\"solver.lock_memory\""));
    fmu.wanted(line, "valueReference")
}

/// Forms in which a folder is passed on Windows.
fn forms(path: &str) -> [String; 7] {
    let back = path.replace('/', "\\");
    let coded = encoded(path);
    [
        format!("file:/Z:{coded}"),
        format!("file://localhost/Z:{coded}/"),
        format!("FILE:///z|{path}"),
        format!("file:////Z:{path}"),
        format!("Z:{back}\\"),
        format!("Z:{path}"),
        format!("\\\\?\\Z:{back}"),
    ]
}

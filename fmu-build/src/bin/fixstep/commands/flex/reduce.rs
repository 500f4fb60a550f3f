//! Control plane: `fixstep flex reduce`, which makes a flexible body from finite-element matrices.

use std::path::{Path, PathBuf};

use fixstep_kernel::fingerprint::Fingerprint;
use fixstep_kernel::math::Vec3;
use flexible_bodies::fe::FeModel;
use flexible_bodies::moments::Moments;
use flexible_bodies::read::{self, Request, Units};
use flexible_bodies::reduce::report::{ComplianceLine, ModeLine, Report};
use flexible_bodies::reduce::{
    Interface, Load, NormalModes, Options, Reference, loads, reduce as reduce_model,
};
use flexible_bodies::select::{self, Selection, Watched};
use flexible_bodies::strain::{Material, Probe};
use fmu_build::csv::TABLE_BYTES;
use fmu_build::slave::Failure;
use serde::Serialize;

use super::super::{Done, json};
use super::body;
use crate::args::FlexReduce;
use crate::console::Console;
use crate::places::Places;
use crate::source::text;

/// `fixstep flex reduce`
pub(super) fn reduce(args: &FlexReduce, console: &mut Console) -> Done {
    let file = &args.files[0];
    let output = body::output(args.output.as_ref(), &body::stem(file), "flex");
    let of_the_job = of_the_job(&args.files);
    Places::default()
        .reads("FILE", &args.files)
        .reads("FILE", &of_the_job)
        .reads("--mesh", &args.mesh)
        .reads("--load", args.loads.load.iter().map(|(_, path)| path))
        .reads("--preload", &args.loads.preload)
        .writes("--output", [&output])
        .check()?;
    let request = Request {
        files: args.files.clone(),
        format: args.format,
        mesh: args.mesh.clone(),
        units: args.units,
    };
    let opened = read::open(&request).map_err(|error| Failure(error.to_string()))?;
    for note in &opened.notes {
        console.note(&format!("note: {note}"));
    }
    let model = opened.model;
    let options = options(args, &model)?;
    let done = body::staged(console, |progress| reduce_model(&model, &options, progress));
    let (flexible, report) = done.map_err(|error| body::about(file, &error))?;
    let bytes = body::write(&output, &flexible, file)?;
    if args.json {
        console.say(&json(&ReportJson::of(&report, &bytes))?)?;
    } else {
        body::tell(console, &report.to_string(), (&output, &flexible, &bytes))?;
    }
    Ok(true)
}

/// Files that are read together with one of them: the others of the same job.
fn of_the_job(files: &[PathBuf]) -> Vec<PathBuf> {
    let endings = ["sti", "mas", "dof", "inp"];
    let siblings = |file: &PathBuf| endings.map(|ending| file.with_extension(ending));
    files.iter().flat_map(siblings).collect()
}

fn options(args: &FlexReduce, model: &FeModel) -> Result<Options, Failure> {
    let interfaces = args
        .interface
        .iter()
        .map(|given| interface(given, model, &args.units));
    let mut record = Vec::new();
    for selection in &args.record {
        record.extend(chosen(&metres(selection, &args.units), model, "--record")?);
    }
    Ok(Options {
        interfaces: interfaces.collect::<Result<_, _>>()?,
        normal_modes: args
            .up_to
            .map_or(NormalModes::Count(args.modes), NormalModes::UpTo),
        orthonormalise: !args.plain,
        keep_frequency: args.keep_frequency,
        keep_participation: args.keep_participation.map(|percent| percent / 100.0),
        loads: load_cases(args, model)?,
        preload: match &args.loads.preload {
            Some(path) => Some(load("preload", path, false, model)?),
            None => None,
        },
        record,
        strains: probes(args, &args.tensors.strain, "--strain", model)?,
        stresses: probes(args, &args.tensors.stress, "--stress", model)?,
        material: args
            .tensors
            .young
            .zip(args.tensors.poisson)
            .map(|(young, poisson)| Material {
                young: young * args.units.pressure(),
                poisson,
            }),
        description: args.description.clone(),
        ..Options::default()
    })
}

/// A single node keeps its own directions; several nodes become a rigid spider.
fn interface(
    given: &select::Interface,
    model: &FeModel,
    units: &Units,
) -> Result<Interface, Failure> {
    let option = format!("--interface {}", given.name);
    let nodes = chosen(&metres(&given.selection, units), model, &option)?;
    let point = given.center.map(|center| center * units.length);
    let at = match (nodes.as_slice(), point) {
        ([node], None) => Reference::Node(*node),
        (_, point) => Reference::Spider {
            point: point.unwrap_or_else(|| middle(&nodes, model)),
            nodes,
        },
    };
    Ok(Interface {
        name: given.name.clone(),
        at,
    })
}

/// Nodes whose strain or stress is stored; those without a name are named by their numbers.
fn probes(
    args: &FlexReduce,
    given: &[Watched],
    option: &str,
    model: &FeModel,
) -> Result<Vec<Probe>, Failure> {
    let mut probes = Vec::new();
    for Watched { name, selection } in given {
        let nodes = chosen(&metres(selection, &args.units), model, option)?;
        match (name, nodes.as_slice()) {
            (Some(name), [node]) => probes.push(Probe {
                name: name.clone(),
                node: *node,
            }),
            (Some(name), _) => {
                let count = nodes.len();
                return Err(Failure(format!(
                    "{option} {name}: the name is given to {count} nodes; valid: one"
                )));
            }
            (None, _) => probes.extend(nodes.iter().map(|node| Probe {
                name: model.nodes[*node].id.to_string(),
                node: *node,
            })),
        }
    }
    Ok(probes)
}

fn chosen(selection: &Selection, model: &FeModel, option: &str) -> Result<Vec<usize>, Failure> {
    let nodes = selection.nodes(model);
    nodes.map_err(|message| Failure(format!("{option}: {message}")))
}

fn middle(nodes: &[usize], model: &FeModel) -> Vec3 {
    let sum: Vec3 = nodes.iter().map(|node| model.nodes[*node].position).sum();
    sum / nodes.len() as f64
}

/// A selection in metres, from one in the units of the files.
fn metres(selection: &Selection, units: &Units) -> Selection {
    let length = units.length;
    match selection {
        Selection::Nodes(_) | Selection::Set(_) => selection.clone(),
        Selection::Sphere { center, radius } => Selection::Sphere {
            center: center * length,
            radius: radius * length,
        },
        Selection::Cylinder { from, to, radius } => Selection::Cylinder {
            from: from * length,
            to: to * length,
            radius: radius * length,
        },
        Selection::Closest(point) => Selection::Closest(point * length),
    }
}

fn load_cases(args: &FlexReduce, model: &FeModel) -> Result<Vec<Load>, Failure> {
    let names = || args.loads.load.iter().map(|(name, _)| name);
    if let Some(unknown) = args
        .loads
        .residual
        .iter()
        .find(|name| names().all(|known| known != *name))
    {
        let known: Vec<&str> = names().map(String::as_str).collect();
        let known = if known.is_empty() {
            "none".to_owned()
        } else {
            known.join(", ")
        };
        return Err(Failure(format!(
            "--residual {unknown}: there is no load of this name; loads: {known}"
        )));
    }
    let case = |(name, path): &(String, String)| {
        let residual = args.loads.residual.contains(name);
        load(name, Path::new(path), residual, model)
    };
    args.loads.load.iter().map(case).collect()
}

fn load(name: &str, path: &Path, residual: bool, model: &FeModel) -> Result<Load, Failure> {
    let forces = loads::table(&text(path, TABLE_BYTES)?, model);
    let forces = forces.map_err(|message| body::about(path, &message))?;
    Ok(Load {
        name: name.to_owned(),
        forces,
        residual,
    })
}

#[derive(Serialize)]
struct ReportJson {
    nodes: usize,
    unknowns: usize,
    mass: f64,
    center: [f64; 3],
    /// About the centre.
    inertia: Moments,
    fixed_interface_frequencies: Vec<f64>,
    rigid_frequencies: Vec<f64>,
    modes: Vec<ModeJson>,
    compliance: Vec<ComplianceJson>,
    fingerprint: String,
}

#[derive(Serialize)]
struct ModeJson {
    label: String,
    frequency: f64,
    kept: bool,
    share: f64,
    direction: Option<String>,
}

#[derive(Serialize)]
struct ComplianceJson {
    direction: String,
    held: Option<String>,
    compliance: f64,
    lost_percent: f64,
}

impl ReportJson {
    fn of(report: &Report, bytes: &[u8]) -> Self {
        let mode = |mode: &ModeLine| ModeJson {
            label: mode.label.clone(),
            frequency: mode.frequency,
            kept: mode.kept,
            share: mode.share,
            direction: mode.direction.clone(),
        };
        let line = |line: &ComplianceLine| ComplianceJson {
            direction: line.direction.clone(),
            held: line.held.clone(),
            compliance: line.compliance,
            lost_percent: line.lost_percent,
        };
        Self {
            nodes: report.nodes,
            unknowns: report.unknowns,
            mass: report.mass,
            center: report.center.into(),
            inertia: Moments::of(&report.inertia),
            fixed_interface_frequencies: report.held.clone(),
            rigid_frequencies: report.rigid.clone(),
            modes: report.modes.iter().map(mode).collect(),
            compliance: report.compliance.iter().map(line).collect(),
            fingerprint: Fingerprint::of(bytes),
        }
    }
}

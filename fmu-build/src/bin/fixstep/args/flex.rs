//! Control plane: the options of `fixstep flex`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use flexible_bodies::read::{Format, Units};
use flexible_bodies::select::{Interface, Numbers, Selection, Watched};

use super::beams::{FlexBeam, FlexInspect, FlexSwap};

/// Make flexible bodies
#[derive(Debug, Args)]
pub(crate) struct Flex {
    #[command(subcommand)]
    pub(crate) command: FlexCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum FlexCommand {
    Reduce(Box<FlexReduce>),
    Import(FlexImport),
    Beam(FlexBeam),
    Inspect(FlexInspect),
    Swap(FlexSwap),
}

/// Reduce stiffness and mass matrices to a flexible body
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  fixstep flex reduce rod.sti --interface big=set:BIG --interface small=set:SMALL -o rod.flex
  fixstep flex reduce K.mtx M.mtx --mesh nodes.csv --interface root=node:1 --interface tip=node:21
  fixstep flex reduce rod.sti --units mm-t-s --interface big=cylinder:0,0,-5,0,0,5,12 --modes 20
  fixstep flex reduce arm.sti --interface a=set:A --interface b=set:B@1.2,0,0 --up-to 2000 --record set:SKIN
  fixstep flex reduce arm.sti --interface a=set:A --interface b=set:B --stress fillet=closest:0.1,0,0.02

An interface of several nodes is a rigid spider: its nodes follow the six motions of a point, which is
the middle of the nodes or the point after the @. A single node is an interface with its own directions.
Coordinates are given in the units of the files; the flexible body is in SI.

The modes are those of the free body, made from fixed-interface modes and constraint modes
(Craig-Bampton). All are kept by default, because static compliance is lost with omitted modes; the
report says how much.")]
pub(crate) struct FlexReduce {
    /// Files with stiffness and mass; of CalculiX's .sti, .mas, .dof, one is enough
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// The file with the nodes, if it is not beside the matrices
    #[arg(long, value_name = "FILE")]
    pub(crate) mesh: Option<PathBuf>,
    /// The program that wrote the files, if they do not show it
    #[arg(long, value_name = "NAME")]
    pub(crate) format: Option<Format>,
    /// Units of the files: length, mass and time
    #[arg(long, value_name = "L-M-T", default_value = "m-kg-s")]
    pub(crate) units: Units,
    /// A place where other parts attach: node:17, nodes:1,2,5-9, set:NAME, sphere:x,y,z,r,
    /// cylinder:x,y,z,x,y,z,r or closest:x,y,z
    #[arg(long, value_name = "NAME=NODES[@x,y,z]", allow_hyphen_values = true)]
    pub(crate) interface: Vec<Interface>,
    /// Number of modes with fixed interfaces
    #[arg(long, value_name = "N", default_value = "10")]
    pub(crate) modes: usize,
    /// All modes with fixed interfaces up to this frequency [Hz] instead
    #[arg(long, value_name = "HZ", conflicts_with = "modes")]
    pub(crate) up_to: Option<f64>,
    /// Keep fixed-interface modes and constraint modes unchanged; the body's frame is on the first interface that has
    /// six directions
    #[arg(long)]
    pub(crate) plain: bool,
    /// Leave out modes above this frequency, in hertz
    #[arg(long, value_name = "HZ", conflicts_with = "plain")]
    pub(crate) keep_frequency: Option<f64>,
    /// Leave out modes whose share in the static compliance is below this for every interface direction [%]; others
    /// stay whatever their frequency
    #[arg(long, value_name = "PERCENT", conflicts_with = "plain")]
    pub(crate) keep_participation: Option<f64>,
    /// Nodes that the body keeps besides its interfaces, with the lines and faces between them; set:SURFACE makes pictures solid
    #[arg(long, value_name = "NODES", allow_hyphen_values = true)]
    pub(crate) record: Vec<Selection>,
    #[command(flatten)]
    pub(crate) loads: FlexLoads,
    #[command(flatten)]
    pub(crate) tensors: FlexTensors,
    /// Description of the body, for readers
    #[arg(
        long,
        value_name = "TEXT",
        default_value = "",
        hide_default_value = true
    )]
    pub(crate) description: String,
    /// The file to write [default: the first file's name in this folder]
    #[arg(short, long, value_name = "OUT.flex")]
    pub(crate) output: Option<PathBuf>,
    /// Print the report as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Loads of a flexible body.
#[derive(Debug, Args)]
pub(crate) struct FlexLoads {
    /// A load case that modal forces can scale: CSV with columns node,fx,fy,fz or
    /// node,fx,fy,fz,mx,my,mz [N, N m]
    #[arg(long = "load", value_name = "NAME=LOAD.csv", value_parser = super::assignment)]
    pub(crate) load: Vec<(String, String)>,
    /// Make the static answer to this load case exact by a residual vector
    #[arg(long, value_name = "NAME")]
    pub(crate) residual: Vec<String>,
    /// A load that always acts, in the same columns
    #[arg(long, value_name = "LOAD.csv")]
    pub(crate) preload: Option<PathBuf>,
}

/// Stress and strain of a flexible body.
#[derive(Debug, Args)]
pub(crate) struct FlexTensors {
    /// Nodes of solid elements whose stress the body reports
    #[arg(long, value_name = "[NAME=]NODES", allow_hyphen_values = true)]
    pub(crate) stress: Vec<Watched>,
    /// Nodes of solid elements whose strain the body reports
    #[arg(long, value_name = "[NAME=]NODES", allow_hyphen_values = true)]
    pub(crate) strain: Vec<Watched>,
    /// Young's modulus for stresses, in the units of the files [default: that of the deck]
    #[arg(long, value_name = "E", requires = "poisson")]
    pub(crate) young: Option<f64>,
    /// Poisson's ratio for stresses
    #[arg(
        long,
        value_name = "NU",
        requires = "young",
        allow_negative_numbers = true
    )]
    pub(crate) poisson: Option<f64>,
}

/// Make a flexible body from a modal neutral file
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  fixstep flex import rod.mnf -o rod.flex
  fixstep flex import arm.mnf --nodes root=1,tip=2,40-44 --outline
  fixstep flex import arm.mnf --modes 7-20,25 --stress 17,18

Files of version 6.0 are read, as finite-element programs write them for Adams. Rigid modes are
recognised and left out; the inertia invariants come from nodal masses and inertias. All numbers
are taken to SI by the units that the file names.")]
pub(crate) struct FlexImport {
    /// The modal neutral file
    #[arg(value_name = "FILE.mnf")]
    pub(crate) file: PathBuf,
    /// Nodes to keep, by number, with names of your own [default: the interface nodes]
    #[arg(long, value_name = "[NAME=]NODES", value_parser = named_nodes)]
    pub(crate) nodes: Vec<NamedNodes>,
    /// Modes to keep, by number [default: all except rigid modes]
    #[arg(long, value_name = "MODES")]
    pub(crate) modes: Option<Numbers>,
    /// Nodes whose stresses are kept
    #[arg(long, value_name = "NODES")]
    pub(crate) stress: Vec<Numbers>,
    /// Also keep the nodes of sharp edges, with the lines between them, for pictures
    #[arg(long)]
    pub(crate) outline: bool,
    /// Also keep the nodes of the whole surface, with its faces: pictures show a solid body
    #[arg(long)]
    pub(crate) surface: bool,
    /// The file to write [default: the file's name in this folder]
    #[arg(short, long, value_name = "OUT.flex")]
    pub(crate) output: Option<PathBuf>,
}

/// Numbers of nodes, with names for some.
pub(crate) type NamedNodes = Vec<(Option<String>, u64)>;

/// `1,2,5-9`, and `tip=17` among them.
fn named_nodes(text: &str) -> Result<NamedNodes, String> {
    let mut nodes = Vec::new();
    for part in text.split(',') {
        let (name, list) = match part.split_once('=') {
            Some((name, list)) if !name.trim().is_empty() => (Some(name.trim().to_owned()), list),
            Some(_) => return Err(format!("{part:?}: expected NAME=NODE, such as tip=17")),
            None => (None, part),
        };
        let Numbers(list) = list.parse()?;
        if name.is_some() && list.len() > 1 {
            return Err(format!("{part:?}: a name stands for one node"));
        }
        nodes.extend(list.into_iter().map(|id| (name.clone(), id)));
    }
    Ok(nodes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_with_and_without_names() {
        let tip = Some("tip".to_owned());
        assert_eq!(
            named_nodes("tip=17,3-4"),
            Ok(vec![(tip, 17), (None, 3), (None, 4)])
        );
        for wrong in ["=3", "a=1-2", "x", ""] {
            assert!(named_nodes(wrong).is_err(), "{wrong}");
        }
    }
}

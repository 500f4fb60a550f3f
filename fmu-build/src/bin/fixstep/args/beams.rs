//! Control plane: the options of `fixstep flex beam`, `inspect` and `swap`.

use std::path::PathBuf;

use clap::Args;

use super::endings;
use flexible_bodies::beam::discrete::End;

/// Make a flexible body, or a chain of rigid segments, from beams
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  fixstep flex beam rod.json -o rod.flex
  fixstep flex beam arm.json --modes 12 --plain
  fixstep flex beam rod.json --discrete 20 --start flexible -o chain.json
  fixstep flex beam hook.json --discrete 8 --into crane.json --at top=boom.tip -o out.json

The file describes a line of points with sections and a material; docs/flexible-bodies.md has its fields.
Points with names are interfaces. With --discrete a model file is written: rigid segments with massless
beams between their centres. An end of the chain is free, rigid (a fixed joint holds the last segment)
or flexible (half a segment's beam stands between it and the base).

With --into the chain joins a model that is there. --at says at which of its markers a point stands; the
axes of the description are those of the first such marker. An end there is rigid unless --start or --end
say otherwise: at a free one joints of your own find the marker NAME_POINT.")]
pub(crate) struct FlexBeam {
    /// The description of the beams
    #[arg(value_name = "BEAM.json")]
    pub(crate) file: PathBuf,
    /// Number of modes with fixed interfaces
    #[arg(long, value_name = "N", default_value = "10")]
    pub(crate) modes: usize,
    /// Keep fixed-interface modes and constraint modes unchanged; the body's frame is on the first interface
    #[arg(long)]
    pub(crate) plain: bool,
    /// Leave out modes above this frequency, in hertz
    #[arg(long, value_name = "HZ", conflicts_with = "plain")]
    pub(crate) keep_frequency: Option<f64>,
    /// Make a chain of this many rigid segments instead
    #[arg(long, value_name = "N", conflicts_with_all = ["plain", "keep_frequency"])]
    pub(crate) discrete: Option<usize>,
    /// How the first point of a chain is held: free, rigid or flexible [default: free, or rigid at a marker]
    #[arg(long, value_name = "END", requires = "discrete")]
    pub(crate) start: Option<End>,
    /// How the last point of a chain is held
    #[arg(long, value_name = "END", requires = "discrete")]
    pub(crate) end: Option<End>,
    /// Insert the chain into this model
    #[arg(long, value_name = "MODEL.json", requires_all = ["discrete", "at"])]
    pub(crate) into: Option<PathBuf>,
    /// Attach a point of the line to this marker of the model
    #[arg(long, value_name = "POINT=MARKER", requires = "into", value_parser = super::assignment)]
    pub(crate) at: Vec<(String, String)>,
    /// The file to write [default: the name in the description, in this folder]
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
}

/// Show what is in a flexible body, and draw its modes
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  fixstep flex inspect rod.flex
  fixstep flex inspect rod.flex --png modes.png --modes 1,2,3
  fixstep flex inspect rod.flex --html modes.html

Prints mass properties, how large the inertia invariants are, frequencies, the effective mass of every mode
and direction, and where other parts can attach. The page of --html moves, and is one file.")]
pub(crate) struct FlexInspect {
    /// The flexible body
    #[arg(value_name = "FILE.flex")]
    pub(crate) file: PathBuf,
    /// Draw these modes only, counted from 1
    #[arg(long, value_name = "K,K", value_delimiter = ',')]
    pub(crate) modes: Vec<usize>,
    /// Draw the modes on a sheet, in the colours of their displacement
    #[arg(long, value_name = "OUT.png", value_parser = endings::png)]
    pub(crate) png: Option<PathBuf>,
    /// Draw the moving modes
    #[arg(long, value_name = "OUT.html", value_parser = endings::html)]
    pub(crate) html: Option<PathBuf>,
    /// Print everything as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Replace a rigid part by a flexible body
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  fixstep flex swap model.json --part rod --with rod.flex -o flexible.json
  fixstep flex swap model.json --part arm --with arm.flex -o out.json --attach flange=tip --tolerance 0.02

The body takes the part's name, frame and initial velocities. Every marker of the part goes to the nearest
node that has a name; what is left is the marker's place from there. All else stays as the file has it.")]
pub(crate) struct FlexSwap {
    /// The model
    #[arg(value_name = "MODEL.json")]
    pub(crate) model: PathBuf,
    /// The rigid part
    #[arg(long, value_name = "NAME")]
    pub(crate) part: String,
    /// The flexible body, in the folder of the written model or below it
    #[arg(long = "with", value_name = "FILE.flex")]
    pub(crate) body: PathBuf,
    /// The model to write
    #[arg(short, long, value_name = "OUT.json")]
    pub(crate) output: PathBuf,
    /// Move a marker to this node, by name or number, at any distance
    #[arg(long, value_name = "MARKER=NODE", value_parser = super::assignment)]
    pub(crate) attach: Vec<(String, String)>,
    /// Largest distance of a marker from its node, in metres [default: 1 % of the size of the body]
    #[arg(long, value_name = "M")]
    pub(crate) tolerance: Option<f64>,
}

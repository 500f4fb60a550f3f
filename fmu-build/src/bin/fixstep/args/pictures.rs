//! Control plane: the options of pictures and films of a run.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use fixstep_pictures::camera;
use fixstep_pictures::render;
use fixstep_pictures::scene::Scene;
use fmu_build::slave::Failure;

use super::{endings, finite};

/// Pictures and films of a run, of models only.
#[derive(Debug, Args)]
pub(crate) struct Pictures {
    /// Draw the mechanism with its solids and shapes, at the end or at --at (models only)
    #[arg(long, value_name = "OUT.png", value_parser = endings::png)]
    pub(crate) png: Option<PathBuf>,
    /// The same as a film: an animated PNG
    #[arg(long, value_name = "OUT.apng", value_parser = endings::apng)]
    pub(crate) apng: Option<PathBuf>,
    /// The same as a film: a GIF
    #[arg(long, value_name = "OUT.gif", value_parser = endings::gif)]
    pub(crate) gif: Option<PathBuf>,
    /// The same as a video; needs the program ffmpeg
    #[arg(long, value_name = "OUT.mp4", value_parser = endings::mp4)]
    pub(crate) mp4: Option<PathBuf>,
    /// The same as solid bodies that move, for Blender, browsers and slides: glTF
    #[arg(long, value_name = "OUT.glb", value_parser = endings::glb)]
    pub(crate) glb: Option<PathBuf>,
    /// The time of the picture [s; default: the end]
    #[arg(long, value_name = "T", requires = "png", allow_negative_numbers = true, value_parser = finite)]
    pub(crate) at: Option<f64>,
    /// From where pictures and films are taken: corner, front, back, left, right, top, bottom, or two angles in degrees,
    /// about the upward direction from the front and above the horizon, such as 215,20
    #[arg(
        long,
        default_value = "corner",
        value_name = "VIEW",
        allow_hyphen_values = true,
        value_parser = view,
        requires = "filmed"
    )]
    pub(crate) view: camera::View,
    /// Pixels of a picture or film [default: 1280x720, films 640x360]
    #[arg(long, value_name = "WxH", requires = "filmed", value_parser = pixels)]
    pub(crate) size: Option<[usize; 2]>,
    /// Draw forces and torques as arrows
    #[arg(long, requires = "filmed")]
    pub(crate) arrows: bool,
    /// Draw the ellipsoids that have the inertia of the bodies, which fade around them
    #[arg(long, requires = "filmed")]
    pub(crate) inertia: bool,
    /// What the colours of flexible bodies show
    #[arg(
        long,
        value_enum,
        default_value = "body",
        value_name = "TINT",
        requires = "filmed"
    )]
    pub(crate) tint: Tint,
    /// A dark background
    #[arg(long, requires = "filmed")]
    pub(crate) dark: bool,
}

impl Pictures {
    /// The files, each with its option.
    pub(crate) fn all(&self) -> Vec<(&'static str, &Path)> {
        let all = [
            ("--png", self.png.as_deref()),
            ("--apng", self.apng.as_deref()),
            ("--gif", self.gif.as_deref()),
            ("--mp4", self.mp4.as_deref()),
            ("--glb", self.glb.as_deref()),
        ];
        { all.into_iter() }
            .filter_map(|(option, path)| Some((option, path?)))
            .collect()
    }
}

/// Directions of view by name.
const VIEWS: [(&str, camera::View); 7] = [
    ("corner", camera::View::Corner),
    ("front", camera::View::Front),
    ("back", camera::View::Back),
    ("left", camera::View::Left),
    ("right", camera::View::Right),
    ("top", camera::View::Top),
    ("bottom", camera::View::Bottom),
];

/// A direction of view, by its name or by two angles.
fn view(text: &str) -> Result<camera::View, String> {
    if let Some((_, view)) = VIEWS.iter().find(|(name, _)| *name == text) {
        return Ok(*view);
    }
    let angle = |word: &str, most: f64| {
        let angle = word.trim().parse::<f64>().ok()?;
        (angle.abs() <= most).then(|| angle.to_radians())
    };
    let pair = text.split_once(',');
    match pair.and_then(|(a, e)| Some((angle(a, 360.0)?, angle(e, 90.0)?))) {
        Some((azimuth, elevation)) => Ok(camera::View::From { azimuth, elevation }),
        None => Err(format!(
            "expected {}, or two angles in degrees, such as 215,20: turned about the upward direction from the front, at \
             most 360, and above the horizon, at most 90",
            VIEWS.map(|(name, _)| name).join(", ")
        )),
    }
}

/// What colours show.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Tint {
    /// Each body has its colour
    Body,
    /// Deformation of flexible bodies: how far points have moved in the body's own frame
    Displacement,
    /// Von-Mises stress of flexible bodies, where their files have stresses
    Stress,
}

impl Tint {
    /// Is there a body whose colours can show it?
    pub(crate) fn fits(self, scene: &Scene) -> Result<(), Failure> {
        let mut soft = scene.bodies.iter().filter_map(|body| body.soft.as_ref());
        let (has, lacks) = match self {
            Self::Body => return Ok(()),
            Self::Displacement => (soft.next().is_some(), "no body is flexible; valid: body"),
            Self::Stress => (
                soft.any(|soft| soft.stresses.is_some()),
                "no flexible body knows the stress at half of its nodes or more (flex reduce --stress set:SURFACE --record \
                 set:SURFACE keeps it); valid: body, or displacement of flexible bodies",
            ),
        };
        if has {
            return Ok(());
        }
        let name = self
            .to_possible_value()
            .map(|value| value.get_name().to_owned());
        Err(Failure(format!(
            "--tint {}: {lacks}",
            name.unwrap_or_default()
        )))
    }

    pub(crate) fn tint(self) -> render::Tint {
        match self {
            Self::Body => render::Tint::Body,
            Self::Displacement => render::Tint::Displacement,
            Self::Stress => render::Tint::Stress,
        }
    }
}

/// Width and height.
fn pixels(text: &str) -> Result<[usize; 2], String> {
    let number = |word: &str| word.parse().ok().filter(|n| (16..=8192).contains(n));
    let pair = text.split_once(['x', 'X']);
    match pair.and_then(|(w, h)| Some([number(w)?, number(h)?])) {
        Some(size) => Ok(size),
        None => Err("expected two numbers from 16 to 8192, such as 1920x1080".to_owned()),
    }
}

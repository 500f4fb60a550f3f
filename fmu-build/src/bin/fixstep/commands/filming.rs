//! Control plane: the pictures and films that `fixstep run` makes.

use std::path::Path;

use fixstep_kernel::seconds::Seconds;
use fixstep_kernel::simulation::Simulation;
use fixstep_model::shapes::Shape;
use fixstep_pictures::render::{Ground, Look};
use fixstep_pictures::scene::Film;
use fmu_build::film::Shooting;
use fmu_build::scene::{self, Recorder};
use fmu_build::slave::Failure;

use crate::args;
use crate::console::{Console, write_file};
use crate::source::Source;

/// Pixels of a film, unless asked otherwise.
const FILM: [usize; 2] = [640, 360];

/// Films a run.
pub(crate) struct Filming<'a> {
    args: &'a args::Pictures,
    deformation: f64,
    shapes: &'a [Shape],
    recorder: Recorder,
}

impl<'a> Filming<'a> {
    /// If a picture or a film is asked for.
    pub(crate) fn of(args: &'a args::Run, source: &'a Source) -> Result<Option<Self>, Failure> {
        let pictures = &args.pictures;
        if pictures.all().is_empty() {
            return Ok(None);
        }
        Ok(Some(Self {
            args: pictures,
            deformation: args.deformation_scale,
            shapes: source.shapes(&args.file)?,
            recorder: Recorder::with(pictures.at),
        }))
    }

    /// Observes a run.
    pub(crate) fn watch(&mut self, engine: &Simulation, share: f64) {
        self.recorder.watch(engine, share);
    }

    /// Writes all files; a film that takes long tells how far it is.
    pub(crate) fn develop(self, engine: &Simulation, console: &mut Console) -> Result<(), Failure> {
        let ended = self.write(engine, console);
        console.end();
        ended
    }

    fn write(self, engine: &Simulation, console: &mut Console) -> Result<(), Failure> {
        let wanted = self.recorder.wanted();
        let film = self.recorder.film();
        within(self.args.at, &film)?;
        let mut scene = scene::of(engine, self.shapes, &film);
        self.args.tint.fits(&scene)?;
        if self.args.inertia {
            scene::with_inertia(&mut scene);
        }
        let ground = Ground::of(&scene);
        let look = |[width, height]: [usize; 2]| Look {
            width,
            height,
            dark: self.args.dark,
            arrows: self.args.arrows,
            ground,
            deformation: self.deformation,
            tint: self.args.tint.tint(),
            ..Look::default()
        };
        let usual = Look::default();
        let still = look(self.args.size.unwrap_or([usual.width, usual.height]));
        let moving = look(self.args.size.unwrap_or(FILM));
        let shooting = |look| Shooting {
            scene: &scene,
            film: &film,
            view: self.args.view,
            look,
        };
        let write = |option: &str, path: &Path, bytes: Result<Vec<u8>, Failure>| {
            let bytes = bytes.map_err(|Failure(why)| Failure(format!("{option}: {why}")))?;
            write_file(path, &bytes)
        };
        if let Some(path) = &self.args.png {
            write("--png", path, shooting(&still).still(wanted.as_ref()))?;
        }
        if let Some(path) = &self.args.apng {
            console.begin("--apng");
            write(
                "--apng",
                path,
                shooting(&moving).apng(&mut |share| console.progress(share)),
            )?;
        }
        if let Some(path) = &self.args.gif {
            console.begin("--gif");
            write(
                "--gif",
                path,
                shooting(&moving).gif(&mut |share| console.progress(share)),
            )?;
        }
        if let Some(path) = &self.args.mp4 {
            console.begin("--mp4");
            let made = shooting(&moving).mp4(path, &mut |share| console.progress(share));
            made.map_err(|Failure(why)| Failure(format!("--mp4: {why}")))?;
        }
        if let Some(path) = &self.args.glb {
            console.stage("--glb");
            write("--glb", path, shooting(&still).glb())?;
        }
        Ok(())
    }
}

/// Is a time within the film?
fn within(time: Option<f64>, film: &Film) -> Result<(), Failure> {
    let (Some(time), Some(first), Some(last)) = (time, film.first(), film.last()) else {
        return Ok(());
    };
    let near = 1e-9 * (last.time - first.time);
    if time < first.time - near || time > last.time + near {
        let [from, to] = [first.time, last.time].map(Seconds);
        return Err(Failure(format!(
            "--at {time}: the run has no such time; valid: {from} to {to} s"
        )));
    }
    Ok(())
}

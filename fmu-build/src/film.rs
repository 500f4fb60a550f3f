//! Control plane: pictures and films of a run: PNG, animated PNG, GIF, MP4, GLB.
//!
//! A film is shown at the speed of the run, or faster or slower, so that it lasts two to eight seconds.

use std::borrow::Cow;
use std::io::{ErrorKind, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use fixstep_kernel::math::Vec3;
use fixstep_pictures::camera::{Camera, Framing, View};
use fixstep_pictures::files::{self, Apng, Gif, Palette};
use fixstep_pictures::gltf;
use fixstep_pictures::motion::Extent;
use fixstep_pictures::picture::Picture;
use fixstep_pictures::render::{Ground, Look, Renderer};
use fixstep_pictures::scene::{Film, Frame, Scene};

use crate::slave::Failure;

/// Pictures of a film per second.
const RATE: f64 = 25.0;
/// How long a film lasts \[s\].
const LASTS: [f64; 2] = [2.0, 8.0];
/// Frames from which a camera learns where the mechanism goes.
const SCOUTS: usize = 60;
/// Pictures from which a GIF learns its colours.
const SAMPLES: usize = 12;

/// What is filmed, and how it looks.
#[derive(Clone, Copy, Debug)]
pub struct Shooting<'a> {
    /// What is drawn.
    pub scene: &'a Scene,
    /// Its motion.
    pub film: &'a Film,
    /// From where.
    pub view: View,
    /// How.
    pub look: &'a Look,
}

impl Shooting<'_> {
    /// A picture of a frame, or of the end.
    pub fn still(&self, frame: Option<&Frame>) -> Result<Vec<u8>, Failure> {
        let frame = match frame {
            Some(frame) => frame,
            None => self.frame_at(f64::INFINITY)?,
        };
        let camera = self.camera(std::slice::from_ref(frame));
        let renderer = Renderer::new(self.scene, self.film, self.look.clone());
        files::png(&renderer.draw(frame, &camera)).map_err(failed)
    }

    /// An animated PNG. `told` receives the share that is done, as in all films.
    pub fn apng(&self, told: &mut dyn FnMut(f64)) -> Result<Vec<u8>, Failure> {
        let shots = self.shots()?;
        let size = [self.look.width, self.look.height];
        let mut file = Vec::new();
        let each = (1000.0 / RATE).round() as u16;
        let mut apng = Apng::new(&mut file, size, shots.len(), each).map_err(failed)?;
        let mut done = Done::of(shots.len(), told);
        self.draw(&shots, &mut |picture| {
            done.one();
            apng.push(picture).map_err(failed)
        })?;
        apng.finish().map_err(failed)?;
        Ok(file)
    }

    /// A GIF.
    pub fn gif(&self, told: &mut dyn FnMut(f64)) -> Result<Vec<u8>, Failure> {
        let shots = self.shots()?;
        let size = [self.look.width, self.look.height];
        let every = shots.len().div_ceil(SAMPLES).max(1);
        let sampled: Vec<&Frame> = shots.iter().step_by(every).copied().collect();
        let mut samples = Vec::new();
        let mut done = Done::of(sampled.len() + shots.len(), told);
        self.draw(&sampled, &mut |picture| {
            done.one();
            samples.push(picture.clone());
            Ok(())
        })?;
        let palette = Palette::of(&samples, 255);
        let mut file = Vec::new();
        let mut gif = Gif::new(&mut file, size, palette, 1000.0 / RATE).map_err(failed)?;
        self.draw(&shots, &mut |picture| {
            done.one();
            gif.push(picture).map_err(failed)
        })?;
        gif.finish().map_err(failed)?;
        Ok(file)
    }

    /// A video: `ffmpeg` compresses the pictures. An odd width or height is one more.
    pub fn mp4(&self, path: &Path, told: &mut dyn FnMut(f64)) -> Result<(), Failure> {
        let size = [self.look.width, self.look.height].map(|length| length.next_multiple_of(2));
        let look = Look {
            width: size[0],
            height: size[1],
            ..self.look.clone()
        };
        let even = Shooting {
            look: &look,
            ..*self
        };
        let shots = even.shots()?;
        let words = files::ffmpeg(size, RATE, &path.to_string_lossy());
        let mut command = Command::new("ffmpeg");
        command.args(words.iter().map(AsRef::as_ref));
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| match error.kind() {
            ErrorKind::NotFound => Failure(
                "the program ffmpeg, which makes the video, is not on the path; install it, or write --apng or --gif"
                    .to_owned(),
            ),
            _ => Failure(format!("ffmpeg: {error}")),
        })?;
        let mut done = Done::of(shots.len(), told);
        // A program that has given up takes no more pictures; what it says is told below.
        let drawn = match child.stdin.take() {
            Some(mut pipe) => even.draw(&shots, &mut |picture| {
                done.one();
                pipe.write_all(files::raw(picture)).map_err(failed)
            }),
            None => Ok(()),
        };
        let end = child.wait_with_output().map_err(failed)?;
        if !end.status.success() {
            let said = String::from_utf8_lossy(&end.stderr);
            let last = said.lines().last().unwrap_or("no reason given");
            return Err(Failure(format!("ffmpeg failed ({}): {last}", end.status)));
        }
        drawn
    }

    /// A scene that moves, for other programs: glTF in one binary file. Deformations are as large as in pictures.
    pub fn glb(&self) -> Result<Vec<u8>, Failure> {
        let mut scene = self.scene.clone();
        magnify(&mut scene, self.look.deformation);
        gltf::glb(&scene, self.film).map_err(failed)
    }

    /// The frame nearest to a time.
    fn frame_at(&self, time: f64) -> Result<&Frame, Failure> {
        let film = self.film;
        let after = film.partition_point(|frame| frame.time < time);
        let near = [after.checked_sub(1), Some(after)].into_iter().flatten();
        let far = |frame: &&Frame| (frame.time - time).abs();
        near.filter_map(|k| film.get(k))
            .min_by(|a, b| far(a).total_cmp(&far(b)))
            .ok_or_else(|| Failure("the run has no state that could be drawn".to_owned()))
    }

    /// How fast a film shows the run.
    fn speed(&self) -> f64 {
        match (self.film.first(), self.film.last()) {
            (Some(first), Some(last)) if last.time > first.time => {
                let span = last.time - first.time;
                span / span.clamp(LASTS[0], LASTS[1])
            }
            _ => 1.0,
        }
    }

    /// The frames of a film that is shown, one for each of its pictures.
    fn shots(&self) -> Result<Vec<&Frame>, Failure> {
        let (Some(first), Some(last)) = (self.film.first(), self.film.last()) else {
            return self.frame_at(0.0).map(|frame| vec![frame]);
        };
        let span = last.time - first.time;
        let count = (RATE * span.clamp(LASTS[0], LASTS[1])).round() as usize;
        let time = |k: usize| first.time + span * k as f64 / (count - 1) as f64;
        (0..count).map(|k| self.frame_at(time(k))).collect()
    }

    /// Draws frames with a camera that sees them all.
    fn draw(
        &self,
        shots: &[&Frame],
        take: &mut dyn FnMut(&Picture) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let camera = self.camera(self.film);
        let look = Look {
            speed: self.speed(),
            ..self.look.clone()
        };
        let renderer = Renderer::new(self.scene, self.film, look);
        for frame in shots {
            let by = self.carried(frame);
            take(&renderer.draw(frame, &camera.moved(&by)))?;
        }
        Ok(())
    }

    /// Where the body is that the camera follows.
    fn carried(&self, frame: &Frame) -> Vec3 {
        let pose = frame.poses.get(self.scene.follow);
        pose.map_or_else(Vec3::zeros, |pose| pose.place.position)
    }

    /// A point of what is seen: what is below a level ground is not drawn, and needs no room in the picture.
    fn above(&self, point: Vec3) -> Vec3 {
        let Ground::At(height) = self.look.ground else {
            return point;
        };
        let up = self.scene.up;
        let size = up.norm();
        if size == 0.0 {
            return point;
        }
        let under = height - up.dot(&point) / size;
        point + up * (under.max(0.0) / size)
    }

    /// A camera that sees some frames, each seen from the body that it follows; of one frame it is in its place.
    fn camera(&self, frames: &[Frame]) -> Camera {
        let aspect = self.look.width as f64 / self.look.height.max(1) as f64;
        let framing = Framing::new(self.view, self.scene.up, aspect);
        // A camera that follows a body does not look back at what stays behind.
        let mut scene = Cow::Borrowed(self.scene);
        if frames.len() > 1 && scene.follow > 0 {
            for ground in scene.to_mut().bodies.iter_mut().take(1) {
                ground.solids.clear();
            }
        }
        let extent = Extent::of(&scene);
        let every = frames.len().div_ceil(SCOUTS).max(1);
        let last = frames.last().into_iter();
        let mut points = Vec::new();
        let alone = frames.len() == 1;
        for frame in frames.iter().step_by(every).chain(last) {
            let from = if alone {
                Vec3::zeros()
            } else {
                self.carried(frame)
            };
            let seen = extent.points(frame).into_iter().map(|p| self.above(p));
            points.extend(seen.map(|point| point - from));
        }
        framing.around(&points)
    }
}

/// How much of a film is drawn.
struct Done<'a> {
    count: usize,
    of: usize,
    told: &'a mut dyn FnMut(f64),
}

impl<'a> Done<'a> {
    fn of(of: usize, told: &'a mut dyn FnMut(f64)) -> Self {
        Self { count: 0, of, told }
    }

    /// One picture more.
    fn one(&mut self) {
        self.count += 1;
        (self.told)(self.count as f64 / self.of.max(1) as f64);
    }
}

/// Deforms flexible bodies by a factor more.
fn magnify(scene: &mut Scene, factor: f64) {
    let grow = |moves: &mut [f32; 3]| *moves = moves.map(|x| (f64::from(x) * factor) as f32);
    for soft in scene
        .bodies
        .iter_mut()
        .filter_map(|body| body.soft.as_mut())
    {
        soft.modes.iter_mut().flatten().for_each(grow);
    }
    let points = { scene.links.iter_mut() }.flat_map(|link| &mut link.points);
    let points = points.chain(scene.arrows.iter_mut().map(|arrow| &mut arrow.at));
    points.for_each(|point| point.modes.iter_mut().for_each(grow));
}

fn failed(error: impl std::fmt::Display) -> Failure {
    Failure(error.to_string())
}

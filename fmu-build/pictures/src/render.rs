//! Control plane: pictures of a scene without a screen: a renderer with a depth buffer.
//!
//! Triangles are drawn on four or nine samples of each pixel, of which only the nearest triangle is kept; each triangle that
//! a pixel shows is then lit once. Threads share rows, and no result depends on their number. Numbers are added, multiplied,
//! divided and rooted in a fixed order: the same bytes on every platform.

mod geometry;
mod overlay;
mod raster;
mod resolve;
mod shade;
mod shadow;
mod small;

use std::collections::BTreeMap;
use std::sync::Arc;

use fixstep_kernel::math::{Vec3, tan};

use self::geometry::Geometry;
use self::raster::Projector;
use self::shade::{Floor, Scenery, Theme};
use self::shadow::Shadow;
use self::small::{Small, unit};
use crate::camera::{Camera, Lens, horizon};
use crate::motion::{self, Extent};
use crate::picture::Picture;
use crate::scene::{ArrowKind, Frame, Mesh, Origin, Scene};
use crate::solids::is_closed;

pub(crate) use geometry::{LINK_COLORS, damper_body};
pub(crate) use small::linear;
pub use small::scale;

/// What the colours of flexible bodies show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tint {
    /// The body's colour.
    Body,
    /// The length of the displacement in the body's frame: the deformation.
    Displacement,
    /// The von-Mises stress; bodies without stresses keep their colour.
    Stress,
}

/// Where the ground is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Ground {
    /// Nowhere.
    Nowhere,
    /// Below everything in the film, or at the origin of ground if that is close; nowhere if there is a road.
    Below,
    /// At a height above the origin of ground \[m\]; what is below is not drawn.
    At(f64),
}

impl Ground {
    /// The floor of a scene, or below everything.
    pub fn of(scene: &Scene) -> Self {
        scene.floor.map_or(Self::Below, Self::At)
    }
}

/// How a picture looks.
#[derive(Clone, Debug)]
pub struct Look {
    /// Pixels across.
    pub width: usize,
    /// Pixels down.
    pub height: usize,
    /// Nine samples for each pixel instead of four.
    pub fine: bool,
    /// A dark background.
    pub dark: bool,
    /// The ground.
    pub ground: Ground,
    /// Solids that are not drawn.
    pub hidden: Vec<Origin>,
    /// Springs, dampers, ropes?
    pub links: bool,
    /// Forces and torques?
    pub arrows: bool,
    /// Metres per newton; the longest of a film is a fifth of the mechanism's size unless this says otherwise.
    pub force_scale: Option<f64>,
    /// Metres per newton metre, in the same way.
    pub torque_scale: Option<f64>,
    /// Displacements of flexible bodies are drawn so many times as long.
    pub deformation: f64,
    /// What the colours of flexible bodies show.
    pub tint: Tint,
    /// The value of the last colour \[m, Pa\]; the greatest in the film unless this says otherwise.
    pub top: Option<f64>,
    /// The title, and the time?
    pub words: bool,
    /// The scale of what colours show?
    pub legend: bool,
    /// How fast a film shows the run, as a part of its own speed.
    pub speed: f64,
}

impl Default for Look {
    fn default() -> Self {
        Look {
            width: 1280,
            height: 720,
            fine: false,
            dark: false,
            ground: Ground::Below,
            hidden: Vec::new(),
            links: true,
            arrows: false,
            force_scale: None,
            torque_scale: None,
            deformation: 1.0,
            tint: Tint::Body,
            top: None,
            words: true,
            legend: true,
            speed: 1.0,
        }
    }
}

/// What all frames of a film have in common, so that a picture does not jump from one to the next.
struct Ranges {
    /// The least and the greatest length of each link \[m\].
    lengths: Vec<[f64; 2]>,
    /// The value of the last colour.
    top: f64,
    /// The greatest force and torque.
    forces: [f64; 2],
    /// Of the ground, above the origin \[m\].
    ground: Option<f64>,
    /// Is a surface closed? By its address.
    closed: BTreeMap<usize, bool>,
}

/// A surface's address, by which surfaces that are shared are known.
fn address(mesh: &Arc<Mesh>) -> usize {
    Arc::as_ptr(mesh) as usize
}

impl Ranges {
    fn of(scene: &Scene, film: &[Frame], look: &Look) -> Self {
        let mut ranges = Ranges {
            lengths: link_lengths(scene, film),
            top: look.top.unwrap_or(0.0),
            forces: [0.0; 2],
            ground: ground(scene, film, look.ground),
            closed: BTreeMap::new(),
        };
        for solid in scene.bodies.iter().flat_map(|body| &body.solids) {
            ranges
                .closed
                .entry(address(&solid.mesh))
                .or_insert_with(|| is_closed(&solid.mesh));
        }
        ranges.forces = usual(scene, film);
        if look.top.is_none() && look.tint != Tint::Body {
            for frame in chosen(film, 100) {
                for (body, pose) in scene.bodies.iter().zip(&frame.poses) {
                    let Some(soft) = &body.soft else { continue };
                    let values = match look.tint {
                        Tint::Stress => motion::von_mises(soft, pose).unwrap_or_default(),
                        _ => motion::displacements(soft, pose)
                            .iter()
                            .map(Vec3::norm)
                            .collect(),
                    };
                    ranges.top = values.into_iter().fold(ranges.top, f64::max);
                }
            }
        }
        ranges
    }

    fn arrow_scale(&self, kind: ArrowKind, look: &Look, size: f64) -> f64 {
        let (greatest, given) = match kind {
            ArrowKind::Force => (self.forces[0], look.force_scale),
            ArrowKind::Torque => (self.forces[1], look.torque_scale),
        };
        given.unwrap_or(if greatest > 0.0 {
            0.2 * size / greatest
        } else {
            0.0
        })
    }
}

/// What 95 % of the forces and of the torques of a film stay below: a peak would leave nothing of the others. Torques that are
/// rounding beside the forces count as none.
fn usual(scene: &Scene, film: &[Frame]) -> [f64; 2] {
    let mut sizes = [Vec::new(), Vec::new()];
    for frame in film {
        for (arrow, vector) in scene.arrows.iter().zip(&frame.arrows) {
            let size = Vec3::from(*vector).norm();
            if size > 0.0 && size.is_finite() {
                sizes[usize::from(arrow.kind == ArrowKind::Torque)].push(size);
            }
        }
    }
    let largest = sizes[0].iter().copied().fold(0.0, f64::max);
    sizes[1].retain(|size| *size > 1e-9 * largest * scene.size);
    sizes.map(|mut all| {
        all.sort_by(f64::total_cmp);
        let last = all.len().saturating_sub(1);
        all.get(last * 19 / 20).copied().unwrap_or(0.0)
    })
}

/// The least and the greatest distance between the ends of each link \[m\].
pub(crate) fn link_lengths(scene: &Scene, film: &[Frame]) -> Vec<[f64; 2]> {
    let of = |link: &crate::scene::Link| {
        let mut range = [f64::INFINITY, 0.0];
        for frame in film {
            if let [a, .., b] = link.points.as_slice() {
                let length = (motion::point(frame, b, 1.0) - motion::point(frame, a, 1.0)).norm();
                range = [range[0].min(length), range[1].max(length)];
            }
        }
        if range[0] <= range[1] {
            range
        } else {
            [0.0; 2]
        }
    };
    scene.links.iter().map(of).collect()
}

/// Not more than so many frames, evenly over a film, its first and last among them.
fn chosen(film: &[Frame], most: usize) -> impl Iterator<Item = &Frame> {
    let count = film.len().min(most);
    let last = film.len().saturating_sub(1);
    (0..count).map(move |k| &film[if count > 1 { k * last / (count - 1) } else { 0 }])
}

fn ground(scene: &Scene, film: &[Frame], wanted: Ground) -> Option<f64> {
    match wanted {
        Ground::Nowhere => None,
        Ground::At(height) => Some(height),
        Ground::Below => {
            let mut solids = scene.bodies.iter().flat_map(|body| &body.solids);
            if solids.any(|solid| solid.origin == Origin::Road) {
                return None;
            }
            let extent = Extent::of(scene);
            let [.., up] = horizon(&scene.up);
            let points = chosen(film, 200).flat_map(|frame| extent.points(frame));
            let lowest = points.map(|p| p.dot(&up)).fold(f64::INFINITY, f64::min);
            let close = lowest.abs() <= 0.03 * scene.size;
            lowest
                .is_finite()
                .then_some(if close { 0.0 } else { lowest })
        }
    }
}

/// Draws frames of a film.
pub struct Renderer<'a> {
    scene: &'a Scene,
    look: Look,
    ranges: Ranges,
    /// How many threads draw; pictures do not depend on it.
    pub threads: usize,
}

impl<'a> Renderer<'a> {
    /// For frames of a film; the film says how long links and forces get.
    pub fn new(scene: &'a Scene, film: &[Frame], look: Look) -> Self {
        let threads = std::thread::available_parallelism()
            .map_or(1, usize::from)
            .min(8);
        let ranges = Ranges::of(scene, film, &look);
        Renderer {
            scene,
            look,
            ranges,
            threads,
        }
    }

    /// Towards the lamp, as a camera sees the scene; of length 1.
    pub fn lamp(&self, camera: &Camera) -> Vec3 {
        let [lamp, _] = lamps(self.scene, camera);
        Vec3::from(lamp.map(f64::from))
    }

    /// A picture of a frame.
    pub fn draw(&self, frame: &Frame, camera: &Camera) -> Picture {
        let (look, scene) = (&self.look, self.scene);
        let origin = camera.target;
        let mut geometry = Geometry::of(scene, frame, look, &self.ranges, origin);
        if let (Ground::At(height), [.., up]) = (look.ground, horizon(&scene.up)) {
            // What is below a floor is not seen.
            geometry.cut(small(&up), (height - origin.dot(&up)) as f32);
        }
        let projector = projector(camera, [look.width, look.height], scene.size);
        let [lamp, fill] = lamps(scene, camera);
        let shadow = Shadow::of(&geometry, lamp, projector.right, 1536, self.threads);
        let facets = resolve::facets(&mut geometry, &projector, [look.width, look.height]);
        let floor = self.floor(camera);
        let theme = Theme::of(look.dark);
        let [.., up] = horizon(&scene.up);
        let scenery = Scenery {
            geometry: &geometry,
            projector: &projector,
            shadow: shadow.as_ref(),
            floor: floor.as_ref(),
            theme: &theme,
            lamp,
            fill,
            up: small(&up),
            height: look.height as f32,
        };
        let mut picture = resolve::picture(&scenery, &facets, look, self.threads);
        overlay::draw(&mut picture, scene, frame, camera, look, self.ranges.top);
        picture
    }

    fn floor(&self, camera: &Camera) -> Option<Floor> {
        let height = self.ranges.ground?;
        let [right, forward, up] = horizon(&self.scene.up);
        let middle = camera.target;
        let distance = match camera.lens {
            Lens::Perspective(field) => 2.0 * tan(0.5 * field) * (camera.eye - middle).norm(),
            Lens::Orthographic(tall) => tall,
        };
        // some eight lines over the height of the picture, at 1, 2 or 5 of a decade
        let (step, bold) = round_step(distance / 8.0);
        let whole = step * bold;
        let offset = [right, forward].map(|axis| {
            let place = middle.dot(&axis);
            (place - (place / whole).floor() * whole) as f32
        });
        let down = height - middle.dot(&up);
        let size = distance.max(self.scene.size);
        Some(Floor {
            point: small(&(up * down)),
            axes: [small(&right), small(&forward)],
            offset,
            step: step as f32,
            bold: bold as f32,
            fade: [(1.2 * size) as f32, (6.0 * size) as f32],
        })
    }
}

/// The largest of 1, 2, 5 times a power of ten that is not above a number, and how many of them make the next power.
fn round_step(most: f64) -> (f64, f64) {
    let mut decade = 1.0;
    if !(most > 1e-9 && most < 1e9) {
        return (1.0, 10.0);
    }
    while decade > most {
        decade /= 10.0;
    }
    while decade * 10.0 <= most {
        decade *= 10.0;
    }
    if decade * 5.0 <= most {
        (decade * 5.0, 2.0)
    } else if decade * 2.0 <= most {
        (decade * 2.0, 5.0)
    } else {
        (decade, 10.0)
    }
}

/// From the left and above behind the viewer, and opposite; they turn with the viewer about the upward direction only.
fn lamps(scene: &Scene, camera: &Camera) -> [Small; 2] {
    let [.., up] = horizon(&scene.up);
    let right: Vec3 = camera.axes.column(0).into();
    let flat = (right - up * right.dot(&up))
        .try_normalize(1e-3)
        .unwrap_or_else(|| horizon(&up)[0]);
    let back = flat.cross(&up);
    let lamp = up * 0.80 - flat * 0.42 + back * 0.43;
    let fill = flat * 0.75 + back * 0.5 + up * 0.1;
    [unit(small(&lamp)), unit(small(&fill))]
}

fn small(v: &Vec3) -> Small {
    [v[0] as f32, v[1] as f32, v[2] as f32]
}

/// Of a camera, around its target.
fn projector(camera: &Camera, [width, height]: [usize; 2], size: f64) -> Projector {
    let axis = |k: usize| small(&camera.axes.column(k).into());
    let h = height as f64;
    let (perspective, scale) = match camera.lens {
        Lens::Perspective(field) => (true, 0.5 * h / tan(0.5 * field)),
        Lens::Orthographic(tall) => (false, h / tall),
    };
    Projector {
        eye: small(&(camera.eye - camera.target)),
        right: axis(0),
        up: axis(1),
        back: axis(2),
        scale: scale as f32,
        middle: [0.5 * width as f32, 0.5 * height as f32],
        perspective,
        near: (1e-3 * size) as f32,
    }
}

/// Work for each of some threads, one by one in turn.
fn shares<T>(work: &mut Vec<T>, threads: usize) -> Vec<Vec<T>> {
    let mut shares: Vec<Vec<T>> = (0..threads.max(1)).map(|_| Vec::new()).collect();
    for (k, item) in work.drain(..).enumerate() {
        shares[k % threads.max(1)].push(item);
    }
    shares
}

//! Pictures of a made-up scene, to be looked at: `cargo run --example gallery FOLDER`.

#[path = "../tests/it/synthetic.rs"]
mod synthetic;

use std::error::Error;
use std::path::Path;
use std::time::Instant;
use std::{env, fs};

use fixstep_kernel::math::Vec3;
use fixstep_kernel::math::rotation::matrix;
use fixstep_pictures::camera::{Framing, View};
use fixstep_pictures::files::{Gif, Palette};
use fixstep_pictures::motion::{self, Extent};
use fixstep_pictures::picture::Picture;
use fixstep_pictures::render::{Look, Renderer, Tint};
use fixstep_pictures::scene::{Frame, LinkKind, Point, Scene};
use fixstep_pictures::{files, gltf};
use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = env::args().nth(1).ok_or("name a folder")?;
    let folder = Path::new(&folder);
    fs::create_dir_all(folder)?;
    let scene = synthetic::scene();
    let film = synthetic::film(61, 2.0);
    views(folder, &scene, &film)?;
    crowd(folder)?;
    moving(folder, &scene, &film)?;
    fs::write(folder.join("scene.glb"), gltf::glb(&scene, &film)?)?;
    fs::write(folder.join("film.json"), told(&scene, &film).to_string())?;
    Ok(())
}

/// A frame in several views and looks.
fn views(folder: &Path, scene: &Scene, film: &[Frame]) -> Result<(), Box<dyn Error>> {
    let usual = Look::default();
    let looks = [
        ("corner", View::Corner, usual.clone()),
        (
            "dark",
            View::Corner,
            Look {
                dark: true,
                arrows: true,
                ..usual.clone()
            },
        ),
        (
            "fine",
            View::From {
                azimuth: -0.5,
                elevation: 0.25,
            },
            Look {
                fine: true,
                arrows: true,
                ..usual.clone()
            },
        ),
        ("front", View::Front, usual.clone()),
        ("top", View::Top, usual.clone()),
        (
            "stress",
            View::From {
                azimuth: 0.3,
                elevation: 0.3,
            },
            Look {
                tint: Tint::Stress,
                ..usual.clone()
            },
        ),
        (
            "moved",
            View::From {
                azimuth: -0.6,
                elevation: 0.5,
            },
            Look {
                tint: Tint::Displacement,
                deformation: 2.0,
                dark: true,
                ..usual
            },
        ),
    ];
    let frame = &film[20];
    let points = Extent::of(scene).points(frame);
    for (name, view, look) in looks {
        let mut framing = Framing::new(view, scene.up, 16.0 / 9.0);
        if matches!(name, "front" | "top") {
            framing.field = None;
        }
        let renderer = Renderer::new(scene, film, look);
        let picture = renderer.draw(frame, &framing.around(&points));
        fs::write(folder.join(format!("{name}.png")), files::png(&picture)?)?;
    }
    Ok(())
}

/// A hundred bodies, and how long their picture takes.
fn crowd(folder: &Path) -> Result<(), Box<dyn Error>> {
    let (crowd, still) = synthetic::crowd();
    let renderer = Renderer::new(&crowd, &still, Look::default());
    let camera = Framing::new(View::Corner, crowd.up, 16.0 / 9.0)
        .around(&Extent::of(&crowd).points(&still[0]));
    let began = Instant::now();
    let picture = renderer.draw(&still[0], &camera);
    let took = began.elapsed();
    fs::write(
        folder.join("crowd.txt"),
        format!("{took:?} for a picture of 100 bodies\n"),
    )?;
    fs::write(folder.join("crowd.png"), files::png(&picture)?)?;
    Ok(())
}

/// A film as GIF.
fn moving(folder: &Path, scene: &Scene, film: &[Frame]) -> Result<(), Box<dyn Error>> {
    let small = Look {
        width: 480,
        height: 270,
        ..Look::default()
    };
    let framing = Framing::new(View::Corner, scene.up, 16.0 / 9.0);
    let camera = framing.around(&Extent::of(scene).points(&film[0]));
    let renderer = Renderer::new(scene, film, small);
    let pictures: Vec<Picture> = film
        .iter()
        .step_by(2)
        .map(|frame| renderer.draw(frame, &camera))
        .collect();
    let palette = Palette::of(pictures.iter().step_by(6), 255);
    let mut gif = Gif::new(
        fs::File::create(folder.join("film.gif"))?,
        [480, 270],
        palette,
        66.0,
    )?;
    for picture in &pictures {
        gif.push(picture)?;
    }
    gif.finish()?;
    Ok(())
}

/// What `tests/gltf.mjs` compares with the GLB: at fifty times the poses, corners of flexible bodies, ends of springs.
fn told(scene: &Scene, film: &[Frame]) -> Value {
    let frames: Vec<&Frame> = film.iter().take(50).collect();
    let list = |v: Vec3| [v[0], v[1], v[2]];
    let bodies: Vec<Value> = scene
        .bodies
        .iter()
        .enumerate()
        .map(|(number, body)| {
            let positions: Vec<_> = frames
                .iter()
                .map(|f| list(f.poses[number].place.position))
                .collect();
            let axes: Vec<_> = frames
                .iter()
                .map(|f| {
                    let turn = matrix(&f.poses[number].place.rotation);
                    [0, 1, 2].map(|k| list(turn.column(k).into()))
                })
                .collect();
            let mut told = json!({"name": body.name, "positions": positions, "axes": axes});
            if let Some(soft) = &body.soft {
                let numbers: Vec<usize> = (0..soft.mesh.points.len()).step_by(37).collect();
                let place = |frame: &Frame, k: usize| {
                    let corner = Point {
                        body: number,
                        position: Vec3::from(soft.mesh.points[k].map(f64::from)),
                        modes: soft.modes.iter().map(|mode| mode[k]).collect(),
                    };
                    list(motion::point(frame, &corner, 1.0))
                };
                let places: Vec<Vec<_>> = frames
                    .iter()
                    .map(|f| numbers.iter().map(|k| place(f, *k)).collect())
                    .collect();
                told["corners"] = json!({"numbers": numbers, "places": places});
            }
            told
        })
        .collect();
    // the node of each strut's coil: three nodes for each, after the bodies
    let links: Vec<Value> = scene
        .links
        .iter()
        .enumerate()
        .filter(|(_, link)| link.kind == LinkKind::Strut)
        .map(|(k, link)| {
            let end = |n: usize| -> Vec<_> {
                frames
                    .iter()
                    .map(|f| list(motion::point(f, &link.points[n], 1.0)))
                    .collect()
            };
            let lengths: Vec<f64> = film
                .iter()
                .map(|f| {
                    (motion::point(f, &link.points[1], 1.0)
                        - motion::point(f, &link.points[0], 1.0))
                    .norm()
                })
                .collect();
            let fold = |f: fn(f64, f64) -> f64| lengths.iter().copied().reduce(f).unwrap_or(0.0);
            let middle = 0.5 * (fold(f64::min) + fold(f64::max));
            json!({"name": link.name, "node": scene.bodies.len() + 3 * k, "from": 0.0, "to": middle,
                "first": end(0), "last": end(1)})
        })
        .collect();
    let times: Vec<f64> = frames.iter().map(|f| f.time).collect();
    json!({"times": times, "turn": [[1, 0, 0], [0, 0, 1], [0, -1, 0]], "tolerance": 2e-5, "bodies": bodies, "links": links})
}

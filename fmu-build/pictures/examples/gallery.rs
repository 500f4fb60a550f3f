//! Pictures of a made-up scene, to be looked at: `cargo run --example gallery FOLDER`.

#[path = "../tests/it/synthetic.rs"]
mod synthetic;

use std::error::Error;
use std::path::Path;
use std::{env, fs};

use fixstep_pictures::camera::{Framing, View};
use fixstep_pictures::files;
use fixstep_pictures::motion::Extent;
use fixstep_pictures::render::{Look, Renderer, Tint};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = env::args().nth(1).ok_or("name a folder")?;
    let folder = Path::new(&folder);
    fs::create_dir_all(folder)?;
    let scene = synthetic::scene();
    let film = synthetic::film(61, 2.0);
    let usual = Look::default();
    let looks = [
        ("corner", View::Corner, usual.clone()),
        ("dark", View::Corner, Look { dark: true, arrows: true, ..usual.clone() }),
        ("fine", View::From { azimuth: -0.5, elevation: 0.25 }, Look { fine: true, arrows: true, ..usual.clone() }),
        ("front", View::Front, usual.clone()),
        ("top", View::Top, usual.clone()),
        (
            "stress",
            View::From { azimuth: 0.3, elevation: 0.3 },
            Look { tint: Tint::Stress, ..usual.clone() },
        ),
        (
            "moved",
            View::From { azimuth: -0.6, elevation: 0.5 },
            Look { tint: Tint::Displacement, deformation: 2.0, dark: true, ..usual },
        ),
    ];
    let frame = &film[20];
    let points = Extent::of(&scene).points(frame);
    for (name, view, look) in looks {
        let mut framing = Framing::new(view, scene.up, 16.0 / 9.0);
        if matches!(name, "front" | "top") {
            framing.field = None;
        }
        let renderer = Renderer::new(&scene, &film, look);
        let picture = renderer.draw(frame, &framing.around(&points));
        fs::write(folder.join(format!("{name}.png")), files::png(&picture)?)?;
    }
    Ok(())
}

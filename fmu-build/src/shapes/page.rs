//! Control plane: a page that animates the modes of a flexible body.

use super::{Wire, hertz};
use crate::page::{Content, Page, Scene, Shape, Style};

/// The file.
pub(super) fn write(wire: &Wire) -> String {
    let chains = wire.chains.iter();
    let chains = chains.map(|chain| (Style::Limb, chain.clone())).collect();
    let mut scene = Scene::of(&wire.points, chains, None);
    for (point, name) in &wire.named {
        scene.name(*point, name);
    }
    for (k, (frequency, label)) in wire.modes.iter().enumerate() {
        scene.add(&Shape {
            frequency: hertz(*frequency),
            label: label.clone(),
            real: wire.shapes[k].clone(),
            imaginary: None,
            largest: wire.largest[k],
        });
    }
    let mut page = Page {
        title: wire.title.clone(),
        ..Page::default()
    };
    page.add("Modes", Content::Scene(Box::new(scene)));
    page.html()
}

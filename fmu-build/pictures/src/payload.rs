//! Control plane: the data of the page of a run: JSON with what has a name, and a binary part with what is long.
//!
//! Unpacked: the length of the JSON (u32, little-endian), the JSON in UTF-8, zeros up to a multiple of 8, the binary part.
//! An array in the binary part is an object `{"at", "n", "type"}` with `min` and `scale` where whole numbers stand for a
//! range. In the page it stands compressed by gzip, as base64.

mod base64;
mod binary;
mod contents;
mod scenery;
mod sheets;
mod text;

use std::io::{self, Write};

use flate2::write::GzEncoder;
use flate2::{Compression, GzBuilder};
use serde_json::{Value, json};

pub use self::base64::base64;
use self::binary::Binary;
pub use contents::{
    Against, Contents, Display, Figure, Grade, Group, Histogram, Kind, PageKind, Parameter, Signal,
    Unit, Warning,
};
pub use sheets::{
    Cell, Chart, ChartLine, ChartPanel, Content, Marker, Part, Shape, ShapeMotion, SmallMotion,
    Tab, Table,
};

use crate::gltf::GltfError;

/// Why a page cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum PayloadError {
    /// The film does not fit the scene.
    #[error("{0}")]
    Film(#[from] GltfError),
    /// A signal names a base that is not there.
    #[error("signal \"{name}\": base {base}, where there are {bases}")]
    Base {
        /// The signal.
        name: String,
        /// The number of its base.
        base: usize,
        /// How many there are.
        bases: usize,
    },
    /// A signal does not fit its base.
    #[error("signal \"{name}\": {got} values at the {expected} times of its base")]
    Length {
        /// The signal.
        name: String,
        /// How many values it has.
        got: usize,
        /// How many times its base has.
        expected: usize,
    },
    /// A panel shows a signal that is not there.
    #[error("panel {panel} shows \"{name}\", which is no signal of the page")]
    Panel {
        /// The number of the panel, from 0.
        panel: usize,
        /// The name.
        name: String,
    },
    /// A histogram needs one edge more than counts.
    #[error(
        "histogram \"{name}\": {edges} edges for {counts} counts; it needs one edge more than counts"
    )]
    Histogram {
        /// Its name.
        name: String,
        /// How many edges.
        edges: usize,
        /// How many counts.
        counts: usize,
    },
    /// The JSON is longer than its length can say.
    #[error("the text of the page has {0} bytes; 4 GB is the most")]
    Long(usize),
}

/// The data of a page, unpacked.
pub fn pack(contents: &Contents<'_>) -> Result<Vec<u8>, PayloadError> {
    check(contents)?;
    let mut binary = Binary::default();
    let scene = contents.scene;
    let [meshes, bodies] = scenery::bodies(&mut binary, scene);
    let frames = scenery::frames(&mut binary, scene, contents.film);
    let arrows = scenery::arrows(&mut binary, scene, contents.film);
    let signals = |binary: &mut Binary, signals: &[Signal]| -> Vec<Value> {
        signals
            .iter()
            .map(|signal| signal_json(binary, signal))
            .collect()
    };
    let bases = |binary: &mut Binary, bases: &[Vec<f64>]| -> Vec<Value> {
        bases.iter().map(|times| binary.f64(times)).collect()
    };
    let shapes = sheets::shapes(&mut binary, scene, &contents.shapes);
    let tabs = sheets::tabs(&mut binary, &contents.tabs);
    let own_bases = bases(&mut binary, &contents.bases);
    let own_signals = signals(&mut binary, &contents.signals);
    let against = contents.against.as_ref().map(|against| {
        json!({
            "name": against.name,
            "bases": bases(&mut binary, &against.bases),
            "signals": signals(&mut binary, &against.signals),
        })
    });
    let all = json!({
        "format": 1,
        "kind": contents.kind,
        "title": scene.title,
        "subtitle": contents.subtitle,
        "up": text::vector(&scene.up),
        "size": scene.size,
        "floor": scene.floor,
        "follow": scene.follow,
        "length": contents.length,
        "force": contents.force,
        "torque": contents.torque,
        "mass": contents.mass,
        "meshes": meshes,
        "bodies": bodies,
        "links": scenery::links(scene),
        "arrows": arrows,
        "joints": scenery::joints(scene),
        "frames": frames,
        "bases": own_bases,
        "signals": own_signals,
        "against": against,
        "parameters": contents.parameters,
        "warnings": contents.warnings,
        "figures": contents.figures,
        "histograms": contents.histograms,
        "about": contents.about,
        "panels": contents.panels,
        "shapes": shapes,
        "markers": sheets::markers(&contents.markers),
        "marked": contents.marked,
        "tabs": tabs,
        "notice": contents.notice,
        "live": contents.live,
    });
    let json = all.to_string().into_bytes();
    let length = u32::try_from(json.len()).map_err(|_| PayloadError::Long(json.len()))?;
    let mut out = length.to_le_bytes().to_vec();
    out.extend(json);
    out.resize(out.len().next_multiple_of(8), 0);
    out.extend(binary.bytes);
    Ok(out)
}

/// What stands in the page: gzip, then base64. The same bytes at any time, on any processor.
pub fn compressed(unpacked: &[u8]) -> io::Result<String> {
    let mut encoder: GzEncoder<Vec<u8>> = GzBuilder::new().write(Vec::new(), Compression::new(9));
    encoder.write_all(unpacked)?;
    Ok(base64(&encoder.finish()?))
}

fn check(contents: &Contents<'_>) -> Result<(), PayloadError> {
    // A page without bodies has no film.
    if !(contents.scene.bodies.is_empty() && contents.film.is_empty()) {
        crate::gltf::check(contents.scene, contents.film)?;
    }
    for shape in &contents.shapes {
        if let ShapeMotion::Film(film) = &shape.motion {
            crate::gltf::check(contents.scene, film)?;
        }
    }
    let against = contents.against.as_ref();
    let groups = [
        Some((&contents.bases, &contents.signals)),
        against.map(|against| (&against.bases, &against.signals)),
    ];
    for (bases, signals) in groups.into_iter().flatten() {
        for signal in signals {
            let Some(times) = bases.get(signal.base) else {
                return Err(PayloadError::Base {
                    name: signal.name.clone(),
                    base: signal.base,
                    bases: bases.len(),
                });
            };
            if times.len() != signal.values.len() {
                return Err(PayloadError::Length {
                    name: signal.name.clone(),
                    got: signal.values.len(),
                    expected: times.len(),
                });
            }
        }
    }
    for (panel, names) in contents.panels.iter().enumerate() {
        let known = |name: &&String| contents.signals.iter().any(|signal| signal.name == **name);
        if let Some(name) = names.iter().find(|name| !known(name)) {
            return Err(PayloadError::Panel {
                panel,
                name: name.clone(),
            });
        }
    }
    for histogram in &contents.histograms {
        if histogram.edges.len() != histogram.counts.len() + 1 {
            return Err(PayloadError::Histogram {
                name: histogram.name.clone(),
                edges: histogram.edges.len(),
                counts: histogram.counts.len(),
            });
        }
    }
    Ok(())
}

fn signal_json(binary: &mut Binary, signal: &Signal) -> Value {
    json!({
        "name": signal.name,
        "unit": signal.unit,
        "display": signal.display,
        "group": signal.group,
        "description": signal.description,
        "base": signal.base,
        "values": binary.signal(&signal.values),
        "thinned": signal.thinned,
    })
}

//! Control plane: moving pictures of mechanisms: an SVG that plays by itself, in a page or a browser.
//!
//! Reading order: [`Animation`] (probes the model, gathers its frames), [`scene`] (what is drawn of
//! a model), [`view`] (from where), [`svg`] (the file).

mod scene;
mod svg;
#[cfg(test)]
mod tests;
mod view;

pub(crate) use view::directions;

use fixstep::math::{Mat3, Vec3};
use fixstep::model::Model;

use crate::csv::Table;
use crate::slave::Failure;
use scene::Scene;

/// What the names of probes begin with.
const PREFIX: &str = "animation_";
/// Most frames that a picture has.
const FRAMES: usize = 60;

/// Place and axes of a body.
#[derive(Clone, Copy, Debug)]
struct Pose {
    place: Vec3,
    axes: Mat3,
}

/// A model being filmed.
#[derive(Debug)]
pub struct Animation {
    scene: Scene,
    /// Name and times of the film.
    title: String,
}

/// A film: poses of all bodies at some times.
#[derive(Debug)]
struct Film {
    /// By frame, then body.
    frames: Vec<Vec<Pose>>,
    /// Time between the first and the last frame \[s\].
    duration: f64,
}

impl Animation {
    /// Prepares to film a model.
    pub fn of(model: &Model) -> Self {
        Self {
            scene: Scene::of(model),
            title: model.name.clone(),
        }
    }

    /// The text of a model with probes: markers on each body, and outputs that tell where they are.
    pub fn probed(&self, text: &str) -> Result<String, Failure> {
        let fail = |error| Failure(format!("animation: {error}"));
        let mut json: serde_json::Value = serde_json::from_str(text).map_err(fail)?;
        for (body, name) in self.scene.names.iter().enumerate().skip(1) {
            for (axis, place) in self.scene.probes(body).into_iter().enumerate() {
                let marker = format!("{PREFIX}{body}_{axis}");
                let place = place / self.scene.unit;
                push(
                    &mut json,
                    "markers",
                    serde_json::json!({
                        "name": marker, "part": name, "position": [place.x, place.y, place.z],
                    }),
                );
                for component in ["x", "y", "z"] {
                    push(
                        &mut json,
                        "outputs",
                        serde_json::json!({
                            "name": format!("{marker}_{component}"),
                            "expression": format!("D{component}({marker})"),
                        }),
                    );
                }
            }
        }
        Ok(json.to_string())
    }

    /// Takes the probes out of a table of results; the picture of what they saw.
    pub fn develop(&self, table: &mut Table, units: &mut Vec<String>) -> Result<String, Failure> {
        let film = self.film(table)?;
        let kept: Vec<bool> = table
            .names
            .iter()
            .map(|name| !name.starts_with(PREFIX))
            .collect();
        retain(&mut table.names, &kept);
        retain(&mut table.columns, &kept);
        retain(units, &kept);
        Ok(svg::draw(&self.title, &self.scene, &film))
    }

    /// Poses of all bodies in evenly spaced rows of the table.
    fn film(&self, table: &Table) -> Result<Film, Failure> {
        let column = |name: &str| {
            let k = table.names.iter().position(|n| n == name);
            k.map(|k| &table.columns[k])
                .ok_or_else(|| Failure(format!("animation: no column \"{name}\"")))
        };
        let time = column("time")?;
        let rows = time.len();
        let count = rows.min(FRAMES);
        let chosen: Vec<usize> = (0..count)
            .map(|k| k * (rows - 1) / (count - 1).max(1))
            .collect();
        let ground = Pose {
            place: Vec3::zeros(),
            axes: Mat3::identity(),
        };
        let mut frames = vec![vec![ground; self.scene.names.len()]; count];
        for body in 1..self.scene.names.len() {
            let mut points = Vec::new();
            for axis in 0..self.scene.probes(body).len() {
                let parts = ["x", "y", "z"].map(|c| column(&format!("{PREFIX}{body}_{axis}_{c}")));
                let [x, y, z] = parts;
                points.push([x?, y?, z?]);
            }
            for (frame, &row) in frames.iter_mut().zip(&chosen) {
                let at =
                    |k: usize| Vec3::from(points[k].map(|column| column[row])) * self.scene.unit;
                frame[body] = self.scene.pose(body, &at);
            }
        }
        let duration = match (chosen.first(), chosen.last()) {
            (Some(&first), Some(&last)) => time[last] - time[first],
            _ => 0.0,
        };
        Ok(Film { frames, duration })
    }
}

fn push(json: &mut serde_json::Value, list: &str, entity: serde_json::Value) {
    let lists = json[list].take();
    let mut entries = match lists {
        serde_json::Value::Array(entries) => entries,
        _ => Vec::new(),
    };
    entries.push(entity);
    json[list] = serde_json::Value::Array(entries);
}

fn retain<T>(list: &mut Vec<T>, kept: &[bool]) {
    let mut kept = kept.iter();
    list.retain(|_| kept.next().copied().unwrap_or(true));
}

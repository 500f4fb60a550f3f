//! A film as GLB, read back number by number. (`tests/gltf.mjs` asks the Khronos validator and three.)

use fixstep_kernel::math::Vec3;
use fixstep_kernel::math::rotation::matrix;
use fixstep_pictures::gltf::glb;
use fixstep_pictures::motion::point;
use fixstep_pictures::scene::Film;
use serde_json::Value;

use crate::synthetic;

struct File {
    json: Value,
    binary: Vec<u8>,
}

fn word(bytes: &[u8], at: usize) -> usize {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize
}

impl File {
    fn of(bytes: &[u8]) -> Self {
        assert_eq!(&bytes[..4], b"glTF");
        assert_eq!(word(bytes, 4), 2);
        assert_eq!(word(bytes, 8), bytes.len());
        let length = word(bytes, 12);
        assert_eq!((&bytes[16..20], length % 4), (b"JSON".as_slice(), 0));
        let json = serde_json::from_slice(&bytes[20..20 + length]).unwrap();
        let rest = 20 + length;
        assert_eq!(&bytes[rest + 4..rest + 8], b"BIN\0");
        assert_eq!(word(bytes, rest), bytes.len() - rest - 8);
        File {
            json,
            binary: bytes[rest + 8..].to_vec(),
        }
    }

    fn floats(&self, accessor: &Value) -> Vec<f32> {
        let accessor = &self.json["accessors"][accessor.as_u64().unwrap() as usize];
        assert_eq!(accessor["componentType"], 5126);
        let view = &self.json["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
        let (at, length) = (
            view["byteOffset"].as_u64().unwrap(),
            view["byteLength"].as_u64().unwrap(),
        );
        let bytes = &self.binary[at as usize..(at + length) as usize];
        let floats: Vec<f32> = bytes
            .as_chunks::<4>()
            .0
            .iter()
            .map(|b| f32::from_le_bytes(*b))
            .collect();
        if let Some(least) = accessor["min"].as_array() {
            let width = least.len();
            for k in 0..width {
                let column = || floats.iter().skip(k).step_by(width).copied();
                assert_eq!(
                    accessor["min"][k].as_f64().unwrap() as f32,
                    column().fold(f32::MAX, f32::min)
                );
                assert_eq!(
                    accessor["max"][k].as_f64().unwrap() as f32,
                    column().fold(f32::MIN, f32::max)
                );
            }
        }
        floats
    }

    /// The number of the node of this name among the children of the root.
    fn node(&self, name: &str) -> usize {
        let root = self.json["scenes"][0]["nodes"][0].as_u64().unwrap() as usize;
        let children = self.json["nodes"][root]["children"].as_array().unwrap();
        let numbers = children.iter().map(|k| k.as_u64().unwrap() as usize);
        numbers
            .into_iter()
            .find(|k| self.json["nodes"][*k]["name"] == name)
            .unwrap()
    }

    /// Times and values of a channel.
    fn channel(&self, node: usize, path: &str) -> Option<(Vec<f32>, Vec<f32>)> {
        let animation = &self.json["animations"][0];
        let channels = animation["channels"].as_array()?;
        let found = channels
            .iter()
            .find(|c| c["target"]["node"] == node && c["target"]["path"] == path)?;
        let sampler = &animation["samplers"][found["sampler"].as_u64()? as usize];
        Some((
            self.floats(&sampler["input"]),
            self.floats(&sampler["output"]),
        ))
    }
}

fn agree(file: &File, film: &Film, shift: f64) {
    let scene = synthetic::scene();
    for (number, body) in scene.bodies.iter().enumerate().skip(1) {
        let node = file.node(&body.name);
        let still = &file.json["nodes"][node];
        let positions = file.channel(node, "translation");
        let rotations = file.channel(node, "rotation");
        for (k, frame) in film.iter().enumerate() {
            let place = &frame.poses[number].place;
            let value = |track: &Option<(Vec<f32>, Vec<f32>)>,
                         name: &str,
                         width: usize,
                         c: usize| match track {
                Some((times, values)) => {
                    assert!((f64::from(times[k]) - frame.time - shift).abs() < 1e-5);
                    f64::from(values[width * k + c])
                }
                None => still[name][c].as_f64().unwrap(),
            };
            let position = Vec3::from_fn(|c, _| value(&positions, "translation", 3, c));
            assert!(
                (position - place.position).norm() < 1e-6,
                "{} {k}",
                body.name
            );
            let [x, y, z, w] = std::array::from_fn(|c| value(&rotations, "rotation", 4, c));
            assert!((w * w + x * x + y * y + z * z - 1.0).abs() < 1e-6);
            let turn = matrix(&[w, x, y, z]) - matrix(&place.rotation);
            assert!(turn.norm() < 1e-6, "{} {k}: {turn}", body.name);
        }
        if let Some((_, values)) = rotations {
            for pair in values.as_chunks::<4>().0.windows(2) {
                assert!(
                    (0..4).map(|c| pair[0][c] * pair[1][c]).sum::<f32>() > 0.0,
                    "{}",
                    body.name
                );
            }
        }
    }
}

#[test]
fn poses_are_those_of_the_film() {
    let scene = synthetic::scene();
    let mut film = synthetic::film(50, 2.5);
    for (k, frame) in film.iter_mut().enumerate() {
        if k % 4 == 2 {
            let q = &mut frame.poses[3].place.rotation;
            *q = q.map(|x| -x);
        }
    }
    let bytes = glb(&scene, &film).unwrap();
    assert_eq!(bytes, glb(&scene, &film).unwrap());
    agree(&File::of(&bytes), &film, 0.0);
}

#[test]
fn times_rise_and_are_not_negative() {
    let scene = synthetic::scene();
    let mut film = synthetic::film(20, 1.0);
    for frame in &mut film {
        frame.time -= 0.5;
    }
    let mut twice = film.clone();
    // an event has two frames at one time: the later state counts
    let mut before = film[7].clone();
    before.poses[1].place.position[0] += 5.0;
    twice.insert(7, before);
    agree(&File::of(&glb(&scene, &twice).unwrap()), &film, 0.5);
}

#[test]
fn modes_are_morph_targets_with_weights() {
    let (scene, film) = (synthetic::scene(), synthetic::film(25, 1.0));
    let file = File::of(&glb(&scene, &film).unwrap());
    let soft = scene.bodies[8].soft.as_ref().unwrap();
    let body = file.node("plate");
    let node = file.json["nodes"][body]["children"][0].as_u64().unwrap() as usize;
    let mesh = &file.json["meshes"][file.json["nodes"][node]["mesh"].as_u64().unwrap() as usize];
    let (_, weights) = file.channel(node, "weights").unwrap();
    assert_eq!(weights.len(), 2 * film.len());
    for (k, frame) in film.iter().enumerate() {
        for m in 0..2 {
            assert_eq!(weights[2 * k + m], frame.poses[8].modal[m] as f32);
        }
    }
    let surface = &mesh["primitives"][0];
    for m in 0..2 {
        let moved = file.floats(&surface["targets"][m]["POSITION"]);
        assert!(soft.modes[m].as_flattened().starts_with(&moved));
    }
    // a sheared face leans as much: bending by w = s² at the free end turns the normal by −2/L
    let leant = file.floats(&surface["targets"][0]["NORMAL"]);
    let end = 28 * 15 + 7;
    // the last row of triangles has the slope of its middle
    let slope = -2.0 * (27.5 / 28.0) / 1.6;
    assert!(
        (f64::from(leant[3 * end]) - slope).abs() < 1e-3,
        "{}",
        leant[3 * end]
    );
    let rim = &mesh["primitives"][1];
    assert_eq!(
        (
            rim["mode"].as_u64(),
            rim["targets"].as_array().unwrap().len()
        ),
        (Some(3), 2)
    );
}

#[test]
fn links_stretch_between_their_points() {
    let (scene, film) = (synthetic::scene(), synthetic::film(25, 1.0));
    let file = File::of(&glb(&scene, &film).unwrap());
    // the line to the tip of the plate, which deforms
    let link = &scene.links[5];
    let node = file.node("gap");
    let (_, positions) = file.channel(node, "translation").unwrap_or_default();
    let (_, rotations) = file.channel(node, "rotation").unwrap();
    let (_, scales) = file.channel(node, "scale").unwrap();
    assert!(positions.is_empty(), "its first point stands still");
    let first = point(&film[0], &link.points[0], 1.0);
    for (k, frame) in film.iter().enumerate() {
        let [x, y, z, w] = std::array::from_fn(|c| f64::from(rotations[4 * k + c]));
        let tip = first + matrix(&[w, x, y, z]) * Vec3::z() * f64::from(scales[3 * k + 2]);
        assert!(
            (tip - point(frame, &link.points[1], 1.0)).norm() < 1e-6,
            "{k}"
        );
    }
    let steady = synthetic::film(1, 0.0);
    let file = File::of(&glb(&scene, &steady).unwrap());
    assert!(
        file.json["animations"][0]["channels"]
            .as_array()
            .unwrap()
            .iter()
            .all(|c| c["target"]["path"] == "weights")
    );
}

#[test]
fn films_that_do_not_fit_are_refused() {
    let (scene, mut film) = (synthetic::scene(), synthetic::film(3, 1.0));
    assert!(
        glb(&scene, &[])
            .unwrap_err()
            .to_string()
            .contains("one frame at least")
    );
    film[1].poses[8].modal.pop();
    let text = glb(&scene, &film).unwrap_err().to_string();
    assert_eq!(
        text,
        "frame 1, body \"plate\": 1 modal coordinates for 2 modes"
    );
    film[1].time = f64::INFINITY;
    assert!(
        glb(&scene, &film)
            .unwrap_err()
            .to_string()
            .starts_with("frame 1, time")
    );
}

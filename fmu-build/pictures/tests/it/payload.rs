//! The data of a page, unpacked again and compared with what went in.

use std::io::Read as _;

use fixstep_kernel::math::Vec3;
use fixstep_kernel::math::rotation::matrix;
use fixstep_pictures::payload::{
    Against, Contents, Display, Figure, Group, Histogram, Kind, Parameter, Signal, Unit, Warning,
    base64, compressed, pack,
};
use fixstep_pictures::scene::{Film, Scene};
use serde_json::{Value, json};

use crate::synthetic;

/// The other way from base64.
fn decoded(text: &str) -> Vec<u8> {
    let value = |letter: u8| match letter {
        b'A'..=b'Z' => u32::from(letter - b'A'),
        b'a'..=b'z' => u32::from(letter - b'a') + 26,
        b'0'..=b'9' => u32::from(letter - b'0') + 52,
        b'+' => 62,
        b'/' => 63,
        _ => 0,
    };
    let mut out = Vec::new();
    for four in text.as_bytes().chunks(4) {
        let all = four.iter().fold(0, |all, c| all << 6 | value(*c));
        let padding = four.iter().rev().take_while(|c| **c == b'=').count();
        out.extend(&all.to_be_bytes()[1..4 - padding]);
    }
    out
}

/// JSON and binary part.
fn opened(bytes: &[u8]) -> (Value, Vec<u8>) {
    let length = u32::from_le_bytes(bytes[..4].try_into().unwrap()) as usize;
    let json = serde_json::from_slice(&bytes[4..4 + length]).unwrap();
    (json, bytes[(4 + length).next_multiple_of(8)..].to_vec())
}

/// The numbers of an array.
fn numbers(array: &Value, binary: &[u8]) -> Vec<f64> {
    let (at, n) = (
        array["at"].as_u64().unwrap() as usize,
        array["n"].as_u64().unwrap() as usize,
    );
    assert_eq!(at % 8, 0);
    let read = |size: usize, of: &dyn Fn(&[u8]) -> f64| -> Vec<f64> {
        binary[at..at + size * n].chunks(size).map(of).collect()
    };
    match array["type"].as_str().unwrap() {
        "f64" => read(8, &|b| f64::from_le_bytes(b.try_into().unwrap())),
        "f32" => read(4, &|b| f64::from(f32::from_le_bytes(b.try_into().unwrap()))),
        "u32" => read(4, &|b| f64::from(u32::from_le_bytes(b.try_into().unwrap()))),
        "i8" => read(1, &|b| f64::from(b[0] as i8)),
        other => unreachable!("{other}"),
    }
}

fn signal(name: &str, base: usize, values: Vec<f64>) -> Signal {
    Signal {
        name: name.to_owned(),
        unit: "rad".to_owned(),
        display: Display {
            unit: "deg".to_owned(),
            factor: 57.3,
            offset: 0.0,
        },
        group: Group::Outputs,
        description: "an angle \u{3b1} with <b> and \"quotes\"".to_owned(),
        base,
        values,
        thinned: false,
    }
}

fn contents<'a>(scene: &'a Scene, film: &'a Film) -> Contents<'a> {
    Contents {
        subtitle: "made up".to_owned(),
        length: Unit {
            unit: "mm".to_owned(),
            factor: 0.001,
        },
        bases: vec![vec![0.0, 0.1, 0.2], vec![0.0, 1.0]],
        signals: vec![
            signal("angle", 0, vec![0.1, 0.2, f64::NAN]),
            signal("switch", 1, vec![0.0, 1.0]),
        ],
        against: Some(Against {
            name: "other.csv".to_owned(),
            bases: vec![vec![0.0, 0.2]],
            signals: vec![signal("angle", 0, vec![0.1, 1.0 / 3.0])],
        }),
        parameters: vec![Parameter {
            name: "mass".to_owned(),
            value: "10".to_owned(),
            unit: "kg".to_owned(),
            kind: Kind::Tunable,
            description: String::new(),
        }],
        warnings: vec![Warning {
            place: "joint elbow".to_owned(),
            text: "stiff".to_owned(),
            ..Warning::default()
        }],
        figures: vec![Figure {
            name: "drift".to_owned(),
            value: "1e-9".to_owned(),
            unit: "m".to_owned(),
            note: String::new(),
        }],
        histograms: vec![Histogram {
            name: "step".to_owned(),
            unit: "us".to_owned(),
            edges: vec![0.0, 1.0, 2.0],
            counts: vec![5, 1],
        }],
        about: vec![["Fixstep".to_owned(), "0.1.0".to_owned()]],
        panels: vec![vec!["angle".to_owned(), "switch".to_owned()]],
        ..Contents::new(scene, film)
    }
}

#[test]
fn base64_is_that_of_the_standard() {
    // RFC 4648, section 10
    for (plain, text) in [
        ("", ""),
        ("f", "Zg=="),
        ("fo", "Zm8="),
        ("foo", "Zm9v"),
        ("foobar", "Zm9vYmFy"),
    ] {
        assert_eq!(base64(plain.as_bytes()), text);
    }
}

#[test]
fn a_page_comes_back_as_it_went_in() {
    let (scene, film) = (synthetic::scene(), synthetic::film(31, 1.0));
    let contents = contents(&scene, &film);
    let packed = pack(&contents).unwrap();
    let text = compressed(&packed).unwrap();
    assert_eq!(text, compressed(&pack(&contents).unwrap()).unwrap());
    let mut unpacked = Vec::new();
    flate2::read::GzDecoder::new(decoded(&text).as_slice())
        .read_to_end(&mut unpacked)
        .unwrap();
    assert_eq!(unpacked, packed);

    let (json, binary) = opened(&unpacked);
    assert_eq!(json["format"], 1);
    assert_eq!(json["length"], json!({"unit": "mm", "factor": 0.001}));
    assert_eq!(json["bodies"].as_array().unwrap().len(), scene.bodies.len());
    assert_eq!(
        json["signals"][0]["description"],
        contents.signals[0].description
    );
    assert_eq!(json["signals"][0]["group"], "outputs");
    assert_eq!(json["parameters"][0]["kind"], "tunable");
    assert_eq!(json["histograms"][0]["counts"], json!([5, 1]));
    assert_eq!(json["about"], json!([["Fixstep", "0.1.0"]]));
    let values = numbers(&json["signals"][0]["values"], &binary);
    assert!(values[0] == 0.1 && values[1] == 0.2 && values[2].is_nan());
    assert_eq!(json["signals"][1]["values"]["type"], "f32");
    assert_eq!(
        numbers(&json["against"]["signals"][0]["values"], &binary),
        [0.1, 1.0 / 3.0]
    );
    assert_eq!(numbers(&json["bases"][1], &binary), [0.0, 1.0]);
    meshes_agree(&scene, &json, &binary);

    let arrow = numbers(&json["arrows"][1]["vectors"], &binary);
    for (k, frame) in film.iter().enumerate() {
        for c in 0..3 {
            assert_eq!(arrow[3 * k + c], f64::from(frame.arrows[1][c] as f32));
        }
    }
    assert_eq!(json["links"][0]["kind"], "strut");
    assert_eq!(
        json["links"][5]["points"][1]["modes"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
    assert_eq!(json["joints"][0]["i"]["body"], 6);
}

fn meshes_agree(scene: &Scene, json: &Value, binary: &[u8]) {
    for (body, told) in scene.bodies.iter().zip(json["bodies"].as_array().unwrap()) {
        for (solid, told) in body.solids.iter().zip(told["solids"].as_array().unwrap()) {
            let mesh = &json["meshes"][told["mesh"].as_u64().unwrap() as usize];
            let points = numbers(&mesh["points"], binary);
            assert!(
                solid
                    .mesh
                    .points
                    .as_flattened()
                    .iter()
                    .map(|x| f64::from(*x))
                    .eq(points)
            );
            let triangles = numbers(&mesh["triangles"], binary);
            assert!(
                solid
                    .mesh
                    .triangles
                    .as_flattened()
                    .iter()
                    .map(|x| f64::from(*x))
                    .eq(triangles)
            );
            let normals = numbers(&mesh["normals"], binary);
            for (n, got) in solid.mesh.normals.as_flattened().iter().zip(normals) {
                assert!((f64::from(*n) - got / 127.0).abs() <= 0.5 / 127.0 + 1e-6);
            }
        }
        if let Some(soft) = &body.soft {
            let modes = numbers(&told["soft"]["modes"][1], binary);
            assert!(
                soft.modes[1]
                    .as_flattened()
                    .iter()
                    .map(|x| f64::from(*x))
                    .eq(modes)
            );
            let stress = numbers(&told["soft"]["stresses"][0], binary);
            assert!(
                soft.stresses.as_ref().unwrap()[0]
                    .as_flattened()
                    .iter()
                    .map(|x| f64::from(*x))
                    .eq(stress)
            );
        }
    }
    // both wheels of an axle are one surface
    assert_eq!(
        json["bodies"][2]["solids"][0]["mesh"],
        json["bodies"][5]["solids"][0]["mesh"]
    );
}

/// The largest difference of a position, and of a direction, between a page and a film.
fn differences(scene: &Scene, film: &Film, json: &Value, binary: &[u8]) -> [f64; 2] {
    let mut worst = [0.0_f64; 2];
    assert!(json["frames"]["bodies"][0].is_null());
    for body in 1..scene.bodies.len() {
        let told = &json["frames"]["bodies"][body];
        let (positions, turns) = (
            numbers(&told["position"], binary),
            numbers(&told["rotation"], binary),
        );
        for (k, frame) in film.iter().enumerate() {
            let place = &frame.poses[body].place;
            let got = Vec3::new(positions[3 * k], positions[3 * k + 1], positions[3 * k + 2]);
            worst[0] = worst[0].max((got - place.position).norm());
            let quaternion: [f64; 4] = std::array::from_fn(|c| turns[4 * k + c]);
            let length: f64 = quaternion.iter().map(|x| x * x).sum();
            assert!((length - 1.0).abs() < 1e-6);
            worst[1] = worst[1].max((matrix(&quaternion) - matrix(&place.rotation)).norm());
            if k > 0 {
                let dot: f64 = (0..4)
                    .map(|c| turns[4 * k + c] * turns[4 * (k - 1) + c])
                    .sum();
                assert!(dot > 0.0, "body {body}, frame {k}");
            }
        }
        if scene.bodies[body].soft.is_some() {
            let modal = numbers(&told["modal"], binary);
            let count = modal.len() / film.len();
            for (k, frame) in film.iter().enumerate() {
                for (m, q) in frame.poses[body].modal.iter().enumerate() {
                    assert_eq!(modal[count * k + m], f64::from(*q as f32));
                }
            }
        } else {
            assert!(told["modal"].is_null());
        }
    }
    worst
}

#[test]
fn poses_are_those_of_the_film() {
    let (scene, mut film) = (synthetic::scene(), synthetic::film(101, 3.0));
    // either quaternion of a rotation may come from a solver
    for (k, frame) in film.iter_mut().enumerate() {
        if k % 3 == 1 {
            let q = &mut frame.poses[4].place.rotation;
            *q = q.map(|x| -x);
        }
    }
    let (json, binary) = opened(&pack(&Contents::new(&scene, &film)).unwrap());
    let [position, direction] = differences(&scene, &film, &json, &binary);
    assert!(
        position < 1e-6 * scene.size && direction < 1e-6,
        "{position} {direction}"
    );
}

#[test]
fn a_car_on_a_kilometre_stays_precise() {
    let (scene, film) = (synthetic::scene(), synthetic::film(600, 910.0));
    let (json, binary) = opened(&pack(&Contents::new(&scene, &film)).unwrap());
    assert!(film.last().unwrap().poses[1].place.position[0] > 1000.0);
    let [position, _] = differences(&scene, &film, &json, &binary);
    assert!(position < 1e-4 * scene.size, "{position}");
}

#[test]
fn what_does_not_fit_is_told() {
    let (scene, film) = (synthetic::scene(), synthetic::film(3, 1.0));
    let message = |change: &dyn Fn(&mut Contents<'_>)| {
        let mut contents = contents(&scene, &film);
        change(&mut contents);
        pack(&contents).unwrap_err().to_string()
    };
    let text = message(&|c| c.signals[1].base = 7);
    assert_eq!(text, "signal \"switch\": base 7, where there are 2");
    let text = message(&|c| c.signals[1].values.push(0.0));
    assert_eq!(
        text,
        "signal \"switch\": 3 values at the 2 times of its base"
    );
    let text = message(&|c| c.panels[0].push("speed".to_owned()));
    assert_eq!(
        text,
        "panel 0 shows \"speed\", which is no signal of the page"
    );
    let text = message(&|c| c.histograms[0].counts.push(1));
    assert!(text.contains("3 edges for 3 counts"), "{text}");
    let mut short = film.clone();
    short[1].poses.pop();
    let text = pack(&Contents::new(&scene, &short))
        .unwrap_err()
        .to_string();
    assert_eq!(text, "frame 1 has 8 bodies, the scene has 9");
    let mut broken = film.clone();
    broken[2].poses[7].place.position[1] = f64::NAN;
    let text = pack(&Contents::new(&scene, &broken))
        .unwrap_err()
        .to_string();
    assert!(
        text.starts_with("frame 2, forearm: a number that is not finite"),
        "{text}"
    );
    assert!(pack(&Contents::new(&scene, &[])).is_err());
}

//! Tests that pictures contain what they should, and that a PNG shows them.

#![expect(clippy::unwrap_used, reason = "tests")]

use std::io::Cursor;

use fixstep_kernel::flex::{Invariants, Mode};
use fixstep_pictures::letters;

use super::*;

fn node(id: u64, name: Option<&str>, x: f64, lift: f64, turn: f64) -> Node {
    Node {
        id,
        name: name.map(str::to_owned),
        position: Vec3::new(x, 0.0, 0.0),
        freedom: [true; 6],
        translation: vec![Vec3::new(0.0, 0.0, lift), Vec3::new(0.1 * x, 0.0, 0.0)],
        rotation: vec![Vec3::new(0.0, -turn, 0.0), Vec3::zeros()],
    }
}

fn body() -> FlexData {
    let mode = |frequency, label: &str| Mode {
        frequency,
        label: label.to_owned(),
    };
    FlexData {
        description: "rod <of> steel".to_owned(),
        sources: Vec::new(),
        modes: vec![
            mode(12.3456, "orthonormal 1"),
            mode(31234.5, "constraint tip x"),
        ],
        invariants: Invariants::zero(2),
        stiffness: vec![1.0, 0.0, 0.0, 1.0],
        nodes: vec![
            node(1, Some("root"), 0.0, 0.0, 0.0),
            node(2, Some("</script>"), 1.0, 1.0, 1.5),
        ],
        lines: vec![[0, 1]],
        faces: Vec::new(),
        preload: None,
        loads: Vec::new(),
        stiffening: None,
        stresses: Vec::new(),
        strains: Vec::new(),
    }
}

#[test]
fn lines_between_turning_nodes_bend_as_beams() {
    let wire = Wire::of(&body(), &[]).unwrap();
    assert_eq!(wire.chains, [[0, 2, 3, 4, 5, 6, 1]]);
    // w = 1.5 x² − 0.5 x³: the cantilever under a force
    for k in 2..7 {
        let x = wire.points[k].x;
        let wanted = 1.5 * x * x - 0.5 * x * x * x;
        assert!((wire.shapes[0][k].z - wanted).abs() < 1e-14, "{x}");
        assert!((wire.shapes[1][k].x - 0.1 * x).abs() < 1e-15);
    }
}

#[test]
fn a_sheet_names_every_mode() {
    let svg = Wire::of(&body(), &[2]).unwrap().svg();
    for text in [
        "rod &lt;of&gt; steel",
        "31.23 kHz",
        "constraint tip x",
        "1 mode, largest",
    ] {
        assert!(svg.contains(text), "{text}");
    }
    assert!(!svg.contains("12.35 Hz"));
    let wrong = Wire::of(&body(), &[3]).unwrap_err();
    assert_eq!(wrong.0, "mode 3: valid are 1 to 2");
}

#[test]
fn a_mode_that_only_turns_stays_a_line() {
    let mut data = body();
    for node in &mut data.nodes {
        node.translation[1] = Vec3::new(0.0, 1e-12, 0.0);
        node.rotation[1] = Vec3::new(3.0, 0.0, 0.0);
    }
    let svg = Wire::of(&data, &[2]).unwrap().svg();
    // blue from end to end
    assert!(svg.contains("#2c5fa8\" stroke-width=\"2.8\""));
    assert_eq!(svg.matches("stroke-width=\"2.8\"").count(), 1);
}

#[test]
fn pixels_are_those_of_the_sheet() {
    let bytes = Wire::of(&body(), &[]).unwrap().png().unwrap();
    let mut reader = ::png::Decoder::new(Cursor::new(bytes)).read_info().unwrap();
    let (width, height) = (reader.info().width as usize, reader.info().height as usize);
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut pixels).unwrap();
    assert_eq!(pixels.len(), height * 3 * width);
    let mut inked = 0;
    for row in pixels.chunks(3 * width) {
        inked += row.chunks(3).filter(|pixel| *pixel != [255; 3]).count();
        // the sheet has a white margin
        assert_eq!(row[3 * (width - 1)..], [255; 3]);
    }
    let share = inked as f64 / (width * height) as f64;
    assert!((0.005..0.3).contains(&share), "{share}");
}

#[test]
fn letters_have_width_and_unknown_ones_a_box() {
    let (strokes, width) = letters::strokes("A1", 10.0);
    assert_eq!(strokes.len(), 3);
    assert!((8.0..14.0).contains(&width), "{width}");
    let (box_, _) = letters::strokes("\u{3b1}", 10.0);
    assert_eq!(box_[0].len(), 5);
    assert!(letters::strokes("", 10.0).1.abs() < 1e-12);
}

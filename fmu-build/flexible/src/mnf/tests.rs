#![expect(clippy::unwrap_used, reason = "tests")]

mod writer;

use super::*;
use fixstep_kernel::flex::FlexData;
use fixstep_model::flex_file;
use writer::{Beam, Style, write};

fn body(beam: &Beam, style: &Style, choice: &Choice) -> (FlexData, Vec<String>) {
    read("beam.mnf", &write(beam, style))
        .unwrap()
        .body(choice)
        .unwrap()
}

#[test]
fn a_free_beam_comes_back_with_its_invariants() {
    let beam = Beam::new(20);
    let (body, notes) = body(&beam, &Style::default(), &Choice::default());
    assert_eq!(body.modes.len(), 12);
    let i = &body.invariants;
    // 7800 kg/m³ × 0.02 m × 0.04 m × 1 m.
    assert!((i.mass - 6.24).abs() < 1e-13);
    assert!((i.center() - Vec3::new(0.5, 0.0, 0.0)).norm() < 1e-14);
    for (axis, expected) in writer::whole_inertia(&beam).into_iter().enumerate() {
        assert!((i.i7[(axis, axis)] - expected).abs() < 1e-13 * i.i7.norm());
    }
    // Elastic modes are orthogonal to the rigid ones and to one another.
    for j in 0..12 {
        assert!(i.i3[j].norm() < 1e-10 && i.i4[j].norm() < 1e-10, "{j}");
        for k in 0..12 {
            let expected = if j == k { 1.0 } else { 0.0 };
            assert!((i.i6[j * 12 + k] - expected).abs() < 1e-10);
        }
    }
    // Euler–Bernoulli, (4.7300)² √(EI/ρA)/2π, weak axis; lumped masses make it a little softer.
    assert!(
        (body.modes[0].frequency - 106.672).abs() < 0.02 * 106.672,
        "{}",
        body.modes[0].frequency
    );
    assert!(body.description.contains("Free beam") && body.description.contains("TEST 1.0"));
    assert_eq!(
        notes,
        ["12 of 18 modes are kept; 6 rigid ones are left out"]
    );
    // What was read is what the solver reads.
    assert_eq!(flex_file::read(&flex_file::write(&body)).unwrap(), body);
}

#[test]
fn units_are_taken_to_si() {
    let beam = Beam::new(8);
    let choice = Choice {
        stresses: vec![4],
        ..Choice::default()
    };
    let stress = Some((0..9).collect());
    let plain = Style {
        stress: stress.clone(),
        ..Style::default()
    };
    let (si, _) = body(&beam, &plain, &choice);
    let style = Style {
        stress,
        units: (
            ["MEGAGRAM", "MILLIMETER", "MILLISECOND", "KNEWTON"],
            [1e3, 1e-3, 1e-3],
        ),
        ..Style::default()
    };
    // A tonne, a millimetre and a millisecond make 10⁶ N; stresses are in kN/mm².
    let mut file = write(&beam, &style);
    let end = file.len();
    for mode in file[end - 18 * (4 + 8 * 6 * 9)..].chunks_exact_mut(4 + 8 * 6 * 9) {
        for value in mode[4..].chunks_exact_mut(8) {
            let stress = f64::from_be_bytes(value.try_into().unwrap());
            value.copy_from_slice(&(stress * 1e3).to_be_bytes());
        }
    }
    let (other, _) = read("beam.mnf", &file).unwrap().body(&choice).unwrap();
    let close = |a: f64, b: f64| assert!((a - b).abs() <= 1e-9 * a.abs().max(1e-9), "{a} {b}");
    close(si.invariants.mass, other.invariants.mass);
    close(si.invariants.i7.norm(), other.invariants.i7.norm());
    for j in 0..12 {
        close(si.modes[j].frequency, other.modes[j].frequency);
        close(si.stiffness[j * 13], other.stiffness[j * 13]);
        close(
            si.nodes[1].translation[j].y,
            other.nodes[1].translation[j].y,
        );
        close(si.nodes[1].rotation[j].z, other.nodes[1].rotation[j].z);
        for k in 0..6 {
            close(si.stresses[0].values[j][k], writer::stress(j + 6, 3, k));
            close(si.stresses[0].values[j][k], other.stresses[0].values[j][k]);
        }
    }
}

#[test]
fn shapes_may_count_places_in_place_of_numbers() {
    let beam = Beam::new(4);
    let style = |places| Style {
        places,
        first: 101,
        modes: 12,
        ..Style::default()
    };
    let (plain, _) = body(&beam, &style(None), &Choice::default());
    for first in [0, 1] {
        let (counted, _) = body(&beam, &style(Some(first)), &Choice::default());
        assert_eq!(counted.nodes, plain.nodes);
    }
    let error = read("beam.mnf", &write(&beam, &style(Some(2)))).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("node of the shapes: 2; valid: 101"),
        "{error}"
    );
}

#[test]
fn nodes_modes_and_lines_are_chosen() {
    let beam = Beam::new(4);
    let style = Style {
        first: 101,
        modes: 12,
        ..Style::default()
    };
    let (plain, _) = body(&beam, &style, &Choice::default());
    let ids = |body: &FlexData| body.nodes.iter().map(|node| node.id).collect::<Vec<_>>();
    assert_eq!(ids(&plain), [101, 105]);
    assert_eq!(plain.nodes[0].freedom, [true; 6]);
    let choice = Choice {
        nodes: vec![(Some("tip".to_owned()), 105), (None, 102)],
        modes: Some(vec![9, 7]),
        outline: true,
        surface: false,
        ..Choice::default()
    };
    let (chosen, _) = body(&beam, &style, &choice);
    assert_eq!(ids(&chosen), [105, 102, 101, 103, 104]);
    assert_eq!(chosen.node("tip"), Some(0));
    assert_eq!(chosen.lines, [[2, 1], [1, 3], [3, 4], [4, 0]]);
    let labels: Vec<_> = chosen
        .modes
        .iter()
        .map(|mode| mode.label.as_str())
        .collect();
    assert_eq!(labels, ["orthonormal 7", "orthonormal 9"]);
    let mnf = read("beam.mnf", &write(&beam, &style)).unwrap();
    for (choice, message) in [
        (
            Choice {
                nodes: vec![(None, 7)],
                ..Choice::default()
            },
            "there is no node 7",
        ),
        (
            Choice {
                modes: Some(vec![3]),
                ..Choice::default()
            },
            "mode 3 is rigid",
        ),
        (
            Choice {
                modes: Some(vec![19]),
                ..Choice::default()
            },
            "no mode 19; valid: 1 to 12",
        ),
        (
            Choice {
                modes: Some(vec![]),
                ..Choice::default()
            },
            "0 elastic modes",
        ),
        (
            Choice {
                stresses: vec![101],
                ..Choice::default()
            },
            "has no modal stress",
        ),
    ] {
        let error = mnf.body(&choice).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
}

#[test]
fn stress_is_of_the_nodes_that_the_file_lists() {
    // Nine nodes, numbered from 101; six of them have stress, in an order of their own.
    let beam = Beam::new(8);
    let style = Style {
        stress: Some(vec![7, 0, 1, 3, 2, 5]),
        first: 101,
        ..Style::default()
    };
    let mnf = read("beam.mnf", &write(&beam, &style)).unwrap();
    let of = |stresses: &[u64]| {
        mnf.body(&Choice {
            stresses: stresses.to_vec(),
            modes: Some(vec![8, 12]),
            ..Choice::default()
        })
    };
    let (body, _) = of(&[104, 108, 101]).unwrap();
    for (point, (name, node)) in body
        .stresses
        .iter()
        .zip([("104", 3), ("108", 7), ("101", 0)])
    {
        assert_eq!(point.name, name);
        for (j, mode) in [7, 11].into_iter().enumerate() {
            let expected = std::array::from_fn(|k| writer::stress(mode, node, k));
            assert_eq!(point.values[j], expected, "node {name}, mode {}", mode + 1);
        }
    }
    let refused = |node: u64| of(&[101, node]).unwrap_err().to_string();
    assert_eq!(
        refused(105),
        "beam.mnf: has no modal stress of node 105; valid: 101, 102, 103, 104, 106, 108"
    );
    assert_eq!(refused(99), "beam.mnf: there is no node 99");
    // Many are not all written out.
    let beam = Beam::new(20);
    let style = Style {
        stress: Some((0..15).collect()),
        ..Style::default()
    };
    let choice = Choice {
        stresses: vec![16],
        ..Choice::default()
    };
    let error = read("beam.mnf", &write(&beam, &style)).unwrap();
    let error = error.body(&choice).unwrap_err().to_string();
    assert!(
        error.ends_with("valid: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, … (15 of 21 nodes)"),
        "{error}"
    );
}

/// Two of three nodes have stress.
fn small() -> Vec<u8> {
    let style = Style {
        stress: Some(vec![2, 0]),
        ..Style::default()
    };
    write(&Beam::new(2), &style)
}

/// A file with some bytes replaced.
fn spoiled(at: usize, bytes: &[u8]) -> String {
    let mut file = small();
    file[at..at + bytes.len()].copy_from_slice(bytes);
    read("a.mnf", &file).unwrap_err().to_string()
}

/// Each case: an offset, the bytes to write there, and a part of the message.
type Fault<'a> = (usize, &'a [u8], &'a str);

fn refused(faults: &[Fault<'_>]) {
    for (at, bytes, message) in faults {
        let error = spoiled(*at, bytes);
        assert!(error.contains(message), "{error}: {message}");
    }
}

/// Three nodes: the body begins at 0xa1c + 84, the modes 13 numbers later, the shapes 18 modes later.
const WHOLE: usize = 0xa1c + 84;
const MODES: usize = WHOLE + 13 * 8;
const SHAPES: usize = MODES + 4 + 18 * 44;
const MASSES: usize = SHAPES + 8 + 12 + 18 * (4 + 3 * 48);
const INERTIAS: usize = MASSES + 8 + 3 * 12;
const UNITS: usize = INERTIAS + 4 + 9 * 20;
const FACES: usize = UNITS + 256;
const INTERFACE: usize = FACES + 16 + 24 + 4 + 18 * 4 + 18 * 18 * 8;
const STRESS: usize = INTERFACE + 12;
const NAN: &[u8] = &[0x7f, 0xf8, 0, 0, 0, 0, 0, 0];

#[test]
fn unexpected_bytes_of_the_header_are_named_by_their_place() {
    refused(&[
        (
            0,
            &[60, 0, 0, 0],
            "byte 0 (0x0): the numbers are little-endian",
        ),
        (3, &[50], "byte 0 (0x0): version 5.0; valid: 6.0"),
        (0, b"PK\x03\x04", "not a modal neutral file"),
        (0x8c4, &[0x80], "byte 2244 (0x8c4): flag 20 of a block: -"),
        (0xa14, &[0x7f], "byte 2580 (0xa14): nodes: "),
        (0xa14, &[0; 4], "0 nodes"),
        (0xa18, &[0, 0, 0, 2], "dimension of the nodes: 2; valid: 3"),
        (0xa1c, &[0; 4], "number of a node: 0"),
        (0xa1c + 28, &[0, 0, 0, 1], "node 1 is already at place 1"),
        (
            0xa20,
            NAN,
            "byte 2592 (0xa20): place of a node: NaN is not finite",
        ),
    ]);
}

#[test]
fn unexpected_bytes_of_the_modes_are_named_by_their_place() {
    refused(&[
        (WHOLE, &[0x80], "mass: -"),
        (
            MODES,
            &[0, 0, 9, 0],
            "byte 2776 (0xad8): modes: 2304 entries of 44 bytes; 8496 bytes follow",
        ),
        (MODES + 4, &[0, 0, 0, 9], "mode 2 does not follow"),
        (
            MODES + 4 + 6 * 44 + 20,
            &[0; 8],
            "is not the square of 0e0 rad/s",
        ),
        (MODES + 4 + 28, &[0; 8], "mode 1: modal mass 0"),
        (SHAPES, &[0, 0, 0, 17], "modes of the shapes: 17; valid: 18"),
        (SHAPES + 8, &[0, 0, 0, 9], "node of the shapes: 9; valid: 1"),
        (
            SHAPES + 20,
            &[0, 0, 0, 9],
            "number of a mode's shape: 9; valid: 1",
        ),
        (SHAPES + 24, NAN, "shape of a mode: NaN"),
    ]);
}

#[test]
fn unexpected_bytes_after_the_modes_are_named_by_their_place() {
    refused(&[
        (
            MASSES + 4,
            &[0, 0, 0, 2],
            "number before the nodal masses: 2; valid: 1",
        ),
        (MASSES + 12, &[0xbf], "nodal mass -"),
        (MASSES + 12, &[0x40, 0x22], "the nodal masses add up"),
        (
            INERTIAS + 4,
            &[0, 0, 0, 8],
            "nodal inertia: there is no node 8",
        ),
        (
            INERTIAS + 8,
            &[0, 0, 0, 3],
            "row of a nodal inertia: 3; valid: 4 to 6",
        ),
        (UNITS, &[0, 0, 0, 200], "letter 200 of a unit"),
        (UNITS + 67, b"Q", "\"QETER\" is not a unit of length"),
        (
            FACES + 8,
            &[0, 0, 0, 1],
            "the file announces 6 numbers of faces, but has 3",
        ),
        (
            FACES + 20,
            &[0, 0, 0, 3],
            "node of a face: 3; valid: 0 to 2",
        ),
        (
            INTERFACE,
            &[0, 0, 0, 1],
            "modes of the stresses: 2; valid: 18",
        ),
        (
            STRESS + 4,
            &[0, 0, 0, 3],
            "18 modes at 3 nodes need 2664 bytes, but only 1796 follow: the file is cut short",
        ),
        (
            STRESS + 4,
            &[0, 0, 64, 0],
            "nodes of the stresses: 16384 entries of 4 bytes; 1808 bytes follow",
        ),
        (
            STRESS + 8,
            &[0, 0, 0, 3],
            "node of the stresses: 3; valid: 0 to 2",
        ),
        (STRESS + 8, &[0; 4], "node of the stresses: 0 occurs twice"),
        (
            STRESS + 16,
            &[0, 0, 0, 2],
            "number of a mode's stresses: 2; valid: 1",
        ),
        (STRESS + 20, NAN, "modal stress: NaN is not finite"),
        (
            INTERFACE + 4,
            &[0, 0, 0, 3],
            "interface node: 3; valid: 0 to 2",
        ),
    ]);
}

#[test]
fn a_file_that_ends_early_is_refused_wherever_it_ends() {
    let file = small();
    for end in (0..file.len()).step_by(4).chain([1, 3, file.len() - 1]) {
        let error = read("a.mnf", &file[..end]).unwrap_err();
        assert!(error.place.starts_with("byte "), "{end}: {error}");
    }
}

#[test]
fn what_follows_must_be_announced() {
    let beam = Beam::new(2);
    let tail = vec![0; 12];
    let more = Style {
        tail: tail.clone(),
        ..Style::default()
    };
    let error = read("a.mnf", &write(&beam, &more)).unwrap_err().to_string();
    assert!(
        error.contains("12 bytes follow, but no flag announces them"),
        "{error}"
    );
    let announced = |flag: usize| {
        let style = Style {
            tail: tail.clone(),
            flags: vec![flag],
            ..Style::default()
        };
        read("a.mnf", &write(&beam, &style)).unwrap().notes
    };
    // Statistics are ignored silently; any other block is reported.
    assert!(announced(32).is_empty());
    assert!(announced(29)[0].contains("blocks of flags 29"));
}

#[test]
fn masses_that_do_not_fit_are_told() {
    let mut beam = Beam::new(8);
    beam.masses[4] *= 1.02;
    let (_, notes) = body(&beam, &Style::default(), &Choice::default());
    assert!(
        notes.iter().any(|note| note.contains("frequencies shift")),
        "{notes:?}"
    );
}

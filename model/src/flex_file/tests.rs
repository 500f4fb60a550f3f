#![expect(clippy::unwrap_used, reason = "tests")]

use super::*;
use fixstep_kernel::flex::Mode;

fn body() -> FlexData {
    let node = |id: u64, x: f64| Node {
        id,
        name: (id == 7).then(|| "tip".to_owned()),
        position: Vec3::new(x, 0.0, 0.1),
        freedom: [true, true, true, false, true, false],
        translation: vec![Vec3::new(x, 1.0, 0.0), Vec3::new(0.0, x * x, 1.0)],
        rotation: vec![Vec3::z(), Vec3::y() * x],
    };
    let nodes = vec![node(3, 0.25), node(7, 1.0)];
    let nodal = nodes.iter().map(|n| fixstep_kernel::flex::Nodal {
        mass: 0.5,
        inertia: Mat3::identity() * 0.01,
        position: n.position,
        translation: &n.translation,
        rotation: &n.rotation,
    });
    let invariants = Invariants::lumped(2, nodal);
    let mode = |label: &str| Mode {
        frequency: 12.5,
        label: label.to_owned(),
    };
    let point = |name: &str| TensorPoint {
        name: name.to_owned(),
        values: vec![[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [0.5; 6]],
    };
    FlexData {
        description: "two nodes".to_owned(),
        sources: vec![("k.mtx".to_owned(), Fingerprint::of(b"k"))],
        modes: vec![mode("constraint tip x"), mode("orthonormal 8")],
        invariants,
        stiffness: vec![100.0, 1.0, 1.0, 900.0],
        lines: vec![[0, 1]],
        faces: vec![[0, 1, 1, 1]],
        preload: Some(vec![0.5, -0.25]),
        loads: vec![LoadCase {
            name: "wind".to_owned(),
            modal: vec![1.0, 2.0],
            force: Vec3::x(),
            torque: Vec3::y(),
        }],
        stiffening: Some(vec![0.125; STIFFENINGS * 4]),
        stresses: vec![point("root"), point("tip")],
        strains: vec![point("gauge 1")],
        nodes,
    }
}

#[test]
fn what_is_written_is_read() {
    let body = body();
    let bytes = write(&body);
    assert_eq!(read(&bytes).unwrap(), body);
    assert_eq!(write(&read(&bytes).unwrap()), bytes);
    let mut plain = body;
    (plain.preload, plain.stiffening) = (None, None);
    plain.loads.clear();
    plain.stresses.clear();
    plain.strains.clear();
    assert_eq!(read(&write(&plain)).unwrap(), plain);
}

#[test]
fn a_file_cut_anywhere_is_refused() {
    let bytes = write(&body());
    for length in 0..bytes.len() {
        assert!(read(&bytes[..length]).is_err(), "{length}");
    }
    let mut longer = bytes;
    longer.push(0);
    assert!(read(&longer).unwrap_err().place.starts_with("arrays"));
}

#[test]
fn a_changed_bit_is_found() {
    let bytes = write(&body());
    let arrays = bytes.len() - 800;
    for at in (arrays..bytes.len()).step_by(7) {
        let mut changed = bytes.clone();
        changed[at] ^= 0x10;
        assert!(read(&changed).is_err(), "{at}");
    }
}

/// Each fault by the text that its message must hold.
#[test]
fn faults_are_named() {
    type Spoil = fn(&mut FlexData);
    let faults: [(&str, Spoil); 14] = [
        ("array stiffness: number 1 is NaN", |b| {
            b.stiffness[1] = f64::NAN;
        }),
        ("array stiffness: is not symmetric in modes 2 and 1", |b| {
            b.stiffness[1] = 4.0;
        }),
        ("array stiffness: is -1 for mode 1", |b| {
            b.stiffness[0] = -1.0;
        }),
        (
            "array stiffness: some deformation by modes 1 to 2 has",
            |b| {
                (b.stiffness[1], b.stiffness[2]) = (301.0, 301.0);
            },
        ),
        ("array i6: is 0 for mode 2", |b| b.invariants.i6[3] = 0.0),
        ("array i6: some motion of modes 1 to 2 has no", |b| {
            b.invariants.i6.fill(2.0);
        }),
        ("array i5: is not antisymmetric in modes 2 and 1", |b| {
            b.invariants.i5[1].x += 1e-4;
        }),
        ("array i5: is not antisymmetric in modes 2 and 2", |b| {
            b.invariants.i5[3].y = 1e-4;
        }),
        ("array i3: 3 numbers; valid: 6", |b| {
            b.invariants.i3.truncate(1);
        }),
        ("the mass is 0", |b| b.invariants.mass = 0.0),
        ("node 3 occurs twice", |b| b.nodes[1].id = 3),
        ("header.lines: [0, 2]; valid: 0 to 1", |b| b.lines[0][1] = 2),
        ("header.faces: [0, 1, 2, 2]; valid: 0 to 1", |b| {
            b.faces[0] = [0, 1, 2, 2];
        }),
        ("array preload: 1 numbers", |b| b.preload = Some(vec![1.0])),
    ];
    for (expected, spoil) in faults {
        let mut body = body();
        spoil(&mut body);
        let message = read(&write(&body)).unwrap_err().to_string();
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn foreign_bytes_are_named() {
    let message = |bytes: &[u8]| read(bytes).unwrap_err().to_string();
    assert!(
        message(b"PK\x03\x04 a zip of something else").contains("not a file of a flexible body")
    );
    let mut swapped = write(&body());
    swapped[8..16].reverse();
    assert!(
        message(&swapped).contains("big-endian"),
        "{}",
        message(&swapped)
    );
    let text = String::from_utf8_lossy(&write(&body())).replace("\"version\":1", "\"version\":9");
    assert!(message(text.as_bytes()).contains("header.version: is 9"));
}

// A flexible body for tests inside and outside of the kernel: whoever includes this imports what it names.

/// Five nodes with masses, three modes: the body of the published cases.
pub(crate) fn data() -> FlexData {
    let text = include_str!(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../tests/truth/E06_inertia_invariants_exact/reference.json"
    ));
    let all: Value = serde_json::from_str(text).unwrap();
    let body = &all["rational"];
    let number = |v: &Value| {
        let mut parts = v
            .as_str()
            .unwrap()
            .split('/')
            .map(|p| p.parse::<f64>().unwrap());
        parts.next().unwrap() / parts.next().unwrap_or(1.0)
    };
    let columns = |v: &Value| {
        [0, 1, 2]
            .map(|j| Vec3::from_fn(|k, _| number(&v[k][j])))
            .to_vec()
    };
    let nodes: Vec<Node> = (0..5)
        .map(|p| Node {
            id: p as u64,
            name: None,
            position: Vec3::from_fn(|k, _| number(&body["positions"][p][k])),
            freedom: [true; 6],
            translation: columns(&body["modes_T[node][xyz][mode]"][p]),
            rotation: columns(&body["modes_R[node][xyz][mode]"][p]),
        })
        .collect();
    let nodal = nodes.iter().enumerate().map(|(p, node)| {
        let inertia = &body["nodal_inertia_diag"][p];
        let inertia = if inertia.is_null() {
            Mat3::zeros()
        } else {
            Mat3::from_diagonal(&Vec3::from_fn(|k, _| number(&inertia[k])))
        };
        Nodal {
            mass: number(&body["masses"][p]),
            inertia,
            position: node.position,
            translation: &node.translation,
            rotation: &node.rotation,
        }
    });
    let stiffness = [400.0, 0.0, 0.0, 0.0, 900.0, 0.0, 0.0, 0.0, 2500.0];
    FlexData {
        description: String::new(),
        sources: Vec::new(),
        modes: (1..4)
            .map(|k| Mode {
                frequency: f64::from(k),
                label: k.to_string(),
            })
            .collect(),
        invariants: Invariants::lumped(3, nodal),
        stiffness: stiffness.to_vec(),
        nodes,
        lines: Vec::new(),
        faces: Vec::new(),
        preload: Some(vec![0.3, -0.2, 0.7]),
        loads: Vec::new(),
        stiffening: Some(
            (0..STIFFENINGS * 9)
                .map(|n| 0.1 * symmetric_entry(n))
                .collect(),
        ),
        stresses: Vec::new(),
        strains: Vec::new(),
    }
}

/// Some symmetric matrices.
fn symmetric_entry(n: usize) -> f64 {
    let (case, j, k) = (n / 9, (n % 9) / 3, n % 3);
    ((case + 1) * (j + k + 1) + j * k) as f64
}

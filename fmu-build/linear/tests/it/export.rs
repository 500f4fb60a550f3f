//! Tests of linear forms as files, and as models that run on their own.

use super::started;
use faer::linalg::solvers::Solve as _;
use faer::{Mat, c64};
use fixstep_model::Model;
use linear_analysis::export::{self, Export, Files, Format, NoFile, Point, choose, proper};
use linear_analysis::{LinearForm, Options, Variable};
use serde_json::{Value, json};

/// A mass of 2 kg on a spring of 800 N/m and a damper of 3 N s/m, above a base of 0.7 kg that an input moves.
fn base_excited(level: &str) -> Value {
    let part = |name: &str, mass: f64, z: f64| json!({"name": name, "mass": mass, "position": [0, 0, z], "inertia": {"xx": 1, "yy": 1, "zz": 1}});
    json!({
        "fixstep": 1, "name": "base_excited", "gravity": [0, 0, 0],
        "parts": [part("base", 0.7, 0.0), part("mass", 2.0, 1.0)],
        "markers": [
            {"name": "g", "part": "ground"}, {"name": "b", "part": "base"},
            {"name": "gm", "part": "ground", "position": [0, 0, 1]}, {"name": "m", "part": "mass"}
        ],
        "joints": [
            {"name": "jb", "type": "translational", "i": "b", "j": "g"},
            {"name": "jm", "type": "translational", "i": "m", "j": "gm"}
        ],
        "inputs": [{"name": "w", "unit": "m"}],
        "motions": [{"name": "shake", "joint": "jb", level: "w"}],
        "forces": [{"name": "k", "type": "spring_damper", "i": "m", "j": "b", "stiffness": 800, "damping": 3, "length": 1}],
        "outputs": [
            {"name": "x", "expression": "DZ(m, gm)", "unit": "m"},
            {"name": "shaker", "expression": "MOTION(shake, 0, 4)", "unit": "N"}
        ]
    })
}

/// C (sE − A)⁻¹ B + D.
fn transfer(e: &Mat<f64>, [a, b, c, d]: [&Mat<f64>; 4], s: c64) -> Mat<c64> {
    let n = a.nrows();
    let left = Mat::from_fn(n, n, |r, k| s * e[(r, k)] - c64::new(a[(r, k)], 0.0));
    let complex =
        |of: &Mat<f64>| Mat::from_fn(of.nrows(), of.ncols(), |r, k| c64::new(of[(r, k)], 0.0));
    let states = left.partial_piv_lu().solve(complex(b));
    complex(c) * states + complex(d)
}

fn of_descriptor(form: &LinearForm, s: c64) -> Mat<c64> {
    let n = form.states.len();
    let e = form.e.clone().unwrap_or_else(|| Mat::identity(n, n));
    transfer(&e, [&form.a, &form.b, &form.c, &form.d], s)
}

fn alike(what: &str, got: c64, wanted: c64) {
    assert!(
        (got - wanted).norm() <= 1e-10 * wanted.norm().max(1.0),
        "{what}: {got} for {wanted}"
    );
}

const POINTS: [c64; 4] = [
    c64::new(0.0, 1.0),
    c64::new(0.0, 20.0),
    c64::new(0.0, 300.0),
    c64::new(-3.0, 7.0),
];

/// Transfer functions from the displacement of the base to the mass's position and to the force of the shaker.
fn analytic(s: c64) -> [c64; 2] {
    let spring = s * 3.0 + c64::new(800.0, 0.0);
    let passed = spring / (s * s * 2.0 + spring);
    [passed, s * s * 0.7 + s * s * passed * 2.0]
}

#[test]
fn a_base_that_inputs_move_passes_on_what_theory_says() {
    for (level, order) in [("displacement", 0), ("velocity", 1), ("acceleration", 2)] {
        let form = started(&base_excited(level), &Options::default());
        assert_eq!(form.states.len(), 5);
        for s in POINTS {
            let rate = (0..order).fold(c64::new(1.0, 0.0), |rate, _| rate * s);
            let found = of_descriptor(&form, s);
            for (k, wanted) in analytic(s).into_iter().enumerate() {
                alike(
                    &format!("{level}, output {k}, s = {s}"),
                    found[(k, 0)],
                    wanted / rate,
                );
            }
        }
    }
}

#[test]
fn rates_of_inputs_go_where_no_output_needs_them() {
    for (level, order) in [("displacement", 0), ("velocity", 1), ("acceleration", 2)] {
        let mut form = started(&base_excited(level), &Options::default());
        let wanted = if order == 2 {
            2
        } else {
            let said = proper(&form).unwrap_err().to_string();
            assert!(said.contains("output \"shaker\" reads a rate"), "{said}");
            choose(&mut form, None, Some(&[0]));
            1
        };
        let proper = proper(&form).unwrap();
        assert_eq!(proper.states.len(), 2 + order);
        assert_eq!(proper.shifted, order == 0);
        let n = proper.states.len();
        for s in POINTS {
            let rate = (0..order).fold(c64::new(1.0, 0.0), |rate, _| rate * s);
            let all = [&proper.a, &proper.b, &proper.c, &proper.d];
            let found = transfer(&Mat::identity(n, n), all, s);
            for k in 0..wanted {
                alike(
                    &format!("{level}, {k}, {s}"),
                    found[(k, 0)],
                    analytic(s)[k] / rate,
                );
            }
        }
    }
}

/// A form with its operating point, for export.
struct Written {
    form: LinearForm,
    point: Point,
}

impl Written {
    fn of(level: &str) -> Self {
        let form = started(&base_excited(level), &Options::default());
        let value = |of: &Variable, value| export::Value {
            name: of.name.clone(),
            unit: of.unit.clone(),
            value,
        };
        let point = Point {
            time: 0.25,
            inputs: form.inputs.iter().map(|x| value(x, -0.5)).collect(),
            parameters: Vec::new(),
            outputs: form.outputs.iter().map(|x| value(x, 3.0)).collect(),
        };
        Self { form, point }
    }

    fn export(&self) -> Export<'_> {
        Export {
            name: "base_excited",
            point: &self.point,
            form: &self.form,
        }
    }

    fn one(&self, format: Format) -> Vec<u8> {
        match self.export().files(format).unwrap() {
            Files::One(bytes) => bytes,
            Files::Several(_) => unreachable!(),
        }
    }

    fn several(&self, format: Format) -> Vec<String> {
        match self.export().files(format).unwrap() {
            Files::One(_) => unreachable!(),
            Files::Several(all) => {
                let text = |bytes| String::from_utf8(bytes).unwrap();
                all.into_iter().map(text).collect()
            }
        }
    }
}

#[test]
fn json_has_all_of_it() {
    let written = Written::of("displacement");
    let all: Value = serde_json::from_slice(&written.one(Format::Json)).unwrap();
    assert_eq!(all["states"][2]["name"], "motion \"shake\", displacement");
    assert_eq!(all["states"][2]["kind"], "driven");
    assert_eq!(all["point"]["inputs"][0]["value"], -0.5);
    assert_eq!(all["A"][1], json!([-400.0, -1.5, 400.0, 1.5, 0.0]));
    assert_eq!(all["E"][4], json!([0.0, 0.0, 0.0, 0.0, 0.0]));
    assert_eq!(all["second_order"]["stiffness"], json!([[800.0]]));
    let text = String::from_utf8(written.one(Format::Json)).unwrap();
    assert!(
        text.contains("\n    [-400.0, -1.5, 400.0, 1.5, 0.0],\n"),
        "{text}"
    );
}

#[test]
fn numbers_of_texts_read_back_to_the_same_bits() {
    let mut written = Written::of("displacement");
    written.form.a[(1, 0)] = -1.0 / 3.0 * 1e-300;
    written.form.a[(1, 1)] = 12_345_678_901_234_568.0;
    let (rows, entries) = (
        written.several(Format::Ascii),
        written.several(Format::MatrixMarket),
    );
    assert_eq!(rows.len(), Format::Ascii.endings().len());
    assert_eq!(entries.len(), Format::MatrixMarket.endings().len());
    for (k, (_, of)) in written.export().matrices().iter().enumerate() {
        let numbers = |line: &str| {
            line.split(' ')
                .map(|x| x.parse().unwrap())
                .collect::<Vec<f64>>()
        };
        let read: Vec<Vec<f64>> = rows[k].lines().map(numbers).collect();
        let mut sparse = Mat::<f64>::zeros(of.nrows(), of.ncols());
        let mut lines = entries[k].lines().skip_while(|line| line.starts_with('%'));
        let head = numbers(lines.next().unwrap());
        assert_eq!(head[..2], [of.nrows() as f64, of.ncols() as f64]);
        for entry in lines.map(numbers) {
            sparse[(entry[0] as usize - 1, entry[1] as usize - 1)] = entry[2];
        }
        for r in 0..of.nrows() {
            for c in 0..of.ncols() {
                assert_eq!(read[r][c], of[(r, c)], "{k} ({r}, {c})");
                assert_eq!(sparse[(r, c)], of[(r, c)], "{k} ({r}, {c})");
            }
        }
    }
    assert!(
        rows[9].contains("state 3 [SI] motion \"shake\", displacement\n"),
        "{}",
        rows[9]
    );
}

/// A data element of MATLAB's files: type, content, what follows.
fn element(bytes: &[u8]) -> (u32, &[u8], &[u8]) {
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    let length = word(4) as usize;
    let padded = length.next_multiple_of(8);
    (word(0), &bytes[8..8 + length], &bytes[8 + padded..])
}

#[test]
fn arrays_of_matlab_stand_one_behind_the_other() {
    let bytes = Written::of("displacement").one(Format::Matlab);
    assert_eq!(&bytes[124..128], b"\x00\x01IM");
    let mut rest = &bytes[128..];
    let mut found = Vec::new();
    while !rest.is_empty() {
        let (kind, content, behind) = element(rest);
        assert_eq!(kind, 14);
        let (_, flags, content) = element(content);
        let (_, sizes, content) = element(content);
        let (_, name, content) = element(content);
        let size = |at: usize| u32::from_le_bytes(sizes[at..at + 4].try_into().unwrap());
        let (rows, columns) = (size(0), size(4));
        if flags[0] == 6 {
            let (kind, numbers, _) = element(content);
            assert_eq!((kind, numbers.len()), (9, 8 * (rows * columns) as usize));
        }
        found.push((String::from_utf8(name.to_vec()).unwrap(), rows, columns));
        rest = behind;
    }
    let has = |name: &str, rows, columns| found.contains(&(name.to_owned(), rows, columns));
    assert!(has("A", 5, 5) && has("B", 5, 1) && has("C", 2, 5) && has("E", 5, 5));
    assert!(
        has("states", 5, 1) && has("mass", 1, 1) && has("time", 1, 1),
        "{found:?}"
    );
}

#[test]
fn a_block_of_simulink_has_the_form_without_rates() {
    let mut written = Written::of("displacement");
    let refused = written.export().files(Format::Simulink);
    assert!(matches!(refused, Err(NoFile::Improper(_))), "{refused:?}");
    choose(&mut written.form, None, Some(&[0]));
    let text = String::from_utf8(written.one(Format::Simulink)).unwrap();
    assert_eq!(text.matches('{').count(), text.matches('}').count());
    assert_eq!(text.matches('"').count() % 2, 0);
    // x' = −400 x − 1.5 x' + 400 w + 1.5 w', with x̃' = x' − 1.5 w.
    let spaces: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        spaces.contains("A \"[0, 1;\" \"-400, -1.5]\" B \"[1.5;\" \"397.75]\""),
        "{text}"
    );
}

#[test]
fn scripts_quote_names() {
    let mut written = Written::of("acceleration");
    written.form.outputs[0].name = String::from("it's x");
    let text = String::from_utf8(written.one(Format::Oml)).unwrap();
    assert!(text.contains("outputs = {'it''s x'; 'shaker'};"), "{text}");
    assert!(text.contains("input_values = [-0.5];"), "{text}");
}

#[test]
fn inputs_and_outputs_stand_in_the_order_that_is_wanted() {
    let mut form = started(&base_excited("acceleration"), &Options::default());
    let (c, d) = (form.c.clone(), form.d.clone());
    choose(&mut form, Some(&[]), Some(&[1, 0]));
    assert_eq!(form.outputs[0].name, "shaker");
    assert_eq!(form.c.row(0), c.row(1));
    assert_eq!((form.b.ncols(), form.d.ncols(), d.ncols()), (0, 0, 1));
}

#[test]
fn the_text_shows_what_is_small() {
    let written = Written::of("displacement");
    let text = written.export().text(false);
    assert!(
        text.contains("base_excited at 0.25 s\ninputs: w = -0.5 m"),
        "{text}"
    );
    assert!(
        text.contains("A (5 x 5)") && text.contains("E (5 x 5)"),
        "{text}"
    );
    assert!(
        text.contains("   2         -400         -1.5          400          1.5            0"),
        "{text}"
    );
    let second = written.export().text(true);
    assert!(
        second.contains("stiffness (1 x 1)\n   1          800"),
        "{second}"
    );
    assert!(!second.contains("A (5 x 5)"), "{second}");
}

#[test]
fn its_model_is_one_of_ours() {
    let written = Written::of("acceleration");
    let text = written.export().model().unwrap();
    let model = Model::from_json(&text).map_err(|e| e.to_string()).unwrap();
    assert_eq!(model.mechanism.name, "base_excited_linear");
    assert!(
        model
            .mechanism
            .description
            .contains("base_excited at 0.25 s")
    );
    assert_eq!(model.mechanism.inputs[0].quantity.start, -0.5);
    // At its start it is at the operating point.
    let mut simulation = fixstep_kernel::simulation::Simulation::new(model.mechanism).unwrap();
    simulation.initialize(0.0).unwrap();
    assert_eq!(simulation.output(1.into()), 3.0);
}

//! A body on one joint or spring: samples of a commercial solver's output, recomputed independently.

use crate::harness::{Table, advance, load, output, start};

/// Columns by kind, with the scale of their errors.
const MOTION: [(&str, f64); 12] = [
    ("x", 2.0),
    ("y", 2.0),
    ("z", 2.0),
    ("vx", 5.0),
    ("vy", 5.0),
    ("vz", 5.0),
    ("ax", 30.0),
    ("ay", 30.0),
    ("az", 30.0),
    ("wx", 5.0),
    ("wy", 5.0),
    ("wz", 5.0),
];
const REACTION: [(&str, f64); 6] = [
    ("Fx", 30.0),
    ("Fy", 30.0),
    ("Fz", 30.0),
    ("Tx", 30.0),
    ("Ty", 30.0),
    ("Tz", 30.0),
];

fn check(name: &str) {
    let table = Table::read(&format!("J01_single_joint_runs/{name}.csv"));
    let rows: Vec<_> = table.rows.iter().filter(|r| r[0] <= 0.5 + 1e-9).collect();
    let mut columns = MOTION.to_vec();
    if !name.contains("Spring") {
        columns.extend(REACTION);
    }
    let run = |h: f64| -> Vec<Vec<f64>> {
        let mut simulation = load(&format!("J01_single_joint_runs/{name}.json"));
        start(&mut simulation, h);
        let row = |row: &&Vec<f64>| {
            advance(&mut simulation, row[0]);
            columns
                .iter()
                .map(|(c, _)| output(&simulation, c))
                .collect()
        };
        rows.iter().map(row).collect::<Vec<_>>()
    };
    let error = |values: &[Vec<f64>], from: usize| {
        let mut worst = (0.0, String::new());
        for (got, row) in values.iter().zip(&rows).skip(from) {
            for (k, (c, scale)) in columns.iter().enumerate() {
                let e = (got[k] - row[table.column(c)]).abs() / scale;
                if e > worst.0 {
                    worst = (
                        e,
                        format!("{c} at {}: {} {}", row[0], got[k], row[table.column(c)]),
                    );
                }
            }
        }
        worst
    };
    let (coarse, fine) = (run(1e-3), run(5e-4));
    let extrapolated: Vec<Vec<f64>> = fine
        .iter()
        .zip(&coarse)
        .map(|(f, c)| f.iter().zip(c).map(|(f, c)| 2.0 * f - c).collect())
        .collect();
    // The start is exact; right after it accelerations and reactions settle to first order.
    let at_start = error(&fine[..1], 0);
    assert!(at_start.0 < 1e-9, "{name} at the start: {at_start:?}");
    let (c, f, x) = (error(&coarse, 1), error(&fine, 1), error(&extrapolated, 1));
    eprintln!("{name}: {:e} {:e} {:e}", c.0, f.0, x.0);
    assert!(f.0 < 1.2e-3, "{name}: {f:?}");
    assert!(x.0 < 1e-5, "{name}: {x:?}");
    assert!(
        c.0 < 1e-6 || (c.0 / f.0).log2() > 0.8,
        "{name}: order of {c:?} to {f:?}"
    );
}

macro_rules! runs {
    ($($test:ident => $name:literal;)*) => { $(#[test] fn $test() { check($name); })* };
}

runs! {
    revolute_1 => "Revolute_Case01";
    revolute_2 => "Revolute_Case02";
    spherical => "Spherical_Case01";
    universal_1 => "Universal_Case01";
    universal_2 => "Universal_Case02";
    prismatic_1 => "Prismatic_Case01";
    prismatic_2 => "Prismatic_Case02";
    cylindrical_1 => "Cylindrical_Case01";
    cylindrical_2 => "Cylindrical_Case02";
    distance_1 => "Distance_Case01";
    distance_2 => "Distance_Case02";
    rotational_spring => "RotSpring_Case01";
    translational_spring => "TranSpring_Case02";
}

//! Cases with references of independent origin: measured order and extrapolated error.
//!
//! `check.json` beside each model names the reference table, the scale of each column, the step
//! sizes, and what is allowed: the error at the finest step, and that of Richardson's extrapolation
//! (both relative to the column's scale).

use crate::harness::{Table, advance, json, load, output, start, truth};
use serde_json::Value;

/// Values by time and column.
pub(crate) type Rows = Vec<Vec<f64>>;

/// Columns with their scales.
pub(crate) type Columns = [(String, f64)];

/// Picks columns of the reference.
type Pick<'a> = dyn Fn(&Columns) -> Rows + 'a;

/// Values of the columns at the reference's times, for one step size.
pub(crate) fn run(
    (path, scheme): (&str, &str),
    columns: &[(String, f64)],
    times: &[f64],
    h: f64,
) -> Vec<Vec<f64>> {
    let mut simulation = with_scheme(path, scheme);
    start(&mut simulation, h);
    let mut rows = Vec::new();
    for time in times {
        advance(&mut simulation, *time);
        rows.push(
            columns
                .iter()
                .map(|(name, _)| output(&simulation, name))
                .collect(),
        );
    }
    rows
}

/// Largest scaled difference over all rows and columns.
fn distance(a: &[Vec<f64>], b: &[Vec<f64>], columns: &[(String, f64)]) -> f64 {
    let mut worst = 0.0_f64;
    for (x, y) in a.iter().zip(b) {
        for (k, (_, scale)) in columns.iter().enumerate() {
            worst = worst.max((x[k] - y[k]).abs() / scale);
        }
    }
    worst
}

pub(crate) fn columns(check: &Value, key: &str) -> Vec<(String, f64)> {
    let Some(map) = check[key].as_object() else {
        return Vec::new();
    };
    map.iter()
        .map(|(name, scale)| (name.clone(), scale.as_f64().unwrap()))
        .collect()
}

/// A model of `tests/truth` with its integrator replaced; its formulation may follow after a stroke,
/// and the linearly implicit mode after a plus.
fn with_scheme(path: &str, scheme: &str) -> fixstep_kernel::simulation::Simulation {
    let mut model: Value =
        serde_json::from_str(&std::fs::read_to_string(truth(path)).unwrap()).unwrap();
    let (scheme, mode) = scheme.split_once('+').unwrap_or((scheme, ""));
    let (integrator, formulation) = scheme.split_once('/').unwrap_or((scheme, "I3"));
    model["solver"]["linearly_implicit"] = (mode == "linear").into();
    model["solver"]["integrator"] = integrator.into();
    model["solver"]["formulation"] = formulation.into();
    crate::harness::build(&model.to_string())
}

/// Richardson's extrapolation from steps h and 2h.
fn richardson(fine: &[Vec<f64>], coarse: &[Vec<f64>], order: f64) -> Rows {
    let gain = order.exp2() - 1.0;
    let row = |(f, c): (&Vec<f64>, &Vec<f64>)| {
        let pairs = f.iter().zip(c);
        pairs.map(|(f, c)| f + (f - c) / gain).collect()
    };
    fine.iter().zip(coarse).map(row).collect()
}

/// A check file with what differs for a scheme.
pub(crate) fn check_for(folder: &str, file: &str, scheme: &str) -> Value {
    let mut check = json(&format!("{folder}/{file}"));
    let base = scheme.split_once('+').map_or(scheme, |(base, _)| base);
    if let Some(own) = check[base].as_object().cloned() {
        for (key, value) in own {
            check[key] = value;
        }
    }
    check
}

/// The model of a check file, below `tests/truth`.
pub(crate) fn model_of(folder: &str, check: &Value) -> String {
    match check["model"].as_str().unwrap() {
        path if path.starts_with("models/") => format!("../../{path}"),
        path => format!("{folder}/{path}"),
    }
}

/// The rows of the reference that a check file asks for.
pub(crate) fn wanted_rows<'a>(check: &Value, table: &'a Table) -> Vec<&'a Vec<f64>> {
    let until = check["until"].as_f64().unwrap();
    let after = check["skip_before"].as_f64().unwrap_or(-1.0);
    let skip = usize::from(check["skip_first"].as_bool().unwrap_or(false));
    let rows = table.rows.iter().skip(skip);
    rows.filter(|row| row[0] <= until + 1e-9 && row[0] >= after)
        .collect()
}

/// Columns of the reference's rows.
pub(crate) fn pick(check: &Value, table: &Table, wanted: &[&Vec<f64>], names: &Columns) -> Rows {
    let column = |name: &str| table.column(check["rename"][name].as_str().unwrap_or(name));
    let of = |row: &&Vec<f64>| names.iter().map(|(n, _)| row[column(n)]).collect();
    wanted.iter().map(of).collect()
}

/// Runs a check file under a scheme; what differs for it stands under the scheme's name. One solve a
/// step may add a tenth to the error, or vanish faster than the order promises, and is not
/// extrapolated.
fn check(folder: &str, file: &str, scheme: &str) {
    let check = check_for(folder, file, scheme);
    let linear = scheme.contains('+');
    let model = model_of(folder, &check);
    let table = Table::read(&format!(
        "{folder}/{}",
        check["reference"].as_str().unwrap()
    ));
    let wanted = wanted_rows(&check, &table);
    let times: Vec<f64> = wanted.iter().map(|row| row[0]).collect();
    let names = columns(&check, "columns");
    let pick = |names: &Columns| pick(&check, &table, &wanted, names);
    let reference = pick(&names);
    let steps: Vec<f64> = check["steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|h| h.as_f64().unwrap())
        .collect();
    let runs: Vec<_> = steps
        .iter()
        .map(|h| run((&model, scheme), &names, &times, *h))
        .collect();
    let errors: Vec<f64> = runs
        .iter()
        .map(|r| distance(r, &reference, &names))
        .collect();
    let order = check["order"].as_f64().unwrap();
    let n = errors.len();
    let measured = (errors[n - 2] / errors[n - 1]).log2();
    let extrapolated = richardson(&runs[n - 1], &runs[n - 2], order);
    let rest = distance(&extrapolated, &reference, &names);
    let report =
        format!("{folder} {scheme}: errors {errors:?}, order {measured:.3}, extrapolated {rest:e}");
    eprintln!("{report}");
    let allowed = check["error"].as_f64().unwrap();
    if linear {
        assert!(measured > order - 0.25, "{report}");
        assert!(errors[n - 1] <= 1.1 * allowed, "{report}");
        return;
    }
    assert!((measured - order).abs() < 0.25, "{report}");
    assert!(errors[n - 1] <= allowed, "{report}");
    assert!(rest <= check["extrapolated"].as_f64().unwrap(), "{report}");
    exact_columns(&check, folder, &model, &times, &pick, steps[0]);
    redundant_rows(&check, &model);
}

/// Columns that a driven mechanism meets at any step size, to an absolute tolerance each.
fn exact_columns(check: &Value, folder: &str, model: &str, times: &[f64], pick: &Pick<'_>, h: f64) {
    let exact = columns(check, "exact");
    if !exact.is_empty() {
        let values = run((model, "GSTIFF"), &exact, times, h);
        let worst = distance(&values, &pick(&exact), &exact);
        assert!(
            worst <= 1.0,
            "{folder}: exact columns off by {worst} tolerances"
        );
    }
}

/// How many redundant rows must be found.
fn redundant_rows(check: &Value, model: &str) {
    if let Some(redundant) = check["redundant"].as_u64() {
        let notes = load(model).notes().to_vec();
        let found = notes.iter().filter(|n| n.contains("redundant")).count();
        assert_eq!(found as u64, redundant, "{notes:?}");
    }
}

macro_rules! cases {
    ($($name:ident => ($folder:literal, $file:literal);)*) => {
        /// Folder and check file of every case.
        pub(crate) const CASES: &[(&str, &str)] = &[$(($folder, $file)),*];

        $(#[test] fn $name() { check($folder, $file, "GSTIFF"); })*
        mod si2 {
            $(#[test] fn $name() { super::check($folder, $file, "GSTIFF/SI2"); })*
        }
        mod linear {
            $(#[test] fn $name() {
                for scheme in ["GSTIFF", "GSTIFF/SI2", "HHT", "GENALPHA"] {
                    super::check($folder, $file, &format!("{scheme}+linear"));
                }
            })*
        }
        mod hht {
            $(#[test] fn $name() { super::check($folder, $file, "HHT"); })*
        }
        mod generalized_alpha {
            $(#[test] fn $name() { super::check($folder, $file, "GENALPHA"); })*
        }
        /// Every check file is run by a test above.
        #[test]
        fn every_check_is_run() {
            for folder in std::fs::read_dir(truth("")).unwrap() {
                let folder = folder.unwrap().file_name().into_string().unwrap();
                for file in std::fs::read_dir(truth(&folder)).unwrap() {
                    let file = file.unwrap().file_name().into_string().unwrap();
                    if file.starts_with("check") {
                        assert!(CASES.contains(&(folder.as_str(), file.as_str())), "{folder}/{file}");
                    }
                }
            }
        }
    };
}

cases! {
    andrews_squeezer => ("A01_andrews_squeezer", "check.json");
    car_axis => ("B01_car_axis", "check.json");
    simple_pendulum => ("C01_simple_pendulum", "check.json");
    four_bar_row_of_two => ("C02_n_fourbar", "check.json");
    four_bar_row_of_forty => ("C02_n_fourbar", "check_N40.json");
    flyball_governor => ("C05_flyball_governor", "check.json");
    heavy_top => ("D01_heavy_top", "check.json");
    free_body => ("D03_torque_free_dzhanibekov", "check.json");
    double_pendulum => ("D04_double_pendulum", "check.json");
    spatial_slider_crank => ("D06_spatial_slider_crank", "check.json");
    redundant_four_bar => ("D08_fourbar_redundant", "check.json");
    double_parallelogram => ("D10_double_parallelogram", "check.json");
    driven_slider_crank => ("D11_driven_slider_crank", "check.json");
    controlled_pendulum => ("S01_controlled_pendulum", "check.json");
    servo_axis => ("S02_servo_axis", "check.json");
    overhead_crane => ("S03_overhead_crane", "check.json");
}

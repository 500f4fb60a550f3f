//! Control plane: writes a linear form as a page.

use faer::Mat;
use fmu_build::linear_page;
use fmu_build::operating_point::OperatingPoint;
use fmu_build::page::{Cell, Page, Table};
use fmu_build::slave::Failure;
use linear_analysis::eigen::{Balancing, eigen};
use linear_analysis::export::count;
use linear_analysis::modes_report::figure;
use linear_analysis::{LinearForm, Variable};

/// Larger matrices are not shown.
const SHOWN: usize = 80;
/// Number of decades below the largest entry that the shading distinguishes.
const DECADES: f64 = 8.0;

/// The page.
pub(super) fn page(at: &OperatingPoint, form: &LinearForm) -> Result<String, Failure> {
    let subtitle = linear_page::subtitle("Linear form", at);
    let mut page = Page::new(&at.mechanism.name, subtitle);
    linear_page::draw(&mut page, at, form, &[]);
    page.tab("Form");
    let states = |k: usize| form.states[k].name.clone();
    let mut notes = vec![format!(
        "{}, {}, {}: {}",
        count(form.states.len(), "state"),
        count(form.inputs.len(), "input"),
        count(form.outputs.len(), "output"),
        if form.e.is_some() {
            "E x' = A x + B u, y = C x + D u"
        } else {
            "x' = A x + B u, y = C x + D u"
        }
    )];
    notes.push(String::from(
        "states are in SI units, inputs and outputs in the units that the model gives them: see the table",
    ));
    notes.extend(form.notes.iter().cloned());
    page.add_words("Notes", notes);
    add_names(&mut page, form);
    if form.e.is_none() {
        let n = form.states.len();
        let a = Mat::from_fn(n, n, |r, c| form.a[(r, c)]);
        let found = eigen(&a, form.positions, Balancing::Auto)
            .map_err(|error| Failure(error.to_string()))?;
        page.tab("Roots");
        linear_page::add_roots(&mut page, &found.roots, 0);
    }
    page.tab("Matrices");
    let inputs = |k: usize| form.inputs[k].name.clone();
    let outputs = |k: usize| form.outputs[k].name.clone();
    add_matrix(&mut page, ("A", &form.a), &states, &states);
    add_matrix(&mut page, ("B", &form.b), &states, &inputs);
    add_matrix(&mut page, ("C", &form.c), &outputs, &states);
    add_matrix(&mut page, ("D", &form.d), &outputs, &inputs);
    if let Some(e) = &form.e {
        add_matrix(&mut page, ("E", e), &states, &states);
    }
    linear_page::add_point(&mut page, at);
    page.html()
}

/// Adds the names of states, inputs and outputs.
fn add_names(page: &mut Page, form: &LinearForm) {
    let mut table = Table {
        columns: ["variable", "kind", "unit"].map(str::to_owned).to_vec(),
        ..Table::default()
    };
    let mut add = |name: &str, kind: &str, unit: &str| {
        let cells = [name, kind, unit].map(|text| Cell::Text(text.to_owned()));
        table.rows.push(cells.to_vec());
    };
    for (k, state) in form.states.iter().enumerate() {
        add(&state.name, &format!("state {}", k + 1), &state.unit);
    }
    let variables: [(&str, &[Variable]); 2] = [("input", &form.inputs), ("output", &form.outputs)];
    for (kind, all) in variables {
        for (k, variable) in all.iter().enumerate() {
            add(&variable.name, &format!("{kind} {}", k + 1), &variable.unit);
        }
    }
    page.add_table("States, inputs, outputs", table);
}

/// Adds a matrix, with darker cells for larger entries, unless it is empty or too large.
fn add_matrix(
    page: &mut Page,
    (name, of): (&str, &Mat<f64>),
    row: &dyn Fn(usize) -> String,
    column: &dyn Fn(usize) -> String,
) {
    let (rows, columns) = (of.nrows(), of.ncols());
    if rows == 0 || columns == 0 {
        return;
    }
    if rows.max(columns) > SHOWN {
        let told = format!(
            "{rows} rows and {columns} columns; a page shows up to {SHOWN} of each, files hold all (--output)"
        );
        page.add_words(name, vec![told]);
        return;
    }
    let entries = (0..rows).flat_map(|r| (0..columns).map(move |c| (r, c)));
    let largest = entries.fold(0.0_f64, |most, at| most.max(of[at].abs()));
    let cell = |x: f64| {
        let size = x.abs() / largest;
        if x == 0.0 {
            return Cell::Text(String::from("0"));
        }
        let share = 1.0 + fixstep_kernel::math::log10(size) / DECADES;
        Cell::Share(figure(x), share.clamp(0.0, 1.0))
    };
    let line = |r: usize| {
        let cells = (0..columns).map(|c| cell(of[(r, c)]));
        std::iter::once(Cell::Text(row(r))).chain(cells).collect()
    };
    let first = std::iter::once(String::new());
    let table = Table {
        columns: first.chain((0..columns).map(column)).collect(),
        rows: (0..rows).map(line).collect(),
        shade: true,
        ..Table::default()
    };
    page.add_table(name, table);
}

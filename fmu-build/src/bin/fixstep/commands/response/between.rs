//! Control plane: the option `--compliance`: compliance and dynamic stiffness between markers.

use faer::Mat;
use fixstep_kernel::ids::MarkerId;
use fixstep_kernel::mechanism::{BodyKind, Mechanism};
use fixstep_model::table;
use fixstep_variables::file::Blueprint;
use fmu_build::operating_point::OperatingPoint;
use fmu_build::slave::Failure;
use fmu_build::suggest::unknown;
use linear_analysis::LinearForm;
use linear_analysis::compliance::{Compliance, DIRECTIONS, Markers, Told};
use linear_analysis::eigen::Balancing;
use linear_analysis::modes::modes;
use linear_analysis::modes_report::called;
use linear_analysis::response::Route;

use crate::args;

/// Adds the forces and displacements of the requested markers to the mechanism.
pub(super) fn add(args: &args::Between, blueprint: &mut Blueprint) -> Result<(), Failure> {
    let Some((i, j)) = &args.compliance else {
        return Ok(());
    };
    let mechanism = &mut blueprint.mechanism;
    let markers = Markers {
        i: marker(mechanism, "--compliance", i)?,
        j: marker(mechanism, "--compliance", j)?,
        reference: marker(mechanism, "--relative-to", &args.relative_to)?,
    };
    let body = |marker: MarkerId| mechanism.markers[marker.index()].body;
    let bends = |marker: MarkerId| {
        mechanism.bodies[body(marker).index()].kind == BodyKind::Flexible
            && marker != markers.reference
    };
    for (own, name) in [(markers.i, i), (markers.j, j)] {
        if body(own) == body(markers.reference) && !bends(own) {
            return Err(Failure(format!(
                "--compliance: marker \"{name}\" is on the body of marker \"{}\", to which it would not move; valid: markers of \
                 other bodies, other nodes of a flexible one, or another marker by --relative-to",
                args.relative_to
            )));
        }
    }
    markers.add(mechanism);
    blueprint.table = table::of(mechanism);
    Ok(())
}

fn marker(mechanism: &Mechanism, option: &str, name: &str) -> Result<MarkerId, Failure> {
    let names = mechanism.markers.iter().map(|marker| marker.name.as_str());
    let found = names.clone().position(|own| own == name);
    found.map(MarkerId::from).ok_or_else(|| {
        let said = unknown("marker", name, names);
        Failure(format!("{option}: {said}"))
    })
}

/// The compliance; replaces the form by that of its directions only.
pub(super) fn found(
    args: &args::Between,
    at: &mut OperatingPoint,
    form: &mut LinearForm,
) -> Result<Option<Compliance>, Failure> {
    let Some((i, j)) = &args.compliance else {
        return Ok(None);
    };
    let kind = if args.stiffness {
        Told::Stiffness
    } else {
        Told::Compliance
    };
    let is_wanted = |k: &usize| {
        args.directions.is_empty() || args.directions.contains(&DIRECTIONS[*k].to_owned())
    };
    let directions: Vec<usize> = (0..6).filter(is_wanted).collect();
    let wrong = |error: &dyn std::fmt::Display| Failure(format!("--compliance: {error}"));
    let names = |body: usize| called(&at.mechanism, body);
    let all = modes(&names, &at.linearization, form, Balancing::Auto);
    let all = all.map_err(|error| wrong(&error))?;
    let found = Compliance::of(form, ([i, j], kind), &directions);
    let (mut compliance, own) = found.map_err(|error| wrong(&error))?;
    let rigid = all
        .notes
        .into_iter()
        .filter(|note| note.contains("rigid motion"));
    compliance.name_free(&rigid.collect::<Vec<String>>());
    // Operating point and words are in terms of the model's own inputs and outputs.
    let added = at.point.inputs.len().saturating_sub(DIRECTIONS.len());
    at.point.inputs.truncate(added);
    let added = at.point.outputs.len().saturating_sub(DIRECTIONS.len());
    at.point.outputs.truncate(added);
    *form = own;
    form.notes.retain(|note| !note.starts_with("output "));
    Ok(Some(compliance))
}

/// The matrix at 0 Hz, or why it does not exist.
pub(super) fn still(of: &Compliance) -> Result<Mat<f64>, String> {
    let found = of
        .at(0.0, Route::Direct)
        .map_err(|error| error.to_string())?;
    Ok(Mat::from_fn(found.nrows(), found.ncols(), |r, c| {
        found[(r, c)].re
    }))
}

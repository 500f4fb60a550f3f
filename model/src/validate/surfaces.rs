//! Control plane: surfaces that are made from tables: heights, profiles, triangles, curves.

use super::builder::Builder;
use crate::csv::Header;
use crate::errors::At;
use crate::limits::{GRID_HEIGHTS, TRIANGLES};
use crate::meshes;
use crate::schema::{Heightmap, Number, Profile, Track, TriangleMesh};
use crate::units::{Dimension, ToSi as _};
use fixstep_kernel::math::Vec3;
use fixstep_kernel::math::curve::SpaceCurve;
use fixstep_kernel::math::mesh::Mesh;
use fixstep_kernel::math::spline::{Ends, Method};
use fixstep_kernel::math::terrain::{Grid, Terrain};
use fixstep_kernel::mechanism::ContactShape;
use std::sync::Arc;

/// The default for the largest number of triangles that an evaluation examines.
const BUDGET: i64 = 64;

/// Heightmap on a grid.
pub(super) fn heights(b: &mut Builder<'_>, data: &Heightmap, at: &At) -> Option<ContactShape> {
    let at_spacing = at.field("spacing");
    if data.spacing.iter().any(|d| *d <= 0.0) {
        b.report
            .add(&at_spacing, "must be more than zero along both axes");
        return None;
    }
    let (rows, at_rows) = match (&data.heights, &data.file) {
        (Some(rows), None) => (rows.clone(), at.field("heights")),
        (None, Some(file)) => {
            let at_file = at.field("file");
            let table = b.table(file, Header::Guess, &at_file)?;
            if !table.names.is_empty() {
                let message = "a grid of heights has no header line";
                b.report.add(&at_file, message);
                return None;
            }
            let row = |k: usize| table.columns.iter().map(|column| column[k]).collect();
            ((0..table.rows()).map(row).collect(), at_file)
        }
        _ => {
            let message = "give either \"heights\" or a \"file\"";
            b.report.add(at, message);
            return None;
        }
    };
    let width = rows.first().map_or(0, Vec::len);
    let even = rows.iter().all(|row| row.len() == width);
    if rows.len() < 2 || width < 2 || !even || rows.len() * width > GRID_HEIGHTS {
        let message = format!(
            "a grid of heights has two or more rows, all of the same two or more heights, at most \
             {GRID_HEIGHTS} in all; this has {} rows, the first of {width}",
            rows.len()
        );
        b.report.add(&at_rows, message);
        return None;
    }
    let unit = b.units.to_si(Dimension::Length);
    let si = |pair: [f64; 2]| pair.map(|x| x * unit);
    let rows: Vec<Vec<f64>> = rows
        .iter()
        .map(|row| row.iter().map(|h| h * unit).collect())
        .collect();
    let mut origin = data.origin.unwrap_or_default();
    let mut rows = rows;
    if data.mirrored == Some(true) {
        let span = data.spacing[1] * (rows.len() - 1) as f64;
        origin[1] = -(origin[1] + span);
        rows.reverse();
    }
    let grid = Grid::new(si(origin), si(data.spacing), &rows);
    Some(ContactShape::Terrain(Arc::new(Terrain::Grid(grid))))
}

/// A profile.
pub(super) fn profile(b: &mut Builder<'_>, data: &Profile, at: &At) -> Option<ContactShape> {
    let at_spline = at.field("spline");
    let found = b.names.splines.find(&data.spline);
    let id = found
        .map_err(|message| b.report.add(&at_spline, message))
        .ok()?;
    let cubic = Method::Cubic(Ends::Natural);
    let valid = [("cubic", cubic), ("akima", Method::Akima)];
    let method = b.choice((data.method.as_deref(), "method"), &valid, at);
    let method = method.unwrap_or(cubic);
    // A broken spline has been reported.
    let spline = b.splines.get_mut(id.index())?.as_mut()?;
    let message = if spline.is_surface() {
        "must have one variable; for heights over x and y use \"heightmap\"".to_owned()
    } else {
        match spline.curve(method) {
            Ok(curve) => {
                let unit = b.units.to_si(Dimension::Length);
                let terrain = Terrain::Profile(curve, unit);
                return Some(ContactShape::Terrain(Arc::new(terrain)));
            }
            Err(message) => message,
        }
    };
    b.report.add(&at_spline, message);
    None
}

/// A curve, from one side.
pub(super) fn curve(b: &mut Builder<'_>, data: &Track, at: &At) -> Option<ContactShape> {
    let curve = plane_curve(b, &data.curve, at)?;
    let valid = [("left", true), ("right", false)];
    let left = b.choice((data.side.as_deref(), "side"), &valid, at);
    let left = left.unwrap_or(true);
    Some(ContactShape::Curve { curve, left })
}

/// A curve of the model that lies in its xy plane.
pub(super) fn plane_curve(b: &mut Builder<'_>, name: &str, at: &At) -> Option<Arc<SpaceCurve>> {
    let at_curve = at.field("curve");
    let found = b.names.curves.find(name);
    let id = found
        .map_err(|message| b.report.add(&at_curve, message))
        .ok()?;
    let curve = b.curves.get(id.index())?.clone()?;
    if !curve.is_planar() {
        let message = "does not lie in its xy plane; contact needs a plane curve";
        b.report.add(&at_curve, message);
        return None;
    }
    Some(curve)
}

/// Triangles whose contact extends to the depth of a sphere of this radius \[m\], plus a margin.
pub(super) fn mesh(
    b: &mut Builder<'_>,
    data: &TriangleMesh,
    radius: Option<f64>,
    at: &At,
) -> Option<(ContactShape, f64)> {
    let depth = data
        .depth
        .map(|depth| b.si(depth, Dimension::Length, &at.field("depth")));
    let reach = depth.or(radius).filter(|x| *x > 0.0);
    let Some(reach) = reach else {
        let message = "down to which depth below the surface does a point make contact? Give \"depth\", more than zero";
        b.report.add(&at.field("depth"), message);
        return None;
    };
    let budget = data.budget.unwrap_or(BUDGET);
    let at_budget = at.field("budget");
    if !(1..=4096).contains(&budget) {
        let message = format!("must be 1 to 4096; found {budget}");
        b.report.add(&at_budget, message);
        return None;
    }
    let given = (
        data.vertices.as_ref(),
        data.triangles.as_ref(),
        data.file.as_deref(),
    );
    let (mut vertices, mut triangles) = triangles(b, given, at)?;
    if data.mirrored == Some(true) {
        for vertex in &mut vertices {
            vertex[1] = -vertex[1];
        }
        // Counter-clockwise as seen from outside, in the mirror too.
        for corners in &mut triangles {
            corners.swap(1, 2);
        }
    }
    if triangles.len() > TRIANGLES {
        let message = format!("has {} triangles; at most {TRIANGLES}", triangles.len());
        b.report.add(at, message);
        return None;
    }
    let unit = b.units.to_si(Dimension::Length);
    let vertices: Vec<Vec3> = vertices.iter().map(|v| Vec3::from(*v) * unit).collect();
    // Room for a radius that grows with a parameter.
    let reach = 1.25 * reach.max(radius.unwrap_or(0.0));
    match Mesh::new(&vertices, &triangles, reach, budget as usize) {
        Ok(mesh) => Some((ContactShape::Mesh(Arc::new(mesh)), reach)),
        Err(error) => {
            b.report.add(at, error.to_string());
            None
        }
    }
}

/// Vertices, triangles and file, as a model gives them.
type Given<'a> = (
    Option<&'a Vec<[f64; 3]>>,
    Option<&'a Vec<[i64; 3]>>,
    Option<&'a str>,
);

/// Triangles that are written in the model, or in a file.
pub(super) fn triangles(
    b: &mut Builder<'_>,
    given: Given<'_>,
    at: &At,
) -> Option<meshes::Triangles> {
    match given {
        (Some(vertices), Some(triangles), None) => {
            // A number below 0 is as wrong as one that is too large.
            let whole = |t: &[i64; 3]| t.map(|k| usize::try_from(k).unwrap_or(usize::MAX));
            Some((vertices.clone(), triangles.iter().map(whole).collect()))
        }
        (None, None, Some(file)) => b.triangles(file, &at.field("file")),
        _ => {
            let message = "give either \"vertices\" and \"triangles\" or a \"file\"";
            b.report.add(at, message);
            None
        }
    }
}

/// Metres in the unit of a file of triangles; `None` after a report.
pub(super) fn mesh_scale(
    b: &mut Builder<'_>,
    file: &str,
    scale: Option<&Number>,
    at: &At,
) -> Option<f64> {
    let at_scale = at.field("scale");
    let scale = match scale {
        Some(Number::Constant(scale)) => b.si(*scale, Dimension::Length, &at_scale),
        Some(Number::Expression(_)) => {
            let message = "must be a plain number: a mesh is computed when the model is read, so that an FMU needs none";
            b.report.add(&at_scale, message);
            return None;
        }
        None if is_gltf(file) => 1.0,
        None => b.units.to_si(Dimension::Length),
    };
    if scale <= 0.0 {
        let message = format!("must be more than zero; found {scale} in SI units");
        b.report.add(&at_scale, message);
        return None;
    }
    Some(scale)
}

/// glTF has metres.
pub(super) fn is_gltf(path: &str) -> bool {
    let ending = path.rsplit('.').next().map(str::to_ascii_lowercase);
    matches!(ending.as_deref(), Some("gltf" | "glb"))
}

//! Control plane: outlines in the plane of x and y, drawn along z.

use std::f64::consts::{FRAC_PI_2, PI};

use fixstep_kernel::math::{Vec3, cos};

use super::builder::{Builder, doubled_area, ends, unit};
use super::{CREASE, ears, revolved};
use crate::scene::Mesh;

/// The solid of an outline with holes from -length/2 to +length/2 \[m\]; lines may go either way round. Edges that bend by
/// less than `crease` \[rad\] are round. None if lines cross, or if one has no area.
pub fn extrusion(
    outline: &[[f64; 2]],
    holes: &[Vec<[f64; 2]>],
    length: f64,
    crease: f64,
) -> Option<Mesh> {
    let mut lines = vec![tidied(outline, false)?];
    for hole in holes {
        lines.push(tidied(hole, true)?);
    }
    let mut builder = Builder::default();
    for line in &lines {
        wall(&mut builder, line, length, cos(crease));
    }
    let points = lines.concat();
    for triangle in ears::triangles(&lines)? {
        let [a, b, c] = triangle.map(|k| points[k]);
        let at = |[x, y]: [f64; 2], side: f64| Vec3::new(x, y, side * 0.5 * length);
        builder.flat([at(a, 1.0), at(b, 1.0), at(c, 1.0)], &Vec3::z());
        builder.flat([at(a, -1.0), at(c, -1.0), at(b, -1.0)], &-Vec3::z());
    }
    Some(builder.finish())
}

/// Without repeated corners or corners on a straight edge; anticlockwise, or clockwise for a hole.
fn tidied(line: &[[f64; 2]], hole: bool) -> Option<Vec<[f64; 2]>> {
    // corners are compared as they will be stored
    let mut line: Vec<[f64; 2]> = line
        .iter()
        .map(|p| p.map(|x| f64::from(x as f32)))
        .collect();
    line.dedup();
    while line.len() > 1 && line.first() == line.last() {
        line.pop();
    }
    let mut k = 0;
    while line.len() >= 3 && k < line.len() {
        let count = line.len();
        if doubled_area(&[
            line[(k + count - 1) % count],
            line[k],
            line[(k + 1) % count],
        ]) == 0.0
        {
            line.remove(k);
            k = k.saturating_sub(1);
        } else {
            k += 1;
        }
    }
    let area = doubled_area(&line);
    if line.len() < 3 || area == 0.0 || !area.is_finite() {
        return None;
    }
    if (area < 0.0) != hole {
        line.reverse();
    }
    Some(line)
}

/// The faces along z over a line whose inside is on its left.
fn wall(builder: &mut Builder, line: &[[f64; 2]], length: f64, cosine: f64) {
    let count = line.len();
    let normal = |k: usize| {
        let (a, b) = (line[k % count], line[(k + 1) % count]);
        unit([b[1] - a[1], a[0] - b[0]])
    };
    for k in 0..count {
        let sides = ends(
            normal(k),
            Some(normal(k + count - 1)),
            Some(normal(k + 1)),
            cosine,
        );
        let at = |end: usize, side: f64| {
            let ([x, y], [nx, ny]) = (line[(k + end) % count], sides[end]);
            (Vec3::new(x, y, side * 0.5 * length), Vec3::new(nx, ny, 0.0))
        };
        builder.quad([at(0, -1.0), at(1, -1.0), at(1, 1.0), at(0, 1.0)]);
    }
}

/// A thin box across z with rounded corners \[m\]; the radius is at most half of the shorter edge.
pub fn plate(x: f64, y: f64, thickness: f64, radius: f64) -> Mesh {
    let radius = radius.min(0.499 * x.min(y));
    if radius <= 0.0 {
        let outline =
            [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]].map(|[a, b]| [a * x, b * y]);
        return extrusion(&outline, &[], thickness, CREASE).unwrap_or_default();
    }
    let centers = [[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]];
    let mut outline = Vec::new();
    for (k, [u, v]) in centers.into_iter().enumerate() {
        let center = [u * (0.5 * x - radius), v * (0.5 * y - radius)];
        let from = FRAC_PI_2 * k as f64;
        outline.extend(revolved::arc(center, radius, from, from + FRAC_PI_2, 8));
    }
    extrusion(&outline, &[], thickness, CREASE).unwrap_or_default()
}

/// A bar along z of an I-section: height along x, width of the flanges along y, and the thickness of web and flanges
/// \[m\].
pub fn i_bar(height: f64, width: f64, thickness: f64, length: f64) -> Mesh {
    let (x, y, t) = (0.5 * height, 0.5 * width, thickness);
    let half = [
        [x, -y],
        [x, y],
        [x - t, y],
        [x - t, 0.5 * t],
        [t - x, 0.5 * t],
        [t - x, y],
    ];
    let mut outline = half.to_vec();
    outline.extend(half.map(|[a, b]| [-a, -b]));
    extrusion(&outline, &[], length, PI / 6.0).unwrap_or_default()
}

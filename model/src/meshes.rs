//! Control plane: reads triangles from files: STL as text or binary, OBJ, glTF and GLB.

mod binary;
mod gltf;

use fixstep_kernel::math::Vec3;
use std::sync::Arc;

/// Vertices, and three numbers of vertices for each triangle.
pub(super) type Triangles = (Vec<[f64; 3]>, Vec<[usize; 3]>);

/// A function that reads a file that a mesh refers to.
pub(super) type Others<'a> = dyn FnMut(&str) -> Result<Arc<[u8]>, String> + 'a;

/// Reads a file in the format of its extension; an error names the line. Some formats refer to other files.
pub(super) fn read(path: &str, bytes: &[u8], others: &mut Others<'_>) -> Result<Triangles, String> {
    let ending = path.rsplit('.').next().map(str::to_ascii_lowercase);
    match ending.as_deref() {
        Some("stl") if binary::is(bytes) => binary::read(bytes),
        Some("stl") => stl(&text(bytes)),
        Some("obj") => obj(&text(bytes)),
        Some("gltf") => gltf::text(bytes, others),
        Some("glb") => gltf::binary(bytes, others),
        _ => Err("the name must end with .stl, .obj, .gltf or .glb".to_owned()),
    }
}

/// The text of bytes; what is no UTF-8 may be in comments.
fn text(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned()
}

/// Three finite numbers.
fn numbers<'a>(words: impl Iterator<Item = &'a str>, line: usize) -> Result<[f64; 3], String> {
    let read: Vec<f64> = words
        .take(3)
        .filter_map(|word| word.parse().ok().filter(|x: &f64| x.is_finite()))
        .collect();
    read.try_into()
        .map_err(|_| format!("line {line}: expected three numbers"))
}

/// STL as text: the words `vertex x y z`, three per triangle, wound as its `facet normal` points; if the normal is
/// given, this is checked.
fn stl(text: &str) -> Result<Triangles, String> {
    if !text.trim_start().starts_with("solid") || text.contains('\0') {
        return Err(
            "is no STL file: as text it begins with \"solid\", as binary it has 84 bytes and 50 for each triangle".to_owned(),
        );
    }
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    let mut normal = [0.0; 3];
    for (line, row) in (1..).zip(text.lines()) {
        let mut words = row.split_ascii_whitespace();
        match words.next() {
            Some("vertex") => vertices.push(numbers(words, line)?),
            // Its normal is often meaningless; then the winding decides.
            Some("facet") => normal = numbers(words.skip(1), line).unwrap_or_default(),
            Some("endfacet") => {
                let first = 3 * triangles.len();
                if vertices.len() != first + 3 {
                    return Err(format!("line {line}: a facet must have three vertices"));
                }
                let [a, b, c] = [0, 1, 2].map(|k| Vec3::from(vertices[first + k]));
                let along = (b - a).cross(&(c - a)).dot(&Vec3::from(normal));
                triangles.push(if along < 0.0 {
                    [first, first + 2, first + 1]
                } else {
                    [first, first + 1, first + 2]
                });
            }
            _ => {}
        }
    }
    Ok((vertices, triangles))
}

/// OBJ: `v x y z` and `f` with three or more vertices, cut into triangles from the first; everything else is ignored.
fn obj(text: &str) -> Result<Triangles, String> {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for (line, row) in (1..).zip(text.lines()) {
        let mut words = row.split_ascii_whitespace();
        match words.next() {
            Some("v") => vertices.push(numbers(words, line)?),
            Some("f") => {
                let count = vertices.len();
                let vertex = |word: &str| {
                    let number: i64 = word.split('/').next()?.parse().ok()?;
                    let back = usize::try_from(-number).ok();
                    let place = match usize::try_from(number) {
                        Ok(number) => number.checked_sub(1),
                        Err(_) => back.and_then(|back| count.checked_sub(back)),
                    };
                    place.filter(|place| *place < count)
                };
                let face: Option<Vec<usize>> = words.map(vertex).collect();
                let face = face.filter(|face| face.len() >= 3).ok_or_else(|| {
                    format!("line {line}: a face needs three or more vertices that stand above it")
                })?;
                let fan = face[1..].windows(2).map(|pair| [face[0], pair[0], pair[1]]);
                triangles.extend(fan);
            }
            _ => {}
        }
    }
    Ok((vertices, triangles))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(path: &str, text: &str) -> Result<Triangles, String> {
        super::read(path, text.as_bytes(), &mut |_| Err(String::new()))
    }

    #[test]
    fn triangles_of_text() {
        let stl = "solid s\n facet normal 0 0 -1\n  outer loop\n   vertex 0 0 0\n   vertex 1 0 0\n   vertex 0 1e0 0\n  endloop\n endfacet\nendsolid s\n";
        let (vertices, triangles) = read("a/b.STL", stl).unwrap_or_default();
        assert_eq!(vertices, [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
        assert_eq!(triangles, [[0, 2, 1]]);
        let obj =
            "# c\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvn 0 0 1\nf 1/1/1 2//1 3 4\nf -4 -3 -2\n";
        let (vertices, triangles) = read("b.obj", obj).unwrap_or_default();
        assert_eq!(vertices.len(), 4);
        assert_eq!(triangles, [[0, 1, 2], [0, 2, 3], [0, 1, 2]]);
    }

    #[test]
    fn what_is_no_mesh_is_refused() {
        for (path, text, message) in [
            ("a.ply", "", "must end with .stl, .obj, .gltf or .glb"),
            ("a.stl", "\u{fffd}\u{0}", "is no STL file"),
            (
                "a.stl",
                "solid\nvertex 1 2",
                "line 2: expected three numbers",
            ),
            (
                "a.stl",
                "solid\nendfacet",
                "line 2: a facet must have three",
            ),
            ("a.obj", "v 1 2 x", "line 1: expected three numbers"),
            ("a.obj", "v 1 2 3\nf 1 1 2", "line 2: a face needs"),
            ("a.obj", "v 1 2 3\nf 1 1 0", "line 2: a face needs"),
        ] {
            let fault = read(path, text).err().unwrap_or_default();
            assert!(fault.contains(message), "{text}: {fault}");
        }
    }
}

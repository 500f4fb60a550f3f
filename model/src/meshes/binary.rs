//! Control plane: binary STL: 80 bytes of anything, the count of triangles, and 50 bytes for each: normal and three
//! corners as 32-bit floats, and two bytes more.

use super::Triangles;
use fixstep_kernel::math::Vec3;

const HEAD: usize = 84;
const EACH: usize = 50;

/// Is it one? Its length says so; some begin with "solid", like those of text.
pub(super) fn is(bytes: &[u8]) -> bool {
    count(bytes).is_some_and(|count| bytes.len() as u64 == HEAD as u64 + EACH as u64 * count)
}

fn count(bytes: &[u8]) -> Option<u64> {
    let word = bytes.get(80..HEAD)?.try_into().ok()?;
    Some(u64::from(u32::from_le_bytes(word)))
}

/// Its triangles. As in those of text, a normal that is given must agree with the winding, or else decides it.
pub(super) fn read(bytes: &[u8]) -> Result<Triangles, String> {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for (k, facet) in bytes[HEAD..].chunks_exact(EACH).enumerate() {
        let number = |at: usize| {
            let word: [u8; 4] = std::array::from_fn(|byte| facet[4 * at + byte]);
            f64::from(f32::from_le_bytes(word))
        };
        let corners = [3, 6, 9].map(|at| [number(at), number(at + 1), number(at + 2)]);
        if corners.as_flattened().iter().any(|x| !x.is_finite()) {
            return Err(format!(
                "triangle {}: a corner has a number that is not finite",
                k + 1
            ));
        }
        let [a, b, c] = corners.map(Vec3::from);
        let normal = Vec3::new(number(0), number(1), number(2));
        let along = (b - a).cross(&(c - a)).dot(&normal);
        let first = vertices.len();
        vertices.extend(corners);
        triangles.push(if along < 0.0 {
            [first, first + 2, first + 1]
        } else {
            [first, first + 1, first + 2]
        });
    }
    Ok((vertices, triangles))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triangles_of_bytes() {
        let mut bytes = b"solid is what some programs write here".to_vec();
        bytes.resize(80, 0);
        bytes.extend(2_u32.to_le_bytes());
        for normal in [1.0_f32, -1.0] {
            for x in [
                0.0, 0.0, normal, 0.0, 0.0, 0.5, 1.0, 0.0, 0.5, 0.0, 1.0, 0.5,
            ] {
                bytes.extend(x.to_le_bytes());
            }
            bytes.extend([7, 7]);
        }
        assert!(is(&bytes) && !is(&bytes[1..]));
        let (vertices, triangles) = read(&bytes).unwrap_or_default();
        assert_eq!(vertices[1], [1.0, 0.0, 0.5]);
        assert_eq!(triangles, [[0, 1, 2], [3, 5, 4]]);
        let at = bytes.len() - 6;
        bytes[at..at + 4].copy_from_slice(&f32::NAN.to_le_bytes());
        assert!(read(&bytes).is_err_and(|e| e.contains("triangle 2")));
    }
}

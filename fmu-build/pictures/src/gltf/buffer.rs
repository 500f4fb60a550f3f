//! Control plane: the binary part of a glTF file, its views and accessors.

use serde_json::{Value, json};

/// What a view is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    /// Points and normals.
    Corners,
    /// Corners of triangles.
    Indices,
    /// An animation.
    Animation,
}

/// Numbers in little-endian order.
#[derive(Default)]
pub(super) struct Buffer {
    pub(super) bytes: Vec<u8>,
    pub(super) views: Vec<Value>,
    pub(super) accessors: Vec<Value>,
}

const UNSIGNED: u32 = 5125;
const FLOAT: u32 = 5126;

impl Buffer {
    /// Vectors; with their ranges, which positions need. Returns the accessor.
    pub(super) fn vectors(&mut self, vectors: &[[f32; 3]], target: Target, ranged: bool) -> usize {
        self.floats(vectors.as_flattened(), 3, target, ranged)
    }

    /// Numbers in groups of one, three or four.
    pub(super) fn floats(
        &mut self,
        numbers: &[f32],
        group: usize,
        target: Target,
        ranged: bool,
    ) -> usize {
        let bytes: Vec<u8> = numbers
            .iter()
            .flat_map(|x| (x + 0.0).to_le_bytes())
            .collect();
        let kind = match group {
            3 => "VEC3",
            4 => "VEC4",
            _ => "SCALAR",
        };
        let mut accessor =
            json!({"componentType": FLOAT, "count": numbers.len() / group, "type": kind});
        if ranged {
            let fold = |start: f32, f: fn(f32, f32) -> f32| -> Vec<f32> {
                let of = |k: usize| {
                    numbers
                        .iter()
                        .skip(k)
                        .step_by(group)
                        .copied()
                        .fold(start, f)
                        + 0.0
                };
                (0..group).map(of).collect()
            };
            accessor["min"] = json!(fold(f32::INFINITY, f32::min));
            accessor["max"] = json!(fold(f32::NEG_INFINITY, f32::max));
        }
        self.push(&bytes, target, accessor)
    }

    /// Corners of triangles.
    pub(super) fn indices(&mut self, triangles: &[[u32; 3]]) -> usize {
        let bytes: Vec<u8> = triangles
            .as_flattened()
            .iter()
            .flat_map(|k| k.to_le_bytes())
            .collect();
        let accessor =
            json!({"componentType": UNSIGNED, "count": 3 * triangles.len(), "type": "SCALAR"});
        self.push(&bytes, Target::Indices, accessor)
    }

    fn push(&mut self, bytes: &[u8], target: Target, mut accessor: Value) -> usize {
        let mut view =
            json!({"buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len()});
        match target {
            Target::Corners => view["target"] = json!(34_962),
            Target::Indices => view["target"] = json!(34_963),
            Target::Animation => {}
        }
        // numbers of four bytes keep all views aligned
        self.bytes.extend(bytes);
        accessor["bufferView"] = json!(self.views.len());
        self.views.push(view);
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }
}

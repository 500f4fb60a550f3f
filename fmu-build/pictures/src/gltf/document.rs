//! Control plane: nodes, meshes and materials of a glTF file, and the file itself.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::Key;
use super::buffer::{Buffer, Target};
use crate::render::linear;
use crate::scene::{Color, Mesh};

/// The accessors of a surface.
#[derive(Clone, Copy)]
pub(super) struct Primitive {
    points: usize,
    normals: usize,
    triangles: usize,
}

impl Primitive {
    pub(super) fn surface(buffer: &mut Buffer, mesh: &Mesh) -> Self {
        Primitive {
            points: buffer.vectors(&mesh.points, Target::Corners, true),
            normals: buffer.vectors(&mesh.normals, Target::Corners, false),
            triangles: buffer.indices(&mesh.triangles),
        }
    }

    pub(super) fn json(self, material: usize) -> Value {
        json!({
            "attributes": {"POSITION": self.points, "NORMAL": self.normals},
            "indices": self.triangles,
            "material": material,
        })
    }
}

/// All but the numbers.
#[derive(Default)]
pub(super) struct Document {
    nodes: Vec<Value>,
    meshes: Vec<Value>,
    materials: Vec<Value>,
    pub(super) animations: Vec<Value>,
    known_meshes: BTreeMap<Key, usize>,
    known_materials: BTreeMap<(Color, u64), usize>,
}

impl Document {
    /// A new node: its number.
    pub(super) fn node(&mut self, node: Value) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// A material of a colour and an opacity.
    pub(super) fn material(&mut self, color: Color, opacity: f64) -> usize {
        let opacity = opacity.clamp(0.0, 1.0);
        let materials = &mut self.materials;
        *self
            .known_materials
            .entry((color, opacity.to_bits()))
            .or_insert_with(|| {
                let [r, g, b] = linear(color);
                let [red, green, blue] = color;
                let mut material = json!({
                    "name": format!("#{red:02x}{green:02x}{blue:02x}"),
                    "pbrMetallicRoughness": {
                        "baseColorFactor": [r, g, b, opacity as f32],
                        "metallicFactor": 0.1,
                        "roughnessFactor": 0.6,
                    },
                });
                if opacity < 1.0 {
                    material["alphaMode"] = json!("BLEND");
                }
                materials.push(material);
                materials.len() - 1
            })
    }

    /// A surface in a material.
    pub(super) fn mesh(&mut self, key: Key, primitive: &Primitive) -> usize {
        let meshes = &mut self.meshes;
        *self.known_meshes.entry(key).or_insert_with(|| {
            meshes.push(json!({"primitives": [primitive.json(key.1)]}));
            meshes.len() - 1
        })
    }

    /// A mesh as it is.
    pub(super) fn whole_mesh(&mut self, mesh: Value) -> usize {
        self.meshes.push(mesh);
        self.meshes.len() - 1
    }

    /// The file: a header, the JSON padded by blanks, the numbers.
    pub(super) fn finish(self, buffer: Buffer, root: usize) -> Vec<u8> {
        let mut all = json!({
            "asset": {"version": "2.0", "generator": "Fixstep"},
            "scene": 0,
            "scenes": [{"nodes": [root]}],
            "nodes": self.nodes,
        });
        let lists = [
            ("meshes", self.meshes),
            ("materials", self.materials),
            ("animations", self.animations),
            ("accessors", buffer.accessors),
            ("bufferViews", buffer.views),
        ];
        for (name, list) in lists {
            // an empty list is not allowed
            if !list.is_empty() {
                all[name] = Value::Array(list);
            }
        }
        let mut binary = buffer.bytes;
        if !binary.is_empty() {
            all["buffers"] = json!([{"byteLength": binary.len()}]);
        }
        let mut text = all.to_string().into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');
        binary.resize(binary.len().next_multiple_of(4), 0);
        let mut chunks = vec![(b"JSON", text)];
        if !binary.is_empty() {
            chunks.push((b"BIN\0", binary));
        }
        let length: usize = 12
            + chunks
                .iter()
                .map(|(_, bytes)| 8 + bytes.len())
                .sum::<usize>();
        let mut file = b"glTF".to_vec();
        file.extend(2_u32.to_le_bytes());
        file.extend((length as u32).to_le_bytes());
        for (kind, bytes) in chunks {
            file.extend((bytes.len() as u32).to_le_bytes());
            file.extend(kind);
            file.extend(bytes);
        }
        file
    }
}

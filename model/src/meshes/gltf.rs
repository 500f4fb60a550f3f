//! Control plane: triangles of glTF 2.0 (Khronos Group 2021) and its binary form GLB: the meshes of the default scene, with
//! the transformations of their nodes. Compressed and sparse data are refused by name.

use super::{Others, Triangles};
use fixstep_kernel::math::{Mat3, Vec3};
use serde_json::Value;
use std::sync::Arc;

/// How deep nodes may be in nodes.
const DEPTH: usize = 64;
/// Kinds of component: bytes, 16-bit and 32-bit whole numbers, 32-bit floats.
const BYTE: u64 = 5121;
const SHORT: u64 = 5123;
const WORD: u64 = 5125;
const FLOAT: u64 = 5126;

/// A file of text.
pub(super) fn text(bytes: &[u8], others: &mut Others<'_>) -> Result<Triangles, String> {
    read(bytes, None, others)
}

/// A GLB file: a head of 12 bytes; then chunks, each with length and kind: JSON, and one of bytes.
pub(super) fn binary(bytes: &[u8], others: &mut Others<'_>) -> Result<Triangles, String> {
    let word = |at: usize| -> Option<u32> {
        let word = bytes.get(at..at + 4)?;
        Some(u32::from_le_bytes(word.try_into().ok()?))
    };
    if !bytes.starts_with(b"glTF") || word(4) != Some(2) {
        return Err("is no GLB file of version 2".to_owned());
    }
    let (mut json, mut data, mut at) = (None, None, 12);
    while let (Some(length), Some(kind)) = (word(at), word(at + 4)) {
        let begin = at + 8;
        let chunk = begin
            .checked_add(length as usize)
            .and_then(|end| bytes.get(begin..end))
            .ok_or("the file ends within a chunk")?;
        match &kind.to_le_bytes() {
            b"JSON" if json.is_none() => json = Some(chunk),
            b"BIN\0" if data.is_none() => data = Some(chunk),
            _ => {}
        }
        at = begin + length as usize;
    }
    read(json.ok_or("has no chunk of JSON")?, data, others)
}

/// The document with its buffers.
struct File {
    root: Value,
    buffers: Vec<Arc<[u8]>>,
}

fn read(json: &[u8], data: Option<&[u8]>, others: &mut Others<'_>) -> Result<Triangles, String> {
    let root: Value =
        serde_json::from_slice(json).map_err(|error| format!("is no JSON: {error}"))?;
    if let Some(name) = required(&root) {
        return Err(format!(
            "needs the extension {name:?}, which is not known here; write the mesh without compression"
        ));
    }
    let mut buffers = Vec::new();
    for (k, buffer) in list(&root, "buffers").iter().enumerate() {
        buffers.push(match buffer.get("uri").and_then(Value::as_str) {
            None => data
                .filter(|_| k == 0)
                .ok_or_else(|| format!("buffers[{k}] has no bytes"))?
                .into(),
            Some(uri) => match uri.strip_prefix("data:") {
                Some(inline) => inline
                    .split_once(";base64,")
                    .and_then(|(_, text)| base64(text))
                    .ok_or_else(|| format!("buffers[{k}]: its uri is no base64"))?
                    .into(),
                None => others(uri)?,
            },
        });
    }
    let file = File { root, buffers };
    let mut found = (Vec::new(), Vec::new());
    for node in file.roots() {
        file.node(node, (Mat3::identity(), Vec3::zeros()), 0, &mut found)?;
    }
    Ok(found)
}

/// An extension without which the file cannot be read, and which would change its triangles.
fn required(root: &Value) -> Option<&str> {
    let plain = ["KHR_materials", "KHR_texture", "KHR_lights"];
    let all = root.get("extensionsRequired")?.as_array()?;
    let mut names = all.iter().filter_map(Value::as_str);
    names.find(|name| !plain.iter().any(|plain| name.starts_with(plain)))
}

fn list<'a>(value: &'a Value, field: &str) -> &'a [Value] {
    let list = value.get(field).and_then(Value::as_array);
    list.map_or(&[], Vec::as_slice)
}

fn index(value: &Value, field: &str) -> Option<usize> {
    value.get(field)?.as_u64()?.try_into().ok()
}

/// As many numbers as there must be.
fn numbers<const N: usize>(value: Option<&Value>) -> Option<[f64; N]> {
    let read: Vec<f64> = value?
        .as_array()?
        .iter()
        .filter_map(Value::as_f64)
        .collect();
    read.try_into().ok()
}

impl File {
    /// The nodes of the default scene; without scenes, the nodes that are in no other.
    fn roots(&self) -> Vec<usize> {
        let indices = |value: &Value, field: &str| -> Vec<usize> {
            let each = list(value, field).iter();
            each.filter_map(|x| x.as_u64()?.try_into().ok()).collect()
        };
        let scene = index(&self.root, "scene").unwrap_or(0);
        if let Some(scene) = list(&self.root, "scenes").get(scene) {
            return indices(scene, "nodes");
        }
        let nodes = list(&self.root, "nodes");
        let inner: Vec<usize> = nodes.iter().flat_map(|n| indices(n, "children")).collect();
        (0..nodes.len()).filter(|k| !inner.contains(k)).collect()
    }

    /// The triangles of a node and of those within it.
    fn node(
        &self,
        at: usize,
        (axes, origin): (Mat3, Vec3),
        depth: usize,
        found: &mut Triangles,
    ) -> Result<(), String> {
        let node = list(&self.root, "nodes").get(at);
        let node = node.ok_or_else(|| format!("there is no nodes[{at}]"))?;
        if depth > DEPTH {
            return Err(format!(
                "nodes[{at}] is in more than {DEPTH} others, or in itself"
            ));
        }
        let (own, place) = local(node);
        let pose = (axes * own, origin + axes * place);
        if let Some(mesh) = index(node, "mesh") {
            let mesh_at = list(&self.root, "meshes").get(mesh);
            let mesh_at = mesh_at.ok_or_else(|| format!("there is no meshes[{mesh}]"))?;
            for primitive in list(mesh_at, "primitives") {
                let told = |fault: String| format!("meshes[{mesh}]: {fault}");
                self.primitive(primitive, &pose, found).map_err(told)?;
            }
        }
        for child in list(node, "children") {
            let child = child.as_u64().unwrap_or(u64::MAX) as usize;
            self.node(child, pose, depth + 1, found)?;
        }
        Ok(())
    }

    fn primitive(
        &self,
        primitive: &Value,
        (axes, origin): &(Mat3, Vec3),
        found: &mut Triangles,
    ) -> Result<(), String> {
        let mode = index(primitive, "mode").unwrap_or(4);
        if mode < 4 {
            // Points and lines enclose nothing.
            return Ok(());
        }
        let position = primitive
            .get("attributes")
            .and_then(|attributes| index(attributes, "POSITION"));
        let position = position.ok_or("a primitive has no POSITION")?;
        let (numbers, width) = self.accessor(position)?;
        if width != 3 {
            return Err("POSITION is not of the type VEC3".to_owned());
        }
        let first = found.0.len();
        let place =
            |p: &[f64]| -> [f64; 3] { (origin + axes * Vec3::new(p[0], p[1], p[2])).into() };
        found.0.extend(numbers.chunks_exact(3).map(place));
        let count = numbers.len() / 3;
        let indices: Vec<usize> = match index(primitive, "indices") {
            None => (0..count).collect(),
            Some(at) => self.accessor(at)?.0.iter().map(|x| *x as usize).collect(),
        };
        if let Some(beyond) = indices.iter().find(|k| **k >= count) {
            return Err(format!("index {beyond} of {count} positions"));
        }
        // A mirrored node turns the winding over.
        let mirrored = axes.determinant() < 0.0;
        let corners: Vec<[usize; 3]> = match mode {
            4 => indices
                .chunks_exact(3)
                .map(|t| [t[0], t[1], t[2]])
                .collect(),
            5 => { indices.windows(3).enumerate() }
                .map(|(k, t)| {
                    if k % 2 == 0 {
                        [t[0], t[1], t[2]]
                    } else {
                        [t[1], t[0], t[2]]
                    }
                })
                .collect(),
            6 => { indices.windows(2).skip(1) }
                .map(|pair| [indices[0], pair[0], pair[1]])
                .collect(),
            mode => return Err(format!("the mode {mode} of a primitive does not exist")),
        };
        let moved = corners.iter().map(|[a, b, c]| {
            let [b, c] = if mirrored { [c, b] } else { [b, c] };
            [first + a, first + b, first + c]
        });
        found.1.extend(moved);
        Ok(())
    }

    /// The numbers of an accessor, and how many belong together.
    fn accessor(&self, at: usize) -> Result<(Vec<f64>, usize), String> {
        let says = |fault: &str| format!("accessors[{at}]: {fault}");
        let accessor = list(&self.root, "accessors").get(at);
        let accessor = accessor.ok_or_else(|| says("does not exist"))?;
        if accessor.get("sparse").is_some() {
            return Err(says("is sparse, which is not known here"));
        }
        let width = match accessor.get("type").and_then(Value::as_str) {
            Some("SCALAR") => 1,
            Some("VEC3") => 3,
            _ => return Err(says("is of a type that is neither SCALAR nor VEC3")),
        };
        let kind = accessor.get("componentType").and_then(Value::as_u64);
        let size = match kind {
            Some(BYTE) => 1,
            Some(SHORT) => 2,
            Some(WORD | FLOAT) => 4,
            _ => return Err(says("has a componentType that is not known here")),
        };
        let count = index(accessor, "count").ok_or_else(|| says("has no count"))?;
        let view = index(accessor, "bufferView")
            .and_then(|view| list(&self.root, "bufferViews").get(view))
            .ok_or_else(|| says("has no bufferView"))?;
        let buffer = index(view, "buffer").and_then(|buffer| self.buffers.get(buffer));
        let buffer = buffer.ok_or_else(|| says("has no buffer"))?;
        let offset = |value: &Value| index(value, "byteOffset").unwrap_or(0);
        let begin = offset(view).saturating_add(offset(accessor));
        let stride = index(view, "byteStride").unwrap_or(width * size);
        let mut all = Vec::new();
        for k in 0..count {
            for component in 0..width {
                let from = stride
                    .checked_mul(k)
                    .and_then(|from| from.checked_add(begin + component * size));
                let bytes = from.and_then(|from| buffer.get(from..from.checked_add(size)?));
                let bytes = bytes.ok_or_else(|| says("goes beyond its buffer"))?;
                all.push(number(bytes, kind == Some(FLOAT)));
            }
        }
        if all.iter().any(|x| !x.is_finite()) {
            return Err(says("has a number that is not finite"));
        }
        Ok((all, width))
    }
}

/// A little-endian number.
fn number(bytes: &[u8], is_float: bool) -> f64 {
    let mut word = [0; 4];
    word[..bytes.len()].copy_from_slice(bytes);
    if is_float {
        f64::from(f32::from_le_bytes(word))
    } else {
        f64::from(u32::from_le_bytes(word))
    }
}

/// The transformation of a node: a matrix by columns, or translation, rotation (quaternion x, y, z, w) and scale.
fn local(node: &Value) -> (Mat3, Vec3) {
    if let Some(m) = numbers::<16>(node.get("matrix")) {
        let column = |k: usize| Vec3::new(m[4 * k], m[4 * k + 1], m[4 * k + 2]);
        let axes = Mat3::from_columns(&[column(0), column(1), column(2)]);
        return (axes, column(3));
    }
    let place = numbers(node.get("translation")).unwrap_or_default();
    let scale = numbers(node.get("scale")).unwrap_or([1.0; 3]);
    let turned = numbers::<4>(node.get("rotation")).and_then(|[x, y, z, w]| {
        fixstep_kernel::math::axes::AxesForm::Quaternion
            .axes(&[w, x, y, z])
            .ok()
    });
    let axes = turned.unwrap_or_else(Mat3::identity) * Mat3::from_diagonal(&Vec3::from(scale));
    (axes, Vec3::from(place))
}

/// Bytes of base64 (RFC 4648).
fn base64(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut held, mut bits) = (0_u32, 0);
    for c in text.trim_end_matches('=').bytes() {
        let value = match c {
            b'A'..=b'Z' => c - b'A',
            b'a'..=b'z' => c - b'a' + 26,
            b'0'..=b'9' => c - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        held = (held << 6 | u32::from(value)) & 0x00ff_ffff;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((held >> bits) as u8);
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn none(_: &str) -> Result<Arc<[u8]>, String> {
        Err("no other file".to_owned())
    }

    /// A triangle of three positions, with 16-bit indices, in a node that is turned, stretched and moved.
    fn document(node: &str, uri: Option<&str>) -> String {
        let uri = uri.map_or(String::new(), |uri| format!(r#""uri": "{uri}", "#));
        format!(
            r#"{{"asset": {{"version": "2.0"}}, "scene": 0, "scenes": [{{"nodes": [0]}}],
            "nodes": [{{"children": [1], "translation": [0, 0, 10]}}, {{"mesh": 0, {node}}}],
            "meshes": [{{"primitives": [{{"attributes": {{"POSITION": 0}}, "indices": 1}}]}}],
            "accessors": [{{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}},
                          {{"bufferView": 0, "byteOffset": 36, "componentType": 5123, "count": 3, "type": "SCALAR"}}],
            "bufferViews": [{{"buffer": 0, "byteLength": 42}}],
            "buffers": [{{{uri}"byteLength": 42}}]}}"#
        )
    }

    fn bytes() -> Vec<u8> {
        let mut bytes = Vec::new();
        for x in [0.0_f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0] {
            bytes.extend(x.to_le_bytes());
        }
        for k in [0_u16, 1, 2] {
            bytes.extend(k.to_le_bytes());
        }
        bytes
    }

    fn glb(json: &str, data: &[u8]) -> Vec<u8> {
        let mut json = json.as_bytes().to_vec();
        json.resize(json.len().next_multiple_of(4), b' ');
        let mut file = b"glTF".to_vec();
        file.extend(2_u32.to_le_bytes());
        file.extend(0_u32.to_le_bytes());
        for (kind, chunk) in [(b"JSON", json.as_slice()), (b"BIN\0", data)] {
            file.extend((chunk.len() as u32).to_le_bytes());
            file.extend(kind);
            file.extend(chunk);
        }
        file
    }

    #[test]
    fn the_same_triangles_in_every_form() {
        // A quarter turn about z, then moved.
        let node = r#""rotation": [0, 0, 0.7071067811865476, 0.7071067811865476], "scale": [2, 1, 1], "translation": [5, 0, 0]"#;
        let plain = document(node, None);
        let of_glb = binary(&glb(&plain, &bytes()), &mut none).unwrap_or_default();
        let inline = "data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAABAAIA";
        let of_text = text(document(node, Some(inline)).as_bytes(), &mut none).unwrap_or_default();
        let mut other = |path: &str| {
            assert_eq!(path, "a.bin");
            Ok(Arc::from(bytes()))
        };
        let beside = text(document(node, Some("a.bin")).as_bytes(), &mut other).unwrap_or_default();
        assert_eq!(of_glb, of_text);
        assert_eq!(of_glb, beside);
        assert_eq!(of_glb.1, [[0, 1, 2]]);
        let wanted = [[5.0, 0.0, 10.0], [5.0, 2.0, 10.0], [4.0, 0.0, 10.0]];
        for (found, wanted) in of_glb.0.iter().zip(wanted) {
            let off = Vec3::from(*found) - Vec3::from(wanted);
            assert!(off.norm() < 1e-15, "{found:?}");
        }
        let mirrored = document(r#""scale": [1, -1, 1]"#, None);
        let mirrored = binary(&glb(&mirrored, &bytes()), &mut none).unwrap_or_default();
        assert_eq!(mirrored.1, [[0, 2, 1]]);
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        let whole = glb(&document(r#""name": "n""#, None), &bytes());
        for end in 0..whole.len() {
            assert!(binary(&whole[..end], &mut none).is_err(), "{end}");
        }
        for (from, to, message) in [
            (
                "\"count\": 3",
                "\"count\": 9",
                "accessors[0]: goes beyond its buffer",
            ),
            (
                "\"POSITION\"",
                "\"NORMAL\"",
                "meshes[0]: a primitive has no POSITION",
            ),
            (
                "\"asset\"",
                "\"extensionsRequired\": [\"KHR_draco_mesh_compression\"], \"asset\"",
                "the extension \"KHR_draco",
            ),
            ("[1]", "[0]", "or in itself"),
            ("5126", "5122", "componentType"),
        ] {
            let text = document(r#""name": "n""#, None).replacen(from, to, 1);
            let fault = binary(&glb(&text, &bytes()), &mut none)
                .err()
                .unwrap_or_default();
            assert!(fault.contains(message), "{fault}");
        }
    }
}

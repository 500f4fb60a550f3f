//! Control plane: the file of a flexible body — a JSON header and little-endian arrays.
//!
//! ```text
//! bytes 0–7    FIXFLEX\n
//! bytes 8–15   length of the header in bytes, a multiple of 8, little-endian
//! then         the header, JSON padded with blanks
//! then         the arrays one after another, numbers of 8 bytes, little-endian
//! ```
//! docs/flexible-bodies.md describes header and arrays. A file is refused unless every number is finite, every size
//! fits the others, and the header holds the fingerprint of the arrays.

mod header;
mod mirror;

use crate::limits::MODES;
use fixstep_kernel::fingerprint::Fingerprint;
pub use fixstep_kernel::flex::Fault as FormatError;
use fixstep_kernel::flex::{
    FlexData, Invariants, LoadCase, Node, STIFFENINGS, TENSOR, TensorPoint, check, fail,
};
use fixstep_kernel::math::{Mat3, Vec3};
use header::{Header, HeaderArray, HeaderLoad, HeaderMode, HeaderNode, HeaderSource};
pub(crate) use mirror::mirrored;

/// The first bytes of every file.
const MAGIC: &[u8; 8] = b"FIXFLEX\n";
/// The version that is written, and the newest that is read.
const VERSION: u32 = 1;

/// Reads a file.
pub fn read(bytes: &[u8]) -> Result<FlexData, FormatError> {
    let (header, arrays) = split(bytes)?;
    Arrays::open(&header, arrays)?.body(&header)
}

/// The bytes of a file.
pub fn write(body: &FlexData) -> Vec<u8> {
    let mut arrays = Writer::default();
    arrays.body(body);
    let header = Header {
        format: header::FORMAT.to_owned(),
        version: VERSION,
        description: body.description.clone(),
        sources: body.sources.iter().map(HeaderSource::of).collect(),
        modes: body.modes.iter().map(HeaderMode::of).collect(),
        nodes: body.nodes.iter().map(HeaderNode::of).collect(),
        lines: body.lines.clone(),
        faces: body.faces.clone(),
        loads: body.loads.iter().map(HeaderLoad::of).collect(),
        stresses: body.stresses.iter().map(|p| p.name.clone()).collect(),
        strains: body.strains.iter().map(|p| p.name.clone()).collect(),
        arrays: arrays.list,
        fingerprint: Fingerprint::of(&arrays.bytes),
    };
    // A header is plain data: it always has a text.
    let mut text = serde_json::to_string(&header).unwrap_or_default();
    while !text.len().is_multiple_of(8) {
        text.push(' ');
    }
    let mut file = Vec::with_capacity(16 + text.len() + arrays.bytes.len());
    file.extend_from_slice(MAGIC);
    file.extend_from_slice(&(text.len() as u64).to_le_bytes());
    file.extend_from_slice(text.as_bytes());
    file.extend_from_slice(&arrays.bytes);
    file
}

/// Header and the bytes of the arrays.
fn split(bytes: &[u8]) -> Result<(Header, &[u8]), FormatError> {
    let Some(start) = bytes.get(..16) else {
        let message = format!("the file ends after {} of 16 bytes", bytes.len());
        return fail("start of the file", message);
    };
    if &start[..8] != MAGIC {
        let message =
            "expected the letters FIXFLEX and a line feed: this is not a file of a flexible body";
        return fail("byte 0", message);
    }
    let mut eight = [0; 8];
    eight.copy_from_slice(&start[8..]);
    let (length, rest) = (u64::from_le_bytes(eight), &bytes[16..]);
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    if length > rest.len() {
        let swapped = u64::from_be_bytes(eight);
        let message = if swapped <= rest.len() as u64 {
            format!("the header's length is {swapped} in big-endian order; valid: little-endian")
        } else {
            format!(
                "the header has {length} bytes, and {} follow: the file is cut short",
                rest.len()
            )
        };
        return fail("byte 8", message);
    }
    let (text, arrays) = rest.split_at(length);
    let header: Header = match serde_json::from_slice(text) {
        Ok(header) => header,
        Err(error) => return fail("header", error.to_string()),
    };
    if header.format != header::FORMAT {
        let message = format!("is {:?}; valid: {:?}", header.format, header::FORMAT);
        return fail("header.format", message);
    }
    if header.version != VERSION {
        let message = format!(
            "is {}; this program reads version {VERSION}",
            header.version
        );
        return fail("header.version", message);
    }
    Ok((header, arrays))
}

/// The arrays of a file, by name.
struct Arrays<'a> {
    modes: usize,
    list: Vec<(&'a str, Vec<f64>)>,
}

impl<'a> Arrays<'a> {
    /// Checks sizes, fingerprint and numbers.
    fn open(header: &'a Header, bytes: &[u8]) -> Result<Self, FormatError> {
        let modes = header.modes.len();
        if modes > MODES {
            return fail(
                "header.modes",
                format!("{modes} modes; valid: at most {MODES}"),
            );
        }
        let sizes = header.arrays.iter().map(|a| a.numbers);
        let total = sizes.fold(0_usize, usize::saturating_add).saturating_mul(8);
        if total != bytes.len() {
            let message = format!(
                "the header lists {total} bytes, and {} follow it: the file is cut short or two files are mixed",
                bytes.len()
            );
            return fail("arrays", message);
        }
        let mut list = Vec::with_capacity(header.arrays.len());
        let mut at = 0;
        for array in &header.arrays {
            let values = &bytes[at..at + 8 * array.numbers];
            at += values.len();
            let values: Vec<f64> = values
                .as_chunks()
                .0
                .iter()
                .map(|x| f64::from_le_bytes(*x))
                .collect();
            if let Some(k) = values.iter().position(|x| !x.is_finite()) {
                let message = format!("number {k} is {}; valid: finite numbers", values[k]);
                return fail(format!("array {}", array.name), message);
            }
            if list.iter().any(|(name, _)| *name == array.name) {
                return fail(
                    format!("array {}", array.name),
                    "occurs twice in the header",
                );
            }
            list.push((array.name.as_str(), values));
        }
        let found = Fingerprint::of(bytes);
        if found != header.fingerprint {
            let message = format!(
                "the arrays have the print {found}, the header says {}: the file was changed",
                header.fingerprint
            );
            return fail("header.fingerprint", message);
        }
        Ok(Self { modes, list })
    }

    /// An array that may be absent.
    fn optional(&mut self, name: &str, numbers: usize) -> Result<Option<Vec<f64>>, FormatError> {
        let Some(at) = self.list.iter().position(|(known, _)| *known == name) else {
            return Ok(None);
        };
        let (_, values) = self.list.swap_remove(at);
        if values.len() != numbers {
            let message = format!(
                "{} numbers; valid: {numbers} with {} modes",
                values.len(),
                self.modes
            );
            return fail(format!("array {name}"), message);
        }
        Ok(Some(values))
    }

    /// An array that must be there.
    fn take(&mut self, name: &str, numbers: usize) -> Result<Vec<f64>, FormatError> {
        match self.optional(name, numbers)? {
            Some(values) => Ok(values),
            None => fail(format!("array {name}"), "is missing"),
        }
    }

    fn vectors(&mut self, name: &str, count: usize) -> Result<Vec<Vec3>, FormatError> {
        let values = self.take(name, 3 * count)?;
        Ok(values
            .as_chunks()
            .0
            .iter()
            .map(|v: &[f64; 3]| Vec3::from(*v))
            .collect())
    }

    fn matrices(&mut self, name: &str, count: usize) -> Result<Vec<Mat3>, FormatError> {
        let values = self.take(name, 9 * count)?;
        Ok(values.chunks_exact(9).map(Mat3::from_row_slice).collect())
    }

    fn invariants(&mut self) -> Result<Invariants, FormatError> {
        let m = self.modes;
        let mut i7 = self.matrices("i7", 1)?;
        let mut first = self.vectors("i2", 1)?;
        Ok(Invariants {
            modes: m,
            mass: self.take("i1", 1)?[0],
            first: first.swap_remove(0),
            i3: self.vectors("i3", m)?,
            i4: self.vectors("i4", m)?,
            i5: self.vectors("i5", m * m)?,
            i6: self.take("i6", m * m)?,
            i7: i7.swap_remove(0),
            i8: self.matrices("i8", m)?,
            i9: self.matrices("i9", m * m)?,
        })
    }

    fn body(mut self, header: &Header) -> Result<FlexData, FormatError> {
        let (m, n) = (self.modes, header.nodes.len());
        let positions = self.vectors("positions", n)?;
        let translations = self.vectors("translations", n * m)?;
        let rotations = self.vectors("rotations", n * m)?;
        let nodes = header.nodes.iter().enumerate().map(|(k, node)| Node {
            id: node.id,
            name: node.name.clone(),
            position: positions[k],
            freedom: node.freedom,
            translation: translations[k * m..(k + 1) * m].to_vec(),
            rotation: rotations[k * m..(k + 1) * m].to_vec(),
        });
        let body = FlexData {
            description: header.description.clone(),
            sources: header.sources.iter().map(HeaderSource::pair).collect(),
            modes: header.modes.iter().map(HeaderMode::mode).collect(),
            invariants: self.invariants()?,
            stiffness: self.take("stiffness", m * m)?,
            nodes: nodes.collect(),
            lines: header.lines.clone(),
            faces: header.faces.clone(),
            preload: self.optional("preload", m)?,
            loads: self.loads(header)?,
            stiffening: self.optional("stiffening", STIFFENINGS * m * m)?,
            stresses: self.tensors("stresses", &header.stresses)?,
            strains: self.tensors("strains", &header.strains)?,
        };
        if let Some((name, _)) = self.list.first() {
            return fail(format!("array {name}"), "is not known to this version");
        }
        check(&body)?;
        Ok(body)
    }

    fn loads(&mut self, header: &Header) -> Result<Vec<LoadCase>, FormatError> {
        if header.loads.is_empty() {
            return Ok(Vec::new());
        }
        let width = self.modes + 6;
        let values = self.take("loads", width * header.loads.len())?;
        let case = |(load, row): (&HeaderLoad, &[f64])| LoadCase {
            name: load.name.clone(),
            force: Vec3::new(row[0], row[1], row[2]),
            torque: Vec3::new(row[3], row[4], row[5]),
            modal: row[6..].to_vec(),
        };
        Ok(header
            .loads
            .iter()
            .zip(values.chunks_exact(width))
            .map(case)
            .collect())
    }

    fn tensors(&mut self, name: &str, points: &[String]) -> Result<Vec<TensorPoint>, FormatError> {
        if points.is_empty() {
            return Ok(Vec::new());
        }
        let width = TENSOR * self.modes;
        let values = self.take(name, width * points.len())?;
        let point = |(k, name): (usize, &String)| TensorPoint {
            name: name.clone(),
            values: values[k * width..(k + 1) * width].as_chunks().0.to_vec(),
        };
        Ok(points.iter().enumerate().map(point).collect())
    }
}

/// Arrays under construction.
#[derive(Default)]
struct Writer {
    list: Vec<HeaderArray>,
    bytes: Vec<u8>,
}

impl Writer {
    fn put(&mut self, name: &str, values: impl IntoIterator<Item = f64>) {
        let before = self.bytes.len();
        for value in values {
            self.bytes.extend_from_slice(&value.to_le_bytes());
        }
        self.list.push(HeaderArray {
            name: name.to_owned(),
            numbers: (self.bytes.len() - before) / 8,
        });
    }

    fn vectors<'a>(&mut self, name: &str, values: impl IntoIterator<Item = &'a Vec3>) {
        self.put(name, values.into_iter().flat_map(|v| [v.x, v.y, v.z]));
    }

    fn matrices<'a>(&mut self, name: &str, values: impl IntoIterator<Item = &'a Mat3>) {
        let rows = |m: &Mat3| -> [f64; 9] { std::array::from_fn(|k| m[(k / 3, k % 3)]) };
        self.put(name, values.into_iter().flat_map(rows));
    }

    fn body(&mut self, body: &FlexData) {
        let i = &body.invariants;
        self.put("i1", [i.mass]);
        self.vectors("i2", [&i.first]);
        self.vectors("i3", &i.i3);
        self.vectors("i4", &i.i4);
        self.vectors("i5", &i.i5);
        self.put("i6", i.i6.iter().copied());
        self.matrices("i7", [&i.i7]);
        self.matrices("i8", &i.i8);
        self.matrices("i9", &i.i9);
        self.put("stiffness", body.stiffness.iter().copied());
        self.vectors("positions", body.nodes.iter().map(|n| &n.position));
        self.vectors(
            "translations",
            body.nodes.iter().flat_map(|n| &n.translation),
        );
        self.vectors("rotations", body.nodes.iter().flat_map(|n| &n.rotation));
        if let Some(preload) = &body.preload {
            self.put("preload", preload.iter().copied());
        }
        if !body.loads.is_empty() {
            let row = |l: &LoadCase| {
                let rigid = [
                    l.force.x, l.force.y, l.force.z, l.torque.x, l.torque.y, l.torque.z,
                ];
                rigid.into_iter().chain(l.modal.clone()).collect::<Vec<_>>()
            };
            self.put("loads", body.loads.iter().flat_map(row));
        }
        if let Some(stiffening) = &body.stiffening {
            self.put("stiffening", stiffening.iter().copied());
        }
        for (name, points) in [("stresses", &body.stresses), ("strains", &body.strains)] {
            if !points.is_empty() {
                let values = points.iter().flat_map(|p| &p.values);
                self.put(name, values.flatten().copied());
            }
        }
    }
}

#[cfg(test)]
mod tests;

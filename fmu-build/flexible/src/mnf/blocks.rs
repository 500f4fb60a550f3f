//! Control plane: reads the blocks of a modal neutral file (MNF, the file of a flexible body in Adams) in the order in
//! which they are stored.

use super::bytes::Cursor;
use super::stress::Stresses;
use super::{Mnf, MnfMode, Whole};
use crate::fe::FeNode;
use crate::read::{ReadError, Units};
use fixstep_kernel::math::{Mat3, Vec3};
use fixstep_model::limits::MODES;
use std::collections::BTreeMap;

/// The version as the file stores it: 10 × 6.0.
const VERSION: u8 = 60;
/// Offset of the flags, and their number.
pub(super) const FLAGS: (usize, usize) = (0x874, 104);
/// Offset of the nodes.
pub(super) const NODES: usize = 0xa14;
/// Characters of a unit's name.
pub(super) const UNIT: usize = 16;

/// Index of the flag that says whether the file has the block.
#[derive(Clone, Copy)]
pub(super) enum Flag {
    NodalInertias = 10,
    Units = 12,
    Faces = 16,
    Transformation = 18,
    Interface = 19,
    Stress = 20,
}

/// Reads all blocks and converts them to SI.
pub(super) fn read(file: &str, bytes: &[u8]) -> Result<Mnf, ReadError> {
    let mut cursor = Cursor { file, bytes, at: 0 };
    version(&cursor)?;
    let flags = flags(&mut cursor)?;
    let present = |flag: Flag| flags[flag as usize] != 0;
    let nodes = nodes(&mut cursor)?;
    let whole = whole(&mut cursor)?;
    let modes = modes(&mut cursor)?;
    let shapes = shapes(&mut cursor, &nodes, &modes)?;
    let masses = masses(&mut cursor, &nodes)?;
    let mut inertias = vec![Mat3::zeros(); nodes.len()];
    if present(Flag::NodalInertias) {
        nodal_inertias(&mut cursor, &nodes, &mut inertias)?;
    }
    let mut notes = Vec::new();
    let (mut units, mut force) = (Units::default(), 1.0);
    if present(Flag::Units) {
        (units, force) = self::units(&mut cursor)?;
    } else {
        notes.push(
            "the file names no units: kilogram, metre, second and newton are assumed".to_owned(),
        );
    }
    let faces = if present(Flag::Faces) {
        faces(&mut cursor, nodes.len())?
    } else {
        Vec::new()
    };
    if present(Flag::Transformation) {
        transformation(&mut cursor, modes.len())?;
    }
    let interface = if present(Flag::Interface) {
        interface(&mut cursor, nodes.len())?
    } else {
        Vec::new()
    };
    let mut stresses = None;
    if present(Flag::Stress) {
        stresses = Some(Stresses::read(&mut cursor, &nodes, &modes)?);
    }
    end(&cursor, &flags, &mut notes)?;
    let mut mnf = Mnf {
        description: description(&cursor),
        source: (String::new(), String::new()),
        nodes,
        whole,
        modes,
        shapes,
        masses,
        inertias,
        faces,
        interface,
        stresses,
        notes,
    };
    mnf.scale(&units, force);
    Ok(mnf)
}

fn version(cursor: &Cursor<'_>) -> Result<(), ReadError> {
    let Some(start) = cursor.bytes.get(..NODES) else {
        let message = format!(
            "the file ends after {} bytes, within its header",
            cursor.bytes.len()
        );
        return Err(cursor.error(0, message));
    };
    match start[..4] {
        [.., VERSION] => Ok(()),
        [VERSION, 0, 0, 0] => {
            let message =
                "the numbers are little-endian; valid: big-endian (XDR), as MNF prescribes";
            Err(cursor.error(0, message))
        }
        [0, 0, 0, other @ 1..100] => {
            let message = format!("version {}.{}; valid: 6.0", other / 10, other % 10);
            Err(cursor.error(0, message))
        }
        _ => Err(cursor.error(0, "is not a modal neutral file of version 6.0")),
    }
}

fn flags(cursor: &mut Cursor<'_>) -> Result<Vec<i32>, ReadError> {
    cursor.at = FLAGS.0;
    let mut flags = Vec::with_capacity(FLAGS.1);
    for k in 0..FLAGS.1 {
        let at = cursor.at;
        let flag = cursor.int("flag of a block")?;
        if flag < 0 {
            return Err(cursor.error(at, format!("flag {k} of a block: {flag}; valid: 0 or 1")));
        }
        flags.push(flag);
    }
    Ok(flags)
}

fn description(cursor: &Cursor<'_>) -> String {
    let parts = [(4, 0x204), (0x284, 0x484), (0x484, 0x504), (0x204, 0x284)];
    let parts = parts.map(|(from, to)| cursor.text(from, to));
    let known: Vec<&str> = parts
        .iter()
        .map(String::as_str)
        .filter(|part| !part.is_empty())
        .collect();
    format!("modal neutral file: {}", known.join(", "))
}

/// A number above zero.
fn identifier(cursor: &mut Cursor<'_>, what: &str) -> Result<u64, ReadError> {
    let at = cursor.at;
    let number = cursor.int(what)?;
    let found = u64::try_from(number).ok().filter(|id| *id > 0);
    found.ok_or_else(|| cursor.error(at, format!("{what}: {number}; valid: above 0")))
}

fn nodes(cursor: &mut Cursor<'_>) -> Result<Vec<FeNode>, ReadError> {
    cursor.at = NODES;
    let count = cursor.count("nodes", 28)?;
    cursor.same("dimension of the nodes", 3)?;
    let mut nodes = Vec::with_capacity(count);
    let mut seen = BTreeMap::new();
    for k in 0..count {
        let at = cursor.at;
        let id = identifier(cursor, "number of a node")?;
        let position = Vec3::from(cursor.reals::<3>("place of a node")?);
        if let Some(first) = seen.insert(id, k) {
            let message = format!("node {id} is already at place {}", first + 1);
            return Err(cursor.error(at, message));
        }
        nodes.push(FeNode { id, position });
    }
    if nodes.is_empty() {
        return Err(cursor.error(NODES, "0 nodes; valid: at least one"));
    }
    Ok(nodes)
}

fn whole(cursor: &mut Cursor<'_>) -> Result<Whole, ReadError> {
    let at = cursor.at;
    let mass = cursor.real("mass")?;
    if mass <= 0.0 {
        return Err(cursor.error(at, format!("mass: {mass}; valid: above 0")));
    }
    let center = Vec3::from(cursor.reals::<3>("centre of mass")?);
    let inertia = Mat3::from_row_slice(&cursor.reals::<9>("inertia")?);
    Ok(Whole {
        mass,
        center,
        inertia,
    })
}

fn modes(cursor: &mut Cursor<'_>) -> Result<Vec<MnfMode>, ReadError> {
    let at = cursor.at;
    let count = cursor.count("modes", 44)?;
    // Rigid modes are allowed in addition to those that a body may have.
    if count == 0 || count > MODES + 6 {
        let message = format!("{count} modes; valid: 1 to {}", MODES + 6);
        return Err(cursor.error(at, message));
    }
    let mut modes: Vec<MnfMode> = Vec::with_capacity(count);
    for _ in 0..count {
        let at = cursor.at;
        let number = identifier(cursor, "number of a mode")?;
        if modes.last().is_some_and(|last| last.number >= number) {
            return Err(cursor.error(at, format!("mode {number} does not follow the one before")));
        }
        let [eigenvalue, _, omega, mass, _] = cursor.reals::<5>("values of a mode")?;
        if mass <= 0.0 {
            return Err(cursor.error(
                at,
                format!("mode {number}: modal mass {mass}; valid: above 0"),
            ));
        }
        if (omega * omega - eigenvalue.abs()).abs() > 1e-3 * eigenvalue.abs() + 1e-3 {
            let message = format!(
                "mode {number}: eigenvalue {eigenvalue:e} is not the square of {omega:e} rad/s"
            );
            return Err(cursor.error(at, message));
        }
        modes.push(MnfMode {
            number,
            eigenvalue,
            mass,
        });
    }
    Ok(modes)
}

/// Checks that the next integer identifies node `k`: by its number, or by its index from 0 or from 1.
fn in_order(
    cursor: &mut Cursor<'_>,
    what: &str,
    nodes: &[FeNode],
    k: usize,
) -> Result<(), ReadError> {
    let at = cursor.at;
    let found = cursor.int(what)?;
    let id = nodes[k].id;
    if u64::try_from(found).is_ok_and(|n| n == id || n == k as u64 || n == k as u64 + 1) {
        return Ok(());
    }
    let message = format!("{what}: {found}; valid: {id} as in the list of nodes");
    Err(cursor.error(at, message))
}

fn shapes(
    cursor: &mut Cursor<'_>,
    nodes: &[FeNode],
    modes: &[MnfMode],
) -> Result<Vec<[Vec3; 2]>, ReadError> {
    let start = cursor.at;
    cursor.same("modes of the shapes", modes.len())?;
    cursor.same("nodes of the shapes", nodes.len())?;
    for k in 0..nodes.len() {
        in_order(cursor, "node of the shapes", nodes, k)?;
    }
    let needed = modes.len().saturating_mul(4 + 48 * nodes.len());
    let left = cursor.bytes.len() - cursor.at;
    if needed > left {
        let message = format!(
            "the shapes need {needed} bytes, but only {left} follow: the file is cut short"
        );
        return Err(cursor.error(start, message));
    }
    let mut shapes = Vec::with_capacity(modes.len() * nodes.len());
    for mode in modes {
        cursor.same("number of a mode's shape", mode.number as usize)?;
        for _ in nodes {
            let [x, y, z, u, v, w] = cursor.reals::<6>("shape of a mode")?;
            shapes.push([Vec3::new(x, y, z), Vec3::new(u, v, w)]);
        }
    }
    Ok(shapes)
}

fn masses(cursor: &mut Cursor<'_>, nodes: &[FeNode]) -> Result<Vec<f64>, ReadError> {
    cursor.same("nodes of the nodal masses", nodes.len())?;
    cursor.same("number before the nodal masses", 1)?;
    let mut masses = Vec::with_capacity(nodes.len());
    for k in 0..nodes.len() {
        in_order(cursor, "node of a nodal mass", nodes, k)?;
        let at = cursor.at;
        let mass = cursor.real("nodal mass")?;
        if mass < 0.0 {
            let message = format!(
                "nodal mass {mass} of node {}; valid: at least 0",
                nodes[k].id
            );
            return Err(cursor.error(at, message));
        }
        masses.push(mass);
    }
    Ok(masses)
}

fn nodal_inertias(
    cursor: &mut Cursor<'_>,
    nodes: &[FeNode],
    inertias: &mut [Mat3],
) -> Result<(), ReadError> {
    let places: BTreeMap<u64, usize> = nodes.iter().map(|node| node.id).zip(0..).collect();
    for _ in 0..cursor.count("nodal inertias", 20)? {
        let at = cursor.at;
        let id = identifier(cursor, "node of a nodal inertia")?;
        let Some(place) = places.get(&id).copied() else {
            return Err(cursor.error(at, format!("nodal inertia: there is no node {id}")));
        };
        let mut direction = |what: &str| {
            let at = cursor.at;
            match cursor.int(what)? {
                direction @ 4..=6 => Ok(direction as usize - 4),
                other => Err(cursor.error(at, format!("{what}: {other}; valid: 4 to 6"))),
            }
        };
        let (row, column) = (
            direction("row of a nodal inertia")?,
            direction("column of a nodal inertia")?,
        );
        let value = cursor.real("nodal inertia")?;
        inertias[place][(row, column)] = value;
        inertias[place][(column, row)] = value;
    }
    Ok(())
}

/// Units of mass, length, time; the unit of force in newtons.
fn units(cursor: &mut Cursor<'_>) -> Result<(Units, f64), ReadError> {
    let mut unit = |quantity: &str| {
        let at = cursor.at;
        let mut name = String::new();
        for _ in 0..UNIT {
            let place = cursor.at;
            let code = cursor.int("letter of a unit")?;
            match u8::try_from(code) {
                Ok(0) => {}
                Ok(letter @ 32..=126) => name.push(char::from(letter)),
                _ => {
                    return Err(
                        cursor.error(place, format!("letter {code} of a unit; valid: ASCII"))
                    );
                }
            }
        }
        fixstep_model::unit_factor(quantity, name.trim())
            .map_err(|message| cursor.error(at, message))
    };
    let (mass, length, time) = (unit("mass")?, unit("length")?, unit("time")?);
    Ok((Units { length, mass, time }, unit("force")?))
}

fn faces(cursor: &mut Cursor<'_>, nodes: usize) -> Result<Vec<Vec<usize>>, ReadError> {
    for _ in 0..2 {
        cursor.int("start of the faces")?;
    }
    let count = cursor.count("faces", 4)?;
    let at = cursor.at;
    let numbers = cursor.count("numbers of the faces", 4)?;
    let begin = cursor.at;
    let mut faces = Vec::with_capacity(count);
    for _ in 0..count {
        let vertices = cursor.count("vertices of a face", 4)?;
        let face = (0..vertices).map(|_| cursor.place("node of a face", nodes));
        faces.push(face.collect::<Result<_, _>>()?);
    }
    if cursor.at - begin != 4 * numbers {
        let message = format!(
            "the file announces {numbers} numbers of faces, but has {}",
            (cursor.at - begin) / 4
        );
        return Err(cursor.error(at, message));
    }
    Ok(faces)
}

fn transformation(cursor: &mut Cursor<'_>, modes: usize) -> Result<(), ReadError> {
    cursor.same("modes of the transformation", modes)?;
    for _ in 0..modes {
        cursor.int("mode of the transformation")?;
    }
    for _ in 0..modes * modes {
        cursor.real("transformation of the modes")?;
    }
    Ok(())
}

fn interface(cursor: &mut Cursor<'_>, nodes: usize) -> Result<Vec<usize>, ReadError> {
    let count = cursor.count("interface nodes", 4)?;
    (0..count)
        .map(|_| cursor.place("interface node", nodes))
        .collect()
}

/// Checks that a flag announces the data after the last block that is read.
fn end(cursor: &Cursor<'_>, flags: &[i32], notes: &mut Vec<String>) -> Result<(), ReadError> {
    /// Statistics of the modes, which are not used.
    const STATISTICS: usize = 32;
    let left = cursor.bytes.len() - cursor.at;
    let rest = Flag::Stress as usize + 1..FLAGS.1;
    let announced: Vec<usize> = rest.filter(|k| flags[*k] != 0).collect();
    if left > 0 && announced.is_empty() {
        let message = format!("{left} bytes follow, but no flag announces them");
        return Err(cursor.error(cursor.at, message));
    }
    if announced.iter().any(|k| *k != STATISTICS) {
        let list: Vec<String> = announced.iter().map(ToString::to_string).collect();
        notes.push(format!(
            "the {left} bytes from byte {} on are ignored (blocks of flags {})",
            cursor.at,
            list.join(", ")
        ));
    }
    Ok(())
}

impl Mnf {
    /// Converts to SI. A shape keeps its numbers: a modal coordinate of one unit of length becomes one metre.
    fn scale(&mut self, units: &Units, force: f64) {
        let inertia = units.mass * units.length * units.length;
        for node in &mut self.nodes {
            node.position *= units.length;
        }
        self.whole.mass *= units.mass;
        self.whole.center *= units.length;
        self.whole.inertia *= inertia;
        for mode in &mut self.modes {
            mode.mass *= units.mass;
            mode.eigenvalue /= units.time * units.time;
        }
        for shape in &mut self.shapes {
            shape[1] /= units.length;
        }
        self.masses.iter_mut().for_each(|mass| *mass *= units.mass);
        self.inertias.iter_mut().for_each(|i| *i *= inertia);
        // Stress per modal coordinate, which is a length.
        let stress = force / (units.length * units.length * units.length);
        if let Some(stresses) = &mut self.stresses {
            stresses.scale(stress);
        }
    }
}

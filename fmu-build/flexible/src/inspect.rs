//! Control plane: describes a flexible body: mass, invariants, modes, interface nodes.
//!
//! The effective mass of a mode in a direction is p²/m with its participation p (a component of I3, or of I4 about
//! the centre) and its modal mass m, as a share of the mass or of the inertia. Modes of the free body have no
//! effective mass: their momentum is zero.

use std::fmt;

use fixstep_kernel::flex::{FlexData, Invariants, Node};
use fixstep_kernel::math::{Mat3, Vec3};
use serde::Serialize;

use crate::moments::Moments;

/// The names of the directions.
const DIRECTIONS: [&str; 6] = ["x", "y", "z", "rx", "ry", "rz"];
/// Largest I3, I4 of balanced modes, and largest departure of I6 from 1 of orthonormal ones.
const BALANCED: f64 = 1e-6;

/// The contents of a flexible body.
#[derive(Clone, Debug, Serialize)]
pub struct Inspection {
    /// The description, as free text.
    pub description: String,
    /// Names and fingerprints of the files from which it was made.
    pub sources: Vec<(String, String)>,
    /// Mass \[kg\].
    pub mass: f64,
    /// Centre of mass \[m\].
    pub center: [f64; 3],
    /// About the centre.
    pub inertia: Moments,
    /// The nine.
    pub invariants: Vec<Invariant>,
    /// Largest I3 of a mode, over √(mass × modal mass).
    pub translation_coupling: f64,
    /// Largest I4 about the centre, over √(inertia × modal mass).
    pub rotation_coupling: f64,
    /// Largest departure of the modal mass matrix from 1.
    pub mass_departure: f64,
    /// The modes.
    pub modes: Vec<Mode>,
    /// Nodes with names.
    pub interfaces: Vec<Interface>,
    /// Number of all nodes.
    pub nodes: usize,
    /// Names of load cases.
    pub loads: Vec<String>,
    /// Names of points with stress.
    pub stresses: Vec<String>,
    /// Names of points with strain.
    pub strains: Vec<String>,
    /// It has a preload.
    pub preload: bool,
    /// It has geometric stiffness.
    pub stiffening: bool,
}

/// An invariant.
#[derive(Clone, Debug, Serialize)]
pub struct Invariant {
    /// `I1` to `I9`.
    pub name: &'static str,
    /// Numbers in it.
    pub numbers: usize,
    /// The largest of them by magnitude.
    pub largest: f64,
}

/// A mode.
#[derive(Clone, Debug, Serialize)]
pub struct Mode {
    /// Frequency \[Hz\].
    pub frequency: f64,
    /// Its label.
    pub label: String,
    /// Effective mass along x, y, z and about them through the centre, in percent.
    pub effective: [f64; 6],
}

/// A place to attach.
#[derive(Clone, Debug, Serialize)]
pub struct Interface {
    /// Its name.
    pub name: String,
    /// Its number.
    pub id: u64,
    /// Where \[m\].
    pub position: [f64; 3],
    /// Which directions take part in the modes.
    pub directions: Vec<&'static str>,
}

impl Inspection {
    /// The contents of a body.
    pub fn of(data: &FlexData) -> Self {
        let sums = &data.invariants;
        let center = sums.center();
        let central = sums.about(&center);
        let m = sums.modes;
        let modal = |j: usize| sums.i6[j * m + j];
        let couple = |column: &Vec3, scale: &Vec3, j: usize| {
            let share = |k: usize| column[k].abs() / (scale[k] * modal(j)).sqrt();
            (0..3).map(share).fold(0.0, f64::max)
        };
        let (mass, inertia) = (Vec3::repeat(sums.mass), central.i7.diagonal());
        let largest =
            |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, |a: f64, b| a.max(b.abs()));
        let departure = |at: usize| sums.i6[at] - f64::from(u8::from(at / m == at % m));
        Self {
            description: data.description.clone(),
            sources: data.sources.clone(),
            mass: sums.mass,
            center: center.into(),
            inertia: Moments::of(&central.i7),
            invariants: invariants(sums),
            translation_coupling: largest(&mut (0..m).map(|j| couple(&sums.i3[j], &mass, j))),
            rotation_coupling: largest(&mut (0..m).map(|j| couple(&central.i4[j], &inertia, j))),
            mass_departure: largest(&mut (0..m * m).map(departure)),
            modes: (0..m).map(|j| mode(data, &central, j)).collect(),
            interfaces: data.nodes.iter().filter_map(interface).collect(),
            nodes: data.nodes.len(),
            loads: data.loads.iter().map(|load| load.name.clone()).collect(),
            stresses: data
                .stresses
                .iter()
                .map(|point| point.name.clone())
                .collect(),
            strains: data
                .strains
                .iter()
                .map(|point| point.name.clone())
                .collect(),
            preload: data.preload.is_some(),
            stiffening: data.stiffening.is_some(),
        }
    }

    /// The modes are those of the free body.
    pub fn balanced(&self) -> bool {
        self.translation_coupling < BALANCED && self.rotation_coupling < BALANCED
    }
}

fn invariants(sums: &Invariants) -> Vec<Invariant> {
    let vectors = |name, list: &[Vec3]| {
        (
            name,
            3 * list.len(),
            list.iter().map(Vec3::amax).fold(0.0, f64::max),
        )
    };
    let matrices = |name, list: &[Mat3]| {
        (
            name,
            9 * list.len(),
            list.iter().map(Mat3::amax).fold(0.0, f64::max),
        )
    };
    let rows = [
        ("I1", 1, sums.mass),
        vectors("I2", &[sums.first]),
        vectors("I3", &sums.i3),
        vectors("I4", &sums.i4),
        vectors("I5", &sums.i5),
        (
            "I6",
            sums.i6.len(),
            sums.i6.iter().fold(0.0, |a, b| a.max(b.abs())),
        ),
        matrices("I7", &[sums.i7]),
        matrices("I8", &sums.i8),
        matrices("I9", &sums.i9),
    ];
    let row = |(name, numbers, largest)| Invariant {
        name,
        numbers,
        largest,
    };
    rows.into_iter().map(row).collect()
}

fn mode(data: &FlexData, central: &Invariants, j: usize) -> Mode {
    let modal = central.i6[j * central.modes + j];
    let share = |p: f64, of: f64| {
        if of > 0.0 {
            100.0 * p * p / (modal * of)
        } else {
            0.0
        }
    };
    let inertia = central.i7.diagonal();
    Mode {
        frequency: data.modes[j].frequency,
        label: data.modes[j].label.clone(),
        effective: std::array::from_fn(|k| match k {
            0..3 => share(central.i3[j][k], central.mass),
            _ => share(central.i4[j][k - 3], inertia[k - 3]),
        }),
    }
}

fn interface(node: &Node) -> Option<Interface> {
    let names = DIRECTIONS.iter().zip(node.freedom);
    Some(Interface {
        name: node.name.clone()?,
        id: node.id,
        position: node.position.into(),
        directions: names
            .filter(|(_, takes_part)| *takes_part)
            .map(|(name, _)| *name)
            .collect(),
    })
}

impl fmt::Display for Inspection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.description)?;
        for (name, fingerprint) in &self.sources {
            writeln!(f, "made from {name} ({fingerprint})")?;
        }
        let [x, y, z] = self.center;
        writeln!(
            f,
            "\nmass     {:.9} kg at ({x:.9}, {y:.9}, {z:.9}) m",
            self.mass
        )?;
        writeln!(f, "inertia  {}", self.inertia)?;
        writeln!(f, "\ninvariant  numbers      largest")?;
        for Invariant {
            name,
            numbers,
            largest,
        } in &self.invariants
        {
            writeln!(f, "{name:<9} {numbers:>8} {largest:>12.4e}")?;
        }
        writeln!(
            f,
            "coupling of modes with translation {:.1e}, with rotation {:.1e}; modal mass from 1 by {:.1e}: {}",
            self.translation_coupling,
            self.rotation_coupling,
            self.mass_departure,
            if self.balanced() {
                "modes of the free body"
            } else {
                "modes that take the frame along"
            }
        )?;
        self.modes(f)?;
        self.places(f)
    }
}

impl Inspection {
    fn modes(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "\neffective mass [%]{:>24}{:>7}{:>7}{:>7}{:>7}{:>7}",
            "x", "y", "z", "rx", "ry", "rz"
        )?;
        for (k, mode) in self.modes.iter().enumerate() {
            write!(
                f,
                "{:>3} {:>13.4} Hz  {:<16}",
                k + 1,
                mode.frequency,
                mode.label
            )?;
            for share in mode.effective {
                write!(f, "{share:>7.2}")?;
            }
            writeln!(f)?;
        }
        if self.modes.is_empty() {
            return Ok(());
        }
        write!(f, "{:<37}", "sum")?;
        for direction in 0..6 {
            let sum: f64 = self
                .modes
                .iter()
                .map(|mode| mode.effective[direction])
                .sum();
            write!(f, "{sum:>7.2}")?;
        }
        writeln!(f)
    }

    fn places(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "\n{} nodes, {} of them with names",
            self.nodes,
            self.interfaces.len()
        )?;
        for Interface {
            name,
            id,
            position: [x, y, z],
            directions,
        } in &self.interfaces
        {
            writeln!(
                f,
                "{name:<16} node {id:<8} ({x:.6}, {y:.6}, {z:.6}) m  {}",
                directions.join(" ")
            )?;
        }
        for (what, names) in [
            ("loads", &self.loads),
            ("stresses", &self.stresses),
            ("strains", &self.strains),
        ] {
            if !names.is_empty() {
                writeln!(f, "{what}: {}", names.join(", "))?;
            }
        }
        for (what, is_there) in [
            ("preload", self.preload),
            ("geometric stiffness", self.stiffening),
        ] {
            if is_there {
                writeln!(f, "with {what}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;

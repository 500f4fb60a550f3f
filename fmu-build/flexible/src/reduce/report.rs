//! Control plane: the report of a reduction.

use std::fmt;

use fixstep_kernel::flex::FlexData;
use fixstep_kernel::math::{Mat3, Vec3};

use crate::moments::Moments;

use super::basis::Basis;
use super::compliance::Compliance;
use super::condense::Condensed;
use super::orthonormal::BodyModes;

/// The model, the result of the reduction, and its cost.
#[derive(Clone, Debug)]
pub struct Report {
    /// Nodes and unknowns of the model.
    pub nodes: usize,
    /// Unknowns of the model.
    pub unknowns: usize,
    /// Numbers in the factor of the stiffness with held interfaces.
    pub fill: usize,
    /// \[kg\]
    pub mass: f64,
    /// Centre of mass \[m\].
    pub center: Vec3,
    /// Inertia about it [kg m²].
    pub inertia: Mat3,
    /// Frequencies with held interfaces \[Hz\].
    pub held: Vec<f64>,
    /// Frequencies of the rigid modes that were left out \[Hz\].
    pub rigid: Vec<f64>,
    /// Directions of the basis that depended on others and were left out.
    pub dependent: usize,
    /// All modes, kept or not.
    pub modes: Vec<ModeLine>,
    /// Static compliance per interface direction.
    pub compliance: Vec<ComplianceLine>,
}

/// A mode.
#[derive(Clone, Debug)]
pub struct ModeLine {
    /// Its label.
    pub label: String,
    /// \[Hz\]
    pub frequency: f64,
    /// It is in the body.
    pub kept: bool,
    /// Its largest share of the static compliance of an interface direction.
    pub share: f64,
    /// Which direction that is.
    pub direction: Option<String>,
}

/// An interface direction.
#[derive(Clone, Debug)]
pub struct ComplianceLine {
    /// `tip z`
    pub direction: String,
    /// The interface that is held; none: the load is balanced by the body's inertia.
    pub held: Option<String>,
    /// With all modes [m/N or rad/(N m)].
    pub compliance: f64,
    /// Lost with the modes that are not kept, in percent.
    pub lost_percent: f64,
}

impl Report {
    pub(super) fn new(
        condensed: &Condensed<'_>,
        basis: &Basis,
        found: &BodyModes,
        shares: &Compliance,
        kept: &[usize],
        body: &FlexData,
    ) -> Self {
        let mode = |j: usize| {
            let (share, row) = shares.largest(j);
            ModeLine {
                label: found.labels[j].clone(),
                frequency: found.frequencies[j],
                kept: kept.binary_search(&j).is_ok(),
                share,
                direction: row.map(|row| shares.rows[row].direction.clone()),
            }
        };
        let line = |(at, row): (usize, &super::compliance::Row)| ComplianceLine {
            direction: row.direction.clone(),
            held: row.held.clone(),
            compliance: row.compliance,
            lost_percent: 100.0 * shares.lost(at, kept),
        };
        let center = body.invariants.center();
        Self {
            nodes: condensed.model.nodes.len(),
            unknowns: condensed.model.unknowns.len(),
            fill: basis.fill,
            mass: body.invariants.mass,
            center,
            inertia: body.invariants.about(&center).i7,
            held: basis
                .held
                .iter()
                .map(|value| fixstep_kernel::flex::frequency(*value, 1.0))
                .collect(),
            rigid: found.rigid.clone(),
            dependent: found.dependent,
            modes: (0..found.labels.len()).map(mode).collect(),
            compliance: shares.rows.iter().enumerate().map(line).collect(),
        }
    }

    fn write_modes(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "modes                                Hz   largest share of static compliance"
        )?;
        for mode in &self.modes {
            write!(f, "  {:<24} {:>12.5}", mode.label, mode.frequency)?;
            if let Some(direction) = &mode.direction {
                write!(f, "   {:>6.2} % {direction}", 100.0 * mode.share)?;
            }
            writeln!(f, "{}", if mode.kept { "" } else { "   left out" })?;
        }
        Ok(())
    }

    fn write_compliance(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "static compliance      all modes        lost   held")?;
        for line in &self.compliance {
            let held = line.held.as_deref().unwrap_or("(balanced by inertia)");
            let (direction, value, lost) = (&line.direction, line.compliance, line.lost_percent);
            writeln!(f, "  {direction:<18} {value:>12.6e} {lost:>8.2} %   {held}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let c = self.center;
        writeln!(
            f,
            "model    {} nodes, {} unknowns, factor of {} numbers",
            self.nodes, self.unknowns, self.fill
        )?;
        writeln!(
            f,
            "mass     {:.9} kg at ({:.9}, {:.9}, {:.9}) m",
            self.mass, c.x, c.y, c.z
        )?;
        writeln!(f, "inertia  {}", Moments::of(&self.inertia))?;
        let list = |values: &[f64]| {
            let texts: Vec<String> = values.iter().map(|value| format!("{value:.5}")).collect();
            if texts.is_empty() {
                "none".to_owned()
            } else {
                texts.join(", ")
            }
        };
        writeln!(f, "with held interfaces: {} Hz", list(&self.held))?;
        if !self.rigid.is_empty() {
            let texts: Vec<String> = self
                .rigid
                .iter()
                .map(|value| format!("{value:.1e}"))
                .collect();
            writeln!(f, "rigid modes, left out: {} Hz", texts.join(", "))?;
        }
        if self.dependent > 0 {
            writeln!(
                f,
                "{} directions of the basis depend on others and were left out",
                self.dependent
            )?;
        }
        self.write_modes(f)?;
        if !self.compliance.is_empty() {
            self.write_compliance(f)?;
        }
        Ok(())
    }
}

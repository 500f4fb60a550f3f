//! The report on modes as text.

use super::{BodyShape, Kind, Pair, Participation, Report, Row, Tables};
use crate::effective::Effective;
use crate::eigen::Balanced;
use fixstep_kernel::math::{atan2, log10};
use std::fmt;

/// Six digits of a number.
pub fn figure(x: f64) -> String {
    let size = x.abs();
    if x == 0.0 {
        String::from("0")
    } else if (1e-3..1e6).contains(&size) {
        let decimals = (5.0 - log10(size).floor()).max(0.0) as usize;
        format!("{x:.decimals$}")
    } else {
        format!("{x:.5e}")
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.found == 1 { "mode" } else { "modes" };
        writeln!(
            f,
            "{}, {} s: {} states, {} {plural}",
            self.model,
            figure(self.time),
            self.states,
            self.found
        )?;
        if self.modes.len() < self.found {
            writeln!(f, "{} of them are shown", self.modes.len())?;
        }
        if self.found == 0 {
            return Ok(());
        }
        writeln!(
            f,
            "{:>5}  {:>13}  {:>17}  {:>13}  {:>13}  {:>17}  moves mostly",
            "mode",
            "frequency, Hz",
            "frequency, rad/s",
            "damping ratio",
            "real, 1/s",
            "imaginary, rad/s"
        )?;
        for row in &self.modes {
            let imaginary = match row.kind {
                Kind::Pair => format!("+-{}", figure(row.imaginary)),
                _ => String::from("0"),
            };
            let line = format!(
                "{:>5}  {:>13}  {:>17}  {:>13}  {:>13}  {imaginary:>17}  {}",
                row.mode,
                figure(row.frequency_hz),
                figure(row.frequency),
                figure(row.damping_ratio),
                figure(row.real),
                row.moves
            );
            writeln!(f, "{}", line.trim_end())?;
        }
        match self.balanced {
            Balanced::No => {}
            Balanced::Wanted => writeln!(f, "the matrix was balanced, as requested")?,
            Balanced::Smaller(factor) => writeln!(
                f,
                "the matrix was balanced, which makes it {} times smaller",
                figure(factor)
            )?,
            Balanced::Conditioned => writeln!(
                f,
                "the matrix was balanced: R = 1/cond(V) = {} < 500 eps without balancing",
                figure(self.conditioning)
            )?,
        }
        if let Some(effective) = &self.effective_mass {
            masses(f, effective)?;
        }
        let shown = |row: &&Row| {
            row.shape.is_some() || row.energies.is_some() || row.participation.is_some()
        };
        for row in self.modes.iter().filter(shown) {
            more(f, row)?;
        }
        if self.modes.iter().any(|row| row.shape.is_some()) {
            writeln!(f, "\nshapes have {}", self.normalisation)?;
        }
        Ok(())
    }
}

/// Effective masses, with a row for each undamped mode.
fn masses(f: &mut fmt::Formatter<'_>, of: &Effective) -> fmt::Result {
    let [x, y, z] = of.center_of_mass.map(figure);
    writeln!(
        f,
        "\neffective masses of undamped modes: along x, y, z in kg, about them through the common centre of mass ({x}, {y}, {z}) m in kg m^2"
    )?;
    write!(f, "{:>8}  {:>13}", "undamped", "frequency, Hz")?;
    for direction in of.directions {
        write!(f, "  {direction:>12}")?;
    }
    writeln!(f)?;
    let modes = of.modes.iter().map(|mode| {
        let names = (mode.number.to_string(), figure(mode.frequency_hz));
        (names, &mode.masses)
    });
    let sums = [("sum", &of.sum), ("rigid", &of.rigid)];
    let sums = sums.map(|(name, masses)| ((name.to_owned(), String::new()), masses));
    for ((first, second), masses) in modes.chain(sums) {
        write!(f, "{first:>8}  {second:>13}")?;
        for x in masses {
            write!(f, "  {:>12}", figure(*x))?;
        }
        writeln!(f)?;
    }
    Ok(())
}

fn more(f: &mut fmt::Formatter<'_>, row: &Row) -> fmt::Result {
    writeln!(
        f,
        "\nmode {}: {} Hz, damping ratio {}",
        row.mode,
        figure(row.frequency_hz),
        figure(row.damping_ratio)
    )?;
    if let Some(shape) = &row.shape {
        shapes(f, shape)?;
    }
    if let Some(tables) = &row.energies {
        energies(f, tables)?;
    }
    if let Some(participation) = &row.participation {
        shares(f, participation)?;
    }
    Ok(())
}

/// `1.5`, or amplitude and phase of a complex number.
fn complex([re, im]: Pair) -> String {
    if im == 0.0 {
        return figure(re);
    }
    format!("{}<{:.1}", figure(re.hypot(im)), atan2(im, re).to_degrees())
}

fn shapes(f: &mut fmt::Formatter<'_>, bodies: &[BodyShape]) -> fmt::Result {
    let width = width(bodies.iter().map(|body| body.name.as_str()));
    write!(f, "  {:width$}", "shape, amplitude<degrees")?;
    for column in ["x", "y", "z", "about x", "about y", "about z"] {
        write!(f, "  {column:>16}")?;
    }
    writeln!(f)?;
    for body in bodies {
        write!(f, "  {:width$}", body.name)?;
        let rotation = body.rotation.iter().flatten();
        for x in body.translation.iter().chain(rotation) {
            write!(f, "  {:>16}", complex(*x))?;
        }
        if !body.modal.is_empty() {
            let modal: Vec<String> = body.modal.iter().map(|x| complex(*x)).collect();
            write!(f, "  modal: {}", modal.join(" "))?;
        }
        writeln!(f)?;
    }
    Ok(())
}

fn energies(f: &mut fmt::Formatter<'_>, tables: &Tables) -> fmt::Result {
    writeln!(
        f,
        "  kinetic energy of the shape: {} J",
        figure(tables.kinetic_energy)
    )?;
    let kinetic: Vec<(&str, &[f64])> = tables
        .kinetic
        .iter()
        .map(|(name, shares)| (name.as_str(), &shares[..]))
        .collect();
    table(f, "kinetic energy, %", &tables.kinetic_columns, &kinetic)?;
    for (title, list) in [
        ("strain energy, %", &tables.strain),
        ("dissipation, %", &tables.dissipation),
    ] {
        let rows: Vec<(&str, &[f64])> = list
            .iter()
            .map(|(name, shares)| (name.as_str(), &shares[..]))
            .collect();
        table(f, title, &tables.element_columns, &rows)?;
    }
    if tables.equations {
        writeln!(
            f,
            "  of force elements and flexible bodies only: energy that equations and control elements store or \
             dissipate is not included"
        )?;
    }
    Ok(())
}

fn table(
    f: &mut fmt::Formatter<'_>,
    title: &str,
    columns: &[&str],
    rows: &[(&str, &[f64])],
) -> fmt::Result {
    if rows.is_empty() {
        return Ok(());
    }
    let width = width(rows.iter().map(|row| row.0));
    write!(f, "  {title:width$}")?;
    for column in columns {
        write!(f, " {column:>8}")?;
    }
    writeln!(f)?;
    for (name, shares) in rows {
        write!(f, "  {name:width$}")?;
        for share in *shares {
            // Avoids a negative zero, and shows exactly zero as a dash.
            let text = if *share == 0.0 {
                String::from("-")
            } else {
                format!("{share:.3}").replace("-0.000", "0.000")
            };
            write!(f, " {text:>8}")?;
        }
        writeln!(f)?;
    }
    Ok(())
}

fn shares(f: &mut fmt::Formatter<'_>, of: &Participation) -> fmt::Result {
    match &of.inputs {
        None => writeln!(
            f,
            "  the root is zero or multiple, so inputs have no participation of their own"
        )?,
        Some(inputs) => {
            for (name, x) in inputs {
                writeln!(f, "  input \"{name}\": {}", complex(*x))?;
            }
        }
    }
    for (name, x) in &of.outputs {
        writeln!(f, "  output \"{name}\": {}", complex(*x))?;
    }
    Ok(())
}

/// Aligns names and titles.
fn width<'a>(names: impl Iterator<Item = &'a str>) -> usize {
    names.map(|name| name.chars().count()).fold(24, usize::max)
}

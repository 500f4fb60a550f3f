//! Control plane: reads tyre property files: text in sections of `KEY = value` lines.

use super::errors::quote;
use super::units::{ANGLE, FORCE, LENGTH, MASS, TIME};
use fixstep_kernel::mechanism::MagicFormula;
use std::collections::BTreeMap;

/// The contents of a property file.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TyreFile {
    /// The coefficients, in SI.
    pub(super) formula: MagicFormula,
    /// `USE_MODE`.
    pub(super) use_mode: Option<i64>,
    /// Was it measured as a tyre of the right side?
    pub(super) right: bool,
}

/// Values by section and key, both in capitals.
type Entries = BTreeMap<(String, String), (String, usize)>;

/// Reads a file; a fault names its line or key.
pub(super) fn read(text: &str) -> Result<TyreFile, String> {
    let entries = entries(text)?;
    let word = |section: &str, key: &str| {
        let entry = entries.get(&(section.to_owned(), key.to_owned()));
        entry.map(|(value, _)| value.trim_matches(['\'', '"']).trim().to_owned())
    };
    if let Some(format) = word("MODEL", "PROPERTY_FILE_FORMAT") {
        const KNOWN: [&str; 4] = ["PAC2002", "MF52", "MF-TYRE", "MF_05"];
        if !KNOWN.contains(&format.to_uppercase().as_str()) {
            return Err(format!(
                "PROPERTY_FILE_FORMAT is {}; valid: PAC2002, MF52",
                quote(&format)
            ));
        }
    }
    let unit = |key: &str, table: &super::units::UnitTable| match word("UNITS", key) {
        None => Ok(1.0),
        Some(name) => table.factor(&name).ok_or_else(|| {
            format!(
                "[UNITS] {key}: {} is not a unit of {}",
                quote(&name),
                table.quantity
            )
        }),
    };
    let (length, force, time) = (
        unit("LENGTH", &LENGTH)?,
        unit("FORCE", &FORCE)?,
        unit("TIME", &TIME)?,
    );
    unit("MASS", &MASS)?;
    let angle = unit("ANGLE", &ANGLE)?;
    let to_si = |key: &str| match key {
        "UNLOADED_RADIUS" => length,
        "VERTICAL_STIFFNESS" => force / length,
        "VERTICAL_DAMPING" => force * time / length,
        "FNOMIN" | "FZMIN" | "FZMAX" => force,
        "LONGVL" | "VXLOW" => length / time,
        "ALPMIN" | "ALPMAX" | "CAMMIN" | "CAMMAX" => angle,
        _ => 1.0,
    };
    let mut values = Vec::new();
    for (section, key, default) in MagicFormula::KEYS {
        let value = match number(&entries, section, key)? {
            Some(value) => value * to_si(key),
            None => default.ok_or_else(|| format!("[{section}] {key} is missing"))?,
        };
        values.push(value);
    }
    let mut values = values.into_iter();
    let formula = MagicFormula::from_values(&mut || values.next().unwrap_or_default());
    sound(&formula)?;
    let use_mode = number(&entries, "MODEL", "USE_MODE")?;
    Ok(TyreFile {
        formula,
        use_mode: use_mode.map(|mode| mode as i64),
        right: word("MODEL", "TYRESIDE").is_some_and(|side| side.eq_ignore_ascii_case("right")),
    })
}

/// Checks that the divisors of the formulas are more than zero.
fn sound(formula: &MagicFormula) -> Result<(), String> {
    let positive = [
        ("UNLOADED_RADIUS", formula.unloaded_radius),
        ("VERTICAL_STIFFNESS", formula.vertical_stiffness),
        ("FNOMIN", formula.fnomin),
        ("LONGVL", formula.longvl),
        ("VXLOW", formula.vxlow),
        ("LFZO", formula.lfzo),
        ("PCX1", formula.pcx1 * formula.lcx),
        ("PDX1", formula.pdx1),
        ("PCY1", formula.pcy1 * formula.lcy),
        ("PDY1", formula.pdy1),
        ("PKX1", formula.pkx1),
        ("PTY2", formula.pty2),
        ("PKY2", formula.pky2),
    ];
    if let Some((key, value)) = positive.iter().find(|(_, value)| *value <= 0.0) {
        return Err(format!("{key} must be more than zero; found {value}"));
    }
    if formula.pky1 == 0.0 {
        return Err("PKY1 must not be zero".to_owned());
    }
    let ranges = [
        ("KPUMIN", "KPUMAX", formula.kpumin, formula.kpumax),
        ("ALPMIN", "ALPMAX", formula.alpmin, formula.alpmax),
        ("CAMMIN", "CAMMAX", formula.cammin, formula.cammax),
        ("FZMIN", "FZMAX", formula.fzmin, formula.fzmax),
    ];
    match ranges.iter().find(|(_, _, low, high)| low >= high) {
        Some((low, high, _, _)) => Err(format!("{low} must be less than {high}")),
        None => Ok(()),
    }
}

/// A number of the file.
fn number(entries: &Entries, section: &str, key: &str) -> Result<Option<f64>, String> {
    let Some((text, line)) = entries.get(&(section.to_owned(), key.to_owned())) else {
        return Ok(None);
    };
    let found = text.parse().ok().filter(|value: &f64| value.is_finite());
    match found {
        Some(value) => Ok(Some(value)),
        None => Err(format!(
            "line {line}: [{section}] {key}: {} is not a number such as 1.65 or -2e-3",
            quote(text)
        )),
    }
}

/// Sections, keys and values. `$` begins a comment, `!` a comment line; tables are ignored.
fn entries(text: &str) -> Result<Entries, String> {
    let mut section = String::new();
    let mut entries = Entries::new();
    for (line, text) in (1..).zip(text.lines()) {
        let text = text.split('$').next().unwrap_or_default().trim();
        if text.is_empty() || text.starts_with('!') {
            continue;
        }
        if let Some(name) = text.strip_prefix('[') {
            let Some(name) = name.strip_suffix(']') else {
                return Err(format!("line {line}: {} has no closing ]", quote(text)));
            };
            section = name.trim().to_uppercase();
        } else if let Some((key, value)) = text.split_once('=') {
            let key = (section.clone(), key.trim().to_uppercase());
            let value = (value.trim().to_owned(), line);
            if let Some((_, first)) = entries.insert(key.clone(), value) {
                return Err(format!("line {line}: {} is already in line {first}", key.1));
            }
        }
    }
    if entries.is_empty() {
        return Err("there is no line KEY = value; valid: a tyre property file".to_owned());
    }
    Ok(entries)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn sample() -> String {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/tyres/touring.tir");
        std::fs::read_to_string(path).unwrap()
    }

    #[test]
    fn keys_are_read_in_si() {
        let metres = read(&sample()).unwrap();
        assert_eq!((metres.use_mode, metres.right), (Some(14), false));
        assert_eq!(metres.formula.unloaded_radius, 0.31);
        assert_eq!(metres.formula.pky1, -18.0);
        let text = sample()
            .replace("'meter'", "\"mm\"")
            .replace("= 0.31 ", "= 310 ")
            .replace("'LEFT'", "'Right'");
        let millimetres = read(&text).unwrap();
        assert!(millimetres.right);
        assert!((millimetres.formula.unloaded_radius - 0.31).abs() < 1e-15);
        assert!(
            (millimetres.formula.vertical_stiffness / metres.formula.vertical_stiffness - 1e3)
                .abs()
                < 1e-9
        );
    }

    #[test]
    fn what_is_wrong_is_named() {
        let message = |from: &str, to: &str| read(&sample().replace(from, to)).unwrap_err();
        assert_eq!(
            message("PKY1", "PKYY1"),
            "[LATERAL_COEFFICIENTS] PKY1 is missing"
        );
        assert!(message("-18.0", "many").contains("PKY1: \"many\" is not a number"));
        assert!(
            message("'meter'", "'parsec'").contains("[UNITS] LENGTH: \"parsec\" is not a unit")
        );
        assert!(message("'PAC2002'", "'UA'").contains("valid: PAC2002, MF52"));
        assert!(message("[MODEL]", "[MODEL").contains("has no closing ]"));
        assert!(message("PCX1 ", "PDX1 ").contains("PDX1 is already in line"));
        assert!(message("FNOMIN = 4000", "FNOMIN = -1").contains("FNOMIN must be more than zero"));
        assert!(message("KPUMIN = -1.5", "KPUMIN = 2").contains("KPUMIN must be less than KPUMAX"));
        assert!(read("nothing").unwrap_err().contains("KEY = value"));
    }
}

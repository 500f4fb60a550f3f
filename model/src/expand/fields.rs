//! Control plane: which fields of entities name other entities.

/// Fields whose text, or whose list of texts, names other entities.
pub(crate) const REFERENCES: &[&str] = &[
    "part", "parts", "marker", "i", "j", "axes", "frame", "carrier", "points", "joint", "joints",
    "of", "force", "motion", "curve", "curve_i", "curve_j", "road", "spline", "signals",
];

/// Fields of plain text that name nothing.
#[cfg(test)]
pub(crate) const WORDS: &[&str] = &[
    "name",
    "color",
    "type",
    "description",
    "unit",
    "display_unit",
    "comparison",
    "method",
    "ends",
    "extrapolation",
    "interpolation",
    "side",
    "axis",
    "direction",
    "coordinates",
    "exact",
    "inputs",
    "effect",
    "on",
    "quantities",
    "load",
    "node",
    "rotations",
    "invariants",
    "damping",
    "dynamic_limit",
    "linear_limit",
    "arguments",
    "s",
    "t",
    "x",
    "y",
    "z",
];

/// Fields that hold a text or `=` with the name of a text.
pub(crate) const TEXTS: &[&str] = &["message", "file"];

/// Is a field that takes plain text an expression all the same?
pub(super) fn is_expression(list: &str, key: &str) -> bool {
    list == "macros" && key == "expression"
}

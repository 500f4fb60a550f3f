//! Control plane: finds the existing name that is closest to an unknown one, for messages.

use strsim::osa_distance;

/// The candidate nearest to `name`, if it is near enough: at most one edit in three characters (insertion, deletion,
/// replacement, or exchange of neighbours). Capitals count as equal but break ties. The first of equals wins. If none is so
/// near, it is the first that ends in the name after a point: of an instance, for example.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = lower(name);
    let limit = wanted.chars().count().div_ceil(3);
    let mut best: Option<(usize, &'a str)> = None;
    let mut ends = None;
    for candidate in candidates {
        let edits = edits(&wanted, candidate, limit);
        if let Some(edits) = edits.filter(|edits| best.is_none_or(|(least, _)| *edits < least)) {
            best = Some((edits, candidate));
        }
        let owner = candidate.strip_suffix(name);
        if ends.is_none() && owner.is_some_and(|owner| owner.ends_with('.')) {
            ends = Some(candidate);
        }
    }
    best.map(|(_, candidate)| candidate).or(ends)
}

/// Words of other programs and their names here.
const SYNONYMS: &[(&str, &[&str])] = &[
    ("bodies", &["parts"]),
    ("body", &["part"]),
    ("constraints", &["joints"]),
    ("loads", &["forces"]),
    ("springs", &["forces"]),
    ("measures", &["outputs"]),
    ("results", &["outputs"]),
    ("cm", &["center_of_mass"]),
    ("cog", &["center_of_mass"]),
    ("com", &["center_of_mass"]),
    ("cg", &["center_of_mass"]),
    ("cm_position", &["center_of_mass"]),
    ("moment_of_inertia", &["inertia"]),
    ("inertia_tensor", &["inertia"]),
    ("omega", &["angular_velocity"]),
    ("vel", &["velocity"]),
    ("v", &["velocity"]),
    ("initial_velocity", &["velocity"]),
    ("initial_angular_velocity", &["angular_velocity"]),
    ("m", &["mass"]),
    ("location", &["position"]),
    ("origin", &["position"]),
    ("pos", &["position"]),
    ("xyz", &["position"]),
    ("quat", &["orientation"]),
    ("euler", &["orientation"]),
    ("rpy", &["orientation"]),
    ("rotation", &["orientation"]),
    ("k", &["stiffness", "proportional"]),
    ("stiff", &["stiffness"]),
    ("spring_constant", &["stiffness"]),
    ("c", &["damping"]),
    ("damp", &["damping"]),
    ("free_length", &["length"]),
    ("rest_length", &["length"]),
    ("preload_force", &["preload"]),
    ("force", &["expression"]),
    ("function", &["expression", "displacement"]),
    ("expression", &["displacement"]),
    ("angle", &["displacement"]),
    ("end", &["stop"]),
    ("duration", &["stop"]),
    ("end_time", &["stop"]),
    ("dt", &["step"]),
    ("timestep", &["step"]),
    ("h", &["step"]),
    ("stepsize", &["step"]),
    ("step_size", &["step"]),
    ("ball", &["spherical", "sphere"]),
    ("cardan", &["universal"]),
    ("hinge", &["revolute"]),
    ("pin", &["revolute"]),
    ("prismatic", &["translational"]),
    ("rigid", &["fixed"]),
    ("slider", &["translational"]),
    ("weld", &["fixed"]),
    ("damper", &["spring_damper"]),
    ("spring", &["spring_damper"]),
    ("torsion_spring", &["torsion_spring_damper"]),
];

/// The candidate that a word of another program means.
pub fn synonym<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = name.to_ascii_lowercase();
    let (_, names) = SYNONYMS.iter().find(|(other, _)| *other == word)?;
    candidates
        .into_iter()
        .find(|candidate| names.contains(candidate))
}

/// The edit distance (optimal string alignment) of a candidate from the wanted name, if it is within the limit.
fn edits(wanted: &str, candidate: &str, limit: usize) -> Option<usize> {
    let other = lower(candidate);
    let (length, other_length) = (wanted.chars().count(), other.chars().count());
    if other_length.abs_diff(length) > limit {
        return None;
    }
    let edits = osa_distance(wanted, &other);
    // A candidate with every character changed is no suggestion.
    (edits <= limit && edits < length.max(other_length)).then_some(edits)
}

/// `; did you mean "…"?` for the nearest candidate, or nothing.
pub fn hint<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    let candidates: Vec<&str> = candidates.into_iter().collect();
    let found = synonym(name, candidates.iter().copied()).or_else(|| nearest(name, candidates));
    found.map_or_else(String::new, |candidate| {
        format!("; did you mean \"{candidate}\"?")
    })
}

/// The text in small letters, each character by itself (a final sigma like any other).
fn lower(text: &str) -> String {
    text.chars().flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_was_meant() {
        let names = ["STEP", "STEP5", "HAVSIN", "IMPACT"];
        assert_eq!(nearest("STPE", names), Some("STEP"), "exchange");
        assert_eq!(nearest("steps", names), Some("STEP"), "first of equals");
        assert_eq!(nearest("IMPCT", names), Some("IMPACT"), "deletion");
        assert_eq!(nearest("HAVESINE", names), Some("HAVSIN"), "two insertions");
        assert_eq!(nearest("BISTOP", names), None);
        assert_eq!(nearest("", names), None);
        assert_eq!(nearest("x", ["y"]), None, "nothing in common");
        assert_eq!(nearest("Hub", ["hub"]), Some("hub"), "only capitals differ");
        let markers = ["ground", "left.hinge", "right.hinge"];
        assert_eq!(
            nearest("hinge", markers),
            Some("left.hinge"),
            "of an instance"
        );
        assert_eq!(nearest("inge", markers), None, "half a word");
    }

    #[test]
    fn hints_are_ready_for_a_message() {
        assert_eq!(hint("mas", ["mass"]), "; did you mean \"mass\"?");
        assert_eq!(hint("q", ["mass"]), "");
        let types = ["revolute", "spherical", "fixed"];
        assert_eq!(hint("Hinge", types), "; did you mean \"revolute\"?");
        assert_eq!(hint("hinge", ["planar"]), "");
    }
}

//! Control plane: finds the existing name that is closest to an unknown one, for messages.

/// The candidate nearest to `name`, if it is near enough: at most one edit in three characters (insertion, deletion,
/// replacement, or exchange of neighbours). Capitals count as equal but break ties. The first of equals wins.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = lower(name);
    let limit = wanted.len().div_ceil(3);
    let mut best: Option<(usize, &'a str)> = None;
    for candidate in candidates {
        let edits = edits(&wanted, candidate, limit);
        if let Some(edits) = edits.filter(|edits| best.is_none_or(|(least, _)| *edits < least)) {
            best = Some((edits, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Words of other programs and their names here.
const MEANT: &[(&str, &[&str])] = &[
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
pub fn meant<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = name.to_ascii_lowercase();
    let (_, names) = MEANT.iter().find(|(other, _)| *other == word)?;
    candidates
        .into_iter()
        .find(|candidate| names.contains(candidate))
}

/// The edit distance of a candidate from the wanted name, if it is within the limit.
fn edits(wanted: &[char], candidate: &str, limit: usize) -> Option<usize> {
    let other = lower(candidate);
    if other.len().abs_diff(wanted.len()) > limit {
        return None;
    }
    let edits = distance(wanted, &other);
    // A candidate with every character changed is no suggestion.
    (edits <= limit && edits < wanted.len().max(other.len())).then_some(edits)
}

/// `; did you mean "…"?` for the nearest candidate, or nothing.
pub fn hint<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    let candidates: Vec<&str> = candidates.into_iter().collect();
    let found = meant(name, candidates.iter().copied()).or_else(|| nearest(name, candidates));
    found.map_or_else(String::new, |candidate| {
        format!("; did you mean \"{candidate}\"?")
    })
}

/// The characters in small letters.
fn lower(text: &str) -> Vec<char> {
    text.chars().flat_map(char::to_lowercase).collect()
}

/// Optimal string alignment distance (Damerau 1964, without edits of edits).
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before_last = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    let mut row = vec![0; b.len() + 1];
    for i in 1..=a.len() {
        row[0] = i;
        for j in 1..=b.len() {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before_last[j - 2] + 1);
            }
        }
        std::mem::swap(&mut before_last, &mut last);
        std::mem::swap(&mut last, &mut row);
    }
    last[b.len()]
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
    }

    #[test]
    fn distances_are_those_of_the_literature() {
        let of = |a: &str, b: &str| distance(&lower(a), &lower(b));
        assert_eq!(of("kitten", "sitting"), 3);
        assert_eq!(of("ca", "abc"), 3, "no edits of edits");
        assert_eq!(of("abcd", "abdc"), 1);
        assert_eq!(of("", "abc"), 3);
        assert_eq!(of("same", "same"), 0);
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

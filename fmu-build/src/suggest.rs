//! Control plane: near misses of a name.

/// A message on an unknown name with the nearest known ones, or all of them if they are few.
pub fn unknown<'a>(what: &str, name: &str, known: impl Iterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.collect();
    let mut near: Vec<(usize, &str)> = known
        .iter()
        .map(|candidate| (distance(name, candidate), *candidate))
        .collect();
    near.sort_unstable();
    let limit = (name.chars().count() / 3).clamp(1, 4);
    let near: Vec<String> = near
        .into_iter()
        .take_while(|(distance, _)| *distance <= limit)
        .take(3)
        .map(|(_, candidate)| format!("\"{candidate}\""))
        .collect();
    let hint = if !near.is_empty() {
        format!("; did you mean {}?", near.join(" or "))
    } else if known.is_empty() {
        "; there are none".to_owned()
    } else if known.len() <= 12 {
        format!("; known: {}", known.join(", "))
    } else {
        String::new()
    };
    format!("unknown {what} \"{name}\"{hint}")
}

/// Levenshtein distance, letters' case counting as half an error would: not at all.
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.to_lowercase().chars().collect();
    let b: Vec<char> = b.to_lowercase().chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(row[j + 1] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_counts_edits() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("GSTIFF", "gstiff"), 0);
    }

    #[test]
    fn far_names_are_not_suggested() {
        let known = ["angle", "speed"];
        assert_eq!(
            unknown("output", "angel", known.into_iter()),
            "unknown output \"angel\"; known: angle, speed"
        );
        assert_eq!(
            unknown("output", "speeed", known.into_iter()),
            "unknown output \"speeed\"; did you mean \"speed\"?"
        );
        assert_eq!(
            unknown("output", "x", std::iter::empty()),
            "unknown output \"x\"; there are none"
        );
    }
}

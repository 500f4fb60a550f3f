//! Control plane: finds names that are close to a misspelt one.

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

/// Number of edits (insert, delete, replace, swap of neighbours) from one name to the other, ignoring case.
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.to_lowercase().chars().collect();
    let b: Vec<char> = b.to_lowercase().chars().collect();
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            rows[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                let edited = replaced.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
                let swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
                if swapped {
                    edited.min(rows[i - 2][j - 2] + 1)
                } else {
                    edited
                }
            };
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_counts_edits() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("angel", "angle"), 1);
        assert_eq!(distance("GSTIFF", "gstiff"), 0);
    }

    #[test]
    fn far_names_are_not_suggested() {
        let known = ["angle", "speed"];
        assert_eq!(
            unknown("output", "force", known.into_iter()),
            "unknown output \"force\"; known: angle, speed"
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

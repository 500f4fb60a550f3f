//! Reads lists of modes: `1, 2, 3:5, ALL, NONE, -4`. Later items win.

/// Is a list valid, whatever the number of modes?
pub fn readable(list: &str) -> Result<(), String> {
    read(list, 0, &|_, _| Ok(())).map(|_| ())
}

/// Does a list begin with all modes, because it begins with a minus?
pub fn means_all(list: &str) -> bool {
    let list = list.trim_start().to_ascii_uppercase();
    list.starts_with('-') || list.contains("ALL")
}

/// The modes that a list names, by numbers from 1; a minus removes a number or range. A number without a mode is
/// refused.
pub fn chosen(list: &str, modes: usize) -> Result<Vec<bool>, String> {
    read(list, modes, &|item, first| match modes {
        _ if first <= modes => Ok(()),
        0 => Err(format!("\"{item}\": there are no modes")),
        _ => Err(format!(
            "\"{item}\" names no mode; valid numbers are 1 to {modes}"
        )),
    })
}

/// Checks an item of a list, and its first number.
type Valid<'a> = dyn Fn(&str, usize) -> Result<(), String> + 'a;

/// Reads a list.
fn read(list: &str, modes: usize, valid: &Valid<'_>) -> Result<Vec<bool>, String> {
    // A list that begins with a minus removes modes from all.
    let mut chosen = vec![list.trim_start().starts_with('-'); modes];
    for item in list
        .split(',')
        .map(str::trim)
        .filter(|item| !item.is_empty())
    {
        match item.to_ascii_uppercase().as_str() {
            "ALL" => chosen.fill(true),
            "NONE" => chosen.fill(false),
            _ => {
                let (range, wanted) = match item.strip_prefix('-') {
                    Some(rest) => (rest.trim(), false),
                    None => (item, true),
                };
                let (first, last) = ends(range).ok_or_else(|| wrong(item))?;
                valid(item, first)?;
                // A range may be longer than the number of modes, so that it fits several models.
                for k in first..=last.min(modes) {
                    chosen[k - 1] = wanted;
                }
            }
        }
    }
    Ok(chosen)
}

/// The ends of `3` or `3:5`.
fn ends(range: &str) -> Option<(usize, usize)> {
    let number = |text: &str| text.trim().parse().ok().filter(|k| *k > 0);
    let ends = match range.split_once(':') {
        Some((first, last)) => (number(first)?, number(last)?),
        None => (number(range)?, number(range)?),
    };
    (ends.0 <= ends.1).then_some(ends)
}

fn wrong(item: &str) -> String {
    format!(
        "\"{item}\" is not a list of modes; valid: numbers from 1, ranges as 3:5, ALL, NONE, and numbers or ranges with a minus \
         to take them out, with commas between; what comes later wins"
    )
}

#[cfg(test)]
mod tests {
    use super::chosen;

    #[test]
    fn what_is_taken_out_first_is_taken_out_of_all() {
        assert_eq!(numbers("-2", 4), [1, 3, 4]);
        assert_eq!(numbers(" -2:3, 3", 4), [1, 3, 4]);
    }

    fn numbers(list: &str, modes: usize) -> Vec<usize> {
        let chosen = chosen(list, modes).unwrap_or_default();
        let all = chosen.iter().enumerate().filter(|(_, chosen)| **chosen);
        all.map(|(k, _)| k + 1).collect()
    }

    #[test]
    fn later_items_win() {
        assert_eq!(numbers("1, 2, 3:4, 5:7", 9), [1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(numbers("all,-2:3", 5), [1, 4, 5]);
        assert_eq!(numbers("1,ALL,NONE,4", 5), [4]);
        assert_eq!(numbers("-2,2", 5), [1, 2, 3, 4, 5]);
        assert_eq!(numbers("4:90", 5), [4, 5]);
        assert_eq!(numbers("", 5), [0; 0]);
    }

    #[test]
    fn what_names_no_mode_is_refused() {
        for list in ["99", "6", "1,6:9", "ALL,-6"] {
            let message = chosen(list, 5).err().unwrap_or_default();
            assert!(
                message.contains("valid numbers are 1 to 5"),
                "{list}: {message}"
            );
            assert_eq!(super::readable(list), Ok(()));
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for list in ["0", "4:2", "x", "1;2", "1:", "--1"] {
            let message = chosen(list, 5).err().unwrap_or_default();
            assert!(
                message.contains("is not a list of modes"),
                "{list}: {message}"
            );
        }
    }
}

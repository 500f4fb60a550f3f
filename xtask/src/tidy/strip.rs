//! Rust source without comments and literals, line for line, so that a search finds code only.
//! Control plane.

/// Replaces comments and the contents of string and character literals by spaces. Line breaks
/// stay, so positions keep their lines.
pub(crate) fn strip(source: &str) -> String {
    let text: Vec<char> = source.chars().collect();
    let mut out = String::with_capacity(source.len());
    let mut at = 0;
    while let Some(&c) = text.get(at) {
        let end = match c {
            '/' if text.get(at + 1) == Some(&'/') => line_end(&text, at),
            '/' if text.get(at + 1) == Some(&'*') => block_comment_end(&text, at),
            '"' => string_end(&text, at + 1),
            'r' | 'b' | 'c' if !follows_word(&text, at) => literal_end(&text, at),
            '\'' => char_end(&text, at),
            _ => at,
        };
        if end == at {
            out.push(c);
            at += 1;
        } else {
            let blank = |c: &char| if *c == '\n' { '\n' } else { ' ' };
            out.extend(text.iter().take(end).skip(at).map(blank));
            at = end;
        }
    }
    out
}

/// Whether the character before `at` continues a word.
fn follows_word(text: &[char], at: usize) -> bool {
    at.checked_sub(1)
        .and_then(|before| text.get(before))
        .is_some_and(|c| is_word(*c))
}

/// Whether a character may be part of an identifier.
pub(crate) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn line_end(text: &[char], at: usize) -> usize {
    text.iter()
        .skip(at)
        .position(|c| *c == '\n')
        .map_or(text.len(), |length| at + length)
}

/// Block comments nest.
fn block_comment_end(text: &[char], at: usize) -> usize {
    let mut depth = 0;
    let mut i = at;
    while i < text.len() {
        match (text.get(i), text.get(i + 1)) {
            (Some('/'), Some('*')) => {
                depth += 1;
                i += 2;
            }
            (Some('*'), Some('/')) => {
                depth -= 1;
                i += 2;
                if depth == 0 {
                    return i;
                }
            }
            _ => i += 1,
        }
    }
    text.len()
}

/// Position after the closing quote of a string whose contents start at `i`.
fn string_end(text: &[char], mut i: usize) -> usize {
    while let Some(c) = text.get(i) {
        match c {
            '\\' => i += 2,
            '"' => return i + 1,
            _ => i += 1,
        }
    }
    text.len()
}

/// Position after a raw, byte or C literal that starts at `at`; `at` itself if none does.
fn literal_end(text: &[char], at: usize) -> usize {
    let mut i = at;
    let mut raw = false;
    while let Some(c @ ('r' | 'b' | 'c')) = text.get(i) {
        raw |= *c == 'r';
        i += 1;
    }
    let hashes = text.iter().skip(i).take_while(|c| **c == '#').count();
    match text.get(i + hashes) {
        Some('"') if raw => raw_end(text, i + hashes + 1, hashes),
        Some('"') if hashes == 0 => string_end(text, i + 1),
        Some('\'') if hashes == 0 && text.get(at) == Some(&'b') => char_end(text, i),
        _ => at,
    }
}

/// Behind a raw string whose contents start at `start`.
fn raw_end(text: &[char], start: usize, hashes: usize) -> usize {
    let mut i = start;
    while let Some(c) = text.get(i) {
        let closing = text
            .iter()
            .skip(i + 1)
            .take(hashes)
            .filter(|c| **c == '#')
            .count();
        if *c == '"' && closing == hashes {
            return i + 1 + hashes;
        }
        i += 1;
    }
    text.len()
}

/// Position after a character literal at `at`; `at` itself for a lifetime.
fn char_end(text: &[char], at: usize) -> usize {
    match (text.get(at + 1), text.get(at + 2)) {
        (Some('\\'), _) => {
            let closing = text.iter().skip(at + 3).position(|c| *c == '\'');
            closing.map_or(text.len(), |length| at + 3 + length + 1)
        }
        (Some(_), Some('\'')) => at + 3,
        _ => at,
    }
}

#[cfg(test)]
mod tests {
    use super::strip;

    #[test]
    fn comments_and_literals_become_blank() {
        assert_eq!(strip("a // unsafe\nb"), "a          \nb");
        assert_eq!(strip("a /* x /* y */ z */ b"), "a                   b");
        assert_eq!(strip(r#"f("un\"safe", 1)"#), "f(          , 1)");
        assert_eq!(strip("f(r#\"a\"b\"#, 1)"), "f(        , 1)");
        assert_eq!(strip("f(b'{', '}', '\\'')"), "f(    ,    ,     )");
    }

    #[test]
    fn lifetimes_and_words_stay() {
        let code = "fn f<'a>(bar: &'a str, r: u8, c: u8) -> &'a str { bar }";
        assert_eq!(strip(code), code);
    }

    #[test]
    fn lines_keep_their_numbers() {
        let text = "let s = \"one\ntwo\";\n/* three\nfour */ five";
        assert_eq!(strip(text).lines().count(), text.lines().count());
        assert!(strip(text).ends_with("five"));
    }
}

//! Control plane: letters as strokes, for pictures without fonts.
//!
//! A point is two digits, x and y, on a grid: the baseline is y = 2, small letters reach up to 6, capitals and
//! figures up to 8, descenders down to 0. Strokes are separated by blanks; one that begins with `~` is rounded.

/// Height of a capital on the grid.
const CAPITAL: f64 = 6.0;
/// The baseline.
const BASE: f64 = 2.0;
/// Space between letters.
const SPACE: f64 = 1.9;
/// How often corners are cut off.
const ROUNDS: usize = 3;

#[rustfmt::skip]
const LETTERS: &[(char, &str)] = &[
    ('0', "~280802424828"), ('1', "062822"), ('2', "~06084846350302 0242"), ('3', "~07084845254525 ~25454202 03"),
    ('4', "32380444"), ('5', "480805 ~055645420203"), ('6', "~4738080422 ~250502424525"), ('7', "084812"),
    ('8', "~280805454828 ~250502424525"), ('9', "~280805454828 ~46421203"),
    ('A', "022842 1535"), ('B', "0208 ~08484505 ~05454202"), ('C', "~474808024243"), ('D', "0208 ~08484202"),
    ('E', "48080242 0535"), ('F', "480802 0535"), ('G', "~474808024245 4525"), ('H', "0208 4248 0545"),
    ('I', "2228"), ('J', "~38320203"), ('K', "0208 4805 1542"), ('L', "080242"), ('M', "0208254842"),
    ('N', "02084248"), ('O', "~280802424828"), ('P', "0208 ~08484505"), ('Q', "~280802424828 3341"),
    ('R', "0208 ~08484505 2542"), ('S', "~4748080545420203"), ('T', "0848 2822"), ('U', "~08024248"),
    ('V', "082248"), ('W', "0812263248"), ('X', "0248 0842"), ('Y', "082548 2522"), ('Z', "08480242"),
    ('a', "~260602424626 4642"), ('b', "0802 ~260602424626"), ('c', "~454606024243"), ('d', "4842 ~260602424626"),
    ('e', "0444 ~4446060242"), ('f', "~3828181512 0636"), ('g', "~260602424626 ~46424000 "), ('h', "0802 ~0406464442"),
    ('i', "2622 2828"), ('j', "~262000 2828"), ('k', "0802 4604 1542"), ('l', "2822"), ('m', "0602 ~04063632 ~34366662"),
    ('n', "0602 ~04064642"), ('o', "~260602424626"), ('p', "0600 ~260602424626"), ('q', "4640 ~260602424626"),
    ('r', "0602 ~040636"), ('s', "~4546060444420203"), ('t', "~18161232 0636"), ('u', "~06024246 4642"), ('v', "062246"),
    ('w', "0612253246"), ('x', "0246 0642"), ('y', "0622 4610"), ('z', "06460242"),
    ('.', "2222"), (',', "2211"), (':', "2222 2626"), (';', "2211 2626"), ('-', "1434"), ('+', "0444 2622"), ('=', "0343 0545"),
    ('/', "0148"), ('(', "~38161431"), (')', "~18363411"), ('[', "38181131"), (']', "18383111"), ('_', "0141"), ('\'', "2826"),
    ('"', "1816 3836"), ('%', "0248 0808 4242"), ('*', "1735 3715"), ('<', "460442"), ('>', "064402"), ('!', "2824 2222"),
    ('#', "1218 3238 0444 0646"), ('\u{2026}', "0202 2222 4242"), ('\u{b7}', "2525"), ('\u{2013}', "0444"), ('\u{d7}', "0246 0642"),
    ('&', "~4216172837360503024244"), ('?', "~0728473625 2222"), ('@', "~3335242343454728070322 "), ('|', "2820"), ('~', "~0415243546"),
    ('^', "162836"), ('$', "~4737280645423203 2921"), ('\u{b0}', "~1728372717"), ('\u{b5}', "~0600 ~06024246 4642"),
    ('\u{df}', "~020728373625444332"), ('{', "~38281514252131"), ('}', "~18283534252111"), ('`', "1827"), ('\u{2212}', "0444"),
];

/// Letters with a mark, the letters without it, and the mark above small ones; above capitals it is one higher.
const MARKED: &[(&str, &str, &str)] = &[
    ("\u{e4}\u{eb}\u{ef}\u{f6}\u{fc}", "aeiou", "1818 3838"),
    ("\u{e1}\u{e9}\u{ed}\u{f3}\u{fa}", "aeiou", "2738"),
    ("\u{e0}\u{e8}\u{ec}\u{f2}\u{f9}", "aeiou", "1827"),
    ("\u{e2}\u{ea}\u{ee}\u{f4}\u{fb}", "aeiou", "172837"),
    ("\u{e3}\u{f1}\u{f5}", "ano", "~07182738"),
    ("\u{e5}", "a", "~1728372717"),
    ("\u{e7}", "c", "2221"),
    ("\u{c4}\u{d6}\u{dc}", "AOU", "1919 3939"),
    ("\u{c9}", "E", "2839"),
];

/// The strokes of a letter.
fn glyph(letter: char) -> String {
    let plain = |letter: char| {
        let found = LETTERS.iter().find(|(known, _)| *known == letter);
        found.map_or("0208484202", |(_, strokes)| strokes)
    };
    let marked = MARKED.iter().find_map(|(with, without, mark)| {
        let place = with.chars().position(|known| known == letter)?;
        Some((without.chars().nth(place)?, mark))
    });
    match marked {
        Some((base, mark)) => format!("{} {mark}", plain(base)),
        None => plain(letter).to_owned(),
    }
}

/// Strokes of a text with a size in pixels, and its width; its left end is on the baseline at the origin, y down.
pub fn strokes(text: &str, size: f64) -> (Vec<Vec<[f64; 2]>>, f64) {
    // capitals are 0.72 of the size, as in most fonts
    let unit = 0.72 * size / CAPITAL;
    let (mut all, mut left) = (Vec::new(), 0.0);
    for letter in text.chars() {
        if letter.is_whitespace() {
            left += 2.6 * unit;
            continue;
        }
        let glyph = glyph(letter);
        let drawn: Vec<Vec<[f64; 2]>> = glyph.split_whitespace().map(stroke).collect();
        let points = || drawn.iter().flatten();
        let least = points().fold(f64::INFINITY, |least, p| least.min(p[0]));
        let most = points().fold(0.0, |most: f64, p| most.max(p[0]));
        // letters are a little narrower than the grid
        let narrow = 0.86 * unit;
        for line in &drawn {
            let place = |[x, y]: &[f64; 2]| [left + (x - least) * narrow, -(y - BASE) * unit];
            all.push(line.iter().map(place).collect());
        }
        left += (most - least) * narrow + SPACE * unit;
    }
    (all, (left - SPACE * unit).max(0.0))
}

/// The points of a stroke.
fn stroke(text: &str) -> Vec<[f64; 2]> {
    let digits: Vec<f64> = text
        .bytes()
        .filter(u8::is_ascii_digit)
        .map(|b| f64::from(b - b'0'))
        .collect();
    let mut points: Vec<[f64; 2]> = digits.as_chunks().0.to_vec();
    if text.starts_with('~') {
        for _ in 0..ROUNDS {
            points = rounded(&points);
        }
    }
    points
}

/// Corners cut off at a quarter of each side (Chaikin 1974); a line that ends where it begins stays closed.
fn rounded(points: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let (Some(first), Some(last)) = (points.first(), points.last()) else {
        return Vec::new();
    };
    let closed = first == last;
    let mix = |a: &[f64; 2], b: &[f64; 2], x: f64| [0, 1].map(|k| a[k] + (b[k] - a[k]) * x);
    let mut out = if closed { Vec::new() } else { vec![*first] };
    for pair in points.windows(2) {
        out.push(mix(&pair[0], &pair[1], 0.25));
        out.push(mix(&pair[0], &pair[1], 0.75));
    }
    out.push(if closed { out[0] } else { *last });
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_have_width_and_unknown_ones_a_box() {
        let (drawn, width) = strokes("A1", 10.0);
        assert_eq!(drawn.len(), 3);
        assert!((8.0..14.0).contains(&width), "{width}");
        let (unknown, _) = strokes("\u{3b1}", 10.0);
        assert_eq!(unknown[0].len(), 5);
        assert!(strokes("", 10.0).1.abs() < 1e-12);
    }
}

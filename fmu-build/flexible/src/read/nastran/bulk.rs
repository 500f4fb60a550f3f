//! Control plane: cards of Nastran's bulk data in small, large and free fields.

use super::super::text::{ReadError, number, quote};

/// Which cards are read.
const WANTED: [&str; 19] = [
    "DMIG", "GRID", "GRDSET", "CORD2R", "CORD2C", "CORD2S", "SET1", "CTETRA", "CHEXA", "CPENTA",
    "CQUAD4", "CQUAD8", "CQUADR", "CTRIA3", "CTRIA6", "CTRIAR", "CBAR", "CBEAM", "CROD",
];

/// A card with its continuations.
#[derive(Debug)]
pub(super) struct Card<'a> {
    pub(super) file: &'a str,
    /// In capitals, without `*`.
    pub(super) keyword: String,
    /// Fields from index 1 on, which the manuals count from 2, with the line of each: index 0 is the keyword.
    pub(super) fields: Vec<(usize, &'a str)>,
}

impl<'a> Card<'a> {
    /// A field; empty if it is missing.
    pub(super) fn field(&self, at: usize) -> &'a str {
        self.fields.get(at).map_or("", |(_, text)| text)
    }

    /// An error about the card.
    pub(super) fn error(&self, message: impl Into<String>) -> ReadError {
        self.error_at(0, message)
    }

    /// An error about a field.
    pub(super) fn error_at(&self, at: usize, message: impl Into<String>) -> ReadError {
        let line = self
            .fields
            .get(at)
            .or(self.fields.first())
            .map_or(1, |(line, _)| *line);
        ReadError::at(
            self.file,
            line,
            format!("{}: {}", self.keyword, message.into()),
        )
    }

    /// A number of a node, an element or a system.
    pub(super) fn identifier(&self, at: usize) -> Result<u64, ReadError> {
        let found = self.field(at).parse().ok().filter(|id| *id > 0);
        found.ok_or_else(|| {
            let field = quote(self.field(at));
            self.error_at(at, format!("{field} is not a whole number above 0"))
        })
    }

    /// A finite number; `1.5-3` is 1.5e-3.
    pub(super) fn real(&self, at: usize) -> Result<f64, ReadError> {
        real(self.field(at)).ok_or_else(|| {
            let field = quote(self.field(at));
            self.error_at(at, format!("{field} is not a finite number"))
        })
    }
}

fn real(text: &str) -> Option<f64> {
    number(text).or_else(|| {
        let sign = text.rfind(['+', '-']).filter(|at| *at > 0)?;
        let before = text.as_bytes()[sign - 1];
        if !before.is_ascii_digit() && before != b'.' {
            return None;
        }
        number(&format!("{}e{}", &text[..sign], &text[sign..]))
    })
}

/// A line in fields.
struct Fields<'a> {
    keyword: &'a str,
    /// Does another card begin here?
    begins: bool,
    data: Vec<&'a str>,
}

/// Takes the cards of a text that are read.
pub(super) fn read<'a>(
    file: &'a str,
    text: &'a str,
    cards: &mut Vec<Card<'a>>,
) -> Result<(), ReadError> {
    let mut open = false;
    for (line, text) in (1..).zip(text.lines()) {
        let text = text.split('$').next().unwrap_or_default().trim_end();
        if text.trim().is_empty() {
            continue;
        }
        let fields = split(text).map_err(|message| ReadError::at(file, line, message))?;
        if fields.begins {
            let keyword = fields
                .keyword
                .trim_end_matches('*')
                .trim_end()
                .to_uppercase();
            open = WANTED.contains(&keyword.as_str());
            if open {
                let first = vec![(line, fields.keyword)];
                cards.push(Card {
                    file,
                    keyword,
                    fields: first,
                });
            }
        }
        if let (true, Some(card)) = (open, cards.last_mut()) {
            card.fields
                .extend(fields.data.into_iter().map(|field| (line, field)));
        }
    }
    Ok(())
}

/// The fields of a line: 8 of 8 characters, 4 of 16 (`*`), or between commas.
fn split(text: &str) -> Result<Fields<'_>, String> {
    if text.contains(',') {
        let mut parts = text.split(',').map(str::trim);
        let keyword = parts.next().unwrap_or_default();
        let count = if keyword.contains('*') { 4 } else { 8 };
        let mut data: Vec<&str> = parts.take(count).collect();
        data.resize(count, "");
        return Ok(Fields {
            keyword,
            begins: begins(keyword),
            data,
        });
    }
    if !text.is_ascii() {
        return Err("has characters that are not ASCII in a line of fixed fields".to_owned());
    }
    if text.contains('\t') {
        return Err("has a tabulator in a line of fixed fields; valid: blanks".to_owned());
    }
    let piece = |from: usize, to: usize| {
        text.get(from.min(text.len())..to.min(text.len()))
            .unwrap_or_default()
            .trim()
    };
    let keyword = piece(0, 8);
    let (width, count) = if keyword.contains('*') {
        (16, 4)
    } else {
        (8, 8)
    };
    let data = (0..count)
        .map(|k| piece(8 + k * width, 8 + (k + 1) * width))
        .collect();
    Ok(Fields {
        keyword,
        begins: begins(keyword),
        data,
    })
}

/// A continuation has an empty first field or one that begins with `+` or `*`.
fn begins(keyword: &str) -> bool {
    keyword.starts_with(|first: char| first.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn one_card_in_three_kinds_of_fields() {
        let small = "GRID          17       0    1.5     -2.    .25       0\n";
        let large = "GRID*                 17               0             1.5             -2.\n\
                     *                    .25               0\n";
        let free = "grid, 17, 0, 1.5, -2., .25,0\n";
        for text in [small, large, free] {
            let mut cards = Vec::new();
            read("a", text, &mut cards).unwrap();
            let card = &cards[0];
            assert_eq!(card.keyword, "GRID");
            assert_eq!(card.identifier(1).unwrap(), 17);
            let position: Vec<f64> = (3..6).map(|at| card.real(at).unwrap()).collect();
            assert_eq!(position, [1.5, -2.0, 0.25]);
        }
    }

    #[test]
    fn numbers_without_a_letter_before_the_exponent() {
        assert_eq!(real("1.5-3"), Some(0.0015));
        assert_eq!(real("-1.5+3"), Some(-1500.0));
        assert_eq!(real("1.5D-3"), Some(0.0015));
        assert_eq!(real("-7."), Some(-7.0));
        for wrong in ["-", "1.5e+", "+-1", "NaN", "1-2-3", ""] {
            assert_eq!(real(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn what_stands_between_cards_is_passed_over() {
        let text = "$ comment\nSOL 103\nTITLE = a, b\nBEGIN BULK\nPARAM,POST,-1\n+,9\nGRID,1\n$\n,,7\nENDDATA\n";
        let mut cards = Vec::new();
        read("a", text, &mut cards).unwrap();
        assert_eq!(cards.len(), 1);
        assert_eq!((cards[0].fields.len(), cards[0].field(10)), (17, "7"));
        assert_eq!(cards[0].fields[10].0, 9);
        let error = read("a", "GRID\t1\n", &mut cards).unwrap_err();
        assert!(
            error.to_string().contains("a: line 1: has a tabulator"),
            "{error}"
        );
    }
}

//! Control plane: input decks of keyword lines and data lines, as Abaqus and CalculiX read them.

use super::text::{Loader, ReadError, quote};
use std::path::{Path, PathBuf};

/// How deep files may include one another.
const MAX_DEPTH: usize = 16;
/// Most files of one deck.
const MAX_FILES: usize = 10_000;

/// A deck: keywords in order, with the texts they came from.
#[derive(Debug, Default)]
pub(super) struct Deck {
    /// Names and texts of the files.
    pub(super) files: Vec<(String, String)>,
    /// Keywords.
    pub(super) cards: Vec<Card>,
}

/// A keyword with its options and the position of its data.
#[derive(Debug)]
pub(super) struct Card {
    /// In capitals, words divided by one blank.
    pub(super) keyword: String,
    /// Names in capitals; values as written.
    options: Vec<(String, String)>,
    file: usize,
    line: usize,
    /// File, first line, bytes.
    data: Vec<(usize, usize, std::ops::Range<usize>)>,
}

/// A data line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row<'a> {
    pub(super) file: &'a str,
    pub(super) line: usize,
    pub(super) text: &'a str,
}

impl<'a> Row<'a> {
    /// An error about this line.
    pub(super) fn error(&self, message: impl Into<String>) -> ReadError {
        ReadError::at(self.file, self.line, message)
    }

    /// The fields between commas; an empty field after the last comma does not count.
    pub(super) fn fields(&self) -> impl Iterator<Item = &'a str> {
        let text = self.text.trim();
        text.strip_suffix(',')
            .unwrap_or(text)
            .split(',')
            .map(str::trim)
    }

    /// Does the entry continue in the next line?
    pub(super) fn continues(&self) -> bool {
        self.text.trim_end().ends_with(',')
    }
}

/// A number that counts nodes or elements.
pub(super) fn identifier(row: &Row<'_>, field: &str, what: &str) -> Result<u64, ReadError> {
    let message = || {
        row.error(format!(
            "{what}: {} is not a whole number above 0",
            quote(field)
        ))
    };
    let value: u64 = field.parse().map_err(|_| message())?;
    if value == 0 {
        return Err(message());
    }
    Ok(value)
}

impl Card {
    /// An option's value; the empty text where it has none.
    pub(super) fn option(&self, name: &str) -> Option<&str> {
        let found = self.options.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }
}

impl Deck {
    /// Reads a deck and the files that it includes.
    pub(super) fn open(path: &Path, load: Loader<'_>) -> Result<Self, ReadError> {
        let mut deck = Self::default();
        deck.read(path, load, 0)?;
        Ok(deck)
    }

    fn read(&mut self, path: &Path, load: Loader<'_>, depth: usize) -> Result<(), ReadError> {
        let name = path.display().to_string();
        if depth > MAX_DEPTH || self.files.len() >= MAX_FILES {
            return Err(ReadError::of(
                &name,
                "files include one another without end",
            ));
        }
        let text = load(path)?;
        let file = self.files.len();
        // The text follows when it is read, so that an included file can be read meanwhile.
        self.files.push((name.clone(), String::new()));
        let mut lines = Lines::new(&text);
        while let Some((line, mut words)) = lines.next_keyword(|first, range| {
            if let Some(card) = self.cards.last_mut() {
                card.data.push((file, first, range));
            }
        }) {
            while words.trim_end().ends_with(',') {
                let Some(more) = lines.next_line() else { break };
                words.push_str(more);
            }
            let card = keyword(&words, file, line);
            if card.keyword == "INCLUDE" {
                let input = card.option("INPUT").filter(|input| !input.is_empty());
                let Some(input) = input else {
                    return Err(ReadError::at(&name, line, "*INCLUDE has no INPUT=FILE"));
                };
                let inner = beside(path, input);
                self.read(&inner, load, depth + 1).map_err(|error| {
                    if !error.place.is_empty() || depth == MAX_DEPTH {
                        return error;
                    }
                    ReadError::at(&name, line, format!("*INCLUDE: {error}"))
                })?;
            } else {
                self.cards.push(card);
            }
        }
        self.files[file].1 = text;
        Ok(())
    }

    /// The data lines of a keyword, without comments and empty lines.
    pub(super) fn rows<'a>(&'a self, card: &'a Card) -> impl Iterator<Item = Row<'a>> {
        card.data.iter().flat_map(move |(file, first, range)| {
            let (name, text) = &self.files[*file];
            let rows = (*first..).zip(text[range.clone()].lines());
            rows.filter(|(_, text)| !is_blank(text))
                .map(move |(line, text)| Row {
                    file: name,
                    line,
                    text,
                })
        })
    }

    /// The comments among the lines of a keyword.
    pub(super) fn comments<'a>(&'a self, card: &'a Card) -> impl Iterator<Item = Row<'a>> {
        card.data.iter().flat_map(move |(file, first, range)| {
            let (name, text) = &self.files[*file];
            let rows = (*first..).zip(text[range.clone()].lines());
            rows.filter_map(move |(line, text)| {
                let text = text.trim_start().strip_prefix("**")?;
                Some(Row {
                    file: name,
                    line,
                    text,
                })
            })
        })
    }

    /// An error about a keyword.
    pub(super) fn error(&self, card: &Card, message: impl Into<String>) -> ReadError {
        ReadError::at(&self.files[card.file].0, card.line, message)
    }
}

/// A path that a file names, seen from that file.
fn beside(file: &Path, name: &str) -> PathBuf {
    file.parent()
        .unwrap_or(Path::new(""))
        .join(name.trim_matches(['"', '\'']))
}

fn is_blank(line: &str) -> bool {
    line.trim().is_empty() || line.trim_start().starts_with("**")
}

/// Lines with their numbers and places.
struct Lines<'a> {
    text: &'a str,
    at: usize,
    line: usize,
}

impl<'a> Lines<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            line: 0,
        }
    }

    fn next_line(&mut self) -> Option<&'a str> {
        let rest = &self.text[self.at..];
        if rest.is_empty() {
            return None;
        }
        let length = rest.find('\n').map_or(rest.len(), |end| end + 1);
        self.at += length;
        self.line += 1;
        Some(&rest[..length])
    }

    /// The next keyword line with its number; the data lines before it go to `data`.
    fn next_keyword(
        &mut self,
        mut data: impl FnMut(usize, std::ops::Range<usize>),
    ) -> Option<(usize, String)> {
        let (first, start) = (self.line + 1, self.at);
        let mut end = start;
        let found = loop {
            let Some(line) = self.next_line() else {
                break None;
            };
            let words = line.trim_start();
            if words.starts_with('*') && !words.starts_with("**") {
                break Some((self.line, words.to_owned()));
            }
            end = self.at;
        };
        if end > start {
            data(first, start..end);
        }
        found
    }
}

/// `*KEYWORD, NAME=value, NAME`
fn keyword(words: &str, file: usize, line: usize) -> Card {
    let mut parts = words.trim().trim_start_matches('*').split(',');
    let capitals = |text: &str| {
        let words: Vec<_> = text.split_whitespace().collect();
        words.join(" ").to_uppercase()
    };
    let keyword = capitals(parts.next().unwrap_or_default());
    let options = parts.filter(|part| !part.trim().is_empty()).map(|part| {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        (capitals(name), value.trim().to_owned())
    });
    Card {
        keyword,
        options: options.collect(),
        file,
        line,
        data: Vec::new(),
    }
}

#[cfg(test)]
pub(super) mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    /// A deck of texts by name; the first is the main one.
    pub(in super::super) fn deck(files: &[(&str, &str)]) -> Result<Deck, ReadError> {
        Deck::open(Path::new(files[0].0), &|path: &Path| {
            let found = files.iter().find(|(name, _)| Path::new(name) == path);
            let missing = || ReadError::of(&path.display().to_string(), "no such file");
            found
                .map(|(_, text)| (*text).to_owned())
                .ok_or_else(missing)
        })
    }

    #[test]
    fn keywords_options_and_data() {
        let text = "** title\n*Node , nset = All,\n SYSTEM=R\n1, 0, 0\n** between\n\n2,1.,0.\n*End  Step\n";
        let deck = deck(&[("a.inp", text)]).unwrap();
        assert_eq!(deck.cards.len(), 2);
        let node = &deck.cards[0];
        assert_eq!(
            (node.keyword.as_str(), node.option("NSET")),
            ("NODE", Some("All"))
        );
        assert_eq!((node.option("SYSTEM"), node.option("X")), (Some("R"), None));
        let rows: Vec<_> = deck.rows(node).map(|row| (row.line, row.text)).collect();
        assert_eq!(rows, [(4, "1, 0, 0"), (7, "2,1.,0.")]);
        let comments: Vec<_> = deck.comments(node).map(|row| row.text).collect();
        assert_eq!(comments, [" between"]);
        assert_eq!(deck.cards[1].keyword, "END STEP");
    }

    #[test]
    fn included_data_belong_to_the_keyword_before() {
        let main = "*NODE\n*INCLUDE, INPUT=sub/b.inp\n*STEP\n";
        let deck = deck(&[
            ("m/a.inp", main),
            ("m/sub/b.inp", "1,0,0,0\n*NSET,NSET=A\n1\n"),
        ])
        .unwrap();
        let rows: Vec<_> = deck
            .rows(&deck.cards[0])
            .map(|row| (row.file, row.line))
            .collect();
        assert_eq!(rows, [("m/sub/b.inp", 1)]);
        assert_eq!(deck.rows(&deck.cards[1]).count(), 1);
    }

    #[test]
    fn inclusions_that_fail_name_the_line() {
        let error = deck(&[("a.inp", "\n*INCLUDE, INPUT=b.inp\n")]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "a.inp: line 2: *INCLUDE: b.inp: no such file"
        );
        let error = deck(&[("a.inp", "*INCLUDE\n")]).unwrap_err();
        assert!(error.to_string().contains("INPUT=FILE"), "{error}");
        let error = deck(&[("a.inp", "*INCLUDE, INPUT=a.inp\n")]).unwrap_err();
        assert!(error.to_string().contains("without end"), "{error}");
    }
}

//! Control plane: writes a table as Parquet, without compression: one group of rows, one page for each column.
//!
//! The crates that write Parquet bring hundreds of thousands of lines; what a table of required columns needs are these. The
//! format is that of apache/parquet-format; its headers are in Thrift's compact protocol.

/// A column.
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// Numbers.
    Reals(Vec<f64>),
    /// Whole numbers.
    Wholes(Vec<i64>),
    /// Texts.
    Texts(Vec<String>),
}

const MAGIC: &[u8] = b"PAR1";
/// Types of values in Parquet.
const INT64: i64 = 2;
const DOUBLE: i64 = 5;
const BYTE_ARRAY: i64 = 6;
/// Values stand one behind the other.
const PLAIN: i64 = 0;
/// How levels would be written, if columns had any.
const RLE: i64 = 3;

/// Types of fields in Thrift's compact protocol.
const I32: u8 = 5;
const I64: u8 = 6;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const STRUCT: u8 = 12;

impl Column {
    const fn kind(&self) -> i64 {
        match self {
            Self::Reals(_) => DOUBLE,
            Self::Wholes(_) => INT64,
            Self::Texts(_) => BYTE_ARRAY,
        }
    }

    fn plain(&self) -> Vec<u8> {
        match self {
            Self::Reals(all) => all.iter().flat_map(|x| x.to_le_bytes()).collect(),
            Self::Wholes(all) => all.iter().flat_map(|x| x.to_le_bytes()).collect(),
            Self::Texts(all) => {
                let mut bytes = Vec::new();
                for text in all {
                    bytes.extend((text.len() as u32).to_le_bytes());
                    bytes.extend(text.as_bytes());
                }
                bytes
            }
        }
    }
}

/// A structure being written.
#[derive(Default)]
struct Thrift {
    bytes: Vec<u8>,
    last: u8,
}

impl Thrift {
    fn varint(&mut self, mut value: u64) {
        while value >= 128 {
            self.bytes.push(value as u8 | 128);
            value >>= 7;
        }
        self.bytes.push(value as u8);
    }

    /// The head of a field; fields come in the order of their numbers.
    fn field(&mut self, number: u8, kind: u8) {
        self.bytes.push((number - self.last) << 4 | kind);
        self.last = number;
    }

    fn whole(&mut self, number: u8, kind: u8, value: i64) -> &mut Self {
        self.field(number, kind);
        self.zigzag(value);
        self
    }

    fn zigzag(&mut self, value: i64) {
        self.varint((value << 1 ^ value >> 63) as u64);
    }

    fn binary(&mut self, text: &str) {
        self.varint(text.len() as u64);
        self.bytes.extend(text.as_bytes());
    }

    fn text(&mut self, number: u8, text: &str) -> &mut Self {
        self.field(number, BINARY);
        self.binary(text);
        self
    }

    fn inner(&mut self, number: u8, value: Self) -> &mut Self {
        self.field(number, STRUCT);
        self.bytes.extend(value.end());
        self
    }

    fn list(&mut self, number: u8, kind: u8, length: usize) {
        self.field(number, LIST);
        if length < 15 {
            self.bytes.push((length as u8) << 4 | kind);
        } else {
            self.bytes.push(15 << 4 | kind);
            self.varint(length as u64);
        }
    }

    fn end(mut self) -> Vec<u8> {
        self.bytes.push(0);
        self.bytes
    }
}

/// The file of a table.
pub fn file(rows: usize, columns: &[(String, Column)]) -> Vec<u8> {
    let mut out = MAGIC.to_vec();
    let mut chunks = Vec::new();
    for (name, column) in columns {
        let offset = out.len();
        let data = column.plain();
        let mut page = Thrift::default();
        let mut head = Thrift::default();
        head.whole(1, I32, rows as i64)
            .whole(2, I32, PLAIN)
            .whole(3, I32, RLE)
            .whole(4, I32, RLE);
        let size = data.len() as i64;
        page.whole(1, I32, 0)
            .whole(2, I32, size)
            .whole(3, I32, size)
            .inner(5, head);
        out.extend(page.end());
        out.extend(data);
        chunks.push(chunk((name, column), rows, (offset, out.len() - offset)));
    }
    let total = out.len() - MAGIC.len();
    let mut group = Thrift::default();
    group.list(1, STRUCT, chunks.len());
    for chunk in chunks {
        group.bytes.extend(chunk);
    }
    group.whole(2, I64, total as i64).whole(3, I64, rows as i64);
    let mut footer = Thrift::default();
    footer.whole(1, I32, 1);
    footer.list(2, STRUCT, columns.len() + 1);
    let mut root = Thrift::default();
    root.text(4, "table").whole(5, I32, columns.len() as i64);
    footer.bytes.extend(root.end());
    for (name, column) in columns {
        let mut element = Thrift::default();
        element
            .whole(1, I32, column.kind())
            .whole(3, I32, 0)
            .text(4, name);
        if column.kind() == BYTE_ARRAY {
            element.whole(6, I32, 0);
        }
        footer.bytes.extend(element.end());
    }
    footer.whole(3, I64, rows as i64);
    footer.list(4, STRUCT, 1);
    footer.bytes.extend(group.end());
    footer.text(6, "fixstep");
    let footer = footer.end();
    out.extend(&footer);
    out.extend((footer.len() as u32).to_le_bytes());
    out.extend(MAGIC);
    out
}

/// What the footer says of a column.
fn chunk((name, column): (&str, &Column), rows: usize, (offset, size): (usize, usize)) -> Vec<u8> {
    let mut data = Thrift::default();
    data.whole(1, I32, column.kind());
    data.list(2, I32, 1);
    data.zigzag(PLAIN);
    data.list(3, BINARY, 1);
    data.binary(name);
    data.whole(4, I32, 0).whole(5, I64, rows as i64);
    data.whole(6, I64, size as i64)
        .whole(7, I64, size as i64)
        .whole(9, I64, offset as i64);
    let mut chunk = Thrift::default();
    chunk.whole(2, I64, offset as i64).inner(3, data);
    chunk.end()
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;

    #[test]
    fn a_file_has_the_bytes_that_readers_know() {
        // Read by pyarrow 26 as {"x": [1.5], "t": ["ab"]} when it was recorded.
        let columns = [
            ("x".to_owned(), Column::Reals(vec![1.5])),
            ("t".to_owned(), Column::Texts(vec!["ab".to_owned()])),
        ];
        let mut hex = String::new();
        for byte in file(1, &columns) {
            let _ = write!(hex, "{byte:02x}");
        }
        assert_eq!(hex, RECORDED);
    }

    const RECORDED: &str = "504152311500151015102c15021500150615060000000000000000f83f1500150c150c2c1502150015061506000002000000\
        61621502193c48057461626c65150400150a250018017800150c25001801742500001602191c192c26081c150a1915001918\
        0178150016021632163226080000263a1c150c1915001918017415001602162e162e263a0000166016020028076669787374\
        6570006500000050415231";
}

//! Writes files of MATLAB 5: arrays of doubles, texts and cells, not compressed.

use super::Export;
use faer::Mat;

/// Types of data elements.
const INT8: u32 = 1;
const INT32: u32 = 5;
const UINT32: u32 = 6;
const DOUBLE: u32 = 9;
const MATRIX: u32 = 14;
const UTF8: u32 = 16;

/// Classes of arrays.
const CELL: u32 = 1;
const CHAR: u32 = 4;
const REAL: u32 = 6;

impl Export<'_> {
    /// The file.
    pub(super) fn mat(&self) -> Vec<u8> {
        let mut all = header();
        for (name, of) in self.matrices() {
            all.extend(matrix(name, &of));
        }
        for (name, list) in self.labels() {
            all.extend(cells(name, &list));
        }
        for (name, list) in self.levels() {
            all.extend(matrix(name, &Mat::from_fn(list.len(), 1, |r, _| list[r])));
        }
        let scalar = |name: &str, x: f64| matrix(name, &Mat::from_fn(1, 1, |_, _| x));
        all.extend(scalar("time", self.point.time));
        all.extend(scalar("positions", self.form.positions as f64));
        all.extend(text("model", self.name));
        all
    }
}

/// Header: 116 bytes of text, 8 bytes of an unused offset, version and byte order.
fn header() -> Vec<u8> {
    let mut all = b"MATLAB 5.0 MAT-file, written by fixstep".to_vec();
    all.resize(116, b' ');
    all.extend([0; 8]);
    all.extend(0x0100_u16.to_le_bytes());
    all.extend(b"IM");
    all
}

/// A data element, padded to eight bytes.
fn element(kind: u32, data: &[u8]) -> Vec<u8> {
    let mut all = kind.to_le_bytes().to_vec();
    all.extend(size(data.len()).to_le_bytes());
    all.extend(data);
    all.resize(all.len().next_multiple_of(8), 0);
    all
}

/// A length as 32 bits; a file with more bytes does not fit into the memory limits anyway.
fn size(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

/// An array of a class: flags, sizes, name, content.
fn array(name: &str, class: u32, (rows, columns): (usize, usize), content: &[u8]) -> Vec<u8> {
    let mut flags = class.to_le_bytes().to_vec();
    flags.extend([0; 4]);
    let mut sizes = size(rows).to_le_bytes().to_vec();
    sizes.extend(size(columns).to_le_bytes());
    let mut all = element(UINT32, &flags);
    all.extend(element(INT32, &sizes));
    all.extend(element(INT8, name.as_bytes()));
    all.extend(content);
    element(MATRIX, &all)
}

/// An array of doubles, by columns.
fn matrix(name: &str, of: &Mat<f64>) -> Vec<u8> {
    let columns = of.col_iter();
    let values = columns.flat_map(|column| column.iter().copied().collect::<Vec<f64>>());
    let data: Vec<u8> = values.flat_map(f64::to_le_bytes).collect();
    let content = element(DOUBLE, &data);
    array(name, REAL, (of.nrows(), of.ncols()), &content)
}

/// A text in UTF-8; its length is in units of UTF-16, as MATLAB counts.
fn text(name: &str, text: &str) -> Vec<u8> {
    let length = text.encode_utf16().count();
    let sizes = (usize::from(length > 0), length);
    array(name, CHAR, sizes, &element(UTF8, text.as_bytes()))
}

/// A cell array of texts, as a column.
fn cells(name: &str, list: &[&str]) -> Vec<u8> {
    let content: Vec<u8> = list.iter().flat_map(|each| text("", each)).collect();
    array(name, CELL, (list.len(), 1), &content)
}

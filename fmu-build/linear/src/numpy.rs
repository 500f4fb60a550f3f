//! Control plane: archives of NumPy: arrays of version 1.0 in a Zip archive without compression.

use std::io::{Cursor, Write as _};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

/// Headers and data begin at multiples of this.
const ALIGNED: usize = 64;

/// An `.npz` of arrays with names; why it cannot be made.
pub fn archive<N: AsRef<str>>(
    arrays: impl IntoIterator<Item = (N, Vec<u8>)>,
) -> Result<Vec<u8>, String> {
    let fail = |error: zip::result::ZipError| error.to_string();
    let options = SimpleFileOptions::default()
        .last_modified_time(DateTime::default())
        .unix_permissions(0o644)
        .compression_method(CompressionMethod::Stored);
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in arrays {
        zip.start_file(format!("{}.npy", name.as_ref()), options)
            .map_err(fail)?;
        zip.write_all(&bytes).map_err(|error| error.to_string())?;
    }
    Ok(zip.finish().map_err(fail)?.into_inner())
}

/// An array: magic, version, length of the header, header, data.
fn array(kind: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let mut header =
        format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}").into_bytes();
    let before = 10;
    let whole = (before + header.len() + 1).next_multiple_of(ALIGNED);
    header.resize(whole - before - 1, b' ');
    header.push(b'\n');
    let mut all = b"\x93NUMPY\x01\x00".to_vec();
    // Names of types and shapes are short, so two bytes are enough for the length.
    all.extend(
        u16::try_from(header.len())
            .unwrap_or(u16::MAX)
            .to_le_bytes(),
    );
    all.extend(header);
    all.extend(data);
    all
}

/// Numbers; the shape as Python writes it: `(3,)`.
pub fn reals(shape: &str, values: &[f64]) -> Vec<u8> {
    let data: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
    array("<f8", shape, &data)
}

/// Texts in UCS-4, padded to the length of the longest.
pub fn texts<T: AsRef<str>>(list: &[T]) -> Vec<u8> {
    let lengths = list.iter().map(|text| text.as_ref().chars().count());
    let width = lengths.max().unwrap_or(0).max(1);
    let mut data = Vec::new();
    for text in list {
        let padded = text
            .as_ref()
            .chars()
            .chain(std::iter::repeat('\0'))
            .take(width);
        data.extend(padded.flat_map(|c| u32::from(c).to_le_bytes()));
    }
    array(&format!("<U{width}"), &format!("({},)", list.len()), &data)
}

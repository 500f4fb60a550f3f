//! Control plane: the file of a mechanism, as an FMU carries it.
//!
//! ```text
//! bytes 0–7     FIXSTEP\n
//! bytes 8–11    version of the format
//! bytes 12–15   number of sections n
//! bytes 16–31   hash of all bytes after the head: what the mechanism is
//! bytes 32–39   checksum of the rest of the head
//! then          n × 16 bytes: kind (4), zero (4), length (8) of a section
//! then          the sections, each padded with zeros to a multiple of 8
//! ```
//! Numbers are little-endian. The head ends where the first section begins; its checksum covers all of it except the
//! checksum itself. The first section is the mechanism, in the encoding of the crate `postcard`. Then come its large
//! data, each stored once; elements refer to them by number ([`super::encode`]). The table of variables is last.
//!
//! A file that this module accepts is well formed, but its mechanism need not be valid:
//! [`fixstep_kernel::mechanism::check`] checks that.

use super::encode;
use super::limits::LARGE_DATA;
use super::section::{Fault, Kind};
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use fixstep_kernel::fingerprint::Fingerprint;
use fixstep_kernel::mechanism::{Mechanism, SETTINGS};

/// The first bytes of every file.
const MAGIC: &[u8; 8] = b"FIXSTEP\n";
/// The version of the format that is written, and the one that is read.
pub const FORMAT: u32 = 6 + (SETTINGS.len() - SETTINGS_OF_4) as u32;
/// Settings that files of version 4 have. One more is another type of the file, so it counts by itself.
const SETTINGS_OF_4: usize = 21;
/// Bytes of the head before the list of sections.
const HEAD: usize = 40;
/// Bytes of an entry of the list.
const ENTRY: usize = 16;
/// Where the checksum stands.
const CHECKSUM: core::ops::Range<usize> = 32..40;

/// The sections of a file, as slices of its bytes.
type Sections<'a> = Vec<(Kind, &'a [u8])>;

/// The contents of a file.
#[derive(Debug)]
pub struct Contents<'a> {
    /// The mechanism, unchecked.
    pub mechanism: Mechanism,
    /// The hash of the file, in 32 hexadecimal digits.
    pub hash: String,
    sections: Sections<'a>,
}

impl<'a> Contents<'a> {
    /// The first section of a kind.
    pub fn section(&self, kind: Kind) -> Option<&'a [u8]> {
        let found = self.sections.iter().find(|(of, _)| *of == kind);
        found.map(|(_, bytes)| *bytes)
    }
}

/// Writes a file with the mechanism and other sections.
pub fn write(mechanism: &Mechanism, beside: &[(Kind, Vec<u8>)]) -> Result<Vec<u8>, Fault> {
    let mut sections = encode::sections(mechanism)?;
    sections.extend_from_slice(beside);
    Ok(assemble(&sections))
}

/// Head, list and sections.
fn assemble(sections: &[(Kind, Vec<u8>)]) -> Vec<u8> {
    let mut body = Vec::new();
    for (_, bytes) in sections {
        body.extend_from_slice(bytes);
        body.resize(body.len().next_multiple_of(8), 0);
    }
    let mut file = Vec::with_capacity(HEAD + ENTRY * sections.len() + body.len());
    file.extend_from_slice(MAGIC);
    file.extend_from_slice(&FORMAT.to_le_bytes());
    file.extend_from_slice(&(sections.len() as u32).to_le_bytes());
    file.extend_from_slice(&[0; 24]);
    for (kind, bytes) in sections {
        file.extend_from_slice(&kind.0.to_le_bytes());
        file.extend_from_slice(&[0; 4]);
        file.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
    }
    file.extend_from_slice(&body);
    seal(&mut file);
    file
}

/// Recomputes hash and checksum of a file. Only a writer does this, or a test that alters a file for a reader.
pub fn seal(file: &mut [u8]) {
    let count = number(file, 12, 4).unwrap_or_default() as usize;
    let head = count
        .saturating_mul(ENTRY)
        .saturating_add(HEAD)
        .min(file.len());
    if head < HEAD {
        return;
    }
    let hash = hash(&file[head..]);
    file[16..32].copy_from_slice(&hash);
    let sum = checksum(&file[..head]);
    file[CHECKSUM].copy_from_slice(&sum);
}

/// The hash of everything after the head; it includes the version of the format.
fn hash(body: &[u8]) -> [u8; 16] {
    let mut print = Fingerprint::default();
    print.number(u64::from(FORMAT));
    print.words(body);
    print.value().to_le_bytes()
}

/// The checksum of a head, without the bytes of the checksum itself.
fn checksum(head: &[u8]) -> [u8; 8] {
    let mut print = Fingerprint::default();
    print.words(&head[..CHECKSUM.start]);
    print.words(&head[CHECKSUM.end..]);
    (print.value() as u64).to_le_bytes()
}

/// Reads a file without copying its sections.
pub fn read(file: &[u8]) -> Result<Contents<'_>, Fault> {
    let (sections, hash) = split(file)?;
    let mechanism = encode::mechanism(&sections)?;
    Ok(Contents {
        mechanism,
        hash,
        sections,
    })
}

/// The hash of a complete file, in 32 hexadecimal digits.
pub fn hash_of(file: &[u8]) -> Result<String, Fault> {
    split(file).map(|(_, hash)| hash)
}

/// Does a file claim to be one of a mechanism?
pub fn is_mechanism(file: &[u8]) -> bool {
    file.starts_with(MAGIC)
}

/// The sections of a complete file, and its hash.
fn split(file: &[u8]) -> Result<(Sections<'_>, String), Fault> {
    if !is_mechanism(file) {
        let message = "the first bytes are not FIXSTEP and a line feed: this is not a mechanism";
        return Err(Fault(message.to_owned()));
    }
    let (Some(format), Some(count)) = (number(file, 8, 4), number(file, 12, 4)) else {
        return Err(cut(file));
    };
    if format != u64::from(FORMAT) {
        return Err(Fault(format!(
            "the format has version {format}, and this program reads version {FORMAT}; build the FMU again, or use \
             the program that it was built with"
        )));
    }
    let count = count as usize;
    // Plus the sections of the mechanism and of the table.
    let most = LARGE_DATA + 2;
    if count > most {
        return Err(Fault(format!("{count} sections; valid: at most {most}")));
    }
    let (Some(head), Some(body)) = (
        file.get(..HEAD + ENTRY * count),
        file.get(HEAD + ENTRY * count..),
    ) else {
        return Err(cut(file));
    };
    if head[CHECKSUM] != checksum(head) {
        return Err(Fault(
            "the checksum of its head is another than the head says: the file was changed"
                .to_owned(),
        ));
    }
    let mut sections = Vec::with_capacity(count);
    let mut rest = body;
    for k in 0..count {
        let entry = &head[HEAD + ENTRY * k..][..ENTRY];
        let kind = Kind(number(entry, 0, 4).unwrap_or_default() as u32);
        let length = number(entry, 8, 8).unwrap_or_default();
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        let padded = length.checked_next_multiple_of(8).unwrap_or(usize::MAX);
        let Some((section, after)) = rest.split_at_checked(padded) else {
            return Err(cut(file));
        };
        sections.push((kind, &section[..length]));
        rest = after;
    }
    if !rest.is_empty() {
        let message = format!("{} bytes follow the last section", rest.len());
        return Err(Fault(message));
    }
    let found = hash(body);
    if head[16..32] != found {
        let message = "its hash is another than the head says: the file was changed";
        return Err(Fault(message.to_owned()));
    }
    Ok((sections, format!("{:032x}", u128::from_le_bytes(found))))
}

/// A little-endian number with this many bytes.
fn number(bytes: &[u8], at: usize, width: usize) -> Option<u64> {
    let bytes = bytes.get(at..at + width)?;
    let low_first = bytes.iter().rev();
    Some(low_first.fold(0, |value, byte| value << 8 | u64::from(*byte)))
}

fn cut(file: &[u8]) -> Fault {
    Fault(format!(
        "the file is cut short: it ends after {} bytes",
        file.len()
    ))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use alloc::vec;

    #[test]
    fn as_many_sections_are_read_as_may_be_written() {
        let most = LARGE_DATA + 2;
        let sections = |count| vec![(Kind::CURVE, vec![1, 2, 3]); count];
        let file = assemble(&sections(most));
        assert_eq!(split(&file).unwrap().0.len(), most);
        let fault = split(&assemble(&sections(most + 1))).unwrap_err();
        assert!(fault.0.contains("at most 100002"), "{fault}");
    }

    #[test]
    fn a_section_stands_as_it_was_written() {
        let sections = [
            (Kind::MESH, vec![7; 13]),
            (Kind::VARIABLES, vec![]),
            (Kind(9), vec![1; 8]),
        ];
        let file = assemble(&sections);
        let (found, hash) = split(&file).unwrap();
        let expected = sections
            .iter()
            .map(|(kind, bytes)| (*kind, bytes.as_slice()));
        assert!(found.into_iter().eq(expected));
        assert_eq!(hash.len(), 32);
    }
}

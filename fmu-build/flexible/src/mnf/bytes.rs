//! Control plane: reads big-endian numbers of a file one after another; errors give the offset.

use crate::read::ReadError;

/// The reading position.
pub(super) struct Cursor<'a> {
    pub(super) file: &'a str,
    pub(super) bytes: &'a [u8],
    pub(super) at: usize,
}

impl<'a> Cursor<'a> {
    /// An error about the bytes at an offset.
    pub(super) fn error(&self, at: usize, message: impl Into<String>) -> ReadError {
        ReadError {
            file: self.file.to_owned(),
            place: format!("byte {at} (0x{at:x}): "),
            message: message.into(),
        }
    }

    /// The next bytes.
    fn take(&mut self, count: usize, what: &str) -> Result<&'a [u8], ReadError> {
        let end = self.at.checked_add(count);
        let Some(bytes) = end.and_then(|end| self.bytes.get(self.at..end)) else {
            let message = format!("{what}: the file ends after {} bytes", self.bytes.len());
            return Err(self.error(self.at, message));
        };
        self.at += count;
        Ok(bytes)
    }

    /// A whole number.
    pub(super) fn int(&mut self, what: &str) -> Result<i32, ReadError> {
        let mut four = [0; 4];
        four.copy_from_slice(self.take(4, what)?);
        Ok(i32::from_be_bytes(four))
    }

    /// A finite number.
    pub(super) fn real(&mut self, what: &str) -> Result<f64, ReadError> {
        let at = self.at;
        let mut eight = [0; 8];
        eight.copy_from_slice(self.take(8, what)?);
        let value = f64::from_be_bytes(eight);
        if value.is_finite() {
            Ok(value)
        } else {
            Err(self.error(at, format!("{what}: {value} is not finite")))
        }
    }

    /// Finite numbers.
    pub(super) fn reals<const N: usize>(&mut self, what: &str) -> Result<[f64; N], ReadError> {
        let mut values = [0.0; N];
        for value in &mut values {
            *value = self.real(what)?;
        }
        Ok(values)
    }

    /// The number of entries that follow; entries of this size must fit into the rest of the file.
    pub(super) fn count(&mut self, what: &str, size: usize) -> Result<usize, ReadError> {
        let at = self.at;
        let count = self.int(what)?;
        let left = self.bytes.len() - self.at;
        match usize::try_from(count) {
            Ok(count) if count.saturating_mul(size) <= left => Ok(count),
            _ => {
                let message =
                    format!("{what}: {count} entries of {size} bytes; {left} bytes follow");
                Err(self.error(at, message))
            }
        }
    }

    /// A count that is known.
    pub(super) fn same(&mut self, what: &str, expected: usize) -> Result<(), ReadError> {
        let at = self.at;
        let count = self.int(what)?;
        if usize::try_from(count) == Ok(expected) {
            return Ok(());
        }
        Err(self.error(at, format!("{what}: {count}; valid: {expected}")))
    }

    /// An index below this limit, counted from 0.
    pub(super) fn place(&mut self, what: &str, count: usize) -> Result<usize, ReadError> {
        let at = self.at;
        let index = self.int(what)?;
        let place = usize::try_from(index).ok().filter(|place| *place < count);
        place.ok_or_else(|| {
            self.error(
                at,
                format!("{what}: {index}; valid: 0 to {}", count.saturating_sub(1)),
            )
        })
    }

    /// Text that ends with a zero, in a field from one offset to another.
    pub(super) fn text(&self, from: usize, to: usize) -> String {
        let field = self.bytes.get(from..to).unwrap_or_default();
        let field = field.split(|byte| *byte == 0).next().unwrap_or_default();
        let text = field.iter().map(|byte| char::from(*byte));
        let text: String = text.filter(|c| !c.is_control()).collect();
        text.trim().to_owned()
    }
}

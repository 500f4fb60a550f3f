//! Control plane: makes serde skip large data that several elements may share. A file stores each of them once,
//! separate from the mechanism ([`crate::mechanism::large`]); a mechanism that was read has placeholders until the
//! data are inserted.

use alloc::sync::Arc;
use alloc::vec::Vec;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Writes nothing.
pub fn serialize<T, S: Serializer>(_: &Arc<T>, serializer: S) -> Result<S::Ok, S::Error> {
    ().serialize(serializer)
}

/// Reads nothing: creates a placeholder.
pub fn deserialize<'de, T: Default, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Arc<T>, D::Error> {
    <()>::deserialize(deserializer)?;
    Ok(Arc::default())
}

/// The same for a list. Its length is written as that many bytes, so that a short file cannot claim a long list.
pub mod list {
    use super::{Arc, Deserialize, Deserializer, Serializer, Vec};
    use core::iter::repeat_n;

    /// Writes a byte for each.
    pub fn serialize<T, S: Serializer>(all: &[Arc<T>], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(repeat_n(0_u8, all.len()))
    }

    /// Reads as many placeholders as there are bytes.
    pub fn deserialize<'de, T: Default, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<Arc<T>>, D::Error> {
        let bytes = Vec::<u8>::deserialize(deserializer)?;
        Ok(bytes.iter().map(|_| Arc::default()).collect())
    }
}

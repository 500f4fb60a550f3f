//! Control plane: how serde passes over large data that several elements may share. A file holds each of them once,
//! apart from the mechanism ([`crate::mechanism::large`]); where the mechanism is read, a placeholder stands until they are put in.

use alloc::sync::Arc;
use alloc::vec::Vec;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Writes nothing.
pub fn serialize<T, S: Serializer>(_: &Arc<T>, serializer: S) -> Result<S::Ok, S::Error> {
    ().serialize(serializer)
}

/// Reads nothing: a placeholder.
pub fn deserialize<'de, T: Default, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Arc<T>, D::Error> {
    <()>::deserialize(deserializer)?;
    Ok(Arc::default())
}

/// The same for a list of them: how many there are is written as so many bytes, so that a short file cannot ask for
/// a long list.
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

//! Control plane: the file in the resources of an FMU: a mechanism and its table of variables ([`container`]). The
//! hash of the file is the instantiation token, which binds description, file and library together.

mod check;
pub mod container;
mod encode;
pub mod limits;
pub mod section;

use crate::VariableTable;
use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;
use check::check;
use fixstep_kernel::mechanism::Mechanism;
use limits::{PACKED_BYTES, PLAIN_BYTES};
use section::{Fault, Kind};

/// Name of the file in the resources.
pub const MECHANISM_FILE: &str = "mechanism.bin";

const TABLE: &str = "the table of variables";

/// The data that all instances of an FMU share.
#[derive(Clone, Debug)]
pub struct Blueprint {
    /// The mechanism.
    pub mechanism: Mechanism,
    /// Its variables.
    pub table: VariableTable,
    /// Token that the model description must carry.
    pub token: String,
}

/// A file, and the token of what is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packed {
    /// The file.
    pub bytes: Vec<u8>,
    /// The instantiation token.
    pub token: String,
}

/// The file of a mechanism with its table: the same bytes for the same data, on every machine.
pub fn pack(mechanism: &Mechanism, table: &VariableTable) -> Result<Packed, Fault> {
    let variables = encode::to_bytes(table)?;
    section::bounded(TABLE, &variables, PLAIN_BYTES)?;
    let bytes = container::write(mechanism, &[(Kind::VARIABLES, variables)])?;
    section::bounded("the file of the mechanism", &bytes, PACKED_BYTES)?;
    let token = token(&container::hash_of(&bytes)?);
    Ok(Packed { bytes, token })
}

impl Blueprint {
    /// Reads a file. The mechanism is checked when it is compiled.
    pub fn read(bytes: &[u8]) -> Result<Self, Fault> {
        let contents = container::read(bytes)?;
        let Some(section) = contents.section(Kind::VARIABLES) else {
            return Err(Fault("there is no table of variables".to_owned()));
        };
        let section = section::bounded(TABLE, section, PLAIN_BYTES)?;
        let table: VariableTable = encode::from_bytes(TABLE, section)?;
        check(&table, &contents.mechanism)?;
        Ok(Self {
            mechanism: contents.mechanism,
            table,
            token: token(&contents.hash),
        })
    }
}

/// A hash of 32 hexadecimal digits in the form that FMI requires: `{xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx}`.
fn token(hash: &str) -> String {
    let mut token = String::from("{");
    for (at, digit) in hash.chars().enumerate() {
        if matches!(at, 8 | 12 | 16 | 20) {
            token.push('-');
        }
        token.push(digit);
    }
    token.push('}');
    token
}

//! Control plane: reads the mechanism, its variable table and its token from the FMU's resources.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

use fixstep_variables::file::Blueprint;
use fixstep_variables::file::MECHANISM_FILE;
use fixstep_variables::file::limits::PACKED_BYTES;
use fixstep_variables::file::section::Fault;

/// The file in older FMUs, without a file of the mechanism.
const FORMER_FILE: &str = "model.json";

/// Why no mechanism could be loaded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoMechanism {
    /// There is no folder to look in.
    #[error(
        "no {MECHANISM_FILE}: the importer gave no resource location, and the library's own location is unknown"
    )]
    NoFolder,
    /// No folder has the file: places and reasons, a line each.
    #[error("no {MECHANISM_FILE} in the FMU's resources; looked for{0}")]
    Missing(String),
    /// The file is no mechanism.
    #[error("{} cannot be used: {fault}", path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        fault: Fault,
    },
}

/// The token of the importer is not that of the file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the model description carries the token \"{given}\", but the mechanism in the resources has \"{own}\": \
     modelDescription.xml, the files in resources and the shared library do not belong together; build the FMU again"
)]
pub struct ForeignToken {
    /// The token of the model description.
    pub given: String,
    /// The token of the file.
    pub own: String,
}

/// Loads the first of the folders that holds a mechanism.
pub fn load(folders: &[PathBuf]) -> Result<Box<Blueprint>, NoMechanism> {
    let mut missing = String::new();
    for folder in folders {
        let path = folder.join(MECHANISM_FILE);
        match bytes(&path) {
            Ok(bytes) => return read(&bytes, &path),
            Err(reason) => {
                let _ = write!(missing, "\n  {}: {reason}", path.display());
            }
        }
        if folder.join(FORMER_FILE).is_file() {
            let _ = write!(
                missing,
                "\n  {FORMER_FILE} is there: the FMU was built for an earlier library; build it again from that model"
            );
        }
    }
    Err(match folders {
        [] => NoMechanism::NoFolder,
        _ => NoMechanism::Missing(missing),
    })
}

/// Never inlined: its stack is released before anything is built from the result.
#[inline(never)]
fn read(bytes: &[u8], path: &Path) -> Result<Box<Blueprint>, NoMechanism> {
    let fault = |fault| NoMechanism::Unusable {
        path: path.to_owned(),
        fault,
    };
    Blueprint::read(bytes).map(Box::new).map_err(fault)
}

/// The bytes of a regular file. Other files are not opened: a pipe might never be written to.
fn bytes(path: &Path) -> Result<Vec<u8>, io::Error> {
    let data = fs::metadata(path)?;
    if !data.is_file() {
        return Err(io::Error::new(ErrorKind::InvalidInput, "is not a file"));
    }
    let size = data.len();
    if size > PACKED_BYTES as u64 {
        let message = format!("the file has {size} bytes; valid: at most {PACKED_BYTES}");
        return Err(io::Error::new(ErrorKind::FileTooLarge, message));
    }
    let mut bytes = Vec::with_capacity(size as usize);
    File::open(path)?
        .take(PACKED_BYTES as u64)
        .read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Compares the importer's token with that of the file; the refusal shows both.
pub fn check_token(blueprint: &Blueprint, token: &str) -> Result<(), ForeignToken> {
    if token == blueprint.token {
        return Ok(());
    }
    Err(ForeignToken {
        given: token.to_owned(),
        own: blueprint.token.clone(),
    })
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::instance::testing;

    #[test]
    fn every_folder_that_was_tried_is_named() {
        let message = load(&["/nowhere/a".into(), "/nowhere/b".into()])
            .unwrap_err()
            .to_string();
        assert!(message.contains("/nowhere/a/mechanism.bin"), "{message}");
        assert!(message.contains("/nowhere/b/mechanism.bin"), "{message}");
        assert!(
            load(&[])
                .unwrap_err()
                .to_string()
                .contains("no resource location")
        );
    }

    #[test]
    fn a_foreign_token_is_shown_with_the_own_one() {
        let blueprint = testing::blueprint();
        let own = blueprint.token.clone();
        assert_eq!(check_token(&blueprint, &own), Ok(()));
        let message = check_token(&blueprint, "{foreign}")
            .unwrap_err()
            .to_string();
        assert!(message.contains("\"{foreign}\"") && message.contains(&own));
    }
}

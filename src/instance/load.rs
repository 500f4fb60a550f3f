//! Control plane: reads the mechanism, its variable table and its token from the FMU's resources.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

use fixstep_variables::file::Blueprint;
use fixstep_variables::file::MECHANISM_FILE;
use fixstep_variables::file::limits::PACKED_BYTES;

/// The file in older FMUs, without a file of the mechanism.
const FORMER_FILE: &str = "model.json";

/// Loads the first of the folders that holds a mechanism.
pub fn load(folders: &[PathBuf]) -> Result<Box<Blueprint>, String> {
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
        [] => format!(
            "no {MECHANISM_FILE}: the importer gave no resource location, and the library's own \
             location is unknown"
        ),
        _ => format!("no {MECHANISM_FILE} in the FMU's resources; looked for{missing}"),
    })
}

/// Never inlined: its stack is released before anything is built from the result.
#[inline(never)]
fn read(bytes: &[u8], path: &Path) -> Result<Box<Blueprint>, String> {
    let fault = |fault| format!("{} cannot be used: {fault}", path.display());
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
pub fn check_token(blueprint: &Blueprint, token: &str) -> Result<(), String> {
    if token == blueprint.token {
        return Ok(());
    }
    Err(format!(
        "the model description carries the token \"{token}\", but the mechanism in the resources \
         has \"{}\": modelDescription.xml, the files in resources and the shared library do not \
         belong together; build the FMU again",
        blueprint.token
    ))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::instance::testing;

    #[test]
    fn every_folder_that_was_tried_is_named() {
        let message = load(&["/nowhere/a".into(), "/nowhere/b".into()]).unwrap_err();
        assert!(message.contains("/nowhere/a/mechanism.bin"), "{message}");
        assert!(message.contains("/nowhere/b/mechanism.bin"), "{message}");
        assert!(load(&[]).unwrap_err().contains("no resource location"));
    }

    #[test]
    fn a_foreign_token_is_shown_with_the_own_one() {
        let blueprint = testing::blueprint();
        let own = blueprint.token.clone();
        assert_eq!(check_token(&blueprint, &own), Ok(()));
        let message = check_token(&blueprint, "{foreign}").unwrap_err();
        assert!(message.contains("\"{foreign}\"") && message.contains(&own));
    }
}

//! Control plane: tells when a file has been saved.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Length and time of a file; `None`: it is not there.
type Stamp = Option<(u64, SystemTime)>;

/// Files as they were last seen.
pub(super) struct Watch(Vec<(PathBuf, Stamp)>);

impl Watch {
    /// The files as they are now.
    pub(super) fn of(files: &BTreeSet<PathBuf>) -> Self {
        let seen = files.iter().map(|file| (file.clone(), stamp(file)));
        Self(seen.collect())
    }

    /// Is any of them other than it was seen?
    pub(super) fn has_changed(&self) -> bool {
        let mut files = self.0.iter();
        files.any(|(file, seen)| stamp(file) != *seen)
    }
}

fn stamp(file: &Path) -> Stamp {
    let about = fs::metadata(file).ok()?;
    Some((about.len(), about.modified().ok()?))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn a_file_that_is_saved_made_or_removed_has_changed() {
        let folder = tempfile::tempdir().unwrap();
        let [one, two] = ["one", "two"].map(|name| folder.path().join(name));
        fs::write(&one, "a").unwrap();
        let files = BTreeSet::from([one.clone(), two.clone()]);
        let watch = Watch::of(&files);
        assert!(!watch.has_changed());
        fs::write(&two, "").unwrap();
        assert!(watch.has_changed());
        let watch = Watch::of(&files);
        fs::write(&one, "ab").unwrap();
        assert!(watch.has_changed());
        let watch = Watch::of(&files);
        fs::remove_file(&one).unwrap();
        assert!(watch.has_changed());
    }
}

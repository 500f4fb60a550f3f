//! Control plane: names of files that are written: their endings are those of what they hold.

use std::path::PathBuf;

/// Endings of pictures, films and pages, by which programs know them.
const KNOWN: [&str; 19] = [
    "png", "apng", "gif", "mp4", "glb", "gltf", "svg", "html", "htm", "jpg", "jpeg", "webp", "bmp",
    "tif", "tiff", "pdf", "avi", "mov", "webm",
];

/// A file that will hold what has these endings; other endings are taken, if they are not those of another kind.
fn named(text: &str, own: &[&str]) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    let ending = path.extension().unwrap_or_default().to_string_lossy();
    let is = |known: &&str| ending.eq_ignore_ascii_case(known);
    if KNOWN.iter().any(is) && !own.iter().any(is) {
        let own: Vec<String> = own.iter().map(|ending| format!(".{ending}")).collect();
        return Err(format!(
            "a file named .{ending} is of another kind than this option writes; valid: {}",
            own.join(", ")
        ));
    }
    Ok(path)
}

pub(super) fn png(text: &str) -> Result<PathBuf, String> {
    named(text, &["png"])
}

pub(super) fn apng(text: &str) -> Result<PathBuf, String> {
    named(text, &["apng", "png"])
}

pub(super) fn gif(text: &str) -> Result<PathBuf, String> {
    named(text, &["gif"])
}

pub(super) fn mp4(text: &str) -> Result<PathBuf, String> {
    named(text, &["mp4"])
}

pub(super) fn glb(text: &str) -> Result<PathBuf, String> {
    named(text, &["glb"])
}

pub(super) fn svg(text: &str) -> Result<PathBuf, String> {
    named(text, &["svg"])
}

pub(super) fn html(text: &str) -> Result<PathBuf, String> {
    named(text, &["html", "htm"])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_another_kind_are_refused() {
        for name in ["a.png", "a.PNG", "-", "a", "/dev/null", "a.b/c", "front.1"] {
            assert_eq!(png(name), Ok(PathBuf::from(name)));
        }
        assert!(apng("a.png").is_ok() && html("a.htm").is_ok());
        for (made, wanted) in [
            (png("a.jpg"), ".png"),
            (gif("a.png"), ".gif"),
            (glb("a.gltf"), ".glb"),
            (svg("a.html"), ".svg"),
            (html("a.svg"), ".html"),
            (mp4("a.avi"), ".mp4"),
        ] {
            assert!(made.is_err_and(|why| why.contains(wanted)), "{wanted}");
        }
    }
}

//! Control plane: finds the resources from the location that the importer passes, in every form that importers use.
//!
//! FMI 2 passes a URI (`file:/x`, `file:///x`, `file:////x`, `file://localhost/x`, any case of the scheme,
//! percent-encoded or not), FMI 3 a path, both with or without a trailing separator. The location is turned into
//! candidates, best first, which the loader tries in order.

/// Platform whose path rules apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Platform {
    /// `/x/y`
    Unix,
    /// `C:\x\y`, `\\server\share`
    Windows,
}

impl Platform {
    /// Where this program runs.
    pub const HERE: Self = if cfg!(windows) {
        Self::Windows
    } else {
        Self::Unix
    };
}

/// Folders that a location may denote, as bytes in the platform's encoding (UTF-8 on Windows).
pub fn candidates(location: &[u8], platform: Platform) -> Vec<Vec<u8>> {
    let location = location.trim_ascii();
    if location.is_empty() {
        return Vec::new();
    }
    let Some(rest) = strip_scheme(location) else {
        return vec![location.to_vec()];
    };
    let decoded = percent_decode(rest);
    let mut found = vec![path_of_uri(&decoded, platform)];
    if decoded != rest {
        // A URI that was made by putting `file:///` before a path may contain a literal `%`.
        found.push(path_of_uri(rest, platform));
    }
    found.retain(|path| !path.is_empty());
    found
}

/// The text after `file:`, in any case of letters.
fn strip_scheme(location: &[u8]) -> Option<&[u8]> {
    let (scheme, rest) = location.split_at_checked(5)?;
    scheme.eq_ignore_ascii_case(b"file:").then_some(rest)
}

/// The path in the text after the scheme: `//authority/path`, `/path` or `path`.
fn path_of_uri(rest: &[u8], platform: Platform) -> Vec<u8> {
    let Some(after) = rest.strip_prefix(b"//") else {
        return local_path(rest, platform);
    };
    let slash = after.iter().position(|b| *b == b'/');
    let (authority, path) = after.split_at(slash.unwrap_or(after.len()));
    if authority.is_empty() || authority.eq_ignore_ascii_case(b"localhost") {
        return local_path(path, platform);
    }
    if platform == Platform::Windows && !is_drive(authority) {
        // file://server/share/x
        return [b"//", authority, path].concat();
    }
    // `file://C:/x` and `file://x/y`: a path after two slashes instead of three.
    local_path(&[authority, path].concat(), platform)
}

fn local_path(path: &[u8], platform: Platform) -> Vec<u8> {
    let slashes = path.iter().take_while(|b| **b == b'/').count();
    let bare = &path[slashes..];
    match platform {
        Platform::Unix if slashes > 1 => [b"/", bare].concat(),
        Platform::Windows if is_drive(bare) => {
            let mut drive = bare.to_vec();
            drive[1] = b':';
            drive
        }
        Platform::Windows if slashes > 1 => [b"//", bare].concat(),
        Platform::Unix | Platform::Windows => path.to_vec(),
    }
}

/// `C:` or `C|` at the beginning.
fn is_drive(path: &[u8]) -> bool {
    matches!(path, [letter, b':' | b'|', ..] if letter.is_ascii_alphabetic())
}

/// Decodes `%20` to a blank; text that is not a pair of hexadecimal digits stays.
fn percent_decode(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&byte, after)) = rest.split_first() {
        if let (b'%', [high, low, tail @ ..]) = (byte, after)
            && let (Some(high), Some(low)) = (hex(*high), hex(*low))
        {
            out.push(high << 4 | low);
            rest = tail;
        } else {
            out.push(byte);
            rest = after;
        }
    }
    out
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).map(|value| value as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(platform: Platform, location: &str, expected: &[&str]) {
        let found = candidates(location.as_bytes(), platform);
        let found: Vec<_> = found.iter().map(|p| String::from_utf8_lossy(p)).collect();
        assert_eq!(found, expected, "{location}");
    }

    #[test]
    fn forms_seen_on_unix() {
        for (location, expected) in [
            ("file:/tmp/a/resources", "/tmp/a/resources"),
            ("file:///tmp/a/resources", "/tmp/a/resources"),
            ("file:///tmp/a/resources/", "/tmp/a/resources/"),
            ("file:////tmp/a/resources", "/tmp/a/resources"),
            ("file://///tmp/a/resources", "/tmp/a/resources"),
            ("file://localhost/tmp/a/resources", "/tmp/a/resources"),
            ("file://LocalHost/tmp/a", "/tmp/a"),
            ("FILE:///tmp/a", "/tmp/a"),
            ("File:/tmp/a", "/tmp/a"),
            ("  file:///tmp/a\n", "/tmp/a"),
            ("file:///tmp/with blank/a", "/tmp/with blank/a"),
            ("file:///tmp/a#b?c", "/tmp/a#b?c"),
            ("file:relative/a", "relative/a"),
            ("/tmp/a/resources", "/tmp/a/resources"),
            ("/tmp/a/resources/", "/tmp/a/resources/"),
            ("/tmp/100%25/a", "/tmp/100%25/a"),
            ("/tmp/file:/a", "/tmp/file:/a"),
        ] {
            check(Platform::Unix, location, &[expected]);
        }
    }

    #[test]
    fn percent_signs_are_decoded_first_and_taken_literally_second() {
        check(
            Platform::Unix,
            "file:///tmp/with%20blank/%7Bguid%7d",
            &["/tmp/with blank/{guid}", "/tmp/with%20blank/%7Bguid%7d"],
        );
        check(Platform::Unix, "file:///tmp/100%/a", &["/tmp/100%/a"]);
        check(Platform::Unix, "file:///tmp/%zz%4", &["/tmp/%zz%4"]);
        let bytes = candidates(b"file:///tmp/%ff%C3%A4", Platform::Unix);
        assert_eq!(bytes[0], b"/tmp/\xff\xc3\xa4");
    }

    #[test]
    fn forms_seen_on_windows() {
        for (location, expected) in [
            ("file:///C:/a/resources", "C:/a/resources"),
            ("file:/C:/a", "C:/a"),
            ("file://C:/a", "C:/a"),
            ("file:////C:/a", "C:/a"),
            ("file:///c|/a", "c:/a"),
            ("file://localhost/C:/a", "C:/a"),
            ("file://server/share/a", "//server/share/a"),
            ("file:////server/share/a", "//server/share/a"),
            ("C:\\a\\resources\\", "C:\\a\\resources\\"),
            ("\\\\server\\share\\a", "\\\\server\\share\\a"),
        ] {
            check(Platform::Windows, location, &[expected]);
        }
    }

    #[test]
    fn nothing_stands_for_nothing() {
        for location in ["", "  ", "file:", "file://"] {
            check(Platform::Unix, location, &[]);
        }
    }
}

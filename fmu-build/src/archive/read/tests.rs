#![expect(clippy::unwrap_used, reason = "tests")]

use std::io::Write;

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::*;

/// An archive's bytes.
fn bytes(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(io::Cursor::new(Vec::new()));
    for (name, content) in files {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(content).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn on_disk(bytes: &[u8]) -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), bytes).unwrap();
    file
}

fn archive(names: &[&str]) -> tempfile::NamedTempFile {
    let files: Vec<(&str, &[u8])> = names.iter().map(|name| (*name, &b"text"[..])).collect();
    on_disk(&bytes(&files))
}

/// Unpacks; returns the failure's text, or the number of files.
fn unpacked(file: &tempfile::NamedTempFile, limits: &Limits) -> Result<usize, String> {
    let target = tempfile::tempdir().unwrap();
    unpack_within(file.path(), target.path(), limits).map_err(|Failure(text)| text)?;
    Ok(fs::read_dir(target.path()).unwrap().count())
}

/// The same bytes with all occurrences of a text replaced by another.
fn exchanged(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let mut bytes = bytes.to_vec();
    let places: Vec<usize> = (0..bytes.len() - from.len())
        .filter(|at| bytes[*at..].starts_with(from))
        .collect();
    assert!(!places.is_empty());
    for at in places {
        bytes[at..at + to.len()].copy_from_slice(to);
    }
    bytes
}

/// The same bytes with another size, packed and unpacked, of the first file in both of its headers.
fn resized(bytes: &[u8], unpacked: u32) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let central = bytes.windows(4).position(|four| four == b"PK\x01\x02");
    for at in [22, central.unwrap() + 24] {
        bytes[at..at + 4].copy_from_slice(&unpacked.to_le_bytes());
    }
    bytes
}

#[test]
fn names_that_lead_out_are_refused() {
    for name in [
        "../x",
        "a/../../x",
        "/etc/x",
        "a\\..\\..\\x",
        "C:\\x",
        "C:/x",
        "c:x",
        "\\\\host\\x",
    ] {
        assert_eq!(safe_name(name), None, "{name}");
        let target = tempfile::tempdir().unwrap();
        let Failure(text) = unpack(archive(&[name]).path(), target.path()).unwrap_err();
        assert!(text.contains("must stay below"), "{name}: {text}");
        assert_eq!(fs::read_dir(target.path()).unwrap().count(), 0, "{name}");
    }
}

#[test]
fn links_are_refused() {
    let mut zip = ZipWriter::new(io::Cursor::new(Vec::new()));
    zip.add_symlink("resources/x", "/etc/passwd", SimpleFileOptions::default())
        .unwrap();
    let file = on_disk(&zip.finish().unwrap().into_inner());
    assert!(
        unpacked(&file, &LIMITS)
            .unwrap_err()
            .contains("links are refused")
    );
}

#[test]
fn backslashes_of_careless_exporters_are_folders() {
    let target = tempfile::tempdir().unwrap();
    unpack(
        archive(&["modelDescription.xml", "resources\\a.txt"]).path(),
        target.path(),
    )
    .unwrap();
    assert_eq!(
        fs::read(target.path().join("resources/a.txt")).unwrap(),
        b"text"
    );
}

#[test]
fn what_is_no_archive_is_named() {
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), "no archive").unwrap();
    let Failure(message) = read_xml(file.path()).unwrap_err();
    assert!(
        message.contains(&file.path().display().to_string()),
        "{message}"
    );
    let Failure(message) = read_xml(archive(&["a.txt"]).path()).unwrap_err();
    assert!(message.contains("modelDescription.xml"), "{message}");
}

#[test]
fn a_name_may_stand_once() {
    let two = bytes(&[("resources/one", b"1"), ("resources/two", b"2")]);
    let file = on_disk(&exchanged(&two, b"resources/two", b"resources/one"));
    let text = unpacked(&file, &LIMITS).unwrap_err();
    assert!(
        text.contains("two files of the archive have one name, \"resources/one\""),
        "{text}"
    );
    let Failure(text) = entries(file.path()).unwrap_err();
    assert!(text.contains("a name may appear only once"), "{text}");
}

/// The message of [`refused`], which must be that of [`unpack`] about the first of them.
fn both(file: &tempfile::NamedTempFile) -> Vec<(String, String)> {
    let refused = refused(file.path()).unwrap();
    match (refused.first(), unpacked(file, &LIMITS)) {
        (Some((name, reason)), Err(text)) => {
            assert!(text.ends_with(&format!("\"{name}\": {reason}")), "{text}");
        }
        (None, Ok(_)) => {}
        (first, unpacked) => unreachable!("{first:?}, {unpacked:?}"),
    }
    refused
}

/// An archive with these names, those of folders included.
fn with_folders(names: &[&str]) -> Vec<u8> {
    let mut zip = ZipWriter::new(io::Cursor::new(Vec::new()));
    for name in names {
        if name.ends_with('/') {
            zip.add_directory(*name, SimpleFileOptions::default())
                .unwrap();
        } else {
            zip.start_file(*name, SimpleFileOptions::default()).unwrap();
            zip.write_all(b"text").unwrap();
        }
    }
    zip.finish().unwrap().into_inner()
}

#[test]
fn a_folder_may_stand_twice() {
    let two = with_folders(&["extra/", "extra/x", "extro/", "extri/"]);
    let two = exchanged(&two, b"extro/", b"extra/");
    let two = exchanged(&two, b"extri/", b"extra/");
    let file = on_disk(&two);
    assert_eq!(unpacked(&file, &LIMITS), Ok(1));
    assert_eq!(both(&file), []);
    assert_eq!(entries(file.path()).unwrap().len(), 2);
    let one = with_folders(&["a/", "b/", "extra/x"]);
    assert_eq!(unpacked(&on_disk(&one), &LIMITS), Ok(3));
    let limits = Limits { files: 3, ..LIMITS };
    let text = unpacked(&file, &limits).unwrap_err();
    assert!(text.contains("at most 3"), "{text}");
}

#[test]
fn a_file_cannot_be_a_folder_too() {
    for (names, refused, other) in [
        (&["a", "a/b", "c"][..], &["a/b"][..], "a"),
        (&["a/b", "c", "a"], &["a/b"], "a"),
        (&["a/", "b", "a"], &["a/"], "a"),
        (
            &["x/y", "x/y/z/1", "x/y/z/2", "x/yz"],
            &["x/y/z/1", "x/y/z/2"],
            "x/y",
        ),
    ] {
        let found = both(&on_disk(&with_folders(names)));
        let those: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(those, refused, "{names:?}");
        let place = format!("in the place of the file \"{other}\"");
        assert!(
            found.iter().all(|(_, text)| text.contains(&place)),
            "{found:?}"
        );
    }
    // The same file by other names.
    for other in ["./a/b", "a//b", "a\\b"] {
        let found = both(&archive(&["a/b", other]));
        assert_eq!(found[0].0, other);
        assert!(found[0].1.contains("the same file as \"a/b\""), "{found:?}");
    }
}

#[test]
fn names_have_limits() {
    let part = "n".repeat(255);
    let longest = [part.as_str(); 3].join("/");
    assert_eq!(both(&archive(&[&part, &longest.replace('n', "m")])), []);
    for name in [
        format!("{part}n"),
        "n".repeat(60_000),
        [longest.as_str(); 2].join("/"),
    ] {
        let found = both(&archive(&["x", &name]));
        assert_eq!(found.len(), 1);
        let told = format!("the name is too long: {} bytes", name.len());
        assert!(found[0].1.contains(&told), "{found:?}");
        assert!(found[0].1.contains("at most 900 and 255"), "{found:?}");
    }
}

#[test]
fn all_that_is_refused_is_told() {
    let names = ["a", "../b", "c:/d", "e\\..\\..\\f", "g\0h", "i", "/j"];
    let found = both(&archive(&names));
    let those: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(those, ["../b", "c:/d", "e\\..\\..\\f", "g\0h", "/j"]);
    let lies = resized(&bytes(&[("x", &[7; 1000]), ("y", b"text")]), 1001);
    let found = both(&on_disk(&lies));
    assert_eq!(found.len(), 1);
    assert!(
        found[0].1.contains("says that it has 1001 bytes"),
        "{found:?}"
    );
    // A gigabyte that is not there is not read.
    let bomb = resized(&bytes(&[("x", &[7; 1000]), ("y", b"text")]), 1 << 30);
    let found = both(&on_disk(&bomb));
    assert_eq!(found.len(), 1);
    assert!(
        found[0].1.contains("unpack to more than it may"),
        "{found:?}"
    );
}

#[test]
fn files_have_bytes_of_their_own() {
    let two = bytes(&[("one", &[1; 500]), ("two", &[2; 500])]);
    // The second file's entry in the directory points to the first file.
    let second = two.windows(4).rposition(|four| four == b"PK\x01\x02");
    let mut shared = two;
    let at = second.unwrap() + 42;
    shared[at..at + 4].fill(0);
    let text = unpacked(&on_disk(&shared), &LIMITS).unwrap_err();
    assert!(text.contains("lie over one another"), "{text}");
}

#[test]
fn sizes_that_lie_are_found() {
    let honest = bytes(&[("x", &[7; 1000])]);
    assert_eq!(unpacked(&on_disk(&honest), &LIMITS), Ok(1));
    // A larger file is detected while it is unpacked, a smaller one at its end.
    for (said, words) in [
        (999, "larger than its declared"),
        (1001, "says that it has 1001 bytes, and it has 1000"),
        (0, "larger than its declared"),
    ] {
        let file = on_disk(&resized(&honest, said));
        let text = unpacked(&file, &LIMITS).unwrap_err();
        assert!(text.contains("\"x\"") && text.contains(words), "{text}");
        let Failure(text) = read(file.path(), "x").unwrap_err();
        assert!(text.contains("x: ") && text.contains(words), "{text}");
    }
}

#[test]
fn counts_and_sizes_have_limits() {
    let zeros = on_disk(&bytes(&[
        ("one", &vec![0; 60_000]),
        ("two", &vec![0; 40_000]),
    ]));
    let length = fs::metadata(zeros.path()).unwrap().len();
    assert!(length < 1000, "{length}");
    let small = Limits {
        files: 2,
        bytes: 100_000,
        file_bytes: 60_000,
        ratio: 1,
        free_bytes: 100_000,
        ..LIMITS
    };
    assert_eq!(unpacked(&zeros, &small), Ok(2));
    assert!(read_within(zeros.path(), "one", &small).is_ok());
    let fewer = Limits { files: 1, ..small };
    let text = unpacked(&zeros, &fewer).unwrap_err();
    assert!(text.contains("has 2 files; valid: at most 1"), "{text}");
    let less = Limits {
        bytes: 99_999,
        ..small
    };
    let text = unpacked(&zeros, &less).unwrap_err();
    assert!(
        text.contains("\"two\": with it") && text.contains("at most 99999 bytes"),
        "{text}"
    );
    let denser = Limits {
        ratio: 100_000_u64.div_ceil(length),
        free_bytes: 0,
        ..small
    };
    assert_eq!(unpacked(&zeros, &denser), Ok(2));
    let bomb = Limits {
        ratio: 99_999 / length,
        free_bytes: 0,
        ..small
    };
    let text = unpacked(&zeros, &bomb).unwrap_err();
    assert!(
        text.contains(&format!("times its {length} bytes")),
        "{text}"
    );
    let shorter = Limits {
        file_bytes: 59_999,
        ..small
    };
    let Failure(text) = read_within(zeros.path(), "one", &shorter).unwrap_err();
    assert!(
        text.contains("has 60000 bytes; valid: at most 59999"),
        "{text}"
    );
}

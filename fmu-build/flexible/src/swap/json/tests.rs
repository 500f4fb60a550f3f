//! Tests of positions of values in texts.

#![expect(clippy::unwrap_used, reason = "tests")]

use super::*;

#[test]
fn values_stand_where_they_are_found() {
    let text = " {\"a\\\"b\": [1, -2.5e3 ,{}], \"c\" : \"x,]}\\\\\", \"d\": null }";
    let root = Spanned::of(text).unwrap();
    assert_eq!(&text[root.span.clone()], text.trim());
    let list = root.member("a\"b").unwrap().value.elements();
    let found: Vec<&str> = list.iter().map(|e| &text[e.span.clone()]).collect();
    assert_eq!(found, ["1", "-2.5e3", "{}"]);
    assert_eq!(root.string("c", text).unwrap(), "x,]}\\");
    assert_eq!(&text[root.member("d").unwrap().span.clone()], "\"d\": null");
    assert!(Spanned::of("{\"a\": }").is_none());
}

#[test]
fn elements_leave_with_their_comma() {
    let text = "[1, 2, 3]";
    let root = Spanned::of(text).unwrap();
    let spans: Vec<_> = root.elements().iter().map(|e| e.span.clone()).collect();
    for (k, wanted) in ["[2, 3]", "[1, 3]", "[1, 2]"].into_iter().enumerate() {
        let mut edits = Edits::default();
        edits.remove(&spans, k);
        assert_eq!(edits.apply(text, 0..text.len()), wanted);
    }
    let mut edits = Edits::default();
    edits.remove(std::slice::from_ref(&(1..2)), 0);
    assert_eq!(edits.apply("[1]", 0..3), "[]");
    assert_eq!(separator(&spans, text), ", ");
}

#[test]
fn elements_are_added_as_the_list_has_them() {
    let text = "{\n  \"a\": [\n    1\n  ],\n  \"b\": [],\n  \"c\": [1, 2]\n}\n";
    let root = Spanned::of(text).unwrap();
    let mut edits = Edits::default();
    let more = ["8".to_owned(), "9".to_owned()];
    for key in ["a", "b", "c", "d"] {
        edits.append(text, &root, key, &more);
    }
    edits.append(text, &root, "e", &[]);
    let wanted = "{\n  \"a\": [\n    1,\n    8,\n    9\n  ],\n  \"b\": [8, 9],\n  \"c\": [1, 2, 8, 9],\n  \
                  \"d\": [\n    8,\n    9\n  ]\n}\n";
    assert_eq!(edits.apply(text, 0..text.len()), wanted);
    let root = Spanned::of("{}").unwrap();
    let mut edits = Edits::default();
    edits.append("{}", &root, "a", &more);
    assert_eq!(edits.apply("{}", 0..2), "{\"a\": [8,9]}");
}

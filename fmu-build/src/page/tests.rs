//! Tests that pages show what they are given, whatever the text.

#![expect(clippy::unwrap_used, reason = "tests")]

use fixstep_kernel::math::Vec3;
use serde_json::Value;

use super::*;
use crate::plot::{Line, Panel};

/// What the script of a page reads.
pub(crate) fn data_of(html: &str) -> Value {
    let (_, rest) = html.split_once("const data = ").unwrap();
    let (data, _) = rest.split_once(";\n").unwrap();
    serde_json::from_str(data).unwrap()
}

const HOSTILE: &str = "</script><b>\"SCRIPT\n&'\u{2028}\" DATA";

#[test]
fn hostile_names_stay_names() {
    let mut page = Page {
        title: HOSTILE.to_owned(),
        subtitle: HOSTILE.to_owned(),
        parts: Vec::new(),
    };
    page.add_words(HOSTILE, vec![HOSTILE.to_owned()]);
    page.add_words("none", Vec::new());
    page.add_table("none", Table::default());
    page.add_table(
        "one",
        Table {
            columns: vec![HOSTILE.to_owned()],
            rows: vec![vec![
                Cell::Text(HOSTILE.to_owned()),
                Cell::Share("1".to_owned(), 0.5),
            ]],
            shade: false,
        },
    );
    let html = page.html();
    assert_eq!(html.matches("</script>").count(), 1);
    assert_eq!(html.matches("<h1>&lt;/script&gt;").count(), 1);
    let data = data_of(&html);
    assert_eq!(data["parts"].as_array().unwrap().len(), 2);
    assert_eq!(data["subtitle"], HOSTILE);
    assert_eq!(data["parts"][0]["lines"][0], HOSTILE);
    assert_eq!(
        data["parts"][1]["rows"][0],
        serde_json::json!([HOSTILE, ["1", 0.5]])
    );
}

#[test]
fn a_page_needs_nothing_from_elsewhere() {
    let mut page = Page::default();
    page.add_chart(
        "chart",
        &Plot {
            panels: vec![Panel {
                lines: vec![Line::default()],
                ..Panel::default()
            }],
            ..Plot::default()
        },
    );
    let html = page.html();
    let name = "http://www.w3.org/2000/svg";
    let others = html.replace(name, "");
    assert!(!others.contains("http:") && !others.contains("https:"));
    for loading in ["src=", "@import", "url(", "import(", "fetch("] {
        let found = others.replace("url(#p1c1)", "");
        assert!(!found.contains(loading), "{loading}");
    }
}

#[test]
fn shapes_are_drawn_in_the_size_of_the_whole() {
    let points = [Vec3::zeros(), Vec3::new(3.0, 4.0, 0.0)];
    let mut scene = Scene::of(&points, vec![(Style::Limb, vec![0, 1])], None);
    scene.add(&Shape {
        real: vec![Vec3::zeros(), Vec3::new(0.0, 0.0, 2.0)],
        imaginary: Some(vec![Vec3::zeros(), Vec3::new(1.0, 0.0, 0.0)]),
        largest: 2.0,
        ..Shape::default()
    });
    let mut page = Page::default();
    page.add("shapes", Content::Scene(Box::new(scene)));
    let data = data_of(&page.html());
    let part = &data["parts"][0];
    assert_eq!(part["kind"], "scene");
    assert_eq!(part["points"][1], serde_json::json!([0.3, 0.4, 0.0]));
    assert_eq!(
        part["modes"][0]["shape"][1],
        serde_json::json!([0.0, 0.0, 1.0])
    );
    assert_eq!(
        part["modes"][0]["other"][1],
        serde_json::json!([0.5, 0.0, 0.0])
    );
}

#[test]
fn points_go_with_bodies_or_are_told_by_themselves() {
    let points = [Vec3::zeros(), Vec3::new(3.0, 4.0, 0.0)];
    let mut scene = Scene::of(&points, vec![(Style::Limb, vec![0, 1])], None);
    scene.attach(vec![1, 1], &points, Vec::new());
    let turned = Shape {
        real: vec![Vec3::zeros(), Vec3::new(-4.0, 3.0, 0.0)],
        largest: 5.0,
        ..Shape::default()
    };
    let body = BodyMotion {
        body: 1,
        real: vec![0.0, 0.0, 0.0, 0.0, 0.0, 1.0],
        imaginary: None,
    };
    scene.add_bodies(&turned, &[body]);
    // No motion of this body that the page could compute moves the second point.
    scene.add_bodies(&turned, &[]);
    let mut page = Page::default();
    page.add("shapes", Content::Scene(Box::new(scene)));
    let data = data_of(&page.html());
    let part = &data["parts"][0];
    assert_eq!(part["rig"]["owners"], serde_json::json!([1, 1]));
    assert_eq!(part["rig"]["arms"][1], serde_json::json!([0.6, 0.8, 0.0]));
    let bodies = serde_json::json!([[1, [0.0, 0.0, 0.0, 0.0, 0.0, 1.0], null]]);
    assert_eq!(part["modes"][0]["bodies"], bodies);
    assert!(part["modes"][0].get("strays").is_none());
    let strays = &part["modes"][1]["strays"];
    assert_eq!(strays.as_array().unwrap().len(), 1);
    assert_eq!(strays[0][0], 1);
    assert!((strays[0][1][0].as_f64().unwrap() + 0.8).abs() < 1e-4);
}

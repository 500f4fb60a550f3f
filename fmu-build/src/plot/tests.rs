//! Control plane: tests of the SVG text of plots.
#![expect(clippy::unwrap_used, reason = "tests")]

use fixstep_kernel::math;

use super::*;

fn sample() -> Plot {
    let time: Vec<f64> = (0..=1000).map(|n| f64::from(n) * 0.01).collect();
    let wave = |phase: f64| {
        time.iter()
            .map(|t| math::sin(t + phase) * math::exp(-0.2 * t))
            .collect()
    };
    let mut plot = Plot::of_series(
        "Quarter car over a bump",
        "time [s]",
        &time,
        [
            ("body.z <top>", "mm", wave(0.0)),
            ("wheel.z", "mm", wave(1.0)),
            (
                "tyre & force",
                "N",
                time.iter()
                    .map(|t| 4000.0 + 900.0 * math::cos(3.0 * t))
                    .collect(),
            ),
        ],
    );
    plot.subtitle = "GSTIFF/I3, step 1 ms".to_owned();
    plot
}

/// Checks well-formedness and returns the number of elements.
fn elements(text: &str) -> usize {
    let mut reader = quick_xml::Reader::from_str(text);
    reader.config_mut().check_end_names = true;
    let mut count = 0;
    loop {
        match reader.read_event().unwrap() {
            quick_xml::events::Event::Eof => return count,
            quick_xml::events::Event::Start(_) | quick_xml::events::Event::Empty(_) => count += 1,
            _ => {}
        }
    }
}

#[test]
fn the_text_is_valid_xml_and_the_same_every_time() {
    let text = sample().to_svg();
    assert!(elements(&text) > 40);
    assert_eq!(text, sample().to_svg());
    assert!(text.contains("tyre &amp; force [N]"));
    assert!(text.contains("body.z &lt;top&gt;"));
}

#[test]
fn series_of_one_unit_share_a_panel() {
    let plot = sample();
    assert_eq!(plot.panels.len(), 2);
    assert_eq!(plot.panels[0].lines.len(), 2);
    assert_eq!(plot.panels[0].y_label, "[mm]");
    assert_eq!(plot.panels[1].y_label, "tyre & force [N]");
}

#[test]
fn a_gap_in_the_data_is_a_gap_in_the_line() {
    let line = Line {
        name: "gap".to_owned(),
        x: vec![0.0, 1.0, 2.0, 3.0, 4.0],
        y: vec![0.0, 1.0, f64::NAN, 1.0, 0.0],
        dots: false,
    };
    let plot = Plot {
        panels: vec![Panel {
            lines: vec![line],
            ..Panel::default()
        }],
        ..Plot::default()
    };
    let text = plot.to_svg();
    let path = text
        .lines()
        .find(|text| text.contains("class=\"line\""))
        .unwrap();
    assert_eq!(path.matches('M').count(), 2);
    assert!(!text.contains("NaN"));
}

#[test]
fn a_long_run_stays_a_small_file_and_keeps_its_peaks() {
    let x: Vec<f64> = (0..200_000).map(f64::from).collect();
    let mut y: Vec<f64> = x.iter().map(|x| math::sin(*x)).collect();
    y[123_456] = 50.0;
    let line = Line {
        name: "y".to_owned(),
        x,
        y,
        dots: false,
    };
    let plot = Plot {
        panels: vec![Panel {
            lines: vec![line],
            ..Panel::default()
        }],
        ..Plot::default()
    };
    let text = plot.to_svg();
    assert!(text.len() < 80_000, "{} bytes", text.len());
    // Drawn heights grow downwards from the panel's upper edge, where the axis ends at 60.
    let path = text
        .lines()
        .find(|text| text.contains("class=\"line\""))
        .unwrap();
    let heights = path
        .split(['L', 'M', '"', 'Z'])
        .filter_map(|point| point.split_once(' '));
    let highest = heights
        .filter_map(|(_, y)| y.parse::<f64>().ok())
        .fold(f64::INFINITY, f64::min);
    assert!(highest < 100.0, "the peak is missing: {highest}");
}

#[test]
fn empty_plots_are_pictures_too() {
    assert!(elements(&Plot::default().to_svg()) >= 3);
    let plot = Plot {
        panels: vec![Panel::default()],
        ..Plot::default()
    };
    assert!(elements(&plot.to_svg()) > 10);
}

#[test]
fn a_logarithmic_x_axis_has_decades_of_equal_width() {
    let line = Line {
        name: "h".to_owned(),
        x: vec![0.0, 1.0, 10.0, 100.0],
        y: vec![5.0, 1.0, 2.0, 3.0],
        dots: false,
    };
    let panel = Panel {
        lines: vec![line],
        ..Panel::default()
    };
    let plot = Plot {
        x_scale: Scale::Logarithmic,
        panels: vec![panel],
        ..Plot::default()
    };
    let text = plot.to_svg();
    let path = text
        .lines()
        .find(|line| line.contains(r#"class="line""#))
        .unwrap();
    // The point at 0 is left out; the others are at the ends and in the middle.
    let middle = f64::midpoint(LEFT, RIGHT);
    for x in [LEFT, middle, RIGHT] {
        assert!(path.contains(&format!("{x} ")), "{path}");
    }
    assert_eq!(path.matches(['M', 'L']).count(), 3, "{path}");
}

#[test]
fn points_by_themselves_are_circles_where_they_are() {
    let line = Line {
        name: "roots".to_owned(),
        x: vec![0.0, 5.0, 10.0],
        y: vec![-1.0, f64::NAN, 1.0],
        dots: true,
    };
    let plot = Plot {
        panels: vec![Panel {
            lines: vec![line],
            ..Panel::default()
        }],
        ..Plot::default()
    };
    let alone = plot.to_svg();
    assert_eq!(alone.matches("<circle class=\"mark\"").count(), 2);
    assert!(alone.contains("cx=\"78.0\"") && alone.contains("cx=\"856.0\""));
    assert!(!alone.contains("class=\"line\""));
}

#[test]
fn large_numbers_stand_beside_the_label_and_not_on_it() {
    let of = |scale: f64, offset: f64| Plot {
        x_label: "time [s]".to_owned(),
        panels: vec![Panel {
            y_label: "force [N]".to_owned(),
            lines: vec![Line {
                x: vec![0.0, 3e-6],
                y: vec![offset - scale, offset + 2.0 * scale],
                ..Line::default()
            }],
            ..Panel::default()
        }],
        ..Plot::default()
    };
    let text = of(1e6, 0.0).to_svg();
    assert!(
        text.contains(">force [10⁶ N]<") && text.contains(">time [10⁻⁶ s]<"),
        "{text}"
    );
    assert!(text.contains(">−1.0<"), "{text}");
    // Numbers with many digits move the axes to the right: from the label at 18 px on there is room for all of them.
    for (scale, offset) in [
        (1e6, 0.0),
        (1.0, 123_456_789.0),
        (1e-3, 45_678.0),
        (1e-9, 1.0),
    ] {
        let text = of(scale, offset).to_svg();
        let ends = text.split("text-anchor=\"end\">").skip(1);
        let widest = ends
            .filter_map(|rest| rest.split('<').next())
            .map(|own| own.chars().count())
            .max()
            .unwrap();
        let left: f64 = text
            .split("class=\"axis\" d=\"M")
            .nth(1)
            .unwrap()
            .split(' ')
            .next()
            .unwrap()
            .parse()
            .unwrap();
        assert!(left - 8.0 - 6.4 * widest as f64 >= 26.0, "{left} {widest}");
    }
}

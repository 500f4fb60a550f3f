#![expect(clippy::unwrap_used, reason = "tests")]

use super::*;

fn table(origin: &str, text: &str) -> Table {
    Table {
        origin: origin.to_owned(),
        ..Table::parse(text).unwrap()
    }
}

/// A vibration and a line, over 1000 rows, with a change of one value.
fn run(changed: Option<(usize, f64)>) -> Table {
    let mut table = Table::new(["time", "angle", "load"].map(str::to_owned).to_vec());
    for row in 0..1000 {
        let t = 1e-3 * f64::from(row);
        table.push(&[t, t * (1.0 - t), 1e3 * t]);
    }
    if let Some((row, by)) = changed {
        table.columns[1][row] += by;
    }
    table
}

fn all(absolute: f64) -> Tolerances {
    Tolerances {
        all: Tolerance {
            absolute,
            of_range: 0.0,
        },
        own: Vec::new(),
    }
}

#[test]
fn a_planted_difference_is_found_where_it_is() {
    let (a, b) = (run(None), run(Some((417, 1e-12))));
    let found = compare(&a, &b, &all(0.0), false).unwrap();
    assert!(!found.passes() && !found.interpolated);
    let angle = &found.signals[0];
    assert_eq!((angle.beyond, found.signals[1].beyond), (1, 0));
    let first = angle.first.unwrap();
    assert_eq!((first.time, first.line), (a.columns[0][417], 419));
    assert!((first.difference() - 1e-12).abs() < 1e-15);
    assert_eq!(
        verdict(&found),
        "1 signal differs by more than its tolerance"
    );
    assert!(compare(&a, &a, &all(0.0), false).unwrap().passes());
}

#[test]
fn a_tolerance_passes_what_it_allows() {
    let (a, b) = (run(None), run(Some((417, 1e-3))));
    assert!(!compare(&a, &b, &all(0.99e-3), false).unwrap().passes());
    assert!(compare(&a, &b, &all(1.01e-3), false).unwrap().passes());
    // The angle ranges over a quarter.
    for (text, passes) in [("0.39%", false), ("0.41 %", true), ("1e-2", true)] {
        let own = vec![
            ("*".to_owned(), Tolerance::default()),
            ("ang*".to_owned(), Tolerance::parse(text).unwrap()),
        ];
        let tolerances = Tolerances {
            own,
            ..Tolerances::default()
        };
        assert_eq!(
            compare(&a, &b, &tolerances, false).unwrap().passes(),
            passes,
            "{text}"
        );
    }
}

#[test]
fn what_is_no_number_differs_from_one() {
    let a = table("a", "time,x\n0,1\n1,nan\n2,inf\n");
    assert!(compare(&a, &a, &all(0.0), false).unwrap().passes());
    for other in [
        "0,nan\n1,nan\n2,inf\n",
        "0,1\n1,0\n2,inf\n",
        "0,1\n1,nan\n2,-inf\n",
    ] {
        let b = table("b", &format!("time,x\n{other}"));
        assert!(
            !compare(&a, &b, &all(1e9), false).unwrap().passes(),
            "{other}"
        );
    }
}

#[test]
fn other_times_are_met_by_straight_lines() {
    let a = table("a", "time,x\n0,0\n1,1\n2,4\n");
    let b = table("b", "time,x\n0,0\n0.5,0.5\n1.5,1.5\n2,4\n");
    let found = compare(&a, &b, &all(0.0), false).unwrap();
    // Each has a time that the other lacks, whichever is the first.
    assert!(found.interpolated && !found.passes());
    assert_eq!(
        found.faults[0],
        "1 of 3 rows of a have times that b lacks, the first at 1"
    );
    assert_eq!(
        found.faults[1],
        "2 of 4 rows of b have times that a lacks, the first at 0.5"
    );
    let found = compare(&a, &b, &all(0.0), true).unwrap();
    assert!(found.interpolated && found.passes());
    let late = table("b", "time,x\n1,1\n2,4\n3,9\n");
    let found = compare(&a, &late, &all(0.0), false).unwrap();
    assert_eq!((found.rows, found.faults.len()), (2, 2));
    assert!(compare(&a, &late, &all(0.0), true).unwrap().passes());
}

/// A table with every other row, and one with the first half of them, lack rows, and nothing is interpolated for what they have.
#[test]
fn fewer_rows_differ_from_both_sides() {
    let whole = table("whole", "time,x\n0,0\n1,5\n2,4\n3,7\n4,8\n");
    for text in ["0,0\n2,4\n4,8\n", "0,0\n1,5\n2,4\n"] {
        let part = table("part", &format!("time,x\n{text}"));
        for (a, b) in [(&whole, &part), (&part, &whole)] {
            assert!(!compare(a, b, &all(9.0), false).unwrap().passes(), "{text}");
        }
        let found = compare(&part, &whole, &all(0.0), false).unwrap();
        assert!(!found.interpolated && found.signals[0].worst.is_none());
        assert!(found.faults[0].starts_with("2 of 5 rows of whole"));
        assert_eq!(verdict(&found), "the tables differ in what they have");
        assert!(compare(&part, &whole, &all(0.0), true).unwrap().passes());
    }
    // One row more of a time, as at a jump, is a row that only one has.
    let jump = table("jump", "time,x\n0,0\n1,3\n1,5\n2,4\n3,7\n4,8\n");
    for (a, b) in [(&whole, &jump), (&jump, &whole)] {
        assert_eq!(compare(a, b, &all(9.0), false).unwrap().faults.len(), 1);
    }
    assert!(compare(&whole, &jump, &all(0.0), true).unwrap().passes());
}

#[test]
fn columns_that_one_lacks_are_named() {
    let a = table("a.csv", "time,x,y\n0,0,0\n");
    let b = table("b.csv", "time,x,z\n0,0,0\n");
    let found = compare(&a, &b, &all(0.0), false).unwrap();
    assert_eq!(found.faults.len(), 2);
    assert!(found.faults[0].contains("b.csv has no column \"y\""));
    assert!(compare(&a, &b, &all(0.0), true).unwrap().passes());
    let wrong = Tolerances {
        own: vec![("w".to_owned(), Tolerance::default())],
        ..Tolerances::default()
    };
    let said = compare(&a, &b, &wrong, false).unwrap_err().0;
    assert!(said.contains("unknown signal \"w\""), "{said}");
}

#[test]
fn the_first_column_must_be_the_time() {
    let a = table("a.csv", "x,y\n0,0\n1,0\n0.5,0\n");
    let said = compare(&a, &a, &all(0.0), false).unwrap_err().0;
    assert!(
        said.contains("a.csv, line 4") && said.contains("must be the time"),
        "{said}"
    );
}

#[test]
fn the_picture_shows_the_farthest_first() {
    let (a, mut b) = (run(None), run(Some((417, 1e-3))));
    b.columns[2][5] += 400.0;
    let plot = picture(&compare(&a, &b, &all(0.0), false).unwrap(), &a, &b);
    assert_eq!(plot.panels[0].y_label, "load");
    assert_eq!(
        plot.panels[0].pins[0].at,
        (a.columns[0][5], b.columns[2][5])
    );
    assert!(plot.to_svg().contains("4.00e2 apart"));
}

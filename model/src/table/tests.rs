//! Arrays, units and terminals of tables that are made of mechanisms.

use super::of;
use super::test_model::{empty_model, quantity};
use fixstep_kernel::mechanism::Input;
use fixstep_variables::{Array, Arrays};

fn arrays(names: &[(&str, &str)]) -> Vec<(String, u32, u32)> {
    let mut model = empty_model();
    for (name, unit) in names {
        let quantity = quantity(name, unit, 0.0);
        model.inputs.push(Input { quantity });
    }
    let arrays = Arrays::of(&of(&model));
    let shown = |array: &Array| (array.name.clone(), array.first, array.length);
    arrays.iter().map(shown).collect()
}

#[test]
fn neighbours_that_count_from_one_are_an_array() {
    let found = arrays(&[
        ("a[1]", "N"),
        ("a[2]", "N"),
        ("b", ""),
        ("c.d[1]", ""),
        ("e[2]", ""),
        ("e[3]", ""),
    ]);
    // Time stands before the inputs.
    assert_eq!(found, [("a".to_owned(), 1, 2), ("c.d".to_owned(), 4, 1)]);
}

#[test]
fn what_differs_stands_alone() {
    assert_eq!(
        arrays(&[("a[1]", "N"), ("a[2]", "m"), ("a[3]", "m")]),
        [("a".to_owned(), 1, 1)]
    );
    assert_eq!(arrays(&[("a[1]", ""), ("a[2]", ""), ("a", "")]), []);
    assert_eq!(arrays(&[("a[01]", ""), ("[1]", ""), ("a[1]b", "")]), []);
}

#[test]
fn positions_know_their_array() {
    let mut model = empty_model();
    for name in ["x", "a[1]", "a[2]", "a[3]", "y"] {
        let quantity = quantity(name, "", 0.0);
        model.inputs.push(Input { quantity });
    }
    let arrays = Arrays::of(&of(&model));
    let owners: Vec<u32> = (0..7).map(|at| arrays.reference(at)).collect();
    assert_eq!(owners, [0, 1, 2, 2, 2, 5, 6]);
    assert_eq!(arrays.references(&[4, 3, 1, 2]), [1, 2]);
}

#[test]
fn units_that_cannot_be_converted_are_named() {
    let mut model = empty_model();
    for (name, unit, display) in [
        ("good", "rad", "deg"),
        ("plain", "N.m", ""),
        ("unknown", "furlong", ""),
        ("shown", "mm", "furlong"),
        ("other", "N", "N.m"),
        ("bare", "", "deg"),
    ] {
        let mut quantity = quantity(name, unit, 0.0);
        display.clone_into(&mut quantity.display_unit);
        model.inputs.push(Input { quantity });
    }
    let problems = of(&model).unit_problems();
    let expected = [
        "input \"unknown\": unit \"furlong\"",
        "input \"shown\": display_unit: unit \"furlong\"",
        "input \"other\": display_unit \"N.m\" measures something else than unit \"N\"",
        "input \"bare\": display_unit \"deg\" needs a unit",
    ];
    assert_eq!(problems.len(), expected.len(), "{problems:#?}");
    for (problem, expected) in problems.iter().zip(expected) {
        assert!(problem.starts_with(expected), "{problem}");
    }
}

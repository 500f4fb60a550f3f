//! Control plane: the page of a flexible body: its modes move, and tables tell what the reduction has kept.

use fixstep_kernel::flex::FlexData;
use fixstep_pictures::payload::{Marker, Shape, ShapeMotion, SmallMotion};
use fixstep_pictures::scene::Place;
use flexible_bodies::inspect::Inspection;

use super::{STILL, alone, hertz};
use crate::page::{Cell, Page, Table};
use crate::scene::{self, Wire};
use crate::slave::Failure;

/// The page of some modes, counted from 1, or of all.
pub fn page(data: &FlexData, chosen: &[usize], told: &Inspection) -> Result<String, Failure> {
    let modes = super::chosen(data, chosen)?;
    let wire = Wire::of(data, &modes);
    let (mut scene, still) = alone(scene::soft(data, &wire, &modes), wire.size());
    scene.bodies[1].mass = Some(told.mass);
    scene.bodies[1].center = told.center.into();
    let mut page = Page::new(&data.description, subtitle(told));
    page.draw((scene, still), markers(data, &modes), shapes(data, &modes));
    page.mark();
    page.tab("Modes");
    page.add_table("Modes", modes_table(told, &modes));
    page.tab("Body");
    page.add_table("Body", body_table(told));
    page.add_table("Interface nodes", interfaces(told));
    page.add_table("Invariants", invariants(told));
    page.add_table("Sources", sources(told));
    page.html()
}

fn subtitle(told: &Inspection) -> String {
    format!(
        "Flexible body: {} modes, {} nodes, {} kg",
        told.modes.len(),
        told.nodes,
        number(told.mass)
    )
}

fn number(value: f64) -> String {
    crate::trial::round(value, 5)
}

/// Each mode by itself.
fn shapes(data: &FlexData, modes: &[usize]) -> Vec<Shape> {
    let shape = |(k, mode): (usize, &usize)| {
        let mut real = vec![0.0; 6 + modes.len()];
        real[6 + k] = 1.0;
        let motion = SmallMotion {
            body: 1,
            real,
            imaginary: None,
        };
        let of = &data.modes[*mode];
        Shape {
            name: hertz(of.frequency),
            text: format!("mode {}: {}", mode + 1, of.label),
            of: None,
            motion: ShapeMotion::Small(vec![motion]),
        }
    };
    modes.iter().enumerate().map(shape).collect()
}

/// Nodes with names.
fn markers(data: &FlexData, modes: &[usize]) -> Vec<Marker> {
    let named = data.nodes.iter();
    let named = named.filter_map(|node| Some((node, node.name.as_ref()?)));
    let marker = |(node, name): (&fixstep_kernel::flex::Node, &String)| {
        let moves = modes.iter().map(|mode| node.translation[*mode]);
        Marker {
            name: name.clone(),
            body: 1,
            place: Place {
                position: node.position,
                ..STILL
            },
            modes: moves
                .map(|u| [u.x as f32, u.y as f32, u.z as f32])
                .collect(),
        }
    };
    named.map(marker).collect()
}

fn texts<const N: usize>(of: [&str; N]) -> Vec<String> {
    of.map(str::to_owned).to_vec()
}

fn row<const N: usize>(of: [String; N]) -> Vec<Cell> {
    of.map(Cell::Text).to_vec()
}

fn modes_table(told: &Inspection, modes: &[usize]) -> Table {
    let line = |mode: &usize| {
        let own = &told.modes[*mode];
        let first = [
            (mode + 1).to_string(),
            number(own.frequency),
            own.label.clone(),
        ];
        let share = |x: &f64| Cell::Share(format!("{x:.1}"), (x / 100.0).clamp(0.0, 1.0));
        let cells = first.map(Cell::Text).into_iter();
        cells.chain(own.effective.iter().map(share)).collect()
    };
    let columns = ["mode", "frequency [Hz]", "kind"].map(str::to_owned);
    let effective = ["x", "y", "z", "rx", "ry", "rz"].map(|own| format!("effective {own} [%]"));
    Table {
        columns: columns.into_iter().chain(effective).collect(),
        rows: modes.iter().map(line).collect(),
        shapes: true,
        ..Table::default()
    }
}

fn body_table(told: &Inspection) -> Table {
    let [x, y, z] = told.center.map(number);
    let yes = |is: bool| if is { "yes" } else { "no" }.to_owned();
    let list = |names: &[String]| names.join(", ");
    let all = [
        ("mass [kg]", number(told.mass)),
        ("centre of mass [m]", format!("{x}, {y}, {z}")),
        (
            "largest coupling of a mode with translation",
            number(told.translation_coupling),
        ),
        (
            "largest coupling of a mode with rotation",
            number(told.rotation_coupling),
        ),
        (
            "largest departure of the modal masses from 1",
            number(told.mass_departure),
        ),
        ("preload", yes(told.preload)),
        ("geometric stiffness", yes(told.stiffening)),
        ("load cases", list(&told.loads)),
        ("points with stress", told.stresses.len().to_string()),
        ("points with strain", told.strains.len().to_string()),
    ];
    let rows = all.into_iter().filter(|(_, value)| !value.is_empty());
    Table {
        columns: texts(["figure", "value"]),
        rows: rows
            .map(|(name, value)| row([name.to_owned(), value]))
            .collect(),
        ..Table::default()
    }
}

fn interfaces(told: &Inspection) -> Table {
    let line = |own: &flexible_bodies::inspect::Interface| {
        let [x, y, z] = own.position.map(number);
        let name = Cell::Entity("marker".to_owned(), own.name.clone());
        let others = row([own.id.to_string(), x, y, z, own.directions.join(", ")]);
        std::iter::once(name).chain(others).collect()
    };
    Table {
        columns: texts([
            "node",
            "number",
            "x [m]",
            "y [m]",
            "z [m]",
            "directions in the modes",
        ]),
        rows: told.interfaces.iter().map(line).collect(),
        ..Table::default()
    }
}

fn invariants(told: &Inspection) -> Table {
    let line = |own: &flexible_bodies::inspect::Invariant| {
        row([
            own.name.to_owned(),
            own.numbers.to_string(),
            number(own.largest),
        ])
    };
    Table {
        columns: texts(["invariant", "numbers", "largest"]),
        rows: told.invariants.iter().map(line).collect(),
        ..Table::default()
    }
}

fn sources(told: &Inspection) -> Table {
    let line = |(name, print): &(String, String)| row([name.clone(), print.clone()]);
    Table {
        columns: texts(["file", "fingerprint"]),
        rows: told.sources.iter().map(line).collect(),
        ..Table::default()
    }
}

//! Control plane: finds numbers in expressions that look like degrees where radians are expected.

use super::parse::{Node, NodeId};
use fixstep_kernel::expr::ops::Binary;
use std::f64::consts::PI;

/// Degrees per radian: an expression that multiplies or divides by it converts units on purpose.
const TURN: f64 = 180.0 / PI;

/// The role of a number that may be in degrees.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// In an angle.
    Angle,
    /// In a rate, which time multiplies.
    Rate,
}

/// The numbers that look like degrees, in words.
pub(super) fn doubts(nodes: &[Node]) -> Vec<String> {
    let is = |number: f64, known: f64| (number - known).abs() < 1e-5 * known;
    let converts =
        |node: &Node| matches!(node, Node::Number(x) if is(*x, TURN) || is(*x, 1.0 / TURN));
    if nodes.iter().any(converts) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for node in nodes {
        let Node::Call(function, arguments, _) = node else {
            continue;
        };
        let places: &[(usize, Role)] = match function.name {
            "SIN" | "COS" | "TAN" => &[(0, Role::Angle)],
            "SHF" => &[(3, Role::Rate), (4, Role::Angle)],
            "FORCOS" | "FORSIN" => &[(2, Role::Rate)],
            _ => continue,
        };
        for (k, role) in places {
            let Some(argument) = arguments.get(*k) else {
                continue;
            };
            for number in terms(nodes, *argument, *role) {
                let text = format!(
                    "{} is of radians, and {number} looks like degrees",
                    function.name
                );
                if !found.contains(&text) {
                    found.push(text);
                }
            }
        }
    }
    found
}

/// The numbers that look like degrees in the terms of a sum.
fn terms(nodes: &[Node], sum: NodeId, role: Role) -> Vec<f64> {
    let mut found = Vec::new();
    let mut open = vec![sum];
    while let Some(node) = open.pop() {
        match &nodes[node] {
            Node::Binary(Binary::Add | Binary::Subtract, a, b) => open.extend([*b, *a]),
            Node::Negate(a) => open.push(*a),
            _ => found.extend(term(nodes, node, role)),
        }
    }
    found
}

/// The number of a product, if it looks like degrees.
fn term(nodes: &[Node], product: NodeId, role: Role) -> Option<f64> {
    let (mut numbers, mut time, mut other) = (Vec::new(), role == Role::Rate, false);
    let mut open = vec![(product, false)];
    while let Some((node, below)) = open.pop() {
        match &nodes[node] {
            Node::Binary(Binary::Multiply, a, b) => open.extend([(*a, below), (*b, below)]),
            Node::Binary(Binary::Divide, a, b) => open.extend([(*a, below), (*b, !below)]),
            Node::Negate(a) => open.push((*a, below)),
            // A divisor such as 180 converts.
            Node::Number(_) if below => return None,
            Node::Number(number) => numbers.push(*number),
            Node::Name(name, _) if name == "TIME" && !below => time = true,
            _ => other = true,
        }
    }
    let [number] = numbers[..] else {
        return None;
    };
    let is_degrees = match (time, other) {
        (false, false) => number.abs() >= 10.0 && number % 5.0 == 0.0,
        (true, false) => number.abs() == 45.0 || number != 0.0 && number % 90.0 == 0.0,
        (true, true) => number.abs() == 360.0,
        (false, true) => false,
    };
    is_degrees.then_some(number)
}

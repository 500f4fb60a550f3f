//! Control plane: orientations in the tree of a model: as matrices, mirrored, and turned.

use super::Context;
use crate::errors::{At, Report};
use crate::frames;
use crate::measure;
use crate::read::FromJson;
use crate::schema::Orientation;
use crate::text::{Kind, Mark, Node};
use fixstep_kernel::math::{Mat3, Vec3};

/// Three numbers of a node.
pub(super) fn vector(node: &Node) -> Option<[f64; 3]> {
    let items = node.as_list().filter(|items| items.len() == 3)?;
    let mut numbers = [0.0; 3];
    for (number, item) in numbers.iter_mut().zip(items) {
        *number = item.as_f64()?;
    }
    Some(numbers)
}

/// A node of three numbers.
pub(super) fn vector_node(numbers: [f64; 3], mark: Mark) -> Node {
    let items = numbers.map(|number| Node::number(number, mark));
    Node::new(Kind::List(items.to_vec()), mark)
}

/// The axes of a frame; `None` after a report.
pub(super) fn axes(
    orientation: &Node,
    origin: [f64; 3],
    at: &At,
    context: &mut Context<'_>,
) -> Option<Mat3> {
    let mut report = Report::default();
    let at = at.field("orientation").marked(orientation.mark);
    let read = Orientation::from_json(&orientation.to_value(), &at, &mut report);
    let angle = context.units.angle.factor;
    let given = read.and_then(|read| {
        let given = read.numbers();
        if given.is_none() {
            report.add(
                &at,
                "an instance with a pose moves this, which therefore must be numbers, without parameters",
            );
        }
        given
    });
    let matrix = given.map(|given| frames::axes(Some(&given), origin, angle, &at, &mut report));
    match report.finish() {
        None => matrix,
        Some(errors) => {
            for error in errors.0 {
                context.report.add(&at, error.message);
            }
            None
        }
    }
}

/// Two points on the axes of a frame with this origin.
pub(super) fn points(axes: &Mat3, origin: [f64; 3], mark: Mark) -> Node {
    let point = |k: usize| {
        let column = axes.column(k);
        let numbers = std::array::from_fn(|i| {
            measure::digits(origin[i] + column[i], origin[i].abs().max(1.0))
        });
        vector_node(numbers, mark)
    };
    let mut node = Node::new(Kind::Object(Vec::new()), mark);
    node.set("z_point", point(2));
    node.set("x_point", point(0));
    node
}

/// Distance at which the mirror image of a chosen x axis is written as a point: not that of points that people write, so that it
/// can be told from them. A power of two, which changes no bit of the axis.
const CHOSEN: f64 = 2.0;

/// Mirrors an orientation: R becomes M R M. `origin` is the origin of the frame before it is mirrored.
pub(super) fn mirror(orientation: &mut Node, origin: [f64; 3]) {
    if let Some(Kind::List(angles)) = orientation.get_mut("euler").map(|n| &mut n.value) {
        // Rz(a) becomes Rz(-a), Rx(a) becomes Rx(-a).
        angles.iter_mut().for_each(negate);
    }
    if let Some(Kind::List(parts)) = orientation.get_mut("quaternion").map(|n| &mut n.value) {
        // The axis mirrors as a rotation vector.
        for k in [1, 3] {
            parts.get_mut(k).into_iter().for_each(negate);
        }
    }
    let Some(z) = orientation.get("z_point").and_then(vector) else {
        negate_y(orientation.get_mut("z_point"));
        negate_y(orientation.get_mut("x_point"));
        return;
    };
    let mark = orientation.mark;
    let z = Vec3::from_fn(|k, _| z[k] - origin[k]);
    let chosen = frames::most_perpendicular(z);
    negate_y(orientation.get_mut("z_point"));
    match orientation.get("x_point").and_then(vector) {
        // What is chosen for lack of a point mirrors like one that is given.
        None if chosen[1] != 0.0 => {
            let point = [origin[0], -origin[1] - CHOSEN, origin[2]];
            orientation.set("x_point", vector_node(point, mark));
        }
        Some(x) if chosen[1] != 0.0 && is_chosen(x, origin) => {
            orientation.take("x_point");
        }
        _ => negate_y(orientation.get_mut("x_point")),
    }
}

/// Gives an orientation by points the x axis that is chosen for it, since another would be chosen once it is turned.
pub(super) fn choose(orientation: &mut Node, origin: [f64; 3]) {
    let Some(z) = orientation.get("z_point").and_then(vector) else {
        return;
    };
    if orientation.get("x_point").is_none() {
        let z = Vec3::from_fn(|k, _| z[k] - origin[k]);
        let chosen = frames::most_perpendicular(z);
        let mark = orientation.mark;
        let point = std::array::from_fn(|k| origin[k] + chosen[k]);
        orientation.set("x_point", vector_node(point, mark));
    }
}

/// Is a point the mirror image of the one that is chosen along y for lack of another?
fn is_chosen(x: [f64; 3], origin: [f64; 3]) -> bool {
    x[0] == origin[0]
        && x[2] == origin[2]
        && (x[1] - origin[1] + CHOSEN).abs() < 1e-12 * origin[1].abs().max(1.0)
}

/// Changes the sign of y.
pub(super) fn negate_y(vector: Option<&mut Node>) {
    if let Some(Kind::List(items)) = vector.map(|node| &mut node.value) {
        items.get_mut(1).into_iter().for_each(negate);
    }
}

/// Changes the signs of x and z.
pub(super) fn negate_xz(vector: Option<&mut Node>) {
    if let Some(Kind::List(items)) = vector.map(|node| &mut node.value) {
        for k in [0, 2] {
            items.get_mut(k).into_iter().for_each(negate);
        }
    }
}

/// Changes the sign of a number, or of the expression of one. Twice is what it was.
pub(super) fn negate(node: &mut Node) {
    match &mut node.value {
        Kind::Number(number) => {
            if let Some(value) = number.as_f64()
                && value != 0.0
            {
                let whole = number
                    .as_i64()
                    .and_then(i64::checked_neg)
                    .map(serde_json::Number::from);
                if let Some(negative) = whole.or_else(|| serde_json::Number::from_f64(-value)) {
                    *number = negative;
                }
            }
        }
        Kind::Text(text) => *text = negative(text),
        _ => {}
    }
}

/// An expression with the other sign; `=` in front stays there.
fn negative(text: &str) -> String {
    let (equals, expression) = match text.trim_start().strip_prefix('=') {
        Some(expression) => ("=", expression),
        None => ("", text),
    };
    match expression
        .strip_prefix("-(")
        .and_then(|inner| inner.strip_suffix(')'))
    {
        Some(inner) if is_closed(inner) => format!("{equals}{inner}"),
        _ => format!("{equals}-({expression})"),
    }
}

/// Does no parenthesis close before it opens?
fn is_closed(text: &str) -> bool {
    let mut open = 0_i64;
    for c in text.chars() {
        open += i64::from(c == '(') - i64::from(c == ')');
        if open < 0 {
            return false;
        }
    }
    open == 0
}

//! Control plane: a polygon with holes as triangles, by cutting off ears (Meisters 1975); holes are joined to the outline
//! by double edges first.

/// A corner in a plane.
type Flat = [f64; 2];

/// Triangles of all corners of an outline and then of its holes; none if the lines cross. The outline is anticlockwise,
/// holes are clockwise.
pub(super) fn triangles(lines: &[Vec<Flat>]) -> Option<Vec<[usize; 3]>> {
    let points: Vec<Flat> = lines.concat();
    let mut first = 0;
    let mut rings: Vec<Vec<usize>> = Vec::new();
    for line in lines {
        rings.push((first..first + line.len()).collect());
        first += line.len();
    }
    let mut ring = rings.remove(0);
    // the hole that reaches farthest first: nothing stands between it and what it is joined to but later holes
    rings.sort_by(|a, b| right(&points, b).total_cmp(&right(&points, a)));
    while !rings.is_empty() {
        let hole = rings.remove(0);
        ring = joined(&points, &ring, &hole, &rings)?;
    }
    cut(&points, ring)
}

fn right(points: &[Flat], ring: &[usize]) -> f64 {
    ring.iter()
        .fold(f64::NEG_INFINITY, |most, &k| most.max(points[k][0]))
}

/// Twice the area of a triangle, positive if it is anticlockwise.
fn turn(a: Flat, b: Flat, c: Flat) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

/// An outline with a hole: both are cut open between two corners that see each other, the nearest ones.
fn joined(
    points: &[Flat],
    ring: &[usize],
    hole: &[usize],
    others: &[Vec<usize>],
) -> Option<Vec<usize>> {
    let mut pairs: Vec<(f64, usize, usize)> = Vec::new();
    for (i, &a) in ring.iter().enumerate() {
        for (j, &b) in hole.iter().enumerate() {
            let (p, q) = (points[a], points[b]);
            let square = (p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]);
            pairs.push((square, i, j));
        }
    }
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)).then(a.2.cmp(&b.2)));
    let free = |i: usize, j: usize| {
        let (a, b) = (points[ring[i]], points[hole[j]]);
        let before = points[ring[(i + ring.len() - 1) % ring.len()]];
        let after = points[ring[(i + 1) % ring.len()]];
        within(before, a, after, b)
            && !crosses(points, ring, a, b)
            && !crosses(points, hole, a, b)
            && !others.iter().any(|other| crosses(points, other, a, b))
    };
    let &(_, i, j) = pairs.iter().find(|&&(_, i, j)| free(i, j))?;
    let mut out = ring[..=i].to_vec();
    out.extend((0..=hole.len()).map(|k| hole[(j + k) % hole.len()]));
    out.extend(&ring[i..]);
    Some(out)
}

/// Does a corner of an anticlockwise outline see a point between its two edges?
fn within(before: Flat, corner: Flat, after: Flat, point: Flat) -> bool {
    let (left, right) = (
        turn(corner, after, point) > 0.0,
        turn(before, corner, point) > 0.0,
    );
    if turn(before, corner, after) >= 0.0 {
        left && right
    } else {
        left || right
    }
}

/// Does a segment meet a ring elsewhere than in its own ends?
fn crosses(points: &[Flat], ring: &[usize], a: Flat, b: Flat) -> bool {
    (0..ring.len()).any(|k| {
        let (c, d) = (points[ring[k]], points[ring[(k + 1) % ring.len()]]);
        if c == a || c == b {
            return false;
        }
        if d == a || d == b {
            return false;
        }
        let (s, t) = (turn(a, b, c), turn(a, b, d));
        let (u, v) = (turn(c, d, a), turn(c, d, b));
        let apart = |x: f64, y: f64| (x > 0.0 && y > 0.0) || (x < 0.0 && y < 0.0);
        !(apart(s, t) || apart(u, v) || s == 0.0 && t == 0.0)
    })
}

/// Cuts off ears until a triangle is left.
fn cut(points: &[Flat], mut ring: Vec<usize>) -> Option<Vec<[usize; 3]>> {
    let mut out = Vec::new();
    let mut start = 0;
    while ring.len() > 3 {
        let count = ring.len();
        let found = (0..count)
            .map(|k| (start + k) % count)
            .find(|&k| ear(points, &ring, k))?;
        out.push(corners(&ring, found));
        ring.remove(found);
        // the next ear is sought beyond the neighbour, so that triangles do not all meet in one corner
        start = (found + 1) % ring.len();
    }
    let last = [ring[0], ring[1], ring[2]];
    let [a, b, c] = last.map(|k| points[k]);
    if turn(a, b, c) <= 0.0 {
        return None;
    }
    out.push(last);
    Some(out)
}

fn corners(ring: &[usize], k: usize) -> [usize; 3] {
    let count = ring.len();
    [
        ring[(k + count - 1) % count],
        ring[k],
        ring[(k + 1) % count],
    ]
}

/// Is a corner convex, and no other one in its triangle or on the edge that cutting makes?
fn ear(points: &[Flat], ring: &[usize], k: usize) -> bool {
    let [a, b, c] = corners(ring, k).map(|k| points[k]);
    turn(a, b, c) > 0.0
        && ring.iter().all(|&j| {
            let p = points[j];
            p == a
                || p == b
                || p == c
                || turn(a, b, p) < 0.0
                || turn(b, c, p) < 0.0
                || turn(c, a, p) < 0.0
        })
}

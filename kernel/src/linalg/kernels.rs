//! Arithmetic on single tiles (data plane): the inner loops of [`super::factor`].
//!
//! Tiles are columns of six. Every loop works on whole columns: the six rows are independent lanes, and each entry
//! keeps its own order of summation, whatever the vector width. `inner` is the number of summed products, `columns`
//! the number of result columns computed; entries past them are neither read nor written. All six rows are always
//! computed: rows past a block's size never affect another row.

use super::lanes::{Lanes, Plain};
use super::{TILE, Tile};

pub use super::lanes::Column;

/// Picks the instance of a kernel with `inner` as a compile-time constant.
macro_rules! by_size {
    ($inner:expr, $kernel:ident ( $($argument:expr),* )) => {
        match $inner {
            1 => $kernel::<L, 1>($($argument),*),
            2 => $kernel::<L, 2>($($argument),*),
            3 => $kernel::<L, 3>($($argument),*),
            4 => $kernel::<L, 4>($($argument),*),
            5 => $kernel::<L, 5>($($argument),*),
            _ => $kernel::<L, 6>($($argument),*),
        }
    };
}

/// Copies a tile in halves, which are short enough for registers.
#[inline(always)]
pub fn copy(to: &mut Tile, from: &Tile) {
    const HALF: usize = TILE * TILE / 2;
    to[..HALF].copy_from_slice(&from[..HALF]);
    to[HALF..].copy_from_slice(&from[HALF..]);
}

/// C −= A B.
#[inline(always)]
pub fn subtract_product<L: Lanes>(c: &mut Tile, a: &Tile, b: &Tile, inner: usize, columns: usize) {
    by_size!(inner, subtract_product_n(c, a, b, columns));
}

#[inline(always)]
fn subtract_product_n<L: Lanes, const N: usize>(c: &mut Tile, a: &Tile, b: &Tile, columns: usize) {
    let a: [L; N] = columns_of(a);
    let b = b.as_chunks::<TILE>().0;
    let c = c.as_chunks_mut::<TILE>().0;
    // A single index, which the compiler can prove to be within all tiles.
    for j in 0..columns.min(TILE) {
        less_product(L::load(&c[j]), &a, &b[j]).store(&mut c[j]);
    }
}

/// C = D − A B.
#[inline(always)]
pub fn less_product_of<L: Lanes>(
    (c, d): (&mut Tile, &Tile),
    a: &Tile,
    b: &Tile,
    inner: usize,
    columns: usize,
) {
    by_size!(inner, less_product_of_n((c, d), a, b, columns));
}

#[inline(always)]
fn less_product_of_n<L: Lanes, const N: usize>(
    (c, d): (&mut Tile, &Tile),
    a: &Tile,
    b: &Tile,
    columns: usize,
) {
    let a: [L; N] = columns_of(a);
    let (b, d) = (b.as_chunks::<TILE>().0, d.as_chunks::<TILE>().0);
    let c = c.as_chunks_mut::<TILE>().0;
    for j in 0..columns.min(TILE) {
        less_product(L::load(&d[j]), &a, &b[j]).store(&mut c[j]);
    }
}

/// One column of it.
#[inline(always)]
fn less_product<L: Lanes, const N: usize>(mut sum: L, a: &[L; N], b: &Column) -> L {
    for k in 0..N {
        sum = sum.minus(a[k], L::splat(b[k]));
    }
    sum
}

/// The first columns of a tile.
#[inline(always)]
fn columns_of<L: Lanes, const N: usize>(tile: &Tile) -> [L; N] {
    let columns = tile.as_chunks::<TILE>().0;
    let mut all = [L::splat(0.0); N];
    for (lanes, column) in all.iter_mut().zip(columns) {
        *lanes = L::load(column);
    }
    all
}

/// C = A B for a square B of size `inner`; columns past it become zero.
#[inline(always)]
pub fn product<L: Lanes>(c: &mut Tile, a: &Tile, b: &Tile, inner: usize) {
    by_size!(inner, product_n(c, a, b));
}

#[inline(always)]
fn product_n<L: Lanes, const N: usize>(c: &mut Tile, a: &Tile, b: &Tile) {
    let a: [L; N] = columns_of(a);
    let b = b.as_chunks::<TILE>().0;
    let c = c.as_chunks_mut::<TILE>().0;
    for (j, c) in c.iter_mut().enumerate() {
        let mut sum = L::splat(0.0);
        if j < N {
            for k in 0..N {
                sum = sum.plus(a[k], L::splat(b[j][k]));
            }
        }
        sum.store(c);
    }
}

/// A x of the first `inner` columns.
#[inline(always)]
pub fn matvec<L: Lanes>(a: &Tile, x: &Column, inner: usize) -> L {
    by_size!(inner, alternating(a, x))
}

/// x = D⁻¹ b, x += D⁻¹ (b − D x); the inverse is zero past its size.
#[inline(always)]
pub fn solve_pivot<L: Lanes>(inverse: &Tile, diagonal: &Tile, b: L, size: usize) -> L {
    by_size!(size, solve_pivot_n(inverse, diagonal, b))
}

#[inline(always)]
fn solve_pivot_n<L: Lanes, const N: usize>(inverse: &Tile, diagonal: &Tile, b: L) -> L {
    let mut column = [0.0; TILE];
    b.store(&mut column);
    let x = alternating::<L, N>(inverse, &column);
    x.store(&mut column);
    b.less(alternating::<L, N>(diagonal, &column))
        .store(&mut column);
    x.and(alternating::<L, N>(inverse, &column))
}

/// A x, with separate sums of the products of even and of odd columns: neither sum waits for the other.
#[inline(always)]
fn alternating<L: Lanes, const N: usize>(a: &Tile, x: &Column) -> L {
    let a = a.as_chunks::<TILE>().0;
    let product = |k: usize| L::load(&a[k]).times(L::splat(x[k]));
    let mut even = product(0);
    if N == 1 {
        return even;
    }
    let mut odd = product(1);
    for k in 2..N {
        let (column, factor) = (L::load(&a[k]), L::splat(x[k]));
        if k % 2 == 0 {
            even = even.plus(column, factor);
        } else {
            odd = odd.plus(column, factor);
        }
    }
    even.and(odd)
}

/// Power-of-two scales of one block: rows and columns.
#[derive(Clone, Copy, Debug)]
pub struct BlockScale {
    /// Factors of the rows.
    pub row: Column,
    /// Factors of the columns.
    pub column: Column,
}

/// D⁻¹ of the leading `size`×`size` part, zero elsewhere, and its growth squared.
///
/// Gauss–Jordan elimination. The diagonal entries are the pivots as long as each is comparable with its row (in
/// scaled unknowns), as in the definite tiles of mechanisms; otherwise it starts again with partial pivoting. The
/// growth compares the inverse with the largest values h that the diagonal reached while the tile was formed, in D's
/// own scale:
///
/// ```text
///     growth² = max over i, j of (D⁻¹)ᵢⱼ² hᵢ hⱼ
/// ```
///
/// This is 1 for a diagonal tile, and 1/ε if the diagonal cancelled to ε of its history; it does not depend on any
/// scaling of the unknowns. A tile with a non-finite entry, or an exactly singular one, yields a non-finite growth.
#[inline(always)]
pub fn invert<L: Lanes>(
    inverse: &mut Tile,
    d: &Tile,
    scale: &BlockScale,
    history: &Column,
    size: usize,
) -> f64 {
    by_size!(size, invert_n(inverse, d, scale, history))
}

/// A pivot on the diagonal may be this much smaller than the largest entry of its row: at most two
/// digits are lost in the tile.
const COMPARABLE: f64 = 1.0 / 128.0;

#[inline(always)]
fn invert_n<L: Lanes, const N: usize>(
    inverse: &mut Tile,
    d: &Tile,
    scale: &BlockScale,
    history: &Column,
) -> f64 {
    let mut s: [L; N] = columns_of(d);
    match diagonal_pivots::<L, N>(&mut s, &scale.column) {
        Pivots::Good => {}
        Pivots::Small => return invert_pivoting::<N>(inverse, d, scale, history),
        Pivots::Zero => return no_inverse::<N>(inverse),
    }
    let target = inverse.as_chunks_mut::<TILE>().0;
    for (j, target) in target.iter_mut().enumerate() {
        let column = if j < N { s[j] } else { L::splat(0.0) };
        column.store(target);
        if N < TILE {
            target[N..].fill(0.0);
        }
    }
    lanes_growth(&s, history)
}

/// The result for an exactly singular tile. It avoids a division by zero, which hosts may trap.
#[cold]
fn no_inverse<const N: usize>(inverse: &mut Tile) -> f64 {
    let target = inverse.as_chunks_mut::<TILE>().0;
    target.fill([0.0; TILE]);
    for column in &mut target[..N] {
        column[..N].fill(f64::NAN);
    }
    f64::NAN
}

/// [`growth`] of columns in registers.
#[inline(always)]
fn lanes_growth<L: Lanes, const N: usize>(x: &[L; N], h: &Column) -> f64 {
    let mut largest = L::splat(0.0);
    let mut poison = L::splat(0.0);
    for j in 0..N {
        poison = poison.plus(x[j], L::splat(0.0));
        largest = x[j].times(x[j]).times(L::splat(h[j])).larger(largest);
    }
    let (mut squares, mut zeros) = ([0.0; TILE], [0.0; TILE]);
    largest.store(&mut squares);
    poison.store(&mut zeros);
    let mut growth = 0.0;
    let mut poison = 0.0;
    for i in 0..N {
        growth = larger(squares[i] * h[i], growth);
        poison += zeros[i];
    }
    growth + poison
}

/// max of Xᵢⱼ² hᵢ hⱼ, not finite if X is not; X is an array of columns.
fn growth<const N: usize>(x: &[Column; N], h: &Column) -> f64 {
    lanes_growth(&x.each_ref().map(Plain::<false>::load), h)
}

/// One step of [`diagonal_pivots`], written out so that all indices are constants.
macro_rules! diagonal_step {
    ($lanes:ident, $s:ident, $column:ident, $zero:ident, $good:ident, $n:expr, $k:expr) => {
        if $k < $n {
            let mut row = $lanes::splat(0.0);
            for j in $k + 1..$n {
                let weighed = $s[j].magnitude().times($lanes::splat($column[j]));
                row = weighed.larger(row);
            }
            let pivot = $s[$k];
            let own = pivot.lane::<$k>();
            $good &= own.abs() * $column[$k] >= row.lane::<$k>() * COMPARABLE;
            if own == 0.0 {
                // Before the last pivot, others may be usable.
                let last = $k + 1 == $n;
                return if last && $good {
                    Pivots::Zero
                } else {
                    Pivots::Small
                };
            }
            let pivot = pivot.with::<$k>(1.0).over(pivot.spread::<$k>());
            for j in 0..$n {
                if j != $k {
                    let factor = $s[j].spread::<$k>();
                    $s[j] = $s[j].with::<$k>($zero).minus(factor, pivot);
                }
            }
            $s[$k] = pivot;
        }
    };
}

/// Whether the diagonal entries are usable as pivots.
enum Pivots {
    /// All are comparable with their rows.
    Good,
    /// Some are not.
    Small,
    /// The tile is singular: the last is zero.
    Zero,
}

/// Replaces S, an array of columns, by its inverse, if all pivots are comparable with their rows; entries are
/// weighted by the scales of their columns.
#[inline(always)]
fn diagonal_pivots<L: Lanes, const N: usize>(s: &mut [L; N], column: &Column) -> Pivots {
    // A zero hidden from the compiler: it would blend a known one with a form of VMOVQ that Valgrind 3.19 cannot
    // decode.
    let zero = core::hint::black_box(0.0);
    let mut good = true;
    diagonal_step!(L, s, column, zero, good, N, 0);
    diagonal_step!(L, s, column, zero, good, N, 1);
    diagonal_step!(L, s, column, zero, good, N, 2);
    diagonal_step!(L, s, column, zero, good, N, 3);
    diagonal_step!(L, s, column, zero, good, N, 4);
    diagonal_step!(L, s, column, zero, good, N, 5);
    if good { Pivots::Good } else { Pivots::Small }
}

/// The inverse by partial pivoting, of S = R D C: D⁻¹ = C S⁻¹ R.
///
/// The history is raised to the largest entry of its row, in case the diagonal is zero.
#[inline(never)]
fn invert_pivoting<const N: usize>(
    inverse: &mut Tile,
    d: &Tile,
    scale: &BlockScale,
    history: &Column,
) -> f64 {
    let d = d.as_chunks::<TILE>().0;
    let mut h = [0.0; TILE];
    let mut s = [[0.0; TILE]; N];
    for i in 0..N {
        h[i] = history[i] * scale.row[i] * scale.column[i];
    }
    for j in 0..N {
        for i in 0..N {
            s[j][i] = d[j][i] * scale.row[i] * scale.column[j];
            h[i] = larger(s[j][i].abs(), h[i]);
        }
    }
    let Some(place) = partial_pivots(&mut s) else {
        return no_inverse::<N>(inverse);
    };
    let mut x = [[0.0; TILE]; N];
    for j in 0..N {
        for i in 0..N {
            x[j][i] = s[j][place[i]];
        }
    }
    let target = inverse.as_chunks_mut::<TILE>().0;
    target.fill([0.0; TILE]);
    for j in 0..N {
        for i in 0..N {
            target[j][i] = x[j][i] * scale.column[i] * scale.row[j];
        }
    }
    growth(&x, &h)
}

/// Replaces S by X with S⁻¹ᵢⱼ = X[j][place[i]]; both S and X are arrays of columns.
///
/// Pivots are the largest entries of each row in turn; their columns are swapped into place. `None`: one is zero.
fn partial_pivots<const N: usize>(s: &mut [Column; N]) -> Option<[usize; N]> {
    let mut from: [usize; N] = core::array::from_fn(|i| i);
    for k in 0..N {
        let mut p = k;
        for j in k + 1..N {
            if s[j][k].abs() > s[p][k].abs() {
                p = j;
            }
        }
        s.swap(k, p);
        from.swap(k, p);
        if s[k][k] == 0.0 {
            return None;
        }
        let reciprocal = 1.0 / s[k][k];
        s[k][k] = 1.0;
        for i in 0..TILE {
            s[k][i] *= reciprocal;
        }
        let pivot = s[k];
        for j in 0..N {
            if j != k {
                let factor = s[j][k];
                s[j][k] = 0.0;
                for i in 0..TILE {
                    s[j][i] -= factor * pivot[i];
                }
            }
        }
    }
    let mut place = [0; N];
    for i in 0..N {
        place[from[i]] = i;
    }
    Some(place)
}

/// The larger of two numbers as one instruction; a NaN on the left is dropped.
#[inline(always)]
pub fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// Raises `history` to the magnitudes on the diagonal of `d`.
#[inline(always)]
pub fn raise_history(history: &mut Column, d: &Tile) {
    for i in 0..TILE {
        history[i] = larger(history[i], d[i * TILE + i].abs());
    }
}

#[cfg(test)]
mod tests;

//! Arithmetic on single tiles (data plane): the inner loops of [`super::factor`].
//!
//! Tiles are columns of six; every loop works on whole columns, so that the six rows are
//! independent lanes and each entry keeps its own order of summation, whatever the vector width.
//! `inner` is the number of summed products, `columns` the number of result columns computed;
//! what lies past them is neither read nor written. All six rows are always computed: rows past a
//! block's size stay within themselves and never reach another row.

use super::{TILE, Tile};

/// A column of a tile, or a block of a padded vector.
pub type Column = [f64; TILE];

/// Picks the instance of a kernel whose summation length is the constant `inner`.
macro_rules! by_size {
    ($inner:expr, $kernel:ident ( $($argument:expr),* )) => {
        match $inner {
            1 => $kernel::<1>($($argument),*),
            2 => $kernel::<2>($($argument),*),
            3 => $kernel::<3>($($argument),*),
            4 => $kernel::<4>($($argument),*),
            5 => $kernel::<5>($($argument),*),
            _ => $kernel::<6>($($argument),*),
        }
    };
}

/// C −= A B.
#[inline]
pub fn subtract_product(c: &mut Tile, a: &Tile, b: &Tile, inner: usize, columns: usize) {
    by_size!(inner, subtract_product_n(c, a, b, columns));
}

#[inline(always)]
fn subtract_product_n<const N: usize>(c: &mut Tile, a: &Tile, b: &Tile, columns: usize) {
    let a = a.as_chunks::<TILE>().0;
    let b = b.as_chunks::<TILE>().0;
    let c = c.as_chunks_mut::<TILE>().0;
    for (c, b) in c.iter_mut().zip(b).take(columns) {
        let mut sum = *c;
        for k in 0..N {
            for i in 0..TILE {
                sum[i] -= a[k][i] * b[k];
            }
        }
        *c = sum;
    }
}

/// C = A B for a square B of size `inner`; columns past it become zero.
#[inline]
pub fn product(c: &mut Tile, a: &Tile, b: &Tile, inner: usize) {
    by_size!(inner, product_n(c, a, b));
}

#[inline(always)]
fn product_n<const N: usize>(c: &mut Tile, a: &Tile, b: &Tile) {
    let a = a.as_chunks::<TILE>().0;
    let b = b.as_chunks::<TILE>().0;
    let c = c.as_chunks_mut::<TILE>().0;
    for (c, b) in c.iter_mut().zip(b).take(N) {
        let mut sum = [0.0; TILE];
        for k in 0..N {
            for i in 0..TILE {
                sum[i] += a[k][i] * b[k];
            }
        }
        *c = sum;
    }
    for c in c.iter_mut().skip(N) {
        *c = [0.0; TILE];
    }
}

/// y −= A x.
#[inline]
pub fn subtract_matvec(y: &mut Column, a: &Tile, x: &Column, inner: usize) {
    by_size!(inner, subtract_matvec_n(y, a, x));
}

#[inline(always)]
fn subtract_matvec_n<const N: usize>(y: &mut Column, a: &Tile, x: &Column) {
    let a = a.as_chunks::<TILE>().0;
    let mut sum = *y;
    for k in 0..N {
        for i in 0..TILE {
            sum[i] -= a[k][i] * x[k];
        }
    }
    *y = sum;
}

/// y += A x.
#[inline]
pub fn add_matvec(y: &mut Column, a: &Tile, x: &Column, inner: usize) {
    by_size!(inner, add_matvec_n(y, a, x));
}

#[inline(always)]
fn add_matvec_n<const N: usize>(y: &mut Column, a: &Tile, x: &Column) {
    let a = a.as_chunks::<TILE>().0;
    let mut sum = *y;
    for k in 0..N {
        for i in 0..TILE {
            sum[i] += a[k][i] * x[k];
        }
    }
    *y = sum;
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
/// The inverse is taken of S = R D C by Gauss–Jordan elimination with partial pivoting (among
/// columns, which lie contiguous), D⁻¹ = C S⁻¹ R. The growth compares the inverse with the largest
/// values h that the diagonal ever had while the tile was formed (in D's own scale, raised here to
/// the largest of the row):
///
/// ```text
///     growth² = max over i, j of (D⁻¹)ᵢⱼ² hᵢ hⱼ
/// ```
///
/// which is 1 for a diagonal tile and 1/ε where the diagonal cancelled down to ε of its history;
/// it does not depend on any scaling of the unknowns. A tile with a non-finite entry, or an
/// exactly singular one, yields a non-finite growth.
#[inline]
pub fn invert(
    inverse: &mut Tile,
    d: &Tile,
    scale: &BlockScale,
    history: &Column,
    size: usize,
) -> f64 {
    by_size!(size, invert_n(inverse, d, scale, history))
}

fn invert_n<const N: usize>(
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
            h[i] = larger(h[i], s[j][i].abs());
        }
    }
    let place = gauss_jordan(&mut s);
    // growth on the scaled inverse: the scales cancel
    let inverse = inverse.as_chunks_mut::<TILE>().0;
    let mut growth = 0.0;
    let mut poison = 0.0;
    for j in 0..N {
        let mut column = [0.0; TILE];
        for i in 0..N {
            column[i] = s[j][place[i]];
        }
        poison += column[j] * 0.0;
        for i in 0..N {
            growth = larger(growth, column[i] * column[i] * h[i] * h[j]);
            column[i] *= scale.column[i] * scale.row[j];
        }
        inverse[j] = column;
    }
    for column in inverse.iter_mut().skip(N) {
        *column = [0.0; TILE];
    }
    growth + poison
}

/// Replaces S by X with S⁻¹ᵢⱼ = X[j][place[i]]; both S and X are arrays of columns.
///
/// Pivots are the largest entries of each row in turn; their columns are swapped into place.
#[inline(always)]
fn gauss_jordan<const N: usize>(s: &mut [Column; N]) -> [usize; N] {
    let mut from: [usize; N] = std::array::from_fn(|i| i);
    for k in 0..N {
        let mut p = k;
        let mut best = s[k][k].abs();
        for j in k + 1..N {
            let candidate = s[j][k].abs();
            let better = candidate > best;
            best = if better { candidate } else { best };
            p = if better { j } else { p };
        }
        s.swap(k, p);
        from.swap(k, p);
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
    place
}

/// The larger of two numbers as one instruction; a NaN on the left is dropped.
#[inline(always)]
pub fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// Raises `history` to the magnitudes on the diagonal of `d`.
#[inline]
pub fn raise_history(history: &mut Column, d: &Tile) {
    for i in 0..TILE {
        history[i] = larger(history[i], d[i * TILE + i].abs());
    }
}

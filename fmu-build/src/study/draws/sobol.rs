//! Control plane: the sequence of Sobol in base 2, scrambled.
//!
//! Direction numbers are those of Joe and Kuo (*Constructing Sobol sequences with better two-dimensional projections*, SIAM J.
//! Sci. Comput. 30, 2008; file `new-joe-kuo-6.21201`). Scrambling is Owen's: every bit of a coordinate is flipped or not by a
//! random bit that depends on all bits before it (*Randomly permuted (t,m,s)-nets and (t,s)-sequences*, 1995). It keeps what
//! makes the sequence even, and each point by itself is uniform. The first point stays: without it, 2ⁿ points are not a net.

use super::{Purpose, bits};

/// Columns that the table serves.
pub const COLUMNS: usize = DIRECTIONS.len() + 1;

/// Bits of a coordinate.
const BITS: u32 = 32;

/// The direction numbers of a column, the most significant bit first.
fn directions(column: usize) -> [u32; BITS as usize] {
    let mut all = [0; BITS as usize];
    let Some((polynomial, first)) = column.checked_sub(1).and_then(|k| DIRECTIONS.get(k)) else {
        for (k, direction) in all.iter_mut().enumerate() {
            *direction = 1 << (BITS - 1 - k as u32);
        }
        return all;
    };
    let degree = first.len();
    for k in 0..BITS as usize {
        all[k] = if k < degree {
            u32::from(first[k]) << (BITS - 1 - k as u32)
        } else {
            let mut next = all[k - degree] ^ (all[k - degree] >> degree);
            for j in 1..degree {
                if (polynomial >> (degree - 1 - j)) & 1 == 1 {
                    next ^= all[k - j];
                }
            }
            next
        };
    }
    all
}

/// A coordinate of the sequence as it is, in 32 bits behind the point.
pub fn plain(column: usize, index: u32) -> u32 {
    // Gray code is for those who want one point after the other.
    let chosen = directions(column).into_iter().enumerate();
    let chosen = chosen.filter(|(k, _)| (index >> k) & 1 == 1);
    chosen.fold(0, |sum, (_, direction)| sum ^ direction)
}

/// A coordinate of the scrambled sequence, between 0 and 1, both excluded.
pub fn scrambled(seed: u64, column: usize, index: u32) -> f64 {
    let plain = plain(column, index);
    let mut out = plain;
    for k in 0..BITS {
        // The bits before this one, behind a one that tells how many they are.
        let before = (1_u64 << k) | (u64::from(plain) >> (BITS - k));
        let flip = bits(seed, Purpose::Scramble, column as u32, before) >> 63;
        out ^= (flip as u32) << (BITS - 1 - k);
    }
    (f64::from(out) + 0.5) / (1_u64 << BITS) as f64
}

/// From the second column on: the coefficients of the primitive polynomial between the first and the last, and the first
/// direction numbers.
const DIRECTIONS: [(u16, &[u16]); 99] = [
    (0, &[1]),
    (1, &[1, 3]),
    (1, &[1, 3, 1]),
    (2, &[1, 1, 1]),
    (1, &[1, 1, 3, 3]),
    (4, &[1, 3, 5, 13]),
    (2, &[1, 1, 5, 5, 17]),
    (4, &[1, 1, 5, 5, 5]),
    (7, &[1, 1, 7, 11, 19]),
    (11, &[1, 1, 5, 1, 1]),
    (13, &[1, 1, 1, 3, 11]),
    (14, &[1, 3, 5, 5, 31]),
    (1, &[1, 3, 3, 9, 7, 49]),
    (13, &[1, 1, 1, 15, 21, 21]),
    (16, &[1, 3, 1, 13, 27, 49]),
    (19, &[1, 1, 1, 15, 7, 5]),
    (22, &[1, 3, 1, 15, 13, 25]),
    (25, &[1, 1, 5, 5, 19, 61]),
    (1, &[1, 3, 7, 11, 23, 15, 103]),
    (4, &[1, 3, 7, 13, 13, 15, 69]),
    (7, &[1, 1, 3, 13, 7, 35, 63]),
    (8, &[1, 3, 5, 9, 1, 25, 53]),
    (14, &[1, 3, 1, 13, 9, 35, 107]),
    (19, &[1, 3, 1, 5, 27, 61, 31]),
    (21, &[1, 1, 5, 11, 19, 41, 61]),
    (28, &[1, 3, 5, 3, 3, 13, 69]),
    (31, &[1, 1, 7, 13, 1, 19, 1]),
    (32, &[1, 3, 7, 5, 13, 19, 59]),
    (37, &[1, 1, 3, 9, 25, 29, 41]),
    (41, &[1, 3, 5, 13, 23, 1, 55]),
    (42, &[1, 3, 7, 3, 13, 59, 17]),
    (50, &[1, 3, 1, 3, 5, 53, 69]),
    (55, &[1, 1, 5, 5, 23, 33, 13]),
    (56, &[1, 1, 7, 7, 1, 61, 123]),
    (59, &[1, 1, 7, 9, 13, 61, 49]),
    (62, &[1, 3, 3, 5, 3, 55, 33]),
    (14, &[1, 3, 1, 15, 31, 13, 49, 245]),
    (21, &[1, 3, 5, 15, 31, 59, 63, 97]),
    (22, &[1, 3, 1, 11, 11, 11, 77, 249]),
    (38, &[1, 3, 1, 11, 27, 43, 71, 9]),
    (47, &[1, 1, 7, 15, 21, 11, 81, 45]),
    (49, &[1, 3, 7, 3, 25, 31, 65, 79]),
    (50, &[1, 3, 1, 1, 19, 11, 3, 205]),
    (52, &[1, 1, 5, 9, 19, 21, 29, 157]),
    (56, &[1, 3, 7, 11, 1, 33, 89, 185]),
    (67, &[1, 3, 3, 3, 15, 9, 79, 71]),
    (70, &[1, 3, 7, 11, 15, 39, 119, 27]),
    (84, &[1, 1, 3, 1, 11, 31, 97, 225]),
    (97, &[1, 1, 1, 3, 23, 43, 57, 177]),
    (103, &[1, 3, 7, 7, 17, 17, 37, 71]),
    (115, &[1, 3, 1, 5, 27, 63, 123, 213]),
    (122, &[1, 1, 3, 5, 11, 43, 53, 133]),
    (8, &[1, 3, 5, 5, 29, 17, 47, 173, 479]),
    (13, &[1, 3, 3, 11, 3, 1, 109, 9, 69]),
    (16, &[1, 1, 1, 5, 17, 39, 23, 5, 343]),
    (22, &[1, 3, 1, 5, 25, 15, 31, 103, 499]),
    (25, &[1, 1, 1, 11, 11, 17, 63, 105, 183]),
    (44, &[1, 1, 5, 11, 9, 29, 97, 231, 363]),
    (47, &[1, 1, 5, 15, 19, 45, 41, 7, 383]),
    (52, &[1, 3, 7, 7, 31, 19, 83, 137, 221]),
    (55, &[1, 1, 1, 3, 23, 15, 111, 223, 83]),
    (59, &[1, 1, 5, 13, 31, 15, 55, 25, 161]),
    (62, &[1, 1, 3, 13, 25, 47, 39, 87, 257]),
    (67, &[1, 1, 1, 11, 21, 53, 125, 249, 293]),
    (74, &[1, 1, 7, 11, 11, 7, 57, 79, 323]),
    (81, &[1, 1, 5, 5, 17, 13, 81, 3, 131]),
    (82, &[1, 1, 7, 13, 23, 7, 65, 251, 475]),
    (87, &[1, 3, 5, 1, 9, 43, 3, 149, 11]),
    (91, &[1, 1, 3, 13, 31, 13, 13, 255, 487]),
    (94, &[1, 3, 3, 1, 5, 63, 89, 91, 127]),
    (103, &[1, 1, 3, 3, 1, 19, 123, 127, 237]),
    (104, &[1, 1, 5, 7, 23, 31, 37, 243, 289]),
    (109, &[1, 1, 5, 11, 17, 53, 117, 183, 491]),
    (122, &[1, 1, 1, 5, 1, 13, 13, 209, 345]),
    (124, &[1, 1, 3, 15, 1, 57, 115, 7, 33]),
    (137, &[1, 3, 1, 11, 7, 43, 81, 207, 175]),
    (138, &[1, 3, 1, 1, 15, 27, 63, 255, 49]),
    (143, &[1, 3, 5, 3, 27, 61, 105, 171, 305]),
    (145, &[1, 1, 5, 3, 1, 3, 57, 249, 149]),
    (152, &[1, 1, 3, 5, 5, 57, 15, 13, 159]),
    (157, &[1, 1, 1, 11, 7, 11, 105, 141, 225]),
    (167, &[1, 3, 3, 5, 27, 59, 121, 101, 271]),
    (173, &[1, 3, 5, 9, 11, 49, 51, 59, 115]),
    (176, &[1, 1, 7, 1, 23, 45, 125, 71, 419]),
    (181, &[1, 1, 3, 5, 23, 5, 105, 109, 75]),
    (182, &[1, 1, 7, 15, 7, 11, 67, 121, 453]),
    (185, &[1, 3, 7, 3, 9, 13, 31, 27, 449]),
    (191, &[1, 3, 1, 15, 19, 39, 39, 89, 15]),
    (194, &[1, 1, 1, 1, 1, 33, 73, 145, 379]),
    (199, &[1, 3, 1, 15, 15, 43, 29, 13, 483]),
    (218, &[1, 1, 7, 3, 19, 27, 85, 131, 431]),
    (220, &[1, 3, 3, 3, 5, 35, 23, 195, 349]),
    (227, &[1, 3, 3, 7, 9, 27, 39, 59, 297]),
    (229, &[1, 1, 3, 9, 11, 17, 13, 241, 157]),
    (230, &[1, 3, 7, 15, 25, 57, 33, 189, 213]),
    (234, &[1, 1, 7, 1, 9, 55, 73, 83, 217]),
    (236, &[1, 3, 3, 13, 19, 27, 23, 113, 249]),
    (241, &[1, 3, 5, 3, 23, 43, 3, 253, 479]),
    (244, &[1, 1, 5, 5, 11, 5, 45, 117, 217]),
];

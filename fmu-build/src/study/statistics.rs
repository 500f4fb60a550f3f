//! Control plane: statistics of the table of a study.

use fixstep_kernel::math;

/// The 97.5 % quantile of the normal distribution: two sides leave 95 %.
const NORMAL_95: f64 = 1.959_963_984_540_054;

/// The quantile of sorted numbers, on straight lines between them (type 7 of Hyndman and Fan, *The American Statistician* 50,
/// 1996); NaN without numbers.
pub fn quantile(sorted: &[f64], part: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else {
        return f64::NAN;
    };
    let place = part * last as f64;
    let below = (place as usize).min(last);
    let above = (below + 1).min(last);
    sorted[below] + (place - below as f64) * (sorted[above] - sorted[below])
}

/// The mean.
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The standard deviation of a sample; 0 of a single number.
pub fn deviation(values: &[f64]) -> f64 {
    let middle = mean(values);
    let squares: f64 = values.iter().map(|x| (x - middle) * (x - middle)).sum();
    (squares / (values.len().max(2) - 1) as f64).sqrt()
}

/// The 95 % interval of a share of which `passed` of `all` were seen (Wilson, *J. Am. Stat. Assoc.* 22, 1927).
pub fn wilson(passed: usize, all: usize) -> [f64; 2] {
    let (n, share) = (all as f64, passed as f64 / all as f64);
    let z2 = NORMAL_95 * NORMAL_95;
    let middle = share + z2 / (2.0 * n);
    let half = NORMAL_95 * (share * (1.0 - share) / n + z2 / (4.0 * n * n)).sqrt();
    let whole = 1.0 + z2 / n;
    [
        ((middle - half) / whole).max(0.0),
        ((middle + half) / whole).min(1.0),
    ]
}

/// Ranks from 1; equal numbers share the mean of theirs.
pub fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
    let mut ranks = vec![0.0; values.len()];
    let mut from = 0;
    while from < order.len() {
        let same = |k: &usize| values[*k] == values[order[from]];
        let to = from + order[from..].iter().take_while(|k| same(k)).count().max(1);
        let shared = f64::midpoint(from as f64 + 1.0, to as f64);
        order[from..to].iter().for_each(|k| ranks[*k] = shared);
        from = to;
    }
    ranks
}

/// The correlation of two columns; `None`: one of them does not vary.
pub fn correlation(x: &[f64], y: &[f64]) -> Option<f64> {
    let (x, y) = (standard(x)?, standard(y)?);
    let sum: f64 = x.iter().zip(&y).map(|(x, y)| x * y).sum();
    Some(sum / (x.len() - 1) as f64)
}

/// A column less its mean, by its deviation; `None`: it does not vary.
fn standard(values: &[f64]) -> Option<Vec<f64>> {
    let (middle, size) = (mean(values), deviation(values));
    let varies = values.len() > 1 && size > 1e-12 * middle.abs() && size.is_finite();
    varies.then(|| values.iter().map(|x| (x - middle) / size).collect())
}

/// A linear regression of standardised columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Regression {
    /// The change of the result, by its deviation, for a change of each column by its deviation.
    pub coefficients: Vec<f64>,
    /// The part of the variance that it explains.
    pub explained: f64,
}

/// Fits a result by all columns; `None` if there are not more rows than columns, or the columns do not tell their effects
/// apart.
pub fn regression(columns: &[Vec<f64>], result: &[f64]) -> Option<Regression> {
    if result.len() < columns.len() + 2 || columns.is_empty() {
        return None;
    }
    let y = standard(result)?;
    let x: Vec<Vec<f64>> = columns
        .iter()
        .map(|column| standard(column))
        .collect::<Option<_>>()?;
    let n = (y.len() - 1) as f64;
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>() / n;
    let size = x.len();
    // The Cholesky factor of the correlations of the columns.
    let mut factor = vec![vec![0.0; size]; size];
    for i in 0..size {
        for j in 0..=i {
            let before: f64 = (0..j).map(|k| factor[i][k] * factor[j][k]).sum();
            let rest = dot(&x[i], &x[j]) - before;
            factor[i][j] = if i == j {
                if rest < 1e-9 {
                    return None;
                }
                rest.sqrt()
            } else {
                rest / factor[j][j]
            };
        }
    }
    let right: Vec<f64> = x.iter().map(|column| dot(column, &y)).collect();
    let mut middle = vec![0.0; size];
    for i in 0..size {
        let before: f64 = (0..i).map(|k| factor[i][k] * middle[k]).sum();
        middle[i] = (right[i] - before) / factor[i][i];
    }
    let mut coefficients = vec![0.0; size];
    for i in (0..size).rev() {
        let after: f64 = (i + 1..size).map(|k| factor[k][i] * coefficients[k]).sum();
        coefficients[i] = (middle[i] - after) / factor[i][i];
    }
    let explained = coefficients
        .iter()
        .zip(&right)
        .map(|(a, b)| a * b)
        .sum::<f64>();
    Some(Regression {
        coefficients,
        explained: math::held(explained, 0.0, 1.0),
    })
}

/// The part of the variance of a result that a column explains alone, its first-order index, from draws in which columns are
/// independent: products of results that are neighbours in the order of the column (Gamboa, Gremaud, Klein and Lagnoux,
/// *Bernoulli* 28, 2022). Of few draws it may be a little below 0.
pub fn first_order(column: &[f64], result: &[f64]) -> Option<f64> {
    let y = standard(result)?;
    standard(column)?;
    let mut order: Vec<usize> = (0..y.len()).collect();
    order.sort_by(|a, b| column[*a].total_cmp(&column[*b]).then(a.cmp(b)));
    let next = order.iter().cycle().skip(1);
    let products: f64 = order.iter().zip(next).map(|(a, b)| y[*a] * y[*b]).sum();
    Some(products / (y.len() - 1) as f64)
}

/// The same of a grid, where it is exact: the variance of the means at each value of the column.
pub fn first_order_of_grid(column: &[f64], result: &[f64]) -> Option<f64> {
    let y = standard(result)?;
    let mut order: Vec<usize> = (0..y.len()).collect();
    order.sort_by(|a, b| column[*a].total_cmp(&column[*b]).then(a.cmp(b)));
    let mut sum = 0.0;
    for group in order.chunk_by(|a, b| column[*a] == column[*b]) {
        let middle = group.iter().map(|k| y[*k]).sum::<f64>() / group.len() as f64;
        sum += group.len() as f64 * middle * middle;
    }
    Some(sum / (y.len() - 1) as f64)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::study::draws::{Purpose, unit};

    fn draws(column: u32, runs: usize) -> Vec<f64> {
        let one = |k| unit(5, Purpose::Independent, column, k as u64);
        (0..runs).map(one).collect()
    }

    #[test]
    fn quantiles_means_and_deviations() {
        let sorted = [1.0, 2.0, 4.0, 8.0];
        assert_eq!(quantile(&sorted, 0.5), 3.0);
        assert_eq!((quantile(&sorted, 0.0), quantile(&sorted, 1.0)), (1.0, 8.0));
        assert!(quantile(&[], 0.5).is_nan());
        assert_eq!(
            (mean(&sorted), deviation(&[1.0, 3.0])),
            (3.75, 2.0_f64.sqrt())
        );
    }

    #[test]
    fn the_interval_of_a_share_is_that_of_wilson() {
        // Newcombe, Statistics in Medicine 17 (1998), table I: 81 of 263, and 0 of 20.
        let near = |found: [f64; 2], known: [f64; 2]| {
            assert!(
                found.iter().zip(known).all(|(a, b)| (a - b).abs() < 5e-5),
                "{found:?}"
            );
        };
        near(wilson(81, 263), [0.2553, 0.3662]);
        near(wilson(0, 20), [0.0, 0.1611]);
    }

    #[test]
    fn ranks_are_shared_by_equal_numbers() {
        assert_eq!(ranks(&[3.0, 1.0, 3.0, 2.0]), [3.5, 1.0, 3.5, 2.0]);
        let cubes: Vec<f64> = draws(0, 50).iter().map(|x| x * x * x).collect();
        let same = correlation(&ranks(&draws(0, 50)), &ranks(&cubes)).unwrap();
        assert!((same - 1.0).abs() < 1e-12);
        assert_eq!(correlation(&[1.0, 1.0], &[1.0, 2.0]), None);
    }

    #[test]
    fn sensitivities_of_a_sum_are_its_weights() {
        let columns = [draws(0, 4000), draws(1, 4000), draws(2, 4000)];
        let y: Vec<f64> = (0..4000)
            .map(|k| 3.0 * columns[0][k] - 4.0 * columns[1][k])
            .collect();
        let fit = regression(&columns, &y).unwrap();
        for (found, known) in fit.coefficients.iter().zip([0.6, -0.8, 0.0]) {
            assert!((found - known).abs() < 0.02, "{fit:?}");
        }
        assert!(fit.explained > 1.0 - 1e-9);
        for (column, known) in columns.iter().zip([0.36, 0.64, 0.0]) {
            let found = first_order(column, &y).unwrap();
            assert!((found - known).abs() < 0.05, "{found} {known}");
        }
        let twice = [columns[0].clone(), columns[0].clone()];
        assert_eq!(regression(&twice, &y), None);
    }

    #[test]
    fn a_grid_gives_exact_shares() {
        let (mut a, mut b, mut y) = (Vec::new(), Vec::new(), Vec::new());
        for k in 0..12 {
            let (i, j) = (f64::from(k / 4), f64::from(k % 4));
            a.push(i);
            b.push(j);
            y.push(2.0 * i + j * j);
        }
        let shares = [&a, &b].map(|column| first_order_of_grid(column, &y).unwrap());
        assert!((shares[0] + shares[1] - 1.0).abs() < 1e-12, "{shares:?}");
        // 4 · 2/3 against the variance of 0, 1, 4, 9.
        assert!((shares[0] - (8.0 / 3.0) / (8.0 / 3.0 + 12.25)).abs() < 1e-12);
    }
}

//! Cholesky decomposition of symmetric positive definite matrices.

/// A decomposed matrix, scaled to a unit diagonal to distinguish dependent rows from small ones.
#[derive(Clone, Debug)]
pub struct Cholesky {
    /// The square roots of the diagonal.
    scale: Vec<f64>,
    /// The lower triangle whose product with its transpose is the scaled matrix.
    lower: Vec<Vec<f64>>,
}

/// Pivot at or below which a row counts as dependent.
const DEPENDENT: f64 = 1e-13;

impl Cholesky {
    /// Decomposes a `size` x `size` matrix from its lower triangle. `None` if a row depends on others.
    pub fn of(size: usize, matrix: impl Fn(usize, usize) -> f64) -> Option<Self> {
        let scale: Vec<f64> = (0..size).map(|index| matrix(index, index).sqrt()).collect();
        let mut lower: Vec<Vec<f64>> = Vec::with_capacity(size);
        for i in 0..size {
            let mut row: Vec<f64> = Vec::with_capacity(i + 1);
            for j in 0..i {
                let dot: f64 = (0..j).map(|k| row[k] * lower[j][k]).sum();
                row.push((matrix(i, j) / (scale[i] * scale[j]) - dot) / lower[j][j]);
            }
            let dot: f64 = row.iter().map(|number| number * number).sum();
            let pivot = matrix(i, i) / (scale[i] * scale[i]) - dot;
            // NaN if the diagonal is not positive.
            if pivot.is_nan() || pivot <= DEPENDENT {
                return None;
            }
            row.push(pivot.sqrt());
            lower.push(row);
        }
        Some(Self { scale, lower })
    }

    /// Solves `matrix * x = right`.
    pub fn solve(&self, right: &[f64]) -> Vec<f64> {
        let mut x = self.forward(right);
        for i in (0..x.len()).rev() {
            let dot: f64 = (i + 1..x.len()).map(|k| self.lower[k][i] * x[k]).sum();
            x[i] = (x[i] - dot) / self.lower[i][i];
        }
        x.iter().zip(&self.scale).map(|(x, scale)| x / scale).collect()
    }

    /// The diagonal of the inverse.
    pub fn inverse_diagonal(&self) -> Vec<f64> {
        let of_column = |column: usize| {
            let mut unit = vec![0.0; self.scale.len()];
            unit[column] = 1.0;
            self.forward(&unit).iter().map(|number| number * number).sum()
        };
        (0..self.scale.len()).map(of_column).collect()
    }

    /// Solves `lower * x = right`, with `right` scaled first.
    fn forward(&self, right: &[f64]) -> Vec<f64> {
        let mut x: Vec<f64> = right.iter().zip(&self.scale).map(|(right, scale)| right / scale).collect();
        for (i, row) in self.lower.iter().enumerate() {
            let dot: f64 = row[..i].iter().zip(&x).map(|(lower, x)| lower * x).sum();
            x[i] = (x[i] - dot) / row[i];
        }
        x
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;

    /// The Gram matrix of random columns of very different magnitudes.
    fn matrix(rng: &mut Rng, rows: usize, size: usize) -> Vec<Vec<f64>> {
        let columns: Vec<Vec<f64>> = (0..size)
            .map(|column| (0..rows).map(|_| (rng.f64() - 0.5) * 10f64.powi(column as i32 % 7 - 3)).collect())
            .collect();
        let product = |a: &Vec<f64>, b: &Vec<f64>| a.iter().zip(b).map(|(a, b)| a * b).sum();
        columns.iter().map(|a| columns.iter().map(|b| product(a, b)).collect()).collect()
    }

    #[test]
    fn solves_and_inverts_the_diagonal() {
        let mut rng = Rng::with_seed(11);
        for size in 1..30 {
            let matrix = matrix(&mut rng, size + 5, size);
            let decomposed = Cholesky::of(size, |i, j| matrix[i][j]).unwrap();
            let expected: Vec<f64> = (0..size).map(|_| rng.f64() - 0.5).collect();
            let right: Vec<f64> =
                matrix.iter().map(|row| row.iter().zip(&expected).map(|(a, x)| a * x).sum()).collect();
            for (found, expected) in decomposed.solve(&right).iter().zip(&expected) {
                assert!((found - expected).abs() < 1e-6, "{found} for {expected}");
            }
            for (column, found) in decomposed.inverse_diagonal().into_iter().enumerate() {
                let mut unit = vec![0.0; size];
                unit[column] = 1.0;
                let expected = decomposed.solve(&unit)[column];
                assert!((found / expected - 1.0).abs() < 1e-9, "{found} for {expected}");
            }
        }
    }

    #[test]
    fn dependent_rows_are_detected() {
        let mut rng = Rng::with_seed(12);
        // More columns than rows.
        let matrix = matrix(&mut rng, 4, 6);
        assert!(Cholesky::of(6, |i, j| matrix[i][j]).is_none());
        assert!(Cholesky::of(2, |_, _| 0.0).is_none());
        assert!(Cholesky::of(0, |_, _| 0.0).is_some_and(|empty| empty.solve(&[]).is_empty()));
    }
}

//! The field's way, as a baseline: plain loops over rows, two threads or as many
//! as there are, Adam with rate 1, β 0.9 and 0.999, ε 1e-8, without correction
//! of the bias.
//!
//! Laid out as the tuner that most engines use lays it out: per row a list of
//! coefficient and index, two numbers a weight, everything in `f64`.

use rayon::prelude::*;
use tuner_base::Slot;
use tuner_rows::TraceSet;

struct Row {
    coefficients: Vec<(i16, u16)>,
    factors: [f64; 2],
    constant: f64,
    outcome: f64,
}

/// The rows, and where Adam is.
pub(crate) struct Plain {
    rows: Vec<Row>,
    beta: f64,
    weights: Vec<[f64; 2]>,
    mean: Vec<[f64; 2]>,
    square: Vec<[f64; 2]>,
    gradient: Vec<[f64; 2]>,
}

impl Plain {
    /// Takes the rows over; `None` if they are more than one tapered segment each.
    pub(crate) fn new(traces: &TraceSet, beta: f64) -> Option<Self> {
        let row = |row: tuner_rows::Row<'_>| {
            let mut segments = row.segments();
            let segment = segments.next()?;
            if segments.next().is_some() || row.expression().is_some() {
                return None;
            }
            let entry =
                |(slot, c): (Slot, [i16; 2])| (c[0] == c[1]).then_some((c[0], slot.0 as u16));
            Some(Row {
                coefficients: segment.entries().map(entry).collect::<Option<_>>()?,
                factors: segment.factors,
                constant: row.constant(),
                outcome: row.outcome(),
            })
        };
        let zero = vec![[0.0; 2]; traces.slots()];
        Some(Self {
            rows: traces
                .rows(0..traces.len())
                .map(row)
                .collect::<Option<_>>()?,
            beta,
            weights: zero.clone(),
            mean: zero.clone(),
            square: zero.clone(),
            gradient: zero,
        })
    }

    /// One epoch; returns E before its step.
    pub(crate) fn epoch(&mut self) -> f64 {
        let share = self.rows.len().div_ceil(rayon::current_num_threads());
        let parts: Vec<(f64, Vec<[f64; 2]>)> = self
            .rows
            .par_chunks(share)
            .map(|rows| self.part(rows))
            .collect();
        let mut error = 0.0;
        self.gradient.fill([0.0; 2]);
        for (part, gradient) in parts {
            error += part;
            for (sum, value) in self.gradient.iter_mut().zip(gradient) {
                sum[0] += value[0];
                sum[1] += value[1];
            }
        }
        let count = self.rows.len() as f64;
        self.step(2.0 * self.beta / count);
        error / count
    }

    /// Error and unscaled gradient of some rows.
    fn part(&self, rows: &[Row]) -> (f64, Vec<[f64; 2]>) {
        pulp::Arch::new().dispatch(Part { of: self, rows })
    }

    fn step(&mut self, scale: f64) {
        for (index, gradient) in self.gradient.iter().enumerate() {
            for (lane, gradient) in gradient.iter().enumerate() {
                let gradient = scale * gradient;
                let mean = &mut self.mean[index][lane];
                *mean = 0.9 * *mean + 0.1 * gradient;
                let square = &mut self.square[index][lane];
                *square = 0.999 * *square + 0.001 * gradient * gradient;
                self.weights[index][lane] -= *mean / (1e-8 + square.sqrt());
            }
        }
    }
}

/// Some rows, compiled for this processor as others are by `-march=native`.
struct Part<'a> {
    of: &'a Plain,
    rows: &'a [Row],
}

impl pulp::NullaryFnOnce for Part<'_> {
    type Output = (f64, Vec<[f64; 2]>);

    #[inline(always)] // as pulp asks for
    fn call(self) -> Self::Output {
        let Self { of, rows } = self;
        let mut gradient = vec![[0.0; 2]; of.weights.len()];
        let mut error = 0.0;
        for row in rows {
            let mut sums = [0.0_f64; 2];
            for &(c, index) in &row.coefficients {
                let c = f64::from(c);
                let weight = &of.weights[usize::from(index)];
                for lane in 0..2 {
                    sums[lane] = c.mul_add(weight[lane], sums[lane]);
                }
            }
            let score = row.constant + row.factors[0] * sums[0] + row.factors[1] * sums[1];
            let p = 1.0 / (1.0 + (-of.beta * score).exp());
            let residual = p - row.outcome;
            error += residual * residual;
            let slope = residual * p * (1.0 - p);
            let slopes = row.factors.map(|factor| slope * factor);
            for &(c, index) in &row.coefficients {
                let c = f64::from(c);
                let sum = &mut gradient[usize::from(index)];
                for lane in 0..2 {
                    sum[lane] = c.mul_add(slopes[lane], sum[lane]);
                }
            }
        }
        (error, gradient)
    }
}

//! Tuning by games: simultaneous perturbation stochastic approximation (SPSA), as
//! fishtest and OpenBench run it.
//!
//! All numbers are moved at once, each up or down by its perturbation at random, and the
//! two sides play a pair of games. What won is moved toward by a little. Errors of
//! positions say nothing here, games everything, so it takes tens of thousands of them,
//! and for few numbers only.
//!
//! *Source*: J. Spall, "Multivariate stochastic approximation using a simultaneous
//! perturbation gradient approximation", IEEE Transactions on Automatic Control 37 (1992),
//! with the usual exponents (0.602 and 0.101).

use rand::RngExt;

use tuner_play::generator;

/// Exponents of the gains and of the perturbations.
const ALPHA: f64 = 0.602;
const GAMMA: f64 = 0.101;

/// The part of all pairs by which gains are damped at the start.
const DAMPED: f64 = 0.1;

/// A rate, the number of pairs that it suits, and the power by which it falls with more of them: to
/// the 0.002 of fishtest for ten times as many. By simulation: what is far off comes back, and what
/// is at its best stays.
const USUAL: (f64, f64, f64) = (0.01, 10_000.0, 0.7);
/// The least and the largest usual rate.
const RATES: (f64, f64) = (0.0005, 0.05);

/// Random numbers of pairs are drawn from another stream than their openings.
const STREAM: u64 = 0x5053_4153;

/// How far and how fast numbers move.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SpsaSettings {
    /// The seed of all random numbers.
    pub seed: u64,
    /// Pairs in all.
    pub pairs: u64,
    /// By number: how far it is perturbed in the last pair; earlier ones go further. 0
    /// leaves it where it is.
    pub perturbations: Vec<f64>,
    /// By number: the step of the grid on which games are played.
    pub steps: Vec<f64>,
    /// By number: the least and the largest value.
    pub bounds: Vec<(f64, f64)>,
    /// By number: how far a won game of the last pair moves it, in its perturbations.
    pub rates: Vec<f64>,
}

/// Which way each number goes in a pair, and where the grid is met.
#[derive(Clone, Debug, PartialEq)]
struct Draw {
    /// By number: whether the first side plays with the larger value.
    up: Vec<bool>,
    /// By number: what is added before rounding down to the grid, from 0 to 1 steps; equal for both
    /// sides.
    remainder: Vec<f64>,
}

/// Returns the rate for so many pairs where the user says nothing of it: how far a won game of the
/// last pair moves a number, in its perturbations. It is 0.01 for 10,000 pairs, falls with the
/// power 0.7 of their number, and is within 0.0005 to 0.05, rounded to four digits.
pub fn usual_rate(pairs: u64) -> f64 {
    let (rate, of, power) = USUAL;
    let rate = rate * (of / pairs.max(1) as f64).powf(power);
    ((rate * 1e4).round() / 1e4).clamp(RATES.0, RATES.1)
}

impl SpsaSettings {
    /// Draws what is random in a pair: which way each number goes, and what is added to it before
    /// it is rounded down to its grid. It depends on the number of the pair and the seed alone, so
    /// that [`sides`](Self::sides) and [`learn`](Self::learn) draw equal values.
    fn draw(&self, pair: u64) -> Draw {
        // `STREAM` keeps these random numbers apart from those of the pair's opening.
        let mut rng = generator(self.seed ^ STREAM, pair);
        let count = self.perturbations.len();
        Draw {
            up: (0..count).map(|_| rng.random()).collect(),
            remainder: (0..count).map(|_| rng.random()).collect(),
        }
    }

    /// Returns the factor by which perturbations are larger in pair `k` of `N`, counted from 0,
    /// than in the last one: (N/(k + 1))^γ with γ = 0.101.
    pub fn spread(&self, pair: u64) -> f64 {
        (self.pairs as f64 / (pair + 1) as f64).powf(GAMMA)
    }

    /// Returns how far a half point more in pair `k` of `N`, counted from 0, moves a number whose
    /// rate is 1, in its perturbations: ((A + N)/(A + k + 1))^α over the factor of the
    /// perturbations in this pair, with A = 0.1·N and α = 0.602.
    fn gain(&self, pair: u64) -> f64 {
        let damped = DAMPED * self.pairs as f64;
        let slowed = (damped + self.pairs as f64) / (damped + (pair + 1) as f64);
        slowed.powf(ALPHA) / self.spread(pair)
    }

    /// Returns the numbers that both sides of pair `pair`, counted from 0, play with, on the grid
    /// and within the bounds. The first side has each number moved up or down by its perturbation
    /// at random, the second side the other way. What is then between two points of the grid
    /// becomes either one by chance, so that it is right on average.
    ///
    /// # Panics
    /// If there are not as many numbers as perturbations.
    pub fn sides(&self, numbers: &[f64], pair: u64) -> [Vec<f64>; 2] {
        let draw = self.draw(pair);
        let spread = self.spread(pair);
        assert_eq!(numbers.len(), self.perturbations.len(), "a number each");
        [1.0, -1.0].map(|side| {
            let each = numbers.iter().enumerate();
            let moved = each.map(|(index, &number)| {
                let way = if draw.up[index] { side } else { -side };
                let moved = number + way * self.perturbations[index] * spread;
                let step = self.steps[index];
                let (low, high) = self.bounds[index];
                ((moved / step + draw.remainder[index]).floor() * step).clamp(low, high)
            });
            moved.collect()
        })
    }

    /// Returns the standard deviation, in perturbations, that a number of rate 1 has after so many
    /// pairs if no number has an influence on results. `variance`: the variance of the half points
    /// of a pair.
    pub fn noise(&self, pairs: u64, variance: f64) -> f64 {
        let squares: f64 = (0..pairs).map(|pair| self.gain(pair).powi(2)).sum();
        (variance * squares).sqrt()
    }

    /// Moves `numbers` by the half points, 0 to 4, that the first side won in pair `pair`: toward
    /// the numbers of that side where they are above 2, and away from them below.
    pub fn learn(&self, numbers: &mut [f64], pair: u64, half_points: u8) {
        // Equal to the draw by which `sides` moved the numbers.
        let draw = self.draw(pair);
        let gain = self.gain(pair) * (f64::from(half_points) - 2.0);
        for (index, number) in numbers.iter_mut().enumerate() {
            let gain = gain * self.rates[index];
            let way = if draw.up[index] { gain } else { -gain };
            let (low, high) = self.bounds[index];
            *number = (*number + way * self.perturbations[index]).clamp(low, high);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(pairs: u64) -> SpsaSettings {
        SpsaSettings {
            seed: 3,
            pairs,
            perturbations: vec![10.0, 4.0, 0.5, 0.0],
            steps: vec![1.0, 1.0, 0.1, 1.0],
            bounds: vec![(-300.0, 300.0), (0.0, 50.0), (-9.0, 9.0), (0.0, 0.0)],
            rates: vec![0.02; 4],
        }
    }

    /// Points by a logistic curve of how far both sides are from the best numbers.
    #[test]
    fn numbers_come_near_those_that_win() {
        let best = [80.0, 20.0, 2.5, 0.0];
        let settings = settings(20_000);
        let mut numbers = vec![0.0, 40.0, 0.0, 0.0];
        let elo = |side: &[f64]| -> f64 {
            let off = |index: usize, scale: f64| ((side[index] - best[index]) / scale).powi(2);
            -20.0 * (off(0, 40.0) + off(1, 15.0) + off(2, 2.0))
        };
        let mut rng = generator(1, 0);
        let before = elo(&numbers);
        for pair in 0..settings.pairs {
            let [first, second] = settings.sides(&numbers, pair);
            let expected = 1.0 / (1.0 + 10_f64.powf((elo(&second) - elo(&first)) / 400.0));
            let half = |_| 2 * u8::from(rng.random::<f64>() < expected);
            let points: u8 = [0, 1].map(half).iter().sum();
            settings.learn(&mut numbers, pair, points);
        }
        let after = elo(&numbers);
        assert!(
            before < -140.0 && after > -12.0,
            "{before} {after} {numbers:?}"
        );
    }

    /// Three numbers, each three perturbations off, cost 54 Elo at the start. A rate of 0.01 leaves
    /// 12 of them where games are few.
    #[test]
    fn the_usual_rate_suits_the_number_of_pairs() {
        assert!(
            (usual_rate(10_000) - 0.01).abs() < 1e-9 && (usual_rate(100_000) - 0.002).abs() < 1e-9
        );
        for (pairs, most) in [(1_000, 8.0), (10_000, 2.5)] {
            let (mut lost, runs) = (0.0, 12);
            for seed in 0..runs {
                let settings = SpsaSettings {
                    seed,
                    pairs,
                    perturbations: vec![10.0; 3],
                    steps: vec![0.01; 3],
                    bounds: vec![(-1e3, 1e3); 3],
                    rates: vec![usual_rate(pairs); 3],
                };
                let elo = |side: &[f64]| -> f64 {
                    side.iter()
                        .map(|number| -2.0 * (number / 10.0).powi(2))
                        .sum()
                };
                let mut rng = generator(seed, 1);
                let mut numbers = vec![30.0; 3];
                for pair in 0..pairs {
                    let [first, second] = settings.sides(&numbers, pair);
                    let expected = 1.0 / (1.0 + 10_f64.powf((elo(&second) - elo(&first)) / 400.0));
                    // A third of the games are drawn.
                    let points = [0, 1].map(|_| {
                        let drawn = rng.random::<f64>() < 1.0 / 3.0;
                        let won = rng.random::<f64>() < 0.5 + 1.5 * (expected - 0.5);
                        if drawn { 1 } else { 2 * u8::from(won) }
                    });
                    settings.learn(&mut numbers, pair, points.iter().sum());
                }
                lost -= elo(&numbers) / runs as f64;
            }
            assert!(lost < most, "{pairs}: {lost}");
        }
    }

    #[test]
    fn both_sides_are_on_the_grid_and_apart_by_two_perturbations() {
        let settings = settings(100);
        let numbers = [7.3, 10.0, 1.25, 0.0];
        let mut sums = [0.0; 4];
        for pair in 0..2_000 {
            let [first, second] = settings.sides(&numbers, pair);
            for (index, (a, b)) in first.iter().zip(&second).enumerate() {
                let step = settings.steps[index];
                assert!(((a / step).round() - a / step).abs() < 1e-9, "{a}");
                sums[index] += (a + b) / 2.0;
            }
        }
        for (sum, number) in sums.iter().zip(&numbers) {
            assert!((sum / 2_000.0 - number).abs() < 0.05, "{sums:?}");
        }
        let last = settings.sides(&numbers, 99);
        assert!(
            ((last[0][0] - last[1][0]).abs() - 20.0).abs() < 1e-9,
            "{last:?}"
        );
    }

    /// Where games are decided by a coin, numbers wander as far as is said.
    #[test]
    fn the_noise_is_that_of_games_that_say_nothing() {
        let mut settings = settings(400);
        settings.bounds = vec![(-1e9, 1e9); 4];
        let mut rng = generator(5, 0);
        let (mut squares, runs) = (0.0, 600);
        for run in 0..runs {
            settings.seed = run;
            let mut numbers = vec![0.0; 4];
            for pair in 0..settings.pairs {
                let points = [0, 1].map(|_| 2 * u8::from(rng.random::<bool>()));
                settings.learn(&mut numbers, pair, points.iter().sum());
            }
            squares += (numbers[0] / settings.perturbations[0]).powi(2);
        }
        let (found, expected) = ((squares / f64::from(runs as u32)).sqrt(), 0.02);
        // Two games of 0 or 2 half points.
        let expected = expected * settings.noise(400, 2.0);
        assert!((found / expected - 1.0).abs() < 0.1, "{found} {expected}");
    }

    /// A level pair teaches nothing, and what wins is moved toward.
    #[test]
    fn a_won_pair_moves_the_numbers_to_the_winner() {
        let settings = settings(100);
        let start = vec![0.0, 20.0, 0.0, 0.0];
        let mut numbers = start.clone();
        settings.learn(&mut numbers, 99, 2);
        assert_eq!(numbers, start);
        settings.learn(&mut numbers, 99, 4);
        let [first, _] = settings.sides(&start, 99);
        for (index, (now, before)) in numbers.iter().zip(&start).enumerate() {
            let toward = (first[index] - before).signum() * settings.perturbations[index];
            let expected = 2.0 * settings.rates[index] * toward;
            assert!((now - before - expected).abs() < 1e-9, "{index}");
        }
    }
}
